//! A graph in one file.
//!
//! Job `graph` writes such files; `rank`, `shape` and all commands over graphs map them into memory.
//!
//! **Format**, version 1, little-endian: a head of 128 bytes, then the sections `offsets` (u64), `targets`
//! (u32) and, if there are any, `weights` (u32 counts or f32), each starting at a multiple of 64. The head
//! holds the magic `WMGRAPH\n`, the version (u32), the kind of weights (u32: 0 none, 1 counts, 2 reals), the
//! nodes and arcs (u64 each), the start of each section (3 × u64), the XXH3-64 of each section (3 × u64),
//! zeros, and as its last 8 bytes the XXH3-64 of what comes before.
//!
//! **Reading** maps the file and checks everything once: checksums, offsets that never fall, successors that
//! ascend and are nodes. So a graph that opened is sound, and its pages need not be in memory.
//!
//! **Writing** streams lists in the order of nodes: memory for buffers only. The file is complete when
//! [`finish`](CsrWriter::finish) returns; until then its head is empty and nobody opens it by mistake.

use super::array::Array;
use super::csr::{Csr, Weights};
use memmap2::Mmap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use webmill_capture::error::{AtPath, Error, Result};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

pub(super) const MAGIC: &[u8; 8] = b"WMGRAPH\n";
const VERSION: u32 = 1;
const HEAD: u64 = 128;
/// Offset of the head's own checksum.
const HEAD_SUM: usize = 120;
const BUFFER: usize = 256 << 10;

/// Which weights a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightKind {
    /// None: every arc counts 1.
    None,
    /// Numbers of links.
    Counts,
    /// Given weights.
    Reals,
}

impl WeightKind {
    /// That of a graph.
    pub(super) fn of(graph: &Csr) -> WeightKind {
        match graph.weights() {
            None => WeightKind::None,
            Some(Weights::Counts(_)) => WeightKind::Counts,
            Some(Weights::Reals(_)) => WeightKind::Reals,
        }
    }
}

/// Writes a graph list by list.
pub struct CsrWriter {
    path: PathBuf,
    kind: WeightKind,
    nodes: u64,
    offsets: Section,
    targets: Section,
    weights: Section,
    /// Arcs written, and nodes whose list has ended.
    arcs: u64,
    closed: u64,
}

/// Bytes on their way to a file, from a fixed start.
struct Section {
    file: File,
    start: u64,
    sum: Xxh3,
    buffer: Vec<u8>,
}

impl Section {
    fn new(mut file: File, start: u64, path: &Path) -> Result<Self> {
        file.seek(SeekFrom::Start(start)).at(path)?;
        Ok(Section { file, start, sum: Xxh3::new(), buffer: Vec::with_capacity(BUFFER) })
    }

    #[inline]
    fn write(&mut self, bytes: &[u8], path: &Path) -> Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush(path)?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self, path: &Path) -> Result<()> {
        self.sum.update(&self.buffer);
        self.file.write_all(&self.buffer).at(path)?;
        self.buffer.clear();
        Ok(())
    }
}

