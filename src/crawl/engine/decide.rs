//! The effects of an answer, or of its absence: records stored, events noted, URLs queued, when hosts are next asked, failures counted.
//!
//! [`Crawl::apply`](super::Crawl::apply) asks for it, on the writer thread, and carries it out. Nothing here reads or writes anything but
//! its arguments, so that one table of cases says all of it.
//!
//! **Whose fault a failure is decides what it costs.**
//!
//! | failure | costs |
//! |---|---|
//! | before any answer; 429 and 503; 5xx once eight URLs in a row got one | the host: it rests, its URLs wait and lose no attempt |
//! | after the request was sent; 408, 425, 5xx, a body that broke off | the URL: one of its attempts; the host rests a while |
//! | at the resolver, the proxy, this machine | nobody: the URL keeps its place |
//! | no such host, an address that is not to be asked | the host: nothing of it is asked for any more |
//!
//! A host that failed too often in a row is left alone ([`Politeness::is_hopeless`]).

use crate::event::outcome;
use crate::fetch::Failure;
use crate::frontier::{After, NEVER_MS};
use crate::politeness::Politeness;
use crate::{Entry, HostState, Purpose};

/// Times that a URL is put off because its host is too busy.
const MOST_POSTPONED: u8 = 30;
/// Longest pause after an error that a server answered with, ms: it is there.
const ANSWERED_BACKOFF_MS: u64 = 300_000;
/// URLs in a row that get an error 5xx at their first attempt until it is the host that is out of order: a site has some pages that
/// always fail.
const OUT_OF_ORDER: u16 = 8;
/// Why a robots.txt says nothing of its URLs so far.
pub(super) const NOT_YET: &str = "not to be had yet";

/// A URL that was asked for.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub entry: &'a Entry,
    /// The pauses of its host.
    pub polite: &'a Politeness,
    /// Wall clock, ms since 1970.
    pub now_ms: i64,
    /// Attempts after the first.
    pub max_retries: u8,
    /// It was queued because it was due to be visited again.
    pub again: bool,
}

/// An answer, as far as decisions depend on it.
#[derive(Debug, Clone, Default)]
pub(super) struct AnswerFacts {
    pub status: u16,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes of its body.
    pub body: u64,
    pub elapsed_ms: u32,
    /// It ended before its end.
    pub broke_off: bool,
    /// It ended where the attempt before did: the server says a wrong length, and there is no more.
    pub broke_off_alike: bool,
    /// It is of a media type that is not wanted.
    pub refused: bool,
    /// Something of it is kept.
    pub kept: bool,
    /// It was asked for only if it had changed.
    pub conditional: bool,
    /// It is what was stored before.
    pub unchanged: bool,
    /// The wait that a 429 or 503 asks for, ms.
    pub asked_ms: Option<u64>,
}

impl AnswerFacts {
    /// Whether it shows a host that is well.
    pub fn is_good(&self) -> bool {
        !matches!(self.status, 408 | 425 | 429 | 500..=599) && !self.broke_off
    }

    /// Whether it is the beginning of something that is wanted whole.
    pub fn is_beginning(&self) -> bool {
        self.broke_off && self.kept && (200..300).contains(&self.status)
    }

    /// Whether it tells how the page is, so that it counts as a visit.
    pub fn is_visit(&self) -> bool {
        matches!(self.status, 200..=399 | 404 | 410) && !self.refused && !self.is_beginning()
    }
}

/// The effects besides logging the event, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Its media type says what URLs of its kind are; where it is not wanted, the event tells the type.
    LearnKind,
    /// It counts as a page or requisite stored.
    Store,
    /// The rules that asked for it have read it.
    Look,
    /// What it names is queued.
    Queue,
    /// Its redirect is followed; the event says where to, or why not.
    Follow,
    /// It is kept for the case that no attempt brings more.
    KeepBeginning,
    /// The longest beginning that attempts brought is stored, if there is one: the outcome is "cut off" then.
    StoreBeginning,
}

