//! Which jobs a program has, in the order in which `webmill run` calls them.
//!
//! Help, recipes, `webmill run`, `webmill schema`, the catalogue of results and the report read nothing else of a job
//! than its entry here. [`Registry::default`] has webmill's own jobs (`jobs/builtin.rs`); a program that has one of
//! its own adds it: `Registry::default().with(my_job::ENTRY)`. This file names no job, so that jobs may look into
//! the registry that they are called with.

use webmill_capture::Result;
use webmill_run::{Committed, Job};
use webmill_table::TableSchema;

use crate::job::Context;
use crate::recipe::{Recipe, Settings, check_settings};
use crate::rejects;

/// A job as the registry lists it: help, recipe, `run`, report and `schema` read nothing else.
#[derive(Clone)]
pub struct JobEntry {
    /// Name of the file, the recipe's table and the output folder. [`command`](crate::job::command) makes the subcommand of it.
    pub name: &'static str,
    /// One sentence: what it does.
    pub about: &'static str,
    /// Whether it reads shards; other jobs read what earlier jobs wrote to the same folder.
    pub reads_shards: bool,
    /// Whether `webmill run` leaves it out unless the recipe has its table; it has no subcommand of its name either, but one of a group.
    pub optional: bool,
    /// The tables that it writes.
    pub tables: fn() -> Vec<TableSchema>,
    /// Checks its table of the recipe.
    pub check: fn(&Recipe) -> Result<()>,
    /// Runs it; `None` where it was only asked what would be done.
    pub run: fn(&Context<'_>) -> Result<Option<Committed>>,
}

impl JobEntry {
    /// A job that is only run where it is asked for, on what earlier jobs wrote.
    pub const fn of_request<J: Job + Settings>(
        about: &'static str,
        tables: fn() -> Vec<TableSchema>,
        run: fn(&Context<'_>) -> Result<Option<Committed>>,
    ) -> Self {
        let check = check_settings::<J>;
        JobEntry { name: J::NAME, about, reads_shards: false, optional: true, tables, check, run }
    }
}

/// Checks a table of a recipe.
type CheckRecipe = fn(&Recipe) -> Result<()>;

/// The jobs of a program, and what else has a table of the recipe or writes tables.
#[derive(Clone)]
pub struct Registry {
    jobs: Vec<JobEntry>,
    /// Anything that is no job and has a table of the recipe: its name, and what checks it.
    sections: Vec<(&'static str, CheckRecipe)>,
    /// Tables that are not of jobs, in the order of the data flow: before the jobs' tables, and after them.
    around: [Vec<TableSchema>; 2],
}

impl Registry {
    /// A registry without a job.
    pub fn empty() -> Self {
        Registry { jobs: Vec::new(), sections: Vec::new(), around: [Vec::new(), Vec::new()] }
    }

    /// The same with a further job, which may read what the jobs before it write. `webmill run` runs it last.
    ///
    /// # Panics
    /// Where a job of that name is there already.
    #[must_use]
    pub fn with(mut self, job: JobEntry) -> Self {
        assert!(self.find(job.name).is_none(), "two jobs are called {}", job.name);
        self.jobs.push(job);
        self
    }

    /// The same with a table of the recipe that is no job's.
    #[must_use]
    pub fn with_section(mut self, name: &'static str, check: fn(&Recipe) -> Result<()>) -> Self {
        self.sections.push((name, check));
        self
    }

    /// The same with tables that are not of jobs: made before the jobs run, and made of their results.
    #[must_use]
    pub fn with_tables(mut self, before: Vec<TableSchema>, after: Vec<TableSchema>) -> Self {
        self.around = [before, after];
        self
    }

    /// The jobs, in order.
    pub fn jobs(&self) -> &[JobEntry] {
        &self.jobs
    }

    /// The job of that name.
    pub fn find(&self, name: &str) -> Option<&JobEntry> {
        self.jobs.iter().find(|job| job.name == name)
    }

    /// Where a job stands in the order; behind all others one that is unknown here.
    pub fn place(&self, name: &str) -> usize {
        self.jobs.iter().position(|job| job.name == name).unwrap_or(self.jobs.len())
    }

    /// Checks every table of a recipe, so that a mistake in the settings of the last job does not wait for the first
    /// to finish.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Config`] for a table that is no job's, or a setting that cannot work.
    pub fn check_recipe(&self, recipe: &Recipe) -> Result<()> {
        let jobs = self.jobs.iter().map(|job| (job.name, job.check));
        let known: Vec<_> = jobs.chain(self.sections.iter().copied()).collect();
        if let Some(name) = recipe.tables().find(|name| !known.iter().any(|known| known.0 == *name)) {
            let known: Vec<&str> = known.iter().map(|known| known.0).collect();
            return Err(recipe.error(&format!("no job is called [{name}]; jobs: {}", known.join(", "))));
        }
        known.iter().try_for_each(|(_, check)| check(recipe))
    }

    /// Every table that the program writes, in the order of the data flow.
    pub fn tables(&self) -> Vec<TableSchema> {
        let [before, after] = self.around.clone();
        let of_jobs = self.jobs.iter().flat_map(|job| (job.tables)());
        before.into_iter().chain(of_jobs).chain(rejects::tables()).chain(after).collect()
    }
}
