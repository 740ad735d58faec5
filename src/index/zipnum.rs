//! ZipNum: a sorted index in gzip members of 3,000 lines, and a second index of their first lines.
//!
//! | file | a line |
//! |---|---|
//! | `NAME.cdx.gz` | none; gzip members, together a sorted CDX or CDXJ file |
//! | `NAME.idx` | `key timestamp⇥part⇥offset⇥length⇥number`, one a member; also `key timestamp {"offset": …, "length": …}` after a line `!meta 0 {"filename": …}` |
//! | `NAME.loc` | `part⇥path[⇥path…]`: where parts are; without it a part is the file of its name beside the index, with or without `.cdx.gz` |
//!
//! A lookup bisects the second index (mapped) and unpacks the members of its range, one at a time, each of at most
//! [`MAX_BLOCK`] bytes. A range backwards unpacks them from the last to the first. What cannot be unpacked, or is not
//! where the index says, is [`Error::Corrupt`].

mod write;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use memmap2::Mmap;
use serde_json::Value;
use webmill_capture::{Error, Result};

use crate::cdx::Layout;
use crate::lines::{self, Group};
use crate::sorted_file::first_line;
use crate::{CaptureSource, KeyRange, Scan};

pub use write::{LINES_A_BLOCK, ZipNumWriter};

/// Most bytes that a member may have, stored or unpacked.
pub const MAX_BLOCK: usize = 64 << 20;

/// A ZipNum index.
#[derive(Debug)]
pub struct ZipNum {
    path: PathBuf,
    idx: Option<Mmap>,
    parts: HashMap<String, Vec<PathBuf>>,
    /// What a line `!meta` names.
    only: Option<PathBuf>,
    layout: OnceLock<Layout>,
    faults: AtomicU64,
}

/// Where a member is.
struct Block {
    file: PathBuf,
    offset: u64,
    length: usize,
}

