//! The rules of the hosts that rendered pages ask.
//!
//! The rules of a page's own origin are known when it is fetched; those of others are fetched here, by RFC 9309 as the crawl does, and
//! kept in memory. Where they cannot be had, their host is not asked for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Render;
use super::exchange::RecordedAnswer;
use crate::politeness::ROBOTS_MS;
use crate::robots::{MAX_BYTES, MAX_REDIRECTS, Robots, origin};
use webmill_capture::{CanonicalUrl, Response, decode_content};

/// Origins at which all are forgotten.
const MAX_ORIGINS: usize = 4_096;
/// How long a host whose rules cannot be had is not asked.
const UNREACHABLE: Duration = Duration::from_secs(300);

/// Until when the rules count; none: they cannot be had.
type CachedRules = (Instant, Option<Arc<Robots>>);

pub(super) struct RulesByOrigin {
    agent: String,
    keep: Duration,
    known: Mutex<HashMap<String, CachedRules>>,
}

impl RulesByOrigin {
    pub(super) fn new(agent: &str) -> RulesByOrigin {
        RulesByOrigin {
            agent: agent.to_owned(),
            keep: Duration::from_millis(ROBOTS_MS),
            known: Mutex::default(),
        }
    }

    /// Notes rules that are known from elsewhere.
    pub(super) fn set(&self, url: &CanonicalUrl, rules: Arc<Robots>) {
        self.note(origin(url), Some(rules));
    }

    fn note(&self, origin: String, rules: Option<Arc<Robots>>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_ORIGINS {
            known.clear();
        }
        let keep = if rules.is_some() { self.keep } else { UNREACHABLE };
        known.insert(origin, (Instant::now() + keep, rules));
    }

    fn get(&self, origin: &str) -> Option<Option<Arc<Robots>>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(origin).filter(|(until, _)| *until > Instant::now()).map(|(_, rules)| rules.clone())
    }

    /// The rules for a URL, fetched if need be; `None`: they cannot be had. What was fetched is handed to `note`.
    pub(super) async fn of(
        &self,
        url: &CanonicalUrl,
        render: &Render,
        note: &(dyn Fn(RecordedAnswer) + Sync),
    ) -> Option<Arc<Robots>> {
        let origin = origin(url);
        if let Some(known) = self.get(&origin) {
            return known;
        }
        let rules = self.fetch(&origin, render, note).await;
        self.note(origin, rules.clone());
        rules
    }

    async fn fetch(
        &self,
        origin: &str,
        render: &Render,
        note: &(dyn Fn(RecordedAnswer) + Sync),
    ) -> Option<Arc<Robots>> {
        let mut url = CanonicalUrl::parse(&format!("{origin}/robots.txt"))?;
        for _ in 0..=MAX_REDIRECTS {
            // Each hop in its own turn: who held one while waiting for another could wait for ever.
            let delay = render.delay(url.host());
            let turn = render.pace.turn(url.host(), delay).await?;
            if let Some(known) = self.get(origin) {
                return known;
            }
            let asked = render.ask(turn, &url, &[], MAX_BYTES as u64, delay).await.ok()?;
            let raw = asked.raw.clone();
            let (status, broke_off) = (asked.status, asked.broke_off);
            note(asked);
            let response = Response::parse(&raw);
            let location = response.header("location").filter(|_| matches!(status, 300..=399));
            let target =
                location.and_then(|l| url.join(&webmill_capture::url_text(l))).filter(CanonicalUrl::is_web);
            if let Some(target) = target {
                url = target;
                continue;
            }
            if broke_off {
                return None;
            }
            let payload = response.payload(MAX_BYTES);
            let body = decode_content(&response, &payload.bytes, MAX_BYTES);
            return Robots::from_status(status, &body.bytes, &self.agent).map(Arc::new);
        }
        // More redirects count as a file that is not there (RFC 9309, 2.3.1.2).
        Some(Arc::new(Robots::allow_all()))
    }
}
