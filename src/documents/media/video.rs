//! Video: MP4, QuickTime, WebM and Matroska by crate `nom-exif`, the main header of AVI.
//!
//! **Definition.** The size is that of the first track with pictures, the length that of the file. Bits a second are those of the
//! whole file.
//!
//! **Reference.** Microsoft, `AVIMAINHEADER`.

use nom_exif::{EntryValue, MediaParser, MediaSource, TrackInfoTag};

use crate::media::facts::{self, MediaFacts, MediaOptions};
use crate::media::window::WindowFile;
use crate::media::{Window, picture};

/// Reads a video by its library; `None` where that cannot.
pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let mut file = WindowFile::new(window);
    let track =
        MediaSource::seekable(&mut file).and_then(|source| MediaParser::new().parse_track(source)).ok()?;
    if file.in_gap {
        facts.warn("cut");
    }
    let words = |tag| track.get(tag).and_then(EntryValue::as_str).unwrap_or_default();
    let number = |tag| track.get(tag).and_then(EntryValue::as_u32).unwrap_or(0);
    facts.size(number(TrackInfoTag::Width), number(TrackInfoTag::Height));
    facts.duration_ms = track.get(TrackInfoTag::DurationMs).and_then(EntryValue::as_u64).filter(|&ms| ms > 0);
    facts::set(&mut facts.artist, words(TrackInfoTag::Author));
    let camera = picture::camera(words(TrackInfoTag::Make), words(TrackInfoTag::Model));
    facts::set(&mut facts.camera, &camera);
    let time = track.get(TrackInfoTag::CreateDate).and_then(picture::time);
    facts::set(&mut facts.created, &time.unwrap_or_default());
    if options.gps {
        facts.gps = track.gps_info().and_then(picture::place);
    }
    if facts.width.is_some() {
        facts.bitrate_of(window.len());
    }
    Some(())
}

/// Reads the main header of an AVI, which is the first chunk of its first list.
pub(crate) fn read_avi(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    (head.get(24..28)? == b"avih").then_some(())?;
    let number = |at: usize| Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?));
    let (micros, frames) = (u64::from(number(32)?), u64::from(number(48)?));
    facts.size(number(64)?, number(68)?);
    facts.frames = Some(frames).filter(|&frames| frames > 0);
    facts.duration_ms = Some(micros * frames / 1000).filter(|&ms| ms > 0);
    facts.bitrate_of(window.len());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Format;

    #[test]
    fn an_avi_says_its_size_and_length() {
        let mut head = b"RIFF\0\0\0\0AVI LIST\0\0\0\0hdrlavih\x38\0\0\0".to_vec();
        for number in [40_000_u32, 0, 0, 0, 75, 0, 2, 0, 176, 144, 0, 0, 0, 0] {
            head.extend(number.to_le_bytes());
        }
        let mut facts = MediaFacts::new(Format::Avi);
        read_avi(&Window::new(&head, b"", 30_000), &mut facts).unwrap();
        assert_eq!((facts.width, facts.height, facts.frames), (Some(176), Some(144), Some(75)));
        assert_eq!((facts.duration_ms, facts.bitrate), (Some(3000), Some(80_000)));
        assert!(read_avi(&Window::of(&head[..40]), &mut facts).is_none());
    }
}
