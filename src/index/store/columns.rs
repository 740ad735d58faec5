//! One row of a block as numbers, told once for both directions.
//!
//! Everything is told by what stands near it: the time by the last times of up to eight *sessions* (captures of one host
//! come from few crawls), the place by time ([`super::anchors`]) or by where the row before ended, status and media type
//! by those before, the length by them.

use super::anchors::Anchors;
use super::rans::Coder;
use super::seconds;
use super::wire::{unzigzag, zigzag};
use crate::Timestamp;

/// What of a row is said in text, or otherwise rare.
pub(super) mod flag {
    pub(in crate::store) const DELETED: u8 = 1;
    pub(in crate::store) const REDIRECT: u8 = 2;
    pub(in crate::store) const ROBOTS: u8 = 4;
    pub(in crate::store) const EXTRA: u8 = 8;
    pub(in crate::store) const NO_LENGTH: u8 = 16;
    /// Media type and status are no pair of the segment.
    pub(in crate::store) const PAIR: u8 = 32;
}

/// How the digest is said.
pub(super) mod digest {
    /// Twenty bytes of its own.
    pub(in crate::store) const OWN: u8 = 0;
    /// That of the row before.
    pub(in crate::store) const PREVIOUS: u8 = 1;
    /// One further back in the block.
    pub(in crate::store) const BACK: u8 = 2;
    /// One of the segment's most frequent.
    pub(in crate::store) const FREQUENT: u8 = 3;
    pub(in crate::store) const EMPTY: u8 = 4;
    /// No SHA-1 in base32.
    pub(in crate::store) const TEXT: u8 = 5;
}

const SESSIONS: usize = 8;
/// Further from a session than this is another session.
const SESSION_SECONDS: u64 = 20 * 86_400;
const ABSOLUTE: u8 = SESSIONS as u8;
const NO_TIME: u8 = ABSOLUTE + 1;

/// The tables, by what they are for; a sum is one for each context.
mod table {
    pub(super) const KEY: usize = 0;
    pub(super) const FLAGS: usize = KEY + 1;
    pub(super) const KIND: usize = FLAGS + 2;
    pub(super) const SESSION: usize = KIND + 9;
    pub(super) const TIME: usize = SESSION + 20;
    pub(super) const FILE: usize = TIME + 2;
    pub(super) const BASE: usize = FILE + 1;
    pub(super) const OFFSET: usize = BASE + 2;
    pub(super) const PAIR: usize = OFFSET + 2;
    pub(super) const LENGTH: usize = PAIR + 16;
    pub(super) const DIGEST: usize = LENGTH + 8;
    pub(super) const BACK: usize = DIGEST + 16;
    pub(super) const COUNT: usize = BACK + 1;
}

/// How many tables there are.
pub(super) const TABLES: usize = table::COUNT;

/// The numbers of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) flags: u8,
    pub(super) kind: u8,
    pub(super) timestamp: Timestamp,
    /// The second that a decoded timestamp is to be made of: of most rows nobody asks it.
    pub(super) seconds: Option<i64>,
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) pair: u8,
    pub(super) digest: u8,
    pub(super) reference: u64,
}

/// What the rows before leave behind.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    sessions: [i64; SESSIONS],
    filled: usize,
    replaced: usize,
    session: u8,
    last: Values,
    end: u64,
    base: u8,
}

impl Context {
    /// Takes a time into the sessions: into the one it was told by, where it is near.
    fn learn(&mut self, session: u8, seconds: i64) {
        let known = usize::from(session);
        if known < self.filled && self.sessions[known].abs_diff(seconds) < SESSION_SECONDS {
            self.sessions[known] = seconds;
        } else if self.filled < SESSIONS {
            self.sessions[self.filled] = seconds;
            self.filled += 1;
        } else {
            self.sessions[self.replaced] = seconds;
            self.replaced = (self.replaced + 1) % SESSIONS;
        }
    }

