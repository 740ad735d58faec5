//! What pages need to be shown: all of it is in the shards, from wherever it is, and none of it counts as a page.

use std::collections::BTreeMap;

use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::event::outcome;
use webmill::crawl::frontier::Strategy;
use webmill::crawl::{CrawlOptions, Ended, Purpose};

use super::crawl_support::{Written, answers, crawl, crawl_until, events, message, seeds, serve, swift};

fn file(media_type: &str, body: &str) -> Vec<u8> {
    message("200 OK", &format!("Content-Type: {media_type}\r\n"), body)
}

const SITE: &str = "http://docs.example";
const CDN: &str = "http://cdn.example";

/// Pictures come when somebody looks.
const LAZY: &str = "addEventListener('load', () => document.querySelectorAll('[data-src]').forEach(e => { e.src = e.dataset.src }))";

/// What the pages of [`documentation`] need.
const NEEDED: [&str; 23] = [
    "http://docs.example/favicon.ico",
    "http://docs.example/style/main.css",
    "http://docs.example/style/print.css",
    "http://docs.example/style/deep.css",
    "http://docs.example/style/loop.css",
    "http://cdn.example/font.woff2",
    "http://cdn.example/bg.png",
    "http://cdn.example/lib.js",
    "http://docs.example/icon.ico",
    "http://docs.example/app.webmanifest",
    "http://docs.example/icons/192.png",
    "http://docs.example/small.png",
    "http://docs.example/large.png",
    "http://docs.example/photo.webp",
    "http://docs.example/lazy.png",
    "http://docs.example/lazy-2x.png",
    "http://docs.example/inline.png",
    "http://docs.example/poster.png",
    "http://docs.example/film.mp4",
    "http://docs.example/sprite.svg",
    "http://docs.example/hint.css",
    "http://frames.example/frame",
    "http://frames.example/inside.png",
];

/// Three pages, their styles, scripts, fonts, pictures and frames on three hosts.
pub fn documentation() -> Written {
    let home = "<!DOCTYPE html><title>Home</title><link rel=stylesheet href=/style/main.css>\
        <link rel='shortcut icon' href=/icon.ico><link rel=manifest href=/app.webmanifest>\
        <script src=http://cdn.example/lib.js></script><style>i { background: url('inline.png') } b { font-family: F }</style>\
        <p><i>slanted</i> <b>heavy</b></p>\
        <img src=/small.png srcset='/small.png 1x, /large.png 2x'><a href=/large.png>larger</a>\
        <picture><source srcset=/photo.webp type=image/webp><img src=/small.png></picture>\
        <img data-src=/lazy.png data-srcset='/lazy-2x.png 2x'>\
        <video poster=/poster.png><source src=/film.mp4></video><svg><use href=/sprite.svg#x /></svg>\
        <iframe src=http://frames.example/frame></iframe><a href=/one>one</a><a href=/two>two</a>\
        <a href=http://other.example/>elsewhere</a>";
    let main =
        "@import 'print.css' print; @import url(deep.css); body { background: url(//cdn.example/bg.png) }";
    let deep = "@import 'loop.css'; @font-face { font-family: F; src: url(\"//cdn.example/font.woff2\") format('woff2') }";
    let frame = "<img src=inside.png><a href=/out>not of this crawl</a>";
    let page = |title: &str| {
        let body = format!(
            "<!DOCTYPE html><title>{title}</title><link rel=stylesheet href=/style/main.css><p>{title}"
        );
        message("200 OK", "Content-Type: text/html\r\nLink: </hint.css>; rel=preload; as=style\r\n", &body)
    };
    let picture = file("image/png", "\u{89}PNG");
    let mut web = Written::default()
        .answer(&format!("{SITE}/"), file("text/html", home))
        .answer(&format!("{SITE}/one"), page("one"))
        .answer(&format!("{SITE}/two"), page("two"))
        .answer(&format!("{SITE}/style/main.css"), file("text/css", main))
        .answer(&format!("{SITE}/style/deep.css"), file("text/css", deep))
        .answer(
            &format!("{SITE}/style/loop.css"),
            file("text/css", "@import 'deep.css'; @import 'main.css';"),
        )
        .answer(&format!("{SITE}/style/print.css"), file("text/css", "p { color: black }"))
        .answer(&format!("{SITE}/hint.css"), file("text/css", "p { color: red }"))
        .answer(
            &format!("{SITE}/app.webmanifest"),
            file("application/manifest+json", r#"{"icons":[{"src":"icons/192.png"}]}"#),
        )
        .answer(
            &format!("{SITE}/sprite.svg"),
            file("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
        )
        .answer(&format!("{CDN}/lib.js"), file("text/javascript", LAZY))
        .answer(&format!("{CDN}/font.woff2"), file("font/woff2", "wOF2"))
        .answer("http://frames.example/frame", file("text/html", frame));
    for url in NEEDED {
        if !web.0.contains_key(url) {
            web = web.answer(url, picture.clone());
        }
    }
    web
}

pub fn with_requisites(proxy: String) -> CrawlOptions {
    let mut options = swift(proxy);
    options.requisites = true;
    options
}

/// Purposes of what was stored, by URL.
fn stored(folder: &std::path::Path) -> BTreeMap<String, Purpose> {
    let all = events(folder).into_iter().filter(|event| event.outcome == outcome::STORED);
    all.map(|event| (event.url, event.purpose)).collect()
}

#[test]
fn every_requisite_of_a_site_is_stored_and_none_counts_as_a_page() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        for (strategy, connections) in [(Strategy::Breadth, 32), (Strategy::Depth, 4), (Strategy::Best, 1)] {
            let (server, record) = serve(documentation());
            let folder = tempfile::tempdir().unwrap();
            let mut options = CrawlOptions { strategy, connections, ..with_requisites(server.proxy()) };
            options.archive.format = format;
            let totals = crawl(folder.path(), &options, &seeds(&["http://docs.example/"]));
            assert_eq!((totals.stored, totals.requisites), (3, NEEDED.len() as u64), "{strategy:?}");
            let stored = stored(folder.path());
            for url in NEEDED {
                assert_eq!(stored.get(url), Some(&Purpose::Requisite), "{url}");
            }
            let archived: Vec<String> = answers(folder.path()).into_iter().map(|answer| answer.url).collect();
            for url in NEEDED {
                assert_eq!(archived.iter().filter(|known| *known == url).count(), 1, "{url}");
            }
            // Links of frames and of other hosts lead nowhere.
            let asked = record.counts();
            assert!(
                !asked.keys().any(|url| url.contains("other.example") || url.ends_with("/out")),
                "{asked:?}"
            );
            assert!(asked.iter().all(|(url, count)| *count == 1 || url.ends_with("robots.txt")), "{asked:?}");
        }
    }
}

