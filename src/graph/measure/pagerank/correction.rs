//! Corrections in single precision: sweeps over a [`Layout`] for z = r + c(z) + d P₀ᵀ z, with c(z) what the sums
//! of z let teleport (see [`Flow`]).
//!
//! A cell holds w = z × share, what a node gives to each of its arcs. A sweep is w ← constant + factor (c + d Σ w),
//! with factor = share / (1 − d p), p the probability to stay, and constant = factor × r. All strips
//! advance together, chunk by chunk: chunks worked on at one time lie far from one another, and what comes just
//! before a chunk, where most links on the Web come from, is done. What a chunk writes into its buffer it alone
//! reads, until all chunks of the step are done; then it is copied to the slots. The cells are relaxed atomics,
//! which cost what plain loads and stores cost and need no `unsafe`; no cell is ever read by one thread while
//! another writes it, so the order of threads is not in the result.

use super::layout::{Chunk, Layout, NO_SLOT, STRIPS};
use super::{Flow, Problem};
use crate::sweep::sum;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// In-links from which on sums are added up in double precision.
const LONG: usize = 256;

/// The state between sweeps.
pub(super) struct Correction {
    layout: Layout,
    cells: Vec<AtomicU32>,
    constant: Vec<f32>,
    factor: Vec<f32>,
    /// Value over cell.
    whole: Vec<f32>,
    /// What goes to nodes without out-links, over cell.
    leak: Vec<f32>,
    /// The teleport vector, if it is not uniform.
    teleport: Vec<f32>,
    scale: f64,
    sums: Sums,
}

/// Sums over the nodes with out-links: of the last changes, of the values and of what goes to nodes without.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub change: f64,
    pub total: f64,
    pub leak: f64,
}

impl Correction {
    /// For a problem on a layout; `leaks` is the share of its value that each node gives to nodes without out-links, after
    /// damping, or empty. With weights the layout holds the shares of arcs.
    pub fn new<A: Sync>(layout: Layout, problem: &Problem<'_, A>, leaks: &[f32], weighted: bool) -> Self {
        let share = |v: u32| if weighted { 1.0 } else { problem.share[v as usize] };
        let nodes = &layout.nodes;
        let factor = |&v: &u32| (share(v) * problem.relax.get(v as usize).copied().unwrap_or(1.0)) as f32;
        let factor = nodes.par_iter().map(factor).collect();
        let whole: Vec<f32> = nodes.par_iter().map(|&v| (1.0 / share(v)) as f32).collect();
        let leak =
            nodes.par_iter().zip(&whole).map(|(&v, whole)| leaks.get(v as usize).map_or(0.0, |l| l * whole));
        let leak = leak.collect();
        let teleport = |&v: &u32| problem.preferred(v as usize) as f32;
        let teleport =
            if problem.teleport.is_some() { nodes.par_iter().map(teleport).collect() } else { Vec::new() };
        let cells = (0..layout.num_cells).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        let constant = vec![0.0; nodes.len()];
        Correction {
            layout,
            cells,
            constant,
            factor,
            whole,
            leak,
            teleport,
            scale: 1.0,
            sums: Sums::default(),
        }
    }

    /// Takes r, by node, and a first guess of z; `size` is the L1 norm of the greater.
    pub fn begin(&mut self, size: f64, r: impl Fn(u32) -> f64 + Sync, guess: impl Fn(u32) -> f64 + Sync) {
        // A power of two, so that what is scaled keeps its digits and stays far from the ends of the range.
        let scale =
            (self.layout.nodes.len().max(1) as f64 / size).log2().round().clamp(-1000.0, 1000.0).exp2();
        let fixed = self.factor.par_iter().zip(&self.whole).zip(&self.leak);
        let values = self.constant.par_iter_mut().zip(&self.layout.nodes).zip(&self.cells);
        let sums: Vec<Sums> = values
            .zip(fixed)
            .with_min_len(1 << 12)
            .chunks(1 << 12)
            .map(|chunk| {
                let mut sums = Sums::default();
                for (((constant, &v), cell), ((&factor, &whole), &leak)) in chunk {
                    *constant = (r(v) * scale * f64::from(factor)) as f32;
                    let value = (guess(v) * scale / f64::from(whole)) as f32;
                    put(cell, value);
                    sums.total += f64::from(value * whole);
                    sums.leak += f64::from(value * leak);
                }
                sums
            })
            .collect();
        self.scale = scale;
        self.sums = add(&sums);
    }

