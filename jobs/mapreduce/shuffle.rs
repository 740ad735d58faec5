//! The file between the two sides: sorted pairs, and where each part begins.
//!
//! **Form.** Pairs part by part: bytes shared with the key before, further bytes of the key, bytes of the value (LEB128 each), then
//! these bytes; the first pair of a part shares nothing. Behind them the offset of each part and of the end of the last one, 8 bytes
//! little-endian each, the number of parts (4 bytes) and a mark (4 bytes). A file lives as long as its job runs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

use crate::mapreduce::coding::write_varint;
use crate::mapreduce::map::PART_BYTES;
use crate::mapreduce::merge::{Merged, Pairs};

const MARK: [u8; 4] = *b"wms1";
/// Bytes that a part is read with at a time.
const WINDOW: usize = 128 << 10;

/// A file of sorted pairs.
#[derive(Clone)]
pub struct Shuffle {
    path: PathBuf,
    file: Arc<File>,
    starts: Arc<[u64]>,
}

impl Shuffle {
    /// Writes pairs of `parts` parts, each with its part before its key, as [`MapSide::finish`](crate::mapreduce::MapSide::finish) gives them; returns how many.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn write(path: &Path, parts: u32, pairs: &mut impl Pairs) -> Result<u64> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path).at(path)?);
        let (mut starts, mut at, mut count) = (Vec::with_capacity(parts as usize + 1), 0u64, 0u64);
        let (mut before, mut head) = (Vec::new(), Vec::new());
        while let Some((key, value)) = pairs.next_pair()? {
            let broken = || Error::Internal("a pair without its part".into());
            let (part, key) = key.split_first_chunk::<PART_BYTES>().ok_or_else(broken)?;
            let part = u16::from_be_bytes(*part) as usize;
            if part >= parts as usize {
                return Err(Error::Internal(format!("a key of part {part}, there are {parts}")));
            }
            while starts.len() <= part {
                starts.push(at);
                before.clear();
            }
            let shared = before.iter().zip(key).take_while(|(a, b)| a == b).count();
            head.clear();
            write_varint(&mut head, shared as u64);
            write_varint(&mut head, (key.len() - shared) as u64);
            write_varint(&mut head, value.len() as u64);
            for bytes in [&head[..], &key[shared..], value] {
                out.write_all(bytes).at(path)?;
                at += bytes.len() as u64;
            }
            before.truncate(shared);
            before.extend_from_slice(&key[shared..]);
            count += 1;
        }
        starts.resize(parts as usize + 1, at);
        for start in &starts {
            out.write_all(&start.to_le_bytes()).at(path)?;
        }
        out.write_all(&parts.to_le_bytes()).and_then(|()| out.write_all(&MARK)).at(path)?;
        out.into_inner().map_err(|e| Error::io(path, e.into_error()))?;
        Ok(count)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where it is none.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).at(path)?;
        let length = file.metadata().at(path)?.len();
        let none = || Error::corrupt(path, 0, "no file of sorted pairs".to_owned());
        let mut end = [0; 8];
        file.read_exact_at(&mut end, length.checked_sub(8).ok_or_else(none)?).at(path)?;
        let parts = u32::from_le_bytes([end[0], end[1], end[2], end[3]]);
        let table = 8 * (u64::from(parts) + 1);
        if end[4..] != MARK || parts > crate::mapreduce::MAX_PARTS || table + 8 > length {
            return Err(none());
        }
        let mut bytes = vec![0; table as usize];
        file.read_exact_at(&mut bytes, length - 8 - table).at(path)?;
        let starts: Vec<u64> =
            bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        if starts.is_sorted() && starts.last() == Some(&(length - 8 - table)) {
            Ok(Shuffle { path: path.to_path_buf(), file: Arc::new(file), starts: starts.into() })
        } else {
            Err(none())
        }
    }

    /// The pairs of a part.
    pub fn part(&self, part: u32) -> Part {
        let at = |n: usize| self.starts.get(n).or(self.starts.last()).copied().unwrap_or_default();
        Part {
            file: self.clone(),
            next: at(part as usize),
            end: at(part as usize + 1),
            window: Vec::new(),
            at: 0,
            key: Vec::new(),
            value: 0..0,
        }
    }

    /// The pairs of a part in all of these files, in order.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub fn merged(files: &[Shuffle], part: u32) -> Result<Merged<Part>> {
        Merged::new(files.iter().map(|file| file.part(part)).collect())
    }
}

/// The pairs of a part of a file, in order.
pub struct Part {
    file: Shuffle,
    next: u64,
    end: u64,
    window: Vec<u8>,
    at: usize,
    key: Vec<u8>,
    value: std::ops::Range<usize>,
}

impl Part {
    /// Makes `bytes` bytes available, as far as the part has them.
    fn need(&mut self, bytes: usize) -> Result<()> {
        if self.window.len() - self.at >= bytes || self.next == self.end {
            return Ok(());
        }
        self.window.drain(..self.at);
        self.at = 0;
        let held = self.window.len();
        let more = ((bytes - held).max(WINDOW) as u64).min(self.end - self.next) as usize;
        self.window.resize(held + more, 0);
        self.file.file.read_exact_at(&mut self.window[held..], self.next).at(&self.file.path)?;
        self.next += more as u64;
        Ok(())
    }

    fn broken(&self) -> Error {
        Error::corrupt(&self.file.path, self.next, "a pair is cut short".to_owned())
    }

    fn number(&mut self) -> Result<usize> {
        let mut rest = &self.window[self.at..];
        let number = crate::mapreduce::read_varint(&mut rest).and_then(|n| usize::try_from(n).ok());
        let number = number.ok_or_else(|| self.broken())?;
        self.at = self.window.len() - rest.len();
        Ok(number)
    }
}

impl Pairs for Part {
    fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        self.need(30)?;
        if self.at == self.window.len() {
            return Ok(None);
        }
        let (shared, further, value) = (self.number()?, self.number()?, self.number()?);
        let bytes = further.checked_add(value).ok_or_else(|| self.broken())?;
        self.need(bytes)?;
        if shared > self.key.len() || self.window.len() - self.at < bytes {
            return Err(self.broken());
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(&self.window[self.at..self.at + further]);
        self.value = self.at + further..self.at + bytes;
        self.at += bytes;
        Ok(Some((&self.key, &self.window[self.value.clone()])))
    }
}
