//! Compressed style tree over the pages of one host.
//!
//! An *element node* stands for one place of the pages' common layout. The pages that have it show below it a sequence of
//! children, known by tag and class; each distinct sequence is a *style* with the number of its pages, and only pages of
//! equal style share the nodes below. Places without children hold text, and what is counted there are its words.
//!
//! With m pages at a node, l styles among them and p_i the share of style i:
//!
//! - importance of an inner node: −Σ p_i log_m p_i, and 1 if m = 1;
//! - importance of a leaf with l features: 1 − (Σ H(a))/l, H(a) = −Σ_j p_j log_m p_j over the pages j, p_j the share of
//!   the feature's occurrences there, and 1 if m = 1;
//! - composite importance: of a leaf its own, else (1 − γ^l)·own + γ^l·Σ p_i·C_i, where C_i is the mean over the
//!   children of style i and γ = 0.9.
//!
//! What looks alike and says the same on all pages has an importance near 0 and is template.
//!
//! Cost: O(containers + words) a page. Memory is bounded by [`MAX_NODES`], [`MAX_STYLES`], [`MAX_FEATURES`] and the limits of a
//! [layout](super::layout); what finds no room is counted as one of a kind, which errs towards keeping text. Pages in equal
//! order give equal trees.
//!
//! Reference: L. Yi, B. Liu, X. Li, *Eliminating noisy information in Web pages for data mining*, KDD 2003,
//! doi:10.1145/956750.956785.

use std::collections::HashMap;

use super::footprint::Footprint;
use super::layout::{Layout, LayoutNode, MAX_FEATURES, key_of};
use super::sample::Sample;

/// Element nodes of one tree.
const MAX_NODES: usize = 50_000;
/// Styles below one node.
const MAX_STYLES: usize = 64;
/// How fast the children's part in the composite importance fades as styles get more.
const GAMMA: f64 = 0.9;

/// −Σ p_i log_m p_i for m pages of which `counts` have one style each; 1 if m ≤ 1.
pub(crate) fn node_importance(counts: impl Iterator<Item = u32>, pages: u32) -> f64 {
    if pages <= 1 {
        return 1.0;
    }
    let m = f64::from(pages);
    let sum: f64 = counts
        .filter(|&n| n > 0)
        .map(|n| {
            let p = f64::from(n) / m;
            p * p.ln()
        })
        .sum();
    (-sum / m.ln()).clamp(0.0, 1.0)
}

/// 1 − (Σ entropies)/l for l features; 1 without any.
pub(crate) fn leaf_importance(entropies: impl Iterator<Item = f64>, features: u64) -> f64 {
    if features == 0 { 1.0 } else { 1.0 - entropies.sum::<f64>() / features as f64 }
}

/// (1 − γ^l)·own + γ^l·`below` for l styles.
pub(crate) fn composite_importance(own: f64, styles: u64, below: f64) -> f64 {
    let fade = GAMMA.powi(i32::try_from(styles).unwrap_or(i32::MAX));
    ((1.0 - fade) * own + fade * below).clamp(0.0, 1.0)
}

/// Occurrences of a word at a leaf: their number C and Σ c_j ln c_j over the pages, from which the entropy follows as
/// (ln C − Σ c_j ln c_j / C) / ln m.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct Feature {
    total: f64,
    logs: f64,
}

