//! Paragraphs of word processors, one after the other, made blocks of a document.
//!
//! **What.** RTF and Word's old files are the same model: paragraphs with properties, of which some end a cell or a row of a
//! table. [`Flow`] takes them in order and tells a [`Builder`] of headings, items, paragraphs and tables; it keeps the notes
//! for the end, gathers the first page's lines and chooses the title.
//!
//! **Algorithm.** Paragraphs of depth 0 are told at once. Those of depth n wait in the open cell of table n; a row's end closes
//! the row, a paragraph of a lesser depth closes the table. A table within a table becomes lines of the cell around it; one
//! that has a single column is paragraphs.
//!
//! **Cost.** Linear. Cells are bounded by [`MAX_CELLS`].
//!
//! **Bad input.** A cell that no row ends is a row; an end of a row without cells is nothing.

mod fields;
mod story;
mod styles;

pub(crate) use fields::{link_of, symbol_of};
pub(crate) use story::{Field, Role, Story};
pub(crate) use styles::{Style, style_of};

use crate::title::{self, Candidate};
use crate::{Builder, Document, Inline, Kind, Limits, Marker, Table, TitleSource};

/// Half points by which raised text stands above the line, at least.
pub(crate) const LEAST_RISE: i32 = 4;

/// Cells of all tables of a document, and of one table once its rows are of equal width.
const MAX_CELLS: usize = 500_000;
/// Notes that are kept.
const MAX_NOTES: usize = 100_000;
/// Paragraphs that may be a title.
const MAX_CANDIDATES: usize = 60;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Paragraph {
    pub words: Inline,
    /// What its style or outline level makes of it.
    pub style: Style,
    /// Depth and marker, where it is an item of a list.
    pub item: Option<(u8, Marker)>,
    /// Size of most of its type, in points.
    pub size: f32,
    /// Whether most of it is bold.
    pub bold: bool,
    /// Whether it is centred.
    pub centred: bool,
}

/// A row: its cells, and whether it says that it names the columns.
#[derive(Default)]
struct Row {
    cells: Vec<Vec<Paragraph>>,
    header: bool,
}

#[derive(Default)]
struct OpenTable {
    rows: Vec<Row>,
    cells: Vec<Vec<Paragraph>>,
    cell: Vec<Paragraph>,
}

/// Takes paragraphs and makes a document of them.
pub(crate) struct Flow {
    /// Where the blocks go.
    pub builder: Builder,
    tables: Vec<OpenTable>,
    cells: usize,
    candidates: Vec<Candidate>,
    in_first_page: bool,
    styled_title: Option<String>,
    notes: Vec<(String, Inline)>,
}

impl Flow {
    /// A flow without paragraphs.
    pub(crate) fn new(kind: Kind, limits: &Limits) -> Flow {
        Flow {
            builder: Builder::new(kind, limits),
            tables: Vec::new(),
            cells: 0,
            candidates: Vec::new(),
            in_first_page: true,
            styled_title: None,
            notes: Vec::new(),
        }
    }

    /// Adds a paragraph of a depth: 0 outside of tables.
    pub(crate) fn paragraph(&mut self, paragraph: Paragraph, depth: usize) {
        let depth = depth.min(self.builder.limits().max_depth);
        if paragraph.words.is_blank() && depth > self.tables.len() {
            return;
        }
        self.close_tables(depth);
        self.consider(&paragraph, depth);
        if depth == 0 {
            self.tell(paragraph);
        } else if !paragraph.words.is_blank()
            && let Some(table) = self.open(depth)
        {
            table.cell.push(paragraph);
        }
    }

    /// Ends a cell of the table of a depth.
    pub(crate) fn end_cell(&mut self, depth: usize) {
        let depth = depth.clamp(1, self.builder.limits().max_depth.max(1));
        self.close_tables(depth);
        self.cells += 1;
        if self.cells > MAX_CELLS {
            self.builder.warn("cells-cut");
        } else if let Some(table) = self.open(depth) {
            let cell = std::mem::take(&mut table.cell);
            table.cells.push(cell);
        }
    }

    /// Ends a row of the table of a depth.
    pub(crate) fn end_row(&mut self, depth: usize, header: bool) {
        let depth = depth.clamp(1, self.builder.limits().max_depth.max(1));
        self.close_tables(depth);
        let Some(table) = self.tables.get_mut(depth - 1) else { return };
        if !table.cell.is_empty() {
            let cell = std::mem::take(&mut table.cell);
            table.cells.push(cell);
        }
        if !table.cells.is_empty() {
            let cells = std::mem::take(&mut table.cells);
            table.rows.push(Row { cells, header });
        }
    }

