//! Which format a body is, by its bytes.

use crate::media::window::from;
use crate::media::{Format, MediaOptions, Window, lyrics, svg};

/// Bytes in which the outermost element of SVG and the brands of Matroska are sought.
const PROLOG: usize = 64 << 10;

/// Bytes of zeros before the frames of MPEG sound.
const MAX_FILLING: usize = 64 << 10;

/// The identity of a stream of pictures in Windows Media.
const ASF_PICTURES: &[u8] = b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\0\x80\x5F\x5C\x44\x2B";

/// The format of a body; `None` where it is no picture, sound or video that is known.
pub fn detect(window: &Window<'_>, options: &MediaOptions<'_>) -> Option<Format> {
    by_signature(window.head()).or_else(|| by_frames(window)).or_else(|| by_text(window, options))
}

/// By letters at fixed places.
fn by_signature(head: &[u8]) -> Option<Format> {
    let begins = |letters: &[u8]| head.starts_with(letters);
    let holds = |letters: &[u8]| memchr::memmem::find(prolog(head), letters).is_some();
    let form = head.get(8..12).unwrap_or_default();
    Some(match head.get(..4)? {
        b"\x89PNG" if begins(b"\x89PNG\r\n\x1A\n") => Format::Png,
        [0xFF, 0xD8, 0xFF, _] => Format::Jpeg,
        b"GIF8" if matches!(head.get(4..6), Some(b"7a" | b"9a")) => Format::Gif,
        b"RIFF" if form == b"WEBP" => Format::Webp,
        b"RIFF" | b"RF64" if form == b"WAVE" => Format::Wav,
        b"RIFF" if form == b"AVI " => Format::Avi,
        [b'I', b'I', b'*' | b'+', 0] | [b'M', b'M', 0, b'*' | b'+'] => Format::Tiff,
        // EBML is of other things too.
        [0x1A, 0x45, 0xDF, 0xA3] if holds(b"webm") => Format::Webm,
        [0x1A, 0x45, 0xDF, 0xA3] if holds(b"matroska") => Format::Mkv,
        b"OggS" if head.get(28..36) == Some(b"OpusHead") => Format::Opus,
        b"OggS" => Format::Ogg,
        b"fLaC" => Format::Flac,
        b"8BPS" => Format::Psd,
        b"FORM" if matches!(form, b"AIFF" | b"AIFC") => Format::Aiff,
        b".snd" if head.get(4) == Some(&0) => Format::Au,
        b"caff" if head.get(4) == Some(&0) => Format::Caf,
        b"#!AM" if begins(b"#!AMR") => Format::Amr,
        b"MThd" if begins(b"MThd\0\0\0\x06") => Format::Mid,
        b".RMF" if holds(b"video/x-pn-realvideo") => Format::Rm,
        b".RMF" | b".ra\xFD" => Format::Ra,
        b"MAC " => Format::Ape,
        b"wvpk" => Format::Wv,
        b"TTA1" => Format::Tta,
        b"\x30\x26\xB2\x75" if begins(b"\x30\x26\xB2\x75\x8E\x66\xCF\x11") => {
            if holds(ASF_PICTURES) {
                Format::Wmv
            } else {
                Format::Wma
            }
        }
        [b'F', b'L', b'V', 1] => Format::Flv,
        [0, 0, 1, 0xBA | 0xB3] => Format::Mpg,
        _ if [0, 188, 376, 564].into_iter().all(|at| head.get(at) == Some(&0x47)) => Format::Ts,
        // `BM` begins words too: by the length of the second header.
        [b'B', b'M', ..]
            if matches!(head.get(14..18), Some([12 | 16 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0])) =>
        {
            Format::Bmp
        }
        // The first entry of an icon or cursor has a reserved zero.
        [0, 0, 1 | 2, 0] if matches!(head.get(4..10), Some([1..=255, 0, _, _, _, 0])) => Format::Ico,
        [0xFF, 0x0A, ..] => Format::Jxl,
        [0xFF, 0x4F, 0xFF, 0x51] => Format::Jp2,
        [0, 0, 0, 12] if begins(b"\0\0\0\x0CJXL ") => Format::Jxl,
        [0, 0, 0, 12] if begins(b"\0\0\0\x0CjP  ") => Format::Jp2,
        _ => return of_boxes(head),
    })
}

