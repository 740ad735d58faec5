//! Sitemaps of a simulated host: an index that names a plain one and a gzipped one.

use super::sim::SimWeb;
use super::sim_extras::Slot;

/// The index and its sitemaps.
pub(super) const PATHS: [&str; 3] = ["/sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml.gz"];

/// Pages of the Web that a sitemap names, at most.
const MOST_PAGES: u64 = 20;

const SCHEMA: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

impl SimWeb {
    pub(super) fn sitemap_part(&self, host: u64, path: &str) -> Option<u8> {
        let part = PATHS.iter().position(|known| *known == path)?;
        self.has_sitemaps(host).then_some(part as u8)
    }

    /// Pages of the Web that the sitemaps of a host name: the last ones, which few links lead to.
    pub(super) fn sitemap_pages(&self, host: u64) -> std::ops::Range<u64> {
        let end = self.web.host_start(host + 1);
        end - self.web.host_size(host).min(MOST_PAGES)..end
    }

    /// The XML of a sitemap, before gzip.
    pub(super) fn sitemap_xml(&self, host: u64, part: u8) -> String {
        let site = format!("http://{}", self.web.host_name(host));
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        if part == 0 {
            xml.push_str(&format!("<sitemapindex xmlns=\"{SCHEMA}\">\n"));
            for path in &PATHS[1..] {
                xml.push_str(&format!("<sitemap><loc>{site}{path}</loc></sitemap>\n"));
            }
            xml.push_str("</sitemapindex>\n");
            return xml;
        }
        xml.push_str(&format!("<urlset xmlns=\"{SCHEMA}\">\n"));
        let mut add = |url: &str| {
            xml.push_str(&format!("<url><loc>{url}</loc><lastmod>2026-01-01</lastmod></url>\n"));
        };
        if part == 1 {
            add(&format!("{site}{}", Slot::LISTED.path()));
            for page in self.sitemap_pages(host) {
                add(&self.web.url(page));
            }
            // A sitemap may speak for its own host only.
            let other = (host + 1) % self.web.hosts();
            if other != host {
                add(&format!("http://{}{}", self.web.host_name(other), Slot::SMUGGLED.path()));
            }
        } else {
            add(&format!("{site}{}", Slot::LISTED_TOO.path()));
        }
        xml.push_str("</urlset>\n");
        xml
    }
}
