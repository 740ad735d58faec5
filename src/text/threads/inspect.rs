//! What [threads](super) are found on a page, block by block: for measuring them, not part of the library's interface.

use super::{Role, Said, threads};
use crate::blocks::blocks;
use webmill_html::{Dom, Metadata};

/// A block of a page and what it is in a thread.
#[derive(Clone, Debug)]
pub struct ThreadRow {
    /// Its text.
    pub text: String,
    /// How surely it is of a comment, 0 to 1.
    pub strength: f32,
    /// Its item's number.
    pub item: Option<u32>,
    /// `none`, `opener`, `byline`, `date`, `body`, `headed` or `tool`.
    pub role: &'static str,
}

/// The threads of a page.
#[derive(Clone, Debug)]
pub struct ThreadRows {
    /// Its blocks.
    pub rows: Vec<ThreadRow>,
    /// Comments.
    pub items: usize,
    /// The first block of the first thread.
    pub starts_at: Option<usize>,
    /// Alike posts of which the first is what the page is about.
    pub posts: usize,
}

/// The threads of a page, block by block.
pub fn thread_rows(dom: &Dom<'_>, meta: &Metadata) -> ThreadRows {
    let page = dom.body().map(|body| blocks(dom, body)).unwrap_or_default();
    let said = Said { dom: Some(dom), order: meta.date_order, ..Said::default() };
    let found = threads(&page, &said);
    let row = |(i, block)| ThreadRow {
        text: page.text_of(block).to_string(),
        strength: found.strength(i),
        item: found.item(i),
        role: match found.role(i) {
            Role::None => "none",
            Role::Opener => "opener",
            Role::Byline => "byline",
            Role::Date => "date",
            Role::Body => "body",
            Role::Headed => "headed",
            Role::Tool => "tool",
        },
    };
    let rows = page.blocks.iter().enumerate().map(row).collect();
    ThreadRows { rows, items: found.items(), starts_at: found.starts_at(), posts: found.posts() }
}
