//! WAV: rate, channels, duration; its two kinds of tags.
//!
//! **Definition.** Duration is bytes of `data` / bytes a second; of compressed sound the samples that `fact` counts / rate.
//!
//! **Reference.** Microsoft, Multiple Channel Audio Data and WAVE Files, 2007; EBU Tech 3306 (RF64).

use crate::Window;
use crate::bytes::{le16, le32, le64, scaled};
use crate::facts::{MediaFacts, MediaOptions};
use crate::riff::{self, list};
use crate::sound::id3v2;

/// Names of codecs by the number of their format.
pub(crate) fn codec(tag: u16) -> &'static str {
    match tag {
        0x0001 => "pcm",
        0x0003 => "pcm-float",
        0x0002 | 0x0011 => "adpcm",
        0x0006 => "alaw",
        0x0007 => "mulaw",
        0x0031 => "gsm",
        0x0050 => "mp2",
        0x0055 => "mp3",
        0x00FF | 0x1600 => "aac",
        0x0160 | 0x0161 => "wma",
        0x2000 => "ac3",
        0x2001 => "dts",
        0x566F..=0x6771 => "vorbis",
        0xF1AC => "flac",
        _ => "",
    }
}

/// Takes what a format says: tag, channels, samples and bytes a second. Gives the bytes a second.
pub(crate) fn format(data: &[u8], facts: &mut MediaFacts) -> Option<u32> {
    let tag = match le16(data, 0)? {
        // The first two bytes of the extension's type are the tag.
        0xFFFE => le16(data, 24)?,
        tag => tag,
    };
    facts.codec(codec(tag));
    facts.channels = facts.channels.or(Some(le16(data, 2)?).filter(|&channels| channels > 0));
    facts.sample_rate = facts.sample_rate.or(Some(le32(data, 4)?).filter(|&rate| rate > 0));
    le32(data, 8)
}

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let (mut bytes, mut samples, mut long, mut rate) = (None, None, None, None);
    for chunk in riff::chunks(window, 12, window.len()) {
        match &chunk.id {
            b"fmt " => rate = format(chunk.data, facts),
            b"fact" => samples = le32(chunk.data, 0).filter(|&samples| samples > 0 && samples < u32::MAX),
            // Sound of more than 4 GiB has its length here.
            b"ds64" => long = le64(chunk.data, 8),
            b"data" if bytes.is_none() => {
                let lies = chunk.length == u32::MAX || chunk.length == 0;
                bytes = Some(match long {
                    Some(long) if chunk.length == u32::MAX => long,
                    _ if lies => window.len() - chunk.begin.min(window.len()),
                    _ => chunk.length.into(),
                });
            }
            b"id3 " | b"ID3 " => {
                let _ = id3v2::take(&Window::on(chunk.data), 0, options, facts);
            }
            b"LIST" => {
                if let Some((name, data)) = list(&chunk)
                    && &name == b"INFO"
                {
                    riff::info(data, options, facts);
                }
            }
            _ => {}
        }
    }
    facts.duration_ms = match (samples, facts.sample_rate) {
        (Some(samples), Some(per_second)) if facts.codecs != ["pcm"] => {
            scaled(samples.into(), 1000, per_second.into())
        }
        _ => bytes.zip(rate).and_then(|(bytes, rate)| scaled(bytes, 1000, rate.into())),
    };
    // What compressed sound says of its bytes a second is no more than a wish.
    if let Some(bytes) = bytes.filter(|_| samples.is_some() && facts.codecs != ["pcm"]) {
        facts.bitrate_of(bytes);
        return rate.map(drop);
    }
    facts.bitrate = rate.and_then(|rate| rate.checked_mul(8)).filter(|&rate| rate > 0);
    rate.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::riff::tests::{chunk, riff};

    fn fmt(tag: u16) -> Vec<u8> {
        [&tag.to_le_bytes()[..], &[2, 0], &8000_u32.to_le_bytes(), &32_000_u32.to_le_bytes(), &[4, 0, 16, 0]]
            .concat()
    }

    fn read_wav(bytes: &[u8]) -> MediaFacts {
        let mut facts = MediaFacts::new(Format::Wav);
        read(&Window::of(bytes), &MediaOptions::default(), &mut facts).unwrap();
        facts
    }

    #[test]
    fn length_and_tags_behind_the_sound() {
        let info = [b"INFO".to_vec(), chunk(b"INAM", b"rain")].concat();
        let facts =
            read_wav(&riff(b"WAVE", &[(b"fmt ", fmt(1)), (b"data", vec![0; 640_000]), (b"LIST", info)]));
        assert_eq!(
            (facts.duration_ms, facts.bitrate, facts.sample_rate),
            (Some(20_000), Some(256_000), Some(8000))
        );
        assert_eq!((facts.channels, facts.title.as_deref()), (Some(2), Some("rain")));
    }

    #[test]
    fn sound_that_is_compressed_counts_its_samples() {
        let facts = read_wav(&riff(
            b"WAVE",
            &[(b"fmt ", fmt(0x11)), (b"fact", 16_000_u32.to_le_bytes().to_vec()), (b"data", vec![0; 64])],
        ));
        assert_eq!((facts.duration_ms, facts.bitrate), (Some(2000), Some(256)));
        assert_eq!(facts.codecs, ["adpcm"]);
    }

    #[test]
    fn a_length_that_was_never_written_is_that_of_the_file() {
        let mut bytes = riff(b"WAVE", &[(b"fmt ", fmt(1)), (b"data", vec![0; 32_000])]);
        let at = bytes.len() - 32_004;
        bytes[at..at + 4].copy_from_slice(&[0xFF; 4]);
        assert_eq!(read_wav(&bytes).duration_ms, Some(1000));
    }
}
