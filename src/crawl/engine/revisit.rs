//! Visiting pages again: what each visit means, which pages are due, what an answer is compared with.
//!
//! **Order of writing.** A visit stands in the event log before the frontier has it, as all else does: after a crash the log gives
//! it to the histories once more, and once only ([`crate::frontier::Frontier::replay_visit`]).

use crate::archive::Revisit;
use crate::engine::Crawl;
use crate::engine::plan::HostPlans;
use crate::event::Event;
use crate::frontier::Lease;
use crate::page::Reading;
use crate::revisit::{Answer, CapturePlace, Outcome, PageHistory, Plan, Priors, Scheduler};
use crate::{HostVisits, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::digest::sha1;
use webmill_capture::error::Result;
use webmill_capture::{Response, date::parse_rfc822};
use webmill_shard::RevisitProfile;

/// Pages that are queued at once because they are due.
const BATCH: usize = 4_096;
/// Due pages that may wait in queues.
const MOST_QUEUED: u64 = 65_536;
/// Between two looks for pages that are due, ms.
const LOOK_MS: i64 = 50;
/// Between two plans of a budget, ms.
const PLAN_MS: i64 = 3_600_000;
/// Words below which the fingerprint of a text says little.
const FEW_WORDS: u32 = 24;

/// What an answer is compared with.
#[derive(Debug, Clone)]
pub(super) struct EarlierAnswer {
    /// For `If-None-Match` and `If-Modified-Since`; empty: not said.
    pub conditions: Option<(String, String)>,
    /// SHA-1 of the payload.
    pub digest: Option<[u8; 20]>,
    /// The capture that a revisit record refers to.
    pub capture: Option<CapturePlace>,
    /// The conditions hold no more: "not modified" is a lie, not a visit.
    pub probing: bool,
}

impl EarlierAnswer {
    /// The capture that an answer repeats, if it does.
    pub fn revisit(&self, url: &str, status: u16, cut: bool, facts: &Facts) -> Option<Repeats> {
        let profile = match status {
            304 if facts.conditional && !self.probing => RevisitProfile::ServerNotModified,
            200..=299 if !cut && self.digest.is_some() && self.digest == facts.digest => {
                RevisitProfile::IdenticalPayloadDigest
            }
            _ => return None,
        };
        let digest = data_encoding::BASE32.encode(&self.digest?);
        Some(Repeats { profile, digest, url: url.to_owned(), date_ms: self.capture?.at_ms })
    }
}

/// The capture that an answer repeats.
#[derive(Debug, Clone)]
pub(super) struct Repeats {
    profile: RevisitProfile,
    digest: String,
    url: String,
    date_ms: i64,
}

impl Repeats {
    /// As a record says it.
    pub fn as_revisit(&self) -> Revisit<'_> {
        Revisit {
            profile: self.profile,
            digest: &self.digest,
            refers_to_url: &self.url,
            refers_to_date_ms: self.date_ms,
        }
    }
}

/// What an answer says of its page, taken where it was fetched.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub conditional: bool,
    pub digest: Option<[u8; 20]>,
    pub simhash: Option<u64>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub date_ms: Option<i64>,
    pub media_type: Option<String>,
}

impl Facts {
    /// Of a page's answer, read.
    pub fn of(response: &Response<'_>, reading: Option<&Reading>, conditional: bool) -> Facts {
        let text = |name: &str| {
            let value = std::str::from_utf8(response.header(name)?).ok()?.trim();
            (value.is_ascii() && !value.is_empty()).then(|| value.to_owned())
        };
        let whole = matches!(response.status, None | Some(200..=299));
        let fingerprint = reading.and_then(|reading| reading.fingerprint.as_ref());
        Facts {
            conditional,
            digest: whole.then(|| sha1(&response.payload(usize::MAX).bytes)),
            simhash: fingerprint.filter(|print| print.words >= FEW_WORDS).map(|print| print.simhash),
            etag: text("etag"),
            last_modified: text("last-modified"),
            date_ms: text("date").as_deref().and_then(parse_rfc822),
            media_type: response.media_type(),
        }
    }
}

/// What decides when pages are visited again.
pub(super) struct Visits {
    pub scheduler: Scheduler,
    /// Mean rates of change by suffix and media type.
    pub priors: Priors,
    pub common_plan: Option<Plan>,
    pub host_plans: HostPlans,
    /// Due pages that may be queued while new ones wait.
    due_credit: f64,
    /// When to look for due pages again.
    next_look_ms: i64,
    /// When to spread the budget of visits anew.
    next_plan_ms: i64,
    /// When to look again for sitemaps that are to be read again.
    pub next_sitemaps_ms: i64,
}