impl CsrWriter {
    /// Starts the file `path` for a graph of `nodes` nodes.
    ///
    /// # Errors
    /// [`Error::Io`] if the file, or a temporary one next to it, cannot be written; [`Error::Limit`] for more
    /// nodes than 32 bits can number.
    pub fn create(path: impl AsRef<Path>, nodes: usize, kind: WeightKind) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        if nodes > u32::MAX as usize {
            return Err(Error::Limit(format!("{nodes} nodes: more than 32 bits can number")));
        }
        File::create(&path).at(&path)?;
        let handle = || File::options().write(true).open(&path).at(&path);
        let targets_at = align(HEAD + 8 * (nodes as u64 + 1));
        // Weights wait in a second file until it is known where they start.
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let waiting = tempfile::tempfile_in(folder).at(folder)?;
        let mut writer = CsrWriter {
            kind,
            nodes: nodes as u64,
            offsets: Section::new(handle()?, HEAD, &path)?,
            targets: Section::new(handle()?, targets_at, &path)?,
            weights: Section::new(waiting, 0, &path)?,
            arcs: 0,
            closed: 0,
            path,
        };
        writer.offsets.write(&0u64.to_le_bytes(), &writer.path)?;
        Ok(writer)
    }

    /// Appends an arc with its weight as bits of the kind of weights of the file. Arcs come by source, then
    /// target, without repetition.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk refuses, [`Error::Internal`] for an arc out of order, [`Error::Config`] for
    /// unknown nodes.
    #[inline]
    pub fn push(&mut self, source: u32, target: u32, weight: u32) -> Result<()> {
        if u64::from(source.max(target)) >= self.nodes {
            return Err(Error::Config(format!(
                "the arc {source} -> {target} leaves the nodes 0..{}",
                self.nodes
            )));
        }
        if u64::from(source) < self.closed {
            return Err(Error::Internal(format!("the arc {source} -> {target} came out of order")));
        }
        self.close_until(u64::from(source))?;
        self.targets.write(&target.to_le_bytes(), &self.path)?;
        if self.kind != WeightKind::None {
            self.weights.write(&weight.to_le_bytes(), &self.path)?;
        }
        self.arcs += 1;
        Ok(())
    }

    fn close_until(&mut self, node: u64) -> Result<()> {
        while self.closed < node {
            self.offsets.write(&self.arcs.to_le_bytes(), &self.path)?;
            self.closed += 1;
        }
        Ok(())
    }

    /// Completes the file and syncs it to disk; returns the number of arcs.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk refuses.
    pub fn finish(mut self) -> Result<u64> {
        self.close_until(self.nodes)?;
        let path = &self.path;
        for section in [&mut self.offsets, &mut self.targets, &mut self.weights] {
            section.flush(path)?;
        }
        let mut weights_at = 0;
        if self.kind != WeightKind::None {
            weights_at = align(self.targets.start + 4 * self.arcs);
            let from = &mut self.weights.file;
            from.rewind().at(path)?;
            self.targets.file.seek(SeekFrom::Start(weights_at)).at(path)?;
            std::io::copy(&mut BufReader::with_capacity(BUFFER, from), &mut self.targets.file).at(path)?;
        } else {
            // An empty list of targets must still reach the length that the head promises.
            self.targets.file.set_len(self.targets.start + 4 * self.arcs).at(path)?;
        }
        if self.kind != WeightKind::None && self.arcs == 0 {
            self.targets.file.set_len(weights_at).at(path)?;
        }
        let mut head = [0u8; HEAD as usize];
        head[..8].copy_from_slice(MAGIC);
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        head[12..16].copy_from_slice(&(self.kind as u32).to_le_bytes());
        let numbers = [self.nodes, self.arcs, HEAD, self.targets.start, weights_at];
        let sums = [&self.offsets, &self.targets, &self.weights].map(|section| section.sum.digest());
        for (i, number) in numbers.into_iter().chain(sums).enumerate() {
            head[16 + 8 * i..24 + 8 * i].copy_from_slice(&number.to_le_bytes());
        }
        let sum = xxh3_64(&head[..HEAD_SUM]);
        head[HEAD_SUM..].copy_from_slice(&sum.to_le_bytes());
        self.offsets.file.rewind().at(path)?;
        self.offsets.file.write_all(&head).at(path)?;
        self.offsets.file.sync_all().at(path)?;
        Ok(self.arcs)
    }
}

fn align(at: u64) -> u64 {
    at.next_multiple_of(64)
}

/// What the head of a file says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub nodes: u64,
    pub arcs: u64,
    pub kind: WeightKind,
    /// Start and XXH3-64 of offsets, targets and weights.
    pub sections: [(u64, u64); 3],
}

