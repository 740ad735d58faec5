//! The rows and columns of a data table.
//!
//! Cells are laid out as browsers lay them: a cell that spans rows or columns fills all of them. Rows and columns
//! are bounded; the rest is left out. A cell reaches down to the end of its row group (head, body, foot) at most.
//! Linear in the table's elements and places.

use crate::blocks::page::{Container, NONE, Page};
use webmill_capture::cut::Cut;
use webmill_html::{Dom, NodeId, Tag};

/// Columns of a table that are kept.
const MAX_COLUMNS: usize = 64;
/// Places of a table that are kept.
const MAX_PLACES: usize = 100_000;

/// Rows that a cell may reach down.
const MAX_ROWS: usize = 1000;
/// Bytes of a cell that is written again where it reaches down, and of all of a table's.
const MAX_REPEATED: usize = 200;
const MAX_ALL_REPEATED: usize = 64 << 10;
/// What stands for the cell above where that is too long to be written again.
pub(crate) const DITTO: char = '〃';

/// Which cells are written again in the rows that they reach.
#[derive(Default)]
pub(crate) struct Repeats {
    bytes: usize,
}

impl Repeats {
    /// Whether a cell may be written again; counts it.
    pub(crate) fn allow(&mut self, page: &Page, cell: u32) -> bool {
        let it = &page.containers[cell as usize];
        let blocks = &page.blocks[it.first as usize..it.end as usize];
        let bytes = blocks.iter().map(|block| (block.end - block.start) as usize + 1).sum::<usize>();
        let allowed = bytes <= MAX_REPEATED && self.bytes + bytes <= MAX_ALL_REPEATED;
        self.bytes += if allowed { bytes } else { 0 };
        allowed || bytes == 0
    }
}

/// One place of a table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The cell's container.
    pub container: u32,
    /// Whether the cell begins here, and does not reach here from the left or from above.
    pub origin: bool,
    /// Whether this is the first place of a row that the cell reaches from above.
    pub above: bool,
    /// Whether the cell is a header.
    pub header: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct GridRow {
    pub container: u32,
    pub places: Vec<Place>,
}

impl GridRow {
    /// Whether the row names the columns: all of its cells are headers, or it stands in the head of the table.
    pub(crate) fn is_header(&self, page: &Page) -> bool {
        let parent = page.containers[self.container as usize].parent;
        page.containers[parent as usize].tag == Tag::Thead || self.places.iter().all(|place| place.header)
    }
}

/// A table in rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub rows: Vec<GridRow>,
    /// Places of the longest row.
    pub width: usize,
}

/// The row of its own table that a container is in; [`NONE`] outside of rows, as in a caption.
pub(crate) fn row_of(container: &Container) -> u32 {
    // A nested table begins after the row of the outer one.
    if container.table != NONE && container.row != NONE && container.row > container.table {
        container.row
    } else {
        NONE
    }
}

fn columns(dom: &Dom<'_>, cell: NodeId) -> usize {
    let value = dom.attr(cell, "colspan").and_then(|value| value.trim().parse().ok());
    value.filter(|&n: &usize| n > 0).unwrap_or(1).min(MAX_COLUMNS)
}

/// Rows that a cell spans; 0 stands for all of its group.
pub(crate) fn rows(dom: &Dom<'_>, cell: NodeId) -> usize {
    match dom.attr(cell, "rowspan").and_then(|value| value.trim().parse().ok()) {
        Some(0) => MAX_ROWS,
        Some(n) => MAX_ROWS.min(n),
        None => 1,
    }
}

impl Grid {
    /// The rows of the table whose container this is.
    pub(crate) fn new(dom: &Dom<'_>, page: &Page, table: u32) -> Grid {
        let depth = page.containers[table as usize].depth;
        let mut grid = Grid { rows: Vec::new(), width: 0 };
        // Cells that reach down from the rows above: column, rows left.
        let mut hanging: Vec<Option<(Place, usize)>> = vec![None; MAX_COLUMNS];
        let (mut total, mut group) = (0, NONE);
        for index in table + 1..page.containers.len() as u32 {
            let it = &page.containers[index as usize];
            if it.depth <= depth || total > MAX_PLACES {
                break;
            }
            if it.table != table {
                continue;
            }
            if it.tag == Tag::Tr {
                if it.parent != group {
                    group = it.parent;
                    hanging.fill(None);
                }
                grid.rows.push(GridRow { container: index, places: Vec::new() });
                total += fill(&mut hanging, &mut grid);
            } else if matches!(it.tag, Tag::Td | Tag::Th)
                && let Some(row) = grid.rows.last_mut().filter(|row| row.container == it.row)
            {
                let place = Place { container: index, origin: true, above: false, header: it.tag == Tag::Th };
                let rows = rows(dom, it.node);
                for n in 0..columns(dom, it.node) {
                    let column = row.places.len();
                    if column >= MAX_COLUMNS {
                        break;
                    }
                    let place = Place { origin: n == 0, ..place };
                    row.places.push(place);
                    total += 1;
                    if rows > 1 {
                        let below = Place { origin: false, above: n == 0, ..place };
                        hanging[column] = Some((below, rows - 1));
                    }
                }
                total += fill(&mut hanging, &mut grid);
            }
        }
        grid.rows.retain(|row| !row.places.is_empty());
        grid.width = grid.rows.iter().map(|row| row.places.len()).max().unwrap_or(0);
        grid
    }

    /// Leaves the rows with a chosen block, and the headers above them.
    pub(crate) fn keep_chosen(&mut self, page: &Page, chosen: &[bool]) {
        let mut header = true;
        self.rows.retain(|row| {
            let it = &page.containers[row.container as usize];
            header &= row.is_header(page);
            header || (it.first..it.end).any(|block| chosen[block as usize])
        });
        self.width = self.rows.iter().map(|row| row.places.len()).max().unwrap_or(0);
    }

    /// The cell of the delimiter row for a column, by what its first body cell says.
    pub(crate) fn alignment(&self, dom: &Dom<'_>, page: &Page, column: usize) -> &'static str {
        let row = self.rows.get(1).or(self.rows.first());
        let Some(place) = row.and_then(|row| row.places.get(column)) else { return " --- |" };
        let node = page.containers[place.container as usize].node;
        let style = dom.attr(node, "style").filter(|style| style.len() < 1000).unwrap_or_default();
        let style: String =
            style.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
        let said = dom.attr(node, "align").unwrap_or_default();
        let is = |name: &str| {
            said.eq_ignore_ascii_case(name)
                || style.find("text-align:").is_some_and(|at| style.cut(at + 11..).starts_with(name))
        };
        if is("center") {
            " :---: |"
        } else if is("right") || is("end") {
            " ---: |"
        } else {
            " --- |"
        }
    }
}

/// Puts the cells that reach down into the next places of the last row; gives their number.
fn fill(hanging: &mut [Option<(Place, usize)>], grid: &mut Grid) -> usize {
    let Some(row) = grid.rows.last_mut() else { return 0 };
    let before = row.places.len();
    while let Some((place, left)) = hanging.get_mut(row.places.len()).and_then(Option::take) {
        let column = row.places.len();
        row.places.push(place);
        if left > 1 {
            hanging[column] = Some((place, left - 1));
        }
    }
    row.places.len() - before
}
