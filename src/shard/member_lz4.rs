//! LZ4 frames, one a record as some archives hold them.
//!
//! A frame is a head with a check byte, blocks of at most 4 MiB decoded, and an end mark; blocks and the whole content may
//! have check sums (xxHash-32), which are compared. Blocks may refer to the 64 KiB decoded before them, which are kept.
//! Cost: one block stored and decoded at a time.
//!
//! Reference: LZ4 Frame Format Description, version 1.6.4.

use lz4_flex::block::{decompress_into, decompress_into_with_dict};
use xxhash_rust::xxh32::{Xxh32, xxh32};

use webmill_capture::error::{Error, Result};

use super::{Codec, HOLD_BYTES, Members, Phase, Step};

pub(super) const MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
/// The first of the sixteen kinds of frames that are passed over, but for its lowest four bits.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
/// How far back a block may refer.
const HISTORY: usize = 64 << 10;

/// The frame at hand.
#[derive(Default)]
pub(super) struct Lz4 {
    linked: bool,
    block_sums: bool,
    content_sum: Option<Xxh32>,
    content_size: Option<u64>,
    most: usize,
    made: u64,
    history: Vec<u8>,
}

/// Known facts about a frame's head.
enum Head {
    Complete(Lz4, usize),
    Incomplete,
    Invalid(&'static str),
}

impl Lz4 {
    fn head(bytes: &[u8]) -> Head {
        let n = bytes.len().min(4);
        if bytes[..n] != MAGIC[..n] {
            return Head::Invalid("no lz4 frame where one should start");
        }
        let [_, _, _, _, flags, blocks, rest @ ..] = bytes else { return Head::Incomplete };
        let has = |bit: u8| flags >> bit & 1 == 1;
        let size = blocks >> 4;
        if flags >> 6 != 1 || has(1) || blocks & 0x8f != 0 || size < 4 {
            return Head::Invalid("the head of the lz4 frame is damaged");
        }
        if has(0) {
            return Head::Invalid("the lz4 frame needs a dictionary, which archives do not have");
        }
        let told = if has(3) { 8 } else { 0 };
        let Some(check) = rest.get(told) else { return Head::Incomplete };
        if (xxh32(&bytes[4..6 + told], 0) >> 8) as u8 != *check {
            return Head::Invalid("the head of the lz4 frame is damaged");
        }
        let frame = Lz4 {
            linked: !has(5),
            block_sums: has(4),
            content_sum: has(2).then(|| Xxh32::new(0)),
            content_size: rest.first_chunk().filter(|_| has(3)).map(|size| u64::from_le_bytes(*size)),
            most: 1 << (8 + 2 * size),
            made: 0,
            history: Vec::new(),
        };
        Head::Complete(frame, 7 + told)
    }

    /// Decodes a block into the start of `out`, which has room for the largest.
    fn block(&mut self, stored: &[u8], packed: bool, out: &mut [u8]) -> Option<usize> {
        let out = &mut out[..self.most];
        let made = match packed {
            false => {
                out.get_mut(..stored.len())?.copy_from_slice(stored);
                stored.len()
            }
            true if self.linked => decompress_into_with_dict(stored, out, &self.history).ok()?,
            true => decompress_into(stored, out).ok()?,
        };
        let made_bytes = &out[..made];
        self.made += made as u64;
        if let Some(sum) = &mut self.content_sum {
            sum.update(made_bytes);
        }
        if self.linked {
            if made < HISTORY {
                let drop = (self.history.len() + made).saturating_sub(HISTORY);
                self.history.drain(..drop);
            } else {
                self.history.clear();
            }
            self.history.extend_from_slice(&made_bytes[made.saturating_sub(HISTORY)..]);
        }
        Some(made)
    }
}

impl Members {
    pub(super) fn begin_lz4(&mut self) -> Result<bool> {
        let (frame, head) = loop {
            let window = self.stored.fill(32);
            if window.is_empty() {
                return self.stored.take_error().map_or(Ok(false), Err);
            }
            if window[0] == 0 && self.pass_padding()? {
                return Ok(false);
            }
            let window = self.stored.buffered();
            if window.len() >= 8 && window[0] & 0xf0 == 0x50 && window[1..4] == SKIPPABLE {
                let size = u32::from_le_bytes([window[4], window[5], window[6], window[7]]);
                let whole = u64::from(size) + 8;
                if self.stored.skip(whole) < whole {
                    return Err(self.cut());
                }
                self.member_at = self.stored.position();
                continue;
            }
            match Lz4::head(window) {
                Head::Complete(frame, head) => break (frame, head),
                Head::Incomplete => return Err(self.cut()),
                Head::Invalid(reason) => return Err(self.corrupt(self.member_at, reason)),
            }
        };
        self.mark();
        self.phase = Phase::Inside;
        self.taken = head;
        if let Codec::Lz4(codec) = &mut self.codec {
            **codec = frame;
        }
        Ok(true)
    }

