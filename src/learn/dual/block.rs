//! The descent of up to sixteen classes side by side.
//!
//! The classes' weights of a word lie together, so that one walk along a page serves all of them: what a step costs is looking words up
//! in memory, not arithmetic. Each class has dual variables, shrinking and an end of its own, and all go over the pages in the same orders;
//! so the weights of a class do not depend on which others it shares a block with.
//! Weights are kept in single precision ([`WeightType`]) unless the descent is to come nearer to its end than these tell apart.

use std::ops::Range;

use super::{DualSolver, Loss};
use crate::labels::Labels;
use crate::random::Draws;
use crate::rows::SparseRows;

/// What all classes have in common.
#[derive(Clone, Copy)]
pub(super) struct Pages<'a> {
    pub rows: &'a SparseRows,
    pub places: &'a Places,
    pub width: usize,
    pub labels: &'a Labels,
    /// Squared lengths of the rows, with the constant.
    pub lengths: &'a [f64],
}

/// Where the weights of words stand: those of words on many pages first, so that these few share pages of memory.
pub(super) struct Places {
    /// Of each word.
    of: Vec<u32>,
    /// Of the words of all rows, as these stand.
    columns: Vec<u32>,
}

impl Places {
    pub fn new(rows: &SparseRows, width: usize) -> Self {
        let mut counts = vec![0u32; width];
        rows.columns().iter().for_each(|&column| counts[column as usize] += 1);
        let mut order: Vec<u32> = (0..width as u32).collect();
        order.sort_by_key(|&word| std::cmp::Reverse(counts[word as usize]));
        let mut of = vec![0; width];
        order.iter().zip(0..).for_each(|(&word, place)| of[word as usize] = place);
        let columns = rows.columns().iter().map(|&column| of[column as usize]).collect();
        Places { of, columns }
    }
}

/// What weights are kept in.
pub(super) trait WeightType:
    Copy + Default + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self>
{
    fn of(value: f64) -> Self;
    fn of_entry(value: f32) -> Self;
    fn get(self) -> f64;
}

impl WeightType for f32 {
    #[inline]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline]
    fn of_entry(value: f32) -> Self {
        value
    }

    #[inline]
    fn get(self) -> f64 {
        f64::from(self)
    }
}

impl WeightType for f64 {
    #[inline]
    fn of(value: f64) -> Self {
        value
    }

    #[inline]
    fn of_entry(value: f32) -> Self {
        f64::from(value)
    }

    #[inline]
    fn get(self) -> f64 {
        self
    }
}

/// What was found of a class.
pub(super) struct SolvedClass {
    pub w: Vec<f64>,
    pub bias: f64,
    /// Scores of held pages.
    pub held: Vec<f64>,
}

/// Solves for the classes of a range, at most `N`.
pub(super) fn solve<F: WeightType, const N: usize>(
    dual: &DualSolver,
    pages: Pages<'_>,
    classes: Range<usize>,
    held: &[usize],
) -> Vec<SolvedClass> {
    let count = pages.labels.len();
    let draws = |salt: u64| Draws::plain(dual.seed.wrapping_mul(0x9E37_79B9).wrapping_add(salt));
    let mut block = Block::<F, N>::new(dual, pages, classes.clone());
    block.descend(&mut (0..count as u32).collect::<Vec<_>>(), &mut draws(0));
    let class = |at: usize| SolvedClass {
        w: pages.places.of.iter().map(|&place| block.w[place as usize][at].get()).collect(),
        bias: block.w[pages.width][at].get(),
        held: Vec::new(),
    };
    let mut solved: Vec<SolvedClass> = (0..classes.len()).map(class).collect();
    if !held.is_empty() {
        let mut is_held = vec![false; count];
        for &page in held {
            is_held[page] = true;
            let back = std::array::from_fn(|at| -block.sign(page, at) * block.alpha[page][at]);
            block.add(page, &back);
        }
        let mut others: Vec<u32> = (0..count as u32).filter(|page| !is_held[*page as usize]).collect();
        // Orders of their own: how many were drawn before depends on the slowest class of the block.
        block.descend(&mut others, &mut draws(1));
        for &page in held {
            let scores = block.dots(page);
            solved.iter_mut().zip(scores).for_each(|(solved, score)| solved.held.push(score));
        }
    }
    solved
}

struct Block<'a, F, const N: usize> {
    dual: &'a DualSolver,
    pages: Pages<'a>,
    /// Classes that there are, a bit each.
    classes: u16,
    /// The classes that each page is of, a bit each.
    of: Vec<u16>,
    /// Weights of each word, by its place, and of the constant at the end.
    w: Vec<[F; N]>,
    /// Dual variables α of each page.
    alpha: Vec<[f64; N]>,
    /// C − α, of logistic regression: where α is next to C their difference would be lost.
    rest: Vec<[f64; N]>,
}

