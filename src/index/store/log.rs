//! The log: what was acknowledged and is in no segment yet.
//!
//! ```text
//! "WMCLOG01"
//! frames: length u32, XXH3 of the records u64, XXH3 of these twelve bytes u32, records
//! ```
//!
//! A frame is written and made durable as a whole before anything of it is acknowledged, and before the next is written.
//! A process that dies leaves the front of a frame at the end of the last log: it was not acknowledged and is cut. Any
//! other fault is damage to what was acknowledged, and an error.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use super::run::{self, Run};
use super::wire::Wire;

/// How a log begins.
pub(super) const MAGIC: &[u8; 8] = b"WMCLOG01";
const HEADER: usize = 16;
/// Bytes of a frame's records at most.
pub(super) const MAX_FRAME: usize = 1 << 30;

/// A log that is written.
pub(super) struct Log {
    file: File,
    path: PathBuf,
    length: u64,
    /// A write failed and could not be undone.
    broken: bool,
}

impl Log {
    /// A new one.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path).at(path)?;
        file.write_all(MAGIC).and_then(|()| file.sync_all()).at(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).at(folder)?;
        Ok(Log { file, path: path.to_owned(), length: MAGIC.len() as u64, broken: false })
    }

    /// Appends records as one frame and makes it durable.
    pub(super) fn append(&mut self, records: &[&[u8]], durable: bool) -> Result<()> {
        if self.broken {
            let refused = "an earlier write failed: open the store again";
            return Err(Error::io(&self.path, std::io::Error::other(refused)));
        }
        let frame = frame(records);
        let mut written = self.file.write_all(&frame);
        if durable {
            written = written.and_then(|()| self.file.sync_data());
        }
        if let Err(error) = written {
            let undone = self.file.set_len(self.length).and_then(|()| {
                std::io::Seek::seek(&mut self.file, std::io::SeekFrom::Start(self.length))?;
                self.file.sync_data()
            });
            self.broken = undone.is_err();
            return Err(Error::io(&self.path, error));
        }
        self.length += frame.len() as u64;
        Ok(())
    }

    #[cfg(test)]
    fn length(&self) -> u64 {
        self.length
    }
}

fn frame(records: &[&[u8]]) -> Vec<u8> {
    let length: usize = records.iter().map(|records| records.len()).sum();
    let mut frame = Vec::with_capacity(HEADER + length);
    frame.resize(HEADER, 0);
    records.iter().for_each(|records| frame.extend_from_slice(records));
    let sum = xxh3_64(&frame[HEADER..]);
    frame[..4].copy_from_slice(&(length as u32).to_le_bytes());
    frame[4..12].copy_from_slice(&sum.to_le_bytes());
    let header = xxh3_64(&frame[..12]) as u32;
    frame[12..HEADER].copy_from_slice(&header.to_le_bytes());
    frame
}

/// What a log holds.
#[derive(Default)]
pub(super) struct Replayed {
    pub(super) runs: Vec<Arc<Run>>,
    /// Bytes up to the end of the last whole frame.
    pub(super) whole: u64,
}

/// Reads the bytes of a log. `last`: nothing was logged after it, so that its end may be torn.
pub(super) fn replay(bytes: &[u8], path: &Path, last: bool) -> Result<Replayed> {
    let mut replayed = Replayed::default();
    if last && bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes) {
        return Ok(replayed);
    }
    let corrupt = |at: usize, reason: &str| Error::corrupt(path, at as u64, reason);
    if bytes.get(..8) != Some(MAGIC) {
        return Err(corrupt(0, "not a log of a capture store"));
    }
    let mut at = MAGIC.len();
    while at < bytes.len() {
        replayed.whole = at as u64;
        let torn = |reason: &str| if last { Ok(()) } else { Err(corrupt(at, reason)) };
        let Some(header) = bytes.get(at..at + HEADER) else {
            torn("a frame without a head")?;
            return Ok(replayed);
        };
        let mut wire = Wire::new(header);
        let fault = |fault| corrupt(at, fault);
        let (length, sum) = (wire.u32().map_err(fault)? as usize, wire.u64().map_err(fault)?);
        if xxh3_64(&header[..12]) as u32 != wire.u32().map_err(fault)? {
            // A file system that lost its power may leave zeros where nothing was made durable.
            if last && bytes[at..].iter().all(|&byte| byte == 0) {
                return Ok(replayed);
            }
            return Err(corrupt(at, "the head of a frame was changed"));
        }
        let Some(records) = bytes.get(at + HEADER..at + HEADER + length) else {
            torn("a frame that is cut off")?;
            return Ok(replayed);
        };
        if xxh3_64(records) != sum {
            return Err(corrupt(at, "records that were changed"));
        }
        run::push(&mut replayed.runs, Run::of_records(records.to_vec()).map_err(fault)?);
        at += HEADER + length;
    }
    replayed.whole = at as u64;
    Ok(replayed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use crate::store::record;

    fn records(key: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        record::put(&mut bytes, &Entry { urlkey: key.to_owned().into(), ..Entry::default() }, false);
        bytes
    }

    fn count(replayed: &Replayed) -> usize {
        replayed.runs.iter().map(|run| run.len()).sum()
    }

    #[test]
    fn only_the_end_of_the_last_log_may_be_torn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path).unwrap();
        let mut ends = vec![8];
        for key in ["a", "bb", "ccc"] {
            log.append(&[&records(key), &records(&format!("{key}x"))], true).unwrap();
            ends.push(log.length() as usize);
        }
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), ends[3]);
        for length in 0..=bytes.len() {
            let frames = ends.iter().filter(|&&end| end <= length).count().saturating_sub(1);
            let replayed = replay(&bytes[..length], &path, true).unwrap();
            assert_eq!(count(&replayed), frames * 2, "{length}");
            assert_eq!(replayed.whole as usize, if length < 8 { 0 } else { ends[frames] });
            assert_eq!(replay(&bytes[..length], &path, false).is_ok(), ends.contains(&length));
        }
        let zeros = [&bytes[..], &[0; 50]].concat();
        assert_eq!(replay(&zeros, &path, true).unwrap().whole as usize, bytes.len());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                let error = replay(&changed, &path, true).err();
                assert!(matches!(error, Some(Error::Corrupt { .. })), "{at} {bit}");
            }
        }
    }
}
