//! The work in the background: what is in memory becomes segments, segments become larger ones.
//!
//! Segments are merged when eight neighbours are within a factor of eight of one another: each entry is then written
//! anew about once for each eightfold growth, and few segments are asked by a look-up.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use webmill_capture::{Error, Result};

use super::compact::{merge_segments, write_run};
use super::manifest::{Manifest, log_path, segment_path};
use super::memory::{Shelf, hold};
use super::run::Run;
use super::segment::Segment;

/// Segments of like size that are merged.
const FAN: usize = 8;
/// Level of zstd for segments that will soon be merged.
const FAST: i32 = 1;

/// Begins it.
pub(super) fn spawn(shelf: Arc<Shelf>) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("capture store".to_owned()).spawn(move || work(&shelf))
}

fn work(shelf: &Shelf) {
    loop {
        let (asked, merged) = {
            let mut work = hold(&shelf.work);
            while !work.woken && !shelf.stopping.load(Ordering::Relaxed) {
                work = shelf.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
            }
            work.woken = false;
            (work.asked, work.merged)
        };
        if shelf.stopping.load(Ordering::Relaxed) {
            return;
        }
        let done = one_step(shelf, asked > merged);
        let mut work = hold(&shelf.work);
        match done {
            // There may be more to do.
            Ok(Step::Worked) => work.woken = true,
            Ok(Step::Merged) => (work.woken, work.merged) = (true, asked),
            Ok(Step::Idle) => {}
            Err(Error::Interrupted) => return,
            Err(error) => {
                // Whoever waits is told; the next call tries again.
                work.error = Some(error);
                work.merged = work.merged.max(asked);
            }
        }
        drop(work);
        shelf.changed.notify_all();
    }
}

enum Step {
    Worked,
    /// Everything is in one segment.
    Merged,
    Idle,
}

fn one_step(shelf: &Shelf, whole: bool) -> Result<Step> {
    let view = shelf.view();
    if let Some((log, runs)) = view.shelved.first() {
        write_shelved(shelf, *log, runs, view.segments.is_empty())?;
        return Ok(Step::Worked);
    }
    let segments = &view.segments;
    if whole {
        merge(shelf, segments, 0, shelf.options.level)?;
        return Ok(Step::Merged);
    }
    let Some(from) = due(&segments.iter().map(|segment| segment.bytes()).collect::<Vec<_>>()) else {
        return Ok(Step::Idle);
    };
    merge(shelf, segments, from, FAST)?;
    Ok(Step::Worked)
}

/// The first of the segments, to the newest, that are due to be merged.
fn due(sizes: &[u64]) -> Option<usize> {
    let mut largest = 0;
    let mut from = None;
    for at in (0..sizes.len()).rev() {
        largest = largest.max(sizes[at]);
        let alike = sizes[at..].iter().filter(|&&size| size.saturating_mul(FAN as u64) > largest).count();
        if alike >= FAN {
            from = Some(at);
        }
    }
    from
}

fn new_number(shelf: &Shelf) -> u64 {
    let mut manifest = hold(&shelf.manifest);
    manifest.next += 1;
    manifest.next - 1
}

/// Writes a changed manifest; only then it counts.
fn commit(shelf: &Shelf, change: impl FnOnce(&mut Manifest)) -> Result<()> {
    let mut manifest = hold(&shelf.manifest);
    let mut changed = manifest.clone();
    change(&mut changed);
    changed.write(&shelf.folder)?;
    *manifest = changed;
    Ok(())
}

fn write_shelved(shelf: &Shelf, log: u64, runs: &[Arc<Run>], oldest: bool) -> Result<()> {
    let number = new_number(shelf);
    let path = segment_path(&shelf.folder, number);
    let rows = write_run(&Arc::new(Run::merge(runs)), &path, FAST, !oldest)?;
    let segment = match rows {
        0 => None,
        _ => Some(Arc::new(Segment::open(&path)?)),
    };
    commit(shelf, |manifest| {
        manifest.log = log + 1;
        manifest.segments.extend(segment.as_ref().map(|_| number));
    })?;
    shelf.change(|view| {
        view.shelved.remove(0);
        view.segments.extend(segment);
    });
    // What is left behind is deleted when the store is opened.
    let _ = std::fs::remove_file(log_path(&shelf.folder, log));
    Ok(())
}

/// Merges all segments from one to the newest.
fn merge(shelf: &Shelf, segments: &[Arc<Segment>], from: usize, level: i32) -> Result<()> {
    let merged = &segments[from..];
    if merged.is_empty() {
        return Ok(());
    }
    let number = new_number(shelf);
    let path = segment_path(&shelf.folder, number);
    let rows = merge_segments(merged, Vec::new(), &path, level, from > 0, &shelf.stopping)?;
    let segment = match rows {
        0 => None,
        _ => Some(Arc::new(Segment::open(&path)?)),
    };
    commit(shelf, |manifest| {
        manifest.segments.truncate(from);
        manifest.segments.extend(segment.as_ref().map(|_| number));
    })?;
    shelf.change(|view| {
        view.segments.truncate(from);
        view.segments.extend(segment);
    });
    for segment in merged {
        let _ = std::fs::remove_file(segment.path());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_like_size_are_due() {
        assert_eq!(due(&[]), None);
        assert_eq!(due(&[1; 7]), None);
        assert_eq!(due(&[1; 8]), Some(0));
        assert_eq!(due(&[100, 1, 1, 1, 1, 1, 1, 1, 1]), Some(1));
        assert_eq!(due(&[8, 1, 1, 1, 1, 1, 1, 1]), None);
        assert_eq!(due(&[8, 8, 8, 8, 8, 8, 8, 8, 1, 1]), Some(0));
        // However sizes come, few segments stay.
        let (mut sizes, mut written) = (Vec::new(), 0);
        for _ in 0..10_000 {
            sizes.push(1u64);
            while let Some(from) = due(&sizes) {
                let sum = sizes[from..].iter().sum();
                sizes.truncate(from);
                sizes.push(sum);
                written += sum;
            }
            assert!(sizes.len() <= 40, "{sizes:?}");
        }
        assert!(written < 10_000 * 6, "{written}");
    }
}
