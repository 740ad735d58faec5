//! Metrics of a running crawl, in the text form that Prometheus reads.
//!
//! **What.** [`exposition`] makes the text of a [`Snapshot`]; [`Metrics`] serves the newest one to `GET /metrics`. Nothing else is
//! answered but with an error; heads are bounded in size and time, and so are connections.
//!
//! **Reference.** Prometheus text exposition format 0.0.4, prometheus.io/docs/instrumenting/exposition_formats.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::engine::Snapshot;
use webmill_capture::error::{Error, Result};

/// Longest head of a request, bytes.
const MAX_HEAD_BYTES: usize = 8 << 10;
/// Connections at once.
const MOST_CONNECTIONS: usize = 16;
/// How long a request and its answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The newest metrics of a crawl, to be asked for.
#[derive(Clone)]
pub struct Metrics {
    address: SocketAddr,
    text: Arc<Mutex<String>>,
}

impl Metrics {
    /// Listens at an address, for as long as the runtime lives.
    ///
    /// # Errors
    /// [`Error::Config`] where nobody can listen there.
    pub fn serve(address: SocketAddr, runtime: &tokio::runtime::Handle) -> Result<Metrics> {
        let wrong = |e: std::io::Error| Error::Config(format!("metrics at {address}: {e}"));
        let listener = std::net::TcpListener::bind(address).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let entered = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener).map_err(wrong)?;
        drop(entered);
        let text = Arc::new(Mutex::new(String::new()));
        let shown = text.clone();
        runtime.spawn(async move {
            let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
            loop {
                // Never closed, so that a permit comes when another goes.
                let Ok(permit) = room.clone().acquire_owned().await else { return };
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let shown = shown.clone();
                tokio::spawn(async move {
                    // Who is slow or gone is not waited for.
                    let _ = tokio::time::timeout(PATIENCE, answer(stream, &shown)).await;
                    drop(permit);
                });
            }
        });
        Ok(Metrics { address, text })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Shows a newer look.
    pub fn show(&self, snapshot: &Snapshot) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = exposition(snapshot);
    }
}

async fn answer(mut stream: TcpStream, shown: &Mutex<String>) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    let status = loop {
        if head.windows(4).any(|end| end == b"\r\n\r\n") {
            break status_of(&head);
        }
        if head.len() > MAX_HEAD_BYTES {
            break "431 Request Header Fields Too Large";
        }
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            n => head.extend_from_slice(&buffer[..n]),
        }
    };
    let body = match status {
        "200 OK" => shown.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        _ => format!("{status}\n"),
    };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

fn status_of(head: &[u8]) -> &'static str {
    let line = head.split(|b| *b == b'\r').next().unwrap_or_default();
    let mut words = line.split(|b| *b == b' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some(b"GET"), Some(path), Some(b"HTTP/1.1" | b"HTTP/1.0"), None) => {
            match path.split(|b| *b == b'?').next() {
                Some(b"/metrics" | b"/") => "200 OK",
                _ => "404 Not Found",
            }
        }
        (Some(method), Some(_), Some(_), None) if method.iter().all(u8::is_ascii_uppercase) => {
            "405 Method Not Allowed"
        }
        _ => "400 Bad Request",
    }
}

struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP webmill_crawl_{name} {help}\n# TYPE webmill_crawl_{name} {kind}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.family(name, kind, help);
        let _ = writeln!(self.0, "webmill_crawl_{name} {value}");
    }

    fn labelled<'a>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        label: &str,
        values: impl Iterator<Item = (&'a str, u64)>,
    ) {
        self.family(name, kind, help);
        for (text, value) in values {
            let _ = writeln!(self.0, "webmill_crawl_{name}{{{label}=\"{}\"}} {value}", escaped(text));
        }
    }
}

