//! What went, by rule, language and host.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use webmill_capture::error::{AtPath, Result};
use webmill_jobs::filtered::{FilterSummaryRow, FilteredRow};
use webmill_mill::TextRow;
use webmill_sort::{Budget, RowSorter, group};
use webmill_table::{Footer, PartWriter};

use crate::dedup::apply::texts::TextCounts;

/// Why a text goes.
pub struct Reason {
    /// Name of the filter.
    pub filter: String,
    /// Name of its rule.
    pub rule: String,
    /// Values by which it went.
    pub value: String,
}

/// Host, language, filter and rule; empty where there is none.
type Key = (String, String, String, String);

/// Texts and words of a key.
type Entry = (Key, (u64, u64));

/// Counts of texts that were read.
#[derive(Serialize)]
pub struct Summary {
    /// Current texts.
    texts: u64,
    /// Those that went, by filter and rule.
    rules: BTreeMap<String, u64>,
    /// Texts and those of them that stay, by language.
    languages: BTreeMap<String, (u64, u64)>,
    /// Texts that were written.
    stay: u64,
    /// Pieces of personal data that were hidden.
    pub masked: u64,
    /// Lines with items of benchmarks that were left out.
    pub cut_lines: u64,
    /// Hosts of which most texts went, with texts read and gone.
    hosts: Vec<(String, u64, u64)>,
    #[serde(skip)]
    rows: Option<RowSorter<Key, (u64, u64)>>,
    #[serde(skip)]
    filtered: Option<PartWriter<FilteredRow>>,
    #[serde(skip)]
    footer: Footer,
}

/// Hosts that are named.
const HOSTS: usize = 10;

impl Summary {
    /// Nothing yet. `filtered` is the folder of that table, if it is written.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn new(budget: &Budget, filtered: Option<PathBuf>, job_key: &str) -> Result<Summary> {
        let footer = Footer { job_key: job_key.to_owned() };
        let filtered = filtered.map(|folder| PartWriter::create(&part_in(&folder)?, &footer)).transpose()?;
        Ok(Summary {
            texts: 0,
            rules: BTreeMap::new(),
            languages: BTreeMap::new(),
            stay: 0,
            masked: 0,
            cut_lines: 0,
            hosts: Vec::new(),
            rows: Some(RowSorter::new(budget)),
            filtered,
            footer,
        })
    }

    /// Counts a text that stays, or that goes for a reason.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn take(&mut self, row: &TextRow, goes: Option<&Reason>) -> Result<()> {
        self.texts += 1;
        let of_language =
            self.languages.entry(row.language.clone().unwrap_or_else(|| "und".into())).or_default();
        of_language.0 += 1;
        of_language.1 += u64::from(goes.is_none());
        let (filter, rule) = goes.map_or(("", ""), |goes| (&*goes.filter, &*goes.rule));
        if let Some(rows) = &mut self.rows {
            let key = (&*row.host, row.language.as_deref().unwrap_or_default(), filter, rule);
            rows.push(&key, &(1u64, u64::from(row.num_words)))?;
        }
        let Some(goes) = goes else { return Ok(()) };
        *self.rules.entry(format!("{}: {}", goes.filter, goes.rule)).or_default() += 1;
        let Some(filtered) = &mut self.filtered else { return Ok(()) };
        filtered.push(FilteredRow {
            url: row.url.clone(),
            url_key: row.url_key,
            host: row.host.clone(),
            language: row.language.clone(),
            filter: goes.filter.clone(),
            rule: goes.rule.clone(),
            value: goes.value.clone(),
            num_words: row.num_words,
            warc_filename: row.warc_filename.clone(),
            warc_record_offset: row.warc_record_offset,
        })
    }

    /// Writes both tables to the end: that of the summary to a folder, if there is one.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(mut self, folder: Option<PathBuf>, texts: &TextCounts) -> Result<Summary> {
        if let Some(filtered) = self.filtered.take() {
            filtered.finish()?;
        }
        self.stay = texts.texts;
        let mut out = folder
            .map(|folder| PartWriter::<FilterSummaryRow>::create(&part_in(&folder)?, &self.footer))
            .transpose()?;
        let Some(rows) = self.rows.take() else { return Ok(self) };
        let mut host: (String, u64, u64) = Default::default();
        group(
            rows.finish()?,
            |a: &Entry, b: &Entry| a.0 == b.0,
            |(key, one): &Entry, others| {
                let mut sum = *one;
                for other in others {
                    let (_, (texts, words)) = other?;
                    sum = (sum.0 + texts, sum.1 + words);
                }
                let (name, language, filter, rule) = key;
                if *name != host.0 {
                    self.count_host(std::mem::replace(&mut host, (name.clone(), 0, 0)));
                }
                host.1 += sum.0;
                host.2 += if filter.is_empty() { 0 } else { sum.0 };
                let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
                let row = FilterSummaryRow {
                    host: name.clone(),
                    language: some(language),
                    filter: some(filter),
                    rule: some(rule),
                    texts: sum.0,
                    words: sum.1,
                };
                out.as_mut().map_or(Ok(()), |out| out.push(row))
            },
        )?;
        self.count_host(host);
        out.map_or(Ok(0), PartWriter::finish)?;
        Ok(self)
    }

    /// Keeps the hosts of which most texts went.
    fn count_host(&mut self, host: (String, u64, u64)) {
        if host.2 > 0 {
            let at = self.hosts.partition_point(|known| known.2 >= host.2);
            self.hosts.insert(at, host);
            self.hosts.truncate(HOSTS);
        }
    }

    /// Says on stderr what stays and what went.
    pub fn say(&self, is_trial: bool) {
        let Summary { texts, stay, .. } = self;
        let share = |part: u64| 100.0 * part as f64 / (*texts).max(1) as f64;
        webmill_jobs::say!("{stay} of {texts} texts stay ({:.1} %)", share(*stay));
        let mut rules: Vec<_> = self.rules.iter().collect();
        rules.sort_by_key(|(rule, n)| (std::cmp::Reverse(**n), rule.as_str()));
        for (rule, n) in rules {
            webmill_jobs::say!("{n:>9}  {:>5.1} %  went by {rule}", share(*n));
        }
        for (n, what) in [
            (self.masked, "pieces of personal data are hidden"),
            (self.cut_lines, "lines with items of benchmarks are left out"),
        ] {
            if n > 0 {
                webmill_jobs::say!("{n:>9}  {what}");
            }
        }
        let mut languages: Vec<_> = self.languages.iter().collect();
        languages.sort_by_key(|(name, (all, _))| (std::cmp::Reverse(*all), name.as_str()));
        let of = |(name, (all, stay)): &(&String, &(u64, u64))| format!("{name} {stay} of {all}");
        let shown: Vec<String> = languages.iter().take(HOSTS).map(of).collect();
        webmill_jobs::say!("by language: {}", shown.join(", "));
        let shown: Vec<String> =
            self.hosts.iter().take(3).map(|(host, all, went)| format!("{host} {went} of {all}")).collect();
        if !shown.is_empty() {
            webmill_jobs::say!("most went of: {}", shown.join(", "));
        }
        if is_trial {
            webmill_jobs::say!("nothing is written: --out names a folder for what stays");
        }
    }
}

fn part_in(folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).at(folder)?;
    Ok(folder.join("part-000000.parquet"))
}
