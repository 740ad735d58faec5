use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::io::Read;
use std::sync::LazyLock;

use proptest::prelude::*;
use regex::Regex;

use webmill_capture::error::Error;

use super::sim_trouble::Trouble;
use super::*;
use webmill_capture::chunked::decode;
use webmill_capture::{CanonicalUrl, Response};
use webmill_crawl::robots::Robots;

/// Plenty of everything, on few pages.
pub(super) fn lively(pages: u64, seed: u64) -> SimConfig {
    SimConfig {
        web: Config { seed, pages, pages_per_host: 25, words: 30, ..Config::default() },
        hosts: HostShares::alike(0.15),
        robots: RobotsShares::alike(0.8),
        features: FeatureShares::every(0.3),
        pages: PageShares::alike(0.5),
        huge_bytes: 200_000,
        bomb_bytes: 3 << 20,
        slow_ms: 4,
        time_out_ms: 5,
        drip_ms: 2,
        retry_after_s: 0,
        crawl_delay_s: 0.5,
        ..SimConfig::default()
    }
}

/// The body as a client understands it, endless ones up to a piece.
fn body_of(answer: &Answer) -> Vec<u8> {
    let (head, mut body) = answer.message.split_at(answer.head_len);
    let mut raw = body.to_vec();
    match &answer.rest {
        Rest::None => {}
        Rest::Repeat { piece, times, end } => {
            (0..times.unwrap_or(1)).for_each(|_| raw.extend_from_slice(piece));
            raw.extend_from_slice(end);
        }
        Rest::Drip { pieces, .. } => raw.extend(pieces.concat()),
    }
    body = &raw;
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let mut body = if head.contains("transfer-encoding: chunked") {
        decode(body, usize::MAX).bytes.into_owned()
    } else {
        body.to_vec()
    };
    if let Some((_, after)) = head.split_once("content-length:") {
        body.truncate(after.split(['\r', '\n']).next().unwrap().trim().parse().unwrap());
    }
    let mut out = Vec::new();
    if head.contains("content-encoding: gzip") {
        flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut out).unwrap();
    } else if head.contains("content-encoding: br") {
        brotli::Decompressor::new(&body[..], 4096).read_to_end(&mut out).unwrap();
    } else if head.contains("content-encoding: zstd") {
        out = zstd::decode_all(&body[..]).unwrap();
    } else {
        out = body;
    }
    out
}

fn header(answer: &Answer, name: &str) -> Option<String> {
    let head = String::from_utf8_lossy(&answer.message[..answer.head_len]).into_owned();
    let line = head
        .lines()
        .find(|line| line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name)))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// A simple obedient crawler: reads pages with regular expressions, robots.txt by the truth's rules.
struct Crawler<'a> {
    sim: &'a SimWeb,
    asked: BTreeSet<String>,
    stored: BTreeSet<String>,
    denied: BTreeSet<String>,
    queue: VecDeque<(String, u32)>,
    seen: HashSet<String>,
    rules: HashMap<u64, HostRules>,
    trap_pages: BTreeMap<u64, u32>,
    links: BTreeSet<(String, String)>,
}

