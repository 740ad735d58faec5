//! The order of a focused crawl over a simulated Web with planted topics, beside breadth-first order and an oracle.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use super::*;
use webmill_capture::CanonicalUrl;
use webmill_sim::{Config, Language, SimConfig, TopicConfig, Web};

/// A Web, and a topic that about one page in a hundred is of.
struct PlantedWeb {
    web: Web,
    topic: u32,
    /// Pages of it.
    relevant: Vec<bool>,
    all: u64,
    seeds: Vec<u64>,
}

/// Recall by number of fetches: relevant pages among the first n.
struct Course(Vec<bool>);

impl Course {
    fn found(&self, fetched: u64) -> u64 {
        self.0.iter().take(fetched as usize).map(|is| u64::from(*is)).sum()
    }

    fn harvest(&self, fetched: u64) -> f64 {
        self.found(fetched) as f64 / fetched as f64
    }
}

fn planted(pages: u64, topics: TopicConfig) -> PlantedWeb {
    let plain = SimConfig::plain(pages, pages / 50, 11).web;
    let web = Web::new(Config { topics: Some(topics), chinese: 0.2, ..plain }).unwrap();
    let of: Vec<u32> = (0..pages).map(|page| web.topic(page).unwrap().topic).collect();
    let mut counts = BTreeMap::<u32, u64>::new();
    // A page of a chain is of a topic, but of none of its host's.
    of.iter().for_each(|topic| *counts.entry(*topic).or_default() += 1);
    let (topic, all) = counts.into_iter().min_by_key(|(_, count)| count.abs_diff(pages / 100)).unwrap();
    let relevant: Vec<bool> = of.into_iter().map(|of| of == topic).collect();
    // One page in two thousand, whatever it is about, of those that no chain hides.
    let seeds = (0..pages).filter(|page| page % 2000 == 7 && web.topic(*page).unwrap().group == 0).collect();
    PlantedWeb { web, topic, relevant, all, seeds }
}

impl PlantedWeb {
    fn topic(&self) -> Arc<Topic> {
        let words = [Language::English, Language::Chinese].into_iter();
        let words = words.flat_map(|language| self.web.topic_words(self.topic, language));
        let words = words.map(|word| (word.to_owned(), 1.0)).collect();
        Arc::new(Topic::of_words(&TopicOptions { words, ..TopicOptions::default() }, None).unwrap())
    }

    /// First in, first out; with `knows`, relevant pages go first.
    fn breadth(&self, most: u64, knows: bool) -> Course {
        let (mut seen, mut order) = (vec![false; self.relevant.len()], Vec::new());
        let mut queues = [VecDeque::new(), VecDeque::new()];
        let class = |page: u64| usize::from(!(knows && self.relevant[page as usize]));
        for &seed in &self.seeds {
            seen[seed as usize] = true;
            queues[class(seed)].push_back(seed);
        }
        while let Some(page) = queues.iter_mut().find_map(VecDeque::pop_front) {
            order.push(self.relevant[page as usize]);
            if order.len() as u64 == most {
                break;
            }
            for to in self.web.links(page).into_iter().filter_map(|(to, _)| to) {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    queues[class(to)].push_back(to);
                }
            }
        }
        Course(order)
    }

    fn focused(&self, most: u64, tunnel: u32) -> (Course, FocusCounts) {
        let mut store = MemoryStore::default();
        let mut focus = Focus::open(self.topic(), tunnel, 0.0, &store).unwrap();
        let (mut queue, mut order) = (Queue::default(), Vec::new());
        for &seed in &self.seeds {
            let score = focus.seed(&url(&self.web.url(seed)), &mut store).unwrap();
            queue.push(seed, score);
        }
        loop {
            let Some(page) = queue.pop() else {
                let released = focus.release(&mut store).unwrap();
                if released.is_empty() {
                    break;
                }
                released.into_iter().for_each(|action| self.act(&mut queue, &[], action));
                continue;
            };
            let scorer = focus.scorer().clone();
            let (truth, at) = (self.web.truth(page), self.web.url(page));
            let words = scorer.page(&at, &truth.title, &truth.main_text);
            let targets: Vec<u64> = truth.links.iter().filter_map(|link| link.target).collect();
            let urls: Vec<CanonicalUrl> = truth.links.iter().map(|link| url(&link.url)).collect();
            let found: Vec<FoundLink<'_>> = urls
                .iter()
                .zip(&truth.links)
                .map(|(to, link)| FoundLink {
                    url: to,
                    words: scorer.link(
                        &LinkSource::default(),
                        &LinkText { anchor: &link.anchor, ..LinkText::default() },
                        to,
                    ),
                    priority: 0.0,
                })
                .collect();
            let seen = SeenPage { url: &url(&at), origin: None, words: &words };
            let mut payload = |link: usize| targets[link].to_le_bytes().to_vec();
            let actions = focus.page(&seen, &found, &mut payload, &mut store).unwrap();
            actions.into_iter().for_each(|action| self.act(&mut queue, &targets, action));
            order.push(self.relevant[page as usize]);
            if order.len() as u64 == most {
                break;
            }
        }
        (Course(order), focus.counts())
    }

    fn act(&self, queue: &mut Queue, targets: &[u64], action: Action) {
        match action {
            Action::Queue { link, score } => queue.push(targets[link], score),
            Action::Release { payload, score, .. } => {
                queue.push(u64::from_le_bytes(payload.try_into().unwrap()), score);
            }
            Action::Score { url, score } => queue.score(self.web.find(&url).unwrap(), score),
        }
    }
}

