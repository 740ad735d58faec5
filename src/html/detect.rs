//! The encoding that bytes themselves speak for.
//!
//! **Definition.** Tests on bytes alone, whatever they are labelled: UTF-8 by its syntax, UTF-16 without a mark by the
//! place of its zero bytes, ISO-2022-JP by its escapes, encodings outside of the standard by [tests of their
//! own](beyond), everything else by the letter statistics of chardetng. Three things are added to those: Mac
//! Cyrillic, which they do not know, is told from windows-1251 by where capitals are; Hungarian, which they take for
//! windows-1252 now and then, by its two letters of its own; and signs that touch no letter (`£825`) tell no language.
//!
//! **Algorithm.** chardetng is fed a sample: non-ASCII bytes with up to 32 ASCII bytes around them, 8 KiB at most, and
//! is never told that the input ends, since a page cut off within a character must not lose its right encoding.
//!
//! **Cost.** UTF-8 and ASCII at memory speed; statistics on 8 KiB at most.
//!
//! **Reference.** H. Sivonen, "chardetng: A More Compact Character Encoding Detector for the Legacy Web", 2020.

pub(super) mod beyond;
mod beyond_decode;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252, X_MAC_CYRILLIC,
};

use super::evidence::letters::advantage;
use super::evidence::words::{Region, Words};
use super::evidence::{is_latin, mean_run};
use beyond::Charset;

/// Bytes that the statistics look at.
const SAMPLE: usize = 8 << 10;

/// Letters too few for statistics to tell languages by them.
const FEW: u32 = 6;

/// ASCII bytes kept on either side of other bytes in a sample.
const AROUND: usize = 32;

/// The encoding that the bytes speak for, whatever they are labelled; `None` for plain ASCII, which speaks for all.
/// `tld` is the last label of the host name, which breaks ties of the statistics (`cn` for Chinese).
///
/// # Examples
/// ```
/// let bytes = [0xCE, 0xD2, 0xC3, 0xC7, 0xB5, 0xC4, 0xCD, 0xF8, 0xD2, 0xB3];
/// assert_eq!(webmill_html::charset::detect(&bytes, None).map(|e| e.name()), Some("GBK"));
/// ```
pub fn detect(bytes: &[u8], tld: Option<&[u8]>) -> Option<Charset> {
    if let Some(wide) = beyond::utf_32(bytes) {
        return Some(Charset::Beyond(wide));
    }
    if let Some(found) = utf16_by_zeros(bytes).or_else(|| iso_2022_jp(bytes)) {
        return Some(Charset::Standard(found));
    }
    if bytes.is_ascii() {
        return beyond::seven_bit(bytes).map(Charset::Beyond);
    }
    let tally = Utf8Tally::of(bytes);
    if tally.is_utf8(Trust::Nothing) {
        return Some(Charset::Standard(UTF_8));
    }
    let guess = by_statistics(bytes, tld);
    Some(beyond::eight_bit(bytes, guess).map_or(Charset::Standard(guess), Charset::Beyond))
}

/// How many characters of more than one byte are well-formed UTF-8, and how many bytes are none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Utf8Tally {
    pub(super) sequences: usize,
    pub(super) errors: usize,
}

/// The evidence for UTF-8 before the bytes are examined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// A label says so.
    Label,
    Nothing,
}

impl Utf8Tally {
    /// Counts over all of `bytes`; a character cut off at the end is no error.
    pub(super) fn of(bytes: &[u8]) -> Self {
        // Each character of more than one byte has one lead byte ≥ 0xC0.
        let sequences = |text: &str| text.bytes().filter(|&b| b >= 0xC0).count();
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Utf8Tally { sequences: sequences(text), errors: 0 };
        }
        let mut tally = Utf8Tally::default();
        for chunk in bytes.utf8_chunks() {
            tally.sequences += sequences(chunk.valid());
            tally.errors += usize::from(!chunk.invalid().is_empty());
        }
        let cut = bytes.utf8_chunks().last().is_some_and(|chunk| {
            std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none())
        });
        tally.errors -= usize::from(cut);
        tally
    }

    /// Whether only a handful of bytes are not UTF-8, too few to be evidence for a script.
    pub(super) fn is_stray(self) -> bool {
        self.errors <= 8
    }

    /// Whether the bytes are UTF-8, damaged perhaps. Text of other encodings has at most one accidental sequence to
    /// four errors.
    pub(super) fn is_utf8(self, trust: Trust) -> bool {
        match trust {
            Trust::Label => self.sequences >= self.errors,
            Trust::Nothing => self.sequences > 4 * self.errors,
        }
    }
}

/// UTF-16 without a byte order mark: markup and spaces give zero bytes on one side only.
pub(super) fn utf16_by_zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(512) & !1];
    let zeros = |side: usize| head.iter().skip(side).step_by(2).filter(|&&b| b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = head.len() / 2 / 5;
    match () {
        () if odd > many && odd >= 2 && even * 8 <= odd => Some(UTF_16LE),
        () if even > many && even >= 2 && odd * 8 <= even => Some(UTF_16BE),
        () => None,
    }
}

/// Seven-bit Japanese: an escape to a double-byte set.
fn iso_2022_jp(bytes: &[u8]) -> Option<&'static Encoding> {
    let at = memchr::memchr(0x1B, bytes)?;
    let escapes = bytes[at..]
        .windows(3)
        .take(1 << 16)
        .any(|w| w[0] == 0x1B && w[1] == b'$' && matches!(w[2], b'@' | b'B'));
    (escapes && bytes.is_ascii()).then_some(ISO_2022_JP)
}

