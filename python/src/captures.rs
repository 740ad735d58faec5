//! Captures of shards, one by one or as columns.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polars_arrow::array::{BinaryArray, PrimitiveArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, Field, TimeUnit};
use polars_error::polars_err;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};
use webmill_capture::content::decode_content;
use webmill_capture::{Error, Response};
use webmill_shard::{OwnedRecord, ReadOptions, read_record_at};

use crate::arrow::{ArrowTable, Chunk, field_of, schema_capsule, stream_capsule, structure};
use crate::fault::{Fault, config};
use crate::wait::apart;
use crate::walk::{Plan, Walk, WalkedRecord};

/// Records, and bytes of them, that are read ahead of Python.
const AHEAD: usize = 64;
const AHEAD_BYTES: usize = 1 << 20;
/// Bytes of bodies of a chunk of columns.
const CHUNK_BYTES: usize = 64 << 20;
/// Errors that are kept where damage is passed over; all are counted.
const KEPT: usize = 100;

/// A stored record.
#[pyclass(frozen, module = "webmill")]
pub struct Capture {
    record: OwnedRecord,
    path: Arc<Path>,
    max_bytes: usize,
}

/// What was passed over because of damage, or as a file that is no shard.
#[derive(Default)]
struct SkippedInputs {
    number: u64,
    first: Vec<Error>,
}

impl SkippedInputs {
    fn add(&mut self, error: Error) {
        self.number += 1;
        if self.first.len() < KEPT {
            self.first.push(error);
        }
    }

