//! Sitemaps and feeds: the URLs that a server offers.
//!
//! **Definition.** Read are the sitemap protocol's `urlset`, `sitemapindex` and text files, RSS 0.9–2.0 and Atom;
//! which of them it is, the bytes say, not the media type. Names count without their prefix, whatever the case. Of a
//! `urlset` an entry's own `loc` and `lastmod` count (those of images, videos and news in it do
//! not); of RSS `link`, else a `guid` that is a permalink, and `pubDate` or `date`; of Atom the `link` that is the
//! alternate one (its `xml:base` respected) and `updated` or `published`. Of feeds, enclosures count too, and the pages that
//! the feed itself names: where it goes on (`next`, `prev-archive`, …) and what it is a feed of. URLs are resolved against
//! the sitemap's own and brought into canonical form; only http and https are kept.
//!
//! **Whose URLs.** sitemaps.org lets a sitemap speak for its own scheme, host, port and folder only. Real ones stand
//! elsewhere and are named in robots.txt, which shows that they may. So nothing is dropped here: an entry on another host
//! is [`foreign`](SitemapUrl::foreign).
//!
//! **Bad input.** A file may be gzip within (twice at most). Reading ends at [`SitemapLimits::max_bytes`] after
//! unpacking and [`SitemapLimits::max_urls`]; entries beyond are counted. Entities other than XML's five and character references stay as they
//! are: a DTD declares nothing. Broken XML gives the entries before the fault; each kind of fault is reported once in
//! [`Sitemap::defects`].
//!
//! **Cost.** Linear in the unpacked bytes. Memory: the unpacked bytes, twice where they are not UTF-8, and the entries.
//!
//! **Reference.** sitemaps.org/protocol.html; RSS 2.0 specification; RFC 4287.

#[path = "sitemap_xml.rs"]
mod xml;

use std::borrow::Cow;
use std::io::Read;
use webmill_capture::cut::Cut;

use encoding_rs::Encoding;
use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use webmill_capture::{CanonicalUrl, date};

/// How deep a sitemap is packed, at most.
const MAX_LAYERS: usize = 2;

/// How much of a sitemap is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SitemapLimits {
    /// Bytes after unpacking (50 MiB, the protocol's own limit).
    pub max_bytes: usize,
    /// Entries (1,000,000: the protocol's own limit is 50,000, which not everybody knows).
    pub max_urls: usize,
}

impl Default for SitemapLimits {
    fn default() -> SitemapLimits {
        SitemapLimits { max_bytes: 50 << 20, max_urls: 1_000_000 }
    }
}

/// What a sitemap or feed says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sitemap {
    /// What it is.
    pub kind: SitemapKind,
    /// Pages, in its order; a URL that is there twice is here twice.
    pub urls: Vec<SitemapUrl>,
    /// Further sitemaps, of an index: those on other hosts too.
    pub sitemaps: Vec<CanonicalUrl>,
    /// Of a feed: its entries' enclosures, and the pages that it names itself.
    pub related: Vec<CanonicalUrl>,
    /// Entries without a URL that can be fetched.
    pub skipped: u32,
    /// Entries beyond the limit.
    pub dropped: u64,
    /// What was wrong, each once.
    pub defects: Vec<&'static str>,
}

/// The form of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SitemapKind {
    /// None of those below.
    #[default]
    Unknown,
    /// A list of pages.
    Urlset,
    /// A list of sitemaps.
    Index,
    /// A URL a line.
    Text,
    /// RSS of any version.
    Rss,
    /// An Atom feed.
    Atom,
}

/// An entry of a sitemap.
#[derive(Debug, Clone, PartialEq)]
pub struct SitemapUrl {
    /// URL that the sitemap lists.
    pub url: CanonicalUrl,
    /// When it was last changed, ms since 1970.
    pub lastmod_ms: Option<i64>,
    /// It is on another host than the sitemap.
    pub foreign: bool,
}

