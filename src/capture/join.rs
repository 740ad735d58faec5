//! References resolved without the full parser.
//!
//! Nearly every link of the Web is plain: `http(s)://host/path`, `/path`, `path`, `../path`, `?query`, `#fragment`, of
//! characters that mean themselves, or of blanks and letters beyond ASCII, which are encoded. Such a reference is
//! classified byte by byte (one table), dot segments are resolved on the way, and the result is written once. Whatever
//! else it contains (user info, upper-case hosts, internationalised names, numbers for addresses, backslashes, loose
//! percent signs, other schemes) makes these functions return `None`, and the full parser decides. Tests hold both
//! equal on generated references, but for one fault of the `url` crate: it keeps `a:/` from being left by `..`, which
//! the URL standard (<https://url.spec.whatwg.org/#shorten-a-urls-path>) says of `file:` URLs only.

use crate::cut::Cut;
use crate::percent::{hex, push_triplet, unreserved};
use crate::url::{CanonicalUrl, MAX_URL_BYTES, Spans};

/// Allowed in a path as it is.
const PATH: u8 = 1;
/// Allowed in a query as it is.
const QUERY: u8 = 2;
/// Allowed in a host as it is.
const HOST: u8 = 4;
/// Is percent-encoded in paths and queries alike: blanks, quotes, angles and all bytes beyond ASCII.
const ENCODED: u8 = 8;

static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        if unreserved(c)
            || matches!(
                c,
                b'!' | b'$' | b'&' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/'
            )
        {
            table[byte] |= PATH | QUERY;
        }
        if c == b'?' {
            table[byte] |= QUERY;
        }
        if c == b'\'' {
            table[byte] |= PATH;
        }
        if c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'.' {
            table[byte] |= HOST;
        }
        byte += 1;
    }
    table[b' ' as usize] = ENCODED;
    table[b'"' as usize] = ENCODED;
    table[b'<' as usize] = ENCODED;
    table[b'>' as usize] = ENCODED;
    while byte < 256 {
        table[byte] = ENCODED;
        byte += 1;
    }
    table
};

/// A path and query of plain characters at the start of some bytes.
struct Plain<'a> {
    path: &'a str,
    /// With its question mark; empty where there is none.
    query: &'a str,
    /// Whether a segment starts with a dot.
    dots: bool,
    /// Whether there are characters to encode.
    encoded: bool,
}

impl CanonicalUrl {
    pub(super) fn parse_fast(input: &str) -> Option<Self> {
        absolute(input.trim_matches(|c: char| c <= ' '))
    }

    pub(super) fn join_fast(&self, reference: &str) -> Option<Self> {
        if !self.is_web() {
            return None;
        }
        let reference = reference.trim_matches(|c: char| c <= ' ');
        let spans = self.spans();
        let (path_start, path_end) = (usize::from(spans.path_start), usize::from(spans.path_end));
        let text = self.as_str();
        match reference.as_bytes() {
            [] | [b'#', ..] => Some(self.clone()),
            [b'?', ..] => build(text.cut(..path_end), path_start, &plain(reference)?, spans),
            [b'/', b'/', rest @ ..] if rest.first() != Some(&b'/') => {
                authority(self.scheme(), reference.cut(2..))
            }
            [b'/', b'/', ..] => None,
            [b'/', ..] => {
                let mut found = plain(reference)?;
                found.path = found.path.cut(1..);
                build(text.cut(..=path_start), path_start, &found, spans)
            }
            bytes => {
                if bytes.starts_with(b"http")
                    && let Some(found) = absolute(reference)
                {
                    return Some(found);
                }
                // A colon in the first segment may end a scheme.
                let first = bytes.iter().position(|b| matches!(b, b':' | b'/' | b'?' | b'#'));
                if first.is_some_and(|at| bytes[at] == b':') {
                    return None;
                }
                let folder = path_start + text.cut(path_start..path_end).rfind('/')?;
                build(text.cut(..=folder), path_start, &plain(reference)?, spans)
            }
        }
    }
}

impl CanonicalUrl {
    /// The address that a path of letters, digits and the commonest signs leads to, with its fragment, as browsers write it where this is
    /// how they write the base; `None` of other references, on a base that is not of the Web, and where the address is too long.
    ///
    /// # Examples
    /// ```
    /// let base = webmill_capture::CanonicalUrl::parse("http://a.example/b/c").unwrap();
    /// assert_eq!(base.join_plain("../d.html#e").as_deref(), Some("http://a.example/d.html#e"));
    /// assert_eq!(base.join_plain("d e"), None);
    /// ```
    pub fn join_plain(&self, reference: &str) -> Option<String> {
        let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        let (path, fragment) =
            reference.split_at(memchr::memchr(b'#', reference.as_bytes()).unwrap_or(reference.len()));
        let is_plain = path.as_bytes().iter().all(|b| plain(b) || *b == b'/')
            && fragment.as_bytes().iter().skip(1).all(plain);
        if path.is_empty() || path.starts_with("//") || !is_plain {
            return None;
        }
        let mut joined = self.join_fast(path)?.into_string();
        joined.push_str(fragment);
        Some(joined)
    }
}

