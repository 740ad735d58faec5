//! Focused crawls of a small Web on this machine: they find their topic, go on with the same scores after kill -9, and are not led astray.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use webmill::jobs::focused::tables::HarvestRow;
use webmill::sim::{Answer, Site, SynthPage};
use webmill::table::read_rows;

use super::crawl_support::{message, serve, whole};
use super::support::Work;

const HOSTS: u64 = 80;
const PAGES: u64 = 40;
const TOPICS: u64 = 10;
/// The topic of these tests.
const TOPIC: u64 = 3;

/// Numbers that follow from others.
fn draw(of: &[u64]) -> u64 {
    of.iter().fold(0x9E37_79B9_7F4A_7C15u64, |state, n| {
        let mixed = (state ^ n).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB)
    }) >> 16
}

fn word(topic: u64, n: u64) -> String {
    let letter = |n: u64| char::from(b'a' + (n % 26) as u8);
    format!("w{}{}{}x", letter(topic), letter(n / 5), letter(n % 5))
}

/// A page of host `host`: words of its host's topic, seven links in ten stay in it.
fn page(host: u64, number: u64) -> String {
    let topic = host % TOPICS;
    let text: Vec<String> = (0..120)
        .map(|n| match draw(&[host, number, n, 1]) % 10 {
            0..6 => word(topic, draw(&[host, number, n, 2]) % 25),
            _ => format!("common{}", char::from(b'a' + (draw(&[host, number, n, 3]) % 20) as u8)),
        })
        .collect();
    let links: String = (0..8)
        .map(|n| {
            let stays = draw(&[host, number, n, 4]) % 10 < 7;
            let other = draw(&[host, number, n, 5]) % HOSTS;
            let to = if stays { other / TOPICS * TOPICS + topic } else { other };
            let anchor = word(to % TOPICS, draw(&[host, number, n, 6]) % 25);
            let page = draw(&[host, number, n, 7]) % PAGES;
            format!("<li><a href='http://h{to}.example/p{page}'>{anchor} page</a></li>")
        })
        .collect();
    let title = word(topic, number % 25);
    format!(
        "<html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{}.</p></article><ul>{links}</ul></body></html>",
        text.join(" ")
    )
}

/// A page that wants to be taken for the topic, and to be followed everywhere.
fn hostile() -> String {
    let words = format!("{} ", word(TOPIC, 0)).repeat(200_000);
    let links: String = (0..60_000)
        .map(|n| format!("<a href='http://trap.example/{n}'>{}</a>", word(TOPIC, n % 25)))
        .collect();
    format!("<html><head><title>{}</title></head><body><p>{words}</p>{links}</body></html>", word(TOPIC, 0))
}

/// These hosts, each of whose answers takes a while.
struct Hosts {
    delay_ms: u32,
}

impl Site for Hosts {
    fn answer_into(&self, _: &str, url: &str, _: u32, _: &mut SynthPage, out: &mut Answer) {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let number = |text: &str| text.parse::<u64>().ok();
        let of_host = host.strip_prefix('h').and_then(|host| host.strip_suffix(".example")).and_then(number);
        let body = match (of_host, path.strip_prefix('p').and_then(number)) {
            (Some(host), Some(n)) => Some(page(host, n)),
            (Some(host), None) if path.is_empty() => Some(page(host, 0)),
            _ if host == "trap.example" && path != "robots.txt" => Some(hostile()),
            _ => None,
        };
        let (status, body) = body.map_or(("404 Not Found", "none".to_owned()), |body| ("200 OK", body));
        *out = whole(message(status, "Content-Type: text/html; charset=utf-8\r\n", &body));
        out.delay_ms = if path == "robots.txt" { 0 } else { self.delay_ms };
    }
}

fn topic_file(work: &Work) {
    let words: String = (0..25).map(|n| format!("{} = 1.0\n", word(TOPIC, n))).collect();
    std::fs::write(work.path("topic.toml"), format!("kind = 'words'\nthreshold = 0.3\n[words]\n{words}"))
        .unwrap();
}

fn arguments<'a>(proxy: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let all = ["crawl", "--out", out, "--proxy", proxy, "--delay", "0", "--within", "any"];
    [&all[..], &["--set", "crawl.connections=1", "http://h0.example/", "http://h3.example/"], more].concat()
}

const FOCUSED: [&str; 4] = ["--strategy", "focused", "--topic", "topic.toml"];

fn harvest(folder: &Path) -> Vec<HarvestRow> {
    read_rows(&folder.join("tables/harvest")).unwrap()
}

/// Fetched pages of the topic's hosts, of all stored.
fn truth(folder: &Path) -> (usize, usize) {
    let events = folder.join("tables/crawl_pages");
    assert!(events.exists() || folder.join("tables").exists());
    let rows = harvest(folder);
    let of_topic = rows.iter().filter(|row| {
        let host = row.url.strip_prefix("http://h").and_then(|url| url.split('.').next());
        host.and_then(|host| host.parse::<u64>().ok()).is_some_and(|host| host % TOPICS == TOPIC)
    });
    (of_topic.count(), rows.len())
}

