//! From parts that were written aside to the files of the tables.
//!
//! **What.** Parts are small, as buffers are. Consecutive ones are put together until a file has `file_rows` rows, or
//! the table has no more; a table without rows has one empty file. The rows of a file stand in the order of their captures:
//! SURT, URL, time, place.
//!
//! **Which files belong together.** Files of `pages` are called part-000000 and so on. A file of another table begins where the
//! file of `pages` of its name begins, and goes on up to the next file of its table: so the rows of the captures of a
//! file of `pages` are all in one file of each table, [`crate::output::covering`].
//!
//! **Algorithm.** The captures of a file that have rows in it are sorted in memory; that order says of which part the next
//! rows are ([`webmill_mill::Merge`]). As many parts are open at a time as files may be and the budget holds, by the largest row group of
//! each; more are merged in levels.
//!
//! **Memory.** Of a file that is written: some times [`GROUP_BYTES`] of rows and as many read, a row group of each part, some 150 bytes for each of its
//! captures. As many files are written at a time as the budget holds.
//!
//! **Determinism.** Parts follow from the input alone, and files from the parts: neither threads nor memory matter.

use std::cmp::Reverse;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;

use rayon::prelude::*;
use webmill_capture::bits::Bits;
use webmill_capture::timing::{self, Part as Work};
use webmill_capture::{Error, Result};
use webmill_mill::{MediaRow, Merge, Mill, PageRow, Run, TableRows};
use webmill_run::{Measure, Stage, Unit};
use webmill_sort::PutKey;
use webmill_table::{Reader, Table, columns, largest_group};

use super::current::judge;
use super::media::MERGED;
use super::parts::{ASIDE_BYTES, CAPTURES, PlacedRow, TABLES, tables_by_name};
use crate::output::footer;

/// Bytes of rows in a row group of a file.
const GROUP_BYTES: usize = 8 << 20;

/// Fewest parts that are open at a time for a file, whatever the budget, and most.
const FAN_IN: RangeInclusive<usize> = 16..=OPEN_FILES;

/// Files that are open at a time, of the 1,024 that systems allow a process.
const OPEN_FILES: usize = 768;

/// As many row groups of a file are decoded, copied and encoded at once as there are threads, within these bounds; fewer where memory is short.
const GROUPS: RangeInclusive<usize> = 4..=8;

/// How often the bytes of a row group are held while it is decoded: as they are stored, unpacked, and as columns.
const COPIES: usize = 3;

/// How many files are written at a time, and of how many parts each at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// Files that are written at a time.
    pub files: usize,
    /// Parts that are open at a time for a file, at most.
    pub fan_in: usize,
    /// Row groups of a file that are decoded, copied and encoded at once.
    pub groups: usize,
    /// Bytes that the open row groups of the parts of a file take at most.
    pub open_bytes: u64,
}

impl Width {
    /// The width for `threads` threads within `memory`, of which reading parts gets a quarter: fewer levels are worth more than files at a time.
    fn of(threads: usize, memory: u64) -> Width {
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let threads = threads.max(1);
        let fan_in = (OPEN_FILES / threads).min(memory / 4 / threads / (4 * ASIDE_BYTES));
        let fan_in = fan_in.clamp(*FAN_IN.start(), *FAN_IN.end());
        // Each row group thrice: as it was read, as columns, and encoded.
        let of_file = |groups: usize| 3 * groups * GROUP_BYTES + 4 * fan_in * ASIDE_BYTES;
        let groups =
            (memory / of_file(*GROUPS.start())).clamp(1, threads.clamp(*GROUPS.start(), *GROUPS.end()));
        let files = (memory / of_file(groups.max(*GROUPS.start()))).clamp(1, OPEN_FILES / fan_in);
        Width { files, fan_in, groups, open_bytes: (memory / 4 / files.min(threads) / COPIES) as u64 }
    }

    /// Consecutive sources, by the size of the largest row group of each, that are open together: two at least, if there are two.
    fn together(self, sizes: &[u64]) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut bytes = 0;
        for (source, &size) in sizes.iter().enumerate() {
            bytes += size;
            match ranges.last_mut() {
                Some(last) if last.len() < 2 || (last.len() < self.fan_in && bytes <= self.open_bytes) => {
                    last.end = source + 1;
                }
                _ => {
                    ranges.push(source..source + 1);
                    bytes = size;
                }
            }
        }
        ranges
    }
}

columns! {
    /// Where the rows of a capture stand among others.
    struct OrderColumns from PlacedRow { surt, url, time, shard, offset, rows }
}

