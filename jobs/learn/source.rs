//! Where pages come from: results of `extract`, a folder of classes, or a file of lines; read in bounded batches, in one order.

mod folder;
mod results;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Cancel, Committed, Inputs, Runtime};

use self::folder::FolderPages;
use self::results::ResultPages;
use super::labels::{ColumnNames, each_line};
use super::page::{LearnPage, NeededFacts, Reading, of_line};

/// Pages that are held at a time; a multiple of those that are counted at a time.
pub const BATCH: usize = 1024;

/// Pages, found and not read yet.
pub enum PageSource {
    /// Results of `extract`.
    Results(Box<Committed>),
    /// Files of a folder: path, and name below the folder.
    Folder(Vec<(PathBuf, String)>),
    /// Lines of a file.
    Lines(PathBuf),
}

/// How pages are read.
#[derive(Debug, Clone)]
pub struct ReadAs {
    /// How files become pages.
    pub reading: Reading,
    /// Facts needed about pages beyond their texts.
    pub wanted: NeededFacts,
    /// Names of columns.
    pub columns: ColumnNames,
    /// Whether texts of links that lead to pages of results are read.
    pub anchors: bool,
    /// Bytes that may be held.
    pub memory: u64,
}

/// What was left out, by reason.
pub type LeftOut = BTreeMap<String, u64>;

impl PageSource {
    /// Finds pages at a path: a folder of results, of classes, or a file.
    ///
    /// # Errors
    /// Where there is nothing, or nothing in it.
    pub fn find(path: &Path) -> Result<PageSource> {
        let about = std::fs::metadata(path).at(path)?;
        if about.is_file() {
            return Ok(PageSource::Lines(path.to_path_buf()));
        }
        if path.join("webmill.json").is_file() {
            return Ok(PageSource::Results(Box::new(crate::job::latest(path, "extract")?)));
        }
        let mut files = Vec::new();
        for entry in walkdir::WalkDir::new(path).follow_links(true).sort_by_file_name() {
            let entry = entry.map_err(|e| match (e.path().map(Path::to_path_buf), e.into_io_error()) {
                (Some(at), Some(source)) => Error::io(at, source),
                (at, _) => Error::Config(format!(
                    "{}: links of folders lead in circles",
                    at.unwrap_or_default().display()
                )),
            })?;
            if entry.file_type().is_file() {
                let below = entry.path().strip_prefix(path).unwrap_or(entry.path());
                let name = below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
                files.push((entry.path().to_path_buf(), name));
            }
        }
        if files.is_empty() {
            return Err(Error::Config(format!("{}: the folder holds no files", path.display())));
        }
        Ok(PageSource::Folder(files))
    }

    /// What it is told by from other pages.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn inputs(&self, runtime: &Runtime<'_>) -> Result<Inputs> {
        match self {
            PageSource::Results(extract) => Ok(Inputs::of_jobs([&**extract])),
            PageSource::Folder(files) => Inputs::of_files(files, None, runtime.cancel),
            PageSource::Lines(path) => of_file_inputs(path, runtime.cancel),
        }
    }

    /// Whether pages have labels of their own: folders, or a column.
    pub fn is_labelled(&self) -> bool {
        !matches!(self, PageSource::Results(_))
    }

    /// Reads all pages, and gives them in batches of at most [`BATCH`], of which the next is read meanwhile. Labels of folders and lines stand
    /// in the pages.
    ///
    /// # Errors
    /// Where something cannot be read; what `each` meets.
    pub fn each(
        &self,
        how: &ReadAs,
        cancel: &Cancel,
        mut each: impl FnMut(Vec<LearnPage>) -> Result<()>,
    ) -> Result<LeftOut> {
        match self {
            PageSource::Results(extract) => ahead(ResultPages::new(extract, how, cancel)?, cancel, each),
            PageSource::Folder(files) => ahead(FolderPages::new(files, how), cancel, each),
            PageSource::Lines(path) => of_lines(path, how, cancel, &mut each),
        }
    }
}

/// The inputs of a run over a single file, for its key.
pub fn of_file_inputs(path: &Path, cancel: &Cancel) -> Result<Inputs> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Inputs::of_files(&[(path.to_path_buf(), name)], None, cancel)
}

/// What gives pages batch by batch.
trait Batches: Send {
    /// The next ones, none at the end; counts what it leaves out.
    fn next(&mut self, left_out: &mut LeftOut) -> Result<Option<Vec<LearnPage>>>;
}

/// Gives batches on, each while the next one is read.
fn ahead(
    mut batches: impl Batches,
    cancel: &Cancel,
    mut each: impl FnMut(Vec<LearnPage>) -> Result<()>,
) -> Result<LeftOut> {
    let mut left_out = LeftOut::new();
    let mut ready = batches.next(&mut left_out)?;
    while let Some(pages) = ready.take() {
        cancel.check()?;
        let mut read = Ok(None);
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| read = batches.next(&mut left_out));
            each(pages)
        })?;
        ready = read?;
    }
    Ok(left_out)
}

fn of_lines(
    path: &Path,
    how: &ReadAs,
    cancel: &Cancel,
    each: &mut impl FnMut(Vec<LearnPage>) -> Result<()>,
) -> Result<LeftOut> {
    let mut left_out = LeftOut::new();
    let mut lines = Vec::new();
    let mut flush = |lines: &mut Vec<super::labels::Line>| {
        cancel.check()?;
        let pages = std::mem::take(lines)
            .into_par_iter()
            .with_max_len(64)
            .map(|line| {
                let mut page =
                    of_line(line.url.as_deref(), &line.title, line.text, line.place.to_string(), how.wanted);
                page.labels = line.label.map(|label| label.trim().to_owned()).into_iter().collect();
                page
            })
            .collect();
        each(pages)
    };
    each_line(path, &how.columns, how.memory / 4, |line| {
        match line {
            Some(line) => lines.push(line),
            None => *left_out.entry("damaged-line".into()).or_default() += 1,
        }
        if lines.len() == BATCH { flush(&mut lines) } else { Ok(()) }
    })?;
    if !lines.is_empty() {
        flush(&mut lines)?;
    }
    Ok(left_out)
}
