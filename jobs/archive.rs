//! Archives as collections that `webmill serve` shows: shards with an index of their own, WACZ files, and what `webmill run`
//! found out about them.
//!
//! An index is made where there is none: one pass over the shards, an external sort, a store
//! ([`webmill_serve::index::store`]). It lies beside the shards (`.webmill-index`), or in the system's temporary folder where they
//! cannot be written to, and is made anew when shards changed in name, size or time of modification.

mod titles;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::Cancel;
use webmill_run::layout::{LAYOUT_FILE, check_layout};
use webmill_serve::index::cdx::{self, Form, write_line};
use webmill_serve::index::store::Store;
use webmill_serve::index::{Counts, Entry, Indexer, MemoryIndex, Pass, Undated};
use webmill_serve::wacz::Wacz;
use webmill_serve::{Collection, RESERVED_NAMES, RecordStore, ShardFiles, StoredRecord};
use webmill_shard::{Input, ReadOptions, ShardReader, discover};
use webmill_sort::{Budget, BytesSorter};
use xxhash_rust::xxh3::xxh3_64;

use crate::archive_facts::ArchiveFacts;
use titles::{described, line};

/// Folder of the indexes, beside the shards.
const INDEX_FOLDER: &str = ".webmill-index";
/// Form of the indexes: another makes them anew.
const LAYOUT: u32 = 4;
/// Bytes of a payload that is replayed; the rest is cut off.
const MAX_PAYLOAD: usize = 256 << 20;

/// How collections are opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Folder of the indexes; `None`: beside the shards.
    pub index: Option<PathBuf>,
    /// Bytes of memory, for sorting and for records.
    pub memory: u64,
    /// Whether captures may be added and deleted over HTTP.
    pub writable: bool,
}

impl OpenOptions {
    /// Bytes of a payload; the rest is cut off, and its answer says so.
    fn longest_payload(&self) -> usize {
        usize::try_from(self.memory / 16).unwrap_or(usize::MAX).min(MAX_PAYLOAD)
    }
}

/// Options of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CollectionOptions {
    /// Shards: files, folders or globs.
    Shards(Vec<String>),
    /// A WACZ file.
    Wacz(PathBuf),
}

/// A collection that arguments name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// Its name.
    pub name: String,
    /// Where its captures are.
    pub options: CollectionOptions,
    /// Folder of the results of `webmill run` that are looked up for its captures.
    pub results: Option<PathBuf>,
}

/// The collections that arguments name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Collections in the order of the arguments.
    pub collections: Vec<Holding>,
}

impl Holdings {
    /// Sorts arguments out: a folder of shards is a collection of its name, or several where shards lie in two or more of its
    /// folders and none beside them; WACZ files are collections; all other files are one, `archive`. A folder of results is
    /// looked up for the collection that holds one of its shards; where none does, its shards are a collection of its name; where
    /// these are gone, it is looked up for all collections that have no other results.
    ///
    /// # Errors
    /// [`Error::Config`] where nothing is left to show; [`Error::Interrupted`].
    pub fn of(arguments: &[String], cancel: &Cancel) -> Result<Holdings> {
        let (arguments, missing) = &crate::remote::cached(arguments, cancel)?;
        missing.iter().for_each(|error| crate::say!("not read: {error}"));
        let mut holdings = Holdings::default();
        let (mut files, mut named, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for argument in arguments {
            let path = Path::new(argument);
            if path.join(LAYOUT_FILE).is_file() {
                check_layout(path)?;
                results.push(path.to_path_buf());
            } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("wacz")) {
                named.push((name_of(path), CollectionOptions::Wacz(path.to_path_buf())));
            } else if path.is_dir() {
                let folders = folders(path)?;
                match folders.len() {
                    0 | 1 => named.push((name_of(path), CollectionOptions::Shards(vec![argument.clone()]))),
                    _ => named.extend(folders.into_iter().map(|folder| {
                        (
                            name_of(&folder),
                            CollectionOptions::Shards(vec![folder.to_string_lossy().into_owned()]),
                        )
                    })),
                }
            } else {
                files.push(argument.clone());
            }
        }
        if !files.is_empty() {
            named.push(("archive".into(), CollectionOptions::Shards(files)));
        }
        for (name, options) in named {
            holdings.add(name, options, None);
        }
        let (shown, mut gone) = (holdings.collections.len(), Vec::new());
        for results in results {
            let inputs = inputs_of(&results)?;
            if let Some(held) =
                holdings.collections.iter_mut().take(shown).find(|held| held.options.holds(&inputs))
            {
                match held.results {
                    None => held.results = Some(results),
                    Some(_) => say_unused(&results),
                }
                continue;
            }
            let shards = shards_of(&results).map(CollectionOptions::Shards);
            match shards {
                Ok(shards) if holdings.collections.iter().any(|held| held.options == shards) => {
                    say_unused(&results);
                }
                Ok(shards) => holdings.add(name_of(&results), shards, Some(results)),
                Err(error) if shown == 0 => return Err(error),
                Err(_) => gone.push(results),
            }
        }
        let mut gone = gone.into_iter();
        if let Some(results) = gone.next() {
            let without = holdings.collections.iter_mut().filter(|held| held.results.is_none());
            without.for_each(|held| held.results = Some(results.clone()));
        }
        gone.for_each(|results| say_unused(&results));
        if holdings.collections.is_empty() {
            return Err(Error::Config(
                "nothing to show: name shards, folders of them, WACZ files or results".into(),
            ));
        }
        Ok(holdings)
    }

