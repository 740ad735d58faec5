//! HTML: from bytes to characters, from characters to a tree, and what a tree says about its page.
//!
//! [`parse()`] builds the [`Dom`] that the HTML standard prescribes for a page, whatever its markup; links, metadata
//! and main text are read from it. A page is parsed once.
//!
//! **Why.** Own HTML parser: the tree is the main cost of a page; ours keeps spans into the source instead of strings and caps depth,
//! nodes, attributes and work while building. html5ever is its oracle in the tests.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod about;
mod attribute_names;
mod base;
mod characters;
pub mod charset;
pub mod css;
mod declarations;
mod detect;
pub mod dom;
mod dom_edit;
mod entities;
mod evidence;
pub mod feed;
mod filed;
mod items;
mod json_ld;
mod json_mend;
mod licence;
mod limits;
pub mod link_header;
pub mod links;
mod markup;
mod meta_names;
pub mod metadata;
mod metadata_items;
mod parse;
mod placeholder_title;
mod prescan;
mod quirks;
pub mod requisites;
pub mod robots;
pub mod script;
pub mod serialize;
pub mod sniff;
pub mod srcset;
pub mod structured;
pub mod tag;
mod text_buffer;
mod tokenizer;
mod tokenizer_attrs;
mod tokenizer_decl;
mod tokenizer_raw;
mod tree;
mod tree_body;
mod tree_foreign;
mod tree_format;
mod tree_modes;
#[cfg(test)]
mod tree_oracle;
mod tree_sets;
mod tree_table;
mod tree_text;
mod values;
mod written_date;
pub mod xml_events;

pub use about::{About, FieldValue};
pub use base::base_of;
pub use characters::is_wide;
pub use charset::{CharsetSource, Decoded, decode};
pub use declarations::{items, metadata, metadata_and_items};
pub use dom::{Dom, Edge, Namespace, NodeId, Walk};
pub use items::Item;
pub use limits::{Cuts, Limits};
pub use link_header::{HeaderLink, link_header};
pub use links::{Link, LinkKind, LinkLimits, Links, Skipped, each_link, links, refresh_url};
pub use metadata::{Metadata, is_of_other_page};
pub use parse::parse;
pub use placeholder_title::is_placeholder_title;
pub use requisites::{
    Requisite, RequisiteKind, RequisiteLimits, each_requisite, manifest_requisites, style_requisites,
};
pub use robots::{Robots, Rules};
pub use serialize::serialize;
pub use srcset::{candidates, largest};
pub use structured::{StatedReview, Structured};
pub use tag::Tag;
pub use text_buffer::TextBuffer;
pub use written_date::{
    DateOrder, FoundDate, WrittenDate, dates_in, find_date, find_date_at, proven_order, read_date,
};

/// Name and content of the lists that parsing knows beside its code: whoever keeps results compares them by a digest.
pub const LISTS: &[(&str, &[u8])] = &[
    ("entities", include_bytes!("entity_names.txt")),
    ("quirks", include_bytes!("quirky_doctypes.txt")),
    ("names of months", include_bytes!("written_date/names.txt")),
    ("placeholder titles", include_bytes!("placeholder_titles.txt")),
];
