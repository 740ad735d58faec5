//! One request through the checks of a [`super::Fetcher`], from the URL to the exchange.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::address::{port, undotted};
use super::connect::{Connection, Stream};
use super::hosts::{self, Kept};
use super::http1::{self, Broken, Exchange, Limits};
use super::opening::Opened;
use super::request::Extras;
use super::{Failure, FetcherState, Method, Received, Request, address, http2, page_headers, proxy};
use webmill_capture::CanonicalUrl;
use webmill_capture::date::now_ms;

/// Known facts about a request while it is in flight.
pub(super) struct FetchState<'a> {
    /// Of the page that the request is made for.
    pub headers: &'a [(String, String)],
    pub started_ms: i64,
    pub clock: Instant,
    pub ip: Option<IpAddr>,
    pub sent: Vec<u8>,
}

impl<'a> FetchState<'a> {
    pub(super) fn new(headers: &'a [(String, String)]) -> FetchState<'a> {
        FetchState { headers, started_ms: now_ms(), clock: Instant::now(), ip: None, sent: Vec::new() }
    }

    /// The request begins now.
    pub(super) fn begin(&mut self) {
        self.started_ms = now_ms();
        self.clock = Instant::now();
    }
}

/// A request, written down.
struct WrittenRequest<'a> {
    request: &'a Request<'a>,
    sent: &'a [u8],
    /// Whether the connection may be kept.
    keep: bool,
    https: bool,
    port: u16,
    /// Of the URL, without the dot of the root.
    host: &'a str,
}

impl FetcherState {
    pub(super) async fn fetch(
        &self,
        request: &Request<'_>,
        state: &mut FetchState<'_>,
    ) -> Result<Received, Failure> {
        let url = request.url;
        let literal = self.check(url)?;
        if self.runtime.get().is_none() {
            let _ = self.runtime.set(Handle::current());
        }
        let keep = request.keep && self.hosts.keeps();
        let proxy = self.proxies.of(url);
        let absolute = proxy.filter(|proxy| proxy.speaks_http() && url.scheme() != "https");
        let sent = self.written(request, absolute, keep, state)?;
        let asked = WrittenRequest {
            request,
            sent: &sent,
            keep,
            https: url.scheme() == "https",
            port: port(url),
            host: undotted(url.host()),
        };
        let mut lease = self.hosts.lease(asked.host).await;
        if let Some(kept) = lease.take()
            && let Some(received) = self.ask_kept(&asked, kept, &mut lease, state).await?
        {
            return Ok(received);
        }
        if let Some(proxy) = absolute {
            return self.through_proxy(proxy, request, sent, keep, &mut lease, state).await;
        }
        // A proxy that wants a name gets it unresolved.
        let addresses: Vec<SocketAddr> = match proxy {
            Some(proxy) if !proxy.wants_addresses() => Vec::new(),
            _ => self.addresses(url.host(), literal, asked.port).await?,
        };
        self.ask_new(&asked, &addresses, &mut lease, state).await
    }

    /// Whether a URL may be asked for at all; the address that it names, if it names one.
    fn check(&self, url: &CanonicalUrl) -> Result<Option<IpAddr>, Failure> {
        let port = port(url);
        if !url.is_web() {
            return Err(Failure::Protocol(format!("{} is not fetched", url.scheme())));
        }
        if address::is_bad_port(port) {
            return Err(Failure::Protocol(format!("port {port} is none of the Web")));
        }
        let literal = address::literal(url.host());
        match literal {
            Some(ip) => self.allow(ip)?,
            None if address::is_local_name(url.host()) => self.allow(IpAddr::from([127, 0, 0, 1]))?,
            None => {}
        }
        Ok(literal)
    }

    /// The request as bytes.
    fn written(
        &self,
        request: &Request<'_>,
        proxy: Option<&proxy::Proxy>,
        keep: bool,
        state: &FetchState<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let cookie = self.cookies.header(request.url);
        let extras = Extras {
            proxy,
            cookie: &cookie,
            conditional: request.conditional,
            close: !keep,
            method: request.method,
        };
        let sent = self
            .template
            .write(request.url, &extras)
            .ok_or_else(|| Failure::Protocol("the URL cannot be asked for".into()))?;
        Ok(page_headers::merge(sent, state.headers))
    }

    /// Asks over a connection that was kept, unless it is for something else or has died.
    async fn ask_kept(
        &self,
        asked: &WrittenRequest<'_>,
        mut kept: Kept,
        lease: &mut hosts::Lease,
        state: &mut FetchState<'_>,
    ) -> Result<Option<Received>, Failure> {
        let fits = kept.https == asked.https && kept.port == asked.port;
        if let Some(ip) = kept.ip.filter(|_| fits)
            && let Err(wait) = self.address_limiter.wait(ip, asked.host).await
        {
            lease.keep(kept);
            return Err(busy(wait));
        }
        let alive = fits
            && match &mut kept.connection {
                Connection::One(stream) => stream.is_quiet(),
                Connection::Two(session) => session.is_open(),
            };
        if alive {
            state.begin();
            state.ip = kept.ip;
            asked.sent.clone_into(&mut state.sent);
            let limits = self.limits(asked.request, state.clock, asked.port, asked.https);
            match exchange(&mut kept.connection, asked.request, asked.sent, &limits).await {
                Ok(Exchange { received, reusable }) => {
                    if reusable && asked.keep {
                        lease.keep(kept);
                    }
                    return Ok(Some(received));
                }
                // It was never sent.
                Err(Broken::Dead) if matches!(kept.connection, Connection::Two(_)) => {}
                // The server may have seen the request: another one has to wait for the host's delay.
                Err(broken) => return Err(broken.into()),
            }
        }
        // Closed before another is opened.
        kept.connection.close().await;
        Ok(None)
    }

