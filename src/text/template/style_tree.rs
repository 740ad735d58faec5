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
//! Cost: O(containers + words) a page. Memory is bounded by [`MAX_NODES`], [`MAX_STYLES`] and [`MAX_FEATURES`]; what finds no
//! room is counted as one of a kind, which errs towards keeping text. Pages in equal order give equal trees.
//!
//! Reference: L. Yi, B. Liu, X. Li, *Eliminating noisy information in Web pages for data mining*, KDD 2003,
//! doi:10.1145/956750.956785.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::blocks;
use crate::blocks::page::Page;
use webmill_html::Dom;

/// Element nodes of one tree.
const MAX_NODES: usize = 50_000;
/// Styles below one node.
const MAX_STYLES: usize = 64;
/// Distinct words kept of one leaf.
const MAX_FEATURES: usize = 64;
/// How fast the children's part in the composite importance fades as styles get more.
const GAMMA: f64 = 0.9;

/// Signature of text that stands between elements.
const TEXT: u64 = u64::MAX;

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
struct Feature {
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
struct Style {
    sequence: u64,
    pages: u32,
    /// Nodes of the children: `first..first + count`.
    first: u32,
    count: u32,
}

#[derive(Clone, Default, Debug)]
struct Node {
    pages: u32,
    styles: Vec<Style>,
    /// Pages whose style found no room.
    single: u32,
    features: HashMap<u64, Feature>,
    /// Words that found no room.
    rare: u64,
}

/// The style tree of the pages added to it.
///
/// # Examples
///
/// ```
/// # use webmill_html::{Limits, parse};
/// # use webmill_text::StyleTree;
/// let mut tree = StyleTree::default();
/// for page in ["<p>Home<h1>One</h1>", "<p>Home<h1>Two</h1>", "<p>Home<h1>Three</h1>"] {
///     tree.add(&parse(page, &Limits::default()));
/// }
/// let page = parse("<p>Home<h1>Four</h1>", &Limits::default());
/// let places = tree.places(&tree.importance(), &page, 2);
/// assert_eq!((places[0].own, places[1].own), (0.0, 1.0));
/// ```
#[derive(Clone, Debug)]
pub struct StyleTree {
    nodes: Vec<Node>,
}

/// What a style tree knows of a block's place.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Place {
    /// Composite importance of the place.
    pub own: f64,
    /// Composite importance of the place around it.
    pub around: f64,
}

impl Place {
    /// Of a place that is not known.
    const UNKNOWN: Place = Place { own: 1.0, around: 1.0 };
}

/// A child of a container: a container or a block of its own.
#[derive(Copy, Clone, Debug)]
enum Child {
    Container(u32),
    Block(u32),
}

/// The children of each container that have text, in document order.
struct Children {
    of: Vec<Vec<Child>>,
}

impl Children {
    fn new(page: &Page) -> Children {
        let mut keyed: Vec<Vec<(u32, u8, Child)>> = vec![Vec::new(); page.containers.len()];
        for (i, container) in (1u32..).zip(page.containers.iter().skip(1)) {
            if container.counts.blocks > 0 {
                keyed[container.parent as usize].push((container.first, 0, Child::Container(i)));
            }
        }
        let branching: Vec<bool> = keyed.iter().map(|children| !children.is_empty()).collect();
        for (i, block) in (0u32..).zip(&page.blocks) {
            if branching[block.container as usize] {
                keyed[block.container as usize].push((i, 1, Child::Block(i)));
            }
        }
        let of = keyed
            .into_iter()
            .map(|mut children| {
                children.sort_by_key(|child| (child.0, child.1));
                children.into_iter().map(|child| child.2).collect()
            })
            .collect();
        Children { of }
    }

    fn sequence(&self, page: &Page, container: u32) -> u64 {
        let mut bytes = Vec::with_capacity(8 * self.of[container as usize].len());
        for child in &self.of[container as usize] {
            let signature = match child {
                Child::Container(c) => page.containers[*c as usize].signature,
                Child::Block(_) => TEXT,
            };
            bytes.extend_from_slice(&signature.to_le_bytes());
        }
        xxh3_64(&bytes)
    }
}

