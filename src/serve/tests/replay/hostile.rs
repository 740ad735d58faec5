//! A hostile page: it tries to reach another collection, the server's own pages, and the Web, where a canary listens.
//!
//! The same page, live, reaches the canary: so its attempts are attempts.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::archive::{Archive, File, TIMESTAMP, serve};
use super::browser::{Browser, Visit};

/// Listens on loopback, by TCP and UDP, and counts who comes.
struct Canary {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    packets: Arc<AtomicUsize>,
}

impl Canary {
    fn start() -> Canary {
        let (tcp, udp) = loop {
            let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()) {
                break (tcp, udp);
            }
        };
        let address = tcp.local_addr().unwrap();
        let (connections, packets) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (seen, received) = (Arc::clone(&connections), Arc::clone(&packets));
        std::thread::spawn(move || {
            for _ in tcp.incoming() {
                seen.fetch_add(1, Ordering::SeqCst);
            }
        });
        std::thread::spawn(move || {
            let mut packet = [0; 2048];
            while udp.recv(&mut packet).is_ok() {
                received.fetch_add(1, Ordering::SeqCst);
            }
        });
        Canary { address, connections, packets }
    }

    fn count(&self) -> (usize, usize) {
        (self.connections.swap(0, Ordering::SeqCst), self.packets.swap(0, Ordering::SeqCst))
    }
}

fn page(template: &str, canary: SocketAddr, report: &str) -> String {
    template
        .replace("CANARY", &format!("http://{canary}"))
        .replace("PEER", &canary.to_string())
        .replace("REPORT", report)
        .replace("TIMESTAMP", TIMESTAMP)
}

/// What came in: the page's own reports, and all other requests.
#[derive(Default)]
struct SeenRequests {
    told: Vec<String>,
    others: Vec<String>,
}

impl SeenRequests {
    fn gather(&mut self, archive: &Archive, cookies: bool) {
        for logged in archive.take_log() {
            assert!(cookies || !logged.headers.contains_key("cookie"), "{logged:?}");
            match logged.target.split_once("/report?") {
                Some((_, report)) => self.told.push(report.replace("%20", " ")),
                None => self.others.push(format!("{} {}", logged.method, logged.target)),
            }
        }
    }

    fn done(&self) -> bool {
        ["page done", "inner done"].iter().all(|done| self.told.iter().any(|line| line == done))
    }

    /// Watches a page until it has made all its attempts, and some time longer: it leaves at last.
    fn watch(
        browser: &Browser,
        address: &str,
        hosts: &str,
        archive: &Archive,
        cookies: bool,
    ) -> (SeenRequests, Visit) {
        let mut seen = SeenRequests::default();
        let mut further = 30;
        let visit = browser.watch(address, hosts, || {
            seen.gather(archive, cookies);
            further -= i32::from(seen.done());
            further < 0
        });
        seen.gather(archive, cookies);
        seen.told.sort();
        (seen, visit)
    }
}

