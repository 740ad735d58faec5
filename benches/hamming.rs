//! The Hamming join of fingerprints, beside the comparison of all pairs.
//!
//!     cargo bench -p webmill-dedup --bench hamming -- [uniform] [skewed] [sites]
//!
//! All parts without an argument. `uniform` joins ten million fingerprints (`WEBMILL_FINGERPRINTS`) of uniform bits at
//! k = 3, 6 and 7; all pairs of them would take days: a part of the rows is compared with all, and the time scaled. `skewed`
//! joins 20,000 pages of one template at k = 6, `sites` as many uniform ones and 2000 of each of ten templates.
//! CPU seconds of the process, the ratios all pairs / join, each least / median / greatest of the rounds
//! (`WEBMILL_ROUNDS`, default 5), and the peak of memory. A join that finds another number of pairs than all pairs
//! have ends the run.

use rayon::prelude::*;
use webmill_capture::splitmix::SplitMix;
use webmill_dedup::{Fingerprint, HammingJoin};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|arg| arg == part);
    let mut state = SplitMix(1);
    if wanted("skewed") {
        compare("one template", &pages(20_000, &mut state), 6)?;
    }
    if wanted("sites") {
        let mut set: Vec<Fingerprint> = (0..20_000).map(|_| Fingerprint(state.bits())).collect();
        (0..10).for_each(|_| set.extend(pages(2000, &mut state)));
        compare("uniform, and ten templates", &set, 6)?;
    }
    if wanted("uniform") {
        let count = std::env::var("WEBMILL_FINGERPRINTS").map_or(Ok(10_000_000), |n| n.parse())?;
        let set: Vec<Fingerprint> = (0..count).map(|_| Fingerprint(state.bits())).collect();
        for k in [3, 6, 7] {
            compare("uniform", &set, k)?;
        }
    }
    println!("peak of memory: {} MiB", peak_mib()?);
    Ok(())
}

/// Rows of many fingerprints that are compared with all.
const ROWS: usize = 128;

/// Joins a set and compares all pairs of it, in turns.
fn compare(name: &str, set: &[Fingerprint], k: u32) -> Result<(), Failure> {
    let rounds: usize = std::env::var("WEBMILL_ROUNDS").map_or(Ok(5), |n| n.parse())?;
    // All rows where they are few, and then as many pairs have to come out.
    let rows = if set.len() > 100_000 { ROWS } else { set.len() };
    let (mut joins, mut all) = (Vec::new(), Vec::new());
    let (mut found, mut compared) = (0, 0);
    for _ in 0..rounds {
        let start = cpu();
        let mut pairs = 0u64;
        let totals = HammingJoin::new(k).run(set, |_| {
            pairs += 1;
            Ok(())
        })?;
        joins.push(cpu() - start);
        (found, compared) = (pairs, totals.compared);
        let start = cpu();
        let pairs = brute_force(set, rows, k);
        // Each pair once: half of what a row compared with all counts.
        let share = if rows < set.len() { set.len() as f64 / (2 * rows) as f64 } else { 1.0 };
        all.push((cpu() - start) * share);
        if rows == set.len() && pairs != found {
            return Err(format!("{name}, k = {k}: the join found {found} pairs of {pairs}").into());
        }
    }
    let ratios: Vec<f64> = all.iter().zip(&joins).map(|(all, join)| all / join).collect();
    let scaled = if rows < set.len() { " (scaled)" } else { "" };
    println!(
        "{name}, {} fingerprints, k = {k}: {found} pairs, {compared:.2e} comparisons, {} CPU s; all pairs {} CPU s{scaled}; \
         ratio {}",
        set.len(),
        shown(&joins),
        shown(&all),
        shown(&ratios)
    );
    Ok(())
}

/// Pairs within `k` of the first rows and all that come after them; with fewer rows than values, all of them.
fn brute_force(set: &[Fingerprint], rows: usize, k: u32) -> u64 {
    let from = |row: usize| if rows < set.len() { 0 } else { row + 1 };
    (0..rows).into_par_iter().map(|row| count(set[row].0, &set[from(row)..], k)).sum()
}

/// How many of the values are within `k` of this one.
fn count(value: u64, others: &[Fingerprint], k: u32) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { count_popcnt(value, others, k) };
    }
    count_any(value, others, k)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn count_popcnt(value: u64, others: &[Fingerprint], k: u32) -> u64 {
    count_any(value, others, k)
}

#[inline(always)]
fn count_any(value: u64, others: &[Fingerprint], k: u32) -> u64 {
    others.iter().map(|other| u64::from((value ^ other.0).count_ones() <= k)).sum()
}

/// Pages of one template: a third of the bits differ from the site's in at most 2 pages of 100, the others in 3 to 49;
/// no two are equal, since equal ones are a star to the join.
fn pages(count: usize, state: &mut SplitMix) -> Vec<Fingerprint> {
    let base = state.bits();
    let percent: Vec<u64> = (0..64)
        .map(|_| if state.bits().is_multiple_of(3) { state.bits() % 3 } else { 3 + state.bits() % 47 })
        .collect();
    let mut pages = std::collections::BTreeSet::new();
    while pages.len() < count {
        let flip = |value: u64, (bit, percent): (usize, &u64)| {
            value ^ u64::from(state.bits() % 100 < *percent) << bit
        };
        pages.insert(percent.iter().enumerate().fold(base, flip));
    }
    pages.into_iter().map(Fingerprint).collect()
}

/// Least, median and greatest.
fn shown(values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let text = |value: f64| if value < 100.0 { format!("{value:.3}") } else { format!("{value:.0}") };
    [sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1]].map(text).join(" / ")
}

/// CPU seconds of the process.
fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that lives through the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn peak_mib() -> std::io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) >> 10)
}
