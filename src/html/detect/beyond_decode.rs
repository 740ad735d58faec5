//! Decoders of the [encodings beyond the standard](super::beyond).
//!
//! Where a set of characters is in the standard under another arrangement, bytes are rearranged and the standard's
//! decoder reads them: ISO-2022-KR and Johab's symbols and Hanja as EUC-KR, HZ as GBK, EUC-TW as Big5. The planes of CNS
//! 11643 have Big5's order but for a few characters: [`PLANE_1`] and [`PLANE_2`] are the runs of equal order, computed
//! from the tables of GNU libc's `iconv`. Malformed bytes become U+FFFD, one for a character; all is linear.

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK};

/// The upper half of IBM855.
const IBM855: &str = "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u{AD}ыЫзЗшШэЭщЩчЧ§■\u{A0}";

const fn upper_half() -> [char; 128] {
    let (text, mut table, mut at, mut n) = (IBM855.as_bytes(), ['\0'; 128], 0, 0);
    while at < text.len() {
        let (length, first) = match text[at] {
            0xE0.. => (3, text[at] as u32 & 0x0F),
            _ => (2, text[at] as u32 & 0x1F),
        };
        let (mut code, mut i) = (first, 1);
        while i < length {
            code = code << 6 | (text[at + i] as u32 & 0x3F);
            i += 1;
        }
        table[n] = match char::from_u32(code) {
            Some(c) => c,
            None => panic!("a literal of characters"),
        };
        at += length;
        n += 1;
    }
    assert!(n == 128);
    table
}

static IBM855_TABLE: [char; 128] = upper_half();

pub(super) fn ibm855_char(b: u8) -> char {
    if b.is_ascii() { char::from(b) } else { IBM855_TABLE[usize::from(b & 0x7F)] }
}

pub(super) fn ibm855(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| ibm855_char(b)).collect()
}

/// Whole units of four bytes.
pub(super) fn units(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.chunks_exact(4).map(|unit| [unit[0], unit[1], unit[2], unit[3]])
}

pub(super) fn utf_32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> (String, bool) {
    let (mut text, mut had_errors) = (String::with_capacity(bytes.len() / 4), !bytes.len().is_multiple_of(4));
    for (n, code) in units(bytes).map(unit).enumerate() {
        match char::from_u32(code) {
            Some('\u{FEFF}') if n == 0 => {}
            Some(c) => text.push(c),
            None => {
                had_errors = true;
                text.push('\u{FFFD}');
            }
        }
    }
    (text, had_errors)
}

fn standard(bytes: &[u8], encoding: &'static Encoding) -> (String, bool) {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    (text.into_owned(), had_errors)
}

pub(super) fn iso_2022_kr(bytes: &[u8]) -> (String, bool) {
    let (mut euc, mut shifted, mut at) = (Vec::with_capacity(bytes.len()), false, 0);
    while let Some(&b) = bytes.get(at) {
        match b {
            0x1B if bytes[at..].starts_with(b"\x1B$)C") => at += 3,
            0x0E => shifted = true,
            0x0F => shifted = false,
            b'\n' => {
                shifted = false;
                euc.push(b);
            }
            0x21..=0x7E if shifted => euc.push(b | 0x80),
            _ => euc.push(b),
        }
        at += 1;
    }
    standard(&euc, EUC_KR)
}

pub(super) fn hz(bytes: &[u8]) -> (String, bool) {
    let (mut gb, mut double, mut at) = (Vec::with_capacity(bytes.len()), false, 0);
    while let Some(&b) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match (b, next) {
            (b'~', Some(b'{')) if !double => (double, at) = (true, at + 1),
            (b'~', Some(b'}')) if double => (double, at) = (false, at + 1),
            (b'~', Some(b'~')) if !double => {
                gb.push(b'~');
                at += 1;
            }
            (b'~', Some(b'\n')) if !double => at += 1,
            (b'\n', _) => {
                double = false;
                gb.push(b);
            }
            (0x21..=0x7E, Some(trail @ 0x21..=0x7E)) if double => {
                gb.extend([b | 0x80, trail | 0x80]);
                at += 1;
            }
            _ => gb.push(b),
        }
        at += 1;
    }
    standard(&gb, GBK)
}

