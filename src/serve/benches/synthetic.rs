//! Captures drawn after what archives are like, in the order of the index, in constant memory.
//!
//! The model:
//!
//! - hosts: sizes by a power law of exponent 1.25 up to 20,000 pages, names of letters; pages of a host of five kinds
//!   (articles with dates and words, numbered queries, folders of words, products, images), a host mostly of one.
//!   Words are by Zipf's law among 6,000. Front-coded and packed by `zstd -19` the keys take about as many bytes as those of
//!   two real sites do (4.8 a page for a college of 4,486 pages, 1.7 for a manual of 32,101).
//! - crawls: six, a quarter apart; a page appears in one of them and stays for the next with probability 0.72.
//!   A page unchanged since (0.45) is a revisit with the digest of before.
//! - contents: 0.10 of the new ones are those of another page of the host (errors, mirrors, sessions); 0.06 redirects
//!   (a third of them empty) and 0.06 errors 404, 0.8 of which with one text for a host. All other digests are random.
//! - lengths: log-normal, median 9,000 bytes, sigma 1.2; revisits 520 +- 40.
//! - places: 100 records a second of 15,000 bytes fill shards of 1 GB one after another. A host is crawled in one go, a
//!   page every two seconds in random order.

use webmill_serve::index::{Entry, Timestamp};

const CRAWLS: u64 = 6;
const RATE: f64 = 100.0;
const RECORD: f64 = 15_000.0;
const SHARD: u64 = 1_000_000_000;
const MAX_PAGES: f64 = 20_000.0;

pub struct Synthetic {
    state: u64,
    left: u64,
    /// Seconds that a crawl takes.
    duration: f64,
    hosts: u64,
    host: u64,
    words: Vec<f64>,
    word_texts: Vec<String>,
    /// Captures with a digest of their own, and keys, so far.
    pub digests: u64,
    pub keys: u64,
}

const STARTS: [i64; 6] = [18_262, 18_353, 18_444, 18_536, 18_628, 18_718];

