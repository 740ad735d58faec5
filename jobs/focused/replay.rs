//! The crawl of a crawl: strategies over a stored Web.
//!
//! **Definition.** Each strategy starts from the seeds and fetches one page after the other; what it fetched is looked up instead of asked for.
//! `breadth` is first in, first out; `best` is best-first by [`webmill_crawl::priority`] with links counted; `focused` is
//! [`webmill_crawl::focus`]. A page is relevant by the truth given, for every strategy by the same.
//!
//! **Cost.** A few operations of a set a link, and for `focused` the words of each page and link once.
//!
//! **Determinism.** Equal input gives equal curves.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use anyhow::Result;
use webmill_crawl::focus::{
    Action, Focus, FocusCounts, FoundLink, Harvested, LinkText, MemoryStore, SeenPage, Topic,
};
use webmill_crawl::priority::{Priority, PriorityOptions};
use webmill_run::Cancel;

use super::stored::StoredWeb;

/// When a replay ends.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// Pages fetched.
    pub pages: u64,
    /// Relevant pages fetched.
    pub target: u64,
}

/// The order in which a strategy fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Its name.
    pub strategy: &'static str,
    /// The pages, in order.
    pub fetched: Vec<u32>,
    /// Whether each of them is relevant, by the truth.
    pub relevant: Vec<bool>,
}

impl Course {
    fn new(strategy: &'static str) -> Course {
        Course { strategy, fetched: Vec::new(), relevant: Vec::new() }
    }

    /// Counts a page; whether it goes on.
    fn add(&mut self, page: u32, truth: &[bool], found: &mut u64, stop: Stop) -> bool {
        let relevant = truth[page as usize];
        self.fetched.push(page);
        self.relevant.push(relevant);
        *found += u64::from(relevant);
        (self.fetched.len() as u64) < stop.pages && *found < stop.target
    }

    /// Relevant pages fetched.
    pub fn found(&self) -> u64 {
        self.relevant.iter().map(|relevant| u64::from(*relevant)).sum()
    }

    /// Pages fetched until so many of them were relevant.
    pub fn until(&self, relevant: u64) -> Option<u64> {
        let mut left = relevant;
        let at = self.relevant.iter().position(|is| {
            left -= u64::from(*is);
            left == 0
        });
        at.map(|at| at as u64 + 1)
    }

    /// Mean recall over the first `fetched` pages, which it keeps where it ended before.
    pub fn area(&self, all: u64, fetched: u64) -> f64 {
        let (mut found, mut sum) = (0u64, 0u64);
        for n in 0..fetched as usize {
            found += u64::from(self.relevant.get(n).copied().unwrap_or(false));
            sum += found;
        }
        sum as f64 / (all.max(1) as f64 * fetched.max(1) as f64)
    }
}

/// First in, first out.
pub fn breadth(
    web: &StoredWeb,
    seeds: &[u32],
    truth: &[bool],
    stop: Stop,
    cancel: &Cancel,
) -> Result<Course> {
    let mut course = Course::new("breadth");
    let mut seen = vec![false; web.pages.len()];
    let mut queue: VecDeque<u32> = VecDeque::new();
    let mut found = 0;
    for seed in seeds {
        if !std::mem::replace(&mut seen[*seed as usize], true) {
            queue.push_back(*seed);
        }
    }
    while let Some(page) = queue.pop_front() {
        cancel.check()?;
        if !course.add(page, truth, &mut found, stop) {
            break;
        }
        for link in &web.pages[page as usize].links {
            if !std::mem::replace(&mut seen[link.target as usize], true) {
                queue.push_back(link.target);
            }
        }
    }
    Ok(course)
}

/// A queue by score, greatest first, then first in.
#[derive(Debug, Default)]
struct Queue {
    order: BTreeSet<(u64, u64, u32)>,
    known: HashMap<u32, (u64, u64)>,
    next: u64,
}

