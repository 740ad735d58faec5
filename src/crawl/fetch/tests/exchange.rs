//! Byte for byte what the server sent; connections used again.

use super::*;

/// What a server sends before it closes, what of it is the response (`None`: all), and whether curl reads it too.
type Case = (&'static [u8], Option<&'static [u8]>, bool);

const RESPONSES: &[Case] = &[
    (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello", None, true),
    (b"HTTP/1.1 200 All  is WELL, thanks \xe4\xb8\xad\r\nX-b: 1\r\nx-A:2\r\nX-B:  3  \r\nCONTENT-length: 1\r\n\r\na", None, true),
    (b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na", None, true),
    (b"HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\na", None, true),
    (b"HTTP/1.1 200 OK\nContent-Length: 1\nX: y\n\na", None, true),
    (b"HTTP/1.1 404 Not Found\r\nX-Folded: a\r\n b\r\n\tc\r\nContent-Length: 2\r\n\r\nno", None, true),
    (b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 1\r\n\r\na", None, false),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;name=\"val ue\"\r\nhello\r\n00;last\r\nX-Trailer: 1\r\nY: 2\r\n\r\n", None, false),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n00a\r\n, world ok\r\n0\r\n\r\n", None, true),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n", None, true),
    (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", None, true),
    (b"HTTP/1.0 200 OK\r\nServer: old\r\n\r\nuntil\0the\r\n\r\nend", None, true),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcdef", Some(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"), true),
    (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n\x1f\x8b\x08\0\0\0", None, true),
    (b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\nsurprise!", Some(b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n"), true),
    (b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 9\r\n\r\n", None, true),
    (b"HTTP/1.1 301 Moved Permanently\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", None, true),
    (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Oops\r\nContent-Length: 1\r\n\r\na", Some(b"HTTP/1.1 500 Oops\r\nContent-Length: 1\r\n\r\na"), false),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n<p>", None, false),
    (b"\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", None, false),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na", None, false),
    (b"HTTP/1.1 999 Request denied\r\nContent-Length: 1\r\n\r\na", None, true),
];

async fn table() -> Server {
    Server::start(|_, text| {
        let number = text.split(['/', ' ']).find_map(|word| word.parse::<usize>().ok()).unwrap();
        vec![send(RESPONSES[number].0), Do::Close]
    })
    .await
}

#[tokio::test]
async fn kept_as_sent() {
    let server = table().await;
    let client = client(&local());
    for (number, (sent, kept, _)) in RESPONSES.iter().enumerate() {
        let url = server.url(&format!("/{number}"));
        let got = client.fetch(get(&url)).await;
        let received = got.result.unwrap_or_else(|f| panic!("{number}: {f:?}"));
        assert_eq!(
            received.raw,
            kept.unwrap_or(sent),
            "{number}: {}",
            String::from_utf8_lossy(&received.raw)
        );
        assert_eq!(received.truncated, None, "{number}");
        let stored = Response::parse(&received.raw);
        assert_eq!(stored.status, Some(received.status), "{number}");
        assert_eq!(stored.body.len(), received.raw.len() - received.head_len, "{number}");
        assert_eq!(got.ip, Some(IpAddr::from([127, 0, 0, 1])));
        let seen = server.requests().pop().unwrap();
        assert_eq!(seen.text.as_bytes(), got.sent, "{number}");
    }
}

#[tokio::test]
async fn one_connection_serves_a_host() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let client = client(&local());
    let url = server.url("/");
    for _ in 0..5 {
        assert!(client.fetch(get(&url)).await.result.is_ok());
    }
    assert!(server.requests().iter().all(|seen| seen.connection == 0));
    assert!(!server.requests()[0].text.contains("Connection"));
    // Not to be kept.
    let got = client.fetch(Request { keep: false, ..get(&url) }).await;
    assert!(got.result.is_ok());
    assert!(server.requests()[5].text.contains("Connection: close\r\n"));
    client.fetch(get(&url)).await.result.unwrap();
    assert_eq!(server.requests()[6].connection, 1);
    assert_eq!(server.most.load(Ordering::SeqCst), 1);
    // Closed on request, and when its time is over.
    assert_eq!(client.shared.hosts.idle(), 1);
    client.close_idle();
    assert_eq!(client.shared.hosts.idle(), 0);
}

#[tokio::test]
async fn never_two_connections_to_a_host() {
    let server = Server::start(|_, _| vec![Do::Pause(5), send(OK)]).await;
    let other = Server::start(|_, _| vec![send(OK)]).await;
    let client = client(&local());
    let tasks: Vec<_> = (0..20)
        .map(|i| {
            let (client, url) = (client.clone(), server.url(&format!("/{i}")));
            tokio::spawn(async move {
                let fetch = client.fetch(Request { keep: i % 3 > 0, ..get(&url) });
                // Some are given up on the way.
                let limit = Duration::from_millis(if i % 5 == 0 { 12 } else { 5_000 });
                tokio::time::timeout(limit, fetch).await.is_ok_and(|got| got.result.is_ok())
            })
        })
        .collect();
    let mut done = 0;
    for task in tasks {
        done += usize::from(task.await.unwrap());
    }
    assert!(done >= 16, "{done}");
    assert_eq!(server.most.load(Ordering::SeqCst), 1);
    // Another port of the host: the idle connection is closed before.
    assert!(client.fetch(get(&server.url("/"))).await.result.is_ok());
    assert_eq!(client.shared.hosts.idle(), 1);
    assert!(client.fetch(get(&other.url("/"))).await.result.is_ok());
    assert_eq!(client.shared.hosts.idle(), 1);
    let before = server.requests().last().unwrap().connection;
    assert!(client.fetch(get(&server.url("/"))).await.result.is_ok());
    assert!(server.requests().last().unwrap().connection > before);
}

