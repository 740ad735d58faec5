//! `webmill demo`: from nothing to a report, with a small bilingual Web whose truth is known.

mod answers;
mod details;
mod site;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::Cancel;

use crate::args::{Common, Settings};
use crate::console::Console;

/// Crawl the demonstration site that comes with the program, mill it and check the results against its known answers.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill demo --out demo-results\n\nThe site is served on loopback and written for this purpose: Chinese (GBK and UTF-8) and English pages on several hosts, with mirrors,\nnear-duplicates, navigation noise, frames, redirects and broken HTML."
)]
pub struct DemoArgs {
    /// Folder for the crawl and the results.
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
    /// Threads to use [default: all processors].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Runs the command.
pub fn run(args: &DemoArgs, cancel: &Cancel) -> Result<ExitCode> {
    let crawl = args.out.join("crawl");
    let common = Common {
        out: args.out.join("results"),
        settings: Settings {
            recipe: None,
            threads: args.threads,
            memory: 1 << 30,
            max_bad: 0.0,
            dry_run: false,
        },
    };
    let console = Console::new();
    let runtime = common.runtime(&console, cancel);
    if !crawl.join("crawl.toml").exists() {
        site::crawl(&crawl, common.threads(), cancel)?;
    }
    let inputs = [crawl.to_string_lossy().into_owned()];
    let Some(milled) = crate::run::mill(&inputs, &common, &runtime)? else { return Ok(ExitCode::SUCCESS) };
    let missed = answers::check(&milled)?;
    crate::say!();
    for miss in &missed {
        crate::say!("known answer missed: {miss}");
    }
    if missed.is_empty() {
        crate::say!("all known answers of the demonstration site were found");
    }
    crate::say!("report: {}", milled.report.path("report.html").display());
    crate::say!("tables: {}", common.out.display());
    crate::print(&format!("{}\n", milled.report.path("report.html").display()))?;
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
