//! Linear classifiers by dual coordinate descent: support vectors with squared hinge, and logistic regression.
//!
//! **Definition.** min ½‖w‖² + C Σ ξ(y wᵀx), with ξ(z) = max(0, 1 − z)² or ln(1 + e^−z); a constant 1 is added to each page, whose weight
//! is the bias. One problem a class, against the rest.
//!
//! **Algorithm.** Hsieh et al. (SVM, with shrinking) and Yu et al. (logistic). A pass goes over the pages in an order drawn anew from the
//! seed; each step solves for one dual variable and moves w.
//!
//! **Stop.** SVM: projected gradients of a pass differ by at most ε; logistic: no gradient beyond ε; else after 1,000 passes.
//!
//! **Cost.** A pass costs the entries of the rows twice; memory: the width and 8 to 24 bytes a page, for each problem that runs.
//!
//! **Determinism.** Each problem is solved by one thread from its own seed.
//!
//! **Reference.** C.-J. Hsieh et al., *A dual coordinate descent method for large-scale linear SVM*, ICML 2008. H.-F. Yu, F.-L. Huang,
//! C.-J. Lin, *Dual coordinate descent methods for logistic regression and maximum entropy models*, Machine Learning 85, 2011,
//! doi:10.1007/s10994-010-5221-8.

use rayon::prelude::*;

use crate::labels::Labels;
use crate::linear::Linear;
use crate::random::Draws;
use crate::rows::SparseRows;

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
pub struct Dual {
    /// The loss.
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

impl Dual {
    /// C = 1, ε = 0.1, at most 1,000 passes.
    pub fn new(loss: Loss) -> Self {
        Dual { loss, c: 1.0, epsilon: 0.1, passes: 1000, seed: 1 }
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
        let problem = |class: usize| {
            let y: Vec<i8> = labels
                .iter()
                .map(|of| if of.binary_search(&(class as u32)).is_ok() { 1 } else { -1 })
                .collect();
            let problem = Problem { rows, width, y: &y, lengths: &lengths };
            self.binary(&problem, class as u64, held)
        };
        let solved: Vec<Solved> = if classes == 2 && !multi {
            let first = problem(0);
            let mirrored = Solved {
                w: first.w.iter().map(|x| -x).collect(),
                bias: -first.bias,
                held: first.held.iter().map(|x| -x).collect(),
            };
            vec![first, mirrored]
        } else {
            (0..classes).into_par_iter().with_max_len(1).map(problem).collect()
        };
        let of_held =
            (0..held.len()).flat_map(|at| solved.iter().map(move |solved| solved.held[at])).collect();
        let vectors: Vec<(Vec<f64>, f64)> =
            solved.into_iter().map(|solved| (solved.w, solved.bias)).collect();
        (Linear::from_classes(width, &vectors), of_held)
    }

    fn binary(&self, problem: &Problem<'_>, salt: u64, held: &[usize]) -> Solved {
        let Problem { rows, y, .. } = *problem;
        let mut draw = Draws::plain(self.seed.wrapping_mul(0x9E37_79B9).wrapping_add(salt));
        let mut w = vec![0.0; problem.width + 1];
        let mut order: Vec<u32> = (0..y.len() as u32).collect();
        // Dual variables α; of logistic regression C − α too.
        let first = match self.loss {
            Loss::SquaredHinge => 0.0,
            Loss::Logistic => (0.001 * self.c).min(1e-8),
        };
        let mut alpha = vec![(first, self.c - first); y.len()];
        if first > 0.0 {
            order
                .iter()
                .for_each(|page| step(&mut w, rows, *page as usize, f64::from(y[*page as usize]) * first));
        }
        self.descend(problem, &mut w, &mut alpha, &mut order, &mut draw);
        let mut solved = Solved { bias: w[problem.width], held: Vec::new(), w };
        if !held.is_empty() {
            let mut w = solved.w.clone();
            let mut is_held = vec![false; y.len()];
            for &page in held {
                is_held[page] = true;
                step(&mut w, rows, page, -f64::from(y[page]) * alpha[page].0);
            }
            let mut others: Vec<u32> = (0..y.len() as u32).filter(|page| !is_held[*page as usize]).collect();
            self.descend(problem, &mut w, &mut alpha, &mut others, &mut draw);
            let score = |page: &usize| dot(&w, rows.row(*page).0, rows.row(*page).1);
            solved.held = held.iter().map(score).collect();
        }
        solved.w.pop();
        solved
    }

    /// Passes over the pages of `order` until nothing moves.
    fn descend(
        &self,
        problem: &Problem<'_>,
        w: &mut [f64],
        alpha: &mut [(f64, f64)],
        order: &mut [u32],
        draw: &mut Draws,
    ) {
        match self.loss {
            Loss::SquaredHinge => self.hinge(problem, w, alpha, order, draw),
            Loss::Logistic => self.logistic(problem, w, alpha, order, draw),
        }
    }

