//! `webmill count index`: which texts hold a word, how often and where.
//!
//! **Definition.** Texts are those of captures that count, numbered in the order of table `texts`. Terms are words
//! ([`webmill_text::words()`]) in comparison form of up to 64 bytes. A title stands before its text, with a place between that no word has, so that no
//! phrase begins in one and ends in the other. The length of a text is its `num_words`.
//!
//! **Form.** `postings/part-NUMBER.index` ([`crate::mapreduce::postings`]), terms spread by their hashes; table `count_index` says which text a
//! number is.
//!
//! **Queries.** [`query`].

pub mod query;

use std::collections::HashMap;
use std::path::PathBuf;

use crate::mapreduce::postings::IndexWriter;
use crate::mapreduce::{Count, MapReduce, reduce, write_varint};
use webmill_capture::{Error, Result, settings};
use webmill_mill::TextRow;
use webmill_run::{Committed, Job, Stage};
use webmill_table::{Bytes16, columns, schema, table};

use super::engine::{Batches, Engine, Plan, parts_of};
use super::{SUPERSEDED, of_extract};
use crate::output::{TableFile, first_part};
use crate::recipe::Settings;
use crate::registry::JobEntry;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry::of_request::<CountIndex>(
    "Index the words of the main texts, for queries",
    || vec![schema::<IndexedRow>()],
    of_extract::<CountIndex>,
);

table! {
    /// One row per text of the index, in the order of its numbers.
    IndexedRow = "count_index" sorted by [number] {
        number: u32 = "number of the text in the index, from 0", "0";
        url: String = "canonical URL of the page", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "key of the page in table pages", "9f…";
        title: Option<String> = "title of the page, as pages.title", "Campus opens new library";
        num_words: u32 = "words of the text: its length", "812";
    }
}

settings! {
    /// Settings of the job.
    pub struct CountIndex {
    }
}

impl Settings for CountIndex {
    const TABLE: &'static str = "count-index";
}

/// A text with its number.
pub struct Numbered<'p> {
    /// Number of the text in the index.
    pub number: u32,
    /// Its words.
    pub length: u32,
    /// Its title, perhaps empty.
    pub title: &'p str,
    /// Main text of the page.
    pub text: &'p str,
}

/// Bytes of a term at most; longer words are none of a language.
const LONGEST: usize = 64;

/// Calls `each` with the terms of a text and their places.
pub fn terms(title: &str, text: &str, mut each: impl FnMut(&str, u32)) {
    let mut place = 0u32;
    for part in [title, text] {
        webmill_text::words(&webmill_text::normalize(part), |word| {
            if word.len() <= LONGEST {
                each(word, place);
            }
            place = place.saturating_add(1);
        });
        place = place.saturating_add(1);
    }
}

/// Words by text.
pub struct Inverted;

/// What comes out of [`Inverted`], in the order of a file.
pub enum Entry {
    /// A term begins.
    Term(String),
    /// A text that holds it: number, length, places as differences.
    Text(u32, u32, Vec<u8>),
}

impl MapReduce for Inverted {
    type Page<'p> = Numbered<'p>;
    type Key<'k> = &'k str;
    /// Number, length, places as differences.
    type Value = ((u32, Count), Vec<u8>);
    type Out = Entry;

    fn map(&self, page: &Numbered<'_>, emit: &mut dyn FnMut(&str, Self::Value)) {
        let mut places: HashMap<String, (u32, Vec<u8>)> = HashMap::new();
        terms(page.title, page.text, |term, place| match places.get_mut(term) {
            Some((last, bytes)) => {
                write_varint(bytes, u64::from(place - *last));
                *last = place;
            }
            None => {
                let mut bytes = Vec::with_capacity(4);
                write_varint(&mut bytes, u64::from(place));
                places.insert(term.to_owned(), (place, bytes));
            }
        });
        for (term, (_, bytes)) in places {
            emit(&term, ((page.number, Count(u64::from(page.length))), bytes));
        }
    }

