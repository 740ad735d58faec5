//! HTML: from bytes to characters, from characters to a tree, and what a tree says about its page.
//!
//! [`parse`] builds the [`Dom`] that the HTML standard prescribes for a page, whatever its markup; links, metadata
//! and main text are read from it. A page is parsed once.

pub mod charset;
mod detect;
pub mod dom;
mod evidence;
mod prescan;
pub mod tag;

pub use charset::{CharsetSource, Decoded, decode};
pub use dom::{Cuts, Dom, Edge, Namespace, NodeId, Walk};
pub use tag::Tag;
