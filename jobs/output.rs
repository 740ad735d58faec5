//! Files of tables that a unit of work writes and declares.

pub use webmill_table::verify as verify_table;

use std::path::{Path, PathBuf};

use webmill_capture::Result;
use webmill_run::Unit;
use webmill_table::{Footer, PartWriter, ROW_GROUP_ROWS, Table, schema};

/// The file of a table that is written in one piece.
pub fn first_part<T: Table>() -> String {
    format!("{}/part-000000.parquet", T::NAME)
}

/// The contents of the footers of a job's files.
pub fn footer(unit: &Unit<'_>) -> Footer {
    Footer { job_key: unit.stage().key().to_string() }
}

/// The file of a table of `extract` that has the rows of the captures of a file of `pages`: the last one whose name is not
/// behind that one's.
pub fn covering<'f>(files: &'f [PathBuf], of_pages: &Path) -> Option<&'f PathBuf> {
    let name = of_pages.file_name();
    files.partition_point(|file| file.file_name() <= name).checked_sub(1).and_then(|at| files.get(at))
}

/// Most row groups that a file holds until all threads encode them, and for how much memory of a job each.
const GROUPS: u64 = 4;
const MEMORY_A_GROUP: u64 = 256 << 20;

/// A file of a table, row by row.
pub struct TableFile<T: Table> {
    relative: String,
    writer: PartWriter<T>,
}

impl<T: Table> TableFile<T> {
    /// Creates the file at this path of the job's folder, for a writer that holds nothing that threads may wait for.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(unit: &Unit<'_>, relative: String) -> Result<Self> {
        let groups = (unit.stage().memory / MEMORY_A_GROUP).clamp(1, GROUPS);
        let TableFile { relative, writer } = TableFile::among_others(unit, relative)?;
        Ok(TableFile { relative, writer: writer.by_threads(groups as usize) })
    }

    /// The same, for one of as many writers as there are threads.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn among_others(unit: &Unit<'_>, relative: String) -> Result<Self> {
        let writer = PartWriter::create(&unit.create(&relative)?, &footer(unit))?;
        Ok(TableFile { relative, writer })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, row: T) -> Result<()> {
        self.writer.push(row)
    }

    /// Completes the file and declares it; returns its rows.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self, unit: &mut Unit<'_>) -> Result<u64> {
        let rows = self.writer.finish()?;
        unit.wrote(&self.relative, T::NAME, schema::<T>().columns_in_words(), rows);
        Ok(rows)
    }
}

/// Writes and declares a whole file of a table.
///
/// # Errors
/// Where the disk refuses.
pub fn write_rows<T: Table>(
    unit: &mut Unit<'_>,
    relative: String,
    rows: impl IntoIterator<Item = T>,
) -> Result<u64> {
    let mut file = TableFile::create(unit, relative)?;
    rows.into_iter().try_for_each(|row| file.push(row))?;
    file.finish(unit)
}

/// Writes a file that later units of the job read and nobody after it.
///
/// # Errors
/// Where the disk refuses.
pub fn write_rows_aside<T: Table>(unit: &mut Unit<'_>, relative: String, rows: &[T]) -> Result<()> {
    let mut writer = PartWriter::<T>::create_aside(&unit.create(&relative)?, &footer(unit))?;
    rows.chunks(ROW_GROUP_ROWS).try_for_each(|rows| writer.write_group(rows))?;
    let rows = writer.finish()?;
    unit.scratch(&relative, rows);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tables_belong_to_files_of_pages() {
        let files = |names: &[&str]| names.iter().map(|name| Path::new("t").join(name)).collect::<Vec<_>>();
        let (pages, texts) = (files(&["p-0", "p-1", "p-2", "p-3"]), files(&["p-0", "p-2"]));
        let of = |page: &str| covering(&texts, Path::new(page)).and_then(|text| text.file_name());
        assert_eq!(
            ["x/p-0", "x/p-1", "x/p-2", "x/p-3"].map(of),
            ["p-0", "p-0", "p-2", "p-2"].map(|n| Some(n.as_ref()))
        );
        assert_eq!(covering(&[], &pages[0]), None);
    }
}
