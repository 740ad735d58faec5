//! Which format a body is, by its bytes.

use crate::bytes::{be32, first};
use crate::image::{bitmap, svg};
use crate::sound::mpeg::{self, Tags};
use crate::sound::{ac3, lossless, lrc, ogg};
use crate::video::{asf, mpeg_stream};
use crate::{Format, MediaFacts, MediaOptions, Window};

/// Bytes in which the outermost element of SVG is sought before the picture is read.
const PROLOG: usize = 64 << 10;

/// Brands of `ftyp` and what they are of.
const BRANDS: [(&[u8; 4], Format); 15] = [
    (b"avif", Format::Avif),
    (b"avis", Format::Avif),
    (b"heic", Format::Heic),
    (b"heix", Format::Heic),
    (b"heim", Format::Heic),
    (b"heis", Format::Heic),
    (b"hevc", Format::Heic),
    (b"hevx", Format::Heic),
    (b"mif1", Format::Heic),
    (b"msf1", Format::Heic),
    (b"M4A ", Format::M4a),
    (b"M4B ", Format::M4a),
    (b"M4P ", Format::M4a),
    (b"F4A ", Format::M4a),
    (b"qt  ", Format::Mov),
];

/// The format of a body; `None` where it is no picture, sound or video that is known.
pub fn detect(window: &Window<'_>, options: &MediaOptions<'_>) -> Option<Format> {
    by_signature(window)
        .or_else(|| by_frames(window, options).map(|(format, _)| format))
        .or_else(|| by_text(window, options))
}

/// By letters at fixed places.
pub(crate) fn by_signature(window: &Window<'_>) -> Option<Format> {
    let head = window.head();
    let form = |kind: &[u8]| head.get(8..12) == Some(kind);
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Format::Png),
        [0xFF, 0xD8, 0xFF, ..] => Some(Format::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Format::Gif),
        [b'R', b'I', b'F', b'F', ..] if form(b"WEBP") => Some(Format::Webp),
        [b'R', b'I', b'F', b'F', ..] | [b'R', b'F', b'6', b'4', ..] if form(b"WAVE") => Some(Format::Wav),
        [b'R', b'I', b'F', b'F', ..] if form(b"AVI ") => Some(Format::Avi),
        [b'I', b'I', b'*' | b'+', 0, ..] | [b'M', b'M', 0, b'*' | b'+', ..] => Some(Format::Tiff),
        [0x1A, 0x45, 0xDF, 0xA3, ..] => of_matroska(head),
        [b'O', b'g', b'g', b'S', 0, ..] => Some(if ogg::is_opus(head) { Format::Opus } else { Format::Ogg }),
        [b'f', b'L', b'a', b'C', ..] => Some(Format::Flac),
        [0xFF, 0x0A, ..] | [0, 0, 0, 12, b'J', b'X', b'L', b' ', ..] => Some(Format::Jxl),
        [0xFF, 0x4F, 0xFF, 0x51, ..] | [0, 0, 0, 12, b'j', b'P', b' ', b' ', ..] => Some(Format::Jp2),
        [b'8', b'B', b'P', b'S', 0, 1 | 2, ..] => Some(Format::Psd),
        [b'F', b'O', b'R', b'M', ..] if form(b"AIFF") || form(b"AIFC") => Some(Format::Aiff),
        [b'.', b's', b'n', b'd', 0, ..] => Some(Format::Au),
        [b'c', b'a', b'f', b'f', 0, 1, ..] => Some(Format::Caf),
        [b'#', b'!', b'A', b'M', b'R', b'\n', ..]
        | [b'#', b'!', b'A', b'M', b'R', b'-', b'W', b'B', b'\n', ..] => Some(Format::Amr),
        [b'M', b'T', b'h', b'd', 0, 0, 0, 6, ..] => Some(Format::Mid),
        [0x0B, 0x77, ..] => ac3::format(head),
        [b'F', b'L', b'V', 1, ..] => Some(Format::Flv),
        [b'.', b'R', b'M', b'F', 0, ..] => Some(Format::Rm),
        _ if head.starts_with(&asf::HEADER) => Some(Format::Wmv),
        _ if mpeg_stream::is_program(head) => Some(Format::Mpg),
        _ if mpeg_stream::transport(head).is_some() => Some(Format::Ts),
        _ if bitmap::is_bitmap(head) => Some(Format::Bmp),
        _ if bitmap::is_icon(head) => Some(Format::Ico),
        _ => of_boxes(head),
    }
}

/// EBML is of other things too.
fn of_matroska(head: &[u8]) -> Option<Format> {
    let begin = first(head, 4096);
    if memchr::memmem::find(begin, b"webm").is_some() {
        return Some(Format::Webm);
    }
    memchr::memmem::find(begin, b"matroska").map(|_| Format::Mkv)
}

