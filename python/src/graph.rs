//! Graphs: link analysis of arcs that Python has, and of graph files.

use std::path::PathBuf;
use std::sync::Arc;

use polars_arrow::array::{PrimitiveArray, Utf8Array};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use webmill_capture::Error;
use webmill_graph::{Csr, Hits, PageRank};
use webmill_jobs::graph::convert::{GraphConversion, convert as convert_graph};
use webmill_jobs::graph::open::{self, GraphReading};
use webmill_jobs::machine::processors;
use webmill_jobs::run_options::default_memory;

use crate::arrow::{ArrowTable, Chunk, Strings, values, whole};
use crate::fault::{Fault, Result, config};
use crate::wait::apart;

/// What nodes are called.
#[derive(Clone)]
enum Names {
    Texts(Arc<[String]>),
    Numbers(Arc<[i64]>),
    /// Some of them beyond the range of those with a sign.
    Unsigned(Arc<[u64]>),
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
        let (src, dst) = (values(src, "src")?, values(dst, "dst")?);
        let weights = weights.map(|weights| values(weights, "weights")).transpose()?;
        apart(py, move |_| make(&src, &dst, weights.as_deref()))??.map_err(PyValueError::new_err)
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
            Names::Unsigned(names) => names.to_vec().into_pyobject(py)?.into_any().unbind(),
        })
    }

    /// Pickled by its nodes and the bytes of its arcs.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let bytes: Vec<u8> = self
            .graph
            .arcs()
            .flat_map(|(u, v, w)| [u.to_le_bytes(), v.to_le_bytes(), (w as f32).to_le_bytes()].concat())
            .collect();
        let parts = (self.nodes(py)?, PyBytes::new(py, &bytes), self.graph.weights().is_some());
        Ok((py.import("webmill._webmill")?.getattr("graph_of")?, parts))
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

/// Nodes, arcs and whether these have weights.
type Parts<'py> = (Py<PyAny>, Bound<'py, PyBytes>, bool);

