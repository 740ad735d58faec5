//! What sitemaps and feeds say of pages that are known: when these changed last. And when the sitemaps themselves are read again.
//!
//! **Definition.** A page is due now where the date that its sitemap or feed gives lies after its last visit. A host whose dates were wrong
//! more often than right, of the last hundred times that a visit could tell, makes nothing due; a date in the future is wrong
//! whatever its page says. Each sitemap is asked for again after a day, or `revisit.every_s` where that is less, with the validators that it
//! gave: it names pages that no other page links to. Feeds are pages, and have histories of their own.
//!
//! **Cost.** A read of the page's history, and a write where the hint says something new.

use crate::Purpose;
use crate::engine::Crawl;
use crate::engine::revisit::{EarlierAnswer, Facts};
use crate::frontier::{KnownSitemap, Lease};
use crate::revisit::history::{Hint, MAX_VALIDATOR};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Sitemaps queued again at once.
const BATCH: usize = 4_096;
/// Longest time between two requests for a sitemap, ms.
const LONGEST_MS: i64 = 86_400_000;

impl Crawl {
    /// A sitemap or feed says when a page was changed last.
    pub(super) fn hint(&mut self, url: &CanonicalUrl, modified_ms: i64) -> Result<()> {
        if !self.options.again.keeps_history() {
            return Ok(());
        }
        let Some(mut history) = self.frontier.history(url)? else { return Ok(()) };
        let before = (history.next_ms, history.claim);
        let trust = self.frontier.state_of(url.host())?.unwrap_or_default().visits.hints;
        // In rounds what is due now is what was due when the round began.
        let hint = history.hint(modified_ms, self.due_until(), &trust);
        self.totals.hints.add(match hint {
            Hint::Due => "due",
            Hint::Kept if history.claim == Some(true) && !trust.is_believed() => "not-believed",
            Hint::Kept => "kept",
            Hint::Implausible => "in-the-future",
        });
        if hint == Hint::Implausible {
            self.frontier.change_host(url.host(), &mut |host| host.visits.hints.judge(false))?;
        }
        if before != (history.next_ms, history.claim) {
            self.frontier.update_history(url, &history)?;
        }
        Ok(())
    }

    /// Queues the sitemaps that are to be read again; whether there were any.
    pub(super) fn admit_sitemaps(&mut self, now: i64) -> Result<bool> {
        if !self.options.sitemaps || now < self.visits.next_sitemaps_ms {
            return Ok(false);
        }
        let every =
            LONGEST_MS.min(i64::try_from(self.options.revisit.every_s).unwrap_or(i64::MAX / 2_000) * 1_000);
        let count = self.frontier.requeue_sitemaps(self.due_until().saturating_sub(every), now, BATCH)?;
        // Where more may wait they come with the next look; else nothing can be due before a part of the interval is over.
        self.visits.next_sitemaps_ms = if count < BATCH { now + every / 8 } else { now };
        self.changed += count;
        Ok(count > 0)
    }

    /// The validators sent with the request for a sitemap that was read before.
    pub(super) fn known_sitemap(&self, lease: &Lease) -> Result<Option<EarlierAnswer>> {
        let Some(known) = self.frontier.sitemap(&lease.entry.url)? else { return Ok(None) };
        let believed = self.frontier.host(lease).visits.validators.is_believed();
        let conditions = (known.etag.unwrap_or_default(), known.last_modified.unwrap_or_default());
        let some = !conditions.0.is_empty() || !conditions.1.is_empty();
        let conditions = (believed && some).then_some(conditions);
        Ok(Some(EarlierAnswer { conditions, digest: None, capture: None, probing: false }))
    }

    /// A sitemap was read, or is as it was.
    pub(super) fn sitemap_read(&mut self, lease: &Lease, status: u16, facts: &Facts) -> Result<()> {
        if lease.entry.purpose != Purpose::Sitemap || !self.options.again.keeps_history() {
            return Ok(());
        }
        let mut known = KnownSitemap::of(&lease.entry, self.now_ms());
        let short = |text: &Option<String>| text.clone().filter(|text| text.len() <= MAX_VALIDATOR);
        if status == 304 {
            if let Some(before) = self.frontier.sitemap(&lease.entry.url)? {
                (known.etag, known.last_modified) = (before.etag, before.last_modified);
            }
        } else {
            (known.etag, known.last_modified) = (short(&facts.etag), short(&facts.last_modified));
        }
        self.frontier.set_sitemap(&lease.entry.url, &known)
    }
}
