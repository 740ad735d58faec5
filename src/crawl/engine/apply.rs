//! After an answer, or none: what is stored, noted, queued, and how long the host is left alone.

use std::time::Instant;

use crate::Purpose;
use crate::archive::Packed;
use crate::engine::Crawl;
use crate::engine::fetch_task::FetchResult;
use crate::engine::revisit::Facts;
use crate::engine::task::{InFlight, Step};
use crate::event::{Event, outcome};
use crate::fetch::{Failure, Fetched, Received};
use crate::frontier::{After, Lease};
use crate::page::Reading;
use crate::politeness::Pace;
use crate::{Entry, HostState};
use webmill_capture::Response;
use webmill_capture::error::{Error, Result};
use webmill_revisit::Outcome;

/// Times that a URL is put off because its host is too busy.
const MOST_POSTPONED: u8 = 30;
/// Longest pause after an error that a server answered with, ms: it is there.
const ANSWERED_BACKOFF_MS: u64 = 300_000;

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
        if let (Step::Entry, Ok(received)) = (&step, &fetched.result) {
            let wanted = packed.is_some() || lease.entry.purpose == Purpose::Sitemap;
            if received.broke_off() && wanted && (200..300).contains(&received.status) {
                return self.cut_off(lease, event, received, packed, reading.unwrap_or_default());
            }
            if is_good(received) {
                self.longest.take(lease.entry.url.as_str());
            }
        }
        if let Some(packed) = packed {
            self.append(&mut event, &packed)?;
        }
        match step {
            Step::Entry => {
                let facts = facts.unwrap_or_default();
                self.apply_entry(lease, event, &fetched, reading.unwrap_or_default(), &facts)
            }
            Step::Robots { origin, url, hops, borrowed } => {
                event.url = url.as_str().to_owned();
                event.purpose = Purpose::Robots;
                event.origin = None;
                self.apply_robots(lease, event, &fetched, origin, url, hops, borrowed)
            }
        }
    }

    /// Appends records to the shard, and notes their place.
    pub(super) fn append(&mut self, event: &mut Event, packed: &Packed) -> Result<()> {
        let place = self.archive.append(packed)?;
        event.shard = Some(place.shard.to_string());
        event.offset = Some(place.offset);
        event.length = Some(place.length);
        Ok(())
    }

    fn apply_entry(
        &mut self,
        mut lease: Lease,
        mut event: Event,
        fetched: &Fetched,
        reading: Reading,
        facts: &Facts,
    ) -> Result<()> {
        let received = match &fetched.result {
            Ok(received) => received,
            Err(failure) => return self.failed(lease, event, failure),
        };
        self.answered(&mut lease, fetched, received);
        let now = self.now_ms();
        let purpose = lease.entry.purpose;
        let status = received.status;
        let again = self.frontier.is_queued_again(&lease.entry.url)?;
        if !again && purpose == Purpose::Page {
            self.credit_due();
        }
        let requisites = self.asks_again(&lease)?;
        let seen = match status {
            200..=399 | 404 | 410 if !received.refused_by_accept => {
                self.visited(&lease, &mut event, facts)?
            }
            _ => None,
        };
        if matches!(status, 200..=299 | 304) {
            self.sitemap_read(&lease, status, facts)?;
        }
        match status {
            200..=299 if received.refused_by_accept => {
                event.outcome = outcome::MEDIA_TYPE.into();
                event.detail = self.learn_kind(&lease, received);
            }
            200..=299 if purpose == Purpose::Sitemap => {
                event.outcome = outcome::SITEMAP.into();
                event.detail = detail_of(&reading);
                self.queue_found(&lease, &reading, requisites)?;
            }
            200..=299 => {
                event.outcome = outcome::STORED.into();
                event.detail = detail_of(&reading);
                event.onward.clone_from(&reading.onward);
                if seen == Some(Outcome::Unchanged) && (again || purpose == Purpose::Requisite) {
                    event.outcome = outcome::UNCHANGED.into();
                } else {
                    if purpose == Purpose::Page {
                        self.learn_kind(&lease, received);
                    }
                    self.stored(&lease, &reading);
                }
                self.looked(&lease.entry, &event, &reading)?;
                self.queue_found(&lease, &reading, requisites)?;
            }
            304 => {
                event.outcome = outcome::NOT_MODIFIED.into();
                if facts.conditional {
                    self.queue_found(&lease, &reading, requisites)?;
                }
            }
            300..=399 => {
                event.outcome = outcome::REDIRECT.into();
                self.redirected(&lease, &mut event, received, reading, requisites)?;
            }
            404 | 410 => event.outcome = outcome::GONE.into(),
            429 | 503 => return self.postponed(lease, event, received, now),
            408 | 425 | 500..=599 => return self.try_later(lease, event),
            400..=499 => event.outcome = outcome::CLIENT_ERROR.into(),
            _ => event.outcome = outcome::PROTOCOL_ERROR.into(),
        }
        self.rest(&mut lease, now);
        self.finish(lease, event)
    }

    /// What every answer teaches about its host.
    pub(super) fn answered(&mut self, lease: &mut Lease, fetched: &Fetched, received: &Received) {
        self.totals.bytes += received.raw.len() as u64;
        let host = self.frontier.host_mut(lease);
        host.fetched += 1;
        host.bytes += received.raw.len() as u64;
        host.response_ms = u32::try_from(fetched.elapsed.as_millis()).unwrap_or(u32::MAX);
        if !matches!(received.status, 429 | 500..=599) {
            host.away = 0;
        }
        if is_good(received) {
            self.recovered(lease);
        }
    }

    /// The host of a good answer is in no trouble, and may be asked a little more often if it had refused before.
    pub(super) fn recovered(&mut self, lease: &Lease) {
        self.last_good = std::time::Instant::now();
        let free = self
            .polite(&lease.host)
            .pause(&HostState { pace: Pace::default(), ..pauses(self.frontier.host(lease)) });
        let host = self.frontier.host_mut(lease);
        (host.failures, host.errors) = (0, 0);
        host.pace.good(free);
        if host.trouble.take().is_some() {
            self.troubled.remove(&*lease.host);
        }
    }

    /// The host rests as politeness says.
    pub(super) fn rest(&mut self, lease: &mut Lease, now_ms: i64) {
        let pause = self.polite(&lease.host).pause(self.frontier.host(lease));
        let host = self.frontier.host_mut(lease);
        host.next_ms = host.next_ms.max(now_ms + pause as i64);
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

    /// An error of the server's that may pass: another attempt of the URL.
    fn try_later(&mut self, lease: Lease, event: Event) -> Result<()> {
        let final_outcome = match event.status {
            Some(500..) => outcome::SERVER_ERROR,
            _ => outcome::TOO_BUSY,
        };
        if self.answers_errors_alone(&lease, &event) {
            return self.out_of_order(lease, event);
        }
        self.back_off(&lease, final_outcome, ANSWERED_BACKOFF_MS);
        self.again_or(lease, event, final_outcome)
    }

    /// The host is too busy, or its front door is there alone: that costs it time and the URL no attempt.
    fn postponed(&mut self, lease: Lease, mut event: Event, received: &Received, now: i64) -> Result<()> {
        let asked = self.asked_wait(received, now);
        self.slow_down(&lease, received.status, asked);
        if self.is_hopeless(&lease) {
            return self.give_up(lease, event, outcome::HOST_UNREACHABLE);
        }
        if is_usual_place(&lease.entry) {
            return self.again_or(lease, event, outcome::GONE);
        }
        if lease.entry.postponed >= MOST_POSTPONED {
            let outcome = if received.status == 429 { outcome::TOO_BUSY } else { outcome::SERVER_ERROR };
            return self.lose(lease, event, outcome);
        }
        event.outcome = outcome::RETRY.into();
        self.log(event);
        self.frontier.release(lease, After::Postpone)
    }

    /// An answer that ended before its end: another attempt. The longest is kept.
    fn cut_off(
        &mut self,
        lease: Lease,
        mut event: Event,
        received: &Received,
        packed: Option<Packed>,
        mut reading: Reading,
    ) -> Result<()> {
        let length = (received.raw.len() - received.head_len) as u64;
        self.totals.bytes += received.raw.len() as u64;
        let host = self.frontier.host_mut(&lease);
        host.fetched += 1;
        host.bytes += received.raw.len() as u64;
        host.response_ms = event.elapsed_ms;
        host.away = 0;
        self.back_off(&lease, outcome::CUT_OFF, ANSWERED_BACKOFF_MS);
        event.detail = Some(format!("the body broke off after {length} bytes"));
        if lease.entry.purpose == Purpose::Sitemap {
            // What it named before it broke off is worth having whatever comes.
            self.queue_found(&lease, &reading, None)?;
        } else if let Some(packed) = packed {
            reading.give_place_back();
            let size = packed.len() + reading.weight();
            let last = lease.entry.retries >= self.options.max_retries;
            let note = self.keep_part(lease.entry.url.as_str(), length, size, (packed, reading), last);
            event.detail = event.detail.map(|detail| detail + &note);
        }
        self.again_or(lease, event, outcome::CUT_OFF)
    }

    /// The `Retry-After` of an answer that may have one, ms.
    pub(super) fn asked_wait(&self, received: &Received, now: i64) -> Option<u64> {
        Response::parse(&received.raw[..received.head_len])
            .header("retry-after")
            .filter(|_| matches!(received.status, 429 | 503))
            .and_then(|value| self.options.politeness.retry_after(value, now))
    }

    /// No answer.
    fn failed(&mut self, lease: Lease, mut event: Event, failure: &Failure) -> Result<()> {
        event.detail = Some(failure.to_string());
        let verdict = match failure {
            Failure::NoSuchHost => Some(outcome::NO_SUCH_HOST),
            Failure::PrivateAddress(_) => Some(outcome::PRIVATE_ADDRESS),
            Failure::AddressOutOfScope(_) => Some(outcome::OUT_OF_SCOPE),
            _ => None,
        };
        if let Some(verdict) = verdict {
            self.frontier.host_mut(&lease).verdict = Some(verdict.into());
            event.outcome = verdict.into();
            return self.finish(lease, event);
        }
        if failure.is_outage() {
            // Not the URL's fault, nor its host's: it keeps its place and its attempts.
            self.back_off(&lease, failure.name(), u64::MAX);
            self.frontier.host_mut(&lease).failures -= 1;
            event.outcome = outcome::RETRY.into();
            self.log(event);
            return self.frontier.release(lease, After::Keep);
        }
        self.back_off(&lease, failure.name(), u64::MAX);
        if !failure.retry() {
            return self.lose(lease, event, failure.name());
        }
        if failure.is_before_request() {
            self.away(&lease);
            if self.is_hopeless(&lease) {
                return self.give_up(lease, event, outcome::HOST_UNREACHABLE);
            }
            if self.is_well_otherwise(&lease) {
                return self.again_or(lease, event, failure.name());
            }
            // The server has not seen the URL: the attempt was the host's. Another port or scheme of it may answer.
            event.outcome = outcome::RETRY.into();
            self.log(event);
            return self.frontier.release(lease, After::Last);
        }
        self.again_or(lease, event, failure.name())
    }

    /// Another attempt at the end of the host's queue, or the end of the URL.
    pub(super) fn again_or(
        &mut self,
        lease: Lease,
        mut event: Event,
        final_outcome: &'static str,
    ) -> Result<()> {
        if is_usual_place(&lease.entry) {
            event.detail = Some("there is no sitemap at the usual place".into());
            return self.lose(lease, event, outcome::GONE);
        }
        if lease.entry.retries >= self.options.max_retries {
            return self.lose(lease, event, final_outcome);
        }
        event.outcome = outcome::RETRY.into();
        self.log(event);
        self.frontier.release(lease, After::Retry)
    }

    /// The end of a URL that was not brought home: counted, and to be asked for again by [`Crawl::ask_again`].
    /// Where an attempt brought the beginning of an answer, the longest is stored.
    pub(super) fn lose(&mut self, lease: Lease, mut event: Event, outcome: &'static str) -> Result<()> {
        event.outcome = outcome.into();
        if let Some((packed, reading)) = self.longest.take(lease.entry.url.as_str()) {
            self.append(&mut event, &packed)?;
            event.outcome = outcome::CUT_OFF.into();
            self.stored(&lease, &reading);
            self.looked(&lease.entry, &event, &reading)?;
            let requisites = self.asks_again(&lease)?;
            self.queue_found(&lease, &reading, requisites)?;
        }
        self.finish(lease, event)
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

/// Whether it is a sitemap that nobody named: nothing is missing without it.
fn is_usual_place(entry: &Entry) -> bool {
    entry.purpose == Purpose::Sitemap && entry.referrer.is_none()
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

/// The parts of a host's state that decide how long it rests.
fn pauses(host: &HostState) -> HostState {
    HostState { crawl_delay_ms: host.crawl_delay_ms, response_ms: host.response_ms, ..HostState::default() }
}

/// Whether an answer shows a host that is well.
fn is_good(received: &Received) -> bool {
    !matches!(received.status, 408 | 425 | 429 | 500..=599) && !received.broke_off()
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
