//! A captured response as the browser gets it.

use bytes::Bytes;
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use webmill_capture::CanonicalUrl;
use webmill_capture::cut::Cut;
use webmill_html::sniff;

use super::place::{Modifier, References};
use super::request::Destination;
use super::{ASSETS, Context, Replayed, css, headers, html, script, tags};

/// Longest body that is rewritten, in bytes.
pub const MAX_REWRITTEN: usize = 32 << 20;

/// What a body is rewritten as.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Page,
    Style,
    Script,
    AsItIs,
}

/// The answer to a request for a capture: `status`, `captured` headers and `body` are those of the capture, the body
/// without transfer and content codings. It is for all modifiers but [`Modifier::Frame`] and [`Modifier::Raw`].
///
/// # Examples
/// ```
/// use http::{HeaderMap, StatusCode, header};
/// use webmill_serve::replay::{Context, Modifier, answer};
/// let context = Context {
///     origin: "http://127.0.0.1:8080",
///     prefix: "/news/",
///     token: None,
///     timestamp: "20240615060000",
///     modifier: Modifier::Style,
///     url: "http://example.com/css/main.css",
///     destination: None,
/// };
/// let mut headers = HeaderMap::new();
/// headers.insert(header::CONTENT_TYPE, "text/css".parse().unwrap());
/// headers.insert(header::SET_COOKIE, "a=b".parse().unwrap());
/// let replayed = answer(&context, StatusCode::OK, &headers, "a { background: url(/x.png) url(y.png) }".into());
/// assert_eq!(
///     replayed.body,
///     "a { background: url(/news/20240615060000im_/http://example.com/x.png) url(y.png) }"
/// );
/// assert_eq!(replayed.headers["x-archive-orig-set-cookie"], "a=b");
/// assert!(!replayed.headers.contains_key(header::SET_COOKIE));
/// ```
pub fn answer(context: &Context, status: StatusCode, captured: &HeaderMap, body: Bytes) -> Replayed {
    let declared = captured.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media = declared.map(|declared| essence(declared).to_ascii_lowercase());
    let kind = kind(context, media.as_deref(), &body);
    let label = declared.and_then(charset);
    let base = CanonicalUrl::parse_stored(context.url);
    let encoding = |read: PageEncoding| References::new_of(context, base.clone(), read.queries);
    let long = body.len() > MAX_REWRITTEN;
    let mut replayed = Replayed { status: sent(status), headers: HeaderMap::new(), body };
    let redirect = status.is_redirection();
    let Some(references) = encoding(PageEncoding { queries: UTF_8, wide: None, name: None }) else {
        // Without a base nothing can be resolved; the policy holds all the same.
        replayed.headers = captured
            .get(header::CONTENT_TYPE)
            .map(|value| (header::CONTENT_TYPE, value.clone()))
            .into_iter()
            .collect();
        note(&mut replayed.headers, "no absolute URL");
        headers::hold_in(context, &mut replayed.headers, false);
        return replayed;
    };
    replayed.headers = headers::kept(captured, &references, redirect);
    if kind != Kind::AsItIs && long {
        note(&mut replayed.headers, "longer than is rewritten");
    } else if kind != Kind::AsItIs {
        let read = PageEncoding::of(&replayed.body, label, kind);
        if let Some(mut references) = encoding(read) {
            replayed.body = rewritten(context, kind, read, &mut references, &replayed.body);
        }
        let charset = match read.wide {
            Some(_) => Some("UTF-8"),
            None if label.is_none() => read.name,
            None => None,
        };
        set_type(&mut replayed.headers, kind, media.as_deref(), charset, label);
    }
    // Drawings and XML may hold scripts as well; the client script is not in them.
    let document = matches!(
        (context.destination, context.modifier),
        (Some(Destination::Document | Destination::Frame), _) | (None, Modifier::Page | Modifier::Inner)
    );
    let client = kind == Kind::Page && !long;
    headers::hold_in(context, &mut replayed.headers, !document || client);
    replayed
}