fn absolute(input: &str) -> Option<CanonicalUrl> {
    let (scheme, rest) = match input.strip_prefix("http")? {
        rest if rest.starts_with("://") => ("http", rest.cut(3..)),
        rest => ("https", rest.strip_prefix("s://")?),
    };
    authority(scheme, rest)
}

/// `host[:port][/path][?query]` after the slashes.
fn authority(scheme: &str, rest: &str) -> Option<CanonicalUrl> {
    let bytes = rest.as_bytes();
    let length = bytes.iter().position(|&b| CLASS[usize::from(b)] & HOST == 0).unwrap_or(bytes.len());
    let host = rest.cut(..length);
    // Names that need more than lower case: internationalised, numeric (an address in disguise), with empty labels.
    let last = host.rsplit('.').next()?;
    if !last.starts_with(|c: char| c.is_ascii_lowercase())
        || length > 253
        || host.starts_with('.')
        || host.contains("..")
        || host.contains("xn--")
    {
        return None;
    }
    let mut after = rest.cut(length..);
    let mut port = "";
    if let Some(digits) = after.strip_prefix(':') {
        let end = digits.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len());
        let number = digits.cut(..end).parse::<u16>().ok()?;
        if digits.starts_with('0') {
            return None;
        }
        if number != if scheme == "http" { 80 } else { 443 } {
            port = after.cut(..=end);
        }
        after = digits.cut(end..);
    }
    let mut found = match after.as_bytes().first() {
        None | Some(b'/' | b'?' | b'#') => plain(after)?,
        Some(_) => return None,
    };
    found.path = found.path.strip_prefix('/').unwrap_or_default();
    let host_start = scheme.len() + 3;
    let path_start = host_start + length + port.len();
    let mut root = String::with_capacity(path_start + 1 + found.path.len() + found.query.len());
    for part in [scheme, "://", host, port, "/"] {
        root.push_str(part);
    }
    let spans = Spans {
        scheme: u16::try_from(scheme.len()).ok()?,
        host_start: u16::try_from(host_start).ok()?,
        host_end: u16::try_from(host_start + length).ok()?,
        path_start: u16::try_from(path_start).ok()?,
        path_end: 0,
    };
    finish(root, path_start, &found, spans)
}

/// Takes path and query apart and drops the fragment; `None` where a character needs the full parser.
fn plain(reference: &str) -> Option<Plain<'_>> {
    let bytes = reference.as_bytes();
    let mut found = Plain { path: "", query: "", dots: false, encoded: false };
    let path = span(bytes, 0, PATH, &mut found)?;
    let mut end = path;
    if bytes.get(path) == Some(&b'?') {
        let dots = found.dots;
        end = span(bytes, path + 1, QUERY, &mut found)?;
        found.dots = dots;
    }
    found.path = reference.cut(..path);
    found.query = reference.cut(path..end);
    Some(found)
}

/// End of the run of characters of a class from `at` on, which must be that of the part too: `?`, `#` or the end.
fn span(bytes: &[u8], mut at: usize, class: u8, found: &mut Plain<'_>) -> Option<usize> {
    let mut before = b'/';
    while let Some(&byte) = bytes.get(at) {
        if CLASS[usize::from(byte)] & class != 0 {
            found.dots |= byte == b'.' && before == b'/';
            at += 1;
        } else if byte == b'%' {
            let (high, low) = (*bytes.get(at + 1)?, *bytes.get(at + 2)?);
            let canonical = !high.is_ascii_lowercase() && !low.is_ascii_lowercase();
            if !canonical || unreserved(hex(high)? << 4 | hex(low)?) {
                return None;
            }
            at += 3;
        } else if CLASS[usize::from(byte)] & ENCODED != 0 {
            found.encoded = true;
            at += 1;
        } else if byte == b'#' || byte == b'?' {
            break;
        } else {
            return None;
        }
        before = byte;
    }
    Some(at)
}

fn build(prefix: &str, path_start: usize, found: &Plain<'_>, spans: Spans) -> Option<CanonicalUrl> {
    if prefix.len() + found.path.len() + found.query.len() > 2 * MAX_URL_BYTES {
        return None;
    }
    let mut text = String::with_capacity(prefix.len() + found.path.len() + found.query.len());
    text.push_str(prefix);
    finish(text, path_start, found, spans)
}

