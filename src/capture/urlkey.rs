//! The key of capture indexes: SURT as the Internet Archive's tools make it.
//!
//! `https://www2.Example.com:8080/A/?b=2&a=1#x` → `com,example:8080)/a?a=1&b=2`. Public indexes, CDX files and the tools
//! around them are joined by this key, so it is theirs byte for byte, with all that it folds: two pages may share it. It
//! is therefore never the identity of a page; that is [`CanonicalUrl`](crate::CanonicalUrl), and tables are sorted by
//! its [`surt`](crate::CanonicalUrl::surt).
//!
//! | part | rule |
//! |---|---|
//! | whole | white space at the ends, tabs and line breaks anywhere go; `http://` is put before what has no scheme; `http://http://` is one; nothing gives `-`; `filedesc…` stays as it is |
//! | scheme | goes where there is a host, stays (in its case) where there is none: `mailto:`, `dns:`, `warcinfo:` |
//! | user info, fragment | go |
//! | host | percent-decoded as long as anything can be decoded, IDNA 2003, lower case, double and outer dots off, one label `www` or `www12` off if it is the first, labels reversed; an address of four numbers is reversed as well; an IPv6 address loses its brackets; forms like `0300.1` or `3279880203` become four numbers first |
//! | port | stays, unless it is the scheme's (80, 443) or 0 |
//! | path | percent-decoded as the host, `.` and `..` resolved, slashes made single, ASP.NET session ids off, lower case, the last slash off |
//! | query | percent-decoded as the host, session ids off (`jsessionid`, `phpsessid`, `sid`, `aspsessionid…`, `cfid`+`cftoken`), lower case, sorted by name, then value; an empty one goes with its `?` |
//! | bytes | blanks, controls, `#`, `%` and all that is not ASCII are percent-encoded byte by byte, after decoding |
//!
//! A URL without host is not resolved (`x:/a/../b` stays), otherwise treated alike. Where the reference fails, the key is
//! ours: a port that is no number below 65,536 stays as it is written; blanks alone are `-`.
//!
//! Cost: linear in the length, of which no more than [`MAX_BYTES`] count, but for sorting the query.
//!
//! Reference: the behaviour of the Python package `surt` 0.3.1, found by asking it; Google's "Canonicalization" of the
//! Safe Browsing documentation, which it builds on; RFC 3490 to 3492 for hosts.

mod host;
mod nameprep;
mod path;
mod query;

use std::borrow::Cow;

use crate::percent::hex;

/// URLs are cut after this many bytes before a key is made of them.
pub const MAX_BYTES: usize = 1 << 16;

/// The key of a URL as stored, in whatever form and encoding.
///
/// # Examples
/// ```
/// use webmill_capture::urlkey::url_key;
/// assert_eq!(url_key("http://www.archive.org/goo/?a=2&b&a=1"), "org,archive)/goo?a=1&a=2&b");
/// assert_eq!(url_key(b"http://example.com/\xff"), "com,example)/%ff");
/// ```
pub fn url_key(url: impl AsRef<[u8]>) -> String {
    let url = url.as_ref();
    let url = &url[..url.len().min(MAX_BYTES)];
    let mut key = Vec::with_capacity(url.len() + 8);
    push_key(url, &mut key);
    String::from_utf8(key).unwrap_or_else(|error| error.into_bytes().escape_ascii().to_string())
}

/// Appends the key.
fn push_key(url: &[u8], key: &mut Vec<u8>) {
    if url.starts_with(b"filedesc") {
        key.extend_from_slice(crate::url_text(url).as_bytes());
        return;
    }
    let cleaned = clean(url);
    let parts = Parts::of(&cleaned);
    if cleaned.is_empty() {
        key.push(b'-');
        return;
    }
    let (mut host, mut path) = (parts.host, parts.path);
    if host.is_empty() && matches!(parts.scheme, b"http" | b"https") {
        // The host was forgotten: it is the first thing in the path, port and all.
        match parts.path.iter().position(|&b| b != b'/') {
            Some(start) => {
                let rest = &parts.path[start..];
                let end = memchr::memchr(b'/', rest).unwrap_or(rest.len());
                (host, path) = (&rest[..end], if end < rest.len() { &rest[end..] } else { b"/" });
            }
            None => path = &parts.path[..parts.path.len().min(1)],
        }
    }
    let host = host::canonical(host);
    if host.is_empty() {
        key.extend_from_slice(parts.scheme);
        key.push(b':');
    } else {
        push_reversed(&host, key);
        parts.push_port(key);
        key.push(b')');
    }
    let path_start = key.len();
    path::push(path, !host.is_empty(), key);
    let path_end = key.len();
    query::push(parts.query, key);
    if path_end == path_start && key.len() > path_end {
        key.insert(path_end, b'/');
    }
}

/// White space at the ends, tabs and line breaks anywhere removed.
fn clean(url: &[u8]) -> Cow<'_, [u8]> {
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
    let Some(start) = url.iter().position(|b| !blank(b)) else { return Cow::Borrowed(&[]) };
    let end = url.iter().rposition(|b| !blank(b)).map_or(start, |last| last + 1);
    let url = &url[start..end];
    match memchr::memchr3(b'\t', b'\r', b'\n', url) {
        None => Cow::Borrowed(url),
        Some(_) => url.iter().copied().filter(|b| !matches!(b, b'\t' | b'\r' | b'\n')).collect(),
    }
}

