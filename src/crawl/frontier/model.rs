//! The frontier as a list that is searched from end to end: what the real one must agree with.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::{After, FrontierOptions, NEVER_MS, Strategy};
use crate::task::{Discovered, Entry};

/// What orders an entry: what the strategy compares, then the order of adding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderKey(f64, u64);

impl OrderKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

#[derive(Debug, Clone)]
pub struct Item {
    pub entry: Entry,
    pub order: OrderKey,
    pub leased: bool,
}

#[derive(Debug, PartialEq)]
pub enum ExpectedNext {
    Fetch(Entry),
    Wait(i64),
    Busy,
    Empty,
}

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub options: FrontierOptions,
    pub seen: BTreeSet<String>,
    pub items: Vec<Item>,
    pub next_ms: BTreeMap<String, i64>,
    pub checkpoint: Vec<u8>,
    sequence: u64,
    page: u64,
    ended: bool,
    referrer: Option<String>,
}

impl Model {
    pub fn new(options: FrontierOptions) -> Model {
        Model { options, ended: true, ..Model::default() }
    }

    pub fn add(&mut self, found: &Discovered) -> bool {
        let text = found.url.as_str().to_owned();
        let linked = found.referrer.is_some();
        if !self.seen.insert(text) {
            if linked && self.options.strategy == Strategy::Best {
                let gain = self.options.popularity;
                let item = self.items.iter_mut().find(|item| item.entry.url == found.url && !item.leased);
                item.into_iter().for_each(|item| item.order.0 -= gain);
            }
            return false;
        }
        self.sequence += 1;
        let first = match self.options.strategy {
            Strategy::Breadth => f64::from(found.depth),
            Strategy::Best => -(found.priority + if linked { self.options.popularity } else { 0.0 }),
            Strategy::Focused => -found.priority,
            Strategy::Depth => {
                let referrer = found.referrer.as_deref().map(str::to_owned);
                if self.ended || referrer != self.referrer {
                    self.page += 1;
                }
                self.ended = false;
                self.referrer = referrer;
                -(self.page as f64)
            }
        };
        let entry = Entry {
            depth: found.depth,
            redirects: found.redirects,
            lineage: found.lineage,
            origin: found.origin.clone(),
            referrer: found.referrer.as_deref().map(str::to_owned),
            priority: found.priority,
            ..Entry::new(found.url.clone(), found.purpose)
        };
        self.items.push(Item { entry, order: OrderKey(first, self.sequence), leased: false });
        true
    }

    pub fn add_again(&mut self, found: &Discovered) {
        self.seen.remove(found.url.as_str());
        // No link to a page that waits: its gain counts for those alone.
        self.add(found);
    }

    /// Hosts that were left alone, with a queue or without, and are due now.
    pub fn revive(&mut self, now_ms: i64) -> usize {
        let hosts: Vec<String> = self.next_ms.keys().cloned().collect();
        let mut revived = 0;
        for host in hosts {
            if self.due(&host) >= NEVER_MS && !self.is_lent(&host) {
                self.next_ms.insert(host, now_ms);
                revived += 1;
            }
        }
        revived
    }

    pub fn mark_seen(&mut self, url: &webmill_capture::CanonicalUrl) {
        self.seen.insert(url.as_str().to_owned());
        self.items.retain(|item| item.entry.url != *url || item.leased);
    }

    pub fn is_lent(&self, host: &str) -> bool {
        self.items.iter().any(|item| item.leased && item.entry.url.host() == host)
    }

    pub fn due(&self, host: &str) -> i64 {
        self.next_ms.get(host).copied().unwrap_or(0)
    }

    pub fn next(&mut self, now_ms: i64) -> ExpectedNext {
        let leased: BTreeSet<String> = self
            .items
            .iter()
            .filter(|item| item.leased)
            .map(|item| item.entry.url.host().to_owned())
            .collect();
        if self.options.strict && !leased.is_empty() {
            return ExpectedNext::Busy;
        }
        let strict = self.options.strict;
        let free = |item: &&Item| !leased.contains(item.entry.url.host());
        let due = |item: &&Item| {
            let at = self.due(item.entry.url.host());
            at <= now_ms || strict && at < NEVER_MS
        };
        let first = self.items.iter().filter(free).filter(due).min_by(|a, b| a.order.cmp(&b.order));
        if let Some(first) = first {
            let at = self.due(first.entry.url.host());
            if at > now_ms {
                return ExpectedNext::Wait(at);
            }
            let entry = first.entry.clone();
            self.items
                .iter_mut()
                .filter(|item| item.entry.url == entry.url)
                .for_each(|item| item.leased = true);
            return ExpectedNext::Fetch(entry);
        }
        match self.items.iter().filter(free).map(|item| self.due(item.entry.url.host())).min() {
            Some(at) if at < NEVER_MS => ExpectedNext::Wait(at),
            _ if leased.is_empty() => ExpectedNext::Empty,
            _ => ExpectedNext::Busy,
        }
    }

    pub fn release(&mut self, entry: &Entry, after: After, next_ms: i64) {
        let host = entry.url.host();
        self.next_ms.insert(host.to_owned(), next_ms);
        let at = self.items.iter().position(|item| item.entry.url == entry.url).unwrap();
        match after {
            After::Done => _ = self.items.remove(at),
            After::Keep => self.items[at].leased = false,
            After::Retry | After::Postpone | After::Last => {
                let queue = self.items.iter().filter(|item| item.entry.url.host() == host);
                let last = queue.map(|item| item.order.0).max_by(f64::total_cmp).unwrap();
                self.sequence += 1;
                let item = &mut self.items[at];
                item.order = OrderKey(last, self.sequence);
                item.leased = false;
                match after {
                    After::Postpone => item.entry.postponed += 1,
                    After::Last => {}
                    _ => item.entry.retries += 1,
                }
            }
        }
        self.ended = true;
    }

    /// What a process that opens the frontier finds.
    pub fn crash(&mut self) {
        self.items.iter_mut().for_each(|item| item.leased = false);
    }

    pub fn end_page(&mut self) {
        self.ended = true;
    }
}
