//! Pages of a small archive: whole, bilingual, and unmoved by hostile data.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::index::{CaptureSource, Entry, KeyRange, MemoryIndex, Timestamp};
use webmill_capture::Result;

use super::*;

/// Keys as tests need them: host reversed, then the path.
fn key(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).to_lowercase();
    let (host, path) = rest.split_once('/').unwrap_or((&rest, ""));
    (!host.is_empty()).then(|| format!("{})/{path}", host.split('.').rev().collect::<Vec<_>>().join(",")))
}

fn entry(url: &str, timestamp: u64, status: u16, digest: &str) -> Entry<'static> {
    Entry {
        urlkey: key(url).unwrap().into(),
        timestamp: Timestamp(timestamp),
        url: url.to_owned().into(),
        mime: "text/html".into(),
        status: Some(status),
        digest: digest.to_owned().into(),
        length: Some(1234),
        ..Entry::default()
    }
}

/// What nobody should call a page.
const HOSTILE: &str = "\u{202e}</title><script>alert(1)</script>\"'&{{ 7*7 }}";
const HOSTILE_URL: &str = "http://evil.example/\"><img src=x onerror=alert(1)>?\u{202e}{{c}}";

struct KnownFacts;

impl Facts for KnownFacts {
    fn of(&self, url: &str, _: Timestamp) -> Result<Option<CaptureFacts>> {
        Ok(Some(CaptureFacts {
            title: Some(if url.contains("evil") { HOSTILE.into() } else { format!("Title of {url}") }),
            author: Some(HOSTILE.into()),
            text: Some(format!("第一段\n\nSecond {HOSTILE}")),
            words: Some(12345),
            pagerank: Some(0.0012),
            places: Some([
                PlaceFacts { position: 3, of: 16, percentile: 81.25 },
                PlaceFacts { position: 22, of: 2297, percentile: 99.04 },
            ]),
            cluster: Some(ClusterFacts {
                number: 7,
                size: 3,
                representative: "javascript:alert(2)".into(),
                kind: "near".into(),
                others: vec![HOSTILE_URL.into()],
            }),
            ..CaptureFacts::default()
        }))
    }

    fn searchable(&self) -> bool {
        true
    }

    fn search(&self, query: &str, limit: usize, offset: usize) -> Result<SearchAnswer> {
        let hit = |n: usize| SearchHit {
            url: if n.is_multiple_of(2) { HOSTILE_URL.into() } else { "javascript:alert(3)".into() },
            timestamp: (!n.is_multiple_of(3)).then_some(Timestamp(20200101000000)),
            title: Some(HOSTILE.into()),
            excerpt: vec![
                Span { text: "before <b> ".into(), found: false },
                Span { text: query.into(), found: true },
            ],
            score: 1.0,
        };
        Ok(SearchAnswer {
            total: 45,
            hits: (offset..45.min(offset + limit)).map(hit).collect(),
            words: vec![query.into()],
        })
    }

    fn hosts(&self, limit: usize, _: usize) -> Result<Option<(Vec<HostLine>, u64)>> {
        let host = HostLine {
            host: HOSTILE.into(),
            captures: 10,
            pages: Some(3),
            pagerank: Some(1e-9),
            language: Some("zho".into()),
            ..HostLine::default()
        };
        Ok(Some((vec![host; limit.min(2)], 2)))
    }
}

fn index() -> MemoryIndex {
    let mut entries = vec![
        entry("http://a.example/", 20190615103000, 200, "A"),
        entry("http://a.example/", 20200101000000, 301, "B"),
        entry("http://a.example/", 20200101120000, 200, "A"),
        entry("http://a.example/", 20200229000000, 404, "C"),
        entry("http://a.example/news/", 20200301000000, 200, "D"),
        entry("http://a.example/news/1", 20200302000000, 200, "E"),
        entry("http://b.a.example/", 20210101000000, 200, "F"),
        entry("http://aa.example/", 20200101000000, 200, "G"),
        entry(HOSTILE_URL, 20200101000000, 200, HOSTILE),
    ];
    entries[8].mime = HOSTILE.into();
    MemoryIndex::new(entries)
}

