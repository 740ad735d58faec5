//! The event log as a table: each part of the journal becomes a Parquet file beside it.

use std::path::{Path, PathBuf};

use crate::crawl::event_row::EventRow;
use anyhow::{Context, Result};
use webmill_crawl::journal;
use webmill_table::{Footer, PartWriter};

/// Folder of the event log in the folder of a crawl.
pub const EVENTS: &str = "events";

/// Writes every part that has no table yet, or that went on since; the paths of all tables.
pub fn convert(crawl: &Path) -> Result<Vec<PathBuf>> {
    let folder = crawl.join(EVENTS);
    let mut tables = Vec::new();
    for part in journal::log_files(&folder)? {
        let path = folder.join(format!("events-{:05}.parquet", part.number));
        if !is_newer(&path, &part.path) {
            let footer = Footer { job_key: String::new() };
            let staged = folder.join(format!(".events-{:05}.parquet.partial", part.number));
            let mut writer = PartWriter::<EventRow>::create(&staged, &footer)?;
            part.read(0, &mut |event| writer.push(EventRow::from(&event)))?;
            writer.finish()?;
            std::fs::rename(&staged, &path).with_context(|| path.display().to_string())?;
        }
        tables.push(path);
    }
    Ok(tables)
}

fn is_newer(table: &Path, part: &Path) -> bool {
    let time = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    matches!((time(table), time(part)), (Some(table), Some(part)) if table >= part)
}
