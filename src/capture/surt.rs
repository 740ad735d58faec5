//! The sort key of URLs: SURT, "sort-friendly URI reordering transform".
//!
//! `http://www.example.com:8080/path?query` → `com,example,www:8080)/path?query`: the labels of the host reversed and
//! joined by commas, the port where it is not the default, `)`, path and query. Byte order then puts the pages of a
//! directory, a host, a domain side by side. An IP address is not reversed; the dot of the root goes; scheme and user
//! info have no part (ties are broken by the canonical URL); a URL without host is its own key. As in CDXJ, except
//! that nothing is folded that may name another page: `www.` stays, path and query keep case and order.
//!
//! Cost: linear; comparing two URLs of different hosts or one port allocates nothing.

use crate::cut::Cut;
use std::cmp::Ordering;

use crate::CanonicalUrl;
use crate::domain::is_ip;

impl CanonicalUrl {
    /// Sort key, `com,example,www:8080)/path?query`.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// let url = CanonicalUrl::parse("https://www.example.com:8080/path?query").expect("a URL");
    /// assert_eq!(url.surt(), "com,example,www:8080)/path?query");
    /// ```
    pub fn surt(&self) -> String {
        let host = self.host();
        if host.is_empty() {
            return self.as_str().to_owned();
        }
        let mut out = String::with_capacity(self.as_str().len());
        push_host(host, &mut out);
        out.push_str(port_part(self));
        out.push(')');
        out.push_str(self.path_and_query());
        out
    }
}

impl PartialOrd for CanonicalUrl {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By SURT, then by the text.
impl Ord for CanonicalUrl {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(self, other).then_with(|| self.as_str().cmp(other.as_str()))
    }
}

/// SURT of a host alone: `com,example,www`. The order of hosts by it agrees with that of their home pages, but for
/// hosts of which one is the other's parent.
pub fn surt_host(host: &str) -> String {
    let mut out = String::with_capacity(host.len());
    push_host(host, &mut out);
    out
}

/// Compares two URLs by the bytes of their SURTs.
fn compare(a: &CanonicalUrl, b: &CanonicalUrl) -> Ordering {
    // Most neighbours in a sort share their host.
    if a.host() == b.host() && !a.host().is_empty() {
        let tail = |url| [port_part(url), ")"];
        return match port_part(a) == port_part(b) {
            true => a.path_and_query().cmp(b.path_and_query()),
            false => tail(a).concat().cmp(&tail(b).concat()),
        };
    }
    let (mut a_labels, mut b_labels) = (labels(a.host()), labels(b.host()));
    while let (Some(x), Some(y)) = (a_labels.next(), b_labels.next()) {
        if let Some((x, y)) = x.bytes().zip(y.bytes()).find(|(x, y)| x != y) {
            return x.cmp(&y);
        }
        // One label begins the other: what ends it decides.
        if x.len() != y.len() {
            break;
        }
    }
    bytes(a).cmp(bytes(b))
}

/// Labels in the order of the key; an IP address or a missing host is none.
fn labels(host: &str) -> impl Iterator<Item = &str> {
    let named = !host.is_empty() && !is_ip(host);
    named.then(|| host.strip_suffix('.').unwrap_or(host).rsplit('.')).into_iter().flatten()
}

fn push_host(host: &str, out: &mut String) {
    if is_ip(host) {
        out.push_str(host);
        return;
    }
    for (i, label) in labels(host).enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(label);
    }
}

/// `:8080`, or nothing.
fn port_part(url: &CanonicalUrl) -> &str {
    let spans = url.spans();
    url.as_str().cut(usize::from(spans.host_end)..usize::from(spans.path_start))
}

/// The bytes of the SURT, one by one.
fn bytes(url: &CanonicalUrl) -> impl Iterator<Item = u8> {
    let host = url.host();
    let (whole, tail) = match (host.is_empty(), is_ip(host)) {
        (true, _) => (url.as_str(), None),
        (_, true) => (host, Some(url)),
        _ => ("", Some(url)),
    };
    let labels = labels(host).enumerate();
    let labels = labels.flat_map(|(i, label)| (i > 0).then_some(b',').into_iter().chain(label.bytes()));
    let tail = tail.into_iter().flat_map(|url| {
        port_part(url).bytes().chain(std::iter::once(b')')).chain(url.path_and_query().bytes())
    });
    whole.bytes().chain(labels).chain(tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(url: &str) -> String {
        CanonicalUrl::parse(url).expect("valid").surt()
    }

    #[test]
    fn table() {
        for (url, want) in [
            ("http://example.com", "com,example)/"),
            ("https://www.example.com/a/B?c=D&a=1#x", "com,example,www)/a/B?c=D&a=1"),
            ("http://u:p@foo.example.org:81/path?query", "org,example,foo:81)/path?query"),
            ("http://Maps.Google.com:80/index.html", "com,google,maps)/index.html"),
            ("http://10.1.2.3/a", "10.1.2.3)/a"),
            ("http://192.168.0.1:8080/", "192.168.0.1:8080)/"),
            ("http://[2001:db8::1]:81/a", "[2001:db8::1]:81)/a"),
            ("http://localhost/", "localhost)/"),
            ("http://example.com./", "com,example)/"),
            ("http://a..b/", "b,,a)/"),
            ("http://./", ")/"),
            ("whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il"),
            ("dns:archive.org", "dns:archive.org"),
            ("file:///etc/x", "file:///etc/x"),
        ] {
            assert_eq!(of(url), want, "{url}");
        }
        assert_eq!(surt_host("www.example.com"), "com,example,www");
    }

    proptest! {
        #[test]
        fn compare_is_byte_order(
            a in super::super::join::tests::any_url(),
            b in super::super::join::tests::any_url(),
        ) {
            if let (Some(a), Some(b)) = (CanonicalUrl::parse(&a), CanonicalUrl::parse(&b)) {
                prop_assert_eq!(compare(&a, &b), a.surt().cmp(&b.surt()));
                prop_assert_eq!(a.cmp(&b) == Ordering::Equal, a == b);
            }
        }
    }
}
