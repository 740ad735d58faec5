//! Crawls over simulated Webs: settings, what was left, and what the server saw.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use webmill::capture::{CanonicalUrl, Truncation};
use webmill::crawl::event::{Event, outcome};
use webmill::crawl::politeness::Politeness;
use webmill::crawl::{Crawl, CrawlOptions, Ended, Observer, Purpose, Replayed, Snapshot, Totals, journal};
use webmill::shard::{ReadOptions, RecordType, ShardReader};
use webmill::sim::{
    Answer, Config, Ending, FeatureShares, Happening, HostShares, LoggedRequest, PageShares, Recording,
    RobotsShares, ServeOptions, Server, SimConfig, SimWeb, Site, SynthPage,
};

use super::support::Work;

/// A change of settings.
pub type Change = fn(&mut CrawlOptions);

/// Looks on and says nothing.
pub struct Quiet;

impl Observer for Quiet {
    fn look(&mut self, _: &Snapshot) {}
}

/// Settings for a Web on loopback: no delay, short waits.
pub fn swift(proxy: String) -> CrawlOptions {
    let mut options = CrawlOptions { connections: 32, memory: 64 << 20, ..CrawlOptions::default() };
    options.politeness = Politeness {
        delay_ms: 0,
        backoff_ms: 20,
        max_backoff_ms: 200,
        max_failures: 12,
        ..Politeness::default()
    };
    options.fetch.proxy = Some(proxy);
    options.fetch.idle_ms = 5_000;
    options.fetch.total_ms = 6_000;
    options.fetch.max_body_bytes = 400_000;
    options
}

/// A Web with much of everything that `hosts` and `pages` can be, but no host that hangs and no trap.
pub fn lively(pages: u64, seed: u64) -> SimConfig {
    SimConfig {
        web: Config { seed, pages, pages_per_host: 25, words: 30, ..Config::default() },
        hosts: HostShares { silent: 0.0, ..HostShares::alike(0.15) },
        robots: RobotsShares::alike(0.8),
        features: FeatureShares { traps: 0.0, ..FeatureShares::every(0.3) },
        pages: PageShares {
            dropped: 0.005,
            half_head: 0.005,
            garbage: 0.005,
            // Each takes all the time that an answer may take.
            endless_drip: 0.003,
            ..PageShares::alike(0.4)
        },
        huge_bytes: 1_000_000,
        bomb_bytes: 8 << 20,
        slow_ms: 20,
        time_out_ms: 20,
        drip_ms: 3,
        retry_after_s: 0,
        crawl_delay_s: 0.03,
        ..SimConfig::default()
    }
}

/// A simulated Web on a socket.
pub struct Served {
    pub sim: SimWeb,
    pub record: Arc<Recording>,
    pub server: Server,
}

impl Served {
    pub fn new(config: SimConfig) -> Served {
        let sim = SimWeb::new(config).unwrap();
        let (server, record) = serve(sim.clone());
        Served { sim, record, server }
    }

    pub fn seeds(&self) -> Vec<CanonicalUrl> {
        self.sim.seeds().map(|url| CanonicalUrl::parse(&url).unwrap()).collect()
    }

    pub fn options(&self) -> CrawlOptions {
        swift(self.server.proxy())
    }
}

/// Seeds by their URLs.
pub fn seeds(urls: &[&str]) -> Vec<CanonicalUrl> {
    urls.iter().map(|url| CanonicalUrl::parse(url).unwrap()).collect()
}

/// Puts a Web on a socket, with a recording of what it is asked.
pub fn serve(site: impl Site + 'static) -> (Server, Arc<Recording>) {
    let record = Arc::new(Recording::default());
    let options = ServeOptions { recorder: Some(record.clone()), ..ServeOptions::default() };
    (Server::start(site, options).unwrap(), record)
}

/// A Web that is written down: the n-th answer of a URL for the n-th request, the last one for all further ones; 404 for
/// what is not there.
#[derive(Default, Clone)]
pub struct Written(pub HashMap<String, Vec<Vec<u8>>>);

impl Written {
    pub fn answer(mut self, url: &str, message: Vec<u8>) -> Self {
        self.0.entry(url.to_owned()).or_default().push(message);
        self
    }

    /// What is answered to a URL that was asked for so often before.
    pub fn of(&self, url: &str, attempt: u32) -> Answer {
        let known = self.0.get(url);
        let nth = known.and_then(|all| all.get(attempt as usize).or(all.last()));
        whole(nth.cloned().unwrap_or_else(|| message("404 Not Found", "", "nothing here")))
    }

    /// A page with these links.
    pub fn page(self, url: &str, links: &[&str]) -> Self {
        self.answer(url, page(url, links))
    }
}

impl Site for Written {
    fn answer_into(&self, _: &str, url: &str, attempt: u32, _: &mut SynthPage, out: &mut Answer) {
        *out = self.of(url, attempt);
    }

