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
//! **Determinism.** As the Web: everything is a hash of seed and number.

use super::draw::{Draws, below, popular_rank, purpose, unit};
use super::layout::Target;
use super::prose::vocabulary;
use super::topic_plan::HostTopics;
use super::{Language, PageTopic, Region, Web};

/// Words of the vocabulary of a topic in one language.
const WORDS: u64 = 24;
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

impl Web {
    /// What page `page` is about: that of the page whose main text it has. `None` without topics.
    pub fn topic(&self, page: u64) -> Option<PageTopic> {
        self.own_topic(self.content(page).text)
    }

    /// The words of the vocabulary of a topic, most of them content words of any page too.
    pub fn topic_words(&self, topic: u32, language: Language) -> Vec<&'static str> {
        (0..WORDS).map(|n| vocabulary(language).word(self.word_of(topic, language, n))).collect()
    }

    /// The topics of a host; a mirror has its original's.
    fn host_topics(&self, host: u64) -> Option<HostTopics> {
        let host = self.mirrored_host(host).unwrap_or(host);
        Some(self.planted.as_ref()?.of_host(host, self.host_size(host)))
    }

    /// What a page is about whose text is its own.
    pub(super) fn own_topic(&self, page: u64) -> Option<PageTopic> {
        let planted = self.planted.as_ref()?;
        let host = self.host_of(page);
        let of = self.host_topics(host)?;
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
        let named = |_: &u32| self.host_topics(self.host_of(text)).is_some_and(|of| of.named);
        let mut beyond = page.chain.map(|(topic, _)| topic).filter(named);
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
        let (hosts, shuffle) = self.planted.as_ref()?.hosts(topic, group);
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

    fn across(&self, host: u64, ordinal: u64, region: Region) -> Target {
        Target { host, ordinal, named: self.host_start(host) + ordinal, relative: false, region }
    }

    /// As [`Web::targets`], with topics.
    pub(super) fn topic_targets(&self, body: u64, host: u64, links: (u32, u32), out: &mut Vec<Target>) {
        let (Some(planted), Some(page)) = (self.planted.as_deref(), self.own_topic(body)) else { return };
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
            let (stays, here, u) = (draws.unit() < planted.config.stay, draws.next() & 1 == 0, draws.unit());
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
                    && let Some(hosts) = planted.next_group(page.topic, page.group)
                {
                    let to = hosts[draws.below(hosts.len() as u64) as usize];
                    let chain = planted.of_host(to, self.host_size(to)).chain;
                    out.push(self.across(to, self.host_size(to) - u64::from(chain), region));
                }
                if draws.unit() < planted.config.hubs {
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
