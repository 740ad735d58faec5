//! Tables in and out of Python by the Arrow PyCapsule interface, without copying.

use std::ffi::CStr;

use polars_arrow::array::{
    Array, BinaryArray, BinaryViewArray, DictionaryArray, PrimitiveArray, StructArray, Utf8Array,
    Utf8ViewArray,
};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::ffi::{
    self, ArrowArray, ArrowArrayStream, ArrowArrayStreamReader, ArrowSchema, export_iterator,
};
use polars_arrow::match_integer_type;
use polars_error::polars_err;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyFloat, PyInt, PyString};

const STREAM: &CStr = c"arrow_array_stream";
const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";

/// Rows in columns.
pub type Chunk = Box<dyn Array>;

/// A table that was worked out: polars, pyarrow, pandas and DuckDB take it as it is, without copying.
#[pyclass(frozen, module = "webmill")]
pub struct ArrowTable {
    pub field: Field,
    pub chunks: Vec<Chunk>,
}

impl ArrowTable {
    /// A table of these columns.
    pub fn of(columns: Vec<(&str, Chunk)>) -> PyResult<ArrowTable> {
        let chunk = structure(columns).map_err(failed)?;
        Ok(ArrowTable { field: field_of(chunk.dtype().clone()), chunks: vec![chunk] })
    }
}

/// The field of a table with rows of this type.
pub fn field_of(dtype: ArrowDataType) -> Field {
    Field::new("".into(), dtype, false)
}

/// Columns as one array of structures.
pub fn structure(columns: Vec<(&str, Chunk)>) -> polars_error::PolarsResult<Chunk> {
    let length = columns.first().map_or(0, |(_, column)| column.len());
    let fields =
        columns.iter().map(|(name, column)| Field::new((*name).into(), column.dtype().clone(), true));
    let dtype = ArrowDataType::Struct(fields.collect());
    let values = columns.into_iter().map(|(_, column)| column).collect();
    Ok(StructArray::try_new(dtype, length, values, None)?.boxed())
}

/// An error of Arrow as one of Python.
pub fn failed(error: polars_error::PolarsError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub fn schema_capsule<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, ffi::export_field_to_c(field), SCHEMA)
}

/// A capsule with a stream of chunks.
pub fn stream_capsule<'py>(
    py: Python<'py>,
    field: Field,
    chunks: impl Iterator<Item = polars_error::PolarsResult<Chunk>> + Send + 'static,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, export_iterator(Box::new(chunks), field), STREAM)
}

#[pymethods]
impl ArrowTable {
    /// The schema, for readers of Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.field)
    }

    /// The rows, for readers of Arrow. A schema that they ask for is not looked at, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let chunks: Vec<_> = self.chunks.iter().cloned().map(Ok).collect();
        stream_capsule(py, self.field.clone(), chunks.into_iter())
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        match self.field.dtype() {
            ArrowDataType::Struct(fields) => fields.iter().map(|field| field.name.to_string()).collect(),
            _ => Vec::new(),
        }
    }

    /// The first rows, for notebooks: those of polars, where it is installed.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        match Self::to_polars(slf) {
            Ok(frame) => frame.call_method0("_repr_html_")?.extract(),
            Err(_) => Ok(format!("<code>{}</code>", slf.get().__repr__())),
        }
    }

    fn __repr__(&self) -> String {
        format!("ArrowTable({} rows of {})", self.num_rows(), self.column_names().join(", "))
    }

    /// As a data frame of polars.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.getattr("DataFrame")?.call1((slf,))
    }

    /// As a table of pyarrow.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// As a data frame of pandas (by pyarrow).
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("to_pandas")
    }
}

