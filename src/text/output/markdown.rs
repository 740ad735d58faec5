//! Chosen blocks as Markdown (CommonMark 0.31 with the tables and strike-through of GFM).
//!
//! Kept are headings, nested lists with their numbers, quotes, code blocks with their white space and language, data
//! tables (a cell that reaches down is in each of its rows), links, emphasis, images with their alternative text. Targets are made absolute where the page's base is known
//! and are as the page has them elsewhere. What would be markup in the text is escaped. The title of the text is the heading
//! that it begins with, wherever the page shows it; of a thread each post begins with a heading: who wrote it, and when.
//!
//! **Algorithm.** Each block has a chain of quotes and list items around it. Compared with the chain of the block before, it shows which elements
//! are closed, which go on (and indent the line) and which begin (and write a marker), so that nesting is right
//! without a tree. A term and its definitions are one item. An item that holds headings or many paragraphs is layout
//! and no item.
//!
//! **Cost.** Linear in the text and its inline elements, times the depth of nesting, which is at most [`MAX_CHAIN`](super::render::MAX_CHAIN);
//! output is bounded by the caller.

use std::collections::HashMap;
use webmill_capture::cut::Cut;

use super::grid::{DITTO, Grid, Repeats, row_of};
use super::markdown_inline::{Inline, Lines, inline, write_picture};
use super::numbers::Numbers;
use super::pictures::pictures;
use super::posts::thread::Thread;
use super::render::{chain_of, is_layout};
use super::rescue::rescue;
use crate::blocks::code::{code_containers, code_language, code_text};
use crate::blocks::elements::heading;
use crate::blocks::page::{NONE, Page};
use crate::comparison::bare;
use webmill_capture::CanonicalUrl;
use webmill_capture::markdown::{escape_line_starts, escape_text, longest_run};
use webmill_html::{Dom, Tag};

/// A page and where it is.
pub(crate) struct MarkdownPage<'p, 'd> {
    pub dom: &'p Dom<'d>,
    pub page: &'p Page,
    pub base: Option<&'p CanonicalUrl>,
    /// Whether targets of links are written, and images.
    pub links: bool,
    pub images: bool,
    /// The title of the text, which is the heading that it begins with.
    pub headline: Option<&'p str>,
    /// The posts of a page whose text is a thread: each has a heading.
    pub thread: Option<&'p Thread>,
}

/// The chosen blocks as Markdown, of about `max` bytes at most.
pub(crate) fn markdown(source: &MarkdownPage<'_, '_>, chosen: &[bool], data: &[bool], max: usize) -> String {
    let MarkdownPage { dom, page, base, .. } = *source;
    let code = code_containers(page);
    let mut chosen = rescue(page, chosen);
    let mut inlines = Inline::new(dom, page, base);
    (inlines.links, inlines.images) = (source.links, source.images);
    let mut pictures = pictures(&inlines, &mut chosen, data).into_iter().peekable();
    let chosen = &chosen;
    let mut writer = Writer::new(page, dom, max);
    // The table and the code block written last.
    let (mut table, mut listing) = (NONE, NONE);
    let mut body = String::new();
    let headline = source.headline.filter(|_| chosen.contains(&true));
    let title = headline.map(bare).unwrap_or_default();
    if let Some(headline) = headline {
        body.push_str("# ");
        body.push_str(&paragraphs(&[headline]));
        writer.write(&[], &body, false);
    }
    // Where the page shows it before the text it is not repeated.
    let mut untitled = !title.is_empty();
    // Quotes and items that only hold a post are not shown around it.
    let beside_posts = |chain: &mut Vec<Level>, i: usize| {
        if let Some(thread) = source.thread {
            chain.retain(|level| !thread.is_around(&page.containers[level.container as usize], i as u32));
        }
    };
    for i in 0..=page.blocks.len() {
        if let Some(heading) = source.thread.and_then(|thread| thread.heading(i as u32)) {
            writer.write(&[], &format!("## {}", paragraphs(&[&heading])), false);
        }
        while let Some(picture) = pictures.next_if(|picture| picture.block <= i) {
            body.clear();
            write_picture(&picture.target, picture.label, &mut body);
            let mut chain = writer.chain_of(picture.container);
            beside_posts(&mut chain, i);
            writer.write(&chain, &body, false);
        }
        let Some(block) = page.blocks.get(i) else { break };
        if !chosen[i] {
            continue;
        }
        if writer.out.len() > max {
            break;
        }
        let container = &page.containers[block.container as usize];
        let row = row_of(container);
        let heading = heading_around(page, block.container);
        if untitled && row == NONE && code[block.container as usize] == NONE {
            let text = page.text_of(block);
            if text.len() <= 2 * title.len() + 40 && bare(text) == title {
                untitled = false;
                continue;
            }
        }
        untitled &= heading.is_some();
        body.clear();
        if row != NONE && data[container.table as usize] {
            if table != container.table {
                table = container.table;
                pipe_table(&mut inlines, chosen, table, &mut body);
                let chain = writer.chain_of(table);
                writer.write(&chain, &body, false);
            }
            continue;
        }
        if code[block.container as usize] != NONE {
            let pre = code[block.container as usize];
            if listing != pre {
                listing = pre;
                let node = page.containers[pre as usize].node;
                let text = code_text(dom, node, max);
                fence(&text, code_language(dom, node), &mut body);
                let chain = writer.chain_of(pre);
                writer.write(&chain, &body, false);
            }
            continue;
        }
        let mut chain = writer.chain_of(block.container);
        beside_posts(&mut chain, i);
        if let Some(level) = heading {
            body.extend(std::iter::repeat_n('#', usize::from(level)));
            body.push(' ');
            inline(&mut inlines, block, Lines::One, &mut body);
            writer.write(&chain, &body, false);
        } else {
            inline(&mut inlines, block, Lines::Many, &mut body);
            writer.write(&chain, &body, true);
        }
    }
    writer.out
}