/// What comes of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decision {
    /// The outcome of its event.
    pub outcome: &'static str,
    /// What the event tells besides; `None`: what the effects have to say.
    pub detail: Option<String>,
    pub effects: Vec<Effect>,
    /// Where the URL goes; [`After::Done`]: it is at its end.
    pub after: After,
}

impl Decision {
    fn done(outcome: &'static str, effects: &[Effect]) -> Decision {
        Decision { outcome, detail: None, effects: effects.to_vec(), after: After::Done }
    }

    fn retry(after: After) -> Decision {
        Decision { outcome: outcome::RETRY, detail: None, effects: Vec::new(), after }
    }

    fn lost(outcome: &'static str) -> Decision {
        Decision::done(outcome, &[Effect::StoreBeginning])
    }

    fn with(self, detail: impl Into<Option<String>>) -> Decision {
        Decision { detail: detail.into().or(self.detail), ..self }
    }
}

/// What an attempt leads to; `host` becomes as it is after it.
pub(super) fn decide(
    attempt: Attempt<'_>,
    came: Result<&AnswerFacts, &Failure>,
    host: &mut HostState,
) -> Decision {
    match came {
        Err(failure) => failed(attempt, failure, host),
        Ok(answer) if answer.is_beginning() => cut_off(attempt, answer, host),
        Ok(answer) => answered(attempt, answer, host),
    }
}

fn answered(attempt: Attempt<'_>, answer: &AnswerFacts, host: &mut HostState) -> Decision {
    use Effect::{Follow, LearnKind, Look, Queue, Store};
    host.answered(answer, attempt.polite);
    let purpose = attempt.entry.purpose;
    let decision = match answer.status {
        200..=299 if answer.refused => Decision::done(outcome::MEDIA_TYPE, &[LearnKind]),
        200..=299 if purpose == Purpose::Sitemap => Decision::done(outcome::SITEMAP, &[Queue]),
        200..=299 if answer.unchanged && (attempt.again || purpose == Purpose::Requisite) => {
            Decision::done(outcome::UNCHANGED, &[Look, Queue])
        }
        200..=299 if purpose == Purpose::Page => {
            Decision::done(outcome::STORED, &[LearnKind, Store, Look, Queue])
        }
        200..=299 => Decision::done(outcome::STORED, &[Store, Look, Queue]),
        304 if answer.conditional => Decision::done(outcome::NOT_MODIFIED, &[Queue]),
        304 => Decision::done(outcome::NOT_MODIFIED, &[]),
        300..=399 => Decision::done(outcome::REDIRECT, &[Follow]),
        404 | 410 => Decision::done(outcome::GONE, &[]),
        429 | 503 => return too_busy(attempt, answer, host),
        408 | 425 | 500..=599 => return server_error(attempt, answer, host),
        400..=499 => Decision::done(outcome::CLIENT_ERROR, &[]),
        _ => Decision::done(outcome::PROTOCOL_ERROR, &[]),
    };
    host.rest(attempt.polite, attempt.now_ms);
    decision
}

/// The host is too busy, or its front door is there alone: that costs it time and the URL no attempt.
fn too_busy(attempt: Attempt<'_>, answer: &AnswerFacts, host: &mut HostState) -> Decision {
    host.refused(answer, attempt.polite, attempt.now_ms);
    if attempt.polite.is_hopeless(host) {
        return leave_alone(host, outcome::HOST_UNREACHABLE, None);
    }
    if is_usual_place(attempt.entry) {
        return retry_or(attempt, outcome::GONE);
    }
    if attempt.entry.postponed >= MOST_POSTPONED {
        return Decision::lost(match answer.status {
            429 => outcome::TOO_BUSY,
            _ => outcome::SERVER_ERROR,
        });
    }
    Decision::retry(After::Postpone)
}

