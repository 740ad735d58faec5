//! From a graph file to stripes: two readings of it and one writing of the arcs.

use super::code::{SOURCE_BITS, Stored, Waiting, encode, place};
use super::local::{self, BLOCK, BLOCK_ARCS};
use super::record::{Record, write};
use super::scratch::{Numbers, Scratch};
use super::source::{GraphFile, Piece};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use webmill_capture::error::Result;

/// Parts of a stripe that threads work on at one time.
pub(super) const LANES: usize = 16;
/// Most stripes.
pub(super) const MAX_STRIPES: usize = 4096;
/// Most arcs of a segment.
const SEGMENT_ARCS: usize = 1 << 19;
/// The nodes are counted in at most so many groups of equal size.
const GROUPS: u64 = 1 << 16;

/// The arcs, by stripe, and what is known of all nodes.
pub(super) struct Striped {
    pub nodes: u64,
    pub stored: Stored,
    pub stripes: Vec<Stripe>,
    /// What each node gives of its rank to an arc of weight 1; 0 of nodes without arcs.
    pub share: Numbers,
}

/// Consecutive nodes, and a file of the arcs that lead to them.
pub(super) struct Stripe {
    pub nodes: Range<u64>,
    pub lanes: Vec<Lane>,
    pub arcs: Scratch,
    /// Arcs that stay within a block.
    pub local: Scratch,
}

/// Some of them.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub nodes: Range<u64>,
    /// Which of the nodes with arcs is the first of these.
    pub slot: u64,
    /// Where its blocks begin in the file of their arcs.
    pub local: u64,
}

/// Nodes are counted, and cut, in groups of 2 to this power.
fn group_bits(nodes: u64) -> u32 {
    nodes.div_ceil(GROUPS).max(1).next_power_of_two().trailing_zeros()
}

/// Where a stripe begins.
fn cut(nodes: u64, stripe: usize, stripes: usize) -> u64 {
    let bits = group_bits(nodes);
    let groups = nodes.div_ceil(1 << bits);
    (groups * stripe as u64 / stripes as u64) << bits
}

/// Nodes of the greatest stripe.
pub(super) fn widest(nodes: u64, stripes: usize) -> u64 {
    let end = |stripe| cut(nodes, stripe, stripes).min(nodes);
    (0..stripes).map(|stripe| end(stripe + 1) - end(stripe)).max().unwrap_or(0)
}

/// Numbers of a group: arcs that lead to it, and nodes with arcs in it.
#[derive(Clone, Copy, Default)]
struct Group {
    arcs: u64,
    open: u64,
}

pub(super) fn build(graph: &GraphFile, stored: Stored, stripes: usize, folder: &Path) -> Result<Striped> {
    let nodes = graph.num_nodes() as u64;
    let bits = group_bits(nodes);
    let mut groups = vec![Group::default(); nodes.div_ceil(1 << bits) as usize];
    let share = Numbers::new(folder)?;
    let mut shares = share.writer();
    let mut out = 0.0;
    graph.read(stored != Stored::Nothing, |piece| {
        out += match stored {
            Stored::Nothing => piece.targets.len() as f64,
            Stored::Count => piece.weights.iter().map(|&count| f64::from(count)).sum(),
            Stored::Real => piece.weights.iter().map(|&bits| f64::from(f32::from_bits(bits))).sum(),
        };
        for target in piece.targets {
            groups[(target >> bits) as usize].arcs += 1;
        }
        if piece.last {
            let out = std::mem::take(&mut out);
            groups[(piece.node >> bits) as usize].open += u64::from(out > 0.0);
            shares.push(if out > 0.0 { 1.0 / out } else { 0.0 })?;
        }
        Ok(())
    })?;
    shares.flush()?;
    let (mut made, mut slot, mut lane_of) =
        (Vec::with_capacity(stripes), 0, Vec::with_capacity(groups.len()));
    for stripe in 0..stripes {
        let range = cut(nodes, stripe, stripes)..cut(nodes, stripe + 1, stripes);
        let of_stripe = &groups[(range.start >> bits) as usize..(range.end >> bits) as usize];
        let mut lanes = Vec::with_capacity(LANES);
        let work = |groups: &[Group]| groups.iter().map(|group| group.arcs + (1 << bits)).sum::<u64>();
        let (whole, mut done, mut at) = (work(of_stripe), 0, 0);
        for lane in 0..LANES {
            let (from, first) = (at, slot);
            while at < of_stripe.len()
                && (lane == LANES - 1 || done * (LANES as u64) < whole * (lane as u64 + 1))
            {
                done += work(&of_stripe[at..=at]);
                slot += of_stripe[at].open;
                lane_of.push((stripe * LANES + lane) as u16);
                at += 1;
            }
            let node = |group: usize| (range.start + ((group as u64) << bits)).min(nodes);
            lanes.push(Lane { nodes: node(from)..node(at), slot: first, local: 0 });
        }
        let nodes = range.start.min(nodes)..range.end.min(nodes);
        made.push(Stripe { nodes, lanes, arcs: Scratch::new(folder)?, local: Scratch::new(folder)? });
    }
    let mut striped = Striped { nodes, stored, stripes: made, share };
    if stored == Stored::Nothing {
        Gathering::<u64>::new(&mut striped, &lane_of, bits, graph.num_arcs()).all(graph)?;
    } else {
        Gathering::<u128>::new(&mut striped, &lane_of, bits, graph.num_arcs()).all(graph)?;
    }
    Ok(striped)
}

