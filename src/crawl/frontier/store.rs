//! The embedded store under the frontier: keyspaces with uncommitted changes laid over them.
//!
//! A change goes to the overlay of its [`Layer`] and is read back from there; [`Store::commit`] writes all overlays as
//! one batch. Every commit also writes its number into every keyspace: where the numbers differ at [`Store::open`],
//! a part of the store was lost, and it is refused as damaged instead of losing pages in silence.
//!
//! The library under it trusts its files in places; so whatever panics inside it is caught and reported as damage,
//! and the store is not touched again.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use fjall::config::{BlockSizePolicy, PartitioningPolicy};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode, Slice};

use super::check::check;
use webmill_capture::error::{AtPath, Error, Result};

/// Key of the commit number: sorts after all others, since host names are ASCII.
const STAMP: &[u8] = &[0xff];

/// States of a store: in use; not to be touched again; not even to be closed, because its locks may be poisoned.
const WELL: u8 = 0;
const FAILED: u8 = 1;
const PANICKED: u8 = 2;

/// What the store may use of memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Cache of blocks, bytes.
    pub cache: u64,
    /// Write buffer of a large keyspace, bytes.
    pub large: u64,
    /// Write buffer of a small keyspace, bytes.
    pub small: u64,
}

/// A folder of keyspaces, open.
pub(super) struct Store {
    path: Arc<Path>,
    /// `None` once it is closed.
    db: Option<Database>,
    broken: Arc<AtomicU8>,
}

/// Keys of one kind and their uncommitted changes. Layers that share a keyspace have a byte of their own before their keys.
pub(super) struct Layer {
    path: Arc<Path>,
    keyspace: Keyspace,
    /// `None` if this layer has the keyspace to itself.
    prefix: Option<u8>,
    broken: Arc<AtomicU8>,
    pending: BTreeMap<Slice, Option<Slice>>,
}

/// A keyspace to be opened: its name, whether it is large, and the first bytes of the keys of its layers; none: it is one layer.
pub(super) type Space = (&'static str, bool, &'static [u8]);

/// Keys and values of a batch, in any order.
pub(super) type Changes = Vec<(Slice, Option<Slice>)>;

impl Store {
    /// Opens or creates the store with these keyspaces; the layers come in their order.
    pub fn open(path: &Path, sizes: Sizes, spaces: &[Space]) -> Result<(Store, Vec<Layer>, bool)> {
        let fresh = create(path, sizes, spaces)?;
        check(path)?;
        let (store, layers) = Self::open_existing(path, sizes, spaces)?;
        let mut stamps = Vec::new();
        for layer in &layers {
            stamps.push(layer.stamp()?);
        }
        if stamps.iter().any(|stamp| stamp.is_none() || *stamp != stamps[0]) {
            return Err(store.corrupt("its parts are of different commits: files were lost or cut"));
        }
        Ok((store, layers, fresh))
    }

    fn open_existing(path: &Path, sizes: Sizes, spaces: &[Space]) -> Result<(Store, Vec<Layer>)> {
        let path: Arc<Path> = path.into();
        let broken = Arc::new(AtomicU8::new(WELL));
        let opened = guarded(&path, &broken, || {
            let db = Database::builder(&*path)
                .cache_size(sizes.cache)
                // The first of several spins while the others compact.
                .worker_threads(1)
                .max_journaling_size((8 * sizes.large).clamp(64 << 20, 512 << 20))
                .open()?;
            let mut keyspaces = Vec::new();
            for (name, large, _) in spaces {
                keyspaces.push(db.keyspace(name, || {
                    let buffer = if *large { sizes.large } else { sizes.small };
                    let block = if *large { 8 << 10 } else { 4 << 10 };
                    KeyspaceCreateOptions::default()
                        .max_memtable_size(buffer)
                        .data_block_size_policy(BlockSizePolicy::all(block))
                        // Whole filters and indices of large tables would not fit the cache.
                        .filter_block_partitioning_policy(PartitioningPolicy::new([false, true]))
                        .index_block_partitioning_policy(PartitioningPolicy::new([false, true]))
                })?);
            }
            Ok((db, keyspaces))
        });
        let (db, keyspaces) = opened?;
        let layer = |keyspace: &Keyspace, prefix| Layer {
            path: path.clone(),
            keyspace: keyspace.clone(),
            prefix,
            broken: broken.clone(),
            pending: BTreeMap::new(),
        };
        let layers = std::iter::zip(spaces, &keyspaces).flat_map(|((_, _, prefixes), keyspace)| {
            let prefixes: Vec<Option<u8>> = prefixes.iter().copied().map(Some).collect();
            let prefixes = if prefixes.is_empty() { vec![None] } else { prefixes };
            prefixes.into_iter().map(move |prefix| layer(keyspace, prefix))
        });
        let layers = layers.collect();
        Ok((Store { path, db: Some(db), broken }, layers))
    }

