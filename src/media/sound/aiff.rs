//! AIFF, AU, CAF: rate, channels, duration, tags.
//!
//! **Definition.** AIFF has chunks as RIFF has, the highest byte first: `COMM` says channels 16 bits, samples 32, bits 16, rate as
//! a number of 80 bits with a point. CAF has chunks with 64 bits of length: `desc` and `data`, and `pakt` where packets vary.
//! AU is one header. Duration is samples / rate, of AU and CAF bytes / those of a sample where no count is written.
//!
//! **Bad input.** At most 4,096 chunks are looked at.
//!
//! **Reference.** Apple, Audio Interchange File Format 1.3, 1989, and AIFF-C, 1991; Apple, Core Audio Format Specification 1.0;
//! Sun Microsystems, `audio.h`.

use crate::bytes::{be16, be32, be64, scaled};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::sound::id3v2;
use crate::video::codec;
use crate::{Window, text};

/// Chunks that are looked at.
const MAX_CHUNKS: usize = 4096;

/// Reads AIFF and AIFF-C.
pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let (mut at, mut bytes) = (12_u64, None);
    let mut notes: Vec<([u8; 4], &[u8])> = Vec::new();
    for _ in 0..MAX_CHUNKS {
        let head = window.at(at);
        let (Some(id), Some(length)) = (head.first_chunk::<4>(), be32(head, 4)) else { break };
        let data = window.part(at.checked_add(8)?, length.into());
        match id {
            b"COMM" => common(data, facts)?,
            b"SSND" => bytes = Some(u64::from(length).saturating_sub(8)),
            b"ID3 " | b"id3 " => {
                let _ = id3v2::take(&Window::on(data), 0, options, facts);
            }
            b"NAME" | b"AUTH" | b"ANNO" if notes.len() < 64 => notes.push((*id, text::until_zero(data))),
            _ => {}
        }
        at = at.checked_add(8 + u64::from(length) + u64::from(length & 1))?;
    }
    let fields: Vec<&[u8]> =
        notes.iter().map(|(_, note)| crate::bytes::first(note, text::MAX_FIELD)).collect();
    for ((id, _), words) in notes.iter().zip(text::detected(&fields, options.tld)) {
        match id {
            b"NAME" => facts::set(&mut facts.title, &words),
            b"AUTH" => facts::set(&mut facts.artist, &words),
            _ => facts::set_lines(&mut facts.comment, &words),
        }
    }
    facts.bitrate_of(bytes.unwrap_or_else(|| window.len()));
    facts.sample_rate.map(drop)
}

fn common(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    facts.channels = be16(data, 0).filter(|&channels| channels > 0);
    let (samples, rate) = (be32(data, 2)?, extended(data, 8)?);
    facts.sample_rate = Some(rate).filter(|&rate| rate > 0);
    facts.duration_ms = scaled(samples.into(), 1000, rate.into()).filter(|&ms| ms > 0);
    let kind = data.get(18..22).unwrap_or(b"NONE");
    facts.codec(if matches!(kind, b"NONE" | b"23ni" | b"42ni") { "pcm".into() } else { codec::name(kind) });
    Some(())
}

/// A number of 80 bits as a whole one: sign and exponent 16, mantissa 64 with the one before the point.
fn extended(bytes: &[u8], at: usize) -> Option<u32> {
    let (exponent, mantissa) = (be16(bytes, at)?, be64(bytes, at + 2)?);
    let shift = 16_383 + 63 - u32::from(exponent & 0x7FFF).min(16_383 + 63);
    (exponent >> 15 == 0).then(|| u32::try_from(mantissa.checked_shr(shift)?).ok())?
}

/// Reads AU.
pub(crate) fn read_au(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    let (begin, length, coding) = (be32(head, 4)?, be32(head, 8)?, be32(head, 12)?);
    let (codec, bits) = match coding {
        1 => ("mulaw", 8),
        2..=5 => ("pcm", u64::from(coding - 1) * 8),
        6 | 7 => ("pcm-float", u64::from(coding - 5) * 32),
        27 => ("alaw", 8),
        _ => ("", 0),
    };
    facts.codec(codec);
    facts.sample_rate = be32(head, 16).filter(|&rate| rate > 0);
    facts.channels = be32(head, 20).and_then(|count| u16::try_from(count).ok()).filter(|&count| count > 0);
    let there = window.len().saturating_sub(begin.into());
    let bytes = if length == u32::MAX { there } else { u64::from(length).min(there) };
    let rate = u64::from(facts.sample_rate?) * u64::from(facts.channels?) * bits;
    facts.duration_ms = scaled(bytes, 8000, rate).filter(|&ms| ms > 0);
    facts.bitrate = u32::try_from(rate).ok().filter(|&rate| rate > 0);
    Some(())
}

