//! How far two rankings agree: Kendall's τ and the overlap of their tops.
//!
//! **Definition.** Of the pairs of nodes, C are ordered alike by both rankings, D in opposite ways, and the
//! others tie in one or both. With T₁ and T₂ the pairs that tie in the first and in the second, of P pairs in
//! all, τ-b = (C − D) / √((P − T₁)(P − T₂)): 1 for one order, −1 for opposite ones; it does not exist where a
//! ranking has but one value. The overlap at k is the share of the k best of one that are among the k best of
//! the other; ties at the edge go to the smaller node.
//!
//! **Algorithm.** Knight's: sort by the first ranking, ties by the second, then count the exchanges of a merge
//! sort by the second. All counts are whole numbers, so nothing is lost before the last division.
//!
//! **Cost.** O(n log n); 24 bytes a node.
//!
//! **Determinism.** Whole numbers: the same bytes on any number of threads.
//!
//! **Reference.** W. R. Knight, A computer method for calculating Kendall's tau with ungrouped data, *JASA* 61
//! (1966), doi:10.1080/01621459.1966.10480879. M. G. Kendall, The treatment of ties in ranking problems,
//! *Biometrika* 33 (1945), doi:10.1093/biomet/33.3.239.

use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

/// Pairs of nodes by how two rankings order them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// All pairs.
    pub all: u64,
    /// Ordered alike by both.
    pub concordant: u64,
    /// Ordered in opposite ways.
    pub discordant: u64,
    /// Tied in the first ranking, whether or not in the second.
    pub tied_first: u64,
    /// Tied in the second ranking, whether or not in the first.
    pub tied_second: u64,
}

impl Pairs {
    /// Compares two rankings by scores.
    ///
    /// # Errors
    /// [`Error::Config`] if they rank different numbers of nodes or a score is not a number.
    pub fn of(first: &[f64], second: &[f64]) -> Result<Self> {
        check(first, second)?;
        let n = first.len();
        let mut pairs: Vec<(u64, u64)> =
            first.par_iter().zip(second).map(|(&a, &b)| (order_key(a), order_key(b))).collect();
        pairs.par_sort_unstable();
        let both = ties(pairs.windows(2).map(|w| w[0] == w[1]));
        let tied_first = ties(pairs.windows(2).map(|w| w[0].0 == w[1].0));
        let mut keys: Vec<u64> = pairs.iter().map(|pair| pair.1).collect();
        drop(pairs);
        let discordant = exchanges(&mut keys, &mut vec![0; n]);
        let tied_second = ties(keys.windows(2).map(|w| w[0] == w[1]));
        let all = n as u64 * (n as u64).saturating_sub(1) / 2;
        let concordant = all + both - tied_first - tied_second - discordant;
        Ok(Pairs { all, concordant, discordant, tied_first, tied_second })
    }

    /// Kendall's τ-b; `None` if a ranking has but one value.
    pub fn tau_b(&self) -> Option<f64> {
        let (first, second) = (self.all - self.tied_first, self.all - self.tied_second);
        if first == 0 || second == 0 {
            return None;
        }
        let difference = self.concordant as f64 - self.discordant as f64;
        Some((difference / (first as f64).sqrt() / (second as f64).sqrt()).clamp(-1.0, 1.0))
    }
}

/// Kendall's τ-b of two rankings by scores; `None` if one of them has but one value.
///
/// # Errors
/// [`Error::Config`] if they rank different numbers of nodes or a score is not a number.
///
/// # Examples
/// ```
/// # use webmill_graph::kendall_tau;
/// assert_eq!(kendall_tau(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0])?, Some(1.0));
/// assert_eq!(kendall_tau(&[1.0, 2.0, 3.0], &[5.0, 5.0, 5.0])?, None);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn kendall_tau(first: &[f64], second: &[f64]) -> Result<Option<f64>> {
    Ok(Pairs::of(first, second)?.tau_b())
}

/// The `k` nodes with the highest scores, best first, ties by number; all of them if there are fewer.
///
/// Scores that are not numbers come last.
pub fn top(scores: &[f64], k: usize) -> Vec<u32> {
    let key = |&node: &u32| {
        let score = scores[node as usize];
        (std::cmp::Reverse(if score.is_nan() { 0 } else { order_key(score) }), node)
    };
    let mut nodes: Vec<u32> = (0..scores.len() as u32).collect();
    if k < nodes.len() {
        if k > 0 {
            nodes.select_nth_unstable_by_key(k - 1, key);
        }
        nodes.truncate(k);
    }
    nodes.sort_unstable_by_key(key);
    nodes
}

fn check(first: &[f64], second: &[f64]) -> Result<()> {
    if first.len() != second.len() {
        let (a, b) = (first.len(), second.len());
        return Err(Error::Config(format!("one ranking has {a} nodes, the other {b}")));
    }
    match first.iter().chain(second).position(|x| x.is_nan()) {
        Some(at) => {
            Err(Error::Config(format!("the score of node {} is not a number", at % first.len().max(1))))
        }
        None => Ok(()),
    }
}

