//! Chunks of RIFF files: WebP, WAV, AVI.
//!
//! **Definition.** Four letters, 32 bits of length, the lowest byte first, data, a zero byte after an odd length.
//!
//! **Bad input.** A length beyond the end is cut to it; the walk ends after 4,096 chunks.
//!
//! **Reference.** Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0, 1991.

use crate::bytes::{from, le32};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::{Window, text};

/// Chunks of one list that are looked at.
const MAX_CHUNKS: usize = 4096;

/// A chunk.
pub(crate) struct Chunk<'a> {
    /// Four letters.
    pub(crate) id: [u8; 4],
    /// What is known of its data.
    pub(crate) data: &'a [u8],
    /// Where its data begin.
    pub(crate) begin: u64,
    /// Length that it says its data have.
    pub(crate) length: u32,
    /// Where the data end.
    pub(crate) end: u64,
}

/// The chunks between two places, as far as the window shows where they begin.
pub(crate) fn chunks<'a>(
    window: &Window<'a>,
    begin: u64,
    end: u64,
) -> impl Iterator<Item = Chunk<'a>> + use<'a> {
    let window = *window;
    let end = end.min(window.len());
    let mut at = begin;
    let next = move || {
        let head = window.at(at);
        let id = *head.first_chunk()?;
        let length = le32(head, 4)?;
        let begin = at.checked_add(8).filter(|&begin| begin <= end)?;
        let data_end = begin.saturating_add(length.into()).min(end);
        at = data_end.saturating_add(u64::from(length) & 1);
        Some(Chunk { id, data: window.part(begin, data_end - begin), begin, length, end: data_end })
    };
    std::iter::from_fn(next).take(MAX_CHUNKS)
}

/// The texts of a list `INFO`, read by one charset.
pub(crate) fn info(list: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let window = Window::on(list);
    let known = |chunk: &Chunk<'_>| chunk.id.starts_with(b"I");
    let chunks: Vec<Chunk<'_>> = chunks(&window, 0, window.len()).filter(known).collect();
    let fields: Vec<&[u8]> = chunks
        .iter()
        .map(|chunk| crate::bytes::first(text::until_zero(chunk.data), text::MAX_FIELD))
        .collect();
    for (chunk, words) in chunks.iter().zip(text::detected(&fields, options.tld)) {
        match &chunk.id {
            b"INAM" => facts::set(&mut facts.title, &words),
            b"IART" => facts::set(&mut facts.artist, &words),
            b"IPRD" => facts::set(&mut facts.album, &words),
            b"ICMT" => facts::set_lines(&mut facts.comment, &words),
            b"IGNR" => facts::set(&mut facts.genre, &words),
            b"ITRK" | b"IPRT" => facts.track_of(&words),
            b"ICRD" => {
                facts.year_of(&words);
                if words.len() >= 10 && facts.year.is_some() {
                    facts::set(&mut facts.created, &words);
                }
            }
            _ => {}
        }
    }
}

/// The data of a list and what it is a list of.
pub(crate) fn list<'a>(chunk: &Chunk<'a>) -> Option<([u8; 4], &'a [u8])> {
    (&chunk.id == b"LIST").then_some((*chunk.data.first_chunk()?, from(chunk.data, 4)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Format;

    pub(crate) fn chunk(id: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut chunk = [&id[..], &u32::try_from(data.len()).unwrap().to_le_bytes(), data].concat();
        chunk.resize(chunk.len().next_multiple_of(2), 0);
        chunk
    }

    pub(crate) fn riff(form: &[u8; 4], chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
        let mut data = form.to_vec();
        chunks.iter().for_each(|(id, bytes)| data.extend(chunk(id, bytes)));
        chunk(b"RIFF", &data)
    }

    #[test]
    fn info_is_read_by_one_charset() {
        let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
        let list = [
            chunk(b"INAM", &gbk("月亮代表我的心")),
            chunk(b"IART", &gbk("邓丽君")),
            chunk(b"ICRD", b"1977-05-01\0"),
            chunk(b"ITRK", b"4"),
        ];
        let mut facts = MediaFacts::new(Format::Wav);
        info(&list.concat(), &MediaOptions::default(), &mut facts);
        assert_eq!(
            (facts.title.as_deref(), facts.artist.as_deref()),
            (Some("月亮代表我的心"), Some("邓丽君"))
        );
        assert_eq!(
            (facts.year, facts.track, facts.created.as_deref()),
            (Some(1977), Some(4), Some("1977-05-01"))
        );
    }

    #[test]
    fn a_length_beyond_the_end_is_cut() {
        let bytes = b"abcd\xFF\xFF\xFF\xFFxyz";
        let window = Window::on(bytes);
        let found: Vec<(&[u8], u64)> = chunks(&window, 0, 99).map(|chunk| (chunk.data, chunk.end)).collect();
        assert_eq!(found, [(&b"xyz"[..], 11)]);
    }
}