/// A part that was written aside.
pub struct Part {
    /// Name of its files.
    pub file: String,
    /// Its rows in each table.
    pub rows: Vec<u64>,
}

/// A file of a table that is to be written.
#[derive(Debug, PartialEq)]
pub struct Planned {
    /// Number of the table, by names.
    pub table: usize,
    /// Number of the file of `pages` that begins with the same part.
    pub number: usize,
    /// The parts whose rows it has.
    pub parts: Range<usize>,
    /// How many rows.
    pub rows: u64,
}

/// Writes the tables of `mill` from the parts that were written aside, in files of at least `file_rows` rows if a
/// table has as many.
///
/// # Errors
/// Where a file cannot be read or the disk refuses.
pub fn write(mill: &Mill, stage: &Stage<'_>, file_rows: u64) -> Result<()> {
    let tables: Vec<(String, Box<dyn TableRows>)> = tables_by_name(mill).into_iter().collect();
    let scratch = stage.scratch()?;
    let captures: Vec<(String, u64)> =
        scratch.iter().filter(|(path, _)| path.starts_with(CAPTURES)).cloned().collect();
    stage.progress.begin("current captures", captures.iter().map(|part| part.1).sum(), Measure::Items);
    let current = judge(stage, &captures)?;
    stage.progress.end();
    let parts = parts(&captures, &scratch, &tables);
    let planned = plan(&parts, &tables, file_rows);
    stage.progress.begin("merge tables", planned.iter().map(|file| file.rows).sum(), Measure::Items);
    let width = Width::of(rayon::current_num_threads(), stage.memory);
    let sources = Sources { stage, parts: &parts, current: &current, width };
    let planned = sources.heaviest_first(planned, &tables);
    // Where each thread may write one, none waits for the others.
    let at_a_time =
        if width.files < rayon::current_num_threads() { width.files } else { planned.len().max(1) };
    for planned in planned.chunks(at_a_time) {
        planned.iter().par_bridge().try_for_each(|file| {
            let (name, table) = &tables[file.table];
            let unit = format!("table-{}-{:06}", name.replace('_', "-"), file.number);
            stage.unit(&unit, |unit| sources.file(unit, file, name, table.as_ref()))?;
            stage.progress.advance(file.rows);
            Ok::<_, Error>(())
        })?;
    }
    stage.progress.end();
    Ok(())
}

/// The parts with the numbers of their rows.
pub fn parts(
    captures: &[(String, u64)],
    scratch: &[(String, u64)],
    tables: &[(String, Box<dyn TableRows>)],
) -> Vec<Part> {
    let rows: std::collections::HashMap<&str, u64> =
        scratch.iter().map(|(path, rows)| (path.as_str(), *rows)).collect();
    let part = |(path, _): &(String, u64)| {
        let file = path.rsplit('/').next().unwrap_or_default().to_owned();
        let rows_of = |(name, _): &(String, _)| {
            rows.get(format!("{TABLES}/{name}/{file}").as_str()).copied().unwrap_or(0)
        };
        Part { rows: tables.iter().map(rows_of).collect(), file }
    };
    captures.iter().map(part).collect()
}

/// The files of all tables.
pub fn plan(parts: &[Part], tables: &[(String, Box<dyn TableRows>)], file_rows: u64) -> Vec<Planned> {
    let each: Vec<Range<usize>> = (0..parts.len()).map(|part| part..part + 1).collect();
    let rows_of = |table: usize| {
        move |range: &Range<usize>| -> u64 {
            parts[range.clone()].iter().filter_map(|part| part.rows.get(table)).sum()
        }
    };
    let pages = tables.iter().position(|(name, _)| name == PageRow::NAME);
    let pages = joined(&each, file_rows, pages.map(rows_of));
    let mut planned = Vec::new();
    for table in 0..tables.len() {
        for range in joined(&pages, file_rows, Some(rows_of(table))) {
            let number = pages.partition_point(|page| page.start < range.start);
            planned.push(Planned { table, number, rows: rows_of(table)(&range), parts: range });
        }
    }
    planned
}

/// Consecutive ranges joined until each has `least` rows; one range of all where there are fewer.
fn joined(
    ranges: &[Range<usize>],
    least: u64,
    rows: Option<impl Fn(&Range<usize>) -> u64>,
) -> Vec<Range<usize>> {
    let rows: Vec<u64> = ranges.iter().map(|range| rows.as_ref().map_or(0, |rows| rows(range))).collect();
    let mut left: u64 = rows.iter().sum();
    let (mut joined, mut start, mut held) = (Vec::new(), 0, 0);
    for (range, rows) in ranges.iter().zip(rows) {
        (held, left) = (held + rows, left - rows);
        if held >= least.max(1) && left >= least.max(1) {
            joined.push(start..range.end);
            (start, held) = (range.end, 0);
        }
    }
    joined.push(start..ranges.last().map_or(0, |range| range.end));
    joined
}

