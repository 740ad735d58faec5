//! `webmill results ls`.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde::Serialize;
use webmill_capture::date::format_rfc3339;

use super::inventory::{Inventory, State};
use crate::print::{RowForm, Rows};
use webmill_jobs::builtin::registry;
use webmill_jobs::catalogue::Catalogue;
use webmill_jobs::console::megabytes;

/// A line of the list. A key that is unfinished has no rows and no time.
#[derive(Serialize)]
struct Line {
    job: String,
    key: String,
    state: &'static str,
    committed_at: Option<String>,
    bytes: u64,
    rows: Option<u64>,
    folder: String,
    /// Jobs whose latest results were made from it.
    needed_by: Vec<String>,
    /// Why it is damaged, or does not fit the others.
    reason: Option<String>,
}

pub fn run(results: &Path, format: RowForm) -> Result<ExitCode> {
    let inventory = Inventory::of(results)?;
    let catalogue = Catalogue::build(results, registry())?;
    if let Err(error) = catalogue.write() {
        webmill_jobs::say!("warning: tables.json and webmill.sql are not up to date: {error}");
    }
    let lines = lines(results, &inventory, &catalogue);
    let columns = &["job", "key", "state", "committed_at", "bytes", "rows", "needed_by", "reason"];
    let mut rows = Rows::new(format, columns);
    lines.iter().try_for_each(|line| rows.put(line))?;
    rows.flush()?;
    if let Some(warning) = catalogue.warning() {
        webmill_jobs::say!("warning: {warning}");
    }
    let unneeded: Vec<u64> =
        inventory.keys.iter().filter(|key| key.state == State::Unneeded).map(|key| key.bytes).collect();
    if format == RowForm::Table && !unneeded.is_empty() {
        let bytes = megabytes(unneeded.iter().sum());
        webmill_jobs::say!(
            "{} keys ({bytes}) are not needed; `webmill results gc` removes them",
            unneeded.len()
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(results: &Path, inventory: &Inventory, catalogue: &Catalogue) -> Vec<Line> {
    let relative = |path: &Path| path.strip_prefix(results).unwrap_or(path).to_string_lossy().into_owned();
    let keys = inventory.keys.iter().map(|key| {
        let misfit = catalogue.stale().iter().find(|stale| stale.job == key.job && stale.key == key.key);
        Line {
            job: key.job.clone(),
            key: key.key.clone(),
            state: key.state.name(),
            committed_at: key.committed_at.and_then(time),
            bytes: key.bytes,
            rows: (!matches!(key.state, State::Damaged(_))).then_some(key.rows),
            folder: relative(&key.folder),
            needed_by: match &key.state {
                State::Needed(by) => by.iter().cloned().collect(),
                _ => Vec::new(),
            },
            reason: match &key.state {
                State::Damaged(why) => Some(why.clone()),
                _ => misfit.map(|stale| stale.reason.clone()),
            },
        }
    });
    let unfinished = inventory.unfinished.iter().map(|unfinished| Line {
        job: unfinished.job.clone(),
        key: unfinished.key.clone(),
        state: unfinished.state(),
        committed_at: None,
        bytes: unfinished.bytes,
        rows: None,
        folder: relative(&unfinished.path),
        needed_by: Vec::new(),
        reason: None,
    });
    keys.chain(unfinished).collect()
}

fn time(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(format_rfc3339(i64::try_from(since.as_secs()).ok()? * 1000))
}
