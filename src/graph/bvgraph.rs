//! Reading graphs in the BVGraph format of the WebGraph framework: `NAME.graph`, `NAME.properties`.
//!
//! **Format.** A stream of bits, the most significant first. Of each node: its outdegree; unless that is 0,
//! the reference r (how many nodes back lies the list it copies from, 0 for none); if r > 0, the blocks of
//! that list that are copied and skipped by turns; intervals of consecutive successors; the residual
//! successors as gaps. Each part has its own instantaneous code, named in the properties. Offsets are not
//! needed, since lists are read in order.
//!
//! **Cost.** One pass; the window of lists that may be referred to, and the graph itself. Every count is
//! checked against what can still be true, so a damaged file is an error and costs no memory.
//!
//! **Reference.** P. Boldi, S. Vigna, The WebGraph framework I: compression techniques, WWW 2004,
//! doi:10.1145/988672.988752.

use super::csr::Csr;
use crate::error::{AtPath, Error, Result};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// Reads `basename.graph` as its properties describe it.
///
/// # Errors
/// [`Error::Io`] for missing files, [`Error::Incompatible`] for another class of graph or code,
/// [`Error::Corrupt`] for bytes that are no such graph.
pub fn read_bvgraph(basename: impl AsRef<Path>) -> Result<Csr> {
    let with = |extension: &str| {
        let mut path = basename.as_ref().as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    let properties = Properties::read(&with(".properties"))?;
    let path = with(".graph");
    let bytes = std::fs::read(&path).at(&path)?;
    let mut bits = Bits { bytes: &bytes, at: 0 };
    decode(&mut bits, &properties).map_err(|reason| Error::corrupt(&path, bits.at / 8, reason))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Code {
    Unary,
    Gamma,
    Delta,
    Zeta(u32),
    Nibble,
}

/// What the properties file says.
struct Properties {
    nodes: usize,
    arcs: u64,
    window: usize,
    min_interval: u64,
    outdegrees: Code,
    references: Code,
    block_counts: Code,
    blocks: Code,
    intervals: Code,
    residuals: Code,
}

impl Properties {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).at(path)?;
        let values: HashMap<&str, &str> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with(['#', '!']))
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let other = |found: &str, expected: &str| Error::Incompatible {
            path: path.to_path_buf(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        };
        let number = |key: &str, default: Option<u64>| match values.get(key).map(|value| value.parse()) {
            Some(Ok(number)) => Ok(number),
            None if default.is_some() => Ok(default.unwrap_or_default()),
            _ => Err(Error::corrupt(path, 0, format!("the property {key} is missing or no number"))),
        };
        let class = values.get("graphclass").copied().unwrap_or_default();
        if !class.ends_with("BVGraph") {
            return Err(other(&format!("graph class {class:?}"), "a BVGraph"));
        }
        if values.get("endianness").is_some_and(|e| *e != "big") || number("version", Some(0))? != 0 {
            return Err(other("another version or byte order", "version 0, big-endian"));
        }
        let k = number("zetak", Some(3))?;
        if !(1..=16).contains(&k) {
            return Err(other(&format!("zetak={k}"), "1 to 16"));
        }
        let mut properties = Properties {
            nodes: number("nodes", None)? as usize,
            arcs: number("arcs", None)?,
            window: number("windowsize", Some(7))? as usize,
            min_interval: number("minintervallength", Some(4))?,
            outdegrees: Code::Gamma,
            references: Code::Unary,
            block_counts: Code::Gamma,
            blocks: Code::Gamma,
            intervals: Code::Gamma,
            residuals: Code::Zeta(k as u32),
        };
        for flag in
            values.get("compressionflags").unwrap_or(&"").split('|').map(str::trim).filter(|f| !f.is_empty())
        {
            let unknown = || other(&format!("compression flag {flag:?}"), "a code of the format");
            let (part, code) = flag.rsplit_once('_').ok_or_else(unknown)?;
            let code = match code {
                "UNARY" => Code::Unary,
                "GAMMA" => Code::Gamma,
                "DELTA" => Code::Delta,
                "ZETA" => Code::Zeta(k as u32),
                "NIBBLE" => Code::Nibble,
                _ => return Err(unknown()),
            };
            match part {
                "OUTDEGREES" => properties.outdegrees = code,
                "REFERENCES" => properties.references = code,
                "BLOCK_COUNT" => properties.block_counts = code,
                "BLOCKS" => properties.blocks = code,
                "INTERVALS" => properties.intervals = code,
                "RESIDUALS" => properties.residuals = code,
                "OFFSETS" => {}
                _ => return Err(unknown()),
            }
        }
        if properties.nodes > u32::MAX as usize {
            return Err(Error::Limit(format!("{} nodes: more than 32 bits can number", properties.nodes)));
        }
        Ok(properties)
    }
}

