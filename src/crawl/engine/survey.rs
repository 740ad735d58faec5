//! What a crawl knows, host by host and page by page, for those who make tables of it.
//!
//! **Cost.** Visits read the frontier from beginning to end, within the memory of a batch; what is queued is counted by walking
//! through the queues.

use crate::HostState;
use crate::engine::{Crawl, Totals};
use webmill_capture::error::Result;
use webmill_revisit::PageHistory;

impl Crawl {
    /// Counts since the crawl began, over all its resumptions.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// By the clock that the crawl goes by, ms since 1970: when it was opened, and now.
    pub fn clock(&self) -> (i64, i64) {
        (self.wall_ms, self.now_ms())
    }

    /// Visits every host of which something is known or queued, in the order of their names: its state and how many of its
    /// URLs wait.
    ///
    /// # Errors
    /// Those of `visit`; [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn each_host(&self, visit: &mut dyn FnMut(&str, &HostState, u64) -> Result<()>) -> Result<()> {
        self.frontier.each_host(visit)
    }

    /// Visits what is known of pages from visits, each with a number that those of its host have in common; by this number they come in
    /// ascending order. Now and then hosts share one.
    ///
    /// # Errors
    /// As [`Crawl::each_host`]; [`webmill_capture::error::Error::Incompatible`] for histories of another version.
    pub fn each_history(&self, visit: &mut dyn FnMut(u32, PageHistory) -> Result<()>) -> Result<()> {
        self.frontier.each_history(visit)
    }
}
