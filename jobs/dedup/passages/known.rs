//! The pairs that table `duplicates` has already.

use std::path::Path;

use webmill_capture::Result;
use webmill_run::Cancel;
use webmill_table::{Bytes16, Reader, columns, part_files};

use super::output::second_part;
use crate::dedup::pages::Pages;
use crate::dedup::tables::{DuplicateKind, DuplicateRow};

columns! {
    struct PairColumns from DuplicateRow { a_key, b_key, kind }
}

/// Calls `each` with the numbers of both pages of every pair of near-duplicates that stand for themselves.
///
/// # Errors
/// Where the table cannot be read or the disk refuses, and those of `each`.
pub fn near_pairs(
    duplicates: &Path,
    pages: &Pages,
    cancel: &Cancel,
    mut each: impl FnMut(u32, u32) -> Result<()>,
) -> Result<()> {
    let mut reader = match duplicates.is_dir() {
        // Where this search ended before its time, its own part of the table lies there, cut off anywhere.
        true => Reader::<PairColumns>::over(
            part_files(duplicates)?.into_iter().filter(|part| !part.ends_with(second_part())).collect(),
        ),
        false => Reader::<PairColumns>::open(duplicates)?,
    };
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        for row in batch.rows() {
            if row.kind == DuplicateKind::Near {
                let found = [row.a_key, row.b_key].map(|Bytes16(key)| pages.of_key(key));
                if let [Some(a), Some(b)] = found {
                    each(a, b)?;
                }
            }
        }
    }
    Ok(())
}
