//! From the answer of a server to its consequences for a page: outcome, estimate, next visit, stored record.
//!
//! | answer | outcome | stored |
//! |---|---|---|
//! | first body | new | in full |
//! | 304 to a conditional request | unchanged | revisit, server-not-modified |
//! | equal payload | unchanged | revisit, identical-payload-digest |
//! | main text within three bits of SimHash | near | in full; no change to the schedule |
//! | other body | changed | in full |
//! | 410; 404 twice, a day or more apart | gone | nothing; out of the schedule after three such visits |
//! | 3xx | moved | nothing; the page keeps its history |
//! | else; 304 that was not asked for; a body cut off | error | nothing; sooner again, with growing pauses |
//!
//! **Clocks.** An interval that is not above 0 (the clock was set back) says nothing about changes; the page is due by the clock as it is now.
//!
//! **Dates of changes.** `Last-Modified` is believed where the payload differs and it lies after the last visit, before the answer,
//! not at its very time, and not before the value of the last visit; what the server's own `Date` says is taken for the time of the
//! answer, so that its clock may be wrong.
//!
//! **Servers that say "not modified" to everything.** Now and then a page that is not modified is asked for
//! without a condition. Where the body differs under the same validator, the server lied. Where it differs under another one it may have
//! changed just now: the next request repeats the condition that no longer holds, and a server that says "not modified" to that lied too. Of a
//! server that lied the page is never asked for conditionally again, the visits that were deceived are taken out of its record, and the host's
//! [`crate::revisit::Trust`] hears of it.

use serde::{Deserialize, Serialize};

use crate::revisit::DAY_MS;
use crate::revisit::change::ChangeRecord;
use crate::revisit::history::{CapturePlace, MAX_VALIDATOR, PageHistory};
use crate::revisit::prior::{Prior, sound_rate};
use crate::revisit::schedule::Scheduler;
use webmill_capture::date::parse_rfc822;

/// Bits in which the fingerprints of two main texts may differ and be nearly the same.
const NEAR_BITS: u32 = 3;
/// Visits that find a page gone before it leaves the schedule.
const GONE_VISITS: u8 = 3;
/// A page that is gone, or may be, is not asked for again before, ms.
const GONE_MS: i64 = DAY_MS;
/// Least pause after a failed visit, ms; it doubles.
const BACK_OFF_MS: i64 = 3_600_000;
/// A modification so near to the answer, ms, was made up for it.
const JUST_NOW_MS: i64 = 2_000;

webmill_capture::words! {
    /// What a visit found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Outcome {
        /// A page that was never seen.
        New = "new",
        /// Its main text differs.
        Changed = "changed",
        /// Its bytes differ, but its main text hardly.
        Near = "near",
        /// Its bytes are the same.
        Unchanged = "unchanged",
        /// It does not exist any more.
        Gone = "gone",
        /// It redirects.
        Moved = "moved",
        /// Nothing about the page.
        Error = "error",
    }
}

/// How a visit is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// The answer as it is.
    Full,
    /// A revisit record, profile server-not-modified.
    NotModified,
    /// A revisit record, profile identical-payload-digest.
    SamePayload,
    /// An event only.
    Nothing,
}

/// What a server answered, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Answer<'a> {
    /// When, ms since 1970, by our clock.
    pub at_ms: i64,
    /// Status; 0: no answer.
    pub status: u16,
    /// The request carried [`PageHistory::conditions`].
    pub conditional: bool,
    /// The body ended too soon.
    pub cut: bool,
    /// SHA-1 of the payload.
    pub digest: Option<[u8; 20]>,
    /// SimHash of the main text; `None`: no text, or too little for a fingerprint.
    pub simhash: Option<u64>,
    /// `ETag` as sent; `None` where it is not ASCII.
    pub etag: Option<&'a str>,
    /// `Last-Modified` as sent.
    pub last_modified: Option<&'a str>,
    /// `Date`, ms since 1970.
    pub date_ms: Option<i64>,
    /// Where the record would be, were it stored in full.
    pub capture: Option<CapturePlace>,
}

/// What a visit meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// What it found.
    pub outcome: Outcome,
    /// How it is to be stored.
    pub stored: Stored,
    /// Since the last visit that saw the page, ms; `None`: there was none, or the clock was set back.
    pub interval_ms: Option<i64>,
    /// When the page changed, ms, where that is known.
    pub changed_ms: Option<i64>,
    /// When it is due; `None`: it left the schedule.
    pub next_ms: Option<i64>,
    /// Rate with which the page was counted in means before; `None`: it was in none.
    pub rate_before: Option<f64>,
    /// Its rate now, changes a day.
    pub rate: f64,
    /// Whether validators told the truth; `None`: it cannot be told. For the host's [`crate::revisit::Trust`] in them.
    pub validators_right: Option<bool>,
    /// Whether the date in a sitemap or feed told the truth. For the host's [`crate::revisit::Trust`] in these.
    pub claim_right: Option<bool>,
}