/// A graph of what it is pickled by.
///
/// # Errors
/// For arcs that are none of these nodes.
#[pyfunction]
pub fn graph_of(py: Python<'_>, nodes: &Bound<'_, PyAny>, arcs: &[u8], is_weighted: bool) -> PyResult<Graph> {
    let chunks = values(nodes, "nodes")?;
    let is_text = chunks.iter().all(|chunk| Strings::of(&**chunk).is_some()) && nodes.len()? > 0;
    let names = if is_text {
        let names =
            texts(&chunks, "nodes").unwrap_or_else(|| Ok(Vec::new())).map_err(PyValueError::new_err)?;
        Names::Texts(names.into_iter().map(str::to_owned).collect())
    } else {
        match whole::<i64>(&chunks, "nodes").map_err(PyValueError::new_err)? {
            Some(numbers) => Names::Numbers(numbers.into()),
            None => {
                let numbers = whole::<u64>(&chunks, "nodes").map_err(PyValueError::new_err)?;
                Names::Unsigned(numbers.unwrap_or_default().into())
            }
        }
    };
    let (count, arcs) = (nodes.len()?, arcs.as_chunks::<12>().0.to_vec());
    let made = apart(py, move |_| {
        let arcs = arcs.iter().map(|[a, b, c, d, e, f, g, h, i, j, k, l]| {
            let (u, v) = (u32::from_le_bytes([*a, *b, *c, *d]), u32::from_le_bytes([*e, *f, *g, *h]));
            (u, v, f32::from_le_bytes([*i, *j, *k, *l]))
        });
        match is_weighted {
            true => Csr::from_weighted_arcs(count, arcs),
            false => Csr::from_arcs(count, arcs.map(|(u, v, _)| (u, v))),
        }
    })?;
    Ok(Graph { graph: made.map_err(Fault::from)?, names })
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
            Names::Unsigned(names) => {
                PrimitiveArray::<u64>::from_vec(nodes.map(|v| names[v as usize]).collect()).boxed()
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
    let graph = match (texts(src, "src"), texts(dst, "dst")) {
        (Some(src), Some(dst)) => {
            let (src, dst) = match (src, dst) {
                (Ok(src), Ok(dst)) => (src, dst),
                (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
            };
            let (graph, names) = numbered(&src, &dst, weights)?;
            Graph { graph, names: Names::Texts(names.into_iter().map(str::to_owned).collect()) }
        }
        (None, None) => match of_numbers::<i64>(src, dst, &weights)? {
            Err(why) => return Ok(Err(why)),
            Ok(Some((graph, names))) => Graph { graph, names: Names::Numbers(names.into()) },
            Ok(None) => match of_numbers::<u64>(src, dst, &weights)? {
                Ok(Some((graph, names))) => Graph { graph, names: Names::Unsigned(names.into()) },
                _ => return Ok(Err("nodes: some are below 0 and some beyond 63 bits".to_owned())),
            },
        },
        _ => return Ok(Err("src and dst are not of one type".to_owned())),
    };
    Ok(Ok(graph))
}

/// A graph of whole numbers; `None` where some are not within the range of `T`. The inner error is about their types.
#[expect(clippy::type_complexity, reason = "an error of work, one of types, and none of either")]
fn of_numbers<T: Ord + Copy + Send + TryFrom<i128>>(
    src: &[Chunk],
    dst: &[Chunk],
    weights: &Option<Vec<f32>>,
) -> Result<std::result::Result<Option<(Csr, Vec<T>)>, String>> {
    match (whole(src, "src"), whole(dst, "dst")) {
        (Ok(Some(src)), Ok(Some(dst))) => Ok(Ok(Some(numbered(&src, &dst, weights.clone())?))),
        (Err(why), _) | (_, Err(why)) => Ok(Err(why)),
        _ => Ok(Ok(None)),
    }
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
fn texts<'a>(chunks: &'a [Chunk], name: &str) -> Option<std::result::Result<Vec<&'a str>, String>> {
    let mut found = Vec::new();
    for chunk in chunks {
        let strings = Strings::of(&**chunk)?;
        for i in 0..chunk.len() {
            match strings.get(i).map(std::str::from_utf8) {
                Some(Ok(text)) => found.push(text),
                Some(Err(_)) => return Some(Err(format!("{name}[{}] is no UTF-8", found.len()))),
                None => return Some(Err(format!("{name}[{}] is null", found.len()))),
            }
        }
    }
    // A column without rows fits either kind.
    Some(Ok(found)).filter(|_| !chunks.is_empty())
}

/// Weights; each is a number of 32 bits, as graphs hold them: fractions are rounded, whole numbers must not be.
fn reals(chunks: &[Chunk]) -> std::result::Result<Vec<f32>, String> {
    let mut found: Vec<f32> = Vec::new();
    for chunk in chunks {
        let any = chunk.as_any();
        if let Some(at) = (0..chunk.len()).find(|&i| chunk.is_null(i)) {
            return Err(format!("weights[{}] is null", found.len() + at));
        } else if let Some(reals) = any.downcast_ref::<PrimitiveArray<f32>>() {
            found.extend(reals.values_iter().copied());
        } else {
            let reals: Vec<f64> = match any.downcast_ref::<PrimitiveArray<f64>>() {
                Some(reals) => reals.values_iter().copied().collect(),
                None => whole::<i64>(std::slice::from_ref(chunk), "weights")?
                    .ok_or("weights are beyond 63 bits")?
                    .into_iter()
                    .map(|weight| weight as f64)
                    .collect(),
            };
            for weight in reals {
                let held = weight as f32;
                if weight.is_finite()
                    && (held.is_infinite() || weight.fract() == 0.0 && f64::from(held) != weight)
                {
                    return Err(format!(
                        "weights[{}] = {weight} is beyond what weights hold exactly (32 bits: whole numbers to 2^24)",
                        found.len()
                    ));
                }
                found.push(held);
            }
        }
        if let Some(at) = found.iter().position(|weight| !(0.0..f32::INFINITY).contains(weight)) {
            return Err(format!("weights[{at}] = {} is no weight: numbers from 0 are", found[at]));
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
            memory: default_memory(),
        })
    })?;
    Ok(done.map_err(Fault::from)?)
}
