//! ID3v1: the last 128 bytes of MPEG sound.
//!
//! **Definition.** `TAG`, then title 30, artist 30, album 30, year 4, comment 30, genre 1. In version 1.1 a zero as byte 28 of
//! the comment makes byte 29 the track. The charset is detected over all fields together.
//!
//! **Reference.** E. Kemp, ID3, 1996; M. Mutschler, ID3 v1.1, 1997.

use crate::bytes::{byte, from};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::sound::genre;
use crate::{Window, text};

/// Bytes of a tag.
pub(crate) const LENGTH: usize = 128;

/// The tag at the end of a body.
pub(crate) fn find<'a>(window: &Window<'a>) -> Option<&'a [u8]> {
    let tail = window.tail();
    Some(from(tail, tail.len().checked_sub(LENGTH)?)).filter(|tag| tag.starts_with(b"TAG"))
}

/// Takes what a tag says and is not known yet.
pub(crate) fn take(tag: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let field =
        |begin: usize, length: usize| Some((text::until_zero(tag.get(begin..begin + length)?), length));
    let numbered = byte(tag, 125)? == 0 && byte(tag, 126)? != 0;
    let fields = [
        field(3, 30)?,
        field(33, 30)?,
        field(63, 30)?,
        field(93, 4)?,
        field(97, if numbered { 28 } else { 30 })?,
    ];
    let words = text::detected_within(&fields, options.tld);
    let [title, artist, album, year, comment] = words.as_slice() else { return None };
    facts::set(&mut facts.title, title);
    facts::set(&mut facts.artist, artist);
    facts::set(&mut facts.album, album);
    facts.year_of(year);
    facts::set_lines(&mut facts.comment, comment.trim());
    if numbered && facts.track.is_none() {
        facts.track = byte(tag, 126).map(u16::from);
    }
    facts::set(&mut facts.genre, byte(tag, 127).and_then(genre::name).unwrap_or_default());
    Some(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Format;

    pub(crate) fn tag(fields: [&[u8]; 5], track: u8, genre: u8) -> Vec<u8> {
        let mut tag = b"TAG".to_vec();
        for (field, length) in fields.iter().zip([30, 30, 30, 4, 30]) {
            tag.extend(field.iter().copied().chain(std::iter::repeat(0)).take(length));
        }
        if track > 0 {
            (tag[125], tag[126]) = (0, track);
        }
        tag.push(genre);
        tag
    }

    fn read(tag: &[u8]) -> MediaFacts {
        let mut facts = MediaFacts::new(Format::Mp3);
        take(tag, &MediaOptions::default(), &mut facts).unwrap();
        facts
    }

    #[test]
    fn fields_of_both_versions() {
        let long = b"a comment of thirty characters";
        for (track, comment) in [(0, "a comment of thirty characters"), (7, "a comment of thirty characte")] {
            let facts = read(&tag([b"Rain", b"A. Artist   ", b"Weather", b"1999", long], track, 17));
            assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("Rain"), Some("A. Artist")));
            assert_eq!((facts.album.as_deref(), facts.year), (Some("Weather"), Some(1999)));
            assert_eq!((facts.comment.as_deref(), facts.genre.as_deref()), (Some(comment), Some("Rock")));
            assert_eq!(facts.track, (track > 0).then_some(7));
        }
    }

    #[test]
    fn the_charset_is_that_of_all_fields() {
        let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
        for [title, artist, album] in [
            ["月亮代表我的心", "邓丽君", "岛国情歌"],
            ["东风破", "周杰伦", "叶惠美"],
            ["红豆", "王菲", "唱游"],
            ["吻别", "张学友", "吻别"],
            ["青花瓷", "周杰伦", "我很忙"],
            ["后来", "刘若英", "我等你"],
        ] {
            let facts = read(&tag([&gbk(title), &gbk(artist), &gbk(album), b"", b""], 1, 255));
            assert_eq!([facts.title, facts.artist, facts.album].map(Option::unwrap), [title, artist, album]);
            assert_eq!(facts.genre, None);
        }
    }

    #[test]
    fn other_charsets_are_told_too() {
        let cases: [(&encoding_rs::Encoding, [&str; 3]); 3] = [
            (encoding_rs::SHIFT_JIS, ["さくらの花が咲く", "宇多田ヒカル", "はじまりのうた"]),
            (encoding_rs::WINDOWS_1251, ["Подмосковные вечера", "Владимир Трошин", "Песни"]),
            (encoding_rs::WINDOWS_1252, ["Les Mots passés", "Édith Piaf", "À la carte"]),
        ];
        for (charset, words) in cases {
            let [title, artist, album] = words.map(|text| charset.encode(text).0.into_owned());
            let facts = read(&tag([&title, &artist, &album, b"", b""], 0, 255));
            assert_eq!([facts.title, facts.artist, facts.album].map(Option::unwrap), words);
        }
    }
}
