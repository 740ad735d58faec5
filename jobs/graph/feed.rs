//! Feeding the graph's builder from tables `pages` and `links`.

use std::path::PathBuf;

use webmill_capture::{CanonicalUrl, Error, Result, UrlKey};
use webmill_graph::{GraphBuilder, LinkInput, PageInput};
use webmill_mill::{LinkElement, LinkRow, PageRow};
use webmill_run::{Committed, Stage};
use webmill_sort::Budget;
use webmill_table::{Reader, columns, part_files};

use super::sources::{Sources, SourcesOfPart};
use crate::current_captures::{self, place};

/// Attribute of a page that was crawled; a redirecting URL has another, which counts less than being crawled.
pub const CRAWLED: &[u8] = b"0";
/// Attribute of a URL that is only known to redirect.
pub const REDIRECTS: &[u8] = b"1";

columns! {
    struct Redirecting from PageRow { url, url_origin, fetch_status, warc_filename, warc_record_offset }
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
    sources: Sources,
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
            sources: Sources::new(&budget.fraction(1, 2)),
            budget: budget.fraction(1, 2),
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
        while let Some(page) =
            captures.next_current(|superseded| self.sources.supersede(superseded.part, superseded.place))?
        {
            let key = self.key(&page.url, page.key);
            if self.seed != 0 {
                self.sources.rename(page.part, page.place, page.key, key)?;
            }
            builder.add_page(&PageInput {
                key,
                surt: page.surt.as_bytes(),
                url: page.url.as_bytes(),
                attributes: CRAWLED,
            })?;
        }
        self.redirects(&parts, builder)
    }

    fn redirects(&mut self, parts: &[PathBuf], builder: &mut GraphBuilder) -> Result<()> {
        for (part, path) in (0..).zip(parts) {
            let mut reader = Reader::<Redirecting>::open(path)?;
            while let Some(batch) = reader.next()? {
                for page in batch.rows() {
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
                            self.sources.rename(part, place, stored, key)?;
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
        }
        Ok(())
    }

    /// Gives every link of a kind that counts, of current captures.
    pub fn links(&mut self, builder: &mut GraphBuilder, stage: &Stage<'_>) -> Result<()> {
        let names: Vec<_> = part_files(&self.extract.path("pages"))?
            .iter()
            .map(|path| path.file_name().map(Into::into))
            .collect();
        let mut sources = std::mem::replace(&mut self.sources, Sources::new(&self.budget)).finish()?;
        for path in part_files(&self.extract.path("links"))? {
            // Part n of all tables holds the same captures: what is known of sources is wanted a part at a time.
            let name: Option<PathBuf> = path.file_name().map(Into::into);
            let part = names.binary_search(&name).map_err(|_| {
                Error::corrupt(&path, 0, "a part of links without the part of pages of that name")
            })?;
            let of_part = sources.of_part(part as u32)?;
            self.links_of_part(&path, &of_part, builder, stage)?;
        }
        Ok(())
    }

    fn links_of_part(
        &mut self,
        path: &std::path::Path,
        sources: &SourcesOfPart,
        builder: &mut GraphBuilder,
        stage: &Stage<'_>,
    ) -> Result<()> {
        let mut reader = Reader::<Linked>::open(path)?;
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
                let Some(parsed) = CanonicalUrl::parse(link.target_url) else {
                    self.no_urls += 1;
                    continue;
                };
                let mut source = link.source_key.0;
                if self.seed != 0 {
                    // One that is no page is counted by the builder.
                    source = sources.renamed(at(), source).unwrap_or(source);
                }
                builder.add_link(&LinkInput {
                    source,
                    target: self.key(link.target_url, link.target_key.0),
                    surt: parsed.surt().as_bytes(),
                    url: link.target_url.as_bytes(),
                    nofollow: link.nofollow,
                })?;
            }
            stage.progress.advance(batch.len() as u64);
        }
        Ok(())
    }
}
