//! Borrowing a host out of its order, for a request that another host's robots.txt needs.

use super::host::{Phase, Place};
use super::seen;
use super::{BORROWED, Frontier, Lease};
use crate::task::{Entry, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// What came of the wish to borrow a host.
#[derive(Debug)]
pub enum Borrowed {
    /// It is leased until it is released, in any way: the entry is for the URL asked for and is in no queue.
    Leased(Lease),
    /// Not before this time.
    Due {
        /// Wall clock, ms since 1970.
        at_ms: i64,
    },
    /// It is leased to another.
    Busy,
}

impl Frontier {
    /// Leases the host of `url`, if it is due, whatever waits in its queue. The host may be unknown.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn borrow_host(&mut self, url: &CanonicalUrl, now_ms: i64) -> Result<Borrowed> {
        self.now_ms = now_ms;
        let name = url.host();
        let key = seen::host_key(self.options.hash_seed, name);
        let slot = match self.hosts.find(key) {
            Some(slot) => slot,
            None => {
                let place = match self.place(name, key)? {
                    Some(place) => place,
                    None => {
                        // As if it had a queue; when it is released it is found to have none.
                        let place = Place { time: None, rank: BORROWED - 1 };
                        self.set_place(name, key, None, place);
                        self.head.hosts += 1;
                        place
                    }
                };
                self.activate(name.into(), key, place)
            }
        };
        let host = self.hosts.get(slot);
        let (host, bound, phase) = (host.name.clone(), host.bound, host.phase);
        if let Phase::Leased(_) = phase {
            return Ok(Borrowed::Busy);
        }
        self.load(slot)?;
        let next_ms = self.hosts.get(slot).loaded.as_ref().map_or(0, |loaded| loaded.state.next_ms);
        if next_ms > now_ms {
            self.settle(slot)?;
            return Ok(Borrowed::Due { at_ms: next_ms });
        }
        self.hosts.set_phase(slot, Phase::Leased(BORROWED), bound);
        let entry = Entry::new(url.clone(), Purpose::Robots);
        Ok(Borrowed::Leased(Lease { host, entry, slot, rank: BORROWED, value: [].into() }))
    }
}
