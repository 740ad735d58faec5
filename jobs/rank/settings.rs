//! What the measures are computed with: the recipe's table `[rank]`, overridden by flags.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use webmill_capture::settings;
use webmill_capture::{Error, Result};
use webmill_graph::measure::MeasureSettings;
use webmill_graph::{Csr, Dangling, Harmonic, Hits, PageRank, Variant};

use super::teleport;
use crate::recipe::Settings;

settings! {
    /// Configuration of the job.
    pub struct Rank {
        /// PageRank's damping factor: the probability that the random walk follows a link.
        pub damping: f64 = 0.85;
        /// Greatest L1 distance of the PageRank vector to the true one.
        pub tolerance: f64 = 1e-12, within 1e-300..=2.0;
        /// Where the random walk goes from nodes without links.
        pub dangling: DanglingRank = DanglingRank::Teleport;
        /// Leave the graph and its transpose on disk, for graphs that are larger than memory: this takes 96 bytes
        /// of memory per node, 48 for PageRank alone (otherwise 72, and 4 to 8 per arc), and two to three times as
        /// long.
        pub lean: bool = false;
        /// File of the nodes to which the random walk jumps, instead of all: one URL or host per line, then a tab
        /// and its weight if that is not 1.
        pub teleport: Option<PathBuf> = None;
        /// hits, hub-averaging, authority-threshold, hub-threshold:K or full-threshold:K.
        pub hits_variant: String = "hits".into();
        /// Most iterations of HITS.
        pub hits_max_iterations: usize = 10_000, within 1..=1 << 24;
        /// Harmonic centrality is exact for levels of at most this many nodes, and is estimated for larger ones,
        /// which costs less.
        pub harmonic_exact_nodes: u64 = Harmonic::default().exact_nodes;
        /// What the files that are named here held: results depend on it.
        #[serde(skip_deserializing)]
        pub read: Vec<String> = Vec::new();
    }
}

/// Where the random walk goes from nodes without links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DanglingRank {
    /// It goes where teleporting goes.
    #[default]
    Teleport,
    /// It is spread uniformly, wherever teleporting goes.
    Uniform,
    /// It is lost.
    Lost,
}

impl Settings for Rank {
    const TABLE: &'static str = "rank";

    fn check(&self) -> Result<()> {
        if !(self.damping >= 0.0 && self.damping < 1.0) {
            return Err(Error::Config(format!("damping = {} is not from 0 to below 1", self.damping)));
        }
        variant(&self.hits_variant)?;
        match &self.teleport {
            Some(path) if !path.exists() => {
                Err(Error::Config(format!("teleport = {}: no such file", path.display())))
            }
            _ => Ok(()),
        }
    }
}

impl Rank {
    /// These settings with what the files that they name hold.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub fn with_contents(mut self) -> Result<Rank> {
        self.read.clear();
        if let Some(path) = &self.teleport {
            self.read.push(teleport::digest(path)?);
        }
        Ok(self)
    }

    /// The options for measures of `graph` within `memory` bytes, of which `others` are taken by the scores
    /// of other measures; `weighted` follows arcs by their weights.
    ///
    /// # Errors
    /// [`Error::Config`] for an unknown variant of HITS.
    pub fn measures<'a>(
        &self,
        graph: &Csr,
        (memory, others): (u64, u64),
        weighted: bool,
        vectors: &'a Vectors,
    ) -> Result<MeasureSettings<'a>> {
        let held = self.held(graph);
        let beside = memory.saturating_sub(2 * held);
        Ok(MeasureSettings {
            weighted,
            memory_bytes: Some(beside.saturating_sub(others)),
            pagerank: PageRank { weighted, ..self.pagerank(memory.saturating_sub(held), vectors) },
            hits: Hits {
                variant: variant(&self.hits_variant)?,
                max_iterations: self.hits_max_iterations,
                weighted,
                memory_bytes: Some(beside.saturating_sub(others)),
                ..Hits::default()
            },
            harmonic: Harmonic {
                exact_nodes: self.harmonic_exact_nodes,
                memory_bytes: Some(beside),
                ..Harmonic::default()
            },
        })
    }

    /// PageRank by these settings, in `memory` beside the graph and its transpose.
    pub fn pagerank<'a>(&self, memory: u64, vectors: &'a Vectors) -> PageRank<'a> {
        PageRank {
            damping: self.damping,
            tolerance: self.tolerance,
            dangling: match self.dangling {
                DanglingRank::Teleport => Dangling::Teleport,
                DanglingRank::Uniform => Dangling::Uniform,
                DanglingRank::Lost => Dangling::Lost,
            },
            teleport: vectors.teleport.as_deref(),
            memory_bytes: Some(memory),
            lean: self.lean,
            ..PageRank::default()
        }
    }

    /// Bytes of memory that a graph or its transpose takes.
    pub fn held(&self, graph: &Csr) -> u64 {
        if self.lean { graph.owned_bytes() } else { graph.bytes() }
    }

    /// The transpose of a graph: in memory, or on disk in `folder`, made in `memory` bytes.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn transpose(&self, graph: &Csr, memory: u64, folder: &Path) -> Result<Csr> {
        if self.lean { graph.transpose_on_disk(memory, folder) } else { Ok(graph.transpose()) }
    }

    /// Where memory is short, says what takes less.
    pub fn leaner(&self, error: Error) -> Error {
        match error {
            Error::Limit(why) if !self.lean => {
                Error::Limit(format!("{why}; with --lean graph and transpose stay on disk"))
            }
            other => other,
        }
    }
}

/// Vectors that PageRank is given.
#[derive(Debug, Default)]
pub struct Vectors {
    /// Weight of each node when teleporting.
    pub teleport: Option<Vec<f64>>,
}

fn variant(name: &str) -> Result<Variant> {
    let (kind, best) = match name.split_once(':') {
        Some((kind, best)) => (kind, best.parse().ok().filter(|k| *k > 0)),
        None => (name, None),
    };
    match (kind, best, name.contains(':')) {
        ("hits", _, false) => Ok(Variant::Hits),
        ("hub-averaging", _, false) => Ok(Variant::HubAveraging),
        ("authority-threshold", _, false) => Ok(Variant::AuthorityThreshold),
        ("hub-threshold", Some(best), _) => Ok(Variant::HubThreshold(best)),
        ("full-threshold", Some(best), _) => Ok(Variant::FullThreshold(best)),
        _ => Err(Error::Config(format!(
            "{name} is no kind of HITS: hits, hub-averaging, authority-threshold, hub-threshold:K, full-threshold:K"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants() {
        assert_eq!(variant("hub-threshold:10").unwrap(), Variant::HubThreshold(10));
        assert_eq!(variant("hub-averaging").unwrap(), Variant::HubAveraging);
        for bad in ["", "hub-threshold", "hub-threshold:0", "hub-threshold:x", "hits:3", "salsa"] {
            assert!(variant(bad).unwrap_err().to_string().contains("no kind of HITS"), "{bad}");
        }
    }
}
