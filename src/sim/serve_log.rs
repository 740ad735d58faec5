//! What a server of a simulated Web was asked, for tests of politeness.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A request, as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// Number of the connection, from 0 in order of opening.
    pub connection: u64,
    /// HTTP method of the request.
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

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// A connection was opened.
    Opened(u64),
    /// A request has arrived with its last byte.
    Asked(LoggedRequest),
    /// The answer to the last request of a connection was sent, or could not be sent to its end.
    Answered(u64),
    /// A connection was closed, by either side.
    Closed(u64),
}

/// What happened at a server, kept in memory.
#[derive(Debug, Default)]
pub struct Recording(Mutex<Vec<(Instant, Happening)>>);

impl Recording {
    /// Adds what happened at a time.
    pub fn push(&self, at: Instant, what: Happening) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((at, what));
    }

    /// All that happened so far, by time.
    pub fn happenings(&self) -> Vec<(Instant, Happening)> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.sort_by_key(|(at, _)| *at);
        all
    }

    /// The requests so far, in the order of arrival.
    pub fn requests(&self) -> Vec<(Instant, LoggedRequest)> {
        let asked = |(at, what)| match what {
            Happening::Asked(asked) => Some((at, asked)),
            _ => None,
        };
        self.happenings().into_iter().filter_map(asked).collect()
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
