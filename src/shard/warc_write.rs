//! Writing WARC 1.1 (or 1.0): one gzip member or zstd frame a record, or plain.
//!
//! Heads made here have the mandatory fields, block and payload digests (SHA-1, base32) and CR LF line ends. A record
//! without identifier gets one made of its content (a UUID of version 8), so that equal records give equal bytes; gzip
//! members carry no time and no name for the same reason. With a dictionary, a zstd file begins with it in a skippable
//! frame, as `.warc.zst` files do. A file appears under its name only when it is whole ([`super::Staged`]).
//!
//! Reference: ISO 28500:2017; RFC 1952; RFC 8878.

use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};

use super::embedded_head::MADE_HERE;
use super::raw_pack::Compression;
use super::staged::Staged;
use super::warc_pack::{NewWarcRecord, WarcOptions, WarcPacker};
use super::{Format, Record, RecordType, warc_frame, warc_head};

/// Writes WARC files.
///
/// # Examples
/// ```
/// use webmill_shard::{NewWarcRecord, ReadOptions, ShardReader, WarcOptions, WarcWriter};
///
/// let folder = tempfile::tempdir().unwrap();
/// let mut writer = WarcWriter::new(folder.path(), "crawl", WarcOptions::default())?;
/// writer.write(&NewWarcRecord {
///     url: Some("http://a.example/"),
///     data: b"HTTP/1.1 200 OK\r\n\r\nhello",
///     ..NewWarcRecord::default()
/// })?;
/// let files = writer.finish()?;
/// assert!(files[0].ends_with("crawl-00000.warc.gz"));
/// let mut reader = ShardReader::open(&files[0], &ReadOptions::default())?;
/// assert_eq!(reader.next().unwrap()?.url, "http://a.example/");
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct WarcWriter {
    target: Target,
    options: WarcOptions,
    current: Option<Staged>,
    files: Vec<PathBuf>,
    packed: Vec<u8>,
    packer: WarcPacker,
    /// Conversion: the date of the file whose records are written.
    pub(super) date_of_file: Option<i64>,
    /// Conversion: the record that each file begins with.
    info: Vec<u8>,
}

enum Target {
    File(PathBuf),
    Folder { folder: PathBuf, prefix: String, next: usize },
}

impl WarcWriter {
    /// Writes `PREFIX-00000.warc.gz` (`.warc`, `.warc.zst`), `PREFIX-00001.warc.gz`, … into `folder`, which is made if
    /// need be.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be made; [`Error::Config`] for a dictionary that cannot be used.
    pub fn new(folder: &Path, prefix: &str, options: WarcOptions) -> Result<WarcWriter> {
        std::fs::create_dir_all(folder).at(folder)?;
        let target = Target::Folder { folder: folder.to_path_buf(), prefix: prefix.to_string(), next: 0 };
        Self::with(target, options)
    }

    /// Writes the one file at `path`, whatever its size; it appears (perhaps empty) when finished.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be created; [`Error::Config`] for a dictionary that cannot be used.
    pub fn create(path: &Path, options: WarcOptions) -> Result<WarcWriter> {
        let mut writer = Self::with(Target::File(path.to_path_buf()), options)?;
        writer.room_for(0)?;
        Ok(writer)
    }

    fn with(target: Target, options: WarcOptions) -> Result<WarcWriter> {
        let packer = WarcPacker::new(&options, None)?;
        Ok(WarcWriter {
            target,
            options,
            current: None,
            files: Vec::new(),
            packed: Vec::new(),
            packer,
            date_of_file: None,
            info: Vec::new(),
        })
    }

    /// Writes one record.
    ///
    /// # Errors
    /// [`Error::Config`] when a value cannot be said in a WARC head; [`Error::Io`].
    pub fn write(&mut self, record: &NewWarcRecord<'_>) -> Result<()> {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        let done = self.packer.pack(record, &mut packed).and_then(|()| self.append(&packed));
        self.packed = packed;
        done
    }

