//! An index as somebody may see it.

use std::ops::ControlFlow;

use crate::index::query::KeyOf;
use crate::index::{CaptureSource, Entry, KeyRange, Scan, Timestamp};
use webmill_capture::Result;

use crate::access::{Access, AccessRules, Client};
use crate::archive::Collection;
use crate::site::{CaptureFacts, Facts, HostLine, SearchAnswer};

/// Leaves out captures that are excluded, and marks the others with their access.
pub struct Guarded<'a> {
    source: &'a dyn CaptureSource,
    rules: &'a AccessRules,
    who: &'a Client,
    /// Leaves out those that are blocked, too.
    readable: bool,
}

impl<'a> Guarded<'a> {
    pub fn new(source: &'a dyn CaptureSource, rules: &'a AccessRules, who: &'a Client) -> Guarded<'a> {
        Guarded { source, rules, who, readable: false }
    }

    /// The captures whose content may be read: what other captures borrow theirs from.
    pub fn readable(&self) -> Guarded<'a> {
        Guarded { readable: true, ..*self }
    }

    fn watch<'v>(&'v self, visit: Scan<'v>) -> impl FnMut(&Entry<'_>) -> ControlFlow<()> + 'v {
        move |entry| {
            let access = self.rules.of(&entry.urlkey, entry.timestamp, self.who).access;
            if access == Access::Exclude || (self.readable && access == Access::Block) {
                return ControlFlow::Continue(());
            }
            let mut entry = entry.clone();
            entry.extra.push(("access".into(), format!("\"{}\"", access.name()).into()));
            visit(&entry)
        }
    }
}

impl CaptureSource for Guarded<'_> {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        if self.rules.is_open() {
            return self.source.scan(range, visit);
        }
        self.source.scan(range, &mut self.watch(visit))
    }

    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        if self.rules.is_open() {
            return self.source.scan_back(range, visit);
        }
        self.source.scan_back(range, &mut self.watch(visit))
    }
}

/// Facts about captures, as somebody may see them: nothing of the content of those that are excluded or blocked.
pub struct GuardedFacts<'a> {
    pub collection: &'a Collection,
    pub who: &'a Client,
    pub key: KeyOf,
}

impl GuardedFacts<'_> {
    fn hidden(&self, url: &str, timestamp: Timestamp) -> bool {
        let rules = &self.collection.access;
        let of = || rules.of(&(self.key)(url), timestamp, self.who).access;
        !rules.is_open() && matches!(of(), Access::Block | Access::Exclude)
    }
}

impl Facts for GuardedFacts<'_> {
    fn of(&self, url: &str, timestamp: Timestamp) -> Result<Option<CaptureFacts>> {
        if self.hidden(url, timestamp) { Ok(None) } else { self.collection.facts.of(url, timestamp) }
    }

    fn searchable(&self) -> bool {
        self.collection.facts.searchable()
    }

    fn search(&self, query: &str, limit: usize, offset: usize) -> Result<SearchAnswer> {
        let mut answer = self.collection.facts.search(query, limit, offset)?;
        let found = answer.hits.len();
        answer.hits.retain(|hit| !self.hidden(&hit.url, hit.timestamp.unwrap_or_default()));
        answer.total = answer.total.saturating_sub((found - answer.hits.len()) as u64);
        Ok(answer)
    }

    fn hosts(&self, limit: usize, offset: usize) -> Result<Option<(Vec<HostLine>, u64)>> {
        self.collection.facts.hosts(limit, offset)
    }
}
