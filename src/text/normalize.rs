//! Text in the form in which two texts are compared, never shown.
//!
//! **Definition.** Compatibility composition (NFKC: full-width letters become ASCII, half-width katakana full, ligatures
//! letters), Unicode case folding, characters without appearance (soft hyphen, zero-width space, joiners, variation
//! selectors, byte order mark) removed, each run of white space one space, none at the ends.
//!
//! **Algorithm.** Fold(x) = lower(upper(lower(x))) character by character, which is full case folding but for the dotless
//! ı (kept as it is); composed again afterwards, because folding may take characters apart. The result is a fixed point.
//!
//! **Cost.** Linear; ASCII takes a byte loop.
//!
//! **Reference.** Unicode Standard Annex 15 (normalisation forms), chapter 3.13 (caseless matching).

use unicode_normalization::UnicodeNormalization;

/// The comparison form of `text`.
///
/// # Examples
/// ```
/// assert_eq!(webmill::text::normalize("  Ｗｅｂ\u{3000}ﬁle STRASSE "), "web file strasse");
/// ```
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    normalize_into(text, &mut out);
    out
}

/// Appends the comparison form of `text` to `out`.
pub fn normalize_into(text: &str, out: &mut String) {
    let start = out.len();
    let mut gap = false;
    let mut push = |c: char| {
        if c.is_whitespace() {
            gap = true;
            return;
        }
        if std::mem::take(&mut gap) && out.len() > start {
            out.push(' ');
        }
        out.push(c);
    };
    if text.is_ascii() {
        text.chars().for_each(|c| push(c.to_ascii_lowercase()));
    } else {
        text.chars().filter(|&c| !is_invisible(c)).nfkc().flat_map(fold).nfkc().for_each(push);
    }
}

/// Full case folding of one character.
fn fold(c: char) -> impl Iterator<Item = char> {
    // Upper-casing the dotless ı would make it an i, which case folding does not.
    let same = c.is_ascii() || c == 'ı';
    let plain = same.then(|| c.to_ascii_lowercase());
    let folded = (!same).then(|| c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase));
    plain.into_iter().chain(folded.into_iter().flatten())
}

/// Default ignorable characters that occur in pages.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folds_width_case_and_space() {
        let cases = [
            ("", ""),
            (" \t\n ", ""),
            ("Hello   World\r\n", "hello world"),
            ("ＡＢＣ１２３！", "abc123!"),
            ("ｶﾞｷﾞ", "ガギ"),
            ("\u{A0}a\u{3000}b\u{2003}", "a b"),
            ("Straße", "strasse"),
            ("STRASSE", "strasse"),
            ("ΟΔΥΣΣΕΥΣ Ὀδυσσεύς", "οδυσσευσ ὀδυσσεύσ"),
            ("e\u{301}", "é"),
            ("co\u{AD}op\u{200B}", "coop"),
            ("㈱", "(株)"),
            ("ﬀ", "ff"),
            ("ıI", "ıi"),
        ];
        for (text, expected) in cases {
            assert_eq!(normalize(text), expected, "{text:?}");
        }
    }

    #[test]
    fn appending_starts_without_a_gap() {
        let mut out = "x ".to_owned();
        normalize_into("  A  B ", &mut out);
        assert_eq!(out, "x a b");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn is_a_fixed_point(text in "(\\PC|[\u{300}-\u{345}ΐßŉİıſﬃ ]|[ａ-ｚＡ-Ｚ]){0,40}") {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }

        #[test]
        fn case_does_not_matter(text in "[ -~à-ÿÀ-Þα-ωΑ-Ωа-яА-Я]{0,40}") {
            prop_assert_eq!(normalize(&text.to_uppercase()), normalize(&text.to_lowercase()));
        }

        #[test]
        fn the_ascii_loop_equals_the_general_one(text in "[ -~\t\r\n]{0,60}") {
            let general = normalize(&format!("{text}é"));
            let ascii = normalize(&text);
            let gap = if text.ends_with(char::is_whitespace) && !ascii.is_empty() { " " } else { "" };
            prop_assert_eq!(format!("{ascii}{gap}é"), general);
        }
    }
}
