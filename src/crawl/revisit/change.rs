//! How often a page changes, from what visits saw: the Poisson model.
//!
//! **Definition.** A page changes at rate λ: none in time t with probability e^(−λt). A visit tells only whether the page
//! changed since the visit before, so that several changes look like one; where the server names the time of the last
//! change, more is known. The most likely λ is the root of
//!
//! ```text
//! Σ_changed t / (e^(λt) − 1)  +  N / λ  =  Σ_unchanged t + T
//! ```
//!
//! with the intervals t of visits that saw a change, those of visits that saw none, and of N changes whose time is known
//! the sum T of the times from the change to the visit (seen backwards from a visit, the time to the last change is
//! exponential, cut off at the visit before). A prior ([`Prior`]) adds to N and T. With equal intervals I, n visits and X
//! changes the bias of the root is taken off: [`equal_intervals`].
//!
//! **Algorithm.** Since 1/λ − t/2 ≤ t/(e^(λt) − 1) ≤ 1/λ, the root lies between (X + N)/(R + ½Σ_changed t) and (X + N)/R, R being
//! the right side; the left side falls in λ, so it is bisected there. [`ChangeRecord`] keeps the intervals of changes in
//! powers of √2 and their sum, by which they are scaled: exact where intervals are equal, each within 19 % else. Of the
//! others only the sum counts.
//!
//! **Cost.** A record is 130 bytes, a few when written; an estimate takes some forty evaluations of the filled bins.
//!
//! **Error.** From n visits that compare digests, log λ is known no better than to a standard deviation of 1.243/√n (intervals at
//! their best, 1.59/λ); with dates of changes 1/√n. So after 20 visits the median relative error is 19 % and 15 % at best.
//!
//! **Reference.** Cho and Garcia-Molina, Estimating frequency of change, ACM TOIT 3 (2003), doi:10.1145/857166.857170.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::revisit::prior::Prior;
use crate::revisit::{DAY_MS, days};

/// Bins of intervals: from a minute in powers of √2 to 22 years.
const BINS: usize = 48;
/// The interval in the middle of the first bin, ms.
const FIRST_MS: f64 = 60_000.0;
/// Longest interval that counts as such, ms: a century; beyond it clocks are wrong.
const LONGEST_MS: i64 = 36_525 * DAY_MS;

/// The rate from `visits` at equal intervals of which `changed` saw a change: −ln((n − X + ½)/(n + ½))/I, changes a day.
///
/// 0 where there was no visit or no time between them.
///
/// # Examples
/// ```
/// let rate = webmill_crawl::revisit::change::equal_intervals(10, 3, 1.0);
/// assert!((rate - 0.33647).abs() < 1e-5);
/// ```
pub fn equal_intervals(visits: u64, changed: u64, interval_days: f64) -> f64 {
    let (n, x) = (visits as f64, changed.min(visits) as f64);
    let rate = -((n - x + 0.5) / (n + 0.5)).ln() / interval_days;
    if rate.is_finite() && rate > 0.0 { rate } else { 0.0 }
}

/// The root λ of Σ count·t/(e^(λt) − 1) + `known`/λ = `quiet`, where `changed` has t in days with their counts.
///
/// `None`: there is no finite root above 0: nothing changed, or nothing was ever quiet.
pub fn root(changed: &[(f64, f64)], known: f64, quiet: f64) -> Option<f64> {
    let events = changed.iter().map(|(_, count)| count).sum::<f64>() + known;
    let half = changed.iter().map(|(t, count)| t * count).sum::<f64>() / 2.0;
    let (mut low, mut high) = (events / (quiet + half), events / quiet);
    if !(quiet > 0.0 && low > 0.0 && high.is_finite()) {
        return None;
    }
    while high / low > 1.0 + 1e-9 {
        // The mean of logarithms: the bounds may be far apart.
        let middle = low * (high / low).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        let left = changed.iter().map(|(t, count)| count * t / (middle * t).exp_m1()).sum::<f64>();
        if left + known / middle > quiet { low = middle } else { high = middle }
    }
    Some(low * (high / low).sqrt())
}

