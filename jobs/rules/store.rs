//! The job's data on disk while it runs: places of pages, pages to visit, results.
//!
//! **Cost.** A cache and write buffers within the budget; all else is on disk, in a folder that goes away with the unit of work.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_rules::{Habits, TagNumber, TagResult};
use webmill_sort::{PutKey, TakeKey};

/// A page, a rule and a layer of it: by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// Key of the page's address.
    pub url: u128,
    /// Number of the rule.
    pub rule: u16,
    /// Number of the layer.
    pub layer: u16,
}

impl Task {
    fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(20);
        (self.url, self.rule, self.layer).put(&mut bytes);
        bytes
    }

    fn of_bytes(mut bytes: &[u8]) -> Option<Task> {
        let (url, rule, layer) = TakeKey::take(&mut bytes)?;
        Some(Task { url, rule, layer })
    }
}

/// Where the record of a page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Number of the shard.
    pub shard: u32,
    /// Offset of the record.
    pub offset: u64,
    /// Bytes of the record.
    pub length: u64,
}

/// What was found on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Its address.
    pub url: String,
    /// Where its record stands.
    pub place: Place,
    /// How it writes days and numbers.
    pub habits: Habits,
    /// Results of the layer's tags without a parent; `None`: it is not of the layer.
    pub results: Option<Vec<(TagNumber, Vec<TagResult>)>>,
}

/// Where what was found on a page stands in the files that a scan wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultPlace {
    /// Number of the file.
    pub file: u32,
    /// Offset there.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

/// What the store holds of a page: what was found, or where it stands.
#[derive(Debug, Serialize, Deserialize)]
enum KeptResults {
    Here(Stored),
    At(ResultPlace),
}

/// The files that a scan wrote, mapped.
#[derive(Default)]
pub struct ResultFiles(Vec<Option<Mmap>>);

impl ResultFiles {
    /// These files, which are complete.
    ///
    /// # Errors
    /// Where one cannot be opened.
    pub fn open(paths: &[PathBuf]) -> Result<ResultFiles> {
        let open = |path: &PathBuf| -> Result<Option<Mmap>> {
            let file = File::open(path).at(path)?;
            if file.metadata().at(path)?.len() == 0 {
                return Ok(None);
            }
            // SAFETY: the file is a complete one in the folder of this run, and not written to again.
            unsafe { Mmap::map(&file) }.at(path).map(Some)
        };
        paths.iter().map(open).collect::<Result<_>>().map(ResultFiles)
    }

    fn read(&self, at: ResultPlace) -> Result<Stored> {
        let from = usize::try_from(at.offset).map_err(|_| unreadable())?;
        let file = self.0.get(at.file as usize).and_then(Option::as_ref);
        let bytes = file.and_then(|file| file.get(from..from + at.length as usize)).ok_or_else(unreadable)?;
        postcard::from_bytes(bytes).map_err(|_| unreadable())
    }
}

/// How a page came to be visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By an entry or a link: rows begin on it.
    Entered,
    /// By paging: it goes on what another page began.
    Continued,
}

/// A page on which rows may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Top {
    /// Page, rule and layer.
    pub task: Task,
    /// Where what was found there stands, if it is not with the task.
    pub at: Option<ResultPlace>,
}

/// Data looked up by page; on disk from the first entry on.
pub struct Store {
    folder: PathBuf,
    memory: u64,
    aside: ResultFiles,
    opening: Mutex<()>,
    keyspaces: OnceLock<Keyspaces>,
}

struct Keyspaces {
    _database: Database,
    places: Keyspace,
    redirects: Keyspace,
    queue: Keyspace,
    results: Keyspace,
    continued: Keyspace,
    walked: Keyspace,
}

fn broken(error: fjall::Error) -> Error {
    match error {
        fjall::Error::Io(source) => Error::io(Path::new("rules"), source),
        other => Error::Internal(format!("the store of the job rules: {other}")),
    }
}

/// The error if the folder of the run was changed from outside.
pub fn unreadable() -> Error {
    Error::Internal("the store of the job rules holds what was not written".into())
}

