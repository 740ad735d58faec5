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

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::scope::{normal_suffix, suffixes};
use webmill_capture::error::{Error, Result};
use webmill_capture::{CanonicalUrl, UrlKey};

/// Directory levels that count.
const MAX_DEPTH: u32 = 32;

/// In-links from which on more make no difference.
const MANY: f64 = 1e6;

/// The coefficients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriorityOptions {
    /// a1, of the domain weight, 0 to 1000; default 1.
    pub domain: f64,
    /// a2, of each in-link, 0 to 1000; default 0.01.
    pub popularity: f64,
    /// a3, of the priority of the parent, 0 to 0.99; default 0.25.
    pub parent: f64,
    /// a4, of the directory depth, −1000 to 0; default −0.05.
    pub depth: f64,
    /// a5, of the parent's in-degree in an earlier crawl, 0 to 1000; default 0.5.
    pub parent_in_degree: f64,
    /// a6, of the mirror degree in an earlier crawl, −1000 to 1000; default 0.25.
    pub mirror_degree: f64,
    /// a7, of the page's own PageRank in an earlier crawl, 0 to 1000; default 0.5.
    pub page_rank: f64,
    /// Weights by domain suffix (`edu.cn`), the longest counts, −100 to 100; default none.
    pub domain_weights: BTreeMap<String, f64>,
}

impl Default for PriorityOptions {
    fn default() -> Self {
        PriorityOptions {
            domain: 1.0,
            popularity: 0.01,
            parent: 0.25,
            depth: -0.05,
            parent_in_degree: 0.5,
            mirror_degree: 0.25,
            page_rank: 0.5,
            domain_weights: BTreeMap::new(),
        }
    }
}

impl PriorityOptions {
    /// Whether all numbers are in their ranges.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and its range.
    pub fn check(&self) -> Result<()> {
        let fields = [
            ("domain", self.domain, 0.0, 1000.0),
            ("popularity", self.popularity, 0.0, 1000.0),
            ("parent", self.parent, 0.0, 0.99),
            ("depth", self.depth, -1000.0, 0.0),
            ("parent_in_degree", self.parent_in_degree, 0.0, 1000.0),
            ("mirror_degree", self.mirror_degree, -1000.0, 1000.0),
            ("page_rank", self.page_rank, 0.0, 1000.0),
        ];
        for (name, value, low, high) in fields {
            if !(low..=high).contains(&value) {
                return Err(Error::Config(format!("priority: {name} is {value}, must be {low} to {high}")));
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

/// What the reports of an earlier crawl say of pages; `None` where they do not know one.
pub trait Earlier: Send + Sync {
    /// Links to the page from other pages.
    fn in_degree(&self, page: UrlKey) -> Option<f64>;
    /// Pages on other registered domains with the same content, exactly or nearly.
    fn mirror_degree(&self, page: UrlKey) -> Option<f64>;
    /// PageRank, 1 being the mean of all pages.
    fn page_rank(&self, page: UrlKey) -> Option<f64>;
}

/// The formula with its coefficients, ready for use.
pub struct Priority {
    options: PriorityOptions,
    weights: BTreeMap<String, f64>,
    earlier: Option<Box<dyn Earlier>>,
}

impl Priority {
    /// Prepares the formula.
    ///
    /// # Errors
    /// Those of [`PriorityOptions::check`].
    pub fn new(options: &PriorityOptions, earlier: Option<Box<dyn Earlier>>) -> Result<Priority> {
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
        let o = &self.options;
        let mut sum = o.domain * self.domain_weight(url.host()) + o.depth * f64::from(directory_depth(url));
        if let Some((_, priority)) = parent {
            sum += o.parent * priority;
        }
        if let Some(earlier) = &self.earlier {
            if let Some((page, _)) = parent {
                sum += o.parent_in_degree * earlier.in_degree(page.key()).map_or(0.0, log_scale);
            }
            sum += o.mirror_degree * earlier.mirror_degree(url.key()).map_or(0.0, log_scale);
            sum += o.page_rank * earlier.page_rank(url.key()).map_or(0.0, log_scale);
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

    struct Reports;

    impl Earlier for Reports {
        fn in_degree(&self, page: UrlKey) -> Option<f64> {
            (page == url("http://a/").key()).then_some(1e6)
        }
        fn mirror_degree(&self, page: UrlKey) -> Option<f64> {
            (page == url("http://b.edu.cn/x").key()).then_some(f64::INFINITY)
        }
        fn page_rank(&self, page: UrlKey) -> Option<f64> {
            (page == url("http://b.edu.cn/x").key()).then_some(1e6)
        }
    }

    #[test]
    fn the_formula() {
        let options = PriorityOptions {
            domain: 2.0,
            popularity: 4.0,
            parent: 0.5,
            depth: -0.25,
            parent_in_degree: 8.0,
            mirror_degree: 16.0,
            page_rank: 32.0,
            domain_weights: [("cn", 1.0), (".EDU.cn", 3.0)].map(|(s, w)| (s.to_owned(), w)).into(),
        };
        let plain = Priority::new(&options, None).unwrap();
        assert_eq!(plain.of(&url("http://b.edu.cn/x"), None), 6.0 - 0.25);
        assert_eq!(plain.of(&url("http://b.edu.cn/x"), Some((&url("http://a/"), 10.0))), 6.0 - 0.25 + 5.0);
        assert_eq!(plain.domain_weight("xedu.cn"), 1.0);
        assert_eq!(plain.domain_weight("edu.cn"), 3.0);
        assert_eq!(plain.domain_weight("example.com"), 0.0);
        let informed = Priority::new(&options, Some(Box::new(Reports))).unwrap();
        let priority = informed.of(&url("http://b.edu.cn/x"), Some((&url("http://a/"), 10.0)));
        assert!((priority - (6.0 - 0.25 + 5.0 + 8.0 + 16.0 + 32.0)).abs() < 1e-9, "{priority}");
    }

    #[test]
    fn parents_stay_bounded_along_any_chain() {
        let options = PriorityOptions {
            parent: 0.99,
            domain_weights: [("a".into(), 100.0)].into(),
            ..Default::default()
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
        for bad in [
            PriorityOptions { depth: 0.1, ..Default::default() },
            PriorityOptions { parent: 1.0, ..Default::default() },
            PriorityOptions { domain: f64::NAN, ..Default::default() },
            PriorityOptions { domain_weights: [("a b".into(), 1.0)].into(), ..Default::default() },
            PriorityOptions { domain_weights: [("cn".into(), f64::NAN)].into(), ..Default::default() },
        ] {
            assert!(matches!(bad.check(), Err(Error::Config(_))), "{bad:?}");
        }
    }
}