/// The bits that are set, as numbers.
fn bits(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            bit
        })
    })
}

impl<'a, F: WeightType, const N: usize> Block<'a, F, N> {
    fn new(dual: &'a DualSolver, pages: Pages<'a>, classes: Range<usize>) -> Self {
        let count = pages.labels.len();
        let of = |page: usize| {
            let of = pages.labels.of(page).iter().map(|class| *class as usize);
            of.filter(|class| classes.contains(class))
                .fold(0u16, |mask, class| mask | 1 << (class - classes.start))
        };
        let of: Vec<u16> = (0..count).map(of).collect();
        let first = match dual.loss {
            Loss::SquaredHinge => 0.0,
            Loss::Logistic => (0.001 * dual.c).min(1e-8),
        };
        let rest = match dual.loss {
            Loss::SquaredHinge => Vec::new(),
            Loss::Logistic => vec![[dual.c - first; N]; count],
        };
        let mut block = Block {
            dual,
            pages,
            classes: ((1u32 << classes.len()) - 1) as u16,
            of,
            w: vec![[F::default(); N]; pages.width + 1],
            alpha: vec![[first; N]; count],
            rest,
        };
        if first > 0.0 {
            for page in 0..count {
                let by = std::array::from_fn(|at| block.sign(page, at) * first);
                block.add(page, &by);
            }
        }
        block
    }

    /// 1 for a page of the class, else −1.
    #[inline]
    fn sign(&self, page: usize, at: usize) -> f64 {
        if self.of[page] >> at & 1 == 1 { 1.0 } else { -1.0 }
    }

    /// Places and values of a page's words.
    #[inline]
    fn row(&self, page: usize) -> (&'a [u32], &'a [f32]) {
        let range = self.pages.rows.range(page);
        (&self.pages.places.columns[range], self.pages.rows.row(page).1)
    }

    /// w·x of a page for each class, and the bias.
    #[inline]
    fn dots(&self, page: usize) -> [f64; N] {
        let (columns, values) = self.row(page);
        let mut sums = [F::default(); N];
        for (&column, &value) in columns.iter().zip(values) {
            let value = F::of_entry(value);
            let w = &self.w[column as usize];
            for at in 0..N {
                sums[at] = sums[at] + w[at] * value;
            }
        }
        let bias = &self.w[self.pages.width];
        std::array::from_fn(|at| sums[at].get() + bias[at].get())
    }

    /// Moves w along a page.
    #[inline]
    fn add(&mut self, page: usize, by: &[f64; N]) {
        let (columns, values) = self.row(page);
        let by: [F; N] = std::array::from_fn(|at| F::of(by[at]));
        for (&column, &value) in columns.iter().zip(values) {
            let value = F::of_entry(value);
            let w = &mut self.w[column as usize];
            for at in 0..N {
                w[at] = w[at] + by[at] * value;
            }
        }
        let bias = &mut self.w[self.pages.width];
        for at in 0..N {
            bias[at] = bias[at] + by[at];
        }
    }

    /// Passes over the pages of `order` until nothing moves.
    fn descend(&mut self, order: &mut [u32], draw: &mut Draws) {
        match self.dual.loss {
            Loss::SquaredHinge => self.hinge(order, draw),
            Loss::Logistic => self.logistic(order, draw),
        }
    }

    fn hinge(&mut self, order: &mut [u32], draw: &mut Draws) {
        let diagonal = 0.5 / self.dual.c;
        // Classes for which a page is passed over, a bit each; and for how many pages a class is not.
        let mut shrunk = vec![0u16; self.of.len()];
        let mut active = [order.len(); N];
        let mut largest_before = [f64::INFINITY; N];
        let mut running = self.classes;
        for _ in 0..self.dual.passes {
            let (mut largest, mut smallest) = ([f64::NEG_INFINITY; N], [f64::INFINITY; N]);
            draw.shuffle(order);
            for &page in &*order {
                let page = page as usize;
                let wanted = running & !shrunk[page];
                if wanted == 0 {
                    continue;
                }
                let dots = self.dots(page);
                let mut by = [0.0; N];
                let mut moves = false;
                for at in bits(wanted) {
                    let sign = self.sign(page, at);
                    let alpha = self.alpha[page][at];
                    let gradient = sign * dots[at] - 1.0 + alpha * diagonal;
                    let mut projected = gradient;
                    if alpha == 0.0 {
                        if gradient > largest_before[at] {
                            shrunk[page] |= 1 << at;
                            active[at] -= 1;
                            continue;
                        }
                        projected = gradient.min(0.0);
                    }
                    largest[at] = largest[at].max(projected);
                    smallest[at] = smallest[at].min(projected);
                    if projected.abs() > 1e-12 {
                        let next = (alpha - gradient / (self.pages.lengths[page] + diagonal)).max(0.0);
                        self.alpha[page][at] = next;
                        by[at] = (next - alpha) * sign;
                        moves = true;
                    }
                }
                if moves {
                    self.add(page, &by);
                }
            }
            for at in bits(running) {
                if largest[at] - smallest[at] > self.dual.epsilon {
                    largest_before[at] = if largest[at] <= 0.0 { f64::INFINITY } else { largest[at] };
                } else if active[at] == order.len() {
                    running &= !(1 << at);
                } else {
                    // What was passed over is looked at once more before it ends.
                    active[at] = order.len();
                    largest_before[at] = f64::INFINITY;
                    shrunk.iter_mut().for_each(|shrunk| *shrunk &= !(1 << at));
                }
            }
            if running == 0 {
                break;
            }
        }
    }

