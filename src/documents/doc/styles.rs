//! The table of styles, and the names of fonts.

use super::fib::{Fib, part};
use super::sprms::{CharacterLook, ParagraphLook};
use crate::code_pages::Pictures;
use crate::ole::{u16_at, utf16};
use crate::prose::{Style, style_of};

/// Styles that one may be made of, one in the other.
const MAX_BASES: usize = 12;
/// Styles and fonts that are kept.
const MAX_ENTRIES: u16 = 4_096;
/// The built-in style of a title.
const TITLE: u16 = 62;

/// A style as the table has it.
#[derive(Debug, Clone, Default)]
struct Entry {
    /// Number of a built-in style.
    built_in: u16,
    base: u16,
    name: String,
    look: CharacterLook,
    stand: ParagraphLook,
}

#[derive(Debug, Default)]
pub(super) struct Styles {
    entries: Vec<Option<Entry>>,
    fonts: Vec<Option<Pictures>>,
}

impl Styles {
    /// Reads the tables.
    pub(super) fn read(fib: &Fib, table: &[u8]) -> Styles {
        let entries = entries_of(part(fib.styles, table)).unwrap_or_default();
        Styles { entries, fonts: fonts_of(part(fib.fonts, table)) }
    }

    fn entry(&self, number: u16) -> Option<&Entry> {
        self.entries.get(usize::from(number))?.as_ref()
    }

    /// The style and those that it is made of.
    fn chain(&self, number: u16) -> impl Iterator<Item = &Entry> {
        std::iter::successors(self.entry(number), |entry| self.entry(entry.base)).take(MAX_BASES)
    }

    /// How characters of a style look.
    pub(super) fn look(&self, number: u16) -> CharacterLook {
        self.chain(number).fold(CharacterLook::default(), |look, entry| look.or(&entry.look))
    }

    /// How paragraphs of a style stand.
    pub(super) fn stand(&self, number: u16) -> ParagraphLook {
        self.chain(number).fold(ParagraphLook::default(), |stand, entry| stand.or(&entry.stand))
    }

    /// What a style and the level of the outline make of a paragraph.
    pub(super) fn style(&self, number: u16, outline: Option<u8>) -> Style {
        // The first nine are headings in every document.
        if let level @ 1..=9 = number {
            return Style::Heading(level as u8);
        }
        let by_style = self.chain(number).map(|entry| match entry.built_in {
            level @ 1..=9 => Style::Heading(level as u8),
            TITLE => Style::Title,
            _ => style_of(&entry.name),
        });
        let by_style = by_style.into_iter().find(|style| *style != Style::Body);
        let by_outline = outline.filter(|&level| level < 9).map(|level| Style::Heading(level + 1));
        match by_style {
            // Whoever takes a heading's style may take it out of the outline.
            Some(Style::Heading(_)) if outline == Some(9) => Style::Body,
            style => style.or(by_outline).unwrap_or_default(),
        }
    }

    /// Which font of pictures a font is.
    pub(super) fn pictures(&self, font: Option<u16>) -> Option<Pictures> {
        *self.fonts.get(usize::from(font?))?
    }
}

fn entries_of(table: &[u8]) -> Option<Vec<Option<Entry>>> {
    let head = usize::from(u16_at(table, 0)?);
    let count = u16_at(table, 2)?.min(MAX_ENTRIES);
    let base = usize::from(u16_at(table, 4)?);
    let mut rest = table.get(2 + head..)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let Some(bytes) = u16_at(rest, 0).map(usize::from) else { break };
        let Some(style) = rest.get(2..2 + bytes) else { break };
        entries.push(entry_of(style, base));
        // They begin at even places.
        rest = rest.get(2 + bytes + bytes % 2..).unwrap_or_default();
    }
    Some(entries)
}

fn entry_of(style: &[u8], base: usize) -> Option<Entry> {
    let kind = u16_at(style, 2)?;
    let length = usize::from(u16_at(style, base)?);
    let name_end = base + 2 + length * 2;
    let name = utf16(style.get(base + 2..name_end)?);
    let built_in = u16_at(style, 0)? & 0x0FFF;
    let mut entry = Entry { built_in, base: kind >> 4, name, ..Entry::default() };
    let mut rest = style.get(name_end + 2..).unwrap_or_default();
    let mut next = || {
        let bytes = usize::from(u16_at(rest, 0)?);
        let part = rest.get(2..2 + bytes)?;
        rest = rest.get(2 + bytes + bytes % 2..).unwrap_or_default();
        Some(part)
    };
    // 1 is a style of paragraphs, 2 one of characters.
    if kind & 0xF == 1 {
        entry.stand.add(next().and_then(|part| part.get(2..)).unwrap_or_default());
    }
    if matches!(kind & 0xF, 1 | 2) {
        entry.look.add(next().unwrap_or_default(), &CharacterLook::default());
    }
    Some(entry)
}

fn fonts_of(table: &[u8]) -> Vec<Option<Pictures>> {
    let count = u16_at(table, 0).unwrap_or(0).min(MAX_ENTRIES);
    let mut rest = table.get(4..).unwrap_or_default();
    let mut fonts = Vec::new();
    for _ in 0..count {
        let Some(bytes) = rest.first().map(|&bytes| usize::from(bytes)) else { break };
        let name = utf16(rest.get(40..1 + bytes).unwrap_or_default());
        fonts.push(Pictures::of_font(name.split('\0').next().unwrap_or_default()));
        rest = rest.get(1 + bytes..).unwrap_or_default();
    }
    fonts
}
