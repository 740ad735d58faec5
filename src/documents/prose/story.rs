//! Stories: the body, notes, headers, text boxes; each with a paragraph that grows.

use super::Paragraph;
use crate::Inline;
use webmill_html::script::{Position, push_placed};

/// Looks of type that are counted in a paragraph.
const MAX_LOOKS: usize = 16;

/// Which story it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Body,
    /// A note at the foot of a page or the end.
    Note,
    /// What somebody said of the text.
    Comment,
    /// A running head or foot.
    Furniture,
    /// A box with text of its own.
    Box,
}

#[derive(Debug, Default)]
pub(crate) struct Field {
    pub code: String,
    /// Where it leads.
    pub target: Option<String>,
    /// Where its words begin in the paragraph, once they do.
    pub from: Option<usize>,
    /// Whether its code gave its text, so that the result does not count.
    pub told: bool,
}

#[derive(Debug)]
pub(crate) struct Story {
    pub role: Role,
    /// Words of the paragraph.
    pub words: Inline,
    /// Number or bullet before them.
    pub marker: String,
    /// Characters by size and weight.
    looks: Vec<((i32, bool), usize)>,
    /// Words at the end that are raised or lowered, and where they begin.
    placed: Option<(Position, usize)>,
    /// Fields that are open.
    pub fields: Vec<Field>,
    /// Paragraphs that are whole.
    pub paragraphs: Vec<Paragraph>,
    /// Paragraphs of boxes that are anchored in the one that grows.
    pub boxes: Vec<Paragraph>,
}

impl Story {
    pub(crate) fn new(role: Role) -> Story {
        Story {
            role,
            words: Inline::default(),
            marker: String::new(),
            looks: Vec::new(),
            placed: None,
            fields: Vec::new(),
            paragraphs: Vec::new(),
            boxes: Vec::new(),
        }
    }

    /// Adds words that look like this.
    pub(crate) fn push(&mut self, text: &str, size: i32, bold: bool, position: Option<Position>) {
        if self.placed.map(|(position, _)| position) != position {
            self.end();
            self.placed = position.map(|position| (position, self.words.text.len()));
        }
        self.words.text.push_str(text);
        let chars = text.len() - text.bytes().filter(|byte| byte.is_ascii_whitespace()).count();
        if let Some((_, count)) = self.looks.iter_mut().find(|(look, _)| *look == (size, bold)) {
            *count += chars;
        } else if self.looks.len() < MAX_LOOKS {
            self.looks.push(((size, bold), chars));
        }
    }

    /// Where the words end. Raised and lowered ones are written when all of them are known.
    pub(crate) fn end(&mut self) -> usize {
        if let Some((position, from)) = self.placed.take() {
            let linked = self.fields.iter().any(|field| field.target.is_some() && field.from.is_some());
            let text = self.words.text.split_off(from);
            push_placed(&text, position, linked, &mut self.words.text);
        }
        self.words.text.len()
    }

    /// Makes a link of what was said since a field's result began.
    pub(crate) fn link_field(&mut self, at: usize) {
        let end = self.end();
        let Some(field) = self.fields.get(at) else { return };
        let (Some(target), Some(from)) = (&field.target, field.from) else { return };
        let free = self.words.links.last().is_none_or(|(range, _)| range.end <= from);
        let filled = self.words.text.get(from..end).is_some_and(|words| !words.trim().is_empty());
        if free && filled {
            self.words.links.push((from..end, target.clone()));
        }
    }

    /// The paragraph, whole; the next one begins.
    pub(crate) fn end_paragraph(&mut self) -> Paragraph {
        self.end();
        for at in 0..self.fields.len() {
            self.link_field(at);
        }
        for field in &mut self.fields {
            field.from = field.from.map(|_| 0);
        }
        let (size, bold) =
            self.looks.iter().max_by_key(|(_, count)| *count).map_or((24, false), |(look, _)| *look);
        self.looks.clear();
        Paragraph {
            words: std::mem::take(&mut self.words),
            size: size as f32 / 2.0,
            bold,
            ..Paragraph::default()
        }
    }

    /// All words as one run.
    pub(crate) fn joined(self) -> Inline {
        let mut all = Inline::default();
        for paragraph in self.paragraphs.into_iter().filter(|paragraph| !paragraph.words.is_blank()) {
            if !all.text.is_empty() {
                all.text.push('\n');
            }
            all.append(&paragraph.words);
        }
        all
    }
}
