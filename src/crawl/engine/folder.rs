//! What the folder of a crawl holds: frontier, shards and journal, opened so that they agree, but for the replay.
//!
//! **Algorithm.** The frontier's checkpoint says how far shards and journal were. Records behind it that the journal does not know are
//! cut off. Where the frontier cannot be read, or says more than the two hold, it is put aside and begun anew.

use std::path::{Path, PathBuf};

use crate::archive::{self, Archive};
use crate::config::CrawlOptions;
use crate::engine::replay::{Replayed, place};
use crate::engine::{Checkpoint, Crawl};
use crate::frontier::Frontier;
use crate::journal::{self, Journal};
use webmill_capture::error::{AtPath, Error, Result};
use webmill_shard::Position;

/// Beside a frontier that was found damaged while it was used.
const DAMAGED: &str = "frontier.damaged";

/// Files and stores that are opened before the engine.
pub(super) struct Opened {
    pub frontier: Frontier,
    pub archive: Archive,
    pub journal: Journal,
    pub checkpoint: Checkpoint,
    pub replayed: Replayed,
}

pub(super) fn shards_folder(folder: &Path) -> PathBuf {
    folder.join("shards")
}

pub(super) fn events_folder(folder: &Path) -> PathBuf {
    folder.join("events")
}

/// Takes the folder for this process; the lock falls with the process, however it ends.
pub(crate) fn lock(folder: &Path) -> Result<FolderLock> {
    let path = folder.join("lock");
    let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path).at(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(FolderLock(file)),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Config(format!(
            "{}: another crawl is running in this folder; stop it first or take another folder",
            folder.display()
        ))),
        Err(std::fs::TryLockError::Error(error)) => Err(Error::io(&path, error)),
    }
}

/// Holds a folder for one process.
///
/// A process that another thread begins has this file open too until it has come to its own program, and would hold the lock so
/// long: it is given back by word, not by closing the file.
pub(crate) struct FolderLock(std::fs::File);

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Closing the file is the other way.
        let _ = self.0.unlock();
    }
}

/// Whether a crawl runs in the folder.
pub(crate) fn is_locked(folder: &Path) -> bool {
    let file = std::fs::File::open(folder.join("lock"));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)))
}

/// Opens frontier, journal and shards so that they agree, but for the replay.
pub(super) fn open(folder: &Path, options: &CrawlOptions) -> Result<Opened> {
    let journal = Journal::open(&events_folder(folder), options.part_events)?;
    let mut replayed = Replayed::default();
    let path = folder.join("frontier");
    discard_marked(folder, &path, &mut replayed)?;
    let (mut frontier, mut checkpoint, mut state) = match open_frontier(&path, options) {
        Ok(opened) => opened,
        Err(error @ Error::Corrupt { .. }) => {
            replayed.rebuilt = Some(error.to_string());
            put_aside(&path)?;
            open_frontier(&path, options)?
        }
        Err(error) => return Err(error),
    };
    // With the checkpoint in the shards, what comes after it and the journal does not know was on its way.
    let journalled = journal.holds(checkpoint.journal)?;
    let shards = shards_folder(folder);
    if state == State::Committed && journalled {
        let known = journalled_end(folder, &checkpoint)?;
        replayed.cut += archive::cut_behind(&shards, known)?;
    }
    let archive = Archive::open(&shards, &options.archive, &warcinfo(options), Some(checkpoint.archive))?;
    if !journalled || !archive.holds(checkpoint.archive)? || !archive.holds(checkpoint.last)? {
        replayed.rebuilt = Some("shards or event log are shorter than it says".into());
        frontier.close()?;
        put_aside(&path)?;
        (frontier, checkpoint, state) = open_frontier(&path, options)?;
    }
    replayed.cut += archive.cut();
    let empty = journal.position() == Position::default() && archive.position() == Position::default();
    replayed.fresh = state == State::Fresh && empty && replayed.rebuilt.is_none();
    if state != State::Committed && !empty && replayed.rebuilt.is_none() {
        let why = if state == State::Fresh { "it is missing" } else { "that was interrupted before" };
        replayed.rebuilt = Some(why.into());
    }
    Ok(Opened { frontier, archive, journal, checkpoint, replayed })
}

/// What each shard says of the crawl beside what the archive itself knows.
fn warcinfo(options: &CrawlOptions) -> [(String, String); 2] {
    [
        ("http-header-user-agent".to_owned(), options.fetch.user_agent.clone()),
        ("robots".to_owned(), if options.obey_robots { "obey" } else { "ignore" }.to_owned()),
    ]
}

/// How a frontier was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Just made.
    Fresh,
    /// In the middle of a replay from the beginning.
    Interrupted,
    /// With a checkpoint.
    Committed,
}

fn open_frontier(path: &Path, options: &CrawlOptions) -> Result<(Frontier, Checkpoint, State)> {
    let (frontier, opened) = Frontier::open(path, &Crawl::frontier_options(options))?;
    if opened.checkpoint.is_empty() {
        let state = if opened.fresh { State::Fresh } else { State::Interrupted };
        return Ok((frontier, Checkpoint::default(), state));
    }
    let checkpoint = postcard::from_bytes(&opened.checkpoint)
        .map_err(|e| Error::corrupt(path, 0, format!("the checkpoint cannot be read: {e}")))?;
    Ok((frontier, checkpoint, State::Committed))
}

/// Sites that seeds moved to, from the checkpoint of a frontier; empty if it cannot be read.
pub(crate) fn adopted(checkpoint: &[u8]) -> Vec<String> {
    postcard::from_bytes(checkpoint).map(|checkpoint: Checkpoint| checkpoint.adopted).unwrap_or_default()
}

/// Leaves word that the frontier is damaged.
pub(super) fn mark_damaged(folder: &Path) {
    // If even that fails, the next opening meets the damage again and says so again.
    let _ = std::fs::write(folder.join(DAMAGED), b"");
}

/// Puts the frontier aside where word was left that it is damaged.
fn discard_marked(folder: &Path, path: &Path, replayed: &mut Replayed) -> Result<()> {
    let damaged = folder.join(DAMAGED);
    if !damaged.try_exists().at(&damaged)? {
        return Ok(());
    }
    replayed.rebuilt = Some("damage was met while it was used".into());
    if path.try_exists().at(path)? {
        put_aside(path)?;
    }
    std::fs::remove_file(&damaged).at(&damaged)
}

/// Renames a frontier that cannot be used, for whoever wants to look at it.
fn put_aside(path: &Path) -> Result<()> {
    for n in 0..1000 {
        let aside = path.with_file_name(format!("frontier.damaged-{n}"));
        if !aside.try_exists().at(&aside)? {
            return std::fs::rename(path, &aside).at(path);
        }
    }
    Err(Error::Config(format!("{}: too many damaged frontiers beside it; delete some", path.display())))
}

/// Where the last record ends that the journal knows.
fn journalled_end(folder: &Path, checkpoint: &Checkpoint) -> Result<Position> {
    let mut end = checkpoint.archive;
    journal::replay(&events_folder(folder), checkpoint.journal, &mut |event| {
        if let Some((at, length)) = place(&event) {
            end = end.max(Position { file: at.file, offset: at.offset + length });
        }
        Ok(())
    })?;
    Ok(end)
}
