//! Divides a page into blocks and containers.
//!
//! Everything in this crate starts from them: the choice of main text, metadata, comments and templates of hosts.
//!
//! Algorithm: one walk of the tree (iterative), then one pass over the containers from the last to the first, which adds
//! each to its parent, and one from the first to the last for inherited properties. Cost: O(nodes + characters) time,
//! O(blocks + containers) memory; [`MAX_BLOCKS`] and [`MAX_TEXT`] bound both.

pub(crate) mod class_names;
pub(crate) mod code;
pub(crate) mod elements;
mod formula;
pub(crate) mod groups;
mod inline;
pub(crate) mod page;
pub(crate) mod redirect;
pub(crate) mod schema_types;
#[cfg(test)]
mod script_tests;
pub(crate) mod tex;

use crate::threads::is_comment_id;
use class_names::{KINDS, Kind};
use elements::{
    Display, KnownClasses, display, is_code, is_custom_image, is_drawn_formula, is_marked, is_strong, names,
    not_displayed,
};
use inline::TypesetElements;
use page::{Block, Container, Counts, Event, FAR, MAX_BLOCKS, MAX_TEXT, Mark, NONE, Page, sum_up};
use tex::{is_drawing, states_tex};
use webmill_capture::cut::Cut;
use webmill_html::{Dom, NodeId, Tag, is_wide};

/// Inline elements remembered around text, for Markdown.
const MAX_INLINE: usize = 16;
/// Bytes of the indentation of a line of code.
const MAX_INDENT: usize = 256;

const WIDE_UNITS: f32 = 0.6;

struct Builder<'d, 'a> {
    dom: &'d Dom<'a>,
    page: Page,
    classes: KnownClasses,
    /// Innermost open container.
    at: u32,
    /// Open inline elements, innermost last.
    inline: Vec<(Tag, NodeId)>,
    inline_over: usize,
    links: u32,
    strong: u32,
    pre: u32,
    /// The block being filled: its indentation, and its text.
    line: usize,
    start: usize,
    first_event: usize,
    counts: Counts,
    inline_kinds: u64,
    space: bool,
    /// White space to be written holds a line's end.
    wrapped: bool,
    /// White space before the first word of a line of code.
    indent: String,
    typeset: TypesetElements,
    in_word: bool,
    breaks: u32,
}

