//! `page_history`, `freshness`, `change_rates`: how often pages change, and how fresh their copies are.
//!
//! **Definition.** Freshness and age are those expected at the end of the run under the Poisson model
//! ([`webmill_crawl::revisit::freshness`]); pages that left the schedule because they are gone, and those without a rate, count for none.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use webmill_capture::domain::public_suffix;
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_crawl::revisit::freshness::{age_now, fresh_now};
use webmill_crawl::revisit::{DAY_MS, FreshnessSummary, PageHistory, RateMean};
use webmill_table::{Bytes16, Millis};

use crate::crawl::files::{TableFile, write};
use crate::crawl::rows::{ChangeRateRow, FreshnessRow, PageHistoryRow};

/// Top-level domains that are told apart; there are some 1,500.
const MOST_DOMAINS: usize = 4_096;

/// Sums over the pages of a host, or of all.
#[derive(Default)]
pub struct Sums {
    /// Expectations of their copies.
    pub now: FreshnessSummary,
    rates: RateMean,
    gone: u64,
    again: u64,
    changes: u64,
}

impl Sums {
    fn count(&mut self, page: &PageHistory, now_ms: i64) {
        self.again += u64::from(page.visits.saturating_sub(1));
        self.changes += u64::from(page.changes);
        if page.next_ms.is_none() {
            self.gone += 1;
        } else if page.rate > 0.0 {
            self.now.count(page.rate, page.since_days(now_ms), page.weight());
            self.rates.count(None, page.rate);
        }
    }

    fn row(&self, host: Option<&str>) -> FreshnessRow {
        let mean_rate = self.rates.mean();
        let unchanged = self.again.saturating_sub(self.changes) as f64 / self.again as f64;
        FreshnessRow {
            url_host_name: host.map(str::to_owned),
            pages: self.now.pages,
            pages_gone: self.gone,
            expected_freshness: self.now.freshness(),
            weighted_freshness: self.now.weighted_freshness(),
            expected_age_days: self.now.age_days(),
            weighted_age_days: self.now.weighted_age_days(),
            visits_again: self.again,
            unchanged_share: (self.again > 0).then_some(unchanged),
            mean_rate,
            mean_life_days: mean_rate.map(|rate| 1.0 / rate),
        }
    }
}

/// Writes the three tables, host by host, in the order of the frontier: by a hash of their names.
pub struct PageTables {
    now_ms: i64,
    histories: TableFile<PageHistoryRow>,
    freshness: TableFile<FreshnessRow>,
    /// Of all pages.
    pub all: Sums,
    domains: BTreeMap<String, [u64; 11]>,
    /// The group of the last page, and the hosts that were met in it.
    group: u32,
    hosts: BTreeMap<String, Sums>,
}

impl PageTables {
    /// Begins the tables of a crawl, as of `now_ms`.
    pub fn create(crawl: &Path, now_ms: i64) -> Result<Self> {
        Ok(PageTables {
            now_ms,
            histories: TableFile::create(crawl, 0)?,
            freshness: TableFile::create(crawl, 0)?,
            all: Sums::default(),
            domains: BTreeMap::new(),
            group: 0,
            hosts: BTreeMap::new(),
        })
    }

    /// Takes a page. Those of a host have their number in common with each other and with few others, and come one after another.
    ///
    /// # Errors
    /// A disk that refuses.
    pub fn page(&mut self, group: u32, page: &PageHistory) -> webmill_capture::Result<()> {
        if group != self.group {
            self.end_group()?;
            self.group = group;
        }
        let url = CanonicalUrl::parse_stored(&page.url);
        let host = url.as_ref().map_or("", CanonicalUrl::host);
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.to_owned(), Sums::default());
        }
        if let Some(sums) = self.hosts.get_mut(host) {
            sums.count(page, self.now_ms);
        }
        self.all.count(page, self.now_ms);
        self.histories.push(row(page, host, top_level(host), self.now_ms))
    }

    /// The hosts of a group are done.
    fn end_group(&mut self) -> webmill_capture::Result<()> {
        for (host, sums) in std::mem::take(&mut self.hosts) {
            if let Some(tld) = top_level(&host)
                && (self.domains.len() < MOST_DOMAINS || self.domains.contains_key(tld))
            {
                let of_domain = self.domains.entry(tld.to_owned()).or_default();
                of_domain.iter_mut().zip(sums.now.decades).for_each(|(sum, n)| *sum += n);
            }
            self.freshness.push(sums.row(Some(&host)))?;
        }
        Ok(())
    }

    /// Completes the tables; the sums over all pages.
    pub fn finish(mut self, crawl: &Path) -> Result<Sums> {
        self.end_group()?;
        self.freshness.push(self.all.row(None))?;
        self.histories.finish()?;
        self.freshness.finish()?;
        let named = self.domains.iter().map(|(name, decades)| (Some(name.as_str()), decades));
        let all = std::iter::once((None, &self.all.now.decades));
        write(crawl, 0, all.chain(named).flat_map(|(name, decades)| rates(name, decades)))?;
        Ok(self.all)
    }
}

/// The rows of a domain: its decades of rates that have pages.
fn rates<'a>(tld: Option<&'a str>, decades: &'a [u64; 11]) -> impl Iterator<Item = ChangeRateRow> + 'a {
    let total: u64 = decades.iter().sum();
    let highest = decades.len() - 1;
    decades.iter().enumerate().filter(|(_, pages)| **pages > 0).map(move |(decade, pages)| {
        let rate_from = if decade == 0 { 0.0 } else { 10f64.powi(decade as i32 - 6) };
        ChangeRateRow {
            url_host_tld: tld.map(str::to_owned),
            rate_from,
            rate_below: (decade < highest).then(|| 10f64.powi(decade as i32 - 5)),
            life_days: (rate_from > 0.0).then(|| 10f64.powi(6 - decade as i32)),
            pages: *pages,
            share: *pages as f64 / total as f64,
        }
    })
}

fn row(page: &PageHistory, host: &str, tld: Option<&str>, now_ms: i64) -> PageHistoryRow {
    let rated = page.rate > 0.0 && page.next_ms.is_some();
    let since = page.since_days(now_ms);
    let seen = |ms: i64| Millis((page.visits > 0).then_some(ms));
    PageHistoryRow {
        url_key: Bytes16(UrlKey::of(&page.url).0),
        url: page.url.clone(),
        url_host_name: host.to_owned(),
        url_host_tld: tld.map(str::to_owned),
        depth: page.depth,
        priority: page.priority,
        first_visit: seen(page.first_ms),
        last_visit: seen(page.last_ms),
        last_tried: Millis(Some(page.tried_ms)),
        next_due: Millis(page.next_ms),
        interval_days: page.interval_ms as f64 / DAY_MS as f64,
        visits: page.visits,
        changes: page.changes,
        rate: page.rate,
        expected_freshness: rated.then(|| fresh_now(page.rate, since)),
        expected_age_days: rated.then(|| age_now(page.rate, since)),
        fetch_status: i16::try_from(page.status).ok().filter(|status| *status > 0),
        failed_visits: u32::from(page.errors),
        gone_visits: u32::from(page.gone),
        not_modified: u32::from(page.unmodified),
        content_digest: page.digest.map(|digest| data_encoding::BASE32.encode(&digest)),
    }
}

/// The last label of a host name; `None` for addresses.
fn top_level(host: &str) -> Option<&str> {
    let suffix = public_suffix(host)?;
    suffix.rsplit('.').next()
}
