//! Tables whose columns are known only when the program runs.
//!
//! **What.** A [`TableSchema`] says of each column what [`table!`](crate::table) says in code; [`DynamicWriter`]
//! checks each row against it and writes the same files as [`PartWriter`](crate::PartWriter).
//!
//! **Cost.** One copy of each value more than a row type needs. Memory: the rows of one row group.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use webmill_capture::error::{Error, Result};

use crate::cell::{ArrayBox, Cell, Millis, optional_binary_array};
use crate::gathered::AT_ONCE;
use crate::write::{DeclaredColumn, GroupWriter};
use crate::{ColumnType, Footer, TableSchema};

/// A value of a row of a [`TableSchema`]. Numbers go into any column of their kind that can hold them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// No value.
    Null,
    /// For columns of type `Bool`.
    Bool(bool),
    /// For all columns of integers.
    Int(i64),
    /// For columns of floating point numbers.
    Float(f64),
    /// For columns of type `String`.
    Text(String),
    /// For columns of type `Binary`.
    Bytes(Vec<u8>),
    /// For columns of type `Timestamp`: milliseconds since 1970, UTC.
    Millis(i64),
    /// For lists of texts.
    Texts(Vec<String>),
    /// For lists of floating point numbers.
    Floats(Vec<f32>),
    /// For all lists of integers.
    Ints(Vec<i64>),
}

impl Value {
    fn integer<T: TryFrom<i64>>(&self) -> Option<T> {
        if let Value::Int(n) = self { T::try_from(*n).ok() } else { None }
    }

    fn number(&self) -> Option<f64> {
        if let Value::Float(n) = self { Some(*n) } else { None }
    }

    fn integers(&self) -> &[i64] {
        if let Value::Ints(list) = self { list } else { &[] }
    }

    /// Whether a column of type `kind` can hold it.
    fn fits(&self, kind: ColumnType) -> bool {
        match kind {
            ColumnType::Bool => matches!(self, Value::Bool(_)),
            ColumnType::UInt8 => self.integer::<u8>().is_some(),
            ColumnType::Int16 => self.integer::<i16>().is_some(),
            ColumnType::Int32 => self.integer::<i32>().is_some(),
            ColumnType::UInt32 => self.integer::<u32>().is_some(),
            ColumnType::Int64 => self.integer::<i64>().is_some(),
            ColumnType::Float32 | ColumnType::Float64 => self.number().is_some(),
            ColumnType::String => matches!(self, Value::Text(_)),
            ColumnType::Binary => matches!(self, Value::Bytes(_)),
            ColumnType::Timestamp => matches!(self, Value::Millis(_)),
            ColumnType::StringList => matches!(self, Value::Texts(_)),
            ColumnType::Float32List => matches!(self, Value::Floats(_)),
            ColumnType::UInt32List => {
                matches!(self, Value::Ints(list) if list.iter().all(|&n| u32::try_from(n).is_ok()))
            }
            ColumnType::Int64List => matches!(self, Value::Ints(_)),
        }
    }
}

impl TableSchema {
    /// Refuses columns that no file can have.
    ///
    /// # Errors
    /// [`Error::Config`] where there is no column, two of one name, one without a name, or a nullable list.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::Config(format!("table {}: {what}", self.name)));
        if self.columns.is_empty() {
            return wrong("no columns".into());
        }
        let mut names = BTreeSet::new();
        for column in &self.columns {
            if column.name.is_empty() || !names.insert(&column.name) {
                return wrong(format!("the column name {:?} is empty or there twice", column.name));
            }
            if column.nullable && column.kind.is_list() {
                return wrong(format!("column {}: a list cannot be null, only empty", column.name));
            }
        }
        match self.sorted_by.iter().find(|name| !names.contains(name)) {
            Some(name) => wrong(format!("sorted by {name:?}, which is no column")),
            None => Ok(()),
        }
    }

    /// Refuses a row that does not fit the columns.
    ///
    /// # Errors
    /// [`Error::Config`] that names table, column, type and value.
    pub fn check_row(&self, row: &[Value]) -> Result<()> {
        let (name, columns) = (&self.name, &self.columns);
        if row.len() != columns.len() {
            let (found, wanted) = (row.len(), columns.len());
            return Err(Error::Config(format!("table {name}: {found} values for {wanted} columns")));
        }
        for (value, column) in row.iter().zip(columns) {
            let fits = if *value == Value::Null { column.nullable } else { value.fits(column.kind) };
            if !fits {
                let shown: String = format!("{value:?}").chars().take(60).collect();
                let (column, kind) = (&column.name, column.kind);
                return Err(Error::Config(format!(
                    "table {name}: {shown} does not fit column {column} ({kind})"
                )));
            }
        }
        Ok(())
    }
}

