//! From shards to lines of the index and of the list of pages.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use webmill_capture::cut::Cut;

use webmill_capture::urlkey::url_key;
use webmill_capture::{CanonicalUrl, Capture, Error, Result, date, decode_content, digest};
use webmill_html::{Limits, decode, metadata, parse};
use webmill_shard::{Container, Format, ReadOptions, Record, RecordType, ShardReader};
use webmill_sort::{Budget, BytesSorter, SortedBytes};

use super::lines::{Fields, PageLine, hex, json};

/// Longest title that is listed, in bytes.
const TITLE: usize = 1024;
/// Longest text that is listed, in bytes.
const TEXT: usize = 1 << 20;
/// Most bytes of a body that are unpacked for its title.
const BODY: usize = 16 << 20;

/// What the list of pages says of a page besides its address and time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageDescription {
    /// Title of the page, if it is known.
    pub title: Option<String>,
    /// Its text, for search in the browser.
    pub text: Option<String>,
}

impl PageDescription {
    /// The title that the page states; no text.
    pub fn titled(capture: &Capture<'_>) -> PageDescription {
        let payload = capture.response.payload(BODY);
        let body = decode_content(&capture.response, &payload.bytes, BODY);
        let characters = decode(&body.bytes, capture.response.charset_label(), None);
        let base = CanonicalUrl::parse_stored(&capture.url);
        let dom = parse(&characters.text, &Limits::default());
        PageDescription { title: base.and_then(|base| metadata(&dom, &base, &[]).about.title), text: None }
    }
}

/// Lines of all shards, unsorted.
pub struct Collector<'a> {
    entries: BytesSorter,
    pages: BytesSorter,
    describe: &'a dyn Fn(&Capture<'_>) -> PageDescription,
    /// Walks whose lines do not count: of shards that had to be converted after all.
    void: HashSet<u32>,
    walks: u32,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct WalkedShard {
    /// Whether every record is a gzip member of its own.
    pub a_member_each: bool,
    /// Number of records in the shard.
    pub records: u64,
    /// Those that are captures.
    pub captures: u64,
    /// The others, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Places of damage.
    pub damaged: u64,
    /// Date of the newest capture.
    pub newest_ms: Option<i64>,
    walk: u32,
}

