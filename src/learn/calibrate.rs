//! Scores → probabilities, learnt on pages that the scores were not learnt from.
//!
//! **Definition.** One class a page: p_c = softmax(a·s_c), a ≥ 0. Several: p_c = 1/(1 + exp(A_c·s_c + B_c)) (Platt), and a class is told from
//! the probability on at which its F1 is best.
//!
//! **Algorithm.** a minimises the cross entropy, which is convex in it: golden section over ln a. Platt: Newton with backtracking. Of n pages each counts a
//! little for the k classes that it is not of, 1/(n + k) each (Laplace's rule; Platt's targets are the same for one class): however well few
//! pages are told apart, nothing is told for certain.
//!
//! **Reference.** J. C. Platt, *Probabilistic outputs for support vector machines*, 1999; H.-T. Lin, C.-J. Lin, R. C. Weng, *A note on Platt's
//! probabilistic outputs*, Machine Learning 68, 2007, doi:10.1007/s10994-007-5018-6; C. Guo et al., *On calibration of modern neural networks*, ICML 2017.

use serde::{Deserialize, Serialize};

use crate::labels::Labels;

/// How scores become probabilities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Calibration {
    /// One class a page.
    Softmax {
        /// What scores are multiplied by.
        slope: f64,
    },
    /// Any number of classes.
    Sigmoids {
        /// (A, B) of each class.
        curves: Vec<(f64, f64)>,
        /// From which probability on each class is told.
        thresholds: Vec<f64>,
    },
}

impl Calibration {
    /// Learns it from scores of held-out pages, one after the other, `classes` each.
    pub fn learn(scores: &[f64], labels: &Labels, classes: usize, multi: bool) -> Calibration {
        if !multi {
            return Calibration::Softmax { slope: temperature(scores, labels, classes) };
        }
        let (mut curves, mut thresholds) = (Vec::new(), Vec::new());
        for class in 0..classes {
            let of: Vec<(f64, bool)> = labels
                .iter()
                .enumerate()
                .map(|(page, of)| (scores[page * classes + class], of.contains(&(class as u32))))
                .collect();
            let curve = platt(&of);
            thresholds.push(best_threshold(&of, curve));
            curves.push(curve);
        }
        Calibration::Sigmoids { curves, thresholds }
    }

    /// Whether it is of `classes` classes.
    pub fn is_whole(&self, classes: usize) -> bool {
        match self {
            Calibration::Softmax { slope } => slope.is_finite(),
            Calibration::Sigmoids { curves, thresholds } => {
                curves.len() == classes && thresholds.len() == classes
            }
        }
    }

    /// The probabilities of scores.
    pub fn probabilities(&self, scores: &[f64]) -> Vec<f64> {
        match self {
            Calibration::Softmax { slope } => {
                let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let mut powers: Vec<f64> =
                    scores.iter().map(|score| (slope * (score - most)).exp()).collect();
                let sum: f64 = powers.iter().sum();
                powers.iter_mut().for_each(|power| *power /= sum);
                powers
            }
            Calibration::Sigmoids { curves, .. } => {
                scores.iter().zip(curves).map(|(score, curve)| sigmoid(*score, *curve)).collect()
            }
        }
    }

    /// The classes that are told, ascending.
    pub fn told(&self, probabilities: &[f64]) -> Vec<u32> {
        match self {
            Calibration::Softmax { .. } => best(probabilities).into_iter().collect(),
            Calibration::Sigmoids { thresholds, .. } => {
                let over =
                    probabilities.iter().zip(thresholds).enumerate().filter(|(_, (p, from))| p >= from);
                over.map(|(class, _)| class as u32).collect()
            }
        }
    }
}

/// The class with the largest value (ties: the smaller number).
pub(crate) fn best(values: &[f64]) -> Option<u32> {
    let mut best: Option<usize> = None;
    for (class, value) in values.iter().enumerate() {
        if best.is_none_or(|best| *value > values[best]) {
            best = Some(class);
        }
    }
    best.map(|class| class as u32)
}

fn temperature(scores: &[f64], labels: &Labels, classes: usize) -> f64 {
    if labels.is_empty() {
        return 1.0;
    }
    let other = 1.0 / (labels.len() + classes) as f64;
    let loss = |log: f64| -> f64 {
        let slope = log.exp();
        let of = |(page, row): (usize, &[f64])| {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.iter().map(|score| (slope * (score - most)).exp()).sum();
            let all: f64 = row.iter().map(|score| score - most).sum();
            let own = row[labels.first(page) as usize] - most;
            sum.ln() - slope * ((1.0 - classes as f64 * other) * own + other * all)
        };
        scores.chunks(classes).enumerate().map(of).sum()
    };
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (-7.0f64, 6.0f64);
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (loss(a), loss(b));
    while high - low > 1e-3 {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = loss(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = loss(b);
        }
    }
    ((low + high) / 2.0).exp()
}

fn sigmoid(score: f64, (a, b): (f64, f64)) -> f64 {
    1.0 / (1.0 + (a * score + b).exp())
}

