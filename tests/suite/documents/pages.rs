//! One capture of each kind, labelled truly and falsely: rows of every table.

use std::collections::{BTreeMap, BTreeSet};

use webmill::jobs::dedup::tables::ClusterRow;
use webmill::jobs::graph::tables::{ArcRow, NodeRow};
use webmill::jobs::keywords::tables::KeywordRow;
use webmill::jobs::levels::Level;
use webmill::mill::{
    DocumentKind, DocumentTitle, LinkElement, LinkRow, PageKind, PageRow, RecordRow, TextRow,
};

use super::files::{PdfPage, docx, epub, gold, pdf, xlsb, xlsx};
use super::{Answer, answer, counts, pages_of, paper, paragraphs, rejects, rows, write};
use crate::support::{Work, gzip};

const SITE: &str = "http://boats.example";
const RSS: &str = "<?xml version='1.0'?><rss version='2.0'><channel><title>Pier news</title><link>http://boats.example/news/</link>\
    <item><title>Fog on the river</title><link>http://boats.example/news/fog</link><description>No boats before noon.</description></item></channel></rss>";

/// The ferry's paper: two pages, a title in its metadata, a link on its last line.
fn timetable() -> Vec<u8> {
    let (mut first, mut second) = (paragraphs(1), paragraphs(2));
    first[0] += " The wharfinger keeps the wharfinger's book of the wharfinger.";
    second.push("All departures".into());
    pdf(
        Some("Timetable of the Elbe Ferry"),
        &[
            PdfPage { heading: "Timetable of the Elbe Ferry", paragraphs: &first, link: None },
            PdfPage { heading: "Winter", paragraphs: &second, link: Some("http://boats.example/news/fog") },
        ],
    )
}

/// The same words as a page.
fn page_of(title: &str, paragraphs: &[String]) -> String {
    let paragraphs: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    format!("<!DOCTYPE html><title>{title}</title><body><main><h1>{title}</h1>{paragraphs}</main>")
}

const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const OCTETS: &str = "application/octet-stream";

/// Answers with the kind that each is; `None` for pages and what is not read.
fn corpus() -> Vec<(Answer, Option<DocumentKind>)> {
    use DocumentKind::*;
    let boats: &[&[&str]] = &[&["Boat", "Seats"], &["Elbe", "40"], &["Main", "12"]];
    let of = |path: &str, media_type: &str, body: Vec<u8>| answer(&format!("{SITE}{path}"), media_type, body);
    vec![
        (of("/timetable.pdf", "application/pdf", timetable()), Some(Pdf)),
        // What is told of a body is of no account where its bytes tell more.
        (of("/copy.html", "text/html; charset=utf-8", timetable()), Some(Pdf)),
        (of("/download?id=7", OCTETS, paper("Ropes and Their Knots", 3)), Some(Pdf)),
        (of("/unlabelled", "", paper("Anchors of the Harbour", 4)), Some(Pdf)),
        (of("/paper.txt", "text/plain", paper("Painting the Hull", 5)), Some(Pdf)),
        (of("/gone.pdf", "application/pdf", page_of("Gone", &paragraphs(6)).into_bytes()), None),
        (of("/also-gone.docx", WORD, page_of("Gone as Well", &paragraphs(7)).into_bytes()), None),
        (of("/knots.html", "text/html", page_of("Ropes and Their Knots", &paragraphs(3)).into_bytes()), None),
        (of("/minutes.docx", WORD, docx("Minutes of the Boat Club", &paragraphs(8))), Some(Docx)),
        (of("/minutes.pdf", "application/pdf", docx("Minutes of Another Club", &paragraphs(9))), Some(Docx)),
        (of("/seats.xlsx", "application/zip", xlsx(boats)), Some(Xlsx)),
        (of("/seats.xlsb", OCTETS, xlsb(&["Boat", "Seats"])), Some(Xlsb)),
        (
            of("/book.epub", "application/epub+zip", epub("The Ferryman", "<h1>One</h1><p>He rows.</p>")),
            Some(Epub),
        ),
        (of("/ferries.doc", "application/msword", gold("office-05-en.doc")), Some(Doc)),
        (of("/ferries.odt", OCTETS, gold("office-05-en.odt")), Some(Odt)),
        (of("/ferries.rtf", "application/msword", gold("office-06-zh-Hans.rtf")), Some(Rtf)),
        (of("/noodles.pptx", "text/plain", gold("deck-06-zh-Hans.pptx")), Some(Pptx)),
        (of("/noodles.ppt", "application/vnd.ms-powerpoint", gold("deck-06-zh-Hans.ppt")), Some(Ppt)),
        (of("/noodles.odp", OCTETS, gold("deck-06-zh-Hans.odp")), Some(Odp)),
        (of("/umbrellas.xls", "application/vnd.ms-excel", gold("sheet-02-en.xls")), Some(Xls)),
        (of("/umbrellas.ods", OCTETS, gold("sheet-02-en.ods")), Some(Ods)),
        (of("/feed", "text/xml", RSS.into()), Some(Feed)),
        (of("/readme.md", "text/plain", b"# Rowing\n\nSee [the boats](/boats).".to_vec()), Some(Markdown)),
        (of("/seats.csv", "text/plain", b"Boat,Seats\nElbe,40\n".to_vec()), Some(Csv)),
        (
            of("/notice.txt", "text/plain", b"No boats\n\nThe ferry is laid up until March.\n".to_vec()),
            Some(Text),
        ),
        (of("/app.js", "text/javascript", b"var boats = 1;".to_vec()), None),
        (of("/box.zip", "application/zip", super::files::zip(&[super::files::part("a.txt", b"x")])), None),
    ]
}

