//! What a folder of results holds, and what of it is reachable from the latest keys.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use webmill_capture::Result;
use webmill_capture::error::AtPath;
use webmill_run::layout::{self, UnfinishedRun};
use webmill_run::{Committed, Manifest};

use webmill_jobs::catalogue::{EARLIER, latest_keys};

/// A committed key.
pub struct Key {
    /// Name of the job.
    pub job: String,
    /// Key of the job: 32 hexadecimal digits.
    pub key: String,
    /// Folder with the results of this key.
    pub folder: PathBuf,
    /// What it is to the latest results.
    pub state: State,
    /// What it was made from: job and key, those of other results left out.
    pub upstream: Vec<(String, String)>,
    /// Bytes of its files.
    pub bytes: u64,
    /// Rows of its tables.
    pub rows: u64,
    /// When it was committed, where the file system tells.
    pub committed_at: Option<SystemTime>,
}

/// What a key is to the latest results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The latest of its job.
    Latest,
    /// Latest ones were made from it: these jobs.
    Needed(BTreeSet<String>),
    /// Nothing was.
    Unneeded,
    /// It cannot be opened, and why.
    Damaged(String),
}

impl State {
    /// The state in a word, for the output.
    pub fn name(&self) -> &'static str {
        match self {
            State::Latest => "latest",
            State::Needed(_) => "needed",
            State::Unneeded => "unneeded",
            State::Damaged(_) => "damaged",
        }
    }
}

/// All that a folder of results holds.
pub struct Inventory {
    /// Committed keys, by job and age, the newest first.
    pub keys: Vec<Key>,
    /// Unfinished keys and lists of refused runs, by job.
    pub unfinished: Vec<UnfinishedRun>,
}

impl Inventory {
    /// Looks through the folder.
    ///
    /// # Errors
    /// Where it holds no results, or cannot be listed.
    pub fn of(results: &Path) -> Result<Self> {
        layout::check_layout(results)?;
        let latest = latest_keys(results)?;
        let (mut keys, mut unfinished) = (Vec::new(), Vec::new());
        for job in layout::jobs_in(results)? {
            let mut of_job = Vec::new();
            for (key, folder) in layout::committed_in(results, &job)? {
                of_job.push(Key::of(&job, key, folder)?);
            }
            of_job.sort_by(|a, b| b.committed_at.cmp(&a.committed_at).then_with(|| a.key.cmp(&b.key)));
            keys.append(&mut of_job);
            unfinished.append(&mut layout::unfinished_in(results, &job)?);
        }
        let mut inventory = Inventory { keys, unfinished };
        inventory.mark(&latest);
        Ok(inventory)
    }

    /// Whether a process works in the folder.
    pub fn is_running(&self) -> bool {
        self.unfinished.iter().any(|unfinished| unfinished.is_locked)
    }

    /// Marks the results that are reachable from the latest keys. A latest key that is damaged has upstream that is not known.
    fn mark(&mut self, latest: &BTreeMap<String, String>) {
        let number: BTreeMap<(&str, &str), usize> =
            (0..).zip(&self.keys).map(|(at, key)| ((key.job.as_str(), key.key.as_str()), at)).collect();
        let at = |job: &str, key: &str| number.get(&(job, key)).copied();
        let roots: Vec<usize> = latest.iter().filter_map(|(job, key)| at(job, key)).collect();
        let mut needed: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for &root in &roots {
            let mut ways = vec![root];
            let mut seen = BTreeSet::from([root]);
            while let Some(key) = ways.pop() {
                for (job, upstream) in &self.keys[key].upstream {
                    if let Some(found) = at(job, upstream)
                        && seen.insert(found)
                    {
                        needed.entry(found).or_default().insert(self.keys[root].job.clone());
                        ways.push(found);
                    }
                }
            }
        }
        let states: Vec<Option<State>> = (0..self.keys.len())
            .map(|key| match needed.remove(&key) {
                _ if roots.contains(&key) => Some(State::Latest),
                Some(by) => Some(State::Needed(by)),
                None => None,
            })
            .collect();
        for (key, state) in self.keys.iter_mut().zip(states) {
            if let (Some(state), false) = (state, matches!(key.state, State::Damaged(_))) {
                key.state = state;
            }
        }
    }
}

impl Key {
    fn of(job: &str, key: String, folder: PathBuf) -> Result<Self> {
        let manifest = folder.join(Manifest::FILE);
        let committed_at = std::fs::metadata(&manifest).at(&manifest)?.modified().ok();
        let mut found = Key {
            job: job.to_owned(),
            key,
            folder,
            state: State::Unneeded,
            upstream: Vec::new(),
            bytes: 0,
            rows: 0,
            committed_at,
        };
        match Committed::open(&found.folder) {
            Ok(committed) => {
                let manifest = committed.manifest;
                found.bytes = manifest.outputs.iter().map(|output| output.bytes).sum();
                found.rows = manifest.tables.values().map(|table| table.rows).sum();
                // What was compared with may lie in this folder too.
                let own = |job: &str| job.strip_prefix(EARLIER).unwrap_or(job).to_owned();
                let upstream = manifest.inputs.upstream.iter();
                found.upstream = upstream.map(|other| (own(&other.job), other.key.to_string())).collect();
            }
            Err(error) => {
                found.bytes = layout::size_of(&found.folder)?;
                found.state = State::Damaged(error.to_string());
            }
        }
        Ok(found)
    }
}
