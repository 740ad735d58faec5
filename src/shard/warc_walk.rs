//! Walks over WARC and ARC files: where each record begins and ends, also in files that break the rules.
//!
//! The reader of WARC and ARC calls it; it alone knows how far a record reaches.
//!
//! Both formats are a head that states the length of a block, the block, and blank lines. The stated length is believed
//! when blank lines and another head (or the end of the member or file) follow it; a member boundary, too, is
//! believed when the next member begins with a head. Otherwise, leniently, the block ends before the next head found
//! in it or after it, which is a flaw of the record, not its loss. What cannot be put right is an error, after which
//! the walk goes on at the next head: in this member, or in the next member that begins with one.
//!
//! Cost: linear; a byte is looked at twice where lengths are wrong. A block is held up to the limit; the rest is passed
//! over, unread (plain) or decoded to nowhere within a budget.

use std::ops::Range;

use webmill_capture::error::{Error, Result};

use super::member::{Members, Step};
use super::stream::Stream;
use super::warc_frame::{Flaws, FramedRecord, Head, Parsed, Start};
use super::{Container, Format, ReadOptions, Resume, arc, warc_head};

#[path = "warc_block.rs"]
mod block;
#[path = "warc_resync.rs"]
mod resync;

/// Longest head.
const MAX_HEAD: usize = 1 << 20;
/// Most blank lines between records.
const MAX_BLANKS: usize = 4096;

