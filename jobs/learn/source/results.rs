//! Pages of results: texts, with the texts of links that lead to them.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use webmill_capture::Result;
use webmill_mill::{LinkRow, TextRow};
use webmill_run::{Cancel, Committed};
use webmill_table::{Reader, columns, part_files};

use super::{BATCH, Batches, LeftOut, ReadAs};
use crate::learn::page::LearnPage;

/// Texts of links of one page that are looked at.
const ANCHORS: usize = 50;

columns! {
    struct Text from TextRow { url, url_key, host, domain, is_current, title, text, language, page_type }
}

columns! {
    struct Anchor from LinkRow { target_key, anchor }
}

/// Pages of the texts of results. With texts of links: as many files at a time as the link texts of their pages fit in memory.
pub struct ResultPages<'a> {
    extract: &'a Committed,
    how: &'a ReadAs,
    cancel: &'a Cancel,
    /// Files of texts that come later.
    parts: VecDeque<PathBuf>,
    reader: Reader<Text<'static>>,
    /// Pages of the row group that is read.
    pages: std::vec::IntoIter<LearnPage>,
    anchors: Anchors,
}

impl<'a> ResultPages<'a> {
    /// Over all texts.
    ///
    /// # Errors
    /// Where they cannot be listed.
    pub fn new(extract: &'a Committed, how: &'a ReadAs, cancel: &'a Cancel) -> Result<Self> {
        let parts = part_files(&extract.path("texts"))?.into();
        let (reader, pages) = (Reader::over(Vec::new()), Vec::new().into_iter());
        Ok(ResultPages { extract, how, cancel, parts, reader, pages, anchors: Anchors::default() })
    }

    /// Begins with the next files; whether there are any.
    fn advance(&mut self) -> Result<bool> {
        let mut parts = Vec::new();
        self.anchors = Anchors::default();
        if self.how.anchors {
            while self.anchors.room(self.how.memory)
                && let Some(part) = self.parts.pop_front()
            {
                self.anchors.expect(&part)?;
                parts.push(part);
            }
            self.anchors.read(self.extract, self.cancel)?;
        } else {
            parts = std::mem::take(&mut self.parts).into();
        }
        let is_more = !parts.is_empty();
        self.reader = Reader::over(parts);
        Ok(is_more)
    }

    /// Pages of the next row group; whether there is one.
    fn row_group(&mut self, left_out: &mut LeftOut) -> Result<bool> {
        let rows = loop {
            match self.reader.next()? {
                Some(rows) => break rows,
                None if self.advance()? => {}
                None => return Ok(false),
            }
        };
        let mut pages = Vec::new();
        for row in rows.rows() {
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
                anchors: self.anchors.texts.remove(&row.url_key.0).unwrap_or_default(),
                labels: Vec::new(),
            });
        }
        self.pages = pages.into_iter();
        Ok(true)
    }
}

impl Batches for ResultPages<'_> {
    fn next(&mut self, left_out: &mut LeftOut) -> Result<Option<Vec<LearnPage>>> {
        while self.pages.len() == 0 {
            if !self.row_group(left_out)? {
                return Ok(None);
            }
        }
        Ok(Some(self.pages.by_ref().take(BATCH).collect()))
    }
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
