//! One walk over a shard: what becomes of each of its records.
//!
//! **Definition.** A record is a capture that goes where URL, date and digest of its payload are that capture's: not by
//! its place, so that a shard from which records were taken out before is understood, too. Companions (requests, metadata
//! and conversions that name a record by `WARC-Concurrent-To` or `WARC-Refers-To`, or that a record names) go with the
//! records that they are about, unless one of these stays; they may stand before them.
//!
//! **Cost.** 24 bytes a capture of the shard that goes, at most a given number of them; two external sorts for companions.
//!
//! **Errors.** Damage is counted and the walk goes on.

use std::path::Path;

use webmill_capture::{Error, RecordType, Result};
use webmill_run::Cancel;
use webmill_shard::{Container, Format, Input, ReadOptions, Record, ShardReader};
use webmill_sort::{Budget, Sorter};
use xxhash_rust::xxh3::xxh3_64;

use super::captures::{Captures, NamedShard};
use super::dropped::{digest_proof, mark, place_proof};
use super::spool::{Spool, join};
use crate::command::shard::as_revisit;

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Stays,
    /// It is left out.
    Goes,
    /// A revisit takes its place; the number says where its capture is in the file of [`Captures`].
    Revisit(u64),
    /// It is no record: bytes that are lost.
    Damage,
}

impl Fate {
    fn numbers(self) -> [u64; 2] {
        match self {
            Fate::Stays => [0, 0],
            Fate::Goes => [1, 0],
            Fate::Revisit(place) => [2, place],
            Fate::Damage => [3, 0],
        }
    }

    /// The fate of those numbers.
    pub fn of_numbers(fate: u64, place: u64) -> Fate {
        match fate {
            0 => Fate::Stays,
            1 => Fate::Goes,
            2 => Fate::Revisit(place),
            _ => Fate::Damage,
        }
    }
}

/// What a walk is to do.
#[derive(Debug, Clone, Copy)]
pub struct Wishes {
    /// Captures whose page that stays has the same payload become revisits.
    pub as_revisit: bool,
    /// With that: captures that cannot become revisits stay.
    pub keep_others: bool,
    /// Most captures that are held.
    pub most: usize,
}

/// What a walk met.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// Records.
    pub records: u64,
    /// Those of them that table `pages` would count.
    pub captures: u64,
    /// Places of damage, and the bytes lost there.
    pub damaged: u64,
    /// Likewise.
    pub lost: u64,
    /// Captures that go.
    pub found: u64,
    /// Companions that go.
    pub companions: u64,
    /// Bytes stored of these.
    pub companion_bytes: u64,
    /// Captures that are revisits of what stays already.
    pub revisits_before: u64,
    /// Captures that stay because they cannot be said as revisits.
    pub others: u64,
    /// Captures that go by the tables, but not here, for want of memory.
    pub beyond_memory: u64,
}

/// A shard that was walked over.
pub struct Walked {
    /// Number, offset, length, fate (two numbers) of each record and damage, in the order of the file.
    pub fates: Spool<5>,
    /// What became of the captures that go, in the order of [`Captures::of_shard`].
    pub wanted: Wanted,
    /// Counts.
    pub met: Met,
}

/// What became of a capture that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// No record is this capture.
    Not,
    /// Its record goes.
    Goes,
    /// A revisit takes the place of its record.
    Revisit,
    /// Its record stays: it is a revisit already, or cannot become one.
    Stays,
}

/// The captures of a shard that go: mark, proof, place in the file; what became of it in the two highest bits of that.
pub struct Wanted {
    rows: Vec<[u64; 3]>,
}

const STATE: u32 = 62;

/// Walks over `input`, which is called `shard` in the results; `folder` takes temporary files.
///
/// # Errors
/// [`Error::Io`] where the shard cannot be read or the disk refuses.
pub fn walk(
    input: &Input,
    (captures, shard): (&Captures, Option<&NamedShard>),
    options: &ReadOptions,
    wishes: Wishes,
    (budget, folder): (&Budget, &Path),
    cancel: &Cancel,
) -> Result<Walked> {
    let mut met = Met::default();
    let mut wanted = Wanted::read(captures, shard, wishes.most, &mut met)?;
    let mut fates = Spool::<5>::new(folder)?;
    let mut links = Links::new(budget);
    let kind = (input.format, input.container);
    let mut reader = ShardReader::open_as(&input.path, input.name.clone(), kind, 0..u64::MAX, options)?;
    while let Some(next) = reader.next() {
        cancel.check()?;
        let number = fates.count();
        let (offset, length, fate) = match next {
            Ok(record) => {
                met.records += 1;
                let fate = wanted.fate(&record, input, captures, wishes, &mut met)?;
                links.take(&record, number, fate)?;
                (record.place.offset, record.place.length, fate)
            }
            Err(Error::Corrupt { path, offset, reason, lost }) => {
                met.damaged += 1;
                met.lost += lost;
                crate::say!("{}", Error::Corrupt { path, offset, reason, lost });
                (offset, lost, Fate::Damage)
            }
            Err(error) => return Err(error),
        };
        let [fate, place] = fate.numbers();
        fates.push([number, offset, length, fate, place])?;
    }
    let fates = links.settle(fates, folder, &mut met)?;
    Ok(Walked { fates, wanted, met })
}

impl Wanted {
    fn read(captures: &Captures, shard: Option<&NamedShard>, most: usize, met: &mut Met) -> Result<Wanted> {
        let mut rows = Vec::new();
        if let Some(shard) = shard {
            rows.reserve_exact((shard.going as usize).min(most));
            for going in captures.of_shard(shard)?.take(most) {
                let (place, going) = going?;
                rows.push([going.mark(), going.proof(), place]);
            }
            met.beyond_memory = shard.going - rows.len() as u64;
        }
        Ok(Wanted { rows })
    }

