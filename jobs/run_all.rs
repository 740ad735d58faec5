//! What `webmill run` does: every job, in order, or two at a time.
//!
//! **What.** Jobs that read nothing but shards and the results of `extract` may run beside those that are made of each other: `keywords` and `rules`
//! beside `graph`, `rank`, `shape`, `dedup`, `repeated` and `mirrors`. Where one of two jobs has work for a single thread, the other one keeps the
//! processors busy. Each has its own pool of threads, and half of the memory.
//!
//! **When.** Only where the run has all processors of the machine and half of the memory is more than jobs on so much need ([`two_fit`]): with fewer
//! `--threads` than processors, no more than these are ever busy. A job that is refused in half of the memory is done alone after the others.
//!
//! **Determinism.** No job sees what runs beside it.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};

use webmill_capture::{Error, Result};
use webmill_run::{Committed, Notes};

use crate::job::{Context, JobEntry};
use crate::registry::JOBS;
use crate::settings::processors;
use crate::{keywords, rules};

/// Jobs that read nothing but shards and the results of `extract`.
const BESIDE: [&str; 2] = [keywords::ENTRY.name, rules::ENTRY.name];

/// Least memory of each of two jobs at a time: that of runs on millions of pages.
const LEAST_MEMORY: u64 = 1 << 30;

/// How many times the bytes of the results of `extract` each of two jobs at a time must have.
const TIMES_EXTRACT: u64 = 8;

/// Runs every job; the results of the last one, or `None` where it was only asked what would be done.
///
/// # Errors
/// What a job meets.
pub fn run_all(context: &Context<'_>) -> Result<Option<Committed>> {
    let mut jobs = Vec::new();
    for job in JOBS {
        let left_out = job.optional && !context.names(job.name)
            || job.name == rules::ENTRY.name && context.settings::<rules::RuleSettings>()?.files.is_empty();
        if !left_out {
            jobs.push(job);
        }
    }
    let (first, rest) = jobs.split_at(1);
    let Some(extract) = in_order(context, first)? else { return Ok(None) };
    if two_fit(context, &extract) {
        let end = rest.iter().rposition(|job| is_beside(job)).map_or(0, |last| last + 1);
        side_by_side(context, &rest[..end])?;
    }
    let done = context.results();
    let left: Vec<&JobEntry> = rest.iter().copied().filter(|job| !done.contains_key(job.name)).collect();
    in_order(context, &left)
}

fn is_beside(job: &JobEntry) -> bool {
    BESIDE.contains(&job.name)
}

/// Whether two jobs at a time have processors and memory.
fn two_fit(context: &Context<'_>, extract: &Committed) -> bool {
    let runtime = &context.runtime;
    let bytes: u64 = extract.manifest.outputs.iter().map(|file| file.bytes).sum();
    !context.is_dry_run()
        && runtime.threads >= processors().max(2)
        && runtime.memory / 2 >= LEAST_MEMORY.max(bytes.saturating_mul(TIMES_EXTRACT))
}

/// Runs jobs one after another; the results of the last one.
fn in_order(context: &Context<'_>, jobs: &[&JobEntry]) -> Result<Option<Committed>> {
    let mut last = None;
    for job in jobs {
        last = context.run_entry(job.name)?;
        if last.is_none() {
            break;
        }
    }
    Ok(last)
}

/// Runs jobs in order, those that may run beside the others on a thread of their own. One that half of the memory is too little for is not among the
/// results then, and what comes after it neither.
fn side_by_side(context: &Context<'_>, jobs: &[&JobEntry]) -> Result<()> {
    let (beside, others): (Vec<&JobEntry>, Vec<&JobEntry>) = jobs.iter().partition(|job| is_beside(job));
    let progress = context.runtime.progress;
    let speaks = progress.beside().unwrap_or_else(|| Box::new(Notes(progress)));
    let memory = context.runtime.memory / 2;
    let (one, other) = (context.beside(memory, progress), context.beside(memory, &*speaks));
    let failed = AtomicBool::new(false);
    let lane = |context: &Context<'_>, jobs: &[&JobEntry]| {
        let mut jobs = jobs.iter().take_while(|_| !failed.load(Ordering::Relaxed));
        let done = jobs.try_for_each(|job| context.run_entry(job.name).map(drop));
        failed.fetch_or(done.is_err(), Ordering::Relaxed);
        done
    };
    let (one_done, other_done) = std::thread::scope(|scope| {
        let other_done = scope.spawn(|| lane(&other, &beside));
        let one_done = lane(&one, &others);
        (one_done, other_done.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    context.adopt(one.results());
    context.adopt(other.results());
    match (one_done, other_done) {
        (Err(Error::Limit(_)) | Ok(()), Err(Error::Limit(_)) | Ok(())) => Ok(()),
        (Err(Error::Limit(_)) | Ok(()), Err(error)) | (Err(error), _) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use webmill_run::{Cancel, Runtime, Silent};

    use super::*;
    use crate::recipe::Recipe;
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
            example: "",
            reads_shards: false,
            optional: false,
            tables: Vec::new,
            check: |_| Ok(()),
            run,
        }
    }

    fn graph(context: &Context<'_>) -> Result<Option<Committed>> {
        note("graph", context);
        Ok(None)
    }

    fn hungry(context: &Context<'_>) -> Result<Option<Committed>> {
        note("keywords", context);
        Err(Error::Limit(String::new()))
    }

    fn broken(context: &Context<'_>) -> Result<Option<Committed>> {
        note("rules", context);
        Err(Error::Internal("broken".into()))
    }

    static FAKES: [JobEntry; 3] = [entry("graph", graph), entry("keywords", hungry), entry("rules", broken)];

    #[test]
    fn half_of_the_memory_may_be_too_little_and_other_errors_are_errors() {
        let out = tempfile::tempdir().unwrap();
        let cancel = Cancel::default();
        let runtime = Runtime {
            out: out.path().to_path_buf(),
            threads: 2,
            memory: 4096,
            max_bad: 0.0,
            progress: &Silent,
            cancel: &cancel,
            rejects: &RejectTable,
        };
        let context = Context::new(&FAKES, Recipe::default(), runtime).unwrap();
        let [graph, hungry, broken] = &FAKES;
        side_by_side(&context, &[graph, hungry]).unwrap();
        assert!(context.results().is_empty());
        assert!(matches!(side_by_side(&context, &[graph, broken]), Err(Error::Internal(_))));
        let mut run = RUN.lock().unwrap_or_else(PoisonError::into_inner).clone();
        run.retain(|(name, _)| *name != "graph");
        assert_eq!(run, [("keywords", 2048), ("rules", 2048)]);
    }
}