#[test]
fn a_focused_crawl_finds_its_topic_in_an_order_that_is_a_function_of_the_answers() {
    let (server, _) = serve(Hosts { delay_ms: 0 });
    let web = server.proxy();
    let work = Work::new();
    topic_file(&work);
    for out in ["once", "again"] {
        let ran = work
            .webmill(&arguments(&web, out, &[&FOCUSED[..], &["--pages", "250"]].concat()))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success() && said.contains("relevant of 250 pages: harvest"), "{said}");
    }
    let (once, again) = (harvest(&work.path("once")), harvest(&work.path("again")));
    assert_eq!(format!("{once:?}"), format!("{again:?}"));
    let (of_topic, all) = truth(&work.path("once"));
    // One page in ten is of the topic, and breadth-first finds little more.
    assert!(all == 250 && of_topic >= 175, "{of_topic} of {all}");
    let relevant = once.iter().filter(|row| row.relevant).count();
    assert!(relevant.abs_diff(of_topic) <= 5, "{relevant} told, {of_topic} true");
    for row in once.iter().filter(|row| row.referrer.is_some()) {
        let parts =
            [row.anchor, row.context, row.url_words, row.inherited, row.hub, row.site, row.guide, row.prior];
        let sum: f32 =
            parts.iter().zip([0.25, 0.15, 0.05, 0.2, 0.1, 0.1, 0.05, 0.1]).map(|(p, w)| p * w).sum();
        assert!((sum - row.score).abs() < 1e-4, "{row:?}");
    }
}

#[test]
fn killed_crawls_go_on_with_the_same_scores() {
    let (server, _) = serve(Hosts { delay_ms: 2 });
    let web = server.proxy();
    let work = Work::new();
    topic_file(&work);
    let settings = [&FOCUSED[..], &["--set", "crawl.focus.tunnel=1", "--pages", "300"]].concat();
    assert!(work.webmill(&arguments(&web, "whole", &settings)).output().unwrap().status.success());
    let mut kills = 0;
    for pause in [60, 110, 170, 230] {
        let before = server.requests();
        let mut child = work.webmill(&arguments(&web, "killed", &settings)).spawn().unwrap();
        while server.requests() < before + pause / 2 {
            std::thread::sleep(Duration::from_millis(1));
            if child.try_wait().unwrap().is_some() {
                break;
            }
        }
        kills += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
    }
    let ran = work.webmill(&arguments(&web, "killed", &settings)).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let (whole, killed) = (harvest(&work.path("whole")), harvest(&work.path("killed")));
    assert!(kills >= 2, "only {kills} kills");
    let differs = whole.iter().zip(&killed).position(|(a, b)| format!("{a:?}") != format!("{b:?}"));
    assert_eq!(differs.map(|at| (&whole[at], &killed[at])).map(|pair| format!("{pair:?}")), None);
    assert_eq!(whole.len(), killed.len());
}

#[test]
fn a_hostile_page_starves_nobody() {
    let (server, _) = serve(Hosts { delay_ms: 0 });
    let web = server.proxy();
    let work = Work::new();
    topic_file(&work);
    let more = [&FOCUSED[..], &["--pages", "200", "http://trap.example/"]].concat();
    assert!(work.webmill(&arguments(&web, "crawl", &more)).output().unwrap().status.success());
    let rows = harvest(&work.path("crawl"));
    let trapped = rows.iter().filter(|row| row.url.contains("trap.example")).count();
    let hosts: HashSet<&str> = rows.iter().filter_map(|row| row.url.split('/').nth(2)).collect();
    // A word said 200,000 times is one word: its pages are hardly relevant, and others are fetched beside them.
    assert!(trapped <= 100 && hosts.len() >= 8, "{trapped} of {} pages, {} hosts", rows.len(), hosts.len());
}

#[test]
fn wrong_topics_and_combinations_are_refused_with_the_reason() {
    let (server, _) = serve(Hosts { delay_ms: 0 });
    let web = server.proxy();
    let work = Work::new();
    topic_file(&work);
    let utf16: Vec<u8> = "\u{feff}kind = 'words'".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let files: [(&str, &[u8], &str); 5] = [
        ("utf16.toml", &utf16, "UTF-16"),
        ("gbk.toml", b"[words]\n\"\xb2\xe8\" = 1.0\n", "byte 9 is not UTF-8"),
        ("unknown.toml", b"colour = 'green'", "unknown field"),
        ("empty.toml", b"", "[words] has none"),
        ("model.toml", b"kind = 'model'\nmodel = 'topic.toml'\n", "no model"),
    ];
    for (name, bytes, says) in files {
        std::fs::write(work.path(name), bytes).unwrap();
        let ran = work
            .webmill(&arguments(&web, "refused", &["--strategy", "focused", "--topic", name]))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            !ran.status.success()
                && said.contains(says)
                && said.contains(name.trim_end_matches(".toml")) | (name == "model.toml"),
            "{name}: {said}"
        );
    }
    for (more, says) in [
        (&["--strategy", "focused"][..], "needs a topic"),
        (&["--topic", "topic.toml"], "of strategy focused alone"),
        (
            &[
                "--strategy",
                "focused",
                "--topic",
                "topic.toml",
                "--set",
                "crawl.agents.agents=[\"a\", \"b\"]",
                "--set",
                "crawl.agents.name=a",
                "--set",
                "crawl.agents.exchange=x",
            ],
            "several agents",
        ),
    ] {
        let ran = work.webmill(&arguments(&web, "refused", more)).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(!ran.status.success() && said.contains(says), "{more:?}: {said}");
    }
    let ran = |topic: &str| {
        let more = ["--strategy", "focused", "--topic", topic, "--pages", "5"];
        work.webmill(&arguments(&web, "kept", &more)).output().unwrap()
    };
    assert!(ran("topic.toml").status.success());
    std::fs::write(work.path("other.toml"), "[words]\ncake = 1.0\n").unwrap();
    let said = String::from_utf8_lossy(&ran("other.toml").stderr).into_owned();
    assert!(said.contains("begun with another topic"), "{said}");
}
