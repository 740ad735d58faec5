//! Fingerprints of texts, and which texts are nearly the same.

use std::collections::{HashMap, HashSet};

use polars_arrow::array::{PrimitiveArray, Utf8Array};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use webmill_capture::Error;
use webmill_dedup::{
    BandChoice, BandJoin, BandJoinOptions, BandShape, Clusters, CopyClasses, ExactPair, Fingerprint, Meeting,
    MinHasher, NearPair, Same, Shingles, TextDigest, near_buckets, text_bands,
};
use webmill_run::Cancel;
use webmill_sort::Budget;

use crate::arrow::{ArrowTable, Chunk, Strings, values};
use crate::fault::{Fault, Result, config};
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
    let chunks = values(texts)?;
    if chunks.iter().any(|chunk| Strings::of(&**chunk).is_none()) {
        return Err(PyTypeError::new_err("texts are strings"));
    }
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
    let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(MEMORY));
    for (i, text) in (0..).zip(&texts) {
        stop.check()?;
        if classes.head(i) == i {
            join.push(i, &text_bands(text, shape).unwrap_or_default())?;
        }
    }
    let words = shape.words as usize;
    let similar = |a: u32, b: u32| {
        let of = |i: u32| Shingles::of(&texts[i as usize], words);
        let found = of(a).resemblance(&of(b));
        (found >= least).then_some(found as f32)
    };
    let verify = |meetings: &[Meeting], verdicts: &mut [Option<f32>]| {
        stop.check()?;
        for (meeting, verdict) in meetings.iter().zip(verdicts) {
            *verdict = similar(meeting.representative, meeting.page);
        }
        Ok(())
    };
    let pair = |found: webmill_dedup::BandMatch| NearPair {
        later: found.page,
        first: found.representative,
        similarity: found.similarity,
    };
    let mut near: Vec<NearPair> =
        join.run(verify)?.map(|found| found.map(pair)).collect::<std::result::Result<_, Error>>()?;
    if let Some(bits) = bits {
        // As `webmill dedup` does it: SimHash is asked about what bands brought together with nothing before it.
        let later: HashSet<u32> = near.iter().map(|pair| pair.later).collect();
        let heads = (0..texts.len() as u32).filter(|i| classes.head(*i) == *i && !later.contains(i));
        let of = |i: u32| webmill_dedup::simhash(&texts[i as usize]).map(|simhash| (i, simhash));
        let (numbers, simhashes): (Vec<u32>, Vec<Fingerprint>) = heads.filter_map(of).unzip();
        let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(MEMORY));
        near_buckets(&simhashes, bits, &Budget::new(MEMORY), |bucket, i| {
            join.push(numbers[i as usize], &[bucket])
        })?;
        // One word, once or a thousand times, is no near-duplicate of anything.
        let says_something = |i: u32| Shingles::of(&texts[i as usize], words).len() > 1;
        let found = join.run(|meetings: &[Meeting], verdicts: &mut [Option<f32>]| {
            verify(meetings, verdicts)?;
            for (meeting, verdict) in meetings.iter().zip(verdicts) {
                *verdict = verdict.filter(|_| says_something(meeting.representative));
            }
            Ok(())
        })?;
        let found = found.map(|found| found.map(pair));
        near.extend(found.collect::<std::result::Result<Vec<_>, Error>>()?);
    }
    near.sort_by_key(|pair| (pair.later, pair.first));
    Ok(Clusters::of(&classes, &near, Some(|a, b| stop.check().map(|()| similar(a, b))))?)
}
