//! Registrable domain and public suffix of a host, by the Public Suffix List compiled into the program.
//!
//! The *public suffix* of a host is the part under which anybody can register (`com`, `com.cn`, `github.io`); the
//! *registrable domain* is that and one label more: what one owner holds. The list has a section of registries
//! (ICANN) and one of private owners who let others use names below theirs. [`registrable`] takes both, as browsers
//! do; [`HostParts`] has the domain by the first alone too, as the column `url_host_registered_domain` of the largest public crawl
//! index does. An unknown top-level domain counts as a suffix; an IP address is its own domain.
//!
//! Cost: one walk over the labels of the host, no allocation. Reference: publicsuffix.org/list.

use crate::cut::Cut;
use psl::{Psl, Type};

/// Registrable domain of a canonical host (both sections of the list). The host itself where it is an IP address, has
/// one label, or is itself a public suffix.
///
/// # Examples
/// ```
/// use webmill_capture::domain::registrable;
/// assert_eq!(registrable("news.pku.edu.cn"), "pku.edu.cn");
/// assert_eq!(registrable("someone.github.io"), "someone.github.io");
/// ```
pub fn registrable(host: &str) -> &str {
    let name = trim(host);
    match suffix(name) {
        Some((suffix, _)) => below(name, suffix),
        None => name,
    }
}

/// Public suffix of a canonical host (both sections). `None` for an IP address or an empty host.
pub fn public_suffix(host: &str) -> Option<&str> {
    suffix(trim(host)).map(|(suffix, _)| suffix)
}

/// Public suffix by the registries' section alone.
fn registry_suffix(host: &str) -> Option<&str> {
    let name = trim(host);
    let (mut found, mut kind) = suffix(name)?;
    // A rule of the private section is longer than the registry's rule for the same name: look again below its
    // first label.
    while kind == Some(Type::Private) {
        let Some((_, rest)) = found.split_once('.') else { break };
        (found, kind) = suffix(rest)?;
    }
    Some(found)
}

/// The parts of a host that capture indexes have a column for. Everything but `reversed` is `None` for IP addresses and
/// hosts without a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostParts<'a> {
    /// Labels from the right: top-level domain, the label before it, and so on.
    pub labels: [Option<&'a str>; 5],
    /// Suffix by the registries' section.
    pub registry_suffix: Option<&'a str>,
    /// That and a label more; `None` where the host is itself a suffix.
    pub registered_domain: Option<&'a str>,
    /// Suffix by both sections.
    pub private_suffix: Option<&'a str>,
    /// That and a label more; `None` where the host is itself a suffix.
    pub private_domain: Option<&'a str>,
}

impl<'a> HostParts<'a> {
    /// The parts of a canonical host.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::domain::HostParts;
    /// let parts = HostParts::of("a.someone.github.io");
    /// assert_eq!(parts.labels, [Some("io"), Some("github"), Some("someone"), Some("a"), None]);
    /// assert_eq!((parts.registry_suffix, parts.registered_domain), (Some("io"), Some("github.io")));
    /// assert_eq!((parts.private_suffix, parts.private_domain), (Some("github.io"), Some("someone.github.io")));
    /// ```
    pub fn of(host: &'a str) -> Self {
        let name = trim(host);
        let Some((private_suffix, _)) = suffix(name) else { return HostParts::default() };
        let mut labels = [None; 5];
        for (part, label) in labels.iter_mut().zip(name.rsplit('.')) {
            *part = Some(label);
        }
        let registry_suffix = registry_suffix(name);
        let longer = |suffix: &&str| suffix.len() < name.len();
        HostParts {
            labels,
            registry_suffix,
            registered_domain: registry_suffix.filter(longer).map(|suffix| below(name, suffix)),
            private_suffix: Some(private_suffix),
            private_domain: Some(private_suffix).filter(longer).map(|suffix| below(name, suffix)),
        }
    }
}