/// The arcs of consecutive sources on their way to the stripes.
struct Gathering<'a, T> {
    stripes: &'a mut [Stripe],
    share: &'a Numbers,
    stored: Stored,
    nodes: u64,
    /// Lane of each group of nodes, numbered through all stripes.
    lane_of: &'a [u16],
    bits: u32,
    /// First node of each lane.
    starts: Vec<u32>,
    /// First source of the segment.
    first: u64,
    /// Target, and which source of the segment.
    arcs: Vec<u64>,
    weights: Vec<u32>,
    /// Arcs of each lane.
    counts: Vec<u32>,
    sorted: Vec<T>,
    /// The block of nodes that is read, its lane, and the arcs within it.
    block: Range<u32>,
    block_lane: usize,
    local: Vec<T>,
}

impl<'a, T: Waiting> Gathering<'a, T> {
    fn new(striped: &'a mut Striped, lane_of: &'a [u16], bits: u32, arcs: u64) -> Self {
        let Striped { nodes, stored, stripes, share } = striped;
        let starts: Vec<u32> =
            stripes.iter().flat_map(|stripe| &stripe.lanes).map(|lane| lane.nodes.start as u32).collect();
        let room = arcs.min(SEGMENT_ARCS as u64) as usize;
        Gathering {
            stripes,
            share,
            stored: *stored,
            nodes: *nodes,
            lane_of,
            bits,
            counts: vec![0; starts.len()],
            starts,
            first: 0,
            arcs: Vec::with_capacity(room),
            weights: Vec::with_capacity(if *stored == Stored::Nothing { 0 } else { room }),
            sorted: vec![T::default(); room],
            block: 0..0,
            block_lane: 0,
            local: Vec::new(),
        }
    }

    fn all(mut self, graph: &GraphFile) -> Result<()> {
        let mut shares = self.share.reader(self.nodes);
        let (mut next, mut slot, mut begins) = (0, None, true);
        graph.read(self.stored != Stored::Nothing, |piece| {
            if std::mem::replace(&mut begins, piece.last) {
                if piece.node >= self.block.end {
                    self.next_block(piece.node)?;
                }
                slot = shares.next()?.filter(|share| *share > 0.0).map(|_| next);
                next += u64::from(slot.is_some());
            }
            slot.map_or(Ok(()), |slot| self.take(slot, &piece))
        })?;
        self.end_block()?;
        self.flush(next.saturating_sub(1))
    }

