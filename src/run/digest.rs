//! Digests of files and bytes: xxh3-128, which runs at memory speed. They guard against accidents, not against forgery.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use webmill_capture::error::{AtPath, Result};

/// xxh3-128 of `bytes`.
pub fn digest_bytes(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// xxh3-128 of several contents in order, each with its length.
pub fn digest_all<'a>(contents: impl IntoIterator<Item = &'a [u8]>) -> u128 {
    let mut hasher = Xxh3::new();
    for content in contents {
        hasher.update(&(content.len() as u64).to_le_bytes());
        hasher.update(content);
    }
    hasher.digest128()
}

/// Bytes that are read of a file at a time.
const AT_ONCE: usize = 1 << 20;

/// xxh3-128 of a file's bytes, and their number. Memory: one buffer of at most 1 MiB; that of a small file is as small as it is.
///
/// # Errors
/// [`webmill_capture::error::Error::Io`] where the file cannot be read.
pub fn digest_file(path: &Path) -> Result<(u128, u64)> {
    digest_start(path, u64::MAX)
}

/// The same of its first `most` bytes.
///
/// # Errors
/// As of [`digest_file`].
pub fn digest_start(path: &Path, most: u64) -> Result<(u128, u64)> {
    let file = File::open(path).at(path)?;
    // One byte more than the file is said to have: then the second read is the one that finds its end, and no file grows unseen.
    let length = file.metadata().at(path)?.len();
    let mut file = file.take(most);
    let mut buffer = vec![0u8; length.saturating_add(1).clamp(4 << 10, AT_ONCE as u64) as usize];
    let mut hasher = Xxh3::new();
    let mut bytes = 0;
    loop {
        let n = file.read(&mut buffer).at(path)?;
        if n == 0 {
            return Ok((hasher.digest128(), bytes));
        }
        hasher.update(&buffer[..n]);
        bytes += n as u64;
    }
}

/// 32 lower-case hex digits.
pub fn hex128(value: u128) -> String {
    format!("{value:032x}")
}
