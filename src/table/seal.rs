//! Seals: digests by which the file of a table shows that its bytes are those that were written.
//!
//! The writer of row groups makes them; whoever opens a file checks the footer, and each column chunk when it is read. Parquet has a
//! checksum of pages, which the library that we write with neither writes nor reads.
//!
//! **Definition.** Key `webmill.chunks` of the footer has xxh3-64 of each column chunk (its pages with their heads), 16 digits in
//! base 16 each: row group by row group, and in one of them in the order of the schema. Key `webmill.footer` has that of the footer
//! itself, its length and the magic number after it, these digits taken as zeros. Page indexes, which only speed up, have none.
//!
//! **What it finds.** Any change of a few bits; of what somebody meant to change nothing. A file with one of the two keys is
//! damaged; one with neither is of another program, and not checked.
//!
//! **Cost.** xxh3 takes some 0.1 ns a byte, decoding some nanoseconds.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polars_parquet::write::{CompressedPage, FallibleStreamingIterator, KeyValue};
use webmill_capture::error::{AtPath, Error, Result};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const CHUNKS_KEY: &str = "webmill.chunks";
const FOOTER_KEY: &str = "webmill.footer";
/// Digits of a digest.
const DIGITS: usize = 16;
const ZEROS: &str = "0000000000000000";
/// Length of the footer, and the magic number.
const TRAILER_BYTES: usize = 8;

/// What is known of a file while it is written.
#[derive(Default)]
struct State {
    /// Bytes so far.
    written: u64,
    /// Of the chunk that is being written.
    chunk: Option<Xxh3>,
    /// Digests of the chunks that are written.
    chunks: String,
    /// What is written at the end of the file.
    tail: Option<Vec<u8>>,
}

/// The seal of a file in the making, shared by those who write to it.
#[derive(Clone, Default)]
pub(crate) struct Seal(Arc<Mutex<State>>);

impl Seal {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes bytes that were written.
    pub fn take(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.written += bytes.len() as u64;
        if let Some(chunk) = &mut state.chunk {
            chunk.update(bytes);
        }
        if let Some(tail) = &mut state.tail {
            tail.extend_from_slice(bytes);
        }
    }

    fn begin_chunk(&self) {
        self.state().chunk = Some(Xxh3::new());
    }

    fn end_chunk(&self) {
        let mut state = self.state();
        if let Some(chunk) = state.chunk.take() {
            state.chunks.push_str(&digits(chunk.digest()));
        }
    }

    /// What stands in the footer; all that is written after this call is the end of the file.
    pub fn pairs(&self) -> [KeyValue; 2] {
        let mut state = self.state();
        state.tail = Some(Vec::new());
        let pair = |key: &str, value: String| KeyValue { key: key.to_owned(), value: Some(value) };
        [pair(CHUNKS_KEY, std::mem::take(&mut state.chunks)), pair(FOOTER_KEY, ZEROS.to_owned())]
    }

    /// Puts the digest of the footer into a file that is written to its end.
    pub fn close(&self, path: &Path, file: &mut File) -> Result<()> {
        let mut state = self.state();
        let tail = state.tail.take().unwrap_or_default();
        let lost = || Error::Internal(format!("{}: its footer is not what was written", path.display()));
        let footer = footer_of(&tail).ok_or_else(lost)?;
        let at =
            place(footer).filter(|at| &footer[*at..*at + DIGITS] == ZEROS.as_bytes()).ok_or_else(lost)?;
        file.seek(SeekFrom::Start(state.written - (footer.len() - at) as u64)).at(path)?;
        file.write_all(digits(xxh3_64(footer)).as_bytes()).at(path)
    }
}

fn digits(digest: u64) -> String {
    format!("{digest:016x}")
}

/// The footer with its trailer at the end of these bytes.
fn footer_of(tail: &[u8]) -> Option<&[u8]> {
    let trailer = tail.len().checked_sub(TRAILER_BYTES)?;
    let length = u32::from_le_bytes(tail[trailer..trailer + 4].try_into().ok()?);
    tail.get(trailer.checked_sub(length as usize)?..)
}

/// Where the digest of a footer stands in it: behind its key, and two bytes of Thrift's compact protocol, type and length.
fn place(footer: &[u8]) -> Option<usize> {
    let key = footer.windows(FOOTER_KEY.len()).rposition(|bytes| bytes == FOOTER_KEY.as_bytes())?;
    Some(key + FOOTER_KEY.len() + 2).filter(|at| at + DIGITS + TRAILER_BYTES <= footer.len())
}

/// Pages of a column on their way into a file.
pub(crate) struct Sealed<I> {
    pages: I,
    seal: Seal,
    begun: bool,
}

impl<I> Sealed<I> {
    pub fn new(pages: I, seal: &Seal) -> Self {
        Sealed { pages, seal: seal.clone(), begun: false }
    }
}

impl<I: FallibleStreamingIterator<Item = CompressedPage>> FallibleStreamingIterator for Sealed<I> {
    type Item = CompressedPage;
    type Error = I::Error;

