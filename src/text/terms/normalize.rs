//! Text in the form in which two texts are compared, never shown.
//!
//! **Definition.** Compatibility composition (NFKC: full-width letters become ASCII, half-width katakana full, ligatures
//! letters), Unicode case folding, characters without appearance (soft hyphen, zero-width space, joiners, variation
//! selectors, byte order mark) removed, each run of white space one space, none at the ends.
//!
//! **Algorithm.** Fold(x) = lower(upper(lower(x))) character by character, which is full case folding but for the dotless
//! ı (kept as it is); composed again afterwards, because folding may take characters apart. The result is a fixed point.
//!
//! **Cost.** Linear. Letters that composition leaves alone (ASCII, most of Latin, Greek and Cyrillic, Han, kana, Hangul) are
//! only folded; the tables are asked about the rest.
//!
//! **Reference.** Unicode Standard Annex 15 (normalisation forms), chapter 3.13 (caseless matching).

use encoding_rs::Encoding;
use unicode_normalization::UnicodeNormalization;
use webmill_capture::cut::Cut;

/// The comparison form of `text`.
///
/// # Examples
/// ```
/// assert_eq!(webmill_text::normalize("  Ｗｅｂ\u{3000}ﬁle STRASSE "), "web file strasse");
/// ```
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    normalize_into(text, &mut out);
    out
}

/// Appends the comparison form of `text` to `out`.
pub fn normalize_into(text: &str, out: &mut String) {
    // Most words.
    if text.bytes().all(|b| b.is_ascii() && !is_ascii_white(b)) {
        let start = out.len();
        out.push_str(text);
        if let Some(added) = out.get_mut(start..) {
            added.make_ascii_lowercase();
        }
        return;
    }
    let mut writer = Writer { start: out.len(), out, gap: false };
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = Encoding::ascii_valid_up_to(rest.as_bytes());
        // The last character before others may combine with them.
        let ascii = if ascii == rest.len() { ascii } else { ascii.saturating_sub(1) };
        writer.push_ascii(rest.cut(..ascii));
        rest = rest.cut(ascii..);
        let same = ideographs(rest).saturating_sub(3);
        if same > 0 {
            writer.push_same(rest.cut(..same));
            rest = rest.cut(same..);
        }
        // A character that may combine with what follows it goes the long way with it.
        let (mut plain, mut last) = (rest.len(), 0);
        for (at, c) in rest.char_indices() {
            if !is_plain(c) {
                plain = last;
                break;
            }
            last = at;
        }
        rest.cut(..plain).chars().for_each(|c| writer.fold_plain(c));
        rest = rest.cut(plain..);
        if let Some((letter, behind)) = full_width(rest) {
            writer.push(letter);
            rest = behind;
            continue;
        }
        let mut odd = false;
        let end = rest
            .char_indices()
            .find(|&(_, c)| {
                let ends = odd && is_plain(c);
                odd |= !is_plain(c);
                ends
            })
            .map_or(rest.len(), |(at, _)| at);
        rest.cut(..end)
            .chars()
            .filter(|&c| !is_invisible(c))
            .nfkc()
            .flat_map(fold)
            .nfkc()
            .for_each(|c| writer.push(c));
        rest = rest.cut(end..);
    }
}

/// Bytes of the ideographs (of U+5000 to U+9FFF) that a text begins with.
fn ideographs(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && matches!(bytes[at], 0xE5..=0xE9) {
        at += 3;
    }
    at
}

/// The ASCII character to which a full-width form at the start of a text is folded, and the rest of the text, which does not combine with it.
fn full_width(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    let form @ '\u{FF01}'..='\u{FF5E}' = chars.next()? else { return None };
    let ascii = char::from_u32(u32::from(form) - 0xFEE0)?.to_ascii_lowercase();
    let behind = chars.as_str();
    behind.chars().next().is_none_or(is_plain).then_some((ascii, behind))
}

/// ASCII of what [`char::is_whitespace`] holds for.
fn is_ascii_white(b: u8) -> bool {
    matches!(b, b'\t'..=b'\r' | b' ')
}

/// Bytes of ASCII that are folded at once.
const BLOCK: usize = 64;

/// Writes characters with white space collapsed.
struct Writer<'o> {
    out: &'o mut String,
    start: usize,
    gap: bool,
}

