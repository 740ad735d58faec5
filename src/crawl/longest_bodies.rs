//! The longest of several answers that were cut in transfer.
//!
//! **What.** A body that broke off is asked for again. What was received meanwhile is kept here, so that the longest answer
//! is stored if none comes whole. An answer is offered under the key of its URL; a longer one takes the place of a shorter
//! one.
//!
//! **Bound.** `budget` bytes for all that is kept, [`ENTRY_COST`] an answer included. Where it is reached the largest
//! answers go first: that loses the fewest URLs. Any loss is handed back to the caller and counted; its URL then has
//! only what later attempts bring.
//!
//! **Cost.** A few operations of an ordered table. **Determinism.** A function of the offers in their order.
//!
//! It lives as long as the process: after a crash the attempts begin again.

use std::collections::{BTreeSet, HashMap};

/// What an answer costs besides its bytes and its key.
pub const ENTRY_COST: usize = 256;

/// Answers that were cut, the longest of each URL.
#[derive(Debug)]
pub struct LongestBodies<T> {
    budget: usize,
    bytes: usize,
    dropped: u64,
    kept: HashMap<String, KeptBody<T>>,
    /// Cost and key of all, the dearest last.
    by_cost: BTreeSet<(usize, String)>,
}

#[derive(Debug)]
struct KeptBody<T> {
    length: u64,
    cost: usize,
    answer: T,
}

impl<T> LongestBodies<T> {
    /// An empty table of at most `budget` bytes.
    pub fn new(budget: usize) -> LongestBodies<T> {
        LongestBodies { budget, bytes: 0, dropped: 0, kept: HashMap::new(), by_cost: BTreeSet::new() }
    }

    /// Keeps `answer`, whose body has `length` bytes and which takes `size` bytes of memory, unless one as long is kept for
    /// `url`. Gives the keys and answers that had to go for want of room, perhaps this one.
    #[must_use = "what is not kept is lost"]
    pub fn offer(&mut self, url: &str, length: u64, size: usize, answer: T) -> Vec<(String, T)> {
        if self.kept.get(url).is_some_and(|kept| kept.length >= length) {
            return Vec::new();
        }
        self.take(url);
        // The key is held twice.
        let cost = size.saturating_add(2 * url.len()).saturating_add(ENTRY_COST);
        self.bytes = self.bytes.saturating_add(cost);
        self.by_cost.insert((cost, url.to_owned()));
        self.kept.insert(url.to_owned(), KeptBody { length, cost, answer });
        let mut lost = Vec::new();
        while self.bytes > self.budget {
            let Some((_, dearest)) = self.by_cost.last().cloned() else { break };
            lost.extend(self.take(&dearest).map(|answer| (dearest, answer)));
        }
        self.dropped += lost.len() as u64;
        lost
    }

    /// Keeps the last answer of a URL whatever its size, unless one as long is kept: to be taken out at once.
    pub fn offer_last(&mut self, url: &str, length: u64, answer: T) {
        if self.kept.get(url).is_some_and(|kept| kept.length >= length) {
            return;
        }
        self.take(url);
        // It costs nothing here: it is handed through.
        self.by_cost.insert((0, url.to_owned()));
        self.kept.insert(url.to_owned(), KeptBody { length, cost: 0, answer });
    }

    /// Length of the body kept for a URL.
    pub fn length(&self, url: &str) -> Option<u64> {
        self.kept.get(url).map(|kept| kept.length)
    }

    /// Takes the answer kept for a URL out: to be stored, or because a whole one came.
    pub fn take(&mut self, url: &str) -> Option<T> {
        let (url, kept) = self.kept.remove_entry(url)?;
        self.bytes -= kept.cost;
        self.by_cost.remove(&(kept.cost, url));
        Some(kept.answer)
    }

    /// Takes all out, in the order of their keys: what a crawl that ends stores.
    pub fn drain(&mut self) -> Vec<(String, T)> {
        let mut all: Vec<(String, T)> = self.kept.drain().map(|(url, kept)| (url, kept.answer)).collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.by_cost.clear();
        self.bytes = 0;
        all
    }

    /// URLs that have an answer here.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Bytes of all that is kept.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Answers that went for want of room.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_longest_of_a_url_is_kept() {
        let mut bodies = LongestBodies::new(1 << 20);
        for (length, answer) in [(10, "a"), (30, "b"), (20, "c"), (30, "d")] {
            assert_eq!(bodies.offer("http://a/", length, 100, answer), []);
        }
        assert_eq!((bodies.length("http://a/"), bodies.len()), (Some(30), 1));
        assert_eq!(bodies.take("http://a/"), Some("b"));
        assert_eq!((bodies.take("http://a/"), bodies.bytes(), bodies.dropped()), (None, 0, 0));
    }

    #[test]
    fn the_largest_goes_first() {
        let mut bodies = LongestBodies::new(5_000);
        assert_eq!(bodies.offer("s1", 1, 1_000, 1), []);
        assert_eq!(bodies.offer("s2", 1, 1_000, 2), []);
        assert_eq!(bodies.offer("big", 9, 2_500, 3), [("big".to_owned(), 3)]);
        assert_eq!(bodies.offer("huge", 9, usize::MAX, 4), [("huge".to_owned(), 4)]);
        assert_eq!(bodies.offer("s3", 1, 900, 5), []);
        assert_eq!(bodies.dropped(), 2);
        assert_eq!(bodies.drain(), [("s1".to_owned(), 1), ("s2".to_owned(), 2), ("s3".to_owned(), 5)]);
        assert!(bodies.is_empty() && bodies.bytes() == 0);
    }

    #[test]
    fn the_last_answer_of_a_url_is_kept_however_large_and_drives_out_no_other() {
        let mut bodies = LongestBodies::new(2_000);
        assert_eq!(bodies.offer("s", 5, 1_000, 1), []);
        bodies.offer_last("huge", 9, 2);
        bodies.offer_last("s", 4, 3);
        assert_eq!((bodies.take("huge"), bodies.take("s"), bodies.dropped()), (Some(2), Some(1), 0));
        assert!(bodies.is_empty() && bodies.bytes() == 0);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_silently_and_the_bound_holds(
            offers in prop::collection::vec((0u8..12, 0u64..50, 0usize..4_000, any::<bool>()), 0..200)
        ) {
            let mut bodies = LongestBodies::new(8_000);
            let mut longest: HashMap<String, u64> = HashMap::new();
            let mut dropped = 0;
            for (url, length, size, take) in offers {
                let url = format!("u{url}");
                if take {
                    prop_assert_eq!(bodies.take(&url), longest.remove(&url));
                } else {
                    let known = longest.get(&url).copied();
                    if known.is_none_or(|known| known < length) {
                        longest.insert(url.clone(), length);
                    }
                    for (lost, answer) in bodies.offer(&url, length, size, length) {
                        prop_assert_eq!(longest.remove(&lost), Some(answer));
                        dropped += 1;
                    }
                }
                prop_assert!(bodies.bytes() <= 8_000);
                prop_assert_eq!(bodies.dropped(), dropped);
                prop_assert_eq!(bodies.len(), longest.len());
            }
            let mut left: Vec<(String, u64)> = longest.into_iter().collect();
            left.sort();
            prop_assert_eq!(bodies.drain(), left);
        }
    }
}
