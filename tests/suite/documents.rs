//! Documents that are no HTML, and media, through the whole command: rows where pages have theirs, whatever server and address
//! say; hostile ones cost themselves and nothing else.

mod crawl;
mod files;
mod hostile;
mod hostile_files;
mod media;
mod pages;
mod same;
mod settings;
mod text;

use std::collections::BTreeMap;

use webmill::jobs::rejects::RejectRow;
use webmill::mill::PageRow;
use webmill::table::{Table, read_rows};

use crate::support::{Work, story};
use files::{PdfPage, pdf};

/// An answer of status 200: address, lines of the head, body.
pub struct Answer {
    pub url: String,
    pub head: String,
    pub body: Vec<u8>,
}

/// An answer of a media type; without one if that is empty.
pub fn answer(url: &str, media_type: &str, body: impl Into<Vec<u8>>) -> Answer {
    let head = if media_type.is_empty() { String::new() } else { format!("Content-Type: {media_type}\r\n") };
    Answer { url: url.into(), head, body: body.into() }
}

/// Writes answers as one shard in `folder`, a second apart.
pub fn write(work: &Work, folder: &str, answers: &[Answer]) {
    work.write_answers(
        folder,
        answers.iter().map(|Answer { url, head, body }| {
            let head = format!("HTTP/1.1 200 OK\r\n{head}Content-Length: {}\r\n\r\n", body.len());
            (url, [head.as_bytes(), body].concat())
        }),
    );
}

/// Paragraphs of made-up words, others for every number.
pub fn paragraphs(number: u64) -> Vec<String> {
    (0..3).map(|part| story(1000 * number + part)).collect()
}

/// A PDF of a page with such paragraphs, in which each word stands that is looked for.
pub fn paper(title: &str, number: u64) -> Vec<u8> {
    pdf(None, &[PdfPage { heading: title, paragraphs: &paragraphs(number), link: None }])
}

/// Rows of a table of a job.
pub fn rows<T: Table>(work: &Work, out: &str, job: &str) -> Vec<T> {
    read_rows(&work.path(out).join(job).join("latest").join(T::NAME)).unwrap()
}

/// Rows of table `pages` by URL.
pub fn pages_of(work: &Work, out: &str) -> BTreeMap<String, PageRow> {
    rows::<PageRow>(work, out, "extract").into_iter().map(|row| (row.url.clone(), row)).collect()
}

/// What `extract` counted, by name: kept and dropped.
pub fn counts(work: &Work, out: &str) -> (BTreeMap<String, u64>, BTreeMap<String, u64>) {
    let counts = work.counts(out, "extract");
    let of = |what: &str| serde_json::from_value(counts[what].clone()).unwrap();
    (of("kept"), of("dropped"))
}

/// Rejects of `extract`: reason and detail.
pub fn rejects(work: &Work, out: &str) -> Vec<(String, String)> {
    let path = work.path(out).join("extract/latest/rejects.parquet");
    if !path.exists() {
        return Vec::new();
    }
    let rows: Vec<RejectRow> = read_rows(&path).unwrap();
    rows.into_iter().map(|row| (row.reason, row.detail)).collect()
}

/// Writes a recipe with these settings of `extract`; its name.
pub fn recipe(work: &Work, name: &str, settings: &str) -> String {
    let name = format!("{name}.toml");
    std::fs::write(work.path(&name), format!("[extract]\n{settings}\n")).unwrap();
    name
}
