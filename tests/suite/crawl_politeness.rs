//! The proof of politeness: what a server saw of a crawl, held against what its hosts asked for.
//!
//! Nothing here looks at the crawler: arrivals are the server's, delays and rules are those of the simulated Web. Times
//! need no allowance for a busy machine, since a request may only come later than it must: the crawler counts from the end of an
//! answer, the server from its own arrivals. Two milliseconds are for rounding.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use webmill::capture::{CanonicalUrl, Response};
use webmill::crawl::CrawlOptions;
use webmill::crawl::event::outcome;
use webmill::sim::{
    Answer, Config, Expect, FeatureShares, Happening, HostShares, LoggedRequest, PageShares, Recording,
    RobotsShares, ServeOptions, Server, SimConfig,
};

use super::crawl_support::{
    Change, Served, Worked, Written, crawl, events, exchanges, message, none, page, serve, swift, whole,
};

/// What a server may expect of a crawler.
struct Manners<'a> {
    /// Least time from one request of a host to the next, ms.
    delay_ms: &'a dyn Fn(&str) -> u64,
    backoff_ms: u64,
    max_backoff_ms: u64,
    /// Head of the answer that was given.
    head: &'a dyn Fn(&LoggedRequest) -> Vec<u8>,
    /// Whether robots.txt and `nofollow` let a URL be asked for.
    may_ask: &'a dyn Fn(&str) -> bool,
    user_agent: &'a str,
    /// Whether a connection is of one host only, so that idle ones count.
    own_connections: bool,
}

const ROUNDING: Duration = Duration::from_millis(2);

/// Every breach of manners that a recording shows.
fn breaches(record: &Recording, manners: &Manners<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut by_host: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for exchange in exchanges(record) {
        if exchange.asked.user_agent != manners.user_agent {
            faults.push(format!("agent: {:?} asks for {}", exchange.asked.user_agent, exchange.asked.url));
        }
        if !(manners.may_ask)(&exchange.asked.url) {
            faults.push(format!("robots: {} must not be asked for", exchange.asked.url));
        }
        by_host.entry(exchange.asked.host.clone()).or_default().push(exchange);
    }
    for (host, list) in by_host {
        if !list[0].asked.url.ends_with("/robots.txt") {
            faults.push(format!("robots: {} is asked for before robots.txt", list[0].asked.url));
        }
        let mut failures = 0_u32;
        for (i, now) in list.iter().enumerate().skip(1) {
            let before = &list[i - 1];
            let asked = &before.asked;
            let gap = now.at - before.at + ROUNDING;
            let mut least = |kind: &str, ms: u64| {
                if gap < Duration::from_millis(ms) {
                    faults
                        .push(format!("{kind}: {} {gap:?} after {}, not {ms} ms", now.asked.url, asked.url));
                }
            };
            least("delay", (manners.delay_ms)(&host));
            failures = match asked.status {
                0 | 408 | 425 | 429 | 500..=599 => failures + 1,
                _ => 0,
            };
            if matches!(asked.status, 429 | 503) {
                // Each refusal doubles the pause; how far back the row goes only the crawler knows.
                least("backoff", 2 * DELAY_MS);
            } else if failures > 0 {
                least("backoff", (manners.backoff_ms << (failures - 1).min(20)).min(manners.max_backoff_ms));
            }
            if matches!(asked.status, 429 | 503) {
                let head = (manners.head)(asked);
                let wait = Response::parse(&head).header("retry-after").map(<[u8]>::to_vec);
                let seconds = wait.and_then(|v| String::from_utf8(v).ok()?.trim().parse::<u64>().ok());
                least("retry-after", seconds.unwrap_or(0) * 1000);
            }
            for earlier in &list[..i] {
                if earlier.done.is_none_or(|done| done > now.at) {
                    faults.push(format!("overlap: {} during {}", now.asked.url, earlier.asked.url));
                }
                let other = earlier.asked.connection != now.asked.connection;
                if manners.own_connections && other && earlier.left.is_none_or(|left| left > now.at) {
                    faults
                        .push(format!("connections: {} beside that of {}", now.asked.url, earlier.asked.url));
                }
            }
        }
    }
    faults
}

