use super::*;
use crate::facts::MediaKind;
use crate::sound::{id3v1, id3v2};

const HEADER: [u8; 4] = [0xFF, 0xFB, 0x90, 0];

/// Frames of 128 k at 44.1 k.
pub(crate) fn frames(count: usize) -> Vec<u8> {
    let frame = [&HEADER[..], &[0x55; 413]].concat();
    frame.repeat(count)
}

/// A first frame with counts behind what it says of its sound.
fn counting(name: &[u8], at: usize, counts: &[u8]) -> Vec<u8> {
    let mut frame = frames(1);
    frame[at..at + 4].copy_from_slice(name);
    frame[at + 4..at + 4 + counts.len()].copy_from_slice(counts);
    frame
}

fn read_all(bytes: &[u8]) -> MediaFacts {
    crate::facts(&Window::of(bytes), &MediaOptions::default()).unwrap()
}

#[test]
fn constant_rates_are_counted_in_full() {
    let facts = read_all(&frames(100));
    assert_eq!((facts.kind, facts.format), (MediaKind::Audio, Format::Mp3));
    assert_eq!((facts.bitrate, facts.sample_rate, facts.channels), (Some(128_000), Some(44_100), Some(2)));
    assert_eq!((facts.frames, facts.duration_ms), (Some(100), Some(2612)));
}

#[test]
fn tags_are_no_sound() {
    let v2 = id3v2::tests::tag(3, 0, &id3v2::tests::frame(3, b"TIT2", 0, b"\0two"));
    let v1 = id3v1::tests::tag([b"one", b"artist", b"", b"", b""], 0, 17);
    // 6,000 frames are beyond the window: the duration comes from bytes.
    let body = [v2, frames(6000), v1].concat();
    let facts = read_all(&body);
    assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("two"), Some("artist")));
    assert_eq!((facts.frames, facts.duration_ms), (None, Some(417 * 6000 * 8 / 128)));
    assert!(facts.warnings.is_empty());
}

#[test]
fn counts_of_the_first_frame_win() {
    let xing = [0, 0, 0, 3, 0, 0, 0x10, 0, 0, 0x20, 0, 0];
    let vbri = [&[0, 1, 0, 0, 0, 0][..], &0x0020_0000_u32.to_be_bytes(), &0x1000_u32.to_be_bytes()].concat();
    for first in [counting(b"Xing", 36, &xing), counting(b"Info", 36, &xing), counting(b"VBRI", 36, &vbri)] {
        let facts = read_all(&[first, frames(50)].concat());
        assert_eq!((facts.frames, facts.duration_ms), (Some(4096), Some(106_998)));
        assert_eq!(facts.bitrate, Some(156_799));
    }
}

#[test]
fn changing_rates_without_counts_are_estimated() {
    let faster = [&[0xFF, 0xFB, 0xB0, 0][..], &[0x55; 622]].concat();
    let body = [frames(1), faster].concat().repeat(3000);
    let facts = read_all(&body);
    assert_eq!(facts.warnings, ["duration-estimated"]);
    let (exact, found) = (6000 * 1152 * 10 / 441, facts.duration_ms.unwrap());
    assert!(found.abs_diff(exact) < exact / 100, "{found} {exact}");
}

#[test]
fn an_estimate_looks_at_both_ends() {
    let slow = [&[0xFF, 0xFB, 0x50, 0][..], &[0x55; 204]].concat();
    let body = [frames(2000), slow.repeat(2000)].concat();
    let facts = read_all(&body);
    let (exact, found) = (4000 * 1152 * 10 / 441, facts.duration_ms.unwrap());
    assert!(found.abs_diff(exact) < exact / 10, "{found} {exact}");
    assert_eq!(facts.warnings, ["duration-estimated"]);
}

#[test]
fn one_sync_alone_is_no_sound() {
    let mut noise = vec![7; 5000];
    noise[0..4].copy_from_slice(&HEADER);
    assert!(crate::facts(&Window::of(&noise), &MediaOptions::default()).is_none());
    // Nor are words of UTF-16, whose mark is a sync.
    let words: Vec<u8> = "\u{FEFF}[ti:雨]\n[00:01]y".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(crate::detect(&Window::of(&words), &MediaOptions::default()), Some(Format::Lrc));
    let words: Vec<u8> = "\u{FEFF}Spring".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(crate::detect(&Window::of(&words), &MediaOptions::default()), None);
    // Two frames that end the body are.
    assert_eq!(read_all(&frames(2)).frames, Some(2));
    // Bytes that are neither tag nor filling are passed over behind a tag only.
    let stray = [vec![7; 100], frames(10)].concat();
    assert!(crate::facts(&Window::of(&stray), &MediaOptions::default()).is_none());
    let tagged = [id3v2::tests::tag(3, 0, &[]), stray].concat();
    assert_eq!(read_all(&tagged).frames, Some(10));
}

#[test]
fn sound_behind_a_large_picture_is_found_at_the_end() {
    let picture = id3v2::tests::frame(3, b"APIC", 0, &vec![0xFF; 300 << 10]);
    let title = id3v2::tests::frame(3, b"TIT2", 0, b"\0two");
    let body = [id3v2::tests::tag(3, 0, &[title, picture].concat()), frames(2000)].concat();
    let facts = read_all(&body);
    assert_eq!((facts.title.as_deref(), facts.bitrate), (Some("two"), Some(128_000)));
    assert_eq!((facts.duration_ms, facts.frames), (Some(417 * 2000 * 8 / 128), None));
    assert_eq!(facts.warnings, ["tag-cut"]);
}
