//! When a page is due again.
//!
//! | schedule | interval |
//! |---|---|
//! | fixed | `every_s` |
//! | adaptive | longer by a factor where nothing changed, shorter where something did |
//! | optimal, age | 1/f by the [`Plan`] that makes a budget of visits give most freshness, or least age |
//!
//! Every interval lies between the least and the greatest. A page that is not worth a visit by the plan is looked at once in the
//! greatest, since its rate is only an estimate, which no other visit could mend.

use serde::{Deserialize, Serialize};

use crate::revisit::allocation::{Objective, Plan, RateHistogram};
use crate::revisit::{DAY_MS, Outcome};
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

/// Longest interval that can be set: ten years, s.
const LONGEST_S: u64 = 315_360_000;

/// Greatest interval, s: a year.
const GREATEST_S: u64 = 365 * 86_400;
/// Adaptive: factor of the interval where nothing changed.
const LONGER: f64 = 1.4;
/// Adaptive: factor of the interval where the page changed.
const SHORTER: f64 = 0.8;

webmill_capture::words! {
    /// When pages are due again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Schedule {
        /// After the same time, always.
        Fixed = "fixed",
        /// Sooner where it changed, later where it did not.
        #[default]
        Adaptive = "adaptive",
        /// So that a budget of visits gives most freshness.
        Optimal = "optimal",
        /// So that a budget of visits gives least age.
        Age = "age",
    }
}

impl Schedule {
    /// What its budget is spread for; `None`: it has none.
    pub fn objective(self) -> Option<Objective> {
        match self {
            Schedule::Fixed | Schedule::Adaptive => None,
            Schedule::Optimal => Some(Objective::Freshness),
            Schedule::Age => Some(Objective::Age),
        }
    }
}

settings! {
    /// How a crawl looks at pages again.
    #[derive(PartialEq)]
    pub struct RevisitOptions {
        /// When pages are due again. Default adaptive.
        pub schedule: Schedule = Schedule::Adaptive;
        /// Interval of `fixed`, and the first one of a new page in the others, s: 60 to ten years. Default 7 days.
        pub every_s: u64 = 7 * 86_400;
        /// Least interval, s: 60.
        #[serde(skip)]
        pub least_s: u64 = 60;
        /// Visits per day in all, for the schedules that distribute them; 0: as many as `every_s` would take.
        /// Default 0.
        pub visits_per_day: f64 = 0.0;
        /// Share of fetches, 0 to 1, that go to new pages while both new and due pages wait. Default 0.5.
        pub new_share: f64 = 0.5;
    }
}

