//! MPEG transport and program streams: duration, codecs, size of pictures, rate and channels of MPEG sound.
//!
//! **Definition.** A transport stream has packets of 188 bytes (with four more before each on discs) that begin with 0x47 and
//! carry pieces of streams by number; a program stream has whole packets. A packet of a stream begins with 00 00 01 and
//! what it is of, and has its time, 33 bits at 90 kHz. Duration is from the first time in the window's head to the last in
//! its tail, of the stream where that is longest.
//!
//! **Cost.** One walk over the packets of head and tail.
//!
//! **Reference.** ISO/IEC 13818-1, 2.4 and 2.5; ISO/IEC 11172-1, 2.4; ISO/IEC 13818-2, 6.2.2.

use std::collections::BTreeMap;

use crate::Window;
use crate::bytes::{be16, be24, byte, first, from};
use crate::facts::{Format, MediaFacts};
use crate::sound::adts;
use crate::sound::mpeg_frame::FrameHeader;
use crate::video::h264;

/// Bytes of a packet of a transport stream.
const PACKET: usize = 188;

/// Streams that are looked at.
const MAX_STREAMS: usize = 64;

/// Packets that begin as those of a transport stream must, and their distance.
pub(crate) fn transport(head: &[u8]) -> Option<(usize, usize)> {
    [(0, PACKET), (4, PACKET + 4)].into_iter().find(|(begin, each)| {
        let marked = |index: usize| byte(head, begin + index * each) == Some(0x47);
        // Four of them, of which the first is not in error.
        (0..4).all(marked) && byte(head, begin + 1).is_some_and(|flags| flags & 0x80 == 0)
    })
}

/// Whether bytes begin as a program stream, or as pictures of MPEG-1 and MPEG-2 alone.
pub(crate) fn is_program(head: &[u8]) -> bool {
    let mark = |byte: u8| matches!(byte, 0x21..=0x2F | 0x44..=0x7F);
    match head {
        [0, 0, 1, 0xBA, next, ..] => mark(*next),
        [0, 0, 1, 0xB3, ..] => size(head).is_some(),
        _ => false,
    }
}

/// Times of a stream.
#[derive(Default)]
struct Times {
    first: Option<u64>,
    last: Option<u64>,
}

/// What is gathered of all streams.
#[derive(Default)]
struct Found {
    times: BTreeMap<u16, Times>,
    pictures: Option<(u32, u32)>,
    sound: Option<(u32, u16)>,
    codecs: Vec<&'static str>,
}

pub(crate) fn read(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let mut found = Found::default();
    match facts.format {
        Format::Ts => {
            let (begin, each) = transport(window.head())?;
            found.packets(from(window.head(), begin), each, false);
            let tail = window.tail();
            // Packets of the tail begin at the same distances from the start of the file.
            let before = (window.len() - tail.len() as u64) % each as u64;
            found.packets(from(tail, (begin + each - before as usize) % each), each, true);
        }
        _ => {
            found.program(window.head(), false);
            found.program(window.tail(), true);
        }
    }
    let (width, height) = found.pictures.unwrap_or_default();
    facts.size(width, height);
    if let Some((rate, channels)) = found.sound {
        (facts.sample_rate, facts.channels) = (Some(rate), Some(channels));
    }
    found.codecs.iter().for_each(|codec| facts.codec(*codec));
    let spans = found.times.values().filter_map(|times| {
        // The clock starts anew after 26 hours.
        Some(times.last?.wrapping_sub(times.first?) & ((1 << 33) - 1)).filter(|span| *span < 1 << 32)
    });
    facts.duration_ms = spans.max().map(|span| span / 90).filter(|&ms| ms > 0);
    facts.bitrate_of(window.len());
    Some(())
}

impl Found {
    /// Walks packets of a transport stream.
    fn packets(&mut self, bytes: &[u8], each: usize, is_tail: bool) {
        let mut tables = Vec::new();
        for packet in bytes.chunks(each).map(|packet| first(packet, PACKET)) {
            let (Some(0x47), Some(word), Some(flags)) = (byte(packet, 0), be16(packet, 1), byte(packet, 3))
            else {
                break;
            };
            let (stream, begins) = (word & 0x1FFF, word & 0x4000 != 0);
            let skipped = if flags & 0x20 != 0 { 1 + usize::from(byte(packet, 4).unwrap_or(0)) } else { 0 };
            if flags & 0x10 == 0 || !begins {
                continue;
            }
            let data = from(packet, 4 + skipped);
            if stream == 0 {
                tables = programs(data);
            } else if tables.contains(&stream) {
                self.table(data);
            } else if data.starts_with(&[0, 0, 1]) {
                self.packet(stream, data, is_tail);
            }
        }
    }

