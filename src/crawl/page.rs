//! Reading a response while it is fresh: its links, its robots directives, its fingerprint.
//!
//! **What.** The part of a crawl that needs the page's tree. It runs in the task that fetched the page, in parallel with
//! others, and gives the writer thread only what it must remember. Main text and tables are the business of later jobs.
//!
//! **Algorithm.** transfer decoding → content decoding → media type → charset → tree → robots directives → links →
//! rewriting → static traps → scope → each URL once. Links are given in document order.
//!
//! **Cost.** Linear in the page; the limits are those of the parser and of the link finder.

use crate::duplicate_throttle::PageFingerprint;
use crate::page_text::page_fingerprint;
use crate::rewrite::Rewriter;
use crate::scope::{Scope, Standing};
use crate::sitemap::{self, SitemapLimits};
use crate::traps::TrapLimits;
use crate::{Counted, Purpose};
use webmill_capture::{CanonicalUrl, Response, decode_content};
use webmill_html::links::{LinkKind, LinkLimits, links};
use webmill_html::parse::{Limits, parse};
use webmill_html::sniff::{is_markup, sniff};
use webmill_html::{Robots, Tag, decode};

/// Bytes of a body that are parsed for links.
const PARSED_BYTES: usize = 16 << 20;

/// Turns responses into readings; shared by all fetching tasks.
#[derive(Debug)]
pub struct PageReader {
    /// What may be fetched.
    pub scope: Scope,
    /// In what form URLs are asked for.
    pub rewriter: Rewriter,
    /// Traps that a URL shows by itself.
    pub traps: TrapLimits,
    /// Product token that robots directives are read for.
    pub agent: String,
    /// Whether images are fetched as well.
    pub images: bool,
    /// Whether links marked `rel=nofollow` are followed all the same.
    pub follow_nofollow: bool,
}

/// A URL that a response names and that may be fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// In the form that will be asked for.
    pub url: CanonicalUrl,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a response says.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// Pages (or sitemaps) that it names, each once, in order.
    pub found: Vec<Candidate>,
    /// Where a redirect leads, as asked for: the rewritten form and the form that the server gave.
    pub redirect: Option<(CanonicalUrl, CanonicalUrl)>,
    /// URLs that will not be fetched, by reason.
    pub refused: Counted,
    /// An example of each reason that speaks of a trap.
    pub trapped: Vec<(CanonicalUrl, &'static str)>,
    /// What the duplicate throttle looks at.
    pub fingerprint: Option<PageFingerprint>,
    /// The page forbids that its links are followed.
    pub nofollow: bool,
    /// Whether it is a page of markup.
    pub markup: bool,
    /// What was wrong with a sitemap.
    pub defect: Option<String>,
}

impl PageReader {
    /// Whether `url` may be fetched, named by a page of standing `parent`, `depth` links from a seed; the form that would be
    /// asked for.
    ///
    /// # Errors
    /// The reason, as it is counted: that of the scope's verdict or the name of a trap.
    pub fn admit(
        &self,
        url: CanonicalUrl,
        parent: Standing,
        depth: u32,
    ) -> Result<CanonicalUrl, (CanonicalUrl, Refusal<'_>)> {
        let url = self.rewriter.apply(plain(url));
        let lineage = self.scope.linked(parent.lineage, &url);
        if let Err(reason) = self.scope.url(&url, Standing { depth, lineage }) {
            return Err((url, Refusal::Scope(reason)));
        }
        match self.traps.check(&url) {
            Ok(()) => Ok(url),
            Err(reason) => Err((url, Refusal::Trap(reason))),
        }
    }

    /// Reads `raw`, the response for `url`, which stood so many links from a seed, or so.
    pub fn read(&self, url: &CanonicalUrl, purpose: Purpose, at: impl Into<Standing>, raw: &[u8]) -> Reading {
        let at = at.into();
        let mut reading = Reading::default();
        let response = Response::parse(raw);
        match (response.status, purpose) {
            (Some(300..=399), _) => {
                let location = response.header("location").map(webmill_capture::url_text);
                reading.redirect = location
                    .and_then(|l| url.join(&l))
                    .filter(CanonicalUrl::is_web)
                    .map(plain)
                    .map(|given| (self.rewriter.apply(given.clone()), given));
            }
            (None | Some(200..=299), Purpose::Page) => self.read_page(url, at, &response, &mut reading),
            (None | Some(200..=299), Purpose::Sitemap) => self.read_sitemap(url, at, &response, &mut reading),
            _ => {}
        }
        reading
    }

    fn read_page(&self, url: &CanonicalUrl, at: Standing, response: &Response<'_>, reading: &mut Reading) {
        let payload = response.payload(PARSED_BYTES);
        let body = decode_content(response, &payload.bytes, PARSED_BYTES);
        reading.markup = is_markup(response.media_type().as_deref(), sniff(&body.bytes));
        if !reading.markup {
            return;
        }
        let tld = url.host().rsplit('.').next().map(str::as_bytes);
        let text = decode(&body.bytes, response.charset_label(), tld);
        let dom = parse(&text.text, &Limits::default());
        reading.fingerprint = page_fingerprint(url, &dom);
        let mut robots = Robots::default();
        for (name, value) in response.headers() {
            if name.eq_ignore_ascii_case(b"x-robots-tag") {
                robots.add_header(value);
            }
        }
        for node in dom.descendants(dom.document()).filter(|n| dom.tag(*n) == Tag::Meta) {
            if let (Some(name), Some(content)) = (dom.attr(node, "name"), dom.attr(node, "content")) {
                robots.add_meta(name, content);
            }
        }
        reading.nofollow = robots.for_agent(&self.agent).nofollow;
        if reading.nofollow {
            return;
        }
        let limits = LinkLimits {
            context_bytes: 0,
            max_anchor_bytes: 0,
            images: self.images,
            ..LinkLimits::default()
        };
        let mut seen = std::collections::HashSet::new();
        for link in links(&dom, url, text.used, &limits).links {
            // These two name a page by another URL and in another language; they are noted, not followed.
            if matches!(link.kind, LinkKind::Canonical | LinkKind::Hreflang) {
                continue;
            }
            if link.nofollow && !self.follow_nofollow {
                reading.refused.add("link-nofollow");
                continue;
            }
            match self.admit(link.target, at, at.depth + 1) {
                Ok(target) => {
                    if target != *url && seen.insert(target.key()) {
                        reading.found.push(Candidate { url: target, purpose: Purpose::Page });
                    }
                }
                Err((target, refusal)) => reading.refuse(target, refusal),
            }
        }
    }

