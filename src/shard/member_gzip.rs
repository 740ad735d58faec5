//! Gzip members: whole where that can be, else by and by.
//!
//! Most members are small and lie in the stored window, so libdeflate is asked first. It cannot say whether it failed
//! for want of input or for damage: at most [`MOST_TRIES`] times more is given, four times as much each time, up to
//! [`WHOLE_IN`] stored and [`WHOLE_OUT`] decoded bytes, so that what was inflated in vain stays within a constant of
//! what the member costs anyway. After that the streaming decoder takes the member from its start, and its verdict
//! counts. After the n-th failure in a row 2ⁿ − 1 members go to the streaming decoder unasked.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use webmill_capture::error::{Error, Result};

use super::inflate::{InflateStop, Inflater};
use super::{Codec, HOLD_BYTES, Members, OUT_BYTES, Phase, Step};

/// Stored and decoded size up to which a member is inflated at once.
const WHOLE_IN: usize = 4 << 20;
const WHOLE_OUT: usize = 8 << 20;
/// Least and most stored bytes, and least decoded ones, that are tried first.
const FIRST_IN: std::ops::RangeInclusive<usize> = (64 << 10)..=(1 << 20);
const FIRST_OUT: usize = 512 << 10;
/// Room beyond the record limit, for the head of a record and the blank lines after it.
const HEAD_OUT: usize = 64 << 10;
/// Most tries to inflate one member at once.
const MOST_TRIES: usize = 6;
/// Bytes in which members that hold nothing are looked for: many of them, of some 20 bytes each.
const EMPTY_BYTES: usize = 4096;
/// Longest gzip head (file name, comment) that is believed.
const MAX_HEAD: usize = 64 << 10;

pub(super) const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// The decoders of a chain of gzip members.
pub(super) struct Gzip {
    pub inflate: Decompress,
    crc: Crc,
    /// Missing when there was no memory for it: then everything is streamed.
    whole: Option<Inflater>,
    most_out: usize,
    /// Stored size of the largest member of late.
    usual: usize,
    /// Failures in a row to inflate a member at once, and members to be streamed for it.
    failures: u32,
    unasked: u32,
    /// Tries so far that were in vain, at most [`MOST_TRIES`] for a member.
    vain: u64,
}

impl Gzip {
    /// For records of at most `limit` bytes.
    pub fn new(limit: usize) -> Gzip {
        Gzip {
            inflate: Decompress::new(false),
            crc: Crc::new(),
            whole: Inflater::new(),
            most_out: limit.saturating_add(HEAD_OUT).min(WHOLE_OUT),
            usual: 0,
            failures: 0,
            unasked: 0,
            vain: 0,
        }
    }

    #[cfg(test)]
    pub fn only_by_and_by(&mut self) {
        self.whole = None;
    }

    #[cfg(test)]
    pub fn vain(&self) -> u64 {
        self.vain
    }
}

impl Members {
    pub(super) fn begin_gzip(&mut self) -> Result<bool> {
        if self.stored.fill(18).is_empty() {
            return self.stored.take_error().map_or(Ok(false), Err);
        }
        if self.stored.buffered()[0] == 0 && self.pass_padding()? {
            return Ok(false);
        }
        if self.pass_empty() {
            self.member_at = self.stored.position();
            return self.begin_gzip();
        }
        if self.whole_gzip() {
            return Ok(true);
        }
        let mut want = 1024;
        let head = loop {
            match head_length(self.stored.fill(want)) {
                Head::Complete(n) => break n,
                Head::Invalid => {
                    return Err(self.corrupt(self.member_at, "no gzip member where one should start"));
                }
                Head::Incomplete if self.stored.buffered().len() < want => return Err(self.cut()),
                Head::Incomplete if want > MAX_HEAD => {
                    return Err(self.corrupt(self.member_at, "the head of the gzip member does not end"));
                }
                Head::Incomplete => want *= 2,
            }
        };
        self.mark();
        self.phase = Phase::Inside;
        self.taken = head;
        if let Codec::Gzip(gzip) = &mut self.codec {
            gzip.inflate.reset(false);
            gzip.crc.reset();
        }
        Ok(true)
    }

    /// Moves over members that hold nothing, as writers leave them that end a member for each flush; whether there were any.
    pub(super) fn pass_empty(&mut self) -> bool {
        let mut passed = false;
        loop {
            match empty_members(self.stored.fill(EMPTY_BYTES)) {
                0 => return passed,
                n => self.stored.consume(n),
            }
            passed = true;
        }
    }

