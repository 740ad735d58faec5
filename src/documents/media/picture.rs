//! Pictures: sizes by crate `imagesize`, EXIF and the texts of PNG by crate `nom-exif`.
//!
//! **Definition.** The time is that of the shot, else that of the digitising, else that of the last change. The camera is maker
//! and model, the maker once. The place is decimal degrees, south and west negative, six digits behind the point (a decimetre).
//! XMP and IPTC are not read.
//!
//! **Reference.** CIPA DC-008, Exif 3.0, 2023; CompuServe, Graphics Interchange Format 89a, 1990.

use nom_exif::{
    EntryValue, Exif, ExifTag, GPSInfo, IfdIndex, ImageFormatMetadata, ImageMetadata, MediaParser,
    MediaSource,
};

use crate::media::facts::{self, MediaFacts, MediaOptions};
use crate::media::window::WindowFile;
use crate::media::{Format, Window, text};

/// Blocks of a GIF that are looked at.
const MAX_BLOCKS: usize = 1 << 16;

/// Reads a picture; `None` where its size is not found.
pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    match facts.format {
        Format::Bmp => bitmap_size(window.head(), facts)?,
        _ => {
            let size = imagesize::blob_size(window.head()).ok();
            let side = |side: usize| u32::try_from(side).unwrap_or(0);
            size.into_iter().for_each(|size| facts.size(side(size.width), side(size.height)));
        }
    }
    if facts.format == Format::Gif && window.is_whole() {
        count_frames(window.head(), facts);
    }
    let mut file = WindowFile::new(window);
    let read =
        MediaSource::seekable(&mut file).and_then(|source| MediaParser::new().parse_image_metadata(source));
    if file.in_gap {
        facts.warn("cut");
    }
    if let Ok(found) = read {
        let found: ImageMetadata<Exif> = found.into();
        found.exif.iter().for_each(|exif| take(exif, options, facts));
        if let Some(ImageFormatMetadata::Png(texts)) = &found.format {
            texts.iter().for_each(|(key, words)| take_text(key, words, options, facts));
        }
    }
    facts.width.map(drop)
}

/// The size of a bitmap; rows from the top down have a negative height.
fn bitmap_size(head: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let long = |at: usize| Some(i32::from_le_bytes(*head.get(at..)?.first_chunk()?).unsigned_abs());
    let short = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?).into());
    match long(14)? {
        12 => facts.size(short(18)?, short(20)?),
        _ => facts.size(long(18)?, long(22)?),
    }
    Some(())
}

/// Pictures of a whole GIF, and how long they take.
fn count_frames(bytes: &[u8], facts: &mut MediaFacts) {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let colours = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    // Data blocks: each has its length before it, the last is empty.
    let end_of_blocks = |mut at: usize| {
        while byte(at) > 0 {
            at += usize::from(byte(at)) + 1;
        }
        at + 1
    };
    let (mut frames, mut hundredths) = (0_u64, 0_u64);
    let mut at = 13 + colours(byte(10));
    for _ in 0..MAX_BLOCKS {
        match (byte(at), byte(at + 1)) {
            (0x2C, _) => {
                frames += 1;
                at = end_of_blocks(at + 11 + colours(byte(at + 9)));
            }
            (0x21, label) => {
                if label == 0xF9 {
                    hundredths += u64::from(u16::from_le_bytes([byte(at + 4), byte(at + 5)]));
                }
                at = end_of_blocks(at + 2);
            }
            _ => break,
        }
    }
    facts.frames = Some(frames).filter(|&frames| frames > 0);
    facts.duration_ms = Some(hundredths * 10).filter(|&ms| ms > 0 && frames > 1);
}

/// Takes what EXIF says and is not known yet.
fn take(exif: &Exif, options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let words = |tag: ExifTag| exif.get(tag).and_then(EntryValue::as_str).unwrap_or_default();
    let main = |code| exif.get_by_code(IfdIndex::MAIN, code);
    let title =
        Some(words(ExifTag::ImageDescription)).filter(|title| title.trim() != "OLYMPUS DIGITAL CAMERA");
    facts::set(
        &mut facts.title,
        &main(0x9C9B).and_then(wide).or(title.map(str::to_owned)).unwrap_or_default(),
    );
    facts::set(&mut facts.artist, main(0x013B).and_then(EntryValue::as_str).unwrap_or_default());
    facts::set(&mut facts.artist, &main(0x9C9D).and_then(wide).unwrap_or_default());
    facts::set(&mut facts.camera, &camera(words(ExifTag::Make), words(ExifTag::Model)));
    let turned = exif.get(ExifTag::Orientation).and_then(EntryValue::as_u16);
    facts.orientation =
        turned.and_then(|turned| u8::try_from(turned).ok()).filter(|turned| (1..=8).contains(turned));
    let times = [ExifTag::DateTimeOriginal, ExifTag::CreateDate, ExifTag::ModifyDate];
    let made = times.into_iter().find_map(|tag| exif.get(tag).and_then(time));
    facts::set(&mut facts.created, &made.unwrap_or_default());
    let comment = exif.get(ExifTag::UserComment).and_then(|value| user_comment(value, options));
    facts::set_lines(&mut facts.comment, &comment.unwrap_or_default());
    if options.gps {
        facts.gps = exif.gps_info().and_then(place);
    }
}

