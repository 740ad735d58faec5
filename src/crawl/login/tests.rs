//! Logins at a server on loopback.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::*;
use crate::fetch::FetchOptions;
use crate::{Crawl, CrawlOptions, Ended, Observer, Snapshot};

const USER: &str = "reader-of-things";
const PASSWORD: &str = "hush+hush & more";
const SENT_PASSWORD: &str = "hush%2Bhush+%26+more";
const TOKEN: &str = "forgery-token-4711";
const SESSION: &str = "session-cookie-0815";

/// What a request was: its line and cookies, and the body of a form.
type Seen = Arc<Mutex<Vec<(String, String, String)>>>;

/// A site behind a login: `/in` has the form, `/` and `/page` are for those who are logged in, a visit to `/forget` ends
/// the session.
fn site() -> (u16, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen: Seen = Arc::default();
    let log = seen.clone();
    std::thread::spawn(move || {
        let valid = Arc::new(Mutex::new(0u32));
        for stream in listener.incoming().flatten() {
            let (log, valid) = (log.clone(), valid.clone());
            std::thread::spawn(move || serve(stream, &log, &valid));
        }
    });
    (port, seen)
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<(String, String, String)>>, valid: &Mutex<u32>) {
    let mut data = Vec::new();
    let mut byte = [0; 1];
    while !data.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return;
        }
        data.push(byte[0]);
    }
    let head = String::from_utf8(data).unwrap();
    let value = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().to_owned()
    };
    let mut body = vec![0; value("Content-Length:").parse().unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let line = head.split(" HTTP").next().unwrap().to_owned();
    log.lock().unwrap().push((line.clone(), value("Cookie:"), body.clone()));
    let mut valid = valid.lock().unwrap();
    let logged_in = *valid > 0 && value("Cookie:").contains(&format!("sid={SESSION}-{}", *valid));
    let html = |text: &str| {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><body>{text}</body></html>"
        )
    };
    let to = |url: &str, more: &str| {
        format!(
            "HTTP/1.1 302 Found\r\nLocation: {url}\r\n{more}Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
    };
    let answer = match line.as_str() {
        "GET /robots.txt" => "HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into(),
        "GET /in" => html(&format!(
            "<form method=post action=/session><input type=hidden name=token value={TOKEN}><input name=user>\
             <input name=password type=password></form>"
        )),
        "POST /session" if body.contains(TOKEN) && body.contains(SENT_PASSWORD) && body.contains(USER) => {
            *valid += 1;
            let cookie = format!("Set-Cookie: sid={SESSION}-{}; Path=/; HttpOnly\r\n", *valid);
            to("/", &cookie)
        }
        "POST /session" => html("wrong password <input type=password>"),
        "GET /forget" if logged_in => {
            *valid += 1;
            html("forgotten")
        }
        "GET /" if logged_in => html(
            "welcome <a href=/page/1>1</a> <a href=/logout>out</a> <a href=/forget>f</a> <a href=/page/2>2</a>",
        ),
        _ if logged_in => html(&format!("welcome to what only readers see {line}")),
        "GET /page/2" => html("please log in"),
        _ => to("/in", ""),
    };
    let _ = stream.write_all(answer.as_bytes());
}

fn options(port: u16) -> LoginOptions {
    LoginOptions {
        url: format!("http://a.test:{port}/in"),
        fields: [("user".to_owned(), USER.into()), ("password".to_owned(), PASSWORD.into())].into(),
        success: LoginCheck { text: Some("welcome".into()), ..LoginCheck::default() },
        logged_out: Some("please log in".into()),
        every_minutes: 0,
        ..LoginOptions::default()
    }
}

fn local() -> FetchOptions {
    let mut options = FetchOptions { allow_private: true, ..FetchOptions::default() };
    options.dns.hosts = [("*".to_owned(), IpAddr::from([127, 0, 0, 1]))].into();
    options
}

#[tokio::test]
async fn a_form_with_a_token_is_filled_in_and_sent() {
    let (port, seen) = site();
    let fetcher = Fetcher::new(&local(), None).unwrap();
    let summary = login(&fetcher, &options(port), Duration::ZERO).await.unwrap();
    assert_eq!(summary.requests, 3);
    let lines: Vec<String> = seen.lock().unwrap().iter().map(|(line, ..)| line.clone()).collect();
    assert_eq!(lines, ["GET /in", "POST /session", "GET /"]);
    assert_eq!(seen.lock().unwrap()[2].1, format!("sid={SESSION}-1"));
}

