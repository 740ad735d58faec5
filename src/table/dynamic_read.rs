//! Reading back what [`DynamicWriter`](crate::DynamicWriter) wrote.

use std::path::{Path, PathBuf};

use polars_arrow::array::BinaryViewArray;
use webmill_capture::error::{Error, Result};

use crate::columns::Files;
use crate::file::{Group, WantedColumn};
use crate::read::table_files;
use crate::{Cell, ColumnSchema, ColumnType, GroupFacts, Millis, TableSchema, Value};

/// Reads the rows of a [`TableSchema`], row group by row group. A value comes back as the [`Value`] of its column's kind:
/// integers as [`Value::Int`] where that can hold them.
pub struct DynamicReader {
    files: Files,
}

impl DynamicReader {
    /// Opens a table with these columns: a folder of parts, or a file.
    ///
    /// # Errors
    /// [`Error::Io`] where there is none.
    pub fn open(path: &Path, table: &TableSchema) -> Result<Self> {
        let wanted =
            table.columns.iter().map(|c| WantedColumn { name: c.name.clone(), kind: c.kind }).collect();
        Ok(DynamicReader { files: Files::new(table_files(path)?, wanted) })
    }

    /// The rows of the next row group.
    ///
    /// # Errors
    /// As of [`Reader::next`](crate::Reader::next).
    #[allow(clippy::should_implement_trait, reason = "its errors are not items, as Reader's are not")]
    pub fn next(&mut self) -> Result<Option<Vec<Vec<Value>>>> {
        let Some(group) = self.files.next_group()? else { return Ok(None) };
        let mut columns = Vec::with_capacity(group.columns.len());
        for at in 0..group.columns.len() {
            columns.push(values(&group, at)?.into_iter());
        }
        let row = |_| columns.iter_mut().filter_map(Iterator::next).collect();
        Ok(Some((0..group.len()).map(row).collect()))
    }
}

/// Reads columns of numbers that are known only when the program runs, row group by row group.
pub struct NumberReader {
    files: Files,
}

impl NumberReader {
    /// A reader of these columns, of integers or floating point numbers, over files in their order.
    pub fn over(files: Vec<PathBuf>, columns: &[ColumnSchema]) -> Self {
        let wanted = columns.iter().map(|c| WantedColumn { name: c.name.clone(), kind: c.kind }).collect();
        NumberReader { files: Files::new(files, wanted) }
    }

    /// As [`Reader::only`](crate::Reader::only).
    #[must_use]
    pub fn only(mut self, choice: impl Fn(&GroupFacts<'_>) -> bool + Send + 'static) -> Self {
        self.files.choice = Some(Box::new(choice));
        self
    }

    /// For each column the numbers of the next row group; `NaN` for null.
    ///
    /// # Errors
    /// As of [`Reader::next`](crate::Reader::next).
    #[allow(clippy::should_implement_trait, reason = "its errors are not items, as Reader's are not")]
    pub fn next(&mut self) -> Result<Option<Vec<Vec<f64>>>> {
        let Some(group) = self.files.next_group()? else { return Ok(None) };
        let number = |value: Value| match value {
            Value::Int(n) => n as f64,
            Value::Float(n) => n,
            _ => f64::NAN,
        };
        let column = |at| Ok(values(&group, at)?.into_iter().map(number).collect());
        (0..group.columns.len()).map(column).collect::<Result<_>>().map(Some)
    }
}

/// The values of a column of a row group.
pub(crate) fn values(group: &Group, at: usize) -> Result<Vec<Value>> {
    fn each<C: Cell>(group: &Group, at: usize, value: impl Fn(C) -> Value) -> Result<Vec<Value>>
    where
        Option<C>: Cell,
    {
        lists::<Option<C>>(group, at, |cell| cell.map_or(Value::Null, &value))
    }
    fn lists<C: Cell>(group: &Group, at: usize, value: impl Fn(C) -> Value) -> Result<Vec<Value>> {
        let column = group.column::<C>(at)?;
        (0..group.len()).map(|row| Ok(value(group.own::<C>("", &column, row)?))).collect()
    }
    match group.kind(at)? {
        ColumnType::Bool => each::<bool>(group, at, Value::Bool),
        ColumnType::UInt8 => each::<u8>(group, at, |n| Value::Int(n.into())),
        ColumnType::Int16 => each::<i16>(group, at, |n| Value::Int(n.into())),
        ColumnType::Int32 => each::<i32>(group, at, |n| Value::Int(n.into())),
        ColumnType::UInt32 => each::<u32>(group, at, |n| Value::Int(n.into())),
        ColumnType::Int64 => each::<i64>(group, at, Value::Int),
        ColumnType::Float32 => each::<f32>(group, at, |n| Value::Float(n.into())),
        ColumnType::Float64 => each::<f64>(group, at, Value::Float),
        ColumnType::String => each::<String>(group, at, Value::Text),
        ColumnType::Binary => {
            let array = group.columns[at].1.as_any().downcast_ref::<BinaryViewArray>();
            let array =
                array.ok_or_else(|| Error::Internal("a column of bytes is not held as such".into()))?;
            let value = |bytes: Option<&[u8]>| bytes.map_or(Value::Null, |b| Value::Bytes(b.to_vec()));
            Ok(array.iter().map(value).collect())
        }
        ColumnType::Timestamp => lists::<Millis>(group, at, |time| time.0.map_or(Value::Null, Value::Millis)),
        ColumnType::StringList => lists::<Vec<String>>(group, at, Value::Texts),
        ColumnType::Float32List => lists::<Vec<f32>>(group, at, Value::Floats),
        ColumnType::UInt32List => {
            lists::<Vec<u32>>(group, at, |list| Value::Ints(list.into_iter().map(i64::from).collect()))
        }
        ColumnType::Int64List => lists::<Vec<i64>>(group, at, Value::Ints),
    }
}
