//! Limits on size and time, ends that come too early, servers that speak something else.

use super::*;

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

#[tokio::test]
async fn truncation() {
    let cases: Vec<(&str, Vec<Do>, Option<Truncation>, usize)> = vec![
        ("short", vec![send(HEAD), send("abc"), Do::Close], Some(Truncation::Disconnect), 3),
        ("reset", vec![send(HEAD), send("abc"), Do::Pause(50), Do::Reset], Some(Truncation::Disconnect), 3),
        ("silent", vec![send(HEAD), send("abc"), Do::Pause(9_000)], Some(Truncation::Time), 3),
        ("silent from the head on", vec![send(HEAD), Do::Pause(9_000)], Some(Truncation::Time), 0),
        ("chunk cut", vec![send(CHUNKED), send("5\r\nabc"), Do::Close], Some(Truncation::Disconnect), 6),
        (
            "no last chunk",
            vec![send(CHUNKED), send("3\r\nabc\r\n"), Do::Close],
            Some(Truncation::Disconnect),
            8,
        ),
        ("last chunk", vec![send(CHUNKED), send("3\r\nabc\r\n0\r\n"), Do::Close], None, 11),
        (
            "reset, open end",
            vec![send("HTTP/1.1 200 OK\r\n\r\nabc"), Do::Pause(50), Do::Reset],
            Some(Truncation::Disconnect),
            3,
        ),
        (
            "exactly the limit",
            vec![send("HTTP/1.1 200 OK\r\n\r\n"), send([b'x'; 1000]), Do::Close],
            None,
            1000,
        ),
        (
            "one more",
            vec![send("HTTP/1.1 200 OK\r\n\r\n"), send([b'x'; 1001]), Do::Close],
            Some(Truncation::Length),
            1000,
        ),
        (
            "long",
            vec![send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"), send([b'x'; 1001])],
            Some(Truncation::Length),
            1000,
        ),
        (
            "chunked",
            vec![send(CHUNKED), Do::Endless(b"5\r\nhello\r\n".to_vec())],
            Some(Truncation::Length),
            1000,
        ),
        (
            "endless",
            vec![send("HTTP/1.0 200 OK\r\n\r\n"), Do::Endless(vec![b'x'; 5000])],
            Some(Truncation::Length),
            1000,
        ),
        (
            "dripping",
            vec![send("HTTP/1.0 200 OK\r\n\r\n"), Do::Drip(vec![b'x'; 999], 100)],
            Some(Truncation::Time),
            0,
        ),
    ];
    let scripts: Vec<Vec<Do>> = cases.iter().map(|case| case.1.clone()).collect();
    let server = Server::start(move |_, text| {
        let number = text.split(['/', ' ']).find_map(|word| word.parse::<usize>().ok()).unwrap();
        scripts[number].clone()
    })
    .await;
    let client = client(&local());
    let tasks: Vec<_> = (0..cases.len())
        .map(|number| {
            let (client, port) = (client.clone(), server.address.port());
            let url = CanonicalUrl::parse(&format!("http://h{number}.test:{port}/{number}")).unwrap();
            tokio::spawn(async move { client.fetch(Request { max_body_bytes: 1000, ..get(&url) }).await })
        })
        .collect();
    for (task, (name, _, truncated, length)) in tasks.into_iter().zip(cases) {
        let got = task.await.unwrap();
        let received = got.result.unwrap_or_else(|f| panic!("{name}: {f:?}"));
        assert_eq!(received.truncated, truncated, "{name}");
        let body = received.raw.len() - received.head_len;
        if name == "dripping" {
            assert!((5..=40).contains(&body), "{body}");
            assert!(got.elapsed >= Duration::from_millis(1_900) && got.elapsed < Duration::from_secs(4));
        } else {
            assert_eq!(body, length, "{name}");
        }
    }
    assert_eq!(client.shared.hosts.idle(), 0);
}

#[tokio::test]
async fn failures() {
    let cases: Vec<(Vec<Do>, Failure)> = vec![
        (vec![Do::Close], Failure::Disconnect),
        (vec![Do::Reset], Failure::Disconnect),
        (vec![send("HTTP/1.1 200 OK\r\nA: b\r\n"), Do::Close], Failure::Disconnect),
        (vec![send("HTTP/1.1 200 OK\r\nA: b\r\n"), Do::Pause(50), Do::Reset], Failure::Disconnect),
        (vec![Do::Pause(9_000)], Failure::Timeout("response")),
        (vec![send("HTTP/1.1 200 OK\r\n"), Do::Pause(9_000)], Failure::Timeout("response")),
        (vec![send("HTTP/1.1 200 OK\r\n"), Do::Drip(vec![b'x'; 999], 100)], Failure::Timeout("response")),
        (
            vec![send("HTTP/1.1 200 OK\r\n"), Do::Endless(b"A: b\r\n".to_vec())],
            Failure::Protocol("the head is longer than 256 KiB".into()),
        ),
        (
            vec![Do::Endless(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec())],
            Failure::Protocol("the head is longer than 256 KiB".into()),
        ),
        (vec![send("SSH-2.0-OpenSSH_9.0\r\n")], Failure::Protocol("no status line".into())),
    ];
    let scripts: Vec<Vec<Do>> = cases.iter().map(|case| case.0.clone()).collect();
    let server = Server::start(move |_, text| {
        let number = text.split(['/', ' ']).find_map(|word| word.parse::<usize>().ok()).unwrap();
        scripts[number].clone()
    })
    .await;
    let client = client(&local());
    let tasks: Vec<_> = (0..cases.len())
        .map(|number| {
            let (client, port) = (client.clone(), server.address.port());
            let url = CanonicalUrl::parse(&format!("http://h{number}.test:{port}/{number}")).unwrap();
            tokio::spawn(async move { client.fetch(get(&url)).await })
        })
        .collect();
    for (number, (task, (_, failure))) in tasks.into_iter().zip(cases).enumerate() {
        assert_eq!(task.await.unwrap().result, Err(failure), "{number}");
    }
}

#[tokio::test]
async fn nobody_there() {
    let client = client(&local());
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let url = CanonicalUrl::parse(&format!("http://a.test:{port}/")).unwrap();
    let got = client.fetch(get(&url)).await;
    assert!(matches!(got.result, Err(Failure::Connect(_))), "{got:?}");
    assert_eq!(got.ip, Some(IpAddr::from([127, 0, 0, 1])));
    for (url, name) in [
        ("mailto:a@b.example", "protocol-error"),
        ("ftp://a.test/", "protocol-error"),
        ("http://a.test:25/", "protocol-error"),
        ("https://a.test:22/", "protocol-error"),
    ] {
        let url = CanonicalUrl::parse(url).unwrap();
        let got = client.fetch(get(&url)).await;
        assert_eq!(got.result.unwrap_err().name(), name, "{url:?}");
        assert!(got.sent.is_empty());
    }
}

#[tokio::test]
async fn bodies_that_wait_for_a_permit() {
    let server = Server::start(|_, text| match text.starts_with("GET /endless ") {
        true => {
            vec![send("HTTP/1.0 200 OK\r\n\r\n"), send(vec![b'x'; 2 << 20]), Do::Drip(vec![b'x'; 999], 100)]
        }
        false => vec![send("HTTP/1.0 200 OK\r\n\r\n"), send(vec![b'y'; 3 << 20]), Do::Close],
    })
    .await;
    let options = FetchOptions { large_bodies_bytes: 1 << 20, total_ms: 1_000, ..local() };
    let client = client(&options);
    let at = |host: &str, path: &str| {
        CanonicalUrl::parse(&format!("http://{host}.test:{}/{path}", server.address.port())).unwrap()
    };
    let endless = {
        let (client, url) = (client.clone(), at("a", "endless"));
        // Dropped at its end: its permit comes back.
        tokio::spawn(async move { client.fetch(get(&url)).await.result.map(|received| received.truncated) })
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    // It waits until the other's time is over, and has then all of its own.
    let got = client.fetch(get(&at("b", "large"))).await;
    assert_eq!(endless.await.unwrap(), Ok(Some(Truncation::Time)));
    let received = got.result.unwrap();
    assert_eq!((received.truncated, received.raw.len() - received.head_len), (None, 3 << 20));
    // While its body is held nobody else gets one.
    let other = client.fetch(get(&at("c", "large"))).await;
    assert_eq!(other.result.unwrap().truncated, Some(Truncation::Unspecified));
    assert!(other.elapsed >= Duration::from_millis(950) && other.elapsed < Duration::from_millis(2_500));
    drop(received);
}

#[tokio::test]
async fn the_limit_of_pages_is_for_pages() {
    let server =
        Server::start(|_, _| vec![send("HTTP/1.0 200 OK\r\n\r\n"), send([b'x'; 5000]), Do::Close]).await;
    let client = client(&FetchOptions { max_body_bytes: 1000, ..local() });
    let received = client.fetch(get(&server.url("/robots.txt"))).await.result.unwrap();
    assert_eq!((received.truncated, received.raw.len() - received.head_len), (None, 5000));
}
