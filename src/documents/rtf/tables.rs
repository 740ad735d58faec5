//! Tables at the head of a document: fonts, styles, lists.

use std::collections::BTreeMap;

use crate::code_pages::{CodePage, Pictures};
use crate::prose::{Style, style_of};

/// Entries of a table that are kept.
pub(super) const MAX_ENTRIES: usize = 10_000;
/// Levels of a list.
const LEVELS: usize = 9;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Font {
    /// Its code page, where its charset names one.
    pub page: Option<CodePage>,
    /// Whether that is the charset 0, which writers also give where they know none.
    pub western: bool,
}

/// An entry that is being read.
#[derive(Debug, Default)]
struct Entry {
    number: Option<i32>,
    charset: Option<i32>,
    page: Option<CodePage>,
    outline: Option<u8>,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    entry: Entry,
    /// Name of the entry that is being read.
    pub name: String,
    fonts: BTreeMap<i32, Font>,
    styles: BTreeMap<i32, Style>,
    /// Kinds of numbers by list and level.
    lists: Vec<(i32, Vec<i32>)>,
    /// Places in `lists` by number of the list.
    by_id: BTreeMap<i32, usize>,
    /// Numbers of lists by what paragraphs call them.
    overrides: BTreeMap<i32, i32>,
    last_id: i32,
    counters: BTreeMap<i32, [u32; LEVELS]>,
}

impl Tables {
    /// A word of the table of fonts.
    pub(super) fn font_word(&mut self, word: &str, number: Option<i32>) {
        match word {
            "f" => {
                self.end_font();
                self.entry.number = number;
            }
            "fcharset" => self.entry.charset = number,
            "cpg" => self.entry.page = number.and_then(CodePage::of_number),
            _ => {}
        }
    }

    pub(super) fn end_font(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        let name = std::mem::take(&mut self.name);
        let Some(number) = entry.number else { return };
        if self.fonts.len() < MAX_ENTRIES {
            let pictures = Pictures::of_font(&name).map(CodePage::Pictures);
            let unnamed = CodePage::Pictures(Pictures::Wingdings);
            let of_charset = match entry.charset {
                Some(2) => Some(unnamed),
                charset => charset.and_then(CodePage::of_charset),
            };
            let western = entry.page.is_none() && entry.charset == Some(0);
            self.fonts.insert(number, Font { page: pictures.or(entry.page).or(of_charset), western });
        }
    }

    /// A font by its number.
    pub(super) fn font(&self, number: Option<i32>) -> Font {
        number.and_then(|number| self.fonts.get(&number)).copied().unwrap_or_default()
    }

    /// A word of the table of styles.
    pub(super) fn style_word(&mut self, word: &str, number: Option<i32>) {
        match word {
            "s" => self.entry.number = number,
            // Styles of characters, sections and tables.
            "cs" | "ds" | "ts" => self.entry.number = Some(-1),
            "outlinelevel" => self.entry.outline = number.and_then(outline),
            _ => {}
        }
    }

    pub(super) fn end_style(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        let name = std::mem::take(&mut self.name);
        if name.is_empty() || self.styles.len() >= MAX_ENTRIES {
            return;
        }
        let style = match (style_of(&name), entry.outline) {
            (Style::Body, Some(level)) => Style::Heading(level),
            (style, _) => style,
        };
        self.styles.insert(entry.number.unwrap_or(0), style);
    }

    /// What a style of a number makes of a paragraph.
    pub(super) fn style(&self, number: i32) -> Style {
        self.styles.get(&number).copied().unwrap_or_default()
    }

    /// A word of the tables of lists.
    pub(super) fn list_word(&mut self, word: &str, number: Option<i32>) {
        let number = number.unwrap_or(0);
        match word {
            "list" if self.lists.len() < MAX_ENTRIES => self.lists.push((0, Vec::new())),
            "levelnfc" | "levelnfcn" => {
                let new = word == "levelnfc";
                if let Some((_, kinds)) = self.lists.last_mut() {
                    if new && kinds.len() < LEVELS {
                        kinds.push(number);
                    } else if let Some(last) = kinds.last_mut().filter(|_| !new) {
                        *last = number;
                    }
                }
            }
            "listid" => {
                self.last_id = number;
                if let Some(at) = self.lists.len().checked_sub(1) {
                    self.by_id.entry(number).or_insert(at);
                }
            }
            "ls" if self.overrides.len() < MAX_ENTRIES => {
                self.overrides.insert(number, self.last_id);
            }
            _ => {}
        }
    }

    /// Kind of numbers of a level of a list.
    pub(super) fn list_kind(&self, list: i32, level: u8) -> Option<i32> {
        let at = self.overrides.get(&list).and_then(|id| self.by_id.get(id))?;
        self.lists.get(*at)?.1.get(usize::from(level)).copied()
    }

    /// Number of a further item of a list, or sets it to what the document says.
    pub(super) fn count(&mut self, list: i32, level: u8, said: Option<u32>) -> u32 {
        if self.counters.len() >= MAX_ENTRIES {
            self.counters.clear();
        }
        let counters = self.counters.entry(list).or_insert([0; LEVELS]);
        let level = usize::from(level).min(LEVELS - 1);
        for (at, counter) in counters.iter_mut().enumerate().skip(level) {
            *counter = if at > level { 0 } else { said.unwrap_or(counter.saturating_add(1)) };
        }
        counters.get(level).copied().unwrap_or(1)
    }
}

/// Level of a heading by the level of an outline, of which 9 is the body.
pub(super) fn outline(number: i32) -> Option<u8> {
    u8::try_from(number).ok().filter(|&level| level < 9).map(|level| level + 1)
}
