//! Which captures count: exactly one of each URL.
//!
//! That is known only when all parts are there. They are written aside first; then what decides is sorted by URL
//! (externally, within the budget), and the rows are marked when they are written into their tables.
//!
//! Order of a URL's captures, the last of which counts: HTML answers of status 2xx and documents that were read before texts that came with the archive (WET)
//! before other answers of status 2xx before other answers before revisits and all else; then time, digest, offset, shard. So the current one is the capture that
//! [`crate::current_captures`] takes, wherever the URL has a page at all.
//!
//! Memory: a bit a capture beside the sort.

use webmill_capture::bits::Bits;
use webmill_capture::{Result, UrlKey};
use webmill_mill::{PageRow, WarcType};
use webmill_run::Stage;
use webmill_sort::{Budget, RowSorter, Unread, group};
use webmill_table::{Reader, columns};

use super::parts::{CAPTURES, PlacedRow};
use crate::job::groups_at_once;

columns! {
    /// What decides.
    struct PlacedColumns from PlacedRow { url, time, digest, shard, offset, class }
}

/// The captures that count, part by part; `parts` are the files of captures with their rows.
///
/// # Errors
/// Where a file cannot be read or the disk refuses.
pub fn judge(stage: &Stage<'_>, parts: &[(String, u64)]) -> Result<Vec<Bits>> {
    let mut current = vec![Bits::default(); parts.len()];
    if parts.is_empty() {
        return Ok(current);
    }
    let folder =
        tempfile::tempdir_in(stage.path(CAPTURES)).map_err(|e| webmill_capture::Error::io(CAPTURES, e))?;
    let mut sorter = RowSorter::new(&Budget::new(stage.memory as usize / 2).in_dir(folder.path()));
    let files = parts.iter().map(|(path, _)| stage.path(path)).collect();
    let mut reader = Reader::<PlacedColumns>::over(files).by_threads(groups_at_once(stage.memory));
    let (mut part, mut row) = (0u32, 0u64);
    while let Some(batch) = reader.next()? {
        stage.cancel.check()?;
        for capture in batch.rows() {
            while parts.get(part as usize).is_some_and(|(_, rows)| row == *rows) {
                (part, row) = (part + 1, 0);
            }
            let (digest, shard) = (Unread(capture.digest.unwrap_or_default()), Unread(capture.shard));
            let counts = (UrlKey::of(capture.url).0, capture.class, capture.time.0);
            sorter.push(&(counts, (digest, capture.offset, shard), (part, row)), &())?;
            row += 1;
        }
        stage.progress.advance(batch.len() as u64);
    }
    let one_url = |a: &(Order, ()), b: &(Order, ())| a.0.0.0 == b.0.0.0;
    group(sorter.finish()?, one_url, |first, later| {
        let (part, row) = later.last().transpose()?.map_or(first.0.2, |((.., place), ())| place);
        current[part as usize].insert(row);
        Ok(())
    })?;
    Ok(current)
}

/// By what captures are sorted: key of the URL, class, time; digest, offset, shard; part and row.
type Order = ((u128, u8, Option<i64>), (Unread<()>, i64, Unread<()>), (u32, u64));

/// How much a capture can count.
pub fn class(page: &PageRow) -> u8 {
    let good = matches!(page.fetch_status, None | Some(200..=299));
    match page.warc_type {
        Some(WarcType::Response | WarcType::Resource)
            if good && (page.is_html || page.page_type.is_some()) =>
        {
            4
        }
        Some(WarcType::Conversion) if page.page_type.is_some() => 3,
        Some(WarcType::Response | WarcType::Resource) if good => 2,
        Some(WarcType::Response | WarcType::Resource) | None => 1,
        Some(_) => 0,
    }
}
