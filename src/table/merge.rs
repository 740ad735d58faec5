//! Rows of several files of a table put together in one, column by column: no row is made of them.
//!
//! **Algorithm.** [`Piece`]s say of which source the next rows are. They are copied from the source's decoded columns to those of the row group in the
//! making; texts are not copied but pointed to.
//!
//! **Cost.** Each cell is decoded and encoded once. Memory: a row group of each source, and [`MergeTo::together`] row groups that are written: of
//! [`MergeTo::group_bytes`] of cells each, at most [`ROW_GROUP_ROWS`] rows.
//!
//! **Determinism.** Where row groups end follows from cells and pieces alone.

use std::path::{Path, PathBuf};

use polars_arrow::array::BooleanArray;
use polars_arrow::array::builder::{ArrayBuilder, ShareStrategy, make_builder};
use webmill_capture::error::{Error, Result};
use webmill_capture::timing::{self, Part};

use crate::cell::{ArrayBox, never_null};
use crate::columns::{Files, wanted};
use crate::file::Group;
use crate::gathered::{AT_ONCE, weight};
use crate::write::{GroupWriter, ROW_GROUP_ROWS, writer_of};
use crate::{Footer, Table};

/// Rows of one source that stand together in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Which source, from 0.
    pub source: u32,
    /// How many rows.
    pub rows: u32,
    /// What their column of marks says.
    pub mark: bool,
}

/// Where rows are put together.
pub struct MergeTo<'a> {
    /// The file to write.
    pub path: &'a Path,
    /// Footer of the file to write.
    pub footer: &'a Footer,
    /// Bytes of cells after which a row group ends.
    pub group_bytes: usize,
    /// Row groups that are held until all threads encode them.
    pub together: usize,
    /// Whether later steps read the file, and no one after them.
    pub aside: bool,
    /// The column of marks.
    pub mark: Option<&'a str>,
}

/// Puts rows of `sources`, files of table `T`, together in the order of `pieces`; returns how many these are.
///
/// # Errors
/// [`Error::Io`]; [`Error::Corrupt`] and [`Error::Incompatible`] where a source is no whole file of the table; [`Error::Internal`] where a piece is of no
/// source, or a source has fewer rows.
pub fn merge<T: Table>(
    sources: &[PathBuf],
    pieces: &mut dyn Iterator<Item = Piece>,
    to: &MergeTo<'_>,
) -> Result<u64> {
    let info = T::info();
    let mut sources: Vec<SourceFile> = sources
        .iter()
        .map(|path| SourceFile { files: Files::new(vec![path.clone()], wanted(&info)), group: None, at: 0 })
        .collect();
    let builders = info.iter().map(|column| make_builder(&column.kind.in_memory())).collect();
    let mark = to.mark.and_then(|name| info.iter().position(|column| column.name == name));
    let mut writer = writer_of::<T>(to.path, to.footer, to.aside)?;
    writer.together = to.together;
    let nullable = info.iter().map(|column| column.nullable).collect();
    let mut making = Making { writer, builders, nullable, mark, marks: Vec::new(), bytes: 0, rows: 0 };
    for piece in pieces {
        let source = sources
            .get_mut(piece.source as usize)
            .ok_or_else(|| Error::Internal("rows of a source that is none".into()))?;
        let (mut left, mut unweighed) = (piece.rows as usize, 0);
        while left > 0 {
            let (group, at) = source.rows(&making.nullable)?;
            let most = (AT_ONCE - unweighed).min(ROW_GROUP_ROWS - making.rows);
            let rows = left.min(group.len() - at).min(most);
            making.take(group, at, rows, piece.mark)?;
            source.at += rows;
            left -= rows;
            unweighed = (unweighed + rows) % AT_ONCE;
            // Not where a row group of the source ends: that hangs on how its rows came there.
            let is_weighed = unweighed == 0 || left == 0;
            if is_weighed && making.bytes >= to.group_bytes || making.rows == ROW_GROUP_ROWS {
                making.write()?;
            }
        }
    }
    making.write()?;
    let _span = timing::span(Part::Tables);
    making.writer.finish()
}

/// A file that is read, group by group.
struct SourceFile {
    files: Files,
    group: Option<Group>,
    /// Rows of the group that were taken.
    at: usize,
}

impl SourceFile {
    /// The group with the next row, and where that is.
    fn rows(&mut self, nullable: &[bool]) -> Result<(&Group, usize)> {
        while self.group.as_ref().is_none_or(|group| self.at == group.len()) {
            let Some(group) = self.files.next_group()? else {
                return Err(Error::Internal("a file holds fewer rows than were written to it".into()));
            };
            for ((field, array), _) in group.columns.iter().zip(nullable).filter(|(_, nullable)| !**nullable)
            {
                never_null(array.as_ref()).map_err(|reason| {
                    Error::corrupt(&group.path, 0, format!("column {}: {reason}", field.name))
                })?;
            }
            (self.group, self.at) = (Some(group), 0);
        }
        let group =
            self.group.as_ref().ok_or_else(|| Error::Internal("a source without a row group".into()))?;
        Ok((group, self.at))
    }
}

/// The row group in the making.
struct Making {
    writer: GroupWriter,
    builders: Vec<Box<dyn ArrayBuilder>>,
    nullable: Vec<bool>,
    mark: Option<usize>,
    marks: Vec<bool>,
    bytes: usize,
    rows: usize,
}

impl Making {
    fn take(&mut self, group: &Group, at: usize, rows: usize, mark: bool) -> Result<()> {
        for (number, ((field, array), builder)) in group.columns.iter().zip(&mut self.builders).enumerate() {
            if self.mark == Some(number) {
                self.marks.resize(self.marks.len() + rows, mark);
                continue;
            }
            if array.dtype().to_physical_type() != builder.dtype().to_physical_type() {
                let reason =
                    format!("column {}: decoded as {:?}, which is not its type", field.name, array.dtype());
                return Err(Error::corrupt(&group.path, 0, reason));
            }
            builder.subslice_extend(array.as_ref(), at, rows, ShareStrategy::Always);
            self.bytes += weight(array.as_ref(), at, rows);
        }
        self.rows += rows;
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        let _span = timing::span(Part::Tables);
        let mut columns: Vec<ArrayBox> =
            self.builders.iter_mut().map(|builder| builder.freeze_reset()).collect();
        if let Some(mark) = self.mark {
            columns[mark] = BooleanArray::from_slice(&self.marks).boxed();
            self.marks.clear();
        }
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        self.writer.write_group(rows, columns)
    }
}
