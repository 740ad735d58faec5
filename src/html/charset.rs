//! Bytes → characters: which encoding a page is in, and its text.
//!
//! **Definition.** Evidence is taken in this order, and what was declared and what the bytes say are both reported:
//!
//! 1. a byte order mark;
//! 2. the `charset` of the HTTP header;
//! 3. `<meta>` or the XML declaration (HTML standard, "prescan");
//! 4. the bytes: UTF-8 syntax, zero bytes of UTF-16, letter statistics, tests for [`Beyond`] the standard.
//!
//! **When a label is overruled.** Browsers obey labels; an archive holds what no browser would show. A label loses
//!
//! - to UTF-8, when the bytes are well-formed UTF-8 beyond what chance makes of text in the label's encoding: one character
//!   is enough against encodings of one byte, some four against double-byte ones, one against these too if it is a letter
//!   with marks within words of Europe, or a quotation mark;
//! - being UTF-8, when more bytes are malformed than characters well-formed;
//! - being UTF-16, when no zero byte is where UTF-16 has them;
//! - being Latin, when non-ASCII bytes come in runs of 2.5 and more (Latin letters with marks stand alone, other scripts
//!   come in words) and statistics name an encoding of another script;
//! - being of one byte a character, when statistics name another such encoding in which the letters that the two read
//!   differently are 24 bits likelier (`оПХБЕР` is no Russian word); 6 bits are enough where function words are of the other
//!   one's region, and where these are of the label's own it holds unless letters and signs speak against it one by one;
//! - being of another script of one byte a character, when statistics name a double-byte encoding and the text lies
//!   where prose in that one does;
//! - being a double-byte one, when at least two in a hundred of its characters are malformed and statistics name
//!   an encoding under which fewer than half as many are; when its letters stand alone among words of Europe; or when less
//!   than three in four of its characters are in the frequent zones of its table, or hardly any in the rows that its language
//!   fills, and statistics name a double-byte encoding in whose frequent zones nine in ten are;
//! - to one beyond the standard that the bytes show, if it is of UTF-8 or UTF-16, is Latin over bytes in runs, or is of a
//!   double-byte encoding under which two in a hundred characters are malformed;
//! - being that of the HTTP header, when page and statistics agree on another one.
//!
//! Of two declarations in one page the first counts, as in browsers; of a page whose parts are in two encodings, one is
//! read and the other's bytes become what they are in it.
//!
//! Without a label, windows-1252 in whose words stand broken bars, diaereses and cedillas is ISO-8859-15, which has Š, š and ž there.
//!
//! **Text encoded twice.** UTF-8 that was taken for another encoding and encoded as UTF-8 again, throughout the page, is
//! undone (`Ã©` → `é`), and [`Decoded::doubled`] says so.
//!
//! **Cost.** ASCII and UTF-8 are borrowed, not copied, at some GB/s; others are decoded once, and statistics read 8 KiB.
//!
//! **Error.** Malformed bytes become U+FFFD; a character that is cut off at the end of well-formed UTF-8 is dropped.
//!
//! **Reference.** WHATWG Encoding Standard; HTML standard, 13.2.3.

use std::borrow::Cow;

use encoding_rs::{
    Encoding, ISO_2022_JP, ISO_8859_15, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED,
};

pub use super::detect::beyond::{Beyond, Charset};
pub use super::detect::detect;
use super::detect::{self, Trust, Utf8Tally, beyond};
use super::evidence::letters::advantage;
use super::evidence::{plainly, same_family};
use super::prescan::declared_encoding;
use label::{obeys, obeys_beyond};
use webmill_capture::words;

mod doubled;
mod label;

/// Bits by which another encoding must read a few stray bytes better than windows-1252 does.
const STRAY_BITS: f32 = 6.0;

