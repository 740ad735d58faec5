//! One walk over a shard: what becomes of each of its records.
//!
//! **Definition.** A record is a capture that goes where URL, date and digest of its payload are that capture's: not by
//! its place, so that a shard from which records were taken out before is understood, too. Companions (requests, metadata
//! and conversions that name a record by `WARC-Concurrent-To` or `WARC-Refers-To`, or that a record names) go with the
//! records that they are about, unless one of these stays; they may stand before them.
//!
//! **Cost.** A byte a capture of the shard that goes; two external sorts for companions.
//!
//! **Errors.** Damage is counted and the walk goes on.

use webmill_capture::{Error, RecordType, Result};
use webmill_run::Cancel;
use webmill_shard::{Container, Format, Input, ReadOptions, Record, ShardReader};
use webmill_sort::{Budget, Mapped, MappedWriter, Sorter, group};
use xxhash_rust::xxh3::xxh3_64;

use super::as_revisit;
use super::captures::{Captures, NamedShard};
use super::dropped::{digest_proof, mark, place_proof};

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The record is copied unchanged.
    Stays,
    /// It is left out.
    Goes,
    /// A revisit takes its place; the number is that of its capture in [`Captures`].
    Revisit(usize),
    /// It is no record: bytes that are lost.
    Damage,
}

impl Fate {
    fn numbers(self) -> [u64; 2] {
        match self {
            Fate::Stays => [0, 0],
            Fate::Goes => [1, 0],
            Fate::Revisit(number) => [2, number as u64],
            Fate::Damage => [3, 0],
        }
    }

    /// The fate of those numbers.
    pub fn of_numbers(fate: u64, number: u64) -> Fate {
        match fate {
            0 => Fate::Stays,
            1 => Fate::Goes,
            2 => Fate::Revisit(number as usize),
            _ => Fate::Damage,
        }
    }
}

/// What a walk met.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct RecordCounts {
    /// Number of records in the shard.
    pub records: u64,
    /// Those of them that table `pages` would count.
    pub captures: u64,
    /// Places of damage, and the bytes lost there.
    pub damaged: u64,
    /// Likewise.
    pub lost: u64,
    /// Those of them that are the end of the file, inside a record, and the bytes lost there.
    pub cut_off: (u64, u64),
    /// Captures that go.
    pub found: u64,
    /// Companions that go.
    pub companions: u64,
    /// Bytes stored of these.
    pub companion_bytes: u64,
    /// Captures that are revisits of what stays already.
    pub revisits_before: u64,
}

/// A shard that was walked over.
pub struct WalkedShard {
    /// Offset, length, fate (two numbers) of each record and damage, in the order of the file.
    pub fates: Mapped<[u64; 4]>,
    /// What became of the captures that go, in the order of [`Captures::of_shard`].
    pub found: Vec<CaptureFate>,
    /// Counts.
    pub met: RecordCounts,
}

/// What became of a capture that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureFate {
    /// No record is this capture.
    Not,
    /// Its record goes.
    Goes,
    /// A revisit takes the place of its record.
    Revisit,
    /// Its record stays: it is a revisit already.
    Stays,
}

/// The captures of a shard that go.
struct WantedCaptures<'a> {
    captures: &'a Captures,
    /// Mark and proof of each, and the number of the first.
    proofs: &'a [[u64; 2]],
    first: usize,
    found: Vec<CaptureFate>,
}

