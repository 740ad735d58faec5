//! What a store holds at a moment, and how additions come into it.
//!
//! Additions of several threads are committed in groups: the first that comes writes, for itself and for those that
//! came while the group before was being written; the others wait.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use webmill_capture::{Error, Result};

use super::StoreOptions;
use super::log::{Log, MAX_FRAME};
use super::manifest::{Manifest, log_path};
use super::record::{self, MAX_RECORD};
use super::run::{self, Run};
use super::segment::Segment;
use crate::Entry;

/// Bytes of additions that are committed at once, about.
const BATCH_BYTES: usize = 4 << 20;
/// Full runs that wait for the background before additions wait too.
const MAX_SHELVED: usize = 2;

/// Everything at a moment, from the oldest to the newest.
#[derive(Clone, Default)]
pub(super) struct View {
    pub(super) segments: Vec<Arc<Segment>>,
    /// Runs that no more is added to, and the log that holds them.
    pub(super) shelved: Vec<(u64, Vec<Arc<Run>>)>,
    pub(super) runs: Vec<Arc<Run>>,
}

impl View {
    /// Takes in the runs of a log that is closed.
    pub(super) fn shelve(&mut self, runs: Vec<Arc<Run>>, log: u64) {
        if !runs.is_empty() {
            self.shelved.push((log, runs));
        }
    }

    pub(super) fn all_runs(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.shelved.iter().flat_map(|(_, runs)| runs).chain(&self.runs)
    }

    pub(super) fn fresh(&self) -> u64 {
        self.all_runs().map(|run| run.len() as u64).sum()
    }

    pub(super) fn memory(&self) -> usize {
        self.all_runs().map(|run| run.memory()).sum()
    }
}

/// A store without its thread.
pub(super) struct Shelf {
    pub(super) folder: PathBuf,
    pub(super) options: StoreOptions,
    view: RwLock<Arc<View>>,
    /// Held by whoever writes the log.
    log: Mutex<(Log, u64)>,
    queue: Mutex<Queue>,
    written: Condvar,
    pub(super) manifest: Mutex<Manifest>,
    pub(super) work: Mutex<Work>,
    pub(super) changed: Condvar,
    pub(super) stopping: AtomicBool,
}

/// Additions that wait to be written.
#[derive(Default)]
struct Queue {
    waiting: Vec<Run>,
    /// The number that the next addition gets, and the first that is not written.
    next: u64,
    done: u64,
    writing: bool,
    /// Why additions failed.
    failed: BTreeMap<u64, (std::io::ErrorKind, String)>,
}

/// What the background is asked for, and how it fares.
#[derive(Default)]
pub(super) struct Work {
    /// Times it was asked to merge everything, and times it has.
    pub(super) asked: u64,
    pub(super) merged: u64,
    /// Something may have to be done.
    pub(super) woken: bool,
    pub(super) error: Option<Error>,
}

