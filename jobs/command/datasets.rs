//! `webmill datasets`: real corpora and generated ones, turned into shards.

mod catalog;
mod crawl;
mod debian;
mod packing;
mod synth;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Subcommand;
use comfy_table::Table;
use webmill_run::Cancel;

use catalog::{Catalog, Source};

/// List, fetch or generate corpora to mill.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill datasets list\n  webmill datasets list --format json\n  webmill datasets get rust-doc --out corpora\n  webmill datasets pack public_html --site https://example.org/ --out corpora/example\n  webmill datasets synth --pages 100000 --out corpora\n  webmill run corpora/rust-doc --out results"
)]
pub struct DatasetsArgs {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ListForm {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print what can be fetched.
    List {
        /// Output form: a table to read, or an array of objects with all that the catalog knows.
        #[arg(long, value_enum, default_value = "text")]
        format: ListForm,
    },
    /// Fetch a corpus and write it as shards to DIR/NAME.
    Get {
        /// Names from the list.
        #[arg(required = true)]
        names: Vec<String>,
        /// Folder for corpora.
        #[arg(long, value_name = "DIR", default_value = "corpora")]
        out: PathBuf,
    },
    /// Pack a folder of files, as a web server would serve it, into shards in DIR.
    Pack {
        /// Folder to pack.
        folder: PathBuf,
        /// URL of the folder, with its slash at the end.
        #[arg(long, value_name = "URL")]
        site: String,
        /// Folder for the shards.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Generate a Web of any size with known truth and write it as shards to DIR/synth-PAGES-SEED.
    Synth(synth::SynthArgs),
}

/// Runs the command.
pub fn run(args: &DatasetsArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        Action::List { format } => crate::print(&listed(&Catalog::embedded()?, *format)?)?,
        Action::Get { names, out } => {
            let catalog = Catalog::embedded()?;
            for name in names {
                let Some(dataset) = catalog.dataset.iter().find(|d| d.name == *name) else {
                    bail!("no dataset is called {name}; `webmill datasets list` prints them");
                };
                let folder = out.join(name);
                match &dataset.source {
                    Source::Debian { package, roots } => debian::get(package, roots, &folder, cancel)?,
                    Source::Crawl { urls, sha256 } => crawl::get(urls, sha256, &folder, cancel)?,
                }
                crate::print(&format!("{}\n", folder.display()))?;
            }
        }
        Action::Pack { folder, site, out } => {
            tree::pack(folder, site, out, cancel)?;
            crate::print(&format!("{}\n", out.display()))?;
        }
        Action::Synth(args) => {
            let folder = synth::generate(args, cancel)?;
            crate::print(&format!("{}\n", folder.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The catalog as it is printed.
fn listed(catalog: &Catalog, format: ListForm) -> Result<String> {
    if let ListForm::Json = format {
        return Ok(serde_json::to_string_pretty(&catalog.dataset)? + "\n");
    }
    let mut table = Table::new();
    table.set_header(["name", "from", "what"]);
    for dataset in &catalog.dataset {
        let from = match &dataset.source {
            Source::Debian { package, .. } => format!("Debian package {package}"),
            Source::Crawl { urls, .. } => format!("{} file(s) by URL", urls.len()),
        };
        table.add_row([&dataset.name, &from, &dataset.about]);
    }
    Ok(format!("{table}\n"))
}
