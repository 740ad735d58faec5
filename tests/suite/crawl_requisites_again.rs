//! Requisites of pages that are visited again: each date of the archive has the styles and pictures of its day, and none of them is in
//! a schedule or a table of pages.

use std::collections::BTreeMap;
use std::path::Path;

use webmill::capture::CanonicalUrl;
use webmill::capture::date::format_14;
use webmill::capture::digest::sha1_base32;
use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::event::{Event, outcome};
use webmill::crawl::{Again, CrawlOptions, Ended, Purpose, Totals};
use webmill::jobs::crawl::rows::{FreshnessRow, PageHistoryRow};
use webmill::sim::Recording;

use super::archives;
use super::crawl_again_site::{BEGAN, DAY_MS, Manner, Pages, every, open, round, words};
use super::crawl_support::{Quiet, events, serve, shard_files};
use super::crawl_tables::{rows, survey};
use crate::support::{Work, mirror};

const HOME: &str = "http://s.example/";
const ABOUT: &str = "http://s.example/about";
const STYLE: &str = "http://cdn.example/style.css";
const PRINT: &str = "http://cdn.example/print.css";
const PICTURE: &str = "http://cdn.example/picture.png";
const BACK: &str = "http://cdn.example/back.png";
const NEEDED: [&str; 4] = [BACK, PICTURE, PRINT, STYLE];

fn page(n: u64) -> String {
    format!(
        "<!doctype html><link rel=icon href=data:,><link rel=stylesheet href={STYLE}><img src={PICTURE}><a href=/about>about</a>\
         <p>{}",
        words(n)
    )
}

/// Two pages that share a style sheet, which names another one and a picture.
fn site(manner: Manner) -> Pages {
    let site = Pages::new(manner);
    site.set(HOME, page(1));
    site.set(ABOUT, page(2));
    site.set(STYLE, "@import 'print.css'; body { background: url(back.png) }");
    site.set(PRINT, "p { color: black }");
    site.set(PICTURE, "one");
    site.set(BACK, "grey");
    site
}

fn options(proxy: String) -> CrawlOptions {
    let mut options = every(proxy, 1);
    options.requisites = true;
    options.scope.url_exclude = vec!["/favicon".into()];
    options
}

/// Requests of each requisite after the first `before` requests, in the order of their URLs.
fn asked(record: &Recording, before: usize) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, asked) in record.requests().into_iter().skip(before) {
        if NEEDED.contains(&&*asked.url) {
            *counts.entry(asked.url).or_default() += 1;
        }
    }
    counts.into_iter().collect()
}

fn each_once(urls: &[&str]) -> Vec<(String, usize)> {
    urls.iter().map(|url| ((*url).to_owned(), 1)).collect()
}

/// What came of each requisite, by its events after the first `before`.
fn outcomes(folder: &Path, before: usize) -> BTreeMap<String, (String, String)> {
    let needed = |event: &Event| event.purpose == Purpose::Requisite;
    let all = events(folder).into_iter().skip(before).filter(needed);
    all.map(|event| {
        let visit = event.visit.as_deref().unwrap_or_default().to_owned();
        (event.url, (event.outcome.into_owned(), visit))
    })
    .collect()
}

fn said(outcome: &str, visit: &str) -> (String, String) {
    (outcome.to_owned(), visit.to_owned())
}

