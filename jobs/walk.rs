//! Reading shards part by part on all cores, with nothing lost or read twice where parts meet.
//!
//! **What.** A part begins where its start was guessed; where the walk before it did not end there, the guess was wrong (a page
//! that quotes records) and the part is read again from the right place. Each part is a unit of work, so that a run that is
//! stopped goes on with the parts that are missing.
//!
//! **Counts.** Records and bytes read, kinds kept, damage with the bytes it lost, files that cannot be read.

use std::cmp::Reverse;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webmill_capture::memory::{self, TooLarge};
use webmill_capture::timing::{self, Part as Work};
use webmill_capture::url::MAX_URL_BYTES;
use webmill_capture::{Capture, Error, RecordType, Result};
use webmill_run::{Measure, Reject, Stage, Unit};
use webmill_shard::{Input, Part, ReadOptions, RecordFile, Resume, ShardReader, follows, split};

use crate::inputs::{Shards, UNREADABLE, clip};

/// Why a record is listed that ends with its file.
const CUT_OFF: &str = "cut-off";
/// Why a record is listed that no place leads to.
pub const SHARED_MEMBER: &str = "shared-member";
/// Why a capture is listed that has no time.
pub const DATE_UNREAD: &str = "date-unread";
/// What records of WAT files are counted as that no job takes.
pub const WAT: &str = "wat";

/// A consumer of the captures of a part.
pub trait OfPart {
    /// Whether a record of this kind is taken.
    fn wants(&self, capture: &Capture<'_>) -> bool;
    /// Takes a capture.
    ///
    /// # Errors
    /// What ends the run.
    fn capture(&mut self, capture: &Capture<'_>, unit: &mut Unit<'_>) -> Result<Taken>;
    /// The part has ended.
    ///
    /// # Errors
    /// What ends the run.
    fn finish(self, unit: &mut Unit<'_>) -> Result<()>;
}

/// What came of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Its rows are there, or it has none of its own.
    Used,
    /// Its URL is none.
    NoUrl,
    /// It takes more memory than there is for one.
    TooLarge(TooLarge),
}

/// A walk through all parts.
pub struct Walk<'a> {
    /// The shards to walk over.
    pub shards: &'a Shards,
    /// Where the work is done.
    pub stage: &'a Stage<'a>,
    /// Largest record held in memory; a larger one is cut and marked.
    pub max_record_bytes: u64,
    /// What its units are called, before their number.
    pub unit: &'static str,
}

/// Where the walk of a part began and ended: what proves that no record was lost or read twice at a seam.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Walked {
    /// Offset of its first record; `None` if no record begins in it.
    pub first: Option<u64>,
    /// Where the record behind its last one is, or is to be looked for.
    pub end: u64,
    /// After damage whose far side was not found.
    pub searching: bool,
    /// What the records there are marked with, see [`Resume::proven`].
    pub proven: Option<bool>,
}

impl Walked {
    /// That of a part that could not be read to its end: the next one looks for its first record as after damage.
    fn broken(part: &Part, first: Option<u64>) -> Walked {
        Walked { first, end: part.range.end, searching: true, proven: None }
    }

    /// Where the walk of the next part goes on.
    pub fn resume(self) -> Resume {
        Resume { offset: self.end, searching: self.searching, proven: self.proven }
    }
}

