//! Sound, and the tags of MP4, by crate `lofty`: lengths, rates, tags.
//!
//! **Bad input.** The library takes at most [`MAX_ITEM`] bytes for one item; where it cannot read the sound, the tags are
//! asked for alone. Of tags behind the sound it reads ID3v1 and APE, not ID3v2.
//!
//! **Words.** Writers of tags put whatever their system used where the standards say Latin-1. Those texts are made bytes again,
//! and all of a tag together are given to the detection of charsets: GBK is common.

use lofty::config::{GlobalOptions, ParseOptions, ParsingMode, apply_global_options};
use lofty::file::{AudioFile, FileType, TaggedFile, TaggedFileExt};
use lofty::probe::Probe;
use lofty::tag::{ItemKey, Tag, TagType};

use crate::media::facts::{self, MediaFacts, MediaOptions};
use crate::media::window::WindowFile;
use crate::media::{Format, Window, lyrics, text};

/// Bytes that the library may take for one item.
const MAX_ITEM: usize = 4 << 20;

/// What the library calls a format.
fn file_type(format: Format, window: &Window<'_>) -> Option<FileType> {
    Some(match format {
        Format::Mp1 | Format::Mp2 | Format::Mp3 => FileType::Mpeg,
        Format::Flac => FileType::Flac,
        Format::Opus => FileType::Opus,
        Format::Ogg if window.head().get(28..36) == Some(b"Speex   ") => FileType::Speex,
        Format::Ogg => FileType::Vorbis,
        Format::Wav => FileType::Wav,
        Format::Aiff => FileType::Aiff,
        Format::Aac => FileType::Aac,
        Format::Ape => FileType::Ape,
        Format::Wv => FileType::WavPack,
        Format::M4a | Format::Mp4 | Format::Mov => FileType::Mp4,
        _ => return None,
    })
}

/// Reads sound and tags; `None` where the library cannot.
pub(crate) fn read(
    format: Format,
    window: &Window<'_>,
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
) -> Option<()> {
    let kind = file_type(format, window)?;
    let mended = without_extended_header(window.head());
    let mended = mended.as_ref().map(|head| Window::new(head, window.tail(), window.len()));
    let window = mended.as_ref().unwrap_or(window);
    apply_global_options(GlobalOptions::new().allocation_limit(MAX_ITEM));
    let file = parsed(kind, window, true, facts).or_else(|| parsed(kind, window, false, facts))?;
    facts.codec(match kind {
        FileType::Flac => "flac",
        FileType::Opus => "opus",
        FileType::Vorbis => "vorbis",
        FileType::Speex => "speex",
        FileType::Mpeg | FileType::Aac => format.name(),
        _ => "",
    });
    let properties = file.properties();
    let ms = u64::try_from(properties.duration().as_millis()).ok().filter(|&ms| ms > 0);
    facts.duration_ms = facts.duration_ms.or(ms);
    if facts.sample_rate.is_none() {
        facts.sample_rate = properties.sample_rate().filter(|&rate| rate > 0);
        facts.channels = properties.channels().map(u16::from).filter(|&channels| channels > 0);
    }
    let kilobits = properties.audio_bitrate().or(properties.overall_bitrate());
    facts.bitrate =
        facts.bitrate.or(kilobits.and_then(|rate| rate.checked_mul(1000)).filter(|&rate| rate > 0));
    let mut tags: Vec<&Tag> = file.tags().iter().collect();
    tags.sort_by_key(|tag| match tag.tag_type() {
        TagType::Id3v1 => 2,
        TagType::Id3v2 => 0,
        _ => 1,
    });
    tags.into_iter().for_each(|tag| take(tag, options, facts));
    Some(())
}

/// The first bytes of a file without the mark of an extended header, where the tag ID3v2 has the mark and a frame in its place.
fn without_extended_header(head: &[u8]) -> Option<Vec<u8>> {
    let id = head.get(10..14)?;
    let is_frame = id.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let is_marked = head.starts_with(b"ID3") && head.get(5)? & 0x40 != 0;
    (is_marked && is_frame).then(|| {
        let mut head = head.to_vec();
        if let Some(flags) = head.get_mut(5) {
            *flags &= !0x40;
        }
        head
    })
}

