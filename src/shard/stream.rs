//! The byte source under every shard reader: a growable window over a file or over any `Read`.
//!
//! A reader asks for the next `n` bytes with [`Stream::fill`], borrows records straight from the window (no copy) and
//! then [`Stream::consume`]s them. Recovery needs to look far ahead without losing its place: [`Stream::peek_at`] reads
//! anywhere after the position. A file is read there directly; a pipe is spooled to an unnamed temporary file, but
//! only from the moment somebody looks ahead and only until the walk has caught up.
//!
//! Cost: reads of at least 512 KiB; memory is the largest `n` asked for plus 512 KiB, and shrinks again after a large
//! record. A failing read does not lose what was read before it: the stream ends there and [`Stream::take_error`]
//! says why. Whoever sees the end must ask.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use webmill_capture::error::{AtPath, Error, Result};
use webmill_capture::memory;

use super::wacz::StoredFile;

/// Least number of bytes that one read asks the system for.
pub const READ_BYTES: usize = 512 * 1024;
/// A window larger than this is given back once its record is consumed.
const KEEP_BYTES: usize = 4 * READ_BYTES;
/// Looking ahead up to here just fills the window, which the walk will need anyway.
const NEAR_BYTES: u64 = 2 * READ_BYTES as u64;
/// Most bytes that a decoder is asked for at a time.
const DECODED_BYTES: usize = 16 * 1024;
/// Least number of bytes read for a look far ahead.
const AHEAD_BYTES: usize = 16 * 1024;

/// A window over stored bytes. Positions are byte offsets in the file as stored (for a pipe: since its start).
pub struct Stream {
    source: ByteSource,
    path: Arc<Path>,
    name: Arc<str>,
    window: Vec<u8>,
    start: usize,
    end: usize,
    position: u64,
    ended: bool,
    error: Option<Error>,
    ahead: Vec<u8>,
    ahead_at: u64,
    /// What the decoder behind a pipe gave up on, in stored bytes.
    undecoded: Option<Arc<AtomicU64>>,
}

enum ByteSource {
    File { file: StoredFile, at: u64, size: u64 },
    Pipe(Pipe),
}

/// Any `Read`, with what was looked at ahead of the walk kept in a temporary file.
struct Pipe {
    reader: Box<dyn Read + Send>,
    /// Bytes taken from the reader so far.
    front: u64,
    /// Bytes `base..front`, while the walk is behind the front.
    spool: Option<(File, u64)>,
}

impl Stream {
    /// Opens the file at `path`; `name` is what tables call it; reading starts at byte `offset`.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be opened.
    pub fn open(path: &Path, name: Arc<str>, offset: u64) -> Result<Stream> {
        Self::of_file(StoredFile::open(path)?, path, name, offset)
    }

    /// The same of a file that is open.
    pub(crate) fn of_file(mut file: StoredFile, path: &Path, name: Arc<str>, offset: u64) -> Result<Stream> {
        let size = file.size();
        if offset > 0 {
            file.seek(SeekFrom::Start(offset)).at(path)?;
        }
        Ok(Self::with(ByteSource::File { file, at: offset, size }, path, name, offset))
    }

    /// Reads from anything; `name` stands for the path in messages and tables.
    pub fn from_reader(reader: Box<dyn Read + Send>, name: &str) -> Stream {
        let pipe = Pipe { reader, front: 0, spool: None };
        Self::with(ByteSource::Pipe(pipe), Path::new(name), Arc::from(name), 0)
    }

    /// Bytes that were read already: those of the file at `path` from `position` on, beyond which nothing is read.
    pub fn from_bytes(path: &Path, name: Arc<str>, position: u64, bytes: Vec<u8>) -> Stream {
        let pipe = Pipe { reader: Box::new(io::empty()), front: 0, spool: None };
        let mut stream = Self::with(ByteSource::Pipe(pipe), path, name, position);
        stream.end = bytes.len();
        stream.window = bytes;
        stream.ended = true;
        stream
    }

