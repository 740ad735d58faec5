//! What a server says of every request that it answered.

use std::io::Write;
use std::net::IpAddr;
use std::sync::Mutex;

/// A request and how it ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Logged {
    /// Who asked.
    pub peer: Option<IpAddr>,
    /// Method.
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

/// Is told of every request.
pub trait RequestLog: Send + Sync {
    /// Takes note.
    fn log(&self, request: &Logged);
}

/// Writes a line a request: time, peer, method, target, status, bytes, microseconds, and `broken` where it was.
pub struct LineLog<W: Write + Send> {
    out: Mutex<W>,
}

impl<W: Write + Send> LineLog<W> {
    /// Writes to `out`; lines that it does not take are lost.
    pub fn new(out: W) -> LineLog<W> {
        LineLog { out: Mutex::new(out) }
    }
}

impl<W: Write + Send> RequestLog for LineLog<W> {
    fn log(&self, request: &Logged) {
        let peer = request.peer.map_or_else(|| "-".to_owned(), |peer| peer.to_string());
        // Foreign bytes: nothing that could begin a line of its own or tell a terminal what to do.
        let target: String =
            request.target.chars().map(|c| if c.is_control() || c == ' ' { '?' } else { c }).collect();
        let line = format!(
            "{} {peer} {} {target} {} {} {}{}\n",
            webmill_capture::date::format_rfc3339(request.at_ms),
            request.method,
            request.status,
            request.bytes,
            request.micros,
            if request.broken { " broken" } else { "" }
        );
        if let Ok(mut out) = self.out.lock() {
            let _ = out.write_all(line.as_bytes());
        }
    }
}
