//! Tree construction: active formatting elements and the adoption agency.
//!
//! Formatting elements (`b`, `a`, `font` …) that a paragraph or cell ends without closing are opened again after it;
//! an end tag that crosses a block splits its element around the block. Clones share the attributes of what they
//! clone. All walks are charged to the work that a page may cost.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#the-list-of-active-formatting-elements>.

use super::dom::{Node, NodeId, Span};
use super::tag::Tag;
use super::tree::{Builder, Formatting, OPEN, Open, Place, Token};
use super::tree_sets::{SCOPE, SPECIAL};

impl Builder<'_> {
    pub fn push_marker(&mut self) {
        self.formatting.push(Formatting { id: 0, tag: Tag::Document });
    }

    pub fn clear_to_marker(&mut self) {
        while self.formatting.pop().is_some_and(|entry| entry.id != 0) {}
    }

    fn is_open(&self, id: u32) -> bool {
        self.dom.node(id).flags & OPEN != 0
    }

    /// Opens again the formatting elements that were closed by something else.
    #[inline]
    pub fn reconstruct(&mut self) {
        if let Some(last) = self.formatting.last()
            && last.id != 0
            && !self.is_open(last.id)
        {
            self.reconstruct_closed();
        }
    }

    fn reconstruct_closed(&mut self) {
        let mut at = self.formatting.len();
        while at > 0 && self.formatting[at - 1].id != 0 && !self.is_open(self.formatting[at - 1].id) {
            at -= 1;
        }
        self.work += (self.formatting.len() - at) as u64;
        for at in at..self.formatting.len() {
            if self.dom.nodes.len() >= self.limits.max_nodes {
                return;
            }
            let entry = self.formatting[at];
            let id = self.clone_element(entry.id);
            self.put_element(id);
            self.push(id, entry.tag);
            self.formatting[at].id = id;
        }
    }

    /// A node with the name and attributes of another.
    fn clone_element(&mut self, id: u32) -> u32 {
        let Node { a, b, tag, .. } = *self.dom.node(id);
        self.dom.push_node(Node { a, b, ..Node::new(tag) })
    }

    /// Inserts a formatting element; of its like the list keeps three after the last marker.
    pub fn insert_formatting(&mut self, token: &Token) {
        let id = self.insert(token);
        let mut alike = 0;
        let mut earliest = 0;
        for at in (0..self.formatting.len()).rev() {
            let entry = self.formatting[at];
            self.work += 1;
            if entry.id == 0 {
                break;
            }
            if entry.tag == token.tag && self.same_attrs(entry.id, id) {
                alike += 1;
                earliest = at;
            }
        }
        if alike >= 3 {
            self.formatting.remove(earliest);
        }
        self.formatting.push(Formatting { id, tag: token.tag });
    }

    fn same_attrs(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.dom.attr_spans(a), self.dom.attr_spans(b));
        self.work += 1 + if a.len() == b.len() { (a.len() * b.len()) as u64 } else { 0 };
        a.len() == b.len()
            && a.iter().all(|x| {
                b.iter().any(|y| {
                    self.dom.bytes(x.name) == self.dom.bytes(y.name)
                        && self.dom.bytes(x.value) == self.dom.bytes(y.value)
                })
            })
    }

    fn remove_formatting(&mut self, id: u32) {
        if let Some(at) = self.formatting.iter().rposition(|entry| entry.id == id) {
            self.work += (self.formatting.len() - at) as u64;
            self.formatting.remove(at);
        }
    }

    /// A link within a link ends the outer one.
    pub fn close_link(&mut self) {
        let Some(id) = self.last_formatting(Tag::A) else { return };
        self.adopt(Tag::A, Span::default());
        self.remove_formatting(id);
        if let Some(at) = self.position(id) {
            self.remove_open(at);
        }
    }

    /// The last active formatting element of a tag after the last marker.
    fn last_formatting(&mut self, tag: Tag) -> Option<u32> {
        for (steps, entry) in self.formatting.iter().rev().enumerate() {
            if entry.id == 0 || entry.tag == tag {
                self.work += steps as u64;
                return (entry.id != 0).then_some(entry.id);
            }
        }
        self.work += self.formatting.len() as u64;
        None
    }

    /// The adoption agency algorithm: an end tag of a formatting element.
    pub fn adopt(&mut self, subject: Tag, name: Span) {
        let top = self.top();
        if top.tag == subject {
            // The common case, and the only one of well-formed markup: it is the last entry of the list too.
            if self.formatting.last().is_some_and(|entry| entry.id == top.id) {
                self.formatting.pop();
                return self.pop();
            }
            if self.place_in_list(top.id).is_none() {
                return self.pop();
            }
        }
        for _ in 0..8 {
            let Some(element) = self.last_formatting(subject) else {
                return self.other_end(subject, name);
            };
            let Some(at) = self.position(element) else {
                return self.remove_formatting(element);
            };
            if !self.in_scope_of(SCOPE, |open| open.id == element) {
                return;
            }
            let Some(block) = (at + 1..self.stack.len()).find(|&i| self.stack[i].sets & SPECIAL != 0) else {
                self.truncate_stack(at);
                return self.remove_formatting(element);
            };
            self.work += (block - at) as u64;
            self.split(at, block);
            if self.dom.nodes.len() >= self.limits.max_nodes || self.work > self.limits.max_work {
                return;
            }
        }
    }

    /// One round of the adoption agency: `at` is the place of the formatting element on the stack, `block` that of its
    /// furthest block.
    fn split(&mut self, at: usize, block: usize) {
        let element = self.stack[at];
        let furthest = self.stack[block];
        let ancestor = if at == 0 { element } else { self.stack[at - 1] };
        let mut bookmark = self.place_in_list(element.id);
        let mut last = furthest.id;
        let mut node_at = block;
        let mut rounds = 0;
        loop {
            rounds += 1;
            node_at -= 1;
            let node = self.stack[node_at];
            if node.id == element.id {
                break;
            }
            let mut listed = self.place_in_list(node.id);
            if rounds > 3
                && let Some(entry) = listed.take()
            {
                self.formatting.remove(entry);
                if bookmark.is_some_and(|mark| entry < mark) {
                    bookmark = bookmark.map(|mark| mark - 1);
                }
            }
            let Some(entry) = listed else {
                self.remove_open(node_at);
                continue;
            };
            let clone = self.clone_element(node.id);
            self.replace_open(node_at, clone);
            self.formatting[entry].id = clone;
            if last == furthest.id {
                bookmark = Some(entry + 1);
            }
            self.move_to(Place::Last(clone), last);
            last = clone;
        }
        let place = self.place(ancestor);
        if !self.contains(last, place) {
            self.move_to(place, last);
        }
        let clone = self.clone_element(element.id);
        self.work += self.dom.move_children(furthest.id, clone) as u64;
        self.dom.append(furthest.id, clone);
        // The clone takes the bookmark's place in the list, the element leaves it.
        if let Some(mark) = bookmark {
            self.formatting
                .insert(mark.min(self.formatting.len()), Formatting { id: clone, tag: element.tag });
        }
        self.remove_formatting(element.id);
        if let Some(at) = self.position(element.id) {
            self.remove_open(at);
        }
        if let Some(under) = self.position(furthest.id) {
            let len = self.stack.len();
            self.push(clone, element.tag);
            self.work += (len - under) as u64;
            self.stack[under + 1..].rotate_right(1);
        }
    }

    fn place_in_list(&mut self, id: u32) -> Option<usize> {
        let at = self.formatting.iter().rposition(|entry| entry.id == id);
        self.work += (self.formatting.len() - at.unwrap_or(0)) as u64;
        at
    }

    /// Puts a clone in the place of an open element.
    fn replace_open(&mut self, at: usize, clone: u32) {
        let id = std::mem::replace(&mut self.stack[at].id, clone);
        self.dom.node_mut(id).flags &= !OPEN;
        self.dom.node_mut(clone).flags |= OPEN;
    }

    /// Whether a place lies within the subtree of a node. Only on pages deeper than the limit, where an open element
    /// need not contain the next one.
    fn contains(&mut self, id: u32, place: Place) -> bool {
        if !self.dom.cuts.depth {
            return false;
        }
        let (Place::Last(inner) | Place::Before(inner)) = place;
        let mut steps = 0;
        let found = std::iter::once(NodeId(inner)).chain(self.dom.ancestors(NodeId(inner))).any(|ancestor| {
            steps += 1;
            ancestor.0 == id
        });
        self.work += steps;
        found
    }
}

/// Keeps [`Open`] as small as a cache line can hold eight of.
const _: () = assert!(std::mem::size_of::<Open>() == 8);
