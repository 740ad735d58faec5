//! Words of a text in document order.
//!
//! **Definition.** A maximal run of Han ideographs is cut by jieba's dictionary; everything else is cut at the word
//! boundaries of Unicode Annex 29, and a segment counts as a word if it holds a letter or a digit. Punctuation, symbols
//! and white space are no words. Runs of Thai, Lao, Khmer and Burmese, which are written without spaces as well, are cut by the
//! dictionaries of ICU; kana fall into single characters, as the Annex has it. Words are slices of the input: nothing is folded here (see
//! [`normalize`](crate::normalize())).
//!
//! **Algorithm.** The Annex breaks on both sides of every ideograph, so cutting the text at the edges of Han runs moves
//! no other boundary. jieba takes the most probable route through a fixed dictionary, without its hidden Markov model,
//! which joins unknown characters into words of its own making: on 0.7 MB of Chinese pages two in five of the distinct
//! words were in no dictionary then and most of them occurred once, at the same speed, and an edit touched as many words.
//! So the vocabulary stays closed, and counts by word mean something.
//!
//! **Cost.** Linear. Han runs longer than 256 characters are cut window by window, each window restarted at the first
//! word boundary among the last 32 characters of the one before, so memory is constant and a seam shows only where two
//! routes had not met by then. ASCII stretches take a byte loop instead of the Annex's tables.
//!
//! **Reference.** Unicode Standard Annex 29, "Unicode Text Segmentation".

use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use encoding_rs::Encoding;
use icu_segmenter::options::LineBreakOptions;
use icu_segmenter::{LineSegmenter, LineSegmenterBorrowed};
use jieba_rs::Jieba;
use unicode_segmentation::UnicodeSegmentation;

/// Han characters given to the dictionary at once.
const WINDOW: usize = 256;

/// Tail of a window in which the next one starts: twice the longest dictionary word.
const OVERLAP: usize = 32;

/// The dictionary, built on first use and shared by all threads.
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// Reads the dictionary, if nobody did.
pub(crate) fn load() {
    LazyLock::force(&JIEBA);
}

/// Breaks runs of scripts of Southeast Asia by dictionary. That of lines holds the dictionaries of these scripts alone; within a run, a
/// line may be broken between words and nowhere else.
static SOUTHEAST_ASIAN: LazyLock<LineSegmenterBorrowed<'static>> =
    LazyLock::new(|| LineSegmenter::new_dictionary(LineBreakOptions::default()));

/// Calls `each` with every word of `text`, in order.
///
/// # Examples
/// ```
/// let mut found = Vec::new();
/// webmill_text::words("Hello, 我们去北京。", |word| found.push(word));
/// assert_eq!(found, ["Hello", "我们", "去", "北京"]);
/// ```
pub fn words<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut start = 0; // of the stretch of other scripts being passed over
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            at += Encoding::ascii_valid_up_to(&bytes[at..]);
            continue;
        }
        // Every ideograph starts with one of these bytes: other scripts never reach the decoder.
        if !matches!(bytes[at], 0xE3..=0xE9 | 0xEF | 0xF0) {
            at += 1;
            continue;
        }
        let han = han_len(text.cut(at..));
        if han == 0 {
            at += if bytes[at] < 0xF0 { 3 } else { 4 };
            continue;
        }
        spaced_words(text.cut(start..at), &mut each);
        han_words(text.cut(at..at + han), &mut each);
        at += han;
        start = at;
    }
    spaced_words(text.cut(start..), &mut each);
}

/// Calls `each` with every piece of a text as jieba itself cuts it, with its hidden Markov model, signs and blanks too: for measures that
/// were published with these words. `text` is given to the dictionary at once.
pub fn dictionary_words<'a>(text: &'a str, each: &mut dyn FnMut(&'a str)) {
    JIEBA.cut(text, true).into_iter().for_each(|token| each(token.word));
}

