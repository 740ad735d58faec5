//! `records`: the rows of data tables.

use super::{list, page_row, page_table};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

/// Bytes of the rows of a page at most: the rest is left out and counted as `records-cut`.
const MAX_BYTES: usize = 256 << 20;

page_table! {
    /// One row per row of a data table in the main text of a page, or of a table or sheet of a document; rows that name the columns are not among them.
    RecordRow = "records" of "http://shop.example.com/kettles" {
        table: u32 = "ordinal of the data table on its page, from 0", "0";
        row: u32 = "ordinal of the row in its table, from 0", "3";
        caption: Option<String> = "what the table's caption says; of a sheet its name", "Kettles by price";
        columns: Vec<String> = "names of the columns, no two alike; empty where the table names none", "['Model', 'Price']";
        cells: Vec<String> = "texts of the cells, one a column; a cell that spans several stands in each", "['K 200', '12.50']";
    }
}

impl Weigh for RecordRow {
    fn weight(&self) -> usize {
        size_of::<Self>() + 190 + list(&self.columns) + list(&self.cells)
    }
}

/// Fills table `records`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Records;

impl Analyzer for Records {
    fn id(&self) -> PartId {
        PartId::new("records", 4)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<RecordRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let Some(document) = page.document() else { return Ok(()) };
        let mut bytes = 0;
        for (table, number) in document.main.tables.iter().zip(0..) {
            for (cells, row) in table.rows.iter().zip(0..) {
                let row = page_row!(RecordRow of page {
                    table: number,
                    row,
                    caption: table.caption.clone(),
                    columns: table.columns.clone(),
                    cells: cells.clone(),
                });
                bytes += row.weight();
                if bytes > MAX_BYTES {
                    out.count("records-cut");
                    return Ok(());
                }
                out.push(row);
            }
        }
        Ok(())
    }
}
