//! Kernels as units of work: the local engine of [`crate::mapreduce`] with receipts.
//!
//! **Algorithm.** The map side of a unit reads row groups of a table, one ahead of those that are being mapped, and hands stretches of
//! rows to the map sides of the threads; what they sort is merged into one scratch file. The reduce side of a part merges that part of all
//! scratch files. Units are cut by the sizes of files alone.
//!
//! **Memory.** Half of `--memory` is for sorting and merging, the rest for the row groups that are read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::mapreduce::{MapReduce, MapSide, Mapper, Merged, Part, Shuffle, reduce};
use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Measure, Stage, Unit};
use webmill_sort::Budget;
use webmill_table::{Columns, FileFacts, Reader, Rows, Table, part_files};

use super::SUPERSEDED;
use crate::output::TableFile;

/// Stored bytes of the row groups of a unit, about.
const UNIT_BYTES: u64 = 256 << 20;
/// Units of a map side at most: each is a file that every part reads.
const MAX_UNITS: u64 = 200;
/// Stored bytes of input for each part of the output.
const PART_BYTES: u64 = 32 << 20;
/// Parts at most, where settings say nothing.
const MOST_PARTS: u64 = 256;
/// Rows that a thread takes at least.
const LEAST_ROWS: usize = 16;

/// Row groups of one file, read one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Path of the table's file.
    pub file: PathBuf,
    /// Its row groups.
    pub groups: Range<usize>,
}

/// How the files of a table are split and put into units.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The splits of each unit.
    pub units: Vec<Vec<Split>>,
    /// Rows of the table.
    pub rows: u64,
    /// Stored bytes.
    pub bytes: u64,
}

impl Plan {
    /// The plan of a table in a folder.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn of_table(folder: &std::path::Path) -> Result<Plan> {
        let mut groups = Vec::new();
        let mut plan = Plan::default();
        for file in part_files(folder)? {
            let facts = FileFacts::read(&file)?;
            let bytes = std::fs::metadata(&file).at(&file)?.len();
            plan.rows += facts.rows;
            plan.bytes += bytes;
            let each = bytes / facts.row_groups.max(1) as u64;
            groups.extend((0..facts.row_groups).map(|group| (file.clone(), group, each)));
        }
        let unit_bytes = UNIT_BYTES.max(plan.bytes / MAX_UNITS);
        let (mut unit, mut held): (Vec<Split>, u64) = (Vec::new(), 0);
        for (file, group, bytes) in groups {
            match unit.last_mut().filter(|last| last.file == file) {
                Some(last) => last.groups.end = group + 1,
                None => unit.push(Split { file, groups: group..group + 1 }),
            }
            held += bytes;
            if held >= unit_bytes {
                plan.units.push(std::mem::take(&mut unit));
                held = 0;
            }
        }
        if !unit.is_empty() {
            plan.units.push(unit);
        }
        Ok(plan)
    }
}

/// The number of parts of the output, by the bytes of the stored table that is read.
pub fn parts_of(bytes: u64) -> u32 {
    bytes.div_ceil(PART_BYTES).clamp(1, MOST_PARTS) as u32
}

/// Counts of a unit beside its pairs.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Records read.
    pub read: u64,
    /// Kept, by what they are.
    pub kept: BTreeMap<&'static str, u64>,
    /// Left out, by reason.
    pub dropped: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// Counts a record that is kept or, for a reason, not.
    pub fn note(&mut self, kept: Result<&'static str, &'static str>) {
        self.read += 1;
        let (counts, name) = match kept {
            Ok(name) => (&mut self.kept, name),
            Err(name) => (&mut self.dropped, name),
        };
        *counts.entry(name).or_default() += 1;
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: Tally) {
        self.read += other.read;
        for (into, from) in [(&mut self.kept, other.kept), (&mut self.dropped, other.dropped)] {
            from.into_iter().for_each(|(name, n)| *into.entry(name).or_default() += n);
        }
    }

    fn tell(self, unit: &mut Unit<'_>) {
        unit.read(self.read);
        self.kept.into_iter().for_each(|(name, n)| unit.kept(name, n));
        self.dropped.into_iter().for_each(|(name, n)| unit.dropped(name, n));
    }
}

