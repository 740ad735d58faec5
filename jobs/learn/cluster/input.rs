//! The pages to cluster: the texts of `extract`, a folder of files, or lines of a table; and labels.

use std::collections::BTreeMap;
use std::path::Path;

use webmill_capture::{Error, Result};
use webmill_run::{Committed, Inputs, JobInput, Runtime};

use crate::learn::labels::{ColumnNames, each_line};
use crate::learn::source::PageSource;

/// The pages to cluster.
pub struct ClusterInput {
    pub source: PageSource,
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
        Self::of(PageSource::Results(Box::new(extract)), labels, runtime)
    }

    /// What lies at a path.
    ///
    /// # Errors
    /// Where there is nothing, or it cannot be read.
    pub fn files(path: &Path, labels: Option<&Path>, runtime: &Runtime<'_>) -> Result<Self> {
        Self::of(PageSource::find(path)?, labels, runtime)
    }

    fn of(source: PageSource, labels: Option<&Path>, runtime: &Runtime<'_>) -> Result<Self> {
        let mut inputs = source.inputs(runtime)?;
        if let Some(path) = labels {
            let of_labels = Inputs::of_files(&[(path.to_path_buf(), "labels".into())], None, runtime.cancel)?;
            inputs.files.extend(of_labels.files);
            inputs.paths.extend(of_labels.paths);
        }
        Ok(ClusterInput {
            source,
            labels: labels.map(|path| read_labels(path, runtime.memory)).transpose()?,
            inputs,
        })
    }
}

/// Reads a table of labels by URL or file.
fn read_labels(path: &Path, memory: u64) -> Result<BTreeMap<String, String>> {
    let names = ColumnNames { text: "url".into(), label: "label".into() };
    let (mut labels, mut bare) = (BTreeMap::new(), 0u64);
    each_line(path, &names, memory / 4, |line| {
        match line.map(|line| (line.text, line.label)) {
            Some((url, Some(label))) => drop(labels.insert(url, label.trim().to_owned())),
            Some((_, None)) => bare += 1,
            // Said by the reader.
            None => {}
        }
        Ok(())
    })?;
    if labels.is_empty() {
        return Err(Error::Config(format!("{}: no line has a label; lines are url,label", path.display())));
    }
    if bare > 0 {
        crate::say!("{}: {bare} lines without a label are left out", path.display());
    }
    Ok(labels)
}
