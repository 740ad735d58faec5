//! What became of seeds, for whoever gave them: what went wrong with a seed is what its giver can mend.

use crate::Purpose;
use crate::engine::Crawl;
use crate::event::{Event, outcome};

/// Events that are kept; the rest is counted.
const MOST: usize = 100;

/// Events of this run about seeds, and about what they were redirected to, that are more than a page stored.
#[derive(Debug, Default)]
pub struct SeedNews {
    /// The first hundred, in the order of happening.
    pub events: Vec<Event>,
    /// How many more there were.
    pub more: u64,
}

impl SeedNews {
    /// Keeps an event that speaks of a seed.
    pub(super) fn note(&mut self, event: &Event) {
        let silent = [
            outcome::STORED,
            outcome::RETRY,
            outcome::REQUEUED,
            outcome::NOT_MODIFIED,
            outcome::UNCHANGED,
            outcome::IMPORTED,
        ];
        if event.depth > 0 || event.purpose != Purpose::Page || silent.contains(&&*event.outcome) {
            return;
        }
        if self.events.len() < MOST { self.events.push(event.clone()) } else { self.more += 1 }
    }
}

impl Crawl {
    /// What became of seeds in this run, where it is more than that they were stored.
    pub fn seed_news(&self) -> &SeedNews {
        &self.seed_news
    }
}
