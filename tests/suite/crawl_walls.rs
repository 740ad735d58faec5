//! Redirects that only cookies end, and seeds that moved.

use webmill::crawl::event::outcome;
use webmill::crawl::{CrawlOptions, Purpose};

use super::crawl_support::{Written, answers, crawl, events, message, page, seeds, serve, swift};

/// Pages behind a wall: without the cookie, `/self` leads to itself and `/consent-first` to a page that leads back.
struct WalledSite;

impl WalledSite {
    fn message(url: &str, cookie: bool) -> Vec<u8> {
        let path = url.strip_prefix("http://w.example").unwrap_or("/");
        let to =
            |location: &str, set: &str| message("302 Found", &format!("Location: {location}\r\n{set}"), "");
        match path {
            "/robots.txt" => message("404 Not Found", "", ""),
            "/" => page("front", &["/self", "/consent-first", "/for-ever", "/no-cookie"]),
            "/self" | "/consent-first" if cookie => page("behind the wall", &[]),
            "/self" => to("/self", "Set-Cookie: seen=1\r\n"),
            "/consent-first" => to("/consent?back=/consent-first", ""),
            "/consent?back=/consent-first" => to("/consent-first", "Set-Cookie: seen=1; Path=/\r\n"),
            "/for-ever" => to("/for-ever", "Set-Cookie: other=1\r\n"),
            "/no-cookie" => to("/no-cookie", ""),
            _ => message("404 Not Found", "", ""),
        }
    }
}

/// A server that reads cookies, which the simulated one does not.
fn listen() -> std::net::SocketAddr {
    use std::io::{Read, Write};
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in server.incoming().flatten() {
            std::thread::spawn(move || {
                let mut request = vec![0; 16 << 10];
                while let Ok(n @ 1..) = stream.read(&mut request) {
                    let text = String::from_utf8_lossy(&request[..n]).into_owned();
                    let url = text.split(' ').nth(1).unwrap_or("/").to_owned();
                    let url =
                        format!("http://w.example{}", url.strip_prefix("http://w.example").unwrap_or(&url));
                    if stream.write_all(&WalledSite::message(&url, text.contains("seen=1"))).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

#[test]
fn walls_of_cookies_open_and_loops_without_end() {
    let address = listen();
    let folder = tempfile::tempdir().unwrap();
    let options: CrawlOptions = swift(format!("http://{address}"));
    let totals = crawl(folder.path(), &options, &seeds(&["http://w.example/"]));
    let mut urls: Vec<String> = answers(folder.path()).into_iter().map(|a| a.url).collect();
    urls.sort();
    assert_eq!(urls, ["http://w.example/", "http://w.example/consent-first", "http://w.example/self"]);
    assert_eq!(totals.stored, 3);
    let told = events(folder.path());
    let of = |path: &str| told.iter().filter(|e| e.url.ends_with(path) && e.purpose == Purpose::Page).count();
    assert_eq!(of("/no-cookie"), 1, "without a cookie the same would come again");
    assert!(of("/for-ever") <= 11, "{}", of("/for-ever"));
    assert!(told.iter().any(|e| e.url.ends_with("/for-ever") && e.outcome == outcome::TOO_MANY_REDIRECTS));
}

#[test]
fn a_seed_that_moved_takes_its_crawl_along() {
    let moved = |to: &str| message("301 Moved Permanently", &format!("Location: {to}\r\n"), "");
    let web = Written::default()
        .answer("http://old.example/", moved("http://new.example/home"))
        .page("http://new.example/home", &["/more", "http://other.example/"])
        .page("http://new.example/more", &[])
        .page("http://other.example/", &[]);
    let (server, _) = serve(web);
    let folder = tempfile::tempdir().unwrap();
    let options = swift(server.proxy());
    let mut limited = options.clone();
    limited.limits.pages = Some(1);
    let open = |options: &CrawlOptions| {
        super::crawl_support::crawl_until(folder.path(), options, &seeds(&["http://old.example/"]), &|| false)
            .unwrap()
            .2
    };
    assert_eq!(open(&limited).stored, 1);
    // It is remembered when the crawl goes on.
    assert_eq!(open(&options).stored, 2);
    let told = events(folder.path());
    let note = told.iter().find(|e| e.outcome == outcome::REDIRECT).unwrap().detail.clone().unwrap();
    assert_eq!(note, "new.example belongs to the crawl from now on");
    assert!(told.iter().all(|e| !e.url.contains("other.example")));
}
