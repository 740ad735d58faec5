//! Tree construction: dispatch, and every insertion mode but "in body" and those of tables.
//!
//! A mode's rules for start tags, end tags, text and comments are arms of four matches. "Reprocess the token" is a
//! change of mode and another turn of the loop; "using the rules for" another mode is a call of its rules.

use super::dom::{HAS_PUBLIC, HAS_SYSTEM, Namespace, Node, Span};
use super::tag::Tag;
use super::tree::{Builder, Contents, HTML_POINT, MATHML_POINT, Mode, Place, Token};

/// What a mode's rules leave to do.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Next {
    Done,
    /// Reprocess in the mode that is now the builder's.
    Again,
    /// Apply the rules of another mode.
    Use(Mode),
}

/// A doctype as the tokenizer read it.
pub(super) struct Doctype {
    pub name: Span,
    pub public: Option<Span>,
    pub system: Option<Span>,
    pub force_quirks: bool,
}

impl Builder<'_> {
    pub fn start_tag(&mut self, token: &Token) {
        self.ignore_newline = false;
        if !self.pending.is_empty() {
            self.flush_table_text();
        }
        let top = self.top();
        if top.ns != Namespace::Html && self.is_foreign_start(top, token) && self.foreign_start(top, token) {
            return;
        }
        let mut mode = self.mode;
        loop {
            let next = match mode {
                Mode::InBody => self.body_start(token),
                Mode::InCell => self.cell_start(token),
                Mode::InHead => self.head_start(token),
                Mode::InTable => self.table_start(token),
                Mode::InTableBody => self.table_body_start(token),
                Mode::InRow => self.row_start(token),
                Mode::InCaption => self.caption_start(token),
                Mode::InColumnGroup => self.colgroup_start(token),
                Mode::Initial => self.no_doctype(),
                Mode::BeforeHtml => self.before_html_start(token),
                Mode::BeforeHead => self.before_head_start(token),
                Mode::InHeadNoscript => self.noscript_start(token),
                Mode::AfterHead => self.after_head_start(token),
                Mode::InTemplate => self.template_start(token),
                Mode::AfterBody | Mode::AfterAfterBody => match token.tag {
                    Tag::Html => Next::Use(Mode::InBody),
                    _ => self.again(Mode::InBody),
                },
                Mode::InFrameset => self.frameset_start(token),
                Mode::AfterFrameset | Mode::AfterAfterFrameset => match token.tag {
                    Tag::Html => Next::Use(Mode::InBody),
                    Tag::Noframes => Next::Use(Mode::InHead),
                    _ => Next::Done,
                },
            };
            mode = match next {
                Next::Done => return,
                Next::Again => self.mode,
                Next::Use(other) => other,
            };
        }
    }

    pub fn end_tag(&mut self, token: &Token) {
        self.ignore_newline = false;
        if !self.pending.is_empty() {
            self.flush_table_text();
        }
        if self.top().ns != Namespace::Html && self.foreign_end(token) {
            return;
        }
        let mut mode = self.mode;
        loop {
            let next = match mode {
                Mode::InBody => self.body_end(token),
                Mode::InCell => self.cell_end(token),
                Mode::InHead => self.head_end(token),
                Mode::InTable => self.table_end(token),
                Mode::InTableBody => self.table_body_end(token),
                Mode::InRow => self.row_end(token),
                Mode::InCaption => self.caption_end(token),
                Mode::InColumnGroup => self.colgroup_end(token),
                Mode::Initial => self.no_doctype(),
                Mode::BeforeHtml => match token.tag {
                    Tag::Head | Tag::Body | Tag::Html | Tag::Br => self.implied_html(),
                    _ => Next::Done,
                },
                Mode::BeforeHead => match token.tag {
                    Tag::Head | Tag::Body | Tag::Html | Tag::Br => self.implied_head(),
                    _ => Next::Done,
                },
                Mode::InHeadNoscript => match token.tag {
                    Tag::Noscript => {
                        self.pop();
                        self.to(Mode::InHead)
                    }
                    Tag::Br => self.leave_noscript(),
                    _ => Next::Done,
                },
                Mode::AfterHead => match token.tag {
                    Tag::Template => Next::Use(Mode::InHead),
                    Tag::Body | Tag::Html | Tag::Br => self.implied_body(),
                    _ => Next::Done,
                },
                Mode::InTemplate => match token.tag {
                    Tag::Template => Next::Use(Mode::InHead),
                    _ => Next::Done,
                },
                Mode::AfterBody => match token.tag {
                    Tag::Html => self.to(Mode::AfterAfterBody),
                    _ => self.again(Mode::InBody),
                },
                Mode::AfterAfterBody => self.again(Mode::InBody),
                Mode::InFrameset => {
                    if token.tag == Tag::Frameset && self.stack.len() > 1 {
                        self.pop();
                        if !self.top_is(Tag::Frameset) {
                            self.mode = Mode::AfterFrameset;
                        }
                    }
                    Next::Done
                }
                Mode::AfterFrameset => match token.tag {
                    Tag::Html => self.to(Mode::AfterAfterFrameset),
                    _ => Next::Done,
                },
                Mode::AfterAfterFrameset => Next::Done,
            };
            mode = match next {
                Next::Done => return,
                Next::Again => self.mode,
                Next::Use(other) => other,
            };
        }
    }

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
        self.dom.attrs.push(super::dom::Attr { name: doctype.name, value: doctype.public.unwrap_or(none) });
        self.dom.attrs.push(super::dom::Attr { name: none, value: doctype.system.unwrap_or(none) });
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

    /// The source ends: what the standard has every document contain is made.
    pub fn end_of_file(&mut self) {
        if !self.pending.is_empty() {
            self.flush_table_text();
        }
        loop {
            match self.mode {
                Mode::Initial => _ = self.no_doctype(),
                Mode::BeforeHtml => _ = self.implied_html(),
                Mode::BeforeHead => _ = self.implied_head(),
                Mode::InHead => _ = self.leave_head(),
                Mode::InHeadNoscript => _ = self.leave_noscript(),
                Mode::AfterHead => _ = self.implied_body(),
                _ if self.has_open(Tag::Template) && !self.template_modes.is_empty() => {
                    // Only templates in templates make another turn: each may have left a mode to leave.
                    self.pop_until(Tag::Template);
                    self.clear_to_marker();
                    self.template_modes.pop();
                    self.reset_mode();
                }
                _ => break,
            }
        }
        self.note_landmarks();
    }

    fn note_landmarks(&mut self) {
        let child = |parent: u32, wanted: &[Tag]| {
            let mut at = self.dom.node(parent).first;
            while at != 0 && !wanted.contains(&self.dom.node(at).tag) {
                at = self.dom.node(at).next;
            }
            at
        };
        let html = child(0, &[Tag::Html]);
        let (head, body) = if html == 0 {
            (0, 0)
        } else {
            (child(html, &[Tag::Head]), child(html, &[Tag::Body, Tag::Frameset]))
        };
        (self.dom.html, self.dom.head, self.dom.body) = (html, head, body);
    }

    #[inline]
    pub fn again(&mut self, mode: Mode) -> Next {
        self.mode = mode;
        Next::Again
    }

    #[inline]
    pub fn to(&mut self, mode: Mode) -> Next {
        self.mode = mode;
        Next::Done
    }

    fn no_doctype(&mut self) -> Next {
        self.dom.quirks = true;
        self.again(Mode::BeforeHtml)
    }

    fn implied_html(&mut self) -> Next {
        self.insert_implied(Tag::Html);
        self.again(Mode::BeforeHead)
    }

    fn implied_head(&mut self) -> Next {
        self.head = self.insert_implied(Tag::Head);
        self.again(Mode::InHead)
    }

    fn leave_head(&mut self) -> Next {
        self.pop();
        self.again(Mode::AfterHead)
    }

    fn leave_noscript(&mut self) -> Next {
        self.pop();
        self.again(Mode::InHead)
    }

    fn implied_body(&mut self) -> Next {
        self.insert_implied(Tag::Body);
        self.again(Mode::InBody)
    }

    fn before_html_start(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Html => {
                self.insert(token);
                self.to(Mode::BeforeHead)
            }
            _ => self.implied_html(),
        }
    }

    fn before_head_start(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Html => Next::Use(Mode::InBody),
            Tag::Head => {
                self.head = self.insert(token);
                self.to(Mode::InHead)
            }
            _ => self.implied_head(),
        }
    }

    pub fn head_start(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Html => Next::Use(Mode::InBody),
            Tag::Base | Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta => {
                self.insert_void(token, token.tag);
                Next::Done
            }
            Tag::Title => self.raw(token, Contents::Rcdata(Tag::Title)),
            Tag::Noframes | Tag::Style => self.raw(token, Contents::Rawtext(token.tag)),
            Tag::Script => self.raw(token, Contents::Script),
            Tag::Noscript => {
                self.insert(token);
                self.to(Mode::InHeadNoscript)
            }
            Tag::Template => {
                self.insert(token);
                self.push_marker();
                self.frameset_ok = false;
                self.template_modes.push(Mode::InTemplate);
                self.to(Mode::InTemplate)
            }
            Tag::Head => Next::Done,
            _ => self.leave_head(),
        }
    }

    fn head_end(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Head => {
                self.pop();
                self.to(Mode::AfterHead)
            }
            Tag::Body | Tag::Html | Tag::Br => self.leave_head(),
            Tag::Template => {
                self.template_end();
                Next::Done
            }
            _ => Next::Done,
        }
    }

    pub fn template_end(&mut self) {
        if !self.has_open(Tag::Template) {
            return;
        }
        while self.top().sets & super::tree::IMPLIED_THOROUGHLY != 0 {
            self.pop();
        }
        self.pop_until(Tag::Template);
        self.clear_to_marker();
        self.template_modes.pop();
        self.reset_mode();
    }

    /// Inserts an element whose contents are text. It is closed again when they have been read.
    pub fn raw(&mut self, token: &Token, contents: Contents) -> Next {
        self.insert(token);
        self.contents = contents;
        Next::Done
    }

    fn noscript_start(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Html => Next::Use(Mode::InBody),
            Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta | Tag::Noframes | Tag::Style => {
                Next::Use(Mode::InHead)
            }
            Tag::Head | Tag::Noscript => Next::Done,
            _ => self.leave_noscript(),
        }
    }

    fn after_head_start(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Html => Next::Use(Mode::InBody),
            Tag::Body => {
                self.insert(token);
                self.frameset_ok = false;
                self.to(Mode::InBody)
            }
            Tag::Frameset => {
                self.insert(token);
                self.to(Mode::InFrameset)
            }
            Tag::Base
            | Tag::Basefont
            | Tag::Bgsound
            | Tag::Link
            | Tag::Meta
            | Tag::Noframes
            | Tag::Script
            | Tag::Style
            | Tag::Template
            | Tag::Title => {
                // The head opens once more for this element, which may stay open in it.
                let head = self.head;
                self.push(head, Tag::Head);
                let _ = self.head_start(token);
                if let Some(at) = self.position(head) {
                    self.remove_open(at);
                }
                Next::Done
            }
            Tag::Head => Next::Done,
            _ => self.implied_body(),
        }
    }

    fn template_start(&mut self, token: &Token) -> Next {
        let mode = match token.tag {
            Tag::Base
            | Tag::Basefont
            | Tag::Bgsound
            | Tag::Link
            | Tag::Meta
            | Tag::Noframes
            | Tag::Script
            | Tag::Style
            | Tag::Template
            | Tag::Title => return Next::Use(Mode::InHead),
            Tag::Caption | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead => Mode::InTable,
            Tag::Col => Mode::InColumnGroup,
            Tag::Tr => Mode::InTableBody,
            Tag::Td | Tag::Th => Mode::InRow,
            _ => Mode::InBody,
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        self.again(mode)
    }

    fn frameset_start(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Html => Next::Use(Mode::InBody),
            Tag::Frameset => {
                self.insert(token);
                Next::Done
            }
            Tag::Frame => {
                self.insert_void(token, Tag::Frame);
                Next::Done
            }
            Tag::Noframes => Next::Use(Mode::InHead),
            _ => Next::Done,
        }
    }

    /// The standard's "reset the insertion mode appropriately".
    pub fn reset_mode(&mut self) {
        self.mode = Mode::InBody;
        for at in (0..self.stack.len()).rev() {
            self.work += 1;
            self.mode = match self.stack[at].tag {
                Tag::Td | Tag::Th if at > 0 => Mode::InCell,
                Tag::Tr => Mode::InRow,
                Tag::Tbody | Tag::Thead | Tag::Tfoot => Mode::InTableBody,
                Tag::Caption => Mode::InCaption,
                Tag::Colgroup => Mode::InColumnGroup,
                Tag::Table => Mode::InTable,
                Tag::Template => self.template_modes.last().copied().unwrap_or(Mode::InBody),
                Tag::Head if at > 0 => Mode::InHead,
                Tag::Body => Mode::InBody,
                Tag::Frameset => Mode::InFrameset,
                Tag::Html if self.head == 0 => Mode::BeforeHead,
                Tag::Html => Mode::AfterHead,
                _ => continue,
            };
            return;
        }
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