    fn add(&mut self, name: String, options: CollectionOptions, results: Option<PathBuf>) {
        let taken = |name: &str| self.collections.iter().any(|other| other.name == name);
        let mut free = name.clone();
        let mut number = 2;
        while taken(&free) {
            free = format!("{name}-{number}");
            number += 1;
        }
        self.collections.push(Holding { name: free, options, results });
    }
}

impl CollectionOptions {
    /// Whether one of these shards is among its own.
    fn holds(&self, shards: &[String]) -> bool {
        let own = match self {
            CollectionOptions::Shards(arguments) => match discover(arguments) {
                Ok((inputs, _)) => inputs.into_iter().map(|input| input.path).collect(),
                Err(_) => return false,
            },
            CollectionOptions::Wacz(path) => vec![path.clone()],
        };
        let own: HashSet<PathBuf> = own.iter().filter_map(|path| path.canonicalize().ok()).collect();
        shards.iter().any(|shard| Path::new(shard).canonicalize().is_ok_and(|shard| own.contains(&shard)))
    }
}

/// Says that results are not looked up.
fn say_unused(results: &Path) {
    crate::say!("{}: not looked up, since other results are for the same captures", results.display());
}

/// Folders below `path` that are collections of their own: those with files somewhere below, where none lies in `path` itself.
fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(path).at(path)? {
        let entry = entry.at(path)?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let below = entry.path();
        if below.is_file() {
            return Ok(Vec::new());
        }
        let holds_files = walkdir::WalkDir::new(&below)
            .into_iter()
            .filter_entry(|e| !e.file_name().as_encoded_bytes().starts_with(b"."))
            .flatten()
            .any(|e| e.file_type().is_file());
        if holds_files {
            folders.push(below);
        }
    }
    folders.sort();
    Ok(folders)
}

/// A name for addresses, made of a path's last part.
fn name_of(path: &Path) -> String {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let last = full.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String = last
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .take(60)
        .collect();
    let plain = plain.trim_matches(['-', '.']);
    if plain.is_empty() || RESERVED_NAMES.contains(&plain) {
        return format!("archive-{plain}").trim_end_matches('-').to_owned();
    }
    plain.to_owned()
}

/// Paths of the shards, and event logs of crawls, that results were made of.
pub(crate) fn inputs_of(results: &Path) -> Result<Vec<String>> {
    if results.join(LAYOUT_FILE).exists() {
        check_layout(results)?;
    }
    inputs_of_run(&results.join("extract/latest/run.json"))
}

/// The same, by the file `run.json` of a job.
pub(crate) fn inputs_of_run(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read(path).map_err(|_| {
        let path = path.display();
        Error::Config(format!("{path}: no results of `webmill extract` here, so no shards either"))
    })?;
    let run: serde_json::Value =
        serde_json::from_slice(&text).map_err(|e| Error::corrupt(path, 0, e.to_string()))?;
    let inputs = run.get("inputs").and_then(|inputs| inputs.as_array());
    Ok(inputs.into_iter().flatten().filter_map(|input| input.as_str()).map(str::to_owned).collect())
}

/// Where the shards lay that results are of.
pub fn shards_of(results: &Path) -> Result<Vec<String>> {
    let mut shards = inputs_of(results)?;
    shards.retain(|input| discover(std::slice::from_ref(input)).is_ok());
    if shards.is_empty() {
        return Err(Error::Config(format!(
            "{}: the shards of these results are not where they were; name them beside it",
            results.display()
        )));
    }
    Ok(shards)
}

