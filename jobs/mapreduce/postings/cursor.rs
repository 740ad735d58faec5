//! The texts of a term one after the other, by blocks.

use webmill_capture::Result;

use super::BLOCK;
use super::read::{Index, TermPostings};
use crate::mapreduce::coding::read_varint;

/// Behind the last text.
const END: u32 = u32::MAX;

/// Texts in ascending order, each with a count.
pub trait Cursor {
    /// The text at hand; `u32::MAX` behind the last.
    fn number(&self) -> u32;
    /// How often it holds the query.
    fn count(&self) -> u32;
    /// Number of texts in the index.
    fn texts(&self) -> u64;
    /// Goes to the first text from `number` on, which is not before the one at hand.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Corrupt`].
    fn seek(&mut self, number: u32) -> Result<()>;
    /// Most occurrences and least length among all texts; `None` where they are not known.
    fn bounds(&self) -> Option<(u32, u32)>;
    /// The same of the block in which `number` would be, and that block's last text. `number` is not before the text at hand.
    fn block_bounds(&mut self, number: u32) -> (Option<(u32, u32)>, u32);
}

#[derive(Debug, Clone, Copy)]
struct Block {
    /// Last text of the block before, last text, offset of the bytes, their end.
    before: Option<u32>,
    last: u32,
    from: usize,
    to: usize,
    texts: usize,
    bounds: Option<(u32, u32)>,
}

/// The texts of a term of an index.
pub struct TermCursor<'a> {
    index: &'a Index,
    texts: u64,
    blocks: Vec<Block>,
    block: usize,
    /// Block that was asked about last.
    peeked: usize,
    numbers: Vec<u32>,
    counts: Vec<u32>,
    /// Offset of the positions of the block.
    positions: usize,
    at: usize,
    bounds: Option<(u32, u32)>,
}

impl<'a> TermCursor<'a> {
    pub(super) fn new(index: &'a Index, term: &TermPostings) -> Result<Self> {
        let wanted = term.texts.div_ceil(BLOCK as u64) as usize;
        let (mut from, mut before) = (term.blocks.start, None);
        let mut blocks = Vec::new();
        if wanted == 1 {
            let (to, texts) = (term.blocks.end, term.texts as usize);
            blocks.push(Block { before, last: END - 1, from, to, texts, bounds: None });
        } else {
            let mut table = &index.bytes()[term.table.clone()];
            for number in 0..wanted {
                let broken = || index.corrupt(term.table.start, "the table of blocks of a term is broken");
                let mut next = || read_varint(&mut table).ok_or_else(broken);
                let (step, bytes, most, least) = (next()?, next()?, next()?, next()?);
                let last = u64::from(before.unwrap_or(0)) + step;
                let to = usize::try_from(bytes).ok().and_then(|bytes| from.checked_add(bytes));
                let to = to.filter(|to| *to <= term.blocks.end).ok_or_else(broken)?;
                let last = u32::try_from(last).ok().filter(|last| *last < END).ok_or_else(broken)?;
                if before.is_some_and(|before| before >= last) {
                    return Err(broken());
                }
                let bounds = u32::try_from(most).ok().zip(u32::try_from(least).ok()).ok_or_else(broken)?;
                let texts = (term.texts as usize - number * BLOCK).min(BLOCK);
                blocks.push(Block { before, last, from, to, texts, bounds: Some(bounds) });
                (from, before) = (to, Some(last));
            }
        }
        let worst = |a: Option<(u32, u32)>, b: Option<(u32, u32)>| match (a, b) {
            (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.min(b.1))),
            _ => None,
        };
        let bounds = blocks.iter().map(|block| block.bounds).reduce(worst).flatten();
        let mut cursor = TermCursor {
            index,
            texts: term.texts,
            blocks,
            block: 0,
            peeked: 0,
            numbers: Vec::new(),
            counts: Vec::new(),
            positions: 0,
            at: 0,
            bounds,
        };
        cursor.decode()?;
        Ok(cursor)
    }

    /// Decodes numbers and counts of the block at hand.
    fn decode(&mut self) -> Result<()> {
        let Some(block) = self.blocks.get(self.block).copied() else { return Ok(()) };
        let bytes = self.index.bytes();
        let mut rest = &bytes[block.from..block.to];
        let broken = || self.index.corrupt(block.from, "a block of texts is broken");
        self.numbers.clear();
        self.counts.clear();
        let mut number = u64::from(block.before.unwrap_or(0));
        for n in 0..block.texts {
            let step = read_varint(&mut rest).ok_or_else(broken)?;
            if step == 0 && (n > 0 || block.before.is_some()) {
                return Err(broken());
            }
            number = number.checked_add(step).filter(|n| *n <= u64::from(block.last)).ok_or_else(broken)?;
            if number >= self.index.texts() {
                return Err(broken());
            }
            self.numbers.push(number as u32);
        }
        for _ in 0..block.texts {
            let count = read_varint(&mut rest).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
            self.counts.push(count.ok_or_else(broken)?);
        }
        self.positions = block.to - rest.len();
        self.at = 0;
        Ok(())
    }

    /// Where the text at hand holds the term: ascending places among its words.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Corrupt`].
    pub fn positions(&self, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        let Some(block) = self.blocks.get(self.block) else { return Ok(()) };
        let mut rest = &self.index.bytes()[self.positions..block.to];
        let broken = || self.index.corrupt(self.positions, "positions of a term are broken");
        let before: u64 = self.counts[..self.at].iter().map(|count| u64::from(*count)).sum();
        for _ in 0..before {
            read_varint(&mut rest).ok_or_else(broken)?;
        }
        let mut place = 0u64;
        for _ in 0..self.counts[self.at] {
            place = read_varint(&mut rest).and_then(|step| place.checked_add(step)).ok_or_else(broken)?;
            into.push(u32::try_from(place).map_err(|_| broken())?);
        }
        Ok(())
    }
}

