//! What a URL's ending tells of its media type, before it is asked for.
//!
//! **Definition.** An answer of a media type that the scope leaves out is a request in vain, and the rest of its body costs
//! the connection. So a page's URL is looked at first. Its *kind* is the ending of its path (`.svg`), or none; where
//! the ending says nothing about the type (none, `.php` and the like) the first segment of the path belongs to it.
//!
//! | kind | asked for |
//! |---|---|
//! | its ending stands for a type that is left out | not, but for the 32nd such URL of a host, the 64th, the 128th and so on |
//! | its last 8 answers on this host, and all before, were refused | likewise |
//! | it had answers that were taken, and 32 in a row that were refused | likewise |
//! | at least half of its answers were refused | with HEAD first |
//! | all else | yes |
//!
//! One answer that is taken opens the kind on its host. URLs with a query, or a colon in the last segment
//! (`/wiki/File:Map.svg`), are pages about a file more often than files: of these only what the host showed counts.
//! Seeds are asked for in any case.
//!
//! **Cost.** At most 16 kinds a host, 12 bytes each. **Determinism.** A function of the answers and their order.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use webmill_capture::CanonicalUrl;

/// Kinds kept of a host.
const MOST: usize = 16;

/// Refusals in a row after which a kind that was never taken is not asked for.
const NEVER_TAKEN: u16 = 8;

/// And one that was.
const ONCE_TAKEN: u16 = 32;

/// Of the URLs left out, the first that is asked for; then twice as many, and so on.
const FIRST_PROBE: u32 = 32;

/// Answers from which on a share says something.
const DECIDED: u16 = 4;

/// Longest ending.
const LONGEST: usize = 8;

