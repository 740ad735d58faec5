//! From one capture to its rows.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ExtractLimits;
use crate::rows::{comment_row, link_row, record_rows, redirect_row, structured_row};
use crate::{CommentRow, LinkRow, PageRow, RecordRow, StructuredRow, TextRow};
use webmill_capture::digest::sha1_base32;
use webmill_capture::{CanonicalUrl, Capture, Truncation, decode_content, domain};
use webmill_dedup::{SHINGLE_WORDS, SimHasher, TextDigest};
use webmill_html::charset::decode;
use webmill_html::items;
use webmill_html::links::{LinkLimits, links};
use webmill_html::meta::metadata;
use webmill_html::parse::parse;
use webmill_html::sniff::{is_markup, sniff};
use webmill_table::{Bytes16, Millis};
use webmill_text::{
    Footprint, Template, TextLimits, footprint, languages, main_text, main_text_without, words,
};

/// Bytes by which a capture without a media type is judged before it is read whole.
const SNIFFED_BYTES: usize = 4096;

/// Share of a page's letters from which a language is one of its languages, and most of these.
const LEAST_SHARE: f64 = 0.05;
const MAX_LANGUAGES: usize = 3;

/// Longest text that language and words are counted over; what lies behind it changes neither.
pub(super) const ANCHOR_BYTES: usize = 1024;

/// The rows of one capture.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// Its row of `pages`.
    pub page: PageRow,
    /// Its rows of `links`, in document order.
    pub links: Vec<LinkRow>,
    /// Its row of `texts`, where there is main text.
    pub text: Option<TextRow>,
    /// Rows of the data tables in it.
    pub records: Vec<RecordRow>,
    /// Its readers' comments, in order.
    pub comments: Vec<CommentRow>,
    /// Its structured data, in order.
    pub structured: Vec<StructuredRow>,
    /// Whether the template of its host took something of its main text.
    pub pruned: bool,
}

impl Extracted {
    /// A capture of which no more is known than its row of `pages`.
    pub fn new(page: PageRow) -> Self {
        Extracted {
            page,
            links: Vec::new(),
            text: None,
            records: Vec::new(),
            comments: Vec::new(),
            structured: Vec::new(),
            pruned: false,
        }
    }

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
        size_of::<PageRow>() + 600 + text + links + self.details_weight()
    }

    fn details_weight(&self) -> usize {
        let list = |list: &[String]| list.iter().map(|s| s.len() + size_of::<String>()).sum::<usize>();
        let records = self.records.iter().map(|r| size_of_val(r) + 150 + list(&r.columns) + list(&r.cells));
        let comments = self.comments.iter().map(|c| size_of_val(c) + 150 + c.text.len());
        let structured = self.structured.iter().map(|s| size_of_val(s) + 150 + s.data.len() + list(&s.types));
        records.chain(comments).chain(structured).sum()
    }
}

/// Templates of hosts, by host name.
pub type Templates = HashMap<String, Template>;

/// Turns captures into rows, within limits.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    limits: ExtractLimits,
    templates: Arc<Templates>,
}

impl Extractor {
    /// An extractor with these limits.
    pub fn new(limits: ExtractLimits) -> Self {
        Extractor { limits, templates: Arc::default() }
    }

    /// The same, leaving out of main texts what the templates of their hosts hold.
    pub fn with_templates(self, templates: Arc<Templates>) -> Self {
        Extractor { templates, ..self }
    }

    /// Whether a capture may be an HTML page of status 2xx, by its head and the beginning of its body.
    pub fn may_be_page(&self, capture: &Capture<'_>) -> bool {
        let response = &capture.response;
        let packed = || response.header("content-encoding").is_some();
        let start = || sniff(&response.payload(SNIFFED_BYTES).bytes).map(str::to_owned);
        matches!(response.status, None | Some(200..=299))
            && match response.media_type() {
                None if packed() => true,
                None => is_markup(None, start().as_deref()),
                declared => is_markup(declared.as_deref(), Some("text/html")),
            }
    }

    /// What a capture adds to the sample of its host's pages; `None` where it is no HTML page of status 2xx.
    pub fn footprint(&self, capture: &Capture<'_>) -> Option<Footprint> {
        let url = capture.canonical_url()?;
        let response = &capture.response;
        let payload = response.payload(self.limits.max_body_bytes);
        let body = decode_content(response, &payload.bytes, self.limits.max_body_bytes);
        let is_html = is_markup(response.media_type().as_deref(), sniff(&body.bytes));
        if !is_html || !matches!(response.status, None | Some(200..=299)) {
            return None;
        }
        let decoded = decode(&body.bytes, response.charset_label(), top_level(&url));
        let dom = parse(&decoded.text, &self.limits.tree());
        let found = links(&dom, &url, decoded.used, &LinkLimits { max_links: 0, ..LinkLimits::default() });
        Some(footprint(&dom, &metadata(&dom, &found.base, &[])))
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
        let mut extracted = Extracted::new(page);
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
        let decoded = decode(body, capture.response.charset_label(), top_level(url));
        let dom = parse(&decoded.text, &self.limits.tree());
        let found = links(&dom, url, decoded.used, &self.limits.links());
        let robots: Vec<&[u8]> = capture
            .response
            .headers()
            .filter_map(|(name, value)| name.eq_ignore_ascii_case(b"x-robots-tag").then_some(value))
            .collect();
        let meta = metadata(&dom, &found.base, &robots);
        let limits = TextLimits { details: self.limits.details, ..TextLimits::default() };
        let main = match self.templates.get(url.host()) {
            Some(template) => main_text_without(&dom, &meta, &limits, template),
            None => main_text(&dom, &meta, &limits),
        };
        out.pruned = main.pruned > 0;
        if self.limits.details {
            let stated = items(&dom, meta.base.as_ref()).into_iter().zip(0..);
            out.structured = stated.map(|(item, i)| structured_row(item, i, &out.page)).collect();
            let said = main.comments.into_iter().zip(0..);
            out.comments = said.map(|(comment, i)| comment_row(comment, i, &out.page)).collect();
            let tables = main.tables.into_iter().zip(0..);
            out.records = tables.flat_map(|(table, i)| record_rows(table, i, &out.page)).collect();
        }

        let page = &mut out.page;
        page.content_charset = Some(decoded.name.to_owned());
        page.content_charset_declared = decoded.declared.map(str::to_owned);
        page.content_charset_detected = decoded.detected.map(str::to_owned);
        page.title.clone_from(&meta.title);
        page.description.clone_from(&meta.description);
        page.author.clone_from(&main.author);
        page.published.clone_from(&main.date);
        page.modified.clone_from(&meta.modified);
        page.licence.clone_from(&meta.licence);
        page.site_name.clone_from(&meta.site_name);
        page.image = meta.image.as_ref().map(|image| image.as_str().to_owned());
        page.language_declared.clone_from(&meta.lang);
        page.categories = meta.categories;
        page.tags = meta.tags;
        for word in meta.keywords {
            if !page.tags.contains(&word) {
                page.tags.push(word);
            }
        }
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
        let text = main.text.as_str();
        if text.trim().is_empty() {
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
        let several = found.runs.len() > 1 || !main.code.is_empty();
        let by_line = if several { found.by_line(&main.text, &main.code) } else { Vec::new() };
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
            paragraph_languages: by_line.into_iter().map(str::to_owned).collect(),
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

/// The last label of a host name: some encodings are at home in some countries.
fn top_level(url: &CanonicalUrl) -> Option<&[u8]> {
    url.host().rsplit('.').next().map(str::as_bytes)
}
