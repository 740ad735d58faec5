//! Code pages by their Windows numbers, by the charsets of fonts and by language.
//!
//! **Definition.** A code page says which characters the bytes from 128 on are. Windows numbers them; fonts of RTF and Word name
//! them by a charset (0 western, 134 simplified Chinese and so on).
//!
//! **Algorithm.** What browsers know is decoded by `encoding_rs`; pages of DOS by tables; Symbol and Wingdings, whose letters
//! are pictures, by the signs that Unicode has for them.
//!
//! **Bad input.** Numbers that are no code page give none; bytes that stand for nothing are left out.

use encoding_rs::Encoding;

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodePage {
    /// One that browsers know.
    Web(&'static Encoding),
    /// One of DOS: the characters of 128 to 255.
    Dos(&'static str),
    /// Pictures instead of letters: see [`symbol`].
    Pictures(Pictures),
}

impl CodePage {
    /// Western Windows.
    pub(crate) const WESTERN: CodePage = CodePage::Web(encoding_rs::WINDOWS_1252);

    /// The code page of a number.
    pub(crate) fn of_number(number: i32) -> Option<CodePage> {
        use encoding_rs::*;
        let encoding = match number {
            437 | 860 | 861 | 863 | 865 => return Some(CodePage::Dos(CP437)),
            850 | 858 => return Some(CodePage::Dos(CP850)),
            852 => return Some(CodePage::Dos(CP852)),
            42 => return Some(CodePage::Pictures(Pictures::Symbol)),
            866 => IBM866,
            874 => WINDOWS_874,
            932 | 10001 => SHIFT_JIS,
            936 | 10008 | 20936 => GBK,
            949 | 1361 | 10003 | 51949 => EUC_KR,
            950 | 951 | 10002 => BIG5,
            1200 => UTF_16LE,
            1201 => UTF_16BE,
            1250 => WINDOWS_1250,
            708 | 720 | 1256 => WINDOWS_1256,
            1251 => WINDOWS_1251,
            1252 | 20127 | 28591 => WINDOWS_1252,
            1253 => WINDOWS_1253,
            1254 | 28599 => WINDOWS_1254,
            1255 | 862 => WINDOWS_1255,
            1257 => WINDOWS_1257,
            1258 => WINDOWS_1258,
            10000 => MACINTOSH,
            10007 | 10017 => X_MAC_CYRILLIC,
            20866 => KOI8_R,
            21866 => KOI8_U,
            20932 | 51932 => EUC_JP,
            28592 => ISO_8859_2,
            28593 => ISO_8859_3,
            28594 => ISO_8859_4,
            28595 => ISO_8859_5,
            28596 => ISO_8859_6,
            28597 => ISO_8859_7,
            28598 => ISO_8859_8,
            28603 => ISO_8859_13,
            28605 => ISO_8859_15,
            54936 => GB18030,
            65001 => UTF_8,
            _ => return None,
        };
        Some(CodePage::Web(encoding))
    }

    /// The code page of a font's charset; `None` for 1, which says nothing, and for unknown ones.
    pub(crate) fn of_charset(charset: i32) -> Option<CodePage> {
        CodePage::of_number(match charset {
            0 => 1252,
            2 => 42,
            77 => 10000,
            78 => 10001,
            79 => 10003,
            80 => 10008,
            81 => 10002,
            128 => 932,
            129 | 130 => 949,
            134 => 936,
            136 => 950,
            161 => 1253,
            162 => 1254,
            163 => 1258,
            177 | 181 => 1255,
            178..=180 => 1256,
            186 => 1257,
            204 => 1251,
            222 => 874,
            238 => 1250,
            254 => 437,
            255 => 850,
            _ => return None,
        })
    }

    /// The code page that Windows has for a language of Microsoft's number.
    pub(crate) fn of_language(language: u16) -> CodePage {
        let number = match language {
            0x0404 | 0x0C04 | 0x1404 => 950,
            0x041A | 0x101A | 0x081A => 1250,
            0x0C1A | 0x201A => 1251,
            _ => match language & 0x3FF {
                0x01 | 0x20 | 0x29 => 1256,
                0x04 => 936,
                0x05 | 0x0E | 0x15 | 0x18 | 0x1B | 0x1C | 0x24 => 1250,
                0x02 | 0x19 | 0x22 | 0x23 | 0x2F | 0x3F | 0x40 | 0x44 => 1251,
                0x08 => 1253,
                0x0D => 1255,
                0x11 => 932,
                0x12 => 949,
                0x1E => 874,
                0x1F | 0x2C => 1254,
                0x25..=0x27 => 1257,
                0x2A => 1258,
                _ => 1252,
            },
        };
        CodePage::of_number(number).unwrap_or(CodePage::WESTERN)
    }

    /// Whether a byte is the first of two.
    pub(crate) fn leads(self, byte: u8) -> bool {
        let CodePage::Web(encoding) = self else { return false };
        if encoding == encoding_rs::SHIFT_JIS {
            return matches!(byte, 0x81..=0x9F | 0xE0..=0xFC);
        }
        self.is_double() && matches!(byte, 0x81..=0xFE)
    }

    /// Whether some characters take two bytes.
    pub(crate) fn is_double(self) -> bool {
        use encoding_rs::{BIG5, EUC_KR, GB18030, GBK, SHIFT_JIS};
        matches!(self, CodePage::Web(encoding) if [GBK, GB18030, BIG5, EUC_KR, SHIFT_JIS].contains(&encoding))
    }

    /// Adds what bytes stand for to a text.
    pub(crate) fn decode_into(self, bytes: &[u8], text: &mut String) {
        match self {
            CodePage::Web(encoding) => {
                let (decoded, _) = encoding.decode_without_bom_handling(bytes);
                text.extend(decoded.chars().filter(|&c| c != char::REPLACEMENT_CHARACTER));
            }
            CodePage::Dos(table) => {
                text.extend(bytes.iter().filter_map(|&byte| match byte.checked_sub(128) {
                    None => Some(char::from(byte)),
                    Some(at) => table.chars().nth(at.into()),
                }))
            }
            CodePage::Pictures(font) => text.extend(bytes.iter().filter_map(|&byte| symbol(byte, font))),
        }
    }

    /// What bytes stand for.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        let mut text = String::new();
        self.decode_into(bytes, &mut text);
        text
    }
}

/// Fonts whose letters are pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pictures {
    /// Greek and mathematics.
    Symbol,
    /// Wingdings and its kin.
    Wingdings,
}

