//! `posts`: what people say on pages where others do too.

use webmill_capture::domain::registrable;
use webmill_table::{Bytes16, table};

use super::{list, place};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

table! {
    /// One row per post of a thread that is the text of its page, and per reader's comment and customer's review beside a text.
    PostRow = "posts" {
        url: String = "canonical URL of the page", "http://blog.example.com/2003/04/rain";
        url_key: Bytes16 = "key of the page in table pages", "9f…";
        host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "pku.edu.cn";
        is_current: bool = "whether the row is of the current capture of its URL, as pages.is_current: joined by it and the URL, no page comes twice", "true";
        position: u32 = "ordinal of the post on its page, from 0", "0";
        kind: &'static str = "post: of a thread that is the text of its page; answer: to the question that such a thread begins with; comment: of a reader, beside a text or below a question or answer; review: of a customer, on a product", "post";
        author: Option<String> = "who wrote it", "Li Hua";
        published: Option<String> = "when, ISO 8601", "2003-04-16T10:00:00+08:00";
        text: String = "what it says, a line a paragraph, without what it quotes; code with its indentation", "We had snow instead.";
        quotes: Vec<String> = "what it quotes, each quote by itself", "['Rain again.']";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}

impl Weigh for PostRow {
    fn weight(&self) -> usize {
        size_of::<Self>() + 190 + self.text.len() + list(&self.quotes)
    }
}

/// Fills table `posts`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Posts;

impl Analyzer for Posts {
    fn id(&self) -> PartId {
        PartId::new("posts", 1)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<PostRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let Some(document) = page.document() else { return Ok(()) };
        for (post, position) in document.main.posts.iter().zip(0..) {
            let (warc_record_offset, warc_filename) = place(page);
            out.push(PostRow {
                url: page.url().as_str().to_owned(),
                url_key: Bytes16(page.url().key().0),
                host: page.url().host().to_owned(),
                domain: registrable(page.url().host()).to_owned(),
                is_current: false,
                position,
                kind: post.kind.name(),
                author: post.author.clone(),
                published: post.date.clone(),
                text: post.text.clone(),
                quotes: post.quotes.clone(),
                warc_record_offset,
                warc_filename,
            });
        }
        Ok(())
    }
}
