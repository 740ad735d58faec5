//! A graph file read from its beginning to its end, without mapping it.

use super::super::store::{Head, WeightKind};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use webmill_capture::error::{AtPath, Error, Result};
use xxhash_rust::xxh3::Xxh3;

/// Most arcs of one [`Piece`].
const PIECE: usize = 1 << 14;
/// Words that are read at a time.
const WORDS: usize = 1 << 16;

/// A graph file of webmill's that is read in sequence, in little memory.
pub struct GraphFile {
    file: File,
    path: PathBuf,
    head: Head,
}

/// Successors of a node, or some of them where it has very many. A node without has one empty piece.
pub(super) struct Piece<'a> {
    pub node: u32,
    pub targets: &'a [u32],
    /// Bits of the weights; empty where they are not read.
    pub weights: &'a [u32],
    /// Is it the last of its node?
    pub last: bool,
}

impl GraphFile {
    /// Opens a file that [`Csr::write`](crate::Csr::write) or [`CsrWriter`](crate::CsrWriter) wrote. What is behind its head
    /// is checked when it is read.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::Incompatible`] if it is no graph file or one of another version,
    /// [`Error::Corrupt`] if its head is damaged or it is shorter than that says.
    pub fn open(path: impl AsRef<Path>) -> Result<GraphFile> {
        let path = path.as_ref();
        let file = File::open(path).at(path)?;
        let head = Head::read(&file, path)?;
        Ok(GraphFile { file, path: path.to_path_buf(), head })
    }

    /// Nodes.
    pub fn num_nodes(&self) -> usize {
        self.head.nodes as usize
    }

    /// Arcs.
    pub fn num_arcs(&self) -> u64 {
        self.head.arcs
    }

    /// Which weights it holds.
    pub fn weights(&self) -> WeightKind {
        self.head.kind
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Calls `each` with all arcs, in order; checks all that is read.
    pub(super) fn read(&self, weighted: bool, mut each: impl FnMut(Piece<'_>) -> Result<()>) -> Result<()> {
        let Head { nodes, arcs, kind, sections } = self.head;
        let weighted = weighted && kind != WeightKind::None;
        let words = [2 * (nodes + 1), arcs, if weighted { arcs } else { 0 }];
        let section = |at: usize| Section::new(self, sections[at].0, words[at]);
        let (mut offsets, mut targets, mut weights) = (section(0), section(1), section(2));
        let wrong = |at: &Section<'_>, what: String| Err(Error::corrupt(&self.path, at.position(), what));
        let mut from = offsets.long()?;
        if from != 0 {
            return wrong(&offsets, format!("the offsets begin with {from}"));
        }
        for node in 0..nodes as u32 {
            let to = offsets.long()?;
            if to < from || to > arcs {
                return wrong(&offsets, format!("the offsets go from {from} to {to} at node {node}"));
            }
            let mut before = None;
            loop {
                let many = (to - from).min(PIECE as u64) as usize;
                let found = targets.take(many)?;
                let rises = found.is_sorted_by(|a, b| a < b)
                    && found.first().is_none_or(|first| before.is_none_or(|before| before < *first));
                if !rises || found.last().is_some_and(|last| u64::from(*last) >= nodes) {
                    let what =
                        format!("the successors of node {node} are not ascending numbers below {nodes}");
                    return wrong(&targets, what);
                }
                before = found.last().copied().or(before);
                let beside: &[u32] = if weighted { weights.take(many)? } else { &[] };
                if kind == WeightKind::Reals
                    && beside
                        .iter()
                        .any(|bits| !f32::from_bits(*bits).is_finite() || f32::from_bits(*bits) < 0.0)
                {
                    let what = format!("node {node} has a weight that is negative, infinite or not a number");
                    return wrong(&weights, what);
                }
                from += many as u64;
                each(Piece { node, targets: found, weights: beside, last: from == to })?;
                if from == to {
                    break;
                }
            }
        }
        if from != arcs {
            return wrong(&offsets, format!("the offsets end at {from} for {arcs} arcs"));
        }
        for (section, (start, sum)) in [offsets, targets, weights].into_iter().zip(sections) {
            if (section.all > 0 || sum == Xxh3::new().digest()) && section.sum.digest() != sum {
                return Err(Error::corrupt(&self.path, start, "the array does not match its checksum"));
            }
        }
        Ok(())
    }
}

/// An array of the file, as words of four bytes.
struct Section<'a> {
    file: &'a GraphFile,
    start: u64,
    /// Words there are, and those that were read.
    all: u64,
    read: u64,
    sum: Xxh3,
    buffer: Vec<u32>,
    at: usize,
}

impl<'a> Section<'a> {
    fn new(file: &'a GraphFile, start: u64, all: u64) -> Self {
        Section { file, start, all, read: 0, sum: Xxh3::new(), buffer: Vec::new(), at: 0 }
    }

    /// Where the word that comes next lies.
    fn position(&self) -> u64 {
        self.start + 4 * (self.read - (self.buffer.len() - self.at) as u64)
    }

    /// The next words: at most [`PIECE`], and no more than there are.
    #[inline]
    fn take(&mut self, many: usize) -> Result<&[u32]> {
        if self.buffer.len() - self.at < many {
            self.fill()?;
        }
        let found = self.buffer.get(self.at..self.at + many).ok_or_else(|| {
            Error::corrupt(&self.file.path, self.start + 4 * self.all, "the array ends too early")
        })?;
        self.at += many;
        Ok(found)
    }

    #[inline]
    fn long(&mut self) -> Result<u64> {
        let words = self.take(2)?;
        Ok(u64::from(words[1]) << 32 | u64::from(words[0]))
    }

    fn fill(&mut self) -> Result<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let kept = self.buffer.len();
        let more = (self.all - self.read).min((WORDS - kept) as u64) as usize;
        self.buffer.resize(kept + more, 0);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.buffer[kept..]);
        self.file.file.read_exact_at(bytes, self.start + 4 * self.read).at(&self.file.path)?;
        self.sum.update(bytes);
        self.read += more as u64;
        Ok(())
    }
}