impl Feature {
    fn entropy(&self, pages: u32) -> f64 {
        if pages <= 1 {
            return 0.0;
        }
        ((self.total.ln() - self.logs / self.total) / f64::from(pages).ln()).clamp(0.0, 1.0)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Style {
    sequence: u64,
    pages: u32,
    /// Nodes of the children: `first..first + count`.
    first: u32,
    count: u32,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Node {
    parent: u32,
    /// Tag and classes.
    label: String,
    pub(super) pages: u32,
    pub(super) styles: Vec<Style>,
    /// Pages whose style found no room.
    pub(super) single: u32,
    pub(super) features: HashMap<u64, Feature>,
    /// Words that found no room.
    rare: u64,
}

/// The style tree of the pages added to it.
#[derive(Clone, Debug)]
pub struct StyleTree {
    pub(super) nodes: Vec<Node>,
}

impl Default for StyleTree {
    /// A tree of no page.
    fn default() -> Self {
        StyleTree { nodes: vec![Node::default()] }
    }
}

impl StyleTree {
    /// The tree of the pages of a sample, in the order of their keys; those without a layout are left out.
    pub fn of_sample(sample: &Sample) -> StyleTree {
        StyleTree::of_layouts(sample.pages.values().filter_map(Footprint::layout))
    }

    pub(super) fn of_layouts<'l>(layouts: impl IntoIterator<Item = &'l Layout>) -> StyleTree {
        let mut tree = StyleTree::default();
        layouts.into_iter().for_each(|layout| tree.add_layout(layout));
        tree
    }

    pub(super) fn add_layout(&mut self, layout: &Layout) {
        // The node of each element, as far as it has one.
        let mut found: Vec<Option<u32>> = vec![None; layout.len()];
        if let Some(root) = found.first_mut() {
            *root = Some(0);
            if self.nodes[0].label.is_empty() {
                self.nodes[0].label = layout.label(0).to_owned();
            }
        }
        for (i, (element, below)) in layout.nodes().enumerate() {
            let Some(at) = found[i] else { continue };
            self.nodes[at as usize].pages += 1;
            if element.sequence == 0 {
                self.count(at, element);
                continue;
            }
            let style = self.nodes[at as usize].styles.iter().position(|s| s.sequence == element.sequence);
            let first = match style {
                Some(style) if self.nodes[at as usize].styles[style].count as usize == below.len() => {
                    let style = &mut self.nodes[at as usize].styles[style];
                    style.pages += 1;
                    style.first
                }
                None if !below.is_empty()
                    && self.nodes[at as usize].styles.len() < MAX_STYLES
                    && self.nodes.len() + below.len() <= MAX_NODES =>
                {
                    let (first, count) = (self.nodes.len() as u32, below.len() as u32);
                    let style = Style { sequence: element.sequence, pages: 1, first, count };
                    self.nodes[at as usize].styles.push(style);
                    let node = |child: usize| Node {
                        parent: at,
                        label: layout.label(child).to_owned(),
                        ..Node::default()
                    };
                    self.nodes.extend(below.clone().map(node));
                    first
                }
                _ => {
                    self.nodes[at as usize].single += 1;
                    continue;
                }
            };
            for (child, node) in below.zip(first..) {
                found[child] = Some(node);
            }
        }
    }

    fn count(&mut self, node: u32, element: &LayoutNode) {
        let node = &mut self.nodes[node as usize];
        node.rare += u64::from(element.rare);
        for &(word, count) in &element.words {
            if count == 0 || node.features.len() >= MAX_FEATURES && !node.features.contains_key(&word) {
                node.rare += 1;
                continue;
            }
            let count = f64::from(count);
            let feature = node.features.entry(word).or_default();
            feature.total += count;
            feature.logs += count * count.ln();
        }
    }

    /// Labels of the elements from the top down to a node.
    pub(super) fn path(&self, node: usize) -> Vec<&str> {
        let mut at = node;
        let mut path = vec![self.nodes[at].label.as_str()];
        while at != 0 {
            at = self.nodes[at].parent as usize;
            path.push(&self.nodes[at].label);
        }
        path.reverse();
        path
    }

    /// Keys, sorted, of the elements that hold text, that so many pages have and that are no more important.
    pub(super) fn unimportant(&self, importance: &[f64], min_pages: u32, most: f64) -> Vec<u64> {
        let mut keys = vec![0; self.nodes.len()];
        let mut out = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            for style in &node.styles {
                for at in 0..style.count as usize {
                    keys[style.first as usize + at] = key_of(keys[i], style.sequence, at);
                }
            }
            let holds_text = node.styles.is_empty() && node.single == 0;
            if holds_text && node.pages >= min_pages && importance[i] <= most {
                out.push(keys[i]);
            }
        }
        out.sort_unstable();
        out
    }

    /// Composite importance of each node, by its index.
    pub(super) fn importance(&self) -> Vec<f64> {
        let mut composite = vec![1.0; self.nodes.len()];
        // Children are after their parents.
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if node.pages <= 1 {
                continue;
            }
            if node.styles.is_empty() && node.single == 0 {
                let mut entropies: Vec<f64> =
                    node.features.values().map(|feature| feature.entropy(node.pages)).collect();
                entropies.sort_by(f64::total_cmp);
                composite[i] =
                    leaf_importance(entropies.iter().copied(), node.features.len() as u64 + node.rare);
                continue;
            }
            let m = f64::from(node.pages);
            let counts = node.styles.iter().map(|style| style.pages);
            let own = node_importance(counts.chain((0..node.single).map(|_| 1)), node.pages);
            let below: f64 = node
                .styles
                .iter()
                .map(|style| {
                    let children = style.first as usize..(style.first + style.count) as usize;
                    let mean = composite[children].iter().sum::<f64>() / f64::from(style.count);
                    f64::from(style.pages) / m * mean
                })
                .sum::<f64>()
                + f64::from(node.single) / m;
            composite[i] =
                composite_importance(own, node.styles.len() as u64 + u64::from(node.single), below);
        }
        composite
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    fn layout(html: &str) -> Layout {
        let dom = parse(html, &Limits::default());
        Layout::new(&dom, &blocks(&dom, dom.body().unwrap()), &[])
    }

    /// The last step of the path to each element, and its importance.
    fn importances(tree: &StyleTree) -> Vec<(String, f64)> {
        let last = |path: &str| path.rsplit(" > ").next().unwrap_or_default().to_owned();
        tree.elements().into_iter().map(|e| (last(&e.path), e.importance)).collect()
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-4, "{a} is not {b}");
    }

