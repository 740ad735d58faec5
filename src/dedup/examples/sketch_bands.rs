//! What sketches, bands and the exact check cost: what `benches/peers/duplicates.py speed` compares with its peers.
//!
//! `sketch_bands HASHES STARTS TEXTS`: the 64-bit hashes of the distinct shingles of all texts, one after the other, and where
//! each text begins (one more than texts), both raw and little-endian; the texts, each behind its 32-bit length. Prints
//! JSON: CPU seconds of this thread for the sketches (128 values), for band hashes and their join without the check, and for the
//! check; the pairs checked and those with J ≥ .8; and CPU seconds to make fingerprints and bands of the texts themselves (`sign`).
use std::cell::Cell;

use webmill_dedup::{BandJoin, BandJoinOptions, BandShape, MinHasher, Sketch, text_bands};
use webmill_sort::Budget;

/// Least resemblance of a pair.
const BOUND: f64 = 0.8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(hashes), Some(starts), Some(stream)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: sketch_bands HASHES STARTS TEXTS".into());
    };
    let (hashes, starts) = (numbers(&std::fs::read(hashes)?), numbers(&std::fs::read(starts)?));
    let texts: Vec<&[u64]> = starts
        .windows(2)
        .map(|ends| hashes.get(ends[0] as usize..ends[1] as usize).ok_or("a text is out of range"))
        .collect::<Result<_, _>>()?;

    let begun = cpu_seconds();
    let mut hasher = MinHasher::default();
    let sketches: Vec<Option<Sketch>> = texts.iter().map(|text| hasher.sketch(text)).collect();
    let sketched = cpu_seconds();

    let sorted: Vec<Vec<u64>> = texts.iter().map(|text| sorted(text)).collect();
    let prepared = cpu_seconds();
    let shape = BandShape { bands: 16, rows: 8, words: 3 };
    let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(1 << 30).with_threads(1));
    let mut bands = Vec::new();
    for (text, sketch) in sketches.iter().enumerate() {
        if let Some(sketch) = sketch {
            bands.clear();
            shape.hash(sketch, &mut bands);
            join.push(text as u32, &bands)?;
        }
    }
    let (check, checked) = (Cell::new(0.0), Cell::new(0));
    let matches = join.run(|meetings, verdicts| {
        let begun = cpu_seconds();
        for (meeting, verdict) in meetings.iter().zip(verdicts) {
            let resemblance =
                resemblance(&sorted[meeting.representative as usize], &sorted[meeting.page as usize]);
            *verdict = (resemblance >= BOUND).then_some(resemblance as f32);
        }
        checked.set(checked.get() + meetings.len());
        check.set(check.get() + cpu_seconds() - begun);
        Ok(())
    })?;
    let mut pairs = 0;
    for found in matches {
        found?;
        pairs += 1;
    }
    let (sketch, joined, check) = (sketched - begun, cpu_seconds() - prepared - check.get(), check.get());
    let sort = prepared - sketched;
    println!(
        "{{\"sketch\": {sketch:.6}, \"bands\": {joined:.6}, \"check\": {:.6}, \"checked\": {}, \"pairs\": {pairs}, \"sign\": {:.6}}}",
        check + sort,
        checked.get(),
        sign(&std::fs::read(stream)?, &shape)?,
    );
    Ok(())
}

/// CPU seconds to make fingerprints and bands of texts, which extraction does as it goes.
fn sign(mut stream: &[u8], shape: &BandShape) -> Result<f64, Box<dyn std::error::Error>> {
    // The dictionary is loaded once in a run.
    text_bands("字典", shape);
    let begun = cpu_seconds();
    while let Some((length, rest)) = stream.split_first_chunk::<4>() {
        let (text, rest) =
            rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or("a text is cut short")?;
        std::hint::black_box(text_bands(std::str::from_utf8(text)?, shape));
        stream = rest;
    }
    Ok(cpu_seconds() - begun)
}

fn numbers(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect()
}

fn sorted(hashes: &[u64]) -> Vec<u64> {
    let mut hashes = hashes.to_vec();
    hashes.sort_unstable();
    hashes
}

fn resemblance(a: &[u64], b: &[u64]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        common += usize::from(a[i] == b[j]);
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}

/// CPU time of this thread, as Linux counts it.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns / 1e9)
}
