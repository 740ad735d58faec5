//! The pages of a host that its template is learnt from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::MAX_PAGES;
use super::footprint::Footprint;

/// Footprints of a host's pages, of at most [`MAX_PAGES`] of them.
///
/// # Examples
///
/// ```
/// # use webmill_text::{Footprint, Sample};
/// let (mut a, mut b) = (Sample::default(), Sample::default());
/// a.add(1, Footprint::default());
/// b.add(2, Footprint::default());
/// a.merge(b);
/// assert_eq!(a.len(), 2);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Sample {
    pub(super) pages: BTreeMap<u64, Footprint>,
}

impl Sample {
    /// Whether a page would be kept: what need not be parsed shows before its footprint is made.
    pub fn wants(&self, key: u64) -> bool {
        self.pages.len() < MAX_PAGES || self.pages.last_key_value().is_some_and(|(&last, _)| key <= last)
    }

    /// Adds a page. Its key is a hash of its URL; of two pages with one key the one with more main text stays.
    pub fn add(&mut self, key: u64, page: Footprint) {
        if !self.wants(key) {
            return;
        }
        let kept = self.pages.entry(key).or_default();
        if page.rank() > kept.rank() {
            *kept = page;
        }
        if self.pages.len() > MAX_PAGES {
            self.pages.pop_last();
        }
    }

    /// Adds the pages of another sample of the same host.
    pub fn merge(&mut self, other: Sample) {
        for (key, page) in other.pages {
            self.add(key, page);
        }
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}
