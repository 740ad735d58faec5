//! AVI: size, duration, codecs, tags.
//!
//! **Definition.** Duration is the longest of the streams: length · scale / rate; else pictures · microseconds of one.
//!
//! **Reference.** Microsoft, AVI RIFF File Reference; OpenDML AVI File Format Extensions 1.02, 1997.

use crate::Window;
use crate::bytes::{le32, scaled};
use crate::facts::{MediaFacts, MediaOptions};
use crate::riff::{self, list};
use crate::sound::wav;
use crate::video::codec;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let mut seen = None;
    for chunk in riff::chunks(window, 12, window.len()) {
        match list(&chunk) {
            Some((name, data)) if &name == b"hdrl" => seen = take_header(data, options, facts),
            Some((name, data)) if &name == b"INFO" => riff::info(data, options, facts),
            _ => {}
        }
    }
    facts.bitrate_of(window.len());
    seen
}

fn take_header(header: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let window = Window::on(header);
    let (mut main, mut longest) = (None, None);
    for chunk in riff::chunks(&window, 0, window.len()) {
        match list(&chunk) {
            Some((name, data)) if &name == b"strl" => longest = longest.max(take_stream(data, facts)),
            // Files of more than one part count all their pictures here.
            Some((name, data)) if &name == b"odml" && data.starts_with(b"dmlh") => {
                facts.frames = le32(data, 8).filter(|&frames| frames > 0).map(u64::from).or(facts.frames);
            }
            Some((name, data)) if &name == b"INFO" => riff::info(data, options, facts),
            _ if &chunk.id == b"avih" => main = Some(chunk.data),
            _ => {}
        }
    }
    let main = main?;
    facts.size(le32(main, 32)?, le32(main, 36)?);
    facts.frames = facts.frames.or(le32(main, 16).map(u64::from)).filter(|&frames| frames > 0);
    let counted = || scaled(facts.frames?, le32(main, 0)?.into(), 1000);
    facts.duration_ms = longest.or_else(counted).filter(|&ms| ms > 0);
    Some(())
}

/// Takes what a stream says; gives its milliseconds.
fn take_stream(stream: &[u8], facts: &mut MediaFacts) -> Option<u64> {
    let window = Window::on(stream);
    let (mut header, mut format) = (&[][..], &[][..]);
    for chunk in riff::chunks(&window, 0, window.len()) {
        match &chunk.id {
            b"strh" => header = chunk.data,
            b"strf" => format = chunk.data,
            _ => {}
        }
    }
    let length = le32(header, 32)?;
    match header.get(..4)? {
        b"vids" => {
            // The letters of the format, else those of who handles it; none or zero is pixels as they are.
            let letters = format
                .get(16..20)
                .filter(|letters| letters.iter().all(u8::is_ascii_graphic))
                .or(header.get(4..8))?;
            facts.codec(codec::name(letters));
            facts.size(le32(format, 4)?, le32(format, 8)?.cast_signed().unsigned_abs());
            facts.frames = facts.frames.or(Some(length.into()).filter(|&length| length > 0));
        }
        b"auds" => {
            wav::format(format, facts)?;
        }
        _ => return None,
    }
    scaled(u64::from(length).checked_mul(le32(header, 20)?.into())?, 1000, le32(header, 24)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::riff::tests::{chunk, riff};
    use crate::{Format, MediaKind};

    fn l32(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn list_of(name: &[u8; 4], parts: &[Vec<u8>]) -> Vec<u8> {
        [name.to_vec(), parts.concat()].concat()
    }

    #[test]
    fn streams_and_tags() {
        let strh = |kind: &[u8], letters: &[u8], scale, rate, length| {
            chunk(
                b"strh",
                &[kind.to_vec(), letters.to_vec(), l32(&[0, 0, 0, scale, rate, 0, length])].concat(),
            )
        };
        let pictures = chunk(b"strf", &[l32(&[40, 320, 240, 0]), b"XVID".to_vec()].concat());
        let sound = chunk(b"strf", &[&[0x55, 0, 2, 0][..], &l32(&[44_100, 16_000]), &[1, 0, 0, 0]].concat());
        let header = list_of(
            b"hdrl",
            &[
                chunk(b"avih", &l32(&[40_000, 0, 0, 0, 75, 0, 2, 0, 320, 240])),
                chunk(b"LIST", &list_of(b"strl", &[strh(b"vids", b"xvid", 1, 25, 75), pictures])),
                chunk(b"LIST", &list_of(b"strl", &[strh(b"auds", &[0; 4], 1, 16_000, 48_400), sound])),
            ],
        );
        let info = list_of(b"INFO", &[chunk(b"INAM", b"film\0")]);
        let body = riff(
            b"AVI ",
            &[(b"LIST", header), (b"LIST", list_of(b"movi", &[vec![0; 900_000]])), (b"LIST", info)],
        );
        let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
        assert_eq!((facts.kind, facts.format), (MediaKind::Video, Format::Avi));
        assert_eq!(
            (facts.width, facts.height, facts.frames, facts.duration_ms),
            (Some(320), Some(240), Some(75), Some(3025))
        );
        assert_eq!(
            (facts.sample_rate, facts.channels, facts.title.as_deref()),
            (Some(44_100), Some(2), Some("film"))
        );
        assert_eq!(facts.codecs, ["mpeg4", "mp3"]);
    }
}
