//! Duplicates: exact copies, near copies and the clusters they form.

mod accumulate;
mod fingerprint;

pub use fingerprint::{Fingerprint, SHINGLE_WORDS, SimHasher, simhash, simhash_weighted};
