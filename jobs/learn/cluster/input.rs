//! What is clustered: the texts of `extract`, a folder of files, or lines of a table; and labels.

use std::collections::BTreeMap;
use std::path::Path;

use webmill_capture::{Error, Result};
use webmill_run::{Committed, Inputs, JobInput, Runtime};

use crate::learn::source::Source;

/// What is clustered.
pub struct ClusterInput {
    pub source: Source,
    /// Label of each URL or file, where a file of them was given.
    pub labels: Option<BTreeMap<String, String>>,
    inputs: Inputs,
}

impl JobInput for ClusterInput {
    fn inputs(&self) -> Inputs {
        self.inputs.clone()
    }
}

impl ClusterInput {
    /// Texts of `extract`.
    ///
    /// # Errors
    /// Where the file of labels cannot be read or is none.
    pub fn texts(extract: Committed, labels: Option<&Path>, runtime: &Runtime<'_>) -> Result<Self> {
        Self::of(Source::Results(Box::new(extract)), labels, runtime)
    }

    /// What lies at a path.
    ///
    /// # Errors
    /// Where there is nothing, or it cannot be read.
    pub fn files(path: &Path, labels: Option<&Path>, runtime: &Runtime<'_>) -> Result<Self> {
        Self::of(Source::find(path)?, labels, runtime)
    }

    fn of(source: Source, labels: Option<&Path>, runtime: &Runtime<'_>) -> Result<Self> {
        let mut inputs = source.inputs(runtime)?;
        if let Some(path) = labels {
            let of_labels = Inputs::of_files(&[(path.to_path_buf(), "labels".into())], None, runtime.cancel)?;
            inputs.files.extend(of_labels.files);
            inputs.paths.extend(of_labels.paths);
        }
        Ok(ClusterInput { source, labels: labels.map(read_labels).transpose()?, inputs })
    }
}

/// Reads `url,label` lines; a first line that says so is passed over.
fn read_labels(path: &Path) -> Result<BTreeMap<String, String>> {
    let broken = |e: &dyn std::fmt::Display| Error::Config(format!("{}: {e}", path.display()));
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).map_err(|e| broken(&e))?;
    let mut labels = BTreeMap::new();
    for (number, record) in (1..).zip(reader.records()) {
        let record = record.map_err(|e| broken(&e))?;
        let (Some(url), Some(label), None) = (record.get(0), record.get(1), record.get(2)) else {
            return Err(broken(&format!(
                "record {number} has {} columns; `url,label` has two",
                record.len()
            )));
        };
        if number == 1 && (url, label) == ("url", "label") {
            continue;
        }
        labels.insert(url.to_owned(), label.trim().to_owned());
    }
    Ok(labels)
}