#[test]
fn each_date_of_the_archive_has_the_styles_of_its_day() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        for manner in [Manner::Honest, Manner::Silent] {
            let site = site(manner);
            let (server, record) = serve(site.clone());
            let mut options = options(server.proxy());
            options.archive.format = format;
            let work = Work::new();
            let folder = work.path("crawl");
            let first = round(&folder, &options, &[HOME], 0.0);
            assert_eq!((first.stored, first.requisites), (2, 4));
            assert_eq!(asked(&record, 0), each_once(&NEEDED));
            let (requests, so_far) = (record.requests().len(), events(&folder).len());
            // One page and what it is shown with change; the other page, a picture and a style sheet stay.
            site.set(HOME, page(77));
            site.set(STYLE, "@import 'print.css'; body { background: url(back.png); color: red }");
            site.set(BACK, "green");
            let second = round(&folder, &options, &[HOME], 2.0);
            assert_eq!(asked(&record, requests), each_once(&NEEDED), "{format:?} {manner:?}");
            let again = outcomes(&folder, so_far);
            let same = match manner {
                Manner::Honest => said(outcome::NOT_MODIFIED, "unchanged"),
                _ => said(outcome::UNCHANGED, "unchanged"),
            };
            assert_eq!(again[STYLE], said(outcome::STORED, "changed"));
            assert_eq!(again[BACK], said(outcome::STORED, "changed"));
            assert_eq!((&again[PRINT], &again[PICTURE]), (&same, &same));
            assert_eq!((second.stored, second.requisites), (3, 6));
            let found = |totals: &Totals| -> Vec<(String, u64)> {
                totals.requisite_visits.iter().map(|(name, n)| (name.to_owned(), n)).collect()
            };
            let of = |all: &[(&str, u64)]| -> Vec<(String, u64)> {
                all.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
            };
            assert_eq!(found(&second), of(&[("changed", 2), ("new", 4), ("unchanged", 2)]));
            assert_eq!(second.visits.iter().map(|(_, n)| n).sum::<u64>(), 4, "pages alone");
            let museum = archives::Served::start(&work, &["crawl/shards"]);
            let mut bodies = 0;
            for (day, home, back) in [(0, page(1), "grey"), (2, page(77), "green")] {
                let from = BEGAN + day * DAY_MS;
                for event in events(&folder).into_iter().filter(|event| event.visit.is_some()) {
                    if !(from..from + DAY_MS).contains(&event.fetch_time_ms) {
                        continue;
                    }
                    let at = format_14(event.fetch_time_ms);
                    let (status, head, body) = museum.get(&format!("/shards/{at}id_/{}", event.url));
                    assert_eq!(status, 200, "{format:?} {} on day {day}: {head}", event.url);
                    let wanted = match &*event.url {
                        HOME => home.clone(),
                        BACK => back.to_owned(),
                        STYLE if day == 0 => {
                            "@import 'print.css'; body { background: url(back.png) }".to_owned()
                        }
                        url => site.bodies.lock().unwrap()[url].clone(),
                    };
                    assert_eq!(sha1_base32(&body), sha1_base32(wanted.as_bytes()), "{} on {day}", event.url);
                    bodies += 1;
                }
            }
            assert_eq!(bodies, 12, "all of both days");
        }
    }
}

#[test]
fn pages_and_style_sheets_that_are_not_modified_have_what_they_name_asked_for_all_the_same() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let site = site(Manner::Honest);
        let (server, record) = serve(site.clone());
        let mut options = options(server.proxy());
        options.archive.format = format;
        let folder = tempfile::tempdir().unwrap();
        round(folder.path(), &options, &[HOME], 0.0);
        let (requests, so_far) = (record.requests().len(), events(folder.path()).len());
        site.set(BACK, "green");
        round(folder.path(), &options, &[HOME], 2.0);
        assert_eq!(asked(&record, requests), each_once(&NEEDED));
        assert_eq!(outcomes(folder.path(), so_far)[BACK], said(outcome::STORED, "changed"));
        assert_eq!(outcomes(folder.path(), so_far)[STYLE], said(outcome::NOT_MODIFIED, "unchanged"));
    }
}

#[test]
fn requisites_are_asked_for_again_where_they_were_missing_or_moved() {
    let site = site(Manner::Honest);
    site.remove(PICTURE);
    site.set(STYLE, "-> http://cdn.example/print.css");
    let (server, record) = serve(site.clone());
    let options = options(server.proxy());
    let folder = tempfile::tempdir().unwrap();
    let first = round(folder.path(), &options, &[HOME], 0.0);
    assert_eq!(first.requisites, 1);
    let (requests, so_far) = (record.requests().len(), events(folder.path()).len());
    site.set(PICTURE, "there now");
    site.set(PRINT, "p { color: blue }");
    let second = round(folder.path(), &options, &[HOME], 2.0);
    assert_eq!(asked(&record, requests), each_once(&[PICTURE, PRINT, STYLE]));
    let again = outcomes(folder.path(), so_far);
    assert_eq!(again[PICTURE], said(outcome::STORED, "new"));
    assert_eq!(again[PRINT], said(outcome::STORED, "changed"));
    assert_eq!(again[STYLE], said(outcome::REDIRECT, "moved"));
    assert_eq!(second.requisites, 3);
    // And where they vanish.
    let so_far = events(folder.path()).len();
    site.remove(PICTURE);
    round(folder.path(), &options, &[HOME], 4.0);
    assert_eq!(outcomes(folder.path(), so_far)[PICTURE], said(outcome::GONE, "error"), "missing once");
}

