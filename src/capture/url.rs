//! The canonical form of a URL, which makes two addresses of one page equal.
//!
//! All crates use it: every URL in tables, in the frontier and in indexes has this form.
//!
//! A URL is parsed as browsers parse it (WHATWG) and then brought to one spelling:
//!
//! - scheme and host lower-case, internationalised hosts in ASCII, the default port and the fragment off;
//! - dot segments resolved, an empty path is `/`;
//! - percent-encoding unified: `%7E` → `~` (only *unreserved* characters `A–Z a–z 0–9 - . _ ~` are decoded), hex in
//!   upper case. A `%` that begins no triplet stays, and nothing is decoded that would complete one with it.
//!
//! Scheme, `www.`, user info, an empty query and a host's trailing dot are kept: they may name another page. The form
//! is idempotent: parsing it again gives the same bytes. Opaque URLs (`mailto:…`) keep their path as it is.
//!
//! Cost: linear in the length, one allocation; URLs that are already canonical, and references to them, take a path
//! that copies and classifies each byte once (see `join`), a test holds it equal to the full parser. URLs longer than
//! [`MAX_URL_BYTES`] are none: a `<base>` of a megabyte must not be copied for each link of its page.
//!
//! Reference: url.spec.whatwg.org; RFC 3986, section 6.2.2.

use crate::cut::Cut;
use std::borrow::Cow;
use std::fmt;

use encoding_rs::Encoding;
use url::{Position, Url};

use crate::domain;
use crate::key::UrlKey;
use crate::percent::{lower_outside_triplets, unify, url_text};

/// Longest URL taken, in bytes, before and after canonicalisation.
pub const MAX_URL_BYTES: usize = 16 * 1024;

/// A URL in canonical form. Ordered by SURT, then by its text: neighbours in the order are neighbours on the Web.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// let page = CanonicalUrl::parse("HTTP://Example.COM:80/a/./b/../%7euser?q=%2f#top").unwrap();
/// assert_eq!(page.as_str(), "http://example.com/a/~user?q=%2F");
/// assert_eq!(page.join("../c.html").unwrap().as_str(), "http://example.com/c.html");
/// assert_eq!(page.surt(), "com,example)/a/~user?q=%2F");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CanonicalUrl {
    text: String,
    spans: Spans,
}

/// Byte offsets into the text; `u16` because of [`MAX_URL_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Spans {
    /// End of the scheme, where its colon is.
    pub scheme: u16,
    pub host_start: u16,
    pub host_end: u16,
    /// Start of the path; between host and path lies the port.
    pub path_start: u16,
    /// End of the path: of the text, or the question mark.
    pub path_end: u16,
}

impl CanonicalUrl {
    /// Canonical form of an absolute URL; `None` where it is none (no scheme, bad host, too long).
    pub fn parse(input: &str) -> Option<Self> {
        if input.len() > MAX_URL_BYTES {
            return None;
        }
        Self::parse_fast(input).or_else(|| Self::parse_slow(input))
    }

    /// [`CanonicalUrl::parse`] of bytes: those that are not UTF-8 are percent-encoded one by one, so that a URL in
    /// another encoding keeps its identity.
    pub fn parse_bytes(input: &[u8]) -> Option<Self> {
        if input.len() > MAX_URL_BYTES {
            return None;
        }
        Self::parse(&url_text(input))
    }