/// Reads a sitemap or feed that was fetched from `base`. `body` is without content coding, but may be a `.gz` file.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_crawl::sitemap::{SitemapLimits, read};
/// let base = CanonicalUrl::parse("http://example.com/sitemap.xml").unwrap();
/// let body = b"<urlset><url><loc>http://example.com/a</loc><lastmod>2024-05-01</lastmod></url></urlset>";
/// let sitemap = read(body, &base, &SitemapLimits::default());
/// assert_eq!(sitemap.urls[0].url.as_str(), "http://example.com/a");
/// assert_eq!(sitemap.urls[0].lastmod_ms, Some(1_714_521_600_000));
/// ```
pub fn read(body: &[u8], base: &CanonicalUrl, limits: &SitemapLimits) -> Sitemap {
    let mut gather = SitemapReading { sitemap: Sitemap::default(), base, limits };
    let body = gather.unpack(body, limits.max_bytes);
    let text = gather.decode(&body);
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    if start.starts_with('<') {
        xml::read(start, &mut gather);
    } else if let Some(at) = markup(start) {
        gather.defect("text before the XML");
        xml::read(start.cut(at..), &mut gather);
    } else {
        gather.lines(start);
    }
    gather.sitemap
}

/// Where the XML begins in a text that does not begin with it: notices of a script come before it.
fn markup(text: &str) -> Option<usize> {
    let head = &text.as_bytes()[..text.len().min(4096)];
    let names: [&[u8]; 5] = [b"<?xml", b"<urlset", b"<sitemapindex", b"<rss", b"<feed"];
    names.iter().filter_map(|name| memchr::memmem::find(head, name)).min()
}

/// A sitemap while it is read.
struct SitemapReading<'a> {
    sitemap: Sitemap,
    base: &'a CanonicalUrl,
    limits: &'a SitemapLimits,
}

/// The texts of an entry.
#[derive(Default)]
struct Entry {
    url: Option<String>,
    lastmod: Option<String>,
}

impl SitemapReading<'_> {
    fn defect(&mut self, what: &'static str) {
        if !self.sitemap.defects.contains(&what) {
            self.sitemap.defects.push(what);
        }
    }

    fn unpack<'b>(&mut self, body: &'b [u8], max: usize) -> Cow<'b, [u8]> {
        let mut body = Cow::Borrowed(body);
        for _ in 0..MAX_LAYERS {
            if !body.starts_with(&[0x1F, 0x8B]) {
                break;
            }
            let mut out = Vec::new();
            let mut packed = MultiGzDecoder::new(&*body).take((max as u64).saturating_add(1));
            if packed.read_to_end(&mut out).is_err() {
                self.defect("damaged gzip");
            }
            body = Cow::Owned(out);
        }
        if body.len() > max {
            self.defect("more bytes than the limit");
            match &mut body {
                Cow::Borrowed(bytes) => *bytes = &bytes[..max],
                Cow::Owned(bytes) => bytes.truncate(max),
            }
        }
        body
    }

    fn decode<'b>(&mut self, body: &'b [u8]) -> Cow<'b, str> {
        let encoding = match Encoding::for_bom(body) {
            Some((encoding, _)) => encoding,
            None => declared(body).unwrap_or(encoding_rs::UTF_8),
        };
        let (text, _, bad) = encoding.decode(body);
        if bad {
            self.defect("octets that its encoding does not have");
        }
        text
    }

    fn lines(&mut self, text: &str) {
        let mut some = false;
        for line in text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
            let web = |scheme: &str| line.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
            if web("http://") || web("https://") {
                some = true;
                self.push(Entry { url: Some(line.to_owned()), ..Entry::default() }, false, None);
            } else {
                self.skip();
                self.defect("lines that are no URLs");
            }
        }
        if some {
            self.sitemap.kind = SitemapKind::Text;
        }
    }

    fn skip(&mut self) {
        self.sitemap.skipped = self.sitemap.skipped.saturating_add(1);
    }

    /// Whether there is no room for another entry, which is counted then.
    fn is_full(&mut self) -> bool {
        let sitemap = &mut self.sitemap;
        let full =
            sitemap.urls.len() + sitemap.sitemaps.len() + sitemap.related.len() >= self.limits.max_urls;
        if full {
            sitemap.dropped += 1;
            self.defect("more URLs than the limit");
        }
        full
    }

    /// Takes a page or a file that a feed names beside its entries' own.
    fn relate(&mut self, reference: &str, base: Option<&CanonicalUrl>) {
        let joined = base.unwrap_or(self.base).join(reference.trim());
        let Some(url) = joined.filter(|url| url.is_web() && !url.host().is_empty()) else { return };
        if !self.is_full() {
            self.sitemap.related.push(url);
        }
    }

    /// Takes an entry, a page or (`index`) a sitemap.
    fn push(&mut self, entry: Entry, index: bool, base: Option<&CanonicalUrl>) {
        let joined = entry.url.as_deref().and_then(|url| base.unwrap_or(self.base).join(url.trim()));
        let Some(url) = joined.filter(|url| url.is_web() && !url.host().is_empty()) else {
            self.skip();
            self.defect("entries without a URL");
            return;
        };
        if self.is_full() {
            return;
        }
        if index {
            self.sitemap.sitemaps.push(url);
            return;
        }
        let foreign = url.host() != self.base.host();
        self.sitemap.urls.push(SitemapUrl {
            url,
            lastmod_ms: entry.lastmod.and_then(|text| moment(&text)),
            foreign,
        });
    }
}

