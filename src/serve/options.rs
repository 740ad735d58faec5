//! What bounds a server and its requests.

use std::time::Duration;

use crate::index::query::Limits;

use crate::log::RequestLog;
use crate::surface::Lang;

/// Bounds and settings of a server. Results never depend on the times among them: those only end a request.
#[derive(Clone)]
pub struct Options {
    /// Listen beyond this machine. Without it, a public address is refused.
    pub allow_remote: bool,
    /// Names by which clients may call the server, beside `localhost` and addresses of this machine. Where a server listens
    /// on this machine alone, requests by other names are refused: a page of the Web cannot reach it by a name of its own.
    /// Empty for a public server: any.
    pub host_names: Vec<String>,
    /// Scheme and authority in links (`https://archive.example`); `None`: what the client called the server.
    pub public_base: Option<String>,
    /// Value of `Access-Control-Allow-Origin`; `None`: scripts of other sites may not read answers.
    pub allow_origin: Option<String>,
    /// Header by which a trusted proxy names the user of access rules (`X-Pywb-ACL-User`); `None`: nobody is named.
    pub user_header: Option<String>,
    /// Whether a trusted proxy names the address that asks (`Forwarded`, `X-Forwarded-For`).
    pub behind_proxy: bool,
    /// Whether captures as stored (`id_`) may load what they name from the live Web when a browser opens them.
    pub raw_open: bool,
    /// Language of pages for people who ask for none by `?lang=`; `None`: what the browser prefers.
    pub lang: Option<Lang>,
    /// Bounds of queries.
    pub limits: Limits,
    /// Longest path and query string, in bytes.
    pub max_url_bytes: usize,
    /// Longest body of a request, in bytes.
    pub max_body_bytes: usize,
    /// Requests at a time that read records or walk over an index.
    pub max_working: usize,
    /// Requests that wait for their turn: of one address half as many.
    pub max_waiting: usize,
    /// Bytes of memory for records that are read and answers that are sent.
    pub memory: u64,
    /// How long a request waits for its turn.
    pub wait_timeout: Duration,
    /// How long a request may take until its answer is complete.
    pub request_timeout: Duration,
    /// How long a connection may take to send the head of a request, or to stay idle.
    pub head_timeout: Duration,
    /// How long a connection may take no byte of an answer, or send none of a body.
    pub stall_timeout: Duration,
    /// Told of every request; `None`: nobody.
    pub log: Option<RequestLog>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            allow_remote: false,
            host_names: Vec::new(),
            public_base: None,
            allow_origin: None,
            user_header: None,
            behind_proxy: false,
            raw_open: false,
            lang: None,
            limits: Limits::default(),
            max_url_bytes: 32 << 10,
            max_body_bytes: 64 << 20,
            max_working: 16,
            max_waiting: 4096,
            memory: 1 << 30,
            wait_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(120),
            head_timeout: Duration::from_secs(15),
            stall_timeout: Duration::from_secs(30),
            log: None,
        }
    }
}
