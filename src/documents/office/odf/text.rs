//! Text of OpenDocument files: paragraphs, headings, lists, tables, notes, boxes, in order.
//!
//! **Definition.** OpenDocument 1.3 part 3, 5 to 7 and 9. White space collapses; spaces, tabs and breaks are elements. What
//! was deleted stands apart from the text and is not seen.
//!
//! **Bad input.** Depth is bounded by that of the tree.

use std::collections::BTreeMap;

use crate::blocks::{Block, flattened, push, push_at, push_collapsed, trimmed};
use crate::office::odf::styles::{LEVELS, Styles};
use crate::office::odf::table::MAX_REPEATED_BYTES;
use crate::title::Candidate;
use crate::xml::{Content, Element};
use crate::{Inline, Marker};
use webmill_html::script::Position;

/// Spaces that one element stands for.
const MAX_SPACES: usize = 64;

/// Walks the text of a file.
#[derive(Debug)]
pub(super) struct Walk<'x> {
    pub(super) styles: &'x Styles,
    /// What embedded objects say, by the names of their folders.
    pub(super) objects: BTreeMap<String, Vec<Block>>,
    /// Notes and comments that were met, with their labels.
    pub(super) notes: Vec<(String, Inline)>,
    pub(super) title: Option<String>,
    /// Lines of the first page.
    pub(super) lines: Vec<Candidate>,
    pub(super) first_page: bool,
    /// Blocks of frames that are anchored in the paragraph.
    boxes: Vec<Block>,
    comments: usize,
    headings: [u32; LEVELS],
    /// How far lists have counted, by their ids, and the last one of each style.
    lists: BTreeMap<String, [u32; LEVELS]>,
    pub(super) depth: usize,
    /// Bytes that repeated cells may still take.
    pub(super) room: usize,
}

/// A place in lists.
#[derive(Debug, Clone, Default)]
struct Listing {
    style: Option<String>,
    level: usize,
    counts: [u32; LEVELS],
}

impl<'x> Walk<'x> {
    /// Begins at the first page.
    pub(super) fn new(styles: &'x Styles, objects: BTreeMap<String, Vec<Block>>) -> Self {
        Walk {
            styles,
            objects,
            notes: Vec::new(),
            title: None,
            lines: Vec::new(),
            first_page: true,
            boxes: Vec::new(),
            comments: 0,
            headings: [0; LEVELS],
            lists: BTreeMap::new(),
            depth: 0,
            room: MAX_REPEATED_BYTES,
        }
    }

    /// Blocks that an element holds.
    pub(super) fn blocks(&mut self, parent: Element<'x>, out: &mut Vec<Block>) {
        for element in parent.children() {
            self.block(element, out);
        }
    }

    /// A block, or what an element around blocks holds.
    pub(super) fn block(&mut self, element: Element<'x>, out: &mut Vec<Block>) {
        match element.name() {
            "p" => self.paragraph(element, None, out),
            "h" => self.heading(element, out),
            "list" => self.list(element, None, out),
            "table" => self.table(element, out),
            "section" if element.attr("display").is_some_and(|display| display != "true") => {}
            "section" => self.blocks(element, out),
            "soft-page-break" => self.first_page &= self.lines.is_empty(),
            "tracked-changes"
            | "forms"
            | "sequence-decls"
            | "variable-decls"
            | "user-field-decls"
            | "dde-connection-decls" => {}
            // Indexes hold how they are made beside what they show.
            name if name.ends_with("-source") => {}
            "frame" | "g" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "connector"
            | "polygon" | "path" | "polyline" | "regular-polygon" | "caption" | "measure" | "a" => {
                self.shape(element, out)
            }
            "numbered-paragraph" | "index-body" | "index-title" | "table-of-content"
            | "alphabetical-index" | "illustration-index" | "table-index" | "object-index" | "user-index"
            | "bibliography" | "page-sequence" => {
                self.blocks(element, out);
            }
            _ => {}
        }
    }

    /// What a shape says: a box of text, an object, words within.
    pub(super) fn shape(&mut self, element: Element<'x>, out: &mut Vec<Block>) {
        for child in element.children() {
            match child.name() {
                "text-box" => self.blocks(child, out),
                "object" => {
                    let folder = child.attr("href").unwrap_or_default();
                    let folder = folder.trim_start_matches("./").trim_end_matches('/');
                    out.extend(self.objects.remove(folder).unwrap_or_default());
                }
                // Words for those who do not see the picture.
                "title" | "desc" | "image" | "object-ole" | "plugin" | "thumbnail" | "glue-point" => {}
                _ => self.block(child, out),
            }
        }
    }

