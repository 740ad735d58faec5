//! A chapter: a page of XHTML as blocks.
//!
//! **Algorithm.** One walk over the tree, without recursion: words gather until a block begins or ends.
//!
//! **Cost.** Linear in the page; its tree is bounded as that of any page of HTML.

use std::borrow::Cow;

use webmill_capture::CanonicalUrl;
use webmill_html::script::Position;
use webmill_html::{Dom, Edge, NodeId, Tag, parse};

use crate::blocks::{push, push_at, push_collapsed, trimmed};
use crate::epub::contents::Entry;
use crate::grid::Grid;
use crate::{Builder, Inline, Marker, Table};

/// Lists that may stand within each other; deeper ones are shown at this depth.
const MAX_LISTS: usize = 64;

/// Tells of a chapter; `entry` is what the table of contents calls it. Links are those that lead out of it: absolute ones,
/// and others where it has an address (`base`).
pub(crate) fn tell(source: &str, entry: Option<&Entry>, base: Option<&CanonicalUrl>, builder: &mut Builder) {
    let source = written_out(without_subset(source));
    let dom = parse(&source, &webmill_html::Limits::default());
    let Some(body) = dom.body() else { return };
    let is_heading = |node| heading_level(dom.tag(node)).is_some();
    let entry = entry.filter(|_| !dom.descendants(body).any(is_heading));
    let mut walk = Walk {
        dom: &dom,
        builder,
        words: Inline::default(),
        lists: Vec::new(),
        marker: None,
        heading: None,
        link: None,
        entry,
        base,
        has_bases: source.contains("xml:base"),
        is_empty: true,
    };
    walk.page(body);
    walk.flush();
    if walk.is_empty {
        walk.pictures(body);
    }
}

/// A list that is open: the number of its next item, or none for bullets.
type List = Option<u32>;

struct Walk<'d, 'b> {
    dom: &'d Dom<'d>,
    builder: &'b mut Builder,
    words: Inline,
    lists: Vec<List>,
    /// Of the item whose words come now.
    marker: Option<Marker>,
    heading: Option<u8>,
    link: Option<String>,
    /// Heading that the chapter lacks.
    entry: Option<&'b Entry>,
    base: Option<&'b CanonicalUrl>,
    /// Whether elements may have bases of their own (`xml:base`).
    has_bases: bool,
    /// Whether no words were found yet.
    is_empty: bool,
}

