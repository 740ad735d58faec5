//! Feeding the graph's builder from tables `pages` and `links`.

use std::path::PathBuf;

use webmill_capture::{CanonicalUrl, Result, UrlKey};
use webmill_graph::{GraphBuilder, LinkRow, PageRow};
use webmill_run::{Committed, Stage};
use webmill_sort::Budget;
use webmill_table::{TableReader, part_files};

use super::sources::{Sources, SourcesOfPart};
use crate::current_captures::{self, place};

/// Attribute of a page that was crawled; a redirecting URL has another, which counts less than being crawled.
pub const CRAWLED: &[u8] = b"0";
/// Attribute of a URL that is only known to redirect.
pub const REDIRECTS: &[u8] = b"1";

/// Reads tables and gives the builder what counts.
pub struct Feed<'a> {
    extract: &'a Committed,
    seed: u64,
    kinds: &'a [String],
    budget: Budget,
    sources: Sources,
    /// Links of kinds that make no arcs.
    pub other_kinds: u64,
    /// Links of captures that are superseded.
    pub superseded_links: u64,
}

impl<'a> Feed<'a> {
    /// A feed whose keys are those of `seed`.
    pub fn new(extract: &'a Committed, seed: u64, kinds: &'a [String], budget: &Budget) -> Self {
        Feed {
            extract,
            seed,
            kinds,
            sources: Sources::new(&budget.fraction(1, 2)),
            budget: budget.fraction(1, 2),
            other_kinds: 0,
            superseded_links: 0,
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
            builder.add_page(&PageRow {
                key,
                surt: page.surt.as_bytes(),
                url: page.url.as_bytes(),
                attributes: CRAWLED,
            })?;
        }
        self.redirects(&parts, builder)
    }

    fn redirects(&mut self, parts: &[PathBuf], builder: &mut GraphBuilder) -> Result<()> {
        let columns = ["url", "url_origin", "fetch_status", "warc_filename", "warc_record_offset"];
        for (part, path) in (0..).zip(parts) {
            let mut reader = TableReader::open(path, &columns)?;
            while let Some(batch) = reader.next()? {
                let (url, origin, status) =
                    (batch.str("url")?, batch.str("url_origin")?, batch.i16("fetch_status")?);
                let (shard, offset) = (batch.str("warc_filename")?, batch.i64("warc_record_offset")?);
                for i in 0..batch.len() {
                    let redirect = matches!(status.get(i), Some(300..=399)).then(|| url.get(i)).flatten();
                    for source in [redirect, origin.get(i)].into_iter().flatten() {
                        let Some(source) = CanonicalUrl::parse(source) else { continue };
                        let (stored, surt) = (source.key().0, source.surt());
                        let key = self.key(source.as_str(), stored);
                        if self.seed != 0 {
                            let place =
                                place(shard.get(i).unwrap_or_default(), offset.get(i).unwrap_or_default());
                            self.sources.rename(part, place, stored, key)?;
                        }
                        builder.add_page(&PageRow {
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
        let names: Vec<_> =
            part_files(&self.extract.path("pages"))?.iter().map(|path| path.file_name().map(Into::into)).collect();
        let mut sources = std::mem::replace(&mut self.sources, Sources::new(&self.budget)).finish()?;
        for path in part_files(&self.extract.path("links"))? {
            // Part n of all tables holds the same captures: what is known of sources is wanted a part at a time.
            let name: Option<PathBuf> = path.file_name().map(Into::into);
            let Ok(part) = names.binary_search(&name) else { continue };
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
        let columns =
            ["source_key", "target_url", "target_key", "kind", "nofollow", "warc_filename", "warc_record_offset"];
        let mut reader = TableReader::open(path, &columns)?;
        while let Some(batch) = reader.next()? {
            stage.cancel.check()?;
            let (source_keys, targets) = (batch.keys("source_key")?, batch.keys("target_key")?);
            let (url, kind, nofollow) =
                (batch.str("target_url")?, batch.str("kind")?, batch.bool("nofollow")?);
            let (shard, offset) = (batch.str("warc_filename")?, batch.i64("warc_record_offset")?);
            for i in 0..batch.len() {
                let kind = kind.get(i).unwrap_or_default();
                if !self.kinds.iter().any(|k| k == kind) {
                    self.other_kinds += 1;
                    continue;
                }
                let at = || place(shard.get(i).unwrap_or_default(), offset.get(i).unwrap_or_default());
                if sources.any_superseded() && sources.is_superseded(at()) {
                    self.superseded_links += 1;
                    continue;
                }
                let target = url.get(i).unwrap_or_default();
                let Some(parsed) = CanonicalUrl::parse(target) else { continue };
                let mut source = source_keys[i].unwrap_or_default();
                if self.seed != 0 {
                    let Some(renamed) = sources.renamed(at(), source) else { continue };
                    source = renamed;
                }
                builder.add_link(&LinkRow {
                    source,
                    target: self.key(target, targets[i].unwrap_or_default()),
                    surt: parsed.surt().as_bytes(),
                    url: target.as_bytes(),
                    nofollow: nofollow.get(i).unwrap_or(false),
                })?;
            }
            stage.progress.advance(batch.len() as u64);
        }
        Ok(())
    }
}
