//! A stored Web: the current pages of an `extract` run with their texts and links, in memory.
//!
//! **Definition.** A page is a current capture of table `pages`; its links are those of that capture that a crawl would follow. Links to URLs
//! that are no page of the run lead nowhere and are counted.
//!
//! **Cost.** Texts and links in memory; [`StoredWeb::read`] refuses what goes beyond the memory that it may use.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail};
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_mill::{LinkRow, PageRow, TextRow};
use webmill_run::Job as _;
use webmill_table::{Reader, columns};

use super::links::{Headings, is_followed};
use crate::current_captures::place;
use crate::extract::Extract;
use crate::job::latest;

columns! {
    struct Known from PageRow { url, url_key, is_current, title, warc_filename, warc_record_offset }
}

columns! {
    struct Said from TextRow { url_key, is_current, title, text }
}

columns! {
    struct Linked from LinkRow { source_key, target_key, anchor, before, after, kind, nofollow, warc_filename, warc_record_offset }
}

/// A page.
#[derive(Debug)]
pub struct StoredPage {
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its title; empty where it has none.
    pub title: String,
    /// Its main text; empty where it has none.
    pub text: String,
    /// Its links, in order.
    pub links: Vec<StoredLink>,
}

/// A link.
#[derive(Debug)]
pub struct StoredLink {
    /// Number of the page that it leads to.
    pub target: u32,
    /// Its text.
    pub anchor: Box<str>,
    /// The text before it.
    pub before: Box<str>,
    /// The text behind it.
    pub after: Box<str>,
    /// The heading above it.
    pub heading: Box<str>,
}

/// The pages of a run.
#[derive(Debug, Default)]
pub struct StoredWeb {
    /// In the order of table `pages`.
    pub pages: Vec<StoredPage>,
    /// Their numbers.
    pub numbers: HashMap<UrlKey, u32>,
    /// Links to what is no page of the run.
    pub links_outside: u64,
}

impl StoredWeb {
    /// Reads the pages of a run.
    ///
    /// # Errors
    /// Results that cannot be read, or that take more than `memory` bytes.
    pub fn read(results: &Path, memory: u64) -> Result<StoredWeb> {
        let extract = latest(results, Extract::NAME)?;
        let mut web = StoredWeb::default();
        let mut places: Vec<u64> = Vec::new();
        let mut bytes = 0u64;
        let mut admit = |more: usize| {
            bytes += more as u64;
            if bytes > memory {
                bail!(
                    "{}: its texts and links take more than {} MiB: raise --memory",
                    results.display(),
                    memory >> 20
                );
            }
            Ok(())
        };
        let mut reader = Reader::<Known>::open(&extract.path("pages"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.is_current) {
                let Some(url) = CanonicalUrl::parse_stored(row.url) else { continue };
                admit(2 * url.as_str().len() + size_of::<StoredPage>() + 64)?;
                web.numbers.insert(UrlKey(row.url_key.0), web.pages.len() as u32);
                places.push(place(row.warc_filename, row.warc_record_offset));
                let title = row.title.unwrap_or_default().to_owned();
                web.pages.push(StoredPage { url, title, text: String::new(), links: Vec::new() });
            }
        }
        let mut reader = Reader::<Said>::open(&extract.path("texts"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.is_current) {
                let Some(number) = web.numbers.get(&UrlKey(row.url_key.0)) else { continue };
                admit(row.text.len())?;
                let page = &mut web.pages[*number as usize];
                row.text.clone_into(&mut page.text);
                if let Some(title) = row.title {
                    title.clone_into(&mut page.title);
                }
            }
        }
        let links = extract.path("links");
        let (mut reader, mut headings) = (Reader::<Linked>::open(&links)?, Headings::open(&links)?);
        while let Some(batch) = reader.next()? {
            headings.advance()?;
            for (n, row) in batch.rows().enumerate() {
                let Some(source) = web.numbers.get(&UrlKey(row.source_key.0)).copied() else { continue };
                let followed = !row.nofollow && is_followed(row.kind);
                if !followed || places[source as usize] != place(row.warc_filename, row.warc_record_offset) {
                    continue;
                }
                let Some(target) = web.numbers.get(&UrlKey(row.target_key.0)).copied() else {
                    web.links_outside += 1;
                    continue;
                };
                let heading = headings.of(n);
                let texts = [row.anchor, row.before, row.after, heading];
                admit(texts.map(str::len).iter().sum::<usize>() + size_of::<StoredLink>())?;
                web.pages[source as usize].links.push(StoredLink {
                    target,
                    anchor: row.anchor.into(),
                    before: row.before.into(),
                    after: row.after.into(),
                    heading: heading.into(),
                });
            }
        }
        Ok(web)
    }

    /// The number of a page.
    pub fn number(&self, url: &CanonicalUrl) -> Option<u32> {
        self.numbers.get(&url.key()).copied()
    }
}
