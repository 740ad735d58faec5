//! The hashes of table `repeated`, for texts without these lines.

use webmill_capture::{Error, Result};
use webmill_dedup::{Pruned, without_repeated};
use webmill_run::Committed;
use webmill_table::{Bytes16, Reader, columns, table};

table! {
    /// What is read of table `repeated`.
    HashRow = "repeated" {
        hash: Bytes16 = "xxh3-128 of the normalised text", "0x9f…";
    }
}

columns! {
    struct Hashed from HashRow { hash }
}

/// Lines and paragraphs that are left out.
pub struct Known {
    hashes: Vec<u128>,
    min_chars: u32,
}

impl Known {
    /// Those of committed results, 16 bytes each, within `memory`.
    ///
    /// # Errors
    /// Where the table cannot be read; [`Error::Limit`] where it does not fit.
    pub fn read(committed: &Committed, memory: usize) -> Result<Known> {
        let mut hashes = Vec::new();
        let mut reader = Reader::<Hashed>::open(&committed.path("repeated"))?;
        while let Some(batch) = reader.next()? {
            if (hashes.len() + batch.len()) * size_of::<u128>() > memory {
                let reason = format!("table repeated does not fit {memory} bytes: raise --memory");
                return Err(Error::Limit(reason));
            }
            hashes.extend(batch.rows().map(|row| row.hash.0));
        }
        hashes.sort_unstable();
        let min_chars = committed.manifest.configuration["min_chars"].as_u64();
        let min_chars = min_chars.and_then(|chars| chars.try_into().ok()).unwrap_or(40);
        Ok(Known { hashes, min_chars })
    }

    /// These hashes, ascending.
    #[cfg(test)]
    pub fn of(hashes: Vec<u128>, min_chars: u32) -> Known {
        Known { hashes, min_chars }
    }

    /// A text without them.
    pub fn without<'t>(&self, text: &'t str) -> Pruned<'t> {
        without_repeated(text, self.min_chars, |hash| self.hashes.binary_search(&hash).is_ok())
    }
}
