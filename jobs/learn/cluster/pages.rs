//! Pages that have text, in the order of their addresses.
//!
//! **Algorithm.** Rows of texts are sorted on disk by SURT, so that neither shards nor the order of parts matter.

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};
use webmill_mill::TextRow;
use webmill_run::{Measure, Reject, Unit};
use webmill_sort::{Budget, BytesSorter, SortedBytes};
use webmill_table::{Reader, columns, part_files};

use super::input::{ClusterInput, Source, read_file};

columns! {
    struct Text from TextRow { url_sortkey, url, url_key, host, domain, is_current, title, text, language, num_words }
}

/// A page with text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Page {
    pub about: About,
    pub title: String,
    pub text: String,
}

/// What is said of a page in tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct About {
    pub url: String,
    pub key: u128,
    pub host: String,
    pub domain: String,
    pub language: Option<String>,
}

/// Pages in order.
pub struct Pages {
    sorted: SortedBytes,
    /// How many there are.
    pub count: u64,
}

impl Pages {
    /// The next page.
    ///
    /// # Errors
    /// Where a run file cannot be read.
    #[allow(clippy::should_implement_trait, reason = "errors come first: this is no Iterator of items")]
    pub fn next(&mut self) -> Result<Option<Page>> {
        let Some((_, value)) = self.sorted.next().transpose()? else { return Ok(None) };
        let page = postcard::from_bytes(value);
        page.map(Some).map_err(|e| Error::Internal(format!("a sorted page is not what was put in: {e}")))
    }
}

/// Reads the pages of the input; what is left out is counted by reason.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn read(input: &ClusterInput, unit: &mut Unit<'_>) -> Result<Pages> {
    let budget = Budget::new(unit.stage().memory as usize / 4).in_dir(unit.temp());
    let mut sorter = BytesSorter::new(&budget);
    let mut count = 0;
    let mut push = |key: &str, page: &Page| -> Result<()> {
        let value = postcard::to_allocvec(page).map_err(|e| Error::Internal(e.to_string()))?;
        count += 1;
        sorter.push(key.as_bytes(), &value)
    };
    let (mut superseded, mut without_text) = (0, 0);
    match &input.source {
        Source::Texts(extract) => {
            let mut reader = Reader::<Text>::over(part_files(&extract.path("texts"))?);
            unit.stage().progress.begin("read texts", 0, Measure::Items);
            while let Some(batch) = reader.next()? {
                unit.stage().cancel.check()?;
                for row in batch.rows() {
                    if !row.is_current {
                        superseded += 1;
                    } else if row.num_words == 0 {
                        without_text += 1;
                    } else {
                        let about = About {
                            url: row.url.to_owned(),
                            key: row.url_key.0,
                            host: row.host.to_owned(),
                            domain: row.domain.to_owned(),
                            language: row.language.map(str::to_owned),
                        };
                        let title = row.title.unwrap_or_default().to_owned();
                        // Canonical URLs of one SURT form differ; the URL parts them.
                        let key = format!("{}\0{}", row.url_sortkey, row.url);
                        push(&key, &Page { about, title, text: row.text.to_owned() })?;
                    }
                }
                unit.stage().progress.advance(batch.len() as u64);
            }
        }
        Source::Folder(files) => {
            unit.stage().progress.begin("read files", files.len() as u64, Measure::Items);
            for (path, name) in files {
                unit.stage().cancel.check()?;
                unit.read(1);
                match read_file(path) {
                    Ok((_, text)) if text.trim().is_empty() => without_text += 1,
                    Ok((title, text)) => {
                        let about = About {
                            url: name.clone(),
                            key: xxhash_rust::xxh3::xxh3_128(name.as_bytes()),
                            host: String::new(),
                            domain: String::new(),
                            language: webmill_text::language(&text).map(|found| found.iso639_3.to_owned()),
                        };
                        push(name, &Page { about, title, text })?;
                    }
                    Err(detail) => unit.rejected(Reject {
                        reason: "unreadable-file".into(),
                        shard: name.clone(),
                        offset: 0,
                        bytes_lost: 0,
                        detail,
                    }),
                }
                unit.stage().progress.advance(1);
            }
        }
    }
    unit.stage().progress.end();
    for (reason, pages) in [("superseded", superseded), ("no-text", without_text)] {
        if pages > 0 {
            unit.dropped(reason, pages);
        }
    }
    Ok(Pages { sorted: sorter.finish()?, count })
}
