//! Jobs in pieces, for `webmill.spark`: what its tasks call, over rows of Arrow, JSON and files of the task's own folder.

mod count;
mod dedup;
mod extract;
mod graph;

use std::collections::BTreeMap;
use std::path::Path;

use polars_arrow::array::{Array, PrimitiveArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use webmill_capture::Error;
use webmill_jobs::recipe::Recipe;

use crate::arrow::{Strings, column};
use crate::fault::{Fault, config};

/// Puts classes and functions into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<extract::ExtractPieces>()?;
    module.add_class::<dedup::BucketJoin>()?;
    module.add_class::<dedup::Connected>()?;
    module.add_class::<count::Kernel>()?;
    module.add_function(wrap_pyfunction!(extract::find_shards, module)?)?;
    module.add_function(wrap_pyfunction!(extract::sniff_shard, module)?)?;
    module.add_function(wrap_pyfunction!(extract::split_shards, module)?)?;
    module.add_function(wrap_pyfunction!(extract::split_fits, module)?)?;
    module.add_function(wrap_pyfunction!(extract::smallest_keys, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::bands_of, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::close_buckets, module)?)?;
    module.add_function(wrap_pyfunction!(dedup::dedup_settings, module)?)?;
    module.add_function(wrap_pyfunction!(count::link_targets, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_settings, module)?)?;
    module.add_function(wrap_pyfunction!(graph::rank_nodes, module)?)?;
    module.add_function(wrap_pyfunction!(table_columns, module)?)?;
    Ok(())
}

/// Names and types of the columns of a table, as `webmill schema` has them, as JSON.
#[pyfunction]
fn table_columns(table: &str) -> PyResult<String> {
    let tables =
        webmill_jobs::builtin::registry().tables().into_iter().chain(webmill_jobs::count::pieces::tables());
    let found = tables.into_iter().find(|one| one.name == table);
    let found = found.ok_or_else(|| config(format!("no table is called {table:?}")))?;
    let columns = found.columns.iter().map(|column| (column.name.clone(), column.kind.to_string()));
    to_json(&columns.collect::<Vec<_>>())
}

/// A recipe as tasks are given it: its text and name, and what overrides it as JSON.
type RecipeParts = (Option<String>, Option<String>, Option<String>);

fn recipe((text, name, overrides): RecipeParts) -> PyResult<Recipe> {
    let path = name.as_deref().map(Path::new);
    let mut recipe = Recipe::of_text(text.as_deref().unwrap_or_default(), path).map_err(Fault::from)?;
    if let Some(json) = overrides {
        let tables: BTreeMap<String, BTreeMap<String, toml::Value>> = of_json(&json)?;
        for (table, values) in tables {
            values.into_iter().for_each(|(name, value)| recipe.set(&table, &name, value));
        }
    }
    Ok(recipe)
}

fn of_json<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|e| config(format!("not what is needed: {e}")))
}

fn to_json(value: &impl Serialize) -> PyResult<String> {
    Ok(serde_json::to_string(value).map_err(|e| Fault::from(Error::Internal(e.to_string())))?)
}

/// A column of texts.
fn texts<'a>(chunk: &'a dyn Array, name: &str) -> PyResult<Strings<'a>> {
    let strings = Strings::of(column(chunk, name)?);
    strings.ok_or_else(|| PyTypeError::new_err(format!("column {name:?} holds no strings or bytes")))
}

/// A value of a column of texts; empty where it is null.
fn text<'a>(strings: &Strings<'a>, row: usize) -> PyResult<&'a str> {
    let bytes = strings.get(row).unwrap_or_default();
    std::str::from_utf8(bytes).map_err(|_| PyTypeError::new_err("a text is not UTF-8"))
}

/// A column of whole numbers of 64 bits.
fn numbers<'a>(chunk: &'a dyn Array, name: &str) -> PyResult<&'a PrimitiveArray<i64>> {
    let numbers = column(chunk, name)?.as_any().downcast_ref();
    numbers.ok_or_else(|| PyTypeError::new_err(format!("column {name:?} holds no numbers of 64 bits")))
}
