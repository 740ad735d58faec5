//! Duplicates: exact copies, near copies and the clusters they form.
//!
//! [`TextDigest`] answers "is it the same text?", [`Fingerprint`] "may it be nearly the same?", [`Shingles`] "how much of
//! it is the same?". [`HammingJoin`] finds every pair of fingerprints within a distance without looking at all pairs, and
//! [`Clusterer`] turns verified pairs into clusters that depend on neither input order, shards nor threads.
//!
//! Which texts to compare: [`TextSigner`] makes SimHash and MinHash bands ([`BandShape`]) in one pass over the words, and
//! [`BandJoin`] verifies the candidates of the bands as they arrive, within a budget of memory, however many share a
//! bucket. It finds the near-duplicates that SimHash is too coarse for.
//!
//! Against a set that is known already there are [`BandJoin::with_earlier`], [`HammingJoin::run_between`] for many fingerprints,
//! [`FingerprintIndex`] for one at a time, [`Clusterer::update`] for the clusters, and [`write_fingerprints`] for the
//! disk.
//!
//! Parts of texts: [`PassageJoin`] finds the passages that two pages share, with their places, and [`Overlap`] says how
//! much of one text is in the other; [`TextDiff`] compares two texts word by word, for a terminal or as HTML;
//! [`RepeatedCount`] finds the lines and paragraphs that many pages have, and [`without_repeated`] leaves them out.
//!
//! # Examples
//!
//! Near-duplicates among texts, from the words to the clusters:
//!
//! ```
//! use webmill_dedup::{Clusterer, Fingerprint, ShingleVerifier, Shingles, pairs_within, simhash};
//!
//! let texts = [
//!     "The mill grinds the corpus of the Web into tables, slowly but finely, as mills do.",
//!     "The mill grinds the corpus of the Web into tables, slowly but finely, as all mills do.",
//!     "Whoever reads a page of the Web once need not read it again: the tables hold what was on it.",
//! ];
//! // Every text here has words, so every one has a fingerprint.
//! let fingerprints: Vec<Fingerprint> = texts.iter().filter_map(|text| simhash(text)).collect();
//! let candidates = pairs_within(&fingerprints, 24)?;
//! let shingles = |page: u32| Ok(Shingles::of(texts[page as usize], 3));
//! let verify = ShingleVerifier { shingles, bound: 0.6, most_loaded: 1000 };
//! let clusters = Clusterer::default().cluster(texts.len(), &[], &candidates, &verify)?;
//! let representatives: Vec<u32> = clusters.members.iter().map(|member| member.representative).collect();
//! assert_eq!(representatives, [0, 0, 2]);
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bands;
mod bands_join;
mod bands_known;
mod bands_rounds;
mod bands_stream;
mod bit_order;
mod cluster;
mod compare;
mod containment;
mod diff;
mod diff_chain;
mod diff_html;
mod diff_layout;
mod diff_terminal;
mod exact;
mod fingerprint;
mod group;
mod hamming;
mod keep;
mod measure;
mod minhash;
mod minhash_text;
mod mirrors;
mod mirrors_degree;
mod mirrors_sites;
mod online;
mod pairs;
mod passages;
mod passages_align;
mod passages_rows;
mod plan;
mod repeated;
mod repeated_blocks;
mod semantic;
mod shingle;
mod signature;
mod signature_compare;
mod spotsigs;
mod spotsigs_index;
mod spotsigs_join;
mod structure;
mod structure_lcs;
mod synonyms;
mod values;
mod varint;
mod verify;
mod winnow;
mod winnow_units;

pub use bands::{BANDS_VERSION, BandShape};
pub use bands_join::{BandJoin, BandJoinOptions, BandJoinTotals, BandMatch, BandMatches, Meeting};
pub use cluster::{Clusterer, Clusters, ExactPair, Joined, Member, Same, total_order};
pub use containment::{Contained, Overlap, overlaps};
pub use diff::{DiffOptions, Moved, Segment, TextDiff};
pub use diff_layout::DiffView;
pub use diff_terminal::use_color;
pub use exact::TextDigest;
pub use fingerprint::{Fingerprint, SHINGLE_WORDS, SimHasher, simhash, simhash_weighted};
pub use keep::{KeepPolicy, KeptPage, canonical_names};
pub use minhash::{MAX_MINHASH_VALUES, MINHASH_VALUES, MinHasher, SKETCH_VERSION, Sketch};
pub use minhash_text::{Signatures, TextSigner, text_bands};
pub use mirrors::{Mirror, MirrorKind, MirrorOptions, MirrorSearch, MirrorTotals, Site};
pub use mirrors_degree::MirrorDegrees;
pub use online::FingerprintIndex;
pub use pairs::{HammingJoin, JoinTotals, Pair, pairs_between, pairs_within};
pub use passages::{PassageCounts, PassageJoin, PassageOptions, PassagePairs};
pub use passages_rows::{PagePassages, Passage, passages};
pub use repeated::{Repeated, RepeatedCount, RepeatedCounts, RepeatedOptions, RepeatedRow};
pub use repeated_blocks::{BlockKind, Pruned, without_repeated};
pub use semantic::{PartsOfSpeech, Semantic, SemanticOptions};
pub use shingle::Shingles;
pub use signature::{
    ExactSignature, PageForms, ShingleSignature, Signature, SimHashSignature, SpotSignature,
    StructureSignature,
};
pub use signature_compare::{
    BANDS, CompareOptions, ComparedSignature, ComparisonTable, SignatureComparison, TRUTH_FROM,
};
pub use spotsigs::{CHINESE_ANTECEDENTS, MAX_SPOTS, SPOTSIGS_THRESHOLD, SpotSigs};
pub use spotsigs_join::{MAX_SIGNATURES, ResemblanceJoin, ResemblanceOptions, ResemblanceTotals, Resembling};
pub use structure::{MAX_TOKENS, OneTemplate, Structure, TemplateShare};
pub use synonyms::{MAX_WORD_CHARS, SynonymFault, SynonymNote, Synonyms};
pub use varint::{read_fingerprints, write_fingerprints};
pub use verify::{ShingleVerifier, Verify, WithinDistance};
pub use winnow::{WinnowOptions, Winnowed, gram_hashes, winnow};
pub use winnow_units::Units;