/// Reads what offers the Arrow PyCapsule interface: a table (structures), or a column.
///
/// # Errors
/// For what does not offer it, and for what its producer raises.
pub fn import(object: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<ArrowArrayStream>();
        // SAFETY: a capsule of this name holds a stream, by the interface; it is moved out and an empty one left behind.
        let stream = unsafe { std::ptr::replace(pointer.as_ptr(), ArrowArrayStream::empty()) };
        // SAFETY: the stream is a producer's, who keeps to the interface.
        let mut reader = unsafe { ArrowArrayStreamReader::try_new(Box::new(stream)) }.map_err(failed)?;
        let mut chunks = Vec::new();
        // SAFETY: as above.
        while let Some(chunk) = unsafe { reader.next() } {
            chunks.push(with_plain_columns(chunk.map_err(failed)?));
        }
        return Ok(chunks);
    }
    if !object.hasattr("__arrow_c_array__")? {
        let kind = type_name(object);
        return Err(PyTypeError::new_err(format!("{kind} offers no Arrow data (__arrow_c_stream__)")));
    }
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
        object.call_method0("__arrow_c_array__")?.extract()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<ArrowSchema>();
    // SAFETY: a capsule of this name holds a schema, by the interface, and lives until the end of this function.
    let field = unsafe { ffi::import_field_from_c(schema.as_ref()) }.map_err(failed)?;
    let array = array.pointer_checked(Some(ARRAY))?.cast::<ArrowArray>();
    // SAFETY: a capsule of this name holds an array of that schema; it is moved out and an empty one left behind.
    let chunk = unsafe {
        let array = std::ptr::replace(array.as_ptr(), ArrowArray::empty());
        ffi::import_array_from_c(array, field.dtype().clone())
    };
    Ok(vec![with_plain_columns(chunk.map_err(failed)?)])
}

/// A table with columns in the layout of [`plain`]; those that have none stay as they are.
fn with_plain_columns(chunk: Chunk) -> Chunk {
    let Some(table) = chunk.as_any().downcast_ref::<StructArray>() else { return chunk };
    let is_plain =
        |column: &Chunk| !matches!(column.dtype(), ArrowDataType::Null | ArrowDataType::Dictionary(..));
    if table.values().iter().all(is_plain) {
        return chunk;
    }
    let columns = table.fields().iter().zip(table.values());
    let columns = columns.map(|(field, column)| {
        (field.name.as_str(), plain(column.clone()).unwrap_or_else(|_| column.clone()))
    });
    structure(columns.collect()).unwrap_or(chunk)
}

/// A column of a table by its name.
///
/// # Errors
/// Where the chunk is no table or has no such column.
pub fn column<'a>(chunk: &'a dyn Array, name: &str) -> PyResult<&'a dyn Array> {
    let table = chunk.as_any().downcast_ref::<StructArray>();
    let table = table.ok_or_else(|| PyTypeError::new_err("a table is needed, this is a column"))?;
    let at = table.fields().iter().position(|field| field.name == name);
    let at = at.ok_or_else(|| {
        let names: Vec<&str> = table.fields().iter().map(|field| field.name.as_str()).collect();
        PyValueError::new_err(format!("no column is called {name:?}; there are {}", names.join(", ")))
    })?;
    Ok(&*table.values()[at])
}

