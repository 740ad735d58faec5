//! What an operator needs of the frontier: notes beside the queues, a URL once more.

use super::Frontier;
use super::queue::queue_key;
use super::schedule::queue_end;
use super::seen::{self, SeenState};
use crate::task::Discovered;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Before the names of notes, so that they meet no key of the frontier's own.
const NOTE: &[u8] = b"note ";

impl Frontier {
    /// What was noted under a name.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn note(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.meta.get(&note_key(name))?.map(|bytes| bytes.to_vec()))
    }

    /// Notes something: it becomes a part of the next commit.
    pub fn set_note(&mut self, name: &str, bytes: &[u8]) {
        self.meta.put(note_key(name), bytes);
    }

    /// Queues a URL although it is known, unless it waits already; whether it does now. Reads the queue of its host.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn requeue(&mut self, found: &Discovered) -> Result<bool> {
        let host = found.url.host();
        let host_key = seen::host_key(self.options.hash_seed, host);
        let key = seen::url_key(self.options.hash_seed, host_key, &found.url);
        match self.seen.find(key)? {
            None => return self.add(found),
            Some(SeenState::Queued(_)) => return Ok(false),
            Some(SeenState::Yes) => {}
        }
        // Where it waits and was found to be done, it waits again.
        let cancelled = self.uncancel_key(key);
        if self.is_queued(&found.url)? {
            return Ok(cancelled);
        }
        self.add_again(found)?;
        Ok(true)
    }

    /// Whether a URL waits or is being fetched. Reads the queue of its host.
    pub(super) fn is_queued(&self, url: &CanonicalUrl) -> Result<bool> {
        let host = url.host();
        let mut queued = false;
        self.queue.scan(&queue_key(host, 0), &queue_end(host), |_, value| {
            queued = self.decode(host, &value)?.url == *url;
            Ok(!queued)
        })?;
        Ok(queued)
    }
}

fn note_key(name: &str) -> Vec<u8> {
    [NOTE, name.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Purpose;
    use crate::frontier::{After, FrontierOptions, Lease, Next, Strategy};

    fn found(url: &str) -> Discovered {
        Discovered::new(CanonicalUrl::parse(url).unwrap(), Purpose::Page)
    }

    fn lease(frontier: &mut Frontier, now_ms: i64) -> Option<Lease> {
        match frontier.next(now_ms).unwrap() {
            Next::Fetch(lease) => Some(lease),
            _ => None,
        }
    }

    fn options() -> FrontierOptions {
        FrontierOptions { memory: 16 << 20, ..FrontierOptions::default() }
    }

    #[test]
    fn notes_are_part_of_a_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frontier");
        let (mut frontier, _) = Frontier::open(&path, &options()).unwrap();
        frontier.set_note("control", b"one");
        assert_eq!(frontier.note("control").unwrap().as_deref(), Some(&b"one"[..]));
        frontier.commit(b"x").unwrap();
        frontier.set_note("control", b"two");
        drop(frontier);
        let (frontier, _) = Frontier::open(&path, &options()).unwrap();
        assert_eq!(frontier.note("control").unwrap().as_deref(), Some(&b"one"[..]));
        assert_eq!(frontier.note("other").unwrap(), None);
    }

    #[test]
    fn a_url_waits_once_more_and_only_once() {
        for (strategy, popularity) in [(Strategy::Breadth, 0.0), (Strategy::Best, 1.0)] {
            let folder = tempfile::tempdir().unwrap();
            let options = FrontierOptions { strategy, popularity, ..options() };
            let (mut frontier, _) = Frontier::open(&folder.path().join("f"), &options).unwrap();
            let (one, two) = (found("http://a.example/1"), found("http://a.example/2"));
            assert!(frontier.requeue(&one).unwrap(), "it was not known");
            assert!(!frontier.requeue(&one).unwrap(), "it waits");
            let lease_one = lease(&mut frontier, 1).unwrap();
            assert!(!frontier.requeue(&one).unwrap(), "it is being fetched");
            frontier.release(lease_one, After::Done).unwrap();
            assert!(!frontier.add(&one).unwrap());
            frontier.add(&two).unwrap();
            // It is said to be done, which is remembered for as long as its host has a queue.
            frontier.mark_seen(&one.url).unwrap();
            assert!(frontier.requeue(&one).unwrap());
            assert_eq!(frontier.queued_of("a.example", 100).unwrap(), 2);
            assert_eq!(frontier.queued_of("a.example", 1).unwrap(), 1);
            let mut left = Vec::new();
            while let Some(lease) = lease(&mut frontier, 2) {
                left.push(lease.entry.url.to_string());
                frontier.release(lease, After::Done).unwrap();
            }
            left.sort();
            assert_eq!(left, ["http://a.example/1", "http://a.example/2"], "{strategy:?}");
            assert_eq!(frontier.stats().queued, 0);
        }
    }
}
