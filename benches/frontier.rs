//! The frontier alone: adds of new and of known URLs, turns, memory, bytes on disk, opening again.
//!
//!     cargo bench --bench frontier -- [URLS [MEMORY_MIB [breadth|depth|best|focused [HOSTS [FOLDER]]]]]
//!
//! `focused` asks the kernel of a focused crawl for each page of twenty links first, with texts that are scored already.
//! Defaults: 1,000,000 URLs, 512 MiB, breadth-first, a host for 20 URLs, a temporary folder. Hosts have sizes by a power law. A commit
//! follows every 10,000 adds and every 256 turns. The URLs of a batch are made before the clock runs.
//! On a busy machine the CPU seconds tell more than the time that passed. `WEBMILL_TURNS` limits the turns (default: all URLs up to 2,000,000).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use webmill::capture::CanonicalUrl;
use webmill::crawl::focus::{Action, Focus, FoundLink, LinkWords, PageWords, SeenPage, Topic, TopicOptions};
use webmill::crawl::frontier::{After, Frontier, FrontierOptions, Next, Strategy};
use webmill::crawl::{Discovered, Purpose};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BATCH: u64 = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let number = |at: usize, usual: u64| args.get(at).map_or(Ok(usual), |arg| arg.parse());
    let (urls, memory) = (number(0, 1_000_000)?, number(1, 512)? << 20);
    let strategy = match args.get(2).map(String::as_str) {
        None | Some("breadth") => Strategy::Breadth,
        Some("depth") => Strategy::Depth,
        Some("best") => Strategy::Best,
        Some("focused") => Strategy::Focused,
        Some(other) => return Err(format!("{other}: breadth, depth, best or focused").into()),
    };
    let hosts = number(3, (urls / 20).max(1))?;
    let temporary = tempfile::tempdir()?;
    let folder = args.get(4).map_or_else(|| temporary.path().to_path_buf(), PathBuf::from).join("frontier");
    let popularity = if strategy == Strategy::Best { 0.5 } else { 0.0 };
    let options = FrontierOptions { strategy, memory, popularity, ..FrontierOptions::default() };
    let (mut frontier, _) = Frontier::open(&folder, &options)?;
    println!("{urls} URLs, {hosts} hosts, {} MiB, {}", memory >> 20, strategy.name());

    let mut focus = match frontier.focus() {
        None => None,
        Some(store) => {
            let words = [("tea".to_owned(), 1.0)].into();
            let topic = Topic::of_words(&TopicOptions { words, ..TopicOptions::default() }, None)?;
            Some(Focus::open(Arc::new(topic), u32::MAX, 0.0, store)?)
        }
    };
    let mut clock = Clock::default();
    let mut done = 0;
    while done < urls {
        let batch = batch(done..(done + BATCH).min(urls), hosts);
        clock.start();
        let mut new = 0u64;
        for page in batch.chunks(20) {
            match &mut focus {
                None => {
                    for found in page {
                        new += u64::from(frontier.add(found)?);
                    }
                }
                Some(focus) => new += add_focused(page, focus, &mut frontier)?,
            }
        }
        if let (Some(focus), Some(store)) = (&focus, frontier.focus_mut()) {
            focus.save(store)?;
        }
        frontier.commit(&done.to_le_bytes())?;
        clock.stop();
        done += batch.len() as u64;
        assert_eq!(new, batch.len() as u64, "a new URL was taken for a known one");
        if done % (urls / 10 / BATCH * BATCH).max(BATCH) == 0 {
            report("new", done, clock);
        }
    }
    report("new, in all", urls, clock);
    let stored = disk(&folder)?;
    println!("  {:.1} MB on disk, {:.1} bytes a URL", stored as f64 / 1e6, stored as f64 / urls as f64);

    for (name, span) in [("known, lately met", BATCH.min(urls)), ("known, any", urls)] {
        let (mut clock, rounds) = (Clock::default(), 50);
        for round in 0..rounds {
            let pick =
                |n: u64| if span == urls { scatter(n ^ (round << 32)) % urls } else { urls - span + n };
            let known = (0..BATCH.min(urls)).map(pick).map(|n| found(n, hosts)).collect::<Vec<_>>();
            clock.start();
            for found in &known {
                assert!(!frontier.add(found)?, "a known URL was taken for a new one");
            }
            clock.stop();
            frontier.commit(b"known")?;
        }
        report(name, rounds * BATCH.min(urls), clock);
    }

    let turns = std::env::var("WEBMILL_TURNS").ok().map_or(Ok(2_000_000), |turns| turns.parse())?;
    let turns = urls.min(turns);
    let (mut clock, mut done, mut now) = (Clock::default(), 0, 1_000_000i64);
    clock.start();
    while done < turns {
        match frontier.next(now)? {
            Next::Fetch(lease) => {
                frontier.host_mut(&lease).fetched += 1;
                frontier.host_mut(&lease).next_ms = now + 1000;
                frontier.release(lease, After::Done)?;
                done += 1;
                // A thousand pages a second.
                now += 1;
                if done % 256 == 0 {
                    frontier.commit(&done.to_le_bytes())?;
                }
            }
            Next::Wait { until_ms } => now = until_ms,
            Next::Busy | Next::Empty => break,
        }
    }
    frontier.commit(b"end")?;
    clock.stop();
    report("next + release", done, clock);
    println!("  {:?}", frontier.stats());
    frontier.close()?;
    let start = Instant::now();
    let (frontier, _) = Frontier::open(&folder, &options)?;
    println!("opened again in {:.2} s, {} URLs known", start.elapsed().as_secs_f64(), frontier.stats().seen);
    println!("{:.1} MB on disk", disk(&folder)? as f64 / 1e6);
    println!("peak memory {} MiB", peak_kib().unwrap_or(0) >> 10);
    Ok(())
}

