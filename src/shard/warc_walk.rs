//! The walk over WARC and ARC files: where each record begins and ends, also in files that break the rules.
//!
//! Both formats are a head that states the length of a block, the block, and blank lines. The stated length is believed
//! when blank lines and another head (or the end of the member or file) follow it; a member boundary, too, is
//! believed when the next member begins with a head. Otherwise, leniently, the block ends before the next head found
//! in it or behind it, which is a flaw of the record, not its loss. What cannot be put right is an error, after which
//! the walk goes on at the next head: in this member, or in the next member that begins with one.
//!
//! Cost: linear; a byte is looked at twice where lengths are wrong. A block is held up to the limit; the rest is passed
//! over, unread (plain) or decoded to nowhere within a budget.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::{Error, Result};

use super::member::{Members, Step};
use super::warc_head::Fields;
use super::{Container, Format, ReadOptions, RecordType, Resume, arc, warc_head};

/// Longest head.
const MAX_HEAD: usize = 1 << 20;
/// Most blank lines between records.
const MAX_BLANKS: usize = 4096;

/// Whether a record head starts at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Yes,
    No,
    More,
}

/// A parsed head: places are relative to its first byte.
#[derive(Debug)]
pub(super) struct Head {
    pub fields: Fields,
    pub kind: RecordType,
    pub length: Option<u64>,
    pub head_end: usize,
    pub block_at: usize,
    pub flaws: Flaws,
}

/// What became of parsing a head.
#[derive(Debug)]
pub(super) enum Parsed {
    Complete(Head),
    Incomplete,
    Bad(Cow<'static, str>),
}

/// What was wrong with a record that could be read all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flaws(u16);

impl Flaws {
    pub const VERSION: Flaws = Flaws(1);
    pub const LINE_ENDS: Flaws = Flaws(2);
    pub const MANDATORY: Flaws = Flaws(4);
    pub const TWO_LENGTHS: Flaws = Flaws(8);
    pub const NO_COLON: Flaws = Flaws(16);
    pub const DATE: Flaws = Flaws(32);
    pub const LENGTH: Flaws = Flaws(64);
    pub const NO_LENGTH: Flaws = Flaws(128);
    pub const BLANKS: Flaws = Flaws(256);
    pub const SHARED_MEMBER: Flaws = Flaws(512);
    pub const UNENDED: Flaws = Flaws(1024);

    const TEXTS: [&'static str; 11] = [
        "a version of WARC that is neither 1.0 nor 1.1",
        "head lines that do not end in one CR LF",
        "WARC-Type, WARC-Date or WARC-Record-ID is missing",
        "two different lengths: the first counts",
        "a head line without a colon",
        "a date that is not 14 digits",
        "the stated length is wrong: the block was measured",
        "no length: the block was measured",
        "not the blank lines that should follow the block",
        "one compressed member over several records",
        "the end of the block could not be checked",
    ];

    pub fn add(&mut self, flaw: Flaws) {
        self.0 |= flaw.0;
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn texts(self) -> impl Iterator<Item = &'static str> {
        Self::TEXTS.into_iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, text)| text)
    }
}

/// One record in the window.
#[derive(Debug)]
pub(super) struct Framed {
    pub head: Head,
    pub block: Range<usize>,
    pub full_length: u64,
    /// Longer than the reader's limit.
    pub over_limit: bool,
    /// The file ends inside the block.
    pub cut: bool,
    pub offset: u64,
    pub length: u64,
}

/// How far a request for bytes got.
enum Reach {
    Full,
    /// The bytes end at `at`, at a member boundary that a head follows or at the end of the file.
    Short {
        at: u64,
        end_of_file: bool,
    },
}

/// The state of a walk.
pub(super) struct Walk {
    pub members: Members,
    format: Format,
    lenient: bool,
    limit: usize,
    end: u64,
    first: Option<u64>,
    /// Decoded bytes of the record that was lent, to be dropped first.
    pending: u64,
    /// Plain files: bytes behind the window to be passed over as well.
    pending_skip: u64,
    next_at: u64,
    /// The file ends inside the record that was just lent: reported after it.
    cut: Option<Error>,
    searching: bool,
    finished: bool,
}

