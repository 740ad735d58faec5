//! Copies of ARC records: what recovery takes out of a damaged ARC file, as an ARC file.
//!
//! A record keeps its head line; only a length that is wrong or missing is put right. Each record is one gzip member, or
//! plain. New records are not made in this format.

use std::path::{Path, PathBuf};

use flate2::Compress;

use webmill_capture::error::{Error, Result};

use super::gzip::gzip;
use super::raw_pack::Compression;
use super::staged::Staged;
use super::warc_head::digits;
use super::{Format, Record};

/// Writes copies of ARC records into one file, which appears when it is finished.
pub struct ArcWriter {
    staged: Staged,
    deflate: Option<Box<Compress>>,
    packed: Vec<u8>,
}

impl ArcWriter {
    /// Writes the file at `path`: gzip members, or plain records for every other compression.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be created.
    pub fn create(path: &Path, compression: Compression) -> Result<ArcWriter> {
        let deflate = (compression == Compression::Gzip)
            .then(|| Box::new(Compress::new(flate2::Compression::default(), false)));
        Ok(ArcWriter { staged: Staged::create(path)?, deflate, packed: Vec::new() })
    }

    /// Copies a record that was read whole.
    ///
    /// # Errors
    /// [`Error::Config`] when it is of another format or was cut by the limit; [`Error::Io`].
    pub fn copy(&mut self, record: &Record<'_>) -> Result<()> {
        if record.format != Format::Arc || (record.data.len() as u64) < record.full_length {
            return Err(Error::Config(format!("{}: not a whole ARC record to copy", record.url)));
        }
        let head = with_length(record.head, record.data.len());
        let parts: [&[u8]; 4] = [&head, b"\n", &record.data, b"\n"];
        self.packed.clear();
        match &mut self.deflate {
            Some(deflate) => gzip(deflate, &parts, &mut self.packed)?,
            None => parts.iter().for_each(|part| self.packed.extend_from_slice(part)),
        }
        self.staged.put(&self.packed)
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(self) -> Result<Vec<PathBuf>> {
        Ok(vec![self.staged.commit()?])
    }
}

/// A head line that states `length` as its last word.
fn with_length(head: &[u8], length: usize) -> Vec<u8> {
    let head = head.trim_ascii_end();
    let last = memchr::memrchr(b' ', head).map_or(0, |at| at + 1);
    if digits(&head[last..]) == Some(length as u64) {
        return head.to_vec();
    }
    // A last word that is neither number nor date stands where the length should.
    let kept = if head[last..].len() < 8 { head[..last].trim_ascii_end() } else { head };
    [kept, format!(" {length}").as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_put_right() {
        for (head, want) in [
            (
                "http://a/ 1.2.3.4 20080430204825 text/html 12",
                "http://a/ 1.2.3.4 20080430204825 text/html 12",
            ),
            ("http://a/ 1.2.3.4 20080430204825 text/html 7", "http://a/ 1.2.3.4 20080430204825 text/html 12"),
            (
                "http://a/ 1.2.3.4 20080430204825 text/html -1",
                "http://a/ 1.2.3.4 20080430204825 text/html 12",
            ),
        ] {
            assert_eq!(with_length(head.as_bytes(), 12), want.as_bytes());
        }
    }
}