#[tokio::test]
async fn a_login_that_fails_says_why_without_a_secret() {
    let (port, _) = site();
    let fetcher = Fetcher::new(&local(), None).unwrap();
    let good = options(port);
    let success = |success: LoginCheck| LoginOptions { success, ..good.clone() };
    let wrong = [("user".to_owned(), USER.into()), ("password".to_owned(), "not-hush".into())];
    for (options, part) in [
        (LoginOptions { fields: wrong.clone().into(), ..good.clone() }, "\"welcome\" does not stand in it"),
        (
            LoginOptions { fields: wrong.into(), success: LoginCheck::default(), ..good.clone() },
            "it asks for a password",
        ),
        (success(LoginCheck { status: Some(204), ..LoginCheck::default() }), "status 200, not 204"),
        (success(LoginCheck { cookie: Some("id".into()), ..LoginCheck::default() }), "no cookie id"),
        (
            success(LoginCheck { pattern: Some("wel+come, .".into()), ..LoginCheck::default() }),
            "does not match",
        ),
        (LoginOptions { url: format!("http://a.test:{port}/page/2"), ..good.clone() }, "no form"),
        (LoginOptions { url: "http://a.test:1/".into(), ..good.clone() }, "login: http://a.test:1/"),
        (
            LoginOptions {
                fields: [(
                    "user".to_owned(),
                    toml::from_str::<BTreeMap<String, crate::secret::Secret>>(
                        "x = { env = 'WEBMILL_UNSET' }",
                    )
                    .unwrap()["x"]
                        .clone(),
                )]
                .into(),
                ..good.clone()
            },
            "WEBMILL_UNSET is not set",
        ),
    ] {
        let error = login(&fetcher, &options, Duration::ZERO).await.unwrap_err().to_string();
        assert!(error.contains(part), "{part}: {error}");
        assert!(!error.contains("hush") && !error.contains(TOKEN), "{error}");
    }
    let checks = LoginCheck {
        url: Some(format!("http://a.test:{port}/page/1")),
        status: Some(200),
        text: Some("only readers".into()),
        pattern: Some("wel+come".into()),
        cookie: Some("sid".into()),
    };
    login(&fetcher, &success(checks), Duration::ZERO).await.unwrap();
}

struct Quiet;

impl Observer for Quiet {
    fn look(&mut self, _: &Snapshot) {}
}

#[test]
fn a_crawl_logs_in_stays_logged_in_and_keeps_no_secret() {
    for format in [crate::archive::ArchiveFormat::Warc, crate::archive::ArchiveFormat::RawDb] {
        let (port, seen) = site();
        let mut crawl = CrawlOptions { memory: 16 << 20, connections: 1, ..CrawlOptions::default() };
        crawl.fetch = local();
        crawl.politeness.delay_ms = 0;
        crawl.archive.format = format;
        crawl.archive.compression = Some(webmill_shard::Compression::None);
        crawl.logins = vec![options(port)];
        crawl.fetch.headers = vec![("X-Key".into(), "header-hush".into())];
        let folder = tempfile::tempdir().unwrap();
        let seeds = [CanonicalUrl::parse(&format!("http://a.test:{port}/")).unwrap()];
        let (mut running, _) = Crawl::open(folder.path(), &crawl, &seeds, 1, None).unwrap();
        let ended = running.run(&mut Quiet, &|| false).unwrap();
        // The session ended once, with /forget, and what came after it was asked for again.
        assert_eq!(
            (ended, running.login_notes()),
            (Ended::Finished, vec!["1 logins were made again".to_owned()])
        );
        let totals = running.close(ended).unwrap();
        assert_eq!((totals.stored, totals.outcomes.get("redirect")), (4, 0), "{totals:?}");
        let lines: Vec<String> = seen.lock().unwrap().iter().map(|(line, ..)| line.clone()).collect();
        assert!(!lines.iter().any(|line| line.contains("logout")), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("POST")).count(), 2, "{lines:?}");
        let (open, _) = crawl.without_secrets();
        std::fs::write(folder.path().join("crawl.toml"), toml::to_string(&open).unwrap()).unwrap();
        let mut files = 0;
        for_each_file(folder.path(), &mut |path, bytes| {
            files += 1;
            for secret in [PASSWORD, SENT_PASSWORD, TOKEN, SESSION, "hush"] {
                assert!(
                    memchr::memmem::find(bytes, secret.as_bytes()).is_none(),
                    "{secret} stands in {}",
                    path.display()
                );
            }
            let pages = path.to_string_lossy().contains("shards");
            assert!(!pages || memchr::memmem::find(bytes, b"what only readers see").is_some());
        });
        assert!(files >= 4, "{files}");
    }
}

fn for_each_file(folder: &std::path::Path, visit: &mut dyn FnMut(&std::path::Path, &[u8])) {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                visit(&path, &std::fs::read(&path).unwrap());
            }
        }
    }
}
