//! What duplicates are sought with and does not fit memory: fixed-size items and strings in temporary files that are mapped.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use memmap2::Mmap;
use webmill_capture::error::{AtPath, Error, Result};

/// Items of a temporary file, read where they are.
pub struct Mapped<T> {
    /// `None` for no items: nothing cannot be mapped.
    bytes: Option<Mmap>,
    items: PhantomData<T>,
}

impl<T: Pod> Deref for Mapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.bytes.as_deref().map_or(&[], bytemuck::cast_slice)
    }
}

impl<T: Pod> Mapped<T> {
    /// The items of a sorted stream.
    ///
    /// # Errors
    /// Where the disk refuses, or the stream.
    pub fn of(path: &Path, items: impl IntoIterator<Item = Result<T>>) -> Result<Self> {
        let mut writer = MappedWriter::create(path)?;
        items.into_iter().try_for_each(|item| writer.push(item?))?;
        writer.finish()
    }
}

/// Writes the items of a [`Mapped`], which live in the file system until that is dropped.
pub struct MappedWriter<T> {
    file: BufWriter<File>,
    path: PathBuf,
    written: u64,
    items: PhantomData<T>,
}

impl<T: Pod> MappedWriter<T> {
    /// An empty file at `path`, in a folder for temporary files.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path).at(path)?;
        Ok(MappedWriter {
            file: BufWriter::new(file),
            path: path.to_path_buf(),
            written: 0,
            items: PhantomData,
        })
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
        self.file.write_all(bytemuck::cast_slice(items)).at(&self.path)
    }

    /// Items so far.
    pub fn len(&self) -> u64 {
        self.written
    }

    /// The items, mapped.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<Mapped<T>> {
        let file = self.file.into_inner().map_err(|e| Error::io(&self.path, e.into_error()))?;
        // SAFETY: the file is a temporary one of this process, complete, and not written to again.
        let bytes = if self.written == 0 { None } else { Some(unsafe { Mmap::map(&file) }.at(&self.path)?) };
        // The mapping keeps the bytes; the name is not needed any more.
        std::fs::remove_file(&self.path).at(&self.path)?;
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
    /// Two empty files in `folder`, called by `name`.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(folder: &Path, name: &str) -> Result<Self> {
        let mut starts = MappedWriter::create(&folder.join(format!("{name}.starts")))?;
        starts.push(0)?;
        Ok(StringsWriter { starts, bytes: MappedWriter::create(&folder.join(format!("{name}.bytes")))? })
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
