//! The web graph: who links to whom, and what follows from it.
//!
//! Pages are nodes, links are arcs; the same on the level of hosts and of registrable domains. A graph is
//! built by external sort ([`GraphBuilder`]), folded to hosts and domains ([`HostRanges`], [`fold()`]), kept in
//! one file ([`Csr::open`], [`CsrWriter`]), read from the formats in which graphs are published ([`load()`]) and
//! written in them ([`write_bvgraph`], [`EdgeList::write`], [`write_matrix`], [`Export`]). The kernels see
//! arrays only, owned or in a mapped file: [`PageRank`], [`Hits`], [`Salsa`], [`Harmonic`] (all measures of nodes behind
//! one trait: [`measure`]), [`HyperBall`], [`strong_components`], [`weak_components`],
//! [`bow_tie`], [`Degrees`], [`Distances`], [`Assortativity`]; around a query, [`BaseSet`] and [`Compile`]; where
//! a rank comes from, [`PageRank::explain`]; how rankings agree, [`kendall_tau`].
//!
//! Every result is the same, byte for byte, on any number of threads, and no score is ever not a number. What
//! cannot fit the memory allowed is refused beforehand, with an estimate.
//!
//! # Examples
//!
//! Ranks and the bow-tie of a list of links:
//!
//! ```
//! use std::path::Path;
//! use webmill_graph::{BowTiePart, EdgeOptions, PageRank, bow_tie, parse_edges, strong_components, top};
//!
//! let text = "http://a.org/ -> http://b.org/\nhttp://b.org/ -> http://c.org/\nhttp://c.org/ -> http://b.org/\n";
//! let list = parse_edges(text.as_bytes(), Path::new("links"), &EdgeOptions::default())?;
//! let names = list.names.expect("nodes that are URLs have names");
//! let transpose = list.graph.transpose();
//!
//! let ranks = PageRank::default().run(&list.graph, &transpose)?;
//! assert!(ranks.converged && ranks.error_bound <= 1e-10);
//! assert_eq!(names[top(&ranks.scores, 1)[0] as usize], "http://b.org/");
//!
//! let parts = bow_tie(&list.graph, &transpose, &strong_components(&list.graph)).parts;
//! assert_eq!(parts, [BowTiePart::In, BowTiePart::Core, BowTiePart::Core]);
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod array;
pub mod assortativity;
pub mod base_set;
pub mod bowtie;
pub mod builder;
pub mod bvgraph;
pub mod compile;
pub mod components;
pub mod correlation;
pub mod csr;
pub mod degrees;
pub mod distances;
pub mod edges;
pub mod explain;
pub mod export;
pub mod fold;
pub mod hosts;
pub mod hyperball;
mod lines;
pub mod load;
pub mod matrix_market;
pub mod measure;
pub mod paths;
pub mod power_law;
pub mod reciprocity;
mod sets;
pub mod store;
mod sweep;
mod transpose;
pub mod visit;

pub use array::Array;
pub use assortativity::{Assortativity, GroupLinks};
pub use base_set::{BaseSet, Focus};
pub use bowtie::{BowTie, BowTiePart, bow_tie, bow_tie_with};
pub use builder::{
    BuildCounts, BuildOptions, GraphBuilder, LinkInput, NumberedGraph, NumberedNode, Numbering, PageInput,
};
pub use bvgraph::{BvStats, read_bvgraph, write_bvgraph};
pub use compile::{Compile, Resources};
pub use components::{Components, strong_components, weak_components, weak_components_with};
pub use correlation::{Pairs, kendall_tau, top};
pub use csr::{Csr, Parallel, Weights};
pub use degrees::{Degrees, Histogram};
pub use distances::{DistanceSample, Distances, published_distance};
pub use edges::{Columns, EdgeList, EdgeOptions, parse_edges};
pub use explain::{Contribution, Explanation};
pub use export::Export;
pub use fold::{duplicates, fold, fold_csr, fold_file};
pub use hosts::{Groups, HostRanges, host_of};
pub use hyperball::{Balls, HyperBall};
pub use load::{Format, LoadedGraph, load, load_with};
pub use matrix_market::{read_matrix, write_matrix};
pub use measure::harmonic::{Centralities, EXACT_NODES, Harmonic, harmonic};
pub use measure::hits::{Hits, HubsAuthorities, Variant};
pub use measure::pagerank::{Dangling, PageRank, Ranks, Scale};
pub use measure::salsa::{Salsa, SalsaScores};
pub use paths::{Chains, Length, Search, dijkstra_bytes, shortest_chains};
pub use power_law::PowerLaw;
pub use reciprocity::Reciprocity;
pub use store::{CsrWriter, WeightKind};
pub use visit::{Arc, Arcs, TwoWay, VisitedNodes};

#[cfg(test)]
mod reference;
#[cfg(test)]
#[path = "../../benches/support/rmat.rs"]
mod rmat;