fn milled() -> Work {
    let work = Work::new();
    let answers: Vec<Answer> = corpus().into_iter().map(|(answer, _)| answer).collect();
    write(&work, "shards", &answers);
    work.run(&["run", "shards", "--out", "out", "--threads", "2"]);
    work
}

#[test]
fn every_kind_has_the_rows_of_a_page() {
    let work = milled();
    let pages = pages_of(&work, "out");
    kinds(&pages);
    titles(&pages);
    texts(&work);
    tables(&work);
    links(&work);
    copies(&work);
    keywords(&work);
    assert_eq!(rejects(&work, "out"), []);
    let (kept, _) = counts(&work, "out");
    let documents = corpus().iter().filter(|(_, kind)| kind.is_some()).count() as u64;
    assert_eq!((kept["captures"], kept["documents"]), (pages.len() as u64, documents));
}

fn kinds(pages: &BTreeMap<String, PageRow>) {
    let corpus = corpus();
    assert_eq!(pages.len(), corpus.len());
    for (answer, kind) in &corpus {
        let page = &pages[&answer.url];
        assert_eq!((page.document, &page.document_failure), (*kind, &None), "{}", answer.url);
        assert!(page.is_current, "{}", answer.url);
        if kind.is_some() {
            assert_eq!((page.page_type, page.is_html), (Some(PageKind::Document), false), "{}", answer.url);
            assert!(page.num_words > 0 && page.text_digest.is_some(), "{}", answer.url);
        }
    }
    let seen: BTreeSet<_> = corpus.iter().filter_map(|(_, kind)| kind.map(DocumentKind::as_str)).collect();
    assert_eq!(seen.len(), webmill::documents::Kind::ALL.len(), "{seen:?}");
    // What servers call documents and is a page is read as one.
    for path in ["/gone.pdf", "/also-gone.docx"] {
        let page = &pages[&format!("{SITE}{path}")];
        assert!(page.is_html && page.num_words > 20 && page.page_type != Some(PageKind::Document), "{path}");
    }
    for path in ["/app.js", "/box.zip"] {
        assert_eq!(pages[&format!("{SITE}{path}")].page_type, None, "{path}");
    }
}

