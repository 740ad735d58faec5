//! TLS with certificates made for the test.

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::*;

/// A certificate for a name, its own root; and its key.
pub(super) struct Identity {
    pub pem: String,
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Identity {
    pub fn of(name: &str) -> Identity {
        let made = rcgen::generate_simple_self_signed(vec![name.to_string()]).unwrap();
        Identity {
            pem: made.cert.pem(),
            certificate: made.cert.der().clone(),
            key: made.signing_key.serialize_der(),
        }
    }

    pub fn acceptor(&self, protocols: &[&[u8]]) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key.clone()));
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|p| p.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// Options that trust an identity; the folder holds its file.
pub(super) fn trusting(identity: &Identity) -> (FetchOptions, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roots.pem");
    std::fs::write(&file, &identity.pem).unwrap();
    (FetchOptions { extra_roots: Some(file), ..local() }, folder)
}

/// Accepts TLS connections and gives each to a task.
pub(super) async fn listen<F, T>(acceptor: TlsAcceptor, serve: F) -> u16
where
    F: Fn(usize, TlsStream<TcpStream>) -> T + Send + Sync + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = Arc::new(serve);
    tokio::spawn(async move {
        for number in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, serve) = (acceptor.clone(), serve.clone());
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(number, stream).await;
                }
            });
        }
    });
    port
}

async fn answer(mut stream: TlsStream<TcpStream>, actions: Vec<Do>) {
    while read_request(&mut stream).await.is_some() {
        for action in actions.clone() {
            if !perform(&mut stream, action).await {
                return;
            }
        }
    }
}

fn https(host: &str, port: u16) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("https://{host}:{port}/")).unwrap()
}

#[tokio::test]
async fn who_is_trusted() {
    let identity = Identity::of("a.test");
    let connections = Arc::new(AtomicUsize::new(0));
    let port = listen(identity.acceptor(&[b"http/1.1"]), {
        let connections = connections.clone();
        move |_, stream| {
            connections.fetch_add(1, Ordering::SeqCst);
            assert_eq!(stream.get_ref().1.server_name(), Some("a.test"));
            answer(stream, vec![send(OK)])
        }
    })
    .await;
    let (options, _folder) = trusting(&identity);
    // Trusted, and the connection is kept.
    let trusting = client(&options);
    for _ in 0..3 {
        let got = trusting.fetch(get(&https("a.test", port))).await;
        assert_eq!(got.result.unwrap().raw, OK);
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    // Another name, and nobody that the system knows.
    for (client, host) in [(&trusting, "b.test"), (&trusting, "127.0.0.1"), (&client(&local()), "a.test")] {
        let got = client.fetch(get(&https(host, port))).await.result;
        assert!(matches!(&got, Err(f @ Failure::Tls(_)) if !f.retry()), "{host}: {got:?}");
    }
}

#[tokio::test]
async fn ends_of_tls_connections() {
    let identity = Identity::of("a.test");
    let (options, folder) = trusting(&identity);
    let port = listen(identity.acceptor(&[]), |number, mut stream| async move {
        read_request(&mut stream).await.unwrap();
        let head = "HTTP/1.1 200 OK\r\n\r\nabc";
        assert!(perform(&mut stream, send(head)).await);
        if number == 0 {
            perform(&mut stream, Do::Close).await;
        }
        // Without a word of farewell otherwise.
    })
    .await;
    let client = client(&options);
    for truncated in [None, Some(Truncation::Disconnect)] {
        let received = client.fetch(get(&https("a.test", port))).await.result.unwrap();
        assert_eq!((received.raw.ends_with(b"abc"), received.truncated), (true, truncated));
    }
    // Servers that speak no TLS, hang up or say nothing.
    for (script, name) in [
        (vec![send("HTTP/1.1 400 Bad Request\r\n\r\n")], "tls-failure"),
        (vec![Do::Close], "disconnect"),
        (vec![Do::Pause(9_000)], "timeout"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_u8().await.unwrap();
            for action in script {
                perform(&mut stream, action).await;
            }
            let mut rest = [0; 4096];
            let _ = stream.read(&mut rest).await;
        });
        let got = client.fetch(get(&https("a.test", port))).await;
        assert_eq!(got.result.as_ref().unwrap_err().name(), name, "{got:?}");
    }
    // Files that hold no certificates.
    let file = folder.path().join("bad.pem");
    for text in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        std::fs::write(&file, text).unwrap();
        let error =
            Fetcher::new(&FetchOptions { extra_roots: Some(file.clone()), ..local() }, None).unwrap_err();
        assert!(error.to_string().contains("extra_roots"), "{error}");
    }
}

#[tokio::test]
async fn through_a_tunnel() {
    let identity = Identity::of("a.test");
    let port = listen(identity.acceptor(&[b"http/1.1"]), |_, stream| answer(stream, vec![send(OK)])).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = proxy.local_addr().unwrap();
    let tunnels = Arc::new(Mutex::new(Vec::new()));
    tokio::spawn({
        let tunnels = tunnels.clone();
        async move {
            loop {
                let (mut client, _) = proxy.accept().await.unwrap();
                let tunnels = tunnels.clone();
                tokio::spawn(async move {
                    let request = read_request(&mut client).await.unwrap();
                    tunnels.lock().unwrap().push(request);
                    let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                    client.write_all(b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n").await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        }
    });
    let (mut options, _folder) = trusting(&identity);
    options.proxy = Some(format!("http://{address}"));
    options.accounts = [("a.test".into(), Account::basic("secret:secret"))].into();
    let client = client(&options);
    for _ in 0..2 {
        let got = client.fetch(get(&https("a.test", port))).await;
        assert_eq!((got.result.unwrap().raw.as_slice(), got.ip), (OK, None));
        assert!(got.sent.starts_with(b"GET / HTTP/1.1\r\n"));
    }
    let tunnels = tunnels.lock().unwrap();
    assert_eq!(tunnels.len(), 1, "the tunnel is kept");
    assert!(tunnels[0].starts_with(&format!("CONNECT a.test:{port} HTTP/1.1\r\nHost: a.test:{port}\r\n")));
    assert!(!tunnels[0].contains("Authorization"));
}