/// The parts of a URL by the loosest reading: anything is a URL.
struct Parts<'a> {
    /// As written; `http` where there is none.
    scheme: &'a [u8],
    /// As written, without brackets; empty where there is none.
    host: &'a [u8],
    port: &'a [u8],
    path: &'a [u8],
    query: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(mut url: &'a [u8]) -> Self {
        while let Some(rest) = web_prefix(url)
            && web_prefix(rest).is_some()
        {
            url = rest;
        }
        let (scheme, rest, mut has_authority) = match scheme_end(url) {
            Some(colon) => (&url[..colon], &url[colon + 1..], false),
            None => (&b"http"[..], url, true),
        };
        let mut rest = &rest[..memchr::memchr(b'#', rest).unwrap_or(rest.len())];
        if !has_authority && let Some(after) = rest.strip_prefix(b"//") {
            (rest, has_authority) = (after, true);
        }
        let (rest, query) = match memchr::memchr(b'?', rest) {
            Some(mark) => (&rest[..mark], &rest[mark + 1..]),
            None => (rest, &[][..]),
        };
        let end = if has_authority { memchr::memchr(b'/', rest).unwrap_or(rest.len()) } else { 0 };
        let (authority, path) = rest.split_at(end);
        let (host, port) = host_and_port(authority);
        Parts { scheme, host, port, path, query }
    }

    /// `:8080`, unless it is what the scheme means anyway.
    fn push_port(&self, key: &mut Vec<u8>) {
        if self.port.is_empty() {
            return;
        }
        let number = self.port.iter().try_fold(0_u32, |n, b| {
            b.is_ascii_digit().then(|| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))
        });
        let number = number.filter(|n| *n <= 0xffff);
        let usual = match number {
            Some(0) => true,
            Some(80) => self.scheme.eq_ignore_ascii_case(b"http"),
            Some(443) => self.scheme.eq_ignore_ascii_case(b"https"),
            _ => false,
        };
        if usual {
            return;
        }
        key.push(b':');
        match number {
            Some(number) => key.extend_from_slice(number.to_string().as_bytes()),
            None => push_escaped(&self.port.to_ascii_lowercase(), key),
        }
    }
}

/// What follows `http://` or `https://`, in this case.
fn web_prefix(url: &[u8]) -> Option<&[u8]> {
    let rest = url.strip_prefix(b"http")?;
    rest.strip_prefix(b"s").unwrap_or(rest).strip_prefix(b"://")
}

/// Where the colon after the scheme is.
fn scheme_end(url: &[u8]) -> Option<usize> {
    if !url.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = url.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))?;
    (url[end] == b':').then_some(end)
}

/// Host and port of `user@host:port`; colons at the end say nothing.
fn host_and_port(authority: &[u8]) -> (&[u8], &[u8]) {
    let end = authority.iter().rposition(|&b| b != b':').map_or(0, |last| last + 1);
    let authority = &authority[..end];
    let named = memchr::memrchr(b'@', authority).map_or(authority, |at| &authority[at + 1..]);
    let (host, rest) = match memchr::memchr(b'[', named) {
        Some(open) => {
            let inner = &named[open + 1..];
            let close = memchr::memchr(b']', inner).unwrap_or(inner.len());
            inner.split_at(close)
        }
        None => named.split_at(memchr::memchr(b':', named).unwrap_or(named.len())),
    };
    (host, memchr::memchr(b':', rest).map_or(&[], |colon| &rest[colon + 1..]))
}

/// Labels in reverse, joined by commas.
fn push_reversed(host: &[u8], key: &mut Vec<u8>) {
    let mut end = host.len();
    while let Some(dot) = memchr::memrchr(b'.', &host[..end]) {
        key.extend_from_slice(&host[dot + 1..end]);
        key.push(b',');
        end = dot;
    }
    key.extend_from_slice(&host[..end]);
}

/// Percent-decodes until nothing changes. Triplets never overlap, so the order in which they are decoded does not matter:
/// one pass, which looks back from every byte that it has put down, finds them all.
fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'%', text) else { return Cow::Borrowed(text) };
    let mut out = Vec::with_capacity(text.len());
    out.extend_from_slice(&text[..first]);
    for &byte in &text[first..] {
        out.push(byte);
        while let [.., b'%', high, low] = out[..]
            && let (Some(high), Some(low)) = (hex(high), hex(low))
        {
            out.truncate(out.len() - 3);
            out.push(high << 4 | low);
        }
    }
    Cow::Owned(out)
}

/// Appends with `%xx` for what may not stand in a key, in lower case.
fn push_escaped(text: &[u8], key: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    key.reserve(text.len());
    for &byte in text {
        match byte {
            0..=0x20 | 0x7f.. | b'#' | b'%' => {
                key.extend_from_slice(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            _ => key.push(byte.to_ascii_lowercase()),
        }
    }
}

#[cfg(test)]
#[path = "urlkey/tests.rs"]
mod tests;
