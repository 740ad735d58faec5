//! `webmill count grep`: the job, and its rows as grep prints lines.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};
use webmill_table::{Reader, columns};

use super::Overrides;
use crate::console::Console;
use crate::count::grep::{CountGrep, GrepRow};
use crate::settings::Common;

/// Find the lines of the main texts that match a pattern, and print them: URL, number of the line, passage.
///
/// Patterns are regular expressions that take linear time: no look-around, no references. A long line is shown around its first match. Exit code 0 where
/// there are matches, 1 where there are none.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count grep 'librar(y|ies)' --ignore-case --out results\n  webmill count grep --fixed 'e.g.' --out results"
)]
pub struct GrepArgs {
    /// What is sought.
    pattern: String,
    /// The pattern is a text and no regular expression.
    #[arg(long, short = 'F')]
    fixed: bool,
    /// Capitals and small letters are the same.
    #[arg(long, short)]
    ignore_case: bool,
    /// Bytes of a long line that are shown before and behind its first match [default: 200].
    #[arg(long, value_name = "N")]
    context: Option<u32>,
    #[command(flatten)]
    common: Common,
}

columns! {
    struct Line from GrepRow { url, line, passage }
}

/// Runs the command.
pub fn run(args: &GrepArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    let mut recipe = args.common.shared.read_recipe()?;
    let mut set = Overrides { recipe: &mut recipe, table: CountGrep::NAME };
    set.word("pattern", Some(&args.pattern));
    set.yes("fixed", args.fixed);
    set.yes("ignore_case", args.ignore_case);
    set.number("context", args.context);
    let context = args.common.context_with(recipe, &console, cancel)?;
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
    crate::say!("{}", committed.folder.display());
    Ok(ExitCode::from(u8::from(!found)))
}
