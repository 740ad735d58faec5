//! What the learnt tables of [`main_text`](super::main_text()) are trained on, and what other tables would make of a page.
//!
//! The rows are the very numbers that the choice of blocks asks for, so that training and use cannot drift apart. For the
//! examples `dump_features` and `predict_text` only, not part of the library's interface: it changes whenever the
//! features do.

use std::path::Path;

use super::blocks::blocks;
use super::choice::block_row::block_row;
use super::choice::feature_names;
use super::choice::page_features::PageFeatures;
use super::choice::{self, choose};
use super::main_text::{MainText, TextLimits, extract, hints, threads_of};
use webmill_capture::error::{Error, Result};
use webmill_html::{Dom, Metadata};

/// The blocks of a page, in the order of the page.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Text of each block.
    pub texts: Vec<String>,
    /// Length of each block in words.
    pub units: Vec<f32>,
    /// Features, block after block, as many for each. The features of the page are at the end of each row; the
    /// probabilities of the page types, which the tables of blocks take after them, are not among them.
    pub features: Vec<f32>,
    /// How many of a row's features are those of the page.
    pub page_width: usize,
}

/// The rows of a page; none if it has no text.
pub fn rows(dom: &Dom<'_>, meta: &Metadata) -> Rows {
    let page = dom.body().map(|body| blocks(dom, body)).unwrap_or_default();
    if page.blocks.is_empty() {
        return Rows::default();
    }
    let facts = PageFeatures::new(&page, &hints(meta), threads_of(dom, &page, meta));
    let mut out = Rows { page_width: facts.page.len(), ..Rows::default() };
    let mut row = Vec::new();
    for (i, block) in page.blocks.iter().enumerate() {
        row.clear();
        block_row(&page, &facts, i, &mut row);
        out.features.extend_from_slice(&row);
        out.features.extend_from_slice(&facts.page);
        out.texts.push(page.text_of(block).to_string());
        out.units.push(block.counts.units);
    }
    out
}

/// The names of a row's features, in order, then those of the probabilities of the page types: what models name theirs by.
pub fn feature_names() -> &'static [String] {
    &feature_names::names().block
}

/// The names of what [`Tables::confidence_row`] gives, in order.
pub fn confidence_names() -> &'static [String] {
    &feature_names::names().choice
}

/// Tables other than the shipped ones.
#[derive(Clone, Debug)]
pub struct Tables(choice::Tables);

impl Tables {
    /// Reads `types.txt`, `blocks.txt`, `doubtful.txt`, `brief.txt` and, if it is there, `confidence.txt` of a folder. Without it, confidence is what
    /// the probabilities of blocks foretell, and no page is left without a text.
    ///
    /// # Errors
    /// [`Error::Io`] if a file cannot be read, [`Error::Config`] if it is no table.
    pub fn read(folder: &Path) -> Result<Tables> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|error| Error::io(&path, error))
        };
        let [types, blocks, doubtful, brief] =
            ["types", "blocks", "doubtful", "brief"].map(|name| read(&format!("{name}.txt")));
        let confidence = std::fs::read_to_string(folder.join("confidence.txt")).ok();
        let tables = choice::Tables::of([&types?, &blocks?, &doubtful?, &brief?], confidence.as_deref());
        tables.map(Tables).map_err(|why| Error::Config(format!("{}: {why}", folder.display())))
    }

    /// What tells how good the choice of blocks is that these tables make.
    pub fn confidence_row(&self, dom: &Dom<'_>, meta: &Metadata, limits: &TextLimits) -> Vec<f32> {
        let page = dom.body().map(|body| blocks(dom, body)).unwrap_or_default();
        choose(&page, &hints(meta), threads_of(dom, &page, meta), &self.0, limits.focus).sure_of
    }

    /// The main text of a page by these tables.
    pub fn main_text(&self, dom: &Dom<'_>, meta: &Metadata, limits: &TextLimits) -> MainText {
        extract(dom, meta, limits, &self.0, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_capture::CanonicalUrl;
    use webmill_html::{Limits, metadata, parse};

    #[test]
    fn rows_of_a_page() {
        let base = CanonicalUrl::parse("http://example.org/").unwrap();
        let rows_of = |html: &str| {
            let dom = parse(html, &Limits::default());
            rows(&dom, &metadata(&dom, &base, &[]))
        };
        let found =
            rows_of("<h1>A title</h1><p>One paragraph of seven words in all.</p><ul><li>an item</ul>");
        assert_eq!(found.texts, ["A title", "One paragraph of seven words in all.", "an item"]);
        assert_eq!(found.units, [2.0, 7.0, 2.0]);
        let width = found.features.len() / 3;
        assert!(found.features.len() % 3 == 0 && 0 < found.page_width && found.page_width < width);
        let of_page = |i: usize| &found.features[(i + 1) * width - found.page_width..(i + 1) * width];
        assert!(of_page(0) == of_page(1) && of_page(1) == of_page(2));
        assert!(found.features.iter().all(|x| x.is_finite()));

        let empty = rows_of("<script>only()</script>");
        assert!(empty.texts.is_empty() && empty.features.is_empty());
    }
}
