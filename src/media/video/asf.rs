//! ASF: WMA and WMV.
//!
//! **Definition.** Objects of an identifier of 16 bytes, 64 bits of length with these 24, and data, the lowest byte first. All
//! that is wanted lies in the first one. Duration is that of playing less what is loaded before.
//!
//! **Bad input.** At most 256 objects and 256 attributes are looked at.
//!
//! **Reference.** Microsoft, Advanced Systems Format Specification 1.20.03, 2004.

use crate::bytes::{first, from, le16, le32, le64};
use crate::facts::{self, Format, MediaFacts, MediaKind, MediaOptions};
use crate::sound::{lrc, wav};
use crate::video::codec;
use crate::{Window, text};

/// Identifiers as they lie in a file.
pub(crate) const HEADER: [u8; 16] = *b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\0\xAA\0\x62\xCE\x6C";
const FILE: [u8; 16] = *b"\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\0\xC0\x0C\x20\x53\x65";
const STREAM: [u8; 16] = *b"\x91\x07\xDC\xB7\xB7\xA9\xCF\x11\x8E\xE6\0\xC0\x0C\x20\x53\x65";
const CONTENT: [u8; 16] = *b"\x33\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\0\xAA\0\x62\xCE\x6C";
const EXTENDED: [u8; 16] = *b"\x40\xA4\xD0\xD2\x07\xE3\xD2\x11\x97\xF0\0\xA0\xC9\x5E\xA8\x50";
const SOUND: [u8; 16] = *b"\x40\x9E\x69\xF8\x4D\x5B\xCF\x11\xA8\xFD\0\x80\x5F\x5C\x44\x2B";
const PICTURES: [u8; 16] = *b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\0\x80\x5F\x5C\x44\x2B";

/// Objects and attributes that are looked at.
const MAX_PARTS: usize = 256;

/// Seconds from 1601 to 1970.
const EPOCH: i64 = 11_644_473_600;

pub(crate) fn read(window: &Window<'_>, _: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let length = le64(window.head(), 16)?;
    let mut rest = from(window.part(0, length), 30);
    let (mut rate, mut known) = (None, None);
    for _ in 0..MAX_PARTS {
        let (Some(id), Some(length)) = (rest.first_chunk::<16>(), le64(rest, 16)) else { break };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let data = from(first(rest, length), 24);
        match *id {
            FILE => known = take_file(data, facts),
            STREAM => rate = rate.or(take_stream(data, facts)),
            CONTENT => {
                let _ = take_content(data, facts);
            }
            EXTENDED => {
                let _ = take_attributes(data, facts);
            }
            _ => {}
        }
        rest = from(rest, length.max(24));
    }
    if facts.width.is_none() && facts.sample_rate.is_some() {
        (facts.kind, facts.format) = (MediaKind::Audio, Format::Wma);
        facts.bitrate = rate;
    }
    facts.bitrate_of(window.len());
    known
}

/// Takes duration and date, in units of 100 ns; a broadcast has none.
fn take_file(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let (created, playing, loaded, flags) =
        (le64(data, 24)?, le64(data, 40)?, le64(data, 56)?, le32(data, 64)?);
    if flags & 1 == 0 {
        facts.duration_ms = (playing / 10_000).checked_sub(loaded).filter(|&ms| ms > 0);
    }
    let seconds = i64::try_from(created / 10_000_000).ok()? - EPOCH;
    // Earlier than the format, and beyond the year 2200, are none.
    if (820_454_400..7_258_118_400).contains(&seconds) {
        facts::set(&mut facts.created, &webmill_capture::date::format_rfc3339(seconds * 1000));
    }
    Some(())
}

/// Takes what a stream says; gives the bits a second of a sound.
fn take_stream(data: &[u8], facts: &mut MediaFacts) -> Option<u32> {
    let own = from(data, 54);
    match *data.first_chunk::<16>()? {
        SOUND => wav::format(own, facts)?.checked_mul(8).filter(|&rate| rate > 0),
        PICTURES => {
            facts.codec(codec::name(own.get(27..31)?));
            facts.size(le32(own, 0)?, le32(own, 4)?.cast_signed().unsigned_abs());
            None
        }
        _ => None,
    }
}

/// Title, author, rights, description, rating: their lengths, then they.
fn take_content(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let mut rest = from(data, 10);
    for index in 0..4 {
        let length = usize::from(le16(data, 2 * index)?);
        let words = words_of(first(rest, length));
        match index {
            0 => facts::set(&mut facts.title, &words),
            1 => facts::set(&mut facts.artist, &words),
            3 => facts::set_lines(&mut facts.comment, &words),
            _ => {}
        }
        rest = from(rest, length);
    }
    Some(())
}

fn words_of(bytes: &[u8]) -> String {
    let words = text::utf16(bytes, true);
    words.split('\0').next().unwrap_or_default().to_owned()
}