#[test]
fn the_limit_of_pages_counts_pages_and_their_requisites_come_all_the_same() {
    for pages in 1..=2 {
        let (server, _) = serve(documentation());
        let folder = tempfile::tempdir().unwrap();
        let mut options = with_requisites(server.proxy());
        options.limits.pages = Some(pages);
        let (_, ended, totals) =
            crawl_until(folder.path(), &options, &seeds(&["http://docs.example/"]), &|| false).unwrap();
        assert_eq!((ended, totals.stored), (Ended::Pages, pages));
        let stored = stored(folder.path());
        let missing: Vec<_> = NEEDED.iter().filter(|url| !stored.contains_key(**url)).collect();
        // Only further pages ask for that one.
        assert!(
            missing.is_empty() || (pages == 1 && missing == [&"http://docs.example/hint.css"]),
            "{missing:?}"
        );
    }
    // A limit of a host holds for its pages too.
    let (server, _) = serve(documentation());
    let folder = tempfile::tempdir().unwrap();
    let mut options = with_requisites(server.proxy());
    options.limits.pages_per_host = Some(1);
    let totals = crawl(folder.path(), &options, &seeds(&["http://docs.example/"]));
    assert_eq!((totals.stored, totals.requisites), (1, NEEDED.len() as u64 - 1));
}

#[test]
fn a_killed_crawl_brings_its_requisites_home() {
    let (server, _) = serve(documentation());
    let folder = tempfile::tempdir().unwrap();
    let options = CrawlOptions { connections: 1, ..with_requisites(server.proxy()) };
    let mut runs = 0;
    loop {
        // Each run gets a little further, and is dropped without being closed.
        let looks = std::cell::Cell::new(0);
        let stop = || {
            looks.set(looks.get() + 1);
            looks.get() > 12
        };
        let (mut crawl, _) =
            webmill::crawl::Crawl::open(folder.path(), &options, &seeds(&["http://docs.example/"]), 2, None)
                .unwrap();
        let ended = crawl.run(&mut super::crawl_support::Quiet, &stop).unwrap();
        drop(crawl);
        runs += 1;
        if ended == Ended::Finished {
            break;
        }
        assert!(runs < 100);
    }
    // The frontier is lost: all that is known comes from shards and log.
    std::fs::remove_dir_all(folder.path().join("frontier")).unwrap();
    let totals = crawl(folder.path(), &options, &seeds(&["http://docs.example/"]));
    assert_eq!((totals.stored, totals.requisites), (3, NEEDED.len() as u64));
    let mut archived: Vec<String> = answers(folder.path()).into_iter().map(|answer| answer.url).collect();
    let count = archived.len();
    archived.sort();
    archived.dedup();
    assert_eq!((count, archived.len()), (3 + NEEDED.len(), 3 + NEEDED.len()));
}

