//! Kernels of `count`: map sides and reduce sides.

use polars_arrow::array::{Array, BinaryArray, Utf8Array};
use pyo3::prelude::*;
use webmill_capture::CanonicalUrl;
use webmill_jobs::count::host_terms::HostText;
use webmill_jobs::count::pieces::{self, Row};

use super::{RecipeParts, numbers, recipe, text, texts};
use crate::arrow::{ArrowTable, Strings, import};
use crate::fault::Fault;

/// A pair of key and value.
type Pair = (Vec<u8>, Vec<u8>);

/// A kernel of `count`, and pairs of the key that its reduce side is at.
#[pyclass(module = "webmill")]
pub struct Kernel {
    kernel: pieces::Kernel,
    held: Vec<Pair>,
}

#[pymethods]
impl Kernel {
    /// The kernel of a kind: words, backlinks, anchors, host-words, host-terms (with the texts of the corpus).
    #[new]
    #[pyo3(signature = (kind, settings, texts = 0.0))]
    fn new(kind: &str, settings: RecipeParts, texts: f64) -> PyResult<Self> {
        let kernel = pieces::Kernel::new(kind, &recipe(settings)?, texts).map_err(Fault::from)?;
        Ok(Kernel { kernel, held: Vec::new() })
    }

    /// The pairs of rows, combined as far as they are: `key`, `value`.
    fn map(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<ArrowTable> {
        let chunks = import(table)?;
        let (mut keys, mut values) = (Vec::<Vec<u8>>::new(), Vec::<Vec<u8>>::new());
        for chunk in &chunks {
            let rows = rows(&self.kernel, &**chunk)?;
            py.detach(|| {
                self.kernel.map(rows.into_iter(), |key, value| {
                    keys.push(key.to_vec());
                    values.push(value.to_vec());
                });
            });
        }
        let column = |bytes: &[Vec<u8>]| BinaryArray::<i32>::from_iter_values(bytes.iter()).boxed();
        ArrowTable::of(vec![("key", column(&keys)), ("value", column(&values))])
    }

    /// What follows from pairs (`key`, `value`) in the order of their bytes, but for the last key, which may go on.
    fn reduce(&mut self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<ArrowTable> {
        let mut pairs = std::mem::take(&mut self.held);
        for chunk in import(table)? {
            let (keys, values) = (texts(&*chunk, "key")?, texts(&*chunk, "value")?);
            let bytes = |column: Strings<'_>, row| column.get(row).unwrap_or_default().to_vec();
            pairs.extend((0..chunk.len()).map(|row| (bytes(keys, row), bytes(values, row))));
        }
        let last = pairs.last().map(|pair| pair.0.clone()).unwrap_or_default();
        let ended = pairs.partition_point(|pair| pair.0 < last);
        self.held = pairs.split_off(ended);
        self.made(py, pairs)
    }

    /// What follows from the last key.
    fn finish(&mut self, py: Python<'_>) -> PyResult<ArrowTable> {
        let pairs = std::mem::take(&mut self.held);
        self.made(py, pairs)
    }
}

impl Kernel {
    fn made(&self, py: Python<'_>, pairs: Vec<Pair>) -> PyResult<ArrowTable> {
        let made = py.detach(|| self.kernel.reduce(pairs.into_iter())).map_err(Fault::from)?;
        ArrowTable::of(made)
    }
}

/// The rows of a table as a kernel takes them.
fn rows<'a>(kernel: &pieces::Kernel, chunk: &'a dyn Array) -> PyResult<Vec<Row<'a>>> {
    let strings = |name| texts(chunk, name);
    let all = 0..chunk.len();
    match kernel {
        pieces::Kernel::Words(_) => {
            let column = strings("text")?;
            all.map(|row| Ok(Row::Text(text(&column, row)?))).collect()
        }
        pieces::Kernel::Backlinks(..) | pieces::Kernel::Anchors(..) => {
            let (sources, targets) = (strings("source_url")?, strings("target_url")?);
            let (anchors, kinds) = (strings("anchor")?, strings("kind")?);
            let link = |row| {
                Ok(Row::Link {
                    source: text(&sources, row)?,
                    target: text(&targets, row)?,
                    anchor: text(&anchors, row)?,
                    kind: text(&kinds, row)?,
                })
            };
            all.map(link).collect()
        }
        pieces::Kernel::HostWords => {
            let (hosts, languages, column) = (strings("host")?, strings("language")?, strings("text")?);
            let page = |row| {
                let language = languages.get(row).map(|_| text(&languages, row)).transpose()?;
                Ok(Row::HostText(HostText { host: text(&hosts, row)?, language, text: text(&column, row)? }))
            };
            all.map(page).collect()
        }
        pieces::Kernel::HostTerms(..) => {
            let (hosts, words) = (strings("host")?, strings("word")?);
            let (tf, df) = (numbers(chunk, "tf")?, numbers(chunk, "df")?);
            let word = |row| {
                let counts = (tf.value(row) as u64, df.value(row) as u64);
                Ok(Row::Word { host: text(&hosts, row)?, word: text(&words, row)?, counts })
            };
            all.map(word).collect()
        }
    }
}

/// SURT form and host of URLs (column `url`), null for what is none; names of hosts have their own SURT form.
#[pyfunction]
#[pyo3(signature = (table, parse = true))]
pub fn link_targets(table: &Bound<'_, PyAny>, parse: bool) -> PyResult<ArrowTable> {
    let (mut urls, mut surts, mut hosts) = (Vec::new(), Vec::new(), Vec::new());
    for chunk in import(table)? {
        let column = texts(&*chunk, "url")?;
        for row in 0..chunk.len() {
            let url = text(&column, row)?;
            let found = if parse { CanonicalUrl::parse(url) } else { CanonicalUrl::parse_stored(url) };
            urls.push(found.as_ref().map(|url| url.as_str().to_owned()));
            surts.push(found.as_ref().map(CanonicalUrl::surt));
            hosts.push(found.as_ref().map(|url| url.host().to_owned()));
        }
    }
    let column = |texts: Vec<Option<String>>| texts.into_iter().collect::<Utf8Array<i32>>().boxed();
    ArrowTable::of(vec![("canonical", column(urls)), ("surt", column(surts)), ("host", column(hosts))])
}
