//! The three files, list by list.

use super::bit_writer::{BitSink, BitWriter};
use super::encode::{BvParts, Encoded, Lists, encode};
use super::{BvOptions, with_extension};
use crate::csr::{Csr, Graph};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use webmill_capture::error::{AtPath, Error, Result};

/// Arcs and nodes of a chunk: the larger, the fewer lists have no list before them to copy from.
pub const CHUNK_WORK: u64 = 1 << 22;

/// What a graph took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BvStats {
    /// Nodes.
    pub nodes: u64,
    /// Arcs.
    pub arcs: u64,
    /// Bits of the graph.
    pub bits: u64,
    /// Bits of the offsets.
    pub offset_bits: u64,
    /// The bits of the graph by what they are for.
    pub parts: BvParts,
    /// Lists that must be read before a list can be, added up.
    pub chains: u64,
    /// How many nodes back the lists copied from lie, added up.
    pub distances: u64,
}

impl BvStats {
    /// Bits of the graph for each arc; 0 if there are none.
    pub fn bits_per_link(&self) -> f64 {
        if self.arcs == 0 { 0.0 } else { self.bits as f64 / self.arcs as f64 }
    }
}

/// Writes a graph arc by arc; its weights, which the format cannot hold, must go elsewhere.
pub struct BvWriter {
    files: Files,
    nodes: u64,
    /// The lists not yet written, and where each begins and ends.
    offsets: Vec<u64>,
    targets: Vec<u32>,
    /// Where chunks end in `offsets`.
    chunks: Vec<usize>,
    chunk_work: u64,
}

impl BvWriter {
    /// Starts the files `basename.graph` and `basename.offsets` for a graph of `nodes` nodes.
    ///
    /// # Errors
    /// [`Error::Io`] if the files cannot be written, [`Error::Limit`] for more nodes than 32 bits can number,
    /// [`Error::Config`] for options that the format does not have.
    pub fn create(basename: impl AsRef<Path>, nodes: usize, options: &BvOptions) -> Result<Self> {
        if nodes > u32::MAX as usize {
            return Err(Error::Limit(format!("{nodes} nodes: more than 32 bits can number")));
        }
        Ok(BvWriter {
            files: Files::create(basename.as_ref(), options)?,
            nodes: nodes as u64,
            offsets: vec![0],
            targets: Vec::new(),
            chunks: vec![0],
            chunk_work: CHUNK_WORK,
        })
    }

    #[cfg(test)]
    pub(super) fn with_chunk_work(mut self, chunk_work: u64) -> Self {
        self.chunk_work = chunk_work;
        self
    }

    /// Appends an arc. Arcs come by source, then target, without repetition.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk refuses, [`Error::Internal`] for an arc out of order, [`Error::Config`] for
    /// unknown nodes.
    pub fn push(&mut self, source: u32, target: u32) -> Result<()> {
        if u64::from(source.max(target)) >= self.nodes {
            let nodes = self.nodes;
            return Err(Error::Config(format!("the arc {source} -> {target} leaves the nodes 0..{nodes}")));
        }
        let open = self.open();
        let begun = self.targets.len() as u64 > self.offsets[self.offsets.len() - 1];
        if u64::from(source) < open
            || u64::from(source) == open && begun && self.targets.last().is_some_and(|&last| last >= target)
        {
            return Err(Error::Internal(format!("the arc {source} -> {target} came out of order")));
        }
        self.close_until(u64::from(source))?;
        self.targets.push(target);
        Ok(())
    }

    /// The node whose list is being written.
    fn open(&self) -> u64 {
        self.files.stats.nodes + self.offsets.len() as u64 - 1
    }

    fn close_until(&mut self, node: u64) -> Result<()> {
        while self.open() < node {
            self.offsets.push(self.targets.len() as u64);
            let begin = self.chunks[self.chunks.len() - 1];
            if work(&self.offsets[begin..]) >= self.chunk_work {
                self.chunks.push(self.offsets.len() - 1);
                if self.chunks.len() > rayon::current_num_threads() {
                    self.flush()?;
                }
            }
        }
        Ok(())
    }

