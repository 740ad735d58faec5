//! The join of fingerprints that do not fit in memory: each table is sorted within a budget, on disk where it must be.
//!
//! **Algorithm.** The tables are those of a plan that is measured on a sample. For each of them fingerprints are sorted by
//! the bits that must agree, and read back group by group. A small group is compared pair by pair, a larger one is a join
//! in memory, and one that is larger than the budget is joined piece by piece, each piece collected by a pass over all
//! fingerprints: a good plan has no such group.
//!
//! **Cost.** 12 bytes a fingerprint sorted in each table; one bit a fingerprint and the budget in memory.
//!
//! **Determinism.** The set of pairs depends on the input alone; their order depends on the budget too.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;
use webmill_capture::bits::Bits;
use webmill_capture::error::{Error, Result};
use webmill_sort::{Budget, Sorter, group};

use super::{Fingerprint, HammingJoin, JoinTotals, Pair, PairCounter, pair_of};
use crate::hamming::all_pairs::Join;
use crate::hamming::bit_order::BitOrder;
use crate::hamming::compare::Match;
use crate::hamming::measure::{Work, plan};
use crate::hamming::plan::{Plan, Table};

/// Fingerprints that a plan is measured on.
const SAMPLE: usize = 1 << 16;

/// Groups of at most `SMALL` fingerprints are compared pair by pair, `WAVE` groups at a time.
const SMALL: usize = 64;
const WAVE: usize = 1024;

/// Bytes that a fingerprint of a group takes while the group is joined.
const GROUPED_BYTES: usize = 64;

/// Fingerprint in the order of the plan's bits, and index.
type Member = (u64, u32);

impl HammingJoin {
    /// As [`run`](HammingJoin::run), within a budget: in memory where that suffices, else with tables that are sorted on
    /// disk. The pairs are the same; only [`run`](HammingJoin::run) promises their order.
    ///
    /// # Errors
    /// `Io` when the disk refuses; `Limit` for 2³² fingerprints; the first error of `emit`, which ends the join.
    pub fn run_within(
        &self,
        fingerprints: &[Fingerprint],
        budget: &Budget,
        emit: impl FnMut(Pair) -> Result<()>,
    ) -> Result<JoinTotals> {
        if Self::estimate_bytes(fingerprints.len()) <= budget.memory_bytes {
            return self.run(fingerprints, emit);
        }
        let most = (budget.memory_bytes / 4 / GROUPED_BYTES).max(1 << 12);
        self.run_sorted(fingerprints, budget, most, emit)
    }

    /// Joins with sorted tables, and groups of at most `most` fingerprints in memory.
    pub(super) fn run_sorted(
        &self,
        fingerprints: &[Fingerprint],
        budget: &Budget,
        most: usize,
        emit: impl FnMut(Pair) -> Result<()>,
    ) -> Result<JoinTotals> {
        HammingJoin::new(self.k).admit(fingerprints.len())?;
        let mut giver = PairCounter { emit, totals: JoinTotals::default() };
        let firsts = stars(fingerprints, budget, &mut giver)?;
        let step = fingerprints.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<u64> = fingerprints.iter().step_by(step).map(|f| f.0).collect();
        // Without a plan all fingerprints are one group.
        let whole =
            Plan { order: BitOrder::default(), tables: vec![Table { mask: 0, differing: Vec::new() }] };
        let plan = plan(Work::Within(fingerprints.len()), &sample, self.k, f64::INFINITY).unwrap_or(whole);
        for table in &plan.tables {
            let mut sorted = SortedTable {
                k: self.k,
                fingerprints,
                firsts: &firsts,
                order: &plan.order,
                table,
                most,
                giver: &mut giver,
            };
            sorted.join(budget)?;
        }
        Ok(giver.totals)
    }
}

/// Gives the star of each group of equal fingerprints; returns a bit for each index that is the first of its group.
fn stars<F: FnMut(Pair) -> Result<()>>(
    fingerprints: &[Fingerprint],
    budget: &Budget,
    giver: &mut PairCounter<F>,
) -> Result<Bits> {
    let mut sorter = Sorter::new(&budget.share(2));
    for (index, &Fingerprint(value)) in (0u32..).zip(fingerprints) {
        sorter.push([(value >> 32) as u32, value as u32, index])?;
    }
    let mut firsts = Bits::with_room(fingerprints.len());
    let equal = |a: &[u32; 3], b: &[u32; 3]| a[..2] == b[..2];
    group(sorter.finish()?, equal, |first, others| {
        firsts.insert(first[2]);
        others.try_for_each(|other| giver.one(Pair { a: first[2], b: other?[2], distance: 0 }))
    })?;
    Ok(firsts)
}

/// One table of the join.
struct SortedTable<'a, F> {
    k: u32,
    fingerprints: &'a [Fingerprint],
    firsts: &'a Bits,
    order: &'a BitOrder,
    table: &'a Table,
    /// Members of a group that are in memory at once.
    most: usize,
    giver: &'a mut PairCounter<F>,
}

