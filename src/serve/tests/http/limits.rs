//! What a request may not do to the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use webmill_capture::cut::Cut;

use webmill_serve::index::query::Limits;
use webmill_serve::index::{CaptureSource, Entry, KeyRange, MemoryIndex, Scan, Timestamp};
use webmill_serve::surface::Lang;
use webmill_serve::{Archive, Collection, LoggedRequest, Options, RequestLog, Server, ShardFiles};

use crate::support::{archive, key, running, serve};

/// An archive with `n` captures of one URL.
fn many(n: u64) -> Archive {
    let entry = |i: u64| Entry {
        urlkey: key("http://a.example/").into(),
        timestamp: Timestamp(20200101000000 + i % 60),
        url: "http://a.example/".into(),
        mime: "text/html".into(),
        offset: i,
        filename: "f.warc.gz".into(),
        ..Entry::default()
    };
    let mut archive = Archive::new(key);
    let index = Arc::new(MemoryIndex::new((0..n).map(entry).collect()));
    archive.add(Collection::new("t", index, Arc::new(ShardFiles::new([], 1 << 20)))).unwrap();
    archive
}

#[test]
fn only_this_machine_unless_told() {
    let bind = |address: &str, allow_remote| {
        let options = Options { allow_remote, ..Options::default() };
        Server::bind(address.parse().unwrap(), many(0), options).map(|server| server.address())
    };
    let refused = bind("0.0.0.0:0", false).unwrap_err().to_string();
    assert!(refused.contains("other machines"), "{refused}");
    assert!(bind("0.0.0.0:0", true).is_ok());
    assert!(bind("[::1]:0", false).is_ok() || !std::path::Path::new("/proc/net/if_inet6").exists());
}

#[test]
fn names_that_are_not_its_own_are_refused() {
    let (_folder, server) = running();
    let port = server.address.port();
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("localhost:{port}"), 200),
        ("LOCALHOST".to_owned(), 200),
        ("localhost".to_owned(), 200),
        ("[::1]:80".to_owned(), 200),
        ("evil.example".to_owned(), 421),
        ("127.0.0.1.evil.example".to_owned(), 421),
        ("10.0.0.1".to_owned(), 421),
    ] {
        let answer = server.with("/t/cdx?url=a.example", &[("Host", &host)]);
        assert_eq!(answer.status, status, "{host}");
    }
    let (_folder, archive) = archive(|_| {});
    let named =
        serve(archive, Options { host_names: vec!["archive.example".to_owned()], ..Options::default() });
    assert_eq!(named.with("/", &[("Host", "archive.example:81")]).status, 200);
}

#[test]
fn methods_addresses_and_bodies_have_bounds() {
    let (_folder, archive) = archive(|_| {});
    let options = Options { max_url_bytes: 2000, max_body_bytes: 1000, ..Options::default() };
    let server = serve(archive, options);
    for (method, target, body, status) in [
        ("GET", "/".to_owned(), String::new(), 200),
        ("PUT", "/t".to_owned(), String::new(), 405),
        ("DELETE", "/t".to_owned(), String::new(), 405),
        ("POST", "/t/2010id_/http://a.example/".to_owned(), "x".to_owned(), 405),
        ("GET", "/t/delete".to_owned(), String::new(), 405),
        ("OPTIONS", "/t/cdx".to_owned(), String::new(), 204),
        ("GET", format!("/t/cdx?url=http://a.example/{}", "x".repeat(2000)), String::new(), 414),
        ("GET", format!("/t/cdx?url=http://a.example/{}", "x".repeat(60_000)), String::new(), 414),
        ("POST", "/t".to_owned(), "x".repeat(1001), 413),
        ("GET", "/nothing/here".to_owned(), String::new(), 404),
        ("GET", "/t/nothing".to_owned(), String::new(), 404),
        ("GET", "/t/timegate/http://".to_owned(), String::new(), 404),
        ("GET", "/robots.txt".to_owned(), String::new(), 404),
    ] {
        let answer = server.ask(method, &target, &[], body.as_bytes());
        let shown = target.cut(..target.len().min(60));
        assert_eq!(answer.status, status, "{method} {shown}: {}", answer.text());
        if answer.status == 405 {
            assert!(answer.header("allow").is_some(), "{method} {shown}");
        }
    }
    assert_eq!(server.send(b"nonsense\r\n\r\n", false).status, 400);
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "a: b\r\n".repeat(500));
    assert_eq!(server.send(many.as_bytes(), false).status, 431);
}

#[test]
fn a_server_has_a_language_for_readers_who_chose_none() {
    let (_folder, archive) = archive(|_| {});
    let server = serve(archive, Options { lang: Some(Lang::Zh), ..Options::default() });
    let english = ("accept-language", "en");
    assert!(server.with("/", &[english]).text().contains("lang=\"zh-Hans\""));
    assert!(server.with("/?lang=en", &[english]).text().contains("lang=\"en\""));
    assert!(server.with("/", &[english, ("cookie", "lang=en")]).text().contains("lang=\"en\""));
}

