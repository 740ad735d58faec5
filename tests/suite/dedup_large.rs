//! Duplicates among more pages than memory holds, and among pages made to cost the square of their number.

use std::process::Stdio;
use std::time::Duration;

use webmill::jobs::dedup::tables::ClusterRow;

use crate::dedup::{changed, rows, text};
use crate::planted_texts::{PlantedPage, plant_many};
use crate::support::Work;

/// Plants pages, given by URL and text.
pub fn write(work: &Work, pages: u64, page: fn(u64) -> (String, String)) {
    plant_many(&work.path("out"), pages as usize, 50_000, &|number| {
        let (url, text) = page(number as u64);
        PlantedPage {
            url,
            text,
            time_ms: (number as i64).wrapping_mul(0x9E37_79B9) % 1_000_000,
            superseded: false,
        }
    });
}

/// Finds duplicates within this memory; what it said, and the most that it had in memory, in bytes.
fn dedup(work: &Work, memory: &str) -> (String, u64) {
    let mut command = work.webmill(&["dedup", "out", "--memory", memory, "--threads", "2"]);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let watch = std::thread::spawn(move || {
        let mut peak = 0;
        // Until the process is gone: what it had at most only grows.
        while let Ok(status) = std::fs::read_to_string(&status) {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(kib) = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
            else {
                break;
            };
            peak = kib << 10;
            std::thread::sleep(Duration::from_millis(20));
        }
        peak
    });
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (said, watch.join().unwrap())
}

/// Builds without optimisation are for looking for mistakes, not for waiting.
const SMALL: bool = cfg!(debug_assertions);

#[test]
fn more_pages_than_memory_holds_stay_within_the_memory_that_is_allowed() {
    let work = Work::new();
    // A third of the pages are near-duplicates of another, in families of some ten; a tenth are copies.
    fn page(number: u64) -> (String, String) {
        let (family, host) = (number % 600_007, number % 40_009);
        let text = match number % 30 {
            0..10 => changed(&text(family / 10, 60), &[number as usize % 60]),
            10..13 => text(family / 10, 60),
            _ => text(number + (1 << 40), 60),
        };
        (format!("http://h{host}.org/{number}"), text)
    }
    let (pages, memory, most) =
        if SMALL { (40_000, "128MiB", 160 << 20) } else { (800_000, "448MiB", 448 << 20) };
    write(&work, pages, page);
    let (said, peak) = dedup(&work, memory);
    assert!(peak > 1 << 20 && peak <= most, "{} MiB; {said}", peak >> 20);
    let clusters: Vec<ClusterRow> = rows(&work, "out");
    assert!(clusters.len() as u64 > pages / 100, "{}", clusters.len());
}

/// Pages of each attack.
const MANY: u64 = if SMALL { 3000 } else { 100_000 };

/// Runs `dedup` on pages of a host; their clusters, and what was said.
fn clustered(page: fn(u64) -> (String, String)) -> (Vec<ClusterRow>, String) {
    let work = Work::new();
    write(&work, MANY, page);
    let (said, peak) = dedup(&work, "1GiB");
    assert!(peak <= 1 << 30, "{} MiB", peak >> 20);
    (rows(&work, "out"), said)
}

#[test]
fn pages_that_are_much_alike_cost_their_number() {
    let bounded = "met only the first representatives";
    let (equal, _) = clustered(|number| (format!("http://h{}.org/{number}", number % 100), text(1, 100)));
    assert_eq!(equal.len() as u64, MANY);
    assert!(equal.iter().all(|row| u64::from(row.size) == MANY));
    // 100 words, of which 9 or 22 are the page's own: J of about .82 and .63.
    let (alike, said) = clustered(|number| {
        (format!("http://a.org/{number}"), format!("{} {}", text(1, 91), text(number + 9, 9)))
    });
    assert!(alike.len() as u64 > MANY / 2 && !said.contains(bounded), "{}: {said}", alike.len());
    let (unlike, said) = clustered(|number| {
        (format!("http://a.org/{number}"), format!("{} {}", text(1, 78), text(number + 9, 22)))
    });
    assert!(unlike.len() as u64 <= MANY / 2 && said.contains(bounded), "{}: {said}", unlike.len());
    // Pages of two shingles: one is everybody's, so that a sixth of all bands or more agree.
    let (_, said) = clustered(|number| {
        (format!("http://a.org/{number}"), format!("{} {}", text(1, 13), text(number + 9, 13)))
    });
    assert!(said.contains(bounded), "{said}");
}