impl<F: FnMut(Pair) -> Result<()>> SortedTable<'_, F> {
    /// The first of each group of equal fingerprints, in the order of the plan's bits.
    fn members(&self) -> impl Iterator<Item = Member> {
        let all = (0u32..).zip(self.fingerprints).filter(|(index, _)| self.firsts.contains(*index));
        all.map(|(index, fingerprint)| (self.order.there(fingerprint.0), index))
    }

    fn join(&mut self, budget: &Budget) -> Result<()> {
        let mask = self.table.mask;
        let bits: Vec<u32> = (0..64).rev().filter(|bit| mask >> bit & 1 == 1).collect();
        // The bits that must agree come first, so that groups lie side by side.
        let front = BitOrder::of(&bits);
        let mut sorter = Sorter::new(&budget.share(2));
        for (value, index) in self.members() {
            let moved = front.there(value);
            sorter.push([(moved >> 32) as u32, moved as u32, index])?;
        }
        let (mut members, mut groups): (Vec<Member>, Vec<Range<usize>>) = Default::default();
        let (mut from, mut size, mut key) = (0, 0usize, None);
        for entry in sorter.finish()? {
            let [high, low, index] = entry?;
            let value = front.back(u64::from(high) << 32 | u64::from(low));
            if key != Some(value & mask) {
                self.end_group(&mut members, &mut groups, (from, size, key))?;
                (from, size, key) = (members.len(), 0, Some(value & mask));
            }
            size += 1;
            if size <= self.most {
                members.push((value, index));
            }
        }
        self.end_group(&mut members, &mut groups, (from, size, key))?;
        self.small(&members, &groups)
    }

    /// Takes the group of `size` members from `from` on: small ones wait for each other.
    fn end_group(
        &mut self,
        members: &mut Vec<Member>,
        groups: &mut Vec<Range<usize>>,
        (from, size, key): (usize, usize, Option<u64>),
    ) -> Result<()> {
        match size {
            0 | 1 => members.truncate(from),
            2..=SMALL if size <= self.most => groups.push(from..members.len()),
            _ if size <= self.most => {
                let mut group = members.split_off(from);
                self.large(&mut group, None)?;
            }
            _ => {
                members.truncate(from);
                self.in_pieces(key.unwrap_or_default(), size)?;
            }
        }
        if groups.len() >= WAVE {
            self.small(members, groups)?;
            members.clear();
            groups.clear();
        }
        Ok(())
    }

    /// Compares the members of small groups.
    fn small(&mut self, members: &[Member], groups: &[Range<usize>]) -> Result<()> {
        let (k, table) = (self.k, self.table);
        let compare = |group: &Range<usize>| {
            let group = &members[group.clone()];
            let pairs =
                group.iter().enumerate().flat_map(|(i, &a)| group[i + 1..].iter().map(move |&b| (a, b)));
            let close = pairs.filter(|(a, b)| (a.0 ^ b.0).count_ones() <= k && table.owns(a.0 ^ b.0));
            close.map(|(a, b)| pair_of(a.1.min(b.1), a.1.max(b.1), a.0 ^ b.0)).collect::<Vec<Pair>>()
        };
        let found: Vec<Vec<Pair>> = groups.par_iter().map(compare).collect();
        self.giver.totals.compared +=
            groups.iter().map(|g| (g.len() * (g.len() - 1) / 2) as u64).sum::<u64>();
        found.into_iter().flatten().try_for_each(|pair| self.giver.one(pair))
    }

    /// Joins a group in memory; of pairs with `others` only those between the two.
    fn large(&mut self, group: &mut [Member], others: Option<&[Member]>) -> Result<()> {
        group.par_sort_unstable();
        let (k, table, group) = (self.k, self.table, &*group);
        let mut values: Vec<u64> = group.iter().chain(others.unwrap_or_default()).map(|m| m.0).collect();
        let place = |of: &[Member], value: u64| {
            of.binary_search_by(|member| member.0.cmp(&value)).ok().map(|at| of[at].1)
        };
        // `Some(None)`: a value that was not given.
        let convert = |(x, y): Match| {
            if !table.owns(x ^ y) {
                return None;
            }
            let (here, there) = match others {
                None => (place(group, x), place(group, y)),
                Some(others) => match (place(group, x), place(others, y)) {
                    (Some(x), Some(y)) => (Some(x), Some(y)),
                    _ => match (place(others, x), place(group, y)) {
                        (Some(x), Some(y)) => (Some(x), Some(y)),
                        _ => return None,
                    },
                },
            };
            Some(here.zip(there).map(|(a, b)| pair_of(a.min(b), a.max(b), x ^ y)))
        };
        let giver = &mut *self.giver;
        let mut join =
            Join::new(k, convert, |found: Vec<_>| giver.give(found.into_iter().flatten().collect()));
        let flow = join.within(&mut values);
        let compared = join.compared;
        self.giver.totals.compared += compared;
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }

    /// Joins a group that is too large for the memory: each two pieces of it.
    fn in_pieces(&mut self, key: u64, size: usize) -> Result<()> {
        let half = (self.most / 2).max(1);
        let piece = |table: &Self, number: usize| -> Vec<Member> {
            let group = table.members().filter(|(value, _)| value & table.table.mask == key);
            group.skip(number * half).take(half).collect()
        };
        let pieces = size.div_ceil(half);
        for i in 0..pieces {
            let mut one = piece(self, i);
            self.large(&mut one, None)?;
            for j in i + 1..pieces {
                let mut other = piece(self, j);
                other.par_sort_unstable();
                self.large(&mut one, Some(&other))?;
            }
        }
        match pieces {
            0 => Err(Error::Internal("a group of no fingerprints".into())),
            _ => Ok(()),
        }
    }
}
