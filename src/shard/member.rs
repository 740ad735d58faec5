//! Compressed files as a chain of members: gzip members, Zstandard frames, or the plain file as one member.
//!
//! A WARC or ARC file is usually a concatenation of members, one a record, so that a record can be read by offset. Real
//! files also hold one member over everything, or members cut without regard to records. [`Members`] therefore offers
//! the decoded bytes as one growing window and remembers where each member began, in decoded and in stored bytes.
//!
//! Algorithm: a gzip member whose stored bytes are at hand is inflated whole into the window; all others by and by. A
//! member is trusted only after its CRC-32 and length agree. After damage the search for the next member starts one
//! byte after the start of the broken one, because a wrong bit can make the decoder run over any number of good
//! members; a place is taken when a member head stands there and its first bytes decode to a record head.
//!
//! Memory: what the caller has not consumed, twice at most, plus the stored window and 32 KiB (gzip) or the frame's
//! window (zstd, at most 128 MiB) of state. Bytes that are skipped are decoded to nowhere and counted: a member that
//! unpacks past [`SKIP_FLOOR`] plus [`SKIP_RATIO`] times its stored size while being skipped is given up.
//!
//! Reference: RFC 1952, RFC 8878, and the `.warc.zst` convention (dictionary in a skippable frame at the start).

use std::collections::VecDeque;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use memchr::memmem;
use zstd::stream::raw::{Decoder, Operation};
use zstd::zstd_safe::{InBuffer, OutBuffer};

use crate::error::{Error, Result};
use crate::shard::Container;
use crate::shard::member_inflate::{Inflater, Stop};
use crate::shard::stream::Stream;

/// Least free space offered to a decoder.
const OUT_BYTES: usize = 64 * 1024;
/// Stored and decoded size up to which a gzip member is inflated at once.
const WHOLE_IN: usize = 2 << 20;
const WHOLE_OUT: usize = 4 << 20;
/// …and the size that is tried first.
const USUAL_IN: usize = 32 * 1024;
const USUAL_OUT: usize = 512 * 1024;
/// A decoded window larger than this is given back when it is empty.
const KEEP_BYTES: usize = 16 << 20;
/// Stored bytes of one member that are held back so that a pipe, too, can be searched again after damage.
const HOLD_BYTES: usize = 1 << 20;
/// Longest gzip head (file name, comment) that is believed.
const MAX_HEAD: usize = 64 * 1024;
/// Bytes that may be skipped inside one member, whatever its size…
pub const SKIP_FLOOR: u64 = 1 << 30;
/// …and those for each of its stored bytes on top.
pub const SKIP_RATIO: u64 = 64;
/// Largest dictionary of a `.warc.zst` file.
const MAX_DICTIONARY: usize = 64 << 20;
/// Decoded bytes that a probe looks at.
const PROBE_OUT: usize = 1024;

const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Skippable frame that holds a dictionary when it is the first of the file.
const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// What [`Members::more`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The window has grown.
    Data,
    /// The member is complete (or none was begun): [`Members::next_member`] goes on.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Between,
    Inside,
    Broken,
    Done,
}

enum Codec {
    Plain,
    Gzip { inflate: Decompress, crc: Crc, whole: Box<Inflater> },
    Zstd { decoder: Decoder<'static> },
}

/// The decoded bytes of a chain of members.
pub(super) struct Members {
    stored: Stream,
    codec: Codec,
    phase: Phase,
    /// Decoded bytes (unused for plain files, whose window is the stored one).
    out: Vec<u8>,
    start: usize,
    end: usize,
    /// Decoded offset of the first byte of the window.
    base: u64,
    /// Starts of members: decoded offset, stored offset.
    marks: VecDeque<(u64, u64)>,
    /// Decoded bytes dropped behind the window's first `kept` bytes.
    gap: u64,
    kept: usize,
    /// Stored offset of the current member, and how much of it was fed to the decoder but is still buffered.
    member_at: u64,
    taken: usize,
    was_cut: bool,
}

impl Members {
    /// Walks the members of `stored` from its position. For zstd, the position must be the file's start or
    /// `dictionary` must hold the file's dictionary.
    pub fn new(stored: Stream, container: Container, dictionary: Option<Vec<u8>>) -> Result<Members> {
        let codec = match container {
            Container::Plain => Codec::Plain,
            Container::Gzip => Codec::Gzip {
                inflate: Decompress::new(false),
                crc: Crc::new(),
                whole: Box::new(Inflater::new()),
            },
            Container::Zstd => zstd_codec(&stored, &dictionary.unwrap_or_default())?,
        };
        let member_at = stored.position();
        Ok(Members {
            stored,
            codec,
            phase: Phase::Between,
            out: Vec::new(),
            start: 0,
            end: 0,
            base: 0,
            marks: VecDeque::new(),
            gap: 0,
            kept: 0,
            member_at,
            taken: 0,
            was_cut: false,
        })
    }

