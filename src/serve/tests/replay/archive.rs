//! An archive in memory, read from a WARC file, and two servers of it on loopback: one replays it, one answers as the live
//! Web would have. Every request is logged.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use webmill_capture::cut::Cut;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response as Answer;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use webmill_capture::content::decode_content;
use webmill_capture::{CanonicalUrl, Response};
use webmill_serve::replay::{self, Context, Destination, Frame, Missing, Modifier, Place, Tokens};
use webmill_serve::site::CollectionSummary;
use webmill_shard::{NewWarcRecord, ReadOptions, RecordType, ShardReader, WarcOptions, WarcWriter};

pub const TIMESTAMP: &str = "20240615060000";

/// A page or file as a server gives it.
pub struct File {
    pub url: String,
    pub status: u16,
    pub media: Option<String>,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl File {
    pub fn new(url: &str, media: &str, body: impl Into<Vec<u8>>) -> File {
        let media = (!media.is_empty()).then(|| media.to_owned());
        File { url: url.to_owned(), status: 200, media, headers: Vec::new(), body: body.into() }
    }
}

#[derive(Clone)]
struct Capture {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Logged {
    pub method: Method,
    pub target: String,
    pub headers: HeaderMap,
}

/// Collections, what they hold, and what was asked of them.
#[derive(Default)]
pub struct Archive {
    collections: BTreeMap<String, BTreeMap<String, Capture>>,
    pub tokens: Tokens,
    log: Mutex<Vec<Logged>>,
    /// Whether pages may be opened without the frame, to be compared with live ones. No server should.
    pub bare: bool,
}

impl Archive {
    /// Writes files as a WARC, and reads them from it as a collection.
    pub fn add(&mut self, collection: &str, files: &[File]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let mut writer = WarcWriter::create(&path, WarcOptions::default()).unwrap();
        for file in files {
            let mut data = format!("HTTP/1.1 {} X\r\n", file.status).into_bytes();
            if let Some(media) = &file.media {
                data.extend_from_slice(format!("Content-Type: {media}\r\n").as_bytes());
            }
            for (name, value) in &file.headers {
                data.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
            }
            data.extend_from_slice(b"Set-Cookie: captured=1; Max-Age=0\r\n\r\n");
            data.extend_from_slice(&file.body);
            let record = NewWarcRecord {
                url: Some(&file.url),
                date_ms: 1_718_431_200_000,
                data: &data,
                ..NewWarcRecord::default()
            };
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
        self.collections.insert(collection.to_owned(), read(&path));
    }

    /// The requests since this was last asked.
    pub fn take_log(&self) -> Vec<Logged> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    fn find(&self, collection: &str, url: &str) -> Option<Capture> {
        let url = CanonicalUrl::parse_stored(url)?;
        self.collections.get(collection)?.get(url.as_str()).cloned()
    }
}

fn read(path: &Path) -> BTreeMap<String, Capture> {
    let mut captures = BTreeMap::new();
    let mut reader = ShardReader::open(path, &ReadOptions::default()).unwrap();
    while let Some(record) = reader.next() {
        let record = record.unwrap();
        if record.kind != RecordType::Response {
            continue;
        }
        let response = Response::parse(&record.data);
        let payload = response.payload(usize::MAX);
        let body = decode_content(&response, &payload.bytes, usize::MAX);
        let headers = response
            .headers()
            .filter_map(|(name, value)| {
                Some((HeaderName::from_bytes(name).ok()?, HeaderValue::from_bytes(value).ok()?))
            })
            .collect();
        let status = StatusCode::from_u16(response.status.unwrap_or(200)).unwrap();
        let url = CanonicalUrl::parse(&record.url).unwrap().into_string();
        captures.insert(url, Capture { status, headers, body: body.bytes.into_owned().into() });
    }
    captures
}

/// Starts a server on loopback; it ends with the process.
pub fn serve(archive: Arc<Archive>, live: bool) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(
            async {
                let router =
                    if live { Router::new().fallback(answer_live) } else { Router::new().fallback(answer) };
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, router.with_state(archive)).await.unwrap();
            },
        );
    });
    address
}

