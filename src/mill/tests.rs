//! Decoders and analyzers of somebody else's, beside ours.

use webmill_capture::{CanonicalUrl, Capture, Response, Truncation};
use webmill_html::{Link, LinkKind};
use webmill_table::{Footer, TextEnum, read_rows, table};
use webmill_text::{MainText, PageType};

use crate::{
    Analyzer, Cut, Decode, Document, Html, LinkElement, LinkRow, Links, Merge, Mill, Page, PageKind,
    PageLimits, PageRow, Pages, PartId, Reject, Rows, Run, TableRows, TextRow, Texts, Weigh,
};

/// Reads text/plain: the first line is the title, lines that are URLs are links.
struct Plain;

impl Decode for Plain {
    fn id(&self) -> PartId {
        PartId::new("plain", 1)
    }

    fn accepts(&self, page: &Page<'_>) -> bool {
        page.body().declared_type.as_deref() == Some("text/plain")
    }

    fn document(&self, page: &Page<'_>) -> Result<Document, Reject> {
        let text = std::str::from_utf8(page.body().bytes)
            .map_err(|e| Reject { reason: "not-utf-8".into(), detail: e.to_string() })?;
        let mut main = MainText::default();
        main.about.title = text.lines().next().map(str::to_owned);
        main.text = text.to_owned();
        let links = text.lines().filter_map(CanonicalUrl::parse).map(|target| Link::new(target, LinkKind::A));
        Ok(Document { main, metadata: None, links: links.collect(), found: None })
    }
}

table! {
    /// One row per page.
    LetterRow = "letters" {
        url: String = "canonical URL", "http://a/";
        letters: u32 = "letters of the main text", "812";
        is_current: bool = "whether the capture counts", "true";
    }
}

impl Weigh for LetterRow {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.url.len()
    }
}

/// Counts the letters of pages, and dislikes pages about rain.
struct Letters;

impl Analyzer for Letters {
    fn id(&self) -> PartId {
        PartId::new("letters", 3)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<LetterRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let Some(document) = page.document() else { return Ok(()) };
        if document.main.text.contains("rain") {
            let detail = "no letters are counted in the rain".into();
            return Err(Reject { reason: "rain".into(), detail });
        }
        let letters = document.main.text.chars().filter(|c| c.is_alphabetic()).count() as u32;
        out.push(LetterRow { url: page.url().as_str().to_owned(), letters, is_current: false });
        Ok(())
    }
}

fn mill() -> Mill {
    let analyzers: Vec<Box<dyn Analyzer>> =
        vec![Box::new(Letters), Box::new(Pages), Box::new(Links), Box::new(Texts)];
    Mill::of(PageLimits::default(), vec![Box::new(Plain), Box::new(Html)], analyzers)
}

fn answer(media_type: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n").as_bytes(), body].concat()
}

#[test]
fn another_format_fills_the_tables_of_pages() {
    let body = answer("text/plain", b"Tea\nGood tea needs soft water, and time, and somebody who is not in a hurry to drink it before it is cold.\nhttp://b.example/x\n");
    let capture = Capture::new("http://a.example/tea.txt", Response::parse(&body));
    let milled = mill().mill(&capture).unwrap().unwrap();
    let page = &milled.rows.of::<PageRow>()[0];
    assert_eq!((page.title.as_deref(), page.is_html, page.num_links), (Some("Tea"), false, 1));
    assert_eq!((page.page_type, page.content_languages.as_deref()), (Some(PageKind::Other), Some("eng")));
    assert!(page.num_words > 5 && page.simhash != 0 && page.content_charset.is_some());
    let [link] = milled.rows.of::<LinkRow>() else { panic!("one link") };
    assert_eq!((link.target_url.as_str(), link.kind), ("http://b.example/x", LinkElement::A));
    assert!(milled.rows.of::<TextRow>()[0].text.contains("soft water"));
}