impl Synthetic {
    pub fn new(count: u64) -> Self {
        let mut weights: Vec<f64> = (1..=6000).map(|n| 1.0 / (f64::from(n) + 2.7)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let mut made = Synthetic {
            state: 0x1234_5678_9abc_def1,
            left: count,
            duration: (count as f64 / CRAWLS as f64 / RATE).max(20_000.0),
            // The divisors are about the pages per host, and the captures per page.
            hosts: (count as f64 / 2.25 / 26.0).ceil() as u64,
            host: 0,
            words: weights,
            word_texts: Vec::new(),
            digests: 0,
            keys: 0,
        };
        let syllables = [
            "ba", "con", "de", "er", "fi", "ing", "la", "ment", "no", "per", "ra", "st", "ti", "un", "ver",
            "y",
        ];
        made.word_texts = (0..6000u64)
            .map(|n| {
                let draw = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (0..1 + draw % 4).map(|at| syllables[(draw >> (8 + at * 4)) as usize % 16]).collect()
            })
            .collect();
        made
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (self.unit().max(1e-12), self.unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    fn word(&mut self) -> usize {
        // Inverse of the sum, about: Zipf.
        let target = self.unit();
        let mut sum = 0.0;
        for (at, weight) in self.words.iter().enumerate() {
            sum += weight;
            if sum >= target {
                return at;
            }
        }
        self.words.len() - 1
    }

    fn slug(&mut self, words: u64, out: &mut String) {
        for nth in 0..words {
            if nth > 0 {
                out.push('-');
            }
            let word = self.word();
            out.push_str(&self.word_texts[word]);
        }
    }

    fn path(&mut self, kind: u64, size: u64) -> String {
        let mut path = String::from("/");
        match kind {
            0 => {
                let (day, words) = (self.below(3000), self.below(4) + 3);
                path.push_str(&format!("{}/{:02}/{:02}/", 2012 + day / 360, day / 30 % 12 + 1, day % 30 + 1));
                self.slug(words, &mut path);
                path.push_str(".html");
            }
            1 => {
                let (id, page) = (self.below(size * 3), self.below(3));
                path.push_str(&format!("viewtopic.php?f={}&t={id}", id % 13));
                if page > 0 {
                    path.push_str(&format!("&start={}", page * 15));
                }
            }
            2 => {
                for _ in 0..1 + self.below(3) {
                    let word = self.below(24) as usize;
                    path.push_str(&self.word_texts[word * 7]);
                    path.push('/');
                }
                self.slug(2, &mut path);
                path.push_str(".htm");
            }
            3 => {
                let (category, item) = (self.below(12) as usize, self.below(size * 8));
                path.push_str(&format!("shop/{}/item-{item}", self.word_texts[category * 11]));
            }
            _ => {
                let month = self.below(60);
                path.push_str(&format!("wp-content/uploads/{}/{:02}/", 2015 + month / 12, month % 12 + 1));
                self.slug(2, &mut path);
                path.push_str(
                    ["-300x200.jpg", "-150x150.jpg", ".jpg", "-1024x683.jpg"][self.below(4) as usize],
                );
            }
        }
        path
    }

    /// Hands the captures out in order.
    pub fn run(&mut self, visit: &mut dyn FnMut(&Entry<'_>)) {
        while self.left > 0 {
            self.one_host(visit);
        }
    }

    fn one_host(&mut self, visit: &mut dyn FnMut(&Entry<'_>)) {
        // Names ascend: a count in base 26 with random letters behind.
        self.host += 1;
        let step = 26u64.pow(6) * 4 / self.hosts.max(1);
        let mut number = self.host * step + self.next() % step;
        let mut letters = [b'a'; 6];
        for letter in letters.iter_mut().rev() {
            *letter += (number % 26) as u8;
            number /= 26;
        }
        // Four domains, and more where there are more hosts than was thought.
        let domain = match number {
            0 => "com".to_owned(),
            1 => "de".to_owned(),
            2 => "org".to_owned(),
            3 => "uk,co".to_owned(),
            more => format!("x{more:04}"),
        };
        let name = format!("{domain},{}site", String::from_utf8_lossy(&letters));
        let shown: Vec<&str> = name.rsplit(',').collect();
        let (https, www) = (self.chance(0.7), self.chance(0.5));
        let base = format!(
            "{}{}{}",
            if https { "https://" } else { "http://" },
            if www { "www." } else { "" },
            shown.join(".")
        );
        let size = (6.0 * self.unit().max(1e-9).powf(-1.0 / 1.25)).min(MAX_PAGES).ceil() as u64;
        let main_kind = self.below(5);
        let mut paths: Vec<(String, u64)> = (0..size)
            .map(|_| {
                let kind = if self.chance(0.8) { main_kind } else { self.below(5) };
                (self.path(kind, size), kind)
            })
            .collect();
        paths.push(("/".to_owned(), 2));
        paths.sort();
        paths.dedup_by(|a, b| a.0 == b.0);
        let window = paths.len() as f64 * 2.0;
        let starts: Vec<f64> = STARTS
            .iter()
            .map(|&day| day as f64 * 86_400.0 + self.unit() * (self.duration - window).max(1.0))
            .collect();
        let error_digest = self.digest();
        let mut last_digest = error_digest.clone();
        for (path, kind) in &paths {
            let urlkey = format!("{name}){path}");
            let url = format!("{base}{path}");
            self.keys += 1;
            let first = self.next() % CRAWLS;
            let mut content: Option<(String, &str, u16)> = None;
            for crawl in first..CRAWLS {
                if self.left == 0 || (crawl > first && !self.chance(0.72)) {
                    break;
                }
                self.left -= 1;
                let seconds = starts[crawl as usize] + self.unit() * window;
                // The second names a place to within what is written in it.
                let since = seconds - STARTS[crawl as usize] as f64 * 86_400.0;
                let place = ((since + self.duration * crawl as f64) * RATE * RECORD) as u64;
                let unchanged = content.is_some() && self.chance(0.45);
                let (mime, status, length);
                if unchanged {
                    (mime, status) = ("warc/revisit", content.as_ref().map_or(200, |content| content.2));
                    length = (520.0 + 40.0 * self.normal()).max(300.0) as u64;
                } else {
                    let html = if *kind == 4 { "image/jpeg" } else { "text/html" };
                    let digest;
                    if self.chance(0.06) {
                        status = 301;
                        digest = if self.chance(0.33) {
                            "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ".to_owned()
                        } else {
                            self.digest()
                        };
                    } else if self.chance(0.06) {
                        status = 404;
                        digest = if self.chance(0.8) { error_digest.clone() } else { self.digest() };
                    } else {
                        status = 200;
                        digest = if self.chance(0.1) { last_digest.clone() } else { self.digest() };
                        last_digest.clone_from(&digest);
                    }
                    mime = if status == 200 { html } else { "text/html" };
                    let (median, sigma): (f64, f64) =
                        if status == 200 { (9000.0, 1.2) } else { (600.0, 0.3) };
                    length = (median * (sigma * self.normal()).exp()) as u64 + 200;
                    content = Some((digest, mime, status));
                }
                let time = Self::timestamp(seconds as i64);
                let entry = Entry {
                    urlkey: urlkey.as_str().into(),
                    timestamp: time,
                    url: url.as_str().into(),
                    mime: mime.into(),
                    status: Some(status),
                    digest: content.as_ref().map_or("", |content| &content.0).into(),
                    length: Some(length),
                    offset: place % SHARD,
                    filename: format!("crawl-data/WEBMILL-2020-{:05}.warc.gz", place / SHARD).into(),
                    ..Entry::default()
                };
                visit(&entry);
            }
        }
    }

    fn digest(&mut self) -> String {
        self.digests += 1;
        let mut bytes = [0; 24];
        for part in bytes.chunks_exact_mut(8) {
            part.copy_from_slice(&self.next().to_le_bytes());
        }
        data_encoding::BASE32.encode(&bytes[..20])
    }

    fn timestamp(seconds: i64) -> Timestamp {
        let (year, month, day) = webmill_capture::calendar::civil_of_days(seconds / 86_400);
        let second = seconds % 86_400;
        let date = (year as u64 * 100 + u64::from(month)) * 100 + u64::from(day);
        let time = (second / 3600 * 10_000 + second / 60 % 60 * 100 + second % 60) as u64;
        Timestamp(date * 1_000_000 + time)
    }
}
