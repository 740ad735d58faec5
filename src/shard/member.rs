//! Compressed files as a chain of members: gzip members, Zstandard or LZ4 frames, or the plain file as one member.
//!
//! A WARC or ARC file is usually a concatenation of members, one a record, so that a record can be read by offset. Real
//! files also hold one member over everything, or members cut without regard to records. [`Members`] therefore offers
//! the decoded bytes as one growing window and remembers where each member began, in decoded and in stored bytes.
//!
//! Algorithm: a gzip member whose stored bytes are at hand is inflated whole into the window ([`gzip`]); all others by
//! and by. A member is trusted only after its CRC-32 and length agree. After damage the next member is searched
//! ([`find`]).
//!
//! Memory: what the caller has not consumed, twice at most, plus the stored window, 16 MiB of room that is kept, and 45
//! KiB (gzip), 64 KiB (lz4) or the frame's window (zstd, at most 128 MiB) of state. Bytes that are skipped are decoded to nowhere and
//! counted: a member that unpacks past [`SKIP_FLOOR`] plus [`SKIP_RATIO`] times its stored size while being skipped is
//! given up. In a file compressed as a whole what was read so far takes the place of the member.
//!
//! Reference: RFC 1952, RFC 8878, LZ4 Frame Format Description, and the `.warc.zst` convention (dictionary in a skippable frame at the start).

use std::collections::VecDeque;

use ::zstd::stream::raw::Decoder;

use crate::Container;
use crate::stream::Stream;
use webmill_capture::error::{Error, Result};

#[path = "member_find.rs"]
mod find;
#[path = "member_gzip.rs"]
pub(crate) mod gzip;
#[path = "member_inflate.rs"]
mod inflate;
#[path = "member_lz4.rs"]
mod lz4;
#[path = "member_window.rs"]
mod window;
#[path = "member_zstd.rs"]
mod zstd;

use gzip::Gzip;
use lz4::Lz4;
use window::Window;
pub(super) use zstd::{beginning as zstd_beginning, dictionary as zstd_dictionary, is_zstd};

/// Least free space offered to a decoder.
const OUT_BYTES: usize = 64 * 1024;
/// Stored bytes of one member that are held back so that a pipe, too, can be searched again after damage.
const HOLD_BYTES: usize = 1 << 20;
/// Zeros that are looked at in one go.
const ZEROS_BYTES: usize = 64 * 1024;
/// Bytes that may be skipped inside one member, whatever its size…
pub const SKIP_FLOOR: u64 = 1 << 30;
/// …and those for each of its stored bytes on top.
pub const SKIP_RATIO: u64 = 64;

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
    Gzip(Box<Gzip>),
    Zstd(Decoder<'static>),
    Lz4(Box<Lz4>),
}

/// The decoded bytes of a chain of members.
pub(super) struct Members {
    stored: Stream,
    codec: Codec,
    phase: Phase,
    /// Decoded bytes (unused for plain files, whose window is the stored one).
    out: Window,
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
    padding: u64,
    /// Places are those in the decoded bytes.
    inside: bool,
}

impl Members {
    /// Walks the members of `stored` from its position. For zstd, the position must be the file's start or
    /// `dictionary` must hold the file's dictionary. Records are held up to `limit` bytes.
    pub fn new(
        stored: Stream,
        container: Container,
        dictionary: Option<Vec<u8>>,
        limit: usize,
    ) -> Result<(Members, Option<Error>)> {
        let mut damage = None;
        let codec = match container {
            Container::Plain => Codec::Plain,
            Container::Gzip | Container::WholeGzip => Codec::Gzip(Box::new(Gzip::new(limit))),
            Container::Zstd | Container::WholeZstd => {
                Codec::Zstd(match zstd::decoder(&stored, &dictionary.unwrap_or_default()) {
                    Ok(decoder) => decoder,
                    Err(error) => {
                        damage = Some(error);
                        zstd::decoder(&stored, &[])?
                    }
                })
            }
            Container::Lz4 | Container::WholeLz4 => Codec::Lz4(Box::default()),
        };
        let member_at = stored.position();
        let members = Members {
            stored,
            // A plain file is one member, of which some may have been read already.
            phase: if matches!(codec, Codec::Plain) { Phase::Inside } else { Phase::Between },
            codec,
            out: Window::default(),
            base: 0,
            marks: VecDeque::new(),
            gap: 0,
            kept: 0,
            member_at,
            taken: 0,
            was_cut: false,
            padding: 0,
            inside: container.is_whole(),
        };
        Ok((members, damage))
    }

