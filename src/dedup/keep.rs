//! Which page of a cluster is kept: policies, each a total order over pages.
//!
//! **Definition.** The first page of a cluster in the order of the policy represents it and is kept. What decides first:
//!
//! | policy | first |
//! |---|---|
//! | [`Earliest`](KeepPolicy::Earliest) | the earliest fetch |
//! | [`Longest`](KeepPolicy::Longest) | the longest text |
//! | [`Rank`](KeepPolicy::Rank) | the highest rank; pages without one come last |
//! | [`Canonical`](KeepPolicy::Canonical) | pages that name themselves as canonical or that others name, those that most name before the others; then pages that nothing is said of; last those that name another URL |
//!
//! Pages that agree there are told apart by the earliest fetch (an unknown time is the latest), the shortest URL, and the
//! URL by its bytes.
//!
//! **Determinism.** The order is a function of the set of pages, one of each URL.

use serde::{Deserialize, Serialize};

/// What decides which page of a cluster is kept.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeepPolicy {
    /// The earliest fetch.
    #[default]
    Earliest,
    /// The longest text.
    Longest,
    /// The best rank.
    Rank,
    /// The URL that pages name as canonical.
    Canonical,
}

impl KeepPolicy {
    /// All policies.
    pub const ALL: [KeepPolicy; 4] =
        [KeepPolicy::Earliest, KeepPolicy::Longest, KeepPolicy::Rank, KeepPolicy::Canonical];

    /// The word in settings and tables.
    pub fn name(self) -> &'static str {
        match self {
            KeepPolicy::Earliest => "earliest",
            KeepPolicy::Longest => "longest",
            KeepPolicy::Rank => "rank",
            KeepPolicy::Canonical => "canonical",
        }
    }

    /// The policy of that name.
    pub fn of_name(name: &str) -> Option<KeepPolicy> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// By what pages sort in the order of the policy.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{KeepPolicy, KeptPage};
    /// let key = |policy: KeepPolicy, url, words| {
    ///     policy.key(&KeptPage { url, text_length: words, ..KeptPage::default() })
    /// };
    /// assert!(key(KeepPolicy::Earliest, "http://a.org/", 10) < key(KeepPolicy::Earliest, "http://a.org/long", 20));
    /// assert!(key(KeepPolicy::Longest, "http://a.org/", 10) > key(KeepPolicy::Longest, "http://a.org/long", 20));
    /// ```
    pub fn key<'a>(self, page: &KeptPage<'a>) -> KeepKey<'a> {
        let (class, number) = match self {
            KeepPolicy::Earliest => (0, 0),
            KeepPolicy::Longest => (0, !page.text_length),
            KeepPolicy::Rank => (0, descending(page.known_rank())),
            KeepPolicy::Canonical => (page.canonical_class(), !u64::from(page.named_by)),
        };
        let (unknown, time) = (u8::from(page.fetched_ms.is_none()), page.fetched_ms.unwrap_or(0));
        (class, number, unknown, time, page.url.len() as u64, page.url)
    }
}

/// By what pages sort: class and number of the policy, whether the time is unknown, time, length of the URL, URL.
pub type KeepKey<'a> = (u8, u64, u8, i64, u64, &'a str);

/// A number that grows as `rank`, which is not NaN, falls.
fn descending(rank: f64) -> u64 {
    let bits = rank.to_bits();
    // Positive numbers are ordered as their bits are, negative ones the other way round.
    if bits >> 63 == 0 { !(bits | 1 << 63) } else { bits }
}

/// What the policies know of a page.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct KeptPage<'a> {
    /// Canonical form of its URL.
    pub url: &'a str,
    /// Time of the fetch, ms since 1970.
    pub fetched_ms: Option<i64>,
    /// Length of its text, in whatever unit all pages have it (words, characters).
    pub text_length: u64,
    /// Its rank, more is better; NaN counts as none.
    pub rank: Option<f64>,
    /// The URL that it names as canonical, in canonical form.
    pub canonical: Option<&'a str>,
    /// How many other pages name its URL as canonical.
    pub named_by: u32,
}

impl KeptPage<'_> {
    fn known_rank(&self) -> f64 {
        // Adding 0 makes −0 a 0: they are one rank.
        self.rank.filter(|rank| !rank.is_nan()).map_or(f64::NEG_INFINITY, |rank| rank + 0.0)
    }

    fn canonical_class(&self) -> u8 {
        match self.canonical {
            Some(named) if named != self.url => 2,
            None if self.named_by == 0 => 1,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for policy in KeepPolicy::ALL {
            assert_eq!(KeepPolicy::of_name(policy.name()), Some(policy));
            assert_eq!(serde_json::to_string(&policy).unwrap(), format!("\"{}\"", policy.name()));
        }
        assert_eq!(KeepPolicy::of_name("newest"), None);
    }

    #[test]
    fn each_policy_keeps_what_it_says() {
        let page = |url, fetched_ms, text_length, rank, canonical, named_by| KeptPage {
            url,
            fetched_ms,
            text_length,
            rank,
            canonical,
            named_by,
        };
        let pages = [
            page("http://a/", Some(3), 10, Some(0.5), None, 0),
            page("http://a/x", Some(1), 5, None, Some("http://a/"), 7),
            page("http://a/y", None, 30, Some(f64::NAN), Some("http://a/y"), 0),
            page("http://a/z", Some(2), 30, Some(0.9), None, 2),
            page("http://b/x", Some(1), 5, Some(-0.0), Some("http://a/"), 7),
            page("http://b/yy", Some(-1), 5, Some(-2.5), Some("http://a/"), 7),
            page("http://b/zz", Some(-1), 5, Some(0.0), Some("http://a/"), 7),
        ];
        for (policy, expected) in [
            (KeepPolicy::Earliest, [5, 6, 1, 4, 3, 0, 2]),
            (KeepPolicy::Longest, [3, 2, 0, 5, 6, 1, 4]),
            // No rank is the least, and −0 is 0.
            (KeepPolicy::Rank, [3, 0, 6, 4, 5, 1, 2]),
            // Named by two; naming itself; nothing said; naming another, however often it is named.
            (KeepPolicy::Canonical, [3, 2, 0, 5, 6, 1, 4]),
        ] {
            let mut order: Vec<usize> = (0..pages.len()).collect();
            order.sort_by_key(|page| policy.key(&pages[*page]));
            assert_eq!(order, expected, "{policy:?}");
        }
    }
}
