//! Duplicates: exact copies, near copies and the clusters they form.
//!
//! [`TextDigest`] answers "is it the same text?", [`Fingerprint`] "may it be nearly the same?", [`Shingles`] "how much of
//! it is the same?". [`HammingJoin`] finds every pair of fingerprints within a distance without looking at all pairs, and
//! [`Clusters`] are made of verified pairs; they depend on neither input order, shards nor threads.
//!
//! Which texts to compare: [`TextSigner`] makes SimHash and MinHash bands ([`BandShape`]) in one pass over the words, and
//! [`BandJoin`] verifies the candidates of the bands as they arrive, within a budget of memory, however many share a
//! bucket. It finds the near-duplicates that SimHash is too coarse for.
//!
//! Against a set that is known already there are [`BandJoin::with_earlier`] and [`FingerprintIndex`].
//!
//! Parts of texts: [`PassageJoin`] finds the passages that two pages share, with their places, and [`Overlap`] says how
//! much of one text is in the other;
//! [`RepeatedCount`] finds the lines and paragraphs that many pages have, and [`without_repeated`] leaves them out.
//!
//! # Examples
//!
//! Near-duplicates among texts, from the words to the clusters:
//!
//! ```
//! use webmill_dedup::{BandJoin, BandJoinOptions, BandShape, Clusters, CopyClasses, NearPair, Shingles, text_bands};
//! use webmill_sort::Budget;
//!
//! let texts = [
//!     "The mill grinds the corpus of the Web into tables, slowly but finely, as mills do.",
//!     "The mill grinds the corpus of the Web into tables, slowly but finely, as all mills do.",
//!     "Whoever reads a page of the Web once need not read it again: the tables hold what was on it.",
//! ];
//! let shape: BandShape = "32x4".parse()?; // short texts, low bound
//! let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(1 << 20));
//! for (page, text) in texts.iter().enumerate() {
//!     join.push(page as u32, &text_bands(text, &shape).unwrap_or_default())?;
//! }
//! let similar = |a: u32, b: u32| {
//!     let resemblance = Shingles::of(texts[a as usize], 3).resemblance(&Shingles::of(texts[b as usize], 3));
//!     (resemblance >= 0.6).then_some(resemblance as f32)
//! };
//! let matches = join.run(|meetings, verdicts| {
//!     for (meeting, verdict) in meetings.iter().zip(verdicts) {
//!         *verdict = similar(meeting.representative, meeting.page);
//!     }
//!     Ok(())
//! })?;
//! let mut near: Vec<NearPair> = matches
//!     .map(|found| found.map(|f| NearPair { later: f.page, first: f.representative, similarity: f.similarity }))
//!     .collect::<Result<_, _>>()?;
//! near.sort_by_key(|pair| (pair.later, pair.first));
//! let copies = CopyClasses::of(texts.len(), [])?;
//! let clusters = Clusters::of(&copies, &near, Some(|a, b| Ok(similar(a, b))))?;
//! let representatives: Vec<u32> = clusters.members.iter().map(|member| member.representative).collect();
//! assert_eq!(representatives, [0, 0, 2]);
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bands;
mod cluster;
mod containment;
mod exact;
mod fingerprint;
mod hamming;
mod keep;
mod minhash;
mod mirrors;
mod passages;
mod repeated;
mod shingle;
mod signature;

pub use bands::join::{
    BandJoin, BandJoinOptions, BandJoinTotals, BandMatch, BandMatches, Meeting, SURELY_WHOLE,
};
pub use bands::{BANDS_VERSION, BandChoice, BandShape};
pub use cluster::{Clusters, CopyClasses, ExactPair, Joined, MOST_TRIED, Member, NearPair, Same};
pub use containment::Overlap;
pub use exact::TextDigest;
pub use fingerprint::{Fingerprint, SHINGLE_WORDS, SimHasher, simhash, simhash_weighted};
pub use hamming::online::FingerprintIndex;
pub use hamming::{HammingJoin, JoinTotals, Pair};
pub use keep::{KeepKey, KeepPolicy, KeptPage};
pub use minhash::text_signer::{Signatures, TextSigner, text_bands};
pub use minhash::{MAX_MINHASH_VALUES, MINHASH_VALUES, MinHasher, Sketch};
pub use mirrors::degree::MirrorDegrees;
pub use mirrors::{Mirror, MirrorKind, MirrorOptions, MirrorSearch, MirrorTotals, Site};
pub use passages::rows::{PagePassages, Passage, passages};
pub use passages::units::Units;
pub use passages::winnow::{WinnowOptions, Winnowed, gram_hashes, winnow};
pub use passages::{PassageCounts, PassageJoin, PassageOptions, PassagePairs};
pub use repeated::blocks::{BlockKind, Pruned, without_repeated};
pub use repeated::{Repeated, RepeatedCount, RepeatedCounts, RepeatedOptions, RepeatedRow};
pub use shingle::Shingles;
pub use signature::bands::Bands;
pub use signature::semantic::{PartsOfSpeech, SEMANTIC_CHARS, SEMANTIC_KEYWORDS, Semantic};
pub use signature::simhash::{NearBuckets, SimHash, near_buckets};
pub use signature::spotsigs::{CHINESE_ANTECEDENTS, MAX_SPOTS, SPOTSIGS_THRESHOLD, SpotSignature, SpotSigs};
pub use signature::structure::{MAX_TOKENS, Structure, StructureSignature, TemplateShare};
pub use signature::synonyms::{MAX_WORD_CHARS, Synonyms};
pub use signature::{PageParts, Signature};