/// Codes of five bits → number of an initial, vowel or final; 0xFF for none.
const fn numbered(from: &[(u8, u8)]) -> [u8; 32] {
    let (mut table, mut n, mut range) = ([0xFF; 32], 0, 0);
    while range < from.len() {
        let mut code = from[range].0;
        while code <= from[range].1 {
            table[code as usize] = n;
            n += 1;
            code += 1;
        }
        range += 1;
    }
    table
}

static INITIALS: [u8; 32] = numbered(&[(2, 20)]);
static VOWELS: [u8; 32] = numbered(&[(3, 7), (10, 15), (18, 23), (26, 29)]);
/// The first is no final.
static FINALS: [u8; 32] = numbered(&[(1, 17), (19, 29)]);
const INITIAL_JAMO: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
const FINAL_JAMO: &str = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ";

fn jamo_codes(lead: u8, trail: u8) -> [usize; 3] {
    let code = usize::from(u16::from_be_bytes([lead, trail]));
    [code >> 10 & 31, code >> 5 & 31, code & 31]
}

/// The syllable of a pair with initial and vowel.
pub(super) fn johab_syllable(lead: u8, trail: u8) -> Option<char> {
    let [initial, vowel, last] = jamo_codes(lead, trail);
    match [INITIALS[initial], VOWELS[vowel], FINALS[last]].map(u32::from) {
        [0xFF, ..] | [_, 0xFF, _] | [.., 0xFF] => None,
        [i, v, f] => char::from_u32(0xAC00 + (i * 21 + v) * 28 + f),
    }
}

/// Whether `c` is one of the 2,350 syllables of KS X 1001.
pub(super) fn in_ks_x_1001(c: char) -> bool {
    let mut utf_8 = [0; 4];
    let (code, _, unknown) = EUC_KR.encode(c.encode_utf8(&mut utf_8));
    !unknown && matches!(code[..], [0xB0..=0xC8, 0xA1..=0xFE])
}

/// A pair that is no syllable: a jamo alone, or a symbol or Hanja of KS X 1001.
pub(super) fn johab_other(lead: u8, trail: u8) -> Option<char> {
    let nth = |jamo: &str, n: u8| jamo.chars().nth(usize::from(n));
    if lead <= 0xD3 {
        let [initial, vowel, last] = jamo_codes(lead, trail);
        return match (initial, vowel, last) {
            (1, 2, 1) => Some('\u{3000}'),
            (_, 2, 1) => nth(INITIAL_JAMO, INITIALS[initial]),
            (1, _, 1) if VOWELS[vowel] != 0xFF => char::from_u32(0x314F + u32::from(VOWELS[vowel])),
            (1, 2, _) if FINALS[last] != 0xFF => nth(FINAL_JAMO, FINALS[last] - 1),
            _ => None,
        };
    }
    let row = match lead {
        0xD9..=0xDE => 2 * (lead - 0xD9),
        0xE0..=0xF9 => 2 * (lead - 0xE0) + 41,
        _ => return None,
    };
    let cell = match trail {
        0x31..=0x7E => trail - 0x31,
        0x91..=0xFE => trail - 0x43,
        _ => return None,
    };
    let euc = [0xA1 + row + cell / 94, 0xA1 + cell % 94];
    EUC_KR.decode_without_bom_handling_and_without_replacement(&euc)?.chars().next()
}

/// Reads characters of one byte (ASCII) and of more, which `wide` reads from the front of the remaining bytes: the character
/// and its bytes.
fn multibyte(bytes: &[u8], wide: impl Fn(&[u8]) -> (Option<char>, usize)) -> (String, bool) {
    let (mut text, mut had_errors, mut at) = (String::with_capacity(bytes.len() * 3 / 2), false, 0);
    while let Some(&b) = bytes.get(at) {
        if b.is_ascii() {
            text.push(char::from(b));
            at += 1;
            continue;
        }
        let (c, length) = wide(&bytes[at..]);
        had_errors |= c.is_none();
        text.push(c.unwrap_or('\u{FFFD}'));
        at += length;
    }
    (text, had_errors)
}

pub(super) fn johab(bytes: &[u8]) -> (String, bool) {
    multibyte(bytes, |rest| match *rest {
        [lead, trail, ..] => match johab_syllable(lead, trail).or_else(|| johab_other(lead, trail)) {
            // What cannot be the second half of a character is one by itself.
            None if trail < 0x31 => (None, 1),
            c => (c, 2),
        },
        _ => (None, 1),
    })
}

