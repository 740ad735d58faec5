//! What sitemaps and feeds list.

use super::{Body, Candidate, Gather, LARGE_BYTES, PageReader, Reading, decoded, plain};
use crate::Purpose;
use crate::scope::Standing;
use crate::sitemap::{self, Sitemap, SitemapKind, SitemapLimits};
use webmill_capture::{CanonicalUrl, Response, decode_content};

impl PageReader {
    /// A sitemap: pages of its own host, and what it says of others.
    pub(super) fn read_sitemap(
        &self,
        url: &CanonicalUrl,
        at: Standing,
        response: &Response<'_>,
        reading: &mut Reading,
    ) {
        let limits = SitemapLimits::default();
        if decoded(response, LARGE_BYTES).1 {
            reading.place = Some(self.budget.place());
        }
        let payload = response.payload(limits.max_bytes);
        let body = decode_content(response, &payload.bytes, limits.max_bytes);
        let sitemap = sitemap::read(&body.bytes, url, &limits);
        reading.defect = sitemap.defects.first().map(ToString::to_string);
        if sitemap.defects.contains(&"more bytes than the limit") {
            reading.refused.add("sitemap-bytes-beyond-limit");
        }
        // What a sitemap lists is a link away from the seeds.
        let mut gather = Gather::new(self, url, Standing { depth: 0, ..at }, reading);
        let dropped = sitemap.dropped;
        for index in sitemap.sitemaps {
            self.sitemap_of_index(plain(index), &mut gather);
        }
        for listed in sitemap.urls {
            if !listed.foreign {
                gather.listed(listed.url, listed.lastmod_ms);
                continue;
            }
            match self.admit(listed.url, at, 1).and_then(|url| match self.asks_for(&url) {
                Ok(()) => Ok(url),
                Err(refusal) => Err((url, refusal)),
            }) {
                Ok(url) => gather.foreign(Candidate {
                    url,
                    purpose: Purpose::Page,
                    last_modified: listed.lastmod_ms,
                    words: None,
                }),
                Err((url, refusal)) => gather.reading.refuse(url, refusal),
            }
        }
        sitemap.related.into_iter().for_each(|url| gather.listed(url, None));
        gather.drop_links(dropped);
    }

    fn sitemap_of_index(&self, index: CanonicalUrl, gather: &mut Gather<'_>) {
        let lineage = self.scope.linked(gather.at.lineage, &index);
        let allowed = self.scope.requisite(&index, Standing { depth: 1, lineage });
        if let Err(reason) = allowed.and_then(|()| crate::traps::check(&index)) {
            gather.reading.refused.add(reason);
        } else if index.host() == gather.url.host() {
            gather.sitemap(index);
        } else {
            gather.foreign(Candidate::new(index, Purpose::Sitemap));
        }
    }

    /// A feed, or a sitemap that was fetched as a page: its items are links. Whether it is one.
    pub(super) fn read_feed(&self, body: &Body<'_>, gather: &mut Gather<'_>) -> bool {
        if sitemap::kind_of(&body.bytes) == SitemapKind::Unknown {
            return false;
        }
        if gather.reading.nofollow {
            return true;
        }
        let Sitemap { urls, sitemaps, related, dropped, .. } =
            sitemap::read(&body.bytes, gather.url, &SitemapLimits::default());
        for index in sitemaps.into_iter().map(plain) {
            if index.host() == gather.url.host() {
                self.sitemap_of_index(index, gather);
            } else {
                gather.reading.refused.add("sitemap-foreign");
            }
        }
        for item in urls {
            gather.listed(item.url, item.lastmod_ms);
        }
        related.into_iter().for_each(|url| gather.listed(url, None));
        gather.drop_links(dropped);
        true
    }
}