/// Whether `c` is an ideograph that may be in jieba's dictionary.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{F900}'..='\u{FA6D}' | '\u{FA70}'..='\u{FAD9}'
        | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2EBE0}' | '\u{2F800}'..='\u{2FA1D}')
}

/// Length in bytes of the Han run at the start of `text`.
fn han_len(text: &str) -> usize {
    text.char_indices().find(|&(_, c)| !is_han(c)).map_or(text.len(), |(i, _)| i)
}

fn han_words<'a>(mut run: &'a str, each: &mut impl FnMut(&'a str)) {
    // One ideograph is a word: no dictionary is loaded for a stray one among other scripts.
    if run.chars().nth(1).is_none() {
        each(run);
        return;
    }
    while let Some((end, _)) = run.char_indices().nth(WINDOW) {
        let window = run.cut(..end);
        let safe = window.char_indices().nth_back(OVERLAP - 1).map_or(end, |(i, _)| i);
        let mut next = end;
        for token in JIEBA.cut(window, false) {
            if token.byte_start >= safe {
                next = token.byte_start;
                break;
            }
            each(token.word);
        }
        run = run.cut(next..);
    }
    for token in JIEBA.cut(run, false) {
        each(token.word);
    }
}

/// Words by Annex 29 of a text without ideographs.
fn spaced_words<'a>(text: &'a str, each: &mut impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let wide = start + Encoding::ascii_valid_up_to(&bytes[start..]);
        let ascii_end = if wide == bytes.len() { wide } else { start + cut_before(&bytes[start..wide]) };
        ascii_words(text.cut(start..ascii_end), each);
        // From here by the tables, up to a blank that is followed by ASCII: no rule of the Annex looks across it, and
        // no combining mark makes the blank part of a word.
        let end = (wide + 1..bytes.len())
            .find(|&i| is_blank(bytes[i - 1]) && bytes[i].is_ascii())
            .unwrap_or(bytes.len());
        if ascii_end < bytes.len() {
            wide_words(text.cut(ascii_end..end), each);
        }
        start = end;
    }
}

/// Words of a text by the tables of the Annex, and by dictionary of the scripts that need one.
fn wide_words<'a>(mut text: &'a str, each: &mut impl FnMut(&'a str)) {
    while let Some(start) = text.find(is_southeast_asian) {
        let (before, rest) = text.split_at(start);
        before.unicode_words().for_each(&mut *each);
        let mut end = rest.find(|c| !is_southeast_asian(c)).unwrap_or(rest.len());
        if let Some((most, _)) = rest.char_indices().nth(RUN).filter(|(most, _)| *most < end) {
            end = most;
        }
        let (run, behind) = rest.split_at(end);
        let mut from = 0;
        for to in SOUTHEAST_ASIAN.segment_str(run) {
            let word = run.cut(from..to);
            if word.contains(char::is_alphanumeric) {
                each(word.trim_matches(|c: char| !is_part_of_word(c)));
            }
            from = to;
        }
        text = behind;
    }
    text.unicode_words().for_each(&mut *each);
}

/// Characters of a run that are given to the dictionary at once: its cost by the length of a run is not known to be linear.
const RUN: usize = 4096;

/// Whether a character is of a script whose words are found by dictionary: Thai, Lao, Burmese, Khmer.
fn is_southeast_asian(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{A9E0}'..='\u{A9FE}' | '\u{AA60}'..='\u{AA7F}')
}

/// Whether a character of these scripts is a letter, a digit or a mark on one, and no punctuation.
fn is_part_of_word(c: char) -> bool {
    !matches!(c, '\u{E2F}' | '\u{E3F}' | '\u{E4F}' | '\u{E5A}' | '\u{E5B}' | '\u{EAF}' | '\u{104A}'..='\u{104F}' | '\u{17D4}'..='\u{17DA}')
}

