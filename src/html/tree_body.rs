//! Tree construction: the insertion mode "in body".

use super::dom::Span;
use super::tag::Tag;
use super::tree::{Builder, Contents, Mode, Place, Token};
use super::tree_modes::Next;
use super::tree_sets::{BUTTON, HEADING, LIST, SCOPE, SPECIAL};

impl Builder<'_> {
    #[inline]
    pub fn body_text(&mut self, span: Span) {
        self.reconstruct();
        if self.frameset_ok && !self.is_space(span) {
            self.frameset_ok = false;
        }
        self.insert_text(span);
    }

    pub fn body_start(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Address | Article | Aside | Blockquote | Center | Details | Dialog | Dir | Div | Dl
            | Fieldset | Figcaption | Figure | Footer | Header | Hgroup | Main | Menu | Nav | Ol | P
            | Search | Section | Summary | Ul => {
                self.close_p();
                self.insert(token);
            }
            A => {
                self.close_link();
                self.reconstruct();
                self.insert_formatting(token);
            }
            B | Big | Code | Em | Font | I | S | Small | Strike | Strong | Tt | U => {
                self.reconstruct();
                self.insert_formatting(token);
            }
            Li => self.item_start(token, &[Li]),
            Dd | Dt => self.item_start(token, &[Dd, Dt]),
            Area | Br | Embed | Img | Keygen | Wbr => {
                self.reconstruct();
                self.insert_void(token, token.tag);
                self.frameset_ok = false;
            }
            Base | Basefont | Bgsound | Link | Meta | Noframes | Script | Style | Template | Title => {
                return self.head_start(token);
            }
            H1 | H2 | H3 | H4 | H5 | H6 => {
                self.close_p();
                if self.top().sets & HEADING != 0 {
                    self.pop();
                }
                self.insert(token);
            }
            Pre | Listing => {
                self.close_p();
                self.insert(token);
                self.ignore_newline = true;
                self.frameset_ok = false;
            }
            Form => {
                if self.form != 0 && !self.has_open(Template) {
                    return Next::Done;
                }
                self.close_p();
                let id = self.insert(token);
                if !self.has_open(Template) {
                    self.form = id;
                }
            }
            Button => {
                if self.in_scope(Button, SCOPE) {
                    self.imply_end_tags(Document);
                    self.pop_until(Button);
                }
                self.reconstruct();
                self.insert(token);
                self.frameset_ok = false;
            }
            Table => {
                if !self.dom.quirks {
                    self.close_p();
                }
                self.insert(token);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            Input => {
                if self.in_scope(Select, SCOPE) {
                    self.pop_until(Select);
                }
                self.reconstruct();
                self.insert_void(token, Input);
                self.frameset_ok = self.frameset_ok && self.is_hidden(token);
            }
            Param | Source | Track => self.insert_void(token, token.tag),
            Hr => {
                self.close_p();
                if self.in_scope(Select, SCOPE) {
                    self.imply_end_tags(Document);
                }
                self.insert_void(token, Hr);
                self.frameset_ok = false;
            }
            Image => {
                self.reconstruct();
                self.insert_void(token, Img);
                self.frameset_ok = false;
            }
            Textarea => {
                self.insert(token);
                self.ignore_newline = true;
                self.frameset_ok = false;
                self.contents = Contents::Rcdata(Textarea);
            }
            Xmp => {
                self.close_p();
                self.reconstruct();
                self.frameset_ok = false;
                return self.raw(token, Contents::Rawtext(Xmp));
            }
            Iframe => {
                self.frameset_ok = false;
                return self.raw(token, Contents::Rawtext(Iframe));
            }
            Noembed => return self.raw(token, Contents::Rawtext(Noembed)),
            Plaintext => {
                self.close_p();
                return self.raw(token, Contents::Plaintext);
            }
            Select => {
                if self.in_scope(Select, SCOPE) {
                    self.pop_until(Select);
                } else {
                    self.reconstruct();
                    self.insert(token);
                    self.frameset_ok = false;
                }
            }
            Option | Optgroup => {
                if self.in_scope(Select, SCOPE) {
                    self.imply_end_tags(if token.tag == Option { Optgroup } else { Document });
                } else if self.top_is(Option) {
                    self.pop();
                }
                self.reconstruct();
                self.insert(token);
            }
            Rb | Rtc | Rp | Rt => {
                if self.in_scope(Ruby, SCOPE) {
                    self.imply_end_tags(if matches!(token.tag, Rp | Rt) { Rtc } else { Document });
                }
                self.insert(token);
            }
            Nobr => {
                self.reconstruct();
                if self.in_scope(Nobr, SCOPE) {
                    self.adopt(Nobr, token.name);
                    self.reconstruct();
                }
                self.insert_formatting(token);
            }
            Applet | Marquee | Object => {
                self.reconstruct();
                self.insert(token);
                self.push_marker();
                self.frameset_ok = false;
            }
            Math | Svg => {
                self.reconstruct();
                self.insert_foreign_root(token);
            }
            Html => {
                if !self.has_open(Template)
                    && let Some(root) = self.stack.first().copied()
                {
                    self.add_attrs(root.id, token);
                }
            }
            Body => {
                if let Some(body) = self.body()
                    && !self.has_open(Template)
                {
                    self.frameset_ok = false;
                    self.add_attrs(body, token);
                }
            }
            Frameset => {
                if self.frameset_ok
                    && let Some(body) = self.body()
                {
                    self.dom.detach(body);
                    self.truncate_stack(1);
                    self.insert(token);
                    self.mode = Mode::InFrameset;
                }
            }
            Caption | Col | Colgroup | Frame | Head | Tbody | Td | Tfoot | Th | Thead | Tr => {}
            _ => {
                self.reconstruct();
                self.insert(token);
            }
        }
        Next::Done
    }

    /// The body, if it is the second open element.
    fn body(&self) -> Option<u32> {
        self.stack.get(1).filter(|open| open.tag == Tag::Body).map(|open| open.id)
    }

    pub fn is_hidden(&self, token: &Token) -> bool {
        let (from, to) = (token.attrs as usize, (token.attrs + token.count) as usize);
        self.dom.attrs[from..to]
            .iter()
            .find(|attr| self.dom.bytes(attr.name) == b"type")
            .is_some_and(|attr| self.dom.bytes(attr.value).eq_ignore_ascii_case(b"hidden"))
    }

    /// A list item ends the one before it, if no element but `address`, `div` and `p` is between.
    fn item_start(&mut self, token: &Token, ended: &[Tag]) {
        self.frameset_ok = false;
        if ended.iter().any(|&tag| self.has_open(tag)) {
            for at in (0..self.stack.len()).rev() {
                let open = self.stack[at];
                self.work += 1;
                if ended.contains(&open.tag) {
                    self.imply_end_tags(open.tag);
                    self.pop_until(open.tag);
                    break;
                }
                if open.sets & SPECIAL != 0 && !matches!(open.tag, Tag::Address | Tag::Div | Tag::P) {
                    break;
                }
            }
        }
        self.close_p();
        self.insert(token);
    }

    pub fn body_end(&mut self, token: &Token) -> Next {
        use Tag::*;
        match token.tag {
            Address | Article | Aside | Blockquote | Button | Center | Details | Dialog | Dir | Div | Dl
            | Fieldset | Figcaption | Figure | Footer | Header | Hgroup | Listing | Main | Menu | Nav
            | Ol | Pre | Search | Section | Select | Summary | Ul => {
                if self.in_scope(token.tag, SCOPE) {
                    self.imply_end_tags(Document);
                    self.pop_until(token.tag);
                }
            }
            A | B | Big | Code | Em | Font | I | Nobr | S | Small | Strike | Strong | Tt | U => {
                self.adopt(token.tag, token.name);
            }
            P => {
                if !self.in_scope(P, SCOPE | BUTTON) {
                    self.insert_implied(P);
                }
                self.close_p();
            }
            Li => {
                if self.in_scope(Li, SCOPE | LIST) {
                    self.imply_end_tags(Li);
                    self.pop_until(Li);
                }
            }
            Dd | Dt => {
                if self.in_scope(token.tag, SCOPE) {
                    self.imply_end_tags(token.tag);
                    self.pop_until(token.tag);
                }
            }
            H1 | H2 | H3 | H4 | H5 | H6 => {
                if self.in_scope_of(SCOPE, |open| open.sets & HEADING != 0) {
                    self.imply_end_tags(Document);
                    while self.top().sets & HEADING == 0 {
                        self.pop();
                    }
                    self.pop();
                }
            }
            Form => self.form_end(),
            Body => {
                if self.in_scope(Body, SCOPE) {
                    self.mode = Mode::AfterBody;
                }
            }
            Html => {
                if self.in_scope(Body, SCOPE) {
                    return self.again(Mode::AfterBody);
                }
            }
            Applet | Marquee | Object => {
                if self.in_scope(token.tag, SCOPE) {
                    self.imply_end_tags(Document);
                    self.pop_until(token.tag);
                    self.clear_to_marker();
                }
            }
            Template => self.template_end(),
            Br => {
                // As the start tag, without attributes.
                self.reconstruct();
                let id = self.dom.push_node(super::dom::Node::new(Br));
                self.put_element(id);
                self.frameset_ok = false;
            }
            _ => self.other_end(token.tag, token.name),
        }
        Next::Done
    }

    fn form_end(&mut self) {
        if self.has_open(Tag::Template) {
            if self.in_scope(Tag::Form, SCOPE) {
                self.imply_end_tags(Tag::Document);
                self.pop_until(Tag::Form);
            }
            return;
        }
        let form = std::mem::take(&mut self.form);
        if form == 0 || !self.in_scope_of(SCOPE, |open| open.id == form) {
            return;
        }
        self.imply_end_tags(Tag::Document);
        // The elements above the form stay open.
        if let Some(at) = self.position(form) {
            self.remove_open(at);
        }
    }

    /// Any other end tag: closes the nearest element of its name, unless a special one is between.
    pub fn other_end(&mut self, tag: Tag, name: Span) {
        if !self.has_open(tag) {
            return;
        }
        for at in (0..self.stack.len()).rev() {
            let open = self.stack[at];
            self.work += 1;
            if open.tag == tag && (tag != Tag::Unknown || self.is_named(open.id, name)) {
                self.truncate_stack(at);
                return;
            }
            if open.sets & SPECIAL != 0 {
                return;
            }
        }
    }

    /// Whether an element of [`Tag::Unknown`] has the name.
    pub fn is_named(&self, id: u32, name: Span) -> bool {
        let node = self.dom.node(id);
        self.dom.bytes(self.dom.attrs[node.a as usize - 1].name).eq_ignore_ascii_case(self.dom.bytes(name))
    }

    pub fn insert_foreign_root(&mut self, token: &Token) {
        let ns =
            if token.tag == Tag::Svg { super::dom::Namespace::Svg } else { super::dom::Namespace::MathMl };
        self.insert_foreign(token, ns);
    }

    /// Puts a node at the end of an element, out of wherever it was.
    pub fn move_to(&mut self, place: Place, id: u32) {
        self.dom.detach(id);
        self.put(place, id);
    }
}