/// Walks over `input`, which is called `shard` in the results. By `as_revisit` captures whose
/// page that stays has the same payload become revisits.
///
/// # Errors
/// [`Error::Io`] where the shard cannot be read or the disk refuses.
pub fn walk(
    input: &Input,
    (captures, shard): (&Captures, Option<&NamedShard>),
    options: &ReadOptions,
    as_revisit: bool,
    budget: &Budget,
    cancel: &Cancel,
) -> Result<WalkedShard> {
    let mut met = RecordCounts::default();
    let proofs = shard.map_or(&[][..], |shard| captures.of_shard(shard));
    let first = shard.map_or(0, |shard| shard.going.start);
    let mut wanted = WantedCaptures { captures, proofs, first, found: vec![CaptureFate::Not; proofs.len()] };
    let mut fates = MappedWriter::create(&budget.temp_dir)?;
    let mut links = Links::new(budget);
    let kind = (input.format, input.container);
    let mut reader = ShardReader::open_as(&input.path, input.name.clone(), kind, 0..u64::MAX, options)?;
    while let Some(next) = reader.next() {
        cancel.check()?;
        let (offset, length, fate) = match next {
            Ok(record) => {
                met.records += 1;
                let fate = wanted.fate(&record, input, as_revisit, &mut met)?;
                links.take(&record, fates.len(), fate)?;
                (record.place.offset, record.place.length, fate)
            }
            Err(error @ Error::Corrupt { .. }) => {
                met.damaged += 1;
                met.lost += error.lost();
                if error.is_cut_off() {
                    met.cut_off = (met.cut_off.0 + 1, met.cut_off.1 + error.lost());
                }
                webmill_jobs::say!("{error}");
                let Error::Corrupt { offset, lost, .. } = error else { continue };
                (offset, lost, Fate::Damage)
            }
            Err(error) => return Err(error),
        };
        let [fate, number] = fate.numbers();
        fates.push([offset, length, fate, number])?;
    }
    let fates = links.settle(fates.finish()?, &mut met)?;
    Ok(WalkedShard { fates, found: wanted.found, met })
}

impl WantedCaptures<'_> {
    /// What becomes of a record by itself.
    fn fate(
        &mut self,
        record: &Record<'_>,
        input: &Input,
        as_revisit: bool,
        met: &mut RecordCounts,
    ) -> Result<Fate> {
        let is_capture = matches!(
            record.kind,
            RecordType::Response | RecordType::Resource | RecordType::Revisit | RecordType::Conversion
        );
        let Some(capture) = record.to_mention().filter(|_| is_capture) else { return Ok(Fate::Stays) };
        let Some(url) = capture.canonical_url() else { return Ok(Fate::Stays) };
        met.captures += 1;
        let mark = mark(url.key().0, capture.date_ms);
        let from = self.proofs.partition_point(|row| row[0] < mark);
        let to = from + self.proofs[from..].iter().take_while(|row| row[0] == mark).count();
        if from == to {
            return Ok(Fate::Stays);
        }
        let digest = match record.kind {
            RecordType::Revisit => capture.refers_to.digest.as_deref().map(str::to_owned),
            _ => Some(capture.content_digest()),
        };
        let by_digest = digest.as_deref().map(digest_proof);
        let by_place = place_proof(record.place.offset, record.place.length);
        let proven = |at: &usize| by_digest == Some(self.proofs[*at][1]) || by_place == self.proofs[*at][1];
        // Equal records are one capture stored twice: each is found once, and further ones go with them.
        let fresh = (from..to).find(|at| proven(at) && self.found[*at] == CaptureFate::Not);
        let Some(at) = fresh.or_else(|| (from..to).find(proven)) else { return Ok(Fate::Stays) };
        let found = self.of_found(at, record, input, as_revisit, met)?;
        self.found[at] = found;
        Ok(match found {
            CaptureFate::Goes => Fate::Goes,
            CaptureFate::Revisit => Fate::Revisit(self.first + at),
            CaptureFate::Stays | CaptureFate::Not => Fate::Stays,
        })
    }

    /// What becomes of a record that is the capture `at`.
    fn of_found(
        &self,
        at: usize,
        record: &Record<'_>,
        input: &Input,
        as_revisit: bool,
        met: &mut RecordCounts,
    ) -> Result<CaptureFate> {
        if as_revisit {
            let going = self.captures.get(self.first + at)?;
            let Some(kept) = &going.kept else {
                met.found += 1;
                return Ok(CaptureFate::Goes);
            };
            if record.kind == RecordType::Revisit && !going.is_revisit {
                met.revisits_before += 1;
                return Ok(CaptureFate::Stays);
            }
            let can = going.is_identical()
                && kept.date_ms.is_some()
                && (input.format == Format::RawDb
                    || !matches!(input.container, Container::Lz4 | Container::WholeLz4));
            if can && as_revisit::refusal(record).is_none() {
                met.found += 1;
                return Ok(CaptureFate::Revisit);
            }
        }
        met.found += 1;
        Ok(CaptureFate::Goes)
    }
}

