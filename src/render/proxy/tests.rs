use std::future::Future;
use std::pin::Pin;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::exchange::{Answer, Exchange};

/// Says what it was asked for.
struct EchoExchange;

impl Exchange for EchoExchange {
    fn exchange(
        &self,
        request: PageRequest,
    ) -> Pin<Box<dyn Future<Output = std::result::Result<Answer, NoAnswer>> + Send + '_>> {
        Box::pin(async move {
            match request.url.path() {
                "/refused" => Err(NoAnswer::Refused("robots-denied")),
                "/failed" => Err(NoAnswer::Failed("timeout")),
                _ => Ok(Answer { raw: format!("HTTP/1.0 200 OK\n\n{}", request.url).into() }),
            }
        })
    }
}

fn visit(max_requests: usize) -> Arc<Visit> {
    let url = CanonicalUrl::parse("http://a.example/").unwrap();
    Arc::new(Visit::new(url, Arc::new(EchoExchange), max_requests, 1 << 20))
}

/// Sends a request on a connection of its own, and gives what comes back.
async fn send(proxy: &Proxy, request: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn request(line: &str, credentials: &str, more: &str) -> String {
    format!(
        "{line} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: {credentials}\r\nConnection: close\r\n{more}\r\n"
    )
}

#[tokio::test]
async fn only_pages_get_answers() {
    let proxy = Proxy::start().await.unwrap();
    let stranger =
        send(&proxy, "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n").await;
    assert!(
        stranger.starts_with("HTTP/1.1 407") && stranger.contains("proxy-authenticate: Basic"),
        "{stranger}"
    );
    let stranger = send(&proxy, &request("CONNECT a.example:443", "Basic eDp5", "")).await;
    assert!(stranger.starts_with("HTTP/1.1 407"), "{stranger}");
    let visit = visit(100);
    let credentials = proxy.admit(visit.clone()).unwrap();
    let header = credentials.header();
    let answer = send(&proxy, &request("GET http://b.example/x?y", &header, "")).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("\r\n\r\nhttp://b.example/x?y"),
        "{answer}"
    );
    drop(credentials);
    let late = send(&proxy, &request("GET http://b.example/", &header, "")).await;
    assert!(late.starts_with("HTTP/1.1 407"), "the page is closed: {late}");
}

#[tokio::test]
async fn what_is_no_get_is_refused_and_counted() {
    let proxy = Proxy::start().await.unwrap();
    let visit = visit(3);
    let credentials = proxy.admit(visit.clone()).unwrap();
    let header = credentials.header();
    for (line, more, want) in [
        ("POST http://a.example/x", "Content-Length: 0\r\n", "403"),
        ("GET http://a.example/x", "Upgrade: websocket\r\nConnection: upgrade\r\n", "403"),
        ("GET http://a.example/x", "Service-Worker: script\r\n", "403"),
        ("GET ftp://a.example/x", "", "403"),
        (
            "OPTIONS http://a.example/x",
            "Origin: http://o.example\r\nAccess-Control-Request-Method: GET\r\n",
            "204",
        ),
        (
            "OPTIONS http://a.example/x",
            "Origin: http://o.example\r\nAccess-Control-Request-Method: PUT\r\n",
            "403",
        ),
        ("GET http://a.example/refused", "", "403"),
        ("GET http://a.example/failed", "", "502"),
        ("HEAD http://a.example/x", "", "200"),
        ("GET http://a.example/one-too-many", "", "403"),
    ] {
        let answer = send(&proxy, &request(line, &header, more)).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {want}")), "{line}: {answer}");
        assert!(!answer.contains("http://a.example"), "{line}: {answer}");
    }
    let mut rendered = crate::Rendered::default();
    visit.sum_up(&mut rendered);
    let refused: Vec<(&str, u64)> = rendered.refused.into_iter().collect();
    assert_eq!(
        refused,
        [
            ("bad-url", 1),
            ("method", 2),
            ("page-requests", 1),
            ("robots-denied", 1),
            ("service-worker", 1),
            ("websocket", 1)
        ]
    );
    assert_eq!(rendered.failed.into_iter().collect::<Vec<_>>(), [("timeout", 1)]);
    assert_eq!(rendered.requests.len(), 1);
    assert!(visit.quiet().is_some());
}

#[tokio::test]
async fn rubbish_ends_connections_and_nothing_else() {
    let proxy = Proxy::start().await.unwrap();
    let visit = visit(100);
    let credentials = proxy.admit(visit.clone()).unwrap();
    let header = credentials.header();
    for rubbish in ["\r\n\r\n\0\0\0", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}", &"x".repeat(300_000)] {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).await.unwrap();
        let _ = stream.write_all(rubbish.as_bytes()).await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    // What speaks no TLS in a tunnel is counted.
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).await.unwrap();
    let connect = format!(
        "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\nProxy-Authorization: {header}\r\n\r\n"
    );
    stream.write_all(connect.as_bytes()).await.unwrap();
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200");
    stream.write_all(b"GET /chat HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\n\r\n").await.unwrap();
    let _ = stream.read_to_end(&mut Vec::new()).await;
    let mut rendered = crate::Rendered::default();
    visit.sum_up(&mut rendered);
    assert_eq!(rendered.refused.into_iter().collect::<Vec<_>>(), [("not-tls", 1)]);
    let answer = send(&proxy, &request("GET http://b.example/", &header, "")).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
