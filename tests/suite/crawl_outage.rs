//! Outages, rate limits and cut-off answers cost a crawl time, never pages; what is missing in the end is counted, and the next run
//! brings it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use webmill::capture::Truncation;
use webmill::crawl::event::outcome;
use webmill::crawl::{Crawl, CrawlOptions, Ended, Purpose, Snapshot};
use webmill::sim::{ServeOptions, Server, Site};

use super::crawl_support::{
    Quiet, Worked, Written, answers, crawl, cut, events, message, seeds, serve, swift, whole,
};

/// A site whose front page links to this many others.
fn star(host: &str, pages: usize) -> Written {
    let links: Vec<String> = (0..pages).map(|n| format!("/{n}.html")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let front = Written::default().page(&format!("http://{host}/"), &links);
    (0..pages).fold(front, |site, n| {
        let url = format!("http://{host}/{n}.html");
        let body = format!(
            "<title>{n}</title><p>Page {n} has {} words of its own: {}</p>",
            n * 7,
            "w".repeat(n % 40)
        );
        site.answer(&url, message("200 OK", "Content-Type: text/html\r\n", &body))
    })
}

/// Settings for servers of this machine that are asked without a proxy.
fn direct() -> CrawlOptions {
    let mut options = swift(String::new());
    options.fetch.proxy = None;
    options.fetch.allow_private = true;
    options.fetch.connect_ms = 1_000;
    options
}

/// Pages stored so far.
#[derive(Default, Clone)]
struct StoredPages(Arc<AtomicU64>);

impl webmill::crawl::Observer for StoredPages {
    fn look(&mut self, snapshot: &Snapshot) {
        self.0.store(snapshot.totals.stored, Ordering::Relaxed);
    }
}

/// A URL where nothing listens.
fn nowhere() -> String {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    format!("http://{address}/")
}

/// Serves `host` at an address of this machine.
fn listen(site: impl Site + 'static, address: &str) -> Server {
    let address: SocketAddr = address.parse().unwrap();
    Server::start(site, ServeOptions { address, ..ServeOptions::default() }).unwrap()
}

#[test]
fn a_host_that_is_away_for_a_while_loses_no_page() {
    let first = listen(star("a.example", 1), "127.0.0.1:0");
    let at = first.address().to_string();
    drop(first);
    let server = Mutex::new(Some(listen(star(&at, 200), &at)));
    let folder = tempfile::tempdir().unwrap();
    let mut options = direct();
    options.politeness.delay_ms = 10;
    options.politeness.max_failures = 60;
    let (mut crawl, _) =
        Crawl::open(folder.path(), &options, &seeds(&[&format!("http://{at}/")]), 2, None).unwrap();
    let (away, back) = (Mutex::new(None), AtomicBool::new(false));
    let seen = StoredPages::default();
    let stop = || {
        // The server goes away in the midst, and comes back two seconds later.
        let stored = seen.0.load(Ordering::Relaxed);
        let mut since = away.lock().unwrap();
        match *since {
            None if stored > 40 => {
                server.lock().unwrap().take();
                *since = Some(Instant::now());
            }
            Some(gone) if gone.elapsed() > Duration::from_secs(2) && !back.swap(true, Ordering::Relaxed) => {
                *server.lock().unwrap() = Some(listen(star(&at, 200), &at));
            }
            _ => {}
        }
        false
    };
    let ended = crawl.run(&mut seen.clone(), &stop).unwrap();
    assert!(back.load(Ordering::Relaxed), "the outage did not happen");
    assert_eq!((ended, crawl.missing().unwrap().urls()), (Ended::Finished, 0));
    assert_eq!(crawl.close(ended).unwrap().stored, 201);
    assert!(events(folder.path()).iter().any(|e| e.outcome == outcome::RETRY));
}

#[test]
fn what_a_dead_host_had_is_counted_and_comes_with_the_next_run() {
    let first = listen(star("a.example", 1), "127.0.0.1:0");
    let at = first.address().to_string();
    drop(first);
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<String> = (0..20).map(|n| format!("http://{at}/{n}.html")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    for (run, alive) in [(0, false), (1, false), (2, true)] {
        let _server = alive.then(|| listen(star(&at, 20), &at));
        let (mut crawl, opened) = Crawl::open(folder.path(), &direct(), &seeds(&all), 2, None).unwrap();
        assert_eq!(opened.revived, u64::from(run > 0), "run {run}");
        let ended = crawl.run(&mut Quiet, &|| false).unwrap();
        assert_eq!(ended, Ended::Finished);
        let missing = crawl.missing().unwrap();
        let totals = crawl.close(ended).unwrap();
        if alive {
            assert_eq!((missing.urls(), totals.stored), (0, 20));
            continue;
        }
        assert_eq!((missing.urls(), missing.waiting, missing.host_count), (20, 20, 1));
        assert_eq!((missing.hosts[0].0.reason.as_str(), missing.hosts[0].1), ("connect-failure", 20));
        let told = events(folder.path());
        let waits =
            told.iter().filter(|e| e.purpose == Purpose::Page && e.outcome == outcome::HOST_UNREACHABLE);
        let urls: std::collections::BTreeSet<&str> = waits.map(|e| e.url.as_str()).collect();
        assert_eq!(urls.len(), 20, "every URL has its end in the event log");
    }
}

#[test]
fn a_dead_port_of_a_host_does_not_hold_up_the_others() {
    let first = listen(star("a.example", 1), "127.0.0.1:0");
    let at = first.address().to_string();
    drop(first);
    let _server = listen(star(&at, 30), &at);
    let folder = tempfile::tempdir().unwrap();
    let all = seeds(&[&nowhere(), &format!("http://{at}/")]);
    let (mut crawl, _) = Crawl::open(folder.path(), &direct(), &all, 2, None).unwrap();
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    // The dead port costs its own URL's attempts, not the patience of the crawl.
    let missing = crawl.missing().unwrap();
    assert_eq!((missing.urls(), missing.waiting), (1, 0));
    assert_eq!(crawl.close(ended).unwrap().stored, 31);
}

#[test]
fn patience_ends_a_crawl_that_only_waits() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = direct();
    options.politeness.backoff_ms = 3_000;
    options.politeness.patience_ms = Some(500);
    let start = Instant::now();
    let (mut crawl, _) = Crawl::open(folder.path(), &options, &seeds(&[&nowhere()]), 1, None).unwrap();
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    assert_eq!((ended, crawl.missing().unwrap().urls()), (Ended::Patience, 1));
    assert!(start.elapsed() < Duration::from_secs(30));
    crawl.close(ended).unwrap();
}

#[test]
fn a_rate_limit_costs_time_and_no_page() {
    // A bucket of tokens: an answer costs one, a hundred are earned a second, without one it is 429.
    let (site, began, answered) = (star("l.example", 300), Instant::now(), AtomicU64::new(0));
    let (server, record) = serve(Worked(move |url: &str, _| {
        let earned = began.elapsed().as_secs_f64() * 100.0 + 3.0;
        if !url.ends_with("/robots.txt") && answered.load(Ordering::Relaxed) as f64 >= earned {
            return whole(message("429 Too Many Requests", "", "slow down"));
        }
        answered.fetch_add(1, Ordering::Relaxed);
        site.of(url, 0)
    }));
    let folder = tempfile::tempdir().unwrap();
    let totals = crawl(folder.path(), &swift(server.proxy()), &seeds(&["http://l.example/"]));
    assert_eq!((totals.stored, totals.given_up.is_empty()), (301, true));
    let refused = record.requests().iter().filter(|(_, asked)| asked.status == 429).count();
    assert!(refused > 0, "the limit was never met");
    assert!(refused < 100, "{refused} refusals of 301 pages: the pace was not learned");
    // A refusal costs no attempt.
    assert!(events(folder.path()).iter().all(|event| event.retries == 0));
}

const BODY: usize = 1_000;

/// A Web of bodies that break off: bytes sent of each attempt of a URL, the last for all further ones.
fn breaking(sent: HashMap<&'static str, Vec<usize>>) -> impl Site + 'static {
    Worked(move |url: &str, attempt| match sent.get(url) {
        None => whole(message("404 Not Found", "", "")),
        Some(all) => {
            let body = format!("<p>{}</p>", "x".repeat(BODY - 7));
            let sent = all.get(attempt as usize).or(all.last()).unwrap();
            cut(message("200 OK", "Content-Type: text/html\r\n", &body), *sent)
        }
    })
}

#[test]
fn bodies_that_break_off_are_asked_for_again_and_the_longest_is_kept() {
    let web = breaking(HashMap::from([
        ("http://b.example/whole-at-last", vec![100, 300, BODY]),
        ("http://b.example/never-whole", vec![100, 700, 300]),
        // The server says a wrong length: all that there is comes each time.
        ("http://b.example/wrong-length", vec![500]),
    ]));
    let (server, _) = serve(web);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.max_retries = 3;
    let urls =
        ["http://b.example/whole-at-last", "http://b.example/never-whole", "http://b.example/wrong-length"];
    let (mut crawl, _) = Crawl::open(folder.path(), &options, &seeds(&urls), 2, None).unwrap();
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    let missing = crawl.missing().unwrap();
    assert_eq!((missing.urls(), missing.given_up.get(outcome::CUT_OFF)), (2, 2));
    crawl.close(ended).unwrap();
    let mut stored = answers(folder.path());
    stored.sort_by(|a, b| b.url.cmp(&a.url));
    let got: Vec<_> = stored.iter().map(|s| (s.url.as_str(), s.truncated, s.data.len())).collect();
    let head = got[1].2 - BODY;
    assert_eq!(got[0], (urls[2], Some(Truncation::Disconnect), head + 500));
    assert_eq!(got[1], (urls[0], None, head + BODY));
    assert_eq!(got[2], (urls[1], Some(Truncation::Disconnect), head + 700));
    let told = events(folder.path());
    let cut = told.iter().filter(|e| e.truncated.as_deref() == Some("disconnect"));
    assert_eq!(cut.count(), 2 + 4 + 2, "each attempt says that its body broke off");
}

#[test]
fn errors_of_a_server_are_asked_for_again_when_told() {
    let error = || message("500 Internal Server Error", "", "later");
    let late = "http://e.example/late.html";
    let site = Written::default()
        .page("http://e.example/", &["/0.html", "/late.html"])
        .page("http://e.example/0.html", &[])
        .answer(late, error())
        .answer(late, error())
        .page(late, &[]);
    let (server, _) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.max_retries = 1;
    let totals = crawl(folder.path(), &options, &seeds(&["http://e.example/"]));
    assert_eq!((totals.stored, totals.given_up.get(outcome::SERVER_ERROR)), (2, 1));
    // The same command alone does not ask for what the server answered with an error.
    let totals = crawl(folder.path(), &options, &seeds(&["http://e.example/"]));
    assert_eq!(totals.stored, 2);
    let (mut again, _) =
        Crawl::open(folder.path(), &options, &seeds(&["http://e.example/"]), 2, None).unwrap();
    assert_eq!(again.ask_again(&[outcome::SERVER_ERROR]).unwrap(), 1);
    assert_eq!(again.ask_again(&[outcome::SERVER_ERROR]).unwrap(), 0, "once");
    let ended = again.run(&mut Quiet, &|| false).unwrap();
    let totals = again.close(ended).unwrap();
    assert_eq!((totals.stored, totals.given_up.is_empty()), (3, true));
    assert_eq!(answers(folder.path()).len(), 3);
}

/// A host of forty pages that answers the requests of this range with an error.
fn out_of_order(errors: std::ops::Range<u64>) -> impl Site + 'static {
    let (site, asked) = (star("o.example", 40), AtomicU64::new(0));
    Worked(move |url: &str, _| {
        let nth = if url.ends_with("/robots.txt") { 0 } else { asked.fetch_add(1, Ordering::Relaxed) };
        match errors.contains(&nth) {
            true => whole(message("500 Internal Server Error", "", "out of order")),
            false => site.of(url, 0),
        }
    })
}

#[test]
fn a_host_that_answers_with_errors_alone_for_a_while_loses_no_page() {
    let (server, record) = serve(out_of_order(10..110));
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.max_retries = 1;
    (options.politeness.backoff_ms, options.politeness.max_backoff_ms) = (5, 5);
    options.politeness.max_failures = 200;
    let totals = crawl(folder.path(), &options, &seeds(&["http://o.example/"]));
    assert_eq!((totals.stored, totals.given_up.is_empty()), (41, true), "{:?}", totals.outcomes);
    let refused = record.requests().iter().filter(|(_, asked)| asked.status == 500).count();
    assert_eq!(refused, 100);
}

/// A page of 380 kB that hardly compresses.
fn heavy(url: &str) -> Vec<u8> {
    let mut x = url.bytes().fold(1u64, |x, b| x.wrapping_mul(31).wrapping_add(b.into()));
    let mut text = String::from("<p>");
    while text.len() < 380_000 {
        x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        text.push_str(&format!("{x:016x} "));
    }
    message("200 OK", "Content-Type: text/html\r\n", &text)
}

#[test]
fn parts_of_answers_that_find_no_room_are_counted_and_said_and_their_urls_come_all_the_same() {
    for (breaks, given_up) in [(1, 0), (9, 6)] {
        let sent = move |attempt| if attempt < breaks { 370_000 } else { usize::MAX / 2 };
        let (server, _) = serve(Worked(move |url: &str, attempt| cut(heavy(url), sent(attempt))));
        let folder = tempfile::tempdir().unwrap();
        let mut options = swift(server.proxy());
        // A thirty-second of it is for such parts.
        options.memory = 16 << 20;
        options.obey_robots = false;
        options.max_retries = 1;
        let all: Vec<String> = (0..6).map(|n| format!("http://h.example/{n}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let totals = crawl(folder.path(), &options, &seeds(&all));
        // Where no attempt brings all of it, the last one is stored whatever room there is.
        assert_eq!(
            (totals.stored, totals.given_up.get(outcome::CUT_OFF)),
            (6, given_up),
            "{:?}",
            totals.outcomes
        );
        assert_eq!(answers(folder.path()).len(), 6);
        let lost = totals.lost_parts.get("no-room");
        assert!((1..6).contains(&lost), "{lost}");
        let told = events(folder.path());
        let said =
            told.iter().filter(|e| e.detail.as_deref().is_some_and(|d| d.contains("for want of room")));
        assert_eq!(said.count() as u64, lost);
    }
}

#[test]
fn a_part_that_waits_when_a_run_ends_is_counted() {
    let web = breaking(HashMap::from([("http://b.example/x", vec![100, BODY])]));
    let (server, _) = serve(web);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    (options.politeness.backoff_ms, options.politeness.max_backoff_ms) = (60_000, 60_000);
    let all = seeds(&["http://b.example/x"]);
    let (mut crawl, _) = Crawl::open(folder.path(), &options, &all, 2, None).unwrap();
    let seen = FailedAttempts::default();
    let ended = crawl.run(&mut seen.clone(), &|| seen.0.load(Ordering::Relaxed) > 0).unwrap();
    assert_eq!(ended, Ended::Stopped);
    assert!(crawl.frontier().queued > 0, "its URL waits");
    assert_eq!(crawl.close(ended).unwrap().lost_parts.get("run-ended"), 1);
}

/// Attempts that failed so far.
#[derive(Default, Clone)]
struct FailedAttempts(Arc<AtomicU64>);

impl webmill::crawl::Observer for FailedAttempts {
    fn look(&mut self, snapshot: &Snapshot) {
        self.0.store(snapshot.totals.outcomes.get(outcome::RETRY), Ordering::Relaxed);
    }
}

#[test]
fn whatever_was_given_up_is_asked_for_again_however_much_it_is() {
    // Memory holds two thousand of them at once.
    let links: Vec<String> = (0..4_500).map(|n| format!("/{n}.html")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let (server, record) = serve(Written::default().page("http://m.example/", &links));
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.memory = 16 << 20;
    let all = seeds(&["http://m.example/"]);
    let totals = crawl(folder.path(), &options, &all);
    let gone = totals.outcomes.get(outcome::GONE);
    assert!(gone >= 4_500, "{gone}");
    let before = record.requests().len();
    let (mut again, _) = Crawl::open(folder.path(), &options, &all, 2, None).unwrap();
    assert_eq!(again.ask_again(&[outcome::GONE]).unwrap(), gone);
    assert_eq!(again.ask_again(&[outcome::GONE]).unwrap(), 0, "once");
    let ended = again.run(&mut Quiet, &|| false).unwrap();
    again.close(ended).unwrap();
    let asked = record.requests()[before..].iter().filter(|(_, a)| a.url.ends_with(".html")).count();
    assert_eq!(asked, 4_500);
}
