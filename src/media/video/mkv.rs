//! Matroska and WebM: duration, size, codecs, rate, channels, tags.
//!
//! **Algorithm.** The parts of the segment are walked up to the window's end; those that lie behind the gap are found by the
//! table of places (`SeekHead`). Where no duration is written, as recorders of browsers do, it is the time of the last block
//! in the window's tail.
//!
//! **Reference.** RFC 9559.

use crate::bytes::{be16, be64, from};
use crate::facts::{self, Format, MediaFacts, MediaKind, MediaOptions};
use crate::sound::lrc;
use crate::video::codec;
use crate::video::ebml::{self, Element};
use crate::{Window, text};

const EBML: u32 = 0x1A45_DFA3;
const SEGMENT: u32 = 0x1853_8067;
const SEEK_HEAD: u32 = 0x114D_9B74;
const INFO: u32 = 0x1549_A966;
const TRACKS: u32 = 0x1654_AE6B;
const TAGS: u32 = 0x1254_C367;
const CLUSTER: u32 = 0x1F43_B675;

/// Seconds from 1970 to 2001, which dates count from.
const EPOCH: i64 = 978_307_200;

/// Tracks that are looked at.
const MAX_TRACKS: usize = 64;

/// Parts of each kind that are read.
const MAX_PARTS: usize = 16;

pub(crate) fn read(window: &Window<'_>, _: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let file = Element::at(window, 0, window.len()).filter(|file| file.id == EBML)?;
    if file.child(0x4282).is_some_and(|kind| kind.data().starts_with(b"webm")) {
        facts.format = Format::Webm;
    }
    let segment = Element::at(window, file.end, window.len()).filter(|segment| segment.id == SEGMENT)?;
    let mut parts: Vec<Element<'_>> = Vec::new();
    for part in segment.elements() {
        if matches!(part.id, SEEK_HEAD | INFO | TRACKS | TAGS) && parts.len() < MAX_PARTS {
            parts.push(part);
        }
    }
    let places: Vec<u64> = parts
        .iter()
        .filter(|part| part.id == SEEK_HEAD)
        .flat_map(Element::elements)
        .filter_map(|seek| seek.child(0x53AC)?.unsigned())
        .take(MAX_PARTS)
        .collect();
    for place in places {
        let part = Element::at(window, segment.begin.saturating_add(place), segment.end);
        if let Some(part) = part.filter(|part| {
            matches!(part.id, INFO | TRACKS | TAGS) && !parts.iter().any(|known| known.begin == part.begin)
        }) {
            parts.push(part);
        }
    }
    let mut scale = 1_000_000;
    for part in &parts {
        match part.id {
            INFO => scale = take_info(part, facts),
            TRACKS => part
                .elements()
                .filter(|track| track.id == 0xAE)
                .take(MAX_TRACKS)
                .for_each(|track| take_track(&track, facts)),
            _ => {}
        }
    }
    // After the tracks: whether a title is of an album depends on them.
    settle_kind(facts);
    parts.iter().filter(|part| part.id == TAGS).for_each(|tags| take_tags(tags, facts));
    if facts.duration_ms.is_none() {
        facts.duration_ms = last_block(window, scale);
    }
    facts.bitrate_of(window.len());
    Some(())
}

/// Takes duration, title and date; gives nanoseconds of a unit of time.
fn take_info(info: &Element<'_>, facts: &mut MediaFacts) -> u64 {
    let scale = info
        .child(0x2A_D7B1)
        .and_then(|scale| scale.unsigned())
        .filter(|&scale| scale > 0)
        .unwrap_or(1_000_000);
    for element in info.elements() {
        match element.id {
            0x4489 => {
                let ms = element.float().map(|units| units * scale as f64 / 1e6);
                facts.duration_ms = ms.filter(|ms| (0.5..1e15).contains(ms)).map(|ms| ms.round() as u64);
            }
            0x7BA9 => facts::set(&mut facts.title, &element.text(text::MAX_FIELD)),
            0x4461 => {
                let seconds = be64(element.data(), 0).map(|ns| ns.cast_signed() / 1_000_000_000 + EPOCH);
                let time = seconds.map(|seconds| webmill_capture::date::format_rfc3339(seconds * 1000));
                facts::set(&mut facts.created, &time.unwrap_or_default());
            }
            _ => {}
        }
    }
    scale
}