impl Walk {
    pub fn new(members: Members, format: Format, range: Range<u64>, options: &ReadOptions) -> Result<Walk> {
        let limit = usize::try_from(options.max_record_bytes).unwrap_or(usize::MAX >> 2).min(usize::MAX >> 2);
        let mut walk = Walk {
            members,
            format,
            lenient: options.lenient,
            limit,
            end: range.end,
            first: None,
            pending: 0,
            pending_skip: 0,
            next_at: range.start,
            cut: None,
            searching: false,
            finished: false,
        };
        match options.exact_start {
            Some(resume) => {
                walk.searching = resume.searching;
                walk.next_at = resume.offset;
                walk.first = (resume.offset < range.end).then_some(resume.offset);
            }
            None if range.start == 0 => walk.first = Some(0),
            None => {
                let found = if walk.members.is_plain() {
                    walk.resync()?
                } else {
                    let format = walk.format;
                    walk.members.search(|bytes| begins(format, bytes))?
                };
                let at = walk.members.position(0);
                walk.first = (found && at < range.end).then_some(at);
                walk.next_at = at;
                walk.finished = walk.first.is_none();
            }
        }
        Ok(walk)
    }

    pub fn first_offset(&self) -> Option<u64> {
        self.first
    }

    pub fn resume(&self) -> Resume {
        Resume { offset: self.next_at, searching: self.searching, proven: None }
    }

    /// Goes to the next record; the window then holds it until the next call.
    pub fn advance(&mut self) -> Option<Result<Framed>> {
        if self.finished {
            return None;
        }
        self.members.consume(std::mem::take(&mut self.pending));
        self.members.skip_plain(std::mem::take(&mut self.pending_skip));
        if let Some(error) = self.cut.take() {
            self.searching = true;
            return Some(Err(error));
        }
        let framed = if self.searching {
            match self.resync() {
                Ok(true) => {
                    self.searching = false;
                    self.frame()
                }
                Ok(false) => Ok(None),
                Err(e) => Err(e),
            }
        } else {
            self.frame()
        };
        match framed {
            Ok(Some(framed)) => {
                self.next_at = framed.offset + framed.length;
                Some(Ok(framed))
            }
            Ok(None) => {
                self.finished = true;
                None
            }
            Err(error) => {
                // A failing disk does not get better by trying the next sector.
                self.finished = matches!(error, Error::Io { .. });
                self.searching = true;
                self.next_at = self.members.position(0);
                Some(Err(error))
            }
        }
    }

    fn corrupt(&self, offset: u64, reason: impl Into<String>) -> Error {
        Error::corrupt(self.members.stored().path(), offset, reason)
    }

    /// An error about the record at the window's start, from whose `skip`-th byte the search goes on.
    fn fault<T>(&mut self, skip: u64, reason: impl Into<String>) -> Result<T> {
        let error = self.corrupt(self.members.offset(), reason);
        self.cut = None;
        self.members.consume(skip.min(self.members.reach()));
        Err(error)
    }

    /// More of this record's member. The end of a file that was cut off is an end here, and reported after the record.
    fn more(&mut self, keep: usize) -> Result<Step> {
        match self.members.more_keeping(keep) {
            Err(error) if self.lenient && self.members.was_cut() => {
                self.cut = Some(error);
                Ok(Step::End)
            }
            step => step,
        }
    }

    /// Moves the window to the next byte that is no line end. `false` at the end of the file.
    fn skip_blanks(&mut self) -> Result<bool> {
        let mut seen = 0;
        loop {
            let blanks = blanks(self.members.window());
            self.members.consume(blanks as u64);
            seen += blanks;
            if seen > 0 && !self.lenient {
                return self.fault(0, "a blank line where a record should start");
            }
            if seen > MAX_BLANKS {
                return self.fault(0, "nothing but blank lines where a record should start");
            }
            if !self.members.window().is_empty() {
                return Ok(true);
            }
            if self.members.more()? == Step::End && !self.members.next_member()? {
                return Ok(false);
            }
        }
    }

