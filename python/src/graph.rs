//! Graphs: link analysis of arcs that Python has, and of graph files.

use std::path::PathBuf;
use std::sync::Arc;

use polars_arrow::array::{Array, PrimitiveArray, Utf8Array};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use webmill_capture::Error;
use webmill_graph::{Csr, Hits, PageRank};
use webmill_jobs::graph::convert::{GraphConversion, convert as convert_graph};
use webmill_jobs::graph::open::{self, GraphReading};
use webmill_jobs::run_all::processors;
use webmill_jobs::run_options::DEFAULT_MEMORY;

use crate::arrow::{ArrowTable, Chunk, Strings, values};
use crate::fault::{Fault, Result, config};
use crate::wait::apart;

/// What nodes are called.
#[derive(Clone)]
enum Names {
    Texts(Arc<[String]>),
    Numbers(Arc<[i64]>),
}

/// A directed graph.
#[pyclass(frozen, module = "webmill")]
pub struct Graph {
    graph: Csr,
    names: Names,
}

#[pymethods]
impl Graph {
    /// A graph of arcs: nodes are all that is in `src` or `dst`, in ascending order; parallel arcs are one.
    #[new]
    #[pyo3(signature = (src, dst, weights = None))]
    fn new(
        py: Python<'_>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (src, dst) = (values(src)?, values(dst)?);
        let weights = weights.map(values).transpose()?;
        apart(py, move |_| make(&src, &dst, weights.as_deref()))??.map_err(PyTypeError::new_err)
    }

    /// Reads a graph file of any format, or level `level` of a folder of results.
    #[staticmethod]
    #[pyo3(signature = (path, level = None))]
    fn load(py: Python<'_>, path: PathBuf, level: Option<String>) -> PyResult<Self> {
        let loaded = apart(py, move |_| {
            let source = open::open(&path, &at_level(level.as_deref())?, u64::MAX)?;
            let names = match source.labels()? {
                Some(labels) => Names::Texts(labels.into()),
                None => {
                    let first = i64::from(source.first());
                    Names::Numbers((0..source.graph.num_nodes() as i64).map(|v| v + first).collect())
                }
            };
            Ok::<_, anyhow::Error>(Graph { graph: source.graph, names })
        })?;
        Ok(loaded.map_err(Fault::from)?)
    }

    /// Number of nodes.
    #[getter]
    fn num_nodes(&self) -> usize {
        self.graph.num_nodes()
    }

    /// Number of arcs.
    #[getter]
    fn num_arcs(&self) -> usize {
        self.graph.num_arcs() as usize
    }

    fn __repr__(&self) -> String {
        format!("Graph({} nodes, {} arcs)", self.num_nodes(), self.num_arcs())
    }

    /// Names of the nodes, in the order of the graph: strings or numbers.
    #[getter]
    fn nodes(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match &self.names {
            Names::Texts(names) => names.to_vec().into_pyobject(py)?.into_any().unbind(),
            Names::Numbers(names) => names.to_vec().into_pyobject(py)?.into_any().unbind(),
        })
    }

    /// The arcs: columns `src`, `dst`, `weight`.
    fn arcs(&self) -> PyResult<ArrowTable> {
        let arcs: Vec<(u32, u32, f64)> = self.graph.arcs().collect();
        ArrowTable::of(vec![
            ("src", self.named(arcs.iter().map(|arc| arc.0))),
            ("dst", self.named(arcs.iter().map(|arc| arc.1))),
            ("weight", PrimitiveArray::<f64>::from_vec(arcs.iter().map(|arc| arc.2).collect()).boxed()),
        ])
    }

    /// PageRank: columns `node`, `pagerank`, in the order of the nodes. The ranks sum to 1.
    #[pyo3(signature = (damping = 0.85, tolerance = 1e-10, max_iterations = 1000))]
    fn pagerank(
        &self,
        py: Python<'_>,
        damping: f64,
        tolerance: f64,
        max_iterations: usize,
    ) -> PyResult<ArrowTable> {
        let graph = self.graph.clone();
        let settings = PageRank { damping, tolerance, max_iterations, ..PageRank::default() };
        ArrowTable::of(vec![("node", self.all()), ("pagerank", ranks(py, settings, move || Ok(graph))?)])
    }

    /// HITS: columns `node`, `hub`, `authority`, of L2 length 1, in the order of the nodes.
    #[pyo3(signature = (tolerance = 1e-10, max_iterations = 10_000))]
    fn hits(&self, py: Python<'_>, tolerance: f64, max_iterations: usize) -> PyResult<ArrowTable> {
        let graph = self.graph.clone();
        let weighted = graph.weights().is_some();
        let settings = Hits { tolerance, max_iterations, weighted, ..Hits::default() };
        let scores = apart(py, move |_| settings.run(&graph, &graph.transpose()))?.map_err(Fault::from)?;
        ArrowTable::of(vec![
            ("node", self.all()),
            ("hub", numbers(scores.hubs)),
            ("authority", numbers(scores.authorities)),
        ])
    }
}

