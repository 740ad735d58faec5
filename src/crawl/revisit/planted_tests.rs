//! Estimators and schedules on pages whose changes are planted, in virtual time.

use super::planted::{Planted, Run, START_MS, Validators, closed_form, estimates, median_error, plant};
use crate::revisit::{Answer, DAY_MS, PageHistory, Prior, RevisitOptions, Schedule, Scheduler};

fn by(schedule: Schedule, visits_per_day: f64) -> RevisitOptions {
    RevisitOptions { schedule, visits_per_day, ..RevisitOptions::default() }
}

/// The budget spread evenly over all pages.
fn alike(web: &[Planted], visits_per_day: f64) -> RevisitOptions {
    let every_s = (web.len() as f64 / visits_per_day * 86_400.0) as u64;
    RevisitOptions { schedule: Schedule::Fixed, every_s, ..RevisitOptions::default() }
}

fn web() -> Vec<Planted> {
    plant(1, 1200, 730.0)
}

/// The share of what can be known at all from so many visits at the interval that tells most: |error| of half the pages.
fn bound(visits: u32, of_one: f64) -> f64 {
    0.6745 * of_one / f64::from(visits).sqrt()
}

#[test]
fn estimates_come_near_to_what_visits_can_tell() {
    let web = web();
    for visits in [20, 40, 80] {
        let error = |best, validators| median_error(&web, &estimates(&web, visits, best, validators), visits);
        let (digests, dates) = (error(true, Validators::Missing), error(true, Validators::Honest));
        let (adaptive, dated) = (error(false, Validators::Missing), error(false, Validators::Honest));
        println!("{visits} visits: {digests:.3} {dates:.3} {adaptive:.3} {dated:.3}");
        assert!(
            digests < 1.15 * bound(visits, 1.243) && dates < 1.15 * bound(visits, 1.1),
            "{digests} {dates}"
        );
        // Intervals begin at seven days and reach the page's own by steps.
        assert!(
            adaptive < 1.5 * bound(visits, 1.243) && dated < 1.6 * bound(visits, 1.1),
            "{adaptive} {dated}"
        );
        assert!(visits < 40 || adaptive < 0.18, "{adaptive}");
    }
}

#[test]
fn a_page_with_a_clock_is_visited_ever_more_rarely_and_by_digests_would_be_ever_more_often() {
    let scheduler = Scheduler::new(RevisitOptions::default(), None).unwrap();
    let interval = |simhash| {
        let mut page = PageHistory::new("http://p/", START_MS);
        let mut number = 0u8;
        // A year, or two hundred visits.
        while page.next_ms.is_some_and(|next| next < START_MS + 365 * DAY_MS) && number < 200 {
            number += 1;
            let at_ms = page.next_ms.unwrap();
            let answer =
                Answer { at_ms, status: 200, digest: Some([number; 20]), simhash, ..Answer::default() };
            page.observe(&answer, &scheduler, &Prior::default());
        }
        page.interval_ms
    };
    let (by_text, by_digest) = (interval(Some(7)), interval(None));
    assert!(by_text > 100 * DAY_MS && by_digest == 60_000, "{by_text} {by_digest}");
}

#[test]
fn with_the_same_budget_optimal_is_freshest_and_age_is_youngest() {
    let web = web();
    let free = Run { pages: &web, visits_per_day: f64::INFINITY, days: 730.0, measured: 365.0, known: false };
    let adaptive = free.by(by(Schedule::Adaptive, 0.0));
    let budget = adaptive.visits_per_day;
    let capped = Run { visits_per_day: budget, ..free };
    let [optimal, age] = [Schedule::Optimal, Schedule::Age].map(|schedule| capped.by(by(schedule, budget)));
    let uniform = capped.by(alike(&web, budget));
    for other in [&adaptive, &age, &uniform] {
        assert!(other.visits_per_day > 0.9 * budget && other.visits_per_day < 1.01 * budget);
        assert!(optimal.freshness > other.freshness, "{} {}", optimal.freshness, other.freshness);
    }
    for other in [&adaptive, &optimal, &uniform] {
        assert!(age.age_days < other.age_days, "{} {}", age.age_days, other.age_days);
    }
    // The factors of `adaptive` hold still where 0.6 of the visits find a change: in the long run it visits in proportion to the rate, and
    // no such rule is fresher than an equal interval for all.
    assert!(uniform.freshness > adaptive.freshness);
}

#[test]
fn optimal_comes_within_two_percent_of_the_closed_form() {
    let web = web();
    // Ten visits a page and year with the true rates; thirty-six with estimated ones.
    for (yearly, known) in [(10.0, true), (36.0, true), (36.0, false)] {
        let budget = web.len() as f64 * yearly / 365.0;
        let run = Run { pages: &web, visits_per_day: budget, days: 730.0, measured: 365.0, known };
        let got = run.by(by(Schedule::Optimal, budget)).freshness;
        let best = closed_form(&web, budget);
        assert!(got > 0.98 * best && got < 1.02 * best, "{yearly} visits a year: {got} of {best}");
        assert!(got > run.by(alike(&web, budget)).freshness);
    }
}

#[test]
fn servers_that_lie_are_found_out() {
    let web = web();
    let run = Run { pages: &web, visits_per_day: f64::INFINITY, days: 730.0, measured: 365.0, known: false };
    let measured = run.by(RevisitOptions::default());
    assert!(measured.bodies < 0.75, "conditions spare bodies: {}", measured.bodies);
    let histories = measured.histories;
    let lying =
        |page: &&(&Planted, &PageHistory)| page.0.validators == Validators::Constant && page.0.rate > 0.01;
    let pages: Vec<_> = web.iter().zip(&histories).collect();
    let caught = pages.iter().filter(lying).filter(|(_, history)| history.changes > 0).count();
    let all = pages.iter().filter(lying).count();
    println!("{caught} of {all} lying pages were seen to change");
    assert!(all > 5 && caught * 10 >= all * 8, "{caught} of {all}");
    let blamed =
        |page: &&(&Planted, &PageHistory)| page.0.validators == Validators::Honest && page.1.deceived;
    let innocent = pages.iter().filter(blamed).count();
    assert_eq!(innocent, 0, "honest pages are blamed");
}