    /// Writes all overlays, and further changes of the first keyspace, as one batch; it is with the operating system when this returns.
    pub fn commit(&self, number: u64, layers: Vec<&mut Layer>, first: Changes) -> Result<()> {
        self.wait_for_room(&layers)?;
        let Some(db) = &self.db else { return Err(self.corrupt("it is closed")) };
        let count = layers.iter().map(|layer| layer.pending.len() + 1).sum::<usize>() + first.len();
        let mut batch =
            fjall::OwnedWriteBatch::with_capacity(db.clone(), count).durability(Some(PersistMode::Buffer));
        let mut put = |keyspace: &Keyspace, key: Slice, value: Option<Slice>| match value {
            Some(value) => batch.insert(keyspace, key, value),
            None => batch.remove(keyspace, key),
        };
        if let Some(layer) = layers.first() {
            first.into_iter().for_each(|(key, value)| put(&layer.keyspace, key, value));
        }
        for layer in layers {
            for (key, value) in std::mem::take(&mut layer.pending) {
                put(&layer.keyspace, layer.stored_key(&key), value);
            }
            put(&layer.keyspace, STAMP.into(), Some(number.to_be_bytes().into()));
        }
        let written = guarded(&self.path, &self.broken, || batch.commit());
        if written.is_err() {
            self.broken.fetch_max(FAILED, Ordering::Relaxed);
        }
        written
    }

    /// Waits until background work has caught up. The library waits too, but for ever when that work has failed.
    fn wait_for_room(&self, layers: &[&mut Layer]) -> Result<()> {
        let behind = |layer: &&mut Layer| {
            layer.keyspace.sealed_memtable_count() >= 3 || layer.keyspace.l0_table_count() >= 24
        };
        while layers.iter().any(behind) {
            self.persist(PersistMode::Buffer)?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Makes commits survive a loss of power.
    pub fn sync(&self) -> Result<()> {
        self.persist(PersistMode::SyncAll)
    }

    fn persist(&self, mode: PersistMode) -> Result<()> {
        let Some(db) = &self.db else { return Err(self.corrupt("it is closed")) };
        guarded(&self.path, &self.broken, || db.persist(mode))
    }

    /// Damage of this store, in words.
    pub fn corrupt(&self, reason: impl Into<String>) -> Error {
        Error::corrupt(&*self.path, 0, reason)
    }

    /// The store of other options or another version.
    pub fn incompatible(&self, found: String, expected: String) -> Error {
        Error::Incompatible { path: self.path.to_path_buf(), found, expected }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // A panic inside has left locks poisoned, and taking them again would panic outside of any guard.
        if self.broken.load(Ordering::Relaxed) == PANICKED {
            std::mem::forget(self.db.take());
        }
    }
}

impl Layer {
    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Result<Option<Slice>> {
        match self.pending.get(key) {
            Some(value) => Ok(value.clone()),
            None => self.get_committed(key),
        }
    }

    /// The value of a key, past the overlay.
    pub fn get_committed(&self, key: &[u8]) -> Result<Option<Slice>> {
        guarded(&self.path, &self.broken, || self.keyspace.get(self.stored_key(key)))
    }

    /// The number of the last commit that reached the keyspace.
    fn stamp(&self) -> Result<Option<Slice>> {
        guarded(&self.path, &self.broken, || self.keyspace.get(STAMP))
    }

    /// A key as the keyspace has it.
    fn stored_key(&self, key: &[u8]) -> Slice {
        match self.prefix {
            Some(prefix) => [&[prefix], key].concat().into(),
            None => key.into(),
        }
    }

    /// A key as this layer has it.
    fn own_key(&self, stored: Slice) -> Slice {
        if self.prefix.is_some() { Slice::from(&stored[1..]) } else { stored }
    }

    /// Sets a key.
    pub fn put(&mut self, key: impl Into<Slice>, value: impl Into<Slice>) {
        self.pending.insert(key.into(), Some(value.into()));
    }

    /// Removes a key.
    pub fn remove(&mut self, key: impl Into<Slice>) {
        self.pending.insert(key.into(), None);
    }

    /// Changes that are not committed.
    #[cfg(test)]
    pub fn pending_len(&self) -> usize {
        self.pending.len()
    }

    /// Keys from `start` and before `end`, in order, until `visit` says `false`. The key of the commit number is left out.
    pub fn scan(
        &self,
        start: &[u8],
        end: &[u8],
        mut visit: impl FnMut(&[u8], Slice) -> Result<bool>,
    ) -> Result<()> {
        if start >= end {
            return Ok(());
        }
        let range = (Bound::Included(start), Bound::Excluded(end));
        let mut over = self.pending.range::<[u8], _>(range).peekable();
        let mut stored = self.stored_range(start, end)?;
        let mut next = || -> Result<Option<(Slice, Slice)>> {
            let next =
                guarded(&self.path, &self.broken, || stored.next().map(fjall::Guard::into_inner).transpose());
            Ok(next?.map(|(key, value)| (self.own_key(key), value)))
        };
        let mut below = next()?;
        loop {
            let above = match (over.peek(), &below) {
                (None, None) => return Ok(()),
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some((above, _)), Some((key, _))) => {
                    let (above, key): (&[u8], &[u8]) = (above, key);
                    if above == key {
                        below = next()?;
                        continue;
                    }
                    above < key
                }
            };
            let going = if above {
                match over.next() {
                    Some((key, Some(value))) => visit(key, value.clone())?,
                    _ => true,
                }
            } else {
                let Some((key, value)) = below.take() else { return Ok(()) };
                below = next()?;
                &*key == STAMP || visit(&key, value)?
            };
            if !going {
                return Ok(());
            }
        }
    }

    /// What the keyspace holds of this layer from `start` and before `end`.
    fn stored_range(&self, start: &[u8], end: &[u8]) -> Result<fjall::Iter> {
        let (start, end) = (self.stored_key(start), self.stored_key(end));
        guarded(&self.path, &self.broken, || Ok(self.keyspace.range(start..end)))
    }

    /// The last key from `start` and before `end`.
    pub fn last(&self, start: &[u8], end: &[u8]) -> Result<Option<Slice>> {
        if start >= end {
            return Ok(None);
        }
        let range = (Bound::Included(start), Bound::Excluded(end));
        let above = self.pending.range::<[u8], _>(range).rev().find(|(_, value)| value.is_some());
        let mut stored = self.stored_range(start, end)?;
        loop {
            let below =
                guarded(&self.path, &self.broken, || stored.next_back().map(fjall::Guard::key).transpose())?;
            let below = below.map(|key| self.own_key(key));
            match (above, below) {
                (None, None) => return Ok(None),
                (Some((above, _)), None) => return Ok(Some(above.clone())),
                (Some((above, _)), Some(below)) if **above >= *below => return Ok(Some(above.clone())),
                (_, Some(below)) => {
                    if !matches!(self.pending.get(&*below), Some(None)) {
                        return Ok(Some(below));
                    }
                }
            }
        }
    }
}

/// Runs something of the library; its panics and its errors come out as ours.
fn guarded<T>(path: &Path, broken: &AtomicU8, run: impl FnOnce() -> fjall::Result<T>) -> Result<T> {
    if broken.load(Ordering::Relaxed) != WELL {
        return Err(Error::corrupt(path, 0, "an earlier access failed"));
    }
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| translate(path, error)),
        Err(panic) => {
            broken.store(PANICKED, Ordering::Relaxed);
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            Err(Error::corrupt(path, 0, format!("reading it failed: {words}")))
        }
    }
}

