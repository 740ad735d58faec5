//! Whether a label holds against what the bytes speak for.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_874};

use crate::evidence::letters::{advantage, mean_cost};
use crate::evidence::words::{Region, Words};
use crate::evidence::{Zones, is_latin, malformed_share, mean_run, plainly, same_family};

/// Bits by which another encoding of one byte must read better than the label's.
const BITS: f32 = 24.0;

/// The same, where the words of the text are of the other encoding's region.
const BITS_WITH_WORDS: f32 = 6.0;

/// Bits that a letter of prose costs at most in its own encoding, in the mean; in others of its script some eight.
const PROSE: f32 = 6.25;

/// Whether `bytes` can be what `label` says, when they speak for `found`.
pub(super) fn obeys(bytes: &[u8], label: &'static Encoding, found: &'static Encoding) -> bool {
    if same_family(label, found) {
        return true;
    }
    if label == UTF_8 || label == UTF_16LE || label == UTF_16BE || found == UTF_16LE || found == UTF_16BE {
        return false;
    }
    if found == UTF_8 {
        // Not well-formed throughout, or not enough of it.
        return std::str::from_utf8(bytes).is_ok();
    }
    match (label.is_single_byte(), found.is_single_byte()) {
        (true, true) => obeys_single(bytes, label, found),
        (true, false) => {
            let runs = is_latin(label) && mean_run(bytes) >= 2.5;
            !runs && (!plainly(bytes, found) || mean_cost(bytes, label) < PROSE)
        }
        (false, true) => !is_malformed(bytes, label, found) && !is_western(bytes, found),
        (false, false) => !is_malformed(bytes, label, found) && !is_astray(bytes, label, found),
    }
}

/// Both of one byte a character: the letters that the two read differently, and the words that they read alike.
fn obeys_single(bytes: &[u8], label: &'static Encoding, found: &'static Encoding) -> bool {
    if is_latin(label) && !is_latin(found) && mean_run(bytes) >= 2.5 {
        return false;
    }
    let better = advantage(bytes, found, label);
    if better.differing == 0 {
        return true;
    }
    let words = Words::of(bytes);
    let speak_for = |encoding| Region::of(encoding).is_some_and(|region| words.speak_for(region));
    if speak_for(label) {
        return better.bits < BITS || better.mean() < 3.0;
    }
    if speak_for(found) {
        // Letters alike in rank, as è and č are: the language decides, and sooner against the label of most pages.
        let enough = if Region::of(label) == Some(Region::Western) { 2 } else { 12 };
        let alike = is_latin(label) && better.differing >= enough && better.mean() > -0.5;
        return !alike && (better.bits < BITS_WITH_WORDS || better.mean() < 1.0);
    }
    better.bits < BITS || better.mean() < 1.0
}

/// Whether a double-byte label leaves more malformed than `found` does.
fn is_malformed(bytes: &[u8], label: &'static Encoding, found: &'static Encoding) -> bool {
    let malformed = malformed_share(bytes, label);
    malformed >= 0.02 && malformed_share(bytes, found) * 2.0 < malformed
}

/// Whether a text under a double-byte label is of Latin letters, whose marks stand alone among words of their region.
fn is_western(bytes: &[u8], found: &'static Encoding) -> bool {
    mean_run(bytes) < 1.5
        && Region::of(found).is_some_and(|region| Words::of(bytes).speak_for(region))
        && mean_cost(bytes, found) < PROSE
}

/// Whether the characters lie all over the label's table, and where prose does in that of `found`.
fn is_astray(bytes: &[u8], label: &'static Encoding, found: &'static Encoding) -> bool {
    match (Zones::of(bytes, label), Zones::of(bytes, found)) {
        (Some(labelled), Some(other)) => {
            // A handful of characters may lie anywhere: too little to speak against a label.
            let misfit = labelled.characters >= 24 && (labelled.frequent < 0.75 || labelled.telling < 0.02);
            misfit && other.frequent > 0.9 && other.telling > 0.15
        }
        _ => false,
    }
}

/// Whether `bytes` can be what `label` says, when they show an encoding beyond the standard.
pub(super) fn obeys_beyond(bytes: &[u8], label: &'static Encoding) -> bool {
    match label {
        _ if label == UTF_8 || label == UTF_16LE || label == UTF_16BE => false,
        _ if is_latin(label) => mean_run(bytes) < 2.5,
        _ => label.is_single_byte() || malformed_share(bytes, label) < 0.02,
    }
}

/// Whether well-formed UTF-8 is too much of it to be text of `label` by chance.
///
/// A character of two bytes is well-formed in one pair of GBK in ten, of three bytes in one in fifty, of four in five
/// hundred; the marks of Unicode (`E2 80`) are no usual character elsewhere, and letters with marks in a word are no
/// ideographs. Bytes of the other scripts' encodings of one byte come in words, which are not well-formed.
pub(super) fn is_utf8_beyond_chance(text: &str, label: &'static Encoding) -> bool {
    const ENOUGH: f32 = 11.0;
    if label.is_single_byte() && label != WINDOWS_874 {
        return true;
    }
    let words = Words::of(text.as_bytes());
    let is_prose = [Region::Western, Region::Central, Region::Turkish, Region::Baltic]
        .into_iter()
        .any(|region| words.speak_for(region));
    let (mut bits, mut before) = (0.0, ' ');
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let after = characters.peek().copied().unwrap_or(' ');
        bits += match c {
            '\0'..='\x7F' => 0.0,
            '\u{80}'..='\u{24F}'
                if is_prose && (before.is_ascii_alphabetic() || after.is_ascii_alphabetic()) =>
            {
                ENOUGH
            }
            '\u{80}'..='\u{24F}' if is_prose => 6.0,
            '\u{80}'..='\u{7FF}' => 3.4,
            '\u{2000}'..='\u{203F}' => ENOUGH,
            '\u{800}'..='\u{FFFF}' => 5.75,
            _ => 9.0,
        };
        if bits >= ENOUGH {
            return true;
        }
        before = c;
    }
    false
}
