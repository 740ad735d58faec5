//! Known facts about a picture, a sound or a video.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::media::text;

webmill_capture::words! {
    /// What a body is to those who look or listen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum MediaKind {
        /// A picture, moving ones among them.
        Image = "image",
        /// Sound, or the words of a song.
        Audio = "audio",
        /// Pictures with time, and sound mostly.
        Video = "video",
    }
}

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $kind:ident;)*) => {
        /// A format of pictures, sound or video.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        pub enum Format {
            $($(#[$doc])* $variant,)*
        }

        impl Format {
            /// All of them.
            pub const ALL: &'static [Format] = &[$(Format::$variant),*];

            /// Lower-case name, as its files end mostly.
            pub fn name(self) -> &'static str {
                match self {
                    $(Format::$variant => $name,)*
                }
            }

            /// What it holds, unless the tracks of a file say otherwise.
            pub fn kind(self) -> MediaKind {
                match self {
                    $(Format::$variant => MediaKind::$kind,)*
                }
            }
        }
    };
}

formats! {
    /// Portable Network Graphics, moving ones (APNG) among them.
    Png = "png", Image;
    /// JPEG.
    Jpeg = "jpeg", Image;
    /// Graphics Interchange Format.
    Gif = "gif", Image;
    /// WebP.
    Webp = "webp", Image;
    /// AV1 Image File Format.
    Avif = "avif", Image;
    /// High Efficiency Image File Format.
    Heic = "heic", Image;
    /// Windows bitmap.
    Bmp = "bmp", Image;
    /// Scalable Vector Graphics.
    Svg = "svg", Image;
    /// Windows icon.
    Ico = "ico", Image;
    /// Tagged Image File Format.
    Tiff = "tiff", Image;
    /// JPEG XL.
    Jxl = "jxl", Image;
    /// JPEG 2000.
    Jp2 = "jp2", Image;
    /// Photoshop.
    Psd = "psd", Image;
    /// MPEG audio, layer I.
    Mp1 = "mp1", Audio;
    /// MPEG audio, layer II.
    Mp2 = "mp2", Audio;
    /// MPEG audio, layer III.
    Mp3 = "mp3", Audio;
    /// Free Lossless Audio Codec.
    Flac = "flac", Audio;
    /// Ogg, of any codec but Opus.
    Ogg = "ogg", Audio;
    /// Opus in Ogg.
    Opus = "opus", Audio;
    /// Waveform audio.
    Wav = "wav", Audio;
    /// Sound in MP4.
    M4a = "m4a", Audio;
    /// Advanced Audio Coding in ADTS frames.
    Aac = "aac", Audio;
    /// Audio Interchange File Format, with and without compression.
    Aiff = "aiff", Audio;
    /// Sound of Sun and NeXT.
    Au = "au", Audio;
    /// Core Audio Format.
    Caf = "caf", Audio;
    /// Adaptive Multi-Rate, the speech of telephones.
    Amr = "amr", Audio;
    /// Monkey's Audio.
    Ape = "ape", Audio;
    /// WavPack.
    Wv = "wv", Audio;
    /// True Audio.
    Tta = "tta", Audio;
    /// Windows Media, of sound.
    Wma = "wma", Audio;
    /// RealMedia, of sound.
    Ra = "ra", Audio;
    /// Musical Instrument Digital Interface.
    Mid = "mid", Audio;
    /// Words of a song with their times.
    Lrc = "lrc", Audio;
    /// MPEG-4 part 14, and 3GPP.
    Mp4 = "mp4", Video;
    /// QuickTime.
    Mov = "mov", Video;
    /// WebM.
    Webm = "webm", Video;
    /// Matroska.
    Mkv = "mkv", Video;
    /// Audio Video Interleave.
    Avi = "avi", Video;
    /// Windows Media.
    Wmv = "wmv", Video;
    /// Flash Video.
    Flv = "flv", Video;
    /// RealMedia.
    Rm = "rm", Video;
    /// MPEG transport stream.
    Ts = "ts", Video;
    /// MPEG program stream, and pictures of MPEG-1 and MPEG-2 alone.
    Mpg = "mpg", Video;
}

/// Known facts about a picture, a sound or a video. Each text is of one line, at most 4 KiB, and not blank; comments may
/// have more lines, and lyrics up to 256 KiB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaFacts {
    /// What it is.
    pub kind: MediaKind,
    /// Format of the file.
    pub format: Format,
    /// Width in pixels as stored: before [`Self::orientation`] turns it. Of SVG in CSS pixels, rounded.
    pub width: Option<u32>,
    /// Height in pixels as stored.
    pub height: Option<u32>,
    /// Length in milliseconds.
    pub duration_ms: Option<u64>,
    /// Bits a second: of the sound where the file is nothing else, else of the whole file.
    pub bitrate: Option<u32>,
    /// Samples a second of the (first) sound.
    pub sample_rate: Option<u32>,
    /// Channels of the (first) sound.
    pub channels: Option<u16>,
    /// Pictures of a moving picture or video, pages of TIFF and icons of ICO, frames of MPEG sound.
    pub frames: Option<u64>,
    /// Title that the file's tags state.
    pub title: Option<String>,
    /// Artist or author, several with `; ` between.
    pub artist: Option<String>,
    /// Album that the file's tags state.
    pub album: Option<String>,
    /// Year, four digits.
    pub year: Option<u16>,
    /// Number of the track within the album.
    pub track: Option<u16>,
    /// Genre by name.
    pub genre: Option<String>,
    /// Comment or description.
    pub comment: Option<String>,
    /// Words of the song: a line each, with `[mm:ss.xx]` before it and sorted by that where times are known.
    pub lyrics: Option<String>,
    /// When it was made: ISO 8601, without a zone where that is not known.
    pub created: Option<String>,
    /// Maker and model of the camera.
    pub camera: Option<String>,
    /// `latitude,longitude` in degrees, if [`MediaOptions::gps`] asks for it.
    pub gps: Option<String>,
    /// How to turn the stored picture to show it, 1 to 8 as in EXIF.
    pub orientation: Option<u8>,
    /// Codecs of its tracks, in order, each once.
    pub codecs: Vec<Cow<'static, str>>,
    /// Defects, and parts out of reach: named reasons, lower case with hyphens, each once.
    pub warnings: Vec<Cow<'static, str>>,
}

