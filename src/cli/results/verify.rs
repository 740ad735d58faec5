//! `webmill results verify`: every file against its manifest.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use rayon::prelude::*;
use webmill_capture::Result as CaptureResult;
use webmill_run::{Cancel, Manifest, Measure, OutputFile, Progress, layout};

use webmill_jobs::console::{Console, megabytes};

pub fn run(results: &Path, cancel: &Cancel) -> Result<ExitCode> {
    layout::check_layout(results)?;
    let (mut files, mut wrong, mut keys) = (Vec::new(), Vec::new(), 0u64);
    for job in layout::jobs_in(results)? {
        for (key, folder) in layout::committed_in(results, &job)? {
            keys += 1;
            match manifest(&folder) {
                Ok(manifest) if manifest.key.as_str() != key => {
                    wrong.push((folder.join(Manifest::FILE), format!("is that of key {}", manifest.key)));
                }
                Ok(manifest) => {
                    files.extend(manifest.outputs.into_iter().map(|output| (folder.clone(), output)))
                }
                Err(reason) => wrong.push((folder.join(Manifest::FILE), reason)),
            }
        }
        let link = results.join(&job).join("latest");
        if link.symlink_metadata().is_ok() && layout::latest_folder(results, &job).is_none() {
            wrong.push((link, "leads to no committed results".into()));
        }
    }
    let (checked, bytes) = (files.len(), files.iter().map(|(_, output)| output.bytes).sum());
    wrong.extend(compare(&files, bytes, cancel)?);
    wrong.sort();
    for (path, reason) in &wrong {
        webmill_jobs::print(&format!(
            "{}: {reason}\n",
            path.strip_prefix(results).unwrap_or(path).display()
        ))?;
    }
    let state = if wrong.is_empty() { "all are whole".into() } else { format!("{} are not", wrong.len()) };
    webmill_jobs::say!("{checked} files of {keys} keys, {}: {state}", megabytes(bytes));
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}

/// The manifest of a committed folder, or its defects.
fn manifest(folder: &Path) -> Result<Manifest, String> {
    let bytes = std::fs::read(folder.join(Manifest::FILE)).map_err(|e| e.to_string())?;
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|e| format!("not a manifest: {e}"))?;
    match manifest.format {
        Manifest::FORMAT if Manifest::is_whole(&bytes) => Ok(manifest),
        Manifest::FORMAT => Err("not as it was written".to_owned()),
        other => Err(format!("of form {other}, not {}", Manifest::FORMAT)),
    }
}

/// Defects of the files, by their paths.
fn compare(
    files: &[(PathBuf, OutputFile)],
    bytes: u64,
    cancel: &Cancel,
) -> CaptureResult<Vec<(PathBuf, String)>> {
    let progress = Console::new(false);
    progress.begin("verify", bytes, Measure::Bytes);
    let compared = files.par_iter().map(|(folder, output)| {
        cancel.check()?;
        let reason = output.defect(folder);
        progress.advance(output.bytes);
        Ok(reason.map(|reason| (folder.join(&output.path), reason)))
    });
    let compared = compared.collect::<CaptureResult<Vec<_>>>();
    progress.end();
    Ok(compared?.into_iter().flatten().collect())
}
