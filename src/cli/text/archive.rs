//! The pages of an archive that stands among files of pages: WARC, ARC, RAW DB, or a WACZ.
//!
//! A page is an answer of status 2xx, or a text that came with the archive (WET). All other records are counted by reason.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use webmill_capture::{CanonicalUrl, Capture, Error, RecordType, decode_content};
use webmill_html::sniff::{is_markup, sniff};
use webmill_jobs::page_text::{FileKind, FileTexts, PageBytes, PageFile, PageKind, PageReader, Refusal};
use webmill_shard::{Input, OwnedRecord, ReadOptions, Record, ShardReader, discover};

/// Bytes by which an archive is recognised.
const START: u64 = 64 << 10;
/// Bytes of a page that are read.
const MOST_BYTES: usize = 64 << 20;

/// The archives of a file that are still to be read.
pub struct Archive {
    file: PathBuf,
    inputs: VecDeque<Input>,
    reader: Option<ShardReader>,
    /// Records of the first of them that were read.
    records: u64,
}

/// A record of an archive.
#[derive(Debug)]
pub struct StoredPage {
    /// Path of the archive, in that of the WACZ if it lies in one.
    pub archive: PathBuf,
    /// Number of the record there, from 1.
    pub number: u64,
    record: OwnedRecord,
}

/// What comes next in an archive.
pub enum Stored {
    /// A page.
    Page(Box<StoredPage>),
    /// Another record, and why it is no page.
    PassedOver(String),
    /// Damage, or that the file is cut off ([`Error::is_cut_off`]).
    Damage(Error),
}

impl Archive {
    /// The archive that the file at `path` is; `None` where it is none.
    pub fn open(path: &Path) -> Option<Archive> {
        use std::io::Read;
        let mut start = Vec::new();
        std::fs::File::open(path).ok()?.take(START).read_to_end(&mut start).ok()?;
        let is_zip = start.starts_with(b"PK\x03\x04");
        if !is_zip && webmill_shard::sniff(&start).is_none() {
            return None;
        }
        let (mut inputs, _) = discover(&[path.to_str()?.to_owned()]).ok()?;
        inputs.retain(|input| !is_zip || input.path != path);
        let file = path.to_path_buf();
        (!inputs.is_empty()).then(|| Archive { file, inputs: inputs.into(), reader: None, records: 0 })
    }

    /// The next record; `None` at the end.
    pub fn advance(&mut self) -> Option<Stored> {
        loop {
            let input = self.inputs.front()?;
            if self.reader.is_none() {
                let (kind, options) = ((input.format, input.container), ReadOptions::default());
                match ShardReader::open_as(&input.path, input.name.clone(), kind, 0..u64::MAX, &options) {
                    Ok(reader) => self.reader = Some(reader),
                    Err(error) => {
                        self.inputs.pop_front();
                        return Some(Stored::Damage(error));
                    }
                }
            }
            let number = self.records + 1;
            let stored = match self.reader.as_mut()?.next() {
                None => None,
                Some(Err(error)) => Some(Stored::Damage(error)),
                Some(Ok(record)) => Some(match no_page(&record) {
                    Some(reason) => Stored::PassedOver(reason),
                    None => {
                        let (archive, record) = (input.path.clone(), record.into_owned());
                        Stored::Page(Box::new(StoredPage { archive, number, record }))
                    }
                }),
            };
            self.records = number;
            // What the disk refuses is not asked for again.
            if matches!(stored, None | Some(Stored::Damage(Error::Io { .. }))) {
                (self.reader, self.records) = (None, 0);
                self.inputs.pop_front();
            }
            if stored.is_some() {
                return stored;
            }
        }
    }

    /// The path of the file.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// Why a record is no page, as far as its head tells.
fn no_page(record: &Record<'_>) -> Option<String> {
    if record.is_wat() {
        return Some("metadata alone, of a WAT file".to_owned());
    }
    let wanted = |capture: &Capture<'_>| capture.is_answer() || capture.is_text_of_page();
    match record.to_mention().filter(wanted) {
        None => Some(format!("of type {}", record.kind.name())),
        Some(capture) if capture.is_text_of_page() && record.kind != RecordType::Conversion => {
            Some("the text of a page beside it".to_owned())
        }
        Some(capture) => match capture.response.status {
            None | Some(200..=299) => None,
            Some(status) => Some(format!("of status {status}")),
        },
    }
}

impl StoredPage {
    /// Bytes that it takes in memory.
    pub fn bytes(&self) -> u64 {
        self.record.record().data.len() as u64
    }

    /// What a heading calls it.
    pub fn name(&self) -> String {
        self.record.record().url.into_owned()
    }

    /// Its texts, under this id.
    pub fn texts(&self, reader: &PageReader, id: String) -> Result<FileTexts, Refusal> {
        let record = self.record.record();
        let Some(capture) = record.to_mention() else { return Err(Refusal::new("no capture")) };
        let response = &capture.response;
        let payload = response.payload(MOST_BYTES);
        let body = decode_content(response, &payload.bytes, MOST_BYTES);
        let cut = payload.truncated || body.truncated || capture.truncated.is_some();
        let label = response.charset_label().map(<[u8]>::to_vec);
        let page = PageBytes { cut, label, ..PageBytes::of(body.bytes.into_owned()) };
        let url = capture.canonical_url();
        let declared = response.media_type();
        let is_html = is_markup(declared.as_deref(), sniff(&page.bytes));
        let called = called(declared.as_deref(), is_html, url.as_ref());
        if url.as_ref().is_some_and(|url| url.path() == "/robots.txt") {
            return Ok(FileTexts::PassedOver("rules for robots".to_owned()));
        }
        let file = PageFile { path: Path::new(&called), is_named: false, has_address: is_html };
        let (page, kind) = match capture.is_text_of_page() {
            true => (page, PageKind::Text),
            false => match reader.tell(page, file)? {
                FileKind::At(page, kind) => (page, kind),
                FileKind::PassedOver(reason) => return Ok(FileTexts::PassedOver(reason)),
            },
        };
        // Markdown and tables of values show by their names alone.
        let path = if kind == PageKind::Document { file.path } else { &self.archive };
        reader.texts(&page, kind, PageFile { path, ..file }, id, url.as_ref())
    }
}

/// A name for a body of this type, by whose ending it is recognised as a file's is.
fn called(declared: Option<&str>, is_html: bool, url: Option<&CanonicalUrl>) -> String {
    match declared {
        _ if is_html => "page.html".to_owned(),
        Some("text/plain") => "page.txt".to_owned(),
        Some("text/markdown" | "text/x-markdown") => "page.md".to_owned(),
        Some("text/csv" | "application/csv") => "page.csv".to_owned(),
        _ => url.map_or("", CanonicalUrl::path).rsplit('/').next().unwrap_or_default().to_owned(),
    }
}
