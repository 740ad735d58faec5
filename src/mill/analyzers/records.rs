//! `records`: the rows of data tables.

use webmill_capture::domain::registrable;
use webmill_table::{Bytes16, table};

use super::{list, place};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

/// Bytes of the rows of a page at most: the rest is left out and counted as `records-cut`.
const MAX_BYTES: usize = 256 << 20;

table! {
    /// One row per row of a data table in the main text of a page, or of a table or sheet of a document; rows that name the columns are not among them.
    RecordRow = "records" {
        url: String = "canonical URL of the page", "http://shop.example.com/kettles";
        url_key: Bytes16 = "key of the page in table pages", "9f…";
        host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "pku.edu.cn";
        is_current: bool = "whether the row is of the current capture of its URL, as pages.is_current: joined by it and the URL, no page comes twice", "true";
        table: u32 = "ordinal of the data table on its page, from 0", "0";
        row: u32 = "ordinal of the row in its table, from 0", "3";
        caption: Option<String> = "what the table's caption says; of a sheet its name", "Kettles by price";
        columns: Vec<String> = "names of the columns, no two alike; empty where the table names none", "['Model', 'Price']";
        cells: Vec<String> = "texts of the cells, one a column; a cell that spans several stands in each", "['K 200', '12.50']";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
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
                let (warc_record_offset, warc_filename) = place(page);
                let row = RecordRow {
                    url: page.url().as_str().to_owned(),
                    url_key: Bytes16(page.url().key().0),
                    host: page.url().host().to_owned(),
                    domain: registrable(page.url().host()).to_owned(),
                    is_current: false,
                    table: number,
                    row,
                    caption: table.caption.clone(),
                    columns: table.columns.clone(),
                    cells: cells.clone(),
                    warc_record_offset,
                    warc_filename,
                };
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
