//! Control words that set something, or end a paragraph, a cell, a row.

use super::reader::Reader;
use super::state::Destination;
use super::tables::outline;
use crate::code_pages::CodePage;
use crate::prose::LEAST_RISE;
use webmill_html::script::Position;

impl Reader<'_> {
    /// Takes a control word by where it stands.
    pub(super) fn set(&mut self, word: &str, number: Option<i32>) {
        match self.state.destination {
            Destination::Fonts => self.tables.font_word(word, number),
            Destination::Styles => {
                self.tables.style_word(word, number);
                self.set_character(word, number);
                // The first style is what others are made of; it often has the only word on languages.
                for (language, &said) in self.languages.iter_mut().zip(&self.state.languages) {
                    *language = if *language == 0 { said } else { *language };
                }
            }
            Destination::Lists => self.tables.list_word(word, number),
            Destination::Info => self.set_fact(word, number),
            Destination::Created | Destination::Modified => self.set_date(word, number),
            _ => {
                self.set_document(word, number);
                self.set_character(word, number);
                self.set_paragraph(word, number);
                self.end_something(word);
            }
        }
    }

    fn set_document(&mut self, word: &str, number: Option<i32>) {
        let value = number.unwrap_or(0);
        match word {
            "ansicpg" => self.document_page = CodePage::of_number(value).or(self.document_page),
            "mac" => self.document_page = CodePage::of_number(10000),
            "pc" => self.document_page = CodePage::of_number(437),
            "pca" => self.document_page = CodePage::of_number(850),
            "deff" => self.document_font = number,
            "deflang" | "deflangfe" | "adeflang" => {
                let at = usize::from(word == "deflangfe") + 2 * usize::from(word == "adeflang");
                for languages in [&mut self.languages, &mut self.state.languages] {
                    if let Some(language) = languages.get_mut(at) {
                        *language = value as u16;
                    }
                }
            }
            _ => {}
        }
    }

    /// Words that say how characters look; without a number, or with one that is not 0, a property holds.
    fn set_character(&mut self, word: &str, number: Option<i32>) {
        let on = number != Some(0);
        let state = &mut self.state;
        let language = number.unwrap_or(0) as u16;
        let [western, eastern, complex] = &mut state.languages;
        match word {
            "plain" => state.plain(self.document_font, self.languages),
            "f" => state.font = number,
            "fs" => state.size = number.unwrap_or(24).clamp(1, 4000),
            "b" => state.bold = on,
            "super" | "sub" | "nosupersub" | "up" | "dn" => {
                // By half points from the line; those without a number are by 6. A smaller one sets lines right.
                let rise = if word == "nosupersub" { 0 } else { number.unwrap_or(6) };
                let lower = matches!(word, "sub" | "dn");
                state.position =
                    Position::of_rise(if lower { rise.saturating_neg() } else { rise }, LEAST_RISE);
            }
            "v" => state.hidden = on,
            "deleted" => state.deleted = on,
            "lang" => *western = language,
            "langfe" => *eastern = language,
            "alang" => *complex = language,
            "uc" => state.fallback = u32::try_from(number.unwrap_or(1)).unwrap_or(1).min(64),
            _ => {}
        }
    }

    fn set_paragraph(&mut self, word: &str, number: Option<i32>) {
        let value = number.unwrap_or(0);
        let state = &mut self.state;
        match word {
            "pard" => state.pard(),
            "s" => state.style = self.tables.style(value),
            "outlinelevel" => state.outline = outline(value),
            "qc" => state.centred = true,
            "ql" | "qr" | "qj" | "qd" => state.centred = false,
            "intbl" => state.in_table = true,
            "itap" => state.depth = u16::try_from(value).unwrap_or(0),
            "ls" => state.list = value,
            "ilvl" => state.level = u8::try_from(value).unwrap_or(0).min(8),
            // Lists of old files: what says so stands in a group of its own and holds for the paragraph around it.
            "pnlvlblt" => self.set_numbering(23, None),
            "pnlvlbody" => self.set_numbering(0, None),
            "pnlvl" => self.set_numbering(0, number),
            "pnlvlcont" => self.set_numbering(255, None),
            "trowd" => self.row_is_header = false,
            "trhdr" => self.row_is_header = true,
            _ => {}
        }
    }

    fn set_numbering(&mut self, kind: i32, level: Option<i32>) {
        if let Some((outer, _)) =
            self.groups.last_mut().filter(|_| self.state.destination != Destination::Story)
        {
            outer.numbering = Some(kind);
            if let Some(level) = level {
                // Their levels count from 1, and headings have the first.
                outer.level = u8::try_from(level.saturating_sub(1)).unwrap_or(0).min(8);
            }
        }
    }

    fn end_something(&mut self, word: &str) {
        let depth = self.state.table_depth();
        match word {
            "par" => self.end_paragraph(),
            "column" => self.end_paragraph(),
            "sect" | "page" => {
                self.end_paragraph();
                self.flow.end_page();
            }
            "cell" | "nestcell" => {
                let depth = if word == "cell" { 1 } else { depth.max(2) };
                if self.state.destination == Destination::Story {
                    self.end_cell(depth);
                }
            }
            "row" if self.in_body() => self.flow.end_row(1, self.row_is_header),
            "nestrow" if self.in_body() => self.flow.end_row(depth.max(2), self.row_is_header),
            _ => {}
        }
    }

    fn in_body(&self) -> bool {
        self.stories.len() == 1
    }

    /// Ends a paragraph and its cell; the paragraph stands in the table though it may not say so.
    fn end_cell(&mut self, depth: usize) {
        let known = (self.state.in_table, self.state.depth);
        (self.state.in_table, self.state.depth) = (true, u16::try_from(depth).unwrap_or(1));
        self.end_paragraph();
        (self.state.in_table, self.state.depth) = known;
        if self.in_body() {
            self.flow.end_cell(depth);
        }
    }

    fn set_fact(&mut self, word: &str, number: Option<i32>) {
        if word == "nofpages" {
            self.flow.builder.document.pages =
                number.and_then(|pages| u32::try_from(pages).ok()).filter(|&pages| pages > 0);
        }
    }

    fn set_date(&mut self, word: &str, number: Option<i32>) {
        let words = ["yr", "mo", "dy", "hr", "min", "sec"];
        let part = words.iter().position(|known| *known == word).and_then(|at| self.date.get_mut(at));
        if let (Some(part), Some(number)) = (part, number) {
            *part = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::prose::Style;

    #[test]
    fn words_hold_until_set_anew() {
        let mut reader = Reader::new(b"", &Limits::default());
        for (word, number) in
            [("b", None), ("fs", Some(i32::MAX)), ("qc", None), ("outlinelevel", Some(1)), ("v", Some(0))]
        {
            reader.set(word, number);
        }
        assert!(reader.state.bold && reader.state.centred && !reader.state.hidden);
        assert_eq!((reader.state.size, reader.state.paragraph_style()), (4000, Style::Heading(2)));
        reader.set("pard", None);
        reader.set("plain", None);
        assert!(!reader.state.bold && !reader.state.centred);
    }
}
