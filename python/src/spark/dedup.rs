//! `dedup` by buckets and by connected pages.

use std::path::PathBuf;

use polars_arrow::array::{Array, ListArray, PrimitiveArray, StaticArray};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::offset::Offsets;
use pyo3::prelude::*;
use webmill_capture::Error;
use webmill_dedup::{BandShape, text_bands};
use webmill_jobs::dedup::Dedup;
use webmill_jobs::dedup::pieces::{self, PageFacts, Pair};

use super::{RecipeParts, numbers, recipe, text, texts, to_json};
use crate::arrow::{ArrowTable, Chunk, column, import};
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
    /// None yet; temporary files go into a folder of `temp`.
    #[new]
    fn new(settings: RecipeParts, temp: PathBuf) -> PyResult<Self> {
        let settings: Dedup = recipe(settings)?.settings().map_err(Fault::from)?;
        Ok(BucketJoin(Some(pieces::BucketJoin::new(&settings, &temp).map_err(Fault::from)?)))
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

    /// The near pairs (`first`, `later`, `common`, `of_first`, `of_later`), and the numbers of pages of which pairs may be missing.
    fn finish(&mut self, py: Python<'_>) -> PyResult<(ArrowTable, Vec<i64>)> {
        let join = self.0.take().ok_or_else(ended)?;
        let (pairs, cut) = py.detach(|| join.finish()).map_err(Fault::from)?;
        let numbers = |get: &dyn Fn(&Pair) -> i64| -> Chunk {
            PrimitiveArray::<i64>::from_vec(pairs.iter().map(get).collect()).boxed()
        };
        let table = ArrowTable::of(vec![
            ("first", numbers(&|pair| pair.first)),
            ("later", numbers(&|pair| pair.later)),
            ("common", numbers(&|pair| i64::from(pair.common))),
            ("of_first", numbers(&|pair| i64::from(pair.of_first))),
            ("of_later", numbers(&|pair| i64::from(pair.of_later))),
        ])?;
        Ok((table, cut))
    }
}

/// Pages that are connected by buckets and copies.
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

    /// Takes rows in the order of `id` and `what`: pages (0), then their texts with `bands` (1; null: they are signed here), then
    /// their places in buckets of close SimHashes (2), and known pairs with a `later` page (3).
    fn push(&mut self, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let connected = self.0.as_mut().ok_or_else(ended)?;
        for chunk in import(table)? {
            let number = |name| numbers(&*chunk, name);
            let (ids, whats, buckets, laters) =
                (number("id")?, number("what")?, number("bucket")?, number("later")?);
            let (common, of_first, of_later) = (number("common")?, number("of_first")?, number("of_later")?);
            let (times, lengths, words) = (number("time_ms")?, number("length")?, number("words")?);
            let (simhashes, offsets) = (number("simhash")?, number("offset")?);
            let strings = |name| texts(&*chunk, name);
            let (urls, digests, text_digests) =
                (strings("url")?, strings("digest")?, strings("text_digest")?);
            let (shards, bodies) = (strings("shard")?, strings("text")?);
            let bands = column(&*chunk, "bands")?.as_any().downcast_ref::<ListArray<i32>>();
            let bands = bands.ok_or_else(|| config("column \"bands\" holds no lists"))?;
            for row in 0..chunk.len() {
                let id = ids.value(row);
                let taken = match whats.value(row) {
                    0 => {
                        let digest = text_digests.get(row).map(|_| text(&text_digests, row)).transpose()?;
                        let facts = PageFacts {
                            url: text(&urls, row)?,
                            time_ms: times.get(row),
                            digest: digests.get(row).map(|_| text(&digests, row)).transpose()?,
                            length: lengths.value(row) as u64,
                            text: digest
                                .and_then(|digits| u128::from_str_radix(digits, 16).ok())
                                .unwrap_or(0),
                            simhash: simhashes.get(row).map(|simhash| simhash as u64),
                            words: u32::try_from(words.value(row)).unwrap_or(u32::MAX),
                            place: (text(&shards, row)?, offsets.value(row)),
                        };
                        connected.page(id, &facts)
                    }
                    1 => {
                        let stored = bands.is_valid(row).then(|| bands.value(row));
                        let stored = stored.as_ref().and_then(|list| list.as_any().downcast_ref());
                        let stored = stored.map(|list: &PrimitiveArray<i64>| {
                            list.values_iter().map(|band| *band as u64).collect::<Vec<_>>()
                        });
                        connected.text(id, text(&bodies, row)?, stored.as_deref())
                    }
                    2 => connected.close(buckets.value(row) as u64, id),
                    _ => {
                        let count = |column: &PrimitiveArray<i64>| column.value(row) as u32;
                        connected.pair(Pair {
                            first: id,
                            later: laters.value(row),
                            common: count(common),
                            of_first: count(of_first),
                            of_later: count(of_later),
                        });
                        Ok(())
                    }
                };
                taken.map_err(Fault::from)?;
            }
        }
        Ok(())
    }

    /// Writes tables `duplicates` and `clusters` into a folder; gives the pages that represent clusters, by the clusters' numbers,
    /// the later pages of pairs by bands, and the pages of which pairs may be missing.
    fn write(&mut self, py: Python<'_>, out: PathBuf) -> PyResult<(Vec<i64>, Vec<i64>, Vec<i64>)> {
        let connected = self.0.take().ok_or_else(ended)?;
        let found = py.detach(|| connected.write(&out)).map_err(Fault::from)?;
        Ok((found.representatives, found.later, found.cut))
    }
}

fn ended() -> PyErr {
    Fault::from(Error::Internal("it has ended".into())).into()
}
