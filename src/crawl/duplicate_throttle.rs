//! The duplicate throttle: a pattern of URLs whose pages keep being copies is cut off; the rest of the host is not.
//!
//! **Definition.** Each stored page is reduced to a [`PageFingerprint`]: the hashes of its blocks of text. A block that its
//! host showed lately is the site's template or something that another page said already. A page is a *copy* where
//! every block of it was shown before: it brings nothing, not even a number. (Numbers, dates and words that only repeat
//! the page's own URL are no part of a block.) It *weighs* as much as it says: 1 from
//! [`DuplicateThrottleOptions::full_weight_words`] words on, less below, so that "not found" pages with status 200, login
//! forms and empty shells count late; twice as much where its URL names a date or a position in a list, which go on
//! without an end.
//!
//! Evidence is kept for the [`Patterns`] of the page's URL (`/item/{n}?view={w}`), narrow and wide, in two ways:
//!
//! - **near copies** (Page's cumulative sum): each copy adds its weight, each page with something new takes off
//!   `cut_share / (1 - cut_share)` of its own, not below 0: as long as one page in ten is new, no pattern is cut. At
//!   `cut_after` the pattern is; wide ones at `wide_factor` times as much, made of copies that no narrower pattern
//!   gathered by itself. What a pattern has given before earns it patience.
//! - **repeats**: sites that begin again under other names (session ids, mirrors of themselves), and views of one list in
//!   many orders, repeat in a period longer than any memory of blocks. A distinct sample of all texts ever stored says
//!   of each text in it whether it was there before; twelve in a row that were, standing for 4 × `cut_after` pages and,
//!   for a wide pattern, a third of the host, cut the pattern.
//!
//! A cut is a soft verdict: of the URLs that it refuses the 64th, and then every 128th, 256th and so on to 4,096th, is
//! fetched all the same; three of these in a row with something new release the pattern. Seeds, what seeds link to and what
//! sitemaps list is never refused.
//!
//! **Cost.** A few look-ups a block; 50 bytes for a host of a page, some 700 for most, at most 2.7 KiB, whatever its size. **Determinism.**
//! The state depends on the pages and their order alone.
//!
//! **Reference.** Page, "Continuous inspection schemes", doi:10.1093/biomet/41.1-2.100; Gibbons, "Distinct sampling for
//! highly-accurate answers", VLDB 2001.

mod fingerprint;
mod groups;
mod known;
mod options;
mod pattern;
mod sample;
#[cfg(test)]
mod tests;
mod tokens;
mod url_words;

use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;

pub use self::fingerprint::{Fingerprinter, MOST_BLOCKS, PageFingerprint, fingerprint};
use self::groups::{Groups, Seen, Turn, UNIT};
use self::known::Known;
pub use self::options::DuplicateThrottleOptions;
pub use self::pattern::{Patterns, Width};
use self::sample::DistinctSample;

/// Weight of the shortest pages; those without any word have none.
const LEAST_WEIGHT: f32 = 0.05;

/// Blocks remembered of a page that is mostly known, or one of the first four, so that a template is known soon.
const MANY_BLOCKS: usize = 64;

/// Pages with which a host begins.
const FIRST_PAGES: u32 = 4;

/// Blocks remembered of any other page.
const FEW_BLOCKS: usize = 8;

/// Depth up to which URLs are vouched for: seeds, what seeds link to, what sitemaps list.
const VOUCHED_DEPTH: u32 = 1;

/// What a page did to its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThrottleAction {
    /// Nothing: go on as usual.
    None,
    /// A pattern of its URL is refused from now on.
    Cut,
    /// A pattern of its URL is fetched again.
    Released,
}

/// Why a pattern was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum CutReason {
    NearCopies,
    Repeats,
}

/// What the throttle knows of a host; it outlives the process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuplicateThrottleState {
    known: Known,
    groups: Groups,
    sample: DistinctSample,
    /// Pages observed.
    pages: u32,
    /// Copies among them.
    copies: u32,
}

impl DuplicateThrottleState {
    /// Takes the newest page of the host. `None` is a page without words: it says nothing.
    pub fn observe(
        &mut self,
        url: &CanonicalUrl,
        page: Option<&PageFingerprint>,
        options: &DuplicateThrottleOptions,
    ) -> ThrottleAction {
        let Some(page) = page.filter(|_| options.enabled) else { return ThrottleAction::None };
        self.pages = self.pages.saturating_add(1);
        let weight = (page.words as f32 / options.full_weight_words as f32).clamp(LEAST_WEIGHT, 1.0);
        let copy = self.learn(page);
        self.copies = self.copies.saturating_add(u32::from(copy));
        // Thin pages are alike without being repeats.
        let sampled = if weight >= 0.5 { self.sample.take(page.key) } else { None };
        let patterns = Patterns::of(url);
        let factor = if patterns.counts_on { 2.0 } else { 1.0 };
        let weight = (weight * factor * UNIT as f32).round().max(1.0) as u32;
        let seen = Seen { copy, weight, sampled, pages: self.pages };
        match self.groups.count(patterns.iter(), seen, options) {
            None => ThrottleAction::None,
            Some(Turn::Cut) => ThrottleAction::Cut,
            Some(Turn::Released) => ThrottleAction::Released,
        }
    }

    /// The pattern for which a URL, `depth` links from a seed, is not fetched, with the reason; to be asked once for each
    /// URL, because now and then one is let through.
    pub fn refuses(
        &mut self,
        url: &CanonicalUrl,
        depth: u32,
        options: &DuplicateThrottleOptions,
    ) -> Option<String> {
        if !options.enabled || depth <= VOUCHED_DEPTH || !self.groups.any_cut() {
            return None;
        }
        let patterns = Patterns::of(url);
        let (_, key, text) = patterns.iter().find(|(_, key, _)| self.groups.reason(*key).is_some())?;
        let why = match self.groups.reason(key)? {
            CutReason::NearCopies => "near copies",
            CutReason::Repeats => "repeats",
        };
        self.groups.refuses(key).then(|| format!("{text} ({why})"))
    }

    /// Releases every pattern that is cut, so that what was refused can be fetched after all.
    pub fn forgive(&mut self) {
        self.groups.forgive();
    }

    /// Pages observed and, of them, copies.
    pub fn counts(&self) -> (u32, u32) {
        (self.pages, self.copies)
    }

    /// Whether any pattern of the host is cut.
    pub fn is_cut(&self) -> bool {
        self.groups.any_cut()
    }

    /// Patterns of the host that are cut, and the URLs that this refused.
    pub fn cuts(&self) -> (u32, u64) {
        self.groups.cuts()
    }

    /// Remembers what the page shows; whether all of it was known.
    fn learn(&mut self, page: &PageFingerprint) -> bool {
        let mut new: Vec<u32> =
            page.blocks.iter().copied().filter(|block| !self.known.meet(*block)).collect();
        let all = new.is_empty();
        let many = self.pages <= FIRST_PAGES || new.len() * 2 <= page.blocks.len();
        new.truncate(if many { MANY_BLOCKS } else { FEW_BLOCKS });
        // Afterwards: the page is no copy of itself.
        new.into_iter().for_each(|block| self.known.insert(block));
        all && page.whole
    }
}
