//! Tags of MP4 and QuickTime: iTunes' list, Apple's keys, and the texts of `udta`.
//!
//! **Reference.** Apple, QuickTime File Format, "Metadata" and "User data atoms"; 3GPP TS 26.244, 8; ISO 6709.

use crate::boxes::Atom;
use crate::bytes::{be16, be32, byte, first, from};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::image::exif;
use crate::sound::{genre, lrc};
use crate::text;

/// Keys that are looked at.
const MAX_KEYS: usize = 256;

/// Items of a list that are looked at, and values of one.
const MAX_ITEMS: usize = 1024;
const MAX_VALUES: usize = 16;

/// What is settled when all is read: maker and model, which come apart, and who made the album.
#[derive(Default)]
struct Apart {
    maker: String,
    model: String,
    album_artist: String,
}

impl Apart {
    fn give(self, facts: &mut MediaFacts) {
        facts::set(&mut facts.camera, &exif::camera(&self.maker, &self.model));
        facts::set(&mut facts.artist, &self.album_artist);
    }
}

/// Takes the tags of a movie.
pub(crate) fn take(movie: &Atom<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    for atom in movie.boxes(0).filter(|atom| &atom.kind == b"meta") {
        take_meta(&atom, options, facts);
    }
    let Some(user) = movie.child(b"udta") else { return };
    let mut apart = Apart::default();
    for atom in user.boxes(0) {
        match &atom.kind {
            b"meta" => take_meta(&atom, options, facts),
            kind if kind.starts_with(b"\xA9") => {
                let data = atom.data();
                let length = be16(data, 0).unwrap_or(0);
                let words = first(from(data, 4), length.into());
                give(kind, &user_text(words, options), options, &mut apart, facts);
            }
            b"titl" | b"perf" | b"auth" | b"albm" | b"dscp" | b"gnre" => {
                give(&atom.kind, &user_text(from(atom.data(), 6), options), options, &mut apart, facts);
            }
            b"loci" if options.gps && facts.gps.is_none() => facts.gps = fixed_place(atom.data()),
            b"yrrc" if facts.year.is_none() => facts.year = be16(atom.data(), 4).filter(|&year| year > 0),
            _ => {}
        }
    }
    apart.give(facts);
}

fn user_text(words: &[u8], options: &MediaOptions<'_>) -> String {
    match words {
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => text::utf16(words, false),
        _ => text::utf8(text::until_zero(words), options.tld),
    }
}

/// Takes the list of a `meta` box, whose items are named by their type or by a table of keys.
pub(crate) fn take_meta(meta: &Atom<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let parts: Vec<Atom<'_>> = meta.meta_boxes().collect();
    let part = |kind: &[u8; 4]| parts.iter().find(|atom| &atom.kind == kind);
    let keys = part(b"keys").map(|keys| keys_of(keys.data())).unwrap_or_default();
    let Some(list) = part(b"ilst") else { return };
    let mut apart = Apart::default();
    let mut seen: Vec<&[u8]> = Vec::new();
    for item in &list.boxes(0).take(MAX_ITEMS).collect::<Vec<_>>() {
        let by_key =
            (u32::from_be_bytes(item.kind) as usize).checked_sub(1).and_then(|index| keys.get(index));
        let name = by_key.copied().unwrap_or(&item.kind);
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        for data in item.boxes(0).filter(|atom| &atom.kind == b"data").take(MAX_VALUES) {
            take_value(name, data.data(), options, &mut apart, facts);
        }
    }
    apart.give(facts);
}

/// Takes a value of an item: its type, 32 bits of its country, itself.
fn take_value(
    name: &[u8],
    data: &[u8],
    options: &MediaOptions<'_>,
    apart: &mut Apart,
    facts: &mut MediaFacts,
) {
    let (kind, value) = (be32(data, 0).unwrap_or(0) & 0xFF_FFFF, from(data, 8));
    match name {
        b"trkn" if facts.track.is_none() => {
            facts.track = be16(value, 2).filter(|&track| track > 0);
            facts.tracks = be16(value, 4).filter(|&tracks| tracks > 0);
        }
        b"gnre" => {
            let number = be16(value, 0).and_then(|number| u8::try_from(number.checked_sub(1)?).ok());
            facts::set(&mut facts.genre, number.and_then(genre::name).unwrap_or_default());
        }
        // Pictures, and numbers of programs, are no words.
        b"covr" => {}
        _ if !matches!(kind, 0..=5) => {}
        _ => {
            let most =
                if matches!(name, b"\xA9lyr" | b"lyrics") { text::MAX_LYRICS } else { text::MAX_FIELD };
            let words = match kind {
                2 => text::utf16(first(value, 2 * most), false),
                _ => text::utf8_within(value, most, options.tld),
            };
            give(name, &words, options, apart, facts);
        }
    }
}

