//! Templates of hosts: text that is at the same place of many pages and that main text shall leave out.
//!
//! **What.** A page is judged by itself, and now and then the frame of a poor page (an index, a login wall, an error) looks
//! like its text: "View page source", a cookie notice, a licence. Other pages of the host show the same words at the same
//! place and leave them out. A [`Template`] holds the texts on which a host's pages outvote a page.
//!
//! **Definition.** A *mark* is the text of a block (letters and digits, case folded) with the tags from `body` down to it. Of
//! n sampled pages, c show a mark and k of them have it in their main text. It is template if c ≥ max(3, min(⌈n/2⌉, 20)) and
//! k ≤ c/3. Repetition alone is no sign: of what most of its pages choose, people mark the larger part as main text (labels,
//! "See also", terms of sale).
//!
//! **The other method.** [`TemplateMethod::StyleTree`] takes what has a composite importance of at most 0.2 in the
//! [`StyleTree`] of the sampled pages, on at least three pages, for template, whatever its pages choose. [`StyleTree::elements`]
//! shows the importance of every element, also where there is no template.
//!
//! **When off.** [`Template::learn`] gives none for fewer than three pages; where no sampled page would lose a word; where it
//! would take more than a quarter of the host's main text; and where the halves of the sample contradict each other: of
//! the words that a template of one half takes from the other half's pages, four fifths must be what most pages of the
//! other half leave out (fewer than six pages are too few for this check). Pruning never takes all of a page. The same
//! holds of the style tree, where the halves agree on what both find unimportant.
//!
//! **Measured** with tables trained on other hosts. 38 hosts with 3 to 12 human-marked pages (wcxb-dev, 155 pages): mean
//! token F1 0.7218 → 0.7270, 12 pages better, 2 worse by at most 0.001; three bad pages make nearly all of the gain, and
//! the 10 hosts of five pages and more gain 0.0001. Taking whatever half of the pages and at least three repeat, or what
//! the [style tree](StyleTree) holds for template, gains 0.006 with pages that lose 0.40, and loses 0.010 from five pages on.
//! Hosts of 300 pages lose, of the characters of their main text: linux-doc 0.06 %, its Chinese part 0.52 %,
//! libreoffice-help 0.07 %, apache2-doc 0.08 %, cppreference 1.5 %, nearly all of it navigation and notices; rust-doc and
//! debian-handbook nothing (off).
//!
//! **Cost.** A page's [`Footprint`] is linear in its text and has 8 bytes a mark, at most [`MAX_MARKS`]; a [`Sample`] keeps the
//! footprints of the [`MAX_PAGES`] pages with the smallest keys (1 MiB at most; 10 to 120 KiB for the hosts above);
//! learning sorts them, a millisecond or two; pruning looks each chosen block up by bisection. A layout for the style tree
//! adds 16 bytes a word, at most 200 KiB a page and 13 MiB a host. Samples can be merged in any
//! order, so that the template depends on the set of pages alone.
//!
//! Reference: L. Yi, B. Liu, X. Li, *Eliminating noisy information in Web pages for data mining*, KDD 2003,
//! doi:10.1145/956750.956785.

mod elements;
mod footprint;
mod layout;
mod learnt;
mod sample;
mod style_tree;
mod votes;

use serde::{Deserialize, Serialize};

use crate::blocks::page::Page;
use footprint::{mark, places, words};
use layout::{Layout, leaves_of};
use votes::{agreement, voted};
use webmill_html::Dom;

pub use elements::ElementImportance;
pub use footprint::Footprint;
pub use learnt::{Learnt, Verdict};
pub use sample::Sample;
pub use style_tree::StyleTree;

/// Pages of a host that are looked at.
pub const MAX_PAGES: usize = 64;
/// Marks kept of a page: those of the smallest hashes, so that pages keep the same ones.
pub const MAX_MARKS: usize = 2048;
/// Pages that show a mark, at least.
const MIN_PAGES: u32 = 3;
/// Pages that are enough, however large the sample is.
const ENOUGH_PAGES: u32 = 20;
/// Share of the host's main text that is never exceeded.
const MAX_SHARE: f64 = 0.25;
/// Share of what one half of the sample takes that the other half must agree to.
const MIN_AGREEMENT: f64 = 0.8;
/// Importance up to which an element of the style tree is template.
const MAX_IMPORTANCE: f64 = 0.2;

/// By what the template of a host is learnt.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TemplateMethod {
    /// By the texts that pages show at one place and leave out of their main text.
    #[default]
    Footprint,
    /// By the importance of the elements of a [`StyleTree`].
    StyleTree,
}

impl TemplateMethod {
    /// Its name in recipes and tables.
    pub fn name(self) -> &'static str {
        match self {
            TemplateMethod::Footprint => "footprint",
            TemplateMethod::StyleTree => "style-tree",
        }
    }
}

/// Texts or elements of a host that main text leaves out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Template {
    method: TemplateMethod,
    /// Hashes of texts at their places, or keys of elements; sorted.
    marks: Vec<u64>,
}

