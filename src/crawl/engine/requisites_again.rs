//! Requisites of pages that are visited again: asked for again with them, so that each date of the archive has its own styles and pictures.
//!
//! **Definition.** Where pages are visited again, each requisite that a page names is asked for again if it was asked for last before this
//! round began, and more than half of the time ago since the page was visited last, or of its interval where that is shorter. So however
//! many pages share a style sheet, it is asked for once a round, also in a round that is killed and resumed; where a crawl goes on for ever,
//! at most twice in the interval of the page that is visited most often. A page that is new has its requisites as of this round. What
//! requisites name themselves (fonts, imported style sheets) follows the same rule.
//!
//! **What a 304 names.** Nothing was sent: what the stored capture names is asked for. A capture that is not there any more, because its shard was
//! taken away, names nothing, which is counted among the references not followed.
//!
//! **Stored.** Digest, validators and dates, as of a page, beside those of pages ([`crate::frontier::Frontier::requisite`]): requisites
//! are in no schedule, no plan, no table of pages, and teach nothing about their hosts' rates of change and validators. What was answered at
//! all is asked for again, also where it was missing.
//!
//! **Replay.** Visits of requisites stand in the event log as those of pages do. Where the frontier does not know that a page was visited,
//! what it names is asked for again if it was asked for last more than half of the page's interval before that visit: rounds are not told
//! apart in the log.
//!
//! **Limits.** Of a crawl that several agents share, requisites on hosts of other agents are handed over once, and not again.

use crate::Purpose;
use crate::archive;
use crate::engine::Crawl;
use crate::engine::folder::shards_folder;
use crate::engine::queue::Naming;
use crate::engine::revisit::answer_of;
use crate::event::{Event, outcome};
use crate::frontier::{AskAgain, Lease};
use crate::page::{PageReader, Reading};
use crate::revisit::{CapturePlace, Outcome, PageHistory, Prior};
use crate::scope::Standing;
use std::path::{Path, PathBuf};
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Place};

/// Counts answers "not modified" whose requisites nobody knows.
const CAPTURE_GONE: &str = "requisites-of-a-capture-taken-away";

/// Where a capture is that a server calls not modified.
pub(super) struct KeptCapture {
    shards: PathBuf,
    place: CapturePlace,
}

impl KeptCapture {
    /// The requisites that it names; a capture that is not there any more is counted.
    pub fn requisites(
        &self,
        reader: &PageReader,
        url: &CanonicalUrl,
        purpose: Purpose,
        at: Standing,
    ) -> Reading {
        let found = read_requisites(&self.shards, self.place, reader, (url, purpose, at));
        found.unwrap_or_else(|| {
            let mut reading = Reading::default();
            reading.refused.add(CAPTURE_GONE);
            reading
        })
    }
}

fn read_requisites(
    shards: &Path,
    place: CapturePlace,
    reader: &PageReader,
    (url, purpose, at): (&CanonicalUrl, Purpose, Standing),
) -> Option<Reading> {
    let answer = archive::answer_at(shards, place.shard, place.offset, url.as_str())?;
    let mut found = reader.read(url, purpose, at, &answer).found;
    // Its links were followed when it was stored.
    found.retain(|candidate| candidate.purpose == Purpose::Requisite);
    Some(Reading { found, ..Reading::default() })
}

/// The requisites to ask for again with a page that was visited at `at_ms`, if rounds are not known.
fn by_interval(history: &PageHistory, at_ms: i64) -> Option<AskAgain> {
    let interval_ms = Some(history.interval_ms).filter(|ms| *ms > 0)?;
    Some(AskAgain { before_ms: at_ms.saturating_sub(interval_ms / 2), interval_ms })
}

impl Crawl {
    /// Whether requisites are asked for again at all.
    fn follows_pages(&self) -> bool {
        self.options.requisites && self.options.again.visits()
    }

    /// Which of the requisites that the answer for the URL of `lease` names are asked for again; before its visit is counted.
    pub(super) fn asks_again(&self, lease: &Lease) -> Result<Option<AskAgain>> {
        let entry = &lease.entry;
        if !self.follows_pages() || !entry.purpose.is_stored() {
            return Ok(None);
        }
        let now = self.now_ms();
        let history = self.history_of(&entry.url, entry.purpose)?;
        let interval_ms = history.as_ref().map_or(0, |history| history.interval_ms);
        let usual = if self.options.again.is_endless() { self.visits.scheduler.first_ms() } else { 0 };
        let period = match &history {
            // In rounds the beginning of the round is enough for what is new.
            None => usual,
            Some(_) if interval_ms == 0 => usual,
            Some(history) => now.saturating_sub(history.last_ms).clamp(0, interval_ms),
        };
        let before_ms = self.due_until().min(now.saturating_sub(period / 2));
        Ok(Some(AskAgain { before_ms, interval_ms }))
    }