    /// What became of the capture `at`.
    pub fn found(&self, at: usize) -> Found {
        match self.rows.get(at).map_or(0, |row| row[2] >> STATE) {
            0 => Found::Not,
            1 => Found::Goes,
            2 => Found::Revisit,
            _ => Found::Stays,
        }
    }

    /// How many were found.
    pub fn number_found(&self) -> u64 {
        (0..self.rows.len()).filter(|at| self.found(*at) != Found::Not).count() as u64
    }

    fn set(&mut self, at: usize, found: Found) {
        self.rows[at][2] = self.place(at) | (found as u64) << STATE;
    }

    fn place(&self, at: usize) -> u64 {
        self.rows[at][2] & ((1 << STATE) - 1)
    }

    /// What becomes of a record by itself.
    fn fate(
        &mut self,
        record: &Record<'_>,
        input: &Input,
        captures: &Captures,
        wishes: Wishes,
        met: &mut Met,
    ) -> Result<Fate> {
        let is_capture = matches!(
            record.kind,
            RecordType::Response | RecordType::Resource | RecordType::Revisit | RecordType::Conversion
        );
        let Some(capture) = record.to_mention().filter(|_| is_capture) else { return Ok(Fate::Stays) };
        let Some(url) = capture.canonical_url() else { return Ok(Fate::Stays) };
        met.captures += 1;
        let mark = mark(url.key().0, capture.date_ms);
        let from = self.rows.partition_point(|row| row[0] < mark);
        let to = from + self.rows[from..].iter().take_while(|row| row[0] == mark).count();
        if from == to {
            return Ok(Fate::Stays);
        }
        let digest = match record.kind {
            RecordType::Revisit => capture.refers_to.digest.as_deref().map(str::to_owned),
            _ => Some(capture.content_digest()),
        };
        let by_digest = digest.as_deref().map(digest_proof);
        let by_place = place_proof(record.place.offset, record.place.length);
        let proven = |at: &usize| by_digest == Some(self.rows[*at][1]) || by_place == self.rows[*at][1];
        // Equal records are one capture stored twice: each is found once, and further ones go with them.
        let fresh = (from..to).find(|at| proven(at) && self.found(*at) == Found::Not);
        let Some(at) = fresh.or_else(|| (from..to).find(proven)) else { return Ok(Fate::Stays) };
        let found = self.of_found(at, record, input, captures, wishes, met)?;
        self.set(at, found);
        Ok(match found {
            Found::Goes => Fate::Goes,
            Found::Revisit => Fate::Revisit(self.place(at)),
            Found::Stays | Found::Not => Fate::Stays,
        })
    }

    /// What becomes of a record that is the capture `at`.
    fn of_found(
        &self,
        at: usize,
        record: &Record<'_>,
        input: &Input,
        captures: &Captures,
        wishes: Wishes,
        met: &mut Met,
    ) -> Result<Found> {
        if wishes.as_revisit {
            let going = captures.at(self.place(at))?;
            if record.kind == RecordType::Revisit && !going.is_revisit {
                met.revisits_before += 1;
                return Ok(Found::Stays);
            }
            let can = going.is_identical()
                && going.kept.date_ms.is_some()
                && (input.format == Format::RawDb || input.container != Container::Lz4);
            if can && as_revisit::refusal(record).is_none() {
                met.found += 1;
                return Ok(Found::Revisit);
            }
            if wishes.keep_others {
                met.others += 1;
                return Ok(Found::Stays);
            }
        }
        met.found += 1;
        Ok(Found::Goes)
    }
}

/// What stands first in a row of [`Links`] after the hash of a record's identifier, in the order in which it is wanted.
mod tag {
    /// A capture that stays has it.
    pub const STAYS: u64 = 0;
    /// A capture that goes has it.
    pub const GOES: u64 = 1;
    /// A companion names it.
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
    fn settle(self, mut fates: Spool<5>, folder: &Path, met: &mut Met) -> Result<Spool<5>> {
        if !self.any {
            return Ok(fates);
        }
        // Number of the companion, 0 where something that it belongs to stays, else 1.
        let mut votes = Sorter::<[u64; 2]>::new(&self.budget);
        let mut group = (0, [false; 6]);
        for row in self.rows.finish()? {
            let [id, tag, number] = row?;
            if group.0 != id {
                group = (id, [false; 6]);
            }
            let seen = &mut group.1;
            seen[tag as usize] = true;
            let (stays, goes) = match tag {
                tag::NAMED_BY_COMPANION => (seen[tag::STAYS as usize], seen[tag::GOES as usize]),
                tag::COMPANION => (seen[tag::NAMED_BY_STAYING as usize], seen[tag::NAMED_BY_GOING as usize]),
                _ => continue,
            };
            if stays || goes {
                votes.push([number, u64::from(!stays)])?;
            }
        }
        let mut settled = Spool::new(folder)?;
        join::<1, 5, 2>(fates.rows()?, votes.finish()?, |mut row, vote| {
            if vote.is_some_and(|vote| vote[1] == 1) {
                row[3] = Fate::Goes.numbers()[0];
                met.companions += 1;
                met.companion_bytes += row[2];
            }
            settled.push(row)
        })?;
        Ok(settled)
    }
}

/// An identifier, with or without brackets.
fn hash(id: &str) -> u64 {
    xxh3_64(id.trim().trim_start_matches('<').trim_end_matches('>').as_bytes())
}
