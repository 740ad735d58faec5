use super::*;
use crate::sound::vorbis::tests::comments;

fn page(stream: u32, granule: u64, packets: &[&[u8]]) -> Vec<u8> {
    let mut segments = Vec::new();
    for packet in packets {
        segments.extend(vec![255; packet.len() / 255]);
        segments.push(u8::try_from(packet.len() % 255).unwrap());
    }
    let header = [
        b"OggS\0\0",
        &granule.to_le_bytes()[..],
        &stream.to_le_bytes(),
        &[0; 8],
        &[u8::try_from(segments.len()).unwrap()],
    ];
    [header.concat(), segments, packets.concat()].concat()
}

fn vorbis_head(rate: u32) -> Vec<u8> {
    [b"\x01vorbis\0\0\0\0\x02", &rate.to_le_bytes()[..], &[0; 14]].concat()
}

fn read_all(body: &[u8]) -> MediaFacts {
    crate::facts(&Window::of(body), &MediaOptions::default()).unwrap()
}

#[test]
fn vorbis_and_opus() {
    let opus_head =
        [b"OpusHead\x01\x01", &312_u16.to_le_bytes()[..], &44_100_u32.to_le_bytes(), &[0; 3]].concat();
    let notes = comments(&["TITLE=雨", "ARTIST=A"]);
    for (head, mark, format, end, rate, channels) in [
        (vorbis_head(44_100), &b"\x03vorbis"[..], Format::Ogg, 441_000, 44_100, 2),
        (opus_head, b"OpusTags", Format::Opus, 480_312, 48_000, 1),
    ] {
        let body = [
            page(9, 0, &[&head]),
            page(9, 0, &[&[mark, &notes].concat(), b"setup"]),
            vec![0; 500_000],
            page(9, 1, &[b"a"]),
            page(9, end, &[b"b"]),
            page(9, u64::MAX, &[b"c"]),
        ]
        .concat();
        let facts = read_all(&body);
        assert_eq!((facts.format, facts.kind, facts.duration_ms), (format, MediaKind::Audio, Some(10_000)));
        assert_eq!((facts.sample_rate, facts.channels), (Some(rate), Some(channels)));
        assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("雨"), Some("A")));
    }
}

#[test]
fn comments_may_span_pages() {
    let packet = [b"\x03vorbis".to_vec(), comments(&["x=y", &format!("TITLE={}", "a".repeat(600))])].concat();
    let (first, second) = packet.split_at(255);
    let mut begun = page(9, u64::MAX, &[first]);
    // Without the last segment, of no bytes, the packet goes on.
    begun[26] = 1;
    begun.remove(28);
    let body = [page(9, 0, &[&vorbis_head(8000)]), begun, page(9, 8000, &[second])].concat();
    let facts = read_all(&body);
    assert_eq!((facts.title.map(|title| title.len()), facts.duration_ms), (Some(600), Some(1000)));
}

#[test]
fn theora_is_video() {
    let mut head = b"\x80theora\x03\x02\x01".to_vec();
    head.extend([0, 20, 0, 15, 0, 1, 64, 0, 0, 240, 0, 0]);
    head.extend([25_u32.to_be_bytes(), 1_u32.to_be_bytes()].concat());
    head.extend([0; 10]);
    head.extend((6_u16 << 5).to_be_bytes());
    let notes = [b"\x81theora".to_vec(), comments(&["TITLE=film"])].concat();
    let body = [
        page(1, 0, &[&head]),
        page(2, 0, &[&vorbis_head(48_000)]),
        page(1, 0, &[&notes]),
        page(2, 0, &[b"\x03vorbis"]),
        page(2, 48_000, &[b"a"]),
        page(1, 70 << 6 | 30, &[b"b"]),
    ]
    .concat();
    let facts = read_all(&body);
    assert_eq!((facts.kind, facts.width, facts.height), (MediaKind::Video, Some(320), Some(240)));
    assert_eq!((facts.duration_ms, facts.title.as_deref()), (Some(4000), Some("film")));
    assert_eq!(facts.codecs, ["theora", "vorbis"]);
}

#[test]
fn vp8_is_video() {
    let head = [
        &b"OVP80\x01\x01\0"[..],
        &[1, 64, 0, 240, 0, 0, 1, 0, 0, 1],
        &25_u32.to_be_bytes(),
        &1_u32.to_be_bytes(),
    ]
    .concat();
    let body = [
        page(1, 0, &[&head]),
        page(1, 0, &[&[&b"OVP80\x02 "[..], &comments(&["TITLE=film"])].concat()]),
        page(1, 100 << 32 | 7 << 3, &[b"a"]),
    ]
    .concat();
    let facts = read_all(&body);
    assert_eq!((facts.kind, facts.width, facts.height), (MediaKind::Video, Some(320), Some(240)));
    assert_eq!((facts.duration_ms, facts.title.as_deref()), (Some(4000), Some("film")));
}

#[test]
fn a_large_picture_is_no_sound() {
    let packet = [b"\x03vorbis".to_vec(), comments(&["TITLE=a", &"b".repeat(600_000)])].concat();
    // As many pages as the comments take, without an end in any but the last.
    let mut body = page(9, 0, &[&vorbis_head(8000)]);
    for part in packet.chunks(254 * 255) {
        let mut begun = page(9, u64::MAX, &[part]);
        if part.len() == 254 * 255 {
            begun[26] = 254;
            begun.remove(27 + 254);
        }
        body.extend(begun);
    }
    (1..=100).for_each(|second| body.extend(page(9, 8000 * second, &[&[0; 1000]])));
    let facts = read_all(&body);
    assert_eq!((facts.title.as_deref(), facts.duration_ms), (Some("a"), Some(100_000)));
    assert_eq!((facts.bitrate, facts.warnings), (Some((1000 + 27 + 4) * 8), vec!["tag-cut".into()]));
}
