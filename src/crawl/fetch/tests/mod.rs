//! The client against servers on loopback that do exactly what a script says.

mod dns;
mod exchange;
mod http2;
mod limits;
mod methods;
mod proxy;
mod socks;
mod tls;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::*;
use webmill_capture::{CanonicalUrl, Truncation};

/// What a server does after a request.
#[derive(Debug, Clone)]
pub(super) enum Do {
    Send(Vec<u8>),
    /// Writes one byte at a time, with a pause after each, in milliseconds.
    Drip(Vec<u8>, u64),
    /// Writes this again and again.
    Endless(Vec<u8>),
    Pause(u64),
    Close,
    /// Closes with a reset.
    Reset,
}

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub(super) struct SeenRequest {
    pub connection: usize,
    pub text: String,
}

/// A scripted server; ends with the runtime of its test.
pub(super) struct Server {
    pub address: SocketAddr,
    pub seen: Arc<Mutex<Vec<SeenRequest>>>,
    /// Most connections that were open at once.
    pub most: Arc<AtomicUsize>,
}

type Script = dyn Fn(usize, &str) -> Vec<Do> + Send + Sync;

impl Server {
    pub async fn start(script: impl Fn(usize, &str) -> Vec<Do> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, most) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (script, open): (Arc<Script>, _) = (Arc::new(script), Arc::new(AtomicUsize::new(0)));
        tokio::spawn({
            let (seen, most) = (seen.clone(), most.clone());
            async move {
                for connection in 0.. {
                    let Ok((stream, _)) = listener.accept().await else { return };
                    let (seen, script, open, most) =
                        (seen.clone(), script.clone(), open.clone(), most.clone());
                    most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::spawn(async move {
                        serve(stream, connection, &seen, &*script).await;
                        open.fetch_sub(1, Ordering::SeqCst);
                    });
                }
            }
        });
        Server { address, seen, most }
    }

    pub fn url(&self, path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.test:{}{path}", self.address.port())).unwrap()
    }

    pub fn requests(&self) -> Vec<SeenRequest> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, connection: usize, seen: &Mutex<Vec<SeenRequest>>, script: &Script) {
    while let Some(text) = read_request(&mut stream).await {
        let actions = script(connection, &text);
        seen.lock().unwrap().push(SeenRequest { connection, text });
        for action in actions {
            if matches!(action, Do::Reset) {
                // Closing with a time of zero to linger sends a reset.
                stream.set_zero_linger().unwrap();
                return;
            }
            if !perform(&mut stream, action).await {
                return;
            }
        }
    }
}

/// Reads to the end of a head.
pub(super) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut data = Vec::new();
    while !data.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => data.push(byte),
            Err(_) => return None,
        }
    }
    Some(String::from_utf8(data).unwrap())
}

/// Does one thing; `false`: the connection is over.
pub(super) async fn perform(stream: &mut (impl AsyncWrite + Unpin), action: Do) -> bool {
    match action {
        Do::Send(bytes) => stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok(),
        Do::Drip(bytes, pause) => {
            for byte in bytes {
                if stream.write_all(&[byte]).await.is_err() || stream.flush().await.is_err() {
                    return false;
                }
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
            true
        }
        Do::Endless(bytes) => {
            while stream.write_all(&bytes).await.is_ok() {}
            false
        }
        Do::Pause(ms) => {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            true
        }
        Do::Close | Do::Reset => {
            let _ = stream.shutdown().await;
            false
        }
    }
}

pub(super) fn send(bytes: impl AsRef<[u8]>) -> Do {
    Do::Send(bytes.as_ref().to_vec())
}

/// Settings for loopback: every name is 127.0.0.1, waits are short.
pub(super) fn local() -> FetchOptions {
    FetchOptions {
        user_agent: "test".into(),
        allow_private: true,
        idle_ms: 400,
        total_ms: 2_000,
        connect_ms: 1_000,
        dns: DnsOptions { hosts: [("*".into(), IpAddr::from([127, 0, 0, 1]))].into(), ..Default::default() },
        ..Default::default()
    }
}

pub(super) fn client(options: &FetchOptions) -> Fetcher {
    Fetcher::new(options, None).unwrap()
}

pub(super) fn get(url: &CanonicalUrl) -> Request<'_> {
    Request {
        url,
        method: Method::Get,
        max_body_bytes: u64::MAX,
        accept: None,
        keep: true,
        conditional: None,
    }
}

pub(super) const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
