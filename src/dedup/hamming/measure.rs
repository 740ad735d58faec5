//! The plan of a join, from what its values are like.
//!
//! **Problem.** The bits of fingerprints are not uniform. Within a site, whose pages share a template, a third of a
//! SimHash's bits may be nearly constant, and which ones differs from site to site. Tables that are cut as if bits were
//! uniform then have groups of the whole site.
//!
//! **Algorithm.** A sample of the values (at most [`SAMPLE`], drawn by a fixed hash of positions) tells for any mask
//! the probability that two values agree on it: the share of pairs of the sample that do. Blocks are filled bit by bit,
//! the most varying bits first, each into the block on which values agree most until then; bits that do not vary are in
//! no block. For each number of blocks the tables' groups are counted in the sample, and the close pairs among some of
//! it, which come together in many tables where they agree on many blocks; the plan with the least expected work wins.
//! Comparing everything with everything is one of the candidates.
//!
//! **Cost.** 5 to 20 ms a plan; nothing is planned where comparing everything with everything takes no longer.
//!
//! **Determinism.** Plans depend on the values only. They decide about time, never about the pairs found.

use crate::hamming::compare::{Compared, Rectangle, Task};
use crate::hamming::plan::{Choices, Plan, binomial, equal_blocks};

/// Nanoseconds or so: a comparison, a value brought to its group, a group looked up.
const COMPARE: f64 = 0.08;
const GROUP: f64 = if cfg!(test) { 0.5 } else { 8.0 };
const PROBE: f64 = 60.0;
/// And a pair that is close, in each table in which it comes together.
const CLOSE: f64 = 10.0;

/// Most values that are looked at.
const SAMPLE: usize = 4096;

/// Most values that are compared with each other to know how many are close.
const CLOSE_SAMPLE: usize = 1024;

/// Work, in nanoseconds, that is done rather than planned; little in tests, so that small sets are planned.
const PLANNED: f64 = if cfg!(test) { 1e4 } else { 2e7 };

/// Tables whose groups are counted to judge a plan.
const JUDGED: usize = 24;

/// No plan has more tables than this.
const MAX_TABLES: f64 = 4000.0;

/// If at most this many pairs of the sample agree on a block, their number says little.
const NOISE: f64 = 64.0;

/// What the tables are for.
#[derive(Copy, Clone, Debug)]
pub(super) enum Work {
    /// All pairs of this number of values.
    Within(usize),
    /// Single queries: number of values, most tables.
    Query(usize, usize),
}

impl Work {
    fn pairs(self) -> f64 {
        match self {
            Work::Within(n) => n as f64 * n.saturating_sub(1) as f64 / 2.0,
            Work::Query(n, _) => n as f64,
        }
    }

    /// What a table costs before anything is compared.
    fn table(self) -> f64 {
        match self {
            Work::Within(n) => n as f64 * GROUP,
            Work::Query(..) => PROBE,
        }
    }

    fn most_tables(self) -> f64 {
        match self {
            Work::Query(_, most) => most as f64,
            _ => MAX_TABLES,
        }
    }
}

/// Nanoseconds that comparing everything with everything takes.
pub(super) fn all_pairs(work: Work) -> f64 {
    work.pairs() * COMPARE
}

/// A plan for `values` that is expected to take less than `most` nanoseconds, and less
/// than comparing everything with everything; `None` where there is none.
pub(super) fn plan(work: Work, values: &[u64], k: u32, most: f64) -> Option<Plan> {
    let most = most.min(all_pairs(work));
    let planned = if matches!(work, Work::Query(..)) { 2.0 * PROBE } else { PLANNED };
    if most < planned {
        return None;
    }
    let sample = Sample(drawn(values));
    let mut bits: Vec<(f64, u32)> = (0..64).rev().map(|bit| (sample.agreeing(1 << bit), bit)).collect();
    bits.retain(|(agreeing, _)| *agreeing < 1.0);
    // Stable: where bits are alike, the higher ones come first.
    bits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let bits: Vec<u32> = bits.into_iter().map(|(_, bit)| bit).collect();
    let thinned = sample.thinned();
    let close = thinned.close(k);
    // What is close is found without tables too, once.
    let most = most + work.pairs() * close.len() as f64 / thinned.pairs().max(1.0) * CLOSE;
    let mut best: Option<(Vec<Vec<u32>>, f64)> = None;
    let mut worse = 0;
    for m in k + 1..=bits.len() as u32 {
        let tables = binomial(m, k);
        let limit = best.as_ref().map_or(most, |best| best.1);
        if tables > work.most_tables() || tables * work.table() >= limit || worse == 2 {
            break;
        }
        let blocks = sample.blocks(&bits, m);
        let compared = tables * sample.group_share(&blocks, k) * COMPARE;
        let found = thinned.close_share(&close, &blocks, k) * CLOSE;
        let cost = tables * work.table() + work.pairs() * (compared + found);
        if cost < limit {
            best = Some((blocks, cost));
            worse = 0;
        } else {
            worse += u32::from(best.is_some());
        }
    }
    best.map(|(blocks, _)| Plan::with_blocks(&blocks, k))
}

