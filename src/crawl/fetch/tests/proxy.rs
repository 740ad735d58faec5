//! Through a proxy.

use super::*;

fn through(server: &Server) -> FetchOptions {
    let mut options = local();
    options.dns = DnsOptions { servers: vec!["127.0.0.1:9".into()], ..Default::default() };
    options.proxy = Some(format!("http://u:p@{}", server.address));
    options.allow_private = false;
    options
}

#[tokio::test]
async fn absolute_form() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let client = client(&through(&server));
    for (url, line) in [
        ("http://a.test/x?y", "GET http://a.test/x?y HTTP/1.1\r\nHost: a.test\r\n"),
        ("http://b.test:8080/", "GET http://b.test:8080/ HTTP/1.1\r\nHost: b.test:8080\r\n"),
        ("http://me@c.test/", "GET http://c.test/ HTTP/1.1\r\nHost: c.test\r\n"),
    ] {
        let url = CanonicalUrl::parse(url).unwrap();
        let got = client.fetch(get(&url)).await;
        assert_eq!((got.result.unwrap().raw.as_slice(), got.ip), (OK, None));
        let seen = server.requests().pop().unwrap();
        assert!(seen.text.starts_with(line), "{}", seen.text);
        assert!(seen.text.contains("Proxy-Authorization: Basic dTpw\r\n"), "{}", seen.text);
        assert_eq!(seen.connection, 0, "one connection for all hosts");
    }
    // What is inside for the proxy is refused here; the proxy itself is not.
    for url in ["http://127.0.0.1/", "http://localhost/", "http://[fd00::1]/", "https://10.0.0.1/"] {
        let url = CanonicalUrl::parse(url).unwrap();
        assert!(matches!(client.fetch(get(&url)).await.result, Err(Failure::PrivateAddress(_))));
    }
}

#[tokio::test]
async fn a_connection_for_each_host() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let client = client(&FetchOptions { share_proxy: false, ..through(&server) });
    for (host, connection) in [("a", 0), ("b", 1), ("a", 0), ("b", 1)] {
        let url = CanonicalUrl::parse(&format!("http://{host}.test/")).unwrap();
        client.fetch(get(&url)).await.result.unwrap();
        assert_eq!(server.requests().pop().unwrap().connection, connection);
    }
}

#[tokio::test]
async fn dead_connections_to_the_proxy() {
    let server = Server::start(|connection, text| match (connection, text.contains("/second")) {
        (0, true) => vec![Do::Reset],
        _ => vec![send(OK)],
    })
    .await;
    let client = client(&through(&server));
    let url = |path: &str| CanonicalUrl::parse(&format!("http://a.test/{path}")).unwrap();
    assert!(client.fetch(get(&url("first"))).await.result.is_ok());
    // The host may have seen it: nothing is sent again before its delay.
    assert_eq!(client.fetch(get(&url("second"))).await.result, Err(Failure::Disconnect));
    assert_eq!(server.requests().len(), 2);
    assert!(client.fetch(get(&url("second"))).await.result.is_ok());
    assert_eq!(server.requests().pop().unwrap().connection, 1);
}

#[tokio::test]
async fn tunnels_that_fail() {
    let server = Server::start(|_, text| {
        assert!(text.starts_with("CONNECT "), "{text}");
        assert!(text.contains("Proxy-Authorization: Basic dTpw\r\n") && !text.contains("Cookie"));
        match text.split(['.', ' ']).nth(1).unwrap() {
            "denied" => vec![send("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")],
            "gateway" => vec![send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")],
            "garbage" => vec![send("hello\r\n\r\n")],
            "endless" => vec![Do::Endless(b"A: b\r\n".to_vec())],
            "early" => vec![send("HTTP/1.1 200 Connection established\r\n\r\nsurprise")],
            "silent" => vec![Do::Pause(9_000)],
            _ => vec![Do::Close],
        }
    })
    .await;
    let client = client(&through(&server));
    let connect = |reason: &str| Failure::Connect(reason.into());
    for (host, failure) in [
        ("denied", Failure::Proxy("no tunnel: 407 Who are you".into())),
        ("gateway", connect("no tunnel: 502 Bad Gateway")),
        ("garbage", connect("no tunnel: not HTTP")),
        ("endless", connect("no tunnel: endless head")),
        ("early", connect("data before the tunnel")),
        ("silent", Failure::Timeout("tunnel")),
        ("closed", connect("no tunnel: connection closed")),
    ] {
        assert_eq!(failure.is_outage(), host == "denied");
        let url = CanonicalUrl::parse(&format!("https://{host}.test/")).unwrap();
        assert_eq!(client.fetch(get(&url)).await.result, Err(failure), "{host}");
    }
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let nobody = FetchOptions { proxy: Some(format!("http://127.0.0.1:{port}")), ..through(&server) };
    for url in ["http://a.test/", "https://a.test/"] {
        let url = CanonicalUrl::parse(url).unwrap();
        let got = super::client(&nobody).fetch(get(&url)).await.result;
        let failure = got.unwrap_err();
        assert_eq!((failure.name(), failure.is_outage()), ("proxy-failure", true));
    }
}

#[tokio::test]
async fn a_proxy_that_wants_to_know_who_asks() {
    let server = Server::start(|_, _| vec![send("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n")]).await;
    let url = CanonicalUrl::parse("http://a.test/").unwrap();
    let failure = client(&through(&server)).fetch(get(&url)).await.result.unwrap_err();
    assert!(failure.is_outage() && failure.name() == "proxy-failure", "{failure:?}");
}