/// The answer to the question whether a replayed page may ask with a method or headers of its own (`OPTIONS`): yes,
/// with the collection's token. `asked` are the headers of the question.
pub fn preflight(context: &Context, asked: &HeaderMap) -> Replayed {
    let mut all = HeaderMap::new();
    let status = if context.token.is_some() {
        headers::allow_reading(&mut all);
        headers::set(&mut all, header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, PUT, PATCH, DELETE");
        if let Some(names) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            all.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        }
        StatusCode::NO_CONTENT
    } else {
        StatusCode::FORBIDDEN
    };
    Replayed { status, headers: all, body: Bytes::new() }
}

/// Text that a replayed page runs, as a script of it. It is told to the page alone, which has the collection's token.
pub fn script_text(context: &Context, text: &[u8]) -> Replayed {
    let mut all = HeaderMap::new();
    headers::set(&mut all, header::CONTENT_TYPE, "text/plain; charset=utf-8");
    let base = CanonicalUrl::parse_stored(context.url);
    let references = References::new_of(context, base, UTF_8).filter(References::has_token);
    let Some(references) = references else {
        return Replayed { status: StatusCode::FORBIDDEN, headers: all, body: Bytes::new() };
    };
    headers::allow_reading(&mut all);
    let mut out = Vec::new();
    script::rewrite(text, &references, script::Realm::Page, &mut out);
    Replayed { status: StatusCode::OK, headers: all, body: out.into() }
}

fn note(headers: &mut HeaderMap, why: &'static str) {
    headers.insert(HeaderName::from_static("x-archive-not-rewritten"), HeaderValue::from_static(why));
}

/// Statuses that browsers take as said by the server itself are told as what they mean to a reader.
fn sent(status: StatusCode) -> StatusCode {
    match status.as_u16() {
        100..=199 | 304 => StatusCode::OK,
        407 => StatusCode::FORBIDDEN,
        600.. => StatusCode::BAD_GATEWAY,
        _ => status,
    }
}

/// A media type without its parameters.
fn essence(declared: &str) -> &str {
    declared.split([';', ',']).next().unwrap_or_default().trim()
}

fn charset(declared: &str) -> Option<&str> {
    let at = declared.to_ascii_lowercase().find("charset")?;
    let value = declared.cut(at + 7..).trim_start().strip_prefix('=')?.trim_start();
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([';', ' ', ',']).next()?,
    };
    (!value.is_empty()).then_some(value)
}

fn is_script(media: &str) -> bool {
    matches!(media, "application/x-javascript" | "text/jscript" | "text/livescript")
        || media.ends_with("/javascript")
        || media.ends_with("/ecmascript")
        || media.ends_with("/x-ecmascript")
        || media == "text/x-javascript"
}

fn kind(context: &Context, media: Option<&str>, body: &[u8]) -> Kind {
    let by_type = || match media {
        Some("text/html" | "application/xhtml+xml") => Kind::Page,
        Some("text/css") => Kind::Style,
        Some(media) if is_script(media) => Kind::Script,
        Some(media) if media.contains('/') && !media.contains('*') => Kind::AsItIs,
        // No type worth the name: browsers look at the bytes.
        _ if sniff::is_markup(None, sniff::sniff(body)) => Kind::Page,
        _ => Kind::AsItIs,
    };
    match (context.destination, context.modifier) {
        (Some(Destination::Document | Destination::Frame), _) => by_type(),
        (Some(Destination::Script | Destination::Worker), _) => match media {
            Some(media) if media.ends_with("json") || media == "application/wasm" || media == "text/css" => {
                by_type()
            }
            _ => Kind::Script,
        },
        (Some(Destination::Style), _) => Kind::Style,
        // What a script reads it gets as it was; what it makes of it is rewritten where it enters the page.
        (Some(Destination::Data | Destination::Media), _) => Kind::AsItIs,
        (None, Modifier::Script) => Kind::Script,
        (None, Modifier::Style) => Kind::Style,
        (None, Modifier::Image) => Kind::AsItIs,
        (None, _) => by_type(),
    }
}

