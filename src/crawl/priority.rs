//! How urgent a URL is, in best-first order.
//!
//! **Definition.**
//!
//! > priority = a1 · domain weight + a2 · popularity + a3 · priority of the parent + a4 · directory depth
//! > + a5 · in-degree of the parent + a6 · mirror degree + a7 · PageRank
//!
//! | term | scale | range |
//! |---|---|---|
//! | domain weight | weight of the longest configured suffix of the host, 0 where there is none | as configured, −100 to 100 |
//! | popularity | in-links found so far; the frontier adds it, since it grows while the URL waits | 0 to as many as there are |
//! | priority of the parent | without its own popularity; a seed has none | bounded, since a3 < 1 |
//! | directory depth | non-empty path segments: `/` 0, `/cs` and `/cs/` 1, `/cs/a.html` 2; at most 32 | 0 to 32 |
//! | in-degree of the parent | [`log_scale`] of its in-links in an earlier crawl | 0 to 1 |
//! | mirror degree | [`log_scale`] of the copies of the page on other registered domains in an earlier crawl | 0 to 1 |
//! | PageRank | [`log_scale`] of the page's PageRank in an earlier crawl, the mean of all pages being 1 | 0 to 1 |
//!
//! Greater is sooner. The last three are 0 without an earlier crawl's reports ([`Earlier`]).
//!
//! **Cost.** One look-up a label of the host. **Determinism.** A function of its arguments.
//!
//! **Reference.** Cho, Garcia-Molina, Page, doi:10.1016/S0169-7552(98)00108-1 (ordering by popularity).

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::scope::{normal_suffix, suffixes};
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;
use webmill_capture::{CanonicalUrl, UrlKey};

/// Directory levels that count.
const MAX_DEPTH: u32 = 32;

/// In-links from which on more make no difference.
const MANY: f64 = 1e6;

settings! {
    /// What a crawl makes of the formula.
    #[derive(PartialEq)]
    pub struct PriorityOptions {
        /// a1 to a7 of the formula: of the domain weight, of each in-link, of the priority of the parent (0 to 0.99), of the directory
        /// depth (−1000 to 0), and of an earlier crawl's in-degree of the parent, mirror degree and PageRank; −1000 to 1000 where nothing else is said.
        pub coefficients: Coefficients = Default::default();
        /// Weights by domain suffix (`edu.cn`), the longest counts, −100 to 100; default none.
        pub domain_weights: BTreeMap<String, f64> = BTreeMap::new();
    }
}

/// The coefficients by name; recipes have them in the order of the formula.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 7]", into = "[f64; 7]")]
pub struct Coefficients {
    /// a1.
    pub domain: f64,
    /// a2.
    pub popularity: f64,
    /// a3, below 1, so that priorities are bounded along any chain.
    pub parent: f64,
    /// a4.
    pub depth: f64,
    /// a5.
    pub parent_in_degree: f64,
    /// a6.
    pub mirror_degree: f64,
    /// a7.
    pub page_rank: f64,
}

impl Default for Coefficients {
    fn default() -> Self {
        [1.0, 0.01, 0.25, -0.05, 0.5, 0.25, 0.5].into()
    }
}

impl From<[f64; 7]> for Coefficients {
    fn from(
        [domain, popularity, parent, depth, parent_in_degree, mirror_degree, page_rank]: [f64; 7],
    ) -> Self {
        Coefficients { domain, popularity, parent, depth, parent_in_degree, mirror_degree, page_rank }
    }
}

impl From<Coefficients> for [f64; 7] {
    fn from(a: Coefficients) -> Self {
        [a.domain, a.popularity, a.parent, a.depth, a.parent_in_degree, a.mirror_degree, a.page_rank]
    }
}

