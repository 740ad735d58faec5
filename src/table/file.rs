//! One open Parquet file, read row group by row group.
//!
//! **What.** The file is opened and its footer parsed once; a row group then costs one read for each column chunk
//! that is asked for.
//!
//! **Memory.** The bytes and the decoded columns of one row group. Files may be foreign or damaged, so what a row
//! group declares is bounded before anything is decoded: [`MAX_GROUP_ROWS`], [`MAX_GROUP_BYTES`], [`MAX_LIST_VALUES`].
//!
//! **Errors.** The Parquet library panics on some damaged files; a panic inside of it is caught here and is an error
//! that names the file, like any other damage.

use std::fs::File;
use std::io::Cursor;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use polars_arrow::array::Array;
use polars_arrow::compute::concatenate::concatenate;
use polars_arrow::datatypes::{ArrowSchema, Field};
use polars_buffer::Buffer;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, FileMetadata, PageReader, RowGroupMetadata,
    column_iter_to_arrays, infer_schema, read_metadata,
};
use polars_parquet::write::CompressedPage;
use webmill_capture::error::{AtPath, Error, Result};

use crate::cell::{ArrayBox, Cell};
use crate::column_type::ColumnType;
use crate::seal::Digests;

/// Rows of a row group at most; the writers of other libraries make about a million.
pub const MAX_GROUP_ROWS: usize = 1 << 23;

/// Bytes at most of the chosen columns of a row group, not compressed.
pub const MAX_GROUP_BYTES: u64 = 4 << 30;

/// Elements at most of all lists of a column in a row group.
pub const MAX_LIST_VALUES: i64 = 1 << 27;

/// A column that a reader asks for.
#[derive(Debug, Clone)]
pub(crate) struct WantedColumn {
    pub name: String,
    /// Type it must have.
    pub kind: ColumnType,
}

/// An open file.
pub(crate) struct ParquetFile {
    pub(crate) path: PathBuf,
    file: File,
    length: u64,
    pub(crate) metadata: FileMetadata,
    digests: Digests,
    fields: Vec<Field>,
    pub(crate) next: usize,
}

/// The chosen columns of one row group.
pub struct Group {
    pub(crate) path: PathBuf,
    pub(crate) rows: usize,
    pub(crate) columns: Vec<(Field, ArrayBox)>,
}

impl Group {
    /// Number of rows.
    #[doc(hidden)]
    #[allow(clippy::len_without_is_empty, reason = "hidden: for macros only")]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Type of column `at`.
    pub(crate) fn kind(&self, at: usize) -> Result<ColumnType> {
        let field = &self.columns[at].0;
        ColumnType::of(&field.dtype).ok_or_else(|| {
            let found = format!("column {} of type {:?}", field.name, field.dtype);
            incompatible(&self.path, found, "one of a type that tables have".to_owned())
        })
    }

    /// The owned value of a cell of the checked column `name`.
    #[doc(hidden)]
    pub fn own<C: Cell>(&self, name: &str, column: &C::Column, row: usize) -> Result<C> {
        C::own(C::get(column, row))
            .map_err(|reason| Error::corrupt(&self.path, 0, format!("column {name}: {reason}")))
    }

    /// Column `at` of those asked for, checked to hold cells of type `C`.
    #[doc(hidden)]
    pub fn column<C: Cell>(&self, at: usize) -> Result<C::Column> {
        let (field, array) = &self.columns[at];
        C::decode(array.as_ref())
            .map_err(|reason| Error::corrupt(&self.path, 0, format!("column {}: {reason}", field.name)))
    }
}

impl ParquetFile {
    /// Opens the file and finds the columns `wanted` in it.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where it is no Parquet file; [`Error::Incompatible`] where a column is
    /// missing or of another type.
    pub(crate) fn open(path: &Path, wanted: &[WantedColumn]) -> Result<Self> {
        let mut file = File::open(path).at(path)?;
        let length = file.metadata().at(path)?.len();
        let (metadata, schema) = guarded(path, || {
            let metadata = read_metadata(&mut file)?;
            let schema = infer_schema(&metadata)?;
            Ok((metadata, schema))
        })?;
        let digests = Digests::read(path, &mut file, length, metadata.key_value_metadata.as_deref())?;
        let fields = wanted.iter().map(|w| find(path, &schema, w)).collect::<Result<_>>()?;
        Ok(ParquetFile { path: path.to_path_buf(), file, length, metadata, digests, fields, next: 0 })
    }