words! {
    /// What settled a page's encoding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CharsetSource {
        /// A byte order mark.
        Bom = "bom",
        /// The `charset` of the HTTP header.
        Http = "http",
        /// `<meta>` or the XML declaration.
        Meta = "meta",
        /// The bytes, unlabelled or against their label.
        Detected = "detected",
        /// Nothing: plain ASCII without a label.
        Default = "default",
    }
}

/// A page as characters, and how they were found.
#[derive(Debug, Clone)]
pub struct Decoded<'a> {
    /// The text, without byte order mark; borrowed if the bytes were UTF-8.
    pub text: Cow<'a, str>,
    /// The encoding it was read in; UTF-8, which its links are in then, where that is beyond the standard.
    pub used: &'static Encoding,
    /// Canonical name of the encoding it was read in.
    pub name: &'static str,
    /// Canonical name of the encoding that the first label in order declares, whether it was obeyed or not.
    pub declared: Option<&'static str>,
    /// What settled the matter.
    pub source: CharsetSource,
    /// Canonical name of the encoding that the bytes speak for; `None` for plain ASCII.
    pub detected: Option<&'static str>,
    /// Canonical name of the encoding that UTF-8 was taken for when it was encoded as UTF-8 again, where that was undone:
    /// throughout the page, since a page that is so in parts is left as it is.
    pub doubled: Option<&'static str>,
    /// Whether bytes were malformed (and became U+FFFD) or a character was cut off at the end.
    pub had_errors: bool,
}

impl<'a> Decoded<'a> {
    /// Sound text of which nothing declares or shows the encoding.
    fn in_one(text: Cow<'a, str>, used: &'static Encoding) -> Self {
        let source = CharsetSource::Default;
        let (name, had_errors) = (used.name(), false);
        Decoded { text, used, name, declared: None, source, detected: None, doubled: None, had_errors }
    }
}

/// Reads `bytes`, whose HTTP header said `http_label`, as characters. `hint_tld` is the last label of the host name,
/// which breaks ties of the statistics (`cn` for Chinese).
///
/// # Examples
/// ```
/// let page = webmill_html::charset::decode(b"<meta charset=gb2312>\xC4\xE3\xBA\xC3", None, None);
/// assert!(page.text.ends_with("你好"));
/// assert_eq!((page.used.name(), page.declared), ("GBK", Some("GBK")));
/// ```
pub fn decode<'a>(bytes: &'a [u8], http_label: Option<&[u8]>, hint_tld: Option<&[u8]>) -> Decoded<'a> {
    let found = decode_once(bytes, http_label, hint_tld);
    if found.name != UTF_8.name() {
        return found;
    }
    match doubled::undo(&found.text) {
        Some((text, taken_for)) => {
            Decoded { text: Cow::Owned(text), doubled: Some(taken_for.name()), ..found }
        }
        None => found,
    }
}

/// The same, for text that was encoded once.
fn decode_once<'a>(bytes: &'a [u8], http_label: Option<&[u8]>, hint_tld: Option<&[u8]>) -> Decoded<'a> {
    if let Some(wide) = beyond::utf_32(bytes) {
        let labels = Labels { bom: None, http: http_label.and_then(known_label), bytes };
        let source = if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0, 0, 0xFE, 0xFF]) {
            CharsetSource::Bom
        } else {
            CharsetSource::Detected
        };
        return finish_beyond(bytes, wide, labels.http.map(Encoding::name), source);
    }
    let bom = Encoding::for_bom(bytes);
    let body = &bytes[bom.map_or(0, |(_, length)| length)..];
    let labels = Labels {
        bom: bom.map(|(encoding, _)| encoding),
        http: http_label.and_then(known_label),
        bytes: body,
    };
    if body.is_ascii() {
        return decode_ascii(body, &labels);
    }
    if labels.bom.is_none_or(|bom| bom == UTF_8)
        && let Ok(text) = std::str::from_utf8(body)
        && let Some(found) = decode_utf8(text, &labels)
    {
        return found;
    }
    decode_legacy(body, &labels, hint_tld)
}

