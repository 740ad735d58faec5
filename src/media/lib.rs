//! Facts of pictures, sound and video, without decoding them.
//!
//! **What.** [`facts`] tells of a body what it is, how large, how long, who made it and when: [`MediaFacts`]. [`detect`] tells
//! its format alone, [`lyrics`] reads the words of a song with their times.
//!
//! **Definition.** What headers and tags say, as their formats define it; each reader names its own. Where several tags say
//! different things, the better kind wins field by field.
//!
//! **Algorithm.** A [`Window`] shows the first 256 KiB of a body and the last 128 KiB. Readers walk the chunks, boxes, elements
//! or frames of a format by their lengths; what lies in the gap is passed over, what it hides is warned of.
//!
//! **Cost.** At most linear in the window. Counts of parts, depth and lengths of texts are bounded, whatever they claim.
//!
//! **Determinism.** Equal bytes and options give equal facts.
//!
//! **Bad input.** Foreign bytes are hostile: no length is believed, no index can fail. A body whose format is known gives
//! facts however damaged it is, with the warning `damaged` where its reader gave up.
//!
//! **Reference.** Each reader names the standard of its format.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod boxes;
mod bytes;
mod detect;
mod facts;
mod image;
mod inflate;
mod riff;
mod sound;
mod text;
mod video;
mod window;

pub use detect::detect;
pub use facts::{Format, MediaFacts, MediaKind, MediaOptions};
pub use sound::lrc::{LyricLine, Lyrics, lyrics};
pub use window::Window;

use image::{bitmap, gif, heif, jp2, jpeg, jxl, png, svg, tiff, webp};
use sound::{ac3, adts, aiff, amr, flac, lossless, lrc, midi, mpeg, ogg, wav};
use video::{asf, avi, flv, mkv, mp4, mpeg_stream, real};

/// What the first and last bytes of a body tell of it; `None` where it is no picture, sound or video that is known.
///
/// # Examples
/// ```
/// use webmill_media::{Format, MediaOptions, Window, facts};
///
/// let body = b"GIF89a\x40\x01\xC8\x00\x00\x00\x00\x3B";
/// let known = facts(&Window::of(body), &MediaOptions::default()).expect("a picture");
/// assert_eq!((known.format, known.width, known.height), (Format::Gif, Some(320), Some(200)));
/// ```
pub fn facts(window: &Window<'_>, options: &MediaOptions<'_>) -> Option<MediaFacts> {
    if let Some(format) = detect::by_signature(window) {
        return Some(read(format, window, options));
    }
    if let Some((format, tags)) = detect::by_frames(window, options) {
        let mut facts = MediaFacts::new(format);
        let (begin, mut of_tags) = (tags.begin, tags.facts.clone());
        let read = match format {
            Format::Flac => {
                // Its own comments are the better kind.
                let read = flac::read(window, begin, options, &mut facts);
                of_tags.duration_ms = None;
                facts.fill_from(of_tags);
                read
            }
            Format::Aac => adts::read(window, tags, &mut facts),
            Format::Ape | Format::Wv | Format::Tta => lossless::read(window, tags, &mut facts),
            _ => mpeg::read(window, tags, &mut facts),
        };
        return Some(finished(facts, read));
    }
    detect::by_text(window, options).map(|format| read(format, window, options))
}

/// Reads a body of a format.
fn read(format: Format, window: &Window<'_>, options: &MediaOptions<'_>) -> MediaFacts {
    let mut facts = MediaFacts::new(format);
    let read = match format {
        Format::Png => png::read(window, options, &mut facts),
        Format::Jpeg => jpeg::read(window, options, &mut facts),
        Format::Gif => gif::read(window, options, &mut facts),
        Format::Webp => webp::read(window, options, &mut facts),
        Format::Avif | Format::Heic => heif::read(window, options, &mut facts),
        Format::Bmp => bitmap::read(window, &mut facts),
        Format::Ico => bitmap::read_icon(window, &mut facts),
        Format::Svg => svg::read(window, options, &mut facts),
        Format::Tiff => tiff::read(window, options, &mut facts),
        Format::Flac => flac::read(window, 0, options, &mut facts),
        Format::Ogg | Format::Opus => ogg::read(window, options, &mut facts),
        Format::Wav => wav::read(window, options, &mut facts),
        Format::Lrc => lrc::read(window, options, &mut facts),
        Format::M4a | Format::Mp4 | Format::Mov => mp4::read(window, options, &mut facts),
        Format::Webm | Format::Mkv => mkv::read(window, options, &mut facts),
        Format::Avi => avi::read(window, options, &mut facts),
        Format::Jxl => jxl::read(window, options, &mut facts),
        Format::Jp2 => jp2::read(window, &mut facts),
        Format::Psd => jp2::read_psd(window, &mut facts),
        Format::Aiff => aiff::read(window, options, &mut facts),
        Format::Au => aiff::read_au(window, &mut facts),
        Format::Caf => aiff::read_caf(window, options, &mut facts),
        Format::Ac3 | Format::Eac3 => ac3::read(window, &mut facts),
        Format::Amr => amr::read(window, &mut facts),
        Format::Mid => midi::read(window, options, &mut facts),
        Format::Wma | Format::Wmv => asf::read(window, options, &mut facts),
        Format::Flv => flv::read(window, &mut facts),
        Format::Rm | Format::Ra => real::read(window, options, &mut facts),
        Format::Ts | Format::Mpg => mpeg_stream::read(window, &mut facts),
        // Those of frames are read with the tags that tell them.
        Format::Mp1 | Format::Mp2 | Format::Mp3 | Format::Aac | Format::Ape | Format::Wv | Format::Tta => {
            None
        }
    };
    finished(facts, read)
}

/// Facts with a warning where their reader gave up.
fn finished(mut facts: MediaFacts, read: Option<()>) -> MediaFacts {
    if read.is_none() {
        facts.warn("damaged");
    }
    facts
}

#[cfg(test)]
mod laws;
