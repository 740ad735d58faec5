//! A crawl of a simulated Web against its truth: everything that must be stored is, once; nothing else is; every URL's end is in the
//! event log; the order of fetching is the strategy's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use webmill::capture::{CanonicalUrl, Response};
use webmill::crawl::archive::ArchiveFormat;
use webmill::crawl::event::{Event, outcome};
use webmill::crawl::frontier::Strategy;
use webmill::crawl::{CrawlOptions, Purpose};
use webmill::sim::{
    Config, Coverage, Expect, FeatureShares, HostShares, PageShares, Rest, RobotsShares, SimConfig, SimWeb,
    Trap,
};

use super::crawl_support::{
    Served, Stored, Written, answers, crawl, events, lively, none, outcomes, serve, swift,
};

/// The bytes that a page's server sends once its trouble has passed, where they are known to the end.
fn whole_message(sim: &SimWeb, url: &str) -> Option<Vec<u8>> {
    let answer = sim.answer("GET", url, 9);
    match answer.rest {
        Rest::None => Some(answer.message),
        Rest::Drip { pieces, endless: false, .. } => Some([answer.message, pieces.concat()].concat()),
        _ => None,
    }
}

/// Where redirects lead from a URL, at most ten of them.
fn followed(sim: &SimWeb, from: &str) -> Vec<String> {
    let mut at = CanonicalUrl::parse(from).unwrap();
    let mut path = vec![from.to_owned()];
    for _ in 0..10 {
        let answer = sim.answer("GET", at.as_str(), 9);
        let response = Response::parse(&answer.message);
        let Some(to) = response.header("location") else { break };
        at = at.join(std::str::from_utf8(to).unwrap()).unwrap();
        path.push(at.as_str().to_owned());
    }
    path
}

/// Pages among the answers of a crawl: in WARC all answers are stored.
fn pages(folder: &Path) -> Vec<Stored> {
    let mut pages = answers(folder);
    pages.retain(|page| {
        let path = page.url.splitn(4, '/').nth(3).unwrap_or("");
        let service = path == "robots.txt" || path.starts_with("robots/") || path.starts_with("sitemap");
        !service && (200..300).contains(&Response::parse(&page.data).status.unwrap_or(0))
    });
    pages
}

/// Outcomes that fit what must become of a URL.
fn fits(expect: Expect, event: &Event) -> bool {
    let ends: &[&str] = match expect {
        Expect::Store => &[outcome::STORED],
        Expect::StoreCut => &[outcome::STORED, outcome::CUT_OFF],
        Expect::Redirect => &[outcome::REDIRECT, outcome::TOO_MANY_REDIRECTS],
        Expect::Gone => &[outcome::GONE, outcome::CLIENT_ERROR],
        Expect::Failed => &[outcome::SERVER_ERROR, outcome::DISCONNECT, outcome::PROTOCOL_ERROR],
        Expect::Denied => &[outcome::ROBOTS_DENIED, outcome::ROBOTS_UNREACHABLE],
        Expect::Dead => &[outcome::ROBOTS_UNREACHABLE, outcome::HOST_UNREACHABLE, outcome::NO_SUCH_HOST],
        _ => return false,
    };
    let gone = event.outcome == outcome::GONE;
    ends.contains(&&*event.outcome)
        && gone == (expect == Expect::Gone && matches!(event.status, Some(404 | 410)))
}

/// Everything in which a finished crawl differs from the truth. `excused`: URLs of which some may be missing.
pub fn differences(
    sim: &SimWeb,
    truth: &Coverage<'_>,
    folder: &Path,
    excused: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut stored: BTreeMap<String, Stored> = BTreeMap::new();
    for page in pages(folder) {
        let expect = truth.expect(&page.url);
        if !(expect.is_stored() || excused(&page.url) && expect == Expect::Trap) {
            faults.push(format!("{} is stored: {}", page.url, expect.name()));
        }
        if expect == Expect::Store {
            if page.truncated.is_some() {
                faults.push(format!("{} is said to be truncated", page.url));
            }
            if whole_message(sim, &page.url).is_some_and(|sent| sent != page.data) {
                faults.push(format!("{} is stored with other bytes than were sent", page.url));
            }
        }
        if let Some(origin) = &page.origin {
            let path = followed(sim, origin);
            if path.len() < 2 || !path.contains(&page.url) {
                faults.push(format!("{} has the origin {origin}, which leads to {path:?}", page.url));
            }
        }
        if let Some(twice) = stored.insert(page.url.clone(), page) {
            faults.push(format!("{} is stored twice", twice.url));
        }
    }
    let ends = outcomes(folder);
    for page in truth.pages() {
        let events = ends.get(&page.url).map_or(&[][..], Vec::as_slice);
        let is_stored = stored.contains_key(&page.url);
        let name = page.expect.name();
        match (page.expect, events) {
            (Expect::Unknown, []) => {}
            (_, []) if excused(&page.url) => {}
            (expect, [event]) if fits(expect, event) => {
                if is_stored != expect.is_stored() {
                    faults.push(format!("{} ({name}) is not in the shards as its event says", page.url));
                }
            }
            (_, [event]) if excused(&page.url) && event.outcome == outcome::PATTERN_CUT => {}
            (_, events) => {
                let ends: Vec<_> = events.iter().map(|e| (&e.outcome, e.status)).collect();
                faults.push(format!("{} must be {name}, but ended as {ends:?}", page.url));
            }
        }
    }
    faults
}

