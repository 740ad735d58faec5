//! AdaBoost over decision stumps: a word is on the page, or not.
//!
//! **Definition.** Pages begin with weights 1/n. A round takes the word and direction of the smallest weighted error err (ties: the smaller
//! number); its vote is α = ln((1 − err)/err); weights of pages that it tells right are multiplied by err/(1 − err), and all are made to sum
//! to 1. It ends after a given number of rounds, at err = 0, or at err ≥ ½. A class's score is Σ α·(±1), in votes: linear in what stands on the page.
//!
//! **Cost.** A round costs the entries of the rows; one problem a class.
//!
//! **Reference.** Y. Freund, R. E. Schapire, *A decision-theoretic generalization of on-line learning and an application to boosting*, JCSS 55, 1997.

use rayon::prelude::*;

use crate::labels::Labels;
use crate::linear::Linear;
use crate::rows::SparseRows;

/// The vote of a stump that errs on this weight, and what right pages' weights are multiplied by.
pub fn vote(err: f64) -> (f64, f64) {
    (((1.0 - err) / err).ln(), err / (1.0 - err))
}

/// Multiplies the weights of right pages and makes all sum to 1.
pub fn reweight(weights: &mut [f64], right: &[bool], factor: f64) {
    weights.iter_mut().zip(right).filter(|(_, right)| **right).for_each(|(weight, _)| *weight *= factor);
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

/// Err that a perfect stump is given: its vote must be finite.
const PERFECT: f64 = 1e-9;

/// Fits one problem a class against the rest; the values of the rows do not matter, and must be taken as 1 when scores are asked for.
pub fn fit(rows: &SparseRows, width: usize, labels: &Labels, classes: usize, rounds: usize) -> Linear {
    let vectors: Vec<(Vec<f64>, f64)> = (0..classes)
        .into_par_iter()
        .with_max_len(1)
        .map(|class| {
            let is: Vec<bool> = labels.iter().map(|of| of.binary_search(&(class as u32)).is_ok()).collect();
            binary(rows, width, &is, rounds)
        })
        .collect();
    Linear::from_classes(width, &vectors)
}

fn binary(rows: &SparseRows, width: usize, is: &[bool], rounds: usize) -> (Vec<f64>, f64) {
    let mut w = vec![0.0; width];
    let mut bias = 0.0;
    let mut votes = 0.0;
    let mut weights = vec![1.0 / is.len().max(1) as f64; is.len()];
    let mut sums = vec![0.0f64; width];
    for _ in 0..rounds {
        // Weight of the class's pages with a word less that of others with it. Saying "has it, so it is of the class" errs on the class's
        // pages without and on others with it: on the weight of the class less this.
        sums.fill(0.0);
        let mut class = 0.0;
        for (page, (words, _)) in rows.rows().enumerate() {
            let signed = if is[page] { weights[page] } else { -weights[page] };
            class += signed.max(0.0);
            words.iter().for_each(|&word| sums[word as usize] += signed);
        }
        let mut best: Option<(usize, f64, f64)> = None;
        for (word, sum) in sums.iter().enumerate() {
            let err = class - sum;
            let (err, direction) = if err <= 0.5 { (err, 1.0) } else { (1.0 - err, -1.0) };
            if best.is_none_or(|(_, least, _)| err < least) {
                best = Some((word, err, direction));
            }
        }
        let Some((word, err, direction)) = best.filter(|(_, err, _)| *err < 0.5 - 1e-12) else { break };
        let (alpha, factor) = vote(err.max(PERFECT));
        w[word] += 2.0 * alpha * direction;
        bias -= alpha * direction;
        votes += alpha;
        if err <= PERFECT {
            break;
        }
        let right: Vec<bool> = rows
            .rows()
            .zip(is)
            .map(|((words, _), is)| (words.binary_search(&(word as u32)).is_ok() == (direction > 0.0)) == *is)
            .collect();
        reweight(&mut weights, &right, factor);
    }
    // Shares of votes: classes whose problems ended early must not have less to say.
    if votes > 0.0 {
        w.iter_mut().for_each(|x| *x /= votes);
        bias /= votes;
    } else {
        bias = if is.iter().filter(|is| **is).count() * 2 > is.len() { 1.0 } else { -1.0 };
    }
    (w, bias)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_examples_three_wrong() {
        let (alpha, factor) = vote(0.3);
        assert!((alpha - 0.847298).abs() < 1e-6);
        let mut weights = vec![0.1; 10];
        let right: Vec<bool> = (0..10).map(|example| example >= 3).collect();
        reweight(&mut weights, &right, factor);
        assert!(weights[3..].iter().all(|weight| (weight - 0.0714286).abs() < 1e-7));
        assert!(weights[..3].iter().all(|weight| (weight - 0.1666667).abs() < 1e-7));
    }

    #[test]
    fn stumps_learn_what_one_word_does_not_tell() {
        // Of the class: two of three words.
        let mut rows = SparseRows::new();
        let mut classes = Vec::new();
        for mask in 0..8u32 {
            rows.push((0..3).filter(|word| mask >> word & 1 == 1).map(|word| (word, 1.0)));
            classes.push(u32::from(mask.count_ones() >= 2));
        }
        let linear = fit(&rows, 3, &Labels::single(classes.iter().copied()), 2, 100);
        let mut scores = Vec::new();
        for (mask, class) in classes.iter().enumerate() {
            let (words, _) = rows.row(mask);
            linear.scores(words.iter().map(|word| (*word, 1.0)), &mut scores);
            assert_eq!(u32::from(scores[1] > scores[0]), *class, "{mask:b} {scores:?}");
        }
        // One word tells it: ended at once.
        let one = fit(&rows, 3, &Labels::single((0..8).map(|mask| mask & 1)), 2, 100);
        assert!((f64::from(one.weight(0, 1)) - 2.0).abs() < 1e-6 && one.weight(1, 1) == 0.0);
    }
}