impl Head {
    /// Reads the head of a file that is long enough for what it promises.
    ///
    /// # Errors
    /// As [`Csr::open`].
    pub fn read(mut file: &File, path: &Path) -> Result<Head> {
        let length = file.metadata().at(path)?.len();
        let mut head = [0u8; HEAD as usize];
        let incompatible = |found: String| Error::Incompatible {
            path: path.to_path_buf(),
            found,
            expected: format!("a webmill graph file of version {VERSION}"),
        };
        let corrupt = |offset: u64, reason: &str| Error::corrupt(path, offset, reason);
        let short = length.min(HEAD) as usize;
        file.read_exact(&mut head[..short]).at(path)?;
        if !head.starts_with(MAGIC) {
            return Err(incompatible("another kind of file, or one never completed".into()));
        }
        if length < HEAD {
            return Err(corrupt(length, "the file ends in its head"));
        }
        let number =
            |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("a slice of eight bytes"));
        let (version, kind) = (number(8) as u32, (number(8) >> 32) as u32);
        if version != VERSION {
            return Err(incompatible(format!("version {version}")));
        }
        if xxh3_64(&head[..HEAD_SUM]) != number(HEAD_SUM) {
            return Err(corrupt(0, "the head does not match its checksum"));
        }
        let (nodes, arcs) = (number(16), number(24));
        let kind = match kind {
            0 => WeightKind::None,
            1 => WeightKind::Counts,
            2 => WeightKind::Reals,
            _ => return Err(incompatible(format!("weights of kind {kind}"))),
        };
        if nodes > u64::from(u32::MAX) {
            return Err(corrupt(16, &format!("{nodes} nodes: more than 32 bits can number")));
        }
        let sections: [(u64, u64); 3] =
            std::array::from_fn(|section| (number(32 + 8 * section), number(56 + 8 * section)));
        let sizes = [8 * (nodes + 1), arcs.saturating_mul(4), arcs.saturating_mul(4)];
        let used = if kind == WeightKind::None { 2 } else { 3 };
        for ((start, _), size) in sections.iter().zip(sizes).take(used) {
            let end = start.saturating_add(size);
            if end > length {
                return Err(corrupt(
                    length,
                    &format!("the file ends before byte {end}, where its arrays end"),
                ));
            }
        }
        Ok(Head { nodes, arcs, kind, sections })
    }
}

