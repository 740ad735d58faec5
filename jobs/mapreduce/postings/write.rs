//! Writing a file of postings, term by term.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

use super::{BLOCK, MAGIC, MARK, TERMS};
use crate::mapreduce::coding::{read_varint, write_varint};

/// Writes terms in order, each with its texts in order.
pub struct IndexWriter {
    path: PathBuf,
    out: BufWriter<File>,
    /// Bytes written.
    at: u64,
    written: Written,
    dictionary: Vec<u8>,
    blocks: Vec<[u64; 2]>,
    term: Vec<u8>,
    before: Vec<u8>,
    open: Option<Open>,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of terms in the file.
    pub terms: u64,
    /// Pairs of a term and a text.
    pub postings: u64,
    /// Occurrences of terms.
    pub occurrences: u64,
}

/// The term that is being written.
#[derive(Default)]
struct Open {
    texts: u64,
    occurrences: u64,
    bytes: u64,
    table: Vec<u8>,
    blocks: u64,
    /// The last number of the block before and of this one.
    last: (u32, Option<u32>),
    in_block: usize,
    numbers: Vec<u8>,
    counts: Vec<u8>,
    positions: Vec<u8>,
    most: u32,
    least: u32,
}

impl IndexWriter {
    /// Creates the file.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(path: &Path) -> Result<Self> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path).at(path)?);
        out.write_all(MAGIC).at(path)?;
        Ok(IndexWriter {
            path: path.to_path_buf(),
            out,
            at: MAGIC.len() as u64,
            written: Written::default(),
            dictionary: Vec::new(),
            blocks: Vec::new(),
            term: Vec::new(),
            before: Vec::new(),
            open: None,
        })
    }

    /// Begins a term, behind those before in the order of bytes.
    ///
    /// # Errors
    /// [`Error::Internal`] where it is not; where the disk refuses.
    pub fn term(&mut self, term: &str) -> Result<()> {
        self.end_term()?;
        if self.written.terms > 0 && self.before.as_slice() >= term.as_bytes() {
            return Err(Error::Internal(format!("term {term:?} is not behind the one before it")));
        }
        self.term.clear();
        self.term.extend_from_slice(term.as_bytes());
        self.open = Some(Open::default());
        Ok(())
    }

    /// Adds a text to the term: its number, its length in words, the positions of the term, ascending, as differences (LEB128).
    ///
    /// # Errors
    /// [`Error::Internal`] for a number that is not above those before, or no positions; where the disk refuses.
    pub fn text(&mut self, number: u32, length: u32, positions: &[u8]) -> Result<()> {
        let strange = |what: &str| Error::Internal(format!("text {number} of a term {what}"));
        let open = self.open.as_mut().ok_or_else(|| strange("that was not begun"))?;
        let (mut rest, mut count) = (positions, 0u32);
        while !rest.is_empty() {
            read_varint(&mut rest).ok_or_else(|| strange("with a broken position"))?;
            count += 1;
        }
        let before = open.last.1.or(if open.texts > 0 { Some(open.last.0) } else { None });
        if count == 0 || before.is_some_and(|before| before >= number) {
            return Err(strange("without positions, or out of order"));
        }
        write_varint(&mut open.numbers, u64::from(number - before.unwrap_or(0)));
        write_varint(&mut open.counts, u64::from(count));
        open.positions.extend_from_slice(positions);
        if open.in_block == 0 {
            (open.most, open.least) = (count, length);
        }
        (open.most, open.least) = (open.most.max(count), open.least.min(length));
        open.last.1 = Some(number);
        open.texts += 1;
        open.occurrences += u64::from(count);
        open.in_block += 1;
        if open.in_block == BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<()> {
        let Some(open) = self.open.as_mut().filter(|open| open.in_block > 0) else { return Ok(()) };
        let last = open.last.1.unwrap_or_default();
        let bytes = open.numbers.len() + open.counts.len() + open.positions.len();
        for number in [u64::from(last - open.last.0), bytes as u64, open.most.into(), open.least.into()] {
            write_varint(&mut open.table, number);
        }
        for piece in [&mut open.numbers, &mut open.counts, &mut open.positions] {
            self.out.write_all(piece).at(&self.path)?;
            piece.clear();
        }
        open.bytes += bytes as u64;
        open.blocks += 1;
        open.last = (last, None);
        open.in_block = 0;
        Ok(())
    }

    fn end_term(&mut self) -> Result<()> {
        self.end_block()?;
        let Some(open) = self.open.take().filter(|open| open.texts > 0) else { return Ok(()) };
        if self.written.terms.is_multiple_of(TERMS as u64) {
            self.blocks.push([self.dictionary.len() as u64, self.at]);
            self.before.clear();
        }
        let table = if open.blocks > 1 { open.table.as_slice() } else { &[] };
        self.out.write_all(table).at(&self.path)?;
        self.at += open.bytes + table.len() as u64;
        let shared = self.before.iter().zip(&self.term).take_while(|(a, b)| a == b).count();
        let further = self.term.len() - shared;
        for number in
            [shared as u64, further as u64, open.texts, open.occurrences, open.bytes, table.len() as u64]
        {
            write_varint(&mut self.dictionary, number);
        }
        self.dictionary.extend_from_slice(&self.term[shared..]);
        self.before.clone_from(&self.term);
        self.written.terms += 1;
        self.written.postings += open.texts;
        self.written.occurrences += open.occurrences;
        Ok(())
    }

    /// Completes the file: part `part` of `parts` of the terms of a corpus of `texts` texts.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(mut self, part: u32, parts: u32, texts: u64) -> Result<Written> {
        self.end_term()?;
        let (dictionary, table) = (self.at, self.at + self.dictionary.len() as u64);
        self.out.write_all(&self.dictionary).at(&self.path)?;
        for [offset, postings] in &self.blocks {
            let offset = dictionary + offset;
            self.out.write_all(&offset.to_le_bytes()).at(&self.path)?;
            self.out.write_all(&postings.to_le_bytes()).at(&self.path)?;
        }
        let mut footer = Vec::new();
        for number in [dictionary, table, self.written.terms, texts] {
            footer.extend_from_slice(&number.to_le_bytes());
        }
        footer.extend_from_slice(&part.to_le_bytes());
        footer.extend_from_slice(&parts.to_le_bytes());
        footer.extend_from_slice(MARK);
        self.out.write_all(&footer).at(&self.path)?;
        self.out.into_inner().map_err(|e| Error::io(&self.path, e.into_error()))?;
        Ok(self.written)
    }
}
