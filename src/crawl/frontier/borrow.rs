//! Borrowing a host whose turn it is not, for a request that another host's robots.txt needs.

use super::entry::{self, Fields};
use super::host::Phase;
use super::rank;
use super::seen;
use super::{Frontier, Lease};
use crate::capture::CanonicalUrl;
use crate::crawl::task::Purpose;
use crate::error::{Error, Result};

/// What came of the wish to borrow a host.
#[derive(Debug)]
pub enum Borrowed {
    /// It is lent, until it is released: an entry of [`Purpose::Robots`] as done, any other as kept.
    Lent(Lease),
    /// Not before this time.
    Due {
        /// Wall clock, ms since 1970.
        at_ms: i64,
    },
    /// It is lent to another.
    Busy,
}

impl Frontier {
    /// Lends the host of `url` whatever stands in its queue, if it is due; a host without a queue gets an entry for `url`.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn borrow_host(&mut self, url: &CanonicalUrl, now_ms: i64) -> Result<Borrowed> {
        let name = url.host();
        let host_key = seen::host_key(self.options.hash_seed, name);
        if self.hosts.find(host_key).is_none() {
            match self.place(name, host_key)? {
                Some(place) => self.activate(name.into(), host_key, place),
                None => {
                    let fields = Fields {
                        url,
                        purpose: Purpose::Robots,
                        depth: 0,
                        redirects: 0,
                        retries: 0,
                        origin: None,
                        referrer: None,
                        priority: 0.0,
                    };
                    let rank = rank::rank(0, self.head.next_sequence());
                    self.head.queued += 1;
                    self.enqueue(name, host_key, rank, entry::encode(&fields).into())?;
                    if self.hosts.find(host_key).is_none()
                        && let Some(place) = self.place(name, host_key)?
                    {
                        self.activate(name.into(), host_key, place);
                    }
                }
            }
        }
        let Some(slot) = self.hosts.find(host_key) else {
            return Err(Error::Internal(format!("{name} was taken into memory but is not there")));
        };
        if let Phase::Lent(_) = self.hosts.get(slot).phase {
            return Ok(Borrowed::Busy);
        }
        self.load(slot)?;
        let host = self.hosts.get(slot);
        let name = host.name.clone();
        let Some(loaded) = &host.loaded else { return Ok(Borrowed::Busy) };
        if loaded.state.next_ms > now_ms {
            return Ok(Borrowed::Due { at_ms: loaded.state.next_ms });
        }
        let Some((rank, value)) = loaded.block.front().cloned() else {
            // Its last entry is gone; the next try finds a host without a queue.
            self.retire(slot)?;
            return Ok(Borrowed::Due { at_ms: now_ms });
        };
        let entry = self.decode(&name, &value)?;
        self.hosts.with_loaded(slot, super::host::Loaded::pop);
        self.hosts.turn(slot, Phase::Lent(rank), rank);
        Ok(Borrowed::Lent(Lease { host: name, entry, slot, rank, value }))
    }
}
