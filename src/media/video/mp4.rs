//! MP4, M4A, 3GPP and QuickTime: duration, size, codecs, rate, channels, pictures.
//!
//! **Definition.** All is in the box `moov`, at the start or at the end. Duration is that of the movie, else of its fragments
//! (`mehd`, `sidx`, the last of them), else of the longest track. Width and height are those of the coded pictures; a turned matrix gives the
//! orientation. A file without a track of pictures is sound.
//!
//! **Bad input.** A `moov` beyond the window gives the warning `movie-out-of-reach`, one that reaches beyond it `movie-cut`.
//!
//! **Reference.** ISO/IEC 14496-12, 8; 14496-14; Apple, QuickTime File Format, 2016.

use crate::Window;
use crate::boxes::Atom;
use crate::bytes::{be16, be32, be64, byte, from, scaled};
use crate::facts::{self, Format, MediaFacts, MediaKind, MediaOptions};
use crate::video::esds::Decoder;
use crate::video::{codec, fragments, mp4_tags};

/// Seconds from 1904 to 1970.
const EPOCH: i64 = 2_082_844_800;

/// Tracks that are looked at.
const MAX_TRACKS: usize = 64;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let file = Atom::all(window);
    let Some(movie) = file.child(b"moov") else {
        facts.warn("movie-out-of-reach");
        return Some(());
    };
    if movie.is_cut() {
        facts.warn("movie-cut");
    }
    let created = take_movie(&movie, facts);
    mp4_tags::take(&movie, options, facts);
    if let Some(meta) = file.child(b"meta") {
        mp4_tags::take_meta(&meta, options, facts);
    }
    facts::set(&mut facts.created, &created.unwrap_or_default());
    if facts.duration_ms.is_none() {
        facts.duration_ms =
            file.boxes(0).filter(|atom| &atom.kind == b"sidx").find_map(|atom| of_index(atom.data()));
    }
    // The movie before fragments tells of what stands in itself.
    facts.duration_ms = facts.duration_ms.max(fragments::duration(window, &movie));
    facts.bitrate_of(if facts.kind == MediaKind::Audio { media_bytes(&file) } else { window.len() });
    Some(())
}

/// Bytes of media without tags and pictures, where all boxes are seen; else of the file.
fn media_bytes(file: &Atom<'_>) -> u64 {
    let (mut media, mut seen) = (0, 0);
    for atom in file.boxes(0) {
        seen = atom.end;
        if &atom.kind == b"mdat" {
            media += atom.end - atom.begin;
        }
    }
    if seen == file.end && media > 0 { media } else { file.end }
}

/// Takes what a movie and its tracks say; gives when it was made.
pub(crate) fn take_movie(movie: &Atom<'_>, facts: &mut MediaFacts) -> Option<String> {
    let (mut created, mut scale) = (None, 0);
    let (mut sound, mut pictures, mut longest) = (false, false, None);
    for atom in movie.boxes(0) {
        match &atom.kind {
            b"mvhd" => {
                let data = atom.data();
                let (ms, per_second) = duration(data).unwrap_or((None, 0));
                (scale, facts.duration_ms) = (per_second, ms);
                created = time(data);
            }
            b"mvex" if facts.duration_ms.is_none() => {
                let data = atom.child(b"mehd").map(|mehd| mehd.data()).unwrap_or_default();
                let units =
                    if byte(data, 0) == Some(1) { be64(data, 4) } else { be32(data, 4).map(u64::from) };
                facts.duration_ms =
                    units.and_then(|units| scaled(units, 1000, scale.into())).filter(|&ms| ms > 0);
            }
            _ => {}
        }
    }
    for track in movie.boxes(0).filter(|atom| &atom.kind == b"trak").take(MAX_TRACKS) {
        let media = track.child(b"mdia");
        let part =
            |kind| media.and_then(|media| media.child(kind)).map(|atom| atom.data()).unwrap_or_default();
        longest = longest.max(duration(part(b"mdhd")).and_then(|(ms, _)| ms));
        let table = media.and_then(|media| media.path(&[b"minf", b"stbl"]));
        match part(b"hdlr").get(8..12) {
            // `pict` is of moving pictures of AVIF and HEIF.
            Some(b"vide" | b"pict") => {
                pictures |= table.is_some_and(|table| take_pictures(&track, &table, facts).is_some())
            }
            Some(b"soun") => {
                sound |= table.is_some_and(|table| take_sound(&table, part(b"mdhd"), facts).is_some())
            }
            _ => {}
        }
    }
    facts.duration_ms = facts.duration_ms.or(longest);
    if sound && !pictures && facts.kind == MediaKind::Video {
        facts.kind = MediaKind::Audio;
        if facts.format == Format::Mp4 {
            facts.format = Format::M4a;
        }
    } else if pictures && facts.format == Format::M4a {
        facts.kind = MediaKind::Video;
    }
    created
}

