//! The tables that a crawl leaves for analysis, about its hosts, pages, rounds and missing URLs, in
//! `OUT/tables/`.
//!
//! **When.** At the end of a run ([`end`]): [`CrawlSurvey::take`] walks once over hosts, and once over pages, while the event log becomes tables
//! of its own ([`crate::crawl::convert`]); [`CrawlSurvey::finish`] reads these. Each table replaces that of the run before; `crawl_rounds`
//! grows by a row.
//!
//! **Cost.** One walk over hosts, queues and histories, and a sort of the event log by URL. Memory: the rows of a row
//! group of each table, and two sorts of 16 MiB.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use webmill_crawl::{Crawl, Ended, Finished, Totals};

use crate::crawl::events::convert;
use crate::crawl::files::{TABLES, TableFile};
use crate::crawl::missing::Missing;
use crate::crawl::pages::PageTables;
use crate::crawl::rows::{CrawlHostRow, MissingWhy};
use crate::crawl::{hosts, rounds};
use crate::focused::tables::HarvestRow;

/// Ends a crawl and writes its tables and those of its event log. Tables that cannot be written, on a disk that is full say, keep it from
/// nothing: they are the second result.
///
/// # Errors
/// A disk that refuses the crawl itself, or the tables of its events.
pub fn end(crawl: Crawl, folder: &Path, ended: Ended) -> Result<(Totals, Result<()>)> {
    let (finished, log) = crawl.end(ended)?;
    let (survey, totals, events) = std::thread::scope(|scope| {
        let events = scope.spawn(|| {
            log.pack()?;
            convert(folder)
        });
        let survey = CrawlSurvey::take(&finished, folder, ended);
        (survey, finished.close(), events.join())
    });
    let events = events.map_err(|_| anyhow!("writing the tables of the events panicked"))??;
    Ok((totals?, survey.and_then(|survey| survey.finish(events))))
}

/// A survey that wants the event log yet.
struct CrawlSurvey {
    folder: PathBuf,
    missing: Missing,
}

impl CrawlSurvey {
    /// Writes what the crawl itself knows into its folder.
    ///
    /// # Errors
    /// A disk that refuses; a frontier that is damaged.
    fn take(crawl: &Finished, folder: &Path, ended: Ended) -> Result<CrawlSurvey> {
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
        let mut harvest = None;
        crawl.each_harvested(&mut |row| {
            if harvest.is_none() {
                harvest = Some(TableFile::<HarvestRow>::create(folder, 0).map_err(|error| {
                    webmill_capture::Error::Internal(format!("table harvest: {error:#}"))
                })?);
            }
            harvest.as_mut().map_or(Ok(()), |file| file.push(row.into()))
        })?;
        harvest.map_or(Ok(()), TableFile::finish)?;
        let all = pages.finish(folder)?;
        rounds::add(folder, crawl.totals(), (began, now), ended, &all.now)?;
        rounds::write_counts(folder, crawl.totals())?;
        Ok(CrawlSurvey { folder: folder.to_path_buf(), missing })
    }

    /// Writes what the tables of the event log tell besides.
    ///
    /// # Errors
    /// A disk that refuses; tables that cannot be read.
    fn finish(mut self, events: Vec<PathBuf>) -> Result<()> {
        self.missing.read(events)?;
        self.missing.write(&self.folder)
    }
}
