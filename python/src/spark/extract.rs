//! The pass of `extract` by splits.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use webmill_jobs::extract::pieces::{self, PartFile, Pieces, Split, TableFile};
use webmill_jobs::inputs::Shards;
use webmill_jobs::walk::Walked;
use webmill_run::{Reject, Silent};
use webmill_shard::Input;

use super::{RecipeParts, of_json, recipe, to_json};
use crate::fault::Fault;

/// Bytes with what they are of.
type NamedBytes<'py> = (String, u64, Bound<'py, PyBytes>);

/// `extract` in pieces: all work of a task.
#[pyclass(frozen, module = "webmill")]
pub struct ExtractPieces(Pieces);

#[pymethods]
impl ExtractPieces {
    /// With a recipe, and with what `learn` gave of all hosts.
    #[new]
    #[pyo3(signature = (settings, learnt = Vec::new()))]
    fn new(settings: RecipeParts, learnt: Vec<Vec<u8>>) -> PyResult<Self> {
        let pieces = Pieces::new(&recipe(settings)?).map_err(Fault::from)?;
        Ok(ExtractPieces(pieces.with_templates(&learnt).map_err(Fault::from)?))
    }

    /// Names of the tables that come of it.
    #[getter]
    fn tables(&self) -> Vec<String> {
        self.0.tables().into_iter().map(|table| table.name).collect()
    }

    /// The settings of the recipe's table `[extract]`, as JSON.
    #[getter]
    fn settings(&self) -> PyResult<String> {
        to_json(self.0.settings())
    }

    /// Maps a split (JSON): its rows lie in the folder then; what it says of itself, as JSON.
    fn map(&self, py: Python<'_>, split: &str, folder: PathBuf) -> PyResult<String> {
        let split: Split = of_json(split)?;
        let mapped = py.detach(|| self.0.map(&split, &folder)).map_err(Fault::from)?;
        to_json(&mapped)
    }

    /// The hosts of a split: name, pages, smallest hashes of URLs.
    fn hosts<'py>(&self, py: Python<'py>, split: &str, folder: PathBuf) -> PyResult<Vec<NamedBytes<'py>>> {
        let split: Split = of_json(split)?;
        let hosts = py.detach(|| self.0.hosts(&split, &folder)).map_err(Fault::from)?;
        Ok(hosts.into_iter().map(|(host, pages, keys)| (host, pages, PyBytes::new(py, &keys))).collect())
    }

    /// The sampled pages of a split, of hosts with the hashes that are looked at: host, hash, page.
    fn samples<'py>(
        &self,
        py: Python<'py>,
        split: &str,
        hosts: BTreeMap<String, Vec<u8>>,
        folder: PathBuf,
    ) -> PyResult<Vec<NamedBytes<'py>>> {
        let split: Split = of_json(split)?;
        let pages = py.detach(|| self.0.samples(&split, &hosts, &folder)).map_err(Fault::from)?;
        Ok(pages.into_iter().map(|(host, key, page)| (host, key, PyBytes::new(py, &page))).collect())
    }

    /// The template learnt from the sampled pages (hash, page) of a host with this many captures.
    fn learn<'py>(
        &self,
        py: Python<'py>,
        host: String,
        captures: u64,
        pages: Vec<(u64, Vec<u8>)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let each = || pages.iter().map(|(key, page)| (*key, page.as_slice()));
        let learnt = py.detach(|| self.0.learn(host, captures, each())).map_err(Fault::from)?;
        Ok(PyBytes::new(py, &learnt))
    }

    /// Writes table `templates` into a folder.
    fn write_templates(&self, py: Python<'_>, learnt: Vec<Vec<u8>>, folder: PathBuf) -> PyResult<()> {
        Ok(py.detach(|| self.0.write_templates(&learnt, &folder)).map_err(Fault::from)?)
    }

    /// Writes table `rejects` into a folder, of rejects as JSON.
    fn write_rejects(&self, rejects: &str, folder: PathBuf) -> PyResult<()> {
        let rejects: Vec<Reject> = of_json(rejects)?;
        Ok(self.0.write_rejects(&rejects, &folder).map_err(Fault::from)?)
    }

    /// The files of all tables from all parts in their order; both as JSON.
    fn plan(&self, parts: &str) -> PyResult<String> {
        let parts: Vec<PartFile> = of_json(parts)?;
        to_json(&self.0.plan(&parts))
    }

    /// Writes a file of a table from its parts in the folder, each with the rows of captures that are superseded; its path.
    fn write(&self, py: Python<'_>, file: &str, parts: &str, folder: PathBuf) -> PyResult<PathBuf> {
        let (file, parts): (TableFile, Vec<(PartFile, Vec<u64>)>) = (of_json(file)?, of_json(parts)?);
        Ok(py.detach(|| self.0.write(&file, &parts, &folder)).map_err(Fault::from)?)
    }

    /// Copies the rows that stay of a file of table `media` that lies in the folder; the path of the copy.
    fn write_media(
        &self,
        py: Python<'_>,
        number: usize,
        kept: Vec<u64>,
        folder: PathBuf,
    ) -> PyResult<PathBuf> {
        Ok(py.detach(|| self.0.write_media(number, &kept, &folder)).map_err(Fault::from)?)
    }
}

/// Shards in files, folders and patterns of this machine, and rejects for what was found and is none; both as JSON.
///
/// A shard: path, name, grammar and compression, bytes.
#[pyfunction]
pub fn find_shards(py: Python<'_>, paths: Vec<String>) -> PyResult<(String, String)> {
    let (inputs, unread) = py.detach(|| Shards::find(&paths, &Silent)).map_err(Fault::from)?;
    let shard = |input: &Input| {
        let name = input.name.to_string();
        (input.path.clone(), name, (input.format, input.container), input.bytes)
    };
    let rejects: Vec<Reject> = unread.iter().map(|file| file.reject()).collect();
    Ok((to_json(&inputs.iter().map(shard).collect::<Vec<_>>())?, to_json(&rejects)?))
}

/// Grammar and compression of a shard by its first bytes (64 KiB are plenty), as JSON; `None` for no shard.
#[pyfunction]
pub fn sniff_shard(start: &[u8]) -> PyResult<Option<String>> {
    webmill_shard::sniff(start).map(|kind| to_json(&kind)).transpose()
}

/// The splits of shards, of this many bytes each; 0 chooses by the size of each shard, as `webmill extract` does. Both as JSON.
#[pyfunction]
pub fn split_shards(shards: &str, split_bytes: u64) -> PyResult<String> {
    let shards: Vec<(PathBuf, String, _, u64)> = of_json(shards)?;
    let known = |(path, name, kind, bytes): (PathBuf, String, _, u64)| {
        Input::known(path, name.as_str().into(), kind, bytes)
    };
    to_json(&pieces::splits(&shards.into_iter().map(known).collect::<Vec<_>>(), split_bytes))
}

/// Whether a split begins where the one before it ended.
#[pyfunction]
pub fn split_fits(before: &str, split: &str, walked: &str) -> PyResult<bool> {
    let (before, walked): (Walked, Walked) = (of_json(before)?, of_json(walked)?);
    Ok(pieces::fits(before, &of_json(split)?, walked))
}

/// The smallest of several lists of hashes, as many as are compared for a host with this many captures.
#[pyfunction]
pub fn smallest_keys<'py>(py: Python<'py>, keys: Vec<Vec<u8>>, captures: u64) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &pieces::smallest(keys.iter().map(Vec::as_slice), captures))
}
