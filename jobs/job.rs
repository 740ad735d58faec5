//! The context that jobs run in: registry, settings, results of the jobs before.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use webmill_capture::{Error, Result};
use webmill_run::layout::LAYOUT_FILE;
use webmill_run::{Committed, Job, Progress, Runtime, open_latest};

use crate::catalogue;
use crate::recipe::{Recipe, Settings};
use crate::registry::Registry;
use crate::{remote, timings};

/// What a job is called with.
pub struct Context<'a> {
    registry: &'a Registry,
    recipe: Recipe,
    /// Output folder, threads, memory, progress.
    pub runtime: Runtime<'a>,
    /// Shards, folders, globs, URLs of shards, or - for standard input.
    pub inputs: Vec<String>,
    dry_run: bool,
    replace: bool,
    results: Mutex<BTreeMap<String, Committed>>,
}

impl<'a> Context<'a> {
    /// A context for the jobs of a registry, whose settings are all checked here.
    ///
    /// # Errors
    /// As of [`Registry::check_recipe`].
    pub fn new(registry: &'a Registry, recipe: Recipe, runtime: Runtime<'a>) -> Result<Self> {
        registry.check_recipe(&recipe)?;
        let results = Mutex::default();
        let (dry_run, replace) = (false, false);
        Ok(Context { registry, recipe, runtime, inputs: Vec::new(), dry_run, replace, results })
    }

    /// The jobs that it runs.
    pub fn registry(&self) -> &'a Registry {
        self.registry
    }

    /// The same, reading these shards.
    pub fn reading(self, inputs: &[String]) -> Self {
        Context { inputs: inputs.to_vec(), ..self }
    }

    /// The same, doing nothing but saying what would be done.
    pub fn dry_run(self, dry_run: bool) -> Self {
        Context { dry_run, ..self }
    }

    /// The same, taking shards also where the results are of other ones.
    pub fn replacing(self, replace: bool) -> Self {
        Context { replace, ..self }
    }

    /// Whether results of other shards may be replaced.
    pub fn is_replacing(&self) -> bool {
        self.replace
    }

    /// One of the same call for jobs that run beside its own: with so much of the memory, speaking there. What they commit is theirs until it is
    /// [adopted](Self::adopt).
    pub fn beside<'b>(&'b self, memory: u64, progress: &'b dyn Progress) -> Context<'b> {
        let Runtime { out, threads, max_bad, cancel, rejects, .. } = &self.runtime;
        let (threads, max_bad, cancel, rejects) = (*threads, *max_bad, *cancel, *rejects);
        Context {
            registry: self.registry,
            recipe: self.recipe.clone(),
            runtime: Runtime { out: out.clone(), threads, memory, max_bad, progress, cancel, rejects },
            inputs: self.inputs.clone(),
            dry_run: self.dry_run,
            replace: self.replace,
            results: Mutex::new(self.results()),
        }
    }

    /// Takes what another context of the same call has made for its own.
    pub fn adopt(&self, made: BTreeMap<String, Committed>) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
    }

    /// Whether the recipe has a table of this name.
    pub fn names(&self, table: &str) -> bool {
        self.recipe.tables().any(|name| name == table)
    }

    /// The settings of a job.
    ///
    /// # Errors
    /// Like [`Recipe::settings`].
    pub fn settings<S: Settings>(&self) -> Result<S> {
        self.recipe.settings()
    }

    /// Whether it only says what would be done.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// What this call has made so far, by job.
    pub fn results(&self) -> BTreeMap<String, Committed> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what would be fetched where no more was asked for: nothing can be told of it before. Whether there is any.
    pub fn would_fetch(&self) -> bool {
        let urls = self.inputs.iter().filter(|input| self.dry_run && remote::is_remote(input));
        urls.map(|url| self.runtime.progress.plan(&format!("would fetch {}", remote::said(url)))).count() > 0
    }

    /// Runs a job of the registry; what it commits is what later jobs of this context read.
    ///
    /// # Errors
    /// What the job meets; [`Error::Internal`] for a name that no job has.
    pub fn run_entry(&self, name: &str) -> Result<Option<Committed>> {
        let entry = self.registry.find(name);
        let entry = entry.ok_or_else(|| Error::Internal(format!("no job is called {name}")))?;
        // Before anything of it is opened: another layout is refused.
        if !self.dry_run && self.runtime.out.join(LAYOUT_FILE).exists() {
            self.runtime.claim()?;
        }
        let committed = (entry.run)(self)?;
        if let Some(committed) = &committed {
            let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            results.insert(name.to_owned(), committed.clone());
        }
        Ok(committed)
    }

    /// The results of the job `name`: those of this call, else the latest in the output folder.
    ///
    /// # Errors
    /// [`Error::Config`] where there are none.
    pub fn results_of(&self, name: &str) -> Result<Committed> {
        let made = self.results.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        made.map_or_else(|| latest(&self.runtime.out, name), Ok)
    }

    /// The results of the job `name`, which is run where there are none.
    ///
    /// # Errors
    /// What it meets.
    pub fn require(&self, name: &str) -> Result<Option<Committed>> {
        match self.results_of(name) {
            Ok(committed) => Ok(Some(committed)),
            Err(Error::Config(_)) => self.run_entry(name),
            Err(error) => Err(error),
        }
    }

    /// Runs a job on its input, or says what it would do.
    ///
    /// # Errors
    /// What the job meets.
    pub fn run<J: Job>(&self, job: &J, input: &J::Input) -> Result<Option<Committed>> {
        let progress = self.runtime.progress;
        if self.dry_run {
            let (folder, done) = self.runtime.plan(job, input)?;
            let state = if done { "is done:" } else { "would write" };
            progress.plan(&format!("{} {state} {}", J::NAME, folder.display()));
            return if done { Committed::open(&folder).map(Some) } else { Ok(None) };
        }
        let begun = Instant::now();
        let committed = self.runtime.run(job, input)?;
        catalogue::refresh(&self.runtime.out, self.registry, progress);
        progress.note(&match committed.fresh {
            true => format!("{:>10}  {:.1} s", J::NAME, begun.elapsed().as_secs_f64()),
            false => format!("{:>10}  was done before", J::NAME),
        });
        progress.detail(&format!("{:>10}  in {}", "", committed.folder.display()));
        if committed.fresh {
            timings::lines(&committed)?.iter().for_each(|line| progress.detail(line));
        }
        Ok(Some(committed))
    }
}

