//! Main text of pages, one at a time or whole columns on all cores.

use std::sync::Arc;

use polars_arrow::array::{PrimitiveArray, Utf8Array};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use rayon::prelude::*;
use webmill_capture::Error;
use webmill_jobs::page_text::{self, PageFacts, TextOptions, shown_name};
use webmill_run::Cancel;
use webmill_text::{About, FieldValue};

use crate::arrow::{ArrowTable, Chunk, Strings, collected, column, field_of, import, structure};
use crate::fault::{Fault, Result, config};
use crate::learn::lists;
use crate::wait::apart;

/// Rows of a chunk of output, and pages worked on between two looks at signals.
const WINDOW: usize = 512;
/// Bytes of a page that may take so long that Ctrl-C is looked for meanwhile.
const LARGE: usize = 256 << 10;
/// What says that characters, whatever a page declares, come as UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads pages by options, which come as an object of JSON with the fields of [`TextOptions`].
#[pyclass(frozen, module = "webmill")]
pub struct PageReader(Arc<page_text::PageReader>);

/// What a page says, or why it says nothing, by the number of its row.
type Row = (u64, std::result::Result<PageFacts, String>);

#[pymethods]
impl PageReader {
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        let options: TextOptions = serde_json::from_str(options).map_err(|e| config(e.to_string()))?;
        let reader = page_text::PageReader::new(options).map_err(Fault::from)?;
        Ok(PageReader(Arc::new(reader)))
    }

    /// The page in the form that the options ask for: an entry, or one an item of a feed.
    #[pyo3(signature = (page, url = None))]
    fn written(&self, py: Python<'_>, page: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Vec<String>> {
        let bytes = bytes_of(page)?;
        let reader = Arc::clone(&self.0);
        let written = match bytes.len() {
            ..=LARGE => py.detach(|| reader.written(bytes, url.as_deref())),
            _ => apart(py, move |_| reader.written(bytes, url.as_deref()))?,
        };
        Ok(written.map_err(Fault::from)?)
    }

    /// What the pages of a column say, on all cores.
    #[pyo3(signature = (table, html, url = None, full = false))]
    fn batch(
        &self,
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        html: &str,
        url: Option<&str>,
        full: bool,
    ) -> PyResult<ArrowTable> {
        let chunks = import(&collected(table)?)?;
        for chunk in &chunks {
            for name in [Some(html), url].into_iter().flatten() {
                if Strings::of(column(&**chunk, name)?).is_none() {
                    return Err(PyTypeError::new_err(format!("column {name:?} holds no strings or bytes")));
                }
            }
        }
        let (html, url) = (html.to_owned(), url.map(str::to_owned));
        let reader = Arc::clone(&self.0);
        let chunks = apart(py, move |stop| all(&reader, &chunks, &html, url.as_deref(), full, stop))??;
        let empty = columns(&[], full)?;
        Ok(ArrowTable { field: field_of(empty.dtype().clone()), chunks })
    }
}

fn bytes_of(page: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = page.cast::<PyString>() {
        return Ok([MARK, text.to_str()?.as_bytes()].concat());
    }
    let bytes = page.cast::<PyBytes>().map_err(|_| PyTypeError::new_err("a page is bytes or str"))?;
    Ok(bytes.as_bytes().to_vec())
}

fn all(
    reader: &page_text::PageReader,
    chunks: &[Chunk],
    html: &str,
    url: Option<&str>,
    full: bool,
    stop: &Cancel,
) -> Result<Vec<Chunk>> {
    let mut out = Vec::new();
    let mut first = 0;
    for chunk in chunks {
        let of = |name: &str| Strings::of(column(&**chunk, name).ok()?);
        let Some(pages) = of(html) else { continue };
        let urls = url.and_then(of);
        for begin in (0..chunk.len()).step_by(WINDOW) {
            let rows = begin..(begin + WINDOW).min(chunk.len());
            let read = |i: usize| match stop.stopped() {
                true => Vec::new(),
                false => {
                    one(reader, pages, urls, i).into_iter().map(|row| ((first + i) as u64, row)).collect()
                }
            };
            let rows: Vec<Vec<Row>> = rows.into_par_iter().with_max_len(1).map(read).collect();
            let rows: Vec<Row> = rows.into_iter().flatten().collect();
            stop.check()?;
            out.push(columns(&rows, full)?);
        }
        first += chunk.len();
    }
    Ok(out)
}

