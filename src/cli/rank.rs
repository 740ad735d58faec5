//! `webmill rank`: the job and the best of each level, or scores of a graph file or of a level of results.

mod best;
mod query;
mod scores;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use webmill_capture::names::near_to;
use webmill_run::{Cancel, Job};

pub(crate) use self::scores::{ByFlag, ChosenScore, MeasureInputs};
use crate::args::{JobFlags, ResultsOrGraph, Top, is_results};
use crate::jobs::finish;
use crate::print::RowFormat;
use crate::source;
use webmill_jobs::builtin::registry;
use webmill_jobs::graph::open::NODE_BYTES;
use webmill_jobs::levels::admit;
use webmill_jobs::rank::{Rank, RankJob, Vectors, teleport};
use webmill_jobs::recipe::{Recipe, Settings};

/// Rank pages, hosts and domains; print the scores of a graph file, or the hubs and authorities of a query.
///
/// Of results it commits table ranks, where that is not done, and prints the best of each level. With --level, --by or --query, and of
/// a graph file (webmill's own, BVGraph, Matrix Market, text with an arc a line), scores are computed anew and only printed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rank out/demo/results\n  webmill rank out/demo/results --level host --by authority --top 10\n  webmill rank out/demo/results --query \"web archives\" --arc\n  webmill rank graph.mtx --by harmonic --format tsv"
)]
pub struct RankArgs {
    #[command(flatten)]
    graph: ResultsOrGraph,
    #[command(flatten)]
    measures: Measures,
    #[command(flatten)]
    by: ByFlag,
    #[command(flatten)]
    top: Top,
    /// Rank only pages around the answers to this query: the best pages of table texts, what they link to, and what links to
    /// them.
    #[arg(long, value_name = "WORDS", conflicts_with = "level")]
    query: Option<String>,
    /// With --query: two steps around the answers, links by the words around them, five iterations (automatic resource
    /// compilation).
    #[arg(long, requires = "query", conflicts_with = "by")]
    arc: bool,
    #[command(flatten)]
    format: RowFormat,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    flags: JobFlags,
}

/// Settings that change from run to run.
#[derive(Debug, Clone, Default, clap::Args)]
struct Measures {
    /// Teleport only to the nodes of this file: a URL or host a line, then a tab and its weight if that is not 1.
    #[arg(long, value_name = "FILE")]
    teleport: Option<String>,
    /// Leave graph and transpose on disk: 48 bytes of memory per node for PageRank, 96 for all measures, none per arc.
    #[arg(long)]
    lean: bool,
}

impl Measures {
    fn apply(&self, recipe: &mut Recipe) {
        if let Some(file) = &self.teleport {
            recipe.set(Rank::TABLE, "teleport", file.clone());
        }
        if self.lean {
            recipe.set(Rank::TABLE, "lean", true);
        }
    }
}

impl RankArgs {
    /// Whether graph and transpose stay on disk, so that memory is to hold no more than needed.
    pub fn is_lean(&self) -> bool {
        let Ok(mut recipe) = self.flags.read_recipe() else { return false };
        self.measures.apply(&mut recipe);
        recipe.settings::<Rank>().is_ok_and(|rank| rank.lean)
    }

    /// Whether scores are computed to be printed and for nothing else.
    fn only_prints(&self) -> bool {
        self.reading.level.is_some() || self.by.by.is_some() || self.query.is_some()
    }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &RankArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.flags.read_recipe()?;
    args.measures.apply(&mut recipe);
    registry().check_recipe(&recipe)?;
    let path = args.graph.path()?;
    if is_results(&path) && !args.only_prints() {
        args.reading.options()?.unused()?;
        let console = args.flags.console();
        let context = args.flags.context_with(recipe, &path, &console, cancel)?;
        if let Some(committed) = context.run_entry(RankJob::NAME)?.filter(|_| !context.is_dry_run()) {
            best::print(&committed, &args.format, args.top.top)?;
        }
        return finish(&context);
    }
    let rank = recipe.settings::<Rank>()?;
    args.flags.budget.pool()?.install(|| print_scores(&path, &rank, args))?;
    Ok(ExitCode::SUCCESS)
}

fn print_scores(path: &Path, rank: &Rank, args: &RankArgs) -> Result<()> {
    let memory = args.flags.memory()?;
    let source = source::open_if(path, &args.reading, memory, |graph| {
        let admitted = admit(graph, NODE_BYTES, rank.held(graph), "ranking", memory);
        admitted.map_err(|error| rank.leaner(error))
    })?;
    let mut vectors = Vectors::default();
    if let Some(file) = &rank.teleport {
        let names = teleport::Names::read(file, source.level())?;
        let nodes = source.names()?;
        let (vector, unknown) = names.vector(|| nodes.iter().cloned().map(Ok))?;
        if let Some(first) = unknown.first() {
            webmill_jobs::say!(
                "{}: {} names are no nodes of the {}, the first {first}{}",
                file.display(),
                unknown.len(),
                source.about(),
                near_to(first, nodes.iter())
            );
        }
        vectors.teleport = Some(vector);
    }
    let measured = MeasureInputs { rank, vectors: &vectors, weighted: source.weighted(), memory };
    if let Some(words) = &args.query {
        return query::print(path, &source, words, args, &measured);
    }
    best::scores(
        &source,
        args.by.by.unwrap_or_else(ChosenScore::pagerank),
        args.top.top,
        &args.format,
        &measured,
    )
}
