//! The capture index as a store on disk, to which captures are added and from which they are deleted while it is read.
//!
//! `webmill serve` keeps one for each collection of shards. It is a folder of the embedded store `fjall`, a log-structured
//! merge tree: one keyspace, one pair of key and value per capture (`record.rs`). Entries are one capture where key, time,
//! file name and offset agree: added twice they count once, the later counts.
//!
//! Cost: about 48 bytes of disk per capture; a look-up unpacks one block of 32 KiB, from the cache where it is there; an
//! addition is one write to the journal and one wait for the disk. Memory: 64 MiB of unpacked blocks and 16 MiB of additions.
//!
//! Determinism: the same entries give the same answers however they were added.
//!
//! Errors: [`Error::Corrupt`] with the folder where a file was damaged, never other entries than were put in; additions behind a
//! damaged head of a batch in the journal are cut off as those of a crash are, which the library does not tell. One process has
//! a store open: another gets [`Error::Config`]. The library panics on some damage; that is caught, and the store is not
//! touched again.
//!
//! Reference: P. O'Neil et al., *The log-structured merge-tree*, Acta Informatica 33 (1996), 10.1007/s002360050048.

mod record;

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use fjall::config::{BlockSizePolicy, CompressionPolicy, FilterPolicy, PartitioningPolicy};
use fjall::{CompressionType, Database, Iter, Keyspace, KeyspaceCreateOptions, PersistMode, Readable};
use webmill_capture::{Error, Result};

use crate::index::{CaptureSource, Entry, KeyRange, Scan};

/// Bytes of unpacked blocks that are kept in memory.
const CACHE: u64 = 64 << 20;
/// Bytes of additions in memory before they are written as a table.
const MEMTABLE: u64 = 16 << 20;
/// Bytes of a block before it is packed: smaller ones are found faster and take more of the disk.
const BLOCK: u32 = 32 << 10;

/// How often a store that is in use is tried, and how long apart: a process that ends, or one that is just being started
/// by this one and still has its open files, holds it for a moment longer.
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(25);

/// A store, open for reading and writing. Many threads may use it.
pub struct Store {
    folder: PathBuf,
    /// `None` once it is closed.
    db: Option<Database>,
    captures: Option<Keyspace>,
    /// The library panicked: its locks may be poisoned, so that it is not even closed.
    broken: AtomicBool,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// What [`Store::build`] has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Built {
    /// Captures written.
    pub captures: u64,
    /// Entries that were the same capture as the one before.
    pub repeated: u64,
    /// Entries that cannot be stored: with a key of more than 64 KiB or a value of more than 16 MiB.
    pub too_long: u64,
}

