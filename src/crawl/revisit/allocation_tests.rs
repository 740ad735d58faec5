use super::*;
use proptest::prelude::*;

fn five() -> RateHistogram {
    let mut pages = RateHistogram::default();
    (1..=5).for_each(|rate| pages.add(f64::from(rate), 1.0));
    pages
}

#[test]
fn five_pages_and_five_visits_a_day() {
    let pages = five();
    let plan = Plan::solve(Objective::Freshness, &pages, 5.0).unwrap();
    for (rate, visits) in [(1.0, 1.150), (2.0, 1.358), (3.0, 1.354), (4.0, 1.138), (5.0, 0.0)] {
        assert!((plan.frequency(rate, 1.0) - visits).abs() < 5e-4, "{rate}: {}", plan.frequency(rate, 1.0));
    }
    assert!((plan.visits(&pages) - 5.0).abs() < 1e-9);
    // What else the same budget could do: all pages alike, or as often as they change.
    let mean = |interval: fn(f64) -> f64| {
        (1..=5).map(f64::from).map(|r| freshness(r, interval(r))).sum::<f64>() / 5.0
    };
    for (fresh, want) in
        [(plan.freshness(&pages), 0.3739), (mean(|_| 1.0), 0.3651), (mean(|r| 3.0 / r), 0.3167)]
    {
        assert!((fresh - want).abs() < 5e-5, "{fresh} {want}");
    }
}

#[test]
fn age_visits_every_page_and_fast_ones_more() {
    let pages = five();
    let plan = Plan::solve(Objective::Age, &pages, 5.0).unwrap();
    let visits: Vec<f64> = (1..=5).map(|rate| plan.frequency(f64::from(rate), 1.0)).collect();
    assert!(visits.windows(2).all(|pair| pair[0] < pair[1]) && visits[0] > 0.0, "{visits:?}");
    let alike = (1..=5).map(|rate| age(f64::from(rate), 1.0)).sum::<f64>() / 5.0;
    assert!(plan.age_days(&pages) < alike);
}

#[test]
fn no_exchange_of_visits_between_two_pages_helps() {
    let pages = five();
    for objective in [Objective::Freshness, Objective::Age] {
        let plan = Plan::solve(objective, &pages, 5.0).unwrap();
        let visits: Vec<f64> = (1..=5).map(|rate| plan.frequency(f64::from(rate), 1.0)).collect();
        let worth = |visits: &[f64]| -> f64 {
            let of = |(at, visits): (usize, &f64)| match objective {
                Objective::Freshness if *visits <= 0.0 => 0.0,
                Objective::Freshness => freshness(at as f64 + 1.0, 1.0 / visits),
                _ => -age(at as f64 + 1.0, 1.0 / visits),
            };
            visits.iter().enumerate().map(of).sum()
        };
        let best = worth(&visits);
        for from in 0..5 {
            for to in 0..5 {
                let mut other = visits.clone();
                let moved = 0.01f64.min(other[from]);
                other[from] -= moved;
                other[to] += moved;
                assert!(worth(&other) <= best + 1e-12, "{objective:?} {from} → {to}");
            }
        }
    }
}

#[test]
fn a_heavier_page_is_visited_more_often() {
    let mut pages = RateHistogram::default();
    pages.add(1.0, 1.0);
    pages.add(1.0, 4.0);
    let plan = Plan::solve(Objective::Freshness, &pages, 2.0).unwrap();
    assert!(plan.frequency(1.0, 4.0) > 1.5 * plan.frequency(1.0, 1.0));
    assert!((plan.visits(&pages) - 2.0).abs() < 1e-9);
}

#[test]
fn a_hundred_million_pages_are_a_histogram() {
    let mut pages = RateHistogram::default();
    for step in 0..100_000 {
        pages.add_many(1e-4 * f64::from(step + 1).powf(0.7), 1.0, 1000);
    }
    assert_eq!(pages.pages(), 100_000_000);
    assert!(pages.cells.len() < 1000, "{}", pages.cells.len());
    let plan = Plan::solve(Objective::Freshness, &pages, 5e6).unwrap();
    assert!((plan.visits(&pages) / 5e6 - 1.0).abs() < 1e-12);
    let exact: f64 =
        (0..100_000).map(|step| 1000.0 * plan.frequency(1e-4 * f64::from(step + 1).powf(0.7), 1.0)).sum();
    assert!((exact / 5e6 - 1.0).abs() < 2e-3, "cells of 1 % stand for their pages: {exact}");
}

