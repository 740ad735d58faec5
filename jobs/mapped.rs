//! What need not be in memory: items of a fixed size and strings in temporary files without names, mapped.

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