fn prolog(head: &[u8]) -> &[u8] {
    head.get(..PROLOG).unwrap_or(head)
}

/// By the first box: a brand that says what it is, else one of those that QuickTime files begin with.
fn of_boxes(head: &[u8]) -> Option<Format> {
    let brands = head.get(8..head.len().min(64))?;
    let among = |brand: &[u8; 4]| brands.as_chunks::<4>().0.contains(brand);
    Some(match (head.get(4..8)?, brands.get(..4)?) {
        (b"ftyp", b"avif" | b"avis") => Format::Avif,
        (b"ftyp", b"mif1" | b"msf1") if among(b"avif") && !among(b"heic") => Format::Avif,
        (b"ftyp", b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1") => {
            Format::Heic
        }
        (b"ftyp", b"M4A " | b"M4B " | b"M4P " | b"F4A ") => Format::M4a,
        (b"ftyp", b"qt  ") => Format::Mov,
        (b"ftyp", _) => Format::Mp4,
        // Words can stand there too: the next box must be one as well, where it is in sight.
        (b"moov" | b"mdat" | b"wide" | b"free" | b"skip" | b"pnot", _) => {
            let length = u32::from_be_bytes(*head.first_chunk()?) as usize;
            let next = head.get(length..).filter(|next| length >= 8 && next.len() >= 8);
            let known = |kind: &[u8]| kind.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ');
            let is_box = next.is_none_or(|next| next.get(4..8).is_some_and(known));
            return (is_box && (length <= 1 || length >= 8)).then_some(Format::Mov);
        }
        _ => return None,
    })
}

/// By frames of sound, and the tags around them: two frames, of which the second lies where the first says.
fn by_frames(window: &Window<'_>) -> Option<Format> {
    let mut begin = 0;
    // A tag says its length without its own ten bytes, in four times seven bits.
    while let Some([b'I', b'D', b'3', _, _, flags, sizes @ ..]) = window.at(begin).first_chunk::<10>() {
        let size = sizes.iter().fold(0_u64, |size, part| size << 7 | u64::from(part & 127));
        begin += size + if flags & 0x10 == 0 { 10 } else { 20 };
    }
    let tagged = begin > 0;
    let tail = window.tail();
    let ends_tagged = from(tail, tail.len().saturating_sub(128)).starts_with(b"TAG");
    let sound = window.at(begin);
    let filling = sound.iter().take(MAX_FILLING).take_while(|b| **b == 0).count();
    let sound = from(sound, filling);
    match sound.get(..4) {
        Some(b"fLaC") => return Some(Format::Flac),
        Some([0xFF, 0xF0 | 0xF1 | 0xF8 | 0xF9, ..]) => return Some(Format::Aac),
        _ => {}
    }
    let layer = FrameHeader::read(sound).and_then(|first| {
        let next = from(sound, first.bytes());
        let again = FrameHeader::read(next).is_some_and(|second| second.layer == first.layer);
        (again || sound.len() == first.bytes()).then_some(first.layer)
    });
    match layer {
        Some(1) => Some(Format::Mp1),
        Some(2) => Some(Format::Mp2),
        // A tag alone is of sound too, whose frames may be out of reach.
        Some(_) => Some(Format::Mp3),
        None => (tagged || ends_tagged).then_some(Format::Mp3),
    }
}

/// Kilobits a second by index: MPEG-1 by layer, then the other versions' layer I and layers II and III.
const BITRATES: [[u16; 14]; 5] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/// The header of a frame of MPEG sound (ISO/IEC 11172-3, 2.4.1.3).
struct FrameHeader {
    layer: u32,
    bitrate: u32,
    sample_rate: u32,
    /// What the rates of MPEG-1 are divided by: 1, 2, 4.
    version: u32,
    padding: u32,
}

