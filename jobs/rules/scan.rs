//! One pass over shards: which capture of each URL counts, and what the layers that pages are entered by for their address find,
//! at once.
//!
//! Each part of a shard writes what was found aside, and a head a capture: its URL, how much it counts, where it stands, where its
//! results are. Heads are sorted by URL (externally, within the budget) and the one that counts of each is taken, as `extract` does
//! it: HTML answers and documents of status 2xx before other answers of status 2xx before other answers before revisits and all else; then time;
//! captures of one moment by digest, offset, shard. Their digests are computed only then.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};

use serde::{Deserialize, Serialize};
use webmill_capture::error::AtPath;
use webmill_capture::memory;
use webmill_capture::{CanonicalUrl, Capture, Error, RecordType, Result};
use webmill_crawl::journal::LogFile;
use webmill_mill::Buffers;
use webmill_rules::{EntryPatterns, Rule, TagCounts};
use webmill_run::{Stage, Unit};
use webmill_sort::{Budget, RowSorter};

use super::store::{Place, ResultFiles, ResultPlace, Store, Stored, Task, Way};
use super::tally::Tally;
use super::tops::Gathered;
use super::visit::Visitor;
use crate::inputs::Shards;
use crate::walk::{OfPart, Taken, Walk};

/// Counts URLs that layers are entered by, and whose captures brought nothing.
const NO_GOOD_CAPTURE: &str = "no-good-capture";

/// Largest record held in memory, in bytes; a larger one is cut.
const MAX_RECORD: u64 = 64 << 20;

/// What a layer found on a capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Done {
    rule: u16,
    layer: u16,
    /// Empty where the page is not of the layer.
    counts: Vec<TagCounts>,
    at: ResultPlace,
    is_of: bool,
}

/// A capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Head {
    url: u128,
    class: u8,
    time: Option<i64>,
    place: Place,
    /// Whether it is an answer that brought what was asked for.
    is_good: bool,
    origin: Option<u128>,
    redirect: Option<u128>,
    /// Whether a layer is entered by its address, though it brought nothing that could be looked at.
    passed: bool,
    /// Empty where nothing was done.
    surt: String,
    done: Vec<Done>,
}

/// The pass.
pub struct Scan<'a> {
    /// What pages are analysed with.
    visitor: &'a Visitor<'a>,
    shards: &'a Shards,
    /// Whether pages are found by links or addresses, so that the places of all must be known.
    finds_pages: bool,
}

impl<'a> Scan<'a> {
    /// One over these shards.
    pub fn new(visitor: &'a Visitor<'a>, shards: &'a Shards) -> Self {
        Scan { visitor, shards, finds_pages: visitor.rules.iter().any(Rule::finds_pages) }
    }

    /// Reads all shards; units of work of their own.
    ///
    /// # Errors
    /// What ends the run.
    pub fn read(&self, stage: &Stage<'_>) -> Result<()> {
        let walk = Walk { shards: self.shards, stage, max_record_bytes: MAX_RECORD, unit: "scan" };
        let entered = EntryPatterns::new(self.visitor.rules)
            .map_err(|error| Error::Limit(format!("expressions of rules: {error}")))?;
        let parts = walk.parts(0);
        walk.run("scan", &parts, |index, _| PartScan {
            scan: self,
            entered: &entered,
            shard: parts[index].input as u32,
            name: walk.unit_name(index),
            files: None,
        })?;
        if !self.finds_pages {
            return Ok(());
        }
        for log in &self.shards.logs {
            stage.unit(&log.unit, |unit| {
                let mut files = Files::create(&log.unit, unit)?;
                let finished = log.path.extension().is_some_and(|e| e == "zst");
                let file = LogFile { number: 0, path: log.path.clone(), finished };
                let read = file.read(0, &mut |event| {
                    stage.cancel.check()?;
                    redirect_of(&event).map_or(Ok(()), |head| files.head(&head))
                })?;
                if let Some(error) = read.first {
                    unit.dropped("damaged-log-line", read.damaged);
                    stage.progress.note(&error.to_string());
                }
                files.finish(unit)
            })?;
        }
        Ok(())
    }

