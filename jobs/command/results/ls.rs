//! `webmill results ls`.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;
use webmill_capture::date::format_rfc3339;

use super::Form;
use super::inventory::{Inventory, State};
use crate::builtin::registry;
use crate::catalogue::Catalogue;
use crate::console::megabytes;

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
    #[serde(skip)]
    age: String,
}

pub fn run(results: &Path, format: Form) -> Result<ExitCode> {
    let inventory = Inventory::of(results)?;
    let catalogue = Catalogue::build(results, registry())?;
    if let Err(error) = catalogue.write() {
        crate::say!("warning: tables.json and webmill.sql are not up to date: {error}");
    }
    let lines = lines(results, &inventory, &catalogue);
    let text = match format {
        Form::Json => {
            lines.iter().map(|line| Ok(serde_json::to_string(line)? + "\n")).collect::<Result<String>>()?
        }
        Form::Table => table(&lines),
    };
    crate::print(&text)?;
    if let Some(warning) = catalogue.warning() {
        crate::say!("warning: {warning}");
    }
    let unneeded: Vec<u64> =
        inventory.keys.iter().filter(|key| key.state == State::Unneeded).map(|key| key.bytes).collect();
    if format == Form::Table && !unneeded.is_empty() {
        let bytes = megabytes(unneeded.iter().sum());
        crate::say!("{} keys ({bytes}) are not needed; `webmill results gc` removes them", unneeded.len());
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(results: &Path, inventory: &Inventory, catalogue: &Catalogue) -> Vec<Line> {
    let relative = |path: &Path| path.strip_prefix(results).unwrap_or(path).to_string_lossy().into_owned();
    let now = SystemTime::now();
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
            age: key
                .committed_at
                .and_then(|then| now.duration_since(then).ok())
                .map_or_else(String::new, age),
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
        age: String::new(),
    });
    keys.chain(unfinished).collect()
}

fn time(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(format_rfc3339(i64::try_from(since.as_secs()).ok()? * 1000))
}

/// An age by its largest unit.
fn age(age: std::time::Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn table(lines: &[Line]) -> String {
    let mut table = Table::new();
    table.set_header(["job", "key", "state", "age", "size", "rows", "remarks"]);
    for line in lines {
        let remarks = match (&line.reason, line.needed_by.is_empty()) {
            (Some(reason), _) => reason.clone(),
            (None, false) => format!("by {}", line.needed_by.join(", ")),
            (None, true) => String::new(),
        };
        let size = megabytes(line.bytes);
        let rows = line.rows.map_or_else(String::new, |rows| rows.to_string());
        table.add_row([&line.job, &line.key, line.state, &line.age, &size, &rows, &remarks]);
    }
    for number in [3, 4, 5] {
        if let Some(column) = table.column_mut(number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ages_are_told_by_their_largest_unit() {
        for (seconds, words) in [(0, "0 s"), (59, "59 s"), (60, "1 min"), (7199, "1 h"), (200_000, "2 d")] {
            assert_eq!(age(Duration::from_secs(seconds)), words);
        }
    }
}