    fn logistic(&mut self, order: &mut [u32], draw: &mut Draws) {
        let (c, epsilon) = (self.dual.c, self.dual.epsilon);
        let mut inner_epsilon = [1e-2; N];
        let innermost = 1e-8f64.min(epsilon);
        let mut running = self.classes;
        for _ in 0..self.dual.passes {
            draw.shuffle(order);
            let mut newton_steps = [0; N];
            let mut largest = [0.0f64; N];
            for &page in &*order {
                let page = page as usize;
                let dots = self.dots(page);
                let mut by = [0.0; N];
                for at in bits(running) {
                    let sign = self.sign(page, at);
                    let (a, b) = (self.pages.lengths[page], sign * dots[at]);
                    // The smaller of α and C − α is the unknown.
                    let (mine, other) = (self.alpha[page][at], self.rest[page][at]);
                    let flip = 0.5 * a * (other - mine) + b < 0.0;
                    let (start, direction) = if flip { (other, -1.0) } else { (mine, 1.0) };
                    let mut z = if c - start < 0.5 * c { 0.1 * start } else { start };
                    let slope = |z: f64| a * (z - start) + direction * b + (z / (c - z)).ln();
                    let mut gradient = slope(z);
                    largest[at] = largest[at].max(gradient.abs());
                    for step in 0..100 {
                        if gradient.abs() < inner_epsilon[at] {
                            break;
                        }
                        newton_steps[at] += usize::from(step > 0);
                        let next = z - gradient / (a + c / (c - z) / z);
                        z = if next <= 0.0 { z * 0.1 } else { next.min(c * (1.0 - 1e-15)) };
                        gradient = slope(z);
                    }
                    (self.alpha[page][at], self.rest[page][at]) = if flip { (c - z, z) } else { (z, c - z) };
                    by[at] = sign * direction * (z - start);
                }
                self.add(page, &by);
            }
            for at in bits(running) {
                if largest[at] < epsilon {
                    running &= !(1 << at);
                } else if newton_steps[at] <= order.len() / 10 {
                    inner_epsilon[at] = innermost.max(0.1 * inner_epsilon[at]);
                }
            }
            if running == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_do_not_depend_on_their_neighbours() {
        let mut draw = Draws::new(11);
        let (mut rows, mut labels) = (SparseRows::new(), Labels::default());
        for page in 0..300usize {
            let words: std::collections::BTreeMap<u32, f32> = (0..12)
                .map(|_| ((draw.below(9) * 7 + page % 7) as u32, 0.1 + draw.below(10) as f32 / 10.0))
                .collect();
            rows.push(words);
            labels.push([(page % 7) as u32]);
        }
        let lengths: Vec<f64> = rows
            .rows()
            .map(|(_, values)| values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() + 1.0)
            .collect();
        let places = Places::new(&rows, rows.width());
        let pages =
            Pages { rows: &rows, places: &places, width: rows.width(), labels: &labels, lengths: &lengths };
        let held: Vec<usize> = (0..300).step_by(10).collect();
        for loss in [Loss::SquaredHinge, Loss::Logistic] {
            let dual = DualSolver::new(loss);
            let together = solve::<f32, 16>(&dual, pages, 0..7, &held);
            for class in 0..7 {
                let alone = solve::<f32, 1>(&dual, pages, class..class + 1, &held);
                let (a, b) = (&together[class], &alone[0]);
                assert_eq!((&a.w, a.bias, &a.held), (&b.w, b.bias, &b.held), "{loss:?} {class}");
                let pair = solve::<f32, 2>(&dual, pages, class.min(5)..class.min(5) + 2, &held);
                assert_eq!(a.w, pair[class - class.min(5)].w);
            }
        }
    }
}