impl Csr {
    /// Writes the graph to a file.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk refuses.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = CsrWriter::create(path, self.num_nodes(), WeightKind::of(self))?;
        for u in 0..self.num_nodes() as u32 {
            for arc in self.arcs_of(u) {
                writer.push(u, self.targets()[arc], self.weight_bits(arc))?;
            }
        }
        writer.finish().map(|_| ())
    }

    /// Opens a file that [`write`](Self::write) or [`CsrWriter`] wrote; the arrays stay in the file, which
    /// must not be changed while the graph lives.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::Incompatible`] if it is no graph file or one of another
    /// version, [`Error::Corrupt`] if it is truncated or damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path).at(path)?;
        let Head { nodes, arcs, kind, sections } = Head::read(&file, path)?;
        let corrupt = |offset: u64, reason: &str| Error::corrupt(path, offset, reason);
        let sizes = [8 * (nodes + 1), 4 * arcs, 4 * arcs];
        let used = if kind == WeightKind::None { 2 } else { 3 };
        // SAFETY: the map is read-only, and every value in it is checked below before it is used. A process
        // that changes the file meanwhile breaks the contract of this function; committed files are never
        // changed.
        let map = Arc::new(unsafe { Mmap::map(&file) }.at(path)?);
        let mut ranges = Vec::new();
        for ((start, sum), size) in sections.into_iter().zip(sizes).take(used) {
            let range = start as usize..(start + size) as usize;
            let Some(bytes) = map.get(range.clone()) else {
                return Err(corrupt(start, "the file was cut while it was opened"));
            };
            if xxh3_64(bytes) != sum {
                return Err(corrupt(start, "the array does not match its checksum"));
            }
            ranges.push(range);
        }
        let misplaced = || corrupt(0, "an array is not aligned");
        let offsets = Array::mapped(&map, ranges[0].clone()).ok_or_else(misplaced)?;
        let targets = Array::mapped(&map, ranges[1].clone()).ok_or_else(misplaced)?;
        let weights = match kind {
            WeightKind::None => None,
            WeightKind::Counts => {
                Some(Weights::Counts(Array::mapped(&map, ranges[2].clone()).ok_or_else(misplaced)?))
            }
            WeightKind::Reals => {
                Some(Weights::Reals(Array::mapped(&map, ranges[2].clone()).ok_or_else(misplaced)?))
            }
        };
        Csr::new(offsets, targets, weights).map_err(|error| corrupt(HEAD, &error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    fn same(a: &Csr, b: &Csr) -> bool {
        a.offsets() == b.offsets() && a.arcs().eq(b.arcs()) && a.weights().is_some() == b.weights().is_some()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_written_is_read(graph in graphs(40, 200), weights in prop::collection::vec(0u32..9, 200)) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("g");
            graph.write(&path).unwrap();
            prop_assert!(same(&Csr::open(&path).unwrap(), &graph));
            let weighted = Csr::from_weighted_arcs(
                graph.num_nodes(),
                graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, w as f32 / 4.0)),
            ).unwrap();
            weighted.write(&path).unwrap();
            prop_assert!(same(&Csr::open(&path).unwrap(), &weighted));
        }
    }

    fn example(dir: &Path) -> (PathBuf, Vec<u8>) {
        let path = dir.join("g");
        Csr::from_arcs(5, [(0, 1), (0, 4), (2, 2), (3, 1)]).unwrap().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        (path, bytes)
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, bytes) = example(dir.path());
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(
                matches!(Csr::open(&path), Err(Error::Corrupt { .. } | Error::Incompatible { .. })),
                "cut at {cut}"
            );
        }
        // Padding between the arrays holds nothing.
        let used = (0..HEAD as usize).chain(128..176).chain(192..208);
        for byte in used {
            let mut damaged = bytes.clone();
            damaged[byte] ^= 4;
            std::fs::write(&path, &damaged).unwrap();
            assert!(
                matches!(Csr::open(&path), Err(Error::Corrupt { .. } | Error::Incompatible { .. })),
                "byte {byte}"
            );
        }
    }

    #[test]
    fn each_kind_of_error_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let (path, bytes) = example(dir.path());
        let says = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Csr::open(&path).unwrap_err().to_string()
        };
        assert!(says(b"%PDF-1.4 and so on").contains("another kind of file"));
        assert!(says(&[&bytes[..8], &[9], &bytes[9..]].concat()).contains("found version 9"));
        assert!(says(&bytes[..100]).contains("ends in its head"));
        assert!(says(&bytes[..200]).contains("where its arrays end"));
        // An id out of range behind correct checksums.
        let mut wrong = bytes.clone();
        wrong[192..196].copy_from_slice(&77u32.to_le_bytes());
        let sum = xxh3_64(&wrong[192..208]);
        wrong[64..72].copy_from_slice(&sum.to_le_bytes());
        let sum = xxh3_64(&wrong[..HEAD_SUM]);
        wrong[HEAD_SUM..128].copy_from_slice(&sum.to_le_bytes());
        assert!(says(&wrong).contains("successors of node 0"), "{}", says(&wrong));
        assert!(matches!(Csr::open(dir.path().join("none")), Err(Error::Io { .. })));
    }

    #[test]
    fn writer_refuses_what_is_no_graph() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("g");
        let mut writer = CsrWriter::create(&path, 3, WeightKind::Counts).unwrap();
        writer.push(1, 2, 7).unwrap();
        assert!(matches!(writer.push(0, 1, 1), Err(Error::Internal(_))));
        assert!(matches!(writer.push(1, 3, 1), Err(Error::Config(_))));
        assert!(matches!(Csr::open(&path), Err(Error::Incompatible { .. })));
        assert_eq!(writer.finish().unwrap(), 1);
        assert_eq!(Csr::open(&path).unwrap().arcs().collect::<Vec<_>>(), [(1, 2, 7.0)]);
    }
}