/// Where an ASCII stretch that is followed by another character may be cut so that no rule sees the seam.
fn cut_before(ascii: &[u8]) -> usize {
    match ascii.iter().rposition(|&b| !is_blank(b)) {
        Some(last) if last + 1 < ascii.len() => last + 1,
        Some(last) => ascii[..last].iter().rposition(|&b| is_blank(b)).map_or(0, |i| i + 1),
        None => 0,
    }
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\n' | b'\r' | b'\t')
}

/// What Annex 29 says of ASCII: letters, digits and underscores stick together; `'` `.` `:` join two letters, `'` `.`
/// `,` `;` two digits.
fn ascii_words<'a>(text: &'a str, each: &mut impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut runs = WordBytes::new(bytes);
    let mut at = 0;
    loop {
        let begin = runs.next(at, true);
        if begin >= bytes.len() {
            return;
        }
        let mut end = runs.next(begin, false);
        while end + 1 < bytes.len() && joins(bytes[end - 1], bytes[end], bytes[end + 1]) {
            end = runs.next(end + 1, false);
        }
        // A word that begins with an underscore may hold nothing else.
        if bytes[begin] != b'_' || bytes[begin..end].iter().any(|b| *b != b'_') {
            each(text.cut(begin..end));
        }
        at = end;
    }
}

/// Whether the middle one of three characters joins the words before and behind it.
#[inline]
fn joins(before: u8, between: u8, after: u8) -> bool {
    let letters_or_digits = match between {
        b'\'' | b'.' => LETTER | DIGIT,
        b':' => LETTER,
        b',' | b';' => DIGIT,
        _ => return false,
    };
    CLASS[before as usize] & CLASS[after as usize] & letters_or_digits != 0
}

/// Where letters, digits and underscores begin and end, found in blocks of 64 bytes at once.
struct WordBytes<'a> {
    bytes: &'a [u8],
    /// Of the block at hand.
    block: usize,
    /// Which of its bytes belong to words, the first one lowest.
    mask: u64,
}

impl<'a> WordBytes<'a> {
    const BLOCK: usize = 64;

    fn new(bytes: &'a [u8]) -> Self {
        WordBytes { bytes, block: 0, mask: Self::mask(bytes) }
    }

    /// The first byte from `at` on that belongs to a word, or that does not; the length where none does.
    #[inline]
    fn next(&mut self, at: usize, of_word: bool) -> usize {
        let (mut block, mut within) = (at / Self::BLOCK, at % Self::BLOCK);
        loop {
            if block != self.block {
                let Some(rest) = self.bytes.get(block * Self::BLOCK..).filter(|rest| !rest.is_empty()) else {
                    return self.bytes.len();
                };
                (self.block, self.mask) = (block, Self::mask(rest));
            }
            let found = (if of_word { self.mask } else { !self.mask }) >> within;
            if found != 0 {
                return (block * Self::BLOCK + within + found.trailing_zeros() as usize)
                    .min(self.bytes.len());
            }
            (block, within) = (block + 1, 0);
        }
    }

