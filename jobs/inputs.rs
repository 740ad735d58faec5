//! What the user names as input: shards, found, recognised and digested.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use webmill_capture::Error;
use webmill_crawl::journal;
use webmill_run::{Inputs, Measure, Runtime};
use webmill_shard::{Input, discover};

/// Files that are no shards, of which so many are named.
const NAMED: usize = 20;

/// Shards that a job reads.
pub struct Shards {
    /// The recognised ones, in name order.
    pub inputs: Vec<Input>,
    /// Event logs of crawls among the arguments: what was answered but not stored, as path and name.
    pub logs: Vec<(PathBuf, String)>,
}

impl Shards {
    /// Finds shards in files, folders and globs; `-` spools stdin into the output folder first.
    ///
    /// Files that are no shards are named and left out; none at all is an error.
    pub fn discover(arguments: &[String], runtime: &Runtime<'_>) -> Result<Self> {
        if arguments.iter().any(|a| a == "-") {
            runtime.claim()?;
        }
        let (mut names, mut logs) = (Vec::new(), Vec::new());
        for argument in arguments {
            let folder = Path::new(argument);
            if argument == "-" {
                names.push(spool(runtime)?.to_string_lossy().into_owned());
            } else if folder.join("crawl.toml").is_file() {
                names.push(folder.join("shards").to_string_lossy().into_owned());
                if unfinished(&folder.join("shards")) {
                    runtime.progress.note(&format!(
                        "{argument}: its last shard is not finished and is left out; `webmill crawl` goes on with it"
                    ));
                }
                for part in journal::parts(&folder.join(crate::crawl::EVENTS))? {
                    logs.push((part.path, format!("events-{:05}", part.number)));
                }
            } else {
                names.push(argument.clone());
            }
        }
        let (mut inputs, unknown) = discover(&names)?;
        // Units of work are numbered by it, so it must not depend on the order of arguments.
        inputs.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.path.cmp(&b.path)));
        // What a walk through a folder meets may be anything; what was named was meant.
        if let Some(at) =
            unknown.iter().position(|error| arguments.iter().any(|a| is_about(error, Path::new(a))))
        {
            let mut unknown = unknown;
            return Err(unknown.swap_remove(at).into());
        }
        for error in unknown.iter().take(NAMED) {
            runtime.progress.note(&format!("not read: {error}"));
        }
        if unknown.len() > NAMED {
            let more = unknown.len() - NAMED;
            runtime.progress.note(&format!("not read: {more} more; `webmill shard ls` names them all"));
        }
        if inputs.is_empty() {
            match unknown.into_iter().next() {
                Some(error) => return Err(error).context("no shard among the inputs"),
                None => bail!("{}: no shard found; expected RAW DB, WARC or ARC files", arguments.join(" ")),
            }
        }
        Ok(Shards { inputs, logs })
    }

    /// Digests of the shards, by which a finished job is found again.
    pub fn digest(&self, runtime: &Runtime<'_>) -> Result<Inputs> {
        let shards = self.inputs.iter().map(|i| (i.path.clone(), i.name.to_string()));
        let files: Vec<(PathBuf, String)> = shards.chain(self.logs.iter().cloned()).collect();
        runtime.progress.begin("digest", self.inputs.iter().map(|i| i.bytes).sum(), Measure::Bytes);
        // Kept only in a folder that is ours already: a foreign one stays as it is.
        let ours = runtime.out.join("webmill.json").exists();
        let cache = ours.then(|| runtime.out.join(".digests.json"));
        let inputs = Inputs::of_files(&files, cache.as_deref(), runtime.cancel)?;
        runtime.progress.advance(inputs.files.iter().map(|f| f.bytes).sum());
        runtime.progress.end();
        Ok(inputs)
    }
}

/// Whether a crawl that was killed left a shard unfinished.
fn unfinished(shards: &Path) -> bool {
    std::fs::read_dir(shards).is_ok_and(|mut entries| {
        entries.any(|e| e.is_ok_and(|e| e.path().extension().is_some_and(|x| x == "partial")))
    })
}

/// Whether an error is about this very path.
fn is_about(error: &Error, path: &Path) -> bool {
    match error {
        Error::Io { path: of, .. }
        | Error::Corrupt { path: of, .. }
        | Error::Incompatible { path: of, .. } => of == path,
        _ => false,
    }
}

/// Copies stdin to a file in the output folder, since its digest must be known before the job starts.
fn spool(runtime: &Runtime<'_>) -> Result<PathBuf> {
    let folder = runtime.out.join(".stdin");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut file = tempfile::NamedTempFile::new_in(&folder).with_context(|| folder.display().to_string())?;
    std::io::copy(&mut std::io::stdin().lock(), &mut file).context("reading stdin")?;
    let path = folder.join("stdin");
    file.persist(&path).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// At most `most` characters of a foreign text, for messages.
pub fn clip(text: &str, most: usize) -> String {
    let mut clipped: String = text.chars().take(most).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped.escape_debug().to_string()
}
