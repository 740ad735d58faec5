//! An index that answers which of a set of fingerprints are close: to one, or to each of a stored list in parts.
//!
//! **Algorithm.** The tables of a plan are kept, each the distinct values grouped by the bits that must agree (see
//! `group`). A query looks up its group in every table and compares it with the group. The batch form turns the index
//! round: the *queries* are indexed, stay in memory, and every part of the stored fingerprints is scanned once against
//! them ([`FingerprintIndex::scan`]); parts may be on many machines, each with the same index.
//!
//! **Cost.** 12 bytes a distinct value for each of at most 20 tables and 22 a fingerprint. At ten million uniform fingerprints and `k = 3` a query
//! compares a handful of values. The plan is measured on the values, so that near-constant bits do not make groups of
//! all of them. A scan takes 15 MiB for what waits to be delivered, however much is found.
//!
//! **Determinism.** Exact; a query's answer is sorted by distance, then index; a scan gives its pairs in an order that
//! depends on index and part only.

use rayon::prelude::*;

use webmill_capture::error::{Error, Result};

use super::{Fingerprint, JoinTotals, Pair};
use crate::hamming::bit_order::BitOrder;
use crate::hamming::compare::{Compared, Rectangle, Task};
use crate::hamming::group::{Key, group};
use crate::hamming::measure::{Work, plan};
use crate::hamming::plan::Table;
use crate::hamming::values::Values;

/// Tables of an index.
const TABLES: usize = 20;

/// Fingerprints of a part that one thread takes at once.
const CHUNK: usize = 1024;

/// Chunks worked on between two deliveries.
const WAVE: usize = 32;

/// Stored fingerprints, ready for queries within a fixed distance.
#[derive(Clone, Debug)]
pub struct FingerprintIndex {
    k: u32,
    order: BitOrder,
    tables: Vec<Grouped>,
    values: Values,
    starts: Vec<u32>,
    members: Vec<u32>,
}

/// The values, in the plan's order of bits, grouped for one table.
#[derive(Clone, Debug)]
struct Grouped {
    table: Table,
    key: Key,
    starts: Vec<u32>,
    values: Vec<u64>,
}

impl Grouped {
    fn of(values: &[u64], table: Table) -> Self {
        let key = Key::of(table.mask, values.len());
        let (mut values, mut scratch) = (values.to_vec(), vec![0; values.len()]);
        let starts = group(&mut values, &mut scratch, &key);
        Grouped { table, key, starts, values }
    }

    /// Where the values of a key stand.
    #[inline]
    fn place(&self, key: u32) -> (u32, u32) {
        (self.starts[key as usize], self.starts[key as usize + 1])
    }
}

impl FingerprintIndex {
    /// Indexes `fingerprints` for queries within distance `k`, in at most 20 tables.
    ///
    /// # Errors
    /// `Limit` for more fingerprints than 32 bits number.
    pub fn new(fingerprints: &[Fingerprint], k: u32) -> Result<Self> {
        Self::of(fingerprints, k, TABLES)
    }

    fn of(fingerprints: &[Fingerprint], k: u32, most_tables: usize) -> Result<Self> {
        if fingerprints.len() >= u32::MAX as usize {
            return Err(Error::Limit(format!("{} fingerprints in one index", fingerprints.len())));
        }
        let values = Values::of(fingerprints);
        let (starts, members) = members(&values, &values.ranks(fingerprints));
        let work = Work::Query(values.sorted().len(), most_tables);
        let (order, tables) = match plan(work, values.sorted(), k, f64::INFINITY) {
            Some(plan) => (plan.order, plan.tables),
            // One table in which nothing has to agree: a single group.
            None => (BitOrder::default(), vec![Table { mask: 0, differing: Vec::new() }]),
        };
        let mut ordered = values.sorted().to_vec();
        order.all_there(&mut ordered);
        let tables = tables.into_iter().map(|table| Grouped::of(&ordered, table)).collect();
        Ok(FingerprintIndex { k, order, tables, values, starts, members })
    }