/// What visits saw of the changes of one page: enough for its rate, in constant space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// Visits that saw a change of unknown time, by the interval to the visit before.
    changed: [u16; BINS],
    /// Sum of those intervals, ms.
    changed_ms: u64,
    /// Visits that saw no change.
    unchanged: u16,
    /// Sum of the intervals without a change, ms.
    unchanged_ms: u64,
    /// Changes whose time is known.
    dated: u16,
    /// Sum of the times between these changes and the visits that saw them, ms.
    dated_ms: u64,
}

impl Default for ChangeRecord {
    fn default() -> Self {
        ChangeRecord {
            changed: [0; BINS],
            changed_ms: 0,
            unchanged: 0,
            unchanged_ms: 0,
            dated: 0,
            dated_ms: 0,
        }
    }
}

impl ChangeRecord {
    /// A visit after this interval; an interval of 0 or less says nothing (the clock was set back).
    pub fn see(&mut self, interval_ms: i64, changed: bool) {
        let Some(interval_ms) = sound(interval_ms) else { return };
        if changed {
            let bin = bin(interval_ms);
            if self.changed[bin] == u16::MAX {
                self.halve();
            }
            self.changed[bin] += 1;
            self.changed_ms += interval_ms;
        } else {
            if self.unchanged == u16::MAX {
                self.halve();
            }
            self.unchanged += 1;
            self.unchanged_ms += interval_ms;
        }
    }

    /// A visit after this interval that saw a change `ago_ms` before it.
    ///
    /// A time outside of the interval is no time of this change: the visit counts as one that saw a change.
    pub fn see_dated(&mut self, interval_ms: i64, ago_ms: i64) {
        if !(0..interval_ms).contains(&ago_ms) {
            return self.see(interval_ms, true);
        }
        let Some(ago_ms) = sound(ago_ms.max(1)) else { return };
        if self.dated == u16::MAX {
            self.halve();
        }
        self.dated += 1;
        self.dated_ms += ago_ms;
    }

    /// Takes visits back that claimed to have seen no change in this time in all.
    pub fn forget_unchanged(&mut self, visits: u64, sum_ms: i64) {
        let left = u64::from(self.unchanged).saturating_sub(visits);
        self.unchanged = left as u16;
        let sum_ms = self.unchanged_ms.saturating_sub(sum_ms.max(0) as u64);
        // No visit without its time, no time without a visit.
        self.unchanged_ms = sum_ms.clamp(left, left * LONGEST_MS as u64);
    }

    /// Visits that count, but for those forgotten.
    pub fn visits(&self) -> u64 {
        self.changes() + u64::from(self.unchanged)
    }

    /// Visits that saw a change, but for those forgotten.
    pub fn changes(&self) -> u64 {
        self.undated() + u64::from(self.dated)
    }

    /// The rate by what was seen alone, changes a day; `None` before the second visit.
    ///
    /// Where all visits saw a change there is no root, and [`equal_intervals`] stands in, which bounds the root where hardly any
    /// time was quiet; where none did, ln 2/Σt: with a greater rate a change would more likely have been seen than not.
    pub fn rate(&self) -> Option<f64> {
        if self.visits() == 0 {
            return None;
        }
        if self.changes() == 0 {
            return Some(std::f64::consts::LN_2 / self.quiet_days());
        }
        let found = root(&self.bins(), f64::from(self.dated), self.quiet_days());
        if self.dated > 0 {
            return found;
        }
        let undated = self.undated();
        let most = equal_intervals(undated, undated, days(self.changed_ms as i64) / undated as f64);
        Some(found.map_or(most, |found| found.min(most)))
    }

    /// The rate by what was seen and what was expected, changes a day: always finite and above 0.
    ///
    /// The prior counts 1/√(1 + X) of itself after X changes: in full it would hold a page that changes every hour among
    /// such that change every month at the rate of the latter for years, since e^(−λ/mean) is a thin tail.
    pub fn rate_with(&self, prior: &Prior) -> f64 {
        let strength = prior.changes / (1.0 + self.changes() as f64).sqrt();
        let known = f64::from(self.dated) + strength;
        let quiet = self.quiet_days() + strength / prior.rate();
        root(&self.bins(), known, quiet).unwrap_or(prior.rate())
    }