fn translate(path: &Path, error: fjall::Error) -> Error {
    let io = match error {
        fjall::Error::Locked => {
            return Error::Config(format!("{}: in use by another process", path.display()));
        }
        fjall::Error::InvalidVersion(found) => {
            return Error::Incompatible {
                path: path.to_path_buf(),
                found: format!("store of version {found:?}"),
                expected: "store of version 3".into(),
            };
        }
        fjall::Error::Poisoned => {
            let words = "an earlier write failed: is the disk full or faulty?";
            return Error::io(path, std::io::Error::other(words));
        }
        fjall::Error::Io(io) | fjall::Error::Storage(fjall::LsmError::Io(io)) => io,
        other => return Error::corrupt(path, 0, other.to_string()),
    };
    // What the system refuses is the system's; what is not there or too short is the store's.
    let system =
        io.raw_os_error().is_some() && !matches!(io.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput);
    if system {
        Error::io(path, io)
    } else {
        Error::corrupt(path, 0, format!("a file of it cannot be read: {io}"))
    }
}

/// Makes the store next to its place and moves it there whole, so that a crash leaves none rather than half of one.
fn create(path: &Path, sizes: Sizes, spaces: &[Space]) -> Result<bool> {
    match std::fs::read_dir(path) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Ok(false);
            }
            std::fs::remove_dir(path).at(path)?;
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io(path, error)),
    }
    let name =
        path.file_name().ok_or_else(|| Error::Config(format!("{}: no folder name", path.display())))?;
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent).at(parent)?;
    let staged: PathBuf = parent.join(format!(".{}.partial", name.to_string_lossy()));
    if staged.exists() {
        std::fs::remove_dir_all(&staged).at(&staged)?;
    }
    let (store, mut layers) = Store::open_existing(&staged, sizes, spaces)?;
    for layer in &mut layers {
        store.commit(0, vec![layer], Vec::new())?;
    }
    store.sync()?;
    drop(layers);
    drop(store);
    std::fs::rename(&staged, path).at(path)?;
    std::fs::File::open(parent).and_then(|folder| folder.sync_all()).at(parent)?;
    Ok(true)
}

impl crate::focus::Store for Layer {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(Layer::get(self, key)?.map(|value| value.to_vec()))
    }

    fn put(&mut self, key: &[u8], value: Vec<u8>) {
        Layer::put(self, key, value);
    }

    fn remove(&mut self, key: &[u8]) {
        Layer::remove(self, key);
    }

    fn first(&self, kind: u8, most: usize) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut found = Vec::new();
        if most > 0 {
            self.scan(&[kind], &[kind + 1], |key, value| {
                found.push((key.to_vec(), value.to_vec()));
                Ok(found.len() < most)
            })?;
        }
        Ok(found)
    }
}
