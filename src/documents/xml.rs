//! XML parts as trees: small, read-only, by local names.
//!
//! **Definition.** XML 1.0 and namespaces, of which only the local part of names is looked at: the transitional and the strict
//! form of Office files differ in nothing else.
//!
//! **Algorithm.** One pass over the part. Nodes stand in document order, each with the number of the first node behind it, so
//! that the children of an element are found by steps from one to the next. Names, attributes and words stay in the part and
//! are decoded when asked for.
//!
//! **Cost.** 16 bytes a node and the part itself; at most [`MAX_NODES`] nodes and [`MAX_DEPTH`] levels.
//!
//! **Bad input.** Anything that is no XML ends the tree there ([`Xml::is_damaged`]). No entity but the five of XML and numbers is
//! expanded; declarations of others are not even read, so none can grow or reach a file.

mod characters;

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;

pub(crate) use crate::xml::characters::decode;
use crate::xml::characters::unescaped;

/// Nodes of a tree; what follows is left out.
const MAX_NODES: usize = 4_000_000;
/// Levels of elements; deeper ones are left out. A cell within a cell takes some ten.
const MAX_DEPTH: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Element,
    Text,
    CData,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    shape: Shape,
    /// Bytes of the part: of an element what stands between `<` and `>`.
    from: u32,
    to: u32,
    /// Number of the first node behind it and all that it holds.
    next: u32,
}

/// A part and its tree.
#[derive(Debug, Default)]
pub(crate) struct Xml {
    source: String,
    nodes: Vec<Node>,
    damaged: bool,
    cut: Option<&'static str>,
    /// Nodes that were met, those that were not kept too.
    met: usize,
}

/// What an element holds.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    Element(Element<'a>),
    Text(Cow<'a, str>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'a> {
    source: &'a str,
    nodes: &'a [Node],
    at: usize,
}

impl Xml {
    /// Reads a part, in the charset that its first bytes tell.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        stream(bytes, "", MAX_NODES, |_| true)
    }

    /// Whether its end was not reached.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// Why a part of it was left out, if it was.
    pub(crate) fn cut(&self) -> Option<&'static str> {
        self.cut
    }

    /// Nodes that were met.
    pub(crate) fn met(&self) -> usize {
        self.met
    }

    /// The first element.
    pub(crate) fn root(&self) -> Option<Element<'_>> {
        let at = self.nodes.iter().position(|node| node.shape == Shape::Element)?;
        Some(Element { source: &self.source, nodes: &self.nodes, at })
    }
}

/// Reads a part and looks at each element of a name when it ends, keeping none of them, as long as `look` says so. The result
/// is the tree of all the others. For parts of millions of elements, of which at most `most` nodes are met.
pub(crate) fn stream(bytes: &[u8], name: &str, most: usize, look: impl FnMut(Element<'_>) -> bool) -> Xml {
    let source = decode(bytes);
    let mut tree = Tree::default();
    tree.build(&source, name, most, look);
    Xml { source, nodes: tree.nodes, damaged: tree.damaged, cut: tree.cut, met: tree.met }
}

/// A tree that grows.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    damaged: bool,
    cut: Option<&'static str>,
    met: usize,
}

impl Tree {
    /// Reads a part to its end, up to `most` nodes, or until `look` has seen enough of the elements called `each`.
    fn build(&mut self, source: &str, each: &str, most: usize, mut look: impl FnMut(Element<'_>) -> bool) {
        if u32::try_from(source.len()).is_err() {
            self.damaged = true;
            return;
        }
        let mut reader = Reader::from_str(source);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut open = Vec::<usize>::new();
        let mut too_deep = 0_usize;
        loop {
            let from = position(reader.buffer_position());
            let event = reader.read_event();
            let to = position(reader.buffer_position());
            let closed = match event {
                Ok(Event::Eof) => {
                    self.damaged |= !open.is_empty();
                    break;
                }
                Err(_) => {
                    self.damaged = true;
                    break;
                }
                Ok(_) if self.nodes.len() >= MAX_NODES || self.met >= most => {
                    self.cut = Some("too-much-work");
                    break;
                }
                Ok(Event::Start(_)) if open.len() >= MAX_DEPTH => {
                    self.cut = self.cut.or(Some("too-deep"));
                    too_deep += 1;
                    None
                }
                Ok(Event::End(_)) if too_deep > 0 => {
                    too_deep -= 1;
                    None
                }
                Ok(_) if too_deep > 0 => None,
                Ok(Event::Start(_)) => {
                    open.push(self.nodes.len());
                    self.push(Shape::Element, from + 1, to.saturating_sub(1));
                    None
                }
                Ok(Event::Empty(_)) => {
                    self.push(Shape::Element, from + 1, to.saturating_sub(2));
                    Some(self.nodes.len() - 1)
                }
                Ok(Event::End(end)) => self.ended(source, end.name().into_inner(), &mut open),
                Ok(event) => {
                    self.push_words(&event, from, to);
                    None
                }
            };
            let Some(at) = closed else { continue };
            self.close(at);
            let element = Element { source, nodes: &self.nodes, at };
            if !each.is_empty() && element.name() == each {
                let go_on = look(element);
                self.nodes.truncate(at);
                if !go_on {
                    break;
                }
            }
        }
        while let Some(at) = open.pop() {
            self.close(at);
        }
    }

    /// The element that an end tag ends, with all that was left open in it; `None` where it ends none.
    fn ended(&mut self, source: &str, name: &str, open: &mut Vec<usize>) -> Option<usize> {
        let named = |&at: &usize| {
            let tag = self.nodes.get(at).map(|node| node.slice(source));
            tag.and_then(|tag| tag.strip_prefix(name)).is_some_and(|rest| !rest.starts_with(is_in_name))
        };
        let found = open.iter().rposition(named);
        self.damaged |= found.is_none_or(|found| found + 1 < open.len());
        for at in open.split_off(found.map_or(open.len(), |found| found + 1)) {
            self.close(at);
        }
        found.and_then(|_| open.pop())
    }

    fn push_words(&mut self, event: &Event<'_>, from: u32, to: u32) {
        match event {
            // Words join those before, from which a reference parts them.
            Event::Text(_) | Event::GeneralRef(_) => match self.nodes.last_mut() {
                Some(last) if last.shape == Shape::Text && last.to == from => last.to = to,
                _ => self.push(Shape::Text, from, to),
            },
            Event::CData(_) => self.push(Shape::CData, from.saturating_add(9), to.saturating_sub(3)),
            _ => {}
        }
    }

    fn push(&mut self, shape: Shape, from: u32, to: u32) {
        let next = position(self.nodes.len() as u64 + 1);
        self.met += 1;
        self.nodes.push(Node { shape, from, to, next });
    }

    fn close(&mut self, at: usize) {
        let next = position(self.nodes.len() as u64);
        if let Some(node) = self.nodes.get_mut(at) {
            node.next = next;
        }
    }
}

impl Node {
    fn slice(self, source: &str) -> &str {
        source.get(self.from as usize..self.to as usize).unwrap_or_default()
    }