impl FrameHeader {
    fn read(bytes: &[u8]) -> Option<Self> {
        let word = u32::from_be_bytes(*bytes.first_chunk()?);
        let bits = |from: u32, count: u32| word >> from & ((1 << count) - 1);
        let version = *[4, 0, 2, 1].get(bits(19, 2) as usize)?;
        let layer = 4 - bits(17, 2);
        if bits(21, 11) != 0x7FF || version == 0 || layer > 3 || bits(0, 2) == 2 {
            return None;
        }
        let table = match (version, layer) {
            (1, layer) => layer - 1,
            (_, 1) => 3,
            _ => 4,
        };
        let index = (bits(12, 4) as usize).checked_sub(1)?;
        Some(FrameHeader {
            layer,
            bitrate: u32::from(*BITRATES.get(table as usize)?.get(index)?) * 1000,
            sample_rate: [44_100, 48_000, 32_000].get(bits(10, 2) as usize)? / version,
            version,
            padding: bits(9, 1),
        })
    }

    /// Bytes of the whole frame.
    fn bytes(&self) -> usize {
        let slots = match (self.layer, self.version) {
            (1, _) => (12 * self.bitrate / self.sample_rate + self.padding) * 4,
            (3, 2..) => 72 * self.bitrate / self.sample_rate + self.padding,
            _ => 144 * self.bitrate / self.sample_rate + self.padding,
        };
        slots as usize
    }
}

/// By words: SVG, lyrics.
fn by_text(window: &Window<'_>, options: &MediaOptions<'_>) -> Option<Format> {
    let head = window.head();
    let begin = prolog(head);
    // The letters of a name are apart in UTF-16.
    let named = [&b"svg"[..], b"s\0v\0g", b"\0s\0v\0g"]
        .iter()
        .any(|name| memchr::memmem::find(begin, name).is_some());
    let blank = |b: &u8| matches!(b, 0 | 0xFE | 0xFF | 0xEF | 0xBB | 0xBF) || b.is_ascii_whitespace();
    match begin.iter().find(|b| !blank(b)) {
        Some(b'<') if named && svg::is_svg(window, options) => Some(Format::Svg),
        Some(b'[') if lyrics::is_lyrics(head, options.tld) => Some(Format::Lrc),
        _ => None,
    }
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
            (b"RF64\0\0\0\0WAVE", Some(Format::Wav)),
            (b"RIFF\0\0\0\0CDXA", None),
            (b"II*\0", Some(Format::Tiff)),
            (b"\x1A\x45\xDF\xA3\x42\x82\x84webm", Some(Format::Webm)),
            (b"\x1A\x45\xDF\xA3\x42\x82\x84mine", None),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", Some(Format::Avif)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", Some(Format::Heic)),
            (b"\0\0\0\x10ftypM4A \0\0\0\0", Some(Format::M4a)),
            (b"\0\0\0\x10ftyp3gp4\0\0\0\0", Some(Format::Mp4)),
            (b"\0\0\0\x08wide\0\0\0\x08mdat", Some(Format::Mov)),
            (b"BM words", None),
            (b"  <?xml version='1.0'?>\n<svg/>", Some(Format::Svg)),
            (b"<html><svg/></html>", None),
            (b"[ti:a]\n[00:01.00]b", Some(Format::Lrc)),
            (b"[1] a note", None),
            (b"%PDF-1.4", None),
            (b"", None),
        ] {
            assert_eq!(detect(&Window::of(bytes), &MediaOptions::default()), expected, "{bytes:?}");
        }
    }

    #[test]
    fn frames_have_the_bytes_of_the_standard() {
        for (header, bytes) in [
            (0xFFFB_9000_u32, 417),
            (0xFFFB_9200, 418),
            (0xFFFB_E400, 960),
            (0xFFFD_8000, 417),
            (0xFFFF_C000, 416),
            (0xFFFF_C200, 420),
            (0xFFF3_8000, 208),
            (0xFFE3_1800, 72),
            (0xFFF5_8400, 384),
        ] {
            let frame = FrameHeader::read(&header.to_be_bytes()).map(|frame| frame.bytes());
            assert_eq!(frame, Some(bytes), "{header:x}");
        }
        // A reserved version, no layer, free format, no bit rate, no sampling rate, reserved emphasis, no sync.
        for header in
            [0xFFEB_9000_u32, 0xFFF9_9000, 0xFFFB_0000, 0xFFFB_F000, 0xFFFB_9C00, 0xFFFB_9002, 0xFF1B_9000]
        {
            assert!(FrameHeader::read(&header.to_be_bytes()).is_none(), "{header:x}");
        }
    }
}
