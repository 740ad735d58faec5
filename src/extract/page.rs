//! From one capture to its rows.

use crate::capture::digest::sha1_base32;
use crate::capture::{CanonicalUrl, Capture, Truncation, decode_content, domain};
use crate::dedup::{SHINGLE_WORDS, SimHasher, TextDigest};
use crate::extract::ExtractLimits;
use crate::html::charset::decode;
use crate::html::links::{Link, LinkKind, links};
use crate::html::meta::metadata;
use crate::html::parse::{Limits, parse};
use crate::html::sniff::{is_markup, sniff};
use crate::table::{Bytes16, LinkRow, Millis, PageRow, TextRow};
use crate::text::{TextLimits, languages, main_text, words};

/// Share of a page's letters from which a language is one of its languages, and most of these.
const LEAST_SHARE: f64 = 0.05;
const MAX_LANGUAGES: usize = 3;

/// Longest text that language and words are counted over; what lies behind it changes neither.
const ANCHOR_BYTES: usize = 1024;

/// The rows of one capture.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// Its row of `pages`.
    pub page: PageRow,
    /// Its rows of `links`, in document order.
    pub links: Vec<LinkRow>,
    /// Its row of `texts`, where there is main text.
    pub text: Option<TextRow>,
}

impl Extracted {
    /// Bytes that the rows hold in memory, for buffers that must stay bounded.
    pub fn weight(&self) -> usize {
        let text = self.text.as_ref().map_or(0, |t| t.text.len() + t.markdown.len() + 400);
        let links: usize = self
            .links
            .iter()
            .map(|l| {
                size_of::<LinkRow>()
                    + l.target_url.len()
                    + l.anchor.len()
                    + l.before.len()
                    + l.after.len()
                    + 48
            })
            .sum();
        size_of::<PageRow>() + 600 + text + links
    }
}

/// Turns captures into rows, within limits.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    limits: ExtractLimits,
}

impl Extractor {
    /// An extractor with these limits.
    pub fn new(limits: ExtractLimits) -> Self {
        Extractor { limits }
    }

    /// The rows of `capture`; `None` where its URL is none.
    pub fn extract(&self, capture: &Capture<'_>) -> Option<Extracted> {
        let url = capture.canonical_url()?;
        let response = &capture.response;
        let max = self.limits.max_body_bytes;
        let payload = response.payload(max);
        let decoded = decode_content(response, &payload.bytes, max);
        let declared = response.media_type();
        let sniffed = sniff(&decoded.bytes);
        let is_html = is_markup(declared.as_deref(), sniffed);
        let origin = capture.origin.as_deref().and_then(CanonicalUrl::parse_stored).filter(|o| *o != url);
        let truncated = capture
            .truncated
            .or_else(|| (payload.truncated || decoded.truncated).then_some(Truncation::BodyLimit));
        let mut defects: Vec<&str> = response.defects.names().collect();
        defects.extend(payload.defect);
        defects.extend(decoded.defect);
        let host = url.host();
        let page = PageRow {
            url_surtkey: url.surt(),
            url_key: Bytes16(url.key().0),
            url_host_name: host.to_owned(),
            url_host_registered_domain: (!domain::is_ip(host) && !host.is_empty())
                .then(|| url.registrable_domain().to_owned()),
            url_origin: origin.as_ref().map(|o| o.as_str().to_owned()),
            fetch_time: Millis(capture.date_ms),
            fetch_status: response.status.and_then(|s| i16::try_from(s).ok()),
            fetch_ip: capture.ip.as_deref().map(str::to_owned),
            // Of a body that we cut, the digest would not be the body's.
            content_digest: (!payload.truncated && capture.truncated != Some(Truncation::RecordLimit))
                .then(|| sha1_base32(&payload.bytes)),
            content_mime_detected: sniffed.map(str::to_owned),
            content_mime_type: declared,
            content_truncated: truncated.map(Truncation::name),
            content_length: payload.bytes.len() as u64,
            warc_filename: capture.place.shard.to_string(),
            warc_record_offset: capture.place.offset as i64,
            warc_record_length: capture.place.length as i64,
            http_defects: (!defects.is_empty()).then(|| defects.join(",")),
            is_html,
            url: url.as_str().to_owned(),
            ..PageRow::default()
        };
        let mut extracted = Extracted { page, links: Vec::new(), text: None };
        if let Some(origin) = &origin {
            extracted.links.push(redirect_row(origin, &url, &extracted.page));
        }
        match response.status {
            Some(300..=399) => {
                let target =
                    response.header("location").map(String::from_utf8_lossy).and_then(|l| url.join(&l));
                if let Some(target) = target.filter(|t| t.is_web() && *t != url) {
                    extracted.links.push(redirect_row(&url, &target, &extracted.page));
                }
            }
            None | Some(200..=299) if is_html => self.parse(&url, capture, &decoded.bytes, &mut extracted),
            _ => {}
        }
        extracted.page.num_links = extracted.links.len() as u32;
        Some(extracted)
    }