    fn heading(&mut self, element: Element<'x>, out: &mut Vec<Block>) {
        let style = element.attr("style-name");
        let level = element
            .number::<u8>("outline-level")
            .or_else(|| self.styles.level(style.as_deref()))
            .unwrap_or(1);
        let at = usize::from(level.clamp(1, 10)) - 1;
        let mut label = None;
        if element.attr("is-list-header").is_none_or(|header| header != "true") {
            let restart = element.number::<u32>("start-value");
            if let Some(count) = self.headings.get_mut(at) {
                *count = restart.unwrap_or(count.saturating_add(1));
            }
            self.headings.iter_mut().skip(at + 1).for_each(|count| *count = 0);
            label = self.styles.outline_label(&self.headings, at);
        }
        let words = self.words(element);
        if !words.is_blank() {
            self.keep(style.as_deref(), &words, false);
            out.push(Block::Heading(level.clamp(1, 6), words.behind(&label.unwrap_or_default())));
        }
        out.append(&mut self.boxes);
    }

    fn paragraph(
        &mut self,
        element: Element<'x>,
        listing: Option<(Marker, Option<String>, u8)>,
        out: &mut Vec<Block>,
    ) {
        let style = element.attr("style-name");
        if self.styles.breaks_page(style.as_deref()) {
            self.first_page &= self.lines.is_empty();
        }
        let words =
            if self.styles.is_hidden(style.as_deref()) { Inline::default() } else { self.words(element) };
        if words.is_blank() {
            self.lines.push(Candidate::default());
        } else {
            self.keep(style.as_deref(), &words, listing.is_some());
            let is_title = self.styles.is_title(style.as_deref());
            let level = if is_title { Some(1) } else { self.styles.level(style.as_deref()) };
            let level = level.or_else(|| self.styles.is_subtitle(style.as_deref()).then_some(2));
            if is_title && self.title.is_none() {
                self.title = Some(words.text.clone());
            }
            out.push(match (level, listing) {
                (Some(level), _) => Block::Heading(level.min(6), words),
                (None, Some((marker, label, depth))) => {
                    Block::Item(depth, marker, words.behind(&label.unwrap_or_default()))
                }
                (None, None) => Block::Paragraph(words),
            });
        }
        out.append(&mut self.boxes);
    }

    /// Remembers a line that may be the title.
    fn keep(&mut self, style: Option<&str>, words: &Inline, list_item: bool) {
        if !self.first_page || self.depth > 0 {
            return;
        }
        for text in words.text.lines() {
            self.lines.push(Candidate {
                text: text.to_owned(),
                size: self.styles.size(style),
                bold: self.styles.is_bold(style),
                centred: self.styles.is_centred(style),
                fills_width: false,
                list_item,
            });
        }
    }

    fn list(&mut self, element: Element<'x>, within: Option<&Listing>, out: &mut Vec<Block>) {
        let own = element.attr("style-name").map(|name| name.into_owned());
        let level = within.map_or(0, |within| within.level + 1).min(LEVELS - 1);
        let mut listing = within.cloned().unwrap_or_default();
        listing.level = level;
        // A list of no style of its own may have that of its first paragraph.
        let first = element
            .descendants()
            .find(|one| matches!(one.name(), "p" | "h"))
            .and_then(|one| one.attr("style-name"));
        let styles = self.styles;
        let inherited = || styles.list(first.as_deref()).map(str::to_owned);
        listing.style = own.or(listing.style).or_else(inherited);
        let key = listing.style.clone().unwrap_or_default();
        let before = match (element.attr("continue-list"), element.attr("continue-numbering")) {
            (Some(id), _) => self.lists.get(&*id).copied(),
            (None, Some(on)) if on == "true" => self.lists.get(&key).copied(),
            _ => None,
        };
        let start = self.styles.start(listing.style.as_deref(), level).saturating_sub(1);
        let known = before.and_then(|counts| counts.get(level).copied());
        if let Some(count) = listing.counts.get_mut(level) {
            *count = known.unwrap_or(start);
        }
        for item in element.children() {
            self.item(item, &mut listing, out);
        }
        self.lists.insert(key, listing.counts);
        if let Some(id) = element.attr("id") {
            self.lists.insert(id.into_owned(), listing.counts);
        }
    }

