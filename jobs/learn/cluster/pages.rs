//! Pages that have text, in the order of their addresses.
//!
//! **Algorithm.** Rows of texts are sorted on disk by SURT, so that neither shards nor the order of parts matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_mill::TextRow;
use webmill_run::{Committed, Measure, Stage, Unit};
use webmill_sort::{Budget, RowSorter, SortedRows, Unread};
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
    sorted: SortedRows<(Unread<()>, Unread<()>), Page>,
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
        Ok(self.sorted.next().transpose()?.map(|(_, page)| page))
    }
}

/// Reads the pages of the input; omissions are counted by reason.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn read(input: &ClusterInput, settings: &ClusterSettings, unit: &mut Unit<'_>) -> Result<Pages> {
    let budget = Budget::new(unit.stage().memory as usize / 4).in_dir(unit.temp());
    let mut pages = SortedPages {
        labels: input.labels.as_ref(),
        met: BTreeSet::new(),
        sorter: RowSorter::new(&budget),
        count: 0,
        superseded: 0,
        without_text: 0,
    };
    unit.stage().progress.begin("read texts", 0, Measure::Items);
    match &input.source {
        PageSource::Results(extract) => pages.of_results(extract, unit.stage())?,
        files => pages.of_files(files, settings, unit)?,
    }
    unit.stage().progress.end();
    let labels = input.labels.as_ref().map_or(0, BTreeMap::len);
    let missing = (labels - pages.met.len()) as u64;
    let reasons =
        [(LABEL_OF_NO_PAGE, missing), ("superseded", pages.superseded), ("no-text", pages.without_text)];
    reasons.iter().filter(|(_, n)| *n > 0).for_each(|(reason, n)| unit.dropped(reason, *n));
    Ok(Pages { sorted: pages.sorter.finish()?, count: pages.count })
}

/// Pages on their way into their order.
struct SortedPages<'a> {
    labels: Option<&'a BTreeMap<String, String>>,
    /// URLs of labels that are those of pages; of pages that are left out, too.
    met: BTreeSet<&'a str>,
    sorter: RowSorter<(Unread<()>, Unread<()>), Page>,
    count: u64,
    superseded: u64,
    without_text: u64,
}

impl SortedPages<'_> {
    /// The label of a page by one of its names.
    fn label(&mut self, names: &[&str]) -> Option<String> {
        let labels = self.labels?;
        let (name, label) = names.iter().find_map(|name| labels.get_key_value(*name))?;
        self.met.insert(name.as_str());
        Some(label.clone())
    }

    fn push(&mut self, place: &str, url: &str, page: &Page) -> Result<()> {
        self.count += 1;
        self.sorter.push(&(Unread(place), Unread(url)), page)
    }

    fn of_results(&mut self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let mut reader = Reader::<Text>::over(part_files(&extract.path("texts"))?);
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            for row in batch.rows() {
                let label = self.label(&[row.url]);
                if !row.is_current {
                    self.superseded += 1;
                } else if row.num_words == 0 {
                    self.without_text += 1;
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
                    let page = Page { about, title, text: row.text.to_owned() };
                    self.push(row.url_sortkey, row.url, &page)?;
                }
            }
            stage.progress.advance(batch.len() as u64);
        }
        Ok(())
    }

    fn of_files(
        &mut self,
        files: &PageSource,
        settings: &ClusterSettings,
        unit: &mut Unit<'_>,
    ) -> Result<()> {
        let stage = unit.stage();
        let how = ReadAs {
            reading: settings.reading(),
            wanted: NeededFacts { language: true, url: false },
            columns: ColumnNames::default(),
            anchors: false,
            memory: stage.memory,
        };
        let mut read = 0;
        let left_out = files.each(&how, stage.cancel, |pages| {
            read += pages.len() as u64;
            stage.progress.advance(pages.len() as u64);
            for page in pages {
                let given = self.label(&[page.file.as_str(), page.url.as_str()]);
                if page.text.trim().is_empty() {
                    self.without_text += 1;
                    continue;
                }
                let own = self.labels.is_none().then(|| page.labels.first().cloned()).flatten();
                self.push(&place(&page.file), "", &of_file(page, given.or(own)))?;
            }
            Ok(())
        })?;
        unit.read(read + left_out.values().sum::<u64>());
        left_out.iter().for_each(|(reason, pages)| unit.dropped(reason, *pages));
        Ok(())
    }
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
