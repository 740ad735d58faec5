//! What agents that share a crawl need of the frontier: whole hosts taken out, keys of what others did.

use super::queue::queue_key;
use super::schedule::queue_end;
use super::seen::{self, SeenState};
use super::{Frontier, Layer, Phase};
use crate::task::{Entry, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Tells keys of URLs that were handed to other agents from keys of the own ones.
const HANDED_OVER: u128 = 0x6a09_e667_f3bc_c908_bb67_ae85_84ca_a73b;

/// Key of a URL: sixteen bytes of hash, the first four of its host.
pub type Key = u128;

impl Frontier {
    /// Whether a URL is handed to the agent `owner` for the first time; it is noted.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn hand_over_once(&mut self, url: &CanonicalUrl, owner: &str) -> Result<bool> {
        let host_key = seen::host_key(self.options.hash_seed, url.host());
        let of_owner = HANDED_OVER ^ u128::from(xxhash_rust::xxh3::xxh3_64(owner.as_bytes()));
        let key = seen::url_key(self.options.hash_seed, host_key, url) ^ of_owner;
        if self.seen.get(key)?.is_some() {
            return Ok(false);
        }
        self.seen.insert(key, SeenState::Yes);
        self.head.seen = self.seen.count;
        Ok(true)
    }

    /// Hosts with a queue, in the order of their names, behind `after`.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn hosts_behind(&self, after: &str, most: usize) -> Result<Vec<String>> {
        names_behind(&self.places, after, most)
    }

    /// Hosts of which something was ever asked or known, in the order of their names, behind `after`.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn known_hosts_behind(&self, after: &str, most: usize) -> Result<Vec<String>> {
        names_behind(&self.states, after, most)
    }

    /// Keys of the known facts about a host: its finished URLs, if none waits; perhaps some of another host.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn known_keys(&self, host: &str) -> Result<Vec<Key>> {
        self.seen.keys_of_host(seen::host_key(self.options.hash_seed, host))
    }

    /// Takes a host out with all that waits of it, which are not known any more then; finished URLs stay known. None: it is
    /// leased, or has no queue.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn take_host(&mut self, host: &str) -> Result<Option<Vec<Entry>>> {
        let host_key = seen::host_key(self.options.hash_seed, host);
        let slot = match self.hosts.find(host_key) {
            Some(slot) => slot,
            None => match self.place(host, host_key)? {
                Some(place) => self.activate(host.into(), host_key, place),
                None => return Ok(None),
            },
        };
        if let Phase::Leased(_) = self.hosts.get(slot).phase {
            return Ok(None);
        }
        let mut waiting = Vec::new();
        let mut keys = Vec::new();
        self.queue.scan(&queue_key(host, 0), &queue_end(host), |key, value| {
            keys.push(fjall::Slice::from(key));
            waiting.push(self.decode(host, &value)?);
            Ok(true)
        })?;
        for key in keys {
            self.queue.remove(key);
            self.head.queued -= 1;
        }
        let requisites =
            waiting.iter().filter(|entry: &&Entry| entry.purpose == Purpose::Requisite).count() as u64;
        self.requisites_waiting = self.requisites_waiting.saturating_sub(requisites);
        waiting.retain(|entry| {
            let key = seen::url_key(self.options.hash_seed, host_key, &entry.url);
            // What is known as done while it waits stays known.
            let done = self.cancelled.remove(&key);
            if done {
                self.index.remove(super::queue::cancelled_key(key));
            } else {
                self.seen.remove(key);
            }
            !done
        });
        self.head.seen = self.seen.count;
        self.retire(slot)?;
        Ok(Some(waiting))
    }

    /// Makes a URL known as done by its key, as [`Frontier::mark_seen`] does.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn mark_done(&mut self, host: &str, key: Key) -> Result<()> {
        let host_key = seen::host_key(self.options.hash_seed, host);
        self.mark_key(host, host_key, key)
    }
}

