//! Crawls that are killed, stopped, limited, damaged or out of disk, and go on: at the end every page is there once, and
//! nothing was fetched again but what was on its way.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use webmill::Error;
use webmill::capture::CanonicalUrl;
use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::frontier::Strategy;
use webmill::crawl::{Crawl, CrawlOptions, Ended, Replayed};
use webmill::shard::Compression;
use webmill::sim::{Config, FeatureShares, HostShares, PageShares, Recording, RobotsShares, SimConfig};

use super::crawl_support::{
    Dice, Program, Quiet, Served, Written, crawl_until, message, needless_repeats, none, serve, shard_files,
    swift,
};
use super::crawl_truth::differences;
use super::support::files_below;

/// How long an answer may take from the server's last byte until it is committed: a tick, and what a busy machine adds
/// to reading the page.
const TICK: Duration = Duration::from_millis(50 + 250);

/// A Web without trouble that passes by itself: whatever is asked for twice is asked for twice by the crawler.
fn steady(pages: u64, seed: u64) -> SimConfig {
    SimConfig {
        web: Config { seed, pages, pages_per_host: 30, words: 30, ..Config::default() },
        hosts: HostShares { refused: 0.0, ..HostShares::none() },
        robots: RobotsShares { folders: 0.2, sitemaps: 0.3, hops: 0.05, html: 0.05, ..RobotsShares::none() },
        features: FeatureShares { traps: 0.0, sessions: 0.1, ..FeatureShares::every(0.2) },
        pages: PageShares { chunked: 0.2, gzip: 0.2, unbounded: 0.1, refused: 0.02, ..PageShares::none() },
        ..SimConfig::default()
    }
}

#[track_caller]
fn check(served: &Served, folder: &Path, kills: &[Instant]) {
    let truth = served.sim.truth();
    none(&differences(&served.sim, &truth, folder, &|_| false));
    none(&needless_repeats(&served.record, kills, TICK));
}

fn killed(seed: u64, change: impl FnOnce(&mut CrawlOptions)) {
    let served = Served::new(SimConfig { delay_ms: 10, ..steady(2_000, seed) });
    let mut options = served.options();
    options.connections = 24;
    change(&mut options);
    let program = Program::of(&served, &options);
    let kills = program.kill_until_done(&served.server, &mut Dice(seed), 200);
    assert!(kills.len() >= 8, "{} kills", kills.len());
    check(&served, &program.out, &kills);
}

#[test]
fn killed_at_random_moments_it_loses_nothing() {
    killed(61, |_| {});
}

#[test]
fn killed_with_small_files_and_warc_it_loses_nothing() {
    killed(62, |options| {
        options.archive.format = ArchiveFormat::Warc;
        options.archive.max_shard_bytes = 60_000;
        options.part_events = 150;
        options.strategy = Strategy::Best;
    });
}

