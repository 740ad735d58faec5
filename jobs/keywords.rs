//! `webmill keywords`: what each page is about, by tf·idf over the corpus and by TextRank.
//!
//! **Algorithm.** Texts are read once: their terms go aside while it is counted how many texts have each, and come back for both
//! measures.
//!
//! **Cost.** The texts once, some three bytes of disk a word. Memory: the counts, and the texts of a row group.
//!
//! `keywords` is a job of its own because tf·idf needs the whole corpus: document frequencies are counted part by part and joined in
//! the order of the parts.

pub mod tables;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webmill_capture::settings;
use webmill_capture::{Error, Result};
use webmill_mill::TextRow;
use webmill_run::{Committed, Ingredient, Job, Measure, Stage, Unit};
use webmill_sort::{Budget, Numbered, NumberedWriter};
use webmill_table::{Reader, Table, columns, part_files, schema};
use webmill_text::{DocumentFrequencies, Keyword, Keywords, Terms};

use crate::extract::Extract;
use crate::job::Context;
use crate::output::TableFile;
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use tables::KeywordRow;

/// Keywords of a page by each measure.
const PER_PAGE: usize = 10;

/// Distinct words whose frequencies are counted at a time, 32 bytes each; where a corpus has more, those of fewest texts count as often as
/// the rarest that is kept.
const COUNTED_WORDS: usize = 700_000;

/// Texts whose terms or keywords are held at a time, for all threads, and bytes of those whose terms are: enough for many threads to be at
/// work for a while, since waking them costs as much as some texts.
const AT_ONCE: usize = 1024;
const AT_ONCE_BYTES: usize = 4 << 20;

/// Memory of a sort of the places of terms.
const SORT_BYTES: usize = 1 << 20;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: KeywordsJob::NAME,
    about: "Find the keywords of each page, by tf·idf over the corpus and by TextRank",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<KeywordRow>()],
    check: check_settings::<KeywordsJob>,
    run: keywords,
};

settings! {
    /// Configuration of the job.
    pub struct KeywordsJob {
    }
}

impl Settings for KeywordsJob {
    const TABLE: &'static str = "keywords";
}

columns! {
    struct Words from TextRow { language, text }
}

columns! {
    struct Length from TextRow { num_words }
}

columns! {
    struct Place from TextRow { url, url_key, host, domain, is_current, language, warc_record_offset, warc_filename }
}

/// Finds the keywords of the context's texts.
///
/// # Errors
/// What the job meets.
pub fn keywords(context: &Context<'_>) -> Result<Option<Committed>> {
    context.run(&context.settings::<KeywordsJob>()?, &context.results_of(Extract::NAME)?)
}

impl Job for KeywordsJob {
    type Input = Committed;
    const NAME: &'static str = "keywords";
    const VERSION: u32 = 8;

    fn ingredients(&self) -> Vec<Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let parts = part_files(&extract.path("texts"))?;
        let spread = ParallelUnit::of(parts.len());
        let (corpus, terms) = self.count(&parts, spread, stage)?;
        stage.progress.begin("keywords", corpus.texts(), Measure::Items);
        let write = |(part, terms): (&PathBuf, &Numbered)| {
            let name = part.file_stem().unwrap_or_default().to_string_lossy();
            stage.unit(&name, |unit| self.write((part, terms), &name, &corpus, spread, unit))
        };
        let done = parts.par_iter().zip(&terms).with_max_len(1).try_for_each(write);
        stage.progress.end();
        done
    }
}

impl KeywordsJob {
    /// In how many texts each word stands. Some parts are counted at a time and joined in their order: the same counts on
    /// any number of threads. And the terms of the texts of each part, by row.
    fn count(
        &self,
        parts: &[PathBuf],
        spread: ParallelUnit,
        stage: &Stage<'_>,
    ) -> Result<(DocumentFrequencies, Vec<Numbered>)> {
        // A corpus of fewer words than are counted at a time has no more different ones.
        let counted_words = COUNTED_WORDS.min(words_of(parts)?.max(1));
        let need = (32 * counted_words as u64).max(1);
        if 2 * need > stage.memory {
            return Err(Error::Limit(format!(
                "counting {} words takes up to {} MiB, --memory leaves {} MiB",
                counted_words,
                (2 * need) >> 20,
                stage.memory >> 20
            )));
        }
        // Beside the counts of all parts, each has its own, and texts with their terms.
        let of_part = need + 8 * AT_ONCE_BYTES as u64;
        let at_once = ((stage.memory - need) / of_part).clamp(1, rayon::current_num_threads() as u64);
        stage.progress.begin("count words", parts.len() as u64, Measure::Items);
        let (mut corpus, mut terms) = (DocumentFrequencies::new(counted_words), Vec::new());
        let budget = Budget::new(SORT_BYTES).in_dir(stage.path("temp"));
        for parts in parts.chunks(at_once as usize) {
            let counts = parts.par_iter().with_max_len(1).map(|part| {
                let mut counts = DocumentFrequencies::new(counted_words);
                let (mut aside, mut number) = (NumberedWriter::create(&budget)?, 0);
                let mut reader = Reader::<Words>::open(part)?;
                while let Some(batch) = reader.next()? {
                    stage.cancel.check()?;
                    let rows: Vec<_> = batch.rows().collect();
                    let mut rest = rows.as_slice();
                    // Those of some texts are counted while those of the next are found.
                    let mut found: Vec<Result<(Terms, Vec<u8>)>> = Vec::new();
                    while !rest.is_empty() || !found.is_empty() {
                        let (rows, after) = rest.split_at(some(rest, |row| row.text.len(), AT_ONCE_BYTES));
                        rest = after;
                        let count = || {
                            found.drain(..).try_for_each(|found| {
                                let (terms, packed) = found?;
                                counts.add_terms(&terms);
                                number += 1;
                                aside.put_packed(number - 1, &packed)
                            })
                        };
                        let find = || {
                            spread.map(rows, |_, row| {
                                let terms = Terms::of(row.text, row.language);
                                NumberedWriter::packed(&terms).map(|packed| (terms, packed))
                            })
                        };
                        let (next, counted) = rayon::join(find, count);
                        counted?;
                        found = next;
                    }
                }
                stage.progress.advance(1);
                Ok((counts, aside.finish()?))
            });
            for (counts, of_part) in counts.collect::<Result<Vec<_>>>()? {
                corpus.merge(&counts);
                terms.push(of_part);
            }
        }
        stage.progress.end();
        if corpus.error() > 0 {
            stage.progress.note(&format!(
                "keywords: more than {COUNTED_WORDS} different words: those of fewer than {} texts weigh as if they stood in so many",
                corpus.error()
            ));
        }
        Ok((corpus, terms))
    }

