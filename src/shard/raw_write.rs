//! Writing RAW DB: strict heads, compression by record, rotation by size, files that appear whole.
//!
//! A file being written is `.NAME.partial` ([`super::Staged`]) until it is full or [`RawDbWriter::finish`] is called.
//! [`RawDbWriter::append`] goes on after the last complete record of an interrupted or finished file. Records of other
//! RAW DB files are copied with their raw head and their stored, still compressed data, byte for byte.
//!
//! Cost: one pass over the data, memory of one compressed record. Equal records give equal bytes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use webmill_capture::error::{AtPath, Error, Result};

use super::raw_head::Head;
use super::raw_pack::{Compression, NewRecord, RawPacker};
use super::raw_walk::Walker;
use super::staged::Staged;
use super::stream::Stream;
use super::{Format, Record};

/// How to write shards.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Size beyond which the next record begins another file; a single larger record still goes into one file.
    pub max_shard_bytes: u64,
    /// Compression of records written from their data; copied records keep theirs.
    pub compression: Compression,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { max_shard_bytes: 1 << 30, compression: Compression::None }
    }
}

/// Writes RAW DB files.
///
/// # Examples
/// ```
/// use webmill_shard::{NewRecord, RawDbWriter, WriteOptions};
///
/// let folder = tempfile::tempdir().unwrap();
/// let mut writer = RawDbWriter::new(folder.path(), "crawl", WriteOptions::default())?;
/// let data = b"HTTP/1.1 200 OK\r\n\r\nhello";
/// writer.write(&NewRecord { url: "http://a.example/", data, ..NewRecord::default() })?;
/// let files = writer.finish()?;
/// assert!(files[0].ends_with("crawl-00000.rawdb"));
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct RawDbWriter {
    target: Target,
    options: WriteOptions,
    current: Option<Staged>,
    files: Vec<PathBuf>,
    packer: RawPacker,
}

enum Target {
    /// One file, never rotated.
    File(PathBuf),
    /// `PREFIX-00000.rawdb` and so on in a folder; the number is that of the next one.
    Folder { folder: PathBuf, prefix: String, next: usize },
}

impl RawDbWriter {
    /// Writes `PREFIX-00000.rawdb`, `PREFIX-00001.rawdb`, … into `folder`, which is made if need be.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be made.
    pub fn new(folder: &Path, prefix: &str, options: WriteOptions) -> Result<RawDbWriter> {
        std::fs::create_dir_all(folder).at(folder)?;
        let target = Target::Folder { folder: folder.to_path_buf(), prefix: prefix.to_string(), next: 0 };
        Ok(Self::with(target, options, None))
    }

    /// Writes the one file at `path`, whatever its size; it appears (perhaps empty) when finished.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be created.
    pub fn create(path: &Path, options: WriteOptions) -> Result<RawDbWriter> {
        let staged = Staged::create(path)?;
        Ok(Self::with(Target::File(path.to_path_buf()), options, Some(staged)))
    }

    /// Goes on with the one file at `path`: with the partial file of an interrupted writer if there is one, else with
    /// the finished file, else with an empty one. What follows the last complete record is cut off.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when the file is damaged and not just cut off at its end: nothing is changed then, for
    /// recovery may still get records out of it. [`Error::Io`] as usual.
    pub fn append(path: &Path, options: WriteOptions) -> Result<RawDbWriter> {
        let partial = Staged::partial_path(path)?;
        let staged = if partial.try_exists().at(&partial)? {
            let keep = last_complete(&partial)?;
            Staged::resume(path, keep)?
        } else if path.try_exists().at(path)? {
            Staged::append(path, last_complete(path)?)?
        } else {
            Staged::create(path)?
        };
        Ok(Self::with(Target::File(path.to_path_buf()), options, Some(staged)))
    }

    fn with(target: Target, options: WriteOptions, current: Option<Staged>) -> RawDbWriter {
        let packer = RawPacker::new(options.compression, None);
        RawDbWriter { target, options, current, files: Vec::new(), packer }
    }

    /// Writes one record.
    ///
    /// # Errors
    /// [`Error::Config`] when a value cannot be said in a RAW DB head; [`Error::Io`].
    pub fn write(&mut self, record: &NewRecord<'_>) -> Result<()> {
        let mut packer = std::mem::take(&mut self.packer);
        let written = packer.parts(record).and_then(|(head, stored)| self.put(head, stored));
        self.packer = packer;
        written
    }

