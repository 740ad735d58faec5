//! HTTP/2 against a server that writes its frames by hand.

use tokio_rustls::server::TlsStream;

use super::tls::{Identity, listen, trusting};
use super::*;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A frame (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Headers as literals that are not indexed (RFC 7541, section 6.2.2).
fn headers(lines: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    lines.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

fn ok(stream: u32, body: &[u8]) -> Vec<Do> {
    let head = frame(HEADERS, END_HEADERS, stream, &headers(&[(":status", "200"), ("x", "y")]));
    vec![send(head), send(frame(DATA, END_STREAM, stream, body))]
}

/// Answers each request on a connection with what the script says for its number and stream.
async fn serve(mut io: TlsStream<TcpStream>, script: impl Fn(usize, u32) -> Vec<Do>) {
    let mut preface = [0; 24];
    io.read_exact(&mut preface).await.unwrap();
    assert_eq!(&preface, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    io.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
    let mut number = 0;
    let mut head = [0; 9];
    while io.read_exact(&mut head).await.is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let mut payload = vec![0; length];
        if io.read_exact(&mut payload).await.is_err() {
            return;
        }
        match (head[3], head[4]) {
            (SETTINGS, 0) => io.write_all(&frame(SETTINGS, 1, 0, &[])).await.unwrap(),
            (HEADERS, flags) => {
                assert_eq!(flags & END_STREAM, END_STREAM, "a GET has no body");
                for action in script(number, stream) {
                    if !perform(&mut io, action).await {
                        return;
                    }
                }
                number += 1;
            }
            _ => {}
        }
    }
}

/// A server of both protocols; `log` gets the protocol of each connection.
async fn both(
    identity: &Identity,
    protocols: &[&[u8]],
    one: Vec<Do>,
    two: impl Fn(usize, u32) -> Vec<Do> + Clone + Send + Sync + 'static,
) -> (u16, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let port = listen(identity.acceptor(protocols), {
        let log = log.clone();
        move |_, mut stream| {
            let chosen = stream.get_ref().1.alpn_protocol().unwrap_or_default().to_vec();
            log.lock().unwrap().push(String::from_utf8(chosen.clone()).unwrap());
            let (one, two) = (one.clone(), two.clone());
            async move {
                if chosen == b"h2" {
                    return serve(stream, two).await;
                }
                while read_request(&mut stream).await.is_some() {
                    for action in one.clone() {
                        if !perform(&mut stream, action).await {
                            return;
                        }
                    }
                }
            }
        }
    })
    .await;
    (port, log)
}

fn page(port: u16) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("https://a.test:{port}/p?q")).unwrap()
}

#[tokio::test]
async fn written_in_the_form_of_http1() {
    let identity = Identity::of("a.test");
    let (port, log) = both(&identity, &[b"h2"], vec![], |number, stream| {
        let lines = [
            (":status", if number == 0 { "404" } else { "299" }),
            ("server", "by hand"),
            ("content-type", "text/html"),
            ("set-cookie", "a=1"),
            ("x-last", ""),
        ];
        vec![
            send(frame(HEADERS, END_HEADERS, stream, &headers(&lines))),
            send(frame(DATA, 0, stream, b"hello ")),
            Do::Pause(10),
            send(frame(DATA, 0, stream, b"world")),
            // Trailers.
            send(frame(HEADERS, END_HEADERS | END_STREAM, stream, &headers(&[("t", "1")]))),
        ]
    })
    .await;
    let (options, _folder) = trusting(&identity);
    let client = client(&FetchOptions { cookies: true, ..options });
    for status in ["404 Not Found", "299 "] {
        let got = client.fetch(get(&page(port))).await;
        let received = got.result.unwrap();
        let head = format!(
            "HTTP/1.1 {status}\r\nserver: by hand\r\ncontent-type: text/html\r\nset-cookie: a=1\r\nx-last: \r\n\r\n"
        );
        assert_eq!(String::from_utf8(received.raw).unwrap(), head.clone() + "hello world");
        assert_eq!((received.head_len, received.http2, received.truncated), (head.len(), true, None));
        assert!(got.sent.starts_with(b"GET /p?q HTTP/1.1\r\nHost: a.test:"));
    }
    assert_eq!(*log.lock().unwrap(), ["h2"], "one connection");
}