    /// Opens the file with all its columns.
    ///
    /// # Errors
    /// Like [`ParquetFile::open`].
    pub(crate) fn open_whole(path: &Path) -> Result<Self> {
        let mut file = ParquetFile::open(path, &[])?;
        let schema = guarded(path, || Ok(infer_schema(&file.metadata)?))?;
        file.fields = schema.iter_values().cloned().collect();
        Ok(file)
    }

    /// The columns that are read.
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Reads, of the columns of a file opened [whole](ParquetFile::open_whole), these only, in this order.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where one is missing.
    pub(crate) fn choose<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let chosen = names.into_iter().map(|name| {
            self.fields.iter().find(|field| field.name == name).cloned().ok_or_else(|| {
                incompatible(&self.path, format!("no column {name}"), "one of its table".to_owned())
            })
        });
        self.fields = chosen.collect::<Result<_>>()?;
        Ok(())
    }

    /// Reads these columns, of a file opened [whole](ParquetFile::open_whole), as these types.
    pub(crate) fn read_as(&mut self, fields: Vec<Field>) {
        self.fields = fields;
    }

    /// Names of the columns that are read.
    pub(crate) fn columns(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.name.to_string()).collect()
    }

    /// The next row group, or `None` after the last.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Corrupt`] where the bytes are damaged or a bound is exceeded.
    pub(crate) fn next_group(&mut self) -> Result<Option<Group>> {
        let group =
            (self.next < self.metadata.row_groups.len()).then(|| self.group(self.next)).transpose()?;
        self.next += usize::from(group.is_some());
        Ok(group)
    }

    /// A row group by its number, which the file has.
    ///
    /// # Errors
    /// As of [`next_group`](Self::next_group).
    pub(crate) fn group(&self, number: usize) -> Result<Group> {
        let group = &self.metadata.row_groups[number];
        let rows = group.num_rows();
        let broken = |reason: String| Error::corrupt(&self.path, 0, reason);
        if rows > MAX_GROUP_ROWS {
            return Err(broken(format!("a row group of {rows} rows, more than {MAX_GROUP_ROWS}")));
        }
        let mut budget = MAX_GROUP_BYTES;
        let mut columns = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let chunks: Vec<&ColumnChunkMetadata> =
                group.columns_under_root_iter(&field.name).into_iter().flatten().collect();
            // Every column type of a table is stored as one chunk of values, lists too.
            let &[chunk] = chunks.as_slice() else {
                return Err(broken(format!("column {}: stored as {} chunks", field.name, chunks.len())));
            };
            let (place, bytes) = read_chunk(&self.path, &self.file, self.length, &field.name, chunk)?;
            let of_chunk = number_of(group, number, chunk);
            self.digests.check(&self.path, of_chunk, place, &bytes, || about(&field.name, number))?;
            let array = guarded(&self.path, || {
                check_pages(chunk, &bytes, rows, field, &mut budget)?;
                decode(chunk, bytes, field)
            })?;
            if array.len() != rows {
                let found = array.len();
                return Err(broken(format!("column {}: {found} values in {rows} rows", field.name)));
            }
            columns.push((field.clone(), array));
        }
        Ok(Group { path: self.path.clone(), rows, columns })
    }
}

fn find(path: &Path, schema: &ArrowSchema, wanted: &WantedColumn) -> Result<Field> {
    let (name, expected) = (&wanted.name, wanted.kind.to_string());
    let Some(field) = schema.get(name) else {
        return Err(incompatible(path, format!("no column {name}"), expected));
    };
    match ColumnType::of(&field.dtype) {
        Some(found) if found == wanted.kind => Ok(field.clone()),
        Some(found) => Err(incompatible(path, format!("column {name} of type {found}"), expected)),
        None => Err(incompatible(path, format!("column {name} of type {:?}", field.dtype), expected)),
    }
}

fn incompatible(path: &Path, found: String, expected: String) -> Error {
    Error::Incompatible { path: path.to_path_buf(), found, expected }
}

fn read_chunk(
    path: &Path,
    file: &File,
    length: u64,
    column: &str,
    chunk: &ColumnChunkMetadata,
) -> Result<(u64, Buffer<u8>)> {
    let range = guarded(path, || Ok(chunk.byte_range()))?;
    if range.end > length || chunk.compressed_size() < 0 {
        let reason = format!("column {column}: its bytes {range:?} lie beyond the file's end {length}");
        return Err(Error::corrupt(path, range.start, reason));
    }
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.read_exact_at(&mut bytes, range.start).at(path)?;
    Ok((range.start, Buffer::from(bytes)))
}

