//! The rows of one page, of any tables.

use std::any::Any;
use std::borrow::Cow;
use std::path::Path;

use webmill_capture::{CanonicalUrl, Capture, Result};
use webmill_table::{Footer, PartWriter, RowReader, Table, TableSchema, schema};

use crate::merge::{self, Merge};

/// Bytes that a row holds in memory, for buffers that must stay bounded.
pub trait Weigh {
    /// Bytes, rounded up.
    fn weight(&self) -> usize;
}

/// Rows of one table, whichever it is.
pub trait TableRows: Any + Send + Sync {
    /// Its name and columns.
    fn schema(&self) -> TableSchema;
    /// Number of rows.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Makes room for `rows` more.
    fn reserve(&mut self, rows: usize);
    /// Moves the rows of `other`, which are of the same table, behind these.
    fn append(&mut self, other: Box<dyn TableRows>);
    /// Writes them as one file that [`merge`](Self::merge) reads, in row groups of some `group_bytes` of memory; returns
    /// their number.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`] where the disk refuses.
    fn write_aside(&self, path: &Path, footer: &Footer, group_bytes: usize) -> Result<u64>;
    /// Appends the rows of such a file.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn read_aside(&mut self, path: &Path) -> Result<()>;
    /// Moves the last `rows` rows to those of a page.
    fn move_last(&mut self, rows: usize, page: &mut Rows);
    /// Puts rows of such files together in one file of the same table; returns their number. These rows stay out of it.
    ///
    /// # Errors
    /// Where a file cannot be read or the disk refuses; `Error::Internal` where a source has fewer rows than its runs.
    fn merge(&self, merge: Merge<'_>) -> Result<u64>;
    /// Itself, to be asked for its type.
    fn as_any(&self) -> &dyn Any;
    /// Likewise.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Likewise.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Table + Weigh + 'static> TableRows for Vec<T> {
    fn schema(&self) -> TableSchema {
        schema::<T>()
    }

    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn reserve(&mut self, rows: usize) {
        Vec::reserve(self, rows);
    }

    fn append(&mut self, other: Box<dyn TableRows>) {
        if let Ok(mut other) = other.into_any().downcast::<Vec<T>>() {
            Vec::append(self, &mut other);
        }
    }

    fn write_aside(&self, path: &Path, footer: &Footer, group_bytes: usize) -> Result<u64> {
        let mut writer = PartWriter::<T>::create_aside(path, footer)?;
        let mut held = 0;
        for rows in self.chunk_by(|before, _| weighed(&mut held, before.weight(), group_bytes)) {
            writer.write_group(rows)?;
        }
        writer.finish()
    }

    fn read_aside(&mut self, path: &Path) -> Result<()> {
        let mut reader = RowReader::<T>::open(path)?;
        while let Some(mut rows) = reader.next()? {
            Vec::append(self, &mut rows);
        }
        Ok(())
    }

    fn move_last(&mut self, rows: usize, page: &mut Rows) {
        let at = Vec::len(self).saturating_sub(rows);
        self.drain(at..).for_each(|row| page.push(row));
    }

    fn merge(&self, merge: Merge<'_>) -> Result<u64> {
        merge::of_rows::<T>(merge)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Whether a row group has room left after a row of this weight; `held` is what it holds.
fn weighed(held: &mut usize, weight: usize, group_bytes: usize) -> bool {
    *held += weight;
    let room = *held < group_bytes;
    if !room {
        *held = 0;
    }
    room
}

/// Where the rows of a page stand among those of others: SURT, then canonical URL, then time, then place. Total, because
/// no two captures share a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Order {
    /// SURT form of the URL.
    pub surt: String,
    /// Canonical URL.
    pub url: String,
    /// When it was fetched, milliseconds since 1970.
    pub time_ms: Option<i64>,
    /// Shard of its record.
    pub shard: String,
    /// Offset there.
    pub offset: i64,
}

impl Order {
    /// The order of a capture of `url`.
    pub fn of(url: &CanonicalUrl, capture: &Capture<'_>) -> Self {
        Order {
            surt: url.surt(),
            url: url.as_str().to_owned(),
            time_ms: capture.date_ms,
            shard: capture.place.shard.to_string(),
            offset: capture.place.offset as i64,
        }
    }
}

/// The rows of a page, of any tables, in the order they were added.
#[derive(Default)]
pub struct Rows {
    tables: Vec<(&'static str, Box<dyn TableRows>)>,
    kept: Vec<Cow<'static, str>>,
    weight: usize,
}

impl Rows {
    /// Adds a row.
    pub fn push<T: Table + Weigh + 'static>(&mut self, row: T) {
        self.weight += row.weight();
        let at = self.tables.iter().position(|(_, rows)| rows.as_any().is::<Vec<T>>());
        let at = at.unwrap_or_else(|| {
            // Most pages have one row of most tables: room for four, as vectors begin with, would be most of a buffer.
            self.tables.push((T::NAME, Box::new(Vec::<T>::with_capacity(1))));
            self.tables.len() - 1
        });
        let rows: &mut dyn Any = self.tables[at].1.as_mut();
        if let Some(rows) = rows.downcast_mut::<Vec<T>>() {
            rows.push(row);
        }
    }

    /// Counts the page as `what` in the manifest.
    pub fn count(&mut self, what: impl Into<Cow<'static, str>>) {
        self.kept.push(what.into());
    }

    /// What the page counts as.
    pub fn counts(&self) -> &[Cow<'static, str>] {
        &self.kept
    }

    /// Bytes that the rows hold in memory.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// The rows of one table.
    pub fn of<T: Table + 'static>(&self) -> &[T] {
        let rows = self.tables.iter().find_map(|(_, rows)| rows.as_any().downcast_ref::<Vec<T>>());
        rows.map_or(&[], Vec::as_slice)
    }

    /// The rows of one table, to be changed.
    pub fn of_mut<T: Table + 'static>(&mut self) -> &mut [T] {
        let rows = self.tables.iter_mut().find_map(|(_, rows)| rows.as_any_mut().downcast_mut::<Vec<T>>());
        rows.map_or(&mut [], Vec::as_mut_slice)
    }

    /// How many rows there are of each table.
    pub fn lengths(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.tables.iter().map(|(name, rows)| (*name, rows.len()))
    }

    /// All rows, table by table.
    pub fn into_tables(self) -> impl Iterator<Item = (&'static str, Box<dyn TableRows>)> {
        self.tables.into_iter()
    }
}
