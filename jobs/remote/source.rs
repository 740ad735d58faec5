//! What a server calls a file: by that a copy is known again.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use reqwest::header::{self, HeaderMap};
use serde::{Deserialize, Serialize};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

/// What the server said of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RemoteFile {
    pub url: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub bytes: Option<u64>,
}

impl RemoteFile {
    pub fn of(url: &str, answer: &HeaderMap) -> RemoteFile {
        let text = |name| answer.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        RemoteFile {
            url: url.to_owned(),
            etag: text(header::ETAG),
            last_modified: text(header::LAST_MODIFIED),
            bytes: text(header::CONTENT_LENGTH).and_then(|digits| digits.parse().ok()),
        }
    }

    /// What `path` says; nothing where it is of another URL or none.
    pub fn read(path: &Path, url: &str) -> RemoteFile {
        let read = std::fs::read(path).ok();
        let found: Option<RemoteFile> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        found.filter(|found| found.url == url).unwrap_or_default()
    }

    pub fn keep(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec(self).map_err(|e| Error::Internal(e.to_string()))?;
        let mut file = File::create(path).at(path)?;
        file.write_all(&text).at(path)?;
        file.sync_all().at(path)
    }

    pub fn has_marks(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }

    /// The mark by which a part may be gone on with: a strong ETag, or the date.
    pub fn mark(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        strong.or(self.last_modified.as_deref())
    }

    /// Whether both are of the same content, as far as the server tells.
    pub fn agrees(&self, other: &RemoteFile) -> bool {
        match (&self.etag, &other.etag) {
            (Some(a), Some(b)) => a == b,
            _ => {
                self.last_modified.is_some()
                    && self.last_modified == other.last_modified
                    && self.bytes.is_some()
                    && self.bytes == other.bytes
            }
        }
    }

    /// Whether an answer 206 is of this content: it has the mark that was asked for, and none is another one.
    pub fn goes_on_in(&self, other: &RemoteFile) -> bool {
        let equal = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
        // A date alone need not stand in such an answer (RFC 9110, 15.3.7); an ETag must.
        let marked = other.etag.is_some() || self.mark() == self.last_modified.as_deref();
        marked && equal(&self.etag, &other.etag) && equal(&self.last_modified, &other.last_modified)
    }
}