impl Crawler<'_> {
    fn host(&self, url: &str) -> Option<u64> {
        self.sim.host_number(SimWeb::split(url)?.0)
    }

    fn add(&mut self, url: &str, redirects: u32) {
        static SESSION: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(;jsessionid=|\?PHPSESSID=)[0-9A-F]{32}$").unwrap());
        let url = SESSION.replace(url, "").into_owned();
        let Some(host) = self.host(&url) else { panic!("{url}: no such host") };
        let (place, _) = self.sim.locate(&url);
        if matches!(place, sim_locate::Place::Trap(_)) {
            let pages = self.trap_pages.entry(host).or_default();
            *pages += 1;
            if *pages > 30 {
                return;
            }
        }
        if self.sim.is_seed(host) && self.seen.insert(url.clone()) {
            self.queue.push_back((url, redirects));
        }
    }

    fn allows(&mut self, host: u64, url: &str) -> bool {
        let sim = self.sim;
        if self.rules.insert(host, sim.rules(host, "webmill")).is_none() {
            // The file itself: what it answers, and the sitemaps that it names.
            let site = format!("http://{}", sim.web.host_name(host));
            let mut robots = sim.answer("GET", &format!("{site}/robots.txt"), 1);
            for _ in 0..5 {
                let Some(to) = header(&robots, "location") else { break };
                robots = sim.answer("GET", &(site.clone() + &to), 1);
            }
            let text = if robots.status == 200 { body_of(&robots) } else { Vec::new() };
            let text = String::from_utf8_lossy(&text).into_owned();
            for index in text.lines().filter_map(|line| line.strip_prefix("Sitemap: ")) {
                self.read_sitemap(index.trim(), host);
            }
        }
        self.rules[&host].allows(SimWeb::split(url).unwrap().1)
    }

    fn read_sitemap(&mut self, url: &str, host: u64) {
        let answer = self.sim.answer("GET", url, 0);
        assert_eq!(answer.status, 200, "{url}");
        let mut xml = body_of(&answer);
        if url.ends_with(".gz") {
            let packed = std::mem::take(&mut xml);
            flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut xml).unwrap();
        }
        let xml = String::from_utf8(xml).unwrap();
        for found in Regex::new("<loc>([^<]+)</loc>").unwrap().captures_iter(&xml) {
            if self.host(&found[1]) != Some(host) {
                continue;
            }
            if xml.contains("<sitemapindex") {
                self.read_sitemap(&found[1], host)
            } else {
                self.add(&found[1], 0)
            }
        }
    }

    fn crawl(&mut self) {
        let link = Regex::new(r#"<(a|area|iframe)\b[^>]*?\b(?:href|src)="?([^"\s>]*)"?([^>]*)>"#).unwrap();
        let refresh = Regex::new(r#"<meta http-equiv="refresh" content="0; url=([^"]+)""#).unwrap();
        let base = Regex::new(r#"<base href="([^"]+)""#).unwrap();
        while let Some((url, redirects)) = self.queue.pop_front() {
            let host = self.host(&url).unwrap();
            if !self.allows(host, &url) {
                self.denied.insert(url);
                continue;
            }
            let answer = (0..4)
                .map(|attempt| self.sim.answer("GET", &url, attempt))
                .find(|answer| !matches!(answer.status, 0 | 429 | 500..))
                .unwrap_or_default();
            self.asked.insert(url.clone());
            let page = CanonicalUrl::parse(&url).unwrap();
            assert_eq!(page.as_str(), url, "not canonical");
            if let Some(to) = header(&answer, "location") {
                if redirects < 10 {
                    self.add(page.join(&to).unwrap().as_str(), redirects + 1);
                }
                continue;
            }
            if answer.status != 200 {
                continue;
            }
            self.stored.insert(url.clone());
            let html = String::from_utf8_lossy(&body_of(&answer)).into_owned();
            let marked = |text: &str| !text.contains(':') && text.contains("nofollow");
            if header(&answer, "x-robots-tag").is_some_and(|tag| marked(&tag))
                || html.contains("<meta name=\"robots\" content=\"nofollow\">")
            {
                continue;
            }
            let from = base.captures(&html).map_or(page.clone(), |found| page.join(&found[1]).unwrap());
            for found in link.captures_iter(&html) {
                let target = from.join(&found[2].replace("&amp;", "&")).unwrap();
                if !found[3].contains("nofollow") {
                    self.add(target.as_str(), 0);
                    self.links.insert((url.clone(), target.into_string()));
                }
            }
            if let Some(found) = refresh.captures(&html) {
                self.add(from.join(&found[1]).unwrap().as_str(), 0);
            }
        }
    }
}

fn crawl(sim: &SimWeb) -> Crawler<'_> {
    let mut crawler = Crawler {
        sim,
        asked: BTreeSet::new(),
        stored: BTreeSet::new(),
        denied: BTreeSet::new(),
        queue: VecDeque::new(),
        seen: HashSet::new(),
        rules: HashMap::new(),
        trap_pages: BTreeMap::new(),
        links: BTreeSet::new(),
    };
    for seed in sim.seeds() {
        crawler.add(&seed, 0);
    }
    crawler.crawl();
    crawler
}

#[test]
fn the_truth_is_what_a_simple_crawler_finds() {
    let shy = SimConfig { seed_share: 0.6, ..lively(1500, 3) };
    for config in [lively(3000, 1), lively(2000, 2), shy, SimConfig::plain(1000, 30, 4)] {
        let sim = SimWeb::new(config).unwrap();
        let truth = sim.truth(&Obedient::default());
        let found = crawl(&sim);
        let gone: BTreeSet<_> = found.asked.iter().filter(|url| sim.locate(url).1).collect();
        assert!(gone.is_empty(), "session ids: {gone:?}");
        let is_trap = |url: &&String| truth.expect(url) == Expect::Trap;
        let stored: BTreeSet<String> = found.stored.iter().filter(|url| !is_trap(url)).cloned().collect();
        let wanted: BTreeSet<String> =
            truth.pages().filter(|page| page.expect.is_stored()).map(|page| page.url).collect();
        let missed: Vec<_> = wanted.difference(&stored).take(5).collect();
        let excess: Vec<_> = stored.difference(&wanted).map(|url| (url, truth.expect(url))).take(5).collect();
        assert!(missed.is_empty() && excess.is_empty(), "missed {missed:?}, excess {excess:?}");
        for url in &found.asked {
            assert!(truth.expect(url).may_be_asked(), "{url} {:?}", truth.expect(url));
        }
        for url in &found.denied {
            let expect = truth.expect(url);
            assert!(matches!(expect, Expect::Denied | Expect::Dead), "{url} {expect:?}");
        }
        for page in truth.pages() {
            assert_eq!(page.expect, truth.expect(&page.url), "{page:?}");
            assert_eq!(found.seen.contains(&page.url), page.depth.is_some(), "{page:?}");
        }
        let traps: BTreeSet<String> = truth.trap_hosts().map(|(name, _)| name).collect();
        let entered: BTreeSet<String> =
            found.trap_pages.keys().map(|&host| sim.web.host_name(host)).collect();
        assert!(traps.is_subset(&entered));
        if !sim.has_extras {
            assert!(wanted.len() > 900 && traps.is_empty());
        }
    }
}

#[test]
fn true_arcs_are_the_links_on_the_pages() {
    let mut config = lively(1200, 5);
    config.features.sessions = 0.0;
    config.features.refresh = 0.0;
    let sim = SimWeb::new(config).unwrap();
    let truth = sim.truth(&Obedient::default());
    let found = crawl(&sim);
    let arcs: BTreeSet<(String, String)> =
        truth.arcs().filter(|arc| arc.followed).map(|arc| (arc.source, arc.target)).collect();
    let inner = |(source, _): &&(String, String)| truth.expect(source) != Expect::Trap;
    let seen: BTreeSet<(String, String)> = found.links.iter().filter(inner).cloned().collect();
    let missed: Vec<_> = arcs.difference(&seen).take(5).collect();
    let excess: Vec<_> = seen.difference(&arcs).take(5).collect();
    assert!(missed.is_empty() && excess.is_empty(), "missed {missed:?}, excess {excess:?}");
    assert!(arcs.len() > 3000);
}

#[test]
fn every_behaviour_occurs_in_a_lively_web() {
    let sim = SimWeb::new(lively(30_000, 1)).unwrap();
    let truth = sim.truth(&Obedient::default());
    let mut expects: BTreeMap<Expect, u32> = BTreeMap::new();
    truth.pages().for_each(|page| *expects.entry(page.expect).or_default() += 1);
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
        assert!(expects.get(&expect).is_some_and(|&n| n > 20), "{expect:?}: {expects:?}");
    }
    let troubles: HashSet<Trouble> = (0..30_000).filter_map(|page| sim.trouble(page)).collect();
    assert_eq!(troubles.len(), Trouble::ALL.len());
    let hosts = 0..sim.web.hosts();
    let health: HashSet<&str> = hosts.clone().map(|host| sim.health(host).name()).collect();
    let robots: HashSet<String> = hosts.clone().map(|host| format!("{:?}", sim.robots_kind(host))).collect();
    let traps: HashSet<Trap> = hosts.filter_map(|host| sim.trap(host)).collect();
    assert_eq!((health.len(), robots.len(), traps.len()), (9, 19, 5));
    assert!(truth.pages().any(|page| page.noindex && page.expect == Expect::Store));
}

