//! Putting the rows of several files of a table together in one, capture by capture.
//!
//! **What.** Each source holds the rows of some captures in their order; [`Run`]s say of which source the rows of the next
//! capture are. So a merge compares nothing, and tables without a column to sort by are merged like any other.
//!
//! **Cost.** Each row is read and written once. Memory: a row group of each source, and some times [`Merge::together`] row groups
//! of the result: rows of [`Merge::group_bytes`], at most [`ROW_GROUP_ROWS`](webmill_table::ROW_GROUP_ROWS) of them.

use std::path::{Path, PathBuf};

use webmill_capture::Result;
use webmill_table::merge::{MergeTo, Piece};
use webmill_table::{Footer, Table};

/// The column that says of which captures rows are.
const IS_CURRENT: &str = "is_current";

/// The rows of one capture in one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Which source, from 0.
    pub source: u32,
    /// How many rows.
    pub rows: u32,
    /// Whether the capture is the current one of its URL.
    pub is_current: bool,
}

/// A merge: the parts of a table, the order of their rows, the file to write.
pub struct Merge<'a> {
    /// Files of one table.
    pub sources: &'a [PathBuf],
    /// Their rows in the order of the result; of one source in its own order.
    pub runs: &'a mut dyn Iterator<Item = Run>,
    /// The file to write.
    pub path: &'a Path,
    /// Footer of the file to write.
    pub footer: &'a Footer,
    /// Bytes of rows in memory after which a row group ends.
    pub group_bytes: usize,
    /// Row groups of the result that are decoded, copied and encoded at a time.
    pub together: usize,
    /// Whether the file is merged again.
    pub aside: bool,
}

/// Merges files of a row type, column by column.
pub(crate) fn of_rows<T: Table>(merge: Merge<'_>) -> Result<u64> {
    let Merge { sources, runs, path, footer, group_bytes, together, aside } = merge;
    let piece = |run: Run| Piece { source: run.source, rows: run.rows, mark: run.is_current };
    let to = MergeTo { path, footer, group_bytes, together, aside, mark: Some(IS_CURRENT) };
    webmill_table::merge::merge::<T>(sources, &mut runs.map(piece), &to)
}
