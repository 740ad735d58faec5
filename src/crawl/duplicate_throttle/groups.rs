//! Evidence against the patterns of a host.
//!
//! A table of at most [`MOST`] patterns. A pattern enters it with its first copy, so that honest hosts have none. When it
//! is full, the one with the least evidence that is not cut makes room.

use serde::{Deserialize, Serialize};

use super::pattern::Width;

/// Patterns kept.
const MOST: usize = 24;

/// Units of evidence in a copy of full weight.
pub(super) const UNIT: u32 = 16;

/// Copies (of full weight) by which a pattern is cut.
const CUT_AFTER: u32 = 48;

/// How many times as many it takes for a whole section of a host.
const WIDE_FACTOR: u32 = 4;

/// Copies up to which a pattern's own evidence is too little, so that it counts for the wider ones.
const OWN: u32 = 4;

/// Copies that each page with something new outweighs: nine in ten may be copies for ever.
const OUTWEIGHED: u32 = 9;

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
struct Group {
    key: u32,
    /// Copies less what outweighs them, in units.
    score: u32,
    /// Pages with something new since it is in the table.
    fresh: u32,
    /// Pages that count neither way: they are fetched because somebody asked for them all the same.
    spared: u32,
    cut: Option<CutState>,
}

/// How a pattern that was cut is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CutState {
    refused: u32,
    /// Number of the refused URL that is let through.
    probe_at: u32,
    gap: u32,
    hits: u8,
}

/// The table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Groups(Vec<Group>);

impl Groups {
    fn at(&self, key: u32) -> Option<usize> {
        self.0.iter().position(|group| group.key == key)
    }

    /// Counts a page of this weight (in units) for its patterns, given from the narrowest to the widest.
    pub fn count<'a>(
        &mut self,
        patterns: impl Iterator<Item = (Width, u32, &'a str)>,
        copy: bool,
        weight: u32,
    ) {
        // What a narrow pattern gathers by itself is none of the wider ones' business.
        let mut is_its_own = false;
        for (width, key, _) in patterns {
            if let Some(at) =
                self.at(key).or_else(|| (copy && !is_its_own).then(|| self.enter(key)).flatten())
            {
                is_its_own |= self.0[at].count(width, copy, weight, is_its_own);
            }
        }
    }

    /// Whether a URL of this pattern is refused now; some are let through as probes.
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
                group.score = 0;
            }
        }
    }

    /// Whether the pattern is cut.
    pub fn is_cut(&self, key: u32) -> bool {
        self.at(key).is_some_and(|at| self.0[at].cut.is_some())
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
        let group = Group { key, score: 0, fresh: 0, spared: 0, cut: None };
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
    /// Counts a page, but for a copy that is a narrower pattern's own (`of_narrower`); whether it is this one's own.
    fn count(&mut self, width: Width, copy: bool, weight: u32, of_narrower: bool) -> bool {
        if let Some(cut) = &mut self.cut {
            if cut.probed(copy) {
                (self.cut, self.score) = (None, 0);
                // The next time takes twice as long.
                self.fresh = self.fresh.max(CUT_AFTER * PATIENCE).saturating_mul(2);
            }
            return true;
        }
        if self.spared > 0 {
            self.spared -= 1;
            return true;
        }
        if !copy {
            self.fresh = self.fresh.saturating_add(1);
            self.score = self.score.saturating_sub(weight.saturating_mul(OUTWEIGHED));
            return false;
        }
        if of_narrower {
            return false;
        }
        let before = self.score;
        self.score = self.score.saturating_add(weight);
        let least = if width == Width::Section { CUT_AFTER * WIDE_FACTOR } else { CUT_AFTER };
        if self.score >= least.max(self.fresh / PATIENCE).saturating_mul(UNIT) {
            self.cut = Some(CutState { refused: 0, probe_at: FIRST_PROBE, gap: FIRST_PROBE, hits: 0 });
        }
        before >= OWN * UNIT
    }
}

impl CutState {
    /// A URL of the pattern was fetched; whether that releases it.
    fn probed(&mut self, copy: bool) -> bool {
        if copy {
            self.hits = 0;
            return false;
        }
        self.hits = self.hits.saturating_add(1);
        self.gap = NEXT_PROBE;
        self.probe_at = self.refused.saturating_add(NEXT_PROBE);
        self.hits >= HITS
    }
}
