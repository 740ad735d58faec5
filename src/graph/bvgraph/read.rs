//! Lists of successors out of a stream of bits.

use super::bits::{Bits, DecodeResult};
use super::properties::Properties;
use super::with_extension;
use crate::csr::Csr;
use std::collections::VecDeque;
use std::path::Path;
use webmill_capture::error::{AtPath, Error, Result};

/// Reads `basename.graph` as its properties describe it.
///
/// # Errors
/// [`Error::Io`] for missing files, [`Error::Incompatible`] for another class of graph or code,
/// [`Error::Corrupt`] for bytes that are no such graph.
pub fn read_bvgraph(basename: impl AsRef<Path>) -> Result<Csr> {
    let properties = Properties::read(&with_extension(basename.as_ref(), ".properties"))?;
    let path = with_extension(basename.as_ref(), ".graph");
    let bytes = std::fs::read(&path).at(&path)?;
    let mut bits = Bits { bytes: &bytes, at: 0 };
    decode(&mut bits, &properties).map_err(|reason| Error::corrupt(&path, bits.at / 8, reason))
}

/// Bytes that reading a graph takes at most, by its properties.
///
/// # Errors
/// As [`read_bvgraph`].
pub fn estimate(basename: impl AsRef<Path>) -> Result<u64> {
    let properties = Properties::read(&with_extension(basename.as_ref(), ".properties"))?;
    let path = with_extension(basename.as_ref(), ".graph");
    let length = std::fs::metadata(&path).at(&path)?.len();
    // Half as much again, since the targets grow.
    Ok(length + 8 * properties.nodes as u64 + properties.arcs.saturating_mul(6))
}

/// 0, 1, 2, 3, 4 … → 0, −1, 1, −2, 2 …
fn signed(natural: u64) -> i64 {
    (natural >> 1) as i64 ^ -((natural & 1) as i64)
}

pub(super) fn decode(bits: &mut Bits, properties: &Properties) -> DecodeResult<Csr> {
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
        if targets.len() as u64 > properties.arcs {
            return Err(format!("more arcs than the {} that the properties promise", properties.arcs));
        }
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
) -> DecodeResult<()> {
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
fn copy_blocks(bits: &mut Bits, p: &Properties, from: &[u32], list: &mut Vec<u32>) -> DecodeResult<()> {
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
