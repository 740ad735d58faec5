//! What an index holds in numbers, by one pass over it.

use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::ops::ControlFlow;

use crate::index::{CaptureSource, Entry, KeyRange, Timestamp};
use webmill_capture::cut::Cut;
use webmill_capture::{CanonicalUrl, Result};

use super::data::{CaptureLine, CollectionSummary, HostLine};

/// Newest captures kept.
const NEWEST: usize = 12;
/// URLs of one key that are told apart; further ones are not counted.
const FORMS: usize = 1 << 20;

/// The numbers of an index.
///
/// URLs and hosts are counted as tables count them, by the canonical URL: one key stands for http and https, with `www.` and
/// without. Hosts stand nearly together in the order of keys; 40 bytes and the name are kept of each.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Number of captures.
    pub captures: u64,
    /// Different canonical URLs.
    pub urls: u64,
    /// Bytes of the stored records whose length is known.
    pub bytes: u64,
    /// Time of the first capture.
    pub first: Option<Timestamp>,
    /// Time of the last.
    pub last: Option<Timestamp>,
    /// Hosts with their captures, most first, ties by name. Captures of URLs without a host, as `urn:` and `dns:` have them,
    /// are of none.
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
        let (mut keys, mut key) = (0, String::new());
        // The URL before, and those of its key, once there are two that differ as texts.
        let (mut before, mut forms) = (String::new(), HashSet::new());
        // Captures of hosts whose keys stand together; the name of the last host and the text that it was read from.
        let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
        let (mut name, mut authority) = (None, String::new());
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
            if keys == 0 || *entry.urlkey != *key {
                settle(pending.take(), keys);
                if host_of(&entry.urlkey) != host_of(&key) {
                    survey.hosts.extend(std::mem::take(&mut hosts));
                }
                keys += 1;
                survey.urls += 1;
                key.clear();
                key.push_str(&entry.urlkey);
                forms.clear();
            } else if *entry.url != *before {
                if forms.is_empty() {
                    forms.insert(canonical(&before));
                }
                if forms.len() < FORMS && forms.insert(canonical(&entry.url)) {
                    survey.urls += 1;
                }
            }
            if *entry.url != *before {
                entry.url.as_ref().clone_into(&mut before);
            }
            if authority_of(&entry.url) != authority || survey.captures == 1 {
                authority_of(&entry.url).clone_into(&mut authority);
                let host = CanonicalUrl::parse_stored(&entry.url).map(|url| url.host().to_owned());
                name = host.filter(|host| !host.is_empty());
            }
            if let Some(name) = &name {
                match hosts.get_mut(name) {
                    Some(captures) => *captures += 1,
                    None => drop(hosts.insert(name.clone(), 1)),
                }
            }
            let page = entry.mime.contains("html") && matches!(entry.status, Some(200..=203 | 206..=299));
            if page && pending.as_ref().is_none_or(|before| before.timestamp <= entry.timestamp) {
                pending = Some(line(entry));
            }
            ControlFlow::Continue(())
        })?;
        settle(pending.take(), keys);
        survey.hosts.extend(hosts);
        let mut newest: Vec<(DatedCapture, CaptureLine)> =
            heap.into_iter().filter_map(|dated| lines.remove(&dated.1).map(|line| (dated, line))).collect();
        newest.sort_by(|a, b| a.0.cmp(&b.0));
        survey.newest = newest.into_iter().map(|(_, line)| line).collect();
        // By ports and schemes, a host can come in several runs.
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

    /// Name, title and description of a collection, with its numbers.
    pub fn summary(&self, about: CollectionSummary) -> CollectionSummary {
        CollectionSummary {
            captures: self.captures,
            urls: Some(self.urls),
            hosts: Some(self.hosts.len() as u64),
            first: self.first,
            last: self.last,
            bytes: Some(self.bytes).filter(|bytes| *bytes > 0),
            ..about
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

/// The canonical URL, in short; `None` for all that are none.
fn canonical(url: &str) -> Option<u128> {
    CanonicalUrl::parse_stored(url).map(|url| url.key().0)
}

/// Scheme and authority as they stand in a URL: where they are equal, so are hosts. All of it where it has no `//`.
fn authority_of(url: &str) -> &str {
    let start = url.find("://").map_or(url.len(), |at| at + 3);
    let end = url.cut(start..).find(['/', '?', '#', '\\']).map_or(url.len(), |end| start + end);
    url.cut(..end)
}
