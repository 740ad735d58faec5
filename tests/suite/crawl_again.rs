//! Crawling the same folder again: pages are visited when they are due, with the validators that they gave, and what is as it
//! was takes a revisit record.

use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::{Again, Ended};
use webmill::shard::{ReadOptions, RecordType, ShardReader};

use super::crawl_again_site::{BEGAN, DAY_MS, Manner, Pages, every, open, round, visits, words};
use super::crawl_support::{Quiet, Written, answers, events, message, serve, shard_files};

const HOME: &str = "http://c.example/";

fn address(path: &str) -> String {
    format!("{HOME}{path}")
}

/// A page that stays, one that changes every day, one that only says which day it is, and one that vanishes on the fifth.
fn set_to(pages: &Pages, day: u64) {
    let links = ["still", "changing", "clock", "gone"].map(|path| format!("<a href=/{path}>x</a>"));
    pages.set(HOME, links.concat());
    pages.set(&address("still"), format!("<!doctype html><p>{}", words(7)));
    pages.set(&address("changing"), format!("<!doctype html><p>{}", words(day)));
    pages.set(&address("clock"), format!("<!doctype html><p>{} It is day {day}.", words(3)));
    match day < 5 {
        true => pages.set(&address("gone"), format!("<!doctype html><p>{}", words(9))),
        false => pages.remove(&address("gone")),
    }
}

fn found(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, what)| (address(path), (*what).to_owned())).collect()
}

#[test]
fn a_round_visits_what_is_due_and_stores_what_is_new() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        for manner in [Manner::Honest, Manner::Silent] {
            let pages = Pages::new(manner);
            set_to(&pages, 0);
            let (server, record) = serve(pages.clone());
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let mut options = every(server.proxy(), 1);
            options.archive.format = format;
            assert_eq!(round(folder, &options, &[HOME], 0.0).stored, 5);
            let asked = record.requests().len();
            // Nothing is due yet.
            round(folder, &options, &[HOME], 0.5);
            assert_eq!(record.requests().len(), asked, "asked too soon");
            set_to(&pages, 10);
            let so_far = events(folder).len();
            round(folder, &options, &[HOME], 1.5);
            let want = [
                ("", "unchanged"),
                ("changing", "changed"),
                ("clock", "near"),
                ("gone", "error"),
                ("still", "unchanged"),
            ];
            assert_eq!(visits(folder, so_far), found(&want), "{format:?} {manner:?}");
            // Twice missing, a day apart: gone.
            let so_far = events(folder).len();
            round(folder, &options, &[HOME], 3.0);
            let gone = visits(folder, so_far);
            assert!(gone.contains(&found(&[("gone", "gone")])[0]), "{gone:?}");
            let full =
                answers(folder).iter().filter(|a| a.data.windows(9).any(|w| w == b"<!doctype")).count();
            assert_eq!(full, 4 + 2, "{format:?}: only what differs is stored in full");
            let mut revisits = 0;
            for path in shard_files(folder) {
                let mut reader = ShardReader::open(&path, &ReadOptions::default()).unwrap();
                while let Some(item) = reader.next() {
                    revisits += usize::from(item.unwrap().kind == RecordType::Revisit);
                }
            }
            assert_eq!(revisits, 2 + 4, "{format:?}");
        }
    }
}

#[test]
fn histories_are_built_again_from_the_event_log() {
    let pages = Pages::new(Manner::Silent);
    let (server, _) = serve(pages.clone());
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let options = every(server.proxy(), 1);
    let mut third = Vec::new();
    for (day, lost) in [(0.0, false), (1.5, false), (4.0, true), (7.0, false)] {
        if lost {
            std::fs::remove_dir_all(folder.join("frontier")).unwrap();
        }
        set_to(&pages, day as u64);
        let so_far = if day > 0.0 { events(folder).len() } else { 0 };
        round(folder, &options, &[HOME], day);
        if lost {
            third = visits(folder, so_far);
        }
    }
    for visit in found(&[("changing", "changed"), ("still", "unchanged")]) {
        assert!(third.contains(&visit), "{third:?}");
    }
    assert!(third.iter().all(|(_, visit)| visit != "new"), "{third:?}");
}

#[test]
fn continuous_crawls_wait_for_what_is_due() {
    let pages = Pages::new(Manner::Honest);
    pages.set(HOME, "<!doctype html><p>the same for ever and ever</p>");
    let (server, record) = serve(pages);
    let folder = tempfile::tempdir().unwrap();
    let mut options = every(server.proxy(), 1);
    options.again = Again::Ever;
    options.revisit.least_s = 1;
    options.limits.seconds = Some(4);
    let mut crawl = open(folder.path(), &options, &[HOME]);
    crawl.set_clock(BEGAN);
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    assert_eq!(ended, Ended::Time, "it waits");
    crawl.close(ended).unwrap();
    assert_eq!(record.counts().get(HOME), Some(&1));
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
    let mut options = every(server.proxy(), 1);
    options.politeness.max_failures = 2;
    for day in [0.0, 1.5, 3.0] {
        let mut crawl = open(folder.path(), &options, &[HOME, "http://busy.example/"]);
        crawl.set_clock(BEGAN + (day * DAY_MS as f64) as i64);
        let ended = crawl.run(&mut Quiet, &|| false).unwrap();
        assert_eq!((ended, crawl.missing().unwrap().waiting), (Ended::Finished, 1), "day {day}");
        crawl.close(ended).unwrap();
    }
}
