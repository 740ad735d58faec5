//! What the tree builder does to the tree: nodes are added, linked, moved and unlinked.

use std::borrow::Cow;

use super::dom::{Dom, Namespace, Node};
use super::limits::Cuts;
use super::tag::Tag;

impl<'a> Dom<'a> {
    pub(crate) fn new(source: Cow<'a, str>) -> Dom<'a> {
        let bytes = source.len();
        // Real pages have a node every 99 bytes and an attribute every 118 on average.
        let mut nodes = Vec::with_capacity(bytes / 64 + 16);
        nodes.push(Node::new(Tag::Document));
        Dom {
            source,
            side: String::new(),
            nodes,
            attrs: Vec::with_capacity(bytes / 80 + 16),
            html: 0,
            head: 0,
            body: 0,
            quirks: false,
            cuts: Cuts::default(),
            work: 0,
        }
    }

    #[inline]
    pub(crate) fn push_node(&mut self, node: Node) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        id
    }

    #[inline]
    pub(crate) fn append(&mut self, parent: u32, child: u32) {
        let last = std::mem::replace(&mut self.nodes[parent as usize].last, child);
        if last == 0 {
            self.nodes[parent as usize].first = child;
        } else {
            self.nodes[last as usize].next = child;
        }
        let node = &mut self.nodes[child as usize];
        node.parent = parent;
        node.prev = last;
        node.next = 0;
    }

    pub(crate) fn insert_before(&mut self, sibling: u32, child: u32) {
        let Node { parent, prev, .. } = *self.node(sibling);
        let node = self.node_mut(child);
        node.parent = parent;
        node.prev = prev;
        node.next = sibling;
        self.node_mut(sibling).prev = child;
        if prev == 0 {
            self.node_mut(parent).first = child;
        } else {
            self.node_mut(prev).next = child;
        }
    }

    /// Unlinks a node with its subtree; no effect on one that is not linked.
    pub(crate) fn detach(&mut self, n: u32) {
        let Node { parent, prev, next, .. } = *self.node(n);
        if prev == 0 {
            if self.node(parent).first != n {
                return;
            }
            self.node_mut(parent).first = next;
        } else {
            self.node_mut(prev).next = next;
        }
        if next == 0 {
            self.node_mut(parent).last = prev;
        } else {
            self.node_mut(next).prev = prev;
        }
        let node = self.node_mut(n);
        (node.parent, node.prev, node.next) = (0, 0, 0);
    }

    /// Moves all children of `from` to the end of `to`. Linear in their number; returns it.
    pub(crate) fn move_children(&mut self, from: u32, to: u32) -> usize {
        let (first, last) = (self.node(from).first, self.node(from).last);
        if first == 0 {
            return 0;
        }
        let mut moved = 0;
        let mut child = first;
        while child != 0 {
            self.node_mut(child).parent = to;
            child = self.node(child).next;
            moved += 1;
        }
        let before = self.node(to).last;
        if before == 0 {
            self.node_mut(to).first = first;
        } else {
            self.node_mut(before).next = first;
            self.node_mut(first).prev = before;
        }
        self.node_mut(to).last = last;
        let node = self.node_mut(from);
        (node.first, node.last) = (0, 0);
        moved
    }
}

impl Node {
    #[inline]
    pub(crate) fn new(tag: Tag) -> Node {
        Node {
            parent: 0,
            prev: 0,
            next: 0,
            first: 0,
            last: 0,
            a: 0,
            b: 0,
            tag,
            ns: Namespace::Html,
            flags: 0,
        }
    }
}