/// How the characters of a body are encoded, as a browser takes it.
#[derive(Copy, Clone)]
struct PageEncoding {
    /// What queries are encoded in.
    queries: &'static Encoding,
    /// The encoding, where ASCII characters are not single bytes in it.
    wide: Option<&'static Encoding>,
    /// What the body says of itself.
    name: Option<&'static str>,
}

impl PageEncoding {
    fn of(body: &[u8], label: Option<&str>, kind: Kind) -> PageEncoding {
        let known = |label: &str| Encoding::for_label(label.as_bytes()).filter(|&found| found != REPLACEMENT);
        let named = |encoding: &'static Encoding, name| PageEncoding {
            queries: encoding,
            wide: [UTF_16LE, UTF_16BE, ISO_2022_JP].contains(&encoding).then_some(encoding),
            name,
        };
        if let Some((encoding, _)) = Encoding::for_bom(body) {
            return named(encoding, None);
        }
        if let Some(encoding) = label.and_then(known) {
            return named(encoding, None);
        }
        if kind != Kind::Page {
            return named(UTF_8, None);
        }
        // A page's own word; without one the browser guesses, and so do we where a query depends on it.
        let decoded = webmill_html::decode(body, None, None);
        match decoded.declared.and_then(known) {
            // Told by bytes that are ASCII, it cannot be true.
            Some(wide) if wide == UTF_16LE || wide == UTF_16BE => named(UTF_8, Some("UTF-8")),
            Some(encoding) => named(encoding, Some(encoding.name())),
            None => named(decoded.used, None),
        }
    }
}

fn rewritten(
    context: &Context,
    kind: Kind,
    read: PageEncoding,
    references: &mut References,
    body: &Bytes,
) -> Bytes {
    let decoded = read.wide.map(|wide| {
        let (text, _, _) = wide.decode(body);
        text.into_owned()
    });
    let source = decoded.as_ref().map_or(&body[..], String::as_bytes);
    let mut out = Vec::with_capacity(source.len() + source.len() / 4 + 1024);
    if decoded.is_some() {
        references.decoded = UTF_8;
    }
    match kind {
        Kind::Page => {
            let inject = client(context);
            references.inject.clone_from(&inject);
            html::rewrite(source, references, &inject, &mut out);
        }
        Kind::Style => css::rewrite(source, references, &mut out),
        Kind::Script => {
            let worker = context.destination == Some(Destination::Worker);
            let realm = if worker { script::Realm::Worker } else { script::Realm::Page };
            script::rewrite(source, references, realm, &mut out);
        }
        Kind::AsItIs => return body.clone(),
    }
    out.into()
}

/// The tag of the client script.
fn client(context: &Context) -> String {
    let Context { prefix, timestamp, url, .. } = context;
    format!(
        "<script src=\"{prefix}{ASSETS}runtime.js\" data-prefix=\"{prefix}\" data-timestamp=\"{timestamp}\" \
         data-token=\"{}\" data-url=\"{}\"></script>",
        context.token.unwrap_or_default(),
        tags::escaped(url)
    )
}

/// Says what the body is: pages their charset, where it was found in them and may now stand too far from their start;
/// style sheets and scripts their type, without which browsers refuse them to pages of another origin.
fn set_type(
    headers: &mut HeaderMap,
    kind: Kind,
    media: Option<&str>,
    charset: Option<&str>,
    label: Option<&str>,
) {
    let media = match (kind, media) {
        (Kind::Style, Some("text/css")) if charset.is_none() => return,
        (Kind::Style, _) => "text/css",
        (Kind::Script, Some(media))
            if is_script(media) && charset.is_none()
                || ["image/", "audio/", "video/", "text/csv"]
                    .iter()
                    .any(|never| media.starts_with(never)) =>
        {
            return;
        }
        (Kind::Script, _) => "text/javascript",
        (_, Some(media)) if media.contains('/') && !media.contains('*') => {
            if charset.is_none() {
                return;
            }
            media
        }
        _ => "text/html",
    };
    let value = match charset.or(label) {
        Some(charset) => format!("{media}; charset={charset}"),
        None => media.to_owned(),
    };
    headers::set(headers, header::CONTENT_TYPE, &value);
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
