//! The passages that two winnowed texts share.
//!
//! **Definition.** A *run* is a pair of places at which both texts have the same units, as long as it can be made, with at
//! least one k-gram. Runs are found from *seeds*, pairs of places of a selected hash that both texts have. They become
//! *tiles*: the longest first (then by place in the first text, then in the second), each without what a tile before it
//! took of either text, as long as a k-gram is left. So no unit of either text is in two passages. Tiles that follow one
//! another in both texts with at most [`max_gap_words`](crate::passages::PassageOptions) other words between them on
//! either side are chained to one passage.
//!
//! **Cost.** That of the shorter text, but for a logarithm of the longer. Seeds of the rarest hashes are followed first, and
//! one that lies in a known run costs a lookup. Of a hash with many places the first [`PLACES`] are tried with each other,
//! the rest in their order from both ends, and at most [`STEPS_A_UNIT`] units are compared for each unit of the shorter
//! text. Seeds left aside are counted.
//!
//! **Reference.** Wise, "String Similarity via Greedy String Tiling and Running Karp-Rabin Matching", 1993.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use crate::passages::winnow::{WinnowOptions, Winnowed};

/// First places of one hash in one text that are tried with all those in the other.
pub(crate) const PLACES: usize = 8;

/// How many times as many selections a text has of which all but those near the other's are skipped.
const SKIP_FROM: usize = 8;

/// Comparisons of units allowed for each unit of the shorter text.
pub(crate) const STEPS_A_UNIT: usize = 64;

/// A passage of two texts, in units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aligned {
    pub a: Range<usize>,
    pub b: Range<usize>,
    /// Units that are equal, without the gaps.
    pub equal: usize,
    /// What they weigh, in parts of a k-gram.
    pub weight: u64,
}

/// The passages of two texts and what was not followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// In the order of the first text.
    pub passages: Vec<Aligned>,
    /// Seeds left aside, because a hash has too many places or the comparisons were used up.
    pub seeds_left: u64,
}

/// A run of equal units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    len: usize,
    a: Reverse<usize>,
    b: Reverse<usize>,
}

/// Selections of one hash in both texts: ranges of the lists of selections.
struct CommonSelections {
    a: Range<usize>,
    b: Range<usize>,
}

/// Aligns two texts that were winnowed alike; `max_gap` is in weight.
pub(crate) fn align(a: &Winnowed, b: &Winnowed, options: &WinnowOptions, max_gap: u64) -> Alignment {
    let mut search = Search { a, b, options, runs: BTreeMap::new(), latest: (0, 0..0), seeds_left: 0 };
    search.follow(common(a, b));
    let tiles = search.tiles();
    Alignment { passages: search.chain(tiles, max_gap), seeds_left: search.seeds_left }
}

/// The hashes that both texts selected, those with the fewest pairs of places first.
fn common(a: &Winnowed, b: &Winnowed) -> Vec<CommonSelections> {
    let turned = a.selected.len() > b.selected.len();
    let (few, many) = if turned { (&b.selected, &a.selected) } else { (&a.selected, &b.selected) };
    let skips = few.len() * SKIP_FROM < many.len();
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < few.len() && j < many.len() {
        let (x, y) = (few[i].0, many[j].0);
        if x == y {
            let (here, there) = (i..end_of_hash(few, i), j..end_of_hash(many, j));
            (i, j) = (here.end, there.end);
            let (a, b) = if turned { (there, here) } else { (here, there) };
            found.push(CommonSelections { a, b });
        } else if skips && y < x {
            j += first_not_less(&many[j..], x);
        } else {
            i += usize::from(x < y);
            j += usize::from(y < x);
        }
    }
    // Stable: equals stay in the order of their hashes.
    found.sort_by_key(|c| c.a.len().saturating_mul(c.b.len()));
    found
}

/// Where the selections end that are of the hash of selection `at`.
fn end_of_hash(selected: &[(u64, u32)], at: usize) -> usize {
    at + selected[at..].iter().take_while(|other| other.0 == selected[at].0).count()
}

/// How many selections are of lesser hashes, in the logarithm of their number.
fn first_not_less(selected: &[(u64, u32)], hash: u64) -> usize {
    let mut end = 1;
    while end < selected.len() && selected[end].0 < hash {
        end *= 2;
    }
    let from = end / 2;
    from + selected[from..selected.len().min(end)].partition_point(|selected| selected.0 < hash)
}

