//! One record by its place: what an index that stores path, offset and length is for.
//!
//! The bytes at the offset say what they are. Before them is read the dictionary of a `.warc.zst`, which stands at its start, and of
//! a compressed file its first record, which tells whether the file is compressed as a whole. Such a file is decoded up to
//! the offset (which is one of the decoded bytes there, as everywhere).
//!
//! Cost: with the stored length one read of that length; without it, or where it turns out to be too short, one of 512
//! KiB and what the record needs. Memory: the record, at most [`ReadOptions::max_record_bytes`] of its block.
//! Determinism: the record is the one that a walk over the file gives at that place.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use webmill_capture::error::{AtPath, Error, Result};
use webmill_capture::memory;

use super::discover::file_name;
use super::discover::{COMPRESSED, SNIFF_BYTES, of_whole, sniff_kind, sniff_plain};
use super::raw_whole::whole_at;
use super::reader::unwrapped;
use super::stream::{Stream, twice};
use super::wacz::{Place, StoredFile};
use super::warc_walk::open;
use super::{Container, Format, OwnedRecord, RawReader, ReadOptions, Resume, WarcReader, member};

/// Stored lengths up to here are read at once.
const AT_ONCE_BYTES: u64 = 64 << 20;

/// Grammar, compression and the dictionary that it needs.
type Kind = (Format, Container, Option<Vec<u8>>);

/// A shard of which single records are read by their place, from any number of threads. Keeps whether it is
/// compressed as a whole, and the dictionary of a `.warc.zst`, once they were needed, and nothing else.
///
/// # Examples
/// ```
/// use webmill_shard::{ReadOptions, RecordFile};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("a.rawdb");
/// let record = "version:1.0\nurl:http://a.example/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:2\n\nhi\n";
/// std::fs::write(&path, record.repeat(2)).unwrap();
/// let shard = RecordFile::new(&path, &ReadOptions::default());
/// let found = shard.read(record.len() as u64, None)?;
/// assert_eq!((&*found.record().data, found.record().place.offset), (&b"hi"[..], record.len() as u64));
/// assert!(shard.read(1, None).unwrap_err().to_string().contains("at byte 1: no record starts here"));
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct RecordFile {
    path: PathBuf,
    name: Arc<str>,
    options: ReadOptions,
    /// Of a file inside of a WACZ, where that is.
    place: OnceLock<Place>,
    dictionary: OnceLock<Option<Vec<u8>>>,
    whole: OnceLock<Option<(Format, Container)>>,
}

/// Reads the record that is stored at byte `offset` of the shard at `path`, `length` bytes long where that is known.
/// Whoever reads several of a file keeps a [`RecordFile`].
///
/// # Errors
/// As [`RecordFile::read`].
pub fn read_record_at(
    path: &Path,
    offset: u64,
    length: Option<u64>,
    options: &ReadOptions,
) -> Result<OwnedRecord> {
    RecordFile::new(path, options).read(offset, length)
}

impl RecordFile {
    /// The shard at `path`. Nothing is read yet.
    pub fn new(path: &Path, options: &ReadOptions) -> RecordFile {
        let options = ReadOptions { exact_start: None, ..options.clone() };
        RecordFile {
            path: path.to_path_buf(),
            name: file_name(path),
            options,
            place: OnceLock::new(),
            dictionary: OnceLock::new(),
            whole: OnceLock::new(),
        }
    }

    /// The record stored at byte `offset`; `length` is a hint that saves reading, and a wrong one does no harm.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read; [`Error::Corrupt`] at `offset` when no record starts there, when the
    /// file ends before it, or when it is damaged; the reason says which.
    pub fn read(&self, offset: u64, length: Option<u64>) -> Result<OwnedRecord> {
        let mut file = self.open()?;
        let size = file.size();
        if let Some((format, container)) = self.compressed_whole(&mut file)? {
            return self.read_inside(format, container, offset);
        }
        if offset < size
            && let Some(length) = length.filter(|length| (1..=self.most_at_once()).contains(length))
        {
            // As they are stored, and as the record that they become.
            let _ = memory::grow(2 * length);
            let mut bytes = Vec::with_capacity(length.min(size - offset) as usize);
            let read = twice(|| {
                bytes.clear();
                file.seek(SeekFrom::Start(offset))?;
                Read::by_ref(&mut file).take(length).read_to_end(&mut bytes)
            });
            read.at(&self.path)?;
            let stream = Stream::from_bytes(&self.path, Arc::clone(&self.name), offset, bytes);
            // A length that is too short shows as a record that is cut off, damaged or measured.
            if let Ok(Some(found)) = self.parse(stream, offset)
                && found.is_flawless()
            {
                return Ok(found);
            }
        }
        let found = match offset < size {
            true => self.parse(self.stream(offset)?, offset),
            false => Ok(None),
        };
        match found {
            Ok(Some(found)) => Ok(found),
            Err(error @ Error::Io { .. }) => Err(error),
            _ if offset >= size => Err(self.corrupt(offset, format!("the file has {size} bytes only"))),
            not => Err(not.err().unwrap_or_else(|| self.corrupt(offset, "no record starts here"))),
        }
    }

