//! Corners of the crawl that were wrong once: robots.txt files that point at each other, sitemaps without end, one page under
//! several addresses.

use std::time::{Duration, Instant};

use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::event::outcome;
use webmill::crawl::{Ended, Purpose};

use super::crawl_support::{
    Worked, Written, answers, crawl, crawl_until, cut, events, message, page, seeds, serve, swift, whole,
};
use super::support::Work;

#[test]
fn rings_of_moved_robots_end() {
    for hosts in [&["a.example", "b.example"][..], &["a.example", "b.example", "c.example"]] {
        let mut web = Written::default();
        for (i, host) in hosts.iter().enumerate() {
            let next = hosts[(i + 1) % hosts.len()];
            let moved = format!("Location: http://{next}/robots.txt\r\n");
            web = web
                .answer(&format!("http://{host}/robots.txt"), message("301 Moved", &moved, ""))
                .page(&format!("http://{host}/"), &[]);
        }
        let (server, record) = serve(web);
        let folder = tempfile::tempdir().unwrap();
        let start = Instant::now();
        let all: Vec<String> = hosts.iter().map(|host| format!("http://{host}/")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let (_, ended, totals) =
            crawl_until(folder.path(), &swift(server.proxy()), &seeds(&all), &|| false).unwrap();
        assert_eq!(ended, Ended::Finished);
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        let asked: u32 = record.counts().values().sum::<usize>() as u32;
        assert!(asked < 600, "{asked} requests for {totals:?}");
    }
}

/// Every sitemap names another one.
fn endless(url: &str) -> Vec<u8> {
    let path = url.strip_prefix("http://e.example").unwrap_or("/");
    if path == "/robots.txt" {
        return message("200 OK", "Content-Type: text/plain\r\n", "Sitemap: http://e.example/map0.xml\n");
    }
    let Some(number) = path.strip_prefix("/map").and_then(|rest| rest.strip_suffix(".xml")) else {
        return page("home", &[]);
    };
    let next = number.parse::<u64>().unwrap_or(0) + 1;
    let index =
        format!("<sitemapindex><sitemap><loc>http://e.example/map{next}.xml</loc></sitemap></sitemapindex>");
    message("200 OK", "Content-Type: application/xml\r\n", &index)
}

#[test]
fn endless_sitemaps_are_cut_off() {
    let (server, record) = serve(Worked(|url: &str, _| whole(endless(url))));
    let folder = tempfile::tempdir().unwrap();
    let totals = crawl(folder.path(), &swift(server.proxy()), &seeds(&["http://e.example/"]));
    assert_eq!(totals.stored, 1);
    let maps = record.counts().keys().filter(|url| url.contains("/map")).count();
    assert!((2..=5).contains(&maps), "{maps} sitemaps");
    assert_eq!(totals.refused.get("sitemap-depth"), 1);
}

#[test]
fn a_robots_file_that_breaks_off_allows_nothing() {
    let rules = message("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nAllow: /\n");
    let site = Worked(move |url: &str, _| match url.ends_with("/robots.txt") {
        true => cut(rules.clone(), 20),
        false => whole(page("secret", &[])),
    });
    let (server, record) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.politeness.max_failures = 3;
    let totals = crawl(folder.path(), &options, &seeds(&["http://b.example/secret"]));
    assert_eq!(totals.stored, 0);
    assert!(record.counts().keys().all(|url| url.ends_with("/robots.txt")));
    assert!(events(folder.path()).iter().any(|e| e.url.ends_with("/secret") && e.outcome != outcome::STORED));
}

#[test]
fn one_page_has_one_address() {
    let links = ["http://a.example./x", "http://u:p@a.example/x", "/x", "http://other@a.example./x?y=1"];
    let web = Written::default()
        .page("http://a.example/", &links)
        .page("http://a.example/x", &[])
        .page("http://a.example/x?y=1", &[]);
    let (server, _) = serve(web);
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let folder = tempfile::tempdir().unwrap();
        let mut options = swift(server.proxy());
        options.archive.format = format;
        options.archive.compression = Some(webmill::shard::Compression::None);
        let totals = crawl(folder.path(), &options, &seeds(&["http://me:secret@a.example/"]));
        assert_eq!(totals.stored, 3);
        let told = events(folder.path());
        assert!(told.iter().all(|e| !e.url.contains('@') && e.url.contains("a.example/")), "{told:?}");
        for file in super::crawl_support::shard_files(folder.path()) {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(6).any(|w| w == b"secret"), "{}", file.display());
        }
        assert!(answers(folder.path()).iter().all(|a| !a.url.contains('@')));
        assert!(told.iter().filter(|e| e.purpose == Purpose::Page).count() >= 3);
    }
}

#[test]
fn a_crawl_that_ends_at_a_limit_says_what_waits_behind_it() {
    let web = Written::default()
        .page("http://a.example/", &["/1", "/2", "/3", "/4"])
        .page("http://a.example/1", &[])
        .page("http://a.example/2", &[])
        .page("http://a.example/3", &[])
        .page("http://a.example/4", &[]);
    let (server, _) = serve(web);
    let (work, proxy) = (Work::new(), server.proxy());
    let asked = ["crawl", "http://a.example/", "--out", "c", "--proxy", &proxy, "--delay", "0", "--pages"];
    for (limit, says) in
        [("2", Some("not asked for yet: 3 URLs")), ("4", Some("not asked for yet: 1 URL")), ("9", None)]
    {
        let said = work.run(&[&asked[..], &[limit]].concat());
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        match says {
            Some(says) => assert!(said.contains(says) && said.contains("--out c --pages N"), "{said}"),
            None => assert!(!said.contains("not asked for yet"), "{said}"),
        }
    }
}

#[test]
fn links_in_scripts_are_followed_where_asked_and_counted_else() {
    let Some(case) = webmill_evaluation::data("cases/seeds/js-links.json") else { return };
    let pages: serde_json::Value = serde_json::from_slice(&std::fs::read(case).unwrap()).unwrap();
    let html = "Content-Type: text/html\r\n";
    let web = pages.as_object().unwrap().iter().fold(Written::default(), |web, (path, page)| {
        let body = message("200 OK", html, page["body"].as_str().unwrap());
        web.answer(&format!("http://a.example{path}"), body)
    });
    let (server, record) = serve(web);
    let (work, proxy) = (Work::new(), server.proxy());
    let crawl = |out: &str, more: &[&str]| {
        let asked = ["crawl", "http://a.example/", "--out", out, "--proxy", &proxy, "--delay", "0"];
        let said = work.run(&[&asked[..], more].concat());
        String::from_utf8_lossy(&said.stderr).into_owned()
    };
    let said = crawl("plain", &[]);
    assert!(said.contains("in-script 5; --set crawl.script_links=true follows those in scripts"), "{said}");
    let named = ["/jsopen.html", "/onclick.html", "/jsvar.html", "/jsloc.html", "/written"];
    let times =
        || named.map(|path| record.counts().get(&format!("http://a.example{path}")).copied().unwrap_or(0));
    assert_eq!(times(), [0; 5]);
    for (round, more) in [
        (1, &["--set", "crawl.script_links=true"][..]),
        (2, &["--set", "crawl.script_links=true", "--requisites"]),
    ] {
        let said = crawl(&format!("round-{round}"), more);
        assert!(!said.contains("in-script"), "{said}");
        assert_eq!(times(), [round; 5]);
    }
}
