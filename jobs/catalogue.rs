//! Results as a whole: which files are the tables of one consistent set of keys.
//!
//! **What.** A folder of results holds many keys. The catalogue begins with the `latest` of each job and leaves out every job
//! that was not made from the others chosen: the tables that remain may be joined. It stands in `RESULTS/tables.json`, for
//! programs, and in `RESULTS/webmill.sql`, as views for DuckDB; both are written after each committed job. Their paths are
//! relative: the folder may be moved, packed, or put into an object store.
//!
//! **Algorithm.** Take away jobs whose recorded upstream is not chosen, until none goes. What a job compared itself with
//! (`earlier …` upstream) is of other results and decides nothing.
//!
//! **Cost.** A manifest and the size of every file; the footer of one file a table.
//!
//! **Determinism.** No time, host or absolute path: equal keys give equal bytes.

mod choice;
mod sql;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
pub use sql::aliases;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Committed, Progress, layout};
use webmill_table::{FileFacts, TableSchema};

use crate::registry::Registry;

pub use choice::{EARLIER, latest_keys};

/// Form of `tables.json`.
pub const FORMAT: u32 = 1;
/// The catalogue for programs.
pub const JSON_FILE: &str = "tables.json";
/// The catalogue as views for DuckDB.
pub const SQL_FILE: &str = "webmill.sql";

/// The tables of one consistent set of keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogue {
    results: PathBuf,
    webmill: String,
    jobs: BTreeMap<String, ChosenKey>,
    tables: Vec<TableFiles>,
    stale: Vec<Stale>,
}

/// The key that is chosen of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenKey {
    /// The key, 32 hexadecimal digits.
    pub key: String,
    /// Its folder, relative to the results, with `/`.
    pub folder: String,
}

/// A job whose latest results do not fit those of the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stale {
    /// Its name.
    pub job: String,
    /// Its latest key.
    pub key: String,
    /// Why its tables are left out.
    pub reason: String,
}

/// A table of the catalogue and its files.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFiles {
    /// Name; where two jobs have a table of one name, that of the later is `JOB_NAME`.
    pub name: String,
    /// The job that wrote it.
    pub job: String,
    /// Key of the job.
    pub key: String,
    /// What a row is; empty where this program does not know the table.
    pub about: String,
    /// Rows of all files.
    pub rows: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// The columns by which the rows of each file are sorted, ascending and nulls first.
    pub sorted_by: Vec<String>,
    /// Its files, absolute, in the order of their names. One at least; a table without rows has one without rows.
    pub files: Vec<PathBuf>,
    /// Its columns, in the order of the files.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name in the files.
    pub name: String,
    /// Type, in the words of `webmill schema`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether null is a value.
    pub nullable: bool,
    /// What it says; empty where this program does not know the column.
    pub description: String,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    webmill: String,
    jobs: BTreeMap<String, ChosenKey>,
    tables: BTreeMap<String, TableEntry>,
    stale: Vec<Stale>,
}

#[derive(Serialize, Deserialize)]
struct TableEntry {
    job: String,
    key: String,
    about: String,
    rows: u64,
    bytes: u64,
    sorted_by: Vec<String>,
    files: Vec<String>,
    columns: Vec<Column>,
}

impl Catalogue {
    /// The catalogue of the folder `results`: as `tables.json` has it where that is of this program and names the latest keys,
    /// else [built anew](Self::build). Nothing is written.
    ///
    /// # Errors
    /// As of [`Catalogue::build`].
    pub fn open(results: &Path, registry: &Registry) -> Result<Self> {
        layout::check_layout(results)?;
        if let Ok(bytes) = std::fs::read(results.join(JSON_FILE))
            && let Ok(document) = serde_json::from_slice::<Document>(&bytes)
            && document.format == FORMAT
            && document.webmill == env!("CARGO_PKG_VERSION")
            && let Ok(catalogue) = Self::of_document(results, document)
            && catalogue.is_as_new_as(&choice::latest_keys(results)?)
        {
            return Ok(catalogue);
        }
        Self::build(results, registry)
    }