fn send(status: StatusCode, headers: HeaderMap, body: Bytes) -> Answer {
    let mut answer = Answer::new(Body::from(body));
    (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
    answer
}

fn send_replayed(replayed: replay::Replayed) -> Answer {
    send(replayed.status, replayed.headers, replayed.body)
}

fn redirect(to: &str) -> Answer {
    let headers = [(header::LOCATION, to.parse().unwrap())].into_iter().collect();
    send(StatusCode::TEMPORARY_REDIRECT, headers, Bytes::new())
}

fn not_found() -> Answer {
    send(StatusCode::NOT_FOUND, HeaderMap::new(), Bytes::from_static(b"not in this archive"))
}

fn log(archive: &Archive, request: &Request) -> (String, String) {
    let target = request.uri().path_and_query().unwrap().as_str().to_owned();
    let host = request.headers()[header::HOST].to_str().unwrap().to_owned();
    archive.log.lock().unwrap().push(Logged {
        method: request.method().clone(),
        target: target.clone(),
        headers: request.headers().clone(),
    });
    (target, host)
}

/// Whatever collection a URL is in: the live Web is one.
async fn answer_live(State(archive): State<Arc<Archive>>, request: Request) -> Answer {
    let (target, host) = log(&archive, &request);
    let url = format!("http://{host}{target}");
    match archive.collections.keys().find_map(|name| archive.find(name, &url)) {
        Some(capture) => send(capture.status, capture.headers, capture.body),
        None => not_found(),
    }
}

async fn answer(State(archive): State<Arc<Archive>>, request: Request) -> Answer {
    let (target, host) = log(&archive, &request);
    let origin = format!("http://{host}");
    let headers = request.headers();
    if target == "/" {
        return send(StatusCode::OK, HeaderMap::new(), Bytes::from_static(b"SECRET of the server"));
    }
    let name = target.cut(1..).split('/').next().unwrap_or_default();
    let prefix = format!("/{name}/");
    if archive.collections.contains_key(name) {
        if let Some(query) = target.strip_prefix(&format!("{prefix}{}script?", replay::ASSETS)) {
            let pairs = webmill_serve::form::pairs(query);
            let said = |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
            let token = archive.tokens.check(name, said("token"));
            let context = Context {
                origin: &origin,
                prefix: &prefix,
                token: token.as_deref(),
                timestamp: TIMESTAMP,
                modifier: Modifier::Page,
                url: said("url").unwrap_or_default(),
                destination: None,
            };
            let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
            return send_replayed(replay::script_text(&context, &body));
        }
        if let Some(name) = target.strip_prefix(&format!("{prefix}{}", replay::ASSETS)) {
            let Some((kind, body)) = replay::asset(name) else { return not_found() };
            let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(kind))].into_iter().collect();
            return send(StatusCode::OK, headers, Bytes::from_static(body));
        }
        if let Some(place) = Place::parse(&target, &prefix) {
            return answer_place(&archive, name, &prefix, &origin, place, &request);
        }
    }
    let is_collection = |prefix: &str| archive.collections.contains_key(prefix.trim_matches('/'));
    match replay::by_referer(&target, headers, &origin, is_collection) {
        Some(to) => redirect(&to),
        None => not_found(),
    }
}

fn answer_place(
    archive: &Archive,
    name: &str,
    prefix: &str,
    origin: &str,
    place: Place,
    request: &Request,
) -> Answer {
    let headers = request.headers();
    let accept = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let language = webmill_serve::site::Lang::choose(None, None, accept);
    let framing = place.modifier == Modifier::Frame;
    let token = if framing { Some(archive.tokens.of(name)) } else { archive.tokens.check(name, place.token) };
    let url = CanonicalUrl::parse_stored(place.url).map_or(place.url.to_owned(), CanonicalUrl::into_string);
    let destination = Destination::of(headers);
    let context = Context {
        origin,
        prefix,
        token: token.as_deref(),
        timestamp: TIMESTAMP,
        modifier: place.modifier,
        url: &url,
        destination,
    };
    if request.method() == Method::OPTIONS {
        return send_replayed(replay::preflight(&context, headers));
    }
    let Some(capture) = archive.find(name, &url) else {
        return match destination {
            None | Some(Destination::Document | Destination::Frame) => {
                let nearest =
                    [("20230101000000", "http://www.lakeside.example/"), (TIMESTAMP, "http://例.example/")];
                let about = &CollectionSummary { name: name.to_owned(), ..CollectionSummary::default() };
                let missing = Missing { context, language, reason: None, nearest: &nearest, about };
                send_replayed(replay::not_archived_page(&missing))
            }
            _ => not_found(),
        };
    };
    if framing {
        return send_replayed(replay::frame_page(&Frame {
            context,
            language,
            captures: Some(3),
            ends: Some(("20200101000000", "20240701000000")),
            previous: Some("20230101000000"),
            next: None,
            calendar: Some("/demo/*/x"),
        }));
    }
    if !archive.bare && replay::is_top_level(headers) {
        return redirect(&format!("{prefix}{TIMESTAMP}/{url}"));
    }
    send_replayed(replay::answer(&context, capture.status, &capture.headers, capture.body))
}