    /// Ends the first page, if it has words.
    pub(crate) fn end_page(&mut self) {
        self.in_first_page &= self.candidates.is_empty();
    }

    /// Adds a note, to be told at the end.
    pub(crate) fn note(&mut self, label: String, words: Inline) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push((label, words));
        } else {
            self.builder.warn("notes-cut");
        }
    }

    /// The document; `title` is what its metadata say.
    pub(crate) fn finish(mut self, title: Option<&str>) -> Document {
        self.close_tables(0);
        for (label, words) in std::mem::take(&mut self.notes) {
            self.builder.note(&label, words);
        }
        let document = &mut self.builder.document;
        if let Some(title) = title.and_then(title::cleaned) {
            document.give_title(&title, TitleSource::Metadata);
        }
        if let Some(title) = self.styled_title {
            document.give_title(&title, TitleSource::Style);
        }
        if let Some(title) = title::best(&self.candidates, &document.text) {
            document.give_title(&title, TitleSource::Type);
        }
        self.builder.finish()
    }

    /// The table of a depth, opened where it is not yet; those around it too.
    fn open(&mut self, depth: usize) -> Option<&mut OpenTable> {
        if self.tables.len() < depth {
            self.tables.resize_with(depth, OpenTable::default);
        }
        self.tables.get_mut(depth.checked_sub(1)?)
    }

    /// Closes tables that are deeper.
    fn close_tables(&mut self, depth: usize) {
        while self.tables.len() > depth {
            let Some(mut table) = self.tables.pop() else { return };
            if !table.cell.is_empty() {
                table.cells.push(std::mem::take(&mut table.cell));
            }
            if !table.cells.is_empty() {
                table.rows.push(Row { cells: std::mem::take(&mut table.cells), header: false });
            }
            match self.tables.last_mut() {
                Some(outer) => outer.cell.extend(table.rows.into_iter().filter_map(line_of)),
                None => self.tell_table(table.rows),
            }
        }
    }

    fn tell_table(&mut self, mut rows: Vec<Row>) {
        let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        if width <= 1 {
            rows.into_iter().flat_map(|row| row.cells).flatten().for_each(|paragraph| self.tell(paragraph));
            return;
        }
        let width = width.min(MAX_CELLS / rows.len().max(1)).max(2);
        for row in &mut rows {
            let beyond = row.cells.split_off(width.min(row.cells.len()));
            if let Some(last) = row.cells.last_mut() {
                last.extend(beyond.into_iter().flatten());
            }
        }
        let paragraphs = rows.iter().flat_map(|row| &row.cells).flatten();
        let links: Vec<_> = paragraphs.flat_map(|paragraph| paragraph.words.anchors()).collect();
        let named = names_columns(&rows);
        let mut rows: Vec<Vec<String>> =
            rows.into_iter().map(|row| row.cells.iter().map(|c| joined(c)).collect()).collect();
        let columns = if named && !rows.is_empty() { rows.remove(0) } else { Vec::new() };
        self.builder.table(Table { caption: None, columns, rows });
        for (target, anchor) in links {
            self.builder.link(&target, &anchor);
        }
    }

    /// Tells of a paragraph.
    fn tell(&mut self, paragraph: Paragraph) {
        match (paragraph.style, paragraph.item) {
            (Style::Heading(level), _) => self.builder.heading(level, paragraph.words),
            (Style::Title, None) => self.builder.heading(1, paragraph.words),
            (_, Some((depth, marker))) => self.builder.item(depth, marker, paragraph.words),
            (Style::Body, None) => self.builder.paragraph(paragraph.words),
        }
    }

    /// Keeps a paragraph of the first page as what may be a title.
    fn consider(&mut self, paragraph: &Paragraph, depth: usize) {
        if paragraph.style == Style::Title
            && self.styled_title.is_none()
            && title::is_title_like(&paragraph.words.text)
        {
            self.styled_title = Some(paragraph.words.text.clone());
        }
        if !self.in_first_page || depth > 0 || self.candidates.len() >= MAX_CANDIDATES {
            return;
        }
        let text = paragraph.words.text.trim();
        if text.is_empty() && self.candidates.is_empty() {
            return;
        }
        self.candidates.push(Candidate {
            text: text.chars().take(400).collect(),
            size: paragraph.size,
            bold: paragraph.bold,
            centred: paragraph.centred,
            fills_width: title::set_width(text, paragraph.size) > 430.0,
            list_item: paragraph.item.is_some() && paragraph.style == Style::Body,
        });
    }
}

