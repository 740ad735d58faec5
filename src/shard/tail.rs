//! The end of a shard whose writer died.
//!
//! From a known boundary on, records are walked one after the other, each by its own length or member, without any
//! search: data that quotes records cannot mislead it. What follows the last whole one is what the writer did not get
//! done. In a WARC file a request without the response that belongs to it counts as such too.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;

use webmill_capture::error::{AtPath, Error, Result};

use super::raw_walk::Walker;
use super::raw_whole::whole_at;
use super::reader::Lz4Frames;
use super::staged::Staged;
use super::stream::Stream;
use super::warc_frame::Parsed;
use super::{Container, Format, ReadOptions, RecordType, Resume, ShardReader, WarcReader, warc_head};

/// Longest head of a WARC record.
const MAX_HEAD: usize = 1 << 20;

/// Where the last whole record ends that can be reached from the boundary at byte `from`; `from` where there is none.
///
/// # Errors
/// [`Error::Io`]; [`Error::Incompatible`] for a kind of file that is not appended to (ARC, RAW DB compressed whole).
pub fn whole_end(path: &Path, (format, container): (Format, Container), from: u64) -> Result<u64> {
    match (format, container) {
        (Format::RawDb, Container::Plain) => raw_end(path, from),
        (Format::Warc, container) if !container.is_whole() => warc_end(path, container, from),
        _ => Err(Error::Incompatible {
            path: path.to_path_buf(),
            found: format!("{} in a container", format.name()),
            expected: "RAW DB or WARC".into(),
        }),
    }
}

fn raw_end(path: &Path, from: u64) -> Result<u64> {
    let mut stream = Stream::open(path, Arc::from("-"), from)?;
    let mut end = from;
    while let Ok(found) = whole_at(&mut stream, end) {
        end = found.end;
        stream.seek(end);
    }
    stream.take_error().map_or(Ok(end), Err)
}

fn warc_end(path: &Path, container: Container, from: u64) -> Result<u64> {
    let options = ReadOptions {
        max_record_bytes: 64 << 10,
        lenient: false,
        exact_start: Some(Resume::from(from)),
        ..ReadOptions::default()
    };
    let stream = Stream::open(path, Arc::from("-"), 0)?;
    let mut reader = WarcReader::new(stream, Format::Warc, container, 0..u64::MAX, &options)?;
    let mut end = from;
    while let Some(next) = reader.next() {
        match next {
            Ok(record) if record.kind == RecordType::Request => {}
            Ok(record) => end = record.place.offset + record.place.length,
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(_) => break,
        }
    }
    Ok(end)
}

/// Cuts the file at `path` off after byte `end`; gives the number of bytes cut. Where they are more than a record that
/// was not finished, and recovery finds whole records in them, they are first copied to `.NAME.from-END` next to it.
///
/// # Errors
/// [`Error::Io`].
pub fn cut_tail(path: &Path, kind: (Format, Container), end: u64) -> Result<u64> {
    let mut file = File::options().read(true).write(true).open(path).at(path)?;
    let there = file.metadata().at(path)?.len();
    if there <= end {
        return Ok(0);
    }
    if !is_unfinished(path, kind, end)? && holds_records(path, kind, end)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.trim_start_matches('.').trim_end_matches(".partial");
        let mut aside = Staged::create(&path.with_file_name(format!(".{name}.from-{end}")))?;
        file.seek(SeekFrom::Start(end)).at(path)?;
        let mut chunk = vec![0; 256 << 10];
        loop {
            match file.read(&mut chunk).at(path)? {
                0 => break,
                n => aside.put(&chunk[..n])?,
            }
        }
        aside.commit()?;
    }
    file.set_len(end).at(path)?;
    Ok(there - end)
}

/// Is what follows byte `from` the beginning of a record (or of a request and its response), and nothing else?
fn is_unfinished(path: &Path, (format, container): (Format, Container), from: u64) -> Result<bool> {
    let mut stream = Stream::open(path, Arc::from("-"), from)?;
    if format == Format::RawDb {
        return Ok(Walker::new(stream, from..u64::MAX, Some(from.into()), 0).is_cut(from));
    }
    let ends_early = |read: io::Result<u64>| read.is_err_and(|e| e.kind() == io::ErrorKind::UnexpectedEof);
    match container {
        Container::Plain => Ok(plain_warc_is_cut(&mut stream, from)),
        Container::Gzip | Container::WholeGzip => {
            Ok(ends_early(io::copy(&mut MultiGzDecoder::new(stream), &mut io::sink())))
        }
        Container::Zstd | Container::WholeZstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(stream).at(path)?;
            Ok(ends_early(io::copy(&mut decoder, &mut io::sink())))
        }
        Container::Lz4 | Container::WholeLz4 => {
            let mut frames = Lz4Frames(lz4_flex::frame::FrameDecoder::new(stream));
            Ok(ends_early(io::copy(&mut frames, &mut io::sink())))
        }
    }
}

fn plain_warc_is_cut(stream: &mut Stream, mut at: u64) -> bool {
    loop {
        match warc_head::parse(stream.peek_at(at, MAX_HEAD)) {
            Parsed::Incomplete => return true,
            Parsed::Bad(_) => return false,
            Parsed::Complete(head) => {
                // Head, block and the two line ends after it.
                let Some(end) = head.length.and_then(|n| at.checked_add(head.block_at as u64 + n + 4)) else {
                    return false;
                };
                if stream.size().is_none_or(|size| end > size) {
                    return true;
                }
                at = end;
                stream.seek(at);
            }
        }
    }
}

/// Can recovery find a whole record after byte `from`? (A request alone is half of a pair.)
fn holds_records(path: &Path, kind: (Format, Container), from: u64) -> Result<bool> {
    let options = ReadOptions {
        max_record_bytes: 64 << 10,
        exact_start: Some(Resume::from(from)),
        ..ReadOptions::default()
    };
    let mut reader = ShardReader::open_as(path, Arc::from("-"), kind, 0..u64::MAX, &options)?;
    while let Some(next) = reader.next() {
        match next {
            Ok(record) if record.kind == RecordType::Request => {}
            Ok(record) if record.truncated.is_none() || record.proven == Some(true) => return Ok(true),
            Ok(_) => {}
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(false)
}
