//! `webmill graph near`: the neighbourhood of a page or host, as a drawing or for drawing tools.

use std::collections::HashMap;
use std::fmt::Write;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::json;
use webmill_graph::{Csr, Export, Graph, Neighbourhood, Surroundings, Way};
use webmill_table::columns;

use super::near_svg::{Drawing, DrawnNode};
use super::path::{node_of, plain, results_or_default};
use crate::command::rank::{Measured, Score};
use crate::command::source::{self, Source};
use crate::job::{latest, mixed};
use crate::levels::read_level;
use crate::rank::tables::RankRow;
use crate::rank::{Rank, Vectors};
use crate::settings::Shared;

/// Draw the neighbourhood of a page or host: an SVG, or a file for drawing tools, to stdout.
///
/// Where there are more nodes than --max-nodes, those of the best PageRank that hang together with the middle are kept; how many
/// were left out is said in the drawing, in JSON and on stderr. The PageRank is that of table ranks; without it, and of a graph
/// file, it is computed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill graph near http://www.example.org/ results > near.svg\n  webmill graph near example.org results --level host --hops 1 --format dot | dot -Tpdf > near.pdf\n  webmill graph near 17 graph.txt --direction in --format tsv"
)]
pub struct NearArgs {
    /// The middle: a URL, a host or domain, or a node's number in a graph file without names.
    node: String,
    /// Folder of results, or graph file [default: the folder one is in where that holds results, else `results`].
    #[arg(value_name = "RESULTS|GRAPH")]
    graph: Option<PathBuf>,
    /// Level of the results: page, host or domain [default: page].
    #[arg(long)]
    level: Option<String>,
    /// Most links from the middle.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    hops: u32,
    /// Which way links are followed.
    #[arg(long, value_enum, default_value = "both")]
    direction: Direction,
    /// Most nodes.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_nodes: u32,
    /// What is written.
    #[arg(long, value_enum, default_value = "svg")]
    format: NearFormat,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Direction {
    /// Onwards and backwards.
    Both,
    /// What the middle leads to.
    Out,
    /// What leads to it.
    In,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NearFormat {
    /// A picture that stands alone, for light and dark.
    Svg,
    /// Graphviz.
    Dot,
    /// GraphML.
    Graphml,
    /// GEXF.
    Gexf,
    /// One object: nodes, links, what was left out.
    Json,
    /// A line an arc: source, target, weight.
    Tsv,
}

columns! {
    struct Ranked from RankRow { node, pagerank }
}

/// A neighbourhood with names.
struct Near {
    found: Neighbourhood,
    names: Vec<String>,
    /// Where each node stands among the kept ones.
    at: HashMap<u32, usize>,
    centre: usize,
    /// Whether arcs have weights.
    weighted: bool,
    about: String,
}

/// Runs the command.
pub fn run(args: &NearArgs) -> Result<ExitCode> {
    let path = results_or_default(args.graph.as_ref());
    let source = source::open(&path, args.level.as_deref(), args.shared.memory)?;
    let centre = node_of(&source, &args.node)?;
    let way = match args.direction {
        Direction::Both => Way::Both,
        Direction::Out => Way::Out,
        Direction::In => Way::In,
    };
    let most = args.max_nodes as usize;
    let surroundings = Surroundings { way, hops: args.hops, most };
    let found = args.shared.pool()?.install(|| -> Result<Neighbourhood> {
        let transpose = source.graph.transpose();
        let scores = scores(args, &source, &transpose)?;
        Ok(surroundings.run(&source.graph, &transpose, centre, &scores)?)
    })?;
    let near = Near::new(found, centre, &source)?;
    near.say_left_out();
    match args.format {
        NearFormat::Svg => crate::print(&near.drawing().svg())?,
        NearFormat::Dot => crate::print(&near.dot())?,
        NearFormat::Json => crate::print(&near.json()?)?,
        NearFormat::Tsv => crate::print(&near.tsv())?,
        NearFormat::Graphml | NearFormat::Gexf => near.export(args.format)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The PageRank of all nodes: that of table ranks where it is of this graph.
fn scores(args: &NearArgs, source: &Source, transpose: &Csr) -> Result<Vec<f64>> {
    if let Some((graph, level)) = source.committed()
        && let Ok(ranks) = latest(&source.path, "rank")
        && mixed(&[graph, &ranks]).is_empty()
    {
        let mut scores = Vec::with_capacity(source.graph.num_nodes());
        let mut reader = read_level::<Ranked>(&ranks, level);
        while let Some(batch) = reader.next()? {
            scores.extend(batch.rows().map(|row| row.pagerank));
        }
        if scores.len() != source.graph.num_nodes() {
            bail!("table ranks has {} rows for {} nodes", scores.len(), source.graph.num_nodes());
        }
        return Ok(scores);
    }
    let rank: Rank = args.shared.recipe()?.settings()?;
    let vectors = Vectors::default();
    let with = Measured::new(&rank, &vectors, source.weighted(&rank), args.shared.memory);
    Score::Pagerank.run(&source.graph, transpose, &with)
}

impl Near {
    fn new(found: Neighbourhood, centre: u32, source: &Source) -> Result<Self> {
        let nodes: Vec<u32> = found.nodes.iter().map(|node| node.node).collect();
        let names = source.names_of(&nodes)?;
        let at: HashMap<u32, usize> = nodes.iter().copied().zip(0..).collect();
        let centre = at.get(&centre).copied().unwrap_or(0);
        let weighted = source.graph.weights().is_some();
        Ok(Near { found, names, at, centre, weighted, about: source.about() })
    }

    /// The nodes that were left out at each number of hops.
    fn left_out(&self) -> Vec<u64> {
        (0..self.found.found.len() as u32).map(|hops| self.found.left_out(hops)).collect()
    }

    fn say_left_out(&self) {
        let left: u64 = self.left_out().iter().sum();
        if left > 0 {
            let by_hop: Vec<String> = self
                .left_out()
                .iter()
                .zip(0..)
                .filter(|(left, _)| **left > 0)
                .map(|(left, hops)| format!("{left} at {hops} {}", if hops == 1 { "hop" } else { "hops" }))
                .collect();
            let all: u64 = self.found.found.iter().sum();
            crate::say!("{left} of {all} nodes were left out ({}): --max-nodes", by_hop.join(", "));
        }
    }

    fn arcs(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let at = |node: &u32| self.at.get(node).copied();
        self.found.arcs.iter().filter_map(move |(u, v, weight)| Some((at(u)?, at(v)?, *weight)))
    }

    fn drawing(&self) -> Drawing {
        let nodes = self.found.nodes.iter().zip(&self.names);
        Drawing {
            title: self.names[self.centre].clone(),
            about: self.about.clone(),
            nodes: nodes
                .map(|(node, name)| DrawnNode { name: name.clone(), hops: node.hops, score: node.score })
                .collect(),
            centre: self.centre,
            arcs: self.arcs().collect(),
            found: self.found.found.clone(),
            left_out: self.left_out(),
        }
    }

    fn dot(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", plain(text).replace('\\', "\\\\").replace('"', "\\\""));
        let mut out =
            String::from("digraph near {\n  graph [overlap=false];\n  node [shape=box, style=rounded];\n");
        for (at, (node, name)) in self.found.nodes.iter().zip(&self.names).enumerate() {
            let middle = if at == self.centre { ", style=\"rounded,bold\", penwidth=3" } else { "" };
            let (number, hops, label) = (node.node, node.hops, quoted(name));
            let _ = writeln!(
                out,
                "  n{number} [label={label}, hops={hops}, pagerank=\"{:e}\"{middle}];",
                node.score
            );
        }
        for (u, v, weight) in &self.found.arcs {
            let _ = writeln!(out, "  n{u} -> n{v} [weight=\"{weight}\"];");
        }
        out + "}\n"
    }

    fn json(&self) -> Result<String> {
        let nodes: Vec<_> = self
            .found
            .nodes
            .iter()
            .zip(&self.names)
            .map(|(node, name)| {
                json!({ "node": node.node, "name": name, "hops": node.hops, "pagerank": node.score })
            })
            .collect();
        let links: Vec<_> = self
            .arcs()
            .map(|(u, v, weight)| {
                let weight = self.weighted.then_some(weight);
                json!({ "source": self.names[u], "target": self.names[v], "weight": weight })
            })
            .collect();
        let all = json!({
            "graph": self.about, "centre": self.names[self.centre], "nodes": nodes, "links": links,
            "found_by_hops": self.found.found, "left_out_by_hops": self.left_out(),
        });
        Ok(format!("{}\n", serde_json::to_string_pretty(&all)?))
    }

    fn tsv(&self) -> String {
        let mut out = String::new();
        for (u, v, weight) in self.arcs() {
            let _ = writeln!(out, "{}\t{}\t{weight}", plain(&self.names[u]), plain(&self.names[v]));
        }
        out
    }

    /// The part alone as a graph: columns say what numbers its nodes have in the whole.
    fn export(&self, format: NearFormat) -> Result<()> {
        let arcs = self.arcs().map(|(u, v, weight)| (u as u32, v as u32, weight as f32));
        let weighted = Csr::from_weighted_arcs(self.names.len(), arcs)?;
        let graph = if self.weighted { weighted } else { weighted.without_weights() };
        let column = |of: &dyn Fn(&webmill_graph::Neighbour) -> f64| -> Vec<f64> {
            self.found.nodes.iter().map(of).collect()
        };
        let numbers = column(&|node| f64::from(node.node));
        let hops = column(&|node| f64::from(node.hops));
        let ranks = column(&|node| node.score);
        let export = Export::new(&graph)
            .with_labels(&self.names)?
            .with_column("node", &numbers)?
            .with_column("hops", &hops)?
            .with_column("pagerank", &ranks)?;
        let (out, path) = (BufWriter::new(std::io::stdout().lock()), Path::new("-"));
        match format {
            NearFormat::Gexf => export.write_gexf(out, path)?,
            _ => export.write_graphml(out, path)?,
        }
        Ok(())
    }
}
