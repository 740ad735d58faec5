//! MPEG audio: layers I to III of MPEG-1, 2 and 2.5, with the tags before and behind.
//!
//! **Definition.** Duration is frames · samples of a frame / sampling rate, where the first frame has a count of frames
//! (`Xing`, `Info`, `VBRI`) or all of them are in the window; else bytes without tags · 8 / bit rate, that being the mean of the
//! frames in the window, with the warning `duration-estimated` where these differ. Of tags, ID3v2 wins over APEv2 and
//! that over ID3v1, field by field.
//!
//! **Algorithm.** A stream begins where three headers of one stream follow each other at the distances that they say; two
//! or one are enough where the sound ends with them.
//!
//! **Cost.** Linear in the window: each header is read at most three times.

use crate::bytes::{first, from, scaled};
use crate::facts::{MediaFacts, MediaOptions};
use crate::sound::mpeg_frame::FrameHeader;
use crate::sound::{adts, ape, id3v1, id3v2, lossless};
use crate::{Format, Window};

/// ID3v2 tags in a row that are read.
const MAX_TAGS: usize = 4;

/// Bytes between tag and sound that are passed over.
const MAX_GAP: usize = 64 << 10;

/// What stands before and behind the sound.
pub(crate) struct Tags {
    /// Where the sound begins.
    pub(crate) begin: u64,
    /// Where it ends.
    pub(crate) end: u64,
    /// What tags say; their duration is that of `TLEN`.
    pub(crate) facts: MediaFacts,
}

impl Tags {
    /// Reads the tags of a body.
    pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>) -> Self {
        let mut facts = MediaFacts::new(Format::Mp3);
        let (mut begin, mut end) = (0, window.len());
        for _ in 0..MAX_TAGS {
            let Some(length) = id3v2::length(window, begin) else { break };
            let _ = id3v2::take(window, begin, options, &mut facts);
            begin = begin.saturating_add(length).min(window.len());
        }
        let v1 = id3v1::find(window);
        end -= v1.map_or(0, |tag| tag.len() as u64);
        if let Some(length) = ape::length(window, end) {
            let _ = ape::take(window, end, options, &mut facts);
            end = end.saturating_sub(length);
        }
        if let Some(length) = id3v2::length_at_end(window, end).filter(|length| *length <= end) {
            end -= length;
            let _ = id3v2::take(window, end, options, &mut facts);
        }
        if let Some(tag) = v1 {
            let _ = id3v1::take(tag, options, &mut facts);
        }
        Tags { begin, end: end.max(begin), facts }
    }
}

/// Reads the frames between tags, whatever is behind these: MPEG audio, ADTS, FLAC.
pub(crate) fn read(window: &Window<'_>, tags: Tags, facts: &mut MediaFacts) -> Option<()> {
    let fallback = tags.facts.duration_ms;
    let found = find(window, tags.begin, tags.end);
    facts.fill_from(tags.facts);
    let Some((begin, header)) = found else {
        facts.warn("no-frames");
        facts.duration_ms = fallback;
        return Some(());
    };
    facts.format = match header.layer {
        1 => Format::Mp1,
        2 => Format::Mp2,
        _ => Format::Mp3,
    };
    facts.codec(facts.format.name());
    (facts.sample_rate, facts.channels) = (Some(header.sample_rate), Some(header.channels));
    // Frames further on are some of the tail; the sound begins before them.
    let from_begin = begin - tags.begin <= MAX_GAP as u64;
    let length = tags.end - if from_begin { begin } else { tags.begin };
    let in_ms = |frames: u64| scaled(frames * u64::from(header.samples()), 1000, header.sample_rate.into());
    let counts = header.counts(first(window.at(begin), header.bytes()));
    if let Some(frames) = counts.and_then(|counts| counts.frames).filter(|&frames| frames > 0) {
        facts.frames = Some(frames.into());
        facts.duration_ms = in_ms(frames.into());
        // A count of more bytes than there are is of another file, or of more than was fetched.
        let bytes = counts.and_then(|counts| counts.bytes).map_or(length, u64::from);
        facts.bitrate_of(bytes);
        return Some(());
    }
    let mut run = Run::of(window, begin, tags.end, &header);
    if run.to_the_end && from_begin {
        facts.frames = Some(run.frames);
        facts.duration_ms = in_ms(run.frames);
    }
    if !run.to_the_end {
        run.add_tail(window, tags.end, &header);
    }
    let mean = run.bits.checked_div(run.frames).unwrap_or(0);
    if facts.duration_ms.is_none() {
        facts.duration_ms = scaled(length, 8000, mean);
        if run.varies {
            facts.warn("duration-estimated");
        }
    }
    facts.bitrate = u32::try_from(mean).ok();
    Some(())
}