    fn reduce(&self, term: &str, values: &mut dyn Iterator<Item = Self::Value>, emit: &mut dyn FnMut(Entry)) {
        emit(Entry::Term(term.to_owned()));
        for ((number, length), places) in values {
            emit(Entry::Text(number, u32::try_from(length.0).unwrap_or(u32::MAX), places));
        }
    }
}

columns! {
    struct Text from TextRow { is_current, title, text, num_words }
}

columns! {
    struct TextColumns from TextRow { is_current, url, url_key, title, num_words }
}

/// File of a part of the terms.
pub fn file_of(part: u32) -> String {
    format!("postings/part-{part:06}.index")
}

impl Job for CountIndex {
    type Input = Committed;
    const NAME: &'static str = "count-index";
    const VERSION: u32 = 3;

    fn ingredients(&self) -> Vec<webmill_run::Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let plan = Plan::of_table(&extract.path("texts"))?;
        let numbers = list(&plan, stage)?;
        let parts = parts_of(plan.bytes);
        let engine = Engine { stage, kernel: &Inverted, name: "", parts };
        let files = engine.map_table::<Text>(&plan, |batch, rows, side, tally| {
            let lost = || Error::Internal("a row group that was not counted".into());
            let first = numbers.first.get(&(batch.path().to_path_buf(), batch.group())).ok_or_else(lost)?;
            let before = (0..rows.start).filter(|row| batch.get(*row).is_current).count();
            let mut number = first + before as u32;
            for row in rows.map(|row| batch.get(row)) {
                tally.note(if row.is_current { Ok("texts") } else { Err(SUPERSEDED) });
                if row.is_current {
                    let (length, title) = (row.num_words, row.title.unwrap_or_default());
                    side.map(&Numbered { number, length, title, text: row.text })?;
                    number += 1;
                }
            }
            Ok(())
        })?;
        engine.reduce_parts(&files, |part, pairs, unit| {
            let relative = file_of(part);
            let mut writer = IndexWriter::create(&unit.create(&relative)?)?;
            reduce(&Inverted, pairs, |entry| match entry {
                Entry::Term(term) => writer.term(&term),
                Entry::Text(number, length, places) => writer.text(number, length, &places),
            })?;
            let written = writer.finish(part, parts, numbers.texts)?;
            unit.wrote(&relative, "", Vec::new(), written.terms);
            unit.kept("terms", written.terms);
            unit.kept("postings", written.postings);
            Ok(())
        })?;
        Ok(())
    }
}

/// The numbers of texts.
struct Numbers {
    /// Of the first text that counts in each row group.
    first: HashMap<(PathBuf, usize), u32>,
    texts: u64,
}

/// Numbers the texts, and writes which is which.
fn list(plan: &Plan, stage: &Stage<'_>) -> Result<Numbers> {
    let splits = plan.units.concat();
    let groups =
        splits.iter().flat_map(|split| split.groups.clone().map(|group| (split.file.clone(), group)));
    // The first number of each row group, and the end.
    let starts: Vec<u32> = stage.unit("list", |unit| {
        let mut file = TableFile::<IndexedRow>::create(unit, first_part::<IndexedRow>())?;
        let (mut starts, mut number) = (Vec::new(), 0u32);
        let mut batches = Batches::<TextColumns>::of(&splits);
        while let Some(batch) = batches.next()? {
            starts.push(number);
            for row in batch.rows().filter(|row| row.is_current) {
                file.push(IndexedRow {
                    number,
                    url: row.url.to_owned(),
                    url_key: row.url_key,
                    title: row.title.map(str::to_owned),
                    num_words: row.num_words,
                })?;
                let more = || Error::Limit("an index numbers 4,294,967,294 texts at most".into());
                number = number.checked_add(1).filter(|n| *n < u32::MAX).ok_or_else(more)?;
            }
        }
        file.finish(unit)?;
        starts.push(number);
        Ok(starts)
    })?;
    let texts = starts.last().map_or(0, |end| u64::from(*end));
    Ok(Numbers { first: groups.zip(starts).collect(), texts })
}
