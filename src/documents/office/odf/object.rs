//! Objects within OpenDocument files: charts and formulas, each a small document in a folder of its own.
//!
//! **Definition.** OpenDocument 1.3 part 3, 11 (charts, whose values stand in a table) and 14.5 (formulas in MathML).

use crate::Table;
use crate::blocks::Block;
use crate::builder::one_line;
use crate::office::number::shown;
use crate::xml::Element;

/// Rows of a chart's table that are kept.
const MAX_ROWS: usize = 10_000;

/// What an object says.
pub(super) fn blocks(root: Element<'_>) -> Vec<Block> {
    match root.path(&["body", "chart", "chart"]) {
        Some(chart) => chart_blocks(chart),
        None if root.name() == "math" => vec![Block::Paragraph(formula(root).into())],
        None => Vec::new(),
    }
}

fn chart_blocks(chart: Element<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let title = chart.child("title").map(|title| one_line(&title.text())).unwrap_or_default();
    if !title.is_empty() {
        blocks.push(Block::Paragraph(title.into()));
    }
    if let Some(values) = chart.child("table") {
        let rows = values.descendants().filter(|one| one.name() == "table-row").take(MAX_ROWS);
        let cells = |row: Element<'_>| {
            let cells = row.children().filter(|cell| cell.name() == "table-cell");
            cells.map(|cell| cell.child("p").map(|words| shown(&words.text())).unwrap_or_default()).collect()
        };
        let mut table = Table { rows: rows.map(cells).collect(), ..Table::default() };
        if table.rows.len() > 1 {
            table.columns = table.rows.remove(0);
        }
        blocks.push(Block::Table(table));
    }
    blocks
}

/// A formula as it was typed, else its letters and signs.
fn formula(math: Element<'_>) -> String {
    let typed = math.descendants().find(|one| one.name() == "annotation").map(|typed| typed.text());
    let signs = || {
        let signs = math.descendants().filter(|one| matches!(one.name(), "mi" | "mo" | "mn" | "mtext"));
        signs.map(|sign| sign.text()).collect::<Vec<_>>().join(" ")
    };
    one_line(&typed.unwrap_or_else(signs))
}