const DELAY_MS: u64 = 200;
const BACKOFF_MS: u64 = 300;
const MAX_BACKOFF_MS: u64 = 900;
const AGENT: &str = "webmill/0 (+https://crawler.example/)";

/// Few pages on hosts of every kind.
fn town(seed: u64) -> SimConfig {
    SimConfig {
        web: Config { seed, pages: 160, pages_per_host: 4, words: 20, ..Config::default() },
        hosts: HostShares::alike(0.25),
        robots: RobotsShares::alike(0.9),
        features: FeatureShares {
            refresh: 0.1,
            loops: 0.1,
            marks: 0.1,
            nofollow: 0.2,
            moved: 0.2,
            gone: 0.1,
            sessions: 0.2,
            ..FeatureShares::none()
        },
        pages: PageShares {
            failing: 0.08,
            passing: 0.1,
            busy: 0.2,
            dropped: 0.04,
            unbounded: 0.1,
            ..PageShares::none()
        },
        slow_ms: 400,
        time_out_ms: 300,
        retry_after_s: 1,
        crawl_delay_s: 0.5,
        ..SimConfig::default()
    }
}

fn polite(proxy: String) -> CrawlOptions {
    let mut options = swift(proxy);
    options.connections = 64;
    options.politeness.delay_ms = DELAY_MS;
    options.politeness.backoff_ms = BACKOFF_MS;
    options.politeness.max_backoff_ms = MAX_BACKOFF_MS;
    options.politeness.max_failures = 4;
    options.fetch.user_agent = AGENT.into();
    options.fetch.idle_ms = 800;
    options
}

/// The crawl of a town, and the breaches that its server saw.
fn visit(config: SimConfig, change: impl FnOnce(&mut CrawlOptions)) -> (Vec<String>, Vec<LoggedRequest>) {
    let served = Served::new(config);
    let mut options = polite(served.server.proxy());
    options.fetch.share_proxy = false;
    change(&mut options);
    let folder = tempfile::tempdir().unwrap();
    crawl(folder.path(), &options, &served.seeds());
    let sim = &served.sim;
    let truth = sim.truth();
    let delay =
        |host: &str| DELAY_MS.max(truth.crawl_delay_s(host).map_or(0, |seconds| (seconds * 1000.0) as u64));
    let head = |asked: &LoggedRequest| sim.answer(&asked.method, &asked.url, asked.attempt).message;
    let may_ask = |url: &str| {
        let expect = truth.expect(url);
        expect.may_be_asked() && expect != Expect::Duplicate
    };
    let faults = breaches(
        &served.record,
        &Manners {
            delay_ms: &delay,
            backoff_ms: BACKOFF_MS,
            max_backoff_ms: MAX_BACKOFF_MS,
            head: &head,
            may_ask: &may_ask,
            user_agent: AGENT,
            own_connections: !options.fetch.share_proxy,
        },
    );
    (faults, served.record.requests().into_iter().map(|(_, asked)| asked).collect())
}

#[test]
fn servers_see_a_polite_crawler() {
    let kept = |_: &mut CrawlOptions| {};
    let closed = |options: &mut CrawlOptions| options.fetch.keep_alive_ms = 0;
    let shared = |options: &mut CrawlOptions| {
        options.fetch.share_proxy = true;
        // With no delay of our own all that is left is what the servers ask for.
        options.politeness.delay_ms = DELAY_MS;
    };
    let changes: [fn(&mut CrawlOptions); 3] = [kept, closed, shared];
    std::thread::scope(|scope| {
        let visits: Vec<_> = changes
            .iter()
            .enumerate()
            .map(|(i, change)| scope.spawn(move || visit(town(i as u64 + 1), change)))
            .collect();
        for visit in visits {
            let (faults, requests) = visit.join().unwrap();
            none(&faults);
            // What was to be proven was there to be seen.
            let hosts: HashSet<&str> = requests.iter().map(|asked| &*asked.host).collect();
            assert!(requests.len() > 150 && hosts.len() > 25, "{} requests", requests.len());
            for status in [0, 200, 429, 500, 503] {
                assert!(requests.iter().any(|asked| asked.status == status), "no answer {status}");
            }
            assert!(requests.iter().any(|asked| asked.url.contains("/robots/")), "no robots.txt moved");
        }
    });
}

