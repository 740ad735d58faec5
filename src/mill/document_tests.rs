//! Documents that are no HTML, in the tables of pages.

use std::sync::Arc;

use webmill_capture::{Capture, Response};
use webmill_documents::isolate::ReadDocument;
use webmill_documents::{Failure, Kind, Limits, Table, TitleSource};

use crate::{
    DocumentKind, DocumentTitle, LinkElement, LinkRow, Mill, Milled, PageKind, PageRow, RecordRow, TextRow,
};

fn milled(mill: &Mill, url: &str, head: &str, body: &[u8]) -> Milled {
    let answer = [format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(), body].concat();
    mill.mill(&Capture::new(url, Response::parse(&answer))).unwrap().expect("the URL is one")
}

/// Says of every document the same, but fails for those that end with `!`.
struct FixedReader;

impl ReadDocument for FixedReader {
    fn read(&self, bytes: &[u8], kind: Kind, _: &Limits) -> Result<webmill_documents::Document, Failure> {
        if bytes.ends_with(b"!") {
            return Err(Failure::new("encrypted", "it asks for a password"));
        }
        let mut document = webmill_documents::Document::new(kind);
        document.give_title("The Pier", TitleSource::Type);
        document.text = "The Pier\nBoats leave at seven.\n".into();
        document.markdown = "# The Pier\n\nBoats leave at seven.\n".into();
        document.about.language_declared = Some("en-GB".into());
        document.about.author = Some("Li Hua".into());
        document.about.published = Some("2024-03-01".into());
        document.pages = Some(3);
        document.tables.push(Table {
            caption: Some("Boats".into()),
            columns: vec!["Boat".into(), "Seats".into()],
            rows: vec![vec!["Elbe".into(), "40".into()]],
        });
        for (target, anchor) in
            [("/boats", "boats"), ("mailto:a@b.example", "us"), ("https://b.example/x", "")]
        {
            document.links.push(webmill_documents::Link { target: target.into(), anchor: anchor.into() });
        }
        document.warn("text-cut");
        Ok(document)
    }
}

#[test]
fn a_document_has_the_rows_of_a_page() {
    let mill = Mill::default().reading_by(Some(Arc::new(FixedReader)));
    let head = "Content-Type: text/html\r\nX-Robots-Tag: noindex";
    let milled = milled(&mill, "http://a.example/pier.html", head, b"%PDF-1.4 body");
    let page = &milled.rows.of::<PageRow>()[0];
    assert_eq!((page.title.as_deref(), page.title_source), (Some("The Pier"), Some(DocumentTitle::Type)));
    assert_eq!((page.document, page.document_failure.as_deref()), (Some(DocumentKind::Pdf), None));
    assert_eq!((page.num_pages, page.num_links, page.is_html), (Some(3), 2, false));
    assert_eq!((page.author.as_deref(), page.published.as_deref()), (Some("Li Hua"), Some("2024-03-01")));
    assert_eq!(
        (page.page_type, page.language_declared.as_deref()),
        (Some(PageKind::Document), Some("en-gb"))
    );
    assert_eq!(page.document_warnings, ["text-cut"]);
    assert!(page.robots_noindex && page.simhash != 0 && page.num_words == 6);
    let text = &milled.rows.of::<TextRow>()[0];
    assert_eq!(text.text, "The Pier\nBoats leave at seven.");
    assert_eq!((text.markdown.as_str(), text.confidence), ("# The Pier\n\nBoats leave at seven.", 0.8));
    let links: Vec<_> =
        milled.rows.of::<LinkRow>().iter().map(|l| (l.target_url.as_str(), l.kind, l.position)).collect();
    let kind = LinkElement::Document;
    assert_eq!(links, [("http://a.example/boats", kind, 0), ("https://b.example/x", kind, 1)]);
    let record = &milled.rows.of::<RecordRow>()[0];
    assert_eq!(record.caption.as_deref(), Some("Boats"));
    assert_eq!(
        (&record.columns[..], &record.cells[..]),
        (&["Boat".into(), "Seats".into()][..], &["Elbe".into(), "40".into()][..])
    );
    assert!(milled.rejects.is_empty());
}

#[test]
fn a_document_that_is_not_read_says_why() {
    let mill = Mill::default().reading_by(Some(Arc::new(FixedReader)));
    let milled = milled(&mill, "http://a.example/a.pdf", "Content-Type: application/pdf", b"%PDF-1.4 !");
    let page = &milled.rows.of::<PageRow>()[0];
    assert_eq!(
        (page.document, page.document_failure.as_deref()),
        (Some(DocumentKind::Pdf), Some("encrypted"))
    );
    assert_eq!((page.page_type, page.num_words), (None, 0));
    assert_eq!(milled.rejects[0].reason, "document-encrypted");
    assert_eq!(milled.rejects[0].detail, "pdf: it asks for a password");
    assert!(milled.rows.of::<TextRow>().is_empty());
}

#[test]
fn texts_are_read_as_what_they_are() {
    let mill = Mill::default();
    let gbk = b"\xb6\xc9\xb4\xac\n\n\xb6\xc9\xb4\xac\xd4\xe7\xc9\xcf\xc6\xdf\xb5\xe3\xc0\xeb\xbf\xaa\xc2\xeb\xcd\xb7\xa1\xa3";
    type Case<'a> = (&'a str, &'a str, &'a [u8], Option<DocumentKind>, Option<&'a str>, &'a str);
    let table: &[Case<'_>] = &[
        (
            "/a.txt",
            "text/plain; charset=gbk",
            gbk,
            Some(DocumentKind::Text),
            Some("渡船"),
            "渡船\n渡船早上七点离开码头。",
        ),
        (
            "/a.md",
            "text/plain",
            b"# Boats\n\n*leave*",
            Some(DocumentKind::Markdown),
            Some("Boats"),
            "Boats\nleave",
        ),
        ("/a", "text/csv", b"a,b\n1,2\n", Some(DocumentKind::Csv), None, "a | b\n1 | 2"),
        ("/a.js", "text/plain", b"var a;", None, None, ""),
        ("/robots.txt", "text/plain", b"User-agent: *", None, None, ""),
        // No PDF but a page that says so.
        (
            "/a.pdf",
            "application/pdf",
            b"<html><title>Gone</title><p>The paper is gone.",
            None,
            Some("Gone"),
            "The paper is gone.",
        ),
    ];
    for (path, media_type, body, kind, title, text) in table {
        let url = format!("http://a.example{path}");
        let milled = milled(&mill, &url, &format!("Content-Type: {media_type}"), body);
        let page = &milled.rows.of::<PageRow>()[0];
        assert_eq!((page.document, page.title.as_deref()), (*kind, *title), "{path}");
        let texts: Vec<_> = milled.rows.of::<TextRow>().iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts.concat(), *text, "{path}");
    }
    let of_none =
        milled(&mill.clone().reading_by(None), "http://a.example/a.txt", "Content-Type: text/plain", b"x");
    assert_eq!(of_none.rows.of::<PageRow>()[0].page_type, None);
}