    /// The catalogue of the latest keys in the folder `results`, by their manifests. A job whose results are damaged is among
    /// the [stale](Self::stale).
    ///
    /// # Errors
    /// [`Error::Config`] where the folder holds no results; [`Error::Incompatible`] for those of another layout;
    /// [`Error::Io`].
    pub fn build(results: &Path, registry: &Registry) -> Result<Self> {
        layout::check_layout(results)?;
        let (chosen, stale) = choice::choose(results, registry)?;
        let schemas = registry.tables();
        let mut jobs = BTreeMap::new();
        let mut tables: Vec<TableFiles> = Vec::new();
        for committed in &chosen {
            let folder = relative(results, &committed.folder)?;
            let key = committed.manifest.key.to_string();
            jobs.insert(committed.manifest.job.clone(), ChosenKey { key, folder });
            for table in tables_of(committed, &schemas)? {
                let taken = tables.iter().any(|other| other.name == table.name);
                let name = if taken { format!("{}_{}", table.job, table.name) } else { table.name.clone() };
                tables.push(TableFiles { name, ..table });
            }
        }
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        let results = std::path::absolute(results).at(results)?;
        for file in tables.iter_mut().flat_map(|table| &mut table.files) {
            *file = std::path::absolute(&*file).at(&*file)?;
        }
        Ok(Catalogue { results, webmill: env!("CARGO_PKG_VERSION").into(), jobs, tables, stale })
    }

    /// The tables, by name.
    pub fn tables(&self) -> impl Iterator<Item = &TableFiles> {
        self.tables.iter()
    }

    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&TableFiles> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The chosen keys, by job.
    pub fn jobs(&self) -> &BTreeMap<String, ChosenKey> {
        &self.jobs
    }

    /// The jobs that are left out, and why.
    pub fn stale(&self) -> &[Stale] {
        &self.stale
    }

    /// The folder of results, absolute.
    pub fn results(&self) -> &Path {
        &self.results
    }

    /// What to tell the user of jobs that are left out; nothing where there are none.
    pub fn warning(&self) -> Option<String> {
        if self.stale.is_empty() {
            return None;
        }
        let whys: Vec<String> =
            self.stale.iter().map(|stale| format!("{} ({})", stale.job, stale.reason)).collect();
        Some(format!(
            "{JSON_FILE} and {SQL_FILE} leave out results that do not fit the others: {}; run these jobs again",
            whys.join("; ")
        ))
    }

    /// Writes `tables.json` and `webmill.sql` into the folder, each whole or not at all. Files that say the same already stay
    /// as they are.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn write(&self) -> Result<()> {
        let document = self.document()?;
        let mut json = serde_json::to_vec_pretty(&document).map_err(|e| Error::Internal(e.to_string()))?;
        json.push(b'\n');
        write_aside(&self.results.join(JSON_FILE), &json)?;
        write_aside(&self.results.join(SQL_FILE), sql::views(&document).as_bytes())
    }

    fn is_as_new_as(&self, latest: &BTreeMap<String, String>) -> bool {
        let chosen = self.jobs.iter().map(|(job, chosen)| (job.as_str(), chosen.key.as_str()));
        let stale = self.stale.iter().map(|stale| (stale.job.as_str(), stale.key.as_str()));
        let known: BTreeMap<&str, &str> = chosen.chain(stale).collect();
        // Object stores have no links: what lies there is what was put there.
        latest.is_empty()
            || known.into_iter().eq(latest.iter().map(|(job, key)| (job.as_str(), key.as_str())))
    }

    fn document(&self) -> Result<Document> {
        let mut tables = BTreeMap::new();
        for table in &self.tables {
            let files: Result<_> = table.files.iter().map(|file| relative(&self.results, file)).collect();
            let entry = TableEntry {
                job: table.job.clone(),
                key: table.key.clone(),
                about: table.about.clone(),
                rows: table.rows,
                bytes: table.bytes,
                sorted_by: table.sorted_by.clone(),
                files: files?,
                columns: table.columns.clone(),
            };
            tables.insert(table.name.clone(), entry);
        }
        let (jobs, stale) = (self.jobs.clone(), self.stale.clone());
        Ok(Document { format: FORMAT, webmill: self.webmill.clone(), jobs, tables, stale })
    }

    fn of_document(results: &Path, document: Document) -> Result<Self> {
        let results = std::path::absolute(results).at(results)?;
        let mut tables = Vec::new();
        for (name, entry) in document.tables {
            let files = entry.files.iter().map(|file| Ok(results.join(inside(&results, file)?)));
            tables.push(TableFiles {
                name,
                job: entry.job,
                key: entry.key,
                about: entry.about,
                rows: entry.rows,
                bytes: entry.bytes,
                sorted_by: entry.sorted_by,
                files: files.collect::<Result<_>>()?,
                columns: entry.columns,
            });
        }
        let Document { webmill, jobs, stale, .. } = document;
        Ok(Catalogue { results, webmill, jobs, tables, stale })
    }
}

