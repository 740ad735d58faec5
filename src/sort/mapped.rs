//! What need not be in memory: items of a fixed size, strings and rows in temporary files without names, mapped: the system may
//! take their memory back.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;
use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use webmill_capture::error::{AtPath, Error, Result};

use super::{Budget, Sorter};

/// Bytes of a file of rows that are held as the process's own.
const HELD_BYTES: u64 = 8 << 20;

/// Items of a temporary file, read where they are.
pub struct Mapped<T> {
    /// `None` for no items: nothing cannot be mapped.
    bytes: Option<Mmap>,
    items: PhantomData<T>,
}

impl<T> Default for Mapped<T> {
    fn default() -> Self {
        Mapped { bytes: None, items: PhantomData }
    }
}

impl<T: Pod> Deref for Mapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.bytes.as_deref().map_or(&[], bytemuck::cast_slice)
    }
}

impl<T: Pod> Mapped<T> {
    /// The items of a stream, in a file in `folder`.
    ///
    /// # Errors
    /// Where the disk refuses, or the stream.
    pub fn of(folder: &Path, items: impl IntoIterator<Item = Result<T>>) -> Result<Self> {
        let mut writer = MappedWriter::create(folder)?;
        items.into_iter().try_for_each(|item| writer.push(item?))?;
        writer.finish()
    }
}

impl Mapped<u8> {
    /// Notes that `more` bytes are read; each time that these are [`HELD_BYTES`], pages that were read are no longer held as the
    /// process's own: the file system still has them, and they come back when they are read.
    fn forget(&self, read: &AtomicU64, more: u64) {
        let before = read.fetch_add(more, Ordering::Relaxed);
        let Some(bytes) = self.bytes.as_ref().filter(|_| before / HELD_BYTES != (before + more) / HELD_BYTES)
        else {
            return;
        };
        // SAFETY: the map is shared, of a file that nobody writes to, so that its pages come back with the same bytes.
        let _ = unsafe { bytes.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }
}

/// Writes the items of a [`Mapped`], which live in the file system until that is dropped.
pub struct MappedWriter<T> {
    file: BufWriter<File>,
    folder: PathBuf,
    written: u64,
    items: PhantomData<T>,
}

impl<T: Pod> MappedWriter<T> {
    /// An empty file in a folder for temporary ones.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(folder: &Path) -> Result<Self> {
        let file = BufWriter::new(tempfile::tempfile_in(folder).at(folder)?);
        Ok(MappedWriter { file, folder: folder.to_path_buf(), written: 0, items: PhantomData })
    }

    /// Appends an item.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, item: T) -> Result<()> {
        self.extend(&[item])
    }

    /// Appends items.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn extend(&mut self, items: &[T]) -> Result<()> {
        self.written += items.len() as u64;
        self.file.write_all(bytemuck::cast_slice(items)).at(&self.folder)
    }

    /// Items so far.
    #[allow(clippy::len_without_is_empty, reason = "nobody asks whether it is empty")]
    pub fn len(&self) -> u64 {
        self.written
    }

    /// The items, mapped.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<Mapped<T>> {
        let file = self.file.into_inner().map_err(|e| Error::io(&self.folder, e.into_error()))?;
        // SAFETY: the file is a temporary one without a name, complete, and not written to again.
        let bytes =
            if self.written == 0 { None } else { Some(unsafe { Mmap::map(&file) }.at(&self.folder)?) };
        Ok(Mapped { bytes, items: PhantomData })
    }
}

/// Strings by number, one after the other.
pub struct Strings {
    starts: Mapped<u64>,
    bytes: Mapped<u8>,
}

impl Strings {
    /// String `i`; empty out of range.
    pub fn get(&self, i: usize) -> &str {
        let (Some(&from), Some(&to)) = (self.starts.get(i), self.starts.get(i + 1)) else { return "" };
        self.bytes.get(from as usize..to as usize).map_or("", |b| std::str::from_utf8(b).unwrap_or_default())
    }
}

/// Writes [`Strings`].
pub struct StringsWriter {
    starts: MappedWriter<u64>,
    bytes: MappedWriter<u8>,
}

impl StringsWriter {
    /// Two empty files in `folder`.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(folder: &Path) -> Result<Self> {
        let mut starts = MappedWriter::create(folder)?;
        starts.push(0)?;
        Ok(StringsWriter { starts, bytes: MappedWriter::create(folder)? })
    }

    /// Appends a string.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, text: &str) -> Result<()> {
        self.bytes.extend(text.as_bytes())?;
        self.starts.push(self.bytes.len())
    }

    /// The strings, mapped.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<Strings> {
        Ok(Strings { starts: self.starts.finish()?, bytes: self.bytes.finish()? })
    }
}