impl Walk<'_> {
    /// The parts of the shards, see [`parts_of`].
    pub fn parts(&self, part_bytes: u64) -> Vec<Part> {
        parts_of(&self.shards.inputs, part_bytes)
    }

    /// The name of a part's unit of work.
    pub fn unit_name(&self, index: usize) -> String {
        format!("{}-{index:06}", self.unit)
    }

    /// Hands the captures of each part to what `of_part` makes for it.
    ///
    /// # Errors
    /// What ends the run.
    pub fn run<P: OfPart>(
        &self,
        about: &str,
        parts: &[Part],
        of_part: impl Fn(usize, &Input) -> P + Sync,
    ) -> Result<()> {
        let total: u64 = self.shards.inputs.iter().map(|i| i.bytes).sum();
        self.stage.progress.begin(about, total, Measure::Bytes);
        let bytes = |part: &Part| stored_bytes(&self.shards.inputs[part.input], part);
        let mut numbered: Vec<(usize, &Part)> = parts.iter().enumerate().collect();
        // In the order in which threads begin them: what takes longest is not to be begun last.
        numbered.sort_by_key(|(_, part)| Reverse(bytes(part)));
        let read = |(i, part): (usize, &Part)| {
            let walked = self.part(i, part, None, &of_part)?;
            self.stage.progress.advance(bytes(part));
            Ok((i, walked))
        };
        let mut read: Vec<(usize, Walked)> =
            numbered.into_iter().par_bridge().map(read).collect::<Result<_>>()?;
        read.sort_unstable_by_key(|(i, _)| *i);
        let mut walked: Vec<Walked> = read.into_iter().map(|(_, walked)| walked).collect();
        self.stage.progress.end();
        for i in 1..parts.len() {
            if parts[i].input != parts[i - 1].input {
                continue;
            }
            let before = walked[i - 1].resume();
            if !follows(&before, &parts[i].range, walked[i].first) {
                self.stage.discard(&self.unit_name(i))?;
                walked[i] = self.part(i, &parts[i], Some(before), &of_part)?;
            } else if walked[i].first.is_none() {
                walked[i] = walked[i - 1];
            }
        }
        self.count_unread()
    }

    /// The records of a part.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn open(&self, part: &Part, from: Option<Resume>) -> Result<ShardReader> {
        let input = &self.shards.inputs[part.input];
        let options = ReadOptions {
            max_record_bytes: self.max_record_bytes,
            exact_start: from,
            ..ReadOptions::default()
        };
        let kind = (input.format, input.container);
        ShardReader::open_as(&input.path, input.name.clone(), kind, part.range.clone(), &options)
    }

    /// The records of a file by their places.
    pub fn file(&self, input: &Input) -> RecordFile {
        let options = ReadOptions { max_record_bytes: self.max_record_bytes, ..ReadOptions::default() };
        RecordFile::new(&input.path, &options)
    }

    /// Counts files that are no shards, and those that could not even be looked at.
    fn count_unread(&self) -> Result<()> {
        if self.shards.unread.is_empty() {
            return Ok(());
        }
        self.stage.unit("unread-files", |unit| {
            for file in &self.shards.unread {
                if file.refused {
                    unit.read(1);
                    unit.read_bytes(file.bytes);
                    unit.unreadable(&file.name);
                    unit.damaged(file.reject());
                } else {
                    unit.rejected(file.reject());
                }
            }
            Ok(())
        })
    }

    /// Hands the captures of one part to what `of_part` makes for it: those that begin in it, or from `from` on.
    ///
    /// # Errors
    /// What ends the run.
    pub fn part<P: OfPart>(
        &self,
        index: usize,
        part: &Part,
        from: Option<Resume>,
        of_part: &impl Fn(usize, &Input) -> P,
    ) -> Result<Walked> {
        self.stage.unit(&self.unit_name(index), |unit| {
            let _span = timing::span(Work::Shards);
            let input = &self.shards.inputs[part.input];
            let mut of_part = of_part(index, input);
            let mut reader = match self.open(part, from) {
                Ok(reader) => reader,
                Err(error) => {
                    let from = from.map_or(part.range.start, |resume| resume.offset);
                    unread(unit, input, part, from, error)?;
                    unit.read_bytes(stored_bytes(input, part));
                    of_part.finish(unit)?;
                    return Ok(Walked::broken(part, None));
                }
            };
            let (inside, failed) = self.records(&mut reader, input, &mut of_part, unit)?;
            of_part.finish(unit)?;
            unit.close_ledger()?;
            if reader.padding() > 0 {
                unit.dropped("padding-bytes", reader.padding());
            }
            // Of a file that is compressed as a whole, offsets and lengths are those inside.
            unit.read_bytes(if is_packed(input) { inside } else { stored_bytes(input, part) });
            let end = reader.resume();
            if let Some(error) = failed {
                unread(unit, input, part, end.offset, error)?;
                return Ok(Walked::broken(part, reader.first_offset()));
            }
            Ok(Walked {
                first: reader.first_offset(),
                end: end.offset,
                searching: end.searching,
                proven: end.proven,
            })
        })
    }

    /// All records of a part: bytes of these, and what ended it before its end.
    fn records<P: OfPart>(
        &self,
        reader: &mut ShardReader,
        input: &Input,
        of_part: &mut P,
        unit: &mut Unit<'_>,
    ) -> Result<(u64, Option<Error>)> {
        let mut inside = 0;
        loop {
            let _large = memory::scope();
            let Some(record) = reader.next() else { break };
            self.stage.cancel.check()?;
            if let Err(error @ Error::Io { .. }) = record {
                return Ok((inside, Some(error)));
            }
            if let Err(error) = &record
                && error.is_cut_off()
            {
                let Err(error) = record else { break };
                let reject = Reject { reason: CUT_OFF.into(), ..damage(error, &input.name)? };
                inside += reject.bytes_lost;
                unit.cut_off(reject);
                continue;
            }
            unit.read(1);
            match record {
                Err(error) => {
                    let reject = damage(error, &input.name)?;
                    inside += reject.bytes_lost;
                    unit.damaged(reject);
                }
                Ok(record) => {
                    inside += record.place.length;
                    unit.kept(record.kind.name(), 1);
                    let left_out = |reason: &str, detail: String| Reject {
                        reason: reason.into(),
                        shard: input.name.to_string(),
                        offset: record.place.offset,
                        bytes_lost: 0,
                        detail,
                    };
                    if !record.is_at_its_place() {
                        unit.rejected(left_out(SHARED_MEMBER, "its offset is that of another record".into()));
                    }
                    if record.kind == RecordType::Response && record.date_ms.is_none() {
                        let date = match record.property("WARC-Date") {
                            Some(date) => format!("cannot be read: {date:.100}"),
                            None => "is missing".to_owned(),
                        };
                        unit.rejected(left_out(
                            DATE_UNREAD,
                            format!("no time in tables, as its date {date}"),
                        ));
                    }
                    if record.kind == RecordType::Unknown {
                        unit.left_out(left_out(
                            "unknown-record-type",
                            "a type that no standard names".into(),
                        ));
                        continue;
                    }
                    let Some(capture) = record.to_mention().filter(|c| of_part.wants(c)) else {
                        unit.unused(if record.is_wat() { WAT } else { record.kind.name() });
                        continue;
                    };
                    match of_part.capture(&capture, unit)? {
                        Taken::Used => unit.used(),
                        Taken::NoUrl => unit.left_out(left_out(
                            not_a_url(&record.url),
                            format!("{} bytes: {}", record.url.len(), clip(&record.url, 200)),
                        )),
                        Taken::TooLarge(TooLarge { bytes, most }) => unit.left_out(left_out(
                            "over-memory",
                            format!("takes up to {bytes} bytes of memory, {most} are there for one page: raise --memory"),
                        )),
                    }
                }
            }
        }
        Ok((inside, None))
    }
}

