//! Where pages come from: results of `extract`, a folder of classes, or a file of lines; read in bounded batches, in one order.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_mill::{LinkRow, TextRow};
use webmill_run::{Cancel, Committed, Inputs, Runtime};
use webmill_table::{Reader, TextEnum, columns, part_files};

use super::labels::{ColumnNames, each_line};
use super::page::{LearnPage, Reading, of_file, of_line};

/// Pages that are held at a time; a multiple of those that are counted at a time.
pub const BATCH: usize = 1024;

/// Texts of links of one page that are looked at.
const ANCHORS: usize = 50;

/// Bytes of a file that are read.
const MAX_FILE: u64 = 64 << 20;

/// Pages, found and not read yet.
pub enum Source {
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
    /// Names of columns.
    pub columns: ColumnNames,
    /// Whether texts of links that lead to pages of results are read.
    pub anchors: bool,
    /// Bytes that may be held.
    pub memory: u64,
}

/// What was left out, by reason.
pub type LeftOut = BTreeMap<String, u64>;

columns! {
    struct Text from TextRow { url, url_key, host, domain, is_current, title, text, language, page_type }
}

columns! {
    struct Anchor from LinkRow { target_key, anchor }
}

impl Source {
    /// Finds pages at a path: a folder of results, of classes, or a file.
    ///
    /// # Errors
    /// Where there is nothing, or nothing in it.
    pub fn find(path: &Path) -> Result<Source> {
        let about = std::fs::metadata(path).at(path)?;
        if about.is_file() {
            return Ok(Source::Lines(path.to_path_buf()));
        }
        if path.join("webmill.json").is_file() {
            return Ok(Source::Results(Box::new(crate::job::latest(path, "extract")?)));
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
        Ok(Source::Folder(files))
    }

    /// What it is told by from other pages.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn inputs(&self, runtime: &Runtime<'_>) -> Result<Inputs> {
        match self {
            Source::Results(extract) => Ok(Inputs::of_jobs([&**extract])),
            Source::Folder(files) => Inputs::of_files(files, None, runtime.cancel),
            Source::Lines(path) => of_file_inputs(path, runtime.cancel),
        }
    }

    /// Whether pages have labels of their own: folders, or a column.
    pub fn is_labelled(&self) -> bool {
        !matches!(self, Source::Results(_))
    }

    /// Reads all pages, and gives them in batches of at most [`BATCH`]. Labels of folders and lines stand in the pages.
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
            Source::Results(extract) => of_results(extract, how, cancel, &mut each),
            Source::Folder(files) => of_folder(files, how, cancel, &mut each),
            Source::Lines(path) => of_lines(path, how, cancel, &mut each),
        }
    }
}

/// The inputs that a file is.
pub fn of_file_inputs(path: &Path, cancel: &Cancel) -> Result<Inputs> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Inputs::of_files(&[(path.to_path_buf(), name)], None, cancel)
}

fn of_folder(
    files: &[(PathBuf, String)],
    how: &ReadAs,
    cancel: &Cancel,
    each: &mut impl FnMut(Vec<LearnPage>) -> Result<()>,
) -> Result<LeftOut> {
    let mut left_out = LeftOut::new();
    for files in files.chunks(BATCH) {
        cancel.check()?;
        let read: Vec<Result<Result<LearnPage, &'static str>>> = files
            .par_iter()
            .with_max_len(16)
            .map(|(path, name)| {
                if std::fs::metadata(path).at(path)?.len() > MAX_FILE {
                    return Ok(Err("too-large-file"));
                }
                let page = of_file(name, &std::fs::read(path).at(path)?, how.reading);
                Ok(page.map(|mut page| {
                    page.labels =
                        name.split_once('/').map(|(class, _)| class.to_owned()).into_iter().collect();
                    page
                }))
            })
            .collect();
        let mut pages = Vec::with_capacity(files.len());
        for page in read {
            match page? {
                Ok(page) => pages.push(page),
                Err(reason) => *left_out.entry(reason.to_owned()).or_default() += 1,
            }
        }
        each(pages)?;
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
                let mut page = of_line(line.url.as_deref(), &line.title, line.text, line.number.to_string());
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

fn of_results(
    extract: &Committed,
    how: &ReadAs,
    cancel: &Cancel,
    each: &mut impl FnMut(Vec<LearnPage>) -> Result<()>,
) -> Result<LeftOut> {
    let mut left_out = LeftOut::new();
    let parts = part_files(&extract.path("texts"))?;
    // With texts of links: so many files at a time as their pages' may be held of.
    let mut from = 0;
    while from < parts.len() {
        let mut anchors = Anchors::default();
        let mut to = parts.len();
        if how.anchors {
            to = from;
            while to < parts.len() && anchors.room(how.memory) {
                anchors.expect(&parts[to])?;
                to += 1;
            }
            anchors.read(extract, cancel)?;
        }
        let mut reader = Reader::<Text>::over(parts[from..to].to_vec());
        while let Some(batch) = reader.next()? {
            cancel.check()?;
            let mut pages = Vec::new();
            for row in batch.rows() {
                if !row.is_current {
                    *left_out.entry("superseded-capture".into()).or_default() += 1;
                    continue;
                }
                pages.push(LearnPage {
                    url: row.url.to_owned(),
                    key: row.url_key.0,
                    host: row.host.to_owned(),
                    domain: row.domain.to_owned(),
                    file: String::new(),
                    title: row.title.unwrap_or_default().to_owned(),
                    text: row.text.to_owned(),
                    language: row.language.unwrap_or_default().to_owned(),
                    page_type: row.page_type.as_str().to_owned(),
                    anchors: anchors.texts.remove(&row.url_key.0).unwrap_or_default(),
                    labels: Vec::new(),
                });
                if pages.len() == BATCH {
                    each(std::mem::take(&mut pages))?;
                }
            }
            if !pages.is_empty() {
                each(pages)?;
            }
        }
        from = to;
    }
    Ok(left_out)
}

/// Texts of links, by the page that they lead to.
#[derive(Default)]
struct Anchors {
    texts: HashMap<u128, Vec<String>>,
}

impl Anchors {
    /// What the texts of links of one page take, as a rule.
    const PAGE: u64 = 1 << 10;

    fn room(&self, memory: u64) -> bool {
        (self.texts.len() as u64 * Self::PAGE) < memory / 4
    }

    fn expect(&mut self, part: &Path) -> Result<()> {
        let mut reader = Reader::<Key>::over(vec![part.to_path_buf()]);
        while let Some(batch) = reader.next()? {
            batch.rows().for_each(|row| {
                self.texts.insert(row.url_key.0, Vec::new());
            });
        }
        Ok(())
    }

    fn read(&mut self, extract: &Committed, cancel: &Cancel) -> Result<()> {
        let mut reader = Reader::<Anchor>::open(&extract.path("links"))?;
        while let Some(batch) = reader.next()? {
            cancel.check()?;
            for row in batch.rows().filter(|row| !row.anchor.is_empty()) {
                if let Some(texts) =
                    self.texts.get_mut(&row.target_key.0).filter(|texts| texts.len() < ANCHORS)
                    && !texts.iter().any(|text| text == row.anchor)
                {
                    texts.push(row.anchor.chars().take(200).collect());
                }
            }
        }
        Ok(())
    }
}

columns! {
    struct Key from TextRow { url_key }
}