#[test]
fn requisites_stay_as_they_are_where_no_page_is_visited_again() {
    let site = site(Manner::Honest);
    let (server, record) = serve(site.clone());
    let mut options = options(server.proxy());
    let folder = tempfile::tempdir().unwrap();
    round(folder.path(), &options, &[HOME], 0.0);
    let requests = record.requests().len();
    // Too soon for any page.
    round(folder.path(), &options, &[HOME], 0.5);
    options.again = Again::Later;
    round(folder.path(), &options, &[HOME], 3.0);
    assert_eq!(asked(&record, requests), []);
    // A page that is new in a round has its requisites as of this day.
    options.again = Again::Due;
    options.revisit.every_s = 30 * 86_400;
    site.set("http://s.example/new", page(5));
    round(folder.path(), &options, &[HOME, "http://s.example/new"], 0.7);
    assert_eq!(asked(&record, requests), each_once(&NEEDED));
}

#[test]
fn a_page_whose_shard_was_taken_away_names_nothing_when_it_is_not_modified() {
    let site = site(Manner::Honest);
    let (server, record) = serve(site.clone());
    let options = options(server.proxy());
    let folder = tempfile::tempdir().unwrap();
    round(folder.path(), &options, &[HOME], 0.0);
    let requests = record.requests().len();
    // An empty shard in its place: the frontier is of use still.
    for path in shard_files(folder.path()) {
        let length = path.metadata().unwrap().len();
        std::fs::write(&path, vec![b'\n'; length as usize]).unwrap();
    }
    let second = round(folder.path(), &options, &[HOME], 2.0);
    assert_eq!(second.visits.get("unchanged"), 2);
    assert_eq!(second.refused.get("requisites-of-a-capture-taken-away"), 2);
    assert_eq!(asked(&record, requests), []);
}

#[test]
fn where_a_crawl_goes_on_for_ever_requisites_follow_the_visits_of_their_pages() {
    let site = site(Manner::Honest);
    let (server, record) = serve(site.clone());
    let mut options = options(server.proxy());
    let folder = tempfile::tempdir().unwrap();
    round(folder.path(), &options, &[HOME], 0.0);
    let requests = record.requests().len();
    options.again = Again::Ever;
    options.limits.seconds = Some(60);
    let done = || asked(&record, requests).len() == NEEDED.len();
    let mut crawl = open(folder.path(), &options, &[HOME]);
    crawl.set_clock(BEGAN + 2 * DAY_MS);
    assert_eq!(crawl.run(&mut Quiet, &done).unwrap(), Ended::Stopped);
    crawl.close(Ended::Stopped).unwrap();
    assert_eq!(asked(&record, requests), each_once(&NEEDED));
}

/// What is lost of the frontier between two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LostPart {
    Nothing,
    /// What the last run wrote: it is to be had from behind the checkpoint of the one before.
    LastRun,
    Everything,
}

/// Opens and runs a crawl that stops after this many requests, and drops it without closing it.
fn run_a_little(
    folder: &Path,
    options: &CrawlOptions,
    at_ms: i64,
    (record, most): (&Recording, usize),
) -> Ended {
    let mut crawl = open(folder, options, &[HOME]);
    crawl.set_clock(at_ms);
    // Rules are asked for once more where the frontier lost them.
    let count = || record.requests().iter().filter(|(_, asked)| !asked.url.ends_with("/robots.txt")).count();
    let before = count();
    crawl.run(&mut Quiet, &|| count() >= before + most).unwrap()
}

