use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Pages = Vec<(u32, Vec<u64>)>;

/// A verdict that is a function of the pair: some are duplicates, some are not.
fn verdict(a: u32, b: u32) -> Option<f32> {
    let mixed = crate::minhash::mix(u64::from(a) << 32 | u64::from(b));
    mixed.is_multiple_of(3).then_some((mixed >> 40) as f32)
}

fn options(most_representatives: u32, whole_buckets: u32) -> BandJoinOptions {
    BandJoinOptions { most_representatives, whole_buckets }
}

/// What a join gave: matches with their similarity, totals, pages that were cut.
type Outcome = (Vec<(u32, u32, u32)>, BandJoinTotals, Vec<u32>);

fn outcome(matches: BandMatches) -> Outcome {
    let totals = *matches.totals();
    let cut = (0..1 << 16).filter(|&page| matches.was_cut(page)).collect();
    let pairs = matches.map(|found| found.unwrap());
    (pairs.map(|found| (found.representative, found.page, found.similarity.to_bits())).collect(), totals, cut)
}

fn join(options: &BandJoinOptions, budget: &Budget, fresh: &Pages, earlier: Option<&Pages>) -> Outcome {
    let mut join = match earlier {
        None => BandJoin::new(options, budget),
        Some(_) => BandJoin::with_earlier(options, budget),
    };
    for (page, bands) in fresh {
        join.push(*page, bands).unwrap();
    }
    for (page, bands) in earlier.into_iter().flatten() {
        join.push_earlier(*page, bands).unwrap();
    }
    outcome(join.run(ask(verdict)).unwrap())
}

/// Answers every meeting by a function of the pair.
fn ask(
    verdict: impl Fn(u32, u32) -> Option<f32>,
) -> impl FnMut(&[Meeting], &mut [Option<f32>]) -> Result<()> {
    move |meetings, verdicts| {
        assert!(meetings.is_sorted_by(|a, b| a < b), "unique, by representative and page");
        for (meeting, answer) in meetings.iter().zip(verdicts) {
            assert!(meeting.representative < meeting.page && answer.is_none());
            *answer = verdict(meeting.representative, meeting.page);
        }
        Ok(())
    }
}

/// The definition, literally, over buckets that hold a page of `fresh`.
fn by_definition(options: &BandJoinOptions, pages: &Pages, fresh: impl Fn(u32) -> bool) -> Outcome {
    let mut buckets: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
    for (page, bands) in pages {
        bands.iter().for_each(|&band| {
            buckets.entry(band).or_default().insert(*page);
        });
    }
    let (mut matches, mut cut, mut totals) = (BTreeSet::new(), BTreeSet::new(), BandJoinTotals::default());
    for bucket in buckets.values().filter(|bucket| bucket.iter().any(|&page| fresh(page))) {
        totals.buckets += u64::from(bucket.len() > 1);
        totals.largest_bucket = totals.largest_bucket.max(bucket.len() as u64);
        let whole = bucket.len() <= options.whole_buckets as usize;
        let (mut representatives, mut capped) = (Vec::new(), false);
        for &page in bucket {
            let mut accepted = false;
            for &representative in &representatives {
                totals.meetings += 1;
                if let Some(similarity) = verdict(representative, page) {
                    if fresh(representative) || fresh(page) {
                        matches.insert((representative, page, similarity.to_bits()));
                    }
                    accepted = true;
                    if !whole {
                        break;
                    }
                }
            }
            if whole || !accepted && representatives.len() < options.most_representatives as usize {
                representatives.push(page);
            } else if !accepted {
                capped = true;
                totals.capped_meetings += 1;
                cut.insert(page);
            }
        }
        totals.capped_buckets += u64::from(capped);
    }
    totals.capped_pages = cut.len() as u64;
    (matches.into_iter().collect(), totals, cut.into_iter().collect())
}

/// All but the number of verifications, which depends on memory.
fn without_verifications(mut outcome: Outcome) -> Outcome {
    outcome.1.verifications = 0;
    outcome
}

fn any_pages() -> impl Strategy<Value = Pages> {
    let scattered = (0u64..60).prop_map(crate::minhash::mix);
    let bands = prop::collection::vec(prop_oneof![0u64..4, scattered], 0..5);
    prop::collection::btree_map(0u32..120, bands, 0..90).prop_map(|pages| pages.into_iter().collect())
}