    /// Puts what was read into the store: the captures that count.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn gather(
        &self,
        store: &mut Store,
        tops: &mut Gathered,
        unit: &mut Unit<'_>,
        tally: &mut Tally,
    ) -> Result<()> {
        let stage = unit.stage();
        let mut sorter = RowSorter::new(&Budget::new(stage.memory as usize / 4).in_dir(unit.temp()));
        let mut found = Vec::new();
        for (path, _) in stage.scratch()? {
            if let Some(heads) = path.strip_suffix(FOUND) {
                found.push(stage.path(&path));
                push(&stage.path(&format!("{heads}{HEADS}")), found.len() as u32 - 1, &mut sorter)?;
            }
        }
        store.set_aside(ResultFiles::open(&found)?);
        let mut current: Option<Counting> = None;
        for row in sorter.finish()? {
            let (order, head) = row?;
            if let Some(origin) = head.origin.filter(|_| self.finds_pages) {
                store.set_redirect(origin, head.url, head.time)?;
            }
            let next = Counting { order, head, digest: None };
            current = match current.take() {
                Some(before) if before.head.url != next.head.url => {
                    self.keep(before.head, (store, tops), tally, unit)?;
                    Some(next)
                }
                Some(before) if before.order == next.order => Some(self.later(before, next)),
                _ => Some(next),
            };
        }
        current.map_or(Ok(()), |last| self.keep(last.head, (store, tops), tally, unit))
    }

    /// Of two captures of one moment the one that counts.
    fn later(&self, mut a: Counting, mut b: Counting) -> Counting {
        for one in [&mut a, &mut b] {
            let digest = || self.visitor.digest(&one.head.place);
            one.digest.get_or_insert_with(digest);
        }
        let key = |of: &Counting| {
            let shard = self.visitor.shards.name(of.head.place.shard).to_owned();
            (of.digest.clone().flatten(), of.head.place.offset, shard)
        };
        if key(&a) > key(&b) { a } else { b }
    }

    fn keep(
        &self,
        head: Head,
        (store, tops): (&Store, &mut Gathered),
        tally: &mut Tally,
        unit: &mut Unit<'_>,
    ) -> Result<()> {
        if self.finds_pages {
            if let Some(target) = head.redirect {
                store.set_redirect(head.url, target, head.time)?;
            }
            if head.is_good {
                store.set_place(head.url, head.place)?;
            }
        }
        if !head.done.is_empty() {
            unit.kept("pages", 1);
        } else if head.passed {
            unit.dropped(NO_GOOD_CAPTURE, 1);
        }
        for done in head.done {
            let task = Task { url: head.url, rule: done.rule, layer: done.layer };
            let rule = &self.visitor.rules[usize::from(done.rule)];
            if done.is_of {
                tally.page(task, &done.counts);
                tops.add(task, &head.surt, Some(done.at))?;
            }
            // Rules whose pages stand alone ask for nothing but their tops.
            if rule.finds_pages() {
                store.put_at(task, done.at)?;
                store.queue(0, task, Way::Entered)?;
            }
        }
        Ok(())
    }
}

/// By what captures are sorted: URL, class, time. Captures of one moment are equal.
type Order = (u128, u8, Option<i64>);

/// The capture of a URL that counts so far.
struct Counting {
    order: Order,
    head: Head,
    digest: Option<Option<String>>,
}

fn unreadable() -> Error {
    Error::Internal("the job rules holds a capture that was not written".into())
}

/// Ends of the names of a part's files.
const HEADS: &str = ".heads";
const FOUND: &str = ".found";

/// Adds the heads of a part; results are in the file of this number.
fn push(path: &std::path::Path, file: u32, sorter: &mut RowSorter<Order, Head>) -> Result<()> {
    let mut heads = BufReader::new(File::open(path).at(path)?);
    let (mut length, mut frame) = ([0; 4], Vec::new());
    loop {
        match heads.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(Error::io(path, error)),
        }
        frame.resize(u32::from_le_bytes(length) as usize, 0);
        heads.read_exact(&mut frame).at(path)?;
        let mut head: Head = postcard::from_bytes(&frame).map_err(|_| unreadable())?;
        head.done.iter_mut().for_each(|done| done.at.file = file);
        sorter.push(&(head.url, head.class, head.time), &head)?;
    }
}

/// The files of a part.
struct Files {
    name: String,
    found: BufWriter<File>,
    written: u64,
    heads: BufWriter<File>,
    rows: u64,
    path: std::path::PathBuf,
}

impl Files {
    fn create(name: &str, unit: &Unit<'_>) -> Result<Files> {
        let create = |end: &str| {
            let path = unit.create(&format!("aside/{name}{end}"))?;
            Ok(BufWriter::with_capacity(1 << 16, File::create(&path).at(&path)?))
        };
        let (found, heads) = (create(FOUND)?, create(HEADS)?);
        let path = unit.stage().path("aside");
        Ok(Files { name: name.to_owned(), found, written: 0, heads, rows: 0, path })
    }