impl<'a> Collector<'a> {
    pub fn new(memory: usize, folder: &Path, describe: &'a dyn Fn(&Capture<'_>) -> PageDescription) -> Self {
        let budget = Budget::new(memory / 2).in_dir(folder);
        Collector {
            entries: BytesSorter::new(&budget),
            pages: BytesSorter::new(&budget),
            describe,
            void: HashSet::new(),
            walks: 0,
        }
    }

    /// Takes the lines of a shard that will be called `name`. `given_up`: stop at the first sign that it has to be
    /// converted.
    pub fn walk(
        &mut self,
        path: &Path,
        name: &str,
        options: &ReadOptions,
        given_up: bool,
        on_damage: &mut dyn FnMut(Error),
    ) -> Result<WalkedShard> {
        let mut reader = ShardReader::open(path, options)?;
        let mut walked = WalkedShard { walk: self.walks, ..WalkedShard::default() };
        self.walks += 1;
        walked.a_member_each = reader.format() == Format::Warc && reader.container() == Container::Gzip;
        while let Some(next) = reader.next() {
            let record = match next {
                Ok(record) => record,
                Err(error @ (Error::Io { .. } | Error::Internal(_))) => return Err(error),
                Err(error) => {
                    walked.damaged += 1;
                    on_damage(error);
                    continue;
                }
            };
            walked.a_member_each &= record.is_at_its_place();
            walked.records += 1;
            if given_up && !walked.a_member_each {
                break;
            }
            match self.take(&record, name, walked.walk)? {
                Ok(ms) => {
                    walked.captures += 1;
                    walked.newest_ms = walked.newest_ms.max(Some(ms));
                }
                Err(reason) => *walked.left_out.entry(reason).or_default() += 1,
            }
        }
        Ok(walked)
    }

    /// Forgets the lines of a walk.
    pub fn forget(&mut self, walked: &WalkedShard) {
        self.void.insert(walked.walk);
    }

    /// Adds the lines of a record: its date, or why it has none.
    fn take(&mut self, record: &Record<'_>, name: &str, walk: u32) -> Result<Result<i64, &'static str>> {
        let revisit = record.kind == RecordType::Revisit;
        match record.kind {
            RecordType::Response | RecordType::Resource | RecordType::Revisit => {}
            kind => return Ok(Err(kind.name())),
        }
        if record.url.is_empty() {
            return Ok(Err("without URL"));
        }
        let Some(ms) = record.date_ms else { return Ok(Err("without date")) };
        let capture = record.to_capture();
        let status = match &capture {
            Some(capture) => capture.response.status,
            None if record.data.starts_with(b"HTTP/") => {
                webmill_capture::Response::parse(&record.data).status
            }
            None => None,
        };
        let mime = if revisit { Some("warc/revisit".to_owned()) } else { record.mime() };
        let key = format!("{} {}", url_key(&*record.url), date::format_14(ms));
        let fields = Fields {
            url: record.url.to_string(),
            mime: mime.clone().unwrap_or_default(),
            status: status.map(|status| status.to_string()).unwrap_or_default(),
            digest: digest_of(record, capture.as_ref()),
            length: record.place.length.to_string(),
            offset: record.place.offset.to_string(),
            filename: name.to_owned(),
        };
        let mut value = walk.to_be_bytes().to_vec();
        value.extend_from_slice(&record.place.offset.to_be_bytes());
        value.extend_from_slice(json(&fields)?.as_bytes());
        self.entries.push(key.as_bytes(), &value)?;
        let html = matches!(mime.as_deref(), Some("text/html" | "application/xhtml+xml"));
        let good =
            matches!(status, Some(200..=299)) || (status.is_none() && record.kind == RecordType::Resource);
        if let Some(capture) = capture.filter(|_| html && good) {
            self.page(record, &capture, ms, walk)?;
        }
        Ok(Ok(ms))
    }

    fn page(&mut self, record: &Record<'_>, capture: &Capture<'_>, ms: i64, walk: u32) -> Result<()> {
        let described = (self.describe)(capture);
        let ts = date::format_rfc3339(ms);
        let id = {
            use sha2::{Digest, Sha256};
            hex(&Sha256::digest(format!("{ts} {}", record.url))[..10])
        };
        let title = described.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let line = PageLine {
            id: &id,
            url: &record.url,
            ts: &ts,
            title: cut(title.unwrap_or(&record.url), TITLE),
            text: described.text.as_deref().map(|text| cut(text, TEXT)),
        };
        // By time, then URL.
        let mut key = ((ms as u64) ^ (1 << 63)).to_be_bytes().to_vec();
        key.extend_from_slice(record.url.as_bytes());
        let mut value = walk.to_be_bytes().to_vec();
        value.extend_from_slice(json(&line)?.as_bytes());
        self.pages.push(&key, &value)
    }

    /// The lines in order: those of the index, then those of the pages.
    pub fn finish(self) -> Result<(Lines, Lines)> {
        let void = Arc::new(self.void);
        let lines = |sorted, skip| Lines { sorted, void: Arc::clone(&void), skip };
        Ok((lines(self.entries.finish()?, 12), lines(self.pages.finish()?, 4)))
    }
}

/// Sorted lines.
pub struct Lines {
    sorted: SortedBytes,
    void: Arc<HashSet<u32>>,
    /// Bytes before the text of a value.
    skip: usize,
}

impl Lines {
    /// Hands out keys and lines in order.
    pub fn each(mut self, mut visit: impl FnMut(&[u8], &str) -> Result<()>) -> Result<()> {
        let broken = || Error::Internal("a sorted line is not what was put in".into());
        while let Some((key, value)) = self.sorted.next().transpose()? {
            let walk =
                value.get(..4).and_then(|w| w.try_into().ok()).map(u32::from_be_bytes).ok_or_else(broken)?;
            if self.void.contains(&walk) {
                continue;
            }
            let line =
                value.get(self.skip..).and_then(|line| std::str::from_utf8(line).ok()).ok_or_else(broken)?;
            visit(key, line)?;
        }
        Ok(())
    }
}

/// The digest that the record declares, else that of its payload.
fn digest_of(record: &Record<'_>, capture: Option<&Capture<'_>>) -> String {
    if let Some(declared) = record.payload_digest.as_deref() {
        let declared = declared.trim();
        return match declared.split_once(':') {
            Some((algorithm, _)) if !algorithm.eq_ignore_ascii_case("sha1") => declared.to_owned(),
            Some((_, value)) => format!("sha1:{value}"),
            None => format!("sha1:{declared}"),
        };
    }
    match capture {
        Some(capture) if record.truncated.is_none() => format!("sha1:{}", capture.content_digest()),
        Some(_) => String::new(),
        None => format!("sha1:{}", digest::sha1_base32(&record.data)),
    }
}

/// A text cut to at most `most` bytes at a character.
fn cut(text: &str, most: usize) -> &str {
    text.cut(..text.floor_char_boundary(most))
}
