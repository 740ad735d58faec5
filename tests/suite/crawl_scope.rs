//! Scope rules, settings of sites and `webmill crawl explain`, on Webs that are written down.

use std::collections::BTreeSet;

use webmill::capture::CanonicalUrl;
use webmill::crawl::event::outcome;
use webmill::crawl::scope::{RuleAction, ScopeRule};
use webmill::crawl::site_settings::SiteSettings;
use webmill::crawl::{CrawlLimits, CrawlOptions, Ended};
use webmill::sim::Recording;

use crate::crawl_support::{Written, crawl, crawl_until, events, message, page, serve, swift};
use crate::support::Work;

fn seed(url: &str) -> Vec<CanonicalUrl> {
    vec![CanonicalUrl::parse(url).unwrap()]
}

fn rules(all: &[(RuleAction, &str)]) -> Vec<ScopeRule> {
    all.iter().map(|(action, text)| ScopeRule::parse(*action, text).unwrap()).collect()
}

/// Pages that were asked for: neither robots.txt files nor sitemaps.
fn asked(record: &Recording) -> BTreeSet<String> {
    record
        .counts()
        .keys()
        .filter(|url| !url.ends_with("/robots.txt") && !url.ends_with("/sitemap.xml"))
        .cloned()
        .collect()
}

fn set(urls: &[&str]) -> BTreeSet<String> {
    urls.iter().map(|url| (*url).to_owned()).collect()
}

#[test]
fn pages_off_the_site_are_taken_as_far_as_a_rule_says() {
    let web = Written::default()
        .page("http://a.example/", &["http://x.example/1", "/in"])
        .page("http://a.example/in", &["http://x.example/in.zip"])
        .page("http://x.example/1", &["http://x.example/2", "http://a.example/back"])
        .page("http://x.example/2", &["http://x.example/3"])
        .page("http://a.example/back", &["http://y.example/1"])
        .page("http://y.example/1", &[]);
    let (server, record) = serve(web);
    let mut options = swift(server.proxy());
    options.scope.rules = rules(&[(RuleAction::Reject, "ext:zip"), (RuleAction::Accept, "hops-off:..1")]);
    let folder = tempfile::tempdir().unwrap();
    let totals = crawl(folder.path(), &options, &seed("http://a.example/"));
    let want = [
        "http://a.example/",
        "http://a.example/in",
        "http://x.example/1",
        "http://a.example/back",
        "http://y.example/1",
    ];
    assert_eq!(asked(&record), set(&want));
    assert_eq!(totals.refused.get("rule 1 (reject ext:zip)"), 1, "{:?}", totals.refused);
    assert_eq!(totals.refused.get("host"), 1, "{:?}", totals.refused);
    let told = events(folder.path());
    let of = |url: &str| told.iter().find(|e| e.url == url).unwrap().lineage.off_site;
    assert_eq!((of("http://x.example/1"), of("http://a.example/back"), of("http://y.example/1")), (1, 0, 1));
}

#[test]
fn what_was_found_from_a_seed_is_judged_by_its_rules_also_after_a_restart() {
    let web = Written::default()
        .page("http://a.example/", &["/docs/1", "/news/1", "http://b.example/news/2"])
        .page("http://b.example/", &["/docs/2", "/news/2"])
        .page("http://a.example/docs/1", &["/docs/3", "/news/3"]);
    let (server, record) = serve(web);
    let mut options = swift(server.proxy());
    options.connections = 1;
    options.scope.rules = rules(&[(RuleAction::Reject, "seed:http://a.example/ !prefix:/docs/")]);
    options.limits = CrawlLimits { pages: Some(2), ..CrawlLimits::default() };
    let folder = tempfile::tempdir().unwrap();
    let seeds = [seed("http://a.example/"), seed("http://b.example/")].concat();
    let (_, ended, _) = crawl_until(folder.path(), &options, &seeds, &|| false).unwrap();
    assert_eq!(ended, Ended::Pages);
    options.limits = CrawlLimits::default();
    crawl(folder.path(), &options, &seeds);
    let want = [
        "http://a.example/",
        "http://b.example/",
        "http://a.example/docs/1",
        "http://a.example/docs/3",
        "http://b.example/docs/2",
        "http://b.example/news/2",
    ];
    assert_eq!(asked(&record), set(&want), "{:?}", events(folder.path()));
}