/// Platt's curve, by Newton's method.
fn platt(of: &[(f64, bool)]) -> (f64, f64) {
    let positive = of.iter().filter(|(_, is)| *is).count() as f64;
    let negative = of.len() as f64 - positive;
    let (high, low) = ((positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0));
    let target = |is: bool| if is { high } else { low };
    let loss = |(a, b): (f64, f64)| -> f64 {
        let one = |&(score, is): &(f64, bool)| {
            let z = a * score + b;
            if z >= 0.0 {
                target(is) * z + (-z).exp().ln_1p()
            } else {
                (target(is) - 1.0) * z + z.exp().ln_1p()
            }
        };
        of.iter().map(one).sum()
    };
    let mut curve = (0.0, ((negative + 1.0) / (positive + 1.0)).ln());
    let mut value = loss(curve);
    for _ in 0..100 {
        let (mut haa, mut hbb, mut hab, mut ga, mut gb) = (1e-12, 1e-12, 0.0, 0.0, 0.0);
        for &(score, is) in of {
            let p = sigmoid(score, curve);
            let (d1, d2) = (target(is) - p, p * (1.0 - p));
            haa += score * score * d2;
            hbb += d2;
            hab += score * d2;
            ga += score * d1;
            gb += d1;
        }
        if ga.abs() < 1e-5 && gb.abs() < 1e-5 {
            break;
        }
        let det = haa * hbb - hab * hab;
        let (da, db) = (-(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det);
        let slope = ga * da + gb * db;
        let mut step = 1.0;
        while step >= 1e-10 {
            let next = (curve.0 + step * da, curve.1 + step * db);
            let there = loss(next);
            if there < value + 1e-4 * step * slope {
                (curve, value) = (next, there);
                break;
            }
            step /= 2.0;
        }
        if step < 1e-10 {
            break;
        }
    }
    curve
}

/// The probability from which on F1 is best (ties: the higher one); ½ where no page is of the class.
fn best_threshold(of: &[(f64, bool)], curve: (f64, f64)) -> f64 {
    let mut sorted: Vec<(f64, bool)> = of.iter().map(|&(score, is)| (sigmoid(score, curve), is)).collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let all = sorted.iter().filter(|(_, is)| *is).count() as f64;
    let (mut right, mut best, mut threshold) = (0.0, 0.0, 0.5);
    for (at, &(p, is)) in sorted.iter().enumerate() {
        right += f64::from(u8::from(is));
        let f1 = 2.0 * right / (all + at as f64 + 1.0);
        let next = sorted.get(at + 1).map(|(p, _)| *p);
        if next != Some(p) && f1 > best {
            best = f1;
            // Half way to the next one: pages that come later fall to either side.
            threshold = next.map_or(p, |next| (p + next) / 2.0);
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draws;

    #[test]
    fn the_slope_that_made_the_labels_is_found() {
        let mut draw = Draws::plain(3);
        let mut unit = || draw.below(1 << 20) as f64 / f64::from(1 << 20);
        let (mut scores, mut classes) = (Vec::new(), Vec::new());
        let made = Calibration::Softmax { slope: 3.0 };
        for _ in 0..20_000 {
            let row: Vec<f64> = (0..3).map(|_| unit() * 2.0 - 1.0).collect();
            let p = made.probabilities(&row);
            let at = unit();
            classes.push(if at < p[0] {
                0
            } else if at < p[0] + p[1] {
                1
            } else {
                2
            });
            scores.extend(row);
        }
        let Calibration::Softmax { slope } = Calibration::learn(&scores, &Labels::single(classes), 3, false)
        else {
            panic!()
        };
        assert!((slope - 3.0).abs() < 0.15, "{slope}");
    }

    #[test]
    fn few_pages_that_are_told_apart_prove_nothing_for_certain() {
        for pages in [4, 40, 4000] {
            let scores: Vec<f64> =
                (0..pages).flat_map(|page| if page % 2 == 0 { [1.0, -1.0] } else { [-1.0, 1.0] }).collect();
            let labels = Labels::single((0..pages).map(|page| page % 2));
            let p = Calibration::learn(&scores, &labels, 2, false).probabilities(&[1.0, -1.0])[0];
            let expected = 1.0 - 1.0 / f64::from(pages + 2);
            assert!((p - expected).abs() < 1e-3, "{p} {expected}");
        }
    }

    #[test]
    fn thresholds_have_the_best_f1() {
        let mut labels = Labels::default();
        let scores = [-2.0, -1.0, 0.5, 1.0, 2.0, 3.0];
        for is in [false, false, true, false, true, true] {
            labels.push(is.then_some(0));
        }
        let learnt = Calibration::learn(&scores, &labels, 1, true);
        let told: Vec<bool> =
            scores.iter().map(|s| !learnt.told(&learnt.probabilities(&[*s])).is_empty()).collect();
        // All three and one wrong: F1 6/7; the two best alone: 4/5.
        assert_eq!(told, [false, false, true, true, true, true]);
        let p: Vec<f64> = scores.iter().map(|s| learnt.probabilities(&[*s])[0]).collect();
        assert!(p.is_sorted());
    }
}
