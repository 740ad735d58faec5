//! Reading by field: chosen columns of a row type, each cell with the type its field has.
//!
//! **What.** [`columns!`](crate::columns) declares a struct from the fields of a row type; [`Reader`] reads a table
//! into it, row group by row group. A field that the row type does not have, or a use as another type, does not
//! compile; a file whose columns differ is an error that names file and column.
//!
//! **Cost.** Each column is checked once a row group; a cell is then an index into it, without allocation. Memory: the
//! decoded columns of one row group, or of as many as are read at a time ([`Reader::by_threads`]).
//!
//! ```
//! use webmill_table::{Millis, Reader, columns, table, write_part, Footer};
//!
//! table! {
//!     /// One row per visit.
//!     VisitRow = "visits" {
//!         url: String = "what was visited", "http://a.cn/";
//!         time: Millis = "when; null where unknown", "2003-04-15T08:13:06Z";
//!         bytes: u32 = "bytes sent", "120";
//!     }
//! }
//!
//! columns! {
//!     /// What the sum needs.
//!     struct Visit from VisitRow { url, bytes }
//! }
//!
//! # fn main() -> Result<(), webmill_capture::Error> {
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let dir = folder.path();
//! let rows = [VisitRow { url: "http://a.cn/".into(), time: Millis(None), bytes: 7 }];
//! write_part(&dir.join("part-0.parquet"), &rows, &Footer { job_key: "k".into() })?;
//!
//! let mut reader = Reader::<Visit>::open(dir)?;
//! let mut sum = 0;
//! while let Some(batch) = reader.next()? {
//!     for visit in batch.rows() {
//!         sum += visit.url.len() as u32 * visit.bytes;
//!     }
//! }
//! assert_eq!(sum, 84);
//! # Ok(())
//! # }
//! ```

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use webmill_capture::error::Result;

use crate::bounds::{GroupCounts, GroupFacts};
use crate::file::{Group, ParquetFile, WantedColumn};
use crate::read::table_files;
use crate::{ColumnInfo, Table};

/// Says of a row type which cell type the column of a name has. The name is given by [`column_id`], for want of
/// texts as parameters of types; `table!` writes the implementations.
#[diagnostic::on_unimplemented(message = "the row type `{Self}` has no column of this name")]
#[doc(hidden)]
pub trait HasColumn<const ID: u64> {
    /// Type of its cells.
    type Cell: crate::Cell;
    /// What the table says of it.
    const INFO: ColumnInfo;
}

/// A number for a column's name (FNV-1a). Two columns of one row type with equal numbers would not compile.
#[doc(hidden)]
pub const fn column_id(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// A choice of columns of a row type, declared by [`columns!`](crate::columns).
pub trait Columns {
    /// The row type.
    type Row: Table;
    /// The checked columns of one row group.
    type Decoded: Send + Sync + 'static;
    /// One row.
    type Item<'a>;

    /// The columns in order.
    fn info() -> Vec<ColumnInfo>;

    /// Checks the columns of a row group.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Corrupt`] with file, column and the reason.
    fn decode(group: &Group) -> Result<Self::Decoded>;

    /// Row `row`, which must be below the number of rows.
    fn get(decoded: &Self::Decoded, row: usize) -> Self::Item<'_>;
}

/// Declares a choice of columns: a struct with one field a column, of the cell type of the row type's field (texts as
/// `&str`, lists of numbers as slices, lists of texts as [`Texts`](crate::Texts), all else as it is), to be read by
/// [`Reader`]. See the example at `Reader`.
#[macro_export]
macro_rules! columns {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident from $row:path { $($field:ident),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        $vis struct $name<'a> {
            $(
                #[doc = concat!("Column `", stringify!($field), "`.")]
                $vis $field: <<$row as $crate::HasColumn<{ $crate::column_id(stringify!($field)) }>>::Cell
                    as $crate::Cell>::Ref<'a>,
            )+
        }

        impl $crate::Columns for $name<'_> {
            type Row = $row;
            type Decoded = ($(
                <<$row as $crate::HasColumn<{ $crate::column_id(stringify!($field)) }>>::Cell
                    as $crate::Cell>::Column,
            )+);
            type Item<'a> = $name<'a>;

            fn info() -> ::std::vec::Vec<$crate::ColumnInfo> {
                vec![$(
                    <$row as $crate::HasColumn<{ $crate::column_id(stringify!($field)) }>>::INFO,
                )+]
            }

            fn decode(group: &$crate::Group) -> $crate::Result<Self::Decoded> {
                let mut at = 0..;
                Ok(($(
                    group.column::<<$row as $crate::HasColumn<{ $crate::column_id(stringify!($field)) }>>::Cell>({
                        let _ = stringify!($field);
                        at.next().expect("the range has no end")
                    })?,
                )+))
            }

            #[inline]
            fn get(decoded: &Self::Decoded, row: usize) -> $name<'_> {
                let ($($field,)+) = decoded;
                $name {
                    $($field: <<$row as $crate::HasColumn<{ $crate::column_id(stringify!($field)) }>>::Cell
                        as $crate::Cell>::get($field, row),)+
                }
            }
        }
    };
}

