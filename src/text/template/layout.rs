//! The layout of a page: its elements that hold text, and the words of those without further ones.
//!
//! A page's part in a [style tree](super::style_tree) in a form that can be kept, so that the tree of a sample does not depend
//! on the order in which its pages were met. Elements are known by tag and class. An element's *key* is a hash of the
//! sequences of children from `body` down to it and of its place in each: elements of different pages have one key if, and
//! but for collisions only if, they are one node of the tree.
//!
//! **Cost.** Linear in containers and words; [`MAX_NODES`] elements and [`MAX_WORDS`] words a page.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::blocks::page::Page;
use webmill_html::{Dom, is_wide};

/// Elements of a page.
const MAX_NODES: usize = 4096;
/// Words of a page.
const MAX_WORDS: usize = 8192;
/// Words of one element, those of the smallest hashes.
pub(super) const MAX_FEATURES: usize = 64;
/// Bytes of an element's tag and class that are kept.
const MAX_LABEL: usize = 60;

/// Signature of text between elements.
const TEXT: u64 = u64::MAX;

/// An element of a page.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
pub(super) struct LayoutNode {
    /// Number in the labels of the layout.
    pub label: u32,
    /// Hash of tag and class of the children; 0 of an element without any.
    pub sequence: u64,
    /// Number of children; none although there is a sequence where they found no room.
    pub children: u32,
    /// Hashes and counts of its words, if it has no children.
    pub words: Vec<(u64, u32)>,
    /// Words that found no room.
    pub rare: u32,
    /// Length in words, rounded up block by block, and how much of it is main text.
    pub units: u32,
    pub chosen: u32,
}

/// The elements of a page, level by level, each level in document order: the children of the first element that has any come
/// first, then those of the second. So any numbers make a tree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
pub(super) struct Layout {
    nodes: Vec<LayoutNode>,
    /// Tags with classes, each once.
    labels: Vec<String>,
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

    /// The children of an element; none of one without.
    fn below(&self, child: Child) -> &[Child] {
        match child {
            Child::Container(c) => &self.of[c as usize],
            Child::Block(_) => &[],
        }
    }

    /// A hash of the tags and classes of children, never 0.
    fn sequence(page: &Page, children: &[Child]) -> u64 {
        let mut bytes = Vec::with_capacity(8 * children.len());
        for child in children {
            let signature = match child {
                Child::Container(c) => page.containers[*c as usize].signature,
                Child::Block(_) => TEXT,
            };
            bytes.extend_from_slice(&signature.to_le_bytes());
        }
        xxh3_64(&bytes).max(1)
    }
}

/// The blocks of an element without children.
fn blocks_of(page: &Page, leaf: Child) -> Range<usize> {
    match leaf {
        Child::Container(c) => {
            page.containers[c as usize].first as usize..page.containers[c as usize].end as usize
        }
        Child::Block(b) => b as usize..b as usize + 1,
    }
}

/// The key of a child.
pub(super) fn key_of(parent: u64, sequence: u64, at: usize) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&sequence.to_le_bytes());
    bytes[8..].copy_from_slice(&(at as u64).to_le_bytes());
    xxh3_64_with_seed(&bytes, parent)
}

/// Calls `f` with key and blocks of each element of a page that has no further ones, level by level.
pub(super) fn leaves_of(page: &Page, mut f: impl FnMut(u64, Range<usize>)) {
    if page.blocks.is_empty() {
        return;
    }
    let children = Children::new(page);
    let mut queue = vec![(0, Child::Container(0))];
    let mut at = 0;
    while let Some(&(key, element)) = queue.get(at) {
        at += 1;
        let below = children.below(element);
        if below.is_empty() {
            f(key, blocks_of(page, element));
            continue;
        }
        let sequence = Children::sequence(page, below);
        queue.extend(below.iter().enumerate().map(|(i, &child)| (key_of(key, sequence, i), child)));
    }
}

impl Layout {
    pub(super) fn new(dom: &Dom<'_>, page: &Page, chosen: &[bool]) -> Layout {
        let mut out = Layout::default();
        if page.blocks.is_empty() {
            return out;
        }
        let children = Children::new(page);
        let mut labels: BTreeMap<String, u32> = BTreeMap::new();
        let mut queue = vec![Child::Container(0)];
        let mut room = MAX_WORDS;
        while let Some(&element) = queue.get(out.nodes.len()) {
            let label = match element {
                Child::Container(c) => label_of(dom, page, c),
                Child::Block(_) => "#text".to_owned(),
            };
            let next = labels.len() as u32;
            let label = *labels.entry(label).or_insert(next);
            let mut node = LayoutNode { label, ..LayoutNode::default() };
            let below = children.below(element);
            if below.is_empty() {
                node.count_words(page, blocks_of(page, element), &mut room);
                for i in blocks_of(page, element) {
                    let units = page.blocks[i].counts.units.ceil() as u32;
                    node.units += units;
                    node.chosen += if chosen.get(i) == Some(&true) { units } else { 0 };
                }
            } else {
                node.sequence = Children::sequence(page, below);
                if queue.len() + below.len() <= MAX_NODES {
                    node.children = below.len() as u32;
                    queue.extend_from_slice(below);
                }
            }
            out.nodes.push(node);
        }
        out.labels = vec![String::new(); labels.len()];
        for (label, number) in labels {
            out.labels[number as usize] = label;
        }
        out
    }

