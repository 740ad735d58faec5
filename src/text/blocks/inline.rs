//! What inline elements do to the characters in them: raise and lower, quote, set formulas.
//!
//! Counts of a block are those of the page's own characters: a raised digit is a digit, quotation marks that an element
//! stands for are not counted.

use super::Builder;
use super::formula::formula;
use super::page::{Event, MAX_BLOCKS, MAX_TEXT, Mark, NONE, Picture};
use super::tex::tex;
use webmill_capture::cut::Cut;
use webmill_html::script::{Form, MAX_BEFORE, Position, form_of, place_from};
use webmill_html::{NodeId, Tag};

/// Quotations in one another that alternate their marks.
const MAX_QUOTES: usize = 64;
/// Nodes until the first words of a quotation.
const MAX_LEAD: usize = 16;

/// Open inline elements that change their characters.
#[derive(Default)]
pub(super) struct TypesetElements {
    scripts: Vec<(NodeId, Position, Form)>,
    /// Quotations, and whether their marks are written.
    quotes: Vec<(NodeId, bool)>,
    /// An element has just begun whose first words no space precedes.
    glued: bool,
}

impl Builder<'_, '_> {
    pub(super) fn open_typeset(&mut self, node: NodeId, tag: Tag) {
        if let Some(position) = Position::of(tag) {
            let before = self.page.text.cut(self.start..);
            let before = if self.space { "" } else { before };
            // Only the last word counts, and of a long one its end.
            let before = before.cut(before.ceil_char_boundary(before.len().saturating_sub(MAX_BEFORE))..);
            let word = before.rfind([' ', '\n', '\t']).map_or(0, |at| at + 1);
            let form = form_of(self.dom, node, position, before.cut(word..), self.links > 0);
            if form == Form::Text {
                return;
            }
            if let Some(mark) = form.before(position) {
                self.push_mark(mark);
            }
            self.typeset.scripts.push((node, position, form));
            self.typeset.glued = true;
        } else if tag == Tag::Q && self.typeset.quotes.len() < MAX_QUOTES {
            let written = !self.is_quoted(node);
            if written {
                let depth = self.typeset.quotes.iter().filter(|quote| quote.1).count();
                self.push_mark(if depth % 2 == 0 { "“" } else { "‘" });
            }
            self.typeset.quotes.push((node, written));
            self.typeset.glued |= written;
        }
    }

    pub(super) fn close_typeset(&mut self, node: NodeId, tag: Tag) {
        if self.typeset.scripts.last().is_some_and(|script| script.0 == node) {
            if self.typeset.scripts.pop().is_some_and(|script| script.2 == Form::Braced)
                && self.page.text.len() > self.start
            {
                self.page.text.push('}');
            }
        } else if tag == Tag::Q
            && self.typeset.quotes.last().is_some_and(|quote| quote.0 == node)
            && self.typeset.quotes.pop().is_some_and(|quote| quote.1)
            && self.page.text.len() > self.start
        {
            let depth = self.typeset.quotes.iter().filter(|quote| quote.1).count();
            self.page.text.push(if depth % 2 == 0 { '”' } else { '’' });
        }
    }

    /// Text of the page, in the characters of the element around it.
    pub(super) fn typeset_text(&mut self, text: &str) {
        let text = if self.typeset.glued { text.trim_start() } else { text };
        self.typeset.glued &= text.is_empty();
        let from = self.page.text.len();
        self.text(text);
        if let Some(&(_, position, Form::Characters)) = self.typeset.scripts.last() {
            place_from(&mut self.page.text, from, position);
        }
    }

    /// A formula as a word of the line: MathML as it is read, others in the TeX that the page states.
    pub(super) fn formula(&mut self, node: NodeId) {
        let text = match self.dom.tag(node) {
            Tag::Math => formula(self.dom, node),
            _ => tex(self.dom, node).map(|tex| tex.text).unwrap_or_default(),
        };
        self.event(Mark::Open(Tag::Math), node);
        self.text(&text);
        self.event(Mark::Close(Tag::Math), node);
    }

    pub(super) fn event(&mut self, mark: Mark, node: NodeId) {
        if self.page.events.len() < 4 * MAX_BLOCKS {
            self.page.events.push(Event { at: self.page.text.len() as u32, mark, node });
        }
    }

    pub(super) fn image(&mut self, node: NodeId) {
        self.counts.images += 1;
        if self.page.text.len() > self.start {
            self.event(Mark::Image, node);
        } else {
            self.picture(node);
        }
    }

    pub(super) fn picture(&mut self, node: NodeId) {
        if self.page.pictures.len() < MAX_BLOCKS {
            let (container, block) = (self.at, self.page.blocks.len() as u32);
            self.page.pictures.push(Picture { node, container, block });
        }
    }

    /// Writes characters that an element stands for.
    fn push_mark(&mut self, mark: &str) {
        if self.page.text.len() + mark.len() + 1 > MAX_TEXT || self.at == NONE {
            return;
        }
        if self.space && self.page.text.len() > self.start {
            self.page.text.push(' ');
        }
        self.space = false;
        self.wrapped = false;
        self.page.text.push_str(mark);
    }

    /// Whether a quotation has no words or the author's own marks, in it or around it.
    fn is_quoted(&self, quotation: NodeId) -> bool {
        let is_mark = |c: char| "\"“”„‟«»‹›‘‚「『'《".contains(c);
        let first = self
            .dom
            .descendants(quotation)
            .take(MAX_LEAD)
            .find_map(|n| self.dom.text(n).chars().find(|c| !c.is_whitespace()));
        let around = self.page.text.cut(self.start..).chars().next_back().filter(|_| !self.space);
        first.is_none_or(is_mark) || around.is_some_and(|c| is_mark(c) && c != '\'')
    }
}