    /// The stream below.
    pub fn stored(&self) -> &Stream {
        &self.stored
    }

    /// True when the file is one plain member.
    pub fn is_plain(&self) -> bool {
        matches!(self.codec, Codec::Plain)
    }

    /// Decoded and not yet consumed bytes.
    #[inline]
    pub fn window(&self) -> &[u8] {
        if self.is_plain() { self.stored.buffered() } else { &self.out[self.start..self.end] }
    }

    /// True when the current member has been decoded to its end.
    pub fn member_ended(&self) -> bool {
        matches!(self.phase, Phase::Between | Phase::Done)
    }

    /// True after damage, until [`Members::find`].
    pub fn is_broken(&self) -> bool {
        self.phase == Phase::Broken
    }

    /// Stored offset of the member that holds the window's first byte.
    pub fn offset(&self) -> u64 {
        if self.is_plain() {
            self.stored.position()
        } else {
            self.marks.front().map_or(self.stored.position(), |m| m.1)
        }
    }

    /// Stored bytes from [`Members::offset`] to the end of the member in which the first `end` decoded bytes end.
    pub fn stored_length(&self, end: u64) -> u64 {
        if self.is_plain() {
            return end;
        }
        let end = self.base + end;
        let after = self.marks.iter().skip(1).find(|m| m.0 >= end).map(|m| m.1);
        after.unwrap_or(self.stored.position() + self.taken as u64) - self.offset()
    }

    /// True when the window's first byte is the first of a member.
    pub fn starts_member(&self) -> bool {
        self.marks.front().is_some_and(|m| m.0 == self.base)
    }

    /// Where a reader would go on once the window's first `end` decoded bytes are consumed.
    pub fn position(&self, end: u64) -> u64 {
        if self.is_plain() { self.stored.position() + end } else { self.offset() + self.stored_length(end) }
    }

    /// Count of decoded bytes from the window's first to the last decoded one; more than the window holds after
    /// [`Members::more_keeping`].
    pub fn reach(&self) -> u64 {
        self.window().len() as u64 + self.gap
    }

    /// The window from byte `at` on, where dropped bytes count.
    pub fn tail(&self, at: u64) -> &[u8] {
        let at = if at > self.kept as u64 { at.saturating_sub(self.gap).max(self.kept as u64) } else { at };
        self.window().get(at as usize..).unwrap_or(&[])
    }

    /// Drops the first `n` bytes of what [`Members::reach`] counts.
    pub fn consume(&mut self, n: u64) {
        if self.is_plain() {
            return self.stored.consume(n as usize);
        }
        // What lies before a gap is worth nothing without it.
        let n = if self.gap > 0 { n.max(self.kept as u64 + self.gap) } else { n };
        let held = (n - self.gap) as usize;
        assert!(held <= self.end - self.start, "consume only what is decoded");
        self.gap = 0;
        self.start += held;
        self.base += n;
        while self.marks.get(1).is_some_and(|m| m.0 <= self.base) {
            self.marks.pop_front();
        }
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.out.len() > KEEP_BYTES {
                self.out = Vec::new();
            }
        }
    }

    /// As [`Members::more`], but bytes behind the first `keep` are dropped before more are decoded.
    ///
    /// # Errors
    /// As [`Members::more`], and when the member unpacks to more than the budget for dropped bytes.
    pub fn more_keeping(&mut self, keep: usize) -> Result<Step> {
        let held = self.window().len();
        if held > keep && !self.is_plain() {
            self.kept = keep;
            self.gap += (held - keep) as u64;
            self.end = self.start + keep;
            if self.over_budget(self.gap) {
                return Err(self.give_up());
            }
        }
        self.more()
    }

