//! The data kept of a page between visits, so that a visit costs one read.
//!
//! **Form.** A byte that is the version, then the fields as `postcard` writes them: numbers as varints, no names. A page that was
//! visited a few times takes some eighty bytes besides its URL.
//!
//! **Errors.** Bytes of another version, and bytes that are no history, are told apart ([`DecodeError`]); whatever the bytes, no number
//! that comes out is infinite or none.

use serde::{Deserialize, Serialize};

use crate::revisit::DAY_MS;
use crate::revisit::change::ChangeRecord;
use crate::revisit::prior::sound_rate;
use crate::revisit::trust::Trust;
use webmill_capture::UrlKey;

/// The version that is written; raised when the bytes change their meaning.
pub const VERSION: u8 = 1;
/// One in this many visits to pages that answer "not modified" is without a condition, to check the answer.
const AUDIT_EVERY: u16 = 30;
/// Answers "not modified" in a row before which there is no audit: the first few rounds ask for no body twice.
const AUDIT_FROM: u16 = 3;
/// Longest validator that is kept and sent back, bytes.
pub const MAX_VALIDATOR: usize = 512;

/// What a crawl knows of a page from its visits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageHistory {
    /// Canonical URL.
    pub url: String,
    /// Links from a seed to it.
    pub depth: u32,
    /// Priority in best-first order.
    pub priority: f64,
    /// What the crawl's rules of scope ask of the way to it: links since its site was left, and a mark of the seed.
    pub lineage: (u8, u32),
    /// First visit that brought the page, ms since 1970; the time it became known before that.
    pub first_ms: i64,
    /// Last visit that saw what the page says, ms.
    pub last_ms: i64,
    /// Last visit of any outcome, ms.
    pub tried_ms: i64,
    /// Visits that saw what the page says.
    pub visits: u32,
    /// Those of them that saw a change.
    pub changes: u32,
    /// What the visits say about its rate of change.
    pub record: ChangeRecord,
    /// The rate by the last estimate, changes a day; 0 before the first visit.
    pub rate: f64,
    /// Interval of the schedule, ms; 0 before the first visit.
    pub interval_ms: i64,
    /// When it is due, ms; `None`: it has left the schedule.
    pub next_ms: Option<i64>,
    /// Status of the last answer; 0: there was none.
    pub status: u16,
    /// Failed visits in a row.
    pub errors: u16,
    /// Visits in a row that found it gone.
    pub gone: u8,
    /// First of the answers in a row that said that it is missing, ms.
    pub missing_since_ms: Option<i64>,
    /// Answers "not modified" in a row.
    pub unmodified: u16,
    /// Last visit that brought a body, ms.
    pub body_ms: i64,
    /// The validators hold no more and are sent once again, to see whether the server says "not modified" to that too.
    pub probing: bool,
    /// Its server was caught saying "not modified" of what was.
    pub deceived: bool,
    /// `ETag` of the last body, as it was sent.
    pub etag: Option<String>,
    /// `Last-Modified` of the last body, as it was sent.
    pub last_modified: Option<String>,
    /// SHA-1 of the last payload.
    pub digest: Option<[u8; 20]>,
    /// SimHash of the main text when it last changed: a text nearly the same does not count as a change.
    pub simhash: Option<u64>,
    /// The last capture that was stored in full.
    pub capture: Option<CapturePlace>,
    /// What a sitemap or a feed claims of the next visit: changed or not.
    pub claim: Option<bool>,
}

/// Where and when a capture was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturePlace {
    /// Its date, ms since 1970: what revisit records refer to.
    pub at_ms: i64,
    /// Number of its shard.
    pub shard: u32,
    /// Where its record begins, bytes.
    pub offset: u64,
}

/// Why bytes are no history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Another version wrote them.
    #[error("a page's history of version {found} where version {VERSION} is read")]
    Version {
        /// The version.
        found: u8,
    },
    /// They break the form.
    #[error("a page's history that cannot be read")]
    Damaged,
}

/// What a request for a page that is known says: send it only if it is another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions<'a> {
    /// For `If-None-Match`.
    pub etag: Option<&'a str>,
    /// For `If-Modified-Since`.
    pub last_modified: Option<&'a str>,
}

/// What a date in a sitemap or feed does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// The page is due now.
    Due,
    /// Nothing.
    Kept,
    /// It lies in the future: wrong whatever the page says.
    Implausible,
}