    fn with(source: ByteSource, path: &Path, name: Arc<str>, position: u64) -> Stream {
        Stream {
            source,
            path: Arc::from(path),
            name,
            window: Vec::new(),
            start: 0,
            end: 0,
            position,
            ended: false,
            error: None,
            ahead: Vec::new(),
            ahead_at: 0,
            undecoded: None,
        }
    }

    /// A stream of the bytes that `decoder` makes of `stored` bytes, under the path and name of those. If decoding fails, the
    /// rest of them is lost: `inner` gives the stored stream that the decoder reads.
    pub(crate) fn decoded<D: Read + Send + 'static>(
        decoder: D,
        inner: fn(&mut D) -> &mut Stream,
        (path, name): (Arc<Path>, Arc<str>),
    ) -> Stream {
        let undecoded = Arc::new(AtomicU64::new(0));
        let reader = DecodingReader { decoder, inner, undecoded: Arc::clone(&undecoded) };
        let mut stream = Stream::from_reader(Box::new(reader), "");
        (stream.path, stream.name, stream.undecoded) = (path, name, Some(undecoded));
        stream
    }

    /// Path of the file, or the name given for a pipe.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What tables call this file.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Offset of the next byte.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Size of the file; unknown for a pipe.
    pub fn size(&self) -> Option<u64> {
        match &self.source {
            ByteSource::File { size, .. } => Some(*size),
            ByteSource::Pipe(_) => None,
        }
    }

    /// The buffered bytes at the position, without reading.
    pub fn buffered(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// Everything buffered, after reading until at least `n` bytes are or the stream ends.
    ///
    /// The window grows to `n`: callers bound `n`. Fewer than `n` bytes means the end; see [`Stream::take_error`].
    pub fn fill(&mut self, n: usize) -> &[u8] {
        if self.end - self.start < n && !self.ended {
            self.read_until(n);
        }
        self.buffered()
    }

    /// True when nothing follows the position.
    pub fn at_end(&mut self) -> bool {
        self.fill(1).is_empty()
    }

    /// The failure that ended the stream early, once.
    pub fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// Moves the position over `n` buffered bytes.
    ///
    /// # Panics
    /// When fewer than `n` bytes are buffered.
    pub fn consume(&mut self, n: usize) {
        assert!(n <= self.end - self.start, "consume only what is buffered");
        self.start += n;
        self.position += n as u64;
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.window.len() > KEEP_BYTES {
                self.window = Vec::new();
            }
        }
    }

    /// Moves the position over `n` bytes, buffered or not; a file seeks. Gives the number skipped, less at the end.
    pub fn skip(&mut self, n: u64) -> u64 {
        let held = (self.end - self.start) as u64;
        if n <= held {
            self.consume(n as usize);
            return n;
        }
        self.consume(held as usize);
        if let ByteSource::File { size, .. } = self.source {
            let step = (n - held).min(size.saturating_sub(self.position));
            self.position += step;
            return held + step;
        }
        let mut left = n - held;
        while left > 0 {
            let step = (self.fill(1).len() as u64).min(left);
            if step == 0 {
                break;
            }
            self.consume(step as usize);
            left -= step;
        }
        n - left
    }

    /// Moves the position to `offset`. A file goes anywhere; a pipe only forward (else nothing happens).
    pub fn seek(&mut self, offset: u64) {
        if offset >= self.position {
            self.skip(offset - self.position);
        } else if let ByteSource::File { .. } = self.source {
            self.start = 0;
            self.end = 0;
            self.position = offset;
            self.ended = false;
        }
    }

    /// Up to `n` bytes at `offset`, which must not lie before the position; fewer only at the end of the stream.
    /// The position stays.
    pub fn peek_at(&mut self, offset: u64, n: usize) -> &[u8] {
        let Some(from) = offset.checked_sub(self.position) else { return &[] };
        let held = (self.end - self.start) as u64;
        let until = from.saturating_add(n as u64);
        if from < held || until <= NEAR_BYTES {
            let window = self.fill(until as usize);
            let from = (from as usize).min(window.len());
            return &window[from..window.len().min(until as usize)];
        }
        if !self.ahead_holds(offset, n) {
            self.read_ahead(offset, n.max(AHEAD_BYTES));
        }
        let from = (offset - self.ahead_at) as usize;
        let from = from.min(self.ahead.len());
        &self.ahead[from..self.ahead.len().min(from + n)]
    }

    fn ahead_holds(&self, offset: u64, n: usize) -> bool {
        offset >= self.ahead_at && offset.saturating_add(n as u64) <= self.ahead_at + self.ahead.len() as u64
    }

    fn read_ahead(&mut self, offset: u64, n: usize) {
        self.ahead.resize(n, 0);
        self.ahead_at = offset;
        let mut got = 0;
        while got < n {
            match self.source.read_at(offset + got as u64, &mut self.ahead[got..], true) {
                Ok(0) => break,
                Ok(k) => got += k,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // A look ahead that fails is a look that finds nothing; the walk will meet the failure itself.
                Err(_) => break,
            }
        }
        self.ahead.truncate(got);
    }

    fn read_until(&mut self, n: usize) {
        let held = self.end - self.start;
        if self.start > 0 && (held == 0 || self.start + n.max(held + READ_BYTES) > self.window.len()) {
            self.window.copy_within(self.start..self.end, 0);
            self.start = 0;
            self.end = held;
        }
        let want = n.max(held + READ_BYTES);
        if self.window.len() < want {
            // What is too large was bounded by who reads: here it only waits for its turn.
            let _ = memory::grow(want as u64);
            self.window.resize(want, 0);
        }
        while self.end - self.start < n {
            let at = self.position + (self.end - self.start) as u64;
            match self.source.read_at(at, &mut self.window[self.end..], false) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(k) => self.end += k,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.ended = true;
                    self.error = Some(self.explain(e, at));
                    break;
                }
            }
        }
    }

    /// A decoder's complaint is about the data; everything else is the system's.
    fn explain(&self, error: io::Error, offset: u64) -> Error {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                let lost = self.undecoded.as_ref().map_or(0, |rest| rest.load(Ordering::Relaxed));
                let reason = format!("the compressed stream is damaged: {error}");
                Error::corrupt(&*self.path, offset, reason).losing(lost)
            }
            _ => Error::io(&*self.path, error),
        }
    }
}

