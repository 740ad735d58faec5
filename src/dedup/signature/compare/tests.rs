use super::*;
use crate::signature::spotsigs::multiset_resemblance;
use crate::signature::{
    BandSignature, ExactSignature, ShingleSignature, SimHashSignature, SpotSignature, StructureSignature,
};
use proptest::prelude::*;
use webmill_html::{Limits, parse};

/// 40 families of texts of 80 words: the original and versions with 0 (other case), 1, 2, 4, 8 and 12 words changed.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for family in 0..40u64 {
        let word = |i: u64| {
            let hash = xxh3_64(&(family << 32 | i).to_le_bytes());
            if hash.is_multiple_of(3) { "the".to_owned() } else { format!("word{}", hash % 5000) }
        };
        let original: Vec<String> = (0..80).map(word).collect();
        texts.push(original.join(" "));
        for changes in [0, 1, 2, 4, 8, 12] {
            let mut changed = original.clone();
            (0..changes).for_each(|i| changed[6 * i + 3] = format!("changed{changes}x{i}f{family}"));
            texts.push(changed.join(" ").to_uppercase());
        }
    }
    texts
}

fn table(signatures: Vec<&dyn Signature>, texts: &[String], options: CompareOptions) -> ComparisonTable {
    let mut comparison = SignatureComparison::new(signatures, options).expect("settings are sound");
    for text in texts {
        comparison.add(&PageForms { text, language: Some("eng"), tree: None });
    }
    comparison.finish().expect("few steps")
}

#[test]
fn the_truth_finds_itself_and_others_a_share() {
    let (exact, simhash, spots) = (ExactSignature, SimHashSignature::default(), SpotSignature::default());
    let (shingles, bands) = (ShingleSignature::default(), BandSignature::default());
    let all: Vec<&dyn Signature> = vec![&exact, &simhash, &shingles, &spots, &bands];
    let found = table(all, &texts(), CompareOptions::default());
    assert_eq!((found.pages, found.left_out, found.rows.len()), (280, 0, 5));
    assert_eq!(found.known.iter().sum::<u64>(), 280 * 279 / 2);
    // Of each family the two equal texts with each other and with the one that has a word changed.
    assert_eq!(found.known[4], 120);
    let row = |name: &str| found.rows.iter().find(|row| row.signature == name).expect("a row a signature");
    let bands_name = format!("bands {}", crate::bands::BandShape::default());
    let recalls = |name: &str| -> Vec<f64> {
        (0..BANDS.len()).map(|band| row(name).recall(band).expect("pairs in every band")).collect()
    };
    assert_eq!(recalls("shingles"), [0.0, 0.0, 0.0, 1.0, 1.0]);
    assert_eq!((row("shingles").precision(3), row("shingles").is_estimate()), (Some(1.0), false));
    assert_eq!((row("exact").candidates(), row("exact").precision(4)), (40.0, Some(1.0)));
    assert!(recalls("simhash")[0] < 0.01 && recalls("simhash")[4] > 0.5);
    assert!(recalls("spotsigs")[0] < 0.01 && recalls("spotsigs")[3] > 0.9, "{:?}", recalls("spotsigs"));
    assert!(recalls(&bands_name)[4] > 0.99 && recalls(&bands_name)[0] < 0.001, "{:?}", recalls(&bands_name));
    let precisions: Vec<f64> = (0..BANDS.len()).filter_map(|band| row(&bands_name).precision(band)).collect();
    assert!(precisions[0] == 1.0 && precisions.is_sorted_by(|a, b| a >= b), "{precisions:?}");
}

/// A signature that is tried on samples, of what another one gives.
struct Dear<'s>(&'s dyn Signature);

impl Signature for Dear<'_> {
    fn name(&self) -> &str {
        "dear"
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        self.0.values(page, into);
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        self.0.similarity(a, b)
    }

    fn bound(&self) -> f64 {
        self.0.bound()
    }

    fn trial(&self) -> Trial {
        Trial::Sampled
    }
}