    fn frame(&mut self) -> Result<Option<Framed>> {
        if !self.skip_blanks()? {
            self.next_at = self.members.position(0);
            return Ok(None);
        }
        let offset = self.members.offset();
        if offset >= self.end {
            self.next_at = offset;
            return Ok(None);
        }
        let mut head = self.head()?;
        if !self.lenient && !head.flaws.is_empty() {
            let flaw = head.flaws.texts().next().unwrap_or_default();
            return self.fault(head.block_at as u64, flaw);
        }
        let end = match head.length {
            Some(length) => self.block(&mut head, length)?,
            None => self.unmeasured(&mut head)?,
        };
        if !self.members.member_ended() && self.members.reach() == end.after {
            // Only the end of the member tells whether its check sum agrees.
            self.more(usize::MAX)?;
        }
        if !self.members.is_plain() && (self.members.reach() > end.after || !self.members.member_ended()) {
            let follows = self.members.stored_length(end.after) == self.members.stored_length(end.after + 1);
            if follows && !end.cut {
                head.flaws.add(Flaws::SHARED_MEMBER);
            }
        }
        if !self.lenient && !head.flaws.is_empty() {
            let flaw = head.flaws.texts().next().unwrap_or_default();
            return self.fault(end.after, flaw);
        }
        let there = end.block - head.block_at as u64;
        let held = there.min(self.limit as u64) as usize;
        let full_length = if end.cut { head.length.unwrap_or(there) } else { there };
        let in_window = (self.members.window().len() as u64).min(end.after);
        self.pending = if self.members.is_plain() { in_window } else { end.after };
        self.pending_skip = end.after - self.pending;
        Ok(Some(Framed {
            block: head.block_at..head.block_at + held,
            full_length,
            over_limit: there > held as u64,
            cut: end.cut,
            offset,
            length: self.members.stored_length(end.after),
            head,
        }))
    }

    fn head(&mut self) -> Result<Head> {
        loop {
            let parsed = match self.format {
                Format::Arc => arc::parse(self.members.window()),
                _ => warc_head::parse(self.members.window()),
            };
            match parsed {
                Parsed::Complete(head) if head.block_at > MAX_HEAD => {
                    return self.fault(head.block_at as u64, "a record head of more than 1 MiB");
                }
                Parsed::Complete(head) => return Ok(head),
                Parsed::Bad(reason) => return self.fault(1, reason),
                Parsed::Incomplete => {}
            }
            let have = self.members.reach();
            if have > MAX_HEAD as u64 {
                return self.fault(1, "a record head of more than 1 MiB");
            }
            if let Reach::Short { .. } = self.reach(have + 1, usize::MAX)? {
                return self.fault(have, "the record is cut off inside its head");
            }
        }
    }

    /// Decodes until `n` bytes have been seen, of which at least the first `keep` stay.
    fn reach(&mut self, n: u64, keep: usize) -> Result<Reach> {
        loop {
            if self.members.is_plain() {
                self.members.fill(n.min(keep as u64) as usize)?;
            }
            let have = self.members.reach();
            if have >= n {
                return Ok(Reach::Full);
            }
            if self.more(keep)? == Step::Data {
                continue;
            }
            if self.cut.is_some() || !self.members.next_member()? {
                return Ok(Reach::Short { at: have, end_of_file: true });
            }
            if self.head_at(have)? {
                return Ok(Reach::Short { at: have, end_of_file: false });
            }
        }
    }

    /// Does a record head start at decoded byte `at`?
    fn head_at(&mut self, at: u64) -> Result<bool> {
        loop {
            let bytes = self.members.tail(at);
            let bytes = &bytes[blanks(bytes)..];
            match starts(self.format, bytes, false) {
                Start::Yes => return Ok(true),
                Start::No => return Ok(false),
                Start::More => {}
            }
            if self.more(usize::MAX)? == Step::End {
                let bytes = self.members.tail(at);
                return Ok(starts(self.format, &bytes[blanks(bytes)..], true) == Start::Yes);
            }
        }
    }

    /// Finds the end of a block of stated length.
    fn block(&mut self, head: &mut Head, length: u64) -> Result<BlockEnd> {
        let from = head.block_at as u64;
        let Some(until) = from.checked_add(length) else {
            return self.fault(from, format!("a block of {length} bytes"));
        };
        let keep = head.block_at + length.min(self.limit as u64) as usize;
        if self.members.is_plain() && until > keep as u64 {
            return self.long_plain_block(head, until, keep);
        }
        if let Reach::Short { at, end_of_file } = self.reach(until, keep)? {
            return self.short_block(head, length, at, end_of_file);
        }
        if let Some(after) = self.separator(until, head)? {
            return Ok(BlockEnd::at(until, after));
        }
        if !self.lenient {
            return self.fault(until, "no blank lines behind the block: its stated length is wrong");
        }
        if until > keep as u64 {
            head.flaws.add(Flaws::UNENDED);
            self.searching = true;
            return Ok(BlockEnd::at(until, until));
        }
        self.measure(head, Some(until))
    }