impl Cursor for TermCursor<'_> {
    fn number(&self) -> u32 {
        if self.block < self.blocks.len() { self.numbers[self.at] } else { END }
    }

    fn count(&self) -> u32 {
        self.counts[self.at]
    }

    fn texts(&self) -> u64 {
        self.texts
    }

    fn seek(&mut self, number: u32) -> Result<()> {
        if self.number() >= number {
            return Ok(());
        }
        let mut block = self.block;
        while self.blocks.get(block).is_some_and(|block| block.last < number) {
            block += 1;
        }
        if block != self.block {
            self.block = block;
            self.decode()?;
            if self.block == self.blocks.len() {
                return Ok(());
            }
        }
        self.at += self.numbers[self.at..].partition_point(|n| *n < number);
        if self.at == self.numbers.len() {
            // Only the last of its block may lie before a number that the block's last is not before: a lone block has no last.
            self.block += 1;
            self.at = 0;
            self.decode()?;
        }
        Ok(())
    }

    fn bounds(&self) -> Option<(u32, u32)> {
        self.bounds
    }

    fn block_bounds(&mut self, number: u32) -> (Option<(u32, u32)>, u32) {
        self.peeked = self.peeked.max(self.block);
        while self.blocks.get(self.peeked).is_some_and(|block| block.last < number) {
            self.peeked += 1;
        }
        self.blocks.get(self.peeked).map_or((Some((0, 0)), END - 1), |block| (block.bounds, block.last))
    }
}

/// Texts and counts in memory.
pub struct ListCursor {
    list: Vec<(u32, u32)>,
    at: usize,
}

impl ListCursor {
    /// Over texts in ascending order with their counts.
    pub fn new(list: Vec<(u32, u32)>) -> Self {
        ListCursor { list, at: 0 }
    }
}

impl Cursor for ListCursor {
    fn number(&self) -> u32 {
        self.list.get(self.at).map_or(END, |text| text.0)
    }

    fn count(&self) -> u32 {
        self.list[self.at].1
    }

    fn texts(&self) -> u64 {
        self.list.len() as u64
    }

    fn seek(&mut self, number: u32) -> Result<()> {
        self.at += self.list[self.at..].partition_point(|text| text.0 < number);
        Ok(())
    }

    fn bounds(&self) -> Option<(u32, u32)> {
        None
    }

    fn block_bounds(&mut self, _: u32) -> (Option<(u32, u32)>, u32) {
        (None, END - 1)
    }
}