impl Writer<'_> {
    #[inline]
    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.gap = true;
            return;
        }
        if std::mem::take(&mut self.gap) && self.out.len() > self.start {
            self.out.push(' ');
        }
        self.out.push(c);
    }

    /// Characters that are none of white space and stay as they are.
    fn push_same(&mut self, text: &str) {
        if std::mem::take(&mut self.gap) && self.out.len() > self.start {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    /// A text of ASCII, 64 bytes at once.
    fn push_ascii(&mut self, text: &str) {
        let mut bytes = text.as_bytes();
        if self.out.len() == self.start {
            bytes = &bytes[bytes.iter().position(|&b| !is_ascii_white(b)).unwrap_or(bytes.len())..];
            self.gap &= bytes.is_empty();
        }
        let (blocks, rest) = bytes.as_chunks();
        blocks.iter().for_each(|block| self.push_block(block, BLOCK));
        if !rest.is_empty() {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            self.push_block(&block, rest.len());
        }
    }

    /// The first `len` bytes of a block of ASCII, at least one.
    #[inline]
    fn push_block(&mut self, block: &[u8; BLOCK], len: usize) {
        // The first place is that of a blank that is owed by what came before.
        let (mut folded, mut white) = ([b' '; BLOCK + 1], [0; BLOCK + 1]);
        white[0] = u8::from(self.gap);
        for ((to, white), &b) in folded[1..].iter_mut().zip(&mut white[1..]).zip(block) {
            *white = u8::from(is_ascii_white(b));
            *to = if is_ascii_white(b) { b' ' } else { b.to_ascii_lowercase() };
        }
        let mut end = len + 1;
        if white.iter().zip(&white[1..]).fold(0, |both, (a, b)| both | (a & b)) > 0 {
            end = 1;
            for i in 1..=len {
                folded[end] = folded[i];
                end += usize::from(1 - (white[i - 1] & white[i]));
            }
        }
        let owed = white[len] > 0;
        let folded = &folded[usize::from(!self.gap)..end - usize::from(owed)];
        self.out.push_str(str::from_utf8(folded).unwrap_or_default());
        self.gap = owed;
    }

    /// Of a character that composition leaves alone.
    #[inline]
    fn fold_plain(&mut self, c: char) {
        match c {
            '\0'..='\x7F' => self.push(c.to_ascii_lowercase()),
            '\u{2010}'.. => self.push(c),
            _ => fold(c).for_each(|c| self.push(c)),
        }
    }
}

/// Characters that neither NFKC nor folding takes apart, and that combine with no character before them and with none
/// of their own kind after them: most of what pages are made of.
#[inline]
fn is_plain(c: char) -> bool {
    match c {
        '\0'..='\x7F' => true,
        '\u{C0}'..='\u{17F}' => {
            !matches!(c, '\u{130}' | '\u{132}' | '\u{133}' | '\u{13F}' | '\u{140}' | '\u{149}' | '\u{17F}')
        }
        'Α'..='Ω' | 'α'..='ω' | 'А'..='я' | 'Ё' | 'ё' => true,
        '–' | '—' | '‘' | '’' | '“' | '”' | '、' | '。' | '「' | '」' | '《' | '》' => true,
        'ぁ'..='ゖ' | 'ァ'..='ヺ' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '가'..='힣' => {
            true
        }
        _ => false,
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
        fn white_space_of_ascii_collapses_over_blocks(
            before in "[é ]{0,2}", text in "([A-Za-z.]{1,70}[ \t\n\u{b}]{1,3}|[ A]){0,12}"
        ) {
            let text = before + &text;
            let plain = text.to_lowercase();
            prop_assert_eq!(normalize(&text), plain.split_whitespace().collect::<Vec<_>>().join(" "));
        }

        #[test]
        fn case_does_not_matter(text in "[ -~à-ÿÀ-Þα-ωΑ-Ωа-яА-Я]{0,40}") {
            prop_assert_eq!(normalize(&text.to_uppercase()), normalize(&text.to_lowercase()));
        }

        #[test]
        fn plain_stretches_change_nothing(
            text in "([ -~\t\n]|[\u{C0}-\u{17F}]|[Α-ωА-яЁё]|[–—‘’“”、。]|[ぁ-んァ-ヺ一-龥가-힣]|[\u{300}-\u{304}\u{345}\u{3099}\u{1161}\u{11A8}\u{AD}]|[ａ-ｚ，：…　]|\\PC){0,40}"
        ) {
            let all = text.chars().filter(|&c| !is_invisible(c)).nfkc().flat_map(fold).nfkc().collect::<String>();
            prop_assert_eq!(normalize(&text), all.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}
