//! Sheets of OpenDocument files.
//!
//! **Definition.** OpenDocument 1.3 part 3, 9: a cell holds the paragraphs that it shows; rows and cells may be repeated.
//!
//! **Bad input.** Empty rows and cells are only counted, however often they are repeated; filled ones fill cells of the
//! [`Sheet`], which takes a bounded number.

use crate::office::odf::styles::Styles;
use crate::office::odf::text::Walk;
use crate::office::sheets::{Cell, Sheet, SheetWriter};
use crate::xml::Element;
use crate::{Builder, Inline};

/// Columns of a sheet; further ones are left out.
const MAX_COLUMNS: u32 = 16_384;

/// Tells of all sheets.
pub(super) fn tell<'x>(
    spreadsheet: Element<'x>,
    active: Option<&str>,
    hidden: impl Fn(&str) -> bool,
    walk: &mut Walk<'x>,
    builder: &mut Builder,
) {
    let mut telling = SheetWriter::default();
    for element in spreadsheet.children().filter(|child| child.name() == "table") {
        if !telling.goes_on(builder) {
            break;
        }
        let name = element.attr("name").unwrap_or_default();
        let hidden = element.attr("style-name").is_some_and(|style| hidden(&style));
        let is_active = active.map_or(telling.pages() == 0, |active| active == name);
        let sheet = telling.begin(&name, is_active, hidden, builder);
        let mut reading = SheetReader { sheet, walk, row: 0, links: Vec::new() };
        reading.rows(element);
        let SheetReader { sheet, links, .. } = reading;
        telling.tell(sheet, &links, builder);
        for (label, words) in std::mem::take(&mut walk.notes) {
            builder.note(&label, words);
        }
    }
    telling.finish(builder);
}

struct SheetReader<'w, 'x> {
    sheet: Sheet,
    walk: &'w mut Walk<'x>,
    row: u32,
    links: Vec<(String, String)>,
}

impl<'x> SheetReader<'_, 'x> {
    /// Rows, those in groups too; `false` where the sheet takes no more.
    fn rows(&mut self, parent: Element<'x>) -> bool {
        for element in parent.children() {
            let go_on = match element.name() {
                "table-row" => self.repeated(element),
                "table-header-rows" | "table-rows" | "table-row-group" => self.rows(element),
                _ => true,
            };
            if !go_on {
                return false;
            }
        }
        true
    }

    fn repeated(&mut self, row: Element<'x>) -> bool {
        let times = row.number::<u32>("number-rows-repeated").unwrap_or(1).max(1);
        let cells = self.cells(row);
        let filled = cells.iter().any(|(_, _, cell)| !cell.text.trim().is_empty());
        for at in 0..if filled { times } else { 0 } {
            for (column, count, cell) in &cells {
                for next in 0..if cell.text.is_empty() { 0 } else { *count } {
                    let place = (self.row.saturating_add(at), column.saturating_add(next));
                    if !self.sheet.fill(place.0, place.1, cell.clone()) {
                        return false;
                    }
                }
            }
        }
        self.row = self.row.saturating_add(times);
        true
    }

    /// Cells of a row: column, times, cell.
    fn cells(&mut self, row: Element<'x>) -> Vec<(u32, u32, Cell)> {
        let mut column = 0_u32;
        let mut cells = Vec::new();
        for element in
            row.children().filter(|cell| matches!(cell.name(), "table-cell" | "covered-table-cell"))
        {
            let times = element.number::<u32>("number-columns-repeated").unwrap_or(1).max(1);
            let shown = MAX_COLUMNS.saturating_sub(column).min(times);
            if element.name() == "table-cell" && shown > 0 {
                cells.push((column, shown, self.cell(element)));
            }
            column = column.saturating_add(times);
        }
        cells
    }

    fn cell(&mut self, element: Element<'x>) -> Cell {
        let mut shown = Inline::default();
        for child in element.children() {
            match child.name() {
                "p" => {
                    if !shown.text.is_empty() {
                        shown.text.push('\n');
                    }
                    let words = self.walk.words(child);
                    shown.append(&words);
                }
                "annotation" => self.walk.comment(child),
                _ => {}
            }
        }
        self.links.extend(shown.anchors());
        let kind = element.attr("value-type");
        let value = || {
            let names = ["value", "date-value", "time-value", "boolean-value", "string-value"];
            names.into_iter().find_map(|name| element.attr(name)).unwrap_or_default().into_owned()
        };
        let text = if shown.text.is_empty() && kind.is_some() { value() } else { shown.text };
        let styles: &Styles = self.walk.styles;
        Cell {
            text,
            bold: styles.is_bold(element.attr("style-name").as_deref()),
            is_text: kind.is_none_or(|kind| kind == "string"),
        }
    }
}
