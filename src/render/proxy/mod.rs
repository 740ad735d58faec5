//! The proxy that is all the network a browser has.
//!
//! An HTTP/1.1 proxy on loopback. Every request must bring the credentials of an opening of a page ([`Visit`]); nobody else on
//! the machine gets more than a 407. Requests for http URLs come in absolute form; tunnels (CONNECT) end here, in TLS with a
//! certificate of [`authority`]'s, so that https requests are seen too. Anything else (WebSockets, TURN) is refused.
//! GET goes to the visit's [`Exchange`](crate::Exchange), HEAD as GET whose body is left out; a preflight for these is answered
//! here, for what the server itself lets another origin read its answer says; other methods are refused.
//!
//! The answer is framed anew: by its length, without headers of the connection and without those that make a browser ask for
//! more by itself ([`answer`]).

mod answer;
mod authority;

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

use self::authority::Authority;
use crate::exchange::{NoAnswer, PageRequest};
use crate::visit::Visit;

/// Connections at the same time.
const MAX_CONNECTIONS: usize = 1_024;
/// Longest URL that is asked for.
const MAX_URL: usize = 16 << 10;
/// Buffer of a connection: the longest head of a request.
const MAX_HEAD: usize = 128 << 10;
/// How long a connection may take for the head of its next request, or for TLS.
const HEAD_TIME: Duration = Duration::from_secs(60);

type Reply = Response<Full<Bytes>>;

/// A running proxy; ends when dropped.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<ProxyState>,
    accepting: JoinHandle<()>,
}

struct ProxyState {
    authority: Authority,
    /// By the value of `Proxy-Authorization`.
    visits: Mutex<HashMap<String, Arc<Visit>>>,
}

/// The name and password that a page's requests bring; they count until this is dropped.
pub(crate) struct Credentials {
    pub user: String,
    pub password: String,
    shared: Arc<ProxyState>,
}

impl Credentials {
    fn header(&self) -> String {
        format!("Basic {}", BASE64.encode(format!("{}:{}", self.user, self.password).as_bytes()))
    }
}

impl Drop for Credentials {
    fn drop(&mut self) {
        self.shared.visits().remove(&self.header());
    }
}

impl ProxyState {
    fn visits(&self) -> MutexGuard<'_, HashMap<String, Arc<Visit>>> {
        self.visits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn visit(&self, headers: &HeaderMap) -> Option<Arc<Visit>> {
        let given = headers.get(http::header::PROXY_AUTHORIZATION)?.to_str().ok()?;
        self.visits().get(given).cloned()
    }
}

impl Proxy {
    /// Listens on a free port of loopback.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Internal`] where no certificate can be made.
    pub async fn start() -> Result<Proxy> {
        let listen = |e: io::Error| Error::io("127.0.0.1:0", e);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(listen)?;
        let port = listener.local_addr().map_err(listen)?.port();
        let shared = Arc::new(ProxyState { authority: Authority::new()?, visits: Mutex::default() });
        let accepting = tokio::spawn(accept(listener, shared.clone()));
        Ok(Proxy { port, shared, accepting })
    }

    /// Where it listens on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// SHA-256 of the public key of its certificates, in base64.
    pub fn key_hash(&self) -> &str {
        self.shared.authority.key_hash()
    }

    /// Lets a page in.
    ///
    /// # Errors
    /// [`Error::Internal`]: the system has no random numbers.
    pub fn admit(&self, visit: Arc<Visit>) -> Result<Credentials> {
        let (user, password) = (authority::random_name()?, authority::random_name()?);
        let credentials = Credentials { user, password, shared: self.shared.clone() };
        self.shared.visits().insert(credentials.header(), visit);
        Ok(credentials)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<ProxyState>) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors: some will be free again.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let shared = shared.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let shared = shared.clone();
                async move { Ok::<_, Infallible>(outer(shared, request).await) }
            });
            // A connection that breaks is the browser's business.
            let _ = server().serve_connection(TokioIo::new(stream), service).with_upgrades().await;
            drop(permit);
        });
    }
}