    fn write(
        &self,
        (part, terms): (&Path, &Numbered),
        name: &str,
        corpus: &DocumentFrequencies,
        spread: ParallelUnit,
        unit: &mut Unit<'_>,
    ) -> Result<()> {
        let relative = format!("{}/{name}.parquet", KeywordRow::NAME);
        let mut file = match spread {
            ParallelUnit::Rows => TableFile::<KeywordRow>::create(unit, relative)?,
            ParallelUnit::Parts | ParallelUnit::Both => TableFile::among_others(unit, relative)?,
        };
        let mut reader = Reader::<Place>::open(part)?;
        let mut number = 0;
        while let Some(batch) = reader.next()? {
            let rows: Vec<_> = batch.rows().collect();
            // The keywords of some texts are written while those of the next are found.
            let mut found: Vec<Result<KeywordRow>> = Vec::new();
            let mut some = rows.chunks(AT_ONCE);
            loop {
                unit.stage().cancel.check()?;
                let rows = some.next().unwrap_or_default();
                let write = || found.drain(..).try_for_each(|row| file.push(row?));
                let find = || {
                    spread.map(rows, |at, row| {
                        let terms: Terms = terms.get(number + at as u64)?;
                        Ok(keyword_row(row, Keywords::of_terms(&terms, corpus, PER_PAGE)))
                    })
                };
                let (next, written) = rayon::join(find, write);
                written?;
                number += next.len() as u64;
                found = next;
                if found.is_empty() {
                    break;
                }
            }
            unit.stage().progress.advance(batch.len() as u64);
            unit.kept("texts", batch.len() as u64);
        }
        file.finish(unit).map(drop)
    }
}

fn keyword_row(row: &Place<'_>, found: Keywords) -> KeywordRow {
    let (tfidf_words, tfidf_scores) = split(found.tfidf);
    let (textrank_words, textrank_scores) = split(found.textrank);
    KeywordRow {
        url: row.url.to_owned(),
        url_key: row.url_key,
        host: row.host.to_owned(),
        domain: row.domain.to_owned(),
        is_current: row.is_current,
        language: row.language.map(str::to_owned),
        tfidf_words,
        tfidf_scores,
        textrank_words,
        textrank_scores,
        warc_record_offset: row.warc_record_offset,
        warc_filename: row.warc_filename.to_owned(),
    }
}

/// How many of the first rows are worked on at once: those of `most` together, at least one.
pub(crate) fn some<R>(rows: &[R], size: impl Fn(&R) -> usize, most: usize) -> usize {
    let mut sum = 0;
    let fit = rows.iter().take(AT_ONCE).take_while(|row| {
        sum += size(row);
        sum <= most
    });
    fit.count().max(1).min(rows.len())
}

/// By how much work is shared out.
#[derive(Debug, Clone, Copy)]
enum ParallelUnit {
    /// Files of the table.
    Parts,
    /// The rows of a batch: there is one file.
    Rows,
    /// Both: there are fewer files than threads.
    Both,
}

impl ParallelUnit {
    fn of(parts: usize) -> Self {
        match parts {
            parts if parts >= rayon::current_num_threads() => ParallelUnit::Parts,
            0 | 1 => ParallelUnit::Rows,
            _ => ParallelUnit::Both,
        }
    }

    /// What `of` gives of each row and its place, in their order.
    fn map<R: Sync, T: Send>(self, rows: &[R], of: impl Fn(usize, &R) -> T + Send + Sync) -> Vec<T> {
        match self {
            ParallelUnit::Parts => rows.iter().enumerate().map(|(at, row)| of(at, row)).collect(),
            ParallelUnit::Rows | ParallelUnit::Both => {
                rows.par_iter().enumerate().map(|(at, row)| of(at, row)).collect()
            }
        }
    }
}

/// Words of all texts.
fn words_of(parts: &[PathBuf]) -> Result<usize> {
    let mut words = 0usize;
    let mut reader = Reader::<Length>::over(parts.to_vec()).by_threads(rayon::current_num_threads());
    while let Some(batch) = reader.next()? {
        words = batch.rows().fold(words, |sum, row| sum.saturating_add(row.num_words as usize));
    }
    Ok(words)
}

fn split(found: Vec<Keyword>) -> (Vec<String>, Vec<f32>) {
    found.into_iter().map(|keyword| (keyword.word, keyword.score as f32)).unzip()
}
