//! What a job reads: files by digest, committed folders by key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use crate::{Cancel, JobKey, digest_file, hex128};
use webmill_capture::error::{AtPath, Result};

/// A file that a job reads, by content.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InputFile {
    /// Name that tables show, free of the machine's folders.
    pub name: String,
    /// Size.
    pub bytes: u64,
    /// xxh3-128 of the content, hex.
    pub digest: String,
}

/// A committed job whose tables are read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Upstream {
    /// Its name.
    pub job: String,
    /// Key of the job's results.
    pub key: JobKey,
}

/// All inputs of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Inputs {
    /// Files, in the order given.
    pub files: Vec<InputFile>,
    /// Jobs upstream.
    pub upstream: Vec<Upstream>,
    /// Where the files lay, absolute. No part of keys and manifests: stands in `run.json`.
    #[serde(skip)]
    pub paths: Vec<PathBuf>,
}

impl Inputs {
    /// Digests `files` (path and name) in parallel. Digests of files that have not changed in size and time of
    /// modification are taken from `cache`, a file that is written anew; a missing or broken cache costs time only.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Io`] where a file cannot be read.
    pub fn of_files(files: &[(PathBuf, String)], cache: Option<&Path>, cancel: &Cancel) -> Result<Self> {
        let known: BTreeMap<String, String> = cache
            .and_then(|c| std::fs::read(c).ok())
            .and_then(|b| serde_json::from_slice(&b).ok())
            .unwrap_or_default();
        let digested: Vec<(InputFile, PathBuf, Option<String>)> = files
            .par_iter()
            .map(|(path, name)| {
                cancel.check()?;
                let absolute = std::path::absolute(path).at(path)?;
                let tag = cache.map(|_| tag(path, &absolute)).transpose()?;
                let (digest, bytes) =
                    match tag.as_ref().and_then(|(tag, bytes)| known.get(tag).zip(Some(*bytes))) {
                        Some((digest, bytes)) => (digest.clone(), bytes),
                        None => digest_file(path).map(|(d, n)| (hex128(d), n))?,
                    };
                Ok((InputFile { name: name.clone(), bytes, digest }, absolute, tag.map(|(tag, _)| tag)))
            })
            .collect::<Result<_>>()?;
        if let Some(cache) = cache {
            let fresh: BTreeMap<&String, &String> =
                digested.iter().filter_map(|(f, _, tag)| Some((tag.as_ref()?, &f.digest))).collect();
            if let Ok(text) = serde_json::to_vec(&fresh) {
                // A cache that cannot be written is no error: the next run digests again.
                let _ = std::fs::write(cache, text);
            }
        }
        let (files, paths) = digested.into_iter().map(|(file, path, _)| (file, path)).unzip();
        Ok(Inputs { files, paths, ..Inputs::default() })
    }
}

/// By what the cache knows a file again, and its size.
fn tag(path: &Path, absolute: &Path) -> Result<(String, u64)> {
    let meta = std::fs::metadata(path).at(path)?;
    let modified = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    let modified = modified.map_or(0, |d| d.as_nanos());
    Ok((format!("{}|{}|{modified}", absolute.display(), meta.len()), meta.len()))
}
