//! Which bits two close values must share: the tables of a Hamming join.
//!
//! **Definition.** Cut the bits into `m` blocks. Two values that differ in at most `k` bits differ in at most `k` blocks,
//! so they agree on at least `m − k`. One table for each choice of `m − k` blocks, in which values that agree on the
//! chosen blocks come together, therefore holds every close pair in some group; `C(m, k)` tables in all. Bits outside
//! of all blocks change nothing of that.
//!
//! **Every pair once.** A pair that agrees on more than `m − k` blocks comes together in several tables. It belongs to
//! the one whose blocks are the first that agree: it agrees on the chosen blocks and differs in every block before the
//! last chosen one that is not chosen ([`Table::owns`]). So nothing has to be sorted out afterwards, and a group whose
//! values agree on such a block needs no look at all.
//!
//! Which `m`, and which bits in which block, is measured (see `measure`).
//!
//! **Reference.** Manku, Jain, Das Sarma, doi:10.1145/1242572.1242592, section 3.

use crate::hamming::bit_order::BitOrder;

/// Tables for one join, over values whose bits are in `order`.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) order: BitOrder,
    pub(super) tables: Vec<Table>,
}

/// One choice of blocks.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The bits that must agree.
    pub(super) mask: u64,
    /// The blocks that must differ.
    pub(super) differing: Vec<u64>,
}

impl Table {
    /// Whether a pair that differs in the bits `difference` belongs to this table and to no other of its plan.
    #[inline]
    pub(super) fn owns(&self, difference: u64) -> bool {
        difference & self.mask == 0 && self.differing.iter().all(|block| difference & block != 0)
    }
}

impl Plan {
    /// Blocks of the bits given, the highest block first; each must hold a bit, and there must be more than `k`.
    pub(super) fn with_blocks(blocks: &[Vec<u32>], k: u32) -> Plan {
        let order = BitOrder::of(&blocks.concat());
        let mut below = 64;
        let masks: Vec<u64> = blocks
            .iter()
            .map(|bits| {
                let width = bits.len() as u32;
                below -= width;
                (u64::MAX >> (64 - width)) << below
            })
            .collect();
        let agreeing = blocks.len() - k as usize;
        let choices = Choices::new(blocks.len(), agreeing);
        let tables = choices.map(|chosen| Table::of(&masks, &chosen)).collect();
        Plan { order, tables }
    }
}

impl Table {
    fn of(masks: &[u64], chosen: &[usize]) -> Table {
        let before = 0..chosen.last().map_or(0, |last| *last);
        Table {
            mask: chosen.iter().fold(0, |mask, &i| mask | masks[i]),
            differing: before.filter(|i| !chosen.contains(i)).map(|i| masks[i]).collect(),
        }
    }
}

/// `m` blocks of `bits`, as equal as can be, in their order.
pub(super) fn equal_blocks(bits: &[u32], m: u32) -> Vec<Vec<u32>> {
    let (width, wider) = (bits.len() / m as usize, bits.len() % m as usize);
    let mut rest = bits;
    (0..m as usize)
        .map(|i| {
            let (block, after) = rest.split_at(width + usize::from(i < wider));
            rest = after;
            block.to_vec()
        })
        .collect()
}

/// All ways to choose `shared` of `of` blocks, counted like an odometer whose digits ascend.
pub(super) struct Choices {
    of: usize,
    next: Option<Vec<usize>>,
}

impl Choices {
    pub(super) fn new(of: usize, shared: usize) -> Self {
        Choices { of, next: (shared <= of).then(|| (0..shared).collect()) }
    }
}

impl Iterator for Choices {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let chosen = self.next.take()?;
        let shared = chosen.len();
        if let Some(at) = (0..shared).rev().find(|&i| chosen[i] < i + self.of - shared) {
            let mut following = chosen.clone();
            following[at] += 1;
            for i in at + 1..shared {
                following[i] = following[i - 1] + 1;
            }
            self.next = Some(following);
        }
        Some(chosen)
    }
}

/// Ways to choose `k` of `n`.
pub(super) fn binomial(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |product, i| product * f64::from(n.saturating_sub(i)) / f64::from(i + 1)).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(m: u32, k: u32) -> Plan {
        Plan::with_blocks(&equal_blocks(&(0..64).rev().collect::<Vec<_>>(), m), k)
    }

    #[test]
    fn published_tables() {
        // (blocks, k, tables, fewest agreeing bits, most)
        for (m, k, tables, least, most) in [(4, 3, 4, 16, 16), (6, 3, 20, 31, 33), (64, 2, 2016, 62, 62)] {
            let plan = equal(m, k);
            let bits = || plan.tables.iter().map(|table| table.mask.count_ones());
            assert_eq!(plan.tables.len(), tables);
            assert_eq!(binomial(m, k), tables as f64);
            assert_eq!((bits().min(), bits().max()), (Some(least), Some(most)));
        }
        let bits: Vec<u32> = (0..64).collect();
        let widths: Vec<_> = equal_blocks(&bits, 6).iter().map(Vec::len).collect();
        assert_eq!(widths, [11, 11, 11, 11, 10, 10]);
    }

    #[test]
    fn tables_of_tables_match_the_published_number_of_bits() {
        // Four blocks of 16, and in each table four of the 48 other bits: 4 × 4 = 16 tables that match 28 bits.
        let plan = equal(4, 3);
        let mut bits = Vec::new();
        for table in &plan.tables {
            let rest: Vec<u32> = (0..64).filter(|bit| table.mask >> bit & 1 == 0).collect();
            let inner = Plan::with_blocks(&equal_blocks(&rest, 4), 3);
            bits.extend(inner.tables.iter().map(|t| t.mask.count_ones() + table.mask.count_ones()));
        }
        assert_eq!(bits, [28; 16]);
    }

    #[test]
    fn every_close_pair_is_owned_once() {
        for (m, k) in [(4, 3), (5, 3), (9, 8), (1, 0), (12, 4)] {
            let plan = equal(m, k);
            for difference in [0, 1, 1 << 63, 0x8000_0001_0000_0000, 0b111, 0x0101_0000_0000_0001] {
                let owners = plan.tables.iter().filter(|table| table.owns(difference));
                let found = plan.tables.iter().filter(|table| table.mask & difference == 0).count();
                assert_eq!(owners.count(), usize::from(found > 0), "{m} blocks, {difference:b}");
                assert!(found > 0 || difference.count_ones() > k);
            }
        }
    }

    #[test]
    fn bits_outside_of_all_blocks_may_differ() {
        let plan = Plan::with_blocks(&[vec![3], vec![40, 7], vec![9]], 2);
        let owners = |value: u64| {
            let difference = plan.order.there(value);
            plan.tables.iter().filter(|table| table.owns(difference)).count()
        };
        assert_eq!(owners(1 << 60 | 1 << 1), 1);
        assert_eq!(owners(1 << 3 | 1 << 7), 1);
        assert_eq!(owners(1 << 3 | 1 << 7 | 1 << 9), 0);
    }
}
