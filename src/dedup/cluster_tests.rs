use super::*;
use crate::{Fingerprint, ShingleVerifier, Shingles, WithinDistance, pairs_within};
use proptest::prelude::*;

fn exact(a: u32, b: u32, same: Same) -> ExactPair {
    ExactPair { a, b, same }
}

fn near(a: u32, b: u32, distance: u8) -> Pair {
    Pair { a, b, distance }
}

fn representatives(clusters: &Clusters) -> Vec<u32> {
    clusters.members.iter().map(|m| m.representative).collect()
}

#[test]
fn order_is_fetch_then_length_then_url() {
    let pages = [
        (None, "http://a/"),
        (Some(5), "http://b/long"),
        (Some(5), "http://b/"),
        (Some(5), "http://a/"),
        (Some(-3), "http://zzzzzzzz/"),
    ];
    assert_eq!(total_order(pages.len(), |i| pages[i]), [4, 3, 2, 1, 0]);
}

#[test]
fn copies_join_through_the_first_of_their_class() {
    // 1 and 3 have the same body, 3 and 4 the same text; 1 is near 0; 2 is alone.
    let copies = [exact(3, 4, Same::Text), exact(1, 3, Same::Body)];
    let accept = |_: u32, _: u32| Ok(Some(0.75));
    let alone = Clusterer::default().cluster(5, &copies, &[], &accept).expect("in range");
    let kinds = |clusters: &Clusters| clusters.members.iter().map(|m| m.joined).collect::<Vec<_>>();
    use Joined::{Body, Near, Representative, Text};
    assert_eq!(representatives(&alone), [0, 1, 2, 1, 1]);
    assert_eq!(kinds(&alone), [Representative, Representative, Representative, Body, Text]);
    let joined = Clusterer::default().cluster(5, &copies, &[near(0, 4, 3)], &accept).expect("in range");
    assert_eq!(representatives(&joined), [0, 0, 2, 0, 0]);
    assert_eq!(kinds(&joined), [Representative, Near, Representative, Near, Near]);
    assert_eq!((joined.members[4].similarity, joined.verifications), (0.75, 1));
}

#[test]
fn candidates_that_fail_verification_stand_alone() {
    let refuse = |_: u32, _: u32| Ok(None);
    let clusters =
        Clusterer::default().cluster(3, &[], &[near(0, 1, 0), near(0, 2, 0)], &refuse).expect("in range");
    assert_eq!((representatives(&clusters), clusters.verifications), (vec![0, 1, 2], 3));
}

#[test]
fn members_of_a_group_inherit_its_neighbours() {
    // 0 and 3 share a fingerprint, 1 is close to it; only 3 and 1 are alike, and 1 came first.
    let alike = |a: u32, b: u32| Ok((a.min(b) == 1 && a.max(b) == 3).then_some(0.9));
    let clusters =
        Clusterer::default().cluster(4, &[], &[near(0, 3, 0), near(0, 1, 2)], &alike).expect("in range");
    assert_eq!(representatives(&clusters), [0, 1, 2, 1]);
}

#[test]
fn heaps_are_cut_by_counted_work() {
    let star: Vec<Pair> = (1..3000).map(|i| near(0, i, 0)).collect();
    let refuse = |_: u32, _: u32| Ok(None);
    let clusters = Clusterer { most_candidates: 10 }.cluster(3000, &[], &star, &refuse).expect("in range");
    assert_eq!(clusters.cut, 2989);
    assert!(clusters.verifications <= 30_000);
    let accept = |_: u32, _: u32| Ok(Some(1.0));
    let clusters = Clusterer::default().cluster(3000, &[], &star, &accept).expect("in range");
    assert_eq!((clusters.verifications, clusters.cut), (2999, 0));
}

#[test]
fn errors_of_the_verifier_and_wrong_numbers_are_reported() {
    let fail = |_: u32, _: u32| Err(Error::Interrupted);
    let cluster = |pair| Clusterer::default().cluster(2, &[], &[pair], &fail);
    assert!(matches!(cluster(near(0, 1, 1)), Err(Error::Interrupted)));
    assert!(matches!(cluster(near(0, 2, 1)), Err(Error::Internal(_))));
}

#[test]
fn verified_by_resemblance() {
    let texts = ["a b c d e f g h", "a b c d e f g x", "q r s t u v w x", "a b c d e f g h"];
    for most_loaded in [0, 100] {
        let shingles = |page: u32| Ok(Shingles::of_words(texts[page as usize].split(' '), 3));
        let verify = ShingleVerifier { shingles, bound: 0.7, most_loaded };
        let pairs = [near(0, 1, 3), near(0, 2, 3), near(0, 3, 0)];
        let clusters = Clusterer::default().cluster(4, &[], &pairs, &verify).expect("in range");
        assert_eq!(representatives(&clusters), [0, 0, 2, 0]);
        assert_eq!(clusters.members[1].similarity, (5.0f64 / 7.0) as f32);
    }
}

/// A crawl in the total order: fingerprints that lie close, copies, and a verifier of the pages' own names.
#[derive(Clone, Debug)]
struct Crawl {
    pages: Vec<(u64, u8)>, // (fingerprint, class of copies)
}

fn crawl() -> impl Strategy<Value = Crawl> {
    let page = (prop::collection::vec(0u32..10, 0..4), 0u8..40);
    let flips = |(bits, copy): (Vec<u32>, u8)| (bits.iter().fold(0u64, |v, bit| v ^ 1 << bit), copy);
    prop::collection::vec(page.prop_map(flips), 1..60).prop_map(|pages| Crawl { pages })
}