    /// Inflates the member at once if it is small enough; `false`, without a trace, where it is not or is damaged.
    fn whole_gzip(&mut self) -> bool {
        let Members { codec: Codec::Gzip(gzip), stored, out, .. } = self else { return false };
        let Some(inflater) = &mut gzip.whole else { return false };
        if gzip.unasked > 0 {
            gzip.unasked -= 1;
            return false;
        }
        if !stored.buffered().starts_with(&MAGIC) {
            return false;
        }
        let mut want = (2 * gzip.usual).clamp(*FIRST_IN.start(), *FIRST_IN.end());
        let mut room = FIRST_OUT.min(gzip.most_out);
        let mut found = None;
        for _ in 0..MOST_TRIES {
            let held = stored.fill(want).len();
            let into = out.room(room);
            let there = into.len();
            match inflater.member(stored.buffered(), into) {
                Ok(sizes) => {
                    found = Some(sizes);
                    break;
                }
                Err(stop) => {
                    gzip.vain += 1;
                    match stop {
                        InflateStop::Input if held >= want && held < WHOLE_IN => {
                            want = (4 * held).min(WHOLE_IN)
                        }
                        InflateStop::Output if there < gzip.most_out => room = (4 * there).min(gzip.most_out),
                        _ => break,
                    }
                }
            }
        }
        let Some((read, made)) = found else {
            gzip.failures = (gzip.failures + 1).min(10);
            gzip.unasked = (1 << gzip.failures) - 1;
            return false;
        };
        gzip.failures = 0;
        gzip.usual = read.max(gzip.usual - gzip.usual / 16);
        self.mark();
        self.out.grow(made);
        self.stored.consume(read);
        self.phase = Phase::Between;
        true
    }

    pub(super) fn more_gzip(&mut self) -> Result<Step> {
        loop {
            if self.stored.buffered().len() == self.taken
                && self.stored.fill(self.taken + 1).len() == self.taken
            {
                return Err(self.cut());
            }
            let Members { codec: Codec::Gzip(gzip), stored, out, .. } = self else {
                return Err(Error::Internal("gzip asked of another codec".into()));
            };
            let Gzip { inflate, crc, .. } = &mut **gzip;
            let room = out.room(OUT_BYTES);
            let before = (inflate.total_in(), inflate.total_out());
            let input = &stored.buffered()[self.taken..];
            // `Finish` only says that everything may be taken at once: it saves the copy into the decoder's window.
            let status = inflate.decompress(input, room, FlushDecompress::Finish);
            let read = (inflate.total_in() - before.0) as usize;
            let made = (inflate.total_out() - before.1) as usize;
            crc.update(&room[..made]);
            let total = inflate.total_out();
            let sum = crc.sum();
            self.taken += read;
            self.out.grow(made);
            let had = self.stored.buffered().len() - self.taken;
            match status {
                Err(e) => {
                    let reason = format!("the gzip member is damaged: {e}");
                    return Err(self.corrupt(self.member_at, reason));
                }
                Ok(Status::StreamEnd) => return self.end_gzip(sum, total as u32).map(|()| Step::Data),
                Ok(_) if read == 0 && made == 0 && had > 0 => {
                    return Err(self.corrupt(self.member_at, "the gzip member is damaged: no progress"));
                }
                Ok(_) => {}
            }
            if self.taken > HOLD_BYTES {
                self.stored.consume(self.taken);
                self.taken = 0;
            }
            if made > 0 {
                return Ok(Step::Data);
            }
        }
    }

    /// Checks the trailer and leaves the member.
    fn end_gzip(&mut self, crc: u32, length: u32) -> Result<()> {
        let Some(trailer) = self.stored.fill(self.taken + 8).get(self.taken..self.taken + 8) else {
            return Err(self.cut());
        };
        let expected: [u8; 8] = trailer.try_into().expect("eight bytes were cut out");
        let found = (u64::from(length) << 32 | u64::from(crc)).to_le_bytes();
        if expected != found {
            return Err(
                self.corrupt(self.member_at, "the gzip member is damaged: its check sum does not agree")
            );
        }
        self.stored.consume(self.taken + 8);
        self.taken = 0;
        self.phase = Phase::Between;
        Ok(())
    }
}

/// Known facts about a member's head.
pub(crate) enum Head {
    Complete(usize),
    Incomplete,
    Invalid,
}

/// Length of the whole members at the start of `bytes` that hold nothing: a head, a last block of deflate without data
/// (RFC 1951: fixed codes, or stored), and a trailer of zeros.
pub(crate) fn empty_members(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Head::Complete(head) = head_length(&bytes[at..]) {
        let rest = &bytes[at + head..];
        let block = [&b"\x03\0"[..], b"\x01\0\0\xff\xff"].into_iter().find(|block| rest.starts_with(block));
        let Some(block) = block.filter(|block| rest[block.len()..].starts_with(&[0; 8])) else { break };
        at += head + block.len() + 8;
    }
    at
}

/// Length of the gzip member head at the start of `bytes` (RFC 1952, 2.3).
pub(crate) fn head_length(bytes: &[u8]) -> Head {
    let n = bytes.len().min(3);
    if bytes[..n] != MAGIC[..n] {
        return Head::Invalid;
    }
    let Some(&flags) = bytes.get(3) else { return Head::Incomplete };
    if flags & 0xe0 != 0 {
        return Head::Invalid;
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let Some(size) = bytes.get(at..at + 2) else { return Head::Incomplete };
        at += 2 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let Some(end) = bytes.get(at..).and_then(|rest| memchr::memchr(0, rest)) else {
                return Head::Incomplete;
            };
            at += end + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    if at < bytes.len() { Head::Complete(at) } else { Head::Incomplete }
}
