//! Records of shards in their order, read by all processors.
//!
//! **What.** The records of files, one after the other; damage is told in its place, and the walk goes on behind it.
//!
//! **Algorithm.** Files are cut into parts by size alone ([`split`]). A thread reads each part ahead, a few parts at a time.
//! A part guesses where its first record is; where the part before did not end exactly there, what was read is thrown away and the part
//! is read again from the right place ([`follows`]). So the records are those of one walk from the start.
//!
//! **Memory.** Of each part that is read ahead [`BATCHES`] batches of [`BATCH_BYTES`] or of one record that is larger; at most
//! [`MOST_PARTS`] parts are.
//!
//! **Determinism.** Neither processors nor cuts change a record or the order.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use webmill_capture::Error;
use webmill_run::Cancel;
use webmill_shard::{Input, OwnedRecord, Part, ReadOptions, Resume, ShardReader, follows, split};

/// Stored bytes of a part, at least and at most: where it begins is guessed, which costs some 2 ms.
const PART_BYTES: (u64, u64) = (1 << 20, 16 << 20);
/// Records, and bytes of them, of a batch.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1 << 20;
/// Batches of a part that wait for the parts before it.
const BATCHES: usize = 8;
/// Most parts that are read at a time.
const MOST_PARTS: usize = 8;

/// A record and its file, or damage.
pub type WalkedRecord = Result<(OwnedRecord, Arc<Path>), Error>;

/// What is read, and how.
#[derive(Clone)]
pub struct Plan {
    /// Files, folders, globs.
    pub paths: Arc<[String]>,
    /// Names of the kinds of records that are wanted; none: all.
    pub kinds: Option<Arc<[String]>>,
    /// How records are read.
    pub options: ReadOptions,
}

/// What a thread tells of its part, in this order.
enum Message {
    /// It could not be opened; nothing follows.
    Failed(Error),
    /// Where its first record is, as far as could be guessed.
    Started(Option<u64>),
    Batch(VecDeque<WalkedRecord>),
    Ended(Resume),
}

/// A part that a thread reads.
struct PartAhead {
    part: usize,
    messages: Receiver<Message>,
    /// Whether it goes on exactly where the part before ended.
    follows: bool,
    /// Whether a record of a part before spans all of it.
    is_spanned: bool,
}

/// A walk over shards.
pub struct Walk {
    plan: Plan,
    inputs: Vec<Input>,
    parts: Vec<Part>,
    /// Files that are no shards, not told of yet.
    faults: VecDeque<Error>,
    /// The first part that no thread reads yet.
    next: usize,
    ahead: VecDeque<PartAhead>,
    at_once: usize,
    before: Option<Resume>,
    batch: VecDeque<WalkedRecord>,
    /// Threads do not live on in the child of a fork.
    process: u32,
}

