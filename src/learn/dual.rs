//! Linear classifiers by dual coordinate descent: support vectors with squared hinge, and logistic regression.
//!
//! **Definition.** min ½‖w‖² + C Σ ξ(y wᵀx), with ξ(z) = max(0, 1 − z)² or ln(1 + e^−z); a constant 1 is added to each page, whose weight
//! is the bias. One problem a class, against the rest.
//!
//! **Algorithm.** Hsieh et al. (SVM, with shrinking) and Yu et al. (logistic). A pass goes over the pages in an order drawn anew from the
//! seed; each step solves for one dual variable and moves w. Up to sixteen classes go over the pages together (`block`).
//!
//! **Stop.** SVM: projected gradients of a pass differ by at most ε; logistic: no gradient beyond ε; else after 1,000 passes.
//!
//! **Cost.** A pass costs the entries of the rows twice; memory: 4 bytes a word (8 where ε is below 0.001) and 8 to 16 a page, for each class.
//!
//! **Determinism.** The weights of a class depend on its pages and the seed alone, not on which classes share a block.
//!
//! **Reference.** C.-J. Hsieh et al., *A dual coordinate descent method for large-scale linear SVM*, ICML 2008. H.-F. Yu, F.-L. Huang,
//! C.-J. Lin, *Dual coordinate descent methods for logistic regression and maximum entropy models*, Machine Learning 85, 2011,
//! doi:10.1007/s10994-010-5221-8.

mod block;

use std::ops::Range;

use rayon::prelude::*;

use crate::labels::Labels;
use crate::linear::Linear;
use crate::rows::SparseRows;
use block::{Pages, Places, SolvedClass, WeightType};

/// Most classes of a block: in single precision their weights of a word are a cache line.
const BLOCK: usize = 16;
/// Below this ε weights are kept in double precision.
const SINGLE: f64 = 1e-3;

/// What a wrong page costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Squared hinge: the support vector machine.
    SquaredHinge,
    /// Logistic: maximum entropy.
    Logistic,
}

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualSolver {
    /// The loss to minimise.
    pub loss: Loss,
    /// What losses weigh against the length of w.
    pub c: f64,
    /// Where to stop.
    pub epsilon: f64,
    /// Most passes.
    pub passes: usize,
    /// Draws the orders.
    pub seed: u64,
}

impl DualSolver {
    /// C = 1, ε = 0.1, at most 1,000 passes.
    pub fn new(loss: Loss) -> Self {
        DualSolver { loss, c: 1.0, epsilon: 0.1, passes: 1000, seed: 1 }
    }

    /// Fits each class against the rest; for two classes one problem is solved and mirrored.
    pub fn fit(
        &self,
        rows: &SparseRows,
        width: usize,
        labels: &Labels,
        classes: usize,
        multi: bool,
    ) -> Linear {
        self.fit_held(rows, width, labels, classes, multi, &[]).0
    }

    /// The same, and the scores of `held` rows (one after the other, as many each as there are classes) by a fit on all others: it begins
    /// where the fit on all ended, without the dual variables of the held rows, and so takes a few passes.
    pub fn fit_held(
        &self,
        rows: &SparseRows,
        width: usize,
        labels: &Labels,
        classes: usize,
        multi: bool,
        held: &[usize],
    ) -> (Linear, Vec<f64>) {
        let lengths: Vec<f64> = rows
            .rows()
            .map(|(_, values)| values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() + 1.0)
            .collect();
        let places = Places::new(rows, width);
        let pages = Pages { rows, places: &places, width, labels, lengths: &lengths };
        let solved: Vec<SolvedClass> = if classes == 2 && !multi {
            let first = self.block(pages, 0..1, held).remove(0);
            let mirrored = SolvedClass {
                w: first.w.iter().map(|x| -x).collect(),
                bias: -first.bias,
                held: first.held.iter().map(|x| -x).collect(),
            };
            vec![first, mirrored]
        } else {
            let blocks = blocks(classes, rayon::current_num_threads());
            blocks.into_par_iter().with_max_len(1).flat_map_iter(|of| self.block(pages, of, held)).collect()
        };
        let of_held =
            (0..held.len()).flat_map(|at| solved.iter().map(move |solved| solved.held[at])).collect();
        let vectors: Vec<(Vec<f64>, f64)> =
            solved.into_iter().map(|solved| (solved.w, solved.bias)).collect();
        (Linear::from_classes(width, &vectors), of_held)
    }

    fn block(&self, pages: Pages<'_>, classes: Range<usize>, held: &[usize]) -> Vec<SolvedClass> {
        match self.epsilon < SINGLE {
            true => self.block_of::<f64>(pages, classes, held),
            false => self.block_of::<f32>(pages, classes, held),
        }
    }

    fn block_of<F: WeightType>(
        &self,
        pages: Pages<'_>,
        classes: Range<usize>,
        held: &[usize],
    ) -> Vec<SolvedClass> {
        match classes.len() {
            0 | 1 => block::solve::<F, 1>(self, pages, classes, held),
            2 => block::solve::<F, 2>(self, pages, classes, held),
            3 | 4 => block::solve::<F, 4>(self, pages, classes, held),
            5..=8 => block::solve::<F, 8>(self, pages, classes, held),
            _ => block::solve::<F, BLOCK>(self, pages, classes, held),
        }
    }
}

