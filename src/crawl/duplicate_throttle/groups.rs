//! What is held against the patterns of a host.
//!
//! A table of at most [`MOST`] patterns. A pattern enters it with its first copy, so that honest hosts have none. When it
//! is full, the one with the least evidence that is not cut makes room.

use serde::{Deserialize, Serialize};

use super::pattern::Width;
use super::{CutReason, DuplicateThrottleOptions};

/// Patterns kept.
const MOST: usize = 24;

/// Units of evidence in a copy of full weight.
pub(super) const UNIT: u32 = 16;

/// Copies up to which a pattern's own evidence is too little, so that it counts for the wider ones.
const OWN: u32 = 4;

/// Texts of the sample that must have come again, with none that is new between.
const REPEATS: u16 = 12;

/// Pages with something new for each of which a pattern is given one copy's patience.
const PATIENCE: u32 = 4;

/// URLs refused before the first probe.
const FIRST_PROBE: u32 = 64;

/// Most URLs between two probes.
const RAREST_PROBE: u32 = 4096;

/// URLs between a probe that found something and the next.
const NEXT_PROBE: u32 = 4;

/// Probes in a row that must find something.
const HITS: u8 = 3;

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Group {
    key: u32,
    /// Evidence: copies less what was new, in units.
    score: u32,
    /// Pages with something new since it is in the table.
    fresh: u32,
    /// Sampled texts in a row that came again, and how many they stand for.
    repeats: u16,
    stands_for: u32,
    /// Pages that count neither way: they are fetched because somebody asked for them all the same.
    spared: u32,
    cut: Option<Cut>,
}

/// How a pattern that was cut is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Cut {
    why: CutReason,
    refused: u32,
    /// The URL that is let through: the so many-th refused one.
    probe_at: u32,
    gap: u32,
    hits: u8,
}

/// A page as the patterns count it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// It brought nothing new.
    pub copy: bool,
    /// In units.
    pub weight: u32,
    /// It is in the sample: whether it came again, for how many it stands.
    pub sampled: Option<(bool, u32)>,
    /// Pages of the host.
    pub pages: u32,
}

/// What became of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Cut,
    Released,
}

/// The table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Groups(Vec<Group>);

impl Groups {
    fn at(&self, key: u32) -> Option<usize> {
        self.0.iter().position(|group| group.key == key)
    }

    /// Counts a page for its patterns, given from the narrowest to the widest.
    pub fn count<'a>(
        &mut self,
        patterns: impl Iterator<Item = (Width, u32, &'a str)>,
        seen: Seen,
        options: &DuplicateThrottleOptions,
    ) -> Option<Turn> {
        let against = seen.copy || matches!(seen.sampled, Some((true, _)));
        // Evidence that a narrow pattern gathers by itself is none against the wide ones around it.
        let (mut counts, mut turn) = (true, None);
        for (width, key, _) in patterns {
            let Some(at) = self.at(key).or_else(|| against.then(|| self.enter(key)).flatten()) else {
                continue;
            };
            let group = &mut self.0[at];
            if let Some(cut) = &mut group.cut {
                if cut.probed(seen) {
                    group.release(options);
                    turn = Some(Turn::Released);
                }
                counts = false;
                continue;
            }
            if group.spared > 0 {
                group.spared -= 1;
                counts = false;
                continue;
            }
            let before = group.score;
            group.add(seen, counts, options);
            if counts && let Some(why) = group.verdict(width, seen.pages, options) {
                group.cut = Some(Cut { why, refused: 0, probe_at: FIRST_PROBE, gap: FIRST_PROBE, hits: 0 });
                turn = Some(Turn::Cut);
            }
            counts &= before < OWN * UNIT && group.cut.is_none();
        }
        turn
    }

    /// Whether a URL of this pattern is refused now; every so many-th is not.
    pub fn refuses(&mut self, key: u32) -> bool {
        let Some(at) = self.at(key) else { return false };
        let Some(cut) = &mut self.0[at].cut else { return false };
        cut.refused = cut.refused.saturating_add(1);
        if cut.refused < cut.probe_at {
            return true;
        }
        cut.gap = (cut.gap * 2).min(RAREST_PROBE);
        cut.probe_at = cut.refused.saturating_add(cut.gap);
        false
    }

