//! A crawl of a site with documents and pictures: what is stored by default, how long it may be, what becomes of it in tables.

use std::collections::BTreeMap;
use std::path::Path;

use webmill::capture::{CanonicalUrl, Truncation};
use webmill::crawl::CrawlOptions;
use webmill::mill::{DocumentKind, MediaRow, MediaSource};

use super::files::{PdfPage, docx, pdf, png};
use super::{pages_of, paper, paragraphs, rows};
use crate::crawl_support::{Stored, Written, answers, crawl, serve, swift};
use crate::support::Work;

const SITE: &str = "http://boats.example";

fn file(media_type: &str, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A front page with a paper, minutes, a picture, a feed; pages that only these lead to.
fn site() -> Written {
    let url = |path: &str| format!("{SITE}{path}");
    let links = ["/paper.pdf", "/long.pdf", "/download?id=1", "/pier.png", "/feed", "/long.html"];
    let paper_with_link = pdf(
        None,
        &[PdfPage {
            heading: "Ropes",
            paragraphs: &paragraphs(1),
            link: Some("http://boats.example/from-pdf"),
        }],
    );
    let feed = "<rss version='2.0'><channel><title>News</title><item><title>Fog</title><link>http://boats.example/from-feed</link></item></channel></rss>";
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let long = [paper("A Long Paper", 2), vec![b'%'; 900_000]].concat();
    Written::default()
        .page(&url("/"), &links)
        .page(&url("/from-pdf"), &[])
        .page(&url("/from-feed"), &[])
        .page(&url("/timetable"), &[])
        .answer(&url("/paper.pdf"), file("application/pdf", &paper_with_link))
        .answer(&url("/long.pdf"), file("application/pdf", &long))
        .answer(&url("/long.html"), file("text/html", &vec![b' '; 900_000]))
        .answer(&url("/download?id=1"), file(word, &docx("Minutes", &paragraphs(8))))
        .answer(&url("/feed"), file("application/rss+xml", feed.as_bytes()))
        .answer(&url("/pier.png"), file("image/png", &png(30, 20)))
}

fn crawled(folder: &Path, change: impl Fn(&mut CrawlOptions)) -> BTreeMap<String, Stored> {
    let (server, _) = serve(site());
    let mut options = swift(server.proxy());
    change(&mut options);
    crawl(folder, &options, &[CanonicalUrl::parse(&format!("{SITE}/")).unwrap()]);
    let stored = answers(folder).into_iter();
    stored.filter_map(|answer| Some((answer.url.strip_prefix(SITE)?.to_owned(), answer))).collect()
}

fn body(stored: &Stored) -> usize {
    stored.data.len() - stored.data.windows(4).position(|w| w == b"\r\n\r\n").unwrap() - 4
}

#[test]
fn documents_are_stored_whole_and_are_rows() {
    let work = Work::new();
    let stored = crawled(&work.path("c"), |options| options.fetch.max_body_bytes = 1 << 20);
    for path in ["/", "/paper.pdf", "/download?id=1", "/feed"] {
        assert_eq!(stored.get(path).map(|answer| answer.truncated), Some(None), "{path}");
    }
    // Pictures are not, unless they are asked for.
    assert!(!stored.contains_key("/pier.png"));
    assert_eq!(stored["/long.pdf"].truncated, None);
    assert!(body(&stored["/long.pdf"]) > 900_000);
    // What a feed lists is followed.
    assert!(stored.contains_key("/from-feed"));
    work.run(&["run", "c", "--out", "out"]);
    let pages = pages_of(&work, "out");
    for (path, kind) in [
        ("/paper.pdf", DocumentKind::Pdf),
        ("/long.pdf", DocumentKind::Pdf),
        ("/download?id=1", DocumentKind::Docx),
        ("/feed", DocumentKind::Feed),
    ] {
        let page = &pages[&format!("{SITE}{path}")];
        assert_eq!((page.document, &page.document_failure), (Some(kind), &None), "{path}");
        assert!(page.num_words > 0, "{path}");
    }
    let media: Vec<MediaRow> = rows(&work, "out", "extract");
    assert!(media.iter().all(|row| row.source == MediaSource::Img), "{media:?}");
}

#[test]
fn bodies_longer_than_the_limit_are_cut() {
    let work = Work::new();
    let stored = crawled(&work.path("c"), |options| options.fetch.max_body_bytes = 300_000);
    assert_eq!(stored["/long.html"].truncated, Some(Truncation::Length));
    assert_eq!(body(&stored["/long.html"]), 300_000);
    assert_eq!(stored["/long.pdf"].truncated, Some(Truncation::Length));
    assert_eq!(body(&stored["/long.pdf"]), 300_000);
    assert_eq!(stored["/paper.pdf"].truncated, None);
    // What was cut is read as far as it goes, and says so.
    work.run(&["extract", "c", "--out", "out"]);
    let page = &pages_of(&work, "out")[&format!("{SITE}/long.pdf")];
    assert!(page.content_truncated.is_some() && page.document == Some(DocumentKind::Pdf), "{page:?}");
    assert!(page.document_warnings.iter().any(|warning| warning == "body-cut"), "{page:?}");
}

#[test]
fn what_is_not_wanted_is_not_stored() {
    let work = Work::new();
    let stored = crawled(&work.path("html"), |options| options.scope.media_types = vec!["text/html".into()]);
    assert_eq!(stored.keys().map(String::as_str).collect::<Vec<_>>(), ["/", "/long.html"]);
    let stored = crawled(&work.path("all"), |options| options.scope.media_types = Vec::new());
    assert_eq!(body(&stored["/pier.png"]), png(30, 20).len());
    work.run(&["extract", "all", "--out", "out"]);
    let media: Vec<MediaRow> = rows(&work, "out", "extract");
    let told: Vec<_> =
        media.iter().map(|row| (row.url.as_str(), row.source, row.width, row.height)).collect();
    assert_eq!(told, [("http://boats.example/pier.png", MediaSource::File, Some(30), Some(20))]);
}
