//! Templates of hosts: text that stands at one place of many pages and that main text shall leave out.
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
//! **When off.** [`Template::learn`] gives none for fewer than three pages; where no sampled page would lose a word; where it
//! would take more than a quarter of the host's main text; and where the halves of the sample contradict each other: of
//! the words that a template of one half takes from the other half's pages, four fifths must be what most pages of the
//! other half leave out (fewer than six pages are too few for this check). [`Template::prune`] never takes all of a page.
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
//! learning sorts them, a millisecond or two; pruning looks each chosen block up by bisection. Samples can be merged in any
//! order, so that the template depends on the set of pages alone.
//!
//! Reference: L. Yi, B. Liu, X. Li, *Eliminating noisy information in Web pages for data mining*, KDD 2003,
//! doi:10.1145/956750.956785.

mod style_tree;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use crate::blocks::page::Page;
pub use style_tree::{Place, StyleTree};

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

/// Lowest bits of a mark: 0 chosen, 1–10 words.
const HASH: u64 = !0 << 11;
const CHOSEN: u64 = 1;
const MOST_WORDS: u64 = (1 << 10) - 1;

/// Hashes of text and place of a page's blocks, with what was chosen of them.
///
/// As numbers ([`From`], serde) it can be stored; numbers of any order and origin make a well-formed one.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct Footprint {
    /// By hash; each once.
    marks: Vec<u64>,
}

impl Footprint {
    pub(crate) fn new(page: &Page, chosen: &[bool]) -> Footprint {
        let places = places(page);
        let mut buffer = String::new();
        let marks: Vec<u64> = page
            .blocks
            .iter()
            .zip(chosen)
            .map(|(block, &chosen)| {
                let words = (block.counts.units.ceil() as u64).clamp(1, MOST_WORDS);
                let hash = mark(places[block.container as usize], page.text_of(block), &mut buffer);
                hash | words << 1 | u64::from(chosen)
            })
            .collect();
        Footprint::from(marks)
    }

    /// Words of the page's main text.
    fn words(&self) -> u64 {
        self.marks.iter().filter(|&mark| mark & CHOSEN != 0).map(|&mark| words(mark)).sum()
    }
}

impl From<Vec<u64>> for Footprint {
    fn from(mut marks: Vec<u64>) -> Footprint {
        // Of copies on the page the chosen one stays.
        marks.sort_unstable_by_key(|mark| (mark & HASH, !mark & CHOSEN, mark & !HASH));
        marks.dedup_by_key(|mark| *mark & HASH);
        marks.truncate(MAX_MARKS);
        Footprint { marks }
    }
}

impl From<Footprint> for Vec<u64> {
    fn from(page: Footprint) -> Vec<u64> {
        page.marks
    }
}

fn words(mark: u64) -> u64 {
    mark >> 1 & MOST_WORDS
}

/// Hash of the tags from the top to each container.
fn places(page: &Page) -> Vec<u64> {
    let mut places: Vec<u64> = Vec::with_capacity(page.containers.len());
    for (i, container) in page.containers.iter().enumerate() {
        let above = if i == 0 { 0 } else { places[container.parent as usize] };
        places.push(xxh3_64_with_seed(container.tag.name().as_bytes(), above));
    }
    places
}

/// Hash of a text at a place, without its lowest bits.
fn mark(place: u64, text: &str, buffer: &mut String) -> u64 {
    buffer.clear();
    if text.is_ascii() {
        buffer.extend(text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase() as char));
    } else {
        buffer.extend(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
    }
    let mut hash = Xxh3::with_seed(place);
    hash.update(buffer.as_bytes());
    hash.digest() & HASH
}

/// Footprints of a host's pages, of at most [`MAX_PAGES`] of them.
///
/// # Examples
///
/// ```
/// # use webmill_text::{Footprint, Sample};
/// let (mut a, mut b) = (Sample::default(), Sample::default());
/// a.add(1, Footprint::default());
/// b.add(2, Footprint::default());
/// a.merge(b);
/// assert_eq!(a.len(), 2);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Sample {
    pages: BTreeMap<u64, Footprint>,
}

impl Sample {
    /// Whether a page would be kept: what need not be parsed shows before its footprint is made.
    pub fn wants(&self, key: u64) -> bool {
        self.pages.len() < MAX_PAGES || self.pages.last_key_value().is_some_and(|(&last, _)| key <= last)
    }

    /// Adds a page. Its key is a hash of its URL; of two pages with one key the one with more main text stays.
    pub fn add(&mut self, key: u64, page: Footprint) {
        if !self.wants(key) {
            return;
        }
        let kept = self.pages.entry(key).or_default();
        if (page.words(), &page.marks) > (kept.words(), &kept.marks) {
            *kept = page;
        }
        if self.pages.len() > MAX_PAGES {
            self.pages.pop_last();
        }
    }

    /// Adds the pages of another sample of the same host.
    pub fn merge(&mut self, other: Sample) {
        for (key, page) in other.pages {
            self.add(key, page);
        }
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

/// Texts of a host that its pages leave out of their main text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct Template {
    /// Hashes, sorted.
    marks: Vec<u64>,
}

impl From<Vec<u64>> for Template {
    fn from(mut marks: Vec<u64>) -> Template {
        marks.iter_mut().for_each(|mark| *mark &= HASH);
        marks.sort_unstable();
        marks.dedup();
        Template { marks }
    }
}

impl From<Template> for Vec<u64> {
    fn from(template: Template) -> Vec<u64> {
        template.marks
    }
}

/// What [`Template::learn`] found.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Learnt {
    /// Pages looked at.
    pub pages: usize,
    /// Sampled pages that would lose words.
    pub hit: usize,
    /// Share of the sample's main text that is template.
    pub share: f64,
    /// Share of what each half of the sample takes from the other that the other agrees to; 1 if that is nothing.
    pub agreement: f64,
    /// Whether there is a template, and if not, why.
    pub verdict: Verdict,
}

