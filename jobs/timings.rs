//! What `--verbose` tells of a job that was run: seconds and bytes, and the parts of its work, as they stand in `run.json`.

use serde::Deserialize;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_run::Committed;

use crate::console::megabytes;

/// The data read from `run.json`.
#[derive(Deserialize)]
struct RunFile {
    seconds: f64,
    cpu_seconds: Option<f64>,
    #[serde(default)]
    parts: Vec<(String, f64)>,
}

/// The lines that tell of a job.
///
/// # Errors
/// Where `run.json` cannot be read.
pub fn lines(committed: &Committed) -> Result<Vec<String>> {
    let path = committed.path("run.json");
    let ran: RunFile = serde_json::from_slice(&std::fs::read(&path).at(&path)?)
        .map_err(|e| Error::corrupt(&path, 0, format!("no times: {e}")))?;
    let manifest = &committed.manifest;
    let written = manifest.outputs.iter().map(|file| file.bytes).sum();
    let cpu = ran.cpu_seconds.map_or_else(String::new, |cpu| format!(", {cpu:.2} s of processors"));
    let read = match manifest.counts.bytes {
        0 => String::new(),
        bytes => format!(", {} read", megabytes(bytes)),
    };
    let mut lines = vec![format!(
        "{:>10}  {:.2} s{cpu}{read}, {} written",
        manifest.job,
        ran.seconds,
        megabytes(written)
    )];
    let all: f64 = ran.parts.iter().map(|(_, seconds)| seconds).sum();
    lines.extend(ran.parts.iter().map(|(part, seconds)| {
        format!("{:>10}  {part:12} {seconds:8.2} s of threads {:5.1} %", "", 100.0 * seconds / all)
    }));
    Ok(lines)
}