    /// Every stored fingerprint within the distance, as (index, distance), nearest first, then by index.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Fingerprint, FingerprintIndex};
    /// let index = FingerprintIndex::new(&[Fingerprint(0), Fingerprint(7), Fingerprint(0)], 2)?;
    /// assert_eq!(index.query(Fingerprint(1)), [(0, 1), (2, 1), (1, 2)]);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn query(&self, fingerprint: Fingerprint) -> Vec<(u32, u8)> {
        let query = self.order.there(fingerprint.0);
        let mut found = Vec::new();
        for grouped in &self.tables {
            let (from, to) = grouped.place(grouped.key.at(query));
            let columns = &grouped.values[from as usize..to as usize];
            let table = Some(&grouped.table);
            Compared { rows: &[], columns, k: self.k, table }.one(query, &mut found);
        }
        let mut answer = Vec::new();
        for (_, value) in found {
            let distance = (value ^ query).count_ones() as u8;
            answer.extend(self.members_of(self.order.back(value)).iter().map(|&i| (i, distance)));
        }
        answer.sort_unstable_by_key(|&(i, distance)| (distance, i));
        answer
    }

    /// The indexes of the fingerprints that have `value`, ascending.
    fn members_of(&self, value: u64) -> &[u32] {
        let place = |rank: u32| self.starts[rank as usize] as usize..self.starts[rank as usize + 1] as usize;
        self.values.rank(value).map_or(&[], |rank| &self.members[place(rank)])
    }

    /// Gives `emit` every pair of an indexed fingerprint (`a`, the lowest index of its equals) with one of `part` (`b`),
    /// distance 0 included.
    ///
    /// This is the batch form of the query: a large stored list is read part by part and each part scanned once. The
    /// indexed ones that equal `a` are [`FingerprintIndex::equals`] of its fingerprint; of `part` every index is given.
    ///
    /// # Errors
    /// The first error of `emit`, which ends the scan; `Limit` for more fingerprints than 32 bits number.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Fingerprint, FingerprintIndex, Pair};
    /// let queries = FingerprintIndex::new(&[Fingerprint(0xFF), Fingerprint(0)], 1)?;
    /// let mut pairs = Vec::new();
    /// queries.scan(&[Fingerprint(1), Fingerprint(0xFF), Fingerprint(0xF0)], |pair| {
    ///     pairs.push(pair);
    ///     Ok(())
    /// })?;
    /// assert_eq!(pairs, [Pair { a: 1, b: 0, distance: 1 }, Pair { a: 0, b: 1, distance: 0 }]);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn scan(&self, part: &[Fingerprint], mut emit: impl FnMut(Pair) -> Result<()>) -> Result<JoinTotals> {
        if part.len() >= u32::MAX as usize {
            return Err(Error::Limit(format!("{} fingerprints in one part", part.len())));
        }
        let mut totals = JoinTotals::default();
        for (wave, chunks) in part.chunks(CHUNK * WAVE).enumerate() {
            let first = wave * CHUNK * WAVE;
            let chunks: Vec<(Chunk, Vec<CloseValue>)> = chunks
                .par_chunks(CHUNK)
                .enumerate()
                .map(|(i, chunk)| {
                    let mut chunk = Chunk::of(self, chunk, first + i * CHUNK);
                    let found = chunk.go_on(self);
                    (chunk, found)
                })
                .collect();
            for (mut chunk, mut found) in chunks {
                loop {
                    for near in &found {
                        for b in chunk.indexes(near.value) {
                            totals.pairs += 1;
                            emit(Pair { a: near.a, b, distance: near.distance })?;
                        }
                    }
                    if chunk.is_done(self) {
                        break;
                    }
                    // It found very much, and goes on once all before it is delivered.
                    found = chunk.go_on(self);
                }
                totals.compared += chunk.compared;
            }
        }
        Ok(totals)
    }

    /// The indexes of all indexed fingerprints that equal this one, ascending.
    pub fn equals(&self, fingerprint: Fingerprint) -> &[u32] {
        self.members_of(fingerprint.0)
    }
}

/// Members of each value: where each value's begin, and the indexes.
fn members(values: &Values, ranks: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; values.sorted().len() + 1];
    ranks.iter().for_each(|&rank| starts[rank as usize + 1] += 1);
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut members = vec![0; ranks.len()];
    for (i, &rank) in ranks.iter().enumerate() {
        members[next[rank as usize] as usize] = i as u32;
        next[rank as usize] += 1;
    }
    (starts, members)
}

/// A value of a part that is close to an indexed one.
struct CloseValue {
    value: u64,
    a: u32,
    distance: u8,
}

/// A piece of a part, while it is scanned.
struct Chunk {
    /// Values and their indexes in the part, sorted.
    sorted: Vec<(u64, u32)>,
    /// The distinct values in the index's order of bits.
    rows: Vec<u64>,
    /// The table they are compared in, and how far that is.
    table: usize,
    task: Task,
    compared: u64,
}

impl Chunk {
    fn of(index: &FingerprintIndex, values: &[Fingerprint], first: usize) -> Self {
        let numbered = values.iter().enumerate().map(|(i, value)| (value.0, (first + i) as u32));
        let mut sorted: Vec<(u64, u32)> = numbered.collect();
        sorted.sort_unstable();
        let mut rows: Vec<u64> = sorted.iter().map(|row| row.0).collect();
        rows.dedup();
        rows.iter_mut().for_each(|row| *row = index.order.there(*row));
        let mut chunk = Chunk { sorted, rows, table: 0, task: Task::default(), compared: 0 };
        chunk.begin(index);
        chunk
    }

    /// Finds the values to compare in the current table.
    fn begin(&mut self, index: &FingerprintIndex) {
        self.task = Task::default();
        let Some(grouped) = index.tables.get(self.table) else { return };
        let mut start = 0;
        while start < self.rows.len() {
            let key = grouped.key.at(self.rows[start]);
            let alike = self.rows[start..].iter().take_while(|row| grouped.key.at(**row) == key).count();
            let (columns, end) = (grouped.place(key), start + alike);
            if columns.0 < columns.1 {
                self.task.add(Rectangle { rows: (start as u32, end as u32), columns, triangle: false });
            }
            start = end;
        }
        self.compared += self.task.area;
    }

