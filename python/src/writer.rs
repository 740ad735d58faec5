//! Writing RAW DB.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use webmill_shard::{Compression, NewRecord, RawDbWriter as Writer, WriteOptions};

use crate::fault::{Fault, config};

/// Writes a RAW DB file, record by record. The file appears when it is closed; left by an exception, it does not.
#[pyclass(frozen, module = "webmill")]
pub struct RawDbWriter(Mutex<Option<Writer>>);

#[pymethods]
impl RawDbWriter {
    #[new]
    #[pyo3(signature = (path, compression = "none", append = false))]
    fn new(path: PathBuf, compression: &str, append: bool) -> PyResult<Self> {
        let compression = match compression {
            "none" => Compression::None,
            "gzip" => Compression::Gzip,
            "zstd" => Compression::Zstd,
            other => return Err(config(format!("compression {other:?} is not none, gzip or zstd"))),
        };
        let options = WriteOptions { compression, ..WriteOptions::default() };
        let writer = match append {
            true => Writer::append(&path, options),
            false => Writer::create(&path, options),
        };
        Ok(RawDbWriter(Mutex::new(Some(writer.map_err(Fault::from)?))))
    }

    /// Writes a record: `data` is the answer as the server sent it, head and body.
    #[pyo3(signature = (url, data, date_ms, origin = None, ip = None, properties = Vec::new()))]
    #[allow(clippy::too_many_arguments, reason = "the parts of a record; the package names them")]
    fn write_record(
        &self,
        py: Python<'_>,
        url: &str,
        data: &[u8],
        date_ms: i64,
        origin: Option<&str>,
        ip: Option<&str>,
        properties: Vec<(String, String)>,
    ) -> PyResult<()> {
        let extra: Vec<(&str, &str)> = properties.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let record = NewRecord { url, origin, date_ms, ip, extra: &extra, data };
        let written = py.detach(|| {
            let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            writer.as_mut().map(|writer| writer.write(&record))
        });
        let written = written.ok_or_else(|| config("the writer is closed"))?;
        Ok(written.map_err(Fault::from)?)
    }

    /// Finishes the file and gives its path; nothing where it is finished or given up already.
    fn close(&self, py: Python<'_>) -> PyResult<Option<PathBuf>> {
        let writer = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(writer) = writer else { return Ok(None) };
        let files = py.detach(|| writer.finish()).map_err(Fault::from)?;
        Ok(files.into_iter().next())
    }

    /// Gives the file up: what is written stays as `.NAME.partial`, which `append` goes on with.
    fn abandon(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