#[test]
fn the_default_web_is_mostly_sound() {
    let sim = SimWeb::new(SimConfig::default()).unwrap();
    let truth = sim.truth(&Obedient::default());
    let stored = truth.pages().filter(|page| page.expect.is_stored()).count();
    assert!((5_000..9_500).contains(&stored), "{stored}");
}

#[test]
fn a_bomb_unpacks_to_its_page_and_white_space() {
    let config = SimConfig {
        pages: PageShares { bomb: 1.0, ..PageShares::none() },
        bomb_bytes: 5 << 20,
        ..SimConfig::plain(50, 1, 1)
    };
    let sim = SimWeb::new(config).unwrap();
    let url = sim.web().url(7);
    let answer = sim.answer("GET", &url, 0);
    let body = body_of(&answer);
    let page = sim.web().page(7);
    assert!(body.starts_with(page.body()));
    assert_eq!(body.len(), page.body().len() + (5 << 20));
    let Rest::Repeat { piece, times: Some(5), end } = &answer.rest else { panic!("{:?}", answer.rest) };
    let length: usize = header(&answer, "content-length").unwrap().parse().unwrap();
    assert_eq!(length, answer.message.len() - answer.head_len + piece.len() * 5 + end.len());
    assert!(piece.len() < 3000, "{}", piece.len());
}