    /// Writes a record from its raw head (without the blank line) and its data as stored, unchanged.
    ///
    /// # Errors
    /// [`Error::Config`] when they are no RAW DB record; [`Error::Io`].
    pub fn write_stored(&mut self, head: &[u8], stored: &[u8]) -> Result<()> {
        let ended = [head, b"\n"].concat();
        match Head::parse(&ended) {
            Ok(parsed) if parsed.len == ended.len() && parsed.length == stored.len() as u64 => {
                self.put(head, stored)
            }
            _ => Err(Error::Config("not a RAW DB head with the length of its data".into())),
        }
    }

    /// Copies a RAW DB record that was read whole, byte for byte.
    ///
    /// # Errors
    /// [`Error::Config`] when it is of another format or was cut by the limit; [`Error::Io`].
    pub fn copy(&mut self, record: &Record<'_>) -> Result<()> {
        match record.stored {
            Some(stored) if record.format == Format::RawDb => self.write_stored(record.head, stored),
            _ => Err(Error::Config(format!("{}: not a whole RAW DB record to copy", record.url))),
        }
    }

    /// Writes a RAW DB record again under this writer's compression; the other lines of its head stay as they are.
    ///
    /// # Errors
    /// [`Error::Config`] when it is of another format or was cut by the limit; [`Error::Io`].
    pub fn repack(&mut self, record: &Record<'_>) -> Result<()> {
        if record.format != Format::RawDb || (record.data.len() as u64) < record.full_length {
            return Err(Error::Config(format!("{}: not a whole RAW DB record", record.url)));
        }
        let ours = [&b"unzip-length:"[..], b"x-compression:", b"length:"];
        let lines = record.head.split_inclusive(|b| *b == b'\n');
        let mut head =
            lines.filter(|line| !ours.iter().any(|name| line.starts_with(name))).collect::<Vec<_>>().concat();
        let mut packer = std::mem::take(&mut self.packer);
        let written = packer.compress(&record.data).and_then(|packed| {
            let stored = if packed.is_some() { packer.packed() } else { &record.data };
            if let Some(packed) = packed {
                head.extend(format!("x-compression:{packed}\nunzip-length:{}\n", record.data.len()).bytes());
            }
            head.extend(format!("length:{}\n", stored.len()).bytes());
            self.write_stored(&head, stored)
        });
        self.packer = packer;
        written
    }

    /// Copies the stored record at `offset` of the file at `path`, `length` bytes, in bounded memory.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn copy_range(&mut self, path: &Path, offset: u64, length: u64) -> Result<()> {
        let mut file = File::open(path).at(path)?;
        file.seek(SeekFrom::Start(offset)).at(path)?;
        let staged = self.room_for(length)?;
        let mut source = file.take(length);
        let mut chunk = vec![0; 256 * 1024];
        loop {
            let n = source.read(&mut chunk).at(path)?;
            if n == 0 {
                break;
            }
            staged.put(&chunk[..n])?;
        }
        if source.limit() > 0 {
            return Err(Error::corrupt(path, offset, "the file became shorter while it was copied"));
        }
        Ok(())
    }

    /// Finishes the current file and gives the paths of all files written.
    ///
    /// # Errors
    /// [`Error::Io`]; files finished before stay.
    pub fn finish(mut self) -> Result<Vec<PathBuf>> {
        self.commit()?;
        Ok(std::mem::take(&mut self.files))
    }

    fn put(&mut self, head: &[u8], stored: &[u8]) -> Result<()> {
        let staged = self.room_for((head.len() + stored.len()) as u64 + 2)?;
        staged.put(head)?;
        staged.put(b"\n")?;
        staged.put(stored)?;
        staged.put(b"\n")
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
                    folder.join(format!("{prefix}-{:05}.rawdb", *next - 1))
                }
            };
            self.current = Some(Staged::create(&path)?);
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

/// Where the last complete record of the file ends.
fn last_complete(path: &Path) -> Result<u64> {
    let stream = Stream::open(path, Arc::from("-"), 0)?;
    let mut walker = Walker::new(stream, 0..u64::MAX, None, u64::MAX);
    let mut end = 0;
    while let Some(next) = walker.next() {
        match next {
            Ok(found) => end = found.end,
            Err(error) => {
                let mut tail = Walker::new(Stream::open(path, Arc::from("-"), end)?, 0..u64::MAX, None, 0);
                return if tail.is_cut(end) && walker.next().is_none() {
                    Ok(end)
                } else {
                    Err(advise(error))
                };
            }
        }
    }
    Ok(end)
}

fn advise(error: Error) -> Error {
    match error {
        Error::Corrupt { path, offset, reason, lost, cut_off } => Error::Corrupt {
            path,
            offset,
            reason: format!(
                "{reason}; nothing is appended to a damaged file: run `webmill shard recover` first"
            ),
            lost,
            cut_off,
        },
        other => other,
    }
}
