//! Chosen blocks as plain text, and which tables hold data.
//!
//! One block a line; the cells of a data table's row share a line, parted by ` | `, and a cell that reaches down is in
//! each of its rows; items of lists begin with `- `, of ordered lists with their number; the lines of code are indented
//! as written. Linear in the text.

use std::ops::Range;

use super::grid::{DITTO, Grid, GridRow, Repeats, rows};
use super::numbers::Numbers;
use crate::blocks::code::code_containers;
use crate::blocks::page::{Container, NONE, Page};
use webmill_html::{Dom, Tag};

/// For each container that is a table: whether it is a data table.
///
/// A data table has at least two rows of at least two cells, as many in most rows, no table inside, and short cells.
pub(crate) fn data_tables(page: &Page) -> Vec<bool> {
    #[derive(Clone, Default)]
    struct Shape {
        rows: u32,
        cells_in_row: u32,
        widths: [u32; 16],
        refused: bool,
    }
    let n = page.containers.len();
    let mut data = vec![false; n];
    if !page.containers.iter().any(|c| c.tag == Tag::Table) {
        return data;
    }
    let mut shapes = vec![Shape::default(); n];
    let mut row_cells = vec![0u32; n];
    for container in &page.containers {
        match container.tag {
            Tag::Table => {
                let outer = page.containers[container.parent as usize].table;
                if outer != NONE {
                    shapes[outer as usize].refused = true;
                }
            }
            Tag::Td | Tag::Th if container.row != NONE => {
                row_cells[container.row as usize] += 1;
                if container.table != NONE && container.counts.blocks > 4 {
                    shapes[container.table as usize].refused = true;
                }
            }
            _ => {}
        }
    }
    for (i, container) in page.containers.iter().enumerate() {
        if container.tag == Tag::Tr && container.table != NONE {
            let shape = &mut shapes[container.table as usize];
            shape.rows += 1;
            shape.cells_in_row = shape.cells_in_row.max(row_cells[i]);
            shape.widths[row_cells[i].min(15) as usize] += 1;
        }
    }
    for (i, shape) in shapes.iter().enumerate() {
        if page.containers[i].tag == Tag::Table
            && !shape.refused
            && shape.rows >= 2
            && shape.cells_in_row >= 2
        {
            let most = shape.widths[2..].iter().copied().max().unwrap_or(0);
            data[i] = most >= 2 && most * 2 >= shape.rows;
        }
    }
    data
}

/// The chosen blocks as plain text, and the ranges of it that are code, in order.
pub(crate) fn plain(
    dom: &Dom<'_>,
    page: &Page,
    chosen: &[bool],
    data: &[bool],
) -> (String, Vec<Range<usize>>) {
    let listings = code_containers(page);
    let numbers = Numbers::new(dom, page);
    let mut code: Vec<Range<usize>> = Vec::new();
    let size =
        page.blocks.iter().zip(chosen).filter(|b| *b.1).map(|b| (b.0.end - b.0.start) as usize + 3).sum();
    let mut out = String::with_capacity(size);
    let (mut row, mut cell, mut item) = (NONE, NONE, NONE);
    // The table met last, where its cells reach down, and the row that is written as a whole.
    let (mut table, mut spanned, mut whole) = (NONE, None, NONE);
    for (block, _) in page.blocks.iter().zip(chosen).filter(|b| *b.1) {
        let container = &page.containers[block.container as usize];
        let in_data = container.table != NONE && container.row != NONE && data[container.table as usize];
        if in_data && container.row == whole {
            continue;
        }
        if in_data && container.table != table {
            table = container.table;
            spanned = SpannedTable::new(dom, page, table);
        }
        if !out.is_empty() {
            let same_row = in_data && container.row == row;
            out.push_str(match same_row {
                true if container.cell != cell => " | ",
                true => " ",
                false => "\n",
            });
        }
        item = if in_data { NONE } else { item };
        let spanned_row = spanned.as_mut().filter(|_| in_data);
        if spanned_row.is_some_and(|spanned| spanned.write(page, chosen, container.row, &mut out)) {
            (row, cell, whole) = (NONE, NONE, container.row);
            continue;
        }
        let listing = listings[block.container as usize] != NONE;
        if !in_data && !listing && container.item != NONE && container.item != item {
            match numbers.of(container.item) {
                Some(number) if !is_layout(page, container.item) => out.push_str(&format!("{number}. ")),
                None if container.tag == Tag::Li => out.push_str("- "),
                _ => {}
            }
        }
        let start = out.len();
        out.push_str(if listing && !in_data { page.indented_text_of(block) } else { page.text_of(block) });
        if listing {
            match code.last_mut().filter(|last| last.end + 1 == start) {
                Some(last) => last.end = out.len(),
                None => code.push(start..out.len()),
            }
        }
        (row, cell) = if in_data { (container.row, container.cell) } else { (NONE, NONE) };
        item = container.item;
    }
    (out, code)
}

