use super::*;
use proptest::prelude::*;

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} where {expected} is expected");
}

#[test]
fn equal_intervals_of_a_day() {
    for (changed, rate) in [(0, 0.0), (3, 0.33647), (10, 3.04452)] {
        near(equal_intervals(10, changed, 1.0), rate, 5e-6);
    }
    assert_eq!(equal_intervals(0, 0, 1.0), 0.0);
    assert_eq!(equal_intervals(5, 9, f64::NAN), 0.0);
}

#[test]
fn unequal_intervals() {
    near(root(&[(1.0, 1.0), (4.0, 1.0)], 0.0, 5.0).unwrap(), 0.281327, 5e-7);
    near(root(&[(1.0, 3.0)], 0.0, 7.0).unwrap(), 0.356675, 5e-7);
    near(root(&[], 3.0, 6.0).unwrap(), 0.5, 1e-9);
    assert_eq!(root(&[(1.0, 3.0)], 0.0, 0.0), None, "nothing was ever quiet");
    assert_eq!(root(&[], 0.0, 4.0), None, "nothing changed");
    assert_eq!(root(&[(f64::NAN, 1.0)], 1.0, 1.0), None);
}

#[test]
fn a_record_with_equal_intervals_is_exact() {
    let mut record = ChangeRecord::default();
    (0..10).for_each(|visit| record.see(DAY_MS, visit < 3));
    near(record.rate().unwrap(), -(0.7f64.ln()), 1e-8);
    let mut all = ChangeRecord::default();
    (0..10).for_each(|_| all.see(DAY_MS, true));
    near(all.rate().unwrap(), 3.04452, 5e-6);
    let mut none = ChangeRecord::default();
    (0..10).for_each(|_| none.see(3 * DAY_MS, false));
    near(none.rate().unwrap(), std::f64::consts::LN_2 / 30.0, 1e-12);
    assert_eq!(ChangeRecord::default().rate(), None);
}

#[test]
fn a_record_with_unequal_intervals_is_near() {
    let mut record = ChangeRecord::default();
    for (interval, changed) in [(1, true), (2, false), (3, false), (4, true)] {
        record.see(interval * DAY_MS, changed);
    }
    near(record.rate().unwrap(), 0.281327, 0.01);
}

#[test]
fn dates_of_changes_count_backwards_from_the_visit() {
    let mut record = ChangeRecord::default();
    record.see_dated(10 * DAY_MS, 4 * DAY_MS);
    record.see(6 * DAY_MS, false);
    near(record.rate().unwrap(), 0.1, 1e-9);
    // A page that changes 100 times an interval: its last change was a hundredth of it ago.
    let mut fast = ChangeRecord::default();
    (0..20).for_each(|_| fast.see_dated(10 * DAY_MS, DAY_MS / 10));
    near(fast.rate().unwrap(), 10.0, 1e-6);
    let mut lie = ChangeRecord::default();
    lie.see_dated(DAY_MS, 2 * DAY_MS);
    lie.see_dated(DAY_MS, -1);
    assert_eq!((lie.changes(), lie.dated), (2, 0), "what lies outside of the interval is no date of it");
}

#[test]
fn a_prior_holds_what_was_hardly_seen_and_lets_go_of_what_was() {
    let prior = Prior::of(0.02);
    near(ChangeRecord::default().rate_with(&prior), 0.02, 1e-9);
    let mut once = ChangeRecord::default();
    once.see(7 * DAY_MS, true);
    let after_one = once.rate_with(&prior);
    assert!(after_one < 0.1, "{after_one}: the page alone would say {:?}", once.rate());
    let mut fast = ChangeRecord::default();
    (0..20).for_each(|_| fast.see(DAY_MS, true));
    assert!(fast.rate_with(&prior) > 1.0, "{}", fast.rate_with(&prior));
    let mut quiet = ChangeRecord::default();
    (0..20).for_each(|_| quiet.see(7 * DAY_MS, false));
    near(quiet.rate_with(&prior), 0.5 / (140.0 + 25.0), 1e-9);
}

#[test]
fn counts_that_are_full_forget_half_and_keep_the_rate() {
    let mut record = ChangeRecord::default();
    for visit in 0..300_000u32 {
        record.see(DAY_MS, visit % 3 == 0);
    }
    near(record.rate().unwrap(), -(2.0f64 / 3.0).ln(), 1e-3);
    assert!(record.visits() < 200_000);
    let mut dated = ChangeRecord::default();
    (0..200_000).for_each(|_| dated.see_dated(2 * DAY_MS, DAY_MS));
    near(dated.rate().unwrap(), 1.0, 1e-6);
}

