//! Names: a resolver on loopback that answers as the test wants.

use std::collections::HashMap;

use tokio::net::UdpSocket;

use super::*;

/// What the resolver says to a question for IPv4 addresses.
#[derive(Clone)]
enum ResolverReply {
    Addresses(Vec<[u8; 4]>),
    /// IPv6 alone.
    Six([u8; 16]),
    NoSuchName,
    Failed,
    Silence,
}

/// Asked names, in order.
type AskedNames = Arc<Mutex<Vec<String>>>;

/// A name server; `say` is asked with the name and how often it was asked for before.
async fn resolver(say: impl Fn(&str, usize) -> ResolverReply + Send + 'static) -> (String, AskedNames) {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let asked = AskedNames::default();
    tokio::spawn({
        let asked = asked.clone();
        async move {
            let mut buffer = [0; 2048];
            let mut counts: HashMap<String, usize> = HashMap::new();
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let query = &buffer[..length];
                let (mut name, mut at) = (String::new(), 12);
                while query[at] != 0 {
                    let end = at + 1 + usize::from(query[at]);
                    name.push_str(std::str::from_utf8(&query[at + 1..end]).unwrap());
                    name.push('.');
                    at = end;
                }
                let kind = u16::from_be_bytes([query[at + 1], query[at + 2]]);
                let count = counts.entry(name.clone()).or_default();
                let answer = say(&name, *count);
                if kind == 1 {
                    *count += 1;
                    asked.lock().unwrap().push(name);
                }
                let question = &query[12..at + 5];
                let (code, records): (u8, Vec<Vec<u8>>) = match (answer, kind) {
                    (ResolverReply::Silence, _) => continue,
                    (ResolverReply::Failed, _) => (2, vec![]),
                    (ResolverReply::NoSuchName, _) => (3, vec![]),
                    (ResolverReply::Addresses(v4), 1) => (0, v4.iter().map(|ip| ip.to_vec()).collect()),
                    (ResolverReply::Six(v6), 28) => (0, vec![v6.to_vec()]),
                    _ => (0, vec![]),
                };
                let mut reply =
                    [&query[..2], &[0x81, 0x80 | code, 0, 1, 0, records.len() as u8, 0, 0, 0, 0]].concat();
                reply.extend_from_slice(question);
                for data in records {
                    // The name of the question, type, class, a time to live of 0, data.
                    let length = data.len() as u8;
                    reply.extend([0xc0, 12, 0, kind as u8, 0, 1, 0, 0, 0, 0, 0, length]);
                    reply.extend_from_slice(&data);
                }
                socket.send_to(&reply, from).await.unwrap();
            }
        }
    });
    (address, asked)
}

fn options(server: &str) -> FetchOptions {
    FetchOptions {
        dns: DnsOptions {
            servers: vec![server.into()],
            timeout_ms: 100,
            retry_ms: 20,
            min_ttl_s: 0,
            ..Default::default()
        },
        ..local()
    }
}

async fn fetch(client: &Fetcher, url: &str) -> Fetched {
    let url = CanonicalUrl::parse(url).unwrap();
    client.fetch(get(&url)).await
}

#[tokio::test]
async fn what_a_resolver_can_say() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let port = server.address.port();
    let (dns, asked) = resolver(|name, _| match name {
        "here.test." | "_odd_.here.test." => ResolverReply::Addresses(vec![[127, 0, 0, 1]]),
        "second.test." => ResolverReply::Addresses(vec![[127, 0, 0, 9], [127, 0, 0, 1]]),
        "six.test." => ResolverReply::Six(std::net::Ipv6Addr::LOCALHOST.octets()),
        "none.test." => ResolverReply::Addresses(vec![]),
        "failed.test." => ResolverReply::Failed,
        "silent.test." => ResolverReply::Silence,
        _ => ResolverReply::NoSuchName,
    })
    .await;
    let client = client(&options(&dns));
    for (host, outcome) in [
        ("here.test", "ok"),
        ("HERE.test.", "ok"),
        ("_odd_.here.test", "ok"),
        ("second.test", "ok"),
        ("none.test", "no-such-host"),
        ("no.test", "no-such-host"),
        ("failed.test", "dns-failure"),
        ("silent.test", "dns-failure"),
    ] {
        let got = fetch(&client, &format!("http://{host}:{port}/")).await;
        let name = got.result.as_ref().map_or_else(Failure::name, |_| "ok");
        assert_eq!(name, outcome, "{host}: {:?}", got.result);
        let outage = got.result.is_err_and(|failure| failure.is_outage());
        assert_eq!(outage, host == "silent.test", "{host}");
    }
    let got = fetch(&client, &format!("http://six.test:{port}/")).await;
    assert!(
        matches!(got.result, Err(Failure::Connect(_))) && got.ip.is_some_and(|ip| ip.is_ipv6()),
        "{got:?}"
    );
    // No search list: names are asked for as they are. A failing one was tried again.
    let asked = asked.lock().unwrap();
    assert_eq!(asked.iter().filter(|name| *name == "no.test.").count(), 1);
    assert_eq!(asked.iter().filter(|name| *name == "failed.test.").count(), 3, "{asked:?}");
    assert!(asked.iter().all(|name| name.ends_with("test.")), "{asked:?}");
}

