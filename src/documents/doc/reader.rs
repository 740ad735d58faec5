//! Walks the parts of the text and tells of their paragraphs.

use std::ops::Range;

use super::fib::{Fib, part};
use super::lists::Lists;
use super::pieces::{Piece, pieces_of};
use super::properties::{Runs, looks_of, stands_of};
use super::sprms::{CharacterLook, ParagraphLook};
use super::styles::Styles;
use crate::Document;
use crate::code_pages::{CodePage, Pictures, symbol};
use crate::languages::{LanguageShares, script_of};
use crate::ole::u32_at;
use crate::prose::{Field, Flow, Role, Story, Style, link_of, symbol_of};

/// Fields that are open at a time.
const MAX_FIELDS: usize = 64;
/// Bytes of a field's code.
const MAX_CODE: usize = 4096;
/// Notes of a document.
const MAX_NOTES: usize = 100_000;

/// A part of the text, in the order that they stand in.
const BODY: usize = 0;
const FOOTNOTES: usize = 1;
const HEADS: usize = 2;
const COMMENTS: usize = 4;
const ENDNOTES: usize = 5;
const BOXES: usize = 6;

/// The state while the text is walked.
pub(super) struct Reader<'a> {
    fib: &'a Fib,
    main: &'a [u8],
    table: &'a [u8],
    pieces: Vec<Piece>,
    looks: Runs<CharacterLook>,
    stands: Runs<ParagraphLook>,
    styles: Styles,
    lists: Lists,
    flow: Flow,
    story: Story,
    /// For each open field whether its code is being read.
    in_code: Vec<bool>,
    /// The look that was last found, with all that its styles say, by itself and the style of the paragraph.
    resolved: Option<(CharacterLook, u16, CharacterLook)>,
    /// First half of a character of two units.
    first: Option<u16>,
    spoken: LanguageShares,
    steps: u64,
    notes: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(fib: &'a Fib, main: &'a [u8], table: &'a [u8], data: &[u8], flow: Flow) -> Self {
        let styles = Styles::read(fib, table);
        Reader {
            pieces: pieces_of(fib, table),
            looks: looks_of(fib, main, table, &styles),
            stands: stands_of(fib, main, table, data),
            lists: Lists::read(fib, table),
            story: Story::new(Role::Body),
            in_code: Vec::new(),
            resolved: None,
            first: None,
            spoken: LanguageShares::default(),
            steps: 0,
            notes: 0,
            fib,
            main,
            table,
            styles,
            flow,
        }
    }

    /// Reads all parts; `title` is what the metadata say.
    pub(super) fn read(mut self, title: Option<&str>) -> Document {
        self.walk(self.part(BODY), Role::Body);
        self.walk(self.part(BOXES), Role::Body);
        self.walk_notes(FOOTNOTES, self.fib.footnotes, "");
        self.walk_notes(ENDNOTES, self.fib.endnotes, "");
        self.notes = 0;
        self.walk_notes(COMMENTS, self.fib.comments, "c");
        if self.flow.builder.limits().furniture {
            self.walk(self.part(HEADS), Role::Furniture);
            for paragraph in std::mem::take(&mut self.story.paragraphs) {
                self.flow.builder.furniture(&paragraph.words.text);
            }
        }
        self.flow.builder.document.about.language_declared = self.spoken.tag(Some(self.fib.language));
        self.flow.finish(title)
    }

    /// Characters of a part of the text.
    fn part(&self, part: usize) -> Range<u32> {
        let before = self.fib.counts.iter().take(part).fold(0_u32, |all, &count| all.saturating_add(count));
        before..before.saturating_add(self.fib.counts.get(part).copied().unwrap_or(0))
    }

    /// Notes of a part, one after the other; a sign before their numbers says which they are.
    fn walk_notes(&mut self, number: usize, places: (usize, usize), sign: &str) {
        let all = self.part(number);
        if all.is_empty() {
            return;
        }
        let table = part(places, self.table);
        let place = |at: usize| u32_at(table, at * 4).map(|cp| all.start.saturating_add(cp).min(all.end));
        // The last two places end what is no note.
        let count = (table.len() / 4).saturating_sub(2).min(MAX_NOTES);
        let mut ranges: Vec<_> = (0..count).filter_map(|at| Some(place(at)?..place(at + 1)?)).collect();
        if ranges.is_empty() {
            ranges.push(all);
        }
        for range in ranges {
            self.walk(range, Role::Note);
            let story = std::mem::replace(&mut self.story, Story::new(Role::Body));
            self.notes += 1;
            self.flow.note(format!("{sign}{}", self.notes), story.joined());
        }
    }

    /// Walks characters.
    fn walk(&mut self, cps: Range<u32>, role: Role) {
        self.story = Story::new(role);
        self.in_code.clear();
        let max_steps = self.flow.builder.limits().max_steps;
        // Bytes may be those of many pieces; what a text may have is enough.
        let from = self.pieces.partition_point(|piece| piece.cps.end <= cps.start);
        let pieces: Vec<_> =
            self.pieces.iter().skip(from).take_while(|piece| piece.cps.start < cps.end).cloned().collect();
        for piece in pieces {
            for cp in piece.cps.start.max(cps.start)..piece.cps.end.min(cps.end) {
                let place = piece.place(cp);
                let Some(unit) = self.unit(place, piece.narrow) else { break };
                self.steps += 1;
                if self.steps > max_steps {
                    return self.flow.builder.warn("too-much-work");
                }
                if self.flow.builder.is_full() {
                    return;
                }
                self.take(unit, place, piece.narrow);
            }
        }
        if !self.story.words.is_blank() {
            self.end_paragraph(&ParagraphLook::default());
        }
    }

    /// The unit at a place; `None` behind the end.
    fn unit(&self, place: u32, narrow: bool) -> Option<u16> {
        let place = place as usize;
        let byte = u16::from(*self.main.get(place)?);
        if narrow { Some(byte) } else { Some(byte | u16::from(*self.main.get(place + 1)?) << 8) }
    }

    /// A character, or a mark.
    fn take(&mut self, unit: u16, place: u32, narrow: bool) {
        let look = self.looks.at(place);
        if unit < 32 {
            return self.mark(unit, place, &look);
        }
        let style = self.stands.at(place).style;
        let look = self.resolve(look, style);
        if look.deleted || look.hidden == Some(true) {
            return;
        }
        if let Some((font, letter)) = look.sign.filter(|_| look.special) {
            let font = self.styles.pictures(Some(font));
            return self.say_sign(letter, font, &look);
        }
        let first = self.first.take();
        match (unit, narrow) {
            (0xF020..=0xF0FF, false) => {
                let font = self.styles.pictures(look.font);
                self.say_sign(unit, font, &look);
            }
            (0xD800..=0xDBFF, false) => self.first = Some(unit),
            (_, false) => {
                let units = first.into_iter().chain([unit]);
                for c in char::decode_utf16(units).filter_map(Result::ok) {
                    self.say(c, &look);
                }
            }
            (_, true) => {
                for c in CodePage::WESTERN.decode(&[unit as u8]).chars() {
                    self.say(c, &look);
                }
            }
        }
    }

    /// The look with what its paragraph's style says.
    fn resolve(&mut self, look: CharacterLook, style: u16) -> CharacterLook {
        match self.resolved {
            Some((known, of, resolved)) if known == look && of == style => resolved,
            _ => {
                let resolved = look.or(&self.styles.look(style));
                self.resolved = Some((look, style, resolved));
                resolved
            }
        }
    }

    fn say_sign(&mut self, letter: u16, font: Option<Pictures>, look: &CharacterLook) {
        let code = (letter & 0xFF) as u8;
        let of_pictures = (0xF020..=0xF0FF).contains(&letter) || font.is_some();
        let c = match of_pictures {
            true => symbol(code, font.unwrap_or(Pictures::Symbol)),
            false => char::from_u32(letter.into()),
        };
        if let Some(c) = c {
            self.say(c, look);
        }
    }

    /// A character, to the story or to the code of a field.
    fn say(&mut self, c: char, look: &CharacterLook) {
        if self.in_code.last() == Some(&true) {
            if let Some(field) = self.story.fields.last_mut().filter(|field| field.code.len() < MAX_CODE) {
                field.code.push(c);
            }
            return;
        }
        // A field within a code is a code too.
        if self.in_code.contains(&true) || self.story.fields.iter().any(|field| field.told) {
            return;
        }
        let language = look.languages[script_of(c)];
        if language != 0 && c.is_alphabetic() {
            self.spoken.add(language, 1);
        }
        let size = look.size.unwrap_or(20).into();
        self.story.push(c.encode_utf8(&mut [0; 4]), size, look.bold == Some(true), look.position.flatten());
    }

    /// A character below 32.
    fn mark(&mut self, unit: u16, place: u32, look: &CharacterLook) {
        self.first = None;
        if look.deleted && !matches!(unit, 0x13..=0x15) {
            return;
        }
        match unit {
            0x07 | 0x0D => {
                let stand = self.stands.at(place);
                self.end(unit, &stand);
            }
            0x09 => self.say('\t', look),
            0x0B => self.say('\n', look),
            0x0C => {
                let stand = self.stands.at(place);
                self.end_paragraph(&stand);
                self.flow.end_page();
            }
            0x0E => self.say('\n', look),
            0x13 => self.begin_field(),
            0x14 => self.end_code(look),
            0x15 => self.end_field(look),
            0x1E => self.say('-', look),
            0x28 => {}
            _ => {}
        }
    }

    fn begin_field(&mut self) {
        self.in_code.push(self.in_code.len() < MAX_FIELDS);
        if self.in_code.len() <= MAX_FIELDS {
            self.story.fields.push(Field::default());
        }
    }

    /// Ends the code of a field; its result begins.
    fn end_code(&mut self, look: &CharacterLook) {
        let Some(in_code) = self.in_code.last_mut() else { return };
        *in_code = false;
        let from = self.story.end();
        let Some(field) = self.story.fields.last_mut() else { return };
        (field.target, field.from) = (link_of(&field.code), Some(from));
        if let Some((code, font)) = symbol_of(&field.code) {
            let letter = u16::try_from(code).unwrap_or(0);
            self.say_sign(letter, Pictures::of_font(&font), look);
            if let Some(field) = self.story.fields.last_mut() {
                field.told = true;
            }
        }
    }

    fn end_field(&mut self, look: &CharacterLook) {
        match self.in_code.last() {
            Some(true) => self.end_code(look),
            Some(false) => {}
            None => return,
        }
        self.in_code.pop();
        if self.in_code.len() < MAX_FIELDS {
            if let Some(last) = self.story.fields.len().checked_sub(1) {
                self.story.link_field(last);
            }
            self.story.fields.pop();
        }
    }

    /// Ends a paragraph, a cell or a row.
    fn end(&mut self, unit: u16, stand: &ParagraphLook) {
        let depth = stand.table_depth();
        let of_body = self.story.role == Role::Body;
        let ends_row = stand.ends_row || stand.ends_inner_row && depth > 1;
        if !(ends_row && self.story.words.is_blank()) {
            self.end_paragraph(stand);
        }
        if !of_body {
            return;
        }
        if ends_row {
            self.flow.end_row(depth, stand.header);
        } else if unit == 0x07 || stand.ends_inner_cell && depth > 1 {
            self.flow.end_cell(depth);
        }
    }

    fn end_paragraph(&mut self, stand: &ParagraphLook) {
        let of_style = self.styles.stand(stand.style);
        let depth = stand.table_depth();
        let stand = stand.or(&of_style);
        let mut paragraph = self.story.end_paragraph();
        paragraph.style = self.styles.style(stand.style, stand.outline);
        paragraph.centred = stand.centred == Some(true);
        if !paragraph.words.is_blank() {
            let level = stand.level.unwrap_or(0);
            let marker = stand.list.and_then(|list| self.lists.marker(list, level));
            paragraph.item = marker.filter(|_| paragraph.style == Style::Body).map(|marker| (level, marker));
        }
        if self.story.role == Role::Body {
            self.flow.paragraph(paragraph, depth);
        } else {
            self.story.paragraphs.push(paragraph);
        }
    }
}
