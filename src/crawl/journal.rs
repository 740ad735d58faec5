//! The event log while the crawl runs: JSON lines in numbered files.
//!
//! | file | what |
//! |---|---|
//! | `.events-00007.jsonl` | the file being written |
//! | `.events-00006.jsonl.zst` | a finished file |
//!
//! Parts stay for as long as the crawl's folder does: they are what a damaged frontier is built again from. Tables are
//! made of them by whoever knows tables ([`log_files`], [`LogFile::read`]).
//!
//! What was flushed survives the death of the process. Opening cuts off an unfinished last line; a line that is none is
//! counted and passed over. A finished file is compressed by a thread of its own; if that is interrupted, the next
//! opening does it again. A [`Position`] counts bytes of JSON, compressed or not.
//!
//! Memory: 1 MiB to write; a line and the decoder's window to read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use webmill_capture::error::{AtPath, Error, Result};
use webmill_shard::{AppendFile, Position, Staged};

use super::event::{Event, MAX_LINE_BYTES};

const READ_BYTES: usize = 256 << 10;
const ZSTD_LEVEL: i32 = 3;
/// Bytes of JSON of a file.
const PART_BYTES: u64 = 512 << 20;

/// A file of the event log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    /// Its number, from 0.
    pub number: u32,
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it is compressed, hence finished.
    pub finished: bool,
}

/// What a walk over the journal or the shards came across.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Visited {
    /// Events of the log, or records of the shards, that were visited.
    pub records: u64,
    /// Places that could not be read and were passed over.
    pub damaged: u64,
    /// The first of them.
    pub first: Option<Error>,
}

impl Visited {
    pub(super) fn note(&mut self, error: impl FnOnce() -> Error) {
        self.damaged += 1;
        self.first.get_or_insert_with(error);
    }
}

/// Writes the log.
pub struct Journal {
    folder: PathBuf,
    part_events: u64,
    number: u32,
    file: AppendFile,
    rows: u64,
    line: Vec<u8>,
    packing: Vec<JoinHandle<()>>,
}

