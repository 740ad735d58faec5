//! Feeding the graph's builder from tables `pages` and `links`.

use std::iter::Peekable;
use std::path::PathBuf;

use webmill_capture::{CanonicalUrl, Result, UrlKey};
use webmill_graph::{GraphBuilder, LinkInput, NumberedNode, PageInput};
use webmill_mill::{LinkElement, LinkRow, PageRow, WarcType};
use webmill_run::{Committed, Stage};
use webmill_sort::{Budget, RowSorter, SortedRows, look_up};
use webmill_table::{Reader, columns, part_files};

use super::sources::Sources;
use super::tables::Crawled;
use crate::current_captures::{self, place};
use crate::job::groups_at_once;

/// Attribute of a page that was crawled; a redirecting URL has another, which counts less than being crawled.
pub const CRAWLED: &[u8] = b"0";
/// Attribute of a URL that is only known to redirect.
pub const REDIRECTS: &[u8] = b"1";

columns! {
    struct CaptureColumns from PageRow {
        url, url_sortkey, url_origin, is_html, page_type, fetch_status, warc_type, warc_filename, warc_record_offset,
    }
}

columns! {
    struct Linked from LinkRow {
        source_key, target_url, target_key, kind, nofollow, warc_filename, warc_record_offset,
    }
}

/// Reads tables and gives the builder what counts.
pub struct Feed<'a> {
    extract: &'a Committed,
    seed: u64,
    kinds: Vec<LinkElement>,
    budget: Budget,
    /// Row groups that are read at a time.
    at_once: usize,
    sources: Sources,
    captured: RowSorter<(String, String), u8>,
    /// Links of kinds that make no arcs.
    pub other_kinds: u64,
    /// Links of captures that are superseded.
    pub superseded_links: u64,
    /// Links whose target, or redirects whose source, is no URL.
    pub no_urls: u64,
}

impl<'a> Feed<'a> {
    /// A feed whose keys are those of `seed`.
    pub fn new(extract: &'a Committed, seed: u64, kinds: &[String], budget: &Budget) -> Self {
        Feed {
            extract,
            seed,
            kinds: kinds.iter().filter_map(|kind| kind.parse().ok()).collect(),
            sources: Sources::new(&budget.fraction(3, 8)),
            captured: RowSorter::new(&budget.fraction(1, 8)).with_unique_keys(),
            budget: budget.fraction(1, 2),
            at_once: groups_at_once(4 * budget.memory_bytes as u64),
            other_kinds: 0,
            superseded_links: 0,
            no_urls: 0,
        }
    }

    /// The key of `url` under the seed; `stored` is the one in the tables.
    fn key(&self, url: &str, stored: u128) -> u128 {
        if self.seed == 0 { stored } else { UrlKey::seeded(url, self.seed).0 }
    }

    /// Gives the current capture of each URL, and every URL that redirects.
    pub fn pages(&mut self, builder: &mut GraphBuilder) -> Result<()> {
        let parts = part_files(&self.extract.path("pages"))?;
        let mut captures = current_captures::read(&parts, &self.budget)?;
        while let Some(page) = captures.next_current(|superseded| self.sources.supersede(superseded.place))? {
            let key = self.key(&page.url, page.key);
            if self.seed != 0 {
                self.sources.rename(page.place, page.key, key)?;
            }
            builder.add_page(&PageInput {
                key,
                surt: page.surt.as_bytes(),
                url: page.url.as_bytes(),
                attributes: CRAWLED,
            })?;
        }
        self.other_captures(parts, builder)
    }