/// An error of the server's that may pass: another attempt of the URL. Where URL after URL got one, it is the host's trouble and not theirs.
fn server_error(attempt: Attempt<'_>, answer: &AnswerFacts, host: &mut HostState) -> Decision {
    let (entry, polite, now_ms) = (attempt.entry, attempt.polite, attempt.now_ms);
    if answer.status < 500 {
        host.failed(outcome::TOO_BUSY, ANSWERED_BACKOFF_MS, polite, now_ms);
        return retry_or(attempt, outcome::TOO_BUSY);
    }
    if entry.retries == 0 && entry.postponed == 0 {
        host.errors = host.errors.saturating_add(1);
    }
    if host.errors < OUT_OF_ORDER {
        host.failed(outcome::SERVER_ERROR, ANSWERED_BACKOFF_MS, polite, now_ms);
        return retry_or(attempt, outcome::SERVER_ERROR);
    }
    host.away = host.away.saturating_add(1);
    host.failed(outcome::SERVER_ERROR, u64::MAX, polite, now_ms);
    if polite.is_hopeless(host) {
        return leave_alone(host, outcome::HOST_UNREACHABLE, None);
    }
    // Another of its URLs is asked for next: it may be one that does not fail.
    Decision::retry(After::Last)
}

/// An answer that ended before its end: another attempt. The longest is kept.
fn cut_off(attempt: Attempt<'_>, answer: &AnswerFacts, host: &mut HostState) -> Decision {
    host.count(answer);
    host.away = 0;
    host.failed(outcome::CUT_OFF, ANSWERED_BACKOFF_MS, attempt.polite, attempt.now_ms);
    let mut decision = match answer.broke_off_alike {
        true => Decision::lost(outcome::CUT_OFF),
        false => retry_or(attempt, outcome::CUT_OFF),
    };
    // What a sitemap named before it broke off is worth having whatever comes.
    let is_sitemap = attempt.entry.purpose == Purpose::Sitemap;
    decision.effects.insert(0, if is_sitemap { Effect::Queue } else { Effect::KeepBeginning });
    let broken = format!("the body broke off after {} bytes", answer.body);
    decision.detail = decision.detail.or(Some(broken));
    decision
}

/// No answer.
fn failed(attempt: Attempt<'_>, failure: &Failure, host: &mut HostState) -> Decision {
    let detail = Some(failure.to_string());
    if let Some(verdict) = verdict_of(failure) {
        host.verdict = Some(verdict.into());
        return Decision::done(verdict, &[]).with(detail);
    }
    host.failed(failure.name(), u64::MAX, attempt.polite, attempt.now_ms);
    if failure.is_outage() {
        host.failures -= 1;
        return Decision::retry(After::Keep).with(detail);
    }
    if !failure.retry() {
        return Decision::lost(failure.name()).with(detail);
    }
    if failure.is_before_request() {
        host.away = host.away.saturating_add(1);
        if attempt.polite.is_hopeless(host) {
            return leave_alone(host, outcome::HOST_UNREACHABLE, detail.as_deref());
        }
        if !is_well_otherwise(attempt.entry, host) {
            // The server has not seen the URL: the attempt was the host's. Another port or scheme of it may answer.
            return Decision::retry(After::Last).with(detail);
        }
    }
    let decision = retry_or(attempt, failure.name());
    Decision { detail: decision.detail.or(detail), ..decision }
}

/// What follows where robots.txt cannot be had: nothing of the host may be asked for until it can (RFC 9309, 2.3.1.4).
#[derive(Debug, PartialEq)]
pub(super) struct NoRules {
    /// Of the robots.txt; its detail is what the failure says.
    pub decision: Decision,
    /// What the event tells as the reason.
    pub reason: Option<&'static str>,
    /// The end of the attempt of the URL itself, where the failure is that of its port or scheme.
    pub of_url: Option<Decision>,
}

