//! What revisits stand for, and how often a content was seen, within one key.

use std::collections::HashMap;

use crate::index::Entry;

/// Most digests of one key that are remembered; captures with further ones count as first.
const MAX_DIGESTS: usize = 100_000;

/// The capture that a revisit stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OriginalCapture {
    /// Its media type.
    pub mime: String,
    /// Bytes stored.
    pub length: Option<u64>,
    /// Byte offset.
    pub offset: u64,
    /// Shard.
    pub filename: String,
}

/// Contents of the key that the walk is in.
#[derive(Debug, Default)]
pub(super) struct SeenContents {
    urlkey: String,
    originals: HashMap<String, OriginalCapture>,
    counts: HashMap<String, u64>,
}

impl SeenContents {
    /// Notes an entry, before anything is left out.
    pub fn note(&mut self, entry: &Entry<'_>) {
        if self.urlkey != *entry.urlkey {
            self.urlkey = entry.urlkey.to_string();
            self.originals.clear();
            self.counts.clear();
        }
        if !entry.is_revisit()
            && !entry.digest.is_empty()
            && self.originals.len() < MAX_DIGESTS
            && !self.originals.contains_key(&*entry.digest)
        {
            let original = OriginalCapture {
                mime: entry.mime.to_string(),
                length: entry.length,
                offset: entry.offset,
                filename: entry.filename.to_string(),
            };
            self.originals.insert(entry.digest.to_string(), original);
        }
    }

    /// The capture before a revisit, of its key and digest.
    pub fn original(&self, entry: &Entry<'_>) -> Option<&OriginalCapture> {
        if entry.is_revisit() { self.originals.get(&*entry.digest) } else { None }
    }

    /// How many were counted before this one with its digest; counts it.
    pub fn count(&mut self, entry: &Entry<'_>) -> u64 {
        if entry.digest.is_empty() {
            return 0;
        }
        if let Some(count) = self.counts.get_mut(&*entry.digest) {
            *count += 1;
            return *count;
        }
        if self.counts.len() < MAX_DIGESTS {
            self.counts.insert(entry.digest.to_string(), 0);
        }
        0
    }
}
