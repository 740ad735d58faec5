//! MIDI: duration, title.
//!
//! **Definition.** A header says how many tracks follow and how many ticks a quarter note has (or a second, by the frames of
//! film). Tracks are events behind their distances in ticks; those of the tempo say how many microseconds a quarter
//! note takes from there on, 500,000 at first. Duration is the time of the last event. The title is the name of the first
//! track.
//!
//! **Cost.** Linear in the window, and one sort of the tempos.
//!
//! **Bad input.** A track that breaks the rules ends there; at most 4,096 tempos count.
//!
//! **Reference.** MIDI Manufacturers Association, Standard MIDI Files 1.0, 1996.

use crate::bytes::{be16, be24, be32, byte, first, from};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::{Window, text};

/// Tracks that are looked at.
const MAX_TRACKS: usize = 256;

/// Tempos that count.
const MAX_TEMPOS: usize = 4096;

/// What the tracks say together.
#[derive(Default)]
struct Song<'a> {
    /// Tick of the last event.
    end: u64,
    /// Microseconds of a quarter note from a tick on.
    tempos: Vec<(u64, u32)>,
    name: Option<&'a [u8]>,
}

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    let division = be16(head, 12)?;
    let mut song = Song::default();
    let mut rest = from(head, 8 + be32(head, 4)? as usize);
    for _ in 0..MAX_TRACKS {
        let (Some(kind), Some(length)) = (rest.get(..4), be32(rest, 4)) else { break };
        if kind == b"MTrk" {
            let _ = song.track(first(from(rest, 8), length as usize));
        }
        rest = from(from(rest, 8), length as usize);
    }
    if let Some(name) = song.name {
        facts::set(&mut facts.title, &text::utf8(first(name, text::MAX_FIELD), options.tld));
    }
    if !window.is_whole() {
        facts.warn("duration-out-of-reach");
        return Some(());
    }
    facts.duration_ms = song.milliseconds(division).filter(|&ms| ms > 0);
    Some(())
}

impl<'a> Song<'a> {
    /// Walks the events of a track.
    fn track(&mut self, events: &'a [u8]) -> Option<()> {
        let (mut at, mut tick, mut status) = (0, 0_u64, 0);
        while at < events.len() {
            tick = tick.saturating_add(number(events, &mut at)?.into());
            let lead = byte(events, at)?;
            // An event of the same kind as the last leaves its first byte out.
            if lead & 0x80 != 0 {
                at += 1;
                status = lead;
            }
            match status {
                0xFF => {
                    let kind = byte(events, at)?;
                    at += 1;
                    let length = number(events, &mut at)? as usize;
                    let data = first(from(events, at), length);
                    match kind {
                        0x51 if self.tempos.len() < MAX_TEMPOS => {
                            self.tempos.extend(be24(data, 0).map(|us| (tick, us)))
                        }
                        0x03 if self.name.is_none() && !data.is_empty() => self.name = Some(data),
                        _ => {}
                    }
                    at = at.saturating_add(length);
                    if kind == 0x2F {
                        self.end = self.end.max(tick);
                        return Some(());
                    }
                }
                0xF0 | 0xF7 => at = (number(events, &mut at)? as usize).saturating_add(at),
                0xC0..=0xDF => at += 1,
                0x80..=0xEF => at += 2,
                _ => return None,
            }
            self.end = self.end.max(tick);
        }
        Some(())
    }

    fn milliseconds(&mut self, division: u16) -> Option<u64> {
        if division & 0x8000 != 0 {
            // Frames a second, negative, and ticks of a frame.
            let frames = u64::from((division >> 8) as u8 ^ 0xFF) + 1;
            return crate::bytes::scaled(self.end, 1000, frames * u64::from(division & 0xFF));
        }
        self.tempos.sort_by_key(|(tick, _)| *tick);
        let (mut tick, mut tempo, mut ticked) = (0, 500_000, 0_u128);
        for &(from, us) in self.tempos.iter().chain([&(self.end, 0)]) {
            let until = from.min(self.end);
            ticked += u128::from(until - tick) * u128::from(tempo);
            (tick, tempo) = (until, us);
        }
        u64::try_from(ticked.checked_div(u128::from(division))? / 1000).ok()
    }
}

/// A number of at most four bytes with seven bits each, of which the highest says that more follow.
fn number(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let mut value = 0;
    for _ in 0..4 {
        let b = byte(bytes, *at)?;
        *at += 1;
        value = value << 7 | u32::from(b & 0x7F);
        if b & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    fn song(division: u16, tracks: &[&[u8]]) -> Vec<u8> {
        let mut song = [&b"MThd\0\0\0\x06\0\x01\0\x02"[..], &division.to_be_bytes()].concat();
        for track in tracks {
            song.extend([b"MTrk", &u32::try_from(track.len()).unwrap().to_be_bytes()[..], track].concat());
        }
        song
    }

    #[test]
    fn tempos_count_for_every_track() {
        // Half a second a quarter note, after two of them one second.
        let tempos = b"\0\xFF\x03\x04Rain\x87\x40\xFF\x51\x03\x0F\x42\x40\0\xFF\x2F\0";
        // Notes with their kind once, one of 480 ticks and one that ends at 1,920.
        let notes = b"\0\x90\x3C\x40\x83\x60\x3C\0\x8B\x20\xC0\x05\0\xF0\x02\x01\xF7\0\xFF\x2F\0";
        for (division, expected) in [(480, Some(3000)), (0xE728, Some(1920)), (0, None)] {
            let facts =
                crate::facts(&Window::of(&song(division, &[tempos, notes])), &MediaOptions::default())
                    .unwrap();
            assert_eq!((facts.format, facts.title.as_deref()), (Format::Mid, Some("Rain")));
            assert_eq!(facts.duration_ms, expected, "{division:x}");
        }
    }
}
