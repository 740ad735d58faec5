//! ID3v2.2, 2.3 and 2.4: frames of text before sound.
//!
//! **Definition.** `ID3`, version, revision, flags, and four times seven bits of length, without these ten bytes. Frames
//! follow: id, length, flags (three letters, 24 bits and none in 2.2), data. Lengths of 2.4 have seven bits a byte; those of
//! writers that did not know it have eight, and are told by the frame that must follow.
//!
//! **Algorithm.** Frames that are wanted are undone of what was done to them (unsynchronisation, grouping, compression);
//! encrypted ones are passed over. Texts whose charset is "Latin-1" are detected, all of the tag together.
//!
//! **Bad input.** At most 4,096 frames; frames inflate to 320 KiB together at most; what reaches beyond the window is left out, with
//! the warning `tag-cut`.
//!
//! **Reference.** M. Nilsson, ID3 tag version 2.3.0, 1999; 2.4.0 main structure and native frames, 2000.

use std::borrow::Cow;

use crate::bytes::{be16, be24, be32, byte, first, from};
use crate::facts::MediaFacts;
use crate::{MediaOptions, Window, inflate};

mod frames;

/// Bytes of a header or footer.
const HEADER: u64 = 10;

/// Frames that are looked at.
const MAX_FRAMES: usize = 4096;

/// Bytes that the frames of a tag may inflate to together.
const MAX_INFLATED: usize = 320 << 10;

/// Four times seven bits.
///
/// The higher bit of a byte is left out, as readers do that meet it.
pub(crate) fn seven_bits(bytes: &[u8], at: usize) -> Option<u32> {
    let [a, b, c, d] = be32(bytes, at)?.to_be_bytes().map(|byte| u32::from(byte & 0x7F));
    Some(a << 21 | b << 14 | c << 7 | d)
}

/// Bytes of the tag that begins at a place, its header and footer among them; `None` for none.
pub(crate) fn length(window: &Window<'_>, at: u64) -> Option<u64> {
    let header = window.part(at, HEADER);
    let known =
        header.starts_with(b"ID3") && (2..=4).contains(&byte(header, 3)?) && header.get(6..10)?.is_ascii();
    let footer = if byte(header, 3)? == 4 && byte(header, 5)? & 0x10 != 0 { HEADER } else { 0 };
    known.then_some(HEADER + u64::from(seven_bits(header, 6)?) + footer)
}

/// Takes what the tag at a place says and is not known yet.
pub(crate) fn take(
    window: &Window<'_>,
    at: u64,
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
) -> Option<()> {
    let header = window.part(at, HEADER);
    let (version, flags) = (byte(header, 3)?, byte(header, 5)?);
    let size = seven_bits(header, 6)?;
    let body = window.part(at.checked_add(HEADER)?, size.into());
    if body.len() < size as usize {
        facts.warn("tag-cut");
    }
    // Before 2.4 the tag as a whole was unsynchronised, since then each frame of it.
    let whole = flags & 0x80 != 0 && version < 4;
    let body = if whole { synchronised(body) } else { Cow::Borrowed(body) };
    let mut tag = Tag { version, inflated: 0, unsynchronised: flags & 0x80 != 0 && version == 4 };
    let extended = if flags & 0x40 != 0 { tag.extended_header(&body)? } else { 0 };
    let mut texts = frames::Texts::default();
    let mut rest = from(&body, extended);
    for _ in 0..MAX_FRAMES {
        let Some((frame, behind)) = tag.frame(rest) else { break };
        if let Some(data) = frame.wanted().and_then(|_| tag.data(&frame)) {
            texts.add(frames::long_id(frame.id), data);
        }
        rest = behind;
    }
    texts.give(options, facts);
    Some(())
}

struct Tag {
    version: u8,
    /// Bytes that frames have inflated to.
    inflated: usize,
    unsynchronised: bool,
}

struct Frame<'a> {
    id: &'a [u8],
    flags: u8,
    data: &'a [u8],
}

impl Frame<'_> {
    fn wanted(&self) -> Option<()> {
        frames::is_wanted(self.id).then_some(())
    }
}

