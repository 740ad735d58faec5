//! Values compared with values: the innermost work of a Hamming join.
//!
//! **Algorithm.** Work comes as rectangles, rows against columns. Four rows meet eight columns at a time, and only the
//! least distance of a block is kept; the pairs of a block are looked at one by one where that is within the bound.
//! The loops are plain Rust over arrays, compiled three times: with AVX-512's population count, with AVX2, and for the
//! least common machine; which one runs is found out once.
//!
//! **Cost.** .05 to .1 ns a pair with AVX-512, .2 to .3 ns with AVX2 (2.6 GHz), and a few ns a pair that is found.
//! A task stops when it has found [`STOP`] pairs or a few more, and can go on from there.
//!
//! **Determinism.** Pairs come in the order of the rectangles; in one, by tiles of columns, then by rows.

use crate::hamming::plan::Table;

/// A pair of values.
pub(super) type Match = (u64, u64);

/// Pairs after which a task stops: it exceeds them by less than [`ROWS`] × [`TILE`].
pub(super) const STOP: usize = 8192;

/// Rows that are compared at once.
const ROWS: usize = 4;

/// Columns that are compared with all rows before the next ones are.
const TILE: usize = 2048;

/// Columns, compared with some rows, of which the least distance is taken.
const BLOCK: usize = 64;

/// Numbers that a vector holds, or two.
const LANES: usize = 8;

/// Rows against columns, by position.
#[derive(Copy, Clone, Debug)]
pub(super) struct Rectangle {
    /// First row and end.
    pub(super) rows: (u32, u32),
    /// First column and end.
    pub(super) columns: (u32, u32),
    /// Whether rows and columns are the same values, of which each pair is wanted once: only columns after the row.
    pub(super) triangle: bool,
}

impl Rectangle {
    /// Pairs in it, or up to twice as many.
    pub(super) fn area(&self) -> u64 {
        u64::from(self.rows.1 - self.rows.0) * u64::from(self.columns.1 - self.columns.0)
    }

    fn tiles(&self) -> usize {
        ((self.columns.1 - self.columns.0) as usize).div_ceil(TILE)
    }

    fn bands(&self) -> usize {
        ((self.rows.1 - self.rows.0) as usize).div_ceil(ROWS)
    }
}

/// Rectangles to be compared by one thread, and how far it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    rectangles: Vec<Rectangle>,
    pub(super) area: u64,
    /// Rectangle, tile of columns and band of rows to go on with.
    next: (usize, usize, usize),
}

impl Task {
    pub(super) fn add(&mut self, rectangle: Rectangle) {
        self.area += rectangle.area();
        self.rectangles.push(rectangle);
    }

    pub(super) fn len(&self) -> usize {
        self.rectangles.len()
    }
}

/// The things to compare, and which pairs count.
#[derive(Copy, Clone)]
pub(super) struct Compared<'a> {
    pub(super) rows: &'a [u64],
    pub(super) columns: &'a [u64],
    pub(super) k: u32,
    /// The table that owns the pairs; all count where there is none.
    pub(super) table: Option<&'a Table>,
}

impl Compared<'_> {
    /// Goes on with `task` and appends the pairs that it finds; whether it is done.
    pub(super) fn go_on(&self, task: &mut Task, found: &mut Vec<Match>) -> bool {
        match Machine::this() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Machine::this` has found the features that the function is compiled for.
            Machine::Avx512 => unsafe { go_on_avx512(self, task, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Machine::Avx2 => unsafe { go_on_avx2(self, task, found) },
            Machine::Any => go_on(self, task, found),
        }
    }

    /// Appends the pairs of `value` with all columns.
    pub(super) fn one(&self, value: u64, found: &mut Vec<Match>) {
        match Machine::this() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Machine::this` has found the features that the function is compiled for.
            Machine::Avx512 => unsafe { one_avx512(self, value, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Machine::Avx2 => unsafe { one_avx2(self, value, found) },
            Machine::Any => band(self, &[value; 1], self.columns, found),
        }
    }
}

/// What the processor can do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Machine {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Any,
}

