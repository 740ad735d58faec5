//! Rejects as a table.

use std::path::Path;

use webmill_capture::Result;
use webmill_run::{Reject, RejectSink};
use webmill_table::{Footer, Table, TableSchema, schema, table, write_part};

table! {
    /// One row per rejected or damaged record, or a place of damage with what it cost, at most a hundred for each reason and unit of work; the manifest counts all.
    RejectRow = "rejects" {
        reason: String = "named reason, the same word that the manifest counts by", "corrupt-record";
        shard: String = "file the record stands in", "crawl-00001.raw";
        offset: u64 = "byte offset in that file", "183214";
        bytes_lost: u64 = "stored bytes that gave no record because of it, 0 for a record that was read and dropped", "1902";
        detail: String = "what exactly was wrong, in words", "length 99999 runs past the end of the file";
    }
}

/// Writes `rejects.parquet`.
pub struct RejectTable;

impl RejectSink for RejectTable {
    fn write(&self, path: &Path, rejects: &[Reject], key: &str) -> Result<u64> {
        write_part(path, &rows(rejects), &Footer { job_key: key.to_owned() })
    }

    fn table(&self) -> (&'static str, Vec<String>) {
        (RejectRow::NAME, schema::<RejectRow>().columns_in_words())
    }
}

/// Rejects as rows.
pub fn rows(rejects: &[Reject]) -> Vec<RejectRow> {
    let row = |r: &Reject| RejectRow {
        reason: r.reason.clone(),
        shard: r.shard.clone(),
        offset: r.offset,
        bytes_lost: r.bytes_lost,
        detail: r.detail.clone(),
    };
    rejects.iter().map(row).collect()
}

/// The table.
pub fn tables() -> Vec<TableSchema> {
    vec![schema::<RejectRow>()]
}
