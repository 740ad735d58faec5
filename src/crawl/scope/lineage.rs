//! Where a URL stands in a crawl, as far as rules ask for it.
//!
//! The depth is known of every URL. Its lineage (which seed it came from, how many links ago it left the site) is kept only
//! where a rule asks for it: without such rules it is empty, and an empty one takes no room in queue and event log. Of a URL
//! that several pages name the first one that was read counts, as for its depth. Where a rule asks for the first time in a
//! crawl that was begun without it, what waits by then has no lineage: it counts as on the site and of no seed.

use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;

use crate::page::plain;

/// What a URL inherits from the page that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lineage {
    /// Links since the site was left; 0 on the site, 255 for more.
    #[serde(skip_serializing_if = "is_zero")]
    pub off_site: u8,
    /// Mark of the seed ([`SeedMark`]); 0: not kept.
    #[serde(skip_serializing_if = "is_none")]
    pub seed: SeedMark,
}

/// A seed by the hash of its URL: it does not depend on which other seeds there are, nor on their order. 0 stands for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeedMark(pub u32);

impl SeedMark {
    /// The mark of a seed, as it was given.
    pub fn of(seed: &CanonicalUrl) -> SeedMark {
        let hash = xxhash_rust::xxh3::xxh3_64(plain(seed.clone()).as_str().as_bytes());
        SeedMark(((hash ^ (hash >> 32)) as u32).max(1))
    }
}

impl Lineage {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        *self == Lineage::default()
    }
}

/// Depth and lineage of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Links from a seed.
    pub depth: u32,
    /// What it inherits.
    pub lineage: Lineage,
}

impl From<u32> for Standing {
    fn from(depth: u32) -> Standing {
        Standing { depth, lineage: Lineage::default() }
    }
}

fn is_zero(n: &u8) -> bool {
    *n == 0
}

fn is_none(mark: &SeedMark) -> bool {
    mark.0 == 0
}