#[tokio::test]
async fn inside_addresses_are_refused() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let port = server.address.port();
    let (dns, _) = resolver(|name, _| match name {
        "inside.test." => ResolverReply::Addresses(vec![[10, 0, 0, 1], [127, 0, 0, 1]]),
        "meta.test." => ResolverReply::Addresses(vec![[169, 254, 169, 254]]),
        _ => ResolverReply::Six(std::net::Ipv6Addr::from([0, 0, 0, 0, 0, 0xffff, 0x7f00, 1]).octets()),
    })
    .await;
    let mut options = options(&dns);
    options.allow_private = false;
    options.dns.hosts = [("fixed.test".to_string(), IpAddr::from([127, 0, 0, 1]))].into();
    let client = client(&options);
    for host in [
        "inside.test",
        "meta.test",
        "mapped.test",
        "fixed.test",
        "localhost",
        "x.localhost.",
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::]",
        "0",
        "10.1.2.3",
        "169.254.169.254",
        "[fd00::1]",
    ] {
        let got = fetch(&client, &format!("http://{host}:{port}/")).await;
        assert!(matches!(got.result, Err(Failure::PrivateAddress(_))), "{host}: {got:?}");
        assert!(got.sent.is_empty());
    }
    assert!(server.requests().is_empty());
    // The scope of the crawl, for names and literals.
    options.allow_private = true;
    let scope: AddressScope = Arc::new(|ip| ip == IpAddr::from([127, 0, 0, 1]));
    let client = Fetcher::new(&options, Some(scope)).unwrap();
    let got = fetch(&client, &format!("http://inside.test:{port}/")).await;
    assert!(got.result.is_ok() && got.ip == Some(IpAddr::from([127, 0, 0, 1])), "{got:?}");
    let got = fetch(&client, "http://127.0.0.2/").await;
    assert_eq!(got.result, Err(Failure::AddressOutOfScope(IpAddr::from([127, 0, 0, 2]))));
    let got = fetch(&client, "http://meta.test/").await;
    assert_eq!(got.result.unwrap_err().name(), "out-of-scope");
}

#[tokio::test]
async fn rebinding() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let port = server.address.port();
    // In scope at first (127.0.0.2, where nobody listens), then inside: with no time to live, each fetch asks anew.
    let (dns, asked) = resolver(|_, count| match count {
        0 => ResolverReply::Addresses(vec![[127, 0, 0, 2]]),
        _ => ResolverReply::Addresses(vec![[127, 0, 0, 1]]),
    })
    .await;
    let scope: AddressScope = Arc::new(|ip| ip == IpAddr::from([127, 0, 0, 2]));
    let client = Fetcher::new(&options(&dns), Some(scope)).unwrap();
    let url = format!("http://rebind.test:{port}/");
    let got = fetch(&client, &url).await;
    assert_eq!(got.ip, Some(IpAddr::from([127, 0, 0, 2])), "the address that was checked");
    assert_eq!(asked.lock().unwrap().len(), 1, "one lookup for one connection");
    let got = fetch(&client, &url).await;
    assert_eq!(got.result, Err(Failure::AddressOutOfScope(IpAddr::from([127, 0, 0, 1]))));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn failing_then_working() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let port = server.address.port();
    let (dns, asked) = resolver(|name, count| match (name, count) {
        ("later.test.", 0 | 1) => ResolverReply::Silence,
        ("much-later.test.", 0..4) => ResolverReply::Failed,
        _ => ResolverReply::Addresses(vec![[127, 0, 0, 1]]),
    })
    .await;
    let client = client(&options(&dns));
    // Within the attempts for one lookup.
    assert!(fetch(&client, &format!("http://later.test:{port}/")).await.result.is_ok());
    // And after them: a failure is not remembered.
    let url = format!("http://much-later.test:{port}/");
    let got = fetch(&client, &url).await.result;
    assert!(matches!(&got, Err(failure @ Failure::Dns { .. }) if failure.retry()), "{got:?}");
    assert!(fetch(&client, &url).await.result.is_ok());
    assert_eq!(asked.lock().unwrap().len(), 3 + 5);
}

#[tokio::test]
async fn answers_are_shared_and_kept() {
    let server = Server::start(|_, _| vec![send(OK)]).await;
    let port = server.address.port();
    let (dns, asked) = resolver(|name, _| match name {
        "no.test." => ResolverReply::NoSuchName,
        _ => ResolverReply::Addresses(vec![[127, 0, 0, 1]]),
    })
    .await;
    let mut options = options(&dns);
    options.dns.min_ttl_s = 60;
    options.dns.cache_entries = 50;
    let client = client(&options);
    for _ in 0..30 {
        client.prefetch("ahead.test");
        client.prefetch("no.test");
        client.prefetch("127.0.0.1");
    }
    let fetches = (0..10).map(|_| fetch(&client, "http://no.test/"));
    for got in fetches {
        assert_eq!(got.await.result, Err(Failure::NoSuchHost));
    }
    assert!(fetch(&client, &format!("http://ahead.test:{port}/")).await.result.is_ok());
    assert_eq!(asked.lock().unwrap().len(), 2, "{asked:?}");
    // A flood of names: bounded, and no harm done.
    for i in 0..500 {
        client.prefetch(&format!("n{i}.test"));
    }
    for i in 0..200 {
        assert!(fetch(&client, &format!("http://m{i}.test:{port}/")).await.result.is_ok());
    }
    assert!(client.shared.dns.cached() <= 50 + options::PREFETCH + 1, "{}", client.shared.dns.cached());
}

#[tokio::test]
async fn no_resolver_at_all() {
    let mut options = options("127.0.0.1:9");
    options.dns.attempts = 2;
    let client = client(&options);
    let tasks: Vec<_> = (0..40)
        .map(|i| {
            let client = client.clone();
            tokio::spawn(async move { fetch(&client, &format!("http://n{i}.test/")).await })
        })
        .collect();
    let start = Instant::now();
    for task in tasks {
        let failure = task.await.unwrap().result.unwrap_err();
        assert_eq!((failure.name(), failure.is_outage()), ("dns-failure", true));
    }
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}
