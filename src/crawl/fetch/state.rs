//! One request through the checks of a [`super::Fetcher`], from the URL to the exchange.

use std::net::{IpAddr, SocketAddr};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::connect::{self, Connection, MAX_TRIES, Stream};
use super::hosts::{self, Kept};
use super::http1::{self, Broken, Exchange, Limits};
use super::options::Http2;
use super::request::{self, Extras, undotted};
use super::tls::{Offer, Refusal};
use super::{Failure, Method, Received, Request, Shared, address, http2, page_headers, proxy};

/// Most hosts remembered as speaking only one protocol.
const MAX_INSISTING: usize = 10_000;

/// What is known of a request while it is in flight.
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
    fn begin(&mut self) {
        self.started_ms = now_ms();
        self.clock = Instant::now();
    }
}

impl Shared {
    pub(super) async fn fetch(
        &self,
        request: &Request<'_>,
        state: &mut FetchState<'_>,
    ) -> Result<Received, Failure> {
        let url = request.url;
        let (https, port) = (url.scheme() == "https", request::port(url));
        if !url.is_web() {
            return Err(Failure::Protocol(format!("{} is not fetched", url.scheme())));
        }
        if address::is_bad_port(port) {
            return Err(Failure::Protocol(format!("port {port} is none of the Web")));
        }
        if self.runtime.get().is_none() {
            let _ = self.runtime.set(Handle::current());
        }
        let literal = address::literal(url.host());
        match literal {
            Some(ip) => self.allow(ip)?,
            None if address::is_local_name(url.host()) => self.allow(IpAddr::from([127, 0, 0, 1]))?,
            None => {}
        }
        let keep = request.keep && self.hosts.keeps();
        let cookie = self.cookies.header(url);
        let proxy = self.proxies.of(url);
        let absolute = proxy.filter(|proxy| proxy.speaks_http() && !https);
        let extras = Extras {
            proxy: absolute,
            cookie: &cookie,
            conditional: request.conditional,
            close: !keep,
            method: request.method,
        };
        let sent = self
            .template
            .write(url, &extras)
            .ok_or_else(|| Failure::Protocol("the URL cannot be asked for".into()))?;
        let sent = page_headers::merge(sent, state.headers);

        let host = undotted(url.host());
        let mut lease = self.hosts.lease(host).await;
        if let Some(mut kept) = lease.take() {
            let fits = kept.https == https && kept.port == port;
            if let Some(ip) = kept.ip.filter(|_| fits)
                && let Err(wait) = self.address_limiter.wait(ip, host).await
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
                state.sent.clone_from(&sent);
                let limits = self.limits(request, state.clock, port, https);
                match exchange(&mut kept.connection, request, &sent, &limits).await {
                    Ok(Exchange { received, reusable }) => {
                        if reusable && keep {
                            lease.keep(kept);
                        }
                        return Ok(received);
                    }
                    // It was never sent.
                    Err(Broken::Dead) if matches!(kept.connection, Connection::Two(_)) => {}
                    // The server may have seen the request: another one has to wait for the host's delay.
                    Err(broken) => return Err(broken.into()),
                }
            }
            // Closed before another is opened.
            kept.connection.close().await;
        }
        if let Some(proxy) = absolute {
            return self.through_proxy(proxy, request, sent, keep, &mut lease, state).await;
        }
        // A proxy that wants a name gets it unresolved.
        let addresses: Vec<SocketAddr> = match proxy {
            Some(proxy) if !proxy.wants_addresses() => Vec::new(),
            _ => self.addresses(url.host(), literal, port).await?,
        };
        let mut offer = if https { self.offer(host) } else { Offer::Http1 };
        let mut changed = false;
        loop {
            let (mut connection, limits) = match self.open(request, &addresses, offer, state).await {
                Ok(open) => open,
                Err(Refusal::Protocol) if !changed && offer != Offer::Both => {
                    let other = if offer == Offer::Http1 { Offer::Http2 } else { Offer::Http1 };
                    if other == Offer::Http2 && self.options.http2 == Http2::Never {
                        return Err(Failure::Tls("the server does not speak HTTP/1.1".into()));
                    }
                    (offer, changed) = (other, true);
                    continue;
                }
                Err(Refusal::Protocol) => return Err(Failure::Tls("no common protocol".into())),
                Err(Refusal::Other(failure)) => return Err(failure),
            };
            state.sent.clone_from(&sent);
            let http2 = matches!(connection, Connection::Two(_));
            let result = exchange(&mut connection, request, &sent, &limits).await.map_err(Failure::from);
            // A server may also refuse a protocol in words.
            let refused = https
                && match &result {
                    Ok(exchange) => !http2 && matches!(exchange.received.status, 426 | 505),
                    Err(Failure::Protocol(reason)) => http2 && reason == http2::HTTP_1_1_REQUIRED,
                    Err(_) => false,
                };
            // Not a second request at once: who asked comes back after the delay. A host that insists on what it
            // refuses has nothing else: its answer stays.
            let may_change = !changed && self.options.http2 != Http2::Never;
            if refused && may_change && !self.does_insist(host, http2) {
                self.insists(host, !http2);
                connection.close().await;
                return Err(Failure::Version(if http2 { "HTTP/1.1" } else { "HTTP/2" }));
            }
            let Exchange { received, reusable } = result?;
            if changed {
                self.insists(host, http2);
            }
            if reusable && keep {
                lease.keep(Kept { connection, https, port, ip: state.ip });
            }
            return Ok(received);
        }
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
                    port: request::port(request.url),
                    ip: None,
                }),
            }
        }
        Ok(exchange.received)
    }

    /// Opens a connection to the first address that takes it.
    async fn open(
        &self,
        request: &Request<'_>,
        addresses: &[SocketAddr],
        offer: Offer,
        state: &mut FetchState<'_>,
    ) -> Result<(Connection, Limits), Refusal> {
        let (url, connect) = (request.url, Duration::from_millis(self.options.connect_ms));
        let (https, port) = (url.scheme() == "https", request::port(url));
        let mut limits = self.limits(request, Instant::now(), port, https);
        let stream = if let Some(proxy) = self.proxies.of(url) {
            let places = proxy.addresses().await.map_err(Refusal::Other)?;
            state.begin();
            limits = self.limits(request, state.clock, port, https);
            let mut stream = self.tcp_to_proxy(&places, limits.total).await.map_err(Refusal::Other)?;
            let target = (url.host(), port);
            let checked = addresses.first().copied();
            let tunnel = proxy.tunnel(&mut stream, target, checked, &self.options.user_agent);
            let until = limits.total.min(Instant::now() + connect);
            match timeout_at(until, tunnel).await {
                Err(_) => return Err(Refusal::Other(Failure::Timeout("tunnel"))),
                Ok(Err(failure)) => return Err(Refusal::Other(failure)),
                Ok(Ok(())) => stream,
            }
        } else {
            let mut last = Failure::NoSuchHost;
            let mut found = None;
            for (at, address) in addresses.iter().enumerate() {
                let turn = self.address_limiter.wait(address.ip(), undotted(url.host())).await;
                turn.map_err(|wait| Refusal::Other(busy(wait)))?;
                if at == 0 {
                    state.begin();
                    limits = self.limits(request, state.clock, port, https);
                }
                state.ip = Some(address.ip());
                match self.tcp(*address, limits.total).await {
                    Ok(stream) => {
                        found = Some(stream);
                        break;
                    }
                    // What an address answered says more than what this machine cannot do.
                    Err(Failure::Local(_)) if !matches!(last, Failure::NoSuchHost) => {}
                    Err(failure) => last = failure,
                }
            }
            found.ok_or(Refusal::Other(last))?
        };
        if !https {
            return Ok((Connection::One(Stream::Plain(stream)), limits));
        }
        let until = limits.total.min(Instant::now() + connect);
        let stream = timeout_at(until, self.tls.connect(stream, url.host(), offer))
            .await
            .map_err(|_| Refusal::Other(Failure::Timeout("tls")))??;
        let chosen = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
        let stream = Stream::Tls(Box::new(stream));
        match (chosen.as_deref(), offer) {
            (Some(b"h2"), _) => {
                let session = http2::Session::open(stream, &limits).await.map_err(Refusal::Other)?;
                Ok((Connection::Two(session), limits))
            }
            // Only HTTP/2 was offered and the server does not say that it takes it.
            (_, Offer::Http2) => Err(Refusal::Protocol),
            _ => Ok((Connection::One(stream), limits)),
        }
    }

    /// Connects; when the process has too many files open, idle connections give way.
    async fn tcp(&self, address: SocketAddr, total: Instant) -> Result<TcpStream, Failure> {
        let limit = Duration::from_millis(self.options.connect_ms);
        let connected = match connect::tcp(address, limit, total).await {
            Err(connect::Refused::TooManyFiles) => {
                self.hosts.close_idle();
                self.pool.close_idle();
                return connect::tcp(address, limit, total).await.map_err(Failure::from);
            }
            other => other.map_err(Failure::from),
        };
        match connected {
            Ok(_) if address.is_ipv6() => self.ipv6.store(true, Ordering::Relaxed),
            // A machine without IPv6 has no outage.
            Err(Failure::Local(reason)) if address.is_ipv6() && !self.ipv6.load(Ordering::Relaxed) => {
                return Err(Failure::Connect(reason));
            }
            _ => {}
        }
        connected
    }

    async fn tcp_to_proxy(&self, addresses: &[SocketAddr], total: Instant) -> Result<TcpStream, Failure> {
        let mut last = Failure::NoSuchHost;
        for address in addresses.iter().take(MAX_TRIES) {
            match self.tcp(*address, total).await {
                Ok(stream) => return Ok(stream),
                Err(failure) => last = failure,
            }
        }
        Err(Failure::Proxy(format!("{}: {last}", last.name())))
    }

    /// Addresses of a host that may be asked, as many as are tried.
    async fn addresses(
        &self,
        host: &str,
        literal: Option<IpAddr>,
        port: u16,
    ) -> Result<Vec<SocketAddr>, Failure> {
        if let Some(ip) = literal {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let found = self.dns.lookup(host).await?;
        let mut refused = None;
        let mut allowed = Vec::with_capacity(MAX_TRIES);
        for ip in found.iter() {
            match self.allow(*ip) {
                Ok(()) if allowed.len() < MAX_TRIES => allowed.push(SocketAddr::new(*ip, port)),
                Ok(()) => {}
                Err(failure) => refused = refused.or(Some(failure)),
            }
        }
        match refused {
            Some(failure) if allowed.is_empty() => Err(failure),
            _ => Ok(allowed),
        }
    }

    /// Whether an address may be asked.
    fn allow(&self, ip: IpAddr) -> Result<(), Failure> {
        if !self.options.allow_private && !address::is_public(ip) {
            return Err(Failure::PrivateAddress(ip));
        }
        if self.scope.as_ref().is_some_and(|scope| !scope(ip)) {
            return Err(Failure::AddressOutOfScope(ip));
        }
        Ok(())
    }

    fn limits(&self, request: &Request<'_>, start: Instant, port: u16, https: bool) -> Limits {
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

    /// What a host is offered first.
    fn offer(&self, host: &str) -> Offer {
        match self.options.http2 {
            Http2::Never => Offer::Http1,
            Http2::WhenNeeded if self.does_insist(host, true) => Offer::Http2,
            Http2::WhenNeeded => Offer::Http1,
            Http2::Prefer if self.does_insist(host, false) => Offer::Http1,
            Http2::Prefer => Offer::Both,
        }
    }

    /// Whether HTTP/2, or HTTP/1.1, is known as the one protocol that a host speaks.
    fn does_insist(&self, host: &str, http2: bool) -> bool {
        let insisting = self.insisting.lock().unwrap_or_else(PoisonError::into_inner);
        !insisting.is_empty() && insisting.contains(&(host.into(), http2))
    }

    /// Remembers the one protocol that a host speaks.
    fn insists(&self, host: &str, http2: bool) {
        let mut insisting = self.insisting.lock().unwrap_or_else(PoisonError::into_inner);
        if insisting.len() >= MAX_INSISTING {
            insisting.clear();
        }
        insisting.remove(&(host.into(), !http2));
        insisting.insert((host.into(), http2));
    }
}

/// The host has to come back for its turn at an address.
fn busy(wait: Duration) -> Failure {
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

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}
