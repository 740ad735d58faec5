//! Settings of `extract` for documents and media.

use webmill::mill::{DocumentKind, MediaRow, TextRow};

use super::files::{docx, gold, mp3, photo, png, xlsx};
use super::{answer, counts, pages_of, paper, paragraphs, recipe, rejects, rows, write};
use crate::support::Work;

const SITE: &str = "http://a.example";

fn shards() -> Work {
    let work = Work::new();
    let of = |path: &str, media_type: &str, body: Vec<u8>| answer(&format!("{SITE}{path}"), media_type, body);
    write(
        &work,
        "shards",
        &[
            of(
                "/",
                "text/html",
                format!("<h1>Boats</h1><p>{}<img src=/pier.png alt=Pier>", paragraphs(1)[0]).into(),
            ),
            of("/paper.pdf", "application/pdf", paper("Ropes and Their Knots", 3)),
            of("/minutes.docx", "application/octet-stream", docx("Minutes", &paragraphs(8))),
            of(
                "/seats.xlsx",
                "application/octet-stream",
                xlsx(&[&["Boat", "Seats"], &["Elbe", "40"], &["Main", "12"]]),
            ),
            of("/note.txt", "text/plain", b"No boats today.".to_vec()),
            of("/dawn.jpg", "image/jpeg", photo(640, 480)),
            of("/pier.png", "image/png", png(30, 20)),
            of("/song.mp3", "audio/mpeg", mp3()),
            of("/ferries.odt", "text/html", gold("office-05-en.odt")),
        ],
    );
    work
}

fn extract(work: &Work, out: &str, settings: &str) {
    let recipe = recipe(work, out, settings);
    work.run(&["extract", "shards", "--out", out, "--recipe", &recipe]);
}

#[test]
fn documents_are_read_unless_told_otherwise() {
    let work = shards();
    extract(&work, "without", "documents = false");
    let pages = pages_of(&work, "without");
    assert_eq!(pages.len(), 9);
    // What they are is known all the same.
    let paper = &pages[&format!("{SITE}/paper.pdf")];
    assert_eq!((paper.document, paper.page_type, paper.num_words), (Some(DocumentKind::Pdf), None, 0));
    assert_eq!(paper.document_failure, None);
    let texts: Vec<TextRow> = rows(&work, "without", "extract");
    assert_eq!(texts.iter().map(|row| row.url.as_str()).collect::<Vec<_>>(), [format!("{SITE}/")]);
    assert_eq!(counts(&work, "without").0.get("documents"), None);
    assert_eq!(rejects(&work, "without"), []);
    // Media do not depend on it.
    assert_eq!(rows::<MediaRow>(&work, "without", "extract").len(), 3);
    work.run(&["run", "shards", "--out", "without"]);
}

#[test]
fn media_have_no_rows_where_they_are_not_wanted() {
    let work = shards();
    extract(&work, "with", "");
    extract(&work, "without", "media = false");
    assert_eq!(rows::<MediaRow>(&work, "with", "extract").len(), 3);
    assert!(!work.path("without/extract/latest/media").exists());
    assert_eq!(pages_of(&work, "without").len(), 9);
    assert_eq!(rows::<TextRow>(&work, "without", "extract").len(), 6);
}

#[test]
fn where_a_picture_was_made_is_told_on_demand() {
    let work = shards();
    for (out, settings, place) in
        [("default", "", None), ("told", "gps = true", Some("39.900000,116.400000"))]
    {
        extract(&work, out, settings);
        let media: Vec<MediaRow> = rows(&work, out, "extract");
        let photo = media.iter().find(|row| row.url.ends_with("/dawn.jpg")).unwrap();
        assert_eq!(photo.gps.as_deref(), place, "{out}");
        assert_eq!((photo.camera.as_deref(), photo.orientation), (Some("Canon"), Some(6)), "{out}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let work = shards();
    for (settings, words) in [
        ("[extract.limits.documents]\nmax_pages = 1", "limits"),
        ("max_unread = 2.0", "max_unread"),
        ("documents = 1", "documents"),
    ] {
        let recipe = recipe(&work, "wrong", settings);
        let said = work.fails(&["extract", "shards", "--out", "wrong", "--recipe", &recipe], 2);
        assert!(said.contains(words), "{settings}: {said}");
    }
}
