//! Bad input of crawls: seeds that are no URLs, nobody who answers, settings that cannot work.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use webmill::Error;
use webmill::capture::CanonicalUrl;
use webmill::crawl::event::outcome;
use webmill::crawl::frontier::Strategy;
use webmill::crawl::{Crawl, CrawlOptions, Ended, Purpose};
use webmill::sim::SimConfig;

use super::crawl_support::{
    Change, Quiet, Served, Written, crawl as crawl_to_end, crawl_until, events, serve, swift,
};
use super::support::Work;

#[test]
fn seeds_that_are_no_urls_are_named_by_line_and_offset() {
    let work = Work::new();
    let seeds = b"# seeds\nhttp://a.example/\n\nnot a url\n  mailto:x@y.example\r\n\xff\xfe\nhttp://[broken/\nb.example/path\n";
    std::fs::write(work.path("seeds.txt"), seeds).unwrap();
    let output = work.run(&["crawl", "--seeds", "seeds.txt", "--out", "crawl", "--dry-run"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("seeds.txt line")).collect();
    let at: Vec<&str> = lines.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        at,
        [
            "seeds.txt line 4, byte 27",
            "seeds.txt line 5, byte 37",
            "seeds.txt line 6, byte 59",
            "seeds.txt line 7, byte 62",
        ],
        "{said}"
    );
    assert!(!work.path("crawl").exists());
    std::fs::write(work.path("none.txt"), "# nothing\n\n?\n").unwrap();
    let said = work.fails(&["crawl", "--seeds", "none.txt", "--out", "crawl"], 2);
    assert!(said.contains("none.txt line 3, byte 11") && said.contains("no seeds"), "{said}");
    let said = work.fails(&["crawl", "--seeds", "missing.txt", "--out", "crawl"], 2);
    assert!(said.contains("missing.txt"), "{said}");
    let said = work.fails(&["crawl", "ftp://a.example/", "--out", "crawl"], 2);
    assert!(said.contains("ftp://a.example/"), "{said}");
    assert!(!work.path("crawl").exists());
}

/// A port that nobody listens on.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn seeds(hosts: &[&str]) -> Vec<CanonicalUrl> {
    hosts.iter().map(|host| CanonicalUrl::parse(&format!("http://{host}/")).unwrap()).collect()
}