/// Requests that an obedient crawler does not make, by what the server saw.
fn forbidden_requests(served: &Served, truth: &Coverage<'_>) -> Vec<String> {
    let requests = served.record.requests().into_iter().map(|(_, asked)| asked);
    let wrong = requests.filter(|asked| {
        let expect = truth.expect(&asked.url);
        !expect.may_be_asked() || expect == Expect::Duplicate
    });
    wrong.map(|asked| format!("{} was asked for: {}", asked.url, truth.expect(&asked.url).name())).collect()
}

fn crawl_all(seed: u64, change: impl FnOnce(&mut CrawlOptions)) {
    let served = Served::new(lively(2_500, seed));
    let mut options = served.options();
    change(&mut options);
    let folder = tempfile::tempdir().unwrap();
    crawl(folder.path(), &options, &served.seeds());
    let truth = served.sim.truth();
    none(&differences(&served.sim, &truth, folder.path(), &|_| false));
    none(&forbidden_requests(&served, &truth));
    // The truth had something of everything.
    let mut counts: BTreeMap<Expect, usize> = BTreeMap::new();
    truth.pages().for_each(|page| *counts.entry(page.expect).or_default() += 1);
    for expect in [
        Expect::Store,
        Expect::StoreCut,
        Expect::Redirect,
        Expect::Gone,
        Expect::Failed,
        Expect::Dead,
        Expect::Denied,
        Expect::Unknown,
    ] {
        assert!(counts.get(&expect).is_some_and(|n| *n > 3), "{expect:?}: {counts:?}");
    }
    let origins = pages(folder.path()).iter().filter(|page| page.origin.is_some()).count();
    assert!(origins > 10, "{origins} pages behind redirects");
    let told = events(folder.path());
    assert!(told.iter().any(|event| event.outcome == outcome::TOO_MANY_REDIRECTS));
    assert!(told.iter().any(|event| event.purpose == Purpose::Sitemap && event.outcome == outcome::SITEMAP));
    assert!(told.iter().any(|event| {
        event.robots_reason.as_deref().is_some_and(|r| r.starts_with('/') || r.contains(": /"))
    }));
}

#[test]
fn breadth_first_finds_the_whole_truth() {
    crawl_all(21, |_| {});
}

#[test]
fn depth_first_finds_the_whole_truth_in_warc() {
    crawl_all(22, |options| {
        options.strategy = Strategy::Depth;
        options.archive.format = ArchiveFormat::Warc;
        options.archive.max_shard_bytes = 500_000;
    });
}

#[test]
fn best_first_finds_the_whole_truth() {
    crawl_all(23, |options| {
        options.strategy = Strategy::Best;
        options.archive.max_shard_bytes = 300_000;
        options.part_events = 500;
        // Few hosts fit into memory: the others are parked on disk and come back.
        options.memory = 16 << 20;
    });
}

/// Pages of each trap that may be stored before the crawler must have had enough.
const TRAP_PAGES: usize = 400;

