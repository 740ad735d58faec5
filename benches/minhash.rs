//! Sketches and bands by the number of shingles, the pass over a text with and without them, and the join by bands.
//!
//!     cargo bench -p webmill-dedup --bench minhash -- [sketch] [text] [join] [cap]
//!
//! All parts without an argument. `WEBMILL_PEERS` names a Python with `rensa`, `datasketch` and `numpy`: they sketch the
//! same hashes (128 values, 16 × 8 bands), one thread each. CPU seconds of the thread are taken, the least of the
//! rounds (`WEBMILL_ROUNDS`, default 5). The join is of 100,000 pages (`WEBMILL_PAGES`) that are equal, or of one
//! template: 82 or 64 % of each pair's shingles are the same; each meeting is verified exactly, shingle by shingle.
//! `cap` plants pairs of near-duplicates among the pages of a template and counts how many of them are met by the
//! most representatives of a bucket.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;
use webmill_dedup::{
    BandJoin, BandJoinOptions, BandJoinTotals, BandShape, MinHasher, Shingles, SimHasher, TextSigner,
};
use webmill_sort::Budget;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|arg| arg == part);
    if wanted("sketch") {
        sketch()?;
    }
    if wanted("text") {
        text();
    }
    if wanted("join") {
        join()?;
    }
    if wanted("cap") {
        cap()?;
    }
    Ok(())
}

