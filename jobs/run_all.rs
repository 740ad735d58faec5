//! What `webmill run` does: every job, in order, or several at a time.
//!
//! **What.** `extract`, which all others read, has everything for itself. Then a job is run as soon as all that it reads is there (`NEEDS`), up to
//! `LANES` at a time: where one has work for a single thread, the others keep the processors busy. Each has its own pool of as many threads as
//! the run has, which the system lets share the processors, and an equal share of the memory. What reads all others comes last, alone.
//!
//! **When.** Only where the run has all processors of the machine, and as many jobs at a time as the memory holds, by what jobs on so much need
//! (`lanes`): with fewer `--threads` than processors, no more than these are ever busy. A job that is refused in its share of the memory is
//! done alone after the others.
//!
//! **Damage.** Before that, files of results are held against the digests of their manifests. Results that are not as they were written are
//! made anew.
//!
//! **Determinism.** No job sees what runs beside it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_dedup::KeepPolicy;
use webmill_run::{Committed, Manifest, Notes, OutputFile, layout};

use crate::job::Context;
use crate::machine::processors;
use crate::registry::JobEntry;
use crate::{dedup, extract, graph, keywords, learn, mirrors, rank, repeated, report, rules, shape, signals};

/// Jobs by the jobs that they read. One that is not named here reads all that stand before it, and is run alone.
const NEEDS: [(&str, &[&str]); 10] = [
    (extract::ENTRY.name, &[]),
    (graph::ENTRY.name, &[extract::ENTRY.name]),
    (rank::ENTRY.name, &[graph::ENTRY.name]),
    (shape::ENTRY.name, &[graph::ENTRY.name]),
    (dedup::ENTRY.name, &[extract::ENTRY.name]),
    (repeated::ENTRY.name, &[dedup::ENTRY.name]),
    (mirrors::ENTRY.name, &[dedup::ENTRY.name]),
    (keywords::ENTRY.name, &[extract::ENTRY.name]),
    (rules::ENTRY.name, &[extract::ENTRY.name]),
    (signals::ENTRY.name, &[extract::ENTRY.name]),
];

/// Most jobs at a time: after `extract` three read nothing else, and two more follow one of these.
const LANES: u64 = 4;

/// Least memory of each of several jobs at a time: that of runs on millions of pages.
const LEAST_MEMORY: u64 = 1 << 30;

/// How many times the bytes of the results of `extract` each of several jobs at a time must have.
const TIMES_EXTRACT: u64 = 2;

/// Runs every job; the results of the report, or `None` where it was only asked what would be done.
///
/// # Errors
/// What a job meets.
pub fn run_all(context: &Context<'_>) -> Result<Option<Committed>> {
    if !context.is_dry_run() {
        take_damaged_away(context)?;
    }
    let mut jobs = Vec::new();
    for job in context.registry().jobs() {
        let left_out = job.optional && !context.names(job.name) && !learn::is_in_run(context, job.name)?
            || job.name == rules::ENTRY.name && context.settings::<rules::RuleSettings>()?.files.is_empty();
        if !left_out {
            jobs.push(job);
        }
    }
    let mut beside = false;
    for job in &jobs {
        if !beside && job.name != extract::ENTRY.name && lanes(context) > 1 {
            beside = true;
            side_by_side(context, &jobs)?;
        }
        if !context.results().contains_key(job.name) && context.run_entry(job.name)?.is_none() {
            return Ok(None);
        }
    }
    extract::say_what_was_read(context);
    Ok(context.results().remove(report::ENTRY.name))
}

/// Takes results away whose files are not those that were written, so that they are made anew, and says so.
fn take_damaged_away(context: &Context<'_>) -> Result<()> {
    let (out, progress) = (&context.runtime.out, context.runtime.progress);
    if !out.is_dir() {
        return Ok(());
    }
    for job in layout::jobs_in(out)? {
        let Some(folder) = layout::latest_folder(out, &job) else { continue };
        if let Some(reason) = damage(&folder)? {
            progress.note(&format!("{job}: {reason}; made anew"));
            let key = folder.file_name().unwrap_or_default().to_string_lossy();
            layout::remove(out, &job, &key, &folder)?;
        }
    }
    Ok(())
}

