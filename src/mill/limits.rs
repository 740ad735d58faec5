//! Bounds of the work on one page.

use webmill_html::{Limits, LinkLimits};

/// Bounds of the work on one page. No recipe sets them: a page beyond them is built to cost, and equal programs must cut it
/// alike. Whoever changes a default raises the version of job `extract`, because rows change.
#[derive(Debug, Clone, PartialEq)]
pub struct PageLimits {
    /// Bytes of a body after content decoding; the rest is cut off and marked.
    pub max_body_bytes: usize,
    /// Depth of the tree; deeper elements are attached at this depth.
    pub max_depth: u32,
    /// Nodes of the tree; what follows is not parsed.
    pub max_nodes: u32,
    /// Attributes of one tag; further ones are dropped.
    pub max_attributes: u32,
    /// Links of a page; further ones are not stored, and `cuts` of table `pages` says so.
    pub max_links: usize,
    /// Whether pictures have rows in table `links`, of kind `img`: a setting of whoever makes the table.
    pub images: bool,
    /// Whether table `media` is filled: pictures, sound and video, and pictures that pages show. Likewise.
    pub media: bool,
    /// Whether that says where pictures and videos were made. Likewise.
    pub gps: bool,
    /// Bounds of the work on a document that is no HTML.
    pub documents: webmill_documents::Limits,
    /// Whether data tables, posts and structured data are written as tables of their own.
    pub details: bool,
}

impl Default for PageLimits {
    fn default() -> Self {
        PageLimits {
            max_body_bytes: 16 << 20,
            max_depth: 512,
            max_nodes: 1_000_000,
            max_attributes: 256,
            max_links: 1_000_000,
            images: false,
            media: true,
            gps: false,
            documents: webmill_documents::Limits::default(),
            details: true,
        }
    }
}

impl PageLimits {
    pub(crate) fn tree(&self) -> Limits {
        Limits {
            max_depth: self.max_depth as _,
            max_nodes: self.max_nodes as _,
            max_attrs_per_tag: self.max_attributes as _,
            ..Limits::default()
        }
    }

    pub(crate) fn links(&self) -> LinkLimits {
        LinkLimits { max_links: self.max_links, images: self.images, scripts: true, ..LinkLimits::default() }
    }
}
