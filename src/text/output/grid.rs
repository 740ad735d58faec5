//! The rows and columns of a data table.
//!
//! Cells are laid out as browsers lay them: a cell that spans rows or columns fills all of them. Rows and columns
//! are bounded; what is beyond is left out. Linear in the table's elements and places.

use crate::blocks::page::{Container, NONE, Page};
use webmill_html::{Dom, NodeId, Tag};

/// Columns of a table that are kept.
const MAX_COLUMNS: usize = 64;
/// Places of a table that are kept.
const MAX_PLACES: usize = 100_000;

/// One place of a table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The cell's container.
    pub container: u32,
    /// Whether the cell begins here, and does not reach here from the left or from above.
    pub origin: bool,
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

fn span(dom: &Dom<'_>, node: NodeId, name: &str) -> usize {
    let value = dom.attr(node, name).and_then(|value| value.trim().parse().ok());
    value.filter(|&n: &usize| n > 0).unwrap_or(1).min(MAX_COLUMNS)
}

impl Grid {
    /// The rows of the table whose container this is.
    pub(crate) fn new(dom: &Dom<'_>, page: &Page, table: u32) -> Grid {
        let depth = page.containers[table as usize].depth;
        let mut grid = Grid { rows: Vec::new(), width: 0 };
        // Cells that reach down from the rows above: column, rows left.
        let mut hanging: Vec<Option<(Place, usize)>> = vec![None; MAX_COLUMNS];
        let mut total = 0;
        for index in table + 1..page.containers.len() as u32 {
            let it = &page.containers[index as usize];
            if it.depth <= depth || total > MAX_PLACES {
                break;
            }
            if it.table != table {
                continue;
            }
            if it.tag == Tag::Tr {
                grid.rows.push(GridRow { container: index, places: Vec::new() });
                fill(&mut hanging, &mut grid);
            } else if matches!(it.tag, Tag::Td | Tag::Th)
                && let Some(row) = grid.rows.last_mut().filter(|row| row.container == it.row)
            {
                let place = Place { container: index, origin: true, header: it.tag == Tag::Th };
                let rows = span(dom, it.node, "rowspan");
                for n in 0..span(dom, it.node, "colspan") {
                    let column = row.places.len();
                    if column >= MAX_COLUMNS {
                        break;
                    }
                    let place = Place { origin: n == 0, ..place };
                    row.places.push(place);
                    total += 1;
                    if rows > 1 {
                        hanging[column] = Some((Place { origin: false, ..place }, rows - 1));
                    }
                }
                fill(&mut hanging, &mut grid);
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
                || style.find("text-align:").is_some_and(|at| style[at + 11..].starts_with(name))
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

/// Puts the cells that reach down into the next places of the last row.
fn fill(hanging: &mut [Option<(Place, usize)>], grid: &mut Grid) {
    let Some(row) = grid.rows.last_mut() else { return };
    while let Some((place, left)) = hanging.get_mut(row.places.len()).and_then(Option::take) {
        let column = row.places.len();
        row.places.push(place);
        if left > 1 {
            hanging[column] = Some((place, left - 1));
        }
    }
}
