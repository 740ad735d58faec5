use super::*;
use proptest::prelude::*;

fn of(a: &str, b: &str) -> TextDiff {
    TextDiff::of(a, b, &DiffOptions::default()).unwrap()
}

/// (shared, text of a, text of b) of every segment.
fn parts<'t>(diff: &TextDiff, a: &'t str, b: &'t str) -> Vec<(bool, &'t str, &'t str)> {
    let part = |s: &Segment| (s.shared, &a[diff.bytes_a(&s.a)], &b[diff.bytes_b(&s.b)]);
    diff.segments.iter().map(part).collect()
}

fn words(from: usize, count: usize) -> String {
    (from..from + count).map(|i| format!("w{i} ")).collect()
}

#[test]
fn words_are_shared_or_own() {
    let (a, b) = ("one two three four five", "One two 3 four five six");
    assert_eq!(
        parts(&of(a, b), a, b),
        [
            (true, "one two ", "One two "),
            (false, "three ", "3 "),
            (true, "four five", "four five "),
            (false, "", "six")
        ]
    );
}

#[test]
fn letters_are_compared_in_scripts_without_spaces() {
    let (a, b) = ("我们去北京。", "我们去南京！");
    assert_eq!(
        parts(&of(a, b), a, b),
        [(true, "我们去", "我们去"), (false, "北", "南"), (true, "京。", "京！")]
    );
}

#[test]
fn texts_without_words_are_own() {
    for (a, b) in [("", ""), ("", "one two"), ("… \0", "!"), ("one", "")] {
        let diff = of(a, b);
        assert_eq!(parts(&diff, a, b), [(false, a, b)]);
        assert_eq!((diff.shared_words(), diff.overlap.resemblance()), (0, 0.0));
    }
}

#[test]
fn moved_passages_are_marked_on_both_sides() {
    let (p, q, r) = (words(0, 30), words(100, 10), words(200, 30));
    let (a, b) = (format!("{p}{q}{r}"), format!("{q}{p}{r}"));
    let diff = of(&a, &b);
    assert_eq!(diff.shared_words(), 60);
    assert_eq!(diff.moved, [Moved { a: 30..40, b: 0..10 }]);
    assert_eq!(diff.moved_words(), 10);
}

#[test]
fn words_shared_by_chance_are_own() {
    let a = "alpha beta the gamma delta epsilon of zeta eta theta the iota";
    let b = "one two three the four five six of seven eight the nine ten";
    assert_eq!(of(a, b).segments.len(), 1);
    // A single word between single changes stays.
    assert_eq!(of("x1 mill x2", "y1 mill y2").segments.len(), 3);
}

#[test]
fn rows_of_a_table_with_changed_numbers_are_shared_but_for_the_numbers() {
    let table = |from: usize| -> String {
        (0..2000).map(|i| format!("Price: {} USD, in stock, put into the cart now\n", from + i)).collect()
    };
    let diff = of(&table(10_000), &table(20_000));
    let (words, _) = diff.words();
    assert_eq!((words, diff.shared_words()), (2000 * 10, 2000 * 9));
}

#[test]
fn large_and_hostile_texts_are_bounded() {
    let noise = |seed: u64| -> String {
        let mut x = seed;
        (0..100_000)
            .map(|_| {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ["a ", "b ", "c ", "d "][(x >> 62) as usize]
            })
            .collect()
    };
    for (a, b) in [
        ("word ".repeat(1_000_000), "word ".repeat(999_999)),
        ("a b ".repeat(200_000), "b a c ".repeat(130_000)),
        (noise(1), noise(2)),
        (words(0, 100_000), words(50_000, 100_000)),
        ("\u{301}".repeat(100_000), "a\u{301}\0".repeat(30_000)),
        ("一".repeat(100_000), "一二".repeat(50_000)),
    ] {
        let diff = of(&a, &b);
        let (x, y): (Vec<_>, Vec<_>) = parts(&diff, &a, &b).into_iter().map(|part| (part.1, part.2)).unzip();
        assert!(x.concat() == a && y.concat() == b);
    }
}

#[test]
fn long_texts_are_cut() {
    let options = DiffOptions { max_text_bytes: 1 << 10, ..DiffOptions::default() };
    let diff = TextDiff::of(&"一".repeat(400), "一", &options).unwrap();
    assert_eq!((diff.cut_a, diff.cut_b, diff.words()), (true, false, (341, 1)));
    assert!(TextDiff::of("", "", &DiffOptions { shingle_words: 0, ..options }).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn segments_partition_both_texts(
        a in "([a-c]{1,2} |[一-三]|\\PC|[.,\n]){0,60}", b in "([a-c]{1,2} |[一-三]|\\PC|[.,\n]){0,60}", p in "([a-z]{2} ){0,30}"
    ) {
        let (a, b) = (format!("{a}{p}{b}"), format!("{b}{p}{a}"));
        let diff = of(&a, &b);
        let (x, y): (Vec<_>, Vec<_>) = parts(&diff, &a, &b).into_iter().map(|part| (part.1, part.2)).unzip();
        prop_assert_eq!(x.concat(), &a[..]);
        prop_assert_eq!(y.concat(), &b[..]);
        let (mut end_a, mut end_b, mut shared) = (0, 0, None);
        for segment in &diff.segments {
            prop_assert_eq!((segment.a.start, segment.b.start), (end_a, end_b));
            prop_assert!(shared != Some(segment.shared), "segments take turns");
            if segment.shared {
                prop_assert_eq!(&diff.a.units.hashes()[segment.a.clone()], &diff.b.units.hashes()[segment.b.clone()]);
            }
            (end_a, end_b, shared) = (segment.a.end, segment.b.end, Some(segment.shared));
        }
        prop_assert_eq!((end_a, end_b), diff.words());
        let own = |side: fn(&Segment) -> &Range<usize>, part: &Range<usize>| {
            diff.segments.iter().any(|s| !s.shared && side(s).start <= part.start && part.end <= side(s).end)
        };
        for moved in &diff.moved {
            prop_assert_eq!(&diff.a.units.hashes()[moved.a.clone()], &diff.b.units.hashes()[moved.b.clone()]);
            prop_assert!(own(|s| &s.a, &moved.a) && own(|s| &s.b, &moved.b));
        }
    }

    #[test]
    fn equal_texts_are_one_shared_segment(a in "([a-c]{1,2} |[一-三]|[é.\n]){1,60}") {
        let diff = of(&a, &a.to_uppercase());
        prop_assert!(diff.segments.iter().all(|segment| segment.shared) || diff.words().0 == 0);
    }
}
