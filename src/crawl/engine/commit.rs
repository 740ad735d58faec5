//! Writing: pages, then events, then the frontier with a checkpoint of the positions in both.
//!
//! **Determinism.** The order makes a crash harmless: what the frontier's checkpoint does not cover is replayed from the
//! journal and the shards, and a record that the journal does not know is cut off.

use serde::{Deserialize, Serialize};

use crate::engine::{Crawl, Ended, Finished, LastLog, Totals};
use crate::event::Event;
use crate::revisit::Priors;
use webmill_capture::error::{Error, Result};
use webmill_shard::Position;

/// How far shards and journal were written when the frontier was committed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub archive: Position,
    /// After the last record that was written, also when its shard is finished and another one is begun.
    pub last: Position,
    pub journal: Position,
    pub totals: Totals,
    pub priors: Priors,
    /// Sites that seeds moved to.
    pub adopted: Vec<String>,
    /// The crawl's clock, ms since 1970.
    pub clock_ms: i64,
}

impl Crawl {
    /// Notes an event, to be written by the next commit: a journal that gets ahead of the shards would know of pages that a
    /// crash took.
    pub(super) fn log(&mut self, event: Event) {
        self.totals.outcomes.add(&event.outcome);
        self.seed_news.note(&event);
        self.pending_events.push(event);
        self.changed += 1;
    }

    /// Writes everything out in the order that makes a crash harmless: pages, events, frontier.
    pub(super) fn commit(&mut self) -> Result<()> {
        self.archive.flush()?;
        if self.archive.position().offset > 0 {
            self.last_written = self.archive.position();
        }
        for event in &self.pending_events {
            self.journal.append(event)?;
        }
        self.pending_events.clear();
        self.journal.flush()?;
        if let Some(exchange) = &mut self.exchange {
            exchange.send()?;
        }
        let checkpoint = Checkpoint {
            archive: self.archive.position(),
            last: self.last_written,
            journal: self.journal.position(),
            totals: self.totals.clone(),
            priors: self.visits.priors.clone(),
            adopted: self.reader.scope.adopted(),
            clock_ms: self.now_ms(),
        };
        let checkpoint = postcard::to_allocvec(&checkpoint)
            .map_err(|e| Error::Internal(format!("checkpoint cannot be encoded: {e}")))?;
        self.keep_rule_counts()?;
        self.keep_focus()?;
        self.frontier.commit(&checkpoint)?;
        self.changed = 0;
        Ok(())
    }

    pub(super) fn sync(&mut self) -> Result<()> {
        self.archive.sync()?;
        self.journal.sync()?;
        self.frontier.sync()
    }

    /// Ends the crawl: its shards get their final names (if it is resumed, it begins another shard), its log is complete. The log wants
    /// packing yet, which may go on while what the crawl knows is looked through.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn end(mut self, ended: Ended) -> Result<(Finished, LastLog)> {
        if let Some(render) = self.render.take() {
            render.close();
        }
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
        self.archive.finish()?;
        self.commit()?;
        let clock = (self.wall_ms, self.now_ms());
        let Crawl { frontier, totals, journal, _lock: lock, .. } = self;
        Ok((
            Finished { frontier, totals, clock, _lock: lock },
            LastLog { journal, goes_on: ended == Ended::Stopped },
        ))
    }

    /// Ends the crawl and closes all of it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn close(self, ended: Ended) -> Result<Totals> {
        let (finished, log) = self.end(ended)?;
        let totals = finished.close()?;
        log.pack()?;
        Ok(totals)
    }
}
