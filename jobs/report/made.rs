//! How the results were made: inputs, jobs, settings.

use serde_json::{Value, json};
use webmill_run::Committed;

use super::page::ReportParts;
use crate::levels::Level;

/// Files that are listed.
const MOST_FILES: usize = 20;

/// What template `made.html` reads.
pub fn data(found: &ReportParts<'_>) -> Value {
    let mut files: Vec<(&str, u64)> = Vec::new();
    files.extend(
        found.sources.extract.manifest.inputs.files.iter().map(|file| (file.name.as_str(), file.bytes)),
    );
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let all = files.len();
    files.truncate(MOST_FILES);
    if all > 1 {
        // The row of all of them has no name, and their number.
        files.push(("", all as u64));
    }
    let pagerank =
        found.numbers.convergence.iter().find(|row| row.level == Level::Page && row.measure == "pagerank");
    json!({
        "webmill": env!("CARGO_PKG_VERSION"),
        "error_bound": pagerank.map(|rank| format!("{:.1e}", rank.error)),
        "converged": pagerank.is_none_or(|rank| rank.converged),
        "files": files,
        "jobs": found.sources.all().into_iter().map(job).collect::<Vec<_>>(),
    })
}

fn job(of: &Committed) -> Value {
    let manifest = &of.manifest;
    json!({
        "name": manifest.job,
        "version": manifest.job_version.to_string(),
        "rows": manifest.tables.values().map(|table| table.rows).sum::<u64>(),
        "key": manifest.key.to_string(),
        "settings": settings(&manifest.configuration),
    })
}

/// The settings of a job, nested ones by their path.
fn settings(configuration: &Value) -> Vec<(String, String)> {
    fn walk(path: &str, value: &Value, into: &mut Vec<(String, String)>) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(&path, value, into);
                }
            }
            Value::String(text) => into.push((path.to_owned(), text.clone())),
            value => into.push((path.to_owned(), value.to_string())),
        }
    }
    let mut found = Vec::new();
    walk("", configuration, &mut found);
    found
}