/// Streams rows of a [`TableSchema`] into one Parquet file, a row group at a time.
pub struct DynamicWriter {
    table: TableSchema,
    groups: GroupWriter,
    pending: Vec<Vec<Value>>,
}

impl DynamicWriter {
    /// Creates the file at `path`.
    ///
    /// # Errors
    /// [`Error::Config`] where no file can have these columns; [`Error::Io`] where the file cannot be created.
    pub fn create(path: &Path, table: &TableSchema, footer: &Footer) -> Result<Self> {
        table.check()?;
        let columns: Vec<_> = table
            .columns
            .iter()
            .map(|c| DeclaredColumn { name: &c.name, kind: c.kind, nullable: c.nullable })
            .collect();
        let sorted_by: Vec<&str> = table.sorted_by.iter().map(String::as_str).collect();
        let groups = GroupWriter::create(path, &table.name, &columns, &sorted_by, footer)?;
        Ok(DynamicWriter { table: table.clone(), groups, pending: Vec::new() })
    }

    /// The same, with the whole schema in the footer: for tables that no program knows beforehand. [`FileFacts`](crate::FileFacts)
    /// has it.
    ///
    /// # Errors
    /// [`Error::Internal`] where the schema is no JSON.
    pub fn described(mut self) -> Result<Self> {
        let schema = serde_json::to_string(&self.table).map_err(|e| Error::Internal(e.to_string()))?;
        self.groups.schema = Some(schema);
        Ok(self)
    }

    /// Adds one row; writes a row group when enough have come together.
    ///
    /// # Errors
    /// [`Error::Config`] where the row does not fit the columns; [`Error::Io`] where the disk refuses.
    pub fn push(&mut self, row: Vec<Value>) -> Result<()> {
        self.table.check_row(&row)?;
        self.pending.push(row);
        if self.pending.len() >= AT_ONCE { self.gather() } else { Ok(()) }
    }

    fn gather(&mut self) -> Result<()> {
        let columns: Vec<ArrayBox> =
            self.table.columns.iter().enumerate().map(|(i, c)| array(&self.pending, i, c.kind)).collect();
        self.groups.gather(self.pending.len(), &columns)?;
        self.pending.clear();
        Ok(())
    }

    /// Writes pending rows and the footer; returns the number of rows.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn finish(mut self) -> Result<u64> {
        self.gather()?;
        self.groups.finish()
    }
}