/// Writes the catalogue of the folder `results` anew. A failure is said and is no failure of the job that was committed.
pub fn refresh(results: &Path, registry: &Registry, progress: &dyn Progress) {
    /// Of jobs that are committed at the same time, the later one writes what it found later.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = Catalogue::build(results, registry).and_then(|catalogue| catalogue.write()) {
        progress.note(&format!("warning: {JSON_FILE} and {SQL_FILE} are not up to date: {error}"));
    }
}

/// Says which results in the folder `results` do not fit the others; nothing where all do.
pub fn warn(results: &Path, registry: &Registry, progress: &dyn Progress) {
    if let Some(warning) = Catalogue::open(results, registry).ok().and_then(|catalogue| catalogue.warning()) {
        progress.note(&format!("warning: {warning}"));
    }
}

/// The tables of a committed job, with its files as the manifest names them.
fn tables_of(committed: &Committed, schemas: &[TableSchema]) -> Result<Vec<TableFiles>> {
    let manifest = &committed.manifest;
    let mut tables = Vec::new();
    for (name, info) in &manifest.tables {
        let outputs: Vec<_> = manifest.outputs.iter().filter(|output| output.table == *name).collect();
        let files: Vec<PathBuf> = outputs
            .iter()
            .map(|output| Ok(committed.folder.join(inside(&committed.folder, &output.path)?)))
            .collect::<Result<_>>()?;
        let Some(first) = files.first() else { continue };
        let facts = FileFacts::read(first)?;
        // Tables of rules are in no program: their files say what they are.
        let own = facts.schema.as_ref().filter(|schema| schema.name == *name);
        let schema = schemas.iter().find(|schema| schema.name == *name).or(own);
        tables.push(TableFiles {
            name: name.clone(),
            job: manifest.job.clone(),
            key: manifest.key.to_string(),
            about: schema.map_or_else(String::new, |schema| schema.about.clone()),
            rows: info.rows,
            bytes: outputs.iter().map(|output| output.bytes).sum(),
            sorted_by: facts.sorted_by,
            columns: info.columns.iter().map(|words| column(words, schema)).collect(),
            files,
        });
    }
    Ok(tables)
}

/// A column by the manifest's `name: type`, with `?` where null is a value.
fn column(words: &str, schema: Option<&TableSchema>) -> Column {
    let (name, kind) = words.split_once(": ").unwrap_or((words, ""));
    let known = schema.and_then(|schema| schema.columns.iter().find(|column| column.name == name));
    Column {
        name: name.to_owned(),
        kind: kind.trim_end_matches('?').to_owned(),
        nullable: kind.ends_with('?'),
        description: known.map_or_else(String::new, |column| column.description.clone()),
    }
}

/// A path of a manifest or catalogue, which must stay in its folder: the file may come from anywhere.
fn inside<'a>(folder: &Path, path: &'a str) -> Result<&'a Path> {
    let path = Path::new(path);
    match path.components().all(|part| matches!(part, Component::Normal(_))) {
        true => Ok(path),
        false => {
            let reason = format!("{}: names a file outside of its folder", path.display());
            Err(Error::corrupt(folder, 0, reason))
        }
    }
}

/// The path of `file` relative to `results`, with `/`.
fn relative(results: &Path, file: &Path) -> Result<String> {
    let path = file.strip_prefix(results).ok().and_then(Path::to_str).map(str::to_owned);
    path.ok_or_else(|| Error::Internal(format!("{} is not in {}", file.display(), results.display())))
}

/// Writes a file aside and renames it; of several processes that do so the last one's stays.
fn write_aside(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = path.with_file_name(format!(".{name}.{}.aside", std::process::id()));
    let written = std::fs::File::create(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&aside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&aside);
    }
    written.at(path)
}
