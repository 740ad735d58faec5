//! A stream summed up: the clustering features of BIRCH.
//!
//! **Definition.** A feature is (n, linear sum, sum of squares) of rows of length 1, so the sum of squares is n; its radius, the root of
//! the mean square distance to the mean, is √(1 − |sum|²/n²). A leaf's radius is at most the bound; a row that would make it wider begins
//! a leaf of its own.
//!
//! **Algorithm.** A tree: a node has at most [`BRANCHES`] children, each with the feature of all below it; a row goes down to the child
//! of the greatest cosine, node by node. A node that is too full is parted by its two children farthest from each other. More leaves
//! than are allowed, or more entries of their sums, widen the bound (its square by a fourth of its distance to 1) and the leaves are put
//! into a tree anew. In the end leaves are rows with weights: k-means goes on with them.
//!
//! **Cost.** About BRANCHES · depth products a row; memory by the entries of sums, bounded.
//!
//! **Determinism.** A function of the rows in their order; ties go to the earlier child.
//!
//! **Reference.** T. Zhang, R. Ramakrishnan, M. Livny, *BIRCH*, SIGMOD 1996, doi:10.1145/233269.233324.

use crate::SparseRows;

/// Children of a node.
const BRANCHES: usize = 24;

/// Rows that were summed up.
#[derive(Debug, Clone, Default)]
struct Feature {
    n: f64,
    /// Sum of the rows, columns ascending.
    columns: Vec<u32>,
    sums: Vec<f64>,
    /// Square of the sum's length.
    square: f64,
}

impl Feature {
    fn dot(&self, columns: &[u32], values: &[f64]) -> f64 {
        let (mut at, mut sum) = (0, 0.0);
        for (column, value) in columns.iter().zip(values) {
            at += gallop(&self.columns[at..], *column);
            if self.columns.get(at) == Some(column) {
                sum += value * self.sums[at];
            }
        }
        sum
    }

    /// Adds another; both are summed column by column.
    fn add(&mut self, other: &Feature) {
        self.square += 2.0 * self.dot(&other.columns, &other.sums) + other.square;
        self.n += other.n;
        let (mut at, mut missing) = (0, 0);
        for (column, value) in other.columns.iter().zip(&other.sums) {
            at += gallop(&self.columns[at..], *column);
            if self.columns.get(at) == Some(column) {
                self.sums[at] += value;
            } else {
                missing += 1;
            }
        }
        if missing > 0 {
            self.insert_missing(other, missing);
        }
    }

    /// Puts in the columns of another that are not here, from the end on.
    fn insert_missing(&mut self, other: &Feature, missing: usize) {
        let mut from = self.columns.len();
        let mut to = from + missing;
        self.columns.resize(to, 0);
        self.sums.resize(to, 0.0);
        for (column, value) in other.columns.iter().zip(&other.sums).rev() {
            while from > 0 && self.columns[from - 1] > *column {
                from -= 1;
                to -= 1;
                self.columns[to] = self.columns[from];
                self.sums[to] = self.sums[from];
            }
            if from > 0 && self.columns[from - 1] == *column {
                continue;
            }
            to -= 1;
            self.columns[to] = *column;
            self.sums[to] = *value;
            if to == from {
                break;
            }
        }
    }

    /// 1 − |sum|²/n² of both together.
    fn square_radius_with(&self, other: &Feature) -> f64 {
        let square = self.square + 2.0 * self.dot(&other.columns, &other.sums) + other.square;
        1.0 - square / (self.n + other.n).powi(2)
    }

    fn cosine(&self, other: &Feature) -> f64 {
        let length = (self.square * other.square).sqrt();
        if length > 0.0 { self.dot(&other.columns, &other.sums) / length } else { 0.0 }
    }
}

/// How many of these sorted columns are below one.
fn gallop(columns: &[u32], below: u32) -> usize {
    let mut step = 1;
    while step < columns.len() && columns[step] < below {
        step *= 2;
    }
    let from = step / 2;
    let to = (step + 1).min(columns.len());
    from.min(columns.len()) + columns[from.min(columns.len())..to].partition_point(|column| *column < below)
}

#[derive(Debug)]
struct Node {
    feature: Feature,
    /// Numbers of nodes; none in a leaf.
    children: Vec<usize>,
}

/// Leaves as rows of length 1, and how many rows each stands for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Leaves {
    /// Directions of the leaves.
    pub rows: SparseRows,
    /// Rows of each.
    pub weights: Vec<f64>,
}

/// A tree of clustering features that rows are put into.
#[derive(Debug)]
pub struct ClusterFeatures {
    /// Nodes; the root is `root`.
    nodes: Vec<Node>,
    root: usize,
    leaves: usize,
    entries: usize,
    square_radius: f64,
    most_leaves: usize,
    most_entries: usize,
    widened: u32,
}

impl ClusterFeatures {
    /// A tree whose leaves have at most this radius to begin with (0 to 1), with at most `most_leaves` leaves, and `most_entries` entries of their sums.
    pub fn new(radius: f64, most_leaves: usize, most_entries: usize) -> Self {
        ClusterFeatures {
            nodes: vec![Node { feature: Feature::default(), children: Vec::new() }],
            root: 0,
            leaves: 0,
            entries: 0,
            square_radius: radius * radius,
            most_leaves: most_leaves.max(1),
            most_entries,
            widened: 0,
        }
    }

