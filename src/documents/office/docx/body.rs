//! Paragraphs and tables of a DOCX file, in order.
//!
//! **Definition.** ECMA-376-1, 17.2 to 17.5 and 17.13: a story holds paragraphs, tables, content controls and marks of changes.
//!
//! **Algorithm.** One walk over the tree. Of alternatives the first is taken; what was deleted is not seen, nor a hint that
//! asks to be replaced. Boxes of text follow the paragraph that they are anchored in.

use std::collections::BTreeMap;

use crate::blocks::{Block, flattened, push_at, trimmed};
use crate::grid::Grid;
use crate::office::docx::fields::Fields;
use crate::office::docx::numbering::{Label, Numbering};
use crate::office::docx::styles::{Styles, TextLook, centred, outline, switch};
use crate::office::math::formula;
use crate::office::package::Relationships;
use crate::title::Candidate;
use crate::xml::Element;
use crate::{Inline, Marker, Table};

/// Looks of words that are counted in a paragraph.
const MAX_LOOKS: usize = 16;

/// A kind of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NoteKind {
    Foot,
    End,
    Comment,
}

/// Walks the stories of a file.
#[derive(Debug)]
pub(crate) struct Walk<'x> {
    pub(crate) styles: &'x Styles,
    pub(crate) numbering: Numbering,
    /// Of the part that is walked.
    pub(crate) relationships: Relationships,
    /// Ids of the notes that the text refers to, in order.
    pub(crate) notes: Vec<(NoteKind, String)>,
    /// What charts and diagrams say, by their relationships.
    pub(crate) pictures: BTreeMap<String, Vec<Block>>,
    /// Charts and diagrams that are anchored in the paragraph.
    pub(super) anchored: Vec<String>,
    pub(crate) title: Option<String>,
    /// Lines of the first page.
    pub(crate) lines: Vec<Candidate>,
    pub(crate) first_page: bool,
    pub(crate) max_depth: usize,
    pub(super) fields: Fields,
    pub(super) boxes: Vec<Element<'x>>,
    pub(super) looks: Vec<(usize, TextLook)>,
    carried: Inline,
    depth: usize,
}

impl<'x> Walk<'x> {
    /// Begins at the first page.
    pub(crate) fn new(
        styles: &'x Styles,
        numbering: Numbering,
        relationships: Relationships,
        max_depth: usize,
    ) -> Self {
        Walk {
            styles,
            numbering,
            relationships,
            notes: Vec::new(),
            pictures: BTreeMap::new(),
            anchored: Vec::new(),
            title: None,
            lines: Vec::new(),
            first_page: true,
            max_depth,
            fields: Fields::default(),
            boxes: Vec::new(),
            looks: Vec::new(),
            carried: Inline::default(),
            depth: 0,
        }
    }

    /// Blocks that an element holds.
    pub(crate) fn blocks(&mut self, parent: Element<'x>, out: &mut Vec<Block>) {
        for child in parent.children() {
            self.block(child, out);
        }
    }

    /// A block, or what an element around blocks holds.
    pub(crate) fn block(&mut self, element: Element<'x>, out: &mut Vec<Block>) {
        match element.name() {
            "p" => self.paragraph(element, out),
            "tbl" => self.table(element, out),
            "sdt" => {
                if let Some(content) = control(element) {
                    self.blocks(content, out);
                }
            }
            "AlternateContent" => {
                if let Some(chosen) = alternative(element) {
                    self.blocks(chosen, out);
                }
            }
            "customXml" | "ins" | "moveTo" | "smartTag" => self.blocks(element, out),
            "oMathPara" | "oMath" => {
                let mut words = Inline::default();
                words.push_formula(&formula(element), true);
                out.push(Block::Paragraph(words));
            }
            "sectPr" => self.first_page = false,
            _ => {}
        }
    }

    fn paragraph(&mut self, element: Element<'x>, out: &mut Vec<Block>) {
        let properties = element.child("pPr");
        let style = properties.and_then(|properties| properties.val("pStyle"));
        let mut words = std::mem::take(&mut self.carried);
        let on_first_page = self.first_page;
        self.looks.clear();
        let look = self.styles.look(style.as_deref());
        self.inlines(element, look, None, &mut words);
        let mark = properties.and_then(|properties| properties.child("rPr"));
        if mark.is_some_and(|mark| mark.child("del").is_some() || mark.child("moveFrom").is_some()) {
            // The end of the paragraph was deleted: the next one goes on.
            self.carried = words;
        } else {
            let words = trimmed(words);
            if !words.is_blank() {
                self.tell(properties, style.as_deref(), words, on_first_page, out);
            }
        }
        if properties.is_some_and(|properties| properties.child("sectPr").is_some()) {
            self.first_page = false;
        }
        self.boxes_behind(out);
        for id in std::mem::take(&mut self.anchored) {
            out.extend(self.pictures.remove(&id).unwrap_or_default());
        }
    }

