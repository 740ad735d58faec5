//! Planted topics: hosts and pages of a topic, links that stay in it, hubs, and groups that only tunnels join.
//!
//! **Definition.** There are `topics` topics, the k-th as often as 1/k. A *near* host draws one to three of them, a *far* host one, and a page
//! takes one of its host's. A link stays in the topic of its page with probability `stay`, on the site or across the Web by popularity; else it
//! leads to another topic. Links across the Web lead to near hosts, or within a group of far hosts: the far hosts of a topic are in three
//! groups, and into group g only *chains* lead, from a tenth of the pages of the group before it (0: near hosts; groups without hosts do not count). A chain is 1 to `longest_chain`
//! pages of another topic, the last of a far host; each links to the next, the last to a page of the host's topic. On every second far host the
//! titles of its chain name the topic that lies beyond. A share `hubs` of pages links to 50 pages of one topic: half of them to their own,
//! half to one that is drawn. Texts and titles hold words of the topic's vocabulary, two in five of all and three in five.
//!
//! **Cost.** Sixteen bytes for each topic of each host.
//!
//! **Determinism.** As the Web: everything is a hash of seed and number.

use serde::{Deserialize, Serialize};

use super::draw::{Draws, Shuffle, below, popular_rank, unit};
use super::layout::{Target, purpose};
use super::prose::vocabulary;
use super::{Language, Region, Web};
use webmill_capture::error::{Error, Result};