/// Lines of plain text as paragraphs.
pub(crate) fn paragraphs(lines: &[&str]) -> String {
    let mut out = String::new();
    for line in lines {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let start = out.len();
        escape_text(&line.split_whitespace().collect::<Vec<_>>().join(" "), &mut out);
        escape_line_starts(&mut out, start);
    }
    out
}

/// Level of the heading that a container is or is in.
pub(crate) fn heading_around(page: &Page, mut container: u32) -> Option<u8> {
    for _ in 0..4 {
        let it = &page.containers[container as usize];
        if let Some(level) = heading(it.tag) {
            return Some(level);
        }
        if it.parent == container || it.parent == NONE || it.tag == Tag::Li || it.tag == Tag::Td {
            break;
        }
        container = it.parent;
    }
    None
}

fn fence(text: &str, language: Option<String>, out: &mut String) {
    let ticks = "`".repeat(longest_run(text, '`').max(2) + 1);
    out.push_str(&ticks);
    out.push_str(&language.unwrap_or_default());
    out.push('\n');
    out.push_str(text);
    out.push('\n');
    out.push_str(&ticks);
}

fn pipe_table(inlines: &mut Inline<'_, '_>, chosen: &[bool], table: u32, out: &mut String) {
    let page = inlines.page;
    let mut grid = Grid::new(inlines.dom, page, table);
    grid.keep_chosen(page, chosen);
    let mut repeats = Repeats::default();
    let mut cell = String::new();
    for (r, row) in grid.rows.iter().enumerate() {
        if r > 0 {
            out.push('\n');
        }
        out.push('|');
        for c in 0..grid.width {
            cell.clear();
            let place = row.places.get(c);
            let again = place.is_some_and(|place| place.above && !repeats.allow(page, place.container));
            if again {
                cell.push(DITTO);
            } else if let Some(place) = place.filter(|place| place.origin || place.above) {
                let of = &page.containers[place.container as usize];
                for block in &page.blocks[of.first as usize..of.end as usize] {
                    if !cell.is_empty() {
                        cell.push_str("<br>");
                    }
                    inline(inlines, block, Lines::Cell, &mut cell);
                }
            }
            out.push(' ');
            // A bar inside of a code span is escaped too: GFM parts cells before it looks at code.
            out.push_str(&cell.replace('|', "\\|"));
            out.push_str(if cell.is_empty() { "|" } else { " |" });
        }
        if r == 0 {
            out.push_str("\n|");
            for c in 0..grid.width {
                out.push_str(grid.alignment(inlines.dom, page, c));
            }
        }
    }
}

/// A quote or an item around a block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Level {
    /// Its container; the term's for a definition.
    container: u32,
    /// The list of an item; [`NONE`] for quotes.
    list: u32,
}

