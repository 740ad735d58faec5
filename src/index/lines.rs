//! Sorted lines handed out as entries: what [`SortedFile`](crate::SortedFile) and [`ZipNum`](crate::ZipNum) share.
//!
//! Files are sorted by their lines, so entries of one key and time stand in the order of their URLs or whatever comes
//! first in the line. The order of the index is by file name and offset then: lines of one key and time are gathered
//! and put in that order, up to [`MAX_GROUP`] of them.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cdx::{self, Layout};
use crate::{Entry, KeyRange, Scan};

/// Most lines of one key and time that are put in order; more are handed out in pieces.
pub(crate) const MAX_GROUP: usize = 1 << 16;

/// The key of a line: what stands before the first blank.
pub(crate) fn key(line: &[u8]) -> &[u8] {
    &line[..memchr::memchr(b' ', line).unwrap_or(line.len())]
}

/// Key and time of a line: what stands before the second blank.
fn key_and_time(line: &[u8]) -> &[u8] {
    let end = memchr::memchr_iter(b' ', line).nth(1);
    &line[..end.unwrap_or(line.len())]
}

/// Whether a line comes before all keys of a range.
pub(crate) fn is_before(range: &KeyRange, line: &[u8]) -> bool {
    key(line) < range.from.as_bytes()
}

/// Whether a line comes after all keys of a range.
pub(crate) fn is_after(range: &KeyRange, line: &[u8]) -> bool {
    range.to.as_deref().is_some_and(|to| key(line) >= to.as_bytes())
}

/// Lines of one key and time, on their way to a visitor.
pub(crate) struct Group<'a> {
    layout: &'a Layout,
    faults: &'a AtomicU64,
    back: bool,
    lines: Vec<Cow<'a, [u8]>>,
}

impl<'a> Group<'a> {
    pub(crate) fn new(layout: &'a Layout, faults: &'a AtomicU64, back: bool) -> Self {
        Group { layout, faults, back, lines: Vec::new() }
    }

    /// Takes the next line in the order of the file (or the one before, backwards).
    pub(crate) fn push(&mut self, line: Cow<'a, [u8]>, visit: Scan<'_>) -> ControlFlow<()> {
        let same = self.lines.first().is_none_or(|first| key_and_time(first) == key_and_time(&line));
        if !same || self.lines.len() >= MAX_GROUP {
            self.flush(visit)?;
        }
        self.lines.push(line);
        ControlFlow::Continue(())
    }

    /// Hands out what is gathered.
    pub(crate) fn flush(&mut self, visit: Scan<'_>) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let mut entries: Vec<Entry<'_>> = Vec::with_capacity(self.lines.len());
        for line in &self.lines {
            match cdx::parse(self.layout, line) {
                Ok(entry) => entries.push(entry),
                Err(_) => {
                    self.faults.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let order = |a: &Entry<'_>, b: &Entry<'_>| {
            (a.timestamp, &a.filename, a.offset).cmp(&(b.timestamp, &b.filename, b.offset))
        };
        entries.sort_by(|a, b| if self.back { order(b, a) } else { order(a, b) });
        for entry in &entries {
            flow = visit(entry);
            if flow.is_break() {
                break;
            }
        }
        self.lines.clear();
        flow
    }

    /// The lines that are not handed out yet.
    pub(crate) fn into_lines(self) -> Vec<Vec<u8>> {
        self.lines.into_iter().map(Cow::into_owned).collect()
    }
}

/// Lines from the end to the beginning, without their ends.
pub(crate) fn lines_back(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text.strip_suffix(b"\n").unwrap_or(text);
    let mut done = text.is_empty();
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let start = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
        let line = &rest[start..];
        done = start == 0;
        rest = &rest[..start.saturating_sub(1)];
        Some(line.trim_ascii_end())
    })
}

/// Lines from the beginning to the end, without their ends.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = &rest[(end + 1).min(rest.len())..];
        Some(line.trim_ascii_end())
    })
}

/// Whether a line can hold an entry: not empty, no header, not of metadata.
pub(crate) fn holds(line: &[u8]) -> bool {
    !line.is_empty() && line[0] != b'!' && Layout::of_header(line).is_none()
}