    /// Takes a row of length 1; one without entries is nowhere.
    pub fn push(&mut self, columns: &[u32], values: &[f32]) {
        if columns.is_empty() {
            return;
        }
        let sums: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
        let square = sums.iter().map(|value| value * value).sum();
        self.put(Feature { n: 1.0, columns: columns.to_vec(), sums, square });
        while (self.leaves > self.most_leaves || self.entries > self.most_entries) && self.leaves > 1 {
            self.widen();
        }
    }

    /// Leaves so far.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The bound of the radius, as it is now.
    pub fn radius(&self) -> f64 {
        self.square_radius.sqrt()
    }

    /// How often it was widened.
    pub fn widened(&self) -> u32 {
        self.widened
    }

    /// What the leaves are.
    pub fn finish(self) -> Leaves {
        let mut leaves = Leaves::default();
        for feature in self.leaf_features() {
            let length = feature.square.max(f64::MIN_POSITIVE).sqrt();
            let entries = feature.columns.iter().zip(&feature.sums);
            leaves.rows.push(entries.map(|(column, sum)| (*column, (sum / length) as f32)));
            leaves.weights.push(feature.n);
        }
        leaves
    }

    /// Features of leaves in the order of the tree.
    fn leaf_features(self) -> Vec<Feature> {
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let (mut waiting, mut found) = (vec![self.root], Vec::with_capacity(self.leaves));
        while let Some(node) = waiting.pop().and_then(|at| nodes[at].take()) {
            if node.children.is_empty() {
                if node.feature.n > 0.0 {
                    found.push(node.feature);
                }
            } else {
                waiting.extend(node.children.iter().rev());
            }
        }
        found
    }

    fn widen(&mut self) {
        let square_radius = self.square_radius + (1.0 - self.square_radius) / 4.0;
        let mut wider = ClusterFeatures::new(0.0, self.most_leaves, self.most_entries);
        wider.square_radius = if square_radius > 1.0 - 1e-9 { 1.0 } else { square_radius };
        wider.widened = self.widened + 1;
        let narrow = std::mem::replace(self, wider);
        narrow.leaf_features().into_iter().for_each(|feature| self.put(feature));
    }

    fn nearest(&self, children: &[usize], feature: &Feature) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (at, child) in children.iter().enumerate() {
            let cosine = self.nodes[*child].feature.cosine(feature);
            if cosine > best.0 {
                best = (cosine, at);
            }
        }
        best.1
    }

    fn put(&mut self, feature: Feature) {
        // The way down, from the root to the node above the leaves.
        let mut way = Vec::new();
        let mut at = self.root;
        loop {
            way.push(at);
            let children = &self.nodes[at].children;
            let Some(&first) = children.first() else { break };
            if self.nodes[first].children.is_empty() {
                break;
            }
            at = children[self.nearest(children, &feature)];
        }
        let children = &self.nodes[at].children;
        let near = (!children.is_empty()).then(|| children[self.nearest(children, &feature)]);
        let near =
            near.filter(|leaf| self.nodes[*leaf].feature.square_radius_with(&feature) <= self.square_radius);
        way.iter().for_each(|node| self.nodes[*node].feature.add(&feature));
        if let Some(leaf) = near {
            let before = self.nodes[leaf].feature.columns.len();
            self.nodes[leaf].feature.add(&feature);
            self.entries += self.nodes[leaf].feature.columns.len() - before;
            return;
        }
        self.entries += feature.columns.len();
        self.leaves += 1;
        let leaf = self.nodes.len();
        self.nodes.push(Node { feature, children: Vec::new() });
        self.nodes[at].children.push(leaf);
        while let Some(node) = way.pop().filter(|node| self.nodes[*node].children.len() > BRANCHES) {
            let other = self.part(node);
            match way.last() {
                Some(above) => self.nodes[*above].children.push(other),
                None => {
                    let mut feature = self.nodes[node].feature.clone();
                    feature.add(&self.nodes[other].feature);
                    self.root = self.nodes.len();
                    self.nodes.push(Node { feature, children: vec![node, other] });
                }
            }
        }
    }

    /// Parts a node by its two children that are farthest from each other; the number of the second part.
    fn part(&mut self, node: usize) -> usize {
        let children = std::mem::take(&mut self.nodes[node].children);
        let cosine = |a: usize, b: usize| self.nodes[a].feature.cosine(&self.nodes[b].feature);
        let (mut least, mut ends) = (f64::INFINITY, (children[0], children[1]));
        for (at, &one) in children.iter().enumerate() {
            for &other in &children[at + 1..] {
                let cosine = cosine(one, other);
                if cosine < least {
                    (least, ends) = (cosine, (one, other));
                }
            }
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &child in &children {
            let to_left =
                child == ends.0 || (child != ends.1 && cosine(child, ends.0) >= cosine(child, ends.1));
            if to_left { left.push(child) } else { right.push(child) }
        }
        let sum = |children: &[usize]| {
            let mut feature = Feature::default();
            children.iter().for_each(|child| feature.add(&self.nodes[*child].feature));
            feature
        };
        let (one, other) = (sum(&left), sum(&right));
        self.nodes[node] = Node { feature: one, children: left };
        self.nodes.push(Node { feature: other, children: right });
        self.nodes.len() - 1
    }
}

#[cfg(test)]
mod tests;
