//! Writes one of each page of the archive's site, with data made up for it, into a folder: to be looked at.
//!
//! `cargo run -p webmill-serve --example site_pages -- FOLDER`

use std::path::PathBuf;

use webmill_capture::Result;
use webmill_index::{Entry, MemoryIndex, Timestamp};
use webmill_serve::site::{
    Ask, CaptureFacts, ClusterFacts, CollectionSummary, Facts, Held, HostLine, Lang, Pages, Problem,
    SearchAnswer, SearchHit, Span, Survey, answer,
};

/// Titles and texts of made-up pages.
const PAGES: [(&str, &str, &str); 6] = [
    (
        "http://www.river-museum.example/",
        "River Museum — Opening hours and exhibitions",
        "The museum by the river is open every day but Monday.",
    ),
    (
        "http://www.river-museum.example/collection/mills.html",
        "Water mills of the upper valley",
        "Eleven mills stood between the bridge and the weir; three of them still turn.",
    ),
    (
        "http://news.northfield.example/2003/04/rain?id=17&lang=en",
        "Rain after a dry month",
        "It rained on Tuesday for the first time since the fourth of March.",
    ),
    (
        "http://图书馆.example/馆藏/目录.html",
        "图书馆馆藏目录：地方志与旧报纸",
        "本馆收藏地方志两千余册，旧报纸自一九一二年起，均可到馆查阅。",
    ),
    (
        "http://www.xincheng.example/xw/kaiguan.htm",
        "新城图书馆四月开馆",
        "新城图书馆将于四月十五日正式开馆，周一闭馆，读者凭证入馆。",
    ),
    ("http://www.xincheng.example/", "新城在线", "新城在线：新闻、天气、公交与生活信息。"),
];

struct Known;

impl Facts for Known {
    fn of(&self, url: &str, _: Timestamp) -> Result<Option<CaptureFacts>> {
        let Some((_, title, text)) = PAGES.iter().find(|page| page.0 == url) else { return Ok(None) };
        let chinese = title.chars().any(|c| c > '\u{4e00}');
        Ok(Some(CaptureFacts {
            title: Some((*title).into()),
            author: Some(if chinese { "李华" } else { "Anna Fields" }.into()),
            published: Some("2003-04-16".into()),
            languages: Some(if chinese { "zho" } else { "eng" }.into()),
            charset: Some(if chinese { "GBK" } else { "UTF-8" }.into()),
            text: Some(format!("{text}\n\n{}", text.repeat(4))),
            words: Some(812),
            links: Some(48),
            pagerank: Some(0.00213),
            place: Some((17, 48_211)),
            in_links: Some(1_204),
            cluster: Some(ClusterFacts {
                number: 17,
                size: 4,
                representative: PAGES[0].0.into(),
                kind: "near".into(),
                others: PAGES.iter().skip(1).take(3).map(|page| page.0.into()).collect(),
            }),
            ..CaptureFacts::default()
        }))
    }

    fn searchable(&self) -> bool {
        true
    }

    fn search(&self, query: &str, limit: usize, offset: usize) -> Result<SearchAnswer> {
        let span = |text: &str, found| Span { text: text.into(), found };
        let hit = |n: usize| {
            let (url, title, text) = PAGES[n % PAGES.len()];
            SearchHit {
                url: url.into(),
                timestamp: Some(Timestamp(20030415081306 + n as u64)),
                title: Some(title.into()),
                excerpt: vec![span(text, false), span(" ", false), span(query, true), span(text, false)],
                score: 9.0,
            }
        };
        let hits = (offset..57.min(offset + limit)).map(hit).collect();
        Ok(SearchAnswer { total: 57, hits, words: vec![query.into()] })
    }

