//! Values that agree on the bits of a table, brought together.
//!
//! **Algorithm.** A group's key is made of the agreed bits: all of them where they are few, else a hash of them with
//! as many bits as there are values. So a group may hold values that do not agree; whoever compares them finds out. The
//! values are sorted by key in two steps of counting: each chunk by the leading bits of the key, then, for each leading
//! part, the pieces of all chunks by the others. Both steps run in parallel and stay in cache.
//!
//! **Cost.** Linear: about 5 ns a value. Besides the values, as much again to work in, and 4 bytes a key.
//!
//! **Determinism.** The sort is stable and its chunks are cut by size alone.

use rayon::prelude::*;

/// Values that a thread sorts by the leading bits of the key.
const CHUNK: usize = if cfg!(test) { 1 << 9 } else { 1 << 17 };

/// Most bits of a key.
const MOST_BITS: u32 = 22;

/// Leading bits of a key where it is sorted in two steps.
const LEADING: u32 = 8;

/// How the key of a value is made.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// Runs of agreed bits: (shift right, mask then, shift left then).
    runs: Vec<(u32, u64, u32)>,
    /// Bits of the key.
    bits: u32,
    /// How far a hash is shifted; 0 where the key is the agreed bits themselves.
    hashed: u32,
}

impl Key {
    /// The key of the bits of `mask`, for this number of values.
    pub(super) fn of(mask: u64, values: usize) -> Key {
        let (mut runs, mut rest, mut width) = (Vec::new(), mask, 0);
        while rest != 0 {
            let shift = rest.trailing_zeros();
            let length = (rest >> shift).trailing_ones();
            let ones = u64::MAX >> (64 - length);
            runs.push((shift, ones, width));
            rest &= !(ones << shift);
            width += length;
        }
        let most = values.max(2).ilog2().min(MOST_BITS);
        if width <= most {
            Key { runs, bits: width, hashed: 0 }
        } else {
            Key { runs, bits: most, hashed: 64 - most }
        }
    }

    /// Number of keys.
    pub(super) fn count(&self) -> usize {
        1 << self.bits
    }

    /// The key of a value.
    #[inline]
    pub(super) fn at(&self, value: u64) -> u32 {
        let agreed =
            self.runs.iter().fold(0, |key, (right, mask, left)| key | (value >> right & mask) << left);
        self.shortened(agreed)
    }

    #[inline]
    fn shortened(&self, agreed: u64) -> u32 {
        let key = if self.hashed == 0 {
            agreed
        } else {
            // The upper half is folded in first: a product's top bits hear little of the factor's top bits.
            (agreed ^ agreed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.hashed
        };
        key as u32
    }

    /// The keys of all values.
    fn all(&self, values: &[u64], agreed: &mut Vec<u64>) {
        agreed.clear();
        agreed.resize(values.len(), 0);
        for &(right, mask, left) in &self.runs {
            agreed.iter_mut().zip(values).for_each(|(key, value)| *key |= (value >> right & mask) << left);
        }
        if self.hashed > 0 {
            agreed.iter_mut().for_each(|key| *key = u64::from(self.shortened(*key)));
        }
    }
}

/// Sorts `values` by key and gives where the group of each key starts, and the end; `scratch` is as long as `values`.
pub(super) fn group<'s>(values: &mut [u64], scratch: &'s mut [u64], key: &Key) -> Vec<u32> {
    if values.len() <= CHUNK {
        let starts = sort_chunk(values, scratch, key, 0);
        values.copy_from_slice(scratch);
        return starts;
    }
    let trailing = key.bits.saturating_sub(LEADING);
    let chunks: Vec<Vec<u32>> = values
        .par_chunks(CHUNK)
        .zip(scratch.par_chunks_mut(CHUNK))
        .map(|(from, to)| sort_chunk(from, to, key, trailing))
        .collect();
    let scratch = &*scratch;
    let pieces = |part: usize| {
        let of = |(values, starts): (&'s [u64], &Vec<u32>)| {
            &values[starts[part] as usize..starts[part + 1] as usize]
        };
        scratch.chunks(CHUNK).zip(&chunks).map(of).collect::<Vec<&[u64]>>()
    };
    let (mut starts, mut parts) = (vec![0u32; key.count() + 1], Vec::new());
    let (mut rest, mut start) = (values, 0);
    for (part, starts) in starts[..key.count()].chunks_mut(1 << trailing).enumerate() {
        let length: u32 = chunks.iter().map(|chunk| chunk[part + 1] - chunk[part]).sum();
        let (to, after) = rest.split_at_mut(length as usize);
        parts.push((part, to, starts, start));
        rest = after;
        start += length;
    }
    parts
        .into_par_iter()
        .for_each(|(part, to, starts, start)| sort_pieces(&pieces(part), to, starts, start, key));
    starts[key.count()] = start;
    starts
}