/// The share of pairs of `values` that agree on `mask`, about.
pub(super) fn agreed(values: &[u64], mask: u64) -> f64 {
    Sample(drawn(values)).agreeing(mask)
}

/// Values that stand for all.
struct Sample(Vec<u64>);

impl Sample {
    fn pairs(&self) -> f64 {
        let n = self.0.len() as f64;
        n * (n - 1.0) / 2.0
    }

    /// The share of pairs that agree on `mask`.
    fn agreeing(&self, mask: u64) -> f64 {
        let mut keys: Vec<u64> = self.0.iter().map(|v| v & mask).collect();
        keys.sort_unstable();
        let groups = keys.chunk_by(|a, b| a == b);
        let agreeing = groups.map(|group| group.len() as f64 * (group.len() - 1) as f64 / 2.0).sum::<f64>();
        agreeing / self.pairs().max(1.0)
    }

    /// `m` blocks on which values agree about equally often.
    fn blocks(&self, bits: &[u32], m: u32) -> Vec<Vec<u32>> {
        let noise = NOISE / self.pairs().max(1.0);
        let mut blocks: Vec<(f64, u64, Vec<u32>)> = vec![(1.0, 0, Vec::new()); m as usize];
        for &bit in bits {
            let weak = blocks
                .iter_mut()
                .max_by(|a, b| a.0.max(noise).total_cmp(&b.0.max(noise)).then(b.2.len().cmp(&a.2.len())));
            let Some((agreeing, mask, held)) = weak else { break };
            *mask |= 1 << bit;
            held.push(bit);
            // Past the noise only the number of bits counts.
            if *agreeing > noise {
                *agreeing = self.agreeing(*mask);
            }
        }
        // Bits that vary together may all have gone to few blocks, and left none for the others.
        let mut blocks: Vec<Vec<u32>> = blocks.into_iter().map(|block| block.2).collect();
        if blocks.iter().any(Vec::is_empty) {
            blocks = equal_blocks(bits, m);
        }
        blocks
    }

    /// The share of pairs that a table compares, on the average.
    fn group_share(&self, blocks: &[Vec<u32>], k: u32) -> f64 {
        let masks: Vec<u64> =
            blocks.iter().map(|bits| bits.iter().fold(0, |mask, bit| mask | 1 << bit)).collect();
        let tables: Vec<u64> = Choices::new(blocks.len(), blocks.len() - k as usize)
            .map(|chosen| chosen.iter().fold(0, |mask, &i| mask | masks[i]))
            .collect();
        let judged = tables.len().min(JUDGED);
        let of = |i: usize| self.agreeing(tables[i * tables.len() / judged]);
        (0..judged).map(of).sum::<f64>() / judged.max(1) as f64
    }

    /// Some of the values, evenly drawn.
    fn thinned(&self) -> Sample {
        let step = self.0.len().div_ceil(CLOSE_SAMPLE).max(1);
        Sample(self.0.iter().copied().step_by(step).collect())
    }

    /// Where the pairs within `k` differ.
    fn close(&self, k: u32) -> Vec<u64> {
        let compared = Compared { rows: &self.0, columns: &self.0, k, table: None };
        let whole = (0, self.0.len() as u32);
        let (mut task, mut found) = (Task::default(), Vec::new());
        task.add(Rectangle { rows: whole, columns: whole, triangle: true });
        let mut differences = Vec::new();
        loop {
            let done = compared.go_on(&mut task, &mut found);
            differences.extend(found.drain(..).map(|(a, b)| a ^ b));
            if done {
                return differences;
            }
        }
    }

    /// In how many tables the close pairs come together, for each pair of values.
    fn close_share(&self, close: &[u64], blocks: &[Vec<u32>], k: u32) -> f64 {
        let masks: Vec<u64> =
            blocks.iter().map(|bits| bits.iter().fold(0, |mask, bit| mask | 1 << bit)).collect();
        let shared = masks.len() as u32 - k;
        let of = |difference: u64| {
            let agreeing = masks.iter().filter(|&mask| difference & mask == 0).count() as u32;
            binomial(agreeing, shared)
        };
        close.iter().map(|difference| of(*difference)).sum::<f64>() / self.pairs().max(1.0)
    }
}

/// At most [`SAMPLE`] of the values; fewer where comparing them would not pay.
fn drawn(values: &[u64]) -> Vec<u64> {
    let wanted = (values.len() / 16).clamp(256, SAMPLE);
    if values.len() <= wanted {
        return values.to_vec();
    }
    // Positions must not follow the order of the values, by which they may be sorted.
    let position = |i: usize| {
        let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((u128::from(mixed ^ mixed >> 32) * values.len() as u128) >> 64) as usize
    };
    let mut positions: Vec<usize> = (0..wanted).map(position).collect();
    positions.sort_unstable();
    positions.dedup();
    positions.into_iter().map(|i| values[i]).collect()
}