#[tokio::test]
async fn dead_idle_connections_are_replaced() {
    // The first connection is closed after a response.
    let server = Server::start(move |connection, _| match connection {
        0 => vec![send(OK), Do::Close],
        _ => vec![send(OK)],
    })
    .await;
    let client = client(&local());
    client.fetch(get(&server.url("/1"))).await.result.unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    client.fetch(get(&server.url("/2"))).await.result.unwrap();
    assert_eq!(server.requests().last().unwrap().connection, 1);
    // One that dies of a request is not: the server saw it, and another one has to wait for the host's delay.
    for end in [Do::Close, Do::Reset] {
        let server = Server::start(move |connection, text| match (connection, text.starts_with("GET /2 ")) {
            (0, true) => vec![end.clone()],
            _ => vec![send(OK)],
        })
        .await;
        let client = super::client(&local());
        client.fetch(get(&server.url("/1"))).await.result.unwrap();
        assert_eq!(client.fetch(get(&server.url("/2"))).await.result, Err(Failure::Disconnect));
        assert_eq!(server.requests().len(), 2);
        client.fetch(get(&server.url("/2"))).await.result.unwrap();
        assert_eq!(server.requests().last().unwrap().connection, 1);
    }
    // A response that was begun is no reason to ask again.
    let server = Server::start(|_, text| match text.starts_with("GET /1 ") {
        true => vec![send(OK)],
        false => vec![send("HTTP/1.1 200"), Do::Close],
    })
    .await;
    let client = super::client(&local());
    client.fetch(get(&server.url("/1"))).await.result.unwrap();
    assert_eq!(client.fetch(get(&server.url("/2"))).await.result, Err(Failure::Disconnect));
    assert_eq!(server.requests().len(), 2);
    // Surplus bytes: not used again.
    let server = Server::start(|_, _| vec![send([OK, b"HTTP/1.1 200 OK\r\n"].concat())]).await;
    for _ in 0..3 {
        assert_eq!(client.fetch(get(&server.url("/"))).await.result.unwrap().raw, OK);
    }
    assert_eq!(server.requests().last().unwrap().connection, 2);
    // Surplus bytes that come later.
    let server = Server::start(|_, _| vec![send(OK), Do::Pause(20), send("late")]).await;
    for _ in 0..3 {
        assert_eq!(client.fetch(get(&server.url("/"))).await.result.unwrap().raw, OK);
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    assert_eq!(server.requests().last().unwrap().connection, 2);
}

#[tokio::test]
async fn idle_connections_end() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let client = client(&FetchOptions { keep_alive_ms: 40, max_idle: 3, ..local() });
    for i in 0..6 {
        let url = CanonicalUrl::parse(&format!("http://h{i}.test:{}/", server.address.port())).unwrap();
        client.fetch(get(&url)).await.result.unwrap();
        assert!(client.shared.hosts.idle() <= 3);
    }
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(client.shared.hosts.idle(), 0);
}

#[tokio::test]
async fn unwanted_bodies_are_left() {
    let server = Server::start(|_, text| match text.starts_with("GET /big ") {
        true => vec![
            send("HTTP/1.1 200 OK\r\nContent-Type: Video/MP4; x\r\nContent-Length: 999999999\r\n\r\n"),
            Do::Endless(vec![0; 9999]),
        ],
        false => vec![send(OK)],
    })
    .await;
    let client = client(&local());
    let accept = |status: u16, media: &str| {
        assert!((status, media) == (200, "video/mp4") || media.is_empty());
        media.is_empty()
    };
    let url = server.url("/big");
    let received = client.fetch(Request { accept: Some(&accept), ..get(&url) }).await.result.unwrap();
    assert!(received.refused_by_accept);
    assert_eq!(received.truncated, Some(Truncation::Unspecified));
    assert!(received.raw.ends_with(b"999999999\r\n\r\n") && received.head_len == received.raw.len());
    let url = server.url("/");
    let received = client.fetch(Request { accept: Some(&accept), ..get(&url) }).await.result.unwrap();
    assert_eq!(received.raw, OK);
    // A short one that is there already costs no connection.
    let nothing = |_: u16, _: &str| false;
    let received = client.fetch(Request { accept: Some(&nothing), ..get(&url) }).await.result.unwrap();
    assert_eq!(received.raw, OK[..OK.len() - 2]);
    client.fetch(get(&url)).await.result.unwrap();
    assert_eq!(server.requests().last().unwrap().connection, 1);
}