#[test]
fn the_proof_can_fail() {
    let kinds = |faults: &[String]| -> HashSet<String> {
        faults.iter().map(|fault| fault.split(':').next().unwrap().to_owned()).collect()
    };
    let (faults, _) = visit(town(1), |options| {
        options.politeness.delay_ms = 0;
        options.politeness.backoff_ms = 1;
        options.politeness.max_retry_after_ms = 0;
        options.politeness.max_crawl_delay_ms = 0;
        options.obey_robots = false;
        options.fetch.user_agent = "somebody".into();
    });
    let kinds_seen = kinds(&faults);
    for kind in ["delay", "backoff", "retry-after", "robots", "agent"] {
        assert!(kinds_seen.contains(kind), "{kind}: {kinds_seen:?}");
    }
    // Each alone is seen too.
    let alone: [(&str, Change); 3] = [
        ("delay", |options| options.politeness.max_crawl_delay_ms = 0),
        ("retry-after", |options| options.politeness.max_retry_after_ms = 0),
        ("backoff", |options| options.politeness.max_backoff_ms = 300),
    ];
    std::thread::scope(|scope| {
        let visits: Vec<_> = alone
            .iter()
            .map(|(kind, change)| scope.spawn(move || (kind, visit(town(1), change).0)))
            .collect();
        for visit in visits {
            let (kind, faults) = visit.join().unwrap();
            assert_eq!(kinds(&faults), [kind.to_string()].into(), "{faults:?}");
        }
    });
}

/// Two connections to a host, two requests at once: crawlers that never were.
#[test]
fn a_second_connection_is_a_breach() {
    let record = Recording::default();
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let ask = |connection, path: &str, ms| {
        let url = format!("http://a.example{path}");
        let asked = LoggedRequest {
            connection,
            method: "GET".into(),
            host: "a.example".into(),
            url,
            user_agent: AGENT.into(),
            if_none_match: None,
            if_modified_since: None,
            attempt: 0,
            status: 200,
        };
        record.push(at(ms), Happening::Asked(asked));
    };
    ask(0, "/robots.txt", 0);
    record.push(at(5), Happening::Answered(0));
    ask(0, "/", 1000);
    record.push(at(1005), Happening::Answered(0));
    // Nothing is under way, but the first connection is open still.
    ask(1, "/b", 2000);
    record.push(at(2001), Happening::Closed(0));
    ask(2, "/c", 3000);
    let manners = Manners {
        delay_ms: &|_| 1000,
        backoff_ms: 1,
        max_backoff_ms: 1,
        head: &|_| Vec::new(),
        may_ask: &|_| true,
        user_agent: AGENT,
        own_connections: true,
    };
    let faults: Vec<String> =
        breaches(&record, &manners).iter().map(|fault| fault.replace("http://a.example", "")).collect();
    assert_eq!(
        faults,
        [
            "connections: /b beside that of /robots.txt",
            "connections: /b beside that of /",
            "overlap: /c during /b",
            "connections: /c beside that of /b"
        ]
    );
    let faults = breaches(&record, &Manners { own_connections: false, delay_ms: &|_| 1003, ..manners });
    assert_eq!(faults.iter().filter(|fault| fault.starts_with("delay: ")).count(), 3, "{faults:?}");
    assert_eq!(faults.iter().filter(|fault| fault.starts_with("overlap: ")).count(), 1, "{faults:?}");
}

