//! Word 97 to 2003.
//!
//! **What.** Text, headings, lists, tables, links, notes and the facts of the property sets of a Word document.
//!
//! **Definition.** The stream `WordDocument` begins with the FIB, which says where all else is. The text is one row of characters
//! (CPs): the body, then foot notes, heads, comments, end notes and text boxes. The piece table says at which bytes (FCs) each
//! piece of it stands, a byte or two a character. Pages of properties (FKPs) say for ranges of bytes how characters and paragraphs
//! look, as differences (sprms) to their styles.
//!
//! **Algorithm.** The runs of all pages are read into two sorted tables; then each part of the text is walked, character by
//! character, with the runs that its bytes lie in. 0x0D ends a paragraph, 0x07 a cell or a row, 0x13, 0x14 and 0x15 are the
//! marks of a field. Deleted or hidden text is left out, and so are the codes of fields.
//!
//! **Cost.** Linear in the characters and the runs; both are bounded, for pieces and pages may be named many times.
//!
//! **Bad input.** Without a piece table the text is taken from one run of bytes; encrypted documents are
//! `encrypted`; places beyond the end are as if nothing stood there.
//!
//! **Reference.** [MS-DOC]: Word (.doc) Binary File Format, Microsoft.

mod fib;
mod lists;
mod pieces;
mod properties;
mod reader;
mod sprms;
mod styles;

use crate::ole::Container;
use crate::prose::Flow;
use crate::{Document, Failure, Kind, Limits};

/// Reads a Word document.
///
/// # Errors
/// `damaged` where it is no compound file or has no text, `encrypted` where a password keeps it, `too-old` before Word 97.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let mut container = Container::open(bytes, limits)?;
    let damaged = |what: &str| Failure::new("damaged", what);
    let main = container.stream("WordDocument").ok_or_else(|| container.without("no stream of text"))?;
    let fib = fib::Fib::read(&main).ok_or_else(|| damaged("no head of a word document"))?;
    if fib.encrypted {
        return Err(Failure::new("encrypted", "the text is encrypted"));
    }
    if fib.old {
        return Err(Failure::new("too-old", "Word before 97"));
    }
    let table = container.stream(fib.table).unwrap_or_default();
    let data = container.stream("Data").unwrap_or_default();
    let facts = container.facts();
    let mut flow = Flow::new(Kind::Doc, limits);
    facts.give(&mut flow.builder.document);
    if container.is_damaged() {
        flow.builder.warn("damaged");
    }
    Ok(reader::Reader::new(&fib, &main, &table, &data, flow).read(facts.about.title.as_deref()))
}

#[cfg(test)]
#[path = "doc/doc_tests.rs"]
mod tests;