    /// Each element with the range of its children.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&LayoutNode, Range<usize>)> {
        let mut next = 1usize;
        self.nodes.iter().map(move |node| {
            let first = next.min(self.nodes.len());
            next = next.saturating_add(node.children as usize);
            (node, first..next.min(self.nodes.len()))
        })
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn label(&self, node: usize) -> &str {
        let label = self.nodes.get(node).map_or(u32::MAX, |node| node.label);
        self.labels.get(label as usize).map_or("", String::as_str)
    }

    /// Words of the page's main text.
    pub(super) fn words(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.chosen)).sum()
    }

    /// Words of the main text in elements whose keys are among `template`, which is sorted.
    pub(super) fn chosen_of(&self, template: &[u64]) -> u64 {
        let mut keys = vec![0; self.nodes.len()];
        let mut taken = 0;
        for (i, (node, children)) in self.nodes().enumerate() {
            for (at, child) in children.clone().enumerate() {
                keys[child] = key_of(keys[i], node.sequence, at);
            }
            if node.sequence == 0 && node.chosen > 0 && template.binary_search(&keys[i]).is_ok() {
                taken += u64::from(node.chosen);
            }
        }
        taken
    }
}

impl LayoutNode {
    fn count_words(&mut self, page: &Page, blocks: Range<usize>, room: &mut usize) {
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for block in &page.blocks[blocks] {
            for word in features(page.text_of(block)) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let kept = counts.len().min(MAX_FEATURES).min(*room);
        *room -= kept;
        self.rare = (counts.len() - kept) as u32;
        self.words = counts.into_iter().take(kept).collect();
    }
}

/// Tag and classes of a container: `div.main`.
fn label_of(dom: &Dom<'_>, page: &Page, container: u32) -> String {
    let container = &page.containers[container as usize];
    let mut label = container.tag.name().to_owned();
    for class in dom.attr(container.node, "class").unwrap_or_default().split_ascii_whitespace().take(4) {
        label.push('.');
        label.push_str(&class[..class.floor_char_boundary(MAX_LABEL)]);
        if label.len() > MAX_LABEL {
            label.truncate(label.floor_char_boundary(MAX_LABEL));
            break;
        }
    }
    label
}

/// Hashes of the words of a text, Han characters and the like each alone.
fn features(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).flat_map(|word| {
        let wide = word.chars().any(is_wide);
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

    #[test]
    fn words() {
        assert_eq!(features("A a, b-c").count(), 4);
        assert_eq!(features("首页 Home").count(), 3);
        let mut found = features("A a");
        assert_eq!(found.next(), found.next());
    }

    #[test]
    fn elements_and_keys() {
        let dom = parse("<div class='a b'>Home<p>one two</p></div><p>three", &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let layout = Layout::new(&dom, &page, &[false, true, true]);
        let labels: Vec<&str> = (0..layout.len()).map(|i| layout.label(i)).collect();
        assert_eq!(labels, ["body", "div.a.b", "p", "#text", "p"]);
        assert_eq!(layout.words(), 3);
        let mut keys = Vec::new();
        leaves_of(&page, |key, blocks| keys.push((key, blocks)));
        // Level by level: the paragraph of the body comes first.
        assert_eq!(keys.iter().map(|leaf| leaf.1.clone()).collect::<Vec<_>>(), [2..3, 0..1, 1..2]);
        for (key, blocks) in keys {
            let words = [0, 2, 1][blocks.start];
            assert_eq!(layout.chosen_of(&[key]), words, "{blocks:?}");
        }
    }

    #[test]
    fn bounded_and_any_numbers_make_a_tree() {
        let html =
            format!("{}<div>{}</div>", "<p>a b</p>".repeat(MAX_NODES - 2), "<b>x</b><p>y</p>".repeat(9));
        let dom = parse(&html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let layout = Layout::new(&dom, &page, &[]);
        assert_eq!(layout.len(), MAX_NODES);
        let last = layout.nodes.last().unwrap();
        assert!(last.sequence != 0 && last.children == 0);
        assert!(layout.nodes.iter().map(|node| node.words.len()).sum::<usize>() <= MAX_WORDS);

        let mut wrong = layout.clone();
        wrong
            .nodes
            .iter_mut()
            .for_each(|node| (node.children, node.sequence, node.label) = (u32::MAX, 1, u32::MAX));
        assert_eq!(wrong.chosen_of(&[0, 1]), 0);
        assert!(wrong.nodes().all(|(_, children)| children.end <= wrong.len()) && wrong.label(0).is_empty());
    }
}