/// What is wrong with the files of a committed folder. One of another form is left to those who refuse it by name.
fn damage(folder: &Path) -> Result<Option<String>> {
    let path = folder.join(Manifest::FILE);
    let bytes = std::fs::read(&path).at(&path)?;
    let Ok(form) = serde_json::from_slice::<serde_json::Value>(&bytes) else {
        return Ok(Some(format!("{} is damaged", Manifest::FILE)));
    };
    if form["format"] == Manifest::FORMAT && !Manifest::is_whole(&bytes) {
        return Ok(Some(format!("{} is damaged", Manifest::FILE)));
    }
    let Ok(manifest) = serde_json::from_value::<Manifest>(form) else { return Ok(None) };
    let defect = |file: &OutputFile| Some((file.path.clone(), file.defect(folder)?));
    let wrong: Vec<(String, String)> = manifest.outputs.par_iter().filter_map(defect).collect();
    Ok(wrong.first().map(|(file, reason)| {
        format!("{} of {} files are damaged, first {file}: {reason}", wrong.len(), manifest.outputs.len())
    }))
}

/// How many jobs at a time have processors and memory, as far as is known of how much there is to do.
fn lanes(context: &Context<'_>) -> u64 {
    let (runtime, results) = (&context.runtime, context.results());
    let extract = results.get(extract::ENTRY.name);
    let bytes: u64 = extract.iter().flat_map(|made| &made.manifest.outputs).map(|file| file.bytes).sum();
    match context.is_dry_run() || runtime.threads < processors().max(2) {
        true => 1,
        false => (runtime.memory / LEAST_MEMORY.max(bytes.saturating_mul(TIMES_EXTRACT))).clamp(1, LANES),
    }
}

/// Jobs that are run side by side.
struct Board<'a> {
    all: &'a [&'a JobEntry],
    /// Those that were not begun.
    left: Vec<&'a JobEntry>,
    done: Vec<String>,
    /// `dedup` reads ranks, or `graph` runs it.
    dedup_is_late: bool,
    /// How many run.
    running: usize,
    /// What went wrong, with the place of the job that it happened to.
    failed: Option<(usize, Error)>,
}

impl<'a> Board<'a> {
    /// The first job that is not begun and has all that it reads.
    fn take(&mut self) -> Option<&'a JobEntry> {
        let is_done = |need: &str| self.done.iter().any(|done| done == need);
        let is_ready = |job: &&JobEntry| {
            let late = job.name == dedup::ENTRY.name && self.dedup_is_late && !is_done(rank::ENTRY.name);
            let needs = NEEDS.iter().find(|(name, _)| *name == job.name);
            !late && needs.is_some_and(|(_, needs)| needs.iter().all(|need| is_done(need)))
        };
        let at = self.left.iter().position(is_ready)?;
        self.running += 1;
        Some(self.left.remove(at))
    }

    /// A job was run. One that its share of the memory is too little for is neither done nor a failure.
    fn ran(&mut self, job: &JobEntry, done: Result<Option<Committed>>) {
        self.running -= 1;
        let place = self.all.iter().position(|other| other.name == job.name).unwrap_or(self.all.len());
        match done {
            Ok(_) => self.done.push(job.name.to_owned()),
            Err(Error::Limit(_)) => {}
            Err(error) => {
                if self.failed.as_ref().is_none_or(|(other, _)| place < *other) {
                    self.failed = Some((place, error));
                }
            }
        }
    }
}

