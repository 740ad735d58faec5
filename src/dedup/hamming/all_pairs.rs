//! All pairs of 64-bit values within a Hamming distance, without comparing all with all where that takes long.
//!
//! **Algorithm.** A plan is measured on a sample of the values (see `measure`). For each of its tables the values are
//! grouped by the bits that must agree (see `group`), and the values of a group are compared with each other (see
//! `compare`). A group of more than [`LARGE`] values is such a problem again and may get a plan of its own, over the
//! bits that vary in it. Before that the pairs that belong to other tables are left out: values that agree on a block
//! which must differ are not compared, and where all do, as in the heaps of near-constant bits, nothing is.
//!
//! **Cost.** Time for `C(m, k)` tables of 5 to 10 ns a value, and .1 ns a comparison; a plan weighs one against the
//! other. Memory 16 bytes a value, 4 for each of at most 4 million keys, and 14 MiB for the pairs that wait to be
//! delivered, however many there are.
//!
//! **Determinism.** Exact: every pair within `k`, once. Pairs come table by table, group by group; work is cut by size
//! alone, so that the order does not depend on threads either.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::hamming::bit_order::BitOrder;
use crate::hamming::compare::{Compared, Match, Rectangle, Task};
use crate::hamming::group::{Key, group};
use crate::hamming::measure::{Work, agreed, all_pairs, plan};
use crate::hamming::plan::{Plan, Table};

/// Values of a group that is compared as it is; few in tests, so that small sets have plans within plans.
const LARGE: usize = if cfg!(test) { 64 } else { 1 << 15 };

/// Rows of a large group that one task takes.
const STRIP: u32 = 1024;

/// Tasks worked on between two deliveries.
const WAVE: usize = 32;

/// Comparisons, and rectangles, after which a task is closed.
const TASK_AREA: u64 = 1 << 22;
const TASK_RECTANGLES: usize = 4096;

/// Plans within plans.
const DEPTH: u32 = 3;

/// A plan within a plan must be so much better than to compare all: it meets pairs anew in many tables.
const GAIN: f64 = 0.5;

/// Where at least this share of a group agrees on a block that must differ, those that agree are not compared.
const AGREED: f64 = 0.2;

/// A join under way: `convert` runs on many threads, `deliver` on one, in order.
pub(super) struct Join<C, D> {
    pub(super) k: u32,
    /// Makes the result of a pair of values.
    pub(super) convert: C,
    pub(super) deliver: D,
    /// Pairs of values that were compared, about.
    pub(super) compared: u64,
}

/// Where values stand: in a group of a table of a plan, over a group of an outer one.
struct Frame<'a> {
    order: &'a BitOrder,
    table: Option<&'a Table>,
    outer: Option<&'a Frame<'a>>,
}

impl Frame<'_> {
    /// The pair of given values that a pair of this frame stands for; `None` where an outer plan finds it elsewhere.
    fn original(&self, (mut a, mut b): Match) -> Option<Match> {
        (a, b) = (self.order.back(a), self.order.back(b));
        let mut outer = self.outer;
        while let Some(frame) = outer {
            if frame.table.is_some_and(|table| !table.owns(a ^ b)) {
                return None;
            }
            (a, b) = (frame.order.back(a), frame.order.back(b));
            outer = frame.outer;
        }
        Some((a, b))
    }
}

/// Tasks to be worked on together.
#[derive(Default)]
struct Wave {
    tasks: Vec<Task>,
}

