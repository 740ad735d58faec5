//! The one pass: a capture in, its rows of every table out.
//!
//! **What.** A [`Page`] is one capture with its forms: body, characters, tree, links, metadata, document. Each is made once,
//! when first asked for. [`Analyzer`]s turn a page into rows of tables; [`Decode`] says how a kind of body becomes a
//! [`Document`]. A [`Mill`] holds a list of both and passes captures through: whoever wants one more analysis of a
//! page writes an analyzer and adds a line to that list. Later jobs read tables.
//!
//! **Algorithm.** transfer decoding → SHA-1 → content decoding → media type → charset → tree → metadata, links, main
//! text → words, language, SimHash. Only HTML with status 2xx (or no status at all) is parsed; redirects give one link.
//!
//! **Cost.** Linear in the page; memory is the page a few times over. Limits ([`PageLimits`]) cut off what would hang
//! or eat memory, by counted work and never by a clock, and the row says which limit cut.
//!
//! **Determinism.** A capture, the limits and the lists give the same rows on any thread and any processor of one kind;
//! scores go through the mathematical functions of the system's library, whose last bits may differ between systems.
//!
//! # Examples
//! ```
//! use webmill_capture::{Capture, Response};
//! use webmill_mill::{Mill, PageRow};
//!
//! let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Tea</title><p>Good tea needs water.";
//! let capture = Capture::new("http://tea.example/", Response::parse(answer));
//! let milled = Mill::default().mill(&capture).expect("it is small").expect("the URL is one");
//! assert_eq!(milled.rows.of::<PageRow>()[0].title.as_deref(), Some("Tea"));
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod analyzer;
mod analyzers;
mod decode;
#[cfg(test)]
mod document_tests;
mod documents;
mod likeness;
mod limits;
mod merge;
mod mill;
mod page;
mod part;
mod reading;
mod rows;
#[cfg(test)]
mod tests;

pub use analyzer::Analyzer;
pub use analyzers::{
    Cut, DOCUMENTS, DocumentKind, DocumentTitle, LinkElement, LinkRow, Links, Media, MediaRow, MediaSource,
    MediaType, PageKind, PageRow, Pages, PostRow, Posts, RecordRow, Records, Structured, StructuredRow,
    TextRow, Texts, WarcType,
};
pub use decode::{Decode, Document, DocumentFacts, Html, Templates};
pub use documents::{Documents, document_text};
pub use likeness::Likeness;
pub use limits::PageLimits;
pub use merge::{Merge, Run};
pub use mill::{Mill, Milled};
pub use page::{Body, Buffers, Characters, Page};
pub use part::{PartId, Reject};
pub use reading::Reading;
pub use rows::{Order, Rows, TableRows, Weigh};