struct Open {
    level: Level,
    /// What lines after the first one begin with.
    indent: String,
    marker: char,
}

struct Writer<'p> {
    page: &'p Page,
    max: usize,
    out: String,
    open: Vec<Open>,
    numbers: Numbers,
    /// Term that the definitions of a list go to.
    terms: HashMap<u32, u32>,
    /// Whether the last block may be followed by an item on the next line.
    tight: bool,
}

impl<'p> Writer<'p> {
    fn new(page: &'p Page, dom: &Dom<'_>, max: usize) -> Self {
        Writer {
            page,
            max,
            out: String::new(),
            open: Vec::new(),
            numbers: Numbers::new(dom, page),
            terms: HashMap::new(),
            tight: false,
        }
    }

    fn chain_of(&mut self, container: u32) -> Vec<Level> {
        let Writer { page, terms, .. } = self;
        chain_of(page, container, |at, it| match it.tag {
            Tag::Blockquote => Some(Level { container: at, list: NONE }),
            Tag::Li if !is_layout(page, at) => {
                Some(Level { container: at, list: if it.list == NONE { it.parent } else { it.list } })
            }
            Tag::Dt => {
                terms.insert(it.list, at);
                Some(Level { container: at, list: it.list })
            }
            // Definitions without a term are paragraphs that are set in.
            Tag::Dd if !is_layout(page, at) => {
                terms.get(&it.list).map(|&term| Level { container: term, list: it.list })
            }
            _ => None,
        })
    }

    /// Writes a block under its quotes and items; `prose` may be directly above or below an item.
    fn write(&mut self, chain: &[Level], body: &str, prose: bool) {
        if body.trim().is_empty() {
            return;
        }
        let common = self.open.iter().zip(chain).take_while(|(open, level)| open.level == **level).count();
        let mut markers = String::new();
        let mut opened = Vec::new();
        let mut first = true;
        for (at, level) in chain.iter().enumerate().skip(common) {
            if level.list == NONE {
                markers.push_str("> ");
                opened.push(Open { level: *level, indent: "> ".to_string(), marker: '>' });
                first = false;
                continue;
            }
            let number = self.numbers.of(level.container);
            let ordered = number.is_some();
            // Of two lists in a row the second has another marker, or they would be one.
            let before = self.open.get(at).filter(|_| at == common && first && !self.out.is_empty());
            let before = before.filter(|open| open.level.list != NONE);
            let same = before.filter(|open| open.level.list == level.list).map(|open| open.marker);
            let (one, other) = if ordered { ('.', ')') } else { ('-', '*') };
            let marker =
                same.unwrap_or(if before.is_some_and(|open| open.marker == one) { other } else { one });
            let written = match number {
                Some(number) => format!("{number}{marker} "),
                None => format!("{marker} "),
            };
            opened.push(Open { level: *level, indent: " ".repeat(written.len()), marker });
            markers.push_str(&written);
            first = false;
        }
        if !self.out.is_empty() {
            let item = chain.get(common).is_some_and(|level| level.list != NONE);
            let next =
                item && self.open.get(common).is_some_and(|open| open.level.list == chain[common].list);
            let nested = item
                && self.open.len() == common
                && common.checked_sub(1).is_some_and(|up| self.open[up].level.list != NONE)
                // Only a list that begins with 1 may end a paragraph.
                && (!markers.starts_with(|c: char| c.is_ascii_digit()) || markers.starts_with("1."));
            self.out.push('\n');
            if !(self.tight && prose && (next || nested)) {
                let start = self.out.len();
                self.open[..common].iter().for_each(|open| self.out.push_str(&open.indent));
                let kept = start + self.out.cut(start..).trim_end().len();
                self.out.truncate(kept);
                self.out.push('\n');
            }
        }
        self.open[..common].iter().for_each(|open| self.out.push_str(&open.indent));
        self.out.push_str(&markers);
        self.open.truncate(common);
        self.open.append(&mut opened);
        let indent: String = self.open.iter().map(|open| open.indent.as_str()).collect();
        let bare = indent.trim_end();
        for (n, line) in body.split('\n').enumerate() {
            if n > 0 {
                if self.out.len() > self.max {
                    break;
                }
                self.out.push('\n');
                self.out.push_str(if line.is_empty() { bare } else { &indent });
            }
            self.out.push_str(line);
        }
        self.tight = prose;
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
