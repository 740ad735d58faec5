//! From a job and its inputs to a committed folder.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::kept::UNITS;
use crate::key::JobDescription;
use crate::layout::{
    self, KEYS, LATEST, is_committed, key_folder, keys_folder, latest_link, lock, refused_list,
};
use crate::manifest::FEW;
use crate::stage::{Receipt, poisoned, sync_folder, to_json, write_synced};
use crate::{
    Cancel, Counts, Inputs, Job, JobInput, JobKey, Manifest, OutputFile, Progress, Reject, RejectSink, Stage,
    Upstream,
};
use crate::{crash_point, digest_file, hex128};
use webmill_capture::error::{AtPath, Error, Result};
use webmill_capture::memory::{self, Memory};
use webmill_capture::timing::{self, Ledger};

const REJECTS_FILE: &str = "rejects.parquet";
const RUN_FILE: &str = "run.json";

/// Everything about running a job that is not part of its key.
pub struct Runtime<'a> {
    /// Output folder.
    pub out: PathBuf,
    /// Threads to use.
    pub threads: usize,
    /// Bytes of memory to stay within.
    pub memory: u64,
    /// Share of damaged records beyond which a job is not committed.
    pub max_bad: f64,
    /// Where progress goes.
    pub progress: &'a dyn Progress,
    /// Whether to stop.
    pub cancel: &'a Cancel,
    /// Who writes rejects.
    pub rejects: &'a dyn RejectSink,
}

/// The committed folder that `out/<job>/latest` points to.
///
/// # Errors
/// [`Error::Config`] where the job was never run here; those of [`layout::check_layout`]; see also [`Committed::open`].
pub fn open_latest(out: &Path, job: &str) -> Result<Committed> {
    let folder = layout::latest_folder(out, job);
    if folder.is_some() || out.join(layout::LAYOUT_FILE).exists() {
        layout::check_layout(out)?;
    }
    match folder {
        Some(folder) => Committed::open(&folder),
        None => Err(Error::Config(format!("{}: no results of job {job} here", out.display()))),
    }
}

impl Inputs {
    /// Inputs that are the tables of committed jobs.
    pub fn of_jobs<'a>(jobs: impl IntoIterator<Item = &'a Committed>) -> Self {
        let upstream = jobs
            .into_iter()
            .map(|c| Upstream { job: c.manifest.job.clone(), key: c.manifest.key.clone() })
            .collect();
        Inputs { upstream, ..Inputs::default() }
    }
}

/// A committed folder.
#[derive(Debug, Clone)]
pub struct Committed {
    /// Where it is.
    pub folder: PathBuf,
    /// What it holds.
    pub manifest: Manifest,
    /// Whether it was made now rather than found.
    pub fresh: bool,
}

impl Committed {
    /// Path of a table or file in it.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// Opens the committed folder at `folder`.
    ///
    /// # Errors
    /// [`Error::Io`] without a manifest; [`Error::Incompatible`] for one of another version; [`Error::Corrupt`] where
    /// a file is missing or has another size than the manifest says.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(Manifest::FILE);
        let bytes = std::fs::read(&path).at(&path)?;
        let form: serde_json::Value = serde_json::from_slice(&bytes).map_err(|e| {
            Error::corrupt(&path, 0, format!("not a manifest: {e}; delete the folder and run again"))
        })?;
        if form["format"] != Manifest::FORMAT {
            return Err(Error::Incompatible {
                path,
                found: format!("manifest form {}", form["format"]),
                expected: format!("{} (choose another --out or the webmill that wrote it)", Manifest::FORMAT),
            });
        }
        if !Manifest::is_whole(&bytes) {
            return Err(Error::corrupt(path, 0, "not as it was written; delete the folder and run again"));
        }
        let manifest: Manifest = serde_json::from_value(form)
            .map_err(|e| Error::corrupt(&path, 0, format!("not a manifest: {e}")))?;
        for file in &manifest.outputs {
            let path = folder.join(&file.path);
            let found = std::fs::metadata(&path).at(&path)?.len();
            if found != file.bytes {
                let reason = format!(
                    "{found} bytes where the manifest says {}; delete the folder and run again",
                    file.bytes
                );
                return Err(Error::corrupt(path, found.min(file.bytes), reason));
            }
        }
        Ok(Committed { folder: folder.to_path_buf(), manifest, fresh: false })
    }
}

