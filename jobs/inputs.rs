//! What the user names as input: shards, found, recognised and digested.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_crawl::journal;
use webmill_run::{Committed, Inputs, JobInput, Measure, Progress, Reject, Runtime};
use webmill_shard::{Input, discover};

use crate::archive::inputs_of;
use crate::remote::{self, is_remote};

/// Why a file that cannot be read is left out.
pub const UNREADABLE: &str = "unreadable-file";
/// Most files that are named for not being shards.
const NAMED: usize = 20;
/// Files of a folder that are looked at to say what it holds.
const LOOKED_AT: usize = 10_000;

/// The event log of a crawl among the arguments: what was answered but not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLog {
    /// Where it is.
    pub path: PathBuf,
    /// What tables call it: `events-00000`, or its path where several crawls have one of that name.
    pub name: String,
    /// Name of the unit of work that reads it.
    pub unit: String,
}

/// A file that was found in a folder and is no shard as far as can be told, or cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Its name: the path inside the folder that was given.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// What it is instead, or why it cannot be read.
    pub found: String,
    /// Whether it may be a shard, and what it holds is lost to the run: the system refused it, or its name is that of an archive.
    pub refused: bool,
}

impl Unread {
    /// Of an error of [`discover`].
    fn of(error: &Error, arguments: &[String]) -> Option<Unread> {
        let (path, found) = match error {
            Error::Incompatible { path, found, .. } => (path, found.clone()),
            Error::Io { path, source } => (path, source.to_string()),
            Error::Corrupt { path, reason, .. } => (path, reason.clone()),
            _ => return None,
        };
        let inside = arguments.iter().find_map(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
        let bytes = std::fs::metadata(path).map_or(0, |about| if about.is_file() { about.len() } else { 0 });
        // A loop of links is no file.
        let refused = matches!(error, Error::Io { source, .. } if source.kind() != std::io::ErrorKind::Other);
        let holds_something = bytes > 0 || matches!(error, Error::Corrupt { .. });
        let refused = refused || holds_something && is_named_as_archive(path);
        Some(Unread { name: inside.to_string_lossy().into_owned(), bytes, found, refused })
    }

    /// It as a reject of a job.
    pub fn reject(&self) -> Reject {
        Reject {
            reason: if self.refused { UNREADABLE } else { "unread-file" }.into(),
            shard: self.name.clone(),
            offset: 0,
            bytes_lost: if self.refused { self.bytes } else { 0 },
            detail: format!("{}; {} bytes", clip(&self.found, 200), self.bytes),
        }
    }
}

/// Whether the name of a file says that it is an archive: such a file in a folder was meant, whatever is in it.
fn is_named_as_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let bare = [".gz", ".zst", ".lz4"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    [".warc", ".arc", ".wet", ".wat", ".rawdb", ".wacz"].iter().any(|ending| bare.ends_with(ending))
}

/// Shards that a job reads.
pub struct Shards {
    /// The recognised ones, in name order.
    pub inputs: Vec<Input>,
    /// Event logs of crawls, in name order.
    pub logs: Vec<EventLog>,
    /// Files that were found and are no shards or cannot be read, in name order.
    pub unread: Vec<Unread>,
    /// What was named: an archive of a WACZ among it is a file of its own, since the others are no part of the input.
    arguments: BTreeSet<PathBuf>,
    digests: Inputs,
    /// The number of each shard's file among `digests`: a WACZ is one file of several shards.
    digest_numbers: Vec<usize>,
}

impl JobInput for Shards {
    fn inputs(&self) -> Inputs {
        self.digests.clone()
    }
}

impl Shards {
    /// Finds shards in files, folders and globs, and digests them; `-` spools stdin into the output folder first, and what
    /// URLs name is fetched there.
    ///
    /// Files that are no shards are named, kept as [`Shards::unread`] and left out; none at all is an error.
    ///
    /// # Errors
    /// Where nothing is a shard, or one that was named cannot be read.
    pub fn discover(arguments: &[String], runtime: &Runtime<'_>) -> Result<Self> {
        if arguments.iter().any(|a| a == "-" || is_remote(a)) {
            runtime.claim()?;
        }
        let downloads = runtime.out.join(remote::FOLDER);
        let arguments = &remote::fetched(arguments, &downloads, runtime.progress, runtime.cancel)?;
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
                for part in journal::log_files(&folder.join(crate::crawl::EVENTS))? {
                    logs.push((part.path, format!("events-{:05}", part.number)));
                }
            } else {
                names.push(argument.clone());
            }
        }
        let (mut inputs, unknown) = Self::recognised(arguments, &names, runtime.progress)?;
        remote::name_by_url(&mut inputs, &downloads);
        in_order(&mut inputs);
        let unread = unknown.iter().filter_map(|error| Unread::of(error, &names)).collect();
        let arguments = names.iter().map(PathBuf::from).collect();
        let mut shards = Shards { logs: named(logs), unread, arguments, ..Shards::of(inputs) };
        loop {
            match shards.digest(runtime) {
                Ok(()) => {
                    shards.unread.sort();
                    return Ok(shards);
                }
                // One bad file never ends a run.
                Err(error) => {
                    let at = shards.inputs.iter().position(|input| is_about(&error, input.file().0));
                    let Some(at) = at.filter(|_| shards.inputs.len() > 1) else { return Err(error) };
                    runtime.progress.note(&format!("not read: {error}"));
                    let input = shards.inputs.remove(at);
                    shards.unread.extend(Unread::of(&error, &names));
                    if let (Some(file), true) = (shards.unread.last_mut(), matches!(error, Error::Io { .. }))
                    {
                        file.name = input.name.to_string();
                    }
                }
            }
        }
    }

    /// The shards of files, folders and globs in the order of their names, and what was found and is none.
    ///
    /// # Errors
    /// Where nothing is a shard, or one of `arguments` is none or cannot be read.
    fn recognised(
        arguments: &[String],
        names: &[String],
        progress: &dyn Progress,
    ) -> Result<(Vec<Input>, Vec<Error>)> {
        let (mut inputs, unknown) = discover(names).map_err(|error| hint(arguments, error))?;
        in_order(&mut inputs);
        // What a walk through a folder meets may be anything; what was named was meant.
        if let Some(at) =
            unknown.iter().position(|error| arguments.iter().any(|a| is_about(error, Path::new(a))))
        {
            let mut unknown = unknown;
            return Err(unknown.swap_remove(at));
        }
        for input in inputs.iter().filter(|input| input.by_place().is_err()).take(NAMED) {
            progress.note(&format!(
                "{}: compressed as a whole: it is read from its start for each use, and offsets are those in the unpacked file; \
                 `webmill shard convert {} -o NEW.warc.gz` writes a file in which each record has a place of its own",
                input.name,
                input.path.display()
            ));
        }
        for error in unknown.iter().take(NAMED) {
            progress.note(&format!("not read: {error}"));
        }
        if unknown.len() > NAMED {
            let more = unknown.len() - NAMED;
            progress.note(&format!("not read: {more} more; `webmill shard ls` names them all"));
        }
        Ok((inputs, unknown))
    }

    /// Finds shards in files, folders and globs without reading them: what an engine needs that spreads them over machines.
    ///
    /// # Errors
    /// As of [`Shards::discover`].
    pub fn find(arguments: &[String], progress: &dyn Progress) -> Result<(Vec<Input>, Vec<Unread>)> {
        let (inputs, unknown) = Self::recognised(arguments, arguments, progress)?;
        let mut unread: Vec<Unread> =
            unknown.iter().filter_map(|error| Unread::of(error, arguments)).collect();
        unread.sort();
        Ok((inputs, unread))
    }

    /// What the results of `extract` were made of, under the names and with the content that their tables tell of.
    ///
    /// # Errors
    /// [`Error::Config`] where a file is not where it was or has changed since.
    pub fn of_results(extract: &Committed, runtime: &Runtime<'_>) -> Result<Self> {
        let paths = inputs_of(&runtime.out)?;
        let files = &extract.manifest.inputs.files;
        let (mut shards, mut logs) = (Vec::new(), Vec::new());
        for (path, file) in paths.iter().zip(files) {
            if !Path::new(path).is_file() {
                return Err(Error::Config(format!(
                    "{path}: the shard is not where it was when `webmill extract` read it; name those there are with --shards"
                )));
            }
            match is_event_log(&file.name) {
                true => logs.push((PathBuf::from(path), file.name.clone())),
                false => shards.push((place(path, &file.name), file.name.as_str().into())),
            }
        }
        let (mut inputs, _) = discover(&shards.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>())?;
        let names: BTreeMap<&Path, &Arc<str>> =
            shards.iter().map(|(path, name)| (Path::new(path), name)).collect();
        for input in &mut inputs {
            let (path, name) = input.file();
            if let Some(known) = names.get(input.path.as_path()) {
                input.name = Arc::clone(known);
            } else if let Some(known) = names.get(path) {
                input.name = format!("{known}{}", input.name.get(name.len()..).unwrap_or_default()).into();
            }
        }
        in_order(&mut inputs);
        let arguments = shards.iter().map(|(path, _)| PathBuf::from(path)).collect();
        let mut shards = Shards { logs: named(logs), arguments, ..Shards::of(inputs) };
        shards.digest(runtime)?;
        if let Some(file) = files.iter().find(|file| !shards.digests.files.contains(file)) {
            return Err(Error::Config(format!(
                "{}: the shard has changed since `webmill extract` read it; run that again, or name shards with --shards",
                file.name
            )));
        }
        shards.digests.upstream = Inputs::of_jobs([extract]).upstream;
        Ok(shards)
    }

    /// Shards that were found elsewhere, without digests.
    pub fn of(inputs: Vec<Input>) -> Self {
        let (logs, unread, arguments, digests, digest_numbers) = Default::default();
        Shards { inputs, logs, unread, arguments, digests, digest_numbers }
    }

    /// Digest of the file of the shard of this number, if it was read for one.
    pub fn digest_of(&self, input: usize) -> Option<&str> {
        let file = self.digests.files.get(*self.digest_numbers.get(input)?)?;
        Some(&file.digest)
    }

    /// Digests the shards, by which a finished job is found again.
    fn digest(&mut self, runtime: &Runtime<'_>) -> Result<()> {
        let (mut shards, mut numbers) = (Vec::<(PathBuf, String)>::new(), Vec::new());
        for input in &self.inputs {
            let (path, mut name) = input.file();
            if self.arguments.contains(&input.path) {
                name = &input.name;
            }
            if shards.last().is_none_or(|(before, known)| before != path || known != name) {
                shards.push((path.to_path_buf(), name.to_owned()));
            }
            numbers.push(shards.len() - 1);
        }
        let logs = self.logs.iter().map(|log| (log.path.clone(), log.name.clone()));
        let files: Vec<(PathBuf, String)> = shards.into_iter().chain(logs).collect();
        runtime.progress.begin("digest", self.inputs.iter().map(|i| i.bytes).sum(), Measure::Bytes);
        // Kept only in a folder that is ours already: a foreign one stays as it is.
        let ours = runtime.out.join("webmill.json").exists();
        let cache = ours.then(|| runtime.out.join(".digests.json"));
        let inputs = Inputs::of_files(&files, cache.as_deref(), runtime.cancel)?;
        runtime.progress.advance(inputs.files.iter().map(|f| f.bytes).sum());
        runtime.progress.end();
        (self.digests, self.digest_numbers) = (inputs, numbers);
        Ok(())
    }
}

