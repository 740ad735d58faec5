//! Opening the folder of a crawl: as it was left, after a crash, or after the frontier was lost.
//!
//! After the checkpoint of the last commit the journal says what was done and the shards hold the pages, so the frontier is
//! brought up to date from them. Where the frontier is damaged, missing, or ahead of what the disk kept, it is built again from
//! the very beginning of both; the damaged one is put aside. What is lost then are counts of hosts (failures, pages) and
//! retries of single URLs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use crate::archive::{self, Archive};
use crate::config::CrawlOptions;
use crate::engine::queue::Naming;
use crate::engine::redirects::{Redirect, WITH_COOKIES};
use crate::engine::{Checkpoint, Crawl};
use crate::event::{Event, outcome};
use crate::frontier::Frontier;
use crate::journal::{self, Journal};
use crate::scope::{Lineage, Standing};
use crate::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_shard::{Position, Record};

/// Beside a frontier that was found damaged while it was used.
const DAMAGED: &str = "frontier.damaged";

/// What opening a crawl found.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// The folder held no crawl.
    pub fresh: bool,
    /// Why the frontier was built again from shards and journal.
    pub rebuilt: Option<String>,
    /// Events after the checkpoint.
    pub events: u64,
    /// Pages after the checkpoint.
    pub pages: u64,
    /// Places that could not be read, and records that are lost.
    pub damaged: u64,
    /// Bytes of unfinished records that were cut off.
    pub cut: u64,
    /// Hosts that an earlier run had left alone and that are asked again.
    pub revived: u64,
    /// URLs that an earlier run had given up and that are asked for again.
    pub asked_again: u64,
}

impl Replayed {
    /// In words, for whoever opened it; nothing for a crawl that begins.
    pub fn notes(&self) -> Vec<String> {
        let many = |n: u64, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        let mut notes = Vec::new();
        if let Some(why) = &self.rebuilt {
            notes.push(format!("the frontier is built again from shards and event log: {why}"));
        }
        if !self.fresh && self.events > 0 {
            let (events, pages) = (self.events, self.pages);
            let (events, pages) = (many(events, "event"), many(pages, "page"));
            notes.push(format!("replayed from behind the last commit: {events} and {pages}"));
        }
        if self.revived > 0 {
            notes.push(format!("asked again: {} that an earlier run left alone", many(self.revived, "host")));
        }
        if self.asked_again > 0 {
            notes.push(format!(
                "asked for again: {} that an earlier run gave up",
                many(self.asked_again, "URL")
            ));
        }
        if self.cut > 0 {
            notes.push(format!("cut off: {} of an unfinished record", many(self.cut, "byte")));
        }
        if self.damaged > 0 {
            notes.push(format!("passed over: {}", many(self.damaged, "damaged place")));
        }
        notes
    }
}

/// What is open before the engine is.
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

