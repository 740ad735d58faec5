//! Chosen blocks as plain text, and which tables hold data.
//!
//! One block a line; cells of a data table's row stand on one line, parted by ` | `; list items begin with `- `. A long
//! block that was given already is not repeated (pages hold copies for narrow screens). Linear in the text.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::ops::Range;

use crate::blocks::code::code_containers;
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, NONE, Page};
use webmill_html::Tag;

/// Blocks shorter than this may repeat.
const REPEATABLE_BYTES: usize = 40;

/// Blocks from a line to where it comes again, at least.
const APART: usize = 3;

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

/// Leaves out of the choice what repeats a long block chosen before; of a heading and its entry in a table of contents the
/// heading stays. What [repeats itself](is_refrain) stays, and with `variants` all that is no such entry.
pub(crate) fn drop_copies(page: &Page, chosen: &mut [bool], variants: bool) {
    let long = |block: &Block| (block.end - block.start) as usize > REPEATABLE_BYTES;
    let is_heading = |block: &Block| heading(page.containers[block.container as usize].tag).is_some();
    let mut headings = HashSet::new();
    for (block, _) in page.blocks.iter().zip(chosen.iter()).filter(|(block, keep)| **keep && long(block)) {
        if is_heading(block) {
            headings.insert(block.hash);
        }
    }
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for (i, (block, keep)) in page.blocks.iter().zip(chosen).enumerate() {
        if *keep && long(block) {
            let entry = block.counts.link_units > 0.8 * block.counts.units
                && page.containers[block.container as usize].item != NONE
                && !is_heading(block)
                && headings.contains(&block.hash);
            if entry {
                *keep = false;
                continue;
            }
            match seen.entry(block.hash) {
                Entry::Occupied(first) => *keep = variants || is_refrain(page, *first.get(), i),
                Entry::Vacant(free) => _ = free.insert(i),
            }
        }
    }
}

/// Whether a block and a later copy of it are both of the text: a step or a line that comes again between others, in a
/// place of the same kind. Copies for narrow screens stand in places of their own, or come with their neighbours.
fn is_refrain(page: &Page, first: usize, again: usize) -> bool {
    let place = |i: usize| &page.containers[page.blocks[i].container as usize];
    let (one, other) = (place(first), place(again));
    let hash = |i: Option<usize>| i.and_then(|i| page.blocks.get(i)).map(|block| block.hash);
    let differ = |i: Option<usize>, j: Option<usize>| hash(i).is_none() || hash(i) != hash(j);
    again - first > APART
        && (one.tag, one.depth, &one.distance) == (other.tag, other.depth, &other.distance)
        && differ(first.checked_sub(1), again.checked_sub(1))
        && differ(Some(first + 1), Some(again + 1))
}

/// Text of a block.
pub(crate) fn text_of<'p>(page: &'p Page, block: &Block) -> &'p str {
    &page.text[block.start as usize..block.end as usize]
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
        out.push_str(text_of(page, block));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    #[test]
    fn copies_go_and_refrains_stay() {
        let line = "Stir the pot until nothing sticks to its bottom.";
        let left = |names: &[&str], variants: bool| {
            let html: String = names.iter().map(|name| format!("<p>{}", name.replace('*', line))).collect();
            let dom = parse(&html, &Limits::default());
            let page = blocks(&dom, dom.body().unwrap());
            let mut chosen = vec![true; page.blocks.len()];
            drop_copies(&page, &mut chosen, variants);
            chosen.iter().filter(|keep| **keep).count()
        };
        assert_eq!(left(&["salt", "*", "rice", "peas", "beans", "*", "mint"], false), 7);
        // With its neighbours, or close by, it is a copy.
        assert_eq!(left(&["salt", "*", "rice", "peas", "salt", "*", "mint"], false), 6);
        assert_eq!(left(&["salt", "*", "rice", "*", "mint"], false), 4);
        assert_eq!(left(&["salt", "*", "rice", "peas", "salt", "*", "mint"], true), 7);
    }
}