impl Journal {
    /// Opens the log in `folder`, which is made if need be, and goes on after its last whole line; a file gets `part_events` events.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(folder: &Path, part_events: u64) -> Result<Journal> {
        std::fs::create_dir_all(folder).at(folder)?;
        let files = log_files(folder)?;
        let last = files.last().map_or(0, |log_file| log_file.number + u32::from(log_file.finished));
        let mut unpacked = Vec::new();
        for log_file in &files {
            let lines = plain_path(folder, log_file.number);
            if log_file.finished && lines.try_exists().at(&lines)? {
                // It was compressed, and deleting it was interrupted.
                std::fs::remove_file(&lines).at(&lines)?;
            } else if !log_file.finished && log_file.number < last {
                unpacked.push(log_file.number);
            }
        }
        let path = plain_path(folder, last);
        let (keep, rows) = whole_lines(&path)?;
        let file = AppendFile::open(&path, keep)?;
        let mut journal = Journal {
            folder: folder.to_path_buf(),
            part_events,
            number: last,
            file,
            rows,
            line: Vec::new(),
            packing: Vec::new(),
        };
        if !unpacked.is_empty() {
            journal.pack(unpacked);
        }
        Ok(journal)
    }

    /// Adds an event.
    ///
    /// # Errors
    /// [`Error::Io`]: then it is not added.
    pub fn append(&mut self, event: &Event) -> Result<()> {
        self.line.clear();
        event.write_line(&mut self.line);
        let full = self.file.len() + self.line.len() as u64 > PART_BYTES;
        if self.rows > 0 && (self.rows >= self.part_events || full) {
            self.rotate()?;
        }
        self.file.put(&self.line)?;
        self.rows += 1;
        Ok(())
    }

    /// Hands everything to the system: it survives the death of the process.
    ///
    /// # Errors
    /// [`Error::Io`]; what could not be written is tried again by the next flush.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }

    /// Makes everything durable: it survives the death of the machine.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    /// Behind the last event that was flushed.
    pub fn position(&self) -> Position {
        Position { file: self.number, offset: self.file.flushed() }
    }

    /// Whether the log reaches as far as `position`: it does not when the machine died before it was synced.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn holds(&self, position: Position) -> Result<bool> {
        if position.file == self.number {
            return Ok(position.offset <= self.file.flushed());
        }
        if position.file > self.number || position.offset == 0 {
            return Ok(position.file < self.number);
        }
        let Some(log_file) =
            log_files(&self.folder)?.into_iter().find(|log_file| log_file.number == position.file)
        else {
            return Ok(false);
        };
        Ok(log_file.open()?.skip(position.offset).is_ok_and(|seen| seen == position.offset))
    }

    /// Finishes the file being written and waits for all to be compressed. A later opening begins another file.
    ///
    /// # Errors
    /// [`Error::Io`]; nothing is lost then, and the next opening goes on.
    pub fn finish(mut self) -> Result<Vec<LogFile>> {
        self.file.sync()?;
        for packing in self.packing.drain(..) {
            let _ = packing.join();
        }
        let empty = self.file.is_empty();
        for log_file in log_files(&self.folder)?.into_iter().filter(|log_file| !log_file.finished) {
            if log_file.number == self.number && empty {
                std::fs::remove_file(&log_file.path).at(&log_file.path)?;
            } else {
                compress(&self.folder, log_file.number)?;
            }
        }
        log_files(&self.folder)
    }

    fn rotate(&mut self) -> Result<()> {
        self.file.sync()?;
        // The next file is there before this one counts as finished: what is compressed is never appended to.
        let next = AppendFile::open(&plain_path(&self.folder, self.number + 1), 0)?;
        self.file = next;
        self.rows = 0;
        self.number += 1;
        self.pack(vec![self.number - 1]);
        Ok(())
    }

    fn pack(&mut self, numbers: Vec<u32>) {
        let folder = self.folder.clone();
        self.packing.retain(|packing| !packing.is_finished());
        let work = move || {
            for number in numbers {
                // A full disk, say: the file stays as it is, and the next opening tries again.
                let _ = compress(&folder, number);
            }
        };
        if let Ok(packing) = std::thread::Builder::new().name("journal".into()).spawn(work) {
            self.packing.push(packing);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Whoever opens the log next must not find a thread at work on it.
        for packing in self.packing.drain(..) {
            let _ = packing.join();
        }
    }
}

impl LogFile {
    /// Tells the events after byte `offset` of its JSON, in order.
    ///
    /// # Errors
    /// [`Error::Io`], and what `visit` returns.
    pub fn read(&self, offset: u64, visit: &mut dyn FnMut(Event) -> Result<()>) -> Result<Visited> {
        let mut visited = Visited::default();
        self.read_into(offset, visit, &mut visited)?;
        Ok(visited)
    }

    fn read_into(
        &self,
        offset: u64,
        visit: &mut dyn FnMut(Event) -> Result<()>,
        visited: &mut Visited,
    ) -> Result<()> {
        let mut lines = self.open()?;
        if !self.survives(lines.skip(offset), visited)? {
            return Ok(());
        }
        let (mut line, mut at) = (Vec::new(), offset);
        loop {
            line.clear();
            let read = lines.reader.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line);
            if !self.survives(read, visited)? || line.is_empty() {
                return Ok(());
            }
            let begin = at;
            at += line.len() as u64;
            match Event::parse(&line).filter(|_| line.ends_with(b"\n")) {
                Some(event) => {
                    visit(event)?;
                    visited.records += 1;
                }
                None => visited.note(|| Error::corrupt(&self.path, begin, "a line that is no event")),
            }
            while !line.ends_with(b"\n") {
                line.clear();
                let read = lines.reader.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line);
                if !self.survives(read, visited)? || line.is_empty() {
                    return Ok(());
                }
                at += line.len() as u64;
            }
        }
    }

    /// Passes a failing disk on, and takes down damage of the compressed form, after which nothing can be read.
    fn survives<T>(&self, read: io::Result<T>, visited: &mut Visited) -> Result<bool> {
        match read {
            Ok(_) => Ok(true),
            // The decoder's own complaints have no number of the system's.
            Err(error) if error.raw_os_error().is_none() => {
                visited.note(|| Error::corrupt(&self.path, 0, format!("the part does not unpack: {error}")));
                Ok(false)
            }
            Err(error) => Err(Error::io(&self.path, error)),
        }
    }

    fn open(&self) -> Result<Lines> {
        let opened = match File::open(&self.path) {
            // It was compressed since it was looked up.
            Err(e) if e.kind() == io::ErrorKind::NotFound && !self.finished => {
                let path = self.path.with_extension("jsonl.zst");
                return LogFile { number: self.number, finished: true, path }.open();
            }
            opened => opened.at(&self.path)?,
        };
        if !self.finished {
            return Ok(Lines {
                seek: opened.try_clone().ok(),
                reader: Box::new(BufReader::with_capacity(READ_BYTES, opened)),
            });
        }
        let decoder = zstd::stream::read::Decoder::new(opened).at(&self.path)?;
        Ok(Lines { seek: None, reader: Box::new(BufReader::with_capacity(READ_BYTES, decoder)) })
    }
}

