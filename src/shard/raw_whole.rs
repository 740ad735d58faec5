//! Whether a whole record of a RAW DB stands at an offset: its head obeys the grammar, and its data is followed by LF inside the
//! file.

use memchr::memmem::Finder;

use super::raw_head::{Fault, Head, MARK, MAX_HEAD_BYTES, MAX_HEAD_LINES};
use super::stream::Stream;

/// Bytes first asked for when a head is parsed; most heads are shorter.
pub(super) const HEAD_BYTES: usize = 1024;
/// Bytes looked through at a time far ahead.
pub(super) const LOOK_BYTES: usize = 64 * 1024;
/// What is said of a head without an end.
pub(super) const CUT_HEAD: &str = "the file ends inside a record's head: it was cut off";

/// A record's place and head; its bytes are `at..end`.
#[derive(Debug, Clone)]
pub(crate) struct FoundRecord {
    pub at: u64,
    pub head: Head,
    pub end: u64,
    pub proven: Option<bool>,
}

/// The head at `at`, or the reason why there is none.
pub(super) fn head_at(stream: &mut Stream, at: u64) -> Result<Head, String> {
    head_of(stream, at, MAX_HEAD_LINES)
}

pub(super) fn head_of(stream: &mut Stream, at: u64, max_lines: usize) -> Result<Head, String> {
    let mut ask = HEAD_BYTES;
    loop {
        let bytes = stream.peek_at(at, ask);
        match Head::parse_lines(bytes, max_lines) {
            Ok(head) => return Ok(head),
            Err(Fault::Broken(reason)) => return Err(reason.into_owned()),
            Err(Fault::Unfinished) if bytes.len() < ask => {
                return Err(CUT_HEAD.into());
            }
            Err(Fault::Unfinished) => ask = (ask * 4).min(MAX_HEAD_BYTES),
        }
    }
}

/// The whole record at `at`, or the reason why there is none.
pub(crate) fn whole_at(stream: &mut Stream, at: u64) -> Result<FoundRecord, String> {
    let head = head_at(stream, at)?;
    whole_with(stream, at, head)
}

pub(super) fn whole_with(stream: &mut Stream, at: u64, head: Head) -> Result<FoundRecord, String> {
    let (length, size) = (head.length, stream.size().unwrap_or(u64::MAX));
    let end = head.record_bytes().and_then(|n| at.checked_add(n)).filter(|end| *end <= size);
    match end.map(|end| (end, stream.peek_at(end - 1, 1))) {
        Some((end, b"\n")) => Ok(FoundRecord { at, head, end, proven: None }),
        None | Some((_, [])) => {
            Err(format!("the file ends inside the record's {length} bytes of data: it was cut off"))
        }
        _ => Err(format!("no blank line after the record's {length} bytes of data")),
    }
}

/// Does a whole record start anywhere in the first `within` bytes? (A file that lost its beginning is still a shard.)
/// `followed`: one that another head, or the end of the file, follows.
pub(crate) fn any_whole(stream: &mut Stream, within: u64, followed: bool) -> bool {
    let finder = Finder::new(MARK);
    let mut from = stream.position();
    let until = from + within;
    while from < until {
        let bytes = stream.peek_at(from, LOOK_BYTES);
        let len = bytes.len();
        match finder.find(bytes) {
            Some(n) => {
                let at = from + n as u64;
                if let Ok(found) = whole_at(stream, at)
                    && (!followed || MARK.starts_with(stream.peek_at(found.end, MARK.len())))
                {
                    return true;
                }
                from = at + 1;
            }
            None if len < LOOK_BYTES => return false,
            None => from += (len + 1 - MARK.len()) as u64,
        }
    }
    false
}
