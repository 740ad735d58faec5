//! Walks a RAW DB file from record to record, and finds the next record after damage.
//!
//! The reader of RAW DB and `webmill shard recover` call it; the rules below decide which bytes of a damaged file are records.
//!
//! An unbroken file is walked by `length`, never by searching, so data that quotes whole records cannot split its own.
//! A record is *whole* when its head obeys the grammar and its data is followed by LF inside the file. A whole record
//! is *confirmed* when the file ends after it or another head follows at once.
//!
//! A whole record that nothing confirms is either good, with damage after it, or its `length` is damaged and it
//! swallowed part of its neighbours. It is given up exactly when a chain of whole records that starts inside it runs
//! across its end, and is itself proven (three records) or reaches the end of the file. Such a chain and the record
//! cannot both be right, and chance does not make one.
//!
//! Search after damage: the next literal `version:` where a record passes the test above. Three whole records in a row
//! make it *proven*, if their heads are complete; one or two before the end or before more damage come back as
//! *unproven*. A record that turns out to be of no use (its data does not unpack) is searched inside: a wrong `length`
//! may have swallowed others.
//!
//! Accounting: every byte of a file is in a record that is given out or lost in an error, once ([`Error::Corrupt`]'s
//! `lost`), whatever the ranges are: a search that begins in a range runs on to the record that ends it, as a record
//! that begins in a range does.
//!
//! Cost: a walk parses each head once. A search reads the damaged bytes once, a contradiction test the bytes of one
//! record once more; a chain that leads nowhere is not followed twice. Where a walk goes depends on nothing but the
//! position it is at, so that ranges join to what one walk gives.

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem::Finder;

use webmill_capture::error::{Error, Result};

use super::Resume;
use super::raw_head::{Head, MARK, MAX_HEAD_LINES, SEARCH_HEAD_LINES};
use super::raw_whole::{
    CUT_HEAD, FoundRecord, HEAD_BYTES, LOOK_BYTES, head_at, head_of, whole_at, whole_with,
};
use super::stream::{READ_BYTES, Stream};

/// Records in a row that prove a boundary.
const PROOF: usize = 3;
/// Whole records that are looked at inside one that cannot be used.
const MAX_TRIES: usize = 64;
/// Chains remembered by one contradiction test.
const MAX_VISITED: usize = 1 << 20;

/// Whole records in a row.
struct Chain {
    records: usize,
    /// Does the file end after them?
    to_the_end: bool,
    /// Has each of them the head that its writer gave it, as far as a head can show that?
    complete: bool,
}

impl Chain {
    fn proves(&self) -> bool {
        self.records >= PROOF && self.complete
    }
}

/// The walk over one file or range. It stays at a record until [`Walker::next`] is called again.
pub(crate) struct Walker {
    pub stream: Stream,
    max_record_bytes: u64,
    range: Range<u64>,
    /// The head after the record walked last, parsed when it was confirmed.
    follower: Option<(u64, Head)>,
    /// Found by a search, not given out yet.
    queued: Option<FoundRecord>,
    /// What a search lost that went on with that of the range before.
    passed: Option<Error>,
    /// Bytes of the record that the caller holds.
    held: u64,
    first: Option<u64>,
    proven: Option<bool>,
    searching: bool,
    done: bool,
    /// Boundaries of a chain that once contradicted a record; it will contradict the next candidates too.
    witness: Vec<u64>,
    finder: Finder<'static>,
}

impl Walker {
    /// Walks the records that start in `range`, from `start` if given, else from the range's start by proof.
    pub(crate) fn new(
        stream: Stream,
        range: Range<u64>,
        start: Option<Resume>,
        max_record_bytes: u64,
    ) -> Walker {
        let mut walker = Walker {
            stream,
            max_record_bytes,
            range,
            follower: None,
            queued: None,
            passed: None,
            held: 0,
            first: None,
            proven: None,
            searching: false,
            done: false,
            witness: Vec::new(),
            finder: Finder::new(MARK),
        };
        walker.begin(start);
        walker
    }

