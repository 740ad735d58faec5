use super::*;
use crate::SpotSigs;
use crate::signature::spotsigs::multiset_resemblance;
use proptest::prelude::*;

fn join(pages: &[Vec<u64>], options: ResemblanceOptions) -> (Vec<(u32, u32, f64)>, ResemblanceTotals) {
    let mut join = ResemblanceJoin::new(options).expect("settings are sound");
    for (page, signatures) in pages.iter().enumerate() {
        join.push(page as u32, signatures).expect("the disk takes it");
    }
    let mut pairs = Vec::new();
    let take = |pair: Resembling| {
        pairs.push((pair.a, pair.b, pair.resemblance));
        Ok(())
    };
    let totals = join.finish(take).expect("the disk takes it");
    pairs.sort_by(|x, y| x.partial_cmp(y).expect("no NaN"));
    (pairs, totals)
}

/// Stars of equal multisets, and all pairs of their representatives, compared one by one.
fn by_brute_force(pages: &[Vec<u64>], threshold: f64) -> Vec<(u32, u32, f64)> {
    let sorted: Vec<Vec<u64>> = pages
        .iter()
        .map(|page| {
            let mut page = page.clone();
            page.sort_unstable();
            page
        })
        .collect();
    let first = |i: usize| sorted.iter().position(|other| *other == sorted[i]).expect("itself");
    let mut pairs = Vec::new();
    for (i, page) in sorted.iter().enumerate() {
        if page.is_empty() {
            continue;
        }
        if first(i) != i {
            pairs.push((first(i) as u32, i as u32, 1.0));
            continue;
        }
        for j in (0..i).filter(|&j| first(j) == j) {
            let resemblance = multiset_resemblance(&sorted[j], page);
            if resemblance >= threshold && resemblance > 0.0 {
                pairs.push((j as u32, i as u32, resemblance));
            }
        }
    }
    pairs.sort_by(|x, y| x.partial_cmp(y).expect("no NaN"));
    pairs
}

fn unlimited(threshold: f64) -> ResemblanceOptions {
    let most = usize::MAX;
    ResemblanceOptions { threshold, most_candidates: most, most_pairs: most, ..Default::default() }
}

#[test]
fn settings_out_of_range_are_refused() {
    for wrong in [
        ResemblanceOptions { threshold: 0.0, ..Default::default() },
        ResemblanceOptions { threshold: f64::NAN, ..Default::default() },
        ResemblanceOptions { threshold: 1.1, ..Default::default() },
        ResemblanceOptions { most_candidates: 0, ..Default::default() },
        ResemblanceOptions { most_pairs: 0, ..Default::default() },
    ] {
        assert!(ResemblanceJoin::new(wrong).is_err());
    }
}

#[test]
fn pages_without_signatures_are_in_no_pair() {
    let (pairs, totals) = join(&[vec![], vec![], vec![5]], unlimited(0.05));
    assert_eq!((pairs.len(), totals.without, totals.pages), (0, 2, 1));
    assert_eq!(join(&[], unlimited(0.44)).1, ResemblanceTotals::default());
}

#[test]
fn a_hundred_thousand_equal_pages_are_a_star() {
    let page: Vec<u64> = (0..20).collect();
    let (pairs, totals) = join(&vec![page; 100_000], ResemblanceOptions::default());
    assert_eq!((pairs.len(), totals.equal, totals.compared, totals.cut), (99_999, 99_999, 0, 0));
    assert!(pairs.iter().enumerate().all(|(i, pair)| *pair == (0, i as u32 + 1, 1.0)));
}

#[test]
fn one_common_signature_on_all_pages_costs_nothing() {
    // Counted, the common one is the last to be looked up, and never reached.
    let pages: Vec<Vec<u64>> = (0..20_000u64)
        .map(|i| (0..10).map(|j| xxh3_64(&(10 * i + j).to_le_bytes())).chain([7]).collect())
        .collect();
    let (pairs, totals) = join(&pages, ResemblanceOptions::default());
    assert_eq!((pairs.len(), totals.cut), (0, 0));
    assert!(totals.compared < 20_000, "{}", totals.compared);
}