impl Tag {
    /// Bytes of the extended header: its length stands first, without itself in 2.3 and with itself in 2.4. In 2.2 the flag
    /// says that the tag is compressed, in a way that was never settled.
    fn extended_header(&self, body: &[u8]) -> Option<usize> {
        match self.version {
            3 => (be32(body, 0)? as usize).checked_add(4),
            4 => Some(seven_bits(body, 0)? as usize),
            _ => None,
        }
    }

    /// The frame that bytes begin with, and what is behind it. `None` for padding.
    fn frame<'a>(&self, bytes: &'a [u8]) -> Option<(Frame<'a>, &'a [u8])> {
        let (id_length, header) = if self.version == 2 { (3, 6) } else { (4, 10) };
        let id = bytes.get(..id_length).filter(|id| is_id(id))?;
        let length = match self.version {
            2 => be24(bytes, 3)?,
            3 => be32(bytes, 4)?,
            _ => self.length_of_24(bytes)?,
        };
        let flags = if self.version == 2 { 0 } else { byte(bytes, 9)? };
        let rest = bytes.get(header..)?;
        Some((Frame { id, flags, data: first(rest, length as usize) }, from(rest, length as usize)))
    }

    /// Seven bits a byte, or eight where only these lead to another frame, or to padding.
    fn length_of_24(&self, bytes: &[u8]) -> Option<u32> {
        let (seven, eight) = (seven_bits(bytes, 4)?, be32(bytes, 4)?);
        let leads = |length: u32| {
            let next = bytes.get(10..).and_then(|rest| rest.get(length as usize..));
            next.is_some_and(|next| {
                next.is_empty() || next.first() == Some(&0) || next.get(..4).is_some_and(is_id)
            })
        };
        Some(if seven != eight && !leads(seven) && leads(eight) { eight } else { seven })
    }

    /// The data of a frame as they were before they were made ready for the tag.
    fn data<'a>(&mut self, frame: &Frame<'a>) -> Option<Cow<'a, [u8]>> {
        let flag = |of_23: u8, of_24: u8| frame.flags & if self.version == 3 { of_23 } else { of_24 } != 0;
        if flag(0x40, 0x04) {
            return None;
        }
        let (compressed, grouped) = (flag(0x80, 0x08), flag(0x20, 0x40));
        let has_length = flag(0x80, 0x01);
        let before = 4 * usize::from(has_length) + usize::from(grouped);
        let mut data = Cow::Borrowed(from(frame.data, before));
        if self.version == 4 && (self.unsynchronised || flag(0, 0x02)) {
            data = synchronised(from(frame.data, before));
        }
        if !compressed {
            return Some(data);
        }
        let inflated = inflate::zlib(&data, MAX_INFLATED.saturating_sub(self.inflated));
        self.inflated += inflated.len();
        Some(inflated.into())
    }
}

/// Whether bytes can be the id of a frame.
fn is_id(id: &[u8]) -> bool {
    id.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ')
        && id.first().is_some_and(u8::is_ascii_uppercase)
}

/// Without the zeros that were put behind bytes of ones, so that no player takes them for sound.
fn synchronised(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.windows(2).any(|pair| pair == [0xFF, 0]) {
        return Cow::Borrowed(bytes);
    }
    let mut kept = Vec::with_capacity(bytes.len());
    let mut before = 0;
    for &b in bytes {
        if !(before == 0xFF && b == 0) {
            kept.push(b);
        }
        before = b;
    }
    Cow::Owned(kept)
}

/// Whether a word is the header of a tag at the end, `3DI`, and how long that is.
pub(crate) fn length_at_end(window: &Window<'_>, end: u64) -> Option<u64> {
    let footer = window.part(end.checked_sub(HEADER)?, HEADER);
    (footer.starts_with(b"3DI") && be16(footer, 3)? >> 8 == 4)
        .then_some(u64::from(seven_bits(footer, 6)?) + 2 * HEADER)
}

#[cfg(test)]
#[path = "id3v2_tests.rs"]
pub(crate) mod tests;