#[test]
fn a_hostile_page_reaches_nothing() {
    let Some(browser) = Browser::find() else { return };
    let canary = Canary::start();
    let attempts = include_str!("hostile.js");
    let template = include_str!("hostile.html").replace("ATTEMPTS", attempts);

    // Live: the attempts are made.
    let mut live = Archive::default();
    let placed = page(&template, canary.address, "http://hostile.example/report");
    live.add("evil", &[File::new("http://hostile.example/page.html", "text/html", placed)]);
    let live = Arc::new(live);
    let address = serve(Arc::clone(&live), true);
    let hosts = format!("MAP *.example {address}, ");
    let arrived = |count: &AtomicUsize| count.load(Ordering::SeqCst);
    browser.watch("http://hostile.example/page.html", &hosts, || {
        arrived(&canary.connections) > 15 && arrived(&canary.packets) > 0
    });
    let (connections, packets) = canary.count();
    eprintln!("live: {connections} connections, {packets} packets");
    assert!(connections > 15 && packets > 0, "the hostile page is harmless: {connections} connections");

    // Archived: none arrives. The server's address is known only once it runs, so the page finds it as a hostile one would.
    for framed in [true, false] {
        let mut archive = Archive::default();
        let placed =
            page(&template, canary.address, "${HOST}/evil/TIMESTAMPim_/http://hostile.example/report");
        archive.add(
            "evil",
            &[
                File::new("http://hostile.example/page.html", "text/html", placed),
                File::new("http://hostile.example/ok.txt", "text/plain", "own text"),
            ],
        );
        archive.add(
            "private",
            &[
                File::new(
                    "http://private.example/",
                    "text/html",
                    "<title>SECRET</title><p>SECRET of the other collection",
                ),
                File::new(
                    "http://private.example/s.js",
                    "text/javascript",
                    "window.SECRET = 'SECRET of a script'",
                ),
                File::new("http://private.example/s.json", "application/json", "{\"a\":\"SECRET\"}"),
            ],
        );
        let archive = Arc::new(archive);
        let server = serve(Arc::clone(&archive), false);
        let address = match framed {
            true => format!("http://{server}/evil/{TIMESTAMP}/http://hostile.example/page.html"),
            // An address of what is in the frame, as a link from elsewhere could be: it is led to the frame.
            false => {
                let token = archive.tokens.of("evil");
                format!("http://{server}/evil/{TIMESTAMP}if_{token}/http://hostile.example/page.html")
            }
        };
        // A renderer that is stopped in the midst of its attempts says no more: they are made again, and none may arrive
        // in any.
        let mut unfinished = Vec::new();
        for _ in 0..3 {
            let (SeenRequests { told, others }, visit) =
                SeenRequests::watch(&browser, &address, "", &archive, false);
            assert!(!told.iter().any(|line| line.contains("SECRET")), "{told:?}");
            assert!(!told.iter().any(|line| line.contains("REACHED")), "{told:?}");
            let inside = |request: &&String| !request.contains(" /evil/") && *request != "GET /favicon.ico";
            let outside: Vec<_> = others.iter().filter(inside).collect();
            assert!(outside.is_empty(), "{outside:?}");
            assert_eq!(visit.peers(), ["127.0.0.1"]);
            assert_eq!(canary.count(), (0, 0), "connections and packets, framed: {framed}");
            let said = |what: &str| told.iter().any(|line| line.starts_with(what));
            // It ran, read its own, and came to the end.
            let finished = said("page own own text") && said("page done") && said("inner done");
            unfinished = if finished { Vec::new() } else { told };
            if finished {
                break;
            }
        }
        assert!(unfinished.is_empty(), "{unfinished:?}");
    }
}

#[test]
fn a_page_that_leaves_is_led_into_the_archive_or_held_back() {
    let Some(browser) = Browser::find() else { return };
    let canary = Canary::start();
    // The name is put together, so that the server does not see it: this script has the browser's own `location`.
    let evading = "const d = document; d[['loca', 'tion'].join('')].href =";
    for (to, arrives) in [
        (format!("http://{}/away", canary.address), Some(format!("http://{}/away", canary.address))),
        ("/other.html".to_owned(), Some("http://hostile.example/other.html".to_owned())),
        // Another collection's address is, seen from the page, a path on its own host.
        (
            format!("/private/{TIMESTAMP}mp_/http://private.example/"),
            Some(format!("http://hostile.example/private/{TIMESTAMP}mp_/http://private.example/")),
        ),
        (format!("http://{}/away", canary.address), None),
        (format!("/private/{TIMESTAMP}mp_/http://private.example/"), None),
    ] {
        let how = if arrives.is_some() { "location.href =" } else { evading };
        let page = format!("<p>leaving</p><script>setTimeout(() => {{ {how} '{to}' }}, 200)</script>");
        let mut archive = Archive::default();
        archive.add("evil", &[File::new("http://hostile.example/page.html", "text/html", page)]);
        archive.add("private", &[File::new("http://private.example/", "text/html", "SECRET")]);
        let archive = Arc::new(archive);
        let server = serve(Arc::clone(&archive), false);
        let address = format!("http://{server}/evil/{TIMESTAMP}/http://hostile.example/page.html");
        let inside = format!("/evil/{TIMESTAMP}mp_{}/", archive.tokens.of("evil"));
        let mut seen = SeenRequests::default();
        // Held back, the page is shown again, once.
        let (expected, times) = match &arrives {
            Some(url) => (format!("{inside}{url}"), 1),
            None => (format!("{inside}http://hostile.example/page.html"), 2),
        };
        let came = |seen: &SeenRequests| {
            seen.others.iter().filter(|request| request.contains(&expected)).count() >= times
        };
        let visit = browser.watch(&address, "", || {
            seen.gather(&archive, false);
            came(&seen)
        });
        assert!(came(&seen), "{to}: {expected} in {:?}", seen.others);
        assert!(
            !seen.others.iter().any(|request| request.starts_with("GET /private/")),
            "{to}: {:?}",
            seen.others
        );
        assert_eq!(visit.peers(), ["127.0.0.1"]);
        assert_eq!(canary.count(), (0, 0), "{to}");
    }
}
