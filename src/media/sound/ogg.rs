//! Ogg: Vorbis, Opus, FLAC, Speex, Theora, VP8.
//!
//! **Definition.** A page is `OggS`, version, flags, place in the stream 64 bits ("granule"), stream, number, checksum, lengths
//! of its segments, and these. A segment shorter than 255 bytes ends a packet. The first packet of a stream names its
//! codec, the second has its comments.
//!
//! **Algorithm.** Pages are walked until the streams' second packets are there; the duration is that of the last page of a
//! stream in the window's tail.
//!
//! **Bad input.** At most 4,096 pages, 8 streams and 256 KiB a packet are looked at.
//!
//! **Reference.** RFC 3533; RFC 7845 (Opus); Xiph.Org, Vorbis I and Theora.

use std::collections::BTreeMap;

use crate::bytes::{be16, be24, be32, byte, first, from, le16, le32, le64, scaled};
use crate::facts::{Format, MediaFacts, MediaKind, MediaOptions};
use crate::sound::{flac, vorbis};
use crate::{Window, text};

/// Pages that are looked at, at the start and at the end.
const MAX_PAGES: usize = 4096;

/// Streams that are looked at.
const MAX_STREAMS: usize = 8;

/// Bytes of a page before the lengths of its segments.
const HEADER: usize = 27;

struct Page<'a> {
    granule: u64,
    stream: u32,
    segments: &'a [u8],
    data: &'a [u8],
}

impl<'a> Page<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        bytes.starts_with(b"OggS\0").then_some(())?;
        let segments = first(from(bytes, HEADER), byte(bytes, 26)?.into());
        let length = segments.iter().map(|&length| usize::from(length)).sum();
        let data = first(from(bytes, HEADER + segments.len()), length);
        Some(Page { granule: le64(bytes, 6)?, stream: le32(bytes, 14)?, segments, data })
    }

    fn length(&self) -> usize {
        HEADER + self.segments.len() + self.segments.iter().map(|&length| usize::from(length)).sum::<usize>()
    }
}

/// The first packets of a stream.
#[derive(Default)]
struct Stream {
    packets: Vec<Vec<u8>>,
    open: Vec<u8>,
}

impl Stream {
    fn add(&mut self, page: &Page<'_>) {
        let mut data = page.data;
        for &length in page.segments {
            if self.packets.len() >= 2 {
                return;
            }
            let room = text::MAX_LYRICS.saturating_sub(self.open.len());
            self.open.extend(first(data, usize::from(length).min(room)));
            data = from(data, length.into());
            if length < 255 {
                self.packets.push(std::mem::take(&mut self.open));
            }
        }
    }

    fn packet(&self, index: usize) -> &[u8] {
        // The comments may be longer than what is known of them.
        self.packets
            .get(index)
            .map_or(if self.packets.len() == index { &self.open } else { &[] }, Vec::as_slice)
    }
}

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let (order, streams, behind) = streams(window);
    let clocks: Vec<(u32, Clock)> =
        order.iter().filter_map(|id| Some((*id, codec(streams.get(id)?.packet(0), facts)?))).collect();
    for (id, clock) in &clocks {
        let comments = streams.get(id).map(|stream| stream.packet(1)).unwrap_or_default();
        let comments = comments.get(clock.before_comments..).unwrap_or_default();
        let _ = vorbis::take(comments, options, facts);
    }
    let tail = window.tail();
    let mut ends = BTreeMap::new();
    for at in memchr::memmem::rfind_iter(tail, b"OggS").take(MAX_PAGES) {
        if let Some(page) = Page::read(from(tail, at))
            && page.granule != u64::MAX
        {
            ends.entry(page.stream).or_insert(page.granule);
        }
        if clocks.iter().all(|(id, _)| ends.contains_key(id)) {
            break;
        }
    }
    facts.duration_ms =
        clocks.iter().filter_map(|(id, clock)| clock.milliseconds(*ends.get(id)?)).max().filter(|&ms| ms > 0);
    // Comments with a picture may be longer than the sound.
    match behind {
        _ if facts.kind == MediaKind::Video => facts.bitrate_of(window.len()),
        Some(behind) => facts.bitrate_of(window.len().saturating_sub(behind as u64)),
        None => {
            facts.warn("tag-cut");
            facts.bitrate = clocks.first().and_then(|(id, clock)| rate_of_tail(tail, *id, clock));
        }
    }
    (!clocks.is_empty()).then_some(())
}

/// Bits a second between the first and the last page of a stream in the tail.
fn rate_of_tail(tail: &[u8], stream: u32, clock: &Clock) -> Option<u32> {
    let mut pages = memchr::memmem::find_iter(tail, b"OggS").take(MAX_PAGES).filter_map(|at| {
        let page = Page::read(from(tail, at))?;
        (page.stream == stream && page.granule != u64::MAX).then_some((at, page.granule))
    });
    let ms = |granule| clock.milliseconds(granule);
    let (first, begin) = pages.next()?;
    let (last, end) = pages.last()?;
    let rate = scaled((last - first) as u64, 8000, ms(end)?.checked_sub(ms(begin)?)?)?;
    u32::try_from(rate).ok().filter(|&rate| rate > 0)
}

