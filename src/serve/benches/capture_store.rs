//! The store of captures: bytes a capture, look-ups, streams, adding while it serves.
//!
//!     cargo bench -p webmill-serve --bench capture_store -- [CAPTURES [ADDED [FOLDER]]]
//!
//! Defaults: 5,000,000 captures, 2,000,000 added, a temporary folder. The model of the captures is in `synthetic.rs`.
//! It stands with its crate, not with the other benchmarks, so that measuring builds nothing else.

mod synthetic;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use webmill_capture::cut::Cut;

use synthetic::Synthetic;
use webmill_serve::index::store::Store;
use webmill_serve::index::{CaptureSource, Entry, KeyRange};

const ROUNDS: usize = 5;
const LOOK_UPS: usize = 100_000;
const BATCH: usize = 5_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let number = |at: usize, usual: u64| args.get(at).map_or(Ok(usual), |arg| arg.parse::<u64>());
    let (count, added) = (number(0, 5_000_000)?, number(1, 2_000_000)?);
    let temporary = tempfile::tempdir()?;
    let folder = args.get(2).map_or_else(|| temporary.path().to_path_buf(), PathBuf::from).join("store");
    let wanted = build(&folder, count)?;
    let start = Instant::now();
    let store = Store::open(&folder)?;
    println!("opened in {:.3} s", start.elapsed().as_secs_f64());
    look_ups(&store, &wanted)?;
    streams(&store, &wanted)?;
    adding(&store, &wanted, added)?;
    Ok(())
}

/// Builds the store and gives keys to ask for.
fn build(folder: &std::path::Path, count: u64) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut wanted = Vec::new();
    let every = (count / LOOK_UPS as u64).max(1);
    let mut synthetic = Synthetic::new(count);
    let start = Instant::now();
    let mut nth = 0u64;
    let built = Store::build(folder, |push| {
        let mut failed = None;
        synthetic.run(&mut |entry| {
            nth += 1;
            if nth.is_multiple_of(every) {
                wanted.push(entry.urlkey.to_string());
            }
            if let Err(error) = push(entry) {
                failed.get_or_insert(error);
            }
        });
        failed.map_or(Ok(()), Err)
    })?;
    let rows = built.captures;
    let seconds = start.elapsed().as_secs_f64();
    println!("{rows} captures of {} URLs ({} drawn twice)", synthetic.keys, built.repeated);
    println!("built in {seconds:.1} s with the drawing: {:.0} captures/s", rows as f64 / seconds);
    let bytes = Store::open(folder)?.bytes() as f64;
    let digests = synthetic.digests as f64;
    println!(
        "{bytes} bytes on disk: {:.2} a capture, {:.3} of which have a digest of their own",
        bytes / rows as f64,
        digests / rows as f64
    );
    // Asked in no order.
    let mut state = 1u64;
    for at in (1..wanted.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        wanted.swap(at, (state >> 33) as usize % (at + 1));
    }
    Ok(wanted)
}

/// Seconds of a clock: that of this thread's work, or that of the wall.
fn thread_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is a place to write to, and the clock exists on every system that this is measured on.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Time that a piece of work took, and that its thread was at work for: on a busy machine the latter tells more.
struct Clock(Instant, f64);

impl Clock {
    fn start() -> Self {
        Clock(Instant::now(), thread_seconds())
    }

    fn rates(&self, count: f64) -> [f64; 2] {
        [count / self.0.elapsed().as_secs_f64(), count / (thread_seconds() - self.1)]
    }
}

fn report(what: &str, rates: Vec<[f64; 2]>) {
    let of = |which: usize| {
        let mut rates: Vec<f64> = rates.iter().map(|rate| rate[which]).collect();
        rates.sort_by(f64::total_cmp);
        format!("{:.0} / {:.0} / {:.0}", rates[0], rates[rates.len() / 2], rates[rates.len() - 1])
    };
    println!("{what}, min / median / max: {} a second of work, {} by the wall clock", of(1), of(0));
}

fn look_ups(store: &Store, wanted: &[String]) -> webmill_capture::Result<()> {
    let mut rates = Vec::new();
    for round in 0..=ROUNDS {
        let (start, mut found) = (Clock::start(), 0u64);
        for key in wanted {
            store.scan(&KeyRange::exact(key), &mut |entry| {
                black_box(entry);
                found += 1;
                ControlFlow::Continue(())
            })?;
        }
        assert!(found >= wanted.len() as u64);
        // The first round reads the file in.
        if round > 0 {
            rates.push(start.rates(wanted.len() as f64));
        }
    }
    report("exact look-ups, one thread", rates);
    Ok(())
}

fn streams(store: &Store, wanted: &[String]) -> webmill_capture::Result<()> {
    let stream = |range: &KeyRange, limit: u64, back: bool| {
        let mut lines = 0u64;
        let mut visit = |entry: &Entry<'_>| {
            black_box(entry);
            lines += 1;
            if lines < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        match back {
            false => store.scan(range, &mut visit)?,
            true => store.scan_back(range, &mut visit)?,
        }
        webmill_capture::Result::Ok(lines)
    };
    for (what, back) in [("prefix stream, lines", false), ("prefix stream backwards, lines", true)] {
        let mut rates = Vec::new();
        for _ in 0..ROUNDS {
            let start = Clock::start();
            let lines = stream(&KeyRange::prefix("com,"), 3_000_000, back)?;
            rates.push(start.rates(lines as f64));
        }
        report(what, rates);
    }
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let (start, mut lines) = (Clock::start(), 0);
        for key in wanted.iter().take(1000) {
            let domain = key.cut(..key.find(')').unwrap_or(key.len()));
            lines += stream(&KeyRange::prefix(&format!("{domain})")), u64::MAX, false)?;
        }
        rates.push(start.rates(lines as f64));
    }
    report("1000 domains, lines", rates);
    Ok(())
}

fn adding(store: &Store, wanted: &[String], added: u64) -> webmill_capture::Result<()> {
    // Another draw of the same kind, in the order of time, as a crawl adds.
    let mut fresh = Vec::with_capacity(added as usize);
    let mut synthetic = Synthetic::new(added);
    synthetic.run(&mut |entry| {
        let mut entry = entry.clone().into_owned();
        entry.filename = format!("second-{}", entry.filename).into();
        fresh.push(entry);
    });
    fresh.sort_by_key(|entry| entry.timestamp);
    let (stop, served) = (AtomicBool::new(false), AtomicU64::new(0));
    let start = Instant::now();
    let mut rates = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for key in wanted.iter().cycle().take_while(|_| !stop.load(Ordering::Relaxed)) {
                let found = store.scan(&KeyRange::exact(key), &mut |entry| {
                    black_box(entry);
                    ControlFlow::Continue(())
                });
                found.expect("a sound store");
                served.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut add = || -> webmill_capture::Result<()> {
            for part in fresh.chunks(fresh.len().div_ceil(ROUNDS)) {
                let start = Clock::start();
                for batch in part.chunks(BATCH) {
                    store.add(batch)?;
                }
                rates.push(start.rates(part.len() as f64));
            }
            Ok(())
        };
        let done = add();
        stop.store(true, Ordering::Relaxed);
        done
    })?;
    let seconds = start.elapsed().as_secs_f64();
    report(&format!("added lines in batches of {BATCH}, each durable"), rates);
    println!(
        "in all {:.0} lines/s while {:.0} look-ups/s were served",
        fresh.len() as f64 / seconds,
        served.load(Ordering::Relaxed) as f64 / seconds
    );
    Ok(())
}
