//! Looking one URL up, for people who ask: not for the crawl itself.

use super::queue::queue_key;
use super::schedule::queue_end;
use super::{Frontier, entry};
use crate::task::Entry;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Entries of a queue that are looked through.
const MOST: u64 = 10_000_000;

impl Frontier {
    /// The entry of a URL that waits (or is being fetched). Cost: linear in the queue of its host, of which the first ten million
    /// entries are looked through.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn waiting(&self, url: &CanonicalUrl) -> Result<Option<Entry>> {
        let host = url.host();
        let (mut found, mut count) = (None, 0);
        self.queue.scan(&queue_key(host, 0), &queue_end(host), |_, value| {
            count += 1;
            found = entry::decode(host, &value).filter(|entry| entry.url == *url);
            Ok(found.is_none() && count < MOST)
        })?;
        Ok(found)
    }
}
