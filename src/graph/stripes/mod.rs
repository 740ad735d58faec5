//! PageRank of graphs that are larger than the memory.
//!
//! **Algorithm.** The nodes are cut into *stripes* of consecutive ones. The arcs are written once into scratch files, one a
//! stripe of their targets, by source (in `build`). A sweep goes through the stripes: it holds a sum for each node of one
//! stripe, reads its arcs and, beside them, what their sources give, both in sequence, and writes the new values of the
//! stripe to disk. Later stripes see the new values of earlier ones (block Gauss–Seidel). Arcs inside a block of 2^13 nodes, most
//! of the Web's, are kept aside and followed node by node when the block is written, so that they carry new values at once (in
//! `local`). Nothing in memory grows with the graph but one stripe, and each arc is read once a sweep. Within a stripe the arcs are cut once more, by segments of 2^16
//! sources and, for threads, by lanes of targets; the cells lie along a curve that keeps both ends of arcs close by (in
//! `code`).
//!
//! **Cost.** A sweep reads the coded arcs (1.2 to 2.5 bytes each, as a rule; weights besides), 16 bytes a node and, at most,
//! 8 bytes for each node with arcs and stripe: stripes to which a segment of sources has no arc do not read it. It writes 8
//! bytes a node and 8 for each with arcs. Memory: 8 bytes a node of the greatest stripe, and
//! [some buffers](StripedPageRank::memory_estimate). Disk: the coded arcs and 24 bytes a node, 8 more with a teleport
//! vector. Without links inside blocks it takes as many sweeps as the power method with one stripe, fewer with more.
//!
//! **Determinism.** Cuts depend on the graph and on the number of stripes; sums are added in the order of sources: the same
//! bytes on any number of threads. Another number of stripes agrees within the error bounds, not in all bits.
//!
//! **Stopping rule.** That of the [in-memory runs](super::pagerank) in little memory, which holds as long as each value was
//! computed from values at most one sweep old: with Δ the change of a sweep that began with the sum Y₀ and ended with Y, the
//! L1 distance of y / Y to the true ranks is at most (d‖Δ‖₁ + (1 − d)|Y − Y₀|) / ((1 − d) Y); where dangling rank is lost,
//! d‖Δ‖₁ / (1 − d).
//!
//! **Errors.** Each record of a scratch file has checksums, and each array of the graph file; what does not match stops the
//! run. Scratch files have no name, so they vanish however the process ends.
//!
//! **Reference.** T. H. Haveliwala, Efficient computation of PageRank, Stanford University (1999),
//! <http://ilpubs.stanford.edu:8090/386/>. Y.-Y. Chen, Q. Gan, T. Suel, I/O-efficient techniques for computing PageRank,
//! *CIKM* (2002), doi:10.1145/584792.584882. G. M. Morton, A computer oriented geodetic data base and a new technique in file
//! sequencing, IBM (1966).
//!
//! # Examples
//! ```
//! use webmill_graph::{Csr, GraphFile, StripedPageRank};
//!
//! let folder = tempfile::tempdir().expect("a folder");
//! Csr::from_arcs(3, [(0, 1), (0, 2), (1, 2), (2, 0)])?.write(folder.path().join("g.csr"))?;
//! let settings = StripedPageRank { stripes: 2, folder: folder.path().to_path_buf(), ..StripedPageRank::default() };
//! let ranks = settings.run(&GraphFile::open(folder.path().join("g.csr"))?, None, &mut |_| Ok(()))?;
//! assert!(ranks.converged && ranks.error_bound <= 1e-10);
//! let scores = ranks.to_vec()?;
//! assert!(scores[2] > scores[0] && scores[0] > scores[1]);
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```

mod build;
mod code;
mod local;
mod record;
mod scratch;
mod solve;
mod source;

use super::pagerank::{Dangling, Scale};
use super::store::WeightKind;
use super::sweep::Compensated;
use build::{MAX_STRIPES, build, widest};
use code::Stored;
use scratch::{CHUNK, Numbers};
use solve::Vectors;
pub use source::GraphFile;
use std::path::PathBuf;
use webmill_capture::error::{Error, Result};

/// A computation of PageRank from disk: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug)]
pub struct StripedPageRank {
    /// Damping d, in [0, 1). Default 0.85.
    pub damping: f64,
    /// Greatest L1 distance to the true ranks, on the scale with sum 1. Default 1e-10.
    pub tolerance: f64,
    /// Sweeps after which to stop, whatever the bound. Default 1000.
    pub max_iterations: usize,
    /// Scale of the scores.
    pub scale: Scale,
    /// Rank of dangling nodes.
    pub dangling: Dangling,
    /// Follow arcs in proportion to their weights, where there are any. Default true.
    pub weighted: bool,
    /// Stripes, from 1 to 4096: the more, the less memory; a few save sweeps, many cost reading. Default 8.
    pub stripes: usize,
    /// Memory that a run may take: with less it is refused, since results must not hang on it. Default no limit.
    pub memory_bytes: Option<u64>,
    /// Existing folder that takes the scratch files. Default the system's temporary folder.
    pub folder: PathBuf,
}

impl Default for StripedPageRank {
    fn default() -> Self {
        StripedPageRank {
            damping: 0.85,
            tolerance: 1e-10,
            max_iterations: 1000,
            scale: Scale::default(),
            dangling: Dangling::default(),
            weighted: true,
            stripes: 8,
            memory_bytes: None,
            folder: std::env::temp_dir(),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sweep {
    /// Sweeps made.
    pub number: usize,
    /// Proven bound of the L1 distance to the true ranks.
    pub error_bound: f64,
}

/// Ranks on disk and how good they are.
#[non_exhaustive]
pub struct StripedRanks {
    y: Numbers,
    nodes: u64,
    factor: f64,
    /// Sweeps over the graph.
    pub iterations: usize,
    /// Proven bound of the L1 distance to the true ranks, on the scale with sum 1.
    pub error_bound: f64,
    /// Is the bound within the tolerance?
    pub converged: bool,
    /// Bytes of all coded arcs: what a sweep reads of them.
    pub arc_bytes: u64,
}

/// Buffers of a run, without weights and with.
const BUFFERS: [u64; 2] = [32 << 20, 48 << 20];

impl StripedPageRank {
    /// Bytes of memory that a run takes.
    pub fn memory_estimate(&self, graph: &GraphFile) -> u64 {
        self.estimate(graph, self.stripes)
    }

    /// The least number of stripes that fit so many bytes, if any does.
    pub fn stripes_within(&self, graph: &GraphFile, memory_bytes: u64) -> Option<usize> {
        (1..=MAX_STRIPES).find(|&stripes| self.estimate(graph, stripes) <= memory_bytes)
    }

    fn estimate(&self, graph: &GraphFile, stripes: usize) -> u64 {
        let weighted = self.stored(graph) != Stored::Nothing;
        8 * widest(graph.num_nodes() as u64, stripes) + BUFFERS[usize::from(weighted)]
    }

    fn stored(&self, graph: &GraphFile) -> Stored {
        match graph.weights() {
            _ if !self.weighted => Stored::Nothing,
            WeightKind::None => Stored::Nothing,
            WeightKind::Counts => Stored::Count,
            WeightKind::Reals => Stored::Real,
        }
    }

    /// Ranks the nodes of a graph file. `teleport` gives the teleport vector, an entry a node, which need not be
    /// normalised; without it is uniform. `each` is told of each sweep, and may end the run by an error.
    ///
    /// # Errors
    /// [`Error::Config`] for settings outside their range, and a teleport vector of another length or with values that are
    /// negative, infinite or not numbers; [`Error::Limit`] with a number of stripes that fits if this one does not fit the
    /// memory allowed; [`Error::Corrupt`] for a damaged graph file or scratch file; [`Error::Io`] if the disk refuses.
    pub fn run(
        &self,
        graph: &GraphFile,
        teleport: Option<&mut dyn Iterator<Item = Result<f64>>>,
        each: &mut dyn FnMut(&Sweep) -> Result<()>,
    ) -> Result<StripedRanks> {
        self.check(graph)?;
        let nodes = graph.num_nodes() as u64;
        let teleport = teleport.map(|vector| self.teleport(vector, nodes)).transpose()?;
        let striped = build(graph, self.stored(graph), self.stripes, &self.folder)?;
        let arc_bytes = striped.stripes.iter().map(|stripe| stripe.arcs.length + stripe.local.length).sum();
        let (vectors, first) = Vectors::begin(&striped, self, teleport)?;
        if nodes == 0 {
            return Ok(StripedRanks {
                y: vectors.y,
                nodes,
                factor: 1.0,
                iterations: 0,
                error_bound: 0.0,
                converged: true,
                arc_bytes,
            });
        }
        let reached = self.sweeps(&striped, &vectors, first, each)?;
        let total = if self.dangling == Dangling::Lost { 1.0 } else { reached.total };
        let unit = if self.scale == Scale::Classical { nodes as f64 } else { 1.0 };
        let (iterations, error_bound) = (reached.last.number, reached.last.error_bound);
        Ok(StripedRanks {
            y: vectors.y,
            nodes,
            factor: unit / total,
            iterations,
            error_bound,
            converged: error_bound <= self.tolerance,
            arc_bytes,
        })
    }

    fn check(&self, graph: &GraphFile) -> Result<()> {
        let wrong = |what: String| Err(Error::Config(what));
        if !(0.0..1.0).contains(&self.damping) {
            return wrong(format!("damping {} is not in [0, 1)", self.damping));
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return wrong(format!("tolerance {} is not a positive number", self.tolerance));
        }
        if !(1..=MAX_STRIPES).contains(&self.stripes) {
            return wrong(format!("{} stripes: from 1 to {MAX_STRIPES} are possible", self.stripes));
        }
        let Some(allowed) = self.memory_bytes else { return Ok(()) };
        let takes = self.memory_estimate(graph);
        if takes <= allowed {
            return Ok(());
        }
        let advice = match self.stripes_within(graph, allowed) {
            Some(stripes) => format!("take {stripes} stripes or more, or raise the memory"),
            None => "raise the memory".to_owned(),
        };
        Err(Error::Limit(format!(
            "ranking {} nodes in {} stripes takes {} MiB, more than the {} MiB allowed: {advice}",
            graph.num_nodes(),
            self.stripes,
            takes.div_ceil(1 << 20),
            allowed >> 20
        )))
    }

    /// The teleport vector on disk, and what normalises it.
    fn teleport(&self, vector: &mut dyn Iterator<Item = Result<f64>>, nodes: u64) -> Result<(Numbers, f64)> {
        let numbers = Numbers::new(&self.folder)?;
        let (mut writer, mut sum) = (numbers.writer(), Compensated::default());
        for entry in vector {
            let entry = entry?;
            if !(entry.is_finite() && entry >= 0.0) {
                return Err(Error::Config(format!(
                    "the teleport vector has {entry} at node {}",
                    writer.len()
                )));
            }
            sum.add(entry);
            writer.push(entry)?;
        }
        writer.flush()?;
        if writer.len() != nodes {
            let what = format!("the teleport vector has {} entries for {nodes} nodes", writer.len());
            return Err(Error::Config(what));
        }
        let sum = sum.value();
        if nodes > 0 && !(1e-100..1e100).contains(&sum) {
            return Err(Error::Config(format!("the teleport vector has the sum {sum}")));
        }
        Ok((numbers, 1.0 / sum))
    }
}

impl StripedRanks {
    /// Nodes.
    pub fn num_nodes(&self) -> usize {
        self.nodes as usize
    }

    /// Calls `each` with the score of every node, in order.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk refuses, and what `each` returns.
    pub fn each(&self, mut each: impl FnMut(u32, f64) -> Result<()>) -> Result<()> {
        let mut chunk = vec![0.0; CHUNK];
        let mut at = 0;
        while at < self.nodes {
            let many = (self.nodes - at).min(CHUNK as u64) as usize;
            self.y.read(at, &mut chunk[..many])?;
            for (node, y) in (at as u32..).zip(&chunk[..many]) {
                each(node, y * self.factor)?;
            }
            at += many as u64;
        }
        Ok(())
    }

    /// The scores of all nodes in memory.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk refuses.
    pub fn to_vec(&self) -> Result<Vec<f64>> {
        let mut scores = Vec::with_capacity(self.nodes as usize);
        self.each(|_, score| {
            scores.push(score);
            Ok(())
        })?;
        Ok(scores)
    }
}

#[cfg(test)]
mod tests;