impl Builder<'_, '_> {
    fn open(&mut self, node: NodeId, tag: Tag) {
        self.flush();
        let (kinds, signature) = names(self.dom, node, tag, &mut self.page.schema, &mut self.classes);
        let index = self.page.containers.len() as u32;
        let parent = self.at;
        let mut container = Container {
            tag,
            node,
            parent: 0,
            depth: 0,
            distance: [FAR; KINDS],
            signature,
            first: self.page.blocks.len() as u32,
            end: 0,
            counts: Counts::default(),
            twins: 1,
            twin_units: 0.0,
            twin_link_units: 0.0,
            wider: 0,
            table: NONE,
            row: NONE,
            cell: NONE,
            list: NONE,
            item: NONE,
            list_depth: 0,
            group: 0,
            is_comment: kinds & Kind::Comment.bit() != 0
                && self.dom.attr(node, "id").is_some_and(is_comment_id),
        };
        if let Some(up) = self.page.containers.get(parent as usize) {
            (container.parent, container.wider, container.depth) = (parent, parent, up.depth + 1);
            container.distance = up.distance.map(|steps| (steps + 1).min(FAR));
            let mut bits = kinds;
            while bits != 0 {
                container.distance[bits.trailing_zeros() as usize] = 0;
                bits &= bits - 1;
            }
            let own = |is: bool, around: u32| if is { index } else { around };
            container.table = own(tag == Tag::Table, up.table);
            container.row = own(tag == Tag::Tr, up.row);
            container.cell = own(matches!(tag, Tag::Td | Tag::Th), up.cell);
            container.item = own(matches!(tag, Tag::Li | Tag::Dt | Tag::Dd), up.item);
            let is_list = matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl);
            container.list = own(is_list, up.list);
            container.list_depth = up.list_depth.saturating_add(u8::from(is_list));
        }
        self.page.containers.push(container);
        self.at = index;
        if is_code(tag) {
            self.pre += 1;
        }
    }

    fn close(&mut self, tag: Tag) {
        self.flush();
        let end = self.page.blocks.len() as u32;
        let container = &mut self.page.containers[self.at as usize];
        container.end = end;
        self.at = container.parent;
        self.pre -= u32::from(is_code(tag));
    }

    fn open_inline(&mut self, node: NodeId, tag: Tag) {
        if is_link(self.dom, node, tag) {
            self.links += 1;
            self.counts.links += 1;
        } else if is_strong(tag) {
            self.strong += 1;
        }
        if self.dom.attrs(node).next().is_some() {
            self.inline_kinds |= names(self.dom, node, tag, &mut self.page.schema, &mut self.classes).0;
        }
        self.open_typeset(node, tag);
        if is_marked(tag) {
            if self.inline.len() < MAX_INLINE {
                self.inline.push((tag, node));
                self.event(Mark::Open(tag), node);
            } else {
                self.inline_over += 1;
            }
        }
    }

    fn close_inline(&mut self, node: NodeId, tag: Tag) {
        if is_link(self.dom, node, tag) {
            self.links -= 1;
        } else if is_strong(tag) {
            self.strong -= 1;
        }
        self.close_typeset(node, tag);
        if is_marked(tag) {
            if self.inline_over > 0 {
                self.inline_over -= 1;
            } else {
                self.inline.pop();
                self.event(Mark::Close(tag), node);
            }
        }
    }

    fn text(&mut self, text: &str) {
        let room = MAX_TEXT.saturating_sub(self.page.text.len());
        let (text, beyond) = text.split_at(text.floor_char_boundary(room));
        self.page.left_out.bytes += beyond.len() as u64;
        let out = &mut self.page.text;
        let counts = &mut self.counts;
        let (mut words, mut wide) = (0u32, 0u32);
        let mut rest = text;
        loop {
            let mut run = 0;
            for &b in rest.as_bytes() {
                if !b.is_ascii_alphanumeric() {
                    break;
                }
                counts.upper += u32::from(b.is_ascii_uppercase());
                counts.digits += u32::from(b.is_ascii_digit());
                run += 1;
            }
            if run > 0 {
                if out.len() == self.start {
                    self.start += indented(out, &mut self.indent);
                } else if self.space {
                    out.push(' ');
                }
                self.space = false;
                self.wrapped = false;
                out.push_str(rest.cut(..run));
                counts.letters += run as u32;
                words += u32::from(!self.in_word);
                self.in_word = true;
                self.breaks = 0;
            }
            rest = rest.cut(run..);
            let Some(c) = rest.chars().next() else { break };
            rest = rest.cut(c.len_utf8()..);
            // Places where a word may be broken are no part of it.
            if matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}') {
                continue;
            }
            if c.is_whitespace() {
                self.in_word = false;
                if self.pre > 0 && out.len() > self.start && (c == '\n' || c == ' ' || c == '\t') {
                    out.push(c);
                    counts.breaks += u32::from(c == '\n');
                } else {
                    if self.pre > 0 {
                        match c {
                            '\n' => self.indent.clear(),
                            _ if self.indent.len() < MAX_INDENT => self.indent.push(c),
                            _ => {}
                        }
                    }
                    self.space = true;
                    self.wrapped |= c == '\n';
                }
                continue;
            }
            if out.len() == self.start {
                self.start += indented(out, &mut self.indent);
            } else if self.space {
                // A line of the source that ends between two Han characters is no word boundary.
                let joined =
                    self.wrapped && has_no_spaces(c) && out.chars().next_back().is_some_and(has_no_spaces);
                if !joined {
                    out.push(' ');
                }
            }
            self.space = false;
            self.wrapped = false;
            self.breaks = 0;
            out.push(c);
            match c {
                ',' | ';' | '，' | '、' | '；' | '،' => counts.commas += 1,
                '.' | '!' | '?' | '。' | '！' | '？' | '…' | '．' | '।' => counts.stops += 1,
                '|' | '>' | '/' | '»' | '›' | '•' | '·' | '→' | '：' | ':' | '©' | '#' | '$' | '€' | '£'
                | '¥' | '*' | '+' | '=' | '_' | '{' | '}' | '[' | ']' | '<' | '\\' | '￥' => {
                    counts.marks += 1
                }
                _ => {}
            }
            if c.is_ascii() {
                // An apostrophe or hyphen does not end a word.
                self.in_word &= matches!(c, '\'' | '-' | '_');
            } else if is_wide(c) {
                counts.letters += 1;
                wide += 1;
                self.in_word = false;
            } else if c.is_alphanumeric() {
                counts.letters += 1;
                counts.upper += u32::from(c.is_uppercase());
                words += u32::from(!self.in_word);
                self.in_word = true;
            } else {
                self.in_word &= c == '’';
            }
        }
        let units = words as f32 + wide as f32 * WIDE_UNITS;
        counts.units += units;
        if self.links > 0 {
            counts.link_units += units;
        }
        if self.strong > 0 {
            counts.strong_units += units;
        }
    }

    fn line_break(&mut self, node: NodeId) {
        self.breaks += 1;
        self.in_word = false;
        if self.breaks >= 2 && self.pre == 0 {
            self.flush();
        } else if self.page.text.len() > self.start {
            self.event(Mark::Break, node);
            self.page.text.push('\n');
            self.counts.breaks += 1;
            self.space = false;
        }
    }

    /// Ends the block being filled; without letters or digits it is no block, its counts go to the container.
    fn flush(&mut self) {
        let text = &mut self.page.text;
        // A pilcrow at the end is the permanent link of a heading.
        let trimmed = text.cut(self.start..).trim_end().trim_end_matches('¶').trim_end().len() + self.start;
        let counts = self.counts;
        if counts.letters > 0 && self.page.blocks.len() < MAX_BLOCKS {
            text.truncate(trimmed);
            let body = text.cut(self.start..);
            let mut tail = body
                .chars()
                .rev()
                .filter(|c| !matches!(c, '"' | '”' | '’' | '\'' | ')' | '）' | '」' | '』'));
            let last = tail.next().unwrap_or(' ');
            let first = body.chars().next().unwrap_or(' ');
            let end = text.len() as u32;
            let hash = xxhash_rust::xxh3::xxh3_64(body.as_bytes());
            for event in &mut self.page.events[self.first_event..] {
                event.at = event.at.min(end);
            }
            for i in (0..self.inline.len()).rev() {
                let (tag, node) = self.inline[i];
                self.page.events.push(Event { at: end, mark: Mark::Close(tag), node });
            }
            let events = (self.first_event as u32, self.page.events.len() as u32);
            self.page.blocks.push(Block {
                start: self.start as u32,
                indent: (self.start - self.line) as u32,
                end,
                events,
                container: self.at,
                counts,
                inline_kinds: self.inline_kinds,
                ends_sentence: matches!(last, '.' | '!' | '?' | '。' | '！' | '？' | '…' | '．' | '।' | '؟'),
                ends_colon: matches!(last, ':' | '：'),
                ends_open: ["…", "...", "…]", "...]", "»", ">>", "→"].iter().any(|end| body.ends_with(end)),
                starts_upper: first.is_uppercase() || is_wide(first),
                bullet: matches!(
                    first,
                    '•' | '·' | '-' | '–' | '*' | '>' | '»' | '›' | '|' | '/' | '©' | '#'
                ),
                hash,
            });
        } else {
            self.page.left_out.blocks += u64::from(counts.letters > 0);
            text.truncate(self.line);
            self.page.events.truncate(self.first_event);
            if let Some(container) = self.page.containers.get_mut(self.at as usize) {
                container.counts.images += counts.images;
                container.counts.links += counts.links;
            }
        }
        self.start = self.page.text.len();
        self.line = self.start;
        self.indent.clear();
        self.first_event = self.page.events.len();
        self.counts = Counts::default();
        self.inline_kinds = 0;
        self.space = false;
        self.wrapped = false;
        self.in_word = false;
        self.breaks = 0;
        for i in 0..self.inline.len() {
            let (tag, node) = self.inline[i];
            self.event(Mark::Open(tag), node);
            self.counts.links += u32::from(is_link(self.dom, node, tag));
        }
    }
}