#[test]
fn traps_are_cut_off() {
    let config = SimConfig {
        web: Config { pages: 600, pages_per_host: 10, words: 60, mirrors: 0.0, ..lively(1, 41).web },
        features: FeatureShares { traps: 1.0, sessions: 0.5, ..FeatureShares::none() },
        hosts: HostShares::none(),
        robots: RobotsShares { folders: 0.3, ..RobotsShares::none() },
        pages: PageShares::none(),
        ..lively(1, 41)
    };
    let served = Served::new(config);
    let mut options = served.options();
    options.connections = 64;
    let folder = tempfile::tempdir().unwrap();
    crawl(folder.path(), &options, &served.seeds());
    let truth = served.sim.truth();
    let host = |url: &str| url.split('/').nth(2).unwrap().to_owned();
    let told = events(folder.path());
    let cut: Vec<&Event> = told.iter().filter(|event| event.outcome == outcome::PATTERN_CUT).collect();
    let honest: Vec<String> = cut
        .iter()
        .filter(|event| truth.expect(&event.url) != Expect::Trap)
        .map(|event| format!("{} was cut: {:?}", event.url, event.detail))
        .collect();
    none(&honest);
    let traps: BTreeMap<String, Trap> = truth.trap_hosts().collect();
    none(&differences(&served.sim, &truth, folder.path(), &|url| {
        traps.contains_key(&host(url)) && truth.expect(url) == Expect::Trap
    }));
    none(&forbidden_requests(&served, &truth));
    let mut depth: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for page in pages(folder.path()) {
        if let (Expect::Trap, Some((host, trap))) =
            (truth.expect(&page.url), traps.get_key_value(&host(&page.url)))
        {
            *depth.entry((trap.name(), host)).or_default() += 1;
        }
    }
    for trap in Trap::ALL {
        let of: Vec<usize> =
            depth.iter().filter(|((name, _), _)| *name == trap.name()).map(|(_, n)| *n).collect();
        println!("{}: {of:?} pages stored of each host", trap.name());
        assert!(!of.is_empty() && of.iter().all(|n| *n <= TRAP_PAGES), "{}: {of:?}", trap.name());
    }
    assert!(!cut.is_empty());
}

/// What the server saw of a crawl with one connection, pages only.
fn order(config: &SimConfig, strategy: Strategy) -> Vec<String> {
    let served = Served::new(config.clone());
    let folder = tempfile::tempdir().unwrap();
    let mut options = CrawlOptions { strategy, connections: 1, ..served.options() };
    // One worker waits for all.
    options.politeness.max_backoff_ms = 20;
    crawl(folder.path(), &options, &served.seeds());
    served.record.requests().into_iter().map(|(_, asked)| asked.url).collect()
}

#[test]
fn one_worker_fetches_in_the_same_order_again() {
    let mut config = lively(500, 51);
    config.web.pages_per_host = 15;
    // What takes its time takes it from all.
    config.hosts = HostShares { refused: 0.05, reset: 0.05, ..HostShares::none() };
    config.pages.endless_drip = 0.0;
    config.robots.failing = 0.0;
    let mut orders = BTreeSet::new();
    for strategy in [Strategy::Breadth, Strategy::Depth, Strategy::Best] {
        let first = order(&config, strategy);
        let again = order(&config, strategy);
        let differ = first.iter().zip(&again).position(|(a, b)| a != b);
        assert_eq!(differ.map(|i| (i, &first[i], &again[i])), None);
        assert_eq!(first.len(), again.len());
        orders.insert(first);
    }
    assert_eq!(orders.len(), 3);
}

#[test]
fn breadth_first_goes_outwards() {
    // Without redirects: a page that a link found before the redirect did keeps the depth of the link.
    let web = Config { pages: 600, pages_per_host: 60, redirects: 0.0, ..lively(1, 52).web };
    let served = Served::new(SimConfig { web, ..SimConfig::plain(600, 10, 52) });
    let folder = tempfile::tempdir().unwrap();
    let options = CrawlOptions { connections: 1, ..served.options() };
    crawl(folder.path(), &options, &served.seeds());
    let truth = served.sim.truth();
    let depths: BTreeMap<String, u8> =
        truth.pages().filter_map(|page| Some((page.url, page.depth?))).collect();
    let mut told = events(folder.path());
    told.retain(|event| event.purpose == Purpose::Page);
    for event in &told {
        assert_eq!(u32::from(depths[&event.url]), event.depth, "{}", event.url);
    }
    assert!(told.is_sorted_by_key(|event| event.depth));
    assert!(told.len() > 400 && told.last().unwrap().depth >= 3);
}

/// Requests for pages of a written Web, by one worker.
fn walk(web: Written, seeds: &[&str], change: impl FnOnce(&mut CrawlOptions)) -> Vec<String> {
    let (server, record) = serve(web);
    let seeds: Vec<_> = seeds.iter().map(|url| CanonicalUrl::parse(url).unwrap()).collect();
    let mut options = CrawlOptions { connections: 1, sitemaps: false, ..swift(server.proxy()) };
    change(&mut options);
    let folder = tempfile::tempdir().unwrap();
    crawl(folder.path(), &options, &seeds);
    let urls = record.requests().into_iter().map(|(_, asked)| asked.url);
    urls.filter(|url| !url.ends_with("robots.txt"))
        .map(|url| url.strip_prefix("http://").unwrap().replace(".example", ""))
        .collect()
}