/// A column of strings or bytes, whatever its layout.
#[derive(Clone, Copy)]
pub enum Strings<'a> {
    Utf8(&'a Utf8Array<i32>),
    LargeUtf8(&'a Utf8Array<i64>),
    Utf8View(&'a Utf8ViewArray),
    Binary(&'a BinaryArray<i32>),
    LargeBinary(&'a BinaryArray<i64>),
    BinaryView(&'a BinaryViewArray),
}

impl<'a> Strings<'a> {
    /// The column as one of strings or bytes, if it is.
    pub fn of(array: &'a dyn Array) -> Option<Self> {
        let any = array.as_any();
        any.downcast_ref()
            .map(Strings::Utf8)
            .or_else(|| any.downcast_ref().map(Strings::LargeUtf8))
            .or_else(|| any.downcast_ref().map(Strings::Utf8View))
            .or_else(|| any.downcast_ref().map(Strings::Binary))
            .or_else(|| any.downcast_ref().map(Strings::LargeBinary))
            .or_else(|| any.downcast_ref().map(Strings::BinaryView))
    }

    /// Whether it holds characters, not bytes.
    pub fn is_text(self) -> bool {
        matches!(self, Strings::Utf8(_) | Strings::LargeUtf8(_) | Strings::Utf8View(_))
    }

    /// Row `i`; nothing where it is null.
    pub fn get(self, i: usize) -> Option<&'a [u8]> {
        match self {
            Strings::Utf8(a) => a.is_valid(i).then(|| a.value(i).as_bytes()),
            Strings::LargeUtf8(a) => a.is_valid(i).then(|| a.value(i).as_bytes()),
            Strings::Utf8View(a) => a.is_valid(i).then(|| a.value(i).as_bytes()),
            Strings::Binary(a) => a.is_valid(i).then(|| a.value(i)),
            Strings::LargeBinary(a) => a.is_valid(i).then(|| a.value(i)),
            Strings::BinaryView(a) => a.is_valid(i).then(|| a.value(i)),
        }
    }
}

/// A column of Arrow, an array of numpy, or a sequence of strings, bytes or numbers: `None`, and NaN among strings, is null. Columns of
/// Arrow come in one layout of their type: dictionaries are undone, and a column without a type is one of strings that are null.
///
/// # Errors
/// For anything else, with `name` and the position.
pub fn values(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Chunk>> {
    let object = &collected(object)?;
    if object.hasattr("__arrow_c_stream__")? || object.hasattr("__arrow_c_array__")? {
        let chunks = import(object)?;
        return chunks.into_iter().map(|chunk| plain(chunk).map_err(failed)).collect();
    }
    if object.hasattr("tobytes")?
        && let Ok(kind) = object.getattr("dtype").and_then(|dtype| dtype.getattr("kind"))
    {
        return Ok(vec![numpy(object, &kind.extract::<String>()?, name)?]);
    }
    // Columns of pandas and arrays of numpy that hold objects.
    let object = &if object.hasattr("tolist")? { object.call_method0("tolist")? } else { object.clone() };
    if is_text(object) {
        return Err(PyTypeError::new_err(format!(
            "{name} is one value: a column or a sequence of values is needed"
        )));
    }
    let items = object.try_iter().map_err(|_| {
        PyTypeError::new_err(format!(
            "{name}: a column of Arrow or a sequence is needed, not {}",
            type_name(object)
        ))
    })?;
    Ok(vec![sequence(items, name)?])
}

/// The object itself, or the rows of a query of polars that was not run yet.
pub fn collected<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if type_name(object) == "LazyFrame" { object.call_method0("collect") } else { Ok(object.clone()) }
}

/// An array of numbers of numpy.
fn numpy(array: &Bound<'_, PyAny>, kind: &str, name: &str) -> PyResult<Chunk> {
    if array.getattr("ndim")?.extract::<usize>()? != 1 {
        return Err(PyTypeError::new_err(format!("{name}: an array of one dimension is needed")));
    }
    Ok(match kind {
        "b" | "i" => PrimitiveArray::<i64>::from_vec(numbers(array, "=i8")?).boxed(),
        "u" => PrimitiveArray::<u64>::from_vec(numbers(array, "=u8")?).boxed(),
        "f" => PrimitiveArray::<f64>::from_vec(numbers(array, "=f8")?).boxed(),
        _ => sequence(array.call_method0("tolist")?.try_iter()?, name)?,
    })
}

/// The numbers of an array of numpy, copied; `dtype` is numpy's name of `T`, eight bytes in the order of this machine.
fn numbers<T: Copy>(array: &Bound<'_, PyAny>, dtype: &str) -> PyResult<Vec<T>> {
    let py = array.py();
    py.check_signals()?;
    let in_one_piece = py.import("numpy")?.call_method1("ascontiguousarray", (array, dtype))?;
    let length = in_one_piece.len()?;
    let (address, _): (usize, bool) =
        in_one_piece.getattr("__array_interface__")?.get_item("data")?.extract()?;
    if length == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: numpy says where the elements of an array of this type lie one behind the other, and it lives until they are copied; no
    // other thread writes to it while the interpreter is held.
    Ok(unsafe { std::slice::from_raw_parts(address as *const T, length) }.to_vec())
}

/// Values of a sequence, as far as it was read.
enum Listed {
    Nulls(usize),
    Texts(Vec<Option<String>>),
    Bytes(Vec<Option<Vec<u8>>>),
    Whole(Vec<Option<i128>>),
    Reals(Vec<Option<f64>>),
}

fn is_text(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>()
}

fn type_name(item: &Bound<'_, PyAny>) -> String {
    item.get_type().name().map_or_else(|_| "an object".to_owned(), |kind| kind.to_string_lossy().into_owned())
}

/// Items between two looks at signals.
const LOOK: usize = 1 << 16;

fn sequence<'py>(items: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>, name: &str) -> PyResult<Chunk> {
    let mut listed = Listed::Nulls(0);
    for (at, item) in items.enumerate() {
        let item = item?;
        if at % LOOK == 0 {
            item.py().check_signals()?;
        }
        add(&mut listed, &item).map_err(|why| PyTypeError::new_err(format!("{name}[{at}] {why}")))?;
    }
    let beyond = |_| PyValueError::new_err(format!("{name}: whole numbers are beyond 64 bits"));
    Ok(match listed {
        Listed::Nulls(rows) => Utf8Array::<i64>::new_null(ArrowDataType::LargeUtf8, rows).boxed(),
        Listed::Texts(texts) => texts.into_iter().collect::<Utf8Array<i64>>().boxed(),
        Listed::Bytes(bytes) => bytes.into_iter().collect::<BinaryArray<i64>>().boxed(),
        Listed::Reals(reals) => reals.into_iter().collect::<PrimitiveArray<f64>>().boxed(),
        Listed::Whole(numbers) if numbers.iter().flatten().all(|&number| number <= i128::from(i64::MAX)) => {
            let numbers = numbers.into_iter().map(|number| number.map(i64::try_from).transpose());
            numbers.collect::<Result<PrimitiveArray<i64>, _>>().map_err(beyond)?.boxed()
        }
        Listed::Whole(numbers) => {
            let numbers = numbers.into_iter().map(|number| number.map(u64::try_from).transpose());
            numbers.collect::<Result<PrimitiveArray<u64>, _>>().map_err(beyond)?.boxed()
        }
    })
}

/// Adds an item to those before it, which are of its type or null; else the complaint about it.
fn add(listed: &mut Listed, item: &Bound<'_, PyAny>) -> Result<(), String> {
    // Most items are of a type that tells at once.
    let is_plain = is_text(item) || item.is_instance_of::<PyInt>() || item.is_none();
    let has = |method| item.hasattr(method).unwrap_or(false);
    let is_real = item.is_instance_of::<PyFloat>() || !is_plain && has("__float__") && !has("__index__");
    let is_missing = item.is_none() || !is_plain && !is_real && type_name(item) == "NAType";
    let among_texts = matches!(listed, Listed::Texts(_) | Listed::Bytes(_));
    let is_nan = is_real && item.extract::<f64>().is_ok_and(f64::is_nan);
    if is_missing || is_nan && among_texts {
        match listed {
            Listed::Nulls(rows) => *rows += 1,
            Listed::Texts(texts) => texts.push(None),
            Listed::Bytes(bytes) => bytes.push(None),
            Listed::Whole(numbers) => numbers.push(None),
            Listed::Reals(reals) => reals.push(None),
        }
        return Ok(());
    }
    if let Listed::Nulls(rows) = *listed {
        *listed = if item.is_instance_of::<PyString>() {
            Listed::Texts(vec![None; rows])
        } else if item.is_instance_of::<PyBytes>() {
            Listed::Bytes(vec![None; rows])
        } else if is_real {
            Listed::Reals(vec![None; rows])
        } else {
            Listed::Whole(vec![None; rows])
        };
    }
    let kind = || type_name(item);
    match listed {
        Listed::Texts(texts) => {
            let text = item.cast::<PyString>().map_err(|_| format!("is {}, others are str", kind()))?;
            texts.push(Some(text.to_string_lossy().into_owned()));
        }
        Listed::Bytes(all) => {
            let bytes = item.cast::<PyBytes>().map_err(|_| format!("is {}, others are bytes", kind()))?;
            all.push(Some(bytes.as_bytes().to_vec()));
        }
        Listed::Reals(reals) => {
            reals.push(Some(item.extract().map_err(|_| format!("is {}, others are numbers", kind()))?));
        }
        Listed::Whole(numbers) if !is_real => {
            let number =
                item.extract::<i64>().map(i128::from).or_else(|_| item.extract::<u64>().map(i128::from));
            numbers.push(Some(
                number.map_err(|_| format!("is {}: strings or numbers of 64 bits are needed", kind()))?,
            ));
        }
        Listed::Whole(numbers) => {
            let mut reals: Vec<Option<f64>> = numbers.iter().map(|n| n.map(|n| n as f64)).collect();
            reals.push(item.extract().ok());
            *listed = Listed::Reals(reals);
        }
        Listed::Nulls(_) => {}
    }
    Ok(())
}

/// A chunk whose values stand in it: a dictionary undone, strings that are null where it has no type.
pub fn plain(chunk: Chunk) -> polars_error::PolarsResult<Chunk> {
    let no_values = || Utf8Array::<i64>::new_null(ArrowDataType::LargeUtf8, chunk.len()).boxed();
    match chunk.dtype() {
        ArrowDataType::Null => Ok(no_values()),
        ArrowDataType::Dictionary(key, ..) => {
            let (places, values): (Vec<Option<usize>>, Chunk) = match_integer_type!(*key, |$T| {
                let dictionary = chunk.as_any().downcast_ref::<DictionaryArray<$T>>();
                let dictionary = dictionary.ok_or_else(|| polars_err!(ComputeError: "a dictionary of another form"))?;
                (dictionary.keys_iter().collect(), dictionary.values().clone())
            });
            let values = plain(values)?;
            if let Some(strings) = Strings::of(&*values) {
                let rows = places.iter().map(|place| strings.get((*place)?));
                return Ok(if strings.is_text() {
                    let rows = rows.map(|row| row.and_then(|row| std::str::from_utf8(row).ok()));
                    rows.collect::<Utf8Array<i64>>().boxed()
                } else {
                    rows.collect::<BinaryArray<i64>>().boxed()
                });
            }
            Err(polars_err!(InvalidOperation: "a dictionary of {:?}: strings are needed", values.dtype()))
        }
        _ => Ok(chunk),
    }
}

/// Does `$body` with `$array`, a chunk of whole numbers of any width, as an array of its type; `None` for another chunk.
macro_rules! with_whole {
    ($chunk:expr, |$array:ident| $body:expr) => {
        with_whole!($chunk, |$array| $body, i64 u32 i32 u64 i16 u16 i8 u8)
    };
    ($chunk:expr, |$array:ident| $body:expr, $($kind:ty)*) => {{
        let any = $chunk.as_any();
        $(if let Some($array) = any.downcast_ref::<PrimitiveArray<$kind>>() { Some($body) } else)* { None }
    }};
}

/// The whole numbers of columns; `None` where one is not within the range of `W`.
///
/// # Errors
/// For a column of another type and for nulls, with `name` and the position.
pub fn whole<W: TryFrom<i128>>(chunks: &[Chunk], name: &str) -> Result<Option<Vec<W>>, String> {
    let mut found = Vec::with_capacity(chunks.iter().map(|chunk| chunk.len()).sum());
    for chunk in chunks {
        if let Some(at) =
            (chunk.null_count() > 0).then(|| (0..chunk.len()).find(|&i| chunk.is_null(i))).flatten()
        {
            return Err(format!("{name}[{}] is null", found.len() + at));
        }
        let before = found.len();
        let fits = with_whole!(chunk, |array| {
            found.extend(array.values_iter().map_while(|&value| W::try_from(i128::from(value)).ok()));
            found.len() - before == chunk.len()
        });
        match fits {
            Some(true) => {}
            Some(false) => return Ok(None),
            None => return Err(format!("{name} are strings or whole numbers, not {:?}", chunk.dtype())),
        }
    }
    Ok(Some(found))
}

/// A chunk of whole numbers in figures; `None` for another one.
pub fn in_figures(chunk: &dyn Array) -> Option<Chunk> {
    with_whole!(chunk, |array| {
        let figures = array.iter().map(|value| value.map(ToString::to_string));
        figures.collect::<Utf8Array<i64>>().boxed()
    })
}
