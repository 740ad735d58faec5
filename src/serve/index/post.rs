//! Requests in keys: what a form says is part of what it asks for.
//!
//! The answer to a POST or PUT has the key of its URL with `__wb_method=POST&…` appended to the query, where `…` is what
//! the request carries:
//!
//! | body | appended |
//! |---|---|
//! | `application/x-www-form-urlencoded`, if it is UTF-8 | the form, percent-decoded |
//! | `application/json`; `text/plain` that is JSON | `name=value` of every number, text, truth or null inside, by the name nearest to it (the second of a name is `name.2_`); lists of JSON by lines too |
//! | `multipart/form-data` | `name=value` of every part |
//! | other | `__wb_post_data=` and its base64 |
//!
//! A request belongs to the response that names it, or that it names, in `WARC-Concurrent-To`; without names, to its
//! neighbour with the same URL. As appended, texts are at most [`MAX_QUERY`] bytes.
//!
//! Reference: the behaviour of cdxj-indexer 1.5 with `--post-append`, found by asking it.

mod body;
mod json;

use std::borrow::Cow;

use webmill_capture::Result;
use webmill_capture::urlkey::url_key;
use webmill_shard::{Record, RecordType};

use crate::index::Entry;
use crate::index::indexer::{Facts, Visit};

pub use body::{appended, query};

/// Longest text that is appended.
pub const MAX_QUERY: usize = 4096;

/// A request, as far as it concerns the key of its response.
#[derive(Debug)]
pub(crate) struct PostRequest {
    id: Option<String>,
    concurrent_to: Option<String>,
    url: String,
    /// Method and what it carries; `None` where it is no part of the key.
    carries: Option<(String, String)>,
}

impl PostRequest {
    /// Of a record of a request.
    pub(crate) fn of(record: &Record<'_>) -> Option<PostRequest> {
        if record.kind != RecordType::Request {
            return None;
        }
        Some(PostRequest {
            id: record.id.as_deref().map(str::to_owned),
            concurrent_to: record.property("WARC-Concurrent-To").map(Cow::into_owned),
            url: record.url.clone().into_owned(),
            carries: body::of_request(&record.data),
        })
    }
}

/// A response that waits for its request.
struct Answer {
    entry: Entry<'static>,
    facts: Facts<'static>,
    id: Option<String>,
    concurrent_to: Option<String>,
}

/// The last request without a response, and the last response without a request.
#[derive(Default)]
pub(crate) struct Pairs {
    asked: Option<PostRequest>,
    answer: Option<Answer>,
}

impl Pairs {
    /// Takes a request.
    pub(crate) fn ask(&mut self, asked: PostRequest, visit: Visit<'_>) -> Result<()> {
        match self.answer.take() {
            Some(answer) if belong(&asked, &answer) => emit(answer, Some(&asked), visit),
            Some(answer) => {
                self.asked = Some(asked);
                emit(answer, None, visit)
            }
            None => {
                self.asked = Some(asked);
                Ok(())
            }
        }
    }

    /// Takes a response.
    pub(crate) fn answer(
        &mut self,
        entry: Entry<'static>,
        facts: Facts<'static>,
        id: Option<&str>,
        concurrent_to: Option<String>,
        visit: Visit<'_>,
    ) -> Result<()> {
        if let Some(before) = self.answer.take() {
            emit(before, None, visit)?;
        }
        let answer = Answer { entry, facts, id: id.map(str::to_owned), concurrent_to };
        match self.asked.take() {
            Some(asked) if belong(&asked, &answer) => emit(answer, Some(&asked), visit),
            _ => {
                self.answer = Some(answer);
                Ok(())
            }
        }
    }

    /// Hands out what still waits.
    pub(crate) fn finish(&mut self, visit: Visit<'_>) -> Result<()> {
        self.answer.take().map_or(Ok(()), |answer| emit(answer, None, visit))
    }
}

fn belong(asked: &PostRequest, answer: &Answer) -> bool {
    let names = |to: &Option<String>, id: &Option<String>| to.is_some() && to == id;
    names(&asked.concurrent_to, &answer.id)
        || names(&answer.concurrent_to, &asked.id)
        || (asked.concurrent_to.is_none() && answer.concurrent_to.is_none() && asked.url == answer.entry.url)
}

fn emit(mut answer: Answer, asked: Option<&PostRequest>, visit: Visit<'_>) -> Result<()> {
    if let Some((method, query)) = asked.and_then(|asked| asked.carries.as_ref()) {
        let entry = &mut answer.entry;
        entry.urlkey = url_key(appended(&entry.url, method, query)).into();
        let json = |text: &str| serde_json::Value::from(text).to_string().into();
        entry.extra.push(("requestBody".into(), json(query)));
        entry.extra.push(("method".into(), json(method)));
    }
    visit(&answer.entry, &answer.facts)
}