/// Frames that follow each other from a place on, as far as they are seen.
struct Run {
    frames: u64,
    /// Sum of their bit rates.
    bits: u64,
    varies: bool,
    /// Whether the last of them ends with the sound, or is cut off there.
    to_the_end: bool,
}

impl Run {
    fn of(window: &Window<'_>, begin: u64, end: u64, header: &FrameHeader) -> Self {
        let sound = first(window.at(begin), usize::try_from(end.saturating_sub(begin)).unwrap_or(usize::MAX));
        let whole = begin + sound.len() as u64 == end;
        let mut run = Run { frames: 0, bits: 0, varies: false, to_the_end: whole };
        let mut at = 0;
        while let Some(frame) = FrameHeader::read(from(sound, at)).filter(|frame| frame.goes_with(header)) {
            run.frames += 1;
            run.bits += u64::from(frame.bitrate);
            run.varies |= frame.bitrate != header.bitrate;
            at += frame.bytes().max(4);
        }
        run.to_the_end &= sound.len().saturating_sub(at) < MAX_REST;
        run
    }

    /// Adds what the window's tail has of the same sound, so that the mean is of both ends.
    fn add_tail(&mut self, window: &Window<'_>, end: u64, header: &FrameHeader) {
        let begin = window.len() - window.tail().len() as u64;
        let tail = first(window.tail(), usize::try_from(end.saturating_sub(begin)).unwrap_or(usize::MAX));
        if let Some((offset, found)) = sync(tail, false).filter(|(_, found)| found.goes_with(header)) {
            let last = Run::of(window, begin + offset as u64, end, &found);
            self.frames += last.frames;
            self.bits += last.bits;
            self.varies |= last.varies || found.bitrate != header.bitrate;
        }
    }
}

/// Bytes behind the last frame that are no frame: tags of other kinds, filling.
const MAX_REST: usize = 2048;

/// Whether a body begins as MPEG audio or ADTS frames do, or has tags and such frames: the format of the frames.
pub(crate) fn detect(window: &Window<'_>, tags: &Tags) -> Option<Format> {
    let tagged = tags.begin > 0 || tags.end < window.len();
    let sound = window.at(tags.begin);
    let filling = sound.iter().take(MAX_GAP).take_while(|b| **b == 0).count();
    if from(sound, filling).starts_with(b"fLaC") {
        return Some(Format::Flac);
    }
    if let Some(format) = lossless::format(sound) {
        return Some(format);
    }
    if adts::find(from(sound, filling)) == Some(0) {
        return Some(Format::Aac);
    }
    let (begin, header) = find(window, tags.begin, tags.end)?;
    let near = begin.saturating_sub(tags.begin) == filling as u64;
    (near || tagged).then_some(match header.layer {
        1 => Format::Mp1,
        2 => Format::Mp2,
        _ => Format::Mp3,
    })
}

/// Where frames begin; where the start of the sound is beyond the window (behind a large picture), some of its tail.
fn find(window: &Window<'_>, begin: u64, end: u64) -> Option<(u64, FrameHeader)> {
    let within = |at: u64| {
        let sound = first(window.at(at), usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX));
        let ends = at.saturating_add(sound.len() as u64) == end;
        sync(sound, ends).map(|(offset, header)| (at + offset as u64, header))
    };
    if !window.at(begin).is_empty() {
        return within(begin);
    }
    within(window.len() - window.tail().len() as u64).filter(|(at, _)| *at >= begin)
}

/// The first place of three headers in a row.
fn sync(sound: &[u8], ends: bool) -> Option<(usize, FrameHeader)> {
    memchr::memchr_iter(0xFF, first(sound, MAX_GAP)).find_map(|at| {
        let header = FrameHeader::read(from(sound, at))?;
        let mut next = at;
        for _ in 0..3 {
            let rest = from(sound, next);
            // One that is all there counts alone; a last one that is cut off only where one stood before it.
            let (alone, cut) = (next == sound.len() && next > at, next > at + header.bytes());
            if ends && alone || rest.len() < 4 && cut {
                break;
            }
            next += FrameHeader::read(rest).filter(|frame| frame.goes_with(&header))?.bytes();
        }
        Some((at, header))
    })
}

#[cfg(test)]
#[path = "mpeg_tests.rs"]
pub(crate) mod tests;
