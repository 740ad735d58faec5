//! Nodes as XPath has them, and sets of them.

use std::borrow::Cow;
use std::cmp::Ordering;

use webmill_html::{Dom, NodeId, Tag};

use super::super::work::Work;

/// A node of the tree or an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct XNode {
    /// The node, or the element of the attribute.
    pub node: NodeId,
    /// Which attribute of the element; [`NONE`] for the node itself.
    pub attr: u32,
}

/// No attribute.
pub(super) const NONE: u32 = u32::MAX;

impl From<NodeId> for XNode {
    fn from(node: NodeId) -> XNode {
        XNode { node, attr: NONE }
    }
}

impl XNode {
    pub(super) fn is_attr(self) -> bool {
        self.attr != NONE
    }

    /// Name of an element or attribute; `""` of all others.
    pub(super) fn name<'d>(self, dom: &'d Dom<'_>) -> Cow<'d, str> {
        if self.is_attr() {
            dom.attrs(self.node).nth(self.attr as usize).map_or("", |(name, _)| name).into()
        } else if !dom.is_element(self.node) {
            "".into()
        } else if dom.name(self.node).bytes().any(|byte| byte.is_ascii_uppercase()) {
            dom.name(self.node).to_ascii_lowercase().into()
        } else {
            dom.name(self.node).into()
        }
    }

    /// The string that a node is: a value, a text, the text content.
    pub(super) fn text<'d>(self, dom: &'d Dom<'_>, work: &Work) -> Cow<'d, str> {
        if self.is_attr() {
            return dom.attrs(self.node).nth(self.attr as usize).map_or("", |(_, value)| value).into();
        }
        if matches!(dom.tag(self.node), Tag::Text | Tag::Comment) {
            return dom.text(self.node).into();
        }
        let mut only = dom.children(self.node);
        match (only.next(), only.next()) {
            (None, _) => return "".into(),
            (Some(child), None) if dom.is_text(child) => return dom.text(child).into(),
            _ => {}
        }
        let mut text = String::new();
        for node in dom.descendants(self.node) {
            if !work.take(1) {
                break;
            }
            text.push_str(if dom.is_text(node) { dom.text(node) } else { "" });
        }
        work.take(text.len() as u64 / 4);
        text.into()
    }

    /// Place among the attributes of the element, the element first.
    fn place(self) -> u32 {
        self.attr.wrapping_add(1)
    }
}

/// Which nodes of a tree were met.
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(dom: &Dom<'_>) -> Bits {
        Bits(vec![0; dom.len().div_ceil(64)])
    }

    /// Notes a node; `false` if it was before.
    #[inline]
    pub(super) fn add(&mut self, node: NodeId) -> bool {
        let (word, bit) = (node.index() / 64, 1 << (node.index() % 64));
        let fresh = self.0[word] & bit == 0;
        self.0[word] |= bit;
        fresh
    }
}

/// Sets of at most this many nodes are put in order by comparing their ancestors, larger ones by a walk.
const FEW: usize = 48;

/// Puts nodes in document order and drops doubles. Few nodes cost their depth and the siblings between them; many cost
/// a walk of the scope, or of the document if some are outside.
pub(super) fn order(dom: &Dom<'_>, scope: NodeId, work: &Work, nodes: &mut Vec<XNode>) {
    if nodes.len() <= 1 {
        return;
    }
    if nodes.len() <= FEW {
        let mut chains: Vec<(Vec<NodeId>, XNode)> =
            nodes.iter().map(|&n| (chain(dom, work, n.node), n)).collect();
        chains.sort_by(|(a, x), (b, y)| compare(dom, work, a, b).then_with(|| x.place().cmp(&y.place())));
        nodes.clear();
        nodes.extend(chains.into_iter().map(|(_, node)| node));
    } else {
        let mut place = vec![u32::MAX; dom.len()];
        let mut missing = 0;
        for node in nodes.iter() {
            missing += usize::from(std::mem::replace(&mut place[node.node.index()], 0) != 0);
        }
        number(dom, scope, work, &mut place, &mut missing);
        if missing > 0 {
            number(dom, dom.document(), work, &mut place, &mut missing);
        }
        nodes.sort_by_key(|n| (place[n.node.index()], n.place()));
    }
    nodes.dedup();
}

/// Numbers the marked nodes of a subtree, all that are below it again.
fn number(dom: &Dom<'_>, root: NodeId, work: &Work, place: &mut [u32], missing: &mut usize) {
    let mut next = 1;
    for node in std::iter::once(root).chain(dom.descendants(root)) {
        if *missing == 0 && next > 1 && root != dom.document() || !work.take(1) {
            break;
        }
        let at = &mut place[node.index()];
        if *at != u32::MAX {
            *missing -= usize::from(*at == 0);
            *at = next;
            next += 1;
        }
    }
}

/// The ancestors of a node and itself, from the document.
fn chain(dom: &Dom<'_>, work: &Work, node: NodeId) -> Vec<NodeId> {
    let mut chain = vec![node];
    chain.extend(dom.ancestors(node));
    chain.reverse();
    work.take(chain.len() as u64);
    chain
}

fn compare(dom: &Dom<'_>, work: &Work, a: &[NodeId], b: &[NodeId]) -> Ordering {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (Some(&a), Some(&b)) = (a.get(same), b.get(same)) else {
        return a.len().cmp(&b.len());
    };
    // Siblings: whichever meets the other, or does not meet the end, is before it.
    let (mut from_a, mut from_b) = (a, b);
    loop {
        work.take(1);
        match (dom.next_sibling(from_a), dom.next_sibling(from_b)) {
            (Some(next), _) if next == b => return Ordering::Less,
            (_, Some(next)) if next == a => return Ordering::Greater,
            (Some(x), Some(y)) => (from_a, from_b) = (x, y),
            (None, _) => return Ordering::Greater,
            (_, None) => return Ordering::Less,
        }
    }
}
