//! Known URLs and hosts that come back: URLs asked for again, hosts that were left alone, hosts changed from outside.

use super::host::{self, BY_TIME, Place, time_bytes};
use super::queue::name_key;
use super::seen::{self, SeenState};
use super::{ALONE, Frontier, NEVER_MS, entry, rank};
use crate::task::{Discovered, Entry, HostState};
use webmill_capture::error::Result;

/// Hosts that come back at once.
const BATCH: usize = 1024;

/// What came of the wish to change a host's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Changed {
    /// It is changed, and the host is where it belongs now.
    Done,
    /// It is changed, and counts when the host is released.
    Leased,
    /// It is changed; the host has nothing queued.
    Idle,
}

impl Frontier {
    /// Queues a URL, known or not. One that waits already is queued twice: call it only for URLs that are known to be done.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn add_again(&mut self, found: &Discovered) -> Result<()> {
        let host = found.url.host();
        let host_key = seen::host_key(self.options.hash_seed, host);
        let key = seen::url_key(self.options.hash_seed, host_key, &found.url);
        // Where it was marked as done while it waited, it waits again.
        if self.uncancel_key(key) && self.is_queued(&found.url)? {
            return Ok(());
        }
        let class = self.head.class(found, &self.options);
        let rank = rank::rank(class, self.head.next_sequence());
        let known = if self.counts_links() { SeenState::Queued(rank) } else { SeenState::Yes };
        match self.seen.find(key)? {
            None => self.seen.insert(key, known),
            Some(_) => self.seen.set(key, known),
        }
        self.head.seen = self.seen.count;
        self.head.queued += 1;
        self.enqueue(host, host_key, rank, entry::encode(&entry::Fields::from(found)).into())
    }

    /// Lets every host come back that was left alone until [`NEVER_MS`]: `change` makes its state that of a host to be asked.
    /// How many there were.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn revive(&mut self, change: &mut dyn FnMut(&str, &mut HostState)) -> Result<u64> {
        let mut revived = 0;
        loop {
            // Those in memory wait there; those on disk are listed by their time.
            let mut names: Vec<std::sync::Arc<str>> = Vec::new();
            for (_, slot) in self.hosts.waiting.range((NEVER_MS, 0)..).take(BATCH) {
                names.push(self.hosts.get(*slot).name.clone());
            }
            let start = [&[BY_TIME][..], &time_bytes(NEVER_MS)].concat();
            self.index.scan(&start, &[BY_TIME + 1], |key, value| {
                let (_, name) = self.read_place(key, &value)?;
                names.push(name.into());
                Ok(names.len() < BATCH)
            })?;
            if names.is_empty() {
                return Ok(revived + self.revive_idle(change)?);
            }
            names.sort_unstable();
            names.dedup();
            for name in names {
                self.revive_host(&name, change)?;
                revived += 1;
            }
        }
    }

    /// The same for hosts that had nothing queued when they were left alone: what was found of them since waits too.
    fn revive_idle(&mut self, change: &mut dyn FnMut(&str, &mut HostState)) -> Result<u64> {
        let mut revived = 0;
        loop {
            let mut keys: Vec<Vec<u8>> = Vec::new();
            self.index.scan(&[ALONE], &[ALONE + 1], |key, _| {
                keys.push(key.to_vec());
                Ok(keys.len() < BATCH)
            })?;
            if keys.is_empty() {
                return Ok(revived);
            }
            for key in keys {
                let name = std::str::from_utf8(&key[1..]);
                let name = name.map_err(|_| self.store.corrupt("a key of its index cannot be read"))?;
                if self.state_of(name)?.is_some_and(|state| state.next_ms >= NEVER_MS) {
                    self.revive_host(name, change)?;
                    revived += 1;
                }
                self.index.remove(key);
            }
        }
    }

    fn revive_host(&mut self, name: &str, change: &mut dyn FnMut(&str, &mut HostState)) -> Result<Changed> {
        self.change_host(name, &mut |state| {
            change(name, state);
            state.next_ms = state.next_ms.min(NEVER_MS - 1);
        })
    }

    /// Notes that a host without a queue is left alone: [`Frontier::revive`] finds hosts by their place, and it has none.
    pub(super) fn note_alone(&mut self, name: &str, state: &HostState) {
        if state.next_ms >= NEVER_MS {
            self.index.put([&[ALONE], name.as_bytes()].concat(), []);
        }
    }

    /// Changes the state of a host, leased or not, known or not; its `next_ms` decides when it is due.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn change_host(&mut self, name: &str, change: &mut dyn FnMut(&mut HostState)) -> Result<Changed> {
        let key = seen::host_key(self.options.hash_seed, name);
        let slot = match self.hosts.find(key) {
            Some(slot) => slot,
            None => match self.place(name, key)? {
                Some(place) => self.activate(name.into(), key, place),
                None => {
                    let mut state = self.state_of(name)?.unwrap_or_default();
                    change(&mut state);
                    self.states.put(name_key(name), host::state_bytes(&state)?);
                    self.note_alone(name, &state);
                    return Ok(Changed::Idle);
                }
            },
        };
        self.load(slot)?;
        let host = self.hosts.get_mut(slot);
        let leased = matches!(host.phase, super::Phase::Leased(_));
        if let Some(loaded) = host.loaded.as_mut() {
            change(&mut loaded.state);
            if !std::mem::replace(&mut loaded.dirty, true) {
                self.dirty.push(slot);
            }
        }
        if leased {
            return Ok(Changed::Leased);
        }
        let (old, bound) = (self.hosts.get(slot).place, self.hosts.get(slot).bound);
        if old.time.is_some() {
            // A host that is listed under a time far away would not be found after a restart.
            let place = Place { time: None, rank: old.rank.min(bound) };
            self.set_place(name, key, Some(old), place);
            self.hosts.get_mut(slot).place = place;
        }
        self.settle(slot)?;
        Ok(Changed::Done)
    }

    /// The state of a host as it was last written or is in memory; `None`: nothing was ever asked of it.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn state_of(&self, name: &str) -> Result<Option<HostState>> {
        let key = seen::host_key(self.options.hash_seed, name);
        if let Some(loaded) = self.hosts.find(key).and_then(|slot| self.hosts.get(slot).loaded.as_ref()) {
            return Ok(Some(loaded.state.clone()));
        }
        let Some(bytes) = self.states.get(&name_key(name))? else { return Ok(None) };
        self.parse_state(name, &bytes).map(Some)
    }

    pub(super) fn parse_state(&self, name: &str, bytes: &[u8]) -> Result<HostState> {
        postcard::from_bytes(bytes).map_err(|error| self.store.corrupt(format!("state of {name}: {error}")))
    }

    /// URLs queued of a host, up to `most` of them counted.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn queued_of(&self, name: &str, most: u64) -> Result<u64> {
        let (start, end) = (super::queue::queue_key(name, 0), super::schedule::queue_end(name));
        let mut count = 0;
        self.queue.scan(&start, &end, |_, _| {
            count += 1;
            Ok(count < most)
        })?;
        Ok(count)
    }

    /// Visits the queued URLs of a host, in order.
    ///
    /// # Errors
    /// Those of `visit`; [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn each_queued(&self, host: &str, visit: &mut dyn FnMut(Entry) -> Result<()>) -> Result<()> {
        let (start, end) = (super::queue::queue_key(host, 0), super::schedule::queue_end(host));
        self.queue.scan(&start, &end, |_, value| {
            visit(self.decode(host, &value)?)?;
            Ok(true)
        })
    }

    /// Visits every host that is in trouble and not due: its state and how many of its URLs wait.
    ///
    /// # Errors
    /// Those of `visit`; [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn each_left_alone(&self, visit: &mut dyn FnMut(&str, &HostState, u64) -> Result<()>) -> Result<()> {
        let mut visit_name = |name: &str| {
            let state = self.state_of(name)?.unwrap_or_default();
            if state.next_ms > self.now_ms && state.failures > 0 {
                visit(name, &state, self.queued_of(name, u64::MAX)?)?;
            }
            Ok(true)
        };
        for (_, slot) in self.hosts.waiting.iter() {
            visit_name(&self.hosts.get(*slot).name.clone())?;
        }
        self.index.scan(&[BY_TIME], &[BY_TIME + 1], |key, value| {
            let (_, name) = self.read_place(key, &value)?;
            let in_memory = self.hosts.find(seen::host_key(self.options.hash_seed, name));
            if in_memory.is_some() { Ok(true) } else { visit_name(name) }
        })
    }

    /// Visits every host that something was asked of, or that something is queued of, in the order of their names: its
    /// state and how many of its URLs wait.
    ///
    /// # Errors
    /// Those of `visit`; [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn each_host(&self, visit: &mut dyn FnMut(&str, &HostState, u64) -> Result<()>) -> Result<()> {
        let mut from = Vec::new();
        loop {
            let hosts = self.next_hosts(&from)?;
            let Some((last, _)) = hosts.last() else { return Ok(()) };
            from = [&name_key(last)[..], &[0]].concat();
            let queued = self.queued_of_each(&hosts)?;
            for ((name, bytes), queued) in hosts.iter().zip(queued) {
                let key = seen::host_key(self.options.hash_seed, name);
                let loaded = self.hosts.find(key).and_then(|slot| self.hosts.get(slot).loaded.as_ref());
                match (loaded, bytes) {
                    (Some(loaded), _) => visit(name, &loaded.state, queued)?,
                    (None, Some(bytes)) => visit(name, &self.parse_state(name, bytes)?, queued)?,
                    (None, None) => visit(name, &HostState::default(), queued)?,
                }
            }
        }
    }

    /// Whether something was asked of a host, or is queued of it.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn knows_host(&self, name: &str) -> Result<bool> {
        let key = seen::host_key(self.options.hash_seed, name);
        Ok(self.hosts.find(key).is_some()
            || self.place(name, key)?.is_some()
            || self.state_of(name)?.is_some())
    }

    /// The names of hosts that [`Frontier::knows_host`] knows, in their order, `most` or a few more of them.
    ///
    /// # Errors
    /// As there.
    pub fn host_names(&self, most: usize) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        while names.len() < most {
            let from = names.last().map_or_else(Vec::new, |last| [&name_key(last)[..], &[0]].concat());
            let hosts = self.next_hosts(&from)?;
            if hosts.is_empty() {
                break;
            }
            names.extend(hosts.into_iter().map(|(name, _)| name));
        }
        Ok(names)
    }

    /// The next hosts that have a state or a queue, in the order of their keys, and their states as written; none: there are no more.
    fn next_hosts(&self, from: &[u8]) -> Result<Vec<(String, Option<fjall::Slice>)>> {
        let mut hosts = std::collections::BTreeMap::new();
        for (layer, has_state) in [(&self.states, true), (&self.places, false)] {
            let mut left = BATCH;
            layer.scan(from, &[0xff], |key, value| {
                let state = hosts.entry(key.to_vec()).or_insert(None);
                if has_state {
                    *state = Some(value);
                }
                left -= 1;
                Ok(left > 0)
            })?;
        }
        // Of both together, no more than either was asked for: behind that one of them may have more.
        let names = hosts.into_iter().take(BATCH).map(|(key, state)| match String::from_utf8(key) {
            Ok(name) if name == "\0" => Ok((String::new(), state)),
            Ok(name) => Ok((name, state)),
            Err(_) => Err(self.store.corrupt("a host without a name")),
        });
        names.collect()
    }

    /// URLs queued of each of these hosts, which are in the order of their keys, in one walk.
    fn queued_of_each(&self, hosts: &[(String, Option<fjall::Slice>)]) -> Result<Vec<u64>> {
        let mut counts = vec![0; hosts.len()];
        let [(first, _), ..] = hosts else { return Ok(counts) };
        let (start, end) =
            (super::queue::queue_key(first, 0), super::schedule::queue_end(&hosts[hosts.len() - 1].0));
        let mut at = 0;
        self.queue.scan(&start, &end, |key, _| {
            let name = key.len().checked_sub(super::queue::RANK_BYTES).map(|end| &key[..end]);
            let name = name.ok_or_else(|| self.store.corrupt("a key of its queue is too short"))?;
            while at < hosts.len() && hosts[at].0.as_bytes() < name {
                at += 1;
            }
            if hosts.get(at).is_some_and(|host| host.0.as_bytes() == name) {
                counts[at] += 1;
            }
            Ok(true)
        })?;
        Ok(counts)
    }
}
