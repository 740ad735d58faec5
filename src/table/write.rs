//! Writing a part of a table.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use polars::io::parquet::write::{BatchedWriter, KeyValueMetadata};
use polars::prelude::*;

use crate::Table;
use webmill_capture::error::{AtPath, Error, Result};

/// Rows a row group: small enough that a reader of one group needs little memory, large enough to compress well.
pub const ROW_GROUP_ROWS: usize = 32_768;

/// What stands in the file's footer beside the schema: the table, and the key of the job that wrote it.
#[derive(Debug, Clone)]
pub struct Footer {
    /// Key of the job (hex), by which a table is traced to its configuration and inputs.
    pub job_key: String,
}

fn metadata(table: &str, footer: &Footer) -> KeyValueMetadata {
    KeyValueMetadata::from_static(vec![
        ("webmill.table".into(), table.into()),
        ("webmill.version".into(), env!("CARGO_PKG_VERSION").into()),
        ("webmill.key".into(), footer.job_key.clone()),
    ])
}

fn frame<T: Table>(rows: &[T]) -> Result<DataFrame> {
    DataFrame::new(rows.len(), T::columns(rows))
        .map_err(|e| Error::Internal(format!("table {}: {e}", T::NAME)))
}

/// Streams rows of one table into one Parquet file, a row group at a time.
pub struct PartWriter<T: Table> {
    path: PathBuf,
    writer: BatchedWriter<BufWriter<File>>,
    pending: Vec<T>,
    rows: u64,
}

impl<T: Table> PartWriter<T> {
    /// Creates the file at `path`, which must not exist under its final name: jobs stage first, rename later.
    ///
    /// # Errors
    /// [`Error::Io`] where the file cannot be created.
    pub fn create(path: &Path, footer: &Footer) -> Result<Self> {
        let file = File::create(path).at(path)?;
        let empty = frame::<T>(&[])?;
        let writer = ParquetWriter::new(BufWriter::with_capacity(1 << 18, file))
            .with_compression(ParquetCompression::Zstd(None))
            .with_statistics(StatisticsOptions::full())
            .set_parallel(false)
            .with_key_value_metadata(Some(metadata(T::NAME, footer)))
            .batched(empty.schema())
            .map_err(|e| parquet_error(path, e))?;
        Ok(PartWriter { path: path.to_path_buf(), writer, pending: Vec::new(), rows: 0 })
    }

    /// Adds one row; writes a row group when enough have come together.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn push(&mut self, row: T) -> Result<()> {
        self.pending.push(row);
        if self.pending.len() >= ROW_GROUP_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        self.write_group(&pending)?;
        self.pending = pending;
        self.pending.clear();
        Ok(())
    }

    fn write_group(&mut self, rows: &[T]) -> Result<()> {
        let df = frame(rows)?;
        self.writer.write_batch(&df).map_err(|e| parquet_error(&self.path, e))?;
        self.rows += rows.len() as u64;
        Ok(())
    }

    /// Writes what is pending and the footer; returns the number of rows.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn finish(mut self) -> Result<u64> {
        self.flush()?;
        self.writer.finish().map_err(|e| parquet_error(&self.path, e))?;
        Ok(self.rows)
    }
}

/// Writes all `rows` as one file at `path`; returns their number.
///
/// # Errors
/// [`Error::Io`] where the disk refuses.
pub fn write_part<T: Table>(path: &Path, rows: &[T], footer: &Footer) -> Result<u64> {
    let mut writer = PartWriter::<T>::create(path, footer)?;
    for group in rows.chunks(ROW_GROUP_ROWS) {
        writer.write_group(group)?;
    }
    writer.finish()
}

fn parquet_error(path: &Path, error: PolarsError) -> Error {
    match error {
        PolarsError::IO { error, .. } => {
            Error::io(path, std::io::Error::new(error.kind(), error.to_string()))
        }
        other => Error::io(path, std::io::Error::other(other.to_string())),
    }
}