impl Store {
    /// Opens the store in `folder`, making both where they are missing.
    ///
    /// # Errors
    /// [`Error::Config`] where another process has it open; [`Error::Corrupt`] with the folder; [`Error::Io`].
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, MEMTABLE)
    }

    fn open_with(folder: &Path, memtable: u64) -> Result<Self> {
        let open = || {
            // The first of several workers spins while the others compact.
            let db = Database::builder(folder).cache_size(CACHE).worker_threads(1).open()?;
            let captures = db.keyspace("captures", || {
                KeyspaceCreateOptions::default()
                    .max_memtable_size(memtable)
                    .data_block_size_policy(BlockSizePolicy::all(BLOCK))
                    .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))
                    // Look-ups are ranges, of which filters know nothing.
                    .filter_policy(FilterPolicy::disabled())
                    // The index of a large table would not fit the cache.
                    .index_block_partitioning_policy(PartitioningPolicy::new([false, true]))
            })?;
            Ok((db, captures))
        };
        let mut tries = 1;
        let (db, captures) = loop {
            match guarded(open) {
                Err(Failure::Library(fjall::Error::Locked)) if tries < TRIES => std::thread::sleep(PAUSE),
                opened => break opened.map_err(|failure| failure.at(folder))?,
            }
            tries += 1;
        };
        let broken = AtomicBool::new(false);
        Ok(Store { folder: folder.to_owned(), db: Some(db), captures: Some(captures), broken })
    }

    /// Makes a store in `folder` of entries that come in order; `write` hands them over one by one.
    ///
    /// # Errors
    /// [`Error::Config`] where there is a store already, or for an entry that comes out of order; [`Error::Io`]; what `write`
    /// gives. The folder is to be removed then.
    pub fn build(
        folder: &Path,
        write: impl FnOnce(&mut dyn FnMut(&Entry<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<Built> {
        if folder.join("version").exists() {
            return Err(Error::Config(format!("{}: there is a store already", folder.display())));
        }
        let store = Self::open(folder)?;
        let (db, captures) = store.parts()?;
        let mut built = Built::default();
        let mut last = Vec::new();
        let mut tables = store.run(|| captures.start_ingestion())?;
        write(&mut |entry| {
            let (key, value) = match (record::key(entry), record::value(entry)) {
                (Err(Error::Limit(_)), _) | (_, Err(Error::Limit(_))) => {
                    built.too_long += 1;
                    return Ok(());
                }
                (key, value) => (key?, value?),
            };
            match key.cmp(&last) {
                Ordering::Less => {
                    let key = &entry.urlkey;
                    return Err(Error::Config(format!("entries out of order at {key} {}", entry.timestamp)));
                }
                Ordering::Equal => built.repeated += 1,
                Ordering::Greater => {
                    store.run(|| tables.write(&*key, value))?;
                    built.captures += 1;
                    last = key;
                }
            }
            Ok(())
        })?;
        store.run(|| tables.finish())?;
        store.run(|| db.persist(PersistMode::SyncAll))?;
        Ok(built)
    }

    /// Adds entries in any order, all or none. When it returns they are durable and readers that begin see them.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Limit`] for an entry with a key of more than 64 KiB or a value of more than 16 MiB.
    pub fn add<'e>(&self, entries: impl IntoIterator<Item = &'e Entry<'e>>) -> Result<()> {
        self.write(entries.into_iter().map(|entry| Ok((record::key(entry)?, Some(record::value(entry)?)))))
    }

    /// Deletes captures: those that have key, time, file name and offset of one of `entries`. Of one that is not there
    /// nothing is said.
    ///
    /// # Errors
    /// As [`Store::add`].
    pub fn delete<'e>(&self, entries: impl IntoIterator<Item = &'e Entry<'e>>) -> Result<()> {
        self.write(entries.into_iter().map(|entry| Ok((record::key(entry)?, None))))
    }

    fn write(&self, changes: impl Iterator<Item = Result<(Vec<u8>, Option<Vec<u8>>)>>) -> Result<()> {
        let (db, captures) = self.parts()?;
        let mut batch = db.batch().durability(Some(PersistMode::SyncAll));
        for change in changes {
            match change? {
                (key, Some(value)) => batch.insert(captures, key, value),
                (key, None) => batch.remove(captures, key),
            }
        }
        self.run(|| batch.commit())
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.captures.as_ref().map_or(0, Keyspace::disk_space)
    }

    fn parts(&self) -> Result<(&Database, &Keyspace)> {
        let parts = self.db.as_ref().zip(self.captures.as_ref());
        parts.ok_or_else(|| Error::Internal("a store that is closed".into()))
    }

    /// Runs something of the library.
    fn run<T>(&self, run: impl FnOnce() -> fjall::Result<T>) -> Result<T> {
        if self.broken.load(Relaxed) {
            return Err(Error::corrupt(&self.folder, 0, "an earlier access failed"));
        }
        guarded(run).map_err(|failure| {
            self.broken.fetch_or(matches!(failure, Failure::Panic(_)), Relaxed);
            failure.at(&self.folder)
        })
    }

    fn walk(
        &self,
        range: &KeyRange,
        next: fn(&mut Iter) -> Option<fjall::Guard>,
        visit: Scan<'_>,
    ) -> Result<()> {
        if range.to.as_ref().is_some_and(|to| *to <= range.from) {
            return Ok(());
        }
        let (db, captures) = self.parts()?;
        // The range of a keyspace goes on into what is written meanwhile; that of a snapshot does not.
        let mut found =
            self.run(|| Ok(db.snapshot().range::<Vec<u8>, _>(captures, record::bounds(range))))?;
        while let Some((key, value)) =
            self.run(|| next(&mut found).map(fjall::Guard::into_inner).transpose())?
        {
            let entry = record::entry(&key, &value)
                .ok_or_else(|| Error::corrupt(&self.folder, 0, "a pair of bytes that is no capture"))?;
            if visit(&entry).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl CaptureSource for Store {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        self.walk(range, Iter::next, visit)
    }

    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        self.walk(range, Iter::next_back, visit)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if *self.broken.get_mut() {
            std::mem::forget((self.db.take(), self.captures.take()));
        }
    }
}

/// Why something of the library failed.
enum Failure {
    Library(fjall::Error),
    Panic(String),
}

fn guarded<T>(run: impl FnOnce() -> fjall::Result<T>) -> std::result::Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(done) => done.map_err(Failure::Library),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            Err(Failure::Panic(words.to_owned()))
        }
    }
}

impl Failure {
    fn at(self, folder: &Path) -> Error {
        let error = match self {
            Failure::Panic(words) => {
                return Error::corrupt(folder, 0, format!("reading it failed: {words}"));
            }
            Failure::Library(error) => error,
        };
        let io = match error {
            fjall::Error::Locked => {
                return Error::Config(format!(
                    "{}: another process has this store open, such as a webmill serve that still runs",
                    folder.display()
                ));
            }
            fjall::Error::Poisoned => {
                let words = "an earlier write failed: is the disk full or faulty?";
                return Error::io(folder, std::io::Error::other(words));
            }
            fjall::Error::Io(io) | fjall::Error::Storage(fjall::LsmError::Io(io)) => io,
            other => return Error::corrupt(folder, 0, other.to_string()),
        };
        // What the system refuses is the system's; what is not there or too short is the store's.
        match io.raw_os_error() {
            Some(_) if io.kind() != std::io::ErrorKind::NotFound => Error::io(folder, io),
            _ => Error::corrupt(folder, 0, format!("a file of it cannot be read: {io}")),
        }
    }
}