impl Pictures {
    /// Which of them a font is, by its name.
    pub(crate) fn of_font(name: &str) -> Option<Pictures> {
        let name = name.trim().to_ascii_lowercase();
        if name == "symbol" || name.starts_with("symbol ") {
            Some(Pictures::Symbol)
        } else {
            ["wingdings", "webdings", "zapfdingbats", "monotype sorts"]
                .iter()
                .any(|known| name.starts_with(known))
                .then_some(Pictures::Wingdings)
        }
    }
}

/// The character for a byte of a font of pictures; Unicode's private characters U+F020 to U+F0FF are these bytes.
pub(crate) fn symbol(byte: u8, font: Pictures) -> Option<char> {
    let found = match (font, byte) {
        (_, ..=0x1F) => None,
        (Pictures::Symbol, 0x20..=0x7E) => SYMBOL_LOW.chars().nth(usize::from(byte) - 0x20),
        (Pictures::Symbol, 0xA1..) => SYMBOL_HIGH.chars().nth(usize::from(byte) - 0xA1),
        (Pictures::Symbol, _) => None,
        (Pictures::Wingdings, byte) => Some(match byte {
            0x20 => ' ',
            0x4A => '☺',
            0x6C => '●',
            0x6E | 0xA7 => '▪',
            0x6F | 0x71 | 0xA8 => '□',
            0x76 | 0x77 => '◆',
            0x9F => '•',
            0xD8 => '➢',
            0xDF => '←',
            0xE0 | 0xE8 => '→',
            0xFB => '✗',
            0xFC => '✓',
            0xFD => '☒',
            0xFE => '☑',
            _ => return None,
        }),
    };
    found.filter(|&c| c != '\u{FFFD}')
}

/// Symbol from 0x20 to 0x7E.
const SYMBOL_LOW: &str =
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/// Symbol from 0xA1 to 0xFE.
const SYMBOL_HIGH: &str =
    "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|―↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\u{FFFD}〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";

/// The United States.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}";
/// Western Europe.
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}";
/// Central Europe.
const CP852: &str = "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_characters_by_page() {
        let cases: &[(Option<CodePage>, &[u8], &str)] = &[
            (CodePage::of_charset(0), b"caf\xe9", "café"),
            (CodePage::of_charset(134), b"\xd6\xd0\xce\xc4", "中文"),
            (CodePage::of_charset(136), b"\xa4\xa4\xa4\xe5", "中文"),
            (CodePage::of_charset(128), b"\x93\xfa\x96\x7b", "日本"),
            (CodePage::of_charset(129), b"\xc7\xd1", "한"),
            (CodePage::of_charset(204), b"\xcc\xe8\xf0", "Мир"),
            (CodePage::of_charset(178), b"\xe3\xe6", "مو"),
            (CodePage::of_charset(2), b"ab\xb7", "αβ•"),
            (CodePage::of_number(437), b"\x81\xe1", "üß"),
            (CodePage::of_number(850), b"\x9b\xff", "ø\u{A0}"),
            (CodePage::of_number(852), b"\xa5", "ą"),
            (CodePage::of_number(936), b"a\xd6", "a"),
            (Some(CodePage::of_language(0x0419)), b"\xcc", "М"),
            (Some(CodePage::of_language(0x0804)), b"\xd6\xd0", "中"),
        ];
        for (page, bytes, text) in cases {
            assert_eq!(page.map(|page| page.decode(bytes)).as_deref(), Some(*text));
        }
        assert_eq!(CodePage::of_charset(1), None);
        assert_eq!(CodePage::of_number(i32::MIN), None);
    }

    #[test]
    fn tables_are_whole() {
        for table in [CP437, CP850, CP852] {
            assert_eq!(table.chars().count(), 128);
        }
        assert_eq!(symbol(b'W', Pictures::Symbol), Some('Ω'));
        assert_eq!(symbol(0xF0, Pictures::Symbol), None);
        assert_eq!(symbol(0xFC, Pictures::Wingdings), Some('✓'));
        assert_eq!(Pictures::of_font("Wingdings 2"), Some(Pictures::Wingdings));
        assert_eq!(Pictures::of_font("Arial"), None);
    }
}