impl Graph {
    fn named(&self, nodes: impl Iterator<Item = u32>) -> Chunk {
        match &self.names {
            Names::Texts(names) => {
                Utf8Array::<i64>::from_iter_values(nodes.map(|v| names[v as usize].as_str())).boxed()
            }
            Names::Numbers(names) => {
                PrimitiveArray::<i64>::from_vec(nodes.map(|v| names[v as usize]).collect()).boxed()
            }
        }
    }

    fn all(&self) -> Chunk {
        self.named(0..self.graph.num_nodes() as u32)
    }
}

/// PageRank of the nodes of a graph, which is made as the work begins.
pub fn ranks(
    py: Python<'_>,
    settings: PageRank<'static>,
    graph: impl FnOnce() -> std::result::Result<Csr, Error> + Send + 'static,
) -> PyResult<Chunk> {
    let tolerance = settings.tolerance;
    let ranked = apart(py, move |_| {
        let graph = graph()?;
        settings.run(&graph, &graph.transpose())
    })?;
    let ranks = ranked.map_err(Fault::from)?;
    if !ranks.converged {
        return Err(config(format!(
            "after {} iterations the ranks may be {:e} off, more than the tolerance {tolerance:e}",
            ranks.iterations, ranks.error_bound
        )));
    }
    Ok(numbers(ranks.scores))
}

fn numbers(scores: Vec<f64>) -> Chunk {
    PrimitiveArray::<f64>::from_vec(scores).boxed()
}