    /// Writes the arcs of the block that is read, and begins that of a node.
    fn next_block(&mut self, node: u32) -> Result<()> {
        self.end_block()?;
        let lane = usize::from(self.lane_of[(node >> self.bits) as usize]);
        let start = self.starts[lane];
        let end = self.starts.get(lane + 1).copied().unwrap_or(self.nodes as u32);
        let low = start + (node - start) / BLOCK as u32 * BLOCK as u32;
        (self.block, self.block_lane) = (low..end.min(low.saturating_add(BLOCK as u32)), lane);
        if low == start {
            let stripe = &mut self.stripes[lane / LANES];
            stripe.lanes[lane % LANES].local = stripe.local.length;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.local.sort_unstable();
        local::write(&mut self.stripes[self.block_lane / LANES].local, &self.local, self.stored)?;
        self.local.clear();
        Ok(())
    }

    fn take(&mut self, slot: u64, piece: &Piece<'_>) -> Result<()> {
        let Piece { node, targets, weights, .. } = *piece;
        let mut low = targets.partition_point(|target| *target < self.block.start);
        let mut high = targets.partition_point(|target| *target < self.block.end);
        if self.local.len() + high - low > BLOCK_ARCS {
            (low, high) = (0, 0);
        }
        let first = self.block.start;
        for (number, target) in (low..high).zip(&targets[low..high]) {
            let weight = weights.get(number).copied().unwrap_or(0);
            self.local.push(T::new(local::place(target - first, node - first), weight));
        }
        let behind = |from: usize| weights.get(from..).unwrap_or(&[]);
        self.push(slot, &targets[..low], &weights[..low.min(weights.len())])?;
        self.push(slot, &targets[high..], behind(high))
    }

    fn push(&mut self, slot: u64, targets: &[u32], weights: &[u32]) -> Result<()> {
        if slot - self.first >= 1 << SOURCE_BITS || self.arcs.len() + targets.len() > SEGMENT_ARCS {
            // The node that comes may have arcs in the segment that ends.
            self.flush(slot)?;
            self.first = slot;
        }
        let source = slot - self.first;
        for &target in targets {
            self.counts[usize::from(self.lane_of[(target >> self.bits) as usize])] += 1;
            self.arcs.push(u64::from(target) << SOURCE_BITS | source);
        }
        self.weights.extend_from_slice(weights);
        Ok(())
    }

    /// Ends a segment whose sources do not go beyond `last`.
    fn flush(&mut self, last: u64) -> Result<()> {
        let mut at = Vec::with_capacity(self.counts.len());
        let mut end = 0;
        for &count in &self.counts {
            at.push(end);
            end += count as usize;
        }
        for (number, &arc) in self.arcs.iter().enumerate() {
            let target = (arc >> SOURCE_BITS) as u32;
            let lane = usize::from(self.lane_of[(target >> self.bits) as usize]);
            let place = place(target - self.starts[lane], (arc & ((1 << SOURCE_BITS) - 1)) as u32);
            self.sorted[at[lane]] = T::new(place, self.weights.get(number).copied().unwrap_or(0));
            at[lane] += 1;
        }
        let mut rest = &mut self.sorted[..end];
        let mut lanes = Vec::with_capacity(self.counts.len());
        for &count in &self.counts {
            let (lane, others) = rest.split_at_mut(count as usize);
            lanes.push(lane);
            rest = others;
        }
        let stored = self.stored;
        let coded: Vec<Vec<u8>> = lanes
            .into_par_iter()
            .map(|arcs| {
                arcs.sort_unstable();
                let mut bytes = Vec::with_capacity(2 * arcs.len());
                encode(arcs, stored, &mut bytes);
                bytes
            })
            .collect();
        let slots = (last - self.first).min((1 << SOURCE_BITS) - 1) as usize + 1;
        for (stripe, coded) in self.stripes.iter_mut().zip(coded.chunks(LANES)) {
            if coded.iter().any(|bytes| !bytes.is_empty()) {
                write(&mut stripe.arcs, &Record::head(self.first, slots, coded), coded)?;
            }
        }
        self.arcs.clear();
        self.weights.clear();
        self.counts.fill(0);
        Ok(())
    }
}
