//! Requisites when a crawl has all its pages: those of the last pages are still fetched.
//!
//! In the frontier requisites rank before pages. So once a host offers a page, it has no requisite that waits; what other
//! hosts have is due after their pauses. The crawl ends when none is left, or none came for [`PATIENCE`]: a host in trouble
//! must not hold it up. The others are fetched when the crawl goes on.

use std::time::{Duration, Instant};

use crate::Purpose;
use crate::engine::{Crawl, Wake};
use crate::frontier::{After, Next};
use webmill_capture::error::Result;

/// How long a crawl that has all its pages waits for the next requisite.
const PATIENCE: Duration = Duration::from_secs(30);

/// Between two looks for requisites of hosts that rest, ms.
const LOOK_MS: i64 = 50;

impl Crawl {
    /// Whether a crawl that has all its pages goes on for its requisites.
    pub(super) fn requisites_left(&mut self) -> bool {
        if !self.options.requisites || self.frontier.requisites() == 0 {
            return false;
        }
        let since = *self.requisite_at.get_or_insert_with(Instant::now);
        since.elapsed() < PATIENCE
    }

    /// Sends out requisites only.
    pub(super) fn dispatch_requisites(&mut self) -> Result<Wake> {
        if !self.options.requisites || self.frontier.requisites() == 0 {
            return Ok(Wake::Results);
        }
        while self.requests.in_flight < self.options.connections {
            let now = self.now_ms();
            match self.frontier.next(now)? {
                Next::Fetch(lease) if lease.entry.purpose == Purpose::Requisite => {
                    self.requisite_at = Some(Instant::now());
                    self.consider(lease)?;
                }
                Next::Fetch(lease) => {
                    self.frontier.release(lease, After::Keep)?;
                    return Ok(Wake::At(now + LOOK_MS));
                }
                Next::Wait { until_ms } => return Ok(Wake::At(until_ms)),
                Next::Busy | Next::Empty => return Ok(Wake::Results),
            }
        }
        Ok(Wake::Results)
    }
}
