//! A budget of visits spread over pages by how often they change.
//!
//! **Definition.** A page with rate λ (changes a day) and weight w that is visited f times a day has freshness F(λ, f) and age A(λ, f)
//! ([`crate::revisit::freshness`]). With B visits a day in all, Σ w·F is greatest, or Σ w·A least, where one more visit is worth the same
//! everywhere: w·∂F/∂f = μ, w·∂A/∂f = −μ. With r = λ/f,
//!
//! ```text
//! freshness:  h(r) = 1 − e^(−r)(1 + r) = μλ/w           pages with μλ/w ≥ 1 are not worth a visit
//! age:        k(r) = r²/2 − h(r)       = μλ²/w          every page is worth one
//! ```
//!
//! **Algorithm.** h and k rise, so a page's r is found by Newton's method, which comes down to the root from above without
//! overshooting, and Σ f falls in μ, so μ is bisected. Pages are a [`RateHistogram`]: cells of 1 % in λ and 10 % in w, each with the
//! mean of its pages, so that a hundred million pages cost as much as a thousand.
//!
//! **Cost.** A cell is 40 bytes, at most 2,777 × 146 of them; with one weight, μ takes milliseconds. A page's f takes about six
//! logarithms, so that no table of frequencies is kept.
//!
//! **Reference.** Cho and Garcia-Molina, Effective page refresh policies for Web crawlers, ACM TODS 28 (2003), doi:10.1145/958942.958945.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::revisit::freshness::{age, freshness};
use crate::revisit::prior::sound_rate;

/// Width of a cell in the logarithm of the rate.
const RATE_STEP: f64 = 0.00995;
/// Width of a cell in the logarithm of the weight.
const WEIGHT_STEP: f64 = 0.0953;
/// Weights that count as such.
const WEIGHTS: (f64, f64) = (1e-3, 1e3);
/// Visits a day beyond which nothing is visited more often.
const MOST: f64 = 1e9;

fn sound_weight(weight: f64) -> f64 {
    if weight.is_nan() { WEIGHTS.0 } else { weight.clamp(WEIGHTS.0, WEIGHTS.1) }
}

/// How many pages have which rate and which weight.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RateHistogram {
    cells: BTreeMap<(i16, i16), Cell>,
    pages: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cell {
    pages: u64,
    rates: f64,
    weights: f64,
}

impl RateHistogram {
    /// Counts a page: its rate, changes a day, and its weight (1 where all are alike; 0.001 to 1,000).
    pub fn add(&mut self, rate: f64, weight: f64) {
        self.add_many(rate, weight, 1);
    }

    /// Counts pages of one rate and weight.
    pub fn add_many(&mut self, rate: f64, weight: f64, pages: u64) {
        let (rate, weight) = (sound_rate(rate), sound_weight(weight));
        let bin = |value: f64, step: f64| (value.ln() / step).round() as i16;
        let cell = self.cells.entry((bin(rate, RATE_STEP), bin(weight, WEIGHT_STEP))).or_default();
        cell.pages += pages;
        cell.rates += rate * pages as f64;
        cell.weights += weight * pages as f64;
        self.pages += pages;
    }

    /// Number of pages in all bins.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Adds the pages of another.
    pub fn merge(&mut self, other: &RateHistogram) {
        for (at, theirs) in &other.cells {
            let cell = self.cells.entry(*at).or_default();
            cell.pages += theirs.pages;
            cell.rates += theirs.rates;
            cell.weights += theirs.weights;
        }
        self.pages += other.pages;
    }

    /// Σ over the pages of `of(rate, weight)`.
    fn sum(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        let mean = |cell: &Cell| (cell.rates / cell.pages as f64, cell.weights / cell.pages as f64);
        let filled = self.cells.values().filter(|cell| cell.pages > 0);
        filled
            .map(|cell| {
                let (rate, weight) = mean(cell);
                cell.pages as f64 * of(rate, weight)
            })
            .sum()
    }
}

/// What a budget is spread for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Most freshness.
    Freshness,
    /// Least age.
    Age,
}

/// How often each page is visited: one number, from which the frequency of any page follows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    objective: Objective,
    /// μ.
    level: f64,
    /// What all frequencies are multiplied with, 1 or hardly less: near μλ/w = 1 the frequency falls from λ/37 to 0 within the
    /// precision of μ.
    share: f64,
}

impl Plan {
    /// The plan that spends this many visits a day on these pages; `None` where there are no pages or no budget.
    ///
    /// # Examples
    /// ```
    /// use webmill_crawl::revisit::allocation::{Objective, Plan, RateHistogram};
    /// let mut pages = RateHistogram::default();
    /// (1..=5).for_each(|rate| pages.add(f64::from(rate), 1.0));
    /// let plan = Plan::solve(Objective::Freshness, &pages, 5.0).expect("a plan");
    /// assert!((plan.frequency(2.0, 1.0) - 1.358).abs() < 1e-3);
    /// assert_eq!(plan.frequency(5.0, 1.0), 0.0);
    /// ```
    pub fn solve(objective: Objective, pages: &RateHistogram, visits_per_day: f64) -> Option<Plan> {
        if pages.pages == 0 || !(visits_per_day > 0.0 && visits_per_day.is_finite()) {
            return None;
        }
        let level = multiplier(objective, pages, visits_per_day);
        let plan = Plan { objective, level, share: 1.0 };
        let share = visits_per_day / plan.visits(pages);
        Some(Plan { share: if share.is_finite() { share } else { 1.0 }, ..plan })
    }

