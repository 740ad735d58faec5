//! Two texts, told apart by a byte that no UTF-8 has: winnowed, with their shared passages, without repeated lines, by further signatures, measured,
//! filtered by the other as a condition.
#![no_main]

use webmill::dedup::{
    PassageOptions, SEMANTIC_KEYWORDS, Semantic, Shingles, SpotSigs, WinnowOptions, Winnowed, passages,
    without_repeated,
};

use webmill::learn::quality::{
    Contamination, Expression, Measurer, Operand, c4_lines, mask,
};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut texts = data.splitn(2, |byte| *byte == 0xFF);
    let (Some(Ok(a)), Some(Ok(b))) =
        (texts.next().map(std::str::from_utf8), texts.next().map(std::str::from_utf8))
    else {
        return;
    };
    winnowed(a);
    shared(a, b);
    pruned(a);
    let semantic = Semantic::new(|form: &str| 1.0 + form.len() as f64 / 7.0);
    assert!(semantic.keywords(a).len() <= SEMANTIC_KEYWORDS);
    let (x, y) = (SpotSigs::of(a, Some("eng")), SpotSigs::of(b, Some("zho")));
    assert!(
        (0.0..=1.0).contains(&x.resemblance(&y)) && x.resemblance(&x) == f64::from(u8::from(!x.is_empty()))
    );
    let (x, y) = (Shingles::of(a, 3), Shingles::of(b, 3));
    assert_eq!(x.resemblance(&y), y.resemblance(&x));
    measured(a, b);
});

/// Shares are shares; lines that C4 keeps are kept again; nothing personal is left; any text is a condition or an error.
fn measured(a: &str, b: &str) {
    for language in ["eng", "zho", "deu", "fra", "jpn"] {
        let found = Measurer::default().measure(a, Some(language));
        for share in [found.dup_lines, found.dup_line_chars, found.dup_5gram_chars, found.dup_10gram_chars, found.han_chars] {
            assert!((0.0..=1.0).contains(&share));
        }
    }
    if let Some(kept) = c4_lines(a) {
        assert!(c4_lines(&kept).is_some_and(|again| again.len() <= kept.len()));
    }
    let (masked, _) = mask(a);
    mask(&masked);
    let columns = [("a", Operand::Number(0.0)), ("b", Operand::Text("")), ("c", Operand::Bool(false))];
    if let Ok(condition) = Expression::parse(b, &columns) {
        let values: Vec<_> = condition.columns().iter().map(|name| columns.iter().find(|(known, _)| known == name).map_or(Operand::Null, |known| known.1)).collect();
        condition.holds(&values);
    }
    let mut items = Contamination::new(0.5);
    items.add(b);
    for held in items.of(a) {
        assert!(held.share <= 1.0 && held.places.iter().all(|place| a.get(place.clone()).is_some()));
    }
}

/// Every window of k-grams has one that is selected.
fn winnowed(text: &str) {
    let options = WinnowOptions { words: 2, characters: 3, window: 4 };
    let winnowed = Winnowed::of(text, &options);
    let mut places: Vec<usize> = winnowed.selected.iter().map(|found| found.1 as usize).collect();
    places.sort_unstable();
    let mut next = 0;
    for place in places {
        assert!(place < winnowed.grams && place <= next + options.window as usize - 1);
        next = place + 1;
    }
    assert!(winnowed.grams < next + options.window as usize || winnowed.grams == 0);
}

/// Passages lie in both texts.
fn shared(a: &str, b: &str) {
    let options = PassageOptions {
        winnow: WinnowOptions { words: 2, characters: 3, window: 4 },
        ..PassageOptions::default()
    };
    let mut end = 0;
    for passage in passages(a, b, &options) {
        assert!(passage.a_start >= end && passage.a_start < passage.a_end);
        end = passage.a_end;
        assert!(a.get(passage.a_start as usize..passage.a_end as usize).is_some());
        assert!(b.get(passage.b_start as usize..passage.b_end as usize).is_some());
        assert!(passage.share_a <= 1.0 && passage.share_b <= 1.0);
    }
}

/// Without anything repeated a text stays; what is left of it is of it; a second time changes nothing.
fn pruned(text: &str) {
    assert_eq!(without_repeated(text, 3, |_| false).text, text);
    let without = without_repeated(text, 3, |hash| hash % 2 == 0);
    assert!(without.text.len() <= text.len());
    let again = without_repeated(&without.text, 3, |hash| hash % 2 == 0);
    assert_eq!(again.text, without.text);
}
