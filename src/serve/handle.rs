//! Answers a request.
//!
//! The server calls it for every request that it has read.
//!
//! A request that needs only memory or a few lines of an index is answered at once; one that reads records or walks far gets a
//! thread, of which there is a limited number.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use webmill_capture::cut::Cut;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::{ACCEPT_LANGUAGE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode, Version};

use crate::index::Timestamp;
use crate::index::query::Dialect;
use webmill_capture::date::{format_14, now_ms};
use webmill_capture::memory::{self, Memory};

use crate::access::Client;
use crate::answer::{Refusal, set, text, whole};
use crate::archive::{Archive, Collection};
use crate::form;
use crate::held::Sending;
use crate::options::Options;
use crate::replay::Tokens;
use crate::route::Route;
use crate::turns::{NoTurn, Turn, Turns};

#[path = "handle/guard.rs"]
mod guard;
#[path = "handle/logged.rs"]
mod logged;
#[path = "handle/memento.rs"]
mod memento;
#[path = "handle/pages.rs"]
mod pages;
#[path = "handle/post.rs"]
mod post;
#[path = "handle/query.rs"]
mod query;
#[path = "handle/ranges.rs"]
pub(crate) mod ranges;
#[path = "handle/replayed.rs"]
mod replayed;
#[path = "handle/sent.rs"]
mod sent;

/// What all requests share.
pub struct Shared {
    pub archive: Archive,
    pub options: Options,
    /// Listens on this machine alone: only its names may be used.
    pub local: bool,
    /// By which replayed pages are known to be of a collection.
    pub tokens: Tokens,
    turns: Arc<Turns>,
    /// For records and pages that are read and changed.
    memory: Arc<Memory>,
    /// For answers on their way.
    sending: Sending,
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

impl Shared {
    pub fn new(archive: Archive, options: Options, local: bool) -> Shared {
        let turns = Turns::new(options.max_working, options.max_waiting);
        // The rest is for connections, lines of indexes, copies on the way and memory that the allocator has not given back.
        let most = options.memory / 6;
        let (memory, sending) = (Memory::new(most, options.max_working), Sending::new(most));
        Shared { archive, options, local, tokens: Tokens::new(), turns, memory, sending }
    }

    fn collection(&self, name: &str) -> Result<&Collection, Refusal> {
        let found = self
            .archive
            .collection(name)
            .or_else(|| name.contains('%').then(|| self.archive.collection(&form::decode(name))).flatten());
        found.ok_or_else(|| Refusal::not_found(format!("there is no collection {name:?}")))
    }
}

/// What of a request's head counts.
pub(crate) struct RequestHead {
    peer: Option<IpAddr>,
    /// Scheme and authority for links.
    base: String,
    who: Client,
    accept_datetime: Option<String>,
    takes_gzip: bool,
    /// The bytes that are asked for (`Range`).
    range: Option<String>,
    /// What the browser says of itself.
    reader: replayed::Reader,
    started: Instant,
}

/// Waits for a place.
async fn turn(shared: &Shared, peer: Option<IpAddr>) -> Result<Turn, Refusal> {
    let turn = shared.turns.take(peer, shared.options.wait_timeout).await;
    turn.map_err(|why| match why {
        NoTurn::OfOneAddress => {
            Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many requests of yours wait to be answered")
        }
        NoTurn::OfAll | NoTurn::TooLong => busy(),
    })
}

fn busy() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is busy")
}

/// Does something that may take its time on a thread of its own.
async fn work(
    shared: &Arc<Shared>,
    asked: RequestHead,
    job: impl FnOnce(&Shared, &RequestHead) -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let turn = turn(shared, asked.peer).await?;
    let shared = Arc::clone(shared);
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        memory::work_within(&shared.memory);
        let _large = memory::scope();
        let response = job(&shared, &asked)?;
        shared.sending.hold(response, shared.options.wait_timeout).ok_or_else(busy)
    });
    done.await.unwrap_or_else(|_| {
        Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error (please report)"))
    })
}

