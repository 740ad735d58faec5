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
//! Pages that agree there are told apart as [`total_order`](crate::total_order) does it: earliest fetch (an unknown time is
//! the latest), shortest URL, URL by its bytes, and at last [`KeptPage::place`], so that captures of one URL at one time
//! are told apart too.
//!
//! **Cost.** One parallel sort; 4 bytes a page beside what the pages' accessor needs.
//!
//! **Determinism.** The order is a function of the set of pages, as long as no two of them agree in time, URL *and*
//! place; such two are the same capture twice, and keep the order in which they are given.

use std::cmp::{Ordering, Reverse};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

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

    /// Which of two pages comes first.
    ///
    /// # Examples
    /// ```
    /// use std::cmp::Ordering;
    /// use webmill_dedup::{KeepPolicy, KeptPage};
    /// let page = |url, words| KeptPage { url, text_length: words, ..KeptPage::default() };
    /// let (short, long) = (page("http://a.org/", 10), page("http://a.org/long", 20));
    /// assert_eq!(KeepPolicy::Earliest.compare(&short, &long), Ordering::Less);
    /// assert_eq!(KeepPolicy::Longest.compare(&short, &long), Ordering::Greater);
    /// ```
    pub fn compare(self, a: &KeptPage<'_>, b: &KeptPage<'_>) -> Ordering {
        let first = match self {
            KeepPolicy::Earliest => Ordering::Equal,
            KeepPolicy::Longest => b.text_length.cmp(&a.text_length),
            KeepPolicy::Rank => b.known_rank().total_cmp(&a.known_rank()),
            KeepPolicy::Canonical => a.canonical_class().cmp(&b.canonical_class()),
        };
        first.then_with(|| a.common_key().cmp(&b.common_key()))
    }

    /// Appends to `key` bytes that sort as [`compare`](Self::compare) does, for sorts that hold no pages. They end with
    /// the URL; pages of one URL need their places behind it.
    pub fn sort_key(self, page: &KeptPage<'_>, key: &mut Vec<u8>) {
        match self {
            KeepPolicy::Earliest => {}
            KeepPolicy::Longest => key.extend_from_slice(&(!page.text_length).to_be_bytes()),
            KeepPolicy::Rank => key.extend_from_slice(&descending(page.known_rank()).to_be_bytes()),
            KeepPolicy::Canonical => {
                let (class, Reverse(named_by)) = page.canonical_class();
                key.push(class);
                key.extend_from_slice(&(!named_by).to_be_bytes());
            }
        }
        key.push(u8::from(page.fetched_ms.is_none()));
        key.extend_from_slice(&((page.fetched_ms.unwrap_or(0) as u64) ^ 1 << 63).to_be_bytes());
        key.extend_from_slice(&(page.url.len() as u64).to_be_bytes());
        key.extend_from_slice(page.url.as_bytes());
    }

    /// The numbers of pages in the order of the policy: `result[i]` is the page (as given) at position `i`.
    pub fn order<'a>(self, pages: usize, page: impl Fn(usize) -> KeptPage<'a> + Sync) -> Vec<u32> {
        let mut order: Vec<u32> = (0..pages as u32).collect();
        order.par_sort_unstable_by(|&i, &j| {
            self.compare(&page(i as usize), &page(j as usize)).then(i.cmp(&j))
        });
        order
    }
}

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
    /// How many other pages name its URL as canonical; see [`canonical_names`].
    pub named_by: u32,
    /// Where the capture lies (shard, offset), or any other number that two captures do not share.
    pub place: (&'a str, u64),
}

impl<'a> KeptPage<'a> {
    fn known_rank(&self) -> f64 {
        // Adding 0 makes −0 a 0: they are one rank.
        self.rank.filter(|rank| !rank.is_nan()).map_or(f64::NEG_INFINITY, |rank| rank + 0.0)
    }

    fn canonical_class(&self) -> (u8, Reverse<u32>) {
        let class = match self.canonical {
            Some(named) if named != self.url => 2,
            None if self.named_by == 0 => 1,
            _ => 0,
        };
        (class, Reverse(self.named_by))
    }

    #[allow(clippy::type_complexity)]
    fn common_key(&self) -> (bool, Option<i64>, usize, &'a str, (&'a str, u64)) {
        (self.fetched_ms.is_none(), self.fetched_ms, self.url.len(), self.url, self.place)
    }
}

