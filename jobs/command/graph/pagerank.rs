//! `webmill graph pagerank`: the ranks of a graph that is larger than the memory.

use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use webmill_capture::error::AtPath;
use webmill_graph::{GraphFile, StripedPageRank, StripedRanks};
use webmill_run::{Cancel, Committed};
use webmill_table::{Footer, PartWriter, table};

use crate::command::rank::flat;
use crate::command::source::{is_results, level_of};
use crate::graph::each_name;
use crate::job::latest;
use crate::levels::{Level, graph_file};
use crate::rank::settings::DanglingRank;
use crate::rank::teleport::Names;
use crate::rank::{Rank, Vectors};
use crate::settings::Shared;

table! {
    /// One row a node, as `webmill graph pagerank --out FILE.parquet` writes them: in the order of nodes, with --top best first.
    NodeRankRow = "node_ranks" {
        node: u32 = "number of the node in the graph file", "1042";
        name: String = "its URL, host or domain, or its number where nodes have no names", "http://pku.edu.cn/";
        pagerank: f64 = "PageRank, sum over all nodes 1", "0.00017";
    }
}

/// Rank the nodes of a graph that is larger than the memory, from disk.
///
/// Only PageRank, to the same proven bound as `webmill rank`. The arcs are written once to scratch files, cut into stripes of
/// the nodes that they lead to; then each sweep reads them in sequence, and memory holds 8 bytes for each node of one stripe.
/// The number of stripes changes ranks within the bound, so it is no matter of --memory: where a stripe does not fit, the
/// message names a number that does.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill graph pagerank results --memory 256MiB --out ranks.parquet\n  webmill graph pagerank graph.csr --stripes 32 --memory 64MiB --top 100\n\nOther formats become a graph file by `webmill graph convert FILE graph.csr`."
)]
pub struct PagerankArgs {
    /// Folder of results, or graph file of webmill's own (.csr), with names in FILE.urls if there is such a file.
    #[arg(value_name = "RESULTS|GRAPH")]
    graph: PathBuf,
    /// Level of the results: page, host or domain [default: page].
    #[arg(long)]
    level: Option<String>,
    /// Stripes, from 1 to 4096: the more, the less memory; a few save sweeps, many cost reading.
    #[arg(long, value_name = "N", default_value_t = 8)]
    stripes: usize,
    /// File to write: `.parquet` for table `node_ranks`, else a line a node with its name and, behind a tab, its rank
    /// [default: lines to stdout].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write only so many nodes, the best, best first [default: all, in their order].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Folder for scratch files: 24 bytes a node and 1 to 3 an arc [default: that of --out, else the system's temporary
    /// folder].
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    #[command(flatten)]
    measures: Overrides,
    #[command(flatten)]
    shared: Shared,
}

/// Flags over the recipe's table `[rank]`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Measures")]
struct Overrides {
    /// PageRank's damping [default: 0.85].
    #[arg(long, value_name = "D")]
    damping: Option<f64>,
    /// Greatest L1 distance of the ranks to the true ones [default: 1e-12].
    #[arg(long, value_name = "E")]
    tolerance: Option<f64>,
    /// Teleport only to the nodes of this file: a URL or host a line, then a tab and its weight if that is not 1.
    #[arg(long, value_name = "FILE")]
    teleport: Option<PathBuf>,
    /// What becomes of the rank of nodes without links [default: teleport].
    #[arg(long, value_enum)]
    dangling: Option<DanglingRank>,
}

impl Overrides {
    fn settings(&self, shared: &Shared) -> Result<Rank> {
        let mut recipe = shared.read_recipe()?;
        let mut set = |name: &str, value: Option<toml::Value>| {
            if let Some(value) = value {
                recipe.set("rank", name, value);
            }
        };
        set("damping", self.damping.map(Into::into));
        set("tolerance", self.tolerance.map(Into::into));
        set("teleport", self.teleport.as_ref().map(|file| file.to_string_lossy().into_owned().into()));
        set("dangling", self.dangling.and_then(|rule| toml::Value::try_from(rule).ok()));
        crate::registry::check_recipe(&recipe)?;
        Ok(recipe.settings::<Rank>()?)
    }
}

/// The graph on disk, and what its nodes are called.
struct Source {
    graph: GraphFile,
    level: Option<(Committed, Level)>,
    urls: Option<PathBuf>,
}

