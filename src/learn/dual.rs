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
use crate::random::Draw;
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
        let lengths: Vec<f64> = rows
            .rows()
            .map(|(_, values)| values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() + 1.0)
            .collect();
        let problem = |class: usize| {
            let y: Vec<i8> = labels
                .iter()
                .map(|of| if of.binary_search(&(class as u32)).is_ok() { 1 } else { -1 })
                .collect();
            self.binary(rows, width, &y, &lengths, class as u64)
        };
        let vectors: Vec<(Vec<f64>, f64)> = if classes == 2 && !multi {
            let (w, bias) = problem(0);
            let mirrored = (w.iter().map(|x| -x).collect(), -bias);
            vec![(w, bias), mirrored]
        } else {
            (0..classes).into_par_iter().with_max_len(1).map(problem).collect()
        };
        Linear::from_classes(width, &vectors)
    }

    fn binary(
        &self,
        rows: &SparseRows,
        width: usize,
        y: &[i8],
        lengths: &[f64],
        salt: u64,
    ) -> (Vec<f64>, f64) {
        let mut w = vec![0.0; width + 1];
        let draw = Draw::new(self.seed.wrapping_mul(0x9E37_79B9).wrapping_add(salt));
        match self.loss {
            Loss::SquaredHinge => self.hinge(rows, y, lengths, &mut w, draw),
            Loss::Logistic => self.logistic(rows, y, lengths, &mut w, draw),
        }
        let bias = w.pop().unwrap_or_default();
        (w, bias)
    }

    fn hinge(&self, rows: &SparseRows, y: &[i8], lengths: &[f64], w: &mut [f64], mut draw: Draw) {
        let diagonal = 0.5 / self.c;
        let mut alpha = vec![0.0; y.len()];
        let mut order: Vec<u32> = (0..y.len() as u32).collect();
        let mut active = y.len();
        let mut largest_before = f64::INFINITY;
        for _ in 0..self.passes {
            let (mut largest, mut smallest) = (f64::NEG_INFINITY, f64::INFINITY);
            draw.shuffle(&mut order[..active]);
            let mut at = 0;
            while at < active {
                let page = order[at] as usize;
                let sign = f64::from(y[page]);
                let (columns, values) = rows.row(page);
                let gradient = sign * dot(w, columns, values) - 1.0 + alpha[page] * diagonal;
                let mut projected = gradient;
                if alpha[page] == 0.0 {
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
                    let before = alpha[page];
                    alpha[page] = (before - gradient / (lengths[page] + diagonal)).max(0.0);
                    add(w, columns, values, (alpha[page] - before) * sign);
                }
                at += 1;
            }
            if largest - smallest <= self.epsilon {
                if active == y.len() {
                    break;
                }
                active = y.len();
                largest_before = f64::INFINITY;
                continue;
            }
            largest_before = if largest <= 0.0 { f64::INFINITY } else { largest };
        }
    }

    fn logistic(&self, rows: &SparseRows, y: &[i8], lengths: &[f64], w: &mut [f64], mut draw: Draw) {
        let c = self.c;
        // α and C − α of each page.
        let first = (0.001 * c).min(1e-8);
        let mut alpha = vec![(first, c - first); y.len()];
        for (page, sign) in y.iter().enumerate() {
            let (columns, values) = rows.row(page);
            add(w, columns, values, f64::from(*sign) * first);
        }
        let mut order: Vec<u32> = (0..y.len() as u32).collect();
        let mut inner_epsilon = 1e-2;
        let innermost = 1e-8f64.min(self.epsilon);
        for _ in 0..self.passes {
            draw.shuffle(&mut order);
            let mut newton_steps = 0;
            let mut largest: f64 = 0.0;
            for &page in &order {
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
            if newton_steps <= y.len() / 10 {
                inner_epsilon = innermost.max(0.1 * inner_epsilon);
            }
        }
    }
}

#[inline]
fn dot(w: &[f64], columns: &[u32], values: &[f32]) -> f64 {
    let sum: f64 =
        columns.iter().zip(values).map(|(&column, &value)| w[column as usize] * f64::from(value)).sum();
    sum + w[w.len() - 1]
}

#[inline]
fn add(w: &mut [f64], columns: &[u32], values: &[f32], by: f64) {
    columns.iter().zip(values).for_each(|(&column, &value)| w[column as usize] += by * f64::from(value));
    let bias = w.len() - 1;
    w[bias] += by;
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
        let mut draw = Draw::new(7);
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
            let (mut w, bias) = dual.binary(&rows, 12, &y, &lengths, 0);
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
