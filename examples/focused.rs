//! A focused crawl tried over the stored pages of an earlier run: how much of a topic it finds, and how soon.
//!
//!     cargo run --release --example focused -- RESULTS TOPIC.toml SEEDS.txt [TRUTH.txt [TUNNEL]]
//!
//! Results of a run over shards are crawled instead of the net, in the order of `webmill crawl --strategy focused`, breadth-first and
//! best-first. Prints of each strategy: pages fetched, the relevant of them, harvest (their share), recall (share of all relevant pages),
//! area under the recall curve (mean recall over the fetches of the longest course), and the fetches until the first 10, 100 and 1,000
//! relevant pages; on stderr the best hubs by HITS, which are good seeds. The files have one URL per line. What is relevant is
//! said by TRUTH; without, by the topic, by how common words are on all stored pages.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use webmill::capture::{CanonicalUrl, UrlKey};
use webmill::crawl::focus::{
    Action, Corpus, Focus, FoundLink, LinkText, MemoryStore, Scorer, SeenPage, Topic,
};
use webmill::crawl::priority::{Priority, PriorityOptions};
use webmill::graph::{Csr, Hits};
use webmill::jobs::current_captures::place;
use webmill::jobs::focused::links::is_followed;
use webmill::jobs::focused::topic_file;
use webmill::jobs::job::latest;
use webmill::mill::{LinkRow, PageRow, TextRow};
use webmill::table::{Reader, columns};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

columns! {
    struct PageColumns from PageRow { url, url_key, is_current, title, warc_filename, warc_record_offset }
}

columns! {
    struct Text from TextRow { url_key, is_current, title, text }
}

columns! {
    struct Linked from LinkRow { source_key, target_key, anchor, before, after, heading, kind, nofollow, warc_filename, warc_record_offset }
}

/// A stored page.
struct Page {
    url: CanonicalUrl,
    title: String,
    text: String,
    links: Vec<Link>,
}

/// A link to another stored page.
struct Link {
    target: u32,
    anchor: String,
    before: String,
    after: String,
    heading: String,
}

/// The current pages of a run, with the links that a crawl would follow.
struct Web {
    pages: Vec<Page>,
    numbers: HashMap<UrlKey, u32>,
}

impl Web {
    fn read(results: &Path) -> Outcome<Web> {
        let extract = latest(results, "extract")?;
        let mut web = Web { pages: Vec::new(), numbers: HashMap::new() };
        let mut places = Vec::new();
        let mut reader = Reader::<PageColumns>::open(&extract.path("pages"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.is_current) {
                let Some(url) = CanonicalUrl::parse_stored(row.url) else { continue };
                web.numbers.insert(UrlKey(row.url_key.0), web.pages.len() as u32);
                places.push(place(row.warc_filename, row.warc_record_offset));
                let title = row.title.unwrap_or_default().to_owned();
                web.pages.push(Page { url, title, text: String::new(), links: Vec::new() });
            }
        }
        let mut reader = Reader::<Text>::open(&extract.path("texts"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.is_current) {
                let Some(number) = web.numbers.get(&UrlKey(row.url_key.0)) else { continue };
                let page = &mut web.pages[*number as usize];
                page.text = row.text.to_owned();
                page.title = row.title.map_or_else(|| std::mem::take(&mut page.title), str::to_owned);
            }
        }
        let links = extract.path("links");
        let mut reader = Reader::<Linked>::open(&links)?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| !row.nofollow && is_followed(row.kind)) {
                let number = |key: u128| web.numbers.get(&UrlKey(key)).copied();
                let (Some(source), Some(target)) = (number(row.source_key.0), number(row.target_key.0))
                else {
                    continue;
                };
                if places[source as usize] == place(row.warc_filename, row.warc_record_offset) {
                    let [anchor, before, after, heading] =
                        [row.anchor, row.before, row.after, row.heading].map(str::to_owned);
                    web.pages[source as usize].links.push(Link { target, anchor, before, after, heading });
                }
            }
        }
        Ok(web)
    }

    fn numbers_of(&self, file: &str) -> Outcome<Vec<u32>> {
        let urls = topic_file::read_urls(Path::new(file))?;
        let keys = urls.iter().filter_map(|line| CanonicalUrl::parse(line)).map(|url| url.key());
        let found: Vec<u32> = keys.filter_map(|key| self.numbers.get(&key).copied()).collect();
        eprintln!("{file}: {} of {} URLs are pages of the run", found.len(), urls.len());
        Ok(found)
    }

    /// Which pages the topic calls relevant.
    fn relevant(&self, topic: &Arc<Topic>) -> Vec<bool> {
        let mut corpus = Corpus::default();
        self.pages.iter().for_each(|page| corpus.add(topic.bag(&page.title, &page.text).terms()));
        let scorer = Scorer::new(topic.clone(), &Arc::new(corpus));
        let score = |page: &Page| scorer.page(page.url.as_str(), &page.title, &page.text).relevance;
        self.pages.iter().map(|page| score(page) >= topic.threshold()).collect()
    }
}

