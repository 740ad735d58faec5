//! A server that is all hosts of a [`Site`], a simulated Web for one: HTTP proxy and plain server in one.
//!
//! **What.** A request with an absolute URL is served as a proxy does; one with a path as the server that `Host` names
//! does. What happens then is the plan of the [`Site`], as [`SimWeb::answer`] makes it: delays, drips, endless bodies,
//! resets. A host that cannot be reached is, through the proxy, 502 or 504 with `X-Proxy-Error: dns`, `connect` or
//! `timeout`; on a plain connection, which cannot be refused any more, it is a close without a word. CONNECT is answered
//! 501: there is no TLS here.
//!
//! **Algorithm.** One thread with a runtime of its own. Requests are read by `httparse`; answers go out in one write where they fit.
//!
//! **Cost.** A few microseconds a request besides the page. Memory: the head that is being read, the answer that is being
//! sent; the counter of attempts is bounded and forgets all when it is full (passing trouble then comes again).

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use xxhash_rust::xxh3::xxh3_64;

use webmill_capture::error::{Error, Result};

use super::serve_log::{Happening, LoggedRequest, Recording};
use super::serve_request::{Read, Request, read_request};
use super::{Answer, Ending, Rest, SimWeb, SynthPage};

/// URLs whose attempts are counted.
const MAX_COUNTED: usize = 1 << 20;

/// How long a connection may be idle.
const IDLE: Duration = Duration::from_secs(60);

/// How long a connection may hang where the plan says that it does.
const HANG: Duration = Duration::from_secs(600);

/// What a request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestHead<'a> {
    /// HTTP method of the request.
    pub method: &'a str,
    /// Absolute URL.
    pub url: &'a str,
    /// Which request for this URL it is, from 0.
    pub attempt: u32,
    /// Value of `If-None-Match`.
    pub if_none_match: Option<&'a str>,
    /// Value of `If-Modified-Since`.
    pub if_modified_since: Option<&'a str>,
}

/// What a server serves: an answer for every absolute URL.
pub trait Site: Send + Sync {
    /// Writes the answer to the request number `attempt` (from 0) for `url` into buffers that are used again.
    fn answer_into(&self, method: &str, url: &str, attempt: u32, scratch: &mut SynthPage, out: &mut Answer);

    /// [`Site::answer_into`] for a request with all that it says.
    fn answer_request(&self, asking: &RequestHead<'_>, scratch: &mut SynthPage, out: &mut Answer) {
        self.answer_into(asking.method, asking.url, asking.attempt, scratch, out);
    }

    /// Whether the answer to this URL depends on the attempt; where it does not, attempts are not counted.
    fn depends_on_attempt(&self, _url: &str) -> bool {
        false
    }
}

impl Site for SimWeb {
    fn answer_into(&self, method: &str, url: &str, attempt: u32, scratch: &mut SynthPage, out: &mut Answer) {
        SimWeb::answer_into(self, method, url, attempt, scratch, out);
    }

    fn answer_request(&self, asking: &RequestHead<'_>, scratch: &mut SynthPage, out: &mut Answer) {
        SimWeb::answer_into(self, asking.method, asking.url, asking.attempt, scratch, out);
        SimWeb::condition(asking, out);
    }

    fn depends_on_attempt(&self, url: &str) -> bool {
        SimWeb::depends_on_attempt(self, url)
    }
}

/// How to serve.
#[derive(Clone)]
pub struct ServeOptions {
    /// Where to listen. Default 127.0.0.1, any free port.
    pub address: SocketAddr,
    /// Hears of everything. Default none.
    pub recorder: Option<Arc<Recording>>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), recorder: None }
    }
}

/// A running server. It stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
    state: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    connections: AtomicU64,
    requests: AtomicU64,
}

struct State {
    site: Box<dyn Site>,
    recorder: Option<Arc<Recording>>,
    counts: Arc<Counts>,
    attempts: Mutex<HashMap<u64, u32>>,
}

