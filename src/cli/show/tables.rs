//! The tables that are looked into: which are there, which are not and why, how much of each was read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use anyhow::Result;
use webmill_capture::CanonicalUrl;
use webmill_run::Committed;
use webmill_table::{Columns, GroupCounts, Reader};

use super::shown::{MissingTable, TableRead};
use webmill_jobs::job::{command, if_any, latest};

/// Results, opened job by job.
pub struct Tables {
    results: PathBuf,
    jobs: HashMap<&'static str, Option<Committed>>,
    /// Missing tables.
    pub missing: Vec<MissingTable>,
    /// What was read.
    pub read: Vec<TableRead>,
}

/// What a page is looked up by.
pub struct LookupKeys {
    /// URL of the page that is shown.
    pub url: CanonicalUrl,
    /// Its key, as tables have it.
    pub key: u128,
    /// Its sort key.
    pub surt: String,
}

impl Tables {
    /// Results in a folder; nothing is opened yet.
    pub fn new(results: &Path) -> Self {
        Tables { results: results.to_path_buf(), jobs: HashMap::new(), missing: Vec::new(), read: Vec::new() }
    }

    /// The latest results of a job, or nothing where there are none.
    ///
    /// # Errors
    /// Where they are damaged.
    pub fn job(&mut self, job: &'static str) -> Result<Option<&Committed>> {
        if let Entry::Vacant(place) = self.jobs.entry(job) {
            place.insert(if_any(latest(&self.results, job))?);
        }
        Ok(self.jobs.get(job).and_then(Option::as_ref))
    }

    /// A copy of the known facts about a job's results, where they are.
    ///
    /// # Errors
    /// As of [`Tables::job`].
    pub fn owned(&mut self, job: &'static str) -> Result<Option<Committed>> {
        Ok(self.job(job)?.cloned())
    }

    /// All jobs that were opened and are there.
    pub fn opened(&self) -> Vec<&Committed> {
        let mut jobs: Vec<&Committed> = self.jobs.values().flatten().collect();
        jobs.sort_by(|a, b| a.manifest.job.cmp(&b.manifest.job));
        jobs
    }

    /// Says that something is not there, once.
    pub fn lack(&mut self, table: &str, why: String) {
        let missing = MissingTable { table: table.to_owned(), why };
        if !self.missing.contains(&missing) {
            self.missing.push(missing);
        }
    }

    /// The folder of a table; where it is not there, that is noted.
    ///
    /// # Errors
    /// As of [`Tables::job`].
    pub fn folder(&mut self, job: &'static str, table: &'static str) -> Result<Option<PathBuf>> {
        let folder = self.job(job)?.map(|committed| committed.path(table));
        let why = match folder {
            Some(folder) if folder.is_dir() => return Ok(Some(folder)),
            Some(_) => {
                format!("the latest results of {job} do not have it: their recipe or input left it out")
            }
            None => format!("run `webmill {} {}`", command(job), self.results.display()),
        };
        self.lack(table, why);
        Ok(None)
    }

    /// A reader of the row groups of a table that may hold `value` in column `by`; `None` where there is no such table.
    ///
    /// # Errors
    /// As of [`Tables::job`], and where its folder cannot be listed.
    pub fn reader<C: Columns>(
        &mut self,
        job: &'static str,
        table: &'static str,
        by: &'static str,
        value: &str,
    ) -> Result<Option<Reader<C>>> {
        let Some(folder) = self.folder(job, table)? else { return Ok(None) };
        let value = value.to_owned();
        Ok(Some(Reader::open(&folder)?.only(move |group| group.may_hold(by, &value))))
    }

    /// Notes how much of a table was read.
    pub fn note(&mut self, table: &'static str, by: Option<&'static str>, groups: GroupCounts) {
        let row_groups = groups.read + groups.passed_over;
        self.read.push(TableRead { table, by, row_groups, row_groups_read: groups.read });
    }
}