/// Words of the vocabulary of a topic in one language.
const WORDS: u64 = 24;
/// Groups of far hosts of a topic, each behind the one before.
const GROUPS: usize = 3;
/// Share of pages that a chain begins at, where another group follows.
const GATES: f64 = 0.1;
/// Links of a hub to pages of one topic.
const HUB_LINKS: u32 = 50;
/// Share of the words of a text that are its topic's.
const TEXT_WORDS: f64 = 0.4;
/// Share of the content words of a title that are its topic's.
const TITLE_WORDS: f64 = 0.6;
/// Pages that are looked at for one of a topic.
const LOOKED_AT: u64 = 64;
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
    pub(super) fn check(&self, hosts: u64) -> Result<()> {
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
struct Hosts {
    ends: Vec<u64>,
    hosts: Vec<u64>,
}

/// Values drawn once for a Web.
#[derive(Debug, Clone)]
pub(super) struct Planted {
    /// Shares of the topics up to and with each.
    shares: Vec<f64>,
    /// By topic, then group.
    hosts: Vec<Hosts>,
    shuffles: Vec<Shuffle>,
}

impl Planted {
    pub(super) fn new(web: &Web, config: &TopicConfig) -> Planted {
        let mut shares: Vec<f64> = Vec::with_capacity(config.topics as usize);
        for k in 1..=config.topics {
            shares.push(shares.last().copied().unwrap_or(0.0) + 1.0 / f64::from(k));
        }
        let groups = GROUPS + 1;
        let mut planted = Planted {
            shares,
            hosts: vec![Hosts::default(); groups * config.topics as usize],
            shuffles: vec![],
        };
        for host in 0..web.hosts() {
            let of = planted.of_host(web, config, host);
            for topic in &of.topics[..of.count] {
                let hosts = &mut planted.hosts[*topic as usize * groups + of.group as usize];
                let pages = (web.host_size(host) - u64::from(of.chain)) / of.count as u64;
                let end = hosts.ends.last().copied().unwrap_or(0) + pages.max(1);
                if web.host_size(host) > 0 && web.mirrored_host(host).is_none() {
                    hosts.ends.push(end);
                    hosts.hosts.push(host);
                }
            }
        }
        let pages = |hosts: &Hosts| hosts.ends.last().copied().unwrap_or(0).max(1);
        planted.shuffles = planted
            .hosts
            .iter()
            .zip(0u64..)
            .map(|(hosts, n)| Shuffle::new(pages(hosts), web.hash(n, purpose::TOPIC)))
            .collect();
        planted
    }

    /// A topic by the law.
    fn draw(&self, u: f64) -> u32 {
        let all = self.shares.last().copied().unwrap_or(1.0);
        self.shares.partition_point(|share| *share <= u * all).min(self.shares.len() - 1) as u32
    }

    /// Another topic than this.
    fn other(&self, topic: u32, u: f64) -> u32 {
        let drawn = self.draw(u);
        if drawn == topic { (topic + 1) % self.shares.len() as u32 } else { drawn }
    }

    fn of_host(&self, web: &Web, config: &TopicConfig, host: u64) -> HostTopics {
        let host = web.mirrored_host(host).unwrap_or(host);
        let mut draws = Draws::new(web.config.seed, host, purpose::TOPIC);
        let far = draws.unit() < config.far && web.host_size(host) >= FAR_PAGES;
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
struct HostTopics {
    topics: [u32; 3],
    count: usize,
    group: u32,
    /// Pages of the chain that leads in.
    chain: u32,
    /// Whether the chain's titles name the topic.
    named: bool,
}

impl Web {
    /// What page `page` is about: that of the page whose main text it has. `None` without topics.
    pub fn topic(&self, page: u64) -> Option<PageTopic> {
        self.own_topic(self.content(page).text)
    }

    /// The words of the vocabulary of a topic, most of them content words of any page too.
    pub fn topic_words(&self, topic: u32, language: Language) -> Vec<&'static str> {
        (0..WORDS).map(|n| vocabulary(language).word(self.word_of(topic, language, n))).collect()
    }

    /// What a page is about whose text is its own.
    pub(super) fn own_topic(&self, page: u64) -> Option<PageTopic> {
        let (planted, config) = (self.planted.as_deref()?, self.config.topics.as_ref()?);
        let host = self.host_of(page);
        let of = planted.of_host(self, config, host);
        let left = self.host_size(host) - (page - self.host_start(host));
        if left <= u64::from(of.chain) {
            let topic = planted.other(of.topics[0], unit(self.hash(page, purpose::TOPIC | 1 << 8)));
            return Some(PageTopic { topic, group: of.group, chain: Some((of.topics[0], left as u32)) });
        }
        let topic = of.topics[below(self.hash(page, purpose::TOPIC | 2 << 8), of.count as u64) as usize];
        Some(PageTopic { topic, group: of.group, chain: None })
    }

    fn word_of(&self, topic: u32, language: Language, n: u64) -> u16 {
        vocabulary(language).draw_content(self.hash(u64::from(topic) << 16 | n, purpose::TOPIC | 3 << 8))
    }

    /// A word of a topic, the first of its vocabulary more often.
    fn topic_word(&self, topic: u32, language: Language, draws: &mut Draws) -> u16 {
        let most = draws.below(WORDS) + 1;
        self.word_of(topic, language, draws.below(most))
    }

    /// Words that take the place of others in a text; `None` without topics.
    pub(super) fn text_topic(
        &self,
        text: u64,
        language: Language,
    ) -> Option<impl FnMut() -> Option<u16> + '_> {
        let (topic, share) = (self.own_topic(text)?.topic, TEXT_WORDS);
        let mut draws = Draws::new(self.config.seed, text, purpose::TOPIC | 4 << 8);
        Some(move || (draws.unit() < share).then(|| self.topic_word(topic, language, &mut draws)))
    }

    /// The same for a title.
    pub(super) fn title_topic(
        &self,
        text: u64,
        language: Language,
    ) -> Option<impl FnMut() -> Option<u16> + '_> {
        if text >= self.len() {
            return None;
        }
        let page = self.own_topic(text)?;
        let mut beyond = page.chain.map(|(topic, _)| topic).filter(|_| {
            let (planted, config) = (self.planted.as_deref(), self.config.topics.as_ref());
            planted
                .zip(config)
                .is_some_and(|(planted, config)| planted.of_host(self, config, self.host_of(text)).named)
        });
        let mut draws = Draws::new(self.config.seed, text, purpose::TOPIC | 5 << 8);
        Some(move || match beyond.take() {
            Some(topic) => Some(self.topic_word(topic, language, &mut draws)),
            None => (draws.unit() < TITLE_WORDS).then(|| self.topic_word(page.topic, language, &mut draws)),
        })
    }

    /// The first page of a topic on a host from an ordinal on.
    fn page_of_topic(&self, host: u64, ordinal: u64, topic: u32) -> Option<u64> {
        let (start, size) = (self.host_start(host), self.host_size(host));
        let is = |ordinal: &u64| {
            self.own_topic(start + ordinal).is_some_and(|page| page.topic == topic && page.chain.is_none())
        };
        (0..size.min(LOOKED_AT)).map(|n| (ordinal + n) % size).find(is)
    }

    /// A page of a topic and group by popularity.
    fn popular_of_topic(&self, topic: u32, group: u32, u: f64, region: Region) -> Option<Target> {
        let planted = self.planted.as_deref()?;
        let at = topic as usize * (GROUPS + 1) + group as usize;
        let (hosts, shuffle) = (&planted.hosts[at], &planted.shuffles[at]);
        let place = shuffle.place(popular_rank(u, *hosts.ends.last()?));
        let number = hosts.ends.partition_point(|end| *end <= place);
        let host = hosts.hosts[number];
        let before = if number == 0 { 0 } else { hosts.ends[number - 1] };
        let width = hosts.ends[number] - before;
        let size = self.host_size(host);
        // Spread over the host, of whose pages the topic has its share.
        let ordinal = (place - before) * size / width.max(1);
        let ordinal = self.page_of_topic(host, ordinal.min(size - 1), topic)?;
        Some(self.across(host, ordinal, region))
    }

    /// Hosts of the next group of a topic that has some.
    fn next_group(&self, topic: u32, group: u32) -> Option<&[u64]> {
        let of_topic = &self.planted.as_deref()?.hosts[topic as usize * (GROUPS + 1)..][..GROUPS + 1];
        of_topic[group as usize + 1..].iter().map(|of| of.hosts.as_slice()).find(|hosts| !hosts.is_empty())
    }

    fn across(&self, host: u64, ordinal: u64, region: Region) -> Target {
        Target { host, ordinal, named: self.host_start(host) + ordinal, relative: false, region }
    }

    /// As [`Web::targets`], with topics.
    pub(super) fn topic_targets(&self, body: u64, host: u64, links: (u32, u32), out: &mut Vec<Target>) {
        let (Some(planted), Some(config), Some(page)) =
            (self.planted.as_deref(), self.config.topics.as_ref(), self.own_topic(body))
        else {
            return;
        };
        let home = self.host_of(body);
        let (start, size) = (self.host_start(home), self.host_size(home));
        let local =
            |ordinal: u64, region| Target { host, ordinal, named: start + ordinal, relative: true, region };
        if page.chain.is_none() {
            let menu = size.min(u64::from(self.config.navigation));
            out.extend((0..menu).map(|ordinal| local(ordinal, Region::Navigation)));
        }
        let mut draws = Draws::new(self.config.seed, body, purpose::LINKS);
        let group = if page.chain.is_some() { 0 } else { page.group };
        let (count, in_text) = links;
        for i in 0..count {
            let region = if i < in_text { Region::Text } else { Region::Related };
            let (stays, here, u) = (draws.unit() < config.stay, draws.next() & 1 == 0, draws.unit());
            let near = (u * u * size as f64) as u64;
            let other = planted.other(page.topic, draws.unit());
            let target = match (stays, here && page.chain.is_none()) {
                (true, true) => {
                    self.page_of_topic(home, near, page.topic).map(|ordinal| local(ordinal, region))
                }
                (true, false) => self.popular_of_topic(page.topic, group, u, region),
                (false, true) if page.group == 0 => Some(local(near, region)),
                (false, _) => self.popular_of_topic(other, 0, u, region),
            };
            // A topic without hosts, or a menu entry where nothing else is.
            out.push(target.unwrap_or_else(|| local(0, region)));
        }
        let region = Region::Related;
        match page.chain {
            Some((_, left)) if left > 1 => out.push(local(size - u64::from(left) + 1, region)),
            Some((topic, _)) => {
                let from = below(self.hash(body, purpose::TOPIC | 6 << 8), size);
                out.extend(self.page_of_topic(home, from, topic).map(|ordinal| local(ordinal, region)));
            }
            None => {
                let mut draws = Draws::new(self.config.seed, body, purpose::TOPIC | 7 << 8);
                if draws.unit() < GATES
                    && let Some(hosts) = self.next_group(page.topic, page.group)
                {
                    let to = hosts[draws.below(hosts.len() as u64) as usize];
                    let chain = planted.of_host(self, config, to).chain;
                    out.push(self.across(to, self.host_size(to) - u64::from(chain), region));
                }
                if draws.unit() < config.hubs {
                    let own = draws.next() & 1 == 0;
                    let topic = if own { page.topic } else { planted.draw(draws.unit()) };
                    let group = if topic == page.topic { group } else { 0 };
                    for _ in 0..HUB_LINKS {
                        out.extend(self.popular_of_topic(topic, group, draws.unit(), region));
                    }
                }
            }
        }
        let mut draws = Draws::new(self.config.seed, body, purpose::ADVERTISEMENT);
        for _ in 0..self.config.advertisements {
            let topic = planted.draw(draws.unit());
            out.extend(self.popular_of_topic(topic, 0, draws.unit(), Region::Advertisement));
        }
    }
}
