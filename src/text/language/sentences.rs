//! A sentence in each of many languages, written for these tests.

use super::{language, language_declared};

/// Everyday sentences of eight to twenty words.
fn sentences() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("sentences.txt").lines().filter_map(|line| line.split_once(' '))
}

#[test]
fn everyday_sentences_are_named() {
    let wrong: Vec<_> = sentences()
        .map(|(code, text)| (code, language(text).map(|found| (found.iso639_3, found.confidence)), text))
        .filter(|(code, found, _)| found.map(|found| found.0) != Some(*code))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_false_declaration_does_not_overrule_clear_text() {
    for (code, text) in sentences() {
        let declared = if code == "eng" { "de" } else { "en" };
        let found = language_declared(text, Some(declared)).map(|found| found.iso639_3);
        assert_eq!(found, Some(code), "{text}");
    }
}

#[test]
fn what_is_in_no_language_is_not_named() {
    let cases = [
        "",
        "12345 67.8 % !!!",
        "Ok",
        "xkq zvwj qqpt bnrx wzzk fjgh qxv zzkw",
        "qwrtp sdfgh zxcvb mnbvc lkjhg poiuy",
        "0x7ffe 0xdead 0xbeef 0x1234",
        "\u{10400}\u{10401}\u{10402}\u{10403}\u{10404}\u{10405}\u{10406}",
    ];
    for text in cases {
        assert_eq!(language(text), None, "{text}");
    }
}

#[test]
fn words_made_of_the_syllables_of_a_language_are_not_surely_in_it() {
    // As a language that the table does not have looks beside the nearest one that it has.
    let texts = [
        (
            "swa",
            "kesho asubuhi tutakwenda sokoni kununua mkate na mboga baba anafanya kazi katika mji mdogo na anarudi",
        ),
        (
            "ita",
            "domani mattina andremo al mercato per comprare il pane fresco con i bambini mio padre lavora in una",
        ),
    ];
    for (code, text) in texts {
        let syllables: Vec<&str> =
            text.split(' ').flat_map(|word| word.split_inclusive(['a', 'e', 'i', 'o', 'u'])).collect();
        let mut at = 1;
        let mut made = String::new();
        for n in 0..360 {
            at = at * 7919 % 104_729;
            made.push_str(syllables[at % syllables.len()]);
            made.push_str(if n % 3 == 2 { " " } else { "" });
        }
        let found = language(&made);
        assert!(
            found.is_none_or(|found| found.iso639_3 != code || found.confidence < 0.9),
            "{found:?} {made}"
        );
        assert_eq!(language(text).map(|found| found.iso639_3), Some(code));
    }
}

#[test]
fn codes_of_two_letters_are_those_of_iso_639_1() {
    let two = |text: &str| language(text).and_then(|found| found.iso639_1());
    assert_eq!(two("Tomorrow morning we will walk to the market and buy bread."), Some("en"));
    assert_eq!(two("这是一个关于网页去重的简单例子。"), Some("zh"));
    assert_eq!(two("Завтра утром мы пойдём на рынок, чтобы купить хлеба."), Some("ru"));
}

#[test]
fn hostile_text_is_judged_in_bounded_time() {
    let texts = [
        "a".repeat(3 << 20),
        "\u{300}".repeat(1 << 20),
        "'a".repeat(1 << 20),
        "\u{200D}a\u{AD}".repeat(1 << 19),
        "aя".repeat(1 << 20),
        "\u{10FFFF}".repeat(1 << 18),
    ];
    for text in texts {
        let found = language(&text);
        assert_eq!(found, language(&text));
        assert!(found.is_none_or(|found| (0.0..=1.0).contains(&found.confidence)));
    }
}
