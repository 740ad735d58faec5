//! Patterns of URLs: what the URLs of one kind of page have in common.
//!
//! **Definition.** Of a URL's path, runs of digits become `{n}`, hexadecimal and other long opaque names `{x}`; of its
//! query the values become `{n}` or `{w}`, and the names are sorted. A URL has two or three patterns, from the narrowest
//! to the widest:
//!
//! | [`Width`] | `/shop/list/17.html?sort=up&page=2` |
//! |---|---|
//! | `Shape` | `/shop/list/{n}.html?page={n}&sort={w}` |
//! | `Path` | `/shop/list/{n}.html?…`, URLs with a query only |
//! | `Section` | `/shop/**?…`: the first segment, with or without a query |
//!
//! **Cost.** Linear in the URL.

use xxhash_rust::xxh3::xxh3_64;

use super::url_words::{is_position, is_position_segment};
use crate::traps;
use webmill_capture::CanonicalUrl;

/// Letters and digits from which on a name can be opaque.
const OPAQUE: usize = 16;

/// Longest pattern in words.
const MOST_BYTES: usize = 256;

/// How much a pattern covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// URLs that differ in numbers and values alone.
    Shape,
    /// All queries of one path.
    Path,
    /// Everything under the first segment of the path.
    Section,
}

/// The patterns of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patterns {
    /// Width, key and text, the narrowest first.
    all: Vec<(Width, u32, String)>,
    /// Whether it names a date or a position in a list: such patterns go on without an end.
    pub counts_on: bool,
}

impl Patterns {
    /// Of `url`.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// use webmill_crawl::duplicate_throttle::Patterns;
    /// let url = CanonicalUrl::parse("http://a.example/item/17.html?view=print").unwrap();
    /// let texts: Vec<String> = Patterns::of(&url).iter().map(|(_, _, text)| text.to_owned()).collect();
    /// assert_eq!(texts, ["/item/{n}.html?view={w}", "/item/{n}.html?…", "/item/**?…"]);
    /// ```
    pub fn of(url: &CanonicalUrl) -> Patterns {
        let path = general_path(url.path());
        let query = url.query().filter(|query| !query.is_empty());
        let first = path.trim_start_matches('/').split_once('/').map_or("", |(first, _)| first);
        let section = if first.is_empty() { "/*".to_owned() } else { format!("/{first}/**") };
        let mut all = Vec::with_capacity(3);
        let mut add = |width, text: String| all.push((width, xxh3_64(text.as_bytes()) as u32, shown(text)));
        match query {
            None => {
                add(Width::Shape, path.clone());
                add(Width::Section, section);
            }
            Some(query) => {
                add(Width::Shape, format!("{path}?{}", general_query(query)));
                add(Width::Path, format!("{path}?…"));
                add(Width::Section, format!("{section}?…"));
            }
        }
        Patterns { all, counts_on: traps::is_of_a_date(url) || names_a_position(url) }
    }

    /// Width, key and text of each, the narrowest first.
    pub fn iter(&self) -> impl Iterator<Item = (Width, u32, &str)> {
        self.all.iter().map(|(width, key, text)| (*width, *key, text.as_str()))
    }
}

/// Cut where nobody would read on.
fn shown(mut text: String) -> String {
    if text.len() > MOST_BYTES {
        text.truncate(text.floor_char_boundary(MOST_BYTES));
        text.push('…');
    }
    text
}

fn names_a_position(url: &CanonicalUrl) -> bool {
    let numeric = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let query = url.query().unwrap_or_default();
    let mut parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
    let mut segments = url.path().split('/').zip(url.path().split('/').skip(1));
    parameters.any(|(name, value)| is_position(name) && numeric(value))
        || segments.any(|(name, value)| is_position_segment(name) && numeric(value))
}