/// The JSON of a file.
struct Lines {
    reader: Box<dyn BufRead>,
    /// The same file, where it is as it is.
    seek: Option<File>,
}

impl Lines {
    /// Passes over the first `bytes`, before anything is read; gives the number of those that were there.
    fn skip(&mut self, bytes: u64) -> io::Result<u64> {
        match &mut self.seek {
            Some(file) => {
                let there = file.metadata()?.len();
                file.seek(SeekFrom::Start(bytes)).map(|at| at.min(there))
            }
            None => io::copy(&mut self.reader.by_ref().take(bytes), &mut io::sink()),
        }
    }
}

/// Visits every event of the log in `folder` after `from`, in order, whether the log is open or not;
/// `Position::default()` is the beginning.
///
/// # Errors
/// [`Error::Io`], and what `visit` returns.
pub fn replay(folder: &Path, from: Position, visit: &mut dyn FnMut(Event) -> Result<()>) -> Result<Visited> {
    let mut visited = Visited::default();
    for file in log_files(folder)?.iter().filter(|file| file.number >= from.file) {
        let offset = if file.number == from.file { from.offset } else { 0 };
        file.read_into(offset, visit, &mut visited)?;
    }
    Ok(visited)
}

/// The files of the log in `folder`, in order. Of a file that is there in both forms, the finished one.
///
/// # Errors
/// [`Error::Io`].
pub fn log_files(folder: &Path) -> Result<Vec<LogFile>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).at(folder)? {
        let path = entry.at(folder)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((number, ending)) = name.strip_prefix(".events-").and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        let Ok(number) = number.parse() else { continue };
        if matches!(ending, "jsonl" | "jsonl.zst") {
            files.push(LogFile { number, finished: ending == "jsonl.zst", path });
        }
    }
    files.sort_by_key(|log_file| (log_file.number, !log_file.finished));
    files.dedup_by_key(|log_file| log_file.number);
    Ok(files)
}

fn plain_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!(".events-{number:05}.jsonl"))
}

/// Where the last complete line of a file ends, and the number of lines; zeros if there is no file.
fn whole_lines(path: &Path) -> Result<(u64, u64)> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((0, 0)),
        file => file.at(path)?,
    };
    let (mut end, mut rows, mut at) = (0, 0, 0);
    let mut chunk = vec![0; READ_BYTES];
    loop {
        let n = file.read(&mut chunk).at(path)?;
        if n == 0 {
            return Ok((end, rows));
        }
        for lf in memchr::memchr_iter(b'\n', &chunk[..n]) {
            end = at + lf as u64 + 1;
            rows += 1;
        }
        at += n as u64;
    }
}

/// Puts the compressed form of a file in the place of its lines.
fn compress(folder: &Path, number: u32) -> Result<()> {
    let from = plain_path(folder, number);
    let to = folder.join(format!(".events-{number:05}.jsonl.zst"));
    let mut file = File::open(&from).at(&from)?;
    let mut staged = Staged::create(&to)?;
    let packed = zstd::stream::write::Encoder::new(&mut staged, ZSTD_LEVEL).and_then(|mut encoder| {
        encoder.include_checksum(true)?;
        io::copy(&mut file, &mut encoder)?;
        encoder.finish()?.flush()
    });
    packed.map_err(|e| staged.explain(e))?;
    staged.commit()?;
    std::fs::remove_file(&from).at(&from)
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
