use super::*;

fn cut(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokens(text, Some(language), &mut found);
    found.iter().map(|token| token.of(text).to_owned()).collect()
}

#[test]
fn words_and_signs_are_tokens() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("eng", "Don't stop, (please)!", &["Do", "n't", "stop", ",", "(", "please", ")", "!"]),
        (
            "eng",
            "The well-known A/B-test costs $3.50...",
            &["The", "well", "-", "known", "A", "/", "B", "-", "test", "costs", "$", "3.50", "..."],
        ),
        (
            "eng",
            "See http://a.example/x-y, or kim@b.example.",
            &["See", "http://a.example/x-y", ",", "or", "kim@b.example", "."],
        ),
        (
            "eng",
            "Mr. Li's 5km run at 10am.end.Begin",
            &["Mr.", "Li", "'s", "5", "km", "run", "at", "10am.end", ".", "Begin"],
        ),
        ("fra", "L'homme n'est pas là-bas.", &["L'", "homme", "n'", "est", "pas", "là", "-", "bas", "."]),
        ("deu", "Die Mitte-Links-Partei, z.B. 3.", &["Die", "Mitte-Links-Partei", ",", "z.B", ".", "3."]),
        ("zho", "我们去北京。Rust 1.0 好", &["我们", "去", "北京", "。", "Rust", "1.0", "好"]),
        ("jpn", "カナ、語", &["カナ", "、", "語"]),
        ("rus", "«Привет», мир!", &["«", "Привет", "»", ",", "мир", "!"]),
    ];
    for (language, text, wanted) in cases {
        assert_eq!(cut(text, language), wanted, "{text}");
    }
}