/// A key of 128 bits and its number, as a [`Sorter`] orders them.
pub fn keyed(key: u128, number: u64) -> [u64; 3] {
    [(key >> 64) as u64, key as u64, number]
}

/// Numbers by keys of 128 bits.
///
/// # Examples
/// ```
/// # use webmill_sort::{ByKey, Budget, Sorter, keyed};
/// let mut pages = Sorter::new(&Budget::new(1 << 20));
/// pages.extend([keyed(9 << 70, 1), keyed(5, 2)])?;
/// let pages = ByKey::of(pages)?;
/// assert_eq!((pages.get(9 << 70), pages.get(6)), (Some(1), None));
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct ByKey(Mapped<[u64; 3]>);

impl ByKey {
    /// Of what [`keyed`] gives, a key once.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn of(sorter: Sorter<[u64; 3]>) -> Result<Self> {
        sorter.mapped().map(ByKey)
    }

    /// The number of a key.
    pub fn get(&self, key: u128) -> Option<u64> {
        let [high, low, _] = keyed(key, 0);
        let at = self.0.binary_search_by(|entry| entry[..2].cmp(&[high, low])).ok()?;
        Some(self.0[at][2])
    }

    /// The numbers, in the order of their keys.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = u64> {
        self.0.iter().map(|entry| entry[2])
    }
}

/// Rows of any size, each with a number of its own.
///
/// # Examples
/// ```
/// # use webmill_sort::{Budget, NumberedWriter};
/// let mut writer = NumberedWriter::create(&Budget::new(1 << 20))?;
/// writer.put(7, &("http://b/", 1))?;
/// writer.put(3, &("http://a/", 2))?;
/// let rows = writer.finish()?;
/// assert_eq!(rows.get::<(&str, i32)>(7)?, ("http://b/", 1));
/// assert!(rows.get::<(&str, i32)>(5).is_err());
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct Numbered {
    bytes: Mapped<u8>,
    /// Bytes that were handed out.
    read: AtomicU64,
    /// Number, first byte, byte after the last one; ascending.
    places: Mapped<[u64; 3]>,
}

impl Numbered {
    /// The row of a number, which may borrow from the file.
    ///
    /// # Errors
    /// [`Error::Internal`] where there is none, or one of another type.
    pub fn get<'a, T: Deserialize<'a>>(&'a self, number: u64) -> Result<T> {
        let at = self.places.binary_search_by_key(&number, |place| place[0]).ok();
        let place = at.map(|at| self.places[at][1] as usize..self.places[at][2] as usize);
        self.bytes.forget(&self.read, place.as_ref().map_or(0, ExactSizeIterator::len) as u64);
        let row = place.and_then(|place| postcard::from_bytes(self.bytes.get(place)?).ok());
        row.ok_or_else(|| Error::Internal(format!("row {number} on disk is not what was put there")))
    }
}

fn packed_into(row: &impl Serialize, memory: Vec<u8>) -> Result<Vec<u8>> {
    postcard::to_extend(row, memory).map_err(|e| Error::Internal(e.to_string()))
}

/// Takes the rows of a [`Numbered`], in any order.
pub struct NumberedWriter {
    bytes: MappedWriter<u8>,
    places: Sorter<[u64; 3]>,
    /// Memory for rows that are packed.
    row: Vec<u8>,
}

impl NumberedWriter {
    /// Without any; their numbers are sorted within the budget.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(budget: &Budget) -> Result<Self> {
        let bytes = MappedWriter::create(&budget.temp_dir)?;
        Ok(NumberedWriter { bytes, places: Sorter::new(budget), row: Vec::new() })
    }

    /// Takes the row of a number.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn put(&mut self, number: u64, row: &impl Serialize) -> Result<()> {
        let packed = packed_into(row, std::mem::take(&mut self.row))?;
        self.put_packed(number, &packed)?;
        self.row = packed;
        self.row.clear();
        Ok(())
    }

    /// A row as [`put_packed`](Self::put_packed) takes it: what threads can make side by side.
    ///
    /// # Errors
    /// [`Error::Internal`] where it cannot be packed.
    pub fn packed(row: &impl Serialize) -> Result<Vec<u8>> {
        packed_into(row, Vec::new())
    }

    /// Takes the row of a number, packed.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn put_packed(&mut self, number: u64, row: &[u8]) -> Result<()> {
        let from = self.bytes.len();
        self.bytes.extend(row)?;
        self.places.push([number, from, self.bytes.len()])
    }

    /// The rows, mapped.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<Numbered> {
        Ok(Numbered { bytes: self.bytes.finish()?, read: AtomicU64::new(0), places: self.places.mapped()? })
    }
}
