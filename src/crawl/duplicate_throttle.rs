//! The duplicate throttle: a host whose newest pages keep being near-duplicates is slowed and then cut off.
//!
//! **Definition.** Each stored page is reduced to a [`PageFingerprint`] (its text's SimHash, a key, how much there was).
//! A page is a *copy* where its SimHash lies within [`DuplicateThrottleOptions::distance`] bits, or the few more that a
//! changed word makes on a short page, of one of the last 8 different pages of its host. It *weighs* as much as its text
//! says: 1 from [`DuplicateThrottleOptions::full_weight_shingles`] different shingles on, less below, so that "not found"
//! pages with status 200, login forms and thin templates count late. A copy with words (not numbers) that none of the
//! last 16 vocabularies had weighs a quarter: it is a stub about something. A host is judged by two rules:
//!
//! - **near copies**: the share of copies among its newest pages (weighted moving average over about 32 pages). From
//!   `slow_share` on, copies are added up; `slow_after` of them slow the host, more and more, and `cut_after` of them
//!   with a share of `cut_share` or more cut it off, if they are as many as all its other pages. A share below
//!   `release_share` forgets all: the host was only passing through a dull part.
//! - **repeats**: sites that begin again under other names (session ids, mirrors of themselves) repeat in a period longer
//!   than any list of newest pages. So the keys of a *distinct sample* of all texts ever stored are kept (Gibbons: those
//!   keys with `level` trailing zeros; the level rises when 16 are full). Each page in the sample says whether it was
//!   there before: an unbiased share of repeats over any period. The host is cut when `cut_after` pages and half of all
//!   its pages were repeats in a row: when it was seen twice. A section that mirrors another is no reason.
//!
//! A host that mixes copies with new pages is never cut: as long as one in ten pages is new, it is worth its time.
//!
//! **Cost.** A few dozen operations and at most some 200 bytes a host, whatever its size. **Determinism.** The state
//! depends on the pages and their order alone.
//!
//! **Reference.** Charikar, doi:10.1145/509907.509965; Gibbons, "Distinct sampling for highly-accurate answers",
//! VLDB 2001.

mod fingerprint;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use webmill_capture::error::{Error, Result};

pub use self::fingerprint::{PageFingerprint, fingerprint};

/// Different pages compared with.
const RECENT: usize = 8;

/// Vocabularies compared with: the months of a calendar and some more.
const VOCABULARIES: usize = 16;

/// Weight of a copy with words of its own next to others.
const OWN_WORDS: f32 = 0.25;

/// Keys in the distinct sample.
const SAMPLE: usize = 16;

/// Pages (by weight) that the share of copies looks back.
const WINDOW: f32 = 32.0;

/// Pages of the sample that the share of repeats looks back.
const SAMPLE_WINDOW: f32 = 8.0;

/// Pages of the sample that must have been repeats before a host is cut for it.
const SAMPLE_LEAST: u16 = 16;

/// Weight of the shortest pages; those without any word have none.
const LEAST_WEIGHT: f32 = 0.05;

/// When a host is slowed and cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DuplicateThrottleOptions {
    /// Whether hosts are throttled at all; default true.
    pub enabled: bool,
    /// Largest Hamming distance of two SimHashes that counts as a copy, in bits, 0 to 16; default 3.
    pub distance: u32,
    /// Word triples in which a copy may differ even where that is more than `distance` (a page of 40 triples is another
    /// in 8 bits when one number in it changes), 0 to 1,000; default 6.
    pub changed_shingles: u32,
    /// Largest distance that `changed_shingles` can lead to, `distance` to 16; default 10.
    pub short_distance: u32,
    /// Different word triples from which on a page has full weight, 1 to 10,000; default 80.
    pub full_weight_shingles: u32,
    /// Share of copies from which on they are added up, above `release_share`, at most 1; default 0.8.
    pub slow_share: f32,
    /// Copies (by weight) after which the host is slowed; default 32.
    pub slow_after: u32,
    /// Largest factor by which the delay of a host grows, 1 to 1,000; default 16.
    pub slowest: f32,
    /// Share of copies at which a host can be cut, `slow_share` to 1; default 0.9.
    pub cut_share: f32,
    /// Copies (by weight) after which the host is cut, above `slow_after`; default 320.
    pub cut_after: u32,
    /// Share of copies below which the host is free again, 0 to below `slow_share`; default 0.5.
    pub release_share: f32,
}