impl Walk {
    /// From the first record on.
    ///
    /// # Errors
    /// Where no file can be found.
    pub fn new(plan: Plan) -> Result<Walk, Error> {
        let (inputs, faults) = webmill_jobs::remote::discover(&plan.paths, &Cancel::default())?;
        let at_once = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_PARTS);
        let total: u64 = inputs.iter().map(|input| input.bytes).sum();
        let parts = split(&inputs, (total / (4 * at_once as u64)).clamp(PART_BYTES.0, PART_BYTES.1));
        Ok(Walk {
            plan,
            inputs,
            parts,
            faults: faults.into(),
            next: 0,
            ahead: VecDeque::new(),
            at_once,
            before: None,
            batch: VecDeque::new(),
            process: std::process::id(),
        })
    }

    /// The next record that is wanted, or damage; after damage the walk goes on.
    pub fn next(&mut self) -> Option<WalkedRecord> {
        if let Some(fault) = self.faults.pop_front() {
            return Some(Err(fault));
        }
        loop {
            if let Some(found) = self.batch.pop_front() {
                return Some(found);
            }
            if let Err(error) = self.step()? {
                return Some(Err(error));
            }
        }
    }

    /// Takes the next message of the part whose turn it is; `None` at the end.
    fn step(&mut self) -> Option<Result<(), Error>> {
        if self.process != std::process::id() {
            (self.next, self.process) = (self.parts.len(), std::process::id());
            self.ahead.clear();
            let reason = "captures that were begun before a fork do not go on behind it";
            return Some(Err(Error::Config(reason.to_owned())));
        }
        while self.ahead.len() < self.at_once && self.next < self.parts.len() {
            let ahead = self.start(self.next, None);
            self.next += 1;
            self.ahead.push_back(ahead);
        }
        let front = self.ahead.front_mut()?;
        match front.messages.recv() {
            Ok(Message::Batch(batch)) => self.batch = batch,
            Ok(Message::Started(first)) => {
                front.is_spanned = first.is_none();
                let (part, is_sure) = (front.part, front.follows);
                let range = &self.parts[part].range;
                if let Some(before) = self.before
                    && range.start > 0
                    && !is_sure
                    && !follows(&before, range, first)
                {
                    let again = self.start(part, Some(before));
                    if let Some(front) = self.ahead.front_mut() {
                        *front = again;
                    }
                }
            }
            Ok(Message::Ended(resume)) => {
                if front.follows || !front.is_spanned || self.parts[front.part].range.start == 0 {
                    self.before = Some(resume);
                }
                self.ahead.pop_front();
            }
            Ok(Message::Failed(error)) => {
                let input = self.parts[front.part].input;
                self.leave(input);
                return Some(Err(error));
            }
            Err(_) => {
                let input = self.parts[front.part].input;
                let path = self.inputs[input].path.display().to_string();
                self.leave(input);
                return Some(Err(Error::Internal(format!("{path}: the thread that read it broke off"))));
            }
        }
        Some(Ok(()))
    }

    /// Goes on behind a file.
    fn leave(&mut self, input: usize) {
        self.ahead.retain(|ahead| self.parts[ahead.part].input != input);
        let others = |part: &Part| part.input > input;
        self.next = self.next.max(self.parts.iter().position(others).unwrap_or(self.parts.len()));
    }

    /// Starts a thread that reads a part. It ends with the part, or when nobody listens any more.
    fn start(&self, part: usize, from: Option<Resume>) -> PartAhead {
        let (sender, messages) = sync_channel(BATCHES);
        let (input, range) = (self.inputs[self.parts[part].input].clone(), self.parts[part].range.clone());
        let kinds = self.plan.kinds.clone();
        let options = ReadOptions { exact_start: from, ..self.plan.options.clone() };
        let read = move || {
            let kind = (input.format, input.container);
            let opened = ShardReader::open_as(&input.path, Arc::clone(&input.name), kind, range, &options);
            // Who does not listen does not want it.
            let _ = match opened {
                Ok(reader) => read_part(reader, &Arc::from(input.path.as_path()), kinds.as_deref(), &sender),
                Err(error) => sender.send(Message::Failed(error)).ok(),
            };
        };
        if let Err(error) = std::thread::Builder::new().name("webmill-captures".into()).spawn(read) {
            let (sender, messages) = sync_channel(1);
            let reason = format!("no thread to read captures: {error}");
            let _ = sender.send(Message::Failed(Error::Config(reason)));
            return PartAhead { part, messages, follows: false, is_spanned: false };
        }
        PartAhead { part, messages, follows: from.is_some(), is_spanned: false }
    }
}

/// Sends all of a part; `None` where nobody listens.
fn read_part(
    mut reader: ShardReader,
    path: &Arc<Path>,
    kinds: Option<&[String]>,
    sender: &SyncSender<Message>,
) -> Option<()> {
    sender.send(Message::Started(reader.first_offset())).ok()?;
    let (mut batch, mut bytes) = (VecDeque::new(), 0);
    while let Some(found) = reader.next() {
        match found {
            Ok(record) => {
                let kind = record.kind.name();
                if kinds.is_some_and(|kinds| kinds.iter().all(|wanted| wanted != kind)) {
                    continue;
                }
                bytes += record.data.len();
                batch.push_back(Ok((record.into_owned(), Arc::clone(path))));
            }
            Err(error) => batch.push_back(Err(error)),
        }
        if batch.len() >= BATCH || bytes >= BATCH_BYTES {
            sender.send(Message::Batch(std::mem::take(&mut batch))).ok()?;
            bytes = 0;
        }
    }
    sender.send(Message::Batch(batch)).ok()?;
    sender.send(Message::Ended(reader.resume())).ok()
}