impl Keyspaces {
    fn open(folder: &Path, memory: u64) -> fjall::Result<Keyspaces> {
        let database = Database::builder(folder.join("store"))
            .cache_size(memory / 2)
            .worker_threads(1)
            .max_journaling_size(memory.clamp(64 << 20, 512 << 20))
            .open()?;
        let open = |name: &str| {
            let buffer = (memory / 16).clamp(1 << 20, 64 << 20);
            database.keyspace(name, || KeyspaceCreateOptions::default().max_memtable_size(buffer))
        };
        Ok(Keyspaces {
            places: open("places")?,
            redirects: open("redirects")?,
            queue: open("queue")?,
            results: open("results")?,
            continued: open("continued")?,
            walked: open("walked")?,
            _database: database,
        })
    }
}

impl Store {
    /// An empty store in a folder, within `memory` bytes.
    pub fn new(folder: &Path, memory: u64) -> Store {
        Store {
            folder: folder.to_owned(),
            memory,
            aside: ResultFiles::default(),
            opening: Mutex::new(()),
            keyspaces: OnceLock::new(),
        }
    }

    /// The keyspaces, where anything was noted.
    fn noted(&self) -> Option<&Keyspaces> {
        self.keyspaces.get()
    }

    /// The keyspaces, to note something.
    fn keyspaces(&self) -> Result<&Keyspaces> {
        // One thread opens them, once.
        let _opening = self.noted().is_none().then(|| self.opening.lock());
        if let Some(keyspaces) = self.keyspaces.get() {
            return Ok(keyspaces);
        }
        let keyspaces = Keyspaces::open(&self.folder, self.memory).map_err(broken)?;
        Ok(self.keyspaces.get_or_init(|| keyspaces))
    }

    /// The files that [`ResultPlace`] names.
    pub fn set_aside(&mut self, aside: ResultFiles) {
        self.aside = aside;
    }

    /// Notes where the page of an address stands.
    pub fn set_place(&self, url: u128, place: Place) -> Result<()> {
        let bytes = postcard::to_allocvec(&place).map_err(|_| unreadable())?;
        self.keyspaces()?.places.insert(url.to_be_bytes(), bytes).map_err(broken)
    }

    /// Notes that an address led to another at some time; the latest stays.
    pub fn set_redirect(&self, url: u128, target: u128, time: Option<i64>) -> Result<()> {
        let mut value = Vec::new();
        (time, target).put(&mut value);
        let known = self.keyspaces()?.redirects.get(url.to_be_bytes()).map_err(broken)?;
        if known.is_some_and(|known| *known >= *value) {
            return Ok(());
        }
        self.keyspaces()?.redirects.insert(url.to_be_bytes(), value).map_err(broken)
    }

    /// The page that an address leads to, over at most ten redirects: its key and place.
    pub fn resolve(&self, url: u128) -> Result<Option<(u128, Place)>> {
        let Some(keyspaces) = self.noted() else { return Ok(None) };
        let mut at = url;
        for _ in 0..=10 {
            if let Some(bytes) = keyspaces.places.get(at.to_be_bytes()).map_err(broken)? {
                let place = postcard::from_bytes(&bytes).map_err(|_| unreadable())?;
                return Ok(Some((at, place)));
            }
            let Some(target) = keyspaces.redirects.get(at.to_be_bytes()).map_err(broken)? else { break };
            at = u128::from_be_bytes(*target.last_chunk().ok_or_else(unreadable)?);
        }
        Ok(None)
    }

    /// Adds a task to a wave.
    pub fn queue(&self, wave: u32, task: Task, way: Way) -> Result<()> {
        let key = [&wave.to_be_bytes()[..], &task.bytes()].concat();
        if way == Way::Continued && self.keyspaces()?.queue.get(&key).map_err(broken)?.is_some() {
            return Ok(());
        }
        self.keyspaces()?.queue.insert(key, [u8::from(way == Way::Entered)]).map_err(broken)
    }

    /// Up to `most` tasks of a wave behind one, in their order.
    pub fn tasks(&self, wave: u32, behind: Option<Task>, most: usize) -> Result<Vec<(Task, Way)>> {
        let Some(keyspaces) = self.noted() else { return Ok(Vec::new()) };
        let prefix = wave.to_be_bytes();
        let start = match behind {
            None => prefix.to_vec(),
            Some(task) => [&prefix[..], &task.bytes(), &[0]].concat(),
        };
        let mut tasks = Vec::new();
        for item in keyspaces.queue.range(start..(wave + 1).to_be_bytes().to_vec()).take(most) {
            let (key, value) = item.into_inner().map_err(broken)?;
            let task = key.get(4..).and_then(Task::of_bytes).ok_or_else(unreadable)?;
            tasks.push((task, if value.first() == Some(&1) { Way::Entered } else { Way::Continued }));
        }
        Ok(tasks)
    }