impl Walk<'_, '_> {
    fn page(&mut self, body: NodeId) {
        let dom = self.dom;
        let mut walk = dom.walk(body);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) if dom.is_text(node) => {
                    push_collapsed(&mut self.words, dom.text(node), self.link.as_deref())
                }
                Edge::Enter(node) => {
                    if !self.enter(node) {
                        walk.skip_children();
                    }
                }
                Edge::Leave(node) => self.leave(node),
            }
        }
    }

    /// Begins an element; `false` where what it holds is done with.
    fn enter(&mut self, node: NodeId) -> bool {
        match self.dom.tag(node) {
            Tag::Script
            | Tag::Style
            | Tag::Template
            | Tag::Svg
            | Tag::Rt
            | Tag::Rp
            | Tag::Noscript
            | Tag::Head => return false,
            Tag::Sup | Tag::Sub if !self.dom.descendants(node).any(|n| self.dom.is_element(n)) => {
                placed(self.dom, node, self.link.as_deref(), &mut self.words);
                return false;
            }
            Tag::Br => self.words.text.push('\n'),
            Tag::A => {
                // Links within the book lead nowhere outside of it.
                self.link = self.target(node);
            }
            Tag::Pre => {
                self.flush();
                self.is_empty = false;
                let mut lines = String::new();
                self.dom.text_content(node, &mut lines);
                self.builder.code(&lines);
                return false;
            }
            Tag::Table => {
                self.flush();
                self.is_empty = false;
                self.table(node);
                return false;
            }
            Tag::Ul | Tag::Ol => {
                self.flush();
                let start =
                    self.dom.attr(node, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
                if self.lists.len() < MAX_LISTS {
                    self.lists.push((self.dom.tag(node) == Tag::Ol).then_some(start));
                }
            }
            Tag::Li => {
                self.flush();
                self.marker = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        Marker::Number(number.saturating_sub(1))
                    }
                    _ => Marker::Bullet,
                });
            }
            tag if heading_level(tag).is_some() => {
                self.flush();
                self.heading = heading_level(tag);
            }
            tag if is_block(tag) => self.flush(),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: NodeId) {
        match self.dom.tag(node) {
            Tag::A => self.link = None,
            Tag::Ul | Tag::Ol => {
                self.flush();
                self.lists.pop();
                self.marker = None;
            }
            Tag::Li => {
                self.flush();
                self.marker = None;
            }
            tag if heading_level(tag).is_some() => {
                self.flush();
                self.heading = None;
            }
            tag if is_block(tag) => self.flush(),
            _ => {}
        }
    }

    /// Tells of the words that have gathered.
    fn flush(&mut self) {
        let words = trimmed(std::mem::take(&mut self.words));
        if words.is_blank() {
            return;
        }
        self.is_empty = false;
        if let Some(entry) = self.entry.take() {
            self.builder.heading(entry.level, entry.name.as_str());
            // The chapter begins with its name, only not as a heading.
            if words.text.split_whitespace().eq(entry.name.split_whitespace()) {
                return;
            }
        }
        match (self.heading, self.marker.take()) {
            (Some(level), _) => self.builder.heading(level, words),
            (None, Some(marker)) => {
                let depth = u8::try_from(self.lists.len().saturating_sub(1)).unwrap_or(u8::MAX);
                self.builder.item(depth, marker, words);
            }
            (None, None) => self.builder.paragraph(words),
        }
    }

    /// Tells what the pictures of a page without words show.
    fn pictures(&mut self, body: NodeId) {
        let pictures =
            self.dom.descendants(body).filter(|&node| matches!(self.dom.tag(node), Tag::Img | Tag::Image));
        for text in pictures.filter_map(|node| self.dom.attr(node, "alt")) {
            push_collapsed(&mut self.words, text, None);
            self.flush();
        }
    }

    /// Tells of a table; tables within its cells are words of those.
    fn table(&mut self, table: NodeId) {
        let mut shown = Table::default();
        let mut names = 0;
        let mut grid = Grid::default();
        let mut caption = Inline::default();
        let mut links = Vec::new();
        let mut within = 0;
        let mut walk = self.dom.walk(table);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) => match self.dom.tag(node) {
                    Tag::Table => within += 1,
                    Tag::Caption => {
                        caption = self.cell(node, &mut links);
                        walk.skip_children();
                    }
                    Tag::Tr if within == 1 => {
                        let cells = self
                            .dom
                            .children(node)
                            .filter(|&cell| matches!(self.dom.tag(cell), Tag::Td | Tag::Th));
                        let mut row = Vec::new();
                        let mut all_names = true;
                        for cell in cells {
                            all_names &= self.dom.tag(cell) == Tag::Th;
                            let span = |name| self.dom.attr(cell, name)?.trim().parse::<usize>().ok();
                            let spans = (span("colspan").unwrap_or(1), span("rowspan").unwrap_or(1));
                            grid.place(&mut row, self.cell(cell, &mut links).text, spans);
                        }
                        names += usize::from(all_names && shown.rows.is_empty() && !row.is_empty());
                        grid.end(&mut row);
                        shown.rows.push(row);
                        walk.skip_children();
                    }
                    _ => {}
                },
                Edge::Leave(node) => within -= usize::from(self.dom.tag(node) == Tag::Table),
            }
        }
        if names == 1 && shown.rows.len() > 1 {
            shown.columns = shown.rows.remove(0);
        }
        if !caption.is_blank() {
            shown.caption = Some(caption.text.clone());
            self.builder.paragraph(caption);
        }
        self.builder.table(shown);
        links.iter().for_each(|(target, anchor)| self.builder.link(target, anchor));
    }

    /// Where a link leads, if it leads out of the chapter.
    fn target(&self, node: NodeId) -> Option<String> {
        let target = self.dom.attr(node, "href")?;
        match self.base_at(node).as_deref() {
            Some(base) => base.join(target).map(CanonicalUrl::into_string),
            None => target.contains(':').then(|| target.to_owned()),
        }
    }

    /// What an address in an element is relative to.
    fn base_at(&self, node: NodeId) -> Option<Cow<'_, CanonicalUrl>> {
        let outer = self.base.map(Cow::Borrowed);
        if !self.has_bases {
            return outer;
        }
        let mut bases: Vec<&str> = std::iter::once(node)
            .chain(self.dom.ancestors(node))
            .filter_map(|node| self.dom.attr(node, "xml:base"))
            .collect();
        bases.reverse();
        bases.into_iter().fold(outer, |base, stated| match &base {
            Some(known) => known.join(stated).map(Cow::Owned).or(base),
            None => CanonicalUrl::parse(stated).map(Cow::Owned),
        })
    }

    /// Words of a cell.
    fn cell(&self, cell: NodeId, links: &mut Vec<(String, String)>) -> Inline {
        let dom = self.dom;
        let mut words = Inline::default();
        let mut link: Option<String> = None;
        let mut walk = dom.walk(cell);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) if dom.is_text(node) => {
                    push_collapsed(&mut words, dom.text(node), link.as_deref())
                }
                Edge::Enter(node) => match dom.tag(node) {
                    Tag::Script | Tag::Style | Tag::Template | Tag::Svg | Tag::Rt | Tag::Rp => {
                        walk.skip_children()
                    }
                    Tag::Sup | Tag::Sub if !dom.descendants(node).any(|n| dom.is_element(n)) => {
                        placed(dom, node, link.as_deref(), &mut words);
                        walk.skip_children();
                    }
                    Tag::A => link = self.target(node),
                    tag if is_block(tag) || matches!(tag, Tag::Br | Tag::Td | Tag::Th) => {
                        push(&mut words, " ", None)
                    }
                    _ => {}
                },
                Edge::Leave(node) if dom.tag(node) == Tag::A => link = None,
                Edge::Leave(_) => {}
            }
        }
        let words = trimmed(words);
        links.extend(words.anchors());
        words
    }
}

