//! The texts of the pages: read twice from table `texts`, in its order, and once by page.
//!
//! Rows are brought to the numbers of their pages by a sort of (key, place, row). The first reading hashes all texts; the
//! second copies those that are in a pair to a temporary file, from which alignment reads them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_mill::TextRow;
use webmill_run::Stage;
use webmill_sort::{Budget, Sorter};
use webmill_table::{Reader, columns};

use super::pages::{Pages, halves};
use crate::current_captures::place;
use crate::mapped::Mapped;

columns! {
    struct Where from TextRow { url_key, warc_filename, warc_record_offset }
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
    pub fn find(
        table: &Path,
        pages: &Pages,
        budget: &Budget,
        temp: &Path,
        stage: &Stage<'_>,
    ) -> Result<Self> {
        let mut keys = Sorter::new(&budget.share(2));
        let mut reader = Reader::<Where>::open(table)?;
        let mut number = 0u64;
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            for row in batch.rows() {
                let [high, low] = halves(row.url_key.0);
                keys.push([high, low, place(row.warc_filename, row.warc_record_offset), number])?;
                number += 1;
            }
        }
        let mut found = Sorter::new(&budget.share(2));
        let (mut len, mut last) = (0, None);
        for item in keys.finish()? {
            let [high, low, place, row] = item?;
            // A capture that the table has twice is read once.
            if let Some((of, page)) = pages.find([high, low])
                && of == place
                && last.replace(page) != Some(page)
            {
                found.push([row, u64::from(page)])?;
                len += 1;
            }
        }
        let rows = Mapped::of(temp, found.finish()?)?;
        Ok(TextRows { table: table.to_path_buf(), rows, len })
    }

    /// Calls `each` with batches of pages and their texts, in the order of the table.
    fn read(&self, stage: &Stage<'_>, mut each: impl FnMut(&[(u32, &str)]) -> Result<()>) -> Result<()> {
        let mut rows = self.rows.iter().peekable();
        let mut reader = Reader::<Text>::open(&self.table)?;
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

    /// Copies the texts of the pages that are wanted.
    ///
    /// # Errors
    /// Where the table cannot be read or the disk refuses.
    pub fn copy(
        &self,
        wanted: impl Fn(u32) -> bool,
        budget: &Budget,
        temp: &Path,
        stage: &Stage<'_>,
    ) -> Result<Texts> {
        let mut file = BufWriter::new(tempfile::tempfile_in(temp).at(temp)?);
        let mut places = Sorter::new(&budget.share(4));
        let mut end = 0u64;
        self.read(stage, |texts| {
            for &(page, text) in texts.iter().filter(|(page, _)| wanted(*page)) {
                file.write_all(text.as_bytes()).at(temp)?;
                places.push([u64::from(page), end, text.len() as u64])?;
                end += text.len() as u64;
            }
            Ok(())
        })?;
        let file = file.into_inner().map_err(|e| Error::io(temp, e.into_error()))?;
        Ok(Texts { file, places: Mapped::of(temp, places.finish()?)?, folder: temp.to_path_buf() })
    }
}

/// Texts by page.
pub struct Texts {
    file: File,
    /// Page, where its text begins, its bytes; by page.
    places: Mapped<[u64; 3]>,
    folder: PathBuf,
}

impl Texts {
    /// The text of a page that was wanted.
    ///
    /// # Errors
    /// Where the temporary file cannot be read.
    pub fn get(&self, page: u32) -> Result<String> {
        let missing = || Error::Internal(format!("page {page} is in a pair and has no text"));
        let at = self.places.binary_search_by_key(&u64::from(page), |place| place[0]);
        let [_, start, bytes] = self.places[at.map_err(|_| missing())?];
        let mut text = vec![0; bytes as usize];
        self.file.read_exact_at(&mut text, start).at(&self.folder)?;
        String::from_utf8(text).map_err(|_| missing())
    }
}
