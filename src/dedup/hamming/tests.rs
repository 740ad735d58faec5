use super::*;
use proptest::prelude::*;

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

/// Every pair that a join gives, sorted, and what it did.
fn join(values: &[u64], k: u32) -> (Vec<Pair>, JoinTotals) {
    let mut pairs = Vec::new();
    let totals = HammingJoin::new(k)
        .run(&fingerprints(values), |pair| {
            pairs.push(pair);
            Ok(())
        })
        .expect("no limit");
    pairs.sort_unstable();
    (pairs, totals)
}

/// The stars, and all pairs of representatives compared one by one.
fn by_brute_force(values: &[u64], k: u32) -> Vec<Pair> {
    let mut heads: Vec<(u32, u64)> = Vec::new();
    let mut first = std::collections::HashMap::new();
    let mut pairs = Vec::new();
    for (b, &value) in (0u32..).zip(values) {
        let head = *first.entry(value).or_insert(b);
        if head != b {
            pairs.push(Pair { a: head, b, distance: 0 });
            continue;
        }
        let close = heads.iter().map(|&(a, x)| pair_of(a, b, x ^ value));
        pairs.extend(close.filter(|pair| u32::from(pair.distance) <= k));
        heads.push((b, value));
    }
    pairs.sort_unstable();
    pairs
}

proptest! {
    #[test]
    fn pairs_are_those_of_brute_force(values in close_values(400), k in 0u32..10) {
        prop_assert_eq!(join(&values, k).0, by_brute_force(&values, k));
    }
}

/// The pairs of the join with sorted tables, groups of at most `most` in memory.
fn sorted(values: &[u64], k: u32, most: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let take = |pair| {
        pairs.push(pair);
        Ok(())
    };
    let budget = webmill_sort::Budget::new(1 << 16);
    HammingJoin::new(k).run_sorted(&fingerprints(values), &budget, most, take).expect("no limit");
    pairs.sort_unstable();
    pairs
}

proptest! {
    #[test]
    fn sorted_tables_give_the_pairs_of_brute_force(values in close_values(400), k in 0u32..8, most in 2usize..500) {
        prop_assert_eq!(sorted(&values, k, most), by_brute_force(&values, k));
    }
}

#[test]
fn sorted_tables_give_the_pairs_of_the_join_in_memory_on_skewed_values() {
    for (skew, k) in [(0, 3), (0xFFFF_FF00_0000, 3), (0x0FFF_0000_FFFF_F000, 5), (0, 0)] {
        let values = planted(20_000, skew);
        let (expected, _) = join(&values, k);
        assert_eq!(sorted(&values, k, 1 << 12), expected, "{skew:x} {k}");
    }
    // One heap whose members differ in few bits only: no plan keeps its groups small.
    let heap: Vec<u64> = random(3_000, 5).into_iter().map(|value| value & 0xFFF).collect();
    assert_eq!(sorted(&heap, 3, 300), join(&heap, 3).0);
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
    let (pairs, _) = join(&values, 3);
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
    assert!(join(&[], 3).0.is_empty());
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
        ("uniform, some of them close", planted(5000, 0)),
        ("half of the bits constant", planted(2000, 0xFFFF_FFFF_0000_0000)),
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
        let slow = by_brute_force(&values, 8);
        for k in [0, 3, 6, 8] {
            let expected: Vec<_> =
                slow.iter().copied().filter(|pair| u32::from(pair.distance) <= k).collect();
            assert!(join(&values, k).0 == expected, "{name}, k = {k}");
        }
    }
}

#[test]
fn pages_of_one_template_cost_no_more_comparisons_than_all_pairs() {
    let (_, totals) = join(&sites(1, 4000, 11), 6);
    assert!(totals.compared <= 4000 * 4000, "{totals:?}");
    // Uniform ones cost far less than that.
    let (_, totals) = join(&random(50_000, 12), 3);
    assert!(totals.compared <= 50_000 * 1000, "{totals:?}");
}
