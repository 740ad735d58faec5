use super::*;
use proptest::prelude::*;

/// Fixed random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0xA076_1D64_78BD_642F);
        // Not the mixer of the sketch, so that a weakness of it would be seen.
        let wide = u128::from(self.0) * u128::from(self.0 ^ 0xE703_7ED1_A0B4_28DB);
        (wide >> 64) as u64 ^ wide as u64
    }
}

/// Two sets of `n` elements together, `common` of them in both, the others shared out by turns.
fn sets(random: &mut Random, n: usize, common: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for i in 0..n {
        let element = random.next();
        if i < common || i % 2 == 0 {
            a.push(element);
        }
        if i < common || i % 2 == 1 {
            b.push(element);
        }
    }
    (a, b)
}

/// Mean and variance of the estimates, in `rounds` experiments.
fn simulate(values: usize, n: usize, common: usize, rounds: usize) -> (f64, f64) {
    let mut random = Random(n as u64 * 1000 + common as u64);
    let mut hasher = MinHasher::new(values);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..rounds {
        let (a, b) = sets(&mut random, n, common);
        let (a, b) = (hasher.sketch(&a).unwrap(), hasher.sketch(&b).unwrap());
        let estimate = a.resemblance(&b).unwrap();
        sum += estimate;
        squares += estimate * estimate;
    }
    let mean = sum / rounds as f64;
    (mean, squares / rounds as f64 - mean * mean)
}

#[test]
fn is_unbiased_and_varies_no_more_than_independent_permutations() {
    for (n, rounds) in [(10, 3000), (50, 3000), (120, 3000), (1000, 1500), (10_000, 300)] {
        for tenths in [1, 3, 5, 6, 7, 8, 9] {
            let common = n * tenths / 10;
            let j = common as f64 / n as f64;
            let (mean, variance) = simulate(MINHASH_VALUES, n, common, rounds);
            let classical = j * (1.0 - j) / MINHASH_VALUES as f64;
            let error = (classical / rounds as f64).sqrt();
            assert!((mean - j).abs() < 4.0 * error, "{n} elements, J = {j}: mean {mean}, error {error}");
            // The variance of an estimated variance is about 2σ⁴/rounds: four standard errors are let through.
            let bound = classical * (1.0 + 4.0 * (2.0 / rounds as f64).sqrt());
            assert!(variance < bound, "{n} elements, J = {j}: variance {variance}, classical {classical}");
        }
    }
}

#[test]
fn disjoint_sets_agree_nowhere_and_equal_sets_everywhere() {
    let mut random = Random(5);
    let mut hasher = MinHasher::default();
    for n in [1, 2, 10, 300, 5000] {
        let (a, b) = sets(&mut random, 2 * n, 0);
        let (x, y) = (hasher.sketch(&a).unwrap(), hasher.sketch(&b).unwrap());
        assert_eq!((x.resemblance(&y), x.resemblance(&x)), (Some(0.0), Some(1.0)), "{n}");
        assert!(x.values().iter().all(|&value| value != EMPTY), "{n}");
    }
}

#[test]
fn one_element_without_end_is_a_set_of_one() {
    let mut hasher = MinHasher::default();
    let once = hasher.sketch(&[77]);
    (0..1_000_000).for_each(|_| hasher.add(77));
    assert!(hasher.kept.capacity() <= 2 * MANY, "{}", hasher.kept.capacity());
    assert_eq!(hasher.finish(), once);
}

#[test]
fn elements_that_shun_a_position_are_sketched_all_the_same() {
    // All fall on position 0 of round 0.
    let elements: Vec<u64> = (0..20_000).collect();
    let mut hasher = MinHasher::default();
    elements.iter().for_each(|&element| hasher.add(element));
    let sketch = hasher.finish();
    assert_eq!(sketch, hasher.sketch(&elements));
    assert!(sketch.unwrap().values().iter().all(|&value| value != EMPTY));
}

#[test]
fn sketches_of_different_sizes_are_not_compared() {
    let (a, b) = (MinHasher::new(16).sketch(&[1]).unwrap(), MinHasher::new(17).sketch(&[1]).unwrap());
    assert_eq!(a.resemblance(&b), None);
    assert_eq!(MinHasher::new(0).sketch(&[1]).unwrap().values().len(), 1);
    assert_eq!(MinHasher::new(usize::MAX).sketch(&[1]).unwrap().values().len(), MAX_MINHASH_VALUES);
}

/// The definition, literally.
fn by_definition(elements: &[u64], t: u64) -> Vec<u64> {
    let g = 0x9E37_79B9_7F4A_7C15u64;
    let mut values = vec![u64::MAX; t as usize];
    for &h in elements {
        let mut fall = |position: u64, number: u64| {
            values[position as usize] = values[position as usize].min(number);
        };
        let wide = u128::from(h) * u128::from(t);
        fall((wide >> 64) as u64, (wide as u64) >> 12);
        for k in 1..=t.div_ceil(2) {
            let (a, b) = (mix((2 * k).wrapping_mul(g)), mix((2 * k + 1).wrapping_mul(g)) | 1);
            let product = u128::from(h ^ a) * u128::from(b);
            let folded = (product >> 64) as u64 ^ product as u64;
            for (round, half) in [(2 * k - 1, folded >> 32), (2 * k, folded & 0xFFFF_FFFF)] {
                fall((half * t) >> 32, (round << 52) + ((half * t % (1 << 32)) << 20));
            }
        }
        for position in 0..t {
            let round = 2048 + position;
            fall(position, (round << 52) + (mix(h.wrapping_add(round.wrapping_mul(g))) >> 12));
        }
    }
    values
}

#[test]
fn the_values_stay() {
    let sketch = MinHasher::new(4).sketch(&[0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210]).unwrap();
    let values = [0x48d1_59e2_6af3, 0x003b_7db3_1cc0_0000, 0x001e_f70e_2900_0000, 0x000f_b72e_a61d_950c];
    assert_eq!(sketch.values(), values);
}

proptest! {
    #[test]
    fn is_what_the_definition_says(elements in prop::collection::vec(any::<u64>(), 1..400), values in 1usize..140) {
        let mut hasher = MinHasher::new(values);
        let expected = by_definition(&elements, values as u64);
        let sketch = hasher.sketch(&elements).unwrap();
        prop_assert_eq!(sketch.values(), expected.as_slice());
        // One by one, turned round, twice, and with a hasher that has been used.
        elements.iter().rev().chain(&elements).for_each(|&element| hasher.add(element));
        let streamed = hasher.finish().unwrap();
        prop_assert_eq!(streamed.values(), expected.as_slice());
        prop_assert_eq!(hasher.finish(), None);
    }
}