/// Whether an element leads somewhere: an anchor that only has a name, or nothing, does not; one that scripts may follow does.
fn is_link(dom: &Dom<'_>, node: NodeId, tag: Tag) -> bool {
    let has = |name: &str| dom.attr(node, name).is_some();
    tag == Tag::A && (has("href") || !has("name") && dom.attrs(node).next().is_some())
}

/// Writes the indentation of a line of code before its text; gives its bytes.
fn indented(out: &mut String, indent: &mut String) -> usize {
    let bytes = indent.len();
    out.push_str(indent);
    indent.clear();
    bytes
}

/// Han characters, kana and the full-width punctuation between them.
fn has_no_spaces(c: char) -> bool {
    is_wide(c) || matches!(c, '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{303f}' | '\u{ff01}'..='\u{ff5e}')
}

/// Divides the page below `root` into blocks.
pub(crate) fn blocks(dom: &Dom<'_>, root: NodeId) -> Page {
    let mut b = Builder {
        dom,
        page: Page::default(),
        classes: KnownClasses::default(),
        at: NONE,
        inline: Vec::new(),
        inline_over: 0,
        links: 0,
        strong: 0,
        pre: 0,
        line: 0,
        start: 0,
        first_event: 0,
        counts: Counts::default(),
        inline_kinds: 0,
        space: false,
        wrapped: false,
        indent: String::new(),
        typeset: TypesetElements::default(),
        in_word: false,
        breaks: 0,
    };
    for node in [Some(root), dom.html()].into_iter().flatten() {
        b.page.root_kinds |= names(dom, node, dom.tag(node), &mut b.page.schema, &mut b.classes).0;
    }
    b.open(root, dom.tag(root));
    let mut node = root;
    'walk: loop {
        let next = if node == root { dom.first_child(node) } else { b.enter(node) };
        if let Some(child) = next {
            node = child;
            continue;
        }
        if node == root {
            break;
        }
        // `enter` closes what it does not descend into; here only those with children are left.
        loop {
            if let Some(sibling) = dom.next_sibling(node) {
                node = sibling;
                continue 'walk;
            }
            let Some(parent) = dom.parent(node) else { break 'walk };
            node = parent;
            if node == root {
                break 'walk;
            }
            b.leave(node);
        }
    }
    b.flush();
    let end = b.page.blocks.len() as u32;
    b.page.containers[0].end = end;
    let mut page = b.page;
    sum_up(&mut page);
    page
}

