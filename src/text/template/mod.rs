//! Templates of hosts: texts that the pages of a host share and that main text shall leave out.
//!
//! **What.** An intro, a footer, a notice, a biography beside every article look like text, and where they stand on every page,
//! the choice of a page by itself takes them on every page. Other pages tell them from the text: a [`Template`] holds what
//! nearly all pages of the host show, whatever was chosen of it.
//!
//! **Definition.** A *mark* is the text of a block (letters and digits, case folded) with the tags from `body` down to it. Of
//! n sampled pages, c show a mark; its importance is that of a leaf of a style tree with this one feature,
//! 1 − ln c / ln n. It is template if that is at most 0.1: 8 of 10 pages, 23 of 32. Pages whose prose is equal count once
//! (prose: words that are neither links nor headings nor labels). A *label* has at most six words and is no sentence; people
//! mark those inside of texts as text ("Parameters", "Erroneous code example:", heads of tables). So a label of the template
//! stays where it is between a page's own texts and stands over one of them, and goes before the first of these, behind
//! the last, and over other template. A longer text stays too where it stands between a page's own texts and in the same
//! section as the nearest of them (quotations and lists are part of the section around them): a poem that many pages discuss, a
//! warning under many headings. The title stays, and a page of which nothing else would stay is left as it is.
//!
//! **When off.** [`Template::learn`] gives none for fewer than eight pages; where nothing is shared; and where the pages are
//! copies of one text: where more than half of them would keep less than a fifth of their prose, and the shared text is more
//! than half of all prose.
//!
//! **Measured** with the shipped tables. Marked sets by site, 1,154 pages of hosts of three and more, of which those of ten pages
//! and more can change (16 sites of English blogs but one, 15 of Chinese ones, 17 of other languages, two shops): token F1 of
//! five sites rises, by 0.0012 to 0.0114 (a shop 0.7394 → 0.7478), the others stay as they are, and no page loses. Manuals of 64
//! to 800 pages lose, of the characters of their main text: rust-doc as a whole, std, reference, book, node and sphinx nothing,
//! exiftool 0.01 %, npm 0.06, cargo 0.07, rustc 0.07, rust-by-example 0.11, error_codes 0.49; unstable-book 24 %, help on keys
//! ("Press Esc to hide this help") that its short pages had for text. An importance of 0.2 takes an eighth of the Rust book,
//! whose notice three pages of five have, and 62 % of a manual of rustdoc; taking labels too costs error_codes 2 % and a shop
//! 0.004 of token F1.
//! Planted sites of 10 to 2,000 pages with 5 to 60 % of intro, footer, box and biography: token F1 0.53 to 0.99 before, at least
//! 0.98 after (`planted.rs`).
//!
//! **Cost.** A page's [`Footprint`] needs its blocks and no model: a quarter of what extracting the page costs. It has 16 bytes a
//! mark, at most [`MAX_MARKS`], and its paths; a [`Sample`] keeps the footprints of the [`MAX_PAGES`] pages with the smallest
//! keys (3 MiB at most, 30 to 150 KiB as a rule); learning sorts them, a millisecond or two; pruning looks each chosen
//! block up by bisection. Samples can be merged in any order, so that the template depends on the set of pages alone.
//!
//! Reference: L. Yi, B. Liu, X. Li, *Eliminating noisy information in Web pages for data mining*, KDD 2003,
//! doi:10.1145/956750.956785.

mod footprint;
mod learnt;
mod sample;
mod style_tree;

use serde::{Deserialize, Serialize};

use crate::blocks::elements::heading;
use crate::blocks::page::Page;
use footprint::{is_label, mark, places};
use webmill_html::Tag;

pub use footprint::Footprint;
pub use learnt::{LearntTemplate, SharedText, Verdict};
pub use sample::Sample;

/// Pages of a host that are looked at.
pub const MAX_PAGES: usize = 32;
/// Marks kept of a page: those of the smallest hashes, so that pages keep the same ones.
pub const MAX_MARKS: usize = 2048;
/// Pages that are no copies of one another, at least.
const MIN_PAGES: usize = 8;
/// Importance up to which a text is template.
const MAX_IMPORTANCE: f64 = 0.1;
/// Share of its prose that a page keeps which is no copy.
const MIN_OWN: f64 = 0.2;
/// Texts that are told of a host.
const MAX_SHOWN: usize = 64;