/// chardetng's guess, UTF-8 excluded.
pub(super) fn by_statistics(bytes: &[u8], tld: Option<&[u8]>) -> &'static Encoding {
    let sample = sample(bytes);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&sample, false);
    // chardetng panics on a domain that is not in its canonical form.
    let tld = tld.filter(|tld| {
        !tld.is_empty() && tld.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
    });
    let guess = detector.guess(tld, Utf8Detection::Deny);
    if guess == WINDOWS_1252 && is_hungarian(&sample) {
        return WINDOWS_1250;
    }
    if is_latin(guess) && !touches_letters(&sample) || is_western(bytes, guess) {
        return WINDOWS_1252;
    }
    if guess.is_single_byte() && (is_mac_cyrillic(&sample) || reads_as_mac_cyrillic(&sample, guess)) {
        return X_MAC_CYRILLIC;
    }
    guess
}

/// Whether a text is of windows-1252, which most pages of the West are in, against a guess of another encoding of one
/// byte a character: its words are of the West and its letters read as well, or the guess makes letters of signs.
fn is_western(bytes: &[u8], guess: &'static Encoding) -> bool {
    if guess == WINDOWS_1252 || !guess.is_single_byte() {
        return false;
    }
    let better = advantage(bytes, WINDOWS_1252, guess);
    let words = || Words::of(bytes).speak_for(Region::Western);
    match is_latin(guess) {
        true if better.differing == 0 => true,
        true => {
            better.bits >= 4.0 && better.mean() >= 2.0
                || better.differing <= FEW && better.mean() > -1.0 && words()
        }
        false => better.bits >= 4.0 && better.mean() >= 1.0 && words(),
    }
}

/// Whether a text of windows-1251, as the statistics have it, reads better as Mac Cyrillic.
fn reads_as_mac_cyrillic(sample: &[u8], guess: &'static Encoding) -> bool {
    let better = advantage(sample, X_MAC_CYRILLIC, guess);
    mean_run(sample) >= 2.5 && better.bits >= 6.0 && better.mean() >= 2.0
}

/// Non-ASCII bytes with a few bytes around them.
fn sample(bytes: &[u8]) -> Vec<u8> {
    let mut sample = Vec::with_capacity(SAMPLE.min(bytes.len()));
    let mut at = 0;
    while at < bytes.len() && sample.len() < SAMPLE {
        let Some(next) = bytes[at..].iter().position(|b| !b.is_ascii()).map(|n| at + n) else {
            sample.extend_from_slice(&bytes[at..bytes.len().min(at + AROUND)]);
            break;
        };
        if next - at > 2 * AROUND {
            sample.extend_from_slice(&bytes[at..at + AROUND]);
            sample.push(b'\n');
            at = next - AROUND;
        }
        let end = next + bytes[next..].iter().position(u8::is_ascii).unwrap_or(bytes.len() - next);
        // One byte more: it may be the second half of a character.
        let end = (end + 1).min(bytes.len()).min(at + SAMPLE);
        sample.extend_from_slice(&bytes[at..end]);
        at = end;
    }
    sample
}

/// Hungarian `ő` and `ű` are `õ` and `û` in windows-1252, which no language of that encoding writes without the vowels
/// with grave, circumflex and tilde that Hungarian lacks; Estonian, which has `õ` and `ö` too, has `ä` and no `á`.
fn is_hungarian(sample: &[u8]) -> bool {
    let count = |of: &[u8]| sample.iter().filter(|b| of.contains(b)).count();
    let (o, u) = (count(&[0xF5, 0xD5]), count(&[0xFB, 0xDB]));
    let own = o > 0 && u > 0 && o + u >= 3;
    let kept =
        o >= 3 && count(&[0xF6]) > 0 && count(&[0xE1]) > o && count(&[0xE9]) > o && count(&[0xE4]) == 0;
    (own || kept) && count(&[0xE0, 0xE2, 0xE3, 0xE8, 0xEA, 0xEE, 0xF2, 0xF4, 0xF9]) * 8 < o + u
}

/// Whether a byte beyond ASCII is beside a letter or another such byte.
fn touches_letters(sample: &[u8]) -> bool {
    let wordlike = |b: u8| b.is_ascii_alphabetic() || !b.is_ascii();
    sample.windows(2).any(|w| (!w[0].is_ascii() && wordlike(w[1])) || (!w[1].is_ascii() && wordlike(w[0])))
}

/// Small letters are alike in Mac Cyrillic and windows-1251; capitals are 80–9F in one and C0–DF in the other.
fn is_mac_cyrillic(sample: &[u8]) -> bool {
    let pairs = |from: u8, to: u8| {
        sample.windows(2).filter(|w| (from..=to).contains(&w[0]) && (0xDF..0xFF).contains(&w[1])).count()
    };
    let small = sample.iter().filter(|&b| (0xDF..0xFF).contains(b)).count();
    let high = sample.iter().filter(|b| !b.is_ascii()).count();
    mean_run(sample) >= 2.5 && small * 10 > high * 7 && pairs(0x80, 0x9F) > 4 + 2 * pairs(0xC0, 0xDE)
}
