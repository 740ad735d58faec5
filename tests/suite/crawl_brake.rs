//! What a crawl leaves out by what a host showed: copies by pattern, and media types by ending; and that it leaves out nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use webmill::capture::CanonicalUrl;
use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::event::outcome;
use webmill::crawl::{Crawl, CrawlOptions, Ended, Totals};
use webmill::sim::{Answer, Happening};

use super::crawl_support::{Quiet, Worked, answers, crawl, events, message, serve, swift, whole};

/// What the path of a URL is worked out to be, media type and body; what has none is not there.
fn by_path(
    site: impl Fn(&str) -> Option<(&'static str, String)> + Send + Sync,
) -> Worked<impl Fn(&str, u32) -> Answer + Send + Sync> {
    Worked(move |url: &str, _| {
        let path = url.splitn(4, '/').nth(3).map_or_else(String::new, |path| format!("/{path}"));
        whole(match site(&path) {
            Some((media_type, body)) => message("200 OK", &format!("Content-Type: {media_type}\r\n"), &body),
            None => message("404 Not Found", "", ""),
        })
    })
}

const NAVIGATION: &str = "<ul><li><a href=\"/\">The first page</a></li><li>Weather of all stations</li>\
    <li>Who we are and how we measure</li><li>Legal notice and data protection</li></ul>\
    <p>Measurements are published every day as soon as they have been checked by our staff, who wish you a good day.</p>";

fn seed() -> [CanonicalUrl; 1] {
    [CanonicalUrl::parse("http://a.example/").unwrap()]
}

fn stored(folder: &Path) -> BTreeSet<String> {
    answers(folder).into_iter().map(|page| page.url.replace("http://a.example", "")).collect()
}

fn number(path: &str, before: &str, after: &str) -> Option<u64> {
    path.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
}

/// 3,002 pages of equal navigation that differ in numbers, in a tree: nearly all of them far from the seed.
#[test]
fn pages_that_differ_in_numbers_are_all_stored() {
    let site = by_path(|path: &str| {
        if path == "/" {
            return Some(("text/html", format!("{NAVIGATION}<a href=\"/station/1.html\">stations</a>")));
        }
        let n = number(path, "/station/", ".html").filter(|n| (1..=3001).contains(n))?;
        let links: String =
            [n * 2, n * 2 + 1].map(|n| format!("<a href=\"/station/{n}.html\">more</a> ")).concat();
        let (level, flow) = (n * 7919 % 5003, n * 104_729 % 997);
        let table = format!(
            "<table><tr><td>Level</td><td>{level}</td></tr><tr><td>Flow</td><td>{flow}</td></tr></table>"
        );
        Some(("text/html", format!("{NAVIGATION}<h1>Station {n}</h1>{table}<p>{links}</p>")))
    });
    let (server, _) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let totals = crawl(folder.path(), &swift(server.proxy()), &seed());
    assert_eq!((totals.stored, totals.outcomes.get(outcome::PATTERN_CUT)), (3002, 0));
    assert!(totals.cut_patterns.is_empty());
}

/// A calendar of 2,000 days without an end that anyone would reach, beside 300 articles.
fn calendar(path: &str) -> Option<(&'static str, String)> {
    if path == "/" {
        let body =
            format!("{NAVIGATION}<a href=\"/news/1\">news</a><a href=\"/calendar?offset=0\">calendar</a>");
        return Some(("text/html", body));
    }
    if let Some(n) = number(path, "/news/", "").filter(|n| (1..=300).contains(n)) {
        let words: String = (0..40).map(|word| format!("word{} ", (n * 41 + word) * 7919 % 65_537)).collect();
        let next = format!("<a href=\"/news/{}\">next</a>", n + 1);
        return Some(("text/html", format!("{NAVIGATION}<h1>News</h1><p>{words}</p>{next}")));
    }
    let offset = number(path, "/calendar?offset=", "").filter(|n| *n < 2000)?;
    let links: String = [offset + 1, offset * 2 + 1, offset * 2 + 2]
        .map(|n| format!("<a href=\"/calendar?offset={n}\">events from {n}</a> "))
        .concat();
    Some((
        "text/html",
        format!("{NAVIGATION}<h1>Events {offset} to {}</h1><p>There are none.</p>{links}", offset + 20),
    ))
}

fn split(urls: &BTreeSet<String>) -> (usize, usize) {
    let news = urls.iter().filter(|url| url.starts_with("/news/")).count();
    (news, urls.iter().filter(|url| url.starts_with("/calendar")).count())
}

#[test]
fn an_endless_view_is_cut_and_what_was_left_out_can_be_had() {
    let (server, record) = serve(by_path(calendar));
    let folder = tempfile::tempdir().unwrap();
    let options = swift(server.proxy());
    let totals = crawl(folder.path(), &options, &seed());
    let (news, views) = split(&stored(folder.path()));
    println!("{views} pages of an endless view were fetched until the cut");
    assert!(news == 300 && (20..60).contains(&views), "{news} {views}");
    let cut = totals.outcomes.get(outcome::PATTERN_CUT);
    assert_eq!(totals.cut_patterns.iter().collect::<Vec<_>>(), [("a.example/calendar?offset={n}", cut)]);
    assert!(cut > 10);
    let told = events(folder.path());
    assert!(told.iter().filter(|event| event.outcome == outcome::PATTERN_CUT).all(|event| {
        event.url.contains("/calendar?")
            && event.depth > 1
            && event.detail.as_deref().is_some_and(|d| d.contains("{n}"))
    }));
    // A resumed crawl knows what it cut.
    let again: Totals = crawl(folder.path(), &options, &seed());
    assert_eq!(again.cut_patterns, totals.cut_patterns);
    assert_eq!(again.stored, totals.stored);
    // Asked for again, all that was refused comes.
    let (mut crawl, _) = Crawl::open(folder.path(), &options, &seed(), 2, None).unwrap();
    assert_eq!(crawl.ask_again(&[outcome::PATTERN_CUT]).unwrap(), cut);
    assert_eq!(crawl.run(&mut Quiet, &|| false).unwrap(), Ended::Finished);
    crawl.close(Ended::Finished).unwrap();
    let refused: BTreeSet<String> = told
        .iter()
        .filter(|event| event.outcome == outcome::PATTERN_CUT)
        .map(|event| event.url.replace("http://a.example", ""))
        .collect();
    let now = stored(folder.path());
    assert_eq!(refused.difference(&now).count(), 0);
    drop(record);
}

#[test]
fn without_the_brake_all_is_fetched() {
    let (server, _) = serve(by_path(calendar));
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.brake = false;
    crawl(folder.path(), &options, &seed());
    assert_eq!(split(&stored(folder.path())), (300, 2000));
}

/// 40 pages with 25 pictures and a font each, a PDF, and 30 downloads without an ending.
fn pictures(path: &str) -> Option<(&'static str, String)> {
    let page = |n: u64| {
        let pictures: String =
            (0..25).map(|k| format!("<a href=\"/img/{n}-{k}.svg\">a drawing</a> ")).collect();
        let files = format!(
            "<a href=\"/files/{n}.pdf\">report</a> <a href=\"/font/{n}.woff2\">font</a> <a href=\"/get/{n}\">tool</a>"
        );
        let words: String = (0..30).map(|word| format!("word{} ", (n * 31 + word) * 7919 % 65_537)).collect();
        format!(
            "{NAVIGATION}<h1>Drawings</h1><p>{words}</p>{pictures}{files} <a href=\"/page/{}\">next</a>",
            n + 1
        )
    };
    if path == "/" {
        return Some(("text/html", page(0)));
    }
    if let Some(n) = number(path, "/page/", "").filter(|n| *n < 40) {
        return Some(("text/html", page(n)));
    }
    match path.rsplit('.').next() {
        Some("svg") => Some(("image/svg+xml", "<svg/>".repeat(10))),
        Some("pdf") => Some(("application/pdf", "%PDF-1.4".into())),
        Some("woff2") => Some(("font/woff2", "wOF2".into())),
        _ => path.starts_with("/get/").then(|| ("application/octet-stream", "\u{1}".repeat(100))),
    }
}

#[test]
fn what_cannot_be_wanted_is_not_asked_for_and_the_connection_is_kept() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let (server, record) = serve(by_path(pictures));
        let folder = tempfile::tempdir().unwrap();
        let mut options = CrawlOptions { connections: 1, ..swift(server.proxy()) };
        options.archive.format = format;
        let totals = crawl(folder.path(), &options, &seed());
        let asked: Vec<String> = record.requests().into_iter().map(|(_, asked)| asked.url).collect();
        let of = |ending: &str| asked.iter().filter(|url| url.ends_with(ending)).count();
        // Of 1,000 drawings the 32nd, the 64th, …, the 512th, in case they are pages here.
        assert_eq!((of(".svg"), of(".woff2"), of(".pdf")), (5, 1, 40));
        let tools = asked.iter().filter(|url| url.contains("/get/")).count();
        assert_eq!(tools, 9);
        let types: Vec<(&str, u64)> = totals.refused_types.iter().collect();
        let others = 40 - tools as u64;
        assert_eq!(
            types,
            [
                ("application/octet-stream", 9),
                ("font/woff2", 40),
                ("image/svg+xml", 1000),
                ("unknown", others)
            ]
        );
        assert_eq!(totals.outcomes.get(outcome::MEDIA_TYPE), 1080);
        // No hollow record, in neither format.
        let stored = stored(folder.path());
        assert!(
            stored
                .iter()
                .all(|url| !url.contains("/img/") && !url.contains("/get/") && !url.contains("/font/"))
        );
        assert_eq!(stored.iter().filter(|url| url.ends_with(".pdf")).count(), 40);
        assert_eq!(totals.stored, 80);
        let opened =
            record.happenings().iter().filter(|(_, what)| matches!(what, Happening::Opened(_))).count();
        println!("{} requests over {opened} connections", asked.len());
        // A body that is not read to its end costs the connection; no other does.
        assert!(opened <= 5 + 1 + tools + 2, "{opened}");
    }
}