/// A label of an encoding that can be read.
fn known_label(label: &[u8]) -> Option<&'static Encoding> {
    let quoted = |b: &u8| matches!(b, b'"' | b'\'') || b.is_ascii_whitespace();
    let start = label.iter().position(|b| !quoted(b))?;
    let label = &label[start..=label.iter().rposition(|b| !quoted(b))?];
    Encoding::for_label(label).filter(|&found| found != REPLACEMENT && found != X_USER_DEFINED)
}

/// What was declared, the page's own declaration read only when asked for.
struct Labels<'a> {
    bom: Option<&'static Encoding>,
    http: Option<&'static Encoding>,
    bytes: &'a [u8],
}

impl Labels<'_> {
    fn meta(&self) -> Option<&'static Encoding> {
        declared_encoding(self.bytes).filter(|&found| found != REPLACEMENT)
    }

    fn first(&self) -> Option<(&'static Encoding, CharsetSource)> {
        let labelled = |source| move |encoding| (encoding, source);
        self.bom
            .map(labelled(CharsetSource::Bom))
            .or_else(|| self.http.map(labelled(CharsetSource::Http)))
            .or_else(|| self.meta().map(labelled(CharsetSource::Meta)))
    }
}

fn decode_ascii<'a>(bytes: &'a [u8], labels: &Labels) -> Decoded<'a> {
    let first = labels.first();
    let declared = first.map(|(encoding, _)| encoding.name());
    let detected = detect::detect(bytes, None);
    if let Some(Charset::Beyond(found)) = detected {
        return finish_beyond(bytes, found, declared, CharsetSource::Detected);
    }
    if let Some(Charset::Standard(wide)) = detected {
        let source = match first {
            Some((label, source)) if label == wide => source,
            _ => CharsetSource::Detected,
        };
        return finish(bytes, wide, declared, source, Some(wide));
    }
    // UTF-16 of nothing but ASCII bytes has no zero byte where it should.
    let (used, source) = match first {
        Some((label, source)) if label != UTF_16LE && label != UTF_16BE && label != ISO_2022_JP => {
            (label, source)
        }
        Some((label, source)) if source == CharsetSource::Bom || label == ISO_2022_JP => {
            return finish(bytes, label, declared, source, None);
        }
        _ => (UTF_8, CharsetSource::Default),
    };
    let text = Cow::Borrowed(std::str::from_utf8(bytes).expect("ASCII is UTF-8"));
    Decoded { declared, source, ..Decoded::in_one(text, used) }
}

/// Well-formed UTF-8 beyond ASCII: `None` where a label has the better claim.
fn decode_utf8<'a>(text: &'a str, labels: &Labels) -> Option<Decoded<'a>> {
    let first = labels.first();
    let source = match first {
        Some((label, source)) if label == UTF_8 => source,
        Some((label, _)) => {
            if !label::is_utf8_beyond_chance(text, label) || detect::utf16_by_zeros(text.as_bytes()).is_some()
            {
                return None;
            }
            CharsetSource::Detected
        }
        None => CharsetSource::Detected,
    };
    let declared = first.map(|(encoding, _)| encoding.name());
    let detected = Some(UTF_8.name());
    Some(Decoded { declared, source, detected, ..Decoded::in_one(Cow::Borrowed(text), UTF_8) })
}

