//! Which files make up a store. Written anew and put in place at once whenever they change.
//!
//! ```text
//! webmill capture store 1
//! next 14                 the number that the next file gets
//! log 13                  logs of a smaller number are in segments
//! segment 9               from the oldest to the newest
//! segment 12
//! sum 0123456789abcdef    XXH3 of all before
//! ```

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_shard::Staged;
use xxhash_rust::xxh3::xxh3_64;

const HEAD: &str = "webmill capture store 1";
const NAME: &str = "MANIFEST";

/// The files of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) next: u64,
    pub(super) log: u64,
    pub(super) segments: Vec<u64>,
}

/// The file of a segment.
pub(super) fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.segment"))
}

/// The file of a log.
pub(super) fn log_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.log"))
}

/// The number and kind of a file of a store, by its name.
pub(super) fn number_of(name: &str) -> Option<(u64, &str)> {
    let (number, kind) = name.split_once('.')?;
    Some((number.parse().ok()?, kind))
}

impl Manifest {
    /// Reads that of a folder; `None` where there is none.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(NAME);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.at(&path)?,
        };
        let corrupt = |reason: &str| Error::corrupt(&path, 0, reason);
        let text = std::str::from_utf8(&bytes).map_err(|_| corrupt("not the manifest of a capture store"))?;
        let first = text.lines().next().unwrap_or_default();
        if first != HEAD {
            if first.starts_with("webmill capture store ") {
                let (found, expected) = (first.to_owned(), HEAD.to_owned());
                return Err(Error::Incompatible { path, found, expected });
            }
            return Err(corrupt("not the manifest of a capture store"));
        }
        let (front, sum) = text.rsplit_once("sum ").ok_or_else(|| corrupt("it has no sum"))?;
        if sum != format!("{:016x}\n", xxh3_64(front.as_bytes())) {
            return Err(corrupt("it was changed"));
        }
        let mut manifest = Manifest::default();
        for line in front.lines().skip(1) {
            let number = line.split_once(' ').and_then(|(name, number)| Some((name, number.parse().ok()?)));
            match number {
                Some(("next", number)) => manifest.next = number,
                Some(("log", number)) => manifest.log = number,
                Some(("segment", number)) => manifest.segments.push(number),
                _ => return Err(corrupt("a line that says nothing")),
            }
        }
        Ok(Some(manifest))
    }

    /// Puts it in place of the one before.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let mut text = format!("{HEAD}\nnext {}\nlog {}\n", self.next, self.log);
        for segment in &self.segments {
            let _ = writeln!(text, "segment {segment}");
        }
        let sum = xxh3_64(text.as_bytes());
        let _ = writeln!(text, "sum {sum:016x}");
        let mut file = Staged::create(&folder.join(NAME))?;
        file.put(text.as_bytes())?;
        file.commit()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap(), None);
        let manifest = Manifest { next: 14, log: 13, segments: vec![9, 12] };
        manifest.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap(), Some(manifest.clone()));
        let path = folder.path().join(NAME);
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                std::fs::write(&path, &changed).unwrap();
                Manifest::read(folder.path()).unwrap_err();
            }
            std::fs::write(&path, &bytes[..at]).unwrap();
            Manifest::read(folder.path()).unwrap_err();
        }
        assert_eq!(number_of("00000012.segment"), Some((12, "segment")));
        assert_eq!(number_of("MANIFEST"), None);
    }
}
