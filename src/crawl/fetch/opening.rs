//! From the name of a host to a connection that speaks a protocol of both sides.

use std::net::{IpAddr, SocketAddr};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::address::{port, undotted};
use super::connect::{self, Connection, MAX_TRIES, Stream};
use super::http1::Limits;
use super::proxy::Proxy;
use super::state::{FetchState, busy};
use super::tls::{Offer, Refusal};
use super::{Failure, FetcherState, Request, address, http2};

/// Most hosts remembered as speaking only one protocol.
const MAX_INSISTING: usize = 10_000;

/// A connection, and what bounds the exchange that it was opened for.
pub(super) struct Opened {
    pub connection: Connection,
    pub limits: Limits,
    /// The host refused the protocol that it was offered first.
    pub changed: bool,
}

impl FetcherState {
    /// Opens a connection that speaks what the host speaks.
    pub(super) async fn negotiate(
        &self,
        request: &Request<'_>,
        addresses: &[SocketAddr],
        state: &mut FetchState<'_>,
    ) -> Result<Opened, Failure> {
        let https = request.url.scheme() == "https";
        let insists = https && self.does_insist(undotted(request.url.host()), true);
        let mut offer = if insists { Offer::Http2 } else { Offer::Http1 };
        let mut changed = false;
        loop {
            match self.open(request, addresses, offer, state).await {
                Ok((connection, limits)) => return Ok(Opened { connection, limits, changed }),
                Err(Refusal::Protocol) if !changed => {
                    let other = if offer == Offer::Http1 { Offer::Http2 } else { Offer::Http1 };
                    (offer, changed) = (other, true);
                }
                Err(Refusal::Protocol) => return Err(Failure::Tls("no common protocol".into())),
                Err(Refusal::Other(failure)) => return Err(failure),
            }
        }
    }

    async fn open(
        &self,
        request: &Request<'_>,
        addresses: &[SocketAddr],
        offer: Offer,
        state: &mut FetchState<'_>,
    ) -> Result<(Connection, Limits), Refusal> {
        let url = request.url;
        let (stream, limits) = match self.proxies.of(url) {
            Some(proxy) => self.tunnel(proxy, request, addresses, state).await,
            None => self.first_that_answers(request, addresses, state).await,
        }
        .map_err(Refusal::Other)?;
        if url.scheme() != "https" {
            return Ok((Connection::One(Stream::Plain(stream)), limits));
        }
        let until = limits.total.min(Instant::now() + self.connect_limit());
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

    /// A stream to the host through a proxy.
    async fn tunnel(
        &self,
        proxy: &Proxy,
        request: &Request<'_>,
        addresses: &[SocketAddr],
        state: &mut FetchState<'_>,
    ) -> Result<(TcpStream, Limits), Failure> {
        let places = proxy.addresses().await?;
        state.begin();
        let limits = self.limits_of(request, state.clock);
        let mut stream = self.tcp_to_proxy(&places, limits.total).await?;
        let target = (request.url.host(), port(request.url));
        let checked = addresses.first().copied();
        let tunnel = proxy.tunnel(&mut stream, target, checked, &self.options.user_agent);
        let until = limits.total.min(Instant::now() + self.connect_limit());
        timeout_at(until, tunnel).await.map_err(|_| Failure::Timeout("tunnel"))??;
        Ok((stream, limits))
    }

    /// A stream to the first address that takes it.
    async fn first_that_answers(
        &self,
        request: &Request<'_>,
        addresses: &[SocketAddr],
        state: &mut FetchState<'_>,
    ) -> Result<(TcpStream, Limits), Failure> {
        let mut last = Failure::NoSuchHost;
        for (at, address) in addresses.iter().enumerate() {
            let turn = self.address_limiter.wait(address.ip(), undotted(request.url.host())).await;
            turn.map_err(busy)?;
            if at == 0 {
                state.begin();
            }
            // The time of all addresses runs from the first on.
            let limits = self.limits_of(request, state.clock);
            state.ip = Some(address.ip());
            match self.tcp(*address, limits.total).await {
                Ok(stream) => return Ok((stream, limits)),
                // What an address answered says more than what this machine cannot do.
                Err(Failure::Local(_)) if !matches!(last, Failure::NoSuchHost) => {}
                Err(failure) => last = failure,
            }
        }
        Err(last)
    }

    fn limits_of(&self, request: &Request<'_>, start: Instant) -> Limits {
        self.limits(request, start, port(request.url), request.url.scheme() == "https")
    }

    /// Longest time that connecting may take.
    fn connect_limit(&self) -> Duration {
        Duration::from_millis(self.options.connect_ms)
    }

    /// Connects; when the process has too many files open, idle connections give way.
    async fn tcp(&self, address: SocketAddr, total: Instant) -> Result<TcpStream, Failure> {
        let limit = self.connect_limit();
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

    pub(super) async fn tcp_to_proxy(
        &self,
        addresses: &[SocketAddr],
        total: Instant,
    ) -> Result<TcpStream, Failure> {
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
    pub(super) async fn addresses(
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
    pub(super) fn allow(&self, ip: IpAddr) -> Result<(), Failure> {
        if !self.options.allow_private && !address::is_public(ip) {
            return Err(Failure::PrivateAddress(ip));
        }
        if self.scope.as_ref().is_some_and(|scope| !scope(ip)) {
            return Err(Failure::AddressOutOfScope(ip));
        }
        Ok(())
    }

    /// Whether HTTP/2, or HTTP/1.1, is known as the one protocol that a host speaks.
    pub(super) fn does_insist(&self, host: &str, http2: bool) -> bool {
        let insisting = self.insisting.lock().unwrap_or_else(PoisonError::into_inner);
        !insisting.is_empty() && insisting.contains(&(host.into(), http2))
    }

    /// Remembers the one protocol that a host speaks.
    pub(super) fn insists(&self, host: &str, http2: bool) {
        let mut insisting = self.insisting.lock().unwrap_or_else(PoisonError::into_inner);
        if insisting.len() >= MAX_INSISTING {
            insisting.clear();
        }
        insisting.remove(&(host.into(), !http2));
        insisting.insert((host.into(), http2));
    }
}