    /// Asks over a new connection.
    async fn ask_new(
        &self,
        asked: &WrittenRequest<'_>,
        addresses: &[SocketAddr],
        lease: &mut hosts::Lease,
        state: &mut FetchState<'_>,
    ) -> Result<Received, Failure> {
        let Opened { mut connection, limits, changed } =
            self.negotiate(asked.request, addresses, state).await?;
        asked.sent.clone_into(&mut state.sent);
        let http2 = matches!(connection, Connection::Two(_));
        let result =
            exchange(&mut connection, asked.request, asked.sent, &limits).await.map_err(Failure::from);
        // A server may also refuse a protocol in words.
        let refused = asked.https
            && match &result {
                Ok(exchange) => !http2 && matches!(exchange.received.status, 426 | 505),
                Err(Failure::Protocol(reason)) => http2 && reason == http2::HTTP_1_1_REQUIRED,
                Err(_) => false,
            };
        // Not a second request at once: who asked comes back after the delay. A host that insists on what it
        // refuses has nothing else: its answer stays.
        if refused && !changed && !self.does_insist(asked.host, http2) {
            self.insists(asked.host, !http2);
            connection.close().await;
            return Err(Failure::Version(if http2 { "HTTP/1.1" } else { "HTTP/2" }));
        }
        let Exchange { received, reusable } = result?;
        if changed {
            self.insists(asked.host, http2);
        }
        if reusable && asked.keep {
            lease.keep(Kept { connection, https: asked.https, port: asked.port, ip: state.ip });
        }
        Ok(received)
    }

    /// An http URL through the proxy: any idle connection to it will do.
    async fn through_proxy(
        &self,
        proxy: &proxy::Proxy,
        request: &Request<'_>,
        sent: Vec<u8>,
        keep: bool,
        lease: &mut hosts::Lease,
        state: &mut FetchState<'_>,
    ) -> Result<Received, Failure> {
        state.sent = sent;
        let share = self.options.share_proxy;
        while let Some(stream) = self.pool.take() {
            let mut stream = Stream::Plain(stream);
            if !stream.is_quiet() {
                continue;
            }
            state.begin();
            let limits = self.limits(request, state.clock, 80, false);
            match http1::exchange(&mut stream, &state.sent, &limits, request.accept).await {
                Ok(exchange) => {
                    known_to_proxy(&exchange)?;
                    if let (Stream::Plain(stream), true) = (stream, exchange.reusable && keep) {
                        self.pool.put(stream);
                    }
                    return Ok(exchange.received);
                }
                // The host may have seen the request: another one has to wait for its delay.
                Err(broken) => return Err(broken.into()),
            }
        }
        let addresses = proxy.addresses().await?;
        state.begin();
        let limits = self.limits(request, state.clock, 80, false);
        let mut stream = Stream::Plain(self.tcp_to_proxy(&addresses, limits.total).await?);
        let exchange = http1::exchange(&mut stream, &state.sent, &limits, request.accept).await?;
        known_to_proxy(&exchange)?;
        if exchange.reusable && keep {
            match stream {
                Stream::Plain(stream) if share => self.pool.put(stream),
                stream => lease.keep(Kept {
                    connection: Connection::One(stream),
                    https: false,
                    port: port(request.url),
                    ip: None,
                }),
            }
        }
        Ok(exchange.received)
    }

    pub(super) fn limits(&self, request: &Request<'_>, start: Instant, port: u16, https: bool) -> Limits {
        Limits {
            body: request.max_body_bytes,
            total: start + Duration::from_millis(self.options.total_ms),
            wait: Duration::from_millis(self.options.total_ms),
            idle: Duration::from_millis(self.options.idle_ms),
            // As browsers do: on another port it is likely to be another service.
            http09: port == if https { 443 } else { 80 } && self.proxies.of(request.url).is_none(),
            head_only: matches!(request.method, Method::Head),
            body_permits: self.body_permits.clone(),
        }
    }
}

/// The host has to come back for its turn at an address.
pub(super) fn busy(wait: Duration) -> Failure {
    Failure::AddressBusy { wait_ms: wait.as_millis() as u64 + 1 }
}

/// A proxy that wants to know who asks has not asked the host.
fn known_to_proxy(exchange: &Exchange) -> Result<(), Failure> {
    match exchange.received.status {
        407 => Err(Failure::Proxy("407: it wants authentication".into())),
        _ => Ok(()),
    }
}

async fn exchange(
    connection: &mut Connection,
    request: &Request<'_>,
    sent: &[u8],
    limits: &Limits,
) -> Result<Exchange, Broken> {
    match connection {
        Connection::One(stream) => http1::exchange(stream, sent, limits, request.accept).await,
        Connection::Two(session) => session.exchange(request.url, sent, limits, request.accept).await,
    }
}
