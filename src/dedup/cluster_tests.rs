use super::*;
use proptest::prelude::*;

fn exact(a: u32, b: u32, same: Same) -> ExactPair {
    ExactPair { a, b, same }
}

/// Pairs in the order that clustering takes.
fn near(pairs: &[(u32, u32)]) -> Vec<NearPair> {
    let mut near: Vec<NearPair> =
        pairs.iter().map(|&(a, b)| NearPair { first: a.min(b), later: a.max(b), similarity: 0.75 }).collect();
    near.sort_by_key(|pair| (pair.later, pair.first));
    near
}

fn classes(pages: usize, copies: &[ExactPair]) -> CopyClasses {
    CopyClasses::of(pages, copies.iter().copied().map(Ok)).expect("in range")
}

fn representatives(clusters: &Clusters) -> Vec<u32> {
    clusters.members.iter().map(|m| m.representative).collect()
}

fn refuse(_: u32, _: u32) -> Result<Option<f32>> {
    Ok(None)
}

#[test]
fn copies_join_through_the_first_of_their_class() {
    // 1 and 3 have the same body, 3 and 4 the same text; 1 is near 0; 2 is alone.
    let classes = classes(5, &[exact(3, 4, Same::Text), exact(1, 3, Same::Body)]);
    let kinds = |clusters: &Clusters| clusters.members.iter().map(|m| m.joined).collect::<Vec<_>>();
    use Joined::{Body, Near, Representative, Text};
    let alone = Clusters::of(&classes, &[], Some(refuse)).expect("in range");
    assert_eq!(representatives(&alone), [0, 1, 2, 1, 1]);
    assert_eq!(kinds(&alone), [Representative, Representative, Representative, Body, Text]);
    assert_eq!(classes.head(4), 1);
    let joined = Clusters::of(&classes, &near(&[(0, 1)]), Some(refuse)).expect("in range");
    assert_eq!(representatives(&joined), [0, 0, 2, 0, 0]);
    assert_eq!(kinds(&joined), [Representative, Near, Representative, Near, Near]);
    assert_eq!(joined.members[4].similarity, 0.75);
}

#[test]
fn a_page_left_alone_is_compared_with_the_representatives_of_its_neighbours() {
    // 1 is near 0 and 2; 2 is near 1 only, as far as signatures tell.
    let pairs = near(&[(0, 1), (1, 2)]);
    let accept = |first: u32, later: u32| Ok(((first, later) == (0, 2)).then_some(0.8));
    let clusters = Clusters::of(&classes(3, &[]), &pairs, Some(accept)).expect("in range");
    assert_eq!(representatives(&clusters), [0, 0, 0]);
    assert_eq!(clusters.found, [NearPair { later: 2, first: 0, similarity: 0.8 }]);
    let clusters = Clusters::of(&classes(3, &[]), &pairs, Some(refuse)).expect("in range");
    assert_eq!((representatives(&clusters), clusters.left_alone), (vec![0, 0, 2], 1));
    // An earlier page may be left alone as well: 1 is near 2, which joins 0.
    let pairs = near(&[(0, 2), (1, 2)]);
    let accept = |first: u32, later: u32| Ok(((first, later) == (0, 1)).then_some(0.8));
    assert_eq!(
        representatives(&Clusters::of(&classes(3, &[]), &pairs, Some(accept)).expect("in range")),
        [0, 0, 0]
    );
}

#[test]
fn a_page_that_stays_alone_gets_a_page_that_its_cluster_can_spare() {
    // 0 represents 1 and 2; 3 is near 2 alone.
    let pairs = near(&[(0, 1), (0, 2), (2, 3)]);
    let clusters = Clusters::of(&classes(4, &[]), &pairs, Some(refuse)).expect("in range");
    assert_eq!((representatives(&clusters), clusters.left_alone), (vec![0, 0, 3, 3], 0));
    // 2 is all that 0 has.
    let pairs = near(&[(0, 2), (2, 3)]);
    let clusters = Clusters::of(&classes(4, &[]), &pairs, Some(refuse)).expect("in range");
    assert_eq!((representatives(&clusters), clusters.left_alone), (vec![0, 1, 0, 3], 1));
}

#[test]
fn wrong_numbers_wrong_order_and_errors_are_reported() {
    let classes = classes(2, &[]);
    assert!(matches!(Clusters::of(&classes, &near(&[(0, 2)]), Some(refuse)), Err(Error::Internal(_))));
    let turned = [NearPair { later: 0, first: 1, similarity: 1.0 }];
    assert!(matches!(Clusters::of(&classes, &turned, Some(refuse)), Err(Error::Internal(_))));
    assert!(matches!(CopyClasses::of(2, [Ok(exact(0, 2, Same::Body))]), Err(Error::Internal(_))));
    assert!(matches!(CopyClasses::of(2, [Err(Error::Interrupted)]), Err(Error::Interrupted)));
    let fail = |_: u32, _: u32| Err(Error::Interrupted);
    let row = near(&[(0, 1), (1, 2)]);
    let three = CopyClasses::of(3, []).expect("no pairs");
    assert!(matches!(Clusters::of(&three, &row, Some(fail)), Err(Error::Interrupted)));
}

#[test]
fn a_star_of_any_size_costs_its_size() {
    let star: Vec<(u32, u32)> = (1..100_000).map(|i| (0, i)).collect();
    let clusters = Clusters::of(&classes(100_000, &[]), &near(&star), Some(refuse)).expect("in range");
    assert!(representatives(&clusters).iter().all(|&representative| representative == 0));
}

proptest! {
    #[test]
    fn are_stars_of_verified_pairs(
        pairs in prop::collection::btree_set((0u32..40, 0u32..40), 0..120),
        copies in prop::collection::vec((0u32..40, 0u32..40), 0..6),
        bits in any::<u64>(),
    ) {
        let exact: Vec<ExactPair> = copies.iter().map(|&(a, b)| exact(a, b, Same::Text)).collect();
        let classes = classes(40, &exact);
        let mut heads: Vec<(u32, u32)> = pairs
            .iter()
            .map(|&(a, b)| (classes.head(a), classes.head(b)))
            .filter(|(a, b)| a != b)
            .collect();
        heads.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        heads.sort_unstable();
        heads.dedup();
        let accepts = |a: u32, b: u32| bits >> ((a * 7 + b) % 64) & 1 == 1;
        let verify = |first: u32, later: u32| Ok(accepts(first, later).then_some(0.8));
        let clusters = Clusters::of(&classes, &near(&heads), Some(verify)).unwrap();
        for page in 0..40u32 {
            let member = clusters.members[page as usize];
            let head = classes.head(page);
            let representative = member.representative;
            prop_assert_eq!(clusters.members[representative as usize].representative, representative);
            prop_assert_eq!(clusters.members[head as usize].representative, representative);
            if head != representative {
                let pair = (head.min(representative), head.max(representative));
                let found = clusters.found.iter().any(|p| (p.first, p.later) == pair);
                prop_assert!(heads.contains(&pair) || (found && accepts(pair.0, pair.1)));
            } else if clusters.found.is_empty() && clusters.members.iter().enumerate().all(|(p, m)| m.representative as usize <= p) {
                // None of the representatives that a later page is near to came before it.
                let represents = |a: u32| clusters.members[a as usize].representative == a;
                let earlier = heads.iter().filter(|(a, b)| *b == head && represents(*a));
                prop_assert!(earlier.count() == 0 || head != page);
            }
        }
    }
}