impl Visits {
    /// By these options, with what was learned before.
    pub fn new(options: &crate::CrawlOptions, priors: Priors) -> Result<Visits> {
        Ok(Visits {
            scheduler: Scheduler::new(options.revisit.clone(), None)?,
            priors,
            common_plan: None,
            host_plans: HostPlans::default(),
            due_credit: 0.0,
            next_look_ms: 0,
            next_plan_ms: 0,
            next_sitemaps_ms: 0,
        })
    }
}

impl Crawl {
    /// What the answer for the URL of a lease is to be compared with; `None`: it is not known.
    pub(super) fn known(&self, lease: &Lease) -> Result<Option<EarlierAnswer>> {
        match lease.entry.purpose {
            _ if !self.options.again.keeps_history() => return Ok(None),
            Purpose::Sitemap => return self.known_sitemap(lease),
            Purpose::Page => {}
            Purpose::Robots => return Ok(None),
            Purpose::Requisite => {
                let known = self.frontier.requisite(&lease.entry.url)?;
                return Ok(known.map(|history| self.known_by(lease, &history)));
            }
        }
        let Some(history) = self.frontier.history(&lease.entry.url)? else { return Ok(None) };
        Ok(Some(self.known_by(lease, &history)))
    }

    fn known_by(&self, lease: &Lease, history: &PageHistory) -> EarlierAnswer {
        let trust = &self.frontier.host(lease).visits.validators;
        let conditions = history.conditions(trust).map(|conditions| {
            let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
            (text(conditions.etag), text(conditions.last_modified))
        });
        EarlierAnswer {
            conditions,
            digest: history.digest,
            capture: history.capture,
            probing: history.probing,
        }
    }

    /// Counts a visit of the page of `lease`: its event and its history say what it found. `None`: no history is kept of it.
    pub(super) fn visited(
        &mut self,
        lease: &Lease,
        event: &mut Event,
        facts: &Facts,
    ) -> Result<Option<Outcome>> {
        event.digest = facts.digest.as_ref().map(|digest| data_encoding::BASE32.encode(digest));
        event.simhash = facts.simhash;
        event.etag.clone_from(&facts.etag);
        event.last_modified.clone_from(&facts.last_modified);
        event.conditional = facts.conditional;
        if lease.entry.purpose == Purpose::Requisite {
            return self.requisite_visited(&lease.entry.url, event, facts.date_ms);
        }
        let media_type = facts.media_type.as_deref().unwrap_or_default();
        let mut host = self.frontier.host(lease).visits;
        let dated = (facts.date_ms, media_type);
        let Some((seen, history)) = self.judge_visit(&lease.entry.url, event, dated, &mut host)? else {
            return Ok(None);
        };
        self.frontier.host_mut(lease).visits = host;
        event.visit = Some(seen.name().into());
        self.totals.visits.add(seen.name());
        self.frontier.set_history(&lease.entry.url, &history)?;
        Ok(Some(seen))
    }

    /// A visit that brought no answer, or was not made: the page is due another time.
    pub(super) fn not_visited(&mut self, lease: &Lease, event: &mut Event) -> Result<()> {
        if event.visit.is_some() {
            return Ok(());
        }
        let counts = match lease.entry.purpose {
            Purpose::Requisite => {
                event.status.is_some() || self.frontier.is_requisite_queued(&lease.entry.url)?
            }
            _ => self.frontier.is_queued_again(&lease.entry.url)?,
        };
        if !counts {
            return Ok(());
        }
        self.visited(lease, event, &Facts::default()).map(drop)
    }

    /// Gives the visit of an event that the frontier does not know yet to the history of its page.
    pub(super) fn replay_visit(&mut self, event: &Event, url: &CanonicalUrl) -> Result<()> {
        let Some(visit) = event.visit.as_deref() else { return Ok(()) };
        if event.purpose == Purpose::Requisite {
            return self.replay_requisite(event, url);
        }
        let mut host = self.frontier.state_of(url.host())?.unwrap_or_default().visits;
        if let Some((_, history)) = self.judge_visit(url, event, (None, ""), &mut host)? {
            self.totals.visits.add(visit);
            self.frontier.change_host(url.host(), &mut |state| state.visits = host)?;
            self.frontier.replay_visit(url, &history)?;
        }
        Ok(())
    }