fn server() -> http1::Builder {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD);
    server
}

/// A request to the proxy itself.
async fn outer(shared: Arc<ProxyState>, mut request: Request<Incoming>) -> Reply {
    let Some(visit) = shared.visit(request.headers()) else {
        let mut reply = answer::empty(StatusCode::PROXY_AUTHENTICATION_REQUIRED);
        reply.headers_mut().insert(
            http::header::PROXY_AUTHENTICATE,
            http::HeaderValue::from_static("Basic realm=\"webmill\""),
        );
        return reply;
    };
    if request.method() != Method::CONNECT {
        let url = request.uri().to_string();
        return inner(visit, &url, request).await;
    }
    let Some(authority) = request.uri().authority().cloned() else {
        return answer::empty(StatusCode::BAD_REQUEST);
    };
    let Some(tls) = shared.authority.acceptor(authority.host()) else {
        visit.refuse("bad-url");
        return answer::refused("bad-url");
    };
    tokio::spawn(async move {
        let Ok(upgraded) = hyper::upgrade::on(&mut request).await else { return };
        match tokio::time::timeout(HEAD_TIME, tls.accept(TokioIo::new(upgraded))).await {
            Ok(Ok(stream)) => tunnel(stream, visit, authority.to_string()).await,
            // The browser opens connections ahead and leaves them.
            Ok(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {}
            // What speaks no TLS in a tunnel: a WebSocket without it, TURN.
            Ok(Err(_)) => visit.refuse("not-tls"),
            Err(_) => {}
        }
    });
    answer::empty(StatusCode::OK)
}

/// Requests inside of a tunnel to `authority`.
async fn tunnel(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    visit: Arc<Visit>,
    authority: String,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let visit = visit.clone();
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let url = format!("https://{authority}{path}");
        async move { Ok::<_, Infallible>(inner(visit, &url, request).await) }
    });
    let _ = server().serve_connection(TokioIo::new(stream), service).await;
}

/// A request of a page.
async fn inner(visit: Arc<Visit>, url: &str, request: Request<Incoming>) -> Reply {
    let headers = request.headers();
    let reason = if headers.contains_key(http::header::UPGRADE) {
        "websocket"
    } else if headers.contains_key("service-worker") {
        "service-worker"
    } else if request.method() == Method::OPTIONS && answer::is_preflight(headers) {
        return answer::preflight(headers);
    } else if request.method() != Method::GET && request.method() != Method::HEAD {
        "method"
    } else if url.len() > MAX_URL {
        "bad-url"
    } else {
        return match CanonicalUrl::parse(url).filter(CanonicalUrl::is_web) {
            Some(url) => ask(&visit, url, headers, request.method() == Method::HEAD).await,
            None => {
                visit.refuse("bad-url");
                answer::refused("bad-url")
            }
        };
    };
    visit.refuse(reason);
    answer::refused(reason)
}

async fn ask(visit: &Visit, url: CanonicalUrl, headers: &HeaderMap, head: bool) -> Reply {
    let on_its_way = match visit.begin() {
        Ok(on_its_way) => on_its_way,
        Err(reason) => {
            visit.refuse(reason);
            return answer::refused(reason);
        }
    };
    let document = url == visit.url;
    let request = PageRequest { url: url.clone(), headers: answer::handed_over(headers), document };
    let reply = match visit.exchange.exchange(request).await {
        Ok(found) => {
            let (reply, status) = answer::of(&found.raw, head);
            visit.answered(url, status, found.raw.len() as u64);
            reply
        }
        Err(why) => {
            visit.unanswered(why);
            match why {
                NoAnswer::Refused(reason) => answer::refused(reason),
                NoAnswer::Failed(reason) => answer::failed(reason),
            }
        }
    };
    drop(on_its_way);
    reply
}

#[cfg(test)]
mod tests;