    /// A block of a plain file that is too long to be held: its end is looked at from afar.
    fn long_plain_block(&mut self, head: &mut Head, until: u64, keep: usize) -> Result<BlockEnd> {
        let from = head.block_at as u64;
        self.members.fill(keep)?;
        let behind = self.members.peek(until, 128);
        if behind.is_empty() && self.members.peek(until - 1, 1).is_empty() {
            return self.fault(from, format!("the file ends inside a block of {} bytes", until - from));
        }
        let behind = self.members.peek(until, 128);
        let n = blanks(behind);
        if !behind.starts_with(separator(self.format)) {
            head.flaws.add(Flaws::BLANKS);
            if n < behind.len() && starts(self.format, &behind[n..], true) == Start::No {
                head.flaws.add(Flaws::UNENDED);
            }
        }
        Ok(BlockEnd::at(until, until + n as u64))
    }

    /// The bytes end at `at`, before the block does.
    fn short_block(&mut self, head: &mut Head, length: u64, at: u64, end_of_file: bool) -> Result<BlockEnd> {
        let from = head.block_at;
        let cut =
            format!("the record is cut off: {} of {length} bytes are there", at.saturating_sub(from as u64));
        if !self.lenient || self.members.tail(0).len() as u64 != self.members.reach() {
            return self.fault(from as u64, cut);
        }
        let found = find(self.format, self.members.window(), from, true);
        match found {
            Ok(next) if (next as u64) < at => self.measured(head, next),
            _ if end_of_file && (self.members.is_plain() || self.cut.is_some()) => {
                self.cut = Some(self.corrupt(self.members.offset(), cut));
                Ok(BlockEnd { block: at, after: at, cut: true })
            }
            _ => self.measured(head, at as usize),
        }
    }

    /// Checks what follows the block that ends at `until`, and gives where the separator ends; `None` when neither a
    /// head nor an end follows.
    fn separator(&mut self, until: u64, head: &mut Head) -> Result<Option<u64>> {
        let exact = separator(self.format);
        loop {
            let bytes = self.members.tail(until);
            if self.format == Format::Warc && bytes.starts_with(exact) {
                return Ok(Some(until + exact.len() as u64));
            }
            // One line end behind an ARC block says little: what follows must fit too.
            let mut n = blanks(bytes);
            let mut verdict =
                if n < bytes.len() { starts(self.format, &bytes[n..], false) } else { Start::More };
            if verdict == Start::More && n <= MAX_BLANKS && self.more(usize::MAX)? == Step::Data {
                continue;
            }
            let bytes = self.members.tail(until);
            if verdict == Start::More {
                n = blanks(bytes);
                verdict = if n == bytes.len() { Start::Yes } else { starts(self.format, &bytes[n..], true) };
            }
            if verdict != Start::Yes {
                return Ok(None);
            }
            if &bytes[..n] != exact && head.kind != RecordType::FileDesc {
                head.flaws.add(Flaws::BLANKS);
            }
            return Ok(Some(until + n as u64));
        }
    }

    /// No usable length: a compressed member or the next head ends the block.
    fn unmeasured(&mut self, head: &mut Head) -> Result<BlockEnd> {
        let from = head.block_at as u64;
        let believed = !self.members.is_plain() || head.kind == RecordType::FileDesc;
        if !self.lenient || !believed {
            return self.fault(from, "the record states no length, or none that is a number");
        }
        head.flaws.add(Flaws::NO_LENGTH);
        self.measure(head, None)
    }

    /// Measures a block whose stated end (`until`) is wrong or missing: it ends before the next head, or with its
    /// member.
    fn measure(&mut self, head: &mut Head, until: Option<u64>) -> Result<BlockEnd> {
        let most = head.block_at + self.limit;
        let mut from = head.block_at;
        loop {
            let window = self.members.window();
            match find(self.format, &window[..window.len().min(most)], from, false) {
                Ok(next) => return self.measured(head, next),
                Err(seen) => from = seen.max(from),
            }
            if self.members.window().len() >= most {
                break;
            }
            if self.more(usize::MAX)? == Step::End {
                let all = self.members.window().len();
                return match find(self.format, self.members.window(), from, true) {
                    Ok(next) => self.measured(head, next),
                    Err(_) => self.measured(head, all),
                };
            }
        }
        head.flaws.add(Flaws::UNENDED);
        self.searching = true;
        let end = until.unwrap_or(most as u64);
        Ok(BlockEnd::at(end, end))
    }

