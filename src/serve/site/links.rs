//! Addresses of the site's own pages.
//!
//! | address | page |
//! |---|---|
//! | `/` | collections |
//! | `/search?q=…` | full text of all collections |
//! | `/{collection}/` | front of a collection |
//! | `/{collection}/*/{url}` | calendar of a URL, of its newest year, or its only capture; `url*` lists the URLs with that prefix |
//! | `/{collection}/{year}*/{url}` | calendar of a year |
//! | `/{collection}/{14 digits}/{url}` | replay (not a page of the site) |
//! | `/{collection}/calendar?url=…&match=…&year=…&from=…` | the same as the starred ones: where forms lead |
//! | `/{collection}/info/{14 digits}/{url}`, `/{collection}/info?time=…&url=…` | the known facts about a capture |
//! | `/{collection}/hosts?page=…` | hosts |
//! | `/{collection}/search?q=…&page=…` | full text |
//!
//! All links are paths of this server, so no URL out of an archive can ever be a `javascript:` link. What a browser would
//! read otherwise in a path (spaces, quotes, `#`, `\`, controls, letters that turn the direction of writing) is
//! percent-encoded; `%` stays, as it is part of the URL.

use crate::index::Timestamp;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stays as it is in the tail of a path is not among these.
const TAIL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'\'')
    .add(b'<')
    .add(b'>')
    .add(b'#')
    .add(b'\\')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'^');
/// All but unreserved characters.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A URL as the tail of a path.
pub fn tail(url: &str) -> String {
    utf8_percent_encode(url, TAIL).to_string()
}

/// A value of a query, or a segment of a path.
pub fn value(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

/// Replay of a capture.
pub fn replay(collection: &str, timestamp: Timestamp, url: &str) -> String {
    format!("/{}/{timestamp}/{}", value(collection), tail(url))
}

/// Known facts about a capture.
pub fn info(collection: &str, timestamp: Timestamp, url: &str) -> String {
    format!("/{}/info/{timestamp}/{}", value(collection), tail(url))
}

/// Calendar of a URL.
pub fn calendar(collection: &str, url: &str) -> String {
    // A URL that itself ends in a star would be read as a prefix.
    if url.ends_with('*') {
        return format!("/{}/calendar?url={}&match=exact", value(collection), value(url));
    }
    format!("/{}/*/{}", value(collection), tail(url))
}

/// Calendar of a year of a URL.
pub fn year(collection: &str, year: u32, url: &str) -> String {
    if url.ends_with('*') {
        return format!("/{}/calendar?url={}&match=exact&year={year}", value(collection), value(url));
    }
    format!("/{}/{year:04}*/{}", value(collection), tail(url))
}

/// URLs that begin with `url`.
pub fn prefix(collection: &str, url: &str) -> String {
    format!("/{}/*/{}*", value(collection), tail(url))
}

/// The live page, where a link to it is harmless.
pub fn live(url: &str) -> Option<String> {
    let scheme = url.split_once("://")?.0;
    matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https").then(|| tail(url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_on_this_server() {
        for (url, want) in [
            ("http://a.example/?q=1&b=%20", "/c/20200101000000/http://a.example/?q=1&b=%20"),
            ("javascript:alert(1)", "/c/20200101000000/javascript:alert(1)"),
            ("http://a/\"><b> #x\\y", "/c/20200101000000/http://a/%22%3E%3Cb%3E%20%23x%5Cy"),
            ("http://a/\u{202e}北\n", "/c/20200101000000/http://a/%E2%80%AE%E5%8C%97%0A"),
        ] {
            assert_eq!(replay("c", Timestamp(20200101000000), url), want);
        }
        assert_eq!(calendar("/evil.example", "x"), "/%2Fevil.example/*/x");
        assert_eq!(calendar("c", "http://a/*"), "/c/calendar?url=http%3A%2F%2Fa%2F%2A&match=exact");
        assert_eq!(live("JavaScript:alert(1)//://"), None);
        assert_eq!(live("HTTP://a/"), Some("HTTP://a/".into()));
        assert_eq!(live("data:text/html,x"), None);
    }
}