/// Blocks that a leaf of the tree stands for on a page.
fn blocks_of(page: &Page, leaf: Child) -> std::ops::Range<usize> {
    match leaf {
        Child::Container(c) => {
            page.containers[c as usize].first as usize..page.containers[c as usize].end as usize
        }
        Child::Block(b) => b as usize..b as usize + 1,
    }
}

impl Default for StyleTree {
    /// A tree of no page.
    fn default() -> Self {
        StyleTree { nodes: vec![Node::default()] }
    }
}

impl StyleTree {
    /// Pages in it.
    pub fn pages(&self) -> u32 {
        self.nodes[0].pages
    }

    /// Adds a page; one without text is none.
    pub fn add(&mut self, dom: &Dom<'_>) {
        if let Some(body) = dom.body() {
            self.add_page(&blocks(dom, body));
        }
    }

    fn add_page(&mut self, page: &Page) {
        if page.blocks.is_empty() {
            return;
        }
        let children = Children::new(page);
        let mut open = vec![(0u32, Child::Container(0))];
        while let Some((node, place)) = open.pop() {
            self.nodes[node as usize].pages += 1;
            let container = match place {
                Child::Container(c) if !children.of[c as usize].is_empty() => c,
                leaf => {
                    self.count(node, page, leaf);
                    continue;
                }
            };
            let below = &children.of[container as usize];
            let sequence = children.sequence(page, container);
            let first = match self.style(node, sequence) {
                Some(found) => {
                    let style = &mut self.nodes[node as usize].styles[found];
                    style.pages += 1;
                    style.first
                }
                None => {
                    let first = self.nodes.len();
                    let node = &mut self.nodes[node as usize];
                    if node.styles.len() >= MAX_STYLES || first + below.len() > MAX_NODES {
                        node.single += 1;
                        continue;
                    }
                    node.styles.push(Style {
                        sequence,
                        pages: 1,
                        first: first as u32,
                        count: below.len() as u32,
                    });
                    self.nodes.resize(first + below.len(), Node::default());
                    first as u32
                }
            };
            open.extend((first..).zip(below.iter().copied()));
        }
    }

    fn style(&self, node: u32, sequence: u64) -> Option<usize> {
        self.nodes[node as usize].styles.iter().position(|style| style.sequence == sequence)
    }

    fn count(&mut self, node: u32, page: &Page, leaf: Child) {
        let mut words: HashMap<u64, u32> = HashMap::new();
        for block in &page.blocks[blocks_of(page, leaf)] {
            for word in features(page.text_of(block)) {
                *words.entry(word).or_default() += 1;
            }
        }
        let mut words: Vec<(u64, u32)> = words.into_iter().collect();
        words.sort_unstable();
        let node = &mut self.nodes[node as usize];
        for (word, count) in words {
            if node.features.len() >= MAX_FEATURES && !node.features.contains_key(&word) {
                node.rare += 1;
                continue;
            }
            let count = f64::from(count);
            let feature = node.features.entry(word).or_default();
            feature.total += count;
            feature.logs += count * count.ln();
        }
    }

