//! `comments`: what readers wrote below a page.

use webmill_capture::domain::registrable;
use webmill_table::{Bytes16, table};

use super::place;
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

table! {
    /// One row per reader's comment that is not part of the main text of its page.
    CommentRow = "comments" {
        url: String = "canonical URL of the page", "http://blog.example.com/2003/04/rain";
        url_key: Bytes16 = "key of the page in table pages", "9f…";
        host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "pku.edu.cn";
        is_current: bool = "whether the row is of the current capture of its URL, as pages.is_current: joined by it and the URL, no page comes twice", "true";
        position: u32 = "ordinal of the comment on its page, from 0", "0";
        author: Option<String> = "who wrote it", "Li Hua";
        published: Option<String> = "when, ISO 8601", "2003-04-16T10:00:00+08:00";
        text: String = "what it says, a line a paragraph", "We had snow instead.";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}

impl Weigh for CommentRow {
    fn weight(&self) -> usize {
        size_of::<Self>() + 190 + self.text.len()
    }
}

/// Fills table `comments`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Comments;

impl Analyzer for Comments {
    fn id(&self) -> PartId {
        PartId::new("comments", 3)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<CommentRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let Some(document) = page.document() else { return Ok(()) };
        for (comment, position) in document.main.comments.iter().zip(0..) {
            let (warc_record_offset, warc_filename) = place(page);
            out.push(CommentRow {
                url: page.url().as_str().to_owned(),
                url_key: Bytes16(page.url().key().0),
                host: page.url().host().to_owned(),
                domain: registrable(page.url().host()).to_owned(),
                is_current: false,
                position,
                author: comment.author.clone(),
                published: comment.date.clone(),
                text: comment.text.clone(),
                warc_record_offset,
                warc_filename,
            });
        }
        Ok(())
    }
}