/// Bytes that are neither ASCII nor well-formed UTF-8, or whose label may be right against UTF-8.
fn decode_legacy<'a>(bytes: &'a [u8], labels: &Labels, tld: Option<&[u8]>) -> Decoded<'a> {
    let first = labels.first();
    let declared = first.map(|(encoding, _)| encoding.name());
    let tally = Utf8Tally::of(bytes);
    let (used, source, detected) = match first {
        Some((label, source @ CharsetSource::Bom)) if label != UTF_8 => (label, source, label),
        Some((label, source)) if label == UTF_8 && tally.is_utf8(Trust::Label) => (label, source, UTF_8),
        Some((label, source)) if plainly(bytes, label) => (label, source, label),
        _ => {
            let mut found = match detect::detect(bytes, tld) {
                Some(Charset::Standard(found)) => found,
                Some(Charset::Beyond(found)) => match first {
                    Some((label, source)) if obeys_beyond(bytes, label) => {
                        return Decoded {
                            detected: Some(found.name()),
                            ..finish(bytes, label, declared, source, None)
                        };
                    }
                    _ => return finish_beyond(bytes, found, declared, CharsetSource::Detected),
                },
                None => WINDOWS_1252,
            };
            // A page that says UTF-8 and is ASCII but for a few stray bytes was typed in the West: dashes and quotes.
            if first.is_some_and(|(label, _)| label == UTF_8)
                && tally.is_stray()
                && found.is_single_byte()
                && advantage(bytes, found, WINDOWS_1252).bits < STRAY_BITS
            {
                found = WINDOWS_1252;
            }
            match first {
                Some((label, source)) if obeys(bytes, label, found) => {
                    match labels.meta() {
                        // A server's blanket header against the page and its bytes.
                        Some(meta) if source == CharsetSource::Http && outvoted(label, meta, found) => {
                            (meta, CharsetSource::Meta, found)
                        }
                        _ => (label, source, found),
                    }
                }
                Some(_) if labels.meta().is_some_and(|meta| same_family(meta, found)) => {
                    (labels.meta().unwrap_or(found), CharsetSource::Meta, found)
                }
                None if found == WINDOWS_1252 && is_latin_9(bytes) => {
                    (ISO_8859_15, CharsetSource::Detected, ISO_8859_15)
                }
                _ => (found, CharsetSource::Detected, found),
            }
        }
    };
    finish(bytes, used, declared, source, Some(detected))
}

/// Whether a text that looks like windows-1252 is ISO-8859-15: all that would be a broken bar, a diaeresis or a cedilla by itself stands in
/// words, where that encoding has Š, š and ž.
fn is_latin_9(bytes: &[u8]) -> bool {
    let is_letter = |at: Option<usize>| {
        let byte = at.and_then(|at| bytes.get(at));
        byte.is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, 0xC0..=0xFF if !matches!(b, 0xD7 | 0xF7)))
    };
    let mut places =
        bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, 0xA6 | 0xA8 | 0xB8)).peekable();
    places.peek().is_some()
        && places.all(|(at, byte)| {
            let (before, after) = (is_letter(at.checked_sub(1)), is_letter(at.checked_add(1)));
            // A bar between two words parts them.
            if *byte == 0xA6 { after && !before } else { before || after }
        })
}

fn outvoted(http: &'static Encoding, meta: &'static Encoding, found: &'static Encoding) -> bool {
    same_family(meta, found) && !same_family(http, found)
}

fn finish_beyond<'a>(
    bytes: &[u8],
    found: Beyond,
    declared: Option<&'static str>,
    source: CharsetSource,
) -> Decoded<'a> {
    let (text, had_errors) = found.decode(bytes);
    let name = found.name();
    let decoded = Decoded::in_one(Cow::Owned(text), UTF_8);
    Decoded { name, declared, source, detected: Some(name), had_errors, ..decoded }
}

fn finish<'a>(
    bytes: &'a [u8],
    used: &'static Encoding,
    declared: Option<&'static str>,
    source: CharsetSource,
    detected: Option<&'static Encoding>,
) -> Decoded<'a> {
    let detected = detected.map(Encoding::name);
    if used == UTF_8
        && let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        let whole = std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("valid up to here");
        let decoded = Decoded::in_one(Cow::Borrowed(whole), used);
        return Decoded { declared, source, detected, had_errors: true, ..decoded };
    }
    let (text, had_errors) = used.decode_without_bom_handling(bytes);
    Decoded { declared, source, detected, had_errors, ..Decoded::in_one(text, used) }
}

#[cfg(test)]
#[path = "charset_tests.rs"]
mod tests;
