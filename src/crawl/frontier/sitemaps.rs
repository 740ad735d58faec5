//! Sitemaps that were read, so that they are read again: what they list is found nowhere else.
//!
//! **Form.** A key of the URL → [`KnownSitemap`] as `postcard` writes it, beside the notes of the operator.
//!
//! **Cost.** A few hundred bytes a sitemap; looking for those that are to be asked for again reads all of them.

use serde::{Deserialize, Serialize};

use super::Frontier;
use crate::scope::{Lineage, SeedMark};
use crate::task::{Discovered, Entry, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// First bytes of a key.
const SITEMAP: &[u8] = b"sitemap ";
/// The first key behind all of them.
const BEHIND: &[u8] = b"sitemap!";

/// A sitemap that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownSitemap {
    url: String,
    depth: u32,
    referrer: Option<String>,
    priority: f64,
    /// Parts of its lineage, which has no form of fixed fields itself.
    off_site: u8,
    seed: u32,
    /// When it was asked for, or queued again, ms since 1970.
    pub asked_ms: i64,
    /// It is queued, as far as is known.
    pub waits: bool,
    /// `ETag` as sent.
    pub etag: Option<String>,
    /// `Last-Modified` as sent.
    pub last_modified: Option<String>,
}

impl KnownSitemap {
    /// A sitemap that was asked for just now.
    pub fn of(entry: &Entry, asked_ms: i64) -> KnownSitemap {
        KnownSitemap {
            url: entry.url.as_str().to_owned(),
            depth: entry.depth,
            referrer: entry.referrer.clone(),
            priority: entry.priority,
            off_site: entry.lineage.off_site,
            seed: entry.lineage.seed.0,
            asked_ms,
            waits: false,
            etag: None,
            last_modified: None,
        }
    }

    fn discovered(&self) -> Option<Discovered> {
        Some(Discovered {
            depth: self.depth,
            lineage: Lineage { off_site: self.off_site, seed: SeedMark(self.seed) },
            referrer: self.referrer.as_deref().map(Into::into),
            priority: self.priority,
            ..Discovered::new(CanonicalUrl::parse_stored(&self.url)?, Purpose::Sitemap)
        })
    }
}

impl Frontier {
    /// Known facts about a sitemap; `None`: it was not read.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn sitemap(&self, url: &CanonicalUrl) -> Result<Option<KnownSitemap>> {
        let Some(bytes) = self.meta.get(&self.sitemap_key(url))? else { return Ok(None) };
        let known = self.parse_sitemap(&bytes)?;
        Ok((known.url == url.as_str()).then_some(known))
    }

    /// Keeps the known facts about a sitemap.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn set_sitemap(&mut self, url: &CanonicalUrl, known: &KnownSitemap) -> Result<()> {
        let bytes = postcard::to_allocvec(known).map_err(|e| Error::Internal(format!("a sitemap: {e}")))?;
        self.meta.put(self.sitemap_key(url), bytes);
        Ok(())
    }

    /// Queues again sitemaps that were last requested before a time, up to a given number, and returns how many.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn requeue_sitemaps(&mut self, before_ms: i64, now_ms: i64, max: usize) -> Result<usize> {
        let mut old = Vec::new();
        self.meta.scan(SITEMAP, BEHIND, |_, bytes| {
            let known = self.parse_sitemap(&bytes)?;
            if known.asked_ms <= before_ms {
                old.push(known);
            }
            Ok(old.len() < max)
        })?;
        let count = old.len();
        for mut known in old {
            let Some(found) = known.discovered() else { continue };
            // One that was queued before may wait still: that costs a look.
            if known.waits {
                self.requeue(&found)?;
            } else {
                self.add_again(&found)?;
            }
            (known.asked_ms, known.waits) = (now_ms, true);
            self.set_sitemap(&found.url, &known)?;
        }
        Ok(count)
    }

    fn sitemap_key(&self, url: &CanonicalUrl) -> Vec<u8> {
        [SITEMAP, &self.history_key(url).to_be_bytes()].concat()
    }

    fn parse_sitemap(&self, bytes: &[u8]) -> Result<KnownSitemap> {
        postcard::from_bytes(bytes).map_err(|e| self.store.corrupt(format!("a known sitemap: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::{After, FrontierOptions, Next};

    #[test]
    fn a_sitemap_is_queued_again_after_its_time_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let options = FrontierOptions { memory: 16 << 20, ..FrontierOptions::default() };
        let (mut frontier, _) = Frontier::open(&folder.path().join("f"), &options).unwrap();
        let url = CanonicalUrl::parse("http://a.example/sitemap.xml").unwrap();
        let known = KnownSitemap {
            url: url.as_str().into(),
            depth: 2,
            referrer: Some("http://a.example/robots.txt".into()),
            priority: 0.5,
            off_site: 1,
            seed: 7,
            asked_ms: 1_000,
            waits: false,
            etag: Some("\"1\"".into()),
            last_modified: None,
        };
        frontier.set_sitemap(&url, &known).unwrap();
        assert_eq!(frontier.sitemap(&url).unwrap(), Some(known.clone()));
        assert_eq!(frontier.requeue_sitemaps(999, 2_000, 10).unwrap(), 0, "too soon");
        assert_eq!(frontier.requeue_sitemaps(1_000, 2_000, 10).unwrap(), 1);
        assert_eq!(frontier.requeue_sitemaps(1_999, 2_000, 10).unwrap(), 0);
        // Its answer was never noted: it waits still, and once is enough.
        assert_eq!(frontier.requeue_sitemaps(2_000, 3_000, 10).unwrap(), 1);
        assert_eq!(frontier.stats().queued, 1);
        let Next::Fetch(lease) = frontier.next(4_000).unwrap() else { panic!("nothing to fetch") };
        let entry = &lease.entry;
        assert_eq!((entry.purpose, entry.depth, entry.priority), (Purpose::Sitemap, 2, 0.5));
        assert_eq!((entry.lineage.off_site, entry.lineage.seed), (1, SeedMark(7)));
        assert_eq!(entry.referrer, known.referrer);
        frontier.release(lease, After::Done).unwrap();
    }
}