/// Answers a request.
pub async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let started = Instant::now();
    let (mut head, body) = request.into_parts();
    if let Some(lang) = shared.options.lang {
        // As if all browsers preferred it: what their readers chose still goes before.
        head.headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(lang.name()));
    }
    let peer = head.extensions.get::<Peer>().map(|peer| peer.0);
    let peer = if shared.options.behind_proxy { forwarded_for(&head.headers).or(peer) } else { peer };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
    let mut response = match admit(&shared, &head, &target) {
        Err(refusal) => refusal.into_text(),
        Ok(()) => {
            let asked = RequestHead::of(&shared, &head.headers, peer, started);
            let answer = dispatch(&shared, &head.method, &head.headers, &target, asked, body).await;
            pages::refused(&shared, &head.headers, &target, answer)
        }
    };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        set(&mut response, "allow", "GET, HEAD, POST, OPTIONS");
    }
    // Replayed answers say themselves who may read them.
    if let Some(origin) = shared.options.allow_origin.as_ref().filter(|_| !is_replayed(&target)) {
        set(&mut response, "access-control-allow-origin", origin);
        set(&mut response, "access-control-allow-headers", "Accept-Datetime");
        set(
            &mut response,
            "access-control-expose-headers",
            "Link, Location, Memento-Datetime, Content-Location",
        );
    }
    match &shared.options.log {
        None => response,
        Some(log) => logged::watch(response, log, peer, head.method.as_str(), &target, started),
    }
}

fn options() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    set(&mut response, "allow", "GET, HEAD, POST, OPTIONS");
    response
}

/// Refuses what is refused whatever it asks for.
fn admit(shared: &Shared, head: &Parts, target: &str) -> Result<(), Refusal> {
    let (method, headers) = (&head.method, &head.headers);
    // RFC 9112, 3.2: who serves several names cannot tell which one is meant, and who stands between may take another.
    let hosts = headers.get_all("host").iter().count();
    if hosts > 1 || (hosts == 0 && head.version == Version::HTTP_11 && head.uri.authority().is_none()) {
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "a request has one Host"));
    }
    if target.len() > shared.options.max_url_bytes {
        return Err(Refusal::new(StatusCode::URI_TOO_LONG, "the address is too long"));
    }
    let (path, _) = target.split_once('?').unwrap_or((target, ""));
    let of_page = sent::METHODS.contains(method) && matches!(Route::parse(path, None), Route::Replay { .. });
    if !of_page && ![Method::GET, Method::HEAD, Method::POST, Method::OPTIONS].contains(method) {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD and POST are answered"));
    }
    let host = headers.get("host").map(|host| host.to_str().unwrap_or("?"));
    let names = &shared.options.host_names;
    let known = |host: &str| {
        let name = host_name(host);
        let of_machine =
            name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        (shared.local && of_machine) || names.iter().any(|of| of.eq_ignore_ascii_case(name))
    };
    let any = !shared.local && names.is_empty();
    if !any && host.is_some_and(|host| !known(host)) {
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "this server has another name"));
    }
    Ok(())
}

/// The address that a trusted proxy says it is asked by: the last one of `Forwarded` (RFC 7239), else of `X-Forwarded-For`. Those
/// before it were said by who asks.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = |name: &str| {
        let mut values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.next_back().and_then(|value| value.rsplit(',').next().map(str::trim))
    };
    let of_element = |element: &str| {
        let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs
            .find(|(name, _)| name.eq_ignore_ascii_case("for"))
            .map(|(_, node)| node.trim_matches('"').to_owned())
    };
    let node =
        last("forwarded").and_then(of_element).or_else(|| last("x-forwarded-for").map(str::to_owned))?;
    node.parse().ok().or_else(|| host_name(&node).parse().ok())
}

/// The name of `name:port`, without brackets.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    }
}

impl RequestHead {
    fn of(shared: &Shared, headers: &HeaderMap, peer: Option<IpAddr>, started: Instant) -> RequestHead {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let base = match &shared.options.public_base {
            Some(base) => base.trim_end_matches('/').to_owned(),
            None => match header("host") {
                Some(host) if host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.:[]_".contains(&b)) => {
                    format!("http://{host}")
                }
                _ => String::new(),
            },
        };
        let user = shared.options.user_header.as_deref().and_then(header).unwrap_or_default().to_owned();
        let who = if shared.archive.collections().all(|collection| collection.access.is_open()) {
            Client::default()
        } else {
            Client { user, point: String::new(), now: now() }
        };
        RequestHead {
            peer,
            base,
            who,
            // What is no text is no date either.
            accept_datetime: headers
                .get("accept-datetime")
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
            takes_gzip: header("accept-encoding").is_some_and(takes_gzip),
            // No answer has a validator, so a range that depends on one asks for the whole.
            range: header("range").filter(|_| !headers.contains_key("if-range")).map(str::to_owned),
            reader: replayed::Reader::of(headers),
            started,
        }
    }
}