fn parsed(
    kind: FileType,
    window: &Window<'_>,
    properties: bool,
    facts: &mut MediaFacts,
) -> Option<TaggedFile> {
    let mut file = WindowFile::new(window);
    let options = ParseOptions::new()
        .parsing_mode(ParsingMode::BestAttempt)
        .read_cover_art(false)
        .read_properties(properties);
    let read = Probe::with_file_type(&mut file, kind).options(options).read();
    if file.in_gap {
        facts.warn("cut");
    }
    read.ok()
}

/// Takes what a tag says and is not known yet.
fn take(tag: &Tag, options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    // Comments of programs for themselves have a description.
    let own = |key, description: &str| key != ItemKey::Comment || description.is_empty();
    let mut items: Vec<(ItemKey, String)> = tag
        .items()
        .filter(|item| own(item.key(), item.description()))
        .filter_map(|item| Some((item.key(), item.value().text()?.to_owned())))
        .collect();
    if matches!(tag.tag_type(), TagType::Id3v1 | TagType::Id3v2 | TagType::RiffInfo | TagType::AiffText) {
        decode(&mut items, options);
    }
    let mut known = MediaFacts::new(facts.format);
    for (key, words) in &items {
        match key {
            ItemKey::TrackTitle => facts::set(&mut known.title, words),
            ItemKey::TrackArtist => facts::add(&mut known.artist, words),
            ItemKey::AlbumTitle => facts::set(&mut known.album, words),
            ItemKey::Genre => facts::add(&mut known.genre, words),
            ItemKey::Comment | ItemKey::Description => facts::set_lines(&mut known.comment, words),
            ItemKey::TrackNumber => known.track_of(words),
            ItemKey::RecordingDate | ItemKey::Year => known.year_of(words),
            ItemKey::Lyrics | ItemKey::UnsyncLyrics => lyrics::set(&mut known.lyrics, words),
            _ => {}
        }
    }
    facts.fill_from(known);
}

