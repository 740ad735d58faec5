//! Replaying: the frontier brought up to date from what was written after its checkpoint.
//!
//! After the checkpoint of the last commit the journal says what was done and the shards hold the pages. If the frontier is
//! damaged, missing, or ahead of the data on disk, it is built again from the beginning of both ([`super::folder`]). This
//! loses counts of hosts (failures, pages) and retries of single URLs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::archive::{self, Archive};
use crate::engine::folder::{events_folder, shards_folder};
use crate::engine::queue::Naming;
use crate::engine::redirects::{Redirect, WITH_COOKIES};
use crate::engine::{Checkpoint, Crawl};
use crate::event::{Event, outcome};
use crate::journal;
use crate::page::Reading;
use crate::scope::Standing;
use crate::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_shard::{Position, Record};

/// Events or pages after which a replay is committed: a log of millions must not pile up in memory.
const BATCH: u64 = 4096;
/// Events that the reader of the journal may be ahead of the reader of the shards.
const AHEAD: usize = 1024;

/// A clock that stands so far before the last commit is named, ms.
const NOTED_BACK_MS: i64 = 5000;

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
    /// How far the machine's clock stands before the time of the last commit, ms.
    pub clock_back_ms: i64,
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
        if self.clock_back_ms >= NOTED_BACK_MS {
            let seconds = self.clock_back_ms / 1000;
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            notes.push(format!(
                "the clock stands {hours} h {minutes} min {} s before the last commit: waits go on from where they were",
                seconds % 60
            ));
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

/// Where the record of an event is, and its length.
pub(super) fn place(event: &Event) -> Option<(Position, u64)> {
    let file = archive::shard_number(event.shard.as_deref()?)?;
    Some((Position { file, offset: event.offset? }, event.length?))
}

/// How far each shard goes.
struct ShardProgress {
    finished: HashMap<u32, u64>,
    end: Position,
}

impl ShardProgress {
    fn of(archive: &Archive) -> Result<ShardProgress> {
        let mut finished = HashMap::new();
        for path in archive.finished()? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(number) = archive::shard_number(name) {
                finished.insert(number, std::fs::metadata(&path).at(&path)?.len());
            }
        }
        Ok(ShardProgress { finished, end: archive.position() })
    }

    /// Whether the event is about a record that a shard lost; shards that somebody took away have theirs.
    fn lacks(&self, event: &Event) -> bool {
        place(event).is_some_and(|(at, length)| {
            let end = Position { file: at.file, offset: at.offset + length };
            end > self.end || self.finished.get(&at.file).is_some_and(|there| *there < end.offset)
        })
    }
}

/// What a replay needs of an event whose answer was stored.
struct StoredEvent {
    at: Position,
    purpose: Purpose,
    standing: Standing,
    redirects: u8,
    /// When it was asked for, ms since 1970.
    at_ms: i64,
    /// Whether the record counts: others are of redirects and the like.
    kept: bool,
    /// Where a rendered page wanted to go on to.
    onward: Vec<String>,
    /// The URL first asked for, where redirects led here.
    origin: Option<String>,
}

/// What the journal knows of stored answers, in the order of the shards.
struct KnownAnswers {
    events: Receiver<StoredEvent>,
    next: Option<StoredEvent>,
}

impl KnownAnswers {
    fn new(events: Receiver<StoredEvent>) -> KnownAnswers {
        KnownAnswers { next: events.recv().ok(), events }
    }

    /// Of the record at `at`; places must be asked for in their order.
    fn at(&mut self, at: Position) -> Option<StoredEvent> {
        while self.next.as_ref().is_some_and(|known| known.at < at) {
            self.next = self.events.recv().ok();
        }
        let matched = self.next.take_if(|known| known.at == at);
        if matched.is_some() {
            self.next = self.events.recv().ok();
        }
        matched
    }
}

/// Reads what the journal knows of stored answers.
fn send_known(
    folder: &Path,
    from: Position,
    written: &ShardProgress,
    sender: &SyncSender<StoredEvent>,
) -> Result<()> {
    let mut visit = |event: Event| {
        if let Some((at, _)) = place(&event).filter(|_| !written.lacks(&event)) {
            let kept = event.purpose.is_stored() && is_kept(&event);
            let standing = Standing { depth: event.depth, lineage: event.lineage };
            let (purpose, redirects, at_ms) = (event.purpose, event.redirects, event.fetch_time_ms);
            // Nobody listens any more when the shards could not be read; that error is reported.
            let (onward, origin) = (event.onward, event.origin);
            let _ =
                sender.send(StoredEvent { at, purpose, standing, redirects, at_ms, kept, onward, origin });
        }
        Ok(())
    };
    journal::replay(folder, from, &mut visit).map(drop)
}