    /// The stream below.
    pub fn stored(&self) -> &Stream {
        &self.stored
    }

    /// True when the file is one plain member.
    pub fn is_plain(&self) -> bool {
        matches!(self.codec, Codec::Plain)
    }

    /// True when places are those in the decoded bytes: of plain files, and of those compressed as a whole.
    pub fn is_inside(&self) -> bool {
        self.inside || self.is_plain()
    }

    /// Decoded and not yet consumed bytes.
    #[inline]
    pub fn window(&self) -> &[u8] {
        if self.is_plain() { self.stored.buffered() } else { self.out.held() }
    }

    /// True when the current member has been decoded to its end.
    pub fn member_ended(&self) -> bool {
        matches!(self.phase, Phase::Between | Phase::Done)
    }

    /// True after damage, until [`Members::find`].
    pub fn is_broken(&self) -> bool {
        self.phase == Phase::Broken
    }

    /// Stored offset of the member that holds the window's first byte; of a file compressed as a whole the decoded offset.
    pub fn offset(&self) -> u64 {
        if self.inside {
            self.base
        } else if self.is_plain() {
            self.stored.position()
        } else {
            self.marks.front().map_or(self.stored.position(), |m| m.1)
        }
    }

    /// Stored bytes from [`Members::offset`] to the end of the member in which the first `end` decoded bytes end.
    pub fn stored_length(&self, end: u64) -> u64 {
        if self.is_plain() || self.inside {
            return end;
        }
        let end = self.base + end;
        let after = self.marks.iter().skip(1).find(|m| m.0 >= end).map(|m| m.1);
        after.unwrap_or(self.stored.position() + self.taken as u64) - self.offset()
    }

    /// Decoded offset of the window's first byte (plain files: 0).
    pub fn decoded(&self) -> u64 {
        self.base
    }

    /// Whether the member of the window's first byte starts before the decoded offset `at`, and no place inside it is known.
    pub fn starts_before(&self, at: u64) -> bool {
        !self.inside && self.marks.front().is_some_and(|m| m.0 < at)
    }

    /// Whether no member starts behind the window's first `end` decoded bytes.
    pub fn shares(&self, end: u64) -> bool {
        let end = self.base + end;
        !self.marks.iter().skip(1).any(|m| m.0 == end)
    }

    /// Decodes up to the decoded offset `at` of a file compressed as a whole; stops at its end.
    ///
    /// # Errors
    /// Damage before it, and more than the budget for skipped bytes.
    pub fn pass_to(&mut self, at: u64) -> Result<()> {
        loop {
            self.consume((at - self.base).min(self.window().len() as u64));
            if self.base == at {
                return Ok(());
            }
            match self.more() {
                // The end of a member may be damaged behind the bytes that are asked for.
                Err(error) if self.window().is_empty() => return Err(error),
                Ok(Step::End) if !self.next_member()? => return Ok(()),
                _ => {}
            }
            if self.over_budget(self.base) {
                return Err(self.give_up());
            }
        }
    }

    /// True when the window's first byte is the first of a member.
    pub fn starts_member(&self) -> bool {
        self.marks.front().is_some_and(|m| m.0 == self.base)
    }

    /// Where a reader would go on once the window's first `end` decoded bytes are consumed.
    pub fn position(&self, end: u64) -> u64 {
        if self.is_plain() { self.stored.position() + end } else { self.offset() + self.stored_length(end) }
    }

    /// Stored offset up to which bytes were looked at.
    pub fn fed(&self) -> u64 {
        if self.inside {
            return self.base + self.reach();
        }
        let ahead = if self.is_plain() { self.stored.buffered().len() } else { self.taken };
        self.stored.position() + ahead as u64
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
        self.out.consume(held);
        self.gap = 0;
        self.base += n;
        while self.marks.get(1).is_some_and(|m| m.0 <= self.base) {
            self.marks.pop_front();
        }
    }