#[test]
fn requisites_obey_rules_robots_and_hops() {
    let mut web = documentation()
        .answer("http://cdn.example/robots.txt", file("text/plain", "User-agent: *\nDisallow: /bg.png\n"));
    for n in 0..9 {
        let css = format!("@import 'http://chain.example/{}.css';", n + 1);
        web = web.answer(&format!("http://chain.example/{n}.css"), file("text/css", &css));
    }
    let page = "<link rel=stylesheet href=http://chain.example/0.css><link rel=stylesheet href=/style/main.css>\
        <img src=/photo.exe><img src=/photo.webp>";
    web = web.answer("http://docs.example/chain", file("text/html", page));
    let (server, record) = serve(web);
    let folder = tempfile::tempdir().unwrap();
    let mut options = with_requisites(server.proxy());
    options.scope.url_exclude = vec![r"\.exe$".into()];
    let totals = crawl(folder.path(), &options, &seeds(&["http://docs.example/chain"]));
    assert_eq!(totals.stored, 1);
    let asked = record.counts();
    let links: Vec<bool> =
        (0..9).map(|n| asked.contains_key(&format!("http://chain.example/{n}.css"))).collect();
    // Five steps from the page.
    assert_eq!(links, [true, true, true, true, true, false, false, false, false]);
    assert_eq!(totals.refused.get("requisite-hops"), 1);
    assert!(
        !asked.contains_key("http://cdn.example/bg.png")
            && asked.contains_key("http://cdn.example/font.woff2")
    );
    assert!(!asked.contains_key("http://docs.example/photo.exe"));
    assert_eq!(totals.refused.get("url-exclude"), 1);
}

#[test]
fn sitemaps_of_other_hosts_count_for_whoever_vouches_for_them() {
    let listed = "<urlset><url><loc>http://a.example/listed</loc></url><url><loc>http://b.example/stranger</loc></url>\
        <url><loc>http://maps.example/own</loc></url></urlset>";
    let index = "<sitemapindex><sitemap><loc>http://maps.example/a.xml</loc></sitemap>\
        <sitemap><loc>http://third.example/c.xml</loc></sitemap></sitemapindex>";
    let third = "<urlset><url><loc>http://a.example/smuggled</loc></url></urlset>";
    let web = Written::default()
        .answer("http://a.example/robots.txt", file("text/plain", "Sitemap: http://maps.example/index.xml\n"))
        .page("http://a.example/", &[])
        .page("http://a.example/listed", &[])
        .page("http://b.example/", &[])
        .page("http://b.example/stranger", &[])
        .answer(
            "http://b.example/sitemap.xml",
            file("text/xml", "<urlset><url><loc>/usual</loc></url></urlset>"),
        )
        .page("http://b.example/usual", &[])
        .page("http://c.example/", &[])
        .answer(
            "http://c.example/sitemap.xml",
            message("302 Found", "Location: http://c.example/home\r\n", ""),
        )
        .page("http://c.example/home", &[])
        .answer("http://maps.example/index.xml", file("text/xml", index))
        .answer("http://maps.example/a.xml", file("text/xml", listed))
        .answer("http://third.example/c.xml", file("text/xml", third));
    let (server, record) = serve(web);
    let folder = tempfile::tempdir().unwrap();
    let options = swift(server.proxy());
    let totals = crawl(
        folder.path(),
        &options,
        &seeds(&["http://a.example/", "http://b.example/", "http://c.example/"]),
    );
    let stored: Vec<String> = stored(folder.path()).into_keys().collect();
    assert_eq!(
        stored,
        [
            "http://a.example/",
            "http://a.example/listed",
            "http://b.example/",
            "http://b.example/usual",
            "http://c.example/",
        ]
    );
    // The stranger and the third host's sitemap.
    assert_eq!(totals.refused.get("sitemap-foreign"), 2);
    assert!(!record.counts().keys().any(|url| url.contains("third.example/c.xml")));
    assert!(totals.given_up.is_empty(), "{:?}", totals.given_up);
}
