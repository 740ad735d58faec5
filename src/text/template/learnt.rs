//! What the pages of a host teach: the texts that they share.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::footprint::{Footprint, Mark};
use super::style_tree::{composite, leaf};
use super::{MAX_IMPORTANCE, MAX_SHOWN, MIN_OWN, MIN_PAGES, Sample, Template};
use webmill_capture::words;

/// What learning a [template](super::Template) found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LearntTemplate {
    /// Pages looked at, copies once.
    pub pages: usize,
    /// Share of their prose that is shared, 0 to 1.
    pub share: f64,
    /// Whether there is a template, and if not, why.
    pub verdict: Verdict,
    /// Texts that at least half of the pages show, the least important and longest first, at most 64.
    pub texts: Vec<SharedText>,
}

/// A text that pages of a host show at one place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SharedText {
    /// Tags with classes down to it, of the innermost twelve elements: `body > div.foot > p`.
    pub path: String,
    /// Elements above it.
    pub depth: u16,
    /// Pages that show it.
    pub pages: usize,
    /// Different texts that the pages show at this path.
    pub styles: usize,
    /// Composite importance of the element at this path, with these texts for its styles.
    pub path_importance: f64,
    /// Number of words of the text.
    pub words: u16,
    /// 0 of what all pages show, 1 of what one shows.
    pub importance: f64,
    /// Whether it is left out of main texts.
    pub is_template: bool,
}

/// 1 − ln c / ln n for a text that c of n pages show; 1 where n ≤ 1.
///
/// This is a style tree's importance of a leaf with one feature that occurs once on each of c of n pages.
pub(super) fn importance(shown: usize, pages: usize) -> f64 {
    if pages <= 1 { 1.0 } else { leaf(&[(shown as f64).ln() / (pages as f64).ln()]).clamp(0.0, 1.0) }
}

/// A text with the first page that shows it.
struct ShownText<'p> {
    mark: &'p Mark,
    page: &'p Footprint,
    pages: usize,
    importance: f64,
}

impl<'p> ShownText<'p> {
    /// What texts are listed by.
    fn rank(&self) -> (Reverse<usize>, Reverse<u16>, &'p str, u64) {
        (Reverse(self.pages), Reverse(self.mark.words), self.page.path(self.mark).0, self.mark.hash)
    }
}

impl Template {
    /// The template of a host, if it has one, and what speaks for that.
    ///
    /// # Examples
    /// ```
    /// use webmill_html::{Limits, parse};
    /// use webmill_text::{Sample, Template, Verdict, footprint};
    /// let mut sample = Sample::default();
    /// for n in 0..10 {
    ///     let html = format!("<p>Nobody but page {n} says this of itself.</p><p>We sell tea on all days but Sundays.</p>");
    ///     sample.add(n, footprint(&parse(&html, &Limits::default())));
    /// }
    /// let (template, learnt) = Template::learn(&sample);
    /// assert_eq!((learnt.verdict, learnt.pages, template.unwrap().len()), (Verdict::On, 10, 1));
    /// assert_eq!((learnt.texts[0].path.as_str(), learnt.texts[0].importance), ("body > p", 0.0));
    /// ```
    pub fn learn(sample: &Sample) -> (Option<Template>, LearntTemplate) {
        let mut said = BTreeSet::new();
        let pages: Vec<&Footprint> = sample.pages.values().filter(|page| said.insert(page.said())).collect();
        let mut shown = shown(&pages);
        let mut marks: Vec<u64> = shown
            .iter()
            .filter(|text| pages.len() >= MIN_PAGES && text.importance <= MAX_IMPORTANCE)
            .map(|text| text.mark.hash)
            .collect();
        marks.sort_unstable();
        let template = Template { marks };
        let (share, poor) = shares(&pages, &template);
        let verdict = if pages.len() < MIN_PAGES {
            Verdict::FewPages
        } else if template.is_empty() {
            Verdict::NoneShared
        } else if 2 * poor > pages.len() && share > 0.5 {
            Verdict::Copies
        } else {
            Verdict::On
        };
        shown.retain(|text| 2 * text.pages >= pages.len().max(2));
        shown.sort_by(|a, b| a.rank().cmp(&b.rank()));
        shown.truncate(MAX_SHOWN);
        let styles = styles(&pages, &shown);
        let text = |text: &ShownText<'_>| {
            let (path, depth) = text.page.path(text.mark);
            SharedText {
                path: path.to_owned(),
                depth,
                pages: text.pages,
                styles: styles[path].len(),
                path_importance: path_importance(&styles[path], pages.len()),
                words: text.mark.words,
                importance: text.importance,
                is_template: verdict == Verdict::On && template.holds(text.mark.hash),
            }
        };
        let learnt =
            LearntTemplate { pages: pages.len(), share, verdict, texts: shown.iter().map(text).collect() };
        ((verdict == Verdict::On).then_some(template), learnt)
    }
}

/// The texts of pages, by hash.
fn shown<'p>(pages: &[&'p Footprint]) -> Vec<ShownText<'p>> {
    let mut marks: Vec<(u64, usize, &Mark)> = pages
        .iter()
        .enumerate()
        .flat_map(|(at, page)| page.marks().iter().map(move |mark| (mark.hash, at, mark)))
        .collect();
    marks.sort_unstable_by_key(|&(hash, at, _)| (hash, at));
    let text = |same: &[(u64, usize, &'p Mark)]| {
        let importance = importance(same.len(), pages.len());
        ShownText { mark: same[0].2, page: pages[same[0].1], pages: same.len(), importance }
    };
    marks.chunk_by(|a, b| a.0 == b.0).map(text).collect()
}

/// Share of the prose that is template, and the number of pages that have next to no other.
fn shares(pages: &[&Footprint], template: &Template) -> (f64, usize) {
    let (mut all, mut taken, mut poor) = (0, 0, 0);
    for page in pages {
        let (prose, shared) = (page.prose(|_| true), page.prose(|hash| template.holds(hash)));
        (all, taken) = (all + prose, taken + shared);
        poor += usize::from(shared as f64 > (1.0 - MIN_OWN) * prose as f64);
    }
    (taken as f64 / (all as f64).max(1.0), poor)
}

/// Composite importance of the element whose styles are these texts, with the number of the `pages` pages that each is on.
fn path_importance(styles: &BTreeMap<u64, usize>, pages: usize) -> f64 {
    composite(&styles.values().map(|&shown| (shown, importance(shown, pages))).collect::<Vec<_>>())
}

/// The different texts at each path of those shown, and how many pages show each.
fn styles<'p>(pages: &[&'p Footprint], shown: &[ShownText<'p>]) -> BTreeMap<&'p str, BTreeMap<u64, usize>> {
    let mut styles: BTreeMap<&str, BTreeMap<u64, usize>> =
        shown.iter().map(|text| (text.page.path(text.mark).0, BTreeMap::new())).collect();
    for page in pages {
        for mark in page.marks() {
            if let Some(texts) = styles.get_mut(page.path(mark).0) {
                *texts.entry(mark.hash).or_default() += 1;
            }
        }
    }
    styles
}

words! {
    /// Whether a host has a template.
    #[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    // Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
    pub enum Verdict {
        /// It has one.
        On = "on",
        /// Too few pages that are no copies of one another.
        FewPages = "few-pages",
        /// Its pages share no text.
        NoneShared = "none-shared",
        /// Its pages are copies of one text: next to nothing would stay of most of them.
        Copies = "copies",
    }
}
