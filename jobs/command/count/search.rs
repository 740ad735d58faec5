//! `webmill count search`: queries over the index.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_run::Job;

use crate::count::index::CountIndex;
use crate::count::index::query::{TextIndex, parse};
use crate::job::latest;

/// Print the texts that a query finds, best first: score, URL, title.
///
/// Words are sought each by itself; what stands in quotes is sought as a phrase: its words one behind the other. Scores are Okapi BM25.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count search 'web archives' --out results\n  webmill count search '\"web archives\" history' --top 50 --out results\n\nThe index is made by webmill count index."
)]
pub struct SearchArgs {
    /// Words, and phrases in quotes.
    #[arg(required = true)]
    queries: Vec<String>,
    /// Folder of results.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Texts that are printed at most.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print how long each query took, in milliseconds, to standard error.
    #[arg(long)]
    time: bool,
}

/// Runs the command.
pub fn run(args: &SearchArgs) -> Result<ExitCode> {
    let committed = latest(&args.out, CountIndex::NAME)?;
    let index = TextIndex::open(&committed)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for query in &args.queries {
        let begin = std::time::Instant::now();
        let wanted = parse(query);
        if wanted.is_empty() {
            bail!("{query:?} holds no word");
        }
        let best = index.best(&wanted, args.top)?;
        if args.time {
            crate::say!("{:.3} ms  {query}", begin.elapsed().as_secs_f64() * 1e3);
        }
        let numbers: Vec<u32> = best.iter().map(|text| text.0).collect();
        for (row, (_, score)) in index.rows(&numbers)?.iter().zip(&best) {
            let title = row.title.as_deref().unwrap_or_default().replace(['\t', '\n', '\r'], " ");
            writeln!(out, "{score:.4}\t{}\t{title}", row.url)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
