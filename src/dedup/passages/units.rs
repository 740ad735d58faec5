//! The units of a text that passages are made of, and where each stands in the text.
//!
//! **Definition.** The text is folded by NFKC and full case folding, characters without appearance (soft hyphen,
//! zero-width space) removed; every run of anything that is no letter or digit separates. In scripts that are written without
//! spaces (Han, kana, bopomofo, Thai, Lao, Khmer, Myanmar) a unit is a letter, elsewhere a word: a maximal run of letters
//! and digits. A combining mark belongs to the letter before it. A text in several scripts is decided run by run: `用Rust写`
//! is 用 · rust · 写.
//!
//! **Algorithm.** NFKC acts within *groups*: a character that nothing before it can combine with, and those after it that
//! can. Each group is folded by itself, so every folded character knows the bytes that it came from; ASCII and common
//! ideographs and syllables are groups by themselves and take no table.
//!
//! **Cost.** Linear; 16 bytes a unit. Exact but for collisions of the 63-bit hashes.
//!
//! **Reference.** Unicode Standard Annex 15, "Unicode Normalization Forms", §9 (characters that compose with what stands
//! before them).

use std::ops::Range;
use webmill_capture::cut::Cut;

use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use webmill_text::normalize_into;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a text a unit, for a start: English has 6, Chinese 3.
const LEAST_BYTES: usize = 6;

/// The units of a text in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// Hash of each unit. The lowest bit says whether it is a letter of a script without spaces.
    hashes: Vec<u64>,
    /// Bytes of each unit in the text.
    spans: Vec<(u32, u32)>,
}

impl Units {
    /// The units of `text`, of its first 4 GiB if it is longer.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Units;
    /// let text = "A Rose, 用Rust写";
    /// let units = Units::of(text);
    /// let found: Vec<&str> = (0..units.len()).map(|i| &text[units.bytes(i..i + 1)]).collect();
    /// assert_eq!(found, ["A", "Rose", "用", "Rust", "写"]);
    /// assert_eq!(units.hashes()[1], Units::of("ｒｏｓｅ").hashes()[0]);
    /// ```
    pub fn of(text: &str) -> Self {
        let text = text.cut(..text.floor_char_boundary(u32::MAX as usize));
        let mut units = Builder::default();
        // Words are mostly longer than that, so that room is seldom looked for again.
        units.units.hashes.reserve(text.len() / LEAST_BYTES);
        units.units.spans.reserve(text.len() / LEAST_BYTES);
        fold(text, &mut units);
        units.finish()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether the text has no letter or digit.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Hashes of the units: equal units have equal ones, wherever they stand.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Whether unit `i` is a letter of a script without spaces, and no word.
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn is_letter(&self, i: usize) -> bool {
        self.hashes[i] & 1 == 1
    }

    /// Bytes of the text from the first of these units to the end of the last; empty if there are none.
    ///
    /// # Panics
    /// If there are no such units.
    pub fn bytes(&self, units: Range<usize>) -> Range<usize> {
        match &self.spans[units] {
            [] => 0..0,
            [first, .., last] => first.0 as usize..last.1 as usize,
            [only] => only.0 as usize..only.1 as usize,
        }
    }

    /// Bytes of memory that they take.
    pub fn memory_bytes(&self) -> usize {
        8 * (self.hashes.capacity() + self.spans.capacity())
    }
}

/// Gives `units` every character of the folded text and the bytes of the group that it came from. What separates is given as a blank.
fn fold(text: &str, units: &mut Builder) {
    let bytes = text.as_bytes();
    let mut folded = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x80 {
            let end = ascii_end(bytes, at);
            if end > at {
                units.ascii(&bytes[at..end], at as u32);
                at = end;
                continue;
            }
        }
        let mut rest = text.cut(at..).char_indices();
        let first = rest.next().map_or('\0', |(_, c)| c);
        let end = rest.find(|&(_, c)| starts_group(c)).map_or(text.len(), |(i, _)| at + i);
        let mut each = |c| units.push(c, at as u32, end as u32);
        if end == at + first.len_utf8() && is_simple(first) {
            each(first);
        } else {
            // White space at the ends of a group is lost when it is folded alone.
            if std::iter::once(first).nfkd().next().is_some_and(char::is_whitespace) {
                each(' ');
            }
            folded.clear();
            normalize_into(text.cut(at..end), &mut folded);
            folded.chars().for_each(each);
        }
        at = end;
    }
}

