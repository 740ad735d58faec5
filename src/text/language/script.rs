//! The script of a letter, as far as languages differ by it.

/// Scripts whose letters are judged by the table; ideographs, kana and Hangul are counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "variants have the names of scripts in Unicode")]
pub enum Script {
    Latin,
    Cyrillic,
    Greek,
    Armenian,
    Hebrew,
    Arabic,
    Syriac,
    Thaana,
    /// N'Ko.
    Nko,
    Devanagari,
    Bengali,
    Gurmukhi,
    Gujarati,
    Oriya,
    Tamil,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Thai,
    Lao,
    Tibetan,
    Myanmar,
    Georgian,
    Ethiopic,
    Cherokee,
    /// Canadian syllabics.
    Syllabics,
    Khmer,
    Mongolian,
    OlChiki,
    Tifinagh,
    Yi,
    /// Meetei Mayek.
    Meetei,
    /// Any other: no language of the table is written in it.
    Other,
}

impl Script {
    /// How many there are.
    pub const COUNT: usize = Script::Other as usize + 1;

    /// The script of a letter or a mark on one; `None` of digits, signs, ideographs, kana and Hangul.
    pub fn of(c: char) -> Option<Script> {
        use Script as S;
        let script = match c {
            'a'..='z' | 'A'..='Z' => return Some(S::Latin),
            '\0'..='\u{A9}' | '\u{AB}'..='\u{B9}' | '\u{BB}'..='\u{BF}' | '×' | '÷' => return None,
            '\u{AA}'..='\u{2AF}'
            | '\u{1E00}'..='\u{1EFF}'
            | '\u{2C60}'..='\u{2C7F}'
            | '\u{A720}'..='\u{A7FF}' => S::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => S::Greek,
            '\u{400}'..='\u{52F}' | '\u{1C80}'..='\u{1C8F}' | '\u{A640}'..='\u{A69F}' => S::Cyrillic,
            '\u{530}'..='\u{58F}' => S::Armenian,
            '\u{590}'..='\u{5FF}' => S::Hebrew,
            '\u{600}'..='\u{6FF}'
            | '\u{750}'..='\u{77F}'
            | '\u{870}'..='\u{8FF}'
            | '\u{FB50}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFF}' => S::Arabic,
            '\u{700}'..='\u{74F}' => S::Syriac,
            '\u{780}'..='\u{7BF}' => S::Thaana,
            '\u{7C0}'..='\u{7FF}' => S::Nko,
            '\u{900}'..='\u{97F}' | '\u{A8E0}'..='\u{A8FF}' => S::Devanagari,
            '\u{980}'..='\u{9FF}' => S::Bengali,
            '\u{A00}'..='\u{A7F}' => S::Gurmukhi,
            '\u{A80}'..='\u{AFF}' => S::Gujarati,
            '\u{B00}'..='\u{B7F}' => S::Oriya,
            '\u{B80}'..='\u{BFF}' => S::Tamil,
            '\u{C00}'..='\u{C7F}' => S::Telugu,
            '\u{C80}'..='\u{CFF}' => S::Kannada,
            '\u{D00}'..='\u{D7F}' => S::Malayalam,
            '\u{D80}'..='\u{DFF}' => S::Sinhala,
            '\u{E00}'..='\u{E7F}' => S::Thai,
            '\u{E80}'..='\u{EFF}' => S::Lao,
            '\u{F00}'..='\u{FFF}' => S::Tibetan,
            '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' => S::Myanmar,
            '\u{10A0}'..='\u{10FF}' | '\u{1C90}'..='\u{1CBF}' => S::Georgian,
            '\u{1200}'..='\u{139F}' | '\u{2D80}'..='\u{2DDF}' => S::Ethiopic,
            '\u{13A0}'..='\u{13FF}' => S::Cherokee,
            '\u{1400}'..='\u{167F}' => S::Syllabics,
            '\u{1780}'..='\u{17FF}' => S::Khmer,
            '\u{1800}'..='\u{18AF}' => S::Mongolian,
            '\u{1C50}'..='\u{1C7F}' => S::OlChiki,
            '\u{2D30}'..='\u{2D7F}' => S::Tifinagh,
            '\u{A000}'..='\u{A4CF}' => S::Yi,
            '\u{ABC0}'..='\u{ABFF}' | '\u{AAE0}'..='\u{AAFF}' => S::Meetei,
            '\u{1100}'..='\u{11FF}'
            | '\u{2000}'..='\u{2C5F}'
            | '\u{2E00}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF00}'..='\u{FFEF}'
            | '\u{20000}'..='\u{3FFFF}' => return None,
            c if c.is_alphabetic() => return Some(S::Other),
            _ => return None,
        };
        // Vowel signs and viramas join letters though not all are alphabetic; digits and stops of a block do not.
        let word = c.is_alphabetic() || c > '\u{8FF}' && !c.is_numeric() && joins(c);
        word.then_some(script)
    }
}

/// Marks without a letter's property that stand within words: viramas, nuktas, tone marks.
fn joins(c: char) -> bool {
    matches!(
        u32::from(c) & !0x80,
        0x93C | 0x94D | 0xA3C | 0xA4D | 0xB3C | 0xB4D | 0xC3C | 0xC4D | 0xD3C | 0xD4D | 0xE47..=0xE4E
    ) || matches!(c, '\u{DCA}' | '\u{1037}'..='\u{103A}' | '\u{17C9}'..='\u{17D3}' | '\u{F39}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_marks_have_a_script_and_signs_do_not() {
        let cases = [
            ('a', Some(Script::Latin)),
            ('ǹ', Some(Script::Latin)),
            ('ạ', Some(Script::Latin)),
            ('қ', Some(Script::Cyrillic)),
            ('\u{94D}', Some(Script::Devanagari)),
            ('\u{BCD}', Some(Script::Tamil)),
            ('\u{103A}', Some(Script::Myanmar)),
            ('\u{0964}', None),
            ('٣', None),
            ('،', None),
            ('5', None),
            ('字', None),
            ('か', None),
            ('한', None),
            ('—', None),
            ('×', None),
        ];
        for (c, expected) in cases {
            assert_eq!(Script::of(c), expected, "{c:?} {:x}", u32::from(c));
        }
    }
}
