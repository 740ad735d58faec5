//! Fetching: one request, its response as the server sent it.
//!
//! A [`Fetcher`] is the one client of a process: it holds the resolver with its cache, the address filter, the proxy,
//! cookies, the delay per address and the idle connections, and so every request of a crawl passes the same checks:
//!
//! 1. the URL: http or https, no port of another service, no special address written out;
//! 2. the host: at most one connection to a name; an idle one is used again, or closed before another is opened;
//! 3. the name: looked up, its addresses filtered ([`address::is_public`]); the connection goes to an address that was
//!    checked, there is no second lookup that could answer otherwise (rebinding);
//! 4. the address: its delay since the last request to it;
//! 5. the exchange: HTTP/1.1 byte for byte ([`reader`]), or HTTP/2 over TLS where the options allow it.
//!
//! Redirects are not followed. Through a proxy (HTTP, or SOCKS5 that is given names) there is no lookup and no address;
//! literal addresses and `localhost` are refused all the same. A SOCKS5 proxy that is given addresses gets those that
//! were looked up and checked here.
//!
//! Every part is bounded: head, body, silence, time in all, tables. Cost of an HTTP/1.1 exchange on a kept connection:
//! one write, and as many reads as the response has buffers.
//!
//! **Why.** Own HTTP/1.1 reader in `crawl::fetch`: an archive keeps what the server sent, byte for byte, also where it breaks the
//! rules; client libraries show neither raw heads nor broken answers. HTTP/2 goes through hyper.

mod account;
mod accounts;
pub mod address;
mod address_limiter;
mod body_permit;
mod connect;
pub mod cookie_file;
mod cookies;
mod dns;
mod hosts;
mod http1;
mod http2;
mod opening;
mod options;
mod outcome;
mod page_headers;
mod proxies;
mod proxy;
pub mod reader;
mod request;
mod socks;
mod state;
mod tls;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::runtime::Handle;

pub use self::account::Account;
pub use self::options::{DnsOptions, FetchOptions};
pub use self::outcome::{Failure, Fetched, Method, Received, Request};

use self::state::FetchState;
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Response};

/// Decides by status and media type (lower-case, empty: none) whether a body is wanted.
pub type Accept<'a> = &'a (dyn Fn(u16, &str) -> bool + Sync);
/// Decides whether an address is in the scope of the crawl.
pub type AddressScope = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// The client of a process; clones share everything.
#[derive(Clone)]
pub struct Fetcher {
    shared: Arc<FetcherState>,
}

struct FetcherState {
    options: FetchOptions,
    scope: Option<AddressScope>,
    template: request::Template,
    proxies: proxies::Proxies,
    pool: hosts::Pool,
    dns: Arc<dns::Dns>,
    address_limiter: address_limiter::AddressLimiter,
    body_permits: body_permit::BodyPermits,
    hosts: Arc<hosts::Hosts>,
    tls: tls::Tls,
    cookies: cookies::Cookies,
    /// Hosts that speak only HTTP/2 (`true`), or HTTP/1.1 alone although they refuse it in words.
    insisting: Mutex<HashSet<(Box<str>, bool)>>,
    /// Whether IPv6 has worked: where it never did, that an address has no route is no outage.
    ipv6: AtomicBool,
    runtime: OnceLock<Handle>,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl Fetcher {
    /// A client. `address_scope`: further limits on addresses.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Config`]: settings that cannot work, certificates or name servers that cannot be used.
    /// [`webmill_capture::error::Error::Io`]: the file of certificates cannot be read.
    pub fn new(options: &FetchOptions, address_scope: Option<AddressScope>) -> Result<Fetcher> {
        options.check()?;
        let keep = Duration::from_millis(options.keep_alive_ms);
        let shared = FetcherState {
            scope: address_scope,
            template: request::Template::new(options)?,
            proxies: proxies::Proxies::new(options.proxy.as_deref(), &options.no_proxy)?,
            pool: hosts::Pool::new(keep, options.max_idle),
            dns: Arc::new(dns::Dns::new(&options.dns)?),
            address_limiter: address_limiter::AddressLimiter::new(
                Duration::from_millis(options.ip_delay_ms.unwrap_or(0)),
                options.ip_patience_ms.map(Duration::from_millis),
            ),
            body_permits: body_permit::BodyPermits::new(options.small_body_bytes, options.large_bodies_bytes),
            hosts: hosts::Hosts::new(keep, options.max_idle),
            tls: tls::Tls::new(options)?,
            cookies: cookies::Cookies::of(options)?,
            insisting: Mutex::default(),
            ipv6: AtomicBool::new(false),
            runtime: Handle::try_current().map_or_else(|_| OnceLock::new(), OnceLock::from),
            options: options.clone(),
        };
        Ok(Fetcher { shared: Arc::new(shared) })
    }

    /// Fetches a URL. Waits while another fetch of the same host is in flight.
    pub async fn fetch(&self, request: Request<'_>) -> Fetched {
        self.fetch_for_page(request, &[]).await
    }

    /// As [`Fetcher::fetch`], with headers that a rendered page set, names lower-case: its cookies come beside ours, its `accept` in
    /// place of ours, others where we send none of the name.
    pub async fn fetch_for_page(&self, request: Request<'_>, headers: &[(String, String)]) -> Fetched {
        let mut state = FetchState::new(headers);
        let result = self.shared.fetch(&request, &mut state).await;
        if let Ok(received) = &result {
            self.shared.cookies.offer(request.url, &received.raw[..received.head_len]);
        }
        let elapsed = state.clock.elapsed();
        Fetched { started_ms: state.started_ms, elapsed, ip: state.ip, sent: state.sent, result }
    }

    /// Looks a host up ahead. Never blocks; does nothing when too many lookups are under way, through a proxy, and
    /// before the first fetch if the client was made outside of a runtime.
    pub fn prefetch(&self, host: &str) {
        if self.shared.proxies.resolve(host) {
            return;
        }
        if let Some(runtime) = Handle::try_current().ok().as_ref().or(self.shared.runtime.get()) {
            self.shared.dns.prefetch(host, runtime);
        }
    }

    /// From now on cookies of the site of `host` (its registrable domain) are taken and sent back, also where the settings
    /// take none; false where there are too many such sites.
    pub fn admit_cookies(&self, host: &str) -> bool {
        self.shared.cookies.admit(host)
    }

    /// Takes the cookies that a response to `url` sets, as if its site had been admitted before; `head`: the response up
    /// to its body. How many there were that the rules allow.
    pub fn take_cookies(&self, url: &CanonicalUrl, head: &[u8]) -> usize {
        self.shared.cookies.store(url, &Response::parse(head))
    }

    /// Closes the connections that wait for another request.
    #[cfg(test)]
    pub(crate) fn close_idle(&self) {
        self.shared.hosts.close_idle();
        self.shared.pool.close_idle();
    }
}
