//! `webmill crawl explain`: why a URL was or was not fetched.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use webmill_crawl::CrawlOptions;
use webmill_crawl::explain::{Fate, explain};

use super::{seed_text, seeds};
use webmill_jobs::recipe::Recipe;

/// The URL in question, and where to look.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill crawl explain out/demo/crawl http://www.lakeside.example/missing\n\nPrints one fact a line and exits with 0 if the URL was or would be fetched, with 1 if not. While the crawl runs, the event\nlog is read alone."
)]
pub struct ExplainArgs {
    /// Folder of the crawl.
    #[arg(value_name = "CRAWL")]
    pub folder: PathBuf,
    /// The URL to explain.
    #[arg(value_name = "URL")]
    pub url: String,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let settings = args.folder.join("crawl.toml");
    if !settings.is_file() {
        bail!("{}: there is no crawl in this folder (no crawl.toml)", args.folder.display());
    }
    let mut options: CrawlOptions = Recipe::read(&settings)?.unchecked()?;
    options.rules.texts = super::kept_rules(&args.folder)?;
    if args.url.starts_with('/') {
        bail!("{}: a path alone is no URL; say it with scheme and host, as https://example.org{0}", args.url);
    }
    let url = match seed_text::read(&args.url) {
        Ok(url) => url,
        Err(why) => bail!("{}: {why}", args.url),
    };
    let seeds = seeds::kept_in(&args.folder)?;
    let told =
        explain(&args.folder, &options, &seeds, &url).with_context(|| args.folder.display().to_string())?;
    let mut text = told.facts.join("\n");
    text.push('\n');
    webmill_jobs::print(&text)?;
    Ok(if told.fate == Fate::NotFetched { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