/// Names of hosts that are the keys of a layer, behind `after`.
fn names_behind(layer: &Layer, after: &str, most: usize) -> Result<Vec<String>> {
    let mut names = Vec::new();
    layer.scan(&[after.as_bytes(), &[0]].concat(), &[0xff], |name, _| {
        if let Ok(name) = std::str::from_utf8(name) {
            names.push(name.trim_end_matches('\0').to_owned());
        }
        Ok(names.len() < most)
    })?;
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::{After, FrontierOptions, Next, Strategy};
    use crate::task::Discovered;

    fn found(url: &str) -> Discovered {
        Discovered { depth: 2, ..Discovered::new(CanonicalUrl::parse(url).unwrap(), Purpose::Page) }
    }

    fn fetch_all(frontier: &mut Frontier) -> Vec<String> {
        let mut urls = Vec::new();
        while let Next::Fetch(lease) = frontier.next(10).unwrap() {
            urls.push(lease.entry.url.to_string());
            frontier.release(lease, After::Done).unwrap();
        }
        urls.sort();
        urls
    }

    #[test]
    fn a_host_goes_from_one_frontier_to_another_and_back_and_nothing_is_done_twice() {
        for (strategy, popularity) in [(Strategy::Breadth, 0.0), (Strategy::Best, 1.0)] {
            let folder = tempfile::tempdir().unwrap();
            let options =
                FrontierOptions { strategy, popularity, memory: 16 << 20, ..FrontierOptions::default() };
            let open = |name: &str| Frontier::open(&folder.path().join(name), &options).unwrap().0;
            let (mut one, mut two) = (open("one"), open("two"));
            for n in 0..5 {
                one.add(&found(&format!("http://a.example/{n}"))).unwrap();
            }
            one.add(&found("http://b.example/")).unwrap();
            let mut leases = Vec::new();
            while let Next::Fetch(lease) = one.next(10).unwrap() {
                leases.push(lease);
            }
            assert_eq!(one.take_host("a.example").unwrap(), None, "it is being asked");
            leases.into_iter().for_each(|lease| one.release(lease, After::Done).unwrap());
            for committed in [false, true] {
                if committed {
                    one.commit(b"x").unwrap();
                }
            }
            let handed = one.take_host("a.example").unwrap().unwrap();
            let done = one.known_keys("a.example").unwrap();
            assert_eq!((handed.len(), done.len()), (4, 1), "{strategy:?}");
            assert_eq!(one.take_host("a.example").unwrap(), None);
            assert_eq!(one.hosts_behind("", 9).unwrap(), Vec::<String>::new());
            one.commit(b"x").unwrap();

            // The receiver met one that is done elsewhere before it was told.
            for n in 0..5 {
                two.add(&found(&format!("http://a.example/{n}"))).unwrap();
            }
            done.iter().for_each(|key| two.mark_done("a.example", *key).unwrap());
            assert_eq!(two.hosts_behind("", 9).unwrap(), ["a.example"]);
            let back = two.take_host("a.example").unwrap().unwrap();
            assert_eq!((back.len(), two.known_keys("a.example").unwrap()), (4, done));

            // Back where it was, what had waited waits again.
            drop(one);
            let mut one = open("one");
            for entry in &back {
                assert!(one.add(&found(entry.url.as_str())).unwrap(), "{}", entry.url);
            }
            assert_eq!(fetch_all(&mut one).len(), 4);
            assert_eq!(one.stats().queued, 0);
        }
    }

    #[test]
    fn a_url_is_handed_to_each_agent_once() {
        let folder = tempfile::tempdir().unwrap();
        let options = FrontierOptions { memory: 16 << 20, ..FrontierOptions::default() };
        let (mut frontier, _) = Frontier::open(&folder.path().join("f"), &options).unwrap();
        let url = CanonicalUrl::parse("http://c.example/").unwrap();
        for (owner, first) in [("a", true), ("a", false), ("b", true), ("b", false)] {
            assert_eq!(frontier.hand_over_once(&url, owner).unwrap(), first, "{owner}");
        }
        assert!(frontier.add(&found("http://c.example/")).unwrap(), "handed over is not known");
    }
}
