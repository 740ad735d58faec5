//! Fingerprints of texts, and which texts are nearly the same.

use std::collections::{HashMap, HashSet};

use polars_arrow::array::{PrimitiveArray, Utf8Array};
use pyo3::prelude::*;
use webmill_capture::Error;
use webmill_dedup::{
    BandChoice, BandJoin, BandJoinOptions, BandShape, Clusters, CopyClasses, ExactPair, Fingerprint, Meeting,
    MinHasher, NearPair, Same, Shingles, TextDigest, near_buckets, text_bands,
};
use webmill_run::Cancel;
use webmill_sort::Budget;

use crate::arrow::{ArrowTable, Chunk, Strings};
use crate::fault::{Fault, Result, config};
use crate::learn::strings;
use crate::wait::apart;

/// Bytes that the search for candidates may take.
const MEMORY: usize = 256 << 20;

/// SimHash of a text over 3-word shingles, 64 bits; `None` for a text without words.
#[pyfunction]
pub fn simhash(py: Python<'_>, text: &str) -> Option<i64> {
    py.detach(|| webmill_dedup::simhash(text)).map(|fingerprint| fingerprint.0 as i64)
}

/// MinHash of the set of shingles of a text; `None` for a text without words.
#[pyfunction]
#[pyo3(signature = (text, num_values = 128, words = 3))]
pub fn minhash(py: Python<'_>, text: &str, num_values: usize, words: usize) -> PyResult<Option<Vec<u64>>> {
    if !(1..=webmill_dedup::MAX_MINHASH_VALUES).contains(&num_values) || words == 0 {
        let most = webmill_dedup::MAX_MINHASH_VALUES;
        return Err(config(format!("num_values from 1 to {most} and words from 1 are needed")));
    }
    Ok(py.detach(|| {
        let shingles = Shingles::of(text, words);
        let sketch = MinHasher::new(num_values).sketch(shingles.hashes());
        sketch.map(|sketch| sketch.values().to_vec())
    }))
}

/// Which texts are copies of others, or nearly: for each the first of its cluster.
#[pyfunction]
#[pyo3(signature = (texts, resemblance = 0.8, bands = "auto", simhash_bits = Some(3)))]
pub fn near_duplicates(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    resemblance: f64,
    bands: &str,
    simhash_bits: Option<u32>,
) -> PyResult<ArrowTable> {
    if !(0.0..=1.0).contains(&resemblance) {
        return Err(config(format!("resemblance {resemblance} is not within 0..=1")));
    }
    if simhash_bits.is_some_and(|bits| bits > 7) {
        return Err(config("simhash_bits from 0 to 7 are possible, or None"));
    }
    let shape = bands.parse::<BandChoice>().map_err(Fault::from)?.shape(resemblance);
    let chunks = strings(texts, "texts")?;
    let clusters = apart(py, move |stop| cluster(&chunks, resemblance, (&shape, simhash_bits), stop))??;
    let members = &clusters.members;
    let numbers = |get: &dyn Fn(usize) -> u64| -> Chunk {
        PrimitiveArray::<u64>::from_vec((0..members.len()).map(get).collect()).boxed()
    };
    ArrowTable::of(vec![
        ("index", numbers(&|i| i as u64)),
        ("representative", numbers(&|i| u64::from(members[i].representative))),
        ("kind", Utf8Array::<i64>::from_iter_values(members.iter().map(|m| m.joined.name())).boxed()),
        (
            "resemblance",
            PrimitiveArray::<f32>::from_vec(members.iter().map(|m| m.similarity).collect()).boxed(),
        ),
    ])
}

fn cluster(
    chunks: &[Chunk],
    least: f64,
    (shape, bits): (&BandShape, Option<u32>),
    stop: &Cancel,
) -> Result<Clusters> {
    let mut texts: Vec<std::borrow::Cow<'_, str>> = Vec::new();
    for chunk in chunks {
        let Some(column) = Strings::of(&**chunk) else { continue };
        texts.extend((0..chunk.len()).map(|i| String::from_utf8_lossy(column.get(i).unwrap_or_default())));
    }
    if u32::try_from(texts.len()).is_err() {
        return Err(Error::Limit(format!("{} texts: more than 32 bits can number", texts.len())).into());
    }
    // Copies: texts that differ in case and white space at most. Each is paired with the first of its kind.
    let (mut firsts, mut copies) = (HashMap::new(), Vec::new());
    for (i, text) in (0..).zip(&texts) {
        stop.check()?;
        let Some(digest) = TextDigest::of(text) else { continue };
        let first = *firsts.entry(digest).or_insert(i);
        if first != i {
            copies.push(ExactPair { a: first, b: i, same: Same::Text });
        }
    }
    let classes = CopyClasses::of(texts.len(), copies.into_iter().map(Ok))?;
    let similar = |a: u32, b: u32| {
        let of = |i: u32| Shingles::of(&texts[i as usize], shape.words as usize);
        let (a, b) = (of(a), of(b));
        let found = a.resemblance(&b);
        // One word, once or a thousand times, is no near-duplicate of anything.
        (found >= least && a.len() > 1).then_some(found as f32)
    };
    let heads: Vec<u32> = (0..texts.len() as u32).filter(|i| classes.head(*i) == *i).collect();
    let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(MEMORY));
    for &i in &heads {
        stop.check()?;
        join.push(i, &text_bands(&texts[i as usize], shape).unwrap_or_default())?;
    }
    let mut near = joined(join, similar, stop)?;
    if let Some(bits) = bits {
        // As `webmill dedup` does it: where bands are enough, what they bring together needs no second look.
        let known = near.iter().filter(|_| shape.is_enough_for(least));
        let later: HashSet<u32> = known.map(|pair| pair.later).collect();
        let of = |i: &u32| Some((*i, webmill_dedup::simhash(&texts[*i as usize])?));
        let (numbers, simhashes): (Vec<u32>, Vec<Fingerprint>) =
            heads.iter().filter(|i| !later.contains(i)).filter_map(of).unzip();
        let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(MEMORY));
        near_buckets(&simhashes, bits, &Budget::new(MEMORY), |bucket, i| {
            join.push(numbers[i as usize], &[bucket])
        })?;
        near.extend(joined(join, similar, stop)?);
    }
    near.sort_by_key(|pair| (pair.later, pair.first));
    near.dedup_by_key(|pair| (pair.later, pair.first));
    Ok(Clusters::of(&classes, &near, Some(|a, b| stop.check().map(|()| similar(a, b))))?)
}

/// The pairs of a join that are similar.
fn joined(join: BandJoin, similar: impl Fn(u32, u32) -> Option<f32>, stop: &Cancel) -> Result<Vec<NearPair>> {
    let found = join.run(|meetings: &[Meeting], verdicts: &mut [Option<f32>]| {
        stop.check()?;
        for (meeting, verdict) in meetings.iter().zip(verdicts) {
            *verdict = similar(meeting.representative, meeting.page);
        }
        Ok(())
    })?;
    let pair = |found: webmill_dedup::BandMatch| NearPair {
        later: found.page,
        first: found.representative,
        similarity: found.similarity,
    };
    Ok(found.map(|found| found.map(pair)).collect::<std::result::Result<_, Error>>()?)
}