/// Streams in order of appearance, with their first packets, and where these end: not known where the comments do not end
/// in the window's head.
fn streams(window: &Window<'_>) -> (Vec<u32>, BTreeMap<u32, Stream>, Option<usize>) {
    let (mut order, mut streams) = (Vec::new(), BTreeMap::<u32, Stream>::new());
    let head = window.head();
    let (mut bytes, mut behind) = (head, None);
    for _ in 0..MAX_PAGES {
        let Some(page) = Page::read(bytes) else { break };
        if streams.len() < MAX_STREAMS || streams.contains_key(&page.stream) {
            streams
                .entry(page.stream)
                .or_insert_with(|| {
                    order.push(page.stream);
                    Stream::default()
                })
                .add(&page);
        }
        bytes = from(bytes, page.length());
        if streams.values().all(|stream| stream.packets.len() >= 2) {
            behind = Some(head.len() - bytes.len());
            break;
        }
    }
    (order, streams, behind.or(window.is_whole().then_some(0)))
}

/// How a stream's places are times, and where its comments begin.
struct Clock {
    /// Samples or pictures …
    units: u64,
    /// … in so many seconds.
    seconds: u64,
    /// Samples before the first that is heard.
    skipped: u64,
    /// Bits of a place that count from the last whole picture.
    shift: u32,
    /// Lowest bits of a place that are no time.
    high: u32,
    before_comments: usize,
}

impl Clock {
    fn of_sound(rate: u32, before_comments: usize) -> Self {
        Clock { units: rate.into(), seconds: 1, skipped: 0, shift: 0, high: 0, before_comments }
    }

    fn of_pictures(units: u64, seconds: u64, shift: u32, before_comments: usize) -> Self {
        Clock { units, seconds, skipped: 0, shift, high: 0, before_comments }
    }

    fn milliseconds(&self, granule: u64) -> Option<u64> {
        let place = if self.shift == 0 {
            granule >> self.high
        } else {
            (granule >> self.shift) + (granule & ((1 << self.shift) - 1))
        };
        scaled(place.saturating_sub(self.skipped), self.seconds.checked_mul(1000)?, self.units)
    }
}

/// Takes what the first packet of a stream says; `None` for a codec that is not known.
fn codec(packet: &[u8], facts: &mut MediaFacts) -> Option<Clock> {
    let sound = |facts: &mut MediaFacts, codec: &'static str, rate: u32, channels: u16| {
        facts.codec(codec);
        facts.sample_rate = facts.sample_rate.or(Some(rate).filter(|&rate| rate > 0));
        facts.channels = facts.channels.or(Some(channels).filter(|&channels| channels > 0));
    };
    if packet.starts_with(b"\x01vorbis") {
        let rate = le32(packet, 12)?;
        sound(facts, "vorbis", rate, byte(packet, 11)?.into());
        Some(Clock::of_sound(rate, 7))
    } else if packet.starts_with(b"OpusHead") {
        sound(facts, "opus", 48_000, byte(packet, 9)?.into());
        Some(Clock { skipped: le16(packet, 10)?.into(), ..Clock::of_sound(48_000, 8) })
    } else if packet.starts_with(b"Speex   ") {
        let rate = le32(packet, 36)?;
        sound(facts, "speex", rate, u16::try_from(le32(packet, 48)?).ok()?);
        Some(Clock::of_sound(rate, 0))
    } else if packet.starts_with(b"\x7FFLAC") {
        flac::stream_info(packet.get(17..)?, facts)?;
        Some(Clock::of_sound(facts.sample_rate?, 4))
    } else if packet.starts_with(b"\x80theora") {
        facts.codec("theora");
        (facts.kind, facts.format) = (MediaKind::Video, Format::Ogg);
        facts.size(be24(packet, 14)?, be24(packet, 17)?);
        let rate = |at| be32(packet, at).map(u64::from);
        // Six bits of quality, then five of the shift.
        let shift = u32::from(be16(packet, 40)? >> 5 & 0x1F);
        Some(Clock::of_pictures(rate(22)?, rate(26)?, shift, 7))
    } else if packet.starts_with(b"OVP80\x01") {
        facts.codec("vp8");
        (facts.kind, facts.format) = (MediaKind::Video, Format::Ogg);
        facts.size(be16(packet, 8)?.into(), be16(packet, 10)?.into());
        let rate = |at| be32(packet, at).map(u64::from);
        Some(Clock { high: 32, ..Clock::of_pictures(rate(18)?, rate(22)?, 0, 7) })
    } else {
        None
    }
}

/// Whether the first stream is Opus.
pub(crate) fn is_opus(head: &[u8]) -> bool {
    Page::read(head).is_some_and(|page| page.data.starts_with(b"OpusHead"))
}

#[cfg(test)]
#[path = "ogg_tests.rs"]
mod tests;
