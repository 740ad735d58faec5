//! A site that a test writes and changes, and rounds over it on days of its choice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use webmill_capture::cut::Cut;

use webmill::capture::CanonicalUrl;
use webmill::crawl::revisit::Schedule;
use webmill::crawl::{Again, Crawl, CrawlOptions, Ended, Totals};
use webmill::sim::{Answer, RequestHead, Site, SynthPage};

use super::crawl_support::{Quiet, events, message, swift, whole};

pub const DAY_MS: i64 = 86_400_000;
/// The day of the first crawl.
pub const BEGAN: i64 = 1_700_000_000_000;

/// How a site treats conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// 304 where the `ETag` is that of what would be sent.
    Honest,
    /// No validators.
    Silent,
    /// 304 to everything, asked for or not.
    Stubborn,
}

/// URLs and their bodies, shared by all clones.
#[derive(Clone)]
pub struct Pages {
    pub bodies: Arc<Mutex<BTreeMap<String, String>>>,
    pub manner: Arc<Mutex<Manner>>,
}

impl Pages {
    pub fn new(manner: Manner) -> Pages {
        Pages { bodies: Arc::default(), manner: Arc::new(Mutex::new(manner)) }
    }

    /// What begins with `-> ` is a redirect to what follows.
    pub fn set(&self, url: &str, body: impl Into<String>) {
        self.bodies.lock().unwrap().insert(url.to_owned(), body.into());
    }

    pub fn remove(&self, url: &str) {
        self.bodies.lock().unwrap().remove(url);
    }
}

/// As the site makes it of a body.
pub fn etag(body: &str) -> String {
    format!("\"{}\"", webmill::capture::digest::sha1_base32(body.as_bytes()).cut(..8))
}

/// A thousand words that are all others with another number.
pub fn words(n: u64) -> String {
    (0..1_000).map(|w| format!("w{}", (w * 31 + n * 977) % 50_000)).collect::<Vec<_>>().join(" ")
}

fn media_type(url: &str, body: &str) -> &'static str {
    match url.rsplit('.').next() {
        _ if body.starts_with("<urlset") => "application/xml",
        Some("css") => "text/css",
        Some("png") => "image/png",
        _ => "text/html",
    }
}

impl Site for Pages {
    fn answer_into(&self, _: &str, _: &str, _: u32, _: &mut SynthPage, _: &mut Answer) {
        unreachable!("requests come whole")
    }

    fn answer_request(&self, asking: &RequestHead<'_>, _: &mut SynthPage, out: &mut Answer) {
        let manner = *self.manner.lock().unwrap();
        let bodies = self.bodies.lock().unwrap();
        let message = match bodies.get(asking.url) {
            None => message("404 Not Found", "", "nothing here"),
            Some(body) if body.starts_with("-> ") => {
                message("302 Found", &format!("Location: {}\r\n", body.cut(3..)), "")
            }
            Some(_) if manner == Manner::Stubborn => b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
            Some(body) => {
                let tag = etag(body);
                let xml = media_type(asking.url, body);
                match manner {
                    Manner::Silent => message("200 OK", &format!("Content-Type: {xml}\r\n"), body),
                    _ if asking.if_none_match == Some(&tag) => {
                        format!("HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n").into_bytes()
                    }
                    _ => message("200 OK", &format!("Content-Type: {xml}\r\nETag: {tag}\r\n"), body),
                }
            }
        };
        *out = whole(message);
    }
}

/// Visits again after this many days, always.
pub fn every(proxy: String, days: u64) -> CrawlOptions {
    let mut options = swift(proxy);
    options.again = Again::Due;
    options.revisit.schedule = Schedule::Fixed;
    options.revisit.every_s = days * 86_400;
    options
}

/// Opens a crawl. A process that another test starts at this very moment holds the lock of a crawl just dropped until it is loaded.
pub fn open(folder: &Path, options: &CrawlOptions, seeds: &[&str]) -> Crawl {
    let seeds: Vec<CanonicalUrl> = seeds.iter().map(|seed| CanonicalUrl::parse(seed).unwrap()).collect();
    for _ in 0..200 {
        match Crawl::open(folder, options, &seeds, 2, None) {
            Err(error) if error.to_string().contains("another crawl is running") => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            opened => return opened.unwrap().0,
        }
    }
    panic!("{} stays locked", folder.display());
}

/// Crawls to the end, as if it were this day.
pub fn round(folder: &Path, options: &CrawlOptions, seeds: &[&str], day: f64) -> Totals {
    let mut crawl = open(folder, options, seeds);
    crawl.set_clock(BEGAN + (day * DAY_MS as f64) as i64);
    let ended = crawl.run(&mut Quiet, &|| false).unwrap();
    assert_eq!(ended, Ended::Finished);
    crawl.close(ended).unwrap()
}

/// What the visits found whose events came after the first `before`: URL and outcome, in order.
pub fn visits(folder: &Path, before: usize) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = events(folder)
        .into_iter()
        .skip(before)
        .filter_map(|event| Some((event.url, event.visit?.into_owned())))
        .collect();
    all.sort();
    all
}