/// Adds the links of a page in focused order; how many are new.
fn add_focused(
    page: &[Discovered],
    focus: &mut Focus,
    frontier: &mut Frontier,
) -> Result<u64, Box<dyn std::error::Error>> {
    let Some(first) = page.first() else { return Ok(0) };
    let at = CanonicalUrl::parse(first.referrer.as_deref().unwrap_or_default()).ok_or("no URL")?;
    let likeness = |found: &Discovered| LinkWords { anchor: found.priority as f32, ..LinkWords::default() };
    let links: Vec<FoundLink<'_>> = page
        .iter()
        .map(|found| FoundLink { url: &found.url, words: likeness(found), priority: found.priority })
        .collect();
    let words = PageWords { relevance: first.priority as f32, ..PageWords::default() };
    let seen = SeenPage { url: &at, origin: None, words: &words };
    let store = frontier.focus_mut().ok_or("no store")?;
    let actions = focus.page(&seen, &links, &mut |_| Vec::new(), store)?;
    let mut new = 0;
    for action in actions {
        match action {
            Action::Queue { link, score } => {
                let found = Discovered { priority: f64::from(score), ..page[link].clone() };
                new += u64::from(frontier.add(&found)?);
            }
            Action::Score { url, score } => {
                let url = CanonicalUrl::parse_stored(&url).ok_or("no URL")?;
                frontier.score(&url, f64::from(score))?;
            }
            Action::Release { .. } => return Err("nothing waits in the reserve".into()),
        }
    }
    Ok(new)
}

fn batch(numbers: std::ops::Range<u64>, hosts: u64) -> Vec<Discovered> {
    numbers.map(|n| found(n, hosts)).collect()
}

/// The n-th URL: twenty links a page, hosts of sizes by a power law.
fn found(n: u64, hosts: u64) -> Discovered {
    let host = (hosts as f64).powf((scatter(n) >> 11) as f64 / (1u64 << 53) as f64) as u64 - 1;
    let host = if n < hosts { n } else { host };
    let text = format!("http://www.site-{host}.example.org/section{}/article-{n}.html", n % 17);
    let page = n / 20;
    let referrer: Arc<str> =
        format!("http://www.site-{host}.example.org/section{}/list-{page}.html", n % 17).into();
    Discovered {
        url: CanonicalUrl::parse(&text).expect("a URL"),
        purpose: Purpose::Page,
        depth: (n as f64 + 1.0).log(20.0) as u32,
        redirects: 0,
        lineage: Default::default(),
        origin: None,
        referrer: Some(referrer),
        priority: (scatter(n ^ 7) % 1000) as f64 / 1000.0,
    }
}

/// A number that looks random.
fn scatter(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// Time that passed, that the calling thread computed, that all threads did, in seconds.
#[derive(Default, Clone, Copy)]
struct Clock {
    total: [f64; 3],
    started: [f64; 3],
}

impl Clock {
    fn start(&mut self) {
        self.started = now();
    }

    fn stop(&mut self) {
        for (total, (now, started)) in self.total.iter_mut().zip(now().into_iter().zip(self.started)) {
            *total += now - started;
        }
    }
}

fn now() -> [f64; 3] {
    [libc::CLOCK_MONOTONIC, libc::CLOCK_THREAD_CPUTIME_ID, libc::CLOCK_PROCESS_CPUTIME_ID].map(|clock| {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a timespec that lives through the call.
        unsafe { libc::clock_gettime(clock, &mut time) };
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    })
}

fn report(name: &str, count: u64, clock: Clock) {
    let [passed, thread, process] = clock.total.map(|seconds| count as f64 / seconds / 1e3);
    let peak = peak_kib().unwrap_or(0) >> 10;
    println!(
        "{name}: {count}, {passed:.0} k a second ({thread:.0} k a CPU second of the caller, {process:.0} k of all), peak {peak} MiB"
    );
}

fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

/// Bytes of the blocks of all files: journals are made longer than they are filled.
fn disk(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { disk(&entry.path())? } else { blocks(&entry.metadata()?) };
    }
    Ok(bytes)
}

#[cfg(unix)]
fn blocks(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(metadata) * 512
}

#[cfg(not(unix))]
fn blocks(metadata: &std::fs::Metadata) -> u64 {
    metadata.len()
}