/// What a robots.txt leads to that cannot be had: it failed, or (`None`) its answer is no rules. `elsewhere`: another host has it.
pub(super) fn without_rules(
    attempt: Attempt<'_>,
    failure: Option<&Failure>,
    elsewhere: bool,
    host: &mut HostState,
) -> NoRules {
    if elsewhere {
        host.away = host.away.saturating_add(1);
        host.failed(outcome::ROBOTS_UNREACHABLE, u64::MAX, attempt.polite, attempt.now_ms);
    }
    let detail = failure.map(Failure::to_string);
    let name = failure.map_or(outcome::ROBOTS_UNREACHABLE, Failure::name);
    let waits = |after, reason| NoRules {
        decision: Decision { outcome: name, detail: detail.clone(), effects: Vec::new(), after },
        reason: Some(reason),
        of_url: None,
    };
    if let Some(verdict) = failure.filter(|_| !elsewhere).and_then(verdict_of) {
        host.verdict = Some(verdict.to_owned());
        host.next_ms = 0;
        return waits(After::Keep, verdict);
    }
    if failure.is_some_and(Failure::is_outage) {
        host.failures = host.failures.saturating_sub(1);
        host.away = host.away.saturating_sub(1);
        return waits(After::Keep, NOT_YET);
    }
    if attempt.polite.is_hopeless(host) {
        let verdict = match failure {
            Some(_) => outcome::HOST_UNREACHABLE,
            None => outcome::ROBOTS_UNREACHABLE,
        };
        let decision = leave_alone(host, verdict, detail.as_deref());
        return NoRules { decision, reason: Some(verdict), of_url: None };
    }
    if let Some(failure) = failure.filter(|failure| !elsewhere && failure.is_before_request())
        && is_well_otherwise(attempt.entry, host)
    {
        let own = retry_or(attempt, failure.name());
        let own = Decision { detail: own.detail.or(Some(format!("its robots.txt: {failure}"))), ..own };
        return NoRules { of_url: Some(own), reason: None, ..waits(After::Keep, NOT_YET) };
    }
    // Other ports and schemes of the host have rules of their own, and may answer.
    waits(After::Last, NOT_YET)
}

/// Another attempt at the end of the host's queue, or the end of the URL.
fn retry_or(attempt: Attempt<'_>, final_outcome: &'static str) -> Decision {
    if is_usual_place(attempt.entry) {
        return Decision::lost(outcome::GONE).with("there is no sitemap at the usual place".to_owned());
    }
    if attempt.entry.retries >= attempt.max_retries {
        return Decision::lost(final_outcome);
    }
    Decision::retry(After::Retry)
}

/// A host is left alone until the crawl is opened again. What it has queued stays, the URL at hand too.
fn leave_alone(host: &mut HostState, verdict: &'static str, last: Option<&str>) -> Decision {
    host.verdict = Some(verdict.to_owned());
    host.next_ms = NEVER_MS;
    let last = last.map_or_else(String::new, |last| format!(", the last: {last}"));
    let failures = host.failures;
    Decision {
        outcome: verdict,
        detail: Some(format!(
            "{failures} failures in a row{last}; its URLs wait until the crawl is opened again"
        )),
        effects: Vec::new(),
        after: After::Keep,
    }
}

/// The outcome of all URLs of a host for which a request fails like this.
fn verdict_of(failure: &Failure) -> Option<&'static str> {
    match failure {
        Failure::NoSuchHost => Some(outcome::NO_SUCH_HOST),
        Failure::PrivateAddress(_) => Some(outcome::PRIVATE_ADDRESS),
        Failure::AddressOutOfScope(_) => Some(outcome::OUT_OF_SCOPE),
        _ => None,
    }
}

/// Whether it is a sitemap that nobody named: nothing is missing without it.
fn is_usual_place(entry: &Entry) -> bool {
    entry.purpose == Purpose::Sitemap && entry.referrer.is_none()
}