impl Wave {
    fn add(&mut self, rectangle: Rectangle) {
        match self.tasks.last_mut().filter(|task| task.area < TASK_AREA && task.len() < TASK_RECTANGLES) {
            Some(task) => task.add(rectangle),
            None => {
                let mut task = Task::default();
                task.add(rectangle);
                self.tasks.push(task);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.tasks.len() > WAVE
    }
}

impl<T, E, C, D> Join<C, D>
where
    T: Send,
    C: Fn(Match) -> T + Sync,
    D: FnMut(Vec<T>) -> ControlFlow<E>,
{
    pub(super) fn new(k: u32, convert: C, deliver: D) -> Self {
        Join { k, convert, deliver, compared: 0 }
    }

    /// Delivers every pair of the distinct `values` within `k`, each once, in either order.
    pub(super) fn within(&mut self, values: &mut [u64]) -> ControlFlow<E> {
        let mut scratch = vec![0; values.len()];
        let plan = plan(Work::Within(values.len()), values, self.k, f64::INFINITY);
        self.within_frame(values, &mut scratch, None, DEPTH, plan)
    }

    /// All pairs of `values`, by the plan if there is one.
    fn within_frame(
        &mut self,
        values: &mut [u64],
        scratch: &mut [u64],
        outer: Option<&Frame<'_>>,
        depth: u32,
        plan: Option<Plan>,
    ) -> ControlFlow<E> {
        let Some(plan) = plan else { return self.rest_within(values, outer) };
        let Plan { order, tables } = &plan;
        order.all_there(values);
        for table in tables {
            let key = Key::of(table.mask, values.len());
            let starts = group(values, scratch, &key);
            let frame = Frame { order, table: Some(table), outer };
            let mut wave = Wave::default();
            for bounds in starts.windows(2) {
                let (start, end) = (bounds[0], bounds[1]);
                let place = start as usize..end as usize;
                if place.len() > LARGE {
                    self.work_off(&mut wave, values, &frame)?;
                    let (values, scratch) = (&mut values[place.clone()], &mut scratch[place]);
                    self.large_within(values, scratch, &frame, depth)?;
                } else if place.len() > 1 {
                    for rectangle in triangle(start, end) {
                        wave.add(rectangle);
                    }
                    if wave.is_full() {
                        self.work_off(&mut wave, values, &frame)?;
                    }
                }
            }
            self.work_off(&mut wave, values, &frame)?;
        }
        order.all_back(values);
        ControlFlow::Continue(())
    }

    /// A group of many values.
    fn large_within(
        &mut self,
        values: &mut [u64],
        scratch: &mut [u64],
        frame: &Frame<'_>,
        depth: u32,
    ) -> ControlFlow<E> {
        let differing = frame.table.map_or(&[][..], |table| &table.differing);
        if differing.iter().any(|block| constant(values, *block)) {
            return ControlFlow::Continue(());
        }
        let most = differing.iter().map(|&block| (agreed(values, block), block));
        let most = most.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|most| most.0 >= AGREED);
        let work = Work::Within(values.len());
        let compared = all_pairs(work) * (1.0 - most.map_or(0.0, |most| most.0));
        let plan = if depth > 0 { plan(work, values, self.k, compared * GAIN) } else { None };
        let Some((_, block)) = most.filter(|_| plan.is_none()) else {
            return self.within_frame(values, scratch, Some(frame), depth.saturating_sub(1), plan);
        };
        values.par_sort_unstable_by_key(|v| (v & block, *v));
        let (mut wave, mut start, end) = (Wave::default(), 0, values.len() as u32);
        for class in values.chunk_by(|a, b| a & block == b & block) {
            let after = start + class.len() as u32;
            for rectangle in strips((start, after), (after, end)) {
                wave.add(rectangle);
                if wave.is_full() {
                    self.work_off(&mut wave, values, frame)?;
                }
            }
            start = after;
        }
        self.work_off(&mut wave, values, frame)
    }

    /// All pairs of `values` without a plan.
    fn rest_within(&mut self, values: &[u64], outer: Option<&Frame<'_>>) -> ControlFlow<E> {
        let order = BitOrder::default();
        let whole = Frame { order: &order, table: None, outer: None };
        let frame = outer.unwrap_or(&whole);
        let mut wave = Wave::default();
        for rectangle in triangle(0, values.len() as u32) {
            wave.add(rectangle);
            if wave.is_full() {
                self.work_off(&mut wave, values, frame)?;
            }
        }
        self.work_off(&mut wave, values, frame)
    }

    /// Compares what `wave` holds, and empties it.
    fn work_off(&mut self, wave: &mut Wave, values: &[u64], frame: &Frame<'_>) -> ControlFlow<E> {
        let Join { k, convert, deliver, compared } = self;
        let work = Compared { rows: values, columns: values, k: *k, table: frame.table };
        let go_on = |task: &mut Task| {
            let mut found = Vec::new();
            let done = work.go_on(task, &mut found);
            let original = found.into_iter().filter_map(|pair| frame.original(pair));
            (original.map(&*convert).collect::<Vec<T>>(), done)
        };
        *compared += wave.tasks.iter().map(|task| task.area).sum::<u64>();
        let found: Vec<(Vec<T>, bool)> = wave.tasks.par_iter_mut().map(go_on).collect();
        for (mut task, (found, mut done)) in wave.tasks.drain(..).zip(found) {
            deliver(found)?;
            // A task that finds very much goes on once all before it is delivered: what waits stays small.
            while !done {
                let more;
                (more, done) = go_on(&mut task);
                deliver(more)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether all `values` agree on `mask`.
fn constant(values: &[u64], mask: u64) -> bool {
    let first = values.first().map_or(0, |v| v & mask);
    values.iter().all(|v| v & mask == first)
}

/// Rectangles for each pair of the positions.
fn triangle(start: u32, end: u32) -> impl Iterator<Item = Rectangle> {
    (start..end).step_by(STRIP as usize).map(move |row| Rectangle {
        rows: (row, end.min(row.saturating_add(STRIP))),
        columns: (row, end),
        triangle: true,
    })
}

/// Rectangles for each row with each column.
fn strips(rows: (u32, u32), columns: (u32, u32)) -> impl Iterator<Item = Rectangle> {
    let wanted = if columns.0 < columns.1 { rows } else { (0, 0) };
    (wanted.0..wanted.1).step_by(STRIP as usize).map(move |row| Rectangle {
        rows: (row, wanted.1.min(row.saturating_add(STRIP))),
        columns,
        triangle: false,
    })
}