    fn tell(
        &mut self,
        properties: Option<Element<'x>>,
        style: Option<&str>,
        words: Inline,
        on_first_page: bool,
        out: &mut Vec<Block>,
    ) {
        let level = match properties.and_then(outline) {
            Some(level) => (level < 9).then_some(level + 1),
            None => self.styles.heading(style),
        };
        let is_title = self.styles.is_title(style);
        let (label, depth) = self.label(properties, style);
        if is_title && self.title.is_none() {
            self.title = Some(words.text.clone());
        }
        if on_first_page && self.depth == 0 {
            self.keep_line(properties, style, &words, label.is_some());
        }
        out.push(match (level.or(is_title.then_some(1)), label) {
            (Some(level), Some(Label::Mark(Marker::Number(number)))) => {
                Block::Heading(level.min(6), words.behind(&number.to_string()))
            }
            (Some(level), Some(Label::Text(text))) => Block::Heading(level.min(6), words.behind(&text)),
            (Some(level), _) => Block::Heading(level.min(6), words),
            (None, Some(Label::Mark(marker))) => Block::Item(depth, marker, words),
            (None, Some(Label::Text(text))) => Block::Item(depth, Marker::Bullet, words.behind(&text)),
            (None, Some(Label::Nothing) | None) => Block::Paragraph(words),
        });
    }

    /// What the list of a paragraph puts before it, and its level.
    fn label(&mut self, properties: Option<Element<'x>>, style: Option<&str>) -> (Option<Label>, u8) {
        let own = properties.and_then(|properties| properties.child("numPr"));
        let own_list = own.and_then(|own| own.val("numId")?.trim().parse::<i64>().ok());
        let own_level = own.and_then(|own| own.val("ilvl")?.trim().parse::<usize>().ok());
        let (list, level) = match (own_list, self.styles.list(style)) {
            (Some(list), _) => (list, own_level.unwrap_or(0)),
            (None, Some((list, level, by))) => {
                let bound = self.numbering.level_of_style(list, &by);
                (list, own_level.or(level.map(usize::from)).or(bound).unwrap_or(0))
            }
            (None, None) => return (None, 0),
        };
        // List 0 takes a paragraph out of the list of its style.
        if list == 0 {
            return (None, 0);
        }
        let depth = u8::try_from(level.min(8)).unwrap_or(8);
        (self.numbering.next(list, level), depth)
    }

    /// Remembers a line that may be the title.
    fn keep_line(
        &mut self,
        properties: Option<Element<'x>>,
        style: Option<&str>,
        words: &Inline,
        item: bool,
    ) {
        let style_look = self.styles.look(style);
        let most = self.looks.iter().max_by_key(|(chars, _)| *chars).map(|(_, look)| *look);
        let look = most.unwrap_or_default().or(style_look);
        for text in words.text.lines().map(str::trim).filter(|text| !text.is_empty()) {
            self.lines.push(Candidate {
                text: text.to_owned(),
                // Half points, 10 points where nothing says it.
                size: look.size.unwrap_or(20).min(10_000) as f32 / 2.0,
                bold: look.bold.unwrap_or(false),
                centred: centred(properties).or(style_look.centred).unwrap_or(false),
                fills_width: false,
                list_item: item,
            });
        }
    }

    fn boxes_behind(&mut self, out: &mut Vec<Block>) {
        let boxes = std::mem::take(&mut self.boxes);
        if self.depth >= self.max_depth {
            return;
        }
        self.depth += 1;
        for content in boxes {
            // A box is a story of its own: fields of the paragraph do not reach into it.
            let fields = std::mem::take(&mut self.fields);
            self.blocks(content, out);
            self.fields = fields;
        }
        self.depth -= 1;
    }

    fn table(&mut self, element: Element<'x>, out: &mut Vec<Block>) {
        if self.depth >= self.max_depth {
            return;
        }
        self.depth += 1;
        let mut rows = Vec::new();
        wrapped(element, "tr", &mut rows);
        let deleted =
            |row: &Element<'x>| row.child("trPr").is_some_and(|properties| properties.child("del").is_some());
        rows.retain(|row| !deleted(row));
        let cells = rows.iter().map(|row| {
            let mut cells = Vec::new();
            wrapped(*row, "tc", &mut cells);
            cells
        });
        let cells = cells.collect::<Vec<_>>();
        if cells.iter().all(|row| row.len() <= 1) {
            // No table but a frame, or a list in one.
            cells.into_iter().flatten().for_each(|cell| self.blocks(cell, out));
        } else {
            let header = has_header(element, rows.first().copied());
            self.grid(&rows, cells, header, out);
        }
        self.depth -= 1;
    }