/// Whether a connection that failed is the fault of a port or scheme of the host: others answered just before, or did when this URL failed
/// before.
fn is_well_otherwise(entry: &Entry, host: &HostState) -> bool {
    host.fetched > 0 && (host.away <= 1 || entry.retries > 0)
}

impl HostState {
    /// Counts an answer.
    fn count(&mut self, answer: &AnswerFacts) {
        self.fetched += 1;
        self.bytes += answer.bytes;
        self.response_ms = answer.elapsed_ms;
    }

    /// What every answer teaches about its host. After a good one it is in no trouble, and may be asked a little more often if it had
    /// refused before.
    fn answered(&mut self, answer: &AnswerFacts, polite: &Politeness) {
        self.count(answer);
        if !matches!(answer.status, 429 | 500..=599) {
            self.away = 0;
        }
        if answer.is_good() {
            let mut pace = std::mem::take(&mut self.pace);
            pace.good(polite.pause(self));
            self.pace = pace;
            (self.failures, self.errors) = (0, 0);
            self.trouble = None;
        }
    }

    /// The outcome of all its URLs by the limits of today, which may be wider than those that it was left for.
    pub(super) fn verdict_today(&self, full: bool, allow_private: bool) -> Option<&str> {
        let holds = |verdict: &&str| match *verdict {
            outcome::HOST_LIMIT => full,
            outcome::PRIVATE_ADDRESS => !allow_private,
            _ => true,
        };
        self.verdict.as_deref().filter(holds).or(full.then_some(outcome::HOST_LIMIT))
    }

    /// What an answer for a robots.txt, or none, does to its host.
    pub(super) fn asked_for_robots(
        &mut self,
        came: Result<&AnswerFacts, &Failure>,
        polite: &Politeness,
        now_ms: i64,
    ) {
        let away = self.away;
        let reason = match came {
            Err(failure) => failure.name(),
            Ok(answer) => {
                self.answered(answer, polite);
                match answer.status {
                    429 | 503 => return self.refused(answer, polite, now_ms),
                    _ if answer.is_good() => return self.rest(polite, now_ms),
                    _ => outcome::ROBOTS_UNREACHABLE,
                }
            }
        };
        self.away = away.saturating_add(1);
        self.failed(reason, u64::MAX, polite, now_ms);
    }

    /// It rests as politeness says.
    pub(super) fn rest(&mut self, polite: &Politeness, now_ms: i64) {
        self.pause_at_least(polite.pause(self), now_ms);
    }

    /// A failure more: it is left alone for longer, up to `longest_ms`.
    fn failed(&mut self, reason: &str, longest_ms: u64, polite: &Politeness, now_ms: i64) {
        self.in_trouble(reason, now_ms);
        self.pause_at_least(polite.backoff(self).min(longest_ms), now_ms);
    }

    /// It refused: it is asked less often, and not before the time that it asks for.
    fn refused(&mut self, answer: &AnswerFacts, polite: &Politeness, now_ms: i64) {
        let interval = polite.pause(self).max(u64::from(self.response_ms));
        self.pace.refused(interval);
        self.away = self.away.saturating_add(1);
        self.in_trouble(if answer.status == 429 { "429" } else { outcome::SERVER_ERROR }, now_ms);
        self.pause_at_least(polite.refused(self).max(answer.asked_ms.unwrap_or(0)), now_ms);
    }

    fn in_trouble(&mut self, reason: &str, now_ms: i64) {
        self.failures = self.failures.saturating_add(1);
        if self.trouble.is_none() {
            self.trouble_since_ms = now_ms;
        }
        self.trouble = Some(reason.to_owned());
    }

    fn pause_at_least(&mut self, pause_ms: u64, now_ms: i64) {
        let pause_ms = i64::try_from(pause_ms).unwrap_or(i64::MAX);
        self.next_ms = self.next_ms.max(now_ms.saturating_add(pause_ms));
    }
}
