//! Pages for people.

use axum::response::Response;
use http::StatusCode;
use http::header::{self, HeaderMap};
use std::sync::Arc;
use webmill_capture::Error;

use super::guard::{Guarded, GuardedFacts};
use super::{RequestHead, Shared, html, redirect};
use crate::access::Client;
use crate::answer::{Refusal, Refused, set};
use crate::archive::Collection;
use crate::form::{self, header_url};
use crate::route::Route;
use crate::site::{
    self, Ask, CollectionSummary, Facts, Lang, Pages, Problem, SiteAnswer, SiteCollection, Survey,
};

/// Results of a collection among those of all.
const HITS: usize = 5;

/// The language that a reader prefers, by the address or by the browser.
pub fn language(headers: &HeaderMap, query: Option<&str>) -> Lang {
    let asked = query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("lang="));
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    Lang::choose(asked, header("cookie"), header("accept-language"))
}

/// The list of collections, which are counted where nobody has asked for one of them yet.
pub fn root(
    shared: &Shared,
    asked: &RequestHead,
    query: Option<&str>,
    lang: Lang,
) -> Result<Response, Refusal> {
    let summary = |collection: &Collection| match survey(collection, asked) {
        Ok(survey) => survey.summary(about(collection)),
        // One that cannot be read does not hide the others.
        Err(error) => CollectionSummary { unread: Some(Refusal::from(error).message), ..about(collection) },
    };
    let collections: Vec<CollectionSummary> = shared.archive.collections().map(summary).collect();
    let mut response = shown(200, Pages::new(lang, "/".to_owned()).home(&collections)?);
    keep(&mut response, query, lang);
    Ok(response)
}

/// The pages of all collections that hold some words.
pub fn search(
    shared: &Shared,
    asked: &RequestHead,
    query: Option<&str>,
    lang: Lang,
) -> Result<Response, Refusal> {
    let parameters = form::pairs(query.unwrap_or_default());
    let words = parameters.iter().find(|(name, _)| name == "q").map_or("", |(_, words)| words);
    let (mut found, mut unsearched) = (Vec::new(), Vec::new());
    for collection in shared.archive.collections() {
        if !collection.facts.searchable() {
            unsearched.push(about(collection));
        } else if !words.trim().is_empty() {
            match facts(shared, asked, collection).search(words, HITS, 0) {
                Ok(answer) => found.extend((!answer.hits.is_empty()).then(|| (about(collection), answer))),
                // One whose texts cannot be read is named with those that have none.
                Err(_) => unsearched.push(about(collection)),
            }
        }
    }
    let pages = Pages::new(lang, format!("/search?q={}", site::links::value(words)));
    let mut response = shown(200, pages.search_all(words, &found, &unsearched)?);
    keep(&mut response, query, lang);
    Ok(response)
}

/// Name, title and description of a collection, without its numbers.
pub fn about(collection: &Collection) -> CollectionSummary {
    CollectionSummary {
        name: collection.name.clone(),
        title: collection.title.clone(),
        description: collection.description.clone(),
        searchable: collection.facts.searchable(),
        ..CollectionSummary::default()
    }
}

/// The numbers of a collection: counted once for all, so as nobody in particular sees it.
fn survey(collection: &Collection, asked: &RequestHead) -> Result<Arc<Survey>, Error> {
    let nobody = Client { now: asked.who.now, ..Client::default() };
    collection.survey(|| Survey::of(&Guarded::new(collection.index.as_ref(), &collection.access, &nobody)))
}

fn facts<'a>(shared: &'a Shared, asked: &'a RequestHead, collection: &'a Collection) -> GuardedFacts<'a> {
    GuardedFacts { collection, who: &asked.who, key: shared.archive.key }
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
    let key = |url: &str| Some((shared.archive.key)(url)).filter(|key| !key.is_empty());
    let held = SiteCollection {
        about: &about(collection),
        index: &index,
        survey: &|| survey(collection, asked),
        facts: &facts(shared, asked, collection),
        key: &key,
    };
    let mut response = match site::answer(&ask, &held, lang)? {
        SiteAnswer::Page(status, page) => shown(status, page),
        SiteAnswer::Elsewhere(address) => redirect(&header_url(&address)),
    };
    keep(&mut response, query, lang);
    Ok(response)
}

/// Keeps the language for later pages where it was asked for.
fn keep(response: &mut Response, query: Option<&str>, lang: Lang) {
    if query.unwrap_or_default().split('&').any(|pair| pair.starts_with("lang=")) {
        set(response, "set-cookie", &lang.cookie());
    }
}

/// The answer; a refusal of a reader who opens an address for people is a page of the site.
pub fn refused(shared: &Shared, headers: &HeaderMap, target: &str, mut answer: Response) -> Response {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let (route, status) = (Route::parse(path, query), answer.status().as_u16());
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let (Some(Refused(why)), Some((name, url)), true) = (
        answer.extensions_mut().remove(),
        route.for_people(query),
        accepted.is_some_and(|accepted| accepted.contains("text/html")),
    ) else {
        return answer;
    };
    let held = name.and_then(|name| shared.collection(name).ok()).map(about);
    let lang = language(headers, query.filter(|_| url.is_none()));
    let note = match (status, url) {
        (404, _) if name.is_some() && held.is_none() => Some(("site", "no_collection")),
        (404, None) => Some(("site", "no_page")),
        (404, Some(_)) => Some(("replay", "missing_note")),
        (400, Some(_)) => Some(("site", "no_url")),
        _ => None,
    };
    let problem = Problem {
        status,
        url,
        note: note.map(|(surface, word)| lang.words(surface)[word].as_str()),
        detail: Some(&*why).filter(|_| note.is_none()),
        near: &[],
    };
    let home = held.as_ref().map_or_else(|| "/".to_owned(), |about| Ask::Front.address(&about.name));
    let Ok(page) = Pages::new(lang, home).problem(held.as_ref(), &problem) else { return answer };
    let mut page = shown(status, page);
    let retry = answer.headers_mut().remove(header::RETRY_AFTER);
    page.headers_mut().extend(retry.map(|retry| (header::RETRY_AFTER, retry)));
    page
}

fn shown(status: u16, page: String) -> Response {
    let mut response = html(StatusCode::from_u16(status).unwrap_or(StatusCode::OK), page);
    set(&mut response, "content-security-policy", site::SECURITY_POLICY);
    set(&mut response, "x-content-type-options", "nosniff");
    set(&mut response, "referrer-policy", "same-origin");
    response
}
