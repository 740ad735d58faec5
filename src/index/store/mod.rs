//! The capture index as a store on disk: entries packed to what they weigh, added and deleted while it is read.
//!
//! A store is a folder. What is added goes to a *log* first, and is acknowledged when that is durable; it is held sorted
//! in memory and, when there is enough, written as a *segment*, a file of packed blocks that never changes. Segments of
//! like size are merged in the background. A *manifest*, always replaced at once, says which files count.
//!
//! Entries are one capture where key, time, file name and offset agree: added twice they count once, the later counts.
//! Deleting adds a mark, which merging takes out together with what it deletes. A reader sees what there was when it
//! began, whatever is added, deleted or merged meanwhile.
//!
//! Layout of blocks: `block.rs`; of segments: `segment.rs`; how numbers are told by their neighbours: `columns.rs`,
//! `anchors.rs`; of the log: `log.rs`.
//!
//! Cost: a look-up decodes half a block of each segment; adding compares and copies an entry once for each doubling of
//! what is in memory, and packs it again for each eightfold growth of its segment. Memory: [`StoreOptions::memory`] three
//! times at most, one block for each reader and segment, and names and models of the segments ([`StoreStats::held`]).
//!
//! Determinism: the same entries give the same answers however they were added; a store written by [`StoreWriter`] has
//! the same bytes for the same entries.
//!
//! Errors: [`Error::Corrupt`] with file and offset for any byte that was changed; never other entries than were put in.
//! One process has a store open for writing: another gets [`Error::Config`].
//!
//! Reference: P. O'Neil et al., *The log-structured merge-tree*, Acta Informatica 33 (1996), 10.1007/s002360050048.

mod address;
mod anchors;
mod block;
mod bulk;
mod columns;
mod compact;
mod fuzz;
mod log;
mod manifest;
mod memory;
mod merge;
mod model;
mod names;
mod rans;
mod reader;
mod record;
mod run;
mod seconds;
mod segment;
mod wire;
mod worker;

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

use crate::{CaptureSource, Entry, KeyRange, Scan};
pub use bulk::StoreWriter;
pub use fuzz::{fuzz_block, fuzz_log};
use manifest::{Manifest, log_path, number_of, segment_path};
use memory::{Shelf, View};
use merge::{Merge, Source};
use segment::Segment;

/// How a store is kept.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Bytes of entries in memory before they are written as a segment.
    pub memory: usize,
    /// Level of zstd for segments made by [`Store::compact`] and [`StoreWriter`]; those made on the way are packed faster.
    pub level: i32,
    /// Whether what is acknowledged is durable. Without it a crash of the machine (not of the process) may lose the last
    /// additions.
    pub durable: bool,
    /// Whether a log whose end is damaged otherwise than by a crash of the process is cut there, losing what follows.
    pub cut_damaged_log: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions { memory: 64 << 20, level: 12, durable: true, cut_damaged_log: false }
    }
}

/// What a store is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Rows in segments and memory: entries, those that later ones stand for, marks of deletion.
    pub rows: u64,
    /// Marks of deletion in segments.
    pub marks: u64,
    /// Segments.
    pub segments: usize,
    /// Bytes of the segments.
    pub bytes: u64,
    /// Of these: names, models, sparse indexes.
    pub overhead: u64,
    /// Rows that are in no segment yet.
    pub fresh: u64,
    /// Bytes of memory that names, models and fresh rows take, about.
    pub held: u64,
    /// Bytes cut off the log when it was opened: of an addition that was not acknowledged.
    pub cut: u64,
}

