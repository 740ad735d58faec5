//! Facts of pictures, sound and video, without decoding them.
//!
//! **What.** [`facts`] tells of a body what it is, how large, how long, who made it and when: [`MediaFacts`]. [`detect`] tells
//! its format alone, [`lyrics`] reads the words of a song with their times.
//!
//! **Definition.** What headers and tags say, as the libraries `imagesize`, `nom-exif` and `lofty` read them. Where several tags
//! say different things, the better kind wins field by field. Formats that are rare on the Web are named, no more: warning
//! `not-read`.
//!
//! **Algorithm.** A [`Window`] shows the first 256 KiB of a body and the last 128 KiB, and is a file to the libraries, with zeros
//! in the gap; where these were read, the warning is `cut`.
//!
//! **Cost.** A library is given 32 MiB in all its calls, and one item of `lofty` has at most 4 MiB.
//!
//! **Determinism.** Equal bytes and options give equal facts.
//!
//! **Bad input.** Foreign bytes are hostile, and the libraries not ours: a panic costs the facts of its body, never the program.
//! A body whose format is known has a row however damaged it is, with the warning `damaged` where its reader gave up.

mod detect;
mod facts;
mod lyrics;
mod picture;
mod sound;
mod svg;
mod text;
mod video;
mod window;

pub use detect::detect;
pub use facts::{Format, MediaFacts, MediaKind, MediaOptions};
pub use lyrics::{LyricLine, Lyrics, lyrics};
pub use window::Window;

/// What the first and last bytes of a body tell of it; `None` where it is no picture, sound or video that is known.
///
/// # Examples
/// ```
/// use webmill_documents::media::{Format, MediaOptions, Window, facts};
///
/// let body = b"GIF89a\x40\x01\xC8\x00\x00\x00\x00\x3B";
/// let known = facts(&Window::of(body), &MediaOptions::default()).expect("a picture");
/// assert_eq!((known.format, known.width, known.height), (Format::Gif, Some(320), Some(200)));
/// ```
pub fn facts(window: &Window<'_>, options: &MediaOptions<'_>) -> Option<MediaFacts> {
    let format = detect(window, options)?;
    // What a library had found when it panicked is not asked for.
    let read = std::panic::catch_unwind(|| read(format, window, options));
    Some(read.unwrap_or_else(|_| {
        let mut facts = MediaFacts::new(format);
        facts.warn("damaged");
        facts
    }))
}

/// Whether more than the name of a format is told.
fn is_read(format: Format) -> bool {
    use Format::{Amr, Au, Caf, Flv, Jp2, Mid, Mpg, Ra, Rm, Ts, Tta, Wma, Wmv};
    !matches!(format, Amr | Au | Caf | Flv | Jp2 | Mid | Mpg | Ra | Rm | Ts | Tta | Wma | Wmv)
}

/// Reads a body of a format.
fn read(format: Format, window: &Window<'_>, options: &MediaOptions<'_>) -> MediaFacts {
    let mut facts = MediaFacts::new(format);
    let read = match (format, format.kind()) {
        (Format::Svg, _) => svg::read(window, options, &mut facts),
        (Format::Lrc, _) => lyrics::read(window, options, &mut facts),
        (_, MediaKind::Image) => picture::read(window, options, &mut facts),
        (Format::M4a | Format::Mp4 | Format::Mov, _) => {
            let read = video::read(window, options, &mut facts);
            read.or(sound::read(format, window, options, &mut facts))
        }
        (Format::Avi, _) => video::read_avi(window, &mut facts),
        (Format::Webm | Format::Mkv, _) => video::read(window, options, &mut facts),
        (_, MediaKind::Audio) => sound::read(format, window, options, &mut facts),
        _ => None,
    };
    if read.is_none() {
        facts.warn(if is_read(format) { "damaged" } else { "not-read" });
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_and_no_more_says_so() {
        let options = MediaOptions::default();
        let named = facts(&Window::of(b"FLV\x01\x05\0\0\0\x09"), &options).unwrap();
        assert_eq!(
            (named.format, named.kind, &named.warnings[..]),
            (Format::Flv, MediaKind::Video, &["not-read".into()][..])
        );
        let damaged = facts(&Window::of(b"fLaC\0\0"), &options).unwrap();
        assert_eq!((damaged.format, &damaged.warnings[..]), (Format::Flac, &["damaged".into()][..]));
        assert_eq!(facts(&Window::of(b"words"), &options), None);
    }
}
