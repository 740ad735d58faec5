//! Buffering the rows of pages and writing them as sorted parts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use webmill_capture::Result;
use webmill_mill::{Mill, Order, PageRow, Rows, TableRows};
use webmill_run::Unit;
use webmill_table::Table;

use crate::output::footer;

/// Folder of the parts of table `pages` before the rows that count are marked.
pub const UNMARKED: &str = "unmarked";

/// Rows of one unit of work. When enough have come together they are sorted by SURT key and written: part n of every
/// table holds the same captures.
pub struct PartTables<'a> {
    mill: &'a Mill,
    unit: String,
    limit: usize,
    weight: usize,
    pages: Vec<(Order, Rows)>,
    written: usize,
}

impl<'a> PartTables<'a> {
    /// Tables that write a part whenever `limit` bytes of rows have come together.
    pub fn new(mill: &'a Mill, unit: String, limit: usize) -> Self {
        PartTables { mill, unit, limit, weight: 0, pages: Vec::new(), written: 0 }
    }

    /// Adds the rows of one capture.
    pub fn push(&mut self, order: Order, rows: Rows, unit: &mut Unit<'_>) -> Result<()> {
        self.weight += rows.weight();
        self.pages.push((order, rows));
        if self.weight >= self.limit { self.flush(unit) } else { Ok(()) }
    }

    /// Writes what is left.
    pub fn finish(mut self, unit: &mut Unit<'_>) -> Result<()> {
        // The first unit writes its parts even if they are empty, so that every table exists.
        let first = self.written == 0 && self.unit.ends_with("-000000");
        if self.pages.is_empty() && !first { Ok(()) } else { self.flush(unit) }
    }

    /// Writes a part of every table, those without rows too.
    fn flush(&mut self, unit: &mut Unit<'_>) -> Result<()> {
        let mut pages = std::mem::take(&mut self.pages);
        pages.sort_by(|a, b| a.0.cmp(&b.0));
        let mut tables: BTreeMap<Cow<'static, str>, Box<dyn TableRows>> = BTreeMap::new();
        for (_, rows) in pages {
            for what in rows.counts() {
                unit.kept(what, 1);
            }
            for (name, rows) in rows.into_tables() {
                match tables.get_mut(&name) {
                    Some(gathered) => gathered.append(rows),
                    None => {
                        tables.insert(name, rows);
                    }
                }
            }
        }
        for rows in self.mill.empty_rows() {
            tables.entry(rows.schema().name.into()).or_insert(rows);
        }
        let footer = footer(unit);
        for (name, rows) in &tables {
            let file = format!("{}-{:03}.parquet", self.unit, self.written);
            // Which row of a URL counts is known only when all are there.
            if name == PageRow::NAME {
                let relative = format!("{UNMARKED}/{file}");
                let written = rows.write(&unit.create(&relative)?, &footer)?;
                unit.scratch(&relative, written);
                continue;
            }
            let relative = format!("{name}/{file}");
            let written = rows.write(&unit.create(&relative)?, &footer)?;
            unit.wrote(&relative, name, rows.schema().columns_in_words(), written);
        }
        self.written += 1;
        self.weight = 0;
        Ok(())
    }
}