/// Runs jobs side by side, as many as fit. Jobs that are not among the results then must run alone.
fn side_by_side<'a>(context: &Context<'_>, jobs: &'a [&'a JobEntry]) -> Result<()> {
    let done: Vec<String> = context.results().into_keys().collect();
    let left = jobs.iter().copied().filter(|job| !done.iter().any(|done| done == job.name)).collect();
    let dedup_is_late = context.settings::<dedup::Dedup>()?.keep == KeepPolicy::Rank
        || context.settings::<graph::GraphJob>()?.fold_duplicates;
    let board = Mutex::new(Board { all: jobs, left, done, dedup_is_late, running: 0, failed: None });
    let changed = Condvar::new();
    let locked = || board.lock().unwrap_or_else(PoisonError::into_inner);
    // The next job of a lane; `None` if no job is left, or no job will get its input, or something went wrong.
    let next = |mut board: MutexGuard<'_, Board<'a>>| {
        while board.failed.is_none() {
            if let Some(job) = board.take() {
                return Some(job);
            }
            if board.running == 0 {
                return None;
            }
            board = changed.wait(board).unwrap_or_else(PoisonError::into_inner);
        }
        None
    };
    let lane = |own: &Context<'_>| {
        while let Some(job) = next(locked()) {
            own.adopt(context.results());
            let done = catch_unwind(AssertUnwindSafe(|| own.run_entry(job.name)));
            context.adopt(own.results());
            let (done, panic) = match done {
                Ok(done) => (done, None),
                Err(panic) => (Err(Error::Internal(format!("{} panicked", job.name))), Some(panic)),
            };
            locked().ran(job, done);
            changed.notify_all();
            if let Some(panic) = panic {
                resume_unwind(panic);
            }
        }
    };
    let (progress, lanes) = (context.runtime.progress, lanes(context));
    let memory = context.runtime.memory / lanes;
    let beside: Vec<_> =
        (1..lanes).map(|_| progress.beside().unwrap_or_else(|| Box::new(Notes(progress)))).collect();
    let others: Vec<_> = beside.iter().map(|beside| context.beside(memory, &**beside)).collect();
    let one = context.beside(memory, progress);
    std::thread::scope(|scope| {
        others.iter().for_each(|other| drop(scope.spawn(|| lane(other))));
        lane(&one);
    });
    let failed = locked().failed.take();
    failed.map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use webmill_run::{Cancel, Runtime, Silent};

    use super::*;
    use crate::recipe::Recipe;
    use crate::registry::Registry;
    use crate::rejects::RejectTable;

    /// Which jobs were run, with how much memory.
    static RUN: Mutex<Vec<(&str, u64)>> = Mutex::new(Vec::new());

    fn note(name: &'static str, context: &Context<'_>) {
        RUN.lock().unwrap_or_else(PoisonError::into_inner).push((name, context.runtime.memory));
    }

    const fn entry(name: &'static str, run: fn(&Context<'_>) -> Result<Option<Committed>>) -> JobEntry {
        JobEntry {
            name,
            about: "",
            reads_shards: false,
            optional: false,
            tables: Vec::new,
            check: |_| Ok(()),
            run,
        }
    }

    fn well(context: &Context<'_>) -> Result<Option<Committed>> {
        note("well", context);
        Ok(None)
    }

    fn hungry(context: &Context<'_>) -> Result<Option<Committed>> {
        note("hungry", context);
        Err(Error::Limit(String::new()))
    }

    fn broken(context: &Context<'_>) -> Result<Option<Committed>> {
        note("broken", context);
        Err(Error::Internal("broken".into()))
    }

    static FAKES: [JobEntry; 5] = [
        entry("extract", well),
        entry("graph", well),
        entry("keywords", hungry),
        entry("report", well),
        entry("rules", broken),
    ];

    #[test]
    fn a_share_of_the_memory_may_be_too_little_and_other_errors_are_errors() {
        let out = tempfile::tempdir().unwrap();
        let cancel = Cancel::default();
        let runtime = Runtime {
            out: out.path().to_path_buf(),
            threads: processors().max(2),
            memory: 2 * LEAST_MEMORY,
            max_bad: 0.0,
            progress: &Silent,
            cancel: &cancel,
            rejects: &RejectTable,
        };
        let registry = FAKES.iter().cloned().fold(Registry::empty(), Registry::with);
        let context = Context::new(&registry, Recipe::default(), runtime).unwrap();
        let [extract, graph, hungry, report, broken] = &FAKES;
        side_by_side(&context, &[extract, graph, hungry, report]).unwrap();
        let run = std::mem::take(&mut *RUN.lock().unwrap_or_else(PoisonError::into_inner));
        let mut names: Vec<&str> = run.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert_eq!(names, ["hungry", "well", "well"], "the report is left to be run alone");
        assert!(run.iter().all(|(_, memory)| *memory == LEAST_MEMORY));
        assert!(matches!(side_by_side(&context, &[extract, broken]), Err(Error::Internal(_))));
    }

    #[test]
    fn every_job_that_is_read_stands_in_front() {
        let registry = Registry::default();
        for (name, needs) in NEEDS {
            assert!(needs.iter().all(|need| registry.place(need) < registry.place(name)), "{name}");
        }
    }
}