impl Builder<'_, '_> {
    /// Enters a node; gives its first child if the walk shall go into it, and has left it again if not.
    fn enter(&mut self, node: NodeId) -> Option<NodeId> {
        let tag = self.dom.tag(node);
        match tag {
            Tag::Text => {
                self.typeset_text(self.dom.text(node));
                return None;
            }
            Tag::Comment | Tag::Doctype | Tag::Document => return None,
            _ => {}
        }
        let child = self.dom.first_child(node);
        match display(self.dom, node, tag) {
            Display::Inline => {
                if tag == Tag::Math || states_tex(self.dom, node, tag) {
                    self.formula(node);
                    return None;
                }
                if child.is_none() || not_displayed(self.dom, node) {
                    return None;
                }
                self.open_inline(node, tag);
            }
            Display::Block => {
                if tag == Tag::Div && is_drawing(self.dom, node) {
                    return None;
                }
                self.open(node, tag);
                if tag == Tag::Button {
                    self.control();
                } else if tag == Tag::Unknown && is_custom_image(self.dom.name(node)) {
                    self.picture(node);
                }
                if child.is_none() {
                    self.close(tag);
                }
            }
            Display::Skip => {
                if tag == Tag::Script && states_tex(self.dom, node, tag) {
                    self.formula(node);
                }
                if matches!(tag, Tag::Input | Tag::Select | Tag::Textarea) {
                    self.control();
                }
                return None;
            }
            Display::Break => self.line_break(node),
            Display::Image if is_drawn_formula(self.dom, node) => {}
            Display::Image if states_tex(self.dom, node, tag) => self.formula(node),
            Display::Image => self.image(node),
            Display::Rule => self.flush(),
        }
        child
    }

    fn leave(&mut self, node: NodeId) {
        let tag = self.dom.tag(node);
        match display(self.dom, node, tag) {
            Display::Inline => self.close_inline(node, tag),
            Display::Block => self.close(tag),
            _ => {}
        }
    }

    fn control(&mut self) {
        if let Some(container) = self.page.containers.get_mut(self.at as usize) {
            container.counts.controls += 1;
        }
    }
}