/// A store, open for reading and writing. Many threads may use it.
pub struct Store {
    shelf: Arc<Shelf>,
    worker: Option<JoinHandle<()>>,
    cut: u64,
    _lock: File,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("folder", &self.shelf.folder).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the store in `folder`, making both where they are missing.
    ///
    /// # Errors
    /// [`Error::Config`] where another process has it open; [`Error::Corrupt`] with file and offset.
    pub fn open(folder: &Path, options: &StoreOptions) -> Result<Self> {
        std::fs::create_dir_all(folder).at(folder)?;
        let lock = lock(folder)?;
        let mut manifest = match Manifest::read(folder)? {
            Some(manifest) => manifest,
            None => {
                let manifest = Manifest { next: 1, log: 0, segments: Vec::new() };
                manifest.write(folder)?;
                manifest
            }
        };
        let logs = sweep(folder, &manifest)?;
        let mut view = View::default();
        for &number in &manifest.segments {
            view.segments.push(Arc::new(Segment::open(&segment_path(folder, number))?));
        }
        let mut cut = 0;
        for (nth, &number) in logs.iter().enumerate() {
            manifest.next = manifest.next.max(number + 1);
            let path = log_path(folder, number);
            let (runs, lost) = recover(&path, nth + 1 == logs.len(), options)?;
            cut += lost;
            view.shelve(runs, number);
        }
        let number = manifest.next;
        manifest.next += 1;
        let log = log::Log::create(&log_path(folder, number))?;
        let shelf = Arc::new(Shelf::new(folder, options, manifest, view, log, number));
        let worker = worker::spawn(Arc::clone(&shelf)).at(folder)?;
        Ok(Store { shelf, worker: Some(worker), cut, _lock: lock })
    }

    /// Adds entries in any order. When it returns they are durable and readers that begin see them; where it fails some
    /// may be there. Calls from several threads share the wait for the disk.
    ///
    /// # Errors
    /// [`Error::Io`], also of earlier work in the background; [`Error::Limit`] for an entry of more than 16 MiB.
    pub fn add<'e>(&self, entries: impl IntoIterator<Item = &'e Entry<'e>>) -> Result<()> {
        self.shelf.write(entries, false)
    }

    /// Deletes captures: those that have key, time, file name and offset of one of `entries`. Of one that is not there
    /// nothing is said.
    ///
    /// # Errors
    /// As [`Store::add`].
    pub fn delete<'e>(&self, entries: impl IntoIterator<Item = &'e Entry<'e>>) -> Result<()> {
        self.shelf.write(entries, true)
    }

    /// Deletes all captures of a key, or those of one second. Gives their number.
    ///
    /// # Errors
    /// As [`Store::add`] and [`CaptureSource::scan`].
    pub fn delete_key(&self, urlkey: &str, timestamp: Option<crate::Timestamp>) -> Result<u64> {
        let mut found = Vec::new();
        self.scan(&KeyRange::exact(urlkey), &mut |entry| {
            if timestamp.is_none_or(|timestamp| timestamp == entry.timestamp) {
                found.push(entry.clone().into_owned());
            }
            ControlFlow::Continue(())
        })?;
        self.delete(&found)?;
        Ok(found.len() as u64)
    }

    /// Writes what is in memory as a segment.
    ///
    /// # Errors
    /// As [`Store::add`].
    pub fn flush(&self) -> Result<()> {
        self.shelf.settle(false)
    }

    /// Makes one segment of everything, packed as well as may be, without deleted entries and their marks.
    ///
    /// # Errors
    /// As [`Store::add`]; [`Error::Corrupt`] for segments that cannot be read.
    pub fn compact(&self) -> Result<()> {
        self.shelf.settle(true)
    }

    /// Whether it holds nothing.
    ///
    /// # Errors
    /// As [`CaptureSource::scan`].
    pub fn is_empty(&self) -> Result<bool> {
        let mut empty = true;
        self.scan(&KeyRange::default(), &mut |_| {
            empty = false;
            ControlFlow::Break(())
        })?;
        Ok(empty)
    }

    /// The number of captures: at once where all is in one segment, otherwise by reading them.
    ///
    /// # Errors
    /// As [`CaptureSource::scan`].
    pub fn len(&self) -> Result<u64> {
        let view = self.shelf.view();
        if let ([segment], true) = (&*view.segments, view.fresh() == 0)
            && segment.deleted() == 0
        {
            return Ok(segment.rows());
        }
        let mut count = 0;
        view.scan(&KeyRange::default(), false, &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        })?;
        Ok(count)
    }

    /// What it is made of.
    pub fn stats(&self) -> StoreStats {
        let view = self.shelf.view();
        let sum = |of: &dyn Fn(&Segment) -> u64| view.segments.iter().map(|segment| of(segment)).sum::<u64>();
        let fresh = view.fresh();
        StoreStats {
            rows: sum(&Segment::rows) + fresh,
            marks: sum(&Segment::deleted),
            segments: view.segments.len(),
            bytes: sum(&Segment::bytes),
            overhead: sum(&Segment::overhead),
            fresh,
            held: sum(&|segment| segment.memory() as u64) + view.memory() as u64,
            cut: self.cut,
        }
    }
}

