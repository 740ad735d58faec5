//! A store out of entries that come in order: how an archive is indexed anew.
//!
//! They are written twice: once fast, and then by a model that was learned from all of them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

use super::anchors::Anchors;
use super::compact::merge_segments;
use super::manifest::{Manifest, segment_path};
use super::model::Model;
use super::names::Names;
use super::record::Identity;
use super::run::Run;
use super::segment::{Segment, SegmentWriter};
use super::{StoreOptions, lock};
use crate::Entry;

/// Rows that the first model is learned from.
const FIRST_ROWS: usize = 16_384;

/// Writes a store; see the head of the file.
pub struct StoreWriter {
    folder: PathBuf,
    level: i32,
    /// What came before there was a model.
    first: Run,
    writer: Option<SegmentWriter>,
    last: Run,
    repeated: u64,
    rows: u64,
    _lock: File,
}

impl std::fmt::Debug for StoreWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreWriter").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl StoreWriter {
    /// Begins a store in `folder`, which holds none yet.
    ///
    /// # Errors
    /// [`Error::Config`] where there is one.
    pub fn create(folder: &Path, options: &StoreOptions) -> Result<Self> {
        std::fs::create_dir_all(folder).at(folder)?;
        let lock = lock(folder)?;
        if Manifest::read(folder)?.is_some() {
            return Err(Error::Config(format!("{}: there is a store already", folder.display())));
        }
        Ok(StoreWriter {
            folder: folder.to_owned(),
            level: options.level,
            first: Run::new(),
            writer: None,
            last: Run::new(),
            repeated: 0,
            rows: 0,
            _lock: lock,
        })
    }

    /// Appends an entry. One that is the same capture as the one before counts once, the first.
    ///
    /// # Errors
    /// [`Error::Config`] for one that comes out of order; [`Error::Io`].
    pub fn push(&mut self, entry: &Entry<'_>) -> Result<()> {
        if self.last.len() > 0 {
            match Identity::of(entry).cmp(&self.last.identity(0)) {
                std::cmp::Ordering::Equal => {
                    self.repeated += 1;
                    return Ok(());
                }
                std::cmp::Ordering::Less => {
                    let key = &entry.urlkey;
                    return Err(Error::Config(format!("entries out of order at {key} {}", entry.timestamp)));
                }
                std::cmp::Ordering::Greater => {}
            }
        }
        self.last.clear();
        self.last.push(entry, true);
        self.rows += 1;
        match &mut self.writer {
            Some(writer) => writer.push(entry, false),
            None => {
                self.first.push(entry, false);
                if self.first.len() == FIRST_ROWS { self.begin() } else { Ok(()) }
            }
        }
    }

    fn begin(&mut self) -> Result<()> {
        let mut names = Names::default();
        let first = std::mem::take(&mut self.first);
        let model = Model::learn(std::slice::from_ref(&first), Anchors::default(), &mut names);
        let mut writer = SegmentWriter::create(&segment_path(&self.folder, 1), model, names, 1)?;
        for at in 0..first.len() {
            writer.push(&first.row(at).entry, false)?;
        }
        self.writer = Some(writer);
        Ok(())
    }

    /// Makes it durable. Gives its entries, and how many were left out because they were there already.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<(u64, u64)> {
        let mut manifest = Manifest { next: 3, log: 0, segments: Vec::new() };
        if self.rows > 0 {
            if self.writer.is_none() {
                self.begin()?;
            }
            let writer = self.writer.take().ok_or_else(|| Error::Internal("no writer was begun".into()))?;
            let (anchors, names) = writer.finish()?;
            let name = |file| names.get(file).unwrap_or_default().to_owned();
            let anchors = anchors.iter().map(|a| (a.seconds, name(a.file), a.offset)).collect();
            let path = segment_path(&self.folder, 1);
            let once = [Arc::new(Segment::open(&path)?)];
            let second = segment_path(&self.folder, 2);
            merge_segments(&once, anchors, &second, self.level, false, &AtomicBool::new(false))?;
            Segment::open(&second)?;
            std::fs::remove_file(&path).at(&path)?;
            manifest.segments.push(2);
        }
        manifest.write(&self.folder)?;
        Ok((self.rows, self.repeated))
    }
}