    fn hosts(&self, limit: usize, _: usize) -> Result<Option<(Vec<HostLine>, u64)>> {
        let names = [
            "www.xincheng.example",
            "www.river-museum.example",
            "图书馆.example",
            "news.northfield.example",
            "a-rather-long-name-of-a-host.departments.university.example",
            "blog.northfield.example",
            "10.0.0.7",
        ];
        let host = |(n, name): (usize, &&str)| HostLine {
            host: (*name).into(),
            captures: 41_204 / (n as u64 * n as u64 + 1),
            pages: Some(31_204 / (n as u64 + 1)),
            hosts_in: Some(214 / (n as u64 + 1)),
            pagerank: Some(0.13 / (n as f64 + 1.0)),
            language: Some(if n.is_multiple_of(2) { "zho" } else { "eng" }.into()),
        };
        Ok(Some((names.iter().enumerate().map(host).take(limit).collect(), names.len() as u64)))
    }
}

fn key(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).to_lowercase();
    let (host, path) = rest.split_once('/').unwrap_or((&rest, ""));
    (!host.is_empty()).then(|| format!("{})/{path}", host.split('.').rev().collect::<Vec<_>>().join(",")))
}

fn index() -> MemoryIndex {
    let mut entries = Vec::new();
    for (p, (url, ..)) in PAGES.iter().enumerate() {
        for n in 0..(if p == 0 { 240u64 } else { 9 }) {
            let (year, day) = (1999 + (n * 5 + n / 7 * n / 3) % 23 % 6, n * n * 37 % 336 / (1 + n % 2));
            let status = [200, 200, 200, 301, 200, 404, 200][(n % 7) as usize];
            entries.push(Entry {
                urlkey: key(url).unwrap_or_default().into(),
                timestamp: Timestamp(
                    year * 10_000_000_000
                        + (day / 28 + 1) * 100_000_000
                        + (day % 28 + 1) * 1_000_000
                        + n % 24 * 10_000
                        + n * 7 % 60 * 100
                        + n % 60,
                ),
                url: (*url).into(),
                mime: if n % 11 == 10 { "warc/revisit" } else { "text/html" }.into(),
                status: (n % 13 != 12).then_some(status),
                digest: format!("DIGEST{}", n / 3).into(),
                length: Some(1_000 + n * 977),
                ..Entry::default()
            });
        }
    }
    MemoryIndex::new(entries)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("which folder?")?.into();
    std::fs::create_dir_all(&folder)?;
    let index = index();
    let survey = Survey::of(&index)?;
    for lang in [Lang::En, Lang::Zh] {
        let named = |title: &str, description: &str, name: &str| CollectionSummary {
            title: Some(title.into()),
            description: Some(description.into()),
            captures: 1_204_311,
            urls: Some(812_204),
            hosts: Some(1_877),
            bytes: Some(48_310_221_000),
            searchable: true,
            ..survey.summary(name)
        };
        let about = named(
            "Northfield & 新城 1999–2004",
            "Two towns on the Web at the turn of the century. 两座城市世纪之交的网页。",
            "towns",
        );
        let held = Held { about: &about, index: &index, survey: &survey, facts: &Known, key: &key };
        let query = if lang == Lang::Zh { "图书馆" } else { "water mills" };
        let asks = [
            ("front", Ask::Front),
            ("calendar", Ask::Calendar { url: PAGES[0].0.into(), year: None }),
            ("urls", Ask::parse("calendar", Some("url=example&match=domain")).ok_or("a page")?),
            ("hosts", Ask::Hosts { page: 0 }),
            ("search", Ask::Search { query: query.into(), page: 1 }),
            (
                "info",
                Ask::Info { timestamp: survey.newest[0].timestamp.0, url: survey.newest[0].url.clone() },
            ),
            ("missing", Ask::Calendar { url: "http://nowhere.example/page".into(), year: None }),
        ];
        for (name, ask) in asks {
            let (_, html) = answer(&ask, &held, lang)?;
            std::fs::write(folder.join(format!("{name}-{}.html", lang.name())), html)?;
        }
        let pages = Pages::new(lang, "/");
        let all = [
            about.clone(),
            named("Rust documentation", "", "rust-doc"),
            named("图书馆旧站", "2003 年改版之前的网站。", "library"),
        ];
        std::fs::write(folder.join(format!("home-{}.html", lang.name())), pages.home(&all)?)?;
        let problem = Problem { status: 503, url: None, detail: Some("The index is being built.") };
        std::fs::write(folder.join(format!("problem-{}.html", lang.name())), pages.problem(None, &problem)?)?;
    }
    Ok(())
}
