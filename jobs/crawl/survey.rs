//! What a crawl leaves for those who analyse it: tables of its hosts, pages, rounds and of what is missing, in
//! `OUT/tables/`.
//!
//! **When.** At the end of a run, before the crawl is closed: [`Survey::take`] walks once over its hosts, and once over their pages;
//! [`Survey::finish`] reads the event log, when its tables are written ([`crate::crawl::convert`]). Each table replaces that of
//! the run before; `crawl_rounds` grows by a row.
//!
//! **Cost.** One walk over hosts, queues and histories, and a sort of the event log by URL. Memory: the rows of a row
//! group of each table, and two sorts of 16 MiB.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use webmill_crawl::{Crawl, Ended};

use crate::crawl::files::{TABLES, TableFile};
use crate::crawl::missing::Missing;
use crate::crawl::pages::PageTables;
use crate::crawl::rows::{CrawlHostRow, MissingWhy};
use crate::crawl::{hosts, rounds};

/// A survey that wants the event log yet.
pub struct Survey {
    folder: PathBuf,
    missing: Missing,
}

impl Survey {
    /// Writes what the crawl itself knows into its folder.
    ///
    /// # Errors
    /// A disk that refuses; a frontier that is damaged.
    pub fn take(crawl: &Crawl, folder: &Path, ended: Ended) -> Result<Survey> {
        let tables = folder.join(TABLES);
        std::fs::create_dir_all(&tables).with_context(|| tables.display().to_string())?;
        let (began, now) = crawl.clock();
        let mut missing = Missing::new(&tables);
        let mut host_rows = TableFile::<CrawlHostRow>::create(folder, 0)?;
        let mut pages = PageTables::create(folder, now)?;
        crawl.each_host(&mut |name, state, queued| {
            host_rows.push(hosts::row(name, state, queued))?;
            if queued > 0 {
                let (why, outcome) = match hosts::reason(state).filter(|_| state.failures > 0) {
                    Some(trouble) => (MissingWhy::Waits, trouble),
                    None => (MissingWhy::Queued, "queued".to_owned()),
                };
                missing.count(why, &outcome, Some(name), i64::try_from(queued).unwrap_or(i64::MAX))?;
            }
            Ok(())
        })?;
        crawl.each_history(&mut |group, page| pages.page(group, &page))?;
        host_rows.finish()?;
        let all = pages.finish(folder)?;
        rounds::add(folder, crawl.totals(), (began, now), ended, &all.now)?;
        rounds::write_counts(folder, crawl.totals())?;
        Ok(Survey { folder: folder.to_path_buf(), missing })
    }

    /// Writes what the tables of the event log tell besides.
    ///
    /// # Errors
    /// A disk that refuses; tables that cannot be read.
    pub fn finish(mut self, events: Vec<PathBuf>) -> Result<()> {
        self.missing.read(events)?;
        self.missing.write(&self.folder)
    }
}
