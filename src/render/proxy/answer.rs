//! Answers to the browser, and what of its requests is handed on.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;

use super::Reply;

/// Says to whoever looks at the browser why there is no answer.
const WHY: HeaderName = HeaderName::from_static("x-webmill-refused");

/// Longest header that is handed on.
const MAX_VALUE: usize = 8 << 10;
/// Most headers that are handed on.
const MAX_HEADERS: usize = 32;

/// Headers of an answer that the browser does not get: those of the connection, which is ours; those that ask for a password, for
/// which nobody sits there; those that make it ask for more by itself.
const LEFT_OUT: [&str; 18] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "content-length",
    "te",
    "trailer",
    "upgrade",
    "www-authenticate",
    "proxy-authenticate",
    "alt-svc",
    "accept-ch",
    "critical-ch",
    "nel",
    "report-to",
    "reporting-endpoints",
    "speculation-rules",
    "content-security-policy-report-only",
];

/// The answer `raw` for the browser, and its status.
pub(super) fn of(raw: &Bytes, head: bool) -> (Reply, Option<u16>) {
    let response = webmill_capture::Response::parse(raw);
    let status = response.status.unwrap_or(200);
    let Some(code) = StatusCode::from_u16(status).ok().filter(|code| !code.is_informational()) else {
        return (failed("protocol-error"), response.status);
    };
    let bodiless = head || matches!(status, 204 | 304);
    let body = match response.payload(usize::MAX).bytes {
        _ if bodiless => Bytes::new(),
        std::borrow::Cow::Borrowed(body) => raw.slice_ref(body),
        std::borrow::Cow::Owned(body) => body.into(),
    };
    let mut reply = Response::new(Full::new(body));
    *reply.status_mut() = code;
    for (name, value) in response.headers() {
        let Ok(name) = HeaderName::from_bytes(name) else { continue };
        let Ok(value) = HeaderValue::from_bytes(value) else { continue };
        if !LEFT_OUT.contains(&name.as_str()) {
            // More than tables of headers hold: nobody needs the rest.
            let _ = reply.headers_mut().try_append(name, value);
        }
    }
    (reply, response.status)
}

/// An answer without a body.
pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Full::default());
    *reply.status_mut() = status;
    reply
}

/// The answer to a request that is not made.
pub(super) fn refused(reason: &'static str) -> Reply {
    let mut reply = empty(StatusCode::FORBIDDEN);
    reply.headers_mut().insert(WHY, HeaderValue::from_static(reason));
    reply
}

/// The answer to a request that failed.
pub(super) fn failed(reason: &'static str) -> Reply {
    let mut reply = empty(StatusCode::BAD_GATEWAY);
    reply.headers_mut().insert(WHY, HeaderValue::from_static(reason));
    reply
}

/// Whether an OPTIONS asks if a script may GET or HEAD (Fetch standard, 3.2.2).
pub(super) fn is_preflight(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN)
        && headers
            .get(header::ACCESS_CONTROL_REQUEST_METHOD)
            .is_some_and(|method| matches!(method.as_bytes(), b"GET" | b"HEAD"))
}

/// Yes to a preflight. Whether the script sees the answer, that answer says.
pub(super) fn preflight(headers: &HeaderMap) -> Reply {
    let mut reply = empty(StatusCode::NO_CONTENT);
    let ours = reply.headers_mut();
    for (asked, given) in [
        (header::ORIGIN, header::ACCESS_CONTROL_ALLOW_ORIGIN),
        (header::ACCESS_CONTROL_REQUEST_METHOD, header::ACCESS_CONTROL_ALLOW_METHODS),
        (header::ACCESS_CONTROL_REQUEST_HEADERS, header::ACCESS_CONTROL_ALLOW_HEADERS),
    ] {
        if let Some(value) = headers.get(asked) {
            ours.insert(given, value.clone());
        }
    }
    ours.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    reply
}

/// The headers of a request that go to the server.
pub(super) fn handed_over(headers: &HeaderMap) -> Vec<(String, String)> {
    const KNOWN: [&str; 8] = [
        "accept",
        "accept-language",
        "authorization",
        "content-type",
        "cookie",
        "origin",
        "referer",
        "x-requested-with",
    ];
    let wanted = |name: &str| KNOWN.contains(&name) || name.starts_with("x-");
    headers
        .iter()
        .filter(|(name, value)| wanted(name.as_str()) && value.len() <= MAX_VALUE)
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .take(MAX_HEADERS)
        .collect()
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    async fn body(reply: Reply) -> Vec<u8> {
        reply.into_body().collect().await.unwrap().to_bytes().to_vec()
    }

    #[tokio::test]
    async fn an_answer_is_framed_anew() {
        let raw = Bytes::from_static(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\
              Alt-Svc: h3=\":443\"\r\nBad Name: x\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        );
        let (reply, status) = of(&raw, false);
        assert_eq!(status, Some(200));
        let names: Vec<&str> = reply.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["content-encoding", "set-cookie"]);
        assert_eq!(reply.headers().get_all("set-cookie").iter().count(), 2);
        assert_eq!(body(reply).await, b"abcde");
        assert_eq!(body(of(&raw, true).0).await, b"");
        let no_head = Bytes::from_static(b"<p>an answer of HTTP/0.9");
        assert_eq!(body(of(&no_head, false).0).await, b"<p>an answer of HTTP/0.9");
        assert_eq!(of(&Bytes::from_static(b"HTTP/1.1 101 X\r\n\r\n"), false).0.status(), 502);
        assert_eq!(
            of(&Bytes::from_static(b"HTTP/1.1 401 X\r\nWWW-Authenticate: Basic\r\n\r\n"), false)
                .0
                .headers()
                .len(),
            0
        );
    }

    #[test]
    fn headers_of_the_browser_stay_with_it() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("accept", "application/json"),
            ("x-api-key", "k"),
            ("range", "bytes=0-1"),
            ("if-none-match", "\"x\""),
            ("sec-ch-ua", "\"Chromium\""),
            ("user-agent", "Chromium"),
            ("proxy-authorization", "Basic x"),
            ("accept-encoding", "gzip"),
        ] {
            headers.insert(name, value.parse().unwrap());
        }
        let over: Vec<String> = handed_over(&headers).into_iter().map(|(name, _)| name).collect();
        assert_eq!(over, ["accept", "x-api-key"]);
    }

    #[test]
    fn preflights_are_for_reading_alone() {
        let mut headers = HeaderMap::new();
        headers.insert("origin", "http://a.example".parse().unwrap());
        for (method, known) in [("GET", true), ("HEAD", true), ("POST", false), ("DELETE", false)] {
            headers.insert("access-control-request-method", method.parse().unwrap());
            assert_eq!(is_preflight(&headers), known, "{method}");
        }
    }
}
