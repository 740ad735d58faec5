//! Requests and their outcomes.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use super::Accept;
use super::body_permit::BodyPermit;
use webmill_capture::{CanonicalUrl, Truncation};

webmill_capture::words! {
    /// What is asked of a server.
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub enum Method {
        /// The resource.
        #[default]
        Get = "GET",
        /// The head of the answer alone.
        Head = "HEAD",
    }
}

/// A request to a server.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What to fetch.
    pub url: &'a CanonicalUrl,
    /// How to ask for it.
    pub method: Method,
    /// Longest body taken, in bytes as transferred. The limit of the options is for pages: who asks applies it.
    pub max_body_bytes: u64,
    /// Asked when the head is there; on `false` the body is left.
    pub accept: Option<Accept<'a>>,
    /// Whether the connection may be kept for the next request.
    pub keep: bool,
    /// ETag and Last-Modified of the stored copy; empty: none.
    pub conditional: Option<(&'a str, &'a str)>,
}

/// What came of a request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fetched {
    /// Wall clock when the request began, in milliseconds since 1970.
    pub started_ms: i64,
    /// From the beginning (connecting, or sending on a kept connection; after name lookup and waiting) to the end.
    pub elapsed: Duration,
    /// Address that was asked, or the first one that was tried; `None`: through a proxy, or there was none.
    pub ip: Option<IpAddr>,
    /// The request as sent; of HTTP/2 in the form of HTTP/1.1. Empty: nothing was sent.
    pub sent: Vec<u8>,
    /// The response, or why there is none.
    pub result: Result<Received, Failure>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// Status line, headers, empty line, body as transferred, byte for byte; interim responses left out.
    pub raw: Vec<u8>,
    /// Length of the head with its empty line; 0: there was none (HTTP/0.9).
    pub head_len: usize,
    /// Status; 200 where the server sent none, as in browsers.
    pub status: u16,
    /// Why the body ends early, if it does; of a body that was not wanted [`Truncation::Unspecified`].
    pub truncated: Option<Truncation>,
    /// Came by HTTP/2: `raw` was written in the form of HTTP/1.1.
    pub http2: bool,
    /// [`Request::accept`] did not want the body: `raw` ends with the head.
    pub refused_by_accept: bool,
    /// Memory granted to a large body for as long as this lives.
    pub body_permit: BodyPermit,
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The resolver failed.
    Dns {
        /// What it said, or why it said nothing.
        reason: String,
        /// Whether it answered (SERVFAIL, REFUSED): then the fault is the name's. Else it is silent or out of reach.
        answered: bool,
    },
    /// The name does not exist or has no address.
    NoSuchHost,
    /// An address that is not of the public Web.
    PrivateAddress(IpAddr),
    /// An address outside of the scope.
    AddressOutOfScope(IpAddr),
    /// No connection to any address.
    Connect(String),
    /// No connection because of this machine: it has no network, or no sockets left.
    Local(String),
    /// The server speaks another version of HTTP, which is used from the next request on.
    Version(&'static str),
    /// No trust, or no common ground.
    Tls(String),
    /// The server was silent or slow, in this stage.
    Timeout(&'static str),
    /// The connection ended with no or only part of a head.
    Disconnect,
    /// No HTTP, or no URL that can be asked for.
    Protocol(String),
    /// The proxy cannot be reached or does not know us.
    Proxy(String),
    /// The address has too much to do for other hosts: nothing was asked. The host keeps its turn, which comes after this time.
    AddressBusy {
        /// How long to wait, in milliseconds.
        wait_ms: u64,
    },
}

impl Received {
    /// Whether the answer ended before its end: by the server, the network or for want of time, not by a limit on size.
    pub fn broke_off(&self) -> bool {
        matches!(self.truncated, Some(Truncation::Time | Truncation::Disconnect))
    }
}

impl Failure {
    /// Name of the outcome in the event log.
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Dns { .. } => "dns-failure",
            Failure::NoSuchHost => "no-such-host",
            Failure::PrivateAddress(_) => "private-address",
            Failure::AddressOutOfScope(_) => "out-of-scope",
            Failure::Connect(_) | Failure::Local(_) => "connect-failure",
            Failure::Tls(_) => "tls-failure",
            Failure::Timeout(_) => "timeout",
            Failure::Disconnect => "disconnect",
            Failure::Protocol(_) | Failure::Version(_) => "protocol-error",
            Failure::Proxy(_) => "proxy-failure",
            Failure::AddressBusy { .. } => "retry",
        }
    }

    /// Whether another attempt may go better.
    pub fn retry(&self) -> bool {
        match self {
            Failure::Dns { .. }
            | Failure::Connect(_)
            | Failure::Local(_)
            | Failure::Version(_)
            | Failure::Timeout(_)
            | Failure::Disconnect
            | Failure::AddressBusy { .. }
            | Failure::Proxy(_) => true,
            Failure::NoSuchHost
            | Failure::PrivateAddress(_)
            | Failure::AddressOutOfScope(_)
            | Failure::Tls(_)
            | Failure::Protocol(_) => false,
        }
    }

    /// Whether the server has not seen the request: the failure says nothing about the URL.
    pub fn is_before_request(&self) -> bool {
        match self {
            Failure::Timeout(stage) => matches!(*stage, "connect" | "tls" | "tunnel"),
            other => matches!(other, Failure::Dns { .. } | Failure::Connect(_) | Failure::Version(_)),
        }
    }

    /// Whether the failure is on our side (network, resolver, proxy) and says nothing about the host.
    pub fn is_outage(&self) -> bool {
        matches!(self, Failure::Dns { answered: false, .. } | Failure::Local(_) | Failure::Proxy(_))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Connect(reason)
            | Failure::Local(reason)
            | Failure::Tls(reason)
            | Failure::Protocol(reason) => f.write_str(reason),
            Failure::Version(wanted) => write!(f, "the server wants {wanted}"),
            Failure::Dns { reason, .. } => write!(f, "resolver: {reason}"),
            Failure::Proxy(reason) => write!(f, "proxy: {reason}"),
            Failure::PrivateAddress(ip) | Failure::AddressOutOfScope(ip) => write!(f, "{ip}"),
            Failure::Timeout(stage) => write!(f, "timeout: {stage}"),
            Failure::NoSuchHost => f.write_str("no address"),
            Failure::Disconnect => f.write_str("connection closed without a response"),
            Failure::AddressBusy { wait_ms } => write!(f, "the address is busy for {wait_ms} ms"),
        }
    }
}