impl PriorityOptions {
    /// Whether all numbers are in their ranges.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and its range.
    pub fn check(&self) -> Result<()> {
        let a = <[f64; 7]>::from(self.coefficients);
        let ranges = [(0.0, 1e3), (0.0, 1e3), (0.0, 0.99), (-1e3, 0.0), (0.0, 1e3), (-1e3, 1e3), (0.0, 1e3)];
        for (place, (value, (low, high))) in std::iter::zip(a, ranges).enumerate() {
            if !(low..=high).contains(&value) {
                let place = place + 1;
                return Err(Error::Config(format!("priority: a{place} is {value}, must be {low} to {high}")));
            }
        }
        for (suffix, weight) in &self.domain_weights {
            normal_suffix(suffix)?;
            if !(-100.0..=100.0).contains(weight) {
                return Err(Error::Config(format!(
                    "priority: domain_weights: {suffix} is {weight}, must be -100 to 100"
                )));
            }
        }
        Ok(())
    }
}

/// What the tables of an earlier run say of pages.
#[derive(Default)]
pub struct Earlier {
    /// What is known by page.
    pub pages: HashMap<UrlKey, EarlierPage>,
    /// Nodes of the graph: the mean PageRank is one divided by it.
    pub nodes: f64,
}

/// What is known of a page.
#[derive(Debug, Default, Clone, Copy)]
pub struct EarlierPage {
    /// Links to the page from other pages.
    pub links: u32,
    /// Pages on other registered domains with the same content, exactly or nearly.
    pub mirrors: u32,
    /// PageRank; all add up to 1.
    pub page_rank: f32,
}

/// The formula with its coefficients, ready for use.
pub struct Priority {
    options: PriorityOptions,
    weights: BTreeMap<String, f64>,
    earlier: Option<Earlier>,
}

impl Priority {
    /// Prepares the formula.
    ///
    /// # Errors
    /// Those of [`PriorityOptions::check`].
    pub fn new(options: &PriorityOptions, earlier: Option<Earlier>) -> Result<Priority> {
        options.check()?;
        let weights = options
            .domain_weights
            .iter()
            .map(|(suffix, weight)| Ok((normal_suffix(suffix)?, *weight)))
            .collect::<Result<_>>()?;
        Ok(Priority { options: options.clone(), weights, earlier })
    }

    /// Priority without popularity of a page, found on `parent` with the priority given; a seed has no parent.
    pub fn of(&self, url: &CanonicalUrl, parent: Option<(&CanonicalUrl, f64)>) -> f64 {
        let o = &self.options.coefficients;
        let mut sum = o.domain * self.domain_weight(url.host()) + o.depth * f64::from(directory_depth(url));
        if let Some((_, priority)) = parent {
            sum += o.parent * priority;
        }
        if let Some(earlier) = &self.earlier {
            let known = |url: &CanonicalUrl| earlier.pages.get(&url.key()).copied().unwrap_or_default();
            if let Some((page, _)) = parent {
                sum += o.parent_in_degree * log_scale(known(page).links.into());
            }
            let page = known(url);
            sum += o.mirror_degree * log_scale(page.mirrors.into());
            sum += o.page_rank * log_scale(f64::from(page.page_rank) * earlier.nodes);
        }
        sum
    }

    /// Weight of the longest configured suffix of the host.
    pub fn domain_weight(&self, host: &str) -> f64 {
        if self.weights.is_empty() {
            return 0.0;
        }
        suffixes(host).find_map(|suffix| self.weights.get(suffix)).copied().unwrap_or(0.0)
    }
}

/// A count on a scale from 0 to 1: log(1 + n) / log(1 + 10⁶), the first link worth 0.05, the millionth 1.
pub fn log_scale(count: f64) -> f64 {
    // A NaN counts nothing: `max` takes the other.
    (count.max(0.0).ln_1p() / MANY.ln_1p()).min(1.0)
}

