//! The web graph: who links to whom, and what follows from it.
mod array;
mod bowtie;
mod bvgraph;
mod components;
mod csr;
mod hits;
mod pagerank;
mod store;
mod sweep;
pub use array::Array;
pub use bowtie::{BowTie, Part, bow_tie};
pub use bvgraph::read_bvgraph;
pub use components::{Components, strong_components, weak_components};
pub use csr::{Csr, Graph, Weights};
pub use hits::{Hits, HubsAuthorities, Variant};
pub use pagerank::{Dangling, PageRank, Ranks, Scale, memory_estimate};
pub use store::{CsrWriter, WeightKind};