/// What a body says of the validators that came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Lied,
    /// It changed after a row of "not modified": just now, or long ago.
    Doubtful,
    /// Nothing.
    Open,
}

impl PageHistory {
    /// What an answer means for the page; the history takes it in.
    pub fn observe(&mut self, answer: &Answer<'_>, scheduler: &Scheduler, prior: &Prior) -> Observation {
        // The condition does not hold any more.
        let caught = self.probing && answer.status == 304 && answer.conditional;
        let outcome = if caught { Outcome::Error } else { self.outcome(answer) };
        let interval_ms =
            (self.visits > 0).then(|| answer.at_ms.saturating_sub(self.last_ms)).filter(|ms| *ms > 0);
        let mut seen = Observation {
            outcome,
            stored: self.stored(answer, outcome),
            interval_ms,
            changed_ms: None,
            next_ms: None,
            rate_before: (self.rate > 0.0).then_some(self.rate),
            rate: self.rate,
            validators_right: None,
            claim_right: None,
        };
        self.status = answer.status;
        self.tried_ms = answer.at_ms;
        match outcome {
            Outcome::New | Outcome::Changed | Outcome::Near | Outcome::Unchanged => {
                self.take_in(answer, &mut seen, scheduler, prior);
            }
            Outcome::Gone | Outcome::Moved => {
                self.errors = 0;
                let before = if self.interval_ms > 0 { self.interval_ms } else { scheduler.first_ms() };
                self.interval_ms = scheduler.interval_ms(outcome, before, self.rate, self.weight());
                let wait = self.interval_ms.max(GONE_MS);
                self.next_ms = Some(answer.at_ms.saturating_add(wait));
                if outcome == Outcome::Gone {
                    self.gone = self.gone.saturating_add(1);
                    self.next_ms = self.next_ms.filter(|_| self.gone < GONE_VISITS);
                } else {
                    (self.gone, self.missing_since_ms) = (0, None);
                }
            }
            Outcome::Error => {
                if caught {
                    seen.validators_right = Some(false);
                    (self.deceived, self.probing, self.record) = (true, false, ChangeRecord::default());
                }
                self.fail(answer, scheduler);
            }
        }
        seen.next_ms = self.next_ms;
        seen
    }

    /// The weight of the page in a plan: its priority, 1 where it has none.
    pub fn weight(&self) -> f64 {
        if self.priority > 0.0 { self.priority } else { 1.0 }
    }

    fn outcome(&self, answer: &Answer<'_>) -> Outcome {
        match answer.status {
            304 if answer.conditional && self.digest.is_some() => Outcome::Unchanged,
            200..=299 if !answer.cut => match (self.digest, answer.digest) {
                (_, None) => Outcome::Error,
                (None, _) => Outcome::New,
                (Some(old), Some(new)) if old == new => Outcome::Unchanged,
                _ if self.is_near(answer, NEAR_BITS) => Outcome::Near,
                _ => Outcome::Changed,
            },
            300..=303 | 305..=399 => Outcome::Moved,
            410 => Outcome::Gone,
            404 => match self.missing_since_ms {
                // Once gone it stays so: the day has passed.
                Some(since) if answer.at_ms.saturating_sub(since) >= GONE_MS => Outcome::Gone,
                _ => Outcome::Error,
            },
            _ => Outcome::Error,
        }
    }

    fn is_near(&self, answer: &Answer<'_>, bits: u32) -> bool {
        self.simhash.zip(answer.simhash).is_some_and(|(old, new)| (old ^ new).count_ones() <= bits)
    }

    fn stored(&self, answer: &Answer<'_>, outcome: Outcome) -> Stored {
        match outcome {
            Outcome::New | Outcome::Changed | Outcome::Near => Stored::Full,
            Outcome::Unchanged if answer.status == 304 => Stored::NotModified,
            Outcome::Unchanged if self.capture.is_some() => Stored::SamePayload,
            // There is nothing to refer to.
            Outcome::Unchanged => Stored::Full,
            Outcome::Gone | Outcome::Moved | Outcome::Error => Stored::Nothing,
        }
    }