/// Classes in blocks of at most [`BLOCK`], as many as there are threads to work on them.
fn blocks(classes: usize, threads: usize) -> Vec<Range<usize>> {
    let count =
        classes.div_ceil(BLOCK).next_multiple_of(threads.clamp(1, classes.max(1))).clamp(1, classes.max(1));
    (0..count).map(|block| block * classes / count..(block + 1) * classes / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draws;

    fn dot(w: &[f64], columns: &[u32], values: &[f32]) -> f64 {
        let sum: f64 = columns.iter().zip(values).map(|(c, v)| w[*c as usize] * f64::from(*v)).sum();
        sum + w[w.len() - 1]
    }

    /// Value of the primal problem.
    fn primal(dual: &DualSolver, rows: &SparseRows, y: &[i8], w: &[f64]) -> f64 {
        let loss: f64 = rows
            .rows()
            .zip(y)
            .map(|((columns, values), y)| {
                let z = f64::from(*y) * dot(w, columns, values);
                match dual.loss {
                    Loss::SquaredHinge => (1.0 - z).max(0.0).powi(2),
                    Loss::Logistic => (-z).exp().ln_1p(),
                }
            })
            .sum();
        0.5 * w.iter().map(|x| x * x).sum::<f64>() + dual.c * loss
    }

    fn sample() -> (SparseRows, Vec<i8>) {
        let mut draw = Draws::plain(7);
        let mut rows = SparseRows::new();
        let mut y = Vec::new();
        for page in 0..80 {
            let class = page % 2;
            let mut row: Vec<(u32, f32)> = Vec::new();
            for column in 0..12 {
                let likely = if (column % 2) == class as u32 { 7 } else { 3 };
                if draw.below(10) < likely {
                    row.push((column, 0.2 + draw.below(10) as f32 / 10.0));
                }
            }
            rows.push(row);
            y.push(if class == 0 { 1 } else { -1 });
        }
        (rows, y)
    }

    #[test]
    fn descent_reaches_the_minimum_of_the_primal() {
        let (rows, y) = sample();
        let lengths: Vec<f64> =
            rows.rows().map(|(_, v)| v.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() + 1.0).collect();
        for loss in [Loss::SquaredHinge, Loss::Logistic] {
            let dual = DualSolver { epsilon: 1e-7, ..DualSolver::new(loss) };
            let labels = Labels::single(y.iter().map(|y| u32::from(*y < 0)));
            let places = Places::new(&rows, 12);
            let pages = Pages { rows: &rows, places: &places, width: 12, labels: &labels, lengths: &lengths };
            let SolvedClass { mut w, bias, .. } = block::solve::<f64, 1>(&dual, pages, 0..1, &[]).remove(0);
            w.push(bias);
            let best = primal(&dual, &rows, &y, &w);
            // Convex: a point from which no step to a side leads down is the minimum.
            for at in 0..w.len() {
                for step in [-1e-3, 1e-3] {
                    let mut other = w.clone();
                    other[at] += step;
                    assert!(primal(&dual, &rows, &y, &other) >= best, "{loss:?} {at} {step}");
                }
            }
            let slope = |at: usize| {
                let h = 1e-5;
                let (mut up, mut down) = (w.clone(), w.clone());
                up[at] += h;
                down[at] -= h;
                (primal(&dual, &rows, &y, &up) - primal(&dual, &rows, &y, &down)) / (2.0 * h)
            };
            assert!((0..w.len()).all(|at| slope(at).abs() < 1e-3), "{loss:?}");
        }
    }

    #[test]
    fn held_pages_are_scored_by_a_fit_without_them() {
        let (rows, y) = sample();
        let labels = Labels::single(y.iter().map(|y| u32::from(*y < 0)));
        let (held, others): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|page| page % 10 < 2);
        for loss in [Loss::SquaredHinge, Loss::Logistic] {
            for multi in [false, true] {
                let dual = DualSolver { epsilon: 1e-9, ..DualSolver::new(loss) };
                let (all, of_held) = dual.fit_held(&rows, 12, &labels, 2, multi, &held);
                assert_eq!(all, dual.fit(&rows, 12, &labels, 2, multi), "what is held changes nothing");
                let without = dual.fit(&rows.select(&others), 12, &labels.select(&others), 2, multi);
                let mut scores = Vec::new();
                let mut differs = 0.0f64;
                for (page, of) in held.iter().zip(of_held.chunks(2)) {
                    let row = || rows.row(*page).0.iter().copied().zip(rows.row(*page).1.iter().copied());
                    without.scores(row(), &mut scores);
                    for (a, b) in of.iter().zip(&scores) {
                        assert!((a - b).abs() < 1e-4, "{loss:?} {of:?} {scores:?}");
                    }
                    all.scores(row(), &mut scores);
                    differs = differs.max((of[0] - scores[0]).abs());
                }
                assert!(differs > 1e-2, "{loss:?}: the held pages told of themselves");
            }
        }
    }

    #[test]
    fn blocks_hold_every_class_once() {
        for classes in 1..40 {
            for threads in 1..20 {
                let blocks = blocks(classes, threads);
                assert!(blocks.iter().all(|block| (1..=BLOCK).contains(&block.len())), "{classes} {threads}");
                assert_eq!(
                    blocks.into_iter().flatten().collect::<Vec<_>>(),
                    (0..classes).collect::<Vec<_>>()
                );
            }
        }
        assert_eq!((blocks(20, 2).len(), blocks(8, 2).len(), blocks(4, 1).len()), (2, 2, 1));
    }

    #[test]
    fn threads_change_nothing() {
        let (rows, y) = sample();
        let labels = Labels::single(
            y.iter().enumerate().map(|(page, y)| if *y > 0 { 0 } else { 1 + page as u32 / 2 % 2 }),
        );
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| DualSolver::new(Loss::SquaredHinge).fit(&rows, 12, &labels, 3, false))
        };
        assert_eq!(fit(1), fit(4));
    }
}
