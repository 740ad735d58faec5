//! Reading columns by name, row group by row group.

use std::path::{Path, PathBuf};

use polars::prelude::*;

use webmill_capture::error::{AtPath, Error, Result};

use crate::columns::Files;
use crate::file::Wanted;

/// The `part-*.parquet` files of the table folder `dir`, in name order.
///
/// # Errors
/// [`Error::Io`] where the folder cannot be listed.
pub fn part_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).at(dir)? {
        let path = entry.at(dir)?.path();
        if path.extension().is_some_and(|e| e == "parquet") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The files of the table in folder `dir`, or the single file `dir`.
pub(crate) fn table_files(dir: &Path) -> Result<Vec<PathBuf>> {
    if dir.is_dir() { part_files(dir) } else { Ok(vec![dir.to_path_buf()]) }
}

/// Reads the named columns of one Parquet file or of every part of a table folder, one row group at a time.
///
/// Memory: the decoded columns of one row group. Where the row type is known, [`Reader`](crate::Reader) is the better
/// choice: its columns have names and types that the compiler checks.
pub struct TableReader {
    files: Files,
}

/// The columns of one row group.
pub struct Batch {
    frame: DataFrame,
    path: PathBuf,
}

impl TableReader {
    /// A reader over the table in folder `dir` (or the single file `dir`), for `columns` only.
    ///
    /// # Errors
    /// [`Error::Io`] where the folder cannot be listed.
    pub fn open(dir: &Path, columns: &[&str]) -> Result<Self> {
        Ok(Self::over(table_files(dir)?, columns))
    }

    /// A reader over given files in the given order.
    pub fn over(files: Vec<PathBuf>, columns: &[&str]) -> Self {
        let wanted = columns.iter().map(|c| Wanted { name: (*c).to_owned(), kind: None }).collect();
        TableReader { files: Files::new(files, wanted) }
    }

    /// The next row group, or `None` after the last.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Corrupt`] where a file is not the Parquet it should be.
    #[allow(clippy::should_implement_trait, reason = "errors come first: this is no Iterator of items")]
    pub fn next(&mut self) -> Result<Option<Batch>> {
        let Some(group) = self.files.next_group()? else { return Ok(None) };
        let columns = group
            .columns
            .into_iter()
            .map(|(field, array)| Ok(Series::try_from((&field, vec![array]))?.into_column()))
            .collect::<PolarsResult<Vec<_>>>();
        let frame = columns
            .and_then(|columns| DataFrame::new(group.rows, columns))
            .map_err(|e| corrupt(&group.path, e))?;
        Ok(Some(Batch { frame, path: group.path }))
    }
}

fn corrupt(path: &Path, error: PolarsError) -> Error {
    Error::corrupt(path, 0, format!("not a readable Parquet table: {error}"))
}

macro_rules! typed {
    ($($(#[$doc:meta])* $name:ident -> $chunked:ty, $accessor:ident;)+) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// [`Error::Corrupt`] where the column is missing or of another type.
        pub fn $name(&self, name: &str) -> Result<&$chunked> {
            self.column(name)?.$accessor().map_err(|e| corrupt(&self.path, e))
        }
    )+};
}

impl Batch {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.frame.height()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn column(&self, name: &str) -> Result<&Column> {
        self.frame.column(name).map_err(|e| corrupt(&self.path, e))
    }

    typed! {
        /// A text column.
        str -> StringChunked, str;
        /// A boolean column.
        bool -> BooleanChunked, bool;
        /// A 16-bit signed column.
        i16 -> Int16Chunked, i16;
        /// An 8-bit unsigned column.
        u8 -> UInt8Chunked, u8;
        /// A 32-bit unsigned column.
        u32 -> UInt32Chunked, u32;
        /// A 64-bit unsigned column.
        u64 -> UInt64Chunked, u64;
        /// A 64-bit signed column.
        i64 -> Int64Chunked, i64;
        /// A double precision column.
        f64 -> Float64Chunked, f64;
        /// A column of raw bytes.
        binary -> BinaryChunked, binary;
    }

    /// A column of lists of texts; a missing list is empty.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the column is missing or of another type.
    pub fn lists(&self, name: &str) -> Result<Vec<Vec<String>>> {
        let lists = self.column(name)?.list().map_err(|e| corrupt(&self.path, e))?;
        let texts = |list: Series| {
            Ok(list.str().map_err(|e| corrupt(&self.path, e))?.iter().flatten().map(str::to_owned).collect())
        };
        (0..lists.len()).map(|i| lists.get_as_series(i).map_or_else(|| Ok(Vec::new()), texts)).collect()
    }

    /// A timestamp column as milliseconds since 1970.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the column is missing or of another type.
    pub fn millis(&self, name: &str) -> Result<Int64Chunked> {
        let column = self.column(name)?.to_physical_repr();
        column.i64().cloned().map_err(|e| corrupt(&self.path, e))
    }

    /// A column of 16-byte keys.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the column is missing, of another type, or holds a value of another length.
    pub fn keys(&self, name: &str) -> Result<Vec<Option<u128>>> {
        self.binary(name)?
            .iter()
            .map(|value| match value {
                None => Ok(None),
                Some(bytes) => match <[u8; 16]>::try_from(bytes) {
                    Ok(bytes) => Ok(Some(u128::from_be_bytes(bytes))),
                    Err(_) => Err(Error::corrupt(
                        &self.path,
                        0,
                        format!("column {name}: a key of {} bytes", bytes.len()),
                    )),
                },
            })
            .collect()
    }
}
