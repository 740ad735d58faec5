//! The one pass: a capture in, its rows of `pages`, `links` and `texts` out.
//!
//! **What.** A page is decoded and parsed once; everything that needs its tree happens here: charset, title and
//! metadata, links, main text, language, digests, SimHash. Later jobs read tables.
//!
//! **Algorithm.** transfer decoding → SHA-1 → content decoding → media type → charset → tree → metadata, links, main
//! text → words, language, SimHash. Only HTML with status 2xx (or no status at all) is parsed; redirects give one link.
//!
//! **Cost.** Linear in the page; memory is the page a few times over. Limits ([`ExtractLimits`]) cut off what would hang
//! or eat memory, by counted work and never by a clock, and the row says which limit cut.
//!
//! **Determinism.** A capture and the limits give the same rows on any machine and thread.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod details;
mod links;
mod page;
mod pages;
mod rows;
mod texts;

pub use details::{CommentRow, RecordRow, StructuredRow};
pub use links::LinkRow;
pub use page::{Extracted, Extractor, Templates};
pub use pages::PageRow;
pub use texts::TextRow;

use webmill_html::links::LinkLimits;
use webmill_html::parse::Limits;

/// Bounds of the work on one page. All of it is part of a job's key, because it changes rows.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractLimits {
    /// Bytes of a body after content decoding; the rest is cut off and marked.
    pub max_body_bytes: usize,
    /// Depth of the tree; deeper elements are attached at this depth.
    pub max_depth: u32,
    /// Nodes of the tree; what follows is not parsed.
    pub max_nodes: u32,
    /// Attributes of one tag; further ones are dropped.
    pub max_attributes: u32,
    /// Links of a page; further ones are counted, not stored.
    pub max_links: usize,
    /// Whether data tables, comments and structured data are written as tables of their own.
    pub details: bool,
}

impl Default for ExtractLimits {
    fn default() -> Self {
        ExtractLimits {
            max_body_bytes: 16 << 20,
            max_depth: 512,
            max_nodes: 1_000_000,
            max_attributes: 256,
            max_links: 20_000,
            details: true,
        }
    }
}

impl ExtractLimits {
    fn tree(&self) -> Limits {
        Limits {
            max_depth: self.max_depth as _,
            max_nodes: self.max_nodes as _,
            max_attrs_per_tag: self.max_attributes as _,
            ..Limits::default()
        }
    }

    fn links(&self) -> LinkLimits {
        LinkLimits { max_links: self.max_links, ..LinkLimits::default() }
    }
}