impl Queue {
    fn class(score: f64) -> u64 {
        let bits = (score + 0.0).to_bits();
        !(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
    }

    fn push(&mut self, page: u32, score: f64) {
        let key = (Self::class(score), self.next);
        self.next += 1;
        self.known.insert(page, key);
        self.order.insert((key.0, key.1, page));
    }

    /// Gives a page that waits another score; it keeps its turn among equals.
    fn score(&mut self, page: u32, score: f64) {
        if let Some(key) = self.known.get_mut(&page) {
            self.order.remove(&(key.0, key.1, page));
            key.0 = Self::class(score);
            self.order.insert((key.0, key.1, page));
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let (_, _, page) = self.order.pop_first()?;
        self.known.remove(&page);
        Some(page)
    }
}

/// Best-first by the priority of a crawl, each further link to what waits counted.
pub fn best(
    web: &StoredWeb,
    seeds: &[u32],
    (truth, stop): (&[bool], Stop),
    options: &PriorityOptions,
    cancel: &Cancel,
) -> Result<Course> {
    let priority = Priority::new(options, None)?;
    let mut course = Course::new("best");
    let mut base: Vec<Option<(f64, u32)>> = (0..web.pages.len()).map(|_| None).collect();
    let mut queue = Queue::default();
    let mut found = 0;
    for seed in seeds {
        let of = &mut base[*seed as usize];
        if of.is_none() {
            let score = priority.of(&web.pages[*seed as usize].url, None);
            *of = Some((score, 0));
            queue.push(*seed, score);
        }
    }
    while let Some(page) = queue.pop() {
        cancel.check()?;
        if !course.add(page, truth, &mut found, stop) {
            break;
        }
        let own = base[page as usize].map_or(0.0, |(score, _)| score);
        let from = &web.pages[page as usize];
        let mut targets: Vec<u32> = from.links.iter().map(|link| link.target).collect();
        let mut known = std::collections::HashSet::new();
        targets.retain(|target| known.insert(*target));
        for target in targets {
            match &mut base[target as usize] {
                Some((score, links)) => {
                    *links += 1;
                    queue.score(target, *score + options.popularity * f64::from(*links));
                }
                none => {
                    let score = priority.of(&web.pages[target as usize].url, Some((&from.url, own)));
                    *none = Some((score, 0));
                    queue.push(target, score);
                }
            }
        }
    }
    Ok(course)
}

/// What a focused replay gave.
#[derive(Debug)]
pub struct Focused {
    /// The order of fetching.
    pub course: Course,
    /// What it knew of each page.
    pub rows: Vec<Harvested>,
    /// What it counted.
    pub counts: FocusCounts,
}

/// How a focused replay goes about.
#[derive(Debug, Clone)]
pub struct FocusedSettings {
    /// The topic.
    pub topic: Arc<Topic>,
    /// Longest tunnel that is queued.
    pub tunnel: u32,
    /// Best-first priorities.
    pub priority: PriorityOptions,
}

/// Focused: the order of [`webmill_crawl::focus`].
pub fn focused(
    web: &StoredWeb,
    seeds: &[u32],
    (truth, stop): (&[bool], Stop),
    settings: &FocusedSettings,
    cancel: &Cancel,
) -> Result<Focused> {
    let priority = Priority::new(&settings.priority, None)?;
    let mut store = MemoryStore::default();
    let popularity = settings.priority.popularity;
    let mut focus = Focus::open(settings.topic.clone(), settings.tunnel, popularity, &store)?;
    let mut course = Course::new("focused");
    let mut known = std::collections::HashSet::new();
    let mut queue = Queue::default();
    let mut found = 0;
    for seed in seeds {
        let url = &web.pages[*seed as usize].url;
        if known.insert(*seed) {
            queue.push(*seed, f64::from(focus.seed(url, &mut store)?));
        }
    }
    loop {
        cancel.check()?;
        let Some(number) = queue.pop() else {
            let released = focus.release(&mut store)?;
            if released.is_empty() {
                break;
            }
            released.into_iter().for_each(|action| act(web, &mut queue, &[], action));
            continue;
        };
        let page = &web.pages[number as usize];
        let scorer = focus.scorer().clone();
        let words = scorer.page(page.url.as_str(), &page.title, &page.text);
        let source = scorer.source(&page.url, &page.title);
        let mut targets = Vec::with_capacity(page.links.len());
        let mut links = Vec::with_capacity(page.links.len());
        for link in &page.links {
            let url = &web.pages[link.target as usize].url;
            let of_target = priority.of(url, Some((&page.url, 0.0)));
            targets.push(link.target);
            let text = LinkText {
                anchor: &link.anchor,
                before: &link.before,
                after: &link.after,
                heading: &link.heading,
            };
            let words = scorer.link(&source, &text, url);
            links.push(FoundLink { url, words, priority: of_target });
        }
        let seen = SeenPage { url: &page.url, origin: None, words: &words };
        let mut payload = |link: usize| targets[link].to_le_bytes().to_vec();
        let actions = focus.page(&seen, &links, &mut payload, &mut store)?;
        actions.into_iter().for_each(|action| act(web, &mut queue, &targets, action));
        if !course.add(number, truth, &mut found, stop) {
            break;
        }
    }
    let rows = Focus::rows(0, course.fetched.len(), &store)?;
    Ok(Focused { course, rows, counts: focus.counts() })
}

fn act(web: &StoredWeb, queue: &mut Queue, targets: &[u32], action: Action) {
    match action {
        Action::Queue { link, score } => queue.push(targets[link], f64::from(score)),
        Action::Release { payload, score, .. } => {
            if let Ok(bytes) = payload.try_into() {
                queue.push(u32::from_le_bytes(bytes), f64::from(score));
            }
        }
        Action::Score { url, score } => {
            let url = webmill_capture::CanonicalUrl::parse_stored(&url);
            if let Some(number) = url.and_then(|url| web.number(&url)) {
                queue.score(number, f64::from(score));
            }
        }
    }
}
