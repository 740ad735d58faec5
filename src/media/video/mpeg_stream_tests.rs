use super::*;
use crate::MediaOptions;

const SEQUENCE: [u8; 12] = [0, 0, 1, 0xB3, 0x14, 0, 0xF0, 0x13, 0, 0, 0x20, 0];

fn written(mark: u8, time: u64) -> [u8; 5] {
    let [_, _, _, a, b] = [0, 0, 0, (time >> 15) as u16 & 0x7FFF, time as u16 & 0x7FFF]
        .map(|part| (part << 1 | 1).to_be_bytes());
    [mark << 4 | ((time >> 30) as u8 & 7) << 1 | 1, a[0], a[1], b[0], b[1]]
}

/// A packet of a stream as MPEG-2 has it.
fn packet(stream: u8, time: u64, data: &[u8]) -> Vec<u8> {
    [&[0, 0, 1, stream, 0, 0, 0x80, 0x80, 5][..], &written(2, time), data].concat()
}

/// A packet of a transport stream, filled before its data.
fn transported(stream: u16, data: &[u8]) -> Vec<u8> {
    let filled = PACKET - 4 - data.len();
    let mut packet = [&[0x47][..], &(stream | 0x4000).to_be_bytes()].concat();
    packet.push(if filled > 0 { 0x30 } else { 0x10 });
    if filled > 0 {
        packet.push(u8::try_from(filled - 1).unwrap());
        packet.extend(vec![0; filled - 1]);
    }
    packet.extend(data);
    packet
}

fn table(head: &[u8], entries: &[u8]) -> Vec<u8> {
    let length = u16::try_from(head.len() + entries.len() + 4).unwrap();
    [&[0, 0][..], &(0xB000 | length).to_be_bytes(), head, entries, &[0; 4]].concat()
}

#[test]
fn transport_streams_of_both_lengths() {
    let programs = table(&[0, 1, 0xC1, 0, 0], &[0, 1, 0xE1, 0]);
    let streams =
        table(&[0, 1, 0xC1, 0, 0, 0xE1, 1, 0xF0, 0], &[2, 0xE1, 1, 0xF0, 0, 0x0F, 0xE1, 2, 0xF0, 0]);
    // The clock starts anew between the first picture and the last.
    let begin = (1 << 33) - 90_000;
    let mut packets = vec![
        transported(0, &programs),
        transported(0x100, &streams),
        transported(0x101, &packet(0xE0, begin, &SEQUENCE)),
        transported(0x102, &packet(0xC0, begin, &[0xFF, 0xFB, 0x90, 0])),
    ];
    packets.extend(vec![transported(0x1FFF, &[]); 3000]);
    packets.push(transported(0x101, &packet(0xE0, 180_000, &[])));
    for before in [0, 4] {
        let body: Vec<u8> =
            packets.iter().flat_map(|packet| [vec![0; before], packet.clone()].concat()).collect();
        let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
        assert_eq!((facts.format, facts.duration_ms), (Format::Ts, Some(3000)), "{before}");
        assert_eq!((facts.width, facts.height), (Some(320), Some(240)));
        assert_eq!((facts.sample_rate, facts.channels), (Some(44_100), Some(2)));
        assert_eq!(facts.codecs, ["mpeg2", "aac"]);
    }
}

#[test]
fn program_streams_of_both_standards() {
    let older = |stream: u8, time: u64, data: &[u8]| {
        [&[0, 0, 1, stream, 0, 0, 0xFF, 0x60, 0][..], &written(2, time), data].concat()
    };
    for mark in [0x21, 0x44] {
        let packet = |stream: u8, time: u64, data: &[u8]| {
            if mark == 0x21 { older(stream, time, data) } else { packet(stream, time, data) }
        };
        let body = [
            vec![0, 0, 1, 0xBA, mark, 0, 1, 0, 1, 0x80, 1, 1],
            packet(0xE0, 45_000, &SEQUENCE),
            packet(0xC0, 46_000, &[0xFF, 0xFD, 0x80, 0]),
            vec![7; 600_000],
            packet(0xE0, 315_000, &[]),
        ]
        .concat();
        let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
        assert_eq!((facts.format, facts.duration_ms), (Format::Mpg, Some(3000)), "{mark:x}");
        assert_eq!((facts.width, facts.height, facts.sample_rate), (Some(320), Some(240), Some(44_100)));
    }
}

#[test]
fn what_is_no_stream() {
    let words = b"G".repeat(100);
    assert_eq!(transport(&words), None);
    assert!(!is_program(&[0, 0, 1, 0xBA, 0, 0]));
    assert!(!is_program(&[0, 0, 1, 0xB3, 0, 0, 0, 0, 0]));
    assert!(is_program(&SEQUENCE));
}