impl RevisitOptions {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Error::Config`] names the field and its range.
    pub fn check(&self) -> Result<()> {
        let refuse = |what: String| Err(Error::Config(format!("revisit.{what}")));
        if !(60..=LONGEST_S).contains(&self.every_s) {
            return refuse(format!("every_s is {}: 60 to {LONGEST_S}", self.every_s));
        }
        if !(0.0..=1e12).contains(&self.visits_per_day) {
            return refuse(format!("visits_per_day is {}: 0 to 1e12", self.visits_per_day));
        }
        if !(0.0..=1.0).contains(&self.new_share) {
            return refuse(format!("new_share is {}: 0 to 1", self.new_share));
        }
        Ok(())
    }

    /// The plan of these pages; `None` where the schedule has no budget or there are no pages.
    pub fn plan(&self, pages: &RateHistogram) -> Option<Plan> {
        let usual = pages.pages() as f64 * 86_400.0 / self.every_s as f64;
        let budget = if self.visits_per_day > 0.0 { self.visits_per_day } else { usual };
        Plan::solve(self.schedule.objective()?, pages, budget)
    }
}

/// Says when pages are due.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheduler {
    options: RevisitOptions,
    plan: Option<Plan>,
}

impl Scheduler {
    /// A scheduler; without a plan those that need one take `every_s`, as in a first crawl.
    ///
    /// # Errors
    /// As [`RevisitOptions::check`].
    pub fn new(options: RevisitOptions, plan: Option<Plan>) -> Result<Scheduler> {
        options.check()?;
        Ok(Scheduler { options, plan })
    }

    /// The options that the scheduler was made with.
    pub fn options(&self) -> &RevisitOptions {
        &self.options
    }

    /// The plan of the optimal schedule; `None` with other schedules.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Goes by another plan from now on: rates have been learnt, or another host's turn has come.
    pub fn set_plan(&mut self, plan: Option<Plan>) {
        self.plan = plan;
    }

    /// The interval of a page that has no history, ms.
    pub fn first_ms(&self) -> i64 {
        self.within(self.options.every_s as f64 * 1e3)
    }

    /// The interval after a visit, ms: from the outcome, the interval so far, the page's rate (changes a day) and weight.
    pub fn interval_ms(&self, outcome: Outcome, before_ms: i64, rate: f64, weight: f64) -> i64 {
        let schedule = self.options.schedule;
        match (schedule, &self.plan) {
            (Schedule::Adaptive, _) => {
                let factor = match outcome {
                    Outcome::Changed => SHORTER,
                    Outcome::Near | Outcome::Unchanged | Outcome::Gone | Outcome::Moved => LONGER,
                    Outcome::New | Outcome::Error => 1.0,
                };
                self.within(before_ms.max(0) as f64 * factor)
            }
            (Schedule::Fixed, _) | (_, None) => self.first_ms(),
            // No visit is an infinite interval, which comes out as the greatest.
            (_, Some(plan)) => self.within(DAY_MS as f64 / plan.frequency(rate, weight)),
        }
    }

    /// An interval within the bounds, ms.
    pub(crate) fn within(&self, interval_ms: f64) -> i64 {
        let (least, greatest) = (self.options.least_s as f64 * 1e3, GREATEST_S as f64 * 1e3);
        if interval_ms.is_nan() { greatest as i64 } else { interval_ms.clamp(least, greatest).round() as i64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adaptive_from_a_day() {
        let scheduler = Scheduler::new(RevisitOptions::default(), None).unwrap();
        let (u, c) = (Outcome::Unchanged, Outcome::Changed);
        let interval =
            [u, u, u, c, u, c].iter().fold(DAY_MS, |ms, &seen| scheduler.interval_ms(seen, ms, 1.0, 1.0));
        assert!(
            (crate::revisit::days(interval) - 2.45862).abs() < 1e-5,
            "{}",
            crate::revisit::days(interval)
        );
        assert_eq!(scheduler.first_ms(), 7 * DAY_MS);
        let many = |seen: Outcome| (0..100).fold(DAY_MS, |ms, _| scheduler.interval_ms(seen, ms, 1.0, 1.0));
        assert_eq!((many(c), many(Outcome::Near)), (60_000, 365 * DAY_MS));
    }

    #[test]
    fn a_plan_gives_intervals_within_the_bounds() {
        let mut pages = RateHistogram::default();
        (1..=5).for_each(|rate| pages.add(f64::from(rate), 1.0));
        let options =
            RevisitOptions { schedule: Schedule::Optimal, visits_per_day: 5.0, ..RevisitOptions::default() };
        let plan = options.plan(&pages);
        let scheduler = Scheduler::new(options.clone(), plan).unwrap();
        let at = |rate: f64| crate::revisit::days(scheduler.interval_ms(Outcome::Changed, 7, rate, 1.0));
        assert!((at(2.0) - 1.0 / 1.358).abs() < 1e-3);
        assert_eq!(at(5.0), 365.0, "what is not worth a visit is looked at once a year");
        let first = Scheduler::new(options.clone(), None).unwrap();
        assert_eq!(first.interval_ms(Outcome::New, 0, 1.0, 1.0), 7 * DAY_MS);
        let usual = RevisitOptions { visits_per_day: 0.0, ..options };
        assert!((usual.plan(&pages).unwrap().visits(&pages) - 5.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn names_are_those_of_configurations() {
        for &schedule in Schedule::ALL {
            let text = serde_json::to_string(&schedule).unwrap();
            assert_eq!(text, format!("\"{}\"", schedule.name()));
            assert_eq!(serde_json::from_str::<Schedule>(&text).unwrap(), schedule);
        }
        let options: RevisitOptions =
            toml::from_str("schedule = 'optimal'\nvisits_per_day = 1000.0").unwrap();
        assert_eq!(options.schedule, Schedule::Optimal);
        assert!(toml::from_str::<RevisitOptions>("shedule = 'age'").is_err());
    }

    #[test]
    fn ranges() {
        let good = RevisitOptions::default();
        good.check().unwrap();
        for (field, bad) in [
            ("every_s", RevisitOptions { every_s: 0, ..good.clone() }),
            ("visits_per_day", RevisitOptions { visits_per_day: -1.0, ..good.clone() }),
            ("new_share", RevisitOptions { new_share: 1.5, ..good.clone() }),
        ] {
            let error = bad.check().unwrap_err().to_string();
            assert!(error.contains(field), "{error}");
        }
    }
}
