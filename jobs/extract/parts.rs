//! Buffering the rows of extracted pages and writing them as sorted parts.

use webmill_mill::Extracted;
use webmill_mill::PageRow;
use webmill_run::Unit;
use webmill_table::{Footer, Table, write_part};

use crate::rejects::columns;

/// Rows of one unit of work. When enough have come together they are sorted by SURT key and written: part n of every
/// table holds the same captures.
pub struct PartTables {
    unit: String,
    limit: usize,
    weight: usize,
    rows: Vec<Extracted>,
    written: usize,
}

impl PartTables {
    /// Tables that write a part whenever `limit` bytes of rows have come together.
    pub fn new(unit: String, limit: usize) -> Self {
        PartTables { unit, limit, weight: 0, rows: Vec::new(), written: 0 }
    }

    /// Adds the rows of one capture.
    pub fn push(&mut self, extracted: Extracted, unit: &mut Unit<'_>) -> webmill_capture::Result<()> {
        self.weight += extracted.weight();
        self.rows.push(extracted);
        if self.weight >= self.limit { self.flush(unit) } else { Ok(()) }
    }

    /// Writes what is left.
    pub fn finish(mut self, unit: &mut Unit<'_>) -> webmill_capture::Result<()> {
        // The first unit writes its parts even if they are empty, so that every table exists.
        let first = self.written == 0 && self.unit.ends_with("-000000");
        if self.rows.is_empty() && !first { Ok(()) } else { self.flush(unit) }
    }

    fn flush(&mut self, unit: &mut Unit<'_>) -> webmill_capture::Result<()> {
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by(|a, b| order(&a.page).cmp(&order(&b.page)));
        let mut pages = Vec::with_capacity(rows.len());
        let (mut links, mut texts) = (Vec::new(), Vec::new());
        let (mut records, mut comments, mut structured) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            count(&row.page, unit);
            if row.pruned {
                unit.kept("pruned-by-template", 1);
            }
            pages.push(row.page);
            links.extend(row.links);
            texts.extend(row.text);
            records.extend(row.records);
            comments.extend(row.comments);
            structured.extend(row.structured);
        }
        self.write(pages, unit)?;
        self.write(links, unit)?;
        self.write(texts, unit)?;
        self.write(records, unit)?;
        self.write(comments, unit)?;
        self.write(structured, unit)?;
        self.written += 1;
        self.weight = 0;
        Ok(())
    }

    fn write<T: Table>(&self, rows: Vec<T>, unit: &mut Unit<'_>) -> webmill_capture::Result<()> {
        let relative = format!("{}/{}-{:03}.parquet", T::NAME, self.unit, self.written);
        let path = unit.create(&relative)?;
        let footer = Footer { job_key: unit.stage().key().to_string() };
        let written = write_part(&path, &rows, &footer)?;
        unit.wrote(&relative, T::NAME, columns::<T>(), written);
        Ok(())
    }
}

/// SURT, then canonical URL, then time, then place: total, because no two captures share a place.
fn order(page: &PageRow) -> (&str, &str, Option<i64>, &str, i64) {
    (&page.url_surtkey, &page.url, page.fetch_time.0, &page.warc_filename, page.warc_record_offset)
}

fn count(page: &PageRow, unit: &mut Unit<'_>) {
    unit.kept("captures", 1);
    if page.is_html {
        unit.kept("html", 1);
    }
    for (name, yes) in [
        ("truncated", page.content_truncated.is_some()),
        ("broken-http", page.http_defects.is_some()),
        ("cut-by-limits", page.cuts.is_some()),
    ] {
        if yes {
            unit.kept(name, 1);
        }
    }
}
