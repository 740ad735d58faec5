use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

/// The definition, literally: every window, the smallest, the rightmost of equals.
fn by_definition(hashes: &[u64], window: usize) -> Vec<u32> {
    let window = window.max(1).min(hashes.len().max(1));
    let mut selected: Vec<u32> = hashes
        .windows(window)
        .enumerate()
        .filter_map(|(from, part)| {
            let least = part.iter().min()?;
            part.iter().rposition(|hash| hash == least).map(|at| (from + at) as u32)
        })
        .collect();
    selected.dedup();
    selected
}

#[test]
fn the_vector_of_the_paper() {
    let hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98];
    let selected: Vec<(u64, u32)> =
        winnow(&hashes, 4).into_iter().map(|at| (hashes[at as usize], at)).collect();
    assert_eq!(selected, [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]);
}

#[test]
fn nothing_is_selected_of_nothing() {
    assert!(winnow(&[], 8).is_empty());
    let options = WinnowOptions::default();
    for text in ["", " \0…", "one two three four", "今天天气很好我们去公园"] {
        let winnowed = Winnowed::of(text, &options);
        assert_eq!((winnowed.grams, winnowed.selected.len()), (0, 0), "{text:?}");
    }
}

#[test]
fn short_texts_have_one_selection() {
    let options = WinnowOptions::default();
    for text in ["one two three four five", "1 2 3 4 5 6 7 8 9 10 11 12", "今天天气很好我们去公园里"]
    {
        assert_eq!(Winnowed::of(text, &options).selected.len(), 1, "{text:?}");
    }
}

#[test]
fn grams_weigh_words_and_letters_by_their_script() {
    let options = WinnowOptions::default();
    // 12 letters or 5 words; 7 letters and 2 words are 7/12 + 2/5 < 1, 8 letters are enough.
    for (text, grams) in [
        ("一二三四五六七八九十百", 0),
        ("一二三四五六七八九十百千", 1),
        ("one two three four five six", 2),
        ("一二三四五六七 one two", 0),
        ("一二三四五六七八 one two", 1),
    ] {
        assert_eq!(gram_hashes(&Units::of(text), &options).len(), grams, "{text:?}");
    }
}

#[test]
fn one_word_a_million_times_is_one_hash() {
    let winnowed = Winnowed::of(&"word ".repeat(1_000_000), &WinnowOptions::default());
    assert_eq!(winnowed.hashes().len(), 1);
    assert_eq!(winnowed.selected.len(), winnowed.grams - 7);
}

#[test]
fn density_is_two_in_w_plus_one() {
    let hashes: Vec<u64> = (0..1_000_000u64).map(|i| xxh3_64(&i.to_le_bytes())).collect();
    for window in [1, 4, 8, 50] {
        let density = winnow(&hashes, window).len() as f64 / hashes.len() as f64;
        let expected = 2.0 / (window as f64 + 1.0);
        assert!((density / expected - 1.0).abs() < 0.02, "{window}: {density} is not {expected}");
    }
}

/// The longest run of equal units of two texts.
fn longest_common(a: &[u64], b: &[u64]) -> usize {
    let mut best = 0;
    let mut row = vec![0; b.len() + 1];
    for x in a {
        for j in (0..b.len()).rev() {
            row[j + 1] = if *x == b[j] { row[j] + 1 } else { 0 };
            best = best.max(row[j + 1]);
        }
    }
    best
}

/// Both halves of the guarantee, by brute force over all runs.
fn guarantee(a: &str, b: &str, options: &WinnowOptions, k: usize) -> Result<(), TestCaseError> {
    let (x, y) = (Winnowed::of(a, options), Winnowed::of(b, options));
    let longest = longest_common(x.units.hashes(), y.units.hashes());
    let theirs: HashSet<u64> = y.hashes().into_iter().collect();
    let shared = x.hashes().iter().any(|hash| theirs.contains(hash));
    if longest + 1 >= options.window as usize + k {
        prop_assert!(shared, "a run of {} units without a common selection", longest);
    }
    if longest < k {
        prop_assert!(!shared, "a run of {} units has a common selection", longest);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn selects_by_definition(hashes in prop::collection::vec(0u64..20, 0..80), window in 0usize..12) {
        prop_assert_eq!(winnow(&hashes, window), by_definition(&hashes, window));
    }

    #[test]
    fn every_long_run_has_a_common_selection_and_no_short_one_matches(
        words in prop::collection::vec("[a-f]{1,2}", 0..90), others in prop::collection::vec("[a-f]{1,2}", 0..90),
        from in 0usize..60, len in 0usize..40, at in 0usize..60, k in 1u32..7, window in 1u32..10,
    ) {
        let options = WinnowOptions { words: k, window, ..WinnowOptions::default() };
        let passage = &words[from.min(words.len())..(from + len).min(words.len())];
        let (before, after) = others.split_at(at.min(others.len()));
        let b = [before, passage, after].concat().join("; ");
        guarantee(&words.join(" "), &b.to_uppercase(), &options, k as usize)?;
    }

    #[test]
    fn holds_for_texts_of_few_words(
        a in prop::collection::vec("[ab]", 0..60), b in prop::collection::vec("[ab]", 0..60), k in 1u32..9
    ) {
        let options = WinnowOptions { words: k, window: 4, ..WinnowOptions::default() };
        guarantee(&a.join(" "), &b.join("\n"), &options, k as usize)?;
    }

    #[test]
    fn holds_for_letters_of_scripts_without_spaces(
        a in "[一-三あ]{0,60}", b in "[一-三あ]{0,60}", passage in "[一-七]{0,40}", k in 1u32..14
    ) {
        let options = WinnowOptions { characters: k, ..WinnowOptions::default() };
        guarantee(&format!("{a}{passage}。{b}"), &format!("{b}、{passage}{a}"), &options, k as usize)?;
    }

    #[test]
    fn mixed_runs_with_a_window_of_grams_have_a_common_selection(
        a in "([a-c]{1,2} |[一-四]){0,30}", b in "([a-c]{1,2} |[一-四]){0,30}", passage in "([a-f]{1,2} |[一-九]){0,60}"
    ) {
        let options = WinnowOptions::default();
        let grams = Winnowed::of(&passage, &options).grams;
        let (x, y) = (Winnowed::of(&format!("{a} {passage} {b}"), &options), Winnowed::of(&format!("{b} {passage} {a}"), &options));
        if grams >= options.window as usize {
            let theirs: HashSet<u64> = y.hashes().into_iter().collect();
            prop_assert!(x.hashes().iter().any(|hash| theirs.contains(hash)));
        }
    }
}
