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
//!
//! **Why.** Own readers of Office files, RTF, EPUB: reading order, notes, lists, revisions and titles are what differs between
//! readers, and one `Builder` makes all formats look alike. zip and quick-xml know enough of containers and XML; compound files (OLE)
//! are read here, since cfb trusts their tables and gives cut ones up (it is the oracle in the tests). Markdown is pulldown-cmark's,
//! system calls of children are filtered by seccompiler.
//!
//! **Why.** Documents in child processes: a reader of foreign formats may hang, crash or eat memory whatever its tests say. A process
//! can be bounded and ended, a thread cannot; the clock is the last guard there, for work is counted first.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

/// Raised when equal bytes may give another document than before.
pub const VERSION: u32 = 3;

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
