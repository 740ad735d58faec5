//! Rich Text Format.
//!
//! **What.** Text, headings, lists, tables, links, notes and the facts of `\info` of an RTF document.
//!
//! **Definition.** Groups `{}` hold control words `\wordN`, control symbols and text. What a group sets ends with it. A group's
//! first word may make it a destination: a font table, a picture, a header. `\uN` is a UTF-16 unit (+ 65,536 where negative),
//! behind which `\ucN` characters are left out; `\'hh` is a byte of the code page of the font's charset, else of `\ansicpg`.
//!
//! **Algorithm.** One pass over the tokens with a stack of states. Bytes are gathered until something else comes, so that
//! characters of two bytes may be spread over `\'hh`, plain bytes and groups. Text goes where the destination says: to a story
//! (the body, a note, a header, a text box), to metadata, to a table of fonts, styles or lists, or nowhere. Hidden text,
//! deleted revisions, pictures and objects go nowhere.
//!
//! **Cost.** Linear in the bytes; the tables are bounded by [`tables::MAX_ENTRIES`].
//!
//! **Bad input.** Groups deeper than eight times the depth of the limits are left out (`too-deep`); missing braces are
//! closed at the end (`cut-off`); numbers saturate; the part beyond the last brace is left out.
//!
//! **Reference.** Rich Text Format Specification 1.9.1, Microsoft 2008.

mod destinations;
mod properties;
mod reader;
mod state;
mod tables;
mod tokens;
mod words;

use crate::{Document, Failure, Limits};

/// Reads an RTF document.
///
/// # Errors
/// `damaged` where the bytes do not begin as RTF does.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if !bytes.starts_with(b"{\\rt") && !bytes.starts_with(b"{\\urtf") {
        return Err(Failure::new("damaged", "no rtf group at the beginning"));
    }
    Ok(reader::Reader::new(bytes, limits).read())
}

#[cfg(test)]
#[path = "rtf/rtf_tests.rs"]
mod tests;
