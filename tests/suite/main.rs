//! The one integration-test binary: what holds of the whole, seen from outside.

mod bad_input;
mod datasets;
mod demo;
mod determinism;
mod layers;
mod resume;
mod shard;
mod support;
