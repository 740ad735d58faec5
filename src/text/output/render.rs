//! Chosen blocks as plain text, and which tables hold data.
//!
//! One block a line; the cells of a data table's row share a line, parted by ` | `; list items begin with `- `. Linear in
//! the text.

use std::ops::Range;

use crate::blocks::code::code_containers;
use crate::blocks::page::{NONE, Page};
use webmill_html::Tag;

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
pub(crate) fn plain(page: &Page, chosen: &[bool], data: &[bool]) -> (String, Vec<Range<usize>>) {
    let listings = code_containers(page);
    let mut code: Vec<Range<usize>> = Vec::new();
    let size =
        page.blocks.iter().zip(chosen).filter(|b| *b.1).map(|b| (b.0.end - b.0.start) as usize + 3).sum();
    let mut out = String::with_capacity(size);
    let (mut row, mut cell, mut item) = (NONE, NONE, NONE);
    for (block, _) in page.blocks.iter().zip(chosen).filter(|b| *b.1) {
        let container = &page.containers[block.container as usize];
        let in_data = container.table != NONE && container.row != NONE && data[container.table as usize];
        if !out.is_empty() {
            let same_row = in_data && container.row == row;
            out.push_str(match same_row {
                true if container.cell != cell => " | ",
                true => " ",
                false => "\n",
            });
        }
        if !in_data && container.item != NONE && container.item != item && container.tag == Tag::Li {
            out.push_str("- ");
        }
        let start = out.len();
        out.push_str(page.text_of(block));
        if listings[block.container as usize] != NONE {
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
