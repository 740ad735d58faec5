//! Groups that are destinations: what their first word begins, and what their end does.

use super::reader::Reader;
use super::state::{Closing, Destination};
use super::words::is_no_text;
use crate::Marker;
use crate::code_pages::{Pictures, symbol};
use crate::prose::{Field, Paragraph, Role, Story, Style, link_of, symbol_of};

/// Numbers of a list's level that say bullets, and no number.
const BULLETS: i32 = 23;
const NO_NUMBER: i32 = 255;

impl Reader<'_> {
    /// Begins a destination; `false` where the word is none.
    pub(super) fn begin(&mut self, word: &str) -> bool {
        use Destination as To;
        match word {
            "fonttbl" => self.to(To::Fonts, Closing::Entry),
            "stylesheet" => self.to(To::Styles, Closing::Nothing),
            "listtable" | "listoverridetable" => self.to(To::Lists, Closing::Nothing),
            "info" => self.to(To::Info, Closing::Nothing),
            "title" if self.state.destination == To::Info => self.to(To::Title, Closing::Nothing),
            "author" if self.state.destination == To::Info => self.to(To::Author, Closing::Nothing),
            "creatim" | "revtim" if self.state.destination == To::Info => {
                self.date = [0, 1, 1, 0, 0, 0];
                self.to(if word == "creatim" { To::Created } else { To::Modified }, Closing::Date);
            }
            "field" => self.begin_field(),
            "fldinst" => self.to(To::Instruction, Closing::Instruction),
            "fldrslt" => self.begin_result(),
            "listtext" | "pntext" => {
                self.last_story(|story| story.marker.clear());
                self.to(To::Marker, Closing::Nothing);
            }
            "pn" => self.to(To::RowProperties, Closing::Nothing),
            "nesttableprops" => self.to(To::RowProperties, Closing::Nothing),
            "footnote" => self.begin_story(Role::Note),
            "annotation" => self.begin_story(Role::Comment),
            "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr" | "footerf" => {
                self.begin_story(Role::Furniture);
            }
            "shptxt" | "dptxbxtext" => self.begin_story(Role::Box),
            "shpinst" | "do" => self.to(To::Drawing, Closing::Nothing),
            "upr" => {
                self.state.outer = self.state.destination;
                self.state.destination = To::Nowhere;
            }
            "ud" => self.state.destination = self.state.outer,
            // Formulas: their letters are text.
            "moMath" | "moMathPara" => {}
            _ if is_no_text(word) => self.to(To::Nowhere, Closing::Nothing),
            _ => return false,
        }
        true
    }

    fn to(&mut self, destination: Destination, closing: Closing) {
        self.state.destination = destination;
        self.closes_with(closing);
    }

    fn closes_with(&mut self, closing: Closing) {
        if let Some((_, known)) = self.groups.last_mut() {
            *known = closing;
        }
    }

    fn last_story(&mut self, change: impl FnOnce(&mut Story)) {
        if let Some(story) = self.stories.last_mut() {
            change(story);
        }
    }

    /// Does what the end of a group asks for.
    pub(super) fn end_group(&mut self, closing: Closing) {
        match closing {
            Closing::Nothing => match self.state.destination {
                // Entries of these tables may be groups.
                Destination::Fonts | Destination::Styles => self.end_entry(),
                _ => {}
            },
            Closing::Entry => self.end_entry(),
            Closing::Story => self.end_story(),
            Closing::Field => self.last_story(|story| drop(story.fields.pop())),
            Closing::Instruction => self.end_instruction(),
            Closing::Result => self.last_story(|story| {
                if let Some(last) = story.fields.len().checked_sub(1) {
                    story.link_field(last);
                }
            }),
            Closing::Date => self.end_date(),
        }
    }

    /// Ends an entry of the table that is being read.
    pub(super) fn end_entry(&mut self) {
        match self.state.destination {
            Destination::Fonts => self.tables.end_font(),
            Destination::Styles => self.tables.end_style(),
            _ => {}
        }
    }

    fn begin_field(&mut self) {
        self.closes_with(Closing::Field);
        self.last_story(|story| story.fields.push(Field::default()));
    }

    fn begin_result(&mut self) {
        self.closes_with(Closing::Result);
        let mut told = false;
        self.last_story(|story| {
            let from = story.end();
            if let Some(field) = story.fields.last_mut() {
                field.from = Some(from);
                told = field.told;
            }
        });
        if told {
            self.state.destination = Destination::Nowhere;
        }
    }

    fn end_instruction(&mut self) {
        let Some(field) = self.stories.last_mut().and_then(|story| story.fields.last_mut()) else { return };
        field.target = link_of(&field.code);
        let Some((code, font)) = symbol_of(&field.code) else { return };
        field.told = true;
        let c = match (Pictures::of_font(&font), u8::try_from(code)) {
            (Some(font), Ok(code)) => symbol(code, font),
            _ => char::from_u32(code),
        };
        // The code stands in a group of the instruction; its character belongs outside.
        self.state.destination =
            self.groups.last().map_or(Destination::Story, |(outer, _)| outer.destination);
        if let Some(c) = c {
            self.char(c);
        }
    }

    fn begin_story(&mut self, role: Role) {
        self.notes += u32::from(role == Role::Note);
        self.comments += u32::from(role == Role::Comment);
        self.stories.push(Story::new(role));
        self.to(Destination::Story, Closing::Story);
        self.state.pard();
        let (hidden, deleted) = (self.state.hidden, self.state.deleted);
        self.state.plain(self.document_font, self.languages);
        // What is anchored in text that was left out is left out too.
        (self.state.hidden, self.state.deleted) = (hidden, deleted);
    }

    /// Ends a story that is not the body.
    pub(super) fn end_story(&mut self) {
        self.end_paragraph();
        let Some(story) = self.stories.pop() else { return };
        match story.role {
            Role::Body => {}
            Role::Note => {
                let label = self.notes.to_string();
                self.flow.note(label, story.joined());
            }
            Role::Comment => {
                let label = format!("c{}", self.comments);
                self.flow.note(label, story.joined());
            }
            Role::Furniture => {
                let words = story.joined();
                self.flow.builder.furniture(&words.text);
            }
            Role::Box => self.last_story(|outer| outer.boxes.extend(story.paragraphs)),
        }
    }

    /// Ends a paragraph of the story.
    pub(super) fn end_paragraph(&mut self) {
        if self.state.destination != Destination::Story {
            return;
        }
        self.flush();
        let depth = self.state.table_depth();
        let Some(story) = self.stories.last_mut() else { return };
        let marker = std::mem::take(&mut story.marker);
        let mut paragraph = story.end_paragraph();
        let role = story.role;
        let boxes = std::mem::take(&mut story.boxes);
        paragraph.style = self.state.paragraph_style();
        paragraph.centred = self.state.centred;
        if paragraph.style == Style::Body && !paragraph.words.is_blank() {
            paragraph.item = self.item(&marker);
        }
        let all = std::iter::once(paragraph).chain(boxes);
        if role == Role::Body {
            all.for_each(|paragraph: Paragraph| self.flow.paragraph(paragraph, depth));
        } else {
            self.last_story(|story| story.paragraphs.extend(all));
        }
    }

    /// Depth and marker of an item, by the number that the document says or by its list.
    fn item(&mut self, marker: &str) -> Option<(u8, Marker)> {
        let (list, level) = (self.state.list, self.state.level);
        let said = marker.trim();
        let kind = match (self.state.numbering, list) {
            (Some(kind), _) => Some(kind),
            (None, 0) => None,
            (None, list) => self.tables.list_kind(list, level),
        };
        let listed = list != 0 || self.state.numbering.is_some();
        if said.is_empty() && (!listed || kind == Some(NO_NUMBER)) {
            return None;
        }
        let numbered = match said.chars().any(char::is_alphanumeric) {
            // Courier's letter o is a bullet of the second level.
            true => said != "o" && kind != Some(BULLETS),
            false => said.is_empty() && kind.is_some_and(|kind| kind != BULLETS),
        };
        if !numbered {
            return Some((level, Marker::Bullet));
        }
        let digits = said.trim_end_matches(|c: char| !c.is_ascii_digit());
        let number =
            digits.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
        Some((level, Marker::Number(self.tables.count(list, level, number))))
    }

    fn end_date(&mut self) {
        let [year, month, day, hour, minute, second] = self.date;
        let sound = (1601..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..61).contains(&second);
        if !sound {
            return;
        }
        let date = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        let document = &mut self.flow.builder.document;
        match self.state.destination {
            Destination::Created => document.about.published = Some(date),
            _ => document.about.modified = Some(date),
        }
    }
}
