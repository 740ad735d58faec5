//! Rounds over Webs that stay, change, vanish and lie: what is sent, what is stored, what can be replayed, and that a kill neither
//! loses nor doubles a visit.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use webmill::capture::date::format_14;
use webmill::crawl::Purpose;
use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::event::Event;
use webmill::crawl::scope::{RuleAction, ScopeRule};
use webmill::sim::{ChangeConfig, Config, SimConfig};

use super::archives;
use super::crawl_again_site::{DAY_MS, Manner, Pages, every, round, visits, words};
use super::crawl_support::{Dice, Program, Served, events, none, serve, shard_files};
use super::support::Work;

/// A Web in which nothing changes; a third of its hosts has no validators.
fn still(pages: u64, words: usize, seed: u64) -> SimConfig {
    let changes = ChangeConfig { share: 0.0, without: 0.34, ..ChangeConfig::default() };
    let web = Config { seed, pages, pages_per_host: 20, words: words as _, ..Config::default() };
    SimConfig { web, changes: Some(changes), ..SimConfig::plain(pages, 20, seed) }
}

fn bytes_of(folder: &Path) -> u64 {
    shard_files(folder).iter().map(|path| path.metadata().unwrap().len()).sum()
}

fn pages(folder: &Path) -> Vec<Event> {
    events(folder)
        .into_iter()
        .filter(|event| event.purpose == Purpose::Page && event.visit.is_some())
        .collect()
}

/// Pages as long as the median of the Web, of which some 30 KB are transferred (HTTP Archive, Web Almanac 2024, page weight).
#[test]
fn a_site_that_stays_costs_no_bodies_and_hardly_a_byte() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let served = Served::new(still(100, 14_000, 81));
        let seeds: Vec<String> = served.sim.seeds().collect();
        let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
        let mut options = every(served.server.proxy(), 1);
        options.archive.format = format;
        let folder = tempfile::tempdir().unwrap();
        let first = round(folder.path(), &options, &seeds, 0.0);
        let (stored, asked) = (bytes_of(folder.path()), served.record.requests().len());
        let received: HashMap<String, Event> =
            pages(folder.path()).into_iter().map(|event| (event.url.clone(), event)).collect();
        assert!(received.len() >= 80, "{}", received.len());
        let second = round(folder.path(), &options, &seeds, 2.0);
        let more = bytes_of(folder.path()) - stored;
        println!(
            "{format:?}: {} pages, {stored} bytes stored, again {more}; {} bytes received, again {}",
            received.len(),
            first.bytes,
            second.bytes - first.bytes
        );
        assert!(more * 50 < stored, "{format:?}: {more} of {stored} bytes again");
        assert_eq!(second.stored, first.stored, "nothing is stored in full again");
        assert_eq!(second.visits.get("unchanged"), received.len() as u64);
        // Validators are those that were received; where there were some, no body was sent.
        let (mut conditional, mut bodies) = (0, 0);
        for (_, request) in served.record.requests().into_iter().skip(asked) {
            let Some(before) = received.get(&request.url) else { continue };
            assert_eq!(request.if_none_match, before.etag, "{}", request.url);
            assert_eq!(request.if_modified_since, before.last_modified, "{}", request.url);
            let some = before.etag.is_some() || before.last_modified.is_some();
            assert_eq!(request.status, if some { 304 } else { 200 }, "{}", request.url);
            conditional += u32::from(some);
            bodies += u32::from(!some);
        }
        println!(
            "{format:?}: {conditional} conditional requests answered 304, {bodies} bodies without validators"
        );
        assert!(conditional > 20 && bodies > 10, "{conditional} and {bodies}");
    }
}

#[test]
fn pages_are_replayable_at_the_dates_of_all_their_visits() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let mut config = still(30, 100, 82);
        config.changes = Some(ChangeConfig { share: 0.5, every_days: 5, ..config.changes.unwrap() });
        let served = Served::new(config);
        let seeds: Vec<String> = served.sim.seeds().collect();
        let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
        let mut options = every(served.server.proxy(), 1);
        options.archive.format = format;
        let work = Work::new();
        let folder = work.path("crawl");
        let start = served.sim.time();
        let mut truth: BTreeMap<(String, i64), String> = BTreeMap::new();
        for day in [0, 10] {
            served.sim.set_time(start + day * DAY_MS);
            let before = pages_before(&folder);
            round(&folder, &options, &seeds, day as f64);
            for event in pages(&folder).into_iter().skip(before) {
                let digest = event.digest.or_else(|| {
                    // Of what was not sent the last digest holds.
                    truth
                        .range((event.url.clone(), 0)..(event.url.clone(), i64::MAX))
                        .next_back()
                        .map(|(_, d)| d.clone())
                });
                truth.insert((event.url, event.fetch_time_ms), digest.unwrap());
            }
        }
        assert!(truth.len() >= 50, "{}", truth.len());
        let museum = archives::Served::start(&work, &["crawl/shards"]);
        for ((url, at_ms), digest) in &truth {
            let (status, head, body) = museum.get(&format!("/shards/{}id_/{url}", format_14(*at_ms)));
            assert_eq!(status, 200, "{format:?} {url} at {at_ms}: {head}");
            assert_eq!(&webmill::capture::digest::sha1_base32(&body), digest, "{format:?} {url} at {at_ms}");
        }
    }
}