/// A kernel in a job.
pub struct Engine<'a, 's, M: MapReduce> {
    /// Where the work is done.
    pub stage: &'a Stage<'s>,
    /// Maps and reduces.
    pub kernel: &'a M,
    /// Before the names of its units, where a job has several kernels: of the form `anchors-`.
    pub name: &'static str,
    /// Parts of the output.
    pub parts: u32,
}

impl<M: MapReduce> Engine<'_, '_, M> {
    /// Maps a table; `map` is given stretches of the rows of a row group, on all threads.
    ///
    /// # Errors
    /// What `map` meets; where the disk refuses.
    pub fn map_table<C: Columns>(
        &self,
        plan: &Plan,
        map: impl Fn(&Rows<C>, Range<usize>, &mut MapSide<'_, M>, &mut Tally) -> Result<()> + Sync,
    ) -> Result<Vec<Shuffle>> {
        self.stage.progress.begin("map", plan.rows, Measure::Items);
        let files = (0..plan.units.len()).map(|number| {
            self.map_unit(number, |mapper, _| {
                let tally = Mutex::new(Tally::default());
                let mut batches = Batches::<C>::of(&plan.units[number]);
                let mut ready = batches.next()?;
                while let Some(batch) = ready.take() {
                    self.stage.cancel.check()?;
                    let (read, mapped) = rayon::join(
                        || batches.next(),
                        || {
                            stretches(batch.len()).into_par_iter().try_for_each(|rows| {
                                let mut counted = Tally::default();
                                mapper.with(|side| map(&batch, rows, side, &mut counted))?;
                                tally.lock().map_err(poisoned)?.merge(counted);
                                Ok::<(), Error>(())
                            })
                        },
                    );
                    mapped?;
                    ready = read?;
                    self.stage.progress.advance(batch.len() as u64);
                }
                tally.into_inner().map_err(poisoned)
            })
        });
        let files = files.collect();
        self.stage.progress.end();
        files
    }

    /// Maps the rows of table `texts` whose captures count; the others are counted as superseded.
    ///
    /// # Errors
    /// As of [`map_table`](Self::map_table).
    pub fn map_texts<C: Columns>(
        &self,
        plan: &Plan,
        is_current: impl Fn(&C::Item<'_>) -> bool + Sync,
        map: impl Fn(C::Item<'_>, &mut MapSide<'_, M>) -> Result<()> + Sync,
    ) -> Result<Vec<Shuffle>> {
        self.map_table::<C>(plan, |batch, rows, side, tally| {
            for row in rows.map(|row| batch.get(row)) {
                let counts = is_current(&row);
                tally.note(if counts { Ok("texts") } else { Err(SUPERSEDED) });
                if counts {
                    map(row, side)?;
                }
            }
            Ok(())
        })
    }

    /// A unit of a map side: `feed` maps on the threads that it likes.
    ///
    /// # Errors
    /// What it meets.
    pub fn map_unit(
        &self,
        number: usize,
        feed: impl FnOnce(&Mapper<'_, M>, &mut Unit<'_>) -> Result<Tally>,
    ) -> Result<Shuffle> {
        let relative = format!("shuffle/{}map-{number:06}", self.name);
        self.stage.unit(&format!("{}map-{number:06}", self.name), |unit| {
            let budget = self.budget().in_dir(unit.temp());
            let mapper = Mapper::new(self.kernel, self.parts, &budget);
            feed(&mapper, unit)?.tell(unit);
            let (mut pairs, _) = mapper.finish()?;
            let written = Shuffle::write(&unit.create(&relative)?, self.parts, &mut pairs)?;
            unit.scratch(&relative, written);
            Ok(())
        })?;
        Shuffle::open(&self.stage.path(&relative))
    }

    fn budget(&self) -> Budget {
        Budget::new((self.stage.memory / 2) as usize).with_threads(rayon::current_num_threads())
    }

    /// Does the parts of the output, each a unit named `NAMEpart-NUMBER`.
    ///
    /// # Errors
    /// What `part` meets.
    pub fn reduce_parts<T>(
        &self,
        files: &[Shuffle],
        part: impl Fn(u32, &mut Merged<Part>, &mut Unit<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<T>>
    where
        T: serde::Serialize + serde::de::DeserializeOwned + Send,
    {
        self.stage.progress.begin("reduce", u64::from(self.parts), Measure::Items);
        let done = (0..self.parts).into_par_iter().with_max_len(1).map(|number| {
            let done = self.stage.unit(&format!("{}part-{number:06}", self.name), |unit| {
                part(number, &mut Shuffle::merged(files, number)?, unit)
            });
            self.stage.progress.advance(1);
            done
        });
        let done = done.collect();
        self.stage.progress.end();
        done
    }

    /// Writes what comes out as a table, a file a part that has rows; a table without rows has one file.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn reduce_table<T: Table>(
        &self,
        files: &[Shuffle],
        rows: impl Fn(M::Out, &mut dyn FnMut(T) -> Result<()>) -> Result<()> + Sync,
    ) -> Result<u64> {
        let relative = |part| format!("{}/part-{part:06}.parquet", T::NAME);
        let written = self.reduce_parts(files, |number, pairs, unit| {
            let mut file: Option<TableFile<T>> = None;
            reduce(self.kernel, pairs, |out| {
                rows(out, &mut |row| {
                    if file.is_none() {
                        file = Some(TableFile::among_others(unit, relative(number))?);
                    }
                    file.as_mut().map_or(Ok(()), |file| file.push(row))
                })
            })?;
            let rows = file.map_or(Ok(0), |file| file.finish(unit))?;
            unit.kept(T::NAME, rows);
            Ok(rows)
        })?;
        let rows = written.iter().sum();
        if rows == 0 {
            self.stage.unit(&format!("{}none", self.name), |unit| {
                TableFile::<T>::create(unit, relative(0))?.finish(unit)
            })?;
        }
        Ok(rows)
    }
}

/// The rows of a group in stretches for all threads.
fn stretches(rows: usize) -> Vec<Range<usize>> {
    let each = rows.div_ceil(8 * rayon::current_num_threads()).max(LEAST_ROWS);
    (0..rows).step_by(each).map(|from| from..(from + each).min(rows)).collect()
}

fn poisoned<T>(_: std::sync::PoisonError<T>) -> Error {
    Error::Internal("a thread of the map side panicked".into())
}

/// The row groups of some splits.
pub struct Batches<C: Columns> {
    splits: std::vec::IntoIter<Split>,
    reader: Option<Reader<C>>,
}

impl<C: Columns> Batches<C> {
    /// Those of these splits, in their order.
    pub fn of(splits: &[Split]) -> Self {
        Batches { splits: Vec::from(splits).into_iter(), reader: None }
    }

    /// The next row group.
    ///
    /// # Errors
    /// As of [`Reader::next`].
    #[allow(clippy::should_implement_trait, reason = "errors come first, as with Reader")]
    pub fn next(&mut self) -> Result<Option<Rows<C>>> {
        loop {
            if let Some(reader) = &mut self.reader
                && let Some(batch) = reader.next()?
            {
                return Ok(Some(batch));
            }
            let Some(split) = self.splits.next() else { return Ok(None) };
            let groups = split.groups;
            self.reader =
                Some(Reader::over(vec![split.file]).only(move |group| groups.contains(&group.number())));
        }
    }
}
