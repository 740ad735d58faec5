//! Measures estimators and schedules on pages whose changes are planted, in virtual time, and prints tables.
//!
//! `cargo run --release -p webmill-revisit --example revisit_schedules [PAGES [SEED]]`

#[path = "../evaluation/planted.rs"]
mod planted;

use planted::{Measured, Rule, Run, Validators, closed_form, estimates, median_error, plant};
use webmill_revisit::{RevisitOptions, Schedule};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse().expect("a number"));
    let pages = arguments.next().unwrap_or(20_000u64) as usize;
    let seed = arguments.next().unwrap_or(1u64);
    let (all, measured) = (730.0, 365.0);
    let web = plant(seed, pages, all);
    let options = |schedule| RevisitOptions { schedule, ..RevisitOptions::default() };

    println!(
        "{pages} pages, two years of which the second is measured; rates log-normal, median 1/50 a day, spread 1\n"
    );
    let free = Run { pages: &web, visits_per_day: f64::INFINITY, days: all, measured, known: false };
    let adaptive = free.by(&Rule::Ours(options(Schedule::Adaptive)));
    let budget = adaptive.visits_per_day;
    println!(
        "| rule | visits a page and year | freshness | age, days | bodies, % of visits |\n|---|---|---|---|---|"
    );
    let row = |name: &str, got: &Measured| {
        let yearly = got.visits_per_day * 365.0 / pages as f64;
        println!(
            "| {name} | {yearly:.2} | {:.4} | {:.2} | {:.0} |",
            got.freshness,
            got.age_days,
            100.0 * got.bodies
        );
    };
    row("adaptive", &adaptive);
    let capped = Run { visits_per_day: budget, ..free };
    let mut rules = vec![("nutch", Rule::Nutch)];
    for schedule in [Schedule::Optimal, Schedule::Age] {
        rules.push((
            schedule.name(),
            Rule::Ours(RevisitOptions { visits_per_day: budget, ..options(schedule) }),
        ));
    }
    let every_s = (pages as f64 / budget * 86_400.0) as u64;
    rules.push(("fixed", Rule::Ours(RevisitOptions { every_s, ..options(Schedule::Fixed) })));
    rules.iter().for_each(|(name, rule)| row(name, &capped.by(rule)));
    println!("\nclosed form of optimal with the true rates: {:.4}\n", closed_form(&web, budget));

    println!("median interval after two years of adaptive, days\n\n| pages | interval |\n|---|---|");
    let kind = |page: &planted::Planted| match page.rate > 0.0 {
        true => "that change",
        false if page.clock => "with a clock",
        false => "static",
    };
    for name in ["static", "with a clock", "that change"] {
        let known = web.iter().zip(&adaptive.histories);
        let known = known.filter(|(page, _)| kind(page) == name && page.vanishes.is_infinite());
        let mut intervals: Vec<i64> = known.map(|(_, history)| history.interval_ms).collect();
        intervals.sort_unstable();
        let median = intervals.get(intervals.len() / 2).copied().unwrap_or(0);
        println!("| {name} | {:.1} |", webmill_revisit::days(median));
    }

    println!("\nmedian relative error of the estimated rate, by visits\n");
    println!(
        "| visits | adaptive, digests | adaptive, dates | best interval, digests | best interval, dates |"
    );
    println!("|---|---|---|---|---|");
    for visits in [5, 10, 20, 40, 80] {
        let error = |best, validators| {
            let some = &web[..web.len().min(4000)];
            100.0 * median_error(some, &estimates(some, visits, best, validators), visits)
        };
        println!(
            "| {visits} | {:.1} % | {:.1} % | {:.1} % | {:.1} % |",
            error(false, Validators::Missing),
            error(false, Validators::Honest),
            error(true, Validators::Missing),
            error(true, Validators::Honest)
        );
    }
}
