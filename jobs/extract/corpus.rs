//! Whether shards are the corpus of the results that are there, perhaps grown.

use std::path::Path;

use webmill_capture::{Error, Result};
use webmill_run::{InputFile, Job, JobInput, digest_start, hex128, open_latest};

use super::Extract;
use crate::inputs::{Shards, is_event_log};

/// Files that a message names.
const NAMED: usize = 3;

/// Checks that all shards that the latest results in `out` were made of are among `shards`, under whatever name, or longer than they
/// were: then those only add to the corpus. Event logs are a crawl's own business, and shards that the system refuses now stay part of it.
///
/// # Errors
/// [`Error::Config`] that names the missing shards; [`Error::Io`] where a shard that has grown cannot be read.
pub fn check(out: &Path, shards: &Shards) -> Result<()> {
    // Results that cannot be opened are no reason to refuse others.
    let Ok(results) = open_latest(out, Extract::NAME) else { return Ok(()) };
    let now = shards.inputs();
    let (mut missing, mut changed) = (Vec::new(), Vec::new());
    let earlier = || results.manifest.inputs.files.iter().filter(|file| !is_event_log(&file.name));
    for file in earlier() {
        let is_refused = shards.unread.iter().any(|unread| unread.refused && unread.name == file.name);
        if is_refused || now.files.iter().any(|other| other.digest == file.digest) {
            continue;
        }
        match now.files.iter().zip(&now.paths).find(|(other, _)| other.name == file.name) {
            Some((other, path)) if !has_grown(file, other, path)? => changed.push(file.name.as_str()),
            Some(_) => {}
            None => missing.push(file.name.as_str()),
        }
    }
    if missing.is_empty() && changed.is_empty() {
        return Ok(());
    }
    let told = |names: Vec<&str>, what| (!names.is_empty()).then(|| format!("{} {what}", listed(&names)));
    let told = [told(missing, "not named"), told(changed, "changed")];
    Err(Error::Config(format!(
        "{}: these are results of {}, and {} would be another corpus ({}). Name the shards of before too to add to them, say --replace, or \
         choose another --out",
        out.display(),
        listed(&earlier().map(|file| file.name.as_str()).collect::<Vec<_>>()),
        listed(&now.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>()),
        told.into_iter().flatten().collect::<Vec<_>>().join(", "),
    )))
}

/// Whether a file begins with what it was.
fn has_grown(file: &InputFile, now: &InputFile, path: &Path) -> Result<bool> {
    Ok(now.bytes > file.bytes && hex128(digest_start(path, file.bytes)?.0) == file.digest)
}

/// The first names, and how many there are more.
fn listed(names: &[&str]) -> String {
    let first = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