/// The page of an address, in both languages.
fn page(rest: &str, query: Option<&str>) -> (u16, String) {
    let index = index();
    let about = CollectionSummary {
        name: "demo".into(),
        title: Some(HOSTILE.into()),
        description: Some(HOSTILE.into()),
        searchable: true,
        ..CollectionSummary::default()
    };
    let survey = || Survey::of(&index).map(Arc::new);
    let held =
        SiteCollection { about: &about, index: &index, survey: &survey, facts: &KnownFacts, key: &key };
    let ask = Ask::parse(rest, query).unwrap();
    let (status, english) = shown(answer(&ask, &held, Lang::En).unwrap());
    let (_, chinese) = shown(answer(&ask, &held, Lang::Zh).unwrap());
    for html in [&english, &chinese] {
        harmless(html);
        assert!(html.contains("</html>"));
    }
    assert!(english.contains("lang=\"en\"") && chinese.contains("<html lang=\"zh-Hans\">"));
    assert!(chinese.contains("网页存档"));
    (status, english)
}

fn shown(answer: SiteAnswer) -> (u16, String) {
    match answer {
        SiteAnswer::Page(status, html) => (status, html),
        SiteAnswer::Elsewhere(address) => panic!("{address} in place of a page"),
    }
}

/// No script, no handler, no link but to this server or to live pages, no character that turns text outside of a `bdi`.
fn harmless(html: &str) {
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("49"), "{html}");
    let hrefs = html.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    for href in hrefs {
        assert!(
            href.starts_with(['/', '#']) && !href.starts_with("//") || href.starts_with("http://"),
            "{href}"
        );
        assert!(!href.contains(['\u{202e}', '<', '>', ' ']), "{href}");
    }
    for outside in html.split("</bdi>").map(|piece| piece.split("<bdi").next().unwrap()) {
        // What is typed into a box, and the title of the window, stand alone anyway.
        let visible = outside.split("value=\"").next().unwrap();
        let visible = visible.split("<title>").next().unwrap();
        assert!(!visible.contains('\u{202e}'), "{visible}");
    }
}

#[test]
fn every_page_is_made_in_both_languages_and_escapes_what_it_shows() {
    for (rest, query, status) in [
        ("", None, 200),
        ("hosts", None, 200),
        ("search", Some("q=%3Cscript%3E&page=1"), 200),
        ("search", None, 200),
        ("*/http://a.example/", None, 200),
        ("2019*/a.example/", None, 200),
        ("*/http://nowhere.example/", None, 404),
        ("calendar", Some("url=evil.example&match=host"), 200),
        ("calendar", Some("url=javascript:alert(1)&match=exact"), 404),
        ("*/a.example/*", None, 200),
        ("info/20200101000000/http://a.example/", None, 200),
        ("info/20200101000001/http://a.example/", None, 404),
    ] {
        let (got, html) = page(rest, query);
        assert_eq!(got, status, "{rest} {query:?}: {html}");
    }
    let hostile = links::info("demo", Timestamp(20200101000000), HOSTILE_URL);
    let (path, query) = hostile.split_once('?').unwrap();
    let (status, html) = page(path.strip_prefix("/demo/").unwrap(), Some(query));
    assert_eq!(status, 200);
    assert!(html.contains("&lt;script&gt;"), "{html}");
}

#[test]
fn a_calendar_links_days_and_tells_captures_apart() {
    let (_, html) = page("2020*/http://a.example/", None);
    // Two on one day lead to the list, one to replay.
    assert!(html.contains("href=\"#d2020-01-01\"") && html.contains("×2"), "{html}");
    assert!(
        html.contains("<a class=\"missing\" href=\"/demo/20200229000000/http://a.example/\">29"),
        "{html}"
    );
    assert!(html.contains("as earlier") && html.contains(">changed<"));
    assert!(html.contains("href=\"/demo/2019*/http://a.example/\"") && html.contains("4 captures"));
    assert!(html.contains("Title of http://a.example/"));
    let other =
        "href=\"/demo/calendar?url=http%3A%2F%2Fa.example%2F&amp;match=exact&amp;year=2020&amp;lang=zh\"";
    assert!(html.contains(other), "{html}");
}