/// The number of a chunk in its file: row group by row group, in each in the order of the schema.
fn number_of(group: &RowGroupMetadata, number: usize, chunk: &ColumnChunkMetadata) -> usize {
    let columns = group.parquet_columns();
    let at = columns.iter().position(|column| std::ptr::eq(column, chunk)).unwrap_or(columns.len());
    number * columns.len() + at
}

/// A chunk as messages name it.
fn about(column: &str, group: usize) -> String {
    format!("column {column} of row group {group}")
}

/// Checks all bytes of a file that hold values against the digests in its footer, for whoever reads it by other means. A file
/// that is not webmill's has none, and passes.
///
/// # Errors
/// [`Error::Io`]; [`Error::Corrupt`] where it is no Parquet file, or a bit is not as it was written: with column and row group.
pub fn verify(path: &Path) -> Result<()> {
    let file = ParquetFile::open(path, &[])?;
    for (number, group) in file.metadata.row_groups.iter().enumerate() {
        for chunk in group.parquet_columns() {
            let column = chunk.descriptor().path_in_schema.first().map_or("", |name| name.as_str());
            let (place, bytes) = read_chunk(path, &file.file, file.length, column, chunk)?;
            file.digests
                .check(path, number_of(group, number, chunk), place, &bytes, || about(column, number))?;
        }
    }
    Ok(())
}

/// Bytes of the largest row group of a file, not compressed: what a reader of it holds at a time, as its footer states it.
///
/// # Errors
/// [`Error::Io`]; [`Error::Corrupt`] where it is no Parquet file.
pub fn largest_group(path: &Path) -> Result<u64> {
    let file = ParquetFile::open(path, &[])?;
    Ok(file.metadata.row_groups.iter().map(|group| group.total_byte_size() as u64).max().unwrap_or(0))
}

/// Why the Parquet library, or we for it, refuse bytes.
pub(crate) struct RefusedBytes(String);

impl<E: std::fmt::Display> From<E> for RefusedBytes {
    fn from(error: E) -> Self {
        RefusedBytes(error.to_string())
    }
}

/// Reads the headers of the pages, so that their bytes and values are bounded before one is decompressed.
fn check_pages(
    chunk: &ColumnChunkMetadata,
    bytes: &Buffer<u8>,
    rows: usize,
    field: &Field,
    budget: &mut u64,
) -> std::result::Result<(), RefusedBytes> {
    let nested = field.dtype.is_nested();
    let most = if nested { MAX_LIST_VALUES } else { rows as i64 };
    let mut values: i64 = 0;
    let pages = PageReader::new(Cursor::new(bytes.clone()), chunk, Vec::new(), bytes.len());
    for page in pages {
        // The size of a dictionary page is not to be seen here; 32 bits bound it.
        if let CompressedPage::Data(page) = page? {
            values = values.saturating_add(i64::try_from(page.num_values())?);
            let size = page.uncompressed_size() as u64;
            match budget.checked_sub(size) {
                Some(left) => *budget = left,
                None => {
                    return Err(RefusedBytes(format!("a row group of more than {MAX_GROUP_BYTES} bytes")));
                }
            }
        }
        if values > most {
            return Err(RefusedBytes(format!("column {}: more than {most} values", field.name)));
        }
    }
    if !nested && values != rows as i64 {
        return Err(RefusedBytes(format!("column {}: {values} values in {rows} rows", field.name)));
    }
    Ok(())
}

fn decode(
    chunk: &ColumnChunkMetadata,
    bytes: Buffer<u8>,
    field: &Field,
) -> std::result::Result<ArrayBox, RefusedBytes> {
    let most = bytes.len();
    let pages = PageReader::new(Cursor::new(bytes), chunk, Vec::new(), most);
    let columns = vec![BasicDecompressor::new(pages, Vec::new())];
    let types = vec![&chunk.descriptor().descriptor.primitive_type];
    let (mut arrays, _) = column_iter_to_arrays(columns, types, field.clone(), None)?;
    match arrays.len() {
        1 => Ok(arrays.remove(0)),
        _ => Ok(concatenate(&arrays.iter().map(|a| a.as_ref()).collect::<Vec<&dyn Array>>())?),
    }
}

/// Runs code of the Parquet library over foreign bytes: its errors and its panics are damage of the file.
pub(crate) fn guarded<T>(
    path: &Path,
    work: impl FnOnce() -> std::result::Result<T, RefusedBytes>,
) -> Result<T> {
    // Nothing that the closure changes is used again after an error, so no broken state can be seen.
    let reason = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(RefusedBytes(reason))) => reason,
        Err(panic) => panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned()))
            .unwrap_or_else(|| "its decoder gave up".to_owned()),
    };
    Err(Error::corrupt(path, 0, format!("not a readable Parquet table: {reason}")))
}