    /// Writes the chunks that are full.
    fn flush(&mut self) -> Result<()> {
        let first = self.files.stats.nodes as u32;
        let chunks: Vec<Lists> = self
            .chunks
            .windows(2)
            .map(|chunk| lists(first, &self.offsets, &self.targets, chunk[0], chunk[1]))
            .collect();
        self.files.write(&chunks)?;
        self.offsets.clear();
        self.offsets.push(0);
        self.targets.clear();
        self.chunks.truncate(1);
        Ok(())
    }

    /// Completes the files, the properties last, and syncs them to disk.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk refuses.
    pub fn finish(mut self) -> Result<BvStats> {
        self.close_until(self.nodes)?;
        if self.chunks[self.chunks.len() - 1] < self.offsets.len() - 1 {
            self.chunks.push(self.offsets.len() - 1);
        }
        self.flush()?;
        self.files.finish()
    }
}

/// Writes a graph, without its weights, as `basename.graph`, `.offsets` and `.properties`.
///
/// # Errors
/// [`Error::Io`] if the files cannot be written, [`Error::Config`] for options that the format does not have.
pub fn write_bvgraph(graph: &Csr, basename: impl AsRef<Path>, options: &BvOptions) -> Result<BvStats> {
    write_in_chunks(graph, basename.as_ref(), options, CHUNK_WORK)
}

/// As [`write_bvgraph`], in chunks of at least `chunk_work`.
pub(super) fn write_in_chunks(
    graph: &Csr,
    basename: &Path,
    options: &BvOptions,
    chunk_work: u64,
) -> Result<BvStats> {
    let mut files = Files::create(basename, options)?;
    let offsets = graph.offsets();
    let mut chunks = Vec::new();
    let mut begin = 0;
    while begin < graph.num_nodes() {
        let work_until = |end: usize| work(&offsets[begin..=end]);
        let (mut low, mut high) = (begin + 1, graph.num_nodes());
        while low < high {
            let middle = low.midpoint(high);
            if work_until(middle) < chunk_work { low = middle + 1 } else { high = middle }
        }
        chunks.push(lists(0, offsets, graph.targets(), begin, low));
        begin = low;
    }
    for batch in chunks.chunks(rayon::current_num_threads()) {
        files.write(batch)?;
    }
    files.finish()
}

/// Arcs and nodes between offsets.
fn work(offsets: &[u64]) -> u64 {
    let last = offsets.len() - 1;
    offsets[last] - offsets[0] + last as u64
}

/// The lists `begin..end` of those that `offsets` delimits, the first of which is that of the node `first`.
fn lists<'a>(first: u32, offsets: &'a [u64], targets: &'a [u32], begin: usize, end: usize) -> Lists<'a> {
    Lists {
        first: first + begin as u32,
        offsets: &offsets[begin..=end],
        targets: &targets[offsets[begin] as usize..offsets[end] as usize],
    }
}

/// The files being written.
struct Files {
    basename: PathBuf,
    options: BvOptions,
    graph: BitFile,
    offsets: BitFile,
    stats: BvStats,
}

/// Bits on their way to a file.
struct BitFile {
    path: PathBuf,
    file: BufWriter<File>,
    bits: BitWriter,
}

impl BitFile {
    fn create(path: PathBuf) -> Result<Self> {
        let file = File::create(&path).at(&path)?;
        Ok(BitFile { path, file: BufWriter::with_capacity(1 << 18, file), bits: BitWriter::default() })
    }

    fn append(&mut self, bits: &BitWriter) -> Result<()> {
        self.bits.append(bits);
        self.bits.drain(&mut self.file).at(&self.path)
    }

    fn finish(mut self) -> Result<()> {
        self.bits.close(&mut self.file).at(&self.path)?;
        self.file.flush().at(&self.path)?;
        self.file.get_ref().sync_all().at(&self.path)
    }
}