/// Why the URL of a record is none.
fn not_a_url(url: &str) -> &'static str {
    match url.trim().len() {
        0 => "no-url",
        long if long > MAX_URL_BYTES => "url-too-long",
        _ => "not-a-url",
    }
}

/// Whether records can be read only by decoding all that stands before them.
pub fn is_packed(input: &Input) -> bool {
    input.container.is_whole()
}

/// How many of a shard's last, small parts are as large as one of the others.
const OF_ONE: usize = 4;

/// The parts of shards, of `part_bytes` each; 0 chooses by the size of each shard, so that no other shard changes its parts: a 32nd, and for its last
/// quarter a quarter of that, so that threads come to the end together.
pub fn parts_of(inputs: &[Input], part_bytes: u64) -> Vec<Part> {
    let parts = |(number, input): (usize, &Input)| {
        let by_size = input.bytes.div_ceil(32 * OF_ONE as u64).clamp(128 << 10, 64 << 20);
        let is_small = input.bytes <= by_size * OF_ONE as u64;
        let bytes = match part_bytes {
            0 if is_small => input.bytes,
            0 => by_size,
            asked => asked,
        };
        let small = split(std::slice::from_ref(input), bytes);
        let three_quarters = (3 * small.len()).div_ceil(4 * OF_ONE).min(small.len() / OF_ONE);
        let large = if part_bytes == 0 { three_quarters } else { 0 };
        let (joined, alone) = small.split_at(large * OF_ONE);
        let joined = joined.chunks(OF_ONE).map(|of| of[0].range.start..of[OF_ONE - 1].range.end);
        let ranges: Vec<_> = joined.chain(alone.iter().map(|part| part.range.clone())).collect();
        ranges.into_iter().map(move |range| Part { input: number, range })
    };
    inputs.iter().enumerate().flat_map(parts).collect()
}

