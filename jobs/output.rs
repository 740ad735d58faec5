//! Files of tables that a unit of work writes and declares.

use webmill_capture::Result;
use webmill_run::Unit;
use webmill_table::{Footer, PartWriter, Table, schema};

/// The file of a table that is written in one piece.
pub fn first_part<T: Table>() -> String {
    format!("{}/part-000000.parquet", T::NAME)
}

/// What is in the footers of a job's files.
pub fn footer(unit: &Unit<'_>) -> Footer {
    Footer { job_key: unit.stage().key().to_string() }
}

/// A file of a table, row by row.
pub struct TableFile<T: Table> {
    relative: String,
    writer: PartWriter<T>,
}

impl<T: Table> TableFile<T> {
    /// Creates the file at this path of the job's folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(unit: &Unit<'_>, relative: String) -> Result<Self> {
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