/// Of a kind that is mostly refused, but not always, the head is asked for first, and no body is sent in vain.
#[test]
fn the_head_is_asked_for_where_the_ending_says_nothing() {
    let site = by_path(|path: &str| {
        if path == "/" {
            let links: String = (0..100).map(|n| format!("<a href=\"/get/{n}\">file {n}</a> ")).collect();
            return Some(("text/html", format!("{NAVIGATION}{links}")));
        }
        let n = number(path, "/get/", "")?;
        let text = format!("<p>The manual number {} as one page</p>", n * 7919);
        Some(if n % 5 == 0 {
            ("text/html", text)
        } else {
            ("application/octet-stream", "\u{1}".repeat(300_000))
        })
    });
    let (server, record) = serve(site);
    let folder = tempfile::tempdir().unwrap();
    let totals = crawl(folder.path(), &CrawlOptions { connections: 1, ..swift(server.proxy()) }, &seed());
    assert_eq!(totals.stored, 21);
    assert_eq!(totals.outcomes.get(outcome::MEDIA_TYPE), 80);
    assert_eq!(totals.refused_types.iter().collect::<Vec<_>>(), [("application/octet-stream", 80)]);
    let requests = record.requests();
    let heads = requests.iter().filter(|(_, asked)| asked.method == "HEAD").count();
    let opened = record.happenings().iter().filter(|(_, what)| matches!(what, Happening::Opened(_))).count();
    println!("{heads} heads of {} requests, {opened} connections", requests.len());
    assert!(heads > 80 && opened <= 10, "{heads} {opened}");
}
