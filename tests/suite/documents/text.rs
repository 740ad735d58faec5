//! `webmill text` on documents: every form, standard input, folders, exit codes.

use std::io::Write;
use std::process::{Output, Stdio};

use super::files::{PdfPage, docx, gold, pdf, xlsx};
use super::{hostile, hostile_files, paper, paragraphs};
use crate::support::{Work, objects};

fn from_stdin(work: &Work, arguments: &[&str], bytes: &[u8]) -> Output {
    let mut child = work
        .webmill(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_document_in_every_form() {
    let work = Work::new();
    let (first, second) = (paragraphs(1), paragraphs(2));
    let bytes = pdf(
        Some("Timetable of the Elbe Ferry"),
        &[
            PdfPage { heading: "Timetable of the Elbe Ferry", paragraphs: &first, link: None },
            PdfPage { heading: "Winter", paragraphs: &second, link: Some("http://boats.example/fog") },
        ],
    );
    std::fs::write(work.path("timetable.pdf"), &bytes).unwrap();
    std::fs::write(work.path("minutes.docx"), docx("Minutes of the Boat Club", &paragraphs(8))).unwrap();
    std::fs::write(work.path("seats.xlsx"), xlsx(&[&["Boat", "Seats"], &["Elbe", "40"]])).unwrap();
    let text = work.output(&["text", "timetable.pdf"]);
    assert!(text.starts_with("Timetable of the Elbe Ferry\n") && text.contains("\nWinter\n"), "{text}");
    let end: String = second[2].split(' ').next_back().unwrap().into();
    assert!(text.contains(&end) && !text.contains("boats.example"), "{text}");
    let md = work.output(&["text", "timetable.pdf", "--format", "md"]);
    assert!(md.starts_with("# Timetable of the Elbe Ferry\n"), "{md}");
    let md = work.output(&["text", "minutes.docx", "--format", "md"]);
    assert!(md.contains("# Minutes of the Boat Club\n"), "{md}");
    assert!(md.contains("[the timetable](http://boats.example/timetable)"), "{md}");
    let bare = work.output(&["text", "minutes.docx", "--format", "md", "--no-links"]);
    assert!(bare.contains("the timetable") && !bare.contains("boats.example"), "{bare}");
    let object = &objects(&work.output(&["text", "timetable.pdf", "--format", "json"]))[0];
    for (field, want) in [
        ("id", "timetable.pdf"),
        ("kind", "document"),
        ("format", "pdf"),
        ("title", "Timetable of the Elbe Ferry"),
        ("title_source", "metadata"),
        ("author", "Ann Lee"),
        ("page_type", "document"),
    ] {
        assert_eq!(object[field], want, "{field}");
    }
    assert_eq!((&object["pages"], &object["warnings"]), (&2.into(), &serde_json::json!([])));
    let sheet = &objects(&work.output(&["text", "seats.xlsx", "--format", "json"]))[0];
    assert_eq!(sheet["tables"][0]["rows"][0], serde_json::json!({"Boat": "Elbe", "Seats": "40"}));
    let without = &objects(&work.output(&["text", "seats.xlsx", "--format", "json", "--no-tables"]))[0];
    assert_eq!(without["tables"], serde_json::json!([]));
    let tei = work.output(&["text", "minutes.docx", "--format", "tei"]);
    assert!(tei.contains("<TEI") && tei.contains("Minutes of the Boat Club"), "{tei}");
}

#[test]
fn a_document_from_stdin_shows_by_its_bytes() {
    let work = Work::new();
    let bytes = gold("office-05-en.doc");
    for arguments in
        [&["text", "--format", "json"][..], &["text", "-", "--format", "json", "--input", "document"]]
    {
        let done = from_stdin(&work, arguments, &bytes);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let object = &objects(&String::from_utf8(done.stdout).unwrap())[0];
        assert_eq!((&object["id"], &object["format"]), (&"-".into(), &"doc".into()));
        assert_eq!(object["title"], "Ferries of the Lower Valley in Autumn");
    }
    let done = from_stdin(&work, &["text"], &hostile_files::encrypted());
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("pdf that is not read: encrypted"), "{said}");
}

#[test]
fn documents_of_a_folder_are_read_by_content_and_bad_ones_counted() {
    let work = Work::new();
    std::fs::create_dir_all(work.path("site/sub")).unwrap();
    for (name, bytes) in [
        ("site/a.pdf", paper("Ropes and Their Knots", 3)),
        // What a file is called is of no account.
        ("site/b.html", paper("Anchors of the Harbour", 4)),
        ("site/sub/c", gold("deck-06-zh-Hans.ppt")),
        ("site/d.csv", b"Boat,Seats\nElbe,40\n".to_vec()),
        ("site/e.md", b"# Rowing\n\nSlowly.".to_vec()),
        ("site/page.html", format!("<html><body><h1>Page</h1><p>{}", paragraphs(9)[0]).into()),
    ] {
        std::fs::write(work.path(name), bytes).unwrap();
    }
    let json = work.output(&["text", "site", "--format", "json"]);
    let told: Vec<(String, serde_json::Value)> = objects(&json)
        .iter()
        .map(|object| (object["id"].as_str().unwrap().to_owned(), object["format"].clone()))
        .collect();
    let wanted = [("a.pdf", "pdf"), ("b.html", "pdf"), ("d.csv", "csv"), ("e.md", "markdown")];
    for (id, format) in wanted {
        assert!(told.contains(&(id.to_owned(), format.into())), "{id}: {told:?}");
    }
    assert!(told.contains(&("sub/c".to_owned(), "ppt".into())), "{told:?}");
    assert!(told.contains(&("page.html".to_owned(), serde_json::Value::Null)), "{told:?}");
    for threads in ["1", "3"] {
        assert_eq!(work.output(&["text", "site", "--format", "json", "--threads", threads]), json);
    }
    std::fs::write(work.path("site/secret.pdf"), hostile_files::encrypted()).unwrap();
    std::fs::write(work.path("site/please.pdf"), hostile::obedient("crash")).unwrap();
    let mut command = work.webmill(&["text", "site", "--format", "json"]);
    let done = command.env("WEBMILL_TEST_DOCUMENTS", "please:").output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("secret.pdf: pdf that is not read: encrypted"), "{said}");
    assert!(said.contains("please.pdf: pdf that is not read: crashed"), "{said}");
    assert_eq!(String::from_utf8(done.stdout).unwrap(), json);
    let said = work.fails(&["text", "site/secret.pdf", "site/a.pdf"], 2);
    assert!(said.contains("encrypted"), "{said}");
}
