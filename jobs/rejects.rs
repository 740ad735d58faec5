//! Rejects as a table.

use std::path::Path;

use webmill::Result;
use webmill::run::{Reject, RejectSink};
use webmill::table::{Footer, RejectRow, Table, write_part};

/// Writes `rejects.parquet`.
pub struct RejectTable;

impl RejectSink for RejectTable {
    fn write(&self, path: &Path, rejects: &[Reject], key: &str) -> Result<u64> {
        let rows: Vec<RejectRow> = rejects
            .iter()
            .map(|r| RejectRow {
                reason: r.reason.clone(),
                shard: r.shard.clone(),
                offset: r.offset,
                detail: r.detail.clone(),
            })
            .collect();
        write_part(path, &rows, &Footer { job_key: key.to_owned() })
    }

    fn table(&self) -> (&'static str, Vec<String>) {
        (RejectRow::NAME, columns::<RejectRow>())
    }
}

/// Columns of a table as the manifest shows them.
pub fn columns<T: Table>() -> Vec<String> {
    T::info().iter().map(|c| format!("{}: {}{}", c.name, c.kind, if c.nullable { "?" } else { "" })).collect()
}
