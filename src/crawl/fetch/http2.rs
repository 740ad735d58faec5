//! HTTP/2, written down in the form of HTTP/1.1.
//!
//! What an HTTP/2 server sends are frames; stored is what they mean: a status line with the standard reason phrase,
//! the header lines with their lower-case names (those of one name side by side, at the place of the first), the body
//! as the data frames join to it. Trailers and interim responses are left out.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::JoinHandle;
use tokio::time::timeout_at;

use super::body_permit::BodyPermit;
use super::connect::Stream;
use super::http1::{Broken, Exchange, Limits, growth};
use super::{Accept, Failure, Received};
use webmill_capture::response::MAX_HEAD_BYTES;
use webmill_capture::{CanonicalUrl, Response, Truncation};

/// Bytes a server may send before we have read them.
const WINDOW: u32 = 1 << 20;

/// A connection that speaks HTTP/2; closed when dropped.
pub(super) struct Session {
    sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<()>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Session {
    /// Opens HTTP/2 on a stream.
    pub(super) async fn open(stream: Stream, limits: &Limits) -> Result<Session, Failure> {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_header_list_size(MAX_HEAD_BYTES as u32)
            .max_concurrent_reset_streams(4);
        let opening = builder.handshake(TokioIo::new(stream));
        let (sender, connection) = timeout_at(limits.next(), opening)
            .await
            .map_err(|_| Failure::Timeout("http2"))?
            .map_err(|e| Failure::Protocol(reason(&e)))?;
        let driver = tokio::spawn(async move {
            // Its faults are reported to the request that meets them.
            let _ = connection.await;
        });
        Ok(Session { sender, driver })
    }

    /// Closes the connection, and waits until it is.
    pub(super) async fn close(mut self) {
        self.driver.abort();
        let _ = (&mut self.driver).await;
    }

    /// Whether a kept connection still takes requests.
    pub(super) fn is_open(&self) -> bool {
        self.sender.is_ready() && !self.sender.is_closed()
    }

    /// Sends a request (given in the form of HTTP/1.1) and reads its response.
    pub(super) async fn exchange(
        &mut self,
        url: &CanonicalUrl,
        request: &[u8],
        limits: &Limits,
        accept: Option<Accept<'_>>,
    ) -> Result<Exchange, Broken> {
        let request = translate(url, request).ok_or_else(|| {
            Broken::Failed(Failure::Protocol("the URL cannot be asked for by HTTP/2".into()))
        })?;
        let response = match timeout_at(limits.next(), self.sender.send_request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_canceled() || error.is_closed() => return Err(Broken::Dead),
            Ok(Err(error)) => return Err(Broken::Failed(failure(&error))),
            Err(_) => return Err(Broken::Failed(Failure::Timeout("response"))),
        };
        let (parts, mut body) = response.into_parts();
        let raw = head(&parts);
        let mut received = Received {
            head_len: raw.len(),
            raw,
            status: parts.status.as_u16(),
            truncated: None,
            http2: true,
            refused_by_accept: false,
            body_permit: BodyPermit::default(),
        };
        let media_type = Response::parse(&received.raw).media_type().unwrap_or_default();
        if accept.is_some_and(|accept| !accept(received.status, &media_type)) {
            received.refused_by_accept = true;
            let reusable = body.is_end_stream();
            received.truncated = (!reusable).then_some(Truncation::Unspecified);
            return Ok(Exchange { received, reusable });
        }
        if limits.head_only {
            return Ok(Exchange { received, reusable: body.is_end_stream() });
        }
        received.truncated = read_body(&mut body, &mut received, limits.clone()).await;
        let reusable = received.truncated.is_none();
        Ok(Exchange { received, reusable })
    }
}

/// Reads a body to its end; why not further, where that is not its end.
async fn read_body(body: &mut Incoming, received: &mut Received, mut limits: Limits) -> Option<Truncation> {
    loop {
        let frame = match timeout_at(limits.next(), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return None,
            Ok(Some(Err(_))) => return Some(Truncation::Disconnect),
            Err(_) => return Some(Truncation::Time),
        };
        let Ok(data) = frame.into_data() else { continue };
        let room = received.raw.capacity() - received.raw.len();
        if data.len() > room {
            let have = (received.raw.len() - received.head_len) as u64;
            let promised = body.size_hint().upper().unwrap_or(u64::MAX).saturating_add(data.len() as u64);
            let more = growth(&received.raw, data.len() as u64, promised);
            let longest = limits.body.saturating_add(data.len() as u64).min(have.saturating_add(promised));
            if !limits.claim(&mut received.body_permit, have + more as u64, longest).await {
                return Some(Truncation::Unspecified);
            }
            received.raw.reserve_exact(more);
        }
        received.raw.extend_from_slice(&data);
        if (received.raw.len() - received.head_len) as u64 > limits.body {
            received.raw.truncate(received.head_len + limits.body as usize);
            return Some(Truncation::Length);
        }
    }
}

/// The request as HTTP/2 has it.
fn translate(url: &CanonicalUrl, request: &[u8]) -> Option<http::Request<Full<Bytes>>> {
    let end = memchr::memmem::find(request, b"\r\n\r\n")?;
    let text = std::str::from_utf8(&request[..end]).ok()?;
    let body = Bytes::copy_from_slice(&request[end + 4..]);
    let method = text.split(' ').next()?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let target = format!("{}://{}{port}{}", url.scheme(), url.host(), url.path_and_query());
    let mut out = http::Request::builder().method(method).uri(target).version(http::Version::HTTP_2);
    for line in text.split("\r\n").skip(1) {
        let Some((name, value)) = line.split_once(": ") else { continue };
        if !name.eq_ignore_ascii_case("host") && !name.eq_ignore_ascii_case("connection") {
            out = out.header(name, value);
        }
    }
    out.body(Full::new(body)).ok()
}

/// A head in the form of HTTP/1.1.
fn head(parts: &http::response::Parts) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(
        format!(
            "HTTP/1.1 {} {}\r\n",
            parts.status.as_u16(),
            parts.status.canonical_reason().unwrap_or_default()
        )
        .as_bytes(),
    );
    for (name, value) in &parts.headers {
        // It means nothing in HTTP/2, and would mislead a reader of HTTP/1.1.
        if name == http::header::TRANSFER_ENCODING {
            continue;
        }
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// What a failed request means.
fn failure(error: &hyper::Error) -> Failure {
    let text = reason(error);
    match text.contains(HTTP_1_1_REQUIRED) {
        true => Failure::Protocol(HTTP_1_1_REQUIRED.into()),
        false if std::error::Error::source(error).is_some_and(|e| e.is::<std::io::Error>()) => {
            Failure::Disconnect
        }
        false => Failure::Protocol(text),
    }
}

/// What a server says that wants the older protocol (RFC 9113, section 7), as the library words it.
pub(super) const HTTP_1_1_REQUIRED: &str = "endpoint requires HTTP/1.1";

/// An error with its causes.
fn reason(error: &hyper::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
