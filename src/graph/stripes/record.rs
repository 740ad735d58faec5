//! What a stripe holds of a segment of sources: one record.
//!
//! A head (first source u32, sources u32, bytes of each lane u32, XXH3-64 of each lane u64, XXH3-64 of all this u64,
//! little-endian), then the arcs of each lane, as [`code`](super::code) says. Sources are numbered among the nodes with
//! arcs. Segments without an arc to the stripe have no record.

use super::build::LANES;
use super::code::SOURCE_BITS;
use super::scratch::{Numbers, Scratch};
use webmill_capture::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

const SUMS: usize = 8 + 4 * LANES;
const OWN_SUM: usize = SUMS + 8 * LANES;
const HEAD: usize = OWN_SUM + 8;

/// A record in memory, with what its sources give.
pub(super) struct Record {
    head: [u8; HEAD],
    at: u64,
    arcs: Vec<u8>,
    pub given: Vec<f64>,
}

/// Appends a record.
pub(super) fn write(to: &mut Scratch, head: &[u8], lanes: &[Vec<u8>]) -> Result<()> {
    let mut bytes = Vec::with_capacity(HEAD + lanes.iter().map(Vec::len).sum::<usize>());
    bytes.extend_from_slice(head);
    lanes.iter().for_each(|lane| bytes.extend_from_slice(lane));
    to.append(&bytes)
}

impl Record {
    pub fn new() -> Record {
        Record { head: [0; HEAD], at: 0, arcs: Vec::new(), given: Vec::new() }
    }

    pub fn head(first: u64, sources: usize, lanes: &[Vec<u8>]) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..4].copy_from_slice(&(first as u32).to_le_bytes());
        head[4..8].copy_from_slice(&(sources as u32).to_le_bytes());
        for (lane, bytes) in lanes.iter().enumerate() {
            head[8 + 4 * lane..][..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            head[SUMS + 8 * lane..][..8].copy_from_slice(&xxh3_64(bytes).to_le_bytes());
        }
        let sum = xxh3_64(&head[..OWN_SUM]);
        head[OWN_SUM..].copy_from_slice(&sum.to_le_bytes());
        head
    }

    /// Reads the record at `at`, and what its sources give; returns where the next one is, `None` at the end.
    pub fn read(&mut self, from: &Scratch, at: u64, given: &Numbers) -> Result<Option<u64>> {
        let wrong = |what: &str| Error::corrupt(&from.folder, at, format!("a scratch file: {what}"));
        if at == from.length {
            return Ok(None);
        }
        if from.length - at < HEAD as u64 {
            return Err(wrong("it ends in the head of a record"));
        }
        from.read(&mut self.head, at)?;
        if xxh3_64(&self.head[..OWN_SUM]) != self.long(OWN_SUM) {
            return Err(wrong("the head of a record does not match its checksum"));
        }
        self.at = at;
        let bytes: u64 = (0..LANES).map(|lane| u64::from(self.word(8 + 4 * lane))).sum();
        let (first, sources) = (self.word(0), self.word(4));
        if bytes > from.length - at - HEAD as u64 || sources > 1 << SOURCE_BITS {
            return Err(wrong("a record is longer than it can be"));
        }
        self.arcs.resize(bytes as usize, 0);
        from.read(&mut self.arcs, at + HEAD as u64)?;
        self.given.resize(sources as usize, 0.0);
        given.read(u64::from(first), &mut self.given)?;
        Ok(Some(at + HEAD as u64 + bytes))
    }

    /// The arcs of each lane, with the checksum that they must have.
    pub fn lanes(&self) -> [(&[u8], u64); LANES] {
        let mut rest = &self.arcs[..];
        std::array::from_fn(|lane| {
            let (arcs, others) = rest.split_at(self.word(8 + 4 * lane) as usize);
            rest = others;
            (arcs, self.long(SUMS + 8 * lane))
        })
    }

    /// Where it lies in its file.
    pub fn offset(&self) -> u64 {
        self.at
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.head[at..at + 4].try_into().expect("a slice of four bytes"))
    }

    fn long(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.head[at..at + 8].try_into().expect("a slice of eight bytes"))
    }
}
