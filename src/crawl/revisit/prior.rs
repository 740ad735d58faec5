//! Expectations of a page that was hardly seen: how often others like it change.
//!
//! **Definition.** Of the pages of a host, then of its domain suffix, then of its media type, the mean rate is taken; the first
//! of these that is known of [`MIN_PAGES`] pages counts, else the mean of all, else once in [`DEFAULT_LIFE_DAYS`]. It enters
//! the estimate of a page as ½ changes in ½/mean days: the Gamma prior of the Poisson model.
//!
//! The mean is that of logarithms: rates are spread over many powers of ten, and one page with a clock must not make its
//! host look as if it changed every minute.
//!
//! **Cost.** Sixteen bytes a mean; at most [`MAX_NAMES`] suffixes and media types each, first come.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Pages of which a mean must be to count.
pub const MIN_PAGES: u32 = 5;
/// Suffixes, and media types, whose means are kept.
pub const MAX_NAMES: usize = 4096;
/// Mean life of a page of which nothing is known, days.
pub const DEFAULT_LIFE_DAYS: f64 = 50.0;
/// Rates a day that count as such: a change in three thousand years, a change a tenth of a second.
pub(crate) const RATES: (f64, f64) = (1e-6, 1e6);

/// A rate within the allowed range; anything that is not a number becomes the lowest.
pub(crate) fn sound_rate(rate: f64) -> f64 {
    if rate.is_nan() { RATES.0 } else { rate.clamp(RATES.0, RATES.1) }
}

/// Expectations of a page before it was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    mean_rate: f64,
    /// Changes that it counts for: 0.5.
    pub(crate) changes: f64,
}

impl Default for Prior {
    fn default() -> Self {
        Prior::of(1.0 / DEFAULT_LIFE_DAYS)
    }
}

impl Prior {
    /// The prior of a mean rate, changes a day.
    pub fn of(mean_rate: f64) -> Prior {
        Prior { mean_rate: sound_rate(mean_rate), changes: 0.5 }
    }

    /// The rate that is expected, changes a day.
    pub fn rate(&self) -> f64 {
        self.mean_rate
    }
}

/// The mean rate of some pages.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RateMean {
    /// Number of pages in the mean.
    pub pages: u32,
    log_sum: f64,
}

impl RateMean {
    /// Counts a page: the rate it was counted with before, if it was, and its rate now; changes a day.
    pub fn count(&mut self, before: Option<f64>, now: f64) {
        match before {
            Some(before) if self.pages > 0 => self.log_sum -= sound_rate(before).ln(),
            _ => self.pages = self.pages.saturating_add(1),
        }
        self.log_sum += sound_rate(now).ln();
    }

    /// The mean, changes a day; `None` without pages.
    pub fn mean(&self) -> Option<f64> {
        let mean = (self.log_sum / f64::from(self.pages)).exp();
        (self.pages > 0 && mean.is_finite()).then(|| sound_rate(mean))
    }

    fn known(&self) -> Option<f64> {
        self.mean().filter(|_| self.pages >= MIN_PAGES)
    }
}

/// Mean rates by domain suffix, by media type and of all. Those of hosts are kept with the hosts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Priors {
    /// Of all pages.
    pub all: RateMean,
    suffixes: BTreeMap<String, RateMean>,
    media_types: BTreeMap<String, RateMean>,
}

impl Priors {
    /// Counts a page as [`RateMean::count`] does, wherever it belongs.
    pub fn count(&mut self, suffix: &str, media_type: &str, before: Option<f64>, now: f64) {
        self.all.count(before, now);
        for (names, name) in [(&mut self.suffixes, suffix), (&mut self.media_types, media_type)] {
            if let Some(mean) = names.get_mut(name) {
                mean.count(before, now);
            } else if names.len() < MAX_NAMES && name.len() <= 255 {
                names.entry(name.to_owned()).or_default().count(None, now);
            }
        }
    }

    /// Expectations of a page of this host, suffix and media type.
    pub fn prior(&self, host: &RateMean, suffix: &str, media_type: &str) -> Prior {
        let suffix = self.suffixes.get(suffix);
        let media_type = self.media_types.get(media_type);
        let means = [Some(host), suffix, media_type, Some(&self.all)];
        means.into_iter().flatten().find_map(RateMean::known).map_or_else(Prior::default, Prior::of)
    }

    /// The mean rate of each suffix, with its pages, by name: the table of mean lives by top-level domain.
    pub fn suffixes(&self) -> impl Iterator<Item = (&str, &RateMean)> {
        self.suffixes.iter().map(|(name, mean)| (name.as_str(), mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mean_that_is_known_counts() {
        let mut priors = Priors::default();
        let mut host = RateMean::default();
        assert_eq!(priors.prior(&host, "com", "text/html").rate(), 0.02);
        let near = |prior: Prior, rate: f64| assert!((prior.rate() / rate - 1.0).abs() < 1e-9, "{prior:?}");
        (0..5).for_each(|_| priors.count("org", "application/pdf", None, 0.1));
        near(priors.prior(&host, "com", "text/html"), 0.1);
        (0..5).for_each(|_| priors.count("com", "text/html", None, 0.4));
        near(priors.prior(&host, "net", "text/html"), 0.4);
        near(priors.prior(&host, "org", "text/html"), 0.1);
        (0..5).for_each(|_| host.count(None, 3.0));
        near(priors.prior(&host, "org", "text/html"), 3.0);
        near(priors.prior(&RateMean::default(), "net", "image/png"), 0.2);
    }

    #[test]
    fn a_page_counts_once_with_its_last_rate() {
        let mut mean = RateMean::default();
        mean.count(None, 1.0);
        mean.count(None, 4.0);
        mean.count(Some(4.0), 9.0);
        assert_eq!(mean.pages, 2);
        assert!((mean.mean().unwrap() - 3.0).abs() < 1e-12);
    }

    #[test]
    fn hostile_rates_leave_a_number() {
        let mut mean = RateMean::default();
        for rate in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            mean.count(None, rate);
            mean.count(Some(f64::NAN), rate);
            assert!(mean.mean().unwrap().is_finite());
        }
        assert!(Prior::of(f64::NAN).rate() > 0.0);
        let broken = RateMean { pages: 1, log_sum: f64::NAN };
        assert_eq!(broken.mean(), None);
    }

    #[test]
    fn names_are_bounded() {
        let mut priors = Priors::default();
        (0..2 * MAX_NAMES).for_each(|n| priors.count(&format!("s{n}"), "text/html", None, 1.0));
        assert_eq!(priors.suffixes().count(), MAX_NAMES);
        assert_eq!(priors.all.pages as usize, 2 * MAX_NAMES);
    }
}