#[test]
fn a_host_that_bears_less_gets_its_visits_spread_by_the_same_rule() {
    let pages = five();
    let plan = Plan::solve(Objective::Freshness, &pages, 5.0).unwrap();
    assert_eq!(plan.within(&pages, 5.1), (plan, false));
    assert_eq!(plan.within(&RateHistogram::default(), 0.0), (plan, false));
    let (capped, was) = plan.within(&pages, 1.0);
    assert!(was);
    assert!((capped.visits(&pages) - 1.0).abs() < 1e-9);
    assert_eq!(Some(capped), Plan::solve(Objective::Freshness, &pages, 1.0));
}

#[test]
fn without_pages_or_budget_there_is_no_plan() {
    let pages = five();
    for budget in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Plan::solve(Objective::Age, &pages, budget), None, "{budget}");
    }
    assert_eq!(Plan::solve(Objective::Age, &RateHistogram::default(), 1.0), None);
}

#[test]
fn histograms_merge() {
    let (mut one, mut two) = (RateHistogram::default(), RateHistogram::default());
    one.add(1.0, 1.0);
    one.add(2.0, 1.0);
    (3..=5).for_each(|rate| two.add(f64::from(rate), 1.0));
    one.merge(&two);
    assert_eq!(one, five());
}

proptest! {
    #[test]
    fn inverses_are_inverse(log in -12.0f64..3.0) {
        let r = 10f64.powf(log).min(30.0);
        let h = if r < 1e-4 { r * r / 2.0 - r.powi(3) / 3.0 } else { -(-r).exp_m1() - r * (-r).exp() };
        prop_assert!((inverse_h(h) / r - 1.0).abs() < 1e-4, "{} for {r}", inverse_h(h));
        let k = if r < 0.01 { r.powi(3) / 3.0 - r.powi(4) / 8.0 } else { r * r / 2.0 - h };
        prop_assert!((inverse_k(k) / r - 1.0).abs() < 1e-4, "{} for {r}", inverse_k(k));
    }

    #[test]
    fn any_pages_and_budget_add_up(
        pages in proptest::collection::vec((any::<f64>(), any::<f64>()), 1..30),
        budget in 1e-3f64..1e4,
    ) {
        let mut histogram = RateHistogram::default();
        pages.iter().for_each(|(rate, weight)| histogram.add(*rate, *weight));
        for objective in [Objective::Freshness, Objective::Age] {
            let plan = Plan::solve(objective, &histogram, budget).unwrap();
            for (rate, weight) in &pages {
                let visits = plan.frequency(*rate, *weight);
                prop_assert!(visits >= 0.0 && visits.is_finite());
            }
            let sum = plan.visits(&histogram);
            prop_assert!((sum / budget - 1.0).abs() < 1e-6, "{objective:?}: {sum} of {budget}");
        }
    }

    #[test]
    fn no_plan_is_fresher_than_the_optimal_one(
        rates in proptest::collection::vec(1e-3f64..1e2, 1..20), budget in 0.1f64..100.0,
    ) {
        let mut pages = RateHistogram::default();
        rates.iter().for_each(|rate| pages.add(*rate, 1.0));
        let best = Plan::solve(Objective::Freshness, &pages, budget).unwrap().freshness(&pages);
        let youngest = Plan::solve(Objective::Age, &pages, budget).unwrap();
        prop_assert!(youngest.freshness(&pages) <= best + 1e-9);
        let alike = rates.iter().map(|rate| freshness(*rate, rates.len() as f64 / budget)).sum::<f64>();
        // Cells of 1 % stand for their pages.
        prop_assert!(alike / rates.len() as f64 <= best + 1e-3);
    }
}