/// The work of a job in its staging folder.
type Work<'a> = dyn Fn(&Stage<'_>) -> Result<()> + Sync + 'a;

impl Runtime<'_> {
    /// Folder and state of `job` without doing anything: for `--dry-run`.
    ///
    /// # Errors
    /// [`Error::Internal`] where the configuration does not serialise.
    pub fn plan<J: Job>(&self, job: &J, input: &J::Input) -> Result<(PathBuf, bool)> {
        let key = JobDescription::new(job)?.key(&input.inputs())?;
        let folder = key_folder(&self.out, J::NAME, key.as_str());
        let done = folder.join(Manifest::FILE).exists();
        Ok((folder, done))
    }

    /// Runs `job`, resuming what an earlier run left, or finds it done.
    ///
    /// # Errors
    /// What the job meets; [`Error::Refused`] where too many records are damaged ([`Counts::is_refused`]); [`Error::Config`]
    /// where another process runs the same job or the folder is not webmill's; [`Error::Interrupted`].
    pub fn run<J: Job>(&self, job: &J, input: &J::Input) -> Result<Committed> {
        self.run_described(&JobDescription::new(job)?, &input.inputs(), &|stage| job.run(input, stage))
    }

    fn run_described(&self, job: &JobDescription, inputs: &Inputs, work: &Work<'_>) -> Result<Committed> {
        let key = job.key(inputs)?;
        self.claim()?;
        let keys = keys_folder(&self.out, job.name);
        let folder = keys.join(key.as_str());
        std::fs::create_dir_all(&keys).at(&keys)?;
        if let Some(committed) = self.done(&folder, &key)? {
            return Ok(committed);
        }
        let _lock = lock(&keys, &key)?;
        // Another process may have finished while this one waited for the lock.
        if let Some(committed) = self.done(&folder, &key)? {
            return Ok(committed);
        }
        let staging = keys.join(format!(".{key}.partial"));
        let manifest_path = staging.join(Manifest::FILE);
        if !manifest_path.exists() {
            self.stage(job, inputs, &key, &staging, work)?;
        }
        crash_point("manifest-written");
        let bytes = std::fs::read(&manifest_path).at(&manifest_path)?;
        let manifest = Some(&bytes).filter(|bytes| Manifest::is_whole(bytes));
        let manifest: Option<Manifest> = manifest.and_then(|bytes| serde_json::from_slice(bytes).ok());
        let manifest = manifest
            .ok_or_else(|| Error::corrupt(&manifest_path, 0, "not as it was written; delete the folder"))?;
        for sub in ["receipts", "temp"] {
            let path = staging.join(sub);
            if path.exists() {
                std::fs::remove_dir_all(&path).at(&path)?;
            }
        }
        remove_strays(&staging, &manifest)?;
        crash_point("receipts-removed");
        std::fs::rename(&staging, &folder).at(&folder)?;
        sync_folder(&keys)?;
        crash_point("folder-renamed");
        point_latest(&self.out, job.name, key.as_str())?;
        crash_point("latest-moved");
        // What earlier runs were refused for, of these shards or of what could be read of them, is done with.
        layout::remove_refused_lists(&self.out, job.name)?;
        Ok(Committed { folder, manifest, fresh: true })
    }

    /// Makes the output folder ours, or refuses one that holds something else; see [`layout::claim`].
    ///
    /// # Errors
    /// [`Error::Config`] or [`Error::Incompatible`] for a folder of someone else or of another layout.
    pub fn claim(&self) -> Result<()> {
        layout::claim(&self.out)
    }

    /// The committed folder, if it is there; its damage is held against the bound of this run.
    fn done(&self, folder: &Path, key: &JobKey) -> Result<Option<Committed>> {
        if !folder.join(Manifest::FILE).exists() {
            return Ok(None);
        }
        let committed = Committed::open(folder)?;
        let counts = &committed.manifest.counts;
        self.hold(counts, "", Some(&folder.join(REJECTS_FILE)))?;
        self.say_damage(&committed.manifest.job, counts, "");
        if !counts.unreadable.is_empty() {
            self.progress.note(&format!("to read them again, delete {}", folder.display()));
        }
        point_latest(&self.out, &committed.manifest.job, key.as_str())?;
        Ok(Some(committed))
    }

    /// Refuses damage beyond the bound, and a job that could read nothing at all. `list` is the file of its rejects.
    fn hold(&self, counts: &Counts, first: &str, list: Option<&Path>) -> Result<()> {
        let listed =
            list.map_or_else(String::new, |list| format!("; rejects are listed in {}", list.display()));
        let first = first_of(first);
        if is_all_lost(counts) {
            return Err(Error::Config(format!(
                "none of {} records could be read{listed}{first}",
                counts.read
            )));
        }
        if counts.is_refused(self.max_bad) {
            return Err(Error::Refused(format!(
                "{}, more than --max-bad {} allows: not committed; raise it, or mend the shards with `webmill shard \
                 recover`{listed}{first}",
                counts.damage(),
                self.max_bad,
            )));
        }
        Ok(())
    }

    /// Damage that the bound allows is said all the same.
    fn say_damage(&self, job: &str, counts: &Counts, first: &str) {
        if counts.damaged > 0 || counts.cut_off > 0 || !counts.left_out.is_empty() {
            let beyond = match counts.is_beyond(self.max_bad) {
                true => format!(
                    ", more than --max-bad {} allows: committed, since it is at most {FEW} records, and the exit code is 1",
                    self.max_bad
                ),
                false => String::new(),
            };
            self.progress.note(&format!(
                "{job}: {}{beyond}; see table rejects, {}{}",
                counts.damage(),
                latest_link(&self.out, job).join(REJECTS_FILE).display(),
                first_of(first),
            ));
        }
        for file in &counts.unreadable {
            self.progress.note(&format!("{job}: not read to its end: {file}"));
        }
    }

    /// Leaves the list of rejects beside the results that are refused: who is to mend the damage must see it.
    fn list_refused(&self, job: &str, key: &JobKey, sample: &[Reject]) -> Result<PathBuf> {
        let path = refused_list(&self.out, job, key);
        let aside = keys_folder(&self.out, job).join(format!(".{key}.rejects.aside"));
        self.rejects.write(&aside, sample, key.as_str())?;
        std::fs::rename(&aside, &path).at(&path)?;
        Ok(path)
    }

    /// Does the work in the staging folder, up to and with the manifest.
    fn stage(
        &self,
        job: &JobDescription,
        inputs: &Inputs,
        key: &JobKey,
        staging: &Path,
        work: &Work<'_>,
    ) -> Result<()> {
        let (started, before) = (Instant::now(), thread_seconds());
        let ledger = Arc::<Ledger>::default();
        let mut stage = Stage::apart(staging, key.clone(), self.memory, self.progress, self.cancel)?;
        stage.kept = Some(keys_folder(&self.out, job.name).join(UNITS));
        crash_point("staged");
        let of_threads = Arc::clone(&ledger);
        // A quarter is for the rows that are gathered meanwhile.
        let memory = Memory::new(self.memory / 4 * 3, self.threads);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .thread_name(|_| job.name.to_owned())
            .start_handler(move |_| {
                timing::work_for(&of_threads);
                memory::work_within(&memory);
            })
            .build()
            .map_err(|e| Error::Config(format!("{} threads cannot be started: {e}", self.threads)))?;
        pool.install(|| work(&stage))?;
        let receipts = std::mem::take(&mut *stage.receipts.lock().map_err(poisoned)?);
        let manifest = self.manifest(job, inputs, key, staging, &receipts)?;
        let facts = std::mem::take(&mut *stage.facts.lock().map_err(poisoned)?);
        let run = serde_json::json!({
            "threads": self.threads,
            "memory": self.memory,
            "seconds": started.elapsed().as_secs_f64(),
            "cpu_seconds": cpu_seconds(&pool, before),
            "parts": ledger.seconds().into_iter().map(|(part, seconds)| serde_json::json!([part, seconds])).collect::<Vec<_>>(),
            "inputs": inputs.paths,
            "facts": facts,
            "os": std::env::consts::OS,
            "arch": std::env::consts::ARCH,
        });
        write_synced(&staging.join(RUN_FILE), &to_json(&run)?, None)?;
        write_synced(&staging.join(Manifest::FILE), &manifest.sealed()?, None)?;
        stage.forget_unused()
    }

    fn manifest(
        &self,
        job: &JobDescription,
        inputs: &Inputs,
        key: &JobKey,
        staging: &Path,
        receipts: &BTreeMap<String, Receipt>,
    ) -> Result<Manifest> {
        let mut counts = Counts::default();
        for receipt in receipts.values() {
            counts.merge(&receipt.counts);
        }
        let first = first_reject(receipts);
        let sample: Vec<Reject> = receipts.values().flat_map(|r| r.rejects.iter().cloned()).collect();
        if is_all_lost(&counts) || counts.is_refused(self.max_bad) {
            let list = (!sample.is_empty()).then(|| self.list_refused(job.name, key, &sample)).transpose()?;
            self.hold(&counts, &first, list.as_deref())?;
        }
        self.say_damage(job.name, &counts, &first);
        let mut outputs: Vec<OutputFile> = receipts.values().flat_map(|r| r.files.iter().cloned()).collect();
        let mut tables = Receipt::tables(receipts);
        if job.reads_records || !sample.is_empty() {
            let path = staging.join(REJECTS_FILE);
            let rows = self.rejects.write(&path, &sample, key.as_str())?;
            let (table, columns) = self.rejects.table();
            let (digest, bytes) = digest_file(&path)?;
            File::open(&path).and_then(|f| f.sync_all()).at(&path)?;
            tables.insert(table.to_owned(), crate::TableInfo { rows, columns });
            outputs.push(OutputFile {
                path: REJECTS_FILE.into(),
                table: table.into(),
                rows,
                bytes,
                digest: hex128(digest),
            });
        }
        crash_point("rejects-written");
        outputs.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Manifest {
            format: Manifest::FORMAT,
            job: job.name.into(),
            job_version: job.version,
            key: key.clone(),
            webmill: env!("CARGO_PKG_VERSION").into(),
            configuration: job.configuration.clone(),
            ingredients: job.ingredients.clone(),
            inputs: inputs.clone(),
            counts,
            tables,
            outputs,
        })
    }
}