/// The value of a label: backslash, quote and line feed are escaped.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// A look at a crawl as text.
pub fn exposition(s: &Snapshot) -> String {
    let mut text = Text(String::with_capacity(4096));
    let (t, f) = (&s.totals, &s.frontier);
    text.one("pages_stored_total", "counter", "Pages stored since the crawl began.", t.stored);
    text.one("received_bytes_total", "counter", "Bytes received since the crawl began.", t.bytes);
    text.one("requests_total", "counter", "Requests answered or failed since the crawl began.", t.fetched);
    text.labelled("events_total", "counter", "Events by outcome.", "outcome", t.outcomes.iter());
    text.labelled(
        "refused_total",
        "counter",
        "References not followed, by reason.",
        "reason",
        t.refused.iter(),
    );
    if !t.rules.is_empty() {
        text.labelled(
            "rules_total",
            "counter",
            "Pages that rules took part in, links that they led along, pages that they looked at again.",
            "what",
            t.rules.iter(),
        );
    }
    text.labelled("given_up", "gauge", "URLs given up, by outcome.", "outcome", t.given_up.iter());
    text.one("pages_per_second", "gauge", "Pages stored a second, lately.", s.pages_per_second);
    text.one("bytes_per_second", "gauge", "Bytes received a second, lately.", s.bytes_per_second);
    text.one("in_flight_requests", "gauge", "Requests on their way.", s.in_flight);
    text.one("urls_seen", "gauge", "URLs known.", f.seen);
    text.one("urls_queued", "gauge", "URLs waiting, those being fetched among them.", f.queued);
    let hosts = [
        ("active", f.hosts_leased),
        ("ready", f.hosts_ready),
        ("waiting", f.hosts_waiting),
        ("parked", f.hosts_parked),
    ];
    text.labelled("hosts", "gauge", "Hosts with a queue, by what they do.", "state", hosts.into_iter());
    text.one("hosts_in_trouble", "gauge", "Hosts whose last answer was none or a refusal.", s.troubled_hosts);
    let parked = s.operated.parked.len();
    text.one("hosts_parked_by_operator", "gauge", "Hosts that an operator parked.", parked);
    text.one("paused", "gauge", "Whether an operator lets the crawl pause.", u8::from(s.paused));
    text.one("elapsed_seconds", "gauge", "Seconds since the crawl was opened.", s.elapsed.as_secs_f64());
    text.one("idle_seconds", "gauge", "Seconds since the last answer came in.", s.idle.as_secs_f64());
    let memory = s.operated.memory_bytes;
    text.one(
        "memory_limit_bytes",
        "gauge",
        "Bytes that the frontier and the bodies on their way may use.",
        memory,
    );
    if let Some(bytes) = s.resident_bytes {
        text.one("resident_memory_bytes", "gauge", "Bytes that the process holds in memory.", bytes);
    }
    text.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::io::{Read, Write};

    /// Reads an exposition as strictly as its grammar says: every sample after the TYPE of its family, no family or sample
    /// twice, names and values well formed.
    fn parse(text: &str) -> Vec<(String, f64)> {
        assert!(text.ends_with('\n'));
        let name_ok = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
        };
        let (mut families, mut samples, mut family) = (HashSet::new(), Vec::new(), String::new());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                family = help.split(' ').next().unwrap().to_owned();
                assert!(families.insert(family.clone()), "{family} twice");
                let kind = lines.next().unwrap().strip_prefix(&format!("# TYPE {family} ")).unwrap();
                assert!(["counter", "gauge"].contains(&kind), "{line}");
                assert_eq!(kind == "counter", family.ends_with("_total"), "{family}");
                continue;
            }
            let (series, value) = line.rsplit_once(' ').unwrap();
            let name = series.split('{').next().unwrap();
            assert!(name == family && name_ok(name), "{line}");
            if let Some(label) = series.strip_prefix(name).filter(|label| !label.is_empty()) {
                let label = label.strip_prefix('{').and_then(|l| l.strip_suffix("\"}")).unwrap();
                let (key, value) = label.split_once("=\"").unwrap();
                assert!(name_ok(key), "{line}");
                assert!(!value.replace("\\\\", "").replace("\\\"", "").contains('"'), "{line}");
            }
            samples.push((series.to_owned(), value.parse().unwrap()));
        }
        let different: HashSet<&String> = samples.iter().map(|(series, _)| series).collect();
        assert_eq!(different.len(), samples.len());
        samples
    }

    fn snapshot() -> Snapshot {
        let mut snapshot = Snapshot::default();
        snapshot.totals.stored = 7;
        snapshot.totals.outcomes.add("stored");
        snapshot.totals.outcomes.add("a \"quoted\\ name\n");
        snapshot.frontier.hosts_parked = 3;
        snapshot.resident_bytes = Some(5);
        snapshot
    }

    #[test]
    fn the_text_is_what_its_grammar_asks_for() {
        let samples = parse(&exposition(&snapshot()));
        let value = |series: &str| samples.iter().find(|(name, _)| name == series).map(|(_, value)| *value);
        assert_eq!(value("webmill_crawl_pages_stored_total"), Some(7.0));
        assert_eq!(value("webmill_crawl_events_total{outcome=\"stored\"}"), Some(1.0));
        assert_eq!(value("webmill_crawl_hosts{state=\"parked\"}"), Some(3.0));
        assert!(samples.len() > 15, "{}", samples.len());
        parse(&exposition(&Snapshot::default()));
    }

    #[test]
    fn whoever_asks_well_gets_the_text_and_others_an_error() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let metrics = Metrics::serve("127.0.0.1:0".parse().unwrap(), runtime.handle()).unwrap();
        metrics.show(&snapshot());
        let ask = |request: &[u8]| {
            let mut stream = std::net::TcpStream::connect(metrics.address()).unwrap();
            let _ = stream.write_all(request);
            let mut said = String::new();
            let _ = stream.read_to_string(&mut said);
            said
        };
        // They hold connections open, and say nothing.
        let silent: Vec<_> =
            (0..5).map(|_| std::net::TcpStream::connect(metrics.address()).unwrap()).collect();
        let said = ask(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        let (head, body) = said.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains(&format!("Content-Length: {}", body.len())));
        assert!(!parse(body).is_empty());
        let long = [b"GET /metrics HTTP/1.1\r\nX: ", &b"x".repeat(MAX_HEAD_BYTES)[..]].concat();
        for (request, status) in [
            (&b"GET /secret HTTP/1.1\r\n\r\n"[..], "404"),
            (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
            (b"\x00\x01 x\r\n\r\n", "400"),
            (b"GET /metrics\r\n\r\n", "400"),
            (&long, "431"),
        ] {
            let said = ask(request);
            assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{said}");
        }
        drop(silent);
    }
}