/// Pairs of places of one hash: all of the first [`PLACES`] in both texts, then those that are the same from the front and
/// those that are the same from the end, which is how a table or a list with a repeated phrase agrees.
fn seeds<'t>(a: &'t [(u64, u32)], b: &'t [(u64, u32)]) -> impl Iterator<Item = (u32, u32)> + 't {
    let first = |places: &'t [(u64, u32)]| &places[..places.len().min(PLACES)];
    let all = first(a).iter().flat_map(move |x| first(b).iter().map(move |y| (x.1, y.1)));
    let many = a.len() > PLACES || b.len() > PLACES;
    let rest = if many { a.len().min(b.len()) } else { 0 };
    let front = a.iter().zip(b).take(rest).skip(PLACES).map(|(x, y)| (x.1, y.1));
    let back = a.iter().rev().zip(b.iter().rev()).take(rest).map(|(x, y)| (x.1, y.1));
    all.chain(front).chain(back)
}

struct Search<'t> {
    a: &'t Winnowed,
    b: &'t Winnowed,
    options: &'t WinnowOptions,
    /// Runs by diagonal (place in `b` less place in `a`) and start in `a`; runs of one diagonal never meet.
    runs: BTreeMap<(i64, usize), usize>,
    /// The run that the last seed was in: its diagonal, and its places in `a`. Most seeds of near-duplicates are in one.
    latest: (i64, Range<usize>),
    seeds_left: u64,
}

impl Search<'_> {
    fn follow(&mut self, common: Vec<CommonSelections>) {
        let units = self.a.units.len().min(self.b.units.len());
        let mut steps = STEPS_A_UNIT.saturating_mul(units);
        for CommonSelections { a, b } in common {
            let pairs = (a.len() as u64).saturating_mul(b.len() as u64);
            let mut followed = 0;
            for (i, j) in seeds(&self.a.selected[a], &self.b.selected[b]) {
                if steps == 0 {
                    break;
                }
                steps = steps.saturating_sub(self.extend(i as usize, j as usize));
                followed += 1;
            }
            self.seeds_left = self.seeds_left.saturating_add(pairs.saturating_sub(followed));
        }
    }

    /// Makes the run of a seed as long as it can be; says how many units were compared.
    fn extend(&mut self, i: usize, j: usize) -> usize {
        let diagonal = j as i64 - i as i64;
        if self.latest.0 == diagonal && self.latest.1.contains(&i) {
            return 1;
        }
        let before = self.runs.range(..=(diagonal, i)).next_back();
        if let Some((&(_, start), &len)) =
            before.filter(|((d, start), len)| *d == diagonal && i < start + *len)
        {
            self.latest = (diagonal, start..start + len);
            return 1;
        }
        let (a, b) = (self.a.units.hashes(), self.b.units.hashes());
        let right = equal_from_start(&a[i..], &b[j..]);
        let left = equal_from_end(&a[..i], &b[..j]);
        // Shorter than a k-gram: two that differ fell on one hash.
        if self.has_gram(i..i + right) {
            self.runs.insert((diagonal, i - left), left + right);
            self.latest = (diagonal, i - left..i + right);
        }
        left + right + 2
    }

    /// Whether these units of the first text make a k-gram.
    fn has_gram(&self, mut units: Range<usize>) -> bool {
        let least = u64::from(self.options.gram_weight());
        let mut sum = 0;
        sum >= least
            || units.any(|i| {
                sum += u64::from(self.options.weight(self.a.units.is_letter(i)));
                sum >= least
            })
    }

    /// What these units of the first text weigh.
    fn weight(&self, units: Range<usize>) -> u64 {
        weight(self.a, units, self.options)
    }

    /// Takes the longest run first, each without what others took.
    fn tiles(&self) -> Vec<Run> {
        let run = |(&(diagonal, a), &len): (&(i64, usize), &usize)| Run {
            len,
            a: Reverse(a),
            b: Reverse((a as i64 + diagonal) as usize),
        };
        let mut runs: Vec<Run> = self.runs.iter().map(run).collect();
        runs.sort_unstable();
        // What is left of runs of which a part was taken.
        let mut pieces: BinaryHeap<Run> = BinaryHeap::new();
        let mut taken_a = TakenUnits::of(self.a.units.len());
        let mut taken_b = TakenUnits::of(self.b.units.len());
        let mut tiles = Vec::new();
        let mut taken = Vec::new();
        loop {
            let next = if pieces.peek() > runs.last() { pieces.pop() } else { runs.pop() };
            let Some(run) = next else { break };
            let (a, b) = (run.a.0, run.b.0);
            taken.clear();
            taken_a.within(a, run.len, &mut taken);
            taken_b.within(b, run.len, &mut taken);
            if taken.is_empty() {
                taken_a.take(a, run.len);
                taken_b.take(b, run.len);
                tiles.push(run);
                continue;
            }
            taken.sort_unstable_by_key(|part| part.start);
            let mut free = 0;
            for part in taken.drain(..).chain(std::iter::once(run.len..run.len)) {
                if part.start > free && self.has_gram(a + free..a + part.start) {
                    let (a, b) = (Reverse(a + free), Reverse(b + free));
                    pieces.push(Run { len: part.start - free, a, b });
                }
                free = free.max(part.end);
            }
        }
        tiles.sort_unstable_by_key(|tile| tile.a.0);
        tiles
    }

    /// Joins tiles, given in the order of the first text, over small gaps.
    fn chain(&self, tiles: Vec<Run>, max_gap: u64) -> Vec<Aligned> {
        let mut passages: Vec<Aligned> = Vec::new();
        for tile in tiles {
            let (a, b) = (tile.a.0, tile.b.0);
            let weight_here = self.weight(a..a + tile.len);
            if let Some(last) = passages.last_mut()
                && last.b.end <= b
                && within(self.a, last.a.end..a, self.options, max_gap)
                && within(self.b, last.b.end..b, self.options, max_gap)
            {
                (last.a.end, last.b.end) = (a + tile.len, b + tile.len);
                last.equal += tile.len;
                last.weight += weight_here;
                continue;
            }
            let (a, b) = (a..a + tile.len, b..b + tile.len);
            passages.push(Aligned { a, b, equal: tile.len, weight: weight_here });
        }
        passages
    }
}