    /// True when `dropped` decoded bytes are more than a member of its stored size may waste.
    pub fn over_budget(&self, dropped: u64) -> bool {
        let stored = self.stored.position() + self.taken as u64 - self.member_at.min(self.stored.position());
        !self.is_plain() && dropped > SKIP_FLOOR + SKIP_RATIO.saturating_mul(stored)
    }

    /// Breaks off the current member because it is over the budget.
    pub fn give_up(&mut self) -> Error {
        self.phase = Phase::Broken;
        self.corrupt(self.member_at, "the member unpacks to more than the budget for skipped bytes: given up")
    }

    /// True when the member is broken only because the file ends: what was decoded is right.
    pub fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// Decodes more of the current member into the window.
    ///
    /// # Errors
    /// Damage of the member or a failing read; the member is broken then and [`Members::find`] goes on.
    pub fn more(&mut self) -> Result<Step> {
        match self.phase {
            Phase::Between | Phase::Done | Phase::Broken => Ok(Step::End),
            Phase::Inside => {
                let step = match self.codec {
                    Codec::Plain => self.more_plain(1),
                    Codec::Gzip { .. } => self.more_gzip(),
                    Codec::Zstd { .. } => self.more_zstd(),
                };
                if step.is_err() {
                    self.phase = Phase::Broken;
                }
                step
            }
        }
    }

    /// Grows the window to at least `n` bytes of the current member; fewer mean its end.
    ///
    /// # Errors
    /// As [`Members::more`].
    pub fn fill(&mut self, n: usize) -> Result<Step> {
        while self.window().len() < n {
            let step = if self.is_plain() && self.phase == Phase::Inside {
                // A length from a hostile head may not reserve more than the file can hold.
                let held = self.window().len();
                let rest = self.stored.size().map(|s| s.saturating_sub(self.stored.position()) as usize);
                let most = rest.unwrap_or(held + (1 << 20));
                self.more_plain(n.min(most).saturating_sub(held).max(1))?
            } else {
                self.more()?
            };
            if step == Step::End {
                return Ok(Step::End);
            }
        }
        Ok(Step::Data)
    }

    /// Plain files: the bytes at window byte `at`, which may lie far behind the window; the position stays.
    pub fn peek(&mut self, at: u64, n: usize) -> &[u8] {
        let at = self.stored.position() + at;
        self.stored.peek_at(at, n)
    }

    /// Plain files: moves over `n` bytes, whether they are in the window or not.
    pub fn skip_plain(&mut self, n: u64) {
        self.stored.skip(n);
    }

    /// Begins the next member, whose bytes follow in the window; `false` at the end of the file.
    ///
    /// # Errors
    /// When something else than a member follows.
    pub fn next_member(&mut self) -> Result<bool> {
        debug_assert!(self.phase != Phase::Inside, "a member is read to its end first");
        if self.phase == Phase::Done {
            return Ok(false);
        }
        self.member_at = self.stored.position();
        let begun = match self.codec {
            Codec::Plain => self.begin_plain(),
            Codec::Gzip { .. } => self.begin_gzip(),
            Codec::Zstd { .. } => self.begin_zstd(),
        };
        match begun {
            Ok(true) => {}
            Ok(false) => self.phase = Phase::Done,
            Err(_) => self.phase = Phase::Broken,
        }
        begun
    }

    /// Gives up the current member and searches the stored bytes after its first for the next whose decoded bytes
    /// satisfy `proof`. Gives `false`, at the end of the file, when there is none.
    ///
    /// # Errors
    /// A failing read.
    pub fn find(&mut self, proof: impl Fn(&[u8]) -> bool) -> Result<bool> {
        self.drop_window();
        if self.is_plain() || self.phase == Phase::Done {
            self.phase = Phase::Done;
            return Ok(false);
        }
        self.taken = 0;
        self.stored.seek(self.member_at + 1);
        self.search(proof)
    }

