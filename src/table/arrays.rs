//! Columns as Arrow arrays: for an engine that computes with these.
//!
//! **What.** [`ArrayReader`] gives the columns asked for, row group by row group, through the same reader as every other
//! reading of tables: bounded, and with damage as an error that names the file. [`write_arrays`] writes columns of any type.

use std::path::Path;

use polars_arrow::datatypes::{ArrowSchema, Field};
use webmill_capture::error::Result;

use crate::bounds::GroupFacts;
use crate::cell::ArrayBox;
use crate::file::ParquetFile;
use crate::write::{Footer, GroupWriter, ROW_GROUP_ROWS};

/// The rows of a row group, and its columns.
pub type ArrayGroup = (usize, Vec<(Field, ArrayBox)>);

/// Row groups of one file, as Arrow arrays.
pub struct ArrayReader {
    file: ParquetFile,
}

impl ArrayReader {
    /// Opens the file at `path` with all its columns.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`]; [`webmill_capture::Error::Corrupt`] where it is no Parquet file.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(ArrayReader { file: ParquetFile::open_whole(path)? })
    }

    /// The columns that are read.
    pub fn fields(&self) -> &[Field] {
        self.file.fields()
    }

    /// Reads these columns only, in this order.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Incompatible`] where the file lacks one.
    pub fn only<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        self.file.choose(names)?;
        Ok(self)
    }

    /// The next row group that `wanted` takes; `None` after the last.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`]; [`webmill_capture::Error::Corrupt`] where the bytes are damaged or a bound is exceeded.
    pub fn next(&mut self, wanted: &dyn Fn(&GroupFacts<'_>) -> bool) -> Result<Option<ArrayGroup>> {
        self.file.next = self.file.wanted_from(self.file.next, wanted);
        Ok(self.file.next_group()?.map(|group| (group.rows, group.columns)))
    }
}

/// Writes columns of equal length as one file at `path`.
///
/// # Errors
/// [`webmill_capture::Error::Io`] where the disk refuses; [`webmill_capture::Error::Internal`] for a type that Parquet has no form of.
pub fn write_arrays(path: &Path, columns: &[(Field, ArrayBox)]) -> Result<()> {
    let schema: ArrowSchema = columns.iter().map(|(field, _)| (field.name.clone(), field.clone())).collect();
    let footer = Footer { job_key: String::new() };
    let mut writer = GroupWriter::with_schema(path, "answer", schema, &footer)?;
    let rows = columns.first().map_or(0, |(_, array)| array.len());
    for start in (0..rows).step_by(ROW_GROUP_ROWS) {
        let length = ROW_GROUP_ROWS.min(rows - start);
        let group: Vec<ArrayBox> = columns.iter().map(|(_, array)| array.sliced(start, length)).collect();
        writer.write_group(length, group)?;
    }
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::AnyRow;
    use crate::{Table, write_part};

    #[test]
    fn arrays_are_read_by_name_and_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a.parquet"), folder.path().join("b.parquet"));
        let rows: Vec<AnyRow> =
            (0..ROW_GROUP_ROWS as i64 + 5).map(|i64| AnyRow { i64, ..AnyRow::default() }).collect();
        write_part(&first, &rows, &Footer { job_key: "k".into() }).unwrap();
        let whole = ArrayReader::open(&first).unwrap();
        let names: Vec<String> = whole.fields().iter().map(|field| field.name.to_string()).collect();
        assert_eq!(names, AnyRow::info().iter().map(|c| c.name.to_owned()).collect::<Vec<_>>());
        let mut two = whole.only(["i64", "text"]).unwrap();
        let (length, columns) = two.next(&|_| true).unwrap().unwrap();
        assert_eq!((length, columns.len(), columns[0].0.name.as_str()), (ROW_GROUP_ROWS, 2, "i64"));
        let mut last = ArrayReader::open(&first).unwrap();
        let (length, columns) = last.next(&|group| group.number() == 1).unwrap().unwrap();
        assert_eq!(length, 5);
        write_arrays(&second, &columns).unwrap();
        let mut again = ArrayReader::open(&second).unwrap();
        assert_eq!(again.next(&|_| true).unwrap().unwrap().1, columns);
        assert!(again.next(&|_| true).unwrap().is_none());
        let error = ArrayReader::open(&first).unwrap().only(["nothing"]).err().unwrap();
        assert!(error.to_string().contains("no column nothing"), "{error}");
    }
}
