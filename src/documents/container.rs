//! Zip containers of Office, OpenDocument and EPUB files: names, and parts inflated within limits.
//!
//! **Definition.** APPNOTE.TXT 6.3: a directory at the end names the parts, each stands behind a local header.
//!
//! **Algorithm.** The directory is read where it can be; else the bytes are searched for local headers, which finds what a
//! cut file still has. No size that a container declares is believed: a part is inflated until its stream ends, and what
//! comes out is counted. Of parts with equal names the last counts.
//!
//! **Cost.** Bytes of the directory, and of the parts that are asked for. A part may grow to
//! [`Limits::max_inflate_ratio`] times its compressed bytes and a mebibyte, all parts to [`Limits::max_inflated_bytes`].
//!
//! **Bad input.** Beyond these: `inflates-too-much`. A part under a password: `encrypted`. No part at all, or bytes
//! whose sum is not the stated one: `damaged`.
//!
//! **Reference.** PKWARE, .ZIP File Format Specification.

use std::collections::BTreeMap;

use flate2::Crc;
use memchr::memmem;

use crate::inflate::{End, inflate};
use crate::ole::{u16_at, u32_at};
use crate::{Failure, Limits};

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
/// First bytes of a compound file, which Office wraps around what it encrypts.
const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// Parts that a container may have; further ones are not seen.
const MAX_PARTS: usize = 65_536;
/// Size that says: it is in another field, or behind the data.
const UNKNOWN: u32 = u32::MAX;
/// Bytes that a part may have whatever its ratio.
const FREE: usize = 1 << 20;

/// Where a part stands, and how.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Of its local header.
    at: usize,
    compressed: Option<usize>,
    /// CRC-32 of its bytes; 0: not stated.
    sum: u32,
    method: u16,
    encrypted: bool,
}

/// A container, its parts by name.
#[derive(Debug)]
pub(crate) struct Container<'a> {
    bytes: &'a [u8],
    entries: BTreeMap<String, Entry>,
    /// Names by what they are in lower case.
    folded: BTreeMap<String, String>,
    room: usize,
    ratio: usize,
    damaged: bool,
    doubled: bool,
}

impl<'a> Container<'a> {
    /// Reads the names.
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, Failure> {
        if bytes.starts_with(COMPOUND) {
            return Err(compound(bytes, limits));
        }
        let mut container = Container {
            bytes,
            entries: BTreeMap::new(),
            folded: BTreeMap::new(),
            room: limits.max_inflated_bytes,
            ratio: limits.max_inflate_ratio,
            damaged: false,
            doubled: false,
        };
        if container.read_directory().is_none() {
            container.damaged = true;
            container.entries.clear();
            container.search_headers();
        }
        if container.entries.is_empty() {
            return Err(Failure::new("damaged", "no part of a zip container"));
        }
        let names = container.entries.keys().rev();
        container.folded = names.map(|name| (name.to_ascii_lowercase(), name.clone())).collect();
        Ok(container)
    }

    /// Whether the directory is missing or cut.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// Whether two parts have one name.
    pub(crate) fn has_doubles(&self) -> bool {
        self.doubled
    }