impl Files {
    fn create(basename: &Path, options: &BvOptions) -> Result<Self> {
        if !(1..=7).contains(&options.zeta) || options.window > 1 << 16 || options.min_interval > 1 << 30 {
            return Err(Error::Config(format!("{options:?}: zeta is 1 to 7, the window at most 65536")));
        }
        // Until the properties of this graph are complete there shall be none.
        let properties = with_extension(basename, ".properties");
        match std::fs::remove_file(&properties) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(properties, error));
            }
            _ => {}
        }
        let mut offsets = BitFile::create(with_extension(basename, ".offsets"))?;
        offsets.bits.gamma(0);
        Ok(Files {
            graph: BitFile::create(with_extension(basename, ".graph"))?,
            offsets,
            stats: BvStats { offset_bits: 1, ..BvStats::default() },
            basename: basename.to_path_buf(),
            options: *options,
        })
    }

    /// Writes chunks, each on a thread.
    fn write(&mut self, chunks: &[Lists]) -> Result<()> {
        let encoded: Vec<Encoded> =
            chunks.par_iter().with_max_len(1).map(|chunk| encode(chunk, &self.options)).collect();
        for (chunk, encoded) in chunks.iter().zip(encoded) {
            self.graph.append(&encoded.graph)?;
            self.offsets.append(&encoded.offsets)?;
            self.stats.nodes += chunk.len() as u64;
            self.stats.arcs += chunk.targets.len() as u64;
            self.stats.bits += encoded.graph.at();
            self.stats.offset_bits += encoded.offsets.at();
            self.stats.parts.add(&encoded.parts);
            self.stats.chains += encoded.chains;
            self.stats.distances += encoded.distances;
        }
        Ok(())
    }

    fn finish(self) -> Result<BvStats> {
        self.graph.finish()?;
        self.offsets.finish()?;
        let path = with_extension(&self.basename, ".properties");
        let mut file = File::create(&path).at(&path)?;
        file.write_all(properties(&self.stats, &self.options).as_bytes()).at(&path)?;
        file.sync_all().at(&path)?;
        Ok(self.stats)
    }
}

/// The text of the properties, as the framework writes it but for the date.
fn properties(stats: &BvStats, options: &BvOptions) -> String {
    let mut text = String::from("#BVGraph properties\n");
    let mut line = |key: &str, value: &dyn std::fmt::Display| {
        writeln!(text, "{key}={value}").expect("writing to a string does not fail");
    };
    line("graphclass", &"it.unimi.dsi.webgraph.BVGraph");
    line("version", &0);
    line("endianness", &"big");
    line("nodes", &stats.nodes);
    line("arcs", &stats.arcs);
    line("windowsize", &options.window);
    line("maxrefcount", &options.max_references.min(i32::MAX as u32));
    line("minintervallength", &options.min_interval);
    line("zetak", &options.zeta);
    line("compressionflags", &"");
    line("length", &stats.bits);
    let parts = &stats.parts;
    for (part, bits) in [
        ("outdegrees", parts.outdegrees),
        ("references", parts.references),
        ("blocks", parts.blocks),
        ("intervals", parts.intervals),
        ("residuals", parts.residuals),
    ] {
        line(&format!("bitsfor{part}"), &bits);
    }
    // Ratios only where they are numbers.
    if stats.nodes > 0 {
        let nodes = stats.nodes as f64;
        line("bitspernode", &format!("{:.3}", stats.bits as f64 / nodes));
        line("avgref", &format!("{:.3}", stats.chains as f64 / nodes));
        line("avgdist", &format!("{:.3}", stats.distances as f64 / nodes));
    }
    if stats.arcs > 0 {
        line("bitsperlink", &format!("{:.3}", stats.bits_per_link()));
        let (arcs, pairs) = (stats.arcs as f64, (stats.nodes as f64).powi(2));
        if arcs < pairs {
            let stirling = |n: f64| n * (n.ln() - 1.0) + 0.5 * (std::f64::consts::TAU * n).ln();
            let bound = (stirling(pairs) - stirling(arcs) - stirling(pairs - arcs)) / std::f64::consts::LN_2;
            line("compratio", &format!("{:.3}", stats.bits as f64 / bound));
        }
    }
    text
}