    fn in_words(&self) -> Vec<String> {
        self.first.iter().map(ToString::to_string).collect()
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a walk brought that Python has not asked for yet.
struct RecordsAhead {
    walk: Walk,
    waiting: VecDeque<WalkedRecord>,
    skipped: SkippedInputs,
}

impl RecordsAhead {
    fn fill(&mut self, skip: bool) {
        let mut bytes = 0;
        while self.waiting.len() < AHEAD && bytes < AHEAD_BYTES {
            match self.walk.next() {
                Some(Ok(found)) => {
                    bytes += found.0.record().data.len();
                    self.waiting.push_back(Ok(found));
                }
                Some(Err(error)) if skip => self.skipped.add(error),
                Some(Err(error)) => self.waiting.push_back(Err(error)),
                None => return,
            }
        }
    }
}

/// Iterates over the captures of shards.
#[pyclass(frozen, module = "webmill")]
pub struct Captures {
    plan: Plan,
    skip: bool,
    ahead: Mutex<RecordsAhead>,
}

#[pymethods]
impl Captures {
    #[new]
    #[pyo3(signature = (paths, kinds, skip_damage, max_record_bytes, verify_digests))]
    fn new(
        py: Python<'_>,
        paths: Vec<String>,
        kinds: Option<Vec<String>>,
        skip_damage: bool,
        max_record_bytes: u64,
        verify_digests: bool,
    ) -> PyResult<Self> {
        let options = ReadOptions { max_record_bytes, verify_digests, ..ReadOptions::default() };
        let plan = Plan { paths: paths.into(), kinds: kinds.map(Into::into), options };
        let walk = py.detach(|| Walk::new(plan.clone())).map_err(Fault::from)?;
        let ahead = RecordsAhead { walk, waiting: VecDeque::new(), skipped: SkippedInputs::default() };
        Ok(Captures { plan, skip: skip_damage, ahead: Mutex::new(ahead) })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Capture>> {
        // Only one thread walks; the others wait without the interpreter.
        let next = py.detach(|| {
            let mut ahead = locked(&self.ahead);
            if ahead.waiting.is_empty() {
                ahead.fill(self.skip);
            }
            ahead.waiting.pop_front()
        });
        let max_bytes = usize::try_from(self.plan.options.max_record_bytes).unwrap_or(usize::MAX);
        let next = next.transpose().map_err(Fault::from)?;
        Ok(next.map(|(record, path)| Capture { record, path, max_bytes }))
    }

    /// Records passed over so far because of damage, or files that are no shards.
    #[getter]
    fn skipped(&self) -> u64 {
        locked(&self.ahead).skipped.number
    }

    /// What was wrong with the first hundred of them.
    #[getter]
    fn damage(&self) -> Vec<String> {
        locked(&self.ahead).skipped.in_words()
    }

    /// All captures from the first on as columns, that many a chunk at most.
    #[pyo3(signature = (rows = 1024))]
    fn batches(&self, rows: usize) -> PyResult<CaptureBatches> {
        if rows == 0 {
            return Err(config("rows from 1 are needed"));
        }
        let skipped = self.skip.then(Arc::default);
        Ok(CaptureBatches { plan: self.plan.clone(), skipped, rows, walk: Mutex::new(None) })
    }
}

/// Captures as columns: an iterator of tables, and a stream for readers of Arrow.
#[pyclass(frozen, module = "webmill")]
pub struct CaptureBatches {
    plan: Plan,
    /// What was passed over; `None`: damage is an error.
    skipped: Option<Arc<Mutex<SkippedInputs>>>,
    rows: usize,
    walk: Mutex<Option<Walk>>,
}

#[pymethods]
impl CaptureBatches {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &field()?)
    }

    /// The captures as they are read, for readers of Arrow.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (mut walk, chunk) = (self.walk(py)?, self.chunk());
        let next = move || chunk(&mut walk).map_err(|error| polars_err!(ComputeError: "{error}")).transpose();
        stream_capsule(py, field()?, std::iter::from_fn(next))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ArrowTable>> {
        let taken = locked(&self.walk).take();
        let (mut walk, chunk) = (taken.map_or_else(|| self.walk(py), Ok)?, self.chunk());
        let (walk, found) = apart(py, move |_| {
            let found = chunk(&mut walk);
            (walk, found)
        })?;
        *locked(&self.walk) = Some(walk);
        let found = found.map_err(Fault::from)?;
        Ok(found.map(|found| ArrowTable { field: field_of(found.dtype().clone()), chunks: vec![found] }))
    }

    /// Records passed over so far because of damage, or files that are no shards, by all that read these columns.
    #[getter]
    fn skipped(&self) -> u64 {
        self.skipped.as_ref().map_or(0, |skipped| locked(skipped).number)
    }

    /// What was wrong with the first hundred of them.
    #[getter]
    fn damage(&self) -> Vec<String> {
        self.skipped.as_ref().map_or(Vec::new(), |skipped| locked(skipped).in_words())
    }

    /// All of them as a data frame of polars.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.getattr("DataFrame")?.call1((slf.get().collected(slf.py())?,))
    }

    /// All of them as a table of pyarrow.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf.get().collected(slf.py())?,))
    }
}

impl CaptureBatches {
    /// All chunks, which Ctrl-C can stop: readers of streams do not look at signals.
    fn collected(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let (mut walk, chunk) = (self.walk(py)?, self.chunk());
        let chunks = apart(py, move |stop| {
            let mut chunks = Vec::new();
            while let Some(found) = chunk(&mut walk)? {
                stop.check()?;
                chunks.push(found);
            }
            Ok::<_, Error>(chunks)
        })?;
        Ok(ArrowTable { field: field()?, chunks: chunks.map_err(Fault::from)? })
    }

    fn walk(&self, py: Python<'_>) -> PyResult<Walk> {
        Ok(py.detach(|| Walk::new(self.plan.clone())).map_err(Fault::from)?)
    }

    /// What takes the next records of a walk as columns.
    fn chunk(&self) -> impl Fn(&mut Walk) -> Result<Option<Chunk>, Error> + Send + 'static {
        let (rows, skipped) = (self.rows, self.skipped.clone());
        let max = self.plan.options.max_record_bytes as usize;
        move |walk| chunk(walk, rows, max, skipped.as_deref())
    }
}

/// The field of these columns.
fn field() -> PyResult<Field> {
    Ok(field_of(columns(&[], 0).map_err(crate::arrow::failed)?.dtype().clone()))
}