/// `Retry-After` on a robots.txt, and a robots.txt that lies on another host, which has a delay of its own.
#[test]
fn what_robots_txt_itself_asks_for_is_obeyed() {
    let rules = |text: &str| message("200 OK", "Content-Type: text/plain\r\n", text);
    let busy = message("503 Service Unavailable", "Retry-After: 1\r\n", "later");
    let moved = |to: &str| message("301 Moved Permanently", &format!("Location: {to}\r\n"), "");
    let web = Written::default()
        .answer("http://busy.example/robots.txt", busy.clone())
        .answer("http://busy.example/robots.txt", rules("User-agent: *\nDisallow: /private/\n"))
        .page("http://busy.example/", &["/a", "/private/b"])
        .page("http://busy.example/a", &[])
        .page("http://busy.example/private/b", &[])
        .answer("http://moved.example/robots.txt", moved("http://other.example/rules.txt"))
        .page("http://moved.example/", &["/no", "/yes"])
        .page("http://moved.example/yes", &[])
        .page("http://moved.example/no", &[])
        .answer("http://too.example/robots.txt", moved("http://other.example/rules.txt"))
        .page("http://too.example/", &["/no"])
        .answer("http://other.example/robots.txt", rules("User-agent: webmill\nCrawl-delay: 0.6\n"))
        .answer("http://other.example/rules.txt", rules("User-agent: *\nDisallow: /no\n"))
        .page("http://other.example/", &["/1", "/2"])
        .page("http://other.example/1", &[])
        .page("http://other.example/2", &[]);
    let seeds = ["busy", "moved", "too", "other"].map(|host| format!("http://{host}.example/"));
    let seeds: Vec<_> = seeds.iter().map(|url| CanonicalUrl::parse(url).unwrap()).collect();
    let (server, record) = serve(web.clone());
    let folder = tempfile::tempdir().unwrap();
    let mut options = polite(server.proxy());
    options.fetch.share_proxy = false;
    let totals = crawl(folder.path(), &options, &seeds);
    let head = |asked: &LoggedRequest| web.of(&asked.url, asked.attempt).message;
    let manners = Manners {
        delay_ms: &|host| if host == "other.example" { 200 } else { DELAY_MS },
        backoff_ms: BACKOFF_MS,
        max_backoff_ms: MAX_BACKOFF_MS,
        head: &head,
        may_ask: &|url| !url.contains("private") && !url.ends_with("/no"),
        user_agent: AGENT,
        own_connections: true,
    };
    let mut faults = breaches(&record, &manners);
    // Rules of another host may be asked for before that host's own robots.txt: they are not a page.
    faults.retain(|fault| fault != "robots: http://other.example/rules.txt is asked for before robots.txt");
    none(&faults);
    assert_eq!(totals.stored, 2 + 2 + 1 + 3, "{:?}", record.counts());
    // Its Crawl-delay holds from when it is known.
    let other: Vec<_> = record.requests().into_iter().filter(|(_, a)| a.host == "other.example").collect();
    let known = other.iter().position(|(_, asked)| asked.url.ends_with("/robots.txt")).unwrap();
    for pair in other[known..].windows(2) {
        assert!(pair[1].0 - pair[0].0 + ROUNDING >= Duration::from_millis(600), "{other:?}");
    }
}

/// Hosts with four pages each, on a port of their own.
fn village(url: &str, _: u32) -> Answer {
    match url.rsplit('/').next() {
        Some("robots.txt") => {
            whole(message("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /no\n"))
        }
        Some("") => whole(page(url, &["/1", "/2", "/3", "/no"])),
        // A server that does not keep connections, and says so or does not.
        Some("2") => {
            let old = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>old</p>".to_vec();
            Answer { ending: webmill::sim::Ending::Close, ..whole(old) }
        }
        _ => whole(page(url, &["/"])),
    }
}

const IP_DELAY_MS: u64 = 150;

