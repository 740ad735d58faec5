//! APEv2 tags, which stand behind MPEG sound, before ID3v1.
//!
//! **Reference.** APEv2 specification, 2008: `APETAGEX`, version, length with footer, count of items, flags; an item is length
//! of the value, flags, key, zero, value in UTF-8.

use crate::bytes::{first, from, le32};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::sound::lrc;
use crate::{Window, text};

/// Bytes of header and footer.
const FOOTER: u64 = 32;

/// Items that are looked at.
const MAX_ITEMS: u32 = 256;

/// Bytes of the tag that ends at a place, its header among them.
pub(crate) fn length(window: &Window<'_>, end: u64) -> Option<u64> {
    let footer = window.part(end.checked_sub(FOOTER)?, FOOTER);
    let has_header = le32(footer, 20)? >> 31 == 1;
    let length = u64::from(le32(footer, 12)?) + if has_header { FOOTER } else { 0 };
    (footer.starts_with(b"APETAGEX") && (FOOTER..=end).contains(&length)).then_some(length)
}

/// Takes what the tag that ends at a place says and is not known yet.
pub(crate) fn take(
    window: &Window<'_>,
    end: u64,
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
) -> Option<()> {
    let footer = window.part(end.checked_sub(FOOTER)?, FOOTER);
    let begin = end.checked_sub(le32(footer, 12)?.into())?;
    let mut rest = window.part(begin, end.checked_sub(begin)?.checked_sub(FOOTER)?);
    for _ in 0..le32(footer, 16)?.min(MAX_ITEMS) {
        let (length, flags) = (le32(rest, 0)? as usize, le32(rest, 4)?);
        let key = text::until_zero(from(rest, 8));
        let value = from(rest, key.len().checked_add(9)?);
        // Bits 1 and 2 say that the value is no text.
        if flags & 6 == 0 {
            give(key, &text::utf8(first(value, length.min(text::MAX_LYRICS)), options.tld), facts);
        }
        rest = from(value, length);
    }
    Some(())
}

fn give(key: &[u8], value: &str, facts: &mut MediaFacts) {
    let several = || value.replace('\0', "; ");
    match key.to_ascii_lowercase().as_slice() {
        b"title" => facts::set(&mut facts.title, value),
        b"artist" => facts::set(&mut facts.artist, &several()),
        b"album" => facts::set(&mut facts.album, value),
        b"year" | b"date" => facts.year_of(value),
        b"track" => facts.track_of(value),
        b"genre" => facts::set(&mut facts.genre, &several()),
        b"comment" => facts::set_lines(&mut facts.comment, value),
        b"lyrics" => lrc::set(&mut facts.lyrics, value),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn items_are_read_from_the_end() {
        let item = |key: &str, value: &str| {
            [
                &u32::try_from(value.len()).unwrap().to_le_bytes()[..],
                &[0; 4],
                key.as_bytes(),
                b"\0",
                value.as_bytes(),
            ]
            .concat()
        };
        let items = [item("Title", "雨"), item("ARTIST", "A\0B"), item("Date", "1999-05")].concat();
        let mark = |flags: u32| {
            [
                b"APETAGEX",
                &2000_u32.to_le_bytes()[..],
                &(u32::try_from(items.len()).unwrap() + 32).to_le_bytes(),
                &3_u32.to_le_bytes(),
                &flags.to_le_bytes(),
                &[0; 8],
            ]
            .concat()
        };
        let body = [b"sound".to_vec(), mark(0xA000_0000), items.clone(), mark(0x8000_0000)].concat();
        let window = Window::of(&body);
        assert_eq!(length(&window, window.len()), Some(window.len() - 5));
        let mut facts = MediaFacts::new(Format::Mp3);
        take(&window, window.len(), &MediaOptions::default(), &mut facts).unwrap();
        assert_eq!(
            (facts.title.as_deref(), facts.artist.as_deref(), facts.year),
            (Some("雨"), Some("A; B"), Some(1999))
        );
    }
}