#[test]
fn heaps_of_one_template_are_cut_and_counted() {
    // 9 of 11 signatures are those of the template.
    let pages: Vec<Vec<u64>> =
        (0..5_000u64).map(|i| (0..9).chain([100 + 2 * i, 101 + 2 * i]).collect()).collect();
    let options = ResemblanceOptions { most_pairs: 20, ..Default::default() };
    let (pairs, totals) = join(&pages, options);
    assert!(totals.cut > 4_900 && totals.compared < 150_000, "{totals:?}");
    assert!(pairs.len() as u64 == totals.pairs && totals.pairs >= 4_900 * 20);
    assert!(pairs.iter().all(|pair| (pair.2 - 9.0 / 13.0).abs() < 1e-12));
}

#[test]
fn blocks_give_the_same_pairs_as_one() {
    // 3,000 pages of 100 to 160 elements in 1 MiB: many blocks. Neighbours share most of their elements.
    let pages: Vec<Vec<u64>> = (0..3_000u64)
        .map(|i| {
            let family = i / 3;
            let own = i % 3;
            (0..100 + family % 50)
                .map(|j| xxh3_64(&(family << 20 | j).to_le_bytes()))
                .chain((0..own * 5).map(|j| xxh3_64(&(i << 40 | j).to_le_bytes())))
                .collect()
        })
        .collect();
    let (whole, one) = join(&pages, unlimited(0.6));
    let (parts, many) = join(&pages, ResemblanceOptions { memory_bytes: 1 << 20, ..unlimited(0.6) });
    assert_eq!(one.blocks, 1);
    assert!(many.blocks > 5, "{}", many.blocks);
    assert_eq!(whole.len(), 3_000);
    assert_eq!(whole, parts);
}

#[test]
fn articles_in_other_frames_are_found_by_their_spots() {
    let article = "The river rose over the banks in the night and the people of the town had to leave their houses, \
                   which the water has now reached. The mayor said that the help of the army is on its way.";
    let other = "A painter from the south sold a picture of the sea to a museum in the north for a sum that nobody \
                 had expected, and the buyer has hung it in the hall.";
    let pages = [
        SpotSigs::of(&format!("News Sport Weather Login\n{article}\nImprint Contact"), Some("eng")),
        SpotSigs::of(&format!("{article}\nMore: Local Politics Economy Culture Travel"), Some("eng")),
        SpotSigs::of(&format!("News Sport Weather Login\n{other}\nImprint Contact"), Some("eng")),
    ];
    let lists: Vec<Vec<u64>> = pages.iter().map(|page| page.hashes().to_vec()).collect();
    let (pairs, _) = join(&lists, ResemblanceOptions::default());
    assert_eq!(pairs, [(0, 1, pages[0].resemblance(&pages[1]))]);
    // The chains of the last words, of which there are many in so short a text, reach into the frame.
    assert!(pairs[0].2 > 0.6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn pairs_are_those_of_brute_force(
        pages in prop::collection::vec(prop::collection::vec(0u64..14, 0..14), 0..40),
        threshold in prop_oneof![Just(0.44), Just(0.5), Just(1.0), Just(1.0 / 3.0), 0.05f64..1.0],
    ) {
        prop_assert_eq!(join(&pages, unlimited(threshold)).0, by_brute_force(&pages, threshold));
    }

    #[test]
    fn the_order_of_input_does_not_matter(pages in prop::collection::vec(prop::collection::vec(0u64..9, 1..9), 1..30)) {
        let mut join_backwards = ResemblanceJoin::new(unlimited(0.44))?;
        for (page, signatures) in pages.iter().enumerate().rev() {
            let turned: Vec<u64> = signatures.iter().rev().copied().collect();
            join_backwards.push(page as u32, &turned)?;
        }
        let mut pairs = Vec::new();
        join_backwards.finish(|pair| { pairs.push((pair.a, pair.b, pair.resemblance)); Ok(()) })?;
        pairs.sort_by(|x, y| x.partial_cmp(y).expect("no NaN"));
        prop_assert_eq!(pairs, join(&pages, unlimited(0.44)).0);
    }
}
