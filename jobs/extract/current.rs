//! Which captures count: exactly one of each URL.
//!
//! That is known only when all parts are there. They are written aside first; then what decides is sorted by URL
//! (externally, within the budget), and the rows are marked when they are written into their tables.
//!
//! Order of a URL's captures, the last of which counts: HTML answers of status 2xx and documents that were read before other answers of status 2xx before
//! other answers before revisits and all else; then time, digest, offset, shard. So the current one is the capture that
//! [`crate::current_captures`] takes, wherever the URL has a page at all.
//!
//! Memory: a bit a capture beside the sort.

use webmill_capture::Result;
use webmill_mill::{PageRow, WarcType};
use webmill_run::Stage;
use webmill_sort::{Budget, BytesSorter};
use webmill_table::{Reader, columns};

use super::parts::{CAPTURES, PlacedRow};
use crate::current_captures::ordered;

columns! {
    /// What decides.
    struct PlacedColumns from PlacedRow { url, time, digest, shard, offset, class }
}

/// Captures of a part that count, a bit each.
pub struct Marks(Vec<u64>);

impl Marks {
    /// The marks of a part with `rows` captures, which are all current except the `superseded` rows.
    pub fn but(rows: u64, superseded: &[u64]) -> Self {
        let mut marks = Marks(vec![u64::MAX; rows.div_ceil(64) as usize]);
        for &row in superseded {
            if let Some(word) = marks.0.get_mut((row / 64) as usize) {
                *word &= !(1 << (row % 64));
            }
        }
        marks
    }

    fn set(&mut self, row: u64) {
        if let Some(word) = self.0.get_mut((row / 64) as usize) {
            *word |= 1 << (row % 64);
        }
    }

    /// Whether the capture in this row counts.
    pub fn get(&self, row: u64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}

/// The captures that count, part by part; `parts` are the files of captures with their rows.
///
/// # Errors
/// Where a file cannot be read or the disk refuses.
pub fn judge(stage: &Stage<'_>, parts: &[(String, u64)]) -> Result<Vec<Marks>> {
    let mut marks: Vec<Marks> =
        parts.iter().map(|(_, rows)| Marks(vec![0; rows.div_ceil(64) as usize])).collect();
    if parts.is_empty() {
        return Ok(marks);
    }
    let folder =
        tempfile::tempdir_in(stage.path(CAPTURES)).map_err(|e| webmill_capture::Error::io(CAPTURES, e))?;
    let mut sorter = BytesSorter::new(&Budget::new(stage.memory as usize / 2).in_dir(folder.path()));
    for (part, (path, rows)) in (0u32..).zip(parts) {
        push_part(stage, part, path, &mut sorter)?;
        stage.progress.advance(*rows);
    }
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

fn push_part(stage: &Stage<'_>, part: u32, path: &str, sorter: &mut BytesSorter) -> Result<()> {
    let mut reader = Reader::<PlacedColumns>::open(&stage.path(path))?;
    let (mut key, mut value, mut row) = (Vec::new(), Vec::new(), 0u64);
    while let Some(batch) = reader.next()? {
        stage.cancel.check()?;
        for capture in batch.rows() {
            key.clear();
            key.extend_from_slice(capture.url.as_bytes());
            // A canonical URL holds no zero byte, so URLs sort before what follows them.
            key.push(0);
            key.push(capture.class);
            key.extend_from_slice(&ordered(capture.time.0));
            key.extend_from_slice(capture.digest.unwrap_or_default().as_bytes());
            key.push(0);
            key.extend_from_slice(&capture.offset.to_be_bytes());
            key.extend_from_slice(capture.shard.as_bytes());
            value.clear();
            value.extend_from_slice(&part.to_be_bytes());
            value.extend_from_slice(&row.to_be_bytes());
            sorter.push(&key, &value)?;
            row += 1;
        }
    }
    Ok(())
}

/// How much a capture can count.
pub fn class(page: &PageRow) -> u8 {
    let good = matches!(page.fetch_status, None | Some(200..=299));
    match page.warc_type {
        Some(WarcType::Response | WarcType::Resource)
            if good && (page.is_html || page.page_type.is_some()) =>
        {
            3
        }
        Some(WarcType::Response | WarcType::Resource) if good => 2,
        Some(WarcType::Response | WarcType::Resource) | None => 1,
        Some(_) => 0,
    }
}