    /// Releases all patterns; as many pages of each as were refused are fetched whatever they are.
    pub fn forgive(&mut self) {
        for group in &mut self.0 {
            if let Some(cut) = group.cut.take() {
                group.spared = group.spared.saturating_add(cut.refused);
                (group.score, group.repeats, group.stands_for) = (0, 0, 0);
            }
        }
    }

    /// Why the pattern is cut; `None` where it is not.
    pub fn reason(&self, key: u32) -> Option<CutReason> {
        self.0[self.at(key)?].cut.as_ref().map(|cut| cut.why)
    }

    /// Whether any pattern is cut.
    pub fn any_cut(&self) -> bool {
        self.0.iter().any(|group| group.cut.is_some())
    }

    /// Patterns that are cut, and the URLs that this refused.
    pub fn cuts(&self) -> (u32, u64) {
        let cuts = self.0.iter().filter_map(|group| group.cut.as_ref());
        cuts.fold((0, 0), |(patterns, urls), cut| (patterns + 1, urls + u64::from(cut.refused)))
    }

    /// A new row; `None` where all are cut.
    fn enter(&mut self, key: u32) -> Option<usize> {
        let group = Group { key, score: 0, fresh: 0, repeats: 0, stands_for: 0, spared: 0, cut: None };
        if self.0.len() < MOST {
            self.0.push(group);
            return Some(self.0.len() - 1);
        }
        let open = (0..self.0.len()).filter(|&at| self.0[at].cut.is_none());
        let at = open.min_by_key(|&at| self.0[at].score)?;
        self.0[at] = group;
        Some(at)
    }
}

impl Group {
    fn add(&mut self, seen: Seen, counts: bool, options: &DuplicateThrottleOptions) {
        if !seen.copy {
            self.fresh = self.fresh.saturating_add(1);
            let patience = f64::from(options.cut_share / (1.0 - options.cut_share).max(1e-3));
            let less = (f64::from(seen.weight) * patience) as u32;
            self.score = self.score.saturating_sub(less);
        } else if counts {
            self.score = self.score.saturating_add(seen.weight);
        }
        match seen.sampled {
            Some((true, n)) => {
                self.repeats = self.repeats.saturating_add(1);
                self.stands_for = self.stands_for.saturating_add(n);
            }
            Some((false, _)) => (self.repeats, self.stands_for) = (0, 0),
            None => {}
        }
    }

    fn verdict(&self, width: Width, pages: u32, options: &DuplicateThrottleOptions) -> Option<CutReason> {
        let wide = width >= Width::Section;
        let least = options.cut_after.saturating_mul(if wide { options.wide_factor } else { 1 });
        // What a pattern has given earns it patience.
        if self.score >= least.max(self.fresh / PATIENCE).saturating_mul(UNIT) {
            return Some(CutReason::NearCopies);
        }
        let of_all = if wide { pages / 3 } else { 0 };
        let enough = least.saturating_mul(4).max(of_all).max(self.fresh / PATIENCE);
        (self.repeats >= REPEATS && self.stands_for >= enough).then_some(CutReason::Repeats)
    }

    fn release(&mut self, options: &DuplicateThrottleOptions) {
        self.cut = None;
        (self.score, self.repeats, self.stands_for) = (0, 0, 0);
        // The next time takes twice as long.
        self.fresh = self.fresh.max(options.cut_after.saturating_mul(PATIENCE)).saturating_mul(2);
    }
}

impl Cut {
    /// A URL of the pattern was fetched; whether that releases it.
    fn probed(&mut self, seen: Seen) -> bool {
        let again = seen.sampled.map(|(again, _)| again);
        // What comes again after long cannot be told from what is new by a memory of the last pages.
        if self.why == CutReason::Repeats && !seen.copy && again.is_none() {
            return false;
        }
        if seen.copy || again == Some(true) {
            self.hits = 0;
            return false;
        }
        self.hits = self.hits.saturating_add(1);
        self.gap = NEXT_PROBE;
        self.probe_at = self.refused.saturating_add(NEXT_PROBE);
        self.hits >= HITS
    }
}
