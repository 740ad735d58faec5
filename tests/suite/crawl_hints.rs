//! What sitemaps say of pages that are known: whom to believe, and that the sitemaps themselves are read again.

use webmill::capture::date::format_rfc3339;
use webmill::crawl::frontier::FrontierStats;
use webmill::crawl::revisit::Schedule;
use webmill::crawl::{Crawl, CrawlOptions};

use super::crawl_again_site::{BEGAN, DAY_MS, Manner, Pages, etag, every, round, visits, words};
use super::crawl_support::{events, serve};

const HOSTS: [&str; 3] = ["honest.example", "liar.example", "future.example"];

fn page(host: &str, n: u64) -> String {
    format!("http://{host}/page-{n}.html")
}

/// A sitemap of these pages and days of their last change.
fn sitemap(pages: Pages, host: &str, dates: &[(u64, f64)]) -> String {
    let entry = |(n, day): &(u64, f64)| {
        let date = format_rfc3339(BEGAN + (day * DAY_MS as f64) as i64);
        format!("<url><loc>{}</loc><lastmod>{date}</lastmod></url>", page(host, *n))
    };
    let entries: String = dates.iter().map(entry).collect();
    let body = format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>");
    pages.set(&format!("http://{host}/sitemap.xml"), body.clone());
    body
}

fn of(all: &[(String, String)], host: &str) -> Vec<(String, String)> {
    let prefix = format!("http://{host}/");
    all.iter()
        .filter_map(|(url, found)| Some((url.strip_prefix(&prefix)?.to_owned(), found.clone())))
        .collect()
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(url, what)| ((*url).to_owned(), (*what).to_owned())).collect()
}

#[test]
fn dates_of_sitemaps_are_believed_while_they_are_right() {
    let pages = Pages::new(Manner::Honest);
    for host in HOSTS {
        pages.set(&format!("http://{host}/"), "<p>Home.");
        (0..6).for_each(|n| pages.set(&page(host, n), format!("<p>{}", words(n))));
        let dates: Vec<(u64, f64)> = (0..6).map(|n| (n, -10.0)).collect();
        sitemap(pages.clone(), host, &dates);
    }
    let (server, record) = serve(pages.clone());
    let folder = tempfile::tempdir().unwrap();
    let options = every(server.proxy(), 30);
    let seeds = HOSTS.map(|host| format!("http://{host}/"));
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let folder = folder.path();
    assert_eq!(round(folder, &options, &seeds, 0.0).stored, 21);

    // Two pages changed and a third is new; the liar says that of all, the other names a year to come.
    let so_far = events(folder).len();
    let old: Vec<(u64, f64)> = (0..6).map(|n| (n, if n < 2 { 4.0 } else { -10.0 })).collect();
    (0..2).for_each(|n| pages.set(&page(HOSTS[0], n), format!("<p>{}", words(100 + n))));
    pages.set(&page(HOSTS[0], 6), format!("<p>{}", words(6)));
    let told = sitemap(pages.clone(), HOSTS[0], &[old.clone(), vec![(6, 4.0)]].concat());
    sitemap(pages.clone(), HOSTS[1], &(0..6).map(|n| (n, 5.0)).collect::<Vec<_>>());
    sitemap(pages.clone(), HOSTS[2], &(0..6).map(|n| (n, 9_000.0)).collect::<Vec<_>>());
    round(folder, &options, &seeds, 5.0);
    let found = visits(folder, so_far);
    let honest = [("page-0.html", "changed"), ("page-1.html", "changed"), ("page-6.html", "new")];
    assert_eq!(of(&found, HOSTS[0]), named(&honest));
    let lied: Vec<(String, String)> =
        (0..6).map(|n| (format!("page-{n}.html"), "unchanged".into())).collect();
    assert_eq!(of(&found, HOSTS[1]), lied, "nobody has lied yet");
    assert_eq!(of(&found, HOSTS[2]), []);

    // Once more: the liar is known.
    let so_far = events(folder).len();
    let asked = record.requests().len();
    sitemap(pages.clone(), HOSTS[1], &(0..6).map(|n| (n, 6.5)).collect::<Vec<_>>());
    sitemap(pages.clone(), HOSTS[2], &(0..6).map(|n| (n, 6.0)).collect::<Vec<_>>());
    let totals = round(folder, &options, &seeds, 7.0);
    assert_eq!(visits(folder, so_far), [], "neither liars are believed");
    assert!(
        totals.hints.get("not-believed") == 12 && totals.hints.get("in-the-future") == 6,
        "{:?}",
        totals.hints
    );
    // The sitemap that did not change was asked for with its validator, and not sent.
    let again = record.requests().into_iter().skip(asked).map(|(_, asked)| asked);
    let again: Vec<_> = again.filter(|asked| asked.url == "http://honest.example/sitemap.xml").collect();
    assert_eq!((again.len(), again[0].status), (1, 304));
    assert_eq!(again[0].if_none_match, Some(etag(&told)));
    // Twice in a day it is not asked for.
    let asked = record.requests().len();
    round(folder, &options, &seeds, 7.5);
    let again = record.requests().into_iter().skip(asked);
    assert_eq!(again.filter(|(_, asked)| asked.url.contains("sitemap")).count(), 0);
}

#[test]
fn hosts_that_pauses_keep_from_their_visits_are_planned_by_themselves() {
    let pages = Pages::new(Manner::Honest);
    let links: String = (0..5).map(|n| format!("<a href=/page-{n}.html>{n}</a>")).collect();
    pages.set("http://honest.example/", links);
    (0..5).for_each(|n| pages.set(&page(HOSTS[0], n), format!("<p>{}", words(n))));
    let (server, _) = serve(pages);
    let folder = tempfile::tempdir().unwrap();
    let mut options = every(server.proxy(), 1);
    options.revisit.schedule = Schedule::Optimal;
    options.politeness.delay_ms = 200;
    round(folder.path(), &options, &["http://honest.example/"], 0.0);
    let over = |options: &CrawlOptions, day: i64| {
        let (mut crawl, _) = Crawl::open(folder.path(), options, &[], 2, None).unwrap();
        crawl.set_clock(BEGAN + day * DAY_MS);
        assert!(crawl.pages_due(100).unwrap() > 0);
        let ended = crawl.run(&mut super::crawl_support::Quiet, &|| false).unwrap();
        let (over, FrontierStats { queued, .. }) = (crawl.hosts_over_budget(), crawl.frontier());
        crawl.close(ended).unwrap();
        (over, queued)
    };
    assert_eq!(over(&options, 2), (0, 0));
    options.revisit.visits_per_day = 10_000_000.0;
    assert_eq!(over(&options, 400), (1, 0), "five a second are fewer than a hundred");
}
