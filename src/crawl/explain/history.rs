//! What the event log says of one URL.

use std::path::Path;

use webmill_capture::CanonicalUrl;
use webmill_capture::date::format_rfc3339;
use webmill_capture::error::{Error, Result};
use webmill_shard::Position;

use crate::Purpose;
use crate::event::{Event, outcome};
use crate::journal;

/// Events of one kind that are kept: the newest.
const KEPT: usize = 20;

/// Events that speak of a URL.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Its own, oldest first.
    pub own: Newest,
    /// Those of what it was redirected to, in the end.
    pub after: Newest,
    /// Those of URLs that redirect to it.
    pub before: Newest,
    /// Those of its origin's robots.txt.
    pub robots: Newest,
    /// Places of the log that could not be read.
    pub damaged: u64,
    /// There is no log.
    pub missing: bool,
}

/// The newest of many events.
#[derive(Debug, Default)]
pub(super) struct Newest {
    pub events: Vec<Event>,
    /// How many were left out before them.
    pub left_out: u64,
}

impl Newest {
    fn push(&mut self, event: Event) {
        if self.events.len() == KEPT {
            self.events.remove(0);
            self.left_out += 1;
        }
        self.events.push(event);
    }

    pub fn last(&self) -> Option<&Event> {
        self.events.last()
    }
}

impl History {
    /// Reads the whole log, also of a crawl that is running. A URL is known in any of `forms`. Memory: a few dozen events.
    pub fn read(events: &Path, forms: &[&CanonicalUrl], robots: &str) -> Result<History> {
        let mut history = History::default();
        let is_one = |text: &str| forms.iter().any(|form| form.as_str() == text);
        let visited = journal::replay(events, Position::default(), &mut |event| {
            let mine = is_one(&event.url)
                || (event.cut
                    && event.url.len() >= 64
                    && forms.iter().any(|f| f.as_str().starts_with(&event.url)));
            if event.purpose == Purpose::Robots {
                if event.url == robots {
                    history.robots.push(event);
                }
            } else if mine {
                history.own.push(event);
            } else if event.origin.as_deref().is_some_and(is_one) {
                history.after.push(event);
            } else if event.redirect_to.as_deref().is_some_and(is_one) {
                history.before.push(event);
            }
            Ok(())
        });
        match visited {
            Ok(visited) => history.damaged = visited.damaged,
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                history.missing = true
            }
            Err(error) => return Err(error),
        }
        Ok(history)
    }

    /// What became of it so far: the last event that is more than another attempt.
    pub fn verdict(&self) -> Option<&Event> {
        let passing = [outcome::RETRY, outcome::REQUEUED, outcome::IMPORTED];
        self.own.events.iter().rev().find(|event| !passing.contains(&&*event.outcome))
    }
}

/// An event in words: what came of which request when, and why.
pub(super) fn in_words(event: &Event) -> String {
    let mut text = format!("{}  {}", format_rfc3339(event.fetch_time_ms), event.outcome);
    if let Some(status) = event.status {
        text += &format!(", status {status}");
    }
    if event.bytes > 0 {
        text += &format!(", {} bytes in {} ms", event.bytes, event.elapsed_ms);
    }
    if event.retries > 0 {
        text += &format!(", attempt {}", u32::from(event.retries) + 1);
    }
    if let Some(to) = &event.redirect_to {
        text += &format!(", to {to}");
    }
    if let Some(rule) = &event.robots_reason {
        text += &format!(", robots.txt says: {rule}");
    }
    if let Some(detail) = &event.detail {
        text += &format!(", {detail}");
    }
    if let (Some(shard), Some(offset)) = (&event.shard, event.offset) {
        text += &format!(", in {shard} at byte {offset}");
    }
    text
}

/// What an outcome means.
pub(super) fn meaning(name: &str) -> &'static str {
    outcome::ALL.iter().find(|(known, _)| *known == name).map_or("", |(_, about)| about.trim())
}