type NamesOf<'a> = Box<dyn Iterator<Item = webmill_capture::Result<String>> + 'a>;

impl Source {
    fn open(path: &Path, level: Option<&str>) -> Result<Source> {
        if is_results(path) {
            let committed = latest(path, "graph").with_context(|| {
                format!("{}: build the graph first: webmill graph build --out", path.display())
            })?;
            let level = level.map_or(Ok(Level::Page), level_of)?;
            let graph = GraphFile::open(committed.path(&graph_file(level)))?;
            return Ok(Source { graph, level: Some((committed, level)), urls: None });
        }
        if let Some(level) = level {
            bail!("--level {level}: a graph file has no levels, results have");
        }
        let graph = GraphFile::open(path).with_context(|| {
            "only webmill's own graph files are read from disk; others become one by: webmill graph convert FILE graph.csr"
        })?;
        let mut urls = path.as_os_str().to_owned();
        urls.push(".urls");
        let urls = Some(PathBuf::from(urls)).filter(|urls| urls.is_file());
        Ok(Source { graph, level: None, urls })
    }

    fn names(&self) -> webmill_capture::Result<NamesOf<'_>> {
        if let Some((committed, level)) = &self.level {
            return Ok(Box::new(each_name(committed, *level)));
        }
        if let Some(path) = &self.urls {
            let lines = BufReader::with_capacity(1 << 18, File::open(path).at(path)?).lines();
            return Ok(Box::new(lines.map(move |line| line.at(path))));
        }
        Ok(Box::new((0..self.graph.num_nodes()).map(|node| Ok(node.to_string()))))
    }

    /// Whether weights count: those of a file always, numbers of links by the settings.
    fn weighted(&self, rank: &Rank) -> bool {
        self.level.as_ref().is_none_or(|(_, level)| rank.weighted(*level))
    }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &PagerankArgs, cancel: &Cancel) -> Result<ExitCode> {
    let rank = args.measures.settings(&args.shared)?;
    if rank.warm_start.is_some() {
        bail!(
            "[rank] warm_start: ranks from disk begin with the teleport vector; leave it out of the recipe"
        );
    }
    let source = Source::open(&args.graph, args.level.as_deref())?;
    if source.graph.num_nodes() == 0 && source.level.is_none() {
        bail!("{}: an empty graph: it has no nodes", args.graph.display());
    }
    let beside = args.out.as_deref().map(|out| out.parent().unwrap_or(Path::new("")));
    if let Some(folder) = beside.filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        bail!("{}: there is no such folder to write to", folder.display());
    }
    let beside = beside.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let folder = args.scratch.as_deref().or(beside).map_or_else(std::env::temp_dir, Path::to_path_buf);
    let none = Vectors::default();
    let in_memory = rank.pagerank(args.shared.memory, &none);
    let settings = StripedPageRank {
        damping: in_memory.damping,
        tolerance: in_memory.tolerance,
        max_iterations: in_memory.max_iterations,
        dangling: in_memory.dangling,
        weighted: source.weighted(&rank),
        stripes: args.stripes,
        memory_bytes: Some(args.shared.memory),
        folder,
        ..StripedPageRank::default()
    };
    if args.shared.dry_run {
        let takes = settings.memory_estimate(&source.graph) >> 20;
        crate::say!(
            "{}: {} nodes, {} arcs; {} stripes take {takes} MiB",
            source.graph.path().display(),
            source.graph.num_nodes(),
            source.graph.num_arcs(),
            settings.stripes
        );
        return Ok(ExitCode::SUCCESS);
    }
    let ranks = args.shared.pool()?.install(|| -> Result<StripedRanks> {
        let mut teleport = rank.teleport.as_deref().map(|file| teleport(file, &source)).transpose()?;
        let vector = teleport.as_mut().map(|vector| &mut **vector as &mut dyn Iterator<Item = _>);
        Ok(settings.run(&source.graph, vector, &mut |_| cancel.check())?)
    })?;
    let how = if ranks.converged { "within" } else { "NOT converged, within" };
    crate::say!(
        "PageRank: {} sweeps, {how} {:.1e} of the true ranks (L1); {} MiB of arcs read a sweep",
        ranks.iterations,
        ranks.error_bound,
        ranks.arc_bytes.div_ceil(1 << 20)
    );
    write(&ranks, &source, args)?;
    Ok(ExitCode::SUCCESS)
}