proptest! {
    #[test]
    fn is_what_the_definition_says(pages in any_pages(), most in 1u32..12, whole in prop_oneof![Just(0u32), 2u32..8]) {
        let options = options(most, whole);
        let expected = by_definition(&options, &pages, |_| true);
        let found = join(&options, &Budget::new(1 << 20), &pages, None);
        prop_assert!(found.1.verifications <= found.1.meetings);
        prop_assert_eq!(without_verifications(found), expected);
    }

    #[test]
    fn neither_order_nor_repetition_nor_the_size_of_chunks_counts(
        pages in any_pages().prop_shuffle(), most in 1u32..12, chunk in 1usize..30,
    ) {
        let mut entries = Sorter::new(&Budget::new(1 << 16));
        for (page, bands) in pages.iter().chain(&pages) {
            entries.extend(bands.iter().map(|&band| entry(band, *page))).unwrap();
        }
        let mut entries = Entries::new(entries.finish().unwrap(), None).unwrap();
        let (mut found, mut cut, mut totals) = (BTreeSet::new(), Bits::default(), BandJoinTotals::default());
        let mut desk = Desk {
            verify: ask(verdict),
            accept: |meeting: Meeting, similarity: f32| {
                found.insert((meeting.representative, meeting.page, similarity.to_bits()));
                Ok(())
            },
            known: &mut Verdicts::new(0),
            totals: &mut totals,
            cut: &mut cut,
            most,
            parallel: true,
        };
        work(&mut entries, chunk, 0, &mut desk).unwrap();
        let expected = by_definition(&options(most, 0), &pages, |_| true);
        totals.verifications = 0;
        prop_assert_eq!((found.into_iter().collect::<Vec<_>>(), totals), (expected.0, expected.1));
    }

    #[test]
    fn earlier_pages_add_what_a_join_of_all_has_of_them(
        pages in any_pages(), fresh in prop::collection::btree_set(0u32..120, 0..60), most in 1u32..12,
    ) {
        let options = options(most, 3);
        let (new, old): (Pages, Pages) = pages.iter().cloned().partition(|(page, _)| fresh.contains(page));
        let found = join(&options, &Budget::new(1 << 20), &new, Some(&old));
        prop_assert_eq!(without_verifications(found.clone()), by_definition(&options, &pages, |page| fresh.contains(&page)));
        let mut all = join(&options, &Budget::new(1 << 20), &pages, None).0;
        all.retain(|(a, b, _)| fresh.contains(a) || fresh.contains(b));
        prop_assert_eq!(found.0, all);
    }
}

#[test]
fn memory_and_threads_change_nothing_but_how_often_is_asked() {
    // Buckets of all sizes, some larger than a chunk in the smallest memory.
    let pages: Pages = (0..20_000u32)
        .map(|page| {
            (
                page,
                (0..8u64).map(|band| (band << 32) | (u64::from(page) % 7u64.pow(band as u32 % 5))).collect(),
            )
        })
        .collect();
    let expected = by_definition(&options(16, 0), &pages, |_| true);
    for (memory, threads) in [(128 << 10, 1), (128 << 10, 2), (1 << 20, 2), (64 << 20, 1)] {
        let found = join(&options(16, 0), &Budget::new(memory).with_threads(threads), &pages, None);
        assert!(found.1.verifications <= found.1.meetings);
        assert_eq!(without_verifications(found), expected, "{memory} bytes, {threads} threads");
    }
}

/// Joins `n` pages by their bands, all meetings answered alike; totals and the number of matches.
fn totals(
    n: u32,
    bands: impl Fn(u32) -> Vec<u64>,
    answer: Option<f32>,
    memory: usize,
) -> (BandJoinTotals, usize) {
    let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(memory));
    (0..n).for_each(|page| join.push(page, &bands(page)).unwrap());
    let matches = join.run(ask(|_, _| answer)).unwrap();
    (*matches.totals(), matches.count())
}

const MANY: u32 = 100_000;

#[test]
fn a_hundred_thousand_equal_pages_are_verified_once_each() {
    let bands: Vec<u64> = (0..16).collect();
    let (totals, matches) = totals(MANY, |_| bands.clone(), Some(1.0), 64 << 20);
    assert_eq!((totals.buckets, totals.largest_bucket), (16, u64::from(MANY)));
    assert_eq!((totals.meetings, matches), (16 * u64::from(MANY - 1), MANY as usize - 1));
    assert!(totals.verifications < u64::from(MANY) * 11 / 10, "{totals:?}");
    assert_eq!((totals.capped_buckets, totals.capped_pages), (0, 0));
}

/// Meetings of a bucket of `n` pages that are no duplicates: each meets those before it, 16 at most.
fn most_meetings(n: u64) -> u64 {
    16 * n - 16 * 17 / 2
}

