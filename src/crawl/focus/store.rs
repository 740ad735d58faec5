//! Where the kernel keeps what it remembers.

use std::collections::{BTreeMap, HashMap};

use webmill_capture::error::Result;

/// Keys and values; keys of one first byte are of one kind.
pub trait Store {
    /// The value of a key.
    ///
    /// # Errors
    /// A disk that refuses, files that are damaged.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;
    /// Sets a key.
    fn put(&mut self, key: &[u8], value: Vec<u8>);
    /// Removes a key.
    fn remove(&mut self, key: &[u8]);
    /// The first keys of a kind, ascending, `most` at most.
    ///
    /// # Errors
    /// As [`Store::get`].
    fn first(&self, kind: u8, most: usize) -> Result<Vec<(Vec<u8>, Vec<u8>)>>;
}

/// A store in memory, for tests and replays.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    /// Kinds that are read in order.
    ordered: BTreeMap<Vec<u8>, Vec<u8>>,
    others: HashMap<Vec<u8>, Vec<u8>>,
}

/// Kinds that [`Store::first`] is asked for.
fn is_ordered(key: &[u8]) -> bool {
    key.first().is_some_and(u8::is_ascii_lowercase)
}

impl Store for MemoryStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(if is_ordered(key) { self.ordered.get(key) } else { self.others.get(key) }.cloned())
    }

    fn put(&mut self, key: &[u8], value: Vec<u8>) {
        if is_ordered(key) {
            self.ordered.insert(key.to_vec(), value);
        } else {
            self.others.insert(key.to_vec(), value);
        }
    }

    fn remove(&mut self, key: &[u8]) {
        if is_ordered(key) {
            self.ordered.remove(key);
        } else {
            self.others.remove(key);
        }
    }

    fn first(&self, kind: u8, most: usize) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let all = self.ordered.range(vec![kind]..vec![kind + 1]).take(most);
        Ok(all.map(|(key, value)| (key.clone(), value.clone())).collect())
    }
}
