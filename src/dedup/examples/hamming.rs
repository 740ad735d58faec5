//! How long the Hamming join takes: uniform fingerprints, and those of sites of one template.
//!
//!     cargo run --release -p webmill-dedup --example hamming -- [KIND [THOUSANDS [K [THOUSANDS_A_SITE]]]]
//!
//! KIND is `uniform` (the default), `site` (one site; a third of the bits hardly vary) or `sites` (many of them);
//! defaults: 10,000 thousand, k = 3. Prints seconds of wall and CPU time and the peak of memory.

use std::time::Instant;

use webmill_dedup::{Fingerprint, FingerprintIndex, HammingJoin};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |arg| arg.parse());
    let kind = args.first().map_or("uniform", String::as_str);
    let n = number(1, 10_000)? * 1000;
    let (k, site) = (number(2, 3)? as u32, number(3, n / 1000)? * 1000);
    let mut state = 1;
    let set: Vec<Fingerprint> = match kind {
        "uniform" => (0..n).map(|_| Fingerprint(next(&mut state))).collect(),
        "site" => pages(n, n, &mut state),
        "sites" => pages(n, site, &mut state),
        other => return Err(format!("{other} is neither uniform, site nor sites").into()),
    };
    let (wall, cpu) = (Instant::now(), cpu_seconds()?);
    let totals = HammingJoin::new(k).run(&set, |_| Ok(()))?;
    println!(
        "{kind}, {n} fingerprints, k = {k}: {} pairs, {:.2e} comparisons, {:.2} s, {:.2} CPU s, peak {} MiB",
        totals.pairs,
        totals.compared as f64,
        wall.elapsed().as_secs_f64(),
        cpu_seconds()? - cpu,
        peak_mib()?
    );
    let queries = FingerprintIndex::new(&set[..n / 10], k)?;
    let (wall, cpu) = (Instant::now(), cpu_seconds()?);
    let totals = queries.scan(&set, |_| Ok(()))?;
    println!(
        "all scanned against a tenth of them: {} pairs, {:.2} s, {:.2} CPU s",
        totals.pairs,
        wall.elapsed().as_secs_f64(),
        cpu_seconds()? - cpu
    );
    Ok(())
}

/// Fingerprints of sites: in each, a third of the bits differ from the site's in at most 2 pages of 100, the others in
/// 3 to 49.
fn pages(n: usize, site: usize, state: &mut u64) -> Vec<Fingerprint> {
    let mut pages = Vec::with_capacity(n);
    let (mut base, mut percent) = (0, Vec::new());
    for page in 0..n {
        if page % site.max(1) == 0 {
            base = next(state);
            percent = (0..64)
                .map(|_| if next(state).is_multiple_of(3) { next(state) % 3 } else { 3 + next(state) % 47 })
                .collect();
        }
        let flip = |value: u64, (bit, percent): (usize, &u64)| {
            value ^ u64::from(next(state) % 100 < *percent) << bit
        };
        pages.push(Fingerprint(percent.iter().enumerate().fold(base, flip)));
    }
    pages
}

/// Seconds of processor time of this process until now.
fn cpu_seconds() -> std::io::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<f64> =
        stat.rsplit(')').next().into_iter().flat_map(str::split_whitespace).flat_map(str::parse).collect();
    // After the name and the state, which is no number: user time is field 14, system time field 15.
    Ok((fields[10] + fields[11]) / 100.0)
}

fn peak_mib() -> std::io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) >> 10)
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
