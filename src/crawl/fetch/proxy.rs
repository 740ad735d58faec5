//! The proxy of a crawl: its address, and tunnels through it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use data_encoding::BASE64;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::Failure;
use super::request::unescape;
use webmill_capture::error::{Error, Result};

/// Longest head of an answer to CONNECT.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// How long the addresses of a proxy are kept.
const KEPT: Duration = Duration::from_secs(60);

/// Where a proxy is and who we are to it.
#[derive(Debug)]
pub(super) struct Proxy {
    host: String,
    port: u16,
    /// Value of Proxy-Authorization.
    pub credentials: Option<String>,
    addresses: Mutex<Option<(Instant, Vec<SocketAddr>)>>,
}

impl Proxy {
    /// Reads `http://[user:password@]host[:port]`; the port is 80 where none is given.
    pub(super) fn parse(text: &str) -> Result<Proxy> {
        let bad = |why: &str| Error::Config(format!("proxy: {text:?} {why}"));
        let text_with_scheme;
        let full = if text.contains("://") {
            text
        } else {
            text_with_scheme = format!("http://{text}");
            &text_with_scheme
        };
        let url = url::Url::parse(full).map_err(|_| bad("is no URL"))?;
        if url.scheme() != "http" {
            return Err(bad("must begin with http://"));
        }
        let host = url.host_str().ok_or_else(|| bad("names no host"))?;
        let credentials = (!url.username().is_empty() || url.password().is_some()).then(|| {
            let mut plain = unescape(url.username());
            plain.push(b':');
            plain.extend_from_slice(&unescape(url.password().unwrap_or_default()));
            format!("Basic {}", BASE64.encode(&plain))
        });
        Ok(Proxy {
            host: host.trim_matches(|c| c == '[' || c == ']').to_string(),
            port: url.port().unwrap_or(80),
            credentials,
            addresses: Mutex::new(None),
        })
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

    /// Asks for a tunnel to a host. That there is none is the host's failure, but for 407.
    pub(super) async fn tunnel(
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
        for bad in ["https://x", "socks5://x:1", "", "http://"] {
            assert!(Proxy::parse(bad).is_err(), "{bad}");
        }
    }
}
