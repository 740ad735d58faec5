//! How fresh copies of pages are, and how old.
//!
//! **Definition.** A copy is fresh while the page is as it was at the last visit; its age is the time since the first change
//! after that visit, 0 while it is fresh. Of a page with rate λ that is visited every I, with r = λI, the means over time
//! are F = (1 − e^(−r))/r and A = I(½ − 1/r + (1 − e^(−r))/r²). At time t after a visit the copy is fresh with
//! probability e^(−λt), and its expected age is t − (1 − e^(−λt))/λ.
//!
//! **Error.** Where r is small the closed forms cancel; series stand in for them.
//!
//! **Reference.** Cho and Garcia-Molina, Synchronizing a database to improve freshness, SIGMOD 2000, doi:10.1145/342009.335391.

use serde::{Deserialize, Serialize};

use crate::revisit::prior::sound_rate;

/// Mean freshness of a page that changes `rate` times a day and is visited every `interval_days`: 0 to 1.
///
/// # Examples
/// ```
/// let f = webmill_crawl::revisit::freshness::freshness(0.02, 7.0);
/// assert!((f - 0.9332).abs() < 5e-5);
/// ```
pub fn freshness(rate: f64, interval_days: f64) -> f64 {
    let r = product(rate, interval_days);
    if r == 0.0 { 1.0 } else { -(-r).exp_m1() / r }
}

/// Mean age, days, of the copy of a page that changes `rate` times a day and is visited every `interval_days`.
pub fn age(rate: f64, interval_days: f64) -> f64 {
    let r = product(rate, interval_days);
    if r == 0.0 {
        return 0.0;
    }
    if r < 0.05 {
        // Σ_{n ≥ 1} (−1)^(n+1) r^n / (n + 2)!
        return interval_days * (r / 6.0 - r * r / 24.0 + r.powi(3) / 120.0 - r.powi(4) / 720.0);
    }
    interval_days * (0.5 - 1.0 / r - (-r).exp_m1() / (r * r))
}

/// The probability that a copy is still fresh `since_days` after its visit.
pub fn fresh_now(rate: f64, since_days: f64) -> f64 {
    (-product(rate, since_days)).exp()
}

/// The expected age, days, of a copy `since_days` after its visit.
pub fn age_now(rate: f64, since_days: f64) -> f64 {
    let r = product(rate, since_days);
    if r == 0.0 {
        return 0.0;
    }
    if r < 0.05 {
        return since_days * (r / 2.0 - r * r / 6.0 + r.powi(3) / 24.0 - r.powi(4) / 120.0);
    }
    since_days * (1.0 + (-r).exp_m1() / r)
}

/// Changes in a time: 0 where either is not above 0, never infinite or no number.
fn product(rate: f64, days: f64) -> f64 {
    let r = rate * days;
    if rate > 0.0 && days > 0.0 && r > 0.0 { r.min(f64::MAX) } else { 0.0 }
}

/// Freshness of many pages: of a host, of a round, of all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FreshnessSummary {
    /// Number of pages.
    pub pages: u64,
    /// Sum of their weights.
    pub weight: f64,
    fresh: f64,
    fresh_weighted: f64,
    age: f64,
    age_weighted: f64,
    /// Pages by their rate: below 10⁻⁵ a day, below 10⁻⁴, … below 10⁴, above.
    pub decades: [u64; 11],
}

impl FreshnessSummary {
    /// Counts a page: its rate (changes a day), days since its last visit, its weight.
    pub fn count(&mut self, rate: f64, since_days: f64, weight: f64) {
        let rate = sound_rate(rate);
        let since = if since_days.is_finite() { since_days.max(0.0) } else { 0.0 };
        let weight = if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        let (fresh, age) = (fresh_now(rate, since), age_now(rate, since));
        self.pages += 1;
        self.weight += weight;
        self.fresh += fresh;
        self.fresh_weighted += weight * fresh;
        self.age += age;
        self.age_weighted += weight * age;
        let decade = (rate.log10().floor() + 6.0).clamp(0.0, 10.0) as usize;
        self.decades[decade] += 1;
    }