impl PageHistory {
    /// A page that was not visited yet, due now.
    pub fn new(url: impl Into<String>, now_ms: i64) -> PageHistory {
        PageHistory {
            url: url.into(),
            depth: 0,
            priority: 0.0,
            lineage: (0, 0),
            first_ms: now_ms,
            last_ms: now_ms,
            tried_ms: now_ms,
            visits: 0,
            changes: 0,
            record: ChangeRecord::default(),
            rate: 0.0,
            interval_ms: 0,
            next_ms: Some(now_ms),
            status: 0,
            errors: 0,
            gone: 0,
            missing_since_ms: None,
            unmodified: 0,
            body_ms: now_ms,
            probing: false,
            deceived: false,
            etag: None,
            last_modified: None,
            digest: None,
            simhash: None,
            capture: None,
            claim: None,
        }
    }

    /// What to send with the request; `None`: the page is asked for whatever it says.
    ///
    /// That is so where a revisit record would have no capture to refer to, where the validators of the page or of its host
    /// (`host`) were caught lying, and for an audit (one in `AUDIT_EVERY`).
    pub fn conditions(&self, host: &Trust) -> Option<Conditions<'_>> {
        let conditions =
            Conditions { etag: self.etag.as_deref(), last_modified: self.last_modified.as_deref() };
        let audit = !self.probing && self.is_audited();
        let known = self.capture.is_some() && self.digest.is_some();
        let some = conditions.etag.is_some() || conditions.last_modified.is_some();
        (known && some && !audit && !self.deceived && host.is_believed()).then_some(conditions)
    }

    /// Whether the next visit is an audit: by lot among the pages that were not modified for some visits, so that a host is seen through soon,
    /// and in any case after a row of them.
    fn is_audited(&self) -> bool {
        if self.unmodified < AUDIT_FROM {
            return false;
        }
        let lot = UrlKey::of(&self.url).0 as u64 ^ u64::from(self.visits).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.unmodified >= AUDIT_EVERY || (lot >> 32).is_multiple_of(u64::from(AUDIT_EVERY))
    }

    /// A sitemap or feed says when the page was modified last. A host that is not believed makes nothing due, but its claims are
    /// judged on, so that it can mend.
    pub fn hint(&mut self, modified_ms: i64, now_ms: i64, host: &Trust) -> Hint {
        // A day's grace: many write the date of the day, in their own zone.
        if modified_ms > now_ms.saturating_add(DAY_MS) {
            return Hint::Implausible;
        }
        if self.visits == 0 {
            return Hint::Kept;
        }
        let newer = modified_ms > self.last_ms;
        self.claim = Some(newer);
        if newer && host.is_believed() && self.next_ms.is_some_and(|next| next > now_ms) {
            self.next_ms = Some(now_ms);
            return Hint::Due;
        }
        Hint::Kept
    }

    /// Whether the page is in the schedule and its time has come.
    pub fn is_due(&self, now_ms: i64) -> bool {
        self.next_ms.is_some_and(|next| next <= now_ms)
    }

    /// Days since the last visit that saw the page; 0 where the clock was set back.
    pub fn since_days(&self, now_ms: i64) -> f64 {
        crate::revisit::days(now_ms.saturating_sub(self.last_ms).max(0))
    }

    /// The bytes to keep.
    pub fn encode(&self) -> Vec<u8> {
        let start = vec![VERSION];
        postcard::to_extend(self, start).expect("fields of known length into memory")
    }

    /// The history of [`PageHistory::encode`].
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &[u8]) -> Result<PageHistory, DecodeError> {
        let (version, rest) = bytes.split_first().ok_or(DecodeError::Damaged)?;
        if *version != VERSION {
            return Err(DecodeError::Version { found: *version });
        }
        let (history, left): (PageHistory, _) =
            postcard::take_from_bytes(rest).map_err(|_| DecodeError::Damaged)?;
        if left.is_empty() && history.is_sound() { Ok(history) } else { Err(DecodeError::Damaged) }
    }

    /// Whether the fields are what visits leave.
    fn is_sound(&self) -> bool {
        let short = |text: &Option<String>| text.as_ref().is_none_or(|text| text.len() <= MAX_VALIDATOR);
        let rate = self.rate == 0.0 || self.rate == sound_rate(self.rate);
        let counts = self.changes <= self.visits && self.interval_ms >= 0;
        counts && rate && self.priority.is_finite() && short(&self.etag) && short(&self.last_modified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revisit::RevisitOptions;
    use crate::revisit::{Answer, Prior, Scheduler};

    fn visited(visits: i64) -> PageHistory {
        let scheduler = Scheduler::new(RevisitOptions::default(), None).unwrap();
        let mut page = PageHistory::new("http://a.example/page.html", 0);
        for visit in 0..visits {
            let at_ms = 1_700_000_000_000 + visit * DAY_MS;
            let answer = Answer {
                at_ms,
                status: 200,
                digest: Some([(visit / 3) as u8; 20]),
                simhash: Some((visit as u64 / 3).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
                etag: Some("\"abc\""),
                last_modified: Some("Tue, 15 Apr 2003 08:13:06 GMT"),
                capture: Some(CapturePlace { at_ms, shard: 7, offset: 123_456_789 }),
                ..Answer::default()
            };
            page.observe(&answer, &scheduler, &Prior::default());
        }
        page
    }

    #[test]
    fn a_history_takes_few_bytes_besides_its_url_and_validators() {
        for (visits, most) in [(0, 60), (1, 120), (10, 132), (1000, 140)] {
            let page = visited(visits);
            let texts = page.url.len()
                + page.etag.as_ref().map_or(0, String::len)
                + page.last_modified.as_ref().map_or(0, String::len);
            let bytes = page.encode();
            assert!(bytes.len() - texts <= most, "{visits} visits: {} bytes", bytes.len() - texts);
            assert_eq!(PageHistory::decode(&bytes), Ok(page));
        }
    }

    #[test]
    fn another_version_is_named_and_damage_told_apart() {
        let mut bytes = visited(3).encode();
        assert_eq!(PageHistory::decode(&[]), Err(DecodeError::Damaged));
        assert_eq!(PageHistory::decode(&bytes[..bytes.len() - 1]), Err(DecodeError::Damaged));
        bytes.push(0);
        assert_eq!(PageHistory::decode(&bytes), Err(DecodeError::Damaged));
        bytes[0] = 9;
        let error = PageHistory::decode(&bytes).unwrap_err();
        assert_eq!(error, DecodeError::Version { found: 9 });
        assert_eq!(error.to_string(), "a page's history of version 9 where version 1 is read");
        for broken in [
            PageHistory { priority: f64::NAN, ..visited(1) },
            PageHistory { rate: f64::INFINITY, ..visited(1) },
            PageHistory { changes: 2, ..visited(1) },
            PageHistory { etag: Some("x".repeat(MAX_VALIDATOR + 1)), ..visited(1) },
        ] {
            assert_eq!(PageHistory::decode(&broken.encode()), Err(DecodeError::Damaged));
        }
    }

    #[test]
    fn conditions_need_a_capture_and_trust() {
        let mut host = Trust::default();
        let page = visited(1);
        let sent = page.conditions(&host).unwrap();
        assert_eq!(sent.etag, Some("\"abc\""));
        assert_eq!(sent.last_modified, Some("Tue, 15 Apr 2003 08:13:06 GMT"));
        for unconditional in [
            PageHistory { capture: None, ..page.clone() },
            PageHistory { etag: None, last_modified: None, ..page.clone() },
            PageHistory { unmodified: 30, ..page.clone() },
            PageHistory { deceived: true, ..page.clone() },
            PageHistory::new("http://a.example/", 0),
        ] {
            assert_eq!(unconditional.conditions(&host), None);
        }
        assert!(PageHistory { unmodified: 2, ..page.clone() }.conditions(&host).is_some());
        host.judge(false);
        assert_eq!(page.conditions(&host), None);
    }

    #[test]
    fn hints_make_due_what_is_newer_unless_they_lied() {
        let mut host = Trust::default();
        let page = visited(1);
        let now = page.last_ms + 3 * DAY_MS;
        let mut hinted = page.clone();
        assert_eq!(hinted.hint(page.last_ms + DAY_MS, now, &host), Hint::Due);
        assert!(hinted.is_due(now) && hinted.claim == Some(true));
        let mut old = page.clone();
        assert_eq!(old.hint(page.last_ms - 1, now, &host), Hint::Kept);
        assert!(!old.is_due(now) && old.claim == Some(false));
        assert_eq!(old.hint(now + 2 * DAY_MS, now, &host), Hint::Implausible);
        host.judge(false);
        let mut lied = page.clone();
        assert_eq!(lied.hint(page.last_ms + DAY_MS, now, &host), Hint::Kept);
        assert!(!lied.is_due(now) && lied.claim == Some(true), "judged on");
        let mut dropped = PageHistory { next_ms: None, ..page };
        assert_eq!(dropped.hint(now, now, &Trust::default()), Hint::Kept);
    }
}