    fn begin(&mut self, start: Option<Resume>) {
        match start {
            Some(resume) => {
                self.stream.seek(resume.offset);
                self.proven = resume.proven;
                if resume.offset >= self.range.end {
                    self.searching = resume.searching;
                    self.done = true;
                } else if resume.searching {
                    let found = self.search(false, u64::MAX);
                    let lost = self.stream.position() - resume.offset;
                    if lost > 0 {
                        let reason = format!("the damage before goes on here{}", further(found.as_ref()));
                        let error = Error::corrupt(self.stream.path(), resume.offset, reason);
                        self.passed = Some(error.losing(lost));
                    }
                    self.queue(found);
                    self.first = self.queued.as_ref().map(|found| found.at);
                } else {
                    self.first = Some(resume.offset);
                }
            }
            None if self.range.start == 0 => self.first = Some(0),
            None => {
                self.stream.seek(self.range.start);
                self.queued = self.search(true, self.range.end);
                self.first = self.queued.as_ref().map(|found| found.at);
                self.done = self.first.is_none();
                self.proven = None;
                if let Some(found) = &mut self.queued {
                    found.proven = None;
                }
            }
        }
    }

    /// Is a record that the end of the file cut off at `at`?
    pub(crate) fn is_cut(&mut self, at: u64) -> bool {
        match head_at(&mut self.stream, at) {
            Ok(head) => {
                let end = head.record_bytes().and_then(|n| at.checked_add(n));
                end.is_none_or(|end| self.stream.peek_at(end - 1, 1).is_empty())
            }
            Err(reason) => reason == CUT_HEAD,
        }
    }

    pub(crate) fn first(&self) -> Option<u64> {
        self.first
    }

    /// Where the walk is once the record that is held is done with.
    pub(crate) fn resume(&self) -> Resume {
        Resume { offset: self.stream.position() + self.held, searching: self.searching, proven: self.proven }
    }

    /// The next record that starts in the range; the stream is then at its first byte.
    pub(crate) fn next(&mut self) -> Option<Result<FoundRecord>> {
        let held = std::mem::take(&mut self.held);
        self.stream.skip(held);
        if let Some(error) = self.passed.take() {
            return Some(Err(error));
        }
        if let Some(found) = self.queued.take() {
            return Some(Ok(self.hold(found)));
        }
        if self.done {
            return self.stream.take_error().map(Err);
        }
        let at = self.stream.position();
        if at >= self.range.end || self.stream.at_end() {
            self.done = true;
            return self.stream.take_error().map(Err);
        }
        match self.examine(at, MAX_HEAD_LINES) {
            Ok(found) => Some(Ok(self.hold(found))),
            Err(reason) => Some(Err(self.damaged(at, reason))),
        }
    }

    fn hold(&mut self, found: FoundRecord) -> FoundRecord {
        self.held = found.end - found.at;
        found
    }

    /// Finds the way after damage at `at`, and says what was wrong, what it cost and where reading goes on.
    fn damaged(&mut self, at: u64, reason: String) -> Error {
        let reason = self.text_mode(at).map_or(reason, String::from);
        if let Some(error) = self.stream.take_error() {
            return error;
        }
        self.stream.skip(1);
        let found = self.search(false, u64::MAX);
        let lost = self.stream.position() - at;
        let cut_off = found.is_none() && reason.ends_with("it was cut off");
        let reason = reason + &further(found.as_ref());
        self.queue(found);
        Error::corrupt(self.stream.path(), at, reason).losing(lost).cutting_off(cut_off)
    }

    /// Gives up the record that is held: it is whole but of no use. Where its bounds are `doubtful`, whole records
    /// inside it are taken instead.
    pub(crate) fn refuse(&mut self, (at, end): (u64, u64), reason: String, doubtful: bool) -> Error {
        let inside = if doubtful { self.whole_inside(at + 1, end) } else { None };
        let Some(found) = inside else {
            return Error::corrupt(self.stream.path(), at, reason).losing(end - at);
        };
        self.held = 0;
        let lost = found.at - at;
        self.stream.skip(lost);
        self.proven = found.proven;
        let reason = format!("{reason}; a whole record begins inside it{}", further(Some(&found)));
        self.queue(Some(found));
        Error::corrupt(self.stream.path(), at, reason).losing(lost)
    }