/// Directory depth: the non-empty segments of the path, at most 32.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_crawl::priority::directory_depth;
/// let depth = |url| directory_depth(&CanonicalUrl::parse(url).unwrap());
/// assert_eq!(depth("http://www.pku.edu.cn/"), 0);
/// assert_eq!(depth("http://www.pku.edu.cn/cs"), 1);
/// ```
pub fn directory_depth(url: &CanonicalUrl) -> u32 {
    let segments = url.path().split('/').filter(|segment| !segment.is_empty()).take(MAX_DEPTH as usize);
    segments.count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect("a URL")
    }

    #[test]
    fn depths() {
        for (text, depth) in [
            ("http://a", 0),
            ("http://a/?a/b/c", 0),
            ("http://a/cs", 1),
            ("http://a/cs/", 1),
            ("http://a/cs//x", 2),
            ("http://a/cs/x/index.html?q=1", 3),
            (&format!("http://a{}", "/x".repeat(100)), 32),
        ] {
            assert_eq!(directory_depth(&url(text)), depth, "{text}");
        }
    }

    #[test]
    fn the_formula() {
        let options = PriorityOptions {
            coefficients: [2.0, 4.0, 0.5, -0.25, 8.0, 16.0, 32.0].into(),
            domain_weights: [("cn", 1.0), (".EDU.cn", 3.0)].map(|(s, w)| (s.to_owned(), w)).into(),
        };
        let plain = Priority::new(&options, None).unwrap();
        assert_eq!(plain.of(&url("http://b.edu.cn/x"), None), 6.0 - 0.25);
        assert_eq!(plain.of(&url("http://b.edu.cn/x"), Some((&url("http://a/"), 10.0))), 6.0 - 0.25 + 5.0);
        assert_eq!(plain.domain_weight("xedu.cn"), 1.0);
        assert_eq!(plain.domain_weight("edu.cn"), 3.0);
        assert_eq!(plain.domain_weight("example.com"), 0.0);
        let parent = EarlierPage { links: 1_000_000, ..EarlierPage::default() };
        let page = EarlierPage { mirrors: u32::MAX, page_rank: 0.5, ..EarlierPage::default() };
        let pages =
            [("http://a/", parent), ("http://b.edu.cn/x", page)].map(|(at, page)| (url(at).key(), page));
        let earlier = Earlier { pages: pages.into(), nodes: 2e6 };
        let informed = Priority::new(&options, Some(earlier)).unwrap();
        let priority = informed.of(&url("http://b.edu.cn/x"), Some((&url("http://a/"), 10.0)));
        assert!((priority - (6.0 - 0.25 + 5.0 + 8.0 + 16.0 + 32.0)).abs() < 1e-9, "{priority}");
    }

    #[test]
    fn parents_stay_bounded_along_any_chain() {
        let options = PriorityOptions {
            coefficients: Coefficients { parent: 0.99, ..Coefficients::default() },
            domain_weights: [("a".into(), 100.0)].into(),
        };
        let formula = Priority::new(&options, None).unwrap();
        let page = url("http://a/");
        let last = (0..100_000).fold(0.0, |priority, _| formula.of(&page, Some((&page, priority))));
        assert!(last <= 10_000.1, "{last}");
    }

    #[test]
    fn scale_and_ranges() {
        assert_eq!((log_scale(0.0), log_scale(-1.0), log_scale(f64::NAN)), (0.0, 0.0, 0.0));
        assert!((log_scale(1.0) - 0.05).abs() < 0.001 && log_scale(1e6) == 1.0 && log_scale(1e300) == 1.0);
        assert!(PriorityOptions::default().check().is_ok());
        let with = |a: [f64; 7]| PriorityOptions { coefficients: a.into(), ..Default::default() };
        for bad in [
            with([1.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0]),
            with([1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
            with([f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            PriorityOptions { domain_weights: [("a b".into(), 1.0)].into(), ..Default::default() },
            PriorityOptions { domain_weights: [("cn".into(), f64::NAN)].into(), ..Default::default() },
        ] {
            assert!(matches!(bad.check(), Err(Error::Config(_))), "{bad:?}");
        }
    }
}