/// Asks the system again where it fails at something that may go well the next time: disks of other machines do. What several passes
/// read is so the same in all of them.
pub(crate) fn twice<T>(mut ask: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    use io::ErrorKind::{Interrupted, IsADirectory, NotFound, PermissionDenied};
    ask().or_else(|error| match error.kind() {
        NotFound | PermissionDenied | IsADirectory | Interrupted => Err(error),
        _ => ask(),
    })
}

impl ByteSource {
    fn read_at(&mut self, offset: u64, into: &mut [u8], ahead: bool) -> io::Result<usize> {
        match self {
            ByteSource::File { file, at, .. } => {
                if *at != offset {
                    file.seek(SeekFrom::Start(offset))?;
                    *at = offset;
                }
                let n = twice(|| file.read(into))?;
                *at += n as u64;
                Ok(n)
            }
            ByteSource::Pipe(pipe) => pipe.read_at(offset, into, ahead),
        }
    }
}

impl Pipe {
    fn read_at(&mut self, offset: u64, into: &mut [u8], ahead: bool) -> io::Result<usize> {
        if ahead && self.spool.is_none() {
            self.spool = Some((tempfile::tempfile()?, self.front));
        }
        while self.front < offset {
            let mut chunk = [0; 16 * 1024];
            let want = (offset - self.front).min(chunk.len() as u64) as usize;
            if self.advance(&mut chunk[..want])? == 0 {
                return Ok(0);
            }
        }
        if offset == self.front {
            if !ahead {
                self.spool = None;
            }
            return self.advance(into);
        }
        let Some((file, base)) = &mut self.spool else { return Ok(0) };
        let Some(from) = offset.checked_sub(*base) else { return Ok(0) };
        file.seek(SeekFrom::Start(from))?;
        let want = into.len().min((self.front - offset) as usize);
        file.read(&mut into[..want])
    }

