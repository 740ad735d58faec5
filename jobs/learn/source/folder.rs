//! Files of a folder, whose subfolders are their labels.

use std::collections::BTreeMap;
use std::path::PathBuf;

use encoding_rs::Encoding;
use rayon::prelude::*;
use webmill_capture::Result;
use webmill_capture::error::AtPath;

use super::{BATCH, Batches, LeftOut, ReadAs};
use crate::learn::page::{LearnPage, of_file};

/// Bytes of a file that are read.
const MAX_FILE: u64 = 64 << 20;

/// Pages of files.
pub struct FolderPages<'a> {
    batches: std::slice::Chunks<'a, (PathBuf, String)>,
    how: &'a ReadAs,
}

impl<'a> FolderPages<'a> {
    /// Over files: path, and name below the folder.
    pub fn new(files: &'a [(PathBuf, String)], how: &'a ReadAs) -> Self {
        FolderPages { batches: files.chunks(BATCH), how }
    }
}

impl Batches for FolderPages<'_> {
    fn next(&mut self, left_out: &mut LeftOut) -> Result<Option<Vec<LearnPage>>> {
        let Some(files) = self.batches.next() else { return Ok(None) };
        let read: Vec<Result<ReadFile>> =
            files.par_iter().with_max_len(16).map(|file| read_file(file, self.how, None)).collect();
        let mut read: Vec<ReadFile> = read.into_iter().collect::<Result<_>>()?;
        if let Some(common) = common_encoding(read.iter().filter_map(|file| file.as_ref().ok()?.1)) {
            let other = |file: &ReadFile| matches!(file, Ok((_, Some(guessed))) if *guessed != common);
            for (at, file) in files.iter().enumerate() {
                if other(&read[at]) {
                    read[at] = read_file(file, self.how, Some(common))?;
                }
            }
        }
        let mut pages = Vec::with_capacity(files.len());
        for page in read {
            match page {
                Ok((page, _)) => pages.push(page),
                Err(reason) => *left_out.entry(reason.to_owned()).or_default() += 1,
            }
        }
        Ok(Some(pages))
    }
}

/// A page with the encoding that was guessed, or why there is none.
type ReadFile = std::result::Result<(LearnPage, Option<&'static Encoding>), &'static str>;

fn read_file(
    (path, name): &(PathBuf, String),
    how: &ReadAs,
    encoding: Option<&'static Encoding>,
) -> Result<ReadFile> {
    if std::fs::metadata(path).at(path)?.len() > MAX_FILE {
        return Ok(Err("too-large-file"));
    }
    let read = of_file(name, &std::fs::read(path).at(path)?, how.reading, how.wanted, encoding);
    Ok(read.map(|(mut page, guessed)| {
        page.labels = name.split_once('/').map(|(class, _)| class.to_owned()).into_iter().collect();
        (page, guessed)
    }))
}

/// The encoding that nine in ten of at least ten files were guessed to be in: the others, short ones as a rule, are tried in it too.
fn common_encoding(guessed: impl Iterator<Item = &'static Encoding>) -> Option<&'static Encoding> {
    let mut counts: BTreeMap<&'static str, (usize, &'static Encoding)> = BTreeMap::new();
    let mut all = 0;
    for encoding in guessed {
        all += 1;
        counts.entry(encoding.name()).or_insert((0, encoding)).0 += 1;
    }
    let (count, encoding) = counts.into_values().max_by_key(|(count, _)| *count)?;
    (all >= 10 && 10 * count >= 9 * all).then_some(encoding)
}