/// Opens a collection; what was left out is said by `say`.
///
/// # Errors
/// Where nothing can be read, or the disk refuses.
pub fn open(holding: &Holding, options: &OpenOptions, say: &dyn Fn(String)) -> Result<Collection> {
    let name = &holding.name;
    let mut collection = match &holding.options {
        CollectionOptions::Wacz(path) => of_wacz(name, path, options, say)?,
        CollectionOptions::Shards(arguments) => of_shards(name, arguments, options, say)?,
    };
    if let Some(results) = &holding.results {
        collection.facts = Arc::new(ArchiveFacts::open(results, options.memory)?);
    }
    Ok(collection)
}

/// A WACZ: its own records, and its own index where it holds one.
fn of_wacz(name: &str, path: &Path, options: &OpenOptions, say: &dyn Fn(String)) -> Result<Collection> {
    let mut wacz = Wacz::open(path)?;
    let mut entries = Vec::new();
    let faults = wacz.entries(&mut |entry| {
        entries.push(entry.into_owned());
        std::ops::ControlFlow::Continue(())
    })?;
    if faults > 0 {
        say(format!(
            "{}: {faults} lines of its index are none, or name records that are not there",
            path.display()
        ));
    }
    if entries.is_empty() && !wacz.is_indexed() {
        return of_shards(name, &[path.to_string_lossy().into_owned()], options, say);
    }
    let [title, description] = [wacz.title(), wacz.description()].map(|text| text.and_then(line));
    let records = Arc::new(WaczRecords { wacz, longest: options.longest_payload() });
    let mut collection = Collection::new(name, Arc::new(MemoryIndex::new(entries)), records);
    (collection.title, collection.description) = (title, description);
    Ok(collection)
}

struct WaczRecords {
    wacz: Wacz,
    /// Bytes of a payload.
    longest: usize,
}

impl RecordStore for WaczRecords {
    fn read(&self, filename: &str, offset: u64, length: Option<u64>) -> Result<StoredRecord> {
        let entry = Entry { filename: filename.to_owned().into(), offset, length, ..Entry::default() };
        let bytes = self.wacz.read(&entry)?;
        let options = ReadOptions { max_record_bytes: self.longest as u64, ..ReadOptions::default() };
        let mut reader = ShardReader::from_reader(Box::new(std::io::Cursor::new(bytes)), filename, &options)?;
        match reader.next() {
            Some(record) => Ok(StoredRecord::of(&record?, self.longest)),
            None => Err(Error::corrupt(filename, offset, "no record starts here")),
        }
    }
}

/// Bytes of a file up to which it is read from its start for each of its records.
const READ_FROM_START: u64 = 256 << 20;

/// Shards: their index is opened, or made.
fn of_shards(
    name: &str,
    arguments: &[String],
    options: &OpenOptions,
    say: &dyn Fn(String),
) -> Result<Collection> {
    let (mut inputs, mut unread) = discover(arguments)?;
    inputs.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.path.cmp(&b.path)));
    inputs.retain(|input| match input.by_place() {
        Ok(()) => true,
        Err(_) if input.bytes <= READ_FROM_START => {
            say(format!(
                "{name}: {} is compressed as a whole: it is read from its start for each page; `webmill shard convert {} -o NEW.warc.gz` writes one that is not",
                input.name,
                input.path.display()
            ));
            true
        }
        Err(error) => {
            unread.push(error);
            false
        }
    });
    for error in &unread {
        say(format!("not read: {error}"));
    }
    let Some(first) = inputs.first() else {
        return Err(Error::Config(format!("no shard to show among {}", arguments.join(", "))));
    };
    let state = state(&inputs)?;
    let folder =
        index_folder(name, first, arguments, options)?.join(format!("{:016x}", xxh3_64(state.as_bytes())));
    let store = folder.join("store");
    let mark = folder.join("complete.json");
    if std::fs::read_to_string(&mark).is_ok_and(|mark| mark == state) {
        say(format!("{name}: index {}", folder.display()));
    } else {
        make(name, &inputs, &folder, options, say)?;
        std::fs::write(&mark, &state).at(&mark)?;
    }
    let store = Arc::new(Store::open(&store)?);
    let mut files = ShardFiles::new([], options.longest_payload());
    for input in &inputs {
        files.insert(&input.name, &input.path);
    }
    let mut collection = Collection::new(name, Arc::clone(&store) as _, Arc::new(files));
    (collection.title, collection.description) = described(&inputs);
    if options.writable {
        collection.writable = Some(store);
    }
    Ok(collection)
}

/// The form of the index, and names, sizes and times of shards: what it is of.
fn state(inputs: &[Input]) -> Result<String> {
    let mut state: BTreeMap<String, (u64, u128)> = BTreeMap::new();
    for input in inputs {
        let path = std::path::absolute(&input.path).at(&input.path)?;
        let file = input.file().0;
        let modified = std::fs::metadata(file).at(file)?.modified().ok();
        let modified =
            modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |t| t.as_nanos());
        state.insert(format!("{} {}", input.name, path.display()), (input.bytes, modified));
    }
    serde_json::to_string(&(LAYOUT, state)).map_err(|e| Error::Internal(e.to_string()))
}

