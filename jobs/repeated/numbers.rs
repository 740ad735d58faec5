//! Numbers of the pages that have a text, in the order of their URLs, with the numbers of their hosts and clusters.
//!
//! **Cost.** 8 bytes a page in temporary files that are mapped, so that the system may take their memory back; external sorts
//! within the budget.

use std::path::Path;

use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_run::Unit;
use webmill_sort::{Budget, ByKey, Mapped, MappedWriter, Sorter, keyed};
use xxhash_rust::xxh3::xxh3_64;

use crate::clustered_captures::PagesAndClusters;

/// The number of a row that is no current capture with a text.
pub const NO_PAGE: u32 = u32::MAX;

/// Most pages: numbers of clusters count down from the greatest for pages without duplicates.
const MAX_PAGES: u32 = 1 << 31;

/// Pages by number.
pub struct Numbers {
    /// How many there are.
    pub pages: u32,
    hosts: Mapped<u32>,
    clusters: Mapped<u32>,
    by_key: ByKey,
}

impl Numbers {
    /// Numbers the current captures that have a text.
    ///
    /// # Errors
    /// Where a table cannot be read or the disk refuses; [`Error::Limit`] past two thousand million pages.
    pub fn read(sources: &PagesAndClusters, budget: &Budget, unit: &mut Unit<'_>) -> Result<Self> {
        let mut captures = sources.captures(&budget.share(2))?;
        let mut keys = Sorter::new(&budget.share(4));
        let mut hosts = Sorter::new(&budget.share(8));
        let mut clusters = MappedWriter::create(unit.temp())?;
        let mut pages = 0u32;
        while let Some((capture, cluster)) = captures.next()? {
            if pages.is_multiple_of(1 << 14) {
                unit.stage().cancel.check()?;
            }
            if capture.text == 0 {
                unit.dropped("page-without-text", 1);
                continue;
            }
            if pages >= MAX_PAGES {
                return Err(Error::Limit(format!("more than {MAX_PAGES} pages with a text")));
            }
            let url = CanonicalUrl::parse_stored(&capture.url);
            let host = xxh3_64(url.as_ref().map_or("", |url| url.host()).as_bytes());
            keys.push(keyed(capture.key, u64::from(pages)))?;
            hosts.push([host, u64::from(pages)])?;
            clusters.push(cluster.unwrap_or(u32::MAX - pages))?;
            pages += 1;
        }
        for (reason, n) in
            [("superseded-capture", captures.superseded()), ("cluster-of-no-page", captures.strangers())]
        {
            if n > 0 {
                unit.dropped(reason, n);
            }
        }
        drop(captures);
        Ok(Numbers {
            pages,
            hosts: number_hosts(hosts, budget, unit.temp())?,
            clusters: clusters.finish()?,
            by_key: ByKey::of(keys)?,
        })
    }

    /// The number of a page's host: equal for equal hosts.
    pub fn host(&self, page: u32) -> u32 {
        self.hosts.get(page as usize).copied().unwrap_or(0)
    }

    /// The numbers of the clusters of pages: a page without duplicates is one of its own.
    pub fn into_clusters(self) -> impl Fn(u32) -> u32 {
        let clusters = self.clusters;
        move |page| clusters.get(page as usize).copied().unwrap_or(u32::MAX - page)
    }

    /// The page whose URL has this key.
    pub fn find(&self, key: u128) -> Option<u32> {
        self.by_key.get(key).map(|number| number as u32)
    }
}

/// Numbers of hosts by page, from hashes of their names.
fn number_hosts(hosts: Sorter<[u64; 2]>, budget: &Budget, temp: &Path) -> Result<Mapped<u32>> {
    let mut by_page = Sorter::new(&budget.share(4));
    let (mut last, mut number) = (None, 0u64);
    for entry in hosts.finish()? {
        let [host, page] = entry?;
        if last.replace(host).is_some_and(|last| last != host) {
            number += 1;
        }
        by_page.push([page, number])?;
    }
    let mut writer = MappedWriter::create(temp)?;
    for entry in by_page.finish()? {
        writer.push(entry?[1] as u32)?;
    }
    writer.finish()
}