/// After a kill nobody knows when a host was asked last: it gets its whole delay, `Crawl-delay` too.
#[test]
fn killed_it_stays_polite() {
    let mut config = SimConfig::plain(40, 4, 63);
    config.robots.delay = 1.0;
    config.crawl_delay_s = 0.8;
    let served = Served::new(config);
    let mut options = served.options();
    options.politeness.delay_ms = 100;
    let program = Program::of(&served, &options);
    let mut kills = 0;
    let mut dice = Dice(63);
    while kills < 5 {
        let before = served.server.requests();
        let mut child = program.start();
        while served.server.requests() < before + 5 {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(dice.below(60)));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    // A robots.txt that was answered just before a kill is asked for again: until then nobody knows what it asks for.
    let mut last: HashMap<String, Instant> = HashMap::new();
    for (at, asked) in served.record.requests() {
        let least = if asked.url.ends_with("/robots.txt") { 100 } else { 800 };
        if let Some(before) = last.insert(asked.host, at) {
            let gap = at - before + Duration::from_millis(2);
            assert!(gap >= Duration::from_millis(least), "{}: {gap:?}", asked.url);
        }
    }
}

/// Ctrl-C on the binary: it ends what is on its way, says how to go on, and does.
#[cfg(unix)]
#[test]
fn interrupted_it_goes_on() {
    let served = Served::new(SimConfig { delay_ms: 10, ..steady(600, 64) });
    let program = Program::of(&served, &served.options());
    let mut child = program.start();
    while served.server.requests() < 250 {
        std::thread::sleep(Duration::from_millis(1));
        assert!(child.try_wait().unwrap().is_none(), "{}", program.said());
    }
    // SAFETY: a signal to our own child, which is not waited for yet.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    assert_eq!(child.wait().unwrap().code(), Some(130), "{}", program.said());
    assert!(served.server.requests() < 600);
    program.finish(program.start());
    check(&served, &program.out, &[]);
}

/// Runs in process until the server was asked `more` times, then stops.
fn crawl_some(served: &Served, folder: &Path, options: &CrawlOptions, more: u64) -> (Replayed, Ended) {
    let target = served.server.requests() + more;
    let stop = || served.server.requests() >= target;
    let (replayed, ended, _) = crawl_until(folder, options, &served.seeds(), &stop).unwrap();
    (replayed, ended)
}

#[test]
fn stopped_cleanly_nothing_is_fetched_twice() {
    let served = Served::new(steady(1_000, 65));
    let folder = tempfile::tempdir().unwrap();
    let mut stops = 0;
    loop {
        let (replayed, ended) = crawl_some(&served, folder.path(), &served.options(), 150);
        assert_eq!((replayed.fresh, replayed.rebuilt), (stops == 0, None));
        assert_eq!((replayed.events, replayed.pages, replayed.damaged, replayed.cut), (0, 0, 0, 0));
        if ended == Ended::Finished {
            break;
        }
        assert_eq!(ended, Ended::Stopped);
        stops += 1;
    }
    assert!(stops > 4);
    check(&served, folder.path(), &[]);
    // Once more: there is nothing to do.
    let requests = served.server.requests();
    let (_, ended) = crawl_some(&served, folder.path(), &served.options(), 1_000);
    assert_eq!((ended, served.server.requests()), (Ended::Finished, requests));
}

#[test]
fn limits_are_kept_and_can_be_widened() {
    let served = Served::new(steady(900, 66));
    let folder = tempfile::tempdir().unwrap();
    let mut options = served.options();
    for pages in [1, 57, 58, 200] {
        options.limits.pages = Some(pages);
        let (_, ended, totals) = crawl_until(folder.path(), &options, &served.seeds(), &|| false).unwrap();
        assert_eq!((ended, totals.stored), (Ended::Pages, pages));
        assert_eq!(super::crawl_support::answers(folder.path()).len() as u64, pages);
    }
    options.limits.pages = None;
    options.limits.bytes = Some(600_000);
    let (_, ended, totals) = crawl_until(folder.path(), &options, &served.seeds(), &|| false).unwrap();
    assert_eq!(ended, Ended::Bytes);
    // What was on its way is kept: one answer a connection.
    assert!((600_000..1_200_000).contains(&totals.bytes), "{totals:?}");
    options.limits.bytes = None;
    options.limits.seconds = Some(0);
    let (_, ended, _) = crawl_until(folder.path(), &options, &served.seeds(), &|| false).unwrap();
    assert_eq!(ended, Ended::Time);
    options.limits.seconds = None;
    let (replayed, ended, _) = crawl_until(folder.path(), &options, &served.seeds(), &|| false).unwrap();
    assert_eq!((ended, replayed.rebuilt), (Ended::Finished, None));
    check(&served, folder.path(), &[]);
}

/// A clock that was two days ahead and is put right between two runs: waits on disk are of the crawl's own clock, which never
/// goes back, so nobody stands still for two days.
#[test]
fn a_clock_that_is_put_back_stops_nobody() {
    let served = Served::new(steady(300, 67));
    let folder = tempfile::tempdir().unwrap();
    let mut options = served.options();
    options.politeness.delay_ms = 20;
    options.limits.pages = Some(40);
    let ahead_ms = 2 * 86_400_000;
    let (mut crawl, _) = Crawl::open(folder.path(), &options, &served.seeds(), 2, None).unwrap();
    crawl.set_clock(now_ms() + ahead_ms);
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    assert_eq!(ended, Ended::Pages);
    crawl.close(ended).unwrap();
    options.limits.pages = None;
    options.limits.seconds = Some(60);
    let (replayed, ended, _) = crawl_until(folder.path(), &options, &served.seeds(), &|| false).unwrap();
    assert_eq!(ended, Ended::Finished);
    assert!((ahead_ms - 3_600_000..=ahead_ms + 3_600_000).contains(&replayed.clock_back_ms), "{replayed:?}");
    assert!(
        replayed.notes().iter().any(|note| note.contains("the clock stands 4")),
        "{:?}",
        replayed.notes()
    );
    check(&served, folder.path(), &[]);
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// What was fetched for pages is not fetched again; robots.txt and sitemaps may be.
fn page_repeats(record: &Recording) -> Vec<String> {
    let page = |url: &str| {
        let path = url.splitn(4, '/').nth(3).unwrap_or("");
        !path.starts_with("robots") && !path.starts_with("sitemap")
    };
    let again = record.counts().into_iter().filter(|(url, n)| *n > 1 && page(url));
    again.map(|(url, n)| format!("{url} was fetched {n} times")).collect()
}

/// Stops a crawl in the middle, damages it, and crawls on; whether the frontier was found damaged.
fn damaged(seed: u64, options: impl Fn(&mut CrawlOptions), damage: impl FnOnce(&Path)) -> Replayed {
    let served = Served::new(steady(700, seed));
    let folder = tempfile::tempdir().unwrap();
    let mut settings = served.options();
    options(&mut settings);
    assert_eq!(crawl_some(&served, folder.path(), &settings, 300).1, Ended::Stopped);
    damage(folder.path());
    let (replayed, ended) = crawl_some(&served, folder.path(), &settings, u64::MAX / 2);
    assert_eq!(ended, Ended::Finished);
    let truth = served.sim.truth();
    none(&differences(&served.sim, &truth, folder.path(), &|_| false));
    none(&page_repeats(&served.record));
    replayed
}

#[test]
fn a_lost_frontier_is_built_again() {
    let replayed = damaged(71, |_| {}, |folder| std::fs::remove_dir_all(folder.join("frontier")).unwrap());
    assert!(replayed.rebuilt.is_some_and(|why| why.contains("missing")));
    let warc = |options: &mut CrawlOptions| {
        options.archive.format = ArchiveFormat::Warc;
        options.archive.max_shard_bytes = 100_000;
        options.part_events = 100;
        options.strategy = Strategy::Best;
    };
    let replayed = damaged(72, warc, |folder| std::fs::remove_dir_all(folder.join("frontier")).unwrap());
    assert!(replayed.rebuilt.is_some() && replayed.events > 250 && replayed.damaged == 0);
}

#[test]
fn a_damaged_frontier_is_built_again() {
    let mut rebuilt = 0;
    for (seed, every) in [(73, 97), (74, 1_009), (75, 20_011)] {
        let flip = |folder: &Path| {
            for path in files_below(&folder.join("frontier")) {
                let mut bytes = std::fs::read(&path).unwrap();
                bytes.iter_mut().skip(every / 2).step_by(every).for_each(|byte| *byte ^= 0x55);
                std::fs::write(&path, bytes).unwrap();
            }
        };
        rebuilt += usize::from(damaged(seed, |_| {}, flip).rebuilt.is_some());
    }
    assert!(rebuilt >= 2);
    let cut = |folder: &Path| {
        for path in files_below(&folder.join("frontier")) {
            let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        }
    };
    damaged(76, |_| {}, cut);
    let delete = |folder: &Path| {
        for path in files_below(&folder.join("frontier")).iter().step_by(2) {
            std::fs::remove_file(path).unwrap();
        }
    };
    assert!(damaged(77, |_| {}, delete).rebuilt.is_some());
}

/// What only a sitemap lists is found again, although all that robots.txt was asked for is done.
#[test]
fn a_lost_frontier_comes_back_with_its_sitemaps() {
    let listed: String = (0..9).map(|n| format!("http://s.example/{n}\n")).collect();
    let plain = "Content-Type: text/plain\r\n";
    let mut web = Written::default()
        .answer(
            "http://s.example/robots.txt",
            message("200 OK", plain, "Sitemap: http://s.example/list.txt\n"),
        )
        .answer("http://s.example/list.txt", message("200 OK", plain, &listed))
        .page("http://s.example/", &[]);
    for n in 0..9 {
        web = web.page(&format!("http://s.example/{n}"), &[]);
    }
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let (server, record) = serve(web.clone());
        let folder = tempfile::tempdir().unwrap();
        let mut options = swift(server.proxy());
        options.archive.format = format;
        options.limits.pages = Some(4);
        let seeds = [CanonicalUrl::parse("http://s.example/").unwrap()];
        let (_, ended, _) = crawl_until(folder.path(), &options, &seeds, &|| false).unwrap();
        assert_eq!(ended, Ended::Pages);
        std::fs::remove_dir_all(folder.path().join("frontier")).unwrap();
        options.limits.pages = None;
        let (replayed, ended, totals) = crawl_until(folder.path(), &options, &seeds, &|| false).unwrap();
        assert_eq!((ended, totals.stored, replayed.pages), (Ended::Finished, 10, 4));
        assert!(record.counts().iter().all(|(url, n)| *n == 1 || url.ends_with(".txt")));
    }
}

/// The newest shard loses its end within a record: those pages are fetched again, no others, and the rest is whole.
#[test]
fn a_cut_shard_is_filled_up_again() {
    for format in [ArchiveFormat::RawDb, ArchiveFormat::Warc] {
        let served = Served::new(steady(500, 78));
        let folder = tempfile::tempdir().unwrap();
        let mut options = served.options();
        options.archive.format = format;
        crawl_some(&served, folder.path(), &options, 250);
        let finished = shard_files(folder.path()).pop().unwrap();
        // As a crawl that died leaves it.
        let name = finished.file_name().unwrap().to_string_lossy().into_owned();
        let partial = finished.with_file_name(format!(".{name}.partial"));
        std::fs::rename(&finished, &partial).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&partial).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length - 3_001).unwrap();
        drop(file);
        let (replayed, ended) = crawl_some(&served, folder.path(), &options, u64::MAX / 2);
        assert_eq!(ended, Ended::Finished);
        assert!(replayed.rebuilt.is_some() && replayed.cut + replayed.damaged > 0, "{replayed:?}");
        let found: Vec<String> =
            super::crawl_support::answers(folder.path()).into_iter().map(|page| page.url).collect();
        let truth = served.sim.truth();
        let missing: Vec<String> = truth
            .pages()
            .filter(|page| {
                page.expect.is_stored() && found.iter().filter(|url| **url == page.url).count() != 1
            })
            .map(|page| format!("{} is not there once", page.url))
            .collect();
        none(&missing);
        let again = page_repeats(&served.record).len();
        assert!((1..60).contains(&again), "{again} pages were fetched again");
    }
}