    /// Adds the pages of another.
    pub fn merge(&mut self, other: &FreshnessSummary) {
        self.pages += other.pages;
        self.weight += other.weight;
        self.fresh += other.fresh;
        self.fresh_weighted += other.fresh_weighted;
        self.age += other.age;
        self.age_weighted += other.age_weighted;
        self.decades.iter_mut().zip(other.decades).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// Share of copies that are expected to be fresh now; `None` without pages.
    pub fn freshness(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.fresh / self.pages as f64)
    }

    /// As [`FreshnessSummary::freshness`], by weight.
    pub fn weighted_freshness(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.fresh_weighted / self.weight)
    }

    /// Expected age of the copies now, days; `None` without pages.
    pub fn age_days(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.age / self.pages as f64)
    }

    /// As [`FreshnessSummary::age_days`], by weight.
    pub fn weighted_age_days(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.age_weighted / self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_life_of_fifty_days() {
        for (interval, fresh, old) in [
            (1.0, 0.9901, 0.003),
            (7.0, 0.9332, 0.158),
            (28.0, 0.7657, 2.285),
            (30.0, 0.7520, 2.599),
            (90.0, 0.4637, 18.186),
        ] {
            assert!((freshness(0.02, interval) - fresh).abs() < 5e-5, "{interval}");
            assert!((age(0.02, interval) - old).abs() < 5e-4, "{interval}: {}", age(0.02, interval));
        }
    }

    #[test]
    fn means_over_time_are_means_of_what_is_expected_now() {
        for (rate, interval) in [(0.02, 30.0), (3.0, 2.0), (0.001, 5.0)] {
            let steps = 20_000;
            let at = |step: i32| interval * (f64::from(step) + 0.5) / f64::from(steps);
            let mean = |of: fn(f64, f64) -> f64| {
                (0..steps).map(|step| of(rate, at(step))).sum::<f64>() / f64::from(steps)
            };
            assert!((mean(fresh_now) - freshness(rate, interval)).abs() < 1e-7);
            assert!((mean(age_now) - age(rate, interval)).abs() < 1e-6);
        }
    }

    #[test]
    fn series_and_closed_forms_meet() {
        for of in [age, age_now] {
            let (below, above) = (of(1.0, 0.05 - 1e-12), of(1.0, 0.05 + 1e-12));
            assert!((below / above - 1.0).abs() < 1e-6, "{below} {above}");
        }
    }

    #[test]
    fn pages_are_counted_by_decade_and_weight() {
        let mut summary = FreshnessSummary::default();
        assert_eq!((summary.freshness(), summary.weighted_age_days()), (None, None));
        summary.count(0.0, 10.0, 3.0);
        summary.count(1e9, 10.0, 1.0);
        assert!((summary.freshness().unwrap() - 0.5).abs() < 1e-4);
        assert!((summary.weighted_freshness().unwrap() - 0.75).abs() < 1e-4);
        assert!((summary.age_days().unwrap() - 5.0).abs() < 1e-3);
        assert_eq!((summary.decades[0], summary.decades[10]), (1, 1));
        let mut both = summary.clone();
        both.merge(&summary);
        assert_eq!((both.pages, both.freshness()), (4, summary.freshness()));
    }

    proptest! {
        #[test]
        fn more_visits_are_fresher_and_younger(rate in 1e-6f64..1e3, days in 1e-4f64..1e3) {
            prop_assert!(freshness(rate, days) >= freshness(rate, days * 1.1) - 1e-12);
            prop_assert!(age(rate, days) <= age(rate, days * 1.1) * (1.0 + 1e-9));
            prop_assert!(age(rate, days) <= days / 2.0);
        }
    }
}
