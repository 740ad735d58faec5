//! Documents that are no HTML: PDF, Office files, RTF, OpenDocument, EPUB, feeds, tables of values, plain text.
//!
//! **What.** [`detect`] tells by its bytes which [`Kind`] a body is; [`read`] makes a [`Document`] of it: text, Markdown,
//! headings, tables, links, title and where that was found, author, dates, pages, language, warnings.
//!
//! **Algorithm.** Every reader walks its format in reading order and tells a `Builder` of blocks (headings, paragraphs,
//! items, tables, notes); text and Markdown come from these alone, so that they look alike whatever the format.
//!
//! **Cost.** Bounded by [`Limits`]: bytes taken in, pages, characters given out, sizes and ratios of compressed parts,
//! depth. All of them count work; none is a clock.
//!
//! **Bad input.** Foreign bytes are hostile. A reader opens no file and no connection, expands no entity that is declared in
//! a document, runs no macro. What cannot be read at all is a [`Failure`] with a named reason; what can be read in part is
//! read as far as it goes, with a warning.
//!
//! **Determinism.** Equal bytes, hints and limits give an equal document.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

/// Raised when equal bytes may give another document than before.
pub const VERSION: u32 = 1;

mod blocks;
mod builder;
mod code_pages;
mod container;
mod csv;
mod detect;
mod doc;
mod document;
mod epub;
mod feed;
mod grid;
mod html;
mod inflate;
pub mod isolate;
mod languages;
mod limits;
mod markdown;
pub mod media;
mod office;
mod ole;
mod pdf;
mod ppt;
mod prose;
mod read;
mod rtf;
#[cfg(test)]
mod testing;
mod text;
mod title;
mod xml;

pub(crate) use builder::{Builder, Inline, Marker};
pub use detect::{Hints, detect};
pub use document::{Document, Failure, Heading, Kind, Link, Table, TitleSource};
pub use html::to_html;
pub use limits::Limits;
pub use read::{read, read_characters};