/// Where that lies which results call `name` and which is the file at `path`, or the one archive that was read of a WACZ there.
fn place(path: &str, name: &str) -> String {
    let file = Path::new(path).file_name();
    // A folder may be called like that one of a WACZ, but no file stands before it.
    let mut ends = name.match_indices("/archive/").map(|(at, _)| name.split_at(at));
    let inside = ends.find(|(before, _)| Path::new(before).file_name() == file);
    inside.map_or_else(|| path.to_owned(), |(_, inside)| format!("{path}{inside}"))
}

/// Whether an input of this name is the event log of a crawl.
pub fn is_event_log(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    let number = match last.strip_prefix(".events-") {
        Some(rest) => rest.split_once(".jsonl").map_or("", |(number, _)| number),
        None => last.strip_prefix("events-").unwrap_or(""),
    };
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Names the logs of several crawls apart, as the shards are: by their paths where file names are not enough.
fn named(logs: Vec<(PathBuf, String)>) -> Vec<EventLog> {
    let mut count: BTreeMap<&str, BTreeSet<&Path>> = BTreeMap::new();
    for (path, name) in &logs {
        count.entry(name).or_default().insert(path);
    }
    let clashing: BTreeSet<&str> =
        count.iter().filter(|(_, paths)| paths.len() > 1).map(|(n, _)| *n).collect();
    let mut named: Vec<EventLog> = logs
        .iter()
        .map(|(path, name)| {
            let clashes = clashing.contains(name.as_str());
            let shown = if clashes { path.to_string_lossy().into_owned() } else { name.clone() };
            EventLog { path: path.clone(), unit: format!("log-{name}"), name: shown }
        })
        .collect();
    named.sort_by(|a, b| a.name.cmp(&b.name));
    named.dedup_by(|a, b| a.path == b.path);
    for (number, log) in named.iter_mut().enumerate().filter(|(_, log)| log.name.contains('/')) {
        log.unit = format!("{}-of-{number:06}", log.unit);
    }
    named
}

/// Says what to do with a folder of pages, where no shard was found.
fn hint(arguments: &[String], error: Error) -> Error {
    let is_page = |path: &Path| {
        path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm"))
    };
    let pages = |argument: &&String| {
        walkdir::WalkDir::new(argument)
            .into_iter()
            .take(LOOKED_AT)
            .flatten()
            .any(|entry| is_page(entry.path()))
    };
    match arguments.iter().find(pages) {
        Some(argument) => Error::Config(format!(
            "{error}. {argument} holds HTML files: pack them into shards first, `webmill datasets pack {argument} --site \
             http://HOST/ --out DIR`, or read single pages with `webmill text`"
        )),
        None => error,
    }
}

/// Whether a crawl that was killed left a shard unfinished.
fn unfinished(shards: &Path) -> bool {
    std::fs::read_dir(shards).is_ok_and(|mut entries| {
        entries.any(|e| e.is_ok_and(|e| e.path().extension().is_some_and(|x| x == "partial")))
    })
}

/// Units of work are numbered by this order, so it must not depend on that of arguments.
fn in_order(inputs: &mut [Input]) {
    inputs.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.path.cmp(&b.path)));
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
    std::fs::create_dir_all(&folder).at(&folder)?;
    let mut file = tempfile::NamedTempFile::new_in(&folder).at(&folder)?;
    std::io::copy(&mut std::io::stdin().lock(), &mut file).at("standard input")?;
    let path = folder.join("stdin");
    file.persist(&path).map_err(|e| Error::io(&path, e.error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_logs_are_told_from_shards() {
        for name in ["events-00001", "crawl/.events/.events-00012.jsonl.zst", "a/.events-00001.jsonl"] {
            assert!(is_event_log(name), "{name}");
        }
        for name in ["events-00001.warc.gz", "crawl-00001.raw", "events-", "a/events.warc", ".events-.jsonl"]
        {
            assert!(!is_event_log(name), "{name}");
        }
    }

    #[test]
    fn logs_of_several_crawls_keep_their_own_names() {
        let log = |path: &str, name: &str| (PathBuf::from(path), name.to_owned());
        let names = |logs| named(logs).into_iter().map(|log| (log.name, log.unit)).collect::<Vec<_>>();
        let one = names(vec![log("a/events/e0", "events-00000"), log("a/events/e1", "events-00001")]);
        assert_eq!(one[0], ("events-00000".into(), "log-events-00000".into()));
        let two = names(vec![log("b/events/e0", "events-00000"), log("a/events/e0", "events-00000")]);
        assert_eq!(two[0], ("a/events/e0".into(), "log-events-00000-of-000000".into()));
        assert_eq!(two[1], ("b/events/e0".into(), "log-events-00000-of-000001".into()));
        // The same crawl named twice is read once.
        assert_eq!(names(vec![log("a/events/e0", "events-00000"); 2]).len(), 1);
    }
}
