//! The robots.txt rules at hand: newest in memory, all of them in the frontier's store.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::Crawl;
use crate::politeness::ROBOTS_MS;
use crate::robots::Robots;
use webmill_capture::error::Result;

/// Rule sets in memory; when there are more, the older half is read again from disk if need be.
const IN_MEMORY: usize = 16_384;
/// Likewise by bytes, as they are stored; in memory they are a few times as many.
const BYTES: usize = 32 << 20;

/// Rules by origin.
#[derive(Default)]
pub(super) struct RuleCache {
    /// Bytes of those in `newer`, as they are stored.
    bytes: usize,
    newer: HashMap<String, (i64, Arc<Robots>)>,
    older: HashMap<String, (i64, Arc<Robots>)>,
}

impl RuleCache {
    fn get(&mut self, origin: &str) -> Option<(i64, Arc<Robots>)> {
        if let Some(found) = self.newer.get(origin) {
            return Some(found.clone());
        }
        let found = self.older.remove(origin)?;
        let bytes = found.1.to_bytes().len();
        self.put(origin.to_owned(), found.clone(), bytes);
        Some(found)
    }

    fn put(&mut self, origin: String, rules: (i64, Arc<Robots>), bytes: usize) {
        if self.newer.len() >= IN_MEMORY / 2 || self.bytes > BYTES / 2 {
            self.older = std::mem::take(&mut self.newer);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.newer.insert(origin, rules);
    }
}

impl Crawl {
    /// The rules of `origin`, where they are known and not too old.
    pub(super) fn rules_of(&mut self, origin: &str, now_ms: i64) -> Result<Option<Arc<Robots>>> {
        let found = match self.rules.get(origin) {
            Some(found) => Some(found),
            None => {
                let stored = self.frontier.robots(origin)?.unwrap_or_default();
                let found = stored_rules(&stored);
                if let Some(found) = &found {
                    self.rules.put(origin.to_owned(), found.clone(), stored.len());
                }
                found
            }
        };
        Ok(found.filter(|(expires_ms, _)| *expires_ms > now_ms).map(|(_, rules)| rules))
    }

    /// Remembers the rules of `origin` for as long as they count.
    pub(super) fn set_rules(&mut self, origin: &str, rules: &Robots, now_ms: i64) -> Result<Arc<Robots>> {
        let expires_ms = now_ms.saturating_add(ROBOTS_MS as i64);
        let mut bytes = expires_ms.to_be_bytes().to_vec();
        bytes.extend(rules.to_bytes());
        self.frontier.set_robots(origin, &bytes)?;
        let rules = Arc::new(rules.clone());
        self.rules.put(origin.to_owned(), (expires_ms, rules.clone()), bytes.len());
        Ok(rules)
    }
}

/// Eight bytes of expiry (ms since 1970, big-endian), then the rules.
pub(crate) fn stored_rules(bytes: &[u8]) -> Option<(i64, Arc<Robots>)> {
    let (expires, rules) = bytes.split_first_chunk::<8>()?;
    Some((i64::from_be_bytes(*expires), Arc::new(Robots::from_bytes(rules)?)))
}