/// Whether the answer was stored as one that counts.
fn is_kept(event: &Event) -> bool {
    [outcome::STORED, outcome::CUT_OFF].contains(&&*event.outcome)
}

/// Whether the URL of an event is to be asked for again, and stays as it is.
fn is_to_stay(event: &Event) -> bool {
    outcome::PASSING.contains(&&*event.outcome) || event.outcome == outcome::SITEMAP
}

impl Crawl {
    /// Brings the frontier up to date with what was written after `checkpoint`.
    pub(super) fn replay(&mut self, checkpoint: &Checkpoint, replayed: &mut Replayed) -> Result<()> {
        let written = ShardProgress::of(&self.archive)?;
        let lost = self.replay_journal(checkpoint, &written, replayed)?;
        self.replay_shards(checkpoint, &written, replayed)?;
        if lost > 0 {
            // What comes now must not get the positions that the journal has for what is lost.
            self.archive.finish()?;
        }
        Ok(())
    }

    /// Applies the events after `checkpoint`; how many are about records that are lost.
    fn replay_journal(
        &mut self,
        checkpoint: &Checkpoint,
        written: &ShardProgress,
        replayed: &mut Replayed,
    ) -> Result<u64> {
        let folder = events_folder(&self.folder);
        let again = replayed.rebuilt.is_some();
        let (mut lost, mut applied) = (0, 0u64);
        let visited = journal::replay(&folder, checkpoint.journal, &mut |event: Event| {
            if written.lacks(&event) {
                lost += 1;
                return Ok(());
            }
            applied += 1;
            if applied.is_multiple_of(BATCH) {
                self.keep_focus()?;
                self.frontier.commit(&[])?;
            }
            self.replay_event(&event, again)
        })?;
        replayed.events = visited.records;
        replayed.damaged += visited.damaged + lost;
        Ok(lost)
    }

    /// Queues what the pages after `checkpoint` name.
    fn replay_shards(
        &mut self,
        checkpoint: &Checkpoint,
        written: &ShardProgress,
        replayed: &mut Replayed,
    ) -> Result<()> {
        let (events, shards) = (events_folder(&self.folder), shards_folder(&self.folder));
        let (sender, receiver) = sync_channel(AHEAD);
        std::thread::scope(|scope| {
            let reading = scope.spawn(move || send_known(&events, checkpoint.journal, written, &sender));
            let mut known = KnownAnswers::new(receiver);
            let visited = archive::tail_rendered(&shards, checkpoint.archive, &mut |record, tree| {
                let Some(file) = archive::shard_number(&record.place.shard) else { return Ok(()) };
                let known = known.at(Position { file, offset: record.place.offset });
                if self.replay_record(known, record, tree)? {
                    replayed.pages += 1;
                    if replayed.pages.is_multiple_of(BATCH) {
                        self.keep_focus()?;
                        self.frontier.commit(&[])?;
                    }
                }
                Ok(())
            })?;
            replayed.damaged += visited.damaged;
            drop(known);
            reading.join().map_err(|_| Error::Internal("reading the journal panicked".into()))?
        })
    }

