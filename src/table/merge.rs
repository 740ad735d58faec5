//! Rows of several files of a table put together in one, column by column: no row is made of them.
//!
//! **Algorithm.** [`Piece`]s say of which source the next rows are. They are taken window by window: all threads decode the row groups of the sources that a
//! window asks for, then one thread finds where row groups of the result end, and all threads copy the columns of these, and encode them. Texts are
//! not copied but pointed to.
//!
//! **Cost.** Each cell is decoded and encoded once. Memory: a row group of each source, and some three times [`MergeTo::together`] row groups of the result,
//! decoded, copied and encoded: of [`MergeTo::group_bytes`] of cells each, at most [`ROW_GROUP_ROWS`] rows.
//!
//! **Determinism.** Where row groups end follows from cells and pieces alone.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars_arrow::array::BooleanArray;
use polars_arrow::array::builder::{ArrayBuilder, ShareStrategy, make_builder};
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};
use webmill_capture::timing::{self, Part};

use crate::cell::{ArrayBox, never_null};
use crate::columns::{Files, wanted};
use crate::file::{Group, ParquetFile};
use crate::gathered::{AT_ONCE, weight};
use crate::write::{GroupWriter, ROW_GROUP_ROWS, writer_of};
use crate::{ColumnInfo, Footer, Table};

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
    /// Row groups of the result of which the sources are decoded, and that are copied and encoded, at a time.
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
    let columns = T::info();
    let open = |path: &PathBuf| Source {
        files: Files::new(vec![path.clone()], wanted(&columns)),
        ..Source::default()
    };
    let mut window = Window {
        sources: sources.iter().map(open).collect(),
        mark: to.mark.and_then(|name| columns.iter().position(|column| column.name == name)),
        most_bytes: to.group_bytes.saturating_mul(to.together).max(1) as u64,
        group_bytes: to.group_bytes,
        ..Window::default()
    };
    let mut writer = writer_of::<T>(to.path, to.footer, to.aside)?;
    writer.together = to.together;
    loop {
        let shares = window.read(&columns, pieces)?;
        if shares.is_empty() {
            break;
        }
        window.plan(shares)?;
        window.write(&columns, &mut writer)?;
    }
    window.end_group();
    window.write(&columns, &mut writer)?;
    let _span = timing::span(Part::Tables);
    writer.finish()
}

/// Rows of a piece that a window has, and whether it has those at its ends.
struct Share {
    piece: Piece,
    begins: bool,
    ends: bool,
}

/// A file that is read.
#[derive(Default)]
struct Source {
    files: Files,
    /// Decoded row groups, and how many rows of the first were taken.
    groups: VecDeque<Arc<Group>>,
    at: usize,
    /// Rows that are decoded, or will be before the window is planned, and that no share has.
    left: usize,
}

/// Rows of a source that stand together in a row group.
struct Segment {
    group: Arc<Group>,
    at: usize,
    rows: usize,
    mark: bool,
}

/// Decoded rows, and how they are put together.
#[derive(Default)]
struct Window {
    sources: Vec<Source>,
    mark: Option<usize>,
    group_bytes: usize,
    /// Bytes of row groups that are decoded for a window, before it ends.
    most_bytes: u64,
    /// The rest of the last piece.
    split: Option<Share>,
    /// Row groups of the result that are planned, the last one in the making.
    planned: Vec<Vec<Segment>>,
    making: Vec<Segment>,
    bytes: usize,
    rows: usize,
    /// Rows since cells were last weighed.
    unweighed: usize,
}

