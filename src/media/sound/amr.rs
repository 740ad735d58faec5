//! AMR, the speech of telephones: duration, rate.
//!
//! **Definition.** Letters, then frames of 20 ms: a byte whose bits 3 to 6 name the mode, which says how many bytes follow.
//!
//! **Reference.** RFC 4867, 5; 3GPP TS 26.101 and 26.201.

use crate::Window;
use crate::bytes::{byte, scaled};
use crate::facts::MediaFacts;

/// Bytes behind that of the mode, narrow band and wide band; zeros for modes without sound.
const NARROW: [u8; 16] = [12, 13, 15, 17, 19, 20, 26, 31, 5, 6, 5, 5, 0, 0, 0, 0];
const WIDE: [u8; 16] = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5, 0, 0, 0, 0, 0, 0];

/// Counts the frames, or estimates them by the mean of those in the window.
pub(crate) fn read(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    let wide = head.starts_with(b"#!AMR-WB\n");
    let (begin, sizes) = if wide { (9, &WIDE) } else { (6, &NARROW) };
    facts.codec(if wide { "amr-wb" } else { "amr-nb" });
    (facts.sample_rate, facts.channels) = (Some(if wide { 16_000 } else { 8000 }), Some(1));
    let (mut at, mut frames) = (begin, 0_u64);
    while let Some(mode) = byte(head, at) {
        at += 1 + usize::from(*sizes.get(usize::from(mode >> 3 & 15))?);
        frames += 1;
    }
    if !window.is_whole() {
        frames = scaled(frames, window.len() - begin as u64, (at - begin) as u64)?;
        facts.warn("duration-estimated");
    } else {
        facts.frames = Some(frames).filter(|&frames| frames > 0);
    }
    facts.duration_ms = Some(frames.saturating_mul(20)).filter(|&ms| ms > 0);
    facts.bitrate_of(window.len() - begin as u64);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, MediaOptions};

    #[test]
    fn frames_of_20_ms() {
        let narrow = [&b"#!AMR\n"[..], &[&[0x3C][..], &[0; 31]].concat().repeat(100)].concat();
        let wide = [&b"#!AMR-WB\n"[..], &[&[0x44][..], &[0; 60]].concat().repeat(100)].concat();
        let long = [&b"#!AMR\n"[..], &[&[0x3C][..], &[0; 31]].concat().repeat(15_000)].concat();
        for (body, rate, ms) in [(narrow, 8000, 2000), (wide, 16_000, 2000), (long, 8000, 300_000)] {
            let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
            assert_eq!((facts.format, facts.sample_rate), (Format::Amr, Some(rate)));
            assert!(facts.duration_ms.unwrap().abs_diff(ms) <= ms / 1000, "{:?}", facts.duration_ms);
        }
    }
}