/// What stands first in a row of [`Links`] after the hash of a record's identifier, in the order in which it is wanted.
mod tag {
    /// A capture that stays has it.
    pub const STAYS: u64 = 0;
    /// A capture that goes has it.
    pub const GOES: u64 = 1;
    /// The record is named by a record that belongs to it.
    pub const NAMED_BY_COMPANION: u64 = 2;
    /// A capture that stays names it.
    pub const NAMED_BY_STAYING: u64 = 3;
    /// A capture that goes names it.
    pub const NAMED_BY_GOING: u64 = 4;
    /// A companion has it.
    pub const COMPANION: u64 = 5;
}

/// Which records are about which.
struct Links {
    rows: Sorter<[u64; 3]>,
    budget: Budget,
    any: bool,
}

/// Most records that a record is taken to name.
const MAX_NAMED: usize = 16;

impl Links {
    fn new(budget: &Budget) -> Links {
        Links { rows: Sorter::new(budget), budget: budget.clone(), any: false }
    }

    fn take(&mut self, record: &Record<'_>, number: u64, fate: Fate) -> Result<()> {
        if record.format != Format::Warc || record.kind == RecordType::Warcinfo {
            return Ok(());
        }
        let companion =
            matches!(record.kind, RecordType::Request | RecordType::Metadata | RecordType::Conversion);
        let goes = fate == Fate::Goes;
        self.any |= goes;
        let (own, named) = match (companion && !goes, goes) {
            (true, _) => (tag::COMPANION, tag::NAMED_BY_COMPANION),
            (false, true) => (tag::GOES, tag::NAMED_BY_GOING),
            (false, false) => (tag::STAYS, tag::NAMED_BY_STAYING),
        };
        if let Some(id) = &record.id {
            self.rows.push([hash(id), own, number])?;
        }
        let names = |name: &str| {
            name.eq_ignore_ascii_case("WARC-Concurrent-To")
                || (companion && name.eq_ignore_ascii_case("WARC-Refers-To"))
        };
        for (_, id) in record.properties().filter(|(name, _)| names(name)).take(MAX_NAMED) {
            self.rows.push([hash(&id), named, number])?;
        }
        Ok(())
    }

    /// The fates with those of companions.
    fn settle(self, fates: Mapped<[u64; 4]>, met: &mut RecordCounts) -> Result<Mapped<[u64; 4]>> {
        if !self.any {
            return Ok(fates);
        }
        // Number of the companion, 0 where something that it belongs to stays, else 1.
        let mut votes = Sorter::<[u64; 2]>::new(&self.budget).with_combine(|a, b| a[0] == b[0]);
        let one_id = |a: &[u64; 3], b: &[u64; 3]| a[0] == b[0];
        group(self.rows.finish()?, one_id, |first, others| {
            let mut seen = [false; 6];
            for row in std::iter::once(Ok(*first)).chain(others) {
                let [_, tag, number] = row?;
                seen[tag as usize] = true;
                let (stays, goes) = match tag {
                    tag::NAMED_BY_COMPANION => (seen[tag::STAYS as usize], seen[tag::GOES as usize]),
                    tag::COMPANION => {
                        (seen[tag::NAMED_BY_STAYING as usize], seen[tag::NAMED_BY_GOING as usize])
                    }
                    _ => continue,
                };
                if stays || goes {
                    votes.push([number, u64::from(!stays)])?;
                }
            }
            Ok(())
        })?;
        let mut votes = votes.finish()?.peekable();
        let settle = |(number, row): (usize, &[u64; 4])| {
            let mut row = *row;
            let of_it = |vote: &Result<[u64; 2]>| vote.as_ref().map_or(true, |vote| vote[0] == number as u64);
            if votes.next_if(of_it).transpose()?.is_some_and(|vote| vote[1] == 1) {
                row[2] = Fate::Goes.numbers()[0];
                met.companions += 1;
                met.companion_bytes += row[1];
            }
            Ok(row)
        };
        Mapped::of(&self.budget.temp_dir, fates.iter().enumerate().map(settle))
    }
}

/// An identifier, with or without brackets.
fn hash(id: &str) -> u64 {
    xxh3_64(id.trim().trim_start_matches('<').trim_end_matches('>').as_bytes())
}