/// CPU seconds of the threads of a job, and of this one since `before`; `None` if the system does not tell.
fn cpu_seconds(pool: &rayon::ThreadPool, before: Option<f64>) -> Option<f64> {
    let threads: Option<f64> = pool.broadcast(|_| thread_seconds()).into_iter().sum();
    Some(threads? + thread_seconds()? - before?)
}

/// Seconds that processors spent on this thread.
fn thread_seconds() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = told.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Whether nothing came of what was read.
fn is_all_lost(counts: &Counts) -> bool {
    counts.damaged == counts.read && counts.read + counts.cut_off > 0
}

/// The first reject as the end of a sentence; nothing where none is at hand.
fn first_of(reject: &str) -> String {
    if reject.is_empty() { String::new() } else { format!("; first: {reject}") }
}

fn first_reject(receipts: &BTreeMap<String, Receipt>) -> String {
    receipts
        .values()
        .flat_map(|r| &r.rejects)
        .next()
        .map_or_else(String::new, |r| format!("{} at byte {}: {}", r.shard, r.offset, r.detail))
}

/// A unit that was discarded or cut off may have left files that no receipt names.
fn remove_strays(staging: &Path, manifest: &Manifest) -> Result<()> {
    let own = [Manifest::FILE, RUN_FILE].map(Path::new);
    let named: HashSet<&Path> = manifest.outputs.iter().map(|o| Path::new(&o.path)).chain(own).collect();
    let mut folders = vec![staging.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).at(&folder)? {
            let path = entry.at(&folder)?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if !path.strip_prefix(staging).is_ok_and(|p| named.contains(p)) {
                std::fs::remove_file(&path).at(&path)?;
            }
        }
        sync_folder(&folder)?;
    }
    Ok(())
}

/// Moves `latest` to `key`, atomically. A folder that stands in place of the link, in a copy that followed links, becomes a
/// key again or goes away where it is one already.
fn point_latest(out: &Path, job: &str, key: &str) -> Result<()> {
    let home = out.join(job);
    let link = home.join(LATEST);
    let target = Path::new(KEYS).join(key);
    match std::fs::read_link(&link) {
        Ok(found) if found == target => return Ok(()),
        Err(_) if is_committed(&link) => {
            let copied = Committed::open(&link)?.manifest.key;
            let folder = keys_folder(out, job).join(copied.as_str());
            if is_committed(&folder) {
                std::fs::remove_dir_all(&link).at(&link)?;
            } else {
                std::fs::rename(&link, &folder).at(&link)?;
            }
        }
        _ => {}
    }
    let aside = home.join(".latest.aside");
    if aside.symlink_metadata().is_ok() {
        std::fs::remove_file(&aside).at(&aside)?;
    }
    std::os::unix::fs::symlink(&target, &aside).at(&aside)?;
    std::fs::rename(&aside, &link).at(&link)?;
    sync_folder(&home)
}