fn pages_before(folder: &Path) -> usize {
    if folder.exists() { pages(folder).len() } else { 0 }
}

/// Names and texts of the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entry = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(entry).collect()
}

/// Two versions of a manual: 40 chapters, of which some are rewritten, some removed, some added.
fn write_versions(work: &Work) {
    let chapter = |n: u64, edition: u64| {
        format!("<!doctype html><h1>Chapter {n}</h1><p>{}", words(n * 7 + edition * 1_000))
    };
    for (version, chapters, rewritten) in [("one", 0..40, 0), ("two", 5..46, 9)] {
        let folder = work.path(version);
        std::fs::create_dir(&folder).unwrap();
        let mut index = String::from("<!doctype html><h1>Manual</h1>");
        for n in chapters {
            let name = format!("chapter-{n}.html");
            index.push_str(&format!("<a href={name}>{n}</a> "));
            std::fs::write(folder.join(name), chapter(n, u64::from(n % 10 < rewritten && n % 3 == 0)))
                .unwrap();
        }
        std::fs::write(folder.join("index.html"), format!("{index}<p>{}", words(rewritten))).unwrap();
    }
}

#[test]
fn what_differs_between_two_versions_is_what_a_diff_of_their_folders_says() {
    let work = Work::new();
    write_versions(&work);
    let (one, two) = (files(&work.path("one")), files(&work.path("two")));
    let site = Pages::new(Manner::Honest);
    let url = |name: &str| format!("http://manual.example/{name}");
    one.iter().for_each(|(name, text)| site.set(&url(name), text));
    let (server, _) = serve(site.clone());
    let options = every(server.proxy(), 1);
    let (folder, seed) = (work.path("crawl"), url("index.html"));
    round(&folder, &options, &[&seed], 0.0);
    one.keys().for_each(|name| site.remove(&url(name)));
    two.iter().for_each(|(name, text)| site.set(&url(name), text));
    let so_far = events(&folder).len();
    // What is missing twice, a day apart, is gone.
    round(&folder, &options, &[&seed], 2.0);
    let second = visits(&folder, so_far);
    let so_far = events(&folder).len();
    round(&folder, &options, &[&seed], 4.0);
    let third = visits(&folder, so_far);
    let found = |all: &[(String, String)], what: &str| -> Vec<String> {
        all.iter().filter(|(_, found)| found == what).map(|(url, _)| url.clone()).collect()
    };
    let urls = |names: Vec<&String>| -> Vec<String> { names.into_iter().map(|name| url(name)).collect() };
    let new = two.keys().filter(|name| !one.contains_key(*name)).collect();
    let changed = two.iter().filter(|(name, text)| one.get(*name).is_some_and(|old| old != *text));
    let gone = one.keys().filter(|name| !two.contains_key(*name)).collect();
    let (changed, gone) = (urls(changed.map(|(name, _)| name).collect()), urls(gone));
    assert!(changed.len() > 5 && gone.len() == 5);
    assert_eq!(found(&second, "new"), urls(new));
    assert_eq!(found(&second, "changed"), changed);
    assert_eq!(found(&second, "error"), gone, "missing once");
    assert_eq!(found(&third, "gone"), gone);
    assert_eq!(found(&third, "unchanged").len(), two.len());
    assert_eq!(second.len(), one.len() + two.keys().filter(|name| !one.contains_key(*name)).count());
}

#[test]
fn a_server_that_answers_304_to_everything_is_believed_only_where_it_was_asked() {
    let site = Pages::new(Manner::Honest);
    let home = "http://stubborn.example/";
    site.set(home, format!("<p>{}", words(1)));
    let silent = Pages::new(Manner::Silent);
    silent.set("http://silent.example/", format!("<p>{}", words(2)));
    for (site, url, want) in [(site, home, "unchanged"), (silent, "http://silent.example/", "error")] {
        let (server, _) = serve(site.clone());
        let options = every(server.proxy(), 1);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(round(folder.path(), &options, &[url], 0.0).stored, 1);
        *site.manner.lock().unwrap() = Manner::Stubborn;
        for day in [2.0, 4.0] {
            let so_far = events(folder.path()).len();
            round(folder.path(), &options, &[url], day);
            assert_eq!(visits(folder.path(), so_far), [(url.to_owned(), want.to_owned())]);
        }
        // A server that begins like that has given nothing to keep.
        let fresh = tempfile::tempdir().unwrap();
        assert_eq!(round(fresh.path(), &options, &[url], 0.0).stored, 0);
        assert_eq!(visits(fresh.path(), 0), []);
    }
}