    /// Which of the first 64 bytes belong to words.
    #[inline]
    fn mask(bytes: &[u8]) -> u64 {
        let mut block = [0; Self::BLOCK];
        match bytes.first_chunk() {
            Some(whole) => block = *whole,
            None => block[..bytes.len()].copy_from_slice(bytes),
        }
        let mut is_word = [0; Self::BLOCK];
        for (is_word, b) in is_word.iter_mut().zip(block) {
            let letter = (b | 0x20).wrapping_sub(b'a') < 26;
            let digit = b.wrapping_sub(b'0') < 10;
            *is_word = u8::from(letter | digit | (b == b'_'));
        }
        // Eight bytes of 0 or 1 become eight bits: the product has the sum of their shifts in its highest byte.
        let (eights, _) = is_word.as_chunks();
        eights.iter().rev().fold(0, |mask, eight| {
            mask << 8 | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56
        })
    }
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;

const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut b = 0;
    while b < 128 {
        class[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            _ => OTHER,
        };
        b += 1;
    }
    class
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        words(text, |word| found.push(word));
        found
    }

    #[test]
    fn cuts_each_run_by_its_script() {
        let cases: [(&str, &[&str]); 13] = [
            ("", &[]),
            (" \n…—!", &[]),
            ("can't e.g. 3.14 1,000 a_b __ x", &["can't", "e.g", "3.14", "1,000", "a_b", "x"]),
            ("12:30 a:b 1;2 1.a", &["12", "30", "a:b", "1;2", "1", "a"]),
            ("naïve café", &["naïve", "café"]),
            ("“Well,” she said", &["Well", "she", "said"]),
            ("我们中出了一个叛徒", &["我们", "中", "出", "了", "一个", "叛徒"]),
            ("用Rust写的web网页，第3版。", &["用", "Rust", "写", "的", "web", "网页", "第", "3", "版"]),
            ("Привет, мир", &["Привет", "мир"]),
            ("カタカナ語", &["カタカナ", "語"]),
            ("ひら", &["ひ", "ら"]),
            ("한국어 문서", &["한국어", "문서"]),
            ("שלום עולם", &["שלום", "עולם"]),
        ];
        for (text, expected) in cases {
            assert_eq!(list(text), expected, "{text:?}");
        }
    }

    #[test]
    fn scripts_of_southeast_asia_are_cut_by_dictionary() {
        let text = "สถานีสัญญาณมีบันได94ขั้น ພາສາລາວ ខ្ញុំទៅសាលារៀន។ ကျွန်တော်မြန်မာစကားပြောတယ် Thai ภาษาไทย!";
        let found = list(text).join(" ");
        assert_eq!(
            found,
            "สถานี สัญญาณ มี บันได 94 ขั้น ພາສາ ລາວ ខ្ញុំ ទៅ សាលារៀន ကျွန်တော် မြန်မာ စကားပြော တယ် Thai ภาษา ไทย"
        );
        for text in ["ก", "สั", "๐", "ๆ", "\u{e31}", "ကြ"] {
            let run = text.repeat(60_000);
            assert!(list(&run).iter().map(|word| word.len()).sum::<usize>() <= run.len());
        }
    }

    #[test]
    fn long_han_runs_are_cut_in_windows_without_a_seam() {
        let sentence = "中华人民共和国的网页数据经过清洗以后可以用来研究语言的变化";
        let run = sentence.repeat(40_000);
        let mut count = 0;
        let mut bytes = 0;
        words(&run, |word| {
            count += 1;
            bytes += word.len();
        });
        assert_eq!(bytes, run.len());
        assert_eq!(count, list(sentence).len() * 40_000);
    }

    #[test]
    fn one_ideograph_repeated_stays_linear() {
        for c in ["的", "人", "\u{20000}", "\u{FA0E}"] {
            let run = c.repeat(350_000);
            let mut bytes = 0;
            words(&run, |word| bytes += word.len());
            assert_eq!(bytes, run.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn ascii_equals_annex_29(text in "([ -~\t\r\na-e0-3'.:,;_ ]|[a-c_]{60,70}|[ .]{60,130}){0,60}") {
            let mut found = Vec::new();
            ascii_words(&text, &mut |word| found.push(word));
            prop_assert_eq!(found, text.unicode_words().collect::<Vec<_>>());
        }

        #[test]
        fn texts_without_ideographs_equal_annex_29(
            text in "([ \n\r\ta-c1-2'.:,_]|[éжאב\"״アーひ가]|[\u{301}\u{200D}\u{93F}\u{FE0F}\u{345}“”‘’·🇩👩]|\\PC){0,40}"
        ) {
            prop_assume!(!text.contains(|c| is_han(c) || is_southeast_asian(c)));
            prop_assert_eq!(list(&text), text.unicode_words().collect::<Vec<_>>());
        }
    }
}