impl Default for DuplicateThrottleOptions {
    fn default() -> Self {
        DuplicateThrottleOptions {
            enabled: true,
            distance: 3,
            changed_shingles: 6,
            short_distance: 10,
            full_weight_shingles: 80,
            slow_share: 0.8,
            slow_after: 32,
            slowest: 16.0,
            cut_share: 0.9,
            cut_after: 320,
            release_share: 0.5,
        }
    }
}

impl DuplicateThrottleOptions {
    /// Whether the numbers can work together.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and its range.
    pub fn check(&self) -> Result<()> {
        let rules = [
            (self.distance <= 16, "distance must be 0 to 16"),
            (self.changed_shingles <= 1000, "changed_shingles must be 0 to 1000"),
            ((self.distance..=16).contains(&self.short_distance), "short_distance must be distance to 16"),
            ((1..=10_000).contains(&self.full_weight_shingles), "full_weight_shingles must be 1 to 10000"),
            (
                self.release_share >= 0.0 && self.release_share < self.slow_share,
                "release_share must be 0 to below slow_share",
            ),
            (self.slow_share <= self.cut_share, "slow_share must be at most cut_share"),
            (self.cut_share <= 1.0, "cut_share must be at most 1"),
            (self.slow_after >= 1, "slow_after must be at least 1"),
            (self.cut_after > self.slow_after, "cut_after must be above slow_after"),
            ((1.0..=1000.0).contains(&self.slowest), "slowest must be 1 to 1000"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, rule)) => Err(Error::Config(format!("brake: {rule}"))),
            None => Ok(()),
        }
    }
}

impl DuplicateThrottleOptions {
    /// The distance that counts as a copy for a page of so many shingles: the expected one of two pages that differ
    /// in `changed_shingles` of them, 64·θ/π with cos θ = 1 − changed/shingles.
    fn distance_of(&self, shingles: u32) -> u32 {
        let share = f64::from(self.changed_shingles) / f64::from(shingles.max(1));
        let expected = 64.0 / std::f64::consts::PI * (1.0 - share).clamp(-1.0, 1.0).acos();
        (expected.round() as u32).clamp(self.distance, self.short_distance)
    }
}

/// What to do with the host.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ThrottleAction {
    /// Go on as usual.
    None,
    /// Multiply the delay of the host by this, above 1.
    Slow(f32),
    /// Fetch nothing more from it.
    Cut,
}

/// What the throttle knows of a host; it outlives the process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DuplicateThrottleState {
    /// SimHashes of the last different pages, the newest last; little-endian.
    recent: Vec<[u8; 8]>,
    /// Keys of the last different vocabularies, the newest last; three bytes of each.
    vocabularies: Vec<[u8; 3]>,
    /// Share of copies among the newest pages.
    share: f32,
    /// Weight of copies since the share rose.
    evidence: f32,
    /// Keys in the sample; little-endian.
    sample: Vec<[u8; 4]>,
    /// Trailing zeros of the keys in the sample.
    level: u8,
    /// Share of repeats among the newest pages of the sample.
    repeat_share: f32,
    /// Pages observed when the share of repeats rose; 0: it is low.
    repeats_from: u32,
    /// Repeats in the sample, since their share rose.
    repeat_count: u16,
    /// Pages observed.
    pages: u32,
    /// Copies among them.
    copies: u32,
    /// Why it was cut, once it is.
    cut: Option<CutReason>,
}

/// Why a host was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum CutReason {
    NearCopies,
    Repeats,
}

impl DuplicateThrottleState {
    /// Takes the newest page of the host. `None` is a page without words: it says nothing. A host that was cut stays
    /// cut, whatever comes.
    pub fn observe(
        &mut self,
        page: Option<PageFingerprint>,
        options: &DuplicateThrottleOptions,
    ) -> ThrottleAction {
        if !options.enabled {
            return ThrottleAction::None;
        }
        if let Some(page) = page.filter(|_| self.cut.is_none()) {
            self.pages = self.pages.saturating_add(1);
            let weight =
                (page.shingles as f32 / options.full_weight_shingles as f32).clamp(LEAST_WEIGHT, 1.0);
            let worth = if self.knows_words(page.words) { weight } else { weight * OWN_WORDS };
            let copy = self.remember(page.simhash, options.distance_of(page.shingles));
            self.copies = self.copies.saturating_add(u32::from(copy));
            let target = if copy { 1.0 } else { 0.0 };
            self.share += (target - self.share) * weight / WINDOW;
            if self.share < options.release_share {
                self.evidence = 0.0;
            } else if copy && self.share >= options.slow_share {
                self.evidence += worth;
            }
            self.sample(page.key, weight, options);
            let cut_after = options.cut_after as f32;
            // What a host has given earns it patience.
            let originals = (self.pages - self.copies) as f32;
            if self.evidence >= cut_after.max(originals) && self.share >= options.cut_share {
                self.cut = Some(CutReason::NearCopies);
            } else if self.repeats() >= cut_after.max(self.pages as f32 / 2.0)
                && self.repeat_count >= SAMPLE_LEAST
                && self.repeat_share >= options.cut_share
            {
                self.cut = Some(CutReason::Repeats);
            }
        }
        self.action(options)
    }