#[test]
fn the_crawlers_robots_agree_with_the_rules_of_the_truth() {
    let sim = SimWeb::new(lively(60_000, 4)).unwrap();
    let (mut denied, mut allowed) = (0, 0);
    for host in (0..sim.web.hosts()).filter(|&host| sim.health(host).is_alive()) {
        let site = format!("http://{}", sim.web.host_name(host));
        let mut answer = sim.answer("GET", &format!("{site}/robots.txt"), 1);
        for _ in 0..5 {
            let Some(to) = header(&answer, "location") else { break };
            answer = sim.answer("GET", &(site.clone() + &to), 1);
        }
        let home = sim.web.host_start(host);
        for agent in ["webmill", "second-bot", "Otherbot", "unnamed"] {
            let Some(robots) = Robots::from_status(answer.status, &body_of(&answer), agent) else {
                assert_eq!(sim.robots_kind(host), sim_robots::RobotsKind::Failing);
                continue;
            };
            let rules = sim.rules(host, agent);
            let delay = robots.crawl_delay().map(|delay| delay.as_secs_f64());
            assert_eq!(delay, rules.delay_s(), "{site} {agent}");
            let pages = (home..home + sim.web.host_size(host).min(60)).map(|page| sim.web.url(page));
            let extras = (0..63).map(|slot| site.clone() + &sim_extras::Slot(slot).path());
            let traps = Trap::ALL.into_iter().map(|trap| site.clone() + trap.entry());
            for url in pages.chain(extras).chain(traps) {
                let verdict = robots.check(&CanonicalUrl::parse(&url).unwrap());
                let want = rules.allows(SimWeb::split(&url).unwrap().1);
                assert_eq!(verdict.allowed, want, "{url} {agent} {:?}", sim.robots_kind(host));
                *(if want { &mut allowed } else { &mut denied }) += 1;
            }
        }
    }
    assert!(denied > 50_000 && allowed > 50_000, "{denied} {allowed}");
}

#[test]
fn mirrors_stay_mirrors() {
    let mut config = lively(4000, 9);
    (config.hosts, config.pages) = (HostShares::none(), PageShares::none());
    config.web.mirrors = 0.3;
    let sim = SimWeb::new(config).unwrap();
    let (mut compared, mut homes) = (0, 0);
    for page in 0..4000 {
        let truth = sim.web.content(page);
        let Some(of) = truth.mirror_of.filter(|_| !matches!(truth.kind, Kind::Redirect { .. })) else {
            continue;
        };
        let answer = |page| body_of(&sim.answer("GET", &sim.web.url(page), 0));
        assert_eq!(answer(page), answer(of));
        compared += 1;
        homes += u32::from(sim.is_home(page));
    }
    assert!(compared > 300 && homes > 10, "{compared} {homes}");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let sound = SimConfig::default;
    for config in [
        SimConfig { seed_share: 1.5, ..sound() },
        SimConfig { agent: "a bot/1.0".into(), ..sound() },
        SimConfig { agent: String::new(), ..sound() },
        SimConfig { hosts: HostShares::alike(1.1), ..sound() },
        SimConfig { pages: PageShares { gzip: f64::NAN, ..PageShares::none() }, ..sound() },
        SimConfig { features: FeatureShares::every(-0.1), ..sound() },
        SimConfig { crawl_delay_s: -1.0, ..sound() },
        SimConfig { web: Config { pages: 0, ..Config::default() }, ..sound() },
    ] {
        assert!(matches!(SimWeb::new(config), Err(Error::Config(_))));
    }
    let json = serde_json::to_string(&sound()).unwrap();
    assert_eq!(serde_json::from_str::<SimConfig>(&json).unwrap(), sound());
}

