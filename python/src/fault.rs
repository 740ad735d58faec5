//! Errors as exceptions.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use webmill_capture::Error;

/// An error on its way to Python.
#[derive(Debug)]
pub struct Fault(anyhow::Error);

/// Result of what is called from Python.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault(error.into())
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Fault(error)
    }
}

impl From<Fault> for PyErr {
    fn from(Fault(error): Fault) -> PyErr {
        let at = |path: &std::path::Path| Some(path.display().to_string());
        let all = || format!("{error:#}");
        let (kind, reason, path, offset) = match error.downcast_ref::<Error>() {
            Some(Error::Interrupted) => return PyKeyboardInterrupt::new_err(()),
            Some(Error::Io { path, source }) => ("io", source.to_string(), at(path), None),
            Some(Error::Corrupt { path, offset, reason, .. }) => {
                ("corrupt", reason.clone(), at(path), Some(*offset))
            }
            Some(Error::Incompatible { path, found, expected }) => {
                ("incompatible", format!("found {found}, expected {expected}"), at(path), None)
            }
            Some(Error::Limit(_)) => ("limit", all(), None, None),
            Some(Error::Refused(_)) => ("refused", all(), None, None),
            Some(Error::Internal(_)) => ("internal", all(), None, None),
            _ => ("config", all(), None, None),
        };
        Python::attach(|py| {
            let made = py
                .import("webmill._error")
                .and_then(|module| module.getattr(if kind == "config" { "ArgumentError" } else { "Error" }))
                .and_then(|class| class.call1((reason, path, offset, kind)));
            made.map_or_else(|failure| failure, PyErr::from_value)
        })
    }
}

/// A complaint about an argument.
pub fn config(why: impl Into<String>) -> PyErr {
    Fault::from(Error::Config(why.into())).into()
}