#[test]
fn who_rejects_a_page_is_told_and_the_others_go_on() {
    let body = answer("text/plain", b"caf\xE9");
    let milled = mill().mill(&Capture::new("http://a.example/", Response::parse(&body))).unwrap().unwrap();
    assert_eq!(milled.rejects.iter().map(|r| r.reason.as_str()).collect::<Vec<_>>(), ["not-utf-8"]);
    assert_eq!((milled.rows.of::<PageRow>().len(), milled.rows.of::<TextRow>().len()), (1, 0));

    let body = answer("text/plain", b"Weather\nIt will rain.\n");
    let milled = mill().mill(&Capture::new("http://a.example/", Response::parse(&body))).unwrap().unwrap();
    assert_eq!(milled.rejects.iter().map(|r| r.reason.as_str()).collect::<Vec<_>>(), ["rain"]);
    assert_eq!((milled.rows.of::<PageRow>().len(), milled.rows.of::<TextRow>().len()), (1, 1));
}

#[test]
fn rows_of_several_files_come_together() {
    let mill = mill();
    let mut gathered = mill.empty_rows().remove(0);
    for (url, text) in [("http://a.example/", "Tea"), ("http://a.example/b", "Tea and milk")] {
        let body = answer("text/plain", text.as_bytes());
        let milled = mill.mill(&Capture::new(url, Response::parse(&body))).unwrap().unwrap();
        assert!(milled.rows.weight() > 100);
        let (_, rows) = milled.rows.into_tables().find(|(name, _)| *name == "letters").unwrap();
        gathered.append(rows);
    }
    let folder = tempfile::tempdir().unwrap();
    let footer = Footer { job_key: "k".into() };
    let sources = ["a.parquet", "b.parquet"].map(|name| folder.path().join(name));
    for path in &sources {
        assert_eq!(gathered.write_aside(path, &footer, 1).unwrap(), 2);
    }
    let run = |source| Run { source, rows: 1, is_current: true };
    let path = folder.path().join("letters.parquet");
    let merge = |runs: &[Run]| {
        let runs = &mut runs.iter().copied();
        let merge = Merge {
            sources: &sources,
            runs,
            path: &path,
            footer: &footer,
            group_bytes: 1 << 20,
            together: 1,
            aside: false,
        };
        mill.empty_rows()[0].merge(merge)
    };
    assert_eq!(merge(&[run(0), run(1), run(1), run(0)]).unwrap(), 4);
    let rows = read_rows::<LetterRow>(&path).unwrap();
    assert_eq!(rows.iter().map(|row| row.letters).collect::<Vec<_>>(), [3, 3, 10, 10]);
    assert!(rows.iter().all(|row| row.is_current));
    assert!(merge(&[run(0), run(0), run(0)]).is_err(), "the source has two rows");
    assert!(merge(&[run(2)]).is_err(), "there are two sources");
    assert_eq!(mill.tables()[0].name, "letters");
}

#[test]
fn parts_are_told_apart_by_name_version_and_configuration() {
    let parts = mill().parts();
    assert_eq!(
        parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        ["plain", "html", "letters", "pages", "links", "texts"]
    );
    assert_ne!(parts, Mill::default().parts());
}

/// What tables call a thing is what the crate that knows it calls it.
#[test]
fn one_word_for_one_thing() {
    for &kind in LinkKind::ALL {
        assert_eq!(LinkElement::from(kind).as_str(), kind.name());
    }
    let types = [PageType::Article, PageType::Collection, PageType::Documentation, PageType::Forum]
        .into_iter()
        .chain([
            PageType::Listing,
            PageType::Product,
            PageType::Service,
            PageType::Empty,
            PageType::Document,
            PageType::Other,
        ]);
    for kind in types {
        assert_eq!(PageKind::from(kind).as_str(), kind.name());
    }
    let cuts = [Truncation::Length, Truncation::Time, Truncation::Disconnect].into_iter().chain([
        Truncation::Unspecified,
        Truncation::RecordLimit,
        Truncation::BodyLimit,
    ]);
    for cut in cuts {
        assert_eq!(Cut::from(cut).as_str(), cut.name());
    }
    assert_eq!((LinkElement::WORDS.len(), PageKind::WORDS.len(), Cut::WORDS.len()), (15, 10, 6));
}
