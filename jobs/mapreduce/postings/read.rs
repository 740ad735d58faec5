//! A file of postings, mapped.

use std::cmp::Ordering;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

use super::cursor::TermCursor;
use super::{FOOTER, MAGIC, MARK, TERMS};
use crate::mapreduce::coding::read_varint;

/// Bytes of a term at most.
const LONGEST: usize = 1 << 16;

/// A part of the terms of a corpus.
pub struct Index {
    path: PathBuf,
    bytes: Bytes,
    dictionary: Range<usize>,
    table: Range<usize>,
    terms: u64,
    texts: u64,
    part: (u32, u32),
}

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// Where the postings of a term lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermPostings {
    /// The term that the postings are of.
    pub term: String,
    /// Texts that hold it.
    pub texts: u64,
    /// How often it occurs in all of them.
    pub occurrences: u64,
    pub(super) blocks: Range<usize>,
    pub(super) table: Range<usize>,
}

impl Index {
    /// Opens a file.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Incompatible`] where it is no index of this form, [`Error::Corrupt`] where it is cut short.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).at(path)?;
        // SAFETY: files of results are written once and never changed; who changes one while it is read gets other bytes, each of
        // which is checked.
        let map = unsafe { Mmap::map(&file) }.at(path)?;
        Self::of(path, Bytes::Mapped(map))
    }

    /// The same of bytes in memory, which `path` names in errors.
    ///
    /// # Errors
    /// Like [`Index::open`].
    pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        Self::of(path, Bytes::Owned(bytes))
    }

    fn of(path: &Path, bytes: Bytes) -> Result<Self> {
        if !bytes.starts_with(MAGIC) {
            let found = bytes[..bytes.len().min(16)].escape_ascii().to_string();
            let expected = MAGIC.escape_ascii().to_string();
            return Err(Error::Incompatible { path: path.into(), found, expected });
        }
        let cut = || Error::corrupt(path, bytes.len() as u64, "the index is cut short".to_owned());
        let footer = bytes.len().checked_sub(FOOTER).filter(|at| *at >= MAGIC.len()).ok_or_else(cut)?;
        if !bytes.ends_with(MARK) {
            return Err(cut());
        }
        let number = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[footer + at..footer + at + 8]);
            u64::from_le_bytes(eight)
        };
        let (dictionary, table, terms, texts, parts) =
            (number(0), number(8), number(16), number(24), number(32));
        let blocks = terms.div_ceil(TERMS as u64);
        let wrong = |what: &str| Error::corrupt(path, footer as u64, what.to_owned());
        if dictionary < MAGIC.len() as u64 || table < dictionary || table > footer as u64 {
            return Err(wrong("the dictionary lies outside of the file"));
        }
        if blocks.checked_mul(16) != Some(footer as u64 - table) || u32::try_from(texts).is_err() {
            return Err(wrong("the number of terms or texts is not that of the file"));
        }
        let (dictionary, table) = (dictionary as usize, table as usize);
        Ok(Index {
            path: path.to_path_buf(),
            dictionary: dictionary..table,
            table: table..footer,
            terms,
            texts,
            part: (parts as u32, (parts >> 32) as u32),
            bytes,
        })
    }

    /// Number of terms in the file.
    pub fn terms(&self) -> u64 {
        self.terms
    }

    /// Texts of the corpus.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// Which part of how many it is.
    pub fn part(&self) -> (u32, u32) {
        self.part
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn corrupt(&self, at: usize, what: &str) -> Error {
        Error::corrupt(&self.path, at as u64, what.to_owned())
    }

    /// Offset of a block of the dictionary, and of its first postings.
    fn block(&self, number: usize) -> Result<(usize, usize)> {
        let at = self.table.start + 16 * number;
        let word = |at: usize| {
            self.bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(|b| u64::from_le_bytes(b) as usize)
        };
        let offsets = word(at).zip(word(at + 8));
        offsets
            .filter(|(at, postings)| self.dictionary.contains(at) && *postings <= self.dictionary.start)
            .ok_or_else(|| self.corrupt(at, "a block of the dictionary lies outside of it"))
    }

    /// Calls `each` with the terms of a block of the dictionary until it says `false`.
    fn each_of_block(&self, number: usize, mut each: impl FnMut(TermPostings) -> bool) -> Result<()> {
        let (at, mut postings) = self.block(number)?;
        let mut rest = &self.bytes[at..self.dictionary.end];
        let left = self.terms - (number * TERMS) as u64;
        let mut term = Vec::new();
        for _ in 0..left.min(TERMS as u64) {
            let here = self.dictionary.end - rest.len();
            let broken = || self.corrupt(here, "a term is broken");
            let mut next = || read_varint(&mut rest).and_then(|n| usize::try_from(n).ok()).ok_or_else(broken);
            let (shared, further, texts, occurrences, blocks, table) =
                (next()?, next()?, next()?, next()?, next()?, next()?);
            if shared > term.len() || further > LONGEST || texts as u64 > self.texts || texts == 0 {
                return Err(broken());
            }
            let (letters, behind) = rest.split_at_checked(further).ok_or_else(broken)?;
            rest = behind;
            term.truncate(shared);
            term.extend_from_slice(letters);
            let of_blocks = postings.checked_add(blocks).ok_or_else(broken)?;
            let end = of_blocks
                .checked_add(table)
                .filter(|end| *end <= self.dictionary.start)
                .ok_or_else(broken)?;
            let found = TermPostings {
                term: String::from_utf8(term.clone()).map_err(|_| broken())?,
                texts: texts as u64,
                occurrences: occurrences as u64,
                blocks: postings..of_blocks,
                table: of_blocks..end,
            };
            postings = end;
            if !each(found) {
                break;
            }
        }
        Ok(())
    }

    /// The postings of a term, where it has any.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn find(&self, term: &str) -> Result<Option<TermPostings>> {
        let (mut low, mut high) = (0, self.terms.div_ceil(TERMS as u64) as usize);
        while low < high {
            let middle = low + (high - low) / 2;
            let mut above = false;
            self.each_of_block(middle, |first| {
                above = first.term.as_str() > term;
                false
            })?;
            if above { high = middle } else { low = middle + 1 }
        }
        let Some(block) = low.checked_sub(1) else { return Ok(None) };
        let mut found = None;
        self.each_of_block(block, |of_block| match of_block.term.as_str().cmp(term) {
            Ordering::Less => true,
            Ordering::Equal => {
                found = Some(of_block);
                false
            }
            Ordering::Greater => false,
        })?;
        Ok(found)
    }

    /// Calls `each` with every term, in order.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn each_term(&self, mut each: impl FnMut(TermPostings)) -> Result<()> {
        (0..self.terms.div_ceil(TERMS as u64) as usize).try_for_each(|block| {
            self.each_of_block(block, |term| {
                each(term);
                true
            })
        })
    }

    /// A cursor over the texts of a term.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub fn cursor(&self, term: &TermPostings) -> Result<TermCursor<'_>> {
        TermCursor::new(self, term)
    }
}