impl Server {
    /// Starts serving.
    ///
    /// # Errors
    /// [`Error::Config`] where the address cannot be listened on.
    ///
    /// # Examples
    /// ```
    /// use std::io::{Read, Write};
    /// use webmill_sim::{ServeOptions, Server, SimConfig, SimWeb};
    /// let sim = SimWeb::new(SimConfig::plain(100, 10, 1))?;
    /// let seed = sim.seeds().next().expect("a seed");
    /// let server = Server::start(sim, ServeOptions::default())?;
    /// let mut client = std::net::TcpStream::connect(server.address()).expect("a listener");
    /// write!(client, "GET {seed} HTTP/1.1\r\nConnection: close\r\n\r\n").expect("sent");
    /// let mut answer = Vec::new();
    /// client.read_to_end(&mut answer).expect("received");
    /// assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn start(site: impl Site + 'static, options: ServeOptions) -> Result<Server> {
        let counts = Arc::new(Counts::default());
        let state = Arc::new(State {
            recorder: options.recorder,
            counts: counts.clone(),
            attempts: Mutex::default(),
            site: Box::new(site),
        });
        let failed = |e: io::Error| {
            Error::Config(format!("a simulated Web cannot listen on {}: {e}", options.address))
        };
        let (stop, stopped) = watch::channel(false);
        let (report, reported) = mpsc::channel();
        let work = move || run(state, options.address, stopped, &report);
        let thread = std::thread::Builder::new().name("simweb".into()).spawn(work).map_err(failed)?;
        let bound = reported.recv().map_err(|e| Error::Internal(format!("a server thread died: {e}")))?;
        Ok(Server { address: bound.map_err(failed)?, stop, thread: Some(thread), state: counts })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://address`: what a client's proxy setting takes.
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::Relaxed)
    }

    /// Connections so far.
    pub fn connections(&self) -> u64 {
        self.state.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread: its runtime, its listener.
fn run(
    state: Arc<State>,
    address: SocketAddr,
    mut stopped: watch::Receiver<bool>,
    report: &mpsc::Sender<io::Result<SocketAddr>>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            let _ = report.send(Err(e));
            return;
        }
    };
    runtime.block_on(async {
        let listener = match listen(address) {
            Ok(listener) => listener,
            Err(e) => {
                let _ = report.send(Err(e));
                return;
            }
        };
        let _ = report.send(listener.local_addr());
        tokio::select! {
            () = accept(&state, &listener) => {}
            _ = stopped.wait_for(|stop| *stop) => {}
        }
    });
    // Open connections end with the runtime.
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(4096)
}

async fn accept(state: &Arc<State>, listener: &TcpListener) {
    loop {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                // Out of file descriptors, or the client is gone already.
                Err(_) => sleep(Duration::from_millis(5)).await,
            }
        };
        let _ = stream.set_nodelay(true);
        let number = state.counts.connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(connection(state.clone(), stream, number));
    }
}

async fn connection(state: Arc<State>, mut stream: TcpStream, number: u64) {
    if let Some(recorder) = &state.recorder {
        recorder.push(Instant::now(), Happening::Opened(number));
    }
    let ending = converse(&state, &mut stream, number).await.unwrap_or(Ending::Reset);
    match ending {
        Ending::Hang => hang(&mut stream).await,
        Ending::Reset => {
            let _ = stream.set_zero_linger();
        }
        Ending::Keep | Ending::Close => {
            let _ = stream.shutdown().await;
            part(&mut stream).await;
        }
    }
    drop(stream);
    if let Some(recorder) = &state.recorder {
        recorder.push(Instant::now(), Happening::Closed(number));
    }
}

/// Reads until the client leaves.
async fn hang(stream: &mut TcpStream) {
    let mut waste = [0; 1024];
    let leave = async { while stream.read(&mut waste).await.is_ok_and(|n| n > 0) {} };
    let _ = timeout(HANG, leave).await;
}

/// Reads for a moment what the client still sends: closing with unread bytes would reset the connection and could
/// take the answer away from it.
async fn part(stream: &mut TcpStream) {
    let mut waste = [0; 4096];
    let mut left = 256;
    let leave = async {
        while left > 0 && stream.read(&mut waste).await.is_ok_and(|n| n > 0) {
            left -= 1;
        }
    };
    let _ = timeout(Duration::from_millis(500), leave).await;
}

async fn converse(state: &State, stream: &mut TcpStream, number: u64) -> io::Result<Ending> {
    let mut input: Vec<u8> = Vec::new();
    while let Some(request) = next_request(stream, &mut input).await? {
        let arrived = Instant::now();
        let (keep, head_only) = (request.keep, request.method == "HEAD");
        let answer = answer(state, request, number, arrived);
        let sent = send(stream, &answer, head_only).await;
        if let Some(recorder) = &state.recorder {
            recorder.push(Instant::now(), Happening::Answered(number));
        }
        let ending = answer.ending;
        if answer.message.capacity() <= 1 << 16 {
            ANSWERS.with_borrow_mut(|answers| answers.push(answer));
        }
        sent?;
        match ending {
            Ending::Keep if keep => {}
            Ending::Keep => return Ok(Ending::Close),
            ending => return Ok(ending),
        }
    }
    Ok(Ending::Close)
}

