//! The frames that are wanted, and what they say.

use std::borrow::Cow;

use crate::bytes::{be32, byte, from};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::sound::{genre, lrc};
use crate::text;

/// Ids of 2.2 and what they became.
const WANTED: [(&[u8; 3], &[u8; 4]); 14] = [
    (b"TT2", b"TIT2"),
    (b"TP1", b"TPE1"),
    (b"TAL", b"TALB"),
    (b"TRK", b"TRCK"),
    (b"TYE", b"TYER"),
    (b"TDR", b"TDRC"),
    (b"TCO", b"TCON"),
    (b"COM", b"COMM"),
    (b"ULT", b"USLT"),
    (b"SLT", b"SYLT"),
    (b"TP2", b"TPE2"),
    (b"TLE", b"TLEN"),
    (b"TDL", b"TDRL"),
    (b"TXX", b"TXXX"),
];

/// What stands for a comment with a description, which counts where there is none without.
const DESCRIBED: [u8; 4] = *b"COM+";

/// Texts of one tag that are kept.
const MAX_TEXTS: usize = 64;

/// Whether a frame is wanted.
pub(super) fn is_wanted(id: &[u8]) -> bool {
    WANTED.iter().any(|(short, long)| id == *short || id == *long)
}

/// The id of four letters of one of three.
pub(super) fn long_id(id: &[u8]) -> [u8; 4] {
    let found = WANTED.iter().find(|(short, long)| id == *short || id == *long);
    found.map_or([0; 4], |(_, long)| **long)
}

/// A charset that a text frame names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Latin,
    Utf16,
    Utf16Be,
    Utf8,
}

impl Named {
    fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Named::Latin,
            1 => Named::Utf16,
            2 => Named::Utf16Be,
            3 => Named::Utf8,
            _ => return None,
        })
    }

    /// The text up to a zero of its width, and what is behind that.
    fn split(self, bytes: &[u8]) -> (&[u8], &[u8]) {
        if matches!(self, Named::Latin | Named::Utf8) {
            let text = text::until_zero(bytes);
            return (text, from(bytes, text.len() + 1));
        }
        let end = bytes
            .as_chunks::<2>()
            .0
            .iter()
            .position(|unit| *unit == [0, 0])
            .map_or(bytes.len(), |units| 2 * units);
        (bytes.get(..end).unwrap_or(bytes), from(bytes, end + 2))
    }

    /// A description, of which the letters of ASCII count.
    fn letters(self, bytes: &[u8]) -> String {
        match self {
            Named::Latin | Named::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Named::Utf16 => several_utf16(bytes),
            Named::Utf16Be => text::utf16(bytes, false),
        }
    }
}

/// Texts of a tag, those without a charset not yet read.
#[derive(Default)]
pub(super) struct Texts {
    found: Vec<([u8; 4], Text)>,
}

enum Text {
    Known(String),
    /// Of no known charset.
    Raw(Vec<u8>),
    /// Lines with their milliseconds, of no known charset.
    RawLines(Vec<(u64, Vec<u8>)>),
}

impl Texts {
    /// Adds what a frame says; one that breaks the rules says nothing.
    pub(super) fn add(&mut self, id: [u8; 4], data: Cow<'_, [u8]>) {
        if self.found.len() < MAX_TEXTS
            && let Some(found) = text_of(id, &data)
        {
            self.found.push(found);
        }
    }

    /// Gives all that was found to the facts that do not know it.
    pub(super) fn give(self, options: &MediaOptions<'_>, facts: &mut MediaFacts) {
        let raw: Vec<&[u8]> = self
            .found
            .iter()
            .flat_map(|(_, text)| match text {
                Text::Known(_) => Vec::new(),
                Text::Raw(bytes) => vec![bytes.as_slice()],
                Text::RawLines(lines) => lines.iter().map(|(_, line)| line.as_slice()).collect(),
            })
            .collect();
        let mut read = text::detected(&raw, options.tld).into_iter();
        let mut described = Vec::new();
        for (id, text) in &self.found {
            let text = match text {
                Text::Known(text) => text.clone(),
                Text::Raw(_) => read.next().unwrap_or_default(),
                Text::RawLines(lines) => {
                    let lines = lines.iter().map(|(ms, _)| (*ms, read.next().unwrap_or_default()));
                    lrc::written(lines)
                }
            };
            if *id == DESCRIBED {
                described.push(text);
            } else {
                give_one(*id, &text, facts);
            }
        }
        described.iter().for_each(|text| facts::set_lines(&mut facts.comment, text));
    }
}

