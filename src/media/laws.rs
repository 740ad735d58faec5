//! What holds of any bytes.

use proptest::prelude::*;

use crate::image::jpeg::tests::jpeg;
use crate::image::png::tests::png;
use crate::sound::{id3v1, id3v2, mpeg};
use crate::video::mp4;
use crate::{Format, MediaOptions, Window, facts, lyrics};

/// Beginnings of every format, and some whole bodies.
fn heads() -> Vec<Vec<u8>> {
    let mut heads: Vec<Vec<u8>> = [
        &b"GIF89a\x40\x01\xC8\0\x80\0\0\x01\x02\x03\x04\x05\x06\x2C\0\0\0\0\0\0\0\0\0\x02\x01\0\0"[..],
        b"RIFF\x40\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\0\0\0\0\0\0ANMF\x10\0\0\0",
        b"RIFF\x40\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x40\x1F\0\0\0\x7D\0\0\x04\0\x10\0LIST\x10\0\0\0INFOINAM\x02\0\0\0ab",
        b"RIFF\x40\0\0\0AVI LIST\x40\0\0\0hdrlavih\x38\0\0\0",
        b"II*\0\x08\0\0\0\x02\0\0\x01\x03\0\x01\0\0\0\x05\0\0\0\x12\x01\x03\0\x01\0\0\0\x01\0\0\0\0\0\0\0",
        b"\0\0\0\x18ftypavif\0\0\0\0mif1avif\0\0\0\x40meta\0\0\0\0\0\0\0\x0Epitm\0\0\0\0\0\x01\0\0\0\x18iprp",
        b"\x1A\x45\xDF\xA3\x87\x42\x82\x84webm\x18\x53\x80\x67\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x15\x49\xA9\x66\x88\x44\x89\x84\x45\0\0\0",
        b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x1E\x01vorbis\0\0\0\0\x02\x44\xAC\0\0",
        b"fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0A\xC4\x42\xF0\0\0\0\0",
        b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\0\0\0\0\x16\0\0\0",
        b"BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0\x10\0\0\0\x10\0\0\0",
        b"<svg width='1in' viewBox='0 0 2 1'><title>a</title></svg>",
        b"[ti:a]\n[offset:9]\n[00:01.50][99:59]b",
    ]
    .map(<[u8]>::to_vec)
    .into();
    let tag = id3v2::tests::tag(4, 0x80, &id3v2::tests::frame(4, b"TIT2", 0x0B, b"\0\0\0\x09\x01a"));
    let block =
        [b"Exif\0\0II*\0\x08\0\0\0\x01\0\x69\x87\x04\0\x01\0\0\0\x08\0\0\0\0\0\0\0".as_slice()].concat();
    heads.push([tag, mpeg::tests::frames(4), id3v1::tests::tag([b"a"; 5], 1, 2)].concat());
    heads.push(jpeg(2, 3, &[(0xE1, &block)]));
    heads.push(png(2, 3, &[(b"acTL", &[0; 8]), (b"zTXt", b"Title\0\0x")]));
    heads.push(mp4::tests::file(b"isom", &[]));
    heads
}

fn bounded(head: &[u8], tail: &[u8], len: u64) {
    let options = MediaOptions { gps: true, tld: Some(b"cn") };
    let Some(found) = facts(&Window::new(head, tail, len), &options) else { return };
    for field in [
        &found.title,
        &found.artist,
        &found.album,
        &found.genre,
        &found.comment,
        &found.created,
        &found.camera,
    ]
    .into_iter()
    .flatten()
    {
        assert!(field.len() <= crate::text::MAX_FIELD && !field.trim().is_empty());
    }
    assert!(found.lyrics.is_none_or(|lyrics| lyrics.len() <= crate::text::MAX_LYRICS));
    assert_eq!(found.width.is_some(), found.height.is_some());
}

#[test]
fn heads_are_of_every_format() {
    let known: Vec<Format> = heads()
        .iter()
        .map(|head| facts(&Window::of(head), &MediaOptions::default()).unwrap().format)
        .collect();
    for format in [
        Format::Png,
        Format::Jpeg,
        Format::Tiff,
        Format::Avif,
        Format::Webm,
        Format::Mp3,
        Format::Mp4,
        Format::Svg,
        Format::Lrc,
        Format::Ico,
    ] {
        assert!(known.contains(&format), "{format:?}");
    }
    assert_eq!(known.len(), 17);
}

#[test]
fn heads_may_end_anywhere() {
    for head in heads() {
        for end in 0..=head.len() {
            bounded(&head[..end], &head[end / 2..end], 1 << 40);
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(head in prop::collection::vec(any::<u8>(), 0..400), tail in prop::collection::vec(any::<u8>(), 0..300), len in any::<u64>()) {
        bounded(&head, &tail, len);
    }

    #[test]
    fn no_changed_head_panics(which in any::<prop::sample::Index>(), changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![Just(0), Just(0xFF), Just(0x7F), Just(0x80), any::<u8>()]), 0..12), more in prop::collection::vec(any::<u8>(), 0..64), len in 0_u64..1 << 42) {
        let all = heads();
        let mut head = which.get(&all).clone();
        head.extend(more);
        for (at, value) in changes {
            let at = at.index(head.len());
            head[at] = value;
        }
        bounded(&head, &head, 0);
        bounded(&head, &head, len);
    }

    #[test]
    fn lyrics_are_sorted_and_read_again(text in "(\\[[0-9]{1,2}:[0-5][0-9](\\.[0-9]{1,3})?\\]){0,3}[a-c<\\[ \\]\n]{0,9}(\n\\[[0-9]{2}:[0-5][0-9]\\]x)*") {
        if let Some(found) = lyrics(&text) {
            prop_assert!(found.lines.is_sorted_by_key(|line| line.at_ms));
            let again = lyrics(&found.written()).unwrap_or_default();
            prop_assert_eq!(again.lines.len(), found.lines.len());
        }
    }
}