    /// Names of the parts, in order of bytes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Whether there is a part of a name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The bytes of a part; `None` where there is no such part, or none that can be read.
    pub(crate) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let Some(entry) = self.find(name) else { return Ok(None) };
        if entry.encrypted {
            return Err(Failure::new("encrypted", name));
        }
        let Some(data) = self.data_of(entry) else {
            self.damaged = true;
            return Ok(None);
        };
        let compressed = entry.compressed.unwrap_or(data.len()).min(data.len());
        let most = self.room.min(compressed.saturating_mul(self.ratio).saturating_add(FREE));
        let part = match entry.method {
            0 => data.get(..compressed).unwrap_or_default().to_vec(),
            8 => {
                let (part, end) = inflate(data, false, most + 1);
                if end == End::Full {
                    self.room -= most;
                    return Err(too_much(name));
                }
                self.damaged |= end == End::Damaged;
                part
            }
            _ => {
                self.damaged = true;
                return Ok(None);
            }
        };
        let mut sum = Crc::new();
        sum.update(&part);
        self.damaged |= entry.sum != 0 && entry.sum != sum.sum();
        self.room = self.room.checked_sub(part.len()).ok_or_else(|| too_much(name))?;
        Ok(Some(part))
    }

    /// A part by its name, else by its name in letters of another case.
    fn find(&self, name: &str) -> Option<Entry> {
        let name = name.trim_start_matches('/');
        let other = || self.entries.get(self.folded.get(&name.to_ascii_lowercase())?);
        self.entries.get(name).or_else(other).copied()
    }

    /// What stands behind the local header of a part.
    fn data_of(&self, entry: Entry) -> Option<&'a [u8]> {
        let header = self.bytes.get(entry.at..)?;
        if !header.starts_with(LOCAL) {
            return None;
        }
        let names = usize::from(u16_at(header, 26)?) + usize::from(u16_at(header, 28)?);
        header.get(30 + names..)
    }

    /// Reads the directory at the end; `None` where that is missing or wrong.
    fn read_directory(&mut self) -> Option<()> {
        let end = memmem::rfind(self.bytes, END)?;
        let record = self.bytes.get(end..)?;
        let (size, offset) = (u32_at(record, 12)?, u32_at(record, 16)?);
        // What stands before the container moves all its offsets.
        let from = end.checked_sub(usize::try_from(size).ok()?)?;
        let moved = from.checked_sub(usize::try_from(offset).ok()?)?;
        let mut rest = self.bytes.get(from..end)?;
        while rest.starts_with(CENTRAL) && self.entries.len() < MAX_PARTS {
            let lengths = [u16_at(rest, 28)?, u16_at(rest, 30)?, u16_at(rest, 32)?].map(usize::from);
            let name = rest.get(46..46 + lengths[0])?;
            let compressed = u32_at(rest, 20)?;
            let entry = Entry {
                at: usize::try_from(u32_at(rest, 42)?).ok()?.checked_add(moved)?,
                compressed: (compressed != UNKNOWN).then_some(compressed as usize),
                sum: u32_at(rest, 16)?,
                method: u16_at(rest, 10)?,
                encrypted: u16_at(rest, 8)? & 1 == 1,
            };
            if !self.bytes.get(entry.at..)?.starts_with(LOCAL) {
                return None;
            }
            self.insert(name, entry);
            rest = rest.get(46 + lengths.iter().sum::<usize>()..)?;
        }
        (!self.entries.is_empty()).then_some(())
    }

    /// Takes every local header for a part.
    fn search_headers(&mut self) {
        let bytes = self.bytes;
        for at in memmem::find_iter(bytes, LOCAL).take(MAX_PARTS) {
            let header = bytes.get(at..).unwrap_or_default();
            let read = || {
                let compressed = u32_at(header, 18)?;
                let flags = u16_at(header, 6)?;
                // With the third bit the size stands behind the data.
                let known = flags & 8 == 0 && compressed != UNKNOWN;
                let name = header.get(30..30 + usize::from(u16_at(header, 26)?))?;
                let entry = Entry {
                    at,
                    compressed: known.then_some(compressed as usize),
                    sum: if known { u32_at(header, 14)? } else { 0 },
                    method: u16_at(header, 8)?,
                    encrypted: flags & 1 == 1,
                };
                Some((name, entry))
            };
            if let Some((name, entry)) = read() {
                self.insert(name, entry);
            }
        }
    }

    fn insert(&mut self, name: &[u8], entry: Entry) {
        let name = String::from_utf8_lossy(name).replace('\\', "/");
        let name = name.trim_start_matches('/').to_owned();
        if !name.is_empty() && !name.ends_with('/') {
            self.doubled |= self.entries.insert(name, entry).is_some();
        }
    }
}

/// Why a compound file is no container.
fn compound(bytes: &[u8], limits: &Limits) -> Failure {
    match crate::ole::Container::open(bytes, limits) {
        Ok(file) if file.has("EncryptedPackage") => Failure::new("encrypted", "an encrypted package"),
        _ => Failure::new("damaged", "a compound file, no zip container"),
    }
}

fn too_much(name: &str) -> Failure {
    Failure::new("inflates-too-much", name)
}

#[cfg(test)]
#[path = "container_tests.rs"]
mod tests;