/// Opens frontier, journal and shards so that they agree, but for the replay.
pub(super) fn open(folder: &Path, options: &CrawlOptions) -> Result<Opened> {
    let journal = Journal::open(&events_folder(folder), &options.journal)?;
    let mut replayed = Replayed::default();
    let path = folder.join("frontier");
    let damaged = folder.join(DAMAGED);
    if damaged.try_exists().at(&damaged)? {
        replayed.rebuilt = Some("damage was met while it was used".into());
        if path.try_exists().at(&path)? {
            put_aside(&path)?;
        }
        std::fs::remove_file(&damaged).at(&damaged)?;
    }
    let (mut frontier, mut checkpoint, mut state) = match open_frontier(&path, options) {
        Ok(opened) => opened,
        Err(error @ Error::Corrupt { .. }) => {
            replayed.rebuilt = Some(error.to_string());
            put_aside(&path)?;
            open_frontier(&path, options)?
        }
        Err(error) => return Err(error),
    };
    let info = [
        ("http-header-user-agent".to_owned(), options.fetch.user_agent.clone()),
        ("robots".to_owned(), if options.obey_robots { "obey" } else { "ignore" }.to_owned()),
    ];
    // With the checkpoint in the shards, what comes after it and the journal does not know was on its way.
    let journalled = journal.holds(checkpoint.journal)?;
    let shards = shards_folder(folder);
    if state == State::Committed && journalled {
        let known = journalled_end(folder, &checkpoint)?;
        replayed.cut += archive::cut_behind(&shards, known)?;
    }
    let archive = Archive::open(&shards, &options.archive, &info, Some(checkpoint.archive))?;
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

/// Leaves word that the frontier is damaged.
pub(super) fn mark_damaged(folder: &Path) {
    // If even that fails, the next opening meets the damage again and says so again.
    let _ = std::fs::write(folder.join(DAMAGED), b"");
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

/// Where the record of an event is, and its length.
fn place(event: &Event) -> Option<(Position, u64)> {
    let file = archive::shard_number(event.shard.as_deref()?)?;
    Some((Position { file, offset: event.offset? }, event.length?))
}

/// How far each shard goes.
struct Written {
    finished: HashMap<u32, u64>,
    end: Position,
}

impl Written {
    fn of(archive: &Archive) -> Result<Written> {
        let mut finished = HashMap::new();
        for path in archive.finished()? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(number) = archive::shard_number(name) {
                finished.insert(number, std::fs::metadata(&path).at(&path)?.len());
            }
        }
        Ok(Written { finished, end: archive.position() })
    }

    /// Whether the event is about a record that a shard lost; shards that somebody took away have theirs.
    fn lacks(&self, event: &Event) -> bool {
        place(event).is_some_and(|(at, length)| {
            let end = Position { file: at.file, offset: at.offset + length };
            end > self.end || self.finished.get(&at.file).is_some_and(|there| *there < end.offset)
        })
    }
}

/// What links are read from: the answer, or what a browser made of it.
fn as_read<'a>(record: &'a Record<'_>, tree: Option<&[u8]>, onward: &[String]) -> Cow<'a, [u8]> {
    let rendered = |tree| Cow::Owned(crate::render::as_answer(&record.data, tree, onward));
    tree.map_or(Cow::Borrowed(&*record.data), rendered)
}

/// What a replay needs of an event whose answer was stored.
struct Known {
    at: Position,
    purpose: Purpose,
    standing: Standing,
    redirects: u8,
    /// Whether the record counts: others are of redirects and the like.
    kept: bool,
    /// Where a rendered page wanted to go on to.
    onward: Vec<String>,
}

impl Crawl {
    /// Brings the frontier up to date with what was written after `checkpoint`.
    pub(super) fn replay(&mut self, checkpoint: &Checkpoint, replayed: &mut Replayed) -> Result<()> {
        let folder = self.folder.clone();
        let shards = shards_folder(&folder);
        let written = Written::of(&self.archive)?;
        let again = replayed.rebuilt.is_some();
        let (mut lost, mut replayed_events) = (0, 0u64);
        let mut visit = |event: Event| {
            if written.lacks(&event) {
                lost += 1;
                return Ok(());
            }
            replayed_events += 1;
            // A log of millions of events must not pile up in memory.
            if replayed_events.is_multiple_of(4096) {
                self.frontier.commit(&[])?;
            }
            self.replay_event(&event, again)
        };
        let journal_folder = events_folder(&folder);
        let visited = journal::replay(&journal_folder, checkpoint.journal, &mut visit)?;
        replayed.events = visited.records;
        replayed.damaged += visited.damaged + lost;

        let (sender, known) = sync_channel::<Known>(1024);
        let from = checkpoint.journal;
        std::thread::scope(|scope| {
            let reading = scope.spawn(move || {
                let mut visit = |event: Event| {
                    if let Some((at, _)) = place(&event).filter(|_| !written.lacks(&event)) {
                        let kept = [outcome::STORED, outcome::CUT_OFF].contains(&&*event.outcome);
                        let kept = event.purpose.is_stored() && kept;
                        // Nobody listens any more when the shards could not be read; that error is reported.
                        let standing = Standing { depth: event.depth, lineage: event.lineage };
                        let (purpose, redirects) = (event.purpose, event.redirects);
                        let onward = event.onward;
                        let _ = sender.send(Known { at, purpose, standing, redirects, kept, onward });
                    }
                    Ok(())
                };
                journal::replay(&journal_folder, from, &mut visit).map(drop)
            });
            let mut next = known.recv().ok();
            let visited = archive::tail_rendered(&shards, checkpoint.archive, &mut |record, tree| {
                let Some(file) = archive::shard_number(&record.place.shard) else { return Ok(()) };
                let at = Position { file, offset: record.place.offset };
                while next.as_ref().is_some_and(|k| k.at < at) {
                    next = known.recv().ok();
                }
                let matched = next.take_if(|k| k.at == at);
                if matched.is_some() {
                    next = known.recv().ok();
                }
                let Some(url) = CanonicalUrl::parse_stored(&record.url) else { return Ok(()) };
                let (purpose, standing, redirects, onward) = match matched {
                    Some(Known { kept: false, .. }) => return Ok(()),
                    Some(Known { purpose, standing, redirects, onward, .. }) => {
                        (purpose, standing, redirects, onward)
                    }
                    None => {
                        // A page that only the shards know of: its links count from here on.
                        self.frontier.mark_seen(&url)?;
                        (Purpose::Page, Standing::default(), 0, Vec::new())
                    }
                };
                replayed.pages += 1;
                let reading = self.reader.read(&url, purpose, standing, &as_read(record, tree, &onward));
                let priority = self.priority.of(&url, None);
                let of = Naming { url: &url, purpose, at: standing, redirects, priority, referrer: None };
                self.queue(of, &reading)?;
                // A rebuild of millions of pages must not pile up in memory.
                if replayed.pages.is_multiple_of(4096) {
                    self.frontier.commit(&[])?;
                }
                Ok(())
            })?;
            replayed.damaged += visited.damaged;
            drop(known);
            reading.join().map_err(|_| Error::Internal("reading the journal panicked".into()))?
        })?;
        if lost > 0 {
            // What comes now must not get the positions that the journal has for what is lost.
            self.archive.finish()?;
        }
        Ok(())
    }

    /// Applies an event; `again`: the frontier knows nothing of the past.
    fn replay_event(&mut self, event: &Event, again: bool) -> Result<()> {
        self.totals.outcomes.add(&event.outcome);
        self.totals.bytes += event.bytes;
        if event.bytes > 0 {
            self.totals.fetched += 1;
        }
        let Some(url) =
            CanonicalUrl::parse_stored(&event.url).filter(|url| !event.cut || url.as_str().len() < 1000)
        else {
            return Ok(());
        };
        if event.purpose == Purpose::Robots && event.outcome != outcome::ROBOTS {
            return Ok(());
        }
        if again && event.outcome == outcome::ROBOTS && url.path() == "/robots.txt" {
            // It names the sitemaps, and what a sitemap lists is nowhere else.
            self.add(&Discovered {
                url,
                purpose: Purpose::Robots,
                depth: 0,
                redirects: 0,
                lineage: Lineage::default(),
                origin: None,
                referrer: None,
                priority: 0.0,
            })?;
            return Ok(());
        }
        // What is to be asked for again stays as it is.
        if event.outcome == outcome::IMPORTED {
            return self.replay_import(event, &url);
        }
        if outcome::PASSING.contains(&&*event.outcome) || event.outcome == outcome::SITEMAP {
            return Ok(());
        }
        if event.outcome == outcome::REQUEUED {
            return self.requeue(event, url);
        }
        if event.visit.is_some() {
            // A page whose history is kept may be due again: whether it is queued, its history knows.
            let first = self.frontier.history(&url)?.is_none();
            if first {
                self.frontier.mark_seen(&url)?;
            }
            self.replay_visit(event, &url)?;
        } else {
            self.frontier.mark_seen(&url)?;
        }
        self.note_verdict(event, &url)?;
        if event.purpose.is_stored() && [outcome::STORED, outcome::CUT_OFF].contains(&&*event.outcome) {
            match event.purpose {
                Purpose::Requisite => self.totals.requisites += 1,
                _ => self.totals.stored += 1,
            }
        }
        if event.outcome == outcome::REDIRECT
            && let Some(given) = event.redirect_to.as_deref().and_then(CanonicalUrl::parse_stored)
        {
            let rewritten = self.reader.rewriter.apply(given.clone());
            let priority = self.priority.of(&url, None);
            let at = Standing { depth: event.depth, lineage: event.lineage };
            let redirect = Redirect {
                url: &url,
                origin: event.origin.as_deref(),
                purpose: event.purpose,
                at,
                redirects: event.redirects,
                priority,
                referrer: event.referrer.as_deref(),
            };
            if event.detail.as_deref() == Some(WITH_COOKIES) {
                return self.go_round(&redirect, if rewritten == url { given } else { rewritten });
            }
            self.follow(&redirect, rewritten, given)?;
        }
        Ok(())
    }
}
