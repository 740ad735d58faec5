use super::*;
use crate::passages::units::Units;
use proptest::prelude::*;
use webmill_capture::cut::Cut;

const GAP: u64 = 4 * 12;

fn run(a: &str, b: &str, max_gap: u64) -> (Winnowed, Winnowed, Alignment) {
    let options = WinnowOptions::default();
    let (x, y) = (Winnowed::of(a, &options), Winnowed::of(b, &options));
    let found = align(&x, &y, &options, max_gap);
    (x, y, found)
}

fn words(from: u32, to: u32) -> String {
    (from..to).map(|i| format!("w{i} ")).collect()
}

#[test]
fn a_passage_is_found_whole_wherever_it_stands() {
    let a = format!("{}{}{}", words(0, 50), words(100, 190), words(50, 90));
    let b = format!("{}{}{}", words(200, 203), words(100, 190), words(300, 540));
    let (x, y, found) = run(&a, &b, GAP);
    assert_eq!(found.passages, [Aligned { a: 50..140, b: 3..93, equal: 90, weight: 90 * 12 }]);
    assert_eq!(a.cut(x.units.bytes(50..140)), b.cut(y.units.bytes(3..93)));
}

#[test]
fn moved_passages_are_passages_each() {
    let (p, q) = (words(0, 40), words(100, 140));
    let (.., found) = run(&format!("{p}{q}"), &format!("{q}{p}"), GAP);
    let places: Vec<_> = found.passages.iter().map(|p| (p.a.clone(), p.b.clone())).collect();
    assert_eq!(places, [(0..40, 40..80), (40..80, 0..40)]);
}

#[test]
fn changed_words_are_chained_over_up_to_the_gap() {
    let (a, b) = (
        format!("{}x1 x2 {}", words(0, 30), words(30, 60)),
        format!("{}y1 y2 y3 {}", words(0, 30), words(30, 60)),
    );
    let (.., chained) = run(&a, &b, GAP);
    assert_eq!(chained.passages, [Aligned { a: 0..62, b: 0..63, equal: 60, weight: 720 }]);
    let (.., apart) = run(&a, &b, 0);
    assert_eq!(apart.passages.len(), 2);
    let (.., apart) = run(&a, &format!("{}{}{}", words(0, 30), words(200, 205), words(30, 60)), GAP);
    assert_eq!(apart.passages.len(), 2);
}

#[test]
fn repetitions_are_counted_once() {
    let phrase = words(0, 20);
    let (x, y, found) = run(&phrase.repeat(40), &phrase.repeat(3), GAP);
    let equal: usize = found.passages.iter().map(|p| p.equal).sum();
    assert!(equal <= y.units.len() && equal >= 40, "{equal} of {}", x.units.len());
}

#[test]
fn hostile_repetitions_are_bounded() {
    for (a, b) in [
        ("word ".repeat(300_000), "word ".repeat(200_000)),
        (words(0, 7).repeat(30_000), words(0, 7).repeat(29_000)),
        ("a b ".repeat(100_000) + &words(0, 40), words(0, 40) + &"a b ".repeat(100_000)),
        (String::new(), "one".to_owned()),
        ("一".repeat(100_000), "一二".repeat(50_000)),
    ] {
        let (x, y, found) = run(&a, &b, GAP);
        for side in [found.passages.iter().map(|p| p.a.len()).sum::<usize>() <= x.units.len(), {
            found.passages.iter().map(|p| p.b.len()).sum::<usize>() <= y.units.len()
        }] {
            assert!(side);
        }
    }
}

/// All runs with a k-gram, by brute force: (a, b, length).
fn all_runs(a: &Units, b: &Units, k: usize) -> Vec<(usize, usize, usize)> {
    let (a, b) = (a.hashes(), b.hashes());
    let mut runs = Vec::new();
    for i in 0..a.len() {
        for j in 0..b.len() {
            let begins = i == 0 || j == 0 || a[i - 1] != b[j - 1];
            let len = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
            if begins && len >= k {
                runs.push((i, j, len));
            }
        }
    }
    runs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn passages_are_equal_and_take_no_unit_twice(
        a in prop::collection::vec("[a-d]", 0..80), b in prop::collection::vec("[a-d]", 0..80), p in prop::collection::vec("[a-z]{2}", 0..40)
    ) {
        let (first, second) = ([&a[..], &p].concat().join(" "), [&p[..], &b].concat().join(", "));
        let (x, y, found) = run(&first, &second, 0);
        let (mut end, mut theirs) = (0, Vec::new());
        for passage in &found.passages {
            prop_assert!(passage.a.start >= end && passage.equal == passage.a.len() && passage.equal == passage.b.len());
            prop_assert!(passage.equal >= 5);
            prop_assert_eq!(&x.units.hashes()[passage.a.clone()], &y.units.hashes()[passage.b.clone()]);
            end = passage.a.end;
            theirs.push(passage.b.clone());
        }
        theirs.sort_unstable_by_key(|range| range.start);
        prop_assert!(theirs.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }

    #[test]
    fn every_run_of_the_guaranteed_length_is_met_by_a_passage(
        a in prop::collection::vec("[a-h]{1,2}", 0..60), b in prop::collection::vec("[a-h]{1,2}", 0..60), p in prop::collection::vec("[a-h]{1,2}", 0..40)
    ) {
        let (first, second) = ([&a[..], &p].concat().join(" "), [&b[..], &p, &a].concat().join(" "));
        let (x, y, found) = run(&first, &second, 0);
        prop_assume!(found.seeds_left == 0);
        for (i, j, len) in all_runs(&x.units, &y.units, 5).into_iter().filter(|run| run.2 >= 12) {
            let met = found.passages.iter().any(|p| {
                (p.a.start < i + len && i < p.a.end) || (p.b.start < j + len && j < p.b.end)
            });
            prop_assert!(met, "run {i} {j} {len} in {:?}", found.passages);
        }
    }

    #[test]
    fn sides_are_alike(a in "([a-c]{1,2} ){0,60}", b in "([a-c]{1,2} ){0,60}", p in "([a-z]{2} ){10,30}") {
        let (first, second) = (format!("{a}{p}"), format!("{p}{b}"));
        let (.., there) = run(&first, &second, GAP);
        let (.., back) = run(&second, &first, GAP);
        let sum = |found: &Alignment| found.passages.iter().map(|p| p.equal).max();
        prop_assert_eq!(sum(&there).is_some(), sum(&back).is_some());
    }
}
