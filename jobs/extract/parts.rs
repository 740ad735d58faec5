//! Buffering the rows of pages and writing them aside, sorted, until all are there.

use std::collections::BTreeMap;

use webmill_capture::timing::{self, Part};
use webmill_capture::{Error, Result};
use webmill_mill::{Mill, Order, PageRow, Rows, TableRows};
use webmill_run::Unit;
use webmill_table::{Millis, table};

use super::current::class;
use crate::output::{footer, write_rows_aside};

/// Folder of the captures of the parts that are written aside, a file a part.
pub const CAPTURES: &str = "aside/captures";

/// Folder of their rows: a folder a table, with a file for each part that has rows of it.
pub const TABLES: &str = "aside/tables";

/// Bytes of rows in a row group of a file that is written aside: a merge holds one of each of its sources.
pub const ASIDE_BYTES: usize = 256 << 10;

table! {
    /// One row per capture of a part: which captures it competes with, and how many rows it has in each table.
    PlacedRow = "placed" {
        surt: String = "SURT form of the URL", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL", "http://pku.edu.cn/news/1.html";
        time: Millis = "when it was fetched", "2003-04-15T08:13:06Z";
        digest: Option<String> = "digest of the payload", "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI";
        shard: String = "shard of its record", "crawl-00001.raw";
        offset: i64 = "offset there", "183214";
        class: u8 = "how much it can count of its URL, 0 to 3", "3";
        rows: Vec<u32> = "rows in each table, in the order of their names", "[12, 1, 1]";
        template: u64 = "digest of the template of its host; 0 without", "0";
        rejected: bool = "whether a decoder or an analyzer could not do with it", "false";
        kept: Vec<String> = "what it counts as", "['captures']";
    }
}

/// What the rows of a capture depend on beside the capture, and whether all of them are there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin {
    /// Digest of the template of its host; 0 without.
    pub template: u64,
    /// Whether a decoder or an analyzer could not do with it.
    pub rejected: bool,
}

/// Rows of one unit of work. When enough have come together they are sorted by SURT key and written aside: what is a
/// *part* from here on.
pub struct PartTables<'a> {
    mill: &'a Mill,
    unit: String,
    limit: usize,
    weight: usize,
    pages: Vec<(Order, Rows, Origin)>,
    written: usize,
}

impl<'a> PartTables<'a> {
    /// Tables that write a part whenever `limit` bytes of rows have come together.
    pub fn new(mill: &'a Mill, unit: String, limit: usize) -> Self {
        PartTables { mill, unit, limit, weight: 0, pages: Vec::new(), written: 0 }
    }

    /// Adds the rows of one capture.
    pub fn push(&mut self, order: Order, rows: Rows, origin: Origin, unit: &mut Unit<'_>) -> Result<()> {
        self.weight += rows.weight();
        self.pages.push((order, rows, origin));
        if self.weight >= self.limit { self.flush(unit) } else { Ok(()) }
    }

    /// Writes the rest.
    pub fn finish(mut self, unit: &mut Unit<'_>) -> Result<()> {
        if self.pages.is_empty() { Ok(()) } else { self.flush(unit) }
    }

    /// Writes the captures of a part, and its rows of the tables that it has any of.
    fn flush(&mut self, unit: &mut Unit<'_>) -> Result<()> {
        let _span = timing::span(Part::Aside);
        let mut pages = std::mem::take(&mut self.pages);
        pages.sort_by(|a, b| a.0.cmp(&b.0));
        let mut tables = tables_by_name(self.mill);
        let mut room = BTreeMap::<&str, usize>::new();
        for (name, rows) in pages.iter().flat_map(|(_, rows, _)| rows.lengths()) {
            *room.entry(name).or_default() += rows;
        }
        for (name, rows) in room {
            if let Some(table) = tables.get_mut(name) {
                table.reserve(rows);
            }
        }
        let mut captures = Vec::with_capacity(pages.len());
        for (order, rows, origin) in pages {
            for what in rows.counts() {
                unit.kept(what, 1);
            }
            captures.push(gather(order, rows, origin, &mut tables)?);
        }
        let file = format!("{}-{:03}.parquet", self.unit, self.written);
        write_rows_aside(unit, format!("{CAPTURES}/{file}"), &captures)?;
        let footer = footer(unit);
        for (name, rows) in tables.iter().filter(|(_, rows)| !rows.is_empty()) {
            let relative = format!("{TABLES}/{name}/{file}");
            let written = rows.write_aside(&unit.create(&relative)?, &footer, ASIDE_BYTES)?;
            unit.scratch(&relative, written);
        }
        self.written += 1;
        self.weight = 0;
        Ok(())
    }
}

/// The tables that a mill fills, without rows, by their names.
pub fn tables_by_name(mill: &Mill) -> BTreeMap<String, Box<dyn TableRows>> {
    mill.empty_rows().into_iter().map(|rows| (rows.schema().name, rows)).collect()
}

/// Moves the rows of a capture to those of the others; returns the facts that later steps need about it.
fn gather(
    order: Order,
    rows: Rows,
    origin: Origin,
    tables: &mut BTreeMap<String, Box<dyn TableRows>>,
) -> Result<PlacedRow> {
    let page = rows.of::<PageRow>().first();
    let (class, digest) = page.map_or((0, None), |page| (class(page), page.content_digest.clone()));
    let kept = rows.counts().iter().map(|what| what.to_string()).collect();
    let mut numbers = vec![0; tables.len()];
    for (name, rows) in rows.into_tables() {
        let found = tables.iter_mut().zip(&mut numbers).find(|((known, _), _)| **known == *name);
        let ((_, gathered), number) = found
            .ok_or_else(|| Error::Internal(format!("an analyzer fills table {name} without saying so")))?;
        *number = u32::try_from(rows.len())
            .map_err(|_| Error::Limit(format!("table {name}: more than 2^32 rows of a capture")))?;
        gathered.append(rows);
    }
    let Order { surt, url, time_ms, shard, offset } = order;
    let (time, rows, Origin { template, rejected }) = (Millis(time_ms), numbers, origin);
    Ok(PlacedRow { surt, url, time, digest, shard, offset, class, rows, template, rejected, kept })
}
