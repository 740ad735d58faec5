//! The files of a table, and tables whose columns are known only when they are read.

use std::path::{Path, PathBuf};

use polars_arrow::array::BinaryViewArray;
use webmill_capture::error::{AtPath, Error, Result};

use crate::file::{Group, ParquetFile};
use crate::{Cell, ColumnType, Millis};

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
                    columns.push(words_of(&group, at)?.into_iter());
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

/// The cells of a column of a row group in words.
fn words_of(group: &Group, at: usize) -> Result<Vec<String>> {
    fn each<C: Cell>(group: &Group, at: usize, show: impl Fn(Option<C>) -> String) -> Result<Vec<String>>
    where
        Option<C>: Cell,
    {
        let column = group.column::<Option<C>>(at)?;
        (0..group.len()).map(|row| Ok(show(group.own::<Option<C>>("", &column, row)?))).collect()
    }
    fn number<T: std::fmt::Debug>(value: Option<T>) -> String {
        value.map_or_else(|| "null".to_owned(), |value| format!("{value:?}"))
    }
    fn lists<C: Cell>(group: &Group, at: usize, show: impl Fn(C) -> String) -> Result<Vec<String>> {
        let column = group.column::<C>(at)?;
        (0..group.len()).map(|row| Ok(show(group.own::<C>("", &column, row)?))).collect()
    }
    match group.kind(at)? {
        ColumnType::Bool => each::<bool>(group, at, number),
        ColumnType::UInt8 => each::<u8>(group, at, number),
        ColumnType::Int16 => each::<i16>(group, at, number),
        ColumnType::Int32 => each::<i32>(group, at, number),
        ColumnType::UInt32 => each::<u32>(group, at, number),
        ColumnType::Int64 => each::<i64>(group, at, number),
        ColumnType::Float32 => each::<f32>(group, at, number),
        ColumnType::Float64 => each::<f64>(group, at, number),
        ColumnType::String => each::<String>(group, at, |text| text.unwrap_or_else(|| "null".into())),
        ColumnType::Binary => {
            let array = group.columns[at].1.as_any().downcast_ref::<BinaryViewArray>();
            let array =
                array.ok_or_else(|| Error::Internal("a column of bytes is not held as such".into()))?;
            let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(array.iter().map(|bytes| bytes.map_or_else(|| "null".to_owned(), digits)).collect())
        }
        ColumnType::Timestamp => lists::<Millis>(group, at, |time| number(time.0)),
        ColumnType::StringList => lists::<Vec<String>>(group, at, |list| format!("{list:?}")),
        ColumnType::Float32List => lists::<Vec<f32>>(group, at, |list| format!("{list:?}")),
        ColumnType::UInt32List => lists::<Vec<u32>>(group, at, |list| format!("{list:?}")),
        ColumnType::Int64List => lists::<Vec<i64>>(group, at, |list| format!("{list:?}")),
    }
}