fn take_track(track: &Element<'_>, facts: &mut MediaFacts) {
    let kind = track.child(0x83).and_then(|kind| kind.unsigned());
    if !matches!(kind, Some(1 | 2)) {
        return;
    }
    if let Some(id) = track.child(0x86) {
        facts.codec(codec::name(id.data()));
    }
    let number = |element: Element<'_>, id| element.child(id).and_then(|value| value.unsigned());
    if let Some(pictures) = track.child(0xE0) {
        let side = |id| number(pictures, id).and_then(|side| u32::try_from(side).ok()).unwrap_or(0);
        facts.size(side(0xB0), side(0xBA));
    }
    if let Some(sound) = track.child(0xE1).filter(|_| facts.sample_rate.is_none()) {
        let rate = sound.child(0xB5).and_then(|rate| rate.float()).unwrap_or(8000.0);
        facts.sample_rate = (1.0..1e7).contains(&rate).then_some(rate as u32);
        facts.channels = u16::try_from(number(sound, 0x9F).unwrap_or(1)).ok();
    }
}

/// A file without pictures is sound.
fn settle_kind(facts: &mut MediaFacts) {
    if facts.width.is_none() && facts.sample_rate.is_some() {
        facts.kind = MediaKind::Audio;
    }
}

fn take_tags(tags: &Element<'_>, facts: &mut MediaFacts) {
    for tag in tags.elements().filter(|tag| tag.id == 0x7373) {
        let targets = tag.child(0x63C0);
        let of_track = targets.and_then(|targets| targets.child(0x63C5)?.unsigned()).unwrap_or(0) > 0;
        if of_track {
            continue;
        }
        let album = targets.and_then(|targets| targets.child(0x68CA)?.unsigned()) == Some(50)
            && facts.kind == MediaKind::Audio;
        for simple in tag.elements().filter(|simple| simple.id == 0x67C8) {
            let name =
                simple.child(0x45A3).map(|name| name.text(64).to_ascii_uppercase()).unwrap_or_default();
            let words = simple.child(0x4487).map(|words| words.text(text::MAX_LYRICS)).unwrap_or_default();
            match name.as_str() {
                "TITLE" if album => facts::set(&mut facts.album, &words),
                "TITLE" => facts::set(&mut facts.title, &words),
                "ARTIST" | "AUTHOR" => facts::set(&mut facts.artist, &words),
                "ALBUM" => facts::set(&mut facts.album, &words),
                "DATE" | "YEAR" | "DATE_RELEASED" | "DATE_RECORDED" => facts.year_of(&words),
                "GENRE" => facts::set(&mut facts.genre, &words),
                "COMMENT" | "DESCRIPTION" => facts::set_lines(&mut facts.comment, &words),
                "TRACK" | "PART_NUMBER" => facts.track_of(&words),
                "LYRICS" => lrc::set(&mut facts.lyrics, &words),
                _ => {}
            }
        }
    }
}

/// Milliseconds of the last block in the tail.
fn last_block(window: &Window<'_>, scale: u64) -> Option<u64> {
    let tail = window.tail();
    let begin = window.len() - tail.len() as u64;
    let at = memchr::memmem::rfind(tail, &CLUSTER.to_be_bytes())?;
    let cluster = Element::at(window, begin + at as u64, window.len())?;
    let mut time = None;
    let mut last = 0_u64;
    for element in cluster.elements() {
        let block = match element.id {
            0xE7 => {
                time = element.unsigned();
                continue;
            }
            0xA3 => element,
            0xA0 => match element.child(0xA1) {
                Some(block) => block,
                None => continue,
            },
            _ => continue,
        };
        // The number of the track, then 16 bits of time from the cluster's.
        let data = block.data();
        let relative = ebml::number(data, 8, true).and_then(|(_, length)| be16(from(data, length), 0));
        last = last.max(relative.map_or(0, |relative| u64::try_from(relative.cast_signed()).unwrap_or(0)));
    }
    crate::bytes::scaled(time?.checked_add(last)?, scale, 1_000_000).filter(|&ms| ms > 0)
}

#[cfg(test)]
#[path = "mkv_tests.rs"]
mod tests;