/// An error about the data is a reject; any other stops the job.
fn damage(error: Error, shard: &str) -> Result<Reject> {
    let (reason, offset, bytes_lost, detail) = match error {
        Error::Corrupt { offset, reason, lost, .. } => ("damaged-record", offset, lost, reason),
        Error::Limit(reason) => ("over-limit", 0, 0, reason),
        other => return Err(other),
    };
    Ok(Reject { reason: reason.into(), shard: shard.to_owned(), offset, bytes_lost, detail })
}

/// Stored bytes of a part.
fn stored_bytes(input: &Input, part: &Part) -> u64 {
    part.range.end.min(input.bytes).saturating_sub(part.range.start)
}

/// Counts the rest of a part, from byte `from` on, of a file that cannot be read: one bad file never ends a run.
fn unread(unit: &mut Unit<'_>, input: &Input, part: &Part, from: u64, error: Error) -> Result<()> {
    let (Error::Io { .. } | Error::Corrupt { .. } | Error::Incompatible { .. }) = error else {
        return Err(error);
    };
    let from = from.clamp(part.range.start, part.range.end.min(input.bytes).max(part.range.start));
    unit.read(1);
    unit.unreadable(&input.name);
    unit.damaged(Reject {
        reason: UNREADABLE.into(),
        shard: input.name.to_string(),
        offset: from,
        bytes_lost: part.range.end.min(input.bytes).saturating_sub(from),
        detail: error.to_string(),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use webmill_shard::{Container, Format};

    use super::*;

    #[test]
    fn parts_of_a_shard_are_finer_at_its_end() {
        let bytes = 96 << 20;
        let input =
            |bytes, container| Input::known("x".into(), Arc::from("x"), (Format::Warc, container), bytes);
        let inputs = [input(bytes, Container::WholeGzip), input(bytes, Container::Plain)];
        let parts = parts_of(&inputs, 0);
        assert_eq!((parts[0].input, parts[0].range.clone()), (0, 0..u64::MAX));
        let ranges: Vec<_> = parts[1..].iter().map(|part| part.range.clone()).collect();
        assert!(parts[1..].iter().all(|part| part.input == 1));
        assert_eq!((ranges[0].start, ranges.last().unwrap().end), (0, u64::MAX));
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        let sizes: Vec<u64> = ranges.iter().map(|range| range.end.min(bytes) - range.start).collect();
        assert_eq!(sizes, [vec![3 << 20; 24], vec![768 << 10; 32]].concat());
        // As many bytes as were asked for.
        assert_eq!(parts_of(&inputs[1..], 40 << 20).len(), 3);
        for (kibibytes, expected) in
            [(0, 1), (1, 1), (512, 1), (513, 2), (1 << 10, 3), (28_809, 56), (10 << 20, 68)]
        {
            let parts = parts_of(&[input(kibibytes << 10 | u64::from(kibibytes > 512), Container::Plain)], 0);
            assert_eq!(parts.len(), expected, "{kibibytes} KiB");
        }
    }
}