    fn grid(
        &mut self,
        rows: &[Element<'x>],
        cells: Vec<Vec<Element<'x>>>,
        header: bool,
        out: &mut Vec<Block>,
    ) {
        let mut table = Table::default();
        let mut links = Vec::new();
        let mut grid = Grid::default();
        for (row, cells) in rows.iter().zip(cells) {
            let mut shown = Vec::new();
            let before = row.child("trPr").and_then(|properties| properties.val("gridBefore"));
            let before = before.and_then(|columns| columns.trim().parse::<usize>().ok()).unwrap_or(0);
            if before > 0 {
                grid.place(&mut shown, String::new(), (before, 1));
            }
            for cell in cells {
                let properties = cell.child("tcPr");
                let mut blocks = Vec::new();
                let lower = continues(properties, "vMerge");
                if !lower && !continues(properties, "hMerge") {
                    self.blocks(cell, &mut blocks);
                }
                let words = if lower { grid.again(shown.len()).into() } else { flattened(blocks.clone()) };
                links.extend(words.anchors().map(|(target, anchor)| Block::Link(target, anchor)));
                links.extend(blocks.into_iter().filter(|block| matches!(block, Block::Link(..))));
                let span = properties.and_then(|properties| properties.val("gridSpan")?.trim().parse().ok());
                grid.place(&mut shown, words.text, (span.unwrap_or(1_usize), 1));
            }
            grid.end(&mut shown);
            table.rows.push(shown);
        }
        if header && table.rows.len() > 1 {
            table.columns = table.rows.remove(0);
        }
        out.push(Block::Table(table));
        out.extend(links);
    }

    /// Where a relationship leads outside.
    pub(super) fn target(&self, id: Option<&str>) -> Option<String> {
        let relationship = self.relationships.get(id?).filter(|one| one.external)?;
        Some(relationship.target.clone())
    }

    /// Adds words to a paragraph.
    pub(super) fn push(&mut self, words: &mut Inline, more: &str, look: TextLook, link: Option<&str>) {
        let target = self.fields.target();
        let target = target.as_deref().or(link);
        push_at(words, more, look.position.flatten(), target);
        let look = TextLook { position: None, ..look };
        let chars = more.trim().chars().count();
        if chars > 0 && self.first_page {
            let room = self.looks.len() < MAX_LOOKS;
            match self.looks.iter_mut().find(|(_, known)| *known == look) {
                Some((count, _)) => *count += chars,
                None if room => self.looks.push((chars, look)),
                None => {}
            }
        }
    }
}

/// What a content control holds, unless that only asks to be replaced.
pub(super) fn control(element: Element<'_>) -> Option<Element<'_>> {
    let properties = element.child("sdtPr");
    let hint = properties.and_then(|properties| switch(properties, "showingPlcHdr")).unwrap_or(false);
    element.child("sdtContent").filter(|_| !hint)
}

/// The alternative that is shown.
pub(super) fn alternative(element: Element<'_>) -> Option<Element<'_>> {
    element.child("Choice").or_else(|| element.child("Fallback"))
}

/// Rows of a table or cells of a row, those within controls and marks of changes too.
fn wrapped<'x>(parent: Element<'x>, name: &str, out: &mut Vec<Element<'x>>) {
    for child in parent.children() {
        match child.name() {
            known if known == name => out.push(child),
            "sdt" => {
                if let Some(content) = control(child) {
                    wrapped(content, name, out);
                }
            }
            "customXml" | "ins" | "moveTo" | "sdtContent" => wrapped(child, name, out),
            _ => {}
        }
    }
}

/// Whether a cell is the lower part of the one above (`vMerge`), or of the one before (`hMerge`).
fn continues(properties: Option<Element<'_>>, name: &str) -> bool {
    let merge = properties.and_then(|properties| properties.child(name));
    merge.is_some_and(|merge| merge.attr("val").is_none_or(|val| val == "continue"))
}

/// Whether the first row names the columns.
fn has_header(table: Element<'_>, first: Option<Element<'_>>) -> bool {
    let marked = first.and_then(|row| switch(row.child("trPr")?, "tblHeader")).unwrap_or(false);
    let look = table.path(&["tblPr", "tblLook"]);
    let styled = look.is_some_and(|look| match (look.attr("firstRow"), look.attr("val")) {
        (Some(_), _) => look.is_on("firstRow"),
        (None, Some(bits)) => u32::from_str_radix(bits.trim(), 16).is_ok_and(|bits| bits & 0x20 != 0),
        (None, None) => false,
    });
    marked || styled
}
