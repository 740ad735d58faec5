//! A sorted CDX or CDXJ file as a source of captures.
//!
//! The file is mapped; the first line of a range is found by bisection on line starts, in O(log n) looks. The file is to
//! be sorted by bytes (`LC_ALL=C sort`), with key and timestamp first, as all tools write it; one that is not sorted gives
//! wrong answers, never worse. Lines that are no entries are passed over and counted.

use std::borrow::Cow;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use webmill_capture::{Error, Result};

use crate::cdx::Layout;
use crate::lines::{self, Group};
use crate::{CaptureSource, KeyRange, Scan};

/// A sorted file of captures.
#[derive(Debug)]
pub struct SortedFile {
    path: PathBuf,
    map: Option<Mmap>,
    layout: Layout,
    faults: AtomicU64,
}

impl SortedFile {
    /// Maps the file.
    ///
    /// # Errors
    /// [`Error::Io`] where it cannot be read, [`Error::Incompatible`] where its lines do not begin with key and timestamp.
    pub fn open(path: &Path) -> Result<SortedFile> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let size = file.metadata().map_err(|e| Error::io(path, e))?.len();
        // SAFETY: the map is read only. A file that somebody changes meanwhile changes the bytes that are read, which are
        // foreign bytes anyway: every line is checked, and nothing is taken for valid because it was before.
        let map =
            (size > 0).then(|| unsafe { Mmap::map(&file) }).transpose().map_err(|e| Error::io(path, e))?;
        let text = map.as_deref().unwrap_or_default();
        let first = lines::lines(text).find(|line| !line.is_empty() && line[0] != b'!');
        let layout = match first {
            None => Layout::Cdxj,
            Some(line) => {
                let layout = Layout::of_header(line).or_else(|| Layout::of_line(line));
                layout.filter(Layout::is_keyed).ok_or_else(|| Error::Incompatible {
                    path: path.to_owned(),
                    found: "lines that do not begin with a key and a timestamp".into(),
                    expected: "a sorted CDX or CDXJ file".into(),
                })?
            }
        };
        Ok(SortedFile { path: path.to_owned(), map, layout, faults: AtomicU64::new(0) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lines that were met and are no entries.
    pub fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }

    fn text(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    /// Offset of the first line that is not before `is_before`.
    fn first(&self, is_before: impl Fn(&[u8]) -> bool) -> usize {
        first_line(self.text(), is_before)
    }
}

/// Offset of the first line of sorted text for which `is_before` does not hold.
pub(crate) fn first_line(text: &[u8], is_before: impl Fn(&[u8]) -> bool) -> usize {
    // Starts of lines lie in `low..=high`, and so does the answer.
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = memchr::memrchr(b'\n', &text[low..middle]).map_or(low, |at| low + at + 1);
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
        // What is no entry stands before those that are.
        let line = text[start..end].trim_ascii_end();
        if !lines::holds(line) || is_before(line) {
            low = end;
        } else {
            high = start;
        }
    }
    low
}

impl CaptureSource for SortedFile {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        let text = self.text();
        let start = self.first(|line| lines::is_before(range, line));
        let mut group = Group::new(&self.layout, &self.faults, false);
        for line in lines::lines(&text[start..]).filter(|line| lines::holds(line)) {
            if lines::is_after(range, line) {
                break;
            }
            if group.push(Cow::Borrowed(line), visit).is_break() {
                return Ok(());
            }
        }
        let _: ControlFlow<()> = group.flush(visit);
        Ok(())
    }

    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        let text = self.text();
        let end = match range.to {
            Some(_) => self.first(|line| !lines::is_after(range, line)),
            None => text.len(),
        };
        let mut group = Group::new(&self.layout, &self.faults, true);
        for line in lines::lines_back(&text[..end]).filter(|line| lines::holds(line)) {
            if lines::is_before(range, line) {
                break;
            }
            if group.push(Cow::Borrowed(line), visit).is_break() {
                return Ok(());
            }
        }
        let _: ControlFlow<()> = group.flush(visit);
        Ok(())
    }
}
