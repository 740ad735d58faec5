//! `webmill demo`: from nothing to a report, with a small bilingual Web whose truth is known.

mod answers;
mod details;
mod site;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::Cancel;

use crate::console::Console;
use crate::recipe::Settings;
use crate::rules::{ALL_BUILTIN, RuleSettings};
use crate::run_all::run_all;
use crate::settings::{Common, Shared, parse_threads};

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
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,
}

/// Runs the command.
///
/// # Errors
/// Where the site cannot be served, crawled or milled.
pub fn run(args: &DemoArgs, cancel: &Cancel) -> Result<ExitCode> {
    let crawl = args.out.join("crawl");
    let common = Common {
        out: args.out.join("results"),
        shared: Shared {
            recipe: None,
            threads: args.threads,
            memory: 1 << 30,
            max_bad: 0.0,
            timings: false,
            dry_run: false,
        },
    };
    let console = Console::new();
    if !crawl.join("crawl.toml").exists() {
        site::crawl(&crawl, common.shared.threads(), cancel)?;
    }
    let mut recipe = common.shared.recipe()?;
    recipe.set(RuleSettings::TABLE, "files", toml::Value::from(vec![ALL_BUILTIN]));
    let context =
        common.context_with(recipe, &console, cancel)?.reading(&[crawl.to_string_lossy().into_owned()]);
    let Some(report) = run_all(&context)? else { return Ok(ExitCode::SUCCESS) };
    let missed = answers::check(&context.results())?;
    crate::say!();
    for miss in &missed {
        crate::say!("known answer missed: {miss}");
    }
    if missed.is_empty() {
        crate::say!("all known answers of the demonstration site were found");
    }
    let page = report.path("report.html");
    crate::say!("report: {}", page.display());
    crate::say!("tables: {}", common.out.display());
    crate::print(&format!("{}\n", page.display()))?;
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