/// The worked example of a book: A links to B, C, D, E and F, E to H, F to G, H to I; D is the most important page, then B, C, A,
/// E, F, I, G and H.
#[test]
fn nine_pages_in_three_orders() {
    const LINKS: [(&str, &str); 9] = [
        ("a", "bcdef"),
        ("b", ""),
        ("c", ""),
        ("d", ""),
        ("e", "h"),
        ("f", "g"),
        ("g", ""),
        ("h", "i"),
        ("i", ""),
    ];
    let home = |page: char| format!("http://{page}.example/");
    let web = LINKS.iter().fold(Written::default(), |web, (page, links)| {
        let links: Vec<String> = links.chars().map(home).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        page.chars().fold(web, |web, page| web.page(&home(page), &links))
    });
    let within = |strategy, depth| {
        let order = walk(web.clone(), &["http://a.example/"], |options| {
            options.strategy = strategy;
            options.scope.max_depth = depth;
            options.scope.hosts.push("*.example".into());
            let priority = &mut options.priority;
            (priority.coefficients.popularity, priority.coefficients.parent) = (0.0, 0.0);
            let weights = "hgifeacbd"
                .chars()
                .zip(1..)
                .map(|(page, weight)| (format!("{page}.example"), f64::from(weight)));
            priority.domain_weights.extend(weights);
        });
        order.concat().replace('/', "")
    };
    assert_eq!(within(Strategy::Breadth, None), "abcdefhgi");
    assert_eq!(within(Strategy::Depth, None), "abcdehifg");
    assert_eq!(within(Strategy::Best, None), "adbcefghi");
    assert_eq!(within(Strategy::Breadth, Some(2)), "abcdefhg");
    assert_eq!(within(Strategy::Depth, Some(2)), "abcdehfg");
}

/// Three domains, of which one weighs more and one less. By the formula, a1 = 1, a3 = ½, a4 = −0.1, no popularity:
///
/// | page | a1·weight | a3·parent | a4·depth | priority |
/// |---|---|---|---|---|
/// | n/ | 0 | – | 0 | 0 |
/// | n/x/y | 0 | 0 | −0.2 | −0.2 |
/// | n/z | 0 | 0 | −0.1 | −0.1 |
/// | g/ | 2 | 0 | 0 | 2 |
/// | g/p | 2 | 1 | −0.1 | 2.9 |
/// | g/p/q/r | 2 | 1 | −0.3 | 2.7 (from g/), 3.15 (from g/p: comes second, not counted) |
/// | l/ | −1 | 0 | 0 | −1 |
/// | l/s | −1 | −0.5 | −0.1 | −1.6 |
/// | n/z/w | 0 | −0.05 | −0.2 | −0.25 |
#[test]
fn best_first_goes_by_the_formula() {
    let web = Written::default()
        .page("http://n.example/", &["http://l.example/", "/x/y", "/z", "http://g.example/"])
        .page("http://n.example/x/y", &[])
        .page("http://n.example/z", &["/z/w"])
        .page("http://n.example/z/w", &[])
        .page("http://g.example/", &["/p/q/r", "/p"])
        .page("http://g.example/p", &["/p/q/r"])
        .page("http://g.example/p/q/r", &[])
        .page("http://l.example/", &["/s"])
        .page("http://l.example/s", &[]);
    let best = |popularity: f64, web: &Written| {
        walk(web.clone(), &["http://n.example/"], |options| {
            options.strategy = Strategy::Best;
            options.scope.hosts.push("*.example".into());
            let priority = &mut options.priority;
            priority.coefficients = [1.0, popularity, 0.5, -0.1, 0.0, 0.0, 0.0].into();
            priority.domain_weights.insert("g.example".into(), 2.0);
            priority.domain_weights.insert("l.example".into(), -1.0);
        })
    };
    assert_eq!(best(0.0, &web), ["n/", "g/", "g/p", "g/p/q/r", "n/z", "n/x/y", "n/z/w", "l/", "l/s"]);
    // A second link to n/x/y: popularity lifts it over n/z, which has one.
    let linked = web.page("http://g.example/p/q/r", &[]);
    let linked = Written(
        linked
            .0
            .into_iter()
            .map(|(url, mut answers)| {
                if url == "http://g.example/p" {
                    answers = vec![super::crawl_support::page(&url, &["/p/q/r", "http://n.example/x/y"])];
                }
                (url, answers)
            })
            .collect(),
    );
    assert_eq!(best(0.0, &linked)[4..6], ["n/z", "n/x/y"]);
    assert_eq!(best(5.0, &linked)[4..6], ["n/x/y", "n/z"]);
}