fn give_one(id: [u8; 4], text: &str, facts: &mut MediaFacts) {
    let first = text.split('\0').next().unwrap_or_default();
    let several =
        || text.split('\0').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    match &id {
        b"TIT2" => facts::set(&mut facts.title, first),
        b"TPE1" | b"TPE2" => facts::set(&mut facts.artist, &several()),
        b"TALB" => facts::set(&mut facts.album, first),
        b"TRCK" => facts.track_of(first),
        b"TCON" if facts.genre.is_none() => facts.genre = genre::named(text),
        b"COMM" => facts::set_lines(&mut facts.comment, text),
        b"USLT" | b"SYLT" => lrc::set(&mut facts.lyrics, text),
        b"TLEN" => facts.duration_ms = facts.duration_ms.or(first.trim().parse().ok().filter(|&ms| ms > 0)),
        b"TYER" | b"TDRC" | b"TDRL" => {
            facts.year_of(first);
            if &id == b"TDRC" && first.trim().len() >= 10 && facts.year.is_some() {
                facts::set(&mut facts.created, first);
            }
        }
        _ => {}
    }
}

/// The text of a frame, and what it counts as.
fn text_of(id: [u8; 4], data: &[u8]) -> Option<([u8; 4], Text)> {
    let charset = Named::of(byte(data, 0)?);
    let Some(charset) = charset else {
        // A writer that knows nothing of charsets begins with the text.
        let known = id.starts_with(b"T") && &id != b"TXXX";
        return known.then(|| (id, Text::Raw(text::until_zero(data).to_vec())));
    };
    let data = from(data, 1);
    let text = match &id {
        b"COMM" => {
            let (description, words) = charset.split(from(data, 3));
            let description = charset.letters(description);
            // Programs keep numbers of their own in comments with a description.
            let own = ["iTun", "Songs-DB"].iter().any(|program| description.starts_with(program));
            let id = if description.is_empty() { id } else { DESCRIBED };
            return (!own).then(|| (id, known(charset, words, text::MAX_FIELD)));
        }
        // So do some write their comments.
        b"TXXX" => {
            let (description, words) = charset.split(data);
            let comment = charset.letters(description).eq_ignore_ascii_case("comment");
            return comment.then(|| (DESCRIBED, known(charset, words, text::MAX_FIELD)));
        }
        b"USLT" => known(charset, charset.split(from(data, 3)).1, text::MAX_LYRICS),
        b"SYLT" => timed(charset, data)?,
        _ => known(charset, crate::bytes::first(data, 2 * text::MAX_FIELD), text::MAX_FIELD),
    };
    Some((id, text))
}

fn known(charset: Named, words: &[u8], most: usize) -> Text {
    // Of the wide charsets a character has two bytes.
    let wide = matches!(charset, Named::Utf16 | Named::Utf16Be);
    let words = crate::bytes::first(words, if wide { 2 * most } else { most });
    match charset {
        Named::Latin => Text::Raw(words.strip_suffix(b"\0").unwrap_or(words).to_vec()),
        Named::Utf16 => Text::Known(several_utf16(words)),
        Named::Utf16Be => Text::Known(text::utf16(words, false)),
        Named::Utf8 => match std::str::from_utf8(words) {
            Ok(words) => Text::Known(words.to_owned()),
            Err(_) => Text::Raw(words.to_vec()),
        },
    }
}

/// Texts of UTF-16 with zeros between, each with a mark of its own.
fn several_utf16(words: &[u8]) -> String {
    text::utf16(words, true).replace('\u{FEFF}', "")
}

/// Lyrics with times: language, unit of time, type, description, then text, zero and time again and again.
fn timed(charset: Named, data: &[u8]) -> Option<Text> {
    // Times in frames of sound say nothing here.
    if byte(data, 3)? != 2 || !matches!(byte(data, 4)?, 0..=2) {
        return None;
    }
    let (_, mut rest) = charset.split(from(data, 5));
    let mut lines = Vec::new();
    while !rest.is_empty() && lines.len() < lrc::MAX_LINES {
        let (words, behind) = charset.split(rest);
        let Some(ms) = be32(behind, 0) else { break };
        lines.push((u64::from(ms), words));
        rest = from(behind, 4);
    }
    Some(match charset {
        Named::Latin => Text::RawLines(lines.into_iter().map(|(ms, words)| (ms, words.to_vec())).collect()),
        _ => Text::Known(lrc::written(lines.into_iter().map(|(ms, words)| {
            let words = match charset {
                Named::Utf16 => text::utf16(words, true),
                Named::Utf16Be => text::utf16(words, false),
                _ => String::from_utf8_lossy(words).into_owned(),
            };
            (ms, words)
        }))),
    })
}
