//! Arcs that stay close by, and are followed in the order of nodes.
//!
//! Most links of the Web stay on their host. So arcs whose ends are both in one block of 2^13 consecutive nodes (the same that
//! [`renew`](super::solve) holds at a time) are kept aside, by target: the new value of a node is there when the next one
//! needs it. Of a block the file has its bytes (u32), their XXH3-64 (u64), little-endian, and for each target that has such
//! arcs, all as varints: how far it is from the one before, times two, and one more where there are several; then how many
//! beyond two; the first source as its distance to the target, zigzag; how far each further one is from the one before.
//! Weights stand behind their arcs, as in [`code`](super::code).

use super::code::{Stored, Waiting, put, take, take_weight};
use super::scratch::{CHUNK, Scratch};
use webmill_capture::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

/// Nodes of a block.
pub(super) const BLOCK: usize = CHUNK;
const BITS: u32 = BLOCK.trailing_zeros();
/// Most arcs of a block that are kept aside.
pub(super) const BLOCK_ARCS: usize = 1 << 18;
const HEAD: usize = 12;

/// Where an arc inside a block comes in the order of targets.
#[inline]
pub(super) fn place(target: u32, source: u32) -> u64 {
    u64::from(target << BITS | source)
}

/// Appends a block, whose arcs are sorted.
pub(super) fn write<T: Waiting>(to: &mut Scratch, arcs: &[T], stored: Stored) -> Result<()> {
    let mut bytes = vec![0; HEAD];
    let target = |arc: &T| (arc.place() >> BITS) as i64;
    let source = |arc: &T| (arc.place() & ((1 << BITS) - 1)) as i64;
    let mut last = 0;
    for group in arcs.chunk_by(|a, b| target(a) == target(b)) {
        let own = target(&group[0]);
        put(2 * (own - last) as u64 + u64::from(group.len() > 1), &mut bytes);
        if group.len() > 1 {
            put(group.len() as u64 - 2, &mut bytes);
        }
        last = own;
        let mut before = None;
        for arc in group {
            let from = source(arc);
            match before {
                None => put(((from - own) << 1 ^ (from - own) >> 63) as u64, &mut bytes),
                Some(before) => put((from - before) as u64, &mut bytes),
            }
            before = Some(from);
            stored.put_weight(arc.weight(), &mut bytes);
        }
    }
    let (length, sum) = ((bytes.len() - HEAD) as u32, xxh3_64(&bytes[HEAD..]));
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..HEAD].copy_from_slice(&sum.to_le_bytes());
    to.append(&bytes)
}

/// Reads the block at `at` into a buffer; returns where the next one is.
pub(super) fn read(from: &Scratch, at: u64, into: &mut Vec<u8>) -> Result<u64> {
    let wrong = |what: &str| Error::corrupt(&from.folder, at, format!("a scratch file: {what}"));
    let mut head = [0; HEAD];
    if from.length.saturating_sub(at) < HEAD as u64 {
        return Err(wrong("it ends in the head of a block"));
    }
    from.read(&mut head, at)?;
    let length = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
    if length > from.length - at - HEAD as u64 {
        return Err(wrong("a block is longer than it can be: its checksum was not read"));
    }
    into.resize(length as usize, 0);
    from.read(into, at + HEAD as u64)?;
    if xxh3_64(into).to_le_bytes() != head[4..] {
        return Err(wrong("a block does not match its checksum"));
    }
    Ok(at + HEAD as u64 + length)
}

/// The arcs of a block, target by target.
pub(super) struct Arcs<'a> {
    rest: &'a [u8],
    stored: Stored,
    /// The target that comes next, and whether it has several arcs.
    next: Option<(usize, bool)>,
}

impl<'a> Arcs<'a> {
    /// `None` where the bytes are none that [`write`] wrote; so everywhere below.
    pub fn new(bytes: &'a [u8], stored: Stored) -> Option<Arcs<'a>> {
        let mut arcs = Arcs { rest: bytes, stored, next: Some((0, false)) };
        arcs.advance(0)?;
        Some(arcs)
    }

    fn advance(&mut self, from: usize) -> Option<()> {
        self.next = None;
        if !self.rest.is_empty() {
            let token = take(&mut self.rest)?;
            self.next = Some((from.checked_add((token >> 1) as usize)?, token & 1 == 1));
        }
        Some(())
    }

    /// What the block's own arcs bring to a target, without what it gives itself, and the weight of the arc to itself.
    #[inline]
    pub fn to(&mut self, target: usize, given: &[f64]) -> Option<(f64, f64)> {
        let Some((_, several)) = self.next.filter(|next| next.0 == target) else { return Some((0.0, 0.0)) };
        let count = if several { take(&mut self.rest)?.checked_add(2)? } else { 1 };
        let zigzag = take(&mut self.rest)?;
        let mut source = target.checked_add_signed((zigzag >> 1) as isize ^ -((zigzag & 1) as isize))?;
        let (mut sum, mut stays) = (0.0, 0.0);
        for arc in 0..count {
            if arc > 0 {
                source = source.checked_add(take(&mut self.rest)? as usize)?;
            }
            let weight = take_weight(&mut self.rest, self.stored)?;
            if source == target {
                stays = weight;
            } else {
                sum += given.get(source)? * weight;
            }
        }
        self.advance(target)?;
        Some((sum, stays))
    }

    /// Whether all were asked for.
    pub fn is_done(&self) -> bool {
        self.next.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_followed(arcs in prop::collection::btree_map((0u32..8192, 0u32..8192), 1u32..1000, 0..300), dense: bool) {
            let at = |x: u32| if dense { x % 12 } else { x };
            let arcs: std::collections::BTreeMap<(u32, u32), u32> =
                arcs.into_iter().map(|((t, s), w)| ((at(t), at(s)), w)).collect();
            let given: Vec<f64> = (0..8192).map(f64::from).collect();
            for stored in [Stored::Nothing, Stored::Count, Stored::Real] {
                let weight = |w: u32| match stored { Stored::Nothing => 1.0, Stored::Count => f64::from(w), Stored::Real => f64::from(w as f32 / 8.0) };
                let bits = |w: u32| if stored == Stored::Real { (w as f32 / 8.0).to_bits() } else { w };
                let mut waiting: Vec<u128> = arcs.iter().map(|(&(t, s), &w)| u128::new(place(t, s), bits(w))).collect();
                waiting.sort_unstable();
                let mut scratch = Scratch::new(&std::env::temp_dir()).unwrap();
                write(&mut scratch, &waiting, stored).unwrap();
                let mut bytes = Vec::new();
                prop_assert_eq!(read(&scratch, 0, &mut bytes).unwrap(), scratch.length);
                let mut found = Arcs::new(&bytes, stored).unwrap();
                for target in 0..8192u32 {
                    let of = arcs.range((target, 0)..=(target, u32::MAX));
                    let (mut sum, mut stays) = (0.0, 0.0);
                    for (&(_, source), &w) in of {
                        if source == target { stays = weight(w) } else { sum += f64::from(source) * weight(w) }
                    }
                    prop_assert_eq!(found.to(target as usize, &given).unwrap(), (sum, stays));
                }
                prop_assert!(found.is_done());
            }
        }
    }
}