fn general_path(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for (n, segment) in path.split('/').enumerate() {
        if n > 0 {
            text.push('/');
        }
        for (n, part) in segment.split(';').enumerate() {
            match part.split_once('=').filter(|_| n > 0) {
                // `;jsessionid=…`
                Some((name, _)) => text.push_str(&format!(";{name}={{w}}")),
                None if n > 0 => text.push_str(&format!(";{}", general(part))),
                None => text.push_str(&general(part)),
            }
        }
    }
    text
}

fn general_query(query: &str) -> String {
    let mut names: Vec<String> = query
        .split(['&', ';'])
        .map(|parameter| match parameter.split_once('=') {
            None => general(parameter),
            Some((name, "")) => format!("{}=", general(name)),
            Some((name, value)) if value.bytes().all(|b| b.is_ascii_digit()) => {
                format!("{}={{n}}", general(name))
            }
            Some((name, _)) => format!("{}={{w}}", general(name)),
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names.join("&")
}

/// A name without what only numbers it.
fn general(name: &str) -> String {
    let stem_end = name.rfind('.').filter(|&at| at > 0 && name.len() - at <= 6).unwrap_or(name.len());
    let (stem, ending) = name.split_at(stem_end);
    if is_opaque(stem) {
        return format!("{{x}}{ending}");
    }
    let mut text = String::with_capacity(name.len());
    let mut digits = false;
    for c in stem.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !digits {
            text.push_str("{n}");
        }
        digits = c.is_ascii_digit();
    }
    text + ending
}

/// Hexadecimal of eight or more digits, or long letters and digits mixed as no word is.
fn is_opaque(stem: &str) -> bool {
    let bytes = stem.as_bytes();
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits == bytes.len() {
        return false;
    }
    let hex = bytes.iter().filter(|b| b.is_ascii_hexdigit()).count();
    let marks = bytes.iter().filter(|b| matches!(b, b'-' | b'_')).count();
    if hex >= 8 && hex + marks == bytes.len() && digits * 8 >= hex && digits < hex {
        return true;
    }
    let plain = bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'=' | b'.'));
    let longest = bytes.split(|b| !b.is_ascii_alphanumeric()).map(<[u8]>::len).max().unwrap_or(0);
    plain && longest >= OPAQUE && digits * 6 >= bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> String {
        let url = CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL");
        let patterns = Patterns::of(&url);
        patterns.iter().next().expect("a shape").2.to_owned()
    }

    #[test]
    fn shapes() {
        for (url, want) in [
            ("/", "/"),
            ("/item/7919.html", "/item/{n}.html"),
            ("/item/17?view=print", "/item/{n}?view={w}"),
            ("/a?b=2&a=1&c=&d", "/a?a={n}&b={n}&c=&d"),
            ("/list?sort=0&f1=2&f2=1", "/list?f{n}={n}&sort={n}"),
            ("/2027/05/12/a-story", "/{n}/{n}/{n}/a-story"),
            ("/x/9f86d081884c7d65", "/x/{x}"),
            ("/x/550e8400-e29b-41d4-a716-446655440000/y", "/x/{x}/y"),
            ("/s/aB3dE5fG7hJ9kL2mN4/", "/s/{x}/"),
            ("/p;jsessionid=A1B2", "/p;jsessionid={w}"),
            ("/the-100-best-books-of-1999", "/the-{n}-best-books-of-{n}"),
            ("/java.base/java/lang/String.html", "/java.base/java/lang/String.html"),
            ("/mp3", "/mp{n}"),
        ] {
            assert_eq!(shape(url), want, "{url}");
        }
    }

    #[test]
    fn what_counts_on() {
        let counts = |text: &str| {
            Patterns::of(&CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL")).counts_on
        };
        for url in ["/list?offset=20", "/page/3/", "/calendar/2027/5.html", "/x?PAGE=3"] {
            assert!(counts(url), "{url}");
        }
        for url in ["/list?offset=", "/item/3", "/2027/05/12/a-story", "/page/about"] {
            assert!(!counts(url), "{url}");
        }
    }
}
