//! The tables that a crawl leaves say what its events, its totals and the server say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use webmill::capture::CanonicalUrl;
use webmill::crawl::event::outcome;
use webmill::crawl::revisit::Schedule;
use webmill::crawl::{Again, Crawl, CrawlOptions, Ended, Missing, Purpose, Totals};
use webmill::jobs::crawl::end;
use webmill::jobs::crawl::files::folder;
use webmill::jobs::crawl::rows::{
    ChangeRateRow, CountedAs, CrawlCountRow, CrawlHostRow, CrawlRoundRow, FreshnessRow, MissingRow,
    MissingWhy, PageHistoryRow, Standing,
};
use webmill::jobs::report::tables::SummaryRow;
use webmill::table::{Table, read_rows};

use super::crawl_support::{Quiet, Served, Written, events, lively, message, page, seeds, serve, swift};
use crate::support::Work;

const DAY_MS: i64 = 86_400_000;
/// The day of the first crawl.
const BEGAN: i64 = 1_700_000_000_000;

/// Crawls as the command does, at a time where one is said.
pub fn survey(
    folder: &Path,
    options: &CrawlOptions,
    seeds: &[CanonicalUrl],
    at_ms: Option<i64>,
) -> (Totals, Missing, Ended) {
    let (mut crawl, _) = Crawl::open(folder, options, seeds, 2, None).unwrap();
    at_ms.into_iter().for_each(|ms| crawl.set_clock(ms));
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    let missing = crawl.missing().unwrap();
    let (totals, tables) = end(crawl, folder, ended).unwrap();
    tables.unwrap();
    (totals, missing, ended)
}

pub fn rows<T: Table>(crawl: &Path) -> Vec<T> {
    read_rows(&folder::<T>(crawl)).unwrap()
}

#[test]
fn hosts_and_what_is_missing_are_counted_as_the_events_count_them() {
    let web = Served::new(lively(200, 11));
    let folder = tempfile::tempdir().unwrap();
    let (totals, missing, ended) = survey(folder.path(), &web.options(), &web.seeds(), None);
    assert_eq!(ended, Ended::Finished);
    let host_of = |url: &str| CanonicalUrl::parse(url).unwrap().host().to_owned();
    let mut stored: BTreeMap<String, u64> = BTreeMap::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for event in events(folder.path()) {
        names.insert(host_of(&event.url));
        if event.purpose == Purpose::Page && [outcome::STORED, outcome::CUT_OFF].contains(&&*event.outcome) {
            *stored.entry(host_of(&event.url)).or_default() += 1;
        }
    }
    let hosts: Vec<CrawlHostRow> = rows(folder.path());
    assert!(hosts.is_sorted_by(|a, b| a.url_host_name < b.url_host_name), "one row per host, by name");
    for host in &hosts {
        assert_eq!(host.pages_stored, stored.remove(&host.url_host_name).unwrap_or(0), "{host:?}");
        assert!(host.requests_answered >= host.pages_stored, "{host:?}");
        assert_eq!(host.failing_since.0.is_some(), host.failures > 0, "{host:?}");
        names.remove(&host.url_host_name);
    }
    assert!(stored.is_empty(), "{stored:?}");
    assert!(names.is_empty(), "{names:?}");
    assert_eq!(hosts.iter().map(|host| host.pages_stored).sum::<u64>(), totals.stored);
    // Hosts that were asked are those that the server saw.
    let asked: BTreeSet<String> = web.record.requests().iter().map(|(_, asked)| asked.host.clone()).collect();
    for host in hosts.iter().filter(|host| host.requests_answered > 0) {
        assert!(asked.contains(&host.url_host_name), "{host:?} was never asked");
    }
    let rows_missing: Vec<MissingRow> = rows(folder.path());
    let sum = |why, name: &str| {
        let of = rows_missing.iter().filter(|row| row.why == why && row.outcome == name);
        of.map(|row| row.urls).sum::<u64>()
    };
    assert!(!totals.given_up.is_empty());
    for (name, n) in totals.given_up.iter() {
        assert_eq!(sum(MissingWhy::GivenUp, name), n, "{name}");
    }
    for name in [outcome::GONE, outcome::ROBOTS_DENIED, outcome::CLIENT_ERROR, outcome::OUT_OF_SCOPE] {
        let said =
            events(folder.path()).into_iter().filter(|e| e.outcome == name && e.purpose == Purpose::Page);
        assert_eq!(sum(MissingWhy::LeftOut, name), said.count() as u64, "{name}");
    }
    let all = |why| rows_missing.iter().filter(|row| row.why == why).map(|row| row.urls).sum::<u64>();
    assert_eq!(all(MissingWhy::GivenUp) + all(MissingWhy::Waits), missing.urls());
    assert_eq!(hosts.iter().map(|host| host.urls_queued).sum::<u64>(), missing.waiting);
    counts_are_totals(folder.path(), &totals);
}

