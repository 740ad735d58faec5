//! Names of shards, numbered.

use std::collections::HashMap;

use super::wire::{Fault, Wire, put_bytes, put_number};

/// Bytes of names that a segment holds at most.
const MAX_BYTES: usize = 1 << 30;

/// Numbered as they are first met.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    list: Vec<String>,
    ids: HashMap<String, u32>,
    bytes: usize,
}

impl Names {
    /// The number of a name, a further one where it has none.
    pub(super) fn id(&mut self, name: &str) -> Result<u32, Fault> {
        if let Some(&id) = self.ids.get(name) {
            return Ok(id);
        }
        let id = self.list.len() as u32;
        self.bytes += name.len() + 64;
        if self.bytes > MAX_BYTES {
            return Err("too many names of shards");
        }
        self.list.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        Ok(id)
    }

    /// The name of a number.
    pub(super) fn get(&self, id: u32) -> Option<&str> {
        self.list.get(id as usize).map(String::as_str)
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Bytes of memory, about.
    pub(super) fn memory(&self) -> usize {
        self.bytes
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_number(out, self.list.len() as u64);
        self.list.iter().for_each(|name| put_bytes(out, name.as_bytes()));
    }

    /// Reads them for look-up by number.
    pub(super) fn read(wire: &mut Wire<'_>) -> Result<Self, Fault> {
        let mut names = Names::default();
        for _ in 0..wire.count(u32::MAX as usize)? {
            let name = wire.text()?;
            names.bytes += name.len() + 24;
            names.list.push(name.to_owned());
        }
        Ok(names)
    }
}