    fn text(self, source: &str) -> Cow<'_, str> {
        match self.shape {
            Shape::Element => Cow::Borrowed(""),
            Shape::CData => Cow::Borrowed(self.slice(source)),
            Shape::Text => unescaped(self.slice(source)),
        }
    }
}

impl<'a> Element<'a> {
    fn node(self) -> Option<&'a Node> {
        self.nodes.get(self.at)
    }

    /// Number of the first node behind it.
    fn next(self) -> usize {
        self.node().map_or(0, |node| node.next as usize)
    }

    /// Between its brackets.
    fn tag(self) -> &'a str {
        self.node().map_or("", |node| node.slice(self.source))
    }

    /// Its name without prefix.
    pub(crate) fn name(self) -> &'a str {
        let tag = self.tag();
        let end = tag.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(tag.len());
        local(tag.get(..end).unwrap_or_default())
    }

    /// The value of the first attribute of a name, whatever its prefix.
    pub(crate) fn attr(self, name: &str) -> Option<Cow<'a, str>> {
        self.attrs().find(|(key, _)| local(key) == name).map(|(_, value)| unescaped(value))
    }

    /// The value of the attribute of a name that has a prefix, as `r:id` beside `id`.
    pub(crate) fn prefixed_attr(self, name: &str) -> Option<Cow<'a, str>> {
        let mut attrs = self.attrs();
        let found = attrs.find(|(key, _)| key.contains(':') && local(key) == name)?;
        Some(unescaped(found.1))
    }

    /// Whether an attribute says yes.
    pub(crate) fn is_on(self, name: &str) -> bool {
        self.attr(name).is_some_and(|value| matches!(&*value, "1" | "true" | "on"))
    }

    /// The number that an attribute says.
    pub(crate) fn number<N: std::str::FromStr>(self, name: &str) -> Option<N> {
        self.attr(name)?.trim().parse().ok()
    }

    fn attrs(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let tag = self.tag();
        let end = tag.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tag.len());
        let mut attributes = Attributes::new(tag, end);
        attributes.with_checks(false);
        attributes.filter_map(Result::ok).filter_map(move |attribute| {
            let value = match attribute.value {
                Cow::Borrowed(value) => value,
                Cow::Owned(_) => return None,
            };
            Some((attribute.key.into_inner(), value))
        })
    }

    /// What it holds, in order.
    pub(crate) fn content(self) -> impl Iterator<Item = Content<'a>> {
        let Element { source, nodes, .. } = self;
        let (mut at, end) = (self.at + 1, self.next());
        std::iter::from_fn(move || {
            let node = nodes.get(at).filter(|_| at < end)?;
            let content = match node.shape {
                Shape::Element => Content::Element(Element { source, nodes, at }),
                _ => Content::Text(node.text(source)),
            };
            at = (node.next as usize).max(at + 1);
            Some(content)
        })
    }

    /// The elements that it holds, in order.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a>> {
        self.content().filter_map(|content| match content {
            Content::Element(element) => Some(element),
            Content::Text(_) => None,
        })
    }

    /// The first element of a name that it holds.
    pub(crate) fn child(self, name: &str) -> Option<Element<'a>> {
        self.children().find(|child| child.name() == name)
    }

    /// The element at the end of a path of names.
    pub(crate) fn path(self, names: &[&str]) -> Option<Element<'a>> {
        names.iter().try_fold(self, |element, name| element.child(name))
    }

    /// Attribute `val` of the first element of a name that it holds.
    pub(crate) fn val(self, name: &str) -> Option<Cow<'a, str>> {
        self.child(name)?.attr("val")
    }

    /// All elements within, at any depth, in order.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'a>> {
        let Element { source, nodes, .. } = self;
        (self.at + 1..self.next()).filter_map(move |at| {
            let node = nodes.get(at)?;
            (node.shape == Shape::Element).then_some(Element { source, nodes, at })
        })
    }

    /// All words within, at any depth.
    pub(crate) fn text(self) -> String {
        let nodes = self.nodes.get(self.at + 1..self.next()).unwrap_or_default();
        nodes.iter().map(|node| node.text(self.source)).collect()
    }
}

fn is_in_name(c: char) -> bool {
    !(c.is_ascii_whitespace() || c == '/')
}

fn position(at: u64) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
#[path = "xml_tests.rs"]
mod tests;