#[test]
fn lists_hold_the_urls_of_a_prefix_host_or_domain() {
    let urls = |query: &str| -> Vec<String> {
        let (_, html) = page("calendar", Some(query));
        let rows = html.split("<td class=\"u block\">").skip(1);
        rows.map(|row| row.split("<bdi>").nth(1).unwrap().split("</bdi>").next().unwrap().to_owned())
            .collect()
    };
    let (home, news, first, below) =
        ("http://a.example/", "http://a.example/news/", "http://a.example/news/1", "http://b.a.example/");
    assert_eq!(urls("url=a.example/&match=prefix"), [home, news, first]);
    assert_eq!(urls("url=a.example/news&match=prefix"), [news, first]);
    assert_eq!(urls("url=http://a.example/x&match=host"), [home, news, first]);
    assert_eq!(urls("url=a.example&match=domain"), [home, news, first, below]);
    assert_eq!(urls("url=a.example/&match=prefix&from=example,a)/news/1"), [first]);
    assert_eq!(
        urls("url=a.example/&match=prefix&from=aaa"),
        [home, news, first],
        "a page cannot begin before the list"
    );
}

#[test]
fn long_lists_turn_pages() {
    let entries = (0..250).map(|n| entry(&format!("http://a.example/{n:03}"), 20200101000000, 200, "A"));
    let index = MemoryIndex::new(entries.collect());
    let about = CollectionSummary { name: "demo".into(), ..CollectionSummary::default() };
    let survey = || Survey::of(&index).map(Arc::new);
    let held = SiteCollection { about: &about, index: &index, survey: &survey, facts: &NoFacts, key: &key };
    let (mut seen, mut ask) = (0, Ask::parse("*/a.example/*", None).unwrap());
    loop {
        let (_, html) = shown(answer(&ask, &held, Lang::En).unwrap());
        seen += html.matches("<td class=\"u block\">").count();
        let Some(next) = html.split("rel=\"next\"").next().filter(|_| html.contains("rel=\"next\"")) else {
            break;
        };
        let href = next.rsplit("href=\"").next().unwrap().split('"').next().unwrap().replace("&amp;", "&");
        let (path, query) = href.split_once('?').unwrap();
        ask = Ask::parse(path.strip_prefix("/demo/").unwrap(), Some(query)).unwrap();
    }
    assert_eq!(seen, 250);
    // What was captured once is shown, unless its calendar is asked for by the year.
    let once = |rest| answer(&Ask::parse(rest, None).unwrap(), &held, Lang::En).unwrap();
    let SiteAnswer::Elsewhere(address) = once("*/a.example/007") else { panic!("a calendar of one capture") };
    assert_eq!(address, "/demo/20200101000000/http://a.example/007");
    let (_, year) = shown(once("2020*/a.example/007"));
    assert!(year.contains("1 capture<") && !year.contains("1 captures"), "{year}");
    assert!(year.contains(">2020-01-01<") && !year.contains("2020-01-01 – "), "one day is said once: {year}");
}

#[test]
fn long_addresses_are_cut_and_numbers_have_their_words() {
    let long = format!("http://a.example/?q={}&end=1", "x".repeat(1000));
    let index = MemoryIndex::new(vec![entry(&long, 20200101000000, 200, "A")]);
    let about = CollectionSummary { name: "demo".into(), ..CollectionSummary::default() };
    let survey = || Survey::of(&index).map(Arc::new);
    let held = SiteCollection { about: &about, index: &index, survey: &survey, facts: &NoFacts, key: &key };
    let page = |rest| shown(answer(&Ask::parse(rest, None).unwrap(), &held, Lang::En).unwrap()).1;
    let list = page("*/a.example/*");
    assert!(
        list.contains("xxx&amp;end=1</bdi>")
            && !list.contains(&format!("{}&amp;end=1</bdi>", "x".repeat(40)))
    );
    let hosts = page("hosts");
    assert!(hosts.contains("data-l=\"capture\"") && hosts.contains(">1 host<"), "{hosts}");
}