    /// Adds z to a vector.
    pub fn add_to(&self, y: &mut [f64]) {
        y.par_iter_mut().zip(&self.layout.slot).with_min_len(1 << 12).for_each(|(y, &p)| {
            if p != NO_SLOT {
                *y +=
                    f64::from(get(&self.cells[p as usize])) * f64::from(self.whole[p as usize]) / self.scale;
            }
        });
    }

    /// One sweep; the L1 norm of what it changed.
    pub fn sweep(&mut self, flow: &Flow) -> f64 {
        let (mut preferred, mut even) = flow.teleports(self.sums.total, self.sums.leak);
        even *= flow.uniform;
        if self.teleport.is_empty() {
            even += preferred * flow.uniform;
            preferred = 0.0;
        }
        let base = (preferred as f32, even as f32, flow.damping as f32);
        let this = &*self;
        let (chunks, steps) = (&this.layout.chunks[..], this.layout.steps);
        let mut sums = Vec::with_capacity(chunks.len());
        for step in 0..steps {
            let of_step = |strip: usize| chunks.get(strip * steps + step);
            let strips = || (0..STRIPS).into_par_iter().with_max_len(1).filter_map(of_step);
            strips().for_each(|chunk| this.work(chunk, base));
            sums.extend(strips().map(|chunk| this.publish(chunk)).collect::<Vec<Sums>>());
        }
        self.sums = add(&sums);
        self.sums.change / self.scale
    }

    /// Copies what a chunk wrote from its buffer to the slots.
    fn publish(&self, chunk: &Chunk) -> Sums {
        let buffer = &self.cells[chunk.buffer..][..chunk.slots.len()];
        let cells = self.cells[chunk.slots.clone()].iter().zip(buffer);
        let others = self.whole[chunk.slots.clone()].iter().zip(&self.leak[chunk.slots.clone()]);
        // Two sums, so that an addition does not wait for the one before.
        let mut sums = [Sums::default(); 2];
        for (i, ((slot, buffer), (&whole, &leak))) in cells.zip(others).enumerate() {
            let (value, sums) = (get(buffer), &mut sums[i % 2]);
            sums.change += f64::from((value - get(slot)).abs() * whole);
            sums.total += f64::from(value * whole);
            sums.leak += f64::from(value * leak);
            put(slot, value);
        }
        add(&sums)
    }

    fn work(&self, chunk: &Chunk, base: Base) {
        let buffer = &self.cells[chunk.buffer..][..chunk.slots.len()];
        for (slot, buffer) in self.cells[chunk.slots.clone()].iter().zip(buffer) {
            buffer.store(slot.load(Relaxed), Relaxed);
        }
        if self.layout.shares.is_empty() {
            self.rows::<false>(chunk, buffer, base)
        } else {
            self.rows::<true>(chunk, buffer, base)
        }
    }

    fn rows<const WEIGHTED: bool>(&self, chunk: &Chunk, buffer: &[AtomicU32], base: Base) {
        let (mut slot, mut arc) = (0, chunk.arcs.start);
        for &(degree, nodes) in &chunk.groups {
            let (degree, nodes) = (degree as usize, nodes as usize);
            let arcs = arc..arc + degree * nodes;
            let slots = chunk.slots.start + slot..chunk.slots.start + slot + nodes;
            let group = Group {
                base,
                cells: &self.cells,
                buffer: &buffer[slot..slot + nodes],
                constant: &self.constant[slots.clone()],
                factor: &self.factor[slots.clone()],
                teleport: if self.teleport.is_empty() { &[] } else { &self.teleport[slots] },
                sources: &self.layout.sources[arcs.clone()],
                shares: if WEIGHTED { &self.layout.shares[arcs.clone()] } else { &[] },
            };
            match degree {
                0 => group.short::<0, WEIGHTED>(),
                1 => group.short::<1, WEIGHTED>(),
                2 => group.short::<2, WEIGHTED>(),
                3 => group.short::<3, WEIGHTED>(),
                4 => group.short::<4, WEIGHTED>(),
                5 => group.short::<5, WEIGHTED>(),
                6 => group.short::<6, WEIGHTED>(),
                7 => group.short::<7, WEIGHTED>(),
                8 => group.short::<8, WEIGHTED>(),
                _ if degree < LONG => group.middling::<WEIGHTED>(degree),
                _ => group.long::<WEIGHTED>(degree),
            }
            (slot, arc) = (slot + nodes, arcs.end);
        }
    }
}

