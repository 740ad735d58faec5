//! Which bits two close values must share: the tables of a Hamming join.
//!
//! **Definition.** Cut the bits into `m` blocks. Two values that differ in at most `k` bits differ in at most `k` blocks,
//! so they agree on at least `m − k`. One table for each choice of `m − k` blocks, in which values that agree on the
//! chosen blocks come together, therefore holds every close pair in some group; `C(m, k)` tables in all.
//!
//! **Algorithm.** More blocks make more tables but smaller groups. [`Plan::choose`] takes the `m` with the least
//! expected work for the number of values, as if their bits were uniform, and `None` where comparing everything with
//! everything is cheapest. A pair that agrees on more than `m − k` blocks comes together in several tables; it belongs
//! to the one whose blocks are the first that agree ([`Plan::owns`]), so nothing has to be sorted out afterwards.
//!
//! **Reference.** Manku, Jain, Das Sarma, doi:10.1145/1242572.1242592, section 3.

/// Nanoseconds or so: a comparison in a group, and a step of sorting or searching (times log₂ of the length).
const COMPARE: f64 = 1.5;
const SORT_STEP: f64 = 1.2;
const PROBE_STEP: f64 = 15.0;

/// No choice is considered with more tables than this.
const MAX_TABLES: f64 = 2000.0;

/// Tables for one join: for each, the mask of the bits that must agree.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    blocks: Vec<u64>,
    shared: usize,
    pub(super) tables: Vec<u64>,
}

/// What the tables are for.
#[derive(Copy, Clone, Debug)]
pub(super) enum Work {
    /// All pairs of so many values.
    Within(usize),
    /// All pairs of so many values with so many others.
    Between(usize, usize),
    /// Single queries against so many values, in at most 20 tables.
    Query(usize),
}

impl Plan {
    /// The tables for values that agree outside of the bits `free`; `None` if all should be compared with all.
    pub(super) fn choose(work: Work, free: u64, k: u32) -> Option<Plan> {
        let bits = free.count_ones();
        let cost = |m: u32| {
            let tables = binomial(m, k);
            // The narrowest table shares the narrowest blocks.
            let agreed = f64::from((m - k) * (bits / m) + (m - k).saturating_sub(m - bits % m));
            let (groups, lookup) = match work {
                Work::Within(n) => (square(n) / 2.0, n as f64 * log2(n) * SORT_STEP),
                Work::Between(a, b) => {
                    (a as f64 * b as f64, (a as f64 * log2(a) + b as f64 * log2(b)) * SORT_STEP)
                }
                Work::Query(n) => (n as f64, log2(n) * PROBE_STEP),
            };
            tables * (lookup + groups * COMPARE / agreed.exp2())
        };
        let limit = if matches!(work, Work::Query(_)) { 20.0 } else { MAX_TABLES };
        let brute = match work {
            Work::Within(n) => square(n) / 2.0,
            Work::Between(a, b) => a as f64 * b as f64,
            Work::Query(n) => n as f64,
        } * COMPARE;
        let (m, best) = (k + 1..=bits)
            .take_while(|&m| binomial(m, k) <= limit)
            .map(|m| (m, cost(m)))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        (best < brute).then(|| Plan::with_blocks(m, free, k))
    }

    /// `m` blocks of the bits `free`, as equal as can be, and their tables.
    pub(super) fn with_blocks(m: u32, free: u64, k: u32) -> Plan {
        let (bits, mut rest) = (free.count_ones(), free);
        let blocks: Vec<u64> = (0..m)
            .map(|i| {
                let width = bits / m + u32::from(i < bits % m);
                (0..width).fold(0, |block, _| {
                    let top = 1 << (63 - rest.leading_zeros());
                    rest ^= top;
                    block | top
                })
            })
            .collect();
        let shared = (m - k) as usize;
        let mut tables = Vec::new();
        // All ways to choose, counted like an odometer whose digits ascend.
        let mut chosen: Vec<usize> = (0..shared).collect();
        loop {
            tables.push(chosen.iter().fold(0, |mask, &i| mask | blocks[i]));
            let Some(at) = (0..shared).rev().find(|&i| chosen[i] < i + blocks.len() - shared) else { break };
            chosen[at] += 1;
            for i in at + 1..shared {
                chosen[i] = chosen[i - 1] + 1;
            }
        }
        Plan { blocks, shared, tables }
    }

    /// Whether a pair that differs in the bits `difference` is found by `table` and by no table before it.
    #[inline]
    pub(super) fn owns(&self, table: u64, difference: u64) -> bool {
        let agreed = self.blocks.iter().filter(|&block| difference & block == 0).take(self.shared);
        agreed.fold(0, |mask, block| mask | block) == table
    }
}

fn square(n: usize) -> f64 {
    n as f64 * n as f64
}

fn log2(n: usize) -> f64 {
    (n.max(2) as f64).log2()
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |product, i| product * f64::from(n - i) / f64::from(i + 1)).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_tables() {
        // (blocks, k, tables, fewest agreeing bits, most)
        for (m, k, tables, least, most) in [(4, 3, 4, 16, 16), (6, 3, 20, 31, 33), (64, 2, 2016, 62, 62)] {
            let plan = Plan::with_blocks(m, u64::MAX, k);
            let bits = |f: fn(std::slice::Iter<u64>) -> Option<u32>| f(plan.tables.iter());
            assert_eq!(plan.tables.len(), tables);
            assert_eq!(bits(|t| t.map(|mask| mask.count_ones()).min()), Some(least));
            assert_eq!(bits(|t| t.map(|mask| mask.count_ones()).max()), Some(most));
        }
        let widths: Vec<_> =
            Plan::with_blocks(6, u64::MAX, 3).blocks.iter().map(|b| b.count_ones()).collect();
        assert_eq!(widths, [11, 11, 11, 11, 10, 10]);
    }

    #[test]
    fn every_close_pair_is_owned_once() {
        for (m, k) in [(4, 3), (5, 3), (9, 8), (1, 0), (12, 4)] {
            let plan = Plan::with_blocks(m, u64::MAX, k);
            for difference in [0, 1, 1 << 63, 0x8000_0001_0000_0000, 0b111, 0x0101_0000_0000_0001] {
                let owners = plan.tables.iter().filter(|&&table| plan.owns(table, difference));
                let found = plan.tables.iter().filter(|&&table| table & difference == 0).count();
                assert_eq!(owners.count(), usize::from(found > 0), "{m} blocks, {difference:b}");
                assert!(found > 0 || difference.count_ones() > k);
            }
        }
    }

    #[test]
    fn more_values_take_narrower_groups() {
        let bits = |n| Plan::choose(Work::Within(n), u64::MAX, 3).map(|plan| plan.tables[0].count_ones());
        assert_eq!(bits(10), None);
        assert!(bits(10_000).is_some_and(|b| b >= 13));
        assert!(bits(10_000_000) >= bits(10_000));
        assert!(Plan::choose(Work::Within(1000), 0b111, 3).is_none(), "fewer bits than k");
    }
}