impl Template {
    /// The template of a host by a method, if it has one that helps, and what speaks for that. For the
    /// [style tree](TemplateMethod::StyleTree) the sample holds footprints that
    /// were [made for it](crate::footprint); pages without a layout are none of its pages.
    ///
    /// # Examples
    /// ```
    /// use webmill_html::{Limits, metadata, parse};
    /// use webmill_text::{Sample, Template, TemplateMethod, Verdict, footprint};
    /// let mut sample = Sample::default();
    /// for n in 0..6 {
    ///     let html = format!("<p>Home</p><h1>Page {n}</h1>");
    ///     let dom = parse(&html, &Limits::default());
    ///     sample.add(n, footprint(TemplateMethod::StyleTree, &dom, &metadata(&dom, None, &[])));
    /// }
    /// let (template, learnt) = Template::learn(TemplateMethod::StyleTree, &sample);
    /// // None where no page has template in its main text.
    /// assert_eq!((learnt.pages, template.is_some()), (6, learnt.verdict == Verdict::On));
    /// ```
    pub fn learn(method: TemplateMethod, sample: &Sample) -> (Option<Template>, Learnt) {
        let (template, learnt) = match method {
            TemplateMethod::Footprint => Template::by_texts(sample.pages.values().collect()),
            TemplateMethod::StyleTree => {
                Template::by_elements(sample.pages.values().filter_map(Footprint::layout).collect())
            }
        };
        ((learnt.verdict == Verdict::On).then_some(template), learnt)
    }

    fn by_texts(pages: Vec<&Footprint>) -> (Template, Learnt) {
        let marks = if pages.len() < MIN_PAGES as usize { Vec::new() } else { voted(&pages) };
        let template = Template { method: TemplateMethod::Footprint, marks };
        if pages.len() < MIN_PAGES as usize {
            return (template, Learnt::few(pages.len()));
        }
        let taken: Vec<u64> =
            pages.iter().map(|page| page.chosen_of(&template.marks).map(words).sum()).collect();
        let all = pages.iter().map(|page| page.words()).sum();
        let hit = taken.iter().filter(|&&taken| taken > 0).count();
        let learnt = Learnt::judge(pages.len(), [all, taken.iter().sum()], hit, agreement(&pages));
        (template, learnt)
    }

    fn by_elements(pages: Vec<&Layout>) -> (Template, Learnt) {
        if pages.len() < MIN_PAGES as usize {
            return (
                Template { method: TemplateMethod::StyleTree, marks: Vec::new() },
                Learnt::few(pages.len()),
            );
        }
        let keys = |pages: &[&Layout]| {
            let tree = StyleTree::of_layouts(pages.iter().copied());
            tree.unimportant(&tree.importance(), MIN_PAGES, MAX_IMPORTANCE)
        };
        let template = Template { method: TemplateMethod::StyleTree, marks: keys(&pages) };
        let taken: Vec<u64> = pages.iter().map(|page| page.chosen_of(&template.marks)).collect();
        let all = pages.iter().map(|page| page.words()).sum();
        let hit = taken.iter().filter(|&&taken| taken > 0).count();
        // Each half of the pages finds unimportant what the other half does.
        let halves = [0, 1].map(|first| pages.iter().copied().skip(first).step_by(2).collect::<Vec<_>>());
        let found = halves.each_ref().map(|half| keys(half));
        let both: Vec<u64> =
            found[0].iter().copied().filter(|key| found[1].binary_search(key).is_ok()).collect();
        let (mut one, mut other) = (0, 0);
        for (found, held) in [(&found[0], &halves[1]), (&found[1], &halves[0])] {
            for page in held {
                one += page.chosen_of(found);
                other += page.chosen_of(&both);
            }
        }
        let agreement = if one == 0 { 1.0 } else { other as f64 / one as f64 };
        let learnt = Learnt::judge(pages.len(), [all, taken.iter().sum()], hit, agreement);
        (template, learnt)
    }

    /// Number of texts or elements in it.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Whether pruning may change the main text of the page that has this footprint.
    pub fn touches(&self, page: &Footprint) -> bool {
        match self.method {
            TemplateMethod::Footprint => page.chosen_of(&self.marks).next().is_some(),
            TemplateMethod::StyleTree => {
                page.layout().is_some_and(|layout| layout.chosen_of(&self.marks) > 0)
            }
        }
    }

    /// Takes template out of the choice; gives the number of blocks taken. The block of the page's title stays, and a page
    /// of which nothing else would stay is left as it is.
    pub(crate) fn prune(&self, page: &Page, chosen: &mut [bool], title_at: Option<usize>) -> usize {
        let held = self.blocks(page, chosen);
        let mut taken = Vec::new();
        let mut left = 0;
        for (i, &held) in held.iter().enumerate().filter(|&(i, _)| chosen[i] && Some(i) != title_at) {
            if held {
                taken.push(i);
            } else {
                left += 1;
            }
        }
        if left == 0 {
            return 0;
        }
        for &i in &taken {
            chosen[i] = false;
        }
        taken.len()
    }

    /// Which blocks of those wanted are template.
    fn blocks(&self, page: &Page, wanted: &[bool]) -> Vec<bool> {
        let holds = |mark: u64| self.marks.binary_search(&mark).is_ok();
        let mut out = vec![false; page.blocks.len()];
        match self.method {
            TemplateMethod::Footprint => {
                let places = places(page);
                let mut buffer = String::new();
                for (i, block) in page.blocks.iter().enumerate().filter(|&(i, _)| wanted[i]) {
                    let place = places[block.container as usize];
                    out[i] = holds(mark(place, page.text_of(block), &mut buffer));
                }
            }
            TemplateMethod::StyleTree => leaves_of(page, |key, blocks| {
                if holds(key) {
                    out[blocks].fill(true);
                }
            }),
        }
        out
    }
}

/// Footprint of a page for a method, by the choice of its blocks.
pub(crate) fn footprint_of(method: TemplateMethod, dom: &Dom<'_>, page: &Page, chosen: &[bool]) -> Footprint {
    let footprint = Footprint::new(page, chosen);
    match method {
        TemplateMethod::Footprint => footprint,
        TemplateMethod::StyleTree => footprint.with_layout(Layout::new(dom, page, chosen)),
    }
}

#[cfg(test)]
mod tests;