#[test]
fn readers_are_refused_by_pages_of_the_site() {
    let (_folder, server) = running();
    let browser = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    for (target, status, english, chinese) in [
        ("/nothing", 404, "There is no collection", "这里没有"),
        ("/nothing/2010/http://a.example/", 404, "There is no collection", "这里没有"),
        ("/t/nothing", 404, "leads to no page", "没有对应的页面"),
        ("/t/http://nothing.example/", 404, "not fetched from the live Web", "也不会从互联网上"),
        ("/t/2010/http://nothing.example/", 404, "not fetched from the live Web", "也不会从互联网上"),
        ("/t/*/http://nothing.example/", 404, "Not in the archive", "存档中没有"),
    ] {
        for (language, words) in [("en", english), ("zh", chinese)] {
            let answer = server.with(target, &[browser, ("accept-language", language)]);
            let text = answer.text();
            assert_eq!(answer.status, status, "{target}");
            assert!(text.contains("<header class=\"top\">") && text.contains(words), "{target}: {text}");
            assert!(answer.header("content-security-policy").is_some(), "{target}");
        }
    }
    // Who asks for no page gets none, nor who asks from within a frame, or for captures as stored.
    assert_eq!(server.get("/t/nothing").text(), "nothing is here\n");
    for target in ["/t/2010id_/http://nothing.example/", "/nothing/cdx?url=a.example"] {
        assert!(!server.with(target, &[browser]).text().contains("<html"), "{target}");
    }
}

#[test]
fn rows_lines_and_time_have_bounds_that_are_seen() {
    let limits = |limits: Limits| Options { limits, ..Options::default() };
    let server = serve(many(5000), limits(Limits { max_rows: 100, ..Limits::default() }));
    let answer = server.get("/t/cdx?url=http://a.example/&limit=2000");
    assert_eq!((answer.lines().len(), answer.header("x-max-rows")), (100, Some("100")));
    let server = serve(many(5000), limits(Limits { max_scanned: 3000, ..Limits::default() }));
    // Nothing sent yet: refused in words. Something sent: broken off, and not taken for whole.
    let refused = server.get("/t/cdx?url=http://a.example/&filter==status:999");
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("5")));
    let cut = server.get("/t/cdx?url=http://a.example/");
    assert!(cut.status == 200 && !cut.whole && cut.lines().len() < 3000, "{}", cut.lines().len());
    let told = server.get("/t/cdx/search/cdx?url=http://a.example/&fl=offset&showResumeKey=true");
    assert!(told.whole && told.lines().len() == 3002, "{} {}", told.whole, told.lines().len());
    assert_eq!(server.get("/t/cdx?url=http://a.example/*&showNumPages=true").status, 503);
    let options = Options { request_timeout: Duration::ZERO, ..Options::default() };
    let server = serve(many(5000), options);
    assert_eq!(server.get("/t/cdx?url=http://a.example/").status, 503);
    // What is short takes no turn and no time.
    assert_eq!(server.get("/t/cdx?url=http://a.example/&limit=3").lines().len(), 3);
}

#[test]
fn a_long_answer_streams_and_arrives_whole() {
    let server = serve(many(60_000), Options::default());
    let answer = server.get("/t/cdx?url=http://a.example/");
    assert!(answer.whole && answer.header("transfer-encoding").is_some());
    assert_eq!(answer.lines().len(), 60_000);
    let zipped =
        server.with("/t/cdx/search/cdx?url=http://a.example/&fl=offset", &[("Accept-Encoding", "gzip")]);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&zipped.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 60_000);
}