/// A round that is stopped and dropped again and again: what it asked for. Each run begins some minutes after the one before.
fn broken_round(manner: Manner, page_changes: bool, lost: LostPart, most: usize) -> u32 {
    let about = format!("{manner:?} {page_changes} {lost:?} {most}");
    let site = site(manner);
    let (server, record) = serve(site.clone());
    let options = CrawlOptions { connections: 1, ..options(server.proxy()) };
    let work = tempfile::tempdir().unwrap();
    let (folder, frontier, earlier) =
        (work.path().join("crawl"), work.path().join("crawl/frontier"), work.path().join("earlier"));
    round(&folder, &options, &[HOME], 0.0);
    let requests = record.requests().len();
    if page_changes {
        site.set(HOME, page(8));
        site.set(STYLE, "@import 'print.css'; body { background: url(back.png); color: red }");
    } else {
        site.set(BACK, "green");
    }
    let mut runs = 0;
    loop {
        if lost == LostPart::LastRun {
            let _ = std::fs::remove_dir_all(&earlier);
            mirror(&frontier, &earlier);
        }
        let at_ms = BEGAN + 2 * DAY_MS + i64::from(runs) * 300_000;
        if run_a_little(&folder, &options, at_ms, (&record, most)) == Ended::Finished {
            break;
        }
        runs += 1;
        assert!(runs < 100, "{about}");
        if lost != LostPart::Nothing {
            std::fs::remove_dir_all(&frontier).unwrap();
        }
        if lost == LostPart::LastRun {
            mirror(&earlier, &frontier);
        }
    }
    let counts = asked(&record, requests);
    assert_eq!(counts.len(), NEEDED.len(), "{about}: {counts:?}");
    let told: Vec<Event> = events(&folder);
    for url in NEEDED {
        let visits = told.iter().filter(|event| event.url == url && event.visit.is_some()).count();
        assert_eq!(visits, 2, "{about}: {url}");
    }
    // What the log says is what the totals say, and what a frontier that is built anew says.
    let totals = round(&folder, &options, &[HOME], 2.5);
    assert_eq!((totals.stored, totals.requisites), (2 + u64::from(page_changes), 5), "{about}");
    assert_eq!(totals.requisite_visits.iter().map(|(_, n)| n).sum::<u64>(), 8, "{about}");
    std::fs::remove_dir_all(&frontier).unwrap();
    let again = round(&folder, &options, &[HOME], 2.5);
    assert_eq!(again.requisite_visits, totals.requisite_visits, "{about}");
    assert_eq!((again.stored, again.requisites), (totals.stored, totals.requisites), "{about}");
    assert_eq!(asked(&record, requests), counts, "{about}: nothing is asked for once more");
    runs
}

#[test]
fn a_round_that_is_killed_loses_no_requisite_and_visits_none_twice() {
    for manner in [Manner::Honest, Manner::Silent] {
        for lost in [LostPart::Nothing, LostPart::LastRun, LostPart::Everything] {
            let rounds = [(true, 2), (false, 1)];
            let runs: u32 =
                rounds.map(|(changes, most)| broken_round(manner, changes, lost, most)).iter().sum();
            assert!(runs > 5, "{manner:?} {lost:?}: {runs} kills");
        }
    }
}

#[test]
fn tables_of_pages_and_the_schedule_know_no_requisite() {
    let site = site(Manner::Honest);
    let (server, _) = serve(site.clone());
    let options = options(server.proxy());
    let folder = tempfile::tempdir().unwrap();
    let seeds = [CanonicalUrl::parse(HOME).unwrap()];
    for day in [0, 2, 4] {
        site.set(STYLE, format!("@import 'print.css'; body {{ background: url(back.png); width: {day}px }}"));
        survey(folder.path(), &options, &seeds, Some(BEGAN + day * DAY_MS));
    }
    let mut listed: Vec<String> =
        rows::<PageHistoryRow>(folder.path()).into_iter().map(|row| row.url).collect();
    listed.sort();
    assert_eq!(listed, [HOME, ABOUT]);
    let hosts = rows::<FreshnessRow>(folder.path()).into_iter().map(|row| (row.url_host_name, row.pages));
    assert_eq!(hosts.collect::<Vec<_>>(), [(Some("s.example".to_owned()), 2), (None, 2)]);
    let mut crawl = open(folder.path(), &options, &[HOME]);
    assert_eq!(crawl.pages_due(100).unwrap(), 2, "by the clock of this machine both are due");
    crawl.set_clock(BEGAN + 4 * DAY_MS + DAY_MS / 2);
    assert_eq!(crawl.pages_due(100).unwrap(), 0);
    let (finished, log) = crawl.end(Ended::Stopped).unwrap();
    log.pack().unwrap();
    let mut rated = Vec::new();
    finished
        .each_host(&mut |name, state, _| {
            rated.push((name.to_owned(), state.visits.rates.mean().is_some()));
            Ok(())
        })
        .unwrap();
    assert_eq!(rated, [("cdn.example".to_owned(), false), ("s.example".to_owned(), true)]);
}
