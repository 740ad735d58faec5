//! The end of a run: its messages and its exit code.
//!
//! **Definition.** A run is *incomplete* where it came to its end by itself and URLs are missing or no page is stored at all (but by other
//! agents of an exchange); and where a
//! limit that the user set (pages, bytes, time) ended it and more than one in [`MUCH`] of the pages and URLs that it was done with are
//! missing. Its exit code is 3; 0 otherwise, 130 where it was stopped.

use std::path::Path;

use webmill_crawl::{Ended, Missing, Totals};

use super::view::{Limit, tell_missing};
use webmill_jobs::crawl::EVENTS;

/// Exit code of a crawl that did not bring home what it was asked for.
const INCOMPLETE: u8 = 3;
/// Exit code of a crawl that was stopped.
const STOPPED: u8 = 130;
/// A limit excuses URLs that it kept from being fetched, and failures of at most one in this many fetched URLs.
const MUCH: u64 = 10;

/// How a run ended.
pub struct CrawlEnd {
    pub ended: Ended,
    /// Pages stored in all runs.
    pub stored: u64,
    pub missing: Missing,
    /// Other agents crawl with it: none of the pages may be its own.
    pub shared: bool,
    /// URLs that wait though their hosts are not left alone.
    pub waits: u64,
}

impl CrawlEnd {
    fn is_by_itself(&self) -> bool {
        matches!(self.ended, Ended::Finished | Ended::Patience)
    }

    fn is_empty(&self) -> bool {
        self.is_by_itself() && self.stored == 0 && !self.shared
    }

    /// Whether it lacks what it was asked for.
    fn is_incomplete(&self) -> bool {
        let missing = self.missing.urls();
        match self.ended {
            Ended::Finished | Ended::Patience => missing > 0 || self.is_empty(),
            Ended::Stopped => false,
            _ => missing.saturating_mul(MUCH) > self.stored.saturating_add(missing),
        }
    }

    /// In a word or two: nothing that is incomplete is called finished.
    pub fn name(&self) -> &'static str {
        match self.ended {
            Ended::Finished if self.is_incomplete() => "ended",
            ended => ended.name(),
        }
    }

    /// Names the missing URLs, and how to go on.
    pub fn tell(&self, totals: &Totals, out: &Path) {
        if self.ended == Ended::Stopped {
            webmill_jobs::say!("the same command goes on where it was");
            return;
        }
        if !self.is_by_itself() {
            let wider = match self.ended {
                Ended::Pages => " --pages N",
                Ended::Target => " --set crawl.focus.target=N",
                Ended::Bytes => " --bytes N",
                _ => "",
            };
            tell_missing(&self.missing, Some(Limit { waits: self.waits, wider }), out);
        } else if self.missing.urls() > 0 {
            tell_missing(&self.missing, None, out);
        }
        if self.is_empty() {
            let hint = match totals.outcomes.get("private-address") {
                0 => "",
                _ => "; private addresses are reached with --allow-private",
            };
            webmill_jobs::say!(
                "incomplete: no page was stored: what became of the seeds stands above and in {}/{EVENTS}{hint}",
                out.display()
            );
        }
    }

    /// The exit code of the command.
    pub fn exit_code(&self) -> u8 {
        match self.ended {
            Ended::Stopped => STOPPED,
            _ if self.is_incomplete() => INCOMPLETE,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_left_much_out_does_not_exit_0() {
        for (ended, stored, given_up, waiting, want) in [
            (Ended::Finished, 100, 0, 0, (0, "finished")),
            (Ended::Finished, 100, 1, 0, (3, "ended")),
            (Ended::Finished, 100, 0, 1, (3, "ended")),
            (Ended::Finished, 0, 0, 0, (3, "ended")),
            (Ended::Patience, 100, 0, 1, (3, "gave up waiting")),
            (Ended::Pages, 100, 0, 0, (0, "page limit")),
            (Ended::Pages, 100, 11, 0, (0, "page limit")),
            (Ended::Pages, 100, 6, 6, (3, "page limit")),
            (Ended::Bytes, 0, 1, 0, (3, "byte limit")),
            (Ended::Time, 0, 0, 0, (0, "time limit")),
            (Ended::Time, 10, 0, 1 << 40, (3, "time limit")),
            (Ended::Stopped, 0, 9, 9, (130, "stopped")),
        ] {
            let mut missing = Missing::default();
            missing.given_up.add_many("timeout", given_up);
            missing.waiting = waiting;
            let end = CrawlEnd { ended, stored, missing, shared: false, waits: 7 };
            assert_eq!((end.exit_code(), end.name()), want, "{ended:?} {stored} {given_up} {waiting}");
        }
        let idle = CrawlEnd {
            ended: Ended::Finished,
            stored: 0,
            missing: Missing::default(),
            shared: true,
            waits: 0,
        };
        assert_eq!((idle.exit_code(), idle.name()), (0, "finished"), "the others have all the pages");
    }
}
