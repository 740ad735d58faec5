//! The texts of the pages: read twice from table `texts`, in its order, and once by page.
//!
//! The first reading hashes all texts; the second copies those that are in a pair to a temporary file, from which alignment
//! reads them.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webmill_capture::Result;
use webmill_capture::bits::Bits;
use webmill_mill::TextRow;
use webmill_run::Stage;
use webmill_sort::{Budget, Mapped, MappedWriter, Numbered, NumberedWriter};
use webmill_table::{Reader, columns};

use crate::dedup::pages::Pages;
use crate::job::groups_at_once;

columns! {
    struct Where from TextRow { url_key, is_current }
}

columns! {
    struct Text from TextRow { text }
}

/// Bytes of texts that are handed to the threads at once.
const AT_ONCE: usize = 8 << 20;

/// Which rows of table `texts` are those of the pages.
pub struct TextRows {
    table: PathBuf,
    /// Row and page, by row.
    rows: Mapped<[u64; 2]>,
    /// Pages that have a row.
    pub len: u64,
}

impl TextRows {
    /// Finds the rows of the pages' current captures.
    ///
    /// # Errors
    /// Where the table cannot be read or the disk refuses.
    pub fn find(table: &Path, pages: &Pages, temp: &Path, stage: &Stage<'_>) -> Result<Self> {
        let mut rows = MappedWriter::create(temp)?;
        let mut met = Bits::with_room(pages.len());
        let mut reader = Reader::<Where>::open(table)?.by_threads(groups_at_once(stage.memory));
        let mut number = 0u64;
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            for row in batch.rows() {
                let page = if row.is_current { pages.of_key(row.url_key.0) } else { None };
                // A capture that the table has twice is read once.
                if let Some(page) = page.filter(|page| met.insert(*page)) {
                    rows.push([number, u64::from(page)])?;
                }
                number += 1;
            }
        }
        let rows = rows.finish()?;
        Ok(TextRows { table: table.to_path_buf(), len: rows.len() as u64, rows })
    }

    /// Calls `each` with batches of pages and their texts, in the order of the table.
    fn read(&self, stage: &Stage<'_>, mut each: impl FnMut(&[(u32, &str)]) -> Result<()>) -> Result<()> {
        let mut rows = self.rows.iter().peekable();
        let mut reader = Reader::<Text>::open(&self.table)?.by_threads(groups_at_once(stage.memory));
        let mut number = 0u64;
        while let Some(batch) = reader.next()? {
            let (mut texts, mut bytes) = (Vec::new(), 0);
            for row in batch.rows() {
                if let Some([_, page]) = rows.next_if(|row| row[0] == number) {
                    texts.push((*page as u32, row.text));
                    bytes += row.text.len();
                }
                number += 1;
                if bytes >= AT_ONCE {
                    stage.cancel.check()?;
                    each(&texts)?;
                    (texts, bytes) = (Vec::new(), 0);
                }
            }
            stage.cancel.check()?;
            each(&texts)?;
        }
        Ok(())
    }

    /// Calls `each` with every page and what `of` makes of its text, which all threads do.
    ///
    /// # Errors
    /// Where the table cannot be read, and those of `each`.
    pub fn map<T: Send>(
        &self,
        stage: &Stage<'_>,
        of: impl Fn(&str) -> T + Sync,
        mut each: impl FnMut(u32, T) -> Result<()>,
    ) -> Result<()> {
        self.read(stage, |texts| {
            let made: Vec<(u32, T)> = texts.par_iter().map(|&(page, text)| (page, of(text))).collect();
            stage.progress.advance(made.len() as u64);
            made.into_iter().try_for_each(|(page, made)| each(page, made))
        })
    }

    /// Copies the texts of the pages that are wanted: by page.
    ///
    /// # Errors
    /// Where the table cannot be read or the disk refuses.
    pub fn copy(&self, wanted: impl Fn(u32) -> bool, budget: &Budget, stage: &Stage<'_>) -> Result<Numbered> {
        let mut copies = NumberedWriter::create(&budget.share(4))?;
        self.read(stage, |texts| {
            let mut wanted = texts.iter().filter(|(page, _)| wanted(*page));
            wanted.try_for_each(|(page, text)| copies.put(u64::from(*page), text))
        })?;
        copies.finish()
    }
}