/// Cell of a plane, cell of Big5, and how many cells from there on correspond.
type Runs = &'static [(u16, u16, u16)];

const PLANE_1: Runs = &[
    (0, 0, 5),
    (6, 6, 15),
    (21, 23, 2),
    (24, 22, 1),
    (29, 29, 44),
    (73, 74, 1),
    (74, 73, 1),
    (75, 75, 22),
    (98, 98, 1),
    (100, 100, 27),
    (127, 128, 1),
    (128, 127, 1),
    (129, 129, 19),
    (148, 149, 1),
    (149, 148, 1),
    (150, 150, 4),
    (155, 21, 1),
    (156, 158, 2),
    (158, 158, 76),
    (282, 234, 29),
    (312, 264, 1),
    (314, 266, 142),
    (470, 6101, 20),
    (3290, 471, 1412),
    (4702, 1884, 424),
    (5126, 1883, 1),
    (5127, 2308, 1876),
    (7003, 4571, 1),
    (7004, 4184, 387),
    (7391, 4572, 525),
    (7916, 5286, 1),
    (7917, 5097, 189),
    (8106, 5287, 84),
    (8190, 5517, 1),
    (8191, 5371, 54),
    (8245, 5426, 1),
    (8246, 5425, 1),
    (8247, 5427, 90),
    (8337, 5518, 354),
];

const PLANE_2: Runs = &[
    (0, 6280, 10),
    (10, 6291, 33),
    (43, 6372, 1),
    (44, 6324, 48),
    (92, 6373, 46),
    (138, 6586, 1),
    (139, 6419, 167),
    (306, 6587, 1840),
    (2146, 9074, 1),
    (2147, 8428, 108),
    (2255, 8537, 537),
    (2792, 8427, 1),
    (2793, 9075, 100),
    (2893, 8536, 1),
    (2894, 9175, 399),
    (3293, 9575, 1637),
    (4930, 11761, 1),
    (4931, 11212, 146),
    (5077, 11899, 1),
    (5078, 11358, 287),
    (5365, 12508, 1),
    (5366, 11645, 116),
    (5482, 11762, 137),
    (5619, 11900, 104),
    (5723, 12425, 1),
    (5724, 12004, 222),
    (5946, 12227, 198),
    (6144, 12426, 82),
    (6226, 12509, 86),
    (6312, 12226, 1),
    (6313, 12595, 8),
    (6321, 12604, 153),
    (6474, 12758, 56),
    (6530, 13114, 1),
    (6531, 12814, 113),
    (6644, 12603, 1),
    (6645, 12927, 142),
    (6787, 12757, 1),
    (6788, 13069, 45),
    (6833, 13115, 71),
    (6904, 13380, 1),
    (6905, 13186, 194),
    (7099, 13381, 490),
    (7589, 13914, 1),
    (7590, 13871, 43),
    (7633, 13915, 1),
    (7634, 13917, 11),
    (7645, 13916, 1),
    (7646, 13928, 4),
];

fn cns_11643(runs: Runs, row: u8, column: u8) -> Option<char> {
    let cell = u16::from(row - 0xA1) * 94 + u16::from(column - 0xA1);
    let (from, to, length) = runs[runs.partition_point(|run| run.0 <= cell).checked_sub(1)?];
    if cell - from >= length {
        return None;
    }
    let (lead, trail) = ((to + cell - from) / 157, (to + cell - from) % 157);
    let trail = if trail < 63 { trail + 0x40 } else { trail - 63 + 0xA1 };
    let big5 = [u8::try_from(lead).ok()? + 0xA1, u8::try_from(trail).ok()?];
    BIG5.decode_without_bom_handling_and_without_replacement(&big5)?.chars().next()
}

pub(super) fn euc_tw(bytes: &[u8]) -> (String, bool) {
    multibyte(bytes, |rest| match *rest {
        [0x8E, plane @ 0xA1..=0xB0, row @ 0xA1..=0xFE, column @ 0xA1..=0xFE, ..] => match plane {
            0xA1 => (cns_11643(PLANE_1, row, column), 4),
            0xA2 => (cns_11643(PLANE_2, row, column), 4),
            _ => (None, 4),
        },
        [row @ 0xA1..=0xFE, column @ 0xA1..=0xFE, ..] => (cns_11643(PLANE_1, row, column), 2),
        _ => (None, 1),
    })
}