    /// The time; its second, where it has one.
    fn time<C: Coder>(&mut self, coder: &mut C, timestamp: &mut Timestamp, same: bool) -> Option<i64> {
        let (mut session, mut seconds) = (NO_TIME, None);
        if C::ENCODES {
            seconds = seconds::of_timestamp(*timestamp);
            if let Some(at) = seconds {
                let nearest = (0..self.filled).min_by_key(|&i| self.sessions[i].abs_diff(at));
                session = nearest.map_or(ABSOLUTE, |i| i as u8);
            }
        }
        coder.symbol(table::SESSION + usize::from(same) * 10 + usize::from(self.session), &mut session);
        // Only foreign bytes have others.
        session = session.min(NO_TIME);
        self.session = session;
        if session == NO_TIME {
            let (mut high, mut low) = (timestamp.0 >> 32, timestamp.0 & 0xffff_ffff);
            coder.bits(32, &mut high);
            coder.bits(32, &mut low);
            *timestamp = Timestamp(high << 32 | low);
            return None;
        }
        if session == ABSOLUTE {
            let mut bits = seconds.unwrap_or_default() as u64;
            coder.bits(38, &mut bits);
            seconds = Some(bits as i64);
        } else {
            let base = self.sessions[usize::from(session)];
            let mut distance = zigzag(seconds.unwrap_or_default().wrapping_sub(base));
            coder.number(table::TIME + usize::from(same), &mut distance);
            seconds = Some(base.wrapping_add(unzigzag(distance)));
        }
        let mut at = seconds.unwrap_or_default();
        if !C::ENCODES {
            // Only foreign bytes have others.
            at = if (0..seconds::END).contains(&at) { at } else { 0 };
        }
        self.learn(session, at);
        Some(at)
    }

    fn place<C: Coder>(&mut self, coder: &mut C, row: &mut Values, seconds: Option<i64>, anchors: &Anchors) {
        let expected = seconds.and_then(|seconds| anchors.file(seconds)).unwrap_or(self.last.file);
        let mut distance = zigzag(i64::from(row.file) - i64::from(expected));
        coder.number(table::FILE, &mut distance);
        row.file = i64::from(expected).wrapping_add(unzigzag(distance)) as u32;
        let by_time = || anchors.offset(row.file, seconds.unwrap_or_default());
        let behind = if row.file == self.last.file { self.end } else { 0 };
        let distance = |base: u64| zigzag(row.offset.wrapping_sub(base) as i64);
        let mut base = u8::from(C::ENCODES && distance(behind) < distance(by_time()));
        coder.symbol(table::BASE + usize::from(self.base), &mut base);
        // Only foreign bytes have others.
        self.base = base.min(1);
        let from = if self.base == 0 { by_time() } else { behind };
        let mut distance = distance(from);
        coder.number(table::OFFSET + usize::from(self.base), &mut distance);
        row.offset = from.wrapping_add(unzigzag(distance) as u64);
    }

    /// One row. `same`: whether its key is that of the row before.
    pub(super) fn row<C: Coder>(&mut self, coder: &mut C, row: &mut Values, same: bool, anchors: &Anchors) {
        let last = self.last;
        coder.symbol(table::FLAGS + usize::from(last.flags != 0), &mut row.flags);
        let seconds = self.time(coder, &mut row.timestamp, same);
        row.seconds = seconds;
        self.place(coder, row, seconds, anchors);
        self.end = row.offset;
        if row.flags & flag::DELETED == 0 {
            coder.symbol(table::KIND + usize::from(last.kind.min(8)), &mut row.kind);
            let context = usize::from(same) * 8 + usize::from(last.pair.min(7));
            coder.symbol(table::PAIR + context, &mut row.pair);
            if row.flags & flag::NO_LENGTH == 0 {
                coder.number(table::LENGTH + usize::from(row.pair.min(7)), &mut row.length);
                self.end = row.offset.wrapping_add(row.length);
            }
            let context = usize::from(same) * 8 + usize::from(row.pair.min(7));
            coder.symbol(table::DIGEST + context, &mut row.digest);
            match row.digest {
                digest::BACK => coder.number(table::BACK, &mut row.reference),
                digest::FREQUENT => coder.bits(8, &mut row.reference),
                _ => {}
            }
        } else {
            (row.kind, row.pair) = (last.kind, last.pair);
        }
        self.last = *row;
    }
}

/// How much more or less of the key before is kept than the time before; `None`: all, it is the same.
pub(super) fn key<C: Coder>(coder: &mut C, kept: &mut Option<i64>) {
    let mut value = kept.map_or(0, |more| zigzag(more) + 1);
    coder.number(table::KEY, &mut value);
    *kept = value.checked_sub(1).map(unzigzag);
}
