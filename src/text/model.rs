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

    /// Probability by the logistic function of the sum of all trees.
    pub(crate) fn probability(&self, row: &[f32]) -> f32 {
        1.0 / (1.0 + (-self.score(row, 0, 1)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
