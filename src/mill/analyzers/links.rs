//! `links`: one row per hyperlink.

use std::sync::Arc;

use webmill_capture::CanonicalUrl;
use webmill_capture::domain::registrable;
use webmill_table::{Bytes16, table, text_enum};

use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

text_enum! {
    /// What made a link, as tables say it.
    pub enum LinkElement from webmill_html::LinkKind {
        /// `<a href>`.
        A = "a",
        /// `<area href>`.
        Area = "area",
        /// `<frame src>`.
        Frame = "frame",
        /// `<iframe src>`.
        Iframe = "iframe",
        /// `<link href>` that names a page.
        Link = "link",
        /// `<form action>` sent by GET.
        Form = "form",
        /// `<meta http-equiv=refresh>`.
        MetaRefresh = "meta-refresh",
        /// `<link rel=canonical>`.
        Canonical = "canonical",
        /// `<link rel=alternate hreflang>`.
        Hreflang = "hreflang",
        /// `<img src>`.
        Img = "img",
        /// The `Location` or `Refresh` of the HTTP header.
        HttpRedirect = "http-redirect",
        /// `<object data>`.
        Object = "object",
        /// `<embed src>`.
        Embed = "embed",
        /// A link of a document that is no HTML: PDF, Office, a feed.
        Document = "document",
        /// A literal of a script that names a page.
        Script = "script",
    }
}

table! {
    /// One row per link of an HTML page or a document, in the order of the pages and within a page of the document.
    LinkRow = "links" {
        source_url: Arc<str> = "canonical URL of the page that holds the link", "http://news.pku.edu.cn/1.html";
        source_key: Bytes16 = "url_key of the page that holds the link", "9f…";
        source_host: Arc<str> = "host name of that page, as pages.url_host_name", "news.pku.edu.cn";
        target_url: String = "canonical URL the link leads to, fragment removed", "http://www.example.com/a";
        target_key: Bytes16 = "url_key of the target", "07…";
        target_host: Arc<str> = "host name of the target: lower case, IDNA ASCII form", "www.example.com";
        target_domain: Arc<str> = "registrable domain of the target's host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "example.com";
        anchor: Arc<str> = "text of the link, white space collapsed, alt text of images where there is none; of an image its alt text; at most 1,024 bytes", "Campus news";
        before: Arc<str> = "at most 50 bytes of page text before the anchor, cut at a character", "read more in the";
        after: Arc<str> = "at most 50 bytes of page text after the anchor, cut at a character", "of this week";
        heading: Arc<str> = "text of the last heading before the link (h1 to h6, dt), white space collapsed; at most 100 bytes, cut at a character; empty where there is none", "Courses";
        rel: Option<String> = "rel attribute, lower case", "nofollow";
        kind: LinkElement = "element that made the link: a, area, frame, iframe, link, form, meta-refresh, canonical, hreflang, http-redirect; document, for links of PDF, Office files, feeds and other documents; script, for what handlers and scripts of the page name, found without running them, each target once a page, and never an arc of the graph unless its kinds name it; img (pictures: src, and the largest of srcset) only where the recipe's [extract] says images = true, and never an arc of the graph unless its kinds name it", "a";
        position: u32 = "ordinal of the link on its page, from 0", "12";
        nofollow: bool = "the link or its page asks not to be followed (nofollow, ugc, sponsored)", "false";
        warc_record_offset: i64 = "offset of the source's record in its shard: which capture of the page this is", "183214";
        warc_filename: Arc<str> = "shard of the source's record", "crawl-00001.raw";
    }
}

impl Weigh for LinkRow {
    fn weight(&self) -> usize {
        size_of::<Self>()
            + self.source_url.len()
            + self.source_host.len()
            + self.target_url.len()
            + self.target_host.len()
            + self.target_domain.len()
            + self.anchor.len()
            + self.before.len()
            + self.after.len()
            + self.heading.len()
            + 80
    }
}

impl LinkRow {
    /// The link that an HTTP redirect is, stored at this place.
    pub fn redirect(
        from: &CanonicalUrl,
        to: CanonicalUrl,
        warc_record_offset: i64,
        warc_filename: Arc<str>,
    ) -> Self {
        LinkRow {
            source_url: from.as_str().into(),
            source_key: Bytes16(from.key().0),
            source_host: from.host().into(),
            target_key: Bytes16(to.key().0),
            target_host: to.host().into(),
            target_domain: registrable(to.host()).into(),
            target_url: to.into_string(),
            kind: LinkElement::HttpRedirect,
            warc_record_offset,
            warc_filename,
            ..LinkRow::default()
        }
    }
}

/// Fills table `links`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Links;

impl Analyzer for Links {
    fn id(&self) -> PartId {
        PartId::new("links", 5)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<LinkRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let offset = page.capture().place.offset as i64;
        let shard = || -> Arc<str> { (&*page.capture().place.shard).into() };
        for (from, to) in page.redirects() {
            out.push(LinkRow::redirect(&from, to, offset, shard()));
        }
        let links = page.links();
        if links.is_empty() {
            return Ok(());
        }
        let nofollow_page = page.metadata().is_some_and(|metadata| metadata.robots.all.nofollow);
        // Rows share what is the same in most of them, which is the page's own: threads do not count the same texts.
        let source_url: Arc<str> = page.url().as_str().into();
        let source_host: Arc<str> = page.url().host().into();
        let source_key = Bytes16(page.url().key().0);
        let shard = shard();
        let (mut target_host, mut target_domain) =
            (Arc::clone(&source_host), registrable(&source_host).into());
        for link in links {
            let host = link.target.host();
            if *target_host != *host {
                (target_host, target_domain) = (host.into(), registrable(host).into());
            }
            out.push(LinkRow {
                source_url: Arc::clone(&source_url),
                source_key,
                source_host: Arc::clone(&source_host),
                target_key: Bytes16(link.target.key().0),
                target_url: link.target.as_str().to_owned(),
                target_host: Arc::clone(&target_host),
                target_domain: Arc::clone(&target_domain),
                anchor: Arc::clone(&link.anchor),
                before: Arc::clone(&link.before),
                after: Arc::clone(&link.after),
                heading: Arc::clone(&link.heading),
                rel: link.rel.clone(),
                kind: link.kind.into(),
                position: link.position,
                nofollow: link.nofollow || nofollow_page,
                warc_record_offset: offset,
                warc_filename: Arc::clone(&shard),
            });
        }
        Ok(())
    }
}