/// Sorts one chunk by the bits of the key from `trailing` on; where each part starts, and the end.
fn sort_chunk(from: &[u64], to: &mut [u64], key: &Key, trailing: u32) -> Vec<u32> {
    let mut keys = Vec::new();
    key.all(from, &mut keys);
    let parts = key.count() >> trailing;
    let mut next = vec![0u32; parts + 1];
    keys.iter().for_each(|key| next[(key >> trailing) as usize + 1] += 1);
    for i in 1..next.len() {
        next[i] += next[i - 1];
    }
    let starts = next.clone();
    for (key, &value) in keys.iter().zip(from) {
        let at = &mut next[(key >> trailing) as usize];
        to[*at as usize] = value;
        *at += 1;
    }
    starts
}

/// Sorts the pieces of one part by the other bits of the key; `start` is where the part starts among all values.
fn sort_pieces(pieces: &[&[u64]], to: &mut [u64], starts: &mut [u32], start: u32, key: &Key) {
    let other = starts.len() as u64 - 1;
    let mut keys = Vec::new();
    if other == 0 {
        starts[0] = start;
        let mut at = 0;
        for piece in pieces {
            to[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        }
        return;
    }
    for piece in pieces {
        key.all(piece, &mut keys);
        keys.iter().for_each(|key| starts[(key & other) as usize] += 1);
    }
    let mut sum = 0;
    for count in starts.iter_mut() {
        (*count, sum) = (sum, sum + *count);
    }
    for piece in pieces {
        key.all(piece, &mut keys);
        for (key, &value) in keys.iter().zip(*piece) {
            let at = &mut starts[(key & other) as usize];
            to[*at as usize] = value;
            *at += 1;
        }
    }
    // Each count has moved on to the start of the next one.
    for i in (1..starts.len()).rev() {
        starts[i] = starts[i - 1] + start;
    }
    starts[0] = start;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(values: &[u64], mask: u64) {
        let key = Key::of(mask, values.len());
        let (mut sorted, mut scratch) = (values.to_vec(), vec![0; values.len()]);
        let starts = group(&mut sorted, &mut scratch, &key);
        let mut expected = values.to_vec();
        expected.sort_by_key(|v| key.at(*v));
        assert!(sorted == expected, "not sorted, or not stable");
        assert_eq!((starts.len(), starts[key.count()] as usize), (key.count() + 1, values.len()));
        for (i, pair) in starts.windows(2).enumerate() {
            let group = &sorted[pair[0] as usize..pair[1] as usize];
            assert!(group.iter().all(|v| key.at(*v) == i as u32));
        }
    }

    proptest! {
        #[test]
        fn groups_are_the_values_of_one_key(
            values in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..9, Just(u64::MAX)], 0..300),
            mask in prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), Just(0xF00)],
        ) {
            check(&values, mask);
        }

        #[test]
        fn values_that_agree_have_one_key(a in any::<u64>(), b in any::<u64>(), mask in any::<u64>(), n in 0usize..1_000_000) {
            let key = Key::of(mask, n);
            prop_assert_eq!(key.at(a), key.at(a & mask | b & !mask));
            prop_assert!((key.at(a) as usize) < key.count());
        }
    }

    #[test]
    fn large_sets_are_grouped_in_two_steps() {
        let random = |i: u64| xxhash_rust::xxh3::xxh3_64(&i.to_le_bytes());
        let values: Vec<u64> = (0..9 * CHUNK as u64 + 7).map(random).collect();
        for mask in [0, 0xFF, 0xFFFF_0000, 0x0F0F_0F0F, u64::MAX, 1 << 63 | 0xFFF] {
            check(&values, mask);
        }
        let skewed: Vec<u64> = values.iter().map(|v| v & !0xFFFF | u64::from(v % 1000 == 0)).collect();
        check(&skewed, 0xFFFF);
    }
}
