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
//! | at least three in four of its answers were refused | yes, with HEAD first where the connection is kept |
//! | all else | yes |
//!
//! One answer that is taken opens the kind on its host. URLs with a query, or a colon in the last segment
//! (`/wiki/File:Map.svg`), are pages about a file more often than files: of these only what the host showed counts.
//! Seeds are asked for in any case.
//!
//! **Cost.** At most 16 kinds a host, 12 bytes each. **Determinism.** A function of the answers and their order.

use std::sync::LazyLock;

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

/// Endings that stand for one media type, in their order.
static ENDINGS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    include_str!("kinds_endings.txt").lines().filter_map(|line| line.split_once(' ')).collect()
});

/// Endings that say how an answer is made, not what it is.
const MAKERS: [&str; 14] =
    ["", "php", "php3", "php5", "phtml", "asp", "aspx", "ashx", "jsp", "jspx", "cgi", "pl", "do", "dll"];

/// A type that no rule knows.
const UNKNOWN: &str = "x-unknown/x-unknown";

/// Tells counts under one list of media types from those under another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindFilter {
    key: u32,
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
        let more = ["text/html", "text/plain", "application/json", "application/octet-stream", UNKNOWN];
        let types = ENDINGS.iter().map(|(_, media_type)| *media_type).chain(more);
        let verdicts: Vec<u8> = types.map(|media_type| u8::from(takes(media_type))).collect();
        KindFilter { key: xxh3_64(&verdicts) as u32 }
    }
}

impl Kinds {
    /// Why the page at `url` is not asked for: its type or `unknown`, then after a comma why. `takes` says whether an answer of
    /// a type for this URL would be taken. To be called once for each URL, because now and then one is let through.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// use webmill_crawl::kinds::{KindFilter, Kinds};
    /// let takes = |media_type: &str| media_type.starts_with("text/");
    /// let (filter, mut kinds) = (KindFilter::new(takes), Kinds::default());
    /// let picture = CanonicalUrl::parse("http://a.example/map.svg").unwrap();
    /// assert_eq!(kinds.refuses(&picture, filter, &takes).as_deref(), Some("image/svg+xml, by its ending .svg"));
    /// let page = CanonicalUrl::parse("http://a.example/wiki/File:map.svg").unwrap();
    /// assert_eq!(kinds.refuses(&page, filter, &takes), None);
    /// ```
    pub fn refuses(
        &mut self,
        url: &CanonicalUrl,
        filter: KindFilter,
        takes: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let ending = ending(url);
        let known = type_of(&ending).filter(|_| !is_about_a_file(url));
        if known.is_none() && (self.kinds.is_empty() || self.key != filter.key) {
            return None;
        }
        let key = key_of(url, &ending);
        let at = self.find(key, filter);
        let shown = at.map(|at| &self.kinds[at]);
        let left_out = match known {
            Some(media_type) => {
                shown.is_none_or(|kind| kind.taken == 0) && !is_taken(&ending, media_type, takes)
            }
            None => shown.is_some_and(Kind::is_hopeless) && !takes(UNKNOWN),
        };
        if !left_out {
            return None;
        }
        self.begin(filter);
        let row = self.row(at, key)?;
        row.left_out = row.left_out.saturating_add(1);
        if row.left_out >= FIRST_PROBE && row.left_out.is_power_of_two() {
            return None;
        }
        let shown = if ending.is_empty() { "no ending".to_owned() } else { format!(".{ending}") };
        Some(match known {
            Some(media_type) => format!("{media_type}, by its ending {shown}"),
            None => format!("unknown, as the others of its kind were not wanted: {shown}"),
        })
    }

    /// Whether most answers of the URL's kind were refused, so that its head is worth a request of its own.
    pub fn is_doubtful(&self, url: &CanonicalUrl, filter: KindFilter) -> bool {
        if self.kinds.is_empty() {
            return false;
        }
        let kind = self.find(key_of(url, &ending(url)), filter).map(|at| &self.kinds[at]);
        kind.is_some_and(|kind| kind.refused >= DECIDED && kind.refused >= kind.taken.saturating_mul(3))
    }

    /// Takes what a 2xx answer for `url` was: taken, or refused for its media type.
    pub fn learn(&mut self, url: &CanonicalUrl, taken: bool, filter: KindFilter) {
        let ending = ending(url);
        let key = key_of(url, &ending);
        let at = self.find(key, filter);
        // What its ending promises needs no row.
        if at.is_none() && taken && type_of(&ending).is_some() {
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

    fn find(&self, key: u32, filter: KindFilter) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.key == key).filter(|_| self.key == filter.key)
    }

