//! How arcs lie in a scratch file.
//!
//! The arcs from a segment of sources to a lane of targets are cells of a matrix, a row a target. They are sorted along a
//! curve that goes through tiles of 2^8 × 2^8 cells in Morton order, inside a stretch of 2^16 targets, and through a tile
//! row by row; what is stored is how far each is from the one before, as a varint of seven bits a byte, then its weight: a
//! varint for a number of links, four bytes for a real one. Close by in either direction is close by on the curve, whatever
//! the shape of what is cut out. Arcs to one target come in the order of their sources.

/// Bits of a source inside its segment.
pub(super) const SOURCE_BITS: u32 = 16;

/// What is stored with an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Nothing,
    Count,
    Real,
}

/// The place of an arc on the curve.
#[inline]
pub(super) fn place(target: u32, source: u32) -> u64 {
    let stretch = u64::from(target >> 16) << 32;
    let tile = spread(target >> 8 & 255) << 1 | spread(source >> 8 & 255);
    stretch | u64::from(tile << 16 | (target & 255) << 8 | source & 255)
}

/// A byte's bits with a zero between each two.
#[inline]
fn spread(byte: u32) -> u32 {
    let x = (byte | byte << 4) & 0x0f0f;
    let x = (x | x << 2) & 0x3333;
    (x | x << 1) & 0x5555
}