/// The teleport vector, node by node.
fn teleport<'a>(file: &Path, source: &'a Source) -> Result<NumbersOf<'a>> {
    let names = Names::read(file, source.level.as_ref().map(|(_, level)| *level))?;
    let found = names.found(source.names()?)?;
    let unknown = names.unknown(&found);
    if unknown > 0 {
        crate::say!("{}: {unknown} names are no nodes of {}", file.display(), source.graph.path().display());
    }
    let all = source.names()?;
    Ok(Box::new(all.map(move |name| name.map(|name| names.weight(&name, &found)))))
}

type NumbersOf<'a> = Box<dyn Iterator<Item = webmill_capture::Result<f64>> + 'a>;

/// A node among the best: the greatest is the one that goes first.
#[derive(PartialEq)]
struct Ranked(f64, u32);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

fn write(ranks: &StripedRanks, source: &Source, args: &PagerankArgs) -> Result<()> {
    let staged = args.out.as_ref().map(|out| {
        let mut name = out.as_os_str().to_owned();
        name.push(".partial");
        PathBuf::from(name)
    });
    let mut to = Out::create(args.out.as_deref(), staged.as_deref())?;
    let written = rows(ranks, source, args.top, &mut to).and_then(|()| to.finish());
    match (written, staged, &args.out) {
        (Ok(()), Some(staged), Some(out)) => Ok(std::fs::rename(&staged, out).at(out)?),
        (Err(error), Some(staged), _) => {
            drop(std::fs::remove_file(staged));
            Err(error)
        }
        (written, ..) => written,
    }
}

fn rows(ranks: &StripedRanks, source: &Source, most: Option<usize>, to: &mut Out) -> Result<()> {
    let mut names = source.names()?;
    let mut next = || {
        names.next().unwrap_or_else(|| {
            Err(webmill_capture::Error::Config("there are fewer names than nodes of the graph".into()))
        })
    };
    let Some(most) = most else {
        return Ok(ranks.each(|node, score| to.push(node, next()?, score))?);
    };
    let mut best = BinaryHeap::new();
    ranks.each(|node, score| {
        best.push(Ranked(score, node));
        if best.len() > most {
            best.pop();
        }
        Ok(())
    })?;
    let best = best.into_sorted_vec();
    let mut named: Vec<(usize, &Ranked)> = best.iter().enumerate().collect();
    named.sort_unstable_by_key(|(_, ranked)| ranked.1);
    let (mut found, mut at) = (vec![String::new(); best.len()], 0);
    for (place, Ranked(_, node)) in named {
        let name = loop {
            let name = next()?;
            at += 1;
            if at > *node as usize {
                break name;
            }
        };
        found[place] = name;
    }
    for (Ranked(score, node), name) in best.iter().zip(found) {
        to.push(*node, name, *score)?;
    }
    Ok(())
}

/// Where rows go.
enum Out {
    Lines(BufWriter<Box<dyn Write>>, PathBuf),
    Table(Box<PartWriter<NodeRankRow>>),
}

impl Out {
    fn create(out: Option<&Path>, staged: Option<&Path>) -> webmill_capture::Result<Out> {
        let (Some(out), Some(staged)) = (out, staged) else {
            return Ok(Out::Lines(
                BufWriter::new(Box::new(std::io::stdout().lock())),
                "standard output".into(),
            ));
        };
        if out.extension().is_some_and(|ending| ending == "parquet") {
            let footer = Footer { job_key: String::new() };
            return Ok(Out::Table(Box::new(PartWriter::create(staged, &footer)?)));
        }
        let file = File::create(staged).at(staged)?;
        Ok(Out::Lines(BufWriter::with_capacity(1 << 18, Box::new(file)), out.to_path_buf()))
    }

    fn push(&mut self, node: u32, name: String, pagerank: f64) -> webmill_capture::Result<()> {
        match self {
            Out::Lines(to, path) => writeln!(to, "{}\t{pagerank:e}", flat(&name)).at(&*path),
            Out::Table(writer) => writer.push(NodeRankRow { node, name, pagerank }),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Out::Lines(mut to, path) => Ok(to.flush().at(path)?),
            Out::Table(writer) => Ok(writer.finish().map(drop)?),
        }
    }
}