    fn depends_on_attempt(&self, url: &str) -> bool {
        self.0.get(url).is_some_and(|all| all.len() > 1)
    }
}

/// A Web that is worked out: what is answered for a URL that was asked for so often before.
pub struct Worked<F>(pub F);

impl<F: Fn(&str, u32) -> Answer + Send + Sync> Site for Worked<F> {
    fn answer_into(&self, method: &str, url: &str, attempt: u32, _: &mut SynthPage, out: &mut Answer) {
        *out = (self.0)(url, attempt);
        if method == "HEAD" {
            out.message.truncate(out.head_len);
        }
    }

    fn depends_on_attempt(&self, _: &str) -> bool {
        true
    }
}

/// The beginning of an answer: its body breaks off after this many bytes.
pub fn cut(mut message: Vec<u8>, body_bytes: usize) -> Answer {
    let head_len = message.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
    let ending = if head_len + body_bytes < message.len() { Ending::Close } else { Ending::default() };
    message.truncate(head_len + body_bytes);
    Answer { ending, ..whole(message) }
}

/// An answer of which all is sent.
pub fn whole(message: Vec<u8>) -> Answer {
    let status = std::str::from_utf8(&message[9..12]).unwrap().parse().unwrap();
    let head_len = message.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
    Answer { status, message, head_len, ..Answer::default() }
}

/// An answer with its length. `headers` are whole lines.
pub fn message(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

pub fn page(title: &str, links: &[&str]) -> Vec<u8> {
    let links: String = links.iter().map(|to| format!("<li><a href=\"{to}\">to {to}</a></li>\n")).collect();
    let body = format!("<!DOCTYPE html><title>{title}</title>\n<h1>{title}</h1>\n<ul>\n{links}</ul>\n");
    message("200 OK", "Content-Type: text/html; charset=utf-8\r\n", &body)
}

/// Opens the crawl in a folder and runs it until it ends or `stop` says so.
pub fn crawl_until(
    folder: &Path,
    options: &CrawlOptions,
    seeds: &[CanonicalUrl],
    stop: &dyn Fn() -> bool,
) -> webmill::Result<(Replayed, Ended, Totals)> {
    let (mut crawl, replayed) = Crawl::open(folder, options, seeds, 2, None)?;
    let ended = crawl.run(&mut Quiet, stop)?;
    Ok((replayed, ended, crawl.close(ended)?))
}

/// Leaves options as a recipe for the program.
pub fn write_recipe(path: &Path, options: &CrawlOptions) {
    let recipe = BTreeMap::from([("crawl", options)]);
    std::fs::write(path, toml::to_string(&recipe).unwrap()).unwrap();
}

/// The binary at work on a crawl.
pub struct Program {
    pub work: Work,
    pub out: PathBuf,
}

impl Program {
    /// To begin or go on in the folder `crawl`.
    pub fn new(work: Work, options: &CrawlOptions, seeds: &[String]) -> Program {
        write_recipe(&work.path("recipe.toml"), options);
        std::fs::write(work.path("seeds.txt"), seeds.join("\n")).unwrap();
        let out = work.path("crawl");
        Program { work, out }
    }

    /// On a Web that is served.
    pub fn of(served: &Served, options: &CrawlOptions) -> Program {
        Program::new(Work::new(), options, &served.sim.seeds().collect::<Vec<_>>())
    }

    pub fn command(&self) -> Command {
        let arguments =
            ["crawl", "--recipe", "recipe.toml", "--seeds", "seeds.txt", "--out", "crawl", "--threads", "2"];
        let mut command = self.work.webmill(&arguments);
        let errors = std::fs::File::create(self.work.path("stderr")).unwrap();
        command.stdout(Stdio::null()).stderr(errors);
        command
    }

    pub fn start(&self) -> Child {
        self.command().spawn().unwrap()
    }

    pub fn said(&self) -> String {
        std::fs::read_to_string(self.work.path("stderr")).unwrap()
    }

    /// Waits for the end, and expects success.
    pub fn finish(&self, mut child: Child) {
        let status = child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.said());
    }

    /// Kills the crawl again and again, each time after some `requests`, until it ends by itself; the moments of the kills.
    pub fn kill_until_done(&self, server: &Server, dice: &mut Dice, requests: u64) -> Vec<Instant> {
        let mut kills = Vec::new();
        loop {
            let mut child = self.start();
            // One in four dies while it opens its folder, or as soon as it has.
            let early = kills.len() % 4 == 3;
            let more = if early { 0 } else { server.requests() + requests / 2 + dice.below(requests) };
            let by = Instant::now() + Duration::from_millis(if early { dice.below(120) } else { 20_000 });
            loop {
                if let Some(status) = child.try_wait().unwrap() {
                    assert!(status.success(), "{status}: {}", self.said());
                    return kills;
                }
                if Instant::now() > by || (!early && server.requests() >= more) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(dice.below(60)));
            kills.push(Instant::now());
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// Numbers by chance, the same every time.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Crawls to the end.
pub fn crawl(folder: &Path, options: &CrawlOptions, seeds: &[CanonicalUrl]) -> Totals {
    let (_, ended, totals) = crawl_until(folder, options, seeds, &|| false).unwrap();
    assert_eq!(ended, Ended::Finished);
    totals
}

/// A page in a shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub url: String,
    pub origin: Option<String>,
    pub data: Vec<u8>,
    pub truncated: Option<Truncation>,
}

/// Every shard in the folder of shards, unfinished ones too.
pub fn shard_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("shards")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| !path.ends_with("RAW-DB.md"));
    files.sort();
    files
}