/// Texts of a host that main text leaves out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Template {
    /// Hashes of texts at their places; sorted.
    marks: Vec<u64>,
}

/// What a chosen block is to a template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Own,
    Label,
    Notice,
}

impl Template {
    /// Number of texts in it.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    fn holds(&self, hash: u64) -> bool {
        self.marks.binary_search(&hash).is_ok()
    }

    /// Takes template out of the choice; gives the number of blocks taken.
    pub(crate) fn prune(&self, page: &Page, chosen: &mut [bool], title_at: Option<usize>) -> usize {
        let places = places(page);
        let mut buffer = String::new();
        let at: Vec<usize> = (0..chosen.len()).filter(|&i| chosen[i]).collect();
        let kind = |&i: &usize| {
            let block = &page.blocks[i];
            let place = places[block.container as usize];
            match Some(i) != title_at && self.holds(mark(place, page.text_of(block), &mut buffer)) {
                true if is_label(block) => Kind::Label,
                true => Kind::Notice,
                false => Kind::Own,
            }
        };
        let kinds: Vec<Kind> = at.iter().map(kind).collect();
        let part = |(&i, &kind): (&usize, &Kind)| {
            let block = &page.blocks[i];
            let is_prose = block.ends_sentence && !is_label(block) && Some(i) != title_at;
            let is_heading = heading(page.containers[block.container as usize].tag).is_some();
            Part { kind, section: section(page, block.container), is_prose: is_prose && !is_heading }
        };
        let taken = taken(&at.iter().zip(&kinds).map(part).collect::<Vec<_>>());
        if at.iter().zip(&taken).all(|(&i, &taken)| taken || Some(i) == title_at) {
            return 0;
        }
        at.iter().zip(&taken).for_each(|(&i, &taken)| chosen[i] &= !taken);
        taken.iter().filter(|&&taken| taken).count()
    }
}

/// A chosen block.
#[derive(Clone, Copy)]
struct Part {
    kind: Kind,
    /// The element that it stands in.
    section: u32,
    /// Whether it is a sentence or more, and no heading.
    is_prose: bool,
}

/// The element that a block's container stands in, through quotations and lists.
fn section(page: &Page, container: u32) -> u32 {
    let parent = |at: u32| page.containers[at as usize].parent;
    let mut at = parent(container);
    while at != 0
        && matches!(
            page.containers[at as usize].tag,
            Tag::Blockquote | Tag::Ul | Tag::Ol | Tag::Li | Tag::Dl | Tag::Dd | Tag::Figure
        )
    {
        at = parent(at);
    }
    at
}

/// Which chosen blocks go: notices, and labels that stand over no text of the page's own. A notice between texts of the page's
/// own, in the section of the one before or behind it, is part of them: a quotation, a warning that many manuals repeat.
fn taken(parts: &[Part]) -> Vec<bool> {
    let first = parts.iter().position(|part| part.kind == Kind::Own).unwrap_or(parts.len());
    let own = |part: &Part| (part.kind == Kind::Own && part.is_prose).then_some(part.section);
    // Sections of the nearest prose of the page's own before each part.
    let before: Vec<Option<u32>> = parts
        .iter()
        .scan(None, |last, part| {
            *last = own(part).or(*last);
            Some(*last)
        })
        .collect();
    let (mut taken, mut over_own, mut behind) = (vec![false; parts.len()], false, None);
    for (i, part) in parts.iter().enumerate().rev() {
        let is_part =
            before[i].is_some() && behind.is_some() && [before[i], behind].contains(&Some(part.section));
        behind = own(part).or(behind);
        match part.kind {
            Kind::Own => over_own = true,
            Kind::Notice if is_part => over_own = true,
            Kind::Notice => (over_own, taken[i]) = (false, true),
            Kind::Label => taken[i] = i < first || !over_own,
        }
    }
    taken
}

#[cfg(test)]
mod planted;
#[cfg(test)]
mod tests;