    /// A visit that saw what the page says.
    fn take_in(&mut self, answer: &Answer<'_>, seen: &mut Observation, scheduler: &Scheduler, prior: &Prior) {
        let outcome = seen.outcome;
        let verdict = self.judge_validators(answer, outcome);
        let deceived = verdict == Verdict::Lied;
        seen.validators_right = match verdict {
            Verdict::Lied => Some(false),
            Verdict::Right => Some(true),
            Verdict::Open | Verdict::Doubtful => None,
        };
        seen.claim_right = self.claim.take().filter(|_| outcome != Outcome::New);
        seen.claim_right = seen.claim_right.map(|claim| claim == (outcome == Outcome::Changed));
        self.learn(answer, seen, deceived);
        self.visits = self.visits.saturating_add(1);
        self.changes = self.changes.saturating_add(u32::from(outcome == Outcome::Changed));
        if outcome == Outcome::New {
            self.first_ms = answer.at_ms;
        }
        self.last_ms = answer.at_ms;
        (self.errors, self.gone, self.missing_since_ms) = (0, 0, None);
        if answer.status == 304 {
            self.unmodified = self.unmodified.saturating_add(1);
        } else {
            self.unmodified = 0;
            self.body_ms = answer.at_ms;
            self.deceived |= deceived;
            self.digest = answer.digest;
            // A doubt keeps those that no longer hold, to be sent once more.
            self.probing = verdict == Verdict::Doubtful;
            if !self.probing {
                self.keep_validators(answer);
            }
            if outcome != Outcome::Near {
                self.simhash = answer.simhash;
            }
        }
        if seen.stored == Stored::Full {
            self.capture = answer.capture;
        }
        self.rate = sound_rate(self.record.rate_with(prior));
        seen.rate = self.rate;
        let before = if self.interval_ms > 0 { self.interval_ms } else { scheduler.first_ms() };
        self.interval_ms = scheduler.interval_ms(outcome, before, self.rate, self.weight());
        self.next_ms = Some(answer.at_ms.saturating_add(self.interval_ms));
    }

    /// Takes what a visit says about changes into the record.
    fn learn(&mut self, answer: &Answer<'_>, seen: &mut Observation, deceived: bool) {
        let Some(interval_ms) = seen.interval_ms else { return };
        if deceived {
            // What the server called not modified says nothing; the change came some time since the last body.
            self.record
                .forget_unchanged(u64::from(self.unmodified), self.last_ms.saturating_sub(self.body_ms));
            self.record.see(answer.at_ms.saturating_sub(self.body_ms), true);
            return;
        }
        if seen.outcome != Outcome::Changed {
            return self.record.see(interval_ms, false);
        }
        match self.changed_ago_ms(answer, interval_ms) {
            Some(ago_ms) => {
                seen.changed_ms = Some(answer.at_ms.saturating_sub(ago_ms));
                self.record.see_dated(interval_ms, ago_ms);
            }
            None => self.record.see(interval_ms, true),
        }
    }

    /// How long before the answer the page changed, ms, where `Last-Modified` says so plausibly.
    fn changed_ago_ms(&self, answer: &Answer<'_>, interval_ms: i64) -> Option<i64> {
        let modified = answer.last_modified.and_then(parse_rfc822)?;
        let now = answer.date_ms.unwrap_or(answer.at_ms);
        let before = self.last_modified.as_deref().and_then(parse_rfc822);
        let ago_ms = now.checked_sub(modified)?;
        let plausible = (JUST_NOW_MS + 1..interval_ms).contains(&ago_ms);
        (plausible && before.is_none_or(|before| modified >= before)).then_some(ago_ms)
    }

    /// Whether the validators of a body told the truth. A page that did not change tells nothing: a liar would have said the same.
    fn judge_validators(&self, answer: &Answer<'_>, outcome: Outcome) -> Verdict {
        if answer.status == 304 || (self.etag.is_none() && self.last_modified.is_none()) {
            return Verdict::Open;
        }
        if self.probing && answer.conditional {
            return Verdict::Right;
        }
        let same = match (&self.etag, answer.etag) {
            (Some(old), Some(new)) => old == new,
            _ => self.last_modified.is_some() && self.last_modified.as_deref() == answer.last_modified,
        };
        match outcome {
            Outcome::Changed if same => Verdict::Lied,
            Outcome::Changed if self.unmodified > 0 && !answer.conditional && !self.deceived => {
                Verdict::Doubtful
            }
            Outcome::Changed => Verdict::Right,
            _ => Verdict::Open,
        }
    }

    fn keep_validators(&mut self, answer: &Answer<'_>) {
        let kept = |text: Option<&str>| {
            // What holds a line end or is no text would break the request.
            let clean = |text: &&str| {
                !text.is_empty()
                    && text.len() <= MAX_VALIDATOR
                    && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
            };
            text.filter(clean).map(str::to_owned)
        };
        self.etag = kept(answer.etag);
        self.last_modified = kept(answer.last_modified);
    }

    /// A visit that saw nothing: sooner again than the schedule has it, with growing pauses up to its interval.
    fn fail(&mut self, answer: &Answer<'_>, scheduler: &Scheduler) {
        if answer.status == 404 {
            // A clock set back would make the day that must pass last for ever.
            let since = self.missing_since_ms.filter(|since| *since <= answer.at_ms);
            self.missing_since_ms = Some(since.unwrap_or(answer.at_ms));
            self.next_ms = Some(answer.at_ms.saturating_add(GONE_MS));
            return;
        }
        let pause = BACK_OFF_MS.saturating_mul(1 << self.errors.min(20));
        self.errors = self.errors.saturating_add(1);
        let usual = if self.interval_ms > 0 { self.interval_ms } else { scheduler.first_ms() };
        let wait = scheduler.within(pause.min(usual) as f64);
        self.next_ms = Some(answer.at_ms.saturating_add(wait));
    }
}

#[cfg(test)]
#[path = "observation_tests.rs"]
mod tests;
