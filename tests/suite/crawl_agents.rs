//! Agents that share a crawl: killed and started again at random they bring every page home, once, and no host ever sees two.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use webmill::crawl::event::outcome;
use webmill::crawl::{CrawlOptions, Purpose};
use webmill::mill::PageRow;
use webmill::sim::{Obedient, SimConfig};
use webmill::table::read_rows;

use super::crawl_support::{Exchange, Served, events, exchanges, needless_repeats, none};
use super::support::Work;

/// An answer may take so long from the server's last byte until it is written down, on a busy machine.
const TICK: Duration = Duration::from_millis(50 + 450);
/// How long a killed agent's connection may seem open to the server.
const CLOSING: Duration = Duration::from_millis(100);

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Agents on one machine: a recipe and a crawl folder each.
struct Agents {
    work: Work,
    names: Vec<String>,
    running: BTreeMap<usize, Child>,
    ended: HashSet<usize>,
}

impl Agents {
    fn new(served: &Served, count: usize, timeout_ms: u64) -> Agents {
        #[derive(serde::Serialize)]
        struct Recipe<'a> {
            crawl: &'a CrawlOptions,
        }
        let work = Work::new();
        let seeds: Vec<String> = served.sim.seeds().collect();
        std::fs::write(work.path("seeds.txt"), seeds.join("\n")).unwrap();
        let names: Vec<String> = (0..count).map(|n| format!("agent-{n}")).collect();
        for name in &names {
            let mut options = served.options();
            options.connections = 3;
            options.agents.exchange = Some(work.path("exchange"));
            options.agents.name = Some(name.clone());
            options.agents.timeout_ms = timeout_ms;
            let recipe = toml::to_string(&Recipe { crawl: &options }).unwrap();
            std::fs::write(work.path(&format!("{name}.toml")), recipe).unwrap();
        }
        Agents { work, names, running: BTreeMap::new(), ended: HashSet::new() }
    }

    fn folder(&self, n: usize) -> PathBuf {
        self.work.path(&self.names[n])
    }

    fn start(&mut self, n: usize) {
        let name = &self.names[n];
        let (recipe, out) = (format!("{name}.toml"), self.folder(n));
        let arguments = [
            "crawl",
            "--recipe",
            &recipe,
            "--seeds",
            "seeds.txt",
            "--out",
            out.to_str().unwrap(),
            "--threads",
            "1",
        ];
        let errors = std::fs::File::create(self.work.path(&format!("{name}.stderr"))).unwrap();
        let child = self.work.webmill(&arguments).stdout(Stdio::null()).stderr(errors).spawn().unwrap();
        self.ended.remove(&n);
        self.running.insert(n, child);
    }

    fn kill(&mut self, n: usize) -> Option<Instant> {
        let mut child = self.running.remove(&n)?;
        let at = Instant::now();
        child.kill().unwrap();
        child.wait().unwrap();
        Some(at)
    }

    fn said(&self, n: usize) -> String {
        std::fs::read_to_string(self.work.path(&format!("{}.stderr", self.names[n]))).unwrap_or_default()
    }

    /// Notices who has ended by itself; one that gave up its lease on a busy machine is started again, and counts as killed.
    fn notice_ends(&mut self) -> Vec<Instant> {
        let mut left = Vec::new();
        for n in self.running.keys().copied().collect::<Vec<_>>() {
            let Some(status) = self.running.get_mut(&n).unwrap().try_wait().unwrap() else { continue };
            self.running.remove(&n);
            if status.success() || self.said(n).contains("no page was stored") {
                self.ended.insert(n);
            } else {
                assert!(self.said(n).contains("no sign of life"), "{status}: {}", self.said(n));
                left.push(Instant::now());
                self.start(n);
            }
        }
        left
    }

    /// Waits until all that run have ended.
    fn finish(&mut self, kills: &mut Vec<Instant>) {
        let by = Instant::now() + Duration::from_secs(120);
        while !self.running.is_empty() {
            kills.extend(self.notice_ends());
            let said: Vec<String> = self.running.keys().map(|n| self.said(*n)).collect();
            assert!(Instant::now() < by, "they do not come to an end: {said:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Pages stored, and by how many agents.
    fn stored(&self) -> HashMap<String, usize> {
        let mut stored = HashMap::new();
        for n in 0..self.names.len() {
            if !self.folder(n).join("events").exists() {
                continue;
            }
            for event in events(&self.folder(n)) {
                if event.purpose == Purpose::Page && event.outcome == outcome::STORED {
                    *stored.entry(event.url).or_default() += 1;
                }
            }
        }
        stored
    }
}

/// Hosts that were asked while another request to them was on its way, no kill explaining it.
fn together(all: Vec<Exchange>, kills: &[Instant]) -> Vec<String> {
    let mut by_host: HashMap<String, Vec<Exchange>> = HashMap::new();
    for exchange in all {
        by_host.entry(exchange.asked.host.clone()).or_default().push(exchange);
    }
    let mut faults = Vec::new();
    for (host, list) in by_host {
        for (n, later) in list.iter().enumerate() {
            for earlier in &list[..n] {
                let over = earlier.done.is_some_and(|done| done <= later.at);
                let killed = kills.iter().any(|kill| earlier.at <= *kill + CLOSING && *kill <= later.at);
                if !over && !killed {
                    faults.push(format!(
                        "{host}: {} while {} was on its way",
                        later.asked.url, earlier.asked.url
                    ));
                }
            }
        }
    }
    faults
}

fn check(served: &Served, agents: &Agents, kills: &[Instant]) {
    let truth = served.sim.truth(&Obedient::default());
    let stored = agents.stored();
    let wanted: HashSet<String> =
        truth.pages().filter(|page| page.expect.is_stored()).map(|page| page.url).collect();
    assert!(wanted.len() > 400, "{} pages", wanted.len());
    let missing: Vec<String> = wanted
        .iter()
        .filter(|url| !stored.contains_key(*url))
        .map(|url| format!("{url} is missing"))
        .collect();
    none(&missing);
    let others: Vec<String> = stored
        .keys()
        .filter(|url| !wanted.contains(url.as_str()))
        .map(|url| format!("{url} is no page"))
        .collect();
    none(&others);
    let pages = |fault: &String| !fault.contains("/robots.txt ");
    none(&needless_repeats(&served.record, kills, TICK).into_iter().filter(pages).collect::<Vec<_>>());
    none(&together(exchanges(&served.record), kills));
}

fn served(seed: u64, delay_ms: u32) -> Served {
    Served::new(SimConfig { delay_ms, ..SimConfig::plain(900, 50, seed) })
}

#[test]
fn agents_that_come_one_after_the_other_share_the_hosts_and_end_together() {
    let served = served(101, 5);
    let mut agents = Agents::new(&served, 3, 5_000);
    let mut kills = Vec::new();
    for n in 0..3 {
        agents.start(n);
        let before = served.server.requests();
        while served.server.requests() < before + 60 && agents.running.len() == n + 1 {
            kills.extend(agents.notice_ends());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    agents.finish(&mut kills);
    check(&served, &agents, &kills);
    let at_work = (0..3).filter(|n| !events(&agents.folder(*n)).is_empty()).count();
    assert_eq!(at_work, 3);
}

#[test]
fn agents_killed_and_started_again_at_random_bring_every_page_home_once() {
    for seed in [102] {
        let served = served(seed, 150);
        let mut agents = Agents::new(&served, 3, 1_500);
        let (mut dice, mut kills) = (Dice(seed), Vec::new());
        (0..3).for_each(|n| agents.start(n));
        for round in 0..6u64 {
            let before = served.server.requests();
            let by = Instant::now() + Duration::from_secs(10);
            while served.server.requests() < before + 30 && Instant::now() < by && !agents.running.is_empty()
            {
                kills.extend(agents.notice_ends());
                std::thread::sleep(Duration::from_millis(2));
            }
            let victim = dice.below(3) as usize;
            kills.extend(agents.kill(victim));
            // Some come back before anybody has missed them, some when others have taken over.
            let away = if round % 2 == 0 { dice.below(300) } else { 3_500 + dice.below(1_500) };
            let back = Instant::now() + Duration::from_millis(away);
            while Instant::now() < back {
                kills.extend(agents.notice_ends());
                std::thread::sleep(Duration::from_millis(5));
            }
            agents.start(victim);
        }
        agents.finish(&mut kills);
        check(&served, &agents, &kills);
        assert!(kills.len() >= 5, "{} kills", kills.len());
    }
}

#[test]
fn what_an_agent_leaves_that_never_comes_back_is_taken_over() {
    let served = served(104, 10);
    let mut agents = Agents::new(&served, 2, 1_500);
    (0..2).for_each(|n| agents.start(n));
    let mut kills = Vec::new();
    while served.server.requests() < 250 {
        kills.extend(agents.notice_ends());
        std::thread::sleep(Duration::from_millis(2));
    }
    kills.extend(agents.kill(0));
    agents.finish(&mut kills);
    check(&served, &agents, &kills);
}

#[test]
fn one_of_three_is_killed_and_the_two_others_take_its_hosts() {
    let served = served(105, 10);
    let mut agents = Agents::new(&served, 3, 1_500);
    (0..3).for_each(|n| agents.start(n));
    let mut kills = Vec::new();
    let asked = |agents: &Agents, n: usize| -> HashSet<String> {
        if !agents.folder(n).join("events").exists() {
            return HashSet::new();
        }
        let stored = events(&agents.folder(n)).into_iter();
        let stored =
            stored.filter(|event| event.purpose == Purpose::Page && event.outcome == outcome::STORED);
        stored.map(|event| event.url.split('/').nth(2).unwrap().to_owned()).collect()
    };
    // Not before the one to die has something: on a busy machine it may begin late.
    let by = Instant::now() + Duration::from_secs(20);
    while (served.server.requests() < 250 || asked(&agents, 1).is_empty()) && Instant::now() < by {
        kills.extend(agents.notice_ends());
        std::thread::sleep(Duration::from_millis(5));
    }
    kills.extend(agents.kill(1));
    assert_eq!(agents.running.len(), 2, "two go on");
    let of_the_dead = asked(&agents, 1);
    agents.finish(&mut kills);
    check(&served, &agents, &kills);
    assert_eq!(asked(&agents, 1), of_the_dead, "it never came back");
    // Hosts that it had begun went to the others; which of them got which follows from the circle and from when it died.
    let heirs: HashSet<String> = [0, 2].into_iter().flat_map(|n| asked(&agents, n)).collect();
    assert!(of_the_dead.intersection(&heirs).next().is_some(), "{heirs:?} of {of_the_dead:?}");
    // The dead one's last shard is open, and that is said; going on with its crawl closes it and asks for no page.
    let extract = ["extract", "agent-0", "agent-1", "agent-2", "--out", "results"];
    let said = agents.work.run(&extract).stderr;
    assert!(String::from_utf8_lossy(&said).contains("agent-1: its last shard is not finished"));
    let before = agents.stored();
    agents.start(1);
    agents.finish(&mut kills);
    assert_eq!(agents.stored(), before);
    // The shards of all three are one corpus.
    agents.work.run(&extract);
    let pages: Vec<PageRow> = read_rows(&agents.work.path("results/extract/latest/pages")).unwrap();
    let mut current: Vec<&str> =
        pages.iter().filter(|page| page.is_current).map(|page| page.url.as_str()).collect();
    let mut wanted: Vec<&str> = before.keys().map(String::as_str).collect();
    current.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(current, wanted);
}