/// What is wrong with the bits.
type Decoded<T> = Result<T, String>;

struct Bits<'a> {
    bytes: &'a [u8],
    /// Bit position.
    at: u64,
}

impl Bits<'_> {
    /// The next 57 or more bits at the top of a word, zeros past the end.
    #[inline]
    fn peek(&self) -> u64 {
        let byte = (self.at / 8) as usize;
        let word = match self.bytes.get(byte..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_be_bytes(*chunk),
            None => {
                let mut chunk = [0; 8];
                let rest = self.bytes.get(byte..).unwrap_or_default();
                chunk[..rest.len()].copy_from_slice(rest);
                u64::from_be_bytes(chunk)
            }
        };
        word << (self.at % 8)
    }

    #[inline]
    fn skip(&mut self, bits: u32) -> Decoded<()> {
        self.at += u64::from(bits);
        if self.at > 8 * self.bytes.len() as u64 {
            Err("the file ends in the middle of a list".into())
        } else {
            Ok(())
        }
    }

    /// A number of at most 56 bits.
    #[inline]
    fn fixed(&mut self, bits: u32) -> Decoded<u64> {
        if bits == 0 {
            return Ok(0);
        }
        if bits > 56 {
            return Err(format!("a number of {bits} bits"));
        }
        let value = self.peek() >> (64 - bits);
        self.skip(bits)?;
        Ok(value)
    }

    #[inline]
    fn unary(&mut self) -> Decoded<u32> {
        let mut zeros = 0;
        loop {
            let here = self.peek().leading_zeros();
            if here < 57 {
                self.skip(here + 1)?;
                return Ok(zeros + here);
            }
            self.skip(56)?;
            zeros += 56;
        }
    }

    #[inline]
    fn gamma(&mut self) -> Decoded<u64> {
        let bits = self.unary()?;
        Ok(self.fixed(bits)? + (1 << bits) - 1)
    }

    #[inline]
    fn read(&mut self, code: Code) -> Decoded<u64> {
        match code {
            Code::Unary => self.unary().map(u64::from),
            Code::Gamma => self.gamma(),
            Code::Delta => {
                let bits = self.gamma()?.min(64) as u32;
                Ok(self.fixed(bits)? + (1 << bits) - 1)
            }
            Code::Zeta(k) => {
                let h = self.unary()?;
                let bits = h.saturating_mul(k).saturating_add(k - 1);
                let low = self.fixed(bits)?;
                let left = 1u64 << (h * k);
                if low < left { Ok(low + left - 1) } else { Ok(2 * low + self.fixed(1)? - 1) }
            }
            Code::Nibble => {
                let mut value = 0u64;
                loop {
                    let last = self.fixed(1)? == 1;
                    value = value << 3 | self.fixed(3)?;
                    if last {
                        return Ok(value);
                    }
                    if value >> 56 != 0 {
                        return Err("a number of more than 56 bits".into());
                    }
                }
            }
        }
    }
}

/// 0, 1, 2, 3, 4 … → 0, −1, 1, −2, 2 …
fn signed(natural: u64) -> i64 {
    (natural >> 1) as i64 ^ -((natural & 1) as i64)
}

