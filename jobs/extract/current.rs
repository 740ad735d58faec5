//! Marking the rows of `pages` that count: exactly one of each URL.
//!
//! Which capture of a URL counts is known only when all parts are there. They are written aside first; then what decides
//! is sorted by URL (externally, within the budget), and each part is written again with its marks.
//!
//! Order of a URL's rows, the last of which counts: HTML answers of status 2xx before other answers of status 2xx before
//! other answers before revisits and all else; then time, digest, offset, shard. So the current row is the capture that
//! [`crate::current_captures`] takes, wherever the URL has a page at all.
//!
//! Memory: a bit a row beside the sort. Cost: table `pages` is read and written once more.

use std::path::Path;

use rayon::prelude::*;
use webmill_capture::Result;
use webmill_mill::{PageRow, WarcType};
use webmill_run::{Measure, Stage, Unit};
use webmill_sort::{Budget, BytesSorter};
use webmill_table::{Reader, Table, columns};

use super::parts::UNMARKED;
use crate::current_captures::ordered;
use crate::output::TableFile;

columns! {
    /// What decides.
    struct Judged from PageRow {
        url,
        warc_type,
        fetch_time,
        fetch_status,
        is_html,
        content_digest,
        warc_filename,
        warc_record_offset,
    }
}

/// Rows that count, a bit each.
struct Marks(Vec<u64>);

impl Marks {
    fn set(&mut self, row: u64) {
        if let Some(word) = self.0.get_mut((row / 64) as usize) {
            *word |= 1 << (row % 64);
        }
    }

    fn get(&self, row: u64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}

/// Writes table `pages` from the parts that were written aside.
pub fn mark(stage: &Stage<'_>) -> Result<()> {
    let parts: Vec<(String, u64)> =
        stage.scratch()?.into_iter().filter(|(path, _)| path.starts_with(UNMARKED)).collect();
    let rows: u64 = parts.iter().map(|(_, rows)| rows).sum();
    stage.progress.begin("current captures", rows, Measure::Items);
    let marks = judge(stage, &parts)?;
    parts.par_iter().zip(&marks).try_for_each(|((path, rows), marks)| {
        let file = path.strip_prefix(UNMARKED).unwrap_or(path).trim_start_matches('/');
        let name = format!("mark-{}", file.trim_end_matches(".parquet"));
        stage
            .unit(&name, |unit| copy(unit, &stage.path(path), &format!("{}/{file}", PageRow::NAME), marks))?;
        stage.progress.advance(*rows);
        Ok(())
    })?;
    stage.progress.end();
    Ok(())
}

/// The rows that count, part by part.
fn judge(stage: &Stage<'_>, parts: &[(String, u64)]) -> Result<Vec<Marks>> {
    let folder =
        tempfile::tempdir_in(stage.path(UNMARKED)).map_err(|e| webmill_capture::Error::io(UNMARKED, e))?;
    let mut sorter = BytesSorter::new(&Budget::new(stage.memory as usize / 2).in_dir(folder.path()));
    let (mut key, mut value) = (Vec::new(), Vec::new());
    for (part, (path, _)) in (0u32..).zip(parts) {
        let mut reader = Reader::<Judged>::open(&stage.path(path))?;
        let mut row = 0u64;
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            for page in batch.rows() {
                key.clear();
                key.extend_from_slice(page.url.as_bytes());
                // A canonical URL holds no zero byte, so URLs sort before what follows them.
                key.push(0);
                key.push(class(&page));
                key.extend_from_slice(&ordered(page.fetch_time.0));
                key.extend_from_slice(page.content_digest.unwrap_or_default().as_bytes());
                key.push(0);
                key.extend_from_slice(&page.warc_record_offset.to_be_bytes());
                key.extend_from_slice(page.warc_filename.as_bytes());
                value.clear();
                value.extend_from_slice(&part.to_be_bytes());
                value.extend_from_slice(&row.to_be_bytes());
                sorter.push(&key, &value)?;
                row += 1;
            }
        }
    }
    let mut marks: Vec<Marks> =
        parts.iter().map(|(_, rows)| Marks(vec![0; rows.div_ceil(64) as usize])).collect();
    let mut sorted = sorter.finish()?;
    let (mut url, mut place) = (Vec::new(), [0; 12]);
    let mut set = |place: [u8; 12]| {
        let [a, b, c, d, row @ ..] = place;
        if let Some(marks) = marks.get_mut(u32::from_be_bytes([a, b, c, d]) as usize) {
            marks.set(u64::from_be_bytes(row));
        }
    };
    while let Some((key, value)) = sorted.next().transpose()? {
        let next = &key[..memchr::memchr(0, key).unwrap_or(key.len())];
        if next != url {
            if !url.is_empty() {
                set(place);
            }
            url.clear();
            url.extend_from_slice(next);
        }
        place = value.try_into().unwrap_or(place);
    }
    if !url.is_empty() {
        set(place);
    }
    Ok(marks)
}

/// How much a row can count.
fn class(page: &Judged<'_>) -> u8 {
    let good = matches!(page.fetch_status, None | Some(200..=299));
    match page.warc_type {
        Some(WarcType::Response | WarcType::Resource) if good && page.is_html => 3,
        Some(WarcType::Response | WarcType::Resource) if good => 2,
        Some(WarcType::Response | WarcType::Resource) | None => 1,
        Some(_) => 0,
    }
}

/// A part with its marks.
fn copy(unit: &mut Unit<'_>, from: &Path, to: &str, marks: &Marks) -> Result<()> {
    let mut file = TableFile::<PageRow>::create(unit, to.to_owned())?;
    let mut row = 0;
    let mut reader = webmill_table::RowReader::<PageRow>::open(from)?;
    while let Some(pages) = reader.next()? {
        for mut page in pages {
            page.is_current = marks.get(row);
            row += 1;
            file.push(page)?;
        }
    }
    file.finish(unit).map(drop)
}
