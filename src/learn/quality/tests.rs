use super::*;
use crate::signal_columns;

fn cut(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokens(text, Some(language), &mut found);
    found.iter().map(|token| token.of(text).to_owned()).collect()
}

#[test]
fn words_and_signs_are_tokens() {
    let cases: [(&str, &str, &[&str]); 10] = [
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
        (
            "deu",
            "Die Mitte-Links-Partei/KPD, am 3.",
            &["Die", "Mitte-Links-Partei", "/", "KPD", ",", "am", "3."],
        ),
        ("zho", "我们去北京。Rust 1.0 好", &["我们", "去", "北京", "。", "Rust", "1.0", "好"]),
        ("zho", "见CONFIG_NET-NS，占1.5%", &["见", "CONFIG", "_", "NET", "-", "NS", "，", "占", "1.5%"]),
        ("jpn", "カナ、語", &["カナ", "、", "語"]),
        ("rus", "«Привет», мир!", &["«", "Привет", "»", ",", "мир", "!"]),
    ];
    for (language, text, wanted) in cases {
        assert_eq!(cut(text, language), wanted, "{text}");
    }
}

fn signals(text: &str, language: &str) -> Signals {
    Measurer::default().measure(text, Some(language))
}

#[test]
fn long_runs_of_signs_are_cut_in_time_that_grows_with_them() {
    for sign in ["-", "–", "~", "a-", "[", "'", ".", "1.", "+"] {
        let run = sign.repeat(1_000_000 / sign.len());
        for text in [format!("a{run}a"), format!("{run}a"), format!("a {run}")] {
            let mut found = Vec::new();
            tokens(&text, Some("eng"), &mut found);
            assert_eq!(
                found.iter().map(|token| (token.end - token.start) as usize).sum::<usize>(),
                text.split(' ').map(str::len).sum::<usize>()
            );
        }
    }
}

#[test]
fn gopher_counts_words_lines_and_stop_words() {
    let found = signals("- the cat and # the dog ...\n• a 12 …\nAnd so\u{2026}", "eng");
    // Tokens: - the cat and # the dog ... • a 12 … And so …
    assert_eq!((found.num_tokens, found.plain_words), (15, 10));
    // The bullet is a symbol, and no sign by the published list.
    assert_eq!(found.mean_word_length, Some((3 + 3 + 3 + 3 + 3 + 1 + 1 + 2 + 3 + 2) as f64 / 10.0));
    assert_eq!((found.hashes_per_word, found.ellipses_per_word), (Some(1.0 / 15.0), Some(3.0 / 15.0)));
    assert_eq!((found.bullet_lines, found.ellipsis_lines), (Some(2.0 / 3.0), Some(1.0)));
    assert_eq!((found.words_with_letters, found.stop_words), (Some(8.0 / 15.0), 2));
    let empty = signals("", "eng");
    assert_eq!((empty.num_tokens, empty.mean_word_length, empty.short_lines), (0, None, None));
}

/// As the definition says, with strings: characters in rows of `n` tokens that stood before.
fn repeated(words: &[String], n: usize) -> usize {
    let mut met = std::collections::HashSet::new();
    let (mut at, mut chars) = (0, 0);
    while at + n <= words.len() {
        let row = words[at..at + n].concat();
        if met.insert(row.clone()) {
            at += 1;
        } else {
            chars += row.chars().count();
            at += n;
        }
    }
    chars
}