/// Where the ASCII that begins at `at` ends, but for a last character that what follows may combine with.
fn ascii_end(bytes: &[u8], at: usize) -> usize {
    match bytes[at..].iter().position(|b| !b.is_ascii()) {
        Some(length) => at + length - 1,
        None => bytes.len(),
    }
}

/// Letters that folding leaves as they are.
fn is_simple(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}')
}

/// Whether nothing that stands before `c` can combine with it.
fn starts_group(c: char) -> bool {
    if c.is_ascii() || is_simple(c) || matches!(c, '\u{C0}'..='\u{17F}' | '\u{410}'..='\u{44F}' | '가'..='힣')
    {
        return true;
    }
    let Some(first) = std::iter::once(c).nfkd().next() else { return true };
    let alone =
        canonical_combining_class(first) == 0 && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe;
    // What is removed parts nothing: the mark after a zero-width space still combines with the letter before it.
    alone && (c.is_alphanumeric() || !is_removed(c))
}

/// Whether folding removes `c`, which is no white space.
fn is_removed(c: char) -> bool {
    let mut utf8 = [0; 4];
    let mut folded = String::new();
    normalize_into(c.encode_utf8(&mut utf8), &mut folded);
    folded.is_empty() && !c.is_whitespace()
}

/// Letters of scripts that are written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{303C}' | '\u{3040}'..='\u{312F}' | '\u{31A0}'..='\u{31BF}'
        | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Joins folded characters into units.
#[derive(Default)]
struct Builder {
    units: Units,
    /// The unit that is being read, in UTF-8; empty between units.
    unit: Vec<u8>,
    letter: bool,
    span: (u32, u32),
}

