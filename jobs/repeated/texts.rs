//! Two passes over table `texts`: hashing the lines of all pages, and fetching the texts of a few.

use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::PathBuf;

use memmap2::Mmap;
use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_dedup::RepeatedCount;
use webmill_mill::TextRow;
use webmill_run::{Committed, Unit};
use webmill_sort::{Budget, Sorted, Sorter};
use webmill_table::{Reader, columns, part_files};

use super::numbers::{NO_PAGE, Numbers};
use crate::current_captures::place;
use crate::mapped::{Mapped, MappedWriter};
use crate::output::covered;

columns! {
    struct Text from TextRow { text, warc_filename, warc_record_offset }
}

columns! {
    struct TextColumns from TextRow { url, url_key, text }
}

/// A part of table `texts`.
struct Part {
    path: PathBuf,
    /// Which parts of table `pages` have its captures.
    of_pages: Range<u32>,
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
    pages: &mut Numbers,
    count: &mut RepeatedCount,
    unit: &mut Unit<'_>,
) -> Result<NumberedTexts> {
    let stage = unit.stage();
    let mut parts = parts_of(extract)?;
    let mut numbers = MappedWriter::create(unit.temp())?;
    let (mut row, mut counted, mut short) = (0, 0u64, 0u64);
    for part in &mut parts {
        part.rows.start = row;
        let known = pages.of_parts(part.of_pages.clone())?;
        let mut reader = Reader::<Text>::over(vec![part.path.clone()]);
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            let options = *count.options();
            let hashed: Vec<(u32, Vec<u128>, u64)> = (0..batch.len())
                .into_par_iter()
                .map(|row| {
                    let row = batch.get(row);
                    let at = place(row.warc_filename, row.warc_record_offset);
                    let Some(&page) = known.get(&at) else { return (NO_PAGE, Vec::new(), 0) };
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

fn parts_of(extract: &Committed) -> Result<Vec<Part>> {
    let pages = part_files(&extract.path("pages"))?;
    let texts = part_files(&extract.path("texts"))?;
    let part =
        |at: usize| Part { path: texts[at].clone(), of_pages: covered(&pages, &texts, at), rows: 0..0 };
    Ok((0..texts.len()).map(part).collect())
}

/// Pages by number, a bit each.
pub struct PageSet(Vec<u64>);

impl PageSet {
    /// The empty set over `pages` pages.
    pub fn of(pages: u32) -> Self {
        PageSet(vec![0; (pages as usize).div_ceil(64)])
    }

    /// Adds a page.
    pub fn insert(&mut self, page: u32) {
        if let Some(word) = self.0.get_mut(page as usize / 64) {
            *word |= 1 << (page % 64);
        }
    }

    fn has(&self, page: u32) -> bool {
        self.0.get(page as usize / 64).is_some_and(|word| word >> (page % 64) & 1 == 1)
    }
}

/// A page with its text.
#[derive(Clone, Copy, Default)]
pub struct NamedText<'t> {
    /// Key of its URL.
    pub key: u128,
    /// Canonical URL.
    pub url: &'t str,
    /// Main text.
    pub text: &'t str,
}

/// Texts of some pages in a temporary file.
pub struct FetchedTexts(Option<Mmap>);

/// Where each text is: page, offset, bytes of its URL, bytes of the text.
pub type Places = Sorted<[u64; 4]>;

impl NumberedTexts {
    /// Copies the texts of `wanted` pages; parts that have none are not opened.
    ///
    /// # Errors
    /// Where the table cannot be read or the disk refuses.
    pub fn fetch(
        &self,
        wanted: &PageSet,
        budget: &Budget,
        unit: &mut Unit<'_>,
    ) -> Result<(FetchedTexts, Places)> {
        let (stage, temp) = (unit.stage(), unit.temp().to_path_buf());
        let mut file = BufWriter::new(tempfile::tempfile_in(&temp).at(&temp)?);
        let mut places = Sorter::new(budget);
        let mut offset = 0u64;
        for part in &self.parts {
            let mut rows = part.rows.clone();
            let page_at = |row: usize| self.numbers.get(row).copied().filter(|&page| wanted.has(page));
            if !rows.clone().any(|row| page_at(row).is_some()) {
                continue;
            }
            let mut reader = Reader::<TextColumns>::over(vec![part.path.clone()]);
            while let Some(batch) = reader.next()? {
                stage.cancel.check()?;
                for (row, number) in batch.rows().zip(&mut rows) {
                    let Some(page) = page_at(number) else { continue };
                    let (url, text) = (row.url.as_bytes(), row.text.as_bytes());
                    for bytes in [&row.url_key.0.to_le_bytes(), url, text] {
                        file.write_all(bytes).at(&temp)?;
                    }
                    places.push([u64::from(page), offset, url.len() as u64, text.len() as u64])?;
                    offset += (16 + url.len() + text.len()) as u64;
                }
            }
        }
        let file = file.into_inner().map_err(|e| Error::io(&temp, e.into_error()))?;
        // SAFETY: the file is a temporary one without a name, complete, and not written to again.
        let texts = if offset == 0 { None } else { Some(unsafe { Mmap::map(&file) }.at(&temp)?) };
        Ok((FetchedTexts(texts), places.finish()?))
    }

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        self.numbers.len()
    }
}

impl FetchedTexts {
    /// The line or paragraph at a place.
    pub fn at(&self, [_, offset, url, text]: [u64; 4]) -> NamedText<'_> {
        let read = || {
            let (key, rest) = self.0.as_ref()?.get(offset as usize..)?.split_first_chunk::<16>()?;
            let (url, rest) = rest.split_at_checked(url as usize)?;
            let words = |bytes| std::str::from_utf8(bytes).ok();
            let text = rest.get(..text as usize)?;
            Some(NamedText { key: u128::from_le_bytes(*key), url: words(url)?, text: words(text)? })
        };
        read().unwrap_or_default()
    }
}