/// What to look for.
#[derive(Debug, Clone, Copy, Default)]
pub struct MediaOptions<'a> {
    /// Whether to say where a picture or video was taken.
    pub gps: bool,
    /// Last label of the host name (`cn`), which breaks ties where a charset is not named.
    pub tld: Option<&'a [u8]>,
}

/// Codecs of one file that are named.
const MAX_CODECS: usize = 16;

impl MediaFacts {
    /// Nothing is known but the format.
    pub(crate) fn new(format: Format) -> Self {
        MediaFacts {
            kind: format.kind(),
            format,
            width: None,
            height: None,
            duration_ms: None,
            bitrate: None,
            sample_rate: None,
            channels: None,
            frames: None,
            title: None,
            artist: None,
            album: None,
            year: None,
            track: None,
            genre: None,
            comment: None,
            lyrics: None,
            created: None,
            camera: None,
            gps: None,
            orientation: None,
            codecs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds a warning, once.
    pub(crate) fn warn(&mut self, warning: &'static str) {
        if !self.warnings.iter().any(|known| known == warning) {
            self.warnings.push(Cow::Borrowed(warning));
        }
    }

    /// Sets width and height, unless they are known or one is zero.
    pub(crate) fn size(&mut self, width: u32, height: u32) {
        if width > 0 && height > 0 && self.width.is_none() {
            (self.width, self.height) = (Some(width), Some(height));
        }
    }

    /// Adds a codec, once.
    pub(crate) fn codec(&mut self, codec: impl Into<Cow<'static, str>>) {
        let codec = codec.into();
        if !codec.is_empty() && !self.codecs.contains(&codec) && self.codecs.len() < MAX_CODECS {
            self.codecs.push(codec);
        }
    }

    /// Sets the bit rate to that of `bytes` over the duration, where it is not known.
    pub(crate) fn bitrate_of(&mut self, bytes: u64) {
        if let (None, Some(ms)) = (self.bitrate, self.duration_ms) {
            let rate = bytes.checked_mul(8000).and_then(|bits| bits.checked_div(ms));
            self.bitrate = rate.and_then(|rate| u32::try_from(rate).ok()).filter(|&rate| rate > 0);
        }
    }

    /// Sets a year from a date that begins with one.
    pub(crate) fn year_of(&mut self, date: &str) {
        if self.year.is_none() {
            self.year = year(date);
        }
    }

    /// Sets the track from `n` or `n/m`.
    pub(crate) fn track_of(&mut self, track: &str) {
        let number = track.split('/').next().and_then(|track| track.trim().parse().ok());
        self.track = self.track.or(number.filter(|&n| n > 0));
    }

    /// Takes on each fact of tags that is not known yet.
    pub(crate) fn fill_from(&mut self, tags: MediaFacts) {
        macro_rules! fill {
            ($($field:ident)*) => { $(if self.$field.is_none() { self.$field = tags.$field; })* };
        }
        fill!(title artist album year track genre comment lyrics created camera gps orientation);
        for warning in tags.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

/// The four digits that a date begins with.
pub(crate) fn year(date: &str) -> Option<u16> {
    let digits = date.trim().get(..4)?;
    let all = digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|&year| all && year > 0)
}

/// Sets a field of one line, unless it is set or the text is blank.
pub(crate) fn set(field: &mut Option<String>, text: &str) {
    if field.is_none() {
        *field = text::one_line(text);
    }
}

/// Sets a field of several lines, unless it is set or the text is blank.
pub(crate) fn set_lines(field: &mut Option<String>, text: &str) {
    if field.is_none() {
        *field = text::lines(text, text::MAX_FIELD);
    }
}

/// Adds one more of several names to a field.
pub(crate) fn add(field: &mut Option<String>, text: &str) {
    let Some(text) = text::one_line(text) else { return };
    match field {
        None => *field = Some(text),
        Some(known)
            if known.split("; ").any(|name| name == text)
                || known.len() + text.len() + 2 > text::MAX_FIELD => {}
        Some(known) => {
            known.push_str("; ");
            known.push_str(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_serde() {
        for format in Format::ALL {
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
    }

    #[test]
    fn years_and_tracks_are_numbers() {
        for (date, expected) in [
            ("2004", Some(2004)),
            (" 1999-12-31", Some(1999)),
            ("12.5.2004", None),
            ("04", None),
            ("0000", None),
            ("二〇〇四", None),
        ] {
            assert_eq!(year(date), expected, "{date}");
        }
        for (text, track) in [("3", Some(3)), ("3/12", Some(3)), ("/12", None), ("0", None), ("A1", None)] {
            let mut facts = MediaFacts::new(Format::Mp3);
            facts.track_of(text);
            assert_eq!(facts.track, track, "{text}");
        }
    }

    #[test]
    fn several_names_are_one_field() {
        let mut artist = None;
        for name in ["A", " B ", "A", ""] {
            add(&mut artist, name);
        }
        assert_eq!(artist.as_deref(), Some("A; B"));
    }
}
