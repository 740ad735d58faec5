use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use webmill_capture::cut::Cut;

use super::sim_config::Trouble;
use super::*;

fn start(sim: &SimWeb) -> (Server, Arc<Recording>) {
    let recording = Arc::new(Recording::default());
    let options = ServeOptions { recorder: Some(recording.clone()), ..ServeOptions::default() };
    (Server::start(sim.clone(), options).unwrap(), recording)
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// What comes back until the server closes.
fn ask(server: &Server, request: &[u8]) -> Vec<u8> {
    let mut stream = connect(server);
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn get(server: &Server, url: &str) -> Vec<u8> {
    ask(server, format!("GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes())
}

fn status(answer: &[u8]) -> &str {
    std::str::from_utf8(answer.get(9..12).unwrap_or_default()).unwrap()
}

/// A page of a sound host whose answers are all of one trouble.
fn troubled(trouble: Trouble) -> (SimWeb, String) {
    let mut config = SimConfig { drip_ms: 3, huge_bytes: 300_000, ..SimConfig::plain(100, 3, 1) };
    config.bomb_bytes = 2 << 20;
    let one = |name: &str| {
        let mut shares = serde_json::to_value(PageShares::none()).unwrap();
        shares[name] = 1.0.into();
        serde_json::from_value(shares).unwrap()
    };
    let name = format!("{trouble:?}").chars().fold(String::new(), |mut name, c| {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
        name
    });
    config.pages = one(&name);
    let sim = SimWeb::new(config).unwrap();
    let url = sim.web().url(5);
    (sim, url)
}

#[test]
fn every_trouble_comes_over_the_wire() {
    for &trouble in Trouble::ALL {
        let (sim, url) = troubled(trouble);
        let (server, _) = start(&sim);
        let page = sim.web().page(5);
        if matches!(trouble, Trouble::Endless | Trouble::EndlessDrip) {
            let mut stream = connect(&server);
            write!(stream, "GET {url} HTTP/1.1\r\n\r\n").unwrap();
            let wanted = if trouble == Trouble::Endless { 2_000_000 } else { page.response.len() + 5 };
            let mut got = vec![0; wanted];
            stream.read_exact(&mut got).unwrap();
            assert!(got.windows(page.body().len()).any(|at| at == page.body()) && got.ends_with(b"   "));
            continue;
        }
        let first = get(&server, &url);
        let has = |text: &str| first.windows(text.len()).any(|at| at == text.as_bytes());
        let ends = |with: &[u8]| first.ends_with(with);
        let body = page.body();
        let fits = match trouble {
            Trouble::Failing => {
                status(&first).starts_with('5') && status(&get(&server, &url)).starts_with('5')
            }
            Trouble::Refused => status(&first).starts_with('4'),
            Trouble::Passing | Trouble::Busy => {
                get(&server, &url);
                let again = get(&server, &url);
                matches!(status(&first), "429" | "500" | "503")
                    && (trouble == Trouble::Passing || has("Retry-After: "))
                    && again.ends_with(body)
            }
            Trouble::Dropped => first.is_empty(),
            Trouble::HalfHead => first.starts_with(b"HTTP/1.1 200 OK") && !has("\r\n\r\n"),
            Trouble::Garbage => first.starts_with(b"\x16\x03"),
            Trouble::Huge => has("Content-Length: 300000\r\n") && first.len() > 300_000 && ends(b"  "),
            Trouble::Drip => ends(body),
            Trouble::Short => !ends(body) && has("</html>\n<!-- what"),
            Trouble::Long => ends(body) && has(&format!("Content-Length: {}\r\n", body.len() + 1000)),
            Trouble::Chunked => has("Transfer-Encoding: chunked") && ends(b"\r\n0\r\n\r\n"),
            Trouble::Trailers => has("Trailer: X-Sum") && ends(b"0\r\nX-Sum: 17\r\n\r\n"),
            Trouble::BrokenChunks => ends(b"xyz\r\nlost\r\n"),
            Trouble::Unbounded => !has("Content-Length") && ends(body),
            Trouble::Gzip => has("Content-Encoding: gzip") && !has("</html>"),
            Trouble::Brotli => has("Content-Encoding: br"),
            Trouble::Zstd => has("Content-Encoding: zstd"),
            Trouble::Bomb => has("Content-Encoding: gzip") && first.len() < 20_000,
            Trouble::Odd => first.starts_with(b"HTTP/1.1 200\n") && ends(body) && has("server:synth\n"),
            Trouble::Old => first.starts_with(b"HTTP/1.0 200 OK\r\n") && ends(body),
            Trouble::Endless | Trouble::EndlessDrip => unreachable!(),
        };
        assert!(fits, "{trouble:?}: {}", String::from_utf8_lossy(&first[..first.len().min(600)]));
    }
}

#[test]
fn every_health_comes_over_the_wire() {
    let mut config = SimConfig::plain(2000, 400, 1);
    config.hosts = HostShares::alike(0.95);
    (config.slow_ms, config.time_out_ms) = (80, 30);
    let sim = SimWeb::new(config).unwrap();
    let (server, _) = start(&sim);
    let mut seen = std::collections::HashSet::new();
    for host in 0..sim.web().hosts() {
        let (health, name) = (sim.health(host), sim.web().host_name(host));
        if !seen.insert(std::mem::discriminant(&health)) {
            continue;
        }
        let began = Instant::now();
        if health == Health::Silent {
            let mut stream = connect(&server);
            stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
            write!(stream, "GET http://{name}/ HTTP/1.1\r\n\r\n").unwrap();
            assert!(stream.read(&mut [0; 10]).is_err());
            continue;
        }
        let by_proxy = get(&server, &format!("http://{name}/"));
        let took = began.elapsed();
        let direct = ask(&server, format!("GET / HTTP/1.0\r\nHost: {name}\r\n\r\n").as_bytes());
        let text = String::from_utf8_lossy(&by_proxy);
        match health {
            Health::Sound => assert!(text.starts_with("HTTP/1.1 200") && direct == by_proxy),
            Health::Slow(ms) => assert!(took >= Duration::from_millis(ms.into()) && ms >= 20),
            Health::Down => assert!(text.starts_with("HTTP/1.1 500") && direct == by_proxy),
            Health::Refused => assert!(text.contains("X-Proxy-Error: connect") && direct.is_empty()),
            Health::Unresolved => assert!(text.contains("X-Proxy-Error: dns") && direct.is_empty()),
            Health::TimedOut => assert!(text.starts_with("HTTP/1.1 504") && took.as_millis() >= 30),
            Health::Reset | Health::Closed => assert!(by_proxy.is_empty() && direct.is_empty()),
            Health::Silent => {}
        }
    }
    assert_eq!(seen.len(), 9);
}

#[test]
fn the_wire_carries_what_the_plan_says() {
    let sim = SimWeb::new(sim_tests::lively(600, 2)).unwrap();
    let (server, _) = start(&sim);
    let mut compared = 0;
    for page in 0..600 {
        let url = sim.web().url(page);
        let answer = sim.answer("GET", &url, 0);
        if answer.status == 0 || answer.rest != Rest::None {
            continue;
        }
        assert!(get(&server, &url) == answer.message, "{url}");
        compared += 1;
    }
    assert!(compared > 300);
    assert_eq!(server.requests(), compared);
}

#[test]
fn requests_share_a_connection_and_may_come_in_a_row() {
    let sim = SimWeb::new(SimConfig::plain(200, 5, 1)).unwrap();
    let (server, recording) = start(&sim);
    let urls: Vec<String> = (0..20).map(|page| sim.web().url(page)).collect();
    let all: String =
        urls.iter().map(|url| format!("GET {url} HTTP/1.1\r\nUser-Agent: Row/1\r\n\r\n")).collect();
    let mut stream = connect(&server);
    // Cut in odd places.
    for piece in all.as_bytes().chunks(97) {
        stream.write_all(piece).unwrap();
    }
    let wanted: Vec<u8> = (0..20).flat_map(|page| sim.web().page(page).response).collect();
    let mut got = vec![0; wanted.len()];
    stream.read_exact(&mut got).unwrap();
    assert!(got == wanted);
    stream.write_all(b"HEAD http://www.nobody0.example/ HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(rest.starts_with(b"HTTP/1.1 502") && rest.ends_with(b"\r\n\r\n"));
    drop(stream);
    std::thread::sleep(Duration::from_millis(50));
    let requests = recording.requests();
    assert_eq!(
        requests.iter().map(|(_, asked)| &asked.url).take(20).collect::<Vec<_>>(),
        urls.iter().collect::<Vec<_>>()
    );
    assert!(requests.iter().all(|(_, asked)| asked.connection == 0) && requests[0].1.user_agent == "Row/1");
    assert!(recording.happenings().iter().any(|(_, what)| *what == Happening::Closed(0)));
    assert_eq!(server.connections(), 1);
}

#[test]
fn garbage_is_refused_and_survived() {
    let sim = SimWeb::new(SimConfig::plain(200, 5, 1)).unwrap();
    let (server, _) = start(&sim);
    let long = format!("GET http://x.example/{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(200));
    for (request, want) in [
        ("\r\n\r\n\0\0\0\0", "400"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/9.9\r\nHost: x\r\n\r\n", "400"),
        ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("CONNECT x.example:443 HTTP/1.1\r\n\r\n", "501"),
        ("GET https://x.example/ HTTP/1.1\r\n\r\n", "501"),
        ("POST http://x.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "501"),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", "413"),
        ("\x16\x03\x01\x02\0\x01\0\x01\u{fc}", "400"),
        (&long, "431"),
        (&many, "431"),
    ] {
        let answer = ask(&server, request.as_bytes());
        assert_eq!(status(&answer), want, "{}", request.cut(..request.len().min(60)));
    }
    let mut draws = draw::Draws::new(1, 2, 3);
    for _ in 0..200 {
        let noise: Vec<u8> = (0..draws.below(400)).map(|_| draws.next() as u8).collect();
        let mut stream = connect(&server);
        let _ = stream.write_all(&noise);
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let body = "POST http://x.example/ HTTP/1.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    assert_eq!(status(&ask(&server, body.as_bytes())), "405");
    assert!(get(&server, &sim.web().url(0)) == sim.web().page(0).response);
}

#[test]
fn an_address_in_use_is_said() {
    let sim = SimWeb::new(SimConfig::plain(100, 5, 1)).unwrap();
    let server = Server::start(sim.clone(), ServeOptions::default()).unwrap();
    let options = ServeOptions { address: server.address(), ..ServeOptions::default() };
    assert!(matches!(Server::start(sim, options), Err(webmill_capture::Error::Config(_))));
}

#[test]
fn conditions_come_over_the_wire_and_into_the_log() {
    let changes = crate::ChangeConfig { share: 1.0, without: 0.0, ..Default::default() };
    let sim = SimWeb::new(SimConfig { changes: Some(changes), ..SimConfig::plain(100, 10, 1) }).unwrap();
    let (server, record) = start(&sim);
    let url = sim.web().url(3);
    let conditional = format!("GET {url} HTTP/1.1\r\nIf-None-Match: \"v0\"\r\nConnection: close\r\n\r\n");
    assert!(ask(&server, conditional.as_bytes()).starts_with(b"HTTP/1.1 304 Not Modified\r\n"));
    sim.set_time(sim.time() + 86_400_000 * 400);
    assert_eq!(status(&ask(&server, conditional.as_bytes())), "200");
    let asked = record.requests();
    assert_eq!((asked[0].1.status, asked[0].1.if_none_match.as_deref()), (304, Some("\"v0\"")));
    assert_eq!(asked[0].1.if_modified_since, None);
}
