//! Encodings that the Encoding Standard leaves out, and how bytes show that they are in one.
//!
//! **Definition.** UTF-32 of either end, ISO-2022-KR and HZ-GB-2312 (the standard has the labels of both mean
//! "replacement", since filters fail on them: no matter for a reader of text), Johab, EUC-TW, IBM855. No browser reads
//! them; mirrors of old sites and feeds have them. Labels of them have no say: bytes must show it, by a test that no text of
//! another encoding passes, so that a page of the standard's encodings is never lost to one of these.
//!
//! | encoding | test |
//! |---|---|
//! | UTF-32 | every unit of the head is a character, nearly all of the first plane, few of them controls |
//! | ISO-2022-KR | the designation `ESC $ ) C`, then pairs between shift-out and shift-in |
//! | HZ | pairs between `~{` and `~}`, eight or more, in the frequent rows of GB 2312 |
//! | Johab | pairs of three well-formed jamo codes, nearly all syllables of KS X 1001; frames and symbols beside them |
//! | EUC-TW | pairs of plane 1 or four bytes of plane 2, and none in the rows A7–C1, empty here and full in GB 2312, KS X 1001 and JIS X 0208 |
//! | IBM855 | letters of Russian in words, a third of them among its six most frequent, capitals at the beginning |
//!
//! **Cost.** Tests read 8 KiB at most; those for UTF-32, on every page, four bytes of nearly all.
//!
//! **Reference.** RFC 1557 (ISO-2022-KR), RFC 1843 (HZ), KS X 1001:1992 annex 3 (Johab), RFC 1922 (CNS 11643),
//! <https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/PC/CP855.TXT>.

use encoding_rs::{Encoding, GBK};

use super::super::evidence::{mean_run, plainly};
use super::beyond_decode as read;
use webmill_capture::words;

/// Bytes that tests read.
const SAMPLE: usize = 8 << 10;

words! {
    /// An encoding that the Encoding Standard leaves out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Beyond {
        /// Four bytes a character, least significant first.
        Utf32Le = "UTF-32LE",
        /// Four bytes a character, most significant first.
        Utf32Be = "UTF-32BE",
        /// Seven-bit Korean.
        Iso2022Kr = "ISO-2022-KR",
        /// Seven-bit Chinese.
        Hz = "HZ-GB-2312",
        /// Korean by jamo, once of DOS.
        Johab = "Johab",
        /// Traditional Chinese of Unix.
        EucTw = "EUC-TW",
        /// Cyrillic of DOS before 866.
        Ibm855 = "IBM855",
    }
}

/// An encoding, of the standard or beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// One of the Encoding Standard.
    Standard(&'static Encoding),
    /// Another.
    Beyond(Beyond),
}

impl Charset {
    /// Canonical name.
    pub fn name(self) -> &'static str {
        match self {
            Charset::Standard(encoding) => encoding.name(),
            Charset::Beyond(beyond) => beyond.name(),
        }
    }
}

impl Beyond {
    /// The characters of `bytes`, and whether some bytes were malformed (they become U+FFFD).
    pub(in super::super) fn decode(self, bytes: &[u8]) -> (String, bool) {
        match self {
            Beyond::Utf32Le => read::utf_32(bytes, u32::from_le_bytes),
            Beyond::Utf32Be => read::utf_32(bytes, u32::from_be_bytes),
            Beyond::Iso2022Kr => read::iso_2022_kr(bytes),
            Beyond::Hz => read::hz(bytes),
            Beyond::Johab => read::johab(bytes),
            Beyond::EucTw => read::euc_tw(bytes),
            Beyond::Ibm855 => (read::ibm855(bytes), false),
        }
    }
}

/// UTF-32, with or without a mark.
pub(in super::super) fn utf_32(bytes: &[u8]) -> Option<Beyond> {
    let head = &bytes[..bytes.len().min(SAMPLE) & !3];
    let fits = |units: fn([u8; 4]) -> u32| {
        let (mut all, mut plain) = (0, 0);
        for unit in read::units(head) {
            let c = char::from_u32(units(unit))?;
            all += 1;
            plain += usize::from((c < '\u{10000}' && !c.is_control()) || c.is_ascii_whitespace());
        }
        (all >= 2 && plain * 8 >= all * 7).then_some(())
    };
    match head {
        [0, 0..=0x10, ..] => fits(u32::from_be_bytes).map(|()| Beyond::Utf32Be),
        [_, _, 0..=0x10, 0, ..] => fits(u32::from_le_bytes).map(|()| Beyond::Utf32Le),
        _ => None,
    }
}

/// Encodings of seven bits. `bytes` are ASCII.
pub(super) fn seven_bit(bytes: &[u8]) -> Option<Beyond> {
    iso_2022_kr(bytes).or_else(|| hz(bytes))
}

