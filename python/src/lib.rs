//! The compiled part of webmill for Python: thin over the public APIs of the crates.
//!
//! What is worked on for long runs on threads of its own with the interpreter let go, and ends within a second of Ctrl-C
//! (`wait`). Tables go in and out by the Arrow PyCapsule interface (`arrow`), without copying. Errors are
//! `webmill.Error` with path, offset and reason (`fault`).

#![deny(clippy::unwrap_used)]

mod arrow;
mod captures;
mod dedup;
mod fault;
mod graph;
mod learn;
mod run;
mod spark;
mod text;
mod topics;
mod wait;
mod walk;
mod writer;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use webmill_jobs::document_reader;

/// Has documents that are no HTML read in children that `command` starts, each of which calls [`read_documents`].
#[pyfunction]
fn read_documents_by(command: Vec<OsString>) {
    document_reader::start_by(command);
}

/// Is such a child: reads documents from standard input until it ends.
#[pyfunction]
fn read_documents(py: Python<'_>) -> PyResult<()> {
    Ok(py.detach(webmill_documents::isolate::serve)?)
}

/// Checks the bytes of a table's file against the digests in its footer.
#[pyfunction]
fn verify_table(py: Python<'_>, path: PathBuf) -> fault::Result<()> {
    Ok(py.detach(|| webmill_jobs::output::verify_table(&path))?)
}

/// The filters of a name, or of a file of rules: their names, and their rules as JSON.
#[pyfunction]
fn filter_rules(name: &str) -> fault::Result<Vec<(String, String)>> {
    let files = webmill_jobs::filtered::files(name)?.into_iter();
    files.map(|(name, file)| Ok((name, serde_json::to_string(&file).map_err(anyhow::Error::from)?))).collect()
}

/// The compiled part of `webmill`: use the package's functions.
#[pymodule]
fn _webmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<arrow::ArrowTable>()?;
    module.add_class::<captures::Capture>()?;
    module.add_class::<captures::Captures>()?;
    module.add_class::<captures::CaptureBatches>()?;
    module.add_class::<graph::Graph>()?;
    module.add_class::<learn::Classifier>()?;
    module.add_class::<text::PageReader>()?;
    module.add_class::<writer::RawDbWriter>()?;
    spark::add_to(module)?;
    module.add_function(wrap_pyfunction!(filter_rules, module)?)?;
    module.add_function(wrap_pyfunction!(read_documents, module)?)?;
    module.add_function(wrap_pyfunction!(read_documents_by, module)?)?;
    module.add_function(wrap_pyfunction!(verify_table, module)?)?;
    module.add_function(wrap_pyfunction!(captures::read_capture, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::simhash, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::minhash, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::near_duplicates, module)?)?;
    module.add_function(wrap_pyfunction!(graph::convert, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_of, module)?)?;
    module.add_function(wrap_pyfunction!(learn::classifier_of, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(topics::topics, module)?)?;
    Ok(())
}