impl Verdict {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::On => "on",
            Verdict::FewPages => "few-pages",
            Verdict::NoResidue => "no-residue",
            Verdict::TooMuch => "too-much",
            Verdict::Unconfirmed => "unconfirmed",
        }
    }
}

/// Whether a host has a template.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It has one.
    On,
    /// Too few pages.
    FewPages,
    /// No page has template in its main text.
    NoResidue,
    /// Too much of the main text would go.
    TooMuch,
    /// The halves of the sample contradict each other.
    Unconfirmed,
}

impl Template {
    /// The template of a host, if it has one that helps, and what speaks for that.
    pub fn learn(sample: &Sample) -> (Option<Template>, Learnt) {
        let pages: Vec<&Footprint> = sample.pages.values().collect();
        let mut learnt =
            Learnt { pages: pages.len(), hit: 0, share: 0.0, agreement: 1.0, verdict: Verdict::FewPages };
        if pages.len() < MIN_PAGES as usize {
            return (None, learnt);
        }
        let template = Template::voted(&pages);
        let (mut taken, mut all) = (0, 0);
        for page in &pages {
            let here: u64 = template.residue(page).map(words).sum();
            learnt.hit += usize::from(here > 0);
            taken += here;
            all += page.words();
        }
        learnt.share = taken as f64 / all.max(1) as f64;
        learnt.agreement = agreement(&pages);
        learnt.verdict = if taken == 0 {
            Verdict::NoResidue
        } else if learnt.share > MAX_SHARE {
            Verdict::TooMuch
        } else if learnt.agreement < MIN_AGREEMENT {
            Verdict::Unconfirmed
        } else {
            Verdict::On
        };
        ((learnt.verdict == Verdict::On).then_some(template), learnt)
    }

    /// What the pages vote for.
    fn voted(pages: &[&Footprint]) -> Template {
        let needed = (pages.len() as u32).div_ceil(2).clamp(MIN_PAGES, ENOUGH_PAGES);
        let marks = votes(pages)
            .into_iter()
            .filter(|vote| vote.shown >= needed && vote.is_template())
            .map(|vote| vote.hash)
            .collect();
        Template { marks }
    }

    /// Number of texts in it.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    fn holds(&self, mark: u64) -> bool {
        self.marks.binary_search(&(mark & HASH)).is_ok()
    }

    /// Chosen marks of a page that are template.
    fn residue(&self, page: &Footprint) -> impl Iterator<Item = u64> {
        page.marks.iter().copied().filter(|&mark| mark & CHOSEN != 0 && self.holds(mark))
    }

    /// Whether pruning may change the main text of the page that has this footprint.
    pub fn touches(&self, page: &Footprint) -> bool {
        self.residue(page).next().is_some()
    }

    /// Takes template out of the choice; gives the number of blocks taken. The block of the page's title stays, and a page
    /// of which nothing else would stay is left as it is.
    pub(crate) fn prune(&self, page: &Page, chosen: &mut [bool], title_at: Option<usize>) -> usize {
        let places = places(page);
        let mut buffer = String::new();
        let mut taken = Vec::new();
        let mut left = 0;
        for (i, block) in page.blocks.iter().enumerate().filter(|&(i, _)| chosen[i]) {
            let hash = mark(places[block.container as usize], page.text_of(block), &mut buffer);
            if Some(i) != title_at && self.holds(hash) {
                taken.push(i);
            } else {
                left += usize::from(Some(i) != title_at);
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
}

/// How many pages show a mark, and how many of them choose it.
struct Vote {
    hash: u64,
    shown: u32,
    chosen: u32,
}

impl Vote {
    fn is_template(&self) -> bool {
        3 * self.chosen <= self.shown
    }
}

/// The votes of pages, by hash.
fn votes(pages: &[&Footprint]) -> Vec<Vote> {
    let mut marks: Vec<u64> = pages.iter().flat_map(|page| page.marks.iter().copied()).collect();
    marks.sort_unstable();
    marks
        .chunk_by(|a, b| a & HASH == b & HASH)
        .map(|same| Vote {
            hash: same[0] & HASH,
            shown: same.len() as u32,
            chosen: same.iter().filter(|&mark| mark & CHOSEN != 0).count() as u32,
        })
        .collect()
}

/// Learns from each half of the pages in turn: share of the words it takes from the other half that most pages of that
/// half leave out.
fn agreement(pages: &[&Footprint]) -> f64 {
    let halves = [0, 1].map(|first| pages.iter().copied().skip(first).step_by(2).collect::<Vec<_>>());
    let (mut taken, mut agreed) = (0, 0);
    for (learnt, held) in [(&halves[0], &halves[1]), (&halves[1], &halves[0])] {
        let template = Template::voted(learnt);
        let votes = votes(held);
        for mark in held.iter().flat_map(|page| template.residue(page)) {
            taken += words(mark);
            if let Ok(at) = votes.binary_search_by_key(&(mark & HASH), |vote| vote.hash) {
                agreed += if votes[at].chosen * 2 <= votes[at].shown { words(mark) } else { 0 };
            }
        }
    }
    if taken == 0 { 1.0 } else { agreed as f64 / taken as f64 }
}

#[cfg(test)]
mod tests;
