//! A learnt model: a sum of small decision trees.
//!
//! Each tree asks at most some ten questions `value[feature] ≤ threshold` and ends at a number; the sum over the trees
//! is a log-odds (or, for page types, one score a class).
//!
//! Algorithm: no tree is walked. The questions of all trees are in order of feature and threshold, so those that a value answers
//! with no are the first ones of its feature; each of them rules out the leaves to its left, one bit a leaf, and the
//! first leaf that is left is where the tree ends (Lucchese et al.). Rows come together: what the least value of a
//! feature among them answers with no is ruled out once for all, and features of one value, as those of the page, are
//! not looked at again.
//!
//! Cost: O(rows × (features + questions answered with no + trees)); 16 bytes a question.
//!
//! Models are text files made by the training script: `#` starts a comment (provenance is there), `features:` the line that
//! names the features in the order of their numbers, and every other line is one tree in preorder, `feature:threshold` an
//! inner node and `=value` a leaf. [`Model::named`] finds the features by these [names](super::features).
//!
//! References: J. H. Friedman, *Greedy function approximation: a gradient boosting machine*, Annals of Statistics 29
//! (2001), doi:10.1214/aos/1013203451; C. Lucchese et al., *QuickScorer: a fast algorithm to rank documents with
//! additive ensembles of regression trees*, SIGIR 2015, doi:10.1145/2766462.2767733.

use std::collections::HashMap;

/// What the line begins with that names the features.
const FEATURES: &str = "features:";

/// Leaves of a tree, one bit each, the leftmost the lowest.
type Leaves = u32;

/// Rows whose common decisions are computed once.
const TOGETHER: usize = 64;

/// Rows that are asked the same question at once.
const ABREAST: usize = 8;

/// A question that a value greater than the threshold answers with no.
#[derive(Copy, Clone, Debug)]
struct Question {
    threshold: f32,
    tree: u32,
    /// Bits of the leaves that a no does not rule out.
    keep: Leaves,
}

/// An ensemble of trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// By feature, then threshold.
    questions: Vec<Question>,
    /// Their thresholds, one behind the other.
    thresholds: Vec<f32>,
    /// Ends of the features' questions.
    ends: Vec<u32>,
    /// Values of the leaves of all trees, from left to right.
    leaves: Vec<f32>,
    /// First leaf of each tree.
    first: Vec<u32>,
}

impl Model {
    /// Reads a model for rows whose features have these names, in order.
    ///
    /// # Errors
    /// Why it cannot be used: it is no model, names no features, or asks for one that rows do not have.
    pub(crate) fn named(text: &str, names: &[String]) -> Result<Model, String> {
        let own = text.lines().find_map(|line| line.strip_prefix(FEATURES)).ok_or("it names no features")?;
        let own: Vec<&str> = own.split_ascii_whitespace().collect();
        let places: HashMap<&str, usize> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let mut missing = None;
        let model = Model::parse(text, |feature| {
            let name = own.get(usize::from(feature))?;
            let place = places.get(name).copied();
            missing = missing.or((place.is_none()).then_some(*name));
            place
        });
        match (model, missing) {
            (Some(model), _) => Ok(model),
            (None, Some(name)) => Err(format!("it asks for feature {name}, which there is not")),
            (None, None) => Err("it is no model".to_owned()),
        }
    }

