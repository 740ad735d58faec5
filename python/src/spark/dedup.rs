//! `dedup` by buckets and by connected pages.

use std::path::PathBuf;

use polars_arrow::array::{BinaryArray, ListArray, PrimitiveArray, StaticArray};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::offset::Offsets;
use pyo3::prelude::*;
use webmill_capture::Error;
use webmill_dedup::{BandShape, KeepPolicy, text_bands};
use webmill_jobs::dedup::Dedup;
use webmill_jobs::dedup::pieces::{self, PageFacts, Pair};

use super::{RecipeParts, numbers, recipe, text, texts, to_json};
use crate::arrow::{ArrowTable, Chunk, import};
use crate::fault::{Fault, config};

/// The settings of the recipe's table `[dedup]`: as JSON with the shape of the bands and whether these are relied on, and whether its bands are those that `extract` stores.
#[pyfunction]
pub fn dedup_settings(settings: RecipeParts) -> PyResult<(String, bool)> {
    let settings: Dedup = recipe(settings)?.settings().map_err(Fault::from)?;
    let shape = settings.shape();
    let mut told =
        serde_json::to_value(&settings).map_err(|e| Error::Internal(e.to_string())).map_err(Fault::from)?;
    told["bands"] = shape.to_string().into();
    told["relied_on"] = shape.is_enough_for(settings.min_resemblance).into();
    Ok((to_json(&told)?, shape == BandShape::default()))
}

/// Bytes that sort as pages (columns `url`, `time_ms`, `words`) do in the order of what to keep: column `order`.
#[pyfunction]
pub fn order_keys(table: &Bound<'_, PyAny>, keep: &str) -> PyResult<ArrowTable> {
    let policy = KeepPolicy::of_name(keep);
    let policy =
        policy.ok_or_else(|| config(format!("keep = {keep:?}: earliest and longest are possible")))?;
    let mut keys = Vec::new();
    for chunk in import(table)? {
        let urls = texts(&*chunk, "url")?;
        let (times, words) = (numbers(&*chunk, "time_ms")?, numbers(&*chunk, "words")?);
        for row in 0..chunk.len() {
            let words = u32::try_from(words.value(row)).unwrap_or(u32::MAX);
            let key = pieces::order_key(policy, text(&urls, row)?, times.get(row), words);
            keys.push(key.map_err(Fault::from)?);
        }
    }
    ArrowTable::of(vec![("order", BinaryArray::<i32>::from_iter_values(keys.iter()).boxed())])
}

/// The MinHash bands of texts (column `text`), as numbers with a sign: column `bands`, empty without two different words.
#[pyfunction]
pub fn bands_of(py: Python<'_>, table: &Bound<'_, PyAny>, shape: &str) -> PyResult<ArrowTable> {
    let shape: BandShape = shape.parse().map_err(Fault::from)?;
    let (mut bands, mut lengths) = (Vec::<i64>::new(), Vec::new());
    for chunk in import(table)? {
        let column = texts(&*chunk, "text")?;
        for row in 0..chunk.len() {
            let text = text(&column, row)?;
            let found = py.detach(|| text_bands(text, &shape)).unwrap_or_default();
            bands.extend(found.iter().map(|band| *band as i64));
            lengths.push(found.len());
        }
    }
    let offsets = Offsets::<i32>::try_from_lengths(lengths.into_iter()).map_err(crate::arrow::failed)?;
    let item = Field::new("item".into(), ArrowDataType::Int64, true);
    let values = PrimitiveArray::from_vec(bands).boxed();
    let list = ListArray::<i32>::try_new(ArrowDataType::List(Box::new(item)), offsets.into(), values, None);
    ArrowTable::of(vec![("bands", list.map_err(crate::arrow::failed)?.boxed())])
}

/// Buckets of pages (`id`, `simhash`, in the order of `id`) whose SimHashes are close: `bucket`, `id`; and whether there were
/// more than are looked at.
#[pyfunction]
pub fn close_buckets(
    py: Python<'_>,
    settings: RecipeParts,
    table: &Bound<'_, PyAny>,
) -> PyResult<(ArrowTable, bool)> {
    let settings: Dedup = recipe(settings)?.settings().map_err(Fault::from)?;
    let (mut ids, mut simhashes) = (Vec::<i64>::new(), Vec::<u64>::new());
    for chunk in import(table)? {
        let (of_pages, values) = (numbers(&*chunk, "id")?, numbers(&*chunk, "simhash")?);
        ids.extend((0..chunk.len()).map(|row| of_pages.value(row)));
        simhashes.extend((0..chunk.len()).map(|row| values.value(row) as u64));
    }
    let (buckets, cut) = py.detach(|| pieces::close_buckets(&settings, &simhashes)).map_err(Fault::from)?;
    let column = |get: &dyn Fn(&(u64, u32)) -> i64| -> Chunk {
        PrimitiveArray::<i64>::from_vec(buckets.iter().map(get).collect()).boxed()
    };
    let table = ArrowTable::of(vec![
        ("bucket", column(&|entry| entry.0 as i64)),
        ("id", column(&|entry| ids[entry.1 as usize])),
    ])?;
    Ok((table, cut))
}

/// The pages of buckets.
#[pyclass(module = "webmill")]
pub struct BucketJoin(Option<pieces::BucketJoin>);

