//! After an answer, or none: [`decide`] says what it leads to, and this carries it out.

use std::time::Instant;

use crate::Entry;
use crate::Purpose;
use crate::archive::Packed;
use crate::engine::Crawl;
use crate::engine::decide::{AnswerFacts, Attempt, Decision, Effect, decide};
use crate::engine::fetch_task::FetchResult;
use crate::engine::revisit::Facts;
use crate::engine::task::{InFlight, Step};
use crate::event::{Event, outcome};
use crate::fetch::{Failure, Fetched, Received};
use crate::frontier::{After, AskAgain, Lease};
use crate::page::Reading;
use crate::revisit::Outcome;
use webmill_capture::Response;
use webmill_capture::error::{Error, Result};

/// What effects work on.
#[derive(Default)]
pub(super) struct EffectContext<'a> {
    pub received: Option<&'a Received>,
    pub reading: Reading,
    /// Its records, as long as they are not stored.
    pub packed: Option<Packed>,
    /// Which of the requisites that it names are asked for again.
    pub again: Option<AskAgain>,
}

impl Crawl {
    /// Applies the result of a fetch: its record, its event, what it means for its host, the URLs found.
    pub(super) fn apply(&mut self, result: FetchResult) -> Result<()> {
        let FetchResult { ticket, fetched, reading, facts, packed, parts } = result;
        let request = self
            .requests
            .take(ticket)
            .ok_or_else(|| Error::Internal(format!("no request has ticket {ticket}")))?;
        if let Err(Failure::AddressBusy { wait_ms }) = fetched.result {
            return self.put_off(request, wait_ms);
        }
        self.totals.fetched += 1;
        let packed = packed?;
        self.keep_parts(parts)?;
        let InFlight { lease, step } = request;
        self.watch_outage(&lease.host, &fetched);
        self.answered_at = Instant::now();
        let mut event = about(&lease.entry, "", fetched.started_ms + self.clock_shift_ms);
        describe(&mut event, &fetched);
        let (reading, facts) = (reading.unwrap_or_default(), facts.unwrap_or_default());
        let answer = self.answer(&lease.entry, &fetched, packed.is_some(), &facts);
        if let Ok(answer) = &answer {
            self.totals.bytes += answer.bytes;
            if answer.is_good() {
                self.last_good = Instant::now();
            }
        }
        match step {
            Step::Entry => {
                let received = fetched.result.as_ref().ok();
                let came = EffectContext { received, reading, packed, again: self.asks_again(&lease)? };
                self.apply_entry(lease, event, answer, came, &facts)
            }
            Step::Robots { origin, url, hops, borrowed } => {
                event.url = url.as_str().to_owned();
                event.purpose = Purpose::Robots;
                event.origin = None;
                if let Some(packed) = packed {
                    self.append(&mut event, &packed)?;
                }
                self.apply_robots(lease, event, &fetched, answer, (origin, url, hops), borrowed)
            }
        }
    }

