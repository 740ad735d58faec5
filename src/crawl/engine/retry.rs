//! URLs that were given up and are asked for again.
//!
//! **Definition.** A URL counts as given up with an outcome where the last that the event log says of it is that outcome. What
//! is asked for again is noted as `requeued` before it is queued, so that a crash in between neither loses nor doubles it.

use std::collections::HashMap;

use crate::Discovered;
use crate::engine::Crawl;
use crate::engine::folder::events_folder;
use crate::event::{Event, outcome};
use crate::journal;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;
use webmill_shard::Position;

/// URLs that are asked for again at once: as many as may be in memory.
const MOST: usize = 1_000_000;
/// Outcomes of what stays queued.
const WAITING: [&str; 2] = [outcome::HOST_UNREACHABLE, outcome::ROBOTS_UNREACHABLE];
/// Between two commits.
const BATCH: usize = 16_384;

impl Crawl {
    /// Queues every URL again that was given up with one of these outcomes; how many there were, a million at most.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn ask_again(&mut self, outcomes: &[&str]) -> Result<u64> {
        // What waits on hosts in trouble is queued already, and its hosts are asked again when a crawl is opened.
        let outcomes: Vec<&str> = outcomes.iter().copied().filter(|name| !WAITING.contains(name)).collect();
        if !outcomes.iter().any(|name| self.totals.outcomes.get(name) > 0) {
            return Ok(0);
        }
        self.commit()?;
        let mut given_up: HashMap<String, Event> = HashMap::new();
        journal::replay(&events_folder(&self.folder), Position::default(), &mut |event| {
            if event.outcome == outcome::RETRY || event.purpose == crate::Purpose::Robots {
                return Ok(());
            }
            if outcomes.contains(&&*event.outcome) && !event.cut {
                if given_up.len() < MOST {
                    given_up.insert(event.url.clone(), event);
                }
            } else {
                given_up.remove(&event.url);
            }
            Ok(())
        })?;
        let mut events: Vec<Event> = given_up.into_values().collect();
        // In the order in which they were given up: the order of a hash map is that of chance.
        events.sort_by(|a, b| (a.fetch_time_ms, &a.url).cmp(&(b.fetch_time_ms, &b.url)));
        let mut count = 0;
        for (n, event) in events.into_iter().enumerate() {
            let Some(url) = CanonicalUrl::parse_stored(&event.url) else { continue };
            self.forget_verdict(url.host(), &event.outcome)?;
            let mut again = event.clone();
            again.detail = Some(event.outcome.to_string());
            again.outcome = outcome::REQUEUED.into();
            again.fetch_time_ms = self.now_ms();
            (again.status, again.ip, again.protocol, again.truncated) = (None, None, None, None);
            (again.shard, again.offset, again.length) = (None, None, None);
            (again.bytes, again.elapsed_ms, again.retries) = (0, 0, 0);
            self.requeue(&again, url)?;
            self.log(again);
            count += 1;
            if n % BATCH == BATCH - 1 {
                self.commit()?;
            }
        }
        self.commit()?;
        Ok(count)
    }

    /// Queues the URL of an event [`outcome::REQUEUED`], whose detail is the outcome that it had.
    pub(super) fn requeue(&mut self, event: &Event, url: CanonicalUrl) -> Result<()> {
        if let Some(before) = event.detail.as_deref() {
            self.totals.given_up.take(before);
        }
        let priority = self.priority.of(&url, None);
        if event.purpose == crate::Purpose::Page {
            self.frontier.count_as_queued(&url)?;
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
                (state.failures, state.away) = (0, 0);
                state.next_ms = state.next_ms.min(now);
            })?;
        }
        Ok(())
    }
}