    /// The first whole record in `from..end`, the bytes of one that cannot be used. One that runs across `end` counts where
    /// something follows it and nothing follows the other. Cost: a look at each mark, and few times the bytes in question.
    pub(crate) fn whole_inside(&mut self, mut from: u64, end: u64) -> Option<FoundRecord> {
        let ends_there = self.is_followed(end);
        let mut tries = MAX_TRIES;
        while tries > 0
            && let Some(at) = self.mark_ahead(from, end)
        {
            from = at + 1;
            let Ok(mut found) = self.whole(at, SEARCH_HEAD_LINES) else { continue };
            if found.end > end {
                if ends_there || !self.is_followed(found.end) {
                    continue;
                }
            } else {
                tries -= 1;
                match self.examine(at, SEARCH_HEAD_LINES) {
                    Ok(examined) => found = examined,
                    Err(_) => continue,
                }
            }
            found.proven = Some(self.chain(&found).proves());
            return Some(found);
        }
        None
    }

    /// Does the file end at `at`, or a head begin there, be it one that the end of the file cuts off?
    fn is_followed(&mut self, at: u64) -> bool {
        self.stream.peek_at(at, 1).is_empty()
            || match head_of(&mut self.stream, at, SEARCH_HEAD_LINES) {
                Ok(_) => true,
                Err(reason) => reason == CUT_HEAD,
            }
    }

    /// Keeps what a search found for the next call, if it starts in the range.
    fn queue(&mut self, found: Option<FoundRecord>) {
        match found {
            Some(found) if found.at < self.range.end => self.queued = Some(found),
            _ => self.done = true,
        }
    }

    /// Looks from the position on for the next record that starts before `bound`. The stream ends up at it, or where
    /// the search stopped. A guess (`sure`) wants proof; recovery takes what it can get.
    fn search(&mut self, sure: bool, bound: u64) -> Option<FoundRecord> {
        loop {
            let at = self.stream.position();
            let room = bound.saturating_sub(at);
            // Reading on only when nothing is left to look at keeps a search linear, however many marks fail.
            let mut window = self.stream.buffered();
            let mut short = false;
            if window.len() < MARK.len() {
                window = self.stream.fill(READ_BYTES);
                short = window.len() < READ_BYTES;
            }
            match self.finder.find(window) {
                Some(n) if (n as u64) < room => {
                    self.stream.consume(n);
                    let at = at + n as u64;
                    if let Ok(mut found) = self.examine(at, SEARCH_HEAD_LINES) {
                        let chain = self.chain(&found);
                        if chain.records >= PROOF || chain.to_the_end || !sure {
                            self.searching = false;
                            self.proven = Some(chain.proves());
                            found.proven = self.proven;
                            return Some(found);
                        }
                    }
                    self.stream.consume(1);
                }
                Some(_) => return self.give_up(room),
                None => {
                    // A mark may begin in the last bytes of the window.
                    let n = if short { window.len() } else { window.len() + 1 - MARK.len() };
                    if n as u64 >= room || short {
                        return self.give_up(room.min(n as u64));
                    }
                    self.stream.consume(n);
                }
            }
        }
    }

    fn give_up(&mut self, skip: u64) -> Option<FoundRecord> {
        self.stream.skip(skip);
        self.searching = true;
        self.done = true;
        None
    }

    /// The record at `at` if it is whole and confirmed, or at least not contradicted; else the reason.
    fn examine(&mut self, at: u64, max_lines: usize) -> Result<FoundRecord, String> {
        let found = self.whole(at, max_lines)?;
        if self.stream.peek_at(found.end, 1).is_empty() {
            return Ok(found);
        }
        match head_at(&mut self.stream, found.end) {
            Ok(head) => self.follower = Some((found.end, head)),
            Err(_) if self.contradicted(&found) => {
                return Err("`length` leads into the middle of another record".into());
            }
            Err(_) => {
                if let Some(reason) = self.text_mode(at) {
                    return Err(reason.into());
                }
            }
        }
        Ok(found)
    }

    /// The record at `at` if it is whole, else the reason.
    fn whole(&mut self, at: u64, max_lines: usize) -> Result<FoundRecord, String> {
        let head = match self.follower.take() {
            Some((place, head)) if place == at => head,
            _ => head_of(&mut self.stream, at, max_lines)?,
        };
        // A pipe cannot look ahead for free: what will be held anyway is read into the window.
        if self.stream.size().is_none()
            && at == self.stream.position()
            && head.length <= self.max_record_bytes
            && let Some(n) = head.record_bytes()
        {
            self.stream.fill(n as usize + HEAD_BYTES);
        }
        let found = whole_with(&mut self.stream, at, head)?;
        Ok(FoundRecord { proven: self.proven, ..found })
    }

