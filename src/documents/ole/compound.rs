//! Compound files: streams by name, read as far as they can be.
//!
//! **Definition.** [MS-CFB]: sectors of 512 or 4,096 bytes; a table says which sector follows which. Streams below 4,096 bytes
//! stand in sectors of 64 bytes within one stream. A directory of entries of 128 bytes makes trees of names.
//!
//! **Algorithm.** The table is put together from the sectors that the head and the chain behind it list; then the directory is
//! read, and the tree below its first entry walked. Streams are read when they are asked for.
//!
//! **Cost.** Linear in the bytes of the file: a chain has no more steps than the file has sectors, an entry is visited once.
//!
//! **Bad input.** Sectors that the file does not have end a chain, and so does a circle. Of a stream in a broken chain what
//! stands before the break is read. Where the tree does not name a stream, an entry of that name anywhere is taken.

use std::collections::BTreeMap;

use crate::ole::{u16_at, u32_at, utf16};
use crate::{Failure, Limits};

const MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// Numbers of sectors from here on say that there is none.
const NO_SECTOR: u32 = 0xFFFF_FFFA;
/// Numbers of entries that say that there is none.
const NO_ENTRY: u32 = u32::MAX;
/// Entries of a directory that are looked at.
const MAX_ENTRIES: usize = 65_536;
/// Bytes of an entry.
const ENTRY: usize = 128;
/// Bytes of a small sector.
const SMALL: usize = 64;
/// Storages within storages that are looked at.
const MAX_DEPTH: usize = 8;

/// A stream or a storage.
#[derive(Debug, Clone)]
struct Entry {
    name: String,
    kind: u8,
    left: u32,
    right: u32,
    child: u32,
    start: u32,
    size: u64,
}

/// A compound file.
pub(crate) struct Container<'a> {
    bytes: &'a [u8],
    sector: usize,
    /// The sector behind each.
    next: Vec<u32>,
    /// The small sector behind each, and the stream in which these stand.
    small_next: Vec<u32>,
    small: Vec<u8>,
    /// Streams shorter than this are small.
    small_limit: u64,
    entries: Vec<Entry>,
    /// Places of streams by their paths in lower case, steps with `/` between.
    paths: BTreeMap<String, usize>,
    max_bytes: usize,
    /// Whether a stream ended before its time.
    damaged: bool,
}

impl<'a> Container<'a> {
    /// Opens one.
    ///
    /// # Errors
    /// `damaged` where the bytes are none.
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, Failure> {
        let damaged = |what: &str| Failure::new("damaged", what);
        if !bytes.starts_with(MAGIC) {
            return Err(damaged("no compound file"));
        }
        let head = |at| u32_at(bytes, at).ok_or_else(|| damaged("cut within the head of a compound file"));
        let mut container = Container {
            bytes,
            sector: if u16_at(bytes, 30) == Some(12) { 4096 } else { 512 },
            next: Vec::new(),
            small_next: Vec::new(),
            small: Vec::new(),
            small_limit: u64::from(head(56)?),
            entries: Vec::new(),
            paths: BTreeMap::new(),
            max_bytes: limits.max_input_bytes,
            damaged: false,
        };
        container.read_table(head(68)?);
        container.entries = entries(&container.chain(head(48)?, usize::MAX));
        let first = container.entries.first().cloned().ok_or_else(|| damaged("no directory"))?;
        container.small_next = numbers(&container.chain(head(60)?, usize::MAX)).collect();
        container.small = container.chain(first.start, usize::try_from(first.size).unwrap_or(usize::MAX));
        container.name(first.child, "", 0, &mut vec![false; container.entries.len()]);
        for (at, entry) in container.entries.iter().enumerate().filter(|(_, entry)| entry.kind == 2) {
            container.paths.entry(entry.name.to_lowercase()).or_insert(at);
        }
        Ok(container)
    }

    /// Whether there is a stream of a name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.paths.contains_key(&name.to_lowercase())
    }

    /// Whether a stream that was read ended before its time.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// A stream, as far as it can be read.
    pub(crate) fn stream(&mut self, name: &str) -> Option<Vec<u8>> {
        let entry = self.paths.get(&name.to_lowercase()).and_then(|&at| self.entries.get(at))?;
        let size = usize::try_from(entry.size).unwrap_or(usize::MAX).min(self.max_bytes);
        let bytes = if entry.size < self.small_limit {
            let sectors = follow(&self.small_next, entry.start);
            let parts = sectors.filter_map(|sector| part(&self.small, sector as usize * SMALL, SMALL));
            taken(parts, size)
        } else {
            self.chain(entry.start, size)
        };
        self.damaged |= bytes.len() < size;
        (size == 0 || !bytes.is_empty()).then_some(bytes)
    }

    /// Reads which sector follows which.
    fn read_table(&mut self, mut list: u32) {
        let sectors = self.bytes.len() / self.sector + 1;
        let mut of_table = numbers(self.bytes.get(76..512).unwrap_or_default()).collect::<Vec<_>>();
        let per_sector = self.sector / 4;
        // Further sectors of the table are listed in sectors that end with the number of the next.
        let mut steps = 0;
        while list < NO_SECTOR && steps <= sectors {
            let mut listed = numbers(self.of_sector(list)).collect::<Vec<_>>();
            list = if listed.len() < per_sector { NO_SECTOR } else { listed.pop().unwrap_or(NO_SECTOR) };
            of_table.extend(listed);
            steps += 1;
        }
        for sector in of_table.into_iter().filter(|&sector| sector < NO_SECTOR) {
            if self.next.len() > sectors {
                break;
            }
            let from = self.next.len();
            self.next.extend(numbers(self.of_sector(sector)));
            // Sectors that are missing say nothing of those whose turn it is.
            self.next.resize(from + per_sector, NO_SECTOR);
        }
    }

    /// Bytes of a sector; the last one of a file may be cut.
    fn of_sector(&self, sector: u32) -> &'a [u8] {
        let at = (sector as usize + 1).saturating_mul(self.sector);
        part(self.bytes, at, self.sector).unwrap_or_default()
    }

    /// At most `most` bytes of the sectors of a chain.
    fn chain(&self, start: u32, most: usize) -> Vec<u8> {
        let sectors = follow(&self.next, start).map(|sector| self.of_sector(sector));
        taken(sectors.take_while(|bytes| !bytes.is_empty()), most)
    }

    /// Names the streams of a tree of entries, and those of storages in it.
    fn name(&mut self, root: u32, folder: &str, depth: usize, visited: &mut [bool]) {
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            let Some(seen) = visited.get_mut(at as usize).filter(|seen| !**seen) else { continue };
            *seen = true;
            let Some(entry) = self.entries.get(at as usize).cloned() else { continue };
            open.extend([entry.left, entry.right].into_iter().filter(|&at| at != NO_ENTRY));
            let path = format!("{folder}{}", entry.name.to_lowercase());
            match entry.kind {
                1 if depth < MAX_DEPTH => self.name(entry.child, &format!("{path}/"), depth + 1, visited),
                2 => {
                    self.paths.entry(path).or_insert(at as usize);
                }
                _ => {}
            }
        }
    }
}

