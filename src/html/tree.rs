//! Tree construction: the stack of open elements, where nodes go, and the dispatch on insertion modes.
//!
//! `Dom::parse` runs it once for each page.
//!
//! `Builder` is the whole parser; its methods are spread over the files `tokenizer*` (characters to tokens) and
//! `tree*` (tokens to tree). The stack of open elements keeps of each element the two values that are needed most, its tag and the
//! sets it belongs to, beside its index, so that walks of the stack touch no node; how many elements of a tag are
//! open is counted, so that most walks are not made at all.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#tree-construction>.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

use super::attribute_names::AttributeNames;
use super::dom::{Dom, Namespace, Node, SIDE, Span};
use super::limits::Limits;
use super::tag::{TAGS, Tag};
use super::tree_sets::{BUTTON, FOSTERS, IMPLIED, SCOPE, SETS};

/// Insertion modes. "Text" and "in table text" are no modes here: raw text is read when its element begins, and
/// the text of tables waits in [`Builder::pending`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// A start or end tag. Its attributes are the last entries of the document's vector.
#[derive(Copy, Clone, Debug)]
pub(super) struct Token {
    pub tag: Tag,
    pub name: Span,
    pub attrs: u32,
    pub count: u32,
    pub self_closing: bool,
}

/// How the contents of the element that has just begun are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Contents {
    Markup,
    Rcdata(Tag),
    Rawtext(Tag),
    Script,
    Plaintext,
}

/// An open element.
#[derive(Copy, Clone, Debug)]
pub(super) struct Open {
    pub id: u32,
    /// Tag of an HTML element; [`Tag::Document`] for elements of other languages.
    pub tag: Tag,
    pub ns: Namespace,
    /// The sets it belongs to.
    pub sets: u16,
}

/// Entry of the list of active formatting elements; `id` 0 is a marker.
#[derive(Copy, Clone, Debug)]
pub(super) struct Formatting {
    pub id: u32,
    pub tag: Tag,
}

/// Where a node goes: before a sibling, or at the end of a parent.
#[derive(Copy, Clone, Debug)]
pub(super) enum Place {
    Last(u32),
    Before(u32),
}

/// Node flag: the element is on the stack of open elements.
pub(super) const OPEN: u8 = 128;

/// The parser; made for one page.
pub(super) struct Builder<'s> {
    pub text: &'s str,
    pub src: &'s [u8],
    pub pos: usize,
    pub has_nul: bool,
    pub limits: Limits,
    pub dom: Dom<'s>,
    pub mode: Mode,
    pub stack: Vec<Open>,
    /// How many HTML elements of each tag are open.
    pub open: [u32; TAGS],
    pub formatting: Vec<Formatting>,
    pub template_modes: Vec<Mode>,
    /// Text in a table that waits for what follows it.
    pub pending: Vec<Span>,
    pub head: u32,
    pub form: u32,
    pub frameset_ok: bool,
    pub fostering: bool,
    pub ignore_newline: bool,
    pub contents: Contents,
    pub work: u64,
    /// Bytes that may still be copied to join text nodes.
    pub join_budget: usize,
    pub names: AttributeNames,
}