    /// Searches from the stored position itself: how a range of a file finds its first member.
    ///
    /// # Errors
    /// A failing read.
    pub fn search(&mut self, proof: impl Fn(&[u8]) -> bool) -> Result<bool> {
        let magic: &[u8] = if matches!(self.codec, Codec::Gzip { .. }) { &GZIP_MAGIC } else { &ZSTD_MAGIC };
        loop {
            let held = self.stored.fill(magic.len()).len();
            if held < magic.len() {
                self.stored.consume(held);
                self.phase = Phase::Done;
                return match self.stored.take_error() {
                    Some(error) => Err(error),
                    None => Ok(false),
                };
            }
            match memmem::find(self.stored.buffered(), magic) {
                None => self.stored.consume(held - (magic.len() - 1)),
                Some(at) => {
                    self.stored.consume(at);
                    if self.probe().is_some_and(|decoded| proof(&decoded)) {
                        self.member_at = self.stored.position();
                        self.phase = Phase::Between;
                        return Ok(true);
                    }
                    self.stored.consume(1);
                }
            }
        }
    }

    /// First decoded bytes of a member that would start at the stored position.
    fn probe(&mut self) -> Option<Vec<u8>> {
        let mut decoded = vec![0; PROBE_OUT];
        let n = match &mut self.codec {
            Codec::Plain => return None,
            Codec::Gzip { inflate, .. } => {
                let window = self.stored.fill(4096);
                let Head::Complete(head) = gzip_head(window) else { return None };
                let body = &window[head..window.len().min(head + 4096)];
                inflate.reset(false);
                inflate.decompress(body, &mut decoded, FlushDecompress::None).ok()?;
                inflate.total_out() as usize
            }
            Codec::Zstd { decoder } => {
                let window = self.stored.fill(256 * 1024);
                decoder.reinit().ok()?;
                let mut input = InBuffer::around(window);
                let mut output = OutBuffer::around(&mut decoded);
                while output.pos() < PROBE_OUT && input.pos() < window.len() {
                    if decoder.run(&mut input, &mut output).ok()? == 0 {
                        break;
                    }
                }
                output.pos()
            }
        };
        decoded.truncate(n);
        Some(decoded)
    }

    fn drop_window(&mut self) {
        let held = self.reach();
        self.consume(held);
        self.marks.clear();
    }

    fn corrupt(&self, offset: u64, reason: impl Into<String>) -> Error {
        Error::corrupt(self.stored.path(), offset, reason)
    }

    /// The stored bytes end inside a member: by a failing read, or because the file is cut off.
    fn cut(&mut self) -> Error {
        let name = if matches!(self.codec, Codec::Gzip { .. }) { "gzip member" } else { "zstd frame" };
        match self.stored.take_error() {
            Some(error) => error,
            None => {
                self.was_cut = true;
                self.corrupt(self.member_at, format!("the file ends inside a {name}: it was cut off"))
            }
        }
    }

    fn begin_plain(&mut self) -> Result<bool> {
        let more = !self.stored.fill(1).is_empty();
        self.phase = Phase::Inside;
        match self.stored.take_error() {
            Some(error) => Err(error),
            None => Ok(more),
        }
    }

    fn more_plain(&mut self, n: usize) -> Result<Step> {
        let held = self.stored.buffered().len();
        if self.stored.fill(held + n).len() > held {
            return Ok(Step::Data);
        }
        match self.stored.take_error() {
            Some(error) => Err(error),
            None => {
                self.phase = Phase::Done;
                Ok(Step::End)
            }
        }
    }

    /// Room for a decoder behind the window.
    fn make_room(&mut self, room: usize) {
        let held = self.end - self.start;
        if self.out.len() - self.end >= room {
            return;
        }
        if self.start > 0 && self.start >= held {
            self.out.copy_within(self.start..self.end, 0);
            self.start = 0;
            self.end = held;
        }
        if self.out.len() - self.end < room {
            let grown = self.end + room.max(held);
            self.out.resize(grown, 0);
        }
    }

    fn mark(&mut self) {
        let at = self.base + self.reach();
        self.marks.push_back((at, self.stored.position()));
        while self.marks.get(1).is_some_and(|m| m.0 <= self.base) {
            self.marks.pop_front();
        }
    }