/// A queue by score, the greatest first; of equals the first in.
#[derive(Default)]
struct Queue {
    order: BTreeSet<(u64, u64, u32)>,
    known: HashMap<u32, (u64, u64)>,
    next: u64,
}

impl Queue {
    /// A number that falls where the score grows.
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

fn breadth(web: &Web, seeds: &[u32]) -> Vec<u32> {
    let mut seen: HashSet<u32> = seeds.iter().copied().collect();
    let (mut queue, mut fetched) = (VecDeque::from(seeds.to_vec()), Vec::new());
    while let Some(page) = queue.pop_front() {
        fetched.push(page);
        let targets = web.pages[page as usize].links.iter().map(|link| link.target);
        queue.extend(targets.filter(|target| seen.insert(*target)));
    }
    fetched
}

/// By the priority of a crawl, each further link to what waits counted.
fn best(web: &Web, seeds: &[u32], options: &PriorityOptions) -> Outcome<Vec<u32>> {
    let priority = Priority::new(options, None)?;
    let url = |page: u32| &web.pages[page as usize].url;
    // The score of each page that a link or seed named, and the further links to it.
    let mut known: HashMap<u32, (f64, u32)> = HashMap::new();
    let (mut queue, mut fetched) = (Queue::default(), Vec::new());
    for &seed in seeds {
        let score = priority.of(url(seed), None);
        known.insert(seed, (score, 0));
        queue.push(seed, score);
    }
    while let Some(page) = queue.pop() {
        fetched.push(page);
        let own = known[&page].0;
        let mut met = HashSet::new();
        for target in web.pages[page as usize].links.iter().map(|link| link.target).filter(|t| met.insert(*t))
        {
            if let Some((score, links)) = known.get_mut(&target) {
                *links += 1;
                queue.score(target, *score + options.coefficients.popularity * f64::from(*links));
            } else {
                let score = priority.of(url(target), Some((url(page), own)));
                known.insert(target, (score, 0));
                queue.push(target, score);
            }
        }
    }
    Ok(fetched)
}

/// In the order of `webmill crawl --strategy focused`.
fn focused(
    web: &Web,
    seeds: &[u32],
    topic: Arc<Topic>,
    tunnel: u32,
    options: &PriorityOptions,
) -> Outcome<Vec<u32>> {
    let priority = Priority::new(options, None)?;
    let mut store = MemoryStore::default();
    let mut focus = Focus::open(topic, tunnel, options.coefficients.popularity, &store)?;
    let (mut queue, mut fetched) = (Queue::default(), Vec::new());
    for &seed in seeds {
        queue.push(seed, f64::from(focus.seed(&web.pages[seed as usize].url, &mut store)?));
    }
    loop {
        let Some(number) = queue.pop() else {
            let released = focus.release(&mut store)?;
            if released.is_empty() {
                return Ok(fetched);
            }
            released.into_iter().for_each(|action| act(web, &mut queue, &[], action));
            continue;
        };
        fetched.push(number);
        let page = &web.pages[number as usize];
        let scorer = focus.scorer().clone();
        let words = scorer.page(page.url.as_str(), &page.title, &page.text);
        let source = scorer.source(&page.url, &page.title);
        let targets: Vec<u32> = page.links.iter().map(|link| link.target).collect();
        let link = |link: &Link| {
            let url = &web.pages[link.target as usize].url;
            let Link { anchor, before, after, heading, .. } = link;
            let words = scorer.link(&source, &LinkText { anchor, before, after, heading }, url);
            FoundLink { url, words, priority: priority.of(url, Some((&page.url, 0.0))) }
        };
        let links: Vec<FoundLink<'_>> = page.links.iter().map(link).collect();
        let seen = SeenPage { url: &page.url, origin: None, words: &words };
        let mut payload = |link: usize| targets[link].to_le_bytes().to_vec();
        let actions = focus.page(&seen, &links, &mut payload, &mut store)?;
        actions.into_iter().for_each(|action| act(web, &mut queue, &targets, action));
    }
}

fn act(web: &Web, queue: &mut Queue, targets: &[u32], action: Action) {
    match action {
        Action::Queue { link, score } => queue.push(targets[link], f64::from(score)),
        Action::Release { payload, score, .. } => {
            if let Ok(bytes) = payload.try_into() {
                queue.push(u32::from_le_bytes(bytes), f64::from(score));
            }
        }
        Action::Score { url, score } => {
            let key = CanonicalUrl::parse_stored(&url).map(|url| url.key());
            if let Some(number) = key.and_then(|key| web.numbers.get(&key)) {
                queue.score(*number, f64::from(score));
            }
        }
    }
}

/// The five pages that link most to relevant ones: hubs by HITS on the links to these.
fn hubs(web: &Web, truth: &[bool]) -> Outcome<()> {
    let arcs = web.pages.iter().zip(0..).flat_map(|(page, from)| {
        let targets = page.links.iter().map(|link| link.target);
        targets.filter(move |to| truth[*to as usize] && *to != from).map(move |to| (from, to))
    });
    let graph = Csr::from_arcs(web.pages.len(), arcs)?;
    let scores = Hits::default().run(&graph, &graph.transpose())?.hubs;
    for page in webmill::graph::top(&scores, 5).into_iter().filter(|page| scores[*page as usize] > 0.0) {
        let relevant = graph.successor_slice(page).len();
        eprintln!("hub {}: links to {relevant} relevant pages", web.pages[page as usize].url.as_str());
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [results, topic, seeds, rest @ ..] = &arguments[..] else {
        return Err("usage: focused RESULTS TOPIC.toml SEEDS.txt [TRUTH.txt [TUNNEL]]".into());
    };
    let topic = Arc::new(topic_file::topic(&topic_file::read_options(Path::new(topic))?)?);
    let web = Web::read(Path::new(results))?;
    let mut seeds = web.numbers_of(seeds)?;
    let mut once = HashSet::new();
    seeds.retain(|seed| once.insert(*seed));
    let truth = match rest.first() {
        None => web.relevant(&topic),
        Some(file) => {
            let mut truth = vec![false; web.pages.len()];
            web.numbers_of(file)?.into_iter().for_each(|page| truth[page as usize] = true);
            truth
        }
    };
    let tunnel = rest.get(1).map_or(Ok(3), |number| number.parse())?;
    let options = PriorityOptions::default();
    let courses = [
        ("focused", focused(&web, &seeds, topic, tunnel, &options)?),
        ("breadth", breadth(&web, &seeds)),
        ("best", best(&web, &seeds, &options)?),
    ];
    let all = truth.iter().filter(|relevant| **relevant).count().max(1) as f64;
    let longest = courses.iter().map(|(_, fetched)| fetched.len()).max().unwrap_or(0);
    println!("strategy\tfetched\trelevant\tharvest\trecall\tarea\tfirst10\tfirst100\tfirst1000");
    for (strategy, fetched) in courses {
        // Relevant pages among the first 0, 1, 2 … fetched.
        let mut found = vec![0usize];
        found.extend(fetched.iter().scan(0, |found, page| {
            *found += usize::from(truth[*page as usize]);
            Some(*found)
        }));
        let last = found[fetched.len()];
        let sum: usize = found[1..].iter().sum::<usize>() + (longest - fetched.len()) * last;
        let until =
            |n: usize| found.iter().position(|found| *found >= n).map_or("-".into(), |at| at.to_string());
        println!(
            "{strategy}\t{}\t{last}\t{:.4}\t{:.4}\t{:.4}\t{}\t{}\t{}",
            fetched.len(),
            last as f64 / fetched.len().max(1) as f64,
            last as f64 / all,
            sum as f64 / (all * longest.max(1) as f64),
            until(10),
            until(100),
            until(1000)
        );
    }
    hubs(&web, &truth)
}