impl Window {
    /// The next shares, with the row groups that hold them decoded; none at the end.
    fn read(
        &mut self,
        columns: &[ColumnInfo],
        pieces: &mut dyn Iterator<Item = Piece>,
    ) -> Result<Vec<Share>> {
        let (mut shares, mut places, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut whole = pieces.map(|piece| Share { piece, begins: true, ends: true });
        while bytes < self.most_bytes
            && let Some(mut share) = self.split.take().or_else(|| whole.next())
        {
            let number = share.piece.source as usize;
            let source = self
                .sources
                .get_mut(number)
                .ok_or_else(|| Error::Internal("rows of a source that is none".into()))?;
            let rows = share.piece.rows as usize;
            while source.left < rows && bytes < self.most_bytes {
                let Some((file, group)) = source.files.next_place()? else {
                    return Err(Error::Internal("a file holds fewer rows than were written to it".into()));
                };
                let facts = &file.metadata.row_groups[group];
                source.left += facts.num_rows();
                bytes += facts.total_byte_size() as u64;
                places.push((number, file, group));
            }
            let taken = rows.min(source.left);
            source.left -= taken;
            if taken < rows {
                let piece = Piece { rows: (rows - taken) as u32, ..share.piece };
                self.split = Some(Share { piece, begins: false, ends: true });
                (share.piece.rows, share.ends) = (taken as u32, false);
            }
            shares.push(share);
        }
        let decoded: Vec<Result<Group>> =
            places.par_iter().map(|(_, file, number)| decode(file, *number, columns)).collect();
        for ((source, ..), group) in places.iter().zip(decoded) {
            self.sources[*source].groups.push_back(Arc::new(group?));
        }
        Ok(shares)
    }

    /// Finds where row groups end.
    fn plan(&mut self, shares: Vec<Share>) -> Result<()> {
        for Share { piece, begins, ends } in shares {
            let mut left = piece.rows as usize;
            if begins {
                self.unweighed = 0;
            }
            while left > 0 {
                let (group, at) = self.sources[piece.source as usize].next()?;
                let most = (AT_ONCE - self.unweighed).min(ROW_GROUP_ROWS - self.rows);
                let rows = left.min(group.len() - at).min(most);
                for (number, (_, array)) in group.columns.iter().enumerate() {
                    self.bytes +=
                        if self.mark == Some(number) { 0 } else { weight(array.as_ref(), at, rows) };
                }
                self.making.push(Segment { group, at, rows, mark: piece.mark });
                self.sources[piece.source as usize].at += rows;
                self.rows += rows;
                left -= rows;
                self.unweighed = (self.unweighed + rows) % AT_ONCE;
                // Not where a row group of the source ends: that hangs on how its rows came there.
                let is_weighed = self.unweighed == 0 || left == 0 && ends;
                if is_weighed && self.bytes >= self.group_bytes || self.rows == ROW_GROUP_ROWS {
                    self.end_group();
                }
            }
        }
        Ok(())
    }

    fn end_group(&mut self) {
        self.planned.push(std::mem::take(&mut self.making));
        (self.bytes, self.rows) = (0, 0);
    }

    /// Writes the row groups that are planned.
    fn write(&mut self, columns: &[ColumnInfo], writer: &mut GroupWriter) -> Result<()> {
        let (planned, mark) = (std::mem::take(&mut self.planned), self.mark);
        let copy = |segments: &Vec<Segment>| -> Vec<ArrayBox> {
            let numbered = columns.par_iter().enumerate();
            numbered.map(|(number, column)| copied(segments, number, column, mark)).collect()
        };
        for together in planned.chunks(writer.together.max(1)) {
            let copied: Vec<Vec<ArrayBox>> = together.par_iter().map(copy).collect();
            for (segments, columns) in together.iter().zip(copied) {
                writer.write_group(segments.iter().map(|segment| segment.rows).sum(), columns)?;
            }
        }
        Ok(())
    }
}

impl Source {
    /// The group with the next row, and where that is.
    fn next(&mut self) -> Result<(Arc<Group>, usize)> {
        while let Some(group) = self.groups.front() {
            if self.at < group.len() {
                return Ok((Arc::clone(group), self.at));
            }
            self.groups.pop_front();
            self.at = 0;
        }
        Err(Error::Internal("a source without a row group".into()))
    }
}

/// A row group, checked to have the types of its table and no null where none may be.
fn decode(file: &ParquetFile, number: usize, columns: &[ColumnInfo]) -> Result<Group> {
    let _span = timing::span(Part::Merge);
    let group = file.group(number)?;
    for ((field, array), column) in group.columns.iter().zip(columns) {
        let wrong =
            |reason: String| Error::corrupt(&group.path, 0, format!("column {}: {reason}", field.name));
        if !column.nullable {
            never_null(array.as_ref()).map_err(|reason| wrong(reason.to_string()))?;
        }
        if array.dtype().to_physical_type() != column.kind.in_memory().to_physical_type() {
            return Err(wrong(format!("decoded as {:?}, which is not its type", array.dtype())));
        }
    }
    Ok(group)
}

/// A column of a row group.
fn copied(segments: &[Segment], number: usize, column: &ColumnInfo, mark: Option<usize>) -> ArrayBox {
    let _span = timing::span(Part::Tables);
    if mark == Some(number) {
        let marks = segments.iter().flat_map(|segment| std::iter::repeat_n(segment.mark, segment.rows));
        return BooleanArray::from_slice(marks.collect::<Vec<bool>>()).boxed();
    }
    let mut builder = make_builder(&column.kind.in_memory());
    for Segment { group, at, rows, .. } in segments {
        builder.subslice_extend(group.columns[number].1.as_ref(), *at, *rows, ShareStrategy::Always);
    }
    builder.freeze_reset()
}