/// Quotes and items around a block that are shown.
pub(super) const MAX_CHAIN: usize = 8;

/// Quotes and items around a container, outermost first, each as `level` has it.
pub(super) fn chain_of<L>(
    page: &Page,
    container: u32,
    mut level: impl FnMut(u32, &Container) -> Option<L>,
) -> Vec<L> {
    let around = |&at: &u32| Some(page.containers[at as usize].parent).filter(|&up| up != at && up != NONE);
    let all = std::iter::successors(Some(container), around);
    let mut chain: Vec<L> = all.filter_map(|at| level(at, &page.containers[at as usize])).collect();
    chain.reverse();
    chain.truncate(MAX_CHAIN);
    chain
}

/// Blocks and headings from which on an item is a piece of the layout.
const MAX_ITEM_BLOCKS: u32 = 40;

/// Whether an item holds so much, or headings and text, or text without a list around it, that it is a piece of the layout.
pub(crate) fn is_layout(page: &Page, item: u32) -> bool {
    let it = &page.containers[item as usize];
    let loose = it.counts.headings > 0 || it.tag == Tag::Li && it.list == NONE;
    it.counts.blocks > MAX_ITEM_BLOCKS || loose && it.counts.blocks > 3
}

/// A data table with cells that reach down.
struct SpannedTable {
    rows: Vec<GridRow>,
    repeats: Repeats,
}

impl SpannedTable {
    fn new(dom: &Dom<'_>, page: &Page, table: u32) -> Option<SpannedTable> {
        let depth = page.containers[table as usize].depth;
        let inside = page.containers[table as usize + 1..].iter().take_while(|it| it.depth > depth);
        let mut cells = inside.filter(|it| matches!(it.tag, Tag::Td | Tag::Th));
        let reaching = cells.any(|it| rows(dom, it.node) > 1);
        reaching.then(|| SpannedTable { rows: Grid::new(dom, page, table).rows, repeats: Repeats::default() })
    }

    /// Writes a row with the cells that reach it; `false` if it has more than the grid keeps.
    fn write(&mut self, page: &Page, chosen: &[bool], row: u32, out: &mut String) -> bool {
        let Ok(at) = self.rows.binary_search_by_key(&row, |row| row.container) else { return false };
        let places = &self.rows[at].places;
        let it = &page.containers[row as usize];
        let own = places.iter().filter(|place| place.origin).map(|place| {
            let cell = &page.containers[place.container as usize];
            cell.end - cell.first
        });
        if own.sum::<u32>() != it.end - it.first {
            return false;
        }
        let mut first = true;
        for place in places.iter().filter(|place| place.origin || place.above) {
            let cell = &page.containers[place.container as usize];
            let mut blocks = (cell.first..cell.end).filter(|&block| chosen[block as usize]).peekable();
            if blocks.peek().is_none() {
                continue;
            }
            if !first {
                out.push_str(" | ");
            }
            first = false;
            if place.above && !self.repeats.allow(page, place.container) {
                out.push(DITTO);
                continue;
            }
            for (n, block) in blocks.enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                out.push_str(page.text_of(&page.blocks[block as usize]));
            }
        }
        true
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
