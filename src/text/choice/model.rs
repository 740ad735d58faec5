//! A learnt model: a sum of small decision trees.
//!
//! Each tree asks at most some ten questions `value[feature] ≤ threshold` and ends at a number; the sum over the trees
//! is a log-odds (or, for page types, one score a class). Trees are stored in preorder, 8 bytes a node: the left child
//! follows its parent, the right one is named. Cost: O(trees × depth) a row, no allocation.
//!
//! Models are text files made by the training script: `#` starts a comment (provenance stands there), a line is one
//! tree in preorder, `feature:threshold` an inner node and `=value` a leaf.
//!
//! Reference: J. H. Friedman, *Greedy function approximation: a gradient boosting machine*, Annals of Statistics 29
//! (2001), doi:10.1214/aos/1013203451.

#[derive(Copy, Clone, Debug)]
struct Node {
    /// Threshold, or the value of a leaf.
    value: f32,
    feature: u16,
    /// Index of the right child, 0 for leaves.
    right: u16,
}

/// Rows that go down a tree together.
const TOGETHER: usize = 8;

/// An ensemble of trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    trees: Vec<Box<[Node]>>,
    width: usize,
}

impl Model {
    /// Reads a model; `None` if the text is not one.
    pub(crate) fn parse(text: &str) -> Option<Model> {
        let mut model = Model::default();
        for line in text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
            let mut nodes: Vec<Node> = Vec::new();
            // Inner nodes whose left subtree is being read.
            let mut open: Vec<usize> = Vec::new();
            let mut done = false;
            for token in line.split_ascii_whitespace() {
                if done {
                    return None;
                }
                if let Some(value) = token.strip_prefix('=') {
                    nodes.push(Node { value: value.parse().ok()?, feature: 0, right: 0 });
                    match open.pop() {
                        Some(parent) => nodes[parent].right = u16::try_from(nodes.len()).ok()?,
                        None => done = true,
                    }
                } else {
                    let (feature, threshold) = token.split_once(':')?;
                    let feature: u16 = feature.parse().ok()?;
                    model.width = model.width.max(usize::from(feature) + 1);
                    open.push(nodes.len());
                    nodes.push(Node { value: threshold.parse().ok()?, feature, right: 0 });
                }
            }
            if !done {
                return None;
            }
            model.trees.push(nodes.into_boxed_slice());
        }
        Some(model)
    }

    /// Number of features a row must have.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Sum of the trees `first, first + step, …` for a row of at least [`Model::width`] values.
    pub(crate) fn score(&self, row: &[f32], first: usize, step: usize) -> f32 {
        let mut sum = 0.0;
        for tree in self.trees.iter().skip(first).step_by(step) {
            let mut at = 0;
            loop {
                let node = tree[at];
                if node.right == 0 {
                    sum += node.value;
                    break;
                }
                at = if row[usize::from(node.feature)] <= node.value {
                    at + 1
                } else {
                    usize::from(node.right)
                };
            }
        }
        sum
    }

    /// The sum of all trees for each row of `width` values, put after what is in `out`; 0 for rows that lack features.
    ///
    /// Some rows go down a tree together: a processor that waits for one goes on with the next.
    pub(crate) fn scores(&self, rows: &[f32], width: usize, out: &mut Vec<f32>) {
        let start = out.len();
        let count = rows.len().checked_div(width).unwrap_or(0);
        out.resize(start + count, 0.0);
        if width < self.width {
            return;
        }
        for (rows, sums) in rows.chunks(width * TOGETHER).zip(out[start..].chunks_mut(TOGETHER)) {
            if sums.len() == TOGETHER {
                self.sum_together(rows, width, sums);
            } else {
                for (row, sum) in rows.chunks_exact(width).zip(sums) {
                    *sum = self.score(row, 0, 1);
                }
            }
        }
    }

    fn sum_together(&self, rows: &[f32], width: usize, sums: &mut [f32]) {
        let rows: [&[f32]; TOGETHER] = std::array::from_fn(|r| &rows[r * width..(r + 1) * width]);
        let mut total = [0.0; TOGETHER];
        for tree in &self.trees {
            let mut at = [0usize; TOGETHER];
            loop {
                let mut open = 0;
                for (at, row) in at.iter_mut().zip(rows) {
                    let node = tree[*at];
                    let right = usize::from(node.right);
                    // A leaf has no right child, and is stayed at.
                    let step = usize::from(right != 0);
                    let below = if row[usize::from(node.feature)] <= node.value { *at + 1 } else { right };
                    *at = if step == 1 { below } else { *at };
                    open |= step;
                }
                if open == 0 {
                    break;
                }
            }
            for (total, at) in total.iter_mut().zip(at) {
                *total += tree[at].value;
            }
        }
        sums.copy_from_slice(&total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_together_and_alone() {
        let model =
            Model::parse("0:0.5 =1 1:2 =-2 2:7 =0.5 =-0.5\n1:3 0:1 =0.25 =-0.25 =4\n=0.125\n").unwrap();
        for count in [0, 1, 7, 8, 9, 29] {
            let rows: Vec<f32> = (0..count * 4).map(|i| (i * 7 % 11) as f32 / 1.5).collect();
            let mut found = vec![9.0];
            model.scores(&rows, 4, &mut found);
            let alone = rows.chunks(4).map(|row| model.score(row, 0, 1));
            assert_eq!(found, [9.0].into_iter().chain(alone).collect::<Vec<f32>>());
        }
        let mut found = Vec::new();
        model.scores(&[1.0, 1.0, 1.0, 1.0], 2, &mut found);
        assert_eq!(found, [0.0, 0.0]);
    }

    #[test]
    fn trees_in_preorder() {
        let model = Model::parse("# test\n0:0.5 =1 1:2 =10 =100\n=0.25\n").unwrap();
        assert_eq!(model.width(), 2);
        for (row, want) in [([0.5, 9.0], 1.25), ([0.6, 2.0], 10.25), ([0.6, 2.1], 100.25)] {
            assert_eq!(model.score(&row, 0, 1), want);
        }
        assert_eq!(model.score(&[0.0, 0.0], 1, 2), 0.25);
        for bad in ["0:1 =1", "=1 =2", "x", "0:1 =1 =2 =3", "0:z =1 =2"] {
            assert!(Model::parse(bad).is_none(), "{bad}");
        }
    }
}
