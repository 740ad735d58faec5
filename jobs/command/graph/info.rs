//! `webmill graph info`: the numbers of a graph.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use webmill_graph::{
    Assortativity, BowTiePart, Csr, Degrees, Distances, Graph, Histogram, Reciprocity, bow_tie,
    published_distance, strong_components, weak_components,
};

use crate::command::source;
use crate::settings::Shared;

/// Print the numbers of a graph: nodes, arcs, degrees; with --all also its shape.
#[derive(Debug, clap::Args)]
pub struct InfoArgs {
    /// Graph file, or folder of results.
    graph: PathBuf,
    /// Level of the results: page, host or domain [default: page].
    #[arg(long)]
    level: Option<String>,
    /// Also components, bow-tie, degree laws, distances, reciprocity and assortativity.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    shared: Shared,
}

/// Runs the command.
pub fn run(args: &InfoArgs) -> Result<ExitCode> {
    print_info(&args.graph, args.level.as_deref(), &args.shared, args.all)
}

/// Prints all numbers of a graph.
pub fn info_of(path: &Path, level: Option<&str>, shared: &Shared) -> Result<ExitCode> {
    print_info(path, level, shared, true)
}

fn print_info(path: &Path, level: Option<&str>, shared: &Shared, all: bool) -> Result<ExitCode> {
    let source = source::open(path, level, shared.memory)?;
    let graph = source.graph.without_weights();
    let pool = shared.pool()?;
    let numbers = pool.install(|| -> Result<Value> {
        let transpose = graph.transpose();
        let mut numbers = plain(&graph, &transpose);
        numbers["graph"] = source.about().into();
        numbers["weighted"] = source.graph.weights().is_some().into();
        if all {
            numbers["shape"] = shape(&graph, &transpose, shared.memory)?;
        }
        Ok(numbers)
    })?;
    crate::print(&format!("{}\n", serde_json::to_string_pretty(&numbers)?))?;
    Ok(ExitCode::SUCCESS)
}

fn plain(graph: &Csr, transpose: &Csr) -> Value {
    let nodes = graph.num_nodes();
    let degree = |g: &Csr, v: u32| g.outdegree(v);
    let (mut dangling, mut isolated, mut loops, mut most_out, mut most_in) = (0u64, 0u64, 0u64, 0, 0);
    for v in 0..nodes as u32 {
        let (out, into) = (degree(graph, v), degree(transpose, v));
        dangling += u64::from(out == 0);
        isolated += u64::from(out == 0 && into == 0);
        loops += u64::from(graph.successor_slice(v).binary_search(&v).is_ok());
        most_out = most_out.max(out);
        most_in = most_in.max(into);
    }
    json!({
        "nodes": nodes,
        "arcs": graph.num_arcs(),
        "self_loops": loops,
        "dangling_nodes": dangling,
        "isolated_nodes": isolated,
        "greatest_outdegree": most_out,
        "greatest_indegree": most_in,
        "mean_degree": if nodes > 0 { graph.num_arcs() as f64 / nodes as f64 } else { 0.0 },
    })
}

fn shape(graph: &Csr, transpose: &Csr, memory: u64) -> Result<Value> {
    let (strong, weak) = (strong_components(graph), weak_components(graph));
    let tie = bow_tie(graph, transpose, &strong);
    let parts: serde_json::Map<String, Value> =
        BowTiePart::ALL.iter().zip(tie.sizes).map(|(part, n)| (part.name().to_owned(), n.into())).collect();
    let degrees = Degrees::of(graph, transpose);
    let law = |histogram: &Histogram| {
        histogram.power_law().map(|law| {
            json!({
                "exponent": law.gamma, "standard_error": law.gamma_error, "x_min": law.x_min, "tail": law.tail,
                "ks": law.ks, "ratio_to_log_normal": law.ratio, "p_value": law.p_value,
            })
        })
    };
    let assortativity = Assortativity::of(graph, transpose);
    let distances = Distances { memory_bytes: Some(memory), ..Distances::default() }.run(graph, transpose)?;
    Ok(json!({
        "strong_components": { "number": strong.len(), "largest": strong.sizes.first() },
        "weak_components": { "number": weak.len(), "largest": weak.sizes.first() },
        "bowtie": parts,
        "degree_laws": { "in": law(&degrees.r#in), "out": law(&degrees.out), "total": law(&degrees.total) },
        "reciprocity": Reciprocity::of(graph, transpose).share(),
        "assortativity": {
            "in_in": assortativity.in_in, "in_out": assortativity.in_out, "out_in": assortativity.out_in, "out_out": assortativity.out_out,
        },
        "distances": {
            "sources": distances.sources, "mean": distances.mean, "standard_error": distances.standard_error,
            "effective_diameter": distances.effective_diameter(), "greatest_seen": distances.greatest(),
            "connected_pairs": distances.connected,
            "published_estimate": published_distance(graph.num_nodes() as u64),
        },
    }))
}
