//! Agents that share a crawl by a list of their names: killed and started again at random they bring every page home, once, and no
//! host ever sees two; what one of them leaves can be given to the others.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use webmill::crawl::Purpose;
use webmill::crawl::event::outcome;
use webmill::mill::PageRow;
use webmill::sim::SimConfig;
use webmill::table::read_rows;

use super::crawl_support::{Dice, Exchange, Served, events, exchanges, needless_repeats, none, write_recipe};
use super::support::Work;

/// An answer may take so long from the server's last byte until it is written down, on a busy machine.
const TICK: Duration = Duration::from_millis(50 + 450);
/// How long a killed agent's connection may seem open to the server.
const CLOSING: Duration = Duration::from_millis(100);

/// Agents on one machine: a recipe and a crawl folder each.
struct Agents {
    work: Work,
    names: Vec<String>,
    running: BTreeMap<usize, Child>,
}

impl Agents {
    fn new(served: &Served, count: usize) -> Agents {
        let work = Work::new();
        let seeds: Vec<String> = served.sim.seeds().collect();
        std::fs::write(work.path("seeds.txt"), seeds.join("\n")).unwrap();
        let names: Vec<String> = (0..count).map(|n| format!("agent-{n}")).collect();
        let agents = Agents { work, names, running: BTreeMap::new() };
        agents.write_recipes(served, &agents.names);
        agents
    }

    /// A recipe for each, by a list of agents.
    fn write_recipes(&self, served: &Served, list: &[String]) {
        for name in &self.names {
            let mut options = served.options();
            options.connections = 3;
            options.agents.agents = list.to_vec();
            options.agents.exchange = Some(self.work.path("exchange"));
            options.agents.name = Some(name.clone());
            write_recipe(&self.work.path(&format!("{name}.toml")), &options);
        }
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

    /// Waits until all that run have ended, as they should.
    fn finish(&mut self) {
        let by = Instant::now() + Duration::from_secs(120);
        while let Some(n) = self.running.keys().next().copied() {
            if let Some(status) = self.running.get_mut(&n).unwrap().try_wait().unwrap() {
                let said = self.said(n);
                assert!(status.success(), "{n}: {status}: {said}");
                self.running.remove(&n);
            }
            let said: Vec<String> = self.running.keys().map(|n| self.said(*n)).collect();
            assert!(Instant::now() < by, "they do not come to an end: {said:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the server was asked so often since `before`, or nobody runs.
    fn wait_for(&mut self, served: &Served, requests: u64) {
        let by = Instant::now() + Duration::from_secs(60);
        while served.server.requests() < requests && Instant::now() < by {
            self.running.retain(|_, child| child.try_wait().unwrap().is_none());
            if self.running.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
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
    let truth = served.sim.truth();
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
    let mut agents = Agents::new(&served, 3);
    for n in 0..3 {
        agents.start(n);
        agents.wait_for(&served, served.server.requests() + 40);
    }
    agents.finish();
    check(&served, &agents, &[]);
    let hosts = |n: usize| -> HashSet<String> {
        let events = events(&agents.folder(n)).into_iter().filter(|event| event.purpose == Purpose::Page);
        events.map(|event| event.url.split('/').nth(2).unwrap().to_owned()).collect()
    };
    let all: Vec<HashSet<String>> = (0..3).map(hosts).collect();
    assert!(all.iter().all(|of| !of.is_empty()));
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        assert_eq!(all[a].intersection(&all[b]).next(), None, "a host of two agents");
    }
}

#[test]
fn agents_killed_and_started_again_at_random_bring_every_page_home_once() {
    let served = served(102, 30);
    let mut agents = Agents::new(&served, 3);
    let (mut dice, mut kills) = (Dice(102), Vec::new());
    (0..3).for_each(|n| agents.start(n));
    for _ in 0..8 {
        agents.wait_for(&served, served.server.requests() + 30);
        let victim = dice.below(3) as usize;
        kills.extend(agents.kill(victim));
        std::thread::sleep(Duration::from_millis(dice.below(300)));
        agents.start(victim);
    }
    agents.finish();
    check(&served, &agents, &kills);
    assert!(kills.len() >= 5, "{} kills", kills.len());
}

#[test]
fn an_operator_gives_the_hosts_of_a_dead_agent_to_the_others() {
    let served = served(105, 10);
    let mut agents = Agents::new(&served, 3);
    (0..3).for_each(|n| agents.start(n));
    // Not before the one to die has something: on a busy machine it may begin late.
    let by = Instant::now() + Duration::from_secs(30);
    let has_begun = |agents: &Agents| {
        let folder = agents.folder(1);
        folder.join("events").exists() && events(&folder).iter().any(|e| e.purpose == Purpose::Page)
    };
    while (served.server.requests() < 250 || !has_begun(&agents)) && Instant::now() < by {
        std::thread::sleep(Duration::from_millis(5));
    }
    let kills: Vec<Instant> = (0..3).filter_map(|n| agents.kill(n)).collect();
    assert_eq!(kills.len(), 3);
    let before = agents.stored();
    agents.write_recipes(&served, &["agent-0".to_owned(), "agent-2".to_owned()]);
    // As long as another one seems to run by the list of before, none begins.
    agents.start(1);
    let status = agents.running.remove(&1).unwrap().wait().unwrap();
    assert!(!status.success() && agents.said(1).contains("another list"), "{}", agents.said(1));
    for name in ["agent-0", "agent-2"] {
        std::fs::remove_file(agents.work.path(&format!("exchange/{name}/state.json"))).unwrap();
    }
    // In the folder of the dead one: it hands over all that it has, and asks for nothing.
    let requests = served.server.requests();
    agents.start(1);
    agents.finish();
    assert_eq!(served.server.requests(), requests);
    assert!(std::fs::read_dir(agents.work.path("exchange/agent-0/inbox")).unwrap().next().is_some());
    [0, 2].into_iter().for_each(|n| agents.start(n));
    agents.finish();
    check(&served, &agents, &kills);
    let again: Vec<&String> = before.keys().filter(|url| agents.stored()[*url] > 1).collect();
    assert!(again.is_empty(), "{again:?}");
    // The shards of all three are one corpus.
    agents.work.run(&["extract", "agent-0", "agent-1", "agent-2", "--out", "results"]);
    let pages: Vec<PageRow> = read_rows(&agents.work.path("results/extract/latest/pages")).unwrap();
    let mut current: Vec<&str> =
        pages.iter().filter(|page| page.is_current).map(|page| page.url.as_str()).collect();
    let stored = agents.stored();
    let mut wanted: Vec<&str> = stored.keys().map(String::as_str).collect();
    current.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(current, wanted);
}