#[test]
fn a_rule_added_later_reaches_what_waits_and_is_named() {
    let links: Vec<String> =
        (0..20).map(|n| format!("/p{n}{}", if n % 2 == 0 { ".print" } else { "" })).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let mut web = Written::default().page("http://a.example/", &links);
    for link in &links {
        web = web.page(&format!("http://a.example{link}"), &[]);
    }
    let (server, record) = serve(web);
    let mut options = swift(server.proxy());
    options.limits = CrawlLimits { pages: Some(1), ..CrawlLimits::default() };
    let folder = tempfile::tempdir().unwrap();
    let seeds = seed("http://a.example/");
    crawl_until(folder.path(), &options, &seeds, &|| false).unwrap();
    options.limits = CrawlLimits::default();
    options.scope.rules = vec![ScopeRule {
        name: Some("no print".into()),
        ..ScopeRule::parse(RuleAction::Reject, "ext:print").unwrap()
    }];
    crawl(folder.path(), &options, &seeds);
    assert_eq!(asked(&record).iter().filter(|url| url.ends_with(".print")).count(), 0);
    let told = events(folder.path());
    let out: Vec<_> = told.iter().filter(|e| e.outcome == outcome::OUT_OF_SCOPE).collect();
    assert_eq!(out.len(), 10);
    assert!(out.iter().all(|e| e.detail.as_deref() == Some("rule \"no print\"")), "{out:?}");
}

#[test]
fn a_site_has_settings_of_its_own() {
    let hosts = ["a.example", "sub.a.example", "b.example"];
    let mut web = Written::default();
    for host in hosts {
        let links: Vec<String> = (0..6).map(|n| format!("/{n}")).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let robots = message("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /3\n");
        web =
            web.answer(&format!("http://{host}/robots.txt"), robots).page(&format!("http://{host}/"), &links);
        for link in &links {
            web = web.answer(&format!("http://{host}{link}"), page(&format!("{host}{link}"), &[]));
        }
    }
    let (server, _) = serve(web);
    let mut options = swift(server.proxy());
    options.connections = 1;
    options.sites =
        vec![SiteSettings { pattern: "*.a.example".into(), pages: Some(3), ..SiteSettings::default() }];
    let folder = tempfile::tempdir().unwrap();
    let seeds: Vec<CanonicalUrl> = hosts.iter().flat_map(|host| seed(&format!("http://{host}/"))).collect();
    crawl(folder.path(), &options, &seeds);
    let pages = |host: &str| {
        let stored = |e: &&webmill::crawl::event::Event| {
            e.outcome == outcome::STORED && e.url.starts_with(&format!("http://{host}/"))
        };
        events(folder.path()).iter().filter(stored).count()
    };
    assert_eq!(hosts.map(pages), [3, 3, 6]);
}

#[test]
fn a_slow_site_is_asked_slowly_and_others_are_not() {
    let mut web = Written::default();
    for host in ["a.example", "b.example"] {
        web = web
            .page(&format!("http://{host}/"), &["/1", "/2"])
            .page(&format!("http://{host}/1"), &[])
            .page(&format!("http://{host}/2"), &[]);
    }
    let (server, record) = serve(web);
    let mut options: CrawlOptions = swift(server.proxy());
    options.sitemaps = false;
    options.sites =
        vec![SiteSettings { pattern: "a.example".into(), delay_ms: Some(150), ..SiteSettings::default() }];
    let folder = tempfile::tempdir().unwrap();
    crawl(folder.path(), &options, &[seed("http://a.example/"), seed("http://b.example/")].concat());
    let times: Vec<_> = record
        .requests()
        .into_iter()
        .filter(|(_, asked)| asked.host == "a.example")
        .map(|(at, _)| at)
        .collect();
    assert_eq!(times.len(), 4);
    // The server sees requests later than they were sent, by a few milliseconds.
    assert!(
        times.windows(2).all(|pair| pair[1] - pair[0] >= std::time::Duration::from_millis(140)),
        "{times:?}"
    );
}