#[test]
fn names_and_paths_that_are_not_are_told_apart() {
    let sim = SimWeb::new(lively(2000, 1)).unwrap();
    let home = sim.web.url(0);
    assert_eq!(sim.answer("GET", "http://nobody.example/", 0).status, 502);
    assert_eq!(sim.answer("GET", "https://x/", 0).status, 502);
    assert_eq!(sim.answer("POST", &home, 0).status, 405);
    let sound = (0..sim.web.hosts()).find(|&host| sim.health(host) == Health::Sound).unwrap();
    let home = sim.web.url(sim.web.host_start(sound));
    for path in
        ["nothing", "news/0.html", "extra/none-59.html", "extra/", "robots/9.txt", "?x", "news/1.html?x"]
    {
        assert_eq!(sim.answer("GET", &format!("{home}{path}"), 0).status, 404, "{path}");
    }
    assert_eq!(sim.answer("HEAD", &format!("{home}#top"), 0).status, 200);
    assert_eq!(sim.answer("GET", &home.replace(".example", ".example:80"), 0).status, 200);
}

/// Density exponent of the tail, maximum likelihood.
fn exponent(values: impl Iterator<Item = u64>, least: u64) -> f64 {
    let tail: Vec<f64> = values.filter(|&v| v >= least).map(|v| v as f64).collect();
    assert!(tail.len() > 200, "{} in the tail", tail.len());
    1.0 + tail.len() as f64 / tail.iter().map(|v| (v / (least as f64 - 0.5)).ln()).sum::<f64>()
}

#[test]
fn the_reachable_graph_has_the_planted_power_laws() {
    let mut config = SimConfig::plain(200_000, 4_000, 3);
    (config.web.navigation, config.web.max_links) = (0, 3000);
    let sim = SimWeb::new(config).unwrap();
    let truth = sim.truth(&Obedient::default());
    let known: Vec<bool> = truth.pages().map(|page| page.expect == Expect::Store).collect();
    assert!(known.iter().filter(|&&known| known).count() > 120_000);
    let (mut ins, mut outs) = (vec![0u64; 200_000], Vec::new());
    for page in (0..200_000u64).filter(|&page| known[page as usize]) {
        let links = sim.web().links(page);
        outs.push(links.len() as u64);
        let host = sim.web().host_of(page);
        for target in links.into_iter().filter_map(|(target, _)| target) {
            if sim.web().host_of(target) != host {
                ins[target as usize] += 1;
            }
        }
    }
    let inward = exponent(ins.into_iter(), 30);
    let outward = exponent(outs.into_iter(), 12);
    assert!((inward - IN_EXPONENT).abs() < 0.15, "{inward}");
    assert!((outward - OUT_EXPONENT).abs() < 0.15, "{outward}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn answers_are_functions_of_seed_url_and_attempt(seed in 0u64..4, page in 0u64..2000, attempt in 0u32..4) {
        let (a, b) = (SimWeb::new(lively(2000, seed)).unwrap(), SimWeb::new(lively(2000, seed)).unwrap());
        let url = a.web().url(page);
        // Another request between makes no difference, nor do buffers that were used.
        let mut used = Answer::default();
        b.answer_into("GET", &b.web().url(1999 - page), 0, &mut SynthPage::default(), &mut used);
        b.answer_into("GET", &url, attempt, &mut SynthPage::default(), &mut used);
        let answer = a.answer("GET", &url, attempt);
        prop_assert_eq!(&answer, &used);
        if !a.depends_on_attempt(&url) {
            prop_assert_eq!(answer, a.answer("GET", &url, attempt + 1));
        }
    }

    #[test]
    fn any_url_is_answered(url in "(http://)?(www\\.|news\\.|mirror\\.)?[a-z]{0,5}[0-9]{0,3}(\\.example)?(:80)?[/?;#a-z0-9=&._%-]{0,40}") {
        let sim = SimWeb::new(lively(200, 1)).unwrap();
        let answer = sim.answer("GET", &url, 0);
        prop_assert!(answer.head_len <= answer.message.len());
        let _ = sim.truth(&Obedient::default()).expect(&url);
    }

    #[test]
    fn heads_are_heads(page in 0u64..3000) {
        let sim = SimWeb::new(lively(3000, 8)).unwrap();
        let answer = sim.answer("GET", &sim.web().url(page), 9);
        if answer.status > 0 {
            let response = Response::parse(&answer.message);
            prop_assert_eq!(response.status, Some(answer.status));
        }
    }
}
