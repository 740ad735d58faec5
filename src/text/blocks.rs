//! A page as a sequence of text blocks in a tree of containers.
//!
//! A *block* is a run of inline content (text, links, emphasis, single line breaks) that no block-level element
//! interrupts: what a reader sees as one paragraph, heading, list item, cell or menu entry. A *container* is a
//! block-level element. All text of the page is collected once, white space folded, in one buffer; blocks are ranges of
//! it with counted properties, containers know theirs by sums over their blocks.
//!
//! Algorithm: one walk of the tree (iterative), then one pass over the containers from the last to the first, which adds
//! each to its parent, and one from the first to the last for what is inherited. Cost: O(nodes + characters) time,
//! O(blocks + containers) memory; [`MAX_BLOCKS`] and [`MAX_TEXT`] bound both.

use super::class_names::{KINDS, Kind, kinds_of};
use crate::html::{Dom, NodeId, Tag};

/// Blocks kept of one page; text after them is left out.
pub(crate) const MAX_BLOCKS: usize = 50_000;
/// Bytes of text kept of one page.
pub(crate) const MAX_TEXT: usize = 8 << 20;
/// Distance to a kind that no ancestor has.
pub(crate) const FAR: u8 = 24;
/// Index that stands for none.
pub(crate) const NONE: u32 = u32::MAX;
/// Inline elements remembered around text, for Markdown.
const MAX_INLINE: usize = 16;

/// Counted properties of a stretch of text; sums over blocks for containers.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Counts {
    /// Length in words: a word of a script with spaces is 1, a Han character or kana 0.6.
    pub units: f32,
    /// Units inside links.
    pub link_units: f32,
    /// Units inside `b`, `strong`, `em`, `i`.
    pub strong_units: f32,
    /// Units of blocks that read like prose: long, few links.
    pub prose_units: f32,
    pub letters: u32,
    pub upper: u32,
    pub digits: u32,
    pub commas: u32,
    pub stops: u32,
    pub marks: u32,
    pub links: u32,
    pub breaks: u32,
    pub blocks: u32,
    pub images: u32,
    pub controls: u32,
    pub headings: u32,
    pub paragraphs: u32,
    pub items: u32,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.units += other.units;
        self.link_units += other.link_units;
        self.strong_units += other.strong_units;
        self.prose_units += other.prose_units;
        self.letters += other.letters;
        self.upper += other.upper;
        self.digits += other.digits;
        self.commas += other.commas;
        self.stops += other.stops;
        self.marks += other.marks;
        self.links += other.links;
        self.breaks += other.breaks;
        self.blocks += other.blocks;
        self.images += other.images;
        self.controls += other.controls;
        self.headings += other.headings;
        self.paragraphs += other.paragraphs;
        self.items += other.items;
    }

    /// Share of the words that are links; text without words counts as all links.
    pub(crate) fn link_density(&self) -> f32 {
        if self.units > 0.0 { self.link_units / self.units } else { 1.0 }
    }
}

