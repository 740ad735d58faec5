//! A simulated Web that changes: when each page does is planted, and the time is what the test sets.
//!
//! **What.** With [`SimConfig::changes`](super::SimConfig::changes) each page is static, has a clock, or changes by a Poisson process of its own
//! rate; some vanish. A host's validators (`ETag`, `Last-Modified`) are honest, missing, or lie. The time of the Web is
//! [`SimWeb::set_time`], which all clones share, so that a year passes in a moment. Requests with conditions get 304 where what they name is
//! what would be sent. The truth: [`SimWeb::changing`], [`SimWeb::change_times`], [`SimWeb::version`].
//!
//! **Definition.** A change replaces a text of its own at the top of the main text; a clock changes a date in the footer with every minute.
//! Pages that share a body (mirrors, copies) change together. Home pages do not vanish; what vanished answers 404.
//!
//! **Determinism.** A function of configuration, URL and time; rates and times go through `exp` and `ln`, whose last bits may differ between
//! platforms.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::draw::{below, unit};
use super::layout::{Content, purpose};
use super::prose::Shape;
use super::sim::SimWeb;
use super::sim_answer::Answer;
use super::vocabulary::to_gbk;
use super::{Asking, Kind};
use webmill_capture::date::{format_14, format_rfc822, parse_rfc822};
use webmill_capture::error::{Error, Result};

const DAY_MS: f64 = 86_400_000.0;
/// Most changes of a page that are looked at: a page that had more does not change any more.
const MOST: u64 = 1 << 20;

/// How pages change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangeConfig {
    /// When the Web begins to change, ms since 1970; its time until it is set. Default 2024-01-01.
    pub start_ms: i64,
    /// Median of the mean times between two changes of a page, days. Default 50.
    pub life_days: f64,
    /// Standard deviation of their logarithms. Default 1.
    pub spread: f64,
    /// Share of pages that never change. Default 0.1.
    pub fixed: f64,
    /// Share of pages of which only a date changes, every minute. Default 0.1.
    pub clocks: f64,
    /// Share of pages that vanish within a year. Default 0.05.
    pub vanishing: f64,
    /// Share of hosts that send no validators. Default 0.3.
    pub without: f64,
    /// Share of hosts whose validators lie, by turns: one `ETag` for all time; another with every answer, and `Last-Modified` is now; a
    /// `Last-Modified` in the future. Default 0.1.
    pub lying: f64,
}

impl Default for ChangeConfig {
    fn default() -> Self {
        ChangeConfig {
            start_ms: 1_704_067_200_000,
            life_days: 50.0,
            spread: 1.0,
            fixed: 0.1,
            clocks: 0.1,
            vanishing: 0.05,
            without: 0.3,
            lying: 0.1,
        }
    }
}

impl ChangeConfig {
    /// Checks the ranges.
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |what: &str| Err(Error::Config(format!("a simulated Web: changes.{what}")));
        let shares = [self.fixed, self.clocks, self.vanishing, self.without, self.lying];
        if shares.iter().any(|share| !(0.0..=1.0).contains(share))
            || self.fixed + self.clocks > 1.0
            || self.without + self.lying > 1.0
        {
            return refuse("shares must lie in 0 to 1, fixed and clocks, without and lying together too");
        }
        if !(1e-3..=1e6).contains(&self.life_days) || !(0.0..=5.0).contains(&self.spread) {
            return refuse("life_days must lie in 0.001 to 1,000,000, spread in 0 to 5");
        }
        Ok(())
    }
}

/// How a host's validators behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Validators {
    /// They change with the page, and with it alone.
    Honest,
    /// There are none.
    Missing,
    /// One `ETag` for all time: every conditional request is answered 304.
    Constant,
    /// Another `ETag` with every answer, and `Last-Modified` is now.
    Restless,
    /// No `ETag`, and `Last-Modified` is a year ahead.
    Ahead,
}

/// How a page changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Changing {
    /// Never.
    Fixed,
    /// A date changes every minute, nothing else.
    Clock,
    /// By a Poisson process.
    Rate {
        /// Changes a day.
        per_day: f64,
    },
}

/// The time of a Web and its requests, shared by its clones.
#[derive(Debug, Clone)]
pub(super) struct Clock(Arc<(AtomicI64, AtomicU64)>);

impl Clock {
    pub(super) fn at(ms: i64) -> Clock {
        Clock(Arc::new((AtomicI64::new(ms), AtomicU64::new(0))))
    }
}

