//! What a server says of every request that it answered.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// Is told of every request.
pub type RequestLog = Arc<dyn Fn(&LoggedRequest) + Send + Sync>;

/// A request and how it ended. As text it is a line: time, peer, method, target, status, bytes, microseconds, and `broken`
/// where it was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoggedRequest {
    /// Who asked.
    pub peer: Option<IpAddr>,
    /// HTTP method of the request.
    pub method: String,
    /// Path and query string as sent.
    pub target: String,
    /// Status of the answer.
    pub status: u16,
    /// Bytes of its body.
    pub bytes: u64,
    /// Microseconds until the answer was complete.
    pub micros: u64,
    /// Why the answer is not whole: the connection or a limit broke it off.
    pub broken: bool,
    /// Milliseconds since 1970 when it came.
    pub at_ms: i64,
}

impl fmt::Display for LoggedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peer = self.peer.map_or_else(|| "-".to_owned(), |peer| peer.to_string());
        // Foreign bytes: nothing that could begin a line of its own or tell a terminal what to do.
        let target = self.target.replace(|c: char| c.is_control() || c == ' ', "?");
        let time = webmill_capture::date::format_rfc3339(self.at_ms);
        let LoggedRequest { method, status, bytes, micros, .. } = self;
        let broken = if self.broken { " broken" } else { "" };
        write!(f, "{time} {peer} {method} {target} {status} {bytes} {micros}{broken}")
    }
}