/// All answers in the shards, read as any reader of shards would; damage is an error.
pub fn answers(folder: &Path) -> Vec<Stored> {
    let mut all = Vec::new();
    for path in shard_files(folder) {
        let mut reader = ShardReader::open(&path, &ReadOptions::default()).unwrap();
        while let Some(record) = reader.next() {
            let record = record.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            if record.kind == RecordType::Response {
                all.push(Stored {
                    url: record.url.to_string(),
                    origin: record.origin.map(|o| o.to_string()),
                    data: record.data.to_vec(),
                    truncated: record.truncated,
                });
            }
        }
    }
    all
}

/// All events of the journal, in order.
pub fn events(folder: &Path) -> Vec<Event> {
    let mut all = Vec::new();
    for part in journal::log_files(&folder.join("events")).unwrap() {
        let read = part.read(0, &mut |event| {
            all.push(event);
            Ok(())
        });
        assert_eq!(read.unwrap().damaged, 0, "{}", part.path.display());
    }
    all
}

/// What became of each page in the end: all events about it but those that announce another attempt.
pub fn outcomes(folder: &Path) -> BTreeMap<String, Vec<Event>> {
    let mut by_url: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    for event in events(folder) {
        if event.purpose == Purpose::Page && event.outcome != outcome::RETRY {
            by_url.entry(event.url.clone()).or_default().push(event);
        }
    }
    by_url
}

/// A request, and when the server was done with it.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub asked: LoggedRequest,
    pub at: Instant,
    /// The answer was sent, or the connection ended.
    pub done: Option<Instant>,
    /// The connection ended, or went on with another host.
    pub left: Option<Instant>,
}

/// All requests of a recording, in order of arrival.
pub fn exchanges(record: &Recording) -> Vec<Exchange> {
    let mut all: Vec<Exchange> = Vec::new();
    let mut of: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, happening) in record.happenings() {
        match happening {
            Happening::Opened(_) => {}
            Happening::Asked(asked) => {
                let before = of.entry(asked.connection).or_default();
                for &i in before.iter() {
                    if all[i].asked.host != asked.host {
                        all[i].left.get_or_insert(at);
                    }
                }
                before.push(all.len());
                all.push(Exchange { asked, at, done: None, left: None });
            }
            Happening::Answered(connection) => {
                if let Some(&i) = of.get(&connection).and_then(|all| all.last()) {
                    all[i].done.get_or_insert(at);
                }
            }
            Happening::Closed(connection) => {
                for i in of.remove(&connection).unwrap_or_default() {
                    all[i].done.get_or_insert(at);
                    all[i].left.get_or_insert(at);
                }
            }
        }
    }
    all
}

/// How long a request may be on its way to a busy server: its sender may be dead by then.
const ARRIVAL: Duration = Duration::from_millis(100);

/// URLs that were fetched again although their answer was there long before a kill: `slack` is how long an answer may take
/// to be read and written down. A request that a kill came across may be repeated after that kill.
pub fn needless_repeats(record: &Recording, kills: &[Instant], slack: Duration) -> Vec<String> {
    let mut by_url: HashMap<String, Vec<Exchange>> = HashMap::new();
    for exchange in exchanges(record) {
        by_url.entry(exchange.asked.url.clone()).or_default().push(exchange);
    }
    let mut faults = Vec::new();
    for (url, list) in by_url {
        for pair in list.windows(2) {
            let (first, again) = (&pair[0], &pair[1]);
            let excused = kills.iter().any(|kill| {
                first.at <= *kill + ARRIVAL
                    && *kill <= again.at
                    && first.done.is_none_or(|done| done + slack >= *kill)
            });
            if !excused {
                let since = kills.iter().rev().find(|kill| **kill <= first.at).map(|kill| first.at - *kill);
                let till = kills.iter().find(|kill| **kill >= first.at).map(|kill| *kill - first.at);
                faults.push(format!(
                    "{url} was fetched {since:?} after a kill, {till:?} before another, and again after {:?}",
                    again.at - first.at
                ));
            }
        }
    }
    faults.sort();
    faults
}

/// Fails with the first of `faults`.
#[track_caller]
pub fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(25)].join("\n"));
}
