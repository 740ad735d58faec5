//! Crawling the same folder again: pages are visited when they are due, with the validators that they gave, and what is as it
//! was takes a revisit record.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use webmill::capture::CanonicalUrl;
use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::event::outcome;
use webmill::crawl::{Crawl, CrawlOptions, Ended, Totals};
use webmill::revisit::Schedule;
use webmill::shard::{ReadOptions, RecordType, ShardReader};
use webmill::sim::{Answer, Site, SynthPage};

use super::crawl_support::{Quiet, Written, answers, events, message, serve, shard_files, swift, whole};

const DAY_MS: i64 = 86_400_000;
/// The day of the first crawl.
const BEGAN: i64 = 1_700_000_000_000;

/// A site whose pages are what `now` makes of them; pages of `/tagged` have an ETag and are not sent twice.
struct Changing {
    now: Arc<AtomicU64>,
    /// Conditional requests, as they came.
    bodies: Arc<AtomicU64>,
}

fn text(url: &str, now: u64) -> Option<String> {
    let path = url.strip_prefix("http://c.example").unwrap_or("/");
    let words =
        |n: u64| (0..1_000).map(|w| format!("w{}", (w * 31 + n * 977) % 5_000)).collect::<Vec<_>>().join(" ");
    Some(match path {
        "/" => "<a href=/tagged/still>a</a><a href=/still>b</a><a href=/changing>c</a><a href=/clock>d</a><a href=/gone>e</a>"
            .to_owned(),
        "/tagged/still" | "/still" => format!("<p>{}</p>", words(7)),
        "/changing" => format!("<p>{}</p>", words(now)),
        "/clock" => format!("<p>{} It is day {now}.</p>", words(3)),
        "/gone" if now < 5 => format!("<p>{}</p>", words(9)),
        _ => return None,
    })
}

impl Site for Changing {
    fn answer_into(&self, _: &str, url: &str, _: u32, _: &mut SynthPage, out: &mut Answer) {
        let now = self.now.load(Ordering::Relaxed);
        let message = match text(url, now) {
            None => message("404 Not Found", "", "gone"),
            Some(body) => {
                self.bodies.fetch_add(body.len() as u64, Ordering::Relaxed);
                message("200 OK", "Content-Type: text/html\r\n", &format!("<!doctype html>{body}"))
            }
        };
        *out = whole(message);
    }
}

fn round(folder: &std::path::Path, options: &CrawlOptions, day: f64) -> Totals {
    let seed = CanonicalUrl::parse("http://c.example/").unwrap();
    let (mut crawl, _) = Crawl::open(folder, options, &[seed], 2, None).unwrap();
    crawl.set_clock(BEGAN + (day * DAY_MS as f64) as i64);
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    assert_eq!(ended, Ended::Finished);
    crawl.close(ended).unwrap()
}

/// What the visits of a round found, by URL.
fn found(folder: &std::path::Path, day: f64) -> Vec<(String, String)> {
    let begin = BEGAN + (day * DAY_MS as f64) as i64;
    let mut all: Vec<(String, String)> = events(folder)
        .into_iter()
        .filter(|event| event.fetch_time_ms >= begin && event.visit.is_some())
        .map(|event| (event.url.replace("http://c.example", ""), event.visit.unwrap().into_owned()))
        .collect();
    all.sort();
    all
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(url, what)| ((*url).to_owned(), (*what).to_owned())).collect()
}

#[test]
fn a_round_visits_what_is_due_and_stores_what_is_new() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let now = Arc::new(AtomicU64::new(0));
        let site = Changing { now: now.clone(), bodies: Arc::default() };
        let (server, record) = serve(site);
        let folder = tempfile::tempdir().unwrap();
        let mut options = swift(server.proxy());
        options.archive.format = format;
        options.revisits = true;
        options.revisit.schedule = Schedule::Fixed;
        options.revisit.every_s = 86_400;
        assert_eq!(round(folder.path(), &options, 0.0).stored, 6);
        assert_eq!(found(folder.path(), 0.0).len(), 6);
        let asked = record.requests().len();
        // Nothing is due yet.
        round(folder.path(), &options, 0.5);
        assert_eq!(record.requests().len(), asked, "asked too soon");
        now.store(10, Ordering::Relaxed);
        let totals = round(folder.path(), &options, 1.5);
        let want = [
            ("/", "unchanged"),
            ("/changing", "changed"),
            ("/clock", "near"),
            ("/gone", "error"),
            ("/still", "unchanged"),
            ("/tagged/still", "unchanged"),
        ];
        assert_eq!(found(folder.path(), 1.5), named(&want), "{format:?}");
        assert_eq!(totals.outcomes.get(outcome::UNCHANGED), 3);
        // Twice missing, a day apart: gone.
        round(folder.path(), &options, 3.0);
        let gone = found(folder.path(), 3.0);
        assert!(gone.contains(&("/gone".to_owned(), "gone".to_owned())), "{gone:?}");
        let stored = answers(folder.path()).into_iter().filter(|a| !a.url.ends_with("robots.txt"));
        let full = stored.filter(|answer| answer.data.windows(9).any(|w| w == b"<!doctype")).count();
        assert_eq!(full, 6 + 2, "{format:?}: only what differs is stored in full");
        let mut revisits = 0;
        for path in shard_files(folder.path()) {
            let mut reader = ShardReader::open(&path, &ReadOptions::default()).unwrap();
            while let Some(item) = reader.next() {
                let item = item.unwrap();
                revisits += usize::from(item.kind == RecordType::Revisit);
            }
        }
        assert_eq!(revisits, 3 + 5, "{format:?}");
    }
}

