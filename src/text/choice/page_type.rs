//! What kind of page it is.
//!
//! A small tree ensemble over the page's features (lengths, link densities, repeated elements, names of classes,
//! structured data), one score a class; the greatest wins.

use super::model::Model;
use webmill_capture::words;

words! {
    /// What a page offers to a reader.
    #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
    #[repr(u8)]
    // Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
    pub enum PageType {
        /// One text: news, blog post, essay, encyclopaedia entry.
        Article = "article",
        /// Products or posts of one kind, with little text each.
        Collection = "collection",
        /// Reference or manual of software, a procedure, a law.
        Documentation = "documentation",
        /// A thread of posts, questions and answers.
        Forum = "forum",
        /// Entries with links to pages of their own.
        Listing = "listing",
        /// One thing on sale.
        Product = "product",
        /// What an organisation offers.
        Service = "service",
        /// A document that is no HTML: PDF, Office file, feed, plain text.
        Document = "document",
        /// None of these, or no text at all.
        #[default]
        Other = "other",
    }
}

impl PageType {
    /// In the order of the model's classes.
    pub(crate) const CLASSES: [PageType; 7] = [
        PageType::Article,
        PageType::Collection,
        PageType::Documentation,
        PageType::Forum,
        PageType::Listing,
        PageType::Product,
        PageType::Service,
    ];
}

/// Probabilities of [`PageType::CLASSES`].
pub(crate) fn probabilities(model: &Model, page: &[f32]) -> [f32; 7] {
    if page.len() < model.width() {
        return [0.0; 7];
    }
    let mut out: [f32; 7] = model.score(page);
    let top = out.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = out.iter().map(|p| (p - top).exp()).sum();
    for p in &mut out {
        *p = (*p - top).exp() / sum;
    }
    out
}