    /// Puts a `warcinfo` at the start of every file that has nothing in it yet.
    pub(super) fn begin_with_info(&mut self, date_ms: i64) -> Result<()> {
        if !self.info.is_empty() {
            return Ok(());
        }
        let version = if self.options.version_1_0 { "1.0" } else { "1.1" };
        let block = format!(
            "software: webmill/{}\r\nformat: WARC File Format {version}\r\n\
             conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-{version}/\r\n",
            env!("CARGO_PKG_VERSION")
        );
        let record = NewWarcRecord {
            kind: RecordType::Warcinfo,
            url: None,
            date_ms,
            extra: &[(MADE_HERE, "1")],
            data: block.as_bytes(),
            ..NewWarcRecord::default()
        };
        let mut info = Vec::new();
        self.packer.pack(&record, &mut info)?;
        let preamble = self.preamble_bytes();
        match &mut self.current {
            Some(staged) if staged.written() == preamble => staged.put(&info)?,
            _ => {}
        }
        self.info = info;
        Ok(())
    }

    /// Bytes of a file before its first record.
    fn preamble_bytes(&self) -> u64 {
        self.options.dictionary.as_ref().map_or(0, |dictionary| dictionary.len() as u64 + 8)
    }

    /// Writes a record from its head as stored (without the blank line) and its block, unchanged.
    ///
    /// # Errors
    /// [`Error::Config`] when they are no WARC record; [`Error::Io`].
    pub fn write_stored(&mut self, head: &[u8], block: &[u8]) -> Result<()> {
        let blank: &[u8] = if head.ends_with(b"\r\n") || !head.ends_with(b"\n") { b"\r\n" } else { b"\n" };
        match warc_head::parse(&[head, blank].concat()) {
            warc_frame::Parsed::Complete(parsed)
                if parsed.head_end == head.len() && parsed.length == Some(block.len() as u64) =>
            {
                self.put(&[head, blank, block, b"\r\n\r\n"])
            }
            _ => Err(Error::Config("not a WARC head with the length of its block".into())),
        }
    }

    /// Copies a WARC record that was read whole: head and block stay as they are, compression is this writer's.
    ///
    /// # Errors
    /// [`Error::Config`] when it is of another format, was cut by the limit or states a wrong length; [`Error::Io`].
    pub fn copy(&mut self, record: &Record<'_>) -> Result<()> {
        if record.format != Format::Warc || (record.data.len() as u64) < record.full_length {
            return Err(Error::Config(format!("{}: not a whole WARC record to copy", record.url)));
        }
        self.write_stored(record.head, &record.data)
    }

    /// Finishes the current file and gives the paths of all files written.
    ///
    /// # Errors
    /// [`Error::Io`]; files finished before stay.
    pub fn finish(mut self) -> Result<Vec<PathBuf>> {
        self.commit()?;
        Ok(std::mem::take(&mut self.files))
    }

    fn put(&mut self, parts: &[&[u8]]) -> Result<()> {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        let done = self.packer.compress(parts, &mut packed).and_then(|()| self.append(&packed));
        self.packed = packed;
        done
    }

    fn append(&mut self, packed: &[u8]) -> Result<()> {
        self.room_for(packed.len() as u64)?.put(packed)
    }

    /// The file that takes the next `bytes`.
    fn room_for(&mut self, bytes: u64) -> Result<&mut Staged> {
        let rotates = matches!(self.target, Target::Folder { .. });
        let full = |staged: &Staged| {
            staged.written() > 0 && staged.written().saturating_add(bytes) > self.options.max_shard_bytes
        };
        if rotates && self.current.as_ref().is_some_and(full) {
            self.commit()?;
        }
        if self.current.is_none() {
            let path = match &mut self.target {
                Target::File(path) => path.clone(),
                Target::Folder { folder, prefix, next } => {
                    *next += 1;
                    let ending = match self.options.compression {
                        Compression::None => "warc",
                        Compression::Gzip => "warc.gz",
                        Compression::Zstd => "warc.zst",
                    };
                    folder.join(format!("{prefix}-{:05}.{ending}", *next - 1))
                }
            };
            let mut staged = Staged::create(&path)?;
            if let Some(dictionary) = &self.options.dictionary {
                let size = u32::try_from(dictionary.len())
                    .map_err(|_| Error::Config("a zstd dictionary of more than 4 GiB".into()))?;
                staged.put(&[0x5d, 0x2a, 0x4d, 0x18])?;
                staged.put(&size.to_le_bytes())?;
                staged.put(dictionary)?;
            }
            staged.put(&self.info)?;
            self.current = Some(staged);
        }
        self.current.as_mut().ok_or_else(|| Error::Internal("no file to write to".into()))
    }

    fn commit(&mut self) -> Result<()> {
        if let Some(staged) = self.current.take() {
            self.files.push(staged.commit()?);
        }
        Ok(())
    }
}
