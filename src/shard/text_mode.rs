//! Undoing what a transfer in text mode does to a RAW DB file, or to parts of it: every LF became CR LF.
//!
//! Where the first line of a head ends in CR LF, the CR before each LF is taken out from there on, up to the first LF without
//! one: that shows that what follows was not changed. Whole records whose heads end in LF are passed over by their `length`,
//! so that what their data quotes changes nothing. Anything else goes through as it is, up to the next line that is the first
//! of a head. That the undoing gives what was there before, the lengths of the records show, which hold for that only. CR
//! LF that became LF cannot be undone. Cost: one pass, and for a file one before it, where its beginning was not changed; no
//! memory.

use std::io::{BufRead, Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::{memchr, memmem};

use super::raw_head::{Head, MARK};
use super::raw_whole::whole_at;
use super::stream::{READ_BYTES, Stream};

/// Longest first line of a head.
const LINE_BYTES: usize = 64;
/// Bytes of a head that a fragment is known by, and heads that are tried.
const HEAD_BYTES: usize = 4096;
const MAX_TRIES: usize = 64;

/// Are these bytes the first line of a head that ends in CR LF (`changed`), or in LF alone?
fn is_head(bytes: &[u8], changed: bool) -> bool {
    let bytes = &bytes[..bytes.len().min(LINE_BYTES)];
    let line = memchr(b'\n', bytes).map_or(&[][..], |end| &bytes[..end]);
    line.starts_with(MARK) && line.ends_with(b"\r") == changed
}

/// Is there a head whose lines end in CR LF, of which no more than the first line is looked at? A pipe can be read once only:
/// there may be.
pub(super) fn may_occur(stream: &mut Stream) -> bool {
    if stream.size().is_none() {
        return true;
    }
    let mut from = stream.position();
    loop {
        let bytes = stream.peek_at(from, READ_BYTES);
        if memmem::find_iter(bytes, MARK).any(|at| is_head(&bytes[at..], true)) {
            return true;
        }
        if bytes.len() < READ_BYTES {
            return false;
        }
        from += (READ_BYTES - LINE_BYTES) as u64;
    }
}

/// Do these bytes of a file that lost its beginning hold a whole head whose lines end in CR LF?
pub(super) fn is_fragment(bytes: &[u8]) -> bool {
    let changed = memmem::find_iter(bytes, MARK).filter(|at| is_head(&bytes[*at..], true));
    changed.take(MAX_TRIES).any(|at| {
        let lines = bytes[at..].split_inclusive(|b| *b == b'\n').take(MAX_TRIES);
        let mut head = Vec::new();
        for line in lines {
            head.extend(line.strip_suffix(b"\r\n").unwrap_or(line));
            head.push(b'\n');
            if line == b"\r\n" || head.len() > HEAD_BYTES {
                break;
            }
        }
        Head::parse(&head).is_ok()
    })
}

/// Known facts about the next bytes.
enum Part {
    /// A line begins, perhaps a record.
    Start,
    /// This number of bytes belongs to a record that was not changed.
    Whole(u64),
    /// Every LF was changed.
    Changed,
    /// Nothing, up to the next line that is the first of a head.
    Unknown,
}

/// Lends a stream without the CR before each LF where a transfer put it.
pub(super) struct UndoneTextMode {
    pub stream: Stream,
    part: Part,
    /// A CR was met; what follows says whether it is given out.
    held: bool,
    /// Bytes that were taken out.
    taken: Arc<AtomicU64>,
}

impl UndoneTextMode {
    pub(super) fn new(stream: Stream, taken: Arc<AtomicU64>) -> UndoneTextMode {
        UndoneTextMode { stream, part: Part::Start, held: false, taken }
    }

    /// What the line that begins now is.
    fn start(&mut self) -> Part {
        let at = self.stream.position();
        if is_head(self.stream.fill(LINE_BYTES), true) {
            return Part::Changed;
        }
        match whole_at(&mut self.stream, at) {
            Ok(found) if self.is_end(found.end) => Part::Whole(found.end - at),
            _ => Part::Unknown,
        }
    }

    /// Does a record end at `at`, as far as what follows shows?
    fn is_end(&mut self, at: u64) -> bool {
        let after = self.stream.peek_at(at, MARK.len());
        after.is_empty() || after == MARK
    }

    /// Gives out bytes as they are: `most`, or to the end of the line.
    fn copy(&mut self, into: &mut [u8], most: Option<u64>) -> Result<usize> {
        let bytes = self.stream.fill_buf()?;
        let room = bytes.len().min(into.len());
        let made = match most {
            Some(most) => room.min(usize::try_from(most).unwrap_or(usize::MAX)),
            None => memchr(b'\n', &bytes[..room]).map_or(room, |end| end + 1),
        };
        into[..made].copy_from_slice(&bytes[..made]);
        self.stream.consume(made);
        Ok(made)
    }

    /// Gives out a line that nothing is known of.
    fn unknown(&mut self, into: &mut [u8]) -> Result<usize> {
        let made = self.copy(into, None)?;
        if into[..made].ends_with(b"\n") && self.stream.fill(MARK.len()).starts_with(MARK) {
            self.part = Part::Start;
        }
        Ok(made)
    }

    /// Gives out bytes of a part that was changed, to its end at most.
    fn undo(&mut self, into: &mut [u8]) -> Result<usize> {
        let bytes = self.stream.fill_buf()?;
        if bytes.is_empty() {
            let made = usize::from(std::mem::take(&mut self.held));
            into[..made].fill(b'\r');
            return Ok(made);
        }
        let (mut used, mut made, mut taken) = (0, 0, 0);
        let mut line = false;
        while used < bytes.len() && made < into.len() && !line {
            let byte = bytes[used];
            if self.held && byte != b'\n' {
                self.held = false;
                into[made] = b'\r';
                made += 1;
                continue;
            }
            if byte == b'\n' {
                taken += u64::from(self.held);
                line = !self.held || bytes.get(used + 1).is_none_or(|next| *next == MARK[0]);
                if !self.held {
                    self.part = Part::Start;
                }
            }
            self.held = byte == b'\r';
            if !self.held {
                into[made] = byte;
                made += 1;
            }
            used += 1;
        }
        self.stream.consume(used);
        self.taken.fetch_add(taken, Ordering::Relaxed);
        if line && is_head(self.stream.fill(LINE_BYTES), false) {
            self.part = Part::Start;
        }
        Ok(made)
    }
}

impl Read for UndoneTextMode {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let mut made = 0;
        while made == 0 && !into.is_empty() {
            made = match self.part {
                Part::Start => {
                    self.part = self.start();
                    if matches!(self.part, Part::Unknown) { self.unknown(into)? } else { continue }
                }
                Part::Whole(0) => {
                    self.part = Part::Start;
                    continue;
                }
                Part::Whole(left) => {
                    let made = self.copy(into, Some(left))?;
                    self.part = Part::Whole(left - made as u64);
                    made
                }
                Part::Changed => self.undo(into)?,
                Part::Unknown => self.unknown(into)?,
            };
            if made == 0 && !self.held && self.stream.fill_buf()?.is_empty() {
                break;
            }
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(whole: &[u8], size: usize) -> Vec<u8> {
        let stream = Stream::from_reader(Box::new(std::io::Cursor::new(whole.to_vec())), "t");
        let mut undone = UndoneTextMode::new(stream, Arc::default());
        let (mut all, mut chunk) = (Vec::<u8>::new(), vec![0; size]);
        loop {
            match undone.read(&mut chunk).unwrap() {
                0 => return all,
                n => all.extend(&chunk[..n]),
            }
        }
    }

    #[test]
    fn one_cr_goes_before_each_lf_wherever_reading_is_cut() {
        let whole = b"version:1.0\r\n\r\r\na\r\n\r\rb\r\n\r\n\r";
        // Behind an LF that has no CR nothing is undone until a head says so.
        let other = b"x\r\nversion:\nc\n\r\nversion:2.0\r\n\r\n";
        for size in 1..=whole.len() + other.len() {
            assert_eq!(undone(whole, size), b"version:1.0\n\r\na\n\r\rb\n\n\r", "{size}");
            assert_eq!(
                undone(&[&whole[..], b"\n\n", other].concat(), size),
                b"version:1.0\n\r\na\n\r\rb\n\n\n\nx\r\nversion:\nc\n\r\nversion:2.0\n\n",
                "{size}"
            );
            assert_eq!(undone(other, size), b"x\r\nversion:\nc\n\r\nversion:2.0\n\n", "{size}");
        }
    }
}
