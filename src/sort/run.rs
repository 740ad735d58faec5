//! Run files: unnamed temporary files written once from front to back, then read once from front to back. The bytes read are compared with
//! those written by xxh3: a disk that forgets is an error at the end of the run, before anything is committed.

use super::budget::Budget;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use webmill_capture::error::{AtPath, Error, Result};
use xxhash_rust::xxh3::Xxh3;

/// A finished run.
pub(super) struct Run {
    file: File,
    dir: PathBuf,
    /// Bytes, and their digest.
    written: (u64, u64),
    read_bytes: u64,
    digest: Box<Xxh3>,
}

/// Writes a run.
pub(super) struct RunWriter {
    file: File,
    dir: PathBuf,
    buffer: Vec<u8>,
    buffer_bytes: usize,
    bytes: u64,
    digest: Box<Xxh3>,
}

impl RunWriter {
    pub fn create(budget: &Budget, buffer_bytes: usize) -> Result<Self> {
        let file = tempfile::tempfile_in(&budget.temp_dir).at(&budget.temp_dir)?;
        Ok(RunWriter {
            file,
            dir: budget.temp_dir.clone(),
            buffer: Vec::with_capacity(buffer_bytes),
            buffer_bytes,
            bytes: 0,
            digest: Box::default(),
        })
    }

    /// Appends `bytes`; large pieces go to the file directly.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.digest.update(bytes);
        if self.buffer.len() + bytes.len() > self.buffer_bytes {
            self.flush()?;
            if bytes.len() >= self.buffer_bytes {
                return self.file.write_all(bytes).at(&self.dir);
            }
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write_all(&self.buffer).at(&self.dir)?;
        self.buffer.clear();
        Ok(())
    }

    pub fn finish(mut self) -> Result<Run> {
        self.flush()?;
        let written = (self.bytes, self.digest.digest());
        Ok(Run { file: self.file, dir: self.dir, written, read_bytes: 0, digest: Box::default() })
    }
}

impl Run {
    /// Goes to the start, ready to be read.
    pub fn rewind(&mut self) -> Result<()> {
        (self.read_bytes, self.digest) = (0, Box::default());
        self.file.rewind().at(&self.dir)
    }

    /// Fills as much of `into` as the run still has; fewer bytes than asked for mean that it has ended.
    ///
    /// # Errors
    /// Where the disk refuses, or gives other bytes than were written: with the last of them.
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            match self.file.read(&mut into[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::io(&self.dir, e)),
            }
        }
        self.read_bytes += filled as u64;
        self.digest.update(&into[..filled]);
        let ended = filled < into.len() || self.read_bytes == self.written.0;
        if ended && (self.read_bytes, self.digest.digest()) != self.written {
            let reason = "a temporary file of a sort does not hold what was written to it";
            return Err(Error::corrupt(&self.dir, self.read_bytes, reason));
        }
        Ok(filled)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

/// Runs by level: a level that has `fan_in` runs is merged into one run of the next level. At most
/// `fan_in × levels` files are open, and each item is rewritten once a level.
pub(super) struct Levels {
    levels: Vec<Vec<Run>>,
    fan_in: usize,
}

impl Levels {
    pub fn new(budget: &Budget) -> Self {
        Levels { levels: Vec::new(), fan_in: budget.fan_in() }
    }

    pub fn is_empty(&self) -> bool {
        self.levels.iter().all(Vec::is_empty)
    }

    /// Adds a run, merging full levels with `merge`.
    pub fn push(&mut self, run: Run, merge: &mut impl FnMut(Vec<Run>) -> Result<Run>) -> Result<()> {
        let (mut run, mut level) = (run, 0);
        loop {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < self.fan_in {
                return Ok(());
            }
            run = merge(std::mem::take(&mut self.levels[level]))?;
            level += 1;
        }
    }

    /// At most `fan_in` runs that hold everything; small runs are merged first.
    pub fn finish(self, merge: &mut impl FnMut(Vec<Run>) -> Result<Run>) -> Result<Vec<Run>> {
        let mut runs: Vec<Run> = self.levels.into_iter().flatten().collect();
        while runs.len() > self.fan_in {
            let take = (runs.len() - self.fan_in + 1).min(self.fan_in);
            let merged = merge(runs.drain(..take).collect())?;
            runs.push(merged);
        }
        Ok(runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_the_disk_changed_is_an_error() {
        for change in [false, true] {
            let budget = Budget::new(1 << 20);
            let mut writer = RunWriter::create(&budget, 16).unwrap();
            (0..100u64).for_each(|n| writer.write(&n.to_le_bytes()).unwrap());
            let mut run = writer.finish().unwrap();
            if change {
                run.file.seek(std::io::SeekFrom::Start(300)).unwrap();
                run.file.write_all(b"x").unwrap();
            }
            run.rewind().unwrap();
            let mut bytes = [0; 64];
            let mut read = || loop {
                match run.read(&mut bytes) {
                    Ok(64) => {}
                    other => return other.map(drop),
                }
            };
            assert_eq!(read().is_err(), change);
        }
    }
}