    /// What a visit found, and the history of its page with it; `None`: a page without history that brought nothing to keep.
    fn judge_visit(
        &mut self,
        url: &CanonicalUrl,
        event: &Event,
        (date_ms, media_type): (Option<i64>, &str),
        host: &mut HostVisits,
    ) -> Result<Option<(Outcome, PageHistory)>> {
        let status = event.status.unwrap_or(0);
        if !self.options.again.keeps_history() || event.purpose != Purpose::Page {
            return Ok(None);
        }
        let mut history = match self.frontier.history(url)? {
            Some(history) => history,
            None if (200..300).contains(&status) && event.digest.is_some() => {
                let priority = self.priority.of(url, None);
                PageHistory {
                    depth: event.depth,
                    priority,
                    lineage: (event.lineage.off_site, event.lineage.seed.0),
                    ..PageHistory::new(url.as_str(), event.fetch_time_ms)
                }
            }
            None => return Ok(None),
        };
        let answer = answer_of(event, date_ms);
        let suffix = url.host().rsplit('.').next().unwrap_or_default().to_owned();
        self.plan_for(url.host());
        let prior = self.visits.priors.prior(&host.rates, &suffix, media_type);
        let seen = history.observe(&answer, &self.visits.scheduler, &prior);
        if seen.rate > 0.0 {
            self.visits.priors.count(&suffix, media_type, seen.rate_before, seen.rate);
            host.rates.count(seen.rate_before, seen.rate);
        }
        seen.validators_right.into_iter().for_each(|right| host.validators.judge(right));
        seen.claim_right.into_iter().for_each(|right| host.hints.judge(right));
        Ok(Some((seen.outcome, history)))
    }

    /// Pages that are due now, counted up to `most`.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn pages_due(&self, most: u64) -> Result<u64> {
        self.frontier.count_due(self.due_until(), most)
    }

    /// Until when pages count as due: now, or in a crawl by rounds the beginning of the round.
    pub(super) fn due_until(&self) -> i64 {
        if self.options.again.is_endless() { self.now_ms() } else { self.wall_ms }
    }

    /// Queues pages that are due, as many as there is room for beside new ones; whether there were any.
    pub(super) fn admit_due(&mut self, all_else_done: bool) -> Result<bool> {
        let now = self.now_ms();
        if !self.options.again.visits() || (now < self.visits.next_look_ms && !all_else_done) {
            return Ok(false);
        }
        self.visits.next_look_ms = now + LOOK_MS;
        if now >= self.visits.next_plan_ms {
            self.plan()?;
            self.visits.next_plan_ms = now + PLAN_MS;
        }
        let sitemaps = self.admit_sitemaps(now)?;
        let counts = self.frontier.history_counts();
        // Requisites of visited pages are nothing new.
        let waiting_new =
            self.frontier.stats().queued.saturating_sub(counts.queued + self.frontier.requisites());
        let max = match waiting_new {
            0 => BATCH,
            // What waits on hosts that are left alone keeps nobody from visiting the others.
            _ if all_else_done || self.options.revisit.new_share <= 0.0 => BATCH,
            _ => self.visits.due_credit as usize,
        };
        let room = usize::try_from(MOST_QUEUED.saturating_sub(counts.queued)).unwrap_or(0);
        let taken = self.frontier.take_due(self.due_until(), max.min(room))?.len();
        self.visits.due_credit = (self.visits.due_credit - taken as f64).max(0.0);
        self.changed += taken;
        Ok(taken > 0 || sitemaps)
    }

    /// A page never seen before was asked for: due ones may be in proportion, by their shares of the fetches while both wait.
    pub(super) fn credit_due(&mut self) {
        let share = self.options.revisit.new_share;
        if share > 0.0 {
            self.visits.due_credit = (self.visits.due_credit + (1.0 - share) / share).min(BATCH as f64);
        }
    }

    /// When the next page is due, where the crawl waits for it.
    pub(super) fn next_due(&mut self) -> Result<Option<i64>> {
        if !self.options.again.visits() {
            return Ok(None);
        }
        let until = self.due_until();
        let next = self.frontier.next_due()?;
        Ok(next.filter(|due| self.options.again.is_endless() || *due <= until))
    }
}

/// The answer that an event tells of, as a history takes it in.
pub(super) fn answer_of(event: &Event, date_ms: Option<i64>) -> Answer<'_> {
    let shard = event.shard.as_deref().and_then(crate::archive::shard_number);
    let at_ms = event.fetch_time_ms;
    let capture = shard.zip(event.offset).map(|(shard, offset)| CapturePlace { at_ms, shard, offset });
    let digest = event.digest.as_deref().and_then(|text| data_encoding::BASE32.decode(text.as_bytes()).ok());
    Answer {
        at_ms,
        status: event.status.unwrap_or(0),
        conditional: event.conditional,
        cut: matches!(event.truncated.as_deref(), Some("time" | "disconnect")),
        digest: digest.and_then(|bytes| <[u8; 20]>::try_from(bytes).ok()),
        simhash: event.simhash,
        etag: event.etag.as_deref(),
        last_modified: event.last_modified.as_deref(),
        date_ms,
        capture,
    }
}
