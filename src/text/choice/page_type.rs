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
        /// No text of its own: an error, a check for robots, a page that scripts fill, one that leads elsewhere.
        Empty = "empty",
        /// A document that is no HTML: PDF, Office file, feed, plain text.
        Document = "document",
        /// None of these.
        #[default]
        Other = "other",
    }
}

/// How many types the model tells apart, and how many classes it has: articles of a few words are one of their own.
pub(crate) const TYPES: usize = 8;
pub(crate) const SCORES: usize = TYPES + 1;

impl PageType {
    /// In the order of the model's classes.
    pub(crate) const CLASSES: [PageType; TYPES] = [
        PageType::Article,
        PageType::Collection,
        PageType::Documentation,
        PageType::Forum,
        PageType::Listing,
        PageType::Product,
        PageType::Service,
        PageType::Empty,
    ];

    /// Those of pages that have a text.
    pub(crate) fn of_texts() -> &'static [PageType] {
        &Self::CLASSES[..TYPES - 1]
    }
}

/// How likely a page is what.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Types {
    /// Of each of [`PageType::CLASSES`].
    pub of: [f32; TYPES],
    /// An article of a few words: a short post.
    pub brief: f32,
}

/// What a page is likely to be, by its features.
pub(crate) fn probabilities(model: &Model, page: &[f32]) -> Types {
    if page.len() < model.width() {
        return Types::default();
    }
    let scores: [f32; SCORES] = model.score(page);
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers = scores.map(|score| (score - top).exp());
    let sum: f32 = powers.iter().sum();
    let brief = powers[TYPES] / sum;
    let mut of = std::array::from_fn(|i| powers[i] / sum);
    of[PageType::Article as usize] += brief;
    Types { of, brief }
}

/// The type of greatest probability among the first of [`PageType::CLASSES`], the first of equal ones.
pub(crate) fn likeliest(types: &[f32; TYPES], among: &[PageType]) -> PageType {
    let better = |best: PageType, &kind: &PageType| {
        if types[kind as usize] > types[best as usize] { kind } else { best }
    };
    among.iter().fold(PageType::Article, better)
}