/// What text editors put before the first record.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How far a request for bytes got.
enum WindowReach {
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
    /// A failing read while the far side of damage was searched: reported after the damage.
    failed: Option<Error>,
    /// The member that the search led to begins with a record and is damaged too: reported as the next record.
    damaged: Option<Error>,
    /// After damage nothing is searched.
    stays: bool,
    finished: bool,
    /// Decoded offset behind the last record.
    used: u64,
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
            failed: None,
            damaged: None,
            stays: false,
            finished: false,
            used: 0,
        };
        match options.exact_start {
            Some(resume) => {
                walk.searching = resume.searching;
                walk.next_at = resume.offset;
                walk.first = (resume.offset < range.end).then_some(resume.offset);
            }
            None if range.start == 0 => walk.first = Some(0),
            None => {
                let found = if walk.members.is_inside() {
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

    /// A walk that gives the record at the position of `members` or an error, and then ends.
    pub fn of_one(members: Members, format: Format, options: &ReadOptions) -> Result<Walk> {
        let at = members.position(0);
        let options = ReadOptions { exact_start: Some(Resume::from(at)), ..options.clone() };
        let mut walk = Walk::new(members, format, at..u64::MAX, &options)?;
        walk.stays = true;
        Ok(walk)
    }

    /// The dictionary at the file's start cannot be used: damage at byte 0, which the walk from there reports.
    pub fn without_dictionary(&mut self, error: Error) {
        if self.next_at == 0 && self.first == Some(0) {
            self.members.break_off();
            self.cut = Some(error);
        }
    }

    pub fn first_offset(&self) -> Option<u64> {
        self.first
    }

    pub fn resume(&self) -> Resume {
        Resume { offset: self.next_at, searching: self.searching, proven: None }
    }

    /// Goes to the next record; the window then holds it until the next call.
    pub fn advance(&mut self) -> Option<Result<FramedRecord>> {
        if let Some(error) = self.failed.take() {
            self.finished = true;
            return Some(Err(error));
        }
        if self.finished {
            return None;
        }
        self.members.consume(std::mem::take(&mut self.pending));
        self.members.skip_plain(std::mem::take(&mut self.pending_skip));
        if self.members.window().is_empty()
            && let Some(error) = self.cut.take()
        {
            return Some(Err(self.past(error)));
        }
        if let Some(error) = self.damaged.take() {
            // Beyond the range's end it is the next range's.
            self.finished = self.next_at >= self.end;
            return (!self.finished).then(|| Err(self.past(error)));
        }
        if self.searching
            && let Some(error) = self.past_unknown()
        {
            return Some(Err(error));
        }
        if self.finished {
            return None;
        }
        match self.frame() {
            Ok(Some(framed)) => {
                self.next_at = framed.offset + framed.length;
                Some(Ok(framed))
            }
            Ok(None) => {
                self.finished = true;
                None
            }
            // A failing disk does not get better by trying the next sector.
            Err(error) if self.stays || matches!(error, Error::Io { .. }) => {
                self.finished = true;
                Some(Err(error))
            }
            Err(error) => Some(Err(self.past(error))),
        }
    }

    /// Goes on to the next record head after damage; the error then says how many stored bytes lie between. That is
    /// done at once and by the walk that met the damage, wherever its range ends: no byte is counted twice or by nobody.
    fn past(&mut self, error: Error) -> Error {
        let from = match &error {
            Error::Corrupt { offset, .. } => self.next_at.max(*offset),
            _ => self.next_at,
        };
        if self.stays {
            self.finished = true;
            return error;
        }
        self.search();
        // What a record follows was not cut off, and who asks for the standard wants its end as well.
        let cut_off = error.is_cut_off() && self.finished && self.lenient;
        error.losing(self.next_at.saturating_sub(from)).cutting_off(cut_off)
    }

    /// The same after a block whose end could not be checked: an error only where bytes were passed over.
    fn past_unknown(&mut self) -> Option<Error> {
        let from = self.next_at;
        self.search();
        let lost = self.next_at.saturating_sub(from);
        let reason = "no record starts where the one before ends";
        (lost > 0).then(|| self.corrupt(from, reason).losing(lost)).or_else(|| self.failed.take())
    }

    fn search(&mut self) {
        self.searching = false;
        match self.resync() {
            Ok(true) => self.next_at = self.next_at.max(self.members.offset()),
            Ok(false) => {
                self.finished = true;
                self.next_at = self.next_at.max(self.members.fed());
            }
            Err(failure) => {
                self.failed = Some(failure);
                self.next_at = self.next_at.max(self.members.fed());
            }
        }
    }

    /// As [`Walk::advance`], also where the next record starts after the range's end; tells whether it does.
    pub fn advance_over(&mut self) -> Option<(Result<FramedRecord>, bool)> {
        let end = std::mem::replace(&mut self.end, u64::MAX);
        let next = self.advance();
        self.end = end;
        next.map(|next| {
            let over = next.as_ref().is_ok_and(|framed| framed.offset >= end);
            (next, over)
        })
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
            let step = self.more(usize::MAX)?;
            if !self.members.window().is_empty() {
                continue;
            }
            if let Some(cut) = self.cut.take() {
                return Err(cut);
            }
            if step == Step::End && !self.members.next_member()? {
                return Ok(false);
            }
        }
    }

    fn frame(&mut self) -> Result<Option<FramedRecord>> {
        if !self.skip_blanks()? {
            self.next_at = self.members.position(0);
            return Ok(None);
        }
        let offset = self.members.offset();
        if offset >= self.end {
            self.next_at = offset;
            return Ok(None);
        }
        if self.members.is_plain() && self.members.window()[0] == 0 && self.members.pass_padding()? {
            self.next_at = self.members.position(0);
            return Ok(None);
        }
        let mut head = self.head()?;
        if self.members.starts_before(self.used) {
            head.flaws.add(Flaws::NOT_FIRST);
        }
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
        let goes_on = !self.members.member_ended() && self.cut.is_none();
        if !self.members.is_plain()
            && (goes_on || self.members.reach() > end.after)
            && self.members.shares(end.after)
            && !end.cut
        {
            head.flaws.add(Flaws::SHARED_MEMBER);
        }
        if self.cut.is_some() && !end.cut {
            head.flaws.add(Flaws::NO_TRAILER);
        }
        if !self.lenient && !head.flaws.is_empty() {
            let flaw = head.flaws.texts().next().unwrap_or_default();
            return self.fault(end.after, flaw);
        }
        self.used = self.members.decoded() + end.after;
        let there = end.block - head.block_at as u64;
        let held = there.min(self.limit as u64) as usize;
        let full_length = if end.cut { head.length.unwrap_or(there) } else { there };
        let in_window = (self.members.window().len() as u64).min(end.after);
        self.pending = if self.members.is_plain() { in_window } else { end.after };
        self.pending_skip = end.after - self.pending;
        Ok(Some(FramedRecord {
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
        if self.members.window().starts_with(BYTE_ORDER_MARK) {
            return self.fault(3, "a byte order mark where a record should start");
        }
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
            if let WindowReach::Short { end_of_file, .. } = self.reach(have + 1, usize::MAX)? {
                let cut = self.fault(have, "the record is cut off inside its head");
                return cut.map_err(|error| error.cutting_off(end_of_file));
            }
        }
    }

    /// Decodes until `n` bytes have been seen, of which at least the first `keep` stay.
    fn reach(&mut self, n: u64, keep: usize) -> Result<WindowReach> {
        loop {
            if self.members.is_plain() {
                self.members.fill(n.min(keep as u64) as usize)?;
            }
            let have = self.members.reach();
            if have >= n {
                return Ok(WindowReach::Full);
            }
            // A member that lacks only its trailer gives data all the same.
            if self.more(keep)? == Step::Data || self.members.reach() > have {
                continue;
            }
            if self.cut.is_some() || !self.members.next_member()? {
                return Ok(WindowReach::Short { at: have, end_of_file: true });
            }
            if self.head_at(have)? {
                return Ok(WindowReach::Short { at: have, end_of_file: false });
            }
        }
    }

    /// Does a record head start at decoded byte `at`?
    fn head_at(&mut self, at: u64) -> Result<bool> {
        loop {
            let bytes = self.members.tail(at);
            let bytes = &bytes[blanks(bytes)..];
            match starts_here(self.format, bytes, false) {
                Start::Yes => return Ok(true),
                Start::No => return Ok(false),
                Start::More => {}
            }
            if self.more(usize::MAX)? == Step::End {
                let bytes = self.members.tail(at);
                return Ok(starts_here(self.format, &bytes[blanks(bytes)..], true) == Start::Yes);
            }
        }
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

/// As [`starts`], where a head is expected: after a separator or at the start of a member.
fn starts_here(format: Format, bytes: &[u8], at_end: bool) -> Start {
    if format == Format::Arc { arc::starts_here(bytes, at_end) } else { warc_head::starts(bytes, at_end) }
}

fn find(format: Format, bytes: &[u8], from: usize, at_end: bool) -> Result<usize, usize> {
    if format == Format::Arc { arc::find(bytes, from, at_end) } else { warc_head::find(bytes, from, at_end) }
}

/// Do the first decoded bytes of a member look like a record? (They may be cut before the head shows all of itself.)
fn begins(format: Format, bytes: &[u8]) -> bool {
    let bytes = &bytes[blanks(bytes)..];
    bytes.len() >= 8 && starts_here(format, bytes, false) != Start::No
}

/// Wraps `stored`, positioned for `range`, in its container. The error is that of a zstd dictionary which cannot be used:
/// frames that do without it are read all the same.
pub(super) fn open(
    mut stored: Stream,
    container: Container,
    range: &Range<u64>,
    options: &ReadOptions,
) -> Result<(Members, Option<Error>)> {
    let (dictionary, damage) = match container {
        Container::Zstd | Container::WholeZstd => match super::member::zstd_dictionary(&mut stored) {
            Ok(dictionary) => (dictionary, None),
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(error) => (None, Some(error)),
        },
        _ => (None, None),
    };
    let from = options.exact_start.map_or(range.start, |r| r.offset);
    if from > 0 && !container.is_whole() {
        stored.seek(from);
    }
    let limit = usize::try_from(options.max_record_bytes).unwrap_or(usize::MAX);
    let (mut members, unusable) = Members::new(stored, container, dictionary, limit)?;
    if container.is_whole() {
        members.pass_to(from)?;
    }
    Ok((members, damage.or(unusable)))
}
