//! What tells whether two pages of a host are of one template and say different things.

use webmill_capture::cut::Cut;
use webmill_dedup::{Shingles, Structure, TemplateShare};

use crate::Page;

/// Tags and texts of a page that are compared, from its beginning.
pub const MAX_TOKENS: usize = 2_000;

/// Bytes of a main text that are compared, from its beginning.
pub const MAX_TEXT_BYTES: usize = 8 << 10;

const SHINGLE_WORDS: usize = 3;

/// Structure and text of a page, by their beginnings: at most 28 KiB.
///
/// Ordered by content, so that one of two captures of a URL can be chosen whatever their order.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Likeness {
    structure: Structure,
    text: Shingles,
}

impl Likeness {
    /// That of a page; `None` of one without a tree.
    pub(crate) fn of(page: &Page<'_>) -> Option<Likeness> {
        let whole = Structure::of(page.dom()?);
        let structure = Structure::of_tokens(whole.tokens().iter().copied().take(MAX_TOKENS));
        let text = page.document().map_or("", |document| &document.main.text);
        let text = Shingles::of(text.cut(..text.floor_char_boundary(MAX_TEXT_BYTES)), SHINGLE_WORDS);
        Some(Likeness { structure, text })
    }

    /// Compares pages of a host, each with each, by the rule for one template with other content.
    pub fn share<'a>(pages: impl IntoIterator<Item = &'a Likeness>) -> TemplateShare {
        TemplateShare::of(pages.into_iter().map(|page| (&page.structure, &page.text)))
    }
}

impl Ord for Likeness {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let content = |page: &Self| (page.text.len(), page.structure.tokens().len());
        content(self)
            .cmp(&content(other))
            .then_with(|| self.text.hashes().cmp(other.text.hashes()))
            .then_with(|| self.structure.tokens().cmp(other.structure.tokens()))
    }
}

impl PartialOrd for Likeness {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