    #[test]
    fn importance_of_nodes() {
        near(node_importance([100].into_iter(), 100), 0.0);
        near(node_importance([35, 25, 25, 15].into_iter(), 100), 0.292);
        near(node_importance([1].into_iter(), 1), 1.0);
        // Every page its own style: as important as can be.
        near(node_importance((0..100).map(|_| 1), 100), 1.0);
    }

    #[test]
    fn importance_of_leaves() {
        near(leaf_importance([1.0, 0.0, 0.0, 0.0].into_iter(), 4), 0.75);
        near(leaf_importance([].into_iter(), 0), 1.0);
        // Over three pages: one word on all of them, three on one each.
        let once = Feature { total: 1.0, logs: 0.0 };
        let on_all = Feature { total: 3.0, logs: 0.0 };
        let entropies = [on_all, once, once, once].map(|feature| feature.entropy(3));
        near(leaf_importance(entropies.into_iter(), 4), 0.75);
        // Two and one of three occurrences: −(2/3 ln 2/3 + 1/3 ln 1/3) / ln 2.
        near(Feature { total: 3.0, logs: 2.0 * f64::ln(2.0) }.entropy(2), 0.9183);
    }

    #[test]
    fn importance_composed() {
        // One style below which everything varies: nearly as important as what is below.
        near(composite_importance(0.0, 1, 1.0), 0.9);
        near(composite_importance(0.292, 4, 0.0), (1.0 - 0.6561) * 0.292);
        near(composite_importance(1.0, 100, 0.0), 1.0);
    }

    #[test]
    fn what_repeats_is_unimportant() {
        let mut tree = StyleTree::default();
        for n in 0..6 {
            tree.add_layout(&layout(&format!(
                "<div class=nav><p>Home</p><p>About us</p></div><div class=main><h1>Title number{n}</h1>\
                 <p>words{n} only{n} here{n}</p></div><div class=foot>All rights reserved</div>"
            )));
        }
        let found = importances(&tree);
        let of = |name: &str| found.iter().filter(|(path, _)| path == name).map(|f| f.1).collect::<Vec<_>>();
        assert_eq!((of("div.foot"), of("p")), (vec![0.0], vec![0.0, 0.0, 1.0]));
        // "Title" and "number…": one word of six on all pages, one on each.
        near(of("h1")[0], 1.0 - 1.0 / 7.0);
        assert!(of("div.nav")[0] < 0.01 && of("div.main")[0] > 0.8);
    }

    #[test]
    fn text_between_elements_is_a_place() {
        let mut tree = StyleTree::default();
        for n in 0..3 {
            tree.add_layout(&layout(&format!("<div>Always this<p>own{n}</p>and that</div>")));
        }
        let found = importances(&tree).into_iter().map(|(path, importance)| (path, importance < 0.5));
        let leaves: Vec<_> = found.skip(2).collect();
        assert_eq!(leaves, [("#text".into(), true), ("p".into(), false), ("#text".into(), true)]);
    }

    #[test]
    fn bounded() {
        let mut tree = StyleTree::default();
        for n in 1..200 {
            let words: String = (0..n).map(|i| format!("w{i}x{n} ")).collect();
            tree.add_layout(&layout(&format!("{}<div>{words}</div>", "<p>a</p>".repeat(n))));
        }
        let root = &tree.nodes[0];
        assert_eq!((root.styles.len(), root.single as usize), (MAX_STYLES, 199 - MAX_STYLES));
        assert!(tree.nodes.iter().all(|node| node.features.len() <= MAX_FEATURES));
        assert!(tree.importance().iter().all(|c| (0.0..=1.0).contains(c)));

        let mut tree = StyleTree::default();
        for n in 0..20 {
            tree.add_layout(&layout(&"<p>a</p>".repeat(4_000 + n)));
        }
        assert!(tree.nodes.len() > MAX_NODES / 2);
        assert!(tree.nodes.len() <= MAX_NODES);
    }
}
