use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

/// Values that lie close together often enough for every distance to occur.
fn close_values(most: usize) -> impl Strategy<Value = Vec<u64>> {
    let seeds = prop::collection::vec(any::<u64>(), 1..6);
    let flips =
        prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(0u32..64, 0..7)), 0..most);
    (seeds, flips).prop_map(|(seeds, flips)| {
        let one = |(seed, bits): (prop::sample::Index, Vec<u32>)| {
            bits.into_iter().fold(*seed.get(&seeds), |value, bit| value ^ 1 << bit)
        };
        flips.into_iter().map(one).collect()
    })
}

fn fingerprints(values: &[u64]) -> Vec<Fingerprint> {
    values.iter().copied().map(Fingerprint).collect()
}

fn firsts(values: &[u64]) -> Vec<(u32, u64)> {
    let mut seen = HashMap::new();
    values
        .iter()
        .enumerate()
        .filter(|(i, v)| seen.insert(**v, *i).is_none())
        .map(|(i, v)| (i as u32, *v))
        .collect()
}

fn brute_within(values: &[u64], k: u32) -> Vec<Pair> {
    let heads = firsts(values);
    let mut pairs = Vec::new();
    for (i, &value) in values.iter().enumerate() {
        let (head, _) = heads.iter().find(|(_, v)| *v == value).expect("each value has a first");
        if *head != i as u32 {
            pairs.push(Pair { a: *head, b: i as u32, distance: 0 });
        }
    }
    for (i, &(a, x)) in heads.iter().enumerate() {
        for &(b, y) in &heads[i + 1..] {
            let distance = (x ^ y).count_ones();
            if distance <= k {
                pairs.push(Pair { a, b, distance: distance as u8 });
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

proptest! {
    #[test]
    fn within_equals_brute_force(values in close_values(400), k in 0u32..10) {
        prop_assert_eq!(pairs_within(&fingerprints(&values), k)?, brute_within(&values, k));
    }

    #[test]
    fn between_equals_brute_force(left in close_values(200), right in close_values(200), share in 0usize..9, k in 0u32..9) {
        let mut right = right;
        right.extend(left.iter().take(share).map(|v| v ^ 1 << 17));
        right.extend(left.iter().take(share));
        let mut expected = Vec::new();
        for &(a, x) in &firsts(&left) {
            let close = firsts(&right).into_iter().map(|(b, y)| (b, (x ^ y).count_ones()));
            expected.extend(close.filter(|c| c.1 <= k).map(|(b, d)| Pair { a, b, distance: d as u8 }));
        }
        expected.sort_unstable();
        prop_assert_eq!(pairs_between(&fingerprints(&left), &fingerprints(&right), k)?, expected);
    }

    #[test]
    fn input_order_changes_numbers_only(values in close_values(150), k in 0u32..5) {
        let named = |values: &[u64]| -> Result<Vec<(u64, u64, u8)>> {
            let mut pairs: Vec<_> = pairs_within(&fingerprints(values), k)?
                .into_iter()
                .map(|p| {
                    let (x, y) = (values[p.a as usize], values[p.b as usize]);
                    (x.min(y), x.max(y), p.distance)
                })
                .collect();
            pairs.sort_unstable();
            Ok(pairs)
        };
        let mut turned = values.clone();
        turned.reverse();
        prop_assert_eq!(named(&values)?, named(&turned)?);
    }
}

fn random(n: u64, seed: u64) -> Vec<u64> {
    (0..n).map(|i| xxhash_rust::xxh3::xxh3_64_with_seed(&i.to_le_bytes(), seed)).collect()
}

/// Enough values for every level of tables, some of them planted close, all agreeing on `skew`.
fn planted(n: u64, skew: u64) -> Vec<u64> {
    let mut values = random(n, 1);
    for (i, noise) in random(n / 10, 2).into_iter().enumerate() {
        let flips = (0..noise % 10).fold(0, |bits, j| bits | 1u64 << (noise >> (6 * j) & 63));
        values.push(values[i * 7] ^ flips);
    }
    values.iter_mut().for_each(|v| *v &= !skew);
    values
}

#[test]
fn large_and_skewed_sets_equal_brute_force() {
    for (n, skew) in [(5_000, 0), (2_000, 0xFFFF_FFFF_0000_0000), (2_000, 0x5555_5555_5555_5555)] {
        let values = planted(n, skew);
        let mut slow = Vec::new();
        for (i, &x) in values.iter().enumerate() {
            let close = values[i + 1..].iter().filter(|&&y| (x ^ y).count_ones() <= 8 && x != y);
            slow.extend(close.map(|&y| (x.min(y), x.max(y))));
        }
        slow.sort_unstable();
        slow.dedup();
        for k in [0, 1, 3, 5, 8] {
            let pairs = pairs_within(&fingerprints(&values), k).expect("small");
            let named = |p: &Pair| (values[p.a as usize], values[p.b as usize]);
            let near = pairs.iter().filter(|p| p.distance > 0).map(named);
            let mut fast: Vec<_> = near.map(|(x, y)| (x.min(y), x.max(y))).collect();
            fast.sort_unstable();
            let slow: Vec<_> = slow.iter().copied().filter(|(x, y)| (x ^ y).count_ones() <= k).collect();
            assert!(k == 0 || !slow.is_empty());
            assert_eq!(fast, slow, "{n} values, k = {k}");
        }
    }
}

#[test]
fn threads_change_neither_pairs_nor_their_order() {
    let set = fingerprints(&planted(100_000, 0xFF00));
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let mut pairs = Vec::new();
        let join = HammingJoin::new(3);
        pool.install(|| {
            join.run(&set, |pair| {
                pairs.push(pair);
                Ok(())
            })
        })
        .expect("no limit");
        pairs
    };
    let (one, three) = (run(1), run(3));
    assert!(one.len() > 3_000);
    assert_eq!(one, three);
}

#[test]
fn heaps_of_equal_values_are_stars() {
    let mut values = vec![7u64; 100_000];
    values.extend(std::iter::repeat_n(6, 50_000));
    let pairs = pairs_within(&fingerprints(&values), 3).expect("small");
    assert_eq!(pairs.len(), 99_999 + 49_999 + 1);
    assert!(pairs.contains(&Pair { a: 0, b: 100_000, distance: 1 }));
}

#[test]
fn a_budget_that_is_too_small_refuses_with_the_estimate() {
    let error = HammingJoin::new(3).memory_bytes(1 << 16).run(&[Fingerprint(1); 100], |_| Ok(()));
    let text = error.expect_err("too small").to_string();
    assert!(text.contains("joining 100 fingerprints takes about 1 MiB") && text.contains("1 MiB"), "{text}");
}

#[test]
fn an_error_of_the_receiver_ends_the_join() {
    let stop = || Err(Error::Interrupted);
    let set = fingerprints(&[1, 2, 3]);
    assert!(matches!(HammingJoin::new(3).run(&set, |_| stop()), Err(Error::Interrupted)));
    assert!(pairs_within(&[], 3).expect("empty").is_empty());
}

/// Values of a few sites: in each some bits hardly vary, others vary by templates, and some pages are near copies.
fn sites(sites: u64, pages: u64, seed: u64) -> Vec<u64> {
    let mut values = Vec::new();
    for site in 0..sites {
        let noise = random(pages * 2, seed + site);
        let (base, rigid) = (random(1, seed ^ site)[0], random(2, seed ^ !site));
        let varying = rigid[0] & rigid[1];
        let templates = random(3, seed + 1000 + site);
        for page in 0..pages as usize {
            let (a, b) = (noise[2 * page], noise[2 * page + 1]);
            let template = templates[(b % 3) as usize] & a.rotate_left(17) & 0xFFFF;
            // One page in four is a copy of the one before, but for a few bits.
            let page = if b % 4 == 0 && page > 0 {
                let flips = (0..b >> 8 & 7).fold(0, |bits, i| bits | 1u64 << (a >> (6 * i) & 63));
                values[values.len() - 1] ^ flips
            } else {
                base ^ template ^ (a & !varying)
            };
            values.push(page);
        }
    }
    values
}

fn near_by_brute_force(values: &[u64], k: u32) -> Vec<(u64, u64)> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut near = Vec::new();
    for (i, &x) in sorted.iter().enumerate() {
        near.extend(sorted[i + 1..].iter().filter(|&&y| (x ^ y).count_ones() <= k).map(|&y| (x, y)));
    }
    near.sort_unstable();
    near
}

/// The pairs of representatives as values, sorted; and what the join did.
fn near(values: &[u64], k: u32) -> (Vec<(u64, u64)>, JoinTotals) {
    let mut near = Vec::new();
    let totals = HammingJoin::new(k)
        .run(&fingerprints(values), |pair| {
            let (x, y) = (values[pair.a as usize], values[pair.b as usize]);
            assert_eq!(u32::from(pair.distance), (x ^ y).count_ones());
            assert!(pair.a < pair.b);
            near.extend((x != y).then_some((x.min(y), x.max(y))));
            Ok(())
        })
        .expect("no limit");
    near.sort_unstable();
    (near, totals)
}

/// The kinds of sets that upset plans, each with enough values for one.
fn awkward() -> Vec<(&'static str, Vec<u64>)> {
    let spread = |mask: u64, n: u64| random(n, 9).into_iter().map(|v| v & mask).collect::<Vec<u64>>();
    let heap = |n: u64| {
        let flips = random(n, 5).into_iter();
        flips.map(|v| (0..4).fold(0x1234_5678_9ABC_DEF0u64, |x, i| x ^ 1 << (v >> (6 * i) & 63))).collect()
    };
    let mut mixed = sites(1, 1000, 3);
    mixed.extend(random(1000, 4));
    vec![
        ("one site", sites(1, 2500, 1)),
        ("many sites", sites(25, 100, 2)),
        ("a site among uniform ones", mixed),
        ("uniform", random(3000, 7)),
        ("two constant ends", spread(0x0000_FFFF_FFFF_0000, 2500)),
        ("every other bit", spread(0x5555_5555_5555_5555, 2500)),
        ("seventeen bits vary", spread(0x0001_0101_1111_1177, 1200)),
        ("all within a ball", heap(1200)),
        ("one bit set or none", (0..64).map(|bit| 1 << bit).chain([0, u64::MAX]).collect()),
        ("consecutive numbers", (0..1500).collect()),
        ("half of them agree on 48 bits", {
            let mut values = random(1000, 8);
            values.extend(random(1500, 9).into_iter().map(|v| v << 48 | 0x1357_9BDF_0246));
            values
        }),
    ]
}

#[test]
fn no_kind_of_set_hides_a_pair_or_shows_it_twice() {
    for (name, values) in awkward() {
        let slow = near_by_brute_force(&values, 7);
        for k in [0, 3, 6, 7] {
            let expected: Vec<_> = slow.iter().copied().filter(|(x, y)| (x ^ y).count_ones() <= k).collect();
            assert!(near(&values, k).0 == expected, "{name}, k = {k}");
        }
    }
}

#[test]
fn no_kind_of_set_hides_a_pair_between_two() {
    for (name, values) in awkward() {
        let (mut left, mut right) = (values.clone(), Vec::new());
        right.extend(left.split_off(left.len() / 3));
        right.extend(left.iter().take(50));
        for k in [3, 6] {
            let mut expected = Vec::new();
            for &(a, x) in &firsts(&left) {
                let close = right.iter().filter(|&&y| (x ^ y).count_ones() <= k);
                expected.extend(close.map(|&y| (a, y)));
            }
            expected.sort_unstable();
            expected.dedup();
            let found = pairs_between(&fingerprints(&left), &fingerprints(&right), k).expect("small");
            let mut found: Vec<_> = found.iter().map(|p| (p.a, right[p.b as usize])).collect();
            found.sort_unstable();
            assert!(found == expected, "{name}, k = {k}");
        }
    }
}

#[test]
fn pages_of_one_template_cost_no_more_comparisons_than_all_pairs() {
    let values = sites(1, 4000, 11);
    let (_, totals) = near(&values, 6);
    assert!(totals.compared <= 4000 * 4000, "{totals:?}");
    // Uniform ones cost far less than that.
    let (_, totals) = near(&random(50_000, 12), 3);
    assert!(totals.compared <= 50_000 * 1000, "{totals:?}");
}

#[test]
fn a_cap_withholds_pairs_of_those_only_that_have_enough() {
    let values = awkward().into_iter().find(|(name, _)| *name == "consecutive numbers").expect("there").1;
    let (all, totals) = near(&values, 3);
    assert_eq!((totals.pairs, totals.withheld), (all.len() as u64, 0));
    let (mut given, mut neighbours) = (HashMap::new(), HashMap::new());
    for (x, y) in all {
        *neighbours.entry(x).or_insert(0u32) += 1;
        *neighbours.entry(y).or_insert(0) += 1;
    }
    let capped = HammingJoin::new(3)
        .most_pairs_each(5)
        .run(&fingerprints(&values), |pair| {
            *given.entry(values[pair.a as usize]).or_insert(0u32) += 1;
            *given.entry(values[pair.b as usize]).or_insert(0) += 1;
            Ok(())
        })
        .expect("no limit");
    assert_eq!(capped.pairs + capped.withheld, totals.pairs);
    assert!(capped.withheld > 0 && capped.pairs <= 5 * values.len() as u64);
    for (value, neighbours) in neighbours {
        assert!(given[&value] >= neighbours.min(5), "{value}");
    }
}
