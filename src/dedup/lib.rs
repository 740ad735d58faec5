//! Duplicates: exact copies, near copies and the clusters they form.
//!
//! [`TextDigest`] answers "is it the same text?", [`Fingerprint`] "may it be nearly the same?", [`Shingles`] "how much of
//! it is the same?". [`HammingJoin`] finds every pair of fingerprints within a distance without looking at all pairs, and
//! [`Clusterer`] turns verified pairs into clusters that depend on neither input order, shards nor threads.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accumulate;
mod cluster;
mod exact;
mod fingerprint;
mod hamming;
mod online;
mod pairs;
mod plan;
mod shingle;
mod values;
mod varint;
mod verify;

pub use cluster::{Clusterer, Clusters, ExactPair, Joined, Member, Same, total_order};
pub use exact::TextDigest;
pub use fingerprint::{Fingerprint, SHINGLE_WORDS, SimHasher, simhash, simhash_weighted};
pub use online::FingerprintIndex;
pub use pairs::{HammingJoin, Pair, pairs_between, pairs_within};
pub use shingle::Shingles;
pub use varint::{read_fingerprints, write_fingerprints};
pub use verify::{ShingleVerifier, Verify, WithinDistance};