/// A lock whose holder panicked guards what is replaced as a whole: it is as it was.
pub(super) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shelf {
    pub(super) fn new(
        folder: &Path,
        options: &StoreOptions,
        manifest: Manifest,
        view: View,
        log: Log,
        number: u64,
    ) -> Self {
        Shelf {
            folder: folder.to_owned(),
            options: options.clone(),
            view: RwLock::new(Arc::new(view)),
            log: Mutex::new((log, number)),
            queue: Mutex::default(),
            written: Condvar::new(),
            manifest: Mutex::new(manifest),
            work: Mutex::new(Work { woken: true, ..Work::default() }),
            changed: Condvar::new(),
            stopping: AtomicBool::new(false),
        }
    }

    /// Everything as it is now.
    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces it.
    pub(super) fn change(&self, change: impl FnOnce(&mut View)) {
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = View::clone(&view);
        change(&mut changed);
        *view = Arc::new(changed);
    }

    /// Adds entries, or marks that they are deleted.
    pub(super) fn write<'e>(
        &self,
        entries: impl IntoIterator<Item = &'e Entry<'e>>,
        deleted: bool,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        for entry in entries {
            let from = bytes.len();
            record::put(&mut bytes, entry, deleted);
            if bytes.len() - from > MAX_RECORD {
                let key: String = entry.urlkey.chars().take(100).collect();
                return Err(Error::Limit(format!("the entry of {key} has more than {MAX_RECORD} bytes")));
            }
            if bytes.len() >= BATCH_BYTES {
                self.commit(std::mem::take(&mut bytes))?;
            }
        }
        if bytes.is_empty() { Ok(()) } else { self.commit(bytes) }
    }

    fn commit(&self, bytes: Vec<u8>) -> Result<()> {
        self.wait_for_room()?;
        let run = Run::of_records(bytes).map_err(|fault| Error::Internal(fault.to_owned()))?;
        let mut queue = hold(&self.queue);
        let ticket = queue.next;
        queue.next += 1;
        queue.waiting.push(run);
        while queue.writing && queue.done <= ticket {
            queue = self.written.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if queue.done > ticket {
            return match queue.failed.remove(&ticket) {
                None => Ok(()),
                Some((kind, why)) => Err(Error::io(&self.folder, std::io::Error::new(kind, why))),
            };
        }
        // Nobody writes: this one does, for all that wait.
        queue.writing = true;
        let group = std::mem::take(&mut queue.waiting);
        let first = queue.next - group.len() as u64;
        drop(queue);
        let written = self.write_group(group);
        let mut queue = hold(&self.queue);
        let end = queue.next - queue.waiting.len() as u64;
        if let Err(error) = &written {
            let (kind, why) = match error {
                Error::Io { source, .. } => (source.kind(), source.to_string()),
                other => (std::io::ErrorKind::Other, other.to_string()),
            };
            for other in (first..end).filter(|&other| other != ticket) {
                queue.failed.insert(other, (kind, why.clone()));
            }
        }
        queue.done = end;
        queue.writing = false;
        drop(queue);
        self.written.notify_all();
        written
    }

    fn write_group(&self, group: Vec<Run>) -> Result<()> {
        let mut log = hold(&self.log);
        let mut group = group.into_iter().peekable();
        while group.peek().is_some() {
            let (mut part, mut size) = (Vec::new(), 0);
            while let Some(run) = group.next_if(|run| size == 0 || size + run.bytes().len() <= MAX_FRAME) {
                size += run.bytes().len();
                part.push(run);
            }
            let records: Vec<&[u8]> = part.iter().map(Run::bytes).collect();
            log.0.append(&records, self.options.durable)?;
            self.change(|view| part.into_iter().for_each(|run| run::push(&mut view.runs, run)));
        }
        let full: usize = self.view().runs.iter().map(|run| run.memory()).sum();
        if full >= self.options.memory {
            // What was written is acknowledged all the same: the next addition tries again.
            let _ = self.shelve(&mut log);
        }
        Ok(())
    }

    /// Closes the log and begins another; the background writes what is in memory.
    fn shelve(&self, log: &mut (Log, u64)) -> Result<()> {
        if self.view().runs.is_empty() {
            return Ok(());
        }
        let number = {
            let mut manifest = hold(&self.manifest);
            manifest.next += 1;
            manifest.next - 1
        };
        let (_, closed) = std::mem::replace(log, (Log::create(&log_path(&self.folder, number))?, number));
        self.change(|view| {
            let runs = std::mem::take(&mut view.runs);
            view.shelve(runs, closed);
        });
        self.wake();
        Ok(())
    }

    pub(super) fn wake(&self) {
        hold(&self.work).woken = true;
        self.changed.notify_all();
    }

    /// Waits until the background has taken up enough.
    fn wait_for_room(&self) -> Result<()> {
        let mut work = hold(&self.work);
        loop {
            if let Some(error) = work.error.take() {
                work.woken = true;
                self.changed.notify_all();
                return Err(error);
            }
            if self.view().shelved.len() < MAX_SHELVED {
                return Ok(());
            }
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Writes all that is in memory, and merges all if `whole`; returns when it is done.
    pub(super) fn settle(&self, whole: bool) -> Result<()> {
        self.shelve(&mut hold(&self.log))?;
        let mut work = hold(&self.work);
        work.woken = true;
        work.asked += u64::from(whole);
        let wanted = if whole { work.asked } else { 0 };
        self.changed.notify_all();
        loop {
            if let Some(error) = work.error.take() {
                return Err(error);
            }
            if self.view().shelved.is_empty() && work.merged >= wanted {
                return Ok(());
            }
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Asks the background to end.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.wake();
    }
}