    fn is_done(&self, index: &FingerprintIndex) -> bool {
        self.table == index.tables.len()
    }

    /// Compares until it is done or has found many.
    fn go_on(&mut self, index: &FingerprintIndex) -> Vec<CloseValue> {
        let mut found = Vec::new();
        while let Some(grouped) = index.tables.get(self.table) {
            let (columns, table) = (&grouped.values[..], Some(&grouped.table));
            let compared = Compared { rows: &self.rows, columns, k: index.k, table };
            if !compared.go_on(&mut self.task, &mut found) {
                break;
            }
            self.table += 1;
            self.begin(index);
        }
        let near = |(x, y): (u64, u64)| {
            let a = index.members_of(index.order.back(y)).first().copied()?;
            Some(CloseValue { value: index.order.back(x), a, distance: (x ^ y).count_ones() as u8 })
        };
        found.into_iter().filter_map(near).collect()
    }

    /// The indexes of `value` in the part.
    fn indexes(&self, value: u64) -> impl Iterator<Item = u32> {
        let from = self.sorted.partition_point(|row| row.0 < value);
        self.sorted[from..].iter().take_while(move |row| row.0 == value).map(|row| row.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn queries_equal_brute_force(
            seeds in prop::collection::vec(any::<u64>(), 1..4),
            flips in prop::collection::vec((0usize..4, prop::collection::vec(0u32..64, 0..6)), 1..3000),
            query in prop::collection::vec(0u32..64, 0..6),
            k in 0u32..9,
        ) {
            let value = |seed: usize, bits: &[u32]| {
                Fingerprint(bits.iter().fold(seeds[seed % seeds.len()], |v, bit| v ^ 1 << bit))
            };
            let set: Vec<_> = flips.iter().map(|(seed, bits)| value(*seed, bits)).collect();
            let query = value(0, &query);
            let mut expected: Vec<_> = set.iter().enumerate().map(|(i, f)| (i as u32, f.distance(query) as u8)).collect();
            expected.retain(|e| u32::from(e.1) <= k);
            expected.sort_unstable_by_key(|&(i, distance)| (distance, i));
            prop_assert_eq!(FingerprintIndex::new(&set, k)?.query(query), expected);
        }
    }

    /// A site of which half of the bits vary in some pages, and a few others.
    fn site(n: u64) -> Vec<Fingerprint> {
        let random = |i: u64| xxhash_rust::xxh3::xxh3_64(&i.to_le_bytes());
        let page = |i: u64| match i % 4 {
            0 => random(i),
            1 => 0x0123_4567_89AB_CDEF ^ random(i) & random(i + n) & 0x00FF_0F0F_F0F0_F0FF,
            2 => 0x0123_4567_89AB_CDEF ^ 1 << (random(i) % 64) ^ 1 << ((random(i) >> 6) % 64),
            _ => random(i - 3) ^ 1 << (random(i) % 64),
        };
        (0..n).map(|i| Fingerprint(page(i))).collect()
    }

    #[test]
    fn parts_that_are_scanned_give_what_brute_force_gives() {
        let (queries, stored) = (site(1200), site(2900));
        for (k, tables) in [(0, 20), (3, 20), (6, 40), (6, 1)] {
            let index = FingerprintIndex::of(&queries, k, tables).expect("small");
            for part in [&stored[..], &stored[700..], &[]] {
                let mut found = Vec::new();
                let push = |pair| {
                    found.push(pair);
                    Ok(())
                };
                let totals = index.scan(part, push).expect("no limit");
                assert_eq!(totals.pairs, found.len() as u64);
                found.sort_unstable();
                let mut expected = Vec::new();
                for (a, query) in queries.iter().enumerate() {
                    if index.equals(*query)[0] != a as u32 {
                        continue;
                    }
                    let distances = part.iter().map(|stored| stored.distance(*query)).enumerate();
                    let close = distances.filter(|(_, distance)| *distance <= k);
                    expected.extend(close.map(|(b, distance)| Pair {
                        a: a as u32,
                        b: b as u32,
                        distance: distance as u8,
                    }));
                }
                assert!(found == expected, "k = {k}, {} in the part", part.len());
            }
        }
    }

    #[test]
    fn a_part_all_of_which_is_close_is_given_whole_by_one_thread_and_by_three() {
        let queries: Vec<_> = (0..300).map(Fingerprint).collect();
        let part: Vec<_> = (0..3000).map(|i| Fingerprint(i % 500)).collect();
        let index = FingerprintIndex::new(&queries, 9).expect("small");
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let mut pairs = Vec::new();
            let push = |pair| {
                pairs.push(pair);
                Ok(())
            };
            pool.install(|| index.scan(&part, push)).expect("no limit");
            pairs
        };
        let (mut one, three) = (run(1), run(3));
        assert!(one == three);
        one.sort_unstable();
        one.dedup();
        assert_eq!((one.len(), three.len()), (300 * 3000, 300 * 3000));
    }

    #[test]
    fn an_empty_index_answers_nothing() {
        assert!(FingerprintIndex::new(&[], 3).expect("empty").query(Fingerprint(0)).is_empty());
    }
}