fn titles(pages: &BTreeMap<String, PageRow>) {
    use DocumentTitle::*;
    let table: &[(&str, &str, DocumentTitle, Option<u32>)] = &[
        ("/timetable.pdf", "Timetable of the Elbe Ferry", Metadata, Some(2)),
        ("/copy.html", "Timetable of the Elbe Ferry", Metadata, Some(2)),
        ("/download?id=7", "Ropes and Their Knots", Type, Some(1)),
        ("/minutes.docx", "Minutes of the Boat Club", Style, None),
        ("/book.epub", "The Ferryman", Metadata, None),
        ("/noodles.pptx", "面条与旅人的故事", Style, Some(4)),
        ("/feed", "Pier news", Metadata, None),
        ("/readme.md", "Rowing", Heading, None),
        ("/notice.txt", "No boats", Line, None),
    ];
    for (path, title, source, num_pages) in table {
        let page = &pages[&format!("{SITE}{path}")];
        let got = (page.title.as_deref(), page.title_source, page.num_pages);
        assert_eq!(got, (Some(*title), Some(*source), *num_pages), "{path}");
    }
    assert_eq!(pages[&format!("{SITE}/timetable.pdf")].author.as_deref(), Some("Ann Lee"));
    assert_eq!(pages[&format!("{SITE}/knots.html")].title_source, None);
}

fn texts(work: &Work) {
    let texts: Vec<TextRow> = rows(work, "out", "extract");
    let text = |path: &str| texts.iter().find(|row| row.url == format!("{SITE}{path}"));
    for (answer, kind) in corpus() {
        let row = texts.iter().find(|row| row.url == answer.url);
        let is_text = kind.is_some() || answer.head.contains("html") || answer.body.starts_with(b"<!DOCTYPE");
        assert_eq!(row.is_some(), is_text, "{}", answer.url);
    }
    let words = paragraphs(8).concat();
    let first = words.split('.').next().unwrap();
    assert!(text("/minutes.docx").unwrap().text.contains(first));
    let paper = text("/download?id=7").unwrap();
    let end: String = paragraphs(3)[2].split(' ').next_back().unwrap().into();
    assert!(paper.text.contains(&end), "{}", paper.text);
    let deck = text("/noodles.odp").unwrap();
    assert_eq!((deck.language.as_deref(), deck.page_type), (Some("zho"), PageKind::Document));
    assert!(text("/readme.md").unwrap().markdown.contains("[the boats](/boats)"));
}

fn tables(work: &Work) {
    let records: Vec<RecordRow> = rows(work, "out", "extract");
    let of = |path: &str| -> Vec<(Option<&str>, String, String)> {
        let url = format!("{SITE}{path}");
        let rows = records.iter().filter(|row| row.url == url);
        rows.map(|row| (row.caption.as_deref(), row.columns.join("|"), row.cells.join("|"))).collect()
    };
    let row = |caption, cells: &str| (caption, "Boat|Seats".to_owned(), cells.to_owned());
    assert_eq!(of("/seats.xlsx"), [row(Some("Boats"), "Elbe|40"), row(Some("Boats"), "Main|12")]);
    assert_eq!(of("/seats.csv"), [row(None, "Elbe|40")]);
    assert!(of("/umbrellas.xls").len() >= 10 && of("/umbrellas.ods").len() >= 10);
    assert!(of("/umbrellas.xls").iter().any(|(_, _, cells)| cells == "Coal|Yard|476|610.81|30%|2019-11-28"));
}