/// Units that are compared before it is asked whether they were equal.
const ABREAST: usize = 8;

/// Whether units are equal, seen without a call: most runs end within the first few.
fn alike(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).fold(0, |unlike, (x, y)| unlike | (x ^ y)) == 0
}

/// How many units two texts begin with alike.
fn equal_from_start(a: &[u64], b: &[u64]) -> usize {
    let whole = a.chunks_exact(ABREAST).zip(b.chunks_exact(ABREAST)).take_while(|(x, y)| alike(x, y)).count();
    let at = whole * ABREAST;
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

/// How many units two texts end with alike.
fn equal_from_end(a: &[u64], b: &[u64]) -> usize {
    let whole =
        a.rchunks_exact(ABREAST).zip(b.rchunks_exact(ABREAST)).take_while(|(x, y)| alike(x, y)).count();
    let (a, b) = (&a[..a.len() - whole * ABREAST], &b[..b.len() - whole * ABREAST]);
    whole * ABREAST + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

fn weight(text: &Winnowed, units: Range<usize>, options: &WinnowOptions) -> u64 {
    units.map(|i| u64::from(options.weight(text.units.is_letter(i)))).sum()
}

/// Whether these units weigh no more than `most`.
fn within(text: &Winnowed, units: Range<usize>, options: &WinnowOptions, most: u64) -> bool {
    // No unit weighs less than one.
    units.len() as u64 <= most && weight(text, units, options) <= most
}

/// Which units of a text are taken, a bit a unit.
///
/// A run is looked through a few times at most: a run taken after it was pushed is at least as long, and so lies over one of its ends.
struct TakenUnits {
    bits: Vec<u64>,
}

impl TakenUnits {
    fn of(units: usize) -> TakenUnits {
        TakenUnits { bits: vec![0; units.div_ceil(64)] }
    }

    /// Adds the taken parts of `from .. from + len`, relative to `from`.
    fn within(&self, from: usize, len: usize, parts: &mut Vec<Range<usize>>) {
        let end = from + len;
        let mut start = self.first(from, end, true);
        while start < end {
            let behind = self.first(start, end, false);
            parts.push(start - from..behind - from);
            start = self.first(behind, end, true);
        }
    }

    /// The first place before `end` that is taken, or is not; else `end`.
    fn first(&self, from: usize, end: usize, taken: bool) -> usize {
        let mut at = from;
        while at < end {
            let word = if taken { self.bits[at / 64] } else { !self.bits[at / 64] };
            let found = word >> (at % 64);
            if found != 0 {
                return end.min(at + found.trailing_zeros() as usize);
            }
            at = (at / 64 + 1) * 64;
        }
        end
    }

    fn take(&mut self, from: usize, len: usize) {
        let end = from + len;
        let mut at = from;
        while at < end {
            let behind = end.min((at / 64 + 1) * 64);
            self.bits[at / 64] |= (u64::MAX >> (64 - (behind - at))) << (at % 64);
            at = behind;
        }
    }
}

#[cfg(test)]
#[path = "align_tests.rs"]
mod tests;
