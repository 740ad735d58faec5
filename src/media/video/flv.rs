//! FLV: what its first tag of script says, its first sound, and its last time.
//!
//! **Definition.** Tags of a type (8 sound, 9 pictures, 18 script), 24 bits of length, 24 bits of milliseconds and 8 higher ones,
//! 24 bits of stream, data; behind each its length. The script `onMetaData` is pairs of names and values.
//!
//! **Bad input.** At most 64 tags and 256 pairs are looked at; values within values are passed over, no deeper than 8.
//!
//! **Reference.** Adobe, Flash Video File Format Specification 10.1, 2010, annex E; Action Message Format AMF 0, 2007.

use crate::bytes::{be16, be24, be32, be64, byte, first, from};
use crate::facts::{self, MediaFacts};
use crate::video::h264;
use crate::{Window, text};

/// Tags that are looked at.
const MAX_TAGS: usize = 64;

/// Pairs of a script that are looked at.
const MAX_PAIRS: usize = 256;

/// How deep values are.
const MAX_DEPTH: u8 = 8;

/// Bytes of a tag before its data.
const TAG: usize = 11;

pub(crate) fn read(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    let mut rest = from(head, (be32(head, 5)? as usize).checked_add(4)?);
    let (mut sound, mut pictures, mut script) = (false, false, false);
    for _ in 0..MAX_TAGS {
        let (Some(kind), Some(length)) = (byte(rest, 0), be24(rest, 1)) else { break };
        let data = first(from(rest, TAG), length as usize);
        match kind & 0x1F {
            18 if !script => script = take_script(data, facts).is_some(),
            8 if !sound => sound = take_sound(data, facts).is_some(),
            9 if !pictures => pictures = take_pictures(data, facts).is_some(),
            _ => {}
        }
        if script && sound && pictures {
            break;
        }
        rest = from(rest, TAG + length as usize + 4);
    }
    if facts.duration_ms.is_none() {
        facts.duration_ms = last_time(window).filter(|&ms| ms > 0);
    }
    facts.bitrate_of(window.len());
    Some(())
}

/// The time of the tag that the last four bytes lead to.
fn last_time(window: &Window<'_>) -> Option<u64> {
    let end = window.len().checked_sub(4)?;
    let length = be32(window.at(end), 0)?;
    let tag = window.at(end.checked_sub(length.into())?);
    matches!(byte(tag, 0)?, 8 | 9 | 18).then_some(())?;
    Some(u64::from(be24(tag, 4)?) | u64::from(byte(tag, 7)?) << 24)
}

fn take_sound(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let lead = byte(data, 0)?;
    facts.codec(match lead >> 4 {
        0 | 3 => "pcm",
        1 => "adpcm",
        2 | 14 => "mp3",
        4..=6 => "nellymoser",
        7 => "alaw",
        8 => "mulaw",
        10 => "aac",
        11 => "speex",
        _ => "",
    });
    let rate = match lead >> 4 {
        4 | 11 => 16_000,
        5 | 7 | 8 | 14 => 8000,
        _ => 44_100 >> (3 - u32::from(lead >> 2 & 3)),
    };
    facts.sample_rate = facts.sample_rate.or(Some(rate));
    facts.channels = facts.channels.or(Some(u16::from(lead & 1) + 1));
    Some(())
}

fn take_pictures(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    // The first of H.264 is how to begin, with a set that has the size.
    if let [kind, 0, _, _, _, 1, _, _, _, _, sets, _, _, set @ ..] = data
        && kind & 15 == 7
        && sets & 31 > 0
    {
        let (width, height) = h264::size(set).unwrap_or_default();
        facts.size(width, height);
    }
    facts.codec(match byte(data, 0)? & 15 {
        2 => "flv1",
        3 | 6 => "screen",
        4 | 5 => "vp6",
        7 => "h264",
        12 => "hevc",
        _ => "",
    });
    Some(())
}

/// Takes the pairs of `onMetaData`.
fn take_script(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let name = data.strip_prefix(b"\x02\0\x0AonMetaData")?;
    // A list says how many pairs it has, an object does not.
    let mut rest = match byte(name, 0)? {
        8 => from(name, 5),
        3 => from(name, 1),
        _ => return None,
    };
    let (mut width, mut height) = (0, 0);
    for _ in 0..MAX_PAIRS {
        let Some(length) = be16(rest, 0).filter(|&length| length > 0) else { break };
        let key = first(from(rest, 2), length.into());
        let value = from(rest, 2 + usize::from(length));
        let number = || {
            be64(value, 1)
                .map(f64::from_bits)
                .filter(|number| byte(value, 0) == Some(0) && (0.0..1e12).contains(number))
        };
        let words =
            || Some(first(from(value, 3), be16(value, 1)?.into())).filter(|_| byte(value, 0) == Some(2));
        match key {
            b"duration" => {
                facts.duration_ms =
                    number().map(|seconds| (seconds * 1000.0).round() as u64).filter(|&ms| ms > 0)
            }
            b"width" => width = number().unwrap_or(0.0) as u32,
            b"height" => height = number().unwrap_or(0.0) as u32,
            b"audiosamplerate" => {
                facts.sample_rate = number().map(|rate| rate as u32).filter(|&rate| rate > 999)
            }
            b"stereo" if byte(value, 0) == Some(1) => {
                facts.channels = byte(value, 1).map(|stereo| u16::from(stereo > 0) + 1)
            }
            b"title" => facts::set(&mut facts.title, &text::utf8(words().unwrap_or_default(), None)),
            b"artist" | b"author" => {
                facts::set(&mut facts.artist, &text::utf8(words().unwrap_or_default(), None))
            }
            b"comment" | b"description" => {
                facts::set_lines(&mut facts.comment, &text::utf8(words().unwrap_or_default(), None))
            }
            _ => {}
        }
        let Some(behind) = behind(value, 0) else { break };
        rest = behind;
    }
    facts.size(width, height);
    Some(())
}