    /// An answer, as far as decisions depend on it.
    fn answer<'a>(
        &self,
        entry: &Entry,
        fetched: &'a Fetched,
        packed: bool,
        facts: &Facts,
    ) -> std::result::Result<AnswerFacts, &'a Failure> {
        let received = fetched.result.as_ref()?;
        let body = (received.raw.len() - received.head_len) as u64;
        Ok(AnswerFacts {
            status: received.status,
            bytes: received.raw.len() as u64,
            body,
            broke_off_alike: received.broke_off() && self.longest.length(entry.url.as_str()) == Some(body),
            elapsed_ms: u32::try_from(fetched.elapsed.as_millis()).unwrap_or(u32::MAX),
            broke_off: received.broke_off(),
            refused: received.refused_by_accept,
            kept: packed || entry.purpose == Purpose::Sitemap,
            conditional: facts.conditional,
            unchanged: false,
            asked_ms: self.asked_wait(received),
        })
    }

    fn apply_entry(
        &mut self,
        lease: Lease,
        mut event: Event,
        mut answer: std::result::Result<AnswerFacts, &Failure>,
        mut came: EffectContext<'_>,
        facts: &Facts,
    ) -> Result<()> {
        let mut again = false;
        if let Ok(answer) = &mut answer
            && !answer.is_beginning()
        {
            if answer.is_good() {
                self.longest.take(lease.entry.url.as_str());
            }
            if let Some(packed) = came.packed.take() {
                self.append(&mut event, &packed)?;
            }
            again = self.frontier.is_queued_again(&lease.entry.url)?;
            if !again && lease.entry.purpose == Purpose::Page {
                self.credit_due();
            }
            if answer.is_visit() {
                answer.unchanged = self.visited(&lease, &mut event, facts)? == Some(Outcome::Unchanged);
            }
            if matches!(answer.status, 200..=299 | 304) {
                self.sitemap_read(&lease, answer.status, facts)?;
            }
        }
        let decision = self.decide_on(&lease, |attempt, host| {
            decide(Attempt { again, ..attempt }, answer.as_ref().map_err(|failure| *failure), host)
        });
        if [outcome::STORED, outcome::UNCHANGED, outcome::SITEMAP].contains(&decision.outcome) {
            event.detail = detail_of(&came.reading);
            event.onward.clone_from(&came.reading.onward);
        }
        self.carry_out(lease, event, decision, came)
    }

    /// Has something decided about the URL of `lease` and its host.
    pub(super) fn decide_on<T>(
        &mut self,
        lease: &Lease,
        decide: impl FnOnce(Attempt<'_>, &mut crate::HostState) -> T,
    ) -> T {
        let (now_ms, max_retries) = (self.now_ms(), self.options.max_retries);
        let polite = self.sites.politeness(&lease.host).unwrap_or(&self.options.politeness);
        let attempt = Attempt { entry: &lease.entry, polite, now_ms, max_retries, again: false };
        let decided = decide(attempt, self.frontier.host_mut(lease));
        self.note_trouble(lease);
        decided
    }

    /// Does what was decided about the URL of `lease`, whose event gets its outcome.
    pub(super) fn carry_out(
        &mut self,
        lease: Lease,
        mut event: Event,
        decision: Decision,
        mut came: EffectContext<'_>,
    ) -> Result<()> {
        event.outcome = decision.outcome.into();
        event.detail = decision.detail.or(event.detail);
        for effect in decision.effects {
            match effect {
                Effect::LearnKind => {
                    let kind = came.received.and_then(|received| self.learn_kind(&lease, received));
                    event.detail = kind.or(event.detail);
                }
                Effect::Store => self.stored(&lease, &came.reading),
                Effect::Look => self.looked(&lease.entry, &event, &came.reading)?,
                Effect::Queue => self.queue_found(&lease, &came.reading, came.again)?,
                Effect::Follow => {
                    if let Some(received) = came.received {
                        let reading = std::mem::take(&mut came.reading);
                        self.redirected(&lease, &mut event, received, reading, came.again)?;
                    }
                }
                Effect::KeepBeginning => self.keep_beginning(&lease, &mut event, &mut came),
                Effect::StoreBeginning => self.store_beginning(&lease, &mut event, came.again)?,
            }
        }
        if decision.after == After::Done {
            return self.finish(lease, event);
        }
        self.log(event);
        self.frontier.release(lease, decision.after)
    }

    /// Appends records to the shard, and notes their place.
    pub(super) fn append(&mut self, event: &mut Event, packed: &Packed) -> Result<()> {
        let place = self.archive.append(packed)?;
        event.shard = Some(place.shard.to_string());
        event.offset = Some(place.offset);
        event.length = Some(place.length);
        Ok(())
    }

    /// The host rests as politeness says.
    pub(super) fn rest(&mut self, lease: &Lease, now_ms: i64) {
        self.decide_on(lease, |attempt, host| host.rest(attempt.polite, now_ms));
    }

    /// A page was stored: the counts, those of its host, and its duplicate throttle. Requisites are counted apart.
    fn stored(&mut self, lease: &Lease, reading: &Reading) {
        if lease.entry.purpose == Purpose::Requisite {
            self.totals.requisites += 1;
            return;
        }
        self.totals.stored += 1;
        self.frontier.host_mut(lease).stored += 1;
        if reading.markup {
            self.watch_copies(lease, reading);
        }
    }

    /// Keeps the beginning of an answer, unless a longer one is kept.
    fn keep_beginning(&mut self, lease: &Lease, event: &mut Event, came: &mut EffectContext<'_>) {
        let (Some(received), Some(packed)) = (came.received, came.packed.take()) else { return };
        let length = (received.raw.len() - received.head_len) as u64;
        let mut reading = std::mem::take(&mut came.reading);
        reading.give_place_back();
        let size = packed.len() + reading.weight();
        let last = lease.entry.retries >= self.options.max_retries;
        let note = self.keep_part(lease.entry.url.as_str(), length, size, (packed, reading), last);
        event.detail = event.detail.take().map(|detail| detail + &note);
    }

    /// Stores the longest beginning of an answer that attempts brought.
    fn store_beginning(&mut self, lease: &Lease, event: &mut Event, again: Option<AskAgain>) -> Result<()> {
        let Some((packed, reading)) = self.longest.take(lease.entry.url.as_str()) else { return Ok(()) };
        self.append(event, &packed)?;
        event.outcome = outcome::CUT_OFF.into();
        self.stored(lease, &reading);
        self.looked(&lease.entry, event, &reading)?;
        self.queue_found(lease, &reading, again)
    }

    /// The `Retry-After` of an answer that may have one, ms.
    fn asked_wait(&self, received: &Received) -> Option<u64> {
        if !matches!(received.status, 429 | 503) {
            return None;
        }
        let head = Response::parse(&received.raw[..received.head_len]);
        self.options.politeness.retry_after(head.header("retry-after")?, self.now_ms() - self.lead_ms)
    }

    /// The end of a URL, for now: its event, and when its page is due again.
    pub(super) fn finish(&mut self, lease: Lease, mut event: Event) -> Result<()> {
        if event.outcome != outcome::REDIRECT && !self.circles.is_empty() {
            self.circles.remove(event.origin.as_deref().unwrap_or(&event.url));
        }
        self.not_visited(&lease, &mut event)?;
        self.guess_sitemap(&lease)?;
        self.note_verdict(&event, &lease.entry.url)?;
        self.log(event);
        self.frontier.release(lease, After::Done)
    }
}

