//! The BVGraph format of the WebGraph framework: `NAME.graph`, `NAME.offsets`, `NAME.properties`.
//!
//! **Format.** A stream of bits, the most significant first. Of each node: its outdegree; unless that is 0,
//! the reference r (how many nodes back lies the list it copies from, 0 for none); if r > 0, the blocks of
//! that list that are copied and skipped by turns; intervals of consecutive successors; the residual
//! successors as gaps. Each part has its own instantaneous code, named in the properties. The offsets are the
//! lengths of the lists in bits, γ-coded; the framework needs them for random access. Weights cannot be stored.
//!
//! **Reading.** One pass; the graph itself, which [`estimate`] tells beforehand. Every count is checked
//! against what can still be true, so a damaged file is an error and costs no memory.
//!
//! **Writing.** In chunks of [`CHUNK_WORK`] arcs and nodes, each thread one; a list copies from its chunk only, so
//! threads need not wait and the bytes do not depend on them. A graph of one chunk comes out bit for bit as the
//! framework writes it. Memory for one chunk a thread, whatever the graph.
//!
//! **Reference.** P. Boldi, S. Vigna, The WebGraph framework I: compression techniques, WWW 2004,
//! doi:10.1145/988672.988752.

mod bit_writer;
mod bits;
mod encode;
mod properties;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use encode::BvParts;
pub use read::{estimate, read_bvgraph};
pub use write::{BvStats, CHUNK_WORK, write_bvgraph};

use std::path::{Path, PathBuf};

/// How lists are compressed. The default is the framework's; tests take others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BvOptions {
    /// How many nodes back a list may copy from; 0 for never.
    window: usize,
    /// How many lists may copy one from another in a row, which bounds the time of random access.
    max_references: u32,
    /// From how many consecutive successors on they are an interval; 0 for never.
    min_interval: usize,
    /// Parameter of the ζ code of residuals, 1 to 7. 3 suits page graphs, more suits graphs in no order.
    zeta: u32,
}

impl Default for BvOptions {
    fn default() -> Self {
        BvOptions { window: 7, max_references: 3, min_interval: 4, zeta: 3 }
    }
}

/// `basename` with `.graph`, `.offsets` or `.properties` after it.
fn with_extension(basename: &Path, extension: &str) -> PathBuf {
    let mut path = basename.as_os_str().to_owned();
    path.push(extension);
    PathBuf::from(path)
}