#[tokio::test]
async fn servers_that_insist() {
    let identity = Identity::of("a.test");
    let (options, _folder) = trusting(&identity);
    // On HTTP/2, by alert: the host is remembered.
    let (port, log) = both(&identity, &[b"h2"], vec![], |_, stream| ok(stream, b"two")).await;
    let needing = client(&options);
    for _ in 0..2 {
        let received = needing.fetch(Request { keep: false, ..get(&page(port)) }).await.result.unwrap();
        assert!(received.http2 && received.raw.ends_with(b"\r\n\r\ntwo"));
        needing.close_idle();
    }
    assert_eq!(*log.lock().unwrap(), ["h2", "h2"], "without another refusal");
    // By status.
    let refusal = "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Length: 0\r\n\r\n";
    let (port, log) =
        both(&identity, &[b"h2", b"http/1.1"], vec![send(refusal)], |_, stream| ok(stream, b"two")).await;
    let needing = client(&options);
    // Nothing more at once: the host has its delay.
    assert_eq!(needing.fetch(get(&page(port))).await.result, Err(Failure::Version("HTTP/2")));
    assert_eq!(*log.lock().unwrap(), ["http/1.1"]);
    for _ in 0..2 {
        let received = needing.fetch(get(&page(port))).await.result.unwrap();
        assert!(received.http2 && received.raw.ends_with(b"two"), "{received:?}");
    }
    assert_eq!(*log.lock().unwrap(), ["http/1.1", "h2"]);
    // A 505 from one that has nothing else stays.
    let (port, log) = both(&identity, &[b"http/1.1"], vec![send(refusal)], |_, _| vec![]).await;
    let needing = client(&options);
    assert_eq!(needing.fetch(get(&page(port))).await.result, Err(Failure::Version("HTTP/2")));
    for _ in 0..2 {
        assert_eq!(needing.fetch(get(&page(port))).await.result.unwrap().status, 505);
        needing.close_idle();
    }
    assert_eq!(*log.lock().unwrap(), ["http/1.1"; 3]);
    // On HTTP/1.1 where both are spoken.
    let (port, log) = both(&identity, &[b"h2", b"http/1.1"], vec![send(OK)], |_, _| vec![]).await;
    let received = client(&options).fetch(get(&page(port))).await.result.unwrap();
    assert_eq!((received.raw.as_slice(), received.http2), (OK, false));
    assert_eq!(*log.lock().unwrap(), ["http/1.1"]);
}

#[tokio::test]
async fn limits_hold() {
    let identity = Identity::of("a.test");
    let (options, _folder) = trusting(&identity);
    type Answer = fn(u32) -> Vec<Do>;
    let cases: [(&str, Answer, Option<Truncation>, usize); 5] = [
        (
            "closed",
            |s| [ok(s, b"")[..1].to_vec(), vec![send(frame(DATA, 0, s, b"abc")), Do::Close]].concat(),
            Some(Truncation::Disconnect),
            3,
        ),
        (
            "reset",
            |s| {
                [
                    ok(s, b"")[..1].to_vec(),
                    vec![
                        send(frame(DATA, 0, s, b"abc")),
                        Do::Pause(50),
                        send(frame(RESET, 0, s, &[0, 0, 0, 2])),
                    ],
                ]
                .concat()
            },
            Some(Truncation::Disconnect),
            3,
        ),
        (
            "silent",
            |s| [ok(s, b"")[..1].to_vec(), vec![send(frame(DATA, 0, s, b"abc"))]].concat(),
            Some(Truncation::Time),
            3,
        ),
        (
            "long",
            |s| [ok(s, b"")[..1].to_vec(), vec![Do::Endless(frame(DATA, 0, s, &[b'x'; 999]))]].concat(),
            Some(Truncation::Length),
            5000,
        ),
        ("exact", |s| ok(s, &[b'x'; 5000]), None, 5000),
    ];
    for (name, answer, truncated, length) in cases {
        let (port, _) = both(&identity, &[b"h2"], vec![], move |_, stream| answer(stream)).await;
        let client = client(&options);
        let url = page(port);
        let got = client.fetch(Request { max_body_bytes: 5000, ..get(&url) }).await;
        let received = got.result.unwrap_or_else(|f| panic!("{name}: {f:?}"));
        assert_eq!(
            (received.truncated, received.raw.len() - received.head_len),
            (truncated, length),
            "{name}"
        );
        assert_eq!(client.shared.hosts.idle(), usize::from(truncated.is_none()), "{name}");
    }
    for (answer, name) in [
        ((|_| vec![Do::Close]) as Answer, "disconnect"),
        (|_| vec![], "timeout"),
        (|s| vec![send(frame(RESET, 0, s, &[0, 0, 0, 2]))], "protocol-error"),
        (|_| vec![send(b"\xff\xff\xff garbage garbage garbage")], "protocol-error"),
    ] {
        let (port, _) = both(&identity, &[b"h2"], vec![], move |_, stream| answer(stream)).await;
        let got = client(&options).fetch(get(&page(port))).await;
        assert_eq!(got.result.as_ref().unwrap_err().name(), name, "{got:?}");
    }
    // Left by the head.
    let (port, _) = both(&identity, &[b"h2"], vec![], |_, stream| ok(stream, b"unwanted")).await;
    let (url, nothing) = (page(port), |_: u16, _: &str| false);
    let got = client(&options).fetch(Request { accept: Some(&nothing), ..get(&url) }).await.result.unwrap();
    assert!(got.refused_by_accept && got.raw.len() == got.head_len);
}