    /// Keeps what was found on a page.
    pub fn put(&self, task: Task, stored: Stored) -> Result<()> {
        self.keep(task, &KeptResults::Here(stored))
    }

    /// Notes where what was found on a page stands.
    pub fn put_at(&self, task: Task, at: ResultPlace) -> Result<()> {
        self.keep(task, &KeptResults::At(at))
    }

    fn keep(&self, task: Task, kept: &KeptResults) -> Result<()> {
        let bytes = postcard::to_allocvec(kept).map_err(|_| unreadable())?;
        self.keyspaces()?.results.insert(task.bytes(), bytes).map_err(broken)
    }

    /// Whether a task was done.
    pub fn is_done(&self, task: Task) -> Result<bool> {
        self.noted().map_or(Ok(false), |of| of.results.contains_key(task.bytes()).map_err(broken))
    }

    /// What was found on a page.
    pub fn get(&self, task: Task) -> Result<Option<Stored>> {
        let Some(keyspaces) = self.noted() else { return Ok(None) };
        let Some(bytes) = keyspaces.results.get(task.bytes()).map_err(broken)? else { return Ok(None) };
        match postcard::from_bytes(&bytes).map_err(|_| unreadable())? {
            KeptResults::Here(stored) => Ok(Some(stored)),
            KeptResults::At(at) => self.aside.read(at).map(Some),
        }
    }

    /// What was found on a page on which rows may begin.
    pub fn get_top(&self, top: &Top) -> Result<Option<Stored>> {
        match top.at {
            Some(at) => self.aside.read(at).map(Some),
            None => self.get(top.task),
        }
    }

    /// Notes that another page leads on to this one.
    pub fn set_continued(&self, task: Task) -> Result<()> {
        self.keyspaces()?.continued.insert(task.bytes(), []).map_err(broken)
    }

    /// Whether another page leads on to this one.
    pub fn is_continued(&self, task: Task) -> Result<bool> {
        self.noted().map_or(Ok(false), |of| of.continued.contains_key(task.bytes()).map_err(broken))
    }

    /// Notes that a page stood in a chain of a group, by the group's number.
    pub fn set_walked(&self, task: Task, group: u32) -> Result<()> {
        self.keyspaces()?.walked.insert(walked_key(task, group), []).map_err(broken)
    }

    /// Whether a page stood in a chain of a group.
    pub fn is_walked(&self, task: Task, group: u32) -> Result<bool> {
        let key = walked_key(task, group);
        self.noted().map_or(Ok(false), |of| of.walked.contains_key(key).map_err(broken))
    }
}

fn walked_key(task: Task, group: u32) -> Vec<u8> {
    [&task.bytes()[..], &group.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_come_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path(), 16 << 20);
        assert_eq!(store.tasks(3, None, 10).unwrap(), []);
        assert!(!folder.path().join("store").exists(), "nothing was noted");
        let task = |url, rule| Task { url, rule, layer: 7 };
        for (url, rule, way) in
            [(9, 0, Way::Continued), (2, 1, Way::Entered), (2, 0, Way::Entered), (2, 1, Way::Continued)]
        {
            store.queue(3, task(url, rule), way).unwrap();
        }
        let all = store.tasks(3, None, 10).unwrap();
        assert_eq!(
            all,
            [(task(2, 0), Way::Entered), (task(2, 1), Way::Entered), (task(9, 0), Way::Continued)]
        );
        assert_eq!(store.tasks(3, Some(task(2, 0)), 1).unwrap(), [(task(2, 1), Way::Entered)]);
        assert_eq!(store.tasks(2, None, 10).unwrap(), []);
    }

    #[test]
    fn redirects_end() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path(), 16 << 20);
        let place = Place { shard: 1, offset: 2, length: 3 };
        store.set_place(5, place).unwrap();
        store.set_redirect(1, 5, Some(9)).unwrap();
        store.set_redirect(1, 6, Some(8)).unwrap();
        store.set_redirect(2, 3, None).unwrap();
        store.set_redirect(3, 2, None).unwrap();
        assert_eq!(store.resolve(1).unwrap(), Some((5, place)));
        assert_eq!(store.resolve(2).unwrap(), None);
        assert_eq!(store.resolve(9).unwrap(), None);
    }
}
