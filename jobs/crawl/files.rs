//! Files of the tables that a crawl leaves: each replaces the one before when it is whole.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use webmill_table::{Footer, PartWriter, Table};

/// Folder of these tables in the folder of a crawl.
pub const TABLES: &str = "tables";

/// The folder of a table.
pub fn folder<T: Table>(crawl: &Path) -> PathBuf {
    crawl.join(TABLES).join(T::NAME)
}

/// A file of a table that is being written.
pub struct TableFile<T: Table> {
    writer: PartWriter<T>,
    staged: PathBuf,
    path: PathBuf,
}

impl<T: Table> TableFile<T> {
    /// Begins part `number` of a table in the folder of a crawl.
    pub fn create(crawl: &Path, number: u32) -> Result<Self> {
        let folder = folder::<T>(crawl);
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let path = folder.join(format!("part-{number:06}.parquet"));
        let staged = folder.join(format!(".part-{number:06}.parquet.partial"));
        let writer = PartWriter::create(&staged, &Footer { job_key: String::new() })?;
        Ok(TableFile { writer, staged, path })
    }

    /// Adds a row.
    pub fn push(&mut self, row: T) -> webmill_capture::Result<()> {
        self.writer.push(row)
    }

    /// Completes the file and puts it in its place.
    pub fn finish(self) -> Result<()> {
        self.writer.finish()?;
        std::fs::rename(&self.staged, &self.path).with_context(|| self.path.display().to_string())
    }
}

/// Writes a table of few rows.
pub fn write<T: Table>(crawl: &Path, number: u32, rows: impl IntoIterator<Item = T>) -> Result<()> {
    let mut file = TableFile::create(crawl, number)?;
    rows.into_iter().try_for_each(|row| file.push(row))?;
    file.finish()
}