/// A graph of columns; the inner error is about their types.
fn make(
    src: &[Chunk],
    dst: &[Chunk],
    weights: Option<&[Chunk]>,
) -> Result<std::result::Result<Graph, String>> {
    let weights = match weights.map(reals).transpose() {
        Ok(weights) => weights,
        Err(why) => return Ok(Err(why)),
    };
    let lengths = |chunks: &[Chunk]| chunks.iter().map(|chunk| chunk.len()).sum::<usize>();
    let arcs = lengths(src);
    if lengths(dst) != arcs || weights.as_ref().is_some_and(|weights| weights.len() != arcs) {
        return Err(Error::Config("src, dst and weights are not of one length".into()).into());
    }
    let graph = match (texts(src), texts(dst)) {
        (Some(src), Some(dst)) => {
            let (src, dst) = (src?, dst?);
            let (graph, names) = numbered(&src, &dst, weights)?;
            Graph { graph, names: Names::Texts(names.into_iter().map(str::to_owned).collect()) }
        }
        (None, None) => {
            let (src, dst) = match (whole(src), whole(dst)) {
                (Ok(src), Ok(dst)) => (src, dst),
                (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
            };
            let (graph, names) = numbered(&src, &dst, weights)?;
            Graph { graph, names: Names::Numbers(names.into()) }
        }
        _ => return Ok(Err("src and dst are not of one type".to_owned())),
    };
    Ok(Ok(graph))
}

/// Numbers nodes by their order and makes the graph.
fn numbered<T: Ord + Copy + Send>(src: &[T], dst: &[T], weights: Option<Vec<f32>>) -> Result<(Csr, Vec<T>)> {
    let mut names: Vec<T> = src.iter().chain(dst).copied().collect();
    names.sort_unstable();
    names.dedup();
    if u32::try_from(names.len()).is_err() {
        return Err(Error::Limit(format!("{} nodes: more than 32 bits can number", names.len())).into());
    }
    let number = |name: &T| names.binary_search(name).unwrap_or_default() as u32;
    let arcs = src.iter().zip(dst).map(|(u, v)| (number(u), number(v)));
    let graph = match weights {
        Some(weights) => {
            Csr::from_weighted_arcs(names.len(), arcs.zip(weights).map(|((u, v), w)| (u, v, w)))?
        }
        None => Csr::from_arcs(names.len(), arcs)?,
    };
    Ok((graph, names))
}

/// The strings of a column; nothing where it holds no strings.
fn texts(chunks: &[Chunk]) -> Option<Result<Vec<&str>>> {
    let mut found = Vec::new();
    for chunk in chunks {
        let strings = Strings::of(&**chunk)?;
        for i in 0..chunk.len() {
            match strings.get(i).and_then(|bytes| std::str::from_utf8(bytes).ok()) {
                Some(text) => found.push(text),
                None => return Some(Err(Error::Config(format!("node {i} of a column is null")).into())),
            }
        }
    }
    // A column without rows fits either kind.
    Some(Ok(found)).filter(|_| !chunks.is_empty())
}

fn whole(chunks: &[Chunk]) -> std::result::Result<Vec<i64>, String> {
    fn of<T: polars_arrow::types::NativeType + TryInto<i64>>(chunk: &dyn Array) -> Option<Vec<i64>> {
        let array = chunk.as_any().downcast_ref::<PrimitiveArray<T>>()?;
        (array.null_count() == 0).then(|| array.values_iter().map(|v| (*v).try_into().ok()).collect())?
    }
    let mut found = Vec::new();
    for chunk in chunks {
        let chunk = &**chunk;
        let numbers = of::<i64>(chunk)
            .or_else(|| of::<u32>(chunk))
            .or_else(|| of::<i32>(chunk))
            .or_else(|| of::<u64>(chunk))
            .or_else(|| of::<i16>(chunk))
            .or_else(|| of::<u16>(chunk));
        let numbers = numbers.ok_or_else(|| {
            format!("nodes are strings or whole numbers without null, not {:?}", chunk.dtype())
        })?;
        found.extend(numbers);
    }
    Ok(found)
}

fn reals(chunks: &[Chunk]) -> std::result::Result<Vec<f32>, String> {
    let mut found = Vec::new();
    for chunk in chunks {
        let any = chunk.as_any();
        if chunk.null_count() > 0 {
            return Err("a weight is null".to_owned());
        } else if let Some(reals) = any.downcast_ref::<PrimitiveArray<f64>>() {
            found.extend(reals.values_iter().map(|w| *w as f32));
        } else if let Some(reals) = any.downcast_ref::<PrimitiveArray<f32>>() {
            found.extend(reals.values_iter().copied());
        } else {
            found.extend(whole(std::slice::from_ref(chunk))?.into_iter().map(|w| w as f32));
        }
    }
    Ok(found)
}

/// Level `level` of results, where one is named.
fn at_level(level: Option<&str>) -> anyhow::Result<GraphReading> {
    Ok(GraphReading { level: level.map(open::level_of).transpose()?, ..GraphReading::default() })
}

/// Writes a graph in another format, as `webmill graph convert` does.
#[pyfunction]
#[pyo3(signature = (source, target, format = None, level = None))]
pub fn convert(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    format: Option<String>,
    level: Option<String>,
) -> PyResult<()> {
    let done = apart(py, move |_| {
        convert_graph(&GraphConversion {
            from: source,
            reading: at_level(level.as_deref())?,
            to: target,
            format: format.map(|name| name.parse()).transpose()?,
            threads: processors(),
            memory: DEFAULT_MEMORY,
        })
    })?;
    Ok(done.map_err(Fault::from)?)
}
