//! What graphs over a cluster need of the compiled part.

use pyo3::prelude::*;
use webmill_graph::{Csr, PageRank};
use webmill_jobs::graph::GraphJob;

use super::{RecipeParts, numbers, recipe, to_json};
use crate::arrow::{ArrowTable, import};
use crate::fault::{Fault, config};
use crate::graph::ranks;

/// The settings of the recipe's table `[graph]` as JSON, with the SURT forms of the hosts to which no link counts.
#[pyfunction]
pub fn graph_settings(settings: RecipeParts) -> PyResult<String> {
    let settings: GraphJob = recipe(settings)?.settings().map_err(Fault::from)?;
    if settings.fold_duplicates {
        return Err(config("[graph] fold_duplicates is not possible on a cluster"));
    }
    let mut json = serde_json::json!(settings);
    json["stop_surts"] = settings.stop_surts().map_err(Fault::from)?.into();
    to_json(&json)
}

/// PageRank of nodes with numbers from 0, of arcs (columns `source`, `target`, `weight`), with damping, tolerance and most
/// iterations: column `pagerank`, by node.
#[pyfunction]
pub fn rank_nodes(
    py: Python<'_>,
    nodes: usize,
    arcs: &Bound<'_, PyAny>,
    weighted: bool,
    options: (f64, f64, usize),
) -> PyResult<ArrowTable> {
    let (damping, tolerance, max_iterations) = options;
    let mut links = Vec::new();
    for chunk in import(arcs)? {
        let column = |name| numbers(&*chunk, name);
        let (sources, targets, weights) = (column("source")?, column("target")?, column("weight")?);
        for row in 0..chunk.len() {
            let number =
                |value: i64| u32::try_from(value).map_err(|_| config("more nodes than 32 bits can number"));
            let weight = u32::try_from(weights.value(row)).unwrap_or(u32::MAX);
            links.push((number(sources.value(row))?, number(targets.value(row))?, weight));
        }
    }
    let settings = PageRank { damping, tolerance, max_iterations, weighted, ..PageRank::default() };
    ArrowTable::of(vec![("pagerank", ranks(py, settings, move || Csr::from_counted_arcs(nodes, links))?)])
}
