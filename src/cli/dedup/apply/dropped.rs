//! Table `dropped`, and the captures on their way into it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use webmill_capture::error::{AtPath, Result};
use webmill_jobs::dropped::{DroppedRow, Reason};
use webmill_sort::{Budget, Sorter};
use webmill_table::{Bytes16, Footer, PartWriter};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::captures::Captures;
use super::report::Counts;

/// A capture that is to go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedCapture {
    /// Canonical URL.
    pub url: String,
    /// Key of the page's URL.
    pub url_key: u128,
    /// Shard, as tables name it.
    pub shard: String,
    /// Offset there.
    pub offset: i64,
    /// Bytes stored.
    pub length: i64,
    /// When it was fetched.
    pub date_ms: Option<i64>,
    /// Digest of its payload.
    pub digest: Option<String>,
    /// Why, by number.
    pub reason: u64,
    /// Whether another capture of the URL was compared.
    pub superseded: bool,
    /// Whether it is a revisit itself.
    pub is_revisit: bool,
    /// Number of the cluster, if the page is in one.
    pub cluster: Option<u32>,
    /// The page that stays; none instead of one that is gone.
    pub kept: Option<KeptPage>,
}

/// The page that stays instead, and its current capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPage {
    /// Canonical URL.
    pub url: String,
    /// Key of the page's URL.
    pub url_key: u128,
    /// When it was fetched.
    pub date_ms: Option<i64>,
    /// Digest of its payload.
    pub digest: Option<String>,
}

impl DroppedCapture {
    /// Its row; `revisit` has the bytes of the record in its place.
    pub fn row(self, revisit: Option<u64>) -> DroppedRow {
        let (kept_key, kept_url) = self.kept.map(|kept| (Bytes16(kept.url_key), kept.url)).unzip();
        DroppedRow {
            url: self.url,
            url_key: Bytes16(self.url_key),
            warc_filename: self.shard,
            warc_record_offset: self.offset,
            warc_record_length: self.length,
            reason: Reason::of_number(self.reason),
            superseded: self.superseded,
            revisit: revisit.is_some(),
            kept_url,
            kept_key,
            cluster: self.cluster,
            bytes: (self.length.max(0) as u64).saturating_sub(revisit.unwrap_or(0)),
        }
    }

    /// Whether the page that stays has the same payload.
    pub fn is_identical(&self) -> bool {
        self.digest.is_some() && self.kept.as_ref().is_some_and(|kept| self.digest == kept.digest)
    }

    /// What its record is found by.
    pub fn mark(&self) -> u64 {
        mark(self.url_key, self.date_ms)
    }

    /// What proves that a record is this capture.
    pub fn proof(&self) -> u64 {
        match &self.digest {
            Some(digest) => digest_proof(digest),
            None => place_proof(self.offset.max(0) as u64, self.length.max(0) as u64),
        }
    }
}

/// URL and date of a capture: the same wherever its record stands.
pub fn mark(url_key: u128, date_ms: Option<i64>) -> u64 {
    xxh3_64_with_seed(&url_key.to_le_bytes(), date_ms.unwrap_or(i64::MIN) as u64)
}

/// The proof of a record by its payload's digest.
pub fn digest_proof(digest: &str) -> u64 {
    xxh3_64(digest.as_bytes())
}

/// The proof of a record without a digest: its place.
pub fn place_proof(offset: u64, length: u64) -> u64 {
    xxh3_64_with_seed(&offset.to_le_bytes(), length)
}

/// Captures that went, put in order of shard and offset.
pub struct DroppedCaptures {
    /// Shard, offset, number in [`Captures`], bytes of the record in its place and 1.
    sorter: Sorter<[u64; 4]>,
}

impl DroppedCaptures {
    /// None so far.
    pub fn new(budget: &Budget) -> DroppedCaptures {
        DroppedCaptures { sorter: Sorter::new(budget) }
    }

    /// Takes a capture that went, by the numbers of its shard and its own; `revisit` has the bytes of the record in its place.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn put(
        &mut self,
        captures: &Captures,
        (shard, number): (usize, usize),
        revisit: Option<u64>,
        counts: &mut Counts,
    ) -> Result<()> {
        let going = captures.get(number)?;
        let offset = going.offset.max(0) as u64;
        counts.take(&going.row(revisit));
        self.sorter.push([shard as u64, offset, number as u64, revisit.map_or(0, |bytes| bytes + 1)])
    }

    /// Writes the table into `folder`; `job_key` is that of the results.
    ///
    /// # Errors
    /// Likewise.
    pub fn write(self, captures: &Captures, folder: &Path, job_key: &str) -> Result<()> {
        std::fs::create_dir_all(folder).at(folder)?;
        let footer = Footer { job_key: job_key.to_owned() };
        let mut writer = PartWriter::<DroppedRow>::create(&folder.join("part-000000.parquet"), &footer)?;
        for row in self.sorter.finish()? {
            let [_, _, number, revisit] = row?;
            writer.push(captures.get(number as usize)?.row(revisit.checked_sub(1)))?;
        }
        writer.finish()?;
        Ok(())
    }
}
