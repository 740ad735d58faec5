//! Two passes over table `texts`: hashing the lines of all pages, and fetching the texts of a few.

use std::ops::Range;
use std::path::PathBuf;

use rayon::prelude::*;
use webmill_capture::Result;
use webmill_capture::bits::Bits;
use webmill_dedup::RepeatedCount;
use webmill_mill::TextRow;
use webmill_run::{Committed, Unit};
use webmill_sort::{Budget, Mapped, MappedWriter, Numbered, NumberedWriter};
use webmill_table::{Reader, columns, part_files};

use super::numbers::{NO_PAGE, Numbers};
use crate::job::groups_at_once;

columns! {
    struct Text from TextRow { url_key, is_current, text }
}

columns! {
    struct TextColumns from TextRow { url, url_key, text }
}

/// A part of table `texts`.
struct Part {
    path: PathBuf,
    /// Its rows among those of all parts.
    rows: Range<usize>,
}

/// The rows of table `texts`, part by part, with the numbers of their pages.
pub struct NumberedTexts {
    parts: Vec<Part>,
    numbers: Mapped<u32>,
}

/// Hashes the lines and paragraphs of all current texts.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn hash_all(
    extract: &Committed,
    pages: &Numbers,
    count: &mut RepeatedCount,
    unit: &mut Unit<'_>,
) -> Result<NumberedTexts> {
    let stage = unit.stage();
    let parts = part_files(&extract.path("texts"))?;
    let mut parts: Vec<Part> = parts.into_iter().map(|path| Part { path, rows: 0..0 }).collect();
    let mut numbers = MappedWriter::create(unit.temp())?;
    let (mut row, mut counted, mut short) = (0, 0u64, 0u64);
    for part in &mut parts {
        part.rows.start = row;
        let reader = Reader::<Text>::over(vec![part.path.clone()]);
        let mut reader = reader.by_threads(groups_at_once(stage.memory));
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            let options = *count.options();
            let hashed: Vec<(u32, Vec<u128>, u64)> = (0..batch.len())
                .into_par_iter()
                .map(|row| {
                    let row = batch.get(row);
                    let page = if row.is_current { pages.find(row.url_key.0) } else { None };
                    let Some(page) = page else { return (NO_PAGE, Vec::new(), 0) };
                    let (hashes, short) = options.hashes_and_short(row.text);
                    (page, hashes, short)
                })
                .collect();
            for (page, hashes, too_short) in hashed {
                numbers.push(page)?;
                short += too_short;
                if page != NO_PAGE {
                    counted += 1;
                    count.push(page, pages.host(page), &hashes)?;
                }
            }
            row += batch.len();
            stage.progress.advance(batch.len() as u64);
        }
        part.rows.end = row;
    }
    for (reason, n) in [("text-of-superseded-capture", row as u64 - counted), ("too-short-block", short)] {
        if n > 0 {
            unit.dropped(reason, n);
        }
    }
    Ok(NumberedTexts { parts, numbers: numbers.finish()? })
}

/// A page with its text: key and canonical URL, main text.
pub type NamedText<'t> = (u128, &'t str, &'t str);

impl NumberedTexts {
    /// Copies the texts of `wanted` pages as [`NamedText`]s, by page; parts that have none are not opened.
    ///
    /// # Errors
    /// Where the table cannot be read or the disk refuses.
    pub fn fetch(&self, wanted: &Bits, budget: &Budget, unit: &Unit<'_>) -> Result<Numbered> {
        let mut copies = NumberedWriter::create(budget)?;
        for part in &self.parts {
            let mut rows = part.rows.clone();
            let page_at = |row: usize| self.numbers.get(row).copied().filter(|&page| wanted.contains(page));
            if !rows.clone().any(|row| page_at(row).is_some()) {
                continue;
            }
            let reader = Reader::<TextColumns>::over(vec![part.path.clone()]);
            let mut reader = reader.by_threads(groups_at_once(unit.stage().memory));
            while let Some(batch) = reader.next()? {
                unit.stage().cancel.check()?;
                for (row, number) in batch.rows().zip(&mut rows) {
                    if let Some(page) = page_at(number) {
                        copies.put(u64::from(page), &(row.url_key.0, row.url, row.text))?;
                    }
                }
            }
        }
        copies.finish()
    }

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        self.numbers.len()
    }
}
