//! Tree construction: dispatch, and every insertion mode but "in body" and those of tables.
//!
//! A mode's rules for start tags, end tags, text and comments are arms of four matches. "Reprocess the token" is a
//! change of mode and another turn of the loop; "using the rules for" another mode is a call of its rules.

use super::dom::Namespace;
use super::tag::Tag;
use super::tree::{Builder, Contents, Mode, Token};

/// What a mode's rules leave to do.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Next {
    Done,
    /// Reprocess in the mode that is now the builder's.
    Again,
    /// Apply the rules of another mode.
    Use(Mode),
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

    pub fn no_doctype(&mut self) -> Next {
        self.dom.quirks = true;
        self.again(Mode::BeforeHtml)
    }

    pub fn implied_html(&mut self) -> Next {
        self.insert_implied(Tag::Html);
        self.again(Mode::BeforeHead)
    }

    pub fn implied_head(&mut self) -> Next {
        self.head = self.insert_implied(Tag::Head);
        self.again(Mode::InHead)
    }

    pub fn leave_head(&mut self) -> Next {
        self.pop();
        self.again(Mode::AfterHead)
    }

    pub fn leave_noscript(&mut self) -> Next {
        self.pop();
        self.again(Mode::InHead)
    }

    pub fn implied_body(&mut self) -> Next {
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
        while self.top().sets & super::tree_sets::IMPLIED_THOROUGHLY != 0 {
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
}