fn iso_2022_kr(bytes: &[u8]) -> Option<Beyond> {
    let designated = &bytes[memchr::memmem::find(bytes, b"\x1B$)C")? + 4..];
    let shifted = &designated[memchr::memchr(0x0E, designated)? + 1..];
    let (pairs, sound) =
        pairs(shifted.iter().position(|b| matches!(b, 0x0F | b'\n')).map_or(shifted, |n| &shifted[..n]));
    (sound && pairs > 0).then_some(Beyond::Iso2022Kr)
}

fn hz(bytes: &[u8]) -> Option<Beyond> {
    let mut at = memchr::memmem::find(bytes, b"~{")?;
    let (mut gb, mut all) = (Vec::new(), 0);
    while let Some(n) = memchr::memmem::find(&bytes[at..], b"~{")
        && gb.len() < SAMPLE
    {
        let text = &bytes[at + n + 2..];
        let run = &text[..text.len().min(SAMPLE)];
        let run = &run[..memchr::memmem::find(run, b"~}")?];
        let (pairs, sound) = pairs(run);
        if !sound {
            return None;
        }
        all += pairs;
        gb.extend(run.iter().map(|b| b | 0x80));
        at += n + 2 + run.len() + 2;
    }
    (all >= 8 && plainly(&gb, GBK)).then_some(Beyond::Hz)
}

/// Characters of two bytes in `run`, and whether it is nothing but these.
fn pairs(run: &[u8]) -> (usize, bool) {
    (run.len() / 2, run.len().is_multiple_of(2) && run.iter().all(|b| (0x21..=0x7E).contains(b)))
}

/// Encodings of eight bits. `bytes` are not UTF-8; of the standard's encodings, statistics find `guess` the likeliest.
pub(super) fn eight_bit(bytes: &[u8], guess: &'static Encoding) -> Option<Beyond> {
    let start = bytes.iter().position(|b| !b.is_ascii())?;
    let sample = &bytes[start..bytes.len().min(start + SAMPLE)];
    match guess.is_single_byte() {
        _ if is_johab(sample) => Some(Beyond::Johab),
        true if is_ibm855(sample) => Some(Beyond::Ibm855),
        false if is_euc_tw(sample) => Some(Beyond::EucTw),
        _ => None,
    }
}

fn is_johab(sample: &[u8]) -> bool {
    let (mut syllables, mut known, mut others, mut undefined, mut at) = (0, 0, 0, 0, 0);
    while let Some(&[lead, trail]) = sample.get(at..at + 2) {
        if lead.is_ascii() {
            at += 1;
            continue;
        }
        at += 2;
        match read::johab_syllable(lead, trail) {
            Some(c) => {
                syllables += 1;
                known += usize::from(read::in_ks_x_1001(c));
            }
            None if read::johab_other(lead, trail).is_some() => others += 1,
            None => undefined += 1,
        }
    }
    known >= 16 && known * 10 >= syllables * 9 && known * 5 >= others * 4 && undefined * 100 <= known
}

fn is_euc_tw(sample: &[u8]) -> bool {
    let (mut all, mut plane_1, mut at) = (0, 0, 0);
    while at + 1 < sample.len() {
        match sample[at..] {
            [lead, ..] if lead.is_ascii() => at += 1,
            [0x8E, 0xA1..=0xA7, 0xA1..=0xFE, 0xA1..=0xFE, ..] => (at, all) = (at + 4, all + 1),
            [0xA1..=0xA6 | 0xC2, 0xA1..=0xFE, ..] => (at, all) = (at + 2, all + 1),
            [0xC4..=0xFD, 0xA1..=0xFE, ..] => (at, all, plane_1) = (at + 2, all + 1, plane_1 + 1),
            // Cut off by the sample or the page.
            [0x8E, ..] if at + 4 > sample.len() => break,
            _ => return false,
        }
    }
    all >= 16 && plane_1 * 10 >= all * 7
}

fn is_ibm855(sample: &[u8]) -> bool {
    let (mut letters, mut frequent, mut inner, mut high, mut inside) = (0, 0, 0, 0, false);
    for &b in sample {
        let c = read::ibm855_char(b);
        let is_letter = matches!(c, 'А'..='я' | 'ё' | 'Ё');
        high += usize::from(!b.is_ascii());
        letters += usize::from(is_letter);
        frequent += usize::from(matches!(c, 'о' | 'е' | 'а' | 'и' | 'н' | 'т'));
        inner += usize::from(is_letter && inside && c.is_uppercase());
        inside = is_letter && c.is_lowercase();
    }
    high >= 24
        && letters * 100 >= high * 93
        && frequent * 3 >= letters
        && inner * 50 <= letters
        && mean_run(sample) >= 2.5
}

#[cfg(test)]
#[path = "beyond_tests.rs"]
mod tests;