#[test]
fn dear_signatures_are_tried_on_samples_and_scaled_up() {
    let shingles = ShingleSignature::default();
    let dear = Dear(&shingles);
    let few = CompareOptions { pairs_per_band: 30, ..CompareOptions::default() };
    let found = table(vec![&dear, &shingles], &texts(), few);
    assert_eq!(found.rows[0].bands[4], BandCount { known: 120, tried: 30, taken: 30 });
    assert!(found.rows[0].is_estimate());
    assert_eq!(found.rows[0].candidates(), found.rows[1].candidates(), "all of the upper bands, none below");
    // A sample that holds all pairs is no estimate.
    let found = table(
        vec![&dear, &shingles],
        &texts(),
        CompareOptions { pairs_per_band: 50_000, ..Default::default() },
    );
    assert!(!found.rows[0].is_estimate());
    assert_eq!(found.rows[0].bands, found.rows[1].bands);
}

#[test]
fn pages_without_a_tree_are_no_pairs_of_the_structure() {
    let (structure, exact) = (StructureSignature::default(), ExactSignature);
    let tree = parse("<p>a<p>b", &Limits::default());
    let mut comparison =
        SignatureComparison::new(vec![&structure, &exact], CompareOptions::default()).unwrap();
    for (text, tree) in [("one two", Some(&tree)), ("three four", Some(&tree)), ("five", None)] {
        comparison.add(&PageForms { text, language: None, tree });
    }
    let found = comparison.finish().unwrap();
    let structure = &found.rows[0];
    assert_eq!((structure.pages, structure.bands[0]), (2, BandCount { known: 1, tried: 1, taken: 1 }));
    assert_eq!((structure.precision(3), found.rows[1].precision(3)), (Some(0.0), None));
}

#[test]
fn pages_past_the_memory_are_counted_and_too_many_steps_refused() {
    let shingles = ShingleSignature::default();
    let small = CompareOptions { memory_bytes: 256 << 10, ..CompareOptions::default() };
    let found = table(vec![&shingles], &texts(), small);
    assert!(found.left_out > 100 && found.pages + found.left_out == 280, "{}", found.left_out);
    let mut comparison =
        SignatureComparison::new(vec![&shingles], CompareOptions { max_steps: 10, ..Default::default() })
            .unwrap();
    texts().iter().for_each(|text| _ = comparison.add(&PageForms { text, ..Default::default() }));
    assert!(matches!(comparison.finish(), Err(Error::Limit(why)) if why.contains("fewer pages")));
}

#[test]
fn no_pages_give_rows_without_pairs() {
    let found = table(vec![&ExactSignature], &[], CompareOptions::default());
    assert!(
        found.rows.iter().all(|row| row.recall(4).is_none() && row.precision(0).is_none() && row.pages == 0)
    );
    let empty = vec![String::new(); 3];
    let found = table(vec![&ExactSignature, &ShingleSignature::default()], &empty, CompareOptions::default());
    assert_eq!(found.known, [3, 0, 0, 0, 0], "empty texts are no copies of each other");
    assert!(found.rows.iter().all(|row| row.candidates() == 0.0));
    assert!(CompareOptions { pairs_per_band: 0, ..Default::default() }.check().is_err());
    assert!(CompareOptions { shingle_words: 0, ..Default::default() }.check().is_err());
}

proptest! {
    #[test]
    fn counting_gives_the_resemblance_of_every_pair(lists in prop::collection::vec(prop::collection::vec(0u64..6, 0..8), 0..8)) {
        let mut all = Lists::default();
        let sorted: Vec<Vec<u64>> = lists.into_iter().map(|mut list| { list.sort_unstable(); list }).collect();
        sorted.iter().for_each(|list| all.push(list));
        let (index, mut counts) = (InvertedIndex::of(&all), Vec::new());
        for i in 0..sorted.len() {
            let found: Vec<f64> = index.resemblances(i, &mut counts).collect();
            let wanted: Vec<f64> = (0..i).map(|j| multiset_resemblance(&sorted[i], &sorted[j])).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