    fn advance(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(into)?;
        if let Some((file, base)) = &mut self.spool {
            file.seek(SeekFrom::Start(self.front - *base))?;
            file.write_all(&into[..n])?;
        }
        self.front += n as u64;
        Ok(n)
    }
}

/// A decoder that counts the stored bytes left where it failed.
struct DecodingReader<D> {
    decoder: D,
    inner: fn(&mut D) -> &mut Stream,
    undecoded: Arc<AtomicU64>,
}

impl<D: Read> Read for DecodingReader<D> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // What a call that fails has made is gone: small steps lose little.
        let most = into.len().min(DECODED_BYTES);
        let before = (self.inner)(&mut self.decoder).position();
        let read = self.decoder.read(&mut into[..most]);
        if read.as_ref().is_err_and(|e| e.kind() != io::ErrorKind::Interrupted) {
            let stored = (self.inner)(&mut self.decoder);
            stored.skip(u64::MAX);
            self.undecoded.fetch_add(stored.position() - before, Ordering::Relaxed);
        }
        read
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let window = self.fill_buf()?;
        let n = window.len().min(into.len());
        into[..n].copy_from_slice(&window[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Stream {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill(1);
        if self.start == self.end
            && let Some(error) = self.error.take()
        {
            return Err(match error {
                Error::Io { source, .. } => source,
                other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
            });
        }
        Ok(self.buffered())
    }

    fn consume(&mut self, n: usize) {
        Stream::consume(self, n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(n: usize) -> Vec<u8> {
        (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) as u8).collect()
    }

    fn both(data: &[u8]) -> [Stream; 2] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(data).unwrap();
        let opened = Stream::open(file.path(), Arc::from("f"), 0).unwrap();
        [opened, Stream::from_reader(Box::new(io::Cursor::new(data.to_vec())), "p")]
    }

    #[test]
    fn looking_ahead_moves_nothing() {
        let data = bytes(3_000_000);
        for mut stream in both(&data) {
            for (skip, far, n) in [
                (10u64, 5u64, 7usize),
                (1000, 900_000, 50),
                (70_000, 2_000_000, 100_000),
                (1_000_000, 600_000, 9),
            ] {
                stream.skip(skip);
                let at = stream.position();
                let from = (at + far).min(data.len() as u64) as usize;
                let until = data.len().min(from + n);
                assert_eq!(stream.peek_at(at + far, n), &data[from..until]);
                assert_eq!(stream.position(), at);
                assert_eq!(stream.fill(100)[..100], data[at as usize..at as usize + 100]);
            }
            let mut rest = Vec::new();
            let at = stream.position() as usize;
            stream.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, data[at..]);
        }
    }

    #[test]
    fn what_was_read_before_a_failure_is_kept() {
        struct FailingReader(usize);
        impl Read for FailingReader {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                if self.0 == 0 {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "cut"));
                }
                let n = self.0.min(into.len());
                self.0 -= n;
                Ok(n)
            }
        }
        let mut stream = Stream::from_reader(Box::new(FailingReader(1000)), "p");
        assert_eq!(stream.fill(5000).len(), 1000);
        assert!(matches!(stream.take_error(), Some(Error::Corrupt { offset: 1000, .. })));
        assert!(stream.take_error().is_none());
    }

    #[test]
    fn a_large_window_is_given_back() {
        let mut stream = Stream::from_reader(Box::new(io::repeat(7).take(20 << 20)), "p");
        assert_eq!(stream.fill(8 << 20)[..8 << 20].len(), 8 << 20);
        let held = stream.buffered().len();
        stream.consume(held);
        stream.fill(1);
        assert!(stream.window.len() <= KEEP_BYTES);
    }
}
