//! One contract of a kernel, and the engine that runs it on one machine.
//!
//! **What.** A kernel maps a page to pairs of key and value, combines and reduces the values of a key. It does no I/O and knows no clock, so
//! that the same kernel runs here by threads and elsewhere by a cluster.
//!
//! **Reference.** J. Dean, S. Ghemawat, *MapReduce: simplified data processing on large clusters*, OSDI 2004.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]
