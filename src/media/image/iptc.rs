//! IPTC, the notes of press pictures: title, author, description.
//!
//! **Definition.** Resources of Photoshop: `8BIM`, number 16 bits, a name of even length, length 32 bits, data of even length. That
//! of number 0x0404 has fields: 1C, record, number, length 16 bits, data. The charset is detected over all fields, unless the
//! first record says UTF-8.
//!
//! **Bad input.** At most 256 resources and 256 fields are looked at.
//!
//! **Reference.** IPTC-NAA Information Interchange Model 4.2, 2014; Adobe Photoshop File Formats Specification, 2019.

use crate::bytes::{be16, be32, byte, first, from};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::text;

/// Resources and fields that are looked at.
const MAX_PARTS: usize = 256;

/// Takes what resources say and is not known yet.
pub(crate) fn take(resources: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let mut rest = resources;
    for _ in 0..MAX_PARTS {
        let name = if rest.starts_with(b"8BIM") { byte(rest, 6) } else { None };
        let (Some(number), Some(name)) = (be16(rest, 4), name) else { break };
        let begin = 6 + (1 + usize::from(name)).next_multiple_of(2);
        let Some(length) = be32(rest, begin) else { break };
        let data = first(from(rest, begin + 4), length as usize);
        if number == 0x0404 {
            fields(data, options, facts);
        }
        rest = from(from(rest, begin + 4), (length as usize).next_multiple_of(2));
    }
}

fn fields(data: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let (mut rest, mut found) = (data, Vec::new());
    for _ in 0..MAX_PARTS {
        let (Some(0x1C), Some(record), Some(number), Some(length)) =
            (byte(rest, 0), byte(rest, 1), byte(rest, 2), be16(rest, 3))
        else {
            break;
        };
        let value = first(from(rest, 5), length.into());
        if record == 2 && matches!(number, 5 | 80 | 120) {
            found.push((number, first(value, text::MAX_FIELD)));
        }
        rest = from(rest, 5 + usize::from(length));
    }
    let values: Vec<&[u8]> = found.iter().map(|(_, value)| *value).collect();
    let mut own = MediaFacts::new(facts.format);
    for ((number, _), words) in found.iter().zip(text::detected(&values, options.tld)) {
        match number {
            5 => facts::set(&mut own.title, &words),
            80 => facts::add(&mut own.artist, &words),
            _ => facts::set_lines(&mut own.comment, &words),
        }
    }
    facts.fill_from(own);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn fields_of_the_right_resource() {
        let gbk = |words: &str| encoding_rs::GBK.encode(words).0.into_owned();
        let field = |number: u8, value: &[u8]| {
            [&[0x1C, 2, number][..], &u16::try_from(value.len()).unwrap().to_be_bytes(), value].concat()
        };
        let resource = |number: u16, name: &[u8], data: &[u8]| {
            let mut bytes = [
                b"8BIM",
                &number.to_be_bytes()[..],
                name,
                &u32::try_from(data.len()).unwrap().to_be_bytes(),
                data,
            ]
            .concat();
            bytes.resize(bytes.len().next_multiple_of(2), 0);
            bytes
        };
        let notes = [
            field(5, &gbk("月亮代表我的心")),
            field(80, &gbk("邓丽君")),
            field(120, b"two\rlines"),
            field(25, b"x"),
        ]
        .concat();
        let all = [resource(0x03ED, b"\x02ab\0", b"abc"), resource(0x0404, b"\0\0", &notes)].concat();
        let mut facts = MediaFacts::new(Format::Jpeg);
        take(&all, &MediaOptions::default(), &mut facts);
        assert_eq!(
            (facts.title.as_deref(), facts.artist.as_deref()),
            (Some("月亮代表我的心"), Some("邓丽君"))
        );
        assert_eq!(facts.comment.as_deref(), Some("two\nlines"));
    }
}