    fn undated(&self) -> u64 {
        self.changed.iter().map(|count| u64::from(*count)).sum()
    }

    /// Time in which no change was, days.
    fn quiet_days(&self) -> f64 {
        days(self.unchanged_ms as i64) + days(self.dated_ms as i64)
    }

    /// The filled bins: interval in days, scaled so that their sum is the true one, and count.
    fn bins(&self) -> Vec<(f64, f64)> {
        let filled = self.changed.iter().enumerate().filter(|(_, count)| **count > 0);
        let mut bins: Vec<(f64, f64)> =
            filled.map(|(bin, count)| (middle_ms(bin) / DAY_MS as f64, f64::from(*count))).collect();
        let sum = bins.iter().map(|(t, count)| t * count).sum::<f64>();
        let scale = days(self.changed_ms as i64) / sum;
        bins.iter_mut().for_each(|(t, _)| *t *= scale);
        bins
    }

    /// Halves all counts: old visits count less, and counts stay within their type.
    fn halve(&mut self) {
        let before = self.undated();
        self.changed.iter_mut().for_each(|count| *count /= 2);
        // Odd counts lose more than half, and the mean interval must stay.
        let after = self.undated();
        self.changed_ms = scaled(self.changed_ms, after, before);
        self.unchanged_ms = scaled(self.unchanged_ms, u64::from(self.unchanged / 2), self.unchanged.into());
        self.dated_ms = scaled(self.dated_ms, u64::from(self.dated / 2), self.dated.into());
        self.unchanged /= 2;
        self.dated /= 2;
    }

    /// Whether sums and counts agree, as they do unless bytes were damaged.
    fn is_sound(&self) -> bool {
        let within = |ms: u64, count: u64| ms >= count && ms <= count.saturating_mul(LONGEST_MS as u64);
        within(self.changed_ms, self.undated())
            && within(self.unchanged_ms, self.unchanged.into())
            && within(self.dated_ms, self.dated.into())
    }
}

fn scaled(sum: u64, part: u64, whole: u64) -> u64 {
    (u128::from(sum) * u128::from(part) / u128::from(whole.max(1))) as u64
}

/// An interval that says something.
fn sound(interval_ms: i64) -> Option<u64> {
    (interval_ms > 0).then_some(interval_ms.min(LONGEST_MS) as u64)
}

fn bin(interval_ms: u64) -> usize {
    let power = 2.0 * (interval_ms as f64 / FIRST_MS).log2();
    (power.round().max(0.0) as usize).min(BINS - 1)
}

fn middle_ms(bin: usize) -> f64 {
    FIRST_MS * (bin as f64 / 2.0).exp2()
}

/// As it is written: most bins are empty.
#[derive(Serialize, Deserialize)]
struct WrittenEstimate {
    changed: Vec<(u8, u16)>,
    changed_ms: u64,
    unchanged: u16,
    unchanged_ms: u64,
    dated: u16,
    dated_ms: u64,
}

impl Serialize for ChangeRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let filled = (0u8..).zip(self.changed).filter(|(_, count)| *count > 0);
        let &ChangeRecord { changed: _, changed_ms, unchanged, unchanged_ms, dated, dated_ms } = self;
        WrittenEstimate { changed: filled.collect(), changed_ms, unchanged, unchanged_ms, dated, dated_ms }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ChangeRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let refuse = |why| Err(serde::de::Error::custom(why));
        let written = WrittenEstimate::deserialize(deserializer)?;
        let WrittenEstimate { changed: filled, changed_ms, unchanged, unchanged_ms, dated, dated_ms } =
            written;
        let mut changed = [0; BINS];
        for (bin, count) in filled {
            match changed.get_mut(usize::from(bin)) {
                Some(place) if *place == 0 && count > 0 => *place = count,
                _ => return refuse("a bin of intervals that is none, or is there twice"),
            }
        }
        let record = ChangeRecord { changed, changed_ms, unchanged, unchanged_ms, dated, dated_ms };
        if record.is_sound() { Ok(record) } else { refuse("intervals and their sums do not agree") }
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