/// A number that looks random.
fn scatter(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// CPU seconds: of this thread, of the process.
fn cpu(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec that lives through the call.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Least CPU seconds of the thread among the rounds.
fn least(mut work: impl FnMut()) -> f64 {
    let rounds = std::env::var("WEBMILL_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let mut best = f64::MAX;
    for _ in 0..rounds {
        let start = cpu(libc::CLOCK_THREAD_CPUTIME_ID);
        work();
        best = best.min(cpu(libc::CLOCK_THREAD_CPUTIME_ID) - start);
    }
    best
}

fn sketch() -> Result<(), Failure> {
    let shape = BandShape { bands: 16, rows: 8, words: 3 };
    for shingles in [10usize, 50, 120, 300, 1000, 10_000] {
        let pages = (2_000_000 / shingles).clamp(200, 20_000);
        let elements: Vec<u64> = (0..(pages * shingles) as u64).map(scatter).collect();
        let mut hasher = MinHasher::new(shape.values());
        let mut bands = Vec::new();
        let whole = least(|| {
            for page in elements.chunks_exact(shingles) {
                bands.clear();
                if let Some(sketch) = hasher.sketch(page) {
                    shape.hash(&sketch, &mut bands);
                }
                black_box(&bands);
            }
        });
        let streamed = least(|| {
            for page in elements.chunks_exact(shingles) {
                bands.clear();
                page.iter().for_each(|&element| hasher.add(element));
                if let Some(sketch) = hasher.finish() {
                    shape.hash(&sketch, &mut bands);
                }
                black_box(&bands);
            }
        });
        report("webmill, a slice", pages, shingles, whole, whole);
        report("webmill, one by one", pages, shingles, streamed, whole);
        peers(&elements, shingles, whole)?;
    }
    Ok(())
}

fn report(name: &str, pages: usize, shingles: usize, seconds: f64, ours: f64) {
    let (page, shingle) = (seconds / pages as f64 * 1e6, seconds / (pages * shingles) as f64 * 1e9);
    println!(
        "{shingles:>6} shingles {name:<28} {page:9.2} µs a page {shingle:8.2} ns a shingle {:6.1}x",
        seconds / ours
    );
}

/// What Python's packages take for the same.
fn peers(elements: &[u64], shingles: usize, ours: f64) -> Result<(), Failure> {
    let Some(python) = std::env::var_os("WEBMILL_PEERS") else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("elements");
    std::fs::write(&file, elements.iter().flat_map(|element| element.to_le_bytes()).collect::<Vec<u8>>())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers/minhash.py");
    let output = Command::new(python).arg(script).arg(&file).arg(shingles.to_string()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    for line in String::from_utf8(output.stdout)?.lines() {
        let (seconds, name) = line.split_once(' ').ok_or("a line of the peers")?;
        report(name, elements.len() / shingles, shingles, seconds.parse()?, ours);
    }
    Ok(())
}

/// Words as frequent as Zipf's law has them.
fn words(count: usize) -> Vec<String> {
    let word = |i: u64| {
        let rank = 20_000f64.powf((scatter(i) >> 11) as f64 / (1u64 << 53) as f64) as u64;
        "abcdefghijklmnopqrst"[..1 + (scatter(rank) % 9) as usize].to_owned() + &rank.to_string()
    };
    (0..count as u64).map(word).collect()
}

fn text() {
    for count in [100, 300, 1000, 5000] {
        let pages = 2_000_000 / count;
        let words = words(count * 20);
        let page = |n: usize| &words[n % 20 * count..][..count];
        let simhash = least(|| {
            for n in 0..pages {
                let mut hasher = SimHasher::default();
                page(n).iter().for_each(|word| hasher.word(word));
                black_box(hasher.finish());
            }
        });
        for name in ["webmill", "datatrove"] {
            let mut signer = TextSigner::new(&name.parse().unwrap_or_default());
            let both = least(|| {
                for n in 0..pages {
                    page(n).iter().for_each(|word| signer.word(word));
                    black_box(signer.finish());
                }
            });
            let [alone, both] = [simhash, both].map(|seconds| seconds / pages as f64 * 1e6);
            println!(
                "{count:>6} words: SimHash {alone:.2} µs a page, with bands ({name}) {both:.2}, {:.2} more",
                both - alone
            );
        }
    }
}

/// Shingles of page `n` of a template: of 100, `common` are those of all, `paired` those of two pages, the rest its own.
fn page_of_template(n: u32, common: u64, paired: u64) -> Vec<u64> {
    let own = |i| scatter(u64::from(n) << 32 | 1 << 30 | i);
    let paired_one = |i| scatter(u64::from(n / 2) << 32 | 1 << 31 | i);
    let rest = 100 - common - paired;
    (0..common).map(scatter).chain((0..paired).map(paired_one)).chain((0..rest).map(own)).collect()
}

/// Sketched and cut in parallel.
fn bands(pages: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let shape = BandShape { bands: 16, rows: 8, words: 3 };
    let sketched = pages.par_iter().map_init(MinHasher::default, |hasher, page| {
        let mut bands = Vec::new();
        if let Some(sketch) = hasher.sketch(page) {
            shape.hash(&sketch, &mut bands);
        }
        bands
    });
    sketched.collect()
}

fn join() -> Result<(), Failure> {
    let count = std::env::var("WEBMILL_PAGES").map_or(Ok(100_000u32), |n| n.parse())?;
    for (name, common, bound) in
        [("equal", 100, 0.8), ("J = .82", 90, 0.8), ("J = .82, bound .9", 90, 0.9), ("J = .64", 78, 0.8)]
    {
        let pages: Vec<Vec<u64>> = (0..count).map(|n| page_of_template(n, common, 0)).collect();
        // The shingles of ten words a number: as long as those of a page of a thousand words.
        let shingles: Vec<Shingles> = pages
            .par_iter()
            .map(|page| {
                let words: Vec<String> =
                    page.iter().flat_map(|n| (0..10).map(move |i| format!("{n}.{i}"))).collect();
                Shingles::of_words(words.iter().map(String::as_str), 1)
            })
            .collect();
        let start = cpu(libc::CLOCK_PROCESS_CPUTIME_ID);
        let bands = bands(&pages);
        let sketched = cpu(libc::CLOCK_PROCESS_CPUTIME_ID);
        let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(256 << 20));
        for (n, bands) in bands.iter().enumerate() {
            join.push(n as u32, bands)?;
        }
        let matches = join.run(|meetings, verdicts| {
            meetings.par_iter().zip(verdicts).with_min_len(256).for_each(|(meeting, verdict)| {
                let (a, b) = (meeting.representative as usize, meeting.page as usize);
                let resemblance = shingles[a].resemblance(&shingles[b]);
                *verdict = (resemblance >= bound).then_some(resemblance as f32);
            });
            Ok(())
        })?;
        let totals = *matches.totals();
        let found = matches.count();
        let end = cpu(libc::CLOCK_PROCESS_CPUTIME_ID);
        println!(
            "{count} pages, {name}: bands {:.2} CPU s, join {:.2} CPU s, {found} matches, {totals:?}",
            sketched - start,
            end - sketched
        );
    }
    Ok(())
}

fn cap() -> Result<(), Failure> {
    let count = 20_000u32;
    println!("pages with a twin, of one template; share of twins that meet, meetings a page");
    for (template, common) in [(0.5, 67), (0.64, 78), (0.75, 86), (0.78, 88)] {
        for (twin, both) in [(0.82, 90), (0.85, 92), (0.9, 95)] {
            let pages: Vec<Vec<u64>> =
                (0..count).map(|n| page_of_template(n, common, both - common)).collect();
            let bands = bands(&pages);
            print!("J = {template} to all, {twin} to the twin:");
            for most in [1, 4, 16, 32, 64, 128, 256, 1024] {
                let (matches, totals) = planted(&bands, most)?;
                let share = matches as f64 / f64::from(count / 2);
                print!("  {most}: {share:.4} {:.0}", totals.meetings as f64 / f64::from(count));
            }
            println!();
        }
    }
    Ok(())
}

/// Joins pages of which each accepts its twin and nobody else.
fn planted(bands: &[Vec<u64>], most: u32) -> Result<(usize, BandJoinTotals), Failure> {
    let options = BandJoinOptions { most_representatives: most, ..BandJoinOptions::default() };
    let mut join = BandJoin::new(&options, &Budget::new(512 << 20));
    // Twins are far from each other in the order.
    let rank = |n: u32| n / 2 + n % 2 * bands.len() as u32 / 2;
    for (n, bands) in bands.iter().enumerate() {
        join.push(rank(n as u32), bands)?;
    }
    let half = bands.len() as u32 / 2;
    let matches = join.run(|meetings, verdicts| {
        for (meeting, verdict) in meetings.iter().zip(verdicts) {
            *verdict = (meeting.representative + half == meeting.page).then_some(1.0);
        }
        Ok(())
    })?;
    let totals = *matches.totals();
    Ok((matches.count(), totals))
}
