//! `posts`: what people say on pages where others do too.

use super::{list, page_row, page_table};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

page_table! {
    /// One row per post of a thread that is the text of its page, and per reader's comment and customer's review beside a text.
    PostRow = "posts" of "http://blog.example.com/2003/04/rain" {
        position: u32 = "ordinal of the post on its page, from 0", "0";
        kind: &'static str = "post: of a thread that is the text of its page; answer: to the question that such a thread begins with; comment: of a reader, beside a text or below a question or answer; review: of a customer, on a product", "post";
        author: Option<String> = "who wrote it", "Li Hua";
        published: Option<String> = "when, ISO 8601", "2003-04-16T10:00:00+08:00";
        text: String = "what it says, a line a paragraph, without what it quotes; code with its indentation", "We had snow instead.";
        quotes: Vec<String> = "what it quotes, each quote by itself", "['Rain again.']";
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
            out.push(page_row!(PostRow of page {
                position,
                kind: post.kind.name(),
                author: post.author.clone(),
                published: post.date.clone(),
                text: post.text.clone(),
                quotes: post.quotes.clone(),
            }));
        }
        Ok(())
    }
}
