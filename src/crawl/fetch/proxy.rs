//! The proxy of a crawl: its address, and tunnels through it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::address::undotted;
use super::socks::{self, Target};
use super::{Failure, account, address};
use webmill_capture::error::{Error, Result};

/// Longest head of an answer to CONNECT.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// How long the addresses of a proxy are kept.
const KEPT: Duration = Duration::from_secs(60);

/// What a proxy speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// HTTP: http URLs in absolute form, tunnels by CONNECT.
    Http,
    /// SOCKS5 to names.
    SocksNames,
    /// SOCKS5 to addresses that were looked up here.
    SocksAddresses,
}

/// Where a proxy is and who we are to it.
#[derive(Debug)]
pub(super) struct Proxy {
    kind: Kind,
    host: String,
    port: u16,
    /// Value of Proxy-Authorization.
    pub credentials: Option<String>,
    /// User name and password for SOCKS.
    account: Option<(Vec<u8>, Vec<u8>)>,
    addresses: Mutex<Option<(Instant, Vec<SocketAddr>)>>,
}

impl Proxy {
    /// Reads `SCHEME://[user:password@]host[:port]`: `http` (port 80 where none is given), `socks5`, `socks5h` (1080).
    pub(super) fn parse(text: &str) -> Result<Proxy> {
        // The text may hold a password.
        let shown = text.rsplit_once('@').map_or(text, |(_, place)| place);
        let bad = |why: &str| Error::Config(format!("proxy: {shown:?} {why}"));
        let text_with_scheme;
        let full = if text.contains("://") {
            text
        } else {
            text_with_scheme = format!("http://{text}");
            &text_with_scheme
        };
        let url = url::Url::parse(full).map_err(|_| bad("is no URL"))?;
        let (kind, port) = match url.scheme() {
            "http" => (Kind::Http, 80),
            "socks5" => (Kind::SocksAddresses, 1080),
            "socks5h" => (Kind::SocksNames, 1080),
            _ => return Err(bad("must begin with http://, socks5:// or socks5h://")),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| bad("names no host"))?;
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).collect::<Vec<u8>>();
        let account = (!url.username().is_empty() || url.password().is_some())
            .then(|| (decoded(url.username()), decoded(url.password().unwrap_or_default())));
        let credentials =
            account.as_ref().map(|(user, password)| account::basic(&[user, &b":"[..], password].concat()));
        Ok(Proxy {
            kind,
            host: host.trim_matches(|c| c == '[' || c == ']').to_string(),
            port: url.port().unwrap_or(port),
            credentials,
            account,
            addresses: Mutex::new(None),
        })
    }

    /// Whether http URLs are asked from it in absolute form.
    pub(super) fn speaks_http(&self) -> bool {
        self.kind == Kind::Http
    }

    /// Whether it is given addresses, not names.
    pub(super) fn wants_addresses(&self) -> bool {
        self.kind == Kind::SocksAddresses
    }

    #[cfg(test)]
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Addresses of the proxy, by the resolver of the system.
    pub(super) async fn addresses(&self) -> Result<Vec<SocketAddr>, Failure> {
        if let Ok(ip) = self.host.parse() {
            return Ok(vec![SocketAddr::new(ip, self.port)]);
        }
        let now = Instant::now();
        let known = self.addresses.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, addresses)) = known.filter(|(until, _)| *until > now) {
            return Ok(addresses);
        }
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let addresses: Vec<SocketAddr> =
            found.map_err(|e| Failure::Proxy(format!("{}: {e}", self.host)))?.take(8).collect();
        *self.addresses.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((now + KEPT, addresses.clone()));
        Ok(addresses)
    }

    /// Asks for a connection to a host, to one of `checked` where it wants addresses. That there is none is the host's
    /// failure, but for what the proxy says of itself.
    pub(super) async fn tunnel(
        &self,
        stream: &mut TcpStream,
        (host, port): (&str, u16),
        checked: Option<SocketAddr>,
        user_agent: &str,
    ) -> Result<(), Failure> {
        let literal = address::literal(host).map(|ip| SocketAddr::new(ip, port));
        match (self.kind, checked.or(literal)) {
            (Kind::Http, _) => self.connect(stream, host, port, user_agent).await,
            (_, Some(address)) => {
                socks::connect(stream, self.account.as_ref(), Target::Address(address)).await
            }
            (_, None) => {
                socks::connect(stream, self.account.as_ref(), Target::Name(undotted(host), port)).await
            }
        }
    }

    /// Asks for a tunnel by CONNECT.
    async fn connect(
        &self,
        stream: &mut TcpStream,
        host: &str,
        port: u16,
        user_agent: &str,
    ) -> Result<(), Failure> {
        let mut request =
            format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\nUser-Agent: {user_agent}\r\n");
        if let Some(credentials) = &self.credentials {
            request.push_str("Proxy-Authorization: ");
            request.push_str(credentials);
            request.push_str("\r\n");
        }
        request.push_str("\r\n");
        // Who answers at all is there: what goes wrong from here on is mostly about the host.
        let broken = |e: std::io::Error| Failure::Connect(format!("tunnel: {e}"));
        stream.write_all(request.as_bytes()).await.map_err(broken)?;
        let mut answer = Vec::with_capacity(512);
        loop {
            let end = memchr::memmem::find(&answer, b"\r\n\r\n")
                .map(|at| at + 4)
                .or_else(|| memchr::memmem::find(&answer, b"\n\n").map(|at| at + 2));
            if let Some(end) = end {
                let response = webmill_capture::Response::parse(&answer[..end]);
                return match response.status {
                    Some(100 | 102..=199) => {
                        answer.drain(..end);
                        continue;
                    }
                    // Behind a tunnel the client speaks first: what came already is not from the host.
                    Some(200..=299) if answer.len() == end => Ok(()),
                    Some(200..=299) => Err(Failure::Connect("data before the tunnel".into())),
                    Some(status) => {
                        let reason = &response.reason[..response.reason.len().min(100)];
                        let text = format!("no tunnel: {status} {}", String::from_utf8_lossy(reason));
                        Err(if status == 407 { Failure::Proxy(text) } else { Failure::Connect(text) })
                    }
                    None => Err(Failure::Connect("no tunnel: not HTTP".into())),
                };
            }
            if answer.len() > MAX_ANSWER_BYTES {
                return Err(Failure::Connect("no tunnel: endless head".into()));
            }
            if stream.read_buf(&mut answer).await.map_err(broken)? == 0 {
                return Err(Failure::Connect("no tunnel: connection closed".into()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let proxy = Proxy::parse("http://user:p%40ss@proxy.example:3128/").unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 3128));
        assert_eq!(proxy.credentials.as_deref(), Some("Basic dXNlcjpwQHNz"));
        let proxy = Proxy::parse("127.0.0.1:8080").unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port, proxy.credentials), ("127.0.0.1", 8080, None));
        assert_eq!(Proxy::parse("http://[::1]").unwrap().host, "::1");
        let socks = Proxy::parse("socks5h://u:p%20w@[::1]").unwrap();
        assert_eq!((socks.kind, socks.port, socks.host.as_str()), (Kind::SocksNames, 1080, "::1"));
        assert_eq!(socks.account, Some((b"u".to_vec(), b"p w".to_vec())));
        assert!(Proxy::parse("socks5://x:1").unwrap().wants_addresses());
        for bad in ["https://x", "socks4://x:1", "", "http://", "socks5://"] {
            assert!(Proxy::parse(bad).is_err(), "{bad}");
        }
        let error = Proxy::parse("ftp://me:hush@x").unwrap_err().to_string();
        assert!(!error.contains("hush"), "{error}");
    }
}
