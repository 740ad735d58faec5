//! The duplicate throttle: a pattern of URLs whose pages keep being copies is cut off; the rest of the host is not.
//!
//! **Definition.** Each stored page is reduced to a [`PageFingerprint`]: the hashes of its blocks of text. A page is a *copy*
//! where its host showed every block of it lately, or all of its words together: it brings nothing, not even a number.
//! (Numbers, dates and words that only repeat the page's own URL are no part of a block.) It *weighs* as much as it says: 1 from
//! 80 words on, less below, so that "not found" pages with status 200, login forms and empty shells count late; twice as much
//! where its URL names a date or a position in a list, which go on without an end.
//!
//! Each pattern of the page's URL ([`Patterns`]: `/item/{n}?view={w}`, its path, its section) keeps the share of copies among
//! its pages in one number: a copy adds its weight, a page with something new takes off nine times its own, not below 0. As
//! long as one page in ten is new, no pattern is cut. At 48 copies the pattern is, a section at four times as many. What a
//! pattern has given before earns it patience: a quarter of its pages with something new, where that is more.
//!
//! A cut is a soft verdict: of the URLs that it refuses the 64th, and then every 128th, 256th and so on to 4,096th, is
//! fetched all the same; three of these in a row with something new release the pattern. Seeds, what seeds link to and what
//! sitemaps list is never refused.
//!
//! **Cost.** A few look-ups a block; 50 bytes for a host of a page, some 700 for most, at most 11 KiB for one of thousands.
//! **Determinism.** The state depends on the pages and their order alone.

mod fingerprint;
mod groups;
mod known;
mod pattern;
#[cfg(test)]
mod tests;
mod tokens;
mod url_words;

use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;

pub use self::fingerprint::{Fingerprinter, MOST_BLOCKS, PageFingerprint, fingerprint};
use self::groups::{Groups, UNIT};
use self::known::BlockFilter;
pub use self::pattern::{Patterns, Width};

/// Words from which on a page has full weight.
const FULL_WEIGHT_WORDS: f32 = 80.0;

/// Weight of the shortest pages; those without any word have none.
const LEAST_WEIGHT: f32 = 0.05;

/// Weight from which on pages with the same words are copies: thin pages are alike without being so.
const TELLING_WEIGHT: f32 = 0.5;

/// Blocks remembered of a page that is mostly known, or one of the first four, so that a template is known soon.
const MANY_BLOCKS: usize = 64;

/// Pages with which a host begins.
const FIRST_PAGES: u32 = 4;

/// Blocks remembered of any other page.
const FEW_BLOCKS: usize = 8;

/// Bytes of the largest filter of blocks, and of texts: twice as many are kept of each.
const BLOCK_BYTES: usize = 1024;
const TEXT_BYTES: usize = 4096;

/// Depth up to which URLs are vouched for: seeds, what seeds link to, what sitemaps list.
const VOUCHED_DEPTH: u32 = 1;

/// What the throttle knows of a host; it outlives the process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuplicateThrottleState {
    blocks: BlockFilter,
    texts: BlockFilter,
    groups: Groups,
    /// Pages observed.
    pages: u32,
    /// Copies among them.
    copies: u32,
}

impl DuplicateThrottleState {
    /// Takes the newest page of the host. `None` is a page without words: it says nothing.
    pub fn observe(&mut self, url: &CanonicalUrl, page: Option<&PageFingerprint>) {
        let Some(page) = page else { return };
        self.pages = self.pages.saturating_add(1);
        let weight = (page.words as f32 / FULL_WEIGHT_WORDS).clamp(LEAST_WEIGHT, 1.0);
        let mut copy = self.learn(page);
        if weight >= TELLING_WEIGHT {
            copy |= self.texts.meet_or_insert(page.key, TEXT_BYTES);
        }
        self.copies = self.copies.saturating_add(u32::from(copy));
        let patterns = Patterns::of(url);
        let factor = if patterns.counts_on { 2.0 } else { 1.0 };
        let weight = (weight * factor * UNIT as f32).round().max(1.0) as u32;
        self.groups.count(patterns.iter(), copy, weight);
    }

    /// The pattern for which a URL, `depth` links from a seed, is not fetched; to be asked once for each URL, because now and
    /// then one is let through.
    pub fn refuses(&mut self, url: &CanonicalUrl, depth: u32) -> Option<String> {
        if depth <= VOUCHED_DEPTH || !self.groups.any_cut() {
            return None;
        }
        let patterns = Patterns::of(url);
        let (_, key, text) = patterns.iter().find(|(_, key, _)| self.groups.is_cut(*key))?;
        self.groups.refuses(key).then(|| text.to_owned())
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
            page.blocks.iter().copied().filter(|block| !self.blocks.meet(*block, BLOCK_BYTES)).collect();
        let all = new.is_empty();
        let many = self.pages <= FIRST_PAGES || new.len() * 2 <= page.blocks.len();
        new.truncate(if many { MANY_BLOCKS } else { FEW_BLOCKS });
        // Afterwards: the page is no copy of itself.
        new.into_iter().for_each(|block| self.blocks.insert(block, BLOCK_BYTES));
        all && page.whole
    }
}