    /// Gives every URL that redirects, and keeps what captures are that are no pages.
    fn other_captures(&mut self, parts: Vec<PathBuf>, builder: &mut GraphBuilder) -> Result<()> {
        let mut reader = Reader::<CaptureColumns>::over(parts).by_threads(self.at_once);
        while let Some(batch) = reader.next()? {
            for page in batch.rows() {
                let crawled = match page.fetch_status {
                    None | Some(200..=299) if page.is_html || page.page_type.is_some() => None,
                    Some(200..=299) => Some(Crawled::Other),
                    None if page.warc_type == Some(WarcType::Resource) => Some(Crawled::Other),
                    Some(300..=399) => Some(Crawled::Redirect),
                    Some(400..=599) => Some(Crawled::Error),
                    _ => None,
                };
                if let Some(crawled) = crawled {
                    self.captured.push(&(page.url_sortkey, page.url), &(crawled as u8))?;
                }
                let redirect = matches!(page.fetch_status, Some(300..=399)).then_some(page.url);
                for source in [redirect, page.url_origin].into_iter().flatten() {
                    let Some(source) = CanonicalUrl::parse(source) else {
                        self.no_urls += 1;
                        continue;
                    };
                    let (stored, surt) = (source.key().0, source.surt());
                    let key = self.key(source.as_str(), stored);
                    if self.seed != 0 {
                        let place = place(page.warc_filename, page.warc_record_offset);
                        self.sources.rename(place, stored, key)?;
                    }
                    builder.add_page(&PageInput {
                        key,
                        surt: surt.as_bytes(),
                        url: source.as_str().as_bytes(),
                        attributes: REDIRECTS,
                    })?;
                }
            }
        }
        Ok(())
    }

    /// The facts about captures that are not HTML pages, in the order of nodes; call it after all pages.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn captured(&mut self) -> Result<CapturedUrls> {
        let empty = RowSorter::new(&self.budget);
        Ok(CapturedUrls(std::mem::replace(&mut self.captured, empty).finish()?.peekable()))
    }

    /// Gives every link of a kind that counts, of current captures.
    pub fn links(&mut self, builder: &mut GraphBuilder, stage: &Stage<'_>) -> Result<()> {
        let mut sources = std::mem::replace(&mut self.sources, Sources::new(&self.budget)).finish()?;
        let mut reader = Reader::<Linked>::open(&self.extract.path("links"))?.by_threads(self.at_once);
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            for link in batch.rows() {
                if !self.kinds.contains(&link.kind) {
                    self.other_kinds += 1;
                    continue;
                }
                let at = || place(link.warc_filename, link.warc_record_offset);
                if sources.any_superseded() && sources.is_superseded(at()) {
                    self.superseded_links += 1;
                    continue;
                }
                let target = self.key(link.target_url, link.target_key.0);
                // Most links lead where others led just before.
                let mut surt = String::new();
                if !builder.knows(target, link.target_url.as_bytes()) {
                    let Some(parsed) = CanonicalUrl::parse(link.target_url) else {
                        self.no_urls += 1;
                        continue;
                    };
                    surt = parsed.surt();
                }
                let mut source = link.source_key.0;
                if self.seed != 0 {
                    // One that is no page is counted by the builder.
                    source = sources.renamed(at(), source).unwrap_or(source);
                }
                builder.add_link(&LinkInput {
                    source,
                    target,
                    surt: surt.as_bytes(),
                    url: link.target_url.as_bytes(),
                    nofollow: link.nofollow,
                })?;
            }
            stage.progress.advance(batch.len() as u64);
        }
        Ok(())
    }
}

/// What the captures of URLs are that are no HTML pages, in the order of nodes.
pub struct CapturedUrls(Peekable<SortedRows<(String, String), u8>>);

impl CapturedUrls {
    /// What the captures of a node are at best. Nodes are asked for in their order.
    ///
    /// # Errors
    /// Where a run file cannot be read.
    pub fn of(&mut self, node: &NumberedNode<'_>) -> Result<Option<Crawled>> {
        if node.crawled && node.attributes == CRAWLED {
            return Ok(Some(Crawled::Html));
        }
        let found = look_up(&mut self.0, |(surt, url)| {
            (surt.as_bytes(), url.as_bytes()).cmp(&(node.surt, node.url))
        })?;
        let stored = found.and_then(|code| Crawled::of(*code));
        // A URL that only another one's record names as where it came from has no capture of its own.
        let redirects = (node.crawled && node.attributes == REDIRECTS).then_some(Crawled::Redirect);
        Ok([stored, redirects].into_iter().flatten().min_by_key(|crawled| *crawled as u8))
    }
}