    fn begin_gzip(&mut self) -> Result<bool> {
        if self.stored.fill(18).is_empty() {
            return self.stored.take_error().map_or(Ok(false), Err);
        }
        if self.stored.buffered()[0] == 0 && self.only_zeros() {
            return Ok(false);
        }
        let mut want = 1024;
        let head = loop {
            match gzip_head(self.stored.fill(want)) {
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
        if self.whole_gzip(head) {
            return Ok(true);
        }
        self.phase = Phase::Inside;
        self.taken = head;
        if let Codec::Gzip { inflate, crc, .. } = &mut self.codec {
            inflate.reset(false);
            crc.reset();
        }
        Ok(true)
    }

    /// Inflates the member at once if it is small enough; `false`, without a trace, where it is not or is damaged.
    fn whole_gzip(&mut self, head: usize) -> bool {
        let (mut want, mut room) = (USUAL_IN, USUAL_OUT);
        let (read, made, trailer) = loop {
            self.make_room(room);
            let Codec::Gzip { whole, .. } = &mut self.codec else { return false };
            let stored = self.stored.fill(want);
            let held = stored.len();
            let found = whole.inflate(&stored[head..], &mut self.out[self.end..]);
            let found = found.and_then(|(read, made)| {
                let rest = stored.get(head + read..).and_then(|rest| rest.first_chunk::<8>());
                Ok((read, made, u64::from_le_bytes(*rest.ok_or(Stop::Input)?)))
            });
            match found {
                Ok(found) => break found,
                // What was inflated in vain is a third of the member at most.
                Err(Stop::Input) if held >= want && held < WHOLE_IN => want = held.max(want) * 4,
                Err(Stop::Output) if room < WHOLE_OUT => room = (self.out.len() - self.end) * 4,
                Err(_) => return false,
            }
        };
        let Codec::Gzip { crc, .. } = &mut self.codec else { return false };
        crc.reset();
        crc.update(&self.out[self.end..self.end + made]);
        if trailer != (made as u64) << 32 | u64::from(crc.sum()) {
            return false;
        }
        self.end += made;
        self.stored.consume(head + read + 8);
        self.phase = Phase::Between;
        true
    }

    /// Zeros up to the end of the file, as copying by blocks leaves them.
    fn only_zeros(&mut self) -> bool {
        let zeros = self.stored.fill(64 * 1024).iter().take_while(|b| **b == 0).count();
        if zeros == self.stored.buffered().len() && zeros < 64 * 1024 {
            self.stored.consume(zeros);
            return true;
        }
        false
    }

    fn more_gzip(&mut self) -> Result<Step> {
        loop {
            self.make_room(OUT_BYTES);
            if self.stored.buffered().len() == self.taken
                && self.stored.fill(self.taken + 1).len() == self.taken
            {
                return Err(self.cut());
            }
            let Codec::Gzip { inflate, crc, .. } = &mut self.codec else {
                return Err(Error::Internal("gzip asked of another codec".into()));
            };
            let before = (inflate.total_in(), inflate.total_out());
            let input = &self.stored.buffered()[self.taken..];
            // `Finish` only says that everything may be taken at once: it saves the copy into the decoder's window.
            let status = inflate.decompress(input, &mut self.out[self.end..], FlushDecompress::Finish);
            let read = (inflate.total_in() - before.0) as usize;
            let made = (inflate.total_out() - before.1) as usize;
            crc.update(&self.out[self.end..self.end + made]);
            let total = inflate.total_out();
            let sum = crc.sum();
            self.taken += read;
            self.end += made;
            let had = input_left(&self.stored, self.taken);
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

    fn begin_zstd(&mut self) -> Result<bool> {
        loop {
            let window = self.stored.fill(8);
            if window.is_empty() {
                return self.stored.take_error().map_or(Ok(false), Err);
            }
            if window[0] == 0 && self.only_zeros() {
                return Ok(false);
            }
            let window = self.stored.buffered();
            if window.len() >= 8
                && (0x50..=0x5f).contains(&window[0])
                && window[1..4] == DICTIONARY_MAGIC[1..]
            {
                let size = u32::from_le_bytes([window[4], window[5], window[6], window[7]]);
                let whole = u64::from(size) + 8;
                if self.stored.skip(whole) < whole {
                    return Err(self.cut());
                }
                self.member_at = self.stored.position();
                continue;
            }
            if !window.starts_with(&ZSTD_MAGIC) {
                return Err(self.corrupt(self.member_at, "no zstd frame where one should start"));
            }
            break;
        }
        self.mark();
        self.phase = Phase::Inside;
        self.taken = 0;
        if let Codec::Zstd { decoder } = &mut self.codec {
            let ready = decoder.reinit();
            ready.map_err(|e| self.corrupt(self.member_at, format!("the zstd frame is damaged: {e}")))?;
        }
        Ok(true)
    }

    fn more_zstd(&mut self) -> Result<Step> {
        loop {
            self.make_room(OUT_BYTES);
            let held = self.stored.buffered().len();
            let ended = held == self.taken && self.stored.fill(self.taken + 1).len() == held;
            let Codec::Zstd { decoder } = &mut self.codec else {
                return Err(Error::Internal("zstd asked of another codec".into()));
            };
            let mut input = InBuffer::around(&self.stored.buffered()[self.taken..]);
            let mut output = OutBuffer::around(&mut self.out[self.end..]);
            let status = decoder.run(&mut input, &mut output);
            let (read, made) = (input.pos(), output.pos());
            self.taken += read;
            self.end += made;
            match status {
                Err(e) => {
                    return Err(self.corrupt(self.member_at, format!("the zstd frame is damaged: {e}")));
                }
                Ok(0) => {
                    self.stored.consume(self.taken);
                    self.taken = 0;
                    self.phase = Phase::Between;
                    return Ok(Step::Data);
                }
                Ok(_) if made > 0 => {}
                Ok(_) if ended => return Err(self.cut()),
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
}

fn input_left(stored: &Stream, taken: usize) -> usize {
    stored.buffered().len() - taken
}

fn zstd_codec(stored: &Stream, dictionary: &[u8]) -> Result<Codec> {
    let decoder = Decoder::with_dictionary(dictionary)
        .map_err(|e| Error::corrupt(stored.path(), 0, format!("the zstd dictionary is not usable: {e}")))?;
    Ok(Codec::Zstd { decoder })
}

/// The dictionary with which a `.warc.zst` file begins, if it does; `head` stands at the start of the file.
///
/// # Errors
/// A dictionary that is cut off, too large or damaged.
pub(super) fn zstd_dictionary(head: &mut Stream) -> Result<Option<Vec<u8>>> {
    let window = head.fill(8);
    if window.len() < 8 || !window.starts_with(&DICTIONARY_MAGIC) {
        return Ok(None);
    }
    let size = u32::from_le_bytes([window[4], window[5], window[6], window[7]]) as usize;
    let corrupt = |head: &Stream, reason: String| Err(Error::corrupt(head.path(), 0, reason));
    if size > MAX_DICTIONARY {
        return corrupt(
            head,
            format!("a zstd dictionary of {size} bytes; at most {MAX_DICTIONARY} are read"),
        );
    }
    if head.size().is_some_and(|s| s < size as u64 + 8) || head.fill(size + 8).len() < size + 8 {
        return corrupt(head, "the zstd dictionary is cut off".into());
    }
    let stored = &head.buffered()[8..size + 8];
    if !stored.starts_with(&ZSTD_MAGIC) {
        return Ok(Some(stored.to_vec()));
    }
    match zstd::bulk::decompress(stored, MAX_DICTIONARY) {
        Ok(dictionary) => Ok(Some(dictionary)),
        Err(e) => corrupt(head, format!("the zstd dictionary is damaged: {e}")),
    }
}

enum Head {
    Complete(usize),
    Incomplete,
    Invalid,
}

/// Length of the gzip member head at the start of `bytes` (RFC 1952, 2.3).
fn gzip_head(bytes: &[u8]) -> Head {
    let n = bytes.len().min(3);
    if bytes[..n] != GZIP_MAGIC[..n] {
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
