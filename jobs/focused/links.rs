//! What the links of an earlier run lead to, for topics that are learnt from it.
//!
//! **Definition.** Pages are the current captures of table `pages`, 500,000 at most; links those of these captures that a crawl would follow, to
//! other pages of the run: where any other leads is not known. For the worth of a page, and for learning it, see
//! [`webmill_crawl::focus::LinkModel`].
//!
//! **Cost.** URLs and titles of the pages and eight bytes an arc in memory, 50 million of these at most; table `links` is read twice.
//!
//! **Determinism.** A function of the tables.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_crawl::focus::{LinkLearner, LinkModel, LinkSource, LinkText, worth};
use webmill_mill::{LinkElement, LinkRow, PageRow};
use webmill_run::Job as _;
use webmill_table::{Reader, columns};

use crate::current_captures::place;
use crate::extract::Extract;
use crate::job::latest;

/// Pages, and arcs between them.
const MOST_PAGES: usize = 500_000;
const MOST_ARCS: usize = 50_000_000;

columns! {
    struct CurrentPage from PageRow { url, url_key, is_current, title, warc_filename, warc_record_offset }
}

columns! {
    struct Linked from LinkRow {
        source_key, target_key, anchor, before, after, heading, kind, nofollow, warc_filename, warc_record_offset
    }
}

/// A page of the run.
struct Page {
    url: CanonicalUrl,
    title: String,
    place: u64,
}

struct Pages {
    all: Vec<Page>,
    numbers: HashMap<UrlKey, u32>,
    links: PathBuf,
}

/// Learns from the links of a run, of whose pages those `wanted` are relevant; `None` where none of them is linked.
///
/// # Errors
/// Results that cannot be read.
pub fn learn(results: &Path, wanted: &HashSet<UrlKey>) -> Result<Option<LinkModel>> {
    let pages = Pages::read(results)?;
    let mut relevant = vec![false; pages.all.len()];
    for key in wanted {
        if let Some(number) = pages.numbers.get(key) {
            relevant[*number as usize] = true;
        }
    }
    let mut arcs: Vec<(u32, u32)> = Vec::new();
    let mut beyond = 0u64;
    pages.each_link(|source, target, _| {
        if arcs.len() < MOST_ARCS {
            arcs.push((source, target));
        } else {
            beyond += 1;
        }
    })?;
    arcs.sort_unstable();
    arcs.dedup();
    let worth = worth(&arcs, &relevant);
    drop(arcs);
    let mut learner = LinkLearner::default();
    let mut source: Option<(u32, LinkSource)> = None;
    pages.each_link(|from, to, text| {
        let page = &pages.all[from as usize];
        if source.as_ref().is_none_or(|(known, _)| *known != from) {
            source = Some((from, LinkSource::new(&page.url, &page.title)));
        }
        if let Some((_, source)) = &source {
            let features = source.features(text, &pages.all[to as usize].url);
            learner.add(&features, worth[to as usize], relevant[to as usize]);
        }
    })?;
    let left_out = beyond.max(learner.left_out());
    if left_out > 0 {
        crate::say!("{}: {left_out} links were too many to learn from", results.display());
    }
    Ok(learner.learn())
}

impl Pages {
    fn read(results: &Path) -> Result<Pages> {
        let extract = latest(results, Extract::NAME)?;
        let mut pages = Pages { all: Vec::new(), numbers: HashMap::new(), links: extract.path("links") };
        let mut beyond = 0u64;
        let mut reader = Reader::<CurrentPage>::open(&extract.path("pages"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.is_current) {
                let Some(url) = CanonicalUrl::parse_stored(row.url) else { continue };
                if pages.all.len() == MOST_PAGES {
                    beyond += 1;
                    continue;
                }
                pages.numbers.insert(UrlKey(row.url_key.0), pages.all.len() as u32);
                let title = row.title.unwrap_or_default().to_owned();
                let place = place(row.warc_filename, row.warc_record_offset);
                pages.all.push(Page { url, title, place });
            }
        }
        if beyond > 0 {
            crate::say!("{}: the links of {beyond} pages were too many to learn from", results.display());
        }
        Ok(pages)
    }

    /// Calls `each` with the pages and texts of each link from one to another, in order.
    fn each_link(&self, mut each: impl FnMut(u32, u32, &LinkText<'_>)) -> Result<()> {
        let mut reader = Reader::<Linked>::open(&self.links)?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                let known = |key: u128| self.numbers.get(&UrlKey(key)).copied();
                let (Some(source), Some(target)) = (known(row.source_key.0), known(row.target_key.0)) else {
                    continue;
                };
                let here =
                    self.all[source as usize].place == place(row.warc_filename, row.warc_record_offset);
                if source != target && here && !row.nofollow && is_followed(row.kind) {
                    let (anchor, before, after, heading) = (row.anchor, row.before, row.after, row.heading);
                    each(source, target, &LinkText { anchor, before, after, heading });
                }
            }
        }
        Ok(())
    }
}

/// Whether a crawl follows links of this kind.
pub fn is_followed(kind: LinkElement) -> bool {
    !matches!(kind, LinkElement::Canonical | LinkElement::Hreflang | LinkElement::Img | LinkElement::Script)
}