/// By the first box: a brand that says what it is, else one of those that QuickTime files begin with.
fn of_boxes(head: &[u8]) -> Option<Format> {
    let length = be32(head, 0)?;
    match head.get(4..8)? {
        b"ftyp" => {
            let named =
                |brand: &[u8]| BRANDS.iter().find(|(name, _)| brand == *name).map(|(_, format)| *format);
            let brands = first(head, length as usize).get(8..).unwrap_or_default();
            let (major, others) = (brands.get(..4)?, brands.get(8..).unwrap_or_default());
            let among = |format| others.as_chunks::<4>().0.iter().any(|brand| named(brand) == Some(format));
            Some(match named(major) {
                Some(Format::Heic) if among(Format::Avif) && !among_hevc(others) => Format::Avif,
                Some(format) => format,
                None => Format::Mp4,
            })
        }
        b"moov" | b"mdat" | b"wide" | b"free" | b"skip" | b"pnot"
            if length == 1 || length >= 8 || length == 0 =>
        {
            // Words can stand there too: the next box must be one as well, where it is in sight.
            let next = head.get(length as usize..).filter(|next| length >= 8 && next.len() >= 8);
            let known = |kind: &[u8]| kind.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ');
            next.is_none_or(|next| next.get(4..8).is_some_and(known)).then_some(Format::Mov)
        }
        _ => None,
    }
}

/// Whether brands of HEVC pictures are among others.
fn among_hevc(brands: &[u8]) -> bool {
    brands.as_chunks::<4>().0.iter().any(|brand| matches!(brand, b"heic" | b"heix" | b"hevc"))
}

/// By frames of sound, and the tags around them.
pub(crate) fn by_frames(window: &Window<'_>, options: &MediaOptions<'_>) -> Option<(Format, Tags)> {
    let begins = matches!(window.head(), [0xFF, 0xE0..=0xFF, ..] | [b'I', b'D', b'3', ..] | [0, 0, ..]);
    if !begins && lossless::format(window.head()).is_none() && crate::sound::id3v1::find(window).is_none() {
        return None;
    }
    let tags = Tags::read(window, options);
    // A tag alone is of sound too, whose frames may be out of reach.
    let format = mpeg::detect(window, &tags).or((tags.begin > 0).then_some(Format::Mp3))?;
    Some((format, tags))
}

/// By words: SVG, lyrics.
pub(crate) fn by_text(window: &Window<'_>, options: &MediaOptions<'_>) -> Option<Format> {
    let head = window.head();
    let begin = first(head, PROLOG);
    // The letters of a name are apart in UTF-16.
    let named = [&b"svg"[..], b"s\0v\0g\0", b"\0s\0v\0g"]
        .iter()
        .any(|name| memchr::memmem::find(begin, name).is_some());
    let opens =
        begin.iter().find(|b| !matches!(b, 0 | 0xFE | 0xFF | 0xEF | 0xBB | 0xBF) && !b.is_ascii_whitespace())
            == Some(&b'<');
    let packed = begin.starts_with(&[0x1F, 0x8B, 8]);
    if (opens && named || packed) && svg::read(window, options, &mut MediaFacts::new(Format::Svg)).is_some() {
        return Some(Format::Svg);
    }
    lrc::is_lyrics(head, options.tld).then_some(Format::Lrc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_and_what_looks_like_them() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\nxx"[..], Some(Format::Png)),
            (b"\xFF\xD8\xFF\xE0", Some(Format::Jpeg)),
            (b"GIF89a", Some(Format::Gif)),
            (b"RIFF\0\0\0\0WEBP", Some(Format::Webp)),
            (b"RIFF\0\0\0\0WAVE", Some(Format::Wav)),
            (b"RF64\0\0\0\0WAVE", Some(Format::Wav)),
            (b"RIFF\0\0\0\0AVI ", Some(Format::Avi)),
            (b"RIFF\0\0\0\0CDXA", None),
            (b"II*\0", Some(Format::Tiff)),
            (b"\x1A\x45\xDF\xA3\x42\x82\x84webm", Some(Format::Webm)),
            (b"\x1A\x45\xDF\xA3\x42\x82\x88matroska", Some(Format::Mkv)),
            (b"\x1A\x45\xDF\xA3\x42\x82\x84mine", None),
            (b"fLaC", Some(Format::Flac)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", Some(Format::Avif)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", Some(Format::Heic)),
            (b"\0\0\0\x10ftypM4A \0\0\0\0", Some(Format::M4a)),
            (b"\0\0\0\x10ftyp3gp4\0\0\0\0", Some(Format::Mp4)),
            (b"\0\0\0\x08wide\0\0\0\x08mdat", Some(Format::Mov)),
            (b"  <?xml version='1.0'?>\n<svg/>", Some(Format::Svg)),
            (b"<html><svg/></html>", None),
            (b"[ti:a]\n[00:01.00]b", Some(Format::Lrc)),
            (b"%PDF-1.4", None),
            (b"", None),
        ] {
            assert_eq!(detect(&Window::of(bytes), &MediaOptions::default()), expected, "{bytes:?}");
        }
    }
}