#[test]
fn urls_without_a_host_are_of_none() {
    let urls = ["http://a.example/", "urn:pageinfo:http://a.example/", "urn:x", "http://b.example/"];
    let mut entries = urls.map(|url| entry(url, 20200101000000, 200, "A")).to_vec();
    for urn in &mut entries[1..3] {
        urn.urlkey = urn.url.clone();
    }
    let index = MemoryIndex::new(entries);
    let survey = Survey::of(&index).unwrap();
    assert_eq!((survey.captures, survey.urls), (4, 4));
    assert_eq!(survey.hosts, [("a.example".to_owned(), 1), ("b.example".to_owned(), 1)]);
}

#[test]
fn urls_and_hosts_are_counted_as_tables_count_them() {
    let urls = [
        "http://a.example/",
        "https://www.a.example/",
        "HTTP://A.example",
        "http://a.example/",
        "http://www.a.example/b",
    ];
    let mut entries = urls.map(|url| entry(url, 20200101000000, 200, "A")).to_vec();
    for (one, key) in
        entries.iter_mut().zip(["example,a)/", "example,a)/", "example,a)/", "example,a)/", "example,a)/b"])
    {
        one.urlkey = key.into();
    }
    let survey = Survey::of(&MemoryIndex::new(entries)).unwrap();
    assert_eq!((survey.captures, survey.urls), (5, 3));
    assert_eq!(survey.hosts, [("a.example".to_owned(), 3), ("www.a.example".to_owned(), 2)]);
}

#[test]
fn a_survey_counts_what_an_index_holds() {
    let index = index();
    let survey = Survey::of(&index).unwrap();
    let mut entries = 0;
    index
        .scan(&KeyRange::default(), &mut |_| {
            entries += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((survey.captures, survey.urls), (entries, 6));
    assert_eq!(survey.hosts[0], ("a.example".into(), 6));
    assert_eq!(
        (survey.first, survey.last),
        (Some(Timestamp(20190615103000)), Some(Timestamp(20210101000000)))
    );
    let newest: Vec<_> = survey.newest.iter().map(|line| (&*line.url, line.timestamp.0)).collect();
    assert_eq!(newest[0], ("http://b.a.example/", 20210101000000));
    assert_eq!(newest.iter().filter(|(url, _)| *url == "http://a.example/").count(), 1);
    assert!(newest.is_sorted_by(|a, b| a.1 >= b.1));
}

#[test]
fn the_home_page_lists_collections() {
    let about = |name: &str| CollectionSummary {
        name: name.into(),
        title: Some(HOSTILE.into()),
        captures: 1,
        first: Some(Timestamp(20200101000000)),
        last: Some(Timestamp(20210101000000)),
        ..CollectionSummary::default()
    };
    let hits = KnownFacts.search("<b>", 3, 0).unwrap();
    let groups = [(about("one"), hits)];
    for lang in [Lang::En, Lang::Zh] {
        let found = Pages::new(lang, "/search").search_all(HOSTILE, &groups, &[about("two")]).unwrap();
        harmless(&found);
        assert!(found.contains("href=\"/one/search?q=") && found.contains("href=\"/two/\""), "{found}");
        let html = Pages::new(lang, "/").home(&[about("one"), about("北京/../x")]).unwrap();
        harmless(&html);
        assert!(html.contains("action=\"/one/calendar\""));
        assert!(html.contains("href=\"/%E5%8C%97%E4%BA%AC%2F..%2Fx/\""));
        harmless(&Pages::new(lang, "/").home(&[]).unwrap());
        harmless(
            &Pages::new(lang, "/")
                .problem(None, &Problem { status: 500, detail: Some(HOSTILE), ..Problem::default() })
                .unwrap(),
        );
    }
}
