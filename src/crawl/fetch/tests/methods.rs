//! Methods besides GET, and the User-Agent.

use super::*;

#[tokio::test]
async fn a_head_has_no_body_and_the_connection_stays() {
    let server = Server::start(|_, text| match text.starts_with("HEAD /chunked ") {
        true => vec![send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")],
        false if text.starts_with("HEAD ") => {
            vec![send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000000\r\n\r\n")]
        }
        false => vec![send(OK)],
    })
    .await;
    let client = client(&local());
    for path in ["/", "/chunked", "/"] {
        let url = server.url(path);
        let got = client.fetch(Request { method: Method::Head, ..get(&url) }).await;
        assert!(String::from_utf8(got.sent).unwrap().starts_with(&format!("HEAD {path} HTTP/1.1\r\n")));
        let received = got.result.unwrap();
        assert_eq!((received.status, received.truncated), (200, None));
        assert_eq!(received.raw.len(), received.head_len);
    }
    let url = server.url("/");
    assert_eq!(client.fetch(get(&url)).await.result.unwrap().raw, OK);
    assert!(server.requests().iter().all(|seen| seen.connection == 0));
}

#[tokio::test]
async fn a_site_that_asks_for_a_cookie_is_read_once_it_is_admitted() {
    // A redirect to itself, until the cookie comes back.
    let server = Server::start(|_, text| {
        if text.contains("Cookie: seen=1\r\n") {
            return vec![send(OK)];
        }
        vec![send(
            "HTTP/1.1 302 Found\r\nLocation: /\r\nSet-Cookie: seen=1; Path=/\r\nContent-Length: 0\r\n\r\n",
        )]
    })
    .await;
    let client = client(&local());
    let url = server.url("/");
    for _ in 0..2 {
        let received = client.fetch(get(&url)).await.result.unwrap();
        assert_eq!(received.status, 302, "cookies are off");
    }
    let received = client.fetch(get(&url)).await.result.unwrap();
    assert_eq!(client.take_cookies(&url, &received.raw[..received.head_len]), 1);
    assert_eq!(client.fetch(get(&url)).await.result.unwrap().status, 200);
    // Others still have none.
    let other = CanonicalUrl::parse(&format!("http://b.example:{}/", server.address.port())).unwrap();
    for _ in 0..2 {
        assert_eq!(client.fetch(get(&other)).await.result.unwrap().status, 302);
    }
}

#[tokio::test]
async fn a_host_comes_back_for_its_turn_at_a_busy_address() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let options = FetchOptions { ip_delay_ms: Some(1_000), ip_patience_ms: Some(50), ..local() };
    let client = client(&options);
    let at =
        |host: &str| CanonicalUrl::parse(&format!("http://{host}.test:{}/", server.address.port())).unwrap();
    let (a, b) = (at("a"), at("b"));
    client.fetch(get(&a)).await.result.unwrap();
    let got = client.fetch(get(&b)).await;
    let Err(failure @ Failure::AddressBusy { wait_ms }) = got.result else { panic!("{got:?}") };
    assert!((1..=1_001).contains(&wait_ms) && got.sent.is_empty());
    assert!(failure.retry() && !failure.is_outage());
    // Who asks meanwhile is behind it.
    let Err(Failure::AddressBusy { wait_ms: later }) = client.fetch(get(&a)).await.result else { panic!() };
    assert!(later > wait_ms);
    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
    assert!(client.fetch(get(&b)).await.result.is_ok());
    // The connection of a host that was sent away is kept.
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    assert!(client.fetch(get(&a)).await.result.is_ok());
    assert_eq!(server.requests().pop().unwrap().connection, 0);
}