fn decode(bits: &mut Bits, properties: &Properties) -> Decoded<Csr> {
    let n = properties.nodes;
    // Each node costs a bit at least.
    if n as u64 > 8 * bits.bytes.len() as u64 {
        return Err(format!("{} bytes cannot hold {n} nodes", bits.bytes.len()));
    }
    let mut offsets = Vec::with_capacity(n + 1);
    offsets.push(0u64);
    let mut targets: Vec<u32> = Vec::new();
    // Where the lists of the window begin and end in `targets`.
    let mut window: VecDeque<std::ops::Range<usize>> = VecDeque::new();
    let mut list = Vec::new();
    for x in 0..n {
        list.clear();
        read_list(bits, properties, x, &window, &targets, &mut list)?;
        let start = targets.len();
        targets.extend_from_slice(&list);
        offsets.push(targets.len() as u64);
        window.push_front(start..targets.len());
        window.truncate(properties.window);
    }
    if targets.len() as u64 != properties.arcs {
        return Err(format!("{} arcs where the properties promise {}", targets.len(), properties.arcs));
    }
    let graph = Csr::new(offsets.into(), targets.into(), None);
    graph.map_err(|error| error.to_string())
}

fn read_list(
    bits: &mut Bits,
    p: &Properties,
    x: usize,
    window: &VecDeque<std::ops::Range<usize>>,
    targets: &[u32],
    list: &mut Vec<u32>,
) -> Decoded<()> {
    let n = p.nodes as u64;
    let degree = bits.read(p.outdegrees)?;
    if degree > n {
        return Err(format!("node {x} has {degree} successors"));
    }
    if degree == 0 {
        return Ok(());
    }
    let reference = if p.window > 0 { bits.read(p.references)? as usize } else { 0 };
    if reference > 0 {
        let copied =
            window.get(reference - 1).ok_or_else(|| format!("node {x} refers {reference} nodes back"))?;
        copy_blocks(bits, p, &targets[copied.clone()], list).map_err(|what| format!("node {x}: {what}"))?;
    }
    let mut extra =
        degree.checked_sub(list.len() as u64).ok_or_else(|| format!("node {x} copies too much"))?;
    let add = |value: i64, list: &mut Vec<u32>| {
        let inside = (0..n as i64).contains(&value);
        if inside {
            list.push(value as u32)
        } else {
            return Err(format!("node {x} has the successor {value}"));
        }
        Ok(())
    };
    if extra > 0 && p.min_interval > 0 {
        let count = bits.read(p.intervals)?;
        let mut left = x as i64;
        for i in 0..count {
            let gap = bits.read(p.intervals)?;
            left = left.saturating_add(if i == 0 { signed(gap) } else { gap as i64 + 1 });
            let length = bits.read(p.intervals)?.saturating_add(p.min_interval);
            extra = extra.checked_sub(length).ok_or_else(|| format!("node {x} has too long intervals"))?;
            for _ in 0..length {
                add(left, list)?;
                left += 1;
            }
        }
    }
    let mut last = x as i64;
    for i in 0..extra {
        let gap = bits.read(p.residuals)?;
        last = last.saturating_add(if i == 0 { signed(gap) } else { gap as i64 + 1 });
        add(last, list)?;
    }
    // Three ascending sequences; the lists are short.
    list.sort_unstable();
    Ok(())
}

/// Copies the even blocks of `from`; what follows the last block is copied if it was a skipped one.
fn copy_blocks(bits: &mut Bits, p: &Properties, from: &[u32], list: &mut Vec<u32>) -> Decoded<()> {
    let count = bits.read(p.block_counts)?;
    let mut at = 0usize;
    for block in 0..count {
        let length = bits.read(p.blocks)?.saturating_add(u64::from(block > 0));
        let end = at.saturating_add(length as usize);
        let run = from.get(at..end).ok_or("a block passes the end of its list")?;
        if block % 2 == 0 {
            list.extend_from_slice(run);
        }
        at = end;
    }
    if count % 2 == 0 {
        list.extend_from_slice(&from[at..]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::csr::Graph;
    use super::super::csr::tests::graphs;
    use super::*;
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
            let byte =
                |bits: &[bool]| (0..8).fold(0, |byte, i| byte << 1 | u8::from(bits.get(i) == Some(&true)));
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
}
