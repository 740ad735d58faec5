use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use proptest::prelude::*;

use super::sim_config::Trouble;
use super::*;
use webmill_capture::chunked::decode;

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

#[test]
fn every_behaviour_occurs_in_a_lively_web() {
    let sim = SimWeb::new(lively(30_000, 1)).unwrap();
    let truth = sim.truth();
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
    let health: HashSet<_> = hosts.clone().map(|host| std::mem::discriminant(&sim.health(host))).collect();
    let robots: HashSet<_> = hosts.clone().map(|host| sim.robots_kind(host)).collect();
    let traps: HashSet<Trap> = hosts.filter_map(|host| sim.trap(host)).collect();
    assert_eq!((health.len(), robots.len(), traps.len()), (9, 19, 5));
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
}