/// Reads a request, and throws its body away; `None` if the client leaves, or sends none.
async fn next_request(stream: &mut TcpStream, input: &mut Vec<u8>) -> io::Result<Option<Request>> {
    loop {
        let request = match read_request(input) {
            Read::Request(request) => request,
            Read::More => {
                input.reserve(2048);
                match timeout(IDLE, stream.read_buf(input)).await {
                    Ok(Ok(n)) if n > 0 => continue,
                    Ok(Err(e)) => return Err(e),
                    _ => return Ok(None),
                }
            }
            Read::Bad(status) => {
                let mut answer = Answer::default();
                answer.error(status, "Connection: close\r\n");
                timeout(IDLE, stream.write_all(&answer.message)).await??;
                return Ok(None);
            }
        };
        let used = request.head + request.body;
        while input.len() < used {
            match timeout(IDLE, stream.read_buf(input)).await {
                Ok(Ok(n)) if n > 0 => {}
                _ => return Ok(None),
            }
        }
        input.drain(..used);
        if input.is_empty() {
            *input = Vec::new(); // a connection that waits holds no memory
        }
        return Ok(Some(request));
    }
}

/// What the site says to a request, which is recorded.
fn answer(state: &State, request: Request, number: u64, arrived: Instant) -> Answer {
    state.counts.requests.fetch_add(1, Ordering::Relaxed);
    let attempt = attempt(state, &request.url);
    let mut answer = ANSWERS.with_borrow_mut(Vec::pop).unwrap_or_default();
    SCRATCH.with_borrow_mut(|scratch| {
        let asking = RequestHead {
            method: &request.method,
            url: &request.url,
            attempt,
            if_none_match: request.if_none_match.as_deref(),
            if_modified_since: request.if_modified_since.as_deref(),
        };
        state.site.answer_request(&asking, scratch, &mut answer);
    });
    if answer.by_proxy && !request.proxy {
        answer.nothing(Ending::Close);
    }
    if let Some(recorder) = &state.recorder {
        let host = SimWeb::split(&request.url).map_or("", |(host, _)| host).to_owned();
        let asked = LoggedRequest {
            connection: number,
            method: request.method,
            host,
            url: request.url,
            user_agent: request.user_agent,
            attempt,
            status: answer.status,
            if_none_match: request.if_none_match,
            if_modified_since: request.if_modified_since,
        };
        recorder.push(arrived, Happening::Asked(asked));
    }
    answer
}

thread_local! {
    /// Buffers of answers that were sent.
    static ANSWERS: RefCell<Vec<Answer>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: RefCell<SynthPage> = RefCell::default();
}

/// Which request for this URL it is.
fn attempt(state: &State, url: &str) -> u32 {
    if !state.site.depends_on_attempt(url) {
        return 0;
    }
    let mut attempts = state.attempts.lock().unwrap_or_else(PoisonError::into_inner);
    if attempts.len() >= MAX_COUNTED {
        attempts.clear();
    }
    let count = attempts.entry(xxh3_64(url.as_bytes())).or_default();
    *count += 1;
    *count - 1
}

async fn send(stream: &mut TcpStream, answer: &Answer, head_only: bool) -> io::Result<()> {
    if answer.delay_ms > 0 {
        sleep(Duration::from_millis(answer.delay_ms.into())).await;
    }
    let message = if head_only { &answer.message[..answer.head_len] } else { &answer.message };
    timeout(IDLE, stream.write_all(message)).await??;
    if head_only {
        return Ok(());
    }
    match &answer.rest {
        Rest::None => {}
        Rest::Repeat { piece, times, end } => {
            let mut left = times.unwrap_or(u64::MAX);
            while left > 0 {
                timeout(IDLE, stream.write_all(piece)).await??;
                left -= u64::from(times.is_some());
            }
            timeout(IDLE, stream.write_all(end)).await??;
        }
        Rest::Drip { pieces, every_ms, endless } => loop {
            for piece in pieces {
                sleep(Duration::from_millis(u64::from(*every_ms).max(1))).await;
                timeout(IDLE, stream.write_all(piece)).await??;
            }
            if !endless {
                break;
            }
        },
    }
    Ok(())
}