    /// Composite importance of each node, by its index.
    pub fn importance(&self) -> Vec<f64> {
        let mut composite = vec![1.0; self.nodes.len()];
        // Children stand after their parents.
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

    /// The place of each block of a page by this [importance](StyleTree::importance), where at least `min_pages` pages have
    /// it; 1 elsewhere.
    pub fn places(&self, importance: &[f64], dom: &Dom<'_>, min_pages: u32) -> Vec<Place> {
        dom.body().map(|body| self.places_of(importance, &blocks(dom, body), min_pages)).unwrap_or_default()
    }

    fn places_of(&self, importance: &[f64], page: &Page, min_pages: u32) -> Vec<Place> {
        let mut out = vec![Place::UNKNOWN; page.blocks.len()];
        if page.blocks.is_empty() {
            return out;
        }
        let children = Children::new(page);
        let mut open = vec![(0u32, Child::Container(0), 1.0)];
        while let Some((node, place, around)) = open.pop() {
            let known = &self.nodes[node as usize];
            if known.pages < min_pages {
                continue;
            }
            let own = importance[node as usize];
            match place {
                Child::Container(c) if !children.of[c as usize].is_empty() => {
                    let Some(found) = self.style(node, children.sequence(page, c)) else { continue };
                    let first = known.styles[found].first;
                    open.extend(
                        (first..).zip(&children.of[c as usize]).map(|(node, child)| (node, *child, own)),
                    );
                }
                leaf => out[blocks_of(page, leaf)].fill(Place { own, around }),
            }
        }
        out
    }
}

/// Hashes of the words of a text, Han characters and the like each alone.
fn features(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).flat_map(|word| {
        let wide = word.chars().any(webmill_html::is_wide);
        let mut rest = word.chars();
        let mut whole = !wide;
        std::iter::from_fn(move || {
            if wide {
                return rest.next().map(|c| u64::from(u32::from(c)));
            }
            std::mem::take(&mut whole).then(|| xxh3_64(word.to_lowercase().as_bytes()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    fn page(html: &str) -> Page {
        let dom = parse(html, &Limits::default());
        blocks(&dom, dom.body().unwrap())
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
        let site = |n: usize| {
            page(&format!(
                "<div class=nav><p>Home</p><p>About us</p></div><div class=main><h1>Title number{n}</h1>\
                 <p>words{n} only{n} here{n}</p></div><div class=foot>All rights reserved</div>"
            ))
        };
        let mut tree = StyleTree::default();
        for n in 0..6 {
            tree.add_page(&site(n));
        }
        assert_eq!(tree.pages(), 6);
        let importance = tree.importance();
        let places = tree.places_of(&importance, &site(7), 3);
        let own: Vec<f64> = places.iter().map(|place| place.own).collect();
        near(own[0], 0.0);
        near(own[1], 0.0);
        // "Title" and "number…": one word of six on all pages, one on each.
        near(own[2], 1.0 - 1.0 / 7.0);
        near(own[3], 1.0);
        near(own[4], 0.0);
        assert!(places[0].around < 0.01 && places[3].around > 0.8);

        // Another layout, and too few pages: nothing is known.
        let other = page("<div class=main><p>Home</p></div>");
        assert_eq!(tree.places_of(&importance, &other, 3), [Place::UNKNOWN]);
        assert!(tree.places_of(&importance, &site(7), 7).iter().all(|place| *place == Place::UNKNOWN));
        assert!(StyleTree::default().places_of(&[1.0], &other, 1) == [Place::UNKNOWN]);
    }

    #[test]
    fn text_between_elements_is_a_place() {
        let mut tree = StyleTree::default();
        for n in 0..3 {
            tree.add_page(&page(&format!("<div>Always this<p>own{n}</p>and that</div>")));
        }
        let places =
            tree.places_of(&tree.importance(), &page("<div>Always this<p>own9</p>and that</div>"), 2);
        assert_eq!(places.iter().map(|place| place.own < 0.5).collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn bounded() {
        let mut tree = StyleTree::default();
        for n in 1..200 {
            let words: String = (0..n).map(|i| format!("w{i}x{n} ")).collect();
            tree.add_page(&page(&format!("{}<div>{words}</div>", "<p>a</p>".repeat(n))));
        }
        let root = &tree.nodes[0];
        assert_eq!((root.styles.len(), root.single as usize), (MAX_STYLES, 199 - MAX_STYLES));
        assert!(tree.nodes.iter().all(|node| node.features.len() <= MAX_FEATURES));
        assert!(tree.importance().iter().all(|c| (0.0..=1.0).contains(c)));

        let wide = page(&"<p>a</p>".repeat(30_000));
        let mut tree = StyleTree::default();
        tree.add_page(&wide);
        let other = page(&"<p>a</p>".repeat(30_001));
        tree.add_page(&other);
        assert!(tree.nodes.len() <= MAX_NODES);
    }

    #[test]
    fn words() {
        assert_eq!(features("A a, b-c").count(), 4);
        assert_eq!(features("首页 Home").count(), 3);
        let mut found = features("A a");
        assert_eq!(found.next(), found.next());
    }
}