    /// Reads a model whose features stand in rows where `place` says; `None` if the text is not one.
    fn parse(text: &str, mut place: impl FnMut(u16) -> Option<usize>) -> Option<Model> {
        let mut model = Model::default();
        let mut questions: Vec<(usize, Question)> = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with(['#', 'f']) && !l.is_empty()) {
            let tree = u32::try_from(model.first.len()).ok()?;
            let first = model.leaves.len();
            model.first.push(u32::try_from(first).ok()?);
            // Inner nodes whose left subtree is being read, with the number of leaves before it.
            let mut open: Vec<(usize, f32, usize)> = Vec::new();
            let mut done = false;
            for token in line.split_ascii_whitespace() {
                if done {
                    return None;
                }
                let before = model.leaves.len() - first;
                if let Some(value) = token.strip_prefix('=') {
                    model.leaves.push(value.parse().ok()?);
                    match open.pop() {
                        // A right subtree follows.
                        Some(_) if before + 1 == Leaves::BITS as usize => return None,
                        Some((feature, threshold, left)) => {
                            let keep = !(((1 as Leaves) << (before + 1)) - ((1 as Leaves) << left));
                            questions.push((feature, Question { threshold, tree, keep }));
                        }
                        None => done = true,
                    }
                } else {
                    let (feature, threshold) = token.split_once(':')?;
                    open.push((place(feature.parse().ok()?)?, threshold.parse().ok()?, before));
                }
            }
            if !done {
                return None;
            }
        }
        questions.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.threshold.total_cmp(&b.1.threshold)));
        let width = questions.last().map_or(0, |q| q.0 + 1);
        model.ends = vec![0; width];
        for (feature, _) in &questions {
            model.ends[*feature] += 1;
        }
        let mut end = 0;
        for count in &mut model.ends {
            end += *count;
            *count = end;
        }
        model.questions = questions.into_iter().map(|q| q.1).collect();
        model.thresholds = model.questions.iter().map(|question| question.threshold).collect();
        Some(model)
    }

    /// Number of features a row must have.
    pub(crate) fn width(&self) -> usize {
        self.ends.len()
    }

    /// Number of trees.
    pub(crate) fn trees(&self) -> usize {
        self.first.len()
    }

    /// The questions of each feature.
    fn features(&self) -> impl Iterator<Item = (usize, usize)> {
        self.ends.iter().scan(0, |start, &end| Some((std::mem::replace(start, end as usize), end as usize)))
    }

    /// Where the trees end, by the leaves that are left of them.
    fn values(&self, left: &[Leaves]) -> impl Iterator<Item = f32> {
        left.iter()
            .zip(&self.first)
            .map(|(left, &first)| self.leaves[(first + left.trailing_zeros()) as usize])
    }

    /// Sums of the trees `k, k + N, …`, for each k below N, for a row of at least [`Model::width`] values.
    pub(crate) fn score<const N: usize>(&self, row: &[f32]) -> [f32; N] {
        let mut left = vec![Leaves::MAX; self.first.len()];
        for ((start, end), &value) in self.features().zip(row) {
            for question in &self.questions[start..end] {
                if value <= question.threshold {
                    break;
                }
                left[question.tree as usize] &= question.keep;
            }
        }
        let mut sums = [0.0; N];
        for (tree, value) in self.values(&left).enumerate() {
            sums[tree % N] += value;
        }
        sums
    }

    /// The sum of all trees for each row of `width` values, appended to `out`; 0 for rows that lack features.
    pub(crate) fn scores(&self, rows: &[f32], width: usize, out: &mut Vec<f32>) {
        if width < self.width() {
            let count = rows.len().checked_div(width).unwrap_or(0);
            out.resize(out.len() + count, 0.0);
            return;
        }
        if width > 0 {
            rows.chunks(width * TOGETHER).for_each(|rows| self.sum_together(rows, width, out));
        }
    }

    fn sum_together(&self, rows: &[f32], width: usize, out: &mut Vec<f32>) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { sum_together_avx2(self, rows, width, out) };
        }
        self.sum_rows(rows, width, out);
    }

    /// Compiled for what the processor has; sums are the same.
    #[inline(always)]
    fn sum_rows(&self, rows: &[f32], width: usize, out: &mut Vec<f32>) {
        let used = self.width();
        let (mut least, mut greatest) = (rows[..used].to_vec(), rows[..used].to_vec());
        for row in rows.chunks_exact(width) {
            for ((least, greatest), &value) in least.iter_mut().zip(&mut greatest).zip(row) {
                *least = if value < *least { value } else { *least };
                *greatest = if value > *greatest { value } else { *greatest };
            }
        }
        let mut common = vec![Leaves::MAX; self.first.len()];
        // Features whose values are answered differently, with the questions that some are answered with no.
        let mut open: Vec<(usize, &[Question])> = Vec::new();
        for (feature, (start, end)) in self.features().enumerate() {
            let questions = &self.questions[start..end];
            // In order, so that those below a value are the first ones.
            let (mut certain, mut possible) = (0, 0);
            for threshold in &self.thresholds[start..end] {
                certain += u32::from(*threshold < least[feature]);
                possible += u32::from(*threshold < greatest[feature]);
            }
            let (certain, possible) = (certain as usize, possible as usize);
            for question in &questions[..certain] {
                common[question.tree as usize] &= question.keep;
            }
            if certain < possible {
                open.push((feature, &questions[certain..possible]));
            }
        }
        let mut left = vec![[0; ABREAST]; common.len()];
        for rows in rows.chunks(width * ABREAST) {
            let count = rows.len() / width;
            left.iter_mut().zip(&common).for_each(|(left, common)| *left = [*common; ABREAST]);
            for (feature, questions) in &open {
                let values: [f32; ABREAST] =
                    std::array::from_fn(|r| rows[r.min(count - 1) * width + feature]);
                let greatest =
                    values.iter().fold(f32::MIN, |most, &value| if value > most { value } else { most });
                for &Question { threshold, tree, keep } in *questions {
                    if threshold >= greatest {
                        break;
                    }
                    let left = &mut left[tree as usize];
                    for (left, value) in left.iter_mut().zip(values) {
                        // All bits for a yes, none for a no.
                        let yes = Leaves::from(value > threshold).wrapping_sub(1);
                        *left &= keep | yes;
                    }
                }
            }
            let mut sums = [0.0; ABREAST];
            for (left, &first) in left.iter().zip(&self.first) {
                for (sum, left) in sums.iter_mut().zip(left) {
                    *sum += self.leaves[(first + left.trailing_zeros()) as usize];
                }
            }
            out.extend(&sums[..count]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1")]
fn sum_together_avx2(model: &Model, rows: &[f32], width: usize, out: &mut Vec<f32>) {
    model.sum_rows(rows, width, out);
}

#[cfg(test)]
impl Model {
    /// Reads a model whose features stand where their numbers say.
    pub(crate) fn plain(text: &str) -> Option<Model> {
        Model::parse(text, |feature| Some(feature.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_found_by_their_names() {
        let names = ["near:Nav", "depth", "units"].map(str::to_owned);
        let model =
            Model::named("# test\nfeatures: units gone depth\n0:0.5 =1 2:2 =10 =100\n", &names).unwrap();
        assert_eq!(model.score(&[9.0, 3.0, 0.6]), [100.0]);
        for (text, want) in [
            ("0:0.5 =1 =2", "names no features"),
            ("features: units gone\n1:0.5 =1 =2", "feature gone"),
            ("features: units\n1:0.5 =1 =2", "no model"),
        ] {
            let said = Model::named(text, &names).unwrap_err();
            assert!(said.contains(want), "{said}");
        }
    }

    #[test]
    fn rows_together_and_alone() {
        let model =
            Model::plain("0:0.5 =1 1:2 =-2 2:7 =0.5 =-0.5\n1:3 0:1 =0.25 =-0.25 =4\n=0.125\n").unwrap();
        for count in [0, 1, 7, 8, 9, 29, 64, 131] {
            let rows: Vec<f32> = (0..count * 4).map(|i| (i * 7 % 11) as f32 / 1.5).collect();
            let mut found = vec![9.0];
            model.scores(&rows, 4, &mut found);
            let alone = rows.chunks(4).map(|row| model.score::<1>(row)[0]);
            assert_eq!(found, [9.0].into_iter().chain(alone).collect::<Vec<f32>>());
            let mut plain = vec![9.0];
            rows.chunks(4 * TOGETHER).for_each(|rows| model.sum_rows(rows, 4, &mut plain));
            assert_eq!(found, plain);
        }
        let mut found = Vec::new();
        model.scores(&[1.0, 1.0, 1.0, 1.0], 2, &mut found);
        assert_eq!(found, [0.0, 0.0]);
    }

    #[test]
    fn trees_in_preorder() {
        let model = Model::plain("# test\n0:0.5 =1 1:2 =10 =100\n=0.25\n").unwrap();
        assert_eq!(model.width(), 2);
        for (row, want) in [([0.5, 9.0], 1.25), ([0.6, 2.0], 10.25), ([0.6, 2.1], 100.25)] {
            assert_eq!(model.score(&row), [want]);
        }
        assert_eq!(model.score(&[0.0, 0.0]), [1.0, 0.25]);
        for bad in ["0:1 =1", "=1 =2", "x", "0:1 =1 =2 =3", "0:z =1 =2"] {
            assert!(Model::plain(bad).is_none(), "{bad}");
        }
        // As many leaves as there are bits, and one more.
        for (inner, good) in [(31, true), (32, false)] {
            let tree: String = (0..inner).map(|i| format!("0:{i} =-{i} ")).collect();
            let model = Model::plain(&format!("{tree} =99"));
            assert_eq!(model.is_some(), good);
            for value in model.iter().flat_map(|_| 0..inner) {
                assert_eq!(model.as_ref().unwrap().score(&[value as f32]), [-(value as f32)]);
            }
        }
    }
}