fn add(sums: &[Sums]) -> Sums {
    let all = |of: fn(&Sums) -> f64| sum(sums.iter().map(of));
    Sums { change: all(|s| s.change), total: all(|s| s.total), leak: all(|s| s.leak) }
}

#[inline(always)]
fn get(cell: &AtomicU32) -> f32 {
    f32::from_bits(cell.load(Relaxed))
}

#[inline(always)]
fn put(cell: &AtomicU32, value: f32) {
    cell.store(value.to_bits(), Relaxed);
}

/// What goes to each node: a multiple of the teleport vector, a constant, and a factor of what comes in.
type Base = (f32, f32, f32);

/// Nodes of a chunk with equally many in-links.
struct Group<'a> {
    base: Base,
    cells: &'a [AtomicU32],
    buffer: &'a [AtomicU32],
    constant: &'a [f32],
    factor: &'a [f32],
    teleport: &'a [f32],
    sources: &'a [u32],
    shares: &'a [f32],
}

impl Group<'_> {
    /// Sets the nodes by the sums of what comes in.
    #[inline(always)]
    fn set(&self, degree: usize, incoming: impl Fn(&[u32], &[f32]) -> f32) {
        if self.teleport.is_empty() {
            self.set_with(degree, |_| self.base.1, incoming)
        } else {
            self.set_with(degree, |i| self.base.0 * self.teleport[i] + self.base.1, incoming)
        }
    }

    #[inline(always)]
    fn set_with(&self, degree: usize, base: impl Fn(usize) -> f32, incoming: impl Fn(&[u32], &[f32]) -> f32) {
        let none = self.shares.is_empty();
        for (i, cell) in self.buffer.iter().enumerate() {
            let arcs = i * degree..(i + 1) * degree;
            let shares = if none { &[] } else { &self.shares[arcs.clone()] };
            let value = self.constant[i]
                + self.factor[i] * (base(i) + self.base.2 * incoming(&self.sources[arcs], shares));
            put(cell, value);
        }
    }

    #[inline(always)]
    fn term<const WEIGHTED: bool>(&self, i: usize, sources: &[u32], shares: &[f32]) -> f32 {
        let value = get(&self.cells[sources[i] as usize]);
        if WEIGHTED { value * shares[i] } else { value }
    }

    fn short<const DEGREE: usize, const WEIGHTED: bool>(&self) {
        self.set(DEGREE, |sources, shares| {
            (0..DEGREE).map(|i| self.term::<WEIGHTED>(i, sources, shares)).sum()
        })
    }

    fn middling<const WEIGHTED: bool>(&self, degree: usize) {
        self.set(degree, |sources, shares| self.four::<WEIGHTED>(sources, shares))
    }

    fn long<const WEIGHTED: bool>(&self, degree: usize) {
        self.set(degree, |sources, shares| {
            let pieces = sources.chunks(LONG).enumerate();
            let pieces = pieces.map(|(i, piece)| {
                let shares = if WEIGHTED { &shares[i * LONG..][..piece.len()] } else { &[] };
                f64::from(self.four::<WEIGHTED>(piece, shares))
            });
            pieces.sum::<f64>() as f32
        })
    }

    /// Four sums, so that an addition does not wait for the one before.
    #[inline(always)]
    fn four<const WEIGHTED: bool>(&self, sources: &[u32], shares: &[f32]) -> f32 {
        let mut sums = [0.0f32; 4];
        let whole = sources.len() / 4 * 4;
        for first in (0..whole).step_by(4) {
            let four = &sources[first..first + 4];
            let shares = if WEIGHTED { &shares[first..first + 4] } else { &[] };
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += self.term::<WEIGHTED>(i, four, shares);
            }
        }
        let rest: f32 = (whole..sources.len()).map(|i| self.term::<WEIGHTED>(i, sources, shares)).sum();
        sums[0] + sums[1] + (sums[2] + sums[3]) + rest
    }
}