    /// Queues what a stored answer names; whether it is one that counts.
    fn replay_record(
        &mut self,
        known: Option<StoredEvent>,
        record: &Record<'_>,
        tree: Option<&[u8]>,
    ) -> Result<bool> {
        let Some(url) = CanonicalUrl::parse_stored(&record.url) else { return Ok(false) };
        let (purpose, standing, redirects, onward, at_ms, origin) = match known {
            Some(StoredEvent { kept: false, .. }) => return Ok(false),
            Some(StoredEvent { purpose, standing, redirects, onward, at_ms, origin, .. }) => {
                (purpose, standing, redirects, onward, Some(at_ms), origin)
            }
            None => {
                // A page that only the shards know of: its links count from here on.
                self.frontier.mark_seen(&url)?;
                (Purpose::Page, Standing::default(), 0, Vec::new(), None, None)
            }
        };
        let leads = self.leads_for(&url, purpose)?;
        let reading = match tree {
            None => self.reader.read_by(&url, purpose, standing, &record.data, &leads),
            // Rules read what the server sent.
            Some(tree) => {
                let answer = crate::render::as_answer(&record.data, tree, &onward);
                let Reading { led, looked, .. } =
                    self.reader.look_again(&url, standing, &record.data, &leads);
                Reading { led, looked, ..self.reader.read_rendered(&url, standing, &answer) }
            }
        };
        let kept = archive::shard_number(&record.place.shard).map(|shard| (shard, record.place.offset));
        self.read_by_rules(&url, standing, kept, &reading)?;
        let priority = self.priority.of(&url, None);
        let again = match at_ms {
            Some(at_ms) => self.asked_again_since(&url, purpose, (at_ms, &record.place))?,
            None => None,
        };
        let origin = origin.as_deref();
        let of =
            Naming { url: &url, purpose, at: standing, redirects, priority, referrer: None, origin, again };
        self.queue(of, &reading)?;
        Ok(true)
    }

    /// Applies an event; `again`: the frontier knows nothing of the past.
    fn replay_event(&mut self, event: &Event, again: bool) -> Result<()> {
        self.count_answer(event);
        let url = CanonicalUrl::parse_stored(&event.url);
        let Some(url) = url.filter(|url| !event.cut || url.as_str().len() < 1000) else { return Ok(()) };
        if event.purpose == Purpose::Robots && event.outcome != outcome::ROBOTS {
            return Ok(());
        }
        if again && event.outcome == outcome::ROBOTS && url.path() == "/robots.txt" {
            return self.ask_again_for_robots(url);
        }
        if event.outcome == outcome::IMPORTED {
            return self.replay_import(event, &url);
        }
        if is_to_stay(event) {
            return Ok(());
        }
        if event.outcome == outcome::REQUEUED {
            return self.requeue(event, url);
        }
        // A page whose history is kept may be due again: whether it is queued, its history knows.
        let known = match event.purpose {
            Purpose::Requisite => self.frontier.requisite(&url)?.is_some(),
            _ => event.visit.is_some() && self.frontier.history(&url)?.is_some(),
        };
        if !known {
            self.frontier.mark_seen(&url)?;
        }
        self.replay_visit(event, &url)?;
        if !again {
            self.replay_repeated(event, &url)?;
        }
        self.note_verdict(event, &url)?;
        self.count_end(event);
        self.replay_redirect(event, &url)
    }

    /// Counts what an answer, or its absence, means for the totals.
    fn count_answer(&mut self, event: &Event) {
        self.totals.outcomes.add(&event.outcome);
        self.totals.bytes += event.bytes;
        if event.bytes > 0 {
            self.totals.fetched += 1;
        }
    }

    /// Counts a URL that is done.
    fn count_end(&mut self, event: &Event) {
        if event.purpose.is_stored() && is_kept(event) {
            match event.purpose {
                Purpose::Requisite => self.totals.requisites += 1,
                _ => self.totals.stored += 1,
            }
        }
    }

    /// A robots.txt names sitemaps, and what a sitemap lists is nowhere else.
    fn ask_again_for_robots(&mut self, url: CanonicalUrl) -> Result<()> {
        self.add(&Discovered::new(url, Purpose::Robots)).map(drop)
    }

    /// Queues the target of a redirect once more, if the event is of one.
    fn replay_redirect(&mut self, event: &Event, url: &CanonicalUrl) -> Result<()> {
        let target = event.redirect_to.as_deref().filter(|_| event.outcome == outcome::REDIRECT);
        let Some(given) = target.and_then(CanonicalUrl::parse_stored) else { return Ok(()) };
        let rewritten = self.reader.rewriter.apply(given.clone());
        let again = match event.purpose {
            Purpose::Requisite => self.asked_again_at(url, event.purpose, event.fetch_time_ms)?,
            _ => None,
        };
        let redirect = Redirect {
            url,
            origin: event.origin.as_deref(),
            purpose: event.purpose,
            at: Standing { depth: event.depth, lineage: event.lineage },
            redirects: event.redirects,
            priority: self.priority.of(url, None),
            referrer: event.referrer.as_deref(),
            again,
        };
        if event.detail.as_deref() == Some(WITH_COOKIES) {
            return self.go_round(&redirect, if rewritten == *url { given } else { rewritten });
        }
        self.follow(&redirect, rewritten, given).map(drop)
    }
}
