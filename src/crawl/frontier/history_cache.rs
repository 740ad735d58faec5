//! Which pages have a history, and the histories met lately: so that a first visit reads none and a further one reads it once.
//!
//! **What.** A visit asks for the history of its page when it is sent for, when it is judged and when it is written. A Bloom
//! filter answers for pages without one; a table of one place a key holds those that were read, until they are written.
//!
//! **Limits.** The filter is of use only where it saw all histories being written: a frontier that is opened with histories
//! does without, and one whose filter would outgrow its budget gives it up. Then the table and the store answer.

use std::cell::RefCell;

use super::seen::Bloom;
use crate::revisit::PageHistory;

/// Bytes of a history in memory, about.
const HISTORY_BYTES: usize = 512;

/// A history and the key of its URL.
type Place = Option<Box<(u128, PageHistory)>>;

/// Known facts about histories without reading them.
pub(super) struct HistoryCache {
    /// `None`: some were written before.
    written: Option<Bloom>,
    /// By the key of the URL.
    read: RefCell<Vec<Place>>,
}

impl HistoryCache {
    /// For a frontier with `pages` histories; `bloom_bytes` and `bytes` are for the filter and the table.
    pub fn new(pages: u64, bloom_bytes: usize, bytes: usize) -> HistoryCache {
        let places = (bytes / HISTORY_BYTES).clamp(16, 4096);
        HistoryCache {
            written: (pages == 0).then(|| Bloom::new(0, bloom_bytes)),
            read: RefCell::new(vec![None; 1 << places.ilog2()]),
        }
    }

    /// Whether the page has no history for sure.
    pub fn is_new(&self, key: u128) -> bool {
        self.written.as_ref().is_some_and(|written| !written.contains(key))
    }

    /// What `of` says of the history that was read under this key.
    pub fn get<T>(&self, key: u128, of: impl FnOnce(&PageHistory) -> T) -> Option<T> {
        let read = self.read.borrow();
        let (other, history) = read[key as usize & (read.len() - 1)].as_deref()?;
        (*other == key).then(|| of(history))
    }

    /// A history was read.
    pub fn note_read(&self, key: u128, history: &PageHistory) {
        let mut read = self.read.borrow_mut();
        let at = key as usize & (read.len() - 1);
        read[at] = Some(Box::new((key, history.clone())));
    }

    /// A history is written: what was read of it holds no more.
    pub fn note_written(&mut self, key: u128, new: bool) {
        if new && let Some(written) = &mut self.written {
            written.insert(key);
        }
        let read = self.read.get_mut();
        let at = key as usize & (read.len() - 1);
        read[at].take_if(|place| place.0 == key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_not_answered_from_before() {
        let mut cache = HistoryCache::new(0, 1 << 20, 1 << 20);
        let history = PageHistory::new("http://a.example/", 7);
        assert!(cache.is_new(5) && cache.get(5, |_| ()).is_none());
        cache.note_written(5, true);
        assert!(!cache.is_new(5));
        cache.note_read(5, &history);
        assert_eq!(cache.get(5, Clone::clone), Some(history.clone()));
        cache.note_written(5, false);
        assert!(cache.get(5, |_| ()).is_none() && !cache.is_new(5));
        cache.note_read(5, &history);
        cache.note_read(5 + (1 << 60), &history);
        assert!(cache.get(5, |_| ()).is_none(), "one place for both");
    }

    #[test]
    fn a_frontier_with_histories_asks_the_store() {
        assert!(!HistoryCache::new(1, 1 << 20, 1 << 20).is_new(5));
        assert!(!HistoryCache::new(0, 0, 0).is_new(5), "no room for a filter");
    }
}
