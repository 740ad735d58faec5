//! Records of captures, by the place that an index names.
//!
//! A [`RecordStore`] reads one record; [`ShardFiles`] does so from shards on disk, known by their file names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use webmill_capture::{Error, Response, Result, digest};
use webmill_shard::{ReadOptions, Record, RecordFile, RecordType, RevisitProfile};

/// A record as replay needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredRecord {
    /// What it holds.
    pub kind: RecordType,
    /// The URL it is about.
    pub url: String,
    /// When it was fetched: UTC, ms since 1970.
    pub date_ms: Option<i64>,
    /// HTTP status; `None` where the record has no HTTP head.
    pub status: Option<u16>,
    /// Headers of the answer in order, as stored.
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body after transfer decoding, content coding still on.
    pub payload: Vec<u8>,
    /// Whether bytes are missing at the end of the payload.
    pub truncated: bool,
    /// URL and time of the capture that a revisit refers to, as far as it says.
    pub refers_to: Option<(Option<String>, Option<i64>)>,
    /// Whether it is a revisit whose server answered that nothing had changed since an earlier visit.
    pub not_modified: bool,
    /// Digest of the payload that the record declares, without the name of SHA-1.
    pub digest: String,
}

impl StoredRecord {
    /// Takes from a record what replay needs; at most `max` bytes of payload.
    pub fn of(record: &Record<'_>, max: usize) -> StoredRecord {
        let response = match record.kind {
            RecordType::Response | RecordType::Revisit => record.response(),
            _ => None,
        };
        let mut stored = StoredRecord {
            kind: record.kind,
            url: record.url.to_string(),
            date_ms: record.date_ms,
            status: None,
            headers: Vec::new(),
            payload: Vec::new(),
            truncated: record.truncated.is_some(),
            refers_to: record.revisit.as_ref().map(|revisit| {
                (revisit.refers_to_url.as_deref().map(str::to_owned), revisit.refers_to_date_ms)
            }),
            not_modified: record
                .revisit
                .as_ref()
                .is_some_and(|revisit| revisit.profile == RevisitProfile::ServerNotModified),
            digest: digest::bare(record.payload_digest.as_deref().unwrap_or_default()).to_owned(),
        };
        match response {
            Some(response) => {
                stored.status = Some(response.status.unwrap_or(200));
                stored.headers = response.headers().map(|(n, v)| (n.to_vec(), v.to_vec())).collect();
                let payload = response.payload(max);
                stored.truncated |= payload.truncated;
                stored.payload = payload.bytes.into_owned();
            }
            None => {
                let response = Response::without_head(&record.data, None);
                stored.truncated |= response.body.len() > max;
                stored.payload = response.body[..response.body.len().min(max)].to_vec();
                if let Some(media_type) = &record.content_type {
                    stored.headers.push((b"Content-Type".to_vec(), media_type.as_bytes().to_vec()));
                }
            }
        }
        stored
    }

    /// The first header of a name, any case.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        let found = self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, value)| &value[..])
    }
}

/// Reads records by their place.
pub trait RecordStore: Send + Sync {
    /// The record at `offset` of the shard `filename`, `length` bytes long as far as is known.
    ///
    /// # Errors
    /// [`Error::Io`] for a shard that is gone or cannot be read, [`Error::Corrupt`] where no record starts there.
    fn read(&self, filename: &str, offset: u64, length: Option<u64>) -> Result<StoredRecord>;
}

/// Shards on disk, known by the names that indexes call them.
pub struct ShardFiles {
    shards: HashMap<String, RecordFile>,
    max_payload_bytes: usize,
}

impl ShardFiles {
    /// These shards by their file names. Of two with one name, the first counts.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>, max_payload_bytes: usize) -> ShardFiles {
        let mut files = ShardFiles { shards: HashMap::new(), max_payload_bytes };
        for path in paths {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            files.insert(&name.unwrap_or_default(), &path);
        }
        files
    }

    /// Adds the shard at `path` by a name of its own.
    pub fn insert(&mut self, name: &str, path: &Path) {
        // Heads come on top of the payload.
        let max_record_bytes = self.max_payload_bytes as u64 + (1 << 20);
        let options = ReadOptions { max_record_bytes, ..ReadOptions::default() };
        self.shards.entry(name.to_owned()).or_insert_with(|| RecordFile::new(path, &options));
    }
}

impl RecordStore for ShardFiles {
    fn read(&self, filename: &str, offset: u64, length: Option<u64>) -> Result<StoredRecord> {
        // Indexes of other tools name shards by path.
        let base = filename.rsplit(['/', '\\']).next().unwrap_or(filename);
        let shard = self.shards.get(filename).or_else(|| self.shards.get(base)).ok_or_else(|| {
            Error::io(
                filename,
                std::io::Error::new(std::io::ErrorKind::NotFound, "no such shard in this archive"),
            )
        })?;
        let record = shard.read(offset, length)?;
        Ok(StoredRecord::of(&record.record(), self.max_payload_bytes))
    }
}
