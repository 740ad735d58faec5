//! URLs that were given up and are asked for again.
//!
//! **Definition.** A URL counts as given up with an outcome if the last event of it in the log has that outcome. A URL
//! that is requested again is noted as `requeued` before it is queued, so that a crash in between neither loses nor doubles it.
//!
//! **Cost.** URLs are divided into parts by their hash, so that a part fits in memory, and the log is read once for each part: however
//! many URLs were given up, all are queued again.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::engine::Crawl;
use crate::engine::folder::events_folder;
use crate::event::{Event, outcome};
use crate::journal;
use crate::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;
use webmill_shard::Position;

/// URLs that are in memory at once, at most; an eighth of the crawl's memory is another bound.
const MOST: u64 = 1_000_000;
/// What an event costs in memory, about.
const BYTES_OF_ONE: u64 = 1_024;
/// Outcomes of what stays queued.
const WAITING: [&str; 2] = [outcome::HOST_UNREACHABLE, outcome::ROBOTS_UNREACHABLE];
/// Between two commits.
const BATCH: usize = 16_384;

impl Crawl {
    /// Queues every URL again that was given up with one of these outcomes; how many there were.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn ask_again(&mut self, outcomes: &[&str]) -> Result<u64> {
        // What waits on hosts in trouble is queued already, and its hosts are asked again when a crawl is opened.
        let outcomes: Vec<&str> = outcomes.iter().copied().filter(|name| !WAITING.contains(name)).collect();
        // No more URLs than events.
        let events: u64 = outcomes.iter().map(|name| self.totals.outcomes.get(name)).sum();
        let most = (self.options.memory / BYTES_OF_ONE / 8).clamp(1_000, MOST);
        let parts = events.div_ceil(most);
        let mut count = 0;
        for part in 0..parts {
            self.commit()?;
            let given_up = self.given_up(&outcomes, |url| xxh3_64(url.as_bytes()) % parts == part)?;
            for (n, event) in given_up.into_iter().enumerate() {
                count += u64::from(self.ask_for_again(event)?);
                if n % BATCH == BATCH - 1 {
                    self.commit()?;
                }
            }
        }
        self.commit()?;
        Ok(count)
    }

    /// The last events of those URLs that were given up with one of these outcomes, in their order; only of URLs that are `wanted`.
    fn given_up(&self, outcomes: &[&str], wanted: impl Fn(&str) -> bool) -> Result<Vec<Event>> {
        let mut given_up: HashMap<String, Event> = HashMap::new();
        journal::replay(&events_folder(&self.folder), Position::default(), &mut |event| {
            if outcome::PASSING.contains(&&*event.outcome)
                || event.purpose == crate::Purpose::Robots
                || !wanted(&event.url)
            {
                return Ok(());
            }
            if outcomes.contains(&&*event.outcome) && !event.cut {
                given_up.insert(event.url.clone(), event);
            } else {
                given_up.remove(&event.url);
            }
            Ok(())
        })?;
        let mut events: Vec<Event> = given_up.into_values().collect();
        // In the order in which they were given up: the order of a hash map is that of chance.
        events.sort_by(|a, b| (a.fetch_time_ms, &a.url).cmp(&(b.fetch_time_ms, &b.url)));
        Ok(events)
    }

    /// Queues the URL of an event again; whether it has one.
    fn ask_for_again(&mut self, event: Event) -> Result<bool> {
        let Some(url) = CanonicalUrl::parse_stored(&event.url) else { return Ok(false) };
        self.forget_verdict(url.host(), &event.outcome)?;
        let mut again = Event::new(event.url, event.purpose, outcome::REQUEUED, self.now_ms());
        again.detail = Some(event.outcome.into_owned());
        (again.depth, again.redirects, again.lineage) = (event.depth, event.redirects, event.lineage);
        (again.referrer, again.origin) = (event.referrer, event.origin);
        self.requeue(&again, url)?;
        self.log(again);
        Ok(true)
    }

    /// Queues the URL of an event [`outcome::REQUEUED`], whose detail is the outcome that it had.
    pub(super) fn requeue(&mut self, event: &Event, url: CanonicalUrl) -> Result<()> {
        self.take_verdict(&url)?;
        let priority = self.priority.of(&url, None);
        match event.purpose {
            Purpose::Page => self.frontier.count_as_queued(&url)?,
            Purpose::Requisite => self.frontier.count_requisite_as_queued(&url)?,
            Purpose::Sitemap | Purpose::Robots => {}
        }
        self.frontier.add_again(&Discovered {
            url,
            purpose: event.purpose,
            depth: event.depth,
            redirects: event.redirects,
            lineage: event.lineage,
            origin: event.origin.clone(),
            referrer: event.referrer.as_deref().map(Into::into),
            priority,
        })
    }

    /// A host whose URLs are asked for again is asked itself.
    fn forget_verdict(&mut self, host: &str, outcome: &str) -> Result<()> {
        let Some(state) = self.frontier.state_of(host)? else { return Ok(()) };
        if outcome == outcome::PATTERN_CUT && state.duplicate_throttle.is_cut() {
            self.frontier.change_host(host, &mut |state| state.duplicate_throttle.forgive())?;
        }
        if outcome == outcome::MEDIA_TYPE && state.kinds != crate::kinds::Kinds::default() {
            self.frontier.change_host(host, &mut |state| state.kinds = crate::kinds::Kinds::default())?;
        }
        if state.verdict.as_deref() == Some(outcome) {
            let now = self.now_ms();
            self.frontier.change_host(host, &mut |state| {
                state.verdict = None;
                (state.failures, state.away, state.errors) = (0, 0, 0);
                state.next_ms = state.next_ms.min(now);
            })?;
        }
        Ok(())
    }
}