/// The parts, and the known facts about their captures.
pub struct Sources<'a> {
    /// Where they lie.
    pub stage: &'a Stage<'a>,
    /// The parts, in the order of shards.
    pub parts: &'a [Part],
    /// Rows of their captures that count.
    pub current: &'a [Bits],
    /// Parts that are open at a time for a file.
    pub width: Width,
}

impl Sources<'_> {
    /// In the order in which threads begin them: what takes longest is not to be begun last.
    fn heaviest_first(
        &self,
        mut planned: Vec<Planned>,
        tables: &[(String, Box<dyn TableRows>)],
    ) -> Vec<Planned> {
        planned.sort_by_cached_key(|file| {
            let bytes = |part: usize| {
                self.source(part, &tables[file.table].0).metadata().map_or(0, |file| file.len())
            };
            Reverse(
                file.parts
                    .clone()
                    .filter(|&part| self.parts[part].rows[file.table] > 0)
                    .map(bytes)
                    .sum::<u64>(),
            )
        });
        planned
    }

    /// The rows of a table of a part.
    fn source(&self, part: usize, table: &str) -> PathBuf {
        self.stage.path(&format!("{TABLES}/{table}/{}", self.parts[part].file))
    }

    /// Writes one file; `table` is its table without rows.
    ///
    /// # Errors
    /// Where a part cannot be read or the disk refuses.
    pub fn file(&self, unit: &mut Unit<'_>, file: &Planned, name: &str, table: &dyn TableRows) -> Result<()> {
        let _span = timing::span(Work::Merge);
        let with_rows: Vec<usize> =
            file.parts.clone().filter(|&part| self.parts[part].rows[file.table] > 0).collect();
        let mut runs = self.runs(&with_rows, file.table)?;
        let sources = with_rows.iter().map(|&part| self.source(part, name)).collect();
        let sources = self.narrowed(sources, &mut runs, unit, table)?;
        let shows_pictures = name == MediaRow::NAME;
        let folder = if shows_pictures { MERGED } else { name };
        let relative = format!("{folder}/part-{:06}.parquet", file.number);
        let rows = table.merge(Merge {
            sources: &sources,
            runs: &mut self.cancelled(runs.iter().copied()),
            path: &unit.create(&relative)?,
            footer: &footer(unit),
            group_bytes: GROUP_BYTES,
            together: self.width.groups,
            aside: shows_pictures,
        })?;
        self.stage.cancel.check()?;
        if rows != file.rows {
            return Err(Error::Internal(format!("{relative}: {rows} rows, where {} were put in", file.rows)));
        }
        match shows_pictures {
            true => unit.scratch(&relative, rows),
            false => unit.wrote(&relative, name, table.schema().columns_in_words(), rows),
        }
        Ok(())
    }

    /// The runs until someone asks to stop.
    fn cancelled(&self, runs: impl Iterator<Item = Run>) -> impl Iterator<Item = Run> {
        runs.take_while(|_| !self.stage.cancel.stopped())
    }

    /// The rows of a table in the order of their captures; sources are numbered as in `parts`.
    fn runs(&self, parts: &[usize], table: usize) -> Result<Vec<Run>> {
        // Keys one behind the other; of each its end and the run that it stands for.
        let (mut keys, mut runs) = (Vec::<u8>::new(), Vec::<(Range<usize>, Run)>::new());
        for (source, &part) in (0u32..).zip(parts) {
            let path = self.stage.path(&format!("{CAPTURES}/{}", self.parts[part].file));
            let mut reader = Reader::<OrderColumns>::open(&path)?;
            let mut row = 0u64;
            while let Some(batch) = reader.next()? {
                for capture in batch.rows() {
                    let rows = capture.rows.get(table).copied().unwrap_or(0);
                    let is_current = self.current[part].contains(row);
                    row += 1;
                    if rows > 0 {
                        let start = keys.len();
                        let OrderColumns { surt, url, time, shard, offset, .. } = capture;
                        (surt, url, time.0, shard, offset).put(&mut keys);
                        runs.push((start..keys.len(), Run { source, rows, is_current }));
                    }
                }
            }
        }
        runs.sort_by(|a, b| keys[a.0.clone()].cmp(&keys[b.0.clone()]));
        Ok(runs.into_iter().map(|(_, run)| run).collect())
    }

    /// Sources few enough to be open at a time: where there are more, some are merged first.
    fn narrowed(
        &self,
        mut sources: Vec<PathBuf>,
        runs: &mut [Run],
        unit: &Unit<'_>,
        table: &dyn TableRows,
    ) -> Result<Vec<PathBuf>> {
        let mut level = 0;
        loop {
            let sizes = sources.iter().map(|path| largest_group(path)).collect::<Result<Vec<u64>>>()?;
            let together = self.width.together(&sizes);
            if together.len() <= 1 {
                return Ok(sources);
            }
            let mut merged = Vec::with_capacity(together.len());
            for (number, range) in together.iter().enumerate() {
                let path = unit.temp().join(format!("{level}-{number}.parquet"));
                let (start, end) = (range.start as u32, range.end as u32);
                let of_these = runs.iter().filter(|run| (start..end).contains(&run.source));
                let of_these = of_these.map(|run| Run { source: run.source - start, ..*run });
                table.merge(Merge {
                    sources: &sources[range.clone()],
                    runs: &mut self.cancelled(of_these),
                    path: &path,
                    footer: &footer(unit),
                    group_bytes: ASIDE_BYTES,
                    together: self.width.groups,
                    aside: true,
                })?;
                self.stage.cancel.check()?;
                merged.push(path);
            }
            for run in runs.iter_mut() {
                run.source = together.partition_point(|range| range.end <= run.source as usize) as u32;
            }
            sources = merged;
            level += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges(rows: &[u64], least: u64) -> Vec<Range<usize>> {
        let each: Vec<_> = (0..rows.len()).map(|part| part..part + 1).collect();
        joined(&each, least, Some(|range: &Range<usize>| rows[range.clone()].iter().sum()))
    }

    #[test]
    fn parts_are_joined_until_a_file_has_its_rows() {
        for (rows, end) in [(&[][..], 0), (&[0, 0], 2), (&[1, 2], 2)] {
            let files = ranges(rows, 4);
            assert_eq!((files.len(), &files[0]), (1, &(0..end)), "{rows:?}");
        }
        assert_eq!(ranges(&[3, 3, 1, 4, 4, 1], 4), [0..2, 2..4, 4..6]);
        // What would be too few for a file of their own go into the one before.
        assert_eq!(ranges(&[9, 9, 3], 4), [0..1, 1..3]);
    }

    #[test]
    fn parts_and_files_at_a_time_keep_to_the_budget() {
        let of = |threads, gib: f64| {
            let Width { files, fan_in, open_bytes, .. } =
                Width::of(threads, (gib * (1u64 << 30) as f64) as u64);
            (files, fan_in, open_bytes >> 20)
        };
        assert_eq!(of(2, 4.0), (2, 384, 170));
        assert_eq!(of(16, 64.0), (16, 48, 341));
        assert_eq!(of(2, 0.5), (3, 64, 21));
        assert_eq!(of(1, 0.01), (1, 16, 0));
        assert_eq!((Width::of(0, u64::MAX).files, Width::of(0, u64::MAX).fan_in), (1, 768));
    }

    #[test]
    fn parts_with_large_rows_are_opened_few_at_a_time() {
        let width = Width { files: 1, fan_in: 4, groups: 1, open_bytes: 100 };
        assert!(width.together(&[]).is_empty());
        assert_eq!(width.together(&[900]), vec![0..1]);
        assert_eq!(width.together(&[1, 1, 1, 1, 1]), [0..4, 4..5]);
        assert_eq!(width.together(&[900, 900, 900]), [0..2, 2..3]);
        assert_eq!(width.together(&[50, 30, 20, 30, 30, 60]), [0..3, 3..5, 5..6]);
    }

    proptest! {
        #[test]
        fn no_file_has_too_few_rows(rows in prop::collection::vec(0u64..9, 0..40), least in 1u64..20) {
            let files = ranges(&rows, least);
            prop_assert_eq!(files.first().map(|file| file.start), Some(0));
            prop_assert_eq!(files.last().map(|file| file.end), Some(rows.len()));
            prop_assert!(files.windows(2).all(|pair| pair[0].end == pair[1].start));
            let of = |file: &Range<usize>| rows[file.clone()].iter().sum::<u64>();
            prop_assert!(files.len() == 1 || files.iter().all(|file| of(file) >= least));
        }
    }
}