/// The even bits of each byte in its low half, the odd ones in its high half.
const GATHERED: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 4 {
            table[byte] |= ((byte >> (2 * bit) & 1) << bit | (byte >> (2 * bit + 1) & 1) << (4 + bit)) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// First target and source of the tile that this place lies in.
#[inline]
fn tile_of(place: u64) -> (usize, usize) {
    let (low, high) = (GATHERED[(place >> 16 & 255) as usize], GATHERED[(place >> 24 & 255) as usize]);
    let source = usize::from(low & 15 | (high & 15) << 4) << 8;
    let target = usize::from(low >> 4 | high & 240) << 8;
    ((place >> 32 << 16) as usize | target, source)
}

impl Stored {
    /// Writes a weight, given as its bits.
    #[inline]
    pub fn put_weight(self, weight: u32, out: &mut Vec<u8>) {
        match self {
            Stored::Nothing => (),
            Stored::Count => put(u64::from(weight), out),
            Stored::Real => out.extend_from_slice(&weight.to_le_bytes()),
        }
    }
}

/// An arc that waits to be sorted: its place and the bits of its weight.
pub(super) trait Waiting: Copy + Default + Ord + Send + Sync {
    fn new(place: u64, weight: u32) -> Self;
    fn place(self) -> u64;
    fn weight(self) -> u32;
}

impl Waiting for u64 {
    #[inline]
    fn new(place: u64, _: u32) -> u64 {
        place
    }

    #[inline]
    fn place(self) -> u64 {
        self
    }

    fn weight(self) -> u32 {
        0
    }
}

impl Waiting for u128 {
    #[inline]
    fn new(place: u64, weight: u32) -> u128 {
        u128::from(place) << 32 | u128::from(weight)
    }

    #[inline]
    fn place(self) -> u64 {
        (self >> 32) as u64
    }

    #[inline]
    fn weight(self) -> u32 {
        self as u32
    }
}

/// Writes arcs that are sorted.
pub(super) fn encode(arcs: &[impl Waiting], stored: Stored, out: &mut Vec<u8>) {
    let mut last = 0;
    for arc in arcs {
        put(arc.place() - last, out);
        last = arc.place();
        stored.put_weight(arc.weight(), out);
    }
}

#[inline]
pub(super) fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Adds what each arc brings, `given` by its source and times its weight, to the sum of its target; `None` where the bytes
/// are none that [`encode`] wrote.
pub(super) fn add(bytes: &[u8], stored: Stored, given: &[f64], sums: &mut [f64]) -> Option<()> {
    match stored {
        Stored::Nothing => add_with(bytes, given, sums, |_| Some(1.0)),
        other => add_with(bytes, given, sums, |rest| take_weight(rest, other)),
    }
}

#[inline(always)]
fn add_with(
    mut rest: &[u8],
    given: &[f64],
    sums: &mut [f64],
    mut weight: impl FnMut(&mut &[u8]) -> Option<f64>,
) -> Option<()> {
    let (mut place, mut tile, mut corner) = (0u64, 0, (0, 0));
    while !rest.is_empty() {
        place = place.checked_add(take(&mut rest)?)?;
        if place >> 16 != tile {
            tile = place >> 16;
            corner = tile_of(place);
        }
        let (target, source) = (corner.0 | (place >> 8 & 255) as usize, corner.1 | (place & 255) as usize);
        *sums.get_mut(target)? += given.get(source)? * weight(&mut rest)?;
    }
    Some(())
}

/// The weight that comes next.
#[inline(always)]
pub(super) fn take_weight(rest: &mut &[u8], stored: Stored) -> Option<f64> {
    match stored {
        Stored::Nothing => Some(1.0),
        Stored::Count => take(rest).map(|count| count as f64),
        Stored::Real => {
            let (real, after) = rest.split_first_chunk::<4>()?;
            *rest = after;
            Some(f64::from(f32::from_le_bytes(*real)))
        }
    }
}

#[inline(always)]
pub(super) fn take(rest: &mut &[u8]) -> Option<u64> {
    let (&first, after) = rest.split_first()?;
    *rest = after;
    let mut number = u64::from(first & 127);
    let (mut byte, mut shift) = (first, 7);
    while byte >= 128 {
        let (&next, after) = rest.split_first()?;
        *rest = after;
        byte = next;
        number |= u64::from(byte & 127).checked_shl(shift)?;
        shift += 7;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_and_tiles_are_inverse() {
        for target in [0u32, 1, 255, 256, 65_535, 65_536, 0xabcd_ef01, u32::MAX] {
            for source in [0u32, 1, 128, 255, 256, 0x5a5a, 65_535] {
                let place = place(target, source);
                let (row, column) = tile_of(place);
                let back = (row | (place >> 8 & 255) as usize, column | (place & 255) as usize);
                assert_eq!(back, (target as usize, source as usize));
            }
        }
        // Four tiles around a corner come one after the other.
        let tiles: Vec<u64> = [(0, 0), (0, 256), (256, 0), (256, 256)].map(|(t, s)| place(t, s) >> 16).into();
        assert_eq!(tiles, [0, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn what_is_coded_is_added(arcs in prop::collection::btree_map((0u32..100_000, 0u32..65_536), 1u32..1000, 0..200)) {
            let given: Vec<f64> = (0..65_536).map(f64::from).collect();
            let reals = |weight: u32| weight as f32 / 8.0;
            for (stored, times) in [
                (Stored::Nothing, &(|_| 1.0) as &dyn Fn(u32) -> f64),
                (Stored::Count, &|w| f64::from(w)),
                (Stored::Real, &|w| f64::from(reals(w))),
            ] {
                let mut bytes = Vec::new();
                let weight = |w: u32| if stored == Stored::Real { reals(w).to_bits() } else { w };
                let mut waiting: Vec<u128> =
                    arcs.iter().map(|(&(t, s), &w)| u128::new(place(t, s), weight(w))).collect();
                waiting.sort_unstable();
                encode(&waiting, stored, &mut bytes);
                let mut expected = vec![0.0; 100_000];
                for (&(target, source), &weight) in &arcs {
                    expected[target as usize] += f64::from(source) * times(weight);
                }
                let mut sums = vec![0.0; 100_000];
                prop_assert!(add(&bytes, stored, &given, &mut sums).is_some());
                prop_assert_eq!(sums, expected);
            }
        }

        #[test]
        fn other_bytes_are_no_arcs(bytes in prop::collection::vec(0u8.., 0..60), stored in 0..3usize) {
            let stored = [Stored::Nothing, Stored::Count, Stored::Real][stored];
            let _ = add(&bytes, stored, &[1.0; 8], &mut [0.0; 8]);
        }
    }
}
