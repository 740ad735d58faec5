//! Tests of reading, with an encoder that can write every code and structure.

use super::super::csr::tests::graphs;
use super::super::csr::{Csr, Graph};
use super::bits::{Bits, Code};
use super::properties::Properties;
use super::read::decode;
use super::read_bvgraph;
use proptest::prelude::*;

/// Writes bits, the most significant first.
#[derive(Default)]
struct Pen {
    bits: Vec<bool>,
}

impl Pen {
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
    let mut pen = Pen::default();
    for x in 0..graph.num_nodes() {
        let list = graph.successor_slice(x as u32);
        pen.write(p.outdegrees, list.len() as u64);
        if list.is_empty() {
            continue;
        }
        let reference = references.get(x).map_or(0, |r| r % (p.window + 1)).min(x);
        if p.window > 0 {
            pen.write(p.references, reference as u64);
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
            pen.write(p.block_counts, runs.len() as u64);
            for (i, (_, length)) in runs.iter().enumerate() {
                pen.write(p.blocks, length - u64::from(i > 0));
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
            pen.write(p.intervals, intervals.len() as u64);
            let mut last = None;
            for &(left, length) in &intervals {
                pen.write(
                    p.intervals,
                    last.map_or_else(|| natural(left - x as i64), |last| (left - last - 1) as u64),
                );
                pen.write(p.intervals, length as u64 - p.min_interval);
                last = Some(left + length);
            }
            rest.retain(|&v| !intervals.iter().any(|&(left, length)| (left..left + length).contains(&v)));
        }
        let mut last = None;
        for v in rest {
            pen.write(
                p.residuals,
                last.map_or_else(|| natural(v - x as i64), |last: i64| (v - last - 1) as u64),
            );
            last = Some(v);
        }
    }
    pen.bytes()
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