impl<'s> Builder<'s> {
    pub fn new(text: &'s str, has_nul: bool, limits: &Limits) -> Builder<'s> {
        Builder {
            text,
            src: text.as_bytes(),
            pos: 0,
            has_nul,
            limits: *limits,
            dom: Dom::new(Cow::Borrowed(text)),
            mode: Mode::Initial,
            stack: Vec::with_capacity(64),
            open: [0; TAGS],
            formatting: Vec::new(),
            template_modes: Vec::new(),
            pending: Vec::new(),
            head: 0,
            form: 0,
            frameset_ok: true,
            fostering: false,
            ignore_newline: false,
            contents: Contents::Markup,
            work: 0,
            join_budget: 4 * text.len() + (1 << 16),
            names: AttributeNames::new(limits.max_attrs_per_tag),
        }
    }

    /// Whether a limit says that parsing ends here.
    #[inline]
    pub fn spent(&mut self) -> bool {
        if self.dom.nodes.len() < self.limits.max_nodes && self.work <= self.limits.max_work {
            return false;
        }
        self.dom.cuts.nodes |= self.dom.nodes.len() >= self.limits.max_nodes;
        self.dom.cuts.work |= self.work > self.limits.max_work;
        true
    }

    // The stack of open elements.

    #[inline]
    pub fn top(&self) -> Open {
        self.stack.last().copied().unwrap_or(Open { id: 0, tag: Tag::Document, ns: Namespace::Html, sets: 0 })
    }

    #[inline]
    pub fn top_is(&self, tag: Tag) -> bool {
        self.top().tag == tag
    }

    #[inline]
    pub fn push(&mut self, id: u32, tag: Tag) {
        self.dom.node_mut(id).flags |= OPEN;
        self.open[tag as usize] += 1;
        self.stack.push(Open { id, tag, ns: Namespace::Html, sets: SETS[tag as usize] });
    }

    pub fn push_foreign(&mut self, id: u32, sets: u16) {
        let node = self.dom.node_mut(id);
        node.flags |= OPEN;
        let ns = node.ns;
        self.stack.push(Open { id, tag: Tag::Document, ns, sets });
    }

    #[inline]
    fn closed(&mut self, open: Open) {
        self.dom.node_mut(open.id).flags &= !OPEN;
        if open.ns == Namespace::Html {
            self.open[open.tag as usize] -= 1;
        }
    }

    #[inline]
    pub fn pop(&mut self) {
        if let Some(open) = self.stack.pop() {
            self.closed(open);
        }
    }

    pub fn truncate_stack(&mut self, len: usize) {
        while self.stack.len() > len {
            self.pop();
        }
    }

    /// Takes the element at a place of the stack out of it.
    pub fn remove_open(&mut self, at: usize) {
        self.work += (self.stack.len() - at) as u64;
        let open = self.stack.remove(at);
        self.closed(open);
    }

    /// Place on the stack.
    pub fn position(&mut self, id: u32) -> Option<usize> {
        if self.dom.node(id).flags & OPEN == 0 {
            return None;
        }
        let at = self.stack.iter().rposition(|open| open.id == id)?;
        self.work += (self.stack.len() - at) as u64;
        Some(at)
    }

    /// Pops elements until one of the tag has been popped.
    #[inline]
    pub fn pop_until(&mut self, tag: Tag) {
        while let Some(open) = self.stack.pop() {
            self.closed(open);
            if open.tag == tag {
                return;
            }
        }
    }

    /// Pops elements until the current node is one of `tags` or the root.
    pub fn clear_to(&mut self, tags: &[Tag]) {
        while self.stack.len() > 1 && !tags.contains(&self.top().tag) {
            self.pop();
        }
    }

    /// Whether an element of the tag is open with none of the sets `ends` above it.
    #[inline]
    pub fn in_scope(&mut self, tag: Tag, ends: u16) -> bool {
        self.open[tag as usize] != 0 && self.in_scope_of(ends, |open| open.tag == tag)
    }

    pub fn in_scope_of(&mut self, ends: u16, wanted: impl Fn(&Open) -> bool) -> bool {
        for (steps, open) in self.stack.iter().rev().enumerate() {
            let found = wanted(open);
            if found || open.sets & ends != 0 {
                self.work += steps as u64;
                return found;
            }
        }
        false
    }

    #[inline]
    pub fn has_open(&self, tag: Tag) -> bool {
        self.open[tag as usize] != 0
    }

    /// Pops elements whose end tags are implied, but for one tag.
    #[inline]
    pub fn imply_end_tags(&mut self, except: Tag) {
        while self.top().sets & IMPLIED != 0 && self.top().tag != except {
            self.pop();
        }
    }

    #[inline]
    pub fn close_p(&mut self) {
        if self.in_scope(Tag::P, SCOPE | BUTTON) {
            self.imply_end_tags(Tag::P);
            self.pop_until(Tag::P);
        }
    }

    // Making nodes and placing them.

    #[inline]
    pub fn create(&mut self, token: &Token, tag: Tag) -> u32 {
        self.dom.push_node(Node { a: token.attrs, b: token.count, ..Node::new(tag) })
    }

    /// The standard's "appropriate place for inserting a node".
    #[inline]
    pub fn place(&mut self, target: Open) -> Place {
        if self.fostering && target.sets & FOSTERS != 0 {
            self.foster_place()
        } else {
            Place::Last(target.id)
        }
    }

    fn foster_place(&mut self) -> Place {
        for at in (0..self.stack.len()).rev() {
            let open = self.stack[at];
            if open.tag == Tag::Template {
                return Place::Last(open.id);
            }
            if open.tag == Tag::Table {
                let linked = self.dom.parent(super::dom::NodeId(open.id)).is_some();
                return if linked {
                    Place::Before(open.id)
                } else {
                    Place::Last(self.stack[at.max(1) - 1].id)
                };
            }
            self.work += 1;
        }
        Place::Last(self.stack.first().map_or(0, |open| open.id))
    }

    #[inline]
    pub fn put(&mut self, place: Place, id: u32) {
        match place {
            Place::Last(parent) => self.dom.append(parent, id),
            Place::Before(sibling) => self.dom.insert_before(sibling, id),
        }
    }

    /// Puts a new element where it belongs below the current node, or, where the tree is as deep as it may be, beside
    /// it.
    #[inline]
    pub fn put_element(&mut self, id: u32) {
        let place = self.place(self.top());
        let place = if self.stack.len() < self.limits.max_depth { place } else { self.shallower(place) };
        self.put(place, id);
    }

    fn shallower(&mut self, place: Place) -> Place {
        self.dom.cuts.depth = true;
        match place {
            Place::Last(parent) => match self.dom.parent(super::dom::NodeId(parent)) {
                Some(grandparent) if grandparent.0 != 0 => Place::Last(grandparent.0),
                _ => place,
            },
            before => before,
        }
    }

    /// Inserts the element of a start tag and opens it.
    #[inline]
    pub fn insert(&mut self, token: &Token) -> u32 {
        self.insert_as(token, token.tag)
    }

    #[inline]
    pub fn insert_as(&mut self, token: &Token, tag: Tag) -> u32 {
        let id = self.create(token, tag);
        self.put_element(id);
        self.push(id, tag);
        id
    }

    /// Inserts the element of a start tag that has no contents.
    #[inline]
    pub fn insert_void(&mut self, token: &Token, tag: Tag) {
        let id = self.create(token, tag);
        self.put_element(id);
    }

    /// Inserts and opens an element that no tag of the source made.
    pub fn insert_implied(&mut self, tag: Tag) -> u32 {
        let id = self.dom.push_node(Node::new(tag));
        self.put_element(id);
        self.push(id, tag);
        id
    }

    /// Inserts text, joined to the text node before it if there is one.
    #[inline]
    pub fn insert_text(&mut self, span: Span) {
        let top = self.top();
        if top.id == 0 {
            return;
        }
        let place = self.place(top);
        let before = match place {
            Place::Last(parent) => self.dom.node(parent).last,
            Place::Before(sibling) => self.dom.node(sibling).prev,
        };
        if before != 0 && self.dom.node(before).tag == Tag::Text && self.join(before, span) {
            return;
        }
        let id = self.dom.push_node(Node { a: span.start, b: span.len, ..Node::new(Tag::Text) });
        self.put(place, id);
    }

    /// Adds characters to a text node. In place where they follow it in its buffer, by copying otherwise; false if
    /// the copying was more than a page may cost.
    fn join(&mut self, id: u32, span: Span) -> bool {
        let Node { a: start, b: len, .. } = *self.dom.node(id);
        if start + len == span.start {
            self.dom.node_mut(id).b += span.len;
            return true;
        }
        let side_end = self.dom.side.len();
        let at_end = start & SIDE != 0 && (start & !SIDE) as usize + len as usize == side_end;
        let cost = if at_end { span.len } else { len + span.len } as usize;
        if cost > self.join_budget {
            self.dom.cuts.work = true;
            return false;
        }
        self.join_budget -= cost;
        if !at_end {
            self.copy_to_side(Span { start, len });
            self.dom.node_mut(id).a = side_end as u32 | SIDE;
        }
        self.copy_to_side(span);
        self.dom.node_mut(id).b += span.len;
        true
    }

    fn copy_to_side(&mut self, span: Span) {
        let start = (span.start & !SIDE) as usize;
        let range = start..start + span.len as usize;
        if span.start & SIDE == 0 {
            self.dom.side.push_str(self.text.cut(range));
        } else {
            self.dom.side.extend_from_within(range);
        }
    }

    /// A span of the side buffer from a place of it to its end.
    #[inline]
    pub fn side_from(&self, start: usize) -> Span {
        Span { start: start as u32 | SIDE, len: (self.dom.side.len() - start) as u32 }
    }

    pub fn put_comment(&mut self, place: Place, span: Span) {
        let id = self.dom.push_node(Node { a: span.start, b: span.len, ..Node::new(Tag::Comment) });
        self.put(place, id);
    }

    /// The element that a second `html` or `body` tag adds its attributes to.
    pub fn add_attrs(&mut self, id: u32, token: &Token) {
        let (first, count) = (self.dom.node(id).a as usize, self.dom.node(id).b as usize);
        self.work += u64::from(token.count) * count as u64;
        let mut fresh = Vec::new();
        for at in token.attrs..token.attrs + token.count {
            let attr = self.dom.attrs[at as usize];
            let known = &self.dom.attrs[first..first + count];
            if known.iter().all(|k| self.dom.bytes(k.name) != self.dom.bytes(attr.name)) {
                fresh.push(attr);
            }
        }
        let room = self.limits.max_attrs_per_tag.saturating_sub(count);
        if fresh.len() > room {
            fresh.truncate(room);
            self.dom.cuts.attributes = true;
        }
        if fresh.is_empty() {
            return;
        }
        let start = self.dom.attrs.len();
        self.dom.attrs.extend_from_within(first..first + count);
        self.dom.attrs.append(&mut fresh);
        let len = self.dom.attrs.len();
        let node = self.dom.node_mut(id);
        (node.a, node.b) = (start as u32, (len - start) as u32);
    }
}
