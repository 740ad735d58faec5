//! Rounds of meetings: each bucket's pages meet its representatives, one representative a round.
//!
//! That a page meets the representatives in their order until one accepts it, and else becomes one, is the same as: the
//! first page left represents the bucket and meets all others left, those it accepts leave, and so on. In this form
//! the questions of a round, over all buckets of a chunk, do not depend on each other: they are put at once.

use rayon::slice::ParallelSliceMut;
use webmill_capture::bits::Bits;
use webmill_capture::error::Result;

use crate::bands::join::{BandJoinTotals, Meeting, SURELY_WHOLE};
use crate::bands::known::Verdicts;

/// Bytes of working memory a page of a chunk: the page, its state, its question and the answer.
pub(super) const SLOT_BYTES: usize = 48;

/// The page is a fresh one.
const FRESH: u8 = 1;
/// The page was accepted in this round.
const ACCEPTED: u8 = 2;
/// The page was accepted in an earlier round of a bucket that is looked at whole.
const MATCHED: u8 = 4;

/// Pages of a bucket that are left: `chunk.pages[from..to]`.
struct Bucket {
    from: u32,
    to: u32,
    /// Rounds that were had.
    rounds: u32,
    /// All pairs are looked at.
    whole: bool,
    /// Meetings in it, and those that found a duplicate.
    met: u32,
    accepted: u32,
}

impl Bucket {
    /// Whether it is looked at whole no longer: it is large, and its pages are no duplicates of each other for the most
    /// part.
    fn is_barren(&self) -> bool {
        self.whole && self.to - self.from + self.rounds > SURELY_WHOLE && self.accepted < self.met / 8
    }
}

/// A question, and the page it is about by its place in the chunk.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PageQuestion {
    representative: u32,
    page: u32,
    at: u32,
    earlier: bool,
}

/// What happens to the outcomes.
pub(super) struct Desk<'a, F, G> {
    pub(super) verify: F,
    /// Takes an accepted pair.
    pub(super) accept: G,
    pub(super) known: &'a mut Verdicts,
    pub(super) totals: &'a mut BandJoinTotals,
    /// Pages that met only the most representatives of a bucket: a bit each.
    pub(super) cut: &'a mut Bits,
    /// Most representatives of a bucket.
    pub(super) most: u32,
    /// Sort questions in the surrounding pool.
    pub(super) parallel: bool,
}

/// A bucket that is too large for one chunk.
#[derive(Default)]
struct LargeBucket {
    /// Its representatives, with their states.
    representatives: Vec<(u32, u8)>,
    /// Pages of it met the most representatives in vain.
    cut: bool,
}

/// Buckets that are worked on together.
#[derive(Default)]
pub(super) struct Chunk {
    pages: Vec<u32>,
    states: Vec<u8>,
    buckets: Vec<Bucket>,
    large: Option<LargeBucket>,
    asked: Vec<PageQuestion>,
    meetings: Vec<Meeting>,
    verdicts: Vec<Option<f32>>,
}

impl Chunk {
    /// Pages in it.
    pub(super) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Buckets that are complete.
    pub(super) fn complete(&self) -> usize {
        self.buckets.len()
    }

    /// Adds a page to the bucket that is being gathered.
    #[inline]
    pub(super) fn push(&mut self, page: u32, fresh: bool) {
        self.pages.push(page);
        self.states.push(if fresh { FRESH } else { 0 });
    }

    /// Completes the bucket that began at `from`. All pairs of it will be looked at if it has at most `whole` pages.
    #[inline]
    pub(super) fn complete_from(&mut self, from: usize, whole: usize) {
        let len = self.pages.len() - from;
        if len < 2 {
            self.pages.truncate(from);
            self.states.truncate(from);
            return;
        }
        let (from, to) = (from as u32, self.pages.len() as u32);
        self.buckets.push(Bucket { from, to, rounds: 0, whole: len <= whole, met: 0, accepted: 0 });
    }