    fn item(&mut self, element: Element<'x>, listing: &mut Listing, out: &mut Vec<Block>) {
        let is_item = element.name() == "list-item";
        if !is_item && element.name() != "list-header" {
            return;
        }
        // An item that only holds a list is a level, no item.
        let has_words = element.children().any(|child| matches!(child.name(), "p" | "h"));
        if is_item && has_words {
            let restart = element.number::<u32>("start-value");
            if let Some(count) = listing.counts.get_mut(listing.level) {
                *count = restart.unwrap_or(count.saturating_add(1));
            }
        }
        let mut marker = (is_item && has_words).then(|| {
            let (marker, label) =
                self.styles.marker(listing.style.as_deref(), &listing.counts, listing.level);
            (marker, label, u8::try_from(listing.level).unwrap_or(9))
        });
        for child in element.children() {
            match child.name() {
                "p" => {
                    let told = out.len();
                    self.paragraph(child, marker.clone(), out);
                    if out.len() > told {
                        marker = None;
                    }
                }
                "list" => self.list(child, Some(listing), out),
                _ => self.block(child, out),
            }
        }
    }

    /// Words of a paragraph.
    pub(super) fn words(&mut self, element: Element<'x>) -> Inline {
        let mut words = Inline::default();
        self.inlines(element, (None, None), &mut words);
        trimmed(words)
    }

    /// Adds what an element holds, within a link and at a position.
    fn inlines(&mut self, parent: Element<'x>, within: (Option<&str>, Option<Position>), words: &mut Inline) {
        let (link, position) = within;
        for content in parent.content() {
            let element = match content {
                Content::Text(text) => {
                    let from = words.text.len();
                    push_collapsed(words, &text, None);
                    let more = words.text.split_off(from);
                    push_at(words, &more, position, link);
                    continue;
                }
                Content::Element(element) => element,
            };
            match element.name() {
                "s" => {
                    let spaces = element.number::<usize>("c").unwrap_or(1).min(MAX_SPACES);
                    push(words, &" ".repeat(spaces), link);
                }
                "tab" => push(words, "\t", link),
                "line-break" => words.text.push('\n'),
                "soft-page-break" => self.first_page &= self.lines.is_empty(),
                "span" => {
                    let style = element.attr("style-name");
                    if !self.styles.is_hidden(style.as_deref()) {
                        let position = self.styles.position(style.as_deref()).unwrap_or(position);
                        self.inlines(element, (link, position), words);
                    }
                }
                "a" if element.attr("href").is_some() => {
                    let target = element.attr("href").filter(|target| !target.starts_with('#'));
                    self.inlines(element, (target.as_deref().or(link), position), words);
                }
                "note" => self.note(element),
                "annotation" => self.comment(element),
                "ruby" => {
                    if let Some(base) = element.child("ruby-base") {
                        self.inlines(base, within, words);
                    }
                }
                "frame" | "g" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "connector"
                | "caption" => {
                    let mut blocks = Vec::new();
                    self.depth += 1;
                    self.shape(element, &mut blocks);
                    self.depth -= 1;
                    self.boxes.extend(blocks);
                }
                "bookmark-ref" | "reference-ref" | "sequence" | "meta" | "meta-field" | "placeholder"
                | "a" => {
                    self.inlines(element, within, words);
                }
                "hidden-text" | "hidden-paragraph" | "script" | "change" | "annotation-end" => {}
                // Fields: what they show.
                _ => self.inlines(element, within, words),
            }
        }
    }

    fn note(&mut self, element: Element<'x>) {
        let citation = element.child("note-citation").map(|citation| citation.text()).unwrap_or_default();
        let is_end = element.attr("note-class").is_some_and(|class| class == "endnote");
        let label = if is_end { format!("e{}", citation.trim()) } else { citation.trim().to_owned() };
        let words = self.apart(element.child("note-body"));
        self.notes.push((label, words));
    }

    pub(super) fn comment(&mut self, element: Element<'x>) {
        let mut blocks = Vec::new();
        let boxes = std::mem::take(&mut self.boxes);
        self.depth += 1;
        let said = element.children().filter(|child| matches!(child.name(), "p" | "list"));
        said.for_each(|child| self.block(child, &mut blocks));
        self.depth -= 1;
        self.boxes = boxes;
        self.comments += 1;
        self.notes.push((format!("c{}", self.comments), flattened(blocks)));
    }

    /// What stands apart from the text, as one.
    fn apart(&mut self, element: Option<Element<'x>>) -> Inline {
        let mut blocks = Vec::new();
        let boxes = std::mem::take(&mut self.boxes);
        self.depth += 1;
        if let Some(element) = element {
            self.blocks(element, &mut blocks);
        }
        self.depth -= 1;
        self.boxes = boxes;
        flattened(blocks)
    }
}
