use super::*;
use crate::charset::{decode, detect};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, IBM866, ISO_8859_5, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
const KO: &str =
    "<p>한국어 문서의 문자 인코딩을 올바르게 판정하기 위한 예문입니다. 글이 조금 더 길어야 합니다.</p>";
const RU: &str =
    "<p>Мы отделяем текст страницы от её ссылок и считаем слова. Каждая страница читается один раз.</p>";
const TW: &str = "<p>我們把網頁的文字和它的連結分開，然後統計每個詞出現的次數，這是一個很長的句子。</p>";
const ZH: &str = "<p>我们把网页的文字和它的链接分开，然后统计每个词出现的次数，这是一个很长的句子。</p>";
const JA: &str =
    "<p>日本語のページの文字コードを正しく判定するための例文です。ひらがなとカタカナと漢字。</p>";
const FR: &str = "<p>Voilà une page où l'on a bien du mal à trouver des mots très français, déjà.</p>";

/// `text` in Johab, by the syllables alone.
fn johab(text: &str) -> Vec<u8> {
    let code = |of: &[(u16, u16)], n: u32| of.iter().flat_map(|&(a, b)| a..=b).nth(n as usize).unwrap();
    let pair = |c: char| {
        let n = u32::from(c) - 0xAC00;
        let codes = [n / 28 / 21, n / 28 % 21, n % 28];
        let code = 0x8000
            | code(&[(2, 20)], codes[0]) << 10
            | code(&[(3, 7), (10, 15), (18, 23), (26, 29)], codes[1]) << 5
            | code(&[(1, 17), (19, 29)], codes[2]);
        code.to_be_bytes()
    };
    text.chars().flat_map(|c| if c.is_ascii() { vec![c as u8] } else { pair(c).to_vec() }).collect()
}

fn seven(text: &str, encoding: &'static Encoding, shift: [&str; 2]) -> Vec<u8> {
    let (mut bytes, mut inside) = (Vec::new(), false);
    for &b in encoding.encode(text).0.iter() {
        if inside == b.is_ascii() {
            bytes.extend(shift[usize::from(inside)].as_bytes());
            inside = !inside;
        }
        bytes.push(b & 0x7F);
    }
    bytes
}

/// `text` by turning the decoder round, whose runs the collection's files judge.
fn euc_tw(text: &str) -> Vec<u8> {
    let mut cells = std::collections::HashMap::new();
    for before in [&[0x8E, 0xA2][..], &[]] {
        for row in 0xA1..=0xFE {
            for column in 0xA1..=0xFE {
                let bytes = [before, &[row, column]].concat();
                cells.insert(read::euc_tw(&bytes).0, bytes);
            }
        }
    }
    text.chars()
        .flat_map(|c| if c.is_ascii() { vec![c as u8] } else { cells[&c.to_string()].clone() })
        .collect()
}

fn ibm855(text: &str) -> Vec<u8> {
    text.chars().map(|c| (0..=255).find(|&b| read::ibm855_char(b) == c).unwrap()).collect()
}

fn samples() -> Vec<(Vec<u8>, Beyond, &'static str)> {
    let utf_32 = |text: &str, bytes: fn(u32) -> [u8; 4]| text.chars().flat_map(|c| bytes(c.into())).collect();
    vec![
        (utf_32(ZH, u32::to_le_bytes), Beyond::Utf32Le, ZH),
        (utf_32(ZH, u32::to_be_bytes), Beyond::Utf32Be, ZH),
        (utf_32("\u{FEFF}plain", u32::to_le_bytes), Beyond::Utf32Le, "plain"),
        (utf_32("\u{FEFF}plain", u32::to_be_bytes), Beyond::Utf32Be, "plain"),
        ([b"\x1B$)C\n".to_vec(), seven(KO, EUC_KR, ["\x0E", "\x0F"])].concat(), Beyond::Iso2022Kr, KO),
        (seven(ZH, GBK, ["~{", "~}"]), Beyond::Hz, ZH),
        (johab(KO), Beyond::Johab, KO),
        (euc_tw(TW), Beyond::EucTw, TW),
        (ibm855(RU), Beyond::Ibm855, RU),
    ]
}

