//! What a server of a simulated Web was asked, for tests of politeness.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A request, as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Number of the connection, from 0 in order of opening.
    pub connection: u64,
    /// Method.
    pub method: String,
    /// Host name.
    pub host: String,
    /// Absolute URL.
    pub url: String,
    /// Value of `User-Agent`.
    pub user_agent: String,
    /// Which request for this URL it is, from 0; counted only where the answer depends on it.
    pub attempt: u32,
    /// Status of the answer; 0 where there is none.
    pub status: u16,
    /// Value of `If-None-Match`.
    pub if_none_match: Option<String>,
    /// Value of `If-Modified-Since`.
    pub if_modified_since: Option<String>,
}

/// Hears of everything that happens at a server. Called by its threads: to be quick.
pub trait Recorder: Send + Sync {
    /// A connection was opened.
    fn opened(&self, connection: u64, at: Instant);
    /// A request has arrived with its last byte.
    fn asked(&self, asked: Asked, at: Instant);
    /// The answer to the last request of a connection was sent, or could not be sent to its end.
    fn answered(&self, connection: u64, at: Instant);
    /// A connection was closed, by either side.
    fn closed(&self, connection: u64, at: Instant);
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// A connection was opened.
    Opened(u64),
    /// A request arrived.
    Asked(Asked),
    /// It was answered, on this connection.
    Answered(u64),
    /// A connection was closed.
    Closed(u64),
}

/// A recorder that keeps everything in memory.
#[derive(Debug, Default)]
pub struct Recording(Mutex<Vec<(Instant, Happening)>>);

impl Recorder for Recording {
    fn opened(&self, connection: u64, at: Instant) {
        self.push(at, Happening::Opened(connection));
    }

    fn asked(&self, asked: Asked, at: Instant) {
        self.push(at, Happening::Asked(asked));
    }

    fn answered(&self, connection: u64, at: Instant) {
        self.push(at, Happening::Answered(connection));
    }

    fn closed(&self, connection: u64, at: Instant) {
        self.push(at, Happening::Closed(connection));
    }
}

impl Recording {
    fn push(&self, at: Instant, what: Happening) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((at, what));
    }

    /// All that happened so far, by time.
    pub fn happenings(&self) -> Vec<(Instant, Happening)> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.sort_by_key(|(at, _)| *at);
        all
    }

    /// The requests so far, in the order of arrival.
    pub fn requests(&self) -> Vec<(Instant, Asked)> {
        let asked = |(at, what)| match what {
            Happening::Asked(asked) => Some((at, asked)),
            _ => None,
        };
        self.happenings().into_iter().filter_map(asked).collect()
    }

    /// The greatest number of connections that a host had at one time. A connection is a host's from its first request
    /// for that host until it closes or asks for another host.
    pub fn most_connections(&self) -> BTreeMap<String, usize> {
        let mut host_of: BTreeMap<u64, String> = BTreeMap::new();
        let mut open: BTreeMap<String, usize> = BTreeMap::new();
        let mut most: BTreeMap<String, usize> = BTreeMap::new();
        for (_, what) in self.happenings() {
            let (connection, host) = match what {
                Happening::Asked(asked) => (asked.connection, Some(asked.host)),
                Happening::Closed(connection) => (connection, None),
                _ => continue,
            };
            if host_of.get(&connection) == host.as_ref() {
                continue;
            }
            if let Some(before) = host_of.remove(&connection) {
                *open.entry(before).or_default() -= 1;
            }
            if let Some(host) = host {
                let now = open.entry(host.clone()).or_default();
                *now += 1;
                let most = most.entry(host.clone()).or_default();
                *most = (*most).max(*now);
                host_of.insert(connection, host);
            }
        }
        most
    }

    /// The shortest time, by host, from the arrival of one request to that of the next.
    pub fn least_gaps(&self) -> BTreeMap<String, Duration> {
        let mut last: BTreeMap<String, Instant> = BTreeMap::new();
        let mut least: BTreeMap<String, Duration> = BTreeMap::new();
        for (at, asked) in self.requests() {
            if let Some(before) = last.insert(asked.host.clone(), at) {
                let gap = at.duration_since(before);
                least.entry(asked.host).and_modify(|least| *least = gap.min(*least)).or_insert(gap);
            }
        }
        least
    }

    /// How often each URL was asked for.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (_, asked) in self.requests() {
            *counts.entry(asked.url).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_a_host_are_counted_while_they_are_open() {
        let recording = Recording::default();
        let start = Instant::now();
        let ms = |n| start + Duration::from_millis(n);
        let ask = |connection, host: &str, at| {
            let url = format!("http://{host}/");
            let (method, host) = ("GET".into(), host.into());
            let user_agent = String::new();
            let (if_none_match, if_modified_since) = (None, None);
            let asked = Asked {
                connection,
                method,
                host,
                url,
                user_agent,
                attempt: 0,
                status: 200,
                if_none_match,
                if_modified_since,
            };
            recording.asked(asked, ms(at));
        };
        ask(0, "a", 0);
        ask(0, "a", 10);
        ask(1, "b", 11);
        recording.closed(0, ms(12));
        ask(1, "a", 40);
        ask(2, "b", 41);
        ask(3, "b", 45);
        assert_eq!(recording.most_connections(), [("a".into(), 1), ("b".into(), 2)].into());
        let gaps = [("a".into(), Duration::from_millis(10)), ("b".into(), Duration::from_millis(4))];
        assert_eq!(recording.least_gaps(), gaps.into());
        assert_eq!(recording.counts()["http://a/"], 3);
    }
}
