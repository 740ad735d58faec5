//! The pairs that table `duplicates` has already.

use std::path::Path;

use webmill_capture::Result;
use webmill_run::Cancel;
use webmill_sort::{Budget, Sorter};
use webmill_table::{Bytes16, Reader, columns, part_files};

use super::output::second_part;
use super::pages::{Pages, halves};
use crate::dedup::tables::{DuplicateKind, DuplicateRow};

columns! {
    struct Near from DuplicateRow { a_key, b_key, kind }
}

/// Calls `each` with the numbers of both pages of every pair of near-duplicates that stand for themselves, by two merges
/// with the pages in the order of their keys.
///
/// # Errors
/// Where the table cannot be read or the disk refuses, and those of `each`.
pub fn near_pairs(
    duplicates: &Path,
    pages: &Pages,
    budget: &Budget,
    cancel: &Cancel,
    mut each: impl FnMut(u32, u32) -> Result<()>,
) -> Result<()> {
    let mut by_first = Sorter::new(&budget.share(2));
    let mut reader = match duplicates.is_dir() {
        // Where this search ended before its time, its own part of the table lies there, cut off anywhere.
        true => Reader::<Near>::over(
            part_files(duplicates)?.into_iter().filter(|part| !part.ends_with(second_part())).collect(),
        ),
        false => Reader::<Near>::open(duplicates)?,
    };
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        for row in batch.rows() {
            if row.kind == DuplicateKind::Near {
                let (Bytes16(a), Bytes16(b)) = (row.a_key, row.b_key);
                let ([a_high, a_low], [b_high, b_low]) = (halves(a), halves(b));
                by_first.push([a_high, a_low, b_high, b_low])?;
            }
        }
    }
    let mut by_second = Sorter::new(&budget.share(2));
    let mut by_key = pages.by_key()?;
    for pair in by_first.finish()? {
        let [a_high, a_low, b_high, b_low] = pair?;
        if let Some((_, a)) = by_key.find([a_high, a_low])? {
            by_second.push([b_high, b_low, u64::from(a)])?;
        }
    }
    let mut by_key = pages.by_key()?;
    for pair in by_second.finish()? {
        let [b_high, b_low, a] = pair?;
        if let Some((_, b)) = by_key.find([b_high, b_low])? {
            each(a as u32, b)?;
        }
    }
    Ok(())
}