impl Crawl {
    /// Copies and candidates among the pages chosen, in their numbers among the chosen.
    fn pairs(&self, chosen: &[usize], k: u32) -> (Vec<ExactPair>, Vec<Pair>) {
        let mut copies = Vec::new();
        for (i, &x) in chosen.iter().enumerate() {
            let first = chosen[..i]
                .iter()
                .position(|&y| self.copy(y) && self.copy(x) && self.pages[x].1 == self.pages[y].1);
            copies.extend(first.map(|j| exact(i as u32, j as u32, Same::Text)));
        }
        let fingerprints: Vec<_> = chosen.iter().map(|&x| Fingerprint(self.pages[x].0)).collect();
        (copies, pairs_within(&fingerprints, k).expect("small"))
    }

    fn copy(&self, page: usize) -> bool {
        self.pages[page].1 < 5
    }
}

/// Similar or not by a hash of the two names, symmetric.
fn alike(x: usize, y: usize) -> Option<f64> {
    let hash = xxhash_rust::xxh3::xxh3_64(&[x.min(y) as u8, x.max(y) as u8]);
    (!hash.is_multiple_of(3)).then_some(0.5)
}

proptest! {
    #[test]
    fn clusters_are_what_the_definition_says(crawl in crawl(), k in 0u32..4) {
        let all: Vec<usize> = (0..crawl.pages.len()).collect();
        let (copies, pairs) = crawl.pairs(&all, k);
        let verify = |a: u32, b: u32| Ok(alike(a as usize, b as usize));
        let clusters = Clusterer::default().cluster(all.len(), &copies, &pairs, &verify)?;
        // Literally: classes first, heads in order, each to the first near representative. A class stands close where
        // any of its pages has a fingerprint equal or close to one of the other's, as joins see only fingerprints.
        let classes = Classes::of(all.len(), &copies);
        let neighbours = Neighbours::of(all.len(), &classes, &pairs);
        let mut heads: Vec<u32> = Vec::new();
        for page in 0..all.len() as u32 {
            let member = clusters.members[page as usize];
            let head = classes.head[page as usize];
            if head != page {
                prop_assert_eq!(member.representative, clusters.members[head as usize].representative);
                continue;
            }
            let group = |p: u32| neighbours.group[p as usize];
            let close = |p: u32| group(p) == group(page) || neighbours.close.contains(&(group(p), group(page)));
            let first = heads.iter().copied().find(|&r| close(r) && alike(r as usize, page as usize).is_some());
            prop_assert_eq!(member.representative, first.unwrap_or(page));
            if first.is_none() {
                heads.push(page);
            }
        }
    }

    #[test]
    fn order_of_pairs_and_threads_do_not_count(crawl in crawl(), k in 0u32..4, threads in 1usize..4) {
        let all: Vec<usize> = (0..crawl.pages.len()).collect();
        let (mut copies, mut pairs) = crawl.pairs(&all, k);
        let verify = |a: u32, b: u32| Ok(alike(a as usize, b as usize));
        let forward = Clusterer::default().cluster(all.len(), &copies, &pairs, &verify)?;
        copies.reverse();
        pairs.reverse();
        pairs.iter_mut().for_each(|p| std::mem::swap(&mut p.a, &mut p.b));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let backward = pool.install(|| Clusterer::default().cluster(all.len(), &copies, &pairs, &verify))?;
        prop_assert_eq!(forward, backward);
    }

    #[test]
    fn updates_end_where_the_whole_does(crawl in crawl(), k in 0u32..4, old in prop::collection::vec(any::<bool>(), 60)) {
        let all: Vec<usize> = (0..crawl.pages.len()).collect();
        let before: Vec<usize> = all.iter().copied().filter(|&i| old[i]).collect();
        let (copies, pairs) = crawl.pairs(&before, k);
        let verify = |a: u32, b: u32| Ok(alike(before[a as usize], before[b as usize]));
        let earlier = Clusterer::default().cluster(before.len(), &copies, &pairs, &verify)?;
        let mut previous = vec![Member { representative: 0, joined: Joined::Near, similarity: 0.0 }; all.len()];
        for (i, member) in earlier.members.iter().enumerate() {
            previous[before[i]] = Member { representative: before[member.representative as usize] as u32, ..*member };
        }
        let changed: Vec<bool> = all.iter().map(|&i| !old[i]).collect();
        let (copies, pairs) = crawl.pairs(&all, k);
        let verify = |a: u32, b: u32| Ok(alike(a as usize, b as usize));
        let whole = Clusterer::default().cluster(all.len(), &copies, &pairs, &verify)?;
        let updated = Clusterer::default().update(&previous, &changed, &copies, &pairs, &verify)?;
        prop_assert_eq!(&updated.members, &whole.members);
        prop_assert!(updated.verifications <= whole.verifications);
    }

    #[test]
    fn every_member_is_near_its_representative(crawl in crawl(), k in 0u32..4) {
        let all: Vec<usize> = (0..crawl.pages.len()).collect();
        let pairs = crawl.pairs(&all, k).1;
        let fingerprints: Vec<_> = crawl.pages.iter().map(|p| Some(Fingerprint(p.0))).collect();
        let verify = WithinDistance { fingerprints: &fingerprints, k };
        let clusters = Clusterer::default().cluster(all.len(), &[], &pairs, &verify)?;
        for (page, member) in clusters.members.iter().enumerate() {
            let distance = (crawl.pages[page].0 ^ crawl.pages[member.representative as usize].0).count_ones();
            prop_assert!(distance <= k && member.representative as usize <= page);
            let representative = clusters.members[member.representative as usize];
            prop_assert_eq!(representative.joined, Joined::Representative);
        }
    }
}