/// Reads chosen columns of one Parquet file or of every part of a table folder, one row group at a time. See the
/// example of [`columns!`](crate::columns).
pub struct Reader<C: Columns> {
    files: Files,
    /// Row groups that are read at a time, and those that were.
    together: usize,
    ready: VecDeque<Result<Rows<C>>>,
}

impl<C: Columns> Reader<C> {
    /// A reader over the table in folder `dir`, or the single file `dir`.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`] where the folder cannot be listed.
    pub fn open(dir: &Path) -> Result<Self> {
        Ok(Self::over(table_files(dir)?))
    }

    /// A reader over given files in the given order.
    pub fn over(files: Vec<PathBuf>) -> Self {
        Reader { files: Files::new(files, wanted(&C::info())), together: 1, ready: VecDeque::new() }
    }

    /// Reads this many row groups at a time, by all threads of the pool that it is called in.
    #[must_use]
    pub fn by_threads(mut self, together: usize) -> Self {
        self.together = together.max(1);
        self
    }

    /// The next row group, or `None` after the last.
    ///
    /// # Errors
    /// [`Io`](webmill_capture::Error::Io); [`Incompatible`](webmill_capture::Error::Incompatible) where a column is
    /// missing or of another type; [`Corrupt`](webmill_capture::Error::Corrupt) where bytes are damaged, or a null
    /// stands where none may.
    #[allow(clippy::should_implement_trait, reason = "errors come first: this is no Iterator of items")]
    pub fn next(&mut self) -> Result<Option<Rows<C>>> {
        if self.ready.is_empty() {
            let mut places = Vec::new();
            while places.len() < self.together
                && let Some(place) = self.files.next_place()?
            {
                places.push(place);
            }
            let read = |(file, number): (Arc<ParquetFile>, usize)| {
                let group = file.group(number)?;
                let (rows, decoded) = (group.len(), C::decode(&group)?);
                Ok(Rows { rows, decoded, number, path: group.path })
            };
            match self.together {
                1 => self.ready.extend(places.into_iter().map(read)),
                _ => self.ready = places.into_par_iter().map(read).collect(),
            }
        }
        self.ready.pop_front().transpose()
    }

    /// Reads only the row groups that `choice` wants; see [`GroupFacts`] for what it can be told by.
    #[must_use]
    pub fn only(mut self, choice: impl Fn(&GroupFacts<'_>) -> bool + Send + 'static) -> Self {
        self.files.choice = Some(Box::new(choice));
        self
    }

    /// How many row groups were read and how many were passed over so far.
    pub fn groups(&self) -> GroupCounts {
        self.files.groups
    }
}

/// The rows of one row group.
pub struct Rows<C: Columns> {
    rows: usize,
    decoded: C::Decoded,
    number: usize,
    path: PathBuf,
}

impl<C: Columns> Rows<C> {
    /// Number of the row group in its file, from 0.
    pub fn group(&self) -> usize {
        self.number
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Row `row`.
    ///
    /// # Panics
    /// Where `row` is not below [`Rows::len`].
    #[inline]
    pub fn get(&self, row: usize) -> C::Item<'_> {
        C::get(&self.decoded, row)
    }

