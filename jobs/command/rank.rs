//! `webmill rank`: the job, or scores of a graph file or of results on standard output.

mod print;
mod query;
mod scores;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::names::near_to;
use webmill_run::{Cancel, Job};

pub(crate) use self::scores::{Chosen, Measured};
use crate::builtin::registry;
use crate::command::jobs::print_committed;
use crate::command::source;
use crate::console::Console;
use crate::levels::admit;
use crate::rank::settings::Overrides;
use crate::rank::{Rank, RankJob, Vectors, teleport};
use crate::settings::{Common, Shared};
use print::RowFormat;

/// Rank pages, hosts and domains; print the scores of a graph file, or the hubs and authorities of a query.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rank --out results\n  webmill rank graph.txt --format tsv --top 20\n  webmill rank graph.mtx --by harmonic\n  webmill rank results --level host --by authority --top 10\n  webmill rank results --query \"web archives\" --arc\n\nWith --out alone it commits table ranks to the folder that `webmill extract` wrote to, building the graph first if need be.\nGraph files: webmill's own, BVGraph (basename or .graph), Matrix Market, text with an arc a line."
)]
pub struct RankArgs {
    /// Graph file, or folder of results, whose scores are printed.
    graph: Option<PathBuf>,
    /// Folder for results; the job commits to OUT/rank/.keys/KEY, and OUT/rank/latest leads there.
    #[arg(long, value_name = "DIR", conflicts_with = "graph")]
    out: Option<PathBuf>,
    #[command(flatten)]
    measures: Overrides,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Printing")]
struct Printing {
    /// Level of the results: page, host or domain [default: page].
    #[arg(long, conflicts_with = "query")]
    level: Option<String>,
    /// Score that is printed [default: pagerank; for a query authority and hub].
    #[arg(long, value_parser = Chosen::parser())]
    by: Option<Chosen>,
    /// Print only so many, the best [default: all; for a query 15].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Rank only pages around the answers to this query: the best pages of table texts, what they link to, and what
    /// links to them.
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// With --query: two steps around the answers, links by the words around them, five iterations (automatic resource
    /// compilation).
    #[arg(long, requires = "query", conflicts_with = "by")]
    arc: bool,
    /// With --query: answers that the pages are gathered around [default: 200, more while they bring fewer than 1000 pages].
    #[arg(long, value_name = "N", requires = "query")]
    roots: Option<usize>,
    /// With --query: most in-links followed of each.
    #[arg(long, value_name = "N", requires = "query", default_value_t = 50)]
    in_links: usize,
    /// How it is printed.
    #[arg(long, value_enum, default_value = "tsv")]
    format: RowFormat,
}

impl RankArgs {
    /// Whether graph and transpose stay on disk, so that memory is to hold no more than what is used.
    pub fn is_lean(&self) -> bool {
        let Ok(mut recipe) = self.shared.read_recipe() else { return false };
        self.measures.apply(&mut recipe);
        recipe.settings::<Rank>().is_ok_and(|rank| rank.lean)
    }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &RankArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.shared.read_recipe()?;
    args.measures.apply(&mut recipe);
    registry().check_recipe(&recipe)?;
    let Some(path) = &args.graph else {
        let Some(out) = args.out.clone() else {
            bail!("name a graph file or results to print scores of, or --out DIR to rank the results in it")
        };
        args.reading.unused()?;
        let printing = &args.printing;
        if printing.top.is_some()
            || [&printing.level, &printing.query].iter().any(|asked| asked.is_some())
            || printing.by.is_some()
        {
            bail!("to print scores of results name them as argument: webmill rank {}", out.display());
        }
        let console = Console::new();
        let common = Common { out, shared: args.shared.clone() };
        return print_committed(&common.context_with(recipe, &console, cancel)?, RankJob::NAME);
    };
    let rank = recipe.settings::<Rank>()?;
    args.shared.pool()?.install(|| print_scores(path, &rank, args))?;
    Ok(ExitCode::SUCCESS)
}

fn print_scores(path: &std::path::Path, rank: &Rank, args: &RankArgs) -> Result<()> {
    let (how, memory) = (&args.printing, args.shared.memory);
    let source = source::open_if(path, how.level.as_deref(), &args.reading, memory, |graph| {
        let admitted = admit(graph, source::NODE_BYTES, rank.held(graph), "ranking", memory);
        admitted.map_err(|error| rank.leaner(error))
    })?;
    let mut vectors = Vectors::default();
    if let Some(file) = &rank.teleport {
        let names = teleport::Names::read(file, source.level())?;
        let nodes = source.names()?;
        let (vector, unknown) = names.vector(|| nodes.iter().cloned().map(Ok))?;
        if let Some(first) = unknown.first() {
            crate::say!(
                "{}: {} names are no nodes of the {}, the first {first}{}",
                file.display(),
                unknown.len(),
                source.about(),
                near_to(first, nodes.iter())
            );
        }
        vectors.teleport = Some(vector);
    }
    let measured = Measured { rank, vectors: &vectors, weighted: source.weighted(rank), memory };
    if let Some(words) = &how.query {
        return query::print(path, &source, words, how, &measured);
    }
    print::scores(&source, how.by.unwrap_or_else(Chosen::pagerank), how.top, how.format, &measured)
}
