//! The document tree of a page.
//!
//! Links, metadata, main text and rules all read this tree; it is made once for each page.
//!
//! A tree of nodes in document order, as the tree construction of the HTML standard leaves it: one document, at
//! most one doctype, elements, text and comments. The contents of a `template` are its children.
//!
//! All nodes are in one vector, 32 bytes each, and refer to one another by index. Character data and attributes
//! are *spans*: ranges of the page's source, or, where the parser had to resolve character references or change
//! case, of one side buffer. So a page of 100 kB costs some five allocations, and dropping it is as cheap.
//!
//! Every accessor takes constant time but [`Dom::attr`] (attributes of the element) and those that say otherwise.
//! Nothing recurses: [`Dom::walk`] follows the links between nodes and needs no stack.
//!
//! Reference: WHATWG DOM Standard, <https://dom.spec.whatwg.org/>.

use std::borrow::Cow;

use super::limits::Cuts;
use super::tag::Tag;

/// Index of a node in its [`Dom`]; meaningless in another one. The document is 0, and the rest follow in the order
/// in which the parser made them, which is document order unless markup was misnested.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The index as number, smaller than [`Dom::len`]: for side tables with one entry a node.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which language an element belongs to.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Namespace {
    /// HTML; also anything that is no element.
    Html,
    /// SVG: `<svg>` and what it contains.
    Svg,
    /// MathML: `<math>` and what it contains.
    MathMl,
}

/// Range of the source, or of the side buffer if the highest bit of `start` is set.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    pub start: u32,
    pub len: u32,
}

/// Marks a span of the side buffer.
pub(crate) const SIDE: u32 = 1 << 31;

impl Span {
    #[inline]
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, len: (end - start) as u32 }
    }
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Attr {
    pub name: Span,
    pub value: Span,
}

/// Links are 0 where there is no such node: the document is nobody's child.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Node {
    pub parent: u32,
    pub prev: u32,
    pub next: u32,
    pub first: u32,
    pub last: u32,
    /// Text and comment: start of the span. Element and doctype: first attribute. An element of [`Tag::Unknown`] has
    /// its name in the entry before its first attribute.
    pub a: u32,
    /// Text and comment: length of the span. Element and doctype: number of attributes.
    pub b: u32,
    pub tag: Tag,
    pub ns: Namespace,
    /// Of doctypes: [`HAS_PUBLIC`], [`HAS_SYSTEM`].
    pub flags: u8,
}

pub(crate) const HAS_PUBLIC: u8 = 1;
pub(crate) const HAS_SYSTEM: u8 = 2;

/// The tree of one page; see the [module](self).
#[derive(Clone, Debug)]
pub struct Dom<'a> {
    pub(crate) source: Cow<'a, str>,
    pub(crate) side: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) html: u32,
    pub(crate) head: u32,
    pub(crate) body: u32,
    pub(crate) quirks: bool,
    pub(crate) cuts: Cuts,
    pub(crate) work: u64,
}

#[inline]
fn some(id: u32) -> Option<NodeId> {
    if id == 0 { None } else { Some(NodeId(id)) }
}

impl<'a> Dom<'a> {
    /// The root, parent of `<html>`.
    pub fn document(&self) -> NodeId {
        NodeId(0)
    }

    /// The `<html>` element; the parser makes one for every page, so it is missing only when a limit came first.
    pub fn html(&self) -> Option<NodeId> {
        some(self.html)
    }

    /// The `<head>` element, made by the parser if the page has none.
    pub fn head(&self) -> Option<NodeId> {
        some(self.head)
    }

    /// The `<body>` element, made by the parser if the page has none, or the outermost `<frameset>`.
    pub fn body(&self) -> Option<NodeId> {
        some(self.body)
    }

    /// Number of nodes; every [`NodeId::index`] is smaller. Nodes that the parser made and unlinked again are counted.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the document has no child.
    pub fn is_empty(&self) -> bool {
        self.nodes[0].first == 0
    }

    /// What limits cut off.
    pub fn cut(&self) -> Cuts {
        self.cuts
    }

    /// Steps that building the tree took beyond reading the source, as [`Limits::max_work`] counts them. Less than one
    /// a node on real pages.
    ///
    /// [`Limits::max_work`]: crate::Limits::max_work
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether the doctype (or its lack) put the page into quirks mode.
    pub fn quirks(&self) -> bool {
        self.quirks
    }

