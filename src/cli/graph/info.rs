//! `webmill graph info`: the numbers of a graph.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use webmill_graph::{BowTiePart, Components, Csr, PowerLaw, published_distance};

use crate::args::{JobFlags, ResultsOrGraph};
use crate::source;
use webmill_jobs::graph::open::OpenedGraph;
use webmill_jobs::shape::measures::{Measures, Part};

/// Print the numbers of a graph: nodes, arcs, degrees. `webmill shape` has its shape.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill graph info out/demo/results --level host")]
pub struct InfoArgs {
    #[command(flatten)]
    graph: ResultsOrGraph,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    flags: JobFlags,
}

/// Runs the command.
pub fn run(args: &InfoArgs) -> Result<ExitCode> {
    let source = source::open(&args.graph.path()?, &args.reading, args.flags.memory()?)?;
    print_info(&source, &args.flags, &[])
}

/// Prints all numbers of a graph, or those of chosen parts of its shape alone.
pub fn shape_of(source: &OpenedGraph, flags: &JobFlags, parts: &[Part]) -> Result<ExitCode> {
    if parts.is_empty() {
        return print_info(source, flags, Part::ALL);
    }
    let found = measure(source, flags, parts)?;
    let mut numbers = shape(source.graph.num_nodes(), &found, parts, true);
    numbers["graph"] = source.about().into();
    print_json(&numbers)
}

/// Measures parts of a graph's shape.
pub fn measure(source: &OpenedGraph, flags: &JobFlags, parts: &[Part]) -> Result<Measures> {
    let graph = source.graph.without_weights();
    let memory = flags.memory()?;
    Ok(flags.budget.pool()?.install(|| {
        let transpose = parts.iter().any(|part| part.takes_transpose()).then(|| graph.transpose());
        Measures::of(&graph, transpose.as_ref(), parts, memory)
    })?)
}

fn print_info(source: &OpenedGraph, flags: &JobFlags, parts: &[Part]) -> Result<ExitCode> {
    let graph = source.graph.without_weights();
    let memory = flags.memory()?;
    let numbers = flags.budget.pool()?.install(|| -> Result<Value> {
        let transpose = graph.transpose();
        let mut numbers = plain(&graph, &transpose);
        numbers["graph"] = source.about().into();
        numbers["weighted"] = source.graph.weights().is_some().into();
        if !parts.is_empty() {
            let found = Measures::of(&graph, Some(&transpose), parts, memory)?;
            numbers["shape"] = shape(graph.num_nodes(), &found, parts, false);
        }
        Ok(numbers)
    })?;
    print_json(&numbers)
}

fn print_json(numbers: &Value) -> Result<ExitCode> {
    webmill_jobs::print(&format!("{}\n", serde_json::to_string_pretty(numbers)?))?;
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

fn components(found: &Components, sizes: bool) -> Value {
    let mut numbers = json!({ "number": found.len(), "largest": found.sizes.first() });
    if sizes {
        // Pairs of a size and the number of components that have it.
        numbers["sizes"] = json!(found.size_histogram());
    }
    numbers
}

fn law(law: &Option<PowerLaw>) -> Value {
    law.as_ref().map_or(Value::Null, |law| {
        json!({
            "exponent": law.gamma, "standard_error": law.gamma_error, "x_min": law.x_min, "tail": law.tail,
            "ks": law.ks, "ratio_to_log_normal": law.ratio, "p_value": law.p_value,
        })
    })
}

/// The numbers of the parts that were asked for; `sizes` adds those of all components.
fn shape(nodes: usize, found: &Measures, parts: &[Part], sizes: bool) -> Value {
    let mut numbers = serde_json::Map::new();
    let mut put = |part, name: &str, value: Option<Value>| {
        if let Some(value) = value.filter(|_| parts.contains(&part)) {
            numbers.insert(name.to_owned(), value);
        }
    };
    put(Part::Scc, "strong_components", found.strong.as_ref().map(|c| components(c, sizes)));
    put(Part::Wcc, "weak_components", found.weak.as_ref().map(|c| components(c, sizes)));
    let tie = found.tie.as_ref().map(|tie| {
        let parts = BowTiePart::ALL.iter().zip(tie.sizes);
        parts.map(|(part, n)| (part.name().to_owned(), n.into())).collect::<serde_json::Map<_, _>>().into()
    });
    put(Part::Bowtie, "bowtie", tie);
    let laws = found
        .degrees
        .as_ref()
        .map(|(_, [into, out, total])| json!({ "in": law(into), "out": law(out), "total": law(total) }));
    put(Part::Degrees, "degree_laws", laws);
    put(Part::Reciprocity, "reciprocity", found.reciprocity.map(|r| json!(r.share())));
    let assortativity = found.assortativity.as_ref().map(|found| {
        json!({
            "in_in": found.in_in, "in_out": found.in_out, "out_in": found.out_in, "out_out": found.out_out,
        })
    });
    put(Part::Assortativity, "assortativity", assortativity);
    let distances = found.distances.as_ref().map(|distances| {
        json!({
            "sources": distances.sources, "mean": distances.mean, "standard_error": distances.standard_error,
            "effective_diameter": distances.effective_diameter(), "greatest_seen": distances.greatest(),
            "connected_pairs": distances.connected, "published_estimate": published_distance(nodes as u64),
        })
    });
    put(Part::Distances, "distances", distances);
    numbers.into()
}