fn one(
    reader: &page_text::PageReader,
    pages: Strings<'_>,
    urls: Option<Strings<'_>>,
    i: usize,
) -> Vec<std::result::Result<PageFacts, String>> {
    let Some(page) = pages.get(i) else { return vec![Err("no page: null".to_owned())] };
    let bytes = if pages.is_text() { [MARK, page].concat() } else { page.to_vec() };
    let url = urls.and_then(|urls| urls.get(i)).and_then(|url| std::str::from_utf8(url).ok());
    match reader.facts(bytes, url.filter(|url| !url.is_empty())) {
        Ok(facts) => facts.into_iter().map(Ok).collect(),
        Err(refusal) => vec![Err(format!("{refusal:#}"))],
    }
}

fn columns(rows: &[Row], full: bool) -> Result<Chunk> {
    let facts = || rows.iter().map(|(_, row)| row.as_ref().ok());
    let text = |get: &dyn Fn(&PageFacts) -> Option<&str>| -> Chunk {
        facts().map(|facts| facts.and_then(get)).collect::<Utf8Array<i64>>().boxed()
    };
    let mut columns: Vec<(&str, Chunk)> = vec![
        ("row", PrimitiveArray::<u64>::from_vec(rows.iter().map(|(row, _)| *row).collect()).boxed()),
        ("url", text(&|facts| facts.url.as_deref())),
        ("text", text(&|facts| Some(&facts.text))),
        ("markdown", text(&|facts| facts.markdown.as_deref())),
    ];
    columns.extend(stated(&facts));
    columns.extend([
        ("language", text(&|facts| facts.language)),
        ("page_type", text(&|facts| Some(facts.page_type))),
        ("encoding", text(&|facts| Some(facts.encoding))),
        ("redirects_to", text(&|facts| facts.redirects_to.as_deref())),
        (
            "confidence",
            facts().map(|facts| facts.map(|facts| facts.confidence)).collect::<PrimitiveArray<f32>>().boxed(),
        ),
        ("cuts", lists(facts().map(|facts| facts.map_or(&[][..], |facts| &facts.cuts)))),
        ("error", rows.iter().map(|(_, row)| row.as_ref().err()).collect::<Utf8Array<i64>>().boxed()),
    ]);
    if full {
        let json = facts().map(|facts| facts.and_then(|facts| serde_json::to_string(facts).ok()));
        columns.push(("json", json.collect::<Utf8Array<i64>>().boxed()));
    }
    structure(columns).map_err(|e| Fault::from(Error::Internal(e.to_string())))
}

/// What the pages state of themselves, a column per field.
fn stated<'a, I: Iterator<Item = Option<&'a PageFacts>>>(
    facts: &dyn Fn() -> I,
) -> Vec<(&'static str, Chunk)> {
    let fields = About::default();
    let column = |(at, (name, value)): (usize, (&'static str, FieldValue<'_>))| {
        let values = facts().map(|facts| Some(facts?.about.fields().swap_remove(at).1));
        let column = match value {
            FieldValue::Text(_) => values
                .map(|value| match value {
                    Some(FieldValue::Text(text)) => text,
                    _ => None,
                })
                .collect::<Utf8Array<i64>>()
                .boxed(),
            FieldValue::List(_) => lists(values.map(|value| match value {
                Some(FieldValue::List(list)) => list,
                _ => &[],
            })),
        };
        (shown_name(name), column)
    };
    fields.fields().into_iter().enumerate().map(column).collect()
}
