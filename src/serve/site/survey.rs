//! What an index holds in numbers, by one pass over it.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use crate::index::{CaptureSource, Entry, KeyRange, Timestamp};
use webmill_capture::Result;

use super::data::{CaptureLine, CollectionSummary, HostLine};

/// Newest captures kept.
const NEWEST: usize = 12;

/// The numbers of an index.
///
/// Hosts stand together in the order of keys, so they are counted one after another; 40 bytes and the name are kept of each.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Number of captures.
    pub captures: u64,
    /// Different keys.
    pub urls: u64,
    /// Bytes of the stored records whose length is known.
    pub bytes: u64,
    /// Time of the first capture.
    pub first: Option<Timestamp>,
    /// Time of the last.
    pub last: Option<Timestamp>,
    /// Hosts with their captures, most first, ties by name. Captures of URLs without a host, as `urn:` has them, are of none.
    pub hosts: Vec<(String, u64)>,
    /// The newest captures of HTML with status 2xx and a body, newest first, each URL once.
    pub newest: Vec<CaptureLine>,
}

/// A capture by time; of equal times the first of the index counts as newer.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct DatedCapture(std::cmp::Reverse<Timestamp>, u64);

impl Survey {
    /// Reads a whole index.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn of(index: &dyn CaptureSource) -> Result<Survey> {
        let mut survey = Survey::default();
        let (mut key, mut host, mut has_host) = (String::new(), String::new(), false);
        // The newest so far, oldest on top; of a URL only its newest.
        let mut heap: BinaryHeap<DatedCapture> = BinaryHeap::new();
        let mut lines = std::collections::HashMap::new();
        let mut pending: Option<CaptureLine> = None;
        let mut settle = |pending: Option<CaptureLine>, number: u64| {
            let Some(line) = pending else { return };
            heap.push(DatedCapture(std::cmp::Reverse(line.timestamp), number));
            lines.insert(number, line);
            if heap.len() > NEWEST
                && let Some(DatedCapture(_, oldest)) = heap.pop()
            {
                lines.remove(&oldest);
            }
        };
        index.scan(&KeyRange::default(), &mut |entry| {
            survey.captures += 1;
            survey.bytes += entry.length.unwrap_or(0);
            survey.first = Some(survey.first.map_or(entry.timestamp, |t| t.min(entry.timestamp)));
            survey.last = Some(survey.last.map_or(entry.timestamp, |t| t.max(entry.timestamp)));
            if survey.urls == 0 || *entry.urlkey != *key {
                settle(pending.take(), survey.urls);
                survey.urls += 1;
                key.clear();
                key.push_str(&entry.urlkey);
                let of_key = host_of(&entry.urlkey);
                if survey.urls == 1 || host != of_key {
                    of_key.clone_into(&mut host);
                    let name = host_name(&host, entry);
                    has_host = name.is_some();
                    survey.hosts.extend(name.map(|name| (name, 0)));
                }
            }
            if let (true, Some((_, count))) = (has_host, survey.hosts.last_mut()) {
                *count += 1;
            }
            let page = entry.mime.contains("html") && matches!(entry.status, Some(200..=203 | 206..=299));
            if page && pending.as_ref().is_none_or(|before| before.timestamp <= entry.timestamp) {
                pending = Some(line(entry));
            }
            ControlFlow::Continue(())
        })?;
        settle(pending.take(), survey.urls);
        let mut newest: Vec<(DatedCapture, CaptureLine)> =
            heap.into_iter().filter_map(|dated| lines.remove(&dated.1).map(|line| (dated, line))).collect();
        newest.sort_by(|a, b| a.0.cmp(&b.0));
        survey.newest = newest.into_iter().map(|(_, line)| line).collect();
        // Ports and schemes apart, a host can come in several runs.
        survey.hosts.sort();
        survey.hosts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        survey.hosts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(survey)
    }

    /// These numbers as those of a collection.
    pub fn summary(&self, name: &str) -> CollectionSummary {
        CollectionSummary {
            name: name.to_owned(),
            captures: self.captures,
            urls: Some(self.urls),
            hosts: Some(self.hosts.len() as u64),
            first: self.first,
            last: self.last,
            bytes: Some(self.bytes).filter(|bytes| *bytes > 0),
            ..CollectionSummary::default()
        }
    }

    /// Hosts from `offset`, at most `limit`.
    pub fn host_lines(&self, limit: usize, offset: usize) -> Vec<HostLine> {
        let line = |(host, captures): &(String, u64)| HostLine {
            host: host.clone(),
            captures: *captures,
            ..HostLine::default()
        };
        self.hosts.iter().skip(offset).take(limit).map(line).collect()
    }
}

/// What an entry says of a capture.
pub fn line(entry: &Entry<'_>) -> CaptureLine {
    CaptureLine {
        url: entry.url.to_string(),
        timestamp: entry.timestamp,
        status: entry.status,
        mime: entry.mime.to_string(),
        digest: entry.digest.to_string(),
        length: entry.length,
        title: None,
    }
}

/// The part of a key that says the host: `example,www` of `example,www)/path`.
fn host_of(key: &str) -> &str {
    key.split(')').next().unwrap_or(key)
}

/// A host's name from its key; from the URL where the key is not one of a host. `None` for a URL that has none.
fn host_name(of_key: &str, entry: &Entry<'_>) -> Option<String> {
    let plain = of_key.split(':').next().unwrap_or(of_key);
    if entry.urlkey.contains(')') && plain.contains(',') {
        return Some(plain.split(',').rev().collect::<Vec<_>>().join("."));
    }
    let rest = match entry.url.split_once(':') {
        Some((scheme, rest)) if !scheme.contains(['.', '/']) => rest.strip_prefix("//")?,
        _ => &entry.url,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    (!host.is_empty()).then(|| host.to_owned())
}