/// A whole number in the order of the scores; both zeros are one.
fn order_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Pairs in the runs of a sorted list, of which `equal` says whether neighbours are equal.
fn ties(equal: impl Iterator<Item = bool>) -> u64 {
    let (mut pairs, mut run) = (0, 0);
    for equal in equal {
        run = if equal { run + 1 } else { 0 };
        pairs += run;
    }
    pairs
}

/// Keys below which a part is sorted by insertion, and from which on the halves are sorted in parallel.
const SMALL: usize = 16;
const LARGE: usize = 1 << 15;

/// Sorts and counts the pairs that stood in the wrong order.
fn exchanges(keys: &mut [u64], space: &mut [u64]) -> u64 {
    let n = keys.len();
    if n <= SMALL {
        let mut count = 0;
        for i in 1..n {
            let mut j = i;
            while j > 0 && keys[j - 1] > keys[j] {
                keys.swap(j - 1, j);
                j -= 1;
            }
            count += (i - j) as u64;
        }
        return count;
    }
    let (left, right) = keys.split_at_mut(n / 2);
    let (left_space, right_space) = space.split_at_mut(n / 2);
    let (a, b) = if n >= LARGE {
        rayon::join(|| exchanges(left, left_space), || exchanges(right, right_space))
    } else {
        (exchanges(left, left_space), exchanges(right, right_space))
    };
    let (mut i, mut j, mut count) = (0, 0, a + b);
    for cell in space.iter_mut() {
        let take_left = j == right.len() || (i < left.len() && left[i] <= right[j]);
        *cell = if take_left {
            i += 1;
            left[i - 1]
        } else {
            count += (left.len() - i) as u64;
            j += 1;
            right[j - 1]
        };
    }
    keys.copy_from_slice(space);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_hand(first: &[f64], second: &[f64]) -> Pairs {
        let mut pairs = Pairs::default();
        for i in 0..first.len() {
            for j in 0..i {
                let (a, b) = (first[i].partial_cmp(&first[j]), second[i].partial_cmp(&second[j]));
                let equal = Some(std::cmp::Ordering::Equal);
                pairs.all += 1;
                pairs.tied_first += u64::from(a == equal);
                pairs.tied_second += u64::from(b == equal);
                pairs.concordant += u64::from(a == b && a != equal);
                pairs.discordant += u64::from(a != b && a != equal && b != equal);
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn counts_are_those_of_all_pairs(values in prop::collection::vec((-5i8..5, -5i8..5), 0..120)) {
            let (first, second): (Vec<f64>, Vec<f64>) =
                values.into_iter().map(|(a, b)| (f64::from(a) / 2.0, f64::from(b))).unzip();
            prop_assert_eq!(Pairs::of(&first, &second).unwrap(), by_hand(&first, &second));
        }

        #[test]
        fn the_best_come_first(scores in prop::collection::vec(0u8..20, 0..60), k in 0..70usize) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let mut all: Vec<u32> = (0..scores.len() as u32).collect();
            all.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
            all.truncate(k);
            prop_assert_eq!(top(&scores, k), all);
        }
    }

    /// SciPy 1.17: `scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])`.
    #[test]
    fn ties_as_others_count_them() {
        let tau = kendall_tau(&[12.0, 2.0, 1.0, 12.0, 2.0], &[1.0, 4.0, 7.0, 1.0, 0.0]).unwrap().unwrap();
        assert!((tau + 0.47140452079103173).abs() < 1e-15, "{tau}");
    }

    #[test]
    fn large_rankings_and_their_opposites() {
        let n = 300_000;
        let up: Vec<f64> = (0..n).map(f64::from).collect();
        let down: Vec<f64> = up.iter().map(|x| -x).collect();
        assert_eq!(kendall_tau(&up, &up).unwrap(), Some(1.0));
        assert_eq!(kendall_tau(&up, &down).unwrap(), Some(-1.0));
        let pairs = Pairs::of(&up, &down).unwrap();
        assert_eq!(pairs.discordant, n as u64 * (n as u64 - 1) / 2);
    }

    #[test]
    fn nothing_to_compare_and_nonsense() {
        assert_eq!(kendall_tau(&[], &[]).unwrap(), None);
        assert_eq!(kendall_tau(&[1.0], &[1.0]).unwrap(), None);
        assert_eq!(kendall_tau(&[0.0, -0.0], &[1.0, 2.0]).unwrap(), None);
        assert!(kendall_tau(&[1.0], &[]).is_err());
        assert!(kendall_tau(&[1.0, f64::NAN], &[1.0, 2.0]).unwrap_err().to_string().contains("node 1"));
    }
}