    /// Whole records in a row from `first` on, counted up to the proof.
    fn chain(&mut self, first: &FoundRecord) -> Chain {
        let mut chain = Chain { records: 1, to_the_end: false, complete: self.is_complete(first) };
        let mut end = first.end;
        while chain.records < PROOF {
            if self.stream.peek_at(end, 1).is_empty() {
                chain.to_the_end = true;
                break;
            }
            let Ok(found) = whole_at(&mut self.stream, end) else { break };
            chain.records += 1;
            chain.complete &= self.is_complete(&found);
            end = found.end;
        }
        chain
    }

    fn is_complete(&mut self, found: &FoundRecord) -> bool {
        let bytes = self.stream.peek_at(found.at, found.head.len);
        bytes.len() == found.head.len && found.head.is_complete(bytes)
    }

    /// Does a chain of whole records that starts inside `record` run across its end?
    fn contradicted(&mut self, record: &FoundRecord) -> bool {
        if let (Some(first), Some(last)) = (self.witness.first(), self.witness.last())
            && record.at < *first
            && *first < record.end
            && record.end < *last
            && self.witness.binary_search(&record.end).is_err()
        {
            return true;
        }
        let mut visited = HashSet::new();
        let mut from = record.at + 1;
        while let Some(candidate) = self.mark_ahead(from, record.end) {
            from = candidate + 1;
            if visited.contains(&candidate) {
                continue;
            }
            let mut boundaries = vec![candidate];
            let mut at = candidate;
            while let Ok(found) = whole_at(&mut self.stream, at) {
                at = found.end;
                boundaries.push(at);
                if at == record.end {
                    break;
                }
                if at > record.end {
                    let proven = boundaries.len() > PROOF || self.stream.peek_at(at, 1).is_empty();
                    if proven {
                        self.witness = boundaries;
                        return true;
                    }
                    continue;
                }
                if visited.len() == MAX_VISITED || !visited.insert(at) {
                    break;
                }
            }
        }
        false
    }

    /// The next `version:` that starts in `from..until`, without moving.
    fn mark_ahead(&mut self, mut from: u64, until: u64) -> Option<u64> {
        while from < until {
            let bytes = self.stream.peek_at(from, LOOK_BYTES);
            if let Some(n) = self.finder.find(bytes) {
                let at = from + n as u64;
                return (at < until).then_some(at);
            }
            if bytes.len() < LOOK_BYTES {
                return None;
            }
            from += (bytes.len() + 1 - MARK.len()) as u64;
        }
        None
    }

    /// Recognises CR LF turned into LF: the head is right, but its data is shorter than `length` by at most one byte
    /// a line, and no CR LF is left in it although it begins like an HTTP response.
    fn text_mode(&mut self, at: u64) -> Option<&'static str> {
        let head = head_at(&mut self.stream, at).ok()?;
        let data = at + head.len as u64;
        if !self.stream.peek_at(data, 5).eq_ignore_ascii_case(b"HTTP/") {
            return None;
        }
        let next = self.mark_ahead(data, data.saturating_add(head.length).saturating_add(1));
        let near = READ_BYTES as u64;
        let len = match next {
            Some(next) => {
                head_at(&mut self.stream, next).ok()?;
                next.checked_sub(data + 1)?
            }
            None => near,
        };
        let bytes = self.stream.peek_at(data, len.min(near) as usize);
        let short_by = head.length.checked_sub(len.min(bytes.len() as u64))?;
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        // Beyond what was looked at, assume lines as dense as in it.
        let lines = if len > near { len / near.max(1) * lines + lines } else { lines };
        let lost = memchr::memmem::find(bytes, b"\r\n").is_none() && short_by > 0 && short_by <= lines;
        lost.then_some(
            "data is shorter than `length` and holds no CR LF: the file was transferred in text mode and every CR LF \
             became LF; fetch it again in binary mode",
        )
    }
}

/// Where reading goes on, as the end of a reason.
fn further(found: Option<&FoundRecord>) -> String {
    match found {
        Some(found) => format!("; reading goes on at byte {}", found.at),
        None => "; no whole record follows".into(),
    }
}
