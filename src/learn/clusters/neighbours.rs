//! Rows that are near each other: a graph.
//!
//! **Definition.** Rows within eps of each other, by 1 − cosine. Equal rows are one node with their number, so that a heap of n equal pages
//! costs n and not n².
//!
//! **Algorithm.** Words stand in the order of how many rows have them, the most first. The words of a row before the length of what was
//! seen reaches t = 1 − eps cannot alone make a cosine of t (Cauchy–Schwarz), so the rarest word that two near rows share is among the
//! *other* words of both: only these are in the inverted index and only these are looked up. Pairs that meet there are verified by their
//! whole product. Exact; pairs that share no rare word are never met.
//!
//! **Cost.** Σ over indexed words of the square of their rows, and a product a candidate; 8 bytes a pair of neighbours, bounded by the
//! caller.
//!
//! **Determinism.** A function of the rows.
//!
//! **Reference.** R. J. Bayardo, Y. Ma, R. Srikant, *Scaling up all pairs similarity search*, WWW 2007, doi:10.1145/1242572.1242591; D. C.
//! Anastasiu, G. Karypis, *L2AP*, ICDE 2014, doi:10.1109/ICDE.2014.6816700.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::SparseRows;

/// Which rows are near each other, equal ones as groups.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NearRows {
    group_of_rows: Vec<u32>,
    sizes: Vec<u64>,
    ends: Vec<usize>,
    others: Vec<u32>,
}

/// More pairs of neighbours than were allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyPairs {
    /// How many were allowed.
    pub allowed: u64,
}

impl NearRows {
    /// Of `rows` rows and pairs of them, each pair once.
    pub fn of_pairs(rows: usize, pairs: &[(u32, u32)]) -> Self {
        NearRows::of_groups((0..rows as u32).collect(), pairs)
    }

    /// Of the group of each row (numbered by first rows) and pairs of groups, each once.
    pub fn of_groups(group_of_rows: Vec<u32>, pairs: &[(u32, u32)]) -> Self {
        let groups = group_of_rows.iter().max().map_or(0, |most| *most as usize + 1);
        let mut sizes = vec![0; groups];
        group_of_rows.iter().for_each(|group| sizes[*group as usize] += 1);
        let mut ends = vec![0usize; groups + 1];
        for (one, other) in pairs {
            ends[*one as usize + 1] += 1;
            ends[*other as usize + 1] += 1;
        }
        for group in 1..ends.len() {
            ends[group] += ends[group - 1];
        }
        let mut next = ends.clone();
        let mut others = vec![0; 2 * pairs.len()];
        for &(one, other) in pairs {
            for (from, to) in [(one, other), (other, one)] {
                others[next[from as usize]] = to;
                next[from as usize] += 1;
            }
        }
        NearRows { group_of_rows, sizes, ends, others }
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.sizes.len()
    }

    /// Rows of a group.
    pub fn size(&self, group: usize) -> u64 {
        self.sizes[group]
    }

    /// The group of each row.
    pub fn group_of_rows(&self) -> &[u32] {
        &self.group_of_rows
    }

    /// Groups near a group, itself not among them.
    pub fn of(&self, group: usize) -> &[u32] {
        &self.others[self.ends[group]..self.ends[group + 1]]
    }

    /// Pairs of groups.
    pub fn pairs(&self) -> u64 {
        self.others.len() as u64 / 2
    }
}

/// The neighbours of rows of length 1 by 1 − cosine ≤ `eps`, which is above 0 and below 1. Rows without entries have none but each other.
///
/// # Errors
/// Where there are more than `most_pairs` pairs.
pub fn cosine_neighbours(rows: &SparseRows, eps: f64, most_pairs: u64) -> Result<NearRows, TooManyPairs> {
    let (group_of_rows, firsts) = groups_of_equal(rows);
    let rows = rows.select(&firsts);
    let threshold = 1.0 - eps;
    let ordered = RareWords::of(&rows, threshold);
    let found = AtomicU64::new(0);
    let near_each: Vec<Vec<(u32, u32)>> = (0..rows.len())
        .into_par_iter()
        .with_max_len(64)
        .map_init(
            || vec![u32::MAX; rows.len()],
            |met, row| {
                if found.load(Ordering::Relaxed) > most_pairs {
                    return Vec::new();
                }
                let near = ordered.near(&rows, row, threshold, met);
                found.fetch_add(near.len() as u64, Ordering::Relaxed);
                near
            },
        )
        .collect();
    if found.into_inner() > most_pairs {
        return Err(TooManyPairs { allowed: most_pairs });
    }
    let pairs: Vec<(u32, u32)> = near_each.into_iter().flatten().collect();
    Ok(NearRows::of_groups(group_of_rows, &pairs))
}

