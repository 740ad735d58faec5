//! What a replayed page sends (POST, PUT …), and which captured answer is the one to it.
//!
//! The index has the answers to such requests by keys of their own ([`crate::index::post`]). The answer is looked for, in this order,
//! under the key of the very request; among the answers of the same URL and method, that to the request which says most
//! of the same; under the key of the URL alone, as indexes have it that were made without such keys.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use http::{HeaderMap, Method};

use crate::answer::Refusal;
use crate::find::Captures;
use crate::form::header_url;
use crate::index::post::{appended, query};
use crate::index::query::KeyOf;
use crate::index::{CaptureSource, KeyRange, Timestamp};

/// Methods that send something.
pub const METHODS: [Method; 4] = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Answers whose requests are compared.
const MAX_COMPARED: usize = 10_000;

/// A request with a body.
#[derive(Debug)]
pub struct Sent {
    method: String,
    query: String,
}

impl Sent {
    /// Reads a request.
    pub fn of(method: &Method, headers: &HeaderMap, body: &[u8]) -> Sent {
        let declared = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        Sent { method: method.to_string(), query: query(declared.unwrap_or_default(), body) }
    }

    /// Captures of answers to it.
    pub fn captures(
        &self,
        index: &dyn CaptureSource,
        key: KeyOf,
        url: &str,
        around: Timestamp,
        most: usize,
    ) -> Result<Captures, Refusal> {
        let very = key(&appended(url, &self.method, &self.query));
        let plain = key(url);
        for key in [Some(very.clone()), alike(index, &plain, &very)?, Some(plain)].into_iter().flatten() {
            let found = Captures::of(index, &key, url, around, most)?;
            if !found.times.is_empty() {
                return Ok(found);
            }
        }
        let why = format!("no answer of {} to this {} is in this archive", header_url(url), self.method);
        Err(Refusal::not_found(why))
    }
}

/// The key of the answer whose request has most in common with the one of `very`: at least half of what both say.
fn alike(index: &dyn CaptureSource, plain: &str, very: &str) -> Result<Option<String>, Refusal> {
    fn pairs(key: &str) -> BTreeSet<&str> {
        key.split_once('?').map_or(BTreeSet::new(), |(_, query)| query.split('&').collect())
    }
    let wanted = pairs(very);
    let Some(method) = wanted.iter().copied().find(|pair| pair.starts_with("__wb_method=")) else {
        return Ok(None);
    };
    let path = plain.split('?').next().unwrap_or(plain);
    let (mut best, mut compared) = (None, 0);
    index.scan(&KeyRange::prefix(&format!("{path}?")), &mut |entry| {
        compared += 1;
        let said = pairs(&entry.urlkey);
        // The method says the same of all of them.
        let both = wanted.intersection(&said).count().saturating_sub(1);
        let all = wanted.union(&said).count().saturating_sub(1);
        if said.contains(method) && 2 * both >= all && best.as_ref().is_none_or(|(most, _)| both > *most) {
            best = Some((both, entry.urlkey.to_string()));
        }
        if compared < MAX_COMPARED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(best.map(|(_, key)| key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Entry, MemoryIndex};
    use webmill_capture::urlkey::url_key;

    #[test]
    fn the_answer_to_the_very_request_comes_before_those_to_requests_alike() {
        let url = "http://e.org/api";
        let json = |body: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("content-type", "application/json".parse().unwrap());
            Sent::of(&Method::POST, &headers, body.as_bytes())
        };
        let stored = [r#"{"q":"a","page":1,"at":11}"#, r#"{"q":"a","page":2,"at":12}"#, r#"{"q":"b"}"#];
        let entries = stored.iter().enumerate().map(|(offset, body)| {
            let sent = json(body);
            let urlkey = url_key(appended(url, &sent.method, &sent.query)).into();
            Entry { urlkey, url: url.into(), offset: offset as u64, ..Entry::default() }
        });
        let page = Entry { urlkey: url_key(url).into(), url: url.into(), offset: 9, ..Entry::default() };
        let index = MemoryIndex::new(entries.chain([page]).collect());
        for (body, want) in [
            (stored[0], 0),
            (stored[1], 1),
            (r#"{"q":"a","page":2,"at":99}"#, 1),
            (r#"{"q":"b"}"#, 2),
            (r#"{"q":"c"}"#, 9),
        ] {
            let found = json(body).captures(&index, |url| url_key(url), url, Timestamp(0), 100).unwrap();
            assert_eq!(found.nearest[0].offset, want, "{body}");
        }
    }
}
