//! Whatever holds entries in order.

use std::ops::ControlFlow;

use webmill_capture::Result;

use crate::index::{Entry, Timestamp};

/// Keys from `from` (inclusive) to `to` (exclusive; `None`: to the end), by bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// First key.
    pub from: String,
    /// First key after the range.
    pub to: Option<String>,
}

impl KeyRange {
    /// One key alone.
    pub fn exact(key: &str) -> Self {
        KeyRange { from: key.to_owned(), to: Some(format!("{key}\0")) }
    }

    /// All keys that begin with `prefix`, which ends in ASCII (as all keys do).
    pub fn prefix(prefix: &str) -> Self {
        let mut to = prefix.to_owned();
        let next = loop {
            match to.pop() {
                None => break None,
                Some(last) if last < '\u{7f}' => {
                    to.push((last as u8 + 1) as char);
                    break Some(to);
                }
                Some(_) => {}
            }
        };
        KeyRange { from: prefix.to_owned(), to: next }
    }

    /// Whether a key lies in it.
    pub fn contains(&self, key: &str) -> bool {
        self.from.as_str() <= key && self.to.as_deref().is_none_or(|to| key < to)
    }
}

/// What an entry is handed to; it breaks when it has enough.
pub type Scan<'a> = &'a mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>;

/// Entries by key, then time, then file name, then offset.
pub trait CaptureSource: Send + Sync {
    /// Hands out the entries of `range` in order, until `visit` breaks.
    ///
    /// # Errors
    /// Where the index cannot be read.
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()>;

    /// The same backwards. The default gathers the range first; sources that can do better, do.
    ///
    /// # Errors
    /// As [`CaptureSource::scan`].
    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        let mut all = Vec::new();
        self.scan(range, &mut |entry| {
            all.push(entry.clone().into_owned());
            ControlFlow::Continue(())
        })?;
        let _ = all.iter().rev().try_for_each(visit);
        Ok(())
    }
}

/// Entries in memory: for a few files, for tests, and as what every other source must agree with.
#[derive(Debug, Clone, Default)]
pub struct MemoryIndex {
    entries: Vec<Entry<'static>>,
}

impl MemoryIndex {
    /// Sorts the entries.
    pub fn new(mut entries: Vec<Entry<'static>>) -> Self {
        entries.sort_by(|a, b| order(a).cmp(&order(b)));
        MemoryIndex { entries }
    }

    /// The entries in order.
    pub fn entries(&self) -> &[Entry<'static>] {
        &self.entries
    }
}

/// What entries are ordered by.
fn order<'e>(entry: &'e Entry<'_>) -> (&'e str, Timestamp, &'e str, u64) {
    (&entry.urlkey, entry.timestamp, &entry.filename, entry.offset)
}

impl CaptureSource for MemoryIndex {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        let from = self.entries.partition_point(|entry| *entry.urlkey < *range.from);
        let _ = self.entries[from..]
            .iter()
            .take_while(|entry| range.to.as_deref().is_none_or(|to| *entry.urlkey < *to))
            .try_for_each(visit);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_they_say() {
        let entry = |urlkey: &str, timestamp| Entry {
            urlkey: urlkey.to_owned().into(),
            timestamp: Timestamp(timestamp),
            ..Entry::default()
        };
        let index = MemoryIndex::new(vec![
            entry("a)/b", 2),
            entry("a)/", 9),
            entry("a)/b", 1),
            entry("a)/bc", 1),
            entry("b)/", 1),
        ]);
        let keys = |range: &KeyRange| {
            let mut keys = Vec::new();
            let mut visit = |entry: &Entry<'_>| {
                keys.push(format!("{} {}", entry.urlkey, entry.timestamp.0));
                ControlFlow::Continue(())
            };
            index.scan(range, &mut visit).unwrap();
            keys
        };
        assert_eq!(keys(&KeyRange::exact("a)/b")), ["a)/b 1", "a)/b 2"]);
        assert_eq!(keys(&KeyRange::prefix("a)/b")), ["a)/b 1", "a)/b 2", "a)/bc 1"]);
        assert_eq!(keys(&KeyRange::prefix("a)/")).len(), 4);
        assert_eq!(keys(&KeyRange::default()).len(), 5);
    }
}