    /// Visits a day of a page; 0: it is not worth one.
    pub fn frequency(&self, rate: f64, weight: f64) -> f64 {
        let (rate, weight) = (sound_rate(rate), sound_weight(weight));
        let visits = match self.objective {
            Objective::Freshness => match self.level * rate / weight {
                worthless if worthless >= 1.0 => 0.0,
                y => rate / inverse_h(y),
            },
            Objective::Age => rate / inverse_k(self.level * rate * rate / weight),
        };
        (self.share * visits).min(MOST)
    }

    /// Visits a day that these pages take.
    pub fn visits(&self, pages: &RateHistogram) -> f64 {
        pages.sum(|rate, weight| self.frequency(rate, weight))
    }

    /// Mean freshness that these pages come to, by weight.
    pub fn freshness(&self, pages: &RateHistogram) -> f64 {
        let fresh = |rate: f64, weight: f64| match self.frequency(rate, weight) {
            never if never <= 0.0 => 0.0,
            visits => weight * freshness(rate, 1.0 / visits),
        };
        pages.sum(fresh) / pages.sum(|_, weight| weight)
    }

    /// Mean age that these pages come to, days, by weight; infinite where one is never visited.
    pub fn age_days(&self, pages: &RateHistogram) -> f64 {
        let old = |rate: f64, weight: f64| match self.frequency(rate, weight) {
            never if never <= 0.0 => f64::INFINITY,
            visits => weight * age(rate, 1.0 / visits),
        };
        pages.sum(old) / pages.sum(|_, weight| weight)
    }

    /// The plan of a host that bears this many visits a day: this one where they are enough for the host's pages, else one for
    /// the same objective within them. The flag says that they were not.
    pub fn within(&self, host: &RateHistogram, visits_per_day: f64) -> (Plan, bool) {
        if self.visits(host) <= visits_per_day {
            return (*self, false);
        }
        let capped = Plan::solve(self.objective, host, visits_per_day);
        (capped.unwrap_or(*self), true)
    }
}

/// The greatest μ with which the frequencies of all pages add up to the budget or more.
fn multiplier(objective: Objective, pages: &RateHistogram, visits_per_day: f64) -> f64 {
    let visits = |level: f64| Plan { objective, level, share: 1.0 }.visits(pages);
    let (mut low, mut high) = (1.0f64, 1.0f64);
    // Within 10^±150 products with rates stay finite.
    while visits(low) < visits_per_day && low > 1e-150 {
        low /= 1024.0;
    }
    while visits(high) > visits_per_day && high < 1e150 {
        high *= 1024.0;
    }
    while high / low > 1.0 + 1e-13 {
        let middle = low * (high / low).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if visits(middle) >= visits_per_day { low = middle } else { high = middle }
    }
    low
}

/// The r with 1 − e^(−r)(1 + r) = y, for y below 1.
fn inverse_h(y: f64) -> f64 {
    if y < 1e-10 {
        // h(r) = r²/2 − r³/3 + …
        return (2.0 * y).sqrt().max(f64::MIN_POSITIVE);
    }
    // r − ln(1 + r) = −ln(1 − y), convex; r ≤ L + √(2L).
    let goal = -(-y).ln_1p();
    let start = goal + (2.0 * goal).sqrt();
    newton(start, |r| (r - r.ln_1p() - goal, r / (1.0 + r)))
}

/// The r with r²/2 − 1 + e^(−r)(1 + r) = z, for z of 0 or more.
fn inverse_k(z: f64) -> f64 {
    let cube = (3.0 * z).cbrt();
    if cube < 1e-4 {
        // k(r) = r³/3 − r⁴/8 + …
        return cube.max(f64::MIN_POSITIVE);
    }
    let k = |r: f64| {
        if r < 0.05 {
            r.powi(3) / 3.0 - r.powi(4) / 8.0 + r.powi(5) / 30.0 - r.powi(6) / 144.0
        } else {
            r * r / 2.0 + r * (-r).exp() + (-r).exp_m1()
        }
    };
    // k is convex, and r ≤ √(2(z + 1)).
    let start = (2.0 * (z + 1.0)).sqrt().min(2.0 * cube);
    newton(start, |r| (k(r) - z, -r * (-r).exp_m1()))
}

/// Newton's method on a convex rising function of value and slope.
fn newton(start: f64, at: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut r = start;
    for _ in 0..64 {
        let (value, slope) = at(r);
        let next = r - value / slope;
        if next.is_nan() || next <= 0.0 || (next - r).abs() <= 1e-14 * r {
            break;
        }
        r = next;
    }
    r
}

#[cfg(test)]
#[path = "allocation_tests.rs"]
mod tests;
