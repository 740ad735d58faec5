//! A fetch that was not made because its address has too much to do for other hosts.

use crate::engine::Crawl;
use crate::engine::task::{InFlight, Step};
use crate::frontier::After;
use webmill_capture::error::Result;

impl Crawl {
    /// Lets a host wait for its turn at its address; nothing was asked, so nothing is counted.
    pub(super) fn put_off(&mut self, request: InFlight, wait_ms: u64) -> Result<()> {
        let InFlight { lease, step } = request;
        let due = self.now_ms() + i64::try_from(wait_ms).unwrap_or(i64::MAX / 2);
        if let Step::Robots { origin, url, hops, borrowed } = step
            && hops > 0
        {
            if let Some(other) = borrowed {
                let host = self.frontier.host_mut(&other);
                host.next_ms = host.next_ms.max(due);
                self.frontier.release(other, After::Keep)?;
            }
            if self.robots_redirects.has_capacity() {
                // Its time runs from then on: waiting for an address is no failure.
                self.robots_redirects.push(lease, (origin, url, hops), due, due);
                return Ok(());
            }
        }
        let host = self.frontier.host_mut(&lease);
        host.next_ms = host.next_ms.max(due);
        self.frontier.release(lease, After::Keep)
    }
}
