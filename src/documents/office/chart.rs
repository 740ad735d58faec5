//! Charts of Office files: their title, and the values that they show as a table.
//!
//! **Definition.** ECMA-376-1, 21.2 (DrawingML charts): every series holds a copy of its values as they were shown last.

use std::collections::BTreeMap;

use crate::Table;
use crate::blocks::Block;
use crate::builder::one_line;
use crate::office::number::shown;
use crate::xml::Element;

/// Values of a series that are kept.
const MAX_POINTS: usize = 10_000;
/// Series that are kept.
const MAX_SERIES: usize = 256;

/// What a chart says.
pub(crate) fn blocks(root: Element<'_>) -> Vec<Block> {
    let Some(chart) = root.child("chart") else { return Vec::new() };
    let title = chart.child("title").map(words).unwrap_or_default();
    let mut blocks = Vec::new();
    if !title.is_empty() {
        blocks.push(Block::Paragraph(title.as_str().into()));
    }
    let Some(plot) = chart.child("plotArea") else { return blocks };
    let mut series = plot
        .children()
        .flat_map(|kind| kind.children().filter(|one| one.name() == "ser"))
        .take(MAX_SERIES)
        .peekable();
    if series.peek().is_none() {
        return blocks;
    }
    let mut table = Table { columns: vec![String::new()], ..Table::default() };
    let mut rows = BTreeMap::<usize, Vec<String>>::new();
    for (at, one) in series.enumerate() {
        table.columns.push(one.child("tx").map(words).unwrap_or_default());
        let categories = one.child("cat").or_else(|| one.child("xVal")).map(points).unwrap_or_default();
        for (index, category) in categories {
            let row = rows.entry(index).or_insert_with(|| vec![String::new()]);
            if let Some(first) = row.first_mut().filter(|first| first.is_empty()) {
                *first = category;
            }
        }
        for (index, value) in one.child("val").or_else(|| one.child("yVal")).map(points).unwrap_or_default() {
            let row = rows.entry(index).or_insert_with(|| vec![String::new()]);
            row.resize(at + 1, String::new());
            row.push(value);
        }
    }
    table.rows = rows.into_values().collect();
    blocks.push(Block::Table(table));
    blocks
}

/// Words of a title, or of the name of a series: written there, or copied from a cell.
fn words(element: Element<'_>) -> String {
    let said = element.descendants().filter(|one| matches!(one.name(), "t" | "v"));
    let said = said.map(|one| one.text()).collect::<Vec<_>>();
    one_line(&said.concat())
}

/// Values by their numbers.
fn points(element: Element<'_>) -> Vec<(usize, String)> {
    let points = element.descendants().filter(|one| one.name() == "pt").take(MAX_POINTS);
    let points = points.filter_map(|point| {
        let value = point.child("v")?.text();
        Some((point.number("idx")?, shown(&value)))
    });
    points.collect()
}