/// The next records as columns.
fn chunk(
    walk: &mut Walk,
    rows: usize,
    max: usize,
    skipped: Option<&Mutex<SkippedInputs>>,
) -> Result<Option<Chunk>, Error> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    while found.len() < rows && bytes < CHUNK_BYTES {
        match walk.next() {
            Some(Ok(record)) => {
                bytes += record.0.record().data.len();
                found.push(record);
            }
            Some(Err(error)) => match skipped {
                Some(skipped) => locked(skipped).add(error),
                None => return Err(error),
            },
            None => break,
        }
    }
    if found.is_empty() {
        return Ok(None);
    }
    columns(&found, max).map(Some).map_err(|e| Error::Internal(e.to_string()))
}

fn columns(found: &[(OwnedRecord, Arc<Path>)], max: usize) -> polars_error::PolarsResult<Chunk> {
    let records: Vec<_> = found.iter().map(|(record, _)| record.record()).collect();
    let answers: Vec<_> = records.iter().map(answer).collect();
    let text = |values: Vec<Option<String>>| values.into_iter().collect::<Utf8Array<i64>>().boxed();
    let number = |values: Vec<u64>| PrimitiveArray::<u64>::from_vec(values).boxed();
    let date = ArrowDataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
    let dates = records.iter().map(|r| r.date_ms).collect::<PrimitiveArray<i64>>().to(date);
    let body = |response: &Response<'_>| {
        let payload = response.payload(max);
        decode_content(response, &payload.bytes, max).bytes.into_owned()
    };
    structure(vec![
        ("url", text(records.iter().map(|r| Some(r.url.to_string())).collect())),
        ("date", dates.boxed()),
        ("kind", text(records.iter().map(|r| Some(r.kind.name().to_owned())).collect())),
        (
            "status",
            answers.iter().map(|a| a.status.map(|s| s as i16)).collect::<PrimitiveArray<i16>>().boxed(),
        ),
        ("mime", text(records.iter().map(webmill_shard::Record::mime).collect())),
        ("ip", text(records.iter().map(|r| r.ip.as_deref().map(str::to_owned)).collect())),
        ("body", answers.iter().map(|a| Some(body(a))).collect::<BinaryArray<i64>>().boxed()),
        ("shard", text(records.iter().map(|r| Some(r.place.shard.to_string())).collect())),
        ("offset", number(records.iter().map(|r| r.place.offset).collect())),
        ("length", number(records.iter().map(|r| r.place.length).collect())),
    ])
}

/// The answer in a record; of what is no HTTP message its data as a body.
fn answer<'a>(record: &'a webmill_shard::Record<'_>) -> Response<'a> {
    let content_type = record.content_type.as_deref();
    record.response().unwrap_or_else(|| Response::without_head(&record.data, content_type))
}

/// The record at byte `offset` of a shard.
#[pyfunction]
#[pyo3(signature = (path, offset, max_record_bytes = 64 << 20))]
pub fn read_capture(py: Python<'_>, path: PathBuf, offset: u64, max_record_bytes: u64) -> PyResult<Capture> {
    let options = ReadOptions { max_record_bytes, ..ReadOptions::default() };
    let record = py.detach(|| read_record_at(&path, offset, None, &options)).map_err(Fault::from)?;
    Ok(Capture {
        record,
        path: path.into(),
        max_bytes: usize::try_from(max_record_bytes).unwrap_or(usize::MAX),
    })
}

fn characters(bytes: &[u8]) -> String {
    // Heads are bytes; what is no UTF-8 is read as Latin-1, as clients of HTTP do.
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|&b| char::from(b)).collect(), str::to_owned)
}

