//! `links`: one row a hyperlink.

use webmill_capture::CanonicalUrl;
use webmill_table::{Bytes16, table, text_enum};

use super::place;
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
    }
}

table! {
    /// One row a link of an HTML page, in the order of the pages and within a page of the document.
    LinkRow = "links" {
        source_key: Bytes16 = "url_key of the page that holds the link", "0x9f…";
        target_url: String = "canonical URL the link leads to, fragment removed", "http://www.example.com/a";
        target_key: Bytes16 = "url_key of the target", "0x07…";
        anchor: String = "text of the link, white space collapsed, alt text of images where there is none; at most 1,024 bytes", "Campus news";
        before: String = "at most 50 bytes of page text before the anchor, cut at a character", "read more in the";
        after: String = "at most 50 bytes of page text after the anchor, cut at a character", "of this week";
        rel: Option<String> = "rel attribute, lower case", "nofollow";
        kind: LinkElement = "element that made the link: a, area, frame, iframe, link, form, meta-refresh, canonical, hreflang, img, http-redirect", "a";
        position: u32 = "ordinal of the link on its page, from 0", "12";
        nofollow: bool = "the link or its page asks not to be followed (nofollow, ugc, sponsored)", "false";
        warc_record_offset: i64 = "offset of the source's record in its shard: which capture of the page this is", "183214";
        warc_filename: String = "shard of the source's record", "crawl-00001.raw";
    }
}

impl Weigh for LinkRow {
    fn weight(&self) -> usize {
        size_of::<Self>()
            + self.target_url.len()
            + self.anchor.len()
            + self.before.len()
            + self.after.len()
            + 48
    }
}

impl LinkRow {
    /// The link that an HTTP redirect is, stored at this place.
    pub fn redirect(
        from: &CanonicalUrl,
        to: CanonicalUrl,
        warc_record_offset: i64,
        warc_filename: String,
    ) -> Self {
        LinkRow {
            source_key: Bytes16(from.key().0),
            target_key: Bytes16(to.key().0),
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
        PartId::new("links", 1)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<LinkRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        for (from, to) in page.redirects() {
            let (offset, shard) = place(page);
            out.push(LinkRow::redirect(&from, to, offset, shard));
        }
        let nofollow_page = page.metadata().is_some_and(|metadata| metadata.robots.all.nofollow);
        for link in page.links() {
            let (warc_record_offset, warc_filename) = place(page);
            out.push(LinkRow {
                source_key: Bytes16(page.url().key().0),
                target_key: Bytes16(link.target.key().0),
                target_url: link.target.as_str().to_owned(),
                anchor: link.anchor.clone(),
                before: link.before.clone(),
                after: link.after.clone(),
                rel: link.rel.clone(),
                kind: link.kind.into(),
                position: link.position,
                nofollow: link.nofollow || nofollow_page,
                warc_record_offset,
                warc_filename,
            });
        }
        Ok(())
    }
}