#[test]
fn each_shows_itself_under_no_label_or_a_wrong_one() {
    for (bytes, beyond, text) in samples() {
        assert_eq!(detect(&bytes, None), Some(Charset::Beyond(beyond)));
        for label in
            [None, Some(b"utf-8".as_slice()), Some(b"utf-16"), Some(b"hz-gb-2312"), Some(b"iso-8859-1")]
        {
            let found = decode(&bytes, label, Some(b"org"));
            let name = Some(found.name);
            assert_eq!(
                (found.text.trim_start_matches('\n'), name),
                (text, found.detected),
                "{beyond:?} {label:?}"
            );
            assert_eq!((found.name, found.had_errors), (beyond.name(), false));
        }
    }
}

#[test]
fn a_label_that_fits_is_obeyed() {
    for (bytes, beyond, _) in samples().into_iter().skip(6) {
        let found = decode(&bytes, Some(b"koi8-r"), None);
        assert_eq!((found.name, found.detected), ("KOI8-R", Some(beyond.name())));
    }
}

#[test]
fn text_of_the_standard_is_none_of_them() {
    let encodings: [(&str, &[&'static Encoding]); 6] = [
        (ZH, &[GBK, BIG5]),
        (TW, &[BIG5, GBK]),
        (KO, &[EUC_KR]),
        (JA, &[SHIFT_JIS, EUC_JP, GBK]),
        (RU, &[WINDOWS_1251, KOI8_R, ISO_8859_5, IBM866, encoding_rs::X_MAC_CYRILLIC]),
        (FR, &[WINDOWS_1252, encoding_rs::MACINTOSH]),
    ];
    for (text, encodings) in encodings {
        for encoding in encodings {
            let bytes = encoding.encode(text).0;
            let sample = &bytes[3..];
            let tests = [is_johab(sample), is_euc_tw(sample), is_ibm855(sample), utf_32(&bytes).is_some()];
            assert_eq!(tests, [false; 4], "{} {text}", encoding.name());
        }
    }
    let ascii: [&[u8]; 9] = [
        b"",
        b"~{~}",
        b"a = ~{b}; c = ~}",
        b"~{ABCDEFGH IJKLMNOP~}",
        b"~{QWERTYUIOPASDFGHJKLZXCVBNM",
        b"\x1B$)C and no shift",
        b"\x1B$)C\x0E odd\x0F",
        b"\x0E\x0F\x0E!!\x0F",
        &[0; 64],
    ];
    for bytes in ascii {
        assert_eq!((seven_bit(bytes), utf_32(bytes)), (None, None), "{}", bytes.escape_ascii());
    }
}

#[test]
fn what_is_malformed_is_replaced() {
    let cases: [(Beyond, &[u8], &str); 10] = [
        (Beyond::Utf32Le, b"a\0\0\0\0\xD8\0\0b", "a\u{FFFD}"),
        (Beyond::Utf32Be, b"\0\0\0a\0\x11\0\0", "a\u{FFFD}"),
        (Beyond::Johab, b"\x88a\x88 \xFFz\x88", "가\u{FFFD} \u{FFFD}\u{FFFD}"),
        (Beyond::Johab, b"\x88A\x84a\x84C\xD9\x31\xE0\x31", "ㄱㅏㄲ\u{3000}伽"),
        (Beyond::EucTw, b"\xC4\xA1\x8E\xA2\xA1\xA1\x8E\xA3\xA1\xA1\xFE", "一乂\u{FFFD}\u{FFFD}"),
        (Beyond::EucTw, b"\x8E\xA1\xC4\xA1\xFE\xFE\xB0\xA1a", "一\u{FFFD}\u{FFFD}a"),
        (Beyond::Hz, b"~~a~\nb~{<:~}c~{<:\nd", "~ab己c己\nd"),
        (Beyond::Hz, b"~{<~}x~", "件\u{E461}~"),
        (Beyond::Iso2022Kr, b"\x1B$)C\x0E0!\x0F0!\x0E0!\n0!", "가0!가\n0!"),
        (Beyond::Ibm855, b"\xA0\xA1\xFF", "аА\u{A0}"),
    ];
    for (beyond, bytes, text) in cases {
        assert_eq!(beyond.decode(bytes).0, text, "{beyond:?} {}", bytes.escape_ascii());
    }
}