    #[inline]
    pub(crate) fn node(&self, n: u32) -> &Node {
        &self.nodes[n as usize]
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, n: u32) -> &mut Node {
        &mut self.nodes[n as usize]
    }

    /// What the node is. Elements of SVG and MathML have the tag of an element that is theirs alone
    /// ([`Tag::is_foreign`]), else [`Tag::Unknown`]: `<svg><title>` is not a page's title.
    #[inline]
    pub fn tag(&self, n: NodeId) -> Tag {
        let node = self.node(n.0);
        if node.ns == Namespace::Html || node.tag.is_foreign() { node.tag } else { Tag::Unknown }
    }

    /// Language of the element.
    #[inline]
    pub fn namespace(&self, n: NodeId) -> Namespace {
        self.node(n.0).ns
    }

    /// Whether the node is an element of any language.
    #[inline]
    pub fn is_element(&self, n: NodeId) -> bool {
        self.node(n.0).tag.is_element()
    }

    /// Whether the node is text.
    #[inline]
    pub fn is_text(&self, n: NodeId) -> bool {
        self.node(n.0).tag == Tag::Text
    }

    /// Name of the element in lower case (SVG's own spelling in SVG: `linearGradient`), of a doctype the name it
    /// states, else `#text`, `#comment`, `#document`.
    pub fn name(&self, n: NodeId) -> &str {
        let node = self.node(n.0);
        match node.tag {
            Tag::Unknown => self.str(self.attrs[node.a as usize - 1].name),
            Tag::Doctype => self.str(self.attrs[node.a as usize].name),
            Tag::Foreignobject if node.ns == Namespace::Svg => "foreignObject",
            tag => tag.name(),
        }
    }

    /// Public and system identifier of a doctype, where it states them.
    pub fn doctype_ids(&self, n: NodeId) -> (Option<&str>, Option<&str>) {
        let node = self.node(n.0);
        if node.tag != Tag::Doctype {
            return (None, None);
        }
        let at = node.a as usize;
        (
            (node.flags & HAS_PUBLIC != 0).then(|| self.str(self.attrs[at].value)),
            (node.flags & HAS_SYSTEM != 0).then(|| self.str(self.attrs[at + 1].value)),
        )
    }

    /// Characters of a text or comment node, character references resolved; `""` for other nodes.
    #[inline]
    pub fn text(&self, n: NodeId) -> &str {
        let node = self.node(n.0);
        if matches!(node.tag, Tag::Text | Tag::Comment) {
            self.str(Span { start: node.a, len: node.b })
        } else {
            ""
        }
    }

    #[inline]
    pub(crate) fn str(&self, span: Span) -> &str {
        let start = (span.start & !SIDE) as usize;
        let buffer: &str = if span.start & SIDE == 0 { &self.source } else { &self.side };
        buffer.get(start..start + span.len as usize).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn bytes(&self, span: Span) -> &[u8] {
        let start = (span.start & !SIDE) as usize;
        let buffer: &str = if span.start & SIDE == 0 { &self.source } else { &self.side };
        buffer.as_bytes().get(start..start + span.len as usize).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn attr_spans(&self, n: u32) -> &[Attr] {
        let node = self.node(n);
        if node.tag.is_element() { &self.attrs[node.a as usize..(node.a + node.b) as usize] } else { &[] }
    }

    /// Value of an attribute, named in lower case, references resolved; `Some("")` if it is there without a value.
    pub fn attr(&self, n: NodeId, name: &str) -> Option<&str> {
        self.attr_spans(n.0)
            .iter()
            .find(|attr| attr.name.len as usize == name.len() && self.bytes(attr.name) == name.as_bytes())
            .map(|attr| self.str(attr.value))
    }

    /// All attributes, in the order of the tag.
    pub fn attrs(&self, n: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attr_spans(n.0).iter().map(|attr| (self.str(attr.name), self.str(attr.value)))
    }

    /// Whether an element is a `template` that declares the shadow root of the element around it: readers see what it holds.
    pub fn is_shadow_root(&self, n: NodeId) -> bool {
        let mode = || self.attr(n, "shadowrootmode").unwrap_or_default();
        self.tag(n) == Tag::Template
            && ["open", "closed"].iter().any(|known| mode().eq_ignore_ascii_case(known))
    }

    /// The node that contains this one.
    #[inline]
    pub fn parent(&self, n: NodeId) -> Option<NodeId> {
        let parent = self.node(n.0).parent;
        // The document is a parent too; only itself and unlinked nodes have none.
        if parent == 0 && (n.0 == 0 || !self.is_top(n.0)) { None } else { Some(NodeId(parent)) }
    }

    fn is_top(&self, n: u32) -> bool {
        let node = self.node(n);
        node.prev != 0 || self.nodes[0].first == n
    }

    /// The first child of `n`; `None` if it has none.
    #[inline]
    pub fn first_child(&self, n: NodeId) -> Option<NodeId> {
        some(self.node(n.0).first)
    }

    /// The last child of `n`; `None` if it has none.
    #[inline]
    pub fn last_child(&self, n: NodeId) -> Option<NodeId> {
        some(self.node(n.0).last)
    }

    /// The node after this one under the same parent.
    #[inline]
    pub fn next_sibling(&self, n: NodeId) -> Option<NodeId> {
        some(self.node(n.0).next)
    }

    /// The node before this one under the same parent.
    #[inline]
    pub fn prev_sibling(&self, n: NodeId) -> Option<NodeId> {
        some(self.node(n.0).prev)
    }

    /// Children in order.
    pub fn children(&self, n: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(n), |&c| self.next_sibling(c))
    }

    /// Parent, grandparent and so on to the document.
    pub fn ancestors(&self, n: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(n), |&a| self.parent(a))
    }