impl Drop for Store {
    /// Stops the work in the background. What is in memory is in the log.
    fn drop(&mut self) {
        self.shelf.stop();
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

impl CaptureSource for Store {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        self.shelf.view().scan(range, false, visit)
    }

    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        self.shelf.view().scan(range, true, visit)
    }
}

/// How often a lock is tried, and how long apart: a process that ends, or one that is just being started by this one and
/// still has its open files, holds it for a moment longer.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: std::time::Duration = std::time::Duration::from_millis(25);

/// Keeps other writers out while it lives.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("LOCK");
    let file = File::options().write(true).create(true).truncate(false).open(&path).at(&path)?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(std::fs::TryLockError::Error(error)) => return Err(Error::io(&path, error)),
        }
    }
    Err(Error::Config(format!("{}: another process has this store open", folder.display())))
}

/// Deletes what an interrupted writer left and the manifest does not name. Gives the numbers of the logs, ascending.
fn sweep(folder: &Path, manifest: &Manifest) -> Result<Vec<u64>> {
    let mut logs = Vec::new();
    for file in std::fs::read_dir(folder).at(folder)? {
        let path: PathBuf = file.at(folder)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let stale = match number_of(name) {
            Some((number, "log")) if number >= manifest.log => {
                logs.push(number);
                false
            }
            Some((_, "log")) => true,
            Some((number, "segment")) => !manifest.segments.contains(&number),
            Some((_, rest)) => rest.starts_with("segment."),
            None => name.starts_with("MANIFEST."),
        };
        if stale {
            std::fs::remove_file(&path).at(&path)?;
        }
    }
    logs.sort_unstable();
    Ok(logs)
}

/// Reads a log and cuts its torn end. Gives the bytes cut.
fn recover(path: &Path, last: bool, options: &StoreOptions) -> Result<(Vec<Arc<run::Run>>, u64)> {
    let bytes = std::fs::read(path).at(path)?;
    let replayed = match log::replay(&bytes, path, last) {
        Err(Error::Corrupt { offset, .. }) if options.cut_damaged_log => {
            log::replay(&bytes[..offset as usize], path, true)?
        }
        replayed => replayed?,
    };
    let cut = bytes.len() as u64 - replayed.whole;
    // A log of no byte has lost nothing and yet no head: it is the last one only until the next is begun.
    if replayed.whole < log::MAGIC.len() as u64 {
        log::Log::create(path)?;
    } else if cut > 0 {
        let file = File::options().write(true).open(path).at(path)?;
        file.set_len(replayed.whole).and_then(|()| file.sync_all()).at(path)?;
    }
    Ok((replayed.runs, cut))
}

impl View {
    /// Hands out the entries of a range.
    fn scan(&self, range: &KeyRange, back: bool, visit: Scan<'_>) -> Result<()> {
        let mut sources = Vec::new();
        for segment in &self.segments {
            let segment = Arc::clone(segment);
            sources.extend(match back {
                false => Source::of_segment(segment, range)?,
                true => Source::of_segment_back(segment, range)?,
            });
        }
        for run in self.all_runs() {
            sources.extend(Source::of_run(Arc::clone(run), range, back));
        }
        let mut merge = Merge::new(sources, back);
        while merge.advance()? {
            let row = merge.row();
            if !row.deleted && visit(&row.entry).is_break() {
                break;
            }
        }
        Ok(())
    }
}