/// A host name with its labels in reverse order: `com.example.www`. An IP address stays as it is.
///
/// # Examples
/// ```
/// use webmill_capture::domain::reversed;
/// assert_eq!(reversed("www.example.com"), "com.example.www");
/// assert_eq!(reversed("10.1.2.3"), "10.1.2.3");
/// ```
pub fn reversed(host: &str) -> String {
    if is_ip(host) {
        return host.to_owned();
    }
    let labels: Vec<&str> = trim(host).rsplit('.').collect();
    labels.join(".")
}

/// Whether the host is an IPv4 address or a bracketed IPv6 address.
pub fn is_ip(host: &str) -> bool {
    host.starts_with('[')
        || (host.ends_with(|c: char| c.is_ascii_digit()) && host.parse::<std::net::Ipv4Addr>().is_ok())
}

/// The host without the dot of the root.
fn trim(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

fn suffix(name: &str) -> Option<(&str, Option<Type>)> {
    if name.is_empty() || is_ip(name) {
        return None;
    }
    let found = psl::List.suffix(name.as_bytes())?;
    // The suffix is a tail of the name that starts at a label.
    let text = name.get(name.len().checked_sub(found.as_bytes().len())?..)?;
    Some((text, found.typ()))
}

/// `suffix` and one label more of `name`.
fn below<'a>(name: &'a str, suffix: &str) -> &'a str {
    match (name.len() - suffix.len()).checked_sub(1) {
        None => name,
        Some(dot) => match name.cut(..dot).rfind('.') {
            Some(before) => name.cut(before + 1..),
            None => name,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        // host, registrable, by registries alone, public suffix
        for (host, want, registry, suffix) in [
            ("www.example.com", "example.com", "example.com", Some("com")),
            ("example.com", "example.com", "example.com", Some("com")),
            ("example.com.", "example.com", "example.com", Some("com")),
            ("com", "com", "com", Some("com")),
            ("a.b.pku.edu.cn", "pku.edu.cn", "pku.edu.cn", Some("edu.cn")),
            ("edu.cn", "edu.cn", "edu.cn", Some("edu.cn")),
            ("x.someone.github.io", "someone.github.io", "github.io", Some("github.io")),
            ("github.io", "github.io", "github.io", Some("github.io")),
            ("www.bbc.co.uk", "bbc.co.uk", "bbc.co.uk", Some("co.uk")),
            ("a.b.ck", "a.b.ck", "a.b.ck", Some("b.ck")),
            ("www.ck", "www.ck", "www.ck", Some("ck")),
            ("city.kawasaki.jp", "city.kawasaki.jp", "city.kawasaki.jp", Some("kawasaki.jp")),
            ("a.b.test", "b.test", "b.test", Some("test")),
            ("localhost", "localhost", "localhost", Some("localhost")),
            (
                "xn--85x722f.xn--55qx5d.cn",
                "xn--85x722f.xn--55qx5d.cn",
                "xn--85x722f.xn--55qx5d.cn",
                Some("xn--55qx5d.cn"),
            ),
            ("10.1.2.3", "10.1.2.3", "10.1.2.3", None),
            ("[2001:db8::1]", "[2001:db8::1]", "[2001:db8::1]", None),
            ("", "", "", None),
        ] {
            assert_eq!(registrable(host), want, "{host}");
            assert_eq!(public_suffix(host), suffix, "{host}");
            let parts = HostParts::of(host);
            assert_eq!(parts.private_suffix, suffix, "{host}");
            assert_eq!(parts.private_domain.unwrap_or(trim(host)), want, "{host}");
            assert_eq!(parts.registered_domain.unwrap_or(registry), registry, "{host}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_is_a_tail(host in "[a-z0-9.\\-]{0,30}|\\PC{0,20}") {
            let name = host.strip_suffix('.').unwrap_or(&host);
            proptest::prop_assert!(name.ends_with(registrable(&host)));
        }
    }
}
