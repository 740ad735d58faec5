//! Reading graphs in the BVGraph format of the WebGraph framework: `NAME.graph`, `NAME.properties`.
//!
//! **Format.** A stream of bits, the most significant first. Of each node: its outdegree; unless that is 0,
//! the reference r (how many nodes back lies the list it copies from, 0 for none); if r > 0, the blocks of
//! that list that are copied and skipped by turns; intervals of consecutive successors; the residual
//! successors as gaps. Each part has its own instantaneous code, named in the properties. Offsets are not
//! needed, since lists are read in order.
//!
//! **Cost.** One pass; the window of lists that may be referred to, and the graph itself. Every count is
//! checked against what can still be true, so a damaged file is an error and costs no memory.
//!
//! **Reference.** P. Boldi, S. Vigna, The WebGraph framework I: compression techniques, WWW 2004,
//! doi:10.1145/988672.988752.

mod bits;
mod properties;
mod read;
#[cfg(test)]
mod tests;

pub use read::read_bvgraph;