/// For each page how many others name its URL as canonical. `page` gives URL and named URL, both in canonical form.
///
/// 8 bytes a page that names another; URLs are compared by their 64-bit hashes.
///
/// # Examples
/// ```
/// let pages = [("http://a/", None), ("http://a/?print", Some("http://a/")), ("http://b/", Some("http://b/"))];
/// assert_eq!(webmill_dedup::canonical_names(3, |page| pages[page]), [1, 0, 0]);
/// ```
pub fn canonical_names<'a>(
    pages: usize,
    page: impl Fn(usize) -> (&'a str, Option<&'a str>) + Sync,
) -> Vec<u32> {
    let names_another = |i: usize| {
        let (url, named) = page(i);
        named.filter(|&named| named != url).map(|named| xxh3_64(named.as_bytes()))
    };
    let mut named: Vec<u64> = (0..pages).into_par_iter().filter_map(names_another).collect();
    named.par_sort_unstable();
    let count = |i: usize| {
        let hash = xxh3_64(page(i).0.as_bytes());
        let from = named.partition_point(|&other| other < hash);
        named[from..].partition_point(|&other| other == hash) as u32
    };
    (0..pages).into_par_iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            place: ("", 0),
        };
        let pages = [
            page("http://a/", Some(3), 10, Some(0.5), None, 0),
            page("http://a/x", Some(1), 5, None, Some("http://a/"), 7),
            page("http://a/y", None, 30, Some(f64::NAN), Some("http://a/y"), 0),
            page("http://a/z", Some(2), 30, Some(0.9), None, 2),
        ];
        let order = |policy: KeepPolicy| policy.order(4, |i| pages[i]);
        assert_eq!(order(KeepPolicy::Earliest), [1, 3, 0, 2]);
        assert_eq!(order(KeepPolicy::Longest), [3, 2, 0, 1]);
        assert_eq!(order(KeepPolicy::Rank), [3, 0, 1, 2]);
        // Named by two; naming itself; nothing said; naming another, however often it is named.
        assert_eq!(order(KeepPolicy::Canonical), [3, 2, 0, 1]);
    }

    #[test]
    fn earliest_is_the_order_of_clusters() {
        let pages = [
            (Some(20), "http://a.org/"),
            (None, "http://b.org/"),
            (Some(10), "http://c.org/l"),
            (Some(10), "http://d.org/"),
        ];
        let kept = |i: usize| KeptPage { fetched_ms: pages[i].0, url: pages[i].1, ..KeptPage::default() };
        assert_eq!(KeepPolicy::Earliest.order(4, kept), crate::total_order(4, |i| pages[i]));
    }

    #[derive(Clone, Debug)]
    struct Owned {
        url: String,
        fetched: Option<i64>,
        length: u64,
        rank: Option<f64>,
        canonical: Option<String>,
        named: u32,
        offset: u64,
    }

    impl Owned {
        fn lent(&self) -> KeptPage<'_> {
            KeptPage {
                url: &self.url,
                fetched_ms: self.fetched,
                text_length: self.length,
                rank: self.rank,
                canonical: self.canonical.as_deref(),
                named_by: self.named,
                place: ("shard", self.offset),
            }
        }
    }

    prop_compose! {
        fn page()(
            url in "[ab]{0,2}", fetched in prop::option::of(0i64..3), length in 0u64..3,
            rank in prop::option::of(prop_oneof![
                Just(0.0), Just(-0.0), Just(1.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)
            ]),
            canonical in prop::option::of("[ab]{0,2}"), named in 0u32..3, offset in 0u64..3,
        ) -> Owned {
            Owned { url, fetched, length, rank, canonical, named, offset }
        }
    }

    proptest! {
        #[test]
        fn orders_are_total(a in page(), b in page(), c in page()) {
            let (a, b, c) = (a.lent(), b.lent(), c.lent());
            for policy in KeepPolicy::ALL {
                prop_assert_eq!(policy.compare(&a, &b), policy.compare(&b, &a).reverse());
                let apart = (a.url, a.fetched_ms, a.place) != (b.url, b.fetched_ms, b.place);
                prop_assert!(!apart || policy.compare(&a, &b).is_ne());
                let (ab, bc) = (policy.compare(&a, &b), policy.compare(&b, &c));
                if ab == bc || bc.is_eq() {
                    prop_assert_eq!(policy.compare(&a, &c), ab);
                }
            }
        }

        #[test]
        fn keys_sort_as_pages_compare(a in page(), b in page()) {
            let (mut a, mut b) = (a.lent(), b.lent());
            (a.place, b.place) = (("", 0), ("", 0));
            for policy in KeepPolicy::ALL {
                let key = |page: &KeptPage<'_>| {
                    let mut key = Vec::new();
                    policy.sort_key(page, &mut key);
                    key
                };
                prop_assert_eq!(key(&a).cmp(&key(&b)), policy.compare(&a, &b), "{:?}", policy);
            }
        }

        #[test]
        fn orders_do_not_depend_on_the_order_of_input(
            pages in prop::collection::vec(page(), 0..40), shuffled in any::<u64>(),
        ) {
            let mut pages = pages;
            // No capture twice.
            pages.iter_mut().enumerate().for_each(|(i, page)| page.offset = i as u64);
            let mut others: Vec<Owned> = pages.clone();
            others.sort_by_key(|page| xxh3_64(&(page.offset ^ shuffled).to_le_bytes()));
            for policy in KeepPolicy::ALL {
                let order = |pages: &[Owned]| -> Vec<u64> {
                    let order = policy.order(pages.len(), |i| pages[i].lent());
                    order.into_iter().map(|i| pages[i as usize].offset).collect()
                };
                prop_assert_eq!(order(&pages), order(&others));
            }
        }

        #[test]
        fn names_are_counted(pages in prop::collection::vec(("[abc]", prop::option::of("[abc]")), 0..30)) {
            let counts = canonical_names(pages.len(), |i| (&pages[i].0, pages[i].1.as_deref()));
            for (i, (url, _)) in pages.iter().enumerate() {
                let by = pages.iter().filter(|(other, named)| other != url && named.as_ref() == Some(url));
                prop_assert_eq!(counts[i] as usize, by.count());
            }
        }
    }
}
