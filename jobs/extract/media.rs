//! Which pictures that pages show have a row: those that were not fetched, one row each.
//!
//! **What.** The rows of table `media` are put together like those of other tables, but aside, with a row for each picture of
//! each page. Which of these stay is known only when all are there: none of a picture that was fetched, of others the one of
//! a current page whose element says most, and of several such the first.
//!
//! **Algorithm.** What decides is sorted by the picture's key (externally, within the budget); rows that stay are marked and
//! copied into the table.
//!
//! **Cost.** Each row is read twice and written twice. Memory: a bit a row beside the sort.

use std::path::Path;

use webmill_capture::Result;
use webmill_capture::bits::Bits;
use webmill_mill::{MediaRow, MediaSource};
use webmill_run::{Measure, Stage, Unit};
use webmill_sort::{Budget, Sorter};
use webmill_table::{Reader, RowReader, columns};

use crate::output::TableFile;

/// Folder of the rows before it is known which of them stay.
pub const MERGED: &str = "aside/media";

columns! {
    /// What decides.
    struct PictureColumns from MediaRow { url_key, source, is_current, alt, width }
}

/// Writes table `media` from the rows that were put together.
///
/// # Errors
/// Where a file cannot be read or the disk refuses.
pub fn write(stage: &Stage<'_>) -> Result<()> {
    let mut files: Vec<(String, u64)> =
        stage.scratch()?.into_iter().filter(|(path, _)| path.starts_with(MERGED)).collect();
    files.sort();
    if files.is_empty() {
        return Ok(());
    }
    stage.progress.begin("media", files.iter().map(|file| 2 * file.1).sum(), Measure::Items);
    let kept = judge(stage, &files)?;
    for (number, ((path, rows), kept)) in files.iter().zip(&kept).enumerate() {
        stage.unit(&format!("media-{number:06}"), |unit| copy(stage, path, kept, unit))?;
        stage.progress.advance(*rows);
    }
    stage.progress.end();
    Ok(())
}

/// The rows that stay, file by file.
fn judge(stage: &Stage<'_>, files: &[(String, u64)]) -> Result<Vec<Bits>> {
    let mut kept = vec![Bits::default(); files.len()];
    let folder = stage.path(MERGED);
    let mut sorter = Sorter::new(&Budget::new(stage.memory as usize / 2).in_dir(&folder));
    for (file, (path, rows)) in (0u64..).zip(files) {
        let mut reader = Reader::<PictureColumns>::open(&stage.path(path))?;
        let mut row = 0u64;
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            for shown in batch.rows() {
                let rank = match shown.source {
                    MediaSource::File => Some(0),
                    MediaSource::Img => shown.is_current.then(|| silence(shown.alt, shown.width)),
                };
                if let Some(rank) = rank {
                    let key = shown.url_key.0;
                    sorter.push([(key >> 64) as u64, key as u64, rank, file << 40 | row])?;
                }
                row += 1;
            }
        }
        stage.progress.advance(*rows);
    }
    let (mut url, mut taken) = (None, false);
    for found in sorter.finish()? {
        let [high, low, rank, place] = found?;
        if url != Some([high, low]) {
            (url, taken) = (Some([high, low]), false);
        }
        // All captures of a medium stay; of a picture that was not fetched what says most.
        if (rank == 0 || !taken)
            && let Some(kept) = kept.get_mut((place >> 40) as usize)
        {
            kept.insert(place & ((1 << 40) - 1));
        }
        taken = true;
    }
    Ok(kept)
}

/// How little an element says: more than 0, less where its text is longer, then where it tells its size.
fn silence(alt: Option<&str>, width: Option<u32>) -> u64 {
    let said = alt.map_or(0, |alt| alt.len().min(1 << 20)) as u64 * 2 + u64::from(width.is_some());
    (1 << 32) - said
}

/// Copies the rows that stay into a file of the table.
///
/// # Errors
/// Where the file cannot be read or the disk refuses.
pub fn copy(stage: &Stage<'_>, path: &str, kept: &Bits, unit: &mut Unit<'_>) -> Result<()> {
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut file = TableFile::create(unit, format!("media/{name}"))?;
    let mut reader = RowReader::<MediaRow>::open(&stage.path(path))?;
    let (mut row, mut shown) = (0u64, 0);
    while let Some(rows) = reader.next()? {
        stage.cancel.check()?;
        for media in rows {
            if kept.contains(row) {
                shown += u64::from(media.source == MediaSource::Img);
                file.push(media)?;
            }
            row += 1;
        }
    }
    if shown > 0 {
        unit.kept("pictures-not-fetched", shown);
    }
    file.finish(unit)?;
    Ok(())
}