fn push(text: &mut String, part: &str, encoded: bool) {
    if !encoded {
        text.push_str(part);
        return;
    }
    for &byte in part.as_bytes() {
        if CLASS[usize::from(byte)] & ENCODED == 0 {
            text.push(char::from(byte));
        } else {
            push_triplet(byte, text);
        }
    }
}

/// Appends path and query to a text that ends with a folder's slash (or, for a bare query, with a path).
fn finish(mut text: String, path_start: usize, found: &Plain<'_>, spans: Spans) -> Option<CanonicalUrl> {
    if found.dots {
        let mut rest = Some(found.path);
        while let Some(path) = rest {
            let segment;
            (segment, rest) = match memchr::memchr(b'/', path.as_bytes()) {
                Some(at) => (path.cut(..at), Some(path.cut(at + 1..))),
                None => (path, None),
            };
            match segment {
                "." => {}
                ".." => {
                    let folder = text.len() - 1;
                    if folder > path_start {
                        let parents = text.cut(path_start..folder).as_bytes();
                        let parent = memchr::memrchr(b'/', parents).map_or(0, |at| at + 1);
                        text.truncate(path_start + parent);
                    }
                }
                _ => {
                    push(&mut text, segment, found.encoded);
                    if rest.is_some() {
                        text.push('/');
                    }
                }
            }
        }
    } else {
        push(&mut text, found.path, found.encoded);
    }
    let path_end = u16::try_from(text.len()).ok()?;
    push(&mut text, found.query, found.encoded);
    CanonicalUrl::from_parts(text, Spans { path_end, ..spans })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// URLs as the Web has them, and worse.
    pub fn any_url() -> impl Strategy<Value = String> {
        let scheme = prop_oneof![
            6 => "https?://", 1 => "HTTPS?:[/\\\\]{0,3}", 1 => "(ftp|file|ws|gopher|foo|mailto|x-y):/{0,3}", 1 => "[ \t]?http:",
        ];
        let host = prop_oneof![
            6 => "[a-z]{1,4}(\\.[a-z0-9-]{1,4}){0,3}\\.(com|cn|co\\.uk|0|0x1|xn--p1ai)",
            2 => "[a-zA-Z0-9.%\\[\\]:@é中_ \\-]{0,10}",
            1 => "(u:?p?@)?[0-9]{1,3}(\\.[0-9a-fx]{1,3}){0,4}",
        ];
        let port = prop_oneof![6 => "", 1 => ":(80|443|8080|0|00080|65536|)"];
        (scheme, host, port, reference_tail()).prop_map(|(s, h, p, t)| format!("{s}{h}{p}{t}"))
    }

    fn reference_tail() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "(/([a-c.]{0,3}|%[2-7][0-9A-Fa-f])){0,4}(\\?[a-c=&'?%/]{0,5})?(#[a#. é]{0,4})?",
            2 => "[/\\\\?#.a%2eE|~:@'\"<>^`{} é中\t;,\\[\\]]{0,14}",
            1 => "(/(\\.|\\.\\.|%2e|\\.%2E|a|)){0,5}",
        ]
    }

    fn any_reference() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[ ]?(\\.{0,2}/){0,3}[a-z.]{0,4}[ \n]?".prop_flat_map(|head| reference_tail().prop_map(move |tail| format!("{head}{tail}"))),
            2 => reference_tail(),
            2 => any_url(),
            1 => ("//", any_url()).prop_map(|(s, u)| format!("{s}{}", u.trim_start_matches("http://"))),
            1 => "\\PC{0,12}",
        ]
    }

    fn base() -> impl Strategy<Value = CanonicalUrl> {
        any_url().prop_map(|url| {
            let url =
                CanonicalUrl::parse_slow(&url).or_else(|| CanonicalUrl::parse_slow("http://a.example/b/c"));
            url.expect("the second is one")
        })
    }

    #[test]
    fn joins() {
        let base = CanonicalUrl::parse("http://a.example/b/c/d;p?q").expect("valid");
        // RFC 3986, section 5.4, as browsers read it.
        for (reference, want) in [
            ("g:h", "g:h"),
            ("g", "http://a.example/b/c/g"),
            ("./g", "http://a.example/b/c/g"),
            ("g/", "http://a.example/b/c/g/"),
            ("/g", "http://a.example/g"),
            ("//g", "http://g/"),
            ("?y", "http://a.example/b/c/d;p?y"),
            ("g?y", "http://a.example/b/c/g?y"),
            ("#s", "http://a.example/b/c/d;p?q"),
            ("g#s", "http://a.example/b/c/g"),
            ("g?y#s", "http://a.example/b/c/g?y"),
            (";x", "http://a.example/b/c/;x"),
            ("g;x?y#s", "http://a.example/b/c/g;x?y"),
            ("", "http://a.example/b/c/d;p?q"),
            (".", "http://a.example/b/c/"),
            ("./", "http://a.example/b/c/"),
            ("..", "http://a.example/b/"),
            ("../", "http://a.example/b/"),
            ("../g", "http://a.example/b/g"),
            ("../..", "http://a.example/"),
            ("../../g", "http://a.example/g"),
            ("../../../g", "http://a.example/g"),
            ("/./g", "http://a.example/g"),
            ("/../g", "http://a.example/g"),
            ("g.", "http://a.example/b/c/g."),
            (".g", "http://a.example/b/c/.g"),
            ("..g", "http://a.example/b/c/..g"),
            ("./../g", "http://a.example/b/g"),
            ("./g/.", "http://a.example/b/c/g/"),
            ("g/./h", "http://a.example/b/c/g/h"),
            ("g/../h", "http://a.example/b/c/h"),
            ("g;x=1/../y", "http://a.example/b/c/y"),
            ("g?y/../x", "http://a.example/b/c/g?y/../x"),
            ("http:g", "http://a.example/b/c/g"),
            ("a//../b", "http://a.example/b/c/a/b"),
            (" \n/g?a=http://b/ ", "http://a.example/g?a=http://b/"),
            ("https://B.example:443", "https://b.example/"),
            ("//c.example:8080?x", "http://c.example:8080/?x"),
        ] {
            let joined = base.join(reference);
            assert_eq!(joined.as_ref().map(CanonicalUrl::as_str), Some(want), "{reference}");
            assert_eq!(joined, base.join_slow(reference, None), "{reference}");
        }
    }

    #[test]
    fn plain_references_take_the_fast_path() {
        let base = CanonicalUrl::parse("http://a.example/b/c").expect("valid");
        for reference in [
            "x.html",
            "/x?y=%20",
            "../x",
            "?p=2",
            "#top",
            "",
            "http://b.example/x",
            "//b.example/",
            "/\u{4e2d} <\u{6587}>?\u{e9}",
        ] {
            assert!(base.join_fast(reference).is_some(), "{reference}");
        }
    }

    #[test]
    fn one_letter_and_a_colon_are_no_drive() {
        let base = CanonicalUrl::parse("http://a.example/c:/").expect("valid");
        assert_eq!(base.join("..").expect("valid").as_str(), "http://a.example/");
    }

    /// Whether the `url` crate takes a segment for a Windows drive.
    fn drive(path: &str) -> bool {
        path.split(['/', '?', '#'])
            .any(|segment| matches!(segment.as_bytes(), [a, b':' | b'|'] if a.is_ascii_alphabetic()))
    }

    #[test]
    fn a_segment_like_a_drive_is_a_segment() {
        let base = CanonicalUrl::parse("http://a.com/a:/").expect("a URL");
        assert_eq!(base.join("..").expect("a URL").as_str(), "http://a.com/");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn fast_parse_is_the_slow_one(input in any_url()) {
            if let (Some(fast), false) = (CanonicalUrl::parse_fast(&input), drive(&input)) {
                prop_assert_eq!(Some(fast), CanonicalUrl::parse_slow(&input), "{}", input);
            }
        }

        #[test]
        fn fast_join_is_the_slow_one(base in base(), reference in any_reference()) {
            if let (Some(fast), false) = (base.join_fast(&reference), drive(base.as_str()) || drive(&reference)) {
                prop_assert_eq!(Some(fast), base.join_slow(&reference, None), "{} + {:?}", base, reference);
            }
        }

        #[test]
        fn a_plain_reference_is_joined_as_by_the_standard(
            base in base(),
            reference in "(\\.{0,2}/){0,3}([a-zA-Z0-9_.-]{0,3}/){0,2}[a-z.]{0,4}(#[a-zA-Z0-9_.-]{0,4})?|\\PC{0,6}",
        ) {
            let parsed = url::Url::parse(base.as_str()).ok().filter(|url| url.as_str() == base.as_str());
            if let (Some(parsed), Some(joined), false) = (parsed, base.join_plain(&reference), drive(base.as_str())) {
                let by_standard = parsed.join(&reference).map(String::from);
                prop_assert_eq!(Ok(joined), by_standard, "{} + {:?}", base, reference);
            }
        }

        #[test]
        fn scheme_of_its_own_needs_no_base(base in base(), reference in "[a-zA-Z0-9]{1,6}:[/a?#. ]{0,6}") {
            let with = url::Url::parse(base.as_str()).expect("canonical").join(&reference);
            let with = with.ok().and_then(|u| CanonicalUrl::parse_slow(u.as_str()));
            prop_assert_eq!(base.join_slow(&reference, None), with);
        }
    }
}
