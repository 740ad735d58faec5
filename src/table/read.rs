//! The files of a table, and tables whose columns are known only when they are read.

use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};

use crate::dynamic_read::values;
use crate::file::ParquetFile;
use crate::{ColumnType, Value};

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

/// A table whose columns are known only when it is read, in words: for looking at it and for comparing two of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableInWords {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The cells of each row: numbers and texts as they are, bytes in hexadecimal digits, times in milliseconds, lists
    /// in brackets, `null`.
    pub rows: Vec<Vec<String>>,
}

impl TableInWords {
    /// Reads all rows of the table in folder `dir`, or of the single file `dir`, in the order of its parts.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where a file is damaged; [`Error::Incompatible`] where its parts have other
    /// columns than each other, or of types that tables do not have.
    pub fn read(dir: &Path) -> Result<Self> {
        let mut table = TableInWords::default();
        for (number, path) in table_files(dir)?.iter().enumerate() {
            let mut file = ParquetFile::open_whole(path)?;
            let columns = file.columns();
            if number > 0 && columns != table.columns {
                return Err(Error::Incompatible {
                    path: path.clone(),
                    found: format!("columns {}", columns.join(", ")),
                    expected: table.columns.join(", "),
                });
            }
            table.columns = columns;
            while let Some(group) = file.next_group()? {
                let mut columns = Vec::with_capacity(table.columns.len());
                for at in 0..table.columns.len() {
                    let kind = group.kind(at)?;
                    columns.push(values(&group, at)?.into_iter().map(move |value| words_of(value, kind)));
                }
                table.rows.extend(
                    (0..group.len()).map(|_| columns.iter_mut().filter_map(Iterator::next).collect()),
                );
            }
        }
        Ok(table)
    }

    /// The cells of one column; nothing where there is no such column.
    pub fn column(&self, name: &str) -> impl Iterator<Item = &str> {
        let at = self.columns.iter().position(|column| column == name);
        self.rows.iter().filter_map(move |row| Some(row[at?].as_str()))
    }
}

/// A value in words.
fn words_of(value: Value, kind: ColumnType) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) | Value::Millis(number) => number.to_string(),
        Value::Float(number) if kind == ColumnType::Float32 => format!("{:?}", number as f32),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => text,
        Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Value::Texts(list) => format!("{list:?}"),
        Value::Floats(list) => format!("{list:?}"),
        Value::Ints(list) => format!("{list:?}"),
    }
}
