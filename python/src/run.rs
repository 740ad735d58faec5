//! Jobs: what `webmill run` does, with progress for Python.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, Command, FromArgMatches};
use pyo3::prelude::*;
use webmill_capture::Error;
use webmill_cli::jobs::InputArgs;
use webmill_jobs::run_all::run_all;
use webmill_run::{Cancel, Measure, Progress};

use crate::fault::{Fault, config};
use crate::wait::wait;

/// Messages that wait for Python; more are dropped, as nobody reads them.
const MOST_NOTES: usize = 1000;

/// What jobs say, until Python looks.
#[derive(Default)]
struct Said {
    phase: String,
    done: u64,
    total: u64,
    is_bytes: bool,
    changed: bool,
    notes: VecDeque<String>,
}

#[derive(Default)]
struct Mailbox(Mutex<Said>);

impl Mailbox {
    fn with(&self, change: impl FnOnce(&mut Said)) {
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
#[pyo3(signature = (arguments, recipe, progress = None))]
pub fn run(
    py: Python<'_>,
    arguments: Vec<String>,
    recipe: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<BTreeMap<String, PathBuf>> {
    let parsed = InputArgs::augment_args(Command::new("run").no_binary_name(true))
        .try_get_matches_from(arguments)
        .and_then(|matches| InputArgs::from_arg_matches(&matches));
    let args = parsed.map_err(|e| Fault::from(anyhow::Error::from(e)))?;
    let mut settings = args.flags.read_recipe().map_err(Fault::from)?;
    if let Some(json) = recipe {
        let tables: BTreeMap<String, BTreeMap<String, toml::Value>> = serde_json::from_str(&json)
            .map_err(|e| config(format!("the recipe has no tables of settings: {e}")))?;
        for (table, values) in tables {
            values.into_iter().for_each(|(name, value)| settings.set(&table, &name, value));
        }
    }
    let said = Arc::new(Mailbox::default());
    let cancel = Cancel::default();
    let (mailbox, stop) = (Arc::clone(&said), cancel.clone());
    let tell = |py: Python<'_>| tell(py, &said, progress.as_ref());
    let done = wait(py, &cancel, tell, move || {
        let context = args.context(settings, &*mailbox, &stop)?;
        run_all(&context)?;
        Ok::<_, Error>(context.results().into_iter().map(|(job, made)| (job, made.folder)).collect())
    })?;
    Ok(done.map_err(Fault::from)?)
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