/// Milliseconds, where known, and units a second of `mvhd` or `mdhd`.
fn duration(data: &[u8]) -> Option<(Option<u64>, u32)> {
    let (scale, units, unknown) = match byte(data, 0)? {
        1 => (be32(data, 20)?, be64(data, 24)?, u64::MAX),
        _ => (be32(data, 12)?, be32(data, 16)?.into(), u32::MAX.into()),
    };
    let known = units > 0 && units < unknown;
    Some((known.then(|| scaled(units, 1000, scale.into())).flatten(), scale))
}

/// When a movie was made, of `mvhd`. Some writers count from 1970, which is told by years before that.
fn time(data: &[u8]) -> Option<String> {
    let seconds = match byte(data, 0)? {
        1 => i64::try_from(be64(data, 4)?).ok()?,
        _ => be32(data, 4)?.into(),
    };
    let since_1970 = if seconds > EPOCH { seconds - EPOCH } else { seconds };
    // Times of the first day, and beyond the year 2200, are none.
    let plausible = (86_400..7_258_118_400).contains(&since_1970);
    plausible.then(|| webmill_capture::date::format_rfc3339(since_1970 * 1000))
}

/// The first entry of a table of sample descriptions.
fn description<'a>(table: &Atom<'a>) -> Option<&'a [u8]> {
    Some(from(table.child(b"stsd")?.data(), 8))
}

/// Takes codec, size, pictures and orientation of a track; `None` where it is the picture of an album.
fn take_pictures(track: &Atom<'_>, table: &Atom<'_>, facts: &mut MediaFacts) -> Option<()> {
    let entry = description(table)?;
    let name = codec::name(entry.get(4..8)?);
    let header = track.child(b"tkhd").map(|atom| atom.data()).unwrap_or_default();
    let matrix_at = if byte(header, 0) == Some(1) { 52 } else { 40 };
    let count = table.child(b"stsz").or_else(|| table.child(b"stz2")).and_then(|atom| be32(atom.data(), 8));
    if matches!(&*name, "mjpeg" | "png") && count == Some(1) {
        return None;
    }
    facts.codec(name);
    if facts.width.is_none() {
        facts.size(be16(entry, 32).unwrap_or(0).into(), be16(entry, 34).unwrap_or(0).into());
        facts.size(
            be32(header, matrix_at + 36).unwrap_or(0) >> 16,
            be32(header, matrix_at + 40).unwrap_or(0) >> 16,
        );
        facts.frames = count.filter(|&count| count > 0).map(u64::from);
        facts.orientation = orientation(from(header, matrix_at));
    }
    Some(())
}

/// The orientation of a matrix that turns; `None` of one that does not.
fn orientation(matrix: &[u8]) -> Option<u8> {
    let sign = |at| be32(matrix, at).map(|value| value.cast_signed().signum());
    match (sign(0)?, sign(4)?, sign(12)?, sign(16)?) {
        (0, 1, -1, 0) => Some(6),
        (-1, 0, 0, -1) => Some(3),
        (0, -1, 1, 0) => Some(8),
        _ => None,
    }
}

/// Takes codec, rate and channels of a track.
fn take_sound(table: &Atom<'_>, header: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let entry = description(table)?;
    let decoder = if entry.get(4..8)? == b"mp4a" { Decoder::read(entry) } else { None };
    let of_mp3 = decoder.is_some_and(|decoder| decoder.object == 0x6B);
    facts.codec(if of_mp3 { "mp3".into() } else { codec::name(entry.get(4..8)?) });
    if facts.sample_rate.is_none() {
        let (channels, rate) = match be16(entry, 16)? {
            // QuickTime's second version keeps both elsewhere.
            2 => (be32(entry, 48)?, f64::from_bits(be64(entry, 40)?) as u32),
            _ => (be16(entry, 24)?.into(), be32(entry, 32)? >> 16),
        };
        let scale = duration(header).map_or(0, |(_, scale)| scale);
        let known = Some(if rate == 0 { scale } else { rate }).filter(|&rate| rate > 0);
        facts.sample_rate = decoder.and_then(|decoder| decoder.rate).or(known);
        let known = u16::try_from(channels).ok().filter(|&channels| channels > 0);
        facts.channels = decoder.and_then(|decoder| decoder.channels).or(known);
    }
    Some(())
}

/// The duration that an index of fragments sums up to.
fn of_index(data: &[u8]) -> Option<u64> {
    let long = byte(data, 0)? > 0;
    let (scale, at) = (be32(data, 8)?, if long { 28 } else { 20 });
    let count = usize::from(be16(data, at + 2)?);
    let units: u64 = (0..count).map_while(|entry| be32(data, at + 4 + 12 * entry + 4)).map(u64::from).sum();
    scaled(units, 1000, scale.into()).filter(|&ms| ms > 0)
}

#[cfg(test)]
#[path = "mp4_tests.rs"]
pub(crate) mod tests;