    /// Counts under another list of media types say nothing.
    fn begin(&mut self, filter: KindFilter) {
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

impl Kind {
    fn is_hopeless(&self) -> bool {
        self.in_a_row >= if self.taken == 0 { NEVER_TAKEN } else { ONCE_TAKEN }
    }
}

/// The type that an ending stands for.
pub(crate) fn type_of(ending: &str) -> Option<&'static str> {
    ENDINGS.binary_search_by_key(&ending, |(ending, _)| *ending).ok().map(|at| ENDINGS[at].1)
}

/// Whether answers with this ending are taken, by any of the names that their type has.
fn is_taken(ending: &str, media_type: &str, takes: &dyn Fn(&str) -> bool) -> bool {
    takes(media_type)
        || match ending {
            "js" | "mjs" => takes("application/javascript"),
            "ico" => takes("image/x-icon"),
            "rtf" => takes("text/rtf"),
            _ => false,
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

    fn pages(media_type: &str) -> bool {
        matches!(media_type, "text/html" | "application/pdf")
    }

    fn filter() -> KindFilter {
        KindFilter::new(pages)
    }

    fn asked(kinds: &mut Kinds, urls: impl Iterator<Item = String>) -> usize {
        urls.filter(|text| kinds.refuses(&url(text), filter(), &pages).is_none()).count()
    }

    #[test]
    fn endings_are_sorted() {
        assert!(ENDINGS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!((type_of("svg"), type_of("html"), type_of("")), (Some("image/svg+xml"), None, None));
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
            assert_eq!(kinds.refuses(&url(text), filter(), &pages), None, "{text}");
        }
        // A rule of scope may take them here.
        assert_eq!(kinds.refuses(&url("/1.svg"), filter(), &|_| true), None);
    }

    #[test]
    fn a_host_can_show_otherwise() {
        let mut kinds = Kinds::default();
        asked(&mut kinds, (1..=31).map(|n| format!("/{n}.png")));
        assert_eq!(kinds.refuses(&url("/32.png"), filter(), &pages), None);
        kinds.learn(&url("/32.png"), true, filter());
        assert_eq!(asked(&mut kinds, (0..100).map(|n| format!("/{n}.png"))), 100);
        // Other types are wanted now.
        let mut kinds = Kinds::default();
        (0..8).for_each(|n| kinds.learn(&url(&format!("/{n}.xyz")), false, filter()));
        assert_eq!(asked(&mut kinds, (0..20).map(|n| format!("/{n}.xyz"))), 0);
        assert_eq!(kinds.refuses(&url("/1.xyz"), KindFilter::new(|_| true), &|_| true), None);
    }

    #[test]
    fn unknown_endings_are_learned() {
        let mut kinds = Kinds::default();
        let mut requests = 0;
        for n in 0..1000 {
            let url = url(&format!("/get/{n}"));
            if kinds.refuses(&url, filter(), &pages).is_none() {
                requests += 1;
                kinds.learn(&url, false, filter());
            }
        }
        assert_eq!(requests, 8 + 5);
        // Elsewhere on the host, pages have no ending either.
        assert_eq!(kinds.refuses(&url("/about"), filter(), &pages), None);
        // Where most is refused, but not all, a look at the head pays.
        for n in 0..40 {
            kinds.learn(&url(&format!("/dl/{n}")), n % 5 == 0, filter());
            kinds.learn(&url(&format!("/half/{n}")), n % 2 == 0, filter());
        }
        let doubtful = |text: &str| kinds.is_doubtful(&url(text), filter());
        assert!(doubtful("/dl/41") && !doubtful("/half/41") && !doubtful("/about"));
    }

    proptest! {
        #[test]
        fn bounded_and_stored(steps in prop::collection::vec(("/[a-c]{0,2}(/[a-z]{1,3}(\\.[a-z]{1,3})?)?(\\?a)?", any::<bool>()), 0..300)) {
            let mut kinds = Kinds::default();
            for (text, taken) in steps {
                let url = url(&text);
                kinds.refuses(&url, filter(), &pages);
                kinds.learn(&url, taken, filter());
                prop_assert!(kinds.kinds.len() <= MOST);
            }
            let bytes = postcard::to_allocvec(&kinds).unwrap();
            prop_assert!(bytes.len() <= 16 * 17 + 8);
            prop_assert_eq!(postcard::from_bytes::<Kinds>(&bytes).unwrap(), kinds);
        }
    }
}
