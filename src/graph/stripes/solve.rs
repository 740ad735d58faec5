//! Sweeps over stripes.

use super::super::pagerank::Dangling;
use super::super::sweep::Compensated;
use super::build::{Lane, Stripe, Striped};
use super::code::add;
use super::local::{self, Arcs};
use super::record::Record;
use super::scratch::{CHUNK, Numbers};
use super::{StripedPageRank, Sweep};
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

/// Vectors between sweeps, none of them in memory.
pub(super) struct Vectors {
    /// The ranks up to a factor.
    pub y: Numbers,
    /// What nodes with arcs give to each of them.
    given: Numbers,
    /// The teleport vector, if it is not uniform, and what normalises it.
    teleport: Option<(Numbers, f64)>,
}

/// What a sweep found: ‖Δ‖₁ and, of the new values, the sum and the sum over nodes without successors.
#[derive(Clone, Copy, Default)]
struct Swept {
    change: Compensated,
    total: Compensated,
    dangling: Compensated,
}

impl Swept {
    fn of(parts: &[Swept]) -> Swept {
        let mut all = Swept::default();
        for part in parts {
            all.change.add(part.change.value());
            all.total.add(part.total.value());
            all.dangling.add(part.dangling.value());
        }
        all
    }
}

/// How far the sweeps came: the last one, and the sum of y.
pub(super) struct Reached {
    pub last: Sweep,
    pub total: f64,
}

/// Multiples of the teleport vector and of 1 that each node gets.
type Base = (f64, f64);

impl StripedPageRank {
    pub(super) fn sweeps(
        &self,
        striped: &Striped,
        vectors: &Vectors,
        first: (f64, f64),
        each: &mut dyn FnMut(&Sweep) -> Result<()>,
    ) -> Result<Reached> {
        let d = self.damping;
        let uniform = 1.0 / striped.nodes as f64;
        let (mut total, mut mass) = first;
        let mut last = Sweep { number: 0, error_bound: f64::INFINITY };
        let widest = striped.stripes.iter().map(|stripe| stripe.nodes.end - stripe.nodes.start).max();
        let mut sums = vec![0.0; widest.unwrap_or(0) as usize];
        let mut records = [Record::new(), Record::new()];
        while last.number < self.max_iterations && last.error_bound > self.tolerance {
            let base = match self.dangling {
                Dangling::Teleport => ((1.0 - d) * total + d * mass, 0.0),
                Dangling::Uniform => ((1.0 - d) * total, d * mass * uniform),
                Dangling::Lost => (1.0 - d, 0.0),
            };
            let mut parts = Vec::new();
            for stripe in &striped.stripes {
                let sums = &mut sums[..(stripe.nodes.end - stripe.nodes.start) as usize];
                gather(striped, stripe, &vectors.given, &mut records, sums)?;
                let lanes: Vec<Result<Swept>> = split(stripe, sums)
                    .into_par_iter()
                    .with_max_len(1)
                    .map(|(lane, sums)| vectors.renew(striped, stripe, lane, Some(sums), d, base))
                    .collect();
                for lane in lanes {
                    parts.push(lane?);
                }
            }
            let swept = Swept::of(&parts);
            let (change, now) = (swept.change.value(), swept.total.value());
            let error_bound = match self.dangling {
                Dangling::Lost => d * change / (1.0 - d),
                Dangling::Teleport | Dangling::Uniform => {
                    (d * change + (1.0 - d) * (now - total).abs()) / ((1.0 - d) * now)
                }
            };
            (total, mass) = (now, swept.dangling.value());
            last = Sweep { number: last.number + 1, error_bound };
            each(&last)?;
        }
        Ok(Reached { last, total })
    }
}

/// The sums of a stripe, cut into lanes.
fn split<'a>(stripe: &'a Stripe, mut sums: &'a mut [f64]) -> Vec<(&'a Lane, &'a mut [f64])> {
    let mut lanes = Vec::with_capacity(stripe.lanes.len());
    for lane in &stripe.lanes {
        let (own, others) = sums.split_at_mut((lane.nodes.end - lane.nodes.start) as usize);
        lanes.push((lane, own));
        sums = others;
    }
    lanes
}

/// Adds up what comes in over the arcs of a stripe; a record is read while the one before is added.
fn gather(
    striped: &Striped,
    stripe: &Stripe,
    given: &Numbers,
    [ready, coming]: &mut [Record; 2],
    sums: &mut [f64],
) -> Result<()> {
    sums.fill(0.0);
    let arcs = &stripe.arcs;
    let mut next = ready.read(arcs, 0, given)?;
    while let Some(at) = next {
        let lanes = split(stripe, sums);
        let work = || {
            let lanes = lanes.into_par_iter().zip(ready.lanes()).with_max_len(1);
            let wrong = lanes.enumerate().find_map_first(|(number, ((_, sums), (bytes, sum)))| {
                let whole = xxh3_64(bytes) == sum && add(bytes, striped.stored, &ready.given, sums).is_some();
                (!whole).then_some(number)
            });
            wrong.map_or(Ok(()), |lane| {
                let what = format!(
                    "a scratch file: the arcs of lane {lane} of this record do not match their checksum"
                );
                Err(Error::corrupt(&arcs.folder, ready.offset(), what))
            })
        };
        let (worked, read) = rayon::join(work, || coming.read(arcs, at, given));
        worked?;
        next = read?;
        std::mem::swap(ready, coming);
    }
    Ok(())
}