/// Endings that stand for one media type.
const ENDINGS: &[(&str, &str)] = &[
    ("7z", "application/x-7z-compressed"),
    ("aac", "audio/aac"),
    ("apk", "application/vnd.android.package-archive"),
    ("avi", "video/x-msvideo"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("bz2", "application/x-bzip2"),
    ("class", "application/java-vm"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("deb", "application/vnd.debian.binary-package"),
    ("dmg", "application/x-apple-diskimage"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("eot", "application/vnd.ms-fontobject"),
    ("epub", "application/epub+zip"),
    ("exe", "application/vnd.microsoft.portable-executable"),
    ("flac", "audio/flac"),
    ("flv", "video/x-flv"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("ico", "image/vnd.microsoft.icon"),
    ("iso", "application/x-iso9660-image"),
    ("jar", "application/java-archive"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("jxl", "image/jxl"),
    ("m4a", "audio/mp4"),
    ("m4v", "video/mp4"),
    ("mid", "audio/midi"),
    ("mjs", "text/javascript"),
    ("mkv", "video/matroska"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("mpeg", "video/mpeg"),
    ("mpg", "video/mpeg"),
    ("msi", "application/x-msi"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("ogg", "audio/ogg"),
    ("ogv", "video/ogg"),
    ("opus", "audio/ogg"),
    ("otf", "font/otf"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("rar", "application/vnd.rar"),
    ("rpm", "application/x-rpm"),
    ("rtf", "application/rtf"),
    ("svg", "image/svg+xml"),
    ("svgz", "image/svg+xml"),
    ("swf", "application/vnd.adobe.flash.movie"),
    ("tar", "application/x-tar"),
    ("tgz", "application/gzip"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("ttf", "font/ttf"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("wma", "audio/x-ms-wma"),
    ("wmv", "video/x-ms-wmv"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xz", "application/x-xz"),
    ("zip", "application/zip"),
    ("zst", "application/zstd"),
];

/// Endings that say how an answer is made, not what it is.
const MAKERS: [&str; 14] =
    ["", "php", "php3", "php5", "phtml", "asp", "aspx", "ashx", "jsp", "jspx", "cgi", "pl", "do", "dll"];

/// What is left out by its ending under one list of media types.
#[derive(Debug, Clone)]
pub struct KindFilter {
    /// Type of each ending and whether it is taken.
    endings: HashMap<&'static str, (&'static str, bool)>,
    /// Differs for lists of media types that differ.
    key: u32,
}

/// How a URL is to be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ask {
    /// As it is.
    Get,
    /// Its head first: the body may be in vain.
    HeadFirst,
    /// Not: its type, or `unknown`, then after a comma why.
    No(String),
}

/// What the kinds of a host had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kinds {
    /// [`KindFilter::key`] of the counts.
    key: u32,
    kinds: Vec<Kind>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kind {
    key: u32,
    taken: u16,
    refused: u16,
    /// Refused since the last that was taken.
    in_a_row: u16,
    /// URLs not asked for.
    left_out: u32,
}

impl KindFilter {
    /// For what `takes` says of a media type.
    pub fn new(takes: impl Fn(&str) -> bool) -> Self {
        // Types that have more than one name are taken by any of them.
        let any = |ending: &str, media_type: &str| {
            takes(media_type)
                || match ending {
                    "js" | "mjs" => takes("application/javascript"),
                    "ico" => takes("image/x-icon"),
                    "rtf" => takes("text/rtf"),
                    _ => false,
                }
        };
        let endings: HashMap<_, _> = ENDINGS.iter().map(|&(e, t)| (e, (t, any(e, t)))).collect();
        let verdicts: Vec<u8> = ENDINGS.iter().map(|(e, _)| u8::from(endings[e].1)).collect();
        let more =
            ["text/html", "text/plain", "application/json", "application/octet-stream", "x/y"].map(takes);
        let all: Vec<u8> = verdicts.into_iter().chain(more.map(u8::from)).collect();
        KindFilter { endings, key: xxh3_64(&all) as u32 }
    }
}

impl Kinds {
    /// How to ask for the page at `url`; to be asked once for each URL, because now and then one is let through.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// use webmill_crawl::kinds::{Ask, KindFilter, Kinds};
    /// let filter = KindFilter::new(|media_type| media_type.starts_with("text/"));
    /// let mut kinds = Kinds::default();
    /// let picture = CanonicalUrl::parse("http://a.example/map.svg").unwrap();
    /// assert_eq!(kinds.ask(&picture, &filter), Ask::No("image/svg+xml, by its ending .svg".into()));
    /// let page = CanonicalUrl::parse("http://a.example/wiki/File:map.svg").unwrap();
    /// assert_eq!(kinds.ask(&page, &filter), Ask::Get);
    /// ```
    pub fn ask(&mut self, url: &CanonicalUrl, filter: &KindFilter) -> Ask {
        let ending = ending(url);
        let known = filter.endings.get(ending.as_str()).filter(|_| !is_about_a_file(url));
        if known.is_none() && (self.kinds.is_empty() || self.key != filter.key) {
            return Ask::Get;
        }
        self.begin(filter);
        let key = key_of(url, &ending);
        let at = self.kinds.iter().position(|kind| kind.key == key);
        let kind = at.map(|at| &self.kinds[at]).cloned().unwrap_or(Kind { key, ..Kind::default() });
        let left_out = match known {
            Some((_, taken)) => !taken && kind.taken == 0,
            None => kind.in_a_row >= if kind.taken == 0 { NEVER_TAKEN } else { ONCE_TAKEN },
        };
        if !left_out {
            let answers = kind.taken.saturating_add(kind.refused);
            let doubtful = answers >= DECIDED && kind.refused >= kind.taken;
            return if doubtful { Ask::HeadFirst } else { Ask::Get };
        }
        let Some(row) = self.row(at, key) else { return Ask::Get };
        row.left_out = row.left_out.saturating_add(1);
        if row.left_out >= FIRST_PROBE && row.left_out.is_power_of_two() {
            return Ask::Get;
        }
        let shown = if ending.is_empty() { "no ending".to_owned() } else { format!(".{ending}") };
        match known {
            Some((media_type, _)) => Ask::No(format!("{media_type}, by its ending {shown}")),
            None => Ask::No(format!("unknown, as the others of its kind were not wanted: {shown}")),
        }
    }

    /// Takes what a 2xx answer for `url` was: taken, or refused for its media type.
    pub fn learn(&mut self, url: &CanonicalUrl, taken: bool, filter: &KindFilter) {
        let ending = ending(url);
        let key = key_of(url, &ending);
        let at = self.kinds.iter().position(|kind| kind.key == key).filter(|_| self.key == filter.key);
        // A kind that was never refused needs no row, unless its ending speaks against it.
        let expected = filter.endings.get(ending.as_str()).is_none_or(|(_, taken)| *taken);
        if at.is_none() && taken && expected {
            return;
        }
        self.begin(filter);
        let Some(kind) = self.row(at, key) else { return };
        if taken {
            kind.taken = kind.taken.saturating_add(1);
            kind.in_a_row = 0;
        } else {
            kind.refused = kind.refused.saturating_add(1);
            kind.in_a_row = kind.in_a_row.saturating_add(1);
        }
        if kind.taken.max(kind.refused) >= 256 {
            (kind.taken, kind.refused) = (kind.taken.div_ceil(2), kind.refused.div_ceil(2));
        }
    }

    /// Counts under another list of media types say nothing.
    fn begin(&mut self, filter: &KindFilter) {
        if self.key != filter.key {
            *self = Kinds { key: filter.key, kinds: Vec::new() };
        }
    }

    /// The row of a kind; where the table is full, that with the fewest URLs makes room.
    fn row(&mut self, at: Option<usize>, key: u32) -> Option<&mut Kind> {
        let at = match at {
            Some(at) => at,
            None if self.kinds.len() < MOST => {
                self.kinds.push(Kind { key, ..Kind::default() });
                self.kinds.len() - 1
            }
            None => {
                let urls = |kind: &Kind| u32::from(kind.taken) + u32::from(kind.refused) + kind.left_out;
                let at = (0..self.kinds.len()).min_by_key(|&at| urls(&self.kinds[at]))?;
                self.kinds[at] = Kind { key, ..Kind::default() };
                at
            }
        };
        self.kinds.get_mut(at)
    }
}

/// The ending of the path's last segment, in lower case; empty where there is none.
fn ending(url: &CanonicalUrl) -> String {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    let last = last.split(';').next().unwrap_or_default();
    match last.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (1..=LONGEST).contains(&ending.len()) => {
            let plain = ending.bytes().all(|b| b.is_ascii_alphanumeric());
            if plain { ending.to_ascii_lowercase() } else { String::new() }
        }
        _ => String::new(),
    }
}

/// Whether a URL that ends like a file's is rather that of a page about it.
fn is_about_a_file(url: &CanonicalUrl) -> bool {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    url.query().is_some_and(|query| !query.is_empty()) || last.contains(':') || last.contains("%3A")
}

/// The key of a URL's kind.
fn key_of(url: &CanonicalUrl, ending: &str) -> u32 {
    let about = is_about_a_file(url);
    if MAKERS.contains(&ending) {
        let first = url.path().trim_start_matches('/').split_once('/').map_or("", |(first, _)| first);
        let query = if about { "?" } else { "" };
        return xxh3_64(format!("{first}/{query}.{ending}").as_bytes()) as u32;
    }
    xxh3_64(format!("{}.{ending}", if about { "?" } else { "" }).as_bytes()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{text}")).unwrap()
    }

    fn pages() -> KindFilter {
        KindFilter::new(|media_type| matches!(media_type, "text/html" | "application/pdf"))
    }

    fn asked(kinds: &mut Kinds, urls: impl Iterator<Item = String>) -> usize {
        urls.filter(|text| !matches!(kinds.ask(&url(text), &pages()), Ask::No(..))).count()
    }

    #[test]
    fn endings_of_types_that_are_left_out_are_not_asked_for() {
        let mut kinds = Kinds::default();
        assert_eq!(asked(&mut kinds, (1..=31).map(|n| format!("/{n}.SVG"))), 0);
        // The 32nd, the 64th, …, the 1024th.
        assert_eq!(asked(&mut kinds, (32..=1024).map(|n| format!("/{n}.svg"))), 6);
        assert_eq!(asked(&mut kinds, (0..50).map(|n| format!("/{n}.pdf"))), 50);
        assert_eq!(asked(&mut kinds, (0..50).map(|n| format!("/File:{n}.svg"))), 50);
        assert_eq!(asked(&mut kinds, (0..50).map(|n| format!("/{n}.svg?view=page"))), 50);
        for text in ["/", "/a", "/a.html", "/v1.2", "/a.b/c", "/.svg", "/x.", "/a.svg/"] {
            assert_eq!(kinds.ask(&url(text), &pages()), Ask::Get, "{text}");
        }
    }

    #[test]
    fn a_host_can_show_otherwise() {
        let mut kinds = Kinds::default();
        asked(&mut kinds, (1..=31).map(|n| format!("/{n}.png")));
        assert_eq!(kinds.ask(&url("/32.png"), &pages()), Ask::Get);
        kinds.learn(&url("/32.png"), true, &pages());
        assert_eq!(asked(&mut kinds, (0..100).map(|n| format!("/{n}.png"))), 100);
        // Other types are wanted now.
        let mut kinds = Kinds::default();
        (0..8).for_each(|n| kinds.learn(&url(&format!("/{n}.xyz")), false, &pages()));
        assert_eq!(asked(&mut kinds, (0..20).map(|n| format!("/{n}.xyz"))), 0);
        assert_eq!(kinds.ask(&url("/1.xyz"), &KindFilter::new(|_| true)), Ask::Get);
    }

    #[test]
    fn unknown_endings_are_learned() {
        let mut kinds = Kinds::default();
        let mut requests = 0;
        for n in 0..1000 {
            let url = url(&format!("/get/{n}"));
            if !matches!(kinds.ask(&url, &pages()), Ask::No(..)) {
                requests += 1;
                kinds.learn(&url, false, &pages());
            }
        }
        assert_eq!(requests, 8 + 5);
        // Elsewhere on the host, pages have no ending either.
        assert_eq!(kinds.ask(&url("/about"), &pages()), Ask::Get);
        // Half and half is worth a look first.
        for n in 0..40 {
            kinds.learn(&url(&format!("/dl/{n}")), n % 2 == 0, &pages());
        }
        assert_eq!(kinds.ask(&url("/dl/41"), &pages()), Ask::HeadFirst);
    }

    proptest! {
        #[test]
        fn bounded_and_stored(steps in prop::collection::vec(("/[a-c]{0,2}(/[a-z]{1,3}(\\.[a-z]{1,3})?)?(\\?a)?", any::<bool>()), 0..300)) {
            let mut kinds = Kinds::default();
            for (text, taken) in steps {
                let url = url(&text);
                kinds.ask(&url, &pages());
                kinds.learn(&url, taken, &pages());
                prop_assert!(kinds.kinds.len() <= MOST);
            }
            let bytes = postcard::to_allocvec(&kinds).unwrap();
            prop_assert!(bytes.len() <= 16 * 17 + 8);
            prop_assert_eq!(postcard::from_bytes::<Kinds>(&bytes).unwrap(), kinds);
        }
    }
}