    fn parse(&self, url: &CanonicalUrl, capture: &Capture<'_>, body: &[u8], out: &mut Extracted) {
        let tld = url.host().rsplit('.').next().map(str::as_bytes);
        let decoded = decode(body, capture.response.charset_label(), tld);
        let limits = Limits {
            max_depth: self.limits.max_depth as _,
            max_nodes: self.limits.max_nodes as _,
            max_attrs_per_tag: self.limits.max_attributes as _,
            ..Limits::default()
        };
        let dom = parse(&decoded.text, &limits);
        let found = links(&dom, url, decoded.used, &self.limits.links());
        let robots: Vec<&[u8]> = capture
            .response
            .headers()
            .filter_map(|(name, value)| name.eq_ignore_ascii_case(b"x-robots-tag").then_some(value))
            .collect();
        let meta = metadata(&dom, &found.base, &robots);
        let limits = TextLimits { details: false, ..TextLimits::default() };
        let main = main_text(&dom, &meta, &limits);

        let page = &mut out.page;
        page.content_charset = Some(decoded.used.name().to_owned());
        page.content_charset_declared = decoded.declared.map(str::to_owned);
        page.content_charset_detected = decoded.detected.map(str::to_owned);
        page.title.clone_from(&meta.title);
        page.description.clone_from(&meta.description);
        page.author.clone_from(&main.author);
        page.published.clone_from(&main.date);
        page.site_name.clone_from(&meta.site_name);
        page.canonical_url = meta.canonical.as_ref().map(|c| c.as_str().to_owned());
        page.robots_noindex = meta.robots.all.noindex;
        page.robots_nofollow = meta.robots.all.nofollow;
        page.page_type = Some(main.page_type.name());
        page.dom_nodes = dom.len() as u32;
        let mut cuts: Vec<&str> = dom.cut().names().collect();
        if found.skipped.limit > 0 {
            cuts.push("links");
        }
        page.cuts = (!cuts.is_empty()).then(|| cuts.join(","));

        let nofollow_page = meta.robots.all.nofollow;
        out.links.extend(found.links.into_iter().map(|link| link_row(link, nofollow_page, &out.page)));
        let text = main.text.trim();
        if text.is_empty() {
            return;
        }
        let mut num_words = 0u32;
        let mut hasher = SimHasher::new(SHINGLE_WORDS);
        words(text, |word| {
            num_words = num_words.saturating_add(1);
            hasher.word(word);
        });
        let found = languages(&main.text, &main.code);
        let found_language = found.main();
        let page = &mut out.page;
        page.num_words = num_words;
        let spoken = found.shares.iter().filter(|(_, share)| *share >= LEAST_SHARE).take(MAX_LANGUAGES);
        let spoken: Vec<&str> = spoken.map(|(language, _)| *language).collect();
        page.content_languages = (!spoken.is_empty()).then(|| spoken.join(","));
        page.text_digest = TextDigest::of(text).map(|d| Bytes16(d.0));
        page.simhash = hasher.finish().map(|f| f.0);
        out.text = Some(TextRow {
            url_surtkey: page.url_surtkey.clone(),
            url: page.url.clone(),
            url_key: page.url_key,
            title: main.title.or_else(|| meta.title.clone()),
            language: found_language.as_ref().map(|l| l.iso639_3.to_owned()),
            language_confidence: found_language.as_ref().map(|l| l.confidence as f32),
            page_type: main.page_type.name(),
            confidence: main.confidence,
            num_words,
            warc_record_offset: page.warc_record_offset,
            warc_filename: page.warc_filename.clone(),
            text: text.to_owned(),
            markdown: main.markdown,
        });
    }
}

fn link_row(link: Link, nofollow_page: bool, page: &PageRow) -> LinkRow {
    debug_assert!(link.anchor.len() <= ANCHOR_BYTES);
    LinkRow {
        source_key: page.url_key,
        target_key: Bytes16(link.target.key().0),
        target_url: link.target.into_string(),
        anchor: link.anchor,
        before: link.before,
        after: link.after,
        rel: link.rel,
        kind: link.kind.name(),
        position: link.position,
        nofollow: link.nofollow || nofollow_page,
        warc_record_offset: page.warc_record_offset,
        warc_filename: page.warc_filename.clone(),
    }
}

fn redirect_row(from: &CanonicalUrl, to: &CanonicalUrl, page: &PageRow) -> LinkRow {
    LinkRow {
        source_key: Bytes16(from.key().0),
        target_url: to.as_str().to_owned(),
        target_key: Bytes16(to.key().0),
        kind: LinkKind::HttpRedirect.name(),
        warc_record_offset: page.warc_record_offset,
        warc_filename: page.warc_filename.clone(),
        ..LinkRow::default()
    }
}
