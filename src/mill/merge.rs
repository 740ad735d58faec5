//! Putting the rows of several files of a table together in one, capture by capture.
//!
//! **What.** Each source holds the rows of some captures in their order; [`Run`]s say of which source the rows of the next
//! capture are. So a merge compares nothing, and tables without a column to sort by are merged like any other.
//!
//! **Cost.** Each row is read and written once. Memory: a row group of each source, and the row group that is written: rows
//! of [`Merge::group_bytes`], at most [`ROW_GROUP_ROWS`](webmill_table::ROW_GROUP_ROWS) of them.

use std::path::{Path, PathBuf};
use std::vec;

use webmill_capture::timing::{self, Part};
use webmill_capture::{Error, Result};
use webmill_table::merge::{MergeTo, Piece};
use webmill_table::{
    DynamicReader, DynamicWriter, Footer, Packing, ROW_GROUP_ROWS, Table, TableSchema, Value,
};

/// The column that says of which captures rows are.
const IS_CURRENT: &str = "is_current";

/// The rows of one capture in one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Which source, from 0.
    pub source: u32,
    /// How many rows.
    pub rows: u32,
    /// Whether the capture is the one that counts of its URL.
    pub is_current: bool,
}

/// What is put together, and where.
pub struct Merge<'a> {
    /// Files of one table.
    pub sources: &'a [PathBuf],
    /// Their rows in the order of the result; of one source in its own order.
    pub runs: &'a mut dyn Iterator<Item = Run>,
    /// The file to write.
    pub path: &'a Path,
    /// Its footer.
    pub footer: &'a Footer,
    /// Bytes of rows in memory after which a row group ends.
    pub group_bytes: usize,
    /// How the file is packed where it is merged again; `None` for one that stays.
    pub aside: Option<Packing>,
}

/// Rows of a source one after the other, from its row groups.
struct Source<R, F> {
    next_group: F,
    rows: vec::IntoIter<R>,
}

impl<R, F: FnMut() -> Result<Option<Vec<R>>>> Source<R, F> {
    fn next(&mut self) -> Result<R> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(row);
            }
            let Some(group) = (self.next_group)()? else {
                return Err(Error::Internal("a file holds fewer rows than were written to it".into()));
            };
            self.rows = group.into_iter();
        }
    }
}

/// The row group that is being filled.
#[derive(Default)]
struct Group {
    limit: usize,
    bytes: usize,
    rows: usize,
}

impl Group {
    /// Adds a row; whether the group ends behind it.
    fn add(&mut self, bytes: usize) -> bool {
        (self.bytes, self.rows) = (self.bytes + bytes, self.rows + 1);
        let ends = self.bytes >= self.limit || self.rows == ROW_GROUP_ROWS;
        if ends {
            (self.bytes, self.rows) = (0, 0);
        }
        ends
    }
}

/// Hands the rows of all runs to `put`.
fn each<R, F: FnMut() -> Result<Option<Vec<R>>>>(
    sources: Vec<F>,
    runs: &mut dyn Iterator<Item = Run>,
    mut put: impl FnMut(R, bool) -> Result<()>,
) -> Result<()> {
    let mut sources: Vec<_> =
        sources.into_iter().map(|next_group| Source { next_group, rows: Vec::new().into_iter() }).collect();
    for run in runs {
        let source = sources
            .get_mut(run.source as usize)
            .ok_or_else(|| Error::Internal("a run of a source that is none".into()))?;
        for _ in 0..run.rows {
            put(source.next()?, run.is_current)?;
        }
    }
    Ok(())
}

/// Merges files of a row type, column by column.
pub(crate) fn of_rows<T: Table>(merge: Merge<'_>) -> Result<u64> {
    let Merge { sources, runs, path, footer, group_bytes, aside } = merge;
    let piece = |run: Run| Piece { source: run.source, rows: run.rows, mark: run.is_current };
    let to = MergeTo { path, footer, group_bytes, aside, mark: Some(IS_CURRENT) };
    webmill_table::merge::merge::<T>(sources, &mut runs.map(piece), &to)
}

/// Writing, as a part of the work of its own.
fn as_tables<T>(write: impl FnOnce() -> T) -> T {
    let _span = timing::span(Part::Tables);
    write()
}

/// Merges files of a table whose columns are known only at run time.
pub(crate) fn of_values(table: &TableSchema, merge: Merge<'_>) -> Result<u64> {
    let mut sources = Vec::with_capacity(merge.sources.len());
    for path in merge.sources {
        let mut reader = DynamicReader::open(path, table)?;
        sources.push(move || reader.next());
    }
    let mark = table.columns.iter().position(|column| column.name == IS_CURRENT);
    let mut writer = DynamicWriter::create(merge.path, table, merge.footer)?;
    let mut group = Group { limit: merge.group_bytes, ..Group::default() };
    each(sources, merge.runs, |mut row: Vec<Value>, is_current| {
        if let Some(cell) = mark.and_then(|at| row.get_mut(at)) {
            *cell = Value::Bool(is_current);
        }
        let ends = group.add(row.iter().map(Value::weight).sum());
        writer.push(row)?;
        if ends { as_tables(|| writer.end_group()) } else { Ok(()) }
    })?;
    as_tables(|| writer.finish())
}