/// What follows a value; `None` for one that is not known.
fn behind(value: &[u8], depth: u8) -> Option<&[u8]> {
    (depth < MAX_DEPTH).then_some(())?;
    let pairs = |mut rest| {
        for _ in 0..MAX_PAIRS {
            let length = usize::from(be16(rest, 0)?);
            if length == 0 {
                return Some(from(rest, 3));
            }
            rest = behind(rest.get(2 + length..)?, depth + 1)?;
        }
        None
    };
    match byte(value, 0)? {
        0 => value.get(9..),
        1 => value.get(2..),
        2 => value.get(3 + usize::from(be16(value, 1)?)..),
        3 => pairs(from(value, 1)),
        5 | 6 => value.get(1..),
        8 => pairs(from(value, 5)),
        10 => {
            let mut rest = from(value, 5);
            // Lists of places have a number a picture, which are passed over at once.
            let count = be32(value, 1)? as usize;
            if byte(rest, 0) == Some(0) {
                return rest.get(count.checked_mul(9)?..);
            }
            for _ in 0..count.min(MAX_PAIRS) {
                rest = behind(rest, depth + 1)?;
            }
            Some(rest)
        }
        11 => value.get(11..),
        12 => value.get(5_usize.checked_add(be32(value, 1)? as usize)?..),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, MediaKind, MediaOptions};

    fn tag(kind: u8, ms: u32, data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        let [high, rest @ ..] = ms.to_be_bytes();
        let tag = [&[kind][..], &length[1..], &rest, &[high, 0, 0, 0], data].concat();
        let behind = u32::try_from(tag.len()).unwrap().to_be_bytes();
        [tag, behind.to_vec()].concat()
    }

    fn file(script: &[u8]) -> Vec<u8> {
        let head = b"FLV\x01\x05\0\0\0\x09\0\0\0\0".to_vec();
        [
            head,
            tag(18, 0, script),
            tag(9, 0, &[0x17, 0]),
            tag(8, 0, &[0xAF, 0]),
            tag(9, 0x0100_0000, &[0x27; 99]),
        ]
        .concat()
    }

    fn pair(key: &str, value: &[u8]) -> Vec<u8> {
        [&u16::try_from(key.len()).unwrap().to_be_bytes()[..], key.as_bytes(), value].concat()
    }

    fn number(value: f64) -> Vec<u8> {
        [&[0][..], &value.to_be_bytes()].concat()
    }

    #[test]
    fn script_sound_and_pictures() {
        let places = [&[10, 0, 0, 0, 2][..], &number(0.0), &number(1.0)].concat();
        let frames = [&[3][..], &pair("times", &places), &[0, 0, 9]].concat();
        let pairs = [
            pair("keyframes", &frames),
            pair("duration", &number(3.025)),
            pair("width", &number(320.0)),
            pair("height", &number(240.0)),
            pair("title", &[&[2, 0, 3][..], "雨".as_bytes()].concat()),
        ]
        .concat();
        let script = [b"\x02\0\x0AonMetaData\x08\0\0\0\x05".to_vec(), pairs, vec![0, 0, 9]].concat();
        let facts = crate::facts(&Window::of(&file(&script)), &MediaOptions::default()).unwrap();
        assert_eq!(
            (facts.kind, facts.format, facts.duration_ms),
            (MediaKind::Video, Format::Flv, Some(3025))
        );
        assert_eq!((facts.width, facts.height, facts.title.as_deref()), (Some(320), Some(240), Some("雨")));
        assert_eq!((facts.sample_rate, facts.channels), (Some(44_100), Some(2)));
        assert_eq!(facts.codecs, ["h264", "aac"]);
    }

    #[test]
    fn a_recording_ends_with_its_last_tag() {
        let facts = crate::facts(
            &Window::of(&file(b"\x02\0\x0AonMetaData\x08\0\0\0\0\0\0\x09")),
            &MediaOptions::default(),
        );
        assert_eq!(facts.unwrap().duration_ms, Some(0x0100_0000));
    }

    #[test]
    fn pictures_without_a_script_have_their_size() {
        // A set of 176 by 144 behind version, profile and level.
        let begin = [&[0x17, 0, 0, 0, 0, 1, 66, 0, 30, 0xFF, 0xE1, 0, 8][..], &h264::tests::SMALL].concat();
        let body = [b"FLV\x01\x01\0\0\0\x09\0\0\0\0".to_vec(), tag(9, 0, &begin)].concat();
        let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
        assert_eq!((facts.width, facts.height), (Some(176), Some(144)));
    }

    #[test]
    fn values_within_values_end() {
        let nested = [3, 0, 1, b'a'].repeat(5000);
        assert_eq!(behind(&nested, 0), None);
        assert_eq!(behind(&[10, 0xFF, 0xFF, 0xFF, 0xFF, 0], 0), None);
    }
}