/// Column `at` of rows that were checked to fit it.
fn array(rows: &[Vec<Value>], at: usize, kind: ColumnType) -> ArrayBox {
    fn cells<C: Cell>(rows: &[Vec<Value>], at: usize, cell: impl Fn(&Value) -> C) -> ArrayBox {
        let cells: Vec<C> = rows.iter().map(|row| cell(&row[at])).collect();
        C::array(cells.iter())
    }
    match kind {
        ColumnType::Bool => cells(rows, at, |v| if let Value::Bool(b) = v { Some(*b) } else { None }),
        ColumnType::UInt8 => cells(rows, at, Value::integer::<u8>),
        ColumnType::Int16 => cells(rows, at, Value::integer::<i16>),
        ColumnType::Int32 => cells(rows, at, Value::integer::<i32>),
        ColumnType::UInt32 => cells(rows, at, Value::integer::<u32>),
        ColumnType::Int64 => cells(rows, at, Value::integer::<i64>),
        ColumnType::Float32 => cells(rows, at, |v| v.number().map(|n| n as f32)),
        ColumnType::Float64 => cells(rows, at, Value::number),
        ColumnType::String => {
            cells(rows, at, |v| if let Value::Text(t) = v { Some(t.clone()) } else { None })
        }
        ColumnType::Binary => optional_binary_array(
            rows.iter().map(|row| if let Value::Bytes(b) = &row[at] { Some(b.as_slice()) } else { None }),
        ),
        ColumnType::Timestamp => {
            cells(rows, at, |v| Millis(if let Value::Millis(ms) = v { Some(*ms) } else { None }))
        }
        ColumnType::StringList => {
            cells(rows, at, |v| if let Value::Texts(list) = v { list.clone() } else { Vec::new() })
        }
        ColumnType::Float32List => {
            cells(rows, at, |v| if let Value::Floats(list) = v { list.clone() } else { Vec::new() })
        }
        ColumnType::UInt32List => {
            cells(rows, at, |v| v.integers().iter().map(|&n| n as u32).collect::<Vec<u32>>())
        }
        ColumnType::Int64List => cells(rows, at, |v| v.integers().to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColumnSchema, TableInWords, read_rows, table};

    table! {
        /// The same columns as the dynamic table of the tests.
        FixedRow = "fixed" sorted by [name] {
            name: String = "text", "a";
            count: Option<u32> = "number", "1";
            share: f64 = "number", "1";
            time: Millis = "time", "2003-04-15T08:13:06Z";
            words: Vec<String> = "texts", "['a']";
            places: Vec<u32> = "numbers", "[1]";
        }
    }

    fn dynamic() -> TableSchema {
        crate::schema::<FixedRow>()
    }

    fn row(count: Value) -> Vec<Value> {
        let words = Value::Texts(vec!["a".into(), "好".into()]);
        vec![
            Value::Text("n".into()),
            count,
            Value::Float(0.5),
            Value::Millis(7),
            words,
            Value::Ints(vec![3, 4]),
        ]
    }

    #[test]
    fn a_dynamic_table_is_byte_for_byte_the_table_of_a_row_type() {
        let folder = tempfile::tempdir().unwrap();
        let (path, fixed) = (folder.path().join("dynamic.parquet"), folder.path().join("fixed.parquet"));
        let footer = Footer { job_key: "k".into() };
        let mut writer = DynamicWriter::create(&path, &dynamic(), &footer).unwrap();
        writer.push(row(Value::Int(9))).unwrap();
        writer.push(row(Value::Null)).unwrap();
        assert_eq!(writer.finish().unwrap(), 2);
        let rows = read_rows::<FixedRow>(&path).unwrap();
        assert_eq!((rows[0].count, rows[1].count, &rows[0].places), (Some(9), None, &vec![3, 4]));
        crate::write_part(&fixed, &rows, &footer).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&fixed).unwrap());
        let mut reader = crate::DynamicReader::open(&path, &dynamic()).unwrap();
        assert_eq!(reader.next().unwrap().unwrap(), [row(Value::Int(9)), row(Value::Null)]);
        assert_eq!(reader.next().unwrap(), None);
    }

    #[test]
    fn a_table_explains_itself_where_it_is_asked_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let writer = DynamicWriter::create(&path, &dynamic(), &Footer { job_key: "k".into() }).unwrap();
        writer.described().unwrap().finish().unwrap();
        assert_eq!(crate::FileFacts::read(&path).unwrap().schema, Some(dynamic()));
        for kind in ColumnType::ALL {
            assert_eq!(ColumnType::of_words(&kind.to_string()), Some(kind));
        }
        assert_eq!(ColumnType::of_words("List(Bool)"), None);
    }

    #[test]
    fn rows_and_tables_that_cannot_be_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let footer = Footer { job_key: "k".into() };
        let mut writer = DynamicWriter::create(&path, &dynamic(), &footer).unwrap();
        let error = writer.push(row(Value::Int(-1))).unwrap_err().to_string();
        assert_eq!(error, "table fixed: Int(-1) does not fit column count (UInt32)");
        assert!(writer.push(row(Value::Text("1".into()))).is_err());
        assert!(writer.push(vec![Value::Null]).is_err());
        let mut without_name = row(Value::Null);
        without_name[0] = Value::Null;
        assert!(writer.push(without_name).is_err());
        let mut twice = dynamic();
        twice.columns.push(twice.columns[0].clone());
        assert!(DynamicWriter::create(&path, &twice, &footer).is_err());
        let mut nullable_list = dynamic();
        nullable_list.columns[4].nullable = true;
        assert!(DynamicWriter::create(&path, &nullable_list, &footer).is_err());
        let by_nothing = TableSchema { sorted_by: vec!["nothing".into()], ..dynamic() };
        let refused = DynamicWriter::create(&path, &by_nothing, &footer).err().unwrap().to_string();
        assert_eq!(refused, "table fixed: sorted by \"nothing\", which is no column");
    }

    #[test]
    fn bytes_of_any_length_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let column = |name, kind| ColumnSchema::new(name, kind, "a column", "x").nullable();
        let columns = vec![column("body", ColumnType::Binary), column("flag", ColumnType::Bool)];
        let table = TableSchema { name: "t".into(), columns, ..TableSchema::default() };
        let mut writer = DynamicWriter::create(&path, &table, &Footer { job_key: String::new() }).unwrap();
        writer.push(vec![Value::Bytes(b"ab\xff".to_vec()), Value::Null]).unwrap();
        writer.push(vec![Value::Null, Value::Bool(true)]).unwrap();
        writer.finish().unwrap();
        let table = TableInWords::read(&path).unwrap();
        assert_eq!(table.columns, ["body", "flag"]);
        assert_eq!(table.rows, [["6162ff", "null"], ["null", "true"]]);
    }
}