/// Characters of the first of the most frequent rows, with blanks, times its occurrences.
fn most_frequent(words: &[String], n: usize) -> usize {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for row in words.windows(n).map(|row| row.join(" ")) {
        match counts.iter_mut().find(|(known, _)| *known == row) {
            Some((_, count)) => *count += 1,
            None => counts.push((row, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.iter().find(|(_, count)| *count == most).map_or(0, |(row, count)| row.chars().count() * count)
}

#[test]
fn repetition_equals_its_definition_by_strings() {
    let mut state = 7u64;
    for length in [0, 1, 4, 30, 200, 900] {
        let words: Vec<&str> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Skewed: the first words are the most frequent.
                ["a", "北京", "the", "Ärger", "of", "x,", "end.", "zebra"]
                    [((state >> 33) % 63 + 1).ilog2().min(7) as usize]
            })
            .collect();
        let text = words.join(" ");
        let (found, tokens) = (signals(&text, "eng"), cut(&text, "eng"));
        let chars = text.chars().count().max(1) as f64;
        let shares = [
            found.dup_5gram_chars,
            found.dup_6gram_chars,
            found.dup_7gram_chars,
            found.dup_8gram_chars,
            found.dup_9gram_chars,
            found.dup_10gram_chars,
        ];
        for (n, share) in (5..).zip(shares) {
            assert_eq!(share, repeated(&tokens, n) as f64 / chars, "{n} of {length}");
        }
        let tops = [found.top_2gram_chars, found.top_3gram_chars, found.top_4gram_chars];
        for (n, top) in (2..).zip(tops) {
            let wanted = (tokens.len() >= n).then(|| most_frequent(&tokens, n) as f64 / chars);
            assert_eq!(top, wanted, "{n} of {length}");
        }
        let letters: Vec<String> =
            text.to_lowercase().split(' ').flat_map(str::chars).map(String::from).collect();
        let rows: Vec<String> = letters.windows(13).map(|row| row.concat()).collect();
        let twice = rows.iter().filter(|row| rows.iter().filter(|other| other == row).count() > 1).count();
        let share = twice as f64 / rows.len().max(1) as f64;
        assert_eq!(found.repeated_13chars, (found.han_chars >= 0.1).then_some(share));
    }
}

#[test]
fn lines_and_paragraphs_that_stood_before_are_counted() {
    let found = signals("one\ntwo\n\none\ntwo\n\nlast", "eng");
    assert_eq!((found.dup_paragraphs, found.dup_lines), (1.0 / 3.0, 2.0 / 5.0));
    assert_eq!((found.dup_paragraph_chars, found.dup_line_chars), (7.0 / 22.0, 6.0 / 22.0));
    // FineWeb counts lines with text, without line breaks.
    assert_eq!(found.repeated_line_chars, Some(6.0 / 16.0));
    assert_eq!((found.terminated_lines, found.short_lines), (Some(0.0), Some(1.0)));
    assert_eq!(found.line_breaks_per_word, Some(6.0 / 5.0));
    let ends = signals("一句话。\nIs it? Yes!\nno", "zho");
    assert_eq!(ends.terminated_lines, Some(2.0 / 3.0));
}

#[test]
fn c4_keeps_sentences() {
    let long = format!("A word of {} letters.", "x".repeat(1001));
    let text = format!(
        "Home | News\nThe first line[12] is kept. It has two sentences.\nToo short.\nEnable JavaScript to read this.\nRead our privacy policy, please.\n{long}\n\
         It trails off...\nHe said [edit] \"stop it\"\nWas it so? Yes! It was."
    );
    let kept = "The first line is kept. It has two sentences.\nHe said  \"stop it\"\nWas it so? Yes! It was.";
    assert_eq!(c4_lines(&text).as_deref(), Some(kept));
    let found = signals(&text, "eng");
    assert_eq!((found.c4_sentences, found.javascript_lines, found.policy_lines), (6, 1, 1));
    assert!(!found.lorem_ipsum && !found.curly_bracket);
    assert!(signals("Lorem ipsum dolor sit amet.", "eng").lorem_ipsum);
    assert!(signals("A line of { code is here.", "eng").curly_bracket);
    assert_eq!(c4_lines("no sentence"), None);
}

#[test]
fn letters_words_and_scripts_are_shares() {
    let found = signals("NATO and nato met in 2024.", "eng");
    assert_eq!(found.distinct_words, Some(5.0 / 6.0));
    assert!((found.word_entropy.unwrap() - (4.0 / 6.0 * 6f64.ln() + 2.0 / 6.0 * 3f64.ln())).abs() < 1e-12);
    assert_eq!((found.capital_words, found.stop_word_share), (Some(1.0 / 6.0), Some(2.0 / 6.0)));
    assert_eq!((found.capital_chars, found.digit_chars), (4.0 / 26.0, 4.0 / 26.0));
    let chinese = signals("北京大学\n\n网页 ab", "zho");
    assert_eq!((chinese.num_chars, chinese.mean_line_chars, chinese.han_chars), (11, Some(4.5), 6.0 / 11.0));
}

#[test]
fn personal_data_is_counted_and_hidden() {
    let text = "邮箱kim.li+x@mail.univ.example.org，电话 138 0013 8000 或 (212) 555-1234; +49 (0)30 1234567, host 8.8.8.8, not 192.168.0.1, v1.2.3.4.5, ISBN 978-3-16-148410-0, 2024-11-28, a@b";
    let found = signals(text, "zho");
    assert_eq!((found.emails, found.ip_addresses, found.phone_numbers), (1, 1, 3));
    let (masked, n) = mask(text);
    assert_eq!(n, 5);
    assert_eq!(
        masked.matches(MASKS[0]).count()
            + masked.matches(MASKS[1]).count()
            + masked.matches(MASKS[2]).count(),
        5
    );
    let kept = "react@18.2.0 git@host.example +10 000 000 +3.14159265 123-456-7890 2024-11-28 10:00";
    assert_eq!(mask(kept).1, 0, "{}", mask(kept).0);
    let (masked, n) = mask("+86 13812345678 13912345678 or +49 30 1234567 24/7, user=kim@x.org");
    assert_eq!(n, 4, "{masked}");
    assert!(masked.contains("24/7") && masked.contains("user=email@"), "{masked}");
    // What is hidden is hidden once.
    assert_eq!(mask(&masked), (std::borrow::Cow::Borrowed(&*masked), 0));
}

#[test]
fn words_of_a_list_stand_alone_where_a_language_has_spaces() {
    let list = WordList::of_lines("# a comment\nass\nbad luck\n坏\n").unwrap();
    assert_eq!(list.count("An ASS, no class; Bad luck! bad  luck", Some("eng")), 2);
    assert_eq!(WordList::of_lines("\u{FEFF}sex\nsex sho").unwrap().count("sex shop", Some("eng")), 1);
    assert_eq!((list.count("好坏坏", Some("zho")), list.count("好坏", Some("eng"))), (2, 0));
    assert!(WordList::of_lines("\n").is_err());
}

fn condition(text: &str) -> webmill_capture::Result<Expression> {
    let columns = [
        ("num_words", Operand::Number(0.0)),
        ("dup_lines", Operand::Number(0.0)),
        ("language", Operand::Text("")),
        ("curly_bracket", Operand::Bool(false)),
    ];
    Expression::parse(text, &columns)
}

#[test]
fn conditions_hold_as_in_sql() {
    let of = |text: &str, values: [(&str, Operand<'_>); 4]| {
        let condition = condition(text).unwrap();
        let row: Vec<_> = condition
            .columns()
            .iter()
            .map(|name| values.iter().find(|(known, _)| known == name).unwrap().1)
            .collect();
        condition.holds(&row)
    };
    let row = [
        ("num_words", Operand::Number(60.0)),
        ("dup_lines", Operand::Null),
        ("language", Operand::Text("zho")),
        ("curly_bracket", Operand::Bool(false)),
    ];
    for (text, wanted) in [
        ("num_words >= 50 and language = 'zho'", Some(true)),
        ("num_words >= 50 AND NOT language = 'zho'", Some(false)),
        ("not curly_bracket or num_words < 1e1", Some(true)),
        ("dup_lines < 0.3", None),
        ("dup_lines < 0.3 or num_words = 60", Some(true)),
        ("dup_lines < 0.3 and num_words = 61", Some(false)),
        ("not (dup_lines < 0.3)", None),
        ("dup_lines is null and num_words is not null", Some(true)),
        ("num_words / 0 > 1", None),
        ("(num_words - 10) * 2 = 100 and num_words + 1.5 > 61", Some(true)),
        ("language in ('eng', 'zho') and language not in ('it''s')", Some(true)),
        ("num_words > -1 and language != 'a'", Some(true)),
        ("true and num_words <> 3", Some(true)),
    ] {
        assert_eq!(of(text, row), wanted, "{text}");
    }
    let found = condition("dup_lines > 0.3 and language = 'x'").unwrap();
    assert_eq!(
        found.values(&[Operand::Number(1.0 / 3.0), Operand::Text("x")]),
        "dup_lines = 0.333333, language = 'x'"
    );
}

#[test]
fn mistakes_in_conditions_name_place_and_near_columns() {
    for (text, wanted) in [
        ("num_word > 3", "character 1: no column is called \"num_word\"; near it: num_words"),
        ("num_words > 'a'", "number and text do not go together here"),
        ("num_words", "it has no comparison"),
        ("num_words >", "something is missing at the end"),
        ("(num_words > 1", ") is missing"),
        ("num_words > 1 1", "\"1\" is not expected here"),
        ("language = 'x", "character 12: the quote is not closed"),
        ("num_words > 1 & true", "'&' is no sign of a condition"),
        ("language = \"x\"", "texts stand in single quotes"),
        ("language = null", "write is null, or is not null"),
        ("num_words > -nan", "a number is missing behind -"),
        ("not num_words", "only a condition can be turned round by not"),
        ("language in (1)", "it is of another type than the column"),
        ("num_words > 1e999", "1e999 is no number"),
        ("zzzzzz > 1", "no column is called \"zzzzzz\""),
    ] {
        let error = condition(text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    assert!(
        condition(&format!("{}true{}", "(".repeat(65), ")".repeat(65)))
            .unwrap_err()
            .to_string()
            .contains("64 parentheses")
    );
    assert!(condition(&"true and ".repeat(600)).is_err());
}

#[test]
fn shipped_filters_ask_for_signals_that_there_are() {
    macro_rules! names {
        ($($field:ident : $ty:ty = $desc:literal, $example:literal;)+) => { [$(stringify!($field)),+] };
    }
    let names = signal_columns!(names);
    for (name, text) in SHIPPED {
        for line in text.lines().filter(|line| line.starts_with("drop") || line.starts_with("keep")) {
            let column = line.split('"').nth(1).unwrap().split(' ').next().unwrap();
            assert!(names.contains(&column), "{name}: {line}");
        }
    }
}

#[test]
fn texts_that_hold_items_are_found_with_their_places() {
    let item = "Which of these planets has the longest day when it is measured against the stars, Venus or Mars or Neptune?";
    let mut items = Contamination::new(0.5);
    assert!(items.add(item));
    assert!(!items.add("too short for it"));
    assert!(items.add("eight words are an item all by themselves"));
    let text = "Before it.\nwhich OF these planets has the longest day, when it is measured against the stars: Venus or Mars or Neptune\nBehind it.";
    let held = items.of(text);
    assert_eq!((held.len(), held[0].item, held[0].share), (1, 0, 1.0));
    assert_eq!(text.get(held[0].places[0].clone()), text.lines().nth(1));
    // Half of it is enough, less is not.
    let words: Vec<&str> = item.split(' ').collect();
    assert_eq!(items.of(&words[..17].join(" "))[0].share, 5.0 / 8.0);
    assert!(items.of(&words[..15].join(" ")).is_empty());
    assert_eq!(items.of("Eight words ARE an item, all by themselves!")[0].item, 2);
    // A row that many items have is a formula, and tells of none.
    let mut many = Contamination::new(0.5);
    let formula = "answer the following question about the history of the world in one sentence please";
    for number in 0..100 {
        many.add(&format!("{formula} item number {number} {}", "w".repeat(number + 1)));
    }
    assert!(many.of(formula).is_empty());
    assert_eq!(many.of(&format!("{formula} item number 7 {}", "w".repeat(8)))[0].item, 7);
}