impl Machine {
    #[inline]
    fn this() -> Machine {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512vpopcntdq")
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
            {
                return Machine::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                return Machine::Avx2;
            }
        }
        Machine::Any
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq,popcnt")]
fn go_on_avx512(compared: &Compared<'_>, task: &mut Task, found: &mut Vec<Match>) -> bool {
    go_on(compared, task, found)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn go_on_avx2(compared: &Compared<'_>, task: &mut Task, found: &mut Vec<Match>) -> bool {
    go_on(compared, task, found)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq,popcnt")]
fn one_avx512(compared: &Compared<'_>, value: u64, found: &mut Vec<Match>) {
    band(compared, &[value; 1], compared.columns, found);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn one_avx2(compared: &Compared<'_>, value: u64, found: &mut Vec<Match>) {
    band(compared, &[value; 1], compared.columns, found);
}

#[inline(always)]
fn go_on(compared: &Compared<'_>, task: &mut Task, found: &mut Vec<Match>) -> bool {
    let (mut at, mut tile, mut row) = task.next;
    while let Some(rectangle) = task.rectangles.get(at) {
        while tile < rectangle.tiles() {
            while row < rectangle.bands() {
                if found.len() >= STOP {
                    task.next = (at, tile, row);
                    return false;
                }
                part(compared, rectangle, tile, row, found);
                row += 1;
            }
            (tile, row) = (tile + 1, 0);
        }
        (at, tile) = (at + 1, 0);
    }
    task.next = (at, 0, 0);
    true
}

/// One band of rows against one tile of columns.
#[inline(always)]
fn part(
    compared: &Compared<'_>,
    rectangle: &Rectangle,
    tile: usize,
    band_number: usize,
    found: &mut Vec<Match>,
) {
    let first_row = rectangle.rows.0 as usize + band_number * ROWS;
    let rows = &compared.rows[first_row..(first_row + ROWS).min(rectangle.rows.1 as usize)];
    let first = rectangle.columns.0 as usize + tile * TILE;
    let end = (first + TILE).min(rectangle.columns.1 as usize);
    let mut from = first;
    if rectangle.triangle {
        let after = first_row + rows.len();
        if tile == 0 {
            for (i, &a) in rows.iter().enumerate() {
                rows[i + 1..].iter().for_each(|&b| push_close(compared, a, b, found));
            }
        }
        from = first.max(after);
    }
    if from >= end {
        return;
    }
    let columns = &compared.columns[from..end];
    match <&[u64; ROWS]>::try_from(rows) {
        Ok(rows) => band(compared, rows, columns, found),
        Err(_) => rows.iter().for_each(|&row| band(compared, &[row; 1], columns, found)),
    }
}

/// Some rows against some columns.
#[inline(always)]
fn band<const R: usize>(compared: &Compared<'_>, rows: &[u64; R], columns: &[u64], found: &mut Vec<Match>) {
    for block in columns.chunks(BLOCK) {
        if block.len() >= LANES && least_distance(rows, block) > u64::from(compared.k) {
            continue;
        }
        let (eights, rest) = block.as_chunks::<LANES>();
        for eight in eights {
            for &a in rows {
                let mut close = close_lanes(a, eight, compared.k);
                while close != 0 {
                    push_owned(compared, a, eight[close.trailing_zeros() as usize], found);
                    close &= close - 1;
                }
            }
        }
        for &a in rows {
            rest.iter().for_each(|&b| push_close(compared, a, b, found));
        }
    }
}

#[inline(always)]
fn push_close(compared: &Compared<'_>, a: u64, b: u64, found: &mut Vec<Match>) {
    if (a ^ b).count_ones() <= compared.k {
        push_owned(compared, a, b, found);
    }
}

#[inline(always)]
fn push_owned(compared: &Compared<'_>, a: u64, b: u64, found: &mut Vec<Match>) {
    if compared.table.is_none_or(|table| table.owns(a ^ b)) {
        found.push((a, b));
    }
}

/// A bit for each of the columns that is within `k` of `row`.
#[inline(always)]
fn close_lanes(row: u64, eight: &[u64; LANES], k: u32) -> u32 {
    let mut close = 0;
    for (lane, column) in eight.iter().enumerate() {
        close |= u32::from((column ^ row).count_ones() <= k) << lane;
    }
    close
}

/// The least distance of a row to a column; there are at least [`LANES`] columns.
#[inline(always)]
fn least_distance<const R: usize>(rows: &[u64; R], columns: &[u64]) -> u64 {
    let mut least = [u64::from(u64::BITS); LANES];
    let (eights, rest) = columns.as_chunks::<LANES>();
    for eight in eights {
        meet(rows, eight, &mut least);
    }
    // The last eight overlap with those before: a distance counted twice is the least no less.
    if let (false, Some(last)) = (rest.is_empty(), columns.last_chunk::<LANES>()) {
        meet(rows, last, &mut least);
    }
    least.into_iter().fold(u64::MAX, u64::min)
}

#[inline(always)]
fn meet<const R: usize>(rows: &[u64; R], eight: &[u64; LANES], least: &mut [u64; LANES]) {
    for row in rows {
        for lane in 0..LANES {
            least[lane] = least[lane].min(u64::from((eight[lane] ^ row).count_ones()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rectangle(rows: (u32, u32), columns: (u32, u32), triangle: bool) -> Rectangle {
        Rectangle { rows, columns, triangle }
    }

    /// All pairs of the task, on this machine and on the least common one.
    fn both(compared: &Compared<'_>, task: &Task) -> [Vec<Match>; 2] {
        let all = |go_on: &dyn Fn(&mut Task, &mut Vec<Match>) -> bool| {
            let (mut task, mut all, mut found) = (task.clone(), Vec::new(), Vec::new());
            loop {
                let done = go_on(&mut task, &mut found);
                assert!(found.len() < STOP + ROWS * TILE + ROWS * ROWS);
                all.append(&mut found);
                if done {
                    return all;
                }
            }
        };
        [all(&|task, found| compared.go_on(task, found)), all(&|task, found| go_on(compared, task, found))]
    }

    proptest! {
        #[test]
        fn rectangles_hold_their_close_pairs_once(
            values in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..64, Just(u64::MAX)], 1..400),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 4),
            k in 0u32..9,
        ) {
            let mut cuts: Vec<u32> = cuts.iter().map(|cut| cut.index(values.len() + 1) as u32).collect();
            cuts.sort_unstable();
            let mut task = Task::default();
            task.add(rectangle((cuts[0], cuts[1]), (cuts[0], cuts[2]), true));
            task.add(rectangle((cuts[0], cuts[2]), (cuts[1], cuts[3]), false));
            let at = |range: (u32, u32)| (range.0 as usize)..(range.1 as usize);
            let mut expected = Vec::new();
            for i in at((cuts[0], cuts[1])) {
                expected.extend(values[i + 1..cuts[2] as usize].iter().map(|&b| (values[i], b)));
            }
            for i in at((cuts[0], cuts[2])) {
                expected.extend(values[at((cuts[1], cuts[3]))].iter().map(|&b| (values[i], b)));
            }
            expected.retain(|(a, b)| (a ^ b).count_ones() <= k);
            expected.sort_unstable();
            let compared = Compared { rows: &values, columns: &values, k, table: None };
            let [mut here, anywhere] = both(&compared, &task);
            prop_assert_eq!(&here, &anywhere);
            here.sort_unstable();
            prop_assert_eq!(here, expected);
        }
    }

    #[test]
    fn a_task_that_finds_very_much_stops_and_goes_on() {
        let values: Vec<u64> = (0..700).collect();
        let mut task = Task::default();
        task.add(rectangle((0, 700), (0, 700), true));
        task.add(rectangle((3, 4), (0, 700), false));
        let compared = Compared { rows: &values, columns: &values, k: 64, table: None };
        for found in both(&compared, &task) {
            assert_eq!(found.len(), 700 * 699 / 2 + 700);
        }
    }

    #[test]
    fn one_value_meets_all_columns() {
        let columns: Vec<u64> = (0..77).map(|i| 1 << (i % 64)).collect();
        let compared = Compared { rows: &[], columns: &columns, k: 1, table: None };
        let mut found = Vec::new();
        compared.one(1, &mut found);
        assert_eq!(found, [(1, 1), (1, 1)]);
    }
}