    fn read_sitemap(&self, url: &CanonicalUrl, at: Standing, response: &Response<'_>, reading: &mut Reading) {
        let limits = SitemapLimits::default();
        let payload = response.payload(limits.max_bytes);
        let body = decode_content(response, &payload.bytes, limits.max_bytes);
        let sitemap = sitemap::read(&body.bytes, url, &limits);
        reading.defect = sitemap.defects.first().map(ToString::to_string);
        for index in sitemap.sitemaps {
            let index = plain(index);
            let mine = index.host() == url.host() && self.scope.sitemap(&index, Standing { depth: 1, ..at });
            if mine && self.traps.check(&index).is_ok() {
                reading.found.push(Candidate { url: index, purpose: Purpose::Sitemap });
            }
        }
        for listed in sitemap.urls {
            if listed.foreign {
                reading.refused.add("sitemap-foreign");
                continue;
            }
            match self.admit(listed.url, at, 1) {
                Ok(target) => reading.found.push(Candidate { url: target, purpose: Purpose::Page }),
                Err((target, refusal)) => reading.refuse(target, refusal),
            }
        }
    }
}

/// A URL without what makes it another address of the same page on the same host: user name and password, which are not for
/// archives and make endless variants, and the dot of the root after the host's name.
pub fn plain(url: CanonicalUrl) -> CanonicalUrl {
    let text = url.as_str();
    let Some(start) = text.find("://").map(|at| at + 3) else { return url };
    let authority = &text[start..text.len() - url.path_and_query().len()];
    let dotted = url.host().ends_with('.') && !url.is_ip();
    let Some(at) = authority.rfind('@').map(|at| at + 1).or(dotted.then_some(0)) else { return url };
    let mut place = authority[at..].to_owned();
    if dotted {
        place = place.replacen(url.host(), url.host().trim_end_matches('.'), 1);
    }
    CanonicalUrl::parse(&format!("{}{place}{}", &text[..start], url.path_and_query())).unwrap_or(url)
}

/// `host` or `host:port` of a URL with user name and password, and these as `user:password`.
pub fn account(url: &CanonicalUrl) -> Option<(String, String)> {
    let text = url.as_str();
    let start = text.find("://")? + 3;
    let authority = &text[start..text.len() - url.path_and_query().len()];
    let (account, _) = authority.rsplit_once('@')?;
    let decoded = percent_decoded(account);
    let account = if decoded.contains(':') { decoded } else { format!("{decoded}:") };
    let host = match url.port() {
        Some(port) => format!("{}:{port}", url.host()),
        None => url.host().to_owned(),
    };
    Some((host, account))
}

fn percent_decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, tail)) = rest.split_first() {
        let code = (first == b'%').then(|| tail.get(..2)).flatten();
        match code.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Why a URL is not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal<'a> {
    /// The rules of scope.
    Scope(&'a str),
    /// It looks like a trap.
    Trap(&'static str),
}

impl<'a> Refusal<'a> {
    /// The reason as it is counted.
    pub fn reason(self) -> &'a str {
        match self {
            Refusal::Scope(reason) | Refusal::Trap(reason) => reason,
        }
    }
}

impl Reading {
    /// Bytes that it takes, about.
    pub fn weight(&self) -> usize {
        let found = self.found.iter().map(|c| c.url.as_str().len() + size_of::<Candidate>()).sum::<usize>();
        found + size_of::<Reading>()
    }

    fn refuse(&mut self, url: CanonicalUrl, refusal: Refusal<'_>) {
        self.refused.add(refusal.reason());
        if let Refusal::Trap(reason) = refusal
            && self.trapped.len() < 8
            && self.trapped.iter().all(|(_, r)| *r != reason)
        {
            self.trapped.push((url, reason));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_a_page() {
        for (given, want, sent) in [
            ("http://a.example/x?y", "http://a.example/x?y", None),
            ("http://a.example.:8080/x", "http://a.example:8080/x", None),
            ("http://u:p@a.example/x", "http://a.example/x", Some(("a.example", "u:p"))),
            (
                "https://u%40v:p%3A@a.example.:81/@x",
                "https://a.example:81/@x",
                Some(("a.example.:81", "u@v:p:")),
            ),
            ("http://u@a.example/", "http://a.example/", Some(("a.example", "u:"))),
            ("http://127.0.0.1/", "http://127.0.0.1/", None),
        ] {
            let url = CanonicalUrl::parse(given).unwrap();
            assert_eq!(plain(url.clone()).as_str(), want, "{given}");
            let found = account(&url);
            assert_eq!(found.as_ref().map(|(h, a)| (h.as_str(), a.as_str())), sent, "{given}");
        }
    }
}
