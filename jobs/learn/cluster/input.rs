//! What is clustered: the texts of `extract`, or a folder of files; and labels.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Committed, Inputs, JobInput, Runtime};

/// Longest file of a folder that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// What is clustered.
pub struct ClusterInput {
    pub source: Source,
    /// Label of each URL or path.
    pub labels: Option<BTreeMap<String, String>>,
    /// Digests of the files that were named.
    files: Inputs,
}

/// Where pages come from.
pub enum Source {
    /// Texts of `extract`.
    Texts(Box<Committed>),
    /// Files, by their paths inside the folder; the folder of each is its label.
    Folder(Vec<(PathBuf, String)>),
}

impl JobInput for ClusterInput {
    fn inputs(&self) -> Inputs {
        let mut inputs = match &self.source {
            Source::Texts(extract) => Inputs::of_jobs([&**extract]),
            Source::Folder(_) => Inputs::default(),
        };
        inputs.files.clone_from(&self.files.files);
        inputs.paths.clone_from(&self.files.paths);
        inputs
    }
}

impl ClusterInput {
    /// Texts of `extract`, with the labels of a `url,label` file.
    ///
    /// # Errors
    /// Where the file cannot be read or is none.
    pub fn texts(extract: Committed, labels: Option<&Path>, runtime: &Runtime<'_>) -> Result<Self> {
        let mut read =
            ClusterInput { source: Source::Texts(Box::new(extract)), labels: None, files: Inputs::default() };
        if let Some(path) = labels {
            read.labels = Some(read_labels(path)?);
            read.files = Inputs::of_files(&[(path.to_path_buf(), "labels".into())], None, runtime.cancel)?;
        }
        Ok(read)
    }

    /// The files of a folder: `FOLDER/LABEL/…/FILE`; those that lie in it itself have no label.
    ///
    /// # Errors
    /// Where it cannot be walked, or holds no file.
    pub fn folder(folder: &Path, labels: Option<&Path>, runtime: &Runtime<'_>) -> Result<Self> {
        let mut files = Vec::new();
        walk(folder, "", &mut files)?;
        if files.is_empty() {
            return Err(Error::Config(format!("{}: no file is in this folder", folder.display())));
        }
        files.sort_by(|a, b| a.1.cmp(&b.1));
        let mut digested = files.clone();
        let given = match labels {
            Some(path) => {
                digested.push((path.to_path_buf(), "labels".into()));
                read_labels(path)?
            }
            None => {
                let label =
                    |name: &String| name.split_once('/').map(|(label, _)| (name.clone(), label.to_owned()));
                files.iter().filter_map(|(_, name)| label(name)).collect()
            }
        };
        let digests = Inputs::of_files(&digested, None, runtime.cancel)?;
        let labels = (!given.is_empty()).then_some(given);
        Ok(ClusterInput { source: Source::Folder(files), labels, files: digests })
    }
}

fn walk(folder: &Path, inside: &str, files: &mut Vec<(PathBuf, String)>) -> Result<()> {
    for entry in std::fs::read_dir(folder).at(folder)? {
        let entry = entry.at(folder)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let (path, name) = (entry.path(), if inside.is_empty() { name } else { format!("{inside}/{name}") });
        // A link that leads round in a circle is not followed.
        let kind = entry.file_type().at(&path)?;
        if kind.is_dir() {
            walk(&path, &name, files)?;
        } else if kind.is_file() {
            files.push((path, name));
        }
    }
    Ok(())
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

/// Title and text of a file: HTML by its main text, all else as it stands, in the encoding that its bytes look like.
///
/// # Errors
/// Why it is left out.
pub fn read_file(path: &Path) -> std::result::Result<(String, String), String> {
    let length = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if length > MAX_FILE_BYTES {
        return Err(format!("{length} bytes: at most {} MiB are read", MAX_FILE_BYTES >> 20));
    }
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let decoded = webmill_html::decode(&bytes, None, None);
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let begins = decoded.text.trim_start().get(..9).unwrap_or_default().to_ascii_lowercase();
    if matches!(extension.as_str(), "html" | "htm" | "xhtml")
        || begins.starts_with("<!doctype")
        || begins.starts_with("<html")
    {
        let dom = webmill_html::parse(&decoded.text, &webmill_html::Limits::default());
        let meta = webmill_html::metadata(&dom, None, &[]);
        let found = webmill_text::main_text(&dom, &meta, &webmill_text::TextLimits::default());
        return Ok((found.title.unwrap_or_default(), found.text));
    }
    Ok((String::new(), webmill_text::plain_text(&decoded.text, &webmill_text::TextLimits::default()).text))
}
