//! Counts by name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How often each name was met.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted(BTreeMap<String, u64>);

impl Counted {
    /// One more of `name`.
    pub fn add(&mut self, name: &str) {
        self.add_many(name, 1);
    }

    /// One more of `name`, a foreign word: once there are `most` names, new ones are counted as `other`. The name that it was counted
    /// under.
    pub fn add_bounded<'n>(&mut self, name: &'n str, most: usize) -> &'n str {
        let known = self.0.contains_key(name) || self.0.len() < most;
        let name = if known { name } else { "other" };
        self.add(name);
        name
    }

    /// `n` more of `name`.
    pub fn add_many(&mut self, name: &str, n: u64) {
        match self.0.get_mut(name) {
            Some(count) => *count += n,
            None => {
                self.0.insert(name.to_owned(), n);
            }
        }
    }

    /// One less of `name`, if there is one.
    pub fn take(&mut self, name: &str) {
        if let Some(count) = self.0.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(name);
            }
        }
    }

    /// All of `other` too.
    pub fn merge(&mut self, other: &Counted) {
        other.iter().for_each(|(name, n)| self.add_many(name, n));
    }

    /// How often `name` was met.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// By name, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, n)| (name.as_str(), *n))
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Counted;

    #[test]
    fn adds_and_merges() {
        let mut a = Counted::default();
        a.add("x");
        a.add_many("y", 3);
        let mut b = a.clone();
        b.add("x");
        a.merge(&b);
        assert_eq!(a.iter().collect::<Vec<_>>(), [("x", 3), ("y", 6)]);
        a.take("x");
        (0..6).for_each(|_| a.take("y"));
        a.take("z");
        assert_eq!(a.iter().collect::<Vec<_>>(), [("x", 2)]);
        assert_eq!(a.get("z"), 0);
        ["x", "p", "q", "r", "q"].into_iter().for_each(|name| _ = a.add_bounded(name, 3));
        assert_eq!(a.iter().collect::<Vec<_>>(), [("other", 1), ("p", 1), ("q", 2), ("x", 3)]);
    }
}
