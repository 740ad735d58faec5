//! Writing systems: direction, scripts without spaces, characters that are but forms of others.

use unicode_normalization::UnicodeNormalization;

/// Whether a character is of a script that goes from right to left.
pub(super) fn is_rtl(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
        && !matches!(c, '\u{0660}'..='\u{0669}' | '\u{06F0}'..='\u{06F9}')
}

/// Whether a character is of a script that sets no spaces between words.
pub(super) fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{303F}' | '\u{3041}'..='\u{312F}' | '\u{31A0}'..='\u{33FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF5F}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}')
}

/// Forms of letters as the letters: ligatures of Latin, presentation forms of Arabic and Hebrew; soft hyphens and
/// characters without width are left out.
pub(super) fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{FB00}'..='\u{FB06}'
            | '\u{FB13}'..='\u{FB4F}'
            | '\u{FB50}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFC}' => {
                plain.extend(std::iter::once(c).nfkc());
            }
            '\u{2F00}'..='\u{2FD5}' => plain.extend(std::iter::once(c).nfkc()),
            '\u{2E80}'..='\u{2EF3}' => plain.push(character_of_radical(c)),
            '\u{200B}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'
            | '\u{FEFF}'
            | '\u{FFFD}' => {}
            '\u{E000}'..='\u{F8FF}' => {}
            _ if c.is_control() => {}
            _ => plain.push(c),
        }
    }
    // Marks painted on their own join the letter before them.
    if plain.chars().any(|c| matches!(c, '\u{0300}'..='\u{036F}')) { plain.nfc().collect() } else { plain }
}

/// The character that a radical is by itself (Unicode, EquivalentUnifiedIdeograph.txt): fonts of which both have one glyph make
/// programs write the one for the other. Radicals that are parts alone stay.
fn character_of_radical(radical: char) -> char {
    const SAME: &str = "⺁厂⺟母⺠民⻄西⻅见⻆角⻉贝⻋车⻑長⻓长⻔门⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟";
    let mut pairs = SAME.chars();
    while let (Some(known), Some(character)) = (pairs.next(), pairs.next()) {
        if known == radical {
            return character;
        }
    }
    radical
}

/// Pieces of a word from right to left as a text in logical order: figures and Latin letters within keep their own.
pub(super) fn rtl_logical(pieces: &[&str]) -> String {
    let ltr = |piece: &str| {
        piece.chars().all(|c| c.is_alphanumeric() && !is_rtl(c) || matches!(c, '.' | ',' | '/' | ':' | '%'))
    };
    let mut text = String::new();
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let begins = piece.chars().all(|c| c.is_alphanumeric() && !is_rtl(c));
        if !begins {
            text.push_str(&mirrored(piece));
            at += 1;
            continue;
        }
        let mut end = at;
        while pieces.get(end).is_some_and(|piece| ltr(piece)) {
            end += 1;
        }
        pieces.get(at..end).unwrap_or_default().iter().rev().for_each(|piece| text.push_str(piece));
        at = end;
    }
    text
}

/// Brackets are painted as they look; in text they stand as they mean.
pub(super) fn mirrored(piece: &str) -> String {
    let turn = |c| match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '«' => '»',
        '»' => '«',
        '<' => '>',
        '>' => '<',
        _ => c,
    };
    piece.chars().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_letters_are_letters() {
        for (text, letters) in [
            ("o\u{FB03}ce", "office"),
            ("共 6 \u{2EDA}", "共 6 页"),
            ("\u{2F00}\u{2F8A}", "一色"),
            ("\u{FEFC}", "\u{644}\u{627}"),
            ("e\u{301}t\u{200B}é", "été"),
            ("\u{E123}x\u{FFFD}", "x"),
        ] {
            assert_eq!(plain(text), letters);
        }
    }

    #[test]
    fn words_from_right_to_left_keep_their_figures() {
        assert_eq!(rtl_logical(&["ب", "1", "2", "ت"]), "ب21ت");
        assert_eq!(rtl_logical(&["(", "ب", ")"]), ")ب(");
    }
}
