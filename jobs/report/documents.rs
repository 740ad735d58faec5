//! What the report says of documents that are no HTML, and of pictures, sound and video.
//!
//! **Cost.** One pass over a few columns of tables `pages` and `media`; memory for the names of formats, failures and warnings,
//! of which there are few.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use webmill_capture::Result;
use webmill_mill::{MediaRow, MediaSource, PageRow};
use webmill_table::{Reader, columns};

use super::Sources;
use super::corpus::{Counts, add};
use super::tables::SummaryRow;

/// Documents of a format, captures all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Format {
    /// Documents of the format.
    pub found: u64,
    /// Documents that could be read.
    pub read: u64,
    /// Such as could not be read.
    pub failed: u64,
    /// Pages, slides and sheets of those that were read.
    pub pages: u64,
    /// Words of their texts.
    pub words: u64,
}

/// Pictures, sounds or videos that were fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Media {
    /// Captures.
    pub files: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Milliseconds that they last, as far as they say it.
    pub ms: u64,
}

impl Media {
    fn add(&mut self, more: Media) {
        self.files += more.files;
        self.bytes += more.bytes;
        self.ms += more.ms;
    }

    /// Seconds that they last.
    pub fn seconds(&self) -> f64 {
        self.ms as f64 / 1e3
    }
}

/// What was counted.
#[derive(Debug, Default, PartialEq)]
pub struct Documents {
    /// Documents by format.
    pub formats: BTreeMap<&'static str, Format>,
    /// Documents that could not be read, by reason.
    pub failures: Counts,
    /// Documents by warning; one may have several.
    pub warnings: Counts,
    /// Documents that were read by where their titles were found.
    pub titles: Counts,
    /// Media by kind.
    pub kinds: BTreeMap<&'static str, Media>,
    /// Media by format.
    pub media: BTreeMap<String, Media>,
    /// Pictures that pages show and that were not fetched.
    pub not_fetched: u64,
}

columns! {
    struct DocumentPage from PageRow {
        document, document_failure, document_warnings, title_source, num_pages, num_words, page_type,
    }
}

columns! {
    struct Medium from MediaRow { source, kind, format, content_length, duration_ms }
}

/// Name of documents without a title among the [`titles`](Documents::titles).
const NO_TITLE: &str = "none";

impl Documents {
    /// Counts the documents and media of the sources.
    ///
    /// # Errors
    /// Where a table cannot be read.
    pub fn read(sources: &Sources) -> Result<Self> {
        let (mut documents, extract) = (Documents::default(), &sources.extract);
        let mut reader = Reader::<DocumentPage>::open(&extract.path("pages"))?;
        while let Some(batch) = reader.next()? {
            batch.rows().for_each(|told| documents.note(&told));
        }
        if extract.manifest.tables.contains_key("media") {
            let mut reader = Reader::<Medium>::open(&extract.path("media"))?;
            while let Some(batch) = reader.next()? {
                batch.rows().for_each(|medium| documents.note_medium(&medium));
            }
        }
        Ok(documents)
    }

    fn note(&mut self, told: &DocumentPage<'_>) {
        let Some(kind) = told.document else { return };
        let format = self.formats.entry(kind.as_str()).or_default();
        format.found += 1;
        if let Some(reason) = told.document_failure {
            format.failed += 1;
            add(&mut self.failures, reason);
        }
        if told.page_type.is_some() {
            format.read += 1;
            format.pages += u64::from(told.num_pages.unwrap_or(0));
            format.words += u64::from(told.num_words);
            add(&mut self.titles, told.title_source.map_or(NO_TITLE, |source| source.as_str()));
        }
        told.document_warnings.iter().for_each(|warning| add(&mut self.warnings, warning));
    }

    fn note_medium(&mut self, medium: &Medium<'_>) {
        if medium.source == MediaSource::Img {
            self.not_fetched += 1;
            return;
        }
        let more = Media {
            files: 1,
            bytes: medium.content_length.unwrap_or(0),
            ms: medium.duration_ms.unwrap_or(0),
        };
        self.kinds.entry(medium.kind.as_str()).or_default().add(more);
        let format = medium.format.unwrap_or("unknown");
        match self.media.get_mut(format) {
            Some(known) => known.add(more),
            None => {
                self.media.insert(format.to_owned(), more);
            }
        }
    }

    /// All documents.
    pub fn all(&self) -> Format {
        let mut all = Format::default();
        for format in self.formats.values() {
            all.found += format.found;
            all.read += format.read;
            all.failed += format.failed;
            all.pages += format.pages;
            all.words += format.words;
        }
        all
    }

    /// All media that were fetched.
    pub fn all_media(&self) -> Media {
        let mut all = Media::default();
        self.kinds.values().for_each(|media| all.add(*media));
        all
    }

    /// Whether there are none of either.
    pub fn is_empty(&self) -> bool {
        self.formats.is_empty() && self.kinds.is_empty() && self.not_fetched == 0
    }

    /// Names of formats and kinds, those of most documents and files first: what template `documents.html` reads.
    pub fn names(&self) -> Value {
        json!({
            "formats": largest_first(&self.formats, |format| format.found),
            "kinds": largest_first(&self.kinds, |media| media.files),
            "media": largest_first(&self.media, |media| media.files),
        })
    }

    /// The rows of table `summary`; empty without documents.
    pub fn summary(&self) -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        let mut row = |section: &str, name: &str, value: f64, unit: &str| {
            rows.push(SummaryRow::new(section, name, value, unit));
        };
        if self.is_empty() {
            return rows;
        }
        for (name, n, unit) in of_format(&self.all()) {
            row("documents", name, n as f64, unit);
        }
        for (format, counts) in &self.formats {
            for (name, n, unit) in of_format(counts) {
                row("documents by format", &format!("{format} {name}"), n as f64, unit);
            }
        }
        for (section, counts) in [
            ("documents not read", &self.failures),
            ("document warnings", &self.warnings),
            ("document titles", &self.titles),
        ] {
            counts.iter().for_each(|(name, n)| row(section, name, *n as f64, "documents"));
        }
        for (name, value, unit) in of_media(&self.all_media()) {
            row("media", name, value, unit);
        }
        row("media", "pictures not fetched", self.not_fetched as f64, "pictures");
        let kinds = self.kinds.iter().map(|(name, media)| ("media by kind", *name, media));
        let formats = self.media.iter().map(|(name, media)| ("media by format", name.as_str(), media));
        for (section, of, media) in kinds.chain(formats) {
            for (name, value, unit) in of_media(media) {
                row(section, &format!("{of} {name}"), value, unit);
            }
        }
        rows
    }
}

/// The numbers of a format: name, number, unit.
fn of_format(format: &Format) -> [(&'static str, u64, &'static str); 5] {
    [
        ("found", format.found, "documents"),
        ("read", format.read, "documents"),
        ("not read", format.failed, "documents"),
        ("pages", format.pages, "pages"),
        ("words", format.words, "words"),
    ]
}

/// The numbers of media, likewise.
fn of_media(media: &Media) -> [(&'static str, f64, &'static str); 3] {
    [
        ("files", media.files as f64, "files"),
        ("bytes", media.bytes as f64, "bytes"),
        ("seconds", media.seconds(), "seconds"),
    ]
}

/// Names of what a function measures, those of most first.
pub fn largest_first<T>(of: &BTreeMap<impl AsRef<str> + Ord, T>, measure: fn(&T) -> u64) -> Vec<&str> {
    let mut names: Vec<(&str, u64)> = of.iter().map(|(name, of)| (name.as_ref(), measure(of))).collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    names.into_iter().map(|(name, _)| name).collect()
}