fn counts_are_totals(folder: &Path, totals: &Totals) {
    let counts: Vec<CrawlCountRow> = rows(folder);
    let of = |counted: CountedAs| -> Vec<(&str, u64)> {
        counts.iter().filter(|row| row.counted == counted).map(|row| (&*row.name, row.count)).collect()
    };
    assert_eq!(of(CountedAs::Outcome), totals.outcomes.iter().collect::<Vec<_>>());
    assert_eq!(of(CountedAs::Refused), totals.refused.iter().collect::<Vec<_>>());
    assert_eq!(of(CountedAs::MediaType), totals.refused_types.iter().collect::<Vec<_>>());
    assert_eq!(of(CountedAs::Visit), totals.visits.iter().collect::<Vec<_>>());
    assert_eq!(of(CountedAs::RequisiteVisit), totals.requisite_visits.iter().collect::<Vec<_>>());
    assert!(of(CountedAs::Sum).contains(&("pages-stored", totals.stored)));
}

#[test]
fn what_waits_and_what_was_not_reached_is_told_apart() {
    let links: Vec<String> = (0..9).map(|n| format!("/{n}.html")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let site = links.iter().fold(Written::default().page("http://a.example/", &links), |site, link| {
        site.page(&format!("http://a.example{link}"), &[])
    });
    let site = site.answer("http://b.example/", message("503 Busy", "", "later"));
    let (server, _) = serve(site.page("http://c.example/", &[]));
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.connections = 1;
    options.limits.pages = Some(3);
    options.politeness.max_failures = 2;
    let all = seeds(&["http://a.example/", "http://b.example/", "http://c.example/"]);
    let (_, _, ended) = survey(folder.path(), &options, &all, None);
    assert_eq!(ended, Ended::Pages);
    let queued = |rows: &[MissingRow], why| -> u64 {
        rows.iter().filter(|row| row.why == why).map(|row| row.urls).sum()
    };
    let now: Vec<MissingRow> = rows(folder.path());
    assert!(queued(&now, MissingWhy::Queued) > 0, "{now:?}");
    let hosts: Vec<CrawlHostRow> = rows(folder.path());
    let waiting: u64 = hosts.iter().map(|host| host.urls_queued).sum();
    assert_eq!(waiting, queued(&now, MissingWhy::Queued) + queued(&now, MissingWhy::Waits));
    assert_eq!(
        hosts.iter().map(|host| &*host.url_host_name).collect::<Vec<_>>(),
        ["a.example", "b.example", "c.example"]
    );

    options.limits.pages = None;
    let (totals, missing, ended) = survey(folder.path(), &options, &all, None);
    assert_eq!((ended, totals.stored), (Ended::Finished, 11));
    assert_eq!(missing.waiting, 1);
    let hosts: Vec<CrawlHostRow> = rows(folder.path());
    let standing: Vec<Standing> = hosts.iter().map(|host| host.standing).collect();
    assert_eq!(standing, [Standing::Well, Standing::LeftAlone, Standing::Well]);
    assert_eq!((hosts[1].reason.as_deref(), hosts[1].urls_queued), (Some(outcome::SERVER_ERROR), 1));
    assert!(hosts[1].failures >= 2 && hosts[1].next_request.0.is_none());
    let now: Vec<MissingRow> = rows(folder.path());
    assert_eq!(now.len(), 1, "{now:?}");
    assert_eq!(
        (now[0].why, now[0].url_host_name.as_deref(), now[0].urls),
        (MissingWhy::Waits, Some("b.example"), 1)
    );
}

/// What is missing, and what the crawl counts, of one outcome.
fn missing_of(crawl: &Path, name: &str) -> (u64, u64) {
    let missing: Vec<MissingRow> = rows(crawl);
    let counts: Vec<CrawlCountRow> = rows(crawl);
    let given_up = counts.iter().filter(|row| row.counted == CountedAs::GivenUp && row.name == name);
    (
        missing.iter().filter(|row| row.outcome == name).map(|row| row.urls).sum(),
        given_up.map(|row| row.count).sum(),
    )
}

#[test]
fn a_page_that_failed_in_several_rounds_is_missing_once_and_not_once_it_is_there() {
    let fails = || message("500 Error", "", "no");
    let mut site =
        Written::default().page("http://a.example/", &["/x", "/y"]).page("http://a.example/y", &[]);
    let still = || page("still", &[]);
    site.0.insert("http://a.example/x".into(), vec![still(), fails(), fails(), still(), fails()]);
    let (server, _) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let mut options = daily(server.proxy());
    options.max_retries = 0;
    let all = seeds(&["http://a.example/"]);
    // Failed visits are made again after an interval that is the schedule's own: so far apart all are due.
    for (round, want) in [0, 1, 1, 0, 1].into_iter().enumerate() {
        let at = BEGAN + round as i64 * 400 * DAY_MS;
        let (totals, missing, _) = survey(folder.path(), &options, &all, Some(at));
        assert_eq!(missing_of(folder.path(), outcome::SERVER_ERROR), (want, want), "round {round}");
        assert_eq!(
            (totals.given_up.get(outcome::SERVER_ERROR), missing.urls()),
            (want, want),
            "round {round}"
        );
        assert_eq!(totals.outcomes.get(outcome::SERVER_ERROR), [0, 1, 2, 2, 3][round]);
    }
    // Built again from the log, the counts are the same.
    std::fs::remove_dir_all(folder.path().join("frontier")).unwrap();
    options.again = Again::Later;
    let (totals, ..) = survey(folder.path(), &options, &all, Some(BEGAN + 1_601 * DAY_MS));
    assert_eq!(totals.given_up.get(outcome::SERVER_ERROR), 1);
    assert_eq!(missing_of(folder.path(), outcome::SERVER_ERROR), (1, 1));
}

#[test]
fn types_that_were_refused_and_are_taken_after_all_are_taken_off_the_counts() {
    let picture = |n: usize| message("200 OK", "Content-Type: image/x-odd\r\n", &"p".repeat(n + 1));
    let links: Vec<String> = (0..30).map(|n| format!("/{n}.odd")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let front = Written::default().page("http://a.example/", &links);
    let site = (0..30).fold(front, |site, n| site.answer(&format!("http://a.example/{n}.odd"), picture(n)));
    let (server, _) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.scope.media_types = vec!["text/html".into()];
    let all = seeds(&["http://a.example/"]);
    let (totals, ..) = survey(folder.path(), &options, &all, None);
    let of_types = |totals: &Totals| totals.refused_types.iter().map(|(_, n)| n).sum::<u64>();
    assert_eq!((of_types(&totals), totals.outcomes.get(outcome::MEDIA_TYPE)), (30, 30));
    assert_eq!(missing_of(folder.path(), outcome::MEDIA_TYPE).0, 30);

    options.scope.media_types.push("image/*".into());
    let (mut crawl, _) = Crawl::open(folder.path(), &options, &all, 2, None).unwrap();
    assert_eq!(crawl.ask_again(&[outcome::MEDIA_TYPE]).unwrap(), 30);
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    let (totals, tables) = end(crawl, folder.path(), ended).unwrap();
    tables.unwrap();
    assert_eq!((totals.stored, of_types(&totals)), (31, 0));
    assert_eq!(missing_of(folder.path(), outcome::MEDIA_TYPE).0, 0);
    counts_are_totals(folder.path(), &totals);
}

/// A site of which one page changes with every visit.
fn moving() -> Written {
    let words =
        |n: u64| (0..800).map(|w| format!("w{}", (w * 31 + n * 977) % 5_000)).collect::<Vec<_>>().join(" ");
    let html =
        |text: String| message("200 OK", "Content-Type: text/html\r\n", &format!("<!doctype html><p>{text}"));
    Written::default()
        .answer("http://a.example/", page("front", &["/still", "/moving", "http://b.example/"]))
        .answer("http://a.example/still", html(words(1)))
        .answer("http://a.example/moving", html(words(2)))
        .answer("http://a.example/moving", html(words(3)))
        .page("http://b.example/", &[])
}

fn daily(proxy: String) -> CrawlOptions {
    let mut options = swift(proxy);
    options.again = Again::Due;
    options.revisit.schedule = Schedule::Fixed;
    options.revisit.every_s = 86_400;
    options
}

#[test]
fn rounds_say_what_visits_found_and_histories_how_fresh_the_copies_are() {
    let (server, record) = serve(moving());
    let folder = tempfile::tempdir().unwrap();
    let options = daily(server.proxy());
    let seeds = seeds(&["http://a.example/", "http://b.example/"]);
    survey(folder.path(), &options, &seeds, Some(BEGAN));
    let asked = record.requests().len() as u64;
    let (totals, ..) = survey(folder.path(), &options, &seeds, Some(BEGAN + 2 * DAY_MS));

    let rounds: Vec<CrawlRoundRow> = rows(folder.path());
    assert_eq!(rounds.iter().map(|round| round.round).collect::<Vec<_>>(), [0, 1]);
    let found =
        |row: &CrawlRoundRow| (row.visits_new, row.visits_changed, row.visits_near, row.visits_unchanged);
    assert_eq!(rounds.iter().map(found).collect::<Vec<_>>(), [(4, 0, 0, 0), (0, 1, 0, 3)]);
    assert_eq!(rounds.iter().map(|round| round.pages_stored).collect::<Vec<_>>(), [4, 1]);
    assert!(rounds[0].requests <= asked && rounds[1].requests >= 4);
    assert_eq!(rounds.iter().map(|round| round.bytes).sum::<u64>(), totals.bytes);
    assert!(rounds[1].began.0 > Some(BEGAN + DAY_MS) && rounds[1].ended.0 >= rounds[1].began.0);
    assert_eq!(rounds[0].ended_by, "finished");

    let pages: Vec<PageHistoryRow> = rows(folder.path());
    let seen: Vec<_> = pages.iter().map(|page| (&*page.url, page.visits, page.changes)).collect();
    assert_eq!(seen.len(), 4);
    assert!(seen.contains(&("http://a.example/moving", 2, 1)) && seen.contains(&("http://b.example/", 2, 0)));
    assert!(pages.iter().all(|page| page.interval_days == 1.0 && page.content_digest.is_some()));
    let moving = pages.iter().find(|page| page.changes == 1).unwrap();
    assert!(pages.iter().all(|page| page.rate <= moving.rate), "what changed changes more often");

    let fresh: Vec<FreshnessRow> = rows(folder.path());
    let mut names: Vec<_> = fresh.iter().map(|row| row.url_host_name.as_deref()).collect();
    assert_eq!(names.pop(), Some(None), "that of all hosts is last");
    names.sort();
    assert_eq!(names, [Some("a.example"), Some("b.example")]);
    let mean = pages.iter().map(|page| page.expected_freshness.unwrap()).sum::<f64>() / 4.0;
    assert!((fresh[2].expected_freshness.unwrap() - mean).abs() < 1e-12);
    assert_eq!((fresh[2].pages, fresh[2].visits_again, fresh[2].unchanged_share), (4, 4, Some(0.75)));
    assert_eq!(rounds[1].expected_freshness, fresh[2].expected_freshness);

    let rates: Vec<ChangeRateRow> = rows(folder.path());
    for domain in [None, Some("example")] {
        let of: Vec<_> = rates.iter().filter(|row| row.url_host_tld.as_deref() == domain).collect();
        assert_eq!(of.iter().map(|row| row.pages).sum::<u64>(), 4, "{domain:?}");
        assert!((of.iter().map(|row| row.share).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let decade = rates.iter().find(|row| {
        row.url_host_tld.is_none() && row.rate_from <= moving.rate && row.rate_below > Some(moving.rate)
    });
    assert!(decade.is_some(), "{rates:?}");
}

#[test]
fn the_report_of_a_crawl_tells_of_its_rounds_and_lives_of_pages() {
    let work = Work::new();
    let (server, _) = serve(moving());
    let options = daily(server.proxy());
    let seeds = seeds(&["http://a.example/", "http://b.example/"]);
    let crawl = work.path("crawl");
    // Hosts left alone come back by the clock of the machine, so later runs lie behind it.
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = since.as_millis() as i64;
    survey(&crawl, &options, &seeds, None);
    survey(&crawl, &options, &seeds, Some(now + 2 * DAY_MS));
    std::fs::write(crawl.join("crawl.toml"), "").unwrap();
    work.run(&["run", "crawl", "--out", "out"]);
    let html = || std::fs::read_to_string(work.path("out/report/latest/report.html")).unwrap();
    let first = html();
    for text in [
        ">The crawl</h2>",
        "<h3>What visits found</h3>",
        "<h3>Rounds</h3>",
        "round 1",
        "<h3>Mean life of pages by top-level domain</h3>",
        ".example",
    ] {
        assert!(first.contains(text), "no {text} in the report");
    }
    assert!(!first.contains("round 2"));
    let summary: Vec<SummaryRow> = read_rows(&work.path("out/report/latest/summary")).unwrap();
    let number = |section: &str, name: &str| {
        summary.iter().find(|row| row.section == section && row.name == name).map(|row| row.value)
    };
    assert_eq!(number("visits", "changed"), Some(1.0));
    assert_eq!(number("freshness", "pages with a rate of change"), Some(4.0));
    // The tables are found again by where the shards lay, and are a part of the key.
    work.run(&["report", "out"]);
    assert_eq!(html(), first);
    survey(&crawl, &options, &seeds, Some(now + 2 * DAY_MS + 3_600_000));
    work.run(&["report", "out"]);
    assert!(html().contains("round 2"));
}