impl ZipNum {
    /// Opens the second index at `path` (`NAME.idx`), with `NAME.loc` beside it if there is one.
    ///
    /// # Errors
    /// [`Error::Io`] where a file cannot be read.
    pub fn open(path: &Path) -> Result<ZipNum> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let size = file.metadata().map_err(|e| Error::io(path, e))?.len();
        // SAFETY: read only, and every line is checked each time it is read: see `SortedFile::open`.
        let idx =
            (size > 0).then(|| unsafe { Mmap::map(&file) }).transpose().map_err(|e| Error::io(path, e))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut parts = HashMap::new();
        let loc = path.with_extension("loc");
        if loc.exists() {
            let text = std::fs::read(&loc).map_err(|e| Error::io(&loc, e))?;
            for line in String::from_utf8_lossy(&text).lines() {
                let mut words = line.split('\t');
                let part = words.next().unwrap_or_default().to_owned();
                parts.insert(part, words.map(|word| folder.join(word)).collect());
            }
        }
        let meta = lines::lines(idx.as_deref().unwrap_or_default()).find(|line| !line.is_empty());
        let only = meta.and_then(|line| line.strip_prefix(b"!meta ")).and_then(|line| {
            let start = memchr::memchr(b'{', line)?;
            let meta: Value = serde_json::from_slice(&line[start..]).ok()?;
            Some(folder.join(meta.get("filename")?.as_str()?))
        });
        Ok(ZipNum {
            path: path.to_owned(),
            idx,
            parts,
            only,
            layout: OnceLock::new(),
            faults: AtomicU64::new(0),
        })
    }

    /// Lines that were met and are no entries, in both indexes.
    pub fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }

    /// Members, as the second index has them.
    pub fn blocks(&self) -> usize {
        lines::lines(self.text()).filter(|line| lines::holds(line)).count()
    }

    fn text(&self) -> &[u8] {
        self.idx.as_deref().unwrap_or_default()
    }

    fn corrupt(&self, line: &[u8], reason: &str) -> Error {
        let offset = line.as_ptr() as usize - self.text().as_ptr() as usize;
        Error::corrupt(&self.path, offset as u64, reason)
    }

    fn block(&self, line: &[u8]) -> Result<Block> {
        let text = std::str::from_utf8(line).map_err(|_| self.corrupt(line, "the line is no UTF-8"))?;
        let mut words = text.split('\t').skip(1);
        let (part, offset, length) = match (words.next(), words.next(), words.next()) {
            (Some(part), Some(offset), Some(length)) => {
                (Some(part), offset.parse().ok(), length.parse().ok())
            }
            _ => {
                let json = text.find('{').and_then(|at| serde_json::from_str::<Value>(&text[at..]).ok());
                let number = |name| json.as_ref().and_then(|json| json.get(name)).and_then(Value::as_u64);
                (None, number("offset"), number("length"))
            }
        };
        let (Some(offset), Some(length)) = (offset, length) else {
            return Err(self.corrupt(line, "no part, offset and length"));
        };
        let length = usize::try_from(length).ok().filter(|n| *n <= MAX_BLOCK);
        let length = length.ok_or_else(|| self.corrupt(line, "the member is longer than a member may be"))?;
        let file = match part {
            None => self.only.clone(),
            Some(part) => self.part(part),
        };
        let file = file.ok_or_else(|| self.corrupt(line, "the part is nowhere"))?;
        Ok(Block { file, offset, length })
    }

    /// The file of a part: by the list of places, or beside the index.
    fn part(&self, part: &str) -> Option<PathBuf> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let beside = [
            folder.join(part),
            folder.join(format!("{part}.cdx.gz")),
            folder.join(format!("{part}.cdxj.gz")),
        ];
        self.parts.get(part).into_iter().flatten().chain(&beside).find(|path| path.is_file()).cloned()
    }

    /// The lines of a member.
    fn unpacked(&self, block: &Block) -> Result<Vec<u8>> {
        let path = &block.file;
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let size = file.metadata().map_err(|e| Error::io(path, e))?.len();
        if block.offset.checked_add(block.length as u64).is_none_or(|end| end > size) {
            return Err(Error::corrupt(
                path,
                block.offset,
                "the file ends before the member that the index names",
            ));
        }
        let mut stored = vec![0; block.length];
        file.read_exact_at(&mut stored, block.offset).map_err(|e| Error::io(path, e))?;
        let mut text = Vec::new();
        let mut decoder = MultiGzDecoder::new(&stored[..]).take(MAX_BLOCK as u64 + 1);
        decoder
            .read_to_end(&mut text)
            .map_err(|e| Error::corrupt(path, block.offset, format!("the member cannot be unpacked: {e}")))?;
        if text.len() > MAX_BLOCK {
            return Err(Error::corrupt(
                path,
                block.offset,
                "the member unpacks to more than a member may have",
            ));
        }
        Ok(text)
    }

    /// How lines are read: by the header, which the first member has, or by a line.
    fn layout(&self, text: &[u8]) -> Result<&Layout> {
        if let Some(layout) = self.layout.get() {
            return Ok(layout);
        }
        let header = match lines::lines(self.text()).find(|line| lines::holds(line)) {
            None => None,
            Some(line) => {
                let first = self.unpacked(&self.block(line)?)?;
                lines::lines(&first).next().and_then(Layout::of_header)
            }
        };
        let by_line = || lines::lines(text).find(|line| lines::holds(line)).and_then(Layout::of_line);
        let layout = header.or_else(by_line).filter(Layout::is_keyed).ok_or_else(|| Error::Incompatible {
            path: self.path.clone(),
            found: "lines that do not begin with a key and a timestamp".into(),
            expected: "an index of a sorted CDX or CDXJ file".into(),
        })?;
        Ok(self.layout.get_or_init(|| layout))
    }

    /// The lines of the second index whose members may hold keys of a range.
    fn candidates(&self, range: &KeyRange) -> &[u8] {
        let text = self.text();
        // The member before the first that begins in the range may end in it.
        let first = first_line(text, |line| lines::is_before(range, line));
        let before = lines::lines_back(&text[..first]).next().filter(|line| lines::holds(line));
        let start = before.map_or(first, |line| line.as_ptr() as usize - text.as_ptr() as usize);
        let end = match range.to {
            Some(_) => first_line(text, |line| !lines::is_after(range, line)),
            None => text.len(),
        };
        &text[start..end.max(start)]
    }

    fn walk(&self, range: &KeyRange, back: bool, visit: Scan<'_>) -> Result<()> {
        let candidates = self.candidates(range);
        let blocks: Box<dyn Iterator<Item = &[u8]>> =
            if back { Box::new(lines::lines_back(candidates)) } else { Box::new(lines::lines(candidates)) };
        let mut carried: Vec<Vec<u8>> = Vec::new();
        for line in blocks.filter(|line| lines::holds(line)) {
            let text = self.unpacked(&self.block(line)?)?;
            let layout = self.layout(&text)?;
            let mut group = Group::new(layout, &self.faults, back);
            for line in carried.drain(..) {
                let _ = group.push(Cow::Owned(line), visit);
            }
            let lines: Box<dyn Iterator<Item = &[u8]>> =
                if back { Box::new(lines::lines_back(&text)) } else { Box::new(lines::lines(&text)) };
            for line in lines.filter(|line| lines::holds(line)) {
                let (before, after) = (lines::is_before(range, line), lines::is_after(range, line));
                if if back { before } else { after } {
                    break;
                }
                if !before && !after && group.push(Cow::Borrowed(line), visit).is_break() {
                    return Ok(());
                }
            }
            carried = group.into_lines();
        }
        if let Some(layout) = self.layout.get() {
            let mut group = Group::new(layout, &self.faults, back);
            for line in carried {
                let _ = group.push(Cow::Owned(line), visit);
            }
            let _: ControlFlow<()> = group.flush(visit);
        }
        Ok(())
    }
}

impl CaptureSource for ZipNum {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        self.walk(range, false, visit)
    }

    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        self.walk(range, true, visit)
    }
}
