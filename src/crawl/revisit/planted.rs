//! Pages whose changes are planted, visited in virtual time: what estimators and schedules are measured on.
//!
//! Each page changes by a Poisson process whose rate is log-normal around once in fifty days, or never, or has a clock (its bytes differ at
//! every visit, its text does not); some vanish. Hosts send honest validators, none, or lies. Visits are made by due time, each taking a share of
//! a day, so that no schedule gets more than its budget. The measure is the share of time in which copies were fresh.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::*;
use webmill_capture::date::format_rfc822;
use webmill_capture::splitmix::SplitMix;

/// Standard deviation of the logarithm of rates.
pub const SPREAD: f64 = 1.0;
/// Pages of a host.
const PER_HOST: usize = 20;
/// When all begins, ms since 1970, whole seconds.
pub const START_MS: i64 = 1_704_067_200_000;

/// A stream of uniform draws.
pub struct Draws(SplitMix);

impl Draws {
    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// In (0, 1].
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Exponential of this rate.
    pub fn wait(&mut self, rate: f64) -> f64 {
        -self.unit().ln() / rate
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validators {
    Honest,
    Missing,
    /// One `ETag` for all time: 304 to every condition.
    Constant,
    /// `Last-Modified` is the time of the answer.
    Now,
}

/// A page and all that will become of it.
#[derive(Debug, Clone)]
pub struct Planted {
    /// Changes a day; 0: never.
    pub rate: f64,
    pub clock: bool,
    /// Days after the start.
    pub vanishes: f64,
    pub validators: Validators,
    /// Days after the start, in order.
    pub changes: Vec<f64>,
    pub host: usize,
}

impl Planted {
    /// How often it has changed by a day.
    pub fn version(&self, day: f64) -> usize {
        self.changes.partition_point(|change| *change <= day)
    }

    fn answer<'a>(
        &self,
        day: f64,
        visit: u64,
        sent: Option<(bool, bool)>,
        texts: &'a mut [String; 2],
    ) -> Answer<'a> {
        let at_ms = START_MS + (day * DAY_MS as f64) as i64;
        if day >= self.vanishes {
            return Answer { at_ms, status: 404, ..Answer::default() };
        }
        let version = self.version(day);
        let changed = version.checked_sub(1).map_or(-100.0, |last| self.changes[last]);
        let second = |day: f64| START_MS + (day * DAY_MS as f64) as i64 / 1000 * 1000;
        *texts = match self.validators {
            Validators::Honest if self.clock => [format!("\"c{visit}\""), String::new()],
            Validators::Honest => [format!("\"v{version}\""), format_rfc822(second(changed))],
            Validators::Missing => [String::new(), String::new()],
            Validators::Constant => ["\"always\"".into(), String::new()],
            Validators::Now => [String::new(), format_rfc822(second(day))],
        };
        let same = match self.validators {
            Validators::Honest if !self.clock => sent.is_some_and(|(tag, _)| tag),
            Validators::Constant => sent.is_some(),
            _ => false,
        };
        let text = |text: &'a String| (!text.is_empty()).then_some(text.as_str());
        let answer = Answer {
            at_ms,
            status: if same { 304 } else { 200 },
            conditional: sent.is_some(),
            etag: text(&texts[0]),
            last_modified: text(&texts[1]),
            ..Answer::default()
        };
        if same {
            return answer;
        }
        let mut draws = Draws(SplitMix(version as u64));
        let mut digest = [0; 20];
        digest[..8].copy_from_slice(&(version as u64).to_le_bytes());
        if self.clock {
            digest[8..16].copy_from_slice(&visit.to_le_bytes());
        }
        let capture = Some(CapturePlace { at_ms, shard: 0, offset: 0 });
        Answer { digest: Some(digest), simhash: Some(draws.next()), capture, ..answer }
    }
}

/// Plants `pages` pages over `days` days: 10 % static, 10 % with clocks, 5 % that vanish, 30 % of hosts without validators, 10 % that lie.
pub fn plant(seed: u64, pages: usize, days: f64) -> Vec<Planted> {
    let mut validators = Validators::Missing;
    (0..pages)
        .map(|page| {
            let mut draws = Draws(SplitMix(seed.wrapping_mul(0xD1B5_4A32_D192_ED03) ^ (page as u64) << 20));
            if page % PER_HOST == 0 {
                validators = match draws.unit() {
                    at if at <= 0.3 => Validators::Missing,
                    at if at <= 0.35 => Validators::Constant,
                    at if at <= 0.4 => Validators::Now,
                    _ => Validators::Honest,
                };
            }
            let kind = draws.unit();
            let rate = if kind <= 0.2 { 0.0 } else { (SPREAD * draws.normal()).exp() / 50.0 };
            let vanishes = if draws.unit() <= 0.05 { draws.unit() * days } else { f64::INFINITY };
            let mut changes = Vec::new();
            let mut at = draws.wait(rate);
            while rate > 0.0 && at < days {
                changes.push(at);
                at += draws.wait(rate);
            }
            Planted { rate, clock: kind <= 0.1, vanishes, validators, changes, host: page / PER_HOST }
        })
        .collect()
}

/// What came of it, over the days that were measured.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    pub visits_per_day: f64,
    /// Share of page-days in which the copy was fresh.
    pub freshness: f64,
    /// Mean age of copies, days.
    pub age_days: f64,
    /// Bodies sent, of all visits.
    pub bodies: f64,
    pub histories: Vec<PageHistory>,
}