#[test]
fn two_crawls_on_one_folder_are_refused() {
    let served = Served::new(steady(60, 79));
    let folder = tempfile::tempdir().unwrap();
    let (options, seeds) = (served.options(), served.seeds());
    let (crawl, _) = Crawl::open(folder.path(), &options, &seeds, 1, None).unwrap();
    match Crawl::open(folder.path(), &options, &seeds, 1, None) {
        Err(Error::Config(message)) => assert!(message.contains("another crawl is running"), "{message}"),
        other => panic!("{:?}", other.err()),
    }
    drop(crawl);
    crawl_until(folder.path(), &options, &seeds, &|| false).unwrap();
    check(&served, folder.path(), &[]);
}

/// A file system of a size of its own; `None` where we may not mount one.
#[cfg(target_os = "linux")]
struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn new(kibibytes: u32) -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let disk = SmallDisk(folder);
        disk.mount(&format!("size={kibibytes}k")).then_some(disk)
    }

    fn mount(&self, options: &str) -> bool {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(self.0.path());
        command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    fn grow(&self, kibibytes: u32) {
        assert!(self.mount(&format!("remount,size={kibibytes}k")));
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).stderr(Stdio::null()).status();
    }
}

fn bulky(options: &mut CrawlOptions) {
    options.archive.compression = Some(Compression::None);
    options.connections = 8;
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_crawl_and_room_lets_it_go_on() {
    let Some(disk) = SmallDisk::new(1_200) else {
        webmill_evaluation::skip("no right to mount a file system");
        return;
    };
    let served = Served::new(steady(1_500, 80));
    let mut options = served.options();
    bulky(&mut options);
    let folder = disk.0.path().join("crawl");
    let mut full = Vec::new();
    for size in [1_200, 1_500, 1_900, 2_400, 64_000] {
        disk.grow(size);
        match crawl_until(&folder, &options, &served.seeds(), &|| false) {
            Err(error @ Error::Io { .. }) => {
                full.push(Instant::now());
                assert!(error.to_string().contains("No space left"), "{error}");
            }
            Ok((replayed, ended, _)) => {
                assert_eq!((size, ended, replayed.rebuilt), (64_000, Ended::Finished, None))
            }
            Err(error) => panic!("{size}: {error}"),
        }
    }
    assert!(full.len() >= 2, "the disk was full {} times", full.len());
    check(&served, &folder, &full);
}
