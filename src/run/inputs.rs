//! What a job reads: files by digest, committed folders by key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use crate::{Cancel, Committed, JobKey, digest_file, hex128};
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
    /// Its key.
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
    /// Inputs that are the tables of committed jobs.
    pub fn of_jobs<'a>(jobs: impl IntoIterator<Item = &'a Committed>) -> Self {
        let upstream = jobs
            .into_iter()
            .map(|c| Upstream { job: c.manifest.job.clone(), key: c.manifest.key.clone() })
            .collect();
        Inputs { upstream, ..Inputs::default() }
    }

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
        let digested: Vec<(InputFile, String)> = files
            .par_iter()
            .map(|(path, name)| {
                cancel.check()?;
                let meta = std::fs::metadata(path).at(path)?;
                let modified = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
                let absolute = std::path::absolute(path).at(path)?;
                let tag =
                    format!("{}|{}|{}", absolute.display(), meta.len(), modified.map_or(0, |d| d.as_nanos()));
                let (digest, bytes) = match known.get(&tag) {
                    Some(digest) => (digest.clone(), meta.len()),
                    None => digest_file(path).map(|(d, n)| (hex128(d), n))?,
                };
                Ok((InputFile { name: name.clone(), bytes, digest }, tag))
            })
            .collect::<Result<_>>()?;
        let fresh: BTreeMap<&String, &String> = digested.iter().map(|(f, tag)| (tag, &f.digest)).collect();
        if let (Some(cache), Ok(text)) = (cache, serde_json::to_vec(&fresh)) {
            // A cache that cannot be written is no error: the next run digests again.
            let _ = std::fs::write(cache, text);
        }
        let paths =
            files.iter().map(|(path, _)| std::path::absolute(path).at(path)).collect::<Result<_>>()?;
        Ok(Inputs { files: digested.into_iter().map(|(f, _)| f).collect(), paths, ..Inputs::default() })
    }
}