/// Reads CAF.
pub(crate) fn read_caf(
    window: &Window<'_>,
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
) -> Option<()> {
    let (mut at, mut bytes, mut samples, mut packet) = (8_u64, 0_u64, None, (0, 0));
    for _ in 0..MAX_CHUNKS {
        let head = window.at(at);
        let (Some(id), Some(length)) = (head.first_chunk::<4>(), be64(head, 4)) else { break };
        let begin = at.checked_add(12)?;
        // The last chunk may say that it goes to the end.
        let length = length.min(window.len().saturating_sub(begin));
        let data = window.part(begin, length);
        match id {
            b"desc" => {
                facts.sample_rate =
                    be64(data, 0).map(f64::from_bits).map(|rate| rate as u32).filter(|&rate| rate > 0);
                facts.codec(codec::name(data.get(8..12)?));
                packet = (be32(data, 16)?, be32(data, 20)?);
                facts.channels =
                    be32(data, 24).and_then(|count| u16::try_from(count).ok()).filter(|&count| count > 0);
            }
            b"data" => bytes = length.saturating_sub(4),
            b"pakt" => samples = be64(data, 8).filter(|&samples| samples > 0),
            b"info" => information(data, options, facts),
            _ => {}
        }
        at = begin.checked_add(length)?;
    }
    let (bytes_of, samples_of) = packet;
    let counted = samples.or_else(|| scaled(bytes, samples_of.into(), bytes_of.into()));
    facts.duration_ms = scaled(counted?, 1000, facts.sample_rate?.into()).filter(|&ms| ms > 0);
    facts.bitrate_of(bytes);
    Some(())
}

/// Pairs of key and value in UTF-8, each with a zero behind.
fn information(data: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let mut words = data.get(4..).unwrap_or_default().split(|b| *b == 0).take(512);
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        let value = || text::utf8_within(value, text::MAX_FIELD, options.tld);
        match key.to_ascii_lowercase().as_slice() {
            b"title" => facts::set(&mut facts.title, &value()),
            b"artist" => facts::set(&mut facts.artist, &value()),
            b"album" => facts::set(&mut facts.album, &value()),
            b"genre" => facts::set(&mut facts.genre, &value()),
            b"comments" | b"comment" => facts::set_lines(&mut facts.comment, &value()),
            b"year" | b"date" => facts.year_of(&value()),
            b"track number" => facts.track_of(&value()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::sound::id3v2::tests as id3;

    fn chunk(id: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut chunk = [&id[..], &u32::try_from(data.len()).unwrap().to_be_bytes(), data].concat();
        chunk.resize(chunk.len().next_multiple_of(2), 0);
        chunk
    }

    fn read_all(body: &[u8]) -> MediaFacts {
        crate::facts(&Window::of(body), &MediaOptions::default()).unwrap()
    }

    #[test]
    fn aiff_with_tags_behind_the_sound() {
        // 44,100 with a point: exponent 16,383 + 15.
        let common =
            [&[0, 2][..], &441_000_u32.to_be_bytes(), &[0, 16, 0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]]
                .concat();
        let tag = id3::tag(3, 0, &id3::frame(3, b"TPE1", 0, b"\0A"));
        let body = [
            b"FORM\0\x1B\0\0AIFF".to_vec(),
            chunk(b"COMM", &common),
            chunk(b"NAME", b"Rain!"),
            chunk(b"SSND", &vec![0; 1_764_008]),
            chunk(b"ID3 ", &tag),
        ]
        .concat();
        let facts = read_all(&body);
        assert_eq!((facts.format, facts.duration_ms), (Format::Aiff, Some(10_000)));
        assert_eq!((facts.sample_rate, facts.channels), (Some(44_100), Some(2)));
        assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("Rain!"), Some("A")));
        assert_eq!((facts.bitrate, facts.codecs), (Some(1_411_200), vec!["pcm".into()]));
    }

    #[test]
    fn numbers_of_80_bits() {
        for (bytes, expected) in [
            ([0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0], Some(8000)),
            ([0x40, 0x0F, 0xBB, 0x80, 0, 0, 0, 0, 0, 0], Some(96_000)),
            ([0; 10], None),
            ([0x7F; 10], None),
            ([0xC0, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0], None),
        ] {
            assert_eq!(extended(&bytes, 0), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn headers_of_au_and_caf() {
        let words =
            [24_u32, u32::MAX, 3, 8000, 1].iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        let au = [b".snd".to_vec(), words, vec![0; 32_000]].concat();
        let long = |id: &[u8; 4], length: i64, data: &[u8]| [&id[..], &length.to_be_bytes(), data].concat();
        let description = [
            &8000_f64.to_be_bytes()[..],
            b"lpcm",
            &[0; 4],
            &[0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 16],
        ]
        .concat();
        let note = b"\0\0\0\x01title\0Rain\0";
        let caf = [
            b"caff\0\x01\0\0".to_vec(),
            long(b"desc", 32, &description),
            long(b"info", i64::try_from(note.len()).unwrap(), note),
            long(b"data", -1, &[0; 32_004]),
        ]
        .concat();
        for (body, format, title) in [(au, Format::Au, None), (caf, Format::Caf, Some("Rain"))] {
            let facts = read_all(&body);
            assert_eq!((facts.format, facts.duration_ms, facts.bitrate), (format, Some(2000), Some(128_000)));
            assert_eq!(
                (facts.sample_rate, facts.channels, facts.title.as_deref()),
                (Some(8000), Some(1), title)
            );
        }
    }
}
