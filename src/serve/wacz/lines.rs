//! Lines of the index and of the list of pages.

use std::io::Write;

use flate2::{Compression, GzBuilder};
use serde::Serialize;
use sha2::{Digest, Sha256};
use webmill_capture::{Error, Result};

/// Lines of the index in one gzip member.
pub const LINES: usize = 1024;

/// The first line of `index.idx`.
pub const META: &str = "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n";

/// The fields of a line of CDXJ, in the order written. Numbers are strings, as the field's tools write them.
#[derive(Debug, Serialize)]
pub struct Fields {
    pub url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mime: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    pub length: String,
    pub offset: String,
    pub filename: String,
}

/// A line of `pages.jsonl`.
#[derive(Debug, Serialize)]
pub struct PageLine<'a> {
    pub id: &'a str,
    pub url: &'a str,
    pub ts: &'a str,
    pub title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
}

/// The hexadecimal digits of a SHA-256.
pub fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of bytes as packages write it.
pub fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// A value as one line of JSON.
pub fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::Internal(format!("a line of JSON: {e}")))
}

/// Gathers sorted lines of CDXJ into gzip members, and the lines of `index.idx`.
pub struct Blocks {
    block: String,
    lines: usize,
    first: String,
    offset: u64,
    /// `index.idx` so far.
    pub index: String,
}

impl Blocks {
    pub fn new() -> Blocks {
        Blocks { block: String::new(), lines: 0, first: String::new(), offset: 0, index: META.to_owned() }
    }

    /// Adds a line; `key` is its key and timestamp.
    pub fn add(&mut self, key: &str, fields: &str, out: &mut dyn Write) -> Result<()> {
        if self.lines == 0 {
            key.clone_into(&mut self.first);
        }
        self.block.push_str(key);
        self.block.push(' ');
        self.block.push_str(fields);
        self.block.push('\n');
        self.lines += 1;
        if self.lines == LINES { self.flush(out) } else { Ok(()) }
    }

    /// Writes the gathered lines.
    pub fn flush(&mut self, out: &mut dyn Write) -> Result<()> {
        if self.lines == 0 {
            return Ok(());
        }
        let failed = |e: std::io::Error| Error::io("index.cdx.gz", e);
        // No time and no name, so that equal lines give equal bytes.
        let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
        encoder.write_all(self.block.as_bytes()).map_err(failed)?;
        let packed = encoder.finish().map_err(failed)?;
        out.write_all(&packed).map_err(failed)?;
        let (length, digest) = (packed.len(), sha256(&packed));
        self.index.push_str(&format!(
            "{} {{\"offset\": {}, \"length\": {length}, \"digest\": \"{digest}\", \"filename\": \"index.cdx.gz\"}}\n",
            self.first, self.offset
        ));
        self.offset += length as u64;
        self.block.clear();
        self.lines = 0;
        Ok(())
    }
}
