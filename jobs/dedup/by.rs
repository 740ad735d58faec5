//! `by`: the signatures that pairs are found by.

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};

use super::tables::{DuplicateKind, FoundBy, Membership};

/// A signature by name; see [`Signature`](webmill_dedup::Signature).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// MinHash bands over word shingles.
    Bands,
    /// SimHash within a Hamming distance.
    Simhash,
    /// Chains of words behind stop words.
    Spotsigs,
    /// Equal keywords.
    Semantic,
    /// Like markup.
    Structure,
}

/// The signatures that find near-duplicates.
pub const NEAR: [By; 2] = [By::Bands, By::Simhash];

impl By {
    /// What a pair that it finds is in table `duplicates`; the first two find near-duplicates.
    pub fn kind(self) -> DuplicateKind {
        match self {
            By::Bands | By::Simhash => DuplicateKind::Near,
            By::Spotsigs => DuplicateKind::Spotsigs,
            By::Semantic => DuplicateKind::Semantic,
            By::Structure => DuplicateKind::Structure,
        }
    }

    /// What a page is that joined its cluster by it, in table `clusters`.
    pub fn membership(self) -> Membership {
        match self {
            By::Bands | By::Simhash => Membership::Near,
            By::Spotsigs => Membership::Spotsigs,
            By::Semantic => Membership::Semantic,
            By::Structure => Membership::Structure,
        }
    }

    /// Whether it finds pairs of a kind of its own.
    pub fn is_further(self) -> bool {
        self.kind() != DuplicateKind::Near
    }

    /// How its pairs were found, in table `duplicates`.
    pub fn found_by(self) -> FoundBy {
        match self {
            By::Bands => FoundBy::Bands,
            By::Simhash => FoundBy::Simhash,
            By::Spotsigs => FoundBy::Spotsigs,
            By::Semantic => FoundBy::Semantic,
            By::Structure => FoundBy::Structure,
        }
    }
}

/// Refuses lists that are empty or name one twice, and settings that belong to a signature which is not among them.
pub(super) fn check(settings: &super::Dedup) -> Result<()> {
    let named = |by| settings.by.contains(&by);
    let twice = settings.by.iter().enumerate().any(|(i, by)| settings.by[..i].contains(by));
    let fault = if settings.by.is_empty() || twice {
        "by: signatures are named once each, one at least: bands, simhash, spotsigs, semantic, structure"
    } else if settings.cluster_by != NEAR && !settings.cluster_by.iter().all(|by| named(*by)) {
        "cluster_by names a signature that is not in by"
    } else if !settings.verify && (named(By::Bands) || !named(By::Simhash)) {
        "verify = false is for simhash without bands: pages that share a band are candidates, no more"
    } else if (settings.synonyms.is_some() || settings.parts_of_speech.is_some()) && !named(By::Semantic) {
        "synonyms and parts_of_speech are read for by = [\"semantic\"]"
    } else {
        return Ok(());
    };
    Err(Error::Config(fault.into()))
}