    fn found(&mut self, stored: &Stored) -> Result<ResultPlace> {
        let bytes = postcard::to_allocvec(stored).map_err(|_| unreadable())?;
        self.found.write_all(&bytes).at(&self.path)?;
        let at = ResultPlace { file: 0, offset: self.written, length: bytes.len() as u32 };
        self.written += bytes.len() as u64;
        Ok(at)
    }

    fn head(&mut self, head: &Head) -> Result<()> {
        let bytes = postcard::to_allocvec(head).map_err(|_| unreadable())?;
        self.heads.write_all(&(bytes.len() as u32).to_le_bytes()).at(&self.path)?;
        self.rows += 1;
        self.heads.write_all(&bytes).at(&self.path)
    }

    fn finish(mut self, unit: &mut Unit<'_>) -> Result<()> {
        self.found.flush().at(&self.path)?;
        self.heads.flush().at(&self.path)?;
        for end in [FOUND, HEADS] {
            unit.scratch(&format!("aside/{}{end}", self.name), self.rows);
        }
        Ok(())
    }
}

/// A part of a shard.
struct PartScan<'a> {
    scan: &'a Scan<'a>,
    entered: &'a EntryPatterns,
    shard: u32,
    name: String,
    files: Option<Files>,
}

impl OfPart for PartScan<'_> {
    fn wants(&self, capture: &Capture<'_>) -> bool {
        !matches!(capture.record_type, RecordType::Request | RecordType::Metadata)
    }

    fn capture(&mut self, capture: &Capture<'_>, unit: &mut Unit<'_>) -> Result<Taken> {
        let visitor = self.scan.visitor;
        let buffers = Buffers::default();
        let Some(page) = visitor.mill.page(capture, &buffers) else { return Ok(Taken::NoUrl) };
        if let Err(too_large) = memory::grow(page.weight()) {
            return Ok(Taken::TooLarge(too_large));
        }
        let layers = self.entered.of(page.url().as_str());
        if layers.is_empty() && !self.scan.finds_pages {
            return Ok(Taken::Used);
        }
        let is_good = page.is_good() && capture.is_answer();
        let url = page.url().key().0;
        let place = Place { shard: self.shard, offset: capture.place.offset, length: capture.place.length };
        let tasks: Vec<Task> = layers
            .iter()
            .map(|(rule, layer)| Task { url, rule: *rule as u16, layer: *layer as u16 })
            .collect();
        let results = if is_good { visitor.results(&page, &tasks) } else { Vec::new() };
        if self.files.is_none() {
            self.files = Some(Files::create(&self.name, unit)?);
        }
        let Some(files) = &mut self.files else { return Ok(Taken::Used) };
        let mut done = Vec::with_capacity(results.len());
        for (task, results) in tasks.iter().zip(results) {
            let is_of = results.is_some();
            let (habits, counts, results) = match results {
                Some(found) => (found.habits, found.counts, Some(found.results)),
                None => Default::default(),
            };
            let at = files.found(&Stored { url: page.url().as_str().to_owned(), place, habits, results })?;
            done.push(Done { rule: task.rule, layer: task.layer, counts, at, is_of });
        }
        let key = |url: CanonicalUrl| url.key().0;
        let class = match (is_good, capture.is_answer()) {
            (true, _) if page.is_html() || page.kind().is_some() => 3,
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        };
        let head = Head {
            url,
            class,
            time: capture.date_ms,
            place,
            is_good,
            origin: page.origin().map(key),
            redirect: page.redirect().map(key),
            passed: !is_good && !layers.is_empty(),
            surt: if done.is_empty() { String::new() } else { page.url().surt() },
            done,
        };
        files.head(&head)?;
        Ok(Taken::Used)
    }

    fn finish(self, unit: &mut Unit<'_>) -> Result<()> {
        // A part without captures has files too: what is found is numbered by them.
        self.files.map_or_else(|| Files::create(&self.name, unit), Ok)?.finish(unit)
    }
}

/// The head of a redirect that no shard holds.
fn redirect_of(event: &webmill_crawl::event::Event) -> Option<Head> {
    let is_page = event.shard.is_none() && event.purpose == webmill_crawl::Purpose::Page;
    let status = event.status.filter(|_| is_page && event.outcome != "retry" && !event.cut)?;
    let url = CanonicalUrl::parse_stored(&event.url).filter(|_| status >= 300)?;
    let target = event.redirect_to.as_deref().and_then(CanonicalUrl::parse_stored);
    Some(Head {
        url: url.key().0,
        class: 1,
        time: Some(event.fetch_time_ms),
        place: Place { shard: u32::MAX, offset: 0, length: 0 },
        is_good: false,
        origin: None,
        redirect: target.map(|target| target.key().0),
        passed: false,
        surt: String::new(),
        done: Vec::new(),
    })
}