#[pymethods]
impl BucketJoin {
    /// None yet; temporary files go into a folder of `temp`. `is_close`: buckets are those of close SimHashes.
    #[new]
    fn new(settings: RecipeParts, is_close: bool, temp: PathBuf) -> PyResult<Self> {
        let settings: Dedup = recipe(settings)?.settings().map_err(Fault::from)?;
        Ok(BucketJoin(Some(pieces::BucketJoin::new(&settings, is_close, &temp).map_err(Fault::from)?)))
    }

    /// Takes rows (`id`, `bucket`, `text`) in the order of `id`.
    fn push(&mut self, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let join = self.0.as_mut().ok_or_else(ended)?;
        for chunk in import(table)? {
            let (ids, buckets) = (numbers(&*chunk, "id")?, numbers(&*chunk, "bucket")?);
            let column = texts(&*chunk, "text")?;
            for row in 0..chunk.len() {
                let taken = join.push(buckets.value(row) as u64, ids.value(row), text(&column, row)?);
                taken.map_err(Fault::from)?;
            }
        }
        Ok(())
    }

    /// The near pairs (`first`, `later`, `common`, `of_first`, `of_later`, `is_close` as 0 or 1), totals as JSON, and the numbers of pages
    /// of which pairs may be missing.
    fn finish(&mut self, py: Python<'_>) -> PyResult<(ArrowTable, u64, Vec<i64>)> {
        let join = self.0.take().ok_or_else(ended)?;
        let (pairs, totals, cut) = py.detach(|| join.finish()).map_err(Fault::from)?;
        let numbers = |get: &dyn Fn(&Pair) -> i64| -> Chunk {
            PrimitiveArray::<i64>::from_vec(pairs.iter().map(get).collect()).boxed()
        };
        let table = ArrowTable::of(vec![
            ("first", numbers(&|pair| pair.first)),
            ("later", numbers(&|pair| pair.later)),
            ("common", numbers(&|pair| i64::from(pair.common))),
            ("of_first", numbers(&|pair| i64::from(pair.of_first))),
            ("of_later", numbers(&|pair| i64::from(pair.of_later))),
            ("is_close", numbers(&|pair| i64::from(pair.is_close))),
        ])?;
        Ok((table, totals.verifications, cut))
    }
}

/// Pages that are connected by pairs and copies.
#[pyclass(module = "webmill")]
pub struct Connected(Option<pieces::Connected>);

#[pymethods]
impl Connected {
    /// None yet; temporary files go into a folder of `temp`.
    #[new]
    fn new(settings: RecipeParts, temp: PathBuf) -> PyResult<Self> {
        let settings: Dedup = recipe(settings)?.settings().map_err(Fault::from)?;
        Ok(Connected(Some(pieces::Connected::new(&settings, &temp).map_err(Fault::from)?)))
    }

    /// Takes rows in the order of `id`: those with a `later` page are pairs, with `id` as the first page; others are pages.
    fn push(&mut self, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let connected = self.0.as_mut().ok_or_else(ended)?;
        for chunk in import(table)? {
            let number = |name| numbers(&*chunk, name);
            let (ids, laters) = (number("id")?, number("later")?);
            let (common, of_first, of_later) = (number("common")?, number("of_first")?, number("of_later")?);
            let is_close = number("is_close")?;
            let (times, lengths, words) = (number("time_ms")?, number("length")?, number("words")?);
            let (simhashes, offsets) = (number("simhash")?, number("offset")?);
            let strings = |name| texts(&*chunk, name);
            let (urls, digests, text_digests) =
                (strings("url")?, strings("digest")?, strings("text_digest")?);
            let (shards, bodies) = (strings("shard")?, strings("text")?);
            for row in 0..chunk.len() {
                if let Some(later) = laters.get(row) {
                    let count = |column: &PrimitiveArray<i64>| column.value(row) as u32;
                    connected.pair(Pair {
                        first: ids.value(row),
                        later,
                        common: count(common),
                        of_first: count(of_first),
                        of_later: count(of_later),
                        is_close: count(is_close) == 1,
                    });
                    continue;
                }
                let digest = text_digests.get(row).map(|_| text(&text_digests, row)).transpose()?;
                let facts = PageFacts {
                    url: text(&urls, row)?,
                    time_ms: times.get(row),
                    digest: digests.get(row).map(|_| text(&digests, row)).transpose()?,
                    length: lengths.value(row) as u64,
                    text: digest.and_then(|digits| u128::from_str_radix(digits, 16).ok()).unwrap_or(0),
                    simhash: simhashes.get(row).map(|simhash| simhash as u64),
                    words: u32::try_from(words.value(row)).unwrap_or(u32::MAX),
                    place: (text(&shards, row)?, offsets.value(row)),
                };
                let body = bodies.get(row).map(|_| text(&bodies, row)).transpose()?;
                connected.page(ids.value(row), &facts, body).map_err(Fault::from)?;
            }
        }
        Ok(())
    }

    /// Writes tables `duplicates` and `clusters` into a folder.
    fn write(&mut self, py: Python<'_>, out: PathBuf) -> PyResult<()> {
        let connected = self.0.take().ok_or_else(ended)?;
        Ok(py.detach(|| connected.write(&out)).map_err(Fault::from)?)
    }
}

fn ended() -> PyErr {
    Fault::from(Error::Internal("it has ended".into())).into()
}