fn takes_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let refused =
            parts.any(|p| p.strip_prefix("q=").is_some_and(|q| q.trim_end_matches(['0', '.']).is_empty()));
        (name.eq_ignore_ascii_case("gzip") || name == "*") && !refused
    })
}

/// The time of the request, which access rules look at.
fn now() -> Timestamp {
    format_14(now_ms()).parse().map(Timestamp).unwrap_or_default()
}

async fn dispatch(
    shared: &Arc<Shared>,
    method: &Method,
    headers: &HeaderMap,
    target: &str,
    mut asked: RequestHead,
    body: Body,
) -> Response {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let parameters = || form::pairs(query.unwrap_or_default());
    let route = Route::parse(path, query);
    let text = |result: Result<Response, Refusal>| result.unwrap_or_else(Refusal::into_text);
    if *method == Method::OPTIONS {
        return match route {
            Route::Replay { collection, time, modifier, token, url } if !matches!(modifier, "" | "id_") => {
                asked.reader.token = shared.tokens.check(collection, Some(token));
                let modifier = replayed::modifier(modifier);
                replayed::preflight(&asked, collection, time, modifier, &url, headers)
            }
            _ => options(),
        };
    }
    if sent::METHODS.contains(method) {
        // What a replayed page sends is a question: which answer to it was captured.
        if let Route::Replay { collection, time, modifier, token, url } = &route
            && let Some(token) = shared.tokens.check(collection, Some(token))
        {
            asked.reader.token = Some(token);
            let body = match post::gather(shared, body).await {
                Ok(body) => body,
                Err(refusal) => return refusal.into_text(),
            };
            let sent = sent::Sent::of(method, headers, &body);
            let (collection, time) = ((*collection).to_owned(), (*time).to_owned());
            let (modifier, url) = ((*modifier).to_owned(), url.clone());
            return text(
                work(shared, asked, move |s, a| {
                    memento::replay(s, a, &collection, &time, &modifier, &url, Some(&sent))
                })
                .await,
            );
        }
        if let Route::Site { collection, rest } = route
            && rest.strip_prefix(crate::replay::ASSETS) == Some("script")
        {
            let pairs = parameters();
            let said = |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
            asked.reader.token = shared.tokens.check(collection, said("token"));
            let (time, url) = (said("timestamp").unwrap_or_default(), said("url").unwrap_or_default());
            let body = match post::gather(shared, body).await {
                Ok(body) if body.len() <= replayed::MAX_SCRIPT => body,
                Ok(_) => {
                    return Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the script is too long").into_text();
                }
                Err(refusal) => return refusal.into_text(),
            };
            let (collection, time, url) = (collection.to_owned(), time.to_owned(), url.to_owned());
            return text(
                work(shared, asked, move |_, a| {
                    Ok(replayed::script_text(a, &collection, &time, &url, &body))
                })
                .await,
            );
        }
        if crate::replay::is_foreign(headers, &asked.base) {
            return Refusal::new(StatusCode::FORBIDDEN, "pages of other sites may not write here")
                .into_text();
        }
        return match route {
            Route::Outback { collection, point: None } => {
                text(post::write(shared, collection, headers, &parameters(), body, false).await)
            }
            Route::Delete { collection } => {
                text(post::write(shared, collection, headers, &parameters(), body, true).await)
            }
            // Clients of pywb send long questions so.
            Route::Cdx { collection } => {
                let form = match post::gather(shared, body).await {
                    Ok(form) => form,
                    Err(refusal) => return refusal.into_json(),
                };
                let mut pairs = parameters();
                pairs.extend(form::pairs(&String::from_utf8_lossy(&form)));
                let result = query::cdx(shared, collection, &pairs, Dialect::Pywb, asked).await;
                result.unwrap_or_else(Refusal::into_json)
            }
            _ => Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "nothing is to be sent here").into_text(),
        };
    }
    match route {
        Route::Root => {
            let (query, lang) = (query.map(str::to_owned), pages::language(headers, query));
            text(work(shared, asked, move |s, a| pages::root(s, a, query.as_deref(), lang)).await)
        }
        Route::Search => {
            let (query, lang) = (query.map(str::to_owned), pages::language(headers, query));
            text(work(shared, asked, move |s, a| pages::search(s, a, query.as_deref(), lang)).await)
        }
        Route::Site { rest, .. } if rest.starts_with(crate::replay::ASSETS) => {
            let file = replayed::asset(rest.cut(crate::replay::ASSETS.len()..));
            file.unwrap_or_else(|| Refusal::not_found("nothing is here").into_text())
        }
        Route::Site { collection, rest } => {
            if let Some(address) = replayed::meant(shared, &asked, method, target, headers) {
                return redirect(&address);
            }
            let (collection, rest) = (collection.to_owned(), rest.to_owned());
            let (query, lang) = (query.map(str::to_owned), pages::language(headers, query));
            text(
                work(shared, asked, move |s, a| {
                    pages::site_page(s, a, &collection, &rest, query.as_deref(), lang)
                })
                .await,
            )
        }
        Route::Cdx { collection } => {
            let result = query::cdx(shared, collection, &parameters(), Dialect::Pywb, asked).await;
            result.unwrap_or_else(Refusal::into_json)
        }
        Route::Wayback { collection } => {
            text(query::cdx(shared, collection, &parameters(), Dialect::Wayback, asked).await)
        }
        Route::Outback { collection, point } => {
            let parameters = parameters();
            let asked_for = |name: &str| parameters.iter().find(|(n, _)| n == name).map(|(_, value)| value);
            asked.who.point =
                point.or(asked_for("accesspoint").map(String::as_str)).unwrap_or_default().to_owned();
            match asked_for("q") {
                Some(q) => text(query::xml(shared, collection, q, asked).await),
                None if query.is_none() && point.is_none() => {
                    // Without a question, the collection's page, whose links are relative to it.
                    text(shared.collection(collection).map(|_| redirect(&format!("/{collection}/"))))
                }
                None => text(query::cdx(shared, collection, &parameters, Dialect::Outback, asked).await),
            }
        }
        Route::Delete { .. } => {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "captures are deleted by POST").into_text()
        }
        Route::TimeGate { collection, url } => {
            let (collection, plain) = (collection.to_owned(), !path.contains("/timegate/"));
            text(work(shared, asked, move |s, a| memento::timegate(s, a, &collection, &url, plain)).await)
        }
        Route::TimeMap { collection, form, page, url } => {
            let (collection, form) = (collection.to_owned(), form.to_owned());
            text(
                work(shared, asked, move |s, a| memento::timemap(s, a, &collection, &form, page, &url)).await,
            )
        }
        Route::Replay { collection, time, modifier, token, url } => {
            asked.reader.token = shared.tokens.check(collection, Some(token));
            // A page that is opened without its frame gets it.
            if asked.reader.top_level && !matches!(modifier, "" | "id_") {
                return redirect(&format!("/{collection}/{time}/{}", form::header_url(&url)));
            }
            let (collection, time) = (collection.to_owned(), time.to_owned());
            let modifier = modifier.to_owned();
            text(
                work(shared, asked, move |s, a| {
                    memento::replay(s, a, &collection, &time, &modifier, &url, None)
                })
                .await,
            )
        }
        Route::Unknown => match replayed::meant(shared, &asked, method, target, headers) {
            Some(address) => redirect(&address),
            None => Refusal::not_found("nothing is here").into_text(),
        },
    }
}