#[test]
fn the_command_explains_what_became_of_urls() {
    let web = Written::default()
        .page("http://a.example/", &["/x", "/print/x", "/gone", "http://c.example/"])
        .page("http://a.example/x", &[])
        .answer("http://moved.example/", message("301 Moved", "Location: http://far.example/\r\n", ""));
    let (server, _) = serve(web);
    let work = Work::new();
    let proxy = server.proxy();
    let mut begin = vec![
        "crawl",
        "a.example",
        "moved.example",
        "nowhere.example/none",
        "--out",
        "c",
        "--proxy",
        &proxy,
        "--delay",
        "0",
    ];
    begin.extend([
        "--set",
        r#"crawl.scope.rules=[{action="reject", when=["re:/print/"]}, {action="accept", when=["host:a.example"]}]"#,
        "--contact",
        "me@a.example",
        "--exclude",
        "^/x",
    ]);
    let said = String::from_utf8(work.run(&begin).stderr).unwrap();
    assert!(
        said.contains("seed http://moved.example/: redirect, status 301: far.example belongs to the crawl"),
        "{said}"
    );
    assert!(said.contains("seed http://nowhere.example/none: gone, status 404"), "{said}");
    let seeds = std::fs::read_to_string(work.path("c/seeds.txt")).unwrap();
    assert_eq!(seeds, "http://a.example/\nhttp://moved.example/\nhttp://nowhere.example/none\n");

    let explain = |url: &str, code: i32| {
        let output = work.webmill(&["crawl", "explain", "c", url]).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{url}: {told}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        told
    };
    assert!(explain("http://a.example/x", 0).contains("found on: http://a.example/, 1 link from a seed"));
    let told = explain("a.example/print/x", 1);
    assert!(told.ends_with("so: it is not fetched: out of scope: rule 1 (reject re:/print/)\n"), "{told}");
    assert!(explain("http://a.example/gone", 1).contains("status 404"));
    assert!(explain("http://c.example/", 1).contains("scope: field host"));
    assert!(explain("http://a.example/unheard", 0).contains("nothing is against it"));
    assert!(explain("http://a.example/", 0).contains("it is a seed"));
    work.fails(&["crawl", "explain", "nothing", "http://a.example/"], 2);
    work.fails(&["crawl", "explain", "c", "htp://a.example/"], 2);

    // The folder keeps its seeds: they need not be named again.
    let said = String::from_utf8(work.run(&["crawl", "--out", "c"]).stderr).unwrap();
    assert!(said.contains("the 3 seeds of c/seeds.txt hold"), "{said}");
}

#[test]
fn seeds_that_cannot_be_fetched_are_said_before_anything_is_asked() {
    let work = Work::new();
    for (seed, words) in [
        ("http://127.0.0.1:9/", "--allow-private"),
        ("localhost:9", "--allow-private"),
        ("htp://a.example/", "did you mean http://a.example/"),
        ("/etc/hosts", "--seeds FILE"),
    ] {
        let said = work.fails(&["crawl", seed, "--out", "c"], 2);
        assert!(said.contains(words), "{seed}: {said}");
        assert!(!work.path("c").exists());
    }
    let said = work.fails(
        &[
            "crawl",
            "http://a.example/",
            "--out",
            "c",
            "--set",
            "crawl.scope.rules=[{action='reject', when=['*.zip']}]",
        ],
        2,
    );
    assert!(said.contains("no condition is written so"), "{said}");
    let said = work.fails(&["crawl", "http://a.example/", "--out", "c", "--media-type", "pdf"], 2);
    assert!(said.contains("did you mean application/pdf?"), "{said}");
}