    /// Takes the codecs of a table of streams.
    fn table(&mut self, data: &[u8]) {
        // A pointer, then the table: its kind, length, program, version, number twice, clock, bytes of notes.
        let table = from(data, 1 + usize::from(byte(data, 0).unwrap_or(0)));
        let length = 3 + usize::from(be16(table, 1).unwrap_or(0) & 0xFFF);
        let mut rest = first(table, length.saturating_sub(4));
        rest = from(rest, 12 + usize::from(be16(table, 10).unwrap_or(0) & 0xFFF));
        while let (Some(kind), Some(notes)) = (byte(rest, 0), be16(rest, 3)) {
            let codec = match kind {
                0x01 => "mpeg1",
                0x02 => "mpeg2",
                0x03 | 0x04 => "mp2",
                0x0F | 0x11 => "aac",
                0x10 => "mpeg4",
                0x1B => "h264",
                0x24 => "hevc",
                0x81 => "ac3",
                0x82 => "dts",
                0x87 => "eac3",
                _ => "",
            };
            if !codec.is_empty() && !self.codecs.contains(&codec) {
                self.codecs.push(codec);
            }
            rest = from(rest, 5 + usize::from(notes & 0xFFF));
        }
    }

    /// Walks packets of a program stream, wherever they begin.
    fn program(&mut self, bytes: &[u8], is_tail: bool) {
        for at in memchr::memmem::find_iter(bytes, &[0, 0, 1]) {
            let packet = from(bytes, at);
            match byte(packet, 3) {
                Some(stream @ (0xBD | 0xC0..=0xEF)) => self.packet(stream.into(), packet, is_tail),
                Some(0xB3) if self.pictures.is_none() => self.pictures = size(packet),
                _ => {}
            }
        }
    }

    /// Takes what a packet of a stream begins with.
    fn packet(&mut self, stream: u16, packet: &[u8], is_tail: bool) {
        let Some((time, data)) = time_and_data(packet) else { return };
        if self.times.len() < MAX_STREAMS || self.times.contains_key(&stream) {
            let times = self.times.entry(stream).or_default();
            match time {
                Some(time) if is_tail => times.last = Some(times.last.map_or(time, |last| last.max(time))),
                Some(time) => times.first = Some(times.first.map_or(time, |first| first.min(time))),
                None => {}
            }
        }
        let kind = byte(packet, 3).unwrap_or(0);
        if self.pictures.is_none() && matches!(kind, 0xE0..=0xEF) {
            let data = first(data, 4096);
            let of_mpeg = memchr::memmem::find(data, &[0, 0, 1, 0xB3]).and_then(|at| size(from(data, at)));
            self.pictures = of_mpeg.or_else(|| h264::find(data));
        }
        if self.sound.is_none() && matches!(kind, 0xC0..=0xDF) {
            self.sound = FrameHeader::read(data)
                .map(|frame| (frame.sample_rate, frame.channels))
                .or_else(|| adts::head(data));
        }
    }
}

/// Numbers of the streams that have tables.
fn programs(data: &[u8]) -> Vec<u16> {
    let table = from(data, 1 + usize::from(byte(data, 0).unwrap_or(0)));
    let length = 3 + usize::from(be16(table, 1).unwrap_or(0) & 0xFFF);
    let entries = from(first(table, length.saturating_sub(4)), 8);
    entries.as_chunks::<4>().0.iter().filter_map(|entry| Some(be16(entry, 2)? & 0x1FFF)).collect()
}

/// The time of a packet of a stream, if it has one, and its data.
fn time_and_data(packet: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let lead = byte(packet, 6)?;
    if lead & 0xC0 == 0x80 {
        let has_time = byte(packet, 7)? & 0x80 != 0;
        let time = if has_time { time(from(packet, 9)) } else { None };
        return Some((time, from(packet, 9 + usize::from(byte(packet, 8)?))));
    }
    // MPEG-1: filling, the size of a buffer, then the time.
    let filling = from(packet, 6).iter().take(16).take_while(|b| **b == 0xFF).count();
    let mut rest = from(packet, 6 + filling);
    if byte(rest, 0)? & 0xC0 == 0x40 {
        rest = from(rest, 2);
    }
    match byte(rest, 0)? >> 4 {
        2 => Some((time(rest), from(rest, 5))),
        3 => Some((time(rest), from(rest, 10))),
        _ => (byte(rest, 0)? == 0x0F).then(|| (None, from(rest, 1))),
    }
}

/// A time of 33 bits among marks.
fn time(bytes: &[u8]) -> Option<u64> {
    let (high, middle, low) = (byte(bytes, 0)?, be16(bytes, 1)?, be16(bytes, 3)?);
    (high & 1 == 1 && middle & 1 == 1 && low & 1 == 1)
        .then_some(u64::from(high >> 1 & 7) << 30 | u64::from(middle >> 1) << 15 | u64::from(low >> 1))
}

/// Width and height of the header of a sequence, twelve bits each.
fn size(header: &[u8]) -> Option<(u32, u32)> {
    let sides = be24(header, 4)?;
    let (width, height) = (sides >> 12, sides & 0xFFF);
    // A form of pixels and a rate that are none rule out other bytes.
    let known =
        byte(header, 7).is_some_and(|forms| !matches!(forms >> 4, 0 | 15) && matches!(forms & 15, 1..=8));
    (known && width > 0 && height > 0).then_some((width, height))
}

#[cfg(test)]
#[path = "mpeg_stream_tests.rs"]
mod tests;