/// Whether an address is that of a replayed answer, which is no business of other sites.
fn is_replayed(target: &str) -> bool {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    match Route::parse(path, query) {
        Route::Replay { modifier, .. } => modifier != "id_",
        Route::Site { .. } | Route::Root | Route::Search => true,
        _ => false,
    }
}

fn redirect(to: &str) -> Response {
    let mut response = text(StatusCode::TEMPORARY_REDIRECT, String::new());
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(http::header::LOCATION, to);
    }
    response
}

/// A page of HTML.
fn html(status: StatusCode, body: String) -> Response {
    whole(status, "text/html; charset=utf-8", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxys_own_word_counts() {
        for (name, value, address) in [
            ("x-forwarded-for", "198.51.100.7, 192.0.2.1", Some("192.0.2.1")),
            ("x-forwarded-for", "2001:db8::1", Some("2001:db8::1")),
            ("forwarded", "for=198.51.100.7, for=192.0.2.1;proto=https", Some("192.0.2.1")),
            ("forwarded", "proto=https;For=\"[2001:db8::1]:4711\"", Some("2001:db8::1")),
            ("forwarded", "for=192.0.2.1:80", Some("192.0.2.1")),
            ("forwarded", "for=_hidden", None),
            ("x-forwarded-for", "unknown", None),
        ] {
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )]);
            assert_eq!(forwarded_for(&headers), address.map(|text| text.parse().unwrap()), "{name}: {value}");
        }
    }
}
