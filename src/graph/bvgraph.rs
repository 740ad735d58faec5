//! Reading graphs in the BVGraph format of the WebGraph framework: `NAME.graph`, `NAME.properties`.
//!
//! **Format.** A stream of bits, the most significant first. Of each node: its outdegree; unless that is 0, the reference r (how many
//! nodes back lies the list it copies from, 0 for none); if r > 0, the blocks of that list that are copied and skipped by turns;
//! intervals of consecutive successors; the residual successors as gaps. Each part has its own instantaneous code, named in the
//! properties. Offsets are not needed, since lists are read in order.
//!
//! **Cost.** One pass; the window of lists that may be referred to, and the graph itself. Every count is checked against what
//! can still be true, so a damaged file is an error and costs no memory.
//!
//! **Reference.** P. Boldi, S. Vigna, The WebGraph framework I: compression techniques, WWW 2004, doi:10.1145/988672.988752.

use super::csr::Csr;
use crate::error::{AtPath, Error, Result};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// Reads `basename.graph` as its properties describe it.
///
/// # Errors
/// [`Error::Io`] for missing files, [`Error::Incompatible`] for another class of graph or code, [`Error::Corrupt`] for bytes
/// that are no such graph.
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