#[test]
fn a_folder_that_is_not_told_to_visits_nothing_again() {
    let site = Changing { now: Arc::default(), bodies: Arc::default() };
    let (server, record) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let options = swift(server.proxy());
    round(folder.path(), &options, 0.0);
    let asked = record.requests().len();
    round(folder.path(), &options, 400.0);
    let later =
        record.requests().into_iter().skip(asked).filter(|(_, asked)| !asked.url.ends_with("robots.txt"));
    assert_eq!(later.count(), 0);
}

#[test]
fn histories_are_built_again_from_the_event_log() {
    let now = Arc::new(AtomicU64::new(0));
    let site = Changing { now: now.clone(), bodies: Arc::default() };
    let (server, _) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.revisits = true;
    options.revisit.every_s = 86_400;
    let mut rounds = Vec::new();
    for (day, lost) in [(0.0, false), (1.5, false), (4.0, true), (7.0, false)] {
        if lost {
            std::fs::remove_dir_all(folder.path().join("frontier")).unwrap();
        }
        now.store(day as u64, Ordering::Relaxed);
        round(folder.path(), &options, day);
        rounds.push(found(folder.path(), day));
    }
    assert!(rounds[2].contains(&("/changing".to_owned(), "changed".to_owned())), "{rounds:?}");
    assert!(rounds[2].contains(&("/still".to_owned(), "unchanged".to_owned())), "{rounds:?}");
    assert!(rounds[2].iter().all(|(_, visit)| visit != "new"), "{rounds:?}");
}

/// Answers with 304 to whoever says what it knows.
struct Validating {
    seen: Arc<Mutex<Vec<String>>>,
}

impl Site for Validating {
    fn answer_into(&self, _: &str, url: &str, _: u32, _: &mut SynthPage, out: &mut Answer) {
        self.seen.lock().unwrap().push(url.to_owned());
        let headers =
            "Content-Type: text/html\r\nETag: \"one\"\r\nLast-Modified: Tue, 15 Apr 2003 08:13:06 GMT\r\n";
        let message = message("200 OK", headers, "<!doctype html><p>the same for ever and ever</p>");
        *out = whole(message);
    }
}

#[test]
fn continuous_crawls_wait_for_what_is_due() {
    let site = Validating { seen: Arc::default() };
    let seen = site.seen.clone();
    let (server, _) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    (options.revisits, options.continuous) = (true, true);
    options.revisit.least_s = 1;
    options.limits.seconds = Some(4);
    let seed = CanonicalUrl::parse("http://v.example/").unwrap();
    let (mut crawl, _) = Crawl::open(folder.path(), &options, std::slice::from_ref(&seed), 2, None).unwrap();
    crawl.set_clock(BEGAN);
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    assert_eq!(ended, Ended::Time, "it waits");
    crawl.close(ended).unwrap();
    let asked = |seen: &[String]| seen.iter().filter(|url| url.ends_with(".example/")).count();
    let seen = seen.lock().unwrap();
    assert_eq!(asked(&seen), 1, "{seen:?}");
}

#[test]
fn a_busy_host_beside_others_does_not_keep_a_round_from_its_end() {
    let busy = || message("503 Service Unavailable", "", "later");
    let web = Written::default()
        .answer("http://busy.example/robots.txt", busy())
        .answer("http://busy.example/", busy())
        .page("http://c.example/", &["/x"])
        .page("http://c.example/x", &[]);
    let (server, _) = serve(web);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.revisits = true;
    options.revisit.schedule = Schedule::Fixed;
    options.revisit.every_s = 86_400;
    options.politeness.max_failures = 2;
    let urls = ["http://c.example/", "http://busy.example/"];
    let seeds: Vec<CanonicalUrl> = urls.iter().map(|url| CanonicalUrl::parse(url).unwrap()).collect();
    for day in [0.0, 1.5, 3.0] {
        let (mut crawl, _) = Crawl::open(folder.path(), &options, &seeds, 2, None).unwrap();
        crawl.set_clock(BEGAN + (day * DAY_MS as f64) as i64);
        let ended = crawl.run(&mut Quiet, &|| false).unwrap();
        assert_eq!((ended, crawl.missing().unwrap().waiting), (Ended::Finished, 1), "day {day}");
        crawl.close(ended).unwrap();
    }
}
