//! Comments as Vorbis has them: of Vorbis, Opus, FLAC, Theora, Speex.
//!
//! **Definition.** Length and name of the writer, count of comments, then length and `KEY=value` in UTF-8 of each; lengths have
//! 32 bits, the lowest byte first. A key may come several times.
//!
//! **Reference.** Xiph.Org, Ogg Vorbis I, 5.

use crate::bytes::{first, from, le32};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::sound::lrc;
use crate::text;

/// Comments that are looked at.
const MAX_COMMENTS: u32 = 1024;

/// Takes what comments say and is not known yet; a cut list as far as it goes.
pub(crate) fn take(comments: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let mut rest = from(comments, (le32(comments, 0)? as usize).checked_add(4)?);
    let count = le32(rest, 0)?;
    rest = from(rest, 4);
    for _ in 0..count.min(MAX_COMMENTS) {
        let length = le32(rest, 0)? as usize;
        let comment = from(rest, 4).get(..length);
        if let Some((key, value)) =
            comment.and_then(|comment| Some(comment.split_at(memchr::memchr(b'=', first(comment, 64))?)))
        {
            give(key, from(value, 1), options, facts);
        }
        rest = from(rest, length.checked_add(4)?);
    }
    Some(())
}

fn give(key: &[u8], value: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let key = key.to_ascii_lowercase();
    let words = || text::utf8(first(value, text::MAX_LYRICS), options.tld);
    match key.as_slice() {
        b"title" => facts::set(&mut facts.title, &words()),
        b"artist" => facts::add(&mut facts.artist, &words()),
        b"album" => facts::set(&mut facts.album, &words()),
        b"date" | b"year" => facts.year_of(&words()),
        b"tracknumber" => facts.track_of(&words()),
        b"tracktotal" | b"totaltracks" if facts.tracks.is_none() => {
            facts.tracks = words().trim().parse().ok().filter(|&n| n > 0)
        }
        b"genre" => facts::add(&mut facts.genre, &words()),
        b"comment" | b"description" => facts::set_lines(&mut facts.comment, &words()),
        b"lyrics" | b"unsyncedlyrics" | b"syncedlyrics" => lrc::set(&mut facts.lyrics, &words()),
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Format;

    pub(crate) fn comments(all: &[&str]) -> Vec<u8> {
        let sized =
            |text: &str| [&u32::try_from(text.len()).unwrap().to_le_bytes()[..], text.as_bytes()].concat();
        let mut bytes = [sized("writer"), u32::try_from(all.len()).unwrap().to_le_bytes().to_vec()].concat();
        all.iter().for_each(|comment| bytes.extend(sized(comment)));
        bytes
    }

    #[test]
    fn keys_of_any_case_once_or_more() {
        let mut facts = MediaFacts::new(Format::Flac);
        let all = [
            "TITLE=雨",
            "Artist=A",
            "artist=B",
            "DATE=1999-05-01",
            "TRACKNUMBER=3/12",
            "GENRE=Rock",
            "none",
            "LYRICS=[00:01]a",
        ];
        take(&comments(&all), &MediaOptions::default(), &mut facts).unwrap();
        assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("雨"), Some("A; B")));
        assert_eq!((facts.year, facts.track, facts.tracks), (Some(1999), Some(3), Some(12)));
        assert_eq!((facts.genre.as_deref(), facts.lyrics.as_deref()), (Some("Rock"), Some("[00:01.00]a")));
    }

    #[test]
    fn a_length_that_lies_ends_the_list() {
        let mut bytes = comments(&["title=a", "artist=b"]);
        let at = bytes.len() - 12;
        bytes[at] = 0xFF;
        let mut facts = MediaFacts::new(Format::Flac);
        let _ = take(&bytes, &MediaOptions::default(), &mut facts);
        assert_eq!((facts.title.as_deref(), facts.artist), (Some("a"), None));
    }
}