/// The group of each row, and the first row of each group.
fn groups_of_equal(rows: &SparseRows) -> (Vec<u32>, Vec<usize>) {
    let mut firsts: Vec<usize> = Vec::new();
    let mut known: HashMap<u128, Vec<u32>> = HashMap::new();
    let mut groups = Vec::with_capacity(rows.len());
    for (number, row) in rows.rows().enumerate() {
        let mut hasher = Xxh3::new();
        row.0.iter().for_each(|column| hasher.update(&column.to_le_bytes()));
        row.1.iter().for_each(|value| hasher.update(&value.to_le_bytes()));
        let same = known.entry(hasher.digest128()).or_default();
        let group = same.iter().copied().find(|group| rows.row(firsts[*group as usize]) == row);
        let group = group.unwrap_or_else(|| {
            same.push(firsts.len() as u32);
            firsts.push(number);
            firsts.len() as u32 - 1
        });
        groups.push(group);
    }
    (groups, firsts)
}

/// The rare words of rows: as many as two near rows must share one of.
struct RareWords {
    /// Rare words of each row, one row after the other.
    ends: Vec<usize>,
    words: Vec<u32>,
    /// Rows by rare word.
    index: Vec<Vec<u32>>,
}

impl RareWords {
    fn of(rows: &SparseRows, threshold: f64) -> Self {
        let mut counts = vec![0u32; rows.width()];
        rows.rows().flat_map(|(columns, _)| columns).for_each(|column| counts[*column as usize] += 1);
        let mut index = vec![Vec::new(); rows.width()];
        let (mut ends, mut words) = (Vec::with_capacity(rows.len()), Vec::new());
        for (number, (columns, values)) in (0u32..).zip(rows.rows()) {
            let mut entries: Vec<(u32, f32)> = columns.iter().copied().zip(values.iter().copied()).collect();
            entries
                .sort_unstable_by_key(|(column, _)| (std::cmp::Reverse(counts[*column as usize]), *column));
            let mut square = 0.0;
            for (column, value) in entries {
                square += f64::from(value) * f64::from(value);
                // A little below the threshold already: rounding must not cost a pair.
                if square.sqrt() >= threshold - 1e-6 {
                    words.push(column);
                    index[column as usize].push(number);
                }
            }
            ends.push(words.len());
        }
        RareWords { ends, words, index }
    }

    /// Rows before `row` that are near it; `met` says by which row each was met last.
    fn near(&self, rows: &SparseRows, row: usize, threshold: f64, met: &mut [u32]) -> Vec<(u32, u32)> {
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        let mut near = Vec::new();
        for word in &self.words[from..self.ends[row]] {
            for &other in self.index[*word as usize].iter().take_while(|other| (**other as usize) < row) {
                if met[other as usize] != row as u32 {
                    met[other as usize] = row as u32;
                    if product(rows.row(row), rows.row(other as usize)) >= threshold {
                        near.push((other, row as u32));
                    }
                }
            }
        }
        near.sort_unstable();
        near
    }
}

/// The product of two rows, in the order of columns.
fn product((left, values): (&[u32], &[f32]), (right, others): (&[u32], &[f32])) -> f64 {
    let (mut a, mut b, mut sum) = (0, 0, 0.0);
    while a < left.len() && b < right.len() {
        let (one, other) = (left[a], right[b]);
        if one == other {
            sum += f64::from(values[a]) * f64::from(others[b]);
        }
        a += usize::from(one <= other);
        b += usize::from(other <= one);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_all_pairs_say(
            rows in prop::collection::vec(prop::collection::btree_map(0u32..15, 0.2f32..3.0, 0..7), 0..40),
            eps in 0.02f64..0.98,
        ) {
            let mut unit = SparseRows::new();
            for row in &rows {
                let length = row.values().map(|v| v * v).sum::<f32>().sqrt();
                unit.push(row.iter().map(|(c, v)| (*c, v / length)));
            }
            let found = cosine_neighbours(&unit, eps, u64::MAX).unwrap();
            let group = |row: usize| found.group_of_rows()[row];
            for a in 0..unit.len() {
                for b in 0..a {
                    if group(a) == group(b) {
                        prop_assert_eq!(unit.row(a), unit.row(b));
                    } else {
                        let near = found.of(group(a) as usize).contains(&group(b));
                        prop_assert_eq!(near, product(unit.row(a), unit.row(b)) >= 1.0 - eps);
                    }
                }
            }
        }
    }

    #[test]
    fn a_heap_of_equal_rows_is_one_group() {
        let mut rows = SparseRows::new();
        (0..50_000).for_each(|_| rows.push([(3, 0.6), (5, 0.8)]));
        rows.push([(3, 1.0)]);
        let found = cosine_neighbours(&rows, 0.5, 1).unwrap();
        assert_eq!((found.groups(), found.size(0), found.pairs()), (2, 50_000, 1));
        assert_eq!(cosine_neighbours(&rows, 0.5, 0), Err(TooManyPairs { allowed: 0 }));
    }
}