    /// The subtree of a node, each node entered and left: first `Enter(n)`, last `Leave(n)`. Linear in its nodes.
    pub fn walk(&self, n: NodeId) -> Walk<'_, 'a> {
        Walk { dom: self, root: n.0, next: Some(Edge::Enter(n)) }
    }

    /// The subtree of a node in document order, without the node. Linear in its nodes.
    pub fn descendants(&self, n: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.following(n.0, n.0), move |&d| self.following(d.0, n.0))
    }

    /// The node after `n` in document order within the subtree of `root`.
    #[inline]
    fn following(&self, n: u32, root: u32) -> Option<NodeId> {
        let node = self.node(n);
        if node.first != 0 {
            return Some(NodeId(node.first));
        }
        let mut at = n;
        while at != root {
            let node = self.node(at);
            if node.next != 0 {
                return Some(NodeId(node.next));
            }
            at = node.parent;
        }
        None
    }

    /// Appends the text of the subtree, as `textContent` of the DOM: scripts and styles too, comments not. Linear.
    pub fn text_content(&self, n: NodeId, into: &mut String) {
        if self.is_text(n) {
            into.push_str(self.text(n));
        }
        for d in self.descendants(n) {
            if self.is_text(d) {
                into.push_str(self.text(d));
            }
        }
    }
}

/// A step of a [`Walk`]. Nodes without children are entered and left too.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Edge {
    /// The node begins.
    Enter(NodeId),
    /// The node ends.
    Leave(NodeId),
}

/// Iterator over a subtree; from [`Dom::walk`].
#[derive(Clone, Debug)]
pub struct Walk<'d, 'a> {
    dom: &'d Dom<'a>,
    root: u32,
    next: Option<Edge>,
}

impl Walk<'_, '_> {
    /// After `Enter(n)`: passes over the children, so that `Leave(n)` comes next. No effect after `Leave`.
    pub fn skip_children(&mut self) {
        let parent = match self.next {
            Some(Edge::Enter(child)) if child.0 != self.root && self.dom.node(child.0).prev == 0 => {
                self.dom.node(child.0).parent
            }
            _ => return,
        };
        self.next = Some(Edge::Leave(NodeId(parent)));
    }
}

impl Iterator for Walk<'_, '_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        let edge = self.next?;
        self.next = match edge {
            Edge::Enter(n) => Some(match self.dom.node(n.0).first {
                0 => Edge::Leave(n),
                first => Edge::Enter(NodeId(first)),
            }),
            Edge::Leave(n) if n.0 == self.root => None,
            Edge::Leave(n) => {
                let node = self.dom.node(n.0);
                Some(match node.next {
                    0 => Edge::Leave(NodeId(node.parent)),
                    next => Edge::Enter(NodeId(next)),
                })
            }
        };
        Some(edge)
    }
}

#[cfg(test)]
#[path = "dom_tests.rs"]
mod tests;
