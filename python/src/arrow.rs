//! Tables in and out of Python by the Arrow PyCapsule interface, without copying.

use std::ffi::CStr;

use polars_arrow::array::{
    Array, BinaryArray, BinaryViewArray, PrimitiveArray, StructArray, Utf8Array, Utf8ViewArray,
};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::ffi::{
    self, ArrowArray, ArrowArrayStream, ArrowArrayStreamReader, ArrowSchema, export_iterator,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

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
            chunks.push(chunk.map_err(failed)?);
        }
        return Ok(chunks);
    }
    if !object.hasattr("__arrow_c_array__")? {
        let kind = object.get_type().name()?.to_string();
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
    Ok(vec![chunk.map_err(failed)?])
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

/// A column of Arrow, or a sequence of strings or of whole numbers.
///
/// # Errors
/// For anything else.
pub fn values(object: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    if object.hasattr("__arrow_c_stream__")? || object.hasattr("__arrow_c_array__")? {
        return import(object);
    }
    // Arrays of numpy have no interface of Arrow; their lists do.
    let object = &if object.hasattr("tolist")? { object.call_method0("tolist")? } else { object.clone() };
    if let Ok(texts) = object.extract::<Vec<Option<String>>>() {
        return Ok(vec![texts.into_iter().collect::<Utf8Array<i64>>().boxed()]);
    }
    if let Ok(numbers) = object.extract::<Vec<i64>>() {
        return Ok(vec![PrimitiveArray::<i64>::from_vec(numbers).boxed()]);
    }
    let numbers = object.extract::<Vec<f64>>().map_err(|_| {
        PyTypeError::new_err("a column of Arrow, or a sequence of strings or numbers, is needed")
    })?;
    Ok(vec![PrimitiveArray::<f64>::from_vec(numbers).boxed()])
}