    /// [`CanonicalUrl::parse`] of a URL as archives store it: without a scheme it is taken as http.
    pub fn parse_stored(input: &str) -> Option<Self> {
        let input = input.trim_matches(|c: char| c <= ' ');
        let has_scheme = input.split_once(':').is_some_and(|(scheme, rest)| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
            let host = scheme.contains('.') || scheme == "localhost";
            // `www.pku.edu:8080/` is a host and a port, whatever the grammar says.
            scheme.bytes().all(plain) && (!host || rest.starts_with("//"))
        });
        if has_scheme { Self::parse(input) } else { Self::parse(&format!("http://{input}")) }
    }

    /// Resolves a reference (`../a.html`, `?page=2`, `//cdn.example/x`, an absolute URL) against this URL as base.
    /// `None` where no URL comes of it. References to any scheme are resolved: see [`CanonicalUrl::is_web`].
    pub fn join(&self, reference: &str) -> Option<Self> {
        if reference.len() > MAX_URL_BYTES {
            return None;
        }
        self.join_fast(reference).or_else(|| self.join_slow(reference, None))
    }

    /// [`CanonicalUrl::join`] on a page in another encoding than UTF-8: browsers send the *query* of a link in the
    /// encoding of the page it stands on.
    pub fn join_encoded(&self, reference: &str, encoding: &'static Encoding) -> Option<Self> {
        let encoding = encoding.output_encoding();
        if encoding == encoding_rs::UTF_8 || reference.is_ascii() {
            return self.join(reference);
        }
        if reference.len() > MAX_URL_BYTES {
            return None;
        }
        self.join_slow(reference, Some(encoding))
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The canonical text, without a copy.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Scheme, lower-case, without the colon.
    pub fn scheme(&self) -> &str {
        self.text.cut(..usize::from(self.spans.scheme))
    }

    /// Whether it is http or https: a page that can be fetched.
    pub fn is_web(&self) -> bool {
        matches!(self.scheme(), "http" | "https")
    }

    /// Host: lower-case, ASCII, IPv6 in brackets; empty where the URL has none.
    pub fn host(&self) -> &str {
        self.text.cut(usize::from(self.spans.host_start)..usize::from(self.spans.host_end))
    }

    /// Port, where it is not the default of the scheme.
    pub fn port(&self) -> Option<u16> {
        self.text.get(usize::from(self.spans.host_end) + 1..usize::from(self.spans.path_start))?.parse().ok()
    }

    /// Path with its leading slash; of an opaque URL all after the scheme.
    pub fn path(&self) -> &str {
        self.text.cut(usize::from(self.spans.path_start)..usize::from(self.spans.path_end))
    }

    /// Query without the question mark; `Some("")` where there is only the mark.
    pub fn query(&self) -> Option<&str> {
        self.text.get(usize::from(self.spans.path_end) + 1..)
    }

    /// Path and query: what a request line carries.
    pub fn path_and_query(&self) -> &str {
        self.text.cut(usize::from(self.spans.path_start)..)
    }

    /// Whether the host is an IP address.
    pub fn is_ip(&self) -> bool {
        domain::is_ip(self.host())
    }

    /// Registrable domain (public suffix and one label): see [`domain::registrable`].
    pub fn registrable_domain(&self) -> &str {
        domain::registrable(self.host())
    }

    /// Public suffix of the host: see [`domain::public_suffix`].
    pub fn public_suffix(&self) -> Option<&str> {
        domain::public_suffix(self.host())
    }

    /// Identity in joins and sorts.
    pub fn key(&self) -> UrlKey {
        UrlKey::of(&self.text)
    }

    pub(super) fn from_parts(text: String, spans: Spans) -> Option<Self> {
        (text.len() <= MAX_URL_BYTES).then_some(CanonicalUrl { text, spans })
    }

    pub(super) fn spans(&self) -> Spans {
        self.spans
    }

    /// The full parser: what the fast path must agree with.
    pub(super) fn parse_slow(input: &str) -> Option<Self> {
        Self::from_url(Url::parse(input).ok()?)
    }

    pub(super) fn join_slow(&self, reference: &str, encoding: Option<&'static Encoding>) -> Option<Self> {
        // A reference with a scheme of its own that is not hierarchical needs no base: `mailto:`, `javascript:`.
        if let Some((scheme, _)) = reference.trim_start_matches(|c: char| c <= ' ').split_once(':')
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric())
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && !["http", "https", "ws", "wss", "ftp", "file"].iter().any(|s| s.eq_ignore_ascii_case(scheme))
            && !scheme.eq_ignore_ascii_case(self.scheme())
        {
            return Self::parse_slow(reference);
        }
        let base = Url::parse(&self.text).ok()?;
        let options = Url::options().base_url(Some(&base));
        let joined = match encoding {
            None => options.parse(reference),
            Some(encoding) => {
                let encode = query_encoder(move |text| encode_query(text, encoding));
                options.encoding_override(Some(&encode)).parse(reference)
            }
        };
        Self::from_url(joined.ok()?)
    }

    fn from_url(mut url: Url) -> Option<Self> {
        url.set_fragment(None);
        if url.as_str().len() > MAX_URL_BYTES {
            return None;
        }
        let at = |position| url[..position].len();
        let (host_start, host_end) = (at(Position::BeforeHost), at(Position::AfterHost));
        let (path_start, path_end) = (at(Position::BeforePath), at(Position::AfterPath));
        let scheme = url.scheme().len();
        let special = matches!(url.scheme(), "http" | "https" | "ws" | "wss" | "ftp" | "file");
        let spans = |lengths: [usize; 4]| {
            let [host_start, host_end, path_start, path_end] = lengths.map(|n| u16::try_from(n).ok());
            Some(Spans {
                scheme: u16::try_from(scheme).ok()?,
                host_start: host_start?,
                host_end: host_end?,
                path_start: path_start?,
                path_end: path_end?,
            })
        };
        let same = url.cannot_be_a_base() || (special && !url.as_str().contains('%'));
        if same {
            let spans = spans([host_start, host_end, path_start, path_end])?;
            return Self::from_parts(url.into(), spans);
        }
        let source = url.as_str();
        let mut text = String::with_capacity(source.len());
        unify(source.cut(..host_start), &mut text);
        let host_start_now = text.len();
        unify(source.cut(host_start..host_end), &mut text);
        if !special {
            lower_outside_triplets(&mut text, host_start_now);
        }
        let host_end_now = text.len();
        text.push_str(source.cut(host_end..path_start));
        let path_start_now = text.len();
        unify(source.cut(path_start..path_end), &mut text);
        let path_end_now = text.len();
        unify(source.cut(path_end..), &mut text);
        let spans = spans([host_start_now, host_end_now, path_start_now, path_end_now])?;
        Self::from_parts(text, spans)
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

impl AsRef<str> for CanonicalUrl {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// Says that a closure lends its result from its argument, which inference alone does not see.
fn query_encoder<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

/// The query in the encoding of its page; a character that it lacks becomes an escaped reference, as in browsers.
fn encode_query<'a>(text: &'a str, encoding: &'static Encoding) -> Cow<'a, [u8]> {
    if text.is_ascii() && encoding.is_ascii_compatible() {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        let (encoded, _, missing) = encoding.encode(c.encode_utf8(&mut buffer));
        if missing {
            bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(c)).as_bytes());
        } else {
            bytes.extend_from_slice(&encoded);
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(input: &str) -> Option<String> {
        CanonicalUrl::parse(input).map(CanonicalUrl::into_string)
    }

    #[test]
    fn normalisation() {
        for (input, want) in [
            ("HTTP://WWW.Example.COM", "http://www.example.com/"),
            ("http://example.com:80/", "http://example.com/"),
            ("https://example.com:443/", "https://example.com/"),
            ("https://example.com:80/", "https://example.com:80/"),
            ("http://example.com:08080/", "http://example.com:8080/"),
            ("http://example.com/#frag", "http://example.com/"),
            ("http://example.com/%7euser/%2f%c3%a4", "http://example.com/~user/%2F%C3%A4"),
            ("http://example.com/%41%2D%2e%5F%7E%30", "http://example.com/A-._~0"),
            ("http://example.com/a/%2e%2E/./b", "http://example.com/b"),
            ("http://example.com/?q=%7e%2f%zz&%4", "http://example.com/?q=~%2F%zz&%4"),
            ("http://example.com/%%36%31", "http://example.com/%%361"),
            ("http://example.com/%6%31", "http://example.com/%6%31"),
            ("http://example.com/%6%7E", "http://example.com/%6~"),
            ("http://example.com/%2561", "http://example.com/%2561"),
            ("http://example.com?", "http://example.com/?"),
            ("http://example.com?a=b", "http://example.com/?a=b"),
            ("http://us%7Eer:p%3a@example.com/", "http://us~er:p%3A@example.com/"),
            ("http://b\u{fc}cher.example/\u{e4}?\u{e4}", "http://xn--bcher-kva.example/%C3%A4?%C3%A4"),
            ("http://例え.jp/", "http://xn--r8jz45g.jp/"),
            ("http:\\\\example.com\\a\\b", "http://example.com/a/b"),
            ("  http://example.com/a b\n", "http://example.com/a%20b"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            ("http://[2001:DB8:0::1]/", "http://[2001:db8::1]/"),
            ("http://example.com./", "http://example.com./"),
            ("ftp://Example.com:21/a/../b", "ftp://example.com/b"),
            ("gopher://EXAMPLE.com/%7E%c3", "gopher://example.com/~%C3"),
            ("file:///%43:/a%7E", "file:///C:/a~"),
            ("mailto:A%7eB@Example.com", "mailto:A%7eB@Example.com"),
        ] {
            assert_eq!(canonical(input).as_deref(), Some(want), "{input}");
        }
        for none in
            ["", "example.com", "/a", "http://", "http://a b/", "http://1.2.3.4.5/", "http://exa%23mple/"]
        {
            assert_eq!(canonical(none), None, "{none}");
        }
        assert_eq!(canonical(&format!("http://a/{}", "x".repeat(MAX_URL_BYTES))), None);
        // Short when read, too long when encoded.
        assert_eq!(canonical(&format!("http://a/{}", "é".repeat(MAX_URL_BYTES / 3))), None);
    }

    #[test]
    fn parts() {
        let url = CanonicalUrl::parse("https://u:p@www.example.co.uk:8443/a/b?c=d?e").expect("valid");
        assert_eq!(
            (url.scheme(), url.host(), url.port(), url.path(), url.query()),
            ("https", "www.example.co.uk", Some(8443), "/a/b", Some("c=d?e"))
        );
        assert_eq!(url.path_and_query(), "/a/b?c=d?e");
        assert_eq!((url.registrable_domain(), url.public_suffix()), ("example.co.uk", Some("co.uk")));
        let url = CanonicalUrl::parse("http://h/").expect("valid");
        assert_eq!((url.port(), url.query(), url.path()), (None, None, "/"));
        let url = CanonicalUrl::parse("mailto:a@b?subject=c").expect("valid");
        assert_eq!((url.host(), url.port(), url.path(), url.query()), ("", None, "a@b", Some("subject=c")));
        assert!(!url.is_web() && !url.is_ip());
        assert!(CanonicalUrl::parse("http://[::1]/").expect("valid").is_ip());
    }

    #[test]
    fn stored() {
        for (stored, want) in [
            ("www.pku.edu/", "http://www.pku.edu/"),
            ("www.pku.edu:8080/a:b", "http://www.pku.edu:8080/a:b"),
            ("localhost:80", "http://localhost/"),
            ("example/a?u=http://b/", "http://example/a?u=http://b/"),
            ("http://a/", "http://a/"),
            ("dns:example.com", "dns:example.com"),
            ("urn:uuid:1", "urn:uuid:1"),
        ] {
            assert_eq!(
                CanonicalUrl::parse_stored(stored).map(CanonicalUrl::into_string).as_deref(),
                Some(want)
            );
        }
    }

    #[test]
    fn bytes_and_encodings() {
        let url = CanonicalUrl::parse_bytes(b"http://a/\xd6\xd0?\xff").expect("valid");
        assert_eq!(url.as_str(), "http://a/%D6%D0?%FF");
        assert_eq!(CanonicalUrl::parse_bytes(b"http://\xd6\xd0/"), None);
        let page = CanonicalUrl::parse("http://a/").expect("valid");
        let join = |r, e| page.join_encoded(r, e).map(CanonicalUrl::into_string);
        assert_eq!(join("中?中", encoding_rs::GBK).as_deref(), Some("http://a/%E4%B8%AD?%D6%D0"));
        assert_eq!(join("?中", encoding_rs::UTF_16LE).as_deref(), Some("http://a/?%E4%B8%AD"));
        assert_eq!(
            join("?é中#中", encoding_rs::WINDOWS_1252).as_deref(),
            Some("http://a/?%E9%26%2320013%3B")
        );
    }

    proptest! {
        #[test]
        fn idempotent(input in super::super::join::tests::any_url()) {
            if let Some(url) = CanonicalUrl::parse(&input) {
                let again = CanonicalUrl::parse(url.as_str());
                prop_assert_eq!(Some(&url), again.as_ref(), "{}", input);
                let slow = CanonicalUrl::parse_slow(url.as_str());
                prop_assert_eq!(Some(url), slow);
            }
        }

        #[test]
        fn bytes_never_panic(input in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = CanonicalUrl::parse_bytes(&input);
            let prefixed = [b"http://a/", input.as_slice()].concat();
            let url = CanonicalUrl::parse_bytes(&prefixed).expect("any path is one");
            prop_assert_eq!(CanonicalUrl::parse(url.as_str()), Some(url.clone()));
            let _ = url.join_encoded(&String::from_utf8_lossy(&input), encoding_rs::GBK);
        }

        #[test]
        fn spelling_of_triplets_is_no_identity(path in "[a-zA-Z0-9._~/-]{0,12}", mask in any::<u16>()) {
            prop_assume!(!path.split('/').any(|s| s == "." || s == ".."));
            let mut other = String::new();
            for (i, c) in path.char_indices() {
                match (c, mask >> (i % 16) & 1) {
                    (c, 1) if c != '/' => other.push_str(&format!("%{:02x}", u32::from(c))),
                    (c, _) => other.push(c),
                }
            }
            prop_assert_eq!(canonical(&format!("http://a/{path}?{path}")), canonical(&format!("http://a/{other}?{other}")));
        }
    }
}