/// By score, then first in.
#[derive(Default)]
struct Queue {
    order: BTreeSet<(u32, u64, u64)>,
    known: HashMap<u64, (u32, u64)>,
    next: u64,
}

impl Queue {
    fn push(&mut self, page: u64, score: f32) {
        let key = (!score.to_bits(), self.next);
        self.next += 1;
        self.known.insert(page, key);
        self.order.insert((key.0, key.1, page));
    }

    fn score(&mut self, page: u64, score: f32) {
        if let Some(key) = self.known.get_mut(&page) {
            self.order.remove(&(key.0, key.1, page));
            key.0 = !score.to_bits();
            self.order.insert((key.0, key.1, page));
        }
    }

    fn pop(&mut self) -> Option<u64> {
        let (_, _, page) = self.order.pop_first()?;
        self.known.remove(&page);
        Some(page)
    }
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn tunnels_of_three() -> TopicConfig {
    TopicConfig { shortest_chain: 3, longest_chain: 3, far: 0.9, ..TopicConfig::default() }
}

#[test]
fn it_finds_a_topic_soon() {
    let pages = 60_000;
    let planted = planted(pages, TopicConfig::default());
    let early = pages / 50;
    let (breadth, oracle) = (planted.breadth(early, false), planted.breadth(early, true));
    let (focused, counts) = planted.focused(early, 3);
    let [breadth, oracle, focused] = [breadth, oracle, focused].map(|course| course.harvest(early));
    assert!(focused >= 5.0 * breadth, "{focused} of {breadth}");
    assert!(focused >= 0.9 * oracle, "{focused} of {oracle}");
    // Relevance tells the topic: what it counts is nearly what is so.
    let found = counts.harvest();
    assert!((0.9 * focused..1.1 * focused).contains(&found), "{found} of {focused}");
}

#[test]
fn tunnels_lead_to_what_lies_behind_them() {
    let pages = 100_000;
    let planted = planted(pages, tunnels_of_three());
    let ((through, _), (not, counts)) = (planted.focused(pages / 20, 3), planted.focused(pages / 20, 0));
    let recall = |course: &Course, fetched: u64| course.found(fetched) as f64 / planted.all as f64;
    assert!(recall(&through, pages / 20) >= 0.9, "{}", recall(&through, pages / 20));
    assert!(recall(&through, pages / 50) >= 0.85, "{}", recall(&through, pages / 50));
    // Without tunnels only the reserve leads there, and that comes in when nothing better is left: later, but it does.
    assert!(recall(&not, pages / 50) < 0.6, "{}", recall(&not, pages / 50));
    assert!(counts.released > 0 && recall(&not, pages / 20) > 0.8, "{counts:?}");
}