/// Numbers of a chain, each once at most.
fn follow(next: &[u32], start: u32) -> impl Iterator<Item = u32> {
    let one = |at: u32| (at < NO_SECTOR).then_some(at);
    let chain = std::iter::successors(one(start), move |&at| one(*next.get(at as usize)?));
    // A sector beyond the table ends the chain behind it; a circle ends where all could have been met.
    chain.take(next.len().max(1))
}

/// Bytes of parts, one behind the other.
fn taken<'b>(parts: impl Iterator<Item = &'b [u8]>, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        let room = most - bytes.len();
        bytes.extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
        if bytes.len() >= most {
            break;
        }
    }
    bytes
}

/// Bytes at a place, as many as there are.
fn part(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?.min(bytes.len()))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).filter_map(|four| u32_at(four, 0))
}

/// Entries of a directory.
fn entries(directory: &[u8]) -> Vec<Entry> {
    let entry = |bytes: &[u8]| {
        let length = usize::from(u16_at(bytes, 64)?).saturating_sub(2).min(62);
        let high = u64::from(u32_at(bytes, 124)?) << 32;
        Some(Entry {
            name: utf16(bytes.get(..length)?),
            kind: *bytes.get(66)?,
            left: u32_at(bytes, 68)?,
            right: u32_at(bytes, 72)?,
            child: u32_at(bytes, 76)?,
            start: u32_at(bytes, 116)?,
            // Old files have anything in the upper half.
            size: u64::from(u32_at(bytes, 120)?) | if high >> 48 == 0 && high >> 32 < 16 { high } else { 0 },
        })
    };
    directory.chunks_exact(ENTRY).take(MAX_ENTRIES).filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ole::testing::container;

    fn open(bytes: &[u8]) -> Container<'_> {
        Container::open(bytes, &Limits::default()).unwrap()
    }

    #[test]
    fn streams_are_found_by_name() {
        let long = (0..20_000_u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        let short = b"small".to_vec();
        let mut streams = vec![("Long", &long[..]), ("Short", &short), ("Empty", &[])];
        let names = (0..40).map(|at| format!("s{at}")).collect::<Vec<_>>();
        streams.extend(names.iter().map(|name| (name.as_str(), name.as_bytes())));
        let bytes = container(&streams);
        let mut file = open(&bytes);
        for (name, content) in streams {
            assert_eq!(file.stream(name).as_deref(), Some(content), "{name}");
        }
        assert_eq!(file.stream("LONG").map(|read| read.len()), Some(long.len()));
        assert!(file.has("short") && !file.has("none") && file.stream("none").is_none());
    }

    #[test]
    fn streams_of_storages_have_paths() {
        use std::io::Write;
        let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).unwrap();
        file.create_storage("A").unwrap();
        file.create_stream("A/Text").unwrap().write_all(b"inner").unwrap();
        file.create_stream("Text").unwrap().write_all(b"outer").unwrap();
        let bytes = file.into_inner().into_inner();
        assert_eq!(open(&bytes).stream("Text").as_deref(), Some(&b"outer"[..]));
        assert_eq!(open(&bytes).stream("a/text").as_deref(), Some(&b"inner"[..]));
    }

    #[test]
    fn cut_and_circling_chains_end() {
        let long = vec![7; 100_000];
        let bytes = container(&[("Long", &long)]);
        // What stands before the cut is read.
        let mut container = open(&bytes[..60_000]);
        let cut = container.stream("Long").unwrap();
        assert!(container.is_damaged());
        assert!(cut.len() > 40_000 && long.starts_with(&cut), "{}", cut.len());
        // Every number of the table is that of one and the same sector.
        let mut circle = bytes.clone();
        let table = (u32_at(&bytes, 76).unwrap() as usize + 1) * if bytes[30] == 12 { 4096 } else { 512 };
        circle[table..table + 400].fill(2);
        if let Ok(mut file) = Container::open(&circle, &Limits::default()) {
            assert!(file.stream("Long").is_none_or(|read| read.len() <= bytes.len() + 4096));
        }
        assert!(Container::open(&bytes[..60], &Limits::default()).is_err());
        assert!(Container::open(b"no container", &Limits::default()).is_err());
    }
}