fn links(work: &Work) {
    let links: Vec<LinkRow> = rows(work, "out", "extract");
    let of = |path: &str| -> Vec<(String, LinkElement)> {
        let url = format!("{SITE}{path}");
        links
            .iter()
            .filter(|row| *row.source_url == *url)
            .map(|row| (row.target_url.clone(), row.kind))
            .collect()
    };
    let document = LinkElement::Document;
    let fog = format!("{SITE}/news/fog");
    assert_eq!(of("/minutes.docx"), [(format!("{SITE}/timetable"), document)]);
    assert_eq!(of("/readme.md"), [(format!("{SITE}/boats"), document)]);
    assert_eq!(of("/feed"), [(format!("{SITE}/news/"), document), (fog.clone(), document)]);
    assert_eq!(of("/timetable.pdf"), [(fog.clone(), document)]);
    // Links of documents are arcs of the graph, and documents are pages of it.
    let nodes: Vec<NodeRow> = rows(work, "out", "graph");
    let node = |url: &str| nodes.iter().find(|row| row.level == Level::Page && row.url == url).unwrap();
    let arcs: Vec<ArcRow> = rows(work, "out", "graph");
    for path in ["/timetable.pdf", "/feed"] {
        let (source, target) = (node(&format!("{SITE}{path}")).node, node(&fog).node);
        let arc = arcs.iter().find(|a| a.level == Level::Page && (a.source, a.target) == (source, target));
        assert!(arc.is_some(), "{path}");
    }
}

fn copies(work: &Work) {
    let clusters: Vec<ClusterRow> = rows(work, "out", "dedup");
    let cluster = |path: &str| {
        let url = format!("{SITE}{path}");
        clusters.iter().find(|row| row.url == url).map(|row| row.cluster)
    };
    for (a, b) in [("/timetable.pdf", "/copy.html"), ("/download?id=7", "/knots.html")] {
        assert!(
            cluster(a).is_some() && cluster(a) == cluster(b),
            "{a} {:?}, {b} {:?}",
            cluster(a),
            cluster(b)
        );
    }
    assert_ne!(cluster("/timetable.pdf"), cluster("/download?id=7"));
}

fn keywords(work: &Work) {
    let keywords: Vec<KeywordRow> = rows(work, "out", "keywords");
    let of = |path: &str| keywords.iter().find(|row| row.url == format!("{SITE}{path}")).unwrap();
    let words = &of("/timetable.pdf").tfidf_words;
    assert!(words.iter().any(|word| word == "wharfinger"), "{words:?}");
    assert!(!of("/noodles.pptx").textrank_words.is_empty());
}

#[test]
fn a_packed_and_a_cut_document_are_read_as_far_as_they_go() {
    let work = Work::new();
    let words = [paragraphs(1), paragraphs(2), paragraphs(3), paragraphs(4)];
    let page = |paragraphs| PdfPage { heading: "Ropes and Their Knots", paragraphs, link: None };
    let paper =
        pdf(None, &[page(&words[0][..]), page(&words[1][..]), page(&words[2][..]), page(&words[3][..])]);
    let mut packed = answer("http://a.example/packed.pdf", "application/pdf", gzip(&paper));
    packed.head += "Content-Encoding: gzip\r\n";
    let mut partial = answer("http://a.example/part.pdf", "application/pdf", paper.clone());
    partial.head += "X-Robots-Tag: noindex\r\n";
    write(&work, "shards", &[packed, partial, answer("http://a.example/", "text/html", "<p>x")]);
    work.run(&["extract", "shards", "--out", "out"]);
    let pages = pages_of(&work, "out");
    for path in ["packed.pdf", "part.pdf"] {
        let page = &pages[&format!("http://a.example/{path}")];
        assert_eq!((page.document, page.num_pages), (Some(DocumentKind::Pdf), Some(4)), "{path}");
        assert!(page.num_words > 100, "{path}");
    }
    assert!(pages["http://a.example/part.pdf"].robots_noindex);
    // A limit on records cuts the file, not the job.
    let recipe = super::recipe(&work, "cut", &format!("max_record_bytes = {}", paper.len() * 3 / 4));
    work.webmill(&["extract", "shards", "--out", "cut", "--recipe", &recipe]).output().unwrap();
    let cut = &pages_of(&work, "cut")["http://a.example/part.pdf"];
    assert!(cut.content_truncated.is_some());
    assert!(
        cut.num_words > 0 && cut.document_warnings.iter().any(|warning| warning == "body-cut"),
        "{cut:?}"
    );
}