/// A page at a time, as its head and body show it.
pub(super) struct Revision {
    now_ms: i64,
    version: u64,
    changed_ms: i64,
    clock: bool,
    validators: Validators,
}

impl SimWeb {
    /// Sets the time of the Web, ms since 1970, for all its clones: those that a server has too.
    pub fn set_time(&self, ms: i64) {
        self.clock.0.0.store(ms, Ordering::Relaxed);
    }

    /// The time of the Web, ms since 1970.
    pub fn time(&self) -> i64 {
        self.clock.0.0.load(Ordering::Relaxed)
    }

    /// How a page changes; `Fixed` where nothing does.
    pub fn changing(&self, page: u64) -> Changing {
        let Some(config) = &self.config.changes else { return Changing::Fixed };
        let body = self.web.content(page).body;
        match self.draw(body, purpose::CHANGES) {
            at if at < config.fixed => Changing::Fixed,
            at if at < config.fixed + config.clocks => Changing::Clock,
            _ => {
                // Box and Muller.
                let radius = (-2.0 * (1.0 - self.draw(body, purpose::CHANGES + (1 << 32))).ln()).sqrt();
                let angle = std::f64::consts::TAU * self.draw(body, purpose::CHANGES + (2 << 32));
                let life = config.life_days * (config.spread * radius * angle.cos()).exp();
                Changing::Rate { per_day: 1.0 / life }
            }
        }
    }

    /// When a page vanishes, ms; `None`: it stays.
    pub fn vanishes_ms(&self, page: u64) -> Option<i64> {
        let config = self.config.changes.as_ref()?;
        let body = self.web.content(page).body;
        let draw = self.draw(body, purpose::CHANGES + (3 << 32));
        let after = self.draw(body, purpose::CHANGES + (4 << 32)) * 365.0 * DAY_MS;
        (draw < config.vanishing && !self.is_home(body) && !self.is_home(page))
            .then(|| config.start_ms.saturating_add(after as i64))
    }

    /// When a page that changes by a Poisson process changed, ms since 1970, up to the time of the Web, in order.
    pub fn change_times(&self, page: u64) -> Vec<i64> {
        let mut times = Vec::new();
        self.each_change(page, self.time(), |ms| times.push(ms));
        times
    }

    /// How often a page has changed by the time of the Web.
    pub fn version(&self, page: u64) -> u64 {
        let mut version = 0;
        self.each_change(page, self.time(), |_| version += 1);
        version
    }

    /// How the validators of a host behave.
    pub fn validators(&self, host: &str) -> Option<Validators> {
        self.host_number(host).map(|host| self.host_validators(host))
    }

    /// Number of an answer, for validators that are never the same.
    pub(super) fn next_request(&self) -> u64 {
        self.clock.0.1.fetch_add(1, Ordering::Relaxed)
    }

    fn host_validators(&self, host: u64) -> Validators {
        let Some(config) = &self.config.changes else { return Validators::Missing };
        let lies = [Validators::Constant, Validators::Restless, Validators::Ahead];
        match self.draw(host, purpose::CHANGES + (5 << 32)) {
            at if at < config.without => Validators::Missing,
            at if at < config.without + config.lying => {
                lies[below(self.web.hash(host, purpose::CHANGES + (6 << 32)), 3) as usize]
            }
            _ => Validators::Honest,
        }
    }

    fn each_change(&self, page: u64, until_ms: i64, mut visit: impl FnMut(i64)) {
        let (Some(config), Changing::Rate { per_day }) = (&self.config.changes, self.changing(page)) else {
            return;
        };
        let body = self.web.content(page).body;
        let mut at = config.start_ms as f64;
        for change in 0..MOST {
            let draw = unit(self.web.hash(body ^ (change + 1) << 40, purpose::CHANGES + (7 << 32)));
            at += -(1.0 - draw).ln() / per_day * DAY_MS;
            if at as i64 > until_ms {
                return;
            }
            visit(at as i64);
        }
    }

    /// A page at the time of the Web; `Err`: it has vanished. `Ok(None)`: nothing ever changes.
    pub(super) fn revision(&self, host: u64, page: u64) -> Result<Option<Revision>, ()> {
        let Some(config) = &self.config.changes else { return Ok(None) };
        let now_ms = self.time();
        if self.vanishes_ms(page).is_some_and(|gone| gone <= now_ms) {
            return Err(());
        }
        let (mut version, mut changed_ms) = (0, config.start_ms);
        self.each_change(page, now_ms, |ms| {
            version += 1;
            changed_ms = ms;
        });
        let clock = self.changing(page) == Changing::Clock;
        Ok(Some(Revision { now_ms, version, changed_ms, clock, validators: self.host_validators(host) }))
    }