#[test]
fn a_clock_that_goes_backwards_makes_nothing_due_and_no_time_negative() {
    let site = Pages::new(Manner::Honest);
    let home = "http://clock.example/";
    site.set(home, format!("<p>{}", words(1)));
    let (server, record) = serve(site.clone());
    let options = every(server.proxy(), 1);
    let folder = tempfile::tempdir().unwrap();
    let pages_asked = || record.requests().iter().filter(|(_, asked)| asked.url == home).count();
    round(folder.path(), &options, &[home], 10.0);
    round(folder.path(), &options, &[home], 3.0);
    assert_eq!(pages_asked(), 1, "nothing is due on the third day");
    site.set(home, format!("<p>{}", words(2)));
    // Another schedule forgets the interval; a visit before the last one is one all the same.
    for (day, want) in [(11.5, "changed"), (13.0, "unchanged")] {
        let so_far = events(folder.path()).len();
        round(folder.path(), &options, &[home], day);
        assert_eq!(visits(folder.path(), so_far), [(home.to_owned(), want.to_owned())]);
    }
}

#[test]
fn what_scope_rules_ask_of_the_way_to_a_page_holds_when_it_is_visited_again() {
    let site = Pages::new(Manner::Honest);
    let (seed, page) = ("http://seed.example/", "http://seed.example/page.html");
    site.set(seed, "<p><a href=page.html>a page</a> of a seed</p>");
    site.set(page, format!("<p>{}", words(1)));
    let (server, _) = serve(site);
    let mut options = every(server.proxy(), 1);
    let rule = |action, text: &str| ScopeRule::parse(action, text).unwrap();
    options.scope.rules =
        vec![rule(RuleAction::Accept, "seed:http://seed.example/"), rule(RuleAction::Reject, "all")];
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(round(folder.path(), &options, &[seed], 0.0).stored, 2);
    let so_far = events(folder.path()).len();
    round(folder.path(), &options, &[seed], 2.0);
    let want = [seed, page].map(|url| (url.to_owned(), "unchanged".to_owned()));
    assert_eq!(visits(folder.path(), so_far), want);
}

/// The binary is killed again and again in a round: each page is visited once in it.
fn killed_in_a_round(seed: u64, format: ArchiveFormat) {
    let served = Served::new(SimConfig { delay_ms: 5, ..still(600, 50, seed) });
    let work = Work::new();
    let mut options = every(served.server.proxy(), 1);
    options.archive.format = format;
    options.connections = 16;
    let seeds: Vec<String> = served.sim.seeds().collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let folder = work.path("crawl");
    // Years ago, so that the binary, which has the true time, finds all of it due.
    round(&folder, &options, &seeds, 0.0);
    let known: Vec<String> = pages(&folder).into_iter().map(|event| event.url).collect();
    let first = served.record.requests().len();
    let program = Program::new(work, &options, &served.sim.seeds().collect::<Vec<_>>());
    let kills = program.kill_until_done(&served.server, &mut Dice(seed), 60);
    assert!(kills.len() >= 6, "{} kills", kills.len());
    let mut counts: HashMap<String, u32> = known.iter().map(|url| (url.clone(), 0)).collect();
    for event in pages(&folder).into_iter().skip(known.len()) {
        assert_eq!(event.visit.as_deref(), Some("unchanged"), "{}", event.url);
        *counts.get_mut(&event.url).expect("a page of the first round") += 1;
    }
    let wrong: Vec<String> = counts
        .into_iter()
        .filter(|(_, n)| *n != 1)
        .map(|(url, n)| format!("{url}: visited {n} times"))
        .collect();
    none(&wrong);
    // Every visit can be read, and is there once.
    let mut revisits = 0;
    for path in shard_files(&folder) {
        let mut reader = webmill::shard::ShardReader::open(&path, &Default::default()).unwrap();
        while let Some(record) = reader.next() {
            revisits += usize::from(record.unwrap().kind == webmill::shard::RecordType::Revisit);
        }
    }
    assert_eq!(revisits, known.len());
    // A page whose visit is written down is not asked for again. How many answers a kill comes across, which are asked for
    // again, hangs on how fast the machine is.
    let ago_ms = |at: Instant| at.elapsed().as_millis() as i64;
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    let killed_after = |visit_ms: i64| kills.iter().copied().find(|kill| now_ms - ago_ms(*kill) > visit_ms);
    let visited: HashMap<String, Instant> = pages(&folder)
        .into_iter()
        .skip(known.len())
        .filter_map(|event| Some((event.url, killed_after(event.fetch_time_ms)?)))
        .collect();
    assert!(!visited.is_empty(), "no visit was before a kill");
    let asked = served.record.requests().into_iter().skip(first);
    let again = asked.filter(|(at, asked)| visited.get(&asked.url).is_some_and(|kill| at > kill));
    none(&again.map(|(_, asked)| format!("{}: asked for after its visit", asked.url)).collect::<Vec<_>>());
}

#[test]
fn killed_in_a_round_it_visits_each_page_once() {
    killed_in_a_round(83, ArchiveFormat::RawDb);
}

#[test]
fn killed_in_a_round_of_warc_it_visits_each_page_once() {
    killed_in_a_round(84, ArchiveFormat::Warc);
}
