//! Which topics hosts are of, and where they lie: the plan that pages, links and texts follow ([`super::topics`]).
//!
//! **Cost.** Sixteen bytes for each topic of each host.

use serde::{Deserialize, Serialize};

use super::draw::{Draws, Shuffle, hash, purpose};
use webmill_capture::error::{Error, Result};

/// Groups of far hosts of a topic, each behind the one before.
const GROUPS: usize = 3;
/// Least pages of a far host.
const FAR_PAGES: u64 = 12;
/// Hosts of a Web with topics: their tables lie in memory.
const MOST_HOSTS: u64 = 1 << 24;

/// Topics of a simulated Web.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TopicConfig {
    /// Number of topics, 2 to 1,000. Default 50.
    pub topics: u32,
    /// Share of links that stay in the topic of their page. Default 0.7.
    pub stay: f64,
    /// Share of pages that are hubs. Default 0.05.
    pub hubs: f64,
    /// Share of hosts of 12 pages and more that only chains lead to. Default 0.3.
    pub far: f64,
    /// Fewest pages of a chain. Default 1.
    pub shortest_chain: u32,
    /// Most pages of a chain, up to 6. Default 4.
    pub longest_chain: u32,
}

impl Default for TopicConfig {
    fn default() -> Self {
        TopicConfig { topics: 50, stay: 0.7, hubs: 0.05, far: 0.3, shortest_chain: 1, longest_chain: 4 }
    }
}

impl TopicConfig {
    fn check(&self, hosts: u64) -> Result<()> {
        let refuse = |what: &str| Err(Error::Config(format!("topics of a synthetic Web: {what}")));
        let shares = [self.stay, self.hubs, self.far];
        if !shares.iter().all(|share| (0.0..=1.0).contains(share)) {
            return refuse("shares must lie in 0 to 1");
        }
        if !(2..=1000).contains(&self.topics) {
            return refuse("there must be 2 to 1000 of them");
        }
        if !(1..=self.longest_chain).contains(&self.shortest_chain) || self.longest_chain > 6 {
            return refuse("chains must be 1 to 6 pages, the shortest not longer than the longest");
        }
        if hosts > MOST_HOSTS {
            return refuse(&format!("{hosts} hosts: {MOST_HOSTS} at most"));
        }
        Ok(())
    }
}

/// What a page is about, and where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageTopic {
    /// The topic, from 0, the commonest first.
    pub topic: u32,
    /// Group of its host: 0 is near, into the others only chains lead.
    pub group: u32,
    /// Of a page of a chain: the topic beyond, and how many pages are left to it.
    pub chain: Option<(u32, u32)>,
}

/// Hosts of a topic and group, with the number of pages up to and with each.
#[derive(Debug, Clone, Default)]
pub(super) struct TopicHosts {
    pub(super) ends: Vec<u64>,
    pub(super) hosts: Vec<u64>,
}

/// Values drawn once for a Web.
#[derive(Debug, Clone)]
pub(super) struct TopicPlan {
    pub(super) config: TopicConfig,
    seed: u64,
    /// Shares of the topics up to and with each.
    shares: Vec<f64>,
    /// By topic, then group.
    hosts: Vec<TopicHosts>,
    shuffles: Vec<Shuffle>,
}

impl TopicPlan {
    /// Topics as configured for a Web with this number of hosts.
    pub(super) fn new(config: &TopicConfig, seed: u64, hosts: u64) -> Result<TopicPlan> {
        config.check(hosts)?;
        let mut shares: Vec<f64> = Vec::with_capacity(config.topics as usize);
        for k in 1..=config.topics {
            shares.push(shares.last().copied().unwrap_or(0.0) + 1.0 / f64::from(k));
        }
        let hosts = vec![TopicHosts::default(); (GROUPS + 1) * config.topics as usize];
        Ok(TopicPlan { config: config.clone(), seed, shares, hosts, shuffles: Vec::new() })
    }

    /// Plants the hosts that have pages of their own: number and pages of each, ascending.
    pub(super) fn plant(mut self, hosts: impl Iterator<Item = (u64, u64)>) -> TopicPlan {
        for (host, size) in hosts.filter(|(_, size)| *size > 0) {
            let of = self.of_host(host, size);
            for topic in &of.topics[..of.count] {
                let at = self.place(*topic, of.group);
                let pages = (size - u64::from(of.chain)) / of.count as u64;
                let end = self.hosts[at].ends.last().copied().unwrap_or(0) + pages.max(1);
                self.hosts[at].ends.push(end);
                self.hosts[at].hosts.push(host);
            }
        }
        let pages = |hosts: &TopicHosts| hosts.ends.last().copied().unwrap_or(0).max(1);
        let shuffle = |(hosts, n)| Shuffle::new(pages(hosts), hash(self.seed, n, purpose::TOPIC));
        self.shuffles = self.hosts.iter().zip(0u64..).map(shuffle).collect();
        self
    }

    fn place(&self, topic: u32, group: u32) -> usize {
        topic as usize * (GROUPS + 1) + group as usize
    }

    /// The hosts of a topic and group, and the order of their pages by popularity.
    pub(super) fn hosts(&self, topic: u32, group: u32) -> (&TopicHosts, &Shuffle) {
        let at = self.place(topic, group);
        (&self.hosts[at], &self.shuffles[at])
    }

    /// Hosts of the next group of a topic that has some.
    pub(super) fn next_group(&self, topic: u32, group: u32) -> Option<&[u64]> {
        let groups = group + 1..=GROUPS as u32;
        groups.map(|group| self.hosts(topic, group).0.hosts.as_slice()).find(|hosts| !hosts.is_empty())
    }

    /// A topic by the law.
    pub(super) fn draw(&self, u: f64) -> u32 {
        let all = self.shares.last().copied().unwrap_or(1.0);
        self.shares.partition_point(|share| *share <= u * all).min(self.shares.len() - 1) as u32
    }

    /// Another topic than this.
    pub(super) fn other(&self, topic: u32, u: f64) -> u32 {
        let drawn = self.draw(u);
        if drawn == topic { (topic + 1) % self.shares.len() as u32 } else { drawn }
    }

    /// The topics of a host that mirrors no other, by its number and pages.
    pub(super) fn of_host(&self, host: u64, size: u64) -> HostTopics {
        let config = &self.config;
        let mut draws = Draws::new(self.seed, host, purpose::TOPIC);
        let far = draws.unit() < config.far && size >= FAR_PAGES;
        let (group, count) = (draws.below(GROUPS as u64) as u32 + 1, draws.below(3) as usize + 1);
        let chain = config.shortest_chain
            + draws.below(u64::from(config.longest_chain - config.shortest_chain) + 1) as u32;
        let mut of =
            HostTopics { topics: [0; 3], count: 0, group: 0, chain: 0, named: draws.next() & 1 == 0 };
        if far {
            (of.group, of.chain) = (group, chain);
        }
        for _ in 0..if far { 1 } else { count } {
            let topic = self.draw(draws.unit());
            if !of.topics[..of.count].contains(&topic) {
                of.topics[of.count] = topic;
                of.count += 1;
            }
        }
        of
    }
}

/// Values drawn for a host.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostTopics {
    pub(super) topics: [u32; 3],
    pub(super) count: usize,
    pub(super) group: u32,
    /// Pages of the chain that leads in.
    pub(super) chain: u32,
    /// Whether the chain's titles name the topic.
    pub(super) named: bool,
}
