//! Classes of pages, by number.

use serde::{Deserialize, Serialize};

/// The classes of each page: one, or with several labels a page any number. Compressed as rows are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Labels {
    ends: Vec<usize>,
    classes: Vec<u32>,
}

impl Labels {
    /// One class a page.
    pub fn single(classes: impl IntoIterator<Item = u32>) -> Self {
        let mut labels = Labels::default();
        classes.into_iter().for_each(|class| labels.push([class]));
        labels
    }

    /// Adds the classes of a page.
    pub fn push(&mut self, classes: impl IntoIterator<Item = u32>) {
        let from = self.classes.len();
        self.classes.extend(classes);
        self.classes[from..].sort_unstable();
        self.ends.push(self.classes.len());
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The classes of a page, ascending.
    pub fn of(&self, page: usize) -> &[u32] {
        let from = if page == 0 { 0 } else { self.ends[page - 1] };
        &self.classes[from..self.ends[page]]
    }

    /// The first class of a page; [`u32::MAX`] where it has none.
    pub fn first(&self, page: usize) -> u32 {
        self.of(page).first().copied().unwrap_or(u32::MAX)
    }

    /// Classes of every page, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|page| self.of(page))
    }

    /// The labels of these pages, in their order.
    pub fn select(&self, pages: &[usize]) -> Labels {
        let mut labels = Labels::default();
        pages.iter().for_each(|&page| labels.push(self.of(page).iter().copied()));
        labels
    }

    /// Pages of each of `classes` classes.
    pub fn counts(&self, classes: usize) -> Vec<u64> {
        let mut counts = vec![0; classes];
        self.classes.iter().for_each(|&class| counts[class as usize] += 1);
        counts
    }

    /// Whether the parts fit each other and no class is beyond `classes`: data from a file need not.
    pub fn is_whole(&self, classes: usize) -> bool {
        self.ends.is_sorted()
            && self.ends.last().copied().unwrap_or(0) == self.classes.len()
            && self.classes.iter().all(|class| (*class as usize) < classes)
    }
}