    /// What holds for the host now.
    pub fn action(&self, options: &DuplicateThrottleOptions) -> ThrottleAction {
        if self.cut.is_some() {
            return ThrottleAction::Cut;
        }
        let slow_after = options.slow_after as f32;
        // Repeats count where they are a quarter of the host.
        let repeats =
            Some(self.repeats()).filter(|repeats| repeats * 4.0 >= self.pages as f32).unwrap_or(0.0);
        let evidence = self.evidence.max(repeats);
        if !options.enabled || evidence < slow_after {
            return ThrottleAction::None;
        }
        let factor = (1.0 + evidence / slow_after).min(options.slowest);
        if factor > 1.0 { ThrottleAction::Slow(factor) } else { ThrottleAction::None }
    }

    /// Why the host was cut, for the event log: `near-copies` or `repeats`; `None` where it is not.
    pub fn reason(&self) -> Option<&'static str> {
        self.cut.map(|reason| match reason {
            CutReason::NearCopies => "near-copies",
            CutReason::Repeats => "repeats",
        })
    }

    /// Pages observed and, of them, near copies of one of the last different pages.
    pub fn counts(&self) -> (u32, u32) {
        (self.pages, self.copies)
    }

    /// Pages since their share of repeats rose.
    fn repeats(&self) -> f32 {
        if self.repeats_from == 0 { 0.0 } else { (self.pages - self.repeats_from) as f32 }
    }

    /// Puts the page last in the list of different pages; whether it is a copy of one of them, whose place it takes.
    fn remember(&mut self, simhash: u64, distance: u32) -> bool {
        let near = |other: &[u8; 8]| (u64::from_le_bytes(*other) ^ simhash).count_ones() <= distance;
        let found = self.recent.iter().rposition(near);
        match found {
            Some(at) => drop(self.recent.remove(at)),
            None if self.recent.len() == RECENT => drop(self.recent.remove(0)),
            None => {}
        }
        self.recent.push(simhash.to_le_bytes());
        found.is_some()
    }

    /// Puts the vocabulary last in the list; whether it was there.
    fn knows_words(&mut self, words: u32) -> bool {
        let [a, b, c, _] = words.to_le_bytes();
        let found = self.vocabularies.iter().position(|known| *known == [a, b, c]);
        match found {
            Some(at) => drop(self.vocabularies.remove(at)),
            None if self.vocabularies.len() == VOCABULARIES => drop(self.vocabularies.remove(0)),
            None => {}
        }
        self.vocabularies.push([a, b, c]);
        found.is_some()
    }

    /// Looks the page up in the distinct sample, if it belongs there.
    fn sample(&mut self, key: u32, weight: f32, options: &DuplicateThrottleOptions) {
        // Thin pages are alike without being repeats.
        if weight < 0.5 || key.trailing_zeros() < u32::from(self.level) {
            return;
        }
        let bytes = key.to_le_bytes();
        let repeat = self.sample.contains(&bytes);
        if !repeat {
            self.sample.push(bytes);
            while self.sample.len() > SAMPLE {
                self.level += 1;
                let level = u32::from(self.level);
                self.sample.retain(|key| u32::from_le_bytes(*key).trailing_zeros() >= level);
            }
        }
        let target = if repeat { 1.0 } else { 0.0 };
        self.repeat_share += (target - self.repeat_share) / SAMPLE_WINDOW;
        if self.repeat_share < options.release_share {
            (self.repeats_from, self.repeat_count) = (0, 0);
        } else if repeat && self.repeat_share >= options.slow_share {
            if self.repeats_from == 0 {
                self.repeats_from = self.pages;
            }
            self.repeat_count = self.repeat_count.saturating_add(1);
        }
    }
}