    /// The block was found to end before `next`, less its separator.
    fn measured(&mut self, head: &mut Head, next: usize) -> Result<BlockEnd> {
        let separator = separator(self.format);
        let block = &self.members.window()[head.block_at..next];
        let block = block.strip_suffix(separator).or(block.strip_suffix(b"\n\n")).unwrap_or(block);
        if head.length.is_some() {
            head.flaws.add(Flaws::LENGTH);
        }
        Ok(BlockEnd::at((head.block_at + block.len()) as u64, next as u64))
    }

    /// Goes to the next record head after damage. `false`: there is none.
    fn resync(&mut self) -> Result<bool> {
        let format = self.format;
        let mut dropped = 0;
        let mut fresh = true;
        loop {
            if self.members.is_broken() {
                if !self.members.find(|bytes| begins(format, bytes))? {
                    return Ok(false);
                }
                if self.grow()? && self.head_at_start() {
                    return Ok(true);
                }
                continue;
            }
            let ended = self.members.member_ended();
            // Byte 0 was looked at before, unless something new starts there.
            let from = usize::from(!fresh && !self.members.window().is_empty());
            match find(format, self.members.window(), from, ended) {
                Ok(at) => {
                    self.members.consume(at as u64);
                    return Ok(true);
                }
                Err(seen) => {
                    fresh = starts(format, &self.members.window()[seen..], false) == Start::More
                        && (seen == 0 && fresh || seen > 0 && self.members.window()[seen - 1] == b'\n');
                    dropped += seen as u64;
                    self.members.consume(seen as u64);
                }
            }
            if self.members.over_budget(dropped) {
                self.members.give_up();
                dropped = 0;
                continue;
            }
            if !self.grow()? {
                if self.members.is_broken() {
                    continue;
                }
                return Ok(false);
            }
            fresh |= self.members.starts_member();
        }
    }

    /// More bytes, from the next member if need be. Damage met while searching is the damage already reported: only
    /// a failing read is an error here. `false`: broken or at the end.
    fn grow(&mut self) -> Result<bool> {
        let step = match self.members.more() {
            Ok(Step::End) if !self.members.is_broken() => self.members.next_member(),
            Ok(step) => Ok(step == Step::Data),
            Err(e) => Err(e),
        };
        match step {
            Ok(grown) => Ok(grown),
            Err(e @ Error::Io { .. }) => Err(e),
            Err(_) => Ok(false),
        }
    }

    fn head_at_start(&mut self) -> bool {
        loop {
            match starts(self.format, self.members.window(), self.members.member_ended()) {
                Start::Yes => return true,
                Start::No => return false,
                Start::More => {}
            }
            if !matches!(self.members.more(), Ok(Step::Data)) {
                return starts(self.format, self.members.window(), true) == Start::Yes;
            }
        }
    }
}

struct BlockEnd {
    /// Where the block ends.
    block: u64,
    /// Where the record ends, separator included.
    after: u64,
    /// Because the file does.
    cut: bool,
}

impl BlockEnd {
    fn at(block: u64, after: u64) -> BlockEnd {
        BlockEnd { block, after, cut: false }
    }
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take(MAX_BLANKS + 1).take_while(|b| matches!(b, b'\r' | b'\n')).count()
}

fn separator(format: Format) -> &'static [u8] {
    if format == Format::Arc { b"\n" } else { b"\r\n\r\n" }
}

fn starts(format: Format, bytes: &[u8], at_end: bool) -> Start {
    if format == Format::Arc { arc::starts(bytes, at_end) } else { warc_head::starts(bytes, at_end) }
}

fn find(format: Format, bytes: &[u8], from: usize, at_end: bool) -> Result<usize, usize> {
    if format == Format::Arc { arc::find(bytes, from, at_end) } else { warc_head::find(bytes, from, at_end) }
}

/// Do the first decoded bytes of a member look like a record? (They may be cut before the head shows all of itself.)
fn begins(format: Format, bytes: &[u8]) -> bool {
    let bytes = &bytes[blanks(bytes)..];
    bytes.len() >= 8 && starts(format, bytes, false) != Start::No
}

/// Wraps `stored`, positioned for `range`, in its container.
pub(super) fn open(
    mut stored: crate::shard::stream::Stream,
    container: Container,
    range: &Range<u64>,
    options: &ReadOptions,
) -> Result<Members> {
    let dictionary = match container {
        Container::Zstd => super::member::zstd_dictionary(&mut stored)?,
        _ => None,
    };
    let from = options.exact_start.map_or(range.start, |r| r.offset);
    if from > 0 {
        stored.seek(from);
    }
    Members::new(stored, container, dictionary, usize::try_from(options.max_record_bytes).unwrap_or(usize::MAX))
}
