//! Which keys of a folder of results go together.

use std::collections::BTreeMap;
use std::path::Path;

use webmill_capture::Result;
use webmill_run::{Committed, layout, open_latest};

use super::Stale;
use crate::registry::Registry;

/// What the names of upstream jobs begin with that are of other results: what `webmill dedup --against` reads.
pub const EARLIER: &str = "earlier ";

/// The latest key of each job, those of damaged results among them.
pub fn latest_keys(results: &Path) -> Result<BTreeMap<String, String>> {
    let mut keys = BTreeMap::new();
    for job in layout::jobs_in(results)? {
        let Some(folder) = layout::latest_folder(results, &job) else { continue };
        keys.insert(job, key_of(&folder));
    }
    Ok(keys)
}

/// The key of a committed folder: its name, or what its manifest says where a copy has no links.
fn key_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match name.as_str() {
        "latest" => Committed::open(folder).map_or(name, |committed| committed.manifest.key.to_string()),
        _ => name,
    }
}

/// The latest results that were made from each other, in the order of the jobs, and those left out.
pub fn choose(results: &Path, registry: &Registry) -> Result<(Vec<Committed>, Vec<Stale>)> {
    let latest = latest_keys(results)?;
    let mut chosen: BTreeMap<&str, Committed> = BTreeMap::new();
    let mut stale = Vec::new();
    for (job, key) in &latest {
        match open_latest(results, job) {
            Ok(committed) => {
                chosen.insert(job, committed);
            }
            Err(error) => {
                // The error names the absolute path; the catalogue is the same wherever the folder lies.
                let reason = error.to_string().replace(&format!("{}/", results.display()), "");
                stale.push(Stale { job: job.clone(), key: key.clone(), reason });
            }
        }
    }
    loop {
        let misfits: Vec<(&str, String)> = chosen
            .iter()
            .filter_map(|(job, committed)| Some((*job, misfit(committed, &chosen, &latest)?)))
            .collect();
        if misfits.is_empty() {
            break;
        }
        for (job, reason) in misfits {
            chosen.remove(job);
            stale.push(Stale { job: job.to_owned(), key: latest[job].clone(), reason });
        }
    }
    let place = |job: &str| registry.place(job);
    let mut chosen: Vec<Committed> = chosen.into_values().collect();
    chosen.sort_by_key(|committed| place(&committed.manifest.job));
    stale.sort_by(|a, b| (place(&a.job), &a.job).cmp(&(place(&b.job), &b.job)));
    Ok((chosen, stale))
}

/// Why a job does not fit those that are chosen, if so.
fn misfit(
    committed: &Committed,
    chosen: &BTreeMap<&str, Committed>,
    latest: &BTreeMap<String, String>,
) -> Option<String> {
    let upstream = committed.manifest.inputs.upstream.iter().filter(|other| !other.job.starts_with(EARLIER));
    upstream
        .filter(|other| chosen.get(other.job.as_str()).is_none_or(|found| found.manifest.key != other.key))
        .map(|other| match latest.get(&other.job) {
            Some(key) if *key == other.key.as_str() => {
                format!("made from {}, which is left out itself", other.job)
            }
            Some(key) => format!("made from {} {}, of which the latest is {key}", other.job, other.key),
            None => format!("made from {} {}, which is not here", other.job, other.key),
        })
        .next()
}
