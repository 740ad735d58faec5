//! `webmill count search`: queries over the index.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::Serialize;
use webmill_run::Job;

use crate::args::{Results, Top, Verbose};
use crate::print::{RowFormat, Rows};
use webmill_jobs::count::index::CountIndex;
use webmill_jobs::count::index::query::{TextIndex, parse};
use webmill_jobs::job::latest;

/// Print the texts that queries find, ten of each, best first: score, URL, title.
///
/// Words are sought each by itself; what stands in quotes is sought as a phrase: its words one behind the other. Scores are Okapi BM25.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill count search [OPTIONS] [RESULTS] <QUERIES>...",
    after_help = "Examples:\n  webmill count search out/demo/results 'web archives'\n  webmill count search out/demo/results '\"web archives\" history' --top 50\n\nThe index is made by webmill count index."
)]
pub struct SearchArgs {
    #[command(flatten)]
    results: Results,
    /// Words, and phrases in quotes.
    queries: Vec<String>,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    format: RowFormat,
    #[command(flatten)]
    verbose: Verbose,
}

#[derive(Serialize)]
struct Text<'a> {
    score: f64,
    url: &'a str,
    title: Option<&'a str>,
}

/// Runs the command.
pub fn run(args: &SearchArgs) -> Result<ExitCode> {
    let (folder, queries) = args.results.before_all(&args.queries)?;
    if queries.is_empty() {
        bail!("<QUERIES> is missing: webmill count search [RESULTS] <QUERIES>...");
    }
    let committed = latest(&folder, CountIndex::NAME)?;
    let index = TextIndex::open(&committed)?;
    let mut rows = Rows::new(args.format.form(), &["score", "url", "title"]);
    for query in &queries {
        let begin = std::time::Instant::now();
        let wanted = parse(query);
        if wanted.is_empty() {
            bail!("{query:?} holds no word");
        }
        let best = index.best(&wanted, args.top.top.unwrap_or(10))?;
        if args.verbose.verbose {
            webmill_jobs::say!("{:.3} ms  {query}", begin.elapsed().as_secs_f64() * 1e3);
        }
        let numbers: Vec<u32> = best.iter().map(|text| text.0).collect();
        for (row, (_, score)) in index.rows(&numbers)?.iter().zip(&best) {
            rows.put(&Text { score: *score, url: &row.url, title: row.title.as_deref() })?;
        }
    }
    rows.flush()?;
    Ok(ExitCode::SUCCESS)
}