/// Row groups of a table that are read at a time, by all threads, with so much memory: as columns and as they are stored, each takes an
/// eighth of its share.
pub fn groups_at_once(memory: u64) -> usize {
    (memory / (128 << 20)).clamp(1, rayon::current_num_threads() as u64) as usize
}

/// Where results that are joined were not made from each other, of two corpora or of two runs on one: a warning each.
pub fn mixed(joined: &[&Committed]) -> Vec<String> {
    let mut warnings = Vec::new();
    for committed in joined {
        for upstream in &committed.manifest.inputs.upstream {
            let other = joined.iter().find(|other| other.manifest.job == upstream.job);
            if let Some(other) = other.filter(|other| other.manifest.key != upstream.key) {
                warnings.push(format!(
                    "warning: the latest results of {} were not made from the latest of {} (from {} instead of {}): \
                     numbers of different corpora or settings are joined; run `webmill {}` again",
                    committed.manifest.job,
                    upstream.job,
                    upstream.key,
                    other.manifest.key,
                    command(&committed.manifest.job),
                ));
            }
        }
    }
    warnings
}

/// The subcommand that runs a job: its name, in groups with a blank for the hyphen; signals are asked for by filters.
pub fn command(job: &str) -> String {
    if job == "signals" { "filter".to_owned() } else { job.replacen('-', " ", 1) }
}

/// What there is of results that may be missing.
///
/// # Errors
/// All but [`Error::Config`], which says that there are none.
pub fn if_any(results: Result<Committed>) -> Result<Option<Committed>> {
    match results {
        Ok(committed) => Ok(Some(committed)),
        Err(Error::Config(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether `path` is a folder of results: whether it holds `webmill.json`.
pub fn is_results(path: &Path) -> bool {
    path.join(LAYOUT_FILE).is_file()
}

/// The latest results of a job in the folder `out`.
///
/// # Errors
/// [`Error::Config`] that names the subcommand to run, where there are none.
pub fn latest(out: &Path, job: &str) -> Result<Committed> {
    open_latest(out, job).map_err(|error| match error {
        Error::Config(why) => {
            let folder = out.display();
            Error::Config(match job {
                "extract" => format!("{why}; run `webmill extract SHARDS --out {folder}` first"),
                job => format!("{why}; run `webmill {} {folder}` first", command(job)),
            })
        }
        other => other,
    })
}