/// Inline markup at a place of the text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    Open(Tag),
    Close(Tag),
    Image,
    Break,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Event {
    /// Byte offset in [`Page::text`].
    pub at: u32,
    pub mark: Mark,
    pub node: NodeId,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Block {
    /// Range of [`Page::text`].
    pub start: u32,
    pub end: u32,
    /// Range of [`Page::events`].
    pub events: (u32, u32),
    /// Index of the innermost container.
    pub container: u32,
    pub counts: Counts,
    /// Kinds said by names of inline elements in it.
    pub inline_kinds: u32,
    /// Last character ends a sentence (or is a closing quote after one).
    pub ends_sentence: bool,
    pub ends_colon: bool,
    pub starts_upper: bool,
    pub bullet: bool,
    pub hash: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Container {
    pub node: NodeId,
    pub tag: Tag,
    pub parent: u32,
    pub depth: u16,
    /// Kinds said by its own names and tag.
    pub kinds: u32,
    /// Steps up to the nearest container (itself 0) of each kind; [`FAR`] if there is none.
    pub distance: [u8; KINDS],
    /// Equal for elements of equal tag and class.
    pub signature: u64,
    /// Blocks in it: `first..end`.
    pub first: u32,
    pub end: u32,
    pub counts: Counts,
    /// Siblings of equal signature, itself among them, and the sums of their words and links.
    pub twins: u32,
    pub twin_units: f32,
    pub twin_link_units: f32,
    /// Nearest ancestor that has more text; itself at the top.
    pub wider: u32,
    pub table: u32,
    pub row: u32,
    pub cell: u32,
    pub list: u32,
    pub item: u32,
    /// Lists around it.
    pub list_depth: u8,
    /// Number of its group of twins.
    pub group: u32,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Picture {
    pub node: NodeId,
    pub container: u32,
    /// The block that follows it.
    pub block: u32,
}

/// Blocks and containers of one page.
#[derive(Default, Debug)]
pub(crate) struct Page {
    pub text: String,
    pub events: Vec<Event>,
    pub blocks: Vec<Block>,
    pub containers: Vec<Container>,
    /// Images that stand between blocks.
    pub pictures: Vec<Picture>,
    pub cut: bool,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Display {
    Inline,
    Block,
    Skip,
    Break,
    Image,
    Rule,
}

fn display(dom: &Dom<'_>, node: NodeId, tag: Tag) -> Display {
    use Tag::*;
    match tag {
        Script | Style | Template | Svg | Iframe | Object | Embed | Applet | Select | Datalist | Textarea
        | Audio | Video | Canvas | Head | Rp | Rt | Rtc | Noframes | Noembed | Meter | Progress | Title
        | Param | Area => Display::Skip,
        Br => Display::Break,
        Hr => Display::Rule,
        Img | Image => Display::Image,
        Input => Display::Skip,
        Address | Article | Aside | Blockquote | Body | Button | Caption | Center | Dd | Details | Dialog
        | Dir | Div | Dl | Document | Dt | Fieldset | Figcaption | Figure | Footer | Form | Frameset | H1
        | H2 | H3 | H4 | H5 | H6 | Header | Hgroup | Html | Legend | Li | Listing | Main | Menu | Nav
        | Noscript | Ol | P | Plaintext | Pre | Search | Section | Summary | Table | Tbody | Td | Tfoot
        | Th | Thead | Tr | Ul | Xmp => Display::Block,
        // Custom elements are mostly used as containers; other unknown names are what browsers make of them: spans.
        Unknown if dom.name(node).contains('-') => Display::Block,
        _ => Display::Inline,
    }
}

fn hidden(dom: &Dom<'_>, node: NodeId) -> bool {
    for (name, value) in dom.attrs(node) {
        match name {
            "hidden" => return !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" if value == "true" => return true,
            "style" if value.len() < 1000 => {
                let value = value.as_bytes();
                let none = value.windows(4).any(|w| w.eq_ignore_ascii_case(b"none"));
                if none && value.windows(7).any(|w| w.eq_ignore_ascii_case(b"display"))
                    || value.windows(10).any(|w| w.eq_ignore_ascii_case(b"visibility"))
                        && value.windows(6).any(|w| w.eq_ignore_ascii_case(b"hidden"))
                {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Kinds by the names of an element, and a hash of its tag and class.
fn names(dom: &Dom<'_>, node: NodeId, tag: Tag) -> (u32, u64) {
    let mut kinds = 0;
    let mut signature = tag as u64 + 1;
    for (name, value) in dom.attrs(node) {
        match name {
            "class" => {
                kinds |= kinds_of(value);
                signature ^= xxhash_rust::xxh3::xxh3_64(value.as_bytes()) << 8;
            }
            "id" | "role" | "itemprop" | "data-testid" => kinds |= kinds_of(value),
            _ => {}
        }
    }
    kinds |= match tag {
        Tag::Nav => Kind::Nav.bit(),
        Tag::Aside => Kind::Side.bit(),
        Tag::Footer => Kind::Footer.bit(),
        Tag::Header => Kind::Header.bit(),
        Tag::Form | Tag::Fieldset => Kind::Form.bit(),
        Tag::Dialog => Kind::Modal.bit(),
        Tag::Figcaption | Tag::Figure => Kind::Media.bit(),
        Tag::Button => Kind::Tool.bit(),
        Tag::Noscript => Kind::Hidden.bit(),
        Tag::Menu => Kind::Nav.bit(),
        Tag::Article => Kind::ArticleTag.bit(),
        Tag::Main => Kind::MainTag.bit(),
        Tag::Section => Kind::SectionTag.bit(),
        Tag::Ul | Tag::Ol | Tag::Dl => Kind::ListTag.bit(),
        Tag::Table => Kind::TableTag.bit(),
        Tag::Blockquote => Kind::QuoteTag.bit(),
        Tag::Address => Kind::Byline.bit(),
        _ => 0,
    };
    if hidden(dom, node) {
        kinds |= Kind::Hidden.bit();
    }
    (kinds, signature)
}

/// Whether words of a script are written without spaces between them.
pub(crate) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fff}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{312f}'
        | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

const WIDE_UNITS: f32 = 0.6;

struct Builder<'d, 'a> {
    dom: &'d Dom<'a>,
    page: Page,
    /// Innermost open container.
    at: u32,
    /// Open inline elements, innermost last.
    inline: Vec<(Tag, NodeId)>,
    inline_over: usize,
    links: u32,
    strong: u32,
    pre: u32,
    /// The block being filled.
    start: usize,
    first_event: usize,
    counts: Counts,
    inline_kinds: u32,
    space: bool,
    in_word: bool,
    breaks: u32,
}

impl Builder<'_, '_> {
    fn open(&mut self, node: NodeId, tag: Tag) {
        self.flush();
        let (kinds, signature) = names(self.dom, node, tag);
        let index = self.page.containers.len() as u32;
        let parent = self.at;
        let container = match self.page.containers.get(parent as usize) {
            Some(up) => {
                let mut distance = up.distance;
                for d in &mut distance {
                    *d = (*d + 1).min(FAR);
                }
                let mut bits = kinds;
                while bits != 0 {
                    distance[bits.trailing_zeros() as usize] = 0;
                    bits &= bits - 1;
                }
                Container {
                    node,
                    tag,
                    parent,
                    depth: up.depth + 1,
                    kinds,
                    distance,
                    signature,
                    first: self.page.blocks.len() as u32,
                    end: 0,
                    counts: Counts::default(),
                    twins: 1,
                    twin_units: 0.0,
                    twin_link_units: 0.0,
                    wider: parent,
                    table: if tag == Tag::Table { index } else { up.table },
                    row: if tag == Tag::Tr { index } else { up.row },
                    cell: if matches!(tag, Tag::Td | Tag::Th) { index } else { up.cell },
                    list: if matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl) { index } else { up.list },
                    item: if matches!(tag, Tag::Li | Tag::Dt | Tag::Dd) { index } else { up.item },
                    list_depth: up
                        .list_depth
                        .saturating_add(u8::from(matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl))),
                    group: 0,
                }
            }
            None => Container {
                node,
                tag,
                parent: 0,
                depth: 0,
                kinds: 0,
                distance: [FAR; KINDS],
                signature,
                first: 0,
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
            },
        };
        self.page.containers.push(container);
        self.at = index;
        self.pre += u32::from(matches!(tag, Tag::Pre | Tag::Listing | Tag::Plaintext | Tag::Xmp));
    }

    fn close(&mut self, tag: Tag) {
        self.flush();
        let end = self.page.blocks.len() as u32;
        let container = &mut self.page.containers[self.at as usize];
        container.end = end;
        self.at = container.parent;
        self.pre -= u32::from(matches!(tag, Tag::Pre | Tag::Listing | Tag::Plaintext | Tag::Xmp));
    }

    fn event(&mut self, mark: Mark, node: NodeId) {
        if self.page.events.len() < 4 * MAX_BLOCKS {
            self.page.events.push(Event { at: self.page.text.len() as u32, mark, node });
        }
    }

    fn open_inline(&mut self, node: NodeId, tag: Tag) {
        if tag == Tag::A {
            self.links += 1;
            self.counts.links += 1;
        } else if is_strong(tag) {
            self.strong += 1;
        }
        if self.dom.attrs(node).next().is_some() {
            self.inline_kinds |= names(self.dom, node, tag).0;
        }
        if matches!(tag, Tag::A | Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt) || is_strong(tag) {
            if self.inline.len() < MAX_INLINE {
                self.inline.push((tag, node));
                self.event(Mark::Open(tag), node);
            } else {
                self.inline_over += 1;
            }
        }
    }

    fn close_inline(&mut self, node: NodeId, tag: Tag) {
        if tag == Tag::A {
            self.links -= 1;
        } else if is_strong(tag) {
            self.strong -= 1;
        }
        if matches!(tag, Tag::A | Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt) || is_strong(tag) {
            if self.inline_over > 0 {
                self.inline_over -= 1;
            } else {
                self.inline.pop();
                self.event(Mark::Close(tag), node);
            }
        }
    }

    fn text(&mut self, text: &str) {
        if self.page.text.len() + text.len() > MAX_TEXT {
            self.page.cut = true;
            return;
        }
        let out = &mut self.page.text;
        let counts = &mut self.counts;
        let (mut words, mut wide) = (0u32, 0u32);
        for c in text.chars() {
            if c.is_ascii_alphanumeric() {
                if self.space && out.len() > self.start {
                    out.push(' ');
                }
                self.space = false;
                out.push(c);
                counts.letters += 1;
                counts.upper += u32::from(c.is_ascii_uppercase());
                counts.digits += u32::from(c.is_ascii_digit());
                words += u32::from(!self.in_word);
                self.in_word = true;
                self.breaks = 0;
                continue;
            }
            if c.is_whitespace() || c == '\u{200b}' || c == '\u{feff}' {
                self.in_word = false;
                if self.pre > 0 && out.len() > self.start && (c == '\n' || c == ' ' || c == '\t') {
                    out.push(c);
                    counts.breaks += u32::from(c == '\n');
                } else {
                    self.space = true;
                }
                continue;
            }
            if self.space && out.len() > self.start {
                out.push(' ');
            }
            self.space = false;
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

    fn image(&mut self, node: NodeId) {
        self.counts.images += 1;
        if self.page.text.len() > self.start {
            self.event(Mark::Image, node);
        } else if self.page.pictures.len() < MAX_BLOCKS {
            let (container, block) = (self.at, self.page.blocks.len() as u32);
            self.page.pictures.push(Picture { node, container, block });
        }
    }

    /// Ends the block being filled; without letters or digits it is no block, its counts go to the container.
    fn flush(&mut self) {
        let text = &mut self.page.text;
        let trimmed = text[self.start..].trim_end().len() + self.start;
        let counts = self.counts;
        if counts.letters > 0 && self.page.blocks.len() < MAX_BLOCKS {
            text.truncate(trimmed);
            let body = &text[self.start..];
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
                end,
                events,
                container: self.at,
                counts,
                inline_kinds: self.inline_kinds,
                ends_sentence: matches!(last, '.' | '!' | '?' | '。' | '！' | '？' | '…' | '．' | '।' | '؟'),
                ends_colon: matches!(last, ':' | '：'),
                starts_upper: first.is_uppercase() || is_wide(first),
                bullet: matches!(
                    first,
                    '•' | '·' | '-' | '–' | '*' | '>' | '»' | '›' | '|' | '/' | '©' | '#'
                ),
                hash,
            });
        } else {
            if counts.letters > 0 {
                self.page.cut = true;
            }
            text.truncate(self.start);
            self.page.events.truncate(self.first_event);
            if let Some(container) = self.page.containers.get_mut(self.at as usize) {
                container.counts.images += counts.images;
                container.counts.links += counts.links;
            }
        }
        self.start = self.page.text.len();
        self.first_event = self.page.events.len();
        self.counts = Counts::default();
        self.inline_kinds = 0;
        self.space = false;
        self.in_word = false;
        self.breaks = 0;
        for i in 0..self.inline.len() {
            let (tag, node) = self.inline[i];
            self.event(Mark::Open(tag), node);
            self.counts.links += u32::from(tag == Tag::A);
        }
    }
}

fn is_strong(tag: Tag) -> bool {
    matches!(tag, Tag::B | Tag::Strong | Tag::Em | Tag::I)
}

/// Whether a tag is a heading.
pub(crate) fn heading(tag: Tag) -> Option<u8> {
    match tag {
        Tag::H1 => Some(1),
        Tag::H2 => Some(2),
        Tag::H3 => Some(3),
        Tag::H4 => Some(4),
        Tag::H5 => Some(5),
        Tag::H6 => Some(6),
        _ => None,
    }
}

/// Divides the page below `root` into blocks.
pub(crate) fn blocks(dom: &Dom<'_>, root: NodeId) -> Page {
    let mut b = Builder {
        dom,
        page: Page::default(),
        at: NONE,
        inline: Vec::new(),
        inline_over: 0,
        links: 0,
        strong: 0,
        pre: 0,
        start: 0,
        first_event: 0,
        counts: Counts::default(),
        inline_kinds: 0,
        space: false,
        in_word: false,
        breaks: 0,
    };
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
                self.text(self.dom.text(node));
                return None;
            }
            Tag::Comment | Tag::Doctype | Tag::Document => return None,
            _ => {}
        }
        let child = self.dom.first_child(node);
        match display(self.dom, node, tag) {
            Display::Inline => {
                if child.is_some() {
                    self.open_inline(node, tag);
                }
            }
            Display::Block => {
                self.open(node, tag);
                if tag == Tag::Button {
                    self.control();
                }
                if child.is_none() {
                    self.close(tag);
                }
            }
            Display::Skip => {
                if matches!(tag, Tag::Input | Tag::Select | Tag::Textarea) {
                    self.control();
                }
                return None;
            }
            Display::Break => self.line_break(node),
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

/// Fills the sums of the containers, their twins and their wider ancestors.
fn sum_up(page: &mut Page) {
    for block in &mut page.blocks {
        let container = &mut page.containers[block.container as usize];
        let counts = &mut block.counts;
        counts.blocks = 1;
        counts.headings = u32::from(heading(container.tag).is_some());
        counts.paragraphs = u32::from(container.tag == Tag::P);
        counts.items = u32::from(matches!(container.tag, Tag::Li | Tag::Td | Tag::Dd | Tag::Dt | Tag::Th));
        if counts.units >= 12.0 && counts.link_units < 0.4 * counts.units && counts.stops + counts.commas > 0
        {
            counts.prose_units = counts.units;
        }
        container.counts.add(counts);
    }
    for i in (1..page.containers.len()).rev() {
        let (counts, parent) = (page.containers[i].counts, page.containers[i].parent);
        page.containers[parent as usize].counts.add(&counts);
    }
    let mut order: Vec<(u32, u64, u32)> = (1u32..)
        .zip(&page.containers[1..])
        .filter(|(_, c)| c.counts.blocks > 0)
        .map(|(i, c)| (c.parent, c.signature, i))
        .collect();
    order.sort_unstable();
    for (number, group) in (1..).zip(order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))) {
        let (mut units, mut links) = (0.0, 0.0);
        for &(_, _, i) in group {
            units += page.containers[i as usize].counts.units;
            links += page.containers[i as usize].counts.link_units;
        }
        for &(_, _, i) in group {
            let container = &mut page.containers[i as usize];
            container.group = number;
            container.twins = group.len() as u32;
            container.twin_units = units;
            container.twin_link_units = links;
        }
    }
    for i in 1..page.containers.len() {
        let parent = page.containers[i].parent as usize;
        if page.containers[parent].counts.blocks == page.containers[i].counts.blocks {
            page.containers[i].wider = page.containers[parent].wider;
        }
    }
}