    /// Works on the complete buckets and forgets them; the pages from `from` on move to the front.
    pub(super) fn work<F, G>(&mut self, from: usize, desk: &mut Desk<'_, F, G>) -> Result<()>
    where
        F: FnMut(&[Meeting], &mut [Option<f32>]) -> Result<()>,
        G: FnMut(Meeting, f32) -> Result<()>,
    {
        let mut buckets = std::mem::take(&mut self.buckets);
        while !buckets.is_empty() {
            buckets.retain_mut(|bucket| self.begin(bucket, desk));
            self.ask(desk)?;
            buckets.iter_mut().for_each(|bucket| self.leave(bucket));
        }
        self.buckets = buckets;
        self.pages.drain(..from);
        self.states.drain(..from);
        Ok(())
    }

    /// Works on all pages, as a piece of one bucket that is too large for a chunk.
    pub(super) fn work_piece<F, G>(&mut self, desk: &mut Desk<'_, F, G>) -> Result<()>
    where
        F: FnMut(&[Meeting], &mut [Option<f32>]) -> Result<()>,
        G: FnMut(Meeting, f32) -> Result<()>,
    {
        self.large.get_or_insert_default();
        let mut bucket =
            Bucket { from: 0, to: self.pages.len() as u32, rounds: 0, whole: false, met: 0, accepted: 0 };
        while self.begin(&mut bucket, desk) {
            self.ask(desk)?;
            self.leave(&mut bucket);
        }
        self.pages.clear();
        self.states.clear();
        Ok(())
    }

    /// Is the bucket that is being gathered one that is worked on in pieces?
    pub(super) fn in_pieces(&self) -> bool {
        self.large.is_some()
    }

    /// Ends the bucket that was worked on in pieces.
    pub(super) fn end_pieces(&mut self) {
        self.large = None;
    }

    /// Begins a round of a bucket: its next representative meets all pages left. False if there is none, or no page left.
    fn begin<F, G>(&mut self, bucket: &mut Bucket, desk: &mut Desk<'_, F, G>) -> bool {
        let Some((representative, state)) = self.representative(bucket, desk.most) else {
            self.cut(bucket, desk);
            return false;
        };
        bucket.rounds += 1;
        bucket.met = bucket.met.saturating_add(bucket.to - bucket.from);
        for at in bucket.from..bucket.to {
            let (page, own) = (self.pages[at as usize], &mut self.states[at as usize]);
            match desk.known.get(representative, page) {
                Some(true) => *own |= ACCEPTED,
                Some(false) => {}
                None => {
                    let earlier = (*own | state) & FRESH == 0;
                    self.asked.push(PageQuestion { representative, page, at, earlier });
                }
            }
        }
        desk.totals.meetings += u64::from(bucket.to - bucket.from);
        bucket.from < bucket.to
    }

    /// The representative of the next round.
    fn representative(&mut self, bucket: &mut Bucket, most: u32) -> Option<(u32, u8)> {
        let left = bucket.from < bucket.to;
        if let Some(large) = &mut self.large {
            if let Some(known) = large.representatives.get(bucket.rounds as usize) {
                return left.then_some(*known);
            }
            if !left || large.representatives.len() >= most as usize {
                return None;
            }
        } else if !left || (bucket.rounds >= most && (!bucket.whole || bucket.is_barren())) {
            return None;
        }
        let at = bucket.from as usize;
        bucket.from += 1;
        let representative = (self.pages[at], self.states[at] & FRESH);
        if let Some(large) = &mut self.large {
            large.representatives.push(representative);
        }
        Some(representative)
    }

    /// Counts the pages that are left when no further page may represent the bucket.
    fn cut<F, G>(&mut self, bucket: &Bucket, desk: &mut Desk<'_, F, G>) {
        let range = bucket.from as usize..bucket.to as usize;
        let left = self.states[range.clone()].iter().filter(|state| *state & MATCHED == 0).count() as u64;
        if left == 0 {
            return;
        }
        let before = self.large.as_mut().is_some_and(|large| std::mem::replace(&mut large.cut, true));
        desk.totals.capped_buckets += u64::from(!before);
        desk.totals.capped_meetings += left;
        let unmatched = |&(_, state): &(&u32, &u8)| *state & MATCHED == 0;
        for (&page, _) in self.pages[range.clone()].iter().zip(&self.states[range]).filter(unmatched) {
            desk.totals.capped_pages += u64::from(desk.cut.insert(page));
        }
    }

    /// Puts the questions of a round, each pair once, in the order of representative and page.
    fn ask<F, G>(&mut self, desk: &mut Desk<'_, F, G>) -> Result<()>
    where
        F: FnMut(&[Meeting], &mut [Option<f32>]) -> Result<()>,
        G: FnMut(Meeting, f32) -> Result<()>,
    {
        if self.asked.is_empty() {
            return Ok(());
        }
        if desk.parallel && self.asked.len() > 1 << 14 {
            self.asked.par_sort_unstable();
        } else {
            self.asked.sort_unstable();
        }
        self.meetings.clear();
        self.meetings.extend(self.asked.iter().map(PageQuestion::meeting));
        self.meetings.dedup();
        self.verdicts.clear();
        self.verdicts.resize(self.meetings.len(), None);
        desk.totals.verifications += self.meetings.len() as u64;
        (desk.verify)(&self.meetings, &mut self.verdicts)?;
        let mut asked = self.asked.iter().peekable();
        for (meeting, verdict) in self.meetings.iter().zip(&self.verdicts) {
            desk.known.put(meeting.representative, meeting.page, verdict.is_some());
            if let Some(similarity) = verdict {
                (desk.accept)(*meeting, *similarity)?;
            }
            while let Some(asked) = asked.next_if(|asked| asked.meeting() == *meeting) {
                self.states[asked.at as usize] |= if verdict.is_some() { ACCEPTED } else { 0 };
            }
        }
        self.asked.clear();
        Ok(())
    }

    /// The accepted pages leave their bucket, unless all its pairs are looked at.
    fn leave(&mut self, bucket: &mut Bucket) {
        let mut to = bucket.from as usize;
        for at in bucket.from as usize..bucket.to as usize {
            let state = self.states[at];
            bucket.accepted += u32::from(state & ACCEPTED != 0);
            if bucket.whole || state & ACCEPTED == 0 {
                self.pages[to] = self.pages[at];
                self.states[to] = if state & ACCEPTED == 0 { state } else { (state & !ACCEPTED) | MATCHED };
                to += 1;
            }
        }
        bucket.to = to as u32;
    }
}

impl PageQuestion {
    fn meeting(&self) -> Meeting {
        Meeting { representative: self.representative, page: self.page, earlier: self.earlier }
    }
}
