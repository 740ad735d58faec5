//! RealMedia: duration, size, codecs, tags.
//!
//! **Definition.** Chunks of four letters, 32 bits of length with these eight, 16 of version, data, the highest byte first: `PROP`
//! says how long it is, `MDPR` of each stream what it is, `CONT` title, author, rights and comment, in a charset that is detected
//! over all of them.
//!
//! **Bad input.** At most 64 chunks are looked at.
//!
//! **Reference.** RealNetworks, RealMedia File Format (RMFF) Reference, 2000.

use crate::bytes::{be16, be32, byte, first, from};
use crate::facts::{self, Format, MediaFacts, MediaKind, MediaOptions};
use crate::video::codec;
use crate::{Window, text};

/// Chunks that are looked at.
const MAX_CHUNKS: usize = 64;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let mut at = 0_u64;
    for _ in 0..MAX_CHUNKS {
        let head = window.at(at);
        let (Some(id), Some(length)) = (head.first_chunk::<4>(), be32(head, 4)) else { break };
        let data = from(first(head, length as usize), 10);
        match id {
            b"PROP" => {
                facts.duration_ms = be32(data, 20).map(u64::from).filter(|&ms| ms > 0);
            }
            b"MDPR" => {
                let _ = take_stream(data, facts);
            }
            b"CONT" => {
                let _ = take_content(data, options, facts);
            }
            b"DATA" => break,
            _ => {}
        }
        at = at.checked_add(length.max(10).into())?;
    }
    if facts.width.is_none() && facts.sample_rate.is_some() {
        facts.kind = MediaKind::Audio;
        facts.format = Format::Ra;
    }
    facts.bitrate_of(window.len());
    facts.duration_ms.map(drop)
}

/// Takes what a stream's own data say, which stand behind its name and its media type.
fn take_stream(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let name = from(data, 30);
    let kind = from(name, 1 + usize::from(byte(name, 0)?));
    let own = from(kind, 5 + usize::from(byte(kind, 0)?));
    if own.get(4..8) == Some(b"VIDO") {
        facts.codec(codec::name(own.get(8..12)?));
        facts.size(be16(own, 12)?.into(), be16(own, 14)?.into());
    } else if own.starts_with(b".ra\xFD") {
        let version = be16(own, 4)?;
        let begin = match version {
            4 => 48,
            5 => 54,
            _ => return None,
        };
        facts.sample_rate = facts.sample_rate.or(be16(own, begin).map(u32::from)).filter(|&rate| rate > 0);
        facts.channels = facts.channels.or(be16(own, begin + 6)).filter(|&channels| channels > 0);
        // Letters of its codec, behind those of how packets are mixed.
        let letters = if version == 4 { own.get(62..66) } else { own.get(66..70) };
        facts.codec(codec::name(letters?));
    }
    Some(())
}

fn take_content(data: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let mut rest = data;
    let mut fields = Vec::new();
    for _ in 0..4 {
        let length = usize::from(be16(rest, 0)?);
        fields.push(first(text::until_zero(first(from(rest, 2), length)), text::MAX_FIELD));
        rest = from(rest, 2 + length);
    }
    let words = text::detected(&fields, options.tld);
    let [title, artist, _, comment] = words.as_slice() else { return None };
    facts::set(&mut facts.title, title);
    facts::set(&mut facts.artist, artist);
    facts::set_lines(&mut facts.comment, comment);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(id: &[u8; 4], data: &[u8]) -> Vec<u8> {
        [&id[..], &u32::try_from(data.len() + 10).unwrap().to_be_bytes(), &[0, 0], data].concat()
    }

    fn stream(own: &[u8]) -> Vec<u8> {
        chunk(
            b"MDPR",
            &[&[0; 30][..], b"\x04name\x05a/b-c", &u32::try_from(own.len()).unwrap().to_be_bytes(), own]
                .concat(),
        )
    }

    #[test]
    fn streams_and_tags() {
        let gbk = |words: &str| {
            let bytes = encoding_rs::GBK.encode(words).0.into_owned();
            [&u16::try_from(bytes.len()).unwrap().to_be_bytes()[..], &bytes].concat()
        };
        let content = ["月亮代表我的心", "邓丽君", "", "岛国之情歌"].map(gbk).concat();
        let properties = [&[0; 20][..], &3030_u32.to_be_bytes(), &[0; 16]].concat();
        let pictures = [&[0, 0, 0, 34][..], b"VIDORV40", &[1, 64, 0, 240]].concat();
        let mut sound = [&b".ra\xFD\0\x05"[..], &[0; 64]].concat();
        sound[54..56].copy_from_slice(&44_100_u16.to_be_bytes());
        sound[60..62].copy_from_slice(&2_u16.to_be_bytes());
        sound[66..70].copy_from_slice(b"cook");
        for (streams, kind, format, width) in [
            (vec![stream(&sound), stream(&pictures)], MediaKind::Video, Format::Rm, Some(320)),
            (vec![stream(&sound)], MediaKind::Audio, Format::Ra, None),
        ] {
            let body = [
                chunk(b".RMF", &[0; 8]),
                chunk(b"PROP", &properties),
                chunk(b"CONT", &content),
                streams.concat(),
                chunk(b"DATA", &[0; 99]),
            ]
            .concat();
            let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
            assert_eq!(
                (facts.kind, facts.format, facts.width, facts.duration_ms),
                (kind, format, width, Some(3030))
            );
            assert_eq!((facts.sample_rate, facts.channels), (Some(44_100), Some(2)));
            assert_eq!(
                (facts.title.as_deref(), facts.artist.as_deref()),
                (Some("月亮代表我的心"), Some("邓丽君"))
            );
            assert_eq!(facts.codecs.first().map(|codec| &**codec), Some("cook"));
        }
    }
}