/// What the first element of a document makes it; unknown where it is no sitemap or feed, or does not come soon.
///
/// # Examples
/// ```
/// use webmill_crawl::sitemap::{SitemapKind, kind_of};
/// assert_eq!(kind_of(b"<?xml version='1.0'?><!-- c --><feed xmlns='http://www.w3.org/2005/Atom'>"), SitemapKind::Atom);
/// assert_eq!(kind_of(b"<!DOCTYPE html><html>"), SitemapKind::Unknown);
/// ```
pub fn kind_of(body: &[u8]) -> SitemapKind {
    let head = &body[..body.len().min(4096)];
    let mut rest = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'!', ..] => b">",
            [b'<', name @ ..] => {
                let length = name.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'));
                let name = &name[..length.unwrap_or(name.len())];
                let local = name.rsplit(|b| *b == b':').next().unwrap_or(name);
                return xml::kind_of_root(&String::from_utf8_lossy(local).to_ascii_lowercase());
            }
            _ => return SitemapKind::Unknown,
        };
        let Some(at) = memchr::memmem::find(rest, end) else { return SitemapKind::Unknown };
        rest = &rest[at + end.len()..];
    }
}

fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    date::parse_w3c(text).or_else(|| date::parse_rfc822(text))
}

/// The encoding that an XML declaration names; one that it could not be read in is not believed.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(256)];
    let head = &head[memchr::memmem::find(head, b"<?xml")?..];
    let head = &head[..memchr::memmem::find(head, b"?>")?];
    let value = &head[memchr::memmem::find(head, b"encoding")? + 8..];
    let mut quoted = value.split(|b| matches!(b, b'"' | b'\''));
    quoted.next()?;
    Encoding::for_label(quoted.next()?).map(Encoding::output_encoding)
}

/// Any bytes read as a sitemap within small limits: for fuzzing.
///
/// # Panics
/// Where a law is broken.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let base = CanonicalUrl::parse("http://a/b/sitemap.xml").expect("a URL");
    let limits = SitemapLimits { max_bytes: 1 << 20, max_urls: 1000 };
    let sitemap = read(data, &base, &limits);
    let _ = kind_of(data);
    assert!(sitemap.urls.len() + sitemap.sitemaps.len() + sitemap.related.len() <= limits.max_urls);
    assert!(sitemap.urls.iter().map(|entry| &entry.url).chain(&sitemap.sitemaps).all(CanonicalUrl::is_web));
}

#[cfg(test)]
#[path = "sitemap_tests.rs"]
mod tests;
