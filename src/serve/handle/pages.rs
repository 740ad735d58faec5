//! Pages for people.

use axum::response::Response;
use http::StatusCode;
use http::header::HeaderMap;
use webmill_capture::Error;

use super::guard::Guarded;
use super::{RequestHead, Shared, html};
use crate::access::Client;
use crate::answer::{Refusal, set};
use crate::archive::Collection;
use crate::site::{self, Ask, CollectionSummary, Lang, Pages, SiteCollection, Survey};

/// The language that a reader prefers, by the address or by the browser.
pub fn language(headers: &HeaderMap, query: Option<&str>) -> Lang {
    let asked = query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("lang="));
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    Lang::choose(asked, header("cookie"), header("accept-language"))
}

/// The list of collections, which are counted where nobody has asked for one of them yet.
pub fn root(shared: &Shared, asked: &RequestHead, lang: Lang) -> Result<Response, Refusal> {
    let summary = |collection: &Collection| match survey(collection, asked) {
        Ok(survey) => survey.summary(&collection.name),
        // One that cannot be read does not hide the others.
        Err(error) => CollectionSummary {
            name: collection.name.clone(),
            unread: Some(Refusal::from(error).message),
            ..CollectionSummary::default()
        },
    };
    let collections: Vec<CollectionSummary> = shared.archive.collections().map(summary).collect();
    Ok(shown(200, Pages::new(lang, "/".to_owned()).home(&collections)?))
}

/// The numbers of a collection: counted once for all, so as nobody in particular sees it.
fn survey<'c>(collection: &'c Collection, asked: &RequestHead) -> Result<&'c Survey, Error> {
    let nobody = Client { now: asked.who.now, ..Client::default() };
    collection.survey(|| Survey::of(&Guarded::new(collection.index.as_ref(), &collection.access, &nobody)))
}

/// A page of a collection: `rest` is what follows `/{collection}/`, both as sent.
pub fn site_page(
    shared: &Shared,
    asked: &RequestHead,
    collection: &str,
    rest: &str,
    query: Option<&str>,
    lang: Lang,
) -> Result<Response, Refusal> {
    let collection = shared.collection(collection)?;
    let Some(ask) = Ask::parse(rest, query) else { return Err(Refusal::not_found("nothing is here")) };
    let index = Guarded::new(collection.index.as_ref(), &collection.access, &asked.who);
    let survey = survey(collection, asked)?;
    let about =
        CollectionSummary { searchable: collection.facts.searchable(), ..survey.summary(&collection.name) };
    let key = |url: &str| Some((shared.archive.key)(url)).filter(|key| !key.is_empty());
    let held =
        SiteCollection { about: &about, index: &index, survey, facts: collection.facts.as_ref(), key: &key };
    let (status, page) = site::answer(&ask, &held, lang)?;
    let mut response = shown(status, page);
    if query.unwrap_or_default().split('&').any(|pair| pair.starts_with("lang=")) {
        set(&mut response, "set-cookie", &lang.cookie());
    }
    Ok(response)
}

fn shown(status: u16, page: String) -> Response {
    let mut response = html(StatusCode::from_u16(status).unwrap_or(StatusCode::OK), page);
    set(&mut response, "content-security-policy", site::SECURITY_POLICY);
    set(&mut response, "x-content-type-options", "nosniff");
    set(&mut response, "referrer-policy", "same-origin");
    response
}
