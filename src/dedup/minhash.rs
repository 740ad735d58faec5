//! MinHash: a few values of a set that are equal, position by position, as often as two sets are alike.
//!
//! **Definition.** A sketch of `t` values ([`MINHASH_VALUES`] by default) is a function of a *set* of 64-bit hashes: neither
//! their order nor repetitions count. For every position the probability, over the choice of hash functions, that the
//! sketches of `A` and `B` agree there is the resemblance `J = |A ∩ B| / |A ∪ B|`, so that the share of agreeing
//! positions estimates `J` without bias; its variance is at most `J(1 − J)/t`, that of `t` independent permutations.
//! The empty set has no sketch.
//!
//! **Algorithm.** Fast similarity sketching. In each round every element is hashed anew, to a position and a value; a
//! position keeps the least number `round · 2⁵² + value` of what falls on it, so that rounds can end as soon as no
//! position is empty. After some `t` rounds, what chance has left empty is given the least of all elements' values
//! under one more hash function a position. A round fills positions from different elements, which is why the
//! values agree no less evenly than independent ones: from classical MinHash, which takes one permutation a position,
//! only the time differs.
//!
//! Round 0 takes the element itself for its hash `h` (it is one: XXH3 of a shingle): the position is `⌊h·t / 2⁶⁴⌋`, the
//! value the upper 52 bits of the fraction of `h·t / 2⁶⁴`. Rounds `2k − 1` and `2k`, for `k` from 1 to `⌈t/2⌉`, take the
//! upper and the lower half of the product `(h xor a)·b` of 128 bits, its halves xored, for the same with 32 bits;
//! `a` and `b` (odd) are murmur3's finalizer `f` of `2k·g` and `(2k + 1)·g`, `g` = 0x9E3779B97F4A7C15. Position `p` left
//! empty has round `2048 + p` and the upper 52 bits of the least `f(h + (2048 + p)·g)`.
//!
//! **Cost.** One multiplication, one load and one store an element as it comes, where the set has some `t·ln t` (620)
//! elements or more; else expected `O(t log t)` in all. The elements are kept (8 bytes each) until no position is empty,
//! after which memory is constant; of a text that repeats few shingles without end the distinct ones are kept.
//!
//! **Determinism.** Exact integers; independent of platform and of the order of elements. There is no secret seed: whoever
//! makes pages to share a value can, which costs them a bucket (see `BandJoin`), not a duplicate.
//!
//! **Reference.** Dahlgaard, Knudsen, Thorup, *Fast Similarity Sketching*, FOCS 2017, doi:10.1109/FOCS.2017.67; Broder,
//! doi:10.1109/SEQUEN.1997.666900.

pub(crate) mod text_signer;

/// Values of a sketch where nothing else is asked for.
pub const MINHASH_VALUES: usize = 128;

/// Most values that a sketch can have: the rounds are counted in twelve bits.
pub const MAX_MINHASH_VALUES: usize = 1024;

/// A position that no element has fallen on.
const EMPTY: u64 = u64::MAX;

/// Bits of a kept number below its round.
const VALUE_BITS: u32 = 52;

/// The first of the rounds that fill one position each, past all others.
const LAST_ROUNDS: u64 = 2048;

/// 2⁶⁴ by the golden ratio: what separates the constants of the rounds.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Elements between two looks at whether a position is still empty.
const STRIDE: usize = 256;

/// Elements kept before repetitions among them are looked for.
const MANY: usize = 4096;

/// A MinHash of a set that is not empty. Two sketches are compared by [`Sketch::resemblance`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sketch {
    pub(crate) values: Box<[u64]>,
}

impl Sketch {
    /// The values, one a position.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Estimated resemblance, 0 to 1: the share of positions that agree. `None` where the sketches have different numbers
    /// of positions, which are incomparable.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{MinHasher, Shingles};
    /// let words: Vec<String> = (0..2000).map(|i| format!("word{i}")).collect();
    /// let (a, b) = (Shingles::of(&words[..1500].join(" "), 3), Shingles::of(&words[500..].join(" "), 3));
    /// let mut hasher = MinHasher::default();
    /// let (x, y) = (hasher.sketch(a.hashes()), hasher.sketch(b.hashes()));
    /// let estimate = x.zip(y).and_then(|(x, y)| x.resemblance(&y)).ok_or("empty")?;
    /// assert!((estimate - a.resemblance(&b)).abs() < 0.13); // three standard errors
    /// # Ok::<(), &str>(())
    /// ```
    pub fn resemblance(&self, other: &Self) -> Option<f64> {
        let equal = self.values.iter().zip(&other.values).filter(|(a, b)| a == b).count();
        (self.values.len() == other.values.len()).then(|| equal as f64 / self.values.len() as f64)
    }
}

/// Makes sketches, of elements that come one by one or of a whole slice; it can be used again and again.
#[derive(Clone, Debug)]
pub struct MinHasher {
    values: Box<[u64]>,
    /// Elements so far, as long as a position is empty.
    kept: Vec<u64>,
    /// Length of `kept` at which to look again whether a position is empty.
    look_at: usize,
    /// No position is empty.
    full: bool,
}

