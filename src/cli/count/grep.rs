//! `webmill count grep`: the job, and its rows as grep prints lines.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job, layout};
use webmill_table::{Reader, columns};

use crate::args::{JobFlags, Results};
use webmill_jobs::count::grep::{CountGrep, GrepRow};

/// Find the lines of the main texts that match a pattern, and print them: URL, number of the line, passage.
///
/// Patterns are regular expressions that take linear time: no look-around, no references. A long line is shown around its first match. Exit code 0 where
/// there are matches, 1 where there are none.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill count grep [OPTIONS] [RESULTS] <PATTERN>",
    after_help = "Examples:\n  webmill count grep out/demo/results '(?i)librar(y|ies)'\n  webmill count grep out/demo/results --set count-grep.fixed=true 'e.g.'"
)]
pub struct GrepArgs {
    #[command(flatten)]
    results: Results,
    /// The pattern; (?i) in front ignores case.
    pattern: Option<String>,
    #[command(flatten)]
    flags: JobFlags,
}

columns! {
    struct Line from GrepRow { url, line, passage }
}

/// Runs the command.
pub fn run(args: &GrepArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = args.flags.console();
    let (folder, [pattern]) = args.results.before([&args.pattern], ["PATTERN"])?;
    let mut recipe = args.flags.read_recipe()?;
    recipe.set(CountGrep::NAME, "pattern", pattern);
    let context = args.flags.context_with(recipe, &folder, &console, cancel)?;
    let Some(committed) = context.run_entry(CountGrep::NAME)?.filter(|_| !context.is_dry_run()) else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut reader = Reader::<Line>::open(&committed.path("count_grep"))?;
    let mut found = false;
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            found = true;
            let passage = row.passage.replace(['\t', '\r'], " ");
            writeln!(out, "{}:{}:{passage}", row.url, row.line)?;
        }
    }
    out.flush()?;
    webmill_jobs::say!("{}", layout::latest_link(&folder, CountGrep::NAME).display());
    Ok(ExitCode::from(u8::from(!found)))
}
