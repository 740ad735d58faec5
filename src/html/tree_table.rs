//! Tree construction: the insertion modes of tables. What may not be in a table is put before it.

use super::dom::Span;
use super::tag::Tag;
use super::tree::{Builder, Mode, Token};
use super::tree_modes::Next;
use super::tree_sets::{FOSTERS, TABLE};

impl Builder<'_> {
    /// Text in a table, table body or row.
    pub fn table_text(&mut self, span: Span) {
        let top = self.top();
        if top.sets & FOSTERS != 0 || top.tag == Tag::Template {
            self.pending.push(span);
        } else {
            self.fostering = true;
            self.body_text(span);
            self.fostering = false;
        }
    }

    /// The text that waited: white space stays in the table, anything else goes before it.
    pub fn flush_table_text(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let white = pending.iter().all(|&span| self.is_space(span));
        for &span in &pending {
            if white {
                self.insert_text(span);
            } else {
                self.fostering = true;
                self.body_text(span);
                self.fostering = false;
            }
        }
        self.pending = pending;
        self.pending.clear();
    }

    /// The rules of "in body", with what they would put into a table put before it.
    fn fostered_start(&mut self, token: &Token) -> Next {
        self.fostering = true;
        let next = self.body_start(token);
        self.fostering = false;
        next
    }

    fn fostered_end(&mut self, token: &Token) -> Next {
        self.fostering = true;
        let next = self.body_end(token);
        self.fostering = false;
        next
    }

    pub fn table_start(&mut self, token: &Token) -> Next {
        use Tag::*;
        let (tag, mode) = match token.tag {
            Caption => {
                self.clear_to(&[Table, Template]);
                self.push_marker();
                self.insert(token);
                return self.to(Mode::InCaption);
            }
            Colgroup => {
                self.clear_to(&[Table, Template]);
                self.insert(token);
                return self.to(Mode::InColumnGroup);
            }
            Tbody | Tfoot | Thead => {
                self.clear_to(&[Table, Template]);
                self.insert(token);
                return self.to(Mode::InTableBody);
            }
            Col => (Colgroup, Mode::InColumnGroup),
            Td | Th | Tr => (Tbody, Mode::InTableBody),
            Table => {
                if !self.in_scope(Table, TABLE) {
                    return Next::Done;
                }
                self.pop_until(Table);
                self.reset_mode();
                return Next::Again;
            }
            Style | Script | Template => return self.head_start(token),
            Input if self.is_hidden(token) => {
                self.insert_void(token, Input);
                return Next::Done;
            }
            Form => {
                if self.form == 0 && !self.has_open(Template) {
                    self.form = self.insert(token);
                    self.pop();
                }
                return Next::Done;
            }
            _ => return self.fostered_start(token),
        };
        self.clear_to(&[Table, Template]);
        self.insert_implied(tag);
        self.again(mode)
    }

    pub fn table_end(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Table => {
                if self.in_scope(Table, TABLE) {
                    self.pop_until(Table);
                    self.reset_mode();
                }
                Next::Done
            }
            Body | Caption | Col | Colgroup | Html | Tbody | Td | Tfoot | Th | Thead | Tr => Next::Done,
            Template => {
                self.template_end();
                Next::Done
            }
            _ => self.fostered_end(token),
        }
    }

    fn close_caption(&mut self) -> bool {
        if !self.in_scope(Tag::Caption, TABLE) {
            return false;
        }
        self.imply_end_tags(Tag::Document);
        self.pop_until(Tag::Caption);
        self.clear_to_marker();
        self.mode = Mode::InTable;
        true
    }

    pub fn caption_start(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Caption | Col | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr => {
                if self.close_caption() {
                    Next::Again
                } else {
                    Next::Done
                }
            }
            _ => self.body_start(token),
        }
    }

    pub fn caption_end(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Caption => {
                self.close_caption();
                Next::Done
            }
            Table => {
                if self.close_caption() {
                    Next::Again
                } else {
                    Next::Done
                }
            }
            Body | Col | Colgroup | Html | Tbody | Td | Tfoot | Th | Thead | Tr => Next::Done,
            _ => self.body_end(token),
        }
    }

    fn close_colgroup(&mut self) -> Next {
        if !self.top_is(Tag::Colgroup) {
            return Next::Done;
        }
        self.pop();
        self.again(Mode::InTable)
    }

    pub fn colgroup_start(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Html => Next::Use(Mode::InBody),
            Tag::Col => {
                self.insert_void(token, Tag::Col);
                Next::Done
            }
            Tag::Template => Next::Use(Mode::InHead),
            _ => self.close_colgroup(),
        }
    }

    pub fn colgroup_end(&mut self, token: &Token) -> Next {
        match token.tag {
            Tag::Colgroup => {
                self.close_colgroup();
                Next::Done
            }
            Tag::Col => Next::Done,
            Tag::Template => Next::Use(Mode::InHead),
            _ => self.close_colgroup(),
        }
    }

    fn clear_to_table_body(&mut self) {
        self.clear_to(&[Tag::Tbody, Tag::Tfoot, Tag::Thead, Tag::Template]);
    }

    /// Leaves the table body for what belongs into the table itself.
    fn close_table_body(&mut self) -> Next {
        if !self.in_scope_of(TABLE, |open| matches!(open.tag, Tag::Tbody | Tag::Thead | Tag::Tfoot)) {
            return Next::Done;
        }
        self.clear_to_table_body();
        self.pop();
        self.again(Mode::InTable)
    }

    pub fn table_body_start(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Tr => {
                self.clear_to_table_body();
                self.insert(token);
                self.to(Mode::InRow)
            }
            Th | Td => {
                self.clear_to_table_body();
                self.insert_implied(Tr);
                self.again(Mode::InRow)
            }
            Caption | Col | Colgroup | Tbody | Tfoot | Thead => self.close_table_body(),
            _ => self.table_start(token),
        }
    }

    pub fn table_body_end(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Tbody | Tfoot | Thead => {
                if self.in_scope(token.tag, TABLE) {
                    self.clear_to_table_body();
                    self.pop();
                    self.mode = Mode::InTable;
                }
                Next::Done
            }
            Table => self.close_table_body(),
            Body | Caption | Col | Colgroup | Html | Td | Th | Tr => Next::Done,
            _ => self.table_end(token),
        }
    }

    fn close_row(&mut self) -> Next {
        if !self.in_scope(Tag::Tr, TABLE) {
            return Next::Done;
        }
        self.clear_to(&[Tag::Tr, Tag::Template]);
        self.pop();
        self.again(Mode::InTableBody)
    }

    pub fn row_start(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Th | Td => {
                self.clear_to(&[Tr, Template]);
                self.insert(token);
                self.push_marker();
                self.to(Mode::InCell)
            }
            Caption | Col | Colgroup | Tbody | Tfoot | Thead | Tr => self.close_row(),
            _ => self.table_start(token),
        }
    }

    pub fn row_end(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Tr => {
                self.close_row();
                Next::Done
            }
            Table => self.close_row(),
            Tbody | Tfoot | Thead => {
                if self.in_scope(token.tag, TABLE) {
                    self.close_row()
                } else {
                    Next::Done
                }
            }
            Body | Caption | Col | Colgroup | Html | Td | Th => Next::Done,
            _ => self.table_end(token),
        }
    }

    fn close_cell(&mut self) -> Next {
        self.imply_end_tags(Tag::Document);
        while self.stack.len() > 1 && !matches!(self.top().tag, Tag::Td | Tag::Th) {
            self.pop();
        }
        self.pop();
        self.clear_to_marker();
        self.again(Mode::InRow)
    }

    pub fn cell_start(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Caption | Col | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr => {
                if self.in_scope_of(TABLE, |open| matches!(open.tag, Td | Th)) {
                    self.close_cell()
                } else {
                    Next::Done
                }
            }
            _ => self.body_start(token),
        }
    }

    pub fn cell_end(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Td | Th => {
                if self.in_scope(token.tag, TABLE) {
                    self.imply_end_tags(Document);
                    self.pop_until(token.tag);
                    self.clear_to_marker();
                    self.mode = Mode::InRow;
                }
                Next::Done
            }
            Body | Caption | Col | Colgroup | Html => Next::Done,
            Table | Tbody | Tfoot | Thead | Tr => {
                if self.in_scope(token.tag, TABLE) {
                    self.close_cell()
                } else {
                    Next::Done
                }
            }
            _ => self.body_end(token),
        }
    }
}