/// A row of a table within a cell, as a line.
fn line_of(row: Row) -> Option<Paragraph> {
    let mut line = Paragraph::default();
    for paragraph in row.cells.into_iter().flatten().filter(|paragraph| !paragraph.words.is_blank()) {
        if !line.words.text.is_empty() {
            line.words.text.push(' ');
        }
        line.words.append(&paragraph.words);
    }
    (!line.words.is_blank()).then_some(line)
}

/// Words of a cell.
fn joined(cell: &[Paragraph]) -> String {
    cell.iter().map(|paragraph| paragraph.words.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Whether the first row names the columns: it says so, or it alone is bold.
fn names_columns(rows: &[Row]) -> bool {
    let [first, second, ..] = rows else { return false };
    let bold = |row: &Row| {
        let mut paragraphs =
            row.cells.iter().flatten().filter(|paragraph| !paragraph.words.is_blank()).peekable();
        paragraphs.peek().is_some() && paragraphs.all(|paragraph| paragraph.bold)
    };
    first.header || bold(first) && !bold(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &str) -> Paragraph {
        Paragraph { words: words.into(), size: 12.0, ..Paragraph::default() }
    }

    fn flowed(tell: impl FnOnce(&mut Flow)) -> Document {
        let mut flow = Flow::new(Kind::Rtf, &Limits::default());
        tell(&mut flow);
        flow.finish(None)
    }

    #[test]
    fn cells_and_rows_are_tables() {
        let document = flowed(|flow| {
            flow.paragraph(said("before"), 0);
            for (cells, header) in [(["kind", "price"], true), (["tea", "2"], false)] {
                for cell in cells {
                    flow.paragraph(said(cell), 1);
                    flow.end_cell(1);
                }
                flow.end_row(1, header);
            }
            flow.paragraph(said("after"), 0);
        });
        assert_eq!(document.text, "before\nkind | price\ntea | 2\nafter\n");
        assert_eq!(document.tables[0].columns, ["kind", "price"]);
    }

    #[test]
    fn table_in_a_cell_is_lines_of_it() {
        let document = flowed(|flow| {
            flow.paragraph(said("a"), 1);
            flow.end_cell(1);
            for cell in ["x", "y"] {
                flow.paragraph(said(cell), 2);
                flow.end_cell(2);
            }
            flow.end_row(2, false);
            flow.paragraph(said("b"), 1);
            flow.end_cell(1);
            flow.end_row(1, false);
        });
        assert_eq!(document.text, "a | x y b\n");
    }

    #[test]
    fn tables_without_ends_keep_their_words() {
        let document = flowed(|flow| {
            flow.end_row(1, false);
            flow.paragraph(said("only"), usize::MAX);
            flow.end_cell(7);
            flow.paragraph(said("more"), 3);
        });
        assert_eq!(document.text, "only more\n");
    }

    #[test]
    fn title_is_of_metadata_then_style_then_type() {
        let lines = |flow: &mut Flow| {
            flow.paragraph(Paragraph { size: 20.0, ..said("Large words") }, 0);
            flow.paragraph(Paragraph { style: Style::Title, ..said("Styled words") }, 0);
            flow.paragraph(said("And then the words of the body of it all."), 0);
        };
        let mut flow = Flow::new(Kind::Rtf, &Limits::default());
        lines(&mut flow);
        let document = flow.finish(Some("Named words"));
        assert_eq!(
            (document.about.title.as_deref(), document.title_source),
            (Some("Named words"), Some(TitleSource::Metadata))
        );
        let document = flowed(lines);
        assert_eq!(
            (document.about.title.as_deref(), document.title_source),
            (Some("Styled words"), Some(TitleSource::Style))
        );
        let document = flowed(|flow| flow.paragraph(Paragraph { size: 20.0, ..said("Large words") }, 0));
        assert_eq!(
            (document.about.title.as_deref(), document.title_source),
            (Some("Large words"), Some(TitleSource::Type))
        );
    }
}