#[test]
fn heads_that_do_not_come_end_the_connection() {
    let (_folder, archive) = archive(|_| {});
    let options = Options { head_timeout: Duration::from_millis(300), ..Options::default() };
    let server = serve(archive, options);
    for begin in ["", "GET / HTTP/1.1\r\nHost: localhost\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(begin.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // Ends when the server closes it, idle or half a head.
        stream.read_to_end(&mut bytes).unwrap();
    }
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn bodies_that_do_not_come_end_the_request() {
    let (_folder, archive) = archive(|_| {});
    let options = Options { stall_timeout: Duration::from_millis(300), ..Options::default() };
    let server = serve(archive, options);
    let answer = server.send(
        b"POST /t HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100\r\n\r\nabc",
        false,
    );
    assert_eq!(answer.status, 408);
}

#[test]
fn clients_that_read_nothing_are_let_go() {
    let options = Options { stall_timeout: Duration::from_millis(500), max_working: 1, ..Options::default() };
    let server = serve(many(300_000), options);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(b"GET /t/cdx?url=http://a.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    // The only place of those that work is taken until the first client is given up.
    let answer = server.get("/t/cdx?url=http://a.example/&limit=600");
    assert_eq!((answer.status, answer.lines().len()), (200, 600));
    drop(stream);
}

#[test]
fn too_many_at_a_time_wait_or_are_told() {
    let options = Options {
        max_working: 1,
        max_waiting: 1,
        wait_timeout: Duration::from_millis(50),
        ..Options::default()
    };
    let server = serve(many(300_000), options);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(b"GET /t/cdx?url=http://a.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 9];
    stream.read_exact(&mut first).unwrap();
    let told = server.get("/t/cdx?url=http://a.example/&limit=600");
    assert_eq!((told.status, told.header("retry-after")), (503, Some("5")));
    drop(stream);
    // Who waits for a place that comes is not told to go away.
    let told = server.get("/t/cdx?url=http://a.example/&limit=600");
    assert_eq!((told.status, told.lines().len()), (200, 600));
}

#[test]
fn scripts_of_other_sites_read_only_what_is_allowed() {
    let (_folder, server) = running();
    let answer = server.with("/t/cdx?url=a.example", &[("Origin", "http://x.example")]);
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let (_folder, archive) = archive(|_| {});
    let server = serve(archive, Options { allow_origin: Some("*".to_owned()), ..Options::default() });
    assert_eq!(server.get("/t/cdx?url=a.example").header("access-control-allow-origin"), Some("*"));
    assert_eq!(server.ask("OPTIONS", "/t/cdx", &[], b"").header("access-control-allow-origin"), Some("*"));
}

#[test]
fn every_request_is_logged() {
    let seen = Arc::new(Mutex::new(Vec::<LoggedRequest>::new()));
    let log: RequestLog = {
        let seen = Arc::clone(&seen);
        Arc::new(move |request| seen.lock().unwrap().push(request.clone()))
    };
    let (_folder, archive) = archive(|_| {});
    let server = serve(archive, Options { log: Some(log), ..Options::default() });
    let body = server.get("/t/cdx?url=http://a.example/").body.len() as u64;
    server.get("/t/2010id_/http://nothing.example/");
    server.ask("HEAD", "/", &[], b"");
    server.ask("PUT", "/", &[], b"");
    drop(server);
    let log = seen.lock().unwrap();
    let seen: Vec<_> = log.iter().map(|l| (l.method.as_str(), l.target.as_str(), l.status)).collect();
    assert_eq!(
        seen,
        [
            ("GET", "/t/cdx?url=http://a.example/", 200),
            ("GET", "/t/2010id_/http://nothing.example/", 404),
            ("HEAD", "/", 200),
            ("PUT", "/", 405)
        ]
    );
    assert_eq!((log[0].bytes, log[0].broken), (body, false));
    assert!(log.iter().all(|l| l.peer.is_some_and(|peer| peer.is_loopback())));
}

#[test]
fn requests_of_any_bytes_are_answered_or_closed() {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    let (_folder, server) = running();
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let part = "(/|t|cdx|timegate|timemap|link|json|id_|mp_|2014|http:|a\\.example|\\?url=|&filter=|=~|%[0-9A-F]{2}|[!-~]){0,12}";
    runner
        .run(&(part, "(GET|POST|HEAD|PUT)", "[ -~]{0,30}"), |(target, method, value)| {
            let request = format!(
                "{method} /{target} HTTP/1.1\r\nHost: localhost\r\nAccept-Datetime: {value}\r\nConnection: close\r\n\
                 Content-Length: 0\r\n\r\n"
            );
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            let status = String::from_utf8_lossy(&bytes[..bytes.len().min(12)]).into_owned();
            prop_assert!(status.starts_with("HTTP/1.1 ") && !status.ends_with("500"), "{request}: {status}");
            Ok(())
        })
        .unwrap();
}

#[test]
fn the_front_page_counts_collections_that_nobody_has_opened() {
    let server = serve(many(5000), Options::default());
    let home = server.get("/");
    assert_eq!(home.status, 200);
    assert!(home.text().contains("5,000 captures"), "{}", home.text());
}

/// An index whose file is damaged.
struct DamagedIndex;

impl CaptureSource for DamagedIndex {
    fn scan(&self, _: &KeyRange, _: Scan<'_>) -> webmill_capture::Result<()> {
        Err(webmill_capture::Error::corrupt("/secret/part.cdxj", 7, "no line"))
    }
}

#[test]
fn a_collection_that_cannot_be_read_does_not_hide_the_others() {
    let mut archive = many(5000);
    let files = Arc::new(ShardFiles::new([], 1 << 20));
    archive.add(Collection::new("bad", Arc::new(DamagedIndex), files)).unwrap();
    let server = serve(archive, Options::default());
    let home = server.get("/");
    assert_eq!(home.status, 200);
    let text = home.text();
    assert!(text.contains("5,000 captures") && text.contains("part.cdxj at byte 7: no line"), "{text}");
    assert!(!text.contains("/secret") && !text.contains("<span>0 captures"), "{text}");
}