/// What an event says of a reading: what was wrong, and what was dropped.
fn detail_of(reading: &Reading) -> Option<String> {
    let dropped = (reading.dropped_links > 0)
        .then(|| format!("{} links beyond the limit were dropped", reading.dropped_links));
    match (&reading.defect, dropped) {
        (Some(defect), Some(dropped)) => Some(format!("{defect}; {dropped}")),
        (defect, dropped) => defect.clone().or(dropped),
    }
}

fn describe(event: &mut Event, fetched: &Fetched) {
    event.elapsed_ms = u32::try_from(fetched.elapsed.as_millis()).unwrap_or(u32::MAX);
    event.ip = fetched.ip.map(|ip| ip.to_string());
    if let Ok(received) = &fetched.result {
        event.truncated = received.truncated.map(|t| t.name().into());
        event.status = Some(received.status);
        event.bytes = received.raw.len() as u64;
        event.protocol = Some(if received.http2 { "h2" } else { "http/1.1" }.into());
    }
}

/// An event about the URL of a lease.
pub(super) fn about(entry: &Entry, outcome: &'static str, now_ms: i64) -> Event {
    let mut event = Event::new(entry.url.as_str(), entry.purpose, outcome, now_ms);
    event.depth = entry.depth;
    event.retries = entry.retries;
    event.redirects = entry.redirects;
    event.lineage = entry.lineage;
    event.referrer.clone_from(&entry.referrer);
    event.origin.clone_from(&entry.origin);
    event
}
