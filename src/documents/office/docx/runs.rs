//! Words of a paragraph of a DOCX file.
//!
//! **Definition.** ECMA-376-1, 17.3.2 and 17.3.3: runs of one look, among them links, fields, formulas, marks of changes.

use crate::Inline;
use crate::code_pages::{Pictures, symbol};
use crate::office::docx::body::{NoteKind, Walk, alternative, control};
use crate::office::docx::fields::link_of;
use crate::office::docx::styles::TextLook;
use crate::office::math::formula;
use crate::xml::Element;

impl<'x> Walk<'x> {
    /// Adds the words that an element holds; `link` is where they lead.
    pub(super) fn inlines(
        &mut self,
        parent: Element<'x>,
        look: TextLook,
        link: Option<&str>,
        words: &mut Inline,
    ) {
        for element in parent.children() {
            match element.name() {
                "r" => self.run(element, look, link, words),
                "hyperlink" => {
                    let target = self.target(element.prefixed_attr("id").as_deref());
                    self.inlines(element, look, target.as_deref().or(link), words);
                }
                "fldSimple" => {
                    let target = element.attr("instr").and_then(|code| link_of(&code));
                    self.inlines(element, look, target.as_deref().or(link), words);
                }
                "sdt" => {
                    if let Some(content) = control(element) {
                        self.inlines(content, look, link, words);
                    }
                }
                "AlternateContent" => {
                    if let Some(chosen) = alternative(element) {
                        self.inlines(chosen, look, link, words);
                    }
                }
                "ins" | "moveTo" | "smartTag" | "customXml" | "dir" | "bdo" => {
                    self.inlines(element, look, link, words);
                }
                "oMath" | "oMathPara" => self.formula(element, words),
                _ => {}
            }
        }
    }

    fn run(&mut self, run: Element<'x>, paragraph: TextLook, link: Option<&str>, words: &mut Inline) {
        let properties = run.child("rPr");
        let style = properties.and_then(|properties| properties.val("rStyle"));
        let style = style.map(|id| self.styles.run_look(&id)).unwrap_or_default();
        let look = TextLook::of_run(properties).or(style).or(paragraph);
        let hidden = look.hidden.unwrap_or(false);
        self.run_content(run, look, hidden, link, words);
    }

    fn run_content(
        &mut self,
        run: Element<'x>,
        look: TextLook,
        hidden: bool,
        link: Option<&str>,
        words: &mut Inline,
    ) {
        for element in run.children() {
            // Marks of fields count even where letters are hidden.
            match element.name() {
                "fldChar" => {
                    if let Some(shown) = self.fields.mark(element).filter(|_| !hidden) {
                        self.push(words, &shown, look, link);
                    }
                }
                "instrText" => self.fields.code(&element.text()),
                _ if hidden || !self.fields.shows_text() => {}
                "t" => {
                    let text = element.text();
                    let kept = element.attr("space").is_some_and(|space| space == "preserve");
                    self.push(
                        words,
                        if kept { &text } else { text.trim_matches([' ', '\n', '\t', '\r']) },
                        look,
                        link,
                    );
                }
                "tab" | "ptab" => self.push(words, "\t", look, link),
                "br" => {
                    words.text.push('\n');
                    if element.attr("type").is_some_and(|kind| kind == "page") {
                        self.first_page = false;
                    }
                }
                "cr" => words.text.push('\n'),
                "lastRenderedPageBreak" => {
                    // Also stands before the first words of the second page: only once words are there it ends the first.
                    self.first_page &= self.lines.is_empty();
                }
                "noBreakHyphen" => self.push(words, "-", look, link),
                "sym" => self.symbol(element, look, link, words),
                "footnoteReference" => self.note(NoteKind::Foot, element),
                "endnoteReference" => self.note(NoteKind::End, element),
                "commentReference" => self.note(NoteKind::Comment, element),
                "drawing" | "pict" | "object" => self.objects(element),
                "ruby" => {
                    if let Some(base) = element.child("rubyBase") {
                        self.inlines(base, look, link, words);
                    }
                }
                "AlternateContent" => {
                    if let Some(chosen) = alternative(element) {
                        self.run_content(chosen, look, hidden, link, words);
                    }
                }
                _ => {}
            }
        }
    }

    fn symbol(&mut self, element: Element<'x>, look: TextLook, link: Option<&str>, words: &mut Inline) {
        let code = element.attr("char").and_then(|code| u32::from_str_radix(code.trim(), 16).ok());
        let font = element.attr("font").unwrap_or_default();
        let shown = code.and_then(|code| match Pictures::of_font(&font) {
            Some(pictures) => symbol(u8::try_from(code & 0xFF).unwrap_or(0), pictures),
            None => {
                char::from_u32(code).filter(|c| !c.is_control() && !('\u{E000}'..='\u{F8FF}').contains(c))
            }
        });
        if let Some(shown) = shown {
            self.push(words, shown.encode_utf8(&mut [0; 4]), look, link);
        }
    }

    fn note(&mut self, kind: NoteKind, element: Element<'x>) {
        if let Some(id) = element.attr("id") {
            self.notes.push((kind, id.into_owned()));
        }
    }

    /// A formula in the line, or several in lines of their own.
    fn formula(&mut self, element: Element<'x>, words: &mut Inline) {
        if !self.fields.shows_text() {
            return;
        }
        if element.name() == "oMath" {
            return words.push_formula(&formula(element), false);
        }
        if !words.text.is_empty() && !words.text.ends_with(char::is_whitespace) {
            words.text.push('\n');
        }
        for one in element.children().filter(|child| child.name() == "oMath") {
            words.push_formula(&formula(one), true);
            words.text.push('\n');
        }
    }

    /// Notes boxes of text, charts and diagrams of a drawing for behind the paragraph.
    fn objects(&mut self, parent: Element<'x>) {
        for element in parent.children() {
            match element.name() {
                "txbxContent" => self.boxes.push(element),
                "AlternateContent" => {
                    if let Some(chosen) = alternative(element) {
                        self.objects(chosen);
                    }
                }
                "chart" => self.anchored.extend(element.prefixed_attr("id").map(|id| id.into_owned())),
                "relIds" => self.anchored.extend(element.prefixed_attr("dm").map(|id| id.into_owned())),
                _ => self.objects(element),
            }
        }
    }
}