    /// Four bytes of the frame after those that were taken.
    fn lz4_word(&mut self) -> Result<u32> {
        match self.stored.fill(self.taken + 4).get(self.taken..self.taken + 4) {
            Some(word) => {
                let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                self.taken += 4;
                Ok(word)
            }
            None => Err(self.cut()),
        }
    }

    pub(super) fn more_lz4(&mut self) -> Result<Step> {
        loop {
            let before = self.taken;
            let word = self.lz4_word()?;
            if word == 0 {
                return self.end_lz4().map(|()| Step::Data);
            }
            let (size, packed) = ((word & 0x7fff_ffff) as usize, word >> 31 == 0);
            let damaged = |members: &Members, what: &str| {
                Err(members.corrupt(members.member_at, format!("the lz4 frame is damaged: {what}")))
            };
            let Codec::Lz4(frame) = &self.codec else {
                return Err(Error::Internal("lz4 asked of another codec".into()));
            };
            let (most, sums) = (frame.most, frame.block_sums);
            if size > most {
                return damaged(self, "a block of more than its head allows");
            }
            let until = self.taken + size;
            if self.stored.fill(until).len() < until {
                // What was taken counts as read only when the block is whole.
                self.taken = before;
                return Err(self.cut());
            }
            let stored = &self.stored.buffered()[self.taken..until];
            let sum = sums.then(|| xxh32(stored, 0));
            let Codec::Lz4(frame) = &mut self.codec else {
                return Err(Error::Internal("lz4 asked of another codec".into()));
            };
            let Some(made) = frame.block(stored, packed, self.out.room(most)) else {
                return damaged(self, "a block that does not decode");
            };
            self.taken = until;
            if let Some(sum) = sum
                && self.lz4_word()? != sum
            {
                return damaged(self, "the check sum of a block does not agree");
            }
            self.out.grow(made);
            if self.taken > HOLD_BYTES {
                self.stored.consume(self.taken);
                self.taken = 0;
            }
            if made > 0 {
                return Ok(Step::Data);
            }
        }
    }

    /// Checks what the end of the frame says and leaves it.
    fn end_lz4(&mut self) -> Result<()> {
        let Codec::Lz4(frame) = &self.codec else {
            return Err(Error::Internal("lz4 asked of another codec".into()));
        };
        let size_agrees = frame.content_size.is_none_or(|size| size == frame.made);
        let sum = frame.content_sum.as_ref().map(Xxh32::digest);
        let sum_agrees = match sum {
            Some(sum) => self.lz4_word()? == sum,
            None => true,
        };
        if !size_agrees || !sum_agrees {
            let what = if size_agrees { "check sum" } else { "size" };
            return Err(
                self.corrupt(self.member_at, format!("the lz4 frame is damaged: its {what} does not agree"))
            );
        }
        self.stored.consume(self.taken);
        self.taken = 0;
        self.phase = Phase::Between;
        Ok(())
    }
}

/// First decoded bytes of the frame at the start of `bytes`: those of its first block that is there whole.
pub(super) fn probe(bytes: &[u8]) -> Option<Vec<u8>> {
    let Head::Complete(mut frame, at) = Lz4::head(bytes) else { return None };
    let word = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?);
    let stored = bytes.get(at + 4..at + 4 + (word & 0x7fff_ffff) as usize)?;
    let mut out = vec![0; frame.most];
    let made = frame.block(stored, word >> 31 == 0, &mut out)?;
    out.truncate(made);
    Some(out)
}
