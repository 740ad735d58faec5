//! `links`: one row a hyperlink.

use webmill_table::{Bytes16, table};

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
        kind: &'static str = "element that made the link: a, area, frame, iframe, link, form, meta-refresh, canonical, hreflang, img, http-redirect", "a";
        position: u32 = "ordinal of the link on its page, from 0", "12";
        nofollow: bool = "the link or its page asks not to be followed (nofollow, ugc, sponsored)", "false";
        warc_record_offset: i64 = "offset of the source's record in its shard: which capture of the page this is", "183214";
        warc_filename: String = "shard of the source's record", "crawl-00001.raw";
    }
}
