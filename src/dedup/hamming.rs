//! All pairs of 64-bit values within a Hamming distance, without comparing all with all.
//!
//! **Algorithm.** For each table of a [`Plan`] the values are sorted by the bits that must agree; values that agree form
//! a group, and only values of one group are compared. A group is itself such a problem over the remaining bits, so a
//! group that is larger than uniform bits would make it gets tables of its own: skewed fingerprints cost more tables,
//! not quadratic time. Groups are small where it ends, and there all are compared with all.
//!
//! **Cost.** Time about `C(m, k)·n·log n` for the chosen number of blocks `m`; memory 8 bytes a value, sorted in place,
//! table after table; the pairs of one wave of groups besides.
//!
//! **Determinism.** Exact: every pair within `k`, once. Pairs come table by table, group by group, sorted in each piece;
//! pieces are cut by size alone, so that the order does not depend on threads either.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::plan::{Plan, Work};

/// A pair of values.
pub(super) type Match = (u64, u64);

/// Values in a piece, the unit that one thread takes.
const PIECE: usize = 1 << 15;

/// Pieces worked on between two deliveries.
const WAVE: usize = 64;

/// Delivers every pair (smaller, greater) of the distinct `values` within `k`; reorders `values`.
pub(super) fn join_within<E>(
    values: &mut [u64],
    k: u32,
    mut deliver: impl FnMut(Vec<Match>) -> ControlFlow<E>,
) -> ControlFlow<E> {
    let Some(plan) = Plan::choose(Work::Within(values.len()), u64::MAX, k) else {
        let mut found = Vec::new();
        compare_within(values, k, &mut found);
        found.sort_unstable();
        return deliver(found);
    };
    for &table in &plan.tables {
        sort_by_bits(values, table);
        let mut rest = &mut *values;
        while !rest.is_empty() {
            let mut wave = Vec::with_capacity(WAVE);
            while wave.len() < WAVE && !rest.is_empty() {
                let (piece, after) = rest.split_at_mut(piece_end(rest, table));
                wave.push(piece);
                rest = after;
            }
            let found: Vec<Vec<Match>> =
                wave.into_par_iter().map(|piece| groups_within(piece, &plan, table, u64::MAX, k)).collect();
            for mut piece in found {
                piece.sort_unstable();
                deliver(piece)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Delivers every pair (of `left`, of `right`) within `k`, equal values too; reorders both.
pub(super) fn join_between<E>(
    left: &mut [u64],
    right: &mut [u64],
    k: u32,
    mut deliver: impl FnMut(Vec<Match>) -> ControlFlow<E>,
) -> ControlFlow<E> {
    let Some(plan) = Plan::choose(Work::Between(left.len(), right.len()), u64::MAX, k) else {
        let mut found = Vec::new();
        compare_between(left, right, k, &mut found);
        found.sort_unstable();
        return deliver(found);
    };
    for &table in &plan.tables {
        sort_by_bits(left, table);
        sort_by_bits(right, table);
        let (mut rest, mut others) = (&mut *left, &mut *right);
        while !rest.is_empty() {
            let mut wave = Vec::with_capacity(WAVE);
            while wave.len() < WAVE && !rest.is_empty() {
                let (piece, after) = rest.split_at_mut(piece_end(rest, table));
                let last = piece.last().map_or(0, |v| v & table);
                let (facing, beyond) = others.split_at_mut(others.partition_point(|v| v & table <= last));
                wave.push((piece, facing));
                (rest, others) = (after, beyond);
            }
            let found: Vec<Vec<Match>> = wave
                .into_par_iter()
                .map(|(piece, facing)| groups_between(piece, facing, &plan, table, u64::MAX, k))
                .collect();
            for mut piece in found {
                piece.sort_unstable();
                deliver(piece)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Sorts by the bits of `mask`; the order of values that agree on them is arbitrary.
fn sort_by_bits(values: &mut [u64], mask: u64) {
    if values.len() > PIECE {
        values.par_sort_unstable_by_key(|v| v & mask);
    } else {
        values.sort_unstable_by_key(|v| v & mask);
    }
}

/// End of the first piece: [`PIECE`] values, and those that agree with the last of them.
fn piece_end(values: &[u64], mask: u64) -> usize {
    if values.len() <= PIECE {
        return values.len();
    }
    let last = values[PIECE - 1] & mask;
    PIECE + values[PIECE..].partition_point(|v| v & mask <= last)
}

/// End of the first group: the values that agree with the first of them.
#[inline]
fn group_end(values: &[u64], mask: u64) -> usize {
    let first = values[0] & mask;
    let near = values.iter().take(16).position(|v| v & mask != first);
    near.unwrap_or_else(|| values.partition_point(|v| v & mask <= first))
}

fn groups_within(mut values: &mut [u64], plan: &Plan, table: u64, free: u64, k: u32) -> Vec<Match> {
    let mut found = Vec::new();
    while let Some(first) = values.first() {
        let next = values.get(1).map(|v| v & table);
        let end = if next == Some(first & table) { group_end(values, table) } else { 1 };
        let (group, after) = values.split_at_mut(end);
        values = after;
        if group.len() > 1 {
            let before = found.len();
            within(group, free & !table, k, &mut found);
            keep_owned(&mut found, before, plan, table);
        }
    }
    found
}

fn groups_between(
    mut left: &mut [u64],
    mut right: &mut [u64],
    plan: &Plan,
    table: u64,
    free: u64,
    k: u32,
) -> Vec<Match> {
    let mut found = Vec::new();
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        let (a, b) = (a & table, b & table);
        if a < b {
            let skip = if left.len() > 1 && left[1] & table >= b {
                1
            } else {
                left.partition_point(|v| v & table < b)
            };
            left = &mut left[skip..];
        } else if b < a {
            let skip = if right.len() > 1 && right[1] & table >= a {
                1
            } else {
                right.partition_point(|v| v & table < a)
            };
            right = &mut right[skip..];
        } else {
            let (group, after) = left.split_at_mut(group_end(left, table));
            let (facing, beyond) = right.split_at_mut(group_end(right, table));
            (left, right) = (after, beyond);
            let before = found.len();
            between(group, facing, free & !table, k, &mut found);
            keep_owned(&mut found, before, plan, table);
        }
    }
    found
}

/// Drops the pairs from `before` on that an earlier table finds too.
fn keep_owned(found: &mut Vec<Match>, before: usize, plan: &Plan, table: u64) {
    let mut kept = before;
    for i in before..found.len() {
        if plan.owns(table, found[i].0 ^ found[i].1) {
            found[kept] = found[i];
            kept += 1;
        }
    }
    found.truncate(kept);
}

/// Pairs within `k` of values that agree outside of `free`. Each level agrees on at least one bit more: depth ≤ 64.
fn within(values: &mut [u64], free: u64, k: u32, found: &mut Vec<Match>) {
    let plan = if values.len() < 32 { None } else { Plan::choose(Work::Within(values.len()), free, k) };
    let Some(plan) = plan else { return compare_within(values, k, found) };
    for &table in &plan.tables {
        sort_by_bits(values, table);
        if values.len() > PIECE {
            let pieces = pieces(values, table);
            found.par_extend(
                pieces.into_par_iter().flat_map_iter(|p| groups_within(p, &plan, table, free, k)),
            );
        } else {
            found.append(&mut groups_within(values, &plan, table, free, k));
        }
    }
}

fn between(left: &mut [u64], right: &mut [u64], free: u64, k: u32, found: &mut Vec<Match>) {
    let small = left.len() < 4 || right.len() < 4 || left.len() * right.len() < 512;
    let plan = if small { None } else { Plan::choose(Work::Between(left.len(), right.len()), free, k) };
    let Some(plan) = plan else { return compare_between(left, right, k, found) };
    for &table in &plan.tables {
        sort_by_bits(left, table);
        sort_by_bits(right, table);
        found.append(&mut groups_between(left, right, &plan, table, free, k));
    }
}

fn pieces(mut values: &mut [u64], mask: u64) -> Vec<&mut [u64]> {
    let mut list = Vec::new();
    while !values.is_empty() {
        let (piece, after) = values.split_at_mut(piece_end(values, mask));
        list.push(piece);
        values = after;
    }
    list
}

fn compare_within(values: &[u64], k: u32, found: &mut Vec<Match>) {
    for (i, &a) in values.iter().enumerate() {
        let close = values[i + 1..].iter().filter(|&&b| (a ^ b).count_ones() <= k);
        found.extend(close.map(|&b| (a.min(b), a.max(b))));
    }
}

fn compare_between(left: &[u64], right: &[u64], k: u32, found: &mut Vec<Match>) {
    for &a in left {
        found.extend(right.iter().filter(|&&b| (a ^ b).count_ones() <= k).map(|&b| (a, b)));
    }
}
