//! What a crawl knows at its end, host by host and page by page, for those who make tables of it.
//!
//! **Cost.** Visits read the frontier from beginning to end, within the memory of a batch; queued URLs are counted by walking
//! through the queues.

use crate::HostState;
use crate::engine::Totals;
use crate::focus::{Focus, Harvested};
use crate::frontier::Frontier;
use crate::journal::Journal;
use crate::revisit::PageHistory;
use webmill_capture::error::Result;

/// Pages that are read at once.
const ROWS: usize = 1024;

/// A crawl that fetches no more: what it knows.
pub struct Finished {
    pub(super) frontier: Frontier,
    pub(super) totals: Totals,
    pub(super) clock: (i64, i64),
    /// Nobody else goes on with it meanwhile.
    pub(super) _lock: super::folder::FolderLock,
}

/// The event log of a crawl that writes no more.
pub struct LastLog {
    pub(super) journal: Journal,
    /// The crawl was stopped, and is to write on where it was.
    pub(super) goes_on: bool,
}

impl Finished {
    /// Counts since the crawl began, over all its resumptions.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// By the clock that the crawl went by, ms since 1970: when it was opened, and when it ended.
    pub fn clock(&self) -> (i64, i64) {
        self.clock
    }

    /// Visits every host of which something is known or queued, in the order of their names: its state and how many of its
    /// URLs wait.
    ///
    /// # Errors
    /// Those of `visit`; [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn each_host(&self, visit: &mut dyn FnMut(&str, &HostState, u64) -> Result<()>) -> Result<()> {
        self.frontier.each_host(visit)
    }

    /// Visits the histories of pages, each with a number that those of its host have in common; by this number they come in
    /// ascending order. Now and then hosts share one.
    ///
    /// # Errors
    /// As [`Finished::each_host`]; [`webmill_capture::error::Error::Incompatible`] for histories of another version.
    pub fn each_history(&self, visit: &mut dyn FnMut(u32, PageHistory) -> Result<()>) -> Result<()> {
        self.frontier.each_history(visit)
    }

    /// Visits the pages that a focused crawl fetched, in order; none of another crawl. Whether it is a focused one.
    ///
    /// # Errors
    /// As [`Finished::each_host`].
    pub fn each_harvested(&self, visit: &mut dyn FnMut(Harvested) -> Result<()>) -> Result<bool> {
        let Some(store) = self.frontier.focus() else { return Ok(false) };
        let mut from = 0;
        loop {
            let rows = Focus::rows(from, ROWS, store)?;
            if rows.is_empty() {
                return Ok(true);
            }
            from += rows.len() as u64;
            rows.into_iter().try_for_each(&mut *visit)?;
        }
    }

    /// Closes the frontier.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Io`].
    pub fn close(self) -> Result<Totals> {
        self.frontier.close()?;
        Ok(self.totals)
    }
}

impl LastLog {
    /// Packs all files that are not packed, except the last one of a crawl that goes on.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Io`]; nothing is lost then, and the next opening goes on.
    pub fn pack(self) -> Result<()> {
        if !self.goes_on {
            self.journal.finish()?;
        }
        Ok(())
    }
}
