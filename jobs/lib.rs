//! The jobs and the commands around them: what the `webmill` binary runs.

use std::io::{self, Write};
use std::process::ExitCode;

use webmill_run::{Committed, Inputs, Job, Runtime};

/// Writes a line to stderr. A reader of it that went away is no reason to stop a job.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($arguments)*);
    }};
}

pub mod args;
pub mod captures;
pub mod console;
pub mod crawl;
pub mod datasets;
pub mod dedup;
pub mod demo;
pub mod extract;
pub mod graph;
pub mod inputs;
pub mod keywords;
pub mod levels;
pub mod rank;
pub mod rejects;
pub mod report;
pub mod run;
pub mod schema;
pub mod scores;
pub mod shape;
pub mod shard;
pub mod simweb;
pub mod source;
pub mod text;

/// Writes a result to stdout.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Runs a job, or with `--dry-run` says what it would do and returns `None`.
fn run_job<J: Job>(
    job: &J,
    inputs: &Inputs,
    common: &args::Common,
    runtime: &Runtime<'_>,
) -> anyhow::Result<Option<Committed>> {
    if common.settings.dry_run {
        let (folder, done) = runtime.plan(job, inputs)?;
        let state = if done { "is done:" } else { "would write" };
        print(&format!("{} {state} {}\n", J::NAME, folder.display()))?;
        return Ok(None);
    }
    let committed = runtime.run(job, inputs)?;
    let state = if committed.fresh { "committed" } else { "was done" };
    say!("{:>10}  {state} {}", J::NAME, committed.folder.display());
    Ok(Some(committed))
}

/// Prints the folder that a job committed.
fn print_committed(committed: &Option<Committed>) -> anyhow::Result<ExitCode> {
    if let Some(committed) = committed {
        print(&format!("{}\n", committed.folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
