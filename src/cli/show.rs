//! `webmill show`: everything that the results know of a page.
//!
//! **What.** Rows of all tables about one URL, brought together: docs/show.md says of each key where it comes from.
//!
//! **Cost.** Tables that are sorted by URL or number are looked up by the statistics of their row groups; those that are not
//! are read throughout, a few columns of them. Which is which stands under `read`. Memory: the columns of a row group, the graph
//! (mapped) and eight bytes a node.
//!
//! Look-ups (`src/cli/show/`, `graph path`) read row groups that may hold what they look for, by the statistics in footers
//! (`table::GroupFacts`); of tables in another order the keys first. Neither transposes the graph for one node: `Csr::in_links`,
//! `PageRank::explain`.

mod copies;
mod documents;
mod near;
mod page;
mod print;
mod shown;
mod tables;
mod web;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;
use webmill_capture::CanonicalUrl;

use crate::args::{Memory, Results, Top};
use crate::print::{DocumentFormat, flat as plain};
use shown::PageReport;
use tables::{LookupKeys, Tables};
use webmill_jobs::job::{latest, mixed};

/// The form of `--format json`.
const FORMAT: u32 = 1;

/// Show everything that the results have about a page: captures, text, rank and its sources, links, duplicates,
/// host.
///
/// The URL is brought into canonical form as everywhere. Tables sorted by URL are looked up; `duplicates`, `clusters`, `passages` and
/// the scores of `ranks` are read throughout. What has not been computed is named. Exit code 1 where the page is not in the
/// results, with pages near it. Five captures, links, duplicates and lines of the text are listed of each kind where --top says no more.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill show [OPTIONS] [RESULTS] <URL>",
    after_help = "Examples:\n  webmill show out/demo/results http://www.lakeside.example/\n  webmill show out/demo/results www.lakeside.example/ --top 20 --format json"
)]
pub struct ShowArgs {
    #[command(flatten)]
    results: Results,
    /// The page; without a scheme http and https are tried.
    url: Option<String>,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    format: DocumentFormat,
    #[command(flatten)]
    memory: Memory,
}

/// Runs the command.
///
/// # Errors
/// For anything that is no URL; where there are no results, or a table cannot be read.
pub fn run(args: &ShowArgs) -> Result<ExitCode> {
    let (results, [url]) = args.results.before([&args.url], ["URL"])?;
    latest(&results, "extract").with_context(|| results.display().to_string())?;
    let asked = asked(&url)?;
    for url in &asked {
        if let Some(shown) = look(args, &results, url)? {
            for warning in &shown.warnings {
                webmill_jobs::say!("{warning}");
            }
            let text = match args.format.is_json() {
                true => format!("{}\n", serde_json::to_string_pretty(&shown)?),
                false => print::screen(&shown),
            };
            webmill_jobs::print(&text)?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    not_there(args, &results, &asked[0])
}

/// The URLs that are meant, the likeliest first.
fn asked(text: &str) -> Result<Vec<CanonicalUrl>> {
    let has_scheme = text.contains("://");
    let candidates = match has_scheme {
        true => vec![text.to_owned()],
        false => ["https", "http"].iter().map(|scheme| format!("{scheme}://{text}")).collect(),
    };
    let urls: Vec<CanonicalUrl> =
        candidates.iter().filter_map(|url| CanonicalUrl::parse(url)).filter(CanonicalUrl::is_web).collect();
    let shown: String = plain(text).chars().take(200).collect();
    anyhow::ensure!(!urls.is_empty(), "{shown}: no URL; one begins with http:// or https://");
    Ok(urls)
}

/// Everything of a page; `None` where it is neither a capture nor a node, nor a picture that a page shows.
fn look(args: &ShowArgs, results: &Path, url: &CanonicalUrl) -> Result<Option<PageReport>> {
    let (page, most) =
        (LookupKeys { key: url.key().0, surt: url.surt(), url: url.clone() }, args.top.top.unwrap_or(5));
    let mut tables = Tables::new(results);
    let mut shown = PageReport {
        format: FORMAT,
        url: url.as_str().to_owned(),
        surt: page.surt.clone(),
        ..PageReport::default()
    };
    let places = page::captures(&mut tables, &page, most, &mut shown)?;
    let in_graph = web::web(&mut tables, &page, most, args.memory.bytes(), &mut shown)?;
    documents::medium(&mut tables, &page, &mut shown)?;
    if places.is_empty() && !in_graph && shown.medium.is_none() {
        return Ok(None);
    }
    page::page(&mut tables, &page, &mut shown)?;
    documents::document(&mut tables, &page, &mut shown)?;
    if let Some(current) = places.first() {
        page::text(&mut tables, &page, current, most, &mut shown)?;
        page::details(&mut tables, &page, current, &mut shown)?;
    }
    page::keywords(&mut tables, &page, &mut shown)?;
    copies::copies(&mut tables, &page, most, &mut shown)?;
    page::host(&mut tables, &page, &mut shown)?;
    if let Some(extract) = tables.owned("extract")? {
        page::rejects(&mut tables, &extract, &places, most, &mut shown)?;
    }
    shown.warnings = mixed(&tables.opened());
    (shown.missing, shown.read) = (tables.missing, tables.read);
    Ok(Some(shown))
}

/// Says that a page is not there, and which are near.
fn not_there(args: &ShowArgs, results: &Path, url: &CanonicalUrl) -> Result<ExitCode> {
    let page = LookupKeys { key: url.key().0, surt: url.surt(), url: url.clone() };
    let near = near::near(&mut Tables::new(results), &page)?;
    let said = if near.is_empty() { ", nor any other of its host" } else { ", but" };
    webmill_jobs::say!("{}: no such page in {}{said}", plain(url.as_str()), results.display());
    for (near, why) in &near {
        webmill_jobs::say!("  {}  ({why})", plain(near));
    }
    if args.format.is_json() {
        let near: Vec<_> = near.iter().map(|(url, why)| json!({ "url": url, "why": why })).collect();
        let none = json!({ "format": FORMAT, "url": url.as_str(), "near": near });
        webmill_jobs::print(&format!("{}\n", serde_json::to_string_pretty(&none)?))?;
    }
    Ok(ExitCode::from(1))
}
