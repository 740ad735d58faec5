//! Through SOCKS5 proxies, and proxies for some URLs only.

use super::*;

/// Address type and bytes of each target.
type AskedTargets = Arc<Mutex<Vec<(u8, Vec<u8>)>>>;

/// A SOCKS5 proxy with user name and password that says it reached everything, and answers in place of everybody.
struct Socks {
    address: SocketAddr,
    /// Address type and bytes of each target.
    asked: AskedTargets,
}

impl Socks {
    async fn start() -> Socks {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = AskedTargets::default();
        let seen = asked.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let seen = seen.clone();
                tokio::spawn(async move { talk(stream, &seen).await });
            }
        });
        Socks { address, asked }
    }
}

async fn talk(mut stream: TcpStream, asked: &Mutex<Vec<(u8, Vec<u8>)>>) -> Option<()> {
    let mut hello = [0; 4];
    stream.read_exact(&mut hello).await.ok()?;
    assert_eq!(hello, [5, 2, 0, 2]);
    stream.write_all(&[5, 2]).await.ok()?;
    let mut account = [0; 7];
    stream.read_exact(&mut account).await.ok()?;
    assert_eq!(&account, b"\x01\x02me\x02pw");
    stream.write_all(&[1, 0]).await.ok()?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.ok()?;
    let length = match head[3] {
        1 => 4,
        3 => usize::from(stream.read_u8().await.ok()?),
        4 => 16,
        other => panic!("{other}"),
    };
    let mut target = vec![0; length + 2];
    stream.read_exact(&mut target).await.ok()?;
    asked.lock().unwrap().push((head[3], target));
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
    while let Some(text) = read_request(&mut stream).await {
        assert!(text.starts_with("GET /x HTTP/1.1\r\n"), "the form is that of the host: {text}");
        assert!(!text.contains("Proxy-Authorization"));
        stream.write_all(OK).await.ok()?;
    }
    Some(())
}

#[tokio::test]
async fn names_go_to_the_proxy_or_checked_addresses_do() {
    let socks = Socks::start().await;
    for (scheme, host, want) in [
        ("socks5h", "a.test", Some((3, b"a.test\0\x50".to_vec()))),
        ("socks5h", "93.184.216.34", Some((1, vec![93, 184, 216, 34, 0, 80]))),
        ("socks5", "public.test", Some((1, vec![93, 184, 216, 34, 0, 80]))),
        // Looked up here: what it leads to is held against the rules.
        ("socks5", "inside.test", None),
        ("socks5h", "127.0.0.1", None),
    ] {
        let mut options = local();
        options.allow_private = false;
        options.proxy = Some(format!("{scheme}://me:pw@{}", socks.address));
        options.dns.hosts = [
            ("inside.test".to_owned(), IpAddr::from([10, 0, 0, 1])),
            ("public.test".to_owned(), IpAddr::from([93, 184, 216, 34])),
        ]
        .into();
        options.dns.servers = vec!["127.0.0.1:9".into()];
        let client = client(&options);
        let url = CanonicalUrl::parse(&format!("http://{host}/x")).unwrap();
        // The second request goes over the same connection.
        for _ in 0..2 {
            let got = client.fetch(get(&url)).await;
            match &want {
                Some(_) => assert_eq!((got.result.unwrap().raw.as_slice(), got.ip), (OK, None)),
                None => assert!(matches!(got.result, Err(Failure::PrivateAddress(_))), "{host}"),
            }
        }
        let asked: Vec<_> = socks.asked.lock().unwrap().drain(..).collect();
        assert_eq!(asked, Vec::from_iter(want), "{scheme} {host}");
    }
}

#[tokio::test]
async fn a_proxy_for_one_scheme_and_hosts_without() {
    let proxy = Server::start(|_, _| vec![send(OK)]).await;
    let direct = Server::start(|_, _| vec![send(OK)]).await;
    let mut options = local();
    options.proxy = Some(format!("http=http://{}", proxy.address));
    options.no_proxy = vec![".direct.test".into()];
    let client = client(&options);
    let at = |host: &str| CanonicalUrl::parse(&format!("http://{host}:{}/", direct.address.port())).unwrap();
    let through = client.fetch(get(&at("a.test"))).await;
    assert!(through.result.is_ok() && through.ip.is_none());
    let without = client.fetch(get(&at("b.direct.test"))).await;
    assert_eq!(without.ip, Some(IpAddr::from([127, 0, 0, 1])));
    assert_eq!((proxy.requests().len(), direct.requests().len()), (1, 1));
    assert!(direct.requests()[0].text.starts_with("GET / HTTP/1.1\r\n"));
    // https has no proxy: the failure is that of the host.
    let url = CanonicalUrl::parse(&format!("https://a.test:{}/", direct.address.port())).unwrap();
    let failure = client.fetch(get(&url)).await.result.unwrap_err();
    assert!(!failure.is_outage(), "{failure:?}");
    assert_eq!(proxy.requests().len(), 1);
}