    /// The rows in order.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = C::Item<'_>> + ExactSizeIterator {
        (0..self.rows).map(|row| self.get(row))
    }

    /// The file they stand in.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Reads all rows of a table, in the order of its parts: for small tables and tests.
///
/// # Errors
/// As of [`Reader::next`].
pub fn read_rows<T: Table>(dir: &Path) -> Result<Vec<T>> {
    let mut reader = RowReader::open(dir)?;
    let mut rows = Vec::new();
    while let Some(mut group) = reader.next()? {
        rows.append(&mut group);
    }
    Ok(rows)
}

/// Reads whole rows, row group by row group, in the order of the parts: for who writes them again. Where some columns
/// will do, [`Reader`] costs less.
pub struct RowReader<T> {
    files: Files,
    rows: std::marker::PhantomData<T>,
}

impl<T: Table> RowReader<T> {
    /// Opens a table: a folder of parts, or a file.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`] where there is none.
    pub fn open(path: &Path) -> Result<Self> {
        let files = Files::new(table_files(path)?, wanted(&T::info()));
        Ok(RowReader { files, rows: std::marker::PhantomData })
    }

    /// The rows of the next row group.
    ///
    /// # Errors
    /// As of [`Reader::next`].
    #[allow(clippy::should_implement_trait, reason = "its errors are not items, as Reader's are not")]
    pub fn next(&mut self) -> Result<Option<Vec<T>>> {
        self.files.next_group()?.map(|group| T::rows(&group)).transpose()
    }
}

pub(crate) fn wanted(columns: &[ColumnInfo]) -> Vec<WantedColumn> {
    columns.iter().map(|c| WantedColumn { name: c.name.to_owned(), kind: c.kind }).collect()
}

/// Row groups of several files, one after the other.
#[derive(Default)]
pub(crate) struct Files {
    files: std::vec::IntoIter<PathBuf>,
    wanted: Vec<WantedColumn>,
    open: Option<Arc<ParquetFile>>,
    /// Row groups of it that were read or passed over.
    next: usize,
    pub(crate) choice: Option<Choice>,
    groups: GroupCounts,
}

/// Which row groups are read.
type Choice = Box<dyn Fn(&GroupFacts<'_>) -> bool + Send>;

impl Files {
    pub(crate) fn new(files: Vec<PathBuf>, wanted: Vec<WantedColumn>) -> Self {
        let (files, open, groups) = (files.into_iter(), None, GroupCounts::default());
        Files { files, wanted, open, next: 0, choice: None, groups }
    }

    pub(crate) fn next_group(&mut self) -> Result<Option<Group>> {
        self.next_place()?.map(|(file, number)| file.group(number)).transpose()
    }

    /// The file of the next row group, and its number there.
    pub(crate) fn next_place(&mut self) -> Result<Option<(Arc<ParquetFile>, usize)>> {
        loop {
            if let Some(open) = &self.open {
                let wanted = self.choice.as_ref().map(|choice| open.wanted_from(self.next, choice));
                let number = wanted.unwrap_or(self.next);
                self.groups.passed_over += (number - self.next) as u64;
                self.next = number;
                if number < open.metadata.row_groups.len() {
                    self.next += 1;
                    self.groups.read += 1;
                    return Ok(Some((Arc::clone(open), number)));
                }
            }
            let Some(path) = self.files.next() else { return Ok(None) };
            (self.open, self.next) = (Some(Arc::new(ParquetFile::open(&path, &self.wanted)?)), 0);
        }
    }
}
