//! Tree construction: text, comments and the doctype, in every insertion mode.

use super::dom::{Attr, HAS_PUBLIC, HAS_SYSTEM, Namespace, Node, Span};
use super::tag::Tag;
use super::tree::{Builder, Mode, Place};
use super::tree_sets::{HTML_POINT, MATHML_POINT};

/// A doctype as the tokenizer read it.
pub(super) struct Doctype {
    pub name: Span,
    pub public: Option<Span>,
    pub system: Option<Span>,
    pub force_quirks: bool,
}

impl Builder<'_> {
    /// A run of characters without NUL.
    pub fn characters(&mut self, mut span: Span) {
        if self.ignore_newline {
            self.ignore_newline = false;
            if self.dom.bytes(span).first() == Some(&b'\n') {
                span = Span { start: span.start + 1, len: span.len - 1 };
            }
        }
        if span.len == 0 {
            return;
        }
        let top = self.top();
        if top.ns != Namespace::Html && top.sets & (HTML_POINT | MATHML_POINT) == 0 {
            self.frameset_ok = self.frameset_ok && self.is_space(span);
            return self.insert_text(span);
        }
        loop {
            match self.mode {
                Mode::InBody | Mode::InCell | Mode::InCaption | Mode::InTemplate => {
                    return self.body_text(span);
                }
                Mode::InTable | Mode::InTableBody | Mode::InRow => return self.table_text(span),
                // The other modes tell white space at the beginning from what follows it.
                mode => {
                    let space = self.leading_space(span);
                    if space > 0 {
                        let white = Span { start: span.start, len: space };
                        match mode {
                            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => {}
                            Mode::AfterBody | Mode::AfterAfterBody | Mode::AfterAfterFrameset => {
                                self.body_text(white)
                            }
                            _ => self.insert_text(white),
                        }
                        span = Span { start: span.start + space, len: span.len - space };
                        if span.len == 0 {
                            return;
                        }
                    }
                    if self.not_space(mode) {
                        continue;
                    }
                    // Framesets keep no text but white space.
                    let word = self.leading_word(span);
                    span = Span { start: span.start + word, len: span.len - word };
                    if span.len == 0 {
                        return;
                    }
                }
            }
        }
    }

    /// A character that is not white space came in a mode other than those of body, cells and tables: leaves the mode.
    /// False where the character is dropped instead.
    fn not_space(&mut self, mode: Mode) -> bool {
        let _ = match mode {
            Mode::Initial => self.no_doctype(),
            Mode::BeforeHtml => self.implied_html(),
            Mode::BeforeHead => self.implied_head(),
            Mode::InHead => self.leave_head(),
            Mode::InHeadNoscript => self.leave_noscript(),
            Mode::AfterHead => self.implied_body(),
            Mode::InColumnGroup => {
                if !self.top_is(Tag::Colgroup) {
                    return false;
                }
                self.pop();
                self.again(Mode::InTable)
            }
            Mode::AfterBody | Mode::AfterAfterBody => self.again(Mode::InBody),
            _ => return false,
        };
        true
    }

    /// NUL in markup: a replacement character in SVG and MathML; else dropped, though it ends the head.
    pub fn nul(&mut self) {
        self.ignore_newline = false;
        let top = self.top();
        if top.ns != Namespace::Html && top.sets & (HTML_POINT | MATHML_POINT) == 0 {
            let start = self.dom.side.len();
            self.dom.side.push(char::REPLACEMENT_CHARACTER);
            return self.insert_text(self.side_from(start));
        }
        loop {
            match self.mode {
                Mode::InBody | Mode::InCell | Mode::InCaption | Mode::InTemplate => return,
                Mode::InTable | Mode::InTableBody | Mode::InRow => return,
                mode => {
                    if !self.not_space(mode) {
                        return;
                    }
                }
            }
        }
    }

    pub fn comment(&mut self, span: Span) {
        self.ignore_newline = false;
        if !self.pending.is_empty() {
            self.flush_table_text();
        }
        let top = self.top();
        let place = match self.mode {
            _ if top.ns != Namespace::Html => Place::Last(top.id),
            Mode::Initial | Mode::BeforeHtml | Mode::AfterAfterBody | Mode::AfterAfterFrameset => {
                Place::Last(0)
            }
            Mode::AfterBody => Place::Last(self.stack[0].id),
            _ => self.place(top),
        };
        self.put_comment(place, span);
    }

    pub fn doctype(&mut self, doctype: &Doctype) {
        self.ignore_newline = false;
        if !self.pending.is_empty() {
            self.flush_table_text();
        }
        if self.mode != Mode::Initial {
            return;
        }
        let a = self.dom.attrs.len() as u32;
        let none = Span::default();
        self.dom.attrs.push(Attr { name: doctype.name, value: doctype.public.unwrap_or(none) });
        self.dom.attrs.push(Attr { name: none, value: doctype.system.unwrap_or(none) });
        let mut node = Node { a, b: 0, ..Node::new(Tag::Doctype) };
        node.flags |= if doctype.public.is_some() { HAS_PUBLIC } else { 0 };
        node.flags |= if doctype.system.is_some() { HAS_SYSTEM } else { 0 };
        let id = self.dom.push_node(node);
        self.dom.append(0, id);
        self.dom.quirks = doctype.force_quirks
            || super::quirks::quirky(
                self.dom.str(doctype.name),
                doctype.public.map(|span| self.dom.str(span)),
                doctype.system.map(|span| self.dom.str(span)),
            );
        self.mode = Mode::BeforeHtml;
    }

    #[inline]
    pub fn is_space(&self, span: Span) -> bool {
        self.leading_space(span) == span.len
    }

    #[inline]
    pub fn leading_space(&self, span: Span) -> u32 {
        self.dom.bytes(span).iter().take_while(|c| is_space(**c)).count() as u32
    }

    fn leading_word(&self, span: Span) -> u32 {
        self.dom.bytes(span).iter().take_while(|c| !is_space(**c)).count() as u32
    }
}

/// The white space of HTML.
#[inline]
pub(super) fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\n' | b'\t' | 0xc | b'\r')
}