/// A text that Windows wrote.
fn wide(value: &EntryValue) -> Option<String> {
    value.as_u8_slice().map(|bytes| text::utf16(bytes, true))
}

/// A comment with its charset in eight bytes before.
fn user_comment(value: &EntryValue, options: &MediaOptions<'_>) -> Option<String> {
    let EntryValue::Undefined(bytes) = value else { return value.as_str().map(str::to_owned) };
    let (charset, words) = bytes.split_at_checked(8)?;
    match charset {
        // Which byte of a character is first is that of the whole block, which is not told here: the zero is the higher.
        b"UNICODE\0" => Some(text::utf16(words, words.first() != Some(&0))),
        b"ASCII\0\0\0" | [0, 0, 0, 0, 0, 0, 0, 0] => Some(text::utf8(text::until_zero(words), options.tld)),
        _ => None,
    }
}

/// Takes a text of PNG, whose characters are bytes of any charset.
fn take_text(key: &str, words: &str, options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let bytes: Option<Vec<u8>> = words.chars().map(|c| u8::try_from(c).ok()).collect();
    let words = bytes.map_or_else(|| words.to_owned(), |bytes| text::utf8(&bytes, options.tld));
    match key {
        "Title" => facts::set(&mut facts.title, &words),
        "Author" => facts::set(&mut facts.artist, &words),
        "Comment" | "Description" => facts::set_lines(&mut facts.comment, &words),
        _ => {}
    }
}

/// A time as ISO 8601, without a zone where none is known.
pub(crate) fn time(value: &EntryValue) -> Option<String> {
    match value {
        EntryValue::DateTime(time) => {
            Some(time.format("%Y-%m-%dT%H:%M:%S%:z").to_string().replace("+00:00", "Z"))
        }
        EntryValue::NaiveDateTime(time) => Some(time.format("%Y-%m-%dT%H:%M:%S").to_string()),
        _ => None,
    }
}

/// Maker and model; the model alone where it begins with the maker's first word.
pub(crate) fn camera(maker: &str, model: &str) -> String {
    let (maker, model) = (maker.trim(), model.trim());
    let first_word = maker.split_whitespace().next().unwrap_or_default();
    let doubled = model.get(..first_word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(first_word));
    if doubled { model.to_owned() } else { format!("{maker} {model}").trim_end().to_owned() }
}

/// `latitude,longitude`.
pub(crate) fn place(place: &GPSInfo) -> Option<String> {
    let (latitude, longitude) = (place.latitude_decimal()?, place.longitude_decimal()?);
    // A sum of a tiny negative number is no `-0`.
    (latitude.abs() <= 90.0 && longitude.abs() <= 180.0)
        .then(|| format!("{:.6},{:.6}", latitude + 0.0, longitude + 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(format: Format, bytes: &[u8]) -> MediaFacts {
        let mut facts = MediaFacts::new(format);
        let _ = read(&Window::of(bytes), &MediaOptions { gps: true, tld: None }, &mut facts);
        facts
    }

    #[test]
    fn a_gif_counts_its_pictures() {
        let frame = b"\x21\xF9\x04\0\x23\0\0\0\x2C\0\0\0\0\x03\0\x05\0\0\x02\x02L\x01\0";
        let gif = [&b"GIF89a\x03\x00\x05\x00\x80\x00\x00\0\0\0\xff\xff\xff"[..], frame, frame, b";"].concat();
        let facts = read_as(Format::Gif, &gif);
        assert_eq!((facts.width, facts.height), (Some(3), Some(5)));
        assert_eq!((facts.frames, facts.duration_ms), (Some(2), Some(700)));
    }

    #[test]
    fn bitmaps_of_both_headers() {
        let bitmap =
            |header: u32, sides: &[u8]| [&[b'B', b'M'][..], &[0; 12], &header.to_le_bytes(), sides].concat();
        let long = [300_i32.to_le_bytes(), (-200_i32).to_le_bytes()].concat();
        let short = [300_u16.to_le_bytes(), 200_u16.to_le_bytes()].concat();
        for bytes in [bitmap(40, &long), bitmap(12, &short)] {
            let facts = read_as(Format::Bmp, &bytes);
            assert_eq!((facts.width, facts.height), (Some(300), Some(200)));
        }
    }

    #[test]
    fn a_maker_is_named_once() {
        for (maker, model, expected) in
            [("NIKON CORPORATION", "NIKON D70", "NIKON D70"), ("Canon", "EOS", "Canon EOS"), ("", "X", "X")]
        {
            assert_eq!(camera(maker, model), expected);
        }
    }
}
