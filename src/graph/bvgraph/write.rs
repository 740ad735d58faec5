//! The three files, list by list.

use super::bit_writer::{BitSink, BitWriter};
use super::encode::{BvParts, EncodedLists, Lists, encode};
use super::{BvOptions, with_extension};
use crate::csr::Csr;
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
    /// Nodes written.
    pub nodes: u64,
    /// Arcs written.
    pub arcs: u64,
    /// Bits of the graph.
    pub bits: u64,
    /// Bits of the file `.offsets`.
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

/// Writes a graph, without its weights, as `basename.graph`, `.offsets` and `.properties`.
///
/// # Errors
/// [`Error::Io`] if the files cannot be written.
pub fn write_bvgraph(graph: &Csr, basename: impl AsRef<Path>) -> Result<BvStats> {
    write_in_chunks(graph, basename.as_ref(), &BvOptions::default(), CHUNK_WORK)
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
        chunks.push(lists(offsets, graph.targets(), begin, low));
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

/// The lists of the nodes `begin..end`.
fn lists<'a>(offsets: &'a [u64], targets: &'a [u32], begin: usize, end: usize) -> Lists<'a> {
    Lists {
        first: begin as u32,
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
        let encoded: Vec<EncodedLists> =
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