/// Adds raised or lowered text.
fn placed(dom: &Dom<'_>, node: NodeId, link: Option<&str>, words: &mut Inline) {
    let Some(position) = Position::of(dom.tag(node)) else { return };
    let mut text = String::new();
    dom.text_content(node, &mut text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    push_at(words, &text, Some(position), link);
}

fn heading_level(tag: Tag) -> Option<u8> {
    Some(match tag {
        Tag::H1 => 1,
        Tag::H2 => 2,
        Tag::H3 => 3,
        Tag::H4 => 4,
        Tag::H5 => 5,
        Tag::H6 => 6,
        _ => return None,
    })
}

fn is_block(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::P
            | Tag::Div
            | Tag::Section
            | Tag::Article
            | Tag::Aside
            | Tag::Header
            | Tag::Footer
            | Tag::Main
            | Tag::Nav
            | Tag::Blockquote
            | Tag::Figure
            | Tag::Figcaption
            | Tag::Dl
            | Tag::Dt
            | Tag::Dd
            | Tag::Hr
            | Tag::Address
            | Tag::Hgroup
            | Tag::Details
            | Tag::Summary
            | Tag::Tr
            | Tag::Center
            | Tag::Ul
            | Tag::Ol
            | Tag::Li
            | Tag::Table
    )
}

/// What follows a document type that declares entities of its own: HTML knows no such declarations, and none is read.
fn without_subset(source: &str) -> &str {
    let Some(at) = source.find("<!DOCTYPE") else { return source };
    let declared = source.get(at..).unwrap_or_default();
    match declared.find(['[', '>']).map(|end| declared.split_at(end)) {
        Some((_, subset)) if subset.starts_with('[') => {
            let end = subset.find(']').unwrap_or(0);
            let behind = subset.get(end..).unwrap_or_default();
            behind.find('>').and_then(|end| behind.get(end + 1..)).unwrap_or(source)
        }
        _ => source,
    }
}

/// Elements that end where they begin, `<title/>`, with an end of their own: HTML knows no such form.
fn written_out(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 64);
    let mut rest = source;
    while let Some(at) = rest.find("/>") {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let tag = before.rfind('<').and_then(|from| before.get(from + 1..)).unwrap_or_default();
        let end = tag.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tag.len());
        let name = tag.get(..end).unwrap_or_default();
        let plain = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_'));
        // A bracket within: the tag has ended before.
        if plain && !tag.contains('>') && !is_void(name) {
            out.push_str("></");
            out.push_str(name);
            out.push('>');
        } else {
            out.push_str("/>");
        }
        rest = behind.get(2..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn is_void(name: &str) -> bool {
    const VOID: [&str; 14] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    ];
    VOID.contains(&name.to_ascii_lowercase().as_str())
}