impl MinHasher {
    /// Sketches of `values` values, 1 to [`MAX_MINHASH_VALUES`]; a number out of this range is taken as the nearest in it.
    pub fn new(values: usize) -> Self {
        let values = values.clamp(1, MAX_MINHASH_VALUES);
        MinHasher {
            values: vec![EMPTY; values].into(),
            kept: Vec::with_capacity(MANY / 4),
            look_at: STRIDE,
            full: false,
        }
    }

    /// Adds an element: the hash of a shingle.
    #[inline]
    pub fn add(&mut self, element: u64) {
        put(&mut self.values, element);
        if !self.full {
            self.kept.push(element);
            if self.kept.len() >= self.look_at {
                self.look();
            }
        }
    }

    /// Looks whether a position is empty still, and forgets what need not be kept.
    #[cold]
    fn look(&mut self) {
        self.full = !self.values.contains(&EMPTY);
        if self.full {
            self.kept.clear();
        } else if self.kept.len() >= MANY {
            self.kept.sort_unstable();
            self.kept.dedup();
            // Doubling, so that sorting costs no more than a constant number of times what came.
            self.look_at = (2 * self.kept.len()).max(MANY);
            return;
        }
        self.look_at = self.kept.len() + STRIDE;
    }

    /// The sketch of what was added since the last one; `None` if that was nothing.
    pub fn finish(&mut self) -> Option<Sketch> {
        if !self.full && !self.kept.is_empty() {
            fill(&mut self.values, &mut self.kept);
        }
        let any = self.full || !self.kept.is_empty();
        let sketch = any.then(|| Sketch { values: self.values.clone() });
        self.clear();
        sketch
    }

    /// Forgets what was added.
    fn clear(&mut self) {
        self.values.fill(EMPTY);
        self.kept.clear();
        self.kept.shrink_to(MANY);
        (self.look_at, self.full) = (STRIDE, false);
    }

    /// The sketch of a set (or of elements with repetitions); `None` for the empty set.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::MinHasher;
    /// let mut hasher = MinHasher::default();
    /// assert_eq!(hasher.sketch(&[7, 9]), hasher.sketch(&[9, 7, 9]));
    /// assert_eq!(hasher.sketch(&[]), None);
    /// ```
    pub fn sketch(&mut self, elements: &[u64]) -> Option<Sketch> {
        self.clear();
        elements.iter().for_each(|&element| put(&mut self.values, element));
        if self.values.contains(&EMPTY) {
            self.kept.extend(elements);
        } else {
            self.full = true;
        }
        self.finish()
    }
}

impl Default for MinHasher {
    fn default() -> Self {
        MinHasher::new(MINHASH_VALUES)
    }
}

/// Lets an element fall on its position in round 0.
#[inline(always)]
fn put(values: &mut [u64], element: u64) {
    let wide = u128::from(element) * values.len() as u128;
    keep(values, (wide >> 64) as usize, (wide as u64) >> (64 - VALUE_BITS));
}

/// Lets half a hash fall on its position in a later round.
#[inline(always)]
fn put_half(values: &mut [u64], half: u32, round: u64) {
    let wide = u64::from(half) * values.len() as u64;
    let value = (wide & 0xFFFF_FFFF) << (VALUE_BITS - 32);
    keep(values, (wide >> 32) as usize, round << VALUE_BITS | value);
}

#[inline(always)]
fn keep(values: &mut [u64], position: usize, number: u64) {
    let kept = &mut values[position];
    *kept = (*kept).min(number);
}

/// The rounds after the first, which leave no position empty. `elements` are not empty; repetitions among them may be
/// taken out. Where no position is empty any more, further rounds change nothing: whether it is so is looked at now
/// and then only.
fn fill(values: &mut [u64], elements: &mut Vec<u64>) {
    let size = values.len();
    let (mut thrown, mut look_at, mut distinct) = (elements.len(), 4 * size, false);
    for pair in 1..=size.div_ceil(2) as u64 {
        if thrown >= look_at {
            if !values.contains(&EMPTY) {
                return;
            }
            look_at = thrown + size / 2;
            // This many throws mean that elements repeat: distinct ones would have filled the positions.
            if thrown > 32 * size && !distinct {
                elements.sort_unstable();
                elements.dedup();
                distinct = true;
            }
        }
        let (a, b) = (mix((2 * pair).wrapping_mul(STEP)), mix((2 * pair + 1).wrapping_mul(STEP)) | 1);
        for element in elements.iter() {
            let wide = u128::from(element ^ a) * u128::from(b);
            let hash = (wide >> 64) as u64 ^ wide as u64;
            put_half(values, (hash >> 32) as u32, 2 * pair - 1);
            put_half(values, hash as u32, 2 * pair);
        }
        thrown += 2 * elements.len();
    }
    for (position, kept) in values.iter_mut().enumerate().filter(|(_, kept)| **kept == EMPTY) {
        let round = LAST_ROUNDS + position as u64;
        let hashes = elements.iter().map(|element| mix(element.wrapping_add(round.wrapping_mul(STEP))));
        let least = hashes.min().unwrap_or_default();
        *kept = round << VALUE_BITS | least >> (64 - VALUE_BITS);
    }
}

/// A bijection of 64 bits all of whose output bits depend on all input bits (the finalizer of murmur3).
#[inline(always)]
pub(super) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    x ^ (x >> 33)
}

#[cfg(test)]
mod tests;