impl Vectors {
    /// The vectors to begin with, and the sum of y and that over nodes without arcs.
    pub fn begin(
        striped: &Striped,
        settings: &StripedPageRank,
        teleport: Option<(Numbers, f64)>,
    ) -> Result<(Vectors, (f64, f64))> {
        let new = || Numbers::new(&settings.folder);
        let vectors = Vectors { y: new()?, given: new()?, teleport };
        let lanes: Vec<(&Stripe, &Lane)> = striped
            .stripes
            .iter()
            .flat_map(|stripe| stripe.lanes.iter().map(move |lane| (stripe, lane)))
            .collect();
        // With the teleport vector as base and nothing that comes in, a sweep leaves just that.
        let fill = |scale: f64| -> Result<Swept> {
            let one = |&(stripe, lane): &(&Stripe, &Lane)| {
                vectors.renew(striped, stripe, lane, None, 0.0, (scale, 0.0))
            };
            let parts: Result<Vec<Swept>> = lanes.par_iter().with_max_len(1).map(one).collect();
            Ok(Swept::of(&parts?))
        };
        let mut swept = fill(1.0)?;
        if settings.dangling == Dangling::Lost {
            // The scale on which x = (1 − d) v + d P₀ᵀ x holds, if it holds on any.
            let d = settings.damping;
            swept = fill((1.0 - d) / (1.0 - d + d * swept.dangling.value()))?;
        }
        Ok((vectors, (swept.total.value(), swept.dangling.value())))
    }

    /// New values of the nodes of a lane, one after the other, from the sums of what comes from other blocks; without sums they
    /// are written for the first time.
    fn renew(
        &self,
        striped: &Striped,
        stripe: &Stripe,
        lane: &Lane,
        sums: Option<&mut [f64]>,
        damping: f64,
        (preferred, even): Base,
    ) -> Result<Swept> {
        let uniform = 1.0 / striped.nodes as f64;
        let mut swept = Swept::default();
        let (mut y, mut share, mut teleport, mut given) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut bytes, mut block, mut open) = (Vec::new(), lane.local, Vec::new());
        let mut slot = lane.slot;
        let mut at = lane.nodes.start;
        while at < lane.nodes.end {
            let many = (lane.nodes.end - at).min(CHUNK as u64) as usize;
            let from = (at - lane.nodes.start) as usize;
            let sums = sums.as_deref().map(|sums| &sums[from..from + many]);
            y.clear();
            y.resize(many, 0.0);
            share.resize(many, 0.0);
            striped.share.read(at, &mut share)?;
            bytes.clear();
            if sums.is_some() {
                self.y.read(at, &mut y)?;
                block = local::read(&stripe.local, block, &mut bytes)?;
            }
            let wrong = || {
                Error::corrupt(&stripe.local.folder, block, "a scratch file: these are no arcs of a block")
            };
            if let Some((vector, _)) = &self.teleport {
                teleport.resize(many, 0.0);
                vector.read(at, &mut teleport)?;
            }
            given.clear();
            given.extend(y.iter().zip(&share).map(|(y, share)| y * share));
            open.clear();
            let mut arcs = Arcs::new(&bytes, striped.stored).ok_or_else(wrong)?;
            let (mut change, mut total, mut dangling) = (0.0, 0.0, 0.0);
            for (node, (y, &share)) in y.iter_mut().zip(&share).enumerate() {
                let v = match &self.teleport {
                    None => uniform,
                    Some((_, scale)) => teleport[node] * scale,
                };
                let (near, stays) = arcs.to(node, &given).ok_or_else(wrong)?;
                let incoming = near + sums.map_or(0.0, |sums| sums[node]);
                // What it gives itself is solved for.
                let rank = (v * preferred + even + damping * incoming) / (1.0 - damping * stays * share);
                change += (rank - *y).abs();
                total += rank;
                given[node] = rank * share;
                if share > 0.0 {
                    open.push(rank * share);
                } else {
                    dangling += rank;
                }
                *y = rank;
            }
            if !arcs.is_done() {
                return Err(wrong());
            }
            self.y.write(at, &y)?;
            self.given.write(slot, &open)?;
            slot += open.len() as u64;
            swept.change.add(change);
            swept.total.add(total);
            swept.dangling.add(dangling);
            at += many as u64;
        }
        Ok(swept)
    }
}
