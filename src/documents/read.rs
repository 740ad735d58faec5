//! The reader of each kind.

use webmill_capture::CanonicalUrl;
use webmill_html::charset;

use crate::csv::read_csv;
use crate::feed::read_feed;
use crate::markdown::read_markdown;
use crate::text::read_text;
use crate::{Document, Failure, Kind, Limits, doc, epub, office, pdf, ppt, rtf};

/// Reads a document of a kind.
///
/// # Errors
/// [`Failure`] with a named reason where nothing of it can be read.
pub fn read(bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, Failure> {
    if bytes.len() > limits.max_input_bytes {
        let most = limits.max_input_bytes;
        return Err(Failure::new("too-large", format!("{} bytes, {most} are read", bytes.len())));
    }
    match kind {
        Kind::Pdf => pdf::read(bytes, limits),
        Kind::Docx => office::docx::read(bytes, limits),
        Kind::Pptx => office::pptx::read(bytes, limits),
        Kind::Odt | Kind::Odp | Kind::Ods => office::odf::read(bytes, kind, limits),
        Kind::Xls => office::sheets::xls::read(bytes, limits),
        Kind::Epub => epub::read(bytes, limits),
        Kind::Xlsx | Kind::Xlsb => office::sheets::xlsx::read(bytes, kind, limits),
        Kind::Rtf => rtf::read(bytes, limits),
        Kind::Doc => doc::read(bytes, limits),
        Kind::Ppt => ppt::read(bytes, limits),
        Kind::Feed | Kind::Markdown | Kind::Csv | Kind::Text => {
            if let Some(text) = wide(bytes) {
                return Ok(read_characters(&text, kind, None, limits));
            }
            let decoded = charset::decode(bytes, None, None);
            Ok(read_characters(&decoded.text, kind, None, limits))
        }
    }
}

/// Reads a document whose characters are known: text, Markdown, a table of values, a feed. A text of another kind, or one that
/// turns out not to be a feed, is read as plain text. `base` is what links of a feed are resolved against.
pub fn read_characters(text: &str, kind: Kind, base: Option<&CanonicalUrl>, limits: &Limits) -> Document {
    match kind {
        Kind::Markdown => read_markdown(text, limits),
        Kind::Csv => read_csv(text, limits),
        Kind::Feed => read_feed(text, base, limits).unwrap_or_else(|| read_text(text, limits)),
        _ => read_text(text, limits),
    }
}

/// Text in UTF-16 that no mark announces: spaces, line ends and digits have a zero beside them, always on the same side, and
/// no other charset has zeros.
fn wide(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..bytes.len().min(4096) & !1).unwrap_or_default();
    let zeros = |at: usize| head.chunks_exact(2).filter(|pair| pair[at] == 0).count();
    let marked = encoding_rs::Encoding::for_bom(bytes).is_some();
    let encoding = match (zeros(0), zeros(1)) {
        _ if marked || bytes.len() % 2 == 1 => return None,
        (0, 1..) => encoding_rs::UTF_16LE,
        (1.., 0) => encoding_rs::UTF_16BE,
        _ => return None,
    };
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    (!damaged).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_two_bytes_a_letter_needs_no_mark() {
        let text = "Привет, мир\nи ещё\n";
        let little = text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let big = text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
        for bytes in [&little, &big, &text.as_bytes().to_vec()] {
            let read = read(bytes, Kind::Text, &Limits::default()).unwrap();
            assert_eq!(read.text, text);
        }
        assert_eq!(wide(b"a\0\0b"), None);
    }
}