/// A crawl that does not get as far as a server stops, says why, and loses nothing: with a server it goes on.
fn out_of_reach(options: &CrawlOptions, detail: &str) {
    let served = Served::new(SimConfig::plain(50, 5, 91));
    let folder = tempfile::tempdir().unwrap();
    let seeds: Vec<CanonicalUrl> = served.seeds();
    let start = Instant::now();
    let (mut crawl, _) = Crawl::open(folder.path(), options, &seeds, 2, None).unwrap();
    let error = crawl.run(&mut Quiet, &|| false).unwrap_err().to_string();
    assert!(error.contains(detail) && error.contains("nothing is lost"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(20));
    drop(crawl);
    let ends = events(folder.path()).into_iter().filter(|event| event.outcome != outcome::RETRY);
    assert!(ends.filter(|event| event.purpose == Purpose::Page).count() == 0, "no URL is given up");
    let totals = crawl_to_end(folder.path(), &served.options(), &seeds);
    assert!(totals.stored > 20, "{totals:?}");
}

fn impatient(proxy: String) -> CrawlOptions {
    let mut options = swift(proxy);
    options.politeness.max_failures = 3;
    options.politeness.outage_ms = 300;
    options
}

#[test]
fn an_unreachable_resolver_stops_the_crawl_without_loss() {
    let mut options = impatient(String::new());
    options.fetch.proxy = None;
    options.fetch.dns.servers = vec![format!("127.0.0.1:{}", closed_port())];
    options.fetch.dns.timeout_ms = 200;
    options.fetch.dns.attempts = 2;
    options.fetch.dns.retry_ms = 20;
    out_of_reach(&options, "resolver: ");
}

#[test]
fn a_proxy_that_is_down_stops_the_crawl_without_loss() {
    out_of_reach(&impatient(format!("http://127.0.0.1:{}", closed_port())), "proxy: ");
}

#[test]
fn a_folder_keeps_its_strategy() {
    let served = Served::new(SimConfig::plain(50, 5, 91));
    let folder = tempfile::tempdir().unwrap();
    let stopped =
        crawl_until(folder.path(), &served.options(), &served.seeds(), &|| served.server.requests() > 20);
    assert_eq!(stopped.unwrap().1, Ended::Stopped);
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    for other in [
        CrawlOptions { strategy: Strategy::Depth, ..served.options() },
        CrawlOptions { strategy: Strategy::Best, ..served.options() },
        CrawlOptions { seed: 5, ..served.options() },
    ] {
        match Crawl::open(folder.path(), &other, &served.seeds(), 1, None) {
            Err(Error::Incompatible { found, expected, .. }) => {
                assert!(found.contains("breadth") && found != expected, "{found} {expected}");
            }
            other => panic!("{:?}", other.err()),
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before, "nothing was put aside");
    let (replayed, ended, totals) =
        crawl_until(folder.path(), &served.options(), &served.seeds(), &|| false).unwrap();
    let truth = served.sim.truth();
    let pages = truth.pages().filter(|page| page.expect.is_stored()).count() as u64;
    assert!(pages > 40);
    assert_eq!((ended, replayed.rebuilt, totals.stored), (Ended::Finished, None, pages));
}

#[test]
fn settings_out_of_range_are_named_before_anything_is_made() {
    let changes: [(&str, Change); 7] = [
        ("agent", |o| o.agent = "web mill".into()),
        ("connections", |o| o.connections = 0),
        ("memory", |o| o.memory = 1 << 20),
        ("delay_ms", |o| o.politeness.delay_ms = u64::MAX),
        ("user_agent", |o| o.fetch.user_agent = "a\r\nb".into()),
        ("proxy", |o| o.fetch.proxy = Some("ftp://x".into())),
        ("url_include", |o| o.scope.url_include = vec!["(".into()]),
    ];
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("crawl");
    for (name, change) in changes {
        let mut options = CrawlOptions::default();
        change(&mut options);
        match Crawl::open(&folder, &options, &seeds(&["a.example"]), 1, None) {
            Err(Error::Config(message)) => {
                assert!(message.to_lowercase().contains(name), "{name}: {message}");
            }
            other => panic!("{name}: {:?}", other.err()),
        }
        assert!(!folder.exists(), "{name}");
    }
}

#[test]
fn a_folder_that_is_a_file_is_an_error_of_its_own() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    let opened = Crawl::open(&file, &CrawlOptions::default(), &seeds(&["a.example"]), 1, None);
    match opened.err() {
        Some(Error::Io { path, .. }) => assert_eq!(path, file),
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
}

/// What a user typed in secret is used, and stands nowhere afterwards; who resumes the crawl is asked for it.
#[test]
fn secrets_are_asked_for_again_and_kept_nowhere() {
    let work = Work::new();
    let site = Written::default().page("http://a.example/", &[]);
    let (server, _) = serve(site);
    let proxy = format!("http://me:hush-proxy@{}", server.address());
    let arguments = ["crawl", "http://a.example/", "--out", "c", "--delay", "0", "--proxy", &proxy];
    let with_header =
        [&arguments[..], &["--set", "crawl.fetch.headers=[[\"X-Key\", \"hush-header\"]]"]].concat();
    let said = work.run(&with_header);
    let said = String::from_utf8_lossy(&said.stderr);
    assert!(said.contains("header X-Key") && said.contains("password of the proxy"), "{said}");
    assert!(!said.contains("hush"), "{said}");
    let kept = std::fs::read_to_string(work.path("c/crawl.toml")).unwrap();
    assert!(!kept.contains("hush") && kept.contains("X-Key"), "{kept}");
    let refused = work.webmill(&["crawl", "http://a.example/", "--out", "c"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("X-Key") && said.contains("say it again"), "{said}");
    let refused = work
        .webmill(&[&arguments[..6], &["--set", "crawl.fetch.headers=[[\"X-Key\", \"again\"]]"]].concat())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("proxy"), "{said}");
    work.run(&with_header);
}