/// Attributes: a name and a value, each behind its length.
fn take_attributes(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let mut rest = from(data, 2);
    let mut album_artist = None;
    for _ in 0..usize::from(le16(data, 0)?).min(MAX_PARTS) {
        let length = usize::from(le16(rest, 0)?);
        let name = words_of(first(from(rest, 2), length));
        rest = from(rest, 2 + length);
        let (kind, length) = (le16(rest, 0)?, usize::from(le16(rest, 2)?));
        let value = first(from(rest, 4), length);
        rest = from(rest, 4 + length);
        let words = match kind {
            0 => words_of(value),
            3 => le32(value, 0)?.to_string(),
            5 => le16(value, 0)?.to_string(),
            _ => continue,
        };
        match name.to_ascii_lowercase().trim_start_matches("wm/") {
            "title" => facts::set(&mut facts.title, &words),
            "author" => facts::add(&mut facts.artist, &words),
            "albumartist" => album_artist = Some(words),
            "albumtitle" => facts::set(&mut facts.album, &words),
            "year" | "date" => facts.year_of(&words),
            "tracknumber" => facts.track_of(&words),
            // Counts from zero.
            "track" => {
                let next = words.trim().parse::<u16>().ok().and_then(|track| track.checked_add(1));
                facts.track = facts.track.or(next);
            }
            "genre" => facts::add(&mut facts.genre, &words),
            "description" => facts::set_lines(&mut facts.comment, &words),
            "lyrics" => lrc::set(&mut facts.lyrics, &words),
            _ => {}
        }
    }
    facts::set(&mut facts.artist, &album_artist.unwrap_or_default());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(id: [u8; 16], data: &[u8]) -> Vec<u8> {
        [&id[..], &(data.len() as u64 + 24).to_le_bytes(), data].concat()
    }

    fn wide(words: &str) -> Vec<u8> {
        words.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    fn sized(bytes: &[u8]) -> Vec<u8> {
        [&u16::try_from(bytes.len()).unwrap().to_le_bytes()[..], bytes].concat()
    }

    fn file(streams: &[Vec<u8>]) -> Vec<u8> {
        let created = u64::try_from(EPOCH + 1_083_414_659).unwrap() * 10_000_000;
        let long = [created, 0, 61_000_000, 0, 3100]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect::<Vec<u8>>();
        let properties = [vec![0; 24], long, vec![2, 0, 0, 0], vec![0; 12]].concat();
        let (title, artist) = (wide("雨"), wide("陆羽"));
        let lengths =
            [title.len(), artist.len(), 0, 0, 0].into_iter().flat_map(|length| (length as u16).to_le_bytes());
        let content = [lengths.collect(), title, artist].concat();
        let attribute =
            |name: &str, kind: u8, value: &[u8]| [sized(&wide(name)), vec![kind, 0], sized(value)].concat();
        let attributes = [
            vec![3, 0],
            attribute("WM/AlbumTitle", 0, &wide("Weather")),
            attribute("WM/TrackNumber", 3, &7_u32.to_le_bytes()),
            attribute("WM/Year", 0, &wide("1999")),
        ];
        let parts = [
            object(FILE, &properties),
            streams.concat(),
            object(CONTENT, &content),
            object(EXTENDED, &attributes.concat()),
        ]
        .concat();
        let head = object(HEADER, &[&[0; 6][..], &parts].concat());
        [head, vec![0; 64_000]].concat()
    }

    #[test]
    fn sound_and_video() {
        let stream = |id: [u8; 16], own: &[u8]| object(STREAM, &[&id[..], &[0; 38], own].concat());
        let sound = stream(
            SOUND,
            &[&[0x61, 1, 2, 0][..], &44_100_u32.to_le_bytes(), &16_000_u32.to_le_bytes(), &[0; 6]].concat(),
        );
        let header = [&[40, 0, 0, 0][..], &[0; 12], b"WMV2"].concat();
        let pictures = stream(
            PICTURES,
            &[&320_u32.to_le_bytes()[..], &240_u32.to_le_bytes(), &[2, 40, 0], &header].concat(),
        );
        for (streams, kind, format, width) in [
            (vec![sound.clone()], MediaKind::Audio, Format::Wma, None),
            (vec![sound, pictures], MediaKind::Video, Format::Wmv, Some(320)),
        ] {
            let facts = crate::facts(&Window::of(&file(&streams)), &MediaOptions::default()).unwrap();
            assert_eq!((facts.kind, facts.format, facts.width), (kind, format, width));
            assert_eq!(
                (facts.duration_ms, facts.sample_rate, facts.channels),
                (Some(3000), Some(44_100), Some(2))
            );
            assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("雨"), Some("陆羽")));
            assert_eq!(
                (facts.album.as_deref(), facts.year, facts.track),
                (Some("Weather"), Some(1999), Some(7))
            );
            assert_eq!(facts.created.as_deref(), Some("2004-05-01T12:30:59Z"));
            assert_eq!(facts.bitrate == Some(128_000), width.is_none());
            assert_eq!(facts.codecs.first().map(|codec| &**codec), Some("wma"));
            assert_eq!(facts.codecs.get(1).map(|codec| &**codec), width.map(|_| "wmv2"));
        }
    }
}