#[pymethods]
impl Capture {
    /// Pickled by its place: the file is read again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf, u64, u64))> {
        let path = std::path::absolute(&*self.path)?;
        let record = self.record.record();
        if !record.is_at_its_place() {
            let reason = "its place is that of another record in one compressed member: it cannot be pickled";
            return Err(Fault::from(Error::corrupt(&path, record.place.offset, reason)).into());
        }
        let place = (path, record.place.offset, self.max_bytes as u64);
        Ok((py.import("webmill._webmill")?.getattr("read_capture")?, place))
    }

    /// The URL as stored.
    #[getter]
    fn url(&self) -> String {
        self.record.record().url.into_owned()
    }

    /// The URL first asked for, where a redirect led elsewhere (RAW DB).
    #[getter]
    fn origin(&self) -> Option<String> {
        self.record.record().origin.map(|origin| origin.into_owned())
    }

    /// When it was fetched: milliseconds since 1970, UTC.
    #[getter]
    fn date_ms(&self) -> Option<i64> {
        self.record.record().date_ms
    }

    /// When it was fetched, as an aware ``datetime`` in UTC.
    #[getter]
    fn date<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(ms) = self.date_ms() else { return Ok(None) };
        let module = py.import("datetime")?;
        let utc = module.getattr("timezone")?.getattr("utc")?;
        let epoch = module.getattr("datetime")?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
        let named = PyDict::new(py);
        named.set_item("milliseconds", ms)?;
        let since = module.getattr("timedelta")?.call((), Some(&named))?;
        epoch.add(since).map(Some)
    }

    /// The kind of record by WARC's name: ``response``, ``resource``, ``revisit`` and so on.
    #[getter]
    fn kind(&self) -> &'static str {
        self.record.record().kind.name()
    }

    /// The record's id, of WARC.
    #[getter]
    fn record_id(&self) -> Option<String> {
        self.record.record().id.map(|id| id.into_owned())
    }

    /// Status code of the answer.
    #[getter]
    fn status(&self) -> Option<u16> {
        answer(&self.record.record()).status
    }

    /// Headers of the answer, in their order.
    #[getter]
    fn headers(&self) -> Vec<(String, String)> {
        let record = self.record.record();
        let answer = answer(&record);
        answer.headers().map(|(name, value)| (characters(name), characters(value))).collect()
    }

    /// The first header of that name, whatever its case.
    fn header(&self, name: &str) -> Option<String> {
        answer(&self.record.record()).header(name).map(characters)
    }

    /// Lines of the record's own head (WARC, RAW DB), in their order.
    #[getter]
    fn properties(&self) -> Vec<(String, String)> {
        let record = self.record.record();
        record.properties().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    /// Media type, in lower case, without parameters.
    #[getter]
    fn mime(&self) -> Option<String> {
        self.record.record().mime()
    }

    /// Address of the server.
    #[getter]
    fn ip(&self) -> Option<String> {
        self.record.record().ip.map(|ip| ip.into_owned())
    }

    /// The body, transfer and content codings undone.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let record = self.record.record();
        let answer = answer(&record);
        let payload = answer.payload(self.max_bytes);
        PyBytes::new(py, &decode_content(&answer, &payload.bytes, self.max_bytes).bytes)
    }

    /// The body as it was transferred, content coding still on.
    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let record = self.record.record();
        PyBytes::new(py, &answer(&record).payload(self.max_bytes).bytes)
    }

    /// The data of the record as stored, with the head of the answer.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.record.record().data)
    }

    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.to_path_buf()
    }

    /// Byte of the file as stored at which the record begins.
    #[getter]
    fn offset(&self) -> u64 {
        self.record.record().place.offset
    }

    /// Bytes of the stored record.
    #[getter]
    fn length(&self) -> u64 {
        self.record.record().place.length
    }

    /// Digest of the payload, as declared.
    #[getter]
    fn digest(&self) -> Option<String> {
        self.record.record().payload_digest.map(|digest| digest.into_owned())
    }

    fn __repr__(&self) -> String {
        let status = self.status().map_or_else(|| "-".to_owned(), |status| status.to_string());
        format!("Capture({:?}, {status}, {})", self.url(), self.mime().unwrap_or_else(|| "-".to_owned()))
    }
}
