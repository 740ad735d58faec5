//! Which capture of a URL counts: the latest one with status 2xx that is a page (HTML, or a document that was read), ties by digest, then place; without
//! one, the latest text that came with the archive (WET).

use std::path::PathBuf;

use webmill_capture::Result;
use webmill_mill::{PageRow, WarcType};
use webmill_sort::{Budget, RowSorter, SortedRows, Unread};
use webmill_table::{Reader, columns};
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

use crate::job::groups_at_once;

/// The current capture of its URL.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurrentCapture {
    /// Canonical URL.
    pub url: String,
    /// Its SURT form.
    pub surt: String,
    /// Key of the URL.
    pub key: u128,
    /// When it was fetched.
    pub time_ms: Option<i64>,
    /// Hash of the body's digest; 0 for an empty body.
    pub body: u128,
    /// Digest of the normalised text; 0 without text.
    pub text: u128,
    /// SimHash of the text.
    pub simhash: Option<u64>,
    /// Words of the text.
    pub words: u32,
    /// Which capture it is, see [`place`].
    pub place: u64,
    /// Part of the table that its row is in, from 0.
    pub part: u32,
    /// Shard of its record, as named in the table.
    pub shard: String,
    /// Offset of its record there.
    pub offset: i64,
}

columns! {
    /// What decides which capture counts, and what later jobs want of it.
    struct CaptureColumns from PageRow {
        url,
        url_sortkey,
        url_key,
        fetch_time,
        fetch_status,
        is_html,
        page_type,
        warc_type,
        content_digest,
        content_length,
        text_digest,
        simhash,
        num_words,
        warc_filename,
        warc_record_offset,
    }
}

/// By what captures are sorted: URL, whether it is an answer, time, digest, offset, shard, part. The last of a URL counts; a later part wins over
/// an equal capture.
type Order = (String, (u8, Option<i64>), Unread<()>, i64, String, u32);

/// Key, body, text, SimHash, place, words and SURT form of a capture.
type StoredCapture = (u128, u128, u128, Option<u64>, u64, u32, String);

/// A number for the place of a capture: equal for equal file names and offsets.
pub fn place(shard: &str, offset: i64) -> u64 {
    xxh3_64_with_seed(shard.as_bytes(), offset as u64)
}

/// A number for a body, by its digest and length: 0 for an empty one, or one without a digest.
pub fn body_of(digest: Option<&str>, length: u64) -> u128 {
    digest.filter(|_| length != 0).map_or(0, |digest| xxh3_128(digest.as_bytes()))
}

/// Captures in the order of their URLs, the current one of each URL last.
pub struct Captures {
    sorted: SortedRows<Order, StoredCapture>,
    current: Option<CurrentCapture>,
    ended: bool,
    superseded: u64,
}

/// Reads the parts of table `pages` and sorts its captures of pages of status 2xx by URL.
///
/// # Errors
/// Where the table cannot be read or the disk refuses.
pub fn read(parts: &[PathBuf], budget: &Budget) -> Result<Captures> {
    let mut sorter = RowSorter::new(budget);
    for (part, path) in (0u32..).zip(parts) {
        let reader = Reader::open(path)?.by_threads(groups_at_once(budget.memory_bytes as u64));
        read_part(reader, part, &mut sorter)?;
    }
    Ok(Captures { sorted: sorter.finish()?, current: None, ended: false, superseded: 0 })
}

fn read_part(
    mut reader: Reader<CaptureColumns<'_>>,
    part: u32,
    sorter: &mut RowSorter<Order, StoredCapture>,
) -> Result<()> {
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            let is_page = page.is_html || page.page_type.is_some();
            if !is_page || !matches!(page.fetch_status, None | Some(200..=299)) {
                continue;
            }
            let digest = page.content_digest.unwrap_or_default();
            let (shard, offset) = (page.warc_filename, page.warc_record_offset);
            let body = body_of(page.content_digest, page.content_length);
            let text = page.text_digest.map_or(0, |digest| digest.0);
            let at = place(shard, offset);
            let simhash = (page.num_words > 0).then_some(page.simhash);
            let stored = (page.url_key.0, body, text, simhash, at, page.num_words, page.url_sortkey);
            let time = (u8::from(page.warc_type != Some(WarcType::Conversion)), page.fetch_time.0);
            sorter.push(&(page.url, time, Unread(digest), offset, shard, part), &stored)?;
        }
    }
    Ok(())
}

impl Captures {
    /// The current capture of the next URL; `superseded` is told the others.
    ///
    /// # Errors
    /// Where a run file cannot be read.
    pub fn next_current(
        &mut self,
        mut superseded: impl FnMut(&CurrentCapture),
    ) -> Result<Option<CurrentCapture>> {
        while !self.ended {
            let next = self.sorted.next().transpose()?.map(CurrentCapture::of);
            self.ended = next.is_none();
            match (self.current.take(), next) {
                (None, next) => self.current = next,
                (Some(before), Some(next)) if before.url == next.url => {
                    superseded(&before);
                    self.superseded += 1;
                    self.current = Some(next);
                }
                (Some(before), next) => {
                    self.current = next;
                    return Ok(Some(before));
                }
            }
        }
        Ok(self.current.take())
    }

    /// Captures that later ones of their URLs replace, as far as was read.
    pub fn superseded(&self) -> u64 {
        self.superseded
    }
}

impl CurrentCapture {
    fn of(((url, (_, time_ms), _, offset, shard, part), stored): (Order, StoredCapture)) -> Self {
        let (key, body, text, simhash, place, words, surt) = stored;
        CurrentCapture { url, surt, key, time_ms, body, text, simhash, words, place, part, shard, offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_table::{Bytes16, Footer, Millis, write_part};

    #[test]
    fn the_latest_good_html_capture_counts() {
        let row = |url: &str, ms, status, html, digest: &str, offset| PageRow {
            url: url.into(),
            url_key: Bytes16(url.len() as u128),
            fetch_time: Millis(ms),
            fetch_status: Some(status),
            is_html: html,
            content_digest: Some(digest.into()),
            content_length: 9,
            warc_filename: "x".into(),
            warc_record_offset: offset,
            num_words: 1,
            simhash: u64::MAX,
            ..PageRow::default()
        };
        let rows = [
            row("http://a/", Some(5), 200, true, "B", 1),
            row("http://a/", Some(9), 404, true, "A", 2),
            row("http://a/", Some(5), 200, true, "A", 3),
            row("http://a/", None, 200, true, "Z", 4),
            row("http://a/b", Some(-1), 200, true, "A", 5),
            row("http://a/c", Some(1), 200, false, "A", 6),
        ];
        let folder = tempfile::tempdir().unwrap();
        write_part(&folder.path().join("part-0.parquet"), &rows, &Footer { job_key: "k".into() }).unwrap();
        let parts = webmill_table::part_files(folder.path()).unwrap();
        let mut captures = read(&parts, &Budget::new(1 << 20)).unwrap();
        let mut superseded = Vec::new();
        let mut current = Vec::new();
        while let Some(capture) = captures.next_current(|c| superseded.push(c.place)).unwrap() {
            current.push((capture.url, capture.time_ms, capture.place, capture.simhash));
        }
        assert_eq!(
            current,
            [
                ("http://a/".to_owned(), Some(5), place("x", 1), Some(u64::MAX)),
                ("http://a/b".to_owned(), Some(-1), place("x", 5), Some(u64::MAX)),
            ]
        );
        assert_eq!(superseded, [place("x", 4), place("x", 3)]);
    }
}