    /// The body of a page as it is now.
    pub(super) fn revise(&self, host: u64, page: u64, revision: &Revision, html: &[u8]) -> Vec<u8> {
        let site = self.web.site(host);
        let mut text = String::new();
        if revision.version > 0 {
            let draw = self.web.hash(page ^ revision.version << 40, purpose::CHANGES + (8 << 32));
            let content = Content { body: page, text: draw, edits: 0, kind: Kind::Original, mirror_of: None };
            let shape = Shape { language: site.language, links: 0, closed: true };
            self.web.push_text(&content, shape, |_, _| {}, &mut text, None);
        }
        let mut encoded = Vec::new();
        if site.gbk {
            to_gbk(&text, &mut encoded)
        } else {
            encoded = text.into_bytes()
        }
        let top = memchr::memmem::find(html, b"</h1>\n").map_or(html.len(), |at| at + 6);
        let mut body = [&html[..top], &encoded, &html[top..]].concat();
        if revision.clock {
            let stamp = format!("<div class=\"clock\">{}</div>\n", &format_14(revision.now_ms)[..12]);
            let end = memchr::memmem::rfind(&body, b"<div class=\"footer\">").unwrap_or(body.len());
            body.splice(end..end, stamp.into_bytes());
        }
        body
    }

    /// Answers 304 where a condition of the request is met by the answer's own validators.
    pub(super) fn condition(asking: &Asking<'_>, out: &mut Answer) {
        if out.status != 200 || (asking.if_none_match.is_none() && asking.if_modified_since.is_none()) {
            return;
        }
        let head = String::from_utf8_lossy(&out.message[..out.head_len]).into_owned();
        let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let (etag, modified) = (value("ETag:"), value("Last-Modified:"));
        let met = match (asking.if_none_match, etag) {
            // RFC 9110, 13.2.2: the date counts only where there is no tag.
            (Some(tags), etag) => etag.is_some_and(|etag| tags.split(',').any(|tag| tag.trim() == etag)),
            (None, _) => {
                let date = |text: Option<&str>| text.and_then(parse_rfc822);
                date(modified).zip(date(asking.if_modified_since)).is_some_and(|(is, known)| is <= known)
            }
        };
        if met {
            let kept = |line: &&str| {
                ["Date:", "Server:", "ETag:", "Last-Modified:"].iter().any(|name| line.starts_with(name))
            };
            let lines: String = head.lines().filter(kept).map(|line| format!("{line}\r\n")).collect();
            let delay_ms = out.delay_ms;
            *out = Answer { status: 304, delay_ms, ..Answer::default() };
            out.begin(format!("HTTP/1.1 304 Not Modified\r\n{lines}").as_bytes(), "");
        }
    }
}

impl Revision {
    /// The head of a page up to what is about the body, with the date of now and the validators.
    pub(super) fn head(&self, head: &[u8], requests: u64) -> Vec<u8> {
        let text = String::from_utf8_lossy(head);
        let mut lines = String::with_capacity(text.len() + 128);
        for line in text.split_inclusive("\r\n") {
            if line.starts_with("Date: ") {
                lines.push_str(&format!("Date: {}\r\n", format_rfc822(self.now_ms)));
            } else {
                lines.push_str(line);
            }
        }
        let validators = match self.validators {
            Validators::Missing => String::new(),
            Validators::Honest if self.clock => format!("ETag: \"c{}\"\r\n", self.now_ms / 60_000),
            Validators::Honest => {
                format!(
                    "ETag: \"v{}\"\r\nLast-Modified: {}\r\n",
                    self.version,
                    format_rfc822(self.changed_ms)
                )
            }
            Validators::Constant => "ETag: \"always\"\r\n".to_owned(),
            Validators::Restless => {
                format!("ETag: \"r{requests}\"\r\nLast-Modified: {}\r\n", format_rfc822(self.now_ms))
            }
            Validators::Ahead => {
                let ahead = self.now_ms.saturating_add(365 * DAY_MS as i64);
                format!("Last-Modified: {}\r\n", format_rfc822(ahead))
            }
        };
        (lines + &validators).into_bytes()
    }
}

#[cfg(test)]
#[path = "sim_changes_tests.rs"]
mod tests;