/// Where the index of a collection lies: the folder named, or beside the shards, or where the system keeps what may go.
fn index_folder(name: &str, first: &Input, arguments: &[String], options: &OpenOptions) -> Result<PathBuf> {
    if let Some(folder) = &options.index {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).at(&folder)?;
        return Ok(folder);
    }
    let home = match arguments {
        [one] if Path::new(one).is_dir() => PathBuf::from(one),
        _ => first.file().0.parent().map(Path::to_path_buf).unwrap_or_default(),
    };
    let beside = home.join(INDEX_FOLDER);
    let writable = std::fs::create_dir_all(&beside).is_ok() && tempfile::tempfile_in(&beside).is_ok();
    if writable {
        return Ok(beside);
    }
    let home = std::path::absolute(&home).at(&home)?;
    let apart = format!("webmill-index-{:016x}", xxh3_64(home.as_os_str().as_encoded_bytes()));
    let folder = std::env::temp_dir().join(apart);
    std::fs::create_dir_all(&folder).at(&folder)?;
    Ok(folder)
}

/// Indexes shards into a store.
fn make(
    name: &str,
    inputs: &[Input],
    folder: &Path,
    options: &OpenOptions,
    say: &dyn Fn(String),
) -> Result<()> {
    let bytes: u64 = inputs.iter().map(|input| input.bytes).sum();
    say(format!("{name}: {} shards ({bytes} bytes) are indexed into {}", inputs.len(), folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(folder).at(folder)?;
    }
    std::fs::create_dir_all(folder).at(folder)?;
    let scratch = tempfile::tempdir_in(folder).at(folder)?;
    let mut sorter = BytesSorter::new(&Budget::new(options.memory as usize / 2).in_dir(scratch.path()));
    let counts = sort(inputs, &mut sorter, say)?;
    let mut sorted = sorter.finish()?;
    let built = Store::build(&folder.join("store"), |push| {
        while let Some((_, line)) = sorted.next().transpose()? {
            let entry = cdx::parse(&cdx::Layout::Cdxj, line)
                .map_err(|fault| Error::Internal(format!("a line of our own is not read: {fault:?}")))?;
            push(&entry)?;
        }
        Ok(())
    })?;
    let mut left_out: Vec<String> =
        counts.left_out.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    if built.too_long > 0 {
        left_out.push(format!("{} too long for the index", built.too_long));
    }
    let left_out =
        if left_out.is_empty() { String::new() } else { format!("; left out: {}", left_out.join(", ")) };
    say(format!("{name}: {} captures of {} records{left_out}", built.captures, counts.records));
    counts.examples.iter().for_each(|example| say(format!("{name}: left out: {example}")));
    if counts.undated > 0 {
        say(format!("{name}: {} captures without a date stand at the time of their file", counts.undated));
    }
    if counts.damaged > 0 {
        say(format!("{name}: {} damaged places, {} bytes lost", counts.damaged, counts.lost_bytes));
    }
    if counts.cut_off > 0 {
        say(format!("{name}: {} files cut off at the end (incomplete downloads)", counts.cut_off));
    }
    Ok(())
}

/// Lines of CDXJ in the order of the index.
fn sort(inputs: &[Input], sorter: &mut BytesSorter, say: &dyn Fn(String)) -> Result<Counts> {
    /// Damage that is named; the rest is counted.
    const NAMED: usize = 20;
    // Replayed pages ask for answers to what they send.
    let indexer = Indexer::new().with_post(true).with_undated(Some(Undated::OfFile));
    let read = ReadOptions::default();
    let mut named = 0;
    Pass::new(&indexer, &read).run(
        inputs,
        &|rows: &mut Vec<(Vec<u8>, Vec<u8>)>, entry: &Entry<'_>, _: &webmill_serve::index::Facts<'_>| {
            let mut key = entry.urlkey.as_bytes().to_vec();
            key.push(0);
            key.extend_from_slice(&entry.timestamp.0.to_be_bytes());
            key.extend_from_slice(entry.filename.as_bytes());
            key.push(0);
            key.extend_from_slice(&entry.offset.to_be_bytes());
            let mut line = Vec::new();
            write_line(Form::Cdxj, entry, &mut line);
            rows.push((key, line));
            Ok(())
        },
        &mut |rows, damage| {
            for error in damage {
                named += 1;
                if named <= NAMED {
                    say(error.to_string());
                }
            }
            rows.iter().try_for_each(|(key, line)| sorter.push(key, line))
        },
    )
}