#[test]
fn visits_that_were_deceived_are_taken_back() {
    let mut record = ChangeRecord::default();
    (0..5).for_each(|_| record.see(DAY_MS, false));
    let before = record.clone();
    (0..3).for_each(|_| record.see(DAY_MS, false));
    record.forget_unchanged(3, 3 * DAY_MS);
    assert_eq!(record, before);
    record.forget_unchanged(100, i64::MAX);
    assert_eq!(record, ChangeRecord::default());
}

/// A stream of draws from a seed, uniform in (0, 1).
fn draws(seed: u64) -> impl FnMut() -> f64 {
    let mut stream = webmill_capture::splitmix::SplitMix(seed);
    move || stream.unit() + 1e-17
}

#[test]
fn estimates_are_unbiased_enough() {
    // 2,000 pages at rate 0.1, 40 visits each at intervals of 2 to 20 days.
    let mut draw = draws(7);
    let (mut undated, mut dated) = (0.0, 0.0);
    for _ in 0..2000 {
        let (mut by_digest, mut by_date) = (ChangeRecord::default(), ChangeRecord::default());
        for _ in 0..40 {
            let days = 2.0 + 18.0 * draw();
            let since_change = -draw().ln() / 0.1;
            let interval = (days * DAY_MS as f64) as i64;
            by_digest.see(interval, since_change < days);
            match since_change < days {
                true => by_date.see_dated(interval, (since_change * DAY_MS as f64) as i64),
                false => by_date.see(interval, false),
            }
        }
        undated += by_digest.rate().unwrap() / 2000.0;
        dated += by_date.rate().unwrap() / 2000.0;
    }
    near(undated, 0.1, 0.006);
    near(dated, 0.1, 0.006);
}

/// However often a page changes, its rate is known after some visits as nearly as such visits can tell: intervals are 1.59 / rate, at
/// which "changed or not" tells most. The standard error of one visit is 1.243 by digests and 1.12 by dates; of half of the pages the error
/// is below 0.6745 of it.
#[test]
fn estimates_come_near_to_what_visits_can_tell() {
    let mut draw = draws(8);
    for (visits, dated, of_one) in
        [(20, false, 1.243), (20, true, 1.12), (80, false, 1.243), (80, true, 1.12)]
    {
        let mut errors: Vec<f64> = Vec::new();
        for page in 0..2001 {
            let rate = 10f64.powf(f64::from(page % 5) - 3.0);
            let (interval, mut record) = (1.59 / rate, ChangeRecord::default());
            for _ in 0..visits {
                let since_change = -draw().ln() / rate;
                let [interval_ms, ago_ms] =
                    [interval, since_change].map(|days| (days * DAY_MS as f64) as i64);
                match since_change < interval {
                    true if dated => record.see_dated(interval_ms, ago_ms),
                    changed => record.see(interval_ms, changed),
                }
            }
            errors.push((record.rate().unwrap() / rate - 1.0).abs());
        }
        errors.sort_by(f64::total_cmp);
        let bound = 0.6745 * of_one / f64::from(visits).sqrt();
        assert!(errors[1000] < 1.15 * bound, "{visits} visits, dated: {dated}: {} of {bound}", errors[1000]);
    }
}

proptest! {
    #[test]
    fn a_change_raises_the_rate_and_quiet_lowers_it(
        visits in proptest::collection::vec((60_000i64..400 * DAY_MS, any::<bool>()), 0..40),
        interval in 60_000i64..400 * DAY_MS,
    ) {
        let mut record = ChangeRecord::default();
        for (quiet, changed) in &visits {
            record.see(if *changed { interval } else { *quiet }, *changed);
        }
        let mut quiet = record.clone();
        quiet.see(interval, false);
        if let (Some(before), Some(after)) = (record.rate(), quiet.rate()) {
            prop_assert!(after <= before * (1.0 + 1e-6), "{before} {after}");
        }
        let mut changed = record.clone();
        changed.see(interval, true);
        if record.visits() > record.changes() && record.changes() > 0 {
            let (before, after) = (record.rate().unwrap(), changed.rate().unwrap());
            prop_assert!(after >= before * (1.0 - 1e-6), "{before} {after}");
        }
    }
}
