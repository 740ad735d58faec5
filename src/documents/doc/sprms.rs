//! Single properties (sprms) of characters and paragraphs, and what they add up to.

use crate::ole::{u16_at, u32_at};
use crate::prose::LEAST_RISE;
use webmill_html::script::Position;

/// How characters look. `None`: as in the style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CharacterLook {
    pub style: Option<u16>,
    pub bold: Option<bool>,
    pub hidden: Option<bool>,
    /// Raised, lowered, or neither.
    pub position: Option<Option<Position>>,
    pub deleted: bool,
    /// Whether its characters below 32 are marks rather than text.
    pub special: bool,
    /// In half points.
    pub size: Option<u16>,
    pub font: Option<u16>,
    /// A sign: its font and its letter.
    pub sign: Option<(u16, u16)>,
    /// Languages of western, East Asian and right-to-left text.
    pub languages: [u16; 3],
}

/// How a paragraph stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ParagraphLook {
    pub style: u16,
    pub centred: Option<bool>,
    /// Level of the outline; 9 for none.
    pub outline: Option<u8>,
    /// List, counted from 1, and level in it.
    pub list: Option<u16>,
    pub level: Option<u8>,
    pub in_table: bool,
    pub depth: u32,
    /// Whether it ends a row, of an outer table or one within a cell.
    pub ends_row: bool,
    pub ends_inner_row: bool,
    pub ends_inner_cell: bool,
    /// Whether the row names the columns.
    pub header: bool,
    /// Place of further properties in the stream of data.
    pub elsewhere: Option<u32>,
}

/// A property: its code and its operand.
pub(super) struct Sprm<'a> {
    code: u16,
    operand: &'a [u8],
}

/// Properties one after the other.
pub(super) struct Sprms<'a>(pub &'a [u8]);

impl<'a> Iterator for Sprms<'a> {
    type Item = Sprm<'a>;

    fn next(&mut self) -> Option<Sprm<'a>> {
        let code = u16_at(self.0, 0)?;
        let rest = self.0.get(2..)?;
        let (skipped, length) = match code >> 13 {
            0 | 1 => (0, 1),
            2 | 4 | 5 => (0, 2),
            3 => (0, 4),
            7 => (0, 3),
            // The length of a table's definition counts itself, but for one byte.
            _ if code == 0xD608 => (2, usize::from(u16_at(rest, 0)?).saturating_sub(1)),
            _ => (1, usize::from(*rest.first()?)),
        };
        let operand = rest.get(skipped..skipped + length)?;
        self.0 = rest.get(skipped + length..)?;
        Some(Sprm { code, operand })
    }
}

impl CharacterLook {
    /// Adds properties.
    pub(super) fn add(&mut self, sprms: &[u8], of_style: &CharacterLook) {
        for Sprm { code, operand } in Sprms(sprms) {
            let byte = operand.first().copied().unwrap_or(0);
            let word = u16_at(operand, 0);
            match code {
                0x0800 => self.deleted = byte & 1 != 0,
                0x083C => self.hidden = toggled(byte, of_style.hidden),
                0x0835 => self.bold = toggled(byte, of_style.bold),
                0x0855 => self.special = byte & 1 != 0,
                0x2A48 => {
                    self.position =
                        Some(Position::of_rise([0, 1, -1].get(usize::from(byte)).copied().unwrap_or(0), 1))
                }
                // In half points; a smaller one sets lines right.
                0x4845 => {
                    self.position = word.map(|rise| Position::of_rise(i32::from(rise as i16), LEAST_RISE))
                }
                0x4A30 => self.style = word,
                0x4A43 => self.size = word.map(|size| size.clamp(2, 4000)),
                0x4A4F => self.font = word,
                0x6A09 => self.sign = word.zip(u16_at(operand, 2)),
                0x486D | 0x4873 => self.languages[0] = word.unwrap_or(0),
                0x486E | 0x4874 => self.languages[1] = word.unwrap_or(0),
                0x485F => self.languages[2] = word.unwrap_or(0),
                _ => {}
            }
        }
    }

    /// What it says, and else what another says.
    pub(super) fn or(self, other: &CharacterLook) -> CharacterLook {
        let mut languages = self.languages;
        for (language, &said) in languages.iter_mut().zip(&other.languages) {
            *language = if *language == 0 { said } else { *language };
        }
        CharacterLook {
            bold: self.bold.or(other.bold),
            hidden: self.hidden.or(other.hidden),
            position: self.position.or(other.position),
            size: self.size.or(other.size),
            font: self.font.or(other.font),
            languages,
            ..self
        }
    }
}

/// A property that is on, off, as in the style, or the opposite.
fn toggled(operand: u8, of_style: Option<bool>) -> Option<bool> {
    match operand {
        0x80 => of_style,
        0x81 => Some(!of_style.unwrap_or(false)),
        on => Some(on & 1 != 0),
    }
}

impl ParagraphLook {
    /// Adds properties.
    pub(super) fn add(&mut self, sprms: &[u8]) {
        for Sprm { code, operand } in Sprms(sprms) {
            let byte = operand.first().copied().unwrap_or(0);
            let on = byte & 1 != 0;
            match code {
                0x4600 => self.style = u16_at(operand, 0).unwrap_or(0),
                0x2403 | 0x2461 => self.centred = Some(byte == 1),
                0x2640 => self.outline = Some(byte),
                0x260A => self.level = Some(byte.min(8)),
                0x460B => self.list = u16_at(operand, 0),
                0x2416 => self.in_table = on,
                0x2417 => self.ends_row = on,
                0x6649 => self.depth = u32_at(operand, 0).unwrap_or(0).min(1_000),
                0x244B => self.ends_inner_cell = on,
                0x244C => self.ends_inner_row = on,
                0x3404 => self.header = on,
                0x6645 | 0x6646 => self.elsewhere = u32_at(operand, 0),
                _ => {}
            }
        }
    }

    /// What it says, and else what its style says.
    pub(super) fn or(self, style: &ParagraphLook) -> ParagraphLook {
        ParagraphLook {
            centred: self.centred.or(style.centred),
            outline: self.outline.or(style.outline),
            list: self.list.or(style.list),
            level: self.level.or(style.level),
            ..self
        }
    }

    /// Depth of the table that it stands in.
    pub(super) fn table_depth(&self) -> usize {
        if self.in_table || self.depth > 0 { self.depth.max(1) as usize } else { 0 }
    }
}