    fn hinge(
        &self,
        problem: &Problem<'_>,
        w: &mut [f64],
        alpha: &mut [(f64, f64)],
        order: &mut [u32],
        draw: &mut Draws,
    ) {
        let Problem { rows, y, lengths, .. } = *problem;
        let diagonal = 0.5 / self.c;
        let mut active = order.len();
        let mut largest_before = f64::INFINITY;
        for _ in 0..self.passes {
            let (mut largest, mut smallest) = (f64::NEG_INFINITY, f64::INFINITY);
            draw.shuffle(&mut order[..active]);
            let mut at = 0;
            while at < active {
                let page = order[at] as usize;
                let sign = f64::from(y[page]);
                let (columns, values) = rows.row(page);
                let gradient = sign * dot(w, columns, values) - 1.0 + alpha[page].0 * diagonal;
                let mut projected = gradient;
                if alpha[page].0 == 0.0 {
                    if gradient > largest_before {
                        active -= 1;
                        order.swap(at, active);
                        continue;
                    }
                    projected = gradient.min(0.0);
                }
                largest = largest.max(projected);
                smallest = smallest.min(projected);
                if projected.abs() > 1e-12 {
                    let before = alpha[page].0;
                    alpha[page].0 = (before - gradient / (lengths[page] + diagonal)).max(0.0);
                    add(w, columns, values, (alpha[page].0 - before) * sign);
                }
                at += 1;
            }
            if largest - smallest <= self.epsilon {
                if active == order.len() {
                    break;
                }
                active = order.len();
                largest_before = f64::INFINITY;
                continue;
            }
            largest_before = if largest <= 0.0 { f64::INFINITY } else { largest };
        }
    }

    fn logistic(
        &self,
        problem: &Problem<'_>,
        w: &mut [f64],
        alpha: &mut [(f64, f64)],
        order: &mut [u32],
        draw: &mut Draws,
    ) {
        let Problem { rows, y, lengths, .. } = *problem;
        let c = self.c;
        let mut inner_epsilon = 1e-2;
        let innermost = 1e-8f64.min(self.epsilon);
        for _ in 0..self.passes {
            draw.shuffle(order);
            let mut newton_steps = 0;
            let mut largest: f64 = 0.0;
            for &page in &*order {
                let page = page as usize;
                let sign = f64::from(y[page]);
                let (columns, values) = rows.row(page);
                let (a, b) = (lengths[page], sign * dot(w, columns, values));
                // The smaller of α and C − α is the unknown.
                let (mine, other) = alpha[page];
                let flip = 0.5 * a * (other - mine) + b < 0.0;
                let (start, direction) = if flip { (other, -1.0) } else { (mine, 1.0) };
                let mut z = if c - start < 0.5 * c { 0.1 * start } else { start };
                let slope = |z: f64| a * (z - start) + direction * b + (z / (c - z)).ln();
                let mut gradient = slope(z);
                largest = largest.max(gradient.abs());
                for step in 0..100 {
                    if gradient.abs() < inner_epsilon {
                        break;
                    }
                    newton_steps += usize::from(step > 0);
                    let next = z - gradient / (a + c / (c - z) / z);
                    z = if next <= 0.0 { z * 0.1 } else { next.min(c * (1.0 - 1e-15)) };
                    gradient = slope(z);
                }
                alpha[page] = if flip { (c - z, z) } else { (z, c - z) };
                add(w, columns, values, sign * direction * (z - start));
            }
            if largest < self.epsilon {
                break;
            }
            if newton_steps <= order.len() / 10 {
                inner_epsilon = innermost.max(0.1 * inner_epsilon);
            }
        }
    }
}

/// w·x of a row, and the bias. Four sums at a time: a processor does not wait for one to be done before it begins the next.
#[inline]
fn dot(w: &[f64], columns: &[u32], values: &[f32]) -> f64 {
    let mut sums = [0.0f64; 4];
    let (columns_of_four, columns_left) = columns.as_chunks::<4>();
    let (values_of_four, values_left) = values.as_chunks::<4>();
    for (columns, values) in columns_of_four.iter().zip(values_of_four) {
        for at in 0..4 {
            sums[at] += w[columns[at] as usize] * f64::from(values[at]);
        }
    }
    let left: f64 = columns_left.iter().zip(values_left).map(|(c, v)| w[*c as usize] * f64::from(*v)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + left + w[w.len() - 1]
}

/// Moves w along a row.
fn step(w: &mut [f64], rows: &SparseRows, row: usize, by: f64) {
    let (columns, values) = rows.row(row);
    add(w, columns, values, by);
}

#[inline]
fn add(w: &mut [f64], columns: &[u32], values: &[f32], by: f64) {
    columns.iter().zip(values).for_each(|(&column, &value)| w[column as usize] += by * f64::from(value));
    let bias = w.len() - 1;
    w[bias] += by;
}

/// One class against the rest.
#[derive(Clone, Copy)]
struct Problem<'a> {
    rows: &'a SparseRows,
    width: usize,
    /// 1 for pages of the class, else −1.
    y: &'a [i8],
    /// Squared lengths of the rows, with the constant.
    lengths: &'a [f64],
}

/// What was found.
struct Solved {
    w: Vec<f64>,
    bias: f64,
    /// Scores of held pages.
    held: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value of the primal problem.
    fn primal(dual: &Dual, rows: &SparseRows, y: &[i8], w: &[f64]) -> f64 {
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
            let dual = Dual { epsilon: 1e-7, ..Dual::new(loss) };
            let problem = Problem { rows: &rows, width: 12, y: &y, lengths: &lengths };
            let Solved { mut w, bias, .. } = dual.binary(&problem, 0, &[]);
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
                let dual = Dual { epsilon: 1e-9, ..Dual::new(loss) };
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
    fn threads_change_nothing() {
        let (rows, y) = sample();
        let labels = Labels::single(
            y.iter().enumerate().map(|(page, y)| if *y > 0 { 0 } else { 1 + page as u32 / 2 % 2 }),
        );
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Dual::new(Loss::SquaredHinge).fit(&rows, 12, &labels, 3, false))
        };
        assert_eq!(fit(1), fit(4));
    }
}
