//! Records that were cut into segments, joined again.
//!
//! The first segment is a record of its own type with `WARC-Segment-Number: 1`; the others are of type `continuation`,
//! name the first in `WARC-Segment-Origin-ID` and count on; the last has `WARC-Segment-Total-Length`. Those that follow the
//! first one directly and in order are joined to it; the joined record stands at the place of the first. A continuation
//! anywhere else, in another file say, comes out as a record of type `continuation`, and a first segment whose others do
//! not follow is marked as truncated: both are named as defects.
//!
//! A record belongs to the range that its first segment starts in, so the walk goes on over the range's end while segments
//! follow. Memory: one record, up to the limit, beside the window.
//!
//! Reference: ISO 28500:2017, 7.

use std::borrow::Cow;

use webmill_capture::Truncation;
use webmill_capture::error::Result;

use crate::warc_frame::FramedRecord;
use crate::warc_head::{digits, range, text};
use crate::warc_walk::Walk;
use crate::{OwnedRecord, Record, RecordType, Resume};

/// The joining of one reader.
pub(super) struct Segments {
    limit: usize,
    /// What the walk gave after the last segment: it is next.
    held: Option<Result<FramedRecord>>,
    /// Where the walk of the next range goes on, while something is held or lies beyond this range.
    stand: Option<u64>,
    finished: bool,
    joined: Option<OwnedRecord>,
}

/// Is this the first of several segments?
pub(super) fn is_first(window: &[u8], framed: &FramedRecord) -> bool {
    let fields = &framed.head.fields;
    framed.head.kind != RecordType::Continuation
        && !fields.segment_number.is_empty()
        && digits(window[range(&fields.segment_number)].trim_ascii()) == Some(1)
        && !framed.cut
}

impl Segments {
    /// Joins up to `limit` bytes.
    pub fn new(limit: u64) -> Segments {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Segments { limit, held: None, stand: None, finished: false, joined: None }
    }

    /// Where the walk is, if that is not where `Walk` is.
    pub fn resume(&self) -> Option<Resume> {
        self.stand.map(Resume::from)
    }

    /// What was held, or what the walk gives next.
    pub fn next(&mut self, walk: &mut Walk) -> Option<Result<FramedRecord>> {
        self.joined = None;
        if self.finished {
            return None;
        }
        match self.held.take() {
            Some(held) => {
                self.stand = None;
                Some(held)
            }
            None => walk.advance(),
        }
    }

    /// Joins the segments that follow `first`.
    pub fn join(&mut self, mut first: OwnedRecord, walk: &mut Walk) -> Record<'_> {
        let mut data = std::mem::take(&mut first.rest.data).into_owned();
        let id = first.rest.id.clone().unwrap_or_default();
        let (mut whole, mut number) = (false, 1);
        while !whole {
            let Some((next, over)) = walk.advance_over() else { break };
            let window = walk.members.window();
            let follows = |framed: &FramedRecord| {
                let fields = &framed.head.fields;
                framed.head.kind == RecordType::Continuation
                    && digits(window[range(&fields.segment_number)].trim_ascii()) == Some(number + 1)
                    && text(window, &fields.segment_origin).is_some_and(|origin| origin == id)
            };
            match next {
                Ok(framed) if follows(&framed) => {
                    let block = &window[framed.block.clone()];
                    let room = self.limit.saturating_sub(data.len());
                    data.extend_from_slice(&block[..block.len().min(room)]);
                    first.rest.full_length += framed.full_length;
                    number += 1;
                    whole = !framed.head.fields.segment_total.is_empty() && !framed.cut;
                    first.rest.defects.extend(framed.head.flaws.texts().map(Cow::Borrowed));
                }
                next => {
                    self.stand = next.as_ref().ok().map(|framed| framed.offset);
                    self.finished = over;
                    self.held = (!over).then_some(next);
                    break;
                }
            }
        }
        let rest = &mut first.rest;
        if number > 1 {
            // That of the first segment's own block.
            rest.block_digest = None;
        }
        if (data.len() as u64) < rest.full_length {
            rest.truncated = Some(Truncation::RecordLimit);
        } else if !whole {
            rest.truncated = rest.truncated.or(Some(Truncation::Unspecified));
        }
        if !whole {
            rest.defects.push(Cow::Borrowed("segments of the record do not follow its first one"));
        }
        rest.data = Cow::Owned(data);
        self.joined.insert(first).record()
    }
}
