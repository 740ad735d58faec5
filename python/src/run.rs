//! Jobs: what `webmill run` does, with progress for Python.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use webmill_capture::Error;
use webmill_jobs::recipe::Recipe;
use webmill_jobs::run_all::run_all;
use webmill_jobs::run_options::{RunOptions, parse_size};
use webmill_run::{Cancel, Measure, Progress};

use crate::fault::{Fault, config};
use crate::wait::wait;

/// Messages that wait for Python; more are dropped, as nobody reads them.
const MOST_NOTES: usize = 1000;

/// What jobs say, until Python looks.
#[derive(Default)]
struct JobMessages {
    phase: String,
    done: u64,
    total: u64,
    is_bytes: bool,
    changed: bool,
    notes: VecDeque<String>,
}

#[derive(Default)]
struct Mailbox(Mutex<JobMessages>);

impl Mailbox {
    fn with(&self, change: impl FnOnce(&mut JobMessages)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Mailbox {
    fn begin(&self, phase: &str, total: u64, measure: Measure) {
        self.with(|said| {
            (said.phase, said.done, said.total) = (phase.to_owned(), 0, total);
            (said.is_bytes, said.changed) = (measure == Measure::Bytes, true);
        });
    }

    fn advance(&self, amount: u64) {
        self.with(|said| (said.done, said.changed) = (said.done + amount, true));
    }

    fn end(&self) {
        self.with(|said| {
            if said.total > 0 {
                said.done = said.total;
            }
            said.changed = true;
        });
    }

    fn note(&self, text: &str) {
        self.with(|said| {
            if said.notes.len() < MOST_NOTES {
                said.notes.push_back(text.to_owned());
            }
        });
    }
}

/// Runs every job on shards; the folder of the results of each.
///
/// `progress` is called with the interpreter some twenty times a second at most: phase, what is done, of how much (0 where it is
/// not known), whether that is bytes, and what users should read.
#[pyfunction]
#[pyo3(signature = (inputs, out, recipe = None, settings = None, threads = None, memory = None, max_bad = None, replace = false, progress = None))]
#[allow(clippy::too_many_arguments, reason = "what a run is asked for; the package names them")]
pub fn run(
    py: Python<'_>,
    inputs: Vec<String>,
    out: PathBuf,
    recipe: Option<PathBuf>,
    settings: Option<&str>,
    threads: Option<i64>,
    memory: Option<&str>,
    max_bad: Option<f64>,
    replace: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<BTreeMap<String, PathBuf>> {
    if inputs.is_empty() {
        return Err(config("no shards: name files, folders, globs or URLs of shards"));
    }
    let recipe = read_recipe(recipe.as_deref(), settings)?;
    let mut options = RunOptions { inputs, ..RunOptions::new(out, recipe) };
    if let Some(threads) = threads {
        // A number below 0 is refused as none is.
        options.threads = usize::try_from(threads).unwrap_or(0);
    }
    if let Some(memory) = memory {
        options.memory = parse_size(memory).map_err(|why| config(format!("memory {why}")))?;
    }
    options.max_bad = max_bad.unwrap_or(options.max_bad);
    let said = Arc::new(Mailbox::default());
    let cancel = Cancel::default();
    let (mailbox, stop) = (Arc::clone(&said), cancel.clone());
    let tell = |py: Python<'_>| tell(py, &said, progress.as_ref());
    let done = wait(py, &cancel, tell, move || {
        let context = options.context(&*mailbox, &stop)?.replacing(replace);
        run_all(&context)?;
        Ok::<_, Error>(context.results().into_iter().map(|(job, made)| (job, made.folder)).collect())
    })?;
    Ok(done.map_err(Fault::from)?)
}

/// The recipe of a file, with the settings of an object of JSON, by table, over it.
fn read_recipe(file: Option<&Path>, settings: Option<&str>) -> PyResult<Recipe> {
    let mut recipe = file.map_or_else(|| Ok(Recipe::default()), Recipe::read).map_err(Fault::from)?;
    if let Some(json) = settings {
        let tables: BTreeMap<String, BTreeMap<String, toml::Value>> = serde_json::from_str(json)
            .map_err(|e| config(format!("the recipe has no tables of settings: {e}")))?;
        for (table, values) in tables {
            recipe.name_table(&table);
            values.into_iter().for_each(|(name, value)| recipe.set(&table, &name, value));
        }
    }
    Ok(recipe)
}

fn tell(py: Python<'_>, said: &Mailbox, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    let mut news = None;
    said.with(|said| {
        if said.changed || !said.notes.is_empty() {
            said.changed = false;
            let notes: Vec<String> = said.notes.drain(..).collect();
            news = Some((said.phase.clone(), said.done, said.total, said.is_bytes, notes));
        }
    });
    if let (Some(news), Some(progress)) = (news, progress) {
        progress.call1(py, news)?;
    }
    Ok(())
}