    fn open(&self) -> Result<StoredFile> {
        StoredFile::open_again(&self.path, &self.place)
    }

    fn stream(&self, offset: u64) -> Result<Stream> {
        Stream::of_file(self.open()?, &self.path, Arc::clone(&self.name), offset)
    }

    /// Stored bytes that are read at once: of a larger record than may be held, only its beginning is wanted.
    fn most_at_once(&self) -> u64 {
        AT_ONCE_BYTES.min(self.options.max_record_bytes.saturating_add(u64::from(u16::MAX)))
    }

    fn corrupt(&self, offset: u64, reason: impl Into<String>) -> Error {
        Error::corrupt(&self.path, offset, reason)
    }

    /// The record that `stream` begins with; `None` where it begins with none.
    fn parse(&self, mut stream: Stream, offset: u64) -> Result<Option<OwnedRecord>> {
        let Some((format, container, dictionary)) = self.kind(&mut stream)? else { return Ok(None) };
        let options = ReadOptions { exact_start: Some(Resume::from(offset)), ..self.options.clone() };
        let found = match (format, container) {
            (Format::RawDb, Container::Plain) => {
                whole_at(&mut stream, offset).map_err(|reason| self.corrupt(offset, reason))?;
                RawReader::new(stream, offset..u64::MAX, &options).next().transpose()?.map(|r| r.into_owned())
            }
            (Format::RawDb, _) => return Ok(None),
            _ => {
                let (members, damage) = member::Members::new(stream, container, dictionary, limit(&options))?;
                if let Some(error) = damage {
                    return Err(error);
                }
                let mut reader = WarcReader::of_one(members, format, &options)?;
                reader.next().transpose()?.map(|record| record.into_owned())
            }
        };
        Ok(found.filter(|found| found.record().place.offset == offset))
    }

    /// What the bytes at the stream's position are, and the dictionary that they need.
    fn kind(&self, stream: &mut Stream) -> Result<Option<Kind>> {
        let start = stream.fill(SNIFF_BYTES);
        let start = &start[..start.len().min(SNIFF_BYTES)];
        let is_zstd = member::is_zstd(start);
        if !is_zstd {
            let found = sniff_kind(start).map(|(format, container)| (format, container, None));
            return stream.take_error().map_or(Ok(found), Err);
        }
        let dictionary = match self.dictionary.get() {
            Some(dictionary) => dictionary.clone(),
            None => {
                let mut head = self.stream(0)?;
                let found = member::zstd_dictionary(&mut head)?;
                self.dictionary.get_or_init(|| found).clone()
            }
        };
        let bytes = member::zstd_beginning(start, dictionary.as_deref().unwrap_or_default());
        let format = sniff_plain(&bytes).unwrap_or(Format::Warc);
        Ok(Some((format, Container::Zstd, dictionary)))
    }

    /// Format and compression of a file that is compressed as a whole.
    fn compressed_whole(&self, file: &mut StoredFile) -> Result<Option<(Format, Container)>> {
        if let Some(known) = self.whole.get() {
            return Ok(*known);
        }
        let mut magic = Vec::new();
        file.seek(SeekFrom::Start(0)).at(&self.path)?;
        Read::by_ref(file).take(4).read_to_end(&mut magic).at(&self.path)?;
        let mut found = None;
        if COMPRESSED.iter().any(|compressed| magic.starts_with(compressed)) || member::is_zstd(&magic) {
            let mut stream = self.stream(0)?;
            let start = stream.fill(SNIFF_BYTES);
            let kind = sniff_kind(&start[..start.len().min(SNIFF_BYTES)]);
            found = kind.map(|(format, container)| (format, of_whole(stream, format, container)));
        }
        Ok(*self.whole.get_or_init(|| found.filter(|(_, container)| container.is_whole())))
    }

    fn read_inside(&self, format: Format, container: Container, offset: u64) -> Result<OwnedRecord> {
        let stored = self.stream(0)?;
        if format != Format::RawDb {
            let options = ReadOptions { exact_start: Some(Resume::from(offset)), ..self.options.clone() };
            let (members, damage) = open(stored, container, &(0..u64::MAX), &options)?;
            if let Some(error) = damage {
                return Err(error);
            }
            let mut reader = WarcReader::of_one(members, format, &options)?;
            let found = reader.next().transpose()?.map(|record| record.into_owned());
            let found = found.filter(|found| found.record().place.offset == offset);
            return found.ok_or_else(|| self.corrupt(offset, "no record starts here"));
        }
        let mut stream = unwrapped(stored, container)?;
        stream.seek(offset);
        if let Some(error) = stream.take_error() {
            return Err(error);
        }
        whole_at(&mut stream, offset).map_err(|reason| self.corrupt(offset, reason))?;
        let options = ReadOptions { exact_start: Some(Resume::from(offset)), ..self.options.clone() };
        match RawReader::new(stream, offset..u64::MAX, &options).next() {
            Some(found) => found.map(|record| record.into_owned()),
            None => Err(self.corrupt(offset, "no record starts here")),
        }
    }
}

fn limit(options: &ReadOptions) -> usize {
    usize::try_from(options.max_record_bytes).unwrap_or(usize::MAX)
}