/// A crawl without proxy of twelve hosts on four addresses: the server's record, and the address of each host.
fn visit_directly(ip_delay_ms: u64) -> (Arc<Recording>, HashMap<String, IpAddr>) {
    let record = Arc::new(Recording::default());
    let options = ServeOptions { address: (Ipv4Addr::UNSPECIFIED, 0).into(), recorder: Some(record.clone()) };
    let server = Server::start(Worked(village), options).unwrap();
    let port = server.address().port();
    let mut options = polite(String::new());
    options.fetch.proxy = None;
    options.fetch.allow_private = true;
    options.fetch.ip_delay_ms = Some(ip_delay_ms);
    let mut addresses = HashMap::new();
    let mut seeds = Vec::new();
    for n in 0..12_u8 {
        let (host, ip) = (format!("h{n}.village.example"), IpAddr::from([127, 0, 0, 1 + n % 4]));
        options.fetch.dns.hosts.insert(host.clone(), ip);
        seeds.push(CanonicalUrl::parse(&format!("http://{host}:{port}/")).unwrap());
        addresses.insert(format!("{host}:{port}"), ip);
    }
    let folder = tempfile::tempdir().unwrap();
    let totals = crawl(folder.path(), &options, &seeds);
    assert_eq!((totals.stored, totals.outcomes.get(outcome::ROBOTS_DENIED)), (48, 12), "{totals:?}");
    for event in events(folder.path()).iter().filter(|event| event.status.is_some()) {
        let host = event.url.split('/').nth(2).unwrap();
        assert_eq!(event.ip, Some(addresses[host].to_string()), "{}", event.url);
    }
    (record, addresses)
}

/// The shortest time for eight requests of one address after another, in units of the delay.
fn pace(record: &Recording, addresses: &HashMap<String, IpAddr>) -> f64 {
    let mut by_ip: BTreeMap<IpAddr, Vec<Instant>> = BTreeMap::new();
    for (at, asked) in record.requests() {
        by_ip.entry(addresses[&asked.host]).or_default().push(at);
    }
    let spans = by_ip.values().flat_map(|times| times.windows(9).map(|nine| nine[8] - nine[0]));
    spans.min().unwrap().as_secs_f64() * 1000.0 / (8 * IP_DELAY_MS) as f64
}

#[test]
fn addresses_have_their_delay_too() {
    let (record, addresses) = visit_directly(IP_DELAY_MS);
    let manners = Manners {
        delay_ms: &|_| DELAY_MS,
        backoff_ms: BACKOFF_MS,
        max_backoff_ms: MAX_BACKOFF_MS,
        head: &|_| Vec::new(),
        may_ask: &|url| !url.ends_with("/no"),
        user_agent: AGENT,
        own_connections: true,
    };
    none(&breaches(&record, &manners));
    // Requests of several hosts are sent at their time but may arrive together on a busy machine: not each gap counts,
    // but the time that several take.
    assert!(pace(&record, &addresses) > 0.8, "{}", pace(&record, &addresses));
    let (record, addresses) = visit_directly(0);
    assert!(pace(&record, &addresses) < 0.8, "{}", pace(&record, &addresses));
}

#[test]
fn private_addresses_are_not_even_connected_to() {
    let record = Arc::new(Recording::default());
    let options = ServeOptions { address: (Ipv4Addr::UNSPECIFIED, 0).into(), recorder: Some(record.clone()) };
    let server = Server::start(Worked(village), options).unwrap();
    let port = server.address().port();
    let mut options = polite(String::new());
    options.fetch.proxy = None;
    options.fetch.dns.hosts.insert("inside.example".into(), IpAddr::from([127, 0, 0, 3]));
    let hosts = ["inside.example", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"];
    let seeds: Vec<_> =
        hosts.iter().map(|host| CanonicalUrl::parse(&format!("http://{host}:{port}/")).unwrap()).collect();
    let distinct: HashSet<&str> = seeds.iter().map(CanonicalUrl::as_str).collect();
    let folder = tempfile::tempdir().unwrap();
    let totals = crawl(folder.path(), &options, &seeds);
    // Of each, its robots.txt and its page.
    assert_eq!(totals.outcomes.get(outcome::PRIVATE_ADDRESS), 2 * distinct.len() as u64, "{totals:?}");
    assert_eq!((server.connections(), totals.stored), (0, 0));
}