/// The names of a table of keys.
fn keys_of(data: &[u8]) -> Vec<&[u8]> {
    let mut rest = from(data, 8);
    let next = || {
        let length = be32(rest, 0).filter(|&length| length >= 8)? as usize;
        let key = from(first(rest, length), 8);
        rest = from(rest, length);
        Some(key.strip_prefix(b"com.apple.quicktime.").unwrap_or(key))
    };
    std::iter::from_fn(next).take(MAX_KEYS).collect()
}

fn give(name: &[u8], words: &str, options: &MediaOptions<'_>, apart: &mut Apart, facts: &mut MediaFacts) {
    match name {
        b"\xA9nam" | b"titl" | b"title" | b"displayname" => facts::set(&mut facts.title, words),
        b"\xA9ART" | b"perf" | b"auth" | b"\xA9aut" | b"artist" | b"author" => {
            facts::add(&mut facts.artist, words)
        }
        b"aART" => apart.album_artist = text::one_line(words).unwrap_or_default(),
        b"\xA9alb" | b"albm" | b"album" => facts::set(&mut facts.album, words),
        b"\xA9day" | b"date" | b"year" => facts.year_of(words),
        b"\xA9gen" | b"genre" | b"gnre" => facts::add(&mut facts.genre, words),
        b"\xA9cmt" | b"desc" | b"dscp" | b"\xA9des" | b"comment" | b"description" => {
            facts::set_lines(&mut facts.comment, words)
        }
        b"\xA9lyr" | b"lyrics" => lrc::set(&mut facts.lyrics, words),
        b"\xA9trk" | b"track" => facts.track_of(words),
        b"\xA9mak" | b"make" => apart.maker = text::one_line(words).unwrap_or_default(),
        b"\xA9mod" | b"model" => apart.model = text::one_line(words).unwrap_or_default(),
        b"creationdate" => {
            facts::set(&mut facts.created, &with_colon(words));
        }
        b"\xA9xyz" | b"location.ISO6709" if options.gps && facts.gps.is_none() => facts.gps = place(words),
        _ => {}
    }
}

/// `+0800` at the end of a time as `+08:00`.
fn with_colon(time: &str) -> String {
    let zone_at = time.len().saturating_sub(5);
    match time.split_at_checked(zone_at) {
        Some((before, zone))
            if zone.starts_with(['+', '-']) && zone.bytes().skip(1).all(|b| b.is_ascii_digit()) =>
        {
            let (hours, minutes) = zone.split_at(3);
            format!("{before}{hours}:{minutes}")
        }
        _ => time.to_owned(),
    }
}

/// Longitude and latitude with 16 bits behind the point, which stand behind a language, a name and its role.
fn fixed_place(data: &[u8]) -> Option<String> {
    let name = from(data, 6);
    let length = match name {
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => {
            2 * name.as_chunks::<2>().0.iter().position(|unit| *unit == [0, 0])? + 2
        }
        _ => text::until_zero(name).len() + 1,
    };
    let degrees = |at| be32(name, at).map(|value| f64::from(value.cast_signed()) / 65_536.0);
    let (lon, lat) = (degrees(length + 1)?, degrees(length + 5)?);
    (lat.abs() <= 90.0 && lon.abs() <= 180.0).then(|| exif::point(lat, lon))
}

/// `+39.9075+116.3881+050/` as `lat,lon`.
fn place(written: &str) -> Option<String> {
    let bytes = written.as_bytes();
    (matches!(byte(bytes, 0)?, b'+' | b'-')).then_some(())?;
    let signs: Vec<usize> = written
        .bytes()
        .enumerate()
        .filter(|(_, b)| matches!(b, b'+' | b'-' | b'/'))
        .map(|(at, _)| at)
        .take(4)
        .collect();
    let number = |index: usize| {
        let end = signs.get(index + 1).copied().unwrap_or(written.len());
        written.get(*signs.get(index)?..end)?.parse::<f64>().ok()
    };
    let (lat, lon) = (number(0)?, number(1)?);
    (lat.abs() <= 90.0 && lon.abs() <= 180.0).then(|| exif::point(lat, lon))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_times() {
        for (written, expected) in [
            ("+39.9075+116.3881+050.0/", Some("39.907500,116.388100")),
            ("-33.8568+151.2153/", Some("-33.856800,151.215300")),
            ("-33.8568-000.5", Some("-33.856800,-0.500000")),
            ("+99+0/", None),
            ("here", None),
        ] {
            assert_eq!(place(written).as_deref(), expected, "{written}");
        }
        for (time, expected) in [
            ("2019-05-01T12:30:00+0800", "2019-05-01T12:30:00+08:00"),
            ("2019-05-01T12:30:00Z", "2019-05-01T12:30:00Z"),
            ("", ""),
        ] {
            assert_eq!(with_colon(time), expected);
        }
    }
}