/// A run: pages, budget of visits a day (infinite: none), days in all, and how many of them are measured, at the end.
pub struct Run<'a> {
    pub pages: &'a [Planted],
    pub visits_per_day: f64,
    pub days: f64,
    pub measured: f64,
    /// Schedules are told the true rates.
    pub known: bool,
}

/// Known facts about a run while it goes on.
struct State {
    histories: Vec<PageHistory>,
    /// Day of the last visit of each page.
    visited: Vec<f64>,
    hosts: Vec<(Trust, RateMean)>,
    priors: Priors,
    visits: u64,
    measured: u64,
    bodies: u64,
    fresh: f64,
    age: f64,
    page_days: f64,
}

impl Run<'_> {
    pub fn by(&self, options: RevisitOptions) -> Measured {
        let mut scheduler = Scheduler::new(options, None).expect("sound options");
        let mut state = State {
            histories: (0..self.pages.len())
                .map(|page| PageHistory::new(format!("http://p/{page}"), START_MS))
                .collect(),
            visited: vec![f64::NAN; self.pages.len()],
            hosts: vec![Default::default(); self.pages.len() / PER_HOST + 1],
            priors: Priors::default(),
            visits: 0,
            measured: 0,
            bodies: 0,
            fresh: 0.0,
            age: 0.0,
            page_days: 0.0,
        };
        // Found over the first week.
        let mut due: BinaryHeap<Reverse<(i64, usize)>> = (0..self.pages.len())
            .map(|page| Reverse((START_MS + page as i64 * 7 * DAY_MS / self.pages.len() as i64, page)))
            .collect();
        let (mut free, mut replan) = (0.0f64, 14.0);
        while let Some(Reverse((due_ms, page))) = due.pop() {
            let day = days(due_ms - START_MS).max(free);
            if day >= self.days {
                break;
            }
            free = day.max(free) + 1.0 / self.visits_per_day;
            if day >= replan && scheduler.options().schedule.objective().is_some() {
                replan = day + 7.0;
                let mut rates = RateHistogram::default();
                let known = state.histories.iter().filter(|page| page.visits > 0 && page.next_ms.is_some());
                known.for_each(|page| rates.add(page.rate, 1.0));
                if self.known {
                    rates = RateHistogram::default();
                    self.pages
                        .iter()
                        .filter(|page| day < page.vanishes)
                        .for_each(|page| rates.add(page.rate, 1.0));
                }
                scheduler.set_plan(scheduler.options().plan(&rates));
            }
            if let Some(next_ms) = self.visit(&scheduler, &mut state, page, day) {
                due.push(Reverse((next_ms, page)));
            }
        }
        (0..self.pages.len()).for_each(|page| self.measure(&mut state, page, self.days));
        Measured {
            visits_per_day: state.measured as f64 / self.measured,
            freshness: state.fresh / state.page_days,
            age_days: state.age / state.page_days,
            bodies: state.bodies as f64 / state.visits as f64,
            histories: state.histories,
        }
    }

    fn visit(&self, scheduler: &Scheduler, state: &mut State, page: usize, day: f64) -> Option<i64> {
        let planted = &self.pages[page];
        self.measure(state, page, day);
        state.visited[page] = day;
        state.visits += 1;
        state.measured += u64::from(day >= self.days - self.measured);
        let (trust, mean) = &mut state.hosts[planted.host];
        let history = &mut state.histories[page];
        let version = format!("\"v{}\"", planted.version(day));
        let sent = history.conditions(trust);
        let sent = sent.map(|sent| (sent.etag == Some(&*version), sent.last_modified.is_some()));
        let mut texts = [String::new(), String::new()];
        let answer = planted.answer(day, state.visits, sent, &mut texts);
        state.bodies += u64::from(answer.status == 200);
        let prior = state.priors.prior(mean, "example", "text/html");
        let seen = history.observe(&answer, scheduler, &prior);
        if let Some(right) = seen.validators_right {
            trust.judge(right);
        }
        if seen.rate > 0.0 {
            mean.count(seen.rate_before, seen.rate);
            state.priors.count("example", "text/html", seen.rate_before, seen.rate);
        }
        if self.known && seen.rate > 0.0 {
            let wait = scheduler.interval_ms(seen.outcome, history.interval_ms, planted.rate, 1.0);
            return Some(answer.at_ms + wait);
        }
        seen.next_ms
    }

    /// Counts the time since the last visit of a page, as far as it is measured. What vanishes does not count.
    fn measure(&self, state: &mut State, page: usize, day: f64) {
        let (planted, visited) = (&self.pages[page], state.visited[page]);
        if visited.is_nan() || planted.vanishes.is_finite() {
            return;
        }
        let changed = planted.changes.get(planted.version(visited)).copied().unwrap_or(f64::INFINITY);
        let from = visited.max(self.days - self.measured);
        if from >= day {
            return;
        }
        let stale_from = changed.clamp(from, day);
        state.page_days += day - from;
        state.fresh += stale_from - from;
        if changed < day {
            // ∫ (t − changed) dt
            state.age += ((day - changed).powi(2) - (stale_from - changed).powi(2)) / 2.0;
        }
    }
}

/// The freshness that the best possible plan would come to with the true rates, by the closed form.
pub fn closed_form(pages: &[Planted], visits_per_day: f64) -> f64 {
    let mut rates = RateHistogram::default();
    let stay = pages.iter().filter(|page| page.vanishes.is_infinite());
    stay.for_each(|page| rates.add(page.rate, 1.0));
    Plan::solve(allocation::Objective::Freshness, &rates, visits_per_day).expect("pages").freshness(&rates)
}
