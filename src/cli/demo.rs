//! `webmill demo`: from nothing to a report, with a small bilingual Web whose truth is known.

mod answers;
mod details;
mod site;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::Cancel;

use super::args::{JobFlags, Language, OutOption, Threads};
use crate::run_end;
use webmill_jobs::recipe::Settings;
use webmill_jobs::rules::{ALL_BUILTIN, RuleSettings};
use webmill_jobs::run_all::run_all;
use webmill_jobs::run_options::default_memory;

/// Crawl the demonstration site, run all jobs on the crawl, and check the results against known answers.
///
/// The crawl is in OUT/crawl, the results in OUT/results; OUT is `out/demo` where none is named.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill demo\n\nThe site is served on loopback and written for this purpose: Chinese (GBK and UTF-8) and English pages on several hosts, with mirrors,\nnear-duplicates, navigation noise, frames, redirects and broken HTML."
)]
pub struct DemoArgs {
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    threads: Threads,
}

/// Runs the command.
///
/// # Errors
/// Where the site cannot be served, crawled or milled.
pub fn run(args: &DemoArgs, cancel: &Cancel) -> Result<ExitCode> {
    let out = args.out.out.as_deref().unwrap_or(Path::new("out/demo"));
    let (crawl, results) = (out.join("crawl"), out.join("results"));
    let flags = JobFlags::of(&args.threads, default_memory().min(1 << 30), 0.0);
    let console = flags.console();
    if !crawl.join("crawl.toml").exists() {
        site::crawl(&crawl, args.threads.count(), cancel)?;
    }
    let mut recipe = flags.recipe()?;
    let language = Language::default();
    language.set(&mut recipe);
    recipe.set(RuleSettings::TABLE, "files", toml::Value::from(vec![ALL_BUILTIN]));
    let shards = [crawl.to_string_lossy().into_owned()];
    let context = flags.context_with(recipe, &results, &console, cancel)?.reading(&shards).replacing(true);
    run_all(&context)?;
    let missed = answers::check(&context.results())?;
    for miss in &missed {
        webmill_jobs::say!("known answer missed: {miss}");
    }
    if missed.is_empty() {
        webmill_jobs::say!("all known answers of the demonstration site were found");
    }
    run_end::print(&context, language.lang())?;
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
