//! Tests of reading, with an encoder that can write every code and structure.

use super::super::csr::Csr;
use super::super::csr::tests::graphs;
use super::bits::{Bits, Code};
use super::properties::Properties;
use super::read::decode;
use super::write::write_in_chunks;
use super::*;
use proptest::prelude::*;
use webmill_capture::error::Error;

/// Writes bits, the most significant first.
#[derive(Default)]
struct ReferenceWriter {
    bits: Vec<bool>,
}

impl ReferenceWriter {
    fn fixed(&mut self, value: u64, bits: u32) {
        self.bits.extend((0..bits).rev().map(|b| value >> b & 1 == 1));
    }

    fn write(&mut self, code: Code, value: u64) {
        match code {
            Code::Unary => self.fixed(1, value as u32 + 1),
            Code::Gamma => {
                let bits = (value + 1).ilog2();
                self.write(Code::Unary, u64::from(bits));
                self.fixed(value + 1, bits);
            }
            Code::Delta => {
                let bits = (value + 1).ilog2();
                self.write(Code::Gamma, u64::from(bits));
                self.fixed(value + 1, bits);
            }
            Code::Zeta(k) => {
                let h = (value + 1).ilog2() / k;
                self.write(Code::Unary, u64::from(h));
                let (left, offset) = (1u64 << (h * k), value + 1 - (1 << (h * k)));
                // Minimal binary of a number below 2^(hk+k) − 2^(hk).
                if offset < left {
                    self.fixed(offset, h * k + k - 1);
                } else {
                    self.fixed(offset + left, h * k + k);
                }
            }
            Code::Nibble => {
                let groups = (64 - value.leading_zeros()).div_ceil(3).max(1);
                for group in (0..groups).rev() {
                    self.fixed(u64::from(group == 0), 1);
                    self.fixed(value >> (3 * group), 3);
                }
            }
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| (0..8).fold(0, |byte, i| byte << 1 | u8::from(bits.get(i) == Some(&true)));
        self.bits.chunks(8).map(byte).collect()
    }
}

fn natural(signed: i64) -> u64 {
    if signed >= 0 { 2 * signed as u64 } else { 2 * signed.unsigned_abs() - 1 }
}

/// Writes a graph, each list referring as far back as `references` says.
fn encode(graph: &Csr, p: &Properties, references: &[usize]) -> Vec<u8> {
    let mut writer = ReferenceWriter::default();
    for x in 0..graph.num_nodes() {
        let list = graph.successor_slice(x as u32);
        writer.write(p.outdegrees, list.len() as u64);
        if list.is_empty() {
            continue;
        }
        let reference = references.get(x).map_or(0, |r| r % (p.window + 1)).min(x);
        if p.window > 0 {
            writer.write(p.references, reference as u64);
        }
        let mut rest: Vec<i64> = list.iter().map(|&v| i64::from(v)).collect();
        if reference > 0 {
            let from = graph.successor_slice((x - reference) as u32);
            let mut runs: Vec<(bool, u64)> = vec![(true, 0)];
            for v in from {
                let copied = list.contains(v);
                match runs.last_mut() {
                    Some((kind, length)) if *kind == copied => *length += 1,
                    _ => runs.push((copied, 1)),
                }
            }
            runs.pop(); // the last block is understood
            writer.write(p.block_counts, runs.len() as u64);
            for (i, (_, length)) in runs.iter().enumerate() {
                writer.write(p.blocks, length - u64::from(i > 0));
            }
            rest.retain(|v| !from.contains(&(*v as u32)));
        }
        if !rest.is_empty() && p.min_interval > 0 {
            let mut intervals: Vec<(i64, i64)> = Vec::new();
            for &v in &rest {
                match intervals.last_mut() {
                    Some((left, length)) if *left + *length == v => *length += 1,
                    _ => intervals.push((v, 1)),
                }
            }
            intervals.retain(|i| i.1 as u64 >= p.min_interval);
            writer.write(p.intervals, intervals.len() as u64);
            let mut last = None;
            for &(left, length) in &intervals {
                writer.write(
                    p.intervals,
                    last.map_or_else(|| natural(left - x as i64), |last| (left - last - 1) as u64),
                );
                writer.write(p.intervals, length as u64 - p.min_interval);
                last = Some(left + length);
            }
            rest.retain(|&v| !intervals.iter().any(|&(left, length)| (left..left + length).contains(&v)));
        }
        let mut last = None;
        for v in rest {
            writer.write(
                p.residuals,
                last.map_or_else(|| natural(v - x as i64), |last: i64| (v - last - 1) as u64),
            );
            last = Some(v);
        }
    }
    writer.bytes()
}

fn codes() -> impl Strategy<Value = Code> {
    prop::sample::select(vec![
        Code::Unary,
        Code::Gamma,
        Code::Delta,
        Code::Zeta(1),
        Code::Zeta(3),
        Code::Nibble,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn every_code_and_structure_is_read(
        graph in graphs(25, 250), codes in prop::collection::vec(codes(), 6), window in 0usize..5,
        min_interval in 0u64..5, references in prop::collection::vec(0usize..9, 25),
        damage in any::<(prop::sample::Index, u8)>(),
    ) {
        let p = Properties {
            nodes: graph.num_nodes(), arcs: graph.num_arcs(), window,
            // An interval of one would leave a gap of −1 to the next.
            min_interval: if min_interval == 1 { 2 } else { min_interval },
            outdegrees: codes[0], references: codes[1], block_counts: codes[2], blocks: codes[3], intervals: codes[4],
            residuals: codes[5],
        };
        let mut bytes = encode(&graph, &p, &references);
        let read = decode(&mut Bits { bytes: &bytes, at: 0 }, &p).unwrap();
        prop_assert_eq!(read.offsets(), graph.offsets());
        prop_assert_eq!(read.targets(), graph.targets());
        // Damage is an error or another graph, never a panic.
        if !bytes.is_empty() {
            let at = damage.0.index(bytes.len());
            bytes[at] ^= damage.1;
            let _ = decode(&mut Bits { bytes: &bytes, at: 0 }, &p);
            let _ = decode(&mut Bits { bytes: &bytes[..at], at: 0 }, &p);
        }
    }
}

#[test]
fn other_files_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("g");
    let says = |properties: &str, graph: &[u8]| {
        std::fs::write(dir.path().join("g.properties"), properties).unwrap();
        std::fs::write(dir.path().join("g.graph"), graph).unwrap();
        read_bvgraph(&base).unwrap_err().to_string()
    };
    let class = "graphclass=it.unimi.dsi.webgraph.BVGraph\n";
    assert!(says("graphclass=EFGraph\nnodes=1\narcs=0", b"").contains("graph class"));
    assert!(says(class, b"").contains("nodes is missing"));
    assert!(says(&format!("{class}nodes=9\narcs=0"), b"").contains("cannot hold 9 nodes"));
    assert!(says(&format!("{class}nodes=1\narcs=5"), b"\x80").contains("properties promise 5"));
    assert!(says(&format!("{class}nodes=1\narcs=0\nendianness=little"), b"\x80").contains("byte order"));
    assert!(
        says(&format!("{class}nodes=1\narcs=0\ncompressionflags=RESIDUALS_GOLOMB"), b"\x80")
            .contains("RESIDUALS_GOLOMB")
    );
}

fn options() -> impl Strategy<Value = BvOptions> {
    (0usize..9, 0u32..5, 0usize..6, 1u32..8).prop_map(|(window, max_references, min_interval, zeta)| {
        BvOptions { window, max_references, min_interval, zeta }
    })
}

fn files(basename: &Path) -> [Vec<u8>; 3] {
    [".graph", ".offsets", ".properties"]
        .map(|extension| std::fs::read(with_extension(basename, extension)).unwrap())
}

/// Graphs whose lists are alike, as those of pages are.
fn alike() -> impl Strategy<Value = Csr> {
    let list = (0usize..40, prop::collection::vec(0u32..70, 0..8), 0u32..50, 0u32..12);
    prop::collection::vec(list, 1..70).prop_map(|nodes| {
        let mut lists: Vec<Vec<u32>> = Vec::new();
        for (like, some, start, length) in nodes {
            let mut list =
                if like < lists.len() { lists[lists.len() - 1 - like].clone() } else { Vec::new() };
            list.extend(some.iter().copied().chain(start..start + length));
            if like % 3 == 0 {
                list.retain(|v| v % 7 != 0);
            }
            lists.push(list);
        }
        let n = lists.len() as u32;
        let arcs = (0..n).zip(&lists).flat_map(|(u, list)| list.iter().map(move |v| (u, v % n)));
        Csr::from_arcs(n as usize, arcs).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn what_is_written_is_read(graph in alike(), options in options(), chunk_work in 1u64..2000) {
        let dir = tempfile::tempdir().unwrap();
        let (base, other) = (dir.path().join("a"), dir.path().join("b"));
        let stats = write_in_chunks(&graph, &base, &options, chunk_work).unwrap();
        let read = read_bvgraph(&base).unwrap();
        prop_assert_eq!(read.offsets(), graph.offsets());
        prop_assert_eq!(read.targets(), graph.targets());
        prop_assert_eq!((stats.nodes, stats.arcs), (graph.num_nodes() as u64, graph.num_arcs()));
        prop_assert_eq!(stats.bits, stats.parts.sum());
        // The offsets are those at which the reader finds the lists.
        let [_, offsets, _] = files(&base);
        let mut bits = Bits { bytes: &offsets, at: 0 };
        let sum: u64 = (0..=stats.nodes).map(|_| bits.read(Code::Gamma).unwrap()).sum();
        prop_assert_eq!((sum, bits.at), (stats.bits, stats.offset_bits));
        // On any number of threads the same bytes.
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| write_in_chunks(&graph, &other, &options, chunk_work)).unwrap();
            prop_assert_eq!(again, stats);
            prop_assert!(files(&base) == files(&other));
        }
    }

    #[test]
    fn damage_is_told_or_another_graph(
        graph in alike(), flips in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 1..4),
        cut in any::<prop::sample::Index>(), extension in prop::sample::select(vec![".graph", ".properties"]),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().join("g");
        write_bvgraph(&graph, &base).unwrap();
        let path = with_extension(&base, extension);
        let mut bytes = std::fs::read(&path).unwrap();
        for (at, xor) in flips {
            if !bytes.is_empty() { let at = at.index(bytes.len()); bytes[at] ^= xor; }
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len() + 1)]] {
            std::fs::write(&path, bytes).unwrap();
            match read_bvgraph(&base) {
                Ok(read) => prop_assert!(read.num_nodes() > 0 || graph.num_nodes() == 0 || extension == ".properties"),
                Err(Error::Corrupt { path: p, .. } | Error::Incompatible { path: p, .. } | Error::Io { path: p, .. }) =>
                    prop_assert!(p.starts_with(dir.path())),
                Err(Error::Limit(_)) => {}
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn every_cut_of_a_list_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("g");
    let graph = Csr::from_arcs(40, (0..40).flat_map(|u| (1..9).map(move |i| (u, u * i * 7 % 40)))).unwrap();
    let stats = write_bvgraph(&graph, &base).unwrap();
    let path = with_extension(&base, ".graph");
    let bytes = std::fs::read(&path).unwrap();
    for cut in 0..stats.bits.div_ceil(8) as usize {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let error = read_bvgraph(&base).unwrap_err();
        assert!(matches!(&error, Error::Corrupt { path: p, .. } if *p == path), "cut at {cut}: {error}");
    }
}

#[test]
fn few_bytes_cannot_ask_for_much_memory() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("g");
    // Every node has all nodes as successors and copies them: some 40 bits for 20,000 arcs.
    let clique = Csr::from_arcs(300, (0..300).flat_map(|u| (0..300).map(move |v| (u, v)))).unwrap();
    write_bvgraph(&clique, &base).unwrap();
    let properties = with_extension(&base, ".properties");
    let text = std::fs::read_to_string(&properties).unwrap();
    std::fs::write(&properties, text.replace("arcs=90000", "arcs=50000")).unwrap();
    assert!(read_bvgraph(&base).unwrap_err().to_string().contains("more arcs than the 50000"));
    assert!(estimate(&base).unwrap() > 4 * 50_000);
    std::fs::write(&properties, text.replace("nodes=300", "nodes=4000000000")).unwrap();
    assert!(read_bvgraph(&base).unwrap_err().to_string().contains("cannot hold 4000000000 nodes"));
}

/// The published files of cnr-2000, which the framework wrote, come out bit for bit.
#[test]
fn cnr_2000_is_written_as_the_framework_wrote_it() {
    let Some(file) = webmill_evaluation::data("graphs/cnr-2000.graph") else { return };
    let published = file.with_extension("");
    let graph = read_bvgraph(&published).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("cnr");
    let stats = write_bvgraph(&graph, &base).unwrap();
    for (ours, theirs) in files(&base).iter().zip(files(&published)).take(2) {
        let length = ours.len().min(theirs.len());
        assert!(ours[..length] == theirs[..length]);
        assert!(ours.len().abs_diff(theirs.len()) < 16, "but for filling up the last words");
        assert!(ours[length..].iter().chain(&theirs[length..]).all(|&b| b == 0));
    }
    // The counts of the published properties.
    let parts = BvParts {
        outdegrees: 1_660_205,
        references: 781_540,
        blocks: 1_353_080,
        intervals: 829_187,
        residuals: 4_694_729,
    };
    assert_eq!(stats.parts, parts);
    assert_eq!(format!("{:.3}", stats.bits_per_link()), "2.897");
    let read = read_bvgraph(&base).unwrap();
    assert!(read.offsets() == graph.offsets() && read.targets() == graph.targets());
}