    /// [`Crawl::asks_again`] for an answer of this time that was replayed: by the interval of the page alone.
    pub(super) fn asked_again_at(
        &self,
        url: &CanonicalUrl,
        purpose: Purpose,
        at_ms: i64,
    ) -> Result<Option<AskAgain>> {
        if !self.follows_pages() {
            return Ok(None);
        }
        Ok(self.history_of(url, purpose)?.and_then(|history| by_interval(&history, at_ms)))
    }

    /// [`Crawl::asked_again_at`] for a record of this time and place: where it is the last that was stored, it was repeated until the last
    /// visit.
    pub(super) fn asked_again_since(
        &self,
        url: &CanonicalUrl,
        purpose: Purpose,
        (at_ms, place): (i64, &Place),
    ) -> Result<Option<AskAgain>> {
        if !self.follows_pages() {
            return Ok(None);
        }
        let Some(history) = self.history_of(url, purpose)? else { return Ok(None) };
        let shard = archive::shard_number(&place.shard);
        let is_last =
            history.capture.is_some_and(|last| Some(last.shard) == shard && last.offset == place.offset);
        Ok(by_interval(&history, if is_last { history.last_ms.max(at_ms) } else { at_ms }))
    }

    fn history_of(&self, url: &CanonicalUrl, purpose: Purpose) -> Result<Option<PageHistory>> {
        match purpose {
            Purpose::Page => self.frontier.history(url),
            Purpose::Requisite => self.frontier.requisite(url),
            Purpose::Sitemap | Purpose::Robots => Ok(None),
        }
    }

    /// The capture that a server may call not modified, where what it names is of interest.
    pub(super) fn kept_capture(&self, place: Option<CapturePlace>) -> Option<KeptCapture> {
        let place = place.filter(|_| self.follows_pages())?;
        Some(KeptCapture { shards: shards_folder(&self.folder), place })
    }

    /// Counts a visit of a requisite: its event and its history say what it found.
    pub(super) fn requisite_visited(
        &mut self,
        url: &CanonicalUrl,
        event: &mut Event,
        date_ms: Option<i64>,
    ) -> Result<Option<Outcome>> {
        if !self.options.again.keeps_history() {
            return Ok(None);
        }
        let (seen, history) = self.judge_requisite(url, event, date_ms)?;
        event.visit = Some(seen.name().into());
        self.totals.requisite_visits.add(seen.name());
        self.frontier.set_requisite(url, &history)?;
        Ok(Some(seen))
    }

    /// Gives the visit of an event that the frontier does not know yet to the history of its requisite.
    pub(super) fn replay_requisite(&mut self, event: &Event, url: &CanonicalUrl) -> Result<()> {
        if !self.options.again.keeps_history() {
            return Ok(());
        }
        let (seen, history) = self.judge_requisite(url, event, None)?;
        self.totals.requisite_visits.add(seen.name());
        self.frontier.replay_requisite(url, &history)
    }

    fn judge_requisite(
        &self,
        url: &CanonicalUrl,
        event: &Event,
        date_ms: Option<i64>,
    ) -> Result<(Outcome, PageHistory)> {
        let known = self.frontier.requisite(url)?;
        let mut history = known.unwrap_or_else(|| PageHistory {
            depth: event.depth,
            lineage: (event.lineage.off_site, event.lineage.seed.0),
            ..PageHistory::new(url.as_str(), event.fetch_time_ms)
        });
        let interval_ms = history.interval_ms;
        let seen = history.observe(&answer_of(event, date_ms), &self.visits.scheduler, &Prior::default());
        // It has no schedule of its own, but that of the page that asked for it.
        if interval_ms > 0 {
            history.interval_ms = interval_ms;
        }
        Ok((seen.outcome, history))
    }

    /// Queues the requisites of an answer that repeats a capture, which the frontier does not know of.
    pub(super) fn replay_repeated(&mut self, event: &Event, url: &CanonicalUrl) -> Result<()> {
        let repeats = [outcome::UNCHANGED, outcome::NOT_MODIFIED].contains(&&*event.outcome);
        if !repeats || !self.follows_pages() {
            return Ok(());
        }
        let Some(place) = self.history_of(url, event.purpose)?.and_then(|history| history.capture) else {
            return Ok(());
        };
        let at = Standing { depth: event.depth, lineage: event.lineage };
        let named = (url, event.purpose, at);
        let Some(reading) = read_requisites(&shards_folder(&self.folder), place, &self.reader, named) else {
            return Ok(());
        };
        let again = self.asked_again_at(url, event.purpose, event.fetch_time_ms)?;
        let priority = self.priority.of(url, None);
        let (purpose, redirects, referrer) = (event.purpose, event.redirects, event.referrer.as_deref());
        self.queue(Naming { url, purpose, at, redirects, priority, referrer, origin: None, again }, &reading)
    }
}
