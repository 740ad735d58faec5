use std::io::Write;

use super::*;
use crate::Format;

fn seven(length: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| u8::try_from(length >> shift & 0x7F).unwrap())
}

/// A frame of version 2, 3 or 4 with its second byte of flags.
pub(crate) fn frame(version: u8, id: &[u8], flags: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    match version {
        2 => [id, &length[1..], data].concat(),
        3 => [id, &length, &[0, flags], data].concat(),
        _ => [id, &seven(data.len()), &[0, flags], data].concat(),
    }
}

pub(crate) fn tag(version: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    [b"ID3", &[version, 0, flags][..], &seven(body.len()), body].concat()
}

fn read(bytes: &[u8]) -> MediaFacts {
    let mut facts = MediaFacts::new(Format::Mp3);
    let _ = take(&Window::of(bytes), 0, &MediaOptions::default(), &mut facts);
    facts
}

fn utf16(words: &str) -> Vec<u8> {
    [0xFF, 0xFE].into_iter().chain(words.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

#[test]
fn lengths_have_seven_bits_a_byte() {
    assert_eq!(seven_bits(&[0, 0, 2, 1], 0), Some(257));
    assert_eq!(length(&Window::of(b"ID3\x03\0\0\0\0\x02\x01"), 0), Some(267));
    assert_eq!(length(&Window::of(b"ID3\x04\0\x10\0\0\x02\x01"), 0), Some(277));
    assert_eq!(length(&Window::of(b"ID3\x03\0\0\0\0\xFF\x01"), 0), None);
}

#[test]
fn every_version_says_the_same() {
    let ids: [[&[u8]; 7]; 2] = [
        [b"TT2", b"TP1", b"TAL", b"TRK", b"TYE", b"TCO", b"COM"],
        [b"TIT2", b"TPE1", b"TALB", b"TRCK", b"TYER", b"TCON", b"COMM"],
    ];
    for version in 2..=4 {
        let ids = ids[usize::from(version > 2)];
        let data: [Vec<u8>; 7] = [
            [&[1][..], &utf16("雨")].concat(),
            [&[3][..], "陆羽".as_bytes()].concat(),
            b"\0Weather\0".to_vec(),
            b"\x003/12".to_vec(),
            b"\x001999".to_vec(),
            b"\0(17)".to_vec(),
            [&[1][..], b"eng", &utf16(""), &[0, 0], &utf16("Two\nlines")].concat(),
        ];
        let frames: Vec<u8> =
            ids.iter().zip(&data).flat_map(|(id, data)| frame(version, id, 0, data)).collect();
        let facts = read(&tag(version, 0, &[frames, vec![0; 20]].concat()));
        assert_eq!(
            (facts.title.as_deref(), facts.artist.as_deref()),
            (Some("雨"), Some("陆羽")),
            "{version}"
        );
        assert_eq!((facts.album.as_deref(), facts.track, facts.tracks), (Some("Weather"), Some(3), Some(12)));
        assert_eq!((facts.year, facts.genre.as_deref()), (Some(1999), Some("Rock")));
        assert_eq!(facts.comment.as_deref(), Some("Two\nlines"));
        assert!(facts.warnings.is_empty());
    }
}

#[test]
fn latin_texts_are_detected_together() {
    let gbk = |text: &str| [&[0][..], &encoding_rs::GBK.encode(text).0].concat();
    let frames = [
        frame(3, b"TIT2", 0, &gbk("东风破")),
        frame(3, b"TPE1", 0, &gbk("周杰伦")),
        frame(3, b"TALB", 0, &gbk("叶惠美")),
    ];
    let facts = read(&tag(3, 0, &frames.concat()));
    assert_eq!([facts.title, facts.artist, facts.album].map(Option::unwrap), ["东风破", "周杰伦", "叶惠美"]);
}

#[test]
fn frames_are_undone_of_what_was_done_to_them() {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(b"\0packed").unwrap();
    let packed = packed.finish().unwrap();
    let length = 7_u32.to_be_bytes();
    for (version, flags, data, expected) in [
        (3, 0x80, [&length[..], &packed].concat(), Some("packed")),
        (3, 0xA0, [&length[..], &[9], &packed].concat(), Some("packed")),
        (3, 0x40, b"\x01\0secret".to_vec(), None),
        (3, 0x20, b"\x09\0group".to_vec(), Some("group")),
        (4, 0x09, [&seven(7)[..], &packed].concat(), Some("packed")),
        (4, 0x04, b"\x01\0secret".to_vec(), None),
        (4, 0x40, b"\x09\0group".to_vec(), Some("group")),
        (4, 0x02, b"\x01\xFF\x00\xFE\x41\x00".to_vec(), Some("A")),
        (4, 0x03, b"\0\0\0\x05\x01\xFF\x00\xFE\x41\x00".to_vec(), Some("A")),
    ] {
        let facts = read(&tag(version, 0, &frame(version, b"TIT2", flags, &data)));
        assert_eq!(facts.title.as_deref(), expected, "{version} {flags:x}");
    }
}

#[test]
fn frames_inflate_to_a_bound_together() {
    let packed = |words: &[u8]| {
        let mut packer = flate2::write::ZlibEncoder::new(vec![0, 0, 0, 9], flate2::Compression::best());
        packer.write_all(words).unwrap();
        packer.finish().unwrap()
    };
    let lyrics = frame(3, b"USLT", 0x80, &packed(&[&b"\0eng\0"[..], &vec![b'a'; MAX_INFLATED]].concat()));
    let title = frame(3, b"TIT2", 0x80, &packed(b"\0title"));
    for (body, expected) in [([title.clone(), lyrics.clone()], Some("title")), ([lyrics, title], None)] {
        let facts = read(&tag(3, 0, &body.concat()));
        assert_eq!(facts.title.as_deref(), expected);
        assert_eq!(facts.lyrics.map(|lyrics| lyrics.len()), Some(256 << 10));
    }
}

#[test]
fn headers_may_be_longer_and_tags_unsynchronised() {
    let title = frame(3, b"TIT2", 0, b"\x01\xFF\x00\xFE\x41\x00");
    // The length of the frame is that before the zero was put in.
    let mut title = title;
    title[7] -= 1;
    assert_eq!(read(&tag(3, 0x80, &title)).title.as_deref(), Some("A"));
    let plain = frame(3, b"TIT2", 0, b"\0A");
    assert_eq!(
        read(&tag(3, 0x40, &[&[0, 0, 0, 6][..], &[0; 6], &plain].concat())).title.as_deref(),
        Some("A")
    );
    let plain = frame(4, b"TIT2", 0, b"\0A");
    assert_eq!(
        read(&tag(4, 0x40, &[&[0, 0, 0, 6][..], &[1, 0], &plain].concat())).title.as_deref(),
        Some("A")
    );
}

#[test]
fn lengths_of_eight_bits_in_24_are_told_by_what_follows() {
    let long = [&[0][..], &[b'a'; 199]].concat();
    let mut body = [b"TALB", &200_u32.to_be_bytes()[..], &[0, 0], &long].concat();
    body.extend(frame(4, b"TIT2", 0, b"\0A"));
    let facts = read(&tag(4, 0, &body));
    assert_eq!((facts.title.as_deref(), facts.album.map(|album| album.len())), (Some("A"), Some(199)));
}

#[test]
fn lyrics_with_and_without_times() {
    let plain = frame(3, b"USLT", 0, b"\0eng\0one\ntwo");
    assert_eq!(read(&tag(3, 0, &plain)).lyrics.as_deref(), Some("one\ntwo"));
    let timed =
        [&b"\0eng\x02\x01\0"[..], b"two\0", &2000_u32.to_be_bytes(), b"\none\0", &500_u32.to_be_bytes()]
            .concat();
    assert_eq!(
        read(&tag(3, 0, &frame(3, b"SYLT", 0, &timed))).lyrics.as_deref(),
        Some("[00:00.50]one\n[00:02.00]two")
    );
}

#[test]
fn comments_of_programs_are_none() {
    let frames = [frame(3, b"COMM", 0, b"\0engiTunNORM\0 00000"), frame(3, b"COMM", 0, b"\0eng\0mine")];
    assert_eq!(read(&tag(3, 0, &frames.concat())).comment.as_deref(), Some("mine"));
}

#[test]
fn comments_with_a_description_come_second() {
    let described =
        frame(3, b"COMM", 0, &[b"\x01eng", &utf16("ID3v1 Comment")[..], &[0, 0], &utf16("short")].concat());
    let plain = frame(3, b"COMM", 0, b"\0eng\0in full");
    let other = frame(3, b"TXXX", 0, b"\0comment\0of a program");
    for (frames, expected) in [
        (vec![&described, &plain], Some("in full")),
        (vec![&described], Some("short")),
        (vec![&other, &plain], Some("in full")),
        (vec![&other], Some("of a program")),
        (vec![&frame(3, b"TXXX", 0, b"\0mood\0calm")], None),
    ] {
        let body: Vec<u8> = frames.into_iter().flatten().copied().collect();
        assert_eq!(read(&tag(3, 0, &body)).comment.as_deref(), expected);
    }
}

#[test]
fn what_reaches_beyond_the_window_is_told() {
    let mut bytes = tag(3, 0, &[frame(3, b"TIT2", 0, b"\0A"), frame(3, b"APIC", 0, &[7; 900])].concat());
    bytes.truncate(300);
    let facts = read(&bytes);
    assert_eq!((facts.title.as_deref(), facts.warnings), (Some("A"), vec!["tag-cut".into()]));
}