/// Texts that may be of any charset, read by that of all together.
fn decode(items: &mut [(ItemKey, String)], options: &MediaOptions<'_>) {
    let bytes_of = |words: &str| words.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>();
    let narrow: Vec<(usize, Vec<u8>)> =
        items.iter().enumerate().filter_map(|(at, (_, words))| Some((at, bytes_of(words)?))).collect();
    if narrow.iter().all(|(_, bytes)| bytes.is_ascii()) {
        return;
    }
    let fields: Vec<&[u8]> = narrow.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    let decoded = text::detected(&fields, options.tld);
    for ((at, _), words) in narrow.iter().zip(decoded) {
        if let Some((_, item)) = items.get_mut(*at) {
            *item = words;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `count` frames of MPEG-1 layer III: 128 kbit/s, 44.1 kHz.
    fn frames(count: usize) -> Vec<u8> {
        let frame = [&[0xFF, 0xFB, 0x90, 0x00][..], &[0; 413]].concat();
        frame.repeat(count)
    }

    fn id3v1(fields: [&[u8]; 5], track: u8, genre: u8) -> Vec<u8> {
        let mut tag = b"TAG".to_vec();
        for (field, length) in fields.iter().zip([30, 30, 30, 4, 30]) {
            tag.extend(field.iter().copied().chain(std::iter::repeat(0)).take(length));
        }
        (tag[125], tag[126]) = (0, track);
        tag.push(genre);
        tag
    }

    fn id3v2(frames: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let body: Vec<u8> = frames
            .iter()
            .flat_map(|(id, data)| [&id[..], &(data.len() as u32).to_be_bytes(), &[0, 0], data].concat())
            .collect();
        let size = [21, 14, 7, 0].map(|shift| (body.len() >> shift & 127) as u8);
        [&b"ID3\x03\0\0"[..], &size, &body].concat()
    }

    fn read_mp3(bytes: &[u8]) -> MediaFacts {
        let facts = crate::media::facts(&Window::of(bytes), &MediaOptions::default()).unwrap();
        assert_eq!(facts.format, Format::Mp3);
        facts
    }

    #[test]
    fn the_length_is_that_of_the_frames() {
        let facts = read_mp3(&[frames(100), id3v1([b"Rain", b"A", b"B", b"1999", b"C"], 7, 17)].concat());
        assert_eq!(
            (facts.sample_rate, facts.channels, facts.bitrate),
            (Some(44_100), Some(2), Some(128_000))
        );
        // 100 frames of 1,152 samples.
        assert!(facts.duration_ms.unwrap().abs_diff(2612) < 30, "{facts:?}");
        assert_eq!((facts.title.as_deref(), facts.year, facts.track), (Some("Rain"), Some(1999), Some(7)));
        assert_eq!((facts.genre.as_deref(), facts.comment.as_deref()), (Some("Rock"), Some("C")));
    }

    #[test]
    fn the_charset_is_that_of_all_fields() {
        let cases: [(&encoding_rs::Encoding, [&str; 3]); 4] = [
            (encoding_rs::GBK, ["月亮代表我的心", "邓丽君", "岛国情歌"]),
            (encoding_rs::SHIFT_JIS, ["さくらの花が咲く", "宇多田ヒカル", "はじまりのうた"]),
            (encoding_rs::WINDOWS_1251, ["Подмосковные вечера", "Владимир Трошин", "Песни"]),
            (encoding_rs::WINDOWS_1252, ["Les Mots passés", "Édith Piaf", "À la carte"]),
        ];
        for (charset, words) in cases {
            let [title, artist, album] = words.map(|text| charset.encode(text).0.into_owned());
            let old = [frames(4), id3v1([&title, &artist, &album, b"", b""], 1, 255)].concat();
            let text = |words: &[u8]| [&[0], words].concat();
            let (title, artist, album) = (text(&title), text(&artist), text(&album));
            let tag = id3v2(&[(b"TIT2", &title), (b"TPE1", &artist), (b"TALB", &album)]);
            for bytes in [old, [tag, frames(4)].concat()] {
                let facts = read_mp3(&bytes);
                assert_eq!([facts.title, facts.artist, facts.album].map(Option::unwrap), words);
            }
        }
    }

    #[test]
    fn the_better_tag_wins_field_by_field() {
        let tag = id3v2(&[
            (b"TIT2", b"\0New"),
            (b"TCON", b"\0(17)"),
            (b"COMM", b"\0engiTunNORM\0 000"),
            (b"USLT", b"\0eng\0[00:12.50][00:10]x"),
        ]);
        let facts =
            read_mp3(&[tag, frames(4), id3v1([b"Old", b"A. Artist", b"", b"", b"short"], 1, 255)].concat());
        assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("New"), Some("A. Artist")));
        assert_eq!((facts.genre.as_deref(), facts.comment.as_deref()), (Some("Rock"), Some("short")));
        assert_eq!(facts.lyrics.as_deref(), Some("[00:10.00]x\n[00:12.50]x"));
    }

    #[test]
    fn a_tag_that_claims_a_header_it_has_not_is_read() {
        let mut tag = id3v2(&[(b"TIT2", b"\0Rain"), (b"TPE1", b"\0Ann")]);
        tag[5] |= 0x40;
        let facts = read_mp3(&[tag, frames(4)].concat());
        assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("Rain"), Some("Ann")));
    }

    #[test]
    fn a_tag_into_the_gap_gives_what_is_in_sight() {
        let mut picture = b"\0image/jpeg\0\x03\0".to_vec();
        picture.resize(Window::HEAD + Window::TAIL, 7);
        let tag = id3v2(&[(b"TIT2", b"\0Rain"), (b"APIC", &picture)]);
        let facts = read_mp3(&[tag, frames(400)].concat());
        assert_eq!((facts.title.as_deref(), facts.sample_rate), (Some("Rain"), Some(44_100)));
        assert!(facts.warnings.contains(&"cut".into()));
    }
}