    /// As [`Members::more`], but bytes after the first `keep` are dropped before more are decoded.
    ///
    /// # Errors
    /// As [`Members::more`], and when the member unpacks to more than the budget for dropped bytes.
    pub fn more_keeping(&mut self, keep: usize) -> Result<Step> {
        let held = self.window().len();
        if held > keep && !self.is_plain() {
            self.kept = keep;
            self.gap += (held - keep) as u64;
            self.out.truncate(keep);
            if self.over_budget(self.gap) {
                return Err(self.give_up());
            }
        }
        self.more()
    }

    /// True when `dropped` decoded bytes are more than a member of its stored size may waste.
    pub fn over_budget(&self, dropped: u64) -> bool {
        // In a file compressed as a whole they can be those of many members, each too small to pay for all.
        let from = if self.inside { 0 } else { self.member_at.min(self.stored.position()) };
        let stored = self.stored.position() + self.taken as u64 - from;
        !self.is_plain() && dropped > SKIP_FLOOR + SKIP_RATIO.saturating_mul(stored)
    }

    /// Breaks off the current member because it is over the budget.
    pub fn give_up(&mut self) -> Error {
        self.phase = Phase::Broken;
        self.corrupt(self.member_at, "the member unpacks to more than the budget for skipped bytes: given up")
    }

    /// Gives up the member at the stored position before it was begun: [`Members::find`] goes on after its first byte.
    pub fn break_off(&mut self) {
        self.member_at = self.stored.position();
        self.phase = Phase::Broken;
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
                    Codec::Gzip(_) => self.more_gzip(),
                    Codec::Zstd(_) => self.more_zstd(),
                    Codec::Lz4(_) => self.more_lz4(),
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
        if matches!(self.phase, Phase::Done | Phase::Broken) {
            return Ok(false);
        }
        self.member_at = self.stored.position();
        let begun = match self.codec {
            Codec::Plain => self.begin_plain(),
            Codec::Gzip(_) => self.begin_gzip(),
            Codec::Zstd(_) => self.begin_zstd(),
            Codec::Lz4(_) => self.begin_lz4(),
        };
        match begun {
            Ok(true) => {}
            Ok(false) => self.phase = Phase::Done,
            Err(_) => self.phase = Phase::Broken,
        }
        begun
    }

    fn corrupt(&self, offset: u64, reason: impl Into<String>) -> Error {
        let offset = if self.inside { self.base + self.reach() } else { offset };
        Error::corrupt(self.stored.path(), offset, reason)
    }

    /// The stored bytes end inside a member: by a failing read, or because the file is cut off.
    fn cut(&mut self) -> Error {
        let name = match self.codec {
            Codec::Gzip(_) => "a gzip member",
            Codec::Lz4(_) => "an lz4 frame",
            _ => "a zstd frame",
        };
        match self.stored.take_error() {
            Some(error) => error,
            None => {
                self.was_cut = true;
                self.corrupt(self.member_at, format!("the file ends inside {name}: it was cut off"))
                    .cutting_off(true)
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

    fn mark(&mut self) {
        let at = self.base + self.reach();
        self.marks.push_back((at, self.stored.position()));
        while self.marks.get(1).is_some_and(|m| m.0 <= self.base) {
            self.marks.pop_front();
        }
    }

    /// Moves over zeros up to the end of the file, as copying by blocks or to tapes leaves them, and counts them; `false` where
    /// something else comes, in a pipe also where there are more than can be held back.
    ///
    /// # Errors
    /// A failing read.
    pub fn pass_padding(&mut self) -> Result<bool> {
        let mut zeros = 0;
        loop {
            let from = zeros as usize;
            let chunk = match self.stored.size() {
                Some(_) => self.stored.peek_at(self.stored.position() + zeros, ZEROS_BYTES),
                None => self.stored.fill(from + ZEROS_BYTES).get(from..).unwrap_or_default(),
            };
            if chunk.iter().any(|b| *b != 0) {
                return Ok(false);
            }
            if chunk.is_empty() {
                break;
            }
            zeros += chunk.len() as u64;
            if self.stored.size().is_none() && zeros > HOLD_BYTES as u64 {
                return Ok(false);
            }
        }
        if let Some(error) = self.stored.take_error() {
            return Err(error);
        }
        self.stored.skip(zeros);
        self.padding += zeros;
        Ok(true)
    }

    /// Bytes of zeros after the last member.
    pub fn padding(&self) -> u64 {
        self.padding
    }
}
