//! `webmill datasets`: real corpora and generated ones, turned into shards.

mod catalog;
mod crawl;
mod debian;
mod packing;
mod synth;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Subcommand;
use comfy_table::Table;
use webmill_run::Cancel;

use super::args::{Out, OutOption};
use super::print::DocumentFormat;
use catalog::{Catalog, DatasetSource};

/// List, fetch or generate corpora.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill datasets list\n  webmill datasets get rust-doc --out corpora\n  webmill datasets pack public_html --site https://example.org/ --out corpora/example\n  webmill datasets synth --pages 100000\n  webmill run corpora/rust-doc --out results"
)]
pub struct DatasetsArgs {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print what can be fetched.
    List {
        #[command(flatten)]
        format: DocumentFormat,
    },
    /// Fetch a corpus and write it as shards to OUT/NAME; OUT is `corpora` where none is named.
    Get {
        /// Names from the list.
        #[arg(required = true)]
        names: Vec<String>,
        #[command(flatten)]
        out: OutOption,
    },
    /// Pack a folder of files, as a web server would serve it, into shards in OUT.
    Pack {
        /// Folder to pack.
        folder: PathBuf,
        /// URL of the folder, with its slash at the end.
        #[arg(long, value_name = "URL")]
        site: String,
        #[command(flatten)]
        out: Out,
    },
    /// Generate a Web of any size with known truth and write it as shards to OUT/synth-PAGES-SEED; OUT is `corpora` where none is named, and there are 10,000 pages.
    Synth(synth::SynthArgs),
}

/// Runs the command.
pub fn run(args: &DatasetsArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        Action::List { format } => webmill_jobs::print(&listed(&Catalog::embedded()?, format.is_json())?)?,
        Action::Get { names, out } => {
            let catalog = Catalog::embedded()?;
            for name in names {
                let Some(dataset) = catalog.dataset.iter().find(|d| d.name == *name) else {
                    bail!("no dataset is called {name}; `webmill datasets list` prints them");
                };
                let folder = corpora(out).join(name);
                match &dataset.source {
                    DatasetSource::Debian { package, roots } => debian::get(package, roots, &folder, cancel)?,
                    DatasetSource::Crawl { urls, sha256 } => crawl::get(urls, sha256, &folder, cancel)?,
                }
                webmill_jobs::print(&format!("{}\n", folder.display()))?;
            }
        }
        Action::Pack { folder, site, out } => {
            tree::pack(folder, site, &out.out, cancel)?;
            webmill_jobs::print(&format!("{}\n", out.out.display()))?;
        }
        Action::Synth(args) => {
            let folder = synth::generate(args, cancel)?;
            webmill_jobs::print(&format!("{}\n", folder.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder of corpora.
fn corpora(out: &OutOption) -> &Path {
    out.out.as_deref().unwrap_or(Path::new("corpora"))
}

/// The catalog as it is printed.
fn listed(catalog: &Catalog, as_json: bool) -> Result<String> {
    if as_json {
        return Ok(serde_json::to_string_pretty(&catalog.dataset)? + "\n");
    }
    let mut table = Table::new();
    table.set_header(["name", "from", "what"]);
    for dataset in &catalog.dataset {
        let from = match &dataset.source {
            DatasetSource::Debian { package, .. } => format!("Debian package {package}"),
            DatasetSource::Crawl { urls, .. } => format!("{} file(s) by URL", urls.len()),
        };
        table.add_row([&dataset.name, &from, &dataset.about]);
    }
    Ok(format!("{table}\n"))
}