impl Builder {
    /// Takes ASCII that stands at `from`.
    fn ascii(&mut self, text: &[u8], from: u32) {
        let mut at = 0;
        while at < text.len() {
            let length = text[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
            if length == 0 {
                self.end();
                at += 1;
                continue;
            }
            if self.letter {
                self.end();
                self.letter = false;
            }
            if self.unit.is_empty() {
                self.span.0 = from + at as u32;
            }
            self.unit.extend(text[at..at + length].iter().map(u8::to_ascii_lowercase));
            at += length;
            self.span.1 = from + at as u32;
        }
    }

    #[inline]
    fn push(&mut self, c: char, from: u32, to: u32) {
        if c.is_ascii() {
            match c.is_ascii_alphanumeric() {
                true => self.append(c, false, from, to),
                false => self.end(),
            }
        } else if is_combining_mark(c) {
            // One that stands on nothing that counts is no unit.
            if !self.unit.is_empty() {
                self.append(c, self.letter, from, to);
            }
        } else if !c.is_alphanumeric() {
            self.end();
        } else {
            let letter = is_unspaced(c);
            if letter {
                self.end();
            }
            self.append(c, letter, from, to);
        }
    }

    #[inline]
    fn append(&mut self, c: char, letter: bool, from: u32, to: u32) {
        if letter != self.letter {
            self.end();
            self.letter = letter;
        }
        if self.unit.is_empty() {
            self.span.0 = from;
        }
        self.span.1 = to;
        match c.is_ascii() {
            true => self.unit.push(c as u8),
            false => self.unit.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }

    #[inline]
    fn end(&mut self) {
        if !self.unit.is_empty() {
            self.units.hashes.push(xxh3_64(&self.unit) & !1 | u64::from(self.letter));
            self.units.spans.push(self.span);
            self.unit.clear();
        }
    }

    fn finish(mut self) -> Units {
        self.end();
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use webmill_text::normalize;

    fn slices(text: &str) -> Vec<&str> {
        let units = Units::of(text);
        (0..units.len()).map(|i| text.cut(units.bytes(i..i + 1))).collect()
    }

    #[test]
    fn units_are_words_or_letters_by_script() {
        let cases: [(&str, &[&str]); 15] = [
            ("", &[]),
            ("… — !? \0\u{1b}", &[]),
            ("one", &["one"]),
            ("  one, two;three\n", &["one", "two", "three"]),
            ("a_b c-d 3.14", &["a", "b", "c", "d", "3", "14"]),
            ("用Rust写的web网页", &["用", "Rust", "写", "的", "web", "网", "页"]),
            ("カタカナー", &["カ", "タ", "カ", "ナ", "ー"]),
            ("ｶﾞｷﾞ", &["ｶﾞ", "ｷﾞ"]),
            ("ＷＥＢ　ＭＩＬＬ", &["ＷＥＢ", "ＭＩＬＬ"]),
            ("한국어 문서", &["한국어", "문서"]),
            ("ภาษาไทย", &["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
            ("हिन्दी पाठ", &["हिन्दी", "पाठ"]),
            ("co\u{AD}op e\u{301}te\u{301}", &["co\u{AD}op", "e\u{301}te\u{301}"]),
            ("\u{301}\u{301} x", &["x"]),
            ("Привет, мир", &["Привет", "мир"]),
        ];
        for (text, expected) in cases {
            assert_eq!(slices(text), expected, "{text:?}");
        }
    }

    #[test]
    fn units_are_equal_in_every_form() {
        for (a, b) in [
            ("Été STRASSE ﬁle", "e\u{301}te\u{301} straße file"),
            ("ｶﾞｷﾞ", "ガギ"),
            ("ＡＢＣ　１２３", "abc 123"),
            ("co\u{AD}op, ze\u{200B}ro", "coop zero"),
            ("e\u{200B}\u{301}", "é"),
            ("ᾳ", "αι"),
        ] {
            assert_eq!(Units::of(a).hashes(), Units::of(b).hashes(), "{a:?} {b:?}");
        }
        // The letter 用 is not the word that would have the same characters.
        assert!(Units::of("用").is_letter(0) && !Units::of("a").is_letter(0));
    }

    #[test]
    fn a_word_of_a_million_marks_is_one_unit() {
        let text = format!("a{} b", "\u{301}".repeat(1_000_000));
        assert_eq!(Units::of(&text).len(), 2);
        assert_eq!(Units::of(&"x".repeat(3_000_000)).len(), 1);
    }

    /// The definition, literally: the whole text folded at once.
    fn by_definition(text: &str) -> Vec<u64> {
        let mut builder = Builder::default();
        normalize(text).chars().for_each(|c| builder.push(c, 0, 0));
        builder.finish().hashes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn folding_by_groups_is_folding_the_whole(
            text in "([ -~\t\n]|[\u{C0}-\u{17F}]|[Α-ωА-яЁё]|[–—‘’“”、。]|[ぁ-んァ-ヺ一-龥가-힣]|[\u{300}-\u{304}\u{345}\u{3099}\u{1161}\u{11A8}\u{AD}\u{200B}]|[ａ-ｚ…¨ﷺ　ｶﾞﾟ]|[ก-์क-्]|\\PC){0,40}"
        ) {
            prop_assert_eq!(Units::of(&text).hashes, by_definition(&text));
        }

        #[test]
        fn spans_ascend_and_lie_on_characters(text in "(\\PC|[ a-c1.,\u{301}]|[一-鿿]){0,60}") {
            let units = Units::of(&text);
            let mut last = 0;
            for i in 0..units.len() {
                let bytes = units.bytes(i..i + 1);
                prop_assert!(bytes.start >= last && bytes.start < bytes.end);
                prop_assert!(text.is_char_boundary(bytes.start) && text.is_char_boundary(bytes.end));
                // Units of one group, as of a ligature of several words, share their bytes.
                last = bytes.start;
            }
        }
    }
}