#[test]
fn an_attack_by_one_shared_band_costs_the_cap_and_is_counted() {
    let bands =
        |page: u32| (0..16u64).map(|band| if band == 5 { 5 } else { band << 32 | u64::from(page) }).collect();
    let (totals, matches) = totals(MANY, bands, None, 64 << 20);
    assert_eq!((totals.meetings, matches), (most_meetings(u64::from(MANY)), 0));
    assert_eq!(totals.verifications, totals.meetings);
    assert_eq!((totals.capped_buckets, totals.capped_meetings), (1, u64::from(MANY) - 16));
    assert_eq!(totals.capped_pages, u64::from(MANY) - 16);
}

#[test]
fn an_attack_by_all_bands_costs_hardly_more_verifications() {
    let bands: Vec<u64> = (0..16).collect();
    let n = 4000;
    let (totals, _) = totals(n, |_| bands.clone(), None, 64 << 20);
    assert_eq!(totals.meetings, 16 * most_meetings(u64::from(n)));
    assert!(totals.verifications < totals.meetings / 15, "{totals:?}");
    assert_eq!((totals.capped_buckets, totals.capped_pages), (16, u64::from(n) - 16));
}

#[test]
fn meetings_of_earlier_pages_are_marked() {
    let bands = [1];
    let mut join = BandJoin::with_earlier(&BandJoinOptions::default(), &Budget::new(1 << 20));
    join.push(3, &bands).unwrap();
    [0, 2].into_iter().for_each(|page| join.push_earlier(page, &bands).unwrap());
    join.push_earlier(1, &[2]).unwrap();
    let mut met = Vec::new();
    let matches = join.run(|meetings, _| {
        met.extend(meetings.iter().map(|m| (m.representative, m.page, m.earlier)));
        Ok(())
    });
    assert_eq!(matches.unwrap().count(), 0);
    assert_eq!(met, [(0, 2, true), (0, 3, false), (2, 3, false)]);
}

#[test]
fn a_verification_that_fails_ends_the_join() {
    let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(1 << 20));
    (0..9).for_each(|page| join.push(page, &[1, 2]).unwrap());
    let mut calls = 0;
    let failed = join.run(|_, _| {
        calls += 1;
        Err(Error::Config("no".into()))
    });
    assert!(matches!(failed.map(|_| ()), Err(Error::Config(_))));
    assert_eq!(calls, 1);
}

#[test]
fn nothing_and_pages_without_bands_have_no_matches() {
    for pages in [vec![], vec![(0, vec![]), (1, vec![])], vec![(7, vec![1])], vec![(u32::MAX, vec![1, 1])]] {
        for earlier in [None, Some(&pages)] {
            let found = join(&options(1, 0), &Budget::new(0), &pages, earlier);
            assert_eq!((found.0, found.1.meetings), (vec![], 0));
        }
    }
}

#[test]
fn misuse_is_refused() {
    let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(1 << 20));
    assert!(matches!(join.push_earlier(0, &[1]), Err(Error::Internal(_))));
    assert!(matches!(join.push(0, &[1; 1025]), Err(Error::Internal(_))));
    let mut late = BandJoin::with_earlier(&BandJoinOptions::default(), &Budget::new(1 << 20));
    late.push_earlier(0, &[1]).unwrap();
    assert!(matches!(late.push(1, &[1]), Err(Error::Internal(_))));
}

#[test]
fn a_large_bucket_is_looked_at_whole_only_while_it_holds_duplicates() {
    let found = |pages: u32, family: u32| {
        let mut join = BandJoin::new(&options(16, 1000), &Budget::new(1 << 20));
        (0..pages).for_each(|page| join.push(page, &[7]).unwrap());
        let same = move |a: u32, b: u32| (a % family == b % family).then_some(1.0);
        outcome(join.run(ask(same)).unwrap())
    };
    // Three families: all pairs of each. A hundred: the pages of sixteen representatives.
    let (pairs, totals, cut) = found(900, 3);
    assert_eq!((pairs.len(), totals.meetings, cut.len()), (3 * 300 * 299 / 2, 900 * 899 / 2, 0));
    let (pairs, totals, cut) = found(900, 100);
    assert_eq!((pairs.len(), cut.len()), (16 * 8, 900 - 16 - 16 * 8));
    assert!(totals.meetings < 16 * 900);
    // Small ones are whole whatever they hold.
    assert_eq!(found(SURELY_WHOLE, 100).1.meetings, 64 * 63 / 2);
}