    fn advance(&mut self) -> std::result::Result<(), I::Error> {
        if !std::mem::replace(&mut self.begun, true) {
            self.seal.begin_chunk();
        }
        self.pages.advance()?;
        // The page before was written when this one is asked for.
        if self.pages.get().is_none() {
            self.seal.end_chunk();
        }
        Ok(())
    }

    fn get(&self) -> Option<&CompressedPage> {
        self.pages.get()
    }
}

/// The digests of the chunks of a file that is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Digests(Option<Vec<u64>>);

impl Digests {
    /// Those in the footer of an open file, whose own digest is checked.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the footer is not as it was written; [`Error::Io`].
    pub fn read(path: &Path, file: &mut File, length: u64, pairs: Option<&[KeyValue]>) -> Result<Digests> {
        let pairs = pairs.unwrap_or_default();
        let value =
            |key: &str| pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.as_deref());
        let damaged =
            || Error::corrupt(path, length, "its footer is not as it was written: bits of it were changed");
        let (chunks, known) = match (value(CHUNKS_KEY), value(FOOTER_KEY)) {
            (Some(chunks), Some(known)) => (chunks, known),
            (None, None) => return Ok(Digests(None)),
            _ => return Err(damaged()),
        };
        let mut footer = read_footer(path, file, length)?;
        let at =
            place(&footer).filter(|at| &footer[*at..*at + DIGITS] == known.as_bytes()).ok_or_else(damaged)?;
        footer[at..at + DIGITS].copy_from_slice(ZEROS.as_bytes());
        if digits(xxh3_64(&footer)) != known {
            return Err(damaged());
        }
        let digest = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let digests = chunks.as_bytes().chunks(DIGITS).map(digest).collect::<Option<_>>();
        digests.map(|digests| Digests(Some(digests))).ok_or_else(damaged)
    }

    /// Checks a chunk, by its number in the file; `about` names column and row group.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where its bytes are not those that were written.
    pub fn check(
        &self,
        path: &Path,
        number: usize,
        offset: u64,
        bytes: &[u8],
        about: impl Fn() -> String,
    ) -> Result<()> {
        match &self.0 {
            Some(digests) if digests.get(number) != Some(&xxh3_64(bytes)) => {
                let reason = format!(
                    "{}: its bytes are not those that were written: bits of it were changed",
                    about()
                );
                Err(Error::corrupt(path, offset, reason))
            }
            _ => Ok(()),
        }
    }
}

/// The footer of a file with its trailer.
fn read_footer(path: &Path, file: &mut File, length: u64) -> Result<Vec<u8>> {
    let short = || Error::corrupt(path, length, "too short for its footer");
    let trailer = length.checked_sub(TRAILER_BYTES as u64).ok_or_else(short)?;
    let mut bytes = [0; TRAILER_BYTES];
    file.seek(SeekFrom::Start(trailer)).at(path)?;
    file.read_exact(&mut bytes).at(path)?;
    let [a, b, c, d, ..] = bytes;
    let start = trailer.checked_sub(u64::from(u32::from_le_bytes([a, b, c, d]))).ok_or_else(short)?;
    let mut footer = vec![0; usize::try_from(length - start).map_err(|_| short())?];
    file.seek(SeekFrom::Start(start)).at(path)?;
    file.read_exact(&mut footer).at(path)?;
    Ok(footer)
}

#[cfg(test)]
mod tests {
    use crate::laws::AnyRow;
    use crate::{Footer, Table, read_rows, verify, write_part};

    /// Whatever bit is changed, rows are those that were written, or an error says which file it is.
    #[test]
    fn no_changed_bit_gives_other_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        let rows: Vec<AnyRow> = (0..50)
            .map(|n| AnyRow {
                i64: n,
                text: format!("text number {n}"),
                f64: n as f64 / 7.0,
                ..AnyRow::default()
            })
            .collect();
        write_part(&path, &rows, &Footer { job_key: "0123".into() }).unwrap();
        assert_eq!(read_rows::<AnyRow>(&path).unwrap(), rows);
        verify(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let (mut found, mut verified) = (0, 0);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).unwrap();
            match read_rows::<AnyRow>(&path) {
                Ok(read) => assert_eq!(read, rows, "byte {at}"),
                Err(error) => {
                    found += 1;
                    assert!(error.to_string().contains("part-0.parquet"), "byte {at}: {error}");
                    verified += usize::from(verify(&path).is_err());
                }
            }
        }
        assert!(found * 2 > whole.len(), "{found} of {}", whole.len());
        // One bit of the footer can take all its keys away: the rows are then checked by nothing but what they are.
        assert!(verified * 100 > found * 95, "{verified} of {found}");
    }

    #[test]
    fn a_damaged_chunk_is_named_by_column_and_row_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        let rows: Vec<AnyRow> =
            (0..9).map(|n| AnyRow { text: format!("needle {n}"), ..AnyRow::default() }).collect();
        write_part(&path, &rows, &Footer { job_key: String::new() }).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[10] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let first = AnyRow::info()[0].name;
        let error = verify(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("column {first} of row group 0")), "{error}");
    }
}
