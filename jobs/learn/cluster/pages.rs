//! Pages that have text, in the order of their addresses.
//!
//! **Algorithm.** Rows of texts are sorted on disk by SURT, so that neither shards nor the order of parts matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_mill::TextRow;
use webmill_run::{Measure, Unit};
use webmill_sort::{Budget, RowSorter, SortedRows};
use webmill_table::{Reader, columns, part_files};

use super::input::ClusterInput;
use super::settings::ClusterSettings;
use crate::learn::labels::ColumnNames;
use crate::learn::page::{LearnPage, NeededFacts};
use crate::learn::source::{PageSource, ReadAs};

/// Reason for labels that no page has.
const LABEL_OF_NO_PAGE: &str = "label-of-no-page";

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

/// The columns about a page in tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct About {
    pub url: String,
    pub key: u128,
    pub host: String,
    pub domain: String,
    pub language: Option<String>,
    /// The topics are measured by it, and never made of it.
    pub label: Option<String>,
}

/// Pages in order.
pub struct Pages {
    sorted: SortedRows<String, Page>,
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
        Ok(self.sorted.next()?.map(|(_, page)| page))
    }
}

/// Reads the pages of the input; omissions are counted by reason.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn read(input: &ClusterInput, settings: &ClusterSettings, unit: &mut Unit<'_>) -> Result<Pages> {
    let budget = Budget::new(unit.stage().memory as usize / 4).in_dir(unit.temp());
    let mut sorter = RowSorter::new(&budget);
    let mut count = 0;
    let mut push = |key: &str, page: &Page| -> Result<()> {
        count += 1;
        sorter.push(&key, page)
    };
    let (mut superseded, mut without_text) = (0, 0);
    // Labels of pages that are left out are those of pages, too.
    let mut met = BTreeSet::new();
    let mut label = |names: &[&str]| {
        let (name, label) = input
            .labels
            .as_ref()
            .and_then(|labels| names.iter().find_map(|name| labels.get_key_value(*name)))?;
        met.insert(name.as_str());
        Some(label.clone())
    };
    let mut left_out = BTreeMap::new();
    unit.stage().progress.begin("read texts", 0, Measure::Items);
    match &input.source {
        PageSource::Results(extract) => {
            let mut reader = Reader::<Text>::over(part_files(&extract.path("texts"))?);
            while let Some(batch) = reader.next()? {
                unit.stage().cancel.check()?;
                for row in batch.rows() {
                    let label = label(&[row.url]);
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
                            label,
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
        files => {
            let how = ReadAs {
                reading: settings.reading(),
                wanted: NeededFacts { language: true, url: false },
                columns: ColumnNames::default(),
                anchors: false,
                memory: unit.stage().memory,
            };
            let mut read = 0;
            left_out = files.each(&how, unit.stage().cancel, |pages| {
                read += pages.len() as u64;
                unit.stage().progress.advance(pages.len() as u64);
                for page in pages {
                    let given = label(&[page.file.as_str(), page.url.as_str()]);
                    if page.text.trim().is_empty() {
                        without_text += 1;
                        continue;
                    }
                    let own = input.labels.is_none().then(|| page.labels.first().cloned()).flatten();
                    push(&place(&page.file), &of_file(page, given.or(own)))?;
                }
                Ok(())
            })?;
            unit.read(read + left_out.values().sum::<u64>());
        }
    }
    let labels = input.labels.as_ref().map_or(0, BTreeMap::len);
    if labels > met.len() {
        unit.dropped(LABEL_OF_NO_PAGE, (labels - met.len()) as u64);
    }
    left_out.iter().for_each(|(reason, pages)| unit.dropped(reason, *pages));
    unit.stage().progress.end();
    for (reason, pages) in [("superseded", superseded), ("no-text", without_text)] {
        if pages > 0 {
            unit.dropped(reason, pages);
        }
    }
    Ok(Pages { sorted: sorter.finish()?, count })
}

/// What orders files and lines: lines by their numbers.
fn place(file: &str) -> String {
    file.parse::<u64>().map_or_else(|_| file.to_owned(), |line| format!("{line:020}"))
}

/// A page of a file or line, which is named by that where it has no URL.
fn of_file(page: LearnPage, label: Option<String>) -> Page {
    let about = About {
        url: if page.url.is_empty() { page.file } else { page.url },
        key: page.key,
        host: page.host,
        domain: page.domain,
        language: Some(page.language).filter(|language| !language.is_empty()),
        label,
    };
    Page { about, title: page.title, text: page.text }
}
